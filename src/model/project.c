/* project.c -- a kernel and its loops on each GPU: occupancy, waves, cycles, peaks, in the words of
 * the public interface. */
#include "model/gpu.h"
#include "model/view.h"

#include "analysis/time/peak.h"
#include "analysis/time/band.h"
#include "analysis/time/bottleneck.h"
#include "analysis/registers/register_count.h"
#include "analysis/trips/trip.h"
#include "analysis/access/evaluate.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ptxlint/ptxlint.h"
#include "session/residency.h"
#include "analysis/time/parallelism.h"
#include "analysis/time/predict.h"
#include "analysis/time/throughput.h"
#include "gpu/gpu.h"
#include "session/session.h"
#include "support/diag.h"
#include "analysis/sass/executed.h"

#include <math.h>
#include <string.h>

/* ---- cycles ---------------------------------------------------------------------------------- */

static const char *bound_by(const ptxlint_cycles *cycles, double (*of)(const ptxlint_pipe_cycles *))
{
    const char *name = NULL;
    double most = 0;
    for (size_t i = 0; i < cycles->pipe_count; i++) {
        double here = of(&cycles->pipes[i]);
        if (isnan(here))
            return NULL;
        if (here > most) {
            most = here;
            name = cycles->pipes[i].pipe;
        }
    }
    return name;
}

static double total_of(const ptxlint_pipe_cycles *p)
{
    return p->total;
}

static double longest_block_of(const ptxlint_pipe_cycles *p)
{
    return p->longest;
}

static double shortest_of(const ptxlint_pipe_cycles *p)
{
    return p->shortest;
}

/* The pipes that the GPU's file describes; of the matrix unit it gives rates by type instead of
 * lanes. */
static ptxlint_cycles view_cycles(Sessions *all, const Gpu *gpu, const PipeCycles *cycles)
{
    ptxlint_pipe_cycles pipes[PIPE__COUNT];
    ptxlint_cycles view = { .pipes = pipes };
    for (int p = 0; p < PIPE__COUNT; p++) {
        if (!(gpu->pipes[p].lanes > 0)
            && (p != PIPE_TENSOR || !ptx_gpu_has(gpu, FIGURE_TENSOR_F16)))
            continue;
        const Cycles *c = &cycles->pipes[p];
        pipes[view.pipe_count++] = (ptxlint_pipe_cycles){ ptx_pipe_info[p].key, c->total,
                                                          c->longest, c->shortest };
    }
    view.bound_total = bound_by(&view, total_of);
    view.bound_longest = bound_by(&view, longest_block_of);
    view.bound_shortest = bound_by(&view, shortest_of);
    view.pipes = ptx_sessions_share(all, pipes, view.pipe_count * sizeof *pipes);
    return view;
}

static ptxlint_peak view_peak(Sessions *all, const Gpu *gpu, const Mix *mix)
{
    Peak peak;
    ptx_peak_compute(gpu, mix, &peak);
    ptxlint_ceiling ceilings[CEILING__COUNT];
    for (int i = 0; i < CEILING__COUNT; i++)
        ceilings[i] = (ptxlint_ceiling){ ptx_ceiling_text[i], peak.ceilings[i] };
    return (ptxlint_peak){
        .issue_gops = peak.issue_gops,
        .peak_gflops = peak.peak_gflops,
        .potential_gflops = peak.potential_gflops,
        .demand_gb_per_s = peak.demand_gb_per_s,
        .memory_gb_per_s = peak.memory_gb_per_s,
        .flops_per_byte = peak.flops_per_byte,
        .attainable_gflops = peak.attainable_gflops,
        .ceiling = peak.ceiling < CEILING__COUNT ? ptx_ceiling_text[peak.ceiling] : NULL,
        .ceilings = ptx_sessions_share(all, ceilings, sizeof ceilings),
        .ceiling_count = CEILING__COUNT,
    };
}

static ptxlint_parallelism view_parallelism(const Parallelism *p)
{
    return (ptxlint_parallelism){
        .instructions = p->instructions,
        .path_instructions = p->path,
        .path_clocks = p->path_clocks,
        .carried_clocks = p->carried_clocks,
        .ilp = ptx_parallelism_ilp(p),
        .loads = p->loads,
        .load_path = p->load_path,
        .mlp = ptx_parallelism_mlp(p),
        .load_bytes = p->load_bytes,
        .certainty = isnan(p->path) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE,
    };
}

