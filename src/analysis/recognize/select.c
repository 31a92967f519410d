/* Minima and maxima that a comparison and a selection make, and where they were.
 *
 *     setp.gt p, x, v;  selp v, x, v, p       or  @p mov v, x
 *
 * Of an unrolled loop several, one behind the other, by selp.
 *
 * The instructions of the component, in order, are evaluated on three values: the variable, the
 * other value, and which of them a predicate says is greater. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"

enum { SELECT_INSNS = 64 };     /* of a component that are looked at */

typedef struct SelectWalk {
    const Recognizer *r;
    const Cycle *cycle;
    InsnId compare;             /* the last one; NO_ID: none yet */
    const Operand *variable, *other;    /* that it compares */
    InsnId selected;            /* the last selection; NO_ID: none yet */
    InsnId compares[SELECT_INSNS];
    uint32_t compare_count;
    bool is_less;               /* the predicate says that the variable is less than the other */
    bool takes_new_where;       /* of the predicate */
    bool is_max;
    uint32_t selections;
} SelectWalk;

/* 1: the first operand is less; -1: greater; 0: not a comparison of order. */
static int order_of_comparison(const Op *op)
{
    static const uint8_t less[] = { MOD_LT, MOD_LE, MOD_LO, MOD_LS, MOD_LTU, MOD_LEU, MOD_NONE };
    static const uint8_t greater[] = { MOD_GT, MOD_GE, MOD_HI, MOD_HS, MOD_GTU, MOD_GEU, MOD_NONE };
    static const uint8_t combined[] = { MOD_AND, MOD_OR, MOD_XOR, MOD_NONE };
    if (op->kind != OPK_SETP || ptx_op_has_any(op, combined))
        return 0;
    if (ptx_op_has_any(op, less))
        return 1;
    return ptx_op_has_any(op, greater) ? -1 : 0;
}

/* The same value at both: the same register from the same definitions. */
static bool is_same_value(const Recognizer *r, InsnId a, const Operand *x, InsnId b,
                          const Operand *y)
{
    if (x->kind != y->kind || x->flags || y->flags)
        return false;
    if (x->kind != OPERAND_REG)
        return ptx_operand_value(x) == ptx_operand_value(y)
               && (x->kind == OPERAND_INT || x->kind == OPERAND_F32 || x->kind == OPERAND_F64);
    const InsnId from = ptx_recognizer_source(r, a, x->id);
    return x->id == y->id && from != NO_ID && from == ptx_recognizer_source(r, b, y->id);
}

static bool take_comparison(SelectWalk *w, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    const int order = order_of_comparison(insn->op);
    if (!order || w->compare_count != w->selections || insn->operand_count != 3
        || insn->guard != NO_ID)
        return false;
    bool is_first = ptx_recognizer_is_of_cycle(w->r, w->cycle, &operands[1]);
    if (is_first == ptx_recognizer_is_of_cycle(w->r, w->cycle, &operands[2]))
        return false;
    w->compare = w->compares[w->compare_count++] = id;
    w->variable = &operands[is_first ? 1 : 2];
    if (w->selections && (w->variable->kind != OPERAND_REG || w->variable->flags
                          || ptx_recognizer_source(w->r, id, w->variable->id) != w->selected))
        return false;
    w->other = &operands[is_first ? 2 : 1];
    w->is_less = (order > 0) == is_first;
    return true;
}

/* The other value replaces the variable where the predicate is as said. */
static bool take_selection(SelectWalk *w, InsnId id, const Operand *new, bool where)
{
    bool is_max = w->is_less == where;
    if (w->selections == w->compare_count
        || !is_same_value(w->r, w->compare, w->other, id, new)
        || (w->selections && (w->is_max != is_max || w->takes_new_where != where)))
        return false;
    w->takes_new_where = where;
    w->is_max = is_max;
    w->selected = id;
    w->selections++;
    return true;
}

