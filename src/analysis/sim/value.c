#include "analysis/sim/value.h"
#include "isa/isa.h"

/* ---- addends --------------------------------------------------------------------------------- */

static bool has_addend(const Value *value)
{
    return value->align != ALIGN_EXACT;
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t bits_of(uint8_t type)
{
    return ptx_type_info[type].bits;
}

static void take_addend(Value *out, const Value *from)
{
    out->addend = from->addend;
    out->align = from->align;
    out->is_common = from->is_common;
    out->is_data = from->is_data;
}

/* Some addend of at least this alignment, that no other value is known to have. */
static void set_other(Value *out, unsigned align, bool is_common, bool is_data)
{
    out->align = (uint8_t)(align < ALIGN_EXACT ? align : ALIGN_EXACT - 1);
    out->addend = ADDEND_OTHER;
    out->is_common = is_common;
    out->is_data = is_data;
}

static bool is_uniform_among(const Value *value, uint32_t lanes)
{
    return !value->lanes && !(value->unknown & lanes) && (!has_addend(value) || value->is_common);
}

/* Some bits may be cut out of it: it is the same in all lanes, so that what is unknown of them is,
 * too. Of a parameter what was taken for it says more: all bits. */
static bool has_parts(const Value *value, uint32_t lanes)
{
    return value->is_data && is_uniform_among(value, lanes);
}

static void set_part(Value *out, const Value *from, unsigned align, unsigned below)
{
    set_other(out, align, true, from->is_data);
    out->below = (uint8_t)(below < 64 ? below : 0);
}

static bool varies(const Value *value, uint32_t lanes)
{
    unsigned first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    for (unsigned i = 0; value->lanes && i < WARP_LANES; i++)
        if (lanes >> i & 1 && value->lanes[i] != value->lanes[first])
            return true;
    return false;
}

/* Something times a parameter, or divided by one. */
static void note_scale(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                       uint32_t lanes)
{
    const uint32_t scaling = 1u << TRANSFER_MUL | 1u << TRANSFER_MAD | 1u << TRANSFER_DIV
                             | 1u << TRANSFER_REM | 1u << TRANSFER_SHL | 1u << TRANSFER_SHR;
    if (count < 2 || !(scaling >> op->transfer & 1))
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (!has_addend(args[i]) && !args[i]->is_assumed)
            continue;
        bool is_known = has_addend(args[i]) && args[i]->addend != ADDEND_OTHER;
        uint32_t by = args[i]->rows_by
                      | (is_known ? UINT32_C(1) << args[i]->addend % SCALE_GRID : 0);
        if (varies(args[1 - i], lanes) && (has_addend(args[i]) || by))
            out->free_by |= by ? by : UINT32_C(1) << SCALE_OTHER;
        else
            out->rows_by |= by;
    }
}

/* A result that depends on addends in a way that cannot be followed: the same in all lanes
 * where the operands are, else not known; of parameters it is right if they are what was taken
 * for them. */
static void set_opaque(Value *out, const Value *const *args, unsigned count, uint32_t lanes)
{
    bool is_data = false, is_uniform = true;
    for (unsigned i = 0; i < count; i++) {
        is_data |= has_addend(args[i]) && args[i]->is_data;
        is_uniform &= is_uniform_among(args[i], lanes);
    }
    out->align = ALIGN_EXACT;
    out->addend = ADDEND_NONE;
    if (!is_data)
        out->is_assumed = true;
    else if (is_uniform)
        set_other(out, 0, true, true);
    else
        out->unknown |= lanes;
}

static bool is_number(const Value *value, uint32_t lanes)
{
    return !value->lanes && ptx_value_is_exact(value, lanes);
}

static void add_addends(Value *out, const Value *a, const Value *b)
{
    if (!has_addend(a) || !has_addend(b))
        take_addend(out, has_addend(a) ? a : b);
    else
        set_other(out, least(a->align, b->align), a->is_common && b->is_common,
                  a->is_data || b->is_data);
}

/* A common addend cancels against itself. */
static bool cancels(const Value *a, const Value *b)
{
    return a->addend == b->addend && a->addend != ADDEND_NONE && a->addend != ADDEND_OTHER
           && a->is_common && b->is_common;
}

static bool scale(Value *out, const Value *a, const Value *factor, uint32_t lanes)
{
    if (!is_number(factor, lanes))
        return false;
    if (factor->all == 1)
        take_addend(out, a);
    else if (factor->all)
        set_other(out, a->align + (unsigned)__builtin_ctzll(factor->all), a->is_common, a->is_data);
    return true;
}

static bool multiply(Value *out, const Value *a, const Value *b, uint32_t lanes)
{
    if (!has_addend(a) && !has_addend(b))
        return true;
    if (has_addend(a) && has_addend(b))
        return false;
    return has_addend(a) ? scale(out, a, b, lanes) : scale(out, b, a, lanes);
}

