/* frame.h -- functions as a warp runs them: their state, the frames of calls, the parameters and
 * results that calls pass in registers, and the stack of entries that a frame pushes to. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_FRAME_H
#define PTX_ANALYSIS_SIM_CONTROL_FRAME_H

#include "analysis/sim/machine.h"

/* called: a declaration of it, maybe. NULL: it has no instructions. */
FuncState *ptx_frame_state(Machine *m, FuncId called);

void ptx_entry_push(Machine *m, Warp *w, Entry entry);

/* call: NULL where the kernel begins. */
Frame *ptx_frame_enter(Machine *m, Warp *w, FuncState *func_state, const Insn *call, Entry from);
void ptx_frame_leave(Warp *w);

/* False: what is called does not run; what it gives back is not known. */
bool ptx_frame_call(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* .reg results go back when the last lane has returned from a frame that was left. */
void ptx_frame_return(Machine *m, Warp *w, const Frame *frame, uint32_t lanes);

#endif
