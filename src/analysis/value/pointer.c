#include "analysis/value/pointer.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"

#include <stdbool.h>

enum { MAX_PASSES = 16 };      /* through registers that loops write; beyond, all are pointers */

static uint64_t bit_of(const Func *func, const Operand *operand)
{
    for (uint32_t p = 0; operand->kind == OPERAND_VAR && p < func->param_count && p < MAX_POINTERS;
         p++)
        if (func->params[p] == operand->id)
            return UINT64_C(1) << p;
    return 0;
}

/* What its results may point into: what is moved, chosen or added to; a factor or a shifted value
 * is no pointer. */
static uint64_t flow_of(const Func *func, const Insn *insn, const uint64_t *from)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    uint64_t found = 0;
    bool is_load = insn->op->kind == OPK_LD, is_product = insn->op->operation == OP_MAD;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        bool is_read = operands[o].role & (ROLE_USE | ROLE_ADDRESS),
             is_factor = is_product && o < 3;
        if (is_load)
            found |= is_read ? bit_of(func, &operands[o]) : 0;
        else if (is_read && !is_factor)
            found |= operands[o].kind == OPERAND_REG ? from[operands[o].id]
                                                     : bit_of(func, &operands[o]);
    }
    return found;
}

static bool hands_on(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_LD:
    case OP_LDU:
    case OP_MOV:
    case OP_ADD:
    case OP_SUB:
    case OP_CVT:
    case OP_MAD:
    case OP_CVTA:
    case OP_SELP:
    case OP_AND:
    case OP_OR:
    case OP_SHFL: case OP_MIN: case OP_MAX:
        return true;
    default:
        return false;
    }
}

/* Addresses, and what functions get, which may take it for one. */
static uint64_t uses_of(const Func *func, const Insn *insn, const uint64_t *from)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    bool is_given = insn->op->kind == OPK_CALL
                    || (insn->op->kind == OPK_ST && insn->op->space == SPACE_PARAM);
    uint64_t found = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG
            && (operands[o].role & ROLE_ADDRESS || (is_given && operands[o].role & ROLE_USE)))
            found |= from[operands[o].id];
    return found;
}

uint64_t ptx_pointers_compute(Arena *arena, const Module *module, const Func *func)
{
    ArenaMark mark = ptx_arena_mark(arena);
    /* per register: parameters that it may hold */
    uint64_t *from = ptx_arena_array(arena, uint64_t, func->reg_count + 1), found = 0;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < MAX_PASSES; pass++) {
        changed = false;
        for (InsnId i = 0; i < func->insn_count; i++) {
            const Insn *insn = &func->insns[i];
            const Operand *operands = ptx_insn_operands(func, insn);
            uint64_t flow = hands_on(insn->op) ? flow_of(func, insn, from) : 0;
            for (uint32_t o = 0; flow && o < insn->operand_count; o++)
                if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                    && (from[operands[o].id] | flow) != from[operands[o].id]) {
                    from[operands[o].id] |= flow;
                    changed = true;
                }
            found |= uses_of(func, insn, from);
        }
    }
    for (uint32_t p = 0; p < func->param_count && p < MAX_POINTERS; p++)
        if (func->params[p] != NO_ID && module->vars[func->params[p]].pointer_align)
            found |= UINT64_C(1) << p;
    ptx_arena_release(arena, mark);
    return changed ? UINT64_MAX : found;
}
