/* Facts of barriers: of a block, and of the lanes of a warp. */
#include "rules/facts/facts.h"
#include "analysis/race/hazard.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/value/must_diverge.h"
#include "analysis/value/points_to.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/time/latency.h"
#include "analysis/redundancy/redundant_loads.h"
#include "session/session.h"

#include <math.h>

/* Searches of a function for operations on another way from a branch; more are not made. */
enum { COUNTERPART_SEARCHES = 256 };

static const Operand *last_operand(const Func *func, const Insn *insn)
{
    return insn->operand_count ? ptx_insn_operands(func, insn) + insn->operand_count - 1 : NULL;
}

static bool takes_mask(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_SHFL: case OP_VOTE: case OP_MATCH: case OP_REDUX:
        return ptx_op_has(op, MOD_SYNC);
    default:
        return op->kind == OPK_BAR && ptx_op_has(op, MOD_WARP);
    }
}

static bool constant_mask(FactCache *q, const Insn *insn, uint32_t *bits)
{
    int64_t mask;
    if (!takes_mask(insn->op) || insn->guard != NO_ID || !insn->operand_count
        || !ptx_points_to_constant(ptx_session_points_to(q->session), last_operand(q->func, insn),
                                   &mask))
        return false;
    *bits = (uint32_t)mask;
    return true;
}

/* Lanes 0 up to the highest of the mask execute it, or no mask could name that lane; with the
 * block's size known, all that there are in its first warp. Only where every lane of a warp comes
 * here together. */
double ptx_measure_excluded_lanes(FactCache *q, const Subjects *s)
{
    const Insn *insn = &q->func->insns[s->insn];
    uint32_t bits, active;
    if (!constant_mask(q, insn, &bits))
        return UNKNOWN;
    active = bits;
    if (bits == UINT32_MAX)
        return 0;
    if (ptx_session_must_diverge(q->session)->may[s->block])
        return UNKNOWN;
    for (int shift = 1; shift < 32; shift *= 2)
        active |= active >> shift;
    double threads = ptx_measure_block_threads(q);
    if (threads >= 32)
        active = UINT32_MAX;
    else if (threads > 0)
        active = (UINT32_C(1) << (unsigned)threads) - 1;
    return __builtin_popcount(active & ~bits);
}

/* Whether a block on another way from the branch has the same operation: lanes wait for each other
 * there and here, wherever each stands (PTX ISA, shfl.sync: "the same qualifiers"). */
static bool find_counterpart(FactCache *q, const Op *op, BlockId here, BlockId branch)
{
    const Dom *dom = ptx_session_dom(q->session);
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        const BlockId block = q->func->insns[i].op == op ? q->cfg->block_of[i] : here;
        if (block != here && ptx_block_is_reachable(q->cfg, block)
            && ptx_dom_dominates(dom, branch, block)
            && !ptx_dom_dominates(dom, dom->ipdom[branch], block)
            && !ptx_dom_dominates(dom, block, here) && !ptx_dom_dominates(dom, here, block))
            return true;
    }
    return false;
}

/* NaN: too much was asked. */
static double counterparts(FactCache *q, const Subjects *s, BlockId branch)
{
    const Op *op = q->func->insns[s->insn].op;
    if (q->counterpart.op != op || q->counterpart.block != s->block
        || q->counterpart.branch != branch) {
        if (q->counterpart.searches == COUNTERPART_SEARCHES)
            return UNKNOWN;
        q->counterpart.searches++;
        q->counterpart.is_there = find_counterpart(q, op, s->block, branch);
        q->counterpart.op = op;
        q->counterpart.block = s->block;
        q->counterpart.branch = branch;
    }
    return q->counterpart.is_there;
}

double ptx_measure_absent_lanes(FactCache *q, const Subjects *s, Certainty *certainty)
{
    uint32_t bits;
    if (!constant_mask(q, &q->func->insns[s->insn], &bits))
        return UNKNOWN;
    const double is_split = ptx_measure_split(q, s->block, certainty);
    if (!(is_split > 0))
        return is_split;
    const MustDiverge *diverge = ptx_session_must_diverge(q->session);
    uint32_t absent = 0;
    /* the branches around it, from the nearest on, as far as the same warp shows them */
    for (BlockId at = s->block; diverge->by[at] != NO_ID; at = diverge->by[at]) {
        const uint32_t lanes = bits & diverge->absent[at] & ~absent;
        if (!lanes || diverge->warp[at] != diverge->warp[s->block])
            continue;
        const double others = counterparts(q, s, diverge->by[at]);
        if (isnan(others))
            return UNKNOWN;
        absent |= others > 0 ? 0 : lanes;
    }
    return __builtin_popcount(absent);
}

