#include "analysis/value/thread_index.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

enum { MAX_PASSES = 64, LANES = 32, MAX_ARGS = 4 };

typedef enum Basis {
    BASIS_TID,
    BASIS_CTAID,
    BASIS_NTID,
    BASIS_NCTAID,
    BASIS_FIRST,
    BASIS__COUNT
} Basis;

typedef enum FormKind { FORM_UNSEEN, FORM_SUM, FORM_BOUND } FormKind;

/* A value: free + the sum of factor * basis. */
typedef struct Form {
    uint8_t kind;               /* FormKind */
    uint8_t binding;            /* of FORM_BOUND: Binding */
    bool is_number;             /* the free part is `number` */
    int64_t number;             /* of FORM_BOUND with BINDING_CONSTANT: what stands for %ntid */
    int64_t factors[BASIS__COUNT];
    InsnId origin;              /* of FORM_BOUND */
} Form;

typedef struct ThreadIndexFollower {
    const Module *module;
    const Func *func;
    Form *regs;
    unsigned dimension;
    bool has_changed;
    ThreadIndex *out;
} ThreadIndexFollower;

static const Form free_form = { .kind = FORM_SUM };

/* ---- forms ----------------------------------------------------------------------------------- */

static Form number_form(int64_t number)
{
    return (Form){ .kind = FORM_SUM, .is_number = true, .number = number };
}

static Form basis_form(Basis basis)
{
    Form out = number_form(0);
    out.factors[basis] = 1;
    return out;
}

/* Equal factors of tid and ctaid * ntid are the index of the thread, and free. */
static Form normal(Form form)
{
    int64_t *f = form.factors;
    if (form.kind == FORM_SUM && f[BASIS_TID] && f[BASIS_TID] == f[BASIS_FIRST]) {
        f[BASIS_TID] = f[BASIS_FIRST] = 0;
        form.is_number = false;
        form.number = 0;
    }
    return form;
}

static bool has_basis(const Form *form)
{
    for (unsigned b = 0; b < BASIS__COUNT; b++)
        if (form->factors[b])
            return true;
    return false;
}

static bool is_free_form(const Form *form)
{
    return form->kind == FORM_UNSEEN || (form->kind == FORM_SUM && !has_basis(form));
}

static Binding binding_of(const Form *form, int64_t *number)
{
    const int64_t *f = form->factors;
    if (form->kind == FORM_BOUND) {
        *number = form->number;
        return (Binding)form->binding;
    }
    bool is_scaled = f[BASIS_TID] && f[BASIS_CTAID] && f[BASIS_CTAID] % f[BASIS_TID] == 0;
    if (is_scaled && f[BASIS_CTAID] / f[BASIS_TID] > 1) {
        *number = f[BASIS_CTAID] / f[BASIS_TID];
        return BINDING_CONSTANT;
    }
    if (f[BASIS_TID])
        return BINDING_PLACE;
    if (f[BASIS_NTID] || f[BASIS_FIRST])
        return BINDING_SIZE;
    return f[BASIS_CTAID] ? BINDING_NUMBER : BINDING_COUNT;
}

static Form bound_form(Binding binding, int64_t number, InsnId origin)
{
    return (Form){
        .kind = FORM_BOUND, .binding = (uint8_t)binding, .number = number, .origin = origin
    };
}

/* What cannot be followed: bound by the argument that says most. */
static Form blur(const Form *args, unsigned count, InsnId at)
{
    Form out = free_form;
    for (unsigned i = 0; i < count; i++) {
        if (args[i].kind == FORM_UNSEEN)
            return args[i];
        if (is_free_form(&args[i]))
            continue;
        int64_t number = 0;
        Binding binding = binding_of(&args[i], &number);
        if (out.kind != FORM_BOUND || binding > out.binding)
            out = bound_form(binding, number, args[i].kind == FORM_BOUND ? args[i].origin : at);
    }
    return out;
}

