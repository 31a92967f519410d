#include "analysis/sim/race/data_extent.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_STEPS = 24, NARROW_BITS = 16 };
#define MAX_NUMBER (INT64_C(1) << 40)

typedef struct DataRange {         /* low <= number <= high; of an address: less that of var */
    int64_t low, high;
    VarId var;                  /* NO_ID: it is a number */
    bool is_data, is_open;      /* open: it has no bounds */
} DataRange;

typedef struct ExtentWalk {
    const Module *module;
    const Func *func;
    const PointsToSet *bases;
} ExtentWalk;

static DataRange number_of(int64_t low, int64_t high)
{
    return (DataRange){ .low = low, .high = high, .var = NO_ID };
}

static const Operand *nth_use(const ExtentWalk *w, const Insn *insn, unsigned n)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && !n--)
            return &operands[o];
    return NULL;
}

static bool is_within(const DataRange *x)
{
    return x->is_open || (x->low > -MAX_NUMBER && x->high < MAX_NUMBER);
}

static bool add(DataRange a, DataRange b, DataRange *out)
{
    if (a.var != NO_ID && b.var != NO_ID)
        return false;
    *out = (DataRange){ a.low + b.low, a.high + b.high, a.var == NO_ID ? b.var : a.var, a.is_data || b.is_data, a.is_open || b.is_open };
    return is_within(out);
}

/* By a number that is known and not negative. */
static bool scale(DataRange a, DataRange by, DataRange *out)
{
    if (a.var != NO_ID || by.var != NO_ID || by.low != by.high || by.low < 0 || by.low > UINT32_MAX
        || by.is_open)
        return false;
    if (a.is_open)
        by.low = 0;
    *out = (DataRange){ a.low * by.low, a.high * by.low, NO_ID, a.is_data, a.is_open };
    return is_within(out);
}

/* What is loaded may be anything of its type. */
static bool load(const Insn *insn, DataRange *out)
{
    const TypeInfo *type = &ptx_type_info[insn->op->type];
    if (insn->op->space == SPACE_PARAM || insn->op->vector > 1)
        return false;
    bool is_narrow = type->bits <= NARROW_BITS && type->kind != KIND_FLOAT;
    *out = number_of(0, is_narrow ? (INT64_C(1) << type->bits) - 1 : 0);
    if (is_narrow && type->kind == KIND_SIGNED)
        *out = number_of(-(INT64_C(1) << (type->bits - 1)), (INT64_C(1) << (type->bits - 1)) - 1);
    out->is_data = true;
    out->is_open = !is_narrow;
    return true;
}

/* Numbers from 0 to `most`, of data. */
static bool below(DataRange a, int64_t most, DataRange *out)
{
    if (a.var != NO_ID || !a.is_data || most < 0)
        return false;
    bool is_less = !a.is_open && a.low >= 0 && a.high < most;
    *out = number_of(0, is_less ? a.high : most);
    out->is_data = true;
    return true;
}

static bool convert(const Op *op, DataRange a, DataRange *out)
{
    const unsigned bits = ptx_type_info[op->type].bits;
    const unsigned kind = ptx_type_info[op->type].kind;
    *out = a;
    if (ptx_type_info[op->dst_type].kind == KIND_FLOAT || kind == KIND_FLOAT
        || ptx_op_has(op, MOD_SAT))
        return false;
    if (kind != KIND_SIGNED && bits <= NARROW_BITS && a.is_data)
        return below(a, (INT64_C(1) << bits) - 1, out);
    return a.is_open || (a.low >= 0 && a.high < (INT64_C(1) << 31));
}

static bool follow(const ExtentWalk *w, const Operand *operand, unsigned depth, DataRange *out);

