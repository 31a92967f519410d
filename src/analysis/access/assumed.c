/* assumed.c -- what a run took for values of the launch that it was not given, as a list. */
#include "analysis/access/assumed.h"
#include "analysis/value/pointer.h"
#include "analysis/sim/machine.h"

/* An unknown base of a pointer is no assumption: its alignment is a promise of the allocator. */
static bool is_base(const Machine *m, const Var *var, uint32_t position, unsigned bytes,
                    uint64_t pointers)
{
    bool may_be = position >= MAX_POINTERS || pointers >> position & 1;
    return may_be && bytes == m->module->address_size / 8 && var->bytes >= bytes;
}

/* Of a parameter that begins at byte `from`: how many guesses, written to out where that is not
 * NULL. */
static uint32_t list_param(const Machine *m, uint32_t position, uint64_t pointers,
                           AssumedParam *out)
{
    VarId id = m->module->funcs[m->kernel].params[position];
    if (id == NO_ID || !ptx_machine_placed(m, id))
        return 0;
    const Var *var = &m->module->vars[id];
    uint64_t from = ptx_machine_placed(m, id)->address;
    uint32_t count = 0;
    for (uint64_t at = from; at < from + var->bytes && at < m->param_size; at++) {
        unsigned bytes = m->param_guess[at] & ~(unsigned)GUESS_IS_FLOAT;
        bool is_float = m->param_guess[at] & GUESS_IS_FLOAT;
        if (!bytes || is_base(m, var, position, bytes, pointers))
            continue;
        if (out)
            out[count] = (AssumedParam){ position, (uint32_t)(at - from),
                                         bytes,    ptx_machine_guess(at, bytes, is_float),
                                         is_float, bytes < var->bytes };
        count++;
    }
    return count;
}

void ptx_assumed_collect(Arena *arena, const Machine *m, Evaluation *out)
{
    const Func *func = &m->module->funcs[m->kernel];
    uint32_t count = 0;
    bool is_any = false;
    for (uint32_t at = 0; at < m->param_size; at++)
        is_any |= m->param_guess[at] != 0;
    out->dynamic_is_assumed = m->dynamic_is_assumed;
    out->shape_is_read = m->shape_is_read;
    GuessedTrips *guessed = ptx_arena_array(arena, GuessedTrips, m->guessed_count);
    for (uint32_t i = 0; i < m->guessed_count; i++)
        guessed[i] = m->guessed[i];
    out->guessed = guessed;
    out->guessed_count = m->guessed_count;
    if (!is_any || !func->is_entry)
        return;
    uint64_t pointers = ptx_pointers_compute(m->scratch, m->module, func);
    for (uint32_t p = 0; p < func->param_count; p++)
        count += list_param(m, p, pointers, NULL);
    AssumedParam *list = ptx_arena_array(arena, AssumedParam, count);
    out->assumed = list;
    out->assumed_count = count;
    for (uint32_t p = 0; p < func->param_count; p++)
        list += list_param(m, p, pointers, list);
}
