/* predication.h -- branches as ptxas emits them: short sides predicated, BSSY and BSYNC where warps
 * diverge and reconverge.
 *
 * ptxas 13.0 was asked with sides of n instructions, n from 1 to 24, on sm_75, sm_80 and sm_90
 * (tools/measure-predication.py): one side alone goes under a predicate up to 8 instructions, 6
 * where the condition is the same in all lanes; two sides up to 7 each, 5 there. Atomics, barriers,
 * shuffles, calls and slow paths stay behind a branch; so do loads of global memory whose condition
 * or address waits for such a load; others are let through up to 20, where lanes differ only beside
 * other loads, before, behind or around a loop. Of a loop whose counter goes on by a register, a
 * side that reads what it loads stays behind a branch, however short. */
#ifndef PTX_ANALYSIS_SASS_PREDICATION_H
#define PTX_ANALYSIS_SASS_PREDICATION_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Selection Selection;
typedef struct Arena Arena;

typedef struct Flow {
    BlockId *runs_with;         /* per block: itself, or the block that it is predicated into */
    bool *is_dropped;           /* per block: its last instruction, a branch, is not needed */
    uint8_t *meetings;          /* per block: BSSY and BSYNC that lanes which part here take */
} Flow;

/* place: per row of the selection, the block where it stands. Owned by arena. */
Flow ptx_flow_compute(Arena *arena, const Selection *selection, const Loops *loops,
                      const BlockId *place);

#endif
