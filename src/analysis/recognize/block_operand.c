/* Operands of an instruction for the lanes of a warp: registers, places, guards. */
#include "analysis/recognize/block_run.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "ir/sreg.h"

/* ---- registers ------------------------------------------------------------------------------- */

unsigned ptx_block_reg_bits(const BlockRun *run, RegId reg)
{
    const uint8_t type = run->func->regs[reg].type;
    return type == TYPE_PRED ? 1 : ptx_type_info[type].bits;
}

bool ptx_block_is_whole_reg(const BlockRun *run, const Operand *operand)
{
    const uint8_t others = OPERAND_COMPONENT | OPERAND_PART | OPERAND_MINUS | OPERAND_IMPLICIT;
    return operand->kind == OPERAND_REG && !(operand->flags & others)
           && run->func->regs[operand->id].vector <= 1;
}

static uint64_t number_of_sreg(const BlockRun *run, const Operand *operand, uint32_t thread,
                               bool *is_known)
{
    const uint32_t lane = thread % BLOCK_WARP, bit = UINT32_C(1) << lane;
    const uint32_t at[3] = { thread % run->shape[0], thread / run->shape[0] % run->shape[1],
                             thread / run->shape[0] / run->shape[1] };
    const int64_t component = ptx_operand_value(operand);
    *is_known = true;
    switch ((SregId)operand->id) {
    case SREG_TID:
        return component < 3 ? at[component] : 0;
    case SREG_NTID:
        return component < 3 ? run->shape[component] : 0;
    case SREG_LANEID: return lane;
    case SREG_LANEMASK_EQ: return bit;
    case SREG_LANEMASK_LT: return bit - 1;
    case SREG_LANEMASK_LE: return bit | (bit - 1);
    case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
    case SREG_LANEMASK_GE: return ~(bit - 1);
    default: *is_known = false; return 0;
    }
}

/* Of a register that was never set nothing is known. */
static BlockValue unknown_reg(const BlockRun *run, const Operand *operand)
{
    const uint64_t site = (uint64_t)run->func->operand_count + operand->id;
    return ptx_block_element(ptx_block_key(site, 0, NO_THREAD));
}

static BlockValue read_reg(const BlockRun *run, const Operand *operand, uint32_t thread)
{
    const BlockValue unknown = unknown_reg(run, operand);
    if (!ptx_block_is_whole_reg(run, operand))
        return unknown;
    BlockValue value = ptx_block_reg(run, operand->id, thread);
    if (value.kind == BLOCK_UNSET || (operand->flags & OPERAND_NEGATED
                                      && value.kind != BLOCK_NUMBER))
        return unknown;
    if (operand->flags & OPERAND_NEGATED)
        value.number = !value.number;
    return value;
}

BlockValue ptx_block_read(const BlockRun *run, const Operand *operand, uint32_t thread)
{
    const uint64_t site = (uint64_t)(operand - run->func->operands);
    bool is_known = false;
    uint64_t number = 0;
    if (operand->kind == OPERAND_REG)
        return read_reg(run, operand, thread);
    if (operand->kind == OPERAND_SREG)
        number = number_of_sreg(run, operand, thread, &is_known);
    if (operand->kind == OPERAND_VAR && (number = ptx_block_shared_address(run, operand->id))) {
        number += (uint64_t)ptx_operand_value(operand);
        is_known = true;
    }
    if (operand->kind == OPERAND_INT || operand->kind == OPERAND_F32
        || operand->kind == OPERAND_F64)
        return ptx_block_number((uint64_t)ptx_operand_value(operand));
    return is_known ? ptx_block_number(number)
                    : ptx_block_element(ptx_block_key(site, 0, NO_THREAD));
}

/* That of all threads, which is there from now on. */
static BlockValue *values_of_reg(const BlockRun *run, BlockValue **of, RegId reg)
{
    if (!of[reg])
        of[reg] = ptx_arena_array(run->arena, BlockValue, run->threads + BLOCK_WARP);
    return of[reg];
}

BlockArg ptx_block_arg(const BlockRun *run, const BlockWarp *w, const Operand *operand)
{
    const uint32_t first = ptx_block_thread(run, w, 0);
    BlockArg arg = { .operand = operand, .differs = operand->kind == OPERAND_SREG };
    if (operand->kind != OPERAND_REG) {
        arg.same = ptx_block_read(run, operand, first);
        return arg;
    }
    arg.same = unknown_reg(run, operand);
    if (ptx_block_is_whole_reg(run, operand) && run->regs[operand->id]) {
        arg.values = run->regs[operand->id] + first;
        arg.is_negated = operand->flags & OPERAND_NEGATED;
    }
    return arg;
}

BlockValue ptx_block_read_special(const BlockRun *run, const BlockArg *arg, uint32_t thread,
                                  BlockValue value)
{
    if (arg->differs)
        return ptx_block_read(run, arg->operand, thread);
    if (value.kind == BLOCK_UNSET || value.kind != BLOCK_NUMBER)
        return arg->same;
    return ptx_block_number(!value.number);
}

BlockResult ptx_block_result(BlockRun *run, const BlockWarp *w, const Operand *operand,
                             uint32_t visit)
{
    const uint64_t site = (uint64_t)(operand - run->func->operands);
    BlockResult result = { .mask = UINT64_MAX, .key = ptx_block_key(site, visit, 0),
                           .first = ptx_block_thread(run, w, 0) };
    if (operand->kind != OPERAND_REG)
        return result;
    const unsigned bits = ptx_block_reg_bits(run, operand->id);
    result.values = values_of_reg(run, run->regs, operand->id) + result.first;
    result.mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    result.is_part = operand->flags & OPERAND_COMPONENT
                     || run->func->regs[operand->id].vector > 1;
    return result;
}

void ptx_block_write(BlockRun *run, const Operand *operand, uint32_t thread, BlockValue value)
{
    const BlockWarp *w = &run->warps[thread / BLOCK_WARP];
    const BlockResult result = ptx_block_result(run, w, operand, 0);
    ptx_block_put(&result, thread % BLOCK_WARP, value);
}

void ptx_block_forget(BlockRun *run, BlockWarp *w, RegId reg, uint32_t lanes)
{
    const uint32_t first = ptx_block_thread(run, w, 0);
    BlockValue *values = values_of_reg(run, run->regs, reg) + first;
    BlockValue *kept = values_of_reg(run, run->kept, reg) + first;
    const uint64_t key = ptx_block_key((uint64_t)run->func->operand_count + reg, w->forgets, 0);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        kept[lane] = values[lane];
        values[lane] = ptx_block_element(key | (first + lane));
    }
}

uint32_t ptx_block_guard(const BlockRun *run, const BlockWarp *w, InsnId id, uint32_t lanes,
                         uint32_t *maybe)
{
    const Insn *insn = &run->func->insns[id];
    uint32_t where = 0;
    *maybe = 0;
    if (insn->guard == NO_ID)
        return lanes;
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t bit = UINT32_C(1) << lane;
        if (!(lanes & bit))
            continue;
        const BlockValue p = ptx_block_reg(run, insn->guard, ptx_block_thread(run, w, lane));
        if (p.kind != BLOCK_NUMBER)
            *maybe |= bit;
        else if (!p.number == insn->guard_negated)
            where |= bit;
    }
    return where;
}
