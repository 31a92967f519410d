/* Floats to the last bit, whatever the format and the rounding: each number is an integer times a
 * power of two, results are exact in 128 bits but for what is too small to matter, which leaves a
 * mark ("sticky"; Goldberg, "What Every Computer Scientist Should Know About Floating-Point
 * Arithmetic", 1991), and are rounded once. PTX ISA, "Floating-Point Instructions", "Half Precision
 * Floating-Point Instructions", "cvt". */
#include "analysis/sim/lane.h"
#include "analysis/sim/value.h"
#include "isa/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Mantissa;

/* What the largest exponent stands for: infinity and NaN; numbers but for one NaN, all ones;
 * numbers. */
typedef enum Top { TOP_INFINITY, TOP_NAN, TOP_NUMBERS } Top;

typedef struct LanefloatFormat {
    /* unused: below the number in its register */
    uint8_t precision, exponent_bits, unused_bits;
    uint8_t top;                /* Top */
} LanefloatFormat;

typedef enum SoftClass { SOFT_ZERO, SOFT_FINITE, SOFT_INFINITE, SOFT_NAN } SoftClass;

typedef struct Soft {
    SoftClass class;
    bool is_negative, is_sticky;        /* sticky: a little more than the mantissa says */
    Mantissa mantissa;
    int exponent;
} Soft;

/* Of a number, or of each of those that stand side by side. precision 0: no format of these. */
static LanefloatFormat format_of(Type type)
{
    switch (type) {
    case TYPE_F16: case TYPE_F16X2:     return (LanefloatFormat){ 11, 5, 0, TOP_INFINITY };
    case TYPE_BF16: case TYPE_BF16X2:   return (LanefloatFormat){ 8, 8, 0, TOP_INFINITY };
    case TYPE_TF32:                     return (LanefloatFormat){ 11, 8, 13, TOP_INFINITY };
    case TYPE_F32: case TYPE_F32X2:     return (LanefloatFormat){ 24, 8, 0, TOP_INFINITY };
    case TYPE_F64:                      return (LanefloatFormat){ 53, 11, 0, TOP_INFINITY };
    case TYPE_E4M3X2:                   return (LanefloatFormat){ 4, 4, 0, TOP_NAN };
    case TYPE_E5M2X2:                   return (LanefloatFormat){ 3, 5, 0, TOP_INFINITY };
    case TYPE_E2M3X2:                   return (LanefloatFormat){ 4, 2, 0, TOP_NUMBERS };
    case TYPE_E3M2X2:                   return (LanefloatFormat){ 3, 3, 0, TOP_NUMBERS };
    case TYPE_E2M1X2:                   return (LanefloatFormat){ 2, 2, 0, TOP_NUMBERS };
    default:                            return (LanefloatFormat){ 0, 0, 0, TOP_INFINITY };
    }
}

bool ptx_lane_is_format(Type type)
{
    return format_of(type).precision != 0;
}

static int bias_of(LanefloatFormat f)
{
    return (1 << (f.exponent_bits - 1)) - 1;
}

static Soft decode(uint64_t bits, LanefloatFormat f, bool is_flushing)
{
    unsigned fraction_bits = f.precision - 1u;
    bits >>= f.unused_bits;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1),
             field = bits >> fraction_bits & ((UINT64_C(1) << f.exponent_bits) - 1);
    Soft out = { .is_negative = bits >> (fraction_bits + f.exponent_bits) & 1 };
    bool is_top = field == (UINT64_C(1) << f.exponent_bits) - 1,
         is_last = fraction == (UINT64_C(1) << fraction_bits) - 1;
    if (is_top && (f.top == TOP_INFINITY || (f.top == TOP_NAN && is_last))) {
        out.class = fraction ? SOFT_NAN : SOFT_INFINITE;
    } else if (field || (fraction && !is_flushing)) {
        out.class = SOFT_FINITE;
        out.mantissa = fraction | (field ? UINT64_C(1) << fraction_bits : 0);
        out.exponent = (int)(field ? field : 1) - bias_of(f) - (int)fraction_bits;
    }
    return out;
}

