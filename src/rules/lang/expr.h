/* expr.h -- the tree of an expression, between its text and its Code. Internal to the compiler:
 * compile.h is its interface.
 *
 * Text -> tokens (expr.re) -> tree (expr.y) -> types, units and levels (type.c) -> Code (emit.c). A
 * token is a Span of the text. Nodes are the arena's. The first error is kept, and all steps end at
 * it: a function here that returns bool gives false after one. Nesting is bounded by EXPR_DEPTH, so
 * that all walks over a tree may recurse. */
#ifndef PTX_RULES_LANG_EXPR_H
#define PTX_RULES_LANG_EXPR_H

#include "rules/lang/compile.h"
#include "support/span.h"

enum {
    /* operators and brackets inside each other; a chain of `and`s counts too */
    EXPR_DEPTH = 100,
    EXPR_BYTES_MAX = 1 << 16,
    /* constants of an `in`, patterns of an `is`: Code.count is 8 bits */
    EXPR_LIST_MAX = 255,
};

typedef enum NodeKind {
    NODE_NONE,
    NODE_NUMBER,                /* number, unit */
    NODE_TRUTH,                 /* number */
    NODE_WORD,                  /* span with the quotes; number once its domain is known */
    NODE_NAME,                  /* a name alone, as in `insn is` */
    NODE_FACT,                  /* at: scope.name; index: FactId, FACT__COUNT + FigureId */
    NODE_THRESHOLD,             /* index */
    NODE_IS,                    /* right: words, a list */
    NODE_IN,                    /* left; right: constants, a list */
    /* at: name; right: arguments, a list; typing makes one of the next three of it */
    NODE_CALL,
    NODE_UNARY,                 /* code; left */
    NODE_BINARY,                /* code; left, right */
    /* code; right: predicate; index: of the quantifier, once it is written */
    NODE_OVER,
} NodeKind;

typedef struct Node {
    struct Node *left, *right;
    struct Node *next;          /* in a list */
    double number;
    Span span;                  /* all of it */
    Span at;                    /* operator or name */
    Span domain_span;           /* NODE_OVER: `instructions` or `loop.instructions`; empty: none */
    Unit unit;
    uint32_t index;
    uint16_t depth;             /* of the tree below, itself included */
    uint8_t kind, code;         /* NodeKind, CodeKind */
    /* FactType, Domain; DOMAIN_NONE: a word that waits for the other side */
    uint8_t type, domain;
    uint8_t asks;               /* bit per Level that something below has */
    uint8_t over, level;        /* NODE_OVER: Subject, Level of the predicate */
    bool in_loop;
    bool is_grouped;            /* stood in parentheses */
    /* an `and` of the condition itself: what is not true on its left rules the condition out */
    bool is_outermost;
} Node;

typedef struct NodeList {
    Node *first, *last;
} NodeList;

/* One text being compiled. */
typedef struct Expr {
    RuleBuilder *builder;
    const ExprScope *scope;
    const char *text;           /* a copy with a NUL behind it */
    const unsigned char *cur, *end;     /* of the scanner */
    uint32_t offset;            /* of text in what the caller has: added to the places of errors */
    Node *root;
    ExprError *error;
    bool has_failed;
    int last_kind;              /* the token before; 0: none */
    Span last;
    uint32_t open_count;        /* brackets */
    Span open[EXPR_DEPTH];
    /* in hand: the rule's, or that of the predicate that is being typed */
    Subject subject;
    bool in_predicate;
} Expr;

/* The first error of an expression; always false. */
bool ptx_expr_fail(Expr *e, Span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For "%.*s": a span, cut where it is long. */
#define EXPR_TEXT(e, span) ptx_expr_clip((e), (span)), (e)->text + (span).begin
int ptx_expr_clip(const Expr *e, Span span);

/* expr.re: the next token, EXPR_* of the grammar; 0 at the end; -1 after an error. */
int ptx_expr_lex(Expr *e, Span *token);

/* expr.y: reads all of text into e->root. */
bool ptx_expr_parse(Expr *e);

/* tree.c: what the grammar makes. */
Node *ptx_expr_number(Expr *e, Span number, Span unit);
Node *ptx_expr_leaf(Expr *e, NodeKind kind, Span at);
Node *ptx_expr_truth(Expr *e, Span at, bool value);
Node *ptx_expr_unary(Expr *e, CodeKind code, Span at, Node *operand);
Node *ptx_expr_binary(Expr *e, CodeKind code, Span at, Node *left, Node *right);
Node *ptx_expr_listed(Expr *e, NodeKind kind, Span at, Node *left, NodeList list, Span close);
/* What ends with close, negated. */
Node *ptx_expr_not(Expr *e, Node *node, Span close);
Node *ptx_expr_call(Expr *e, Span name, NodeList arguments, Span close);
Node *ptx_expr_over(Expr *e, Span name, Span over, Node *predicate, Span close);
Node *ptx_expr_group(Span open, Node *node, Span close);
NodeList ptx_expr_list(NodeList list, Node *node);
bool ptx_expr_open(Expr *e, int kind, Span token);
void ptx_expr_unexpected(Expr *e, int kind, Span token);

/* type.c: fills types, units, asks; resolves facts, words, functions. */
bool ptx_expr_type(Expr *e, Node *node);
bool ptx_expr_want(Expr *e, const Node *node, FactType type, const Unit *unit);
Level ptx_expr_level(uint8_t asks);

/* `ld.global` of `is`: to *pattern, its modifiers to modifiers[OP_MAX_MODIFIERS]. */
bool ptx_expr_pattern(Expr *e, const Node *word, Pattern *pattern, int16_t *modifiers);

/* emit.c: one program of a typed tree. */
bool ptx_expr_emit(Expr *e, Node *node, Program *out);
void ptx_rule_add_hole(RuleBuilder *builder, const Hole *hole);

#endif
