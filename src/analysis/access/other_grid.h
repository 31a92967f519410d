/* other_grid.h -- the evaluation of a launch that differs from one before in its grid alone.
 *
 * With DEPTH_FEW three runs say all: a warp of the first block, one of the last, a block from the
 * middle. They are kept, and a run for many blocks (block_stride.h) then shows for which others
 * they would be the same, but for where in each array they lie: in a larger grid other blocks are
 * the last and the middle one. The last of those is run as well, and has to come to the same.
 * Where all three stand for those of another grid nothing is run but what says how arrays move from
 * block to block; each figure is to the bit what running them would give. */
#ifndef PTX_ANALYSIS_ACCESS_OTHER_GRID_H
#define PTX_ANALYSIS_ACCESS_OTHER_GRID_H

#include "analysis/access/kernel_run.h"

#include <stdint.h>

typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;

typedef struct GridRuns GridRuns;

/* ptx_evaluate with DEPTH_FEW. *runs, in run->work, which is not left as found: what other grids
 * may be asked of, as long as what run names is there; NULL: of none. */
const Evaluation *ptx_evaluate_keeping(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                                       GridRuns **runs);

/* The same launch with another grid; NULL: the runs do not stand for it. */
const Evaluation *ptx_evaluate_other_grid(GridRuns *runs, Arena *arena, Arena *work,
                                          const uint32_t grid[3]);

#endif
