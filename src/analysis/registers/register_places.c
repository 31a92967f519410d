#include "analysis/registers/block_work.h"

enum {
    /* where structures of a few members and rows with shuffles come nearest to ptxas */
    LATE = 8,
    /* of registers, by their parity: operands of an instruction out of one bank take a cycle more
     * */
    BANKS = 2,
    ANY_BANK = BANKS,
    SCATTERED = 16,             /* registers that places take beyond what is live: hardly more */
    NOWHERE = UINT8_MAX,
    STACK_POINTER = 1,          /* its register, which nothing else gets */
};

/* What of a warp's registers it reads the machine learns late: they stay taken for LATE steps
 * more. */
static bool reads_late(uint8_t machine)
{
    return machine == MACHINE_GLOBAL || machine == MACHINE_SHARED || machine == MACHINE_SHUFFLE
           || machine == MACHINE_ATOMIC || machine == MACHINE_ATOMIC_SHARED || machine == MACHINE_XU
           || machine == MACHINE_CVT || machine == MACHINE_BITS;
}

static void find_lives(BlockWork *w)
{
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->birth[v] = w->death[v] = 0;
        w->home[v] = NOWHERE;
    }
    for (uint32_t p = 0; p < w->sequence_count; p++) {
        const ListScheduleStep *step = &w->steps[w->sequence[p]];
        const uint32_t *locals = w->locals_of + step->use_first;
        uint32_t late = p + (reads_late(insn_at(w, w->sequence[p])->machine) ? LATE : 0);
        for (uint32_t u = 0; u < step->use_count; u++) {
            uint32_t end = w->locals[locals[u]].is_temporary ? p : late;
            w->death[locals[u]] = end > w->death[locals[u]] ? end : w->death[locals[u]];
        }
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            w->birth[locals[d]] = w->death[locals[d]] = p + 1;
    }
    for (uint32_t v = 0; v < w->local_count; v++)
        if (w->locals[v].is_out || w->death[v] > w->sequence_count)
            w->death[v] = w->sequence_count;
    for (uint32_t k = 0; k < WORDS; k++) {
        memset(w->slots[k], 0, (w->sequence_count + 1) * sizeof *w->slots[k]);
        memset(w->sums[k], 0, (w->sequence_count / SLOTS_A_SUM + 1) * sizeof *w->sums[k]);
    }
    memset(w->anywhere, 0, sizeof w->anywhere);
    memset(w->through, 0, sizeof w->through);
    w->anywhere[0] = w->through[0] = (uint64_t)1 << STACK_POINTER;
}

static bool is_free(const uint64_t *taken, uint32_t place, uint32_t units)
{
    for (uint32_t r = place; r < place + units; r++)
        if (taken[r / 64] >> r % 64 & 1)
            return false;
    return true;
}

/* Whether it lives as long as the region: such values are not in the slots. */
static bool lives_through(const BlockWork *w, uint32_t local)
{
    return !w->birth[local] && w->death[local] == w->sequence_count;
}

/* Those of a word that a value at this place takes. */
static uint64_t bits_in(uint32_t place, uint32_t units, uint32_t word)
{
    uint64_t bits = 0;
    for (uint32_t r = place; r < place + units; r++)
        bits |= r / 64 == word ? (uint64_t)1 << r % 64 : 0;
    return bits;
}

static void settle(BlockWork *w, uint32_t local, uint32_t place)
{
    const uint32_t units = w->locals[local].units;
    const bool is_through = lives_through(w, local);
    w->home[local] = (uint8_t)place;
    for (uint32_t k = place / 64; units && k <= (place + units - 1) / 64; k++) {
        uint64_t bits = bits_in(place, units, k), *slots = w->slots[k], *sums = w->sums[k];
        w->anywhere[k] |= bits;
        w->through[k] |= is_through ? bits : 0;
        for (uint32_t p = w->birth[local], last = w->death[local]; p <= last && !is_through; p++)
            slots[p] |= bits;
        for (uint32_t p = w->birth[local] / SLOTS_A_SUM, last = w->death[local] / SLOTS_A_SUM;
             p <= last && !is_through; p++)
            sums[p] |= bits;
    }
    w->top = place + w->locals[local].units > w->top ? place + w->locals[local].units : w->top;
}

/* hold_late may have taken bits out of the first LATE slots alone. */
static uint64_t taken_between(const BlockWork *w, uint32_t k, uint32_t first, uint32_t last)
{
    const uint64_t *slots = w->slots[k];
    const uint32_t from = (first + LATE) / SLOTS_A_SUM + 1, to = (last + 1) / SLOTS_A_SUM;
    uint64_t taken = 0;
    uint32_t p = first;
    for (; from < to && p < from * SLOTS_A_SUM; p++)
        taken |= slots[p];
    for (; from < to && p < to * SLOTS_A_SUM; p += SLOTS_A_SUM)
        taken |= w->sums[k][p / SLOTS_A_SUM];
    for (; p <= last; p++)
        taken |= slots[p];
    return taken;
}

/* Where in a word of 64 registers a value of these units may begin. */
static uint64_t starts_in_bank(uint32_t units, unsigned bank)
{
    static const uint64_t even = UINT64_MAX / 3;
    if (units == 2 || bank == 0)
        return even;
    return bank < ANY_BANK ? ~even : UINT64_MAX;
}

/* The first place of so many free registers side by side: a pair at an even one, more than two at a
 * multiple of four, one alone at one of this bank, or of either. */
