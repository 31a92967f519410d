/* Numbers that grow from block to block: what holds for all blocks that a run stands for.
 *
 * Every rule here asks what the operation, done on the numbers of another of these blocks, would give; where that is not a number that grows by the same
 * in all lanes, the run is narrowed to the blocks for which it is. What was found for more blocks holds for fewer. */
#include "warp/growth.h"

typedef __int128 Wide;          /* sums of products of 64 and 32 bits */

#define MUCH ((Wide)1 << 100)   /* more than any of them */

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

Blocks ptx_blocks_new(const uint32_t first[3], const uint32_t step[3], const uint32_t count[3])
{
    Blocks blocks = { .epoch = 0 };
    for (unsigned d = 0; d < 3; d++) {
        blocks.first[d] = first[d];
        blocks.step[d] = blocks.steps[0][d] = step[d];
        blocks.count[d] = count[d];
    }
    return blocks;
}

double ptx_blocks_size(const Blocks *blocks)
{
    return (double)blocks->count[0] * blocks->count[1] * blocks->count[2];
}

static bool grows_along(const Blocks *blocks, const Value *value, unsigned d)
{
    return value->grows >> d & 1 && blocks->count[d] > 1;
}

bool ptx_value_grows(const Blocks *blocks, const Value *value)
{
    return value->grows && (grows_along(blocks, value, 0) || grows_along(blocks, value, 1) || grows_along(blocks, value, 2));
}

/* By how much from one of the blocks to the next: steps are multiples of those that came before. */
static Wide growth(const Blocks *blocks, const Value *value, unsigned d)
{
    return grows_along(blocks, value, d) ? (Wide)value->by[d] * (blocks->step[d] / blocks->steps[value->epoch][d]) : 0;
}

static void stay(Value *out)
{
    out->grows = 0;
}

/* Numbers are those of registers: what is over 64 bits is of no account. */
static void grow(const Blocks *blocks, Value *out, const Wide by[3])
{
    out->grows = 0;
    out->epoch = blocks->epoch;
    for (unsigned d = 0; d < 3; d++) {
        out->by[d] = (int64_t)by[d];
        out->grows |= (uint8_t)((out->by[d] != 0) << d);
    }
}

static void take_growth(Value *out, const Value *from)
{
    out->grows = from->grows;
    out->epoch = from->epoch;
    for (unsigned d = 0; d < 3; d++)
        out->by[d] = from->by[d];
}

void ptx_blocks_pin(Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; d < 3; d++)
        if (value->grows >> d & 1)
            blocks->count[d] = 1;
}

void ptx_blocks_index(const Blocks *blocks, Value *out, unsigned d)
{
    if (blocks->count[d] <= 1)
        return;
    Wide by[3] = { 0, 0, 0 };
    by[d] = blocks->step[d];
    grow(blocks, out, by);
}

/* ---- narrowing --------------------------------------------------------------------------------------------------- */

