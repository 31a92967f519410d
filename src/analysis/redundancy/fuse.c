#include "analysis/redundancy/fuse.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"

#include <stdbool.h>

typedef struct RegCount {
    uint32_t def_count, use_count;
    InsnId mul;                 /* the multiply that defined it in the current block, + 1 */
    uint32_t stamp;             /* the block, + 1 */
    InsnId sub;                 /* the last subtraction that defines it, + 1 */
} RegCount;

bool ptx_fuse_is_barred(const Insn *mul, const Insn *add)
{
    return ptx_op_has(mul->op, MOD_RN) || ptx_op_has(add->op, MOD_RN);
}

static bool has_multiply(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (ptx_op_is_float(func->insns[i].op, OPK_MUL))
            return true;
    return false;
}

static void count_regs(const Func *func, RegCount *regs)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind != OPERAND_REG)
                continue;
            regs[operands[o].id].def_count += (operands[o].role & ROLE_DEF) != 0;
            regs[operands[o].id].use_count += (operands[o].role & ROLE_USE) != 0;
        }
        if (insn->guard != NO_ID)
            regs[insn->guard].use_count++;
        if (ptx_op_is_float(insn->op, OPK_SUB) && insn->operand_count == 3
            && operands[0].kind == OPERAND_REG)
            regs[operands[0].id].sub = i + 1;
    }
}

/* The operands of the subtraction that defines a register; NULL: none does. */
static const Operand *find_difference(const Func *func, const RegCount *regs, const Operand *value)
{
    InsnId sub = value->kind == OPERAND_REG ? regs[value->id].sub : 0;
    return sub ? ptx_insn_operands(func, &func->insns[sub - 1]) + 1 : NULL;
}

static bool is_same_register(const Operand *a, const Operand *b)
{
    return a->kind == OPERAND_REG && b->kind == OPERAND_REG && a->id == b->id;
}

/* The high part x - (x - y) of a number, or the low one, y - high. T. J. Dekker, "A floating-point
 * technique for extending the available precision", Numerische Mathematik 18 (1971). */
static bool is_split_part(const Func *func, const RegCount *regs, const Operand *value)
{
    const Operand *whole = find_difference(func, regs, value);
    const Operand *inner = whole ? find_difference(func, regs, &whole[1]) : NULL;
    if (!inner)
        return false;
    const Operand *rest = find_difference(func, regs, &inner[1]);
    return is_same_register(&whole[0], &inner[0])
           || (rest && is_same_register(&rest[0], &inner[0])
               && is_same_register(&rest[1], &whole[0]));
}

static bool is_exact_product(const Func *func, const RegCount *regs, const Insn *mul,
                             const Insn *add)
{
    const Operand *operands = ptx_insn_operands(func, mul);
    return mul->operand_count == 3 && ptx_fuse_is_barred(mul, add)
           && (is_split_part(func, regs, &operands[1]) || is_split_part(func, regs, &operands[2]));
}

/* The multiply before it in its block whose only value an add or subtract takes; NO_ID. */
static InsnId find_multiply(const Func *func, const RegCount *regs, const Insn *insn,
                            uint32_t stamp)
{
    if (!ptx_op_is_float(insn->op, OPK_ADD) && !ptx_op_is_float(insn->op, OPK_SUB))
        return NO_ID;
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE))
            continue;
        const RegCount *reg = &regs[operands[o].id];
        if (reg->stamp != stamp || reg->def_count != 1 || reg->use_count != 1)
            continue;
        const Insn *mul = &func->insns[reg->mul - 1];
        if (mul->op->type == insn->op->type && mul->guard == insn->guard
            && mul->guard_negated == insn->guard_negated)
            return reg->mul - 1;
    }
    return NO_ID;
}

static void pair_block(const Func *func, RegCount *regs, const Block *block, uint32_t stamp,
                       InsnId *out)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        InsnId mul = find_multiply(func, regs, insn, stamp);
        if (mul != NO_ID && !is_exact_product(func, regs, &func->insns[mul], insn))
            out[mul] = i;
        if (ptx_op_is_float(insn->op, OPK_MUL) && insn->operand_count
            && operands[0].kind == OPERAND_REG) {
            regs[operands[0].id].mul = i + 1;
            regs[operands[0].id].stamp = stamp;
        }
    }
}

const InsnId *ptx_fuse_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg)
{
    InsnId *out = ptx_arena_array(arena, InsnId, func->insn_count + 1);
    memset(out, 0xff, (func->insn_count + (size_t)1) * sizeof *out);    /* NO_ID */
    if (!has_multiply(func))
        return out;
    ArenaMark mark = ptx_arena_mark(scratch);
    RegCount *regs = ptx_arena_array(scratch, RegCount, func->reg_count + 1);
    count_regs(func, regs);
    for (BlockId b = 0; b < cfg->block_count; b++)
        if (ptx_block_is_reachable(cfg, b))
            pair_block(func, regs, &cfg->blocks[b], b + 1, out);
    if (arena != scratch)
        ptx_arena_release(scratch, mark);
    return out;
}
