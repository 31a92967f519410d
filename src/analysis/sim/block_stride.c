/* Numbers that grow from block to block: what holds for all blocks that a run stands for.
 *
 * Every rule here asks what the operation, done on the numbers of another of these blocks, would
 * give; where that is not a number that grows by the same in all lanes, the run is narrowed to the
 * blocks for which it is. What was found for more blocks holds for fewer.
 *
 * In this order: the blocks themselves, trips through a loop, narrowing, sums of numbers and their
 * growth, operations on integers, on bits, floats, conversions, comparisons; then the rule for
 * each operation, ptx_block_stride_follow, and what comes of several values. */
#include "analysis/sim/block_stride.h"
#include "isa/isa.h"
#include "support/assert.h"
#include "support/minmax.h"

#include <math.h>
#include <string.h>

typedef __int128 Wide;          /* sums of products of 64 and 32 bits */

#define MUCH ((Wide)1 << 100)   /* more than any of them */

/* ---- blocks ---------------------------------------------------------------------------------- */

Blocks ptx_blocks_new(const uint32_t first[3], const uint32_t step[3], const uint32_t count[3])
{
    Blocks blocks = { .epoch = 0 };
    for (unsigned d = GROWTH_WARP; d < GROWTH_DIMS; d++)
        blocks.step[d] = blocks.count[d] = blocks.steps[0][d] = 1;
    for (unsigned d = 0; d < GROWTH_WARP; d++) {
        blocks.first[d] = first[d];
        blocks.step[d] = blocks.steps[0][d] = step[d];
        blocks.count[d] = count[d];
    }
    return blocks;
}

double ptx_blocks_size(const Blocks *blocks)
{
    return (double)blocks->count[0] * blocks->count[1] * blocks->count[2]
           * blocks->count[GROWTH_WARP];
}

/* And of all trips. */
static double size_of(const Blocks *blocks)
{
    double size = ptx_blocks_size(blocks);
    for (unsigned d = GROWTH_TRIPS; d < GROWTH_DIMS; d++)
        size *= blocks->count[d];
    return size;
}

static bool grows_along(const Blocks *blocks, const Value *value, unsigned d)
{
    return value->grows >> d & 1 && blocks->count[d] > 1;
}

bool ptx_value_has_block_stride(const Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; value->grows && d < GROWTH_DIMS; d++)
        if (grows_along(blocks, value, d))
            return true;
    return false;
}

/* By how much from one of the blocks to the next: steps are multiples of those that came before. */
static Wide growth(const Blocks *blocks, const Value *value, unsigned d)
{
    return grows_along(blocks, value, d)
               ? (Wide)value->by[d] * (blocks->step[d] / blocks->steps[value->epoch][d])
               : 0;
}

static void stay(Value *out)
{
    out->grows = 0;
}

/* Numbers are those of registers: what is over 64 bits is of no account. */
static void grow(const Blocks *blocks, Value *out, const Wide by[GROWTH_DIMS])
{
    out->grows = 0;
    out->epoch = blocks->epoch;
    for (unsigned d = 0; d < GROWTH_DIMS; d++) {
        out->by[d] = (int64_t)by[d];
        out->grows |= (uint8_t)((out->by[d] != 0) << d);
    }
}

static void take_growth(Value *out, const Value *from)
{
    out->grows = from->grows;
    out->epoch = from->epoch;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        out->by[d] = from->by[d];
}

void ptx_blocks_pin(Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (value->grows >> d & 1)
            blocks->count[d] = 1;
}

void ptx_blocks_index(const Blocks *blocks, Value *out, unsigned d, int64_t by)
{
    if (blocks->count[d] <= 1)
        return;
    Wide all[GROWTH_DIMS] = { 0 };
    all[d] = by;
    grow(blocks, out, all);
}

uint64_t ptx_blocks_steps(const Blocks *blocks, const Value *value)
{
    uint64_t steps = 0;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        steps |= (uint64_t)growth(blocks, value, d);
    return steps;
}

uint64_t ptx_blocks_between_warps(const Blocks *blocks, const Value *value)
{
    return (uint64_t)growth(blocks, value, GROWTH_WARP);
}

/* ---- trips ----------------------------------------------------------------------------------- */

unsigned ptx_blocks_open_trips(Blocks *blocks, uint32_t most)
{
    for (unsigned d = GROWTH_TRIPS; d < GROWTH_DIMS; d++)
        if (blocks->count[d] == 1 && blocks->step[d] == 1) {
            blocks->count[d] = most;
            return d;
        }
    return 0;
}

uint32_t ptx_blocks_trips(const Blocks *blocks, unsigned d, uint32_t *step)
{
    *step = blocks->step[d];
    return blocks->count[d];
}

void ptx_blocks_widen_trips(Blocks *blocks, unsigned d, uint32_t trips, uint32_t step)
{
    blocks->count[d] = trips;
    blocks->step[d] = step;
    for (unsigned e = 0; e <= blocks->epoch; e++)
        if (blocks->steps[e][d] > step)
            blocks->steps[e][d] = step;
}

void ptx_blocks_close_trips(Blocks *blocks, unsigned d)
{
    blocks->count[d] = blocks->step[d] = 1;
    for (unsigned e = 0; e <= blocks->epoch; e++)
        blocks->steps[e][d] = 1;
}

void ptx_block_stride_set(const Blocks *blocks, Value *value, unsigned dimension, int64_t along)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = d == dimension ? along : growth(blocks, value, d);
    grow(blocks, value, by);
}

