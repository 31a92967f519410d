/* low_bits.h -- the low bits of registers that ptxas knows, by which it joins accesses.
 *
 * Congruences as in Granger, "Static Analysis of Arithmetical Congruences" (1989), of powers of
 * two. Where several definitions of a register meet, as of what a loop moves on, ptxas knows what
 * divides all of them and no more: of 20, 52, 84 ... that 4 does, not that 16 leaves 4. Of a loop
 * that it unrolls whole nothing meets (ptxas 13.0, windows of floats in shared memory that begin 4
 * to 64 bytes apart). */
#ifndef PTX_ANALYSIS_SASS_LOW_BITS_H
#define PTX_ANALYSIS_SASS_LOW_BITS_H

#include "analysis/flow/func_flow.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Unrolling Unrolling;

typedef struct LowBits {
    uint8_t known;              /* so many bits, the lowest */
    uint32_t value;             /* they are these */
} LowBits;

/* Per register; arena's. unrolled: per loop; NULL: any may be unrolled whole. *is_settled: nothing
 * was given up. */
const LowBits *ptx_low_bits_compute(Arena *arena, const FuncFlow *flow, const Unrolling *unrolled,
                                    bool *is_settled);

#endif
