#include "analysis/value/lane_condition.h"

#include "ir/sreg.h"

#include <stdlib.h>

static bool is_lane(const Sym *sym)
{
    return sym->kind == SYM_SREG && (sym->a == SREG_TID || sym->a == SREG_LANEID);
}

static void take_leaf(LaneProgram *p, const Sym *sym)
{
    bool is_known = ptx_interval_is_point(&sym->range);
    p->has_lane |= is_lane(sym);
    p->has_ctaid |= sym->kind == SYM_SREG && sym->a == SREG_CTAID;
    p->has_input |= !is_known && (sym->kind == SYM_PARAM || sym->kind == SYM_CONSTANT);
    p->has_input |= sym->kind == SYM_OPAQUE && (sym->a == WHY_MEMORY || sym->a == WHY_ATOMIC);
}

static bool add_condition_node(DivergeWalk *sp, LaneProgram *p, SymId id)
{
    Sym *sym = &sp->s->nodes[id];
    if (sym->stamp == sp->s->stamp)
        return true;
    if (p->count == CONDITION_NODES_MAX || !ptx_diverge_spend(&sp->work, 1))
        return false;
    sym->stamp = sp->s->stamp;
    p->ids[p->count++] = id;
    take_leaf(p, sym);
    return true;
}

/* The i-th operand of a node; 0 behind the last. *count: so many there are. */
static SymId condition_operand_of(const DivergeWalk *sp, const Sym *sym, uint32_t i,
                                  uint32_t *count)
{
    const SymId operands[] = { sym->a, sym->b, sym->c };
    const bool is_sum = sym->kind == SYM_SUM;
    *count = is_sum ? sym->b : ptx_sym_operands(sym);
    if (i >= *count)
        return 0;
    return is_sum ? sp->s->terms[sym->a + i].atom : operands[i];
}

/* Operands stand before what uses them. */
static void mark_varying(const DivergeWalk *sp, LaneProgram *p)
{
    for (uint32_t n = 0, count = 0; n < p->count; n++) {
        const Sym *sym = ptx_sym(sp->s, p->ids[n]);
        p->varies[n] = is_lane(sym);
        SymId operand = condition_operand_of(sp, sym, 0, &count);
        for (uint32_t i = 0; i < count && !p->varies[n];
             operand = condition_operand_of(sp, sym, ++i, &count)) {
            const SymId *found = bsearch(&operand, p->ids, n, sizeof *p->ids, ptx_sym_by_id);
            p->varies[n] = !found || p->varies[found - p->ids];
        }
    }
}

bool ptx_lane_program_make(DivergeWalk *sp, SymId root, LaneProgram *p)
{
    p->count = 0;
    p->has_lane = p->has_input = p->has_ctaid = false;
    sp->s->stamp++;
    bool fits = add_condition_node(sp, p, root);
    for (uint32_t done = 0; done < p->count && fits; done++) {
        const Sym sym = *ptx_sym(sp->s, p->ids[done]);
        uint32_t count;
        SymId operand = condition_operand_of(sp, &sym, 0, &count);
        for (uint32_t i = 0; i < count && fits;
             operand = condition_operand_of(sp, &sym, ++i, &count))
            fits = add_condition_node(sp, p, operand);
    }
    qsort(p->ids, p->count, sizeof *p->ids, ptx_sym_by_id);
    mark_varying(sp, p);
    return fits;
}

void ptx_diverge_reserve(DivergeWalk *sp)
{
    if (sp->range_count >= sp->s->count)
        return;
    sp->range_count = 2 * sp->s->count;
    sp->ranges = ptx_arena_array(sp->scratch, Interval, sp->range_count);
}

/* A thread of the block; with the first block of the grid, where is_first. */
typedef struct Thread {
    uint32_t tid[3], lane;
    bool is_first;
} Thread;

static Interval condition_leaf_range(const DivergeWalk *sp, const Thread *thread, const Sym *sym)
{
    bool is_sreg = sym->kind == SYM_SREG;
    if (is_sreg && sym->a == SREG_LANEID)
        return ptx_interval_point(32, thread->lane);
    if (is_sreg && sym->a == SREG_TID && sp->has_tid)
        return ptx_interval_point(32, thread->tid[sym->b]);
    return is_sreg && sym->a == SREG_CTAID && thread->is_first ? ptx_interval_point(32, 0)
                                                               : sym->range;
}

/* is_first: else what does not depend on the lane stands as it was found for the one before. */
static Interval evaluate_condition(DivergeWalk *sp, const LaneProgram *p, const Thread *thread,
                                   bool is_first)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (!is_first && !p->varies[i])
            continue;
        const Sym *sym = ptx_sym(sp->s, p->ids[i]);
        bool is_leaf = sym->kind < SYM_SUM;
        sp->ranges[p->ids[i]] = is_leaf ? condition_leaf_range(sp, thread, sym)
                                        : ptx_sym_range(sp->s, p->ids[i], sp->ranges);
    }
    return sp->ranges[p->ids[p->count - 1]];        /* the root has the highest number */
}

