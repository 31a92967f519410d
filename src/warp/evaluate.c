#include "warp/evaluate.h"

#include "support/hash.h"
#include "warp/machine.h"

#include <math.h>

enum { MOST_CLASSES = 27, SAMPLES_INSIDE = 24, SAMPLES_ASSUMED = 2, QUICK_WARPS = 2, QUICK_STAYS = 8 };

/* Blocks that lie alike at the edges of the grid: [first, first + count) in each dimension. */
typedef struct Class {
    uint32_t first[3], count[3];
    double blocks;
    uint32_t samples;
} Class;

typedef struct Evaluator {
    Machine *machine;
    Evaluated *insns;
    Count *totals;              /* per instruction of the kernel */
    Evaluation *out;
    Arena *arena;
    double *first_ratio;        /* per instruction: what an active lane moved in the first block that came by; NaN */
} Evaluator;

/* ---- classes of blocks ------------------------------------------------------------------------------------------- */

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
                *c = (Class){ { first[0][x], first[1][y], first[2][z] }, { count[0][x], count[1][y], count[2][z] }, 0, 0 };
                c->blocks = (double)c->count[0] * c->count[1] * c->count[2];
            }
    return made;
}

/* ---- one block --------------------------------------------------------------------------------------------------- */

static void add_count(Count *to, const Count *from, double weight)
{
    to->warps += weight * from->warps;
    to->lanes += weight * from->lanes;
    to->requests += weight * from->requests;
    to->active += weight * from->active;
    to->sectors += weight * from->sectors;
    to->ideal_sectors += weight * from->ideal_sectors;
    to->wavefronts += weight * from->wavefronts;
    to->ideal_wavefronts += weight * from->ideal_wavefronts;
    to->addresses += weight * from->addresses;
    to->parted += weight * from->parted;
    to->is_free |= from->is_free;
    to->rows_by |= from->rows_by;
    to->free_by |= from->free_by;
    if (from->worst > to->worst || !to->pattern) {
        to->worst = from->worst;
        to->pattern = from->pattern;
        to->stride = from->stride;
    }
    to->doubt = from->doubt > to->doubt ? from->doubt : to->doubt;
}

static void note_ratio(Evaluator *e, InsnId insn, const Count *count)
{
    if (!(count->active > 0))
        return;
    double ratio = (count->sectors + 1024 * count->wavefronts + count->addresses) / count->active;
    if (isnan(e->first_ratio[insn]))
        e->first_ratio[insn] = ratio;
    else if (fabs(ratio - e->first_ratio[insn]) > 1e-9 * ratio)
        e->insns[insn].differs = true;
}

static void collect(Evaluator *e, double weight)
{
    const Routine *routine = e->machine->program->routines[e->machine->kernel];
    InsnId count = routine ? routine->func->insn_count : 0, end;
    for (InsnId i = 0; i < count; i = end) {
        const Count *first = &routine->counts[i];
        end = i + (routine->slice.plain[i] ? routine->slice.plain[i] : 1u);
        if (!(first->warps > 0))
            continue;
        if (!routine->slice.plain[i]) {
            note_ratio(e, i, first);
            add_count(&e->totals[i], first, weight);
        }
        for (InsnId k = i; routine->slice.plain[i] && k < end; k++) {   /* they run as often as the first of them */
            e->totals[k].warps += weight * first->warps;
            e->totals[k].lanes += weight * first->lanes;
        }
        routine->counts[i] = (Count){ 0 };
    }
}

static void run_block(Evaluator *e, const uint32_t ctaid[3], double weight)
{
    ptx_machine_run(e->machine, ctaid, 0, e->machine->warp_count);
    collect(e, weight);
    e->out->blocks_run++;
}

/* ---- which blocks ------------------------------------------------------------------------------------------------ */

static void run_all(Evaluator *e)
{
    const uint32_t *grid = e->machine->grid;
    uint32_t at[3];
    for (at[2] = 0; at[2] < grid[2]; at[2]++)
        for (at[1] = 0; at[1] < grid[1]; at[1]++)
            for (at[0] = 0; at[0] < grid[0]; at[0]++)
                run_block(e, at, 1);
}