bool ptx_recognizer_compares_copied(const Recognizer *r, InsnId compare, InsnId copy,
                                    CompareSelect *out)
{
    const Func *func = r->flow->func;
    const Insn *insn = &func->insns[compare];
    const Operand *operands = ptx_insn_operands(func, insn);
    const Operand *copied = ptx_insn_operands(func, &func->insns[copy]);
    const int order = order_of_comparison(insn->op);
    if (!order || insn->operand_count != 3 || insn->guard != NO_ID)
        return false;
    for (unsigned at = 1; at <= 2; at++) {
        const Operand *variable = &operands[at], *other = &operands[3 - at];
        if (variable->kind != OPERAND_REG || variable->id != copied[0].id || variable->flags
            || !is_same_value(r, compare, other, copy, &copied[1]))
            continue;
        out->variable = variable->id;
        out->is_max = ((order > 0) == (at == 1)) == out->takes_new_where;
        return true;
    }
    return false;
}

static bool take_selp(SelectWalk *w, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    if (insn->operand_count != 4 || insn->guard != NO_ID || operands[3].kind != OPERAND_REG
        || ptx_recognizer_source(w->r, id, operands[3].id) != w->compare)
        return false;
    bool is_first = ptx_recognizer_is_of_cycle(w->r, w->cycle, &operands[1]);
    if (is_first == ptx_recognizer_is_of_cycle(w->r, w->cycle, &operands[2]))
        return false;
    bool is_negated = operands[3].flags & OPERAND_NEGATED;
    if (w->selections
        && !is_same_value(w->r, w->compare, w->variable, id, &operands[is_first ? 1 : 2]))
        return false;
    return take_selection(w, id, &operands[is_first ? 2 : 1], is_first == is_negated);
}

static bool take_move(SelectWalk *w, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    if (insn->operand_count != 2)
        return false;
    bool is_own = ptx_recognizer_is_of_cycle(w->r, w->cycle, &operands[1]);
    if (insn->guard == NO_ID)
        return is_own && !operands[1].flags;
    if (w->selections)
        return false;
    bool is_decided = ptx_recognizer_source(w->r, id, insn->guard) == w->compare;
    return !is_own && is_decided && operands[0].id == w->cycle->carried
           && take_selection(w, id, &operands[1], !insn->guard_negated);
}

static bool take_select_insn(SelectWalk *w, InsnId id)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    if (insn->op->kind == OPK_SETP)
        return take_comparison(w, id, insn);
    if (insn->op->operation == OP_SELP)
        return take_selp(w, id, insn);
    return insn->op->operation == OP_MOV && take_move(w, id, insn);
}

/* In order of the text, all in one block, so that this is the order in which they run. */
static bool is_one_block(const Recognizer *r, const Cycle *c)
{
    for (uint32_t i = 1; i < c->count; i++)
        if (r->flow->cfg->block_of[c->insns[i]] != r->flow->cfg->block_of[c->insns[0]])
            return false;
    return true;
}

static InsnId next_of_cycle(const Cycle *c, InsnId after, bool is_first)
{
    InsnId next = NO_ID;
    for (uint32_t i = 0; i < c->count; i++)
        if ((is_first || c->insns[i] > after) && (next == NO_ID || c->insns[i] < next))
            next = c->insns[i];
    return next;
}

/* ---- where it was ---------------------------------------------------------------------------- */

/* Under what predicate an instruction gives the variable a new value; NO_ID: it does not. */
static RegId find_predicate(const Recognizer *r, const Cycle *c, const Insn *insn, bool *where)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    *where = !insn->guard_negated;
    if (insn->op->operation == OP_MOV && insn->operand_count == 2)
        return ptx_recognizer_is_of_cycle(r, c, &operands[1]) ? NO_ID : insn->guard;
    if (insn->op->operation != OP_SELP || insn->operand_count != 4 || insn->guard != NO_ID)
        return NO_ID;
    bool is_first = ptx_recognizer_is_of_cycle(r, c, &operands[1]);
    if (operands[3].kind != OPERAND_REG
        || is_first == ptx_recognizer_is_of_cycle(r, c, &operands[2]))
        return NO_ID;
    *where = is_first == ((operands[3].flags & OPERAND_NEGATED) != 0);
    return operands[3].id;
}

/* The comparison whose new value is taken where the predicate is as said; NULL: there is none. */
static const CompareSelect *find_decision(const Recognizer *r, InsnId id, RegId predicate,
                                          bool where)
{
    const InsnId from = predicate == NO_ID ? NO_ID : ptx_recognizer_source(r, id, predicate);
    const CompareSelect *selection = from == NO_ID ? NULL : &r->selection[from];
    bool is_new = selection && selection->is_known && selection->takes_new_where == where;
    return is_new ? selection : NULL;
}

