#include "analysis/sim/control/branch_probability.h"

#include "analysis/sim/control/flag_branch.h"
#include "analysis/value/rare_branch.h"

int ptx_branch_side(const FuncState *func_state, InsnId branch)
{
    const int rare = ptx_branch_rare_side(func_state->func, branch);
    return rare ? rare : ptx_branch_flag_side(func_state, branch);
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* Whether lanes stay in a loop by one side of a block and leave it by another, or go around: how
 * often they do is the machine's guess. */
static bool ends_iteration(const FuncState *func_state, BlockId block)
{
    const Block *b = &func_state->cfg->blocks[block];
    LoopId loop = func_state->loops->loop_of[block];
    for (uint32_t e = 0; loop != NO_LOOP && e < b->succ_count; e++) {
        BlockId to = func_state->cfg->succs[b->succ_first + e];
        if (!ptx_loop_holds(func_state->loops, loop, to)
            || to == func_state->loops->loops[loop].header)
            return true;
    }
    return false;
}

/* The one block by which lanes come to this one first; EXIT_BLOCK: several. */
static BlockId only_way_to(const FuncState *func_state, BlockId block)
{
    const Block *b = &func_state->cfg->blocks[block];
    BlockId way = EXIT_BLOCK;
    for (uint32_t p = 0; p < b->pred_count; p++) {
        BlockId pred = func_state->cfg->preds[b->pred_first + p];
        if (ptx_dom_dominates(func_state->dom, block, pred))
            continue;
        if (way != EXIT_BLOCK)
            return EXIT_BLOCK;
        way = pred;
    }
    return way;
}

/* Of the lanes that the machine sent from one block to the next, those that are there as a rule. */
static double share_of_side(const FuncState *func_state, const Evaluated *insns, BlockId from,
                            BlockId to)
{
    const Block *b = &func_state->cfg->blocks[from];
    const InsnId branch = b->end - 1;
    const Insn *insn = &func_state->func->insns[branch];
    const Count *all = insns[branch].total;
    if (b->succ_count != 2 || insn->op->kind != OPK_BRA || !(all->divergent > 0))
        return 1;
    BlockId taken = func_state->cfg->succs[b->succ_first],
            falls = func_state->cfg->succs[b->succ_first + 1], other = to == taken ? falls : taken;
    double here = insns[func_state->cfg->blocks[to].first].total->lanes, there = all->lanes;
    bool is_two_sided = other != EXIT_BLOCK && only_way_to(func_state, other) == from;
    if (is_two_sided)
        there = insns[func_state->cfg->blocks[other].first].total->lanes;
    if (here + there <= all->lanes || here < all->lanes)         /* known; or part of it is */
        return is_two_sided && here + there > all->lanes ? all->lanes / (here + there) : 1;
    int rare = ptx_branch_side(func_state, branch);
    if (rare)
        return (rare > 0) == (to == taken) ? 0 : 1;
    return ends_iteration(func_state, from) ? 1 : all->lanes / (here + there);
}

void ptx_branch_probability_compute(Arena *scratch, const FuncState *func_state, Evaluated *insns)
{
    const Cfg *cfg = func_state->cfg;
    ArenaMark mark = ptx_arena_mark(scratch);
    double *shares = ptx_arena_array(scratch, double, cfg->block_count + 1);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r], way = only_way_to(func_state, block),
                above = way != EXIT_BLOCK ? way : func_state->dom->idom[block];
        shares[block] = above == EXIT_BLOCK ? 1 : shares[above];
        if (way != EXIT_BLOCK)
            shares[block] *= share_of_side(func_state, insns, way, block);
        for (InsnId i = cfg->blocks[block].first; i < cfg->blocks[block].end; i++)
            insns[i].share = (float)shares[block];
    }
    ptx_arena_release(scratch, mark);
}
