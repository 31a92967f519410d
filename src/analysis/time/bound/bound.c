#include "analysis/time/bound/bound.h"

#include "analysis/access/evaluate.h"
#include "analysis/sass/joinable.h"
#include "analysis/sim/count.h"
#include "analysis/time/bound/critical_path_bound.h"
#include "analysis/time/throughput.h"
#include "analysis/time/work.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"

#include <math.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

/* What no run of the launch does without. */
typedef struct LeastWork {
    double moved, read;         /* bytes from and to memory; of these, what warps wait for */
    double atomic_us, chain_us; /* at the clock of the GPU's file */
    double wavefronts;
    double clocks[PIPE__COUNT]; /* of all SMs together */
} LeastWork;

/* What copies write comes while warps read, and may take none of their time. */
static double wavefronts_at_least(const Insn *insn, const Count *count, bool has_neighbour)
{
    return insn->op->kind == OPK_CP_ASYNC
               ? 0
               : fmin(count->passes, count->wavefronts)
                     * ptx_joinable_share(insn, count, has_neighbour);
}

static void find_pipe_clocks(const PredictInput *in, const bool *counts,
                             double clocks[PIPE__COUNT])
{
    memset(clocks, 0, PIPE__COUNT * sizeof *clocks);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const OpCycles *op = &in->ops[in->func->insns[i].op->id];
        const bool is_sure = counts[i] && !ptx_throughput_is_of_several(in->func->insns[i].op, op);
        const double warps = is_sure ? ptx_probable_warps(&in->evaluation->insns[i]) : 0;
        for (unsigned p = 0; p < PIPE__COUNT && warps > 0; p++)
            if (op->pipes[p] > 0)
                clocks[p] += (double)op->pipes[p] * in->work[i] / WORK_WHOLE * warps;
    }
}

static PathBoundInput path_input(const PredictInput *in, const bool *are_sure)
{
    return (PathBoundInput){ are_sure, NULL,      in->facts->needed, in->gpu,        in->module,
                             in->func, in->cfg,   in->dom,           in->loops,      in->evaluation,
                             in->blocks, in->warps_per_block };
}

/* What is written may stay in L2, what depends on data may hit the same sector: neither need come
 * from memory. */
static void find_bytes(const PredictInput *in, const bool *counts, LeastWork *out)
{
    const Traffics *t = &in->evaluation->traffics;
    const double l2 = in->gpu->figures[FIGURE_L2_BYTES];
    /* a warp, for what it loads: atomics whose results are unused come and go */
    bool waits = false;
    double unsure = t->data_read_bytes + t->data_written_bytes + t->drawn_bytes,
           stays = fmin(t->written_bytes, l2 > 0 ? l2 : 0);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        waits |= counts[i] && in->func->insns[i].op->kind == OPK_LD && count->sectors > 0;
        unsure += counts[i] ? 0 : SECTOR_BYTES * count->sectors;
    }
    out->moved = t->read_bytes + t->written_bytes - stays - unsure;
    out->read = waits ? t->read_bytes - unsure : 0;
}

static LeastWork least_work(Arena *scratch, const PredictInput *in, const PathBoundInput *path)
{
    LeastWork out = { .wavefronts = 0 };
    find_bytes(in, path->are_counting, &out);
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (path->are_counting[i])
            out.wavefronts += wavefronts_at_least(&in->func->insns[i],
                                                  in->evaluation->insns[i].total,
                                                  in->facts->have_neighbours[i]);
    out.atomic_us = ptx_path_bound_atomic_us(path);
    out.chain_us = ptx_path_bound_chain_us(scratch, path);
    find_pipe_clocks(in, path->are_counting, out.clocks);
    return out;
}

/* Clocks of all SMs to microseconds of the busiest: blocks do not divide. */
static double whole_blocks_us(const PredictInput *in, const BoundSpeeds *s, double clocks)
{
    return clocks / in->blocks * ceil(in->blocks / s->sms) / s->clocks_per_us;
}

/* ---- the bound ------------------------------------------------------------------------------- */

static void hold(Prediction *out, double us, TimePart part, const char *pipe)
{
    if (!(us > out->bound_us))
        return;
    out->bound_us = us;
    out->bound_by = (int)part;
    out->bound_pipe = pipe;
}

/* Nothing comes from memory before the first request is there and back. */
static double memory_at_least(const Gpu *gpu, const BoundSpeeds *s, const LeastWork *least)
{
    double latency = gpu->figures[FIGURE_GLOBAL_LATENCY_MIN], first = 0;
    if (least->read > 0 && latency > 0)
        first = ptx_gpu_figure(gpu, FIGURE_FIRST_MISS_SHARE) * latency / s->clocks_per_us;
    return least->moved > 0 ? first + least->moved / s->dram : 0;
}

