#include "analysis/value/pitch.h"
#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/sreg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

enum {
    MAX_TERMS = 16, MAX_LEAVES = 3,
    MAX_DEPTH = 32,            /* instructions from an address back to what it is made of */
    MAX_STEPS = 512,           /* of an address */
    MAX_PASSES = 8,
    SECTOR = 32,
    NEAR = 64,                  /* bytes that a step along a row takes at most */
};

typedef enum LeafKind { LEAF_SREG, LEAF_PARAM, LEAF_COUNTER, LEAF_OTHER } LeafKind;

typedef struct Leaf {
    uint8_t kind;               /* LeafKind */
    uint32_t id;                /* SregId, VarId, RegId */
    int64_t component;          /* of a special register */
} Leaf;

typedef struct Term {           /* a product */
    int64_t factor;
    Leaf leaves[MAX_LEAVES];
    uint8_t count;
} Term;

typedef struct PitchSum {
    Term terms[MAX_TERMS];
    uint8_t count;
    bool is_lost;               /* too many terms, or leaves, or steps */
} PitchSum;

typedef struct Tracer {
    const Module *module;
    const Func *func;
    const Defs *defs;
    unsigned steps, depth;
} Tracer;

static PitchSum follow(Tracer *t, RegId reg);

/* ---- sums ------------------------------------------------------------------------------------ */

static PitchSum lost(void)
{
    return (PitchSum){ .is_lost = true };
}

static PitchSum number(int64_t value)
{
    PitchSum out = { .count = value ? 1 : 0 };
    out.terms[0].factor = value;
    return out;
}

static PitchSum leaf(LeafKind kind, uint32_t id, int64_t component)
{
    PitchSum out = number(1);
    out.terms[0].leaves[0] = (Leaf){ (uint8_t)kind, id, component };
    out.terms[0].count = 1;
    return out;
}

static PitchSum add(const PitchSum *a, const PitchSum *b, int64_t by)
{
    PitchSum out = *a;
    if (a->is_lost || b->is_lost || a->count + b->count > MAX_TERMS)
        return lost();
    for (unsigned i = 0; i < b->count; i++) {
        Term *term = &out.terms[out.count++];
        *term = b->terms[i];
        if (__builtin_mul_overflow(term->factor, by, &term->factor))
            return lost();
    }
    return out;
}

static bool multiply_terms(const Term *a, const Term *b, Term *out)
{
    *out = *a;
    if (a->count + b->count > MAX_LEAVES
        || __builtin_mul_overflow(a->factor, b->factor, &out->factor))
        return false;
    for (unsigned i = 0; i < b->count; i++)
        out->leaves[out->count++] = b->leaves[i];
    return true;
}

static PitchSum multiply(const PitchSum *a, const PitchSum *b)
{
    PitchSum out = { 0 };
    if (a->is_lost || b->is_lost || a->count * b->count > MAX_TERMS)
        return lost();
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (!multiply_terms(&a->terms[i], &b->terms[k], &out.terms[out.count++]))
                return lost();
    return out;
}

/* ---- registers ------------------------------------------------------------------------------- */

static PitchSum read_operand(Tracer *t, const Operand *operand)
{
    PitchSum base, offset;
    switch ((OperandKind)operand->kind) {
    case OPERAND_INT:
        return number(operand->value);
    case OPERAND_SREG:
        return leaf(LEAF_SREG, operand->id, operand->value);
    case OPERAND_REG:
        if (operand->flags & (OPERAND_COMPONENT | OPERAND_MINUS | OPERAND_PART))
            return lost();
        base = follow(t, operand->id);
        offset = number(operand->role & ROLE_ADDRESS ? operand->value : 0);
        return add(&base, &offset, 1);
    default:
        return lost();
    }
}

static bool is_whole(const Op *op)
{
    const TypeInfo *from = &ptx_type_info[op->type], *to = &ptx_type_info[op->dst_type];
    return from->kind != KIND_FLOAT && to->kind != KIND_FLOAT && from->bits >= 32 && to->bits >= 32
           && !ptx_op_has(op, MOD_HI);
}

static PitchSum combine(const Op *op, const PitchSum *args, unsigned count, bool *is_known)
{
    const Operation operation = (Operation)op->operation;
    *is_known = true;
    if (count == 1 && (operation == OP_MOV || operation == OP_CVT || operation == OP_CVTA))
        return args[0];
    if (count == 2 && (operation == OP_ADD || operation == OP_SUB))
        return add(&args[0], &args[1], operation == OP_SUB ? -1 : 1);
    if (count == 2 && operation == OP_MUL)
        return multiply(&args[0], &args[1]);
    if (count == 3 && operation == OP_MAD) {
        PitchSum product = multiply(&args[0], &args[1]);
        return add(&product, &args[2], 1);
    }
    bool is_shift = count == 2 && operation == OP_SHL && args[1].count <= 1 && !args[1].is_lost
                    && !args[1].terms[0].count;
    if (is_shift && args[1].terms[0].factor >= 0 && args[1].terms[0].factor < 32) {
        PitchSum by = number(INT64_C(1) << (args[1].count ? args[1].terms[0].factor : 0));
        return multiply(&args[0], &by);
    }
    *is_known = false;
    return lost();
}

