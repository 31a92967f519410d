#include "analysis/access/evaluator.h"

#include "analysis/access/strata.h"
#include "analysis/sim/block_keys.h"
#include "ir/func.h"

#include <math.h>

enum { MAX_CLASSES = 27, SAMPLES_INSIDE = 24 };

/* Blocks that lie alike at the edges of the grid: [first, first + count) in each dimension. */
typedef struct Class {
    uint32_t first[3], count[3];
    double blocks;
    uint32_t samples;
} Class;

/* ---- classes of blocks ----------------------------------------------------------------------- */

/* Of a dimension: the first, the inner ones, the last. */
static unsigned cut(uint32_t size, uint32_t first[3], uint32_t count[3])
{
    unsigned parts = 0;
    first[parts] = 0;
    count[parts++] = 1;
    if (size > 2) {
        first[parts] = 1;
        count[parts++] = size - 2;
    }
    if (size > 1) {
        first[parts] = size - 1;
        count[parts++] = 1;
    }
    return parts;
}

static unsigned make_classes(const uint32_t grid[3], Class *classes)
{
    uint32_t first[3][3], count[3][3];
    unsigned parts[3], made = 0;
    for (unsigned d = 0; d < 3; d++)
        parts[d] = cut(grid[d], first[d], count[d]);
    for (unsigned x = 0; x < parts[0]; x++)
        for (unsigned y = 0; y < parts[1]; y++)
            for (unsigned z = 0; z < parts[2]; z++) {
                Class *c = &classes[made++];
                *c = (Class){ { first[0][x], first[1][y], first[2][z] },
                              { count[0][x], count[1][y], count[2][z] },
                              0,
                              0 };
                c->blocks = (double)c->count[0] * c->count[1] * c->count[2];
            }
    return made;
}

/* ---- a sample -------------------------------------------------------------------------------- */

/* In how many dimensions a class has blocks side by side. */
static unsigned dimensions_of(const Class *c)
{
    unsigned dimensions = 0;
    for (unsigned d = 0; d < 3; d++)
        dimensions += c->count[d] > 1;
    return dimensions;
}

/* Blocks, or warps, spread evenly, the same ones each time: the sequences of Roberts, "The
 * unreasonable effectiveness of quasirandom sequences" (2018), with powers of the root of x^(d+1) =
 * x + 1 as steps. */
static const double roots[] = { 1, 1.6180339887498949, 1.3247179572447461, 1.2207440846057596,
                                1.1673039782614187 };

static void place_sample(const Class *c, uint32_t sample, uint32_t at[3])
{
    uint64_t index = sample;
    double step = 1;
    for (unsigned d = 0; d < 3; d++) {
        at[d] = c->first[d];
        if (c->count[d] <= 1)
            continue;
        step /= roots[dimensions_of(c)];
        double part = 0.5 + step * (sample + 1.0);
        at[d] += c->samples >= c->blocks ? (uint32_t)(index % c->count[d])
                                         : (uint32_t)((part - floor(part)) * c->count[d]);
        index /= c->count[d];
    }
}

static void run_sample(AccessEvaluator *e, const Class *c, uint32_t sample)
{
    uint32_t at[3];
    place_sample(c, sample, at);
    ptx_evaluator_run_block(e, at, c->blocks / c->samples);
}

#define WORK_DIFFERS (1 + 1e-9)         /* sums of many are not exact */

/* In what its accesses move, or in what it executes. */
static bool any_differs(const AccessEvaluator *e)
{
    return e->most_work > e->least_work * WORK_DIFFERS || ptx_evaluator_access_differs(e);
}

/* Samples of each class in proportion to its blocks, within the budget; at least one. */
static void share_out(const AccessEvaluator *e, Class *classes, unsigned count, double affordable)
{
    for (unsigned c = 0; c < count; c++) {
        double share = floor((affordable - count) * classes[c].blocks / e->out->blocks);
        classes[c].samples = (uint32_t)fmax(1, fmin(share, classes[c].blocks));
    }
}

