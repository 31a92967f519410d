#include "analysis/redundancy/needed.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "ir/reg.h"
#include "analysis/flow/defs.h"

#include <stdbool.h>

typedef struct NeededMarker {
    const Func *func;
    bool *needed;
    const Defs *defs;
    bool *is_followed;          /* per register: its definitions are marked */
    InsnId *list;               /* marked and not yet looked at */
    uint32_t list_count;
} NeededMarker;

static void mark_needed(NeededMarker *m, InsnId insn)
{
    if (m->needed[insn])
        return;
    m->needed[insn] = true;
    m->list[m->list_count++] = insn;
}

static void mark_register(NeededMarker *m, RegId reg)
{
    if (m->is_followed[reg])
        return;
    m->is_followed[reg] = true;
    for (uint32_t d = m->defs->first[reg]; d < m->defs->first[reg + 1]; d++)
        mark_needed(m, m->defs->insns[d]);
}

static bool writes_parameter(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
            && func->regs[operands[o].id].is_param)
            return true;
    return false;
}

static bool is_root(const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    return op->flags & (OPF_SIDE_EFFECT | OPF_STORE | OPF_WARP | OPF_UNKNOWN)
           || op->insn_class == CLASS_CONTROL || writes_parameter(func, insn);
}

/* needed and is_followed are owned by arena. */
static NeededMarker follow_needed(Arena *arena, Arena *scratch, const Func *func, const Defs *defs)
{
    NeededMarker m = { .func = func,
                       .defs = defs,
                       .needed = ptx_arena_array(arena, bool, func->insn_count + 1),
                       .is_followed = ptx_arena_array(arena, bool, func->reg_count + 1) };
    ArenaMark before = ptx_arena_mark(scratch);
    m.list = ptx_arena_array(scratch, InsnId, func->insn_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++)
        if (is_root(func, &func->insns[i]))
            mark_needed(&m, i);
    while (m.list_count) {
        const Insn *insn = &func->insns[m.list[--m.list_count]];
        const Operand *operands = ptx_insn_operands(func, insn);
        if (insn->guard != NO_ID)
            mark_register(&m, insn->guard);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & (ROLE_USE | ROLE_ADDRESS))
                mark_register(&m, operands[o].id);
    }
    if (arena != scratch)
        ptx_arena_release(scratch, before);
    return m;
}

const bool *ptx_needed_compute(Arena *arena, Arena *scratch, const Func *func, const Defs *defs)
{
    return follow_needed(arena, scratch, func, defs).needed;
}

const bool *ptx_needed_registers_compute(Arena *arena, Arena *scratch, const Func *func,
                                         const Defs *defs)
{
    return follow_needed(arena, scratch, func, defs).is_followed;
}
