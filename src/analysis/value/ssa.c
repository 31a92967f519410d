#include "analysis/value/ssa.h"

#include "support/hash.h"
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
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"

#include <stdlib.h>

enum {
    MAX_NESTED = 64,           /* questions inside questions: bounds the recursion */
    MAX_PREDS = 16,            /* of a join that is looked into */
    MAX_PACKED = 4,            /* elements of mov.b64 {a, b}, r */
};

/* (register, place) -> value; open addressing. */
struct Ssa {
    Arena *arena;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Launch *launch;
    Symbols *symbols;
    uint32_t *def_first;        /* per register and one more: into defs */
    InsnId *defs;               /* instructions that write it, ascending */
    LoopId *loop_end;           /* per loop: one past its last inner loop */
    HashMap of_def, at_entry, phis;        /* phis: index into phi_values */
    Phi *phi_values;
    uint32_t phi_count, phi_capacity;
    uint32_t block_shape[3], grid_shape[3];
    bool block_is_code;         /* .reqntid, not the launch */
    uint64_t steps;             /* left */
    unsigned nested;
};

/* ---- memo tables ----------------------------------------------------------------------------- */

static SymId recall(const HashMap *memo, uint64_t key)
{
    return ptx_hash_map_get(memo, key);         /* 0 where it is free */
}

static SymId remember(Arena *arena, HashMap *memo, uint64_t key, SymId value)
{
    return *ptx_hash_map_at(memo, arena, key) = value;
}

static uint64_t key_of(RegId reg, uint32_t place)
{
    return (uint64_t)reg << 32 | place;
}

/* ---- where registers are written ------------------------------------------------------------- */

/* Counting sort by register. */
static void index_defs(Ssa *r)
{
    const Func *func = r->func;
    uint32_t *first = ptx_arena_array(r->arena, uint32_t, (size_t)func->reg_count + 2), total = 0;
    for (int fill = 0; fill < 2; fill++) {
        for (InsnId i = 0; i < func->insn_count; i++) {
            const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
            for (uint32_t o = 0; o < func->insns[i].operand_count; o++) {
                if (!ptx_operand_is_def(&operands[o]))
                    continue;
                total++;
                if (fill)
                    r->defs[first[operands[o].id + 1]++] = i;
                else
                    first[operands[o].id + 2]++;
            }
        }
        if (fill)
            break;
        for (RegId reg = 0; reg < func->reg_count; reg++)
            first[reg + 2] += first[reg + 1];
        r->defs = ptx_arena_array(r->arena, InsnId, total ? total : 1);
    }
    r->def_first = first;
}

