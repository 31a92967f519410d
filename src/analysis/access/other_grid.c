#include "analysis/access/other_grid.h"

#include "analysis/access/evaluator.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/cost/footprint.h"
#include "ir/func.h"
#include "support/minmax.h"

#include <string.h>

enum { BLOCKS_AHEAD = 128 };    /* looked for, and a grid as large as that of the runs */

typedef struct GridSum {        /* SimFunc.sums */
    uint32_t func;              /* of the machine */
    InsnId insn;
    Count count;
} GridSum;

typedef struct GridRun {
    uint32_t at[3], first_warp, warp_count;
    Blocks alike;               /* from this one on */
    Footprint *footprint;       /* of this run alone */
    GridSum *sums;
    uint32_t sum_count;
    uint32_t func_count;        /* of the machine, behind it */
} GridRun;

struct GridRuns {
    AccessEvaluator e;
    Arena *arena;               /* of all here */
    uint64_t most_steps;
    GridRun runs[FEW_RUNS];
    uint32_t taken;             /* in the evaluation at hand */
    bool are_kept;
};

/* ---- one run --------------------------------------------------------------------------------- */

/* Those that have run, in order. */
static void keep_sums(Arena *arena, const Machine *m, GridRun *run)
{
    uint32_t count = 0;
    run->func_count = ptx_machine_func_count(m);
    for (uint32_t t = 0; t < run->func_count; t++) {
        const SimFunc ran = ptx_machine_func_at(m, t);
        for (InsnId i = 0; i < ran.func->insn_count; i++)
            count += ptx_count_of(ran.sums, i)->warps > 0;
    }
    run->sums = ptx_arena_array(arena, GridSum, count);
    for (uint32_t t = 0; t < run->func_count; t++) {
        const SimFunc ran = ptx_machine_func_at(m, t);
        for (InsnId i = 0; i < ran.func->insn_count; i++)
            if (ptx_count_of(ran.sums, i)->warps > 0)
                run->sums[run->sum_count++] = (GridSum){ t, i, *ran.sums[i] };
    }
}

static void put_sums(Machine *m, const GridRun *run)
{
    for (uint32_t s = 0; s < run->sum_count; s++) {
        const GridSum *sum = &run->sums[s];
        ptx_machine_put_sum(m, sum->func, sum->insn, &sum->count);
    }
}

/* Of one warp, Count.most is set only once a machine has run several. */
static bool is_same_count(const Count *a, const Count *b, bool is_one_warp)
{
    Count like = *a;
    if (is_one_warp)
        like.most = b->most;
    return !memcmp(&like, b, sizeof like);
}

static bool has_sums(Arena *arena, const Machine *m, const GridRun *run)
{
    GridRun now = { .sum_count = 0 };
    keep_sums(arena, m, &now);
    bool has = now.func_count == run->func_count && now.sum_count == run->sum_count;
    for (uint32_t s = 0; s < run->sum_count && has; s++) {
        const GridSum *a = &now.sums[s], *b = &run->sums[s];
        has = a->func == b->func && a->insn == b->insn
              && is_same_count(&a->count, &b->count, run->warp_count == 1);
    }
    return has;
}

static void find_blocks_between(const GridRun *run, const uint32_t at[3], int64_t blocks[3])
{
    for (unsigned d = 0; d < 3; d++)
        blocks[d] = (int64_t)at[d] - run->at[d];
}

/* What runs is noted in a footprint of its own. False: the budget does not do for it. */
static bool run_on_own_footprint(AccessEvaluator *e, Footprint *footprint, const uint32_t at[3],
                                 const GridRun *run)
{
    Footprint *all = e->watch.footprint;
    e->watch.footprint = footprint;
    const bool is_whole = ptx_machine_run(e->machine, at, run->first_warp, run->warp_count);
    e->watch.footprint = all;
    return is_whole;
}

static void keep_run(AccessEvaluator *e, GridRun *run)
{
    Arena *arena = e->grids->arena;
    run->footprint = ptx_footprint_new(arena);
    e->is_cut |= !run_on_own_footprint(e, run->footprint, run->at, run);
    keep_sums(arena, e->machine, run);
}

void ptx_grid_runs_take(AccessEvaluator *e, const uint32_t at[3], uint32_t first, uint32_t count)
{
    GridRuns *grids = e->grids;
    if (grids->taken == FEW_RUNS) {
        e->is_cut |= !ptx_machine_run(e->machine, at, first, count);
        return;
    }
    GridRun *run = &grids->runs[grids->taken++];
    int64_t blocks[3];
    if (grids->are_kept) {
        put_sums(e->machine, run);
    } else {
        *run = (GridRun){ .at = { at[0], at[1], at[2] }, .first_warp = first, .warp_count = count };
        keep_run(e, run);
    }
    find_blocks_between(run, at, blocks);
    ptx_footprint_add_moved(e->watch.footprint, run->footprint, blocks);
}

/* ---- what it stands for ---------------------------------------------------------------------- */

static bool stands_for_block(const GridRun *run, const uint32_t at[3])
{
    int64_t blocks[3];
    bool does = true;
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t step = run->alike.step[d];
        does &= at[d] >= run->at[d] && (at[d] - run->at[d]) % step == 0
                && (at[d] - run->at[d]) / step < run->alike.count[d];
    }
    find_blocks_between(run, at, blocks);
    return does && ptx_footprint_can_move(run->footprint, blocks);
}

