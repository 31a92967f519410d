/* recurrence.h -- how often a comparison of two linear sequences holds before it first fails, in
 * machine arithmetic.
 *
 * x(k) = a + k * a_step and y(k) = b + k * b_step, modulo 2^width. Asked is the least k >= 0 for
 * which `x(k) kind y(k)` is false. Equality is solved modulo 2^width. For an order the answer is
 * given only where neither sequence wraps around before, as the closed form assumes; where one
 * might, there is none. */
#ifndef PTX_ANALYSIS_TRIPS_RECURRENCE_H
#define PTX_ANALYSIS_TRIPS_RECURRENCE_H

#include "analysis/value/interval.h"

#define FOREVER UINT64_MAX

typedef enum Solved {
    SOLVED_NOT,                 /* why says what is wrong */
    /* nothing sound to say of intervals that wide; smaller ones may do */
    SOLVED_WIDE,
    SOLVED                      /* min..max; FOREVER: it never fails */
} Solved;

typedef struct Solution {
    Solved status;
    uint64_t min, max;
    const char *why;
} Solution;

/* SYM_EQ ... SYM_LE_S of single values. */
Solution ptx_recurrence_solve_values(SymKind kind, unsigned width, uint64_t a, uint64_t a_step,
                                     uint64_t b, uint64_t b_step);

/* An order with values out of intervals, each alone. */
Solution ptx_recurrence_solve_order(SymKind kind, unsigned width, const Interval *a,
                                    const Interval *a_step, const Interval *b,
                                    const Interval *b_step);

/* x != y, from the intervals of b - a and of a - b. is_multiple: both are multiples of the relative
 * step's magnitude. */
Solution ptx_recurrence_solve_unequal(unsigned width, const Interval *ahead, const Interval *behind,
                                      const Interval *step, bool is_multiple);

#endif
