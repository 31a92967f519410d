#include "analysis/redundancy/region.h"

#include "analysis/flow/cfg.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"

/* A group of loads on the way: registers with its number wait for it. */
typedef struct LoadGroup {
    uint32_t *group_of;                 /* per register; 0: none */
    uint32_t number;                    /* of the group in hand, from 1 */
    bool is_open;
} LoadGroup;

static bool is_long_load(const Op *op)
{
    if (op->insn_class == CLASS_TEXTURE)
        return true;
    return op->flags & OPF_LOAD
           && (op->space == SPACE_GLOBAL || op->space == SPACE_LOCAL || op->space == SPACE_GENERIC);
}

static bool waits_for(const LoadGroup *group, const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    bool waits = insn->guard != NO_ID && group->group_of[insn->guard] == group->number;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        waits |= operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
                 && group->group_of[operands[o].id] == group->number;
    return waits && group->is_open;
}

static void mark_loaded(const LoadGroup *group, const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
            group->group_of[operands[o].id] = group->number;
}

static uint32_t count_of_block(LoadGroup *group, const Func *func, const Block *block)
{
    uint32_t count = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        const bool ends = waits_for(group, func, insn);
        group->is_open &= !ends;
        group->number += ends;
        count += ends;
        count += insn->op->insn_class == CLASS_BARRIER;
        if (!is_long_load(insn->op))
            continue;
        group->is_open = true;
        mark_loaded(group, func, insn);
    }
    count += group->is_open;
    group->number++;
    group->is_open = false;
    return count;
}

const uint32_t *ptx_region_count(Arena *scratch, const Func *func, const Cfg *cfg)
{
    uint32_t *counts = ptx_arena_array(scratch, uint32_t, cfg->block_count + 1);
    LoadGroup group = { ptx_arena_array(scratch, uint32_t, func->reg_count + 1), 1, false };
    for (BlockId b = 0; b < cfg->block_count; b++)
        if (ptx_block_is_reachable(cfg, b))
            counts[b] = count_of_block(&group, func, &cfg->blocks[b]);
    return counts;
}
