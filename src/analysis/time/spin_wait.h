/* spin_wait.h -- loops in which a thread asks memory again and again until another block has
 * written there.
 *
 * Such a loop is innermost and short, stores nothing, and its test rests on what it loads, past L1,
 * from an address that it does not change. How often it goes round says nothing; how long it takes
 * depends on who is waited for. Where all blocks ask for one place, all of them have to come: a
 * barrier of the grid. Where the place depends on the block, and the block has published nothing
 * before, each waits for another one: a chain through the whole grid, which goes on with the next
 * round behind it. A lock, a number that is swapped for another until that succeeds, goes from warp
 * to warp: where it is one for all, they come one after the other. */
#ifndef PTX_ANALYSIS_TIME_SPIN_WAIT_H
#define PTX_ANALYSIS_TIME_SPIN_WAIT_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Arena Arena;

typedef struct SpinWait {
    const bool *loops;          /* per loop: it waits for other blocks; NULL: none does */
    double us;                  /* of the launch */
} SpinWait;

typedef struct SpinWaitInput {
    const Gpu *gpu;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Evaluation *evaluation;
    double warps_per_block, blocks_per_sm;
} SpinWaitInput;

/* Owned by arena. */
SpinWait ptx_spin_wait_find(Arena *arena, const SpinWaitInput *in);

#endif
