/* What a kernel is on one GPU, as JSON values: registers, occupancy, waves, cycles, peaks,
 * bounds. */
#include "report/json_writer.h"

#include <math.h>
#include <string.h>

/* ---- registers ------------------------------------------------------------------------------- */

const char *ptx_report_registers(const ptxlint_projection *projection)
{
    switch (projection ? projection->register_source : PTXLINT_REGISTERS_UNKNOWN) {
    case PTXLINT_REGISTERS_PTXAS:    return "ptxas";
    case PTXLINT_REGISTERS_MODEL:    return "model";
    case PTXLINT_REGISTERS_MAX_LIVE: return "max-live";
    case PTXLINT_REGISTERS_UNKNOWN:  break;
    }
    return "unknown";
}

const char *ptx_report_spills(const ptxlint_projection *projection)
{
    static const char *const texts[] = { [PTXLINT_SPILLS_UNKNOWN] = "unknown",
                                         [PTXLINT_SPILLS_UNLIKELY] = "unlikely",
                                         [PTXLINT_SPILLS_POSSIBLE] = "possible",
                                         [PTXLINT_SPILLS_LIKELY] = "likely" };
    return texts[projection ? projection->spills : PTXLINT_SPILLS_UNKNOWN];
}

static void put_calibrated(Json *json, const char *key, const ptxlint_projection *p)
{
    if (p)
        ptx_json_bool(json, key, p->registers_are_calibrated);
    else
        ptx_json_null(json, key);
}

static void put_live(Json *json, const char *key, const ptxlint_pressure *pressure)
{
    if (pressure)
        ptx_json_names(json, key, pressure->live, pressure->live_count);
    else
        ptx_json_null(json, key);
}

/* What is live at most is no prediction: "source" then says "none". */
static void set_predicted(Json *json, const ptxlint_projection *p)
{
    bool is_known = p
                    && (p->register_source == PTXLINT_REGISTERS_PTXAS
                        || p->register_source == PTXLINT_REGISTERS_MODEL);
    ptx_json_int(json, "predicted", is_known ? p->registers : PTXLINT_UNKNOWN);
    ptx_json_int(json, "low", is_known ? p->registers_low : PTXLINT_UNKNOWN);
    ptx_json_int(json, "high", is_known ? p->registers_high : PTXLINT_UNKNOWN);
    ptx_json_text(json, "source", is_known ? ptx_report_registers(p) : "none");
    put_calibrated(json, "calibrated", is_known ? p : NULL);
    ptx_json_int(json, "cap", p ? p->register_cap : PTXLINT_UNKNOWN);
    ptx_json_text(json, "spills", ptx_report_spills(p));
    ptx_json_int(json, "spill_stores", p ? p->spill_store_bytes : PTXLINT_UNKNOWN);
    ptx_json_int(json, "spill_loads", p ? p->spill_load_bytes : PTXLINT_UNKNOWN);
    ptx_json_int(json, "stack", p ? p->stack_bytes : PTXLINT_UNKNOWN);
}

