/* tune.c -- which block to launch a kernel with: its shapes side by side, and why one of them.
 *
 * The launch that is given says how many threads there are in each dimension; every shape gets as many blocks as that takes. Dynamic shared memory that the
 * launch has so many bytes of for each thread grows with the block. */
#include "cli/cli.h"
#include "cli/rule_json.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MOST = 96, THREADS_MOST = 1024, WARP = 32 };

#define NEARLY 1.02             /* of the least time: the model does not tell these apart */

typedef struct Shape {
    ptxlint_trial trial;
    ptxlint_estimated estimated;
    int64_t threads;
    bool is_given;              /* the launch as it is */
} Shape;

typedef struct Tune {
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    Shape shapes[SHAPES_MOST];
    size_t count;
    const Shape *best;          /* NULL: nothing can be told */
} Tune;

/* ---- the shapes -------------------------------------------------------------------------------------------------- */

static bool is_predicted(const Shape *shape)
{
    return isfinite(shape->estimated.time.predicted_us);
}

static bool is_allowed(const ptxlint_kernel *kernel, const int64_t block[3])
{
    int64_t most = kernel->maxntid[0];
    for (int i = 1; i < 3; i++)
        most *= kernel->maxntid[i] ? kernel->maxntid[i] : 1;
    return !most || block[0] * block[1] * block[2] <= most;
}

static void add_shape(Tune *t, const int64_t block[3])
{
    const ptxlint_launch *given = &t->kernel->launch;
    if (t->count == SHAPES_MOST || !is_allowed(t->kernel, block))
        return;
    Shape *shape = &t->shapes[t->count];
    *shape = (Shape){ .threads = block[0] * block[1] * block[2], .is_given = true };
    ptxlint_trial_init(&shape->trial);
    for (int i = 0; i < 3; i++) {
        shape->is_given = shape->is_given && block[i] == given->block[i];
        shape->trial.block[i] = block[i];
        shape->trial.grid[i] = (given->grid[i] * given->block[i] + block[i] - 1) / block[i];
    }
    if (given->dynamic_shared_bytes > 0 && given->dynamic_shared_bytes % given->threads_per_block == 0)
        shape->trial.dynamic_shared_bytes = given->dynamic_shared_bytes / given->threads_per_block * shape->threads;
    if (ptxlint_estimate(t->module, t->kernel->name, 0, &shape->trial, &shape->estimated) == PTXLINT_OK)
        t->count++;
}

/* Powers of two, and for rows of threads whole warps in between; in as many dimensions as the launch has. The launch itself is one of them. */
static void add_shapes(Tune *t)
{
    static const int rows[] = { 32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024 };
    const ptxlint_launch *given = &t->kernel->launch;
    bool is_row = given->block[1] == 1 && given->grid[1] == 1;
    add_shape(t, given->block);
    for (size_t i = 0; is_row && i < sizeof rows / sizeof *rows; i++)
        if (rows[i] != given->block[0])
            add_shape(t, (int64_t[3]){ rows[i], 1, given->block[2] });
    for (int64_t threads = WARP; !is_row && threads <= THREADS_MOST; threads *= 2)
        for (int64_t x = 1; x <= threads; x *= 2)
            if (x != given->block[0] || threads / x != given->block[1])
                add_shape(t, (int64_t[3]){ x, threads / x, given->block[2] });
}

static int by_time(const void *a, const void *b)
{
    const Shape *x = a, *y = b;
    double p = is_predicted(x) ? x->estimated.time.predicted_us : HUGE_VAL, q = is_predicted(y) ? y->estimated.time.predicted_us : HUGE_VAL;
    return p < q ? -1 : p > q ? 1 : x->threads < y->threads ? -1 : x->threads > y->threads;
}

static bool is_tunable(const ptxlint_kernel *kernel)
{
    return kernel->is_entry && kernel->launch.blocks > 0 && !kernel->launch.block_is_assumed && !kernel->reqntid[0];
}