static uint32_t thread_count(const DivergeWalk *sp)
{
    return sp->shape[0] * sp->shape[1] * sp->shape[2];
}

uint32_t ptx_lanes_of_warp(const DivergeWalk *sp, uint32_t warp)
{
    uint32_t left = thread_count(sp) - warp * LANES;
    return left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

static Thread thread_of(const DivergeWalk *sp, uint32_t warp, uint32_t lane, bool is_first)
{
    uint32_t n = warp * LANES + lane;
    return (Thread){ { n % sp->shape[0], n / sp->shape[0] % sp->shape[1],
                       n / sp->shape[0] / sp->shape[1] },
                     lane,
                     is_first };
}

bool ptx_lane_program_run(DivergeWalk *sp, const LaneProgram *p, uint32_t warp, bool is_first,
                          uint32_t *never, uint32_t *always)
{
    uint32_t lanes = ptx_lanes_of_warp(sp, warp);
    *never = *always = 0;
    for (uint32_t lane = 0; lane < LANES && lanes >> lane & 1; lane++) {
        if (!ptx_diverge_spend(&sp->evaluations, p->count))
            return false;
        Thread thread = thread_of(sp, warp, lane, is_first);
        Interval value = evaluate_condition(sp, p, &thread, lane == 0);
        *never |= (uint32_t)(value.umax == 0) << lane;
        *always |= (uint32_t)(value.umin > 0) << lane;
    }
    return true;
}

/* Whether in the first block of the grid all lanes of some warp certainly go one way. */
static bool agrees_at_first(DivergeWalk *sp, const LaneProgram *p)
{
    for (uint32_t warp = 0; warp < sp->warp_count; warp++) {
        uint32_t never, always;
        if (!ptx_lane_program_run(sp, p, warp, true, &never, &always))
            return false;
        if (never == ptx_lanes_of_warp(sp, warp) || always == ptx_lanes_of_warp(sp, warp))
            return true;
    }
    return false;
}

/* The masks of all warps, and what follows for the branch; none where the budget is spent. */
static void evaluate_warps(DivergeWalk *sp, const LaneProgram *p, Branch *branch)
{
    bool is_certain = true, is_together = sp->has_shape;
    uint32_t *never = ptx_arena_array(sp->scratch, uint32_t, sp->warp_count);
    uint32_t *always = ptx_arena_array(sp->scratch, uint32_t, sp->warp_count);
    for (uint32_t warp = 0; warp < sp->warp_count; warp++) {
        uint32_t lanes = ptx_lanes_of_warp(sp, warp);
        if (!ptx_lane_program_run(sp, p, warp, false, &never[warp], &always[warp]))
            return;
        is_certain &= (never[warp] | always[warp]) == lanes;
        is_together &= never[warp] == lanes || always[warp] == lanes;
    }
    branch->never = never;
    branch->always = always;
    branch->is_together = is_together;
    branch->hides = branch->varies && !is_certain && !p->has_input
                    && !(p->has_ctaid && agrees_at_first(sp, p));
}

static void evaluate_branch(DivergeWalk *sp, Branch *branch)
{
    LaneProgram p;
    branch->hides = branch->varies;
    if (!branch->guard || !sp->evaluations || !ptx_lane_program_make(sp, branch->guard, &p))
        return;
    if (p.has_lane || !branch->varies)
        evaluate_warps(sp, &p, branch);
    else
        branch->hides = !p.has_input;
}

/* As a branch on the same condition, at the same cost. False: the budget would not do. */
static bool repeat_branch(DivergeWalk *sp, const Branch *known, Branch *branch)
{
    if (known->varies != branch->varies || sp->evaluations <= known->spent)
        return false;
    *branch = *known;
    sp->evaluations -= known->spent;
    return true;
}

void ptx_lane_branches_run(DivergeWalk *sp)
{
    ptx_diverge_reserve(sp);
    /* per node: the last branch on it */
    Branch **on = ptx_arena_array(sp->scratch, Branch *, sp->s->count);
    for (uint32_t i = 0; i < sp->cfg->rpo_count; i++) {
        if (!ptx_diverge_is_choice(sp, sp->cfg->rpo[i]))
            continue;
        Branch *branch = &sp->branches[sp->cfg->rpo[i]], **known = &on[branch->guard];
        if (*known && repeat_branch(sp, *known, branch))
            continue;
        const uint64_t before = sp->evaluations;
        evaluate_branch(sp, branch);
        branch->spent = before - sp->evaluations;
        *known = branch;
    }
}