static PitchSum follow_insn(Tracer *t, const Insn *insn, RegId reg)
{
    const Operand *operands = ptx_insn_operands(t->func, insn);
    PitchSum args[3], out = lost();
    unsigned count = 0;
    bool is_known = false;
    if (insn->op->kind == OPK_LD && insn->op->space == SPACE_PARAM && insn->operand_count == 2
        && operands[1].kind == OPERAND_VAR)
        return leaf(LEAF_PARAM, operands[1].id, operands[1].value);
    for (uint32_t o = 0; is_whole(insn->op) && o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && count < 3)
            args[count++] = read_operand(t, &operands[o]);
    if (count)
        out = combine(insn->op, args, count, &is_known);
    return is_known ? out : leaf(LEAF_OTHER, reg, 0);
}

/* What a definition adds to the register itself; 0: it does something else. */
static int64_t step_of(const Tracer *t, const Insn *insn, RegId reg)
{
    const Operand *operands = ptx_insn_operands(t->func, insn);
    if (insn->op->kind == OPK_MOV && insn->operand_count == 2 && operands[1].kind == OPERAND_REG
        && ptx_defs_count(t->defs, operands[1].id) == 1) {
        insn = &t->func->insns[t->defs->insns[t->defs->first[operands[1].id]]];
        operands = ptx_insn_operands(t->func, insn);
    }
    bool is_sum = insn->op->kind == OPK_ADD && insn->operand_count == 3
                  && ptx_type_info[insn->op->type].kind != KIND_FLOAT;
    bool is_own = is_sum && operands[1].kind == OPERAND_REG && operands[1].id == reg
                  && operands[2].kind == OPERAND_INT;
    return is_own ? operands[2].value : 0;
}

/* A register that a loop moves on by a constant: what it begins with, and the counter. */
static PitchSum follow_counter(Tracer *t, RegId reg)
{
    int64_t step = 0;
    InsnId start = NO_ID;
    for (uint32_t d = t->defs->first[reg]; d < t->defs->first[reg + 1]; d++) {
        InsnId insn = t->defs->insns[d];
        int64_t by = step_of(t, &t->func->insns[insn], reg);
        if ((!by && start != NO_ID) || (by && step && by != step))
            return leaf(LEAF_OTHER, reg, 0);
        start = by ? start : insn;
        step = by ? by : step;
    }
    if (!step || start == NO_ID)
        return leaf(LEAF_OTHER, reg, 0);
    PitchSum begin = follow_insn(t, &t->func->insns[start], reg),
             counter = leaf(LEAF_COUNTER, reg, 0);
    return add(&begin, &counter, step);
}

static PitchSum follow(Tracer *t, RegId reg)
{
    uint32_t count = ptx_defs_count(t->defs, reg);
    PitchSum out = leaf(LEAF_OTHER, reg, 0);
    if (++t->steps > MAX_STEPS)
        return lost();
    if (!count || count > MAX_DEFS || t->depth == MAX_DEPTH)
        return out;
    t->depth++;
    out = count == 1 ? follow_insn(t, &t->func->insns[t->defs->insns[t->defs->first[reg]]], reg)
                     : follow_counter(t, reg);
    t->depth--;
    return out;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_lane(const Leaf *leaf)
{
    return leaf->kind == LEAF_SREG && leaf->id == SREG_TID && leaf->component == 0;
}

static bool has_lane(const Term *term)
{
    for (unsigned i = 0; i < term->count; i++)
        if (is_lane(&term->leaves[i]))
            return true;
    return false;
}

/* What is not followed may differ from lane to lane too. */
static bool has_other(const Term *term)
{
    for (unsigned i = 0; i < term->count; i++)
        if (term->leaves[i].kind == LEAF_OTHER)
            return true;
    return false;
}

static bool has_factor(const Term *term, VarId param)
{
    for (unsigned i = 0; i < term->count; i++)
        if (term->leaves[i].kind == LEAF_PARAM && term->leaves[i].id == param)
            return true;
    return false;
}

/* The only term with %tid.x, where that is multiplied by a parameter alone, and that parameter by
 * nothing that is not followed. NULL: there is none. */
static const Term *lane_term(const PitchSum *address, VarId *param)
{
    const Term *found = NULL;
    for (unsigned i = 0; i < address->count; i++) {
        if (!has_lane(&address->terms[i]))
            continue;
        if (found)
            return NULL;
        found = &address->terms[i];
    }
    if (!found || found->count != 2)
        return NULL;
    const Leaf *other = &found->leaves[is_lane(&found->leaves[0])];
    *param = other->id;
    for (unsigned i = 0; i < address->count; i++)
        if (has_other(&address->terms[i]) && has_factor(&address->terms[i], *param))
            return NULL;
    return other->kind == LEAF_PARAM && !other->component ? found : NULL;
}

/* Registers that a parameter goes into. */
static const bool *derived_of(Arena *scratch, const Func *func, VarId param)
{
    bool *derived = ptx_arena_array(scratch, bool, func->reg_count + 1), has_changed = true;
    for (unsigned pass = 0; has_changed && pass < MAX_PASSES; pass++) {
        has_changed = false;
        for (InsnId i = 0; i < func->insn_count; i++) {
            const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
            bool is_derived = false;
            for (uint32_t o = 0; o < func->insns[i].operand_count; o++) {
                bool is_read = operands[o].role & (ROLE_USE | ROLE_ADDRESS);
                is_derived |= is_read
                              && (operands[o].kind == OPERAND_REG
                                      ? derived[operands[o].id]
                                      : operands[o].kind == OPERAND_VAR && operands[o].id == param);
            }
            for (uint32_t o = 0; is_derived && o < func->insns[i].operand_count; o++)
                if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                    && !derived[operands[o].id])
                    derived[operands[o].id] = has_changed = true;
        }
    }
    return derived;
}

