#include "analysis/registers/register_grants.h"

#include "analysis/flow/cfg.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/minmax.h"

/* 0: it is no setmaxnreg, or none whose count is known. */
static uint32_t count_asked(const Func *func, const Insn *insn)
{
    const Operand *count = ptx_insn_operands(func, insn);
    if (insn->op->operation != OP_SETMAXNREG || !insn->operand_count || count->kind != OPERAND_INT
        || ptx_operand_value(count) < 0)
        return 0;
    return (uint32_t)(ptx_operand_value(count) < UINT16_MAX ? ptx_operand_value(count)
                                                            : UINT16_MAX);
}

RegisterGrants ptx_register_grants_find(const Func *func)
{
    RegisterGrants grants = { false, 0, false };
    for (InsnId i = 0; i < func->insn_count; i++) {
        const uint32_t count = count_asked(func, &func->insns[i]);
        if (!count)
            continue;
        grants.is_asked = true;
        if (ptx_op_has(func->insns[i].op, MOD_DEC))
            grants.releases = true;
        else
            grants.most = ptx_u32_max(grants.most, count);
    }
    return grants;
}

/* The last of a block, or NULL. */
static const Insn *last_grant(const Func *func, const Block *block)
{
    for (InsnId i = block->end; i-- > block->first;)
        if (count_asked(func, &func->insns[i]))
            return &func->insns[i];
    return NULL;
}

typedef struct GrantWalk {
    const Func *func;
    const Cfg *cfg;
    uint16_t *fewest;
    BlockId *stack;
    uint32_t depth;
} GrantWalk;

static void enter_successors(GrantWalk *walk, BlockId block, uint32_t count)
{
    const Block *b = &walk->cfg->blocks[block];
    for (uint32_t s = 0; s < b->succ_count; s++) {
        const BlockId to = walk->cfg->succs[b->succ_first + s];
        if (to == EXIT_BLOCK || (walk->fewest[to] && walk->fewest[to] <= count)
            || last_grant(walk->func, &walk->cfg->blocks[to]))
            continue;
        walk->fewest[to] = (uint16_t)count;
        walk->stack[walk->depth++] = to;
    }
}

const uint16_t *ptx_register_grants_reach(Arena *arena, const Func *func, const Cfg *cfg)
{
    GrantWalk walk = { .func = func, .cfg = cfg };
    walk.fewest = ptx_arena_array(arena, uint16_t, cfg->block_count + 1);
    walk.stack = ptx_arena_array(arena, BlockId, cfg->succ_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Insn *grant = last_grant(func, &cfg->blocks[b]);
        if (!grant || !ptx_op_has(grant->op, MOD_DEC) || !ptx_block_is_reachable(cfg, b))
            continue;
        const uint32_t count = count_asked(func, grant);
        enter_successors(&walk, b, count);
        while (walk.depth)
            enter_successors(&walk, walk.stack[--walk.depth], count);
    }
    return walk.fewest;
}
