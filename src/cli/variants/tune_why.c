/* tune_why.c -- why one shape is better, and why others are not tried. */
#include "cli/variants/tune.h"
#include "support/minmax.h"

#include <math.h>

const char ptx_tune_assumption[] = "no index overflows 32 bits";

static bool is_less(double a, double b)
{
    return a < 0.98 * b;
}

static void put_reason(Text *out, const char *what, double now, double before, const char *unit)
{
    ptx_text_print(out, "%s%s %.4g%s instead of %.4g%s", out->length ? "; " : "", what, now, unit,
                   before, unit);
}

void ptx_tune_put_reasons(Text *out, const TuneShape *best, const TuneShape *given)
{
    const ptxlint_estimated *b = &best->estimated, *g = &given->estimated;
    if (is_less(b->sectors_per_request, g->sectors_per_request))
        put_reason(out, "sectors of a request", b->sectors_per_request, g->sectors_per_request, "");
    if (is_less(b->wavefronts_per_request, g->wavefronts_per_request))
        put_reason(out, "wavefronts of a request", b->wavefronts_per_request,
                   g->wavefronts_per_request, "");
    if (is_less(g->occupancy.percent, b->occupancy.percent))
        put_reason(out, "occupancy", b->occupancy.percent, g->occupancy.percent, " %");
    for (size_t i = 0; i < b->time.part_count && i < g->time.part_count; i++)
        if (g->time.parts[i].us > 0.2 * g->time.predicted_us
            && is_less(b->time.parts[i].us, g->time.parts[i].us))
            put_reason(out, b->time.parts[i].part, b->time.parts[i].us, g->time.parts[i].us, " us");
}

static const char axes[] = "xyz";

/* An array of a fixed size that has so many bytes for each thread. */
static void put_array(const Tune *t, Text *out)
{
    int64_t threads = t->kernel->launch.threads_per_block, bytes = t->index.shared_bytes;
    if (!t->index.shared[0])
        return;
    ptx_text_print(out, " (`%s`, %ld bytes", t->index.shared, (long)bytes);
    if (threads > 0 && bytes % threads == 0 && bytes / threads <= 16)
        ptx_text_print(out, ": %ld for each of %ld threads", (long)(bytes / threads),
                       (long)threads);
    ptx_text_put(out, ")");
}

static void put_constant(const Tune *t, int d, Text *out)
{
    int64_t number = t->index.number[d];
    if (number == t->kernel->launch.block[d])
        ptx_text_print(out, "the code assumes %ld threads in %c: ", (long)number, axes[d]);
    ptx_text_print(out, "line %zu rests on %ld * %%ctaid.%c + %%tid.%c, whatever %%ntid.%c is",
                   t->index.line[d], (long)number, axes[d], axes[d], axes[d]);
    put_array(t, out);
}

static void put_other_use(const Tune *t, int d, Text *out)
{
    static const char *const words[] = { [PTXLINT_BINDING_COUNT] = "%nctaid",
                                         [PTXLINT_BINDING_NUMBER] = "%ctaid",
                                         [PTXLINT_BINDING_SIZE] = "%ntid",
                                         [PTXLINT_BINDING_PLACE] = "%tid" };
    ptx_text_print(out, "line %zu uses %s.%c, and not in %%ctaid.%c * %%ntid.%c + %%tid.%c",
                   t->index.line[d], words[t->index.binding[d]], axes[d], axes[d], axes[d],
                   axes[d]);
}

static void put_binding(const Tune *t, int d, Text *out)
{
    size_t line = t->index.line[d];
    switch (t->index.binding[d]) {
    case PTXLINT_BINDING_CONSTANT:
        put_constant(t, d, out);
        break;
    case PTXLINT_BINDING_SHARED:
        ptx_text_put(out, "threads of a block share memory");
        put_array(t, out);
        ptx_text_put(out, ", and what another block would make of it is not followed");
        break;
    case PTXLINT_BINDING_BARRIER:
        ptx_text_print(out, "line %zu depends on which threads are one block", line);
        break;
    case PTXLINT_BINDING_PLACE:
    case PTXLINT_BINDING_SIZE:
    case PTXLINT_BINDING_NUMBER:
    case PTXLINT_BINDING_COUNT:
        put_other_use(t, d, out);
        break;
    case PTXLINT_BINDING_CALL:
        ptx_text_print(out, "line %zu calls a function, which is not followed", line);
        break;
    case PTXLINT_BINDING_CLOCK:
        ptx_text_print(
            out, "line %zu reads a special register that depends on where or when the thread runs",
            line);
        break;
    default:
        ptx_text_put(out, "the code could not be followed");
    }
}

/* Of the dimensions that are tried the bound one whose binding says most; -1: none. */
static int telling_dimension(const Tune *t)
{
    int most = -1;
    for (int d = 0; d < (ptx_tune_is_row(t) ? 1 : 2); d++)
        if (t->index.binding[d] && (most < 0 || t->index.binding[d] > t->index.binding[most]))
            most = d;
    return most;
}

const char *ptx_tune_gpu(const Tune *t)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(t->module);
    return t->gpu < info->gpu_count ? ptxlint_gpu_get_info(info->gpus[t->gpu])->name : NULL;
}

void ptx_tune_put_bound(const Tune *t, Text *out)
{
    const uint32_t *req = t->kernel->reqntid;
    const int64_t *cluster = t->kernel->launch.cluster;
    int d = telling_dimension(t);
    if (!ptx_tune_gpu(t)) {
        ptx_text_put(out, "no file describes the GPU of its target; give --gpu");
    } else if (req[0]) {
        ptx_text_print(out, "`.reqntid %u, %u, %u` allows no other", req[0],
                       ptx_u32_max(req[1], 1), ptx_u32_max(req[2], 1));
    } else if (d >= 0) {
        if (!t->is_bound)
            ptx_text_print(out, "in %c ", axes[d]);
        put_binding(t, d, out);
    } else if (t->is_bound && t->index.asks_lane) {
        ptx_text_put(out,
                     "lanes of a warp work together, and rows of the block are not whole warps");
    } else if (t->is_bound && (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)) {
        ptx_text_put(out, "blocks of a cluster may work together");
    } else if (t->is_bound) {
        ptx_text_put(out, "none has as many threads in all within the limits of the launch");
    }
}
