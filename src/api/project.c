/* project.c -- a kernel and its loops on each GPU: occupancy, waves, cycles, peaks, in the words of the public interface. */
#include "api/gpu.h"
#include "api/module.h"
#include "api/ptxas.h"

#include "analysis/time/peak.h"
#include "analysis/time/band.h"
#include "analysis/time/bottleneck.h"

#include <math.h>
#include <string.h>

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

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

static double longest_of(const ptxlint_pipe_cycles *p)
{
    return p->longest;
}

static double shortest_of(const ptxlint_pipe_cycles *p)
{
    return p->shortest;
}

/* The pipes that the GPU's file describes; of the matrix unit it gives rates by type instead of lanes. */
static ptxlint_cycles view_cycles(ptxlint_module *m, const Gpu *gpu, const PipeCycles *cycles)
{
    ptxlint_pipe_cycles *pipes = ptx_arena_array(&m->arena, ptxlint_pipe_cycles, PIPE__COUNT);
    ptxlint_cycles view = { .pipes = pipes };
    for (int p = 0; p < PIPE__COUNT; p++) {
        if (!(gpu->pipes[p].lanes > 0) && (p != PIPE_TENSOR || !ptx_gpu_has(gpu, FIGURE_TENSOR_F16)))
            continue;
        const Cycles *c = &cycles->pipes[p];
        pipes[view.pipe_count++] = (ptxlint_pipe_cycles){ ptx_pipe_info[p].key, c->total, c->longest, c->shortest };
    }
    view.bound_total = bound_by(&view, total_of);
    view.bound_longest = bound_by(&view, longest_of);
    view.bound_shortest = bound_by(&view, shortest_of);
    return view;
}

static ptxlint_peak view_peak(ptxlint_module *m, const Gpu *gpu, const Mix *mix)
{
    Peak peak;
    ptx_peak_compute(gpu, mix, &peak);
    ptxlint_ceiling *ceilings = ptx_arena_array(&m->arena, ptxlint_ceiling, CEILING__COUNT);
    for (int i = 0; i < CEILING__COUNT; i++)
        ceilings[i] = (ptxlint_ceiling){ ptx_ceiling_text[i], peak.ceilings[i] };
    return (ptxlint_peak){
        .issue_gops = peak.issue_gops, .peak_gflops = peak.peak_gflops, .potential_gflops = peak.potential_gflops,
        .demand_gb_per_s = peak.demand_gb_per_s, .memory_gb_per_s = peak.memory_gb_per_s, .flops_per_byte = peak.flops_per_byte,
        .attainable_gflops = peak.attainable_gflops, .ceiling = peak.ceiling < CEILING__COUNT ? ptx_ceiling_text[peak.ceiling] : NULL,
        .ceilings = ceilings, .ceiling_count = CEILING__COUNT,
    };
}

static ptxlint_parallelism view_parallelism(const Parallelism *p)
{
    return (ptxlint_parallelism){
        .instructions = p->instructions, .path_instructions = p->path, .path_clocks = p->path_clocks, .carried_clocks = p->carried_clocks,
        .ilp = ptx_parallelism_ilp(p), .loads = p->loads, .load_path = p->load_path, .mlp = ptx_parallelism_mlp(p), .load_bytes = p->load_bytes,
        .certainty = isnan(p->path) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE,
    };
}

