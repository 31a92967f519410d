#include "analysis/sim/stride/lane_groups.h"

#include "support/minmax.h"

enum { ALL_BITS = WARP_LANES - 1, ALIGN_PACKED = 7, PLAIN_BITS = 32, LOOSE = 0x80 };

/* ---- as a byte ------------------------------------------------------------------------------- */

/* Bits side by side, by their count. */
static const uint8_t ranges[] = { 0, 1, 2, 4, 8, 16, 3, 6, 12, 24, 7, 14, 28, 15, 30, 31 };

uint8_t ptx_groups_pack(LaneGroups groups)
{
    unsigned i = sizeof ranges - 1;
    while (ranges[i] & ~groups.bits)
        i--;
    const unsigned align = ptx_u32_min(groups.align, ALIGN_PACKED);
    return i ? (uint8_t)(groups.is_loose * LOOSE | align << 4 | i) : 0;
}

LaneGroups ptx_groups_unpack(uint8_t packed)
{
    return (LaneGroups){ ranges[packed & 15], packed >> 4 & ALIGN_PACKED, packed & LOOSE };
}

uint32_t ptx_groups_lanes(LaneGroups groups, unsigned lane, uint32_t lanes)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        found |= (uint32_t)!((i ^ lane) & ~groups.bits) << i;
    return found & lanes;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool is_all_known(const Value *value, uint32_t lanes)
{
    return !(value->unknown & lanes);
}

/* Exact: no addend, in whatever block. */
static bool is_plain_number(const Value *value, uint32_t lanes)
{
    return is_all_known(value, lanes) && value->align == ALIGN_EXACT && !value->grows;
}

static bool is_common_number(const Value *value, uint32_t lanes)
{
    return !value->lanes && is_plain_number(value, lanes);
}

static LaneGroups operand_groups(const Blocks *blocks, const Value *value, uint32_t lanes)
{
    if ((value->unknown & lanes) == lanes)
        return ptx_groups_unpack(value->group);
    if (value->unknown & lanes || (value->align != ALIGN_EXACT && !value->is_common))
        return (LaneGroups){ .bits = 0 };
    const uint64_t steps = value->grows ? ptx_blocks_steps(blocks, value) : 0;
    const unsigned by = steps ? (unsigned)__builtin_ctzll(steps) : ALIGN_EXACT;
    return (LaneGroups){ ALL_BITS, ptx_u32_min(by, value->align), false };
}

/* The numbers of lanes in one group are the same. */
static bool are_same_in_groups(const Value *value, uint32_t bits, uint32_t lanes)
{
    uint8_t first[WARP_LANES];
    uint32_t seen = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left), group = i & ~bits;
        if (!(seen >> group & 1))
            first[group] = (uint8_t)i;
        seen |= UINT32_C(1) << group;
        if (value->lanes[i] != value->lanes[first[group]])
            return false;
    }
    return true;
}

/* Of bits, the most for which they are. */
static uint32_t alike_bits(const Value *value, uint32_t bits, uint32_t lanes)
{
    unsigned i = sizeof ranges;
    if (!value->lanes)
        return bits;
    while (--i && (ranges[i] & ~bits || !are_same_in_groups(value, ranges[i], lanes)))
        continue;
    return ranges[i];
}

/* Most addresses differ between all neighbours: no lanes share one. */
static bool may_be_alike(const Value *value, uint32_t lanes)
{
    const uint64_t *x = value->lanes;
    if (!x || lanes != UINT32_MAX)
        return true;
    return x[0] == x[1] || x[0] == x[2] || x[0] == x[4] || x[0] == x[8] || x[0] == x[16];
}

uint8_t ptx_groups_load(const Blocks *blocks, const Value *address, uint32_t lanes)
{
    if (!may_be_alike(address, lanes))
        return 0;
    LaneGroups groups = operand_groups(blocks, address, lanes);
    if (!groups.bits)
        return 0;
    groups.bits = alike_bits(address, groups.bits, lanes);
    groups.align = 0;
    return ptx_groups_pack(groups);
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef struct GroupedArgs {
    const Lanewise *op;
    const Value *const *args;
    const LaneGroups *groups;   /* of each */
    unsigned count;
    uint32_t lanes;
} GroupedArgs;

/* Numbers that lie as far from each other once they are extended: those without a sign bit where
 * that is by zeros, else small ones. */
static bool are_near_zero(const Value *value, const Lanewise *op, uint32_t lanes)
{
    const uint64_t half = UINT64_C(1) << (op->bits - 1), below = op->is_signed ? half / 2 : 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && ((ptx_value_lane(value, i) + below) & (2 * half - 1)) >= half)
            return false;
    return true;
}

/* A result of more bits is that of the operand, extended. */
static bool extends_alike(const GroupedArgs *in, const Value *value)
{
    return ptx_type_info[in->op->dst_type].bits <= in->op->bits
           || are_near_zero(value, in->op, in->lanes);
}

static bool copies_number(const GroupedArgs *in, unsigned *align)
{
    *align = in->groups[0].align;
    return extends_alike(in, in->args[0]);
}

