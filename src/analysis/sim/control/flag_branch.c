#include "analysis/sim/control/flag_branch.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"

enum { LONGEST_FLAG_BLOCK = 8, MOST_LINKS = 4 };

struct FlagRegisters {
    const InsnId *makers;       /* per register: NO_ID: none writes it, or several do */
    const bool *is_used;
};

static const FlagRegisters *find_flag_registers(Arena *arena, const Func *func)
{
    bool *is_written = ptx_arena_array(arena, bool, func->reg_count + 1);
    InsnId *makers = ptx_arena_array(arena, InsnId, func->reg_count + 1);
    bool *is_used = ptx_arena_array(arena, bool, func->reg_count + 1);
    for (RegId r = 0; r < func->reg_count; r++)
        makers[r] = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++) {
            const Operand *operand = &operands[o];
            if (operand->kind != OPERAND_REG)
                continue;
            is_used[operand->id] |= (operand->role & (ROLE_USE | ROLE_ADDRESS)) != 0;
            if (!ptx_operand_is_def(operand))
                continue;
            makers[operand->id] = is_written[operand->id] ? NO_ID : i;
            is_written[operand->id] = true;
        }
    }
    FlagRegisters *out = ptx_arena_new(arena, FlagRegisters);
    *out = (FlagRegisters){ makers, is_used };
    return out;
}

/* A function and what its registers are. */
typedef struct FlagSearch {
    const Func *func;
    const Cfg *cfg;
    PlanMemo *memo;
} FlagSearch;

/* Once a function: of many branches each would go through all of it. */
static const FlagRegisters *flag_registers_of(const FlagSearch *in)
{
    if (!in->memo->flag_registers)
        in->memo->flag_registers = find_flag_registers(in->memo->arena, in->func);
    return in->memo->flag_registers;
}

/* A parameter of the kernel, moved or converted. */
static bool is_from_param(const FlagSearch *in, RegId reg)
{
    const Func *func = in->func;
    for (unsigned n = 0; n < MOST_LINKS; n++) {
        const InsnId id = flag_registers_of(in)->makers[reg];
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

static bool is_flag_result_used(const FlagSearch *in, const Operand *result)
{
    return result->kind != OPERAND_REG || flag_registers_of(in)->is_used[result->id];
}

static bool has_constants_only(const FlagSearch *in, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(in->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const bool is_address = operands[o].role & ROLE_ADDRESS;
        if (ptx_operand_is_def(&operands[o]) ? is_flag_result_used(in, &operands[o])
                                             : !is_address && operands[o].kind != OPERAND_INT)
            return false;
    }
    return true;
}

static bool is_at_one_address(const FlagSearch *in, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(in->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS)
            return operands[o].kind == OPERAND_VAR
                   || (operands[o].kind == OPERAND_REG && is_from_param(in, operands[o].id));
    return false;
}

static bool raises_flag(const FlagSearch *in, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->space != SPACE_GLOBAL || insn->guard != NO_ID || !is_at_one_address(in, insn))
        return false;
    return op->kind == OPK_ST || (is_idempotent(op) && has_constants_only(in, insn));
}

/* Moves and conversions for it may stand around it, and a jump behind. */
static bool is_flag_block(const FlagSearch *in, BlockId id, BlockId from)
{
    const Func *func = in->func;
    const Cfg *cfg = in->cfg;
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
    return flag != NO_ID && raises_flag(in, &func->insns[flag]);
}

int ptx_branch_flag_side(const FuncState *func_state, InsnId branch)
{
    const FlagSearch in = { func_state->func, func_state->cfg, func_state->memo };
    const BlockId from = in.cfg->block_of[branch];
    const Block *block = &in.cfg->blocks[from];
    if (in.func->insns[branch].op->kind != OPK_BRA || block->succ_count != 2)
        return 0;
    /* the edge of the fall-through is the last */
    return is_flag_block(&in, in.cfg->succs[block->succ_first], from)
           - is_flag_block(&in, in.cfg->succs[block->succ_first + 1], from);
}
