/* gpu_file.c -- a GPU as a file: its base, and what is not as there. */
#include "gpu/gpu.h"
#include "model/gpu.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <utf8proc.h>

enum { DECIMALS_MAX = 15 };

typedef struct GpuFileWriter {
    Out out;
    const Gpu *gpu;
    const Gpu *base;            /* NULL: none */
} GpuFileWriter;

/* ---- texts and numbers ----------------------------------------------------------------------- */

/* That stands in a file as it is: `libyaml` takes no other. */
static bool is_plain_in_yaml(utf8proc_int32_t c)
{
    const bool is_ascii = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    return is_ascii || (c >= 0xa0 && c != 0xfeff && c != 0xfffe && c != 0xffff);
}

static void put_yaml_text(Out *out, const char *text)
{
    utf8proc_int32_t c;
    ptx_out_text(out, "\"");
    while (*text) {
        const utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &c);
        if (bytes > 0 && is_plain_in_yaml(c))
            ptx_out_bytes(out, text, (size_t)bytes);
        else
            ptx_out_format(out, "\\u%04X", bytes > 0 ? (unsigned)c : 0xfffdu);
        text += bytes > 0 ? bytes : 1;
    }
    ptx_out_text(out, "\"");
}

static void put_yaml_member(Out *out, const char *key, const char *text)
{
    ptx_out_text(out, key);
    put_yaml_text(out, text);
    ptx_out_text(out, "\n");
}

/* The fewest digits that the reader makes the same number of, by hand: printf would ask the
 * caller's locale. Past 15 decimals, which no figure has, it is rounded. */
static void put_yaml_number(Out *out, double value, bool is_float)
{
    double scale = 1, whole = 0;
    int decimals = 0;
    for (;; decimals++, scale *= 10) {
        whole = round(value * scale);
        const double read = whole / scale;
        const bool is_same = is_float ? fabs((float)read - value) <= 0 : fabs(read - value) <= 0;
        if (is_same || decimals == DECIMALS_MAX || whole * 10 > 0x1p53)
            break;
    }
    const uint64_t digits = (uint64_t)whole, unit = (uint64_t)scale;
    ptx_out_format(out, "%" PRIu64, digits / unit);
    if (decimals)
        ptx_out_format(out, ".%0*" PRIu64, decimals, digits % unit);
}

/* ---- what is not as in the base -------------------------------------------------------------- */

static bool is_same_figure(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 0;
}

static bool is_own_figure(const GpuFileWriter *w, int i)
{
    const Gpu *gpu = w->gpu, *base = w->base;
    return ptx_gpu_has(gpu, (FigureId)i)
           && !(base && is_same_figure(gpu->figures[i], base->figures[i])
                && !strcmp(gpu->sources[gpu->figure_sources[i]],
                           base->sources[base->figure_sources[i]]));
}

static bool is_own_pipe(const GpuFileWriter *w, int i)
{
    const Pipe *own = &w->gpu->pipes[i], *other = w->base ? &w->base->pipes[i] : NULL;
    if (!other || !is_same_figure(own->lanes, other->lanes)
        || strcmp(w->gpu->sources[own->source], w->base->sources[other->source]) != 0)
        return own->lanes > 0;
    for (int m = 0; m < MACHINE__COUNT; m++)
        if (!is_same_figure(own->takes[m], other->takes[m]))
            return true;
    return false;
}

