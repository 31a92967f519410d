/* tune.c -- which block to launch a kernel with: its shapes side by side, and why one of them; then
 * how many registers and how much dynamic shared memory.
 *
 * Only shapes that do the same work are compared: along dimensions in which the code identifies
 * its threads by %ctaid * %ntid + %tid alone (ptxlint_thread_index_find), with as many threads in
 * all. Where that takes some threads more, they must access nothing: the threads' accesses are
 * counted. Any other dimension keeps its block, and the text says what binds it. One block shows
 * which shapes to look at closer, as a report does: the best dozen, the launch as it is, and some
 * more while the best is none of them. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "support/minmax.h"
#include "support/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SHAPES = 160,
    MAX_THREADS = 1024,
    WARP = 32,
    MAX_VARIANTS = 8,
    REGISTER_STEP = 8,
    REGISTERS_LEAST = 16,
    CLOSER_LEAST = 12,
    CLOSER_MOST = 20,
    STEPS_CLOSE = 1 << 19,      /* a quarter of what a report takes */
    KERNELS_CLOSE = 4           /* of a file: further ones share the steps of so many */
};

#define ROUNDING 1e-9           /* of counts */

typedef enum Work { WORK_SAME, WORK_UNKNOWN, WORK_OTHER } Work;

typedef struct TuneShape {
    ptxlint_trial trial;
    ptxlint_estimated estimated;
    int64_t threads;
    Work work;
    bool has_more;              /* threads than the launch as it is */
    bool is_given;              /* the launch as it is */
    bool is_close;              /* evaluated over many blocks */
} TuneShape;

typedef struct Variant {        /* of the shape to take */
    TuneShape shape;
    bool is_shared;             /* another size of dynamic shared memory; else a cap on registers */
} Variant;

typedef struct Tune {
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    size_t gpu;                 /* of the module's */
    ptxlint_thread_index index;
    int64_t steps_close;
    TuneShape shapes[MAX_SHAPES];
    size_t count;
    const TuneShape *best;          /* NULL: nothing is known */
    bool is_bound;              /* no other block was tried */
    Variant variants[MAX_VARIANTS];
    size_t variant_count;
} Tune;

/* ---- the shapes ------------------------------------------------------------------------------ */

static bool is_predicted(const TuneShape *shape)
{
    return isfinite(shape->estimated.time.predicted_us);
}

static bool is_allowed(const ptxlint_kernel *kernel, const int64_t block[3])
{
    int64_t most = kernel->maxntid[0];
    for (int i = 1; i < 3 && most <= MAX_THREADS; i++)
        most *= kernel->maxntid[i] ? kernel->maxntid[i] : 1;
    return !most || block[0] * block[1] * block[2] <= most;
}

static bool is_row(const Tune *t)
{
    return t->kernel->launch.block[1] == 1 && t->kernel->launch.grid[1] == 1;
}

/* What a GPU launches: CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability". */
static bool is_launchable(const ptxlint_trial *trial)
{
    const int64_t *grid = trial->grid, *block = trial->block;
    return grid[0] <= INT32_MAX && grid[1] <= UINT16_MAX && grid[2] <= UINT16_MAX && block[2] <= 64;
}

/* Whether the code leaves the dimension to the launch. */
static bool may_change(const Tune *t, int d)
{
    const ptxlint_launch *given = &t->kernel->launch;
    bool is_lane = t->index.asks_lane && given->block[0] % WARP != 0;
    return t->index.binding[d] == PTXLINT_BINDING_NONE && !is_lane && given->cluster[d] <= 1
           && !t->kernel->reqntid[0];
}

/* As many threads in all, or the fewest that are no less. False: the code distinguishes such a
 * shape from the one that is given. */