static void run_classes(AccessEvaluator *e, Class *classes, unsigned count, double affordable)
{
    share_out(e, classes, count, affordable);
    for (unsigned c = 0; c < count; c++) {
        for (uint32_t sample = 0; sample < classes[c].samples; sample++)
            run_sample(e, &classes[c], sample);
    }
}

/* A place among `count`. */
static uint32_t spread(double step, uint64_t sample, uint32_t count)
{
    double part = 0.5 + step * ((double)sample + 1);
    return (uint32_t)((part - floor(part)) * count);
}

/* Warps from all over the grid, as long as the budget does. How many ran. */
static uint64_t run_single_warps(AccessEvaluator *e)
{
    const uint32_t *grid = e->shape.grid;
    uint64_t samples = 0;
    unsigned dimensions = 1;
    for (unsigned d = 0; d < 3; d++)
        dimensions += grid[d] > 1;
    while (!e->is_cut) {
        double step = 1 / roots[dimensions];
        uint32_t at[3], warp = spread(step, samples, e->shape.warp_count);
        for (unsigned d = 0; d < 3; d++)
            at[d] = grid[d] > 1 ? spread(step /= roots[dimensions], samples, grid[d]) : 0;
        ptx_evaluator_run(e, at, warp, 1);
        if (e->is_cut)
            ptx_machine_discard(e->machine);
        else
            ptx_evaluator_collect_all(e, 1, false);
        samples += !e->is_cut;
    }
    e->is_cut = false;
    return samples;
}

/* What was counted of blocks and what was counted of warps, each run as much as another; which
 * loads wait, and how long the longest of a block is, blocks alone say. */
static void join_counts(Count *blocks, const Count *warps, double share, double weight)
{
    Count joined = { 0 };
    ptx_count_add(&joined, blocks, 1 - share);
    ptx_count_add(&joined, warps, share * weight);
    joined.waits = blocks->requests > 0 ? blocks->waits / blocks->requests * joined.requests : 0;
    joined.most = blocks->warps > 0 ? blocks->most / blocks->warps * joined.warps : 0;
    *blocks = joined;
}

/* What blocks did not come to has a total then, too, shared as that of the warps is. */
static void add_totals(AccessTally *blocks, const AccessTally *warps)
{
    for (InsnId i = 0; i < warps->func->insn_count; i++)
        if (!blocks->totals[i] && warps->totals[i])
            blocks->totals[i] = ptx_tally_is_own(warps, i) ? ptx_arena_new(blocks->arena, Count)
                                                           : blocks->totals[i - 1];
}

static void join_tallies(AccessTally *blocks, const AccessTally *warps, double share, double weight)
{
    add_totals(blocks, warps);
    for (InsnId i = 0; i < warps->func->insn_count; i++)
        if (ptx_tally_is_own(blocks, i))
            join_counts(blocks->totals[i], ptx_tally_total(warps, i), share, weight);
}

/* Where independent warps take different paths: as many single warps as three quarters of the
 * budget allow. They cover more of the launch than whole blocks. */
static void add_single_warps(AccessEvaluator *e, uint64_t most_steps)
{
    const bool is_paused = e->watch.observer.is_paused;
    const uint32_t tally_count = e->tally_count;
    AccessTally *blocks = ptx_evaluator_set_aside(e);
    e->watch.observer.is_paused = true;
    ptx_machine_allow(e->machine, most_steps / 4 * 3);
    double samples = (double)run_single_warps(e), share = samples / (samples + e->out->blocks_run);
    for (uint32_t t = 0; t < tally_count && samples > 0; t++)
        join_tallies(&blocks[t], &e->tallies[t], share,
                     e->out->blocks * e->shape.warp_count / samples);
    ptx_evaluator_put_back(e, blocks, tally_count);
    e->watch.observer.is_paused = is_paused;
}

