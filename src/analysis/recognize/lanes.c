/* What the lanes of a warp combine by shuffles: reductions and scans.
 *
 *     y = shfl.bfly x, d;  x' = x op y        or shfl.down
 *     y, p = shfl.up x, d;  p: y = y op x     where p is false, y is x
 *     y = shfl.up x, d;  x' = lane < d ? x : x op y
 *     y = shfl.up x, d;  x' = x + (lane < d ? 0 : y)
 *
 * Steps in a chain, each x the result of the one before, with d = 1, 2, 4, ... in any order, give
 * each lane of a group, the first one, or each one up to itself, the value of all of them. */
#include "analysis/recognize/lanes.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"

enum { LANE_COPIES = 8 };       /* that a value is followed through */

const Operand *ptx_lane_operand(const Func *func, InsnId id, unsigned n)
{
    const Insn *insn = &func->insns[id];
    const Operand *at = ptx_insn_operands(func, insn), *end = at + insn->operand_count;
    while (at < end && (at->position != n || ptx_operand_is_def(at)))
        at++;
    return at < end ? at : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Of a shuffle, a number where it is one. */
static bool find_lane_number(const Recognizer *r, InsnId id, unsigned position, uint64_t *number)
{
    const Operand *operand = ptx_lane_operand(r->flow->func, id, position);
    if (!operand || (operand->kind != OPERAND_INT && operand->kind != OPERAND_REG))
        return false;
    *number = (uint32_t)ptx_operand_value(operand);
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

InsnId ptx_lane_source(const LaneWalk *w, InsnId id, const Operand *operand)
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

/* The register, and the place behind copies: floats are copied to integers to be shuffled. */
bool ptx_lane_is_value_of(const LaneWalk *w, InsnId id, const Operand *operand, InsnId shuffle)
{
    const Recognizer *r = w->r;
    const Operand *shuffled = ptx_lane_operand(r->flow->func, shuffle, 1);
    if (!shuffled || shuffled->kind != OPERAND_REG || operand->kind != OPERAND_REG
        || operand->flags || shuffled->flags)
        return false;
    const InsnId from = ptx_lane_source(w, id, operand);
    if (from != NO_ID && from == ptx_lane_source(w, shuffle, shuffled))
        return true;
    return ptx_ssa_value_before(r->reader.ssa, operand->id, id)
           == ptx_ssa_value_before(r->reader.ssa, shuffled->id, shuffle);
}

/* ---- steps ----------------------------------------------------------------------------------- */

bool ptx_lane_read_shuffle(const LaneWalk *w, InsnId id, LaneStep *out)
{
    static const uint8_t modes[] = { MOD_BFLY, MOD_DOWN, MOD_UP };
    const Insn *insn = &w->r->flow->func->insns[id];
    uint64_t control, mask = UINT32_MAX;
    out->mode = MOD_NONE;
    for (size_t m = 0; m < sizeof modes; m++)
        if (ptx_op_has(insn->op, (Modifier)modes[m]))
            out->mode = modes[m];
    if (insn->op->operation != OP_SHFL || !out->mode || insn->guard != NO_ID
        || !find_lane_number(w->r, id, 3, &control)
        || (ptx_op_has(insn->op, MOD_SYNC) && !find_lane_number(w->r, id, 4, &mask)))
        return false;
    const uint64_t clamp = out->mode == MOD_UP ? 0 : WARP - 1;
    const uint64_t width = WARP - (control >> 8 & (WARP - 1));
    out->width = (uint8_t)width;
    return !(width & (width - 1)) && (control & (WARP - 1)) == clamp
           && (uint32_t)mask == UINT32_MAX;
}

/* The same by a power of two. */
static bool read_shuffle(const LaneWalk *w, InsnId id, LaneStep *out)
{
    uint64_t distance;
    if (!ptx_lane_read_shuffle(w, id, out) || !find_lane_number(w->r, id, 2, &distance))
        return false;
    out->distance = (uint8_t)distance;
    return distance && distance < WARP && !(distance & (distance - 1));
}

bool ptx_lane_is_operation(const Insn *insn)
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
    const InsnId shuffle = ptx_lane_source(w, id, &operands[3 - x]);
    if (shuffle == NO_ID || !read_shuffle(w, shuffle, out)
        || !ptx_lane_is_value_of(w, id, &operands[x], shuffle))
        return false;
    if (out->mode == MOD_UP ? !is_guarded_by_shuffle(w, id, shuffle) : insn->guard != NO_ID)
        return false;
    out->step = (uint8_t)ptx_recognizer_step(insn);
    out->before = ptx_lane_source(w, id, &operands[x]);
    return true;
}

/* ---- steps by selection ---------------------------------------------------------------------- */

bool ptx_lane_is_index(const Recognizer *r, SymId id)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    const Sym *sym = ptx_sym(s, id);
    uint64_t mask = 0;
    if (sym->kind == SYM_SREG)
        return sym->a == SREG_LANEID;
    if (sym->kind != SYM_AND || r->asks_for_row)
        return false;
    bool is_right = ptx_sym_is_const(s, sym->b, &mask);
    const Sym *index = ptx_sym(s, is_right ? sym->a : sym->b);
    return (is_right || ptx_sym_is_const(s, sym->a, &mask)) && mask == WARP - 1
           && index->kind == SYM_SREG && index->a == SREG_TID && !index->b;
}