void ptx_bound_find(Arena *scratch, const PredictInput *in, const BoundSpeeds *s,
                    const bool *are_sure, Prediction *out)
{
    PathBoundInput path = path_input(in, are_sure);
    path.are_counting = ptx_path_bound_counting(scratch, &path);
    const LeastWork least = least_work(scratch, in, &path);
    out->bound_us = 0;
    out->bound_by = PART_OVERHEAD;
    hold(out, out->parts_us[PART_DISPATCH], PART_DISPATCH, NULL);
    hold(out, memory_at_least(in->gpu, s, &least), PART_DRAM, NULL);
    hold(out, least.atomic_us, PART_ATOMIC, NULL);
    hold(out, least.chain_us, PART_LATENCY, NULL);
    hold(out, whole_blocks_us(in, s, least.wavefronts), PART_SHARED, NULL);
    for (unsigned p = 0; p < PIPE__COUNT; p++)
        hold(out, whole_blocks_us(in, s, least.clocks[p]), p == PIPE_ISSUE ? PART_ISSUE : PART_PIPE,
             ptx_pipe_info[p].key);
}

/* ---- the floor ------------------------------------------------------------------------------- */

/* By how much boards run faster than their maker rates them where the file has no highest clock
 * (GeForce boards of several makers are sold, and set by their owners, up to a quarter faster), and
 * by how much a data sheet rounds the bandwidth of memory. */
static const double unknown_headroom = 1.3, rounding_of_memory = 1.01;

static double highest_clock(const Gpu *gpu)
{
    return ptx_gpu_has(gpu, FIGURE_CLOCK_MOST_MHZ)
               ? gpu->figures[FIGURE_CLOCK_MOST_MHZ]
               : unknown_headroom * gpu->figures[FIGURE_CLOCK_MHZ];
}

static double highest_bandwidth(const Gpu *gpu)
{
    return gpu->figures[FIGURE_MEMORY_GB_PER_S] * 1e3
           * (ptx_gpu_has(gpu, FIGURE_CLOCK_MOST_MHZ) ? rounding_of_memory : unknown_headroom);
}

static const char *why_no_floor(const Evaluation *e)
{
    if (e->is_cut || e->is_by_warps || e->is_part)
        return "a block was not run to its end";
    if (!e->is_whole)
        return "a sample of blocks stands for the others";
    if (e->initial_is_assumed)
        return "it reads a variable that the host may have written";
    return e->warpid_is_assumed ? "%warpid is asked for" : NULL;
}

/* No parameter is assumed: what rests on one rests on where a pointer leads, which changes no
 * count. */
static bool is_exact(const Count *count)
{
    return count->doubt <= UNCERTAIN_MODEL || count->doubt == UNCERTAIN_PARAMETER;
}

/* Of those that count, without what is a guess in any block. */
static const bool *exact_only(Arena *arena, const PredictInput *in, const bool *counts)
{
    bool *exact = ptx_arena_array(arena, bool, in->func->insn_count + 1);
    for (InsnId i = 0; i < in->func->insn_count; i++)
        exact[i] = counts[i] && is_exact(in->evaluation->insns[i].total);
    return exact;
}

void ptx_floor_find(Arena *scratch, const PredictInput *in, const bool *are_sure)
{
    Floor *out = in->floor;
    const double given = out->clock_mhz;
    PathBoundInput path = path_input(in, are_sure);
    path.are_counting = exact_only(scratch, in, ptx_path_bound_counting(scratch, &path));
    const LeastWork least = least_work(scratch, in, &path);
    const BoundSpeeds s = { in->gpu->figures[FIGURE_SMS],
                            given > 0 ? given : highest_clock(in->gpu),
                            highest_bandwidth(in->gpu) };
    const double slower = in->gpu->figures[FIGURE_CLOCK_MHZ] / s.clocks_per_us;
    *out = (Floor){ .clock_mhz = s.clocks_per_us,
                    .memory_gb_per_s = s.dram / 1e3,
                    .bytes = fmax(0, least.moved),
                    .why = why_no_floor(in->evaluation) };
    out->us[PART_DRAM] = out->bytes / s.dram;
    out->us[PART_ATOMIC] = least.atomic_us * fmin(1, slower);
    out->us[PART_LATENCY] = least.chain_us * slower;
    out->us[PART_SHARED] = whole_blocks_us(in, &s, least.wavefronts);
    out->us[PART_ISSUE] = whole_blocks_us(in, &s, least.clocks[PIPE_ISSUE]);
    for (unsigned p = 0; p < PIPE__COUNT; p++) {
        const double us = p == PIPE_ISSUE ? 0 : whole_blocks_us(in, &s, least.clocks[p]);
        if (us > out->us[PART_PIPE]) {
            out->us[PART_PIPE] = us;
            out->pipe = ptx_pipe_info[p].key;
        }
    }
    for (InsnId i = 0; i < in->func->insn_count && in->counts; i++)
        in->counts[i] = path.are_counting[i];
}