void ptx_project_loop(Sessions *all, Session *session, LoopId loop, ptxlint_loop *view)
{
    if (!all->has_figures)
        return;
    ptxlint_cycles *cycles = ptx_arena_array(all->arena, ptxlint_cycles, all->gpu_count + 1);
    ptxlint_peak *peaks = ptx_arena_array(all->arena, ptxlint_peak, all->gpu_count + 1);
    for (size_t g = 0; g < all->gpu_count; g++) {
        cycles[g] = view_cycles(all, all->gpus[g],
                                &ptx_session_throughput(session, g)->loops[loop]);
        peaks[g] = view_peak(all, all->gpus[g], &ptx_session_mixes(session)->loops[loop]);
    }
    view->cycles = cycles;
    view->peaks = peaks;
    if (!ptx_session_is_projected(session))
        return;
    ptxlint_parallelism *parallelism = ptx_arena_array(all->arena, ptxlint_parallelism,
                                                       all->gpu_count + 1);
    for (size_t g = 0; g < all->gpu_count; g++)
        parallelism[g] = view_parallelism(
            &ptx_session_parallelisms(session, g)->loops[loop]);
    view->parallelism = parallelism;
}

/* ---- residency ------------------------------------------------------------------------------- */

void ptx_view_occupancy(const Occupancy *o, ptxlint_occupancy *out)
{
    *out = (ptxlint_occupancy){
        .size = sizeof *out,
        .blocks_per_sm = ptx_view_number(o->blocks_per_sm),
        .warps_per_sm = ptx_view_number(o->warps_per_sm),
        .threads_per_sm = ptx_view_number(o->threads_per_sm),
        .blocks_at_least = ptx_view_number(o->blocks_at_least),
        .blocks_at_most = ptx_view_number(o->blocks_at_most),
        .percent = o->percent,
        .limiter = "unknown",
        .error = ptx_launch_error_text[o->error],
        .registers_allocated_per_block = ptx_view_number(o->registers_allocated_per_block),
        .shared_allocated_per_block = ptx_view_number(o->shared_allocated_per_block),
        .registers_to_free = ptx_view_number(o->registers_to_free),
        .registers_free = ptx_view_number(o->registers_free),
        .shared_to_free = ptx_view_number(o->shared_to_free),
        .shared_free = ptx_view_number(o->shared_free),
        .carveout_bytes = ptx_view_number(o->carveout_bytes),
        .clusters_at_most = ptx_view_number(o->clusters_at_most),
    };
    for (int i = 0; i < LIMITER__COUNT; i++) {
        out->limits[i] = ptx_view_number(o->limits[i]);
        if (o->limiters & 1u << i)
            out->limiters[out->limiter_count++] = ptx_limiter_text[i];
    }
    if (ptx_occupancy_limiter(o) >= 0)
        out->limiter = out->limiters[0];
}

static void view_registers(const Residency *r, const PtxasUsage *said, ptxlint_projection *out)
{
    static const ptxlint_spills spills[] = { [SPILLS_UNKNOWN] = PTXLINT_SPILLS_UNKNOWN,
                                             [SPILLS_UNLIKELY] = PTXLINT_SPILLS_UNLIKELY,
                                             [SPILLS_POSSIBLE] = PTXLINT_SPILLS_POSSIBLE,
                                             [SPILLS_LIKELY] = PTXLINT_SPILLS_LIKELY };
    static const ptxlint_register_source sources[] = {
        [REGISTERS_UNKNOWN] = PTXLINT_REGISTERS_UNKNOWN,
        [REGISTERS_MAX_LIVE] = PTXLINT_REGISTERS_MAX_LIVE,
        [REGISTERS_PTXAS] = PTXLINT_REGISTERS_PTXAS,
        [REGISTERS_MODEL] = PTXLINT_REGISTERS_MODEL
    };
    out->registers = ptx_view_number(r->registers);
    out->registers_low = ptx_view_number(r->registers_low);
    out->registers_high = ptx_view_number(r->registers_high);
    out->register_cap = ptx_view_number(r->register_cap);
    out->register_source = sources[r->source];
    out->registers_are_calibrated = r->is_calibrated;
    out->spills = spills[r->spills];
    out->spill_store_bytes = said ? ptx_view_number(said->spill_store_bytes) : PTXLINT_UNKNOWN;
    out->spill_load_bytes = said ? ptx_view_number(said->spill_load_bytes) : PTXLINT_UNKNOWN;
    out->stack_bytes = said ? ptx_view_number(said->stack_bytes) : PTXLINT_UNKNOWN;
}

