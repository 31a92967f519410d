#include "analysis/access/divergence.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/loop_invariance.h"
#include "analysis/sim/count.h"
#include "analysis/sim/guess.h"
#include "ir/insn.h"
#include "support/diag.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

/* instructions and edges that are looked at */
enum { WORK_FLOOR = 1 << 20, WORK_PER_INSN = 64 };

struct DivergenceCosts {
    Arena *arena;
    const Evaluation *evaluation;
    FuncFlow flow;
    uint32_t *seen;             /* per block: the last region that it was in */
    BlockId *stack, *region;
    uint32_t region_count, number;
    double slots;               /* of the kernel */
    uint64_t work;              /* left */
};

DivergenceCosts *ptx_divergence_new(Arena *arena, const Evaluation *evaluation,
                                    const FuncFlow *flow)
{
    const uint32_t block_count = flow->cfg->block_count;
    DivergenceCosts *costs = ptx_arena_new(arena, DivergenceCosts);
    *costs = (DivergenceCosts){ .arena = arena, .evaluation = evaluation,
                                .flow = *flow };
    costs->seen = ptx_arena_array(arena, uint32_t, block_count);
    costs->stack = ptx_arena_array(arena, BlockId, block_count + 1);
    costs->region = ptx_arena_array(arena, BlockId, block_count + 1);
    costs->work = WORK_FLOOR + (uint64_t)WORK_PER_INSN * flow->func->insn_count;
    for (InsnId i = 0; i < flow->func->insn_count; i++)
        costs->slots += evaluation->insns[i].total->warps;
    return costs;
}

enum { BOTH_SIDES = -1 };

/* Blocks on the ways from a branch to where they meet: on all of them, or by one successor alone.
 * False: too much work. */
static bool find_region(DivergenceCosts *costs, BlockId from, int side)
{
    uint32_t count = 0;
    costs->number++;
    costs->region_count = 0;
    costs->stack[count++] = from;
    while (count) {
        BlockId at = costs->stack[--count];
        const Block *block = &costs->flow.cfg->blocks[at];
        uint64_t work = (uint64_t)block->succ_count + (block->end - block->first);
        if (work >= costs->work)
            return false;
        costs->work -= work;
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = costs->flow.cfg->succs[block->succ_first + e];
            bool is_other_side = at == from && side != BOTH_SIDES && e != (uint32_t)side;
            if (is_other_side || to == EXIT_BLOCK || to == costs->flow.dom->ipdom[from]
                || to == from || costs->seen[to] == costs->number)
                continue;
            costs->seen[to] = costs->number;
            costs->region[costs->region_count++] = to;
            costs->stack[count++] = to;
        }
    }
    return true;
}

/* What one lane does for its warp is meant so. */
static double wasted_in_block(const DivergenceCosts *costs, BlockId block, double density)
{
    const Block *run = &costs->flow.cfg->blocks[block];
    double wasted = 0;
    for (InsnId i = run->first; i < run->end; i++) {
        const Count *count = costs->evaluation->insns[i].total;
        double needed = count->lanes / density;
        bool is_elected = count->lanes <= count->warps;
        wasted += !is_elected && count->warps > needed ? count->warps - needed : 0;
    }
    return wasted;
}

static double wasted_on(DivergenceCosts *costs, BlockId block, const Count *branch, int side)
{
    double wasted = 0;
    if (!find_region(costs, block, side))
        return UNKNOWN;
    for (uint32_t i = 0; i < costs->region_count; i++)
        wasted += wasted_in_block(costs, costs->region[i], branch->lanes / branch->warps);
    return wasted;
}

#define LIGHT 0.25              /* of what the other side costs */

/* A bound that cuts off the first or the last lanes of a warp, which then have nothing to do: the
 * end of an array, the last round of a loop that a warp or a block strides through. They lie side
 * by side already. */
static bool is_bound(DivergenceCosts *costs, BlockId block, const Count *branch)
{
    if (branch->edged < branch->divergent || costs->flow.cfg->blocks[block].succ_count != 2)
        return false;
    double a = wasted_on(costs, block, branch, 0), b = wasted_on(costs, block, branch, 1);
    return fmin(a, b) <= LIGHT * fmax(a, b);
}

static double wasted_slots(DivergenceCosts *costs, BlockId block, const Count *branch)
{
    if (!(branch->divergent > 0) || is_bound(costs, block, branch))
        return 0;
    return wasted_on(costs, block, branch, BOTH_SIDES);
}

static bool is_guessed_loop(const Evaluation *evaluation, LoopId loop)
{
    bool is_found = evaluation->guessed_count == MAX_GUESSED;   /* not all are listed */
    for (uint32_t i = 0; i < evaluation->guessed_count; i++)
        is_found |= evaluation->guessed[i].loop == loop;
    return is_found;
}

static bool is_same_each_turn(const FuncFlow *flow, const Insn *branch, LoopId loop)
{
    const Operand *operands = ptx_insn_operands(flow->func, branch);
    bool is_same = branch->guard == NO_ID
                   || ptx_loop_keeps_reg(flow, flow->defs, branch->guard, loop);
    for (uint32_t o = 0; o < branch->operand_count; o++)
        is_same &= operands[o].kind != OPERAND_REG
                   || ptx_loop_keeps_reg(flow, flow->defs, operands[o].id, loop);
    return is_same;
}

/* The turns of a loop that were run say nothing of those that a guess leaves out. */
static bool rests_on_guess(DivergenceCosts *costs, BlockId block)
{
    FuncFlow *flow = &costs->flow;
    const Insn *branch = &flow->func->insns[flow->cfg->blocks[block].end - 1];
    const Loops *loops = flow->loops;
    if (!costs->evaluation->guessed_count)
        return false;
    if (!flow->defs)
        flow->defs = ptx_defs_compute(costs->arena, flow->func, flow->cfg, loops);
    for (LoopId l = loops->loop_of[block]; l != NO_LOOP; l = loops->loops[l].parent)
        if (is_guessed_loop(costs->evaluation, l) && !is_same_each_turn(flow, branch, l))
            return true;
    return false;
}

DivergenceCost ptx_divergence_measure(DivergenceCosts *costs, BlockId block)
{
    const Evaluation *evaluation = costs->evaluation;
    const Count *branch = evaluation->insns[costs->flow.cfg->blocks[block].end - 1].total;
    if (!(branch->warps > 0) || evaluation->is_cut || branch->doubt >= UNCERTAIN_DATA
        || (branch->divergent > 0 && rests_on_guess(costs, block)))
        return (DivergenceCost){ UNKNOWN, UNKNOWN, UNKNOWN, CERTAINTY_ESTIMATE };
    bool is_exact = !branch->doubt && !evaluation->block_is_assumed && evaluation->is_whole;
    double wasted = wasted_slots(costs, block, branch);
    return (DivergenceCost){ 100 * branch->divergent / branch->warps, wasted,
                             100 * wasted / costs->slots,
                             is_exact ? CERTAINTY_EXACT : CERTAINTY_ESTIMATE };
}
