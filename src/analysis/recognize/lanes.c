/* What the lanes of a warp combine by shuffles: reductions and scans.
 *
 *     y = shfl.bfly x, d;  x' = x op y        or shfl.down
 *     y, p = shfl.up x, d;  p: y = y op x     where p is false, y is x
 *
 * Steps in a chain, each x the result of the one before, with d = 1, 2, 4, ... in any order, give
 * each lane of a group, the first one, or each one up to itself, the value of all of them. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"

enum {
    LANE_STEPS = 5,             /* of a chain: 32 lanes */
    LANE_COPIES = 8,            /* that a value is followed through */
    WARP = 32,
};

/* One step, at the instruction that combines. */
typedef struct LaneStep {
    InsnId before;              /* the step that x comes from; NO_ID: none is known */
    uint8_t step;               /* Step; STEP_OTHER: it is none */
    uint8_t mode;               /* Modifier: MOD_BFLY, MOD_DOWN, MOD_UP */
    uint8_t distance, width;    /* lanes; of a segment */
    bool is_before;             /* another step goes on from it */
} LaneStep;

typedef struct LaneWalk {
    Recognizer *r;
    LaneStep *steps;            /* per instruction */
} LaneWalk;

/* Source n of a shuffle or redux, from 1 on: the destination and its predicate share a position. */
static const Operand *find_lane_operand(const Func *func, InsnId id, unsigned n)
{
    const Insn *insn = &func->insns[id];
    const Operand *at = ptx_insn_operands(func, insn), *end = at + insn->operand_count;
    while (at < end && (at->position != n || ptx_operand_is_def(at)))
        at++;
    return at < end ? at : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool find_lane_number(const Recognizer *r, InsnId id, unsigned position, uint64_t *number)
{
    const Operand *operand = find_lane_operand(r->flow->func, id, position);
    if (!operand || (operand->kind != OPERAND_INT && operand->kind != OPERAND_REG))
        return false;
    *number = (uint32_t)operand->value;
    return operand->kind == OPERAND_INT
           || ptx_sym_is_const(ptx_ssa_symbols(r->reader.ssa),
                               ptx_ssa_value_before(r->reader.ssa, operand->id, id), number);
}

/* Where the guard of a step is false, what its shuffle gave stays: both reach what reads it. */
static InsnId source_of_guarded_step(const LaneWalk *w, InsnId id, RegId reg)
{
    const Recognizer *r = w->r;
    InsnId found = NO_ID;
    uint32_t count = 0;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind != DEPENDENCE_REGISTER || item->name != reg)
            continue;
        count++;
        if (!item->is_carried && w->steps[item->from].mode == MOD_UP)
            found = item->from;
    }
    return count == 2 ? found : NO_ID;
}

/* What computed a register that an instruction reads, behind copies; NO_ID: not known. */
static InsnId lane_source(const LaneWalk *w, InsnId id, const Operand *operand)
{
    const Func *func = w->r->flow->func;
    for (unsigned i = 0; i < LANE_COPIES; i++) {
        if (operand->kind != OPERAND_REG || operand->flags)
            return NO_ID;
        const InsnId from = ptx_recognizer_source(w->r, id, operand->id);
        if (from == NO_ID)
            return source_of_guarded_step(w, id, operand->id);
        const Insn *insn = &func->insns[from];
        if (insn->op->operation != OP_MOV || insn->operand_count != 2 || insn->guard != NO_ID)
            return from;
        operand = &ptx_insn_operands(func, insn)[1];
        id = from;
    }
    return NO_ID;
}