static bool is_copy_of_cycle(const Recognizer *r, const Cycle *c, InsnId id)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    return insn->op->operation == OP_MOV && insn->guard == NO_ID && insn->operand_count == 2
           && ptx_recognizer_is_of_cycle(r, c, &operands[1]);
}

/* Whether it keeps what the instruction before made: a selection of one of both. */
static bool is_behind(const Recognizer *r, InsnId id, InsnId before)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    bool keeps = false;
    for (uint32_t o = 1; o < 3 && insn->op->operation == OP_SELP; o++)
        keeps |= operands[o].kind == OPERAND_REG
                 && ptx_recognizer_source(r, id, operands[o].id) == before;
    return keeps;
}

/* By each comparison of a minimum or maximum once, in their order. */
static RecognizedClass find_location(Recognizer *r, const Cycle *c, Recognized *out)
{
    const CompareSelect *selection = NULL;
    InsnId before = NO_ID;
    for (InsnId id = next_of_cycle(c, 0, true); id != NO_ID; id = next_of_cycle(c, id, false)) {
        bool where = false;
        if (is_copy_of_cycle(r, c, id))
            continue;
        const RegId predicate = find_predicate(r, c, &r->flow->func->insns[id], &where);
        const CompareSelect *found = find_decision(r, id, predicate, where);
        if (!found || found->number != (selection ? selection->number + 1 : 0)
            || (selection && (selection->variable != found->variable || !is_behind(r, id, before))))
            return RECOGNIZED_NONE;
        selection = found;
        before = id;
    }
    if (!selection || selection->number + 1 != selection->count)
        return RECOGNIZED_NONE;
    for (uint32_t i = 0; i < c->count; i++)
        r->is_location[c->insns[i]] = true;
    out->operation = selection->is_max ? "argmax" : "argmin";
    return RECOGNIZED_LOCATION;
}

/* A guarded copy needs nothing of the variable that it sets, so that it is in no component. */
static void add_guarded_location(Recognizer *r, InsnId id, LoopId loop)
{
    const Insn *insn = &r->flow->func->insns[id];
    InsnId last;
    if (insn->op->operation != OP_MOV || insn->guard == NO_ID || insn->operand_count != 2)
        return;
    const RegId reg = ptx_insn_operands(r->flow->func, insn)[0].id;
    const CompareSelect *selection = find_decision(r, id, insn->guard, !insn->guard_negated);
    if (!selection || selection->count != 1 || reg == selection->variable
        || loop != selection->loop
        || ptx_defs_in_loop(r->defs, loop, reg, &last) != 1)
        return;
    r->is_location[id] = true;
    const Recognized item = { .loop = loop, .insn = id, .reg = reg, .array = NO_ID,
                              .insn_count = 1,
                              .class = RECOGNIZED_LOCATION,
                              .operation = selection->is_max ? "argmax" : "argmin" };
    r->owner[id] = r->count + 1;
    ptx_recognizer_add(r, &item, 0);
}

void ptx_recognizer_guarded_locations(Recognizer *r, uint32_t depth)
{
    for (InsnId i = 0; i < r->flow->func->insn_count; i++) {
        const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[i]];
        if (loop != NO_LOOP && r->flow->loops->loops[loop].depth == depth)
            add_guarded_location(r, i, loop);
    }
}

RecognizedClass ptx_recognizer_select(Recognizer *r, const Cycle *c, Recognized *out)
{
    SelectWalk w = { .r = r, .cycle = c, .compare = NO_ID, .selected = NO_ID };
    bool is_taken = true;
    if (c->count > SELECT_INSNS || !is_one_block(r, c))
        return RECOGNIZED_NONE;
    for (InsnId id = next_of_cycle(c, 0, true); id != NO_ID && is_taken;
         id = next_of_cycle(c, id, false))
        is_taken = take_select_insn(&w, id);
    if (!is_taken || !w.selections || w.selections != w.compare_count)
        return find_location(r, c, out);
    for (uint32_t i = 0; i < w.compare_count; i++)
        r->selection[w.compares[i]] = (CompareSelect){ true, w.takes_new_where, w.is_max,
                                                      c->carried, c->loop, i, w.compare_count };
    out->operation = w.is_max ? "max" : "min";
    out->is_conditional = !ptx_recognizer_is_unconditional(r, w.compare);
    return RECOGNIZED_REDUCTION;
}
