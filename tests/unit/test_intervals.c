/* test_intervals.c -- operations on numbers of 1 to 64 bits, by what the PTX ISA says of each, and
 * how narrow the intervals of results are. */
#include "kit.h"

#include "analysis/value/interval.h"

typedef __int128 Whole;

static Whole plain(unsigned width, uint64_t value, bool is_signed)
{
    return is_signed ? (Whole)ptx_width_signed(width, value) : (Whole)value;
}

static bool is_signed_kind(SymKind kind)
{
    return kind == SYM_MULHI_S || kind == SYM_DIV_S || kind == SYM_REM_S || kind == SYM_SHR_S
           || kind == SYM_MIN_S || kind == SYM_MAX_S || kind == SYM_LT_S || kind == SYM_LE_S;
}

/* Shifts by more than the width are by the width. */
static Whole shifted(SymKind kind, unsigned width, uint64_t a, uint64_t b)
{
    const unsigned by = b < width ? (unsigned)b : width;
    return kind == SYM_SHL ? (Whole)((unsigned __int128)a << by)
                           : plain(width, a, kind == SYM_SHR_S) >> by;
}

/* False: not defined. */
static bool reckon(SymKind kind, unsigned width, uint64_t a, uint64_t b, Whole *out)
{
    const bool is_signed = is_signed_kind(kind);
    const Whole x = plain(width, a, is_signed), y = plain(width, b, is_signed);
    const bool is_quotient = kind >= SYM_DIV_U && kind <= SYM_REM_S;
    if (is_quotient && (!y || (y == -1 && x == -((Whole)1 << (width - 1)))))
        return false;
    switch (kind) {
    case SYM_MUL:                       *out = (Whole)((unsigned __int128)a * b); return true;
    case SYM_MULHI_U: *out = (Whole)((unsigned __int128)a * b >> width); return true;
    case SYM_MULHI_S: *out = x * y >> width; return true;
    case SYM_DIV_U: case SYM_DIV_S:     *out = x / y; return true;
    case SYM_REM_U: case SYM_REM_S:     *out = x % y; return true;
    case SYM_SHL: case SYM_SHR_U: case SYM_SHR_S: *out = shifted(kind, width, a, b); return true;
    case SYM_AND:                       *out = (Whole)(a & b); return true;
    case SYM_OR:                        *out = (Whole)(a | b); return true;
    case SYM_XOR:                       *out = (Whole)(a ^ b); return true;
    case SYM_MIN_U: case SYM_MIN_S:     *out = x < y ? x : y; return true;
    case SYM_MAX_U: case SYM_MAX_S:     *out = x > y ? x : y; return true;
    case SYM_EQ:                        *out = a == b; return true;
    case SYM_NE:                        *out = a != b; return true;
    case SYM_LT_U: case SYM_LT_S:       *out = x < y; return true;
    case SYM_LE_U: case SYM_LE_S:       *out = x <= y; return true;
    default:                            return false;
    }
}

static void check_fold(SymKind kind, unsigned width, uint64_t a, uint64_t b)
{
    Whole want = 0;
    uint64_t got = 0;
    const bool is_wanted = reckon(kind, width, a, b, &want);
    const uint64_t mask = ptx_width_mask(width);
    if (ptx_number_fold(kind, width, a, b, &got) != is_wanted)
        fail_msg("operation %d of %u bits: %#llx, %#llx: wrongly %s", (int)kind, width,
                 (unsigned long long)a, (unsigned long long)b, is_wanted ? "unknown" : "known");
    if (is_wanted && ((got ^ (uint64_t)want) & mask))
        fail_msg("operation %d of %u bits: %#llx, %#llx is %#llx, not %#llx", (int)kind, width,
                 (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
                 (unsigned long long)((uint64_t)want & mask));
}

static void test_numbers(void **state)
{
    (void)state;
    static const unsigned widths[] = { 1, 3, 8, 16, 32, 64 };
    static const uint64_t ends[] = { 0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 0x55, 0x7f, 0x80, 0xfe };
    for (int kind = SYM_MUL; kind <= SYM_LE_S; kind++)
        for (size_t w = 0; w < COUNT(widths); w++)
            for (size_t i = 0; i < 4 * COUNT(ends) * COUNT(ends); i++) {
                const uint64_t mask = ptx_width_mask(widths[w]);
                const uint64_t x = ends[i / 4 % COUNT(ends)], y = ends[i / 4 / COUNT(ends)];
                check_fold((SymKind)kind, widths[w], (i & 1 ? ~x : x) & mask,
                           (i & 2 ? ~y : y) & mask);
            }
}

static void test_widths(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 64; width++) {
        const int64_t top = width == 64 ? INT64_MAX : (INT64_C(1) << (width - 1)) - 1;
        assert_int_equal(ptx_width_signed_top(width), top);
        assert_int_equal(ptx_width_signed(width, (uint64_t)top + 1), -top - 1);
        assert_int_equal(ptx_width_signed(width, ptx_width_mask(width)), -1);
        assert_true(ptx_width_fits(width, top) && ptx_width_fits(width, -top - 1));
        assert_true(width == 64
                    || (!ptx_width_fits(width, top + 1) && !ptx_width_fits(width, -top - 2)));
        assert_int_equal(ptx_number_zeros(width, 0), width);
        for (unsigned bit = 0; bit < width; bit++) {
            const uint64_t one = UINT64_C(1) << bit, more = one | UINT64_C(1) << (width - 1);
            assert_int_equal(ptx_number_zeros(width, one), bit);
            assert_int_equal(ptx_number_zeros(width, more), bit);
            assert_true(ptx_number_is_power(one));
            assert_int_equal(ptx_number_is_power(more), more == one);
        }
    }
    assert_false(ptx_number_is_power(0));
}