/* Blocks from this one on that do the same, and how what they touch moves. */
static bool find_alike(AccessEvaluator *e, GridRun *run)
{
    static const uint32_t one[3] = { 1, 1, 1 };
    Footprint *all = e->watch.footprint;
    uint32_t count[3];
    for (unsigned d = 0; d < 3; d++)
        count[d] = e->shape.grid[d] > 1
                       ? ptx_u32_min(e->shape.grid[d] + BLOCKS_AHEAD, INT32_MAX - run->at[d])
                       : 1;
    run->alike = ptx_blocks_new(run->at, one, count);
    e->watch.footprint = run->footprint;
    e->watch.is_following = true;
    const bool is_whole = ptx_machine_run_for(e->machine, &run->alike, run->first_warp,
                                              run->warp_count);
    e->watch.is_following = false;
    e->watch.footprint = all;
    ptx_machine_discard(e->machine);
    return is_whole;
}

/* The last one whose addresses lie in their lines as those of the first do. */
static void find_far(const GridRun *run, uint32_t far[3])
{
    for (unsigned d = 0; d < 3; d++)
        far[d] = run->at[d];
    for (unsigned d = 0; d < 3; d++) {
        uint32_t left = ptx_u32_min(run->alike.count[d], BLOCKS_AHEAD);
        far[d] += (run->alike.count[d] - 1) * run->alike.step[d];
        while (--left && !stands_for_block(run, far))
            far[d] -= run->alike.step[d];
        far[d] = left ? far[d] : run->at[d];
    }
}

/* The last of those that it stands for is run as well. False too where it stands for no other. */
static bool is_confirmed(AccessEvaluator *e, const GridRun *run)
{
    uint32_t far[3];
    int64_t blocks[3];
    find_far(run, far);
    find_blocks_between(run, far, blocks);
    if (!memcmp(far, run->at, sizeof far))
        return false;
    Footprint *there = ptx_footprint_new(e->grids->arena);
    const bool is_same = run_on_own_footprint(e, there, far, run)
                         && has_sums(e->grids->arena, e->machine, run)
                         && ptx_footprint_is_moved(run->footprint, there, blocks);
    ptx_machine_discard(e->machine);
    return is_same;
}

static bool is_proved(AccessEvaluator *e, GridRun *run)
{
    ptx_machine_allow(e->machine, e->grids->most_steps);
    return find_alike(e, run) && is_confirmed(e, run);
}

/* The first block is the same for all grids, but for those that are small. */
static bool are_proved(GridRuns *grids)
{
    static const int64_t nowhere[3] = { 0, 0, 0 };
    static const uint32_t one[3] = { 1, 1, 1 };
    AccessEvaluator *e = &grids->e;
    const bool is_kept = grids->taken == FEW_RUNS && !e->is_cut && !e->shape.grid_is_assumed
                         && ptx_machine_func_count(e->machine) == e->tally_count
                         && ptx_footprint_can_move(e->watch.footprint, nowhere);
    e->price.observer.is_paused = false;
    grids->runs[FEW_FIRST].alike = ptx_blocks_new(grids->runs[FEW_FIRST].at, one, one);
    return is_kept && is_proved(e, &grids->runs[FEW_LAST])
           && is_proved(e, &grids->runs[FEW_MIDDLE])
           && ptx_machine_func_count(e->machine) == e->tally_count;
}

/* ---- evaluations ----------------------------------------------------------------------------- */

const Evaluation *ptx_evaluate_keeping(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                                       GridRuns **runs)
{
    GridRuns *grids = ptx_arena_new(run->work, GridRuns);
    grids->arena = run->work;
    grids->most_steps = most_steps;
    grids->e.grids = grids;
    *runs = NULL;
    if (!ptx_evaluator_set_up(&grids->e, run, gpu, DEPTH_FEW))
        return NULL;
    const Evaluation *out = ptx_evaluator_evaluate(&grids->e, run->arena, most_steps, DEPTH_FEW);
    grids->are_kept = are_proved(grids);
    *runs = grids->are_kept ? grids : NULL;
    return out;
}

static bool stand_for(const GridRuns *grids, const uint32_t grid[3])
{
    const uint8_t read = ptx_machine_assumptions(grids->e.machine).sizes_read;
    bool do_stand = ptx_evaluator_is_few(grid);
    uint32_t at[FEW_RUNS][3];
    for (unsigned d = 0; d < 3; d++)
        do_stand &= !(read >> d & 1) || grid[d] == grids->e.shape.grid[d];
    ptx_evaluator_few_blocks(grid, at);
    for (unsigned r = 0; r < FEW_RUNS && do_stand; r++)
        do_stand = stands_for_block(&grids->runs[r], at[r]);
    return do_stand;
}

/* As it was before it ran, but for its machine. */
static void begin_again(AccessEvaluator *e, Arena *work, const uint32_t grid[3])
{
    e->grids->taken = 0;
    e->arena = work;
    e->tallies = NULL;
    e->tally_count = e->tally_capacity = 0;
    e->blocks_stood_for = e->least_work = e->most_work = e->busiest = 0;
    memset(e->work, 0, sizeof e->work);
    memcpy(e->shape.grid, grid, sizeof e->shape.grid);
    ptx_footprint_forget(e->watch.footprint);
}

const Evaluation *ptx_evaluate_other_grid(GridRuns *grids, Arena *arena, Arena *work,
                                          const uint32_t grid[3])
{
    if (!stand_for(grids, grid))
        return NULL;
    const ArenaMark mark = ptx_arena_mark(work);
    begin_again(&grids->e, work, grid);
    const Evaluation *out = ptx_evaluator_evaluate(&grids->e, arena, grids->most_steps, DEPTH_FEW);
    ptx_arena_release(work, mark);
    return out;
}
