/* symbolic.h -- symbolic values: what a scalar register holds, as an expression over what a kernel
 * is given.
 *
 * An expression is a node of a graph without cycles, of 1 (a predicate), 8, 16, 32 or 64 bits.
 * Equal nodes are one node (hash-consing), so equality of ids is equality of values; the converse
 * does not hold. Arithmetic is that of the PTX instructions, modulo 2^width. Sums are kept as
 * linear combinations c0 + c1 * x1 + ..., in which equal terms cancel exactly in that arithmetic;
 * this is what makes `end - p` known where `p` is not.
 *
 * Each node carries the range of its values under all that is known of the launch.
 *
 * A node's scope is the innermost loop in which its value may change from one iteration to the
 * next. */
#ifndef PTX_ANALYSIS_VALUE_SYMBOLIC_H
#define PTX_ANALYSIS_VALUE_SYMBOLIC_H

#include "analysis/flow/types.h"
#include "analysis/value/interval.h"
#include "support/hash.h"

typedef uint32_t SymId;         /* into Symbols.nodes; 0: none */

/* Why a value is opaque; ptx_sym_why says it in words. */
typedef enum SymWhy {
    WHY_NONE,
    WHY_MEMORY,
    WHY_ATOMIC,
    WHY_CALL,
    WHY_FLOAT,
    WHY_WARP,
    WHY_PATHS,
    WHY_LOOP,
    WHY_UNDEFINED,
    WHY_SPECIAL,
    WHY_OTHER,
    WHY_SIZE,
    WHY_CHANGES,
    WHY__COUNT
} SymWhy;

enum { /* Sym.uses */
       USES_TID_X = 1,
       USES_TID_Y = 2,
       USES_TID_Z = 4,
       USES_CTAID_X = 8,
       USES_CTAID_Y = 16,
       USES_CTAID_Z = 32,
       USES_THREAD = 63,
       USES_LAUNCH = 64,   /* a value that the launch gives */
       USES_UNKNOWN = 128, /* a leaf with no value */
       /* a leaf that no expression for people can name: SYM_OPAQUE, SYM_EXIT */
       USES_OPAQUE = 256,
};

typedef struct Sym {
    uint8_t kind;               /* SymKind */
    uint8_t width;              /* bits */
    uint16_t uses;              /* USES_* of all leaves */
    uint8_t depth;              /* longest way down to a leaf */
    uint8_t zeros;              /* low bits that are certainly zero */
    LoopId scope;               /* NO_LOOP: the same for the whole run of the thread */
    uint32_t a, b, c;
    uint32_t stamp;             /* the walk or rebuilding that came here last, and ... */
    SymId image;                /* ... what it made of the node */
    uint64_t value;
    Interval range;
} Sym;

typedef struct SymTerm {
    SymId atom;                 /* no constant, no sum */
    uint64_t factor;            /* modulo 2^width, not 0 */
} SymTerm;

typedef struct Symbols {
    Arena *arena;
    const Module *module;
    const Func *func;
    const Loops *loops;
    Sym *nodes;
    SymTerm *terms;
    HashTable table;
    uint32_t count, capacity;
    uint32_t term_count, term_capacity;
    uint32_t limit;             /* nodes */
    uint64_t opaque_count;
    uint32_t stamp;             /* the last one given out */
    bool is_full;               /* a limit was reached: what is built from then on means nothing */
} Symbols;

/* Owned by arena. limit: nodes that may be made. */
Symbols *ptx_symbols_new(Arena *arena, const Module *module, const Func *func, const Loops *loops,
                         uint32_t limit);

/* ---- building -------------------------------------------------------------------------------- */

SymId ptx_sym_const(Symbols *s, unsigned width, uint64_t value);
/* any kind up to SYM_EXIT; range, uses and scope set by the caller */
SymId ptx_sym_leaf(Symbols *s, Sym leaf);
/* unlike any other */
SymId ptx_sym_opaque(Symbols *s, unsigned width, SymWhy why, RegId reg, LoopId scope);
SymId ptx_sym_add(Symbols *s, SymId a, SymId b);
SymId ptx_sym_sub(Symbols *s, SymId a, SymId b);
SymId ptx_sym_scale(Symbols *s, SymId a, uint64_t factor);
SymId ptx_sym_mul(Symbols *s, SymId a, SymId b);
/* SYM_MUL to SYM_LE_S; operands of one width */
SymId ptx_sym_binary(Symbols *s, SymKind kind, SymId a, SymId b);
SymId ptx_sym_not(Symbols *s, SymId predicate);
SymId ptx_sym_select(Symbols *s, SymId predicate, SymId a, SymId b);
SymId ptx_sym_resize(Symbols *s, SymId a, unsigned width, bool is_signed);
SymId ptx_sym_lane(Symbols *s, SymId x, SymId y, SymId z);

/* What a SYM_PHI or SYM_EXIT is to become; itself: it stays. */
typedef SymId (*SymReplace)(void *context, SymId leaf);

/* The node with these leaves replaced. */
SymId ptx_sym_rebuild(Symbols *s, SymId id, SymReplace replace, void *context);

/* ---- asking ---------------------------------------------------------------------------------- */

static inline const Sym *ptx_sym(const Symbols *s, SymId id)
{
    return &s->nodes[id];
}

unsigned ptx_sym_operands(const Sym *sym);      /* how many of a, b, c are nodes; not for sums */
bool ptx_sym_is_const(const Symbols *s, SymId id, uint64_t *value);
bool ptx_sym_varies(const Symbols *s, SymId id, LoopId loop);

/* Whether the value is a multiple of factor as a number, not only modulo 2^width. */
bool ptx_sym_is_multiple(const Symbols *s, SymId id, uint64_t factor);

/* The range of a node whose operands have the ranges in ranges, by id; NULL: their own. Not for
 * leaves. */
Interval ptx_sym_range(const Symbols *s, SymId id, const Interval *ranges);

/* For people: infix, `/` rounds towards zero, conversions are not shown. Appended to text of
 * size bytes; false where it does not fit. tight: parentheses around all but a name, a number
 * or a call. */
bool ptx_sym_print(const Symbols *s, SymId id, bool tight, char *text, size_t size);

/* "is loaded from memory", ...: the first reason found below id; NULL where all is known. */
const char *ptx_sym_why(const Symbols *s, SymId id);

/* Compares two SymId for qsort and bsearch. */
static inline int ptx_sym_by_id(const void *a, const void *b)
{
    SymId x = *(const SymId *)a, y = *(const SymId *)b;
    return (x > y) - (x < y);
}

#endif
