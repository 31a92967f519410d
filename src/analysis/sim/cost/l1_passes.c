#include "analysis/sim/cost/l1_passes.h"

#include "analysis/sim/value.h"

enum { BANKS = 32, WORD_BYTES = 4, LINE_BYTES = 128, LINES_A_CLOCK = 4 };

static unsigned tags_of(unsigned lines)
{
    return (lines + LINES_A_CLOCK - 1) / LINES_A_CLOCK;
}

/* Of the lanes, the most words that differ in one bank. */
static unsigned crowd(const uint64_t *addresses, uint32_t lanes, uint32_t bytes)
{
    uint64_t seen[BANKS][BANKS];
    unsigned count[BANKS] = { 0 }, most = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t address = addresses[__builtin_ctz(left)];
        const uint64_t last = (address + bytes - 1) / WORD_BYTES;
        for (uint64_t word = address / WORD_BYTES; word <= last; word++) {
            unsigned bank = (unsigned)(word % BANKS), k = count[bank];
            while (k && seen[bank][k - 1] != word)
                k--;
            if (!k && count[bank] < BANKS)
                seen[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* Groups of so many lanes, of which some take part: each has words of its own in registers. An
 * H200's LSU has 4.0 wavefronts a request for 16 bytes that all lanes load alike, and takes 4.14
 * clocks. */
static unsigned groups_of(uint32_t lanes, unsigned group)
{
    unsigned groups = 0;
    for (unsigned first = 0; first < WARP_LANES; first += group)
        groups += (lanes >> first & (UINT32_MAX >> (WARP_LANES - group))) != 0;
    return groups;
}

unsigned ptx_l1_passes(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, unsigned lines)
{
    const unsigned count = (unsigned)__builtin_popcount(lanes);
    /* those of a request that are served side by side: a bank has a word for each */
    const unsigned group = bytes > WORD_BYTES ? WARP_LANES * WORD_BYTES / bytes : WARP_LANES;
    if (!group)
        return lines;
    const unsigned groups = groups_of(lanes, group);
    if (lines * LINE_BYTES <= count * bytes || lines < 2)
        return lines > groups ? lines : groups;         /* side by side: each line is full */
    unsigned passes = 0;
    for (unsigned first = 0; first < WARP_LANES; first += group) {
        const uint32_t own = group < WARP_LANES ? ((UINT32_C(1) << group) - 1) << first
                                                : UINT32_MAX;
        passes += crowd(addresses, lanes & own, bytes);
    }
    return passes > tags_of(lines) ? passes : tags_of(lines);
}

unsigned ptx_l1_passes_of_copy(uint32_t lanes, uint32_t bytes, unsigned lines)
{
    const unsigned count = (unsigned)__builtin_popcount(lanes),
                   full = (count * bytes + LINE_BYTES - 1) / LINE_BYTES;
    return full > tags_of(lines) ? full : tags_of(lines);
}