/* Whether a comparison in the loop that moves the counter on reads what was made of the
 * parameter. */
static bool ends_loop(const Tracer *t, const bool *derived, RegId counter)
{
    InsnId last = t->defs->insns[t->defs->first[counter + 1] - 1];
    LoopId loop = t->defs->loops->loop_of[t->defs->cfg->block_of[last]];
    for (InsnId i = 0; loop != NO_LOOP && i < t->func->insn_count; i++) {
        const Insn *insn = &t->func->insns[i];
        if (insn->op->kind != OPK_SETP || !ptx_loop_holds(t->defs, loop, t->defs->cfg->block_of[i]))
            continue;
        const Operand *operands = ptx_insn_operands(t->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].role & ROLE_USE && operands[o].kind == OPERAND_REG
                && derived[operands[o].id])
                return true;
    }
    return false;
}

/* Threads and blocks side by side: %tid.y, %tid.z, %ctaid, and that times %ntid. */
static bool is_place(const Term *term)
{
    bool is_found = false;
    for (unsigned i = 0; i < term->count; i++) {
        const Leaf *at = &term->leaves[i];
        if (at->kind != LEAF_SREG
            || (at->id != SREG_TID && at->id != SREG_CTAID && at->id != SREG_NTID))
            return false;
        is_found |= at->id == SREG_CTAID || (at->id == SREG_TID && at->component > 0);
    }
    return is_found;
}

static bool runs_along(const Tracer *t, const PitchSum *address, const bool *derived)
{
    for (unsigned i = 0; i < address->count; i++) {
        const Term *term = &address->terms[i];
        bool is_near = term->factor >= -NEAR && term->factor <= NEAR;
        bool is_counter = term->count == 1 && term->leaves[0].kind == LEAF_COUNTER;
        if (is_near
            && (is_place(term) || (is_counter && ends_loop(t, derived, term->leaves[0].id))))
            return true;
    }
    return false;
}

static uint32_t position_of(const Func *func, VarId var)
{
    for (uint32_t p = 0; p < func->param_count; p++)
        if (func->params[p] == var)
            return p;
    return NO_ID;
}

Pitch ptx_pitch_find(Arena *scratch, const Module *module, const Func *func, const Defs *defs,
                     InsnId access)
{
    const Insn *insn = &func->insns[access];
    const Operand *operands = ptx_insn_operands(func, insn);
    Tracer t = { .module = module, .func = func, .defs = defs };
    Pitch out = { .param = NO_ID };
    VarId param = NO_ID;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_ADDRESS) || operands[o].kind != OPERAND_REG)
            continue;
        const PitchSum address = read_operand(&t, &operands[o]);
        const Term *lanes = address.is_lost ? NULL : lane_term(&address, &param);
        if (!lanes)
            return out;
        ArenaMark mark = ptx_arena_mark(scratch);
        int64_t bytes = llabs(lanes->factor);
        if (bytes && runs_along(&t, &address, derived_of(scratch, func, param)))
            out = (Pitch){ position_of(func, param),
                           (uint32_t)(bytes < SECTOR ? (SECTOR + bytes - 1) / bytes : 1) };
        ptx_arena_release(scratch, mark);
        return out;
    }
    return out;
}
