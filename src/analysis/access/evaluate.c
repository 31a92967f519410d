#include "analysis/access/evaluate.h"

#include "analysis/access/strata.h"
#include "analysis/sim/cost/footprint_watch.h"
#include "analysis/sim/cost/price.h"
#include "analysis/sim/sim.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "isa/isa.h"
#include "analysis/sim/block_keys.h"
#include "analysis/sim/block_stride.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "support/minmax.h"
#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

enum {
    MAX_CLASSES = 27,
    SAMPLES_INSIDE = 24,
    SAMPLES_ASSUMED = 2,
    QUICK_STAYS = 4,
    MIN_BLOCKS = 3
};

/* Blocks that lie alike at the edges of the grid: [first, first + count) in each dimension. */
typedef struct Class {
    uint32_t first[3], count[3];
    double blocks;
    uint32_t samples;
} Class;

/* Of a function that runs: per instruction. */
typedef struct AccessTally {
    const Func *func;
    Evaluated *insns;
    Count *totals;
    double *first_ratio;        /* what an active lane moved in the first block that ran it; NaN */
    Count *shaped;              /* per access and Evaluation.shapes; NULL: none were tried */
} AccessTally;

typedef struct AccessEvaluator {
    Machine *machine;
    SimShape shape;             /* of the launch */
    bool is_cut;                /* the budget did not do for some run */
    FootprintWatch watch;       /* footprint NULL: nothing asks for it */
    Price price;
    AccessTally *tallies;       /* of functions that ran, in the order of the machine */
    uint32_t tally_count, tally_capacity;
    Evaluation *out;
    Arena *arena;
    double blocks_stood_for;    /* by those that were run */
    double least_work, most_work;       /* instructions of a block that was run */
    double work[3];             /* of blocks: how many, their instructions, the squares of those */
    double busiest;             /* instructions of the block that executed most */
    float *block_works;         /* per block of the grid; NULL: they are too many */
} AccessEvaluator;

/* NULL: what runs is not noted. */
static Footprint *footprint_of(const AccessEvaluator *e)
{
    return e->watch.observer.is_paused ? NULL : e->watch.footprint;
}

static void add_tally(AccessEvaluator *e, const Func *func, Evaluated *insns)
{
    if (e->tally_count == e->tally_capacity)
        e->tallies = ptx_arena_grow(e->arena, e->tallies, e->tally_count, &e->tally_capacity,
                                    sizeof *e->tallies);
    AccessTally *tally = &e->tallies[e->tally_count++];
    *tally = (AccessTally){ func, insns, ptx_arena_array(e->arena, Count, func->insn_count),
                            ptx_arena_array(e->arena, double, func->insn_count), NULL };
    for (InsnId i = 0; i < func->insn_count; i++) {
        tally->first_ratio[i] = (double)NAN;
        insns[i].best_share = (double)INFINITY;
    }
}

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

/* Some warps of a block, within the budget. */
static void run_some(AccessEvaluator *e, const uint32_t at[3], uint32_t first, uint32_t count)
{
    e->is_cut |= !ptx_machine_run(e->machine, at, first, count);
}

/* From here on the budget does again, for so many steps more. */
static void allow(AccessEvaluator *e, uint64_t steps)
{
    e->is_cut = false;
    ptx_machine_allow(e->machine, steps);
}

/* ---- one block ------------------------------------------------------------------------------- */

static void note_ratio(AccessTally *tally, InsnId insn, const Count *count)
{
    if (!(count->active > 0))
        return;
    double ratio = (count->sectors + 1024 * count->wavefronts + count->addresses) / count->active;
    if (isnan(tally->first_ratio[insn]))
        tally->first_ratio[insn] = ratio;
    else if (fabs(ratio - tally->first_ratio[insn]) > 1e-9 * ratio)
        tally->insns[insn].differs = true;
}

/* Executions by the warp of a block that comes here most often; where warps are not told apart, by
 * its warps on average. */
static double longest_of(const Count *count, uint32_t warps)
{
    return ptx_double_max(count->most, count->warps / warps);
}

static void note_longest(Count *total, const Count *of_block, double longest)
{
    if (longest <= total->longest)
        return;
    total->longest = longest;
    total->longest_waits = of_block->requests > 0 ? of_block->waits / of_block->requests : 0;
}

/* is_rest: only of what was not come to before. warps: of a block. How many instructions ran. */
static double collect_func(SimFunc ran, AccessTally *tally, double weight, bool is_rest,
                           uint32_t warps)
{
    double work = 0;
    for (InsnId i = 0, end; i < ran.func->insn_count; i = end) {
        const Count *first = &ran.sums[i];
        end = i + (ran.plain[i] ? ran.plain[i] : 1u);
        if (!(first->warps > 0))
            continue;
        work += first->warps * (end - i);
        const double longest = longest_of(first, warps);
        if (is_rest && tally->totals[i].warps > 0) {
            ran.sums[i] = (Count){ 0 };
            continue;
        }
        if (!ran.plain[i]) {
            note_ratio(tally, i, first);
            ptx_count_add(&tally->totals[i], first, weight);
        }
        for (InsnId k = i; k < end; k++)
            note_longest(&tally->totals[k], first, longest);
        /* they run as often as the first of them */
        for (InsnId k = i; ran.plain[i] && k < end; k++) {
            tally->totals[k].warps += weight * first->warps;
            tally->totals[k].lanes += weight * first->lanes;
            tally->totals[k].most += weight * first->most;
        }
        ran.sums[i] = (Count){ 0 };
    }
    return work;
}

