/* What a kernel is on one GPU, as JSON values: registers, occupancy, waves, cycles, peaks, bounds. */
#include "report/value.h"

#include <math.h>
#include <string.h>

/* ---- registers --------------------------------------------------------------------------------------------------- */

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
    static const char *const texts[] = { [PTXLINT_SPILLS_UNKNOWN] = "unknown", [PTXLINT_SPILLS_UNLIKELY] = "unlikely",
                                         [PTXLINT_SPILLS_POSSIBLE] = "possible", [PTXLINT_SPILLS_LIKELY] = "likely" };
    return texts[projection ? projection->spills : PTXLINT_SPILLS_UNKNOWN];
}

/* What is live at most is no prediction: "source" then says "none". */
static void set_predicted(Json *json, const ptxlint_projection *p)
{
    bool is_known = p && (p->register_source == PTXLINT_REGISTERS_PTXAS || p->register_source == PTXLINT_REGISTERS_MODEL);
    ptx_json_set(json, "predicted", ptx_value_int(is_known ? p->registers : PTXLINT_UNKNOWN));
    ptx_json_set(json, "low", ptx_value_int(is_known ? p->registers_low : PTXLINT_UNKNOWN));
    ptx_json_set(json, "high", ptx_value_int(is_known ? p->registers_high : PTXLINT_UNKNOWN));
    ptx_json_set(json, "source", json_string(is_known ? ptx_report_registers(p) : "none"));
    ptx_json_set(json, "calibrated", is_known ? json_boolean(p->registers_are_calibrated) : json_null());
    ptx_json_set(json, "cap", ptx_value_int(p ? p->register_cap : PTXLINT_UNKNOWN));
    ptx_json_set(json, "spills", json_string(ptx_report_spills(p)));
    ptx_json_set(json, "spill_stores", ptx_value_int(p ? p->spill_store_bytes : PTXLINT_UNKNOWN));
    ptx_json_set(json, "spill_loads", ptx_value_int(p ? p->spill_load_bytes : PTXLINT_UNKNOWN));
    ptx_json_set(json, "stack", ptx_value_int(p ? p->stack_bytes : PTXLINT_UNKNOWN));
}

