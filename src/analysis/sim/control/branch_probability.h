/* branch_probability.h -- how many of the lanes that may be somewhere are there as a rule, where
 * branches turn on data.
 *
 * The machine runs both sides of a branch whose lanes are unknown, each with all of them. A side
 * that is rare (rare_branch.h, flag_branch.h) is taken for empty. Else each lane is taken to be on
 * one side, or every second one on the only side that there is. All of it is an estimate. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_BRANCH_PROBABILITY_H
#define PTX_ANALYSIS_SIM_CONTROL_BRANCH_PROBABILITY_H

#include "analysis/sim/machine.h"

/* Of a branch that turns on data: 1: hardly a lane takes it, -1: hardly one does not, 0:
 * neither. */
int ptx_branch_side(const FuncState *func_state, InsnId branch);

/* Fills in the shares of a function's instructions. scratch is left as found. */
void ptx_branch_probability_compute(Arena *scratch, const FuncState *func_state, Evaluated *insns);

#endif