static int width_of(Mantissa mantissa)
{
    uint64_t high = (uint64_t)(mantissa >> 64), low = (uint64_t)mantissa;
    if (high)
        return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* 2 * what is cut off, against one in the last place kept: below 1, equal, above. */
static int half_of(const Soft *x, int cut)
{
    if (cut <= 0)
        return x->is_sticky ? -1 : -2;
    if (cut > 128)
        return x->mantissa || x->is_sticky ? -1 : -2;
    Mantissa half = (Mantissa)1 << (cut - 1),
             rest = cut == 128 ? x->mantissa : x->mantissa & (((Mantissa)1 << cut) - 1);
    if (!rest && !x->is_sticky)
        return -2;
    if (rest == half)
        return x->is_sticky;
    return rest > half ? 1 : -1;
}

static bool rounds_up(char round, bool is_negative, int half, bool is_odd)
{
    switch (round) {
    case 'z': return false;
    case 'm': return is_negative && half > -2;
    case 'p': return !is_negative && half > -2;
    case 'a': return half >= 0;
    default:  return half > 0 || (half == 0 && is_odd);
    }
}

static Mantissa mantissa_shifted(Mantissa mantissa, int right)
{
    if (right >= 128)
        return 0;
    return right >= 0 ? mantissa >> right : mantissa << -right;
}

/* The largest number with a 0 for its sign. */
static uint64_t largest_of(LanefloatFormat f, uint64_t infinity, uint64_t all)
{
    switch (f.top) {
    case TOP_INFINITY: return infinity - 1;
    case TOP_NAN:      return all - 1;
    default:           return all;
    }
}

/* is_finite: what is too large is the largest number. Formats without infinity have no other way;
 * without NaN, it is that too. */
static uint64_t encode(Soft x, LanefloatFormat f, char round, bool is_flushing, bool is_finite)
{
    unsigned fraction_bits = f.precision - 1u, sign_at = fraction_bits + f.exponent_bits;
    uint64_t all = (UINT64_C(1) << sign_at) - 1, infinity = all >> fraction_bits << fraction_bits,
             sign = (uint64_t)x.is_negative << sign_at, bits = 0;
    uint64_t largest = largest_of(f, infinity, all);
    is_finite |= f.top != TOP_INFINITY;
    if (x.class == SOFT_NAN)
        return f.unused_bits ? 0x7fffffff : all;
    if (x.class == SOFT_INFINITE)
        return ((is_finite ? largest : infinity) | sign) << f.unused_bits;
    if (x.class == SOFT_FINITE) {
        int least = 1 - bias_of(f) - (int)fraction_bits,
            last = x.exponent + width_of(x.mantissa) - f.precision;
        last = last < least ? least : last;
        int cut = last - x.exponent, half = half_of(&x, cut);
        Mantissa kept = mantissa_shifted(x.mantissa, cut);
        /* the exponent's field, but for one where the first bit is set */
        Mantissa place = (Mantissa)(last - least) << fraction_bits;
        Mantissa whole = place + kept + rounds_up(round, x.is_negative, half, kept & 1);
        bool is_too_large = whole > largest, goes_up = round != 'z'
                                                       && (round != 'm' || x.is_negative)
                                                       && (round != 'p' || !x.is_negative);
        bits = is_finite || !goes_up ? largest : infinity;
        if (!is_too_large)
            bits = (uint64_t)whole;
        if (is_flushing && !(bits >> fraction_bits))
            bits = 0;
    }
    return (bits | sign) << f.unused_bits;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static const Soft not_a_number = { .class = SOFT_NAN };

static Soft product(Soft a, Soft b)
{
    Soft out = { .is_negative = a.is_negative != b.is_negative };
    if (a.class == SOFT_NAN || b.class == SOFT_NAN)
        return not_a_number;
    if (a.class == SOFT_INFINITE || b.class == SOFT_INFINITE) {
        if (a.class == SOFT_ZERO || b.class == SOFT_ZERO)
            return not_a_number;
        out.class = SOFT_INFINITE;
    } else if (a.class == SOFT_FINITE && b.class == SOFT_FINITE) {
        out.class = SOFT_FINITE;
        out.mantissa = a.mantissa * b.mantissa;
        out.exponent = a.exponent + b.exponent;
    }
    return out;
}

/* Up to where its first bit is the 126th: there is room for a carry, and for what sticks. */
static void lift(Soft *x)
{
    int by = 125 - width_of(x->mantissa);
    x->mantissa <<= by;
    x->exponent -= by;
}

static void lower_to(Soft *x, int exponent)
{
    int by = exponent - x->exponent;
    if (by <= 0)
        return;
    x->is_sticky = by >= 128 || x->mantissa & (((Mantissa)1 << by) - 1);
    x->mantissa = by >= 128 ? 0 : x->mantissa >> by;
    x->exponent = exponent;
}

static Soft sum(Soft a, Soft b, char round)
{
    if (a.class == SOFT_NAN || b.class == SOFT_NAN
        || (a.class == SOFT_INFINITE && b.class == SOFT_INFINITE && a.is_negative != b.is_negative))
        return not_a_number;
    if (a.class == SOFT_INFINITE || b.class == SOFT_INFINITE)
        return a.class == SOFT_INFINITE ? a : b;
    if (a.class == SOFT_ZERO && b.class == SOFT_ZERO) {
        a.is_negative = a.is_negative == b.is_negative ? a.is_negative : round == 'm';
        return a;
    }
    if (a.class == SOFT_ZERO || b.class == SOFT_ZERO)
        return a.class == SOFT_ZERO ? b : a;
    lift(&a);
    lift(&b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
        Soft other = a;
        a = b;
        b = other;
    }
    lower_to(&b, a.exponent);
    Soft out = a;
    out.is_sticky = b.is_sticky;
    out.mantissa = a.is_negative == b.is_negative ? a.mantissa + b.mantissa
                                                  : a.mantissa - b.mantissa - b.is_sticky;
    if (!out.mantissa && !out.is_sticky) {
        out.class = SOFT_ZERO;
        out.is_negative = round == 'm';
    }
    return out;
}

static Soft quotient(Soft a, Soft b)
{
    Soft out = { .is_negative = a.is_negative != b.is_negative };
    bool is_bad = (a.class == SOFT_ZERO && b.class == SOFT_ZERO)
                  || (a.class == SOFT_INFINITE && b.class == SOFT_INFINITE);
    if (is_bad || a.class == SOFT_NAN || b.class == SOFT_NAN)
        return not_a_number;
    if (a.class == SOFT_INFINITE || b.class == SOFT_ZERO) {
        out.class = SOFT_INFINITE;
    } else if (a.class == SOFT_FINITE && b.class == SOFT_FINITE) {
        lift(&a);
        out.class = SOFT_FINITE;
        out.mantissa = a.mantissa / b.mantissa;
        out.is_sticky = a.mantissa % b.mantissa != 0;
        out.exponent = a.exponent - b.exponent;
    }
    return out;
}

static Soft root(Soft a)
{
    if (a.class == SOFT_ZERO || a.class == SOFT_NAN)
        return a;
    if (a.is_negative)
        return not_a_number;
    if (a.class == SOFT_INFINITE)
        return a;
    lift(&a);
    if (a.exponent & 1) {
        a.mantissa <<= 1;
        a.exponent--;
    }
    Mantissa found = 0;
    for (Mantissa bit = (Mantissa)1 << 63; bit; bit >>= 1)
        if ((found | bit) * (found | bit) <= a.mantissa)
            found |= bit;
    return (Soft){ .class = SOFT_FINITE,
                   .mantissa = found,
                   .is_sticky = found * found != a.mantissa,
                   .exponent = a.exponent / 2 };
}

static Soft operand(const Lanewise *op, uint64_t bits)
{
    return decode(bits, format_of((Type)op->type), op->is_flushing && op->type != TYPE_F64);
}

static Soft opposite(Soft x)
{
    x.is_negative = !x.is_negative;
    return x;
}

/* .sat: to [0, 1], NaN to 0. .relu: no less than 0. */
static uint64_t result(const Lanewise *op, Soft x, Type type)
{
    LanefloatFormat f = format_of(type);
    uint64_t one = (uint64_t)bias_of(f) << (f.precision - 1);
    if (op->is_saturating && (x.class == SOFT_NAN || x.is_negative))
        return 0;
    if (op->is_relu && x.is_negative && x.class != SOFT_NAN)
        return 0;
    bool is_converted = type != op->type;       /* .ftz of cvt is for single floats */
    uint64_t bits = encode(x, f, (char)op->round,
                           op->is_flushing && (!is_converted || type == TYPE_F32), op->is_finite);
    return op->is_saturating && bits > one ? one : bits;
}

static uint64_t fn_add(LANE_OPERANDS)
{
    return result(op, sum(operand(op, a), operand(op, b), (char)op->round), (Type)op->type);
}
static uint64_t fn_sub(LANE_OPERANDS)
{
    return result(op, sum(operand(op, a), opposite(operand(op, b)), (char)op->round),
                  (Type)op->type);
}
static uint64_t fn_mul(LANE_OPERANDS)
{
    return result(op, product(operand(op, a), operand(op, b)), (Type)op->type);
}
static uint64_t fn_div(LANE_OPERANDS)
{
    return result(op, quotient(operand(op, a), operand(op, b)), (Type)op->type);
}
static uint64_t fn_sqrt(LANE_OPERANDS) { return result(op, root(operand(op, a)), (Type)op->type); }

static uint64_t fn_fma(LANE_OPERANDS)
{
    return result(op, sum(product(operand(op, a), operand(op, b)), operand(op, c), (char)op->round),
                  (Type)op->type);
}

/* Small floats beside a single one, which the result is too. */
static Soft single(uint64_t bits)
{
    return decode(bits, format_of(TYPE_F32), false);
}

static uint64_t fn_mixed_add(LANE_OPERANDS)
{
    return result(op, sum(operand(op, a), single(b), (char)op->round), (Type)op->dst_type);
}
static uint64_t fn_mixed_sub(LANE_OPERANDS)
{
    return result(op, sum(operand(op, a), opposite(single(b)), (char)op->round),
                  (Type)op->dst_type);
}
static uint64_t fn_mixed_mul(LANE_OPERANDS)
{
    return result(op, product(operand(op, a), single(b)), (Type)op->dst_type);
}

static uint64_t fn_mixed_fma(LANE_OPERANDS)
{
    return result(op, sum(product(operand(op, a), operand(op, b)), single(c), (char)op->round),
                  TYPE_F32);
}
static uint64_t fn_one_small_fma(LANE_OPERANDS)
{
    return result(op, sum(product(operand(op, a), single(b)), single(c), (char)op->round),
                  (Type)op->dst_type);
}

static uint64_t fn_rcp(LANE_OPERANDS)
{
    static const Soft one = { .class = SOFT_FINITE, .mantissa = 1 };
    return result(op, quotient(one, operand(op, a)), (Type)op->type);
}

/* ---- what only looks at numbers -------------------------------------------------------------- */

static uint64_t fn_neg(LANE_OPERANDS)
{
    return result(op, opposite(operand(op, a)), (Type)op->type);
}

static uint64_t fn_abs(LANE_OPERANDS)
{
    Soft x = operand(op, a);
    x.is_negative = false;
    return result(op, x, (Type)op->type);
}

static double number_of(Soft x)
{
    switch (x.class) {
    case SOFT_NAN:      return (double)NAN;
    case SOFT_INFINITE: return x.is_negative ? -(double)INFINITY : (double)INFINITY;
    default: {
        double value = ldexp((double)x.mantissa, x.exponent);
        return x.is_negative ? -value : value;
    }
    }
}

double ptx_lane_double(uint64_t a, Type type)
{
    return number_of(decode(a, format_of(type), false));
}

/* -0 is below +0; a NaN loses, but for .NaN. */
static Soft extreme_of(const Lanewise *op, Soft x, Soft y, bool is_max)
{
    bool is_nan_x = x.class == SOFT_NAN, is_nan_y = y.class == SOFT_NAN;
    if ((is_nan_x && is_nan_y) || (op->keeps_nan && (is_nan_x || is_nan_y)))
        return not_a_number;
    if (is_nan_x || is_nan_y)
        return is_nan_x ? y : x;
    double p = number_of(x), q = number_of(y);
    bool is_less = p < q || (!(p > q) && x.is_negative && !y.is_negative);
    return is_less != is_max ? x : y;
}

/* .abs: of the sizes. .xorsign: with the sign that the product would have. */
static uint64_t extreme(const Lanewise *op, uint64_t a, uint64_t b, bool is_max)
{
    Soft x = operand(op, a), y = operand(op, b);
    bool is_negative = op->is_xorsign && (a ^ b) >> (op->bits - 1) & 1;
    if (op->is_absolute)
        x.is_negative = y.is_negative = false;
    Soft found = extreme_of(op, x, y, is_max);
    if (op->is_absolute && found.class != SOFT_NAN)
        found.is_negative = is_negative;
    return result(op, found, (Type)op->type);
}

static uint64_t fn_min(LANE_OPERANDS) { return extreme(op, a, b, false); }
static uint64_t fn_max(LANE_OPERANDS) { return extreme(op, a, b, true); }

/* PTX ISA, "copysign": the sign of a, the rest of b. */
static uint64_t fn_copysign(LANE_OPERANDS)
{
    uint64_t sign = UINT64_C(1) << (op->bits - 1);
    return (a & sign) | (b & (sign - 1));
}

static uint64_t fn_testp(LANE_OPERANDS)
{
    LanefloatFormat f = format_of((Type)op->type);
    Soft x = decode(a, f, false);
    /* PTX ISA: zero counts as normal */
    bool is_normal = x.class == SOFT_ZERO
                     || (x.class == SOFT_FINITE && x.mantissa >> (f.precision - 1));
    switch (op->mode) {
    case 'f': return x.class == SOFT_ZERO || x.class == SOFT_FINITE;
    case 'i': return x.class == SOFT_INFINITE;
    case 'b': return x.class != SOFT_NAN;
    case 'a': return x.class == SOFT_NAN;
    case 'o': return is_normal;
    default:  return x.class == SOFT_FINITE && !is_normal;
    }
}

/* PTX ISA 9.4, "add", "sub", "mul", "fma": each half by itself. op->mode is the type of a; b and c
 * are single floats. */
static uint64_t fn_mixed_pair(LANE_OPERANDS)
{
    Lanewise half = *op;
    half.type = (uint8_t)ptx_lane_half((Type)op->mode);
    half.dst_type = (uint8_t)ptx_lane_half((Type)op->dst_type);
    half.bits = ptx_type_info[half.type].bits;
    unsigned to = ptx_type_info[half.dst_type].bits;
    uint64_t mask = ptx_lane_mask(half.bits),
             low = op->each(&half, a & mask, b & UINT32_MAX, c & UINT32_MAX, 0),
             high = op->each(&half, a >> half.bits & mask, b >> 32, c >> 32, 0);
    return high << to | (low & ptx_lane_mask(to));
}

static LaneFn *of_mixed_pair(const Op *from)
{
    switch (from->operation) {
    case OP_ADD:    return fn_mixed_add;
    case OP_SUB:    return fn_mixed_sub;
    case OP_MUL:    return fn_mixed_mul;
    case OP_FMA:    return fn_one_small_fma;
    default:        return NULL;
    }
}

/* Up from two small floats, or down to two of bfloat16, of which cutting off twice is cutting off
 * once. Down to .f16x2 is with .ftz alone: what that makes of a small result is not said. */
LaneFn *ptx_lane_mixed_pair(Lanewise *op, const Op *from)
{
    Type to = (Type)from->types[0], a = (Type)from->types[1];
    bool is_up = to == TYPE_F32X2 && (a == TYPE_F16X2 || a == TYPE_BF16X2),
         is_down = to == TYPE_BF16X2 && a == TYPE_F32X2 && op->round == 'z';
    for (unsigned t = 2; t < from->type_count; t++)
        if (from->types[t] != TYPE_F32X2)
            return NULL;
    if ((!is_up && !is_down) || op->is_flushing)
        return NULL;
    op->mode = (uint8_t)a;
    op->each = of_mixed_pair(from);
    op->is_pair = true;
    return op->each ? fn_mixed_pair : NULL;
}

LaneFn *ptx_lane_mixed(const Lanewise *op, Operation operation)
{
    bool is_small = op->type == TYPE_F16 || op->type == TYPE_BF16;
    if (!is_small || op->dst_type != TYPE_F32)
        return NULL;
    switch (operation) {
    case OP_ADD:    return fn_mixed_add;
    case OP_SUB:    return fn_mixed_sub;
    case OP_FMA:    return fn_mixed_fma;
    default:        return NULL;
    }
}

LaneFn *ptx_lane_float(const Lanewise *op, Operation operation)
{
    static LaneFn *const fns[OP__COUNT] = {
        [OP_ABS] = fn_abs, [OP_ADD] = fn_add, [OP_COPYSIGN] = fn_copysign, [OP_DIV] = fn_div, [OP_FMA] = fn_fma, [OP_MAD] = fn_fma, [OP_MAX] = fn_max,
        [OP_MIN] = fn_min, [OP_MUL] = fn_mul, [OP_NEG] = fn_neg, [OP_RCP] = fn_rcp, [OP_SQRT] = fn_sqrt, [OP_SUB] = fn_sub, [OP_TESTP] = fn_testp,
    };
    return ptx_lane_is_format((Type)op->type) ? fns[operation] : NULL;
}

/* ---- conversions ----------------------------------------------------------------------------- */

enum { BIAS_APART = 127 - 15, F16_CUT = 13 };       /* of single floats and of f16 */

/* Bits that a single float has behind the last one of the format; 0: of another than these. */
static unsigned cut_of(Type type)
{
    if (type == TYPE_BF16 || type == TYPE_BF16X2)
        return 16;
    return type == TYPE_F16 || type == TYPE_F16X2 ? F16_CUT : 0;
}

/* A normal number of half a word as a single float. False: it is none. */
static bool widens_half(uint32_t half, unsigned cut, uint64_t *out)
{
    const uint32_t field = (half & 0x7fff) >> (23 - cut), top = 0xff >> (16 - cut),
                   by = cut == F16_CUT ? BIAS_APART << 23 : 0;
    *out = (half & 0x8000) << 16 | (((half & 0x7fff) << cut) + by);
    return field && field < top;
}

/* To the nearest. False: it or what it becomes may be none of the normal numbers. */
static bool narrows_float(uint32_t bits, unsigned cut, uint64_t *out)
{
    const uint32_t field = bits >> 23 & 0xff, apart = cut == F16_CUT ? BIAS_APART : 0,
                   number = (bits & INT32_MAX) - (apart << 23);
    const uint32_t odd = number >> cut & 1;
    *out = (bits >> 16 & 0x8000) | ((number + (1u << (cut - 1)) - 1 + odd) >> cut);
    return field > apart && field < 0xfe - apart;
}

/* Where both are normal numbers, and the instruction says no more: without taking it apart. */
static bool moves_to_format(const Lanewise *op, uint64_t a, uint64_t *out)
{
    const unsigned from = cut_of((Type)op->type), to = cut_of((Type)op->dst_type);
    if (op->mode == 'i' || op->is_saturating || op->is_relu)
        return false;
    if (from && op->dst_type == TYPE_F32)
        return widens_half((uint32_t)a & 0xffff, from, out);
    return to && op->type == TYPE_F32 && op->round == 'n' && narrows_float((uint32_t)a, to, out);
}

static uint64_t fn_float_to_float(LANE_OPERANDS)
{
    uint64_t moved;
    if (moves_to_format(op, a, &moved))
        return moved;
    Soft x = operand(op, a);
    if (op->mode == 'i' && (x.class == SOFT_FINITE)) {
        bool is_negative = x.is_negative;
        Lanewise whole = { .dst_type = TYPE_S64, .round = op->round };
        double value = number_of(x);
        if (fabs(value) < 0x1p53) {
            x = (Soft){ .class = SOFT_FINITE,
                        .mantissa = (Mantissa)ptx_lane_integer(&whole, fabs(value)) };
            if ((op->round == 'm' || op->round == 'p')
                && is_negative) /* down and up change places */
                x.mantissa = (Mantissa)ptx_lane_integer(
                    &(Lanewise){ .dst_type = TYPE_S64, .round = op->round == 'm' ? 'p' : 'm' },
                    fabs(value));
            x.class = x.mantissa ? SOFT_FINITE : SOFT_ZERO;
            x.is_negative = is_negative;
        }
    }
    return result(op, x, (Type)op->dst_type);
}

static uint64_t fn_float_to_integer(LANE_OPERANDS)
{
    return ptx_lane_integer(op, number_of(operand(op, a)));
}

static uint64_t fn_integer_to_float(LANE_OPERANDS)
{
    a = ptx_lane_extend(a, (Type)op->type);
    bool is_negative = op->is_signed && (int64_t)a < 0;
    uint64_t size = is_negative ? 0 - a : a;
    Soft x = { .class = a ? SOFT_FINITE : SOFT_ZERO,
               .is_negative = is_negative,
               .mantissa = size };
    return result(op, x, (Type)op->dst_type);
}

/* Powers of two, of which the exponent is all there is: what lies between goes down or up, what is
 * smaller than all of them is the smallest. */
enum { SCALE_NAN = 0xff, SCALE_BIAS = 127 };

static uint64_t fn_float_to_scale(LANE_OPERANDS)
{
    Soft x = operand(op, a);
    if (x.class == SOFT_NAN || x.class == SOFT_ZERO)
        return x.class == SOFT_NAN ? SCALE_NAN : 0;
    int field = x.exponent + width_of(x.mantissa) - 1 + SCALE_BIAS;
    bool is_power = !(x.mantissa & (x.mantissa - 1));
    if (op->round == 'p' && !is_power && field >= 0)
        field++;
    if (x.class == SOFT_INFINITE || field >= SCALE_NAN)
        field = SCALE_NAN - op->is_finite;
    return (uint64_t)(field > 0 ? field : 0);
}

static uint64_t fn_scale_to_float(LANE_OPERANDS)
{
    const Soft x = { .class = a == SCALE_NAN ? SOFT_NAN : SOFT_FINITE,
                     .mantissa = 1,
                     .exponent = (int)a - SCALE_BIAS };
    return result(op, x, (Type)op->dst_type);
}

static bool is_pair(Type type)
{
    switch (type) {
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_E4M3X2:
    case TYPE_E5M2X2:
    case TYPE_E2M3X2:
    case TYPE_E3M2X2:
    case TYPE_E2M1X2:
    case TYPE_UE8M0X2:
        return true;
    default:
        return false;
    }
}

/* PTX ISA 9.1, ".s2f6x2": a whole number of 64ths. */
static Soft of_fixed(uint64_t a)
{
    int value = (int8_t)a;
    return (Soft){ .class = value ? SOFT_FINITE : SOFT_ZERO,
                   .is_negative = value < 0,
                   .mantissa = (Mantissa)abs(value),
                   .exponent = -6 };
}

/* PTX ISA 9.2, ".scaled::n2::ue8m0": b is the power of two that a is multiplied by; SCALE_BIAS: by
 * one. */
static uint64_t fn_narrow_to_float(LANE_OPERANDS)
{
    Soft x = op->type == TYPE_S2F6X2 ? of_fixed(a) : operand(op, a);
    if (b == SCALE_NAN)
        x = not_a_number;
    x.exponent += (int)b - SCALE_BIAS;
    return result(op, x, (Type)op->dst_type);
}

/* The halves of a, each with its byte of b. */
static uint64_t fn_scaled_pair(LANE_OPERANDS)
{
    unsigned from = ptx_type_info[op->type].bits / 2, to = ptx_type_info[op->dst_type].bits / 2;
    uint64_t mask = ptx_lane_mask(from), scale = SCALE_BIAS * UINT64_C(0x101);
    if (op->is_scaled)
        scale = b;
    return op->each(op, a >> from & mask, scale >> 8 & 0xff, 0, 0) << to
           | op->each(op, a & mask, scale & 0xff, 0, 0);
}

/* a above b, or the halves of a; each gives a half of the result. */
static uint64_t fn_to_pair(LANE_OPERANDS)
{
    unsigned from = ptx_type_info[op->type].bits / 2, to = ptx_type_info[op->dst_type].bits / 2;
    if (is_pair((Type)op->type)) {
        uint64_t mask = (UINT64_C(1) << from) - 1;
        b = a & mask;
        a = a >> from & mask;
    }
    return op->each(op, a, 0, 0, 0) << to | op->each(op, b, 0, 0, 0);
}

static LaneFn *conversion_of_one(const Lanewise *op)
{
    bool from_float = ptx_type_info[op->type].kind == KIND_FLOAT,
         to_float = ptx_type_info[op->dst_type].kind == KIND_FLOAT;
    LanefloatFormat to = format_of((Type)op->dst_type);
    bool is_scale = op->type == TYPE_UE8M0X2 || op->dst_type == TYPE_UE8M0X2;
    if (is_scale)
        return op->type == TYPE_UE8M0X2 ? fn_scale_to_float : fn_float_to_scale;
    if ((from_float && !ptx_lane_is_format((Type)op->type)) || (to_float && !to.precision))
        return NULL;
    if (op->is_relu && to.top == TOP_NUMBERS)       /* what becomes of a NaN is not said */
        return NULL;
    if (!to_float)
        return fn_float_to_integer;
    return from_float ? fn_float_to_float : fn_integer_to_float;
}

LaneFn *ptx_lane_conversion(Lanewise *op)
{
    bool is_fixed = op->type == TYPE_S2F6X2 && op->dst_type == TYPE_BF16X2,
         is_up = op->dst_type == TYPE_BF16X2 && is_pair((Type)op->type)
                 && ptx_lane_is_format((Type)op->type);
    if (is_fixed || (is_up && op->is_scaled)) {
        op->each = fn_narrow_to_float;
        return fn_scaled_pair;
    }
    if (op->is_scaled)          /* whether a number is multiplied or divided is not plain */
        return NULL;
    LaneFn *one = conversion_of_one(op);
    bool from_pair = is_pair((Type)op->type), to_pair = is_pair((Type)op->dst_type);
    if (!to_pair || !one)
        return from_pair ? NULL : one;
    op->each = one;
    return from_pair || op->type == TYPE_F32 ? fn_to_pair : NULL;
}
