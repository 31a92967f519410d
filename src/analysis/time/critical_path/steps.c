#include "analysis/time/critical_path/walker.h"

#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "analysis/time/matrix_rate.h"
#include "analysis/time/throughput.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <string.h>

/* A loop of a few instructions around a wait for an mbarrier. */
enum { MAX_SPIN_BLOCKS = 3 };

/* ---- which loops go in steps ----------------------------------------------------------------- */

/* What an instruction of a block waits for, if any: NEXT for an mbarrier, WAIT for others. */
static InFlightStep wait_of(const CriticalPathWalker *w, const InFlightInsn *steps, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    InFlightStep out = IN_FLIGHT_NONE;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        InFlightStep step = insn->origin == NO_ID ? IN_FLIGHT_NONE : steps[insn->origin].step;
        if (insn->machine == MACHINE_BARRIER)
            step = IN_FLIGHT_WAIT;
        if (ptx_in_flight_is_wait(step) && out != IN_FLIGHT_WAIT)
            out = step == IN_FLIGHT_WAIT_ALL ? IN_FLIGHT_WAIT : step;
    }
    return out;
}

void ptx_walk_find_steps(CriticalPathWalker *w, Arena *scratch)
{
    const Loops *loops = w->in->loops;
    const Func *func = w->in->func;
    const uint32_t count = loops->loop_count;
    InFlightInsn *steps = ptx_arena_array(scratch, InFlightInsn, func->insn_count + 1);
    bool *in_steps = ptx_arena_array(scratch, bool, count + 1), any = false;
    bool *is_spin = ptx_arena_array(scratch, bool, count + 1);
    bool *is_inner = ptx_arena_array(scratch, bool, count + 1);
    for (InsnId i = 0; i < func->insn_count; i++)
        steps[i] = ptx_in_flight_insn(func, &func->insns[i]);
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        LoopId loop = ptx_walk_loop_at(w, r);
        InFlightStep wait = loop == NO_LOOP ? IN_FLIGHT_NONE
                                            : wait_of(w, steps, w->in->cfg->rpo[r]);
        if (wait == IN_FLIGHT_NONE)
            continue;
        is_spin[loop] |= wait == IN_FLIGHT_WAIT_NEXT && loops->loops[loop].is_innermost
                         && loops->loops[loop].block_count <= MAX_SPIN_BLOCKS;
        for (; loop != NO_LOOP && !in_steps[loop]; loop = loops->loops[loop].parent)
            in_steps[loop] = any = true;
    }
    for (LoopId l = 0; l < count; l++) {
        LoopId parent = loops->loops[l].parent;
        in_steps[l] |= parent != NO_LOOP && in_steps[parent];
        is_inner[l] = true;
        if (parent != NO_LOOP && !is_spin[l])
            is_inner[parent] = false;
    }
    w->in_steps = in_steps;
    w->is_spin = is_spin;
    w->is_inner = is_inner;
    w->steps = any ? steps : NULL;
    w->times = any ? ptx_arena_array(scratch, PipeTime, PIPE__COUNT) : NULL;
}

/* ---- on the way through them ----------------------------------------------------------------- */

bool ptx_walk_is_in_steps(const CriticalPathWalker *w, BlockId block)
{
    LoopId loop = w->in->loops->loop_of[block];
    return w->steps && loop != NO_LOOP && w->in_steps[loop];
}

/* Of a block, the warps that come here. */
static double active_warps(const CriticalPathWalker *w, InsnId insn)
{
    const Count *total = w->in->evaluation->insns[insn].total;
    return total->most > 0 ? fmin(w->in->warps_per_block, total->warps / total->most)
                           : w->in->warps_per_block;
}

double ptx_walk_block_sectors(const CriticalPathWalker *w, InsnId insn)
{
    const Count *total = w->in->evaluation->insns[insn].total;
    return total->warps > 0 ? total->sectors / total->warps * active_warps(w, insn) : 0;
}

/* When the SM has them. */
static double transfer_sectors(CriticalPathWalker *w, double at, double sectors)
{
    w->port = ptx_later(w->port, at) + sectors * w->in->tiles.sector;
    return w->port;
}

double ptx_walk_matrix_clocks(const CriticalPathWalker *w, InsnId id)
{
    const Insn *insn = &w->in->func->insns[id];
    return ptx_matrix_clocks(w->in->gpu, w->in->func, insn,
                             (double)w->in->ops[insn->op->id].pipes[PIPE_TENSOR]);
}

bool ptx_walk_is_product(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_TENSOR && w->steps[insn->origin].step == IN_FLIGHT_NONE;
}

