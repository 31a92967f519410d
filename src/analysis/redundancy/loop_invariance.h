/* loop_invariance.h -- what no iteration of a loop changes, found back from where it is read. */
#ifndef PTX_ANALYSIS_REDUNDANCY_LOOP_INVARIANCE_H
#define PTX_ANALYSIS_REDUNDANCY_LOOP_INVARIANCE_H

#include "analysis/flow/types.h"
#include "analysis/flow/func_flow.h"

#include <stdbool.h>

/* Whether each iteration finds the same value in the register. False where it takes too long. */
bool ptx_loop_keeps_reg(const FuncFlow *flow, const Defs *defs, RegId reg, LoopId loop);

#endif
