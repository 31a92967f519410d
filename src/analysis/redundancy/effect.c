#include "analysis/redundancy/effect.h"
#include "isa/isa.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"

#include <stdbool.h>

enum { MAX_RESULTS = 4 };      /* of a function that are looked at; compilers give it one */

/* Modifiers of accesses that others may be ordered by. */
static bool has_strong_order(const Op *op)
{
    static const uint8_t words[] = { MOD_VOLATILE, MOD_RELAXED, MOD_ACQUIRE, MOD_RELEASE,
                                     MOD_ACQ_REL,  MOD_MMIO,    MOD_NONE };
    return ptx_op_has_any(op, words);
}

/* An atomic is relaxed unless it says more. */
static bool orders_atomic(const Op *op)
{
    return ptx_op_has(op, MOD_ACQUIRE) || ptx_op_has(op, MOD_ACQ_REL);
}

uint8_t ptx_effect_memory(Space space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return MEMORY_GLOBAL;
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER:
        return MEMORY_SHARED;
    case SPACE_LOCAL:
        return MEMORY_LOCAL;
    case SPACE_GENERIC:
        return MEMORY_ALL;
    default:
        return 0;
    }
}

static bool only_hints(const Op *op)
{
    return op->operation == OP_PREFETCH || op->operation == OP_PREFETCHU
           || op->operation == OP_APPLYPRIORITY;
}

/* Neither loads nor stores as far as the tables show, and yet does something. */
static uint8_t writes_of_other(const Op *op)
{
    switch (op->insn_class) {
    case CLASS_BARRIER:
        return MEMORY_COMMON;
    case CLASS_GLOBAL:
    case CLASS_SHARED:
    case CLASS_LOCAL:
    case CLASS_ATOMIC:
    case CLASS_TEXTURE:
    case CLASS_OTHER:
        return op->flags & OPF_SIDE_EFFECT && !only_hints(op) ? MEMORY_COMMON : 0;
    default:
        return 0;
    }
}

uint8_t ptx_effect_writes(const Op *op)
{
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_CALL)
        return MEMORY_ALL;
    if (op->kind == OPK_CP_ASYNC)
        return MEMORY_SHARED;
    if (op->flags & OPF_STORE) {
        uint8_t own = ptx_effect_memory((Space)op->space);
        return op->flags & OPF_LOAD && orders_atomic(op) ? own | MEMORY_COMMON : own;
    }
    if (op->flags & OPF_LOAD)
        return has_strong_order(op) ? MEMORY_COMMON : 0;
    return writes_of_other(op);
}

uint8_t ptx_effect_reads(const Op *op)
{
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_CALL)
        return MEMORY_ALL;
    if (op->kind == OPK_CP_ASYNC)
        return MEMORY_GLOBAL;
    if (op->flags & OPF_LOAD)
        return op->operation == OP_LDU || ptx_op_has(op, MOD_NC)
                   ? 0
                   : ptx_effect_memory((Space)op->space);
    return op->flags & OPF_STORE ? 0 : writes_of_other(op);
}

bool ptx_effect_is_plain(const Op *op)
{
    return (op->kind == OPK_LD || op->kind == OPK_ST) && !(op->flags & OPF_UNKNOWN)
           && !ptx_op_has(op, MOD_ASYNC) && !has_strong_order(op);
}

const Operand *ptx_effect_address(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn), *found = NULL;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_ADDRESS))
            continue;
        if (found)
            return NULL;
        found = &operands[o];
    }
    return found;
}

bool ptx_effect_is_fixed(SregId id)
{
    switch (id) {
    case SREG_TID: case SREG_NTID: case SREG_CTAID: case SREG_NCTAID: case SREG_LANEID:
        return true;
    default:
        return false;
    }
}

static bool reads_fixed(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_UNKNOWN
            || (operands[o].kind == OPERAND_SREG && !ptx_effect_is_fixed((SregId)operands[o].id)))
            return false;
    return true;
}

/* What the function itself gives back, and what calls give back, comes through parameter memory
 * too, and changes. */
static bool is_effect_argument(const Module *module, const Func *func, VarId var)
{
    if (func->result_count > MAX_RESULTS)
        return false;
    for (uint32_t r = 0; r < func->result_count; r++)
        if (func->results[r] == var)
            return false;
    return module->vars[var].is_parameter;
}

static bool reads_argument(const Module *module, const Func *func, const Insn *insn)
{
    if (insn->op->kind != OPK_LD || insn->op->insn_class != CLASS_PARAM)
        return false;
    const Operand *address = ptx_effect_address(func, insn);
    return address && address->kind == OPERAND_VAR && is_effect_argument(module, func, address->id);
}

bool ptx_effect_is_pure(const Module *module, const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->flags & (OPF_SIDE_EFFECT | OPF_WARP | OPF_UNKNOWN))
        return false;
    if (op->operation == OP_ADDC || op->operation == OP_SUBC || op->operation == OP_MADC)
        return false;                   /* reads the carry */
    if (op->space || op->flags & (OPF_LOAD | OPF_STORE))
        return reads_argument(module, func, insn);
    bool is_other = op->insn_class == CLASS_OTHER && op->operation != OP_CREATEPOLICY;
    return op->insn_class != CLASS_TEXTURE && !is_other && reads_fixed(func, insn);
}
