#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "support/arena.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

static void fill_definitions(const Func *func, uint32_t *first, InsnId *insns)
{
    for (InsnId i = func->insn_count; i-- > 0;) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (ptx_operand_is_def(&operands[o]))
                insns[--first[operands[o].id + 1]] = i;
    }
}

/* Per register: where its definitions end, one place further. */
static uint32_t *count_definitions(Arena *arena, const Func *func)
{
    uint32_t *first = ptx_arena_array(arena, uint32_t, func->reg_count + 2);
    for (uint32_t o = 0; o < func->operand_count; o++)
        if (ptx_operand_is_def(&func->operands[o]))
            first[func->operands[o].id + 1]++;
    for (uint32_t r = 0; r <= func->reg_count; r++)
        first[r + 1] += first[r];
    return first;
}

const Defs *ptx_defs_compute(Arena *arena, const Func *func, const Cfg *cfg, const Loops *loops)
{
    Defs *defs = ptx_arena_new(arena, Defs);
    uint32_t *first = count_definitions(arena, func);
    InsnId *insns = ptx_arena_array(arena, InsnId, first[func->reg_count] + 1);
    fill_definitions(func, first, insns);
    *defs = (Defs){ .first = first + 1,
                    .insns = insns,
                    .loops = loops,
                    .cfg = cfg };
    return defs;
}

const Defs *ptx_defs_of(Arena *arena, const FuncFlow *flow)
{
    return flow->defs ? flow->defs : ptx_defs_compute(arena, flow->func, flow->cfg, flow->loops);
}

uint32_t ptx_defs_in_loop(const Defs *defs, LoopId loop, RegId reg, InsnId *last)
{
    uint32_t count = 0;
    if (ptx_defs_count(defs, reg) > MAX_DEFS)
        return UINT32_MAX;
    for (uint32_t d = defs->first[reg]; d < defs->first[reg + 1]; d++) {
        if (!ptx_loop_holds(defs->loops, loop, defs->cfg->block_of[defs->insns[d]]))
            continue;
        count++;
        *last = defs->insns[d];
    }
    return count;
}
