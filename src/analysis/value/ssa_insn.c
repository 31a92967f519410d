/* What instructions write, as symbolic expressions over what they read. */
#include "analysis/value/ssa_insn.h"

#include "analysis/value/symbolic.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"


enum { MAX_PACKED = 4 };        /* elements of mov.b64 {a, b}, r */

/* ---- leaves ---------------------------------------------------------------------------------- */

unsigned ptx_ssa_reg_width(const Ssa *r, RegId reg)
{
    unsigned bits = ptx_type_info[r->func->regs[reg].type].bits;
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 ? bits : 64;
}

SymId ptx_ssa_opaque(Ssa *r, unsigned width, SymWhy why, RegId reg, BlockId block)
{
    return ptx_sym_opaque(r->symbols, width, why, reg,
                          block == EXIT_BLOCK ? NO_LOOP : r->loops->loop_of[block]);
}

static uint16_t thread_use(SregId sreg, uint32_t component)
{
    return (uint16_t)((sreg == SREG_TID ? USES_TID_X : USES_CTAID_X) << component);
}

static SymId sreg_leaf(Ssa *r, SregId sreg, uint32_t component, uint16_t uses, Interval range)
{
    return ptx_sym_leaf(r->symbols, (Sym){ .kind = SYM_SREG,
                                           .width = 32,
                                           .uses = uses,
                                           .scope = NO_LOOP,
                                           .a = sreg,
                                           .b = component,
                                           .range = range });
}

/* %tid, %ctaid: 0 .. count - 1. Without a launch up to what any launch has. */
static SymId place_leaf(Ssa *r, SregId sreg, uint32_t component)
{
    bool is_tid = sreg == SREG_TID;
    uint32_t count = is_tid ? r->block_shape[component] : r->grid_shape[component];
    uint32_t most = is_tid ? ptx_max_ntid(component)
                           : ptx_max_nctaid(r->module->target.sm, component);
    uint16_t uses = is_tid && r->block_is_code ? 0 : USES_LAUNCH;
    if (!count)
        uses = USES_UNKNOWN;
    return sreg_leaf(r, sreg, component, uses | thread_use(sreg, component),
                     ptx_interval_unsigned(32, 0, (count ? count : most) - 1));
}

static SymId count_leaf(Ssa *r, SregId sreg, uint32_t component)
{
    bool is_ntid = sreg == SREG_NTID;
    uint32_t count = is_ntid ? r->block_shape[component] : r->grid_shape[component];
    uint32_t most = is_ntid ? ptx_max_ntid(component)
                            : ptx_max_nctaid(r->module->target.sm, component);
    if (is_ntid && count && r->block_is_code)
        return ptx_sym_const(r->symbols, 32, count);
    if (!count)
        return sreg_leaf(r, sreg, component, USES_UNKNOWN, ptx_interval_unsigned(32, 1, most));
    return sreg_leaf(r, sreg, component, USES_LAUNCH, ptx_interval_point(32, count));
}

/* The place of a thread in its warp: threads are numbered x first (CUDA C++ Programming Guide,
 * "Thread Hierarchy"). */
static SymId lane_leaf(Ssa *r)
{
    const uint32_t *shape = r->block_shape;
    if (!shape[0] || !shape[1] || !shape[2])
        return sreg_leaf(r, SREG_LANEID, 0, USES_UNKNOWN, ptx_interval_unsigned(32, 0, 31));
    SymId y = ptx_sym_scale(r->symbols, place_leaf(r, SREG_TID, 1), shape[0]);
    SymId z = ptx_sym_scale(r->symbols, place_leaf(r, SREG_TID, 2), (uint64_t)shape[0] * shape[1]);
    return ptx_sym_lane(r->symbols, place_leaf(r, SREG_TID, 0), y, z);
}

