/* Facts of loops, basic blocks and branches. */
#include "rules/facts/facts.h"
#include "ir/func.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/sass/unroll.h"
#include "analysis/trips/trip.h"
#include "session/session.h"
#include "support/minmax.h"
#include "analysis/redundancy/mix.h"

/* ---- loops ----------------------------------------------------------------------------------- */

static Certainty trip_certainty(const Trip *trip)
{
    if (trip->is_exact)
        return CERTAINTY_EXACT;
    return trip->is_upper ? CERTAINTY_BOUND : CERTAINTY_ESTIMATE;
}

/* Each block counts in its innermost loop; then every loop in the one around it, which comes before
 * it. */
static double measure_loop_share(FactCache *q, LoopId loop)
{
    const Loops *loops = q->loops;
    if (!q->loop_sums) {
        double *sums = ptx_arena_array(q->arena, double, loops->loop_count + 1);
        for (uint32_t r = 0; r < q->cfg->rpo_count; r++) {
            BlockId block = q->cfg->rpo[r];
            if (loops->loop_of[block] != NO_LOOP)
                sums[loops->loop_of[block]] += ptx_measure_weighted_block(q, block);
        }
        for (LoopId l = loops->loop_count; l-- > 0;)
            if (loops->loops[l].parent != NO_LOOP)
                sums[loops->loops[l].parent] += sums[l];
        q->loop_sums = sums;
    }
    return 100 * q->loop_sums[loop] / ptx_measure_weighted_instructions(q);
}

static bool may_store(const Op *op)
{
    bool is_control = op->kind == OPK_BRA || op->kind == OPK_BRX || op->kind == OPK_RET
                      || op->kind == OPK_EXIT;
    return op->flags & OPF_SIDE_EFFECT && !is_control;
}

static bool has_stores(FactCache *q, LoopId loop)
{
    const Loops *loops = q->loops;
    if (!q->loop_stores) {
        bool *stores = ptx_arena_array(q->arena, bool, loops->loop_count + 1);
        for (InsnId i = 0; i < q->func->insn_count; i++) {
            LoopId at = loops->loop_of[q->cfg->block_of[i]];
            if (at != NO_LOOP && may_store(q->func->insns[i].op))
                stores[at] = true;
        }
        for (LoopId l = loops->loop_count; l-- > 0;)
            if (stores[l] && loops->loops[l].parent != NO_LOOP)
                stores[loops->loops[l].parent] = true;
        q->loop_stores = stores;
    }
    return q->loop_stores[loop];
}

/* Of the innermost loop that holds both ends of an edge; the end of the function is in none. */
static uint32_t depth_of_both(const Loops *loops, BlockId from, BlockId to)
{
    LoopId around_from = loops->loop_of[from],
           around_to = to == EXIT_BLOCK ? NO_LOOP : loops->loop_of[to];
    while (around_from != NO_LOOP && around_to != NO_LOOP) {
        if (ptx_loop_holds(loops, around_to, from))
            return loops->loops[around_to].depth;
        if (ptx_loop_holds(loops, around_from, to))
            return loops->loops[around_from].depth;
        around_from = loops->loops[around_from].parent;
        around_to = loops->loops[around_to].parent;
    }
    return 0;
}

/* Per loop: how far out an edge leads from within. */
static const uint32_t *find_exit_depths(Arena *arena, const Cfg *cfg, const Loops *loops)
{
    uint32_t *depths = ptx_arena_array(arena, uint32_t, loops->loop_count + 1);
    for (LoopId l = 0; l < loops->loop_count; l++)
        depths[l] = loops->loops[l].depth;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const LoopId at = loops->loop_of[b];
        const Block *block = &cfg->blocks[b];
        for (unsigned s = 0; s < block->succ_count && at != NO_LOOP; s++)
            depths[at] = ptx_u32_min(depths[at],
                                     depth_of_both(loops, b, cfg->succs[block->succ_first + s]));
    }
    for (LoopId l = loops->loop_count; l-- > 0;) {
        const LoopId parent = loops->loops[l].parent;
        if (parent != NO_LOOP)
            depths[parent] = ptx_u32_min(depths[parent], depths[l]);
    }
    return depths;
}

static bool has_exit(FactCache *q, LoopId loop)
{
    if (!q->exit_depths)
        q->exit_depths = find_exit_depths(q->arena, q->cfg, q->loops);
    return q->exit_depths[loop] < q->loops->loops[loop].depth;
}