static void use_pipes(CriticalPathWalker *w, const LoweredInsn *insn, bool is_first)
{
    const Gpu *gpu = w->in->gpu;
    double warps = insn->origin == NO_ID ? w->in->warps_per_block : active_warps(w, insn->origin);
    double count = warps * (double)insn->count;
    if (insn->machine == MACHINE_SHARED && is_first)
        count *= ptx_joined_share(&w->in->evaluation->insns[insn->origin]);
    for (uint32_t left = w->pipes[insn->machine]; left; left &= left - 1) {
        const Pipe *pipe = &gpu->pipes[__builtin_ctz(left)];
        w->times[__builtin_ctz(left)].busy += count * 32 / pipe->lanes
                                        * (double)pipe->takes[insn->machine];
    }
    if (!is_first)
        return;
    const Count *total = w->in->evaluation->insns[insn->origin].total;
    if (total->warps > 0 && !ptx_in_flight_is_begin(w->steps[insn->origin].step))
        w->times[PIPE_SHARED].busy += warps * (total->wavefronts - total->spared_wavefronts)
                                / total->warps;
    if (ptx_walk_is_product(w, insn))
        w->times[PIPE_TENSOR].busy += warps * ptx_walk_matrix_clocks(w, insn->origin);
}

static double partition_count(const Gpu *gpu)
{
    return ptx_gpu_has(gpu, FIGURE_PARTITIONS) ? gpu->figures[FIGURE_PARTITIONS] : 1;
}

/* Lines of L1 that a warp's request passes. */
static double lines_of(const CriticalPathWalker *w, const Count *total)
{
    const Evaluation *evaluation = w->in->evaluation;
    const Traffics *t = &evaluation->traffics;
    enum { SECTORS_OF_LINE = 4 };
    double least = total->sectors / SECTORS_OF_LINE;
    return total->warps > 0 && t->load_lines > 0 ? fmax(least, total->requests) / total->warps : 0;
}

/* What the warps of a block ask for behind a barrier comes one after the other: a scheduler's first
 * warp waits for those of the other schedulers, its second one while that one works. Measured on an
 * H100 (mixes.cu), 16 ldmatrix.x4 and 64 products of m16n8k16 of a warp between barriers: 584
 * clocks for 4 warps and 1,059 for 8, of which the products take 384 and 768; two blocks of 4
 * warps, 808. Six copies of 16 bytes before them add 40 to 90, and 110 to 240. */
static double wait_in_line(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    const Count *total = w->in->evaluation->insns[insn->origin].total;
    const double partitions = partition_count(w->in->gpu);
    if (!(total->warps > 0))
        return 0;
    double own = insn->machine == MACHINE_SHARED || insn->machine == MACHINE_MATRIX
                     ? (total->wavefronts - total->spared_wavefronts) / total->warps
                     : lines_of(w, total);
    w->asked += own * fmin(partitions, active_warps(w, insn->origin));
    return ptx_later(0, w->phase + w->asked - own - at);
}

double ptx_walk_wait_for_products(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    double start = fmax(at, w->mma);
    w->mma = start + ptx_walk_matrix_clocks(w, insn->origin) * active_warps(w, insn->origin);
    return start;
}

/* When the pipeline has done so many clocks more, from at on: what stands later may go ahead. */
static double take_slots(const CriticalPathWalker *w, PipeTime *time, double clocks, double at)
{
    const double from = (at - w->phase) / SLOT_CLOCKS;
    uint32_t slot = from < PIPE_SLOTS ? (uint32_t)from : PIPE_SLOTS;
    while (clocks > 0 && slot < PIPE_SLOTS) {
        const double taken = fmin(clocks, SLOT_CLOCKS - (double)time->taken[slot]);
        time->taken[slot] += (float)taken;
        clocks -= taken;
        slot += clocks > 0;
    }
    const uint32_t end = slot < PIPE_SLOTS ? slot + 1 : PIPE_SLOTS;
    time->slot_end = end > time->slot_end ? end : time->slot_end;
    if (slot == PIPE_SLOTS)
        return at;
    return w->phase + SLOT_CLOCKS * (double)slot + (double)time->taken[slot];
}

/* Warps that a scheduler has come out of a wait together, and go through a pipeline after each
 * other; the first of them is at the next one meanwhile. Attention by tiles (maxima, then ex2, then
 * products) of 128 by 128 by 8 warps, each block alone on its SM, on an H200: 576 us; with one
 * warp's own times 326, so 444. */
double ptx_walk_through_pipes(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    const Gpu *gpu = w->in->gpu;
    const double partitions = partition_count(gpu);
    const bool is_sequence = insn->origin != NO_ID && w->of.sequences[insn->origin].each > 0;
    double warps = insn->origin == NO_ID ? w->in->warps_per_block : active_warps(w, insn->origin),
           beside = fmax(1, (warps / partitions + 1) / 2), start = at;
    const uint32_t others = 1u << PIPE_TENSOR | 1u << PIPE_LSU | 1u << PIPE_SHARED;
    /* what no barrier keeps behind goes ahead of the phase */
    const bool is_apart = is_sequence || !(at >= w->phase);
    for (uint32_t left = is_apart ? 0 : w->pipes[insn->machine] & ~others; left;
         left &= left - 1) {
        const unsigned p = (unsigned)__builtin_ctz(left);
        const double own = (double)insn->count * 32 * partitions / gpu->pipes[p].lanes
                           * (double)gpu->pipes[p].takes[insn->machine];
        start = ptx_later(start, take_slots(w, &w->times[p], own * beside, at) - own);
    }
    return start;
}

