/* Numbers of a warp's lanes in full, and how they grow: division, and pieces of their bits. */
#include "analysis/sim/stride/growth.h"

#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

bool ptx_value_extremes(const Value *value, uint32_t lanes, unsigned bits, bool is_signed,
                        Wide *low, Wide *high)
{
    /* with the sign bit, and all above it, turned over numbers are in order without signs */
    const uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    const uint64_t flip = is_signed ? UINT64_C(1) << (bits - 1) : 0;
    uint64_t least = UINT64_MAX, most = 0;
    lanes &= ~value->unknown;
    if (!lanes)
        return false;
    for (uint32_t left = value->lanes ? lanes : lanes & -lanes; left; left &= left - 1) {
        const uint64_t here = (ptx_value_lane(value, (unsigned)__builtin_ctz(left)) & mask) ^ flip;
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    *low = ptx_whole(least ^ flip, bits, is_signed);
    *high = ptx_whole(most ^ flip, bits, is_signed);
    return true;
}

void ptx_blocks_keep_within(Blocks *blocks, const Value *value, uint32_t lanes, unsigned bits,
                            bool is_signed)
{
    Wide low, high, most = ((Wide)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    if (ptx_grows(blocks, value) && ptx_value_extremes(value, lanes, bits, is_signed, &low, &high))
        ptx_blocks_hold_value(blocks, value, most - high, low - least);
}

bool ptx_block_line_make(const Blocks *blocks, BlockStrideLine *line, const Value *value,
                         uint32_t lanes, unsigned bits, bool is_signed)
{
    line->lanes = lanes & ~value->unknown;
    line->epoch = blocks->epoch;
    for (unsigned i = 0; i < WARP_LANES; i++)
        line->numbers[i] = ptx_whole_lane(value, i, bits, is_signed);
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        line->by[d] = ptx_growth(blocks, value, d);
    return line->lanes;
}

static Wide line_growth(const Blocks *blocks, const BlockStrideLine *line, unsigned d)
{
    return blocks->count[d] > 1 ? line->by[d] * (blocks->step[d] / blocks->steps[line->epoch][d])
                                : 0;
}

void ptx_block_line_scale(BlockStrideLine *line, Wide factor)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        line->numbers[i] *= factor;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        line->by[d] *= factor;
}

/* Of a multiple. */
static Wide exact_quotient(Wide a, Wide by)
{
    if (ptx_wide_fits_word(a) && ptx_wide_fits_word(by))
        return by & (by - 1) ? (uint64_t)a / (uint64_t)by
                             : (uint64_t)a >> __builtin_ctzll((uint64_t)by);
    return a / by;
}

static Wide blocks_within(uint32_t count, Wide times, Wide rest, Wide up, Wide down)
{
    Wide apart = ((Wide)count + times - 1) / times;
    if (!rest)
        return apart;
    Wide reach = (rest > 0 ? up / rest : down / -rest) + 1;
    return reach < apart ? reach : apart;
}

/* In a dimension, every so-many-th block is taken that most blocks stay: of each `times` that a
 * convergent of by / modulus has for its denominator, the blocks differ by the least (Khinchin,
 * "Continued Fractions", section 6). *rest: by how much, modulo the modulus. */
static Wide best_times(uint32_t count, Wide by, Wide modulus, Wide up, Wide down, Wide *rest)
{
    Wide older = modulus, newer = ptx_wide_modulo(by, modulus), older_times = 0, times = 1,
         best = 1, most = 0;
    for (int sign = 1; times < count; sign = -sign) {
        Wide here = blocks_within(count, times, sign * newer, up, down);
        if (here > most) {
            most = here;
            best = times;
            *rest = sign * newer;
        }
        if (!newer)
            break;
        Wide quotient = older / newer, next = older % newer,
             next_times = older_times + quotient * times;
        older = newer;
        newer = next;
        older_times = times;
        times = next_times;
    }
    if (!most) {
        *rest = ptx_wide_modulo(by, modulus);
        return 1;
    }
    return best;
}

void ptx_block_line_drift(Blocks *blocks, const BlockStrideLine *line, Wide modulus, Wide up,
                          Wide down, Wide rests[GROWTH_DIMS])
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = line_growth(blocks, line, d);
    if (ptx_blocks_are_held(blocks, by, up, down)) {
        memcpy(rests, by, sizeof by);
        return;
    }
    Blocks near = *blocks, apart = *blocks;
    ptx_blocks_hold(&near, by, up, down);
    double size = ptx_blocks_size_with_trips(blocks);
    for (unsigned d = 0; d < GROWTH_DIMS && ptx_blocks_size_with_trips(&near) < size; d++) {
        rests[d] = 0;
        if (!by[d])
            continue;
        Wide times = best_times(blocks->count[d], by[d], modulus, up, down, &rests[d]),
             here = blocks_within(blocks->count[d], times, rests[d], up, down);
        if (times > 1)
            ptx_blocks_stretch(&apart, d, (uint64_t)times);
        if (here < apart.count[d])
            apart.count[d] = (uint32_t)here;
        Wide reach = rests[d] * (apart.count[d] - 1);
        up -= reach > 0 ? reach : 0;
        down += reach < 0 ? reach : 0;
    }
    if (ptx_blocks_size_with_trips(&near) == size
        || ptx_blocks_size_with_trips(&near) >= ptx_blocks_size_with_trips(&apart)) {
        *blocks = near;
        memcpy(rests, by, sizeof by);
    } else {
        *blocks = apart;
    }
}