static Form add(const Form *a, const Form *b, int sign, InsnId at)
{
    const Form both[] = { *a, *b };
    if (a->kind != FORM_SUM || b->kind != FORM_SUM)
        return blur(both, 2, at);
    Form out = *a;
    bool overflows = false;
    for (unsigned i = 0; i < BASIS__COUNT; i++)
        overflows |= __builtin_add_overflow(out.factors[i], sign * b->factors[i], &out.factors[i]);
    out.is_number = a->is_number && b->is_number;
    overflows |= out.is_number && __builtin_add_overflow(a->number, sign * b->number, &out.number);
    return overflows ? blur(both, 2, at) : normal(out);
}

static Form scale(const Form *a, int64_t factor, InsnId at)
{
    Form out = *a;
    bool overflows = factor == INT64_MIN;
    for (unsigned i = 0; i < BASIS__COUNT; i++)
        overflows |= __builtin_mul_overflow(a->factors[i], factor, &out.factors[i])
                     || out.factors[i] == INT64_MIN;
    overflows |= a->is_number
                 && (__builtin_mul_overflow(a->number, factor, &out.number)
                     || out.number == INT64_MIN);
    return overflows ? blur(a, 1, at) : out;
}

/* Nothing but a multiple of one basis. */
static bool is_pure_op(const Form *form, Basis basis)
{
    for (unsigned b = 0; b < BASIS__COUNT; b++)
        if ((b == basis) != (form->factors[b] != 0))
            return false;
    return form->is_number && !form->number;
}

static Form multiply(ThreadIndexFollower *f, const Form *a, const Form *b, InsnId at)
{
    const Form both[] = { *a, *b };
    if (a->kind != FORM_SUM || b->kind != FORM_SUM)
        return blur(both, 2, at);
    if (is_free_form(b) && b->is_number)
        return scale(a, b->number, at);
    if (is_free_form(a) && a->is_number)
        return scale(b, a->number, at);
    for (unsigned i = 0; i < 2; i++) {
        const Form *size = &both[i], *other = &both[1 - i];
        if (!is_pure_op(size, BASIS_NTID))
            continue;
        int64_t factor = size->factors[BASIS_NTID];
        if (is_pure_op(other, BASIS_NCTAID)) {
            f->out->asks_total[f->dimension] = true;
            return free_form;
        }
        if (is_pure_op(other, BASIS_CTAID)
            && !__builtin_mul_overflow(factor, other->factors[BASIS_CTAID], &factor)) {
            Form out = number_form(0);
            out.factors[BASIS_FIRST] = factor;
            return out;
        }
    }
    return blur(both, 2, at);
}

static bool is_same(const Form *a, const Form *b)
{
    return a->kind == b->kind && a->binding == b->binding && a->is_number == b->is_number
           && a->number == b->number && !memcmp(a->factors, b->factors, sizeof a->factors);
}

/* What holds of two definitions of a register. */
static Form join_forms(const Form *a, const Form *b, InsnId at)
{
    const Form both[] = { *a, *b };
    if (a->kind == FORM_UNSEEN || b->kind == FORM_UNSEEN)
        return a->kind == FORM_UNSEEN ? *b : *a;
    if (a->kind == FORM_BOUND)
        return *a;
    if (b->kind == FORM_BOUND || memcmp(a->factors, b->factors, sizeof a->factors) != 0)
        return blur(both, 2, at);
    Form out = *a;
    out.is_number = a->is_number && b->is_number && a->number == b->number;
    out.number = out.is_number ? a->number : 0;
    return out;
}

/* ---- operands -------------------------------------------------------------------------------- */

