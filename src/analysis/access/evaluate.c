#include "analysis/access/evaluate.h"

#include "analysis/access/evaluator.h"
#include "analysis/sim/cost/footprint_watch.h"
#include "analysis/sim/cost/price.h"
#include "analysis/sim/cost/touched.h"
#include "analysis/sim/program.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/minmax.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES_ASSUMED = 2,
    QUICK_STAYS = 4,
    MIN_BLOCKS = 3
};

/* Whether something is left to be found: an access that costs more than it had to, a branch that
 * parts lanes. */
static bool is_notable(const Count *c)
{
    return c->sectors > c->ideal_sectors || c->wavefronts > c->ideal_wavefronts
           || c->addresses > c->requests || c->divergent > 0;
}

static bool is_any_notable(const SimFunc *ran)
{
    for (InsnId i = 0; i < ran->func->insn_count; i++)
        if (ran->sums[i] && is_notable(ran->sums[i]))
            return true;
    return false;
}

static bool is_tally_notable(const AccessTally *tally)
{
    for (InsnId i = 0; i < tally->func->insn_count; i++)
        if (tally->totals[i] && is_notable(tally->totals[i]))
            return true;
    return false;
}

/* The first warp and the last, which stands for those between; the first alone where it has nothing
 * to be found. */
static void run_quick(AccessEvaluator *e, const uint32_t block[3])
{
    Machine *m = e->machine;
    ptx_evaluator_run(e, block, 0, 1);
    bool is_enough = true;
    const uint32_t func_count = ptx_machine_func_count(m);
    for (uint32_t r = 0; e->shape.warp_count > 1 && is_enough && r < func_count; r++) {
        const SimFunc ran = ptx_machine_func_at(m, r);
        is_enough = !is_any_notable(&ran);
    }
    ptx_evaluator_collect(e, e->out->blocks * (is_enough ? e->shape.warp_count : 1));
    if (!is_enough) {
        ptx_evaluator_run(e, block, e->shape.warp_count - 1, 1);
        ptx_evaluator_collect(e, e->out->blocks * (e->shape.warp_count - 1));
    }
    e->out->is_by_warps = e->shape.warp_count > (is_enough ? 1 : 2);
    e->out->blocks_run++;
}

void ptx_evaluator_few_blocks(const uint32_t grid[3], uint32_t at[FEW_RUNS][3])
{
    for (unsigned d = 0; d < 3; d++) {
        uint32_t edge = grid[d] >= 8 ? 1 : 0;
        at[FEW_FIRST][d] = edge;
        at[FEW_LAST][d] = grid[d] - 1 - edge;
        at[FEW_MIDDLE][d] = grid[d] / 2;
    }
}

bool ptx_evaluator_is_few(const uint32_t grid[3])
{
    return (double)grid[0] * grid[1] * grid[2] > MIN_BLOCKS;
}

/* One from the middle stands for all; a warp of the first block and of the last are run so that the
 * ends of what is touched are seen: not of those at the very edge, which guards often keep from
 * anything. */
static void run_few(AccessEvaluator *e, uint64_t most_steps)
{
    uint32_t at[FEW_RUNS][3];
    ptx_evaluator_few_blocks(e->shape.grid, at);
    ptx_machine_allow(e->machine, most_steps);
    ptx_evaluator_take_shortcuts(e->machine);
    ptx_evaluator_run(e, at[FEW_FIRST], 0, 1);
    ptx_evaluator_collect(e, 0);
    ptx_evaluator_run(e, at[FEW_LAST], e->shape.warp_count - 1, 1);
    ptx_evaluator_collect(e, 0);
    ptx_evaluator_run_block(e, at[FEW_MIDDLE], e->out->blocks);
    if (e->is_cut)
        ptx_evaluator_run_warps(e, most_steps);
}

/* The budget ended before the kernel did. Its first warp and its last once more, which leave loops
 * early: what was not come to is seen at least. */