/* The last definition in [from, before), NO_ID. */
static InsnId last_def(const Ssa *r, RegId reg, InsnId from, InsnId before)
{
    uint32_t low = r->def_first[reg], high = r->def_first[reg + 1];
    while (low < high) {                /* the first one at or behind `before` */
        uint32_t middle = low + (high - low) / 2;
        if (r->defs[middle] < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low > r->def_first[reg] && r->defs[low - 1] >= from ? r->defs[low - 1] : NO_ID;
}

bool ptx_ssa_spend(Ssa *r, uint64_t count)
{
    r->steps = r->steps > count ? r->steps - count : 0;
    return r->steps != 0;
}

bool ptx_ssa_is_spent(const Ssa *r)
{
    return !r->steps || r->symbols->is_full;
}

static bool is_header(const Ssa *r, BlockId block)
{
    LoopId loop = r->loops->loop_of[block];
    return loop != NO_LOOP && r->loops->loops[loop].header == block;
}

static bool writes_in_loop(Ssa *r, RegId reg, LoopId loop)
{
    for (uint32_t d = r->def_first[reg]; d < r->def_first[reg + 1] && ptx_ssa_spend(r, 1); d++) {
        if (ptx_ssa_holds(r, loop, r->cfg->block_of[r->defs[d]]))
            return true;
    }
    return false;
}

/* Whether some way from the end of block d to a block that it dominates may write the register. */
static bool writes_below(Ssa *r, RegId reg, BlockId d)
{
    for (uint32_t i = r->def_first[reg]; i < r->def_first[reg + 1] && ptx_ssa_spend(r, 1); i++) {
        BlockId block = r->cfg->block_of[r->defs[i]];
        if (block != d && ptx_dom_dominates(r->dom, d, block))
            return true;
    }
    return false;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static unsigned reg_width(const Ssa *r, RegId reg)
{
    unsigned bits = ptx_type_info[r->func->regs[reg].type].bits;
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 ? bits : 64;
}

static SymId opaque(Ssa *r, unsigned width, SymWhy why, RegId reg, BlockId block)
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

/* PTX ISA, "Special Registers": the most threads of a block in a dimension, and ... */
static uint32_t max_ntid(uint32_t component)
{
    return component == 2 ? 64 : 1024;
}

/* ... the most blocks of a grid */
static uint32_t max_nctaid(const Ssa *r, uint32_t component)
{
    return component || r->module->target.sm < 30 ? 65535 : INT32_MAX;
}

/* %tid, %ctaid: 0 .. count - 1. Without a launch the limits of the PTX ISA, "Special Registers",
 * and of compute capability 2.x and before (CUDA C++ Programming Guide, "Technical Specifications
 * per Compute Capability"). */
static SymId place_leaf(Ssa *r, SregId sreg, uint32_t component)
{
    bool is_tid = sreg == SREG_TID;
    uint32_t count = is_tid ? r->block_shape[component] : r->grid_shape[component];
    uint32_t most = is_tid ? max_ntid(component) : max_nctaid(r, component);
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
    uint32_t most = is_ntid ? max_ntid(component) : max_nctaid(r, component);
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
        return opaque(r, width, WHY_SPECIAL, NO_ID, r->cfg->block_of[insn]);
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

static SymId value_before(Ssa *r, RegId reg, InsnId insn);

/* The n-th operand of a position, NULL. Elements of a vector and the sides of a pair share one. */
static const Operand *operand_at(const SsaReader *rd, unsigned position, unsigned n)
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
        return opaque(rd->r, width, WHY_OTHER, NO_ID, rd->r->cfg->block_of[rd->id]);
    switch (operand->kind) {
    case OPERAND_REG:
        if (rd->r->func->regs[operand->id].vector > 1)
            break;
        value = ptx_sym_resize(s, value_before(rd->r, operand->id, rd->id), width, false);
        break;
    case OPERAND_INT:
        value = ptx_sym_const(s, width,
                              width == 1 ? operand->value != 0 : (uint64_t)operand->value);
        break;
    case OPERAND_SREG:
        value = ptx_sym_resize(s, sreg_value(rd->r, (SregId)operand->id, operand->value, rd->id),
                               width, false);
        break;
    case OPERAND_VAR:
        value = ptx_sym_leaf(s, (Sym){ .kind = SYM_ADDRESS,
                                       .width = (uint8_t)width,
                                       .uses = USES_UNKNOWN,
                                       .scope = NO_LOOP,
                                       .a = operand->id,
                                       .range = ptx_interval_full(width) });
        value = ptx_sym_add(s, value, ptx_sym_const(s, width, (uint64_t)operand->value));
        break;
    default:
        break;
    }
    if (!value)
        return opaque(rd->r, width,
                      operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64 ? WHY_FLOAT
                                                                                   : WHY_OTHER,
                      NO_ID, rd->r->cfg->block_of[rd->id]);
    if (operand->flags & OPERAND_NEGATED)
        value = width == 1 ? ptx_sym_not(s, value) : value;
    return operand->flags & OPERAND_MINUS ? ptx_sym_scale(s, value, UINT64_MAX) : value;
}

static SymId source(SsaReader *rd, unsigned position, unsigned width)
{
    return operand_value(rd, operand_at(rd, position, 0), width);
}

static SymId binary(SsaReader *rd, SymKind unsigned_kind, SymKind signed_kind)
{
    SymId a = source(rd, 1, rd->width), b = source(rd, 2, rd->width);
    return ptx_sym_binary(rd->s, rd->is_signed ? signed_kind : unsigned_kind, a, b);
}

/* The low 24 bits of an operand, as mul24 takes them. */
static SymId source_24(SsaReader *rd, unsigned position)
{
    SymId a = source(rd, position, 32), eight = ptx_sym_const(rd->s, 32, 8);
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
    SymId a = source(rd, 1, rd->width), b = source(rd, 2, rd->width);
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
    return low ? ptx_sym_add(rd->s, low, source(rd, 3, ptx_sym(rd->s, low)->width)) : 0;
}

/* Amounts are 32 bits whatever is shifted. */
static SymId shifted(SsaReader *rd, SymKind kind)
{
    SymId a = source(rd, 1, rd->width), amount = source(rd, 2, 32);
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
    SymId a = source(rd, 1, rd->width);
    uint64_t at, length;
    if (!ptx_sym_is_const(rd->s, source(rd, 2, 32), &at)
        || !ptx_sym_is_const(rd->s, source(rd, 3, 32), &length))
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
    bool packed = type == TYPE_U16X2 || type == TYPE_S16X2;
    return kind == KIND_PREDICATE
           || (kind >= KIND_BITS && kind <= KIND_SIGNED && bits >= 8 && bits <= 64 && !packed);
}

static SymId converted(SsaReader *rd)
{
    const TypeInfo *to = &ptx_type_info[rd->op->dst_type], *from = &ptx_type_info[rd->op->type];
    if (!is_integer(rd->op->dst_type) || ptx_op_has(rd->op, MOD_SAT)
        || ptx_op_has(rd->op, MOD_PACK))
        return 0;
    SymId a = ptx_sym_resize(rd->s, source(rd, 1, from->bits), to->bits, from->kind == KIND_SIGNED);
    rd->is_signed = to->kind == KIND_SIGNED;
    return a;
}

/* The comparison of setp and set. 0: of floats, or not one of integers. */
static SymId comparison(SsaReader *rd)
{
    static const struct { uint8_t modifier, as_unsigned, as_signed; bool swap; } rows[] = {
        { MOD_EQ, SYM_EQ, SYM_EQ, false },     { MOD_NE, SYM_NE, SYM_NE, false },     { MOD_LT, SYM_LT_U, SYM_LT_S, false },
        { MOD_LE, SYM_LE_U, SYM_LE_S, false }, { MOD_GT, SYM_LT_U, SYM_LT_S, true },  { MOD_GE, SYM_LE_U, SYM_LE_S, true },
        { MOD_LO, SYM_LT_U, SYM_LT_U, false }, { MOD_LS, SYM_LE_U, SYM_LE_U, false }, { MOD_HI, SYM_LT_U, SYM_LT_U, true },
        { MOD_HS, SYM_LE_U, SYM_LE_U, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ptx_op_has(rd->op, (Modifier)rows[i].modifier))
            continue;
        SymId a = source(rd, 1, rd->width), b = source(rd, 2, rd->width);
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
    const Operand *with = operand_at(rd, 3, 0);
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
static SymId moved(SsaReader *rd, const Operand *def)
{
    const Operand *first = operand_at(rd, 1, 0);
    unsigned count = 1, width = rd->width;
    while (count <= MAX_PACKED
           && operand_at(rd, first && first->flags & OPERAND_ELEMENT ? 1 : 0, count))
        count++;
    if (count > MAX_PACKED || (count > 1 && (width % count || width / count < 8)))
        return 0;
    if (count == 1)
        return source(rd, 1, width);
    if (def->flags & OPERAND_ELEMENT) {
        unsigned index = 0;
        while (operand_at(rd, 0, index) != def)
            index++;
        SymId right = ptx_sym_binary(rd->s, SYM_SHR_U, source(rd, 1, width),
                                     ptx_sym_const(rd->s, width, index * (width / count)));
        return ptx_sym_resize(rd->s, right, width / count, false);
    }
    SymId sum = ptx_sym_const(rd->s, width, 0);
    for (unsigned i = 0; i < count; i++) {
        SymId element = ptx_sym_resize(
            rd->s, operand_value(rd, operand_at(rd, 1, i), width / count), width, false);
        sum = ptx_sym_add(rd->s, sum,
                          ptx_sym_scale(rd->s, element, UINT64_C(1) << (i * (width / count))));
    }
    return sum;
}

static SymId loaded(SsaReader *rd, const Operand *def, SymWhy *why)
{
    const Operand *address = operand_at(rd, 1, 0);
    uint8_t space = rd->op->space;
    bool is_param = space == SPACE_PARAM || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
    *why = WHY_MEMORY;
    if ((!is_param && space != SPACE_CONST) || !address || !is_integer(rd->op->type))
        return 0;
    int64_t offset = address->value;
    VarId var = address->id;
    if (address->kind == OPERAND_REG) {
        const Sym *sym = ptx_sym(rd->s, value_before(rd->r, address->id, rd->id));
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
    for (unsigned n = 0; operand_at(rd, 0, n) && operand_at(rd, 0, n) != def; n++)
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
    case OP_ADD:  return ptx_sym_add(s, source(rd, 1, rd->width), source(rd, 2, rd->width));
    case OP_SUB:  return ptx_sym_sub(s, source(rd, 1, rd->width), source(rd, 2, rd->width));
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
    case OP_MOV:  return moved(rd, def);
    case OP_CVT:  return converted(rd);
    case OP_CVTA: return source(rd, 1, rd->width);
    case OP_SETP: return set_predicate(rd, def);
    case OP_SET:  return set_integer(rd);
    case OP_SELP:
        return ptx_sym_select(s, source(rd, 3, 1), source(rd, 1, rd->width),
                              source(rd, 2, rd->width));
    case OP_NEG:  return ptx_sym_scale(s, source(rd, 1, rd->width), UINT64_MAX);
    case OP_NOT:
        if (rd->width == 1)
            return ptx_sym_not(s, source(rd, 1, 1));
        return ptx_sym_binary(s, SYM_XOR, source(rd, 1, rd->width),
                              ptx_sym_const(s, rd->width, UINT64_MAX));
    case OP_ABS:
        zero = ptx_sym_const(s, rd->width, 0);
        SymId a = source(rd, 1, rd->width);
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

/* What an instruction writes to a register, the guard aside. */
static SymId translate(Ssa *r, InsnId id, const Operand *def)
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
    unsigned width = reg_width(r, def->id);
    SymWhy why = why_not_followed(op);
    SymId value = 0;
    if (op->flags & OPF_UNKNOWN || def->flags & OPERAND_COMPONENT
        || r->func->regs[def->id].vector > 1)
        return opaque(r, width, why, def->id, r->cfg->block_of[id]);
    if (op->kind == OPK_LD)
        value = loaded(&rd, def, &why);
    else if (is_integer(op->type))
        value = translate_integer(&rd, def);
    if (value)
        return ptx_sym_resize(r->symbols, value, width, rd.is_signed);
    return opaque(r, width, why, def->id, r->cfg->block_of[id]);
}

/* ---- reaching definitions -------------------------------------------------------------------- */

/* What an instruction leaves in a register that it defines. */
static SymId value_of_def(Ssa *r, RegId reg, InsnId id)
{
    SymId value = recall(&r->of_def, key_of(reg, id));
    if (value)
        return value;
    const Insn *insn = &r->func->insns[id];
    const Operand *def = ptx_insn_operands(r->func, insn);
    while (!ptx_operand_is_def(def) || def->id != reg)
        def++;
    if (r->nested >= MAX_NESTED || !ptx_ssa_spend(r, 4))
        return remember(r->arena, &r->of_def, key_of(reg, id),
                        opaque(r, reg_width(r, reg), WHY_SIZE, reg, r->cfg->block_of[id]));
    r->nested++;
    value = translate(r, id, def);
    if (insn->guard != NO_ID)
        value = ptx_sym_select(r->symbols, ptx_ssa_guard(r, id), value, value_before(r, reg, id));
    r->nested--;
    return remember(r->arena, &r->of_def, key_of(reg, id), value);
}

/* A value as it is at block `from`, seen at block `to`: behind each loop that is left in
 * between. */
static SymId carry(Ssa *r, SymId value, BlockId from, BlockId to)
{
    const Loop *loops = r->loops->loops;
    for (LoopId loop = r->loops->loop_of[from]; loop != NO_LOOP && !ptx_ssa_holds(r, loop, to);
         loop = loops[loop].parent) {
        if (!ptx_ssa_spend(r, 1) || !ptx_sym_varies(r->symbols, value, loop))
            continue;
        const Sym sym = *ptx_sym(r->symbols, value);
        value = ptx_sym_leaf(r->symbols, (Sym){ .kind = SYM_EXIT,
                                                .width = sym.width,
                                                .uses = USES_UNKNOWN | USES_OPAQUE,
                                                .range = sym.range,
                                                .scope = r->loops->loops[loop].parent,
                                                .a = loop,
                                                .b = value });
    }
    return value;
}

static SymId value_at_end(Ssa *r, RegId reg, BlockId block);

/* Which way out of the branch that ends block d every path to block `to` over the edge from pred
 * takes: 0 the target, 1 on; -1: not decided. */
static int side_of(const Ssa *r, BlockId d, BlockId pred, BlockId to)
{
    const Block *block = &r->cfg->blocks[d];
    for (uint32_t e = 0; e < 2; e++) {
        BlockId succ = r->cfg->succs[block->succ_first + e];
        if (pred == d && succ == to)
            return (int)e;
        if (succ == EXIT_BLOCK || succ == to || !ptx_dom_dominates(r->dom, succ, pred))
            continue;
        const Block *next = &r->cfg->blocks[succ];
        uint32_t ways = 0;
        for (uint32_t p = 0; p < next->pred_count && ways < 2; p++)
            ways += ptx_block_is_reachable(r->cfg, r->cfg->preds[next->pred_first + p]);
        if (ways == 1)
            return (int)e;
    }
    return -1;
}

/* A guarded bra with a way on. */
static bool ends_in_choice(const Ssa *r, BlockId d)
{
    const Insn *last = &r->func->insns[r->cfg->blocks[d].end - 1];
    return last->op->kind == OPK_BRA && last->guard != NO_ID && r->cfg->blocks[d].succ_count == 2;
}

/* Edges into a join, and what the register holds on each. */
typedef struct Edges {
    BlockId preds[MAX_PREDS];
    SymId values[MAX_PREDS];
    uint32_t count;
} Edges;

static bool agree(const Edges *edges)
{
    for (uint32_t p = 1; p < edges->count; p++) {
        if (edges->values[p] != edges->values[0])
            return false;
    }
    return edges->count > 0;
}

/* The nearest block that all the edges' sources have above them. */
static BlockId common_dominator(Ssa *r, const Edges *edges)
{
    BlockId d = edges->preds[0];
    for (uint32_t p = 1; p < edges->count; p++) {
        while (d != EXIT_BLOCK && !ptx_dom_dominates(r->dom, d, edges->preds[p]))
            d = ptx_ssa_spend(r, 1) ? r->dom->idom[d] : EXIT_BLOCK;
    }
    return d;
}

/* One value for all edges into a block: selections by the branches that tell the ways apart; 0:
 * none do. As deep as there are edges at most. */
static SymId gate(Ssa *r, BlockId block, LoopId around, const Edges *edges)
{
    if (agree(edges))
        return edges->values[0];
    BlockId d = common_dominator(r, edges);
    if (d == EXIT_BLOCK || !ends_in_choice(r, d) || r->loops->loop_of[d] != around)
        return 0;
    Edges sides[2] = { { .count = 0 }, { .count = 0 } };
    for (uint32_t p = 0; p < edges->count; p++) {
        int side = side_of(r, d, edges->preds[p], block);
        if (side < 0)
            return 0;
        Edges *to = &sides[side];
        to->preds[to->count] = edges->preds[p];
        to->values[to->count++] = edges->values[p];
    }
    if (!sides[0].count || !sides[1].count)
        return 0;
    SymId taken = gate(r, block, around, &sides[0]),
          on = taken ? gate(r, block, around, &sides[1]) : 0;
    return on ? ptx_sym_select(r->symbols, ptx_ssa_guard(r, r->cfg->blocks[d].end - 1), taken, on)
              : 0;
}

/* Over the edges from inside the loop that block heads, or over the others. */
static SymId merge_edges(Ssa *r, RegId reg, BlockId block, bool from_inside)
{
    const Block *b = &r->cfg->blocks[block];
    Edges edges = { .count = 0 };
    bool header = is_header(r, block);
    for (uint32_t p = 0; p < b->pred_count; p++) {
        BlockId pred = r->cfg->preds[b->pred_first + p];
        if (!ptx_ssa_spend(r, 1) || !ptx_block_is_reachable(r->cfg, pred) ||
            (header && ptx_ssa_holds(r, r->loops->loop_of[block], pred) != from_inside))
            continue;
        if (edges.count == MAX_PREDS
            || (!from_inside && r->cfg->rpo_index[pred] >= r->cfg->rpo_index[block]))
            /* into the middle of a loop */
            return opaque(r, reg_width(r, reg), WHY_PATHS, reg, block);
        edges.preds[edges.count++] = pred;
    }
    if (block == 0 && !from_inside)             /* the caller's way in */
        return opaque(r, reg_width(r, reg), r->func->regs[reg].is_param ? WHY_CALL : WHY_UNDEFINED,
                      reg, EXIT_BLOCK);
    for (uint32_t p = 0; p < edges.count; p++)
        edges.values[p] = carry(r, value_at_end(r, reg, edges.preds[p]), edges.preds[p], block);
    LoopId around = r->loops->loop_of[block];
    if (header && !from_inside)
        around = r->loops->loops[around].parent;
    SymId value = edges.count ? gate(r, block, around, &edges) : 0;
    return value ? value : opaque(r, reg_width(r, reg), WHY_PATHS, reg, block);
}

/* The only reachable predecessor; EXIT_BLOCK: none, or several. */
static BlockId only_pred(Ssa *r, BlockId block)
{
    const Block *b = &r->cfg->blocks[block];
    BlockId only = EXIT_BLOCK;
    for (uint32_t p = 0; p < b->pred_count && ptx_ssa_spend(r, 1); p++) {
        BlockId pred = r->cfg->preds[b->pred_first + p];
        if (!ptx_block_is_reachable(r->cfg, pred))
            continue;
        if (only != EXIT_BLOCK)
            return EXIT_BLOCK;
        only = pred;
    }
    return block == 0 ? EXIT_BLOCK : only;
}

/* At the head of a block with several ways in. */
static SymId value_at_join(Ssa *r, RegId reg, BlockId block)
{
    if (!is_header(r, block))
        return merge_edges(r, reg, block, false);
    LoopId loop = r->loops->loop_of[block];
    unsigned width = reg_width(r, reg);
    if (r->loops->loops[loop].is_irreducible)
        return opaque(r, width, WHY_PATHS, reg, block);
    if (!writes_in_loop(r, reg, loop))
        return merge_edges(r, reg, block, false);
    return ptx_sym_leaf(r->symbols, (Sym){ .kind = SYM_PHI,
                                           .width = (uint8_t)width,
                                           .uses = USES_UNKNOWN,
                                           .scope = loop,
                                           .a = loop,
                                           .b = reg,
                                           .range = ptx_interval_full(width) });
}

/* Whether nothing between the end of a block's dominator d and the block writes the register. */
static bool can_skip_to(Ssa *r, RegId reg, BlockId d)
{
    return d != EXIT_BLOCK && !writes_below(r, reg, d);
}

/* The place above `block` where the register's value at its head comes from: a definition in *def
 * and its block, or NO_ID and a join. */
static BlockId find_origin(Ssa *r, RegId reg, BlockId block, InsnId *def)
{
    *def = NO_ID;
    /* nearly all registers of compilers */
    if (r->def_first[reg + 1] - r->def_first[reg] == 1) {
        BlockId only = r->cfg->block_of[r->defs[r->def_first[reg]]];
        if (only != block && ptx_dom_dominates(r->dom, only, block)) {
            *def = r->defs[r->def_first[reg]];
            return only;
        }
    }
    while (ptx_ssa_spend(r, 1)) {
        BlockId up = only_pred(r, block);
        if (up == EXIT_BLOCK) {
            up = r->dom->idom[block];
            if (!can_skip_to(r, reg, up))
                return block;
        }
        *def = last_def(r, reg, r->cfg->blocks[up].first, r->cfg->blocks[up].end);
        block = up;
        if (*def != NO_ID)
            return block;
    }
    return block;
}

static SymId value_at_entry(Ssa *r, RegId reg, BlockId block)
{
    InsnId def;
    SymId value = recall(&r->at_entry, key_of(reg, block));
    if (value)
        return value;
    BlockId origin = find_origin(r, reg, block, &def);
    if (r->nested >= MAX_NESTED || ptx_ssa_is_spent(r))
        return remember(r->arena, &r->at_entry, key_of(reg, block),
                        opaque(r, reg_width(r, reg), WHY_SIZE, reg, block));
    r->nested++;
    if (def != NO_ID) {
        value = value_of_def(r, reg, def);
    } else {
        value = recall(&r->at_entry, key_of(reg, origin));
        if (!value)
            value = remember(r->arena, &r->at_entry, key_of(reg, origin),
                             value_at_join(r, reg, origin));
    }
    value = carry(r, value, origin, block);
    r->nested--;
    return remember(r->arena, &r->at_entry, key_of(reg, block), value);
}

static SymId value_at_end(Ssa *r, RegId reg, BlockId block)
{
    InsnId def = last_def(r, reg, r->cfg->blocks[block].first, r->cfg->blocks[block].end);
    return def != NO_ID ? value_of_def(r, reg, def) : value_at_entry(r, reg, block);
}

static SymId value_before(Ssa *r, RegId reg, InsnId insn)
{
    BlockId block = r->cfg->block_of[insn];
    InsnId def = last_def(r, reg, r->cfg->blocks[block].first, insn);
    return def != NO_ID ? value_of_def(r, reg, def) : value_at_entry(r, reg, block);
}

/* ---- the interface --------------------------------------------------------------------------- */

static void find_shape(Ssa *r)
{
    const Bounds *bounds = &r->func->bounds;
    r->block_is_code = r->func->is_entry && bounds->reqntid[0];
    for (int i = 0; i < 3; i++) {
        if (r->block_is_code)
            r->block_shape[i] = bounds->reqntid[i] ? bounds->reqntid[i] : 1;
        else if (r->launch)
            r->block_shape[i] = r->launch->block[i];
        r->grid_shape[i] = r->launch ? r->launch->grid[i] : 0;
    }
}

Ssa *ptx_ssa_new(Arena *arena, const FuncFlow *flow, const Launch *launch, uint64_t steps)
{
    const Loops *loops = flow->loops;
    Ssa *r = ptx_arena_new(arena, Ssa);
    *r = (Ssa){ .arena = arena,
                .module = flow->module,
                .func = flow->func,
                .cfg = flow->cfg,
                .dom = flow->dom,
                .loops = loops,
                .launch = launch,
                .steps = steps };
    r->symbols = ptx_symbols_new(arena, flow->module, flow->func, loops,
                                 (uint32_t)(steps < UINT32_MAX / 2 ? steps : UINT32_MAX / 2));
    r->loop_end = ptx_arena_array(arena, LoopId, loops->loop_count ? loops->loop_count : 1);
    for (LoopId loop = loops->loop_count; loop-- > 0;) {
        LoopId parent = loops->loops[loop].parent;
        r->loop_end[loop] = r->loop_end[loop] ? r->loop_end[loop] : loop + 1;
        if (parent != NO_LOOP && r->loop_end[parent] < r->loop_end[loop])
            r->loop_end[parent] = r->loop_end[loop];
    }
    r->phi_capacity = 16;
    r->phi_values = ptx_arena_array(arena, Phi, r->phi_capacity);
    r->phi_count = 1;
    index_defs(r);
    find_shape(r);
    return r;
}

Symbols *ptx_ssa_symbols(const Ssa *r)
{
    return r->symbols;
}

SymId ptx_ssa_guard(Ssa *r, InsnId id)
{
    const Insn *insn = &r->func->insns[id];
    if (insn->guard == NO_ID)
        return ptx_sym_const(r->symbols, 1, 1);
    SymId guard = ptx_sym_resize(r->symbols, value_before(r, insn->guard, id), 1, false);
    return insn->guard_negated ? ptx_sym_not(r->symbols, guard) : guard;
}

Phi ptx_ssa_phi(Ssa *r, SymId id)
{
    uint32_t index = recall(&r->phis, id);
    if (index)
        return r->phi_values[index];
    const Sym phi = *ptx_sym(r->symbols, id);
    BlockId header = r->loops->loops[phi.a].header;
    Phi value = { .start = merge_edges(r, phi.b, header, false),
                  .next = merge_edges(r, phi.b, header, true) };
    if (r->phi_count == r->phi_capacity)
        r->phi_values = ptx_arena_grow(r->arena, r->phi_values, r->phi_count, &r->phi_capacity,
                                       sizeof *r->phi_values);
    r->phi_values[r->phi_count] = value;
    remember(r->arena, &r->phis, id, r->phi_count++);
    return value;
}

bool ptx_ssa_holds(const Ssa *r, LoopId loop, BlockId block)
{
    LoopId inner = r->loops->loop_of[block];
    return inner != NO_LOOP && inner >= loop && inner < r->loop_end[loop];
}

void ptx_ssa_shape(const Ssa *r, uint32_t block[3], uint32_t grid[3])
{
    memcpy(block, r->block_shape, sizeof r->block_shape);
    memcpy(grid, r->grid_shape, sizeof r->grid_shape);
}