/* So that what grows by so much upwards grows by no more than `up` in all, what grows downwards by no more than `down`. What grows most is narrowed first. */
static void hold(Blocks *blocks, const Wide by[3], Wide up, Wide down)
{
    for (int sign = 1; sign >= -1; sign -= 2)
        for (;;) {
            Wide total = 0, most = 0, slack = sign > 0 ? up : down;
            unsigned at = 0;
            for (unsigned d = 0; d < 3; d++) {
                Wide reach = sign * by[d] * (blocks->count[d] - 1);
                total += reach > 0 ? reach : 0;
                if (reach > most) {
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
    hold(blocks, (const Wide[3]){ growth(blocks, value, 0), growth(blocks, value, 1), growth(blocks, value, 2) }, up, down);
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
    if (times >= blocks->count[d] || blocks->epoch + 1 >= MOST_EPOCHS) {
        blocks->count[d] = 1;
        return;
    }
    blocks->count[d] = (uint32_t)((blocks->count[d] + times - 1) / times);
    blocks->step[d] *= (uint32_t)times;
    blocks->epoch++;
    for (unsigned i = 0; i < 3; i++)
        blocks->steps[blocks->epoch][i] = blocks->step[i];
}

void ptx_blocks_align(Blocks *blocks, const Value *value, uint64_t multiple)
{
    for (unsigned d = 0; d < 3; d++) {
        Wide by = growth(blocks, value, d);
        uint64_t rest = (uint64_t)((by < 0 ? -by : by) % multiple);
        if (rest)
            stretch(blocks, d, multiple / common_divisor(multiple, rest));
    }
}

bool ptx_value_is_aligned(const Blocks *blocks, const Value *value, uint64_t multiple)
{
    for (unsigned d = 0; d < 3; d++)
        if (growth(blocks, value, d) % multiple)
            return false;
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static Wide whole(uint64_t number, unsigned bits, bool is_signed)
{
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1) << (bits - 1);
    number &= mask;
    return is_signed && number & sign ? (Wide)number - (Wide)mask - 1 : (Wide)number;
}

static Wide lane_of(const Value *value, unsigned lane, unsigned bits, bool is_signed)
{
    return whole(ptx_value_lane(value, lane), bits, is_signed);
}

/* False: it is known in none of these lanes. */
static bool extremes(const Value *value, uint32_t lanes, unsigned bits, bool is_signed, Wide *low, Wide *high)
{
    bool is_first = true;
    lanes &= ~value->unknown;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        Wide here = lane_of(value, i, bits, is_signed);
        *low = is_first || here < *low ? here : *low;
        *high = is_first || here > *high ? here : *high;
        is_first = false;
        if (!value->lanes)
            break;
    }
    return !is_first;
}

/* So that what grows stays within a type, and is the sum of its number and its growth. */
static void keep_within(Blocks *blocks, const Value *value, uint32_t lanes, unsigned bits, bool is_signed)
{
    Wide low, high, most = ((Wide)1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    if (ptx_value_grows(blocks, value) && extremes(value, lanes, bits, is_signed, &low, &high))
        hold_value(blocks, value, most - high, low - least);
}

/* Rounded down, by a number that does not grow: quotient and remainder. Blocks for which the quotient stays, or those every so many apart for
 * which the remainder does: whichever are more. */
static void divide(Blocks *blocks, const Value *a, uint32_t lanes, unsigned bits, bool is_signed, uint64_t by, Value *quotient, Value *remainder)
{
    keep_within(blocks, a, lanes, bits, is_signed);
    Wide least = by, most = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes & ~a->unknown & UINT32_C(1) << i))
            continue;
        Wide rest = lane_of(a, i, bits, is_signed) % (Wide)by;
        rest += rest < 0 ? (Wide)by : 0;
        least = rest < least ? rest : least;
        most = rest > most ? rest : most;
    }
    Blocks near = *blocks, apart = *blocks;
    hold_value(&near, a, (Wide)by - 1 - most, least);
    ptx_blocks_align(&apart, a, by);
    bool stays = ptx_blocks_size(&near) >= ptx_blocks_size(&apart);
    *blocks = stays ? near : apart;
    if (quotient) {
        Wide each[3];
        for (unsigned d = 0; d < 3; d++)
            each[d] = stays ? 0 : growth(blocks, a, d) / (Wide)by;
        grow(blocks, quotient, each);
    }
    if (remainder && stays)
        take_growth(remainder, a);
    else if (remainder)
        stay(remainder);
}

void ptx_growth_part(Blocks *blocks, Value *out, const Value *from, unsigned shift, uint32_t lanes)
{
    if (!ptx_value_grows(blocks, from))
        stay(out);
    else if (shift)
        divide(blocks, from, lanes, 64, false, UINT64_C(1) << shift, out, NULL);
}

