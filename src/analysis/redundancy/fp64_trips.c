#include "analysis/redundancy/fp64_trips.h"

#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "support/hash.h"

enum {
    MAX_ROUNDS = 8,             /* over the text, for definitions that stand behind their uses */
    MAX_LOOKED_AT = 1 << 14,    /* instructions of functions that are called */
};

/* From the least on, but for the first and the last. */
typedef enum Origin {
    ORIGIN_NONE,                /* not known yet */
    ORIGIN_CONSTANT,            /* of numbers alone, or a comparison of fp32 */
    ORIGIN_WIDENED,             /* of what was widened from fp32 too: it, or some bits of it */
    ORIGIN_DERIVED,             /* computed in fp64 */
    ORIGIN_OTHER,
} Origin;

/* Of a register, or of a variable that passes an argument or result of a call. */
typedef struct Fp64Value {
    uint32_t def_count, seen;   /* definitions; those of them that this round has met */
    uint8_t origin;             /* Origin, once it is known */
    uint8_t joined;             /* of those that are met */
    bool is_open;               /* of one of them it is not known yet */
    bool is_in_loop;            /* one of them is */
} Fp64Value;

typedef struct Fp64Walk {
    Arena *scratch;
    const FuncFlow *flow;
    const Module *module;
    const Func *func;
    const CallGraph *calls;
    Fp64Value *regs;
    HashMap params;             /* per such a variable its value, + 1 */
    Fp64Value *values;          /* of these */
    uint32_t value_count, value_capacity;
    uint32_t looked_at;
    bool has_progress;
    bool is_rest;               /* what depends on itself is looked at, and nothing else */
} Fp64Walk;

static bool narrows(const Op *op)
{
    return op->kind == OPK_CVT && op->dst_type == TYPE_F32 && op->type == TYPE_F64;
}

static bool has_narrowing(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (narrows(func->insns[i].op))
            return true;
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static Fp64Value *value_of_var(Fp64Walk *w, VarId var)
{
    uint32_t *index = ptx_hash_map_at(&w->params, w->scratch, var);
    if (!*index) {
        if (w->value_count == w->value_capacity)
            w->values = ptx_arena_grow(w->scratch, w->values, w->value_count, &w->value_capacity,
                                       sizeof *w->values);
        w->values[w->value_count] = (Fp64Value){ 0 };
        *index = ++w->value_count;
    }
    return &w->values[*index - 1];
}

static bool is_passing(const Op *op)
{
    return ptx_space_is_param((Space)op->space) && (op->kind == OPK_LD || op->kind == OPK_ST);
}

/* What an operand reads or writes; NULL: nothing that is followed. */
static Fp64Value *value_of_operand(Fp64Walk *w, const Op *op, const Operand *operand)
{
    if (operand->kind == OPERAND_REG)
        return &w->regs[operand->id];
    return operand->kind == OPERAND_VAR && (op->kind == OPK_CALL || is_passing(op))
               ? value_of_var(w, operand->id)
               : NULL;
}

static bool is_defined(const Op *op, const Operand *operand)
{
    if (operand->kind == OPERAND_REG)
        return operand->role & ROLE_DEF;
    return operand->kind == OPERAND_VAR
           && ((op->kind == OPK_ST && is_passing(op))
               || (op->kind == OPK_CALL && operand->role & ROLE_DEF));
}

static void begin_round(Fp64Value *values, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        values[v].seen = 0;
        values[v].joined = ORIGIN_NONE;
        values[v].is_open = false;
    }
}

static Origin worst_origin(Origin a, Origin b)
{
    return a > b ? a : b;
}

/* Where all but what depends on itself is known. */
static void raise_origin(Fp64Walk *w, Fp64Value *value, Origin origin)
{
    w->has_progress |= value->origin < origin;
    value->origin = (uint8_t)worst_origin((Origin)value->origin, origin);
}

static void define_value(Fp64Walk *w, Fp64Value *value, Origin origin)
{
    value->seen++;
    value->is_open |= origin == ORIGIN_NONE;
    value->joined = (uint8_t)worst_origin((Origin)value->joined, origin);
    if (value->origin || value->is_open || value->seen < value->def_count)
        return;
    value->origin = value->joined;
    w->has_progress = true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* ORIGIN_NONE where that of one is not known yet, and none is known to be of others. */
static Origin origin_of_sources(Fp64Walk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    Origin all = ORIGIN_CONSTANT;
    bool is_open = false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const Operand *operand = &operands[o];
        if (operand->kind == OPERAND_INT || operand->kind == OPERAND_F64
            || operand->kind == OPERAND_SINK || operand->kind == OPERAND_FUNCTION
            || (is_defined(insn->op, operand) && !(operand->role & ROLE_USE)))
            continue;
        const Fp64Value *value = value_of_operand(w, insn->op, operand);
        const Origin origin = value ? (Origin)value->origin : ORIGIN_OTHER;
        is_open |= origin == ORIGIN_NONE;
        all = worst_origin(all, origin);
    }
    return is_open && !w->is_rest && all != ORIGIN_OTHER ? ORIGIN_NONE : all;
}

