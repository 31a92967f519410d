/* oracle_parts.h -- more of oracle_ops.h: instructions on parts of words (video instructions, pairs
 * of floats, formats of 8 bits and fewer) a second time.
 *
 * In a row's registers, (h1) behind one is the part that is named, (-) a minus in front of it. */
#ifndef PTX_TESTS_ORACLE_PARTS_H
#define PTX_TESTS_ORACLE_PARTS_H

#include "oracle_ops.h"

#include <stdbool.h>

/* ---- video ----------------------------------------------------------------------------------- */

#define SB(x, i) s8((x) >> (8 * (i)))
#define UB(x, i) ((int64_t)((x) >> (8 * (i)) & 255))
#define SH(x, i) s16((x) >> (16 * (i)))
#define UH(x, i) ((int64_t)((x) >> (16 * (i)) & 0xffff))
#define S32(x) s32(x)
#define U32(x) ((int64_t)((x) & UINT32_MAX))
#define APART(x, y) ((x) < (y) ? (y) - (x) : (x) - (y))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define LARGER(x, y) ((x) < (y) ? (y) : (x))
#define TO_U32(x) within(x, 0, UINT32_MAX)
#define INTO_B(c, i, x) (((c) & ~(UINT64_C(255) << (8 * (i)))) | ((uint64_t)(x) & 255) << (8 * (i)))
#define INTO_H(c, i, x) \
    (((c) & ~(UINT64_C(0xffff) << (16 * (i)))) | ((uint64_t)(x)&0xffff) << (16 * (i)))

/* x / 2^by, downwards. */
static inline int64_t oracle_down(int64_t x, int by)
{
    int64_t divisor = INT64_C(1) << by, rest = x % divisor;
    return (x - rest) / divisor - (rest < 0);
}

typedef int64_t OraclePart(int64_t x, int64_t y);

static inline int64_t part_add(int64_t x, int64_t y) { return x + y; }
static inline int64_t part_sub(int64_t x, int64_t y) { return x - y; }
static inline int64_t part_apart(int64_t x, int64_t y) { return APART(x, y); }
static inline int64_t part_min(int64_t x, int64_t y) { return LESSER(x, y); }
static inline int64_t part_max(int64_t x, int64_t y) { return LARGER(x, y); }
static inline int64_t part_mean(int64_t x, int64_t y)
{
    return x + y < 0 ? oracle_down(x + y, 1) : (x + y + 1) / 2;
}
static inline int64_t part_ge(int64_t x, int64_t y) { return x >= y; }
static inline int64_t part_lt(int64_t x, int64_t y) { return x < y; }

static inline int64_t oracle_element(uint64_t a, uint64_t b, int at, int bits, bool is_signed)
{
    int count = 32 / bits;
    uint64_t word = at < count ? a : b, size = UINT64_C(1) << bits,
             x = (word >> (bits * (at % count))) % size;
    return is_signed && x >= size / 2 ? (int64_t)x - (int64_t)size : (int64_t)x;
}

/* Selectors are read from their ends; sat: 's', 'u', or ' '. */
static inline uint64_t oracle_simd(OraclePart *part, uint64_t a, uint64_t b, uint64_t c,
                                   const char *mask, const char *of_a, const char *of_b,
                                   bool is_a_signed, bool is_b_signed, char sat, bool adds)
{
    int count = (int)strlen(of_a), bits = 32 / count;
    int64_t half = INT64_C(1) << (bits - 1);
    uint64_t out = c;
    for (int i = 0; i < count; i++) {
        int64_t x = part(oracle_element(a, b, of_a[count - 1 - i] - '0', bits, is_a_signed),
                         oracle_element(a, b, of_b[count - 1 - i] - '0', bits, is_b_signed));
        if (!strchr(mask, '0' + i))
            continue;
        x = sat == 's'   ? (int64_t)within(x, -half, half - 1)
            : sat == 'u' ? (int64_t)within(x, 0, 2 * half - 1)
                         : x;
        out = adds ? out + (uint64_t)x : bits == 8 ? INTO_B(out, i, x) : INTO_H(out, i, x);
    }
    return out;
}

#define TWO(part, as, bs, sat, adds) oracle_simd(part, a, b, c, "10", "10", "32", as, bs, sat, adds)
#define FOUR(part, as, bs, sat, adds) \
    oracle_simd(part, a, b, c, "3210", "3210", "7654", as, bs, sat, adds)

