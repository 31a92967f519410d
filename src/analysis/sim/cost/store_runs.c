#include "analysis/sim/cost/store_runs.h"

#include "analysis/flow/cfg.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"

static bool is_waited_for(const Op *op)
{
    const unsigned others = OPF_SIDE_EFFECT | OPF_UNKNOWN;
    const bool is_near = op->kind == OPK_LD && op->insn_class != CLASS_GLOBAL;
    return op->kind == OPK_BAR || op->kind == OPK_CALL || op->flags & others
           || (op->flags & OPF_LOAD && !is_near);
}

const uint32_t *ptx_store_runs_compute(Arena *arena, const Func *func, const Cfg *cfg)
{
    uint32_t *runs = ptx_arena_array(arena, uint32_t, func->insn_count + 1), run = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const bool is_store = func->insns[i].op->kind == OPK_ST;
        run += !i || cfg->block_of[i] != cfg->block_of[i - 1]
               || (!is_store && is_waited_for(func->insns[i].op));
        runs[i] = run;
    }
    return runs;
}