void ptx_growth_join(Blocks *blocks, Value *out, const Value *part, unsigned shift, unsigned bits, uint32_t lanes)
{
    Wide by[3];
    if (!ptx_value_grows(blocks, part))
        return;
    keep_within(blocks, part, lanes, bits, false);
    for (unsigned d = 0; d < 3; d++)
        by[d] = growth(blocks, out, d) + ((Wide)(int64_t)growth(blocks, part, d) * ((Wide)1 << shift));
    grow(blocks, out, by);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

typedef struct Follower {
    Blocks *blocks;
    const Lanewise *op;
    Value *out;
    const Value *const *args;
    unsigned count;
    uint32_t lanes;
} Follower;

static bool grows(const Follower *f, unsigned arg)
{
    return arg < f->count && ptx_value_grows(f->blocks, f->args[arg]);
}

static void pin_all(const Follower *f)
{
    for (unsigned i = 0; i < f->count; i++)
        ptx_blocks_pin(f->blocks, f->args[i]);
    stay(f->out);
}

/* The same number in all lanes and blocks, known, without an addend. */
static bool is_fixed(const Follower *f, unsigned arg)
{
    const Value *value = arg < f->count ? f->args[arg] : NULL;
    return value && !value->lanes && !(value->unknown & f->lanes) && value->align == ALIGN_EXACT && !ptx_value_grows(f->blocks, value);
}

/* Modulo the register's width, as the operation is. */
static bool sum(const Follower *f, const Value *a, const Value *b, int sign)
{
    Wide by[3];
    for (unsigned d = 0; d < 3; d++)
        by[d] = growth(f->blocks, a, d) + sign * growth(f->blocks, b, d);
    grow(f->blocks, f->out, by);
    return true;
}

/* One of the first two times the other, which is fixed. */
static bool multiply(const Follower *f, Value *out)
{
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown;
    stay(out);
    if (!grows(f, 0) && !grows(f, 1))
        return true;
    if (!is_fixed(f, other))
        return false;
    Wide by[3], factor = whole(f->args[other]->all, f->op->factor_bits, f->op->is_signed);
    keep_within(f->blocks, f->args[grown], f->lanes, f->op->factor_bits, f->op->is_signed);
    for (unsigned d = 0; d < 3; d++)
        by[d] = (Wide)(int64_t)growth(f->blocks, f->args[grown], d) * factor;
    grow(f->blocks, out, by);
    return true;
}

static bool shift_left(const Follower *f)
{
    if (!is_fixed(f, 1) || f->args[1]->all >= f->op->bits)
        return false;
    Wide by[3];
    for (unsigned d = 0; d < 3; d++)
        by[d] = (Wide)(int64_t)growth(f->blocks, f->args[0], d) * ((Wide)1 << f->args[1]->all);
    grow(f->blocks, f->out, by);
    return true;
}

/* Division rounds towards zero: only of what is not negative is it that of divide. */
static bool quotient(const Follower *f, uint64_t by, bool rounds_down, bool is_remainder)
{
    const Lanewise *op = f->op;
    Wide low = 0, high = 0;
    bool is_known = extremes(f->args[0], f->lanes, op->bits, op->is_signed, &low, &high);
    if (!is_known || !by || by > INT64_MAX || whole(by, op->bits, op->is_signed) <= 0 || (!rounds_down && low < 0))
        return false;
    if (!rounds_down && op->is_signed)
        hold_value(f->blocks, f->args[0], ((Wide)1 << (op->bits - 1)) - 1 - high, low);
    divide(f->blocks, f->args[0], f->lanes, op->bits, op->is_signed, by, is_remainder ? NULL : f->out, is_remainder ? f->out : NULL);
    return true;
}

static unsigned width_of(uint64_t number)
{
    return number ? 64u - (unsigned)__builtin_clzll(number) : 0;
}

/* A mask of low bits leaves a remainder; one of high bits leaves what is a multiple of its lowest. */
static bool mask(const Follower *f)
{
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown, bits = f->op->bits;
    if (!is_fixed(f, other) || f->out->unknown || f->args[grown]->unknown & f->lanes)
        return false;
    uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, number = f->args[other]->all & all, low = number & (0 - number);
    if (!number) {
        stay(f->out);
        return true;
    }
    if (number != all && !(number & (number + 1))) {
        divide(f->blocks, f->args[grown], f->lanes, bits, false, number + 1, NULL, f->out);
        return true;
    }
    if ((number | (low - 1)) != all)
        return false;
    ptx_blocks_align(f->blocks, f->args[grown], low);
    take_growth(f->out, f->args[grown]);
    return true;
}

/* or, xor of what grows in high bits with what has none of them. */
static bool insert(const Follower *f)
{
    unsigned grown = grows(f, 0) ? 0 : 1, other = 1 - grown, width = 0;
    const Value *low = f->args[other];
    if (grows(f, other) || f->out->unknown || low->align != ALIGN_EXACT || f->op->type == TYPE_PRED)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (f->lanes >> i & 1 && width_of(ptx_value_lane(low, i)) > width)
            width = width_of(ptx_value_lane(low, i));
    if (width >= 32)
        return false;
    ptx_blocks_align(f->blocks, f->args[grown], UINT64_C(1) << width);
    take_growth(f->out, f->args[grown]);
    return true;
}

/* Of numbers, growth goes on where no number leaves the types on either side. */
static bool convert(const Follower *f)
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

/* How far a - b may go up and down in a lane without another outcome. */
static void note_room(uint8_t compare, Wide difference, Wide *up, Wide *down)
{
    bool with_equal = compare == COMPARE_LE || compare == COMPARE_LS || compare == COMPARE_GT || compare == COMPARE_HI;
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

/* a and b compare in each lane as they do in every block. */
static bool keep_order(const Follower *f)
{
    const Value *a = f->args[0], *b = f->args[1];
    const Lanewise *op = f->op;
    if (ptx_type_info[op->type].kind == KIND_FLOAT || !op->bits || op->bits > 64 || op->type == TYPE_PRED)
        return false;
    if (a->align != ALIGN_EXACT && b->align == ALIGN_EXACT && grows(f, 1))
        return false;           /* whether it is a test for null hangs on b */
    keep_within(f->blocks, a, f->lanes, op->bits, op->is_signed);
    keep_within(f->blocks, b, f->lanes, op->bits, op->is_signed);
    Wide up = MUCH, down = MUCH, by[3];
    for (unsigned d = 0; d < 3; d++)
        by[d] = growth(f->blocks, a, d) - growth(f->blocks, b, d);
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (f->lanes & ~a->unknown & ~b->unknown & UINT32_C(1) << i)
            note_room(op->compare, lane_of(a, i, op->bits, op->is_signed) - lane_of(b, i, op->bits, op->is_signed), &up, &down);
    hold(f->blocks, by, up, down);
    return true;
}

static bool compare(const Follower *f)
{
    stay(f->out);
    return !grows(f, 2) && f->count >= 2 && keep_order(f);
}

/* min and max: one of the two in each lane, whatever block; both where they grow alike. */
static bool choose_extreme(const Follower *f)
{
    if (f->count != 2 || !keep_order(f))
        return false;
    uint32_t firsts = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        Wide a = lane_of(f->args[0], i, f->op->bits, f->op->is_signed), b = lane_of(f->args[1], i, f->op->bits, f->op->is_signed);
        firsts |= (uint32_t)(f->op->transfer == TRANSFER_MAX ? a >= b : a < b) << i;
    }
    uint32_t known = f->lanes & ~f->out->unknown;
    ptx_growth_choose(f->blocks, f->out, f->args[0], f->args[1], firsts & known, ~firsts & known);
    return true;
}

static bool follow(const Follower *f)
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
    case TRANSFER_SHR:
        return is_fixed(f, 1) && args[1]->all < f->op->bits && args[1]->all < 63 && quotient(f, UINT64_C(1) << args[1]->all, true, false);
    case TRANSFER_DIV: case TRANSFER_REM:
        return is_fixed(f, 1) && quotient(f, args[1]->all, false, f->op->transfer == TRANSFER_REM);
    case TRANSFER_AND:
        return mask(f);
    case TRANSFER_OR: case TRANSFER_XOR:
        return insert(f);
    case TRANSFER_COMPARE:
        return compare(f);
    case TRANSFER_MIN: case TRANSFER_MAX:
        return choose_extreme(f);
    default:
        return false;
    }
}

void ptx_growth_follow(Blocks *blocks, const Lanewise *op, Value *out, const Value *const *args, unsigned count, uint32_t lanes)
{
    Follower f = { blocks, op, out, args, count, lanes };
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= ptx_value_grows(blocks, args[i]);
    bool decides = op->transfer == TRANSFER_AND || op->transfer == TRANSFER_OR;      /* what is unknown may hang on numbers */
    if (!any || (!decides && (out->unknown & lanes) == lanes))
        stay(out);
    else if (!follow(&f))
        pin_all(&f);
}

/* ---- from several ------------------------------------------------------------------------------------------------ */

void ptx_growth_choose(Blocks *blocks, Value *out, const Value *a, const Value *b, uint32_t of_a, uint32_t of_b)
{
    of_a &= ~a->unknown;
    of_b &= ~b->unknown;
    for (unsigned d = 0; d < 3 && of_a && of_b; d++)
        if (growth(blocks, a, d) != growth(blocks, b, d))
            blocks->count[d] = 1;
    if (of_a || of_b)
        take_growth(out, of_a ? a : b);
    else
        stay(out);
}