void ptx_block_line_divide(Blocks *blocks, const BlockStrideLine *line, Wide by,
                           BlockStrideLine *quotient, BlockStrideLine *remainder)
{
    Wide least = by, most = 0, rests[GROWTH_DIMS] = { 0 }, parts[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const Wide rest = parts[i] = ptx_wide_modulo(line->numbers[i], by);
        if (!(line->lanes >> i & 1))
            continue;
        least = rest < least ? rest : least;
        most = rest > most ? rest : most;
    }
    ptx_block_line_drift(blocks, line, by, by - 1 - most, least, rests);
    BlockStrideLine from = *line;
    for (unsigned d = 0; d < GROWTH_DIMS; d++) {
        Wide whole_growth = line_growth(blocks, &from, d);
        quotient->by[d] = blocks->count[d] > 1 ? (whole_growth - rests[d]) / by : 0;
        remainder->by[d] = blocks->count[d] > 1 ? rests[d] : 0;
    }
    quotient->epoch = remainder->epoch = blocks->epoch;
    quotient->lanes = remainder->lanes = from.lanes;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        quotient->numbers[i] = exact_quotient(from.numbers[i] - parts[i], by);
        remainder->numbers[i] = parts[i];
    }
}

void ptx_block_line_add(Blocks *blocks, Value *out, const BlockStrideLine *line, Wide factor)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = ptx_growth(blocks, out, d) + (Wide)(int64_t)line_growth(blocks, line, d) * factor;
    ptx_growth_set(blocks, out, by);
}

void ptx_block_line_take(Blocks *blocks, Value *out, const BlockStrideLine *line)
{
    ptx_growth_stay(out);
    ptx_block_line_add(blocks, out, line, 1);
}

void ptx_block_line_add_piece(Blocks *blocks, Value *out, uint32_t lanes, BlockStridePiece piece)
{
    BlockStrideLine line, rest;
    Wide unit = (Wide)1 << piece.shift;
    if (!ptx_grows(blocks, piece.from)
        || !ptx_block_line_make(blocks, &line, piece.from, lanes, piece.bits, false))
        return;
    if (piece.high < piece.bits) {
        ptx_block_line_divide(blocks, &line, (Wide)1 << piece.high, &rest, &line);
    } else if (piece.low) { /* so that no bit comes from above */
        ptx_blocks_keep_within(blocks, piece.from, lanes, piece.bits, false);
        ptx_block_line_make(blocks, &line, piece.from, lanes, piece.bits, false);
    }
    if (piece.low)
        ptx_block_line_divide(blocks, &line, (Wide)1 << piece.low, &line, &rest);
    ptx_block_line_add(blocks, out, &line, piece.is_inverted ? -unit : unit);
}

void ptx_block_stride_part(Blocks *blocks, Value *out, const Value *from, unsigned shift,
                           uint32_t lanes)
{
    ptx_growth_stay(out);
    ptx_block_line_add_piece(blocks, out, lanes,
                             (BlockStridePiece){ from, 64, shift, 64, 0, false });
}

void ptx_block_stride_join(Blocks *blocks, Value *out, const Value *part, unsigned shift,
                           unsigned bits, uint32_t lanes)
{
    if (!ptx_grows(blocks, part))
        return;
    ptx_blocks_keep_within(blocks, part, lanes, bits, false);
    ptx_block_line_add_piece(blocks, out, lanes,
                             (BlockStridePiece){ part, 64, 0, 64, shift, false });
}