static SymId sreg_value(Ssa *r, SregId sreg, int64_t component, InsnId insn)
{
    static const uint8_t types[] = {
#define SR(id, text, type, ...) [SREG_##id] = TYPE_##type,
#include "isa/sregs.def"
#undef SR
    };
    unsigned width = ptx_type_info[types[sreg]].bits;
    switch (sreg) {
    case SREG_TID: case SREG_CTAID:
        return component < 3 ? place_leaf(r, sreg, (uint32_t)component)
                             : ptx_sym_const(r->symbols, 32, 0);
    case SREG_NTID: case SREG_NCTAID:
        return component < 3 ? count_leaf(r, sreg, (uint32_t)component)
                             : ptx_sym_const(r->symbols, 32, 0);
    case SREG_LANEID:
        return lane_leaf(r);
    case SREG_CLUSTERID:
    case SREG_NCLUSTERID:
    case SREG_CLUSTER_CTAID:
    case SREG_CLUSTER_NCTAID:
    case SREG_CLUSTER_CTARANK:
    case SREG_CLUSTER_NCTARANK: case SREG_DYNAMIC_SMEM_SIZE: case SREG_TOTAL_SMEM_SIZE:
        return sreg_leaf(r, sreg, component < 3 ? (uint32_t)component : 3, USES_UNKNOWN,
                         ptx_interval_full(32));
    default: /* clocks, counters, places of the machine: another value at each read */
        return ptx_ssa_opaque(r, width, WHY_SPECIAL, NO_ID, r->cfg->block_of[insn]);
    }
}

/* Little-endian bytes of the launch's parameter; false where they are not known. */
static bool param_bytes(Ssa *r, VarId var, uint64_t offset, unsigned bytes, uint64_t *value)
{
    if (!r->launch || !r->func->is_entry)
        return false;
    for (uint32_t p = 0;
         p < r->func->param_count && p < r->launch->param_count && ptx_ssa_spend(r, 1); p++) {
        const LaunchParam *param = &r->launch->params[p];
        if (r->func->params[p] != var)
            continue;
        if (!param->bytes || offset > param->length || bytes > param->length - offset)
            return false;
        *value = 0;
        for (unsigned i = 0; i < bytes; i++)
            *value |= (uint64_t)param->bytes[offset + i] << (8 * i);
        return true;
    }
    return false;
}

