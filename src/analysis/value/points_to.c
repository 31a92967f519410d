#include "analysis/value/points_to.h"

#include "analysis/value/interval.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"

/* ---- definitions and uses -------------------------------------------------------------------- */

typedef struct PointsToFollower {
    const Module *module;
    const Func *func;
    PointsTo *regs;
    InsnId *def;
    uint32_t *use_count;
    uint8_t *def_count;         /* per register: DEFS_NONE ... */
    /* per register with several definitions: they do not agree on one base */
    bool *is_mixed;
    bool has_changed;           /* a register became mixed in this pass */
    bool follows_params;        /* into what they hold */
} PointsToFollower;

enum { DEFS_NONE, DEFS_ONE, DEFS_SEVERAL, DEFS_UNKNOWN };

/* What an instruction without a form writes is not known: any register that it names. */
static void count_def(PointsToFollower *f, InsnId id, const Insn *insn, const Operand *operand,
                      bool is_unknown)
{
    uint8_t *count = &f->def_count[operand->id];
    if (is_unknown || operand->flags & OPERAND_COMPONENT || *count == DEFS_UNKNOWN)
        *count = DEFS_UNKNOWN;
    else
        *count = insn->guard == NO_ID && *count == DEFS_NONE ? DEFS_ONE : DEFS_SEVERAL;
    f->def[operand->id] = *count == DEFS_ONE ? id : NO_ID;
}

static void count_pointer_defs(PointsToFollower *f, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    bool is_unknown = insn->op->flags & OPF_UNKNOWN || !insn->form;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const Operand *operand = &operands[o];
        if (operand->kind != OPERAND_REG)
            continue;
        f->use_count[operand->id] += (operand->role & ROLE_USE) != 0;
        if (operand->role & ROLE_DEF || (is_unknown && !(operand->role & ROLE_ADDRESS)))
            count_def(f, id, insn, operand, is_unknown);
    }
    if (insn->guard != NO_ID)
        f->use_count[insn->guard]++;
}

