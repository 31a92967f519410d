#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"

#include <stdlib.h>

enum {
    WALK_PER_INSN = 256, WALK_FLOOR = 1 << 16,  /* steps back from stores, of a function */
    MAX_EVALUATIONS = 1 << 22   /* of operations for a thread, of a function */
};

/* ---- one instruction ------------------------------------------------------------------------- */

static const char *const step_text[STEP__COUNT] = {
    [STEP_ADD] = "add", [STEP_MUL] = "mul", [STEP_SHIFT] = "shl", [STEP_LINEAR] = "fma",
    [STEP_MIN] = "min", [STEP_MAX] = "max", [STEP_AND] = "and", [STEP_OR] = "or",
    [STEP_XOR] = "xor",
};

const char *ptx_recognizer_step_text(Step step)
{
    return step_text[step];
}

static Step step_of_operation(const Insn *insn)
{
    switch ((Operation)insn->op->operation) {
    case OP_MOV: return STEP_COPY;
    case OP_ADD: case OP_SUB: case OP_MAD: case OP_FMA: return STEP_ADD;
    case OP_MUL: return STEP_MUL;
    case OP_SHL: return STEP_SHIFT;
    case OP_MIN: return STEP_MIN;
    case OP_MAX: return STEP_MAX;
    case OP_AND: return STEP_AND;
    case OP_OR: return STEP_OR;
    case OP_XOR: return STEP_XOR;
    default: return STEP_OTHER;
    }
}

/* Adds and products that keep all bits, and do not saturate or carry. */
static bool keeps_all_bits(const Insn *insn)
{
    static const uint8_t others[] = { MOD_SAT, MOD_CC, MOD_HI, MOD_WIDE, MOD_ABS, MOD_RELU,
                                      MOD_NONE };
    const Op *op = insn->op;
    bool is_wide_mad = op->operation == OP_MAD && ptx_op_has(op, MOD_WIDE);
    return is_wide_mad ? !ptx_op_has(op, MOD_CC) && !ptx_op_has(op, MOD_SAT)
                       : !ptx_op_has_any(op, others);
}

Step ptx_recognizer_step(const Insn *insn)
{
    return keeps_all_bits(insn) ? step_of_operation(insn) : STEP_OTHER;
}

Step ptx_recognizer_step_at(const Insn *insn, int place)
{
    const Step step = ptx_recognizer_step(insn);
    if (step == STEP_OTHER)
        return step;
    switch ((Operation)insn->op->operation) {
    case OP_SUB: case OP_SHL:
        return place == 1 ? step : STEP_OTHER;
    case OP_MAD: case OP_FMA:
        return place == 3 ? STEP_ADD : STEP_LINEAR;
    default:
        return step;
    }
}

Step ptx_recognizer_join_steps(Step a, Step b)
{
    const unsigned linear = 1u << STEP_ADD | 1u << STEP_MUL | 1u << STEP_SHIFT | 1u << STEP_LINEAR;
    if (a == STEP_COPY || a == b)
        return b;
    if (b == STEP_COPY)
        return a;
    return linear >> a & linear >> b & 1 ? STEP_LINEAR : STEP_OTHER;
}

/* ---- where it stands ------------------------------------------------------------------------- */

LoopId ptx_recognizer_level_loop(const Recognizer *r, InsnId insn)
{
    LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[insn]];
    return loop == NO_LOOP ? NO_LOOP : r->outer[loop];
}

static bool dominates_latches(const Recognizer *r, BlockId block, LoopId loop)
{
    const Cfg *cfg = r->flow->cfg;
    const Block *header = &cfg->blocks[r->flow->loops->loops[loop].header];
    for (uint32_t p = 0; p < header->pred_count; p++) {
        const BlockId from = cfg->preds[header->pred_first + p];
        if (ptx_loop_holds(r->flow->loops, loop, from)
            && !ptx_dom_dominates(r->flow->dom, block, from))
            return false;
    }
    return true;
}

bool ptx_recognizer_is_unconditional(const Recognizer *r, InsnId insn)
{
    const BlockId block = r->flow->cfg->block_of[insn];
    const LoopId loop = r->flow->loops->loop_of[block];
    return r->flow->func->insns[insn].guard == NO_ID && dominates_latches(r, block, loop);
}

InsnId ptx_recognizer_source(const Recognizer *r, InsnId insn, RegId reg)
{
    InsnId source = NO_ID;
    for (uint32_t d = r->first[insn]; d < r->first[insn + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind != DEPENDENCE_REGISTER || item->name != reg)
            continue;
        if (source != NO_ID || item->is_carried)
            return NO_ID;
        source = item->from;
    }
    return source;
}

bool ptx_recognizer_spend(Recognizer *r, uint64_t steps)
{
    bool has_left = r->budget >= steps;
    r->budget -= has_left ? steps : 0;
    return has_left;
}

