/* tune.c -- which block to launch a kernel with: its shapes side by side, and why one of them; then how many registers and how much dynamic shared memory.
 *
 * Whether a kernel needs as many threads in all (one an element) or as many blocks (one a row) with another block, what it touches tells: as many bytes as the
 * launch that is given. Where both do, both are tried. One block tells which shapes are the same work and which to look at closer, as
 * a report does: the best dozen, the launch as it is, and so on until the best is one of them. Dynamic shared memory that the launch has so many bytes of for each thread grows with the block. */
#include "cli/cli.h"
#include "cli/rule_json.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MOST = 160, THREADS_MOST = 1024, WARP = 32, VARIANTS_MOST = 8, REGISTER_STEP = 8, REGISTERS_LEAST = 16,
       CLOSER_LEAST = 12, STEPS_CLOSE = 1 << 19 /* a quarter of what a report takes */ };

#define ALIKE 0.02              /* of bytes: the same but for edges */
#define APART 0.15              /* more is not the same work */
#define NEARLY 1.02             /* of the least time: the model does not tell these apart */

typedef struct Shape {
    ptxlint_trial trial;
    ptxlint_estimated estimated;
    int64_t threads;
    bool is_given;              /* the launch as it is */
    bool is_close;              /* evaluated over many blocks */
} Shape;

typedef struct Variant {        /* of the shape to take */
    Shape shape;
    bool is_shared;             /* another size of dynamic shared memory; else a cap on registers */
} Variant;