/* Of an instruction of two or three operands that are followed. */
static bool combine(const ExtentWalk *w, const Insn *insn, unsigned depth, DataRange *out)
{
    const Op *op = insn->op;
    DataRange x[3];
    unsigned count = 0;
    for (const Operand *use; count < 3 && (use = nth_use(w, insn, count)); count++)
        if (!follow(w, use, depth - 1, &x[count]))
            return false;
    if (count < 2 || ptx_op_has(op, MOD_HI) || ptx_op_has(op, MOD_SAT)
        || ptx_type_info[op->type].kind == KIND_FLOAT || ptx_type_is_packed((Type)op->type))
        return false;
    const bool is_point = x[1].low == x[1].high && !x[1].is_open && x[1].var == NO_ID;
    DataRange product;
    switch ((Operation)op->operation) {
    case OP_ADD: return add(x[0], x[1], out);
    case OP_SUB: return is_point && add(x[0], number_of(-x[1].low, -x[1].low), out);
    case OP_MUL: return scale(x[0], x[1], out);
    case OP_MAD: return count == 3 && scale(x[0], x[1], &product) && add(product, x[2], out);
    case OP_SHL:
        return is_point && x[1].low >= 0 && x[1].low < 32
               && scale(x[0], number_of(INT64_C(1) << x[1].low, INT64_C(1) << x[1].low), out);
    case OP_AND: return is_point && below(x[0], x[1].low, out);
    case OP_MIN:
        return is_point && ptx_type_info[op->type].kind != KIND_SIGNED
               && below(x[0], x[1].low, out);
    case OP_REM:
        return is_point && ptx_type_info[op->type].kind != KIND_SIGNED
               && below(x[0], x[1].low - 1, out);
    case OP_BFE:
        return count == 3 && ptx_type_info[op->type].kind != KIND_SIGNED && x[2].low == x[2].high
               && x[2].low > 0 && x[2].low <= NARROW_BITS
               && below(x[0], (INT64_C(1) << x[2].low) - 1, out);
    case OP_SHR: {
        unsigned bits = ptx_type_info[op->type].bits;
        bool is_short = is_point && x[1].low > 0 && x[1].low < bits
                        && bits - x[1].low <= NARROW_BITS;
        return is_short && ptx_type_info[op->type].kind != KIND_SIGNED && x[0].is_open
               && below(x[0], (INT64_C(1) << (bits - x[1].low)) - 1, out);
    }
    default: return false;
    }
}

static bool define(const ExtentWalk *w, const Insn *insn, unsigned depth, DataRange *out)
{
    const Op *op = insn->op;
    const Operand *use = nth_use(w, insn, 0);
    if (op->operation == OP_LD || op->family == OP_LD)
        return load(insn, out);
    if (!use || ptx_insn_operands(w->func, insn)->flags & OPERAND_ELEMENT)
        return false;
    if (op->operation == OP_MOV || op->operation == OP_CVTA)
        return follow(w, use, depth - 1, out);
    if (op->operation == OP_CVT)
        return follow(w, use, depth - 1, out) && convert(op, *out, out);
    return combine(w, insn, depth, out);
}

static bool follow(const ExtentWalk *w, const Operand *operand, unsigned depth, DataRange *out)
{
    if (!depth
        || operand->flags & (OPERAND_MINUS | OPERAND_ELEMENT | OPERAND_COMPONENT | OPERAND_PART))
        return false;
    const int64_t value = ptx_operand_value(operand);
    if (operand->kind == OPERAND_INT) {
        *out = number_of(value, value);
        return is_within(out);
    }
    if (operand->kind == OPERAND_VAR) {
        *out = (DataRange){ value, value, operand->id, false, false };
        return true;
    }
    if (operand->kind != OPERAND_REG || w->bases->def[operand->id] == NO_ID)
        return false;
    if (!define(w, &w->func->insns[w->bases->def[operand->id]], depth, out))
        return false;
    return !(operand->role & ROLE_ADDRESS) || add(*out, number_of(value, value), out);
}

/* A number without bounds: where it counts from the beginning of an array that atomic operations
 * count in, all of the array. */
static bool close_extent(const Insn *insn, uint64_t bytes, DataRange *x)
{
    bool is_count = insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (!x->is_open)
        return true;
    bool is_all = is_count && bytes && x->low == 0 && x->high == 0;
    x->high = is_all ? (int64_t)bytes - insn->access_bytes : 0;
    return is_all && x->high > 0;
}

DataExtent ptx_data_extent_find(const Module *module, const Func *func, const PointsToSet *bases,
                                const Insn *insn)
{
    const ExtentWalk walk = { module, func, bases };
    const DataExtent unknown = { NO_ID, 0, 0 };
    const Operand *operands = ptx_insn_operands(func, insn), *place = NULL;
    for (uint32_t o = 0; o < insn->operand_count && !place; o++)
        if (operands[o].role & ROLE_ADDRESS)
            place = &operands[o];
    DataRange x;
    if (!place || !follow(&walk, place, MAX_STEPS, &x) || x.var == NO_ID || !x.is_data
        || !ptx_space_is_shared((Space)module->vars[x.var].space))
        return unknown;
    const uint64_t bytes = module->vars[x.var].bytes;
    if (!close_extent(insn, bytes, &x) || x.low < 0 || x.high <= x.low)
        return unknown;
    uint64_t high = (uint64_t)x.high + insn->access_bytes;
    return (DataExtent){ x.var, (uint64_t)x.low, bytes && high > bytes ? bytes : high };
}