json_t *ptx_value_registers(const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    const ptxlint_pressure *pressure = &kernel->pressure;
    bool is_known = pressure->max_live != PTXLINT_UNKNOWN;
    Json json = ptx_json_make(json_object());
    set_predicted(&json, projection);
    ptx_json_set(&json, "max_live", ptx_value_int(pressure->max_live));
    ptx_json_set(&json, "max_live_line",
                 is_known ? json_integer(ptxlint_module_place(module, pressure->where.begin).line) : json_null());
    ptx_json_set(&json, "max_live_64", ptx_value_int(pressure->max_live_64));
    ptx_json_set(&json, "max_live_16", ptx_value_int(pressure->max_live_16));
    ptx_json_set(&json, "max_live_predicates", ptx_value_int(pressure->max_live_predicates));
    ptx_json_set(&json, "live", is_known ? ptx_value_names(pressure->live, pressure->live_count) : json_null());
    ptx_json_reasons(&json, ptx_reason_registers, &(ReasonContext){ kernel, projection });
    return ptx_json_finish(&json);
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

const char *const ptx_report_limits[PTXLINT_LIMITER_COUNT] = { "warps", "registers", "shared", "blocks", "barriers" };

/* A number of blocks; "none": no limit; null: not known. */
static json_t *limit_value(const ptxlint_occupancy *occupancy, size_t limiter)
{
    return occupancy->limits[limiter] == INT64_MAX ? json_string("none") : ptx_value_int(occupancy->limits[limiter]);
}

static json_t *limits_value(const ptxlint_occupancy *occupancy)
{
    Json json = ptx_json_make(json_object());
    for (size_t i = 0; i < PTXLINT_LIMITER_COUNT; i++)
        ptx_json_set(&json, ptx_report_limits[i], limit_value(occupancy, i));
    return ptx_json_finish(&json);
}

static json_t *curve_value(const ptxlint_projection *projection)
{
    ptxlint_occupancy_point points[CURVE_POINTS];
    size_t count = projection ? ptxlint_occupancy_curve(projection->gpu, &projection->resources, points, CURVE_POINTS) : 0;
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < count; i++) {
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "threads", ptx_value_int(points[i].threads_per_block));
        ptx_json_set(&one, "blocks", ptx_value_int(points[i].blocks_per_sm));
        ptx_json_set(&one, "warps", ptx_value_int(points[i].warps_per_sm));
        ptx_json_set(&one, "percent", ptx_value_real(points[i].percent));
        ptx_json_set(&one, "best", ptx_value_bool(points[i].is_best));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

/* An answer for fewer registers than ptxas may take, or for a block size that nobody gave, is an estimate. */
ptxlint_certainty ptx_report_occupancy(const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    if (!projection || projection->occupancy.blocks_per_sm == PTXLINT_UNKNOWN)
        return PTXLINT_NOT_KNOWN;
    return !kernel->launch.block_is_assumed && projection->register_source == PTXLINT_REGISTERS_PTXAS ? PTXLINT_EXACT : PTXLINT_ESTIMATE;
}

static void set_steps(Json *json, const ptxlint_occupancy *o)
{
    ptx_json_set(json, "registers_to_free", ptx_value_int(o->registers_to_free));
    ptx_json_set(json, "registers_free", ptx_value_int(o->registers_free));
    ptx_json_set(json, "shared_to_free", ptx_value_int(o->shared_to_free));
    ptx_json_set(json, "shared_free", ptx_value_int(o->shared_free));
    ptx_json_set(json, "registers_allocated_per_block", ptx_value_int(o->registers_allocated_per_block));
    ptx_json_set(json, "shared_allocated_per_block", ptx_value_int(o->shared_allocated_per_block));
    ptx_json_set(json, "carveout_bytes", ptx_value_int(o->carveout_bytes));
    ptx_json_set(json, "clusters_at_most", ptx_value_int(o->clusters_at_most));
}

static void set_residents(Json *json, const ptxlint_occupancy *o)
{
    ptx_json_set(json, "blocks_per_sm", ptx_value_int(o->blocks_per_sm));
    ptx_json_set(json, "warps_per_sm", ptx_value_int(o->warps_per_sm));
    ptx_json_set(json, "threads_per_sm", ptx_value_int(o->threads_per_sm));
    ptx_json_set(json, "percent", ptx_value_real(o->percent));
    ptx_json_set(json, "blocks_at_least", ptx_value_int(o->blocks_at_least));
    ptx_json_set(json, "blocks_at_most", ptx_value_int(o->blocks_at_most));
    ptx_json_set(json, "limiter", json_string(o->limiter));
    ptx_json_set(json, "limiters", ptx_value_names(o->limiters, o->limiter_count));
    ptx_json_set(json, "limits", limits_value(o));
    ptx_json_set(json, "error", ptx_value_text(o->error));
}

/* Of a kernel on no GPU. */
static const ptxlint_occupancy nothing = {
    .blocks_per_sm = PTXLINT_UNKNOWN, .warps_per_sm = PTXLINT_UNKNOWN, .threads_per_sm = PTXLINT_UNKNOWN, .blocks_at_least = PTXLINT_UNKNOWN,
    .blocks_at_most = PTXLINT_UNKNOWN, .percent = (double)NAN, .limiter = "unknown",
    .limits = { PTXLINT_UNKNOWN, PTXLINT_UNKNOWN, PTXLINT_UNKNOWN, PTXLINT_UNKNOWN, PTXLINT_UNKNOWN },
    .registers_allocated_per_block = PTXLINT_UNKNOWN, .shared_allocated_per_block = PTXLINT_UNKNOWN, .registers_to_free = PTXLINT_UNKNOWN,
    .registers_free = PTXLINT_UNKNOWN, .shared_to_free = PTXLINT_UNKNOWN, .shared_free = PTXLINT_UNKNOWN, .carveout_bytes = PTXLINT_UNKNOWN,
    .clusters_at_most = PTXLINT_UNKNOWN,
};

json_t *ptx_value_occupancy(const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    const ptxlint_occupancy *occupancy = projection ? &projection->occupancy : &nothing;
    Json json = ptx_json_make(json_object());
    set_residents(&json, occupancy);
    ptx_json_set(&json, "registers", ptx_value_int(projection ? projection->registers : PTXLINT_UNKNOWN));
    ptx_json_set(&json, "registers_source", json_string(ptx_report_registers(projection)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(ptx_report_occupancy(kernel, projection))));
    set_steps(&json, occupancy);
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_occupancy(projection)));
    ptx_json_set(&json, "curve", curve_value(projection));
    ptx_json_reasons(&json, ptx_reason_occupancy, &(ReasonContext){ kernel, projection });
    return ptx_json_finish(&json);
}

