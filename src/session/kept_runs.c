#include "session/kept_runs.h"

#include "analysis/access/evaluate.h"
#include "analysis/access/other_grid.h"
#include "analysis/value/launch.h"
#include "support/arena.h"

#include <string.h>

enum {
    KEPT_RUNS = 8,
    MAX_KEPT_RUN_BYTES = 4 << 20,
    KEPT_GRIDS = 24,
    MAX_GRIDS_BYTES = 8 << 20,
    /* runs of a function that are kept for other grids: so many, and one more whenever as many
     * grids were answered by those */
    MAX_TRIED_GRIDS = 6
};

typedef struct KeptRun {
    RunKey key;                 /* its launch is a copy */
    const Evaluation *evaluation;
} KeptRun;

typedef struct KeptGrid {
    RunKey key;                 /* its launch is a copy */
    GridRuns *runs;             /* NULL: they stand for no other grid */
} KeptGrid;

struct KeptRuns {
    Arena *evaluations, *grids;
    KeptGrid of_grids[KEPT_GRIDS];
    uint32_t grid_count;
    FuncId last_func;           /* of which runs were kept; how often they were, and were of use */
    uint32_t tried_count, used_count;
    KeptRun items[KEPT_RUNS];
    uint32_t count;
};

KeptRuns *ptx_kept_runs_new(Arena *arena, Arena *evaluations, Arena *grids)
{
    KeptRuns *kept = ptx_arena_new(arena, KeptRuns);
    kept->grids = grids;
    kept->evaluations = evaluations;
    return kept;
}

static bool is_same_param(const LaunchParam *a, const LaunchParam *b)
{
    const bool is_given = a->bytes != NULL;
    return is_given == (b->bytes != NULL) && a->length == b->length
           && a->is_pointer == b->is_pointer && a->locality == b->locality
           && a->allocated == b->allocated
           && (!is_given || !memcmp(a->bytes, b->bytes, a->length));
}

static bool is_same_trip(const LaunchTrip *a, const LaunchTrip *b)
{
    return a->line == b->line && a->count == b->count && !strcmp(a->name, b->name);
}

static bool is_same_grid(const Launch *a, const Launch *b)
{
    return !memcmp(a->grid, b->grid, sizeof a->grid);
}

static bool is_same_shape(const Launch *a, const Launch *b)
{
    return !memcmp(a->block, b->block, sizeof a->block)
           && !memcmp(a->cluster, b->cluster, sizeof a->cluster)
           && a->dynamic_shared_bytes == b->dynamic_shared_bytes && a->bank_bytes == b->bank_bytes;
}

/* But for the grid. */
static bool is_same_launch(const Launch *a, const Launch *b)
{
    bool is_same = is_same_shape(a, b) && a->is_given == b->is_given && a->is_found == b->is_found
                   && a->param_count == b->param_count && a->trip_count == b->trip_count;
    for (uint32_t p = 0; is_same && p < a->param_count; p++)
        is_same = is_same_param(&a->params[p], &b->params[p]);
    for (uint32_t t = 0; is_same && t < a->trip_count; t++)
        is_same = is_same_trip(&a->trips[t], &b->trips[t]);
    return is_same;
}

static bool answers(const KeptRun *run, const RunKey *key)
{
    const RunKey *own = &run->key;
    const bool is_for_gpu = own->gpu == key->gpu
                            || (own->gpu && key->gpu
                                && ptx_evaluation_is_for(run->evaluation, own->gpu, key->gpu));
    return own->func == key->func && own->steps == key->steps && is_for_gpu
           && is_same_grid(own->launch, key->launch) && is_same_launch(own->launch, key->launch);
}

const Evaluation *ptx_kept_runs_find(const KeptRuns *kept, const RunKey *key)
{
    for (uint32_t i = 0; i < kept->count; i++)
        if (answers(&kept->items[i], key))
            return kept->items[i].evaluation;
    return NULL;
}

Arena *ptx_kept_runs_make_room(KeptRuns *kept)
{
    static const ArenaMark empty = { NULL, NULL };
    if (kept->count == KEPT_RUNS || kept->evaluations->used_bytes > MAX_KEPT_RUN_BYTES) {
        ptx_arena_release(kept->evaluations, empty);
        kept->count = 0;
    }
    return kept->evaluations;
}