static double collect_all(AccessEvaluator *e, double weight, bool is_rest)
{
    const Machine *m = e->machine;
    const uint32_t count = ptx_machine_func_count(m);
    double work = 0;
    while (e->tally_count < count) {
        const Func *func = ptx_machine_func_at(m, e->tally_count).func;
        add_tally(e, func, ptx_arena_array(e->arena, Evaluated, func->insn_count));
    }
    for (uint32_t t = 0; t < count; t++)
        work += collect_func(ptx_machine_func_at(m, t), &e->tallies[t], weight, is_rest,
                             e->shape.warp_count);
    if (footprint_of(e))
        ptx_footprint_close(footprint_of(e), weight);
    return work;
}

/* A block. Its instructions. */
static double collect(AccessEvaluator *e, double weight)
{
    double work = collect_all(e, weight, false);
    e->busiest = weight > 0 ? fmax(e->busiest, work) : e->busiest;
    e->work[0] += weight;
    e->work[1] += weight * work;
    e->work[2] += weight * work * work;
    return work;
}

/* A block that the budget cuts short counts only where there is no other: it would show the
 * beginning of the kernel without its end. */
static void run_block(AccessEvaluator *e, const uint32_t ctaid[3], double weight)
{
    if (e->is_cut && e->out->blocks_run)
        return;
    run_some(e, ctaid, 0, e->shape.warp_count);
    bool is_left_out = e->is_cut && e->out->blocks_run;
    double work = collect(e, is_left_out ? 0 : weight);
    e->least_work = e->out->blocks_run ? fmin(e->least_work, work) : work;
    e->most_work = e->out->blocks_run ? fmax(e->most_work, work) : work;
    e->blocks_stood_for += is_left_out ? 0 : weight;
    e->out->blocks_run += !is_left_out;
}

/* ---- all blocks ------------------------------------------------------------------------------ */

enum { MAX_PIECES = 1 << 12, MAX_FAR_ENDS = 16 };

typedef struct AccessPiece {          /* of the grid: blocks of block_stride.h */
    uint32_t first[3], step[3], count[3];
} AccessPiece;

typedef struct Pieces {         /* that no run stands for yet */
    Arena *arena;
    AccessPiece *items;
    uint32_t count, capacity;
} Pieces;

static bool push_piece(Pieces *pieces, const AccessPiece *from, unsigned d, uint32_t first,
                       uint32_t step, uint32_t count)
{
    if (!count)
        return true;
    if (pieces->count == MAX_PIECES)
        return false;
    if (pieces->count == pieces->capacity)
        pieces->items = ptx_arena_grow(pieces->arena, pieces->items, pieces->count,
                                       &pieces->capacity, sizeof *pieces->items);
    AccessPiece *to = &pieces->items[pieces->count++];
    *to = *from;
    to->first[d] = first;
    to->step[d] = step;
    to->count[d] = count;
    return true;
}

/* What is left of a piece once some of its blocks, from its first on, are done. */
static bool push_rest(Pieces *pieces, AccessPiece piece, const Blocks *done)
{
    for (unsigned d = 0; d < 3; d++) {
        uint32_t first = piece.first[d], step = piece.step[d], count = piece.count[d],
                 times = done->step[d] / step, reach = (count + times - 1) / times;
        for (uint32_t i = 1; i < times && i < count; i++)       /* between those that are done */
            if (!push_piece(pieces, &piece, d, first + i * step, done->step[d],
                            (count - i + times - 1) / times))
                return false;
        if (!push_piece(pieces, &piece, d, first + done->count[d] * done->step[d], done->step[d],
                        reach - done->count[d]))
            return false;
        piece.step[d] = done->step[d];
        piece.count[d] = done->count[d];
    }
    return true;
}

/* The first warp of the grid and the last, for nothing: so that the ends of what is touched are
 * seen. Once more in a hurry: what is behind their loops too. */
static void run_ends(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t *grid = e->shape.grid, first[3] = { 0, 0, 0 },
                   last[3] = { grid[0] - 1, grid[1] - 1, grid[2] - 1 };
    for (unsigned i = 0; i < 4; i++) {
        ptx_machine_config(e->machine)->is_hurried = i >= 2;
        allow(e, most_steps / 4);
        if (i & 1)
            run_some(e, last, e->shape.warp_count - 1, 1);
        else
            run_some(e, first, 0, 1);
        collect_all(e, 0, false);
    }
    ptx_machine_config(e->machine)->is_hurried = false;
}

/* The blocks at the corners of the grid, once more and for nothing: so that the ends of what is
 * touched are seen. */
static void run_corners(AccessEvaluator *e, uint64_t most_steps)
{
    for (unsigned corner = 0; footprint_of(e) && corner < 8; corner++) {
        uint32_t at[3];
        bool is_other = true;
        for (unsigned d = 0; d < 3; d++) {
            at[d] = corner >> d & 1 ? e->shape.grid[d] - 1 : 0;
            is_other &= !(corner >> d & 1) || e->shape.grid[d] > 1;
        }
        if (is_other) {
            run_some(e, at, 0, e->shape.warp_count);
            collect(e, 0);
        }
    }
    if (e->is_cut)
        run_ends(e, most_steps);
    e->is_cut = false;
}

