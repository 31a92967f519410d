/* fp64_trips.h -- fp64 between fp32: what was widened, computed on, and rounded back.
 *
 * A value is what its definitions make it, over all paths. Those that meet, as of the two sides of
 * a branch, are followed, and so are the bits of an fp64 value where integers take them apart and
 * put them together, and what a function of the module makes of its arguments alone: pow(x, 2.0)
 * of a float x is all that. What a loop makes of its own value is not followed: a loop that
 * accumulates in fp64 means it. */
#ifndef PTX_ANALYSIS_REDUNDANCY_FP64_TRIPS_H
#define PTX_ANALYSIS_REDUNDANCY_FP64_TRIPS_H

#include "analysis/flow/func_flow.h"
#include "support/arena.h"

#include <stdbool.h>

/* Per instruction: it narrows to fp32 what fp64 arithmetic made of widened fp32 values and
 * constants alone. calls may be NULL: then no call is followed. Owned by arena; scratch, another
 * arena, is left as found. */
const bool *ptx_fp64_trips_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                   const CallGraph *calls);

#endif