int64_t ptx_block_stride_along(const Blocks *blocks, const Value *value, unsigned dimension)
{
    return (int64_t)growth(blocks, value, dimension);
}

void ptx_blocks_keep_common(Blocks *blocks, const Value *a, const Value *b, unsigned but)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (d != but && growth(blocks, a, d) != growth(blocks, b, d))
            blocks->count[d] = 1;
}

/* ---- narrowing ------------------------------------------------------------------------------- */

static bool is_held(const Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down)
{
    Wide rise = 0, fall = 0;
    for (unsigned d = 0; d < GROWTH_DIMS; d++) {
        if (blocks->count[d] <= 1 || !by[d])
            continue;
        const Wide reach = by[d] * (blocks->count[d] - 1);
        rise += reach > 0 ? reach : 0;
        fall -= reach < 0 ? reach : 0;
    }
    return rise <= up && fall <= down;
}

/* So that what grows by so much upwards grows by no more than `up` in all, what grows downwards by
 * no more than `down`; neither is below 0. Trips are narrowed first, those of the outer loop before
 * all, then what grows most. */
static void hold(Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down)
{
    ASSERT(up >= 0 && down >= 0);
    if (is_held(blocks, by, up, down))
        return;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (;;) {
            Wide total = 0, most = 0, slack = sign > 0 ? up : down;
            unsigned at = 0;
            for (unsigned d = 0; d < GROWTH_DIMS; d++) {
                Wide reach = sign * by[d] * (blocks->count[d] - 1);
                total += reach > 0 ? reach : 0;
                if (reach > 0 && at < GROWTH_TRIPS && (d >= GROWTH_TRIPS || reach > most)) {
                    most = reach;
                    at = d;
                }
            }
            if (total <= slack)
                break;
            Wide left = slack - (total - most);
            blocks->count[at] = left < 0 ? 1 : (uint32_t)(left / (sign * by[at])) + 1;
        }
}

static void hold_value(Blocks *blocks, const Value *value, Wide up, Wide down)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(blocks, value, d);
    hold(blocks, by, up, down);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void stretch(Blocks *blocks, unsigned d, uint64_t times)
{
    if (times >= blocks->count[d] || blocks->epoch + 1 >= MAX_EPOCHS) {
        blocks->count[d] = 1;
        return;
    }
    blocks->count[d] = (uint32_t)((blocks->count[d] + times - 1) / times);
    blocks->step[d] *= (uint32_t)times;
    blocks->epoch++;
    for (unsigned i = 0; i < GROWTH_DIMS; i++)
        blocks->steps[blocks->epoch][i] = blocks->step[i];
}

static void align_from(Blocks *blocks, const Value *value, uint64_t multiple, unsigned first)
{
    for (unsigned d = first; d < GROWTH_DIMS; d++) {
        Wide by = growth(blocks, value, d);
        uint64_t rest = (uint64_t)((by < 0 ? -by : by) % multiple);
        if (rest)
            stretch(blocks, d, multiple / common_divisor(multiple, rest));
    }
}

void ptx_blocks_align(Blocks *blocks, const Value *value, uint64_t multiple)
{
    align_from(blocks, value, multiple, 0);
}

void ptx_blocks_align_trips(Blocks *blocks, const Value *value, uint64_t multiple)
{
    align_from(blocks, value, multiple, GROWTH_TRIPS);
}

bool ptx_value_is_aligned(const Blocks *blocks, const Value *value, uint64_t multiple)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (growth(blocks, value, d) % multiple)
            return false;
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static Wide whole(uint64_t number, unsigned bits, bool is_signed)
{
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1)
                                                                                << (bits - 1);
    number &= mask;
    return is_signed && number & sign ? (Wide)number - (Wide)mask - 1 : (Wide)number;
}

static Wide lane_of(const Value *value, unsigned lane, unsigned bits, bool is_signed)
{
    return whole(ptx_value_lane(value, lane), bits, is_signed);
}

/* False: it is known in none of these lanes. */
static bool extremes(const Value *value, uint32_t lanes, unsigned bits, bool is_signed, Wide *low,
                     Wide *high)
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
    *low = whole(least ^ flip, bits, is_signed);
    *high = whole(most ^ flip, bits, is_signed);
    return true;
}

/* So that what grows stays within a type, and is the sum of its number and its growth. */
static void keep_within(Blocks *blocks, const Value *value, uint32_t lanes, unsigned bits,
                        bool is_signed)
{
    Wide low, high, most = ((Wide)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    if (ptx_value_has_block_stride(blocks, value)
        && extremes(value, lanes, bits, is_signed, &low, &high))
        hold_value(blocks, value, most - high, low - least);
}

/* Numbers of lanes in full, and how they grow: of products too. */
typedef struct BlockStrideLine {
    Wide numbers[WARP_LANES], by[GROWTH_DIMS];
    uint32_t lanes;             /* those that count; not 0 */
    uint8_t epoch;              /* as of Value.by */
} BlockStrideLine;

/* False: no lane counts. */
static bool make_line(const Blocks *blocks, BlockStrideLine *line, const Value *value,
                      uint32_t lanes, unsigned bits, bool is_signed)
{
    line->lanes = lanes & ~value->unknown;
    line->epoch = blocks->epoch;
    for (unsigned i = 0; i < WARP_LANES; i++)
        line->numbers[i] = lane_of(value, i, bits, is_signed);
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        line->by[d] = growth(blocks, value, d);
    return line->lanes;
}

static Wide line_growth(const Blocks *blocks, const BlockStrideLine *line, unsigned d)
{
    return blocks->count[d] > 1 ? line->by[d] * (blocks->step[d] / blocks->steps[line->epoch][d])
                                : 0;
}

static void scale_line(BlockStrideLine *line, Wide factor)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        line->numbers[i] *= factor;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        line->by[d] *= factor;
}

