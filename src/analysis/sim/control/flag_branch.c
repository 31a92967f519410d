#include "analysis/sim/control/flag_branch.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"

enum { LONGEST_FLAG_BLOCK = 8, MOST_LINKS = 4 };

/* NO_ID: none, or several do. */
static InsnId only_maker(const Func *func, RegId reg)
{
    InsnId found = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]) || operands[o].id != reg)
                continue;
            if (found != NO_ID)
                return NO_ID;
            found = i;
        }
    }
    return found;
}

static bool is_used(const Func *func, RegId reg)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].id == reg
                && operands[o].role & (ROLE_USE | ROLE_ADDRESS))
                return true;
    }
    return false;
}

/* A parameter of the kernel, moved or converted. */
static bool is_from_param(const Func *func, RegId reg)
{
    for (unsigned n = 0; n < MOST_LINKS; n++) {
        const InsnId id = only_maker(func, reg);
        if (id == NO_ID)
            return false;
        const Insn *insn = &func->insns[id];
        const Operand *operands = ptx_insn_operands(func, insn);
        if (insn->op->kind == OPK_LD)
            return insn->op->space == SPACE_PARAM;
        const bool is_move = insn->op->operation == OP_CVTA || insn->op->operation == OP_MOV;
        if (!is_move || insn->operand_count != 2 || operands[1].kind != OPERAND_REG)
            return false;
        reg = operands[1].id;
    }
    return false;
}

/* Of an atomic, that is done once for all. */
static bool is_idempotent(const Op *op)
{
    static const Modifier once[] = { MOD_AND, MOD_OR, MOD_MIN, MOD_MAX, MOD_EXCH, MOD_CAS };
    for (unsigned i = 0; i < sizeof once / sizeof *once; i++)
        if (ptx_op_has(op, once[i]))
            return true;
    return false;
}

static bool has_constants_only(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const bool is_address = operands[o].role & ROLE_ADDRESS;
        if (ptx_operand_is_def(&operands[o]) ? is_used(func, operands[o].id)
                                             : !is_address && operands[o].kind != OPERAND_INT)
            return false;
    }
    return true;
}

static bool is_at_one_address(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS)
            return operands[o].kind == OPERAND_VAR
                   || (operands[o].kind == OPERAND_REG && is_from_param(func, operands[o].id));
    return false;
}

static bool raises_flag(const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->space != SPACE_GLOBAL || insn->guard != NO_ID || !is_at_one_address(func, insn))
        return false;
    return op->kind == OPK_ST || (is_idempotent(op) && has_constants_only(func, insn));
}

/* Moves and conversions for it may stand around it, and a jump behind. */
static bool is_flag_block(const Func *func, const Cfg *cfg, BlockId id, BlockId from)
{
    const Block *block = &cfg->blocks[id];
    InsnId flag = NO_ID;
    if (id == EXIT_BLOCK || block->end - block->first > LONGEST_FLAG_BLOCK
        || block->pred_count != 1 || cfg->preds[block->pred_first] != from
        || block->succ_count > 1)
        return false;
    for (InsnId i = block->first; i < block->end; i++) {
        const Op *op = func->insns[i].op;
        const bool is_flag = op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED,
                   is_plain = op->operation == OP_CVTA || op->operation == OP_MOV
                              || op->operation == OP_RET || op->kind == OPK_BRA
                              || (op->kind == OPK_LD && op->space == SPACE_PARAM);
        if ((!is_flag && !is_plain) || (is_flag && flag != NO_ID))
            return false;
        flag = is_flag ? i : flag;
    }
    return flag != NO_ID && raises_flag(func, &func->insns[flag]);
}

int ptx_branch_flag_side(const Func *func, const Cfg *cfg, InsnId branch)
{
    const BlockId from = cfg->block_of[branch];
    const Block *block = &cfg->blocks[from];
    if (func->insns[branch].op->kind != OPK_BRA || block->succ_count != 2)
        return 0;
    /* the edge of the fall-through is the last */
    return is_flag_block(func, cfg, cfg->succs[block->succ_first], from)
           - is_flag_block(func, cfg, cfg->succs[block->succ_first + 1], from);
}
