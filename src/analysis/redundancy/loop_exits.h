/* loop_exits.h -- where loops are left, so that what each way through a loop executes is known. */
#ifndef PTX_ANALYSIS_REDUNDANCY_LOOP_EXITS_H
#define PTX_ANALYSIS_REDUNDANCY_LOOP_EXITS_H

#include "analysis/flow/func_flow.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;

typedef struct LoopExits {
    /* of the blocks that leave the loop, by their places in a preorder of the dominator tree;
     * first > last: none does */
    uint32_t first, last;
} LoopExits;

/* Per loop; arena's. Of an edge out of more than 64 loops the outer ones do not hear. */
const LoopExits *ptx_loop_exits_compute(Arena *arena, const FuncFlow *flow);

/* Whether every way out of the loop, from its header on, goes through block: of reducible loops. */
bool ptx_loop_exits_are_behind(const FuncFlow *flow, const LoopExits *exits, LoopId loop,
                               BlockId block);

#endif
