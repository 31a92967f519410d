#include "analysis/value/pitch.h"
#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/sreg.h"
#include "support/minmax.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

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
    const Func *func;
    const Defs *defs;
    unsigned steps, depth;
} Tracer;

static void follow(Tracer *t, RegId reg, PitchSum *out);

/* ---- sums ------------------------------------------------------------------------------------ */

/* A sum is large: only the terms that it has are ever written or copied. */

static void set_lost(PitchSum *out)
{
    out->count = 0;
    out->is_lost = true;
}

static void set_number(PitchSum *out, int64_t value)
{
    out->count = value ? 1 : 0;
    out->is_lost = false;
    out->terms[0].factor = value;
    out->terms[0].count = 0;
}

static void set_leaf(PitchSum *out, LeafKind kind, uint32_t id, int64_t component)
{
    set_number(out, 1);
    out->terms[0].leaves[0] = (Leaf){ (uint8_t)kind, id, component };
    out->terms[0].count = 1;
}

static void copy_sum(PitchSum *out, const PitchSum *a)
{
    out->count = a->count;
    out->is_lost = a->is_lost;
    memcpy(out->terms, a->terms, a->count * sizeof *a->terms);
}

/* To *out, b times a number. */
static void add(PitchSum *out, const PitchSum *b, int64_t by)
{
    if (out->is_lost || b->is_lost || out->count + b->count > MAX_TERMS) {
        set_lost(out);
        return;
    }
    for (unsigned i = 0; i < b->count; i++) {
        Term *term = &out->terms[out->count++];
        *term = b->terms[i];
        if (__builtin_mul_overflow(term->factor, by, &term->factor)) {
            set_lost(out);
            return;
        }
    }
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

/* out is neither of them. */
static void multiply(PitchSum *out, const PitchSum *a, const PitchSum *b)
{
    set_number(out, 0);
    if (a->is_lost || b->is_lost || a->count * b->count > MAX_TERMS) {
        set_lost(out);
        return;
    }
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (!multiply_terms(&a->terms[i], &b->terms[k], &out->terms[out->count++])) {
                set_lost(out);
                return;
            }
}

/* ---- registers ------------------------------------------------------------------------------- */

static void read_pitch_operand(Tracer *t, const Operand *operand, PitchSum *out)
{
    PitchSum offset;
    switch ((OperandKind)operand->kind) {
    case OPERAND_INT:
        set_number(out, ptx_operand_value(operand));
        return;
    case OPERAND_SREG:
        set_leaf(out, LEAF_SREG, operand->id, ptx_operand_value(operand));
        return;
    case OPERAND_REG:
        if (operand->flags & (OPERAND_COMPONENT | OPERAND_MINUS | OPERAND_PART))
            break;
        follow(t, operand->id, out);
        set_number(&offset, operand->role & ROLE_ADDRESS ? ptx_operand_value(operand) : 0);
        add(out, &offset, 1);
        return;
    default:
        break;
    }
    set_lost(out);
}

static bool is_whole(const Op *op)
{
    const TypeInfo *from = &ptx_type_info[op->type], *to = &ptx_type_info[op->dst_type];
    return from->kind != KIND_FLOAT && to->kind != KIND_FLOAT && from->bits >= 32 && to->bits >= 32
           && !ptx_op_has(op, MOD_HI);
}

/* How far a number shifts; negative: it is none, or too far. */
static int64_t pitch_shift_of(const PitchSum *by)
{
    if (by->is_lost || by->count > 1 || (by->count && by->terms[0].count))
        return -1;
    const int64_t bits = by->count ? by->terms[0].factor : 0;
    return bits < 32 ? bits : -1;
}

/* False: what it makes is not followed. */
static bool combine_pitches(const Op *op, const PitchSum *args, unsigned count, PitchSum *out)
{
    const Operation operation = (Operation)op->operation;
    PitchSum by;
    if (count == 1 && (operation == OP_MOV || operation == OP_CVT || operation == OP_CVTA)) {
        copy_sum(out, &args[0]);
        return true;
    }
    if (count == 2 && (operation == OP_ADD || operation == OP_SUB)) {
        copy_sum(out, &args[0]);
        add(out, &args[1], operation == OP_SUB ? -1 : 1);
        return true;
    }
    if (count == 2 && operation == OP_MUL) {
        multiply(out, &args[0], &args[1]);
        return true;
    }
    if (count == 3 && operation == OP_MAD) {
        multiply(out, &args[0], &args[1]);
        add(out, &args[2], 1);
        return true;
    }
    const int64_t shift = count == 2 && operation == OP_SHL ? pitch_shift_of(&args[1]) : -1;
    if (shift < 0)
        return false;
    set_number(&by, INT64_C(1) << shift);
    multiply(out, &args[0], &by);
    return true;
}

static void follow_pitch_insn(Tracer *t, const Insn *insn, RegId reg, PitchSum *out)
{
    const Operand *operands = ptx_insn_operands(t->func, insn);
    PitchSum args[3];
    unsigned count = 0;
    if (insn->op->kind == OPK_LD && insn->op->space == SPACE_PARAM && insn->operand_count == 2
        && operands[1].kind == OPERAND_VAR) {
        set_leaf(out, LEAF_PARAM, operands[1].id, ptx_operand_value(&operands[1]));
        return;
    }
    for (uint32_t o = 0; is_whole(insn->op) && o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && count < 3)
            read_pitch_operand(t, &operands[o], &args[count++]);
    if (!count || !combine_pitches(insn->op, args, count, out))
        set_leaf(out, LEAF_OTHER, reg, 0);
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
    return is_own ? ptx_operand_value(&operands[2]) : 0;
}

/* A register that a loop moves on by a constant: what it begins with, and the counter. */
static void follow_counter(Tracer *t, RegId reg, PitchSum *out)
{
    int64_t step = 0;
    InsnId start = NO_ID;
    set_leaf(out, LEAF_OTHER, reg, 0);
    for (uint32_t d = t->defs->first[reg]; d < t->defs->first[reg + 1]; d++) {
        InsnId insn = t->defs->insns[d];
        int64_t by = step_of(t, &t->func->insns[insn], reg);
        if ((!by && start != NO_ID) || (by && step && by != step))
            return;
        start = by ? start : insn;
        step = by ? by : step;
    }
    if (!step || start == NO_ID)
        return;
    PitchSum counter;
    follow_pitch_insn(t, &t->func->insns[start], reg, out);
    set_leaf(&counter, LEAF_COUNTER, reg, 0);
    add(out, &counter, step);
}

static void follow(Tracer *t, RegId reg, PitchSum *out)
{
    uint32_t count = ptx_defs_count(t->defs, reg);
    if (++t->steps > MAX_STEPS) {
        set_lost(out);
        return;
    }
    if (!count || count > MAX_DEFS || t->depth == MAX_DEPTH) {
        set_leaf(out, LEAF_OTHER, reg, 0);
        return;
    }
    t->depth++;
    if (count == 1)
        follow_pitch_insn(t, &t->func->insns[t->defs->insns[t->defs->first[reg]]], reg, out);
    else
        follow_counter(t, reg, out);
    t->depth--;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_lane_index_sreg(const Leaf *leaf)
{
    return leaf->kind == LEAF_SREG && leaf->id == SREG_TID && leaf->component == 0;
}

static bool has_lane(const Term *term)
{
    for (unsigned i = 0; i < term->count; i++)
        if (is_lane_index_sreg(&term->leaves[i]))
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
    const Leaf *other = &found->leaves[is_lane_index_sreg(&found->leaves[0])];
    *param = other->id;
    for (unsigned i = 0; i < address->count; i++)
        if (has_other(&address->terms[i]) && has_factor(&address->terms[i], *param))
            return NULL;
    return other->kind == LEAF_PARAM && !other->component ? found : NULL;
}

/* Registers that a parameter goes into. */
static const bool *derived_of(PitchFacts *facts, const Func *func, VarId param)
{
    bool *derived = facts->derived, has_changed = true;
    if (facts->param == param)
        return derived;
    facts->param = param;
    memset(derived, 0, func->reg_count * sizeof *derived);
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
        if (insn->op->kind != OPK_SETP
            || !ptx_loop_holds(t->defs->loops, loop, t->defs->cfg->block_of[i]))
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

/* ---- registers that are worth following ------------------------------------------------------ */

/* What leaves the terms of a sum may have. */
enum { HAS_LANE = 1, HAS_PARAM = 2, HAS_PRODUCT = 4 };

static uint8_t leaves_of_operand(const Operand *operand, const uint8_t *leaves)
{
    if (operand->kind == OPERAND_SREG && operand->id == SREG_TID && ptx_operand_value(operand) == 0)
        return HAS_LANE;
    return operand->kind == OPERAND_REG ? leaves[operand->id] : 0;
}

static bool is_followed_operation(Operation operation)
{
    switch (operation) {
    case OP_MOV: case OP_CVT: case OP_CVTA: case OP_ADD: case OP_SUB:
    case OP_MUL: case OP_MAD: case OP_SHL:
        return true;
    default:
        return false;
    }
}

static bool may_multiply(uint8_t a, uint8_t b)
{
    return (a & HAS_LANE && b & HAS_PARAM) || (a & HAS_PARAM && b & HAS_LANE);
}

/* Of what an instruction makes; no fewer than follow_insn finds. */
static uint8_t leaves_of_insn(const Func *func, const Insn *insn, const uint8_t *leaves)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const Operation operation = (Operation)insn->op->operation;
    uint8_t args[3] = { 0 };
    unsigned count = 0;
    if (insn->op->kind == OPK_LD)
        return insn->op->space == SPACE_PARAM ? HAS_PARAM : 0;
    if (!is_followed_operation(operation) || !is_whole(insn->op))
        return 0;
    for (uint32_t o = 0; o < insn->operand_count && count < 3; o++)
        if (operands[o].role & ROLE_USE)
            args[count++] = leaves_of_operand(&operands[o], leaves);
    const bool is_product = (operation == OP_MUL || operation == OP_MAD)
                            && may_multiply(args[0], args[1]);
    return (uint8_t)(args[0] | args[1] | args[2] | (is_product ? HAS_PRODUCT : 0));
}

static bool spread_leaves(const Func *func, uint8_t *leaves)
{
    bool has_changed = false;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        const uint8_t made = leaves_of_insn(func, &func->insns[i], leaves);
        for (uint32_t o = 0; made && o < func->insns[i].operand_count; o++) {
            bool is_new = operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                          && made & ~leaves[operands[o].id];
            if (is_new)
                leaves[operands[o].id] |= made;
            has_changed |= is_new;
        }
    }
    return has_changed;
}

PitchFacts *ptx_pitch_facts_new(Arena *arena, const Func *func)
{
    uint8_t *leaves = ptx_arena_array(arena, uint8_t, func->reg_count + 1);
    bool *products = ptx_arena_array(arena, bool, func->reg_count + 1), is_done = false;
    for (unsigned pass = 0; !is_done && pass < MAX_PASSES; pass++)
        is_done = !spread_leaves(func, leaves);
    for (RegId r = 0; r < func->reg_count; r++)
        products[r] = !is_done || leaves[r] & HAS_PRODUCT;
    PitchFacts *facts = ptx_arena_new(arena, PitchFacts);
    *facts = (PitchFacts){ products, NO_ID, ptx_arena_array(arena, bool, func->reg_count + 1) };
    return facts;
}

/* ---- accesses -------------------------------------------------------------------------------- */

Pitch ptx_pitch_find(PitchFacts *facts, const Func *func, const Defs *defs, InsnId access)
{
    const Insn *insn = &func->insns[access];
    const Operand *operands = ptx_insn_operands(func, insn);
    Tracer t = { .func = func, .defs = defs };
    Pitch out = { .param = NO_ID };
    VarId param = NO_ID;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_ADDRESS) || operands[o].kind != OPERAND_REG)
            continue;
        if (!facts->products[operands[o].id])
            return out;
        PitchSum address;
        read_pitch_operand(&t, &operands[o], &address);
        const Term *lanes = address.is_lost ? NULL : lane_term(&address, &param);
        if (!lanes)
            return out;
        const uint64_t bytes = ptx_i64_magnitude(lanes->factor);
        if (bytes && runs_along(&t, &address, derived_of(facts, func, param)))
            out = (Pitch){ position_of(func, param),
                           (uint32_t)(bytes < SECTOR ? (SECTOR + bytes - 1) / bytes : 1) };
        return out;
    }
    return out;
}
