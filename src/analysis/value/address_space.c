#include "analysis/value/address_space.h"

#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

static void infer_in(const Module *module, Func *func, Arena *arena, Arena *scratch)
{
    const ArenaMark mark = ptx_arena_mark(arena);
    const PointsToSet *bases = ptx_points_to_sets_compute(arena, scratch, module, func);
    for (InsnId i = 0; i < func->insn_count; i++) {
        Insn *insn = &func->insns[i];
        PointsTo base;
        if (insn->space == SPACE_GENERIC && ptx_insn_is_access(insn)
            && ptx_points_to_of_access(bases, module, func, insn, &base)
            && (base.pointed == SPACE_SHARED || base.pointed == SPACE_SHARED_CTA))
            insn->space = SPACE_SHARED;
    }
    ptx_arena_release(arena, mark);
}

void ptx_address_spaces_infer(Module *module, Arena *arena, Arena *scratch)
{
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_generic)
            infer_in(module, &module->funcs[f], arena, scratch);
}