static void view_residency(const Residency *r, ptxlint_projection *out)
{
    const Resources *from = &r->resources;
    ptxlint_resources *to = &out->resources;
    ptxlint_resources_init(to);
    to->threads_per_block = ptx_view_number(from->threads_per_block);
    to->registers_per_thread = ptx_view_number(from->registers_per_thread);
    to->static_shared_bytes = ptx_view_number(from->static_shared_bytes);
    to->dynamic_shared_bytes = ptx_view_number(from->dynamic_shared_bytes);
    to->barriers = ptx_view_number(from->barriers);
    to->cluster_blocks = ptx_view_number(from->cluster_blocks);
    ptx_view_occupancy(&r->occupancy, &out->occupancy);
    out->waves = r->waves.count;
    out->full_waves = ptx_view_number(r->waves.full);
    out->tail_blocks = ptx_view_number(r->waves.tail_blocks);
    out->tail_percent = r->waves.tail_percent;
    out->utilisation_percent = r->waves.utilisation_percent;
}

/* ---- the launch ------------------------------------------------------------------------------ */

_Static_assert(PART__COUNT == PTXLINT_TIME_PARTS, "all parts have room");

static const char *part_name(int part, const char *pipe)
{
    if (part < 0)
        return NULL;
    return part == PART_PIPE && pipe ? pipe : ptx_part_info[part].key;
}

static ptxlint_certainty bound_certainty(const Prediction *p)
{
    if (p->certainty == CERTAINTY_UNKNOWN || p->bound_is_assumed)
        return PTXLINT_NOT_KNOWN;
    return p->certainty == CERTAINTY_BOUND ? PTXLINT_BOUND : PTXLINT_ESTIMATE;
}

ptxlint_time ptx_project_time(const Prediction *p)
{
    ptxlint_time out = {
        .dram_bytes = p->dram_bytes,
        .bound_us = p->bound_us,
        .predicted_us = p->predicted_us,
        .low_us = p->low_us,
        .high_us = p->high_us,
        .band_is_measured = p->is_measured_gpu,
        .why = p->why,
        .bound_by = part_name(p->bound_by, p->bound_pipe),
        .limiter = part_name(p->limiter, p->pipe),
        .bound_certainty = bound_certainty(p),
        .bytes_certainty = PTXLINT_NOT_KNOWN,
        .certainty = PTXLINT_NOT_KNOWN,
    };
    if (p->band >= 0)
        out.band = ptx_band_info[p->band].key;
    if (p->bound_is_assumed)
        out.bound_why = "it would rest on assumed values: see launch.assumed";
    if (p->certainty != CERTAINTY_UNKNOWN) {
        out.part_count = PART__COUNT;
        out.certainty = PTXLINT_ESTIMATE;
        out.bytes_certainty = isnan(p->dram_bytes) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE;
    }
    for (size_t i = 0; i < out.part_count; i++)
        out.parts[i] = (ptxlint_time_part){ ptx_part_info[i].key, p->parts_us[i] };
    return out;
}

static ptxlint_executed view_executed(Sessions *all, const Executed *executed)
{
    const double unknown = (double)NAN;
    if (!executed || executed->certainty == CERTAINTY_UNKNOWN)
        return (ptxlint_executed){ unknown,
                                   unknown,
                                   unknown,
                                   unknown,
                                   unknown,
                                   NULL,
                                   0,
                                   PTXLINT_NOT_KNOWN,
                                   executed ? executed->why
                                            : "only kernels that could be read are launched" };
    ptxlint_machine_count *counts = ptx_arena_array(all->arena, ptxlint_machine_count,
                                                    MACHINE__COUNT);
    ptxlint_executed view = {
        executed->warp_instructions + executed->spill_instructions,
        executed->flops_fp32,
        executed->flops_fp64,
        executed->flops_fp16,
        executed->flops_tensor,
        counts,
        0,
        PTXLINT_ESTIMATE,
        NULL,
    };
    for (unsigned i = 0; i < MACHINE__COUNT; i++) {
        const double spilled = i == MACHINE_GLOBAL ? executed->spill_instructions : 0,
                     count = executed->machine[i] + spilled;
        if (count > 0)
            counts[view.machine_count++] = (ptxlint_machine_count){ ptx_machine_info[i].key,
                                                                    count };
    }
    return view;
}

