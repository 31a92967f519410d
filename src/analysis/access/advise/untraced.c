/* What a trace says nothing of: accesses that no warp came to, or whose place is not known. */
#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"

#include "analysis/value/points_to.h"
#include "support/hash.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/access/kernel_run.h"

static bool was_run(const Trace *t, const Func *func)
{
    for (uint32_t i = 0; i < t->func_count; i++)
        if (t->funcs[i] == func)
            return true;
    return false;
}

/* All that it does is in the trace. */
static bool is_traced(const Trace *t, const Func *func, const Insn *insn)
{
    InsnId id = (InsnId)(insn - func->insns);
    const TracedAccess *shared = ptx_trace_find(t, func, id, SPACE_SHARED),
                       *global = ptx_trace_find(t, func, id, SPACE_GLOBAL);
    bool is_known = (shared || global) && !(shared && shared->is_unknown)
                    && !(global && global->is_unknown);
    return ptx_insn_is_access(insn) && insn->access_bytes && is_known;
}

/* No warp came to it, and not for lack of steps. */
static bool is_unreached(const Trace *t, const Func *func, const Insn *insn)
{
    InsnId id = (InsnId)(insn - func->insns);
    return ptx_insn_is_access(insn) && insn->access_bytes && !t->is_cut
           && !ptx_trace_find(t, func, id, SPACE_SHARED)
           && !ptx_trace_find(t, func, id, SPACE_GLOBAL);
}

static Untraced *untraced_of(Trace *t, VarId var)
{
    uint32_t *at = ptx_hash_map_at(&t->untraced, t->arena, var);
    if (*at)
        return &t->untraced_of[*at - 1];
    if (t->untraced_count == t->untraced_capacity)
        t->untraced_of = ptx_arena_grow(t->arena, t->untraced_of, t->untraced_count,
                                        &t->untraced_capacity, sizeof *t->untraced_of);
    *at = t->untraced_count + 1;
    return &t->untraced_of[t->untraced_count++];
}

Untraced ptx_trace_untraced(const Trace *t, VarId var)
{
    const uint32_t at = ptx_hash_map_get(&t->untraced, var);
    return at ? t->untraced_of[at - 1] : (Untraced){ 0 };
}

static void note_place(Trace *t, const PointsToSet *bases, const Func *func, const Insn *insn,
                       const Operand *operand)
{
    Space space = (Space)insn->op->space;
    const PointsTo *base = operand->kind == OPERAND_REG ? &bases->regs[operand->id] : NULL;
    bool is_any = space == SPACE_GENERIC || space == SPACE_NONE;
    bool is_shared = space == SPACE_SHARED || space == SPACE_SHARED_CTA
                     || space == SPACE_SHARED_CLUSTER;
    if (!is_any && !is_shared && space != SPACE_GLOBAL)
        return;
    if (operand->kind == OPERAND_VAR
        || (base && (base->kind == BASE_VAR || base->kind == BASE_PARAM))) {
        Untraced *var = untraced_of(t, operand->kind == OPERAND_VAR ? operand->id : base->id);
        if (!is_unreached(t, func, insn))
            var->is_opaque = true;
        else if (insn->access_bytes > var->unreached_bytes)
            var->unreached_bytes = insn->access_bytes;
        return;
    }
    t->is_global_opaque |= is_any || space == SPACE_GLOBAL;
    t->is_shared_opaque |= is_any || is_shared;
}

/* Matrices by descriptors, and functions that were not run, may touch anything. */
static void note_untraced(Trace *t, const PointsToSet *bases, const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    if (insn->op->family == OP_WGMMA || insn->op->family == OP_TCGEN05)
        t->is_shared_opaque = true;
    if (is_traced(t, func, insn))
        return;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        bool is_callee = insn->op->kind == OPK_CALL && operands[o].position == 1;
        if (is_callee
            && (operands[o].kind != OPERAND_FUNCTION
                || !was_run(t, &t->module->funcs[operands[o].id])))
            t->is_shared_opaque = t->is_global_opaque = true;
        else if (operands[o].role & ROLE_ADDRESS)
            note_place(t, bases, func, insn, &operands[o]);
    }
}

static void note_param(Trace *t, const PointsToSet *bases, const Func *func, InsnId insn)
{
    const TracedAccess *access = ptx_trace_find(t, func, insn, SPACE_GLOBAL);
    const Operand *operands = ptx_insn_operands(func, &func->insns[insn]);
    /* of a copy the second: from there */
    for (unsigned o = func->insns[insn].operand_count; access && o-- > 0;) {
        if (!(operands[o].role & ROLE_ADDRESS))
            continue;
        const PointsTo *base = operands[o].kind == OPERAND_REG ? &bases->regs[operands[o].id]
                                                               : NULL;
        t->accesses[access - t->accesses].param =
            base && base->kind == BASE_PARAM ? base->id : NO_ID;
        return;
    }
}

void ptx_trace_find_untraced(Trace *t, const KernelRun *run)
{
    Arena *scratch = run->scratch;
    for (uint32_t f = 0; f < t->func_count; f++) {
        const Func *func = t->funcs[f];
        ArenaMark mark = ptx_arena_mark(scratch);
        const bool is_kernel = func == &t->module->funcs[run->kernel];
        const PointsToSet *bases = is_kernel && run->bases
                                       ? run->bases
                                       : ptx_points_to_sets_compute(scratch, t->arena, t->module,
                                                                    func);
        for (InsnId i = 0; i < func->insn_count; i++) {
            note_untraced(t, bases, func, &func->insns[i]);
            note_param(t, bases, func, i);
        }
        t->is_shared_opaque |= func->has_unknown;
        t->is_global_opaque |= func->has_unknown;
        ptx_arena_release(scratch, mark);
    }
}