double ptx_walk_end_phase(CriticalPathWalker *w, double at)
{
    double end = at;
    for (unsigned p = 0; p < PIPE__COUNT; p++) {
        PipeTime *time = &w->times[p];
        if (w->chain && w->phase + time->busy > end)
            w->chain->pipe = (PipeId)p;
        end = ptx_later(end, w->phase + time->busy);
        memset(time->taken, 0, time->slot_end * sizeof *time->taken);
        time->busy = 0;
        time->slot_end = 0;
    }
    w->phase = end;
    w->asked = 0;
    return end;
}

static double product_clocks(const CriticalPathWalker *w, InsnId insn)
{
    return ptx_walk_matrix_clocks(w, insn) * active_warps(w, insn);
}

/* When the warp goes on. */
static double begin_product(CriticalPathWalker *w, InsnId insn, double at)
{
    w->tensor = fmax(w->tensor, at) + product_clocks(w, insn);
    const double done = w->tensor + ptx_gpu_figure(w->in->gpu, FIGURE_PRODUCTS_LATENCY);
    ptx_in_flight_begin(&w->flight, w->steps[insn].queue, done);
    return w->in->products_are_serial ? done : at;
}

/* What the instruction begins, or waits for: when it is over. */
static double run_step(CriticalPathWalker *w, InsnId insn, double at)
{
    enum { SECTOR_BYTES = 32 };
    const InFlightInsn *step = &w->steps[insn];
    const TileClocks *tiles = &w->in->tiles;
    switch (step->step) {
    case IN_FLIGHT_COPY:
        ptx_in_flight_begin(&w->flight, step->queue,
                            transfer_sectors(w, at, ptx_walk_block_sectors(w, insn)) + tiles->copy);
        return at;
    case IN_FLIGHT_ANNOUNCE:
        ptx_in_flight_begin(&w->flight, step->queue,
                            transfer_sectors(w, at, step->bytes / SECTOR_BYTES) + tiles->copy);
        ptx_in_flight_close(&w->flight, step->queue);
        return at;
    case IN_FLIGHT_MULTIPLY:
        return begin_product(w, insn, at);
    case IN_FLIGHT_CLOSE:
        ptx_in_flight_close(&w->flight, step->queue);
        return at;
    case IN_FLIGHT_WAIT: case IN_FLIGHT_WAIT_ALL: case IN_FLIGHT_WAIT_NEXT:
        return fmax(at, ptx_in_flight_wait(&w->flight, step));
    default:
        return at;
    }
}

/* A load in a step comes with those of the other warps. */
static double step_latency(CriticalPathWalker *w, const LoweredInsn *insn, double at,
                           double latency)
{
    const Op *op = insn->origin == NO_ID ? NULL : w->in->func->insns[insn->origin].op;
    if (!op)
        return latency;
    if (w->steps[insn->origin].step == IN_FLIGHT_MULTIPLY)
        return (double)w->in->latencies->machine[MACHINE_ALU];
    const Count *total = w->in->evaluation->insns[insn->origin].total;
    bool is_load = insn->machine == MACHINE_GLOBAL && op->kind == OPK_LD && total->requests > 0;
    double missed = is_load ? fmin(1, (total->waits + total->data_requests) / total->requests) : 0;
    if (ptx_op_bypasses_l1(op))
        missed = is_load;
    if (!(missed > 0))
        return latency;
    return transfer_sectors(w, at, missed * ptx_walk_block_sectors(w, insn->origin)) - at
           + fmax(latency, missed * w->in->tiles.load);
}

double ptx_walk_in_step(CriticalPathWalker *w, const LoweredInsn *insn, bool is_first,
                        StepTimes times)
{
    use_pipes(w, insn, is_first);
    if (!is_first)
        return times.latency;
    bool is_copy = w->steps[insn->origin].step == IN_FLIGHT_COPY;
    bool is_through_lsu = insn->machine == MACHINE_SHARED || insn->machine == MACHINE_MATRIX
                          || insn->machine == MACHINE_GLOBAL || is_copy;
    double waits = is_through_lsu && !times.is_ahead ? wait_in_line(w, insn, times.at) : 0;
    return step_latency(w, insn, times.at, times.latency) + waits;
}

double ptx_walk_wait_until(CriticalPathWalker *w, InsnId insn, double at, bool in_steps)
{
    if (w->steps[insn].step == IN_FLIGHT_NONE)
        return 0;
    double over = run_step(w, insn, at);
    if (w->steps[insn].step == IN_FLIGHT_MULTIPLY)
        return w->in->products_are_serial ? over : 0;
    if (!ptx_in_flight_is_wait(w->steps[insn].step))
        return 0;
    return in_steps ? ptx_walk_end_phase(w, over) : over;
}