json_t *ptx_value_waves(const ptxlint_projection *projection)
{
    double unknown = (double)NAN;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "waves", ptx_value_real(projection ? projection->waves : unknown));
    ptx_json_set(&json, "full_waves", ptx_value_int(projection ? projection->full_waves : PTXLINT_UNKNOWN));
    ptx_json_set(&json, "tail_blocks", ptx_value_int(projection ? projection->tail_blocks : PTXLINT_UNKNOWN));
    ptx_json_set(&json, "tail_percent", ptx_value_real(projection ? projection->tail_percent : unknown));
    ptx_json_set(&json, "utilisation_percent", ptx_value_real(projection ? projection->utilisation_percent : unknown));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_waves(projection)));
    return ptx_json_finish(&json);
}

/* ---- cycles, peaks, bounds --------------------------------------------------------------------------------------- */

static json_t *bound_value(const ptxlint_cycles *cycles)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "total", ptx_value_text(cycles ? cycles->bound_total : NULL));
    ptx_json_set(&json, "longest", ptx_value_text(cycles ? cycles->bound_longest : NULL));
    ptx_json_set(&json, "shortest", ptx_value_text(cycles ? cycles->bound_shortest : NULL));
    ptx_json_reasons(&json, ptx_reason_bound, cycles);
    return ptx_json_finish(&json);
}

json_t *ptx_value_cycles(const ptxlint_cycles *cycles)
{
    Json json = ptx_json_make(json_object());
    for (size_t i = 0; cycles && i < cycles->pipe_count; i++) {
        const ptxlint_pipe_cycles *pipe = &cycles->pipes[i];
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "total", ptx_value_real(pipe->total));
        ptx_json_set(&one, "longest", ptx_value_real(pipe->longest));
        ptx_json_set(&one, "shortest", ptx_value_real(pipe->shortest));
        ptx_json_set(&json, pipe->pipe, ptx_json_finish(&one));
    }
    ptx_json_set(&json, "bound", bound_value(cycles));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_cycles(cycles)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(cycles ? PTXLINT_BOUND : PTXLINT_NOT_KNOWN)));
    return ptx_json_finish(&json);
}

static json_t *ceilings_value(const ptxlint_peak *peak)
{
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; peak && i < peak->ceiling_count; i++) {
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "name", ptx_value_text(peak->ceilings[i].name));
        ptx_json_set(&one, "gflops", ptx_value_real(peak->ceilings[i].gflops));
        ptx_json_set(&one, "why", ptx_value_text(isfinite(peak->ceilings[i].gflops) ? NULL : ptx_reason_ceiling(peak, peak->ceilings[i].name)));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

json_t *ptx_value_peak(const ptxlint_peak *peak)
{
    double unknown = (double)NAN;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "issue_gops", ptx_value_real(peak ? peak->issue_gops : unknown));
    ptx_json_set(&json, "peak_gflops", ptx_value_real(peak ? peak->peak_gflops : unknown));
    ptx_json_set(&json, "potential_gflops", ptx_value_real(peak ? peak->potential_gflops : unknown));
    ptx_json_set(&json, "demand_gb_per_s", ptx_value_real(peak ? peak->demand_gb_per_s : unknown));
    ptx_json_set(&json, "memory_gb_per_s", ptx_value_real(peak ? peak->memory_gb_per_s : unknown));
    ptx_json_set(&json, "flops_per_byte", ptx_value_real(peak ? peak->flops_per_byte : unknown));
    ptx_json_set(&json, "attainable_gflops", ptx_value_real(peak ? peak->attainable_gflops : unknown));
    ptx_json_set(&json, "ceiling", ptx_value_text(peak ? peak->ceiling : NULL));
    ptx_json_set(&json, "ceilings", ceilings_value(peak));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_peak(peak)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(peak ? PTXLINT_ESTIMATE : PTXLINT_NOT_KNOWN)));
    ptx_json_reasons(&json, ptx_reason_peak, peak);
    return ptx_json_finish(&json);
}

static json_t *machine_value(const ptxlint_executed *executed)
{
    if (!executed || executed->certainty == PTXLINT_NOT_KNOWN)
        return json_null();
    Json json = ptx_json_make(json_object());
    for (size_t i = 0; i < executed->machine_count; i++)
        ptx_json_set(&json, executed->machine[i].machine, ptx_value_real(executed->machine[i].warp_instructions));
    return ptx_json_finish(&json);
}

static json_t *parts_value(const ptxlint_time *time)
{
    Json json = ptx_json_make(json_object());
    for (size_t i = 0; time && i < time->part_count; i++)
        ptx_json_set(&json, time->parts[i].part, ptx_value_real(time->parts[i].us));
    return ptx_json_finish(&json);
}