static void count_all(PointsToFollower *f)
{
    const Func *func = f->func;
    for (RegId reg = 0; reg < func->reg_count; reg++) {
        f->def[reg] = NO_ID;
        f->def_count[reg] = func->regs[reg].is_param || func->has_syntax_error ? DEFS_UNKNOWN
                                                                               : DEFS_NONE;
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        count_pointer_defs(f, i, &func->insns[i]);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const PointsTo unknown = { .kind = BASE_UNKNOWN };

static PointsTo constant(unsigned width, uint64_t value)
{
    return (PointsTo){ .kind = BASE_CONST,
                       .has_offset = true,
                       .offset = ptx_width_signed(width, value) };
}

static bool is_address(const PointsTo *base)
{
    return base->kind == BASE_VAR || base->kind == BASE_PARAM;
}

/* base + distance; distance NULL: something unknown. */
static PointsTo moved_by(PointsTo base, unsigned width, const int64_t *distance)
{
    base.has_offset = base.has_offset && distance;
    base.offset = !distance || !base.has_offset
                      ? 0
                      : ptx_width_signed(width, (uint64_t)base.offset + (uint64_t)*distance);
    return base;
}

static PointsTo base_of_var(const Module *module, VarId var, int64_t offset)
{
    uint8_t space = module->vars[var].space;
    return (PointsTo){ .kind = BASE_VAR,
                       .has_offset = true,
                       .space = space,
                       .pointed = space,
                       .id = var,
                       .offset = offset };
}

static bool is_whole_pointer(const Func *func, const Operand *operand)
{
    return operand->kind == OPERAND_REG && !(operand->flags & OPERAND_COMPONENT)
           && func->regs[operand->id].vector <= 1;
}

static PointsTo operand_base(const PointsTo *regs, const Module *module, const Func *func,
                             const Operand *operand)
{
    if (operand->flags & (OPERAND_MINUS | OPERAND_NEGATED))
        return unknown;
    if (operand->kind == OPERAND_INT)
        return (PointsTo){ .kind = BASE_CONST,
                           .has_offset = true,
                           .offset = ptx_operand_value(operand) };
    if (operand->kind == OPERAND_VAR)
        return base_of_var(module, operand->id, ptx_operand_value(operand));
    if (!is_whole_pointer(func, operand))
        return unknown;
    PointsTo base = regs[operand->id];
    if (base.kind == BASE_UNKNOWN || !(operand->role & ROLE_ADDRESS))
        return base;
    unsigned width = ptx_type_info[func->regs[operand->id].type].bits;
    const int64_t offset = ptx_operand_value(operand);
    return moved_by(base, width < 64 ? width : 64, &offset);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* An instruction with one plain result, being followed. */
typedef struct PointsToReader {
    const PointsToFollower *f;
    const Insn *insn;
    const Op *op;
    const Operand *operands;
    unsigned width;             /* of the instruction's type */
    bool is_signed;
} PointsToReader;

static PointsTo source(const PointsToReader *rd, uint32_t n)
{
    return n < rd->insn->operand_count
               ? operand_base(rd->f->regs, rd->f->module, rd->f->func, &rd->operands[n])
               : unknown;
}

/* A constant as the instruction takes it: its low bits, extended by its type. */
static int64_t taken_as(const PointsToReader *rd, const PointsTo *base)
{
    if (rd->is_signed || rd->width == 64)
        return ptx_width_signed(rd->width, (uint64_t)base->offset);
    return (int64_t)((uint64_t)base->offset & ptx_width_mask(rd->width));
}

/* The address of a variable is no number to be added to another address: then the parameter is the
 * number. */
static PointsTo sum(unsigned width, PointsTo a, PointsTo b)
{
    if (a.kind == BASE_CONST && b.kind == BASE_CONST)
        return constant(width, (uint64_t)a.offset + (uint64_t)b.offset);
    bool a_leads = is_address(&a)
                   && (!is_address(&b)
                       || (a.kind == BASE_VAR && b.kind == BASE_PARAM && !b.pointed));
    bool b_leads = is_address(&b)
                   && (!is_address(&a)
                       || (b.kind == BASE_VAR && a.kind == BASE_PARAM && !a.pointed));
    if (a_leads)
        return moved_by(a, width, b.kind == BASE_CONST ? &b.offset : NULL);
    if (!b_leads)
        return unknown;
    return moved_by(b, width, a.kind == BASE_CONST ? &a.offset : NULL);
}

static PointsTo difference(unsigned width, PointsTo a, PointsTo b)
{
    if (is_address(&b))
        return unknown;         /* a distance, or no address at all */
    if (a.kind == BASE_CONST && b.kind == BASE_CONST)
        return constant(width, (uint64_t)a.offset - (uint64_t)b.offset);
    if (!is_address(&a))
        return unknown;
    int64_t back = (int64_t)(0 - (uint64_t)b.offset);
    return moved_by(a, width, b.kind == BASE_CONST ? &back : NULL);
}

static unsigned result_width(const PointsToReader *rd)
{
    return ptx_op_has(rd->op, MOD_WIDE) ? 2 * rd->width : rd->width;
}

static PointsTo product(const PointsToReader *rd)
{
    PointsTo a = source(rd, 1), b = source(rd, 2);
    if (a.kind != BASE_CONST || b.kind != BASE_CONST || ptx_op_has(rd->op, MOD_HI))
        return unknown;
    return constant(result_width(rd), (uint64_t)taken_as(rd, &a) * (uint64_t)taken_as(rd, &b));
}

static PointsTo bitwise_pointer(const PointsToReader *rd, SymKind kind)
{
    PointsTo a = source(rd, 1), b = source(rd, 2);
    uint64_t value, mask = ptx_width_mask(rd->width);
    if (b.kind != BASE_CONST)
        return unknown;
    uint64_t count = kind == SYM_SHL ? (uint64_t)b.offset & UINT32_MAX : (uint64_t)b.offset & mask;
    if (a.kind == BASE_CONST
        && ptx_number_fold(kind, rd->width, (uint64_t)a.offset & mask, count, &value))
        return constant(rd->width, value);
    if (kind == SYM_AND && is_address(&a) && ptx_width_signed(rd->width, count) < 0)
        return moved_by(a, rd->width, NULL);    /* rounded down to an alignment */
    return unknown;
}

/* Only addresses of a window of less than 4 GiB are whole in 32 bits. */
static bool fits_32(uint8_t space)
{
    return space == SPACE_SHARED || space == SPACE_SHARED_CTA || space == SPACE_SHARED_CLUSTER
           || space == SPACE_LOCAL || space == SPACE_CONST || space == SPACE_PARAM
           || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
}

static PointsTo converted(const PointsToReader *rd)
{
    unsigned to = ptx_type_info[rd->op->dst_type].bits;
    PointsTo a = source(rd, 1);
    if (ptx_type_info[rd->op->dst_type].kind == KIND_FLOAT || ptx_op_has(rd->op, MOD_SAT))
        return unknown;
    if (a.kind == BASE_CONST)
        return constant(to, (uint64_t)taken_as(rd, &a));
    return is_address(&a) && to >= 32 && rd->width >= 32
                   && ((to == 64 && rd->width == 64) || fits_32(a.space))
               ? a
               : unknown;
}

static PointsTo generic_converted(const PointsToReader *rd)
{
    PointsTo a = source(rd, 1);
    if (!is_address(&a) || !rd->op->space_count)
        return unknown;
    a.pointed = rd->op->spaces[0];
    a.space = (uint8_t)(ptx_op_has(rd->op, MOD_TO) ? rd->op->spaces[0] : SPACE_GENERIC);
    return a;
}

/* ld.param of the whole of a parameter that is as wide as an address. */
static PointsTo loaded(const PointsToReader *rd)
{
    const Module *module = rd->f->module;
    PointsTo at = source(rd, 1);
    if (!rd->f->follows_params || at.kind != BASE_VAR || !at.has_offset || at.offset
        || rd->op->vector > 1)
        return unknown;
    const Var *var = &module->vars[at.id];
    bool is_param = var->is_parameter
                    && (rd->op->space == SPACE_PARAM || rd->op->space == SPACE_PARAM_ENTRY
                        || rd->op->space == SPACE_PARAM_FUNC);
    if (!is_param || var->bytes * 8 != module->address_size || rd->width != module->address_size)
        return unknown;
    return (PointsTo){ .kind = BASE_PARAM, .has_offset = true, .id = at.id };
}

static PointsTo moved_here(const PointsToReader *rd)
{
    PointsTo base = source(rd, 1);
    return base.kind == BASE_CONST ? constant(rd->width, (uint64_t)base.offset) : base;
}

static PointsTo integer_result(const PointsToReader *rd)
{
    const Op *op = rd->op;
    bool may_saturate = op->kind == OPK_ADD || op->kind == OPK_SUB || op->kind == OPK_FMA;
    if (may_saturate && op->modifier_count > 1 && ptx_op_has(op, MOD_SAT))
        return unknown;
    switch ((Operation)op->operation) {
    case OP_MOV:            return moved_here(rd);
    case OP_ADD:            return sum(rd->width, source(rd, 1), source(rd, 2));
    case OP_SUB:            return difference(rd->width, source(rd, 1), source(rd, 2));
    case OP_CVT:            return converted(rd);
    case OP_LD: case OP_LDU: return loaded(rd);
    case OP_MUL:            return product(rd);
    case OP_MAD:            return sum(result_width(rd), product(rd), source(rd, 3));
    case OP_CVTA:           return generic_converted(rd);
    case OP_AND:            return bitwise_pointer(rd, SYM_AND);
    case OP_OR:             return bitwise_pointer(rd, SYM_OR);
    case OP_SHL:            return bitwise_pointer(rd, SYM_SHL);
    default:                return unknown;
    }
}

/* Of the others integer_result knows nothing. */
static bool may_give_base(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_MOV: case OP_ADD: case OP_SUB: case OP_CVT: case OP_LD: case OP_LDU: case OP_MUL:
    case OP_MAD: case OP_CVTA: case OP_AND: case OP_OR: case OP_SHL:
        return true;
    default:
        return false;
    }
}

/* Integers of 16 to 64 bits, one a register. */
static bool is_followed_type(uint8_t type)
{
    const TypeInfo *info = &ptx_type_info[type];
    return info->kind >= KIND_BITS && info->kind <= KIND_SIGNED
           && (info->bits == 16 || info->bits == 32 || info->bits == 64)
           && !ptx_type_is_packed((Type)type);
}

/* Several definitions, as of a pointer that a loop steps: they must agree on the base, and then all
 * else is open. */
static void join_bases(PointsToFollower *f, RegId reg, PointsTo base)
{
    PointsTo *known = &f->regs[reg];
    base = moved_by(base, 64, NULL);
    /* so far nothing can have been made of it */
    bool is_first = known->kind == BASE_UNKNOWN;
    bool agrees = is_address(&base)
                  && (is_first
                      || (known->kind == base.kind && known->id == base.id
                          && known->space == base.space && known->pointed == base.pointed));
    f->has_changed |= !agrees && !is_first && !f->is_mixed[reg];
    f->is_mixed[reg] |= !agrees;
    *known = f->is_mixed[reg] ? unknown : base;
}

/* Operand 0 is one whole register, the only result. */
static bool defines_one_register(const Func *func, const Insn *insn, const Operand *operands)
{
    if (insn->operand_count < 2 || !ptx_operand_is_def(&operands[0])
        || operands[0].flags & OPERAND_ELEMENT || !is_whole_pointer(func, &operands[0]))
        return false;
    for (uint32_t o = 1; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) || operands[o].flags & OPERAND_ELEMENT)
            return false;
    return true;
}

static void follow_result(PointsToFollower *f, InsnId id, const Insn *insn, const Operand *operands)
{
    RegId reg = operands[0].id;
    bool is_several = f->def_count[reg] == DEFS_SEVERAL;
    if (f->def[reg] != id && !is_several)
        return;
    const TypeInfo *info = &ptx_type_info[insn->op->type];
    PointsToReader rd = { .f = f,
                          .insn = insn,
                          .op = insn->op,
                          .operands = operands,
                          .width = info->bits,
                          .is_signed = info->kind == KIND_SIGNED };
    PointsTo result = integer_result(&rd);
    if (is_several)
        join_bases(f, reg, result);
    else
        f->regs[reg] = result;
}

static void follow(PointsToFollower *f, InsnId id)
{
    const Insn *insn = &f->func->insns[id];
    const Operand *operands = ptx_insn_operands(f->func, insn);
    if (may_give_base(insn->op) && is_followed_type(insn->op->type)
        && defines_one_register(f->func, insn, operands)) {
        follow_result(f, id, insn, operands);
        return;
    }
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && f->def_count[operands[o].id] == DEFS_SEVERAL)
            join_bases(f, operands[o].id, unknown);
}

