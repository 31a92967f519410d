/* tune_shapes.c -- the shapes that are tried, then registers and dynamic shared memory.
 *
 * Only shapes that do the same work are compared: along dimensions in which the code identifies
 * its threads by %ctaid * %ntid + %tid alone (ptxlint_thread_index_find), with as many threads in
 * all. Where that takes some threads more, they must access nothing: the threads' accesses are
 * counted. Any other dimension keeps its block, and the text says what binds it. One block shows
 * which shapes to look at closer, as a report does: the best dozen, the launch as it is, and some
 * more while the best is none of them. */
#include "cli/variants/tune.h"
#include "support/minmax.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_THREADS = 1024,
    WARP = 32,
    REGISTER_STEP = 8,
    REGISTERS_LEAST = 16,
    CLOSER_LEAST = 12,
    CLOSER_MOST = 20
};

#define ROUNDING 1e-9           /* of counts */

bool ptx_tune_is_predicted(const TuneShape *shape)
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

bool ptx_tune_is_row(const Tune *t)
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
    for (size_t i = 0; ptx_tune_is_row(t) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i] != given->block[0])
            add_shape(t, (int64_t[3]){ rows[i], 1, given->block[2] });
    for (int64_t threads = WARP; !ptx_tune_is_row(t) && threads <= MAX_THREADS; threads *= 2)
        for (int64_t x = 1; x <= threads; x *= 2)
            if (x != given->block[0] || threads / x != given->block[1])
                add_shape(t, (int64_t[3]){ x, threads / x, given->block[2] });
}

static double time_of(const TuneShape *shape)
{
    return ptx_tune_is_predicted(shape) && shape->work != WORK_OTHER
               ? shape->estimated.time.predicted_us
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

bool ptx_tune_is_tunable(const ptxlint_kernel *kernel)
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

const TuneShape *ptx_tune_given(const Tune *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->shapes[i].is_given)
            return &t->shapes[i];
    return NULL;
}

/* The fastest that certainly does the same work, where it gains more than the model errs. */
static const TuneShape *find_best(const Tune *t)
{
    const TuneShape *given = ptx_tune_given(t), *best = NULL;
    for (size_t i = 0; i < t->count && !best; i++)
        if (t->shapes[i].work == WORK_SAME && t->shapes[i].is_close
            && ptx_tune_is_predicted(&t->shapes[i]))
            best = &t->shapes[i];
    if (!best || !given || !ptx_tune_is_predicted(given))
        return NULL;
    return given->estimated.time.predicted_us > PTX_MODEL_ERROR * best->estimated.time.predicted_us
               ? best
               : given;
}

void ptx_tune_try(Tune *t)
{
    t->index.size = sizeof t->index;
    ptxlint_status status = ptxlint_thread_index_find(t->module, t->kernel->name, &t->index);
    if (status == PTXLINT_NO_MEMORY)
        ptx_note_no_memory();
    if (status != PTXLINT_OK)
        t->index.binding[0] = t->index.binding[1] = t->index.binding[2] = PTXLINT_BINDING_UNKNOWN;
    if (ptx_tune_is_tunable(t->kernel))
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