typedef struct Tune {
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    Shape shapes[SHAPES_MOST];
    size_t count;
    const Shape *best;          /* NULL: nothing can be told */
    Variant variants[VARIANTS_MOST];
    size_t variant_count;
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

static bool is_row(const Tune *t)
{
    return t->kernel->launch.block[1] == 1 && t->kernel->launch.grid[1] == 1;
}

static bool is_same_grid(const Shape *a, const Shape *b)
{
    return !memcmp(a->trial.grid, b->trial.grid, sizeof a->trial.grid);
}

static bool make_shape(const Tune *t, const int64_t block[3], bool keeps_threads, Shape *shape)
{
    const ptxlint_launch *given = &t->kernel->launch;
    *shape = (Shape){ .threads = block[0] * block[1] * block[2], .is_given = true };
    ptxlint_trial_init(&shape->trial);
    for (int i = 0; i < 3; i++) {
        shape->is_given = shape->is_given && block[i] == given->block[i];
        shape->trial.block[i] = block[i];
        shape->trial.grid[i] = keeps_threads ? (given->grid[i] * given->block[i] + block[i] - 1) / block[i] : given->grid[i];
    }
    if (given->dynamic_shared_bytes > 0 && given->dynamic_shared_bytes % given->threads_per_block == 0)
        shape->trial.dynamic_shared_bytes = given->dynamic_shared_bytes / given->threads_per_block * shape->threads;
    return ptxlint_estimate(t->module, t->kernel->name, 0, &shape->trial, &shape->estimated) == PTXLINT_OK;
}

/* How far what it touches is from what the launch that is given touches. */
static double distance_of(const Tune *t, const Shape *shape)
{
    double bytes = shape->estimated.time.dram_bytes, given = t->count ? t->shapes[0].estimated.time.dram_bytes : bytes;
    return !(given > 0) ? 0 : bytes > 0 ? fabs(log(bytes / given)) : HUGE_VAL;
}

static void add_shape(Tune *t, const int64_t block[3])
{
    Shape scaled, kept;
    if (!is_allowed(t->kernel, block) || t->count + 2 > SHAPES_MOST || !make_shape(t, block, true, &scaled))
        return;
    if (scaled.is_given || !make_shape(t, block, false, &kept)) {
        t->shapes[t->count++] = scaled;
        return;
    }
    double of_scaled = distance_of(t, &scaled), of_kept = distance_of(t, &kept);
    if (of_scaled <= of_kept || of_scaled <= APART)
        t->shapes[t->count++] = scaled;
    bool is_either = of_kept < ALIKE && is_row(t) && !is_same_grid(&scaled, &kept);     /* a stride of the whole grid; tiles may touch the same by chance */
    if ((of_kept < of_scaled && of_scaled > APART) || is_either)
        t->shapes[t->count++] = kept;
}

/* Powers of two, and for rows of threads whole warps in between; in as many dimensions as the launch has. The launch itself is one of them. */
static void add_shapes(Tune *t)
{
    static const int rows[] = { 32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024 };
    const ptxlint_launch *given = &t->kernel->launch;
    add_shape(t, given->block);
    for (size_t i = 0; is_row(t) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i] != given->block[0])
            add_shape(t, (int64_t[3]){ rows[i], 1, given->block[2] });
    for (int64_t threads = WARP; !is_row(t) && threads <= THREADS_MOST; threads *= 2)
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

static void look_closer(const Tune *t, Shape *shape)
{
    ptxlint_estimated closer;
    shape->trial.steps = STEPS_CLOSE;
    if (ptxlint_estimate(t->module, t->kernel->name, 0, &shape->trial, &closer) == PTXLINT_OK)
        shape->estimated = closer;
    shape->is_close = true;
}

/* Sorted by time, the best of them looked at closely. */
static void sort_shapes(Tune *t)
{
    qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    for (size_t i = 0; i < t->count; i++)
        if (t->shapes[i].is_given || i < CLOSER_LEAST)
            look_closer(t, &t->shapes[i]);
    qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    while (t->count && !t->shapes[0].is_close) {
        look_closer(t, &t->shapes[0]);
        qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    }
}

static bool is_tunable(const ptxlint_kernel *kernel)
{
    return kernel->is_entry && kernel->launch.blocks > 0 && !kernel->launch.block_is_assumed && !kernel->reqntid[0];
}

/* ---- registers and shared memory --------------------------------------------------------------------------------- */

/* Kept where it lets an SM hold more blocks than the one before; `least` is what that one had. */
static bool add_variant(Tune *t, const ptxlint_trial *trial, bool is_shared, int64_t least)
{
    if (t->variant_count == VARIANTS_MOST)
        return false;
    Variant *variant = &t->variants[t->variant_count];
    *variant = (Variant){ .shape = { .trial = *trial, .threads = t->best->threads }, .is_shared = is_shared };
    if (ptxlint_estimate(t->module, t->kernel->name, 0, trial, &variant->shape.estimated) != PTXLINT_OK)
        return false;
    bool is_more = variant->shape.estimated.occupancy.blocks_per_sm > least;
    t->variant_count += is_more;
    return is_more;
}

static void add_caps(Tune *t)
{
    const ptxlint_projection *on = &t->kernel->projections[0];
    int64_t least = t->best->estimated.occupancy.blocks_per_sm, first = (on->registers - 1) / REGISTER_STEP * REGISTER_STEP;
    for (int64_t cap = first; cap >= REGISTERS_LEAST && t->kernel->projection_count; cap -= REGISTER_STEP) {
        ptxlint_trial trial = t->best->trial;
        trial.max_registers = cap;
        if (add_variant(t, &trial, false, least))
            least = t->variants[t->variant_count - 1].shape.estimated.occupancy.blocks_per_sm;
        if (t->variant_count && t->variants[t->variant_count - 1].shape.estimated.spills == PTXLINT_SPILLS_LIKELY)
            break;
    }
}

/* The largest size that holds as many blocks as now, and that for one block more. */
static void add_sizes(Tune *t)
{
    int64_t given = t->best->trial.dynamic_shared_bytes >= 0 ? t->best->trial.dynamic_shared_bytes : t->kernel->launch.dynamic_shared_bytes;
    const ptxlint_occupancy *now = &t->best->estimated.occupancy;
    ptxlint_trial trial = t->best->trial;
    if (given <= 0)
        return;
    trial.dynamic_shared_bytes = given + now->shared_free;
    if (now->shared_free > 0)
        add_variant(t, &trial, true, now->blocks_per_sm - 1);
    trial.dynamic_shared_bytes = given - now->shared_to_free;
    if (now->shared_to_free > 0 && now->shared_to_free <= given)
        add_variant(t, &trial, true, now->blocks_per_sm);
}

static void tune(Tune *t)
{
    add_shapes(t);
    sort_shapes(t);
    t->best = t->count && is_predicted(&t->shapes[0]) ? &t->shapes[0] : NULL;
    for (size_t i = 0; t->best && i < t->count; i++)    /* no change without a gain */
        if (t->shapes[i].is_given && t->shapes[i].estimated.time.predicted_us <= NEARLY * t->shapes[0].estimated.time.predicted_us)
            t->best = &t->shapes[i];
    if (t->best) {
        add_sizes(t);
        add_caps(t);
    }
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

static const char *spills_word(ptxlint_spills spills)
{
    static const char *const words[] = { "spills unknown", "spills unlikely", "spills possible", "spills likely" };
    return words[spills];
}

static void put_variants(const Tune *t, Text *out)
{
    double best = t->best ? t->best->estimated.time.predicted_us : (double)NAN;
    for (size_t i = 0; i < t->variant_count; i++) {
        const Variant *v = &t->variants[i];
        const ptxlint_estimated *e = &v->shape.estimated;
        if (v->is_shared && e->occupancy.blocks_per_sm == t->best->estimated.occupancy.blocks_per_sm) {
            ptx_text_print(out, "  Dynamic shared memory may grow to %ld bytes with as many blocks on an SM.\n", (long)v->shape.trial.dynamic_shared_bytes);
            continue;
        }
        if (v->is_shared)
            ptx_text_print(out, "  With %ld bytes of dynamic shared memory, if the kernel can do with so few", (long)v->shape.trial.dynamic_shared_bytes);
        else
            ptx_text_print(out, "  With at most %ld registers a thread (.maxnreg)", (long)v->shape.trial.max_registers);
        ptx_text_print(out, ": %ld blocks on an SM instead of %ld, occupancy %.3g %%", (long)e->occupancy.blocks_per_sm,
                       (long)t->best->estimated.occupancy.blocks_per_sm, e->occupancy.percent);
        if (is_predicted(&v->shape))
            ptx_text_print(out, ", %.4g us, %.3g times as fast", e->time.predicted_us, best / e->time.predicted_us);
        ptx_text_print(out, "%s%s.\n", v->is_shared ? "" : "; ", v->is_shared ? "" : spills_word(e->spills));
    }
}

/* Arrays of a fixed size that threads share are often cut to one block. */
static const char *assumption(const ptxlint_kernel *kernel)
{
    return kernel->static_shared_bytes > 0 && kernel->barriers > 0
               ? "the kernel is right in blocks of other shapes: its threads share arrays of a fixed size, so look whether these were cut to the block"
               : "the kernel is right in blocks of any shape, which its code alone does not tell";
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
        ptx_text_print(out, "  Take %ld x %ld x %ld", (long)t->best->trial.block[0], (long)t->best->trial.block[1], (long)t->best->trial.block[2]);
        if (t->best->trial.dynamic_shared_bytes > 0)
            ptx_text_print(out, " with %ld bytes of dynamic shared memory, as many a thread as now", (long)t->best->trial.dynamic_shared_bytes);
        ptx_text_print(out, ": %.3g times as fast as now by prediction%s%s.\n", given->estimated.time.predicted_us / t->best->estimated.time.predicted_us,
                       why.length ? "; " : "", why.length ? why.bytes : "");
    }
    put_variants(t, out);
    ptx_text_print(out, "  This holds if %s.\n", assumption(t->kernel));
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
    json_int_t shared = s->trial.dynamic_shared_bytes >= 0 ? s->trial.dynamic_shared_bytes : t->kernel->launch.dynamic_shared_bytes;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:b}", "block", sizes_json(s->trial.block), "grid", sizes_json(s->trial.grid),
                     "dynamic_shared_bytes", shared < 0 ? json_null() : json_integer(shared), "occupancy_percent", number(e->occupancy.percent), "waves", number(e->waves), "sectors_per_request", number(e->sectors_per_request),
                     "wavefronts_per_request", number(e->wavefronts_per_request), "predicted_time_us", number(e->time.predicted_us),
                     "bound_time_us", number(e->time.bound_us), "limiter", e->time.limiter, "is_given", s->is_given, "is_recommended", s == t->best);
}