double ptx_measure_loop(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Loop *loop = s->loop == NO_LOOP ? NULL : &q->loops->loops[s->loop];
    const Trip *trip;
    if (fact == FACT_LOOP_depth)
        return loop ? loop->depth : 0;
    if (!loop)
        return UNKNOWN;
    switch (fact) {
    case FACT_LOOP_instructions:    return ptx_session_mixes(q->session)->loops[s->loop].insn_count;
    case FACT_LOOP_is_innermost:    return loop->is_innermost;
    case FACT_LOOP_share:           return measure_loop_share(q, s->loop);
    case FACT_LOOP_has_stores:      return has_stores(q, s->loop);
    case FACT_LOOP_has_exit:        return has_exit(q, s->loop);
    case FACT_LOOP_ilp:
    case FACT_LOOP_path_clocks:
    case FACT_LOOP_carried_clocks:
    case FACT_LOOP_carried_loads:
    case FACT_LOOP_loads:
    case FACT_LOOP_load_path:
    case FACT_LOOP_loads_at_once:
        return ptx_measure_parallelism(q, s->loop, fact);
    case FACT_LOOP_busiest_warp: case FACT_LOOP_executed_share:
        return ptx_measure_loop_balance(q, s->loop, fact);
    case FACT_LOOP_overhead:
        return ptx_session_loop_overhead(q->session)[s->loop];
    case FACT_LOOP_joined:
        return q->shared->gpu && !q->func->has_unknown
                   ? ptx_session_lowered(q->session, 0)->unrolled[s->loop].times
                   : UNKNOWN;
    case FACT_LOOP_trips:
        trip = &ptx_session_trips(q->session)->trips[s->loop];
        *certainty = trip_certainty(trip);
        return trip->count;
    default:                        return UNKNOWN;
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* To a compiler inline assembly is no end of the function, whatever is in it, so code follows its
 * exit and trap. */
static bool is_behind_end(const Func *func, const Block *block)
{
    if (block->first == 0)
        return false;
    OpKind kind = (OpKind)func->insns[block->first - 1].op->kind;
    return kind == OPK_EXIT || kind == OPK_TRAP || kind == OPK_CALL;
}

static bool is_stub(const Func *func, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++) {
        OpKind kind = (OpKind)func->insns[i].op->kind;
        if (kind != OPK_BRA && kind != OPK_RET && kind != OPK_EXIT && kind != OPK_TRAP)
            return false;
    }
    return true;
}

double ptx_measure_block(FactCache *q, const Subjects *s, FactId fact)
{
    const Cfg *cfg = q->cfg;
    const Block *block = &cfg->blocks[s->block];
    switch (fact) {
    case FACT_BLOCK_instructions:   return block->end - block->first;
    case FACT_BLOCK_is_reachable:
        return cfg->has_unknown_target || q->func->has_unknown
                   ? UNKNOWN
                   : ptx_block_is_reachable(cfg, s->block);
    case FACT_BLOCK_is_stub:        return is_stub(q->func, block) || is_behind_end(q->func, block);
    default:                        return UNKNOWN;
    }
}

/* ---- branches -------------------------------------------------------------------------------- */

/* One of the ways leaves the innermost loop around it, or leads to its header. */
static bool is_loop_exit(FactCache *q, const Subjects *s)
{
    const Cfg *cfg = q->cfg;
    const Loops *loops = q->loops;
    const Block *block = &cfg->blocks[s->block];
    for (uint32_t e = 0; e < block->succ_count && s->loop != NO_LOOP; e++) {
        BlockId to = cfg->succs[block->succ_first + e];
        if (to == EXIT_BLOCK || to == loops->loops[s->loop].header)
            return true;
        LoopId at = loops->loop_of[to];
        while (at != NO_LOOP && loops->loops[at].depth > loops->loops[s->loop].depth)
            at = loops->loops[at].parent;
        if (at != s->loop)
            return true;
    }
    return false;
}

double ptx_measure_branch(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    switch (fact) {
    case FACT_BRANCH_splits_warp:
        return ptx_measure_splits_warp(q, s->block, certainty);
    case FACT_BRANCH_condition: case FACT_BRANCH_may_split:
        return ptx_measure_condition(q, s->block, fact, certainty);
    case FACT_BRANCH_divergent: case FACT_BRANCH_wasted:
        return ptx_measure_divergence_cost(q, s, fact, certainty);
    case FACT_BRANCH_is_loop_exit:  return is_loop_exit(q, s);
    default:                        return UNKNOWN;
    }
}