static bool multiplies_by_number(const GroupedArgs *in, unsigned *align)
{
    const unsigned factor = is_common_number(in->args[1], in->lanes) ? 1 : 0;
    const Value *by = in->args[factor];
    if (!is_common_number(by, in->lanes) || !by->all || in->op->factor_bits != in->op->bits
        || !extends_alike(in, in->args[1 - factor]))
        return false;
    *align = in->groups[1 - factor].align + (unsigned)__builtin_ctzll(by->all);
    return true;
}

static bool shifts_left(const GroupedArgs *in, unsigned *align)
{
    const Value *by = in->args[1];
    *align = in->groups[0].align + (unsigned)by->all;
    return is_common_number(by, in->lanes) && by->all < in->op->bits;
}

/* Bits below those of the unknown addend are cleared. */
static bool clears_low_bits(const GroupedArgs *in, unsigned *align)
{
    const unsigned mask = is_common_number(in->args[1], in->lanes) ? 1 : 0;
    const Value *by = in->args[mask];
    *align = ptx_u32_min(in->groups[1 - mask].align, ALIGN_PACKED);
    const uint64_t all = UINT64_MAX >> (64 - in->op->bits),
                   kept = by->all | ((UINT64_C(1) << *align) - 1);
    return is_common_number(by, in->lanes) && (kept & all) == all;
}

/* No bit is in both: the bits of one lie below the unknown addend of the other. */
static bool joins_bits(const GroupedArgs *in, unsigned *align)
{
    const unsigned low = is_plain_number(in->args[1], in->lanes) ? 1 : 0;
    const Value *x = in->args[low], *other = in->args[1 - low];
    *align = ptx_u32_min(in->groups[1 - low].align, ALIGN_PACKED);
    if (!is_plain_number(x, in->lanes))
        return false;
    for (uint32_t left = in->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint64_t number = ptx_value_lane(x, i);
        if (number >> *align || number & ptx_value_lane(other, i))
            return false;
    }
    return true;
}

/* What is unknown of the result is a multiple of that, and its number what op makes of numbers. */
static bool is_linear(const GroupedArgs *in, unsigned *align)
{
    const Lanewise *op = in->op;
    if (op->is_saturating || op->is_pair || op->each || op->bits < PLAIN_BITS
        || ptx_type_info[op->dst_type].bits < PLAIN_BITS)
        return false;
    switch ((Transfer)op->transfer) {
    case TRANSFER_COPY:
        return copies_number(in, align);
    case TRANSFER_NEGATE:
        *align = in->groups[0].align;
        return true;
    case TRANSFER_ADD: case TRANSFER_SUB:
        *align = ptx_u32_min(in->groups[0].align, in->groups[1].align);
        return in->count == 2;
    case TRANSFER_MUL:
        return multiplies_by_number(in, align);
    case TRANSFER_MAD:
        if (in->count != 3 || !multiplies_by_number(in, align))
            return false;
        *align = ptx_u32_min(*align, in->groups[2].align);
        return true;
    case TRANSFER_SHL:
        return shifts_left(in, align);
    case TRANSFER_AND:
        return clears_low_bits(in, align);
    case TRANSFER_OR: case TRANSFER_XOR:
        return joins_bits(in, align);
    default:
        return false;
    }
}

enum { MAX_GROUPED_ARGS = 8 };

/* What all operands share, and nothing of their alignment. */
static LaneGroups common_groups(const Blocks *blocks, const Value *const *args, unsigned count,
                                uint32_t lanes, LaneGroups *groups)
{
    LaneGroups common = { .bits = ALL_BITS };
    for (unsigned i = 0; i < count; i++) {
        groups[i] = operand_groups(blocks, args[i], lanes);
        common.bits &= groups[i].bits;
        common.is_loose |= groups[i].is_loose;
    }
    return common;
}

/* Of lanes whose operands are the same the result is the same, whatever is done to them. */
static bool set_alike(Value *out, const Value *const *args, unsigned count, LaneGroups common,
                      uint32_t lanes)
{
    for (unsigned i = 0; i < count; i++)
        common.bits = alike_bits(args[i], common.bits, lanes);
    out->group = ptx_groups_pack(common);
    return !out->group;
}

bool ptx_groups_follow(const Blocks *blocks, const Lanewise *op, Value *out,
                       const Value *const *args, unsigned count, uint32_t lanes)
{
    LaneGroups groups[MAX_GROUPED_ARGS], common;
    const GroupedArgs in = { op, args, groups, count, lanes };
    if (count > MAX_GROUPED_ARGS)
        return true;
    common = common_groups(blocks, args, count, lanes, groups);
    if (!common.bits)
        return true;
    unsigned align = 0;
    if (!is_linear(&in, &align))
        return set_alike(out, args, count, common, lanes);
    common.align = align;
    out->group = ptx_groups_pack(common);
    return true;
}

