#include "analysis/time/critical_path.h"
#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "analysis/sass/sass.h"
#include "analysis/time/latency.h"
#include "analysis/time/store_order.h"
#include "gpu/gpu.h"
#include "isa/isa.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/count.h"

#include <math.h>

enum { LOOP_WALKS = 3 };

typedef struct CriticalPathWalker {
    const CriticalPathInput *in;
    ResultClocks of;
    double *ready;              /* per value */
    bool *is_late;              /* per value: see is_late */
    double *own;                /* per block: the clocks of its latest walk */
    double now;
    double stored[STORE_ORDERS];    /* the last store of the order has started */
    bool is_stored;             /* to global memory, since the last fence */
} CriticalPathWalker;

/* ---- one block ------------------------------------------------------------------------------- */

/* Floating point stays in program order: ptxas moves what addresses come from ahead, but little
 * else. */
static bool is_float(MachineOp machine)
{
    return machine == MACHINE_FP32 || machine == MACHINE_FP16 || machine == MACHINE_FP64
           || machine == MACHINE_XU || machine == MACHINE_TENSOR;
}

/* Clocks after its start in which an instruction's own ones issue. */
static double issue_of(const CriticalPathWalker *w, const LoweredInsn *insn, double latency)
{
    bool is_sequence = insn->machine == MACHINE_REDUX
                       || (insn->origin != NO_ID && w->of.sequences[insn->origin].is_in_order);
    return is_sequence ? fmax(0, latency - (double)w->in->latencies->machine[MACHINE_ALU]) : 0;
}

static double operands_ready(const CriticalPathWalker *w, const LoweredInsn *insn, double start)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    double at = start;
    for (unsigned u = 0; u < insn->use_count; u++)
        at = fmax(at, w->ready[uses[u]]);
    return at;
}

/* In a loop, where a body is often several iterations side by side, floats that rest on a sequence
 * without a branch let those behind them go first. */
static bool is_late(const CriticalPathWalker *w, const LoweredInsn *insn, BlockId block)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    const Sequence *sequence = insn->origin == NO_ID ? NULL : &w->of.sequences[insn->origin];
    bool late = sequence && sequence->each > 0 && !sequence->has_branch;
    for (unsigned u = 0; u < insn->use_count; u++)
        late |= w->is_late[uses[u]];
    return late && w->in->loops->loop_of[block] != NO_LOOP;
}

static void define(CriticalPathWalker *w, const LoweredInsn *insn, double ready, bool late)
{
    const LoweredValueId *defs = &w->in->lowered->operands[insn->operand_first];
    for (unsigned d = 0; d < insn->def_count; d++) {
        w->ready[defs[d]] = ready;
        w->is_late[defs[d]] = late;
    }
}

/* membar and fence of a scope above the block; those of other proxies were not measured. */
static const Op *fence_of(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    static const uint8_t others[] = { MOD_CTA, MOD_PROXY, MOD_MBARRIER_INIT, MOD_NONE };
    const Op *op = insn->origin == NO_ID ? NULL : w->in->func->insns[insn->origin].op;
    bool is_fence = op && (op->operation == OP_MEMBAR || op->operation == OP_FENCE);
    return is_fence && !ptx_op_has_any(op, others) ? op : NULL;
}

/* The warp waits until its accesses have come as far as the scope goes. */
static double fence_clocks(CriticalPathWalker *w, const Op *fence)
{
    const Latencies *l = w->in->latencies;
    double stores = w->is_stored ? (double)l->fence_store : 0;
    w->is_stored = false;
    return ptx_op_has(fence, MOD_SYS) ? (double)l->fence_sys : (double)l->fence + stores;
}

static double behind_stores(const CriticalPathWalker *w, unsigned orders)
{
    double at = 0;
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        at = orders >> o & 1 ? fmax(at, w->stored[o]) : at;
    return at;
}

static void note_store(CriticalPathWalker *w, const LoweredInsn *insn, unsigned orders, double at)
{
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        w->stored[o] = orders >> o & 1 ? at : w->stored[o];
    w->is_stored |= insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_ATOMIC;
}

static double walk_block(CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    double begin = w->now, start = w->now, last = w->now, issued = 0, next = w->now, made = w->now;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        double at = operands_ready(w, insn, start), latency = ptx_result_clocks(&w->of, insn),
               issue = issue_of(w, insn, latency);
        bool late = is_late(w, insn, block), is_ordered = is_float((MachineOp)insn->machine);
        unsigned orders = ptx_store_orders(w->in->func, insn);
        if (i > lowered->first[block] && insn->origin != NO_ID && insn->origin == insn[-1].origin)
            at = fmax(at, made);
        const Op *fence = fence_of(w, insn);
        if (insn->machine == MACHINE_BARRIER || fence)
            at = fmax(at, last);
        at = fmax(at, behind_stores(w, orders));
        at = fmax(at, begin + issued);
        issued += (double)insn->count;
        if (is_ordered && !late) {
            at = fmax(at, next);
            next = at + (double)insn->count;
        }
        if (ptx_is_ordering_store(insn))
            note_store(w, insn, orders, at);
        if (fence)
            start = at + fence_clocks(w, fence);
        if (insn->machine == MACHINE_BARRIER)
            start = at + latency
                    + (double)w->in->latencies->barrier_per_warp * w->in->warps_per_block;
        define(w, insn, at + latency, late);
        made = insn->def_count || issue > 0 || is_ordered || ptx_hands_on(insn) ? at + latency
                                                                                : at;
        last = ptx_lowered_is_copy(insn) ? last : fmax(last, at + issue);
    }
    w->now = fmax(fmax(last, start), begin + issued);
    w->own[block] = w->now - begin;
    return w->own[block];
}