static void tune(Tune *t)
{
    add_shapes(t);
    qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    t->best = t->count && is_predicted(&t->shapes[0]) ? &t->shapes[0] : NULL;
    for (size_t i = 0; t->best && i < t->count; i++)    /* no change without a gain */
        if (t->shapes[i].is_given && t->shapes[i].estimated.time.predicted_us <= NEARLY * t->shapes[0].estimated.time.predicted_us)
            t->best = &t->shapes[i];
}

static const Shape *given_shape(const Tune *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->shapes[i].is_given)
            return &t->shapes[i];
    return NULL;
}

/* ---- why --------------------------------------------------------------------------------------------------------- */

static bool is_less(double a, double b)
{
    return a < 0.98 * b;
}

static void put_reason(Text *out, const char *what, double now, double before, const char *unit)
{
    ptx_text_print(out, "%s%s %.4g%s instead of %.4g%s", out->length ? "; " : "", what, now, unit, before, unit);
}

/* What is better about a shape than about the one that is given. */
static void put_reasons(Text *out, const Shape *best, const Shape *given)
{
    const ptxlint_estimated *b = &best->estimated, *g = &given->estimated;
    if (is_less(b->sectors_per_request, g->sectors_per_request))
        put_reason(out, "sectors of a request", b->sectors_per_request, g->sectors_per_request, "");
    if (is_less(b->wavefronts_per_request, g->wavefronts_per_request))
        put_reason(out, "wavefronts of a request", b->wavefronts_per_request, g->wavefronts_per_request, "");
    if (is_less(g->occupancy.percent, b->occupancy.percent))
        put_reason(out, "occupancy", b->occupancy.percent, g->occupancy.percent, " %");
    for (size_t i = 0; i < b->time.part_count && i < g->time.part_count; i++)
        if (g->time.parts[i].us > 0.2 * g->time.predicted_us && is_less(b->time.parts[i].us, g->time.parts[i].us))
            put_reason(out, b->time.parts[i].part, b->time.parts[i].us, g->time.parts[i].us, " us");
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct Number {
    char text[24];
} Number;

static Number short_number(double value)
{
    Number number = { "-" };
    if (isfinite(value))
        snprintf(number.text, sizeof number.text, "%.3g", value);
    return number;
}

static void put_text(const Tune *t, Text *out)
{
    const Shape *given = given_shape(t);
    Text why = { 0 };
    ptx_text_print(out, "%s\n  %-12s %-16s %9s %7s %8s %10s %11s %9s  %s\n", t->kernel->name, "block", "grid", "occupancy", "waves", "sectors", "wavefronts",
                   "predicted", "at least", "limiter");
    for (size_t i = 0; i < t->count; i++) {
        const Shape *s = &t->shapes[i];
        const ptxlint_estimated *e = &s->estimated;
        char block[48], grid[64];
        snprintf(block, sizeof block, "%ld x %ld x %ld", (long)s->trial.block[0], (long)s->trial.block[1], (long)s->trial.block[2]);
        snprintf(grid, sizeof grid, "%ld x %ld x %ld", (long)s->trial.grid[0], (long)s->trial.grid[1], (long)s->trial.grid[2]);
        if (!is_predicted(s))
            ptx_text_print(out, "%c %-12s %-16s not known%s%s\n", s == t->best ? '*' : ' ', block, grid, e->occupancy.error ? ": " : "",
                           e->occupancy.error ? e->occupancy.error : "");
        else
            ptx_text_print(out, "%c %-12s %-16s %7.3g %% %7.3g %8s %10s %8.4g us %6.4g us  %s\n", s == t->best ? '*' : ' ', block, grid,
                           e->occupancy.percent, e->waves, short_number(e->sectors_per_request).text, short_number(e->wavefronts_per_request).text,
                           e->time.predicted_us, e->time.bound_us, e->time.limiter ? e->time.limiter : "-");
    }
    if (t->best && t->best->is_given)
        ptx_text_put(out, "  Keep the block as it is: no other is predicted to be more than 2 % faster.\n");
    else if (t->best && given && is_predicted(given)) {
        put_reasons(&why, t->best, given);
        ptx_text_print(out, "  Take %ld x %ld x %ld: %.3g times as fast as now by prediction%s%s.\n", (long)t->best->trial.block[0], (long)t->best->trial.block[1],
                       (long)t->best->trial.block[2], given->estimated.time.predicted_us / t->best->estimated.time.predicted_us, why.length ? "; " : "",
                       why.length ? why.bytes : "");
    }
    ptx_text_put(out, "  This holds if the kernel does the same work in blocks of any shape, which its code alone does not tell.\n");
    out->has_failed |= why.has_failed;
    ptx_text_free(&why);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *sizes_json(const int64_t size[3])
{
    return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

static json_t *shape_json(const Tune *t, const Shape *s)
{
    const ptxlint_estimated *e = &s->estimated;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:b}", "block", sizes_json(s->trial.block), "grid", sizes_json(s->trial.grid),
                     "occupancy_percent", number(e->occupancy.percent), "waves", number(e->waves), "sectors_per_request", number(e->sectors_per_request),
                     "wavefronts_per_request", number(e->wavefronts_per_request), "predicted_time_us", number(e->time.predicted_us),
                     "bound_time_us", number(e->time.bound_us), "limiter", e->time.limiter, "is_given", s->is_given, "is_recommended", s == t->best);
}

static json_t *tune_json(const Tune *t)
{
    json_t *shapes = json_array();
    const Shape *given = given_shape(t);
    Text why = { 0 };
    if (t->best && given && !t->best->is_given)
        put_reasons(&why, t->best, given);
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(shapes, shape_json(t, &t->shapes[i]));
    json_t *value = json_pack("{s:s, s:s, s:o}", "name", t->kernel->name, "why", why.length ? why.bytes : "", "shapes", shapes);
    ptx_text_free(&why);
    return value;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static ExitCode tune_module(const Options *options, const ptxlint_module *module, json_t *all, Text *out)
{
    size_t count, tuned = 0;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    Tune *t = malloc(sizeof *t);
    for (size_t k = 0; t && k < count; k++) {
        if (!is_tunable(&kernels[k]) || (options->kernel_glob && fnmatch(options->kernel_glob, kernels[k].name, 0)))
            continue;
        *t = (Tune){ .module = module, .kernel = &kernels[k] };
        tune(t);
        if (options->output.format == FORMAT_JSON)
            json_array_append_new(all, tune_json(t));
        else
            put_text(t, out);
        tuned++;
    }
    free(t);
    if (!t)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    if (!tuned)
        ptx_complain(ptxlint_module_get_info(module)->path, "no kernel whose grid and block are given: see --grid, --block and --launch");
    return tuned ? EXIT_CLEAN : EXIT_USAGE;
}

static ExitCode tune_files(const Options *options, const Inputs *inputs, json_t *all, Text *out)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; options->paths[i]; i++) {
        ptxlint_module *module;
        ptxlint_options with;
        ptxlint_options_init(&with);
        with.path = options->paths[i];
        with.gpus = inputs->gpus;
        with.gpu_count = inputs->gpu_count;
        with.launches = inputs->launches;
        with.ptxas = inputs->logs;
        ptxlint_status status = ptxlint_module_open(options->paths[i], &with, &module);
        if (status != PTXLINT_OK) {
            code = exit_code_max(code, ptx_complain_status(options->paths[i], status));
            continue;
        }
        code = exit_code_max(code, tune_module(options, module, all, out));
        ptxlint_module_free(module);
    }
    return code;
}

ExitCode ptx_tune(const Options *options)
{
    Inputs inputs = { 0 };
    Text out = { 0 };
    json_t *all = json_array();
    ExitCode code = ptx_inputs_read(&inputs, options);
    if (code == EXIT_CLEAN)
        code = tune_files(options, &inputs, all, &out);
    if (options->output.format == FORMAT_JSON && code == EXIT_CLEAN)
        ptx_json_write(&out, json_pack("{s:s, s:O}", "schema", "ptxlint-tune/1", "kernels", all));
    if (out.length || out.has_failed)
        code = exit_code_max(code, ptx_output_text(options, &out));
    json_decref(all);
    ptx_text_free(&out);
    ptx_inputs_free(&inputs);
    return code;
}