/* Warps stood for others of their block: it has one that comes somewhere most often. */
static void divide_most(AccessEvaluator *e, uint32_t warps)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            if (ptx_tally_is_own(&e->tallies[t], i))
                e->tallies[t].totals[i]->most /= warps;
}

/* The budget does not do for one block: its first warp and its last stand for all. */
void ptx_evaluator_run_warps(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t middle[3] = { e->shape.grid[0] / 2, e->shape.grid[1] / 2, e->shape.grid[2] / 2 };
    bool is_cut = false;
    ptx_evaluator_forget(e);
    for (unsigned i = 0; i < 2; i++) {
        ptx_evaluator_allow(e, most_steps / 2);
        ptx_evaluator_run(e, middle, i ? e->shape.warp_count - 1 : 0, 1);
        ptx_evaluator_collect(e, e->out->blocks * e->shape.warp_count / 2);
        is_cut |= e->is_cut;
    }
    divide_most(e, e->shape.warp_count);
    ptx_evaluator_run_ends(e, most_steps / 4);
    e->out->blocks_run = 1;
    e->out->is_by_warps = true;
    e->blocks_stood_for = e->out->blocks;
    e->out->is_part = e->is_cut = is_cut;
}

/* The budget does not do for a few blocks of each class: as many from all over the grid as a
 * quarter of it does for. False: for none. */
static bool run_anywhere(AccessEvaluator *e, uint64_t most_steps, double cost)
{
    Class all = { { 0, 0, 0 },
                  { e->shape.grid[0], e->shape.grid[1], e->shape.grid[2] },
                  e->out->blocks,
                  (uint32_t)fmax(1, (double)(most_steps / 4) / cost) };
    ptx_evaluator_forget(e);
    ptx_evaluator_allow(e, most_steps / 2);
    for (uint32_t sample = 0; sample < all.samples && !e->is_cut; sample++)
        run_sample(e, &all, sample);
    return !e->is_cut;
}

/* ---- strata ---------------------------------------------------------------------------------- */

/* All blocks of the grid, or as many as are looked at. */
static const BlockPlace *list_places(const AccessEvaluator *e, Class *classes,
                                      unsigned class_count, uint32_t *count)
{
    *count = 0;
    share_out(e, classes, class_count, MAX_STRATA_PLACES - MAX_CLASSES);
    for (unsigned c = 0; c < class_count; c++)
        *count += classes[c].samples;
    BlockPlace *places = ptx_arena_array(e->arena, BlockPlace, *count), *to = places;
    for (unsigned c = 0; c < class_count; c++)
        for (uint32_t sample = 0; sample < classes[c].samples; sample++, to++) {
            place_sample(&classes[c], sample, to->at);
            to->blocks = classes[c].blocks / classes[c].samples;
        }
    return places;
}

static double measure_place(void *context, const BlockPlace *place)
{
    AccessEvaluator *e = context;
    ptx_evaluator_run(e, place->at, 0, e->shape.warp_count);
    double work = ptx_evaluator_collect_all(e, 0, false);
    return e->is_cut ? -1 : work;
}

#define MAX_UNCERTAIN 0.02

/* Where values of the blocks decide how much they do, those blocks that show it. False: they do
 * not, or the budget is too small to say; how many blocks are affordable is then known better. */
static bool run_strata(AccessEvaluator *e, Class *classes, unsigned class_count, double *affordable)
{
    Machine *m = e->machine;
    uint32_t count;
    const double left = (double)ptx_machine_steps_left(m);
    const BlockPlace *places = list_places(e, classes, class_count, &count);
    const BlockKeys *keys = ptx_block_keys_find(e->arena, m, places, count);
    if (!keys)
        return false;
    const uint64_t before = ptx_machine_steps(m);
    Knots knots = ptx_strata_divide(e->arena, keys, measure_place, e,
                                    (uint32_t)fmin(*affordable / 2, MAX_STRATA_PLACES));
    const uint64_t steps = ptx_machine_steps(m) - before;
    e->is_cut = false;
    ptx_machine_extend(m, steps);
    if (!knots.differs || knots.uncertain > MAX_UNCERTAIN) {
        if (knots.measured)
            *affordable = fmin(*affordable, left * knots.measured / (double)steps);
        return false;
    }
    ptx_evaluator_forget(e);
    for (uint32_t k = 0; k < knots.count; k++)
        ptx_evaluator_run_block(e, places[knots.items[k].place].at, knots.items[k].blocks);
    if (e->out->blocks <= MAX_BLOCK_WORKS && count == (uint32_t)e->out->blocks) {
        e->block_works = ptx_arena_array(e->arena, float, count);
        for (uint32_t i = 0; i < count; i++)
            e->block_works[ptx_evaluator_block_index(e->shape.grid, places[i].at)] = knots.works[i];
    }
    return true;
}