static json_t *variant_json(const Variant *v)
{
    const ptxlint_estimated *e = &v->shape.estimated;
    json_t *value = json_pack("{s:s, s:I, s:I, s:o, s:o}", "changes", v->is_shared ? "dynamic_shared" : "registers", "to",
                              (json_int_t)(v->is_shared ? v->shape.trial.dynamic_shared_bytes : v->shape.trial.max_registers), "blocks_per_sm",
                              (json_int_t)e->occupancy.blocks_per_sm, "occupancy_percent", number(e->occupancy.percent), "predicted_time_us",
                              number(e->time.predicted_us));
    json_object_set_new(value, "spills", v->is_shared || !e->spills ? json_null() : json_string(spills_word(e->spills) + strlen("spills ")));
    return value;
}

static json_t *tune_json(const Tune *t)
{
    json_t *shapes = json_array(), *variants = json_array();
    const Shape *given = given_shape(t);
    Text why = { 0 };
    if (t->best && given && !t->best->is_given)
        put_reasons(&why, t->best, given);
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(shapes, shape_json(t, &t->shapes[i]));
    for (size_t i = 0; i < t->variant_count; i++)
        json_array_append_new(variants, variant_json(&t->variants[i]));
    json_t *value = json_pack("{s:s, s:s, s:o, s:o}", "name", t->kernel->name, "why", why.length ? why.bytes : "", "shapes", shapes, "variants", variants);
    json_object_set_new(value, "assumes", json_string(assumption(t->kernel)));
    ptx_text_free(&why);
    return value;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Why nothing is tried of a kernel. */
static const char *untunable(const ptxlint_kernel *kernel)
{
    if (kernel->reqntid[0])
        return "its block is fixed by .reqntid, so there is no other to try";
    if (kernel->launch.blocks <= 0)
        return kernel->launch.block_is_assumed ? "its grid and block are not given; give --grid and --block, or --launch" : "its grid is not given; give --grid or --launch";
    return "its block is not given; give --block or --launch";
}

typedef struct Tried {
    size_t tuned, left;         /* kernels */
    Text why;                   /* of the first of those that are left */
} Tried;

static void leave_out(Tried *tried, const ptxlint_kernel *kernel)
{
    enum { LINES_MOST = 8 };
    char text[600];
    snprintf(text, sizeof text, "kernel `%.300s`: %s", kernel->name, untunable(kernel));
    if (++tried->left <= LINES_MOST)
        ptx_complain_to(&tried->why, NULL, text);
}

/* Where some are tuned, the others are none of the question; else what each lacks. */
static void tell_left_out(const Tried *tried)
{
    char text[120];
    if (!tried->tuned && !tried->left)
        ptx_complain("tune", "the inputs have no kernel");
    if (!tried->tuned && tried->why.length)
        fputs(tried->why.bytes, stderr);
    if (!tried->left || (!tried->tuned && tried->left == 1))
        return;
    snprintf(text, sizeof text, "%zu of %zu kernels left out: block or grid is not known, or .reqntid fixes the block", tried->left,
             tried->left + tried->tuned);
    ptx_complain("tune", text);
}

static ExitCode tune_module(const Options *options, const ptxlint_module *module, json_t *all, Text *out, Tried *tried)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    Tune *t = malloc(sizeof *t);
    for (size_t k = 0; t && k < count; k++) {
        if (!kernels[k].is_entry || (options->kernel_glob && fnmatch(options->kernel_glob, kernels[k].name, 0)))
            continue;
        if (!is_tunable(&kernels[k])) {
            leave_out(tried, &kernels[k]);
            continue;
        }
        *t = (Tune){ .module = module, .kernel = &kernels[k] };
        tune(t);
        if (options->output.format == FORMAT_JSON)
            json_array_append_new(all, tune_json(t));
        else
            put_text(t, out);
        tried->tuned++;
    }
    free(t);
    return t ? EXIT_CLEAN : ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
}