/* One of each of `samples` equal parts of the class, at random in it: the same blocks each time. */
static void run_sample(Evaluator *e, const Class *c, uint32_t sample)
{
    double width = c->blocks / c->samples;
    double jitter = (double)(ptx_hash_mix(sample * UINT64_C(0x9e3779b97f4a7c15) + 1) >> 11) / (double)(UINT64_C(1) << 53);
    uint64_t index = (uint64_t)((sample + (c->samples >= c->blocks ? 0.0 : jitter)) * width);
    uint32_t at[3];
    for (unsigned d = 0; d < 3; d++) {
        at[d] = c->first[d] + (uint32_t)(index % c->count[d]);
        index /= c->count[d];
    }
    run_block(e, at, width);
}

static bool any_differs(const Evaluator *e)
{
    for (InsnId i = 0; i < e->machine->module->funcs[e->machine->kernel].insn_count; i++)
        if (e->insns[i].differs)
            return true;
    return false;
}

static void forget(Evaluator *e)
{
    for (InsnId i = 0; i < e->machine->module->funcs[e->machine->kernel].insn_count; i++)
        e->totals[i] = (Count){ .doubt = e->totals[i].doubt };
    e->out->blocks_run = 0;
}

/* Blocks of each class in proportion to what it stands for, within the budget; one of each at the least. */
static void run_classes(Evaluator *e, Class *classes, unsigned count, double affordable)
{
    for (unsigned c = 0; c < count; c++) {
        double share = floor((affordable - count) * classes[c].blocks / e->out->blocks);
        classes[c].samples = share < 1 ? 1 : share < classes[c].blocks ? (uint32_t)share : (uint32_t)classes[c].blocks;
        for (uint32_t sample = 0; sample < classes[c].samples; sample++)
            run_sample(e, &classes[c], sample);
    }
}

/* All blocks where the budget does for them. Else a few, and where these differ as many as it does for. */
static void run_samples(Evaluator *e, uint64_t most_steps)
{
    Class classes[MOST_CLASSES];
    unsigned count = make_classes(e->machine->grid, classes);
    Machine *m = e->machine;
    m->most_steps = most_steps;
    double few = count + SAMPLES_INSIDE;
    if (e->out->blocks <= few)
        run_all(e);
    else
        run_classes(e, classes, count, few);
    if (e->out->blocks <= few || m->is_cut)
        return;
    double cost = (double)m->steps / e->out->blocks_run, affordable = (double)(most_steps - m->steps) / cost;
    bool does_for_all = affordable >= e->out->blocks;
    if (!does_for_all && (affordable < 2 * few || !any_differs(e)))
        return;
    forget(e);
    if (does_for_all)
        run_all(e);
    else
        run_classes(e, classes, count, affordable);
}

/* Nobody knows the grid: a block or two stand for all. */
static void run_assumed(Evaluator *e, uint64_t most_steps, bool is_quick)
{
    static const uint32_t blocks[SAMPLES_ASSUMED][3] = { { 1, 1, 1 }, { 0, 0, 0 } };
    Machine *m = e->machine;
    unsigned count = is_quick ? 1 : SAMPLES_ASSUMED;
    for (unsigned b = 0; b < count; b++) {
        m->most_steps = m->steps + most_steps / count;
        if (is_quick && m->warp_count > QUICK_WARPS) {
            ptx_machine_run(m, blocks[b], 0, QUICK_WARPS - 1);
            collect(e, e->out->blocks);
            ptx_machine_run(m, blocks[b], m->warp_count - 1, 1);
            collect(e, e->out->blocks * (m->warp_count + 1 - QUICK_WARPS));      /* the last one stands for those between */
            e->out->blocks_run++;
        } else {
            run_block(e, blocks[b], e->out->blocks / count);
        }
    }
}

static double ratio_of(const Count *count)
{
    return count->active > 0 ? (count->sectors + count->wavefronts + count->addresses) / count->active : (double)INFINITY;
}

static bool takes_row(const Func *func)
{
    for (uint32_t o = 0; o < func->operand_count; o++)
        if (func->operands[o].kind == OPERAND_SREG && func->operands[o].id == SREG_TID && func->operands[o].value > 0)
            return false;
    return !func->has_calls;
}

