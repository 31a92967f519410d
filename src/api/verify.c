/* verify.c -- a time that was measured, held against what the GPU can do and what is predicted. */
#include "api/estimate.h"
#include "api/module.h"
#include "gpu/gpu.h"
#include "input/measured.h"
#include "support/demangle.h"
#include "support/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* that blocks are evaluated for, first: as for a report */
enum { VERIFY_STEPS = 2 << 20 };

static const char *const verdict_names[] = {
    [PTXLINT_VERDICT_UNKNOWN] = "unknown",          [PTXLINT_VERDICT_IMPOSSIBLE] = "impossible",
    [PTXLINT_VERDICT_FASTER] = "faster",            [PTXLINT_VERDICT_PREDICTED] = "as predicted",
    [PTXLINT_VERDICT_SLOWER] = "slower",
};

const char *ptxlint_verdict_name(ptxlint_verdict verdict)
{
    return (size_t)verdict < sizeof verdict_names / sizeof *verdict_names ? verdict_names[verdict]
                                                                          : NULL;
}

void ptxlint_verify_options_init(ptxlint_verify_options *options)
{
    if (options)
        *options = (ptxlint_verify_options){ .size = sizeof *options };
}

/* ---- whose row it is ------------------------------------------------------------------------- */

static bool is_same_block(const int64_t said[3], const int64_t known[3])
{
    bool is_same = true;
    for (int i = 0; i < 3 && said[0] > 0 && known[0] > 0; i++)
        is_same &= said[i] == (known[i] > 0 ? known[i] : 1);
    return is_same;
}

/* What the code itself, or a file beside it, says of its block and shared memory. */
static bool agrees_with_launch(const ptxlint_measurement *row, const ptxlint_launch *launch)
{
    const bool is_of_code = launch->source == PTXLINT_LAUNCH_DIRECTIVE
                            || launch->source == PTXLINT_LAUNCH_METADATA;
    if (!is_of_code || launch->block_is_assumed)
        return true;
    const bool is_other = launch->source == PTXLINT_LAUNCH_METADATA
                          && row->dynamic_shared_bytes >= 0 && launch->dynamic_shared_bytes >= 0
                          && row->dynamic_shared_bytes != launch->dynamic_shared_bytes;
    return !is_other && is_same_block(row->block, launch->block);
}

int ptxlint_measurement_is_of(const ptxlint_measurements *measurements, size_t index,
                              const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    if (!measurements || !module || !kernel || index >= measurements->count)
        return 0;
    const MeasuredRow *row = &measurements->items[index];
    const char *path = module->info.path;
    return (!row->glob || ptx_name_fits(row->glob, kernel->name))
           && (!row->view.path || (path && ptx_path_fits(row->view.path, path)))
           && agrees_with_launch(&row->view, &kernel->launch);
}

/* ---- the least ------------------------------------------------------------------------------- */

static double figure_or_0(const Gpu *gpu, FigureId id)
{
    return ptx_gpu_has(gpu, id) ? gpu->figures[id] : 0;
}

/* Of what is read and written, beyond what caches may keep of either. */
static double bytes_beyond(const TouchedBytes *touched, double read_kept, double written_kept)
{
    return fmax(0, touched->read - read_kept) + fmax(0, touched->written - written_kept);
}

/* What of the bytes must pass, whatever the caches held before: L2, and the L1 of each SM. */
static double warm_bytes(const Gpu *gpu, const MeasuredTrial *trial)
{
    const double kept = figure_or_0(gpu, FIGURE_L2_BYTES)
                        + figure_or_0(gpu, FIGURE_SMS) * figure_or_0(gpu, FIGURE_L1_BYTES);
    const double least = trial->touched.read + trial->touched.written;
    return least > 0 ? bytes_beyond(&trial->touched, kept, kept)
                     : fmax(0, trial->floor.bytes - 2 * kept);
}

static double cold_bytes(const Gpu *gpu, const MeasuredTrial *trial)
{
    const bool is_looked_at = trial->floor.us[PART_DRAM] > trial->suspect_us;
    return is_looked_at ? bytes_beyond(&trial->touched, 0, figure_or_0(gpu, FIGURE_L2_BYTES))
                        : trial->floor.bytes;
}

/* The longest part with memory taking so long; *by: which; NULL: none is sure. */
static double longest_part(const Floor *floor, double dram_us, TimePart *by)
{
    double most = dram_us;
    *by = PART_DRAM;
    for (TimePart p = 0; p < PART__COUNT; p++)
        if (p != PART_DRAM && floor->us[p] > most) {
            most = floor->us[p];
            *by = p;
        }
    return most;
}

