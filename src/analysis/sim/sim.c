/* sim.c -- what the stages behind this folder see of a machine. */
#include "analysis/sim/sim.h"
#include "analysis/sim/control/branch_probability.h"
#include "analysis/sim/machine.h"
#include "analysis/value/pointer.h"
#include "analysis/sim/guess.h"
#include "ir/func.h"
#include "ir/module.h"

#include <string.h>

/* ---- what may be run, and how ---------------------------------------------------------------- */

SimConfig *ptx_machine_config(Machine *m)
{
    return &m->config;
}

void ptx_machine_allow(Machine *m, uint64_t steps)
{
    m->most_steps = m->steps + ptx_machine_allowed(steps);
}

void ptx_machine_extend(Machine *m, uint64_t steps)
{
    m->most_steps += ptx_machine_allowed(steps);
}

void ptx_machine_charge(Machine *m, uint64_t steps)
{
    m->steps += steps;
}

bool ptx_machine_has_left_early(const Machine *m)
{
    return m->has_left_early;
}

uint64_t ptx_machine_steps(const Machine *m)
{
    return m->steps;
}

uint64_t ptx_machine_steps_left(const Machine *m)
{
    return m->steps < m->most_steps ? m->most_steps - m->steps : 0;
}

const Blocks *ptx_machine_blocks(const Machine *m)
{
    return &m->blocks;
}

bool ptx_machine_is_complete(const Machine *m)
{
    return !m->is_cut;
}

/* ---- what is run ----------------------------------------------------------------------------- */

SimShape ptx_machine_shape(const Machine *m)
{
    return (SimShape){ .block = { m->block[0], m->block[1], m->block[2] },
                       .grid = { m->grid[0], m->grid[1], m->grid[2] },
                       .warp_count = m->warp_count,
                       .block_is_assumed = m->block_is_assumed,
                       .grid_is_assumed = m->grid_is_assumed };
}

void ptx_machine_assume_block(Machine *m)
{
    m->block_is_assumed = true;
}

uint32_t ptx_machine_shared_bytes(const Machine *m)
{
    return m->shared_size;
}

uint32_t ptx_machine_var_count(const Machine *m)
{
    return m->placed_count;
}

SimVar ptx_machine_var(const Machine *m, uint32_t at)
{
    return (SimVar){ m->placed[at].var, m->placed[at].address };
}

bool ptx_machine_address(const Machine *m, VarId var, uint64_t *address)
{
    const PlacedVar *placed = ptx_machine_placed(m, var);
    if (placed)
        *address = placed->address;
    return placed || (m->has_shared && ptx_shared_layout_find(&m->shared_layout, var, address));
}

const SharedLayout *ptx_machine_shared_layout(const Machine *m)
{
    return m->has_shared ? &m->shared_layout : NULL;
}

bool ptx_machine_pointer(const Machine *m, VarId param, AddendId addend, uint64_t *number)
{
    const PlacedVar *placed = ptx_machine_placed(m, param);
    if (!placed || placed->address >= m->param_size || m->param_addend[placed->address] != addend)
        return false;
    *number = 0;
    for (unsigned b = 0; b < m->module->address_size / 8; b++)
        *number |= (uint64_t)m->param_bytes[placed->address + b] << (8 * b);
    return true;
}

/* ---- what was run ---------------------------------------------------------------------------- */

uint32_t ptx_machine_func_count(const Machine *m)
{
    return m->run_count;
}

FuncId ptx_machine_func_id(const Machine *m, uint32_t at)
{
    return m->run[at];
}

static SimFunc func_of(const FuncState *state)
{
    return (SimFunc){ .func = state->func,
                      .cfg = state->cfg,
                      .dom = state->dom,
                      .reconvergence = state->reconvergence,
                      .loops = state->loops,
                      .plain = state->slice.plain,
                      .counts = state->counts,
                      .sums = state->sums };
}

SimFunc ptx_machine_func_at(const Machine *m, uint32_t at)
{
    return func_of(m->states[at]);
}

SimFunc ptx_machine_func(const Machine *m, FuncId func)
{
    const FuncState *state = ptx_machine_state(m, func);
    return state ? func_of(state) : (SimFunc){ 0 };
}

void ptx_machine_put_sum(Machine *m, uint32_t at, InsnId insn, const Count *sum)
{
    *ptx_count_at(m, m->states[at]->sums, insn) = *sum;
}

void ptx_machine_discard(const Machine *m)
{
    for (uint32_t r = 0; r < m->run_count; r++) {
        const FuncState *state = m->states[r];
        for (InsnId i = 0; i < state->func->insn_count; i++)
            if (state->sums[i])
                *state->sums[i] = ptx_count_none;
    }
}

void ptx_machine_find_shares(const Machine *m, uint32_t at, Evaluated *insns)
{
    ptx_branch_probability_compute(m->scratch, m->states[at], insns);
}

bool ptx_machine_warps_are_independent(const Machine *m)
{
    return m->are_apart;
}

/* ---- what was assumed ------------------------------------------------------------------------ */

SimAssumptions ptx_machine_assumptions(const Machine *m)
{
    return (SimAssumptions){ .initial = m->initial_is_assumed,
                             .warpid = m->warpid_is_assumed,
                             .dynamic = m->dynamic_is_assumed,
                             .shape_is_read = m->shape_is_read,
                             .sizes_read = m->sizes_read };
}

const GuessedTrips *ptx_machine_guessed_trips(const Machine *m, Arena *arena, uint32_t *count)
{
    GuessedTrips *guessed = ptx_arena_array(arena, GuessedTrips, m->guessed_count);
    for (uint32_t i = 0; i < m->guessed_count; i++)
        guessed[i] = m->guessed[i];
    *count = m->guessed_count;
    return guessed;
}

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

/* Of the kernel, which is the first that ran. */
static uint64_t pointers_of_kernel(const Machine *m)
{
    PlanMemo *memo = m->states[0]->memo;
    if (!memo->has_pointers)
        memo->pointers = ptx_pointers_compute(m->scratch, m->module, m->states[0]->func);
    memo->has_pointers = true;
    return memo->pointers;
}

const AssumedParam *ptx_machine_assumed_params(const Machine *m, Arena *arena, uint32_t *count)
{
    const Func *func = &m->module->funcs[m->kernel];
    bool is_any = false, is_any_wide = false;
    *count = 0;
    for (uint32_t at = 0; at < m->param_size; at++) {
        is_any |= m->param_guess[at] != 0;
        is_any_wide |= (m->param_guess[at] & ~(unsigned)GUESS_IS_FLOAT)
                       == (unsigned)m->module->address_size / 8;
    }
    if (!is_any || !func->is_entry)
        return NULL;
    /* is_base asks for them where a guess is as wide as an address */
    uint64_t pointers = is_any_wide ? pointers_of_kernel(m) : 0;
    for (uint32_t p = 0; p < func->param_count; p++)
        *count += list_param(m, p, pointers, NULL);
    AssumedParam *list = ptx_arena_array(arena, AssumedParam, *count), *to = list;
    for (uint32_t p = 0; p < func->param_count; p++)
        to += list_param(m, p, pointers, to);
    return list;
}