static bool set_shape(const Tune *t, const int64_t block[3], TuneShape *shape)
{
    const ptxlint_launch *given = &t->kernel->launch;
    *shape = (TuneShape){ .threads = block[0] * block[1] * block[2], .is_given = true };
    ptxlint_trial_init(&shape->trial);
    for (int d = 0; d < 3; d++) {
        int64_t threads = given->grid[d] * given->block[d],
                grid = (threads + block[d] - 1) / block[d];
        bool is_more = grid * block[d] != threads;
        if (block[d] != given->block[d]
            && (!may_change(t, d) || (is_more && t->index.asks_total[d]) || threads > UINT32_MAX))
            return false;
        shape->is_given = shape->is_given && block[d] == given->block[d];
        shape->has_more = shape->has_more || is_more;
        shape->trial.block[d] = block[d];
        shape->trial.grid[d] = grid;
    }
    shape->work = shape->has_more ? WORK_UNKNOWN : WORK_SAME;
    return shape->is_given
           || (is_launchable(&shape->trial) && !(t->index.asks_lane && block[0] % WARP));
}

static bool estimate_shape(const Tune *t, const ptxlint_trial *trial, ptxlint_estimated *out)
{
    out->size = sizeof *out;
    ptxlint_status status = ptxlint_estimate(t->module, t->kernel->name, t->gpu, trial, out);
    if (status == PTXLINT_NO_MEMORY)
        ptx_note_no_memory();
    return status == PTXLINT_OK;
}

static void add_shape(Tune *t, const int64_t block[3])
{
    TuneShape *shape = &t->shapes[t->count];
    if (t->count == MAX_SHAPES || !is_allowed(t->kernel, block) || !set_shape(t, block, shape))
        return;
    t->count += estimate_shape(t, &shape->trial, &shape->estimated);
}

/* Powers of two, and for rows of threads whole warps in between; in as many dimensions as the
 * launch has. The launch itself is one of them. */
static void add_shapes(Tune *t)
{
    static const int rows[] = { 32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024 };
    const ptxlint_launch *given = &t->kernel->launch;
    add_shape(t, given->block);
    for (size_t i = 0; is_row(t) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i] != given->block[0])
            add_shape(t, (int64_t[3]){ rows[i], 1, given->block[2] });
    for (int64_t threads = WARP; !is_row(t) && threads <= MAX_THREADS; threads *= 2)
        for (int64_t x = 1; x <= threads; x *= 2)
            if (x != given->block[0] || threads / x != given->block[1])
                add_shape(t, (int64_t[3]){ x, threads / x, given->block[2] });
}

static double time_of(const TuneShape *shape)
{
    return is_predicted(shape) && shape->work != WORK_OTHER ? shape->estimated.time.predicted_us
                                                            : HUGE_VAL;
}

static int by_time(const void *a, const void *b)
{
    const TuneShape *x = a, *y = b;
    double p = time_of(x), q = time_of(y);
    if (p != q)
        return p < q ? -1 : 1;
    return x->threads < y->threads ? -1 : x->threads > y->threads;
}

/* Threads beyond those of the launch as it is must have nothing to access. */
static Work work_of(const TuneShape *shape, double accesses)
{
    double found = shape->estimated.thread_accesses;
    if (!shape->has_more)
        return WORK_SAME;
    if (!isfinite(found) || !isfinite(accesses))
        return WORK_UNKNOWN;
    return fabs(found - accesses) <= ROUNDING * accesses ? WORK_SAME : WORK_OTHER;
}

static void look_closer(const Tune *t, TuneShape *shape, double accesses)
{
    ptxlint_estimated closer;
    shape->trial.steps = t->steps_close;
    if (estimate_shape(t, &shape->trial, &closer))
        shape->estimated = closer;
    if (!shape->is_given)
        shape->work = work_of(shape, accesses);
    shape->is_close = true;
}

/* Sorted by time, the best of them looked at closely. The first is the launch as it is. */
static void sort_shapes(Tune *t)
{
    look_closer(t, &t->shapes[0], (double)NAN);
    double accesses = t->shapes[0].estimated.thread_accesses;
    qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    for (size_t i = 0; i < t->count && i < CLOSER_LEAST; i++)
        if (!t->shapes[i].is_close)
            look_closer(t, &t->shapes[i], accesses);
    qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    for (size_t i = CLOSER_LEAST; i < CLOSER_MOST && !t->shapes[0].is_close; i++) {
        look_closer(t, &t->shapes[0], accesses);
        qsort(t->shapes, t->count, sizeof *t->shapes, by_time);
    }
}

