/* kept_loops.h -- counted loops whose own instructions are a large part of them, and that ptxas is
 * known to keep as they are (unroll.h). Where that is in doubt a loop is none of them. */
#ifndef PTX_ANALYSIS_SASS_KEPT_LOOPS_H
#define PTX_ANALYSIS_SASS_KEPT_LOOPS_H

#include "analysis/flow/func_flow.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;

enum {
    KEPT_FACTOR = 4,            /* iterations that are to be joined */
    KEPT_TRIPS = 2 * KEPT_FACTOR        /* the fewest, where they are in the code */
};

/* Instructions of PTX that an iteration executes; both 0: nothing is to be gained, or in doubt. */
typedef struct KeptLoop {
    uint32_t instructions;
    uint32_t overhead;          /* of them: count, compare, branch, step addresses */
    /* that is why it is kept; else: its counter is compared before its step */
    bool is_by_shuffle;
} KeptLoop;

/* Per loop. Owned by arena; scratch, another arena, is left as found. */
KeptLoop *ptx_kept_loops_compute(Arena *arena, Arena *scratch, const FuncFlow *flow);

/* What so many iterations execute when they are joined: one set of the overhead. */
static inline uint32_t ptx_kept_loop_joined(KeptLoop loop)
{
    return KEPT_FACTOR * (loop.instructions - loop.overhead) + loop.overhead;
}

#endif