/* With what its pointers lead to. */
static const Launch *copy_launch(Arena *arena, const Launch *launch)
{
    Launch *out = ptx_arena_new(arena, Launch);
    LaunchParam *params = ptx_arena_array(arena, LaunchParam, launch->param_count + 1);
    LaunchTrip *trips = ptx_arena_array(arena, LaunchTrip, launch->trip_count + 1);
    for (uint32_t p = 0; p < launch->param_count; p++) {
        const LaunchParam *from = &launch->params[p];
        params[p] = *from;
        if (from->bytes)
            params[p].bytes = memcpy(ptx_arena_alloc(arena, from->length + 1), from->bytes,
                                     from->length);
    }
    for (uint32_t t = 0; t < launch->trip_count; t++) {
        trips[t] = launch->trips[t];
        trips[t].name = ptx_arena_strndup(arena, trips[t].name, strlen(trips[t].name));
    }
    *out = *launch;
    out->params = params;
    out->trips = trips;
    return out;
}

void ptx_kept_runs_add(KeptRuns *kept, const RunKey *key, const Evaluation *evaluation)
{
    KeptRun *to = &kept->items[kept->count++];
    *to = (KeptRun){ *key, evaluation };
    to->key.launch = copy_launch(kept->evaluations, key->launch);
}

/* ---- other grids ----------------------------------------------------------------------------- */

/* But for the grid. */
static bool is_same_run(const RunKey *a, const RunKey *b)
{
    return a->func == b->func && a->steps == b->steps && a->gpu == b->gpu && a->launch->grid[0]
           && b->launch->grid[0] && is_same_launch(a->launch, b->launch);
}

const Evaluation *ptx_kept_runs_evaluate(KeptRuns *kept, const RunKey *key, Arena *work)
{
    for (uint32_t i = 0; i < kept->grid_count; i++) {
        const KeptGrid *of = &kept->of_grids[i];
        const Evaluation *out = of->runs && is_same_run(&of->key, key)
                                    ? ptx_evaluate_other_grid(of->runs, kept->evaluations, work,
                                                              key->launch->grid)
                                    : NULL;
        kept->used_count += out && kept->last_func == key->func;
        if (out)
            return out;
    }
    return NULL;
}

/* Where grids follow each other, and those that were kept were of use. */
static bool is_worth_keeping(KeptRuns *kept, const RunKey *key)
{
    bool is_asked_again = false;
    for (uint32_t i = 0; i < kept->count; i++)
        is_asked_again |= is_same_run(&kept->items[i].key, key);
    if (is_asked_again && kept->last_func != key->func) {
        kept->last_func = key->func;
        kept->tried_count = kept->used_count = 0;
    }
    return is_asked_again
           && kept->tried_count < MAX_TRIED_GRIDS + kept->used_count / MAX_TRIED_GRIDS;
}

static void forget_grids(KeptRuns *kept)
{
    static const ArenaMark empty = { NULL, NULL };
    ptx_arena_release(kept->grids, empty);
    kept->grid_count = 0;
}

const Evaluation *ptx_kept_runs_keep(KeptRuns *kept, const RunKey *key, const KernelRun *run)
{
    if (!is_worth_keeping(kept, key))
        return NULL;
    if (kept->grid_count == KEPT_GRIDS)
        forget_grids(kept);
    KernelRun own = *run;
    KeptGrid *of = &kept->of_grids[kept->grid_count];
    own.work = kept->grids;
    own.launch = copy_launch(kept->grids, key->launch);
    const Evaluation *out = ptx_evaluate_keeping(&own, key->gpu, key->steps, &of->runs);
    of->key = *key;
    of->key.launch = own.launch;
    kept->grid_count += out != NULL;
    kept->tried_count++;
    if (kept->grids->used_bytes > MAX_GRIDS_BYTES) {
        forget_grids(kept);
        kept->tried_count = UINT32_MAX;     /* of this function they are too large */
    }
    return out;
}
