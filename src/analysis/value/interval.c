#include "analysis/value/interval.h"

#include "support/assert.h"
#include "support/minmax.h"

/* ---- numbers of a width ---------------------------------------------------------------------- */

uint64_t ptx_width_mask(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

int64_t ptx_width_signed(unsigned width, uint64_t value)
{
    if (!width)                 /* of a register whose declaration has an error */
        return 0;
    uint64_t sign = UINT64_C(1) << (width - 1);
    value &= ptx_width_mask(width);
    return (int64_t)((value ^ sign) - sign);
}

int64_t ptx_width_signed_top(unsigned width)
{
    return (int64_t)(ptx_width_mask(width) >> 1);
}

bool ptx_width_fits(unsigned width, int64_t value)
{
    return ptx_width_signed(width, (uint64_t)value) == value;
}

unsigned ptx_number_zeros(unsigned width, uint64_t value)
{
    unsigned zeros = 0;
    while (zeros < width && !(value >> zeros & 1))
        zeros++;
    return zeros;
}

bool ptx_number_is_power(uint64_t value)
{
    return value && !(value & (value - 1));
}

/* ---- ranges ---------------------------------------------------------------------------------- */

Interval ptx_interval_full(unsigned width)
{
    ASSERT(width <= 64);
    return (Interval){ 0, ptx_width_mask(width), -ptx_width_signed_top(width) - 1,
                       ptx_width_signed_top(width) };
}

Interval ptx_interval_point(unsigned width, uint64_t value)
{
    value &= ptx_width_mask(width);
    return (Interval){ value, value, ptx_width_signed(width, value),
                       ptx_width_signed(width, value) };
}

/* Each interval narrows the other where they lie on one side of the sign. Nothing in common, which
 * only code that never runs has, becomes the full range. */
static Interval narrow_signs(unsigned width, Interval r)
{
    uint64_t low = r.umin, high = r.umax;
    if (r.smin >= 0 || r.smax < 0) {
        uint64_t a = (uint64_t)r.smin & ptx_width_mask(width),
                 b = (uint64_t)r.smax & ptx_width_mask(width);
        low = a > low ? a : low;
        high = b < high ? b : high;
    }
    if (low > high)
        return ptx_interval_full(width);
    r.umin = low;
    r.umax = high;
    if (high <= (uint64_t)ptx_width_signed_top(width)
        || low > (uint64_t)ptx_width_signed_top(width)) {
        int64_t a = ptx_width_signed(width, low), b = ptx_width_signed(width, high);
        r.smin = a > r.smin ? a : r.smin;
        r.smax = b < r.smax ? b : r.smax;
    }
    return r.smin > r.smax ? ptx_interval_full(width) : r;
}

Interval ptx_interval_unsigned(unsigned width, uint64_t min, uint64_t max)
{
    Interval r = ptx_interval_full(width);
    r.umin = min;
    r.umax = max;
    return narrow_signs(width, r);
}

Interval ptx_interval_signed(unsigned width, int64_t min, int64_t max)
{
    Interval r = ptx_interval_full(width);
    r.smin = min;
    r.smax = max;
    return narrow_signs(width, r);
}

Interval ptx_interval_join(Interval a, Interval b)
{
    return (Interval){ ptx_u64_min(a.umin, b.umin), ptx_u64_max(a.umax, b.umax),
                       ptx_i64_min(a.smin, b.smin), ptx_i64_max(a.smax, b.smax) };
}

/* Whether a + b leaves the width, as unsigned numbers. */
static bool carries(unsigned width, uint64_t a, uint64_t b)
{
    return a > ptx_width_mask(width) - b;
}

Interval ptx_interval_add(unsigned width, Interval a, Interval b)
{
    Interval r = ptx_interval_full(width);
    uint64_t mask = ptx_width_mask(width);
    /* neither wraps, or all of them do */
    if (carries(width, a.umin, b.umin) == carries(width, a.umax, b.umax)) {
        r.umin = (a.umin + b.umin) & mask;
        r.umax = (a.umax + b.umax) & mask;
    }
    int64_t low, high;
    if (!__builtin_add_overflow(a.smin, b.smin, &low)
        && !__builtin_add_overflow(a.smax, b.smax, &high) && ptx_width_fits(width, low)
        && ptx_width_fits(width, high)) {
        r.smin = low;
        r.smax = high;
    }
    return narrow_signs(width, r);
}

static Interval multiply(unsigned width, Interval a, Interval b)
{
    Interval r = ptx_interval_full(width);
    uint64_t high, mask = ptx_width_mask(width);
    if (ptx_interval_is_point(&a) && ptx_interval_is_point(&b))
        return ptx_interval_point(width, a.umin * b.umin);
    if (!__builtin_mul_overflow(a.umax, b.umax, &high) && high <= mask) {
        r.umin = a.umin * b.umin;
        r.umax = high;
    }
    int64_t corner[4];
    bool fits = !__builtin_mul_overflow(a.smin, b.smin, &corner[0])
                && !__builtin_mul_overflow(a.smin, b.smax, &corner[1])
                && !__builtin_mul_overflow(a.smax, b.smin, &corner[2])
                && !__builtin_mul_overflow(a.smax, b.smax, &corner[3]);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int i = 0; i < 4 && fits; i++) {
        least = corner[i] < least ? corner[i] : least;
        most = corner[i] > most ? corner[i] : most;
    }
    if (fits && ptx_width_fits(width, least) && ptx_width_fits(width, most)) {
        r.smin = least;
        r.smax = most;
    }
    return narrow_signs(width, r);
}