bool ptx_groups_choose(const Blocks *blocks, Value *out, const Value *const args[3],
                       uint32_t lanes)
{
    LaneGroups groups[3], common = common_groups(blocks, args, 3, lanes, groups);
    if (!common.bits)
        return true;
    if (!is_all_known(args[2], lanes) || args[2]->align != ALIGN_EXACT)
        return set_alike(out, args, 3, common, lanes);
    common.bits = alike_bits(args[2], common.bits, lanes);
    common.align = ptx_u32_min(groups[0].align, groups[1].align);
    out->group = ptx_groups_pack(common);
    return true;
}

/* ---- across lanes and runs ------------------------------------------------------------------- */

/* Lanes of one group get what lanes of one group have, of which there is no more than one where
 * nothing is known of groups. */
static bool gets_alike(const uint8_t from[WARP_LANES], uint32_t bits, uint32_t own, uint32_t lanes)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        for (unsigned k = 0; k < i; k++)
            if (lanes >> i & 1 && lanes >> k & 1 && !((i ^ k) & ~bits)
                && (from[i] ^ from[k]) & ~own)
                return false;
    return true;
}

uint8_t ptx_groups_shuffle(const Value *value, const uint8_t from[WARP_LANES], uint32_t lanes)
{
    const LaneGroups own = ptx_groups_unpack(value->group);
    unsigned i = sizeof ranges;
    while (--i && !gets_alike(from, ranges[i], own.bits, lanes))
        continue;
    return ptx_groups_pack((LaneGroups){ ranges[i], own.align, own.is_loose });
}

static LaneGroups blended_groups(const Value *value, uint32_t lanes)
{
    return value->unknown & lanes ? ptx_groups_unpack(value->group)
                                  : (LaneGroups){ ALL_BITS, ALIGN_PACKED, false };
}

uint8_t ptx_groups_blend(const Value *old, const Value *other, uint32_t lanes, uint32_t live)
{
    const LaneGroups a = blended_groups(old, live & ~lanes), b = blended_groups(other, lanes);
    const LaneGroups both = { a.bits & b.bits, ptx_u32_min(a.align, b.align),
                              a.is_loose || b.is_loose };
    for (uint32_t left = lanes & live; left; left &= left - 1)
        if (ptx_groups_lanes(both, (unsigned)__builtin_ctz(left), live) & ~lanes)
            return 0;
    return ptx_groups_pack(both);
}

/* Of a number that is data, the same in all lanes but for what is known of each. */
static LaneGroups data_groups(const Value *value, uint32_t lanes)
{
    const bool is_one = is_all_known(value, lanes) && value->align != ALIGN_EXACT
                        && value->is_common && value->is_data;
    if (is_one)
        return (LaneGroups){ ALL_BITS, value->align, false };
    return (value->unknown & lanes) == lanes ? ptx_groups_unpack(value->group)
                                             : (LaneGroups){ .bits = 0 };
}

/* Lanes of a group have places one behind the other, all of them less than a step apart. */
static bool steps_over(const Value *value, uint32_t bits, uint64_t step, uint32_t lanes)
{
    uint64_t first[WARP_LANES], last[WARP_LANES];
    uint32_t seen = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left), group = i & ~bits;
        const uint64_t number = ptx_value_lane(value, i);
        if (!(seen >> group & 1))
            first[group] = number;
        else if (number <= last[group] || number - first[group] >= step)
            return false;
        seen |= UINT32_C(1) << group;
        last[group] = number;
    }
    return true;
}

uint8_t ptx_groups_step(const Value *old, const Value *next, uint32_t lanes)
{
    enum { LONGEST_STEP = 1 << 20 };
    const LaneGroups a = data_groups(old, lanes), b = data_groups(next, lanes);
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uint64_t step = ptx_value_lane(next, first) - ptx_value_lane(old, first);
    if (!a.bits || a.bits != b.bits || !next->lanes || !old->lanes || !step
        || step > LONGEST_STEP)
        return 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        if (next->lanes[i] - old->lanes[i] != step)
            return 0;
    }
    return steps_over(next, b.bits, step, lanes) ? (uint8_t)(1 + __builtin_ctzll(step)) : 0;
}

uint8_t ptx_groups_leave(const Value *value, uint8_t step, uint32_t lanes)
{
    LaneGroups groups = data_groups(value, lanes);
    if (!step || !groups.bits)
        return 0;
    groups.align = ptx_u32_min(groups.align, step - 1u);
    groups.is_loose = true;
    return ptx_groups_pack(groups);
}

uint8_t ptx_groups_widen(const Value *now, const Value *then, uint32_t lanes)
{
    LaneGroups groups = ptx_groups_unpack(now->group);
    uint64_t by = 0, last = 0;
    if (now->group != then->group)
        return 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint64_t moved = ptx_value_lane(now, i) - ptx_value_lane(then, i);
        if (left != lanes && moved != last)
            return 0;
        by |= last = moved;
    }
    groups.align = by ? ptx_u32_min(groups.align, (unsigned)__builtin_ctzll(by)) : groups.align;
    return ptx_groups_pack(groups);
}
