/* flag_branch.h -- branches to code that raises a flag, and does nothing else: for an error, or a
 * match, that hardly a lane finds.
 *
 * The block has one store to global memory, or one atomic of a constant whose result is unused and
 * that makes no difference once it is done (and, or, min, max, exch, cas); at an address that is
 * the same for all threads: a parameter, or so far from one. A counter of all that is found (add,
 * inc) is no flag. That rests on the code alone: the data of a kernel are not known. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_FLAG_BRANCH_H
#define PTX_ANALYSIS_SIM_CONTROL_FLAG_BRANCH_H

#include "analysis/sim/machine.h"

/* As ptx_branch_rare_side: 1: by the branch, -1: by falling through, 0: neither. */
int ptx_branch_flag_side(const FuncState *func_state, InsnId branch);

#endif
