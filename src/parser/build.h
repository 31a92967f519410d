/* build.h -- what the grammar's actions call: one function per node. Used by ptx.y, parser.c and
 * build.c only. */
#ifndef PTX_PARSER_BUILD_H
#define PTX_PARSER_BUILD_H

#include "lexer/lexer.h"
#include "parser/ast.h"
#include "parser/parser.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/hash.h"
#include "support/limits.h"

/* Lists under construction: circular, so that a single word leads to both ends and fits the
 * parser's stack entry. */
typedef struct OperandList { AstOperand *last; } OperandList;
typedef struct DeclList { AstDecl *last; } DeclList;
typedef struct AttributeList { AstAttribute *last; } AttributeList;

#define LIST_ONE(T, item) ((item)->next = (item), (T){ (item) })
#define LIST_ADD(T, list, item) \
    ((item)->next = (list).last->next, (list).last->next = (item), (T){ (item) })

typedef struct GuardText { Span at, name; bool negated; } GuardText;

typedef struct Dims {
    Span span;
    uint8_t count;
    bool has_more;              /* than AST_MAX_DIMS, which was reported */
    uint64_t sizes[AST_MAX_DIMS];       /* 0: unsized, also written [0] */
} Dims;

typedef enum PrefixStage {
    PREFIX_NOTHING,
    PREFIX_LINKAGE,
    PREFIX_SPACE,
    PREFIX_VECTOR,
    PREFIX_TYPE,
    PREFIX_POINTER
} PrefixStage;

typedef struct Prefix {         /* what stands before the name in a declaration */
    Span span;
    uint32_t align, pointer_align;
    Space space, pointer_space;
    Type type;
    Linkage linkage;
    uint8_t vector;
    uint8_t stage;              /* PrefixStage: how far it is; PTX has one order */
    bool is_pointer;
    bool is_misplaced;          /* something is, and was diagnosed */
    bool is_aligned_behind;     /* .align behind the type, as parameters of an .entry may have it */
    Span detail;                /* the first word that is no linkage; empty: all are */
    bool has_bank;              /* .const[3] */
    bool has_attribute;         /* .attribute(...) */
} Prefix;

/* A brace of an initialiser, and the integers skipped between it and its other brace. */
typedef struct SkippedList {
    struct SkippedList *next;
    uint32_t begin, count;
} SkippedList;

struct Parser {
    Arena *arena;               /* of the item being built */
    Arena *header_arena;
    DiagSink *diags;
    const char *text;
    uint32_t length;
    AstHeader header;
    Lexer lexer;

    AstItem *items, **item_tail;        /* complete ones that were not handed out yet: one or two */
    AstFile **file_tail;
    HashMap file_of;            /* per unit and index: the first one's place in first_files, + 1 */
    AstFile **first_files;
    uint32_t first_file_count, first_file_capacity;
    AstFunc *func;              /* being built, or NULL */
    int32_t func_count;         /* functions built: the index that lowering will give this one */
    AstStmt **stmt_tail;
    AstStmt *loc;               /* the last .loc of this function */
    uint32_t operand_count;     /* made since the function began */
    uint32_t scope_count;
    AstStmt *scopes[LIMIT_NESTING + 2];         /* open AST_SCOPE_BEGINs, outermost first */
    AstStmt **label_tails[LIMIT_NESTING + 2];
    GuardText guard;
    Span empty_vector;          /* the last {} read */

    Token last, current;        /* the token that is being fed, and the one before it */
    /* of the current initialiser: read by ptx_lex_skip_integers, without a node */
    uint32_t skipped_integers;
    /* of the current initialiser, innermost and last closed first */
    SkippedList *open_lists, *closed_lists;
    /* both tokens when the last parameter list was taken */
    Token mark_last, mark_current;
    /* after an unexpected token: the `;` behind it is no mistake of its own */
    bool is_recovering;
    /* what the statement in hand, and the one with the last error, begin with behind their guard */
    Token statement, broken;
    Span lost_params;           /* a parameter list that could not be read */
    uint8_t header_stage;       /* HeaderStage */
    bool begins_unit;           /* a .version is being read that stands behind items */
    uint32_t syntax_errors;     /* so far */
    bool parser_failed;         /* Lemon gave up: the driver starts it anew */
};

static inline const char *span_text_of(const Parser *p, Span span)
{
    return p->text + span.begin;
}

static inline int span_length_of(Span span)
{
    uint32_t length = ptx_span_length(span);
    return length > 60 ? 60 : (int)length;      /* as much of a name as a message shows */
}

static inline bool span_equals(const Parser *p, Span span, const char *word)
{
    size_t length = strlen(word);
    return ptx_span_length(span) == length && memcmp(span_text_of(p, span), word, length) == 0;
}

/* What of the module's head stands so far: .version, .target, .address_size come in this order,
 * before everything else. */
typedef enum HeaderStage {
    HEADER_NOTHING,
    HEADER_VERSION,
    HEADER_TARGET,
    HEADER_ADDRESS_SIZE,
    HEADER_ITEMS
} HeaderStage;

typedef struct ExpectedTokens { bool takes[128]; } ExpectedTokens;      /* by TOK_* */

void ptx_build_unexpected(Parser *p, Token found, const ExpectedTokens *expected);
void ptx_build_too_deep(Parser *p);

