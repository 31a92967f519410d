/* Where a kernel's variables in shared memory lie. */
#include "analysis/sim/shared_layout.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <stdlib.h>

enum { DYNAMIC_ALIGN = 16 };    /* bytes; of what has no size, at least */

static void add_sized(SharedGroup *group, const Module *module, VarId id, uint64_t *at)
{
    const Var *var = &module->vars[id];
    const uint64_t here = ptx_align_up(*at, var->align);
    group->places[group->count++] = (SharedPlace){ id, 1, here };
    if (var->bytes < LARGEST_SHARED && here < LARGEST_SHARED)
        *at = here + var->bytes;
}

static void add_unsized(SharedGroup *group, const Module *module, VarId id)
{
    uint32_t align = group->count ? group->places[group->count - 1].align : DYNAMIC_ALIGN;
    if (module->vars[id].align > align)
        align = module->vars[id].align;
    group->places[group->count++] = (SharedPlace){ id, align, 0 };
}

/* ---- of a module ----------------------------------------------------------------------------- */

static bool is_of_unit(const Module *module, const Var *var)
{
    return ptx_space_is_shared((Space)var->space)
           && (var->func == NO_ID || !module->funcs[var->func].is_entry);
}

const SharedUnit *ptx_shared_units_new(Arena *arena, const Module *module)
{
    SharedUnit *units = ptx_arena_array(arena, SharedUnit, module->unit_count);
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        SharedUnit *unit = &units[var->unit];
        if (is_of_unit(module, var))
            (var->bytes ? &unit->sized : &unit->unsized)->count++;
    }
    for (uint32_t u = 0; u < module->unit_count; u++) {
        SharedUnit *unit = &units[u];
        unit->sized.places = ptx_arena_array(arena, SharedPlace, unit->sized.count);
        unit->unsized.places = ptx_arena_array(arena, SharedPlace, unit->unsized.count);
        unit->sized.count = unit->unsized.count = 0;
    }
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        SharedUnit *unit = &units[var->unit];
        if (!is_of_unit(module, var))
            continue;
        if (var->bytes)
            add_sized(&unit->sized, module, v, &unit->end);
        else
            add_unsized(&unit->unsized, module, v);
    }
    return units;
}

/* ---- of a kernel ----------------------------------------------------------------------------- */

static bool may_call(const Func *func)
{
    for (InsnId i = 0; func->has_calls && i < func->insn_count; i++)
        if (func->insns[i].op->kind == OPK_CALL)
            return true;
    return false;
}

static int compare_ids(const void *a, const void *b)
{
    const VarId left = *(const VarId *)a, right = *(const VarId *)b;
    return (left > right) - (left < right);
}

/* Ascending, each once. */
static uint32_t named_of_unit(Arena *arena, const Module *module, const Func *func, VarId **named)
{
    uint32_t count = 0, kept = 0;
    *named = ptx_arena_array(arena, VarId, func->shared_var_count);
    for (uint32_t i = 0; i < func->shared_var_count; i++)
        if (is_of_unit(module, &module->vars[func->shared_vars[i]]))
            (*named)[count++] = func->shared_vars[i];
    if (count)
        qsort(*named, count, sizeof **named, compare_ids);
    for (uint32_t i = 0; i < count; i++)
        if (!i || (*named)[i] != (*named)[i - 1])
            (*named)[kept++] = (*named)[i];
    return kept;
}

SharedUnit ptx_shared_unit_of(Arena *arena, const Module *module, const SharedUnit *unit,
                              const Func *func)
{
    VarId *named;
    if (unit->sized.count + unit->unsized.count == 0 || may_call(func))
        return *unit;
    const uint32_t count = named_of_unit(arena, module, func, &named);
    SharedUnit out = { .sized = { .places = ptx_arena_array(arena, SharedPlace, count) },
                       .unsized = { .places = ptx_arena_array(arena, SharedPlace, count) } };
    for (uint32_t i = 0; i < count; i++) {
        if (module->vars[named[i]].bytes)
            add_sized(&out.sized, module, named[i], &out.end);
        else
            add_unsized(&out.unsized, module, named[i]);
    }
    return out;
}

/* Behind an address. */
static uint64_t group_end(const SharedGroup *group, uint64_t at)
{
    return group->count ? ptx_align_up(at, group->places[group->count - 1].align) : at;
}

SharedLayout ptx_shared_layout_make(Arena *arena, const Module *module, const SharedUnit *unit,
                                    VarId first, VarId end)
{
    SharedPlace *sized = ptx_arena_array(arena, SharedPlace, end - first),
                *unsized = ptx_arena_array(arena, SharedPlace, end - first);
    SharedLayout out = { .groups = { unit->sized, { .places = sized }, unit->unsized,
                                     { .places = unsized } },
                         .end = unit->end };
    for (VarId v = first; v < end; v++) {
        if (!ptx_space_is_shared((Space)module->vars[v].space))
            continue;
        if (module->vars[v].bytes)
            add_sized(&out.groups[1], module, v, &out.end);
        else
            add_unsized(&out.groups[3], module, v);
    }
    for (unsigned g = 2; g < 4; g++) {
        out.groups[g].from = out.end;
        out.end = group_end(&out.groups[g], out.end);
    }
    return out;
}

static uint64_t place_address(const SharedGroup *group, uint32_t at)
{
    return ptx_align_up(group->from, group->places[at].align) + group->places[at].offset;
}

/* How many of the group come before a variable, or an address. */
static uint32_t count_before(const SharedGroup *group, bool is_var, uint64_t key)
{
    uint32_t low = 0, high = group->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint64_t here = is_var ? group->places[middle].var : place_address(group, middle);
        if (here < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ptx_shared_layout_find(const SharedLayout *layout, VarId var, uint64_t *address)
{
    for (unsigned g = 0; g < 4; g++) {
        const SharedGroup *group = &layout->groups[g];
        const uint32_t at = count_before(group, true, var);
        if (at == group->count || group->places[at].var != var)
            continue;
        *address = place_address(group, at);
        return true;
    }
    return false;
}

VarId ptx_shared_layout_at(const SharedLayout *layout, uint64_t *at)
{
    uint64_t begin = 0;
    VarId found = NO_ID;
    for (unsigned g = 0; g < 4; g++) {
        const SharedGroup *group = &layout->groups[g];
        const uint32_t count = count_before(group, false, *at + 1);
        if (!count)
            continue;
        const uint64_t last = place_address(group, count - 1);
        if (found != NO_ID && last <= begin)
            continue;
        begin = last;
        found = group->places[count_before(group, false, last)].var;
    }
    *at -= begin;
    return found;
}

SharedLayout ptx_shared_layout_copy(Arena *arena, const SharedLayout *layout)
{
    SharedLayout out = *layout;
    for (unsigned g = 0; g < 4; g++) {
        SharedGroup *group = &out.groups[g];
        const SharedPlace *from = group->places;
        group->places = ptx_arena_array(arena, SharedPlace, group->count);
        if (group->count)
            memcpy(group->places, from, group->count * sizeof *from);
    }
    return out;
}