json_t *ptx_value_estimate(const ptxlint_projection *projection)
{
    const ptxlint_executed *executed = projection ? &projection->executed : NULL;
    const ptxlint_time *time = projection ? &projection->time : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "warp_instructions", ptx_value_real(executed ? executed->warp_instructions : (double)NAN));
    ptx_json_set(&json, "machine", machine_value(executed));
    ptx_json_set(&json, "flops_fp32", ptx_value_real(executed ? executed->flops_fp32 : (double)NAN));
    ptx_json_set(&json, "flops_fp64", ptx_value_real(executed ? executed->flops_fp64 : (double)NAN));
    ptx_json_set(&json, "flops_fp16", ptx_value_real(executed ? executed->flops_fp16 : (double)NAN));
    ptx_json_set(&json, "flops_tensor", ptx_value_real(executed ? executed->flops_tensor : (double)NAN));
    ptx_json_set(&json, "executed_certainty", json_string(ptx_report_certainty(executed ? executed->certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_set(&json, "dram_bytes", ptx_value_real(time ? time->dram_bytes : (double)NAN));
    ptx_json_set(&json, "bytes_certainty", json_string(ptx_report_certainty(time ? time->bytes_certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_set(&json, "bound_time_us", ptx_value_real(time ? time->bound_us : (double)NAN));
    ptx_json_set(&json, "bound_why", ptx_value_text(time ? time->bound_why : NULL));
    ptx_json_set(&json, "bound_by", ptx_value_text(time ? time->bound_by : NULL));
    ptx_json_set(&json, "bound_certainty", json_string(ptx_report_certainty(time ? time->bound_certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_set(&json, "predicted_time_us", ptx_value_real(time ? time->predicted_us : (double)NAN));
    ptx_json_set(&json, "predicted_low_us", ptx_value_real(time ? time->low_us : (double)NAN));
    ptx_json_set(&json, "predicted_high_us", ptx_value_real(time ? time->high_us : (double)NAN));
    ptx_json_set(&json, "band", ptx_value_text(time ? time->band : NULL));
    ptx_json_set(&json, "band_is_measured", json_boolean(time && time->band_is_measured));
    ptx_json_set(&json, "limiter", json_string(time && time->limiter ? time->limiter : "unknown"));
    ptx_json_set(&json, "parts_us", parts_value(time));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_estimate(projection)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(time ? time->certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_set(&json, "bottleneck", ptx_value_bottleneck(projection));
    ptx_json_set(&json, "roofline", ptx_value_roofline(projection));
    ptx_json_set(&json, "concurrency", ptx_value_concurrency(projection));
    ptx_json_set(&json, "parallelism", ptx_value_parallelism(projection ? &projection->rest : NULL));
    ptx_json_reasons(&json, ptx_reason_estimate, projection);
    return ptx_json_finish(&json);
}

/* ---- several GPUs ------------------------------------------------------------------------------------------------ */

static void set_gpu_name(Json *json, const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = gpu ? ptxlint_gpu_get_info(gpu) : NULL;
    ptx_json_set(json, "gpu", ptx_value_name(info ? info->name : NULL));
}

static json_t *projection_value(const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    Json json = ptx_json_make(json_object());
    set_gpu_name(&json, projection->gpu);
    ptx_json_set(&json, "registers", ptx_value_registers(module, kernel, projection));
    ptx_json_set(&json, "occupancy", ptx_value_occupancy(kernel, projection));
    ptx_json_set(&json, "waves", ptx_value_waves(projection));
    ptx_json_set(&json, "throughput", ptx_value_cycles(&projection->cycles));
    ptx_json_set(&json, "peak", ptx_value_peak(&projection->peak));
    ptx_json_set(&json, "estimate", ptx_value_estimate(projection));
    ptx_json_set(&json, "metrics", ptx_value_metrics(kernel, projection));
    return ptx_json_finish(&json);
}

json_t *ptx_value_projections(const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    Json json = ptx_json_make(json_array());
    for (size_t i = 0; kernel->projection_count > 1 && i < kernel->projection_count; i++)
        ptx_json_append(&json, projection_value(module, kernel, &kernel->projections[i]));
    return ptx_json_finish(&json);
}

json_t *ptx_value_loop_projections(const ptxlint_module *module, const ptxlint_loop *loop)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; info->gpu_count > 1 && i < info->gpu_count; i++) {
        Json one = ptx_json_make(json_object());
        set_gpu_name(&one, info->gpus[i]);
        ptx_json_set(&one, "throughput", ptx_value_cycles(loop->cycles ? &loop->cycles[i] : NULL));
        ptx_json_set(&one, "peak", ptx_value_peak(loop->peaks ? &loop->peaks[i] : NULL));
        ptx_json_set(&one, "parallelism", ptx_value_parallelism(loop->parallelism ? &loop->parallelism[i] : NULL));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}