static bool fits_word(Wide a)
{
    return a >= 0 && a <= UINT64_MAX;
}

/* Division of 128 bits takes ten times as long. */
static Wide modulo(Wide a, Wide by)
{
    if (!(by & (by - 1)))
        return a & (by - 1);
    if (fits_word(a) && fits_word(by))
        return (uint64_t)a % (uint64_t)by;
    Wide rest = a % by;
    return rest < 0 ? rest + by : rest;
}

/* Of a multiple. */
static Wide exact_quotient(Wide a, Wide by)
{
    if (fits_word(a) && fits_word(by))
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
    Wide older = modulus, newer = modulo(by, modulus), older_times = 0, times = 1, best = 1,
         most = 0;
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
        *rest = modulo(by, modulus);
        return 1;
    }
    return best;
}

/* Narrowed so that the numbers, by how much they grow left out as far as it is a multiple of the
 * modulus, move up and down no further than that. rests: how they move. */
static void drift(Blocks *blocks, const BlockStrideLine *line, Wide modulus, Wide up, Wide down,
                  Wide rests[GROWTH_DIMS])
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = line_growth(blocks, line, d);
    if (is_held(blocks, by, up, down)) {
        memcpy(rests, by, sizeof by);
        return;
    }
    Blocks near = *blocks, apart = *blocks;
    hold(&near, by, up, down);
    double size = size_of(blocks);
    for (unsigned d = 0; d < GROWTH_DIMS && size_of(&near) < size; d++) {
        rests[d] = 0;
        if (!by[d])
            continue;
        Wide times = best_times(blocks->count[d], by[d], modulus, up, down, &rests[d]),
             here = blocks_within(blocks->count[d], times, rests[d], up, down);
        if (times > 1)
            stretch(&apart, d, (uint64_t)times);
        if (here < apart.count[d])
            apart.count[d] = (uint32_t)here;
        Wide reach = rests[d] * (apart.count[d] - 1);
        up -= reach > 0 ? reach : 0;
        down += reach < 0 ? reach : 0;
    }
    if (size_of(&near) == size || size_of(&near) >= size_of(&apart)) {
        *blocks = near;
        memcpy(rests, by, sizeof by);
    } else {
        *blocks = apart;
    }
}

/* Rounded down, by a number that does not grow: how the quotient and the remainder grow. */
static void divide(Blocks *blocks, const BlockStrideLine *line, Wide by, BlockStrideLine *quotient,
                   BlockStrideLine *remainder)
{
    Wide least = by, most = 0, rests[GROWTH_DIMS] = { 0 }, parts[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const Wide rest = parts[i] = modulo(line->numbers[i], by);
        if (!(line->lanes >> i & 1))
            continue;
        least = rest < least ? rest : least;
        most = rest > most ? rest : most;
    }
    drift(blocks, line, by, by - 1 - most, least, rests);
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

static void add_growth(Blocks *blocks, Value *out, const BlockStrideLine *line, Wide factor)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(blocks, out, d) + (Wide)(int64_t)line_growth(blocks, line, d) * factor;
    grow(blocks, out, by);
}

static void take_line(Blocks *blocks, Value *out, const BlockStrideLine *line)
{
    stay(out);
    add_growth(blocks, out, line, 1);
}

/* Of the bits of a value those from `low` on, up to `high`, at `shift` in the result. */
typedef struct BlockStridePiece {
    const Value *from;
    unsigned bits;              /* of the value */
    unsigned low, high, shift;
    bool is_inverted;
} BlockStridePiece;

/* How much it adds to how the result grows. */
static void add_piece(Blocks *blocks, Value *out, uint32_t lanes, BlockStridePiece piece)
{
    BlockStrideLine line, rest;
    Wide unit = (Wide)1 << piece.shift;
    if (!ptx_value_has_block_stride(blocks, piece.from)
        || !make_line(blocks, &line, piece.from, lanes, piece.bits, false))
        return;
    if (piece.high < piece.bits) {
        divide(blocks, &line, (Wide)1 << piece.high, &rest, &line);
    } else if (piece.low) {     /* so that no bit comes from above */
        keep_within(blocks, piece.from, lanes, piece.bits, false);
        make_line(blocks, &line, piece.from, lanes, piece.bits, false);
    }
    if (piece.low)
        divide(blocks, &line, (Wide)1 << piece.low, &line, &rest);
    add_growth(blocks, out, &line, piece.is_inverted ? -unit : unit);
}

void ptx_block_stride_part(Blocks *blocks, Value *out, const Value *from, unsigned shift,
                           uint32_t lanes)
{
    stay(out);
    add_piece(blocks, out, lanes, (BlockStridePiece){ from, 64, shift, 64, 0, false });
}