static Form special_register_form(ThreadIndexFollower *f, const Operand *operand, InsnId at)
{
    bool is_here = ptx_operand_value(operand) == (int64_t)f->dimension;
    switch ((SregId)operand->id) {
    case SREG_TID:      return is_here ? basis_form(BASIS_TID) : free_form;
    case SREG_CTAID:    return is_here ? basis_form(BASIS_CTAID) : free_form;
    case SREG_NTID:     return is_here ? basis_form(BASIS_NTID) : free_form;
    case SREG_NCTAID:   return is_here ? basis_form(BASIS_NCTAID) : free_form;
    case SREG_LANEID:
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
        f->out->asks_lane = true;
        return free_form;
    case SREG_ENVREG: case SREG_CURRENT_GRAPH_EXEC:
        return free_form;
    default:
        return bound_form(BINDING_CLOCK, 0, at);
    }
}

static Form read_form_operand(ThreadIndexFollower *f, const Operand *operand, InsnId at)
{
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG: {
        Form form = f->regs[operand->id];
        bool is_whole = !(operand->flags & (OPERAND_COMPONENT | OPERAND_MINUS | OPERAND_PART))
                        && f->func->regs[operand->id].vector <= 1;
        if (!is_whole)
            return blur(&form, 1, at);
        if (operand->role & ROLE_ADDRESS && form.is_number)
            form.is_number = false;
        return form;
    }
    case OPERAND_SREG:  return special_register_form(f, operand, at);
    case OPERAND_INT:
        return number_form(ptx_operand_value(operand));
    default:            return free_form;
    }
}

static unsigned read_args(ThreadIndexFollower *f, const Insn *insn, Form *args, unsigned most)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    InsnId at = (InsnId)(insn - f->func->insns);
    unsigned count = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & (ROLE_USE | ROLE_ADDRESS)) {
            /* all components at once */
            bool is_vector = operands[o].kind == OPERAND_SREG && insn->op->vector > 1;
            Form form = is_vector ? bound_form(BINDING_UNKNOWN, 0, at)
                                  : read_form_operand(f, &operands[o], at);
            if (count < most)
                args[count++] = form;
            else
                args[most - 1] = blur((Form[]){ args[most - 1], form }, 2, at);
        }
    return count;
}

/* ---- instructions ---------------------------------------------------------------------------- */

typedef enum ThreadIndexRule {
    RULE_BLUR,
    RULE_ADD,
    RULE_AND,
    RULE_COPY,
    RULE_MAD,
    RULE_MUL,
    RULE_REST,
    RULE_SHL,
    RULE_SUB
} ThreadIndexRule;

typedef struct ThreadIndexRow {
    uint8_t rule, needed;       /* Rule, arguments */
} ThreadIndexRow;

static const ThreadIndexRow rows[OP__COUNT] = {
    [OP_ADD] = { RULE_ADD, 2 },  [OP_AND] = { RULE_AND, 2 }, [OP_CVT] = { RULE_COPY, 1 }, [OP_CVTA] = { RULE_COPY, 1 }, [OP_MAD] = { RULE_MAD, 3 },
    [OP_MOV] = { RULE_COPY, 1 }, [OP_MUL] = { RULE_MUL, 2 }, [OP_REM] = { RULE_REST, 2 }, [OP_SHL] = { RULE_SHL, 2 },   [OP_SUB] = { RULE_SUB, 2 },
};

static ThreadIndexRow row_of(const Op *op)
{
    const TypeInfo *from = &ptx_type_info[op->type], *to = &ptx_type_info[op->dst_type];
    bool is_whole = from->kind != KIND_FLOAT && to->kind != KIND_FLOAT && from->bits >= 32
                    && to->bits >= 32;
    return is_whole && !ptx_op_has(op, MOD_HI) && !ptx_op_has(op, MOD_SAT)
                   && !ptx_op_has(op, MOD_CC)
               ? rows[op->operation]
               : (ThreadIndexRow){ RULE_BLUR, 0 };
}

