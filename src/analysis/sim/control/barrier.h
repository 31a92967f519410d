/* barrier.h -- what a barrier orders, as warps run in turns from one to the next, and what one that
 * reduces a predicate gives back. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_BARRIER_H
#define PTX_ANALYSIS_SIM_CONTROL_BARRIER_H

#include "analysis/sim/machine.h"

/* Numbered barriers, and those of some threads only, order what is written otherwise than the turns
 * in which warps run here. */
void ptx_barrier_note(Machine *m, const Operand *number, bool is_of_some);
void ptx_barrier_wait(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt);
/* To the observer that orders warps, if there is one. */
void ptx_barrier_emit(const Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* All warps of the block have come to the same reduction: they get its result. */
void ptx_barrier_reduce(Machine *m);

#endif