/* .reqntid is a block that is given. */
static bool is_tunable(const ptxlint_kernel *kernel)
{
    return kernel->is_entry && kernel->launch.blocks > 0 && !kernel->launch.block_is_assumed;
}

/* ---- registers and shared memory ------------------------------------------------------------- */

/* Kept where it lets an SM hold more blocks than the one before; `least` is what that one had. */
static bool add_variant(Tune *t, const ptxlint_trial *trial, bool is_shared, int64_t least)
{
    if (t->variant_count == MAX_VARIANTS)
        return false;
    Variant *variant = &t->variants[t->variant_count];
    *variant = (Variant){ .shape = { .trial = *trial, .threads = t->best->threads },
                          .is_shared = is_shared };
    if (!estimate_shape(t, trial, &variant->shape.estimated))
        return false;
    bool is_more = variant->shape.estimated.occupancy.blocks_per_sm > least;
    t->variant_count += is_more;
    return is_more;
}

static void add_caps(Tune *t)
{
    const ptxlint_projection *on = &t->kernel->projections[0];
    int64_t least = t->best->estimated.occupancy.blocks_per_sm,
            first = (on->registers - 1) / REGISTER_STEP * REGISTER_STEP;
    for (int64_t cap = first; cap >= REGISTERS_LEAST && t->kernel->projection_count;
         cap -= REGISTER_STEP) {
        ptxlint_trial trial = t->best->trial;
        trial.max_registers = cap;
        if (add_variant(t, &trial, false, least))
            least = t->variants[t->variant_count - 1].shape.estimated.occupancy.blocks_per_sm;
        if (t->variant_count
            && t->variants[t->variant_count - 1].shape.estimated.spills == PTXLINT_SPILLS_LIKELY)
            break;
    }
}

/* The largest size that holds as many blocks as now, and that for one block more. */
static void add_sizes(Tune *t)
{
    int64_t given = t->best->trial.dynamic_shared_bytes >= 0
                        ? t->best->trial.dynamic_shared_bytes
                        : t->kernel->launch.dynamic_shared_bytes;
    const ptxlint_occupancy *now = &t->best->estimated.occupancy;
    ptxlint_trial trial = t->best->trial;
    if (given <= 0)
        return;
    if (now->shared_free > 0) {
        trial.dynamic_shared_bytes = given + now->shared_free;
        add_variant(t, &trial, true, now->blocks_per_sm - 1);
    }
    if (now->shared_to_free <= 0 || now->shared_to_free > given)
        return;
    trial.dynamic_shared_bytes = given - now->shared_to_free;
    add_variant(t, &trial, true, now->blocks_per_sm);
}

static const TuneShape *given_shape(const Tune *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->shapes[i].is_given)
            return &t->shapes[i];
    return NULL;
}

/* The fastest that certainly does the same work, where it gains more than the model errs. */
static const TuneShape *find_best(const Tune *t)
{
    const TuneShape *given = given_shape(t), *best = NULL;
    for (size_t i = 0; i < t->count && !best; i++)
        if (t->shapes[i].work == WORK_SAME && t->shapes[i].is_close && is_predicted(&t->shapes[i]))
            best = &t->shapes[i];
    if (!best || !given || !is_predicted(given))
        return NULL;
    return given->estimated.time.predicted_us > PTX_MODEL_ERROR * best->estimated.time.predicted_us
               ? best
               : given;
}

