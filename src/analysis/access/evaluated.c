#include "analysis/access/evaluator.h"

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/cost/traffic.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"

#include <math.h>
#include <string.h>

static Certainty certainty_of(const AccessEvaluator *e, const Evaluated *insn)
{
    if (!(insn->total->requests > 0) || insn->total->doubt == UNCERTAIN_ADDRESS)
        return CERTAINTY_UNKNOWN;
    if (insn->total->doubt || e->is_cut || e->shape.block_is_assumed
        || !e->out->is_whole)
        return CERTAINTY_ESTIMATE;
    return CERTAINTY_EXACT;
}

static void weigh_total(Count *count, double weight)
{
    const Count once = *count;
    *count = (Count){ 0 };
    ptx_count_add(count, &once, weight);
}

static void finish_tally(const AccessEvaluator *e, AccessTally *tally, double weight)
{
    for (InsnId i = 0; i < tally->func->insn_count; i++) {
        Evaluated *insn = &tally->insns[i];
        if (weight != 1 && ptx_tally_is_own(tally, i))
            weigh_total(tally->totals[i], weight);
        insn->total = ptx_tally_total(tally, i);
        insn->is_reached = insn->total->warps > 0;
        insn->best_share = fmin(insn->best_share, ptx_evaluator_ratio(insn->total));
        insn->certainty = (uint8_t)certainty_of(e, insn);
    }
}

static bool is_called_access(const AccessTally *tally, InsnId insn)
{
    return tally->insns[insn].total->requests > 0 && ptx_insn_is_access(&tally->func->insns[insn]);
}

/* With a total of their own: the tally goes with the run. */
static Evaluated called_figures(Arena *arena, const Evaluated *insn)
{
    Evaluated copy = *insn;
    Count *total = ptx_arena_new(arena, Count);
    *total = *insn->total;
    copy.total = total;
    return copy;
}

static void list_called_funcs(Arena *arena, AccessEvaluator *e)
{
    CalledFunc *funcs = ptx_arena_array(arena, CalledFunc, e->tally_count);
    e->out->funcs = funcs;
    e->out->func_count = 0;
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
                *called++ = (CalledAccess){ id, i, called_figures(arena, &tally->insns[i]) };
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

void ptx_evaluator_finish(Arena *arena, AccessEvaluator *e)
{
    double weight = weight_of(e);
    for (uint32_t t = 0; t < e->tally_count; t++) {
        finish_tally(e, &e->tallies[t], weight);
        if (e->tallies[t].shaped)
            ptx_evaluator_finish_shapes(arena, e, &e->tallies[t]);
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

/* No SM has several blocks, and L2 holds what they read: they share nothing that they fetch. */
static bool holds_all(const Gpu *gpu, const Evaluation *evaluation)
{
    return gpu && ptx_gpu_has(gpu, FIGURE_SMS) && ptx_gpu_has(gpu, FIGURE_L2_BYTES)
           && evaluation->blocks < 2 * gpu->figures[FIGURE_SMS]
           && evaluation->few_read_bytes <= L2_KEEPS * gpu->figures[FIGURE_L2_BYTES];
}

bool ptx_evaluation_is_for(const Evaluation *evaluation, const Gpu *own, const Gpu *other)
{
    return ptx_traffic_is_alike(own, other)
           && holds_all(own, evaluation) == holds_all(other, evaluation);
}

static const uint64_t *list_pointers(Arena *arena, const AccessEvaluator *e)
{
    const uint32_t count = e->tally_count ? e->tallies[0].func->param_count : 0;
    uint64_t *out = ptx_arena_array(arena, uint64_t, count + 1);
    for (uint32_t p = 0; p < count; p++)
        out[p] = ptx_machine_array(e->machine, p);
    return out;
}

Traffics ptx_evaluator_sum_footprint(AccessEvaluator *e, Arena *arena, Depth depth)
{
    double weight = weight_of(e);
    if (depth == DEPTH_FEW)     /* else figures of other GPUs may rest on this */
        e->out->few_read_bytes = ptx_footprint_read_bytes(e->watch.footprint);
    if (!e->shape.grid_is_assumed && !holds_all(e->price.gpu, e->out))
        probe_neighbours(e);
    Traffics out = ptx_footprint_sum(e->watch.footprint, arena, weight);
    out.pointers = list_pointers(arena, e);
    out.shared_bytes = ptx_machine_shared_bytes(e->machine);
    return out;
}

/* What was taken for values of the launch that are not given. */
void ptx_evaluator_list_assumed(Arena *arena, const AccessEvaluator *e)
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
