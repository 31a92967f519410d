/* width.c -- how wide the addresses of a module are that does not say so. */
#include "resolve/width.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"

static bool is_narrow_register(const Reg *regs, const Operand *operand)
{
    if (operand->kind != OPERAND_REG)
        return false;
    const Reg *reg = &regs[operand->id];
    return ptx_type_info[reg->type].bits == 32 && ptx_type_info[reg->type].kind != KIND_FLOAT
           && reg->vector <= 1;
}

static bool is_whole_address(const Module *module, const Operand *operand)
{
    return operand->kind == OPERAND_VAR && !ptx_operand_value(operand)
           && module->vars[operand->id].space == SPACE_GLOBAL;
}

/* Copies of both spaces are left out: one of their addresses may be narrow. */
static bool accesses_global(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OPK_LD: case OPK_ST: case OPK_ATOM: case OPK_RED:
        return (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC)
               && op->operation != OP_ST_BULK;
    default:
        return false;
    }
}

const Operand *ptx_narrow_address(const Insn *insn, const Operand *operands, const Reg *regs)
{
    if (!accesses_global(insn->op))
        return NULL;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (operands[i].role & ROLE_ADDRESS && is_narrow_register(regs, operands + i))
            return operands + i;
    return NULL;
}

/* Global or generic memory through 32 bits, such an address converted, or one of a variable. */
static bool has_narrow_address(const Module *module, const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    const Operand *operands = func->operands + insn->operand_first;
    if (op->operation == OP_CVTA)
        return ptx_type_info[op->type].bits == 32;
    if (op->kind == OPK_MOV)
        return insn->operand_count == 2 && is_narrow_register(func->regs, operands)
               && is_whole_address(module, operands + 1);
    return ptx_narrow_address(insn, operands, func->regs) != NULL;
}

uint32_t ptx_address_width(const Module *module)
{
    for (uint32_t f = 0; f < module->func_count; f++)
        for (uint32_t i = 0; i < module->funcs[f].insn_count; i++)
            if (has_narrow_address(module, &module->funcs[f], &module->funcs[f].insns[i]))
                return 32;
    return 64;
}