static uint32_t launch_order(const uint32_t grid[3], const uint32_t at[3])
{
    return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

static void note_works(AccessEvaluator *e, double work, const Blocks *blocks)
{
    for (uint32_t z = 0; e->block_works && z < blocks->count[2]; z++)
        for (uint32_t y = 0; y < blocks->count[1]; y++)
            for (uint32_t x = 0; x < blocks->count[0]; x++) {
                const uint32_t at[3] = { blocks->first[0] + x * blocks->step[0],
                                         blocks->first[1] + y * blocks->step[1],
                                         blocks->first[2] + z * blocks->step[2] };
                e->block_works[launch_order(e->shape.grid, at)] = (float)work;
            }
}

/* The last of the blocks that a run stands for, once more and for nothing: where they end before
 * the grid does, as behind a guard, no corner shows the end of what they touch. */
static void run_far_end(AccessEvaluator *e, const Blocks *blocks)
{
    uint32_t at[3];
    bool is_inside = false;
    for (unsigned d = 0; d < 3; d++) {
        at[d] = blocks->first[d] + (blocks->count[d] - 1) * blocks->step[d];
        is_inside |= at[d] + blocks->step[d] < e->shape.grid[d];
    }
    if (!footprint_of(e) || !is_inside || ptx_blocks_size(blocks) <= 1)
        return;
    const uint64_t before = ptx_machine_steps(e->machine);
    run_some(e, at, 0, e->shape.warp_count);
    collect(e, 0);
    ptx_machine_extend(e->machine, ptx_machine_steps(e->machine) - before);
    e->is_cut = false;
}

/* As many runs as it takes for each block to be stood for by one that it would not differ from.
 * False: the budget does not do for that. */
static bool run_all(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t *grid = e->shape.grid;
    const AccessPiece whole = { { 0, 0, 0 }, { 1, 1, 1 }, { grid[0], grid[1], grid[2] } };
    Pieces pieces = { .arena = e->arena };
    push_piece(&pieces, &whole, 0, 0, 1, grid[0]);
    ptx_machine_allow(e->machine, most_steps);
    unsigned ends = 0;
    while (pieces.count) {
        const AccessPiece piece = pieces.items[--pieces.count];
        Blocks blocks = ptx_blocks_new(piece.first, piece.step, piece.count);
        e->is_cut = !ptx_machine_run_for(e->machine, &blocks, 0, e->shape.warp_count);
        if (e->is_cut)
            return false;
        note_works(e, collect(e, ptx_blocks_size(&blocks)), &blocks);
        e->out->blocks_run++;
        e->blocks_stood_for += ptx_blocks_size(&blocks);
        if (ends++ < MAX_FAR_ENDS)
            run_far_end(e, &blocks);
        if (!push_rest(&pieces, piece, &blocks))
            return false;
    }
    ptx_machine_extend(e->machine, most_steps / 8);
    run_corners(e, most_steps / 8);
    return true;
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
    run_block(e, at, c->blocks / c->samples);
}

#define WORK_DIFFERS (1 + 1e-9)         /* sums of many are not exact */

/* In what its accesses move, or in what it executes. */
static bool any_differs(const AccessEvaluator *e)
{
    if (e->most_work > e->least_work * WORK_DIFFERS)
        return true;
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            if (e->tallies[t].insns[i].differs)
                return true;
    return false;
}

static void forget(AccessEvaluator *e)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            e->tallies[t].totals[i] = (Count){ .doubt = e->tallies[t].totals[i].doubt };
    ptx_machine_discard(e->machine);
    memset(e->work, 0, sizeof e->work);
    e->busiest = 0;
    e->out->blocks_run = 0;
    e->blocks_stood_for = 0;
    if (footprint_of(e))
        ptx_footprint_forget(footprint_of(e));
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
        run_some(e, at, warp, 1);
        if (e->is_cut)
            ptx_machine_discard(e->machine);
        else
            collect_all(e, 1, false);
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

/* Where independent warps take different paths: as many single warps as three quarters of the
 * budget allow. They cover more of the launch than whole blocks. */
static void add_single_warps(AccessEvaluator *e, uint64_t most_steps)
{
    const bool is_paused = e->watch.observer.is_paused;
    Count **blocks = ptx_arena_array(e->arena, Count *, e->tally_count);
    e->watch.observer.is_paused = true;
    ptx_machine_allow(e->machine, most_steps / 4 * 3);
    for (uint32_t t = 0; t < e->tally_count; t++) {
        blocks[t] = e->tallies[t].totals;
        e->tallies[t].totals = ptx_arena_array(e->arena, Count, e->tallies[t].func->insn_count);
    }
    uint32_t tally_count = e->tally_count;
    double samples = (double)run_single_warps(e), share = samples / (samples + e->out->blocks_run);
    for (uint32_t t = 0; t < tally_count; t++) {
        const Count *warps = e->tallies[t].totals;
        e->tallies[t].totals = blocks[t];
        for (InsnId i = 0; samples > 0 && i < e->tallies[t].func->insn_count; i++)
            join_counts(&blocks[t][i], &warps[i], share,
                        e->out->blocks * e->shape.warp_count / samples);
    }
    e->watch.observer.is_paused = is_paused;
}

/* Warps stood for others of their block: it has one that comes somewhere most often. */
static void divide_most(AccessEvaluator *e, uint32_t warps)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            e->tallies[t].totals[i].most /= warps;
}