enum { MAX_PASSES = 4 };

/* In program order: what reads a register above its first definition in the text takes it as
 * unknown, so there are no cycles. Registers with several definitions are taken to agree until they
 * do not: then all is done again without those. */
static void follow_all(PointsToFollower *f)
{
    for (int pass = 0; pass <= MAX_PASSES; pass++) {
        if (pass)
            memset(f->regs, 0, f->func->reg_count * sizeof *f->regs);
        for (RegId reg = 0; pass == MAX_PASSES && reg < f->func->reg_count; reg++)
            f->is_mixed[reg] = true;
        f->has_changed = false;
        for (InsnId i = 0; i < f->func->insn_count; i++)
            follow(f, i);
        if (!f->has_changed)
            return;
    }
}

static const PointsToSet *compute_points_to(Arena *arena, Arena *scratch, const Module *module,
                                            const Func *func, bool follows_params)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    PointsToSet *bases = ptx_arena_new(arena, PointsToSet);
    PointsToFollower f = { .module = module,
                           .func = func,
                           .follows_params = follows_params,
                           .regs = ptx_arena_array(arena, PointsTo, func->reg_count + 1),
                           .def = ptx_arena_array(arena, InsnId, func->reg_count + 1),
                           .use_count = ptx_arena_array(arena, uint32_t, func->reg_count + 1),
                           .def_count = ptx_arena_array(scratch, uint8_t, func->reg_count + 1),
                           .is_mixed = ptx_arena_array(scratch, bool, func->reg_count + 1) };
    count_all(&f);
    follow_all(&f);
    *bases = (PointsToSet){ .regs = f.regs, .def = f.def, .use_count = f.use_count };
    ptx_arena_release(scratch, mark);
    return bases;
}