Interval ptx_interval_scale(unsigned width, Interval a, uint64_t factor)
{
    return multiply(width, a, ptx_interval_point(width, factor));
}

static uint64_t high_product(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = (a0 * b0 >> 32) + (a1 * b0 & UINT32_MAX) + a0 * b1;
    return a1 * b1 + (a1 * b0 >> 32) + (middle >> 32);
}

static uint64_t multiply_high_bounds(SymKind kind, unsigned width, uint64_t a, uint64_t b)
{
    if (kind == SYM_MULHI_U)
        return width == 64 ? high_product(a, b) : a * b >> width;
    int64_t x = ptx_width_signed(width, a), y = ptx_width_signed(width, b);
    if (width < 64)
        return (uint64_t)(x * y) >> width;
    uint64_t product = high_product(a, b);
    if (x < 0)
        product -= b;
    if (y < 0)
        product -= a;
    return product;
}

/* Division by zero, and the one quotient that overflows, are not defined. */
static bool divide(SymKind kind, unsigned width, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t x = ptx_width_signed(width, a), y = ptx_width_signed(width, b);
    if (!b
        || ((kind == SYM_DIV_S || kind == SYM_REM_S) && y == -1
            && x == -ptx_width_signed_top(width) - 1))
        return false;
    switch (kind) {
    case SYM_DIV_U: *out = a / b; break;
    case SYM_REM_U: *out = a % b; break;
    case SYM_DIV_S: *out = (uint64_t)(x / y); break;
    default:        *out = (uint64_t)(x % y); break;
    }
    return true;
}

static uint64_t shift_bounds(SymKind kind, unsigned width, uint64_t a, uint64_t amount)
{
    /* amounts beyond the width count as the width (PTX ISA, "shr") */
    if (kind == SYM_SHR_S) {
        int64_t x = ptx_width_signed(width, a);
        unsigned n = amount >= width ? width - 1 : (unsigned)amount;
        return x < 0 ? ~(~(uint64_t)x >> n) : (uint64_t)x >> n;
    }
    if (amount >= width)
        return 0;
    return kind == SYM_SHL ? a << amount : a >> amount;
}

/* The operation on numbers. False: the PTX ISA does not define the result. */
bool ptx_number_fold(SymKind kind, unsigned width, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t x = ptx_width_signed(width, a), y = ptx_width_signed(width, b);
    switch (kind) {
    case SYM_MUL:     *out = a * b; return true;
    case SYM_MULHI_U: case SYM_MULHI_S: *out = multiply_high_bounds(kind, width, a, b); return true;
    case SYM_DIV_U:
    case SYM_DIV_S:
    case SYM_REM_U:
    case SYM_REM_S:
        return divide(kind, width, a, b, out);
    case SYM_SHL:
    case SYM_SHR_U:
    case SYM_SHR_S:
        *out = shift_bounds(kind, width, a, b);
        return true;
    case SYM_AND:     *out = a & b; return true;
    case SYM_OR:      *out = a | b; return true;
    case SYM_XOR:     *out = a ^ b; return true;
    case SYM_MIN_U:   *out = a < b ? a : b; return true;
    case SYM_MAX_U:   *out = a > b ? a : b; return true;
    case SYM_MIN_S:   *out = x < y ? a : b; return true;
    case SYM_MAX_S:   *out = x > y ? a : b; return true;
    case SYM_EQ:      *out = a == b; return true;
    case SYM_NE:      *out = a != b; return true;
    case SYM_LT_U:    *out = a < b; return true;
    case SYM_LE_U:    *out = a <= b; return true;
    case SYM_LT_S:    *out = x < y; return true;
    case SYM_LE_S:    *out = x <= y; return true;
    default:          return false;
    }
}

