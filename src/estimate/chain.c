#include "estimate/chain.h"
#include "estimate/unroll.h"

#include <math.h>

enum { LOOP_WALKS = 3 };

/* Measured on an H200, one warp: a loop that is not unrolled goes round in 29 clocks whatever cheap operation its iterations hand on (an
 * addition, a product, a shuffle, one of a special function): its test and the branch back take as long. */
#define CLK_ITERATION 29.0

typedef struct Walker {
    const ChainInput *in;
    double *ready;              /* per value */
    double *own;                /* per block: the clocks of its latest walk */
    double now;
    double stored[2];           /* the last store to the space has started */
} Walker;

/* ---- one block --------------------------------------------------------------------------------------------------- */

static bool is_memory(MachineOp machine)
{
    return machine == MACHINE_GLOBAL || machine == MACHINE_SHARED || machine == MACHINE_ATOMIC || machine == MACHINE_ATOMIC_SHARED || machine == MACHINE_MATRIX;
}

/* Floating point stays in program order: ptxas moves what addresses come from ahead, but little else. */
static bool is_float(MachineOp machine)
{
    return machine == MACHINE_FP32 || machine == MACHINE_FP16 || machine == MACHINE_FP64 || machine == MACHINE_XU || machine == MACHINE_TENSOR;
}

static bool is_store(const LoweredInsn *insn)
{
    return is_memory((MachineOp)insn->machine) && (!insn->def_count || insn->machine == MACHINE_ATOMIC || insn->machine == MACHINE_ATOMIC_SHARED);
}

/* Global memory and generic addresses are one; shared memory is the other. */
static unsigned store_class(const LoweredInsn *insn)
{
    return insn->machine == MACHINE_SHARED || insn->machine == MACHINE_ATOMIC_SHARED || insn->machine == MACHINE_MATRIX;
}

static double latency_of(const Walker *w, const LoweredInsn *insn)
{
    const Latencies *l = w->in->latencies;
    double extra = insn->count > 1 ? ((double)insn->count - 1) * (double)l->machine[MACHINE_ALU] : 0;
    bool is_load = insn->machine == MACHINE_GLOBAL && insn->origin != NO_ID && w->in->func->insns[insn->origin].op->kind == OPK_LD;
    bool is_move = insn->machine == MACHINE_MOVE && insn->origin != NO_ID;
    if (ptx_lowered_is_copy(insn))
        return 0;
    return (is_load ? (double)w->in->load_clocks[insn->origin] : (double)l->machine[is_move ? MACHINE_ALU : insn->machine]) + extra;
}

static double walk_block(Walker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    double begin = w->now, start = w->now, last = w->now, issued = 0, next = w->now, made = w->now;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const LoweredValueId *operands = &lowered->operands[insn->operand_first];
        double at = start;
        for (unsigned u = 0; u < insn->use_count; u++)
            at = fmax(at, w->ready[operands[insn->def_count + u]]);
        if (i > lowered->first[block] && insn->origin != NO_ID && insn->origin == insn[-1].origin)
            at = fmax(at, made);
        if (insn->machine == MACHINE_BARRIER)
            at = fmax(at, last);
        if (is_memory((MachineOp)insn->machine))
            at = fmax(at, w->stored[store_class(insn)]);
        at = fmax(at, begin + issued);
        issued += (double)insn->count;
        if (is_float((MachineOp)insn->machine)) {
            at = fmax(at, next);
            next = at + (double)insn->count;
        }
        if (is_store(insn))
            w->stored[store_class(insn)] = at;
        if (insn->machine == MACHINE_BARRIER)
            start = at + latency_of(w, insn) + (double)w->in->latencies->barrier_per_warp * w->in->warps_per_block;
        for (unsigned d = 0; d < insn->def_count; d++)
            w->ready[operands[d]] = at + latency_of(w, insn);
        made = insn->def_count || is_float((MachineOp)insn->machine) ? at + latency_of(w, insn) : at;
        last = fmax(last, at);
    }
    w->now = fmax(fmax(last, start), begin + issued);
    w->own[block] = w->now - begin;
    return w->own[block];
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

/* How often the warp of any block runs it that runs it most. */
static double longest(const ChainInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn = &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    return insn->total.warps > 0 ? ptx_usual_warps(insn) / insn->total.warps * insn->total.longest : 0;
}

/* How often the warp of a block runs it that runs it most: a block makes room for the next when its last warp ends. */
static double executions(const ChainInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn = &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    double usual = ptx_usual_warps(insn), share = insn->total.warps > 0 ? usual / insn->total.warps : 0;
    double all = usual / in->blocks, each = fmax(all / in->warps_per_block, share * insn->total.most / in->blocks);
    return each >= 1 ? each : fmin(1, all);
}

/* No iteration is shorter than the way back takes; joined ones share it. */
static void hold_iteration(Walker *w, uint32_t first, uint32_t end, LoopId loop)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    const BlockId *rpo = w->in->cfg->rpo;
    double clocks = 0;
    for (uint32_t k = first; k < end; k++)
        clocks += w->own[rpo[k]];
    if (unrolled->is_whole || !(clocks > 0))
        return;
    double least = CLK_ITERATION / fmax(1, unrolled->times);
    for (uint32_t k = first; k < end && clocks < least; k++)
        w->own[rpo[k]] *= least / clocks;
}

/* The blocks of innermost loops again, until an iteration takes what the one before took. */
static void walk_loops(Walker *w)
{
    const Loops *loops = w->in->loops;
    const Cfg *cfg = w->in->cfg;
    for (uint32_t r = 0; r < cfg->rpo_count;) {
        LoopId loop = loops->loop_of[cfg->rpo[r]];
        if (loop == NO_LOOP || !loops->loops[loop].is_innermost) {
            r++;
            continue;
        }
        uint32_t end = r;
        while (end < cfg->rpo_count && loops->loop_of[cfg->rpo[end]] == loop)
            end++;
        for (unsigned again = 1; again < LOOP_WALKS; again++)
            for (uint32_t k = r; k < end; k++)
                walk_block(w, cfg->rpo[k]);
        hold_iteration(w, r, end, loop);
        r = end;
    }
}

Chain ptx_chain_compute(Arena *scratch, const ChainInput *in)
{
    Chain out = { 0 };
    ArenaMark mark = ptx_arena_mark(scratch);
    Walker w = { .in = in };
    w.ready = ptx_arena_array(scratch, double, in->lowered->value_count + 1);
    w.own = ptx_arena_array(scratch, double, in->cfg->block_count);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++)
        if (executions(in, in->cfg->rpo[r]) > 0)
            walk_block(&w, in->cfg->rpo[r]);
    walk_loops(&w);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++) {
        out.clocks += w.own[in->cfg->rpo[r]] * executions(in, in->cfg->rpo[r]);
        out.longest_clocks += w.own[in->cfg->rpo[r]] * longest(in, in->cfg->rpo[r]);
    }
    ptx_arena_release(scratch, mark);
    return out;
}
