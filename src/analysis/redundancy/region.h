/* region.h -- where a warp blocks: at barriers, and where a value is first used that a long-latency
 * load brings. Loads that are issued before any of them is used block once, together.
 *
 * Ryoo et al., "Program Optimization Space Pruning for a Multithreaded GPU" (CGO 2008), section 4:
 * regions are the intervals of executed instructions between these, the beginning and the end.
 * Loads of global, local and generic memory and of textures are long; those of shared and constant
 * memory are not. Values that are not used in their block count at its end. */
#ifndef PTX_ANALYSIS_REDUNDANCY_REGION_H
#define PTX_ANALYSIS_REDUNDANCY_REGION_H

#include "analysis/flow/func_flow.h"
#include "support/arena.h"

#include <stdint.h>

/* Per block: how often one execution of it blocks. In scratch. */
const uint32_t *ptx_region_count(Arena *scratch, const Func *func, const Cfg *cfg);

#endif
