#include "analysis/time/memory/constant_cache.h"

#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/unroll.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/count.h"
#include "analysis/sim/value.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/data_source.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"

#include <math.h>

/* How many different constants the lanes ask for, of as many bytes each. */
static double distinct_constants(const Count *count, double reach, uint32_t bytes, double groups)
{
    if (!(reach > 0))
        return count->data_requests;
    if (!(count->data_lanes > 0))
        return 0;
    const double lanes = fmin(groups, count->data_lanes / count->data_requests);
    return count->data_requests
           * (isfinite(reach) ? ptx_hit_by_chance(lanes, reach / bytes) : lanes);
}

double ptx_constant_addresses(const Count *count, double reach, uint32_t bytes, double groups)
{
    const double by_data = count->data_lanes > 0
                               ? distinct_constants(count, reach, bytes, groups)
                               : 0;
    return by_data + count->addresses;
}

/* Of a kernel's parameters, what is loaded by an index. */
static bool reads_constants(const Insn *insn, const Count *count)
{
    return insn->op->space == SPACE_CONST
           || (insn->op->space == SPACE_PARAM
               && (count->data_requests > 0 || count->addresses > count->requests));
}

/* One address for all takes what any constant load does; several are served one after the other. */
static double clocks_apart(const ConstantLoads *in, InsnId id, const Count *count)
{
    const double pass = ptx_gpu_figure(in->gpu, FIGURE_CONST_PASS_CLK),
                 held = ptx_gpu_figure(in->gpu, FIGURE_CONST_NEAR_BYTES);
    double reach = (double)INFINITY, groups = WARP_LANES, missed = 0;
    if (in->spread)
        reach = in->spread[id].reach;
    if (in->sources)
        groups = ptx_data_groups(in->sources, in->func, in->evaluation->insns, id);
    if (isfinite(reach) && reach > held)
        missed = (1 - held / reach) * ptx_gpu_figure(in->gpu, FIGURE_CONST_MISS_LATENCY);
    const double by_data
        = distinct_constants(count, reach, in->func->insns[id].access_bytes, groups);
    return by_data * (pass + missed)
           + (count->addresses > count->requests ? pass * count->addresses : 0);
}

/* ---- blocks out of step ---------------------------------------------------------------------- */

/* A loop, without those in it. */
typedef struct ConstantWalk {
    double words;               /* of constants, at addresses that warps share */
    double work;                /* arithmetic that is no loop's own */
    bool waits;                 /* for other loads */
} ConstantWalk;

static bool is_walked(const Insn *insn, const Count *count)
{
    return insn->op->space == SPACE_CONST && count->requests > 0 && !(count->data_requests > 0)
           && !(count->addresses > count->requests);
}

static bool is_arithmetic(const Op *op)
{
    return op->insn_class != CLASS_INT && op->insn_class != CLASS_MOVE
           && op->insn_class != CLASS_CONTROL;
}

/* Two words are fetched at once. */
static void add_to_walk(ConstantWalk *to, const Insn *insn, const Count *count)
{
    const Op *op = insn->op;
    if (is_walked(insn, count)) {
        to->words += count->requests * fmax(1, insn->access_bytes / 4.0);
        return;
    }
    to->work += is_arithmetic(op) ? count->warps : 0;
    to->waits |= op->flags & OPF_LOAD && !ptx_space_is_param((Space)op->space);
}

static const ConstantWalk *find_walks(Arena *arena, const ConstantLoads *in)
{
    ConstantWalk *out = ptx_arena_array(arena, ConstantWalk, in->loops->loop_count + 1);
    for (BlockId b = 0; b < in->cfg->block_count; b++)
        for (InsnId i = in->cfg->blocks[b].first;
             in->loops->loop_of[b] != NO_LOOP && i < in->cfg->blocks[b].end; i++)
            add_to_walk(&out[in->loops->loop_of[b]], &in->func->insns[i],
                        in->evaluation->insns[i].total);
    return out;
}

/* How soon blocks get out of step there, measured on an H200 (tools/measure-times/fir_constants.cu,
 * walks.cu): of 1 to 32 blocks of 64 to 1,024 threads on an SM, over 256 bytes to 64 kB. Waiting
 * for loads does it where there are many blocks; so does work by itself, soon where each scheduler
 * has no two warps of a block, else in the course of thousands of words. */
static double haste_of(const ConstantLoads *in, const ConstantWalk *loop)
{
    static const double waiting = 0.55, working = 0.6, slowly = 0.01, blocks_apart = 8,
                        warps_in_step = 16, warps_apart = 48, schedulers = 4, work_of_word = 1.5;
    const double warps = fmax(0, in->warps - warps_in_step) / warps_apart;
    if (loop->waits)
        return waiting * pow(in->blocks / blocks_apart, 3) * warps;
    if (loop->work < work_of_word * loop->words || !(warps > 0))
        return 0;
    return in->blocks >= blocks_apart && in->warps <= schedulers * in->blocks ? working : slowly;
}

static double clocks_out_of_step(Arena *scratch, const ConstantLoads *in)
{
    const double waited = ptx_gpu_figure(in->gpu, FIGURE_CONST_STEP_CLK),
                 worked = ptx_gpu_figure(in->gpu, FIGURE_CONST_WORK_CLK),
                 held = ptx_gpu_figure(in->gpu, FIGURE_CONST_STEP_BYTES),
                 beyond = in->evaluation->traffics.constant_bytes / held - 1;
    double clocks = 0;
    if (!in->cfg || !(beyond > 0))
        return 0;
    ArenaMark mark = ptx_arena_mark(scratch);
    const ConstantWalk *walks = find_walks(scratch, in);
    for (LoopId l = 0; l < in->loops->loop_count; l++)
        if (walks[l].words > 0 && !in->unrolled[l].is_whole)
            clocks += (walks[l].waits ? waited : worked) * walks[l].words
                      * (1 - exp(-beyond * haste_of(in, &walks[l])));
    ptx_arena_release(scratch, mark);
    return clocks;
}

double ptx_constant_clocks(Arena *scratch, const ConstantLoads *in)
{
    double clocks = ptx_gpu_figure(in->gpu, FIGURE_CONST_ALONE_CLK) * in->issued;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        if (reads_constants(&in->func->insns[i], count) && count->requests > 0)
            clocks += clocks_apart(in, i, count);
    }
    return clocks + clocks_out_of_step(scratch, in);
}