static SymId loaded_value(Ssa *r, SymKind kind, VarId var, int64_t offset, unsigned width)
{
    uint64_t value;
    Sym leaf = { .kind = (uint8_t)kind,
                 .width = (uint8_t)width,
                 .uses = USES_UNKNOWN,
                 .scope = NO_LOOP,
                 .a = var,
                 .value = (uint64_t)offset,
                 .range = ptx_interval_full(width) };
    if (kind == SYM_PARAM && offset >= 0
        && param_bytes(r, var, (uint64_t)offset, width / 8, &value)) {
        leaf.uses = USES_LAUNCH;
        leaf.range = ptx_interval_point(width, value);
    }
    return ptx_sym_leaf(r->symbols, leaf);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* An instruction that defines a register, being translated. */
typedef struct SsaReader {
    Ssa *r;
    Symbols *s;
    InsnId id;
    const Insn *insn;
    const Op *op;
    unsigned width;             /* of the instruction's type */
    bool is_signed;
} SsaReader;

/* The n-th operand of a position, NULL. Elements of a vector and the sides of a pair share one. */
static const Operand *source_operand_at(const SsaReader *rd, unsigned position, unsigned n)
{
    const Operand *operands = ptx_insn_operands(rd->r->func, rd->insn);
    for (uint32_t o = 0; o < rd->insn->operand_count; o++) {
        if (operands[o].position == position && !n--)
            return &operands[o];
    }
    return NULL;
}

static SymId operand_value(SsaReader *rd, const Operand *operand, unsigned width)
{
    Symbols *s = rd->s;
    SymId value = 0;
    if (!operand || operand->flags & OPERAND_COMPONENT)
        return ptx_ssa_opaque(rd->r, width, WHY_OTHER, NO_ID, rd->r->cfg->block_of[rd->id]);
    switch (operand->kind) {
    case OPERAND_REG:
        if (rd->r->func->regs[operand->id].vector > 1)
            break;
        value = ptx_sym_resize(s, ptx_ssa_value_before(rd->r, operand->id, rd->id), width, false);
        break;
    case OPERAND_INT:
        value = ptx_sym_const(s, width,
                              width == 1 ? ptx_operand_value(operand) != 0
                                         : (uint64_t)ptx_operand_value(operand));
        break;
    case OPERAND_SREG:
        value = ptx_sym_resize(
            s, sreg_value(rd->r, (SregId)operand->id, ptx_operand_value(operand), rd->id), width,
            false);
        break;
    case OPERAND_VAR:
        value = ptx_sym_leaf(s, (Sym){ .kind = SYM_ADDRESS,
                                       .width = (uint8_t)width,
                                       .uses = USES_UNKNOWN,
                                       .scope = NO_LOOP,
                                       .a = operand->id,
                                       .range = ptx_interval_full(width) });
        value =
            ptx_sym_add(s, value, ptx_sym_const(s, width, (uint64_t)ptx_operand_value(operand)));
        break;
    default:
        break;
    }
    if (!value)
        return ptx_ssa_opaque(rd->r, width,
                      operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64 ? WHY_FLOAT
                                                                                   : WHY_OTHER,
                      NO_ID, rd->r->cfg->block_of[rd->id]);
    if (operand->flags & OPERAND_NEGATED)
        value = width == 1 ? ptx_sym_not(s, value) : value;
    return operand->flags & OPERAND_MINUS ? ptx_sym_scale(s, value, UINT64_MAX) : value;
}

static SymId source_value(SsaReader *rd, unsigned position, unsigned width)
{
    return operand_value(rd, source_operand_at(rd, position, 0), width);
}

static SymId binary(SsaReader *rd, SymKind unsigned_kind, SymKind signed_kind)
{
    SymId a = source_value(rd, 1, rd->width), b = source_value(rd, 2, rd->width);
    return ptx_sym_binary(rd->s, rd->is_signed ? signed_kind : unsigned_kind, a, b);
}

/* The low 24 bits of an operand, as mul24 takes them. */
static SymId source_24(SsaReader *rd, unsigned position)
{
    SymId a = source_value(rd, position, 32), eight = ptx_sym_const(rd->s, 32, 8);
    if (ptx_sym(rd->s, a)->range.umax < 1 << 23)
        return a;
    if (!rd->is_signed)
        return ptx_sym_binary(rd->s, SYM_AND, a, ptx_sym_const(rd->s, 32, 0xFFFFFF));
    return ptx_sym_binary(rd->s, SYM_SHR_S, ptx_sym_binary(rd->s, SYM_SHL, a, eight), eight);
}

static SymId product(SsaReader *rd)
{
    if (rd->op->operation == OP_MUL24 || rd->op->operation == OP_MAD24)
        return ptx_op_has(rd->op, MOD_HI) ? 0
                                          : ptx_sym_mul(rd->s, source_24(rd, 1), source_24(rd, 2));
    SymId a = source_value(rd, 1, rd->width), b = source_value(rd, 2, rd->width);
    if (ptx_op_has(rd->op, MOD_WIDE))
        return ptx_sym_mul(rd->s, ptx_sym_resize(rd->s, a, 2 * rd->width, rd->is_signed),
                           ptx_sym_resize(rd->s, b, 2 * rd->width, rd->is_signed));
    if (ptx_op_has(rd->op, MOD_HI))
        return ptx_sym_binary(rd->s, rd->is_signed ? SYM_MULHI_S : SYM_MULHI_U, a, b);
    return ptx_sym_mul(rd->s, a, b);
}

static SymId multiply_add(SsaReader *rd)
{
    SymId low = product(rd);
    return low ? ptx_sym_add(rd->s, low, source_value(rd, 3, ptx_sym(rd->s, low)->width)) : 0;
}

/* Amounts are 32 bits whatever is shifted. */
static SymId shifted(SsaReader *rd, SymKind kind)
{
    SymId a = source_value(rd, 1, rd->width), amount = source_value(rd, 2, 32);
    uint64_t n;
    if (ptx_sym_is_const(rd->s, amount, &n))
        amount = ptx_sym_const(rd->s, rd->width, n < rd->width ? n : rd->width);
    else if (rd->width >= 32)
        amount = ptx_sym_resize(rd->s, amount, rd->width, false);
    else
        return 0;
    return ptx_sym_binary(rd->s, kind, a, amount);
}

static SymId bit_field(SsaReader *rd)
{
    SymId a = source_value(rd, 1, rd->width);
    uint64_t at, length;
    if (!ptx_sym_is_const(rd->s, source_value(rd, 2, 32), &at)
        || !ptx_sym_is_const(rd->s, source_value(rd, 3, 32), &length))
        return 0;
    at &= 255;
    length &= 255;
    if (!length || at + length > rd->width)
        return length ? 0 : ptx_sym_const(rd->s, rd->width, 0);
    if (!rd->is_signed) {
        SymId right = ptx_sym_binary(rd->s, SYM_SHR_U, a, ptx_sym_const(rd->s, rd->width, at));
        return ptx_sym_binary(rd->s, SYM_AND, right,
                              ptx_sym_const(rd->s, rd->width, ptx_width_mask((unsigned)length)));
    }
    SymId left = ptx_sym_binary(rd->s, SYM_SHL, a,
                                ptx_sym_const(rd->s, rd->width, rd->width - at - length));
    return ptx_sym_binary(rd->s, SYM_SHR_S, left,
                          ptx_sym_const(rd->s, rd->width, rd->width - length));
}

static bool is_integer(uint8_t type)
{
    uint8_t kind = ptx_type_info[type].kind, bits = ptx_type_info[type].bits;
    bool packed = ptx_type_is_packed((Type)type);
    return kind == KIND_PREDICATE
           || (kind >= KIND_BITS && kind <= KIND_SIGNED && bits >= 8 && bits <= 64 && !packed);
}

static SymId converted_value(SsaReader *rd)
{
    const TypeInfo *to = &ptx_type_info[rd->op->dst_type], *from = &ptx_type_info[rd->op->type];
    if (!is_integer(rd->op->dst_type) || ptx_op_has(rd->op, MOD_SAT)
        || ptx_op_has(rd->op, MOD_PACK))
        return 0;
    SymId a =
        ptx_sym_resize(rd->s, source_value(rd, 1, from->bits), to->bits, from->kind == KIND_SIGNED);
    rd->is_signed = to->kind == KIND_SIGNED;
    return a;
}

/* The comparison of setp and set. 0: of floats, or not one of integers. */
static SymId comparison(SsaReader *rd)
{
    static const struct { uint8_t modifier, as_unsigned, as_signed; bool swap; } rows[] = {
        { MOD_EQ, SYM_EQ, SYM_EQ, false },     { MOD_NE, SYM_NE, SYM_NE, false },
        { MOD_LT, SYM_LT_U, SYM_LT_S, false }, { MOD_LE, SYM_LE_U, SYM_LE_S, false },
        { MOD_GT, SYM_LT_U, SYM_LT_S, true },  { MOD_GE, SYM_LE_U, SYM_LE_S, true },
        { MOD_LO, SYM_LT_U, SYM_LT_U, false }, { MOD_LS, SYM_LE_U, SYM_LE_U, false },
        { MOD_HI, SYM_LT_U, SYM_LT_U, true },  { MOD_HS, SYM_LE_U, SYM_LE_U, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ptx_op_has(rd->op, (Modifier)rows[i].modifier))
            continue;
        SymId a = source_value(rd, 1, rd->width), b = source_value(rd, 2, rd->width);
        SymKind kind = (SymKind)(rd->is_signed ? rows[i].as_signed : rows[i].as_unsigned);
        if (rows[i].swap)
            return ptx_sym_binary(rd->s, kind, b, a);
        return ptx_sym_binary(rd->s, kind, a, b);
    }
    return 0;
}

/* how a comparison is combined with its predicate */
static SymKind combination_of(const Op *op)
{
    if (ptx_op_has(op, MOD_AND))
        return SYM_AND;
    if (ptx_op_has(op, MOD_OR))
        return SYM_OR;
    return ptx_op_has(op, MOD_XOR) ? SYM_XOR : SYM_NONE;
}

static SymId combined(SsaReader *rd, SymId test)
{
    const Operand *with = source_operand_at(rd, 3, 0);
    if (!test || !with)
        return test;
    SymKind kind = combination_of(rd->op);
    return kind ? ptx_sym_binary(rd->s, kind, test, operand_value(rd, with, 1)) : 0;
}

static SymId set_predicate(SsaReader *rd, const Operand *def)
{
    SymId test = comparison(rd);
    if (test && def->flags & OPERAND_RIGHT)
        test = ptx_sym_not(rd->s, test);
    return combined(rd, test);
}

/* Ones, or 1.0: only the integer result is followed. */
static SymId set_integer(SsaReader *rd)
{
    if (!is_integer(rd->op->dst_type) || !is_integer(rd->op->type))
        return 0;
    SymId test = combined(rd, comparison(rd));
    return test ? ptx_sym_resize(rd->s, test, 32, true) : 0;
}

/* mov.b64 r, {low, high}; mov.b64 {low, high}, r. */
static SymId moved_value(SsaReader *rd, const Operand *def)
{
    const Operand *first = source_operand_at(rd, 1, 0);
    unsigned count = 1, width = rd->width;
    while (count <= MAX_PACKED
           && source_operand_at(rd, first && first->flags & OPERAND_ELEMENT ? 1 : 0, count))
        count++;
    if (count > MAX_PACKED || (count > 1 && (width % count || width / count < 8)))
        return 0;
    if (count == 1)
        return source_value(rd, 1, width);
    if (def->flags & OPERAND_ELEMENT) {
        unsigned index = 0;
        while (source_operand_at(rd, 0, index) != def)
            index++;
        SymId right = ptx_sym_binary(rd->s, SYM_SHR_U, source_value(rd, 1, width),
                                     ptx_sym_const(rd->s, width, index * (width / count)));
        return ptx_sym_resize(rd->s, right, width / count, false);
    }
    SymId sum = ptx_sym_const(rd->s, width, 0);
    for (unsigned i = 0; i < count; i++) {
        SymId element = ptx_sym_resize(
            rd->s, operand_value(rd, source_operand_at(rd, 1, i), width / count), width, false);
        sum = ptx_sym_add(rd->s, sum,
                          ptx_sym_scale(rd->s, element, UINT64_C(1) << (i * (width / count))));
    }
    return sum;
}

static SymId loaded_symbol(SsaReader *rd, const Operand *def, SymWhy *why)
{
    const Operand *address = source_operand_at(rd, 1, 0);
    uint8_t space = rd->op->space;
    bool is_param = space == SPACE_PARAM || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
    *why = WHY_MEMORY;
    if ((!is_param && space != SPACE_CONST) || !address || !is_integer(rd->op->type))
        return 0;
    int64_t offset = ptx_operand_value(address);
    VarId var = address->id;
    if (address->kind == OPERAND_REG) {
        const Sym *sym = ptx_sym(rd->s, ptx_ssa_value_before(rd->r, address->id, rd->id));
        const SymTerm *term = &rd->s->terms[sym->kind == SYM_SUM ? sym->a : 0];
        if (sym->kind == SYM_SUM && sym->b == 1 && term->factor == 1) {
            offset = (int64_t)((uint64_t)offset + sym->value);
            sym = ptx_sym(rd->s, term->atom);
        }
        if (sym->kind != SYM_ADDRESS)
            return 0;
        var = sym->a;
    } else if (address->kind != OPERAND_VAR) {
        return 0;
    }
    if (is_param && !rd->r->module->vars[var].is_parameter) {
        *why = WHY_CALL;
        return 0;
    }
    for (unsigned n = 0; source_operand_at(rd, 0, n) && source_operand_at(rd, 0, n) != def; n++)
        offset = (int64_t)((uint64_t)offset + rd->width / 8);
    return loaded_value(rd->r, is_param ? SYM_PARAM : SYM_CONSTANT, var, offset, rd->width);
}

static SymId translate_integer(SsaReader *rd, const Operand *def)
{
    Symbols *s = rd->s;
    SymId zero;
    if (ptx_op_has(rd->op, MOD_CC) || ptx_op_has(rd->op, MOD_SAT))
        return 0;
    switch ((Operation)rd->op->operation) {
    case OP_ADD:
        return ptx_sym_add(s, source_value(rd, 1, rd->width), source_value(rd, 2, rd->width));
    case OP_SUB:
        return ptx_sym_sub(s, source_value(rd, 1, rd->width), source_value(rd, 2, rd->width));
    case OP_MUL: case OP_MUL24:  return product(rd);
    case OP_MAD: case OP_MAD24:  return multiply_add(rd);
    case OP_DIV:  return binary(rd, SYM_DIV_U, SYM_DIV_S);
    case OP_REM:  return binary(rd, SYM_REM_U, SYM_REM_S);
    case OP_MIN:  return binary(rd, SYM_MIN_U, SYM_MIN_S);
    case OP_MAX:  return binary(rd, SYM_MAX_U, SYM_MAX_S);
    case OP_AND:  return binary(rd, SYM_AND, SYM_AND);
    case OP_OR:   return binary(rd, SYM_OR, SYM_OR);
    case OP_XOR:  return binary(rd, SYM_XOR, SYM_XOR);
    case OP_SHL:  return shifted(rd, SYM_SHL);
    case OP_SHR:  return shifted(rd, rd->is_signed ? SYM_SHR_S : SYM_SHR_U);
    case OP_BFE:  return bit_field(rd);
    case OP_MOV:  return moved_value(rd, def);
    case OP_CVT:  return converted_value(rd);
    case OP_CVTA: return source_value(rd, 1, rd->width);
    case OP_SETP: return set_predicate(rd, def);
    case OP_SET:  return set_integer(rd);
    case OP_SELP:
        return ptx_sym_select(s, source_value(rd, 3, 1), source_value(rd, 1, rd->width),
                              source_value(rd, 2, rd->width));
    case OP_NEG:  return ptx_sym_scale(s, source_value(rd, 1, rd->width), UINT64_MAX);
    case OP_NOT:
        if (rd->width == 1)
            return ptx_sym_not(s, source_value(rd, 1, 1));
        return ptx_sym_binary(s, SYM_XOR, source_value(rd, 1, rd->width),
                              ptx_sym_const(s, rd->width, UINT64_MAX));
    case OP_ABS:
        zero = ptx_sym_const(s, rd->width, 0);
        SymId a = source_value(rd, 1, rd->width);
        return ptx_sym_select(s, ptx_sym_binary(s, SYM_LT_S, a, zero), ptx_sym_sub(s, zero, a), a);
    default:
        return 0;
    }
}

static SymWhy why_not_followed(const Op *op)
{
    const Operation operation = (Operation)op->operation;
    if (op->kind == OPK_ATOM)
        return WHY_ATOMIC;
    if (op->kind == OPK_CALL)
        return WHY_CALL;
    if (op->flags & OPF_WARP || operation == OP_SHFL || operation == OP_VOTE
        || operation == OP_MATCH)
        return WHY_WARP;
    if (op->flags & OPF_LOAD)
        return WHY_MEMORY;
    return ptx_type_info[op->type].kind == KIND_FLOAT ? WHY_FLOAT : WHY_OTHER;
}

SymId ptx_ssa_translate(Ssa *r, InsnId id, const Operand *def)
{
    const Insn *insn = &r->func->insns[id];
    const Op *op = insn->op;
    SsaReader rd = { .r = r,
                     .s = r->symbols,
                     .id = id,
                     .insn = insn,
                     .op = op,
                     .width = ptx_type_info[op->type].bits,
                     .is_signed = ptx_type_info[op->type].kind == KIND_SIGNED };
    unsigned width = ptx_ssa_reg_width(r, def->id);
    SymWhy why = why_not_followed(op);
    SymId value = 0;
    if (op->flags & OPF_UNKNOWN || def->flags & OPERAND_COMPONENT
        || r->func->regs[def->id].vector > 1)
        return ptx_ssa_opaque(r, width, why, def->id, r->cfg->block_of[id]);
    if (op->kind == OPK_LD)
        value = loaded_symbol(&rd, def, &why);
    else if (is_integer(op->type))
        value = translate_integer(&rd, def);
    if (value)
        return ptx_sym_resize(r->symbols, value, width, rd.is_signed);
    return ptx_ssa_opaque(r, width, why, def->id, r->cfg->block_of[id]);
}