static void set_least(const ptxlint_module *m, const ptxlint_verify_options *options,
                      const MeasuredTrial *trial, ptxlint_verified *out)
{
    const Gpu *gpu = m->gpus[options->gpu];
    const Floor *floor = &trial->floor;
    const double speed = floor->memory_gb_per_s * 1e3,
                 warm = warm_bytes(gpu, trial),
                 bytes = options->is_warm ? warm : cold_bytes(gpu, trial);
    TimePart by;
    if (!(speed > 0))
        return;
    out->least_warm_us = longest_part(floor, warm / speed, &by);
    out->least_us = longest_part(floor, bytes / speed, &by);
    out->least_by = ptx_part_info[by].key;
    if (by == PART_PIPE && floor->pipe)
        out->least_by = floor->pipe;
    out->least_bytes = bytes;
    out->clock_mhz = floor->clock_mhz;
    out->memory_gb_per_s = floor->memory_gb_per_s;
}

/* ---- the reason ------------------------------------------------------------------------------ */

static void add_reason(ptxlint_verified *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_reason(ptxlint_verified *out, const char *format, ...)
{
    const size_t used = strlen(out->reason);
    va_list args;
    va_start(args, format);
    vsnprintf(out->reason + used, sizeof out->reason - used, format, args);
    va_end(args);
}

static const char *blank_before(const ptxlint_verified *out)
{
    return *out->reason ? " " : "";
}

static void say_what_holds(ptxlint_verified *out)
{
    const double ratio = out->least_us / out->measured_us;
    if (!strcmp(out->least_by, "dram"))
        add_reason(out,
                   "At least %.4g MB pass between memory and L2: %.4g us at %.0f GB/s, the most. "
                   "The time would take %.0f GB/s.",
                   out->least_bytes / 1e6, out->least_us, out->memory_gb_per_s,
                   out->memory_gb_per_s * ratio);
    else
        add_reason(out,
                   "`%s` alone takes %.4g us at %.0f MHz, the highest clock. The time would take "
                   "%.0f MHz.",
                   out->least_by, out->least_us, out->clock_mhz, out->clock_mhz * ratio);
}

/* What would explain a time that cannot be. */
static void say_why_impossible(const ptxlint_verify_options *options, ptxlint_verified *out)
{
    say_what_holds(out);
    const bool is_of_memory = !strcmp(out->least_by, "dram");
    if (is_of_memory && !options->is_warm && out->measured_us >= out->least_warm_us)
        add_reason(out, " Caches that were warm would explain it: --warm is for such times.");
    else if (is_of_memory && !options->is_warm)
        add_reason(out, " Warm caches do not explain it: %.4g us are left.", out->least_warm_us);
    add_reason(out,
               " Else work was skipped (%.0f %% of it fits the time), or the time is of another "
               "launch.",
               100 * out->measured_us / out->least_us);
}

static void say_why_slower(ptxlint_verified *out)
{
    add_reason(out, "%.3g times the prediction, %.4g us.", out->slowdown, out->time.predicted_us);
    if (out->time.limiter)
        add_reason(out, " What limits it then is `%s`.", out->time.limiter);
    if (out->bottleneck.advice)
        add_reason(out, " To go further: %s.", out->bottleneck.advice);
}

static void say_why_faster(const MeasuredTrial *trial, const ptxlint_verify_options *options,
                           ptxlint_verified *out)
{
    add_reason(out, "Below the band, and possible%s.",
               trial->floor.why ? " as far as is known" : "");
    if (trial->floor.why && out->measured_us < out->least_us)
        add_reason(out, " It is below %.4g us, but that is no certain bound: %s.", out->least_us,
                   trial->floor.why);
    if (options->is_warm)
        add_reason(out, " The prediction takes cold caches.");
    else if (out->measured_us < out->time.bound_us)
        add_reason(out, " Reports bound it by %.4g us, by speeds that were measured%s.",
                   out->time.bound_us,
                   out->least_warm_us < out->least_us ? "; caches may have been warm" : "");
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool is_row_below(const ptxlint_measurement *row, double us)
{
    return row->us + row->resolution_us < us;
}

static ptxlint_verdict judge_row(const ptxlint_measurement *row, const MeasuredTrial *trial,
                             const ptxlint_verified *out)
{
    if (!trial->floor.why && is_row_below(row, out->least_us))
        return PTXLINT_VERDICT_IMPOSSIBLE;
    if (!isfinite(out->time.low_us) || !isfinite(out->time.high_us))
        return PTXLINT_VERDICT_UNKNOWN;
    if (is_row_below(row, out->time.low_us))
        return PTXLINT_VERDICT_FASTER;
    return row->us - row->resolution_us > out->time.high_us ? PTXLINT_VERDICT_SLOWER
                                                            : PTXLINT_VERDICT_PREDICTED;
}

static const char *why_row_is_unknown(const ptxlint_measurement *row, const ptxlint_estimated *e)
{
    if (!isfinite(row->us))
        return "the row has no time";
    if (e->occupancy.error)
        return e->occupancy.error;
    if (isnan(e->time.predicted_us) && e->time.why)
        return e->time.why;
    return e->time.bound_why || !e->knows_params
               ? "the row, and --launch or --param, leave a parameter open that it rests on"
               : NULL;
}

static void conclude(const ptxlint_measurement *row, const ptxlint_verify_options *options,
                     const MeasuredTrial *trial, const ptxlint_estimated *e, ptxlint_verified *out)
{
    const char *why = why_row_is_unknown(row, e);
    if (why) {
        add_reason(out, "Nothing can be said: %s.", why);
        return;
    }
    out->slowdown = row->us / out->time.predicted_us;
    out->verdict = judge_row(row, trial, out);
    if (out->verdict == PTXLINT_VERDICT_IMPOSSIBLE)
        say_why_impossible(options, out);
    else if (out->verdict == PTXLINT_VERDICT_FASTER)
        say_why_faster(trial, options, out);
    else if (out->verdict == PTXLINT_VERDICT_SLOWER)
        say_why_slower(out);
    else if (out->verdict == PTXLINT_VERDICT_PREDICTED && out->time.limiter)
        add_reason(out, "In the band; `%s` limits it.", out->time.limiter);
    else
        add_reason(out, "%sNo band is known.", blank_before(out));
}

/* Whether more blocks might show that the time is impossible. */
static bool is_worth_more(const ptxlint_measurement *row, const MeasuredTrial *trial)
{
    double most = 0;
    for (TimePart p = 0; p < PART__COUNT; p++)
        most = fmax(most, trial->floor.us[p]);
    return trial->floor.why && is_row_below(row, most);
}

static ptxlint_status try_row(const ptxlint_module *m, const char *kernel,
                              const ptxlint_verify_options *options, const MeasuredRow *row,
                              MeasuredTrial *trial, ptxlint_estimated *e)
{
    ptxlint_trial tried;
    const double clock_mhz = trial->floor.clock_mhz;
    const size_t gpu = options->gpu;
    ptxlint_trial_init(&tried);
    if (options->is_quick)
        return ptx_estimate_measured(m, kernel, gpu, &tried, trial, e);
    tried.steps = VERIFY_STEPS;
    ptxlint_status status = ptx_estimate_measured(m, kernel, gpu, &tried, trial, e);
    if (status != PTXLINT_OK || !is_worth_more(&row->view, trial))
        return status;
    tried.steps = MEASURED_STEPS;
    trial->floor = (Floor){ .clock_mhz = clock_mhz };
    trial->touched = (TouchedBytes){ 0 };
    return ptx_estimate_measured(m, kernel, gpu, &tried, trial, e);
}

ptxlint_status ptxlint_verify(const ptxlint_module *m, const char *kernel,
                              const ptxlint_measurements *measurements, size_t index,
                              const ptxlint_verify_options *options, ptxlint_verified *out)
{
    const double unknown = (double)NAN;
    if (!m || !measurements || index >= measurements->count || !options
        || options->size != sizeof *options || !out || out->size != sizeof *out
        || options->gpu >= m->gpu_count)
        return PTXLINT_BAD_ARGUMENT;
    const MeasuredRow *row = &measurements->items[index];
    ptxlint_estimated e = { .size = sizeof e };
    MeasuredTrial trial = { .entry = row->launch,
                            .suspect_us = isfinite(row->view.us) && !options->is_quick
                                              ? row->view.us + row->view.resolution_us
                                              : (double)INFINITY,
                            .floor = { .clock_mhz = options->clock_mhz } };
    *out = (ptxlint_verified){ .size = sizeof *out, .measured_us = row->view.us,
                               .least_us = unknown, .least_warm_us = unknown,
                               .clock_mhz = unknown, .memory_gb_per_s = unknown,
                               .least_bytes = unknown, .slowdown = unknown };
    ptxlint_status status = try_row(m, kernel, options, row, &trial, &e);
    if (status != PTXLINT_OK)
        return status;
    out->time = e.time;
    out->bottleneck = e.bottleneck;
    if (!options->is_quick)
        set_least(m, options, &trial, out);
    conclude(&row->view, options, &trial, &e, out);
    return PTXLINT_OK;
}
