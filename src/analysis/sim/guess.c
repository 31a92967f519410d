/* guess.c -- numbers for parameters and trips that the launch does not give, and which of them a
 * run has asked for. */
#include "analysis/sim/machine.h"
#include "ir/module.h"
#include "analysis/sim/guess.h"

void ptx_machine_note_guess(Machine *m, uint64_t offset, unsigned bytes, bool is_float)
{
    m->param_guess[offset] = (uint8_t)(bytes | (is_float ? GUESS_IS_FLOAT : 0));
}

uint64_t ptx_machine_guess(uint64_t offset, unsigned bytes, bool is_float)
{
    if (is_float)
        return bytes == 4 ? 0x3f800000 : UINT64_C(0x3ff0000000000000);
    /* 4096: a multiple of every tile, larger than a block */
    if (bytes == 8)
        return (offset / 4 + 1) << ARRAY_SHIFT;
    return bytes == 4 ? 4096 : 64;
}

void ptx_machine_note_left(Machine *m, const FuncState *func_state, InsnId branch, InsnId stays_at,
                           unsigned stays)
{
    BlockId block = func_state->cfg->block_of[branch];
    LoopId loop = func_state->loops->loop_of[block];
    if (func_state->func != &m->module->funcs[m->kernel] || loop == NO_LOOP)
        return;
    /* one iteration comes before the first stay */
    bool is_behind = func_state->cfg->block_of[stays_at] == func_state->loops->loops[loop].header;
    uint32_t count = stays + is_behind, i = 0;
    while (i < m->guessed_count && m->guessed[i].loop != loop)
        i++;
    if (i == MAX_GUESSED)
        return;
    if (!m->guessed)
        m->guessed = ptx_arena_array(m->arena, GuessedTrips, MAX_GUESSED);
    const SteeredBranch steered = func_state->steered ? func_state->steered[branch]
                                                      : (SteeredBranch){ 0 };
    uint32_t before = i < m->guessed_count ? m->guessed[i].count : 0;
    m->guessed[i] = (GuessedTrips){ .loop = loop,
                                    .count = before > count ? before : count,
                                    .is_steered = steered.stays > 1 && !steered.is_sampled,
                                    .is_ordered = steered.is_ordered,
                                    .is_sampled = steered.is_sampled };
    m->guessed_count += i == m->guessed_count;
}