static Interval answer(bool never, bool always)
{
    if (never)
        return ptx_interval_point(1, 0);
    return always ? ptx_interval_point(1, 1) : ptx_interval_full(1);
}

static Interval compare(SymKind kind, const Interval *a, const Interval *b)
{
    bool apart = a->umax < b->umin || b->umax < a->umin || a->smax < b->smin || b->smax < a->smin;
    bool same = ptx_interval_is_point(a) && ptx_interval_is_point(b) && a->umin == b->umin;
    switch (kind) {
    case SYM_EQ:   return answer(apart, same);
    case SYM_NE:   return answer(same, apart);
    case SYM_LT_U: return answer(a->umin >= b->umax, a->umax < b->umin);
    case SYM_LE_U: return answer(a->umin > b->umax, a->umax <= b->umin);
    case SYM_LT_S: return answer(a->smin >= b->smax, a->smax < b->smin);
    default:       return answer(a->smin > b->smax, a->smax <= b->smin);
    }
}

/* Smallest 2^n - 1 that is not below value. */
static uint64_t ones_above(uint64_t value)
{
    for (unsigned n = 1; n < 64; n *= 2)
        value |= value >> n;
    return value;
}

static Interval range_of_and(unsigned width, const Interval *a, const Interval *b)
{
    uint64_t keep = b->umin, mask = ptx_width_mask(width);
    /* clears low bits: keeps the order */
    if (ptx_interval_is_point(b) && ptx_number_is_power((~keep & mask) + 1) && keep) {
        Interval r = { a->umin & keep, a->umax & keep,
                       ptx_width_signed(width, (uint64_t)a->smin & keep),
                       ptx_width_signed(width, (uint64_t)a->smax & keep) };
        return narrow_signs(width, r);
    }
    return ptx_interval_unsigned(width, 0, a->umax < b->umax ? a->umax : b->umax);
}

static Interval range_of_shift(SymKind kind, unsigned width, const Interval *a, const Interval *b)
{
    if (kind == SYM_SHL)
        return ptx_interval_is_point(b) && b->umin < width
                   ? ptx_interval_scale(width, *a, UINT64_C(1) << b->umin)
                   : ptx_interval_full(width);
    if (kind == SYM_SHR_U)
        return ptx_interval_unsigned(width, shift_bounds(kind, width, a->umin, b->umax),
                                     shift_bounds(kind, width, a->umax, b->umin));
    uint64_t low = shift_bounds(kind, width, (uint64_t)a->smin, a->smin < 0 ? b->umin : b->umax);
    uint64_t high = shift_bounds(kind, width, (uint64_t)a->smax, a->smax < 0 ? b->umax : b->umin);
    return ptx_interval_signed(width, ptx_width_signed(width, low), ptx_width_signed(width, high));
}

/* signed, of a divisor that is positive */
static Interval range_of_quotient(unsigned width, const Interval *a, const Interval *b)
{
    int64_t low = a->smin / (a->smin < 0 ? b->smin : b->smax);
    int64_t high = a->smax / (a->smax < 0 ? b->smax : b->smin);
    return ptx_interval_signed(width, low, high);
}

static Interval range_of_remainder(unsigned width, const Interval *a, const Interval *b)
{
    int64_t low = 0, high = 0;
    if (a->smin < 0)                    /* it has the sign of the dividend, and is nearer to 0 */
        low = ptx_i64_max(1 - b->smax, a->smin);
    if (a->smax > 0)
        high = ptx_i64_min(b->smax - 1, a->smax);
    return ptx_interval_signed(width, low, high);
}

