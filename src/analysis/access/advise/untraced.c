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
#include "analysis/access/evaluate.h"
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

static Untraced *item_of(UntracedSet *set, VarId var)
{
    uint32_t *at = ptx_hash_map_at(&set->at, set->arena, var);
    if (*at)
        return &set->items[*at - 1];
    if (set->count == set->capacity)
        set->items = ptx_arena_grow(set->arena, set->items, set->count, &set->capacity,
                                    sizeof *set->items);
    *at = set->count + 1;
    return &set->items[set->count++];
}

Untraced ptx_untraced_find(const UntracedSet *set, VarId var)
{
    const uint32_t at = ptx_hash_map_get(&set->at, var);
    return at ? set->items[at - 1] : (Untraced){ 0 };
}

static bool is_any_space(Space space)
{
    return space == SPACE_GENERIC || space == SPACE_NONE;
}

/* The variable, or the parameter that points to it; NO_ID: not known. */
static VarId place_base(const PointsToSet *bases, const Operand *operand)
{
    const PointsTo *base = operand->kind == OPERAND_REG ? &bases->regs[operand->id] : NULL;
    if (operand->kind == OPERAND_VAR)
        return operand->id;
    return base && (base->kind == BASE_VAR || base->kind == BASE_PARAM) ? base->id : NO_ID;
}

static void note_place(UntracedSet *set, const PointsToSet *bases, const Insn *insn,
                       const Operand *operand, bool is_unreached)
{
    const Space space = (Space)insn->op->space;
    const bool is_any = is_any_space(space), is_shared = ptx_space_is_shared(space);
    const VarId array = place_base(bases, operand);
    if (!is_any && !is_shared && space != SPACE_GLOBAL)
        return;
    if (array == NO_ID) {
        set->is_global_opaque |= is_any || space == SPACE_GLOBAL;
        set->is_shared_opaque |= is_any || is_shared;
        return;
    }
    Untraced *item = item_of(set, array);
    if (!is_unreached)
        item->is_opaque = true;
    else if (insn->access_bytes > item->unreached_bytes)
        item->unreached_bytes = insn->access_bytes;
}

static bool takes_descriptors(const Op *op)
{
    return op->family == OP_WGMMA || op->family == OP_TCGEN05;
}

/* Matrices by descriptors, and functions that were not run, may touch anything. */
static void note_untraced(Trace *t, const PointsToSet *bases, const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    if (takes_descriptors(insn->op))
        t->untraced.is_shared_opaque = true;
    if (is_traced(t, func, insn))
        return;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        bool is_callee = insn->op->kind == OPK_CALL && operands[o].position == 1;
        if (is_callee
            && (operands[o].kind != OPERAND_FUNCTION
                || !was_run(t, &t->module->funcs[operands[o].id])))
            t->untraced.is_shared_opaque = t->untraced.is_global_opaque = true;
        else if (operands[o].role & ROLE_ADDRESS)
            note_place(&t->untraced, bases, insn, &operands[o], is_unreached(t, func, insn));
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
        t->untraced.is_shared_opaque |= func->has_unknown;
        t->untraced.is_global_opaque |= func->has_unknown;
        ptx_arena_release(scratch, mark);
    }
}

/* ---- before anything is traced --------------------------------------------------------------- */

static bool has_lost_place(const Insn *insn, const Evaluated *figures)
{
    return ptx_insn_is_access(insn) && figures->total->has_lost_place;
}

const UntracedSet *ptx_untraced_by_evaluation(Arena *arena, const Func *func,
                                              const PointsToSet *bases,
                                              const Evaluation *evaluation)
{
    UntracedSet *set = ptx_arena_new(arena, UntracedSet);
    *set = (UntracedSet){ .arena = arena };
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        set->is_shared_opaque |= takes_descriptors(insn->op);
        if (!has_lost_place(insn, &evaluation->insns[i]))
            continue;
        for (unsigned o = 0; o < insn->operand_count; o++)
            if (operands[o].role & ROLE_ADDRESS)
                note_place(set, bases, insn, &operands[o], false);
    }
    return set;
}

bool ptx_untraced_has(const UntracedSet *set, const PointsToSet *bases, const Func *func,
                      InsnId insn, bool is_shared)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[insn]), *place = NULL;
    if (is_shared ? set->is_shared_opaque : set->is_global_opaque)
        return true;
    /* of a copy the first lies in shared memory, the last in global */
    for (unsigned o = 0; o < func->insns[insn].operand_count && !(place && is_shared); o++)
        place = operands[o].role & ROLE_ADDRESS ? &operands[o] : place;
    const VarId array = place ? place_base(bases, place) : NO_ID;
    return array != NO_ID && ptx_untraced_find(set, array).is_opaque;
}
