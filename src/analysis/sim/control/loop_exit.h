/* loop_exit.h -- how often lanes are taken to stay in a loop that data make them leave.
 *
 * What was loaded is unknown, so these are guesses about programs. A compare-and-swap succeeds
 * unless another thread comes in between: lanes leave at once. Numbers are seldom equal (Ball and
 * Larus, "Branch Prediction for Free", PLDI 1993): lanes that stay as long as they are stay for a
 * few iterations only. Where a counter ends the loop too, a warp goes on until the last of its
 * lanes is done, mostly until the counter ends it. Else they stay for a few. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_LOOP_EXIT_H
#define PTX_ANALYSIS_SIM_CONTROL_LOOP_EXIT_H

#include "analysis/sim/machine.h"

typedef enum LoopExit {
    LOOP_EXIT_UNKNOWN,
    LOOP_EXIT_NONE,
    LOOP_EXIT_FEW,
    LOOP_EXIT_LONG,
    LOOP_EXIT_DATA
} LoopExit;

/* Whether an instruction is in the loop, or in one inside it. */
bool ptx_loop_has(const FuncState *func_state, LoopId loop, InsnId insn);

/* Of a branch that some lanes leave a loop by: 1 where staying is to take it, -1 where it is to
 * fall through; 0: no such branch. */
int ptx_loop_exit_side(const FuncState *func_state, InsnId branch, InsnId target);

/* Whether a branch compares a register that a constant was added to. */
bool ptx_loop_exit_counts(const Func *func, InsnId branch);

/* Of a loop that ends where a counter passes data, as a list does: its step; 0: of no such. */
uint64_t ptx_loop_exit_list_step(const Func *func, InsnId branch);

/* Per loop: how far an index goes in an iteration, the one that goes furthest; 1: none is seen, or
 * lanes never meet (guess.h); 0: a block meets at a barrier in it: such blocks share longer lists.
 * Owned by arena. */
const uint64_t *ptx_loop_exit_steps(Arena *arena, const FuncState *func_state);

/* For such a branch. */
LoopExit ptx_loop_exit_find(const FuncState *func_state, InsnId branch, InsnId target);

#endif
