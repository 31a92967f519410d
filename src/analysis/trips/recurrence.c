#include "analysis/trips/recurrence.h"

static Solution failed(const char *why)
{
    return (Solution){ .status = SOLVED_NOT, .why = why };
}

static Solution fixed(uint64_t k)
{
    return (Solution){ .status = SOLVED, .min = k, .max = k };
}

static bool is_signed_compare(SymKind kind)
{
    return kind == SYM_LT_S || kind == SYM_LE_S;
}

/* A number of the width as a point of one ascending line: unsigned order of the result is the order
 * of kind. */
static uint64_t place_on_line(SymKind kind, unsigned width, uint64_t value)
{
    value &= ptx_width_mask(width);
    return is_signed_compare(kind) ? value ^ UINT64_C(1) << (width - 1) : value;
}

/* x(k) = a + k * step, step > 0, until it is not below b: all of them places on the line. */
static Solution until_not_below(unsigned width, uint64_t a, uint64_t step, uint64_t b)
{
    if (a >= b)
        return fixed(0);
    uint64_t distance = b - a, k = distance / step + (distance % step != 0);
    uint64_t beyond = distance % step ? step - distance % step : 0;
    if (beyond > ptx_width_mask(width) - b)
        return failed("the counter may wrap around");
    return fixed(k);
}

/* x(k) = a - k * speed, unsigned, below b until it wraps around zero: how a loop that runs down to
 * zero may be written. */
static Solution until_below_zero(unsigned width, uint64_t a, uint64_t speed, uint64_t b)
{
    uint64_t below = speed - a % speed;         /* how far under zero */
    if (ptx_width_mask(width) - (below - 1) < b)
        return failed("the counter may wrap around");
    return fixed(a / speed + 1);
}

/* The other order: ~y < ~x is x < y, and ~(y + k s) is ~y - k s. */
static void mirror(uint64_t *a, uint64_t *a_step, uint64_t *b, uint64_t *b_step)
{
    uint64_t value = *a, step = *a_step;
    *a = ~*b;
    *a_step = 0 - *b_step;
    *b = ~value;
    *b_step = 0 - step;
}

/* Both sides move: they meet at the relative speed, if neither wraps before. */
static Solution both_move(SymKind kind, unsigned width, uint64_t a, uint64_t a_step, uint64_t b,
                          uint64_t b_step)
{
    int64_t s = ptx_width_signed(width, a_step), t = ptx_width_signed(width, b_step),
            room = INT64_C(1) << 40;
    int64_t x = is_signed_compare(kind) ? ptx_width_signed(width, a) : (int64_t)a;
    int64_t y = is_signed_compare(kind) ? ptx_width_signed(width, b) : (int64_t)b;
    if (width > 32)
        return failed("the counter and the bound both change");
    if (s <= t || s > room || t < -room)
        return x < y ? failed("the counter may wrap around") : fixed(0);
    int64_t k = x < y ? (y - x + (s - t) - 1) / (s - t) : 0;
    int64_t low = is_signed_compare(kind) ? -ptx_width_signed_top(width) - 1 : 0;
    int64_t high =
        is_signed_compare(kind) ? ptx_width_signed_top(width) : (int64_t)ptx_width_mask(width);
    int64_t x_end, y_end;
    if (__builtin_mul_overflow(s, k, &x_end) || __builtin_mul_overflow(t, k, &y_end)
        || __builtin_add_overflow(x_end, x, &x_end) || __builtin_add_overflow(y_end, y, &y_end)
        || x_end < low || x_end > high || y_end < low || y_end > high)
        return failed("the counter may wrap around");
    return fixed((uint64_t)k);
}

static Solution order(SymKind kind, unsigned width, uint64_t a, uint64_t a_step, uint64_t b,
                      uint64_t b_step)
{
    uint64_t mask = ptx_width_mask(width);
    if (!(a_step & mask) && b_step & mask)
        mirror(&a, &a_step, &b, &b_step);
    a_step &= mask;
    b_step &= mask;
    uint64_t x = place_on_line(kind, width, a), y = place_on_line(kind, width, b);
    if (kind == SYM_LE_U || kind == SYM_LE_S) {
        if (!b_step && y == mask)
            return fixed(FOREVER);
        if (b_step)
            return x > y ? fixed(0) : failed("the counter and the bound both change");
        y++;
    }
    if (b_step)
        return both_move(kind, width, a & mask, a_step, b & mask, b_step);
    if (x >= y)
        return fixed(0);
    if (!a_step)
        return fixed(FOREVER);
    if (ptx_width_signed(width, a_step) >= 0)
        return until_not_below(width, x, a_step, y);
    if (is_signed_compare(kind))
        return failed("the counter moves away from the bound until it wraps around");
    return until_below_zero(width, x, (0 - a_step) & mask, y);
}

