#include "analysis/race/block_race.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"

#include "analysis/value/launch.h"
#include "analysis/value/pointer.h"
#include "support/hash.h"
#include "support/minmax.h"

#include <stdio.h>

/* ---- what a kernel may come to --------------------------------------------------------------- */

typedef struct RaceReached {
    Arena *arena;
    HashMap marks;              /* functions */
    FuncId *ids;
    uint32_t count, capacity;
} RaceReached;

static void reach(RaceReached *reached, FuncId id)
{
    uint32_t *mark = ptx_hash_map_at(&reached->marks, reached->arena, id);
    if (*mark)
        return;
    *mark = 1;
    if (reached->count == reached->capacity)
        reached->ids = ptx_arena_grow(reached->arena, reached->ids, reached->count,
                                      &reached->capacity, sizeof *reached->ids);
    reached->ids[reached->count++] = id;
}

/* The function that is called; NO_ID: not one of this file. */
static FuncId callee_of(const Module *module, const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_FUNCTION) {
            FuncId id = module->funcs[operands[o].id].alias_of
                            ? module->funcs[operands[o].id].alias_of - 1
                            : operands[o].id;
            return module->funcs[id].has_body ? id : NO_ID;
        }
    return NO_ID;
}

static bool look_at(const Module *module, const Func *func, RaceReached *reached,
                    bool (*holds)(const Op *))
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        FuncId callee = insn->op->kind == OPK_CALL ? callee_of(module, func, insn) : NO_ID;
        if (!holds(insn->op) || (insn->op->kind == OPK_CALL && callee == NO_ID))
            return false;
        if (callee != NO_ID)
            reach(reached, callee);
    }
    return true;
}

bool ptx_block_race_holds(Arena *scratch, const Module *module, FuncId kernel,
                          bool (*holds)(const Op *))
{
    ArenaMark mark = ptx_arena_mark(scratch);
    RaceReached reached = { .arena = scratch };
    bool all_hold = true;
    reach(&reached, kernel);
    for (uint32_t i = 0; i < reached.count && all_hold; i++)
        all_hold = look_at(module, &module->funcs[reached.ids[i]], &reached, holds);
    ptx_arena_release(scratch, mark);
    return all_hold;
}

bool ptx_op_is_ordered(const Op *op)
{
    static const uint8_t words[] = { MOD_VOLATILE, MOD_RELAXED, MOD_ACQUIRE, MOD_RELEASE,
                                     MOD_ACQ_REL,  MOD_MMIO,    MOD_SC,      MOD_NONE };
    return ptx_op_has_any(op, words);
}

/* ---- how it is launched ---------------------------------------------------------------------- */

Launch ptx_block_race_launch(Arena *arena, const Module *module, FuncId kernel,
                             const Launch *given)
{
    const Func *func = &module->funcs[kernel];
    const uint64_t pointers = ptx_pointers_compute(arena, module, func);
    LaunchParam *params = ptx_arena_array(arena, LaunchParam, func->param_count);
    for (uint32_t p = 0; p < func->param_count; p++) {
        const VarId var = func->params[p];
        if (p < given->param_count)
            params[p] = given->params[p];
        const bool may_point = var != NO_ID && p < MAX_POINTERS && !params[p].bytes
                               && module->vars[var].bytes == module->address_size / 8u;
        params[p].is_pointer |= may_point && pointers >> p & 1;
    }
    Launch launch = *given;
    launch.params = params;
    launch.param_count = func->param_count;
    return launch;
}

/* ---- what is reported ------------------------------------------------------------------------ */

BlockRace *ptx_block_race_new(Arena *arena, BlockRaceKind kind, BlockAccess first,
                              BlockAccess second)
{
    BlockRace *race = ptx_arena_new(arena, BlockRace);
    bool is_turned = first.is_write == second.is_write ? first.place > second.place
                                                       : !first.is_write;
    *race = (BlockRace){ .kind = (uint8_t)kind, .first = first, .second = second, .var = NO_ID };
    if (is_turned) {
        race->first = second;
        race->second = first;
    }
    return race;
}

typedef char Words[160];

static void write_own_thread(Words out, const BlockAccess *access)
{
    snprintf(out, sizeof(Words), "thread (%u, %u, %u)", access->thread[0], access->thread[1],
             access->thread[2]);
}

static void write_thread(Words out, const BlockAccess *access)
{
    snprintf(out, sizeof(Words), "thread (%u, %u, %u) of block (%u, %u, %u)", access->thread[0],
             access->thread[1], access->thread[2], access->block[0], access->block[1],
             access->block[2]);
}

static int write_byte(Words out, const Module *module, const BlockRace *race)
{
    const long long offset = (long long)race->offset;
    const bool is_shared = !ptx_block_race_is_global(race);
    if (race->var == NO_ID)
        return snprintf(out, sizeof(Words), "byte %lld of %s memory", offset,
                        is_shared ? "shared" : "global");
    const Var *var = &module->vars[race->var];
    char name[65];
    ptx_var_title(module, var, name, sizeof name);
    if (is_shared || var->space == SPACE_GLOBAL)
        return snprintf(out, sizeof(Words), "byte %lld of `%s`", offset, name);
    return snprintf(out, sizeof(Words), "byte %lld of what `%s` points to", offset, name);
}

static void write_place(Words out, const Module *module, const BlockRace *race)
{
    int count = write_byte(out, module, race);
    if (!ptx_block_race_is_global(race))
        snprintf(out + count, sizeof(Words) - (size_t)count, " in block (%u, %u, %u)",
                 race->owner[0], race->owner[1], race->owner[2]);
}

const char *ptx_block_race_describe(Arena *arena, const Module *module, const BlockRace *race)
{
    char text[640];
    Words first, second, place;
    if (race->kind == BLOCK_RACE_INSIDE) {
        write_own_thread(first, &race->first);
        write_own_thread(second, &race->second);
    } else {
        write_thread(first, &race->first);
        write_thread(second, &race->second);
    }
    write_place(place, module, race);
    const char *verb = race->second.is_write ? "writes" : "reads";
    int count = snprintf(text, sizeof text, "%s %s %s, ", second, verb, place);
    size_t left = sizeof text - (size_t)count;
    switch ((BlockRaceKind)race->kind) {
    case BLOCK_RACE_GLOBAL:
        snprintf(text + count, left, "where %s writes %s: blocks run in no order", first,
                 race->second.is_write ? "another number" : "what changes its result");
        break;
    case BLOCK_RACE_CLUSTER:
        snprintf(text + count, left, "which %s writes: no cluster barrier between", first);
        break;
    case BLOCK_RACE_INSIDE:
        snprintf(text + count, left, "which %s of the same block writes: no barrier between",
                 first);
        break;
    case BLOCK_RACE_EARLY:
        snprintf(text + count, left, "which may not have begun: no cluster barrier before");
        break;
    case BLOCK_RACE_LATE:
        snprintf(text + count, left, "which may have ended: no cluster barrier after");
        break;
    }
    return ptx_arena_strndup(arena, text, strlen(text));
}