void ptx_project_loop(ptxlint_module *m, Session *session, LoopId loop, ptxlint_loop *view)
{
    if (!ptx_module_has_figures(m))
        return;
    ptxlint_cycles *cycles = ptx_arena_array(&m->arena, ptxlint_cycles, m->gpu_count + 1);
    ptxlint_peak *peaks = ptx_arena_array(&m->arena, ptxlint_peak, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count; g++) {
        cycles[g] = view_cycles(m, m->gpus[g], &ptx_session_throughput(session, g)->loops[loop]);
        peaks[g] = view_peak(m, m->gpus[g], &ptx_session_mixes(session)->loops[loop]);
    }
    view->cycles = cycles;
    view->peaks = peaks;
    if (!ptx_session_is_projected(session))
        return;
    ptxlint_parallelism *parallelism = ptx_arena_array(&m->arena, ptxlint_parallelism, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count; g++)
        parallelism[g] = view_parallelism(&ptx_session_parallelisms(session, BUDGET_FIGURES, g)->loops[loop]);
    view->parallelism = parallelism;
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

static void find_modelled(const Pressure *model, ptxlint_projection *out)
{
    static const ptxlint_spills spills[] = { [SPILLS_UNKNOWN] = PTXLINT_SPILLS_UNKNOWN, [SPILLS_UNLIKELY] = PTXLINT_SPILLS_UNLIKELY,
                                             [SPILLS_POSSIBLE] = PTXLINT_SPILLS_POSSIBLE, [SPILLS_LIKELY] = PTXLINT_SPILLS_LIKELY };
    out->registers = model->registers;
    out->registers_low = model->low;
    out->registers_high = model->high;
    out->register_source = PTXLINT_REGISTERS_MODEL;
    out->registers_are_calibrated = model->is_calibrated;
    out->register_cap = model->cap;
    out->spills = spills[model->spills];
}

/* ptxas's word, else the model's, else what is live at most. model: NULL without one. */
static void find_registers(const PtxasKernel *said, const Pressure *model, const ptxlint_kernel *kernel, ptxlint_projection *out)
{
    out->registers = out->registers_low = out->registers_high = out->register_cap = PTXLINT_UNKNOWN;
    out->spill_store_bytes = said ? said->spill_store_bytes : PTXLINT_UNKNOWN;
    out->spill_load_bytes = said ? said->spill_load_bytes : PTXLINT_UNKNOWN;
    out->stack_bytes = said ? said->stack_bytes : PTXLINT_UNKNOWN;
    if (model && model->is_known)
        find_modelled(model, out);
    if (said) {
        out->registers = out->registers_low = out->registers_high = said->registers;
        out->register_source = PTXLINT_REGISTERS_PTXAS;
    } else if (out->registers == PTXLINT_UNKNOWN && kernel->pressure.max_live != PTXLINT_UNKNOWN) {
        out->registers = kernel->pressure.max_live;
        out->register_source = PTXLINT_REGISTERS_MAX_LIVE;
    }
}

/* Where no array of unknown size is named, by the function or by what it may call, a launch has no use for dynamic shared memory. */
static bool may_use_dynamic_shared(const ptxlint_module *m, FuncId id)
{
    const Func *func = &m->ir->funcs[id];
    if (m->unit_shared[m->ir->funcs[id].unit].has_unsized && ptx_view_may_share(m, id))
        return true;
    for (uint32_t o = 0; o < func->operand_count; o++) {
        const Var *var = func->operands[o].kind == OPERAND_VAR ? &m->ir->vars[func->operands[o].id] : NULL;
        if (var && var->space == SPACE_SHARED && !var->bytes)
            return true;
    }
    return false;
}

/* No cluster unless the launch or a directive asks for one. */
static int64_t cluster_blocks(const ptxlint_kernel *kernel)
{
    int64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        int64_t size = kernel->launch.cluster[i];
        if (size == PTXLINT_UNKNOWN)
            return 0;
        if (__builtin_mul_overflow(blocks, size, &blocks))
            return INT64_MAX;
    }
    return blocks;
}

static void find_occupancy(const ptxlint_module *m, FuncId id, const ptxlint_kernel *kernel, const PtxasKernel *said, ptxlint_projection *out)
{
    ptxlint_resources *r = &out->resources;
    ptxlint_resources_init(r);
    r->threads_per_block = kernel->launch.threads_per_block;
    r->registers_per_thread = out->registers;
    r->static_shared_bytes = kernel->static_shared_bytes;
    r->dynamic_shared_bytes = kernel->launch.dynamic_shared_bytes;
    r->barriers = kernel->barriers;
    r->cluster_blocks = cluster_blocks(kernel);
    if (said && said->barriers >= 0)    /* ptxas has seen what is called */
        r->barriers = said->barriers;
    if (said && r->static_shared_bytes == PTXLINT_UNKNOWN)
        r->static_shared_bytes = said->shared_bytes;
    if (r->dynamic_shared_bytes == PTXLINT_UNKNOWN && !may_use_dynamic_shared(m, id))
        r->dynamic_shared_bytes = 0;
    out->occupancy.size = sizeof out->occupancy;
    ptxlint_occupancy_compute(out->gpu, r, &out->occupancy);
}