void ptx_block_stride_join(Blocks *blocks, Value *out, const Value *part, unsigned shift,
                           unsigned bits, uint32_t lanes)
{
    if (!ptx_value_has_block_stride(blocks, part))
        return;
    keep_within(blocks, part, lanes, bits, false);
    add_piece(blocks, out, lanes, (BlockStridePiece){ part, 64, 0, 64, shift, false });
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef struct BlockStrideFollower {
    Blocks *blocks;
    const Lanewise *op;
    Value *out;
    const Value *const *args;
    unsigned count;
    uint32_t lanes;
} BlockStrideFollower;

static void take_piece(const BlockStrideFollower *f, BlockStridePiece piece)
{
    add_piece(f->blocks, f->out, f->lanes, piece);
}

static bool grows(const BlockStrideFollower *f, unsigned arg)
{
    return arg < f->count && ptx_value_has_block_stride(f->blocks, f->args[arg]);
}

static void pin_all(const BlockStrideFollower *f)
{
    for (unsigned i = 0; i < f->count; i++)
        ptx_blocks_pin(f->blocks, f->args[i]);
    stay(f->out);
}

/* The same number in all lanes and blocks, known, without an addend. */
static bool is_fixed(const BlockStrideFollower *f, unsigned arg)
{
    const Value *value = arg < f->count ? f->args[arg] : NULL;
    return value && !value->lanes && !(value->unknown & f->lanes) && value->align == ALIGN_EXACT
           && !ptx_value_has_block_stride(f->blocks, value);
}

/* Modulo the register's width, as the operation is. */
static bool sum(const BlockStrideFollower *f, const Value *a, const Value *b, int sign)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(f->blocks, a, d) + sign * growth(f->blocks, b, d);
    grow(f->blocks, f->out, by);
    return true;
}

/* One of the first two times the other, which is fixed. */
static bool multiply(const BlockStrideFollower *f, Value *out)
{
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown;
    stay(out);
    if (!grows(f, 0) && !grows(f, 1))
        return true;
    if (!is_fixed(f, other))
        return false;
    Wide by[GROWTH_DIMS], factor = whole(f->args[other]->all, f->op->factor_bits, f->op->is_signed);
    keep_within(f->blocks, f->args[grown], f->lanes, f->op->factor_bits, f->op->is_signed);
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = (Wide)(int64_t)growth(f->blocks, f->args[grown], d) * factor;
    grow(f->blocks, out, by);
    return true;
}

static bool shift_left(const BlockStrideFollower *f)
{
    if (!is_fixed(f, 1) || f->args[1]->all >= f->op->bits)
        return false;
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = (Wide)(int64_t)growth(f->blocks, f->args[0], d) * ((Wide)1 << f->args[1]->all);
    grow(f->blocks, f->out, by);
    return true;
}

/* The numbers stay below 2^40, so that products with a factor of 64 bits fit. */
static bool multiply_high(const BlockStrideFollower *f)
{
    enum { MAX_BITS = 40 };
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown, bits = f->op->bits;
    const Value *from = f->args[grown];
    BlockStrideLine line;
    Wide low, high;
    if (f->op->is_saturating || f->op->factor_bits != bits)
        return false;
    stay(f->out);
    if (grows(f, grown)) {
        if (!is_fixed(f, other) || !extremes(from, f->lanes, bits, f->op->is_signed, &low, &high))
            return false;
        if (low < -((Wide)1 << MAX_BITS) || high >= (Wide)1 << MAX_BITS)
            return false;
        keep_within(f->blocks, from, f->lanes, bits, f->op->is_signed);
        hold_value(f->blocks, from, ((Wide)1 << MAX_BITS) - 1 - high, low + ((Wide)1 << MAX_BITS));
        make_line(f->blocks, &line, from, f->lanes, bits, f->op->is_signed);
        scale_line(&line, whole(f->args[other]->all, bits, f->op->is_signed));
        BlockStrideLine quotient, rest;
        divide(f->blocks, &line, (Wide)1 << bits, &quotient, &rest);
        take_line(f->blocks, f->out, &quotient);
    }
    if (f->count > 2)
        take_piece(f, (BlockStridePiece){ f->args[2], 64, 0, 64, 0, false });
    return true;
}

/* Rounded towards zero: lanes are on one side of it, and stay there. */
static bool quotient(const BlockStrideFollower *f, uint64_t by, bool is_remainder)
{
    const Lanewise *op = f->op;
    Wide low = 0, high = 0, most = ((Wide)1 << (op->is_signed ? op->bits - 1 : op->bits)) - 1;
    BlockStrideLine line, whole_part, rest;
    if (!by || by > INT64_MAX || whole(by, op->bits, op->is_signed) <= 0
        || !extremes(f->args[0], f->lanes, op->bits, op->is_signed, &low, &high))
        return false;
    if (low < 0 && high >= 0)
        return false;
    keep_within(f->blocks, f->args[0], f->lanes, op->bits, op->is_signed);
    if (low < 0)
        hold_value(f->blocks, f->args[0], -1 - high, low + most + 1);
    else
        hold_value(f->blocks, f->args[0], most - high, low);
    if (!make_line(f->blocks, &line, f->args[0], f->lanes, op->bits, op->is_signed))
        return false;
    if (low < 0)
        scale_line(&line, -1);
    divide(f->blocks, &line, (Wide)by, &whole_part, &rest);
    stay(f->out);
    const BlockStrideLine *wanted = is_remainder ? &rest : &whole_part;
    add_growth(f->blocks, f->out, wanted, low < 0 ? -1 : 1);
    return true;
}

static bool shift_right(const BlockStrideFollower *f)
{
    const Lanewise *op = f->op;
    BlockStrideLine line, rest;
    if (!is_fixed(f, 1) || f->args[1]->all >= op->bits)
        return false;
    keep_within(f->blocks, f->args[0], f->lanes, op->bits, op->is_signed);
    if (!make_line(f->blocks, &line, f->args[0], f->lanes, op->bits, op->is_signed))
        return false;
    divide(f->blocks, &line, (Wide)1 << f->args[1]->all, &line, &rest);
    take_line(f->blocks, f->out, &line);
    return true;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Known numbers without addends above the bits that count; what is unknown may depend on a number
 * in and, or. */
static bool is_plain(const BlockStrideFollower *f)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->args[i]->unknown & f->lanes || (!grows(f, i) && f->args[i]->align != ALIGN_EXACT))
            return false;
    return true;
}

