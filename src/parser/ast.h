/* ast.h -- one item of the module as written: statements in order, names unresolved. Built by
 * ptx.y.
 *
 * Every node carries its span. Lists are singly linked in source order. An item lives until the
 * parser is asked for the next one: a tree takes ten times its text, and only one function's stands
 * at a time. */
#ifndef PTX_PARSER_AST_H
#define PTX_PARSER_AST_H

#include "isa/isa.h"
#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum AstOperandKind {
    AST_OPERAND_NONE,
    /* register, variable, label, function, special register; offset in value */
    AST_NAME,
    /* value; AST_UNSIGNED is its type: .u64, else .s64 (PTX ISA, "Constants") */
    AST_INT,
    AST_F32, AST_F64,           /* value holds the bits */
    /* [child, ...]: more than one element, or one that is no plain name or number */
    AST_ADDRESS,
    AST_VECTOR,                 /* {child, ...} */
    AST_LIST,                   /* (child, ...): parameters of a call */
    AST_PAIR,                   /* child|child */
    AST_BAD                     /* diagnosed already */
} AstOperandKind;

enum {
    AST_UNSIGNED = 1,           /* of AST_INT */
    AST_NOT = 2,                /* !p */
    AST_NEGATIVE = 4,           /* -r */
    AST_BRACKETS = 8,           /* [name+offset] or [number] */
    AST_PARENTHESES = 16,       /* (x): in a call, a list of one */
    /* name[value], or name[child] where the index is a register; in a list of targets name<value>
     * */
    AST_INDEXED = 32,
    AST_GENERIC = 64,           /* generic(name) */
    AST_MASK = 128,             /* 0xFF(name) */
};

typedef struct AstOperand {
    struct AstOperand *next;
    Span span;                  /* all of it, signs and brackets included */
    /* AST_INT, AST_F32, AST_F64: the constant; AST_NAME: the offset, two's complement; AST_VECTOR:
     * integers of an initialiser that were skipped, without a node */
    uint64_t value;
    struct AstOperand *child;
    uint32_t name;              /* AST_NAME: where the name begins */
    uint16_t name_length;       /* without suffixes */
    uint16_t suffix_length;     /* .x  .h0  .b3210: bytes after the name, dots included */
    uint8_t kind, flags;
    uint8_t modifier_length;    /* [a].unified: bytes of a modifier after the operand */
} AstOperand;

typedef enum AstStmtKind {
    AST_STMT_NONE,
    AST_INSN, AST_LABEL, AST_DECL, AST_SCOPE_BEGIN, AST_SCOPE_END, AST_LOC, AST_PRAGMA,
    AST_BRANCHTARGETS, AST_CALLTARGETS, AST_CALLPROTOTYPE
} AstStmtKind;

typedef struct AstDecl AstDecl;
typedef struct AstFunc AstFunc;
typedef struct AstLoc AstLoc;

typedef struct AstStmt {
    struct AstStmt *next;
    Span span;                  /* guard to semicolon */
    /* AST_INSN: opcode and modifiers; AST_LABEL: the name; AST_PRAGMA: the string */
    Span opcode;
    union {
        AstOperand *operands;   /* AST_INSN, AST_BRANCHTARGETS, AST_CALLTARGETS */
        AstDecl *decl;
        AstFunc *prototype;
        AstLoc *loc;
        /* AST_SCOPE_BEGIN: first label of the scope; AST_LABEL: the next one in it */
        struct AstStmt *next_label;
    };
    uint32_t guard;             /* where the guard's name begins */
    uint16_t guard_length;      /* 0: no guard */
    uint8_t kind;
    bool guard_negated;
    bool detached;              /* AST_INSN: white space inside the opcode */
} AstStmt;

struct AstLoc {
    Span span;
    uint32_t file, line, column;
    Span function_name;         /* label in .debug_str, with inlined_at */
    uint32_t inlined_file, inlined_line, inlined_column;
};

/* further ones are diagnosed; ptxas takes more, no real code has them */
enum { AST_MAX_DIMS = 8 };

struct AstDecl {
    AstDecl *next;              /* of the same list: parameters, or declarators of one directive */
    Span span, name;
    Span init;                  /* after `=`, empty without one */
    uint64_t *dims;             /* dim_count of them, NULL for a scalar; an unsized one is 0 */
    uint64_t reg_count;         /* name<reg_count>; 0: a single one */
    /* product of dims, 1 for a scalar, saturated; 0 for an unsized array */
    uint64_t element_count;
    AstOperand *init_value;     /* NULL without one */
    uint32_t init_count;        /* scalars in the initialiser */
    bool init_has_names;        /* not all of them are numbers */
    uint32_t align;             /* 0: the type's */
    uint32_t pointer_align;     /* of .ptr, 0: none */
    Space space;
    Space pointer_space;        /* of .ptr */
    Type type;
    Linkage linkage;
    uint8_t vector;             /* 1, 2, 4, 8 */
    uint8_t dim_count;
    bool is_pointer;            /* .ptr */
    bool is_aligned_behind;     /* .align behind the type */
    bool is_empty_range;        /* name<0> */
    bool has_attribute;         /* .attribute(...) */
};

typedef struct AstAttribute {   /* performance directive */
    struct AstAttribute *next;
    Span span, name;
    /* where ptxas takes it: itself, or the token behind it if more numbers could follow */
    Span after;
    uint32_t values[3];
    uint8_t value_count;
} AstAttribute;

enum { AST_MAX_LOST = 8 };      /* further ones are not noted */

struct AstFunc {
    AstFunc *next;
    Span span, name;
    /* where ptxas takes its head as read: `)` of an .entry, the token behind it of a .func */
    Span mark;
    AstDecl *params, *results;
    AstAttribute *attributes;
    AstStmt *body;              /* AST_SCOPE_BEGIN ... AST_SCOPE_END; NULL for a declaration */
    uint32_t insn_count;        /* of its body */
    /* nodes, and room for values behind the operands: its instructions seldom have more */
    uint32_t operand_count;
    Linkage linkage;
    Span lost[AST_MAX_LOST];    /* declarations that could not be read; no names for their words */
    uint8_t lost_count;
    bool is_entry;
    bool has_syntax_error;      /* in its body: data-flow findings are withheld */
};

typedef struct AstFile {        /* .file */
    struct AstFile *next;
    uint32_t index;
    Span path;                  /* inside the quotes */
    Span span;                  /* of the index */
    uint32_t unit;              /* AstHeader.unit, there */
} AstFile;

typedef struct AstAlias {
    struct AstAlias *next;
    Span span, name, target;
} AstAlias;

/* A function, a directive of variables, or an alias; the other two are NULL. */
typedef struct AstItem {
    struct AstItem *next;
    AstFunc *func;
    AstDecl *decl;
    AstAlias *alias;
} AstItem;

/* What the module's directives said so far. */
typedef struct AstHeader {
    AstFile *files;
    /* of the number and of the first name; empty where the directive is missing */
    Span version_span, target_span;
    uint16_t version;           /* 10 * major + minor; 0: none */
    uint32_t address_size;      /* 32 or 64; 0: not said */
    /* of the modules that stand in the file one behind the other, from 0; the rest here is of the
     * first */
    uint32_t unit;
    bool is_debug;              /* .target names the option debug */
    bool is_texmode_independent, is_texmode_unified;    /* .target names them */
    bool is_version_reported;   /* that it is missing */
    bool is_other_format;       /* not PTX at all: diagnosed, and nothing was read */
} AstHeader;

#endif