/* Whether the predicate is true for the lanes below a number, or for the others alone. */
static bool is_lane_below(const Recognizer *r, SymId id, uint64_t number, bool *is_below)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    const Sym *sym = ptx_sym(s, id);
    uint64_t with = 0;
    bool is_left = ptx_lane_is_index(r, sym->a);
    bool is_known = (is_left || ptx_lane_is_index(r, sym->b))
                    && ptx_sym_is_const(s, is_left ? sym->b : sym->a, &with);
    bool is_equal = sym->kind == SYM_LE_U || sym->kind == SYM_LE_S;
    bool is_order = sym->kind >= SYM_LT_U && sym->kind <= SYM_LE_S;
    *is_below = is_left;
    if (is_known && is_order)
        return (uint32_t)with + (is_left == is_equal) == number;
    *is_below = sym->kind == SYM_EQ;
    return is_known && (sym->kind == SYM_EQ || sym->kind == SYM_NE) && !with && number == 1;
}

/* Of a selection by the lane: the place of what lanes from the distance on take; 0: none. */
static unsigned place_of_upper_lanes(const LaneWalk *w, InsnId id, uint64_t distance)
{
    const Recognizer *r = w->r;
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    bool is_below;
    if (insn->op->operation != OP_SELP || insn->operand_count != 4 || insn->guard != NO_ID
        || operands[3].kind != OPERAND_REG
        || !is_lane_below(r, ptx_ssa_value_before(r->reader.ssa, operands[3].id, id), distance,
                          &is_below))
        return 0;
    bool is_negated = operands[3].flags & OPERAND_NEGATED;
    return is_below == is_negated ? 1 : 2;
}

/* x op y, y of another lane, for an operation whose result is selected or not. */
static bool read_scan_sum(const LaneWalk *w, InsnId sum, unsigned x, LaneStep *out)
{
    const Insn *insn = &w->r->flow->func->insns[sum];
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    const InsnId shuffle = ptx_lane_source(w, sum, &operands[3 - x]);
    if (shuffle == NO_ID || !read_shuffle(w, shuffle, out) || out->mode != MOD_UP
        || out->width != WARP || !ptx_lane_is_value_of(w, sum, &operands[x], shuffle))
        return false;
    out->step = (uint8_t)ptx_recognizer_step(insn);
    out->before = ptx_lane_source(w, sum, &operands[x]);
    return true;
}

/* lane < d ? x : x op y */
static bool read_selected_step(const LaneWalk *w, InsnId id, unsigned x, LaneStep *out)
{
    const Func *func = w->r->flow->func;
    const Operand *operands = ptx_insn_operands(func, &func->insns[id]);
    for (unsigned place = 1; place <= 2 && func->insns[id].operand_count == 4; place++) {
        const InsnId sum = ptx_lane_source(w, id, &operands[place]);
        if (sum == NO_ID || !ptx_lane_is_operation(&func->insns[sum])
            || func->insns[sum].guard != NO_ID || !read_scan_sum(w, sum, x, out)
            || place_of_upper_lanes(w, id, out->distance) != place)
            continue;
        const Operand *other = &ptx_insn_operands(func, &func->insns[sum])[3 - x];
        return ptx_lane_is_value_of(w, id, &operands[3 - place], ptx_lane_source(w, sum, other));
    }
    return false;
}

/* The shuffle that a selection takes where it does not take 0; NO_ID: there is none. */
static InsnId find_selected_shuffle(const LaneWalk *w, InsnId selection, LaneStep *out)
{
    const Func *func = w->r->flow->func;
    const Operand *operands = ptx_insn_operands(func, &func->insns[selection]);
    for (unsigned place = 1; place <= 2 && func->insns[selection].op->operation == OP_SELP;
         place++) {
        const InsnId shuffle = ptx_lane_source(w, selection, &operands[place]);
        const Operand *other = &operands[3 - place];
        if (shuffle != NO_ID && other->kind == OPERAND_INT && !ptx_operand_value(other)
            && read_shuffle(w, shuffle, out) && out->mode == MOD_UP && out->width == WARP
            && place_of_upper_lanes(w, selection, out->distance) == place)
            return shuffle;
    }
    return NO_ID;
}

/* x + (lane < d ? 0 : y) */
static bool read_added_step(const LaneWalk *w, InsnId id, unsigned x, LaneStep *out)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    const Step step = ptx_recognizer_step(insn);
    bool keeps = step == STEP_ADD || step == STEP_OR || step == STEP_XOR;
    if (!keeps || insn->guard != NO_ID)
        return false;
    const InsnId selection = ptx_lane_source(w, id, &operands[3 - x]);
    const InsnId shuffle =
        selection == NO_ID ? NO_ID : find_selected_shuffle(w, selection, out);
    if (shuffle == NO_ID || !ptx_lane_is_value_of(w, id, &operands[x], shuffle))
        return false;
    out->step = (uint8_t)step;
    out->before = ptx_lane_source(w, id, &operands[x]);
    return true;
}

static bool read_any_step(const LaneWalk *w, InsnId id, LaneStep *out)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    for (unsigned x = 1; x <= 2; x++) {
        if (insn->op->operation == OP_SELP && read_selected_step(w, id, x, out))
            return true;
        if (ptx_lane_is_operation(insn)
            && (read_step(w, id, x, out) || read_added_step(w, id, x, out)))
            return true;
    }
    return false;
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
    if (!lanes || w->r->block_rows[id])
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
    if (insn->op->operation != OP_REDUX || step == STEP_OTHER || w->r->block_rows[id]
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
        if (!read_any_step(&w, i, &step))
            continue;
        w.steps[i] = step;
        if (step_before(&w, &step))
            w.steps[step.before].is_before = true;
    }
    for (InsnId i = 0; r->has_arrays && i < count; i++) {
        add_redux(&w, i);
        ptx_lane_add_loop(&w, i);
        if (w.steps[i].step && !w.steps[i].is_before)
            add_chain(&w, i);
    }
}