/* Bits of a value from `low` on, up to `high`, stay as they are. */
static void keep_bits(const BlockStrideFollower *f, const Value *value, unsigned low, unsigned high)
{
    BlockStrideLine line;
    uint64_t window = UINT64_C(1) << low;
    Wide least = (Wide)window, most = 0, rests[GROWTH_DIMS];
    if (!ptx_value_has_block_stride(f->blocks, value)
        || !make_line(f->blocks, &line, value, f->lanes, f->op->bits, false))
        return;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(line.lanes >> i & 1))
            continue;
        Wide here = modulo(line.numbers[i], (Wide)window);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    drift(f->blocks, &line, (Wide)1 << high, (Wide)window - 1 - most, least, rests);
}

/* What a bitwise operation makes of the bits of one operand, the others as they are; what is
 * neither is another in each lane. */
typedef struct Fates {
    uint64_t gone, kept, inverted;
} Fates;

static Fates fates_of(const BlockStrideFollower *f, unsigned grown)
{
    uint64_t all_kept = UINT64_MAX, all_inverted = UINT64_MAX, any = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t x[4] = { 0 }, without, with;
        if (!(f->lanes >> i & 1))
            continue;
        for (unsigned a = 0; a < f->count && a < 4; a++)
            x[a] = ptx_value_lane(f->args[a], i);
        x[grown] = 0;
        without = f->op->fn(f->op, x[0], x[1], x[2], x[3]);
        x[grown] = UINT64_MAX;
        with = f->op->fn(f->op, x[0], x[1], x[2], x[3]);
        all_kept &= with & ~without;
        all_inverted &= without & ~with;
        any |= with ^ without;
    }
    return (Fates){ ~any, all_kept, all_inverted };
}

/* The bits that fare as this one does. */
static uint64_t alike(const Fates *fates, uint64_t bit)
{
    if (fates->gone & bit)
        return fates->gone;
    if (fates->kept & bit)
        return fates->kept;
    return fates->inverted & bit ? fates->inverted
                                 : ~(fates->gone | fates->kept | fates->inverted);
}

/* Bits of which there is one in some lane, or in how the number grows. */
static uint64_t bits_used(const BlockStrideFollower *f, const Value *value)
{
    uint64_t bits = ptx_blocks_steps(f->blocks, value);
    for (unsigned i = 0; i < WARP_LANES; i++)
        bits |= f->lanes >> i & 1 ? ptx_value_lane(value, i) : 0;
    return bits;
}

/* or, xor of two numbers that grow, one a multiple of a power of two and the other below it, as an
 * index of a block beside one of a thread: their sum. */
static bool bitwise_apart(const BlockStrideFollower *f)
{
    const Lanewise *op = f->op;
    const bool is_or = !op->fn(op, 0, 0, 0, 0) && op->fn(op, 1, 0, 0, 0) == 1
                       && op->fn(op, 0, 1, 0, 0) == 1;
    if (f->count != 2 || !is_or || op->type == TYPE_PRED || op->bits > 64
        || f->args[0]->align != ALIGN_EXACT || f->args[1]->align != ALIGN_EXACT)
        return false;
    const uint64_t used[] = { bits_used(f, f->args[0]), bits_used(f, f->args[1]) };
    const uint64_t windows[] = { used[0] & -used[0], used[1] & -used[1] };
    const unsigned upper = windows[0] > windows[1] ? 0 : 1, lower = 1 - upper;
    const Wide window = (Wide)windows[upper];
    Wide low, high;
    if (!extremes(f->args[lower], f->lanes, op->bits, false, &low, &high) || high >= window)
        return false;
    hold_value(f->blocks, f->args[lower], window - 1 - high, low);
    return sum(f, f->args[0], f->args[1], 1);
}

/* and, or, xor, lop3 of one number that grows: runs of bits by what becomes of them. */
static bool bitwise(const BlockStrideFollower *f)
{
    unsigned grown = 0, bits = f->op->bits;
    while (grown < f->count && !grows(f, grown))
        grown++;
    for (unsigned i = grown + 1; i < f->count; i++)
        if (grows(f, i))
            return is_plain(f) && bitwise_apart(f);
    if (!is_plain(f) || f->op->type == TYPE_PRED || bits > 64 || grown >= 4)
        return false;
    Fates fates = fates_of(f, grown);
    stay(f->out);
    for (unsigned low = 0, high; low < bits; low = high) {
        uint64_t bit = UINT64_C(1) << low;
        uint64_t other = ~alike(&fates, bit) >> low;
        high = other ? low + (unsigned)__builtin_ctzll(other) : bits;
        high = high < bits ? high : bits;
        if (fates.kept & bit || fates.inverted & bit)
            take_piece(f, (BlockStridePiece){ f->args[grown], bits, low, high, low,
                                              .is_inverted = !(fates.kept & bit) });
        else if (!(fates.gone & bit))
            keep_bits(f, f->args[grown], low, high);
    }
    return true;
}