static ExitCode tune_file(const Options *options, const Inputs *inputs, const char *path, json_t *all, Text *out, Tried *tried, Matched *matched)
{
    ptxlint_module *module;
    ptxlint_options with;
    ptxlint_options_init(&with);
    with.path = path;
    with.gpus = inputs->gpus;
    with.gpu_count = inputs->gpu_count;
    with.launches = inputs->launches;
    with.ptxas = inputs->logs;
    ptxlint_status status = ptxlint_module_open(path, &with, &module);
    if (status != PTXLINT_OK)
        return ptx_complain_status(path, status);
    ExitCode code = exit_code_max(tune_module(options, module, all, out, tried), ptx_matched_add(matched, inputs, module));
    ptxlint_module_free(module);
    return code;
}

static ExitCode tune_files(const Options *options, const Inputs *inputs, json_t *all, Text *out)
{
    Matched matched = { 0 };
    Tried tried = { 0 };
    ExitCode code = ptx_matched_begin(&matched, options);
    for (size_t i = 0; options->paths[i] && code < EXIT_INTERNAL; i++)
        code = exit_code_max(code, tune_file(options, inputs, options->paths[i], all, out, &tried, &matched));
    if (code < EXIT_INPUT)
        code = exit_code_max(code, ptx_matched_tell(&matched));
    if (code == EXIT_CLEAN)
        tell_left_out(&tried);
    ptx_text_free(&tried.why);
    ptx_matched_free(&matched);
    return exit_code_max(code, tried.tuned ? EXIT_CLEAN : EXIT_USAGE);
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