/* The budget does not do for one block: its first warp and its last stand for all. */
static void run_warps(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t middle[3] = { e->shape.grid[0] / 2, e->shape.grid[1] / 2, e->shape.grid[2] / 2 };
    bool is_cut = false;
    forget(e);
    for (unsigned i = 0; i < 2; i++) {
        allow(e, most_steps / 2);
        run_some(e, middle, i ? e->shape.warp_count - 1 : 0, 1);
        collect(e, e->out->blocks * e->shape.warp_count / 2);
        is_cut |= e->is_cut;
    }
    divide_most(e, e->shape.warp_count);
    run_ends(e, most_steps / 4);
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
    forget(e);
    allow(e, most_steps / 2);
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
    run_some(e, place->at, 0, e->shape.warp_count);
    double work = collect_all(e, 0, false);
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
    forget(e);
    for (uint32_t k = 0; k < knots.count; k++)
        run_block(e, places[knots.items[k].place].at, knots.items[k].blocks);
    if (e->out->blocks <= MAX_BLOCK_WORKS && count == (uint32_t)e->out->blocks) {
        e->block_works = ptx_arena_array(e->arena, float, count);
        for (uint32_t i = 0; i < count; i++)
            e->block_works[launch_order(e->shape.grid, places[i].at)] = knots.works[i];
    }
    return true;
}

/* The budget does not do for all iterations of long loops. */
static void take_shortcuts(Machine *m)
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
    forget(e);
    allow(e, most_steps);
    run_classes(e, classes, count, few);
    if (!e->is_cut || e->out->blocks_run > 1 || ptx_machine_warps_are_independent(e->machine))
        return;
    ptx_machine_config(e->machine)->is_blind = true;
    forget(e);
    allow(e, most_steps);
    run_classes(e, classes, count, few);
}

/* All blocks where the budget does for them. Else a few, within half as much again, and where these
 * differ as many as it does for. */
static void run_launch(AccessEvaluator *e, uint64_t most_steps)
{
    Class classes[MAX_CLASSES];
    Machine *m = e->machine;
    if (footprint_of(e) && e->out->blocks > 1 && e->out->blocks <= MAX_BLOCK_WORKS)
        e->block_works = ptx_arena_array(e->arena, float, (size_t)e->out->blocks);
    e->out->is_whole = run_all(e, most_steps - most_steps / 8);
    if (e->out->is_whole)
        return;
    e->block_works = NULL;
    take_shortcuts(m);
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
        run_ends(e, most_steps / 4);
        e->is_cut = false;
    }
    if (e->is_cut && blocks_run <= 1)
        run_warps(e, most_steps / 2);
    else if (e->is_cut) {
        run_ends(e, most_steps / 4);
        e->is_cut = true;
    }
    if (e->is_cut || blocks_run <= 1)
        return;
    if (run_strata(e, classes, count, &affordable) || !any_differs(e))
        return;
    if (affordable >= 2 * few) {
        forget(e);
        run_classes(e, classes, count, affordable);
    }
    if (are_single && !e->is_cut)
        add_single_warps(e, most_steps);
}

/* Whether something is left to be found: an access that costs more than it had to, a branch that
 * parts lanes. */
static bool is_notable(const Count *counts, InsnId count)
{
    for (InsnId i = 0; i < count; i++) {
        const Count *c = &counts[i];
        if (c->sectors > c->ideal_sectors || c->wavefronts > c->ideal_wavefronts
            || c->addresses > c->requests || c->divergent > 0)
            return true;
    }
    return false;
}

/* The first warp and the last, which stands for those between; the first alone where it has nothing
 * to be found. */
static void run_quick(AccessEvaluator *e, const uint32_t block[3])
{
    Machine *m = e->machine;
    run_some(e, block, 0, 1);
    bool is_enough = true;
    const uint32_t func_count = ptx_machine_func_count(m);
    for (uint32_t r = 0; e->shape.warp_count > 1 && is_enough && r < func_count; r++) {
        const SimFunc ran = ptx_machine_func_at(m, r);
        is_enough = !is_notable(ran.sums, ran.func->insn_count);
    }
    collect(e, e->out->blocks * (is_enough ? e->shape.warp_count : 1));
    if (!is_enough) {
        run_some(e, block, e->shape.warp_count - 1, 1);
        collect(e, e->out->blocks * (e->shape.warp_count - 1));
    }
    e->out->blocks_run++;
}

/* One from the middle stands for all; a warp of the first block and of the last are run so that the
 * ends of what is touched are seen: not of those at the very edge, which guards often keep from
 * anything. */