/* Bits below 2^align are exact; a mask that only clears some of those leaves the addend. */
static bool keep_low_bits(Value *out, const Value *a, const Value *mask, uint32_t lanes,
                          unsigned bits)
{
    if (!is_number(mask, lanes) || has_addend(mask))
        return false;
    uint64_t below = (UINT64_C(1) << a->align) - 1,
             all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (!(mask->all & ~below))
        return true;
    if ((mask->all | below) == all || (mask->all | below) == UINT64_MAX) {
        take_addend(out, a);
        return true;
    }
    if (!has_parts(a, lanes))
        return false;
    set_part(out, a, a->align, 64u - (unsigned)__builtin_clzll(mask->all));
    return true;
}

/* x has no bits that the addend of a could carry into. */
static bool is_below(const Value *x, unsigned align, uint32_t lanes)
{
    if (has_addend(x) || align >= 64)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && ptx_value_lane(x, i) >> align)
            return false;
    return true;
}

/* x has no bits where the carrier may have some: what joins them adds them. */
static bool is_above(const Value *x, const Value *carrier, uint32_t lanes)
{
    if (has_addend(x) || !carrier->below || x->unknown & lanes)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && ptx_value_lane(x, i) & ((UINT64_C(1) << carrier->below) - 1))
            return false;
    return true;
}

/* Bits of a number from one place on, as many as are said: bfe. */
static bool cut_field(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                      uint32_t lanes)
{
    const Value *a = args[0];
    if (count < 3 || !is_number(args[1], lanes) || !is_number(args[2], lanes))
        return false;
    const uint64_t low = args[1]->all & 255, length = args[2]->all & 255;
    if (has_addend(a) && low + length <= a->align)
        return true;
    if (!has_addend(a) || op->is_signed || !has_parts(a, lanes))
        return false;
    set_part(out, a, low < a->align ? a->align - (unsigned)low : 0, (unsigned)length);
    return true;
}

/* The low bits of one number in place of some of another: bfi. An addend is kept where no bit of
 * its number is cut off; a part of one is the same in all lanes where the whole is. */
static bool join_field(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                       uint32_t lanes)
{
    const Value *field = args[0], *into = args[1];
    if (count < 4 || !is_number(args[2], lanes) || !is_number(args[3], lanes))
        return false;
    const uint64_t low = args[2]->all & 255, high = low + (args[3]->all & 255);
    if (low >= op->bits || high == low) {
        take_addend(out, into);
        return true;
    }
    bool is_whole = high >= op->bits || !has_addend(field),
         is_kept = !has_addend(into) || high <= into->align;
    if ((!is_whole && !has_parts(field, lanes)) || (!is_kept && !has_parts(into, lanes)))
        return false;
    const unsigned shifted = has_addend(field) ? field->align + (unsigned)low : ALIGN_EXACT;
    set_other(out, least((uint8_t)(shifted < ALIGN_EXACT ? shifted : ALIGN_EXACT), into->align),
              field->is_common && into->is_common,
              (has_addend(field) && field->is_data) || (has_addend(into) && into->is_data));
    return true;
}

static bool follow(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                   uint32_t lanes)
{
    const Value *a = args[0], *b = count > 1 ? args[1] : args[0];
    switch ((Transfer)op->transfer) {
    case TRANSFER_COPY:
        take_addend(out, a);
        out->below = a->below < least(bits_of(op->type), bits_of(op->dst_type)) ? a->below : 0;
        return true;
    case TRANSFER_ADD:
        if (op->is_saturating)
            return false;
        add_addends(out, a, b);
        return true;
    case TRANSFER_NEGATE:
        set_other(out, a->align, a->is_common, a->is_data);
        return true;
    case TRANSFER_SUB:
        if (op->is_saturating)
            return false;
        if (!cancels(a, b)) {
            if (has_addend(b))
                set_other(out, least(a->align, b->align), a->is_common && b->is_common,
                          a->is_data || b->is_data);
            else
                take_addend(out, a);
        }
        return true;
    case TRANSFER_MUL:
        return multiply(out, a, b, lanes);
    case TRANSFER_MAD: {
        Value product = { .align = ALIGN_EXACT, .is_common = true };
        if (op->is_saturating || !multiply(&product, a, b, lanes))
            return false;
        add_addends(out, &product, args[2]);
        return true;
    }
    case TRANSFER_SHL: {
        if (!is_number(b, lanes) || b->all >= op->bits)
            return is_number(b, lanes) && !has_addend(b);
        set_other(out, a->align + (unsigned)b->all, a->is_common, a->is_data);
        out->below = a->below && a->below + b->all < op->bits ? (uint8_t)(a->below + b->all) : 0;
        return true;
    }
    case TRANSFER_SHR:
        if (!is_number(b, lanes) || b->all > a->align)
            return false;
        set_other(out, a->align - (unsigned)b->all, a->is_common, a->is_data);
        return true;
    case TRANSFER_AND:
        return has_addend(a) ? keep_low_bits(out, a, b, lanes, op->bits)
                             : keep_low_bits(out, b, a, lanes, op->bits);
    case TRANSFER_OR: case TRANSFER_XOR: {
        const Value *carrier = has_addend(a) ? a : b;
        const Value *other = has_addend(a) ? b : a;
        if (!is_below(other, carrier->align, lanes) && !is_above(other, carrier, lanes))
            return false;
        take_addend(out, carrier);
        return true;
    }
    case TRANSFER_DIV: case TRANSFER_REM: {
        if (!is_number(b, lanes) || has_addend(b) || !b->all || b->all & (b->all - 1))
            return false;
        unsigned by = (unsigned)__builtin_ctzll(b->all);
        if (by > a->align)
            return false;
        if (op->transfer == TRANSFER_DIV)
            set_other(out, a->align - by, a->is_common, a->is_data);
        return true;
    }
    case TRANSFER_FIELD:
        return cut_field(op, out, args, count, lanes);
    case TRANSFER_INSERT:
        return join_field(op, out, args, count, lanes);
    case TRANSFER_COMPARE: {
        if (count > 2 && has_addend(args[2]))
            return false;
        bool is_null_test = !has_addend(b) && !b->lanes && !b->all
                            && (op->compare == COMPARE_EQ || op->compare == COMPARE_NE);
        return cancels(a, b) || (is_null_test && a->align >= ALIGN_POINTER && !a->is_data);
    }
    default:
        return false;
    }
}