void ptx_recognizer_add(Recognizer *r, const Recognized *item, uint32_t component)
{
    if (r->count == r->id_capacity)
        r->item_component = ptx_arena_grow(r->scratch, r->item_component, r->count,
                                           &r->id_capacity, sizeof *r->item_component);
    if (r->count == r->capacity)
        r->items = ptx_arena_grow(r->arena, r->items, r->count, &r->capacity, sizeof *r->items);
    r->item_component[r->count] = component;
    r->items[r->count] = *item;
    r->items[r->count].number = r->count;
    r->count++;
}

RecognizedClass ptx_recognizer_refuse(Recognized *out, const char *why)
{
    out->why = why;
    return RECOGNIZED_NONE;
}

static void index_dependences(Recognizer *r)
{
    for (uint32_t d = 0; d < r->all.count; d++)
        r->first[r->all.items[d].to + 1]++;
    for (InsnId i = 0; i < r->flow->func->insn_count; i++)
        r->first[i + 1] += r->first[i];
}

static void begin_recognizer(Recognizer *r)
{
    const uint32_t count = r->flow->func->insn_count;
    const uint32_t loop_count = r->flow->loops->loop_count;
    r->first = ptx_arena_array(r->scratch, uint32_t, count + 2);
    r->outer = ptx_arena_array(r->scratch, LoopId, loop_count + 1);
    r->below = ptx_arena_array(r->scratch, LoopId, loop_count + 1);
    r->component = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->owner = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->reg_component = ptx_arena_array(r->scratch, uint32_t, r->flow->func->reg_count + 1);
    r->order = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->low = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->next = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->stack = ptx_arena_array(r->scratch, InsnId, count + 1);
    r->calls = ptx_arena_array(r->scratch, InsnId, count + 1);
    r->is_linear = ptx_arena_array(r->scratch, bool, count + 1);
    r->selection = ptx_arena_array(r->scratch, CompareSelect, count + 1);
    r->is_location = ptx_arena_array(r->scratch, bool, count + 1);
    r->marks = ptx_arena_array(r->scratch, uint8_t, count + 1);
    r->subscripts = ptx_arena_array(r->scratch, const Subscript *, count + 1);
    r->rests = ptx_arena_array(r->scratch, uint64_t, count + 1);
    r->is_read = ptx_arena_array(r->scratch, bool, count + 1);
    r->is_decided = ptx_arena_array(r->scratch, bool, r->flow->cfg->block_count + 1);
    r->stamps = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->evaluations = MAX_EVALUATIONS;
    r->budget = WALK_FLOOR + (uint64_t)WALK_PER_INSN * count;
    index_dependences(r);
}

static int compare_recognized(const void *a, const void *b)
{
    const Recognized *x = a, *y = b;
    const uint64_t outer = (uint64_t)x->loop + 1, other = (uint64_t)y->loop + 1;
    int order = ((uint32_t)outer > (uint32_t)other) - ((uint32_t)outer < (uint32_t)other);
    order = order ? order : (x->insn > y->insn) - (x->insn < y->insn);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static const uint32_t *number_rows(const Recognizer *r)
{
    uint32_t *row_of = ptx_arena_array(r->scratch, uint32_t, r->count + 1);
    for (uint32_t i = 0; i < r->count; i++)
        row_of[r->items[i].number] = i;
    return row_of;
}

Recognitions ptx_recognize(Arena *arena, Arena *scratch, const FuncFlow *flow,
                           const uint32_t *block, RecognizedLinks *links, Fission *fission)
{
    Recognizer r = { .arena = arena, .scratch = scratch, .flow = flow,
                     .defs = ptx_defs_of(scratch, flow) };
    r.all = ptx_dependences_but_memory_compute(arena, scratch, flow);
    if (fission)
        *fission = (Fission){ 0 };
    if (r.all.is_cut)
        return (Recognitions){ .is_cut = true };
    const ArenaMark mark = ptx_arena_mark(scratch);
    begin_recognizer(&r);
    ptx_recognizer_rests(&r);
    ptx_recognizer_components(&r);
    ptx_recognizer_run_block(&r, block);
    ptx_recognizer_trees(&r);
    ptx_recognizer_blocks(&r);
    ptx_recognizer_arrays(&r);
    ptx_recognizer_lanes(&r);
    ptx_recognizer_advise(&r);
    if (r.count)
        qsort(r.items, r.count, sizeof *r.items, compare_recognized);
    if (links)
        *links = ptx_recognizer_links(&r, number_rows(&r));
    if (fission)
        ptx_recognizer_fission(&r, fission);
    ptx_arena_release(scratch, mark);
    return (Recognitions){ .items = r.items, .count = r.count };
}
