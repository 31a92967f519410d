#include "analysis/access/evaluator.h"

#include "ir/func.h"

#include <math.h>
#include <string.h>

/* NULL: what runs is not noted. */
Footprint *ptx_evaluator_footprint(const AccessEvaluator *e)
{
    return e->watch.observer.is_paused ? NULL : e->watch.footprint;
}

void ptx_evaluator_add_tally(AccessEvaluator *e, Arena *arena, const Func *func)
{
    if (e->tally_count == e->tally_capacity)
        e->tallies = ptx_arena_grow(e->arena, e->tallies, e->tally_count, &e->tally_capacity,
                                    sizeof *e->tallies);
    AccessTally *tally = &e->tallies[e->tally_count++];
    *tally = (AccessTally){ .func = func,
                            .insns = ptx_arena_array(arena, Evaluated, func->insn_count),
                            .totals = ptx_arena_array(e->arena, Count *, func->insn_count),
                            .arena = arena,
                            .first_ratio = ptx_arena_array(e->arena, double, func->insn_count) };
    for (InsnId i = 0; i < func->insn_count; i++) {
        tally->first_ratio[i] = (double)NAN;
        tally->insns[i].best_share = (double)INFINITY;
    }
}

/* Of instructions from there on that always run together: to be counted in. */
static Count *total_from(AccessTally *tally, InsnId first, InsnId end)
{
    if (!tally->totals[first]) {
        Count *total = ptx_arena_new(tally->arena, Count);
        for (InsnId i = first; i < end; i++)
            tally->totals[i] = total;
    }
    return tally->totals[first];
}

/* Some warps of a block, within the budget. */
void ptx_evaluator_run(AccessEvaluator *e, const uint32_t at[3], uint32_t first, uint32_t count)
{
    if (e->grids)
        ptx_grid_runs_take(e, at, first, count);
    else
        e->is_cut |= !ptx_machine_run(e->machine, at, first, count);
}

/* From here on the budget does again, for so many steps more. */
void ptx_evaluator_allow(AccessEvaluator *e, uint64_t steps)
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

/* Executions by the warp of a block that comes here most often; where warps are not distinguished,
 * by its warps on average. */
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

static void add_counted(AccessTally *tally, InsnId insn, const Count *count, double weight)
{
    note_ratio(tally, insn, count);
    ptx_count_add(tally->totals[insn], count, weight);
}

/* Of plain ones only how often they run is asked for. */
static void add_executions(Count *total, const Count *count, double weight)
{
    total->warps += weight * count->warps;
    total->lanes += weight * count->lanes;
    total->most += weight * count->most;
}

/* is_rest: only of what was not come to before. How many instructions ran. */
static double collect_func(const AccessEvaluator *e, SimFunc ran, AccessTally *tally, double weight,
                           bool is_rest)
{
    double work = 0;
    for (InsnId i = 0, end; i < ran.func->insn_count; i = end) {
        Count *first = ran.sums[i];
        end = i + (ran.plain[i] ? ran.plain[i] : 1u);
        if (!first || !(first->warps > 0))
            continue;
        work += first->warps * (end - i);
        const bool is_wanted = !e->tries_shapes || first->requests > 0;
        Count *total = is_wanted ? total_from(tally, i, end) : NULL;
        if (total && (!is_rest || !(total->warps > 0))) {
            if (ran.plain[i])
                add_executions(total, first, weight);
            else
                add_counted(tally, i, first, weight);
            note_longest(total, first, longest_of(first, e->shape.warp_count));
        }
        ptx_count_empty(first);
    }
    return work;
}

bool ptx_evaluator_access_differs(const AccessEvaluator *e)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++)
            if (e->tallies[t].insns[i].differs)
                return true;
    return false;
}

double ptx_evaluator_collect_all(AccessEvaluator *e, double weight, bool is_rest)
{
    const Machine *m = e->machine;
    const uint32_t count = ptx_machine_func_count(m);
    double work = 0;
    while (e->tally_count < count)
        ptx_evaluator_add_tally(e, e->arena, ptx_machine_func_at(m, e->tally_count).func);
    for (uint32_t t = 0; t < count; t++)
        work += collect_func(e, ptx_machine_func_at(m, t), &e->tallies[t], weight, is_rest);
    if (ptx_evaluator_footprint(e))
        ptx_footprint_close(ptx_evaluator_footprint(e), weight);
    return work;
}

/* A block. Its instructions. */
double ptx_evaluator_collect(AccessEvaluator *e, double weight)
{
    double work = ptx_evaluator_collect_all(e, weight, false);
    e->busiest = weight > 0 ? fmax(e->busiest, work) : e->busiest;
    e->work[0] += weight;
    e->work[1] += weight * work;
    e->work[2] += weight * work * work;
    return work;
}

/* A block that the budget cuts short counts only where there is no other: it would show the
 * beginning of the kernel without its end. */
void ptx_evaluator_run_block(AccessEvaluator *e, const uint32_t ctaid[3], double weight)
{
    if (e->is_cut && e->out->blocks_run)
        return;
    ptx_evaluator_run(e, ctaid, 0, e->shape.warp_count);
    bool is_left_out = e->is_cut && e->out->blocks_run;
    double work = ptx_evaluator_collect(e, is_left_out ? 0 : weight);
    e->least_work = e->out->blocks_run ? fmin(e->least_work, work) : work;
    e->most_work = e->out->blocks_run ? fmax(e->most_work, work) : work;
    e->blocks_stood_for += is_left_out ? 0 : weight;
    e->out->blocks_run += !is_left_out;
}

void ptx_evaluator_forget(AccessEvaluator *e)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++) {
            Count *total = e->tallies[t].totals[i];
            if (total)
                *total = (Count){ .doubt = total->doubt };
        }
    ptx_machine_discard(e->machine);
    memset(e->work, 0, sizeof e->work);
    e->busiest = 0;
    e->out->blocks_run = 0;
    e->blocks_stood_for = 0;
    if (ptx_evaluator_footprint(e))
        ptx_footprint_forget(ptx_evaluator_footprint(e));
}

/* ---- counting something else for a while ----------------------------------------------------- */

void ptx_evaluator_empty(AccessEvaluator *e)
{
    for (uint32_t t = 0; t < e->tally_count; t++) {
        AccessTally *tally = &e->tallies[t];
        tally->totals = ptx_arena_array(e->arena, Count *, tally->func->insn_count);
        tally->arena = e->arena;
    }
}

AccessTally *ptx_evaluator_set_aside(AccessEvaluator *e)
{
    AccessTally *aside = ptx_arena_array(e->arena, AccessTally, e->tally_count);
    for (uint32_t t = 0; t < e->tally_count; t++)
        aside[t] = e->tallies[t];
    ptx_evaluator_empty(e);
    return aside;
}

void ptx_evaluator_put_back(AccessEvaluator *e, const AccessTally *aside, uint32_t tally_count)
{
    for (uint32_t t = 0; t < tally_count; t++) {
        e->tallies[t].totals = aside[t].totals;
        e->tallies[t].arena = aside[t].arena;
    }
}