/* ---- lanes that are not known ---------------------------------------------------------------- */

/* Lanes in which an operand decides the result of and, or alone. */
static uint32_t deciding_lanes(const Lanewise *op, const Value *value, uint32_t lanes)
{
    if (has_addend(value) || value->is_assumed)
        return 0;
    uint64_t wanted = op->transfer == TRANSFER_AND ? 0 : 1;
    uint32_t found = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        found |= (uint32_t)(ptx_value_lane(value, i) == wanted) << i;
    return found & lanes & ~value->unknown;
}

/* One operand may decide what comes of the others: of and, and of or of predicates. */
static bool may_decide(const Lanewise *op, unsigned count)
{
    return count == 2
           && (op->transfer == TRANSFER_AND
               || (op->transfer == TRANSFER_OR && op->type == TYPE_PRED));
}

void ptx_value_follow(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                      uint32_t lanes)
{
    uint32_t unknown = 0, rows_by = 0, free_by = 0;
    bool addends = false, is_assumed = false;
    for (unsigned i = 0; i < count; i++) {
        const Value *arg = args[i];
        addends |= has_addend(arg);
        unknown |= arg->unknown;
        is_assumed |= arg->is_assumed;
        rows_by |= arg->rows_by;
        free_by |= arg->free_by;
    }
    ptx_value_begin(out);
    out->unknown = unknown & lanes;
    out->is_assumed = is_assumed;
    out->rows_by = rows_by;
    out->free_by = free_by;
    if ((out->unknown || addends) && may_decide(op, count)) {
        uint32_t decided = deciding_lanes(op, args[0], lanes) | deciding_lanes(op, args[1], lanes);
        out->unknown &= ~decided;
        if (decided == lanes)
            return;
    }
    if (addends && !follow(op, out, args, count, lanes))
        set_opaque(out, args, count, lanes);
    if (addends || is_assumed)
        note_scale(op, out, args, count, lanes);
}

void ptx_value_choose(Value *out, const Value *a, const Value *b, const Value *predicate,
                      uint32_t lanes)
{
    uint32_t first = 0;
    ptx_value_begin(out);
    for (unsigned i = 0; i < WARP_LANES; i++)
        first |= (uint32_t)(ptx_value_lane(predicate, i) != 0) << i;
    out->unknown = lanes & (predicate->unknown | (a->unknown & first) | (b->unknown & ~first));
    if (has_addend(predicate))
        out->unknown |= lanes;
    out->is_assumed = predicate->is_assumed || (a->is_assumed && first & lanes)
                      || (b->is_assumed && ~first & lanes);
    if (first & lanes) {
        out->free_by |= a->free_by;
        out->rows_by |= a->rows_by;
    }
    if (~first & lanes) {
        out->free_by |= b->free_by;
        out->rows_by |= b->rows_by;
    }
    if (!(first & lanes) || !(~first & lanes))
        take_addend(out, first & lanes ? a : b);
    else if (a->addend == b->addend && a->align == b->align)
        take_addend(out, a);
    else
        set_other(out, least(a->align, b->align), false, a->is_data || b->is_data);
}

void ptx_value_blend(Value *into, const Value *from)
{
    into->free_by |= from->free_by;
    into->rows_by |= from->rows_by;
    into->below = 0;
    into->group = 0;
    if (into->addend == from->addend && into->align == from->align
        && into->is_common == from->is_common) {
        into->is_assumed |= from->is_assumed;
        return;
    }
    into->is_assumed |= from->is_assumed;
    set_other(into, least(into->align, from->align), false, into->is_data || from->is_data);
}