/* ---- what holds it back ---------------------------------------------------------------------- */

/* The words of Micikevicius, "GPU Performance Analysis and Optimization" (GTC 2012), for what a
 * limiter is; -1: there is none. */
static const char *verdict_of(int part)
{
    switch (part) {
    case PART_ISSUE: case PART_PIPE: case PART_SHARED:
        return "instruction-limited";
    case PART_L1: case PART_L2: case PART_DRAM: case PART_ATOMIC:
        return "memory-limited";
    case PART_LATENCY:
        return "latency-limited";
    case PART_OVERHEAD: case PART_FETCH: case PART_DISPATCH:
        return "launch-limited";
    default:
        return NULL;
    }
}

ptxlint_bottleneck ptx_project_bottleneck(const Prediction *p, double waves)
{
    Bottleneck b = ptx_bottleneck_find(p, waves);
    return (ptxlint_bottleneck){
        .compute_percent = b.compute_percent,
        .memory_percent = b.memory_percent,
        .issue_percent = b.issue_percent,
        .relieved_us = b.relieved_us,
        .next = part_name(b.next, b.next_pipe),
        .advice = ptx_limiter_advice(p),
        .wave_us = b.wave_us,
        .tail_us = b.tail_us,
        .verdict = verdict_of(p->limiter),
        .replays = (double)NAN,
    };
}

/* the certainty of a figure that is NaN where it is not known */
static ptxlint_certainty estimated(double figure)
{
    return isnan(figure) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE;
}

static ptxlint_roofline view_roofline(const Gpu *gpu, Session *session, size_t g,
                                      const Prediction *p)
{
    Peak peak;
    ptx_peak_compute(gpu, &ptx_session_mixes(session)->func, &peak);
    Roofline r = ptx_roofline_compute(gpu, &peak, ptx_session_executed(session, g), p);
    ptxlint_roofline out = {
        r.flops,
        r.flops_per_byte,
        r.ridge_flops_per_byte,
        r.attainable_gflops,
        r.predicted_gflops,
        r.ceiling < CEILING__COUNT ? ptx_ceiling_text[r.ceiling] : NULL,
        estimated(r.predicted_gflops),
        NULL,
    };
    if (!p->are_bytes_by_data || !(r.flops > 0))
        return out;
    out.flops_per_byte = out.attainable_gflops = (double)NAN;
    out.ceiling = NULL;
    out.why = "data decide how many bytes some accesses bring";
    return out;
}

static ptxlint_concurrency view_concurrency(const Gpu *gpu, Session *session, size_t g)
{
    const double warps = ptx_session_resident_warps(session, g);
    const Evaluation *evaluation = ptx_session_evaluation_on(session, g);
    const Parallelisms *paths = ptx_session_parallelisms(session, g);
    LoopId loop = ptx_concurrency_where(ptx_session_func(session), ptx_session_cfg(session),
                                        ptx_session_loops(session), evaluation);
    Concurrency c = ptx_concurrency_compute(
        gpu, warps, loop == NO_LOOP ? &paths->rest : &paths->loops[loop], loop);
    return (ptxlint_concurrency){
        c.bytes_needed_low,
        c.bytes_needed_high,
        c.operations_needed,
        c.warps,
        c.bytes,
        c.operations,
        loop == NO_LOOP ? -1 : (int64_t)loop,
        estimated(c.bytes),
    };
}

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

/* What a GPU issues again: Micikevicius, "GPU Performance Analysis and Optimization" (GTC 2012),
 * "replays = issued - executed". */
