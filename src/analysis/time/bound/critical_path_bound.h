/* critical_path_bound.h -- what a launch takes at least for results that need each other.
 *
 * A loop of one basic block that hands a register on to itself goes round no faster than the
 * instructions between: floating point, which is not reordered, loads out of the nearest cache,
 * shuffles. What ptxas may do otherwise counts nothing: integers, moves, products that a sum takes
 * in. A warp makes the mean of all rounds at least, if not this one then another; and warps that do
 * not fit the SMs at once follow each other. */
#ifndef PTX_ANALYSIS_TIME_CRITICAL_PATH_BOUND_H
#define PTX_ANALYSIS_TIME_CRITICAL_PATH_BOUND_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Arena Arena;

typedef struct PathBoundInput {
    const bool *are_sure;       /* per block: ptx_path_bound_sure */
    const bool *are_counting;   /* per instruction: ptx_path_bound_counting */
    const bool *needed;         /* per instruction: ptx_needed_compute; for counting */
    const Gpu *gpu;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Evaluation *evaluation;
    double blocks, warps_per_block;
} PathBoundInput;

/* Per block: whether each execution that was counted is one, whatever data say: not behind a branch
 * that they decide, nor in a loop that they end. are_sure is not asked for. Owned by arena. */
const bool *ptx_path_bound_sure(Arena *arena, const PathBoundInput *input);

/* Per instruction: whether it does all that was counted of it in every run: something needs it, its
 * block is sure and no guard of it comes from data. are_sure is asked for. Owned by arena. */
const bool *ptx_path_bound_counting(Arena *arena, const PathBoundInput *input);

/* Microseconds; scratch is left as found. */
double ptx_path_bound_chain_us(Arena *scratch, const PathBoundInput *input);

/* Atomics whose addresses are known, on as many slices of L2 as their array can lie on. */
double ptx_path_bound_atomic_us(const PathBoundInput *input);

#endif
