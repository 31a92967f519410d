#include "analysis/access/evaluator.h"

#include "ir/func.h"
#include "ir/insn.h"

#include <math.h>
#include <string.h>

#define SHAPED 1.05             /* figures of two shapes that lie nearer count as equal */

enum { TID_X, TID_Y, TID_Z };

/* For that component of %tid, or one behind it. */
static bool any_asks_for(const AccessEvaluator *e, unsigned component)
{
    for (uint32_t t = 0; t < e->tally_count; t++)
        if (e->tallies[t].func->tid_component >= component)
            return true;
    return false;
}

bool ptx_func_takes_row(const Func *func)
{
    return func->tid_component < TID_Y && !func->has_calls;
}

double ptx_evaluator_ratio(const Count *count)
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
        const Count **to = tally->shaped;
        for (InsnId i = 0; i < tally->func->insn_count; i++)
            if (ptx_insn_is_access(&tally->func->insns[i])) {
                const Count *total = ptx_tally_total(tally, i);
                if (!e->is_cut && total->doubt != UNCERTAIN_ADDRESS)
                    to[shape] = total;
                to += e->out->shape_count;
            }
    }
}

/* What accesses take in this shape, where it is less. */
static void try_shape(AccessEvaluator *e, unsigned shape, uint64_t most_steps, bool is_quick)
{
    ptx_evaluator_empty(e);
    e->is_cut = false;
    ptx_machine_reshape(e->machine, e->out->shapes[shape]);
    ptx_evaluator_run_assumed(e, most_steps, is_quick);
    for (uint32_t t = 0; t < e->tally_count; t++)
        for (InsnId i = 0; i < e->tallies[t].func->insn_count; i++) {
            Evaluated *insn = &e->tallies[t].insns[i];
            const Count *total = e->tallies[t].totals[i];
            if (total && total->requests > 0)
                insn->best_share = fmin(insn->best_share, ptx_evaluator_ratio(total));
        }
}

/* The block is unknown as well: figures are those of a row of threads, and findings have to hold
 * for squares too. */
void ptx_evaluator_try_shapes(AccessEvaluator *e, uint64_t most_steps, bool is_quick)
{
    Machine *m = e->machine;
    uint32_t run = e->out->blocks_run, count = e->tally_count;
    bool is_cut = e->is_cut;
    choose_shapes(e);
    if (e->out->shape_count < 2)
        return;
    for (uint32_t t = 0; t < count; t++) {
        AccessTally *tally = &e->tallies[t];
        tally->shaped = ptx_arena_array(e->arena, const Count *,
                                        (size_t)count_accesses(tally->func) * e->out->shape_count);
    }
    keep_shape(e, 0);
    e->watch.observer.is_paused = e->tries_shapes = true;
    const AccessTally *own = ptx_evaluator_set_aside(e);
    for (unsigned i = 1; i < e->out->shape_count; i++) {
        try_shape(e, i, most_steps, is_quick);
        e->tally_count = count;         /* what is called in these shapes alone does not count */
        keep_shape(e, i);
    }
    ptx_evaluator_put_back(e, own, count);
    e->tries_shapes = false;
    e->out->blocks_run = run;
    e->is_cut = is_cut;
    ptx_machine_reshape(m, e->out->shapes[0]);
}

static double used_of(const Count *count)
{
    return count->used_bytes + count->ideal_wavefronts;
}

/* Whether requests cost more in one shape than in another, or use more of what they move. */
static bool is_shaped(const Count *const *shaped, unsigned count)
{
    double least[2] = { (double)INFINITY, (double)INFINITY }, most[2] = { 0, 0 };
    for (unsigned i = 0; i < count; i++) {
        const Count *c = shaped[i];
        if (!c || !(c->requests > 0))
            continue;
        const double figures[2] = { (c->sectors + c->wavefronts + c->addresses) / c->requests,
                                    used_of(c) / (c->sectors + c->wavefronts + c->addresses) };
        for (unsigned f = 0; f < 2; f++) {
            least[f] = fmin(least[f], figures[f]);
            most[f] = fmax(most[f], figures[f]);
        }
    }
    return most[0] > SHAPED * least[0] || most[1] > SHAPED * least[1];
}

void ptx_evaluator_finish_shapes(Arena *arena, const AccessEvaluator *e, const AccessTally *tally)
{
    unsigned count = e->out->shape_count;
    const Count **shaped = tally->shaped;
    for (InsnId i = 0; i < tally->func->insn_count; i++) {
        if (!ptx_insn_is_access(&tally->func->insns[i]))
            continue;
        if (is_shaped(shaped, count)) {
            Count *kept = ptx_arena_array(arena, Count, count);
            for (unsigned s = 0; s < count; s++)
                kept[s] = shaped[s] ? *shaped[s] : ptx_count_none;
            tally->insns[i].shaped = kept;
        }
        shaped += count;
    }
}

/* The launch is unknown, and the kernel asks for more than a row of threads. */
bool ptx_evaluator_takes_any_shape(const AccessEvaluator *e)
{
    return e->shape.block_is_assumed && e->shape.grid_is_assumed
           && e->shape.block[1] * e->shape.block[2] == 1 && any_asks_for(e, TID_Y);
}