#define ORACLE_VIDEO(X)                                                                                                                       \
    X("vadd.u32.u32.u32", "rrr", a + b)                                                                                                       \
    X("vadd.s32.s32.s32.sat", "rrr", sat32(S32(a) + S32(b)))                                                                                  \
    X("vadd.s32.u32.u32.sat", "rrr", sat32(U32(a) + U32(b))) X(                                                                               \
        "vadd.u32.s32.s32", "rr(b2)r(h1)",                                                                                                    \
        (uint64_t)(SB(a, 2) + SH(b, 1))) X("vadd.u32.s32.u32", "r(h0)r(b2)r(h0)r",                                                            \
                                           INTO_H(c, 0, SB(a, 2) + UH(b, 0)))                                                                 \
        X("vadd.s32.s32.s32", "r(b3)r(h1)rr", INTO_B(c, 3, SH(a, 1) + S32(b))) X(                                                             \
            "vadd.u32.u32.u32", "r(b0)rrr",                                                                                                   \
            INTO_B(c, 0, a + b)) X("vadd.s32.s32.s32.sat.add", "rrrr",                                                                        \
                                   sat32(S32(a) + S32(b)) + c) X("vsub.u32.u32.u32.sat", "rrr",                                               \
                                                                 TO_U32(U32(a) - U32(b)))                                                     \
            X("vsub.s32.s32.s32.add", "rrrr", a - b + c) X(                                                                                   \
                "vsub.s32.u32.s32",                                                                                                           \
                "rr(b3)r(b0)",                                                                                                                \
                (uint64_t)(UB(a, 3)                                                                                                           \
                           - SB(                                                                                                              \
                               b,                                                                                                             \
                               0))) X("vsub.s32.s32.s32.sat", "rr(h1)r", sat32(SH(a, 1) - S32(b)))                                            \
                X("vabsdiff.u32.u32.u32.add", "rrrr", APART(a, b) + c) X(                                                                     \
                    "vabsdiff."                                                                                                               \
                    "u32.s32."                                                                                                                \
                    "s32",                                                                                                                    \
                    "rrr",                                                                                                                    \
                    (uint64_t)                                                                                                                \
                        APART(                                                                                                                \
                            S32(a),                                                                                                           \
                            S32(b))) X("vabsdiff.s32.s32.u32", "rrr(h0)", (uint64_t)APART(S32(a), UH(b, 0)))                                  \
                    X("vmin.s32.s32.u32", "rr(b1)r(b3)", (uint64_t)LESSER(SB(a, 1), UB(b, 3))) X(                                             \
                        "vmin.s32.s32.s32.max",                                                                                               \
                        "rrrr",                                                                                                               \
                        (uint64_t)                                                                                                            \
                            LARGER(                                                                                                           \
                                LESSER(S32(a), S32(b)),                                                                                       \
                                S32(c))) X("vmax.u32.u32.u32.min", "rrrr",                                                                    \
                                           LESSER(LARGER(a, b), c))                                                                           \
                        X("vmax.s32.s32.s32", "r(h0)rr(b1)r",                                                                                 \
                          INTO_H(                                                                                                             \
                              c,                                                                                                              \
                              0,                                                                                                              \
                              LARGER(                                                                                                         \
                                  S32(a),                                                                                                     \
                                  SB(b,                                                                                                       \
                                     1)))) X("vshl.u32.u32.u32.clamp", "rrr", b > 31 ? 0 : a << b)                                            \
                            X("vshl.s32.s32.u32.wrap", "rrr", (uint64_t)(S32(a) * (INT64_C(1) << (b & 31)))) X(                               \
                                "vshl.u32.u32.u32.wrap.add", "rr(h1)r(b0)r",                                                                  \
                                ((uint64_t)UH(a, 1) << (b & 31))                                                                              \
                                    + c) X("vshr.s32.s32.u32.wrap", "rrr",                                                                    \
                                           oracle_shr_signed(a, b & 31, 32))                                                                  \
                                X("vshr.u32.u32.u32.clamp.max", "rrrr", LARGER(b > 31 ? 0 : a >> b, c)) X(                                    \
                                    "vshr.s32.s32.u32.clamp",                                                                                 \
                                    "r(b1)r(h1)rr",                                                                                           \
                                    INTO_B(                                                                                                   \
                                        c,                                                                                                    \
                                        1,                                                                                                    \
                                        oracle_down(                                                                                          \
                                            SH(a, 1),                                                                                         \
                                            b > 32                                                                                            \
                                                ? 32                                                                                          \
                                                : (int)b))) X("vset.s32.s32.lt", "rrr", IS_LESS_S)                                            \
                                    X("vset.u32.s32.ge", "rr(h0)r(b3)", UH(a, 0) >= SB(b, 3)) X(                                              \
                                        "vset.u32.u32.eq",                                                                                    \
                                        "r(b2)r(b0)r(b1)r",                                                                                   \
                                        INTO_B(                                                                                               \
                                            c,                                                                                                \
                                            2,                                                                                                \
                                            UB(a, 0)                                                                                          \
                                                == UB(                                                                                        \
                                                    b,                                                                                        \
                                                    1))) X("vset.s32.u32.gt.add", "rrrr",                                                     \
                                                           (S32(a) > U32(b))                                                                  \
                                                               + c)                                                                           \
                                        X("vset.s32.u32.ne", "rrr", S32(a) != U32(b)) X(                                                      \
                                            "vset.u32.u32.le.max",                                                                            \
                                            "rrrr",                                                                                           \
                                            LARGER((uint64_t)(a <= b),                                                                        \
                                                   c)) X("vmad.s32.s32.s32", "rrrr", a *b + c)                                                \
                                            X("vmad.s32.s32.s32.sat.shr7", "rrrr",                                                            \
                                              sat32(oracle_down(                                                                              \
                                                  S32(a) * S32(b)                                                                             \
                                                      + S32(c),                                                                               \
                                                  7))) X("vmad.u32.u32.u32.po", "rrrr", a *b + c + 1)                                         \
                                                X("vmad.s32.s32.s32.sat", "rr(-)rr",                                                          \
                                                  sat32(                                                                                      \
                                                      S32(c)                                                                                  \
                                                      - S32(a)                                                                                \
                                                            * S32(                                                                            \
                                                                b))) X("vmad.s32.u32.s32.sat."                                                \
                                                                       "shr15",                                                               \
                                                                       "rr(b1)r(h1)r",                                                        \
                                                                       sat32(                                                                 \
                                                                           oracle_down(UB(a, 1) * SH(b, 1)                                    \
                                                                                           + S32(                                             \
                                                                                               c),                                            \
                                                                                       15)))                                                  \
                                                    X("vmad.s32.s32.u32.sat", "rr(b0)r(b3)r(-)",                                              \
                                                      sat32(                                                                                  \
                                                          SB(a, 0) * UB(b, 3)                                                                 \
                                                          - S32(                                                                              \
                                                              c))) X("vadd2.u32.u32.u32", "rrrr",                                             \
                                                                     TWO(part_add, false, false, ' ', false))                                 \
                                                        X("vadd2.s32.s32.u32.sat",                                                            \
                                                          "r(h0)r(h21)r(h03)r",                                                               \
                                                          oracle_simd(                                                                        \
                                                              part_add,                                                                       \
                                                              a, b,                                                                           \
                                                              c,                                                                              \
                                                              "0", "21", "03", true, false,                                                   \
                                                              's', false)) X("vsub2.s32.s32.s32."                                             \
                                                                             "add",                                                           \
                                                                             "rrrr",                                                          \
                                                                             TWO(part_sub, true,                                              \
                                                                                 true, ' ', true))                                            \
                                                            X("vavrg2.s32.s32.s32", "rrrr",                                                   \
                                                              TWO(part_mean, true, true, ' ',                                                 \
                                                                  false))                                                                     \
                                                                X("vabsdiff2.u32.u32.u32.add",                                                \
                                                                  "r(h1)rrr",                                                                 \
                                                                  oracle_simd(                                                                \
                                                                      part_apart,                                                             \
                                                                      a, b,                                                                   \
                                                                      c,                                                                      \
                                                                      "1", "10", "32", false,                                                 \
                                                                      false, ' ',                                                             \
                                                                      true)) X("vmin2.s32.s32."                                               \
                                                                               "u32",                                                         \
                                                                               "rrrr",                                                        \
                                                                               TWO(part_min, true, false, ' ', false))                        \
                                                                    X("vmax2.u32.u32.s32.sat",                                                \
                                                                      "rrrr",                                                                 \
                                                                      TWO(part_max, false, true,                                              \
                                                                          'u', false))                                                        \
                                                                        X(                                                                    \
                                                                            "vset2.u32.s32."                                                  \
                                                                            "ge",                                                             \
                                                                            "rrrr",                                                           \
                                                                            TWO(part_ge, false,                                               \
                                                                                true,                                                         \
                                                                                ' ', false)) X("v"                                            \
                                                                                               "a"                                            \
                                                                                               "d"                                            \
                                                                                               "d"                                            \
                                                                                               "4"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "a"                                            \
                                                                                               "t",                                           \
                                                                                               "r"                                            \
                                                                                               "r"                                            \
                                                                                               "r"                                            \
                                                                                               "r",                                           \
                                                                                               FOUR(                                          \
                                                                                                   part_add, true, true, 's', false))         \
                                                                            X(                                                                \
                                                                                "vsub4.u32.u32."                                              \
                                                                                "u32.sat",                                                    \
                                                                                "r(b20)r(b0167)"                                              \
                                                                                "rr",                                                         \
                                                                                oracle_simd(                                                  \
                                                                                    part_sub,                                                 \
                                                                                    a, b, c,                                                  \
                                                                                    "20", "0167",                                             \
                                                                                    "7654", false,                                            \
                                                                                    false,                                                    \
                                                                                    'u', false)) X("vavrg4.u32.u32.u32",                      \
                                                                                                   "rrrr",                                    \
                                                                                                   FOUR(part_mean, false, false, ' ', false)) \
                                                                                X("vabsdiff4.u32."                                            \
                                                                                  "u32.u32."                                                  \
                                                                                  "add",                                                      \
                                                                                  "rrrr",                                                     \
                                                                                  FOUR(                                                       \
                                                                                      part_apart,                                             \
                                                                                      false,                                                  \
                                                                                      false,                                                  \
                                                                                      ' ',                                                    \
                                                                                      true)) X("v"                                            \
                                                                                               "a"                                            \
                                                                                               "b"                                            \
                                                                                               "s"                                            \
                                                                                               "d"                                            \
                                                                                               "i"                                            \
                                                                                               "f"                                            \
                                                                                               "f"                                            \
                                                                                               "4"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2"                                            \
                                                                                               "."                                            \
                                                                                               "s"                                            \
                                                                                               "3"                                            \
                                                                                               "2",                                           \
                                                                                               "r"                                            \
                                                                                               "r"                                            \
                                                                                               "r"                                            \
                                                                                               "r",                                           \
                                                                                               FOUR(part_apart, true, true, ' ', false))      \
                                                                                    X("vmin4.u32."                                            \
                                                                                      "u32.u32."                                              \
                                                                                      "add",                                                  \
                                                                                      "r(b3)rrr",                                             \
                                                                                      oracle_simd(                                            \
                                                                                          part_min,                                           \
                                                                                          a, b, c,                                            \
                                                                                          "3",                                                \
                                                                                          "3210",                                             \
                                                                                          "7654",                                             \
                                                                                          false,                                              \
                                                                                          false,                                              \
                                                                                          ' ',                                                \
                                                                                          true))                                              \
                                                                                        X("vmax4."                                            \
                                                                                          "s32."                                              \
                                                                                          "s32."                                              \
                                                                                          "s32",                                              \
                                                                                          "rrrr",                                             \
                                                                                          FOUR(                                               \
                                                                                              part_max,                                       \
                                                                                              true,                                           \
                                                                                              true,                                           \
                                                                                              ' ',                                            \
                                                                                              false))                                         \
                                                                                            X("vs"                                            \
                                                                                              "et"                                            \
                                                                                              "4."                                            \
                                                                                              "u3"                                            \
                                                                                              "2."                                            \
                                                                                              "s3"                                            \
                                                                                              "2."                                            \
                                                                                              "lt"                                            \
                                                                                              "."                                             \
                                                                                              "ad"                                            \
                                                                                              "d",                                            \
                                                                                              "rr"                                            \
                                                                                              "r"                                             \
                                                                                              "r",                                            \
                                                                                              FOUR(                                           \
                                                                                                  part_lt,                                    \
                                                                                                  false,                                      \
                                                                                                  true,                                       \
                                                                                                  ' ',                                        \
                                                                                                  true))                                      \
                                                                                                X("set."                                      \
                                                                                                  "lt."                                       \
                                                                                                  "u32."                                      \
                                                                                                  "f16x2",                                    \
                                                                                                  "rrr",                                      \
                                                                                                  BOTH(                                       \
                                                                                                      MASK_HF))                               \
                                                                                                    X("se"                                    \
                                                                                                      "t."                                    \
                                                                                                      "ge"                                    \
                                                                                                      ".s"                                    \
                                                                                                      "32"                                    \
                                                                                                      ".f"                                    \
                                                                                                      "16"                                    \
                                                                                                      "x"                                     \
                                                                                                      "2",                                    \
                                                                                                      "rr"                                    \
                                                                                                      "r",                                    \
                                                                                                      BOTH(                                   \
                                                                                                          OTHER_HF))
#define MASK_HF(x, y) (HF(x) < HF(y) ? 0xffffu : 0)
#define OTHER_HF(x, y) (HF(x) >= HF(y) ? 0xffffu : 0)

/* ---- floats of few bits ---------------------------------------------------------------------- */

/* others: how many of the highest codes are no numbers. */
typedef struct Few {
    int bits, digits, exponents, others;
} Few;

static const Few e4m3 = { 8, 4, 4, 1 }, e5m2 = { 8, 3, 5, 4 }, e2m3 = { 6, 4, 2, 0 },
                 e3m2 = { 6, 3, 3, 0 }, e2m1 = { 4, 2, 2, 0 };

static inline double few_number(Few f, int code)
{
    int rest = code % (1 << (f.digits - 1)), field = code >> (f.digits - 1),
        bias = (1 << (f.exponents - 1)) - 1;
    return field ? ldexp(rest + (1 << (f.digits - 1)), field - bias - f.digits + 1)
                 : ldexp(rest, 2 - bias - f.digits);
}

/* The nearest of all codes, of two the even one; what is beyond the largest is that; NaN where
 * there is one. */
static inline uint64_t few_of(Few f, double x)
{
    int codes = (1 << (f.bits - 1)) - f.others, best = 0;
    if (x != x)
        return (1u << (f.bits - 1)) - 1;
    double size = fmin(fabs(x), few_number(f, codes - 1));
    for (int code = 1; code < codes; code++) {
        double better = fabs(size - few_number(f, best)) - fabs(size - few_number(f, code));
        if (better > 0 || (better == 0 && code % 2 == 0))
            best = code;
    }
    return (uint64_t)best | (uint64_t)(signbit(x) != 0) << (f.bits - 1);
}

static inline double few_value(Few f, uint64_t code)
{
    int own = (int)(code & ((1u << (f.bits - 1)) - 1)), last = (1 << (f.bits - 1)) - 1;
    double size = own <= last - f.others             ? few_number(f, own)
                  : f.others == 4 && own == last - 3 ? (double)INFINITY
                                                     : (double)NAN;
    return code >> (f.bits - 1) & 1 ? -size : size;
}

static inline double clipped(double x) { return x != x ? x : x > 0 ? x : 0; }
static inline uint64_t finite_of(uint64_t bits, uint64_t infinity)
{
    return (bits & 0x7fff) == infinity ? bits - 1 : bits;
}

/* Powers of two: the least that is not below, or the largest that is not above. */
static inline uint64_t scale_of(double x, char round, bool is_finite)
{
    int code = 0;
    if (x != x)
        return 255;
    x = fabs(x);
    while (code < 255 && (round == 'p' ? ldexp(1, code - 127) < x : ldexp(1, code + 1 - 127) <= x))
        code++;
    return code == 255 && is_finite ? 254 : (uint64_t)code;
}
static inline double scale_value(uint64_t code)
{
    return (code & 255) == 255 ? (double)NAN : ldexp(1, (int)(code & 255) - 127);
}

#define HALVES(f, x, y) (f(x) << 16 | f(y))
#define FEWS(f, shift, x, y) (few_of(f, x) << (shift) | few_of(f, y))
#define PAIR(f)                                                       \
    ((f((a)&UINT32_MAX, (b)&UINT32_MAX, (c)&UINT32_MAX) & UINT32_MAX) \
     | f((a) >> 32, (b) >> 32, (c) >> 32) << 32)
#define SUM_2(x, y, z) bits_of_f32(f32_of(x) + f32_of(y))
#define DIFFERENCE_2(x, y, z) bits_of_f32(rounded_f32(FE_TOWARDZERO, '+', f32_of(x), -f32_of(y), 0))
#define PRODUCT_2(x, y, z) bits_of_f32(rounded_f32(FE_UPWARD, '*', f32_of(x), f32_of(y), 0))
#define FMA_2(x, y, z) bits_of_f32(fmaf(f32_of(x), f32_of(y), f32_of(z)))
#define H1 HF(a >> 16)
#define H0 HF(a)
#define B1 BF(a >> 16)
#define B0 BF(a)
#define SIGNED_AS(sign, size) (((sign) ? 0x80000000u : 0) | (bits_of_f32(size) & 0x7fffffff))
#define LESSER_SIZE \
    SIGNED_AS((a ^ b) >> 31, (float)oracle_lesser(fabs((double)FA), fabs((double)FB)))
#define LARGER_SIZE \
    SIGNED_AS((a ^ b) >> 31, -(float)oracle_lesser(-fabs((double)FA), -fabs((double)FB)))
#define LARGER_SIZE_H ((((a ^ b) & 0x8000)) | AS_H(-oracle_lesser(-fabs(HF(a)), -fabs(HF(b)))))
#define FMA_BF(x, y) \
    AS_B(clipped((double)((long double)BF(x) * (long double)BF(y) + (long double)BF(x))))

#define ORACLE_PAIRS(X)                                                                                    \
    X("add.rn.f32x2", "ddd", PAIR(SUM_2))                                                                  \
    X("sub.rz.f32x2", "ddd", PAIR(DIFFERENCE_2))                                                           \
    X("mul.rp.f32x2", "ddd", PAIR(PRODUCT_2)) X("fma.rn.f32x2", "dddd", PAIR(FMA_2)) X(                    \
        "add.f32.f16", "rhr",                                                                              \
        bits_of_f32((float)HF(a)                                                                           \
                    + FB)) X("sub.rz.f32.bf16", "rhr",                                                     \
                             bits_of_f32(rounded_f32(FE_TOWARDZERO, '+', (float)BF(a), -FB, 0)))           \
        X("fma.rn.f32.f16", "rhhr", bits_of_f32(fmaf((float)HF(a), (float)HF(b), FC))) X(                  \
            "fma.rn.relu.f16", "hhhh", AS_H(RELU_FMA)) X("cvt.rn.relu.f16.f32", "hr",                      \
                                                         AS_H(clipped((double)FA)))                        \
            X("cvt.rz.relu.bf16.f32", "hr",                                                                \
              bits_of_small((long double)clipped((double)FA), 8, 8, 'z'))                                  \
                X("cvt.rn.relu.f16x2.f32", "rrr",                                                          \
                  HALVES(AS_H, clipped((double)FA), clipped((double)FB)))                                  \
                    X("cvt.rn.satfinite.f16.f32", "hr", finite_of(AS_H(FA), 0x7c00)) X(                    \
                        "cvt.rn.satfinite.bf16x2.f32",                                                     \
                        "rrr",                                                                             \
                        finite_of(AS_B(FA), 0x7f80)                                                        \
                                << 16                                                                      \
                            | finite_of(AS_B(FB), 0x7f80))                                                 \
                        X("cvt.rn.satfinite.e4m3x2.f32", "hrr",                                            \
                          FEWS(e4m3, 8, (double)FA, (double)FB))                                           \
                            X("cvt.rn.satfinite.e5m2x2.f32", "hrr",                                        \
                              FEWS(e5m2, 8, (double)FA, (double)FB))                                       \
                                X("cvt.rn.satfinite.relu.e4m3x2.f32", "hrr",                               \
                                  FEWS(e4m3, 8, clipped((double)FA),                                       \
                                       clipped(                                                            \
                                           (double)                                                        \
                                               FB))) X("cvt.rn.satfinite.e5m2x2.f16x2", "hr",              \
                                                       FEWS(e5m2, 8, H1, H0))                              \
                                    X(                                                                     \
                                        "cvt.rn.satfinite.relu.e4m3x2.f16x2", "hr",                        \
                                        FEWS(e4m3, 8, clipped(H1),                                         \
                                             clipped(                                                      \
                                                 H0))) X("cvt.rn.f16x2.e4m3x2", "rh",                      \
                                                         HALVES(AS_H, few_value(e4m3, a >> 8),             \
                                                                few_value(e4m3, a & 255)))                 \
                                        X("cvt.rn.f16x2.e5m2x2", "rh",                                     \
                                          HALVES(AS_H, few_value(e5m2, a >> 8),                            \
                                                 few_value(e5m2, a & 255)))                                \
                                            X("cvt.rn.relu.f16x2.e5m2x2", "rh",                            \
                                              HALVES(AS_H, clipped(few_value(e5m2, a >> 8)),               \
                                                     clipped(few_value(e5m2, a & 255))))                   \
                                                X("cvt.rn.satfinite.e2m3x2.f32", "hrr",                    \
                                                  FEWS(e2m3, 8, NUMBER(FA, 7.5), NUMBER(FB, 7.5)))         \
                                                    X("cvt.rn.satfinite.e3m2x2.f32", "hrr",                \
                                                      FEWS(e3m2, 8, NUMBER(FA, 28),                        \
                                                           NUMBER(                                         \
                                                               FB,                                         \
                                                               28))) X("cvt.rn.f16x2.e2m3x2",              \
                                                                       "rh",                               \
                                                                       HALVES(AS_H,                        \
                                                                              few_value(e2m3,              \
                                                                                        a                  \
                                                                                                >> 8       \
                                                                                            & 63),         \
                                                                              few_value(e2m3,              \
                                                                                        a                  \
                                                                                            & 63)))        \
                                                        X("cvt.rn.f16x2.e3m2x2", "rh",                     \
                                                          HALVES(AS_H,                                     \
                                                                 few_value(e3m2, a >> 8 & 63),             \
                                                                 few_value(e3m2, a & 63)))                 \
                                                            X("cvt.rp.satfinite.ue8m0x2."                  \
                                                              "f32",                                       \
                                                              "hrr",                                       \
                                                              scale_of((double)FA, 'p', true) << 8         \
                                                                  | scale_of(                              \
                                                                      (                                    \
                                                                          double)FB,                       \
                                                                      'p',                                 \
                                                                      true)) X("cvt.rz."                   \
                                                                               "ue8m0x2."                  \
                                                                               "bf16x2",                   \
                                                                               "hr",                       \
                                                                               scale_of(B1,                \
                                                                                        'z', false)        \
                                                                                       << 8                \
                                                                                   | scale_of(B0,          \
                                                                                              'z', false)) \
                                                                X("cvt.rz.satfinite.ue8m0x2."              \
                                                                  "f32",                                   \
                                                                  "hrr",                                   \
                                                                  scale_of((double)FA, 'z', true)          \
                                                                          << 8                             \
                                                                      | scale_of((double)FB, 'z',          \
                                                                                 true))                    \
                                                                    X("cvt.rn.bf16x2.ue8m0x2",             \
                                                                      "rh",                                \
                                                                      HALVES(AS_B,                         \
                                                                             scale_value(a >> 8),          \
                                                                             scale_value(a)))              \
                                                                        X("min.xorsign.abs."               \
                                                                          "f32",                           \
                                                                          "rrr",                           \
                                                                          FA != FA && FB != FB             \
                                                                              ? 0x7fffffff                 \
                                                                              : LESSER_SIZE)               \
                                                                            X("max.NaN."                   \
                                                                              "xorsign.abs."               \
                                                                              "f32",                       \
                                                                              "rrr",                       \
                                                                              FA != FA || FB != FB         \
                                                                                  ? 0x7fffffff             \
                                                                                  : LARGER_SIZE)           \
                                                                                X("max."                   \
                                                                                  "xorsign."               \
                                                                                  "abs.f16",               \
                                                                                  "hhh",                   \
                                                                                  HF(a) != HF(a)           \
                                                                                          && HF(b)         \
                                                                                                 != HF(    \
                                                                                                     b)    \
                                                                                      ? 0x7fff             \
                                                                                      : LARGER_SIZE_H)
#define NUMBER(x, most) ((x) != (x) ? (most) : (double)(x))
#define RELU_FMA                                                                 \
    (HF(a) * HF(b) + HF(c) > 0 || HF(a) * HF(b) + HF(c) != HF(a) * HF(b) + HF(c) \
         ? (long double)HF(a) * (long double)HF(b) + (long double)HF(c)          \
         : 0)

/* Registers of 8 bits too, which random kernels have none of. */
#define ORACLE_QUARTERS(X)                                                               \
    X("cvt.rn.satfinite.e2m1x2.f32", "brr", FEWS(e2m1, 4, NUMBER(FA, 6), NUMBER(FB, 6))) \
    X("cvt.rn.f16x2.e2m1x2", "rb", HALVES(AS_H, few_value(e2m1, a >> 4), few_value(e2m1, a & 15)))

#endif