/* %tid.x modulo the lanes of a warp, or a part of them: the lane, in rows of whole warps. */
static Form lane_form_of(ThreadIndexFollower *f, const Form *args, bool is_mask, InsnId at)
{
    const Form *value = &args[0], *by = &args[1];
    uint64_t size = (uint64_t)by->number + is_mask;
    bool is_power = is_free_form(by) && by->kind == FORM_SUM && by->is_number && size
                    && size <= LANES && !(size & (size - 1));
    bool is_place = f->dimension == 0 && value->kind == FORM_SUM && is_pure_op(value, BASIS_TID)
                    && value->factors[BASIS_TID] == 1;
    if (!is_power || !is_place)
        return blur(args, 2, at);
    f->out->asks_lane = true;
    return free_form;
}

static Form apply_insn_to_form(ThreadIndexFollower *f, const Insn *insn, const Form *args,
                               unsigned count)
{
    InsnId at = (InsnId)(insn - f->func->insns);
    const ThreadIndexRow row = row_of(insn->op);
    if (!row.rule || count < row.needed)
        return blur(args, count, at);
    for (unsigned i = 0; i < count; i++)
        if (args[i].kind == FORM_UNSEEN)
            return args[i];
    switch ((ThreadIndexRule)row.rule) {
    case RULE_ADD:      return add(&args[0], &args[1], 1, at);
    case RULE_SUB:      return add(&args[0], &args[1], -1, at);
    case RULE_COPY:     return count == 1 ? args[0] : blur(args, count, at);
    case RULE_MUL:      return multiply(f, &args[0], &args[1], at);
    case RULE_AND:      return lane_form_of(f, args, true, at);
    case RULE_REST:     return lane_form_of(f, args, false, at);
    case RULE_SHL: {
        bool is_known = is_free_form(&args[1]) && args[1].is_number && args[1].number >= 0
                        && args[1].number < 32;
        return is_known ? scale(&args[0], INT64_C(1) << args[1].number, at) : blur(args, 2, at);
    }
    case RULE_MAD: {
        Form product = multiply(f, &args[0], &args[1], at);
        return add(&product, &args[2], 1, at);
    }
    default:            return blur(args, count, at);
    }
}

static void write_results(ThreadIndexFollower *f, const Insn *insn, const Form *value)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    InsnId at = (InsnId)(insn - f->func->insns);
    bool is_first = true;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
            continue;
        Form *reg = &f->regs[operands[o].id];
        bool is_whole =
            is_first && !(operands[o].flags & (OPERAND_COMPONENT | OPERAND_PART | OPERAND_ELEMENT));
        Form made = is_whole ? *value : blur(value, 1, at), joined = join_forms(reg, &made, at);
        is_first = false;
        if (is_same(reg, &joined))
            continue;
        *reg = joined;
        f->has_changed = true;
    }
}

static void pass(ThreadIndexFollower *f)
{
    for (InsnId i = 0; i < f->func->insn_count; i++) {
        const Insn *insn = &f->func->insns[i];
        Form args[MAX_ARGS];
        unsigned count = read_args(f, insn, args, MAX_ARGS);
        bool is_memory = insn->op->flags & OPF_LOAD || insn->op->kind == OPK_ATOM;
        Form value = is_memory ? blur(args, count, i) : apply_insn_to_form(f, insn, args, count);
        write_results(f, insn, &value);
    }
}

/* ---- what must be free ----------------------------------------------------------------------- */

static void bind(ThreadIndexFollower *f, Binding binding, int64_t number, InsnId insn)
{
    ThreadIndex *out = f->out;
    if (binding <= out->binding[f->dimension])
        return;
    out->binding[f->dimension] = (uint8_t)binding;
    out->insn[f->dimension] = insn;
    out->number[f->dimension] = number;
}

static void require_free(ThreadIndexFollower *f, const Form *form, InsnId at)
{
    int64_t number = 0;
    if (is_free_form(form))
        return;
    Binding binding = binding_of(form, &number);
    bind(f, binding, number, form->kind == FORM_BOUND ? form->origin : at);
}

static bool is_sink(const Op *op)
{
    return op->flags & (OPF_LOAD | OPF_STORE | OPF_SIDE_EFFECT | OPF_UNKNOWN | OPF_WARP)
           || op->kind == OPK_ATOM || op->kind == OPK_RED || op->kind == OPK_BRX
           || op->kind == OPK_SURFACE || op->kind == OPK_CP_ASYNC;
}

