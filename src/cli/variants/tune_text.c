/* tune_text.c -- the table of shapes, and the one to take. */
#include "cli/variants/tune.h"
#include "support/choice.h"

#include <math.h>
#include <stdio.h>

typedef struct TuneNumber {
    char text[24];
} TuneNumber;

static TuneNumber short_number(double value)
{
    TuneNumber number = { "-" };
    if (isfinite(value))
        snprintf(number.text, sizeof number.text, "%.3g", value);
    return number;
}

static void put_variants(const Tune *t, Text *out)
{
    double best = t->best ? t->best->estimated.time.predicted_us : (double)NAN;
    for (size_t i = 0; i < t->variant_count; i++) {
        const Variant *v = &t->variants[i];
        const ptxlint_estimated *e = &v->shape.estimated;
        if (v->is_shared
            && e->occupancy.blocks_per_sm == t->best->estimated.occupancy.blocks_per_sm) {
            ptx_text_print(
                out,
                "  Dynamic shared memory may grow to %ld bytes with as many blocks on an SM.\n",
                (long)v->shape.trial.dynamic_shared_bytes);
            continue;
        }
        if (v->is_shared)
            ptx_text_print(
                out, "  With %ld bytes of dynamic shared memory, if the kernel can do with so few",
                (long)v->shape.trial.dynamic_shared_bytes);
        else
            ptx_text_print(out, "  With at most %ld registers a thread (.maxnreg)",
                           (long)v->shape.trial.max_registers);
        ptx_text_print(out, ": %ld blocks on an SM instead of %ld, occupancy %.3g %%",
                       (long)e->occupancy.blocks_per_sm,
                       (long)t->best->estimated.occupancy.blocks_per_sm, e->occupancy.percent);
        if (ptx_tune_is_predicted(&v->shape))
            ptx_text_print(out, ", %.4g us, %.3g times as fast", e->time.predicted_us,
                           best / e->time.predicted_us);
        if (!v->is_shared)
            ptx_text_print(out, "; %s", ptx_tune_spills(e->spills));
        ptx_text_put(out, ".\n");
    }
}

typedef struct TuneDims {
    char text[48];
} TuneDims;

/* Without the ones at its end: 256, 32x8. */
static TuneDims short_dims(const int64_t dims[3])
{
    TuneDims d;
    if (dims[2] > 1)
        snprintf(d.text, sizeof d.text, "%ldx%ldx%ld", (long)dims[0], (long)dims[1], (long)dims[2]);
    else if (dims[1] > 1)
        snprintf(d.text, sizeof d.text, "%ldx%ld", (long)dims[0], (long)dims[1]);
    else
        snprintf(d.text, sizeof d.text, "%ld", (long)dims[0]);
    return d;
}

enum { BLOCK_COLUMNS = 8, GRID_COLUMNS = 9 };

static char mark_of(const Tune *t, const TuneShape *s)
{
    if (s == t->best && !t->is_bound)
        return '*';
    return s->work == WORK_UNKNOWN ? '?' : ' ';
}

static void put_why_unknown(const Tune *t, const TuneShape *s, Text *out)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(t->module);
    const double most = t->gpu < info->gpu_count
                            ? ptxlint_gpu_value(info->gpus[t->gpu], "threads_per_block")
                            : (double)NAN;
    const int64_t *block = s->trial.block;
    ptx_text_print(out, "not known: %s", ptx_why_untimed(&s->estimated));
    if ((double)block[0] * (double)block[1] * (double)block[2] > most)
        ptx_text_print(out, ": %.0f at the most", most);
    ptx_text_put(out, "\n");
}

/* *: the block to take; ?: whether it does the same work is not known. */
static void put_shape(const Tune *t, const TuneShape *s, bool has_shared, Text *out)
{
    const ptxlint_estimated *e = &s->estimated;
    const double passes = has_shared ? e->wavefronts_per_request : e->lines_per_request;
    char bound[16] = "-", mark = mark_of(t, s);
    if (isfinite(e->time.bound_us))
        snprintf(bound, sizeof bound, "%.4g us", e->time.bound_us);
    ptx_text_print(out, "%c %-*s %-*s ", mark, BLOCK_COLUMNS, short_dims(s->trial.block).text,
                   GRID_COLUMNS, short_dims(s->trial.grid).text);
    if (s->work == WORK_OTHER)
        ptx_text_put(out, "other work: more threads than now access memory\n");
    else if (!ptx_tune_is_predicted(s))
        put_why_unknown(t, s, out);
    else
        ptx_text_print(out, "%4.3g %% %6.3g %7s %7s %7.4g us %9s %s\n", e->occupancy.percent,
                       e->waves, short_number(e->sectors_per_request).text,
                       short_number(passes).text, e->time.predicted_us, bound,
                       e->time.limiter ? e->time.limiter : "-");
}