/* The budget does not do for all iterations of long loops. */
void ptx_evaluator_take_shortcuts(Machine *m)
{
    SimConfig *config = ptx_machine_config(m);
    config->forward_steps = FORWARD_STEPS_FEW;
    config->may_be_loose = true;
}

/* A few blocks of each class. Where the budget does for none of them, and warps read what others
 * wrote, once more without that: then long loops can be looked at. */
static void run_few_blocks(AccessEvaluator *e, Class *classes, unsigned count, double few,
                           uint64_t most_steps)
{
    ptx_evaluator_forget(e);
    ptx_evaluator_allow(e, most_steps);
    run_classes(e, classes, count, few);
    if (!e->is_cut || e->out->blocks_run > 1 || ptx_machine_warps_are_independent(e->machine))
        return;
    ptx_machine_config(e->machine)->is_blind = true;
    ptx_evaluator_forget(e);
    ptx_evaluator_allow(e, most_steps);
    run_classes(e, classes, count, few);
}

/* All blocks where the budget does for them. Else a few, within half as much again, and where these
 * differ as many as it does for. */
void ptx_evaluator_run_launch(AccessEvaluator *e, uint64_t most_steps)
{
    Class classes[MAX_CLASSES];
    Machine *m = e->machine;
    if (ptx_evaluator_footprint(e) && e->out->blocks > 1 && e->out->blocks <= MAX_BLOCK_WORKS)
        e->block_works = ptx_arena_array(e->arena, float, (size_t)e->out->blocks);
    e->out->is_whole = ptx_evaluator_run_all(e, most_steps - most_steps / 8);
    if (e->out->is_whole)
        return;
    e->block_works = NULL;
    ptx_evaluator_take_shortcuts(m);
    unsigned count = make_classes(e->shape.grid, classes);
    const uint64_t first = ptx_machine_steps(m);
    double few = count + SAMPLES_INSIDE;
    run_few_blocks(e, classes, count, few, most_steps / 2);
    const double blocks_run = e->out->blocks_run,
                 cost = (double)(ptx_machine_steps(m) - first) / blocks_run;
    double affordable = (double)ptx_machine_steps_left(m) / cost;
    bool are_single = ptx_machine_warps_are_independent(m) && e->shape.warp_count > 1
                      && e->most_work > e->least_work * WORK_DIFFERS;
    if (e->is_cut && are_single && blocks_run > 1 && run_anywhere(e, most_steps, cost)) {
        affordable = 0;
        ptx_evaluator_run_ends(e, most_steps / 4);
        e->is_cut = false;
    }
    if (e->is_cut && blocks_run <= 1)
        ptx_evaluator_run_warps(e, most_steps / 2);
    else if (e->is_cut) {
        ptx_evaluator_run_ends(e, most_steps / 4);
        e->is_cut = true;
    }
    if (e->is_cut || blocks_run <= 1)
        return;
    if (run_strata(e, classes, count, &affordable) || !any_differs(e))
        return;
    if (affordable >= 2 * few) {
        ptx_evaluator_forget(e);
        run_classes(e, classes, count, affordable);
    }
    if (are_single && !e->is_cut)
        add_single_warps(e, most_steps);
}
