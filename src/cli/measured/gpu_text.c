#include "cli/measured/gpu_text.h"
#include "support/choice.h"

#include <math.h>
#include <string.h>

void ptx_yaml_put_string(Text *out, const char *text)
{
    ptx_text_put(out, "\"");
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            ptx_text_put(out, "?");
        else
            ptx_text_print(out, "%s%c", ptx_text_if(strchr("\"\\", *text) != NULL, "\\"), *text);
    }
    ptx_text_put(out, "\"");
}

void ptx_gpu_put_line(Text *out, const char *key, double value)
{
    const int decimals = value > 0 && value < 1000 ? (int)fmin(12, 4 - floor(log10(value))) : 0;
    ptx_text_print(out, "    %s: %.*f\n", key, decimals, value);
}

static bool is_compiled_in(const ptxlint_gpu *gpu)
{
    return ptxlint_gpu_find(ptxlint_gpu_get_info(gpu)->name) == gpu;
}

static const char *name_of_base(const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    return is_compiled_in(gpu) ? info->name : info->sm;
}

bool ptx_gpu_has_text(const ptxlint_gpu *gpu)
{
    const ptxlint_gpu *base = ptxlint_gpu_find(name_of_base(gpu));
    ptxlint_pipe own, other;
    for (size_t i = 0; base && ptxlint_gpu_pipe(gpu, i, &own); i++)
        if (ptxlint_gpu_pipe(base, i, &other) && own.lanes != other.lanes
            && !(isnan(own.lanes) && isnan(other.lanes)))
            return false;
    return base;
}

static bool is_replaced(const GpuLine *lines, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(lines[i].key, key))
            return true;
    return false;
}

static void put_source(Text *out, const char *source)
{
    ptx_text_put(out, "  - source: ");
    ptx_yaml_put_string(out, source);
    ptx_text_put(out, "\n");
}

/* What a GPU that is not compiled in says itself. */
static void put_own_figures(Text *out, const ptxlint_gpu *gpu, const GpuLine *lines, size_t count)
{
    const ptxlint_gpu *base = ptxlint_gpu_find(name_of_base(gpu));
    ptxlint_figure figure;
    for (size_t i = 0; !is_compiled_in(gpu) && ptxlint_gpu_figure(gpu, i, &figure); i++) {
        const double there = ptxlint_gpu_value(base, figure.key);
        const bool is_same = fabs(there - figure.value) <= 0;
        if (isnan(figure.value) || is_same || is_replaced(lines, count, figure.key))
            continue;
        put_source(out, figure.source);
        ptx_gpu_put_line(out, figure.key, figure.value);
    }
}

void ptx_gpu_put_text(Text *out, const ptxlint_gpu *gpu, const GpuLine *lines, size_t count)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    Text figures = { 0 };
    if (*info->product) {
        ptx_text_put(out, "product: ");
        ptx_yaml_put_string(out, info->product);
        ptx_text_put(out, "\n");
    }
    ptx_text_print(out, "base: %s\n", name_of_base(gpu));
    put_own_figures(&figures, gpu, lines, count);
    for (size_t i = 0; i < count; i++) {
        put_source(&figures, lines[i].source);
        ptx_gpu_put_line(&figures, lines[i].key, lines[i].value);
    }
    if (figures.bytes)                          /* a list without items is an error */
        ptx_text_print(out, "\nfigures:\n%s", figures.bytes);
    out->has_failed |= figures.has_failed;
    ptx_text_free(&figures);
}