/* Until the difference is 0, modulo 2^width. */
static Solution until_equal(unsigned width, uint64_t ahead, uint64_t step)
{
    int64_t s = ptx_width_signed(width, step);
    if (s < 0)
        ahead = 0 - ahead;
    uint64_t distance = ahead & ptx_width_mask(width);
    uint64_t speed = s < 0 ? 0 - (uint64_t)s : (uint64_t)s;
    if (!distance)
        return fixed(0);
    if (!s)
        return fixed(FOREVER);
    return distance % speed ? failed("the step may miss the bound") : fixed(distance / speed);
}

Solution ptx_recurrence_solve_values(SymKind kind, unsigned width, uint64_t a, uint64_t a_step,
                                     uint64_t b, uint64_t b_step)
{
    uint64_t mask = ptx_width_mask(width);
    if (kind == SYM_NE)
        return until_equal(width, (b - a) & mask, (a_step - b_step) & mask);
    if (kind == SYM_EQ && ((a - b) & mask))
        return fixed(0);
    if (kind == SYM_EQ)
        return fixed((a_step - b_step) & mask ? 1 : FOREVER);
    return order(kind, width, a, a_step, b, b_step);
}

static Solution wide(void)
{
    return (Solution){ .status = SOLVED_WIDE };
}

/* Both answers hold at the corners; between them they move one way, for a and b each. */
static Solution solution_between(Solution least, Solution most)
{
    if (least.status != SOLVED || most.status != SOLVED || least.max > most.min)
        return wide();
    return (Solution){ .status = SOLVED, .min = least.min, .max = most.max };
}

static void bounds_of(const Interval *range, SymKind kind, uint64_t *low, uint64_t *high)
{
    *low = is_signed_compare(kind) ? (uint64_t)range->smin : range->umin;
    *high = is_signed_compare(kind) ? (uint64_t)range->smax : range->umax;
}

Solution ptx_recurrence_solve_order(SymKind kind, unsigned width, const Interval *a,
                                    const Interval *a_step, const Interval *b,
                                    const Interval *b_step)
{
    bool a_moves = a_step->umin || a_step->umax, b_moves = b_step->umin || b_step->umax;
    if (ptx_interval_is_point(a) && ptx_interval_is_point(b) && ptx_interval_is_point(a_step)
        && ptx_interval_is_point(b_step))
        return ptx_recurrence_solve_values(kind, width, a->umin, a_step->umin, b->umin,
                                           b_step->umin);
    if (!ptx_interval_is_point(a_step) || !ptx_interval_is_point(b_step) || (a_moves && b_moves))
        return wide();
    uint64_t a_low, a_high, b_low, b_high;
    bounds_of(a, kind, &a_low, &a_high);
    bounds_of(b, kind, &b_low, &b_high);
    int64_t s = ptx_width_signed(width, a_step->umin), t = ptx_width_signed(width, b_step->umin);
    uint64_t speed = s > 0 ? (uint64_t)s : 0 - (uint64_t)t;
    Solution least = order(kind, width, a_high, a_step->umin, b_low, b_step->umin);
    if (s < 0 || t > 0) /* moves away: known only where it fails at once, for all of them */
        return order(kind, width, a_low, 0, b_high, 0).max == 0 ? fixed(0) : wide();
    uint64_t top = a_moves ? place_on_line(kind, width, b_high)
                           : ptx_width_mask(width) - place_on_line(kind, width, a_low);
    if ((a_moves || b_moves)
        && speed > ptx_width_mask(width) - top) /* a last step out of the width */
        return wide();
    return solution_between(least, order(kind, width, a_low, a_step->umin, b_high, b_step->umin));
}

Solution ptx_recurrence_solve_unequal(unsigned width, const Interval *ahead, const Interval *behind,
                                      const Interval *step, bool is_multiple)
{
    if (!ptx_interval_is_point(step))
        return wide();
    if (ptx_interval_is_point(ahead))
        return until_equal(width, ahead->umin, step->umin);
    int64_t s = ptx_width_signed(width, step->umin);
    if (!s)
        return ahead->umin ? fixed(FOREVER) : wide();
    uint64_t speed = s < 0 ? 0 - (uint64_t)s : (uint64_t)s;
    const Interval *distance = s < 0 ? behind : ahead;
    if (!is_multiple && speed != 1)
        return wide();
    return (
        Solution){ .status = SOLVED, .min = distance->umin / speed, .max = distance->umax / speed };
}