static double count_replays(const Gpu *gpu, const Func *func, const Evaluation *evaluation)
{
    const bool has_lines = ptx_gpu_count_of(gpu, FIGURE_LOAD_BYTES, 0) == LINE_BYTES;
    double replays = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Evaluated *at = &evaluation->insns[i];
        if (at->certainty == CERTAINTY_UNKNOWN)
            continue;
        replays += at->total->wavefronts - at->total->ideal_wavefronts;
        if (has_lines && func->insns[i].op->flags & OPF_LOAD)
            replays += (at->total->sectors - at->total->ideal_sectors) * SECTOR_BYTES / LINE_BYTES;
    }
    return replays;
}

static void find_bottleneck(Sessions *all, FuncId id, size_t g, const Prediction *prediction,
                            ptxlint_projection *out)
{
    const double unknown = (double)NAN;
    Session *session = ptx_sessions_of(all, id);
    out->bottleneck = ptx_project_bottleneck(prediction, out->waves);
    out->rest = view_parallelism(&(const Parallelism){ unknown, unknown, unknown, unknown, unknown,
                                                       unknown, unknown, unknown });
    out->roofline = (ptxlint_roofline){ unknown, unknown, unknown,           unknown,
                                        unknown, NULL,    PTXLINT_NOT_KNOWN, NULL };
    out->concurrency = (ptxlint_concurrency){ unknown, unknown, unknown, unknown,
                                              unknown, unknown, -1,      PTXLINT_NOT_KNOWN };
    if (!ptx_session_is_projected(session))
        return;
    out->rest = view_parallelism(&ptx_session_parallelisms(session, g)->rest);
    out->roofline = view_roofline(all->gpus[g], session, g, prediction);
    out->concurrency = view_concurrency(all->gpus[g], session, g);
    if (prediction->limiter >= 0)
        out->bottleneck.replays = count_replays(all->gpus[g], ptx_session_func(session),
                                                ptx_session_evaluation_on(session, g));
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* NULL: it is no kernel that could be read. overview: has room for the answer. */
static const Executed *executed_of(const Sessions *all, Session *session, size_t g,
                                   Executed *overview)
{
    if (ptx_session_is_projected(session))
        return ptx_session_executed(session, g);
    if (!all->has_overview || !ptx_session_has_model(session))
        return NULL;
    *overview = ptx_executed_without_grid(ptx_session_func(session));
    return overview;
}

static void project_on_each(Sessions *all, FuncId id, ptxlint_projection *projections)
{
    Session *session = ptx_sessions_of(all, id);
    bool has_flow = ptx_session_cfg(session);
    Executed overview;
    for (size_t g = 0; g < all->gpu_count; g++) {
        const Gpu *gpu = all->gpus[g];
        ptxlint_projection *out = &projections[g];
        out->size = sizeof *out;
        out->gpu = ptx_gpu_handle(gpu);
        const Residency *residency = ptx_session_residency(session, g);
        view_registers(residency, ptx_session_ptxas_usage(session, g), out);
        view_residency(residency, out);
        out->executed = view_executed(all, executed_of(all, session, g, &overview));
        if (all->has_overview)
            out->time = ptx_project_time(&ptx_prediction_unknown);
        if (ptx_sessions_find_only(all))
            continue;
        if (has_flow)
            out->cycles = view_cycles(all, gpu, &ptx_session_throughput(session, g)->func);
        out->peak = view_peak(all, gpu,
                              has_flow ? &ptx_session_mixes(session)->func : &(const Mix){ 0 });
        const Prediction *prediction = ptx_session_predict(session, g);
        out->time = ptx_project_time(prediction);
        find_bottleneck(all, id, g, prediction, out);
    }
    if (!ptx_sessions_find_only(all))
        ptx_view_instructions(all, id, projections);
}

/* Where findings alone are asked for, most functions have the same. */
void ptx_project_kernel(Sessions *all, FuncId id, ptxlint_kernel *kernel)
{
    kernel->projection_count = all->gpu_count;
    if (ptx_sessions_find_only(all) && all->gpu_count == 1) {
        ptxlint_projection only;
        memset(&only, 0, sizeof only);
        project_on_each(all, id, &only);
        kernel->projections = ptx_sessions_share(all, &only, sizeof only);
        return;
    }
    ptxlint_projection *projections = ptx_arena_array(all->arena, ptxlint_projection,
                                                      all->gpu_count);
    project_on_each(all, id, projections);
    kernel->projections = projections;
}