static double number(int64_t value)
{
    return value == PTXLINT_UNKNOWN ? (double)NAN : (double)value;
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static void find_waves(const Gpu *gpu, const ptxlint_kernel *kernel, ptxlint_projection *out)
{
    int64_t blocks = kernel->launch.blocks, per_sm = out->occupancy.blocks_per_sm;
    out->waves = out->tail_percent = out->utilisation_percent = (double)NAN;
    out->full_waves = out->tail_blocks = PTXLINT_UNKNOWN;
    if (blocks == PTXLINT_UNKNOWN || per_sm == PTXLINT_UNKNOWN || per_sm < 1 || !ptx_gpu_has(gpu, FIGURE_SMS))
        return;
    int64_t wave = (int64_t)gpu->figures[FIGURE_SMS] * per_sm, last = blocks % wave;
    out->waves = (double)blocks / (double)wave;
    out->full_waves = blocks / wave;
    out->tail_blocks = last;
    out->tail_percent = last ? 100.0 * (double)last / (double)wave : 100;
    out->utilisation_percent = 100 * out->waves / (double)(out->full_waves + (last != 0));
}

/* Nothing is predicted of a launch that is not known, or that does not fit. */
static Prediction predict(Session *session, size_t g, const ptxlint_kernel *kernel, const ptxlint_projection *of)
{
    const Residency residency = {
        .blocks = number(kernel->launch.blocks), .warps_per_block = kernel->launch.block_is_assumed ? (double)NAN : number(kernel->launch.warps_per_block),
        .blocks_per_sm = number(of->occupancy.blocks_per_sm),
    };
    return *ptx_session_predict(session, BUDGET_FIGURES, g, &residency);
}

_Static_assert(PART__COUNT == PTXLINT_TIME_PARTS, "all parts have room");

static const char *part_name(int part, const char *pipe)
{
    return part < 0 ? NULL : part == PART_PIPE && pipe ? pipe : ptx_part_info[part].key;
}

ptxlint_time ptx_project_time(const Prediction *p)
{
    bool is_known = p->certainty != CERTAINTY_UNKNOWN;
    ptxlint_time out = {
        .dram_bytes = p->dram_bytes, .bound_us = p->bound_us, .predicted_us = p->predicted_us, .low_us = p->low_us, .high_us = p->high_us,
        .band = p->band < 0 ? NULL : ptx_band_info[p->band].key, .band_is_measured = p->is_measured_gpu,
        .why = p->why,
        .bound_why = p->bound_is_assumed ? "it would rest on assumed values: see launch.assumed" : NULL,
        .bound_by = part_name(p->bound_by, p->bound_pipe), .limiter = part_name(p->limiter, p->pipe), .part_count = is_known ? PART__COUNT : 0,
        .bytes_certainty = is_known ? PTXLINT_ESTIMATE : PTXLINT_NOT_KNOWN,
        .bound_certainty = !is_known || p->bound_is_assumed ? PTXLINT_NOT_KNOWN : p->certainty == CERTAINTY_BOUND ? PTXLINT_BOUND : PTXLINT_ESTIMATE,
        .certainty = is_known ? PTXLINT_ESTIMATE : PTXLINT_NOT_KNOWN,
    };
    for (size_t i = 0; i < out.part_count; i++)
        out.parts[i] = (ptxlint_time_part){ ptx_part_info[i].key, p->parts_us[i] };
    return out;
}

static ptxlint_executed view_executed(ptxlint_module *m, const Executed *executed)
{
    const double unknown = (double)NAN;
    if (!executed || executed->certainty == CERTAINTY_UNKNOWN)
        return (ptxlint_executed){ unknown, unknown, unknown, unknown, unknown, NULL, 0, PTXLINT_NOT_KNOWN,
                                   executed ? executed->why : "only kernels that could be read are launched" };
    ptxlint_machine_count *counts = ptx_arena_array(&m->arena, ptxlint_machine_count, MACHINE__COUNT);
    ptxlint_executed view = {
        executed->warp_instructions, executed->flops_fp32, executed->flops_fp64, executed->flops_fp16, executed->flops_tensor, counts, 0, PTXLINT_ESTIMATE, NULL,
    };
    for (unsigned i = 0; i < MACHINE__COUNT; i++)
        if (executed->machine[i] > 0)
            counts[view.machine_count++] = (ptxlint_machine_count){ ptx_machine_info[i].key, executed->machine[i] };
    return view;
}

/* ---- what holds it back ------------------------------------------------------------------------------------------ */

ptxlint_bottleneck ptx_project_bottleneck(const Prediction *p, double waves)
{
    Bottleneck b = ptx_bottleneck_find(p, waves);
    return (ptxlint_bottleneck){
        .compute_percent = b.compute_percent, .memory_percent = b.memory_percent, .issue_percent = b.issue_percent, .relieved_us = b.relieved_us,
        .next = part_name(b.next, b.next_pipe), .advice = p->limiter < 0 ? NULL : ptx_part_info[p->limiter].advice, .wave_us = b.wave_us, .tail_us = b.tail_us,
    };
}

static ptxlint_roofline view_roofline(const Gpu *gpu, Session *session, size_t g, const Prediction *p)
{
    Peak peak;
    ptx_peak_compute(gpu, &ptx_session_mixes(session)->func, &peak);
    Roofline r = ptx_roofline_compute(gpu, &peak, ptx_session_executed(session, g), p);
    return (ptxlint_roofline){
        r.flops, r.flops_per_byte, r.ridge_flops_per_byte, r.attainable_gflops, r.predicted_gflops, r.ceiling < CEILING__COUNT ? ptx_ceiling_text[r.ceiling] : NULL,
        isnan(r.attainable_gflops) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE,
    };
}

/* No more warps than the grid has for an SM. */
static double resident_warps(const Gpu *gpu, const ptxlint_kernel *kernel, const ptxlint_projection *of)
{
    double each = number(kernel->launch.warps_per_block), fit = number(of->occupancy.blocks_per_sm);
    double come = ceil(number(kernel->launch.blocks) / gpu->figures[FIGURE_SMS]);
    return kernel->launch.block_is_assumed ? (double)NAN : each * (come < fit ? come : fit);
}

static ptxlint_concurrency view_concurrency(const Gpu *gpu, Session *session, size_t g, double warps)
{
    const Evaluation *evaluation = ptx_session_evaluation(session, BUDGET_FIGURES);
    const Parallelisms *all = ptx_session_parallelisms(session, BUDGET_FIGURES, g);
    LoopId loop = ptx_concurrency_where(ptx_session_func(session), ptx_session_cfg(session), ptx_session_loops(session), evaluation);
    Concurrency c = ptx_concurrency_compute(gpu, warps, loop == NO_LOOP ? &all->rest : &all->loops[loop], loop);
    return (ptxlint_concurrency){
        c.bytes_needed_low, c.bytes_needed_high, c.operations_needed, c.warps, c.bytes, c.operations, loop == NO_LOOP ? -1 : (int64_t)loop,
        isnan(c.bytes) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE,
    };
}

static void find_bottleneck(ptxlint_module *m, FuncId id, size_t g, const Prediction *prediction, const ptxlint_kernel *kernel, ptxlint_projection *out)
{
    const double unknown = (double)NAN;
    Session *session = ptx_session_at(m, id);
    out->bottleneck = ptx_project_bottleneck(prediction, out->waves);
    out->rest = view_parallelism(&(const Parallelism){ unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown });
    out->roofline = (ptxlint_roofline){ unknown, unknown, unknown, unknown, unknown, NULL, PTXLINT_NOT_KNOWN };
    out->concurrency = (ptxlint_concurrency){ unknown, unknown, unknown, unknown, unknown, unknown, -1, PTXLINT_NOT_KNOWN };
    if (!session || !ptx_session_is_projected(session))
        return;
    out->rest = view_parallelism(&ptx_session_parallelisms(session, BUDGET_FIGURES, g)->rest);
    out->roofline = view_roofline(m->gpus[g], session, g, prediction);
    out->concurrency = view_concurrency(m->gpus[g], session, g, resident_warps(m->gpus[g], kernel, out));
}

/* ---- what the directives allow ----------------------------------------------------------------------------------- */

/* .reqntid, else .maxntid; unknown without them. */
static double most_threads(const uint32_t reqntid[3], const uint32_t maxntid[3])
{
    const uint32_t *dims = reqntid[0] ? reqntid : maxntid;
    double threads = dims[0];
    for (int i = 1; i < 3; i++)
        threads *= dims[i] ? dims[i] : 1;
    return dims[0] ? threads : (double)NAN;
}

const char *ptx_project_block_error(const uint32_t reqntid[3], const uint32_t maxntid[3], const int64_t block[3])
{
    for (int i = 0; i < 3 && reqntid[0]; i++)
        if (block[i] != (reqntid[i] ? reqntid[i] : 1))
            return "the block is not that of .reqntid";
    double threads = (double)block[0] * (double)block[1] * (double)block[2];
    return threads > most_threads(reqntid, maxntid) ? "the block has more threads than .maxntid allows" : NULL;
}

void ptx_project_kernel(ptxlint_module *m, const ptxlint_options *options, FuncId id, ptxlint_kernel *kernel)
{
    ptxlint_projection *projections = ptx_arena_array(&m->arena, ptxlint_projection, m->gpu_count + 1);
    Session *session = ptx_session_at(m, id);
    bool is_projected = session && ptx_session_is_projected(session), has_flow = session && ptx_session_cfg(session);
    kernel->projections = projections;
    kernel->projection_count = m->gpu_count;
    for (size_t g = 0; g < m->gpu_count; g++) {
        const Gpu *gpu = m->gpus[g];
        ptxlint_projection *out = &projections[g];
        out->size = sizeof *out;
        out->gpu = ptx_gpu_handle(gpu);
        const PtxasKernel *said = options->ptxas ? ptx_ptxas_find(options->ptxas, kernel->name, gpu->sm) : NULL;
        find_registers(said, session && ptx_session_has_model(session) ? ptx_session_pressure(session, g) : NULL, kernel, out);
        find_occupancy(m, id, kernel, said, out);
        find_waves(gpu, kernel, out);
        out->executed = view_executed(m, is_projected ? ptx_session_executed(session, g) : NULL);
        if (options->findings_only)
            continue;
        if (has_flow)
            out->cycles = view_cycles(m, gpu, &ptx_session_throughput(session, g)->func);
        out->peak = view_peak(m, gpu, has_flow ? &ptx_session_mixes(session)->func : &(const Mix){ 0 });
        Prediction prediction = is_projected && !kernel->launch.error ? predict(session, g, kernel, out) : ptx_prediction_unknown;
        out->time = ptx_project_time(&prediction);
        find_bottleneck(m, id, g, &prediction, kernel, out);
    }
}

/* ---- for the rules ----------------------------------------------------------------------------------------------- */

static int find_limiter(const ptxlint_occupancy *occupancy)
{
    for (int l = 0; l < LIMITER__COUNT; l++)
        if (occupancy->limiter && !strcmp(occupancy->limiter, ptx_limiter_text[l]))
            return l;
    return -1;
}

/* Occupancy without a block size would be that of an assumed one: no finding rests on it. */
static void project_occupancy(const ptxlint_kernel *kernel, Figures *f)
{
    const ptxlint_projection *projection = kernel->projection_count ? kernel->projections : NULL;
    if (!projection)
        return;
    const ptxlint_occupancy *occupancy = &projection->occupancy;
    bool is_known = !kernel->launch.block_is_assumed;
    f->certainty = projection->register_source == PTXLINT_REGISTERS_PTXAS ? CERTAINTY_EXACT : CERTAINTY_ESTIMATE;
    f->registers = number(projection->registers);
    f->spill_bytes = projection->spill_store_bytes == PTXLINT_UNKNOWN ? (double)NAN : (double)projection->spill_store_bytes + (double)projection->spill_load_bytes;
    if (!is_known)
        return;
    f->occupancy_percent = occupancy->percent;
    f->blocks_per_sm = number(occupancy->blocks_per_sm);
    f->registers_to_free = number(occupancy->registers_to_free);
    f->shared_to_free = number(occupancy->shared_to_free);
    f->limiter = find_limiter(occupancy);
    f->launch_error = occupancy->error;
    f->waves = projection->waves;
    f->tail_blocks = number(projection->tail_blocks);
    f->utilisation_percent = projection->utilisation_percent;
}

void ptx_project_figures(const ptxlint_kernel *kernel, Figures *f)
{
    const double unknown = (double)NAN;
    *f = (Figures){
        .block_threads = kernel->launch.block_is_assumed ? unknown : number(kernel->launch.threads_per_block),
        .most_threads = most_threads(kernel->reqntid, kernel->maxntid), .grid_blocks = number(kernel->launch.blocks), .block_exceeds_bounds = kernel->launch.error != NULL,
        .register_cap = kernel->maxnreg ? (double)kernel->maxnreg : unknown, .static_shared_bytes = number(kernel->static_shared_bytes),
        .local_bytes = number(kernel->local_bytes), .spill_bytes = unknown, .registers = unknown, .occupancy_percent = unknown,
        .blocks_per_sm = unknown, .registers_to_free = unknown, .shared_to_free = unknown, .waves = unknown, .tail_blocks = unknown,
        .utilisation_percent = unknown, .limiter = -1, .certainty = CERTAINTY_ESTIMATE,
    };
    project_occupancy(kernel, f);
}
