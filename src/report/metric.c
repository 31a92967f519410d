/* metric.c -- the figures of a kernel on one GPU that can be limited and compared, by key. */
#include "report/json_writer.h"

#include <math.h>
#include <string.h>

enum { LOWER, HIGHER };

static const struct {
    const char *key, *unit, *what;
    int is_higher_better;
    const char *tolerance;
} metrics[METRIC__COUNT] = {
#define METRIC(id, key, unit, better, tolerance, what) \
    [METRIC_##id] = { key, unit, what, better, tolerance },
#include "report/metrics.def"
#undef METRIC
};

int ptxlint_metric_at(size_t index, ptxlint_metric *out)
{
    if (!out || index >= METRIC__COUNT)
        return 0;
    *out = (ptxlint_metric){ metrics[index].key, metrics[index].unit, metrics[index].what,
                             metrics[index].is_higher_better, metrics[index].tolerance };
    return 1;
}

MetricId ptx_metric_find(const char *key, size_t length)
{
    for (int i = 0; i < METRIC__COUNT; i++)
        if (strlen(metrics[i].key) == length && !memcmp(metrics[i].key, key, length))
            return (MetricId)i;
    return METRIC__COUNT;
}

/* ---- each of them ---------------------------------------------------------------------------- */

static ptxlint_measure unknown(void)
{
    return (ptxlint_measure){ (double)NAN, PTXLINT_NOT_KNOWN };
}

static ptxlint_measure real(double value, ptxlint_certainty certainty)
{
    return value - value == 0 && certainty != PTXLINT_NOT_KNOWN
               ? (ptxlint_measure){ value, certainty }
               : unknown();
}

static ptxlint_measure whole_measure(int64_t value, ptxlint_certainty certainty)
{
    return value == PTXLINT_UNKNOWN ? unknown() : real((double)value, certainty);
}

static ptxlint_measure registers(const ptxlint_projection *p)
{
    if (p->register_source == PTXLINT_REGISTERS_PTXAS)
        return whole_measure(p->registers, PTXLINT_EXACT);
    if (p->register_source == PTXLINT_REGISTERS_MODEL)
        return whole_measure(p->registers, PTXLINT_ESTIMATE);
    return unknown();
}

/* A saved module may say anything. */
static ptxlint_measure sum_measure(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? unknown() : whole_measure(sum, PTXLINT_EXACT);
}

/* The model says no more than whether there will be any. */
static ptxlint_measure spills(const ptxlint_projection *p)
{
    if (p->spill_store_bytes != PTXLINT_UNKNOWN && p->spill_load_bytes != PTXLINT_UNKNOWN)
        return sum_measure(p->spill_store_bytes, p->spill_load_bytes);
    return p->spills == PTXLINT_SPILLS_UNLIKELY ? whole_measure(0, PTXLINT_ESTIMATE) : unknown();
}

static ptxlint_measure shared(const ptxlint_projection *p)
{
    const ptxlint_resources *r = &p->resources;
    if (r->static_shared_bytes == PTXLINT_UNKNOWN || r->dynamic_shared_bytes == PTXLINT_UNKNOWN)
        return unknown();
    return sum_measure(r->static_shared_bytes, r->dynamic_shared_bytes);
}

static ptxlint_certainty weaker(ptxlint_certainty a, ptxlint_certainty b)
{
    return a > b ? a : b;
}

/* The most of any; not known where that of one is not. 0 where there is no such access. */
static ptxlint_measure worst(const ptxlint_kernel *kernel, const char *space, bool is_shared)
{
    ptxlint_measure most = { 0, PTXLINT_EXACT };
    for (size_t i = 0; i < kernel->access_count; i++) {
        const ptxlint_access *a = &kernel->accesses[i];
        double value = is_shared ? a->wavefronts_per_request - a->ideal_wavefronts_per_request
                                 : a->sectors_per_request;
        if (!strcmp(a->op, "prefetch")
            || (strcmp(a->space, space) != 0 && strcmp(a->space, "generic") != 0 && isnan(value)))
            continue;
        if (isnan(value) || a->certainty == PTXLINT_NOT_KNOWN)
            return unknown();
        most.value = value > most.value ? value : most.value;
        most.certainty = weaker(most.certainty, a->certainty);
    }
    return most;
}

static void measure_projection(const ptxlint_kernel *kernel, const ptxlint_projection *p,
                               ptxlint_measure *out)
{
    bool is_worst_known = kernel->is_entry && !kernel->has_syntax_error;
    out[METRIC_REGISTERS] = registers(p);
    out[METRIC_SPILL_BYTES] = spills(p);
    out[METRIC_SHARED_BYTES] = shared(p);
    out[METRIC_OCCUPANCY_PERCENT] = real(p->occupancy.percent, ptx_report_occupancy(kernel, p));
    out[METRIC_WARP_INSTRUCTIONS] = real(p->executed.warp_instructions, p->executed.certainty);
    out[METRIC_DRAM_BYTES] = real(p->time.dram_bytes, p->time.bytes_certainty);
    out[METRIC_BOUND_TIME] = real(p->time.bound_us, p->time.bound_certainty);
    out[METRIC_PREDICTED_TIME] = real(p->time.predicted_us, p->time.certainty);
    out[METRIC_SECTORS] = is_worst_known ? worst(kernel, "global", false) : unknown();
    out[METRIC_BANK_CONFLICTS] = is_worst_known ? worst(kernel, "shared", true) : unknown();
}

void ptx_metrics_measure(const ptxlint_kernel *kernel, const ptxlint_projection *projection,
                         ptxlint_measure out[METRIC__COUNT])
{
    for (int i = 0; i < METRIC__COUNT; i++)
        out[i] = unknown();
    out[METRIC_MAX_LIVE] = whole_measure(kernel->pressure.max_live, PTXLINT_EXACT);
    out[METRIC_LOCAL_BYTES] = whole_measure(kernel->local_bytes, PTXLINT_EXACT);
    if (!kernel->has_syntax_error)
        out[METRIC_INSTRUCTIONS] = real((double)kernel->mix.instruction_count, PTXLINT_EXACT);
    if (projection)
        measure_projection(kernel, projection, out);
}

int ptxlint_kernel_measure(const ptxlint_kernel *kernel, size_t projection, size_t metric,
                           ptxlint_measure *out)
{
    ptxlint_measure all[METRIC__COUNT];
    if (!kernel || !out || metric >= METRIC__COUNT
        || (projection && projection >= kernel->projection_count))
        return 0;
    ptx_metrics_measure(
        kernel, projection < kernel->projection_count ? &kernel->projections[projection] : NULL,
        all);
    *out = all[metric];
    return 1;
}

const char *ptx_metric_why(const ptxlint_kernel *kernel, const ptxlint_projection *projection,
                           MetricId id)
{
    if (kernel->has_syntax_error || id == METRIC_MAX_LIVE || id == METRIC_LOCAL_BYTES)
        return "parts of the function could not be read";
    if (id == METRIC_SPILL_BYTES)
        return "only ptxas counts spills (--ptxas, --ptxas-log)";
    if (!projection)
        return ptx_why_no_gpu();
    if (id == METRIC_OCCUPANCY_PERCENT)
        return ptx_why_occupancy(projection);
    if (id == METRIC_SHARED_BYTES)
        return "dynamic shared memory, or what functions that it calls use, is not known";
    if (!kernel->is_entry)
        return "a .func is part of the kernels that call it";
    if (id == METRIC_REGISTERS)
        return "the model does not cover this target";
    if (id == METRIC_SECTORS || id == METRIC_BANK_CONFLICTS)
        return "that of an access is not known: its own why says so";
    const char *why = id == METRIC_DRAM_BYTES ? ptx_why_bytes(projection)
                                              : ptx_why_estimate(projection);
    if (!why)
        why = projection->time.bound_why;
    return ptx_text_or(why, "no work of the launch is sure to take time");
}

void ptx_json_metrics(Json *json, const char *key, const ptxlint_kernel *kernel,
                      const ptxlint_projection *projection)
{
    ptxlint_measure all[METRIC__COUNT];
    ptx_json_object(json, key);
    ptx_metrics_measure(kernel, projection, all);
    for (int i = 0; i < METRIC__COUNT; i++) {
        if (i == METRIC_FINDINGS)           /* they are in the document themselves */
            continue;
        ptx_json_object(json, metrics[i].key);
        ptx_json_real(json, "value", all[i].value);
        ptx_json_text(json, "certainty", ptx_report_certainty(all[i].certainty));
        ptx_json_why(
            json, isfinite(all[i].value) ? NULL : ptx_metric_why(kernel, projection, (MetricId)i));
        ptx_json_end(json);
    }
    ptx_json_end(json);
}
