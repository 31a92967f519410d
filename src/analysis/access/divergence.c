#include "analysis/access/divergence.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/sim/count.h"
#include "support/diag.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

/* instructions and edges that are looked at */
enum { WORK_FLOOR = 1 << 20, WORK_PER_INSN = 64 };

struct DivergenceCosts {
    const Evaluation *evaluation;
    const Cfg *cfg;
    const Dom *dom;
    uint32_t *seen;             /* per block: the last region that it was in */
    BlockId *stack, *region;
    uint32_t region_count, number;
    double slots;               /* of the kernel */
    uint64_t work;              /* left */
};

DivergenceCosts *ptx_divergence_new(Arena *arena, const Evaluation *evaluation, const Func *func,
                                const Cfg *cfg, const Dom *dom)
{
    DivergenceCosts *costs = ptx_arena_new(arena, DivergenceCosts);
    *costs = (DivergenceCosts){ .evaluation = evaluation, .cfg = cfg, .dom = dom };
    costs->seen = ptx_arena_array(arena, uint32_t, cfg->block_count);
    costs->stack = ptx_arena_array(arena, BlockId, cfg->block_count + 1);
    costs->region = ptx_arena_array(arena, BlockId, cfg->block_count + 1);
    costs->work = WORK_FLOOR + (uint64_t)WORK_PER_INSN * func->insn_count;
    for (InsnId i = 0; i < func->insn_count; i++)
        costs->slots += evaluation->insns[i].total.warps;
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
        const Block *block = &costs->cfg->blocks[at];
        uint64_t work = (uint64_t)block->succ_count + (block->end - block->first);
        if (work >= costs->work)
            return false;
        costs->work -= work;
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = costs->cfg->succs[block->succ_first + e];
            bool is_other_side = at == from && side != BOTH_SIDES && e != (uint32_t)side;
            if (is_other_side || to == EXIT_BLOCK || to == costs->dom->ipdom[from] || to == from
                || costs->seen[to] == costs->number)
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
    double wasted = 0;
    for (InsnId i = costs->cfg->blocks[block].first; i < costs->cfg->blocks[block].end; i++) {
        const Count *count = &costs->evaluation->insns[i].total;
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
    if (branch->edged < branch->divergent || costs->cfg->blocks[block].succ_count != 2)
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

DivergenceCost ptx_divergence_measure(DivergenceCosts *costs, BlockId block)
{
    const Evaluation *evaluation = costs->evaluation;
    const Count *branch = &evaluation->insns[costs->cfg->blocks[block].end - 1].total;
    if (!(branch->warps > 0) || evaluation->is_cut || branch->doubt >= UNCERTAIN_DATA)
        return (DivergenceCost){ UNKNOWN, UNKNOWN, UNKNOWN, CERTAINTY_ESTIMATE };
    bool is_exact = !branch->doubt && !evaluation->block_is_assumed && evaluation->is_whole;
    double wasted = wasted_slots(costs, block, branch);
    return (DivergenceCost){ 100 * branch->divergent / branch->warps, wasted,
                             100 * wasted / costs->slots,
                             is_exact ? CERTAINTY_EXACT : CERTAINTY_ESTIMATE };
}