/* bfe of unsigned numbers, bfi, shf, prmt: pieces of their operands side by side. */
static bool extract(const BlockStrideFollower *f)
{
    unsigned bits = f->op->bits;
    if (!is_plain(f) || !is_fixed(f, 1) || !is_fixed(f, 2))
        return false;
    unsigned low = f->args[1]->all & 255, length = f->args[2]->all & 255,
             high = low + length < bits ? low + length : bits;
    stay(f->out);
    if (low >= high)
        return true;
    if (f->op->is_signed)
        keep_bits(f, f->args[0], low, high);
    else
        take_piece(f, (BlockStridePiece){ f->args[0], bits, low, high, 0, false });
    return true;
}

static bool insert(const BlockStrideFollower *f)
{
    unsigned bits = f->op->bits;
    if (!is_plain(f) || !is_fixed(f, 2) || !is_fixed(f, 3))
        return false;
    unsigned low = f->args[2]->all & 255, length = f->args[3]->all & 255,
             high = low + length < bits ? low + length : bits;
    stay(f->out);
    if (low >= high)
        low = high = bits;
    take_piece(f, (BlockStridePiece){ f->args[0], bits, 0, high - low, low, false });
    if (low)
        take_piece(f, (BlockStridePiece){ f->args[1], bits, 0, low, 0, false });
    if (high < bits)
        take_piece(f, (BlockStridePiece){ f->args[1], bits, high, bits, high, false });
    return true;
}

static bool funnel(const BlockStrideFollower *f)
{
    if (!is_plain(f) || !is_fixed(f, 2))
        return false;
    uint64_t by = f->args[2]->all & UINT32_MAX;
    unsigned places = (unsigned)(f->op->is_wrap ? by & 31 : ptx_u64_min(by, 32));
    unsigned right = f->op->mode == 'l' ? 32 - places : places;
    stay(f->out);               /* `right` bits of the low word go, as many of the high one come */
    if (right < 32)
        take_piece(f, (BlockStridePiece){ f->args[0], 32, right, 32, 0, false });
    if (right)
        take_piece(f, (BlockStridePiece){ f->args[1], 32, 0, right, 32 - right, false });
    return true;
}

static bool permute(const BlockStrideFollower *f)
{
    if (!is_plain(f) || !is_fixed(f, 2) || f->op->mode)
        return false;
    stay(f->out);
    for (unsigned first = 0, end; first < 4; first = end) {
        unsigned from = f->args[2]->all >> (4 * first) & 15, low = 8 * (from & 3);
        const Value *source = f->args[from >> 2 & 1];
        for (end = first + 1;
             end < 4 && !(from & 8) && (f->args[2]->all >> (4 * end) & 15) == from + end - first
             && (from + end - first) % 4;
             end++)
            continue;
        if (from & 8)
            keep_bits(f, source, low + 7, low + 8);
        else
            take_piece(f, (BlockStridePiece){ source, 32, low, low + 8 * (end - first), 8 * first,
                                              false });
    }
    return true;
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* Between two powers of two, numbers lie as far apart as the bits of a float count: what is added
 * again and again adds as much to the bits each time. */
static unsigned fraction_bits(unsigned bits)
{
    return bits == 64 ? 52 : 23;
}

/* False: zero, denormal, infinite or none. */
static bool is_normal(uint64_t number, unsigned bits)
{
    uint64_t most = bits == 64 ? 2047 : 255, exponent = number >> fraction_bits(bits) & most;
    return exponent && exponent != most;
}

static double float_of(uint64_t number, unsigned bits)
{
    uint32_t low = (uint32_t)number;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &number, sizeof wide);
    return bits == 64 ? wide : (double)narrow;
}

/* Where a number lies between its powers of two: how far its bits may go up and down. */
static void narrow_room(uint64_t number, unsigned bits, Wide *up, Wide *down)
{
    uint64_t mask = (UINT64_C(1) << fraction_bits(bits)) - 1;
    Wide above = (Wide)(mask - (number & mask)), below = (Wide)(number & mask);
    *up = above < *up ? above : *up;
    *down = below < *down ? below : *down;
}

static bool is_float(const Lanewise *op)
{
    return ptx_type_info[op->type].kind == KIND_FLOAT && (op->bits == 32 || op->bits == 64);
}

/* So that a value's numbers stay between their powers of two. False: some are at none. */
static bool keep_binade(Blocks *blocks, const Value *value, uint32_t lanes, unsigned bits)
{
    Wide up = MUCH, down = MUCH;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes & ~value->unknown & UINT32_C(1) << i))
            continue;
        if (!is_normal(ptx_value_lane(value, i), bits))
            return false;
        narrow_room(ptx_value_lane(value, i), bits, &up, &down);
    }
    hold_value(blocks, value, up, down);
    return true;
}

/* How many of the last places of a number another one is: whether that lies in the middle between
 * two of them, which are rounded to the even one. */
static bool is_tie(double of, uint64_t number, unsigned bits)
{
    const int bias = bits == 64 ? 1023 : 127;
    int exponent = (int)(number >> fraction_bits(bits) & (unsigned)(2 * bias + 1)) - bias
                   - (int)fraction_bits(bits);
    double places = ldexp(of, -exponent);
    return fabs(places) < 0x1p52 && places - floor(places) == 0.5;
}

static bool is_even(const Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (growth(blocks, value, d) & 1)
            return false;
    return true;
}

/* A number that grows between two powers of two, and one that does not: the sum, as it lies between
 * the same powers, grows alike. */
