/* interval.h -- the operations of symbolic values, on numbers and on intervals of numbers.
 *
 * Interval analysis (Cousot and Cousot, POPL 1977) over machine integers of 1 to 64 bits: an
 * interval is the product of an unsigned and a signed one of the same bits. An operation that may
 * leave the width gives the full interval; on single values every operation is exact, wrap-around
 * included. Shifts, division and comparison are those of the PTX ISA, "Integer Arithmetic
 * Instructions", "Logic and Shift Instructions" and "Comparison and Selection Instructions". */
#ifndef PTX_ANALYSIS_VALUE_INTERVAL_H
#define PTX_ANALYSIS_VALUE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* What a symbolic value is: symbolic.h. */
typedef enum SymKind {
    SYM_NONE,
    SYM_CONST,    /* value */
    SYM_PARAM,    /* a: VarId; value: byte offset */
    SYM_CONSTANT, /* variable in .const; the same */
    SYM_SREG,     /* a: SregId; b: component 0..2 */
    SYM_ADDRESS,  /* a: VarId, its address */
    /* not followed further; a: SymWhy; b: RegId, NO_ID; value: distinguishes it from others */
    SYM_OPAQUE,
    /* a: LoopId; b: RegId: the register's value at the head of the loop, in the current iteration
     * */
    SYM_PHI,
    SYM_ITER, /* a: LoopId: iterations complete, modulo 2^width */
    SYM_LAST, /* a: LoopId: the iteration, from 0, in which it is left */
    /* a: LoopId; b: SymId: value in the last iteration of a loop that is left */
    SYM_EXIT,
    SYM_SUM, /* a: first term, b: their count; value: constant */
    SYM_MUL,
    SYM_MULHI_U,
    SYM_MULHI_S,
    SYM_DIV_U,
    SYM_DIV_S,
    SYM_REM_U,
    SYM_REM_S,
    SYM_SHL,
    SYM_SHR_U,
    SYM_SHR_S,
    SYM_AND,
    SYM_OR,
    SYM_XOR,
    SYM_MIN_U,
    SYM_MIN_S,
    SYM_MAX_U,
    SYM_MAX_S,
    SYM_EQ,
    SYM_NE,
    SYM_LT_U,
    SYM_LT_S,
    SYM_LE_U,
    SYM_LE_S,
    SYM_SEXT,
    SYM_ZEXT,
    SYM_TRUNC,  /* a */
    SYM_SELECT, /* a: predicate, b, c */
    /* a: %tid.x, b: %tid.y * %ntid.x, c: %tid.z * %ntid.x * %ntid.y: their sum modulo 32 */
    SYM_LANE,
    SYM__COUNT
} SymKind;

typedef struct Interval {
    uint64_t umin, umax;        /* the bits as an unsigned number */
    int64_t smin, smax;         /* as a signed one */
} Interval;

/* width ones; width: 1..64, here and below */
uint64_t ptx_width_mask(unsigned width);
/* the low width bits, sign extended */
int64_t ptx_width_signed(unsigned width, uint64_t value);
int64_t ptx_width_signed_top(unsigned width);           /* the largest signed number */
bool ptx_width_fits(unsigned width, int64_t value);
unsigned ptx_number_zeros(unsigned width, uint64_t value);      /* low zero bits, at most width */
bool ptx_number_is_power(uint64_t value);

/* SYM_MUL to SYM_LE_S on numbers of the width; a comparison gives 0 or 1. False: the PTX ISA does
 * not define the result. */
bool ptx_number_fold(SymKind kind, unsigned width, uint64_t a, uint64_t b, uint64_t *out);

Interval ptx_interval_full(unsigned width);
Interval ptx_interval_point(unsigned width, uint64_t value);
Interval ptx_interval_unsigned(unsigned width, uint64_t min, uint64_t max);
Interval ptx_interval_signed(unsigned width, int64_t min, int64_t max);
Interval ptx_interval_join(Interval a, Interval b);
Interval ptx_interval_add(unsigned width, Interval a, Interval b);
Interval ptx_interval_scale(unsigned width, Interval a, uint64_t factor);
Interval ptx_interval_truncate(unsigned width, Interval a);     /* from any larger width */
/* SYM_LANE */
Interval ptx_interval_lane(unsigned width, const Interval *x, const Interval *y, const Interval *z);

/* SYM_MUL to SYM_LE_S; width is that of the operands. */
Interval ptx_interval_binary(SymKind kind, unsigned width, const Interval *a, const Interval *b);

static inline bool ptx_interval_is_point(const Interval *a)
{
    return a->umin == a->umax;
}

#endif