static void run_few(AccessEvaluator *e, uint64_t most_steps)
{
    uint32_t first[3], middle[3], last[3];
    for (unsigned d = 0; d < 3; d++) {
        uint32_t edge = e->shape.grid[d] >= 8 ? 1 : 0;
        first[d] = edge;
        middle[d] = e->shape.grid[d] / 2;
        last[d] = e->shape.grid[d] - 1 - edge;
    }
    ptx_machine_allow(e->machine, most_steps);
    take_shortcuts(e->machine);
    run_some(e, first, 0, 1);
    collect(e, 0);
    run_some(e, last, e->shape.warp_count - 1, 1);
    collect(e, 0);
    run_block(e, middle, e->out->blocks);
    if (e->is_cut)
        run_warps(e, most_steps);
}

/* The budget ended before the kernel did. Its first warp and its last once more, which leave loops
 * early: what was not come to is seen at least. */
static void run_rest(AccessEvaluator *e, uint64_t most_steps)
{
    const bool is_paused = e->watch.observer.is_paused;
    const uint32_t middle[3] = { e->shape.grid[0] / 2, e->shape.grid[1] / 2, e->shape.grid[2] / 2 };
    e->watch.observer.is_paused = true;
    ptx_machine_config(e->machine)->is_hurried = true;
    allow(e, most_steps);
    ptx_machine_discard(e->machine);
    run_some(e, middle, 0, 1);
    if (e->shape.warp_count > 1)
        run_some(e, middle, e->shape.warp_count - 1, 1);
    double blocks = e->blocks_stood_for > 0 ? e->blocks_stood_for : e->out->blocks;
    collect_all(e, blocks * e->shape.warp_count / (e->shape.warp_count > 1 ? 2 : 1), true);
    ptx_machine_config(e->machine)->is_hurried = false;
    e->is_cut = true;
    e->watch.observer.is_paused = is_paused;
}

/* The grid is unknown: a block or two stand for all. */
static void run_assumed(AccessEvaluator *e, uint64_t most_steps, bool is_quick)
{
    static const uint32_t blocks[SAMPLES_ASSUMED][3] = { { 1, 1, 1 }, { 0, 0, 0 } };
    unsigned count = is_quick ? 1 : SAMPLES_ASSUMED;
    for (unsigned b = 0; b < count; b++) {
        ptx_machine_allow(e->machine, most_steps / count);
        if (is_quick)
            run_quick(e, blocks[b]);
        else
            run_block(e, blocks[b], e->out->blocks / count);
    }
}

/* ---- other shapes of the block --------------------------------------------------------------- */

#define SHAPED 1.05             /* figures of two shapes that lie nearer are not told apart */

enum { TID_X, TID_Y, TID_Z };

/* For that component of %tid, or one behind it. */
static bool asks_for(const Func *func, int64_t component)
{
    for (uint32_t o = 0; o < func->operand_count; o++)
        if (func->operands[o].kind == OPERAND_SREG && func->operands[o].id == SREG_TID
            && func->operands[o].value >= component)
            return true;
    return false;
}

static bool any_asks_for(const AccessEvaluator *e, int64_t component)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        if (asks_for(e->tallies[t].func, component))
            return true;
    return false;
}

bool ptx_func_takes_row(const Func *func)
{
    return !asks_for(func, TID_Y) && !func->has_calls;
}

static double ratio_of(const Count *count)
{
    return count->active > 0
               ? (count->sectors + count->wavefronts + count->addresses) / count->active
               : (double)INFINITY;
}

/* Those of as many threads that blocks often have: .maxntid of one dimension says how many, and
 * nothing of their shape. */
static void choose_shapes(const AccessEvaluator *e)
{
    /* 8 x 8 in layers */
    static const uint32_t planes[MAX_SHAPES - 1][2] = { { 32, 1 }, { 16, 1 }, { 8, 8 } };
    Evaluation *out = e->out;
    const uint32_t *row = e->shape.block;
    memcpy(out->shapes[out->shape_count++], row, sizeof *out->shapes);
    for (unsigned i = 0; i < MAX_SHAPES - 1; i++) {
        uint32_t wide = planes[i][0], high = planes[i][1], rest = row[0] / (wide * high);
        if (row[0] % (wide * high) || rest < 2 || (high > 1 && !any_asks_for(e, TID_Z)))
            continue;
        uint32_t shape[3] = { wide, rest, 1 };
        if (high > 1) {
            shape[1] = high;
            shape[2] = rest;
        }
        memcpy(out->shapes[out->shape_count++], shape, sizeof shape);
    }
}

static uint32_t count_accesses(const Func *func)
{
    uint32_t count = 0;
    for (InsnId i = 0; i < func->insn_count; i++)
        count += ptx_insn_is_access(&func->insns[i]);
    return count;
}

static void keep_shape(const AccessEvaluator *e, unsigned shape)
{
    for (uint32_t t = 0; t < e->tally_count; t++) {
        AccessTally *tally = &e->tallies[t];
        Count *to = tally->shaped;
        for (InsnId i = 0; i < tally->func->insn_count; i++)
            if (ptx_insn_is_access(&tally->func->insns[i])) {
                if (!e->is_cut && tally->totals[i].doubt != UNCERTAIN_ADDRESS)
                    to[shape] = tally->totals[i];
                to += e->out->shape_count;
            }
    }
}

static void swap_totals(AccessEvaluator *e, Count **others)
{
    for (uint32_t t = 0; t < e->tally_count; t++) {
        Count *own = e->tallies[t].totals;
        e->tallies[t].totals = others[t];
        others[t] = own;
    }
}

