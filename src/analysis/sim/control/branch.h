/* branch.h -- where the lanes of a warp go: branches, jump tables, exits; where those that diverge
 * reconverge, and what is unknown behind a branch whose condition is. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_BRANCH_H
#define PTX_ANALYSIS_SIM_CONTROL_BRANCH_H

#include "analysis/sim/machine.h"

/* Iterations of a loop that lanes stay in where that rests on an assumption: SimConfig.most_stays,
 * if it is not changed. */
enum { ASSUMED_STAYS = 64 };

/* taken: lanes that branch; maybe: those of which it is unknown. */
void ptx_branch_run(Machine *m, Warp *w, const Insn *insn, uint32_t taken, uint32_t maybe,
                    bool is_assumed);
/* brx.idx */
void ptx_branch_run_indexed(Machine *m, Warp *w, const Insn *insn, uint32_t lanes);

/* Lanes that are done with the function, or with the kernel. */
void ptx_lanes_retire(Warp *w, uint32_t lanes, bool exits);

/* What was written in a region is not known in the lanes that may not have been there. */
void ptx_region_end(Machine *m, Warp *w, const Entry *entry, uint32_t lanes);

#endif