static void run_rest(AccessEvaluator *e, uint64_t most_steps)
{
    const bool is_paused = e->watch.observer.is_paused;
    const uint32_t middle[3] = { e->shape.grid[0] / 2, e->shape.grid[1] / 2, e->shape.grid[2] / 2 };
    e->watch.observer.is_paused = true;
    ptx_machine_config(e->machine)->is_hurried = true;
    ptx_evaluator_allow(e, most_steps);
    ptx_machine_discard(e->machine);
    ptx_evaluator_run(e, middle, 0, 1);
    if (e->shape.warp_count > 1)
        ptx_evaluator_run(e, middle, e->shape.warp_count - 1, 1);
    double blocks = e->blocks_stood_for > 0 ? e->blocks_stood_for : e->out->blocks;
    ptx_evaluator_collect_all(e, blocks * e->shape.warp_count / (e->shape.warp_count > 1 ? 2 : 1),
                              true);
    ptx_machine_config(e->machine)->is_hurried = false;
    e->is_cut = true;
    e->watch.observer.is_paused = is_paused;
}

/* The grid is unknown: a block or two stand for all. */
void ptx_evaluator_run_assumed(AccessEvaluator *e, uint64_t most_steps, bool is_quick)
{
    static const uint32_t blocks[SAMPLES_ASSUMED][3] = { { 1, 1, 1 }, { 0, 0, 0 } };
    unsigned count = is_quick ? 1 : SAMPLES_ASSUMED;
    for (unsigned b = 0; b < count; b++) {
        ptx_machine_allow(e->machine, most_steps / count);
        if (is_quick)
            run_quick(e, blocks[b]);
        else
            ptx_evaluator_run_block(e, blocks[b], e->out->blocks / count);
    }
}

static void run_to_depth(AccessEvaluator *e, uint64_t most_steps, Depth depth)
{
    const bool is_quick = depth == DEPTH_QUICK;
    if (e->shape.grid_is_assumed)
        ptx_evaluator_run_assumed(e, most_steps, is_quick);
    else if (depth == DEPTH_FEW && ptx_evaluator_is_few(e->shape.grid))
        run_few(e, most_steps);
    else
        ptx_evaluator_run_launch(e, most_steps);
    if (e->is_cut && depth != DEPTH_FEW)
        run_rest(e, most_steps / 8);
}

/* What the budget cut short in one shape it would in the others. */
static bool are_shapes_worth_it(const AccessEvaluator *e, bool is_quick)
{
    return is_quick ? is_tally_notable(&e->tallies[0]) : !e->is_cut;
}

static void watch(AccessEvaluator *e, const Gpu *gpu, bool is_quick)
{
    SimConfig *config = ptx_machine_config(e->machine);
    e->shape = ptx_machine_shape(e->machine);
    config->is_brief = is_quick;
    if (is_quick)
        config->most_stays = QUICK_STAYS;
    else if (!e->shape.grid_is_assumed)     /* of an unknown grid no time is predicted */
        ptx_footprint_watch(&e->watch, e->machine, ptx_footprint_new(e->arena));
    ptx_price_attach(&e->price, e->machine, gpu);
    config->forward_steps = is_quick ? 0 : FORWARD_STEPS;
}

bool ptx_evaluator_set_up(AccessEvaluator *e, const KernelRun *run, const Gpu *gpu, Depth depth)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    const Func *func = &ptx_program_module(run->program)->funcs[run->kernel];
    if (!func->has_body || !func->insn_count || func->has_syntax_error)
        return false;
    e->arena = run->work;
    e->machine = ptx_machine_new(run->work, run->scratch, run->program, run->kernel,
                                 run->launch ? run->launch : &nothing);
    watch(e, gpu, depth == DEPTH_QUICK);
    e->price.func = func;
    e->price.rows = run->rows;
    return true;
}

static uint64_t steps_within(const AccessEvaluator *e, uint64_t most_steps)
{
    return e->shape.grid_is_assumed ? ptx_u64_min(most_steps, EVALUATE_STEPS_ASSUMED) : most_steps;
}

static void begin_evaluation(AccessEvaluator *e, Arena *arena)
{
    const Func *func = e->price.func;
    Evaluation *out = e->out = ptx_arena_new(arena, Evaluation);
    ptx_evaluator_add_tally(e, arena, func);
    *out = (Evaluation){ .insns = e->tallies[0].insns,
                         .block_is_assumed = e->shape.block_is_assumed,
                         .grid_is_assumed = e->shape.grid_is_assumed,
                         .few_read_bytes = (double)NAN,
                         .is_row = ptx_func_takes_row(func) };
    memcpy(out->grid, e->shape.grid, sizeof out->grid);
    out->blocks = (double)out->grid[0] * out->grid[1] * out->grid[2];
}