void ptx_json_registers(Json *json, const char *key, const ptxlint_module *module,
                        const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    const ptxlint_pressure *pressure = &kernel->pressure;
    bool is_known = pressure->max_live != PTXLINT_UNKNOWN;
    ptx_json_object(json, key);
    set_predicted(json, projection);
    ptx_json_int(json, "max_live", pressure->max_live);
    ptx_json_given(json, "max_live_line",
                   is_known ? ptxlint_module_place(module, pressure->where.begin).line : 0);
    ptx_json_int(json, "max_live_64", pressure->max_live_64);
    ptx_json_int(json, "max_live_16", pressure->max_live_16);
    ptx_json_int(json, "max_live_predicates", pressure->max_live_predicates);
    put_live(json, "live", is_known ? pressure : NULL);
    ptx_json_reasons(json, ptx_reason_registers, &(ReasonContext){ kernel, projection });
    ptx_json_end(json);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

const char *const ptx_report_limits[PTXLINT_LIMITER_COUNT] = { "warps", "registers", "shared",
                                                               "blocks", "barriers" };

/* A number of blocks; "none": no limit; null: not known. */
static void put_limit(Json *json, const char *key, const ptxlint_occupancy *occupancy,
                      size_t limiter)
{
    if (occupancy->limits[limiter] == INT64_MAX)
        ptx_json_text(json, key, "none");
    else
        ptx_json_int(json, key, occupancy->limits[limiter]);
}

static void put_limits(Json *json, const char *key, const ptxlint_occupancy *occupancy)
{
    ptx_json_object(json, key);
    for (size_t i = 0; i < PTXLINT_LIMITER_COUNT; i++)
        put_limit(json, ptx_report_limits[i], occupancy, i);
    ptx_json_end(json);
}

static void put_curve(Json *json, const char *key, const ptxlint_projection *projection)
{
    ptxlint_occupancy_point points[CURVE_POINTS];
    size_t count = projection ? ptxlint_occupancy_curve(projection->gpu, &projection->resources,
                                                        points, CURVE_POINTS)
                              : 0;
    ptx_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        ptx_json_object(json, NULL);
        ptx_json_int(json, "threads", points[i].threads_per_block);
        ptx_json_int(json, "blocks", points[i].blocks_per_sm);
        ptx_json_int(json, "warps", points[i].warps_per_sm);
        ptx_json_real(json, "percent", points[i].percent);
        ptx_json_bool(json, "best", points[i].is_best);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

/* An answer for fewer registers than ptxas may take, or for a block size that was not given, is an
 * estimate. */
ptxlint_certainty ptx_report_occupancy(const ptxlint_kernel *kernel,
                                       const ptxlint_projection *projection)
{
    if (!projection || projection->occupancy.blocks_per_sm == PTXLINT_UNKNOWN)
        return PTXLINT_NOT_KNOWN;
    return !kernel->launch.block_is_assumed
                   && projection->register_source == PTXLINT_REGISTERS_PTXAS
               ? PTXLINT_EXACT
               : PTXLINT_ESTIMATE;
}

static void set_steps(Json *json, const ptxlint_occupancy *o)
{
    ptx_json_int(json, "registers_to_free", o->registers_to_free);
    ptx_json_int(json, "registers_free", o->registers_free);
    ptx_json_int(json, "shared_to_free", o->shared_to_free);
    ptx_json_int(json, "shared_free", o->shared_free);
    ptx_json_int(json, "registers_allocated_per_block", o->registers_allocated_per_block);
    ptx_json_int(json, "shared_allocated_per_block", o->shared_allocated_per_block);
    ptx_json_int(json, "carveout_bytes", o->carveout_bytes);
    ptx_json_int(json, "clusters_at_most", o->clusters_at_most);
}

static void set_projection_residents(Json *json, const ptxlint_occupancy *o)
{
    ptx_json_int(json, "blocks_per_sm", o->blocks_per_sm);
    ptx_json_int(json, "warps_per_sm", o->warps_per_sm);
    ptx_json_int(json, "threads_per_sm", o->threads_per_sm);
    ptx_json_real(json, "percent", o->percent);
    ptx_json_int(json, "blocks_at_least", o->blocks_at_least);
    ptx_json_int(json, "blocks_at_most", o->blocks_at_most);
    ptx_json_text(json, "limiter", o->limiter);
    ptx_json_names(json, "limiters", o->limiters, o->limiter_count);
    put_limits(json, "limits", o);
    ptx_json_text(json, "error", o->error);
}

/* Of a kernel on no GPU. */
static const ptxlint_occupancy nothing = {
    .blocks_per_sm = PTXLINT_UNKNOWN,
    .warps_per_sm = PTXLINT_UNKNOWN,
    .threads_per_sm = PTXLINT_UNKNOWN,
    .blocks_at_least = PTXLINT_UNKNOWN,
    .blocks_at_most = PTXLINT_UNKNOWN,
    .percent = (double)NAN,
    .limiter = "unknown",
    .limits = { PTXLINT_UNKNOWN, PTXLINT_UNKNOWN, PTXLINT_UNKNOWN, PTXLINT_UNKNOWN,
                PTXLINT_UNKNOWN },
    .registers_allocated_per_block = PTXLINT_UNKNOWN,
    .shared_allocated_per_block = PTXLINT_UNKNOWN,
    .registers_to_free = PTXLINT_UNKNOWN,
    .registers_free = PTXLINT_UNKNOWN,
    .shared_to_free = PTXLINT_UNKNOWN,
    .shared_free = PTXLINT_UNKNOWN,
    .carveout_bytes = PTXLINT_UNKNOWN,
    .clusters_at_most = PTXLINT_UNKNOWN,
};

void ptx_json_occupancy(Json *json, const char *key, const ptxlint_kernel *kernel,
                        const ptxlint_projection *projection)
{
    const ptxlint_occupancy *occupancy = projection ? &projection->occupancy : &nothing;
    ptx_json_object(json, key);
    set_projection_residents(json, occupancy);
    ptx_json_int(json, "registers", projection ? projection->registers : PTXLINT_UNKNOWN);
    ptx_json_text(json, "registers_source", ptx_report_registers(projection));
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(ptx_report_occupancy(kernel, projection)));
    set_steps(json, occupancy);
    ptx_json_why(json, ptx_why_occupancy(projection));
    put_curve(json, "curve", projection);
    ptx_json_reasons(json, ptx_reason_occupancy, &(ReasonContext){ kernel, projection });
    ptx_json_end(json);
}

void ptx_json_waves(Json *json, const char *key, const ptxlint_projection *projection)
{
    double unknown = (double)NAN;
    ptx_json_object(json, key);
    ptx_json_real(json, "waves", projection ? projection->waves : unknown);
    ptx_json_int(json, "full_waves", projection ? projection->full_waves : PTXLINT_UNKNOWN);
    ptx_json_int(json, "tail_blocks", projection ? projection->tail_blocks : PTXLINT_UNKNOWN);
    ptx_json_real(json, "tail_percent", projection ? projection->tail_percent : unknown);
    ptx_json_real(json, "utilisation_percent",
                  projection ? projection->utilisation_percent : unknown);
    ptx_json_why(json, ptx_why_waves(projection));
    ptx_json_end(json);
}

/* ---- cycles, peaks, bounds ------------------------------------------------------------------- */

static void put_time_bound(Json *json, const char *key, const ptxlint_cycles *cycles)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "total", cycles ? cycles->bound_total : NULL);
    ptx_json_text(json, "longest", cycles ? cycles->bound_longest : NULL);
    ptx_json_text(json, "shortest", cycles ? cycles->bound_shortest : NULL);
    ptx_json_reasons(json, ptx_reason_bound, cycles);
    ptx_json_end(json);
}