/* The register and the place behind copies; floats are copied to integers to be shuffled. */
static bool is_value_of(const LaneWalk *w, InsnId id, const Operand *operand, InsnId shuffle)
{
    const Recognizer *r = w->r;
    const Operand *shuffled = find_lane_operand(r->flow->func, shuffle, 1);
    if (!shuffled || shuffled->kind != OPERAND_REG || operand->kind != OPERAND_REG
        || operand->flags || shuffled->flags)
        return false;
    const InsnId from = lane_source(w, id, operand);
    if (from != NO_ID && from == lane_source(w, shuffle, shuffled))
        return true;
    return ptx_ssa_value_before(r->reader.ssa, operand->id, id)
           == ptx_ssa_value_before(r->reader.ssa, shuffled->id, shuffle);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A shuffle of all lanes by a power of two, within segments. */
static bool read_shuffle(const LaneWalk *w, InsnId id, LaneStep *out)
{
    static const uint8_t modes[] = { MOD_BFLY, MOD_DOWN, MOD_UP };
    const Insn *insn = &w->r->flow->func->insns[id];
    uint64_t distance, control, mask = UINT32_MAX;
    out->mode = MOD_NONE;
    for (size_t m = 0; m < sizeof modes; m++)
        if (ptx_op_has(insn->op, (Modifier)modes[m]))
            out->mode = modes[m];
    if (insn->op->operation != OP_SHFL || !out->mode || insn->guard != NO_ID
        || !find_lane_number(w->r, id, 2, &distance) || !find_lane_number(w->r, id, 3, &control)
        || (ptx_op_has(insn->op, MOD_SYNC) && !find_lane_number(w->r, id, 4, &mask)))
        return false;
    const uint64_t clamp = out->mode == MOD_UP ? 0 : WARP - 1;
    const uint64_t width = WARP - (control >> 8 & (WARP - 1));
    out->distance = (uint8_t)distance;
    out->width = (uint8_t)width;
    return distance && distance < WARP && !(distance & (distance - 1)) && !(width & (width - 1))
           && (control & (WARP - 1)) == clamp && (uint32_t)mask == UINT32_MAX;
}

static bool is_lane_operation(const Insn *insn)
{
    const Step step = ptx_recognizer_step(insn);
    bool is_plain = step == STEP_MUL || (step >= STEP_MIN && step <= STEP_XOR)
                    || insn->op->operation == OP_ADD;
    return is_plain && step != STEP_OTHER && insn->operand_count == 3;
}

/* Of a scan: the guard is the shuffle's, and the result goes to where the shuffle's is. */
static bool is_guarded_by_shuffle(const LaneWalk *w, InsnId id, InsnId shuffle)
{
    const Func *func = w->r->flow->func;
    const Insn *insn = &func->insns[id], *from = &func->insns[shuffle];
    const Operand *operands = ptx_insn_operands(func, from);
    bool is_pair = false;
    for (uint32_t o = 0; o < from->operand_count; o++)
        is_pair |= operands[o].flags & OPERAND_RIGHT && operands[o].id == insn->guard;
    return is_pair && !insn->guard_negated
           && ptx_insn_operands(func, insn)[0].id == operands[0].id
           && ptx_recognizer_source(w->r, id, insn->guard) == shuffle;
}

/* x op y, where y is x of another lane. */
static bool read_step(const LaneWalk *w, InsnId id, unsigned x, LaneStep *out)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    const InsnId shuffle = lane_source(w, id, &operands[3 - x]);
    if (shuffle == NO_ID || !read_shuffle(w, shuffle, out)
        || !is_value_of(w, id, &operands[x], shuffle))
        return false;
    if (out->mode == MOD_UP ? !is_guarded_by_shuffle(w, id, shuffle) : insn->guard != NO_ID)
        return false;
    out->step = (uint8_t)ptx_recognizer_step(insn);
    out->before = lane_source(w, id, &operands[x]);
    return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static const LaneStep *step_before(const LaneWalk *w, const LaneStep *at)
{
    const LaneStep *before = at->before == NO_ID ? NULL : &w->steps[at->before];
    bool is_same = before && before->step == at->step && before->mode == at->mode
                   && before->width == at->width;
    return is_same ? before : NULL;
}

/* The lanes that a chain combines; 0: its distances are not 1, 2, 4, ... */
static uint32_t lanes_of_chain(const LaneWalk *w, const LaneStep *last, uint32_t *count)
{
    uint32_t distances = 0;
    *count = 0;
    for (const LaneStep *at = last; at && *count <= LANE_STEPS; at = step_before(w, at)) {
        if (distances & at->distance)
            return 0;
        distances |= at->distance;
        ++*count;
    }
    const uint32_t lanes = 1u << *count;
    bool is_whole = last->mode == MOD_BFLY ? lanes <= last->width : lanes == last->width;
    return *count > 1 && distances == lanes - 1 && is_whole ? lanes : 0;
}

static void add_chain(LaneWalk *w, InsnId id)
{
    const FuncFlow *flow = w->r->flow;
    const LaneStep *last = &w->steps[id];
    uint32_t count;
    const uint32_t lanes = lanes_of_chain(w, last, &count);
    if (!lanes)
        return;
    bool is_scan = last->mode == MOD_UP;
    const Recognized row = {
        .loop = flow->loops->loop_of[flow->cfg->block_of[id]], .insn = id,
        .reg = ptx_insn_operands(flow->func, &flow->func->insns[id])[0].id, .array = NO_ID,
        .class = (uint8_t)(is_scan ? RECOGNIZED_WARP_SCAN : RECOGNIZED_WARP_REDUCTION),
        .operation = ptx_recognizer_step_text((Step)last->step), .insn_count = count,
        .lanes = lanes,
    };
    w->r->owner[id] = w->r->count + 1;
    for (const LaneStep *at = last; at && at->before != NO_ID; at = step_before(w, at))
        if (step_before(w, at))
            w->r->owner[at->before] = w->r->count + 1;
    ptx_recognizer_add(w->r, &row, 0);
}

/* redux.sync of all lanes. */
static void add_redux(LaneWalk *w, InsnId id)
{
    const FuncFlow *flow = w->r->flow;
    const Insn *insn = &flow->func->insns[id];
    const Step step = ptx_recognizer_named_step(insn->op);
    uint64_t mask;
    if (insn->op->operation != OP_REDUX || step == STEP_OTHER
        || !find_lane_number(w->r, id, 2, &mask) || (uint32_t)mask != UINT32_MAX)
        return;
    const Recognized row = { .loop = flow->loops->loop_of[flow->cfg->block_of[id]], .insn = id,
                             .reg = ptx_insn_operands(flow->func, insn)[0].id, .array = NO_ID,
                             .class = RECOGNIZED_WARP_REDUCTION, .insn_count = 1, .lanes = WARP,
                             .operation = ptx_recognizer_step_text(step) };
    w->r->owner[id] = w->r->count + 1;
    ptx_recognizer_add(w->r, &row, 0);
}

/* In order of the text: the steps of a chain are found one behind the other. */
void ptx_recognizer_lanes(Recognizer *r)
{
    const uint32_t count = r->flow->func->insn_count;
    LaneWalk w = { r, ptx_arena_array(r->scratch, LaneStep, count + 1) };
    for (InsnId i = 0; r->has_arrays && i < count; i++) {
        LaneStep step = { .before = NO_ID };
        if (!is_lane_operation(&r->flow->func->insns[i])
            || (!read_step(&w, i, 1, &step) && !read_step(&w, i, 2, &step)))
            continue;
        w.steps[i] = step;
        if (step_before(&w, &step))
            w.steps[step.before].is_before = true;
    }
    for (InsnId i = 0; r->has_arrays && i < count; i++) {
        add_redux(&w, i);
        if (w.steps[i].step && !w.steps[i].is_before)
            add_chain(&w, i);
    }
}
