/* How the result of each operation grows.
 *
 * Every rule asks what the operation, done on the numbers of another of the blocks, would give;
 * where that is not a number that grows by the same in all lanes, the run is narrowed to the blocks
 * for which it is. */
#include "analysis/sim/stride/growth.h"
#include "isa/isa.h"
#include "support/minmax.h"

#include <math.h>
#include <string.h>

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
    ptx_block_line_add_piece(f->blocks, f->out, f->lanes, piece);
}

static bool grows(const BlockStrideFollower *f, unsigned arg)
{
    return arg < f->count && ptx_grows(f->blocks, f->args[arg]);
}

static void pin_all(const BlockStrideFollower *f)
{
    for (unsigned i = 0; i < f->count; i++)
        ptx_blocks_pin(f->blocks, f->args[i]);
    ptx_growth_stay(f->out);
}

/* The same number in all lanes and blocks, known, without an addend. */
static bool is_fixed(const BlockStrideFollower *f, unsigned arg)
{
    const Value *value = arg < f->count ? f->args[arg] : NULL;
    return value && !value->lanes && !(value->unknown & f->lanes) && value->align == ALIGN_EXACT
           && !ptx_grows(f->blocks, value);
}

/* Modulo the register's width, as the operation is. */
static bool sum(const BlockStrideFollower *f, const Value *a, const Value *b, int sign)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = ptx_growth(f->blocks, a, d) + sign * ptx_growth(f->blocks, b, d);
    ptx_growth_set(f->blocks, f->out, by);
    return true;
}

/* One of the first two times the other, which is fixed. */
static bool multiply(const BlockStrideFollower *f, Value *out)
{
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown;
    ptx_growth_stay(out);
    if (!grows(f, 0) && !grows(f, 1))
        return true;
    if (!is_fixed(f, other))
        return false;
    Wide by[GROWTH_DIMS],
        factor = ptx_whole(f->args[other]->all, f->op->factor_bits, f->op->is_signed);
    ptx_blocks_keep_within(f->blocks, f->args[grown], f->lanes, f->op->factor_bits,
                           f->op->is_signed);
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = (Wide)(int64_t)ptx_growth(f->blocks, f->args[grown], d) * factor;
    ptx_growth_set(f->blocks, out, by);
    return true;
}

static bool shift_left(const BlockStrideFollower *f)
{
    if (!is_fixed(f, 1) || f->args[1]->all >= f->op->bits)
        return false;
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = (Wide)(int64_t)ptx_growth(f->blocks, f->args[0], d) * ((Wide)1 << f->args[1]->all);
    ptx_growth_set(f->blocks, f->out, by);
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
    ptx_growth_stay(f->out);
    if (grows(f, grown)) {
        if (!is_fixed(f, other)
            || !ptx_value_extremes(from, f->lanes, bits, f->op->is_signed, &low, &high))
            return false;
        if (low < -((Wide)1 << MAX_BITS) || high >= (Wide)1 << MAX_BITS)
            return false;
        ptx_blocks_keep_within(f->blocks, from, f->lanes, bits, f->op->is_signed);
        ptx_blocks_hold_value(f->blocks, from, ((Wide)1 << MAX_BITS) - 1 - high,
                              low + ((Wide)1 << MAX_BITS));
        ptx_block_line_make(f->blocks, &line, from, f->lanes, bits, f->op->is_signed);
        ptx_block_line_scale(&line, ptx_whole(f->args[other]->all, bits, f->op->is_signed));
        BlockStrideLine quotient, rest;
        ptx_block_line_divide(f->blocks, &line, (Wide)1 << bits, &quotient, &rest);
        ptx_block_line_take(f->blocks, f->out, &quotient);
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
    if (!by || by > INT64_MAX || ptx_whole(by, op->bits, op->is_signed) <= 0
        || !ptx_value_extremes(f->args[0], f->lanes, op->bits, op->is_signed, &low, &high))
        return false;
    if (low < 0 && high >= 0)
        return false;
    ptx_blocks_keep_within(f->blocks, f->args[0], f->lanes, op->bits, op->is_signed);
    if (low < 0)
        ptx_blocks_hold_value(f->blocks, f->args[0], -1 - high, low + most + 1);
    else
        ptx_blocks_hold_value(f->blocks, f->args[0], most - high, low);
    if (!ptx_block_line_make(f->blocks, &line, f->args[0], f->lanes, op->bits, op->is_signed))
        return false;
    if (low < 0)
        ptx_block_line_scale(&line, -1);
    ptx_block_line_divide(f->blocks, &line, (Wide)by, &whole_part, &rest);
    ptx_growth_stay(f->out);
    const BlockStrideLine *wanted = is_remainder ? &rest : &whole_part;
    ptx_block_line_add(f->blocks, f->out, wanted, low < 0 ? -1 : 1);
    return true;
}

static bool shift_right(const BlockStrideFollower *f)
{
    const Lanewise *op = f->op;
    BlockStrideLine line, rest;
    if (!is_fixed(f, 1) || f->args[1]->all >= op->bits)
        return false;
    ptx_blocks_keep_within(f->blocks, f->args[0], f->lanes, op->bits, op->is_signed);
    if (!ptx_block_line_make(f->blocks, &line, f->args[0], f->lanes, op->bits, op->is_signed))
        return false;
    ptx_block_line_divide(f->blocks, &line, (Wide)1 << f->args[1]->all, &line, &rest);
    ptx_block_line_take(f->blocks, f->out, &line);
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
    if (!ptx_grows(f->blocks, value)
        || !ptx_block_line_make(f->blocks, &line, value, f->lanes, f->op->bits, false))
        return;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(line.lanes >> i & 1))
            continue;
        Wide here = ptx_wide_modulo(line.numbers[i], (Wide)window);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    ptx_block_line_drift(f->blocks, &line, (Wide)1 << high, (Wide)window - 1 - most, least, rests);
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
    return fates->inverted & bit ? fates->inverted : ~(fates->gone | fates->kept | fates->inverted);
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
    const bool is_or =
        !op->fn(op, 0, 0, 0, 0) && op->fn(op, 1, 0, 0, 0) == 1 && op->fn(op, 0, 1, 0, 0) == 1;
    if (f->count != 2 || !is_or || op->type == TYPE_PRED || op->bits > 64
        || f->args[0]->align != ALIGN_EXACT || f->args[1]->align != ALIGN_EXACT)
        return false;
    const uint64_t used[] = { bits_used(f, f->args[0]), bits_used(f, f->args[1]) };
    const uint64_t windows[] = { used[0] & -used[0], used[1] & -used[1] };
    const unsigned upper = windows[0] > windows[1] ? 0 : 1, lower = 1 - upper;
    const Wide window = (Wide)windows[upper];
    Wide low, high;
    if (!ptx_value_extremes(f->args[lower], f->lanes, op->bits, false, &low, &high)
        || high >= window)
        return false;
    ptx_blocks_hold_value(f->blocks, f->args[lower], window - 1 - high, low);
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
    ptx_growth_stay(f->out);
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
    ptx_growth_stay(f->out);
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
    ptx_growth_stay(f->out);
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
    /* `right` bits of the low word go, as many of the high one come */
    ptx_growth_stay(f->out);
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
    ptx_growth_stay(f->out);
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
    ptx_blocks_hold_value(blocks, value, up, down);
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
        if (ptx_growth(blocks, value, d) & 1)
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
    ptx_blocks_hold_value(f->blocks, value, up, down);
    ptx_growth_take(f->out, value);
    return true;
}

