/* critical_path.h -- how long one warp takes from entry to exit when nothing but its own
 * dependences holds it up.
 *
 * Machine instructions of a basic block start when what they read is there (those of one expansion
 * one after the other), no earlier than the block, in any order but for memory: an access stays
 * behind a store to its space, everything behind a barrier. The next block starts when all have
 * issued, but for predicated sides and what is behind them: ptxas makes one block of these; so does
 * the next iteration of a loop, behind the branch back. Divisions, roots and the like take what was
 * measured of their whole sequence (sequences.def). Of iterations that ptxas
 * joins, loads go ahead of what the iterations before them compute, as far as registers go: looked
 * at in what ptxas 13.0 makes of sums, products and searches for sm_90. Blocks are walked once in
 * reverse postorder, those of nested loops again, and each innermost loop's own twice more: what an
 * iteration takes then is what it goes on to take. Executions are those of the warp that runs a
 * block most often.
 *
 * A loop whose warps wait for each other, for copies or for matrix products goes in steps. There
 * the work of the block's other warps counts as well: no step is shorter than what all of them take
 * of any pipeline, and a tile is there when the last of its bytes is. A wait for a group of copies
 * or products takes what is left of their time, so such a loop is walked until all of its stages
 * have come around. */
#ifndef PTX_ANALYSIS_TIME_CRITICAL_PATH_CRITICAL_PATH_H
#define PTX_ANALYSIS_TIME_CRITICAL_PATH_CRITICAL_PATH_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Evaluation Evaluation;
typedef struct Latencies Latencies;
typedef struct Lowered Lowered;
typedef struct Sequence Sequence;
typedef struct Arena Arena;
typedef struct Gpu Gpu;
typedef struct OpCycles OpCycles;

/* Tiles that the warps of a block bring in together: clocks until the first of their bytes comes,
 * and for each sector from then on. */
typedef struct TileClocks {
    double copy;                /* cp.async, cp.async.bulk */
    /* into registers, at least: a warp that waits for the others waits for the far part of L2 */
    double load;
    double sector;
} TileClocks;

typedef struct CriticalPathInput {
    const Gpu *gpu;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Lowered *lowered;
    const Evaluation *evaluation;
    const Latencies *latencies;
    const float *load_clocks;   /* per instruction of the function: of a load of global memory */
    const bool *are_left_out;   /* per loop: what it takes is not asked for; NULL: none */
    const Sequence *sequences;  /* per instruction of the function, for the GPU */
    const bool *are_left_apart; /* per loop: PredictFacts's */
    const OpCycles *ops;        /* of the GPU */
    TileClocks tiles;
    double blocks, warps_per_block;
    double registers;           /* of a thread */
    double missed_clocks;       /* of a load of global memory that L1 does not serve */
    bool products_are_serial;   /* a warp waits for each wgmma */
    /* per instruction of the function: what of the clocks it makes a warp wait; in all the clocks,
     * but for the prologue. NULL: not wanted */
    double *waits;
} CriticalPathInput;

typedef struct CriticalPath {
    double clocks;              /* of a warp that a block waits for, on average over the blocks */
    /* of the one that the launch waits for: a block may have more to do than all others */
    double longest_clocks;
    /* of clocks, the share in steps: what the block's own work takes of any pipeline is in it */
    double step_share;
    double turn_bytes;          /* that a block loads in a step in which it stores too; or 0 */
} CriticalPath;

CriticalPath ptx_critical_path_compute(Arena *scratch, const CriticalPathInput *input);

#endif