static void tune(Tune *t)
{
    t->index.size = sizeof t->index;
    ptxlint_status status = ptxlint_thread_index_find(t->module, t->kernel->name, &t->index);
    if (status == PTXLINT_NO_MEMORY)
        ptx_note_no_memory();
    if (status != PTXLINT_OK)
        t->index.binding[0] = t->index.binding[1] = t->index.binding[2] = PTXLINT_BINDING_UNKNOWN;
    if (is_tunable(t->kernel))
        add_shapes(t);
    t->is_bound = t->count <= 1;
    if (!t->count)
        return;
    sort_shapes(t);
    t->best = find_best(t);
    if (t->best) {
        add_sizes(t);
        add_caps(t);
    }
}

/* ---- why ------------------------------------------------------------------------------------- */

static bool is_less(double a, double b)
{
    return a < 0.98 * b;
}

static void put_reason(Text *out, const char *what, double now, double before, const char *unit)
{
    ptx_text_print(out, "%s%s %.4g%s instead of %.4g%s", out->length ? "; " : "", what, now, unit,
                   before, unit);
}

/* What is better about a shape than about the one that is given. */
static void put_reasons(Text *out, const TuneShape *best, const TuneShape *given)
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

/* ---- writing --------------------------------------------------------------------------------- */

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

static const char *spills_word(ptxlint_spills spills)
{
    static const char *const words[] = {
        "spills unknown", "spills unlikely", "spills possible", "spills likely"
    };
    return words[spills];
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
        if (is_predicted(&v->shape))
            ptx_text_print(out, ", %.4g us, %.3g times as fast", e->time.predicted_us,
                           best / e->time.predicted_us);
        if (!v->is_shared)
            ptx_text_print(out, "; %s", spills_word(e->spills));
        ptx_text_put(out, ".\n");
    }
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
    for (int d = 0; d < (is_row(t) ? 1 : 2); d++)
        if (t->index.binding[d] && (most < 0 || t->index.binding[d] > t->index.binding[most]))
            most = d;
    return most;
}

/* Why no other block, or no other size in one dimension, was tried; nothing where all were. */
static const char *tuned_gpu(const Tune *t)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(t->module);
    return t->gpu < info->gpu_count ? ptxlint_gpu_get_info(info->gpus[t->gpu])->name : NULL;
}

static void put_bound(const Tune *t, Text *out)
{
    const uint32_t *req = t->kernel->reqntid;
    const int64_t *cluster = t->kernel->launch.cluster;
    int d = telling_dimension(t);
    if (!tuned_gpu(t)) {
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

/* What must hold beside the code. */
static const char assumption[] = "no index overflows 32 bits";

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
    else if (!is_predicted(s))
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
    return s->work != WORK_OTHER && is_predicted(s);
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
                   ptx_text_or(tuned_gpu(t), "an unknown GPU"));
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
    const TuneShape *given = given_shape(t), *best = t->best;
    Text why = { 0 };
    put_bound(t, &why);
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
    put_reasons(&why, best, given);
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

static void put_text(const Tune *t, Text *out)
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
                       assumption);
    if (lines.length)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* NULL: it does other work. */
static void add_shape_times(json_t *value, const ptxlint_estimated *e)
{
    static const ptxlint_time none = {
        .bound_us = NAN, .predicted_us = NAN, .low_us = NAN, .high_us = NAN
    };
    const ptxlint_time *time = e ? &e->time : &none;
    const char *why = e ? NULL : "it does other work";
    json_object_set_new(value, "predicted_time_us", ptx_json_number(time->predicted_us));
    json_object_set_new(value, "predicted_low_us", ptx_json_number(time->low_us));
    json_object_set_new(value, "predicted_high_us", ptx_json_number(time->high_us));
    json_object_set_new(value, "bound_time_us", ptx_json_number(time->bound_us));
    json_object_set_new(value, "limiter", ptx_text_json(time->limiter));
    if (e && !isfinite(time->predicted_us))
        why = ptx_why_untimed(e);
    json_object_set_new(value, "why", ptx_text_json(why));
    json_object_set_new(
        value, "bound_why",
        ptx_text_json(why || isfinite(time->bound_us) ? why : ptx_why_unbound(e)));
}