/* What it gives back depends on its arguments alone. */
static bool is_of_arguments(Fp64Walk *w, FuncId id)
{
    const Func *func = &w->module->funcs[id];
    w->looked_at += func->insn_count;
    bool is = func->has_body && !func->has_syntax_error && !func->has_unknown
              && w->looked_at <= MAX_LOOKED_AT;
    for (InsnId i = 0; is && i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const bool is_control = insn->op->kind == OPK_BRA || insn->op->kind == OPK_RET;
        const Operand *operands = ptx_insn_operands(func, insn);
        is = is_control || is_passing(insn->op) || ptx_effect_is_pure(w->module, func, insn);
        for (uint32_t o = 0; is && o < insn->operand_count; o++)
            is = operands[o].kind != OPERAND_SREG;
    }
    return is;
}

static Origin origin_of_call(Fp64Walk *w, const Insn *insn)
{
    const Origin origin = origin_of_sources(w, insn);
    const FuncId callee = ptx_call_find_callee(w->func, insn);
    if (origin == ORIGIN_NONE || origin == ORIGIN_OTHER)
        return origin;
    if (!w->calls || callee >= w->module->func_count
        || !is_of_arguments(w, w->calls->definition_of[callee]))
        return ORIGIN_OTHER;
    return origin == ORIGIN_WIDENED ? ORIGIN_DERIVED : origin;
}

static Origin origin_of(Fp64Walk *w, const Insn *insn)
{
    const Op *op = insn->op;
    if (insn->guard != NO_ID)
        return ORIGIN_OTHER;
    if (op->kind == OPK_CALL)
        return origin_of_call(w, insn);
    if (op->kind == OPK_CVT && op->dst_type == TYPE_F64 && op->type == TYPE_F32)
        return ORIGIN_WIDENED;
    if (is_passing(op))
        return origin_of_sources(w, insn);
    if (!ptx_effect_is_pure(w->module, w->func, insn))
        return ORIGIN_OTHER;
    if (op->kind == OPK_SETP && op->type == TYPE_F32)
        return ORIGIN_CONSTANT;
    const Origin origin = origin_of_sources(w, insn);
    const bool is_arithmetic = op->insn_class == CLASS_FP64 && op->type == TYPE_F64
                               && op->kind != OPK_SETP;
    return is_arithmetic && origin == ORIGIN_WIDENED ? ORIGIN_DERIVED : origin;
}

static void walk_round(Fp64Walk *w)
{
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        Origin origin = ORIGIN_NONE;
        bool is_known = false;
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!is_defined(insn->op, &operands[o]))
                continue;
            origin = is_known ? origin : origin_of(w, insn);
            is_known = true;
            Fp64Value *value = value_of_operand(w, insn->op, &operands[o]);
            (w->is_rest ? raise_origin : define_value)(w, value, origin);
        }
    }
}

static void count_value_defs(Fp64Walk *w)
{
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        const LoopId loop = w->flow->loops->loop_of[w->flow->cfg->block_of[i]];
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!is_defined(insn->op, &operands[o]))
                continue;
            Fp64Value *value = value_of_operand(w, insn->op, &operands[o]);
            value->def_count++;
            value->is_in_loop |= loop != NO_LOOP;
        }
    }
}

/* What the function is given, and what nothing defines. */
static void find_foreign_values(Fp64Walk *w)
{
    for (RegId reg = 0; reg < w->func->reg_count; reg++)
        if (w->func->regs[reg].is_param || !w->regs[reg].def_count)
            w->regs[reg].origin = ORIGIN_OTHER;
    for (uint32_t p = 0; p < w->func->param_count; p++)
        if (w->func->params[p] != NO_ID)
            value_of_var(w, w->func->params[p])->origin = ORIGIN_OTHER;
}

static void close_loops(Fp64Value *values, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        if (!values[v].origin && values[v].is_in_loop)
            values[v].origin = ORIGIN_OTHER;
}

static bool walk_rounds(Fp64Walk *w)
{
    w->has_progress = true;
    for (int round = 0; round < MAX_ROUNDS && w->has_progress; round++) {
        w->has_progress = false;
        begin_round(w->regs, w->func->reg_count);
        begin_round(w->values, w->value_count);
        walk_round(w);
    }
    return !w->has_progress;
}

/* What depends on itself is a sum or the like where it is in a loop. Else one register holds
 * several values, one after the other: what is written from itself adds nothing to it. False: too
 * much work. */
static bool find_origins(Fp64Walk *w)
{
    count_value_defs(w);
    find_foreign_values(w);
    if (!walk_rounds(w))
        return false;
    close_loops(w->regs, w->func->reg_count);
    close_loops(w->values, w->value_count);
    w->is_rest = true;
    return walk_rounds(w);
}

const bool *ptx_fp64_trips_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                   const CallGraph *calls)
{
    const Func *func = flow->func;
    bool *out = ptx_arena_array(arena, bool, func->insn_count + 1);
    if (!flow->loops || !has_narrowing(func))
        return out;
    ArenaMark mark = ptx_arena_mark(scratch);
    Fp64Walk w = { .scratch = scratch,
                   .flow = flow,
                   .module = flow->module,
                   .func = func,
                   .calls = calls };
    w.regs = ptx_arena_array(scratch, Fp64Value, func->reg_count + 1);
    const bool is_found = find_origins(&w);
    for (InsnId i = 0; is_found && i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        out[i] = narrows(insn->op) && insn->operand_count == 2 && operands[1].kind == OPERAND_REG
                 && w.regs[operands[1].id].origin == ORIGIN_DERIVED;
    }
    ptx_arena_release(scratch, mark);
    return out;
}