void ptx_json_cycles(Json *json, const char *key, const ptxlint_cycles *cycles)
{
    ptx_json_object(json, key);
    for (size_t i = 0; cycles && i < cycles->pipe_count; i++) {
        const ptxlint_pipe_cycles *pipe = &cycles->pipes[i];
        ptx_json_object(json, pipe->pipe);
        ptx_json_real(json, "total", pipe->total);
        ptx_json_real(json, "longest", pipe->longest);
        ptx_json_real(json, "shortest", pipe->shortest);
        ptx_json_end(json);
    }
    put_time_bound(json, "bound", cycles);
    ptx_json_why(json, ptx_why_cycles(cycles));
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(cycles ? PTXLINT_BOUND : PTXLINT_NOT_KNOWN));
    ptx_json_end(json);
}

static void put_ceilings(Json *json, const char *key, const ptxlint_peak *peak)
{
    ptx_json_array(json, key);
    for (size_t i = 0; peak && i < peak->ceiling_count; i++) {
        ptx_json_object(json, NULL);
        ptx_json_text(json, "name", peak->ceilings[i].name);
        ptx_json_real(json, "gflops", peak->ceilings[i].gflops);
        ptx_json_why(json, isfinite(peak->ceilings[i].gflops)
                               ? NULL
                               : ptx_reason_ceiling(peak, peak->ceilings[i].name));
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

void ptx_json_peak(Json *json, const char *key, const ptxlint_peak *peak)
{
    double unknown = (double)NAN;
    ptx_json_object(json, key);
    ptx_json_real(json, "issue_gops", peak ? peak->issue_gops : unknown);
    ptx_json_real(json, "peak_gflops", peak ? peak->peak_gflops : unknown);
    ptx_json_real(json, "potential_gflops", peak ? peak->potential_gflops : unknown);
    ptx_json_real(json, "demand_gb_per_s", peak ? peak->demand_gb_per_s : unknown);
    ptx_json_real(json, "memory_gb_per_s", peak ? peak->memory_gb_per_s : unknown);
    ptx_json_real(json, "flops_per_byte", peak ? peak->flops_per_byte : unknown);
    ptx_json_real(json, "attainable_gflops", peak ? peak->attainable_gflops : unknown);
    ptx_json_text(json, "ceiling", peak ? peak->ceiling : NULL);
    put_ceilings(json, "ceilings", peak);
    ptx_json_why(json, ptx_why_peak(peak));
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(peak ? PTXLINT_ESTIMATE : PTXLINT_NOT_KNOWN));
    ptx_json_reasons(json, ptx_reason_peak, peak);
    ptx_json_end(json);
}

static void put_machine(Json *json, const char *key, const ptxlint_executed *executed)
{
    if (!ptx_json_optional(json, key, executed && executed->certainty != PTXLINT_NOT_KNOWN))
        return;
    for (size_t i = 0; i < executed->machine_count; i++)
        ptx_json_real(json, executed->machine[i].machine, executed->machine[i].warp_instructions);
    ptx_json_end(json);
}

static void put_parts(Json *json, const char *key, const ptxlint_time *time)
{
    ptx_json_object(json, key);
    for (size_t i = 0; time && i < time->part_count; i++)
        ptx_json_real(json, time->parts[i].part, time->parts[i].us);
    ptx_json_end(json);
}

void ptx_json_estimate(Json *json, const char *key, const ptxlint_projection *projection)
{
    const ptxlint_executed *executed = projection ? &projection->executed : NULL;
    const ptxlint_time *time = projection ? &projection->time : NULL;
    ptx_json_object(json, key);
    ptx_json_real(json, "warp_instructions", executed ? executed->warp_instructions : (double)NAN);
    put_machine(json, "machine", executed);
    ptx_json_real(json, "flops_fp32", executed ? executed->flops_fp32 : (double)NAN);
    ptx_json_real(json, "flops_fp64", executed ? executed->flops_fp64 : (double)NAN);
    ptx_json_real(json, "flops_fp16", executed ? executed->flops_fp16 : (double)NAN);
    ptx_json_real(json, "flops_tensor", executed ? executed->flops_tensor : (double)NAN);
    ptx_json_text(json, "executed_certainty",
                  ptx_report_certainty(executed ? executed->certainty : PTXLINT_NOT_KNOWN));
    ptx_json_real(json, "dram_bytes", time ? time->dram_bytes : (double)NAN);
    ptx_json_text(json, "bytes_certainty",
                  ptx_report_certainty(time ? time->bytes_certainty : PTXLINT_NOT_KNOWN));
    ptx_json_real(json, "bound_time_us", time ? time->bound_us : (double)NAN);
    ptx_json_text(json, "bound_why", time ? time->bound_why : NULL);
    ptx_json_text(json, "bound_by", time ? time->bound_by : NULL);
    ptx_json_text(json, "bound_certainty",
                  ptx_report_certainty(time ? time->bound_certainty : PTXLINT_NOT_KNOWN));
    ptx_json_real(json, "predicted_time_us", time ? time->predicted_us : (double)NAN);
    ptx_json_real(json, "predicted_low_us", time ? time->low_us : (double)NAN);
    ptx_json_real(json, "predicted_high_us", time ? time->high_us : (double)NAN);
    ptx_json_text(json, "band", time ? time->band : NULL);
    ptx_json_bool(json, "band_is_measured", time && time->band_is_measured);
    ptx_json_text(json, "limiter", time && time->limiter ? time->limiter : "unknown");
    put_parts(json, "parts_us", time);
    ptx_json_why(json, ptx_why_estimate(projection));
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(time ? time->certainty : PTXLINT_NOT_KNOWN));
    ptx_json_bottleneck(json, "bottleneck", projection);
    ptx_json_roofline(json, "roofline", projection);
    ptx_json_concurrency(json, "concurrency", projection);
    ptx_json_parallelism(json, "parallelism", projection ? &projection->rest : NULL);
    ptx_json_reasons(json, ptx_reason_estimate, projection);
    ptx_json_end(json);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

static void set_gpu_name(Json *json, const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = gpu ? ptxlint_gpu_get_info(gpu) : NULL;
    ptx_json_name(json, "gpu", info ? info->name : NULL);
}

static void put_projection(Json *json, const char *key, const ptxlint_module *module,
                           const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    ptx_json_object(json, key);
    set_gpu_name(json, projection->gpu);
    ptx_json_registers(json, "registers", module, kernel, projection);
    ptx_json_occupancy(json, "occupancy", kernel, projection);
    ptx_json_waves(json, "waves", projection);
    ptx_json_cycles(json, "throughput", &projection->cycles);
    ptx_json_peak(json, "peak", &projection->peak);
    ptx_json_estimate(json, "estimate", projection);
    ptx_json_metrics(json, "metrics", kernel, projection);
    ptx_json_end(json);
}

void ptx_json_projections(Json *json, const char *key, const ptxlint_module *module,
                          const ptxlint_kernel *kernel)
{
    ptx_json_array(json, key);
    for (size_t i = 0; kernel->projection_count > 1 && i < kernel->projection_count; i++)
        put_projection(json, NULL, module, kernel, &kernel->projections[i]);
    ptx_json_end(json);
}

void ptx_json_loop_projections(Json *json, const char *key, const ptxlint_module *module,
                               const ptxlint_loop *loop)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    ptx_json_array(json, key);
    for (size_t i = 0; info->gpu_count > 1 && i < info->gpu_count; i++) {
        ptx_json_object(json, NULL);
        set_gpu_name(json, info->gpus[i]);
        ptx_json_cycles(json, "throughput", loop->cycles ? &loop->cycles[i] : NULL);
        ptx_json_peak(json, "peak", loop->peaks ? &loop->peaks[i] : NULL);
        ptx_json_parallelism(json, "parallelism", loop->parallelism ? &loop->parallelism[i] : NULL);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}