/* The number of threads of bar.sync a, b: the operand behind the barrier's name. */
double ptx_measure_barrier_threads(FactCache *q, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(q->func, insn);
    int64_t value;
    if (insn->op->kind != OPK_BAR || ptx_op_has(insn->op, MOD_WARP)
        || ptx_op_has(insn->op, MOD_CLUSTER) || ptx_op_has(insn->op, MOD_RED))
        return UNKNOWN;
    bool is_known = insn->operand_count == 2
                    && ptx_points_to_constant(ptx_session_points_to(q->session), &operands[1],
                                              &value)
                    && value >= 0;
    return is_known ? (double)value : UNKNOWN;
}

/* A call may, but for one that the thread ends behind: of the handler of a panic. */
static bool may_stop_a_warp(const FactCache *q, InsnId id)
{
    const Op *op = q->func->insns[id].op;
    const InsnId last = q->cfg->blocks[q->cfg->block_of[id]].end - 1;
    const Operation end = q->func->insns[last].op->operation;
    if (op->kind == OPK_CALL)
        return end != OP_TRAP && end != OP_EXIT;
    return op->kind == OPK_BAR && !ptx_op_has(op, MOD_WARP) && !ptx_op_has(op, MOD_CLUSTER);
}

/* Whether threads of one launch may part where the ways to the two blocks do. */
static bool may_part_between(FactCache *q, BlockId here, BlockId there)
{
    const Dom *dom = ptx_session_dom(q->session);
    BlockId at = here;
    while (at != EXIT_BLOCK && !ptx_dom_dominates(dom, at, there))
        at = dom->idom[at];
    return at == EXIT_BLOCK
           || ptx_session_uniforms(q->session)->branches[at].uniformity > UNIFORMITY_BLOCK;
}

static bool is_postdominated(const Dom *dom, BlockId block, BlockId by)
{
    while (block != EXIT_BLOCK && block != by)
        block = dom->ipdom[block];
    return block == by;
}

/* All threads that come to one of the two come to the other as well, if in turns. */
static bool are_on_one_way(const Dom *dom, BlockId a, BlockId b)
{
    return ptx_dom_dominates(dom, a, b) || ptx_dom_dominates(dom, b, a)
           || is_postdominated(dom, a, b) || is_postdominated(dom, b, a);
}

/* Other threads may be at a barrier, or in a call that has one, of another way through the
 * function. */
static bool has_barrier_apart(FactCache *q, BlockId here)
{
    const Dom *dom = ptx_session_dom(q->session);
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        const BlockId block = q->cfg->block_of[i];
        if (may_stop_a_warp(q, i) && ptx_block_is_reachable(q->cfg, block)
            && !are_on_one_way(dom, here, block) && may_part_between(q, here, block))
            return true;
    }
    return false;
}

/* All threads of the block that come to a barrier come to this one: none waits at another for the
 * threads that are here. */
static bool is_barrier_of_all(FactCache *q, InsnId id)
{
    const Insn *insn = &q->func->insns[id];
    const Operand *number = ptx_insn_operands(q->func, insn);
    const BlockId here = q->cfg->block_of[id];
    if (insn->operand_count > 1
        && ptx_measure_barrier_threads(q, insn) != ptx_measure_block_threads(q))
        return false;
    if (!q->func->is_entry && ptx_operand_value(number))
        return false;
    return !has_barrier_apart(q, here);
}

/* Of a pair that the run without barriers names one of, the other is needed. */
double ptx_measure_barrier_repeated(FactCache *q, InsnId insn)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    const InsnId earlier = ptx_session_redundant_loads(q->session)->barrier[insn];
    return earlier != NO_ID && is_barrier_of_all(q, insn)
           && !(ptx_measure_barrier_redundant(q, insn) > 0)
           && !(ptx_measure_barrier_redundant(q, earlier) > 0);
}

double ptx_measure_barrier_redundant(FactCache *q, InsnId insn)
{
    const Hazards *hazards = ptx_find_hazards(q);
    bool is_redundant = false;
    for (uint32_t i = 0; hazards && i < hazards->redundant_count; i++)
        is_redundant |= hazards->redundant[i] == insn;
    return is_redundant;
}

double ptx_measure_barrier_clocks(FactCache *q, InsnId insn)
{
    enum { WARP_THREADS = 32 };
    const double warps = ceil(ptx_measure_block_threads(q) / WARP_THREADS);
    Latencies latencies;
    Certainty certainty = CERTAINTY_EXACT;
    const Subjects at = { .insn = insn, .block = q->cfg->block_of[insn] };
    ptx_latencies_find(q->shared->gpu, 0, &latencies);
    return ptx_measure(q, &at, FACT_INSN_weight, &certainty)
           * (latencies.machine[MACHINE_BARRIER] + latencies.barrier_per_warp * warps);
}
