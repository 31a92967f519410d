/* Facts of warps whose lanes diverge: blocks that some lanes bypass, conditions, and the cost. */
#include "rules/facts/facts.h"
#include "analysis/access/divergence.h"
#include "analysis/value/must_diverge.h"
#include "ir/func.h"
#include "session/session.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"

/* A branch by the lane whose ways meet again, not before it. */
static bool diverges(const Cfg *cfg, const Dom *dom, const bool *is_by_lane, BlockId block)
{
    BlockId join = dom->ipdom[block];
    return is_by_lane[block] && cfg->blocks[block].succ_count > 1 && join != EXIT_BLOCK
           && !ptx_dom_dominates(dom, join, block);
}

/* Per block: whether it lies between a conditional branch by the lane that dominates it and that
 * branch's immediate post-dominator: only there can a part of a warp be known to be elsewhere.
 * Spares most functions the evaluation of their branches. Down the dominator tree: each such branch
 * counts behind it, until its ways meet. */
static const bool *conditional_of(FactCache *q)
{
    const Cfg *cfg = q->cfg;
    if (q->is_conditional)
        return q->is_conditional;
    const Dom *dom = ptx_session_dom(q->session);
    const bool *is_by_lane = ptx_session_lane_branches(q->session);
    bool *out = ptx_arena_array(q->arena, bool, cfg->block_count + 1);
    ArenaMark mark = ptx_arena_mark(q->shared->scratch);
    /* such branches */
    uint32_t *inside = ptx_arena_array(q->shared->scratch, uint32_t, cfg->block_count + 1);
    /* those whose ways meet here */
    uint32_t *meeting = ptx_arena_array(q->shared->scratch, uint32_t, cfg->block_count + 1);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r];
        if (diverges(cfg, dom, is_by_lane, block)
            && ptx_dom_dominates(dom, block, dom->ipdom[block]))
            meeting[dom->ipdom[block]]++;
    }
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r], above = dom->idom[block];
        if (above == EXIT_BLOCK)
            continue;
        inside[block] = inside[above] + diverges(cfg, dom, is_by_lane, above) - meeting[block];
        out[block] = inside[block] > 0;
    }
    ptx_arena_release(q->shared->scratch, mark);
    return q->is_conditional = out;
}

/* Whether a way leads from a branch to a block that it dominates before the branch's ways meet. */
static bool is_between(const Dom *dom, BlockId branch, BlockId block)
{
    const BlockId join = dom->ipdom[branch];
    return join != EXIT_BLOCK
           && !(ptx_dom_dominates(dom, branch, join) && ptx_dom_dominates(dom, join, block));
}

/* Whether a branch above the block, whose ways have not met again, parts a warp by itself: only
 * then is it worth asking which lanes come there. */
static bool may_diverge(FactCache *q, BlockId block)
{
    enum { MOST_ABOVE = 64 };   /* beyond, ask */
    const Dom *dom = ptx_session_dom(q->session);
    const bool *is_by_lane = ptx_session_lane_branches(q->session);
    uint32_t seen = 0;
    for (BlockId above = dom->idom[block]; above != EXIT_BLOCK; above = dom->idom[above])
        if (++seen > MOST_ABOVE
            || (is_by_lane[above] && is_between(dom, above, block)
                && ptx_lane_splits_may(ptx_session_lane_splits(q->session), above)))
            return true;
    return false;
}

static Certainty split_certainty(FactCache *q)
{
    return ptx_session_must_diverge(q->session)->is_assumed ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
}

double ptx_measure_split(FactCache *q, BlockId block, Certainty *certainty)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    if (!conditional_of(q)[block] || !may_diverge(q, block)
        || ptx_session_must_diverge(q->session)->by[block] == NO_ID)
        return 0;
    *certainty = split_certainty(q);
    return 1;
}

double ptx_measure_splits_warp(FactCache *q, BlockId block, Certainty *certainty)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    *certainty = CERTAINTY_EXACT;
    if (!ptx_session_lane_branches(q->session)[block])
        return 0;
    *certainty = split_certainty(q);
    return ptx_session_must_diverge(q->session)->splits[block];
}

double ptx_measure_condition(FactCache *q, BlockId block, FactId fact, Certainty *certainty)
{
    const Affine *condition = &ptx_session_uniforms(q->session)->branches[block];
    bool is_known = condition->uniformity && condition->uniformity != UNIFORMITY_UNKNOWN;
    *certainty = condition->is_assumed ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
    if (fact == FACT_BRANCH_condition)
        return is_known ? condition->uniformity : UNKNOWN;
    return is_known ? !ptx_affine_is_uniform(*condition) : UNKNOWN;
}

double ptx_measure_divergence_cost(FactCache *q, const Subjects *s, FactId fact,
                                   Certainty *certainty)
{
    DivergenceCosts *costs = ptx_session_divergence(q->session);
    if (!costs)
        return UNKNOWN;
    DivergenceCost cost = ptx_divergence_measure(costs, s->block);
    *certainty = fact == FACT_BRANCH_divergent ? cost.certainty : CERTAINTY_ESTIMATE;
    return fact == FACT_BRANCH_divergent ? cost.percent : cost.wasted_percent;
}
