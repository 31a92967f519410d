/* warps_apart.h -- warps that depend on no other: one runs for all that differ from it by a fixed
 * step of %tid, as one block stands for others (block_stride.h). */
#ifndef PTX_ANALYSIS_SIM_WARPS_APART_H
#define PTX_ANALYSIS_SIM_WARPS_APART_H

#include "analysis/sim/machine.h"

/* As long as one stands for others: once it does not, they are taken one by one. */
void ptx_machine_run_apart(Machine *m, FuncState *func_state);

/* What was counted of a run, for each of the warps that it stands for. */
void ptx_machine_sum_counts(Machine *machine, const FuncState *func_state, uint32_t warps);

/* machine.c: in turns, from barrier to barrier. */
void ptx_machine_run_together(Machine *m, FuncState *func_state, uint32_t first_warp,
                              uint32_t warp_count);

#endif