/* In the shape that is given, or taken for it. True: others are worth running. */
static bool run_own_shape(AccessEvaluator *e, Arena *arena, uint64_t most_steps, Depth depth)
{
    begin_evaluation(e, arena);
    run_to_depth(e, steps_within(e, most_steps), depth);
    e->out->has_left_early = ptx_machine_has_left_early(e->machine);
    e->out->steps = ptx_machine_steps(e->machine);
    if (ptx_evaluator_footprint(e))
        e->out->traffics = ptx_evaluator_sum_footprint(e, arena, depth);
    return ptx_evaluator_takes_any_shape(e) && are_shapes_worth_it(e, depth == DEPTH_QUICK);
}

static const Evaluation *finish_evaluation(AccessEvaluator *e, Arena *arena)
{
    ptx_evaluator_finish(arena, e);
    ptx_evaluator_list_assumed(arena, e);
    return e->out;
}

const Evaluation *ptx_evaluator_evaluate(AccessEvaluator *e, Arena *arena, uint64_t most_steps,
                                         Depth depth)
{
    const bool is_quick = depth == DEPTH_QUICK;
    const uint64_t steps = steps_within(e, most_steps);
    if (run_own_shape(e, arena, most_steps, depth))
        ptx_evaluator_try_shapes(e, is_quick ? steps / 4 : steps, is_quick);
    return finish_evaluation(e, arena);
}

/* As it is: what is finished may be finished again. Nothing more is counted in its totals. */
static AccessEvaluator copy_of(const AccessEvaluator *e, Arena *arena)
{
    AccessEvaluator copy = *e;
    copy.out = ptx_arena_new(arena, Evaluation);
    *copy.out = *e->out;
    copy.tallies = ptx_arena_array(e->arena, AccessTally, e->tally_count);
    copy.tally_capacity = e->tally_count;
    for (uint32_t t = 0; t < e->tally_count; t++) {
        const uint32_t count = e->tallies[t].func->insn_count;
        Evaluated *insns = ptx_arena_array(arena, Evaluated, count);
        memcpy(insns, e->tallies[t].insns, count * sizeof *insns);
        copy.tallies[t] = e->tallies[t];
        copy.tallies[t].insns = insns;
    }
    copy.out->insns = copy.tallies[0].insns;
    return copy;
}

const Evaluation *ptx_evaluate_row(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                                   AccessEvaluator **left)
{
    AccessEvaluator *e = ptx_arena_new(run->work, AccessEvaluator);
    *left = NULL;
    if (!ptx_evaluator_set_up(e, run, gpu, DEPTH_QUICK))
        return NULL;
    if (run_own_shape(e, run->arena, most_steps, DEPTH_QUICK)) {
        e->out->has_shapes_left = true;
        *left = e;
    }
    return finish_evaluation(e, run->arena);
}

const Evaluation *ptx_evaluate_left(const AccessEvaluator *left, Arena *arena, uint64_t most_steps)
{
    AccessEvaluator all = copy_of(left, arena);
    all.out->has_shapes_left = false;
    ptx_evaluator_try_shapes(&all, steps_within(&all, most_steps) / 4, true);
    return finish_evaluation(&all, arena);
}

const Evaluation *ptx_evaluate(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                               Depth depth)
{
    const ArenaMark mark = ptx_arena_mark(run->work);
    AccessEvaluator e = { .tally_count = 0 };
    const Evaluation *out = ptx_evaluator_set_up(&e, run, gpu, depth)
                                ? ptx_evaluator_evaluate(&e, run->arena, most_steps, depth)
                                : NULL;
    ptx_arena_release(run->work, mark);
    return out;
}

TouchedBytes ptx_evaluate_touched(const KernelRun *run, const bool *counts, uint64_t most_steps)
{
    const Func *func = &ptx_program_module(run->program)->funcs[run->kernel];
    const ArenaMark mark = ptx_arena_mark(run->work);
    Evaluation out = { .blocks = 0 };
    Machine *m = ptx_machine_new(run->work, run->scratch, run->program, run->kernel, run->launch);
    AccessEvaluator e = { .machine = m, .out = &out, .arena = run->work };
    e.touched = ptx_touched_new(run->work, m, func, counts);
    e.shape = ptx_machine_shape(m);
    ptx_evaluator_add_tally(&e, run->work, func);
    if (!e.shape.grid_is_assumed && !e.shape.block_is_assumed)
        ptx_evaluator_run_all(&e, most_steps);
    const TouchedBytes bytes = ptx_touched_sum(e.touched);
    ptx_arena_release(run->work, mark);
    return bytes;
}