/* What accesses take in this shape, where it is less. */
static void try_shape(AccessEvaluator *e, unsigned shape, uint64_t most_steps, bool is_quick)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        memset(e->tallies[t].totals, 0,
               e->tallies[t].func->insn_count * sizeof *e->tallies[t].totals);
    e->is_cut = false;
    ptx_machine_reshape(e->machine, e->out->shapes[shape]);
    run_assumed(e, most_steps, is_quick);
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            e->tallies[t].insns[i].best_share = fmin(e->tallies[t].insns[i].best_share,
                                                     ratio_of(&e->tallies[t].totals[i]));
}

/* The block is unknown as well: figures are those of a row of threads, and findings have to hold
 * for squares too. */
static void try_shapes(AccessEvaluator *e, uint64_t most_steps, bool is_quick)
{
    Machine *m = e->machine;
    uint32_t run = e->out->blocks_run, count = e->tally_count;
    bool is_cut = e->is_cut;
    Count **own = ptx_arena_array(e->arena, Count *, count);
    choose_shapes(e);
    if (e->out->shape_count < 2)
        return;
    for (uint32_t t = 0; t < count; t++) {
        AccessTally *tally = &e->tallies[t];
        own[t] = ptx_arena_array(e->arena, Count, tally->func->insn_count);
        tally->shaped = ptx_arena_array(e->arena, Count,
                                        (size_t)count_accesses(tally->func) * e->out->shape_count);
    }
    keep_shape(e, 0);
    e->watch.observer.is_paused = true;
    swap_totals(e, own);
    for (unsigned i = 1; i < e->out->shape_count; i++) {
        try_shape(e, i, most_steps, is_quick);
        e->tally_count = count;         /* what is called in these shapes alone does not count */
        keep_shape(e, i);
    }
    swap_totals(e, own);
    e->out->blocks_run = run;
    e->is_cut = is_cut;
    ptx_machine_reshape(m, e->out->shapes[0]);
}

static double used_of(const Count *count)
{
    return count->used_bytes + count->ideal_wavefronts;
}

/* Whether requests cost more in one shape than in another, or use more of what they move. */
static bool is_shaped(const Count *shaped, unsigned count)
{
    double least[2] = { (double)INFINITY, (double)INFINITY }, most[2] = { 0, 0 };
    for (unsigned i = 0; i < count; i++) {
        const Count *c = &shaped[i];
        const double figures[2] = { (c->sectors + c->wavefronts + c->addresses) / c->requests,
                                    used_of(c) / (c->sectors + c->wavefronts + c->addresses) };
        for (unsigned f = 0; f < 2 && c->requests > 0; f++) {
            least[f] = fmin(least[f], figures[f]);
            most[f] = fmax(most[f], figures[f]);
        }
    }
    return most[0] > SHAPED * least[0] || most[1] > SHAPED * least[1];
}

static void finish_shapes(Arena *arena, const AccessEvaluator *e, const AccessTally *tally)
{
    unsigned count = e->out->shape_count;
    const Count *shaped = tally->shaped;
    for (InsnId i = 0; i < tally->func->insn_count; i++) {
        if (!ptx_insn_is_access(&tally->func->insns[i]))
            continue;
        if (is_shaped(shaped, count)) {
            Count *kept = ptx_arena_array(arena, Count, count);
            memcpy(kept, shaped, count * sizeof *kept);
            tally->insns[i].shaped = kept;
        }
        shaped += count;
    }
}

/* ---- what is known --------------------------------------------------------------------------- */

static Certainty certainty_of(const AccessEvaluator *e, const Evaluated *insn)
{
    if (!(insn->total.requests > 0) || insn->total.doubt == UNCERTAIN_ADDRESS)
        return CERTAINTY_UNKNOWN;
    if (insn->total.doubt || e->is_cut || e->shape.block_is_assumed
        || !e->out->is_whole)
        return CERTAINTY_ESTIMATE;
    return CERTAINTY_EXACT;
}

static void finish_tally(const AccessEvaluator *e, AccessTally *tally, double weight)
{
    for (InsnId i = 0; i < tally->func->insn_count; i++) {
        Evaluated *insn = &tally->insns[i];
        ptx_count_add(&insn->total, &tally->totals[i], weight);
        insn->is_reached = insn->total.warps > 0;
        insn->best_share = fmin(insn->best_share, ratio_of(&insn->total));
        insn->certainty = (uint8_t)certainty_of(e, insn);
    }
}

static bool is_called_access(const AccessTally *tally, InsnId insn)
{
    return tally->totals[insn].requests > 0 && ptx_insn_is_access(&tally->func->insns[insn]);
}

static void list_called_funcs(Arena *arena, AccessEvaluator *e)
{
    CalledFunc *funcs = ptx_arena_array(arena, CalledFunc, e->tally_count);
    e->out->funcs = funcs;
    for (uint32_t t = 1; t < e->tally_count; t++) {
        const AccessTally *tally = &e->tallies[t];
        CalledCount *counts = ptx_arena_array(arena, CalledCount, tally->func->insn_count);
        for (InsnId i = 0; i < tally->func->insn_count; i++)
            counts[i] = (CalledCount){ ptx_probable_warps(&tally->insns[i]),
                                       ptx_probable_lanes(&tally->insns[i]) };
        funcs[e->out->func_count++] = (CalledFunc){ ptx_machine_func_id(e->machine, t), counts };
    }
}