static bool float_sum(const BlockStrideFollower *f)
{
    const unsigned grown = grows(f, 0) ? 0 : 1, bits = f->op->bits;
    const Value *value = f->args[grown], *other = f->args[1 - grown];
    const uint64_t mask = (UINT64_C(1) << fraction_bits(bits)) - 1;
    const uint64_t one = bits == 64 ? UINT64_C(1023) << 52 : UINT64_C(127) << 23;
    if (f->count < 2 || !is_float(f->op) || grows(f, 1 - grown)
        || (grown && f->op->fn(f->op, 0, one, 0, 0) != one))
        return false;
    bool are_even = is_even(f->blocks, value);
    Wide up = MUCH, down = MUCH;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t number = ptx_value_lane(value, i), added = ptx_value_lane(other, i), sum;
        if (!(f->lanes & ~value->unknown & ~other->unknown & UINT32_C(1) << i))
            continue;
        sum = grown ? f->op->fn(f->op, added, number, 0, 0) : f->op->fn(f->op, number, added, 0, 0);
        bool is_tied = !are_even && is_tie(float_of(added, bits), number, bits);
        if (!is_normal(number, bits) || (sum & ~mask) != (number & ~mask) || !(sum & mask)
            || is_tied)
            return false;
        narrow_room(number, bits, &up, &down);
        narrow_room(sum, bits, &up, &down);
        /* what was rounded up to the power lies below it */
        down = down < (Wide)(sum & mask) - 1 ? down : (Wide)(sum & mask) - 1;
    }
    hold_value(f->blocks, value, up, down);
    take_growth(f->out, value);
    return true;
}

static bool widen_float(const BlockStrideFollower *f)
{
    Wide by[GROWTH_DIMS];
    if (!keep_binade(f->blocks, f->args[0], f->lanes, 32))
        return false;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(f->blocks, f->args[0], d)
                * ((Wide)1 << (fraction_bits(64) - fraction_bits(32)));
    grow(f->blocks, f->out, by);
    return true;
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* -a, ~a. */
static bool negate(const BlockStrideFollower *f)
{
    BlockStrideLine line;
    stay(f->out);
    if (!make_line(f->blocks, &line, f->args[0], f->lanes, 64, false))
        return false;
    add_growth(f->blocks, f->out, &line, -1);
    return true;
}

/* Of numbers, growth goes on where no number leaves the types on either side. */
static bool convert(const BlockStrideFollower *f)
{
    const TypeInfo *to = &ptx_type_info[f->op->dst_type];
    if (!to->bits || !f->op->bits || to->bits > 64)
        return false;
    Wide low, high, least = 0, most = (Wide)1 << to->bits;
    if (to->kind == KIND_SIGNED) {
        most >>= 1;
        least = -most;
    }
    keep_within(f->blocks, f->args[0], f->lanes, f->op->bits, f->op->is_signed);
    if (extremes(f->args[0], f->lanes, f->op->bits, f->op->is_signed, &low, &high)) {
        if (low < least || high >= most)
            return false;
        hold_value(f->blocks, f->args[0], most - 1 - high, low - least);
    }
    take_growth(f->out, f->args[0]);
    return true;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* How far a - b may go up and down in a lane without another outcome. */
static void note_room(uint8_t compare, Wide difference, Wide *up, Wide *down)
{
    bool with_equal = compare == COMPARE_LE || compare == COMPARE_LS || compare == COMPARE_GT
                      || compare == COMPARE_HI;
    bool is_equality = compare == COMPARE_EQ || compare == COMPARE_NE;
    Wide edge = with_equal ? 0 : -1, room;      /* the last that is below */
    if (difference <= edge) {
        room = edge - difference;
        *up = room < *up ? room : *up;
        return;
    }
    room = is_equality && difference ? difference - 1 : difference - edge - 1;
    *down = room < *down ? room : *down;
    if (is_equality && !difference)
        *up = 0;
}

/* Numbers in the order of floats. */
static Wide ordered(uint64_t number, unsigned bits)
{
    Wide size = (Wide)(number & ((UINT64_C(1) << (bits - 1)) - 1));
    return number >> (bits - 1) & 1 ? -size : size;
}

/* What a comparison of numbers that are numbers asks. */
static uint8_t plain_comparison(uint8_t compare)
{
    static const uint8_t plain[] = {
        [COMPARE_EQU] = COMPARE_EQ, [COMPARE_NEU] = COMPARE_NE, [COMPARE_LTU] = COMPARE_LT,
        [COMPARE_LEU] = COMPARE_LE, [COMPARE_GTU] = COMPARE_GT, [COMPARE_GEU] = COMPARE_GE
    };
    return compare >= COMPARE_EQU && compare <= COMPARE_GEU ? plain[compare] : compare;
}

/* One of them grows, as floats do: between powers of two. */
static bool keep_float_order(const BlockStrideFollower *f)
{
    const unsigned grown = grows(f, 0) ? 0 : 1, bits = f->op->bits;
    const Value *value = f->args[grown], *other = f->args[1 - grown];
    const uint32_t lanes = f->lanes & ~value->unknown & ~other->unknown;
    const uint8_t compare = plain_comparison(f->op->compare);
    if (!is_float(f->op) || compare > COMPARE_GE || grows(f, 1 - grown) || !lanes
        || !keep_binade(f->blocks, value, f->lanes, bits))
        return false;
    const bool is_below = ptx_value_lane(value, (unsigned)__builtin_ctz(lanes)) >> (bits - 1) & 1;
    Wide up = MUCH, down = MUCH, by[GROWTH_DIMS];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t numbers[2] = { ptx_value_lane(f->args[0], i), ptx_value_lane(f->args[1], i) };
        if (!(lanes >> i & 1))
            continue;
        if (isnan(float_of(numbers[1 - grown], bits))
            || (numbers[grown] >> (bits - 1) & 1) != is_below)
            return false;
        note_room(compare, ordered(numbers[0], bits) - ordered(numbers[1], bits), &up, &down);
    }
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(f->blocks, value, d) * ((is_below != (grown == 1)) ? -1 : 1);
    hold(f->blocks, by, up, down);
    return true;
}

/* a and b compare in each lane as they do in every block. */
static bool keep_order(const BlockStrideFollower *f)
{
    const Value *a = f->args[0], *b = f->args[1];
    const Lanewise *op = f->op;
    if (ptx_type_info[op->type].kind == KIND_FLOAT || !op->bits || op->bits > 64
        || op->type == TYPE_PRED)
        return false;
    if (a->align != ALIGN_EXACT && b->align == ALIGN_EXACT && grows(f, 1))
        return false;           /* whether it is a test for null depends on b */
    keep_within(f->blocks, a, f->lanes, op->bits, op->is_signed);
    keep_within(f->blocks, b, f->lanes, op->bits, op->is_signed);
    Wide up = MUCH, down = MUCH, by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = growth(f->blocks, a, d) - growth(f->blocks, b, d);
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (f->lanes & ~a->unknown & ~b->unknown & UINT32_C(1) << i)
            note_room(op->compare,
                      lane_of(a, i, op->bits, op->is_signed)
                          - lane_of(b, i, op->bits, op->is_signed),
                      &up, &down);
    hold(f->blocks, by, up, down);
    return true;
}

static bool compare(const BlockStrideFollower *f)
{
    stay(f->out);
    if (grows(f, 2) || f->count < 2)
        return false;
    return ptx_type_info[f->op->type].kind == KIND_FLOAT ? keep_float_order(f) : keep_order(f);
}

/* min and max: one of the two in each lane, whatever block; both where they grow alike. */
static bool choose_extreme(const BlockStrideFollower *f)
{
    if (f->count != 2 || !keep_order(f))
        return false;
    uint32_t firsts = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        Wide a = lane_of(f->args[0], i, f->op->bits, f->op->is_signed),
             b = lane_of(f->args[1], i, f->op->bits, f->op->is_signed);
        firsts |= (uint32_t)(f->op->transfer == TRANSFER_MAX ? a >= b : a < b) << i;
    }
    uint32_t known = f->lanes & ~f->out->unknown;
    ptx_block_stride_choose(f->blocks, f->out, f->args[0], f->args[1], firsts & known,
                            ~firsts & known);
    return true;
}