static bool widen_float(const BlockStrideFollower *f)
{
    Wide by[GROWTH_DIMS];
    if (!keep_binade(f->blocks, f->args[0], f->lanes, 32))
        return false;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = ptx_growth(f->blocks, f->args[0], d)
                * ((Wide)1 << (fraction_bits(64) - fraction_bits(32)));
    ptx_growth_set(f->blocks, f->out, by);
    return true;
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* -a, ~a. */
static bool negate(const BlockStrideFollower *f)
{
    BlockStrideLine line;
    ptx_growth_stay(f->out);
    if (!ptx_block_line_make(f->blocks, &line, f->args[0], f->lanes, 64, false))
        return false;
    ptx_block_line_add(f->blocks, f->out, &line, -1);
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
    ptx_blocks_keep_within(f->blocks, f->args[0], f->lanes, f->op->bits, f->op->is_signed);
    if (ptx_value_extremes(f->args[0], f->lanes, f->op->bits, f->op->is_signed, &low, &high)) {
        if (low < least || high >= most)
            return false;
        ptx_blocks_hold_value(f->blocks, f->args[0], most - 1 - high, low - least);
    }
    ptx_growth_take(f->out, f->args[0]);
    return true;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* How far a - b may go up and down in a lane without another outcome. */
static void note_room(uint8_t compare, Wide difference, Wide *up, Wide *down)
{
    bool with_equal = compare == COMPARE_LE || compare == COMPARE_LS || compare == COMPARE_GT
                      || compare == COMPARE_HI;
    bool is_equality = compare == COMPARE_EQ || compare == COMPARE_NE;
    Wide edge = with_equal ? 0 : -1, room; /* the last that is below */
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
        by[d] = ptx_growth(f->blocks, value, d) * ((is_below != (grown == 1)) ? -1 : 1);
    ptx_blocks_hold(f->blocks, by, up, down);
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
        return false; /* whether it is a test for null depends on b */
    ptx_blocks_keep_within(f->blocks, a, f->lanes, op->bits, op->is_signed);
    ptx_blocks_keep_within(f->blocks, b, f->lanes, op->bits, op->is_signed);
    Wide up = MUCH, down = MUCH, by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = ptx_growth(f->blocks, a, d) - ptx_growth(f->blocks, b, d);
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (f->lanes & ~a->unknown & ~b->unknown & UINT32_C(1) << i)
            note_room(op->compare,
                      ptx_whole_lane(a, i, op->bits, op->is_signed)
                          - ptx_whole_lane(b, i, op->bits, op->is_signed),
                      &up, &down);
    ptx_blocks_hold(f->blocks, by, up, down);
    return true;
}

static bool compare(const BlockStrideFollower *f)
{
    ptx_growth_stay(f->out);
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
        Wide a = ptx_whole_lane(f->args[0], i, f->op->bits, f->op->is_signed),
             b = ptx_whole_lane(f->args[1], i, f->op->bits, f->op->is_signed);
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
        ptx_growth_take(f->out, args[0]);
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
    case TRANSFER_DIV:
    case TRANSFER_REM:
        return is_fixed(f, 1) && quotient(f, args[1]->all, f->op->transfer == TRANSFER_REM);
    case TRANSFER_AND:
    case TRANSFER_OR:
    case TRANSFER_XOR:
    case TRANSFER_LOGIC:
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
    case TRANSFER_MIN:
    case TRANSFER_MAX:
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
        any |= ptx_grows(blocks, args[i]);
    /* what is unknown may depend on numbers */
    bool decides = op->transfer == TRANSFER_AND || op->transfer == TRANSFER_OR;
    if (!any || (!decides && (out->unknown & lanes) == lanes))
        ptx_growth_stay(out);
    else if (!follow(&f))
        pin_all(&f);
}