/* ---- the function ---------------------------------------------------------------------------- */

/* How often the warp of any block runs it that runs it most. */
static double longest(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    return insn->total.warps > 0
               ? ptx_probable_warps(insn) / insn->total.warps * insn->total.longest
               : 0;
}

/* How often the warp of a block runs it that runs it most: a block makes room for the next when its
 * last warp ends. */
static double executions(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    double usual = ptx_probable_warps(insn),
           share = insn->total.warps > 0 ? usual / insn->total.warps : 0;
    double all = usual / in->blocks,
           each = fmax(all / in->warps_per_block, share * insn->total.most / in->blocks);
    return each >= 1 ? each : fmin(1, all);
}

/* No iteration is shorter than the way back takes; joined ones share it. */
static void hold_iteration(CriticalPathWalker *w, uint32_t first, uint32_t end, LoopId loop)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    const BlockId *rpo = w->in->cfg->rpo;
    double clocks = 0;
    for (uint32_t k = first; k < end; k++)
        clocks += w->own[rpo[k]];
    if (unrolled->is_whole || !(clocks > 0))
        return;
    double least = (double)w->in->latencies->iteration / fmax(1, unrolled->times);
    for (uint32_t k = first; k < end && clocks < least; k++)
        w->own[rpo[k]] *= least / clocks;
}

/* The branch back, behind all that the iteration issues. */
static void branch_back(CriticalPathWalker *w, LoopId loop, BlockId last)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    double clocks = unrolled->is_whole
                        ? 0
                        : (double)w->in->latencies->branch_back / fmax(1, unrolled->times);
    w->now += clocks;
    w->own[last] += clocks;
}

static LoopId loop_at(const CriticalPathWalker *w, uint32_t r)
{
    return w->in->loops->loop_of[w->in->cfg->rpo[r]];
}

/* Blocks of loops that hold others once more: what the first walk brought from outside does not
 * come again. */
static void walk_outer(CriticalPathWalker *w)
{
    const Loops *loops = w->in->loops;
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        BlockId block = w->in->cfg->rpo[r];
        LoopId loop = loop_at(w, r);
        bool is_nested = loop != NO_LOOP
                         && (!loops->loops[loop].is_innermost
                             || loops->loops[loop].parent != NO_LOOP);
        if (is_nested && executions(w->in, block) > 0)
            walk_block(w, block);
    }
}

/* The blocks of innermost loops again, until an iteration takes what the one before took. */
static void walk_loops(CriticalPathWalker *w)
{
    const Cfg *cfg = w->in->cfg;
    for (uint32_t r = 0; r < cfg->rpo_count;) {
        LoopId loop = loop_at(w, r);
        if (loop == NO_LOOP || !w->in->loops->loops[loop].is_innermost) {
            r++;
            continue;
        }
        uint32_t end = r;
        while (end < cfg->rpo_count && loop_at(w, end) == loop)
            end++;
        for (unsigned again = 1; again < LOOP_WALKS; again++) {
            for (uint32_t k = r; k < end; k++)
                walk_block(w, cfg->rpo[k]);
            branch_back(w, loop, cfg->rpo[end - 1]);
        }
        hold_iteration(w, r, end, loop);
        r = end;
    }
}

CriticalPath ptx_critical_path_compute(Arena *scratch, const CriticalPathInput *in)
{
    CriticalPath out = { 0 };
    ArenaMark mark = ptx_arena_mark(scratch);
    CriticalPathWalker w = { .in = in,
                             .of = { in->latencies, in->sequences, in->load_clocks, in->func } };
    w.ready = ptx_arena_array(scratch, double, in->lowered->value_count + 1);
    w.is_late = ptx_arena_array(scratch, bool, in->lowered->value_count + 1);
    w.own = ptx_arena_array(scratch, double, in->cfg->block_count);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++)
        if (executions(in, in->cfg->rpo[r]) > 0)
            walk_block(&w, in->cfg->rpo[r]);
    walk_outer(&w);
    walk_loops(&w);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++) {
        out.clocks += w.own[in->cfg->rpo[r]] * executions(in, in->cfg->rpo[r]);
        out.longest_clocks += w.own[in->cfg->rpo[r]] * longest(in, in->cfg->rpo[r]);
    }
    ptx_arena_release(scratch, mark);
    return out;
}
