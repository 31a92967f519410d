/* ssa.h -- the value of a register at a place, as a symbolic expression, on demand.
 *
 * PTX registers are not in static single assignment form: a phi is a mov before a loop and an
 * update inside. A question is answered by following the reaching definitions backwards as Braun et
 * al., "Simple and Efficient Construction of Static Single Assignment Form" (CC 2013) do, with memo
 * tables; a join of two paths that a branch decides is a selection, a register that a loop changes
 * is SYM_PHI at the loop's head, and what is read behind the loop is SYM_EXIT. What cannot be
 * followed is SYM_OPAQUE and says why.
 *
 * The parameters of a kernel and the .const space do not change while it runs (PTX ISA, "Kernel
 * Function Parameters", "Constant State Space"). */
#ifndef PTX_ANALYSIS_VALUE_SSA_H
#define PTX_ANALYSIS_VALUE_SSA_H

#include "analysis/flow/types.h"
#include "analysis/flow/func_flow.h"
#include "analysis/value/symbolic.h"

typedef struct Launch Launch;

typedef struct Ssa Ssa;

typedef struct Phi {
    SymId start;                /* when the loop is entered */
    /* at the end of an iteration, in terms of the phis at its beginning */
    SymId next;
} Phi;

/* Owned by arena. launch may be NULL. steps bounds the work of all questions together. */
Ssa *ptx_ssa_new(Arena *arena, const FuncFlow *flow, const Launch *launch, uint64_t steps);

Symbols *ptx_ssa_symbols(const Ssa *r);

/* Whether a budget is spent: answers since then mean nothing. */
bool ptx_ssa_is_spent(const Ssa *r);

/* Takes count steps of the budget; false: it is spent. */
bool ptx_ssa_spend(Ssa *r, uint64_t count);

/* Of a SYM_PHI. */
Phi ptx_ssa_phi(Ssa *r, SymId phi);

/* A register as an instruction finds it. */
SymId ptx_ssa_value_before(Ssa *r, RegId reg, InsnId insn);

/* Whether an instruction runs, by its guard: a predicate; 1 without a guard. */
SymId ptx_ssa_guard(Ssa *r, InsnId insn);

/* Whether a loop, its inner ones included, holds a block. */
bool ptx_ssa_holds(const Ssa *r, LoopId loop, BlockId block);

/* Threads of a block and blocks of the grid, per component; 0: not known. */
void ptx_ssa_shape(const Ssa *r, uint32_t block[3], uint32_t grid[3]);

#endif