static void check_sinks(ThreadIndexFollower *f)
{
    for (InsnId i = 0; i < f->func->insn_count; i++) {
        const Insn *insn = &f->func->insns[i];
        Form args[MAX_ARGS];
        unsigned count = is_sink(insn->op) ? read_args(f, insn, args, MAX_ARGS) : 0;
        for (unsigned a = 0; a < count; a++)
            require_free(f, &args[a], i);
        if (insn->guard != NO_ID)
            require_free(f, &f->regs[insn->guard], i);
    }
}

/* ---- what threads do together ---------------------------------------------------------------- */

static Binding shared_by(ThreadIndexFollower *f, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    Binding found = BINDING_NONE;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_VAR
            || !ptx_space_is_shared(f->module->vars[operands[o].id].space))
            continue;
        found = BINDING_SHARED;
        if (f->out->shared == NO_ID && f->module->vars[operands[o].id].bytes)
            f->out->shared = operands[o].id;
    }
    for (unsigned s = 0; s < insn->op->space_count; s++)
        found = ptx_space_is_shared(insn->op->spaces[s]) ? BINDING_SHARED : found;
    return ptx_space_is_shared(insn->op->space) ? BINDING_SHARED : found;
}

/* Groups of warps, and engines that serve a block. */
static bool is_block_wide(const Op *op)
{
    if (op->kind == OPK_BAR)
        return !ptx_op_has(op, MOD_WARP);
    switch ((Operation)op->family) {
    case OP_MBARRIER:
    case OP_WGMMA:
    case OP_TCGEN05:
    case OP_SETMAXNREG:
    case OP_MAPA:
    case OP_GETCTARANK:
    case OP_CLUSTERLAUNCHCONTROL:
        return true;
    default:
        return false;
    }
}

static Binding together(ThreadIndexFollower *f, const Insn *insn)
{
    Binding shared = shared_by(f, insn);
    bool is_unknown = insn->op->flags & OPF_UNKNOWN;
    f->out->asks_lane |= insn->op->flags & OPF_WARP
                         || (insn->op->kind == OPK_BAR && ptx_op_has(insn->op, MOD_WARP));
    if (shared || is_block_wide(insn->op))
        return shared ? shared : BINDING_BARRIER;
    if (insn->op->kind == OPK_CALL)
        return BINDING_CALL;
    return is_unknown ? BINDING_UNKNOWN : BINDING_NONE;
}

static void bind_all(ThreadIndexFollower *f, Binding binding, InsnId insn)
{
    for (f->dimension = 0; f->dimension < 3; f->dimension++)
        bind(f, binding, 0, insn);
}

static void follow(ThreadIndexFollower *f)
{
    unsigned passes = 0;
    memset(f->regs, 0, f->func->reg_count * sizeof *f->regs);
    do {
        f->has_changed = false;
        pass(f);
    } while (f->has_changed && ++passes < MAX_PASSES);
    if (f->has_changed)
        bind(f, BINDING_UNKNOWN, 0, 0);
    check_sinks(f);
}

ThreadIndex ptx_thread_index_compute(Arena *arena, const Module *module, const Func *func)
{
    ArenaMark mark = ptx_arena_mark(arena);
    ThreadIndex out = { .shared = NO_ID };
    ThreadIndexFollower f = { .module = module,
                              .func = func,
                              .regs = ptx_arena_array(arena, Form, func->reg_count + 1),
                              .out = &out };
    if (func->has_syntax_error || func->has_unknown)
        bind_all(&f, BINDING_UNKNOWN, 0);
    for (InsnId i = 0; i < func->insn_count; i++)
        bind_all(&f, together(&f, &func->insns[i]), i);
    for (unsigned d = 0; d < 3; d++) {
        f.dimension = d;
        follow(&f);
    }
    ptx_arena_release(arena, mark);
    return out;
}