const PointsToSet *ptx_points_to_sets_compute(Arena *arena, Arena *scratch, const Module *module,
                                              const Func *func)
{
    return compute_points_to(arena, scratch, module, func, func->is_entry);
}

const PointsToSet *ptx_points_to_sets_of_callee_compute(Arena *arena, Arena *scratch,
                                                        const Module *module, const Func *func)
{
    return compute_points_to(arena, scratch, module, func, true);
}

/* ---- asking ---------------------------------------------------------------------------------- */

PointsTo ptx_points_to_of_operand(const PointsToSet *bases, const Module *module, const Func *func,
                                  const Operand *operand)
{
    return operand_base(bases->regs, module, func, operand);
}

bool ptx_points_to_of_access(const PointsToSet *bases, const Module *module, const Func *func,
                             const Insn *insn, PointsTo *out)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    uint32_t o = 0;
    *out = unknown;
    while (o < insn->operand_count && !(operands[o].role & ROLE_ADDRESS))
        o++;
    if (o == insn->operand_count)
        return false;
    *out = operand_base(bases->regs, module, func, &operands[o]);
    bool is_indexed = o + 1 < insn->operand_count
                      && operands[o + 1].position == operands[o].position;
    if (is_indexed && is_address(out))
        *out = moved_by(*out, 64, NULL);        /* x[%r], or coordinates */
    else if (is_indexed)
        *out = unknown;
    return out->kind != BASE_UNKNOWN;
}

bool ptx_points_to_constant(const PointsToSet *bases, const Operand *operand, int64_t *value)
{
    bool is_reg = operand->kind == OPERAND_REG && !(operand->flags & OPERAND_COMPONENT)
                  && !(operand->role & ROLE_ADDRESS);
    if (operand->flags & (OPERAND_MINUS | OPERAND_NEGATED))
        return false;
    if (operand->kind == OPERAND_INT)
        *value = ptx_operand_value(operand);
    else if (is_reg && bases->regs[operand->id].kind == BASE_CONST)
        *value = bases->regs[operand->id].offset;
    else
        return false;
    return true;
}