static json_t *shape_json(const Tune *t, const TuneShape *s)
{
    const ptxlint_estimated *e = &s->estimated;
    json_int_t shared = s->trial.dynamic_shared_bytes >= 0 ? s->trial.dynamic_shared_bytes
                                                           : t->kernel->launch.dynamic_shared_bytes;
    static const char *const works[] = {
        [WORK_SAME] = "same", [WORK_UNKNOWN] = "unknown", [WORK_OTHER] = "other"
    };
    json_t *dynamic = shared < 0 ? json_null() : json_integer(shared);
    const bool is_recommended = s == t->best && !t->is_bound;
    json_t *value = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:s}", "block",
                              ptx_json_sizes(s->trial.block), "grid", ptx_json_sizes(s->trial.grid),
                              "dynamic_shared_bytes", dynamic,
                              "occupancy_percent", ptx_json_number(e->occupancy.percent), "waves",
                              ptx_json_number(e->waves),
                              "sectors_per_request", ptx_json_number(e->sectors_per_request),
                              "lines_per_request", ptx_json_number(e->lines_per_request),
                              "wavefronts_per_request", ptx_json_number(e->wavefronts_per_request),
                              "is_given", s->is_given, "is_recommended", is_recommended, "work",
                              works[s->work]);
    add_shape_times(value, s->work == WORK_OTHER ? NULL : e);
    return value;
}

static json_t *variant_json(const Variant *v)
{
    const ptxlint_estimated *e = &v->shape.estimated;
    const int64_t to = v->is_shared ? v->shape.trial.dynamic_shared_bytes
                                    : v->shape.trial.max_registers;
    json_t *value = json_pack("{s:s, s:I, s:I, s:o, s:o}", "changes",
                              v->is_shared ? "dynamic_shared" : "registers", "to", (json_int_t)to,
                              "blocks_per_sm", (json_int_t)e->occupancy.blocks_per_sm,
                              "occupancy_percent", ptx_json_number(e->occupancy.percent),
                              "predicted_time_us", ptx_json_number(e->time.predicted_us));
    json_object_set_new(value, "predicted_low_us", ptx_json_number(e->time.low_us));
    json_object_set_new(value, "predicted_high_us", ptx_json_number(e->time.high_us));
    json_object_set_new(value, "spills",
                        v->is_shared || !e->spills
                            ? json_null()
                            : json_string(spills_word(e->spills) + strlen("spills ")));
    return value;
}

