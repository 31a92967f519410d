/* growth.h -- what the parts of block_stride.h share: how values grow, the blocks that are
 * left, and numbers of lanes in full. */
#ifndef PTX_ANALYSIS_SIM_STRIDE_GROWTH_H
#define PTX_ANALYSIS_SIM_STRIDE_GROWTH_H

#include "analysis/sim/stride/block_stride.h"

#include <stdbool.h>
#include <stdint.h>

typedef __int128 Wide; /* sums of products of 64 and 32 bits */

#define MUCH ((Wide)1 << 100) /* more than any of them */

/* ---- growth ---------------------------------------------------------------------------------- */

static inline bool ptx_grows_along(const Blocks *blocks, const Value *value, unsigned d)
{
    return value->grows >> d & 1 && blocks->count[d] > 1;
}

static inline bool ptx_grows(const Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; value->grows && d < GROWTH_DIMS; d++)
        if (ptx_grows_along(blocks, value, d))
            return true;
    return false;
}

/* By how much from one of the blocks to the next: steps are multiples of those that came before. */
static inline Wide ptx_growth(const Blocks *blocks, const Value *value, unsigned d)
{
    return ptx_grows_along(blocks, value, d)
               ? (Wide)value->by[d] * (blocks->step[d] / blocks->steps[value->epoch][d])
               : 0;
}

static inline void ptx_growth_stay(Value *out)
{
    out->grows = 0;
}

/* Numbers are those of registers: what is over 64 bits is of no account. */
static inline void ptx_growth_set(const Blocks *blocks, Value *out, const Wide by[GROWTH_DIMS])
{
    out->grows = 0;
    out->epoch = blocks->epoch;
    for (unsigned d = 0; d < GROWTH_DIMS; d++) {
        out->by[d] = (int64_t)by[d];
        out->grows |= (uint8_t)((out->by[d] != 0) << d);
    }
}

static inline void ptx_growth_take(Value *out, const Value *from)
{
    out->grows = from->grows;
    out->epoch = from->epoch;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        out->by[d] = from->by[d];
}

/* ---- narrowing: narrow.c --------------------------------------------------------------------- */

/* As ptx_blocks_size, and of all trips. */
double ptx_blocks_size_with_trips(const Blocks *blocks);

/* Whether what grows by so much in each dimension goes up and down no further than that. */
bool ptx_blocks_are_held(const Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down);

/* So that what grows by so much upwards grows by no more than `up` in all, what grows downwards by
 * no more than `down`; neither is below 0. Trips are narrowed first, those of the outer loop before
 * all, then what grows most. */
void ptx_blocks_hold(Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down);

void ptx_blocks_hold_value(Blocks *blocks, const Value *value, Wide up, Wide down);

/* Of the blocks along a dimension every so-many-th one. */
void ptx_blocks_stretch(Blocks *blocks, unsigned d, uint64_t times);

/* ---- numbers: line.c ------------------------------------------------------------------------- */

static inline Wide ptx_whole(uint64_t number, unsigned bits, bool is_signed)
{
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1)
                                                                                << (bits - 1);
    number &= mask;
    return is_signed && number & sign ? (Wide)number - (Wide)mask - 1 : (Wide)number;
}

static inline Wide ptx_whole_lane(const Value *value, unsigned lane, unsigned bits, bool is_signed)
{
    return ptx_whole(ptx_value_lane(value, lane), bits, is_signed);
}

static inline bool ptx_wide_fits_word(Wide a)
{
    return a >= 0 && a <= UINT64_MAX;
}

/* Division of 128 bits takes ten times as long. */
static inline Wide ptx_wide_modulo(Wide a, Wide by)
{
    if (!(by & (by - 1)))
        return a & (by - 1);
    if (ptx_wide_fits_word(a) && ptx_wide_fits_word(by))
        return (uint64_t)a % (uint64_t)by;
    Wide rest = a % by;
    return rest < 0 ? rest + by : rest;
}

/* Numbers of lanes in full, and how they grow: of products too. */
typedef struct BlockStrideLine {
    Wide numbers[WARP_LANES], by[GROWTH_DIMS];
    uint32_t lanes; /* those that count; not 0 */
    uint8_t epoch;  /* as of Value.by */
} BlockStrideLine;

/* Of the bits of a value those from `low` on, up to `high`, at `shift` in the result. */
typedef struct BlockStridePiece {
    const Value *from;
    unsigned bits; /* of the value */
    unsigned low, high, shift;
    bool is_inverted;
} BlockStridePiece;

/* False: it is known in none of these lanes. */
bool ptx_value_extremes(const Value *value, uint32_t lanes, unsigned bits, bool is_signed,
                        Wide *low, Wide *high);

/* So that what grows stays within a type, and is the sum of its number and its growth. */
void ptx_blocks_keep_within(Blocks *blocks, const Value *value, uint32_t lanes, unsigned bits,
                            bool is_signed);

/* False: no lane counts. */
bool ptx_block_line_make(const Blocks *blocks, BlockStrideLine *line, const Value *value,
                         uint32_t lanes, unsigned bits, bool is_signed);

/* All numbers, and how they grow, times that. */
void ptx_block_line_scale(BlockStrideLine *line, Wide factor);

/* Narrowed so that the numbers, by how much they grow left out as far as it is a multiple of the
 * modulus, move up and down no further than that. rests: how they move. */
void ptx_block_line_drift(Blocks *blocks, const BlockStrideLine *line, Wide modulus, Wide up,
                          Wide down, Wide rests[GROWTH_DIMS]);

/* Rounded down, by a number that does not grow: how the quotient and the remainder grow. */
void ptx_block_line_divide(Blocks *blocks, const BlockStrideLine *line, Wide by,
                           BlockStrideLine *quotient, BlockStrideLine *remainder);

/* The value grows by so many times what the line does, on top of what it did; as the line. */
void ptx_block_line_add(Blocks *blocks, Value *out, const BlockStrideLine *line, Wide factor);
void ptx_block_line_take(Blocks *blocks, Value *out, const BlockStrideLine *line);

/* How much it adds to how the result grows. */
void ptx_block_line_add_piece(Blocks *blocks, Value *out, uint32_t lanes, BlockStridePiece piece);

#endif