/* The narrowest interval of results, as the few operands give it; of 8 bits. */
static const struct { SymKind kind; Interval a, b; int64_t low, high; bool is_signed; } narrow[] = {
    { SYM_DIV_U, { 10, 20, 10, 20 }, { 2, 5, 2, 5 }, 2, 10, false },
    { SYM_REM_U, { 3, 90, 3, 90 }, { 4, 8, 4, 8 }, 0, 7, false },
    { SYM_REM_U, { 3, 5, 3, 5 }, { 9, 20, 9, 20 }, 3, 5, false },
    { SYM_DIV_S, { 0, 255, -20, 20 }, { 2, 4, 2, 4 }, -10, 10, true },
    { SYM_REM_S, { 0, 255, -20, 20 }, { 3, 8, 3, 8 }, -7, 7, true },
    { SYM_REM_S, { 0, 255, -2, 20 }, { 8, 8, 8, 8 }, -2, 7, true },
    { SYM_SHR_U, { 16, 64, 16, 64 }, { 2, 2, 2, 2 }, 4, 16, false },
    { SYM_MIN_U, { 1, 9, 1, 9 }, { 4, 20, 4, 20 }, 1, 9, false },
    { SYM_MAX_U, { 1, 9, 1, 9 }, { 4, 20, 4, 20 }, 4, 20, false },
    { SYM_MIN_S, { 0, 255, -5, 9 }, { 4, 20, 4, 20 }, -5, 9, true },
    { SYM_MAX_S, { 0, 255, -5, 9 }, { 4, 20, 4, 20 }, 4, 20, true },
    { SYM_AND, { 0, 200, -128, 127 }, { 7, 7, 7, 7 }, 0, 7, false },
    { SYM_MUL, { 2, 5, 2, 5 }, { 3, 10, 3, 10 }, 6, 50, false },
    { SYM_LT_U, { 1, 3, 1, 3 }, { 4, 9, 4, 9 }, 1, 1, false },
    { SYM_LE_U, { 5, 9, 5, 9 }, { 1, 4, 1, 4 }, 0, 0, false },
    { SYM_LT_S, { 0, 255, -9, -1 }, { 0, 9, 0, 9 }, 1, 1, false },
    { SYM_EQ, { 1, 3, 1, 3 }, { 4, 9, 4, 9 }, 0, 0, false },
    { SYM_NE, { 4, 4, 4, 4 }, { 4, 4, 4, 4 }, 0, 0, false },
};

static void test_narrow(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        const Interval got = ptx_interval_binary(narrow[i].kind, 8, &narrow[i].a, &narrow[i].b);
        const int64_t low = narrow[i].is_signed ? got.smin : (int64_t)got.umin,
                      high = narrow[i].is_signed ? got.smax : (int64_t)got.umax;
        if (low != narrow[i].low || high != narrow[i].high)
            fail_msg("row %zu: %lld to %lld", i, (long long)low, (long long)high);
    }
}

UNIT(intervals)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers),
                                        cmocka_unit_test(test_widths),
                                        cmocka_unit_test(test_narrow) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
