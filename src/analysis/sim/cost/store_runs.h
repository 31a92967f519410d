/* store_runs.h -- stores of a function behind each other, with nothing between them that a warp
 * waits for: L1 sends on together what a warp stores to one sector in such a run. */
#ifndef PTX_ANALYSIS_SIM_COST_STORE_RUNS_H
#define PTX_ANALYSIS_SIM_COST_STORE_RUNS_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdint.h>

/* Per instruction: the run it lies in, from 1 on. */
const uint32_t *ptx_store_runs_compute(Arena *arena, const Func *func, const Cfg *cfg);

#endif