void ptx_build_version(Parser *p, Token directive, Token number);
void ptx_build_target(Parser *p, Token directive, Token name);
void ptx_build_target_option(Parser *p, Token name);
void ptx_build_address_size(Parser *p, Token directive, Token number);
void ptx_build_file(Parser *p, Token index, Token path);
void ptx_build_file_stamp(Parser *p, Token directive);
void ptx_build_section(Parser *p, Token name);
void ptx_build_section_data(Parser *p, Token word);
void ptx_build_source_section(Parser *p, Token name);
void ptx_build_language(Parser *p, Token name);
void ptx_build_module_pragma(Parser *p, Token directive, Span strings);
void ptx_build_file_directory(Parser *p, Token directive);
void ptx_build_alias(Parser *p, Token directive, Token name, Token target, Token end);

void ptx_build_attribute(Parser *p, Token word, bool has_numbers);
Prefix *ptx_prefix_new(Parser *p, Token first);
void ptx_prefix_linkage(Parser *p, Prefix *prefix, Token word);
void ptx_prefix_attribute(Parser *p, Prefix *prefix, Token word);
void ptx_prefix_space(Parser *p, Prefix *prefix, Token word);
void ptx_prefix_align(Parser *p, Prefix *prefix, Token number);
void ptx_prefix_pointer(Parser *p, Prefix *prefix, Token word);
void ptx_prefix_modifier(Parser *p, Prefix *prefix, Token word);

Dims *ptx_dims_add(Parser *p, Dims *dims, AstOperand *size, Token end);
AstDecl *ptx_decl_new(Parser *p, Token name, const Dims *dims);
AstDecl *ptx_decl_range(Parser *p, Token name, Token count, Token end);
void ptx_decl_init(Parser *p, AstDecl *decl, Token assign, AstOperand *value);
void ptx_build_module_loc(Parser *p, Token directive);
void ptx_build_function_file(Parser *p, Token directive);
void ptx_decl_prefix(Parser *p, AstDecl *decl, const Prefix *prefix);
void ptx_build_declarations(Parser *p, const Prefix *prefix, DeclList list, Token end);

AttributeList ptx_attribute_add(Parser *p, AttributeList list, Token name, int count,
                                const Token *values);

/* What stands before the body of a function. */
typedef struct FuncHead {
    Token keyword, name;
    DeclList results, params;
    AttributeList attributes;
} FuncHead;

AstFunc *ptx_func_new(Parser *p, const Prefix *prefix, FuncHead head);
void ptx_build_func(Parser *p, AstFunc *func);
void ptx_build_func_end(Parser *p, Token end);

void ptx_build_scope_begin(Parser *p, Token brace);
void ptx_build_scope_end(Parser *p, Token brace);
void ptx_build_lost_statement(Parser *p, Token semicolon);
void ptx_build_lost_params(Parser *p, Token paren, Token end);
/* A `;` with nothing before it; an empty span is one that parser.c put in. */
void ptx_build_empty(Parser *p, Token semicolon);
void ptx_build_label(Parser *p, Token name, Token colon);
/* opcode: first_on_line marks one that white space divides, joined by ptx_opcode_join. */
Token ptx_opcode_join(Token opcode, Token modifier);
AstStmt *ptx_build_insn(Parser *p, Token opcode, OperandList operands, Token end);
void ptx_build_guarded(Parser *p, AstStmt *insn);
void ptx_build_pragma(Parser *p, Token directive, Span text, Token end);
void ptx_build_targets(Parser *p, AstStmtKind kind, Token directive, OperandList names, Token end);
void ptx_build_prototype(Parser *p, FuncHead head, Token end);
/* Behind a .loc: the place in an intermediate language. */
void ptx_build_loc_intermediate(Parser *p, Token directive);

/* The numbers of a .loc. */
typedef struct LocTokens {
    Token file, line, column;
} LocTokens;

void ptx_build_loc(Parser *p, Token directive, LocTokens at, AstLoc *inlined);
AstLoc *ptx_loc_inlined(Parser *p, Token keyword, Span name);
void ptx_loc_not_inlined(Parser *p, Span name);
AstLoc *ptx_loc_inlined_at(Parser *p, Token keyword, Span name, Token inlined_at, LocTokens at);

AstOperand *ptx_operand_name(Parser *p, Token name);
/* L<4> in a list of targets: L0 to L3. */
AstOperand *ptx_operand_range(Parser *p, Token name, Token count, Token end);
AstOperand *ptx_operand_int(Parser *p, Token number);
AstOperand *ptx_operand_real(Parser *p, Token number);
AstOperand *ptx_operand_bits(Parser *p, Token number);
AstOperand *ptx_operand_address(Parser *p, Token open, OperandList list, Token close);
void ptx_operand_modifier(Parser *p, AstOperand *operand, Token modifier);
AstOperand *ptx_operand_group(Parser *p, AstOperandKind kind, Token open, OperandList list,
                              Token close);
/* {}: an empty initialiser, and nothing that an instruction takes. */
AstOperand *ptx_operand_empty(Parser *p, Token open, Token close);
AstOperand *ptx_operand_cast(Parser *p, Token open, Token type, AstOperand *value);
AstOperand *ptx_operand_index(Parser *p, Token name, AstOperand *index, Token close);
AstOperand *ptx_operand_generic(Parser *p, Token name, OperandList list, Token close);
AstOperand *ptx_operand_field(Parser *p, Token name, AstOperand *value);
AstOperand *ptx_operand_unary(Parser *p, Token operator, AstOperand *value);
AstOperand *ptx_operand_binary(Parser *p, AstOperand *left, Token operator, AstOperand *right);
AstOperand *ptx_operand_select(Parser *p, AstOperand *condition, AstOperand *yes, AstOperand *no);

#endif