static uint32_t free_place(const uint64_t *taken, uint32_t units, unsigned bank)
{
    const uint64_t mask = starts_in_bank(units, bank);
    for (uint32_t k = 0; k < WORDS && units <= 2; k++) {
        uint64_t open = ~(taken[k] | (units == 2 ? taken[k] >> 1 : 0)) & mask;
        if (open)
            return 64 * k + (uint32_t)__builtin_ctzll(open);
    }
    uint32_t place = units <= 2 ? NOWHERE : 0;
    while (place + units < NOWHERE && !is_free(taken, place, units))
        place += 4;
    return place;
}

/* Values that live as long as the region, which nothing in it reads. */
static void settle_passing(BlockWork *w, uint32_t units)
{
    for (uint32_t i = 0; i < w->passing[units]; i++) {
        uint32_t place = free_place(w->anywhere, units, ANY_BANK);
        if (place + units >= NOWHERE)
            return;
        uint64_t bits = (((uint64_t)1 << units) - 1) << place % 64;
        w->anywhere[place / 64] |= bits;
        w->through[place / 64] |= bits;
        w->top = place + units > w->top ? place + units : w->top;
    }
}

/* Puts values side by side, into the first registers that are free as long as they live. */
static void settle_group(BlockWork *w, const uint32_t *locals, uint32_t count, uint32_t units,
                         unsigned bank)
{
    uint64_t taken[WORDS];
    bool is_through = lives_through(w, locals[0]);
    memcpy(taken, is_through ? w->anywhere : w->through, sizeof taken);
    for (uint32_t i = 0; i < count && !is_through; i++)
        for (uint32_t k = 0; k <= w->top / 64; k++)
            taken[k] |= taken_between(w, k, w->birth[locals[i]], w->death[locals[i]]);
    uint32_t place = free_place(taken, units, bank);
    for (uint32_t i = 0; i < count && place + units < NOWHERE; i++) {
        settle(w, locals[i], place);
        place += w->locals[locals[i]].units;
    }
}

/* Adds up in which banks the other operands of a step that reads a value are. */
static void count_banks(const BlockWork *w, uint32_t s, uint32_t local, uint32_t *seen)
{
    const ListScheduleStep *step = &w->steps[s];
    const uint32_t *uses = w->locals_of + step->use_first;
    bool is_read = false;
    for (uint32_t u = 0; u < step->use_count; u++)
        is_read |= uses[u] == local;
    for (uint32_t u = 0; is_read && u < step->use_count; u++)
        if (uses[u] != local && w->home[uses[u]] != NOWHERE && w->locals[uses[u]].units)
            seen[w->home[uses[u]] % BANKS]++;
}

/* The bank where it conflicts with no other. */
static unsigned bank_for(const BlockWork *w, uint32_t local)
{
    uint32_t seen[BANKS] = { 0 };
    for (uint32_t e = w->maker[local] ? w->steps[w->maker[local] - 1].edge : 0; e;
         e = w->edges[e - 1].next)
        count_banks(w, w->edges[e - 1].to, local, seen);
    return seen[0] == seen[1] ? ANY_BANK : seen[0] > seen[1];
}

/* What a step reads last stays taken for a while: before sm_90 not to what that very step
 * writes. */
static void hold_late(BlockWork *w, uint32_t p, bool is_held)
{
    const ListScheduleStep *step = &w->steps[w->sequence[p]];
    for (uint32_t u = 0; u < step->use_count; u++) {
        uint32_t local = w->locals_of[step->use_first + u];
        if (w->home[local] == NOWHERE
            || w->death[local] != (p + LATE < w->sequence_count ? p + LATE : w->sequence_count)
            || lives_through(w, local) || w->locals[local].is_out)
            continue;
        for (uint32_t r = w->home[local]; r < (uint32_t)w->home[local] + w->locals[local].units;
             r++)
            for (uint32_t q = p + 1; q <= w->death[local]; q++)
                w->slots[r / 64][q] = is_held ? w->slots[r / 64][q] | (uint64_t)1 << r % 64
                                              : w->slots[r / 64][q] & ~((uint64_t)1 << r % 64);
    }
}

/* Values of so many units, those that come in first. */
static void settle_values(BlockWork *w, uint32_t low, uint32_t high)
{
    for (uint32_t v = 0; v < w->local_count; v++)
        if (!w->maker[v] && (w->locals[v].uses || w->locals[v].is_out) && w->locals[v].units >= low
            && w->locals[v].units <= high)
            settle_group(w, &v, 1, w->locals[v].units, ANY_BANK);
    if (low < PASSING)
        settle_passing(w, low);
    for (uint32_t p = 0; p < w->sequence_count; p++) {
        const ListScheduleStep *step = &w->steps[w->sequence[p]];
        const uint32_t *defs = w->locals_of + step->use_first + step->use_count;
        uint32_t units = 0;
        bool is_group = step->def_count && !w->locals[defs[0]].is_temporary;
        for (uint32_t d = 0; d < step->def_count; d++) {
            units += w->locals[defs[d]].units;
            if (!is_group && low == 1)
                settle_group(w, &defs[d], 1, 1, ANY_BANK);
        }
        if (!is_group || units < low || units > high)
            continue;
        bool is_late = w->sm < LOADS_PARAMETERS_SM
                       && reads_late(insn_at(w, w->sequence[p])->machine);
        if (is_late)
            hold_late(w, p, false);
        settle_group(w, defs, step->def_count, units,
                     units == 1 && step->def_count == 1 ? bank_for(w, defs[0]) : ANY_BANK);
        if (is_late)
            hold_late(w, p, true);
    }
}

/* The wide ones first. */
uint32_t ptx_block_places(BlockWork *w, uint32_t *highest)
{
    w->top = 0;
    if (w->most + SCATTERED < *highest)
        return 0;
    find_lives(w);
    settle_values(w, 3, UINT32_MAX);
    settle_values(w, 2, 2);
    settle_values(w, 1, 1);
    *highest = w->top > *highest ? w->top : *highest;
    return w->top;
}