/* Accesses alone, and those that were reached: functions may be long, and many kernels call
 * them. */
static void list_called(Arena *arena, AccessEvaluator *e)
{
    uint32_t count = 0;
    for (uint32_t t = 1; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            count += is_called_access(&e->tallies[t], i);
    CalledAccess *called = ptx_arena_array(arena, CalledAccess, count);
    e->out->called = called;
    e->out->called_count = count;
    for (uint32_t t = 1; t < e->tally_count; t++) {
        const AccessTally *tally = &e->tallies[t];
        const FuncId id = ptx_machine_func_id(e->machine, t);
        for (InsnId i = 0; i < tally->func->insn_count; i++)
            if (is_called_access(tally, i))
                *called++ = (CalledAccess){ id, i, tally->insns[i] };
    }
    list_called_funcs(arena, e);
}

/* Of what was run, for blocks that the budget did not do for. */
static double weight_of(const AccessEvaluator *e)
{
    return e->is_cut && e->blocks_stood_for > 0 ? e->out->blocks / e->blocks_stood_for : 1;
}

static const float *kept_works(Arena *arena, const AccessEvaluator *e)
{
    if (!e->block_works || !(e->out->unevenness > 1))
        return NULL;
    float *kept = ptx_arena_array(arena, float, (size_t)e->out->blocks);
    memcpy(kept, e->block_works, (size_t)e->out->blocks * sizeof *kept);
    return kept;
}

static void finish(Arena *arena, AccessEvaluator *e)
{
    double weight = weight_of(e);
    for (uint32_t t = 0; t < e->tally_count; t++) {
        finish_tally(e, &e->tallies[t], weight);
        if (e->tallies[t].shaped)
            finish_shapes(arena, e, &e->tallies[t]);
    }
    for (uint32_t t = 0; t < e->tally_count; t++)
        ptx_machine_find_shares(e->machine, t, e->tallies[t].insns);
    list_called(arena, e);
    e->out->unevenness = e->work[1] > 0 ? e->work[2] * e->work[0] / (e->work[1] * e->work[1]) : 1;
    e->out->block_works = kept_works(arena, e);
    e->out->busiest = e->busiest;
    e->out->mean_work = e->work[0] > 0 ? e->work[1] / e->work[0] : 0;
    e->out->is_cut = e->is_cut;
}

enum { STEPS_PROBE = 512 };

/* One run for the block and its neighbours. False: they would not do the same. */
static bool probe_at_once(AccessEvaluator *e, const uint32_t middle[3])
{
    static const uint32_t step[3] = { 1, 1, 1 };
    uint32_t first[3], count[3];
    uint8_t which = 1;
    for (unsigned d = 0; d < 3; d++) {
        const bool has_neighbour = middle[d] > 0;
        first[d] = middle[d] - has_neighbour;
        count[d] = 1 + has_neighbour;
        which |= (uint8_t)(has_neighbour << (d + 1));
    }
    ptx_footprint_probe(e->watch.footprint, which);
    if (which == 1 || ptx_footprint_is_probed(e->watch.footprint))
        return false;
    Blocks blocks = ptx_blocks_new(first, step, count);
    const double size = ptx_blocks_size(&blocks);
    ptx_machine_allow(e->machine, STEPS_PROBE);
    ptx_machine_run_for(e->machine, &blocks, 0, 1);
    return ptx_footprint_end_probe(e->watch.footprint, ptx_blocks_size(&blocks) == size);
}

/* Blocks 2n and 2n + 1 run side by side; orders of blocks change between those, if at all. */
static uint32_t odd_below(uint32_t count)
{
    const uint32_t middle = count / 2;
    return (middle | 1) < count ? middle | 1 : middle;
}

/* How far an array's footprint moves from a block to its neighbours: the first addresses of a warp
 * say so. Nothing else is asked of these runs, the last ones. */
static void probe_neighbours(AccessEvaluator *e)
{
    const uint32_t *grid = e->shape.grid,
                   middle[3] = { odd_below(grid[0]), grid[1] / 2, grid[2] / 2 };
    e->price.observer.is_paused = true;
    if (probe_at_once(e, middle))
        return;
    for (unsigned which = 0; which <= 3; which++) {
        uint32_t at[3] = { middle[0], middle[1], middle[2] };
        if (which && !at[which - 1]--)
            continue;
        ptx_footprint_probe(e->watch.footprint, (uint8_t)(1u << which));
        if (ptx_footprint_is_probed(e->watch.footprint))
            continue;
        ptx_machine_allow(e->machine, STEPS_PROBE);
        ptx_machine_run(e->machine, at, 0, 1);
    }
}

#define L2_KEEPS 0.25           /* of L2: so much stays there for certain */

/* Blocks share what they fetch where an SM has several of them, or L2 does not hold what they
 * read. */
static bool may_blocks_share(const AccessEvaluator *e, Depth depth)
{
    const Gpu *gpu = e->price.gpu;
    if (depth != DEPTH_FEW || !gpu || !ptx_gpu_has(gpu, FIGURE_SMS)
        || !ptx_gpu_has(gpu, FIGURE_L2_BYTES))
        return true;            /* figures of other GPUs may rest on this */
    return !(e->out->blocks < 2 * gpu->figures[FIGURE_SMS]
             && ptx_footprint_read_bytes(e->watch.footprint)
                    <= L2_KEEPS * gpu->figures[FIGURE_L2_BYTES]);
}

static Traffics sum_footprint(AccessEvaluator *e, Arena *arena, Depth depth)
{
    double weight = weight_of(e);
    if (!e->shape.grid_is_assumed && may_blocks_share(e, depth))
        probe_neighbours(e);
    Traffics out = ptx_footprint_sum(e->watch.footprint, arena, weight);
    out.shared_bytes = ptx_machine_shared_bytes(e->machine);
    return out;
}

/* What was taken for values of the launch that are not given. */
static void list_assumed(Arena *arena, const AccessEvaluator *e)
{
    Evaluation *out = e->out;
    const SimAssumptions assumed = ptx_machine_assumptions(e->machine);
    out->initial_is_assumed = assumed.initial;
    out->warpid_is_assumed = assumed.warpid;
    out->dynamic_is_assumed = assumed.dynamic;
    out->shape_is_read = assumed.shape_is_read;
    out->guessed = ptx_machine_guessed_trips(e->machine, arena, &out->guessed_count);
    out->assumed = ptx_machine_assumed_params(e->machine, arena, &out->assumed_count);
}

static void run_to_depth(AccessEvaluator *e, uint64_t most_steps, Depth depth)
{
    const bool is_quick = depth == DEPTH_QUICK;
    if (e->shape.grid_is_assumed)
        run_assumed(e, most_steps, is_quick);
    else if (depth == DEPTH_FEW && e->out->blocks > MIN_BLOCKS)
        run_few(e, most_steps);
    else
        run_launch(e, most_steps);
    if (e->is_cut && depth != DEPTH_FEW)
        run_rest(e, most_steps / 8);
}

/* The launch is unknown, and the kernel asks for more than a row of threads. */
static bool may_take_any_shape(const AccessEvaluator *e)
{
    return e->shape.block_is_assumed && e->shape.grid_is_assumed
           && e->shape.block[1] * e->shape.block[2] == 1 && any_asks_for(e, TID_Y);
}

/* What the budget cut short in one shape it would in the others. */
static bool are_shapes_worth_it(const AccessEvaluator *e, bool is_quick)
{
    const AccessTally *own = &e->tallies[0];
    if (is_quick)
        return is_notable(own->totals, own->func->insn_count);
    return !e->is_cut;
}

static void set_up(AccessEvaluator *e, const Gpu *gpu, bool is_quick)
{
    SimConfig *config = ptx_machine_config(e->machine);
    e->shape = ptx_machine_shape(e->machine);
    if (is_quick)
        config->most_stays = QUICK_STAYS;
    else if (!e->shape.grid_is_assumed)     /* of an unknown grid no time is predicted */
        ptx_footprint_watch(&e->watch, e->machine, ptx_footprint_new(e->arena));
    ptx_price_attach(&e->price, e->machine, gpu);
    config->forward_steps = is_quick ? 0 : FORWARD_STEPS;
}

const Evaluation *ptx_evaluate(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                               Depth depth)
{
    const bool is_quick = depth == DEPTH_QUICK;
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    Arena *arena = run->arena, *work = run->work;
    const Func *func = &ptx_program_module(run->program)->funcs[run->kernel];
    if (!func->has_body || !func->insn_count || func->has_syntax_error)
        return NULL;
    Evaluation *out = ptx_arena_new(arena, Evaluation);
    Evaluated *insns = ptx_arena_array(arena, Evaluated, func->insn_count);
    ArenaMark mark = ptx_arena_mark(work);
    Machine *m = ptx_machine_new(work, run->scratch, run->program, run->kernel,
                                 run->launch ? run->launch : &nothing);
    AccessEvaluator e = { .machine = m, .out = out, .arena = work };
    set_up(&e, gpu, is_quick);
    e.price.func = func;
    e.price.rows = run->rows;
    add_tally(&e, func, insns);
    *out = (Evaluation){ .insns = insns,
                         .block_is_assumed = e.shape.block_is_assumed,
                         .grid_is_assumed = e.shape.grid_is_assumed,
                         .is_row = ptx_func_takes_row(func) };
    memcpy(out->grid, e.shape.grid, sizeof out->grid);
    out->blocks = (double)out->grid[0] * out->grid[1] * out->grid[2];
    if (e.shape.grid_is_assumed && most_steps > EVALUATE_STEPS_ASSUMED)
        most_steps = EVALUATE_STEPS_ASSUMED;
    run_to_depth(&e, most_steps, depth);
    if (footprint_of(&e))
        out->traffics = sum_footprint(&e, arena, depth);
    if (may_take_any_shape(&e) && are_shapes_worth_it(&e, is_quick))
        try_shapes(&e, is_quick ? most_steps / 4 : most_steps, is_quick);
    finish(arena, &e);
    list_assumed(arena, &e);
    ptx_arena_release(work, mark);
    return out;
}