static bool has_own_carveouts(const GpuFileWriter *w)
{
    const Gpu *gpu = w->gpu, *base = w->base;
    return gpu->carveout_count
           && !(base && gpu->carveout_count == base->carveout_count
                && !memcmp(gpu->carveouts, base->carveouts,
                           gpu->carveout_count * sizeof *gpu->carveouts)
                && !strcmp(gpu->sources[gpu->carveout_source],
                           base->sources[base->carveout_source]));
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_group_source(GpuFileWriter *w, uint32_t source, const char **title)
{
    ptx_out_text(&w->out, *title);
    *title = "";
    put_yaml_member(&w->out, "  - source: ", w->gpu->sources[source]);
}

/* Under each source what it says. */
static void put_figures_of_file(GpuFileWriter *w)
{
    const char *title = "\nfigures:\n";
    for (uint32_t s = 0; s < w->gpu->source_count; s++) {
        bool is_begun = false;
        for (int i = 0; i < FIGURE__COUNT; i++) {
            if (w->gpu->figure_sources[i] != s || !is_own_figure(w, i))
                continue;
            if (!is_begun)
                put_group_source(w, s, &title);
            is_begun = true;
            ptx_out_format(&w->out, "    %s: ", ptx_figure_info[i].key);
            put_yaml_number(&w->out, w->gpu->figures[i], false);
            ptx_out_text(&w->out, "\n");
        }
    }
}

static void put_takes(Out *out, const Pipe *pipe)
{
    const char *comma = "";
    for (int m = 0; m < MACHINE__COUNT; m++) {
        if (!(pipe->takes[m] > 0))
            continue;
        ptx_out_format(out, "%s%s: ", comma, ptx_machine_info[m].key);
        put_yaml_number(out, pipe->takes[m], true);
        comma = ", ";
    }
}

static void put_own_pipes(GpuFileWriter *w)
{
    const char *title = "\npipes:\n";
    for (int i = 0; i < PIPE__COUNT; i++) {
        const Pipe *pipe = &w->gpu->pipes[i];
        if (!is_own_pipe(w, i))
            continue;
        put_group_source(w, pipe->source, &title);
        ptx_out_format(&w->out, "    %s: { lanes: ", ptx_pipe_info[i].key);
        put_yaml_number(&w->out, pipe->lanes, false);
        ptx_out_text(&w->out, ", takes: { ");
        put_takes(&w->out, pipe);
        ptx_out_text(&w->out, " } }\n");
    }
}

static void put_own_carveouts(GpuFileWriter *w)
{
    const Gpu *gpu = w->gpu;
    if (!has_own_carveouts(w))
        return;
    put_yaml_member(&w->out, "\ncarveouts:\n  source: ", gpu->sources[gpu->carveout_source]);
    ptx_out_text(&w->out, "  kib: [");
    for (uint32_t i = 0; i < gpu->carveout_count; i++) {
        ptx_out_text(&w->out, ptx_text_if(i > 0, ", "));
        put_yaml_number(&w->out, gpu->carveouts[i] / 1024.0, false);
    }
    ptx_out_text(&w->out, "]\n");
}

static void put_gpu_head(GpuFileWriter *w)
{
    const Gpu *gpu = w->gpu, *base = w->base;
    if (*gpu->product || (base && *base->product))
        put_yaml_member(&w->out, "product: ", gpu->product);
    if (base)
        ptx_out_format(&w->out, "base: %s\n", base->name);
    if (!base || strcmp(gpu->sm, base->sm) != 0)
        put_yaml_member(&w->out, "target: ", gpu->sm);
    if (*gpu->architecture && (!base || strcmp(gpu->architecture, base->architecture) != 0))
        put_yaml_member(&w->out, "architecture: ", gpu->architecture);
}

/* One that is compiled in is its own base: its file says nothing else. */
static const Gpu *base_of_file(const Gpu *gpu)
{
    const Gpu *same = ptx_gpu_find(gpu->name, strlen(gpu->name));
    if (same == gpu)
        return gpu;
    return gpu->base ? ptx_gpu_find(gpu->base, strlen(gpu->base)) : NULL;
}

ptxlint_status ptxlint_gpu_write(const ptxlint_gpu *handle, ptxlint_write_fn write, void *context)
{
    const Gpu *gpu = ptx_gpu_of(handle);
    GpuFileWriter w = { .gpu = gpu };
    if (!gpu || !write)
        return PTXLINT_BAD_ARGUMENT;
    w.base = base_of_file(gpu);
    ptx_out_init(&w.out, write, context);
    put_gpu_head(&w);
    put_figures_of_file(&w);
    put_own_carveouts(&w);
    put_own_pipes(&w);
    ptx_out_flush(&w.out);
    return w.out.status;
}
