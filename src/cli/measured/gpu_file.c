/* gpu_file.c -- what was measured, as a GPU file: beside what is known of the GPU already. */
#include "cli/measured/gpu_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAME_PERCENT = 5, LINE_COLUMNS = 96 };

/* Figures on which bounds rest may only make them weaker: the least latency of memory falls, and
 * the clock rises. Under load, or power that is limited, it may be lower than it can be. */
bool ptx_figure_is_kept(const MeasuredValue *value, const ptxlint_gpu *base)
{
    const double known = value->figure ? ptxlint_gpu_value(base, value->figure) : (double)NAN;
    if (!value->figure)
        return false;
    if (!strcmp(value->figure, "clock_mhz"))
        return !(value->value > known);
    return !strcmp(value->figure, "global_latency_min") && value->value > known;
}

double ptx_measured_published(const MeasuredValue *value, const ptxlint_gpu *base)
{
    ptxlint_isa_rate rate;
    if (value->figure)
        return ptxlint_gpu_value(base, value->figure);
    if (!value->opcode || strstr(value->unit, "B/clk"))
        return (double)NAN;
    if (!ptxlint_isa_get_rate(value->opcode, strlen(value->opcode), base, &rate) || !rate.is_bound)
        return (double)NAN;
    return strstr(value->unit, "FMA") ? rate.fmas_per_clock : rate.results_per_clock;
}

/* A published rate is the most that the hardware does: less is no contradiction. */
bool ptx_measured_contradicts(const MeasuredValue *value, const ptxlint_gpu *base)
{
    const double published = ptx_measured_published(value, base), slack = SAME_PERCENT / 100.0;
    if (!isfinite(published) || !isfinite(value->value))
        return false;
    if (value->low > published * (1 + slack))
        return true;
    return value->figure && value->high < published * (1 - slack);
}

/* ---- the GPU it is --------------------------------------------------------------------------- */

/* How far two figures are from each other; a figure that is missing is no reason. */
static double figures_apart(double a, double b)
{
    return isfinite(a) && isfinite(b) && a > 0 && b > 0 ? fabs(log(a / b)) : 0;
}

/* Boards of one architecture that are alike in all that the driver says. */
static bool is_this_gpu(const ptxlint_gpu *gpu, const MeasuredDevice *device)
{
    return figures_apart(ptxlint_gpu_value(gpu, "sms"), device->sms) <= 0
           && figures_apart(ptxlint_gpu_value(gpu, "memory_mib"), device->memory_mib) < 0.05
           && figures_apart(ptxlint_gpu_value(gpu, "l2_bytes"), device->l2_bytes) < 0.1
           && figures_apart(ptxlint_gpu_value(gpu, "memory_gb_per_s"), device->memory_gb_per_s)
                  < 0.1;
}

const ptxlint_gpu *ptx_measured_base(const MeasuredDevice *device)
{
    char sm[16];
    const ptxlint_gpu *gpu;
    snprintf(sm, sizeof sm, "sm_%u%u", device->major, device->minor);
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
        if (*info->product && !strcmp(info->sm, sm) && is_this_gpu(gpu, device))
            return gpu;
    }
    return ptxlint_gpu_find(sm);
}

/* ---- the file -------------------------------------------------------------------------------- */

enum { SOURCE_BYTES = 1024 };

/* What no GPU can have is left out, as a driver may say it. */
static void set_figure(ptxlint_gpu *gpu, const char *key, double value, const char *source)
{
    if (isfinite(value) && value > 0)
        ptxlint_gpu_set(gpu, key, value, source, NULL, 0);
}

static void set_device_figures(ptxlint_gpu *gpu, const MeasuredDevice *device,
                               const ptxlint_gpu *base)
{
    char source[SOURCE_BYTES];
    snprintf(source, sizeof source, "what the driver (CUDA %u.%u) says of this %s",
             device->driver_version / 1000, device->driver_version % 1000 / 10, device->name);
    set_figure(gpu, "sms", device->sms, source);
    if (!isfinite(ptxlint_gpu_value(base, "clock_mhz")))
        set_figure(gpu, "clock_mhz", device->clock_most_mhz, source);
    set_figure(gpu, "l2_bytes", device->l2_bytes, source);
    set_figure(gpu, "memory_mib", device->memory_mib, source);
    if (!isfinite(ptxlint_gpu_value(base, "memory_gb_per_s")))
        set_figure(gpu, "memory_gb_per_s", device->memory_gb_per_s, source);
}

static void set_measured_figure(ptxlint_gpu *gpu, const MeasuredDevice *device,
                                const MeasuredValue *value)
{
    char source[SOURCE_BYTES];
    snprintf(source, sizeof source,
             "measured on this %s by `ptxlint gpu measure`: %s; the median of %u runs, %.4g to "
             "%.4g %s",
             device->name, value->how, value->runs, value->low, value->high, value->unit);
    set_figure(gpu, value->figure, value->value, source);
}

static bool is_in_gpu_file(const Measurement *m, const ptxlint_gpu *base, const char *figure)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->values[i].figure && !strcmp(m->values[i].figure, figure)
            && isfinite(m->values[i].value) && !ptx_figure_is_kept(&m->values[i], base))
            return true;
    return false;
}

static bool is_measurable(const ptxlint_figure *figure)
{
    return !strcmp(figure->section, "latency") || !strcmp(figure->section, "sustained");
}

/* What rests on others' measurements. */
static void put_kept(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    ptxlint_figure figure;
    size_t column = LINE_COLUMNS;
    ptx_text_print(out, "\n# Not measured, and as in %s, or as on an H200 where that does not say:",
                   ptxlint_gpu_get_info(base)->name);
    for (size_t i = 0; ptxlint_gpu_figure(base, i, &figure); i++) {
        if (!is_measurable(&figure) || is_in_gpu_file(m, base, figure.key))
            continue;
        if (column + strlen(figure.key) + 2 > LINE_COLUMNS) {
            ptx_text_put(out, "\n#");
            column = 1;
        }
        ptx_text_print(out, " %s", figure.key);
        column += strlen(figure.key) + 1;
    }
    ptx_text_put(out, "\n");
}

/* NULL: without memory. */
static ptxlint_gpu *measured_gpu(const Measurement *m, const ptxlint_gpu *base)
{
    ptxlint_gpu *gpu;
    if (ptxlint_gpu_copy(base, ptxlint_gpu_get_info(base)->name, m->device.name, &gpu))
        return NULL;
    set_device_figures(gpu, &m->device, base);
    for (size_t i = 0; i < m->count; i++)
        if (m->values[i].figure && !ptx_figure_is_kept(&m->values[i], base))
            set_measured_figure(gpu, &m->device, &m->values[i]);
    return gpu;
}

void ptx_gpu_file_put(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    ptxlint_gpu *gpu = measured_gpu(m, base);
    ptx_text_put(out, "# Written by `ptxlint gpu measure`; read by `ptxlint --gpu FILE`.\n");
    out->has_failed |= !gpu || ptxlint_gpu_write(gpu, ptx_text_write, out) != PTXLINT_OK;
    put_kept(out, m, base);
    ptxlint_gpu_free(gpu);
}