/* Divisors that may be zero or negative: nothing is said. */
static Interval range_of_division(SymKind kind, unsigned width, const Interval *a,
                                  const Interval *b)
{
    bool is_unsigned = kind == SYM_DIV_U || kind == SYM_REM_U;
    if (is_unsigned ? !b->umin : b->smin <= 0)
        return ptx_interval_full(width);
    switch (kind) {
    case SYM_DIV_U: return ptx_interval_unsigned(width, a->umin / b->umax, a->umax / b->umin);
    case SYM_REM_U:
        if (a->umax < b->umin)
            return *a;
        return ptx_interval_unsigned(width, 0, ptx_u64_min(a->umax, b->umax - 1));
    case SYM_DIV_S: return range_of_quotient(width, a, b);
    default:        return range_of_remainder(width, a, b);
    }
}

static Interval range_of_order(SymKind kind, unsigned width, const Interval *a, const Interval *b)
{
    switch (kind) {
    case SYM_MIN_U:
        return ptx_interval_unsigned(width, ptx_u64_min(a->umin, b->umin),
                                     ptx_u64_min(a->umax, b->umax));
    case SYM_MAX_U:
        return ptx_interval_unsigned(width, ptx_u64_max(a->umin, b->umin),
                                     ptx_u64_max(a->umax, b->umax));
    case SYM_MIN_S:
        return ptx_interval_signed(width, ptx_i64_min(a->smin, b->smin),
                                   ptx_i64_min(a->smax, b->smax));
    default:
        return ptx_interval_signed(width, ptx_i64_max(a->smin, b->smin),
                                   ptx_i64_max(a->smax, b->smax));
    }
}

Interval ptx_interval_binary(SymKind kind, unsigned width, const Interval *a, const Interval *b)
{
    uint64_t value;
    unsigned result_width = kind >= SYM_EQ && kind <= SYM_LE_S ? 1 : width;
    if (ptx_interval_is_point(a) && ptx_interval_is_point(b))
        return ptx_number_fold(kind, width, a->umin, b->umin, &value)
                   ? ptx_interval_point(result_width, value)
                   : ptx_interval_full(result_width);
    switch (kind) {
    case SYM_MUL: return multiply(width, *a, *b);
    case SYM_MULHI_U:
        return ptx_interval_unsigned(width, multiply_high_bounds(kind, width, a->umin, b->umin),
                                     multiply_high_bounds(kind, width, a->umax, b->umax));
    case SYM_DIV_U:
    case SYM_DIV_S:
    case SYM_REM_U:
    case SYM_REM_S:
        return range_of_division(kind, width, a, b);
    case SYM_SHL: case SYM_SHR_U: case SYM_SHR_S: return range_of_shift(kind, width, a, b);
    case SYM_AND: return range_of_and(width, a, b);
    case SYM_OR:
        return ptx_interval_unsigned(width, a->umin > b->umin ? a->umin : b->umin,
                                     ones_above(a->umax | b->umax));
    case SYM_XOR: return ptx_interval_unsigned(width, 0, ones_above(a->umax | b->umax));
    case SYM_MIN_U:
    case SYM_MIN_S:
    case SYM_MAX_U:
    case SYM_MAX_S:
        return range_of_order(kind, width, a, b);
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT_U:
    case SYM_LT_S:
    case SYM_LE_U:
    case SYM_LE_S:
        return compare(kind, a, b);
    default: return ptx_interval_full(result_width);
    }
}

Interval ptx_interval_lane(unsigned width, const Interval *x, const Interval *y, const Interval *z)
{
    Interval sum = ptx_interval_add(width, ptx_interval_add(width, *x, *y), *z);
    if (sum.umin >> 5 != sum.umax >> 5)
        return ptx_interval_unsigned(width, 0, 31);
    return ptx_interval_unsigned(width, sum.umin & 31, sum.umax & 31);
}

Interval ptx_interval_truncate(unsigned width, Interval a)
{
    if (ptx_interval_is_point(&a))
        return ptx_interval_point(width, a.umin);
    if (ptx_width_fits(width, a.smin) && ptx_width_fits(width, a.smax))
        return ptx_interval_signed(width, a.smin, a.smax);
    return a.umax <= ptx_width_mask(width) ? ptx_interval_unsigned(width, a.umin, a.umax)
                                           : ptx_interval_full(width);
}
