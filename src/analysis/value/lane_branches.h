/* lane_branches.h -- branches whose condition is computed from %tid or %laneid, by what registers
 * are written from: cheap, and enough for most barriers. must_diverge.h says more of the rest. */
#ifndef PTX_ANALYSIS_VALUE_LANE_BRANCHES_H
#define PTX_ANALYSIS_VALUE_LANE_BRANCHES_H

#include "analysis/flow/types.h"
#include "support/arena.h"

/* Per block: whether the condition of the branch that ends it is computed from %tid or %laneid.
 * Where it is not, the branch has no mark of must_diverge.h, and nothing is marked by it. True
 * where in doubt. Owned by arena. */
const bool *ptx_lane_branches_compute(Arena *arena, Arena *scratch, const Func *func,
                                      const Cfg *cfg);

#endif