/* Nobody knows the block either: figures are those of a row of threads, and findings have to hold for squares too. */
static void try_shapes(Evaluator *e, uint64_t most_steps)
{
    static const uint32_t shapes[][3] = { { 32, 8, 1 }, { 16, 16, 1 } };
    Machine *m = e->machine;
    const Func *func = &m->module->funcs[m->kernel];
    Count *own = e->totals;
    e->totals = ptx_arena_array(e->arena, Count, func->insn_count);
    uint32_t shape[3], run = e->out->blocks_run;
    memcpy(shape, m->block, sizeof shape);
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ptx_machine_reshape(m, shapes[i]);
        memset(e->totals, 0, func->insn_count * sizeof *e->totals);
        run_assumed(e, most_steps, true);
        for (InsnId k = 0; k < func->insn_count; k++) {
            double here = ratio_of(&e->totals[k]);
            if (here < e->insns[k].best_share)
                e->insns[k].best_share = here;
        }
    }
    e->totals = own;
    e->out->blocks_run = run;
    ptx_machine_reshape(m, shape);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static Certainty certainty_of(const Evaluator *e, const Evaluated *insn)
{
    bool is_sample = e->out->grid_is_assumed || (double)e->out->blocks_run < e->out->blocks;
    if (!(insn->total.requests > 0) || insn->total.doubt == DOUBT_ADDRESS)
        return CERTAINTY_UNKNOWN;
    if (insn->total.doubt || e->machine->is_cut || e->machine->block_is_assumed || is_sample)
        return CERTAINTY_ESTIMATE;
    return CERTAINTY_EXACT;
}

static void finish(Evaluator *e, const Func *func)
{
    Machine *m = e->machine;
    for (InsnId i = 0; i < func->insn_count; i++) {
        Evaluated *insn = &e->insns[i];
        insn->total = e->totals[i];
        insn->is_reached = insn->total.warps > 0;
        double here = ratio_of(&insn->total);
        insn->best_share = here < insn->best_share ? here : insn->best_share;
        insn->certainty = certainty_of(e, insn);
    }
    e->out->is_cut = m->is_cut;
}

const Evaluation *ptx_evaluate(Arena *arena, Arena *work, Arena *scratch, Program *program, FuncId kernel, const Launch *launch, const Gpu *gpu, uint64_t most_steps,
                               bool is_quick)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    const Func *func = &program->module->funcs[kernel];
    if (!func->has_body || !func->insn_count || func->has_syntax_error)
        return NULL;
    Evaluation *out = ptx_arena_new(arena, Evaluation);
    Evaluated *insns = ptx_arena_array(arena, Evaluated, func->insn_count);
    ArenaMark mark = ptx_arena_mark(work);
    Machine *m = ptx_machine_new(work, scratch, program, kernel, launch ? launch : &nothing, gpu);
    if (is_quick)
        m->most_stays = QUICK_STAYS;
    Evaluator e = { .machine = m, .insns = insns, .out = out, .arena = work };
    e.totals = ptx_arena_array(work, Count, func->insn_count);
    e.first_ratio = ptx_arena_array(work, double, func->insn_count);
    for (InsnId i = 0; i < func->insn_count; i++)
        e.first_ratio[i] = (double)NAN;
    for (InsnId i = 0; i < func->insn_count; i++)
        insns[i].best_share = (double)INFINITY;
    *out = (Evaluation){ .insns = insns, .block_is_assumed = m->block_is_assumed, .grid_is_assumed = m->grid_is_assumed };
    out->is_row = takes_row(func);
    out->blocks = (double)m->grid[0] * m->grid[1] * m->grid[2];
    if (m->grid_is_assumed && most_steps > EVALUATE_STEPS_ASSUMED)
        most_steps = EVALUATE_STEPS_ASSUMED;
    if (m->grid_is_assumed)
        run_assumed(&e, most_steps, is_quick);
    else
        run_samples(&e, most_steps);
    if (m->block_is_assumed && m->grid_is_assumed && !func->bounds.maxntid[0] && !out->is_row)
        try_shapes(&e, most_steps / 4);
    finish(&e, func);
    ptx_machine_end(m);
    ptx_arena_release(work, mark);
    return out;
}
