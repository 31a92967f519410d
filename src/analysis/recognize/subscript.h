/* subscript.h -- what an access's address is in the indices of loops and of the grid.
 *
 * An address (ssa.h) is a sum of products of at most one index: %tid, %ctaid, the iterations of a
 * loop around it, times what is the same in all of them. The register that a loop steps is its
 * start and its step times the iterations. Sums are taken not to overflow, so that extensions and
 * truncations are looked through. What is no such product is a term of its own: TERM_DATA where it
 * rests on what a load or an atomic gave, else TERM_OTHER. Private to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_SUBSCRIPT_H
#define PTX_ANALYSIS_RECOGNIZE_SUBSCRIPT_H

#include "analysis/value/ssa.h"

#include <stdbool.h>

enum { MAX_SUBSCRIPT_TERMS = 12 };

typedef enum TermKind {
    TERM_FIXED,                 /* the same in all iterations and threads */
    TERM_THREAD,                /* id: the component of %tid */
    TERM_CTA,                   /* id: the component of %ctaid */
    TERM_LOOP,                  /* id: LoopId, its iterations */
    TERM_DATA,                  /* id: SymId; rests on memory */
    TERM_OTHER                  /* id: SymId */
} TermKind;

/* factor * by * index */
typedef struct SubscriptTerm {
    uint8_t kind;               /* TermKind */
    uint32_t id;
    SymId by;                   /* 0: 1 */
    int64_t factor;
} SubscriptTerm;

typedef struct Subscript {
    SubscriptTerm terms[MAX_SUBSCRIPT_TERMS];
    uint32_t count;
    bool is_lost;               /* there are too many terms */
    int64_t constant;           /* bytes */
    uint64_t array;             /* variable or parameter that it counts from; 0: not known */
} Subscript;

/* A key for a variable, or for what the parameter holds at that offset, and back. */
static inline uint64_t ptx_subscript_array(VarId var, uint64_t offset)
{
    return ((uint64_t)var + 1) << 16 | (offset & 0xffff);
}

static inline VarId ptx_subscript_var(uint64_t array)
{
    return (VarId)((array >> 16) - 1);
}

typedef struct SubscriptReader {
    Ssa *ssa;
    const Func *func;
    const Defs *defs;
    const uint8_t *marks;       /* per instruction: MARK_ bits, recognizer.h */
    unsigned steps;             /* left, of the address in hand */
    unsigned depth;
} SubscriptReader;

static inline uint64_t ptx_subscript_magnitude(int64_t bytes)
{
    return bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
}

/* Of an address operand of an instruction. */
void ptx_subscript_read(SubscriptReader *r, InsnId insn, const Operand *address, Subscript *out);

/* Whether they have the same terms; *apart: the bytes from a to b. */
bool ptx_subscript_is_apart(const Subscript *a, const Subscript *b, int64_t *apart);

/* b - a; lost where that has too many terms. */
void ptx_subscript_difference(const Subscript *a, const Subscript *b, Subscript *out);

/* The term of an index; NULL: there is none, or several. */
const SubscriptTerm *ptx_subscript_term(const Subscript *of, TermKind kind, uint32_t id);

#endif