static json_t *tune_json(const Tune *t)
{
    json_t *shapes = json_array(), *variants = json_array();
    const TuneShape *given = given_shape(t);
    Text why = { 0 }, bound = { 0 };
    if (t->best && given && !t->best->is_given)
        put_reasons(&why, t->best, given);
    put_bound(t, &bound);
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(shapes, shape_json(t, &t->shapes[i]));
    for (size_t i = 0; i < t->variant_count; i++)
        json_array_append_new(variants, variant_json(&t->variants[i]));
    json_t *value = json_pack("{s:s, s:s?, s:s, s:o, s:o}", "name", t->kernel->name, "gpu",
                              tuned_gpu(t), "why", why.length ? why.bytes : "", "shapes", shapes,
                              "variants", variants);
    json_object_set_new(value, "assumes", json_string(assumption));
    json_object_set_new(value, "why_not", bound.length ? json_string(bound.bytes) : json_null());
    ptx_text_free(&why);
    ptx_text_free(&bound);
    return value;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct Tried {
    size_t tuned, left;         /* kernels */
    Text why;                   /* of the first of those that are left */
} Tried;

static void leave_out(Tried *tried, const ptxlint_kernel *kernel)
{
    enum { MAX_LINES = 8 };
    char text[600];
    snprintf(text, sizeof text, "kernel `%.300s`: %s", kernel->name,
             ptx_launch_missing(kernel));
    if (++tried->left <= MAX_LINES)
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
    snprintf(text, sizeof text, "%zu of %zu kernels left out: block or grid is not known",
             tried->left, tried->left + tried->tuned);
    ptx_complain("tune", text);
}

/* Where the kernels go. */
typedef struct TuneOutput {
    json_t *all;
    Text text;
    ExitCode code;
    Tried tried;
    Matched matched;
} TuneOutput;

/* For each shape of a kernel. */
static int64_t steps_close(const Options *options, const ptxlint_kernel *kernels, size_t count)
{
    int64_t tunable = 0;
    for (size_t k = 0; k < count; k++)
        tunable += ptx_is_asked(options, &kernels[k]) && is_tunable(&kernels[k]);
    return tunable > KERNELS_CLOSE ? STEPS_CLOSE * KERNELS_CLOSE / tunable + 1 : STEPS_CLOSE;
}

/* On each GPU that is asked for; without any, it is said once that none is known. */
static void tune_kernel(const Options *options, Tune *t, TuneOutput *out)
{
    const Tune start = *t;
    const size_t count = ptxlint_module_get_info(t->module)->gpu_count;
    for (size_t gpu = 0; !gpu || gpu < count; gpu++) {
        *t = start;
        t->gpu = gpu;
        tune(t);
        if (ptx_output_is_wanted(options, FORMAT_JSON))
            json_array_append_new(out->all, tune_json(t));
        if (ptx_output_is_wanted(options, FORMAT_TEXT))
            put_text(t, &out->text);
    }
}

static ExitCode tune_module(const Options *options, const ptxlint_module *module, TuneOutput *out)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    Tune *t = malloc(sizeof *t);
    const int64_t steps = steps_close(options, kernels, count);
    for (size_t k = 0; t && k < count; k++) {
        if (!ptx_is_asked(options, &kernels[k]))
            continue;
        if (!is_tunable(&kernels[k]) && !kernels[k].reqntid[0]) {
            leave_out(&out->tried, &kernels[k]);
            continue;
        }
        *t = (Tune){ .module = module, .kernel = &kernels[k], .steps_close = steps };
        tune_kernel(options, t, out);
        out->tried.tuned++;
    }
    free(t);
    return t ? EXIT_CLEAN : ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
}

static ExitCode tune_taken(void *self, const ModuleSource *source, const ptxlint_module *module)
{
    TuneOutput *out = self;
    return exit_code_max(tune_module(source->options, module, out),
                         ptx_matched_add(&out->matched, ptx_inputs_launches(source), module));
}

static ExitCode tune_files(CliSubject *subject, TuneOutput *out)
{
    const ModuleSource like = { 0 };
    ExitCode code = ptx_matched_begin(&out->matched, subject->options);
    if (code < EXIT_INTERNAL)
        code = exit_code_max(code, ptx_subject_each(subject, &like, tune_taken, out));
    if (code < EXIT_INPUT)
        code = exit_code_max(code, ptx_matched_report(&out->matched));
    if (code == EXIT_CLEAN)
        tell_left_out(&out->tried);
    ptx_text_free(&out->tried.why);
    ptx_matched_free(&out->matched);
    return exit_code_max(code, out->tried.tuned ? EXIT_CLEAN : EXIT_USAGE);
}

/* An input that cannot be read leaves the others. */
static void put_tuned(void *self, const Options *options, Text *out)
{
    TuneOutput *to = self;
    if (options->output.format != FORMAT_JSON) {
        ptx_text_append(out, &to->text);
    } else if (to->code == EXIT_CLEAN || to->code == EXIT_INPUT) {
        ptx_json_write(out, json_pack("{s:s, s:O}", "schema", "ptxlint-tune/1", "kernels",
                                      to->all));
    }
}

ExitCode ptx_tune(const Options *options)
{
    TuneOutput to = { .all = json_array() };
    CliSubject subject;
    to.code = ptx_subject_open(&subject, options, (const char *const *)options->paths);
    if (to.code == EXIT_CLEAN)
        to.code = tune_files(&subject, &to);
    ExitCode code = exit_code_max(to.code, ptx_output_each(options, put_tuned, &to));
    json_decref(to.all);
    ptx_text_free(&to.text);
    ptx_subject_free(&subject);
    return code;
}