/* It has times in its row. */
static bool is_timed_row(const TuneShape *s)
{
    return s->work != WORK_OTHER && ptx_tune_is_predicted(s);
}

/* The widest of the bands of all rows, by what is predicted. */
static void put_shape_band(const Tune *t, Text *out)
{
    double low = 1, high = 1;
    for (size_t i = 0; i < t->count; i++) {
        const ptxlint_time *time = &t->shapes[i].estimated.time;
        if (!is_timed_row(&t->shapes[i]))
            continue;
        low = fmin(low, time->low_us / time->predicted_us);
        high = fmax(high, time->high_us / time->predicted_us);
    }
    if (low < high)
        ptx_text_print(out,
                       "  Nine in ten such launches take %.2g to %.2g times what is predicted.\n",
                       low, high);
}

static void put_legend(const Tune *t, bool has_shared, Text *out)
{
    bool has_doubt = false, has_dash = false;
    const char *why = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const ptxlint_estimated *e = &t->shapes[i].estimated;
        has_doubt |= t->shapes[i].work == WORK_UNKNOWN;
        if (!is_timed_row(&t->shapes[i]))
            continue;
        has_dash |= !(isfinite(e->sectors_per_request)
                      && (!has_shared || isfinite(e->wavefronts_per_request)));
        why = why || isfinite(e->time.bound_us) ? why : ptx_why_unbound(e);
    }
    if (has_doubt)
        ptx_text_put(out, "  ?: whether it does the same work is not known.\n");
    if (has_dash)
        ptx_text_put(out, "  -: no such requests, or not known.\n");
    if (why)
        ptx_text_print(out, "  No lower bound: %s.\n", why);
}

/* Of shared memory; else a column has lines of global memory instead. */
static bool has_shared_requests(const Tune *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (is_timed_row(&t->shapes[i])
            && isfinite(t->shapes[i].estimated.wavefronts_per_request))
            return true;
    return false;
}

static void put_table(const Tune *t, Text *out)
{
    const bool has_shared = has_shared_requests(t);
    ptx_text_print(out, "%s on %s\n", ptx_text_or(t->kernel->demangled, t->kernel->name),
                   ptx_text_or(ptx_tune_gpu(t), "an unknown GPU"));
    if (t->count)
        ptx_text_print(out, "  %-*s %-*s %6s %6s %7s %7s %10s %9s %s\n", BLOCK_COLUMNS, "block",
                       GRID_COLUMNS, "grid", "occup.", "waves", "sectors",
                       has_shared ? "wavefr." : "lines", "predicted",
                       "at least", "limiter");
    for (size_t i = 0; i < t->count; i++)
        put_shape(t, &t->shapes[i], has_shared, out);
    put_shape_band(t, out);
    put_legend(t, has_shared, out);
}

/* The block to take, or that there is none. */
static void put_choice(const Tune *t, Text *out)
{
    const TuneShape *given = ptx_tune_given(t), *best = t->best;
    Text why = { 0 };
    ptx_tune_put_bound(t, &why);
    if (why.length)
        ptx_text_print(out, "  %s: %s.\n",
                       !t->count || t->is_bound ? "No other block is compared"
                                                : "Not every block is compared",
                       why.bytes);
    ptx_text_free(&why);
    if (t->is_bound || !best)
        return;
    if (best->is_given) {
        ptx_text_print(out,
                       "  Keep the block as it is: no other is predicted to be more than %.0f %% "
                       "faster (the model's error).\n",
                       100 * (PTX_MODEL_ERROR - 1));
        return;
    }
    why = (Text){ 0 };
    ptx_tune_put_reasons(&why, best, given);
    ptx_text_print(out, "  Take %ld x %ld x %ld", (long)best->trial.block[0],
                   (long)best->trial.block[1], (long)best->trial.block[2]);
    ptx_text_print(out, ": %.3g times as fast as now by prediction",
                   given->estimated.time.predicted_us / best->estimated.time.predicted_us);
    if (why.length)
        ptx_text_print(out, "; %s", why.bytes);
    ptx_text_put(out, ".\n");
    out->has_failed |= why.has_failed;
    ptx_text_free(&why);
}

void ptx_tune_put_text(const Tune *t, Text *out)
{
    Text lines = { 0 };
    put_table(t, &lines);
    put_choice(t, &lines);
    if (t->best && !t->best->estimated.knows_params)
        ptx_text_put(
            &lines, "  The times rest on numbers that were assumed for parameters: see --param.\n");
    put_variants(t, &lines);
    if (!t->is_bound)
        ptx_text_print(&lines,
                       "  The same work, but where marked: threads differ by their index in the "
                       "grid alone, if %s.\n",
                       ptx_tune_assumption);
    if (lines.length)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}