/* ---- the rule for each operation ------------------------------------------------------------- */

static bool follow(const BlockStrideFollower *f)
{
    const Value *const *args = f->args;
    switch ((Transfer)f->op->transfer) {
    case TRANSFER_COPY:
        if (f->op->dst_type != f->op->type && f->op->dst_type)
            return convert(f);
        take_growth(f->out, args[0]);
        return true;
    case TRANSFER_ADD:
        return !f->op->is_saturating && sum(f, args[0], args[1], 1);
    case TRANSFER_SUB:
        return !f->op->is_saturating && sum(f, args[0], args[1], -1);
    case TRANSFER_MUL:
        return multiply(f, f->out);
    case TRANSFER_MAD: {
        Value product = { .all = 0 };
        return !f->op->is_saturating && multiply(f, &product) && sum(f, &product, args[2], 1);
    }
    case TRANSFER_SHL:
        return shift_left(f);
    case TRANSFER_HIGH:
        return multiply_high(f);
    case TRANSFER_SHR:
        return shift_right(f);
    case TRANSFER_DIV: case TRANSFER_REM:
        return is_fixed(f, 1) && quotient(f, args[1]->all, f->op->transfer == TRANSFER_REM);
    case TRANSFER_AND: case TRANSFER_OR: case TRANSFER_XOR: case TRANSFER_LOGIC:
        return bitwise(f);
    case TRANSFER_NEGATE:
        return negate(f);
    case TRANSFER_FIELD:
        return extract(f);
    case TRANSFER_INSERT:
        return insert(f);
    case TRANSFER_FUNNEL:
        return funnel(f);
    case TRANSFER_PERMUTE:
        return permute(f);
    case TRANSFER_COMPARE:
        return compare(f);
    case TRANSFER_MIN: case TRANSFER_MAX:
        return choose_extreme(f);
    case TRANSFER_FLOAT_SUM:
        return float_sum(f);
    case TRANSFER_FLOAT_WIDEN:
        return widen_float(f);
    default:
        return false;
    }
}

void ptx_block_stride_follow(Blocks *blocks, const Lanewise *op, Value *out,
                             const Value *const *args, unsigned count, uint32_t lanes)
{
    BlockStrideFollower f = { blocks, op, out, args, count, lanes };
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= ptx_value_has_block_stride(blocks, args[i]);
    /* what is unknown may depend on numbers */
    bool decides = op->transfer == TRANSFER_AND || op->transfer == TRANSFER_OR;
    if (!any || (!decides && (out->unknown & lanes) == lanes))
        stay(out);
    else if (!follow(&f))
        pin_all(&f);
}

/* ---- from several ---------------------------------------------------------------------------- */

void ptx_block_stride_choose(Blocks *blocks, Value *out, const Value *a, const Value *b,
                             uint32_t of_a, uint32_t of_b)
{
    of_a &= ~a->unknown;
    of_b &= ~b->unknown;
    for (unsigned d = 0; d < GROWTH_DIMS && of_a && of_b; d++)
        if (growth(blocks, a, d) != growth(blocks, b, d))
            blocks->count[d] = 1;
    if (of_a || of_b)
        take_growth(out, of_a ? a : b);
    else
        stay(out);
}
