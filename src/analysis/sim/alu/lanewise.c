/* The arithmetic of PTX in one lane. PTX ISA, "Integer Arithmetic Instructions" to "Data Movement
 * and Conversion Instructions". What rounds in a way that C does not promise is in lanefloat.c;
 * what is approximate by definition has no function: its result is not known. Video instructions
 * are in lanevideo.c, the loops over a warp in all_lanes.c.
 *
 * First the functions, in the order of the manual; then "from the text of an instruction to its
 * function": the table of them, and how modifiers choose. */
#include "analysis/sim/lane.h"
#include "analysis/sim/value.h"
#include "isa/isa.h"
#include "support/minmax.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Lanewise.mode; 0: nibbles */
enum { PRMT_F4E = 1, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t zero_extend(uint64_t a, unsigned bits)
{
    return a & ptx_lane_mask(bits);
}

static uint64_t sign_extend(uint64_t a, unsigned bits)
{
    if (bits >= 64)
        return a;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return ((a & ptx_lane_mask(bits)) ^ sign) - sign;
}

uint64_t ptx_lane_extend(uint64_t a, Type type)
{
    const TypeInfo *info = &ptx_type_info[type];
    if (!info->bits || info->bits >= 64)
        return a;
    return info->kind == KIND_SIGNED ? sign_extend(a, info->bits) : zero_extend(a, info->bits);
}

static uint64_t own(const Lanewise *op, uint64_t a)
{
    return op->is_signed ? sign_extend(a, op->bits) : zero_extend(a, op->bits);
}

static float to_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* .ftz: numbers too small to be normal are zero. */
static float flushed(const Lanewise *op, float value)
{
    return op->is_flushing && fabsf(value) < FLT_MIN ? copysignf(0.0f, value) : value;
}

static uint64_t from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fffffff : bits;
}

static double to_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t from_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- integers -------------------------------------------------------------------------------- */

static uint64_t clamp_s32(int64_t value)
{
    return (uint64_t)ptx_i64_max(ptx_i64_min(value, INT32_MAX), INT32_MIN);
}

/* .sat: no more and no less than the type holds, which has at most 32 bits. */
static uint64_t clamp_own(const Lanewise *op, uint64_t value)
{
    int64_t most = (int64_t)ptx_lane_mask(op->bits - op->is_signed);
    int64_t least = op->is_signed ? -most - 1 : 0;
    return (uint64_t)ptx_i64_max(ptx_i64_min((int64_t)value, most), least);
}

static uint64_t fn_add(LANE_OPERANDS)
{
    uint64_t sum = own(op, a) + own(op, b);
    return op->is_saturating ? clamp_own(op, sum) : sum;
}

static uint64_t fn_sub(LANE_OPERANDS)
{
    uint64_t difference = own(op, a) - own(op, b);
    return op->is_saturating ? clamp_own(op, difference) : difference;
}

static uint64_t high_half(const Lanewise *op, uint64_t a, uint64_t b)
{
    if (op->bits < 64)
        return own(op, a) * own(op, b) >> op->bits;
    unsigned __int128 product = op->is_signed
                                    ? (unsigned __int128)((__int128)(int64_t)a * (int64_t)b)
                                    : (unsigned __int128)a * b;
    return (uint64_t)(product >> 64);
}

static uint64_t product(const Lanewise *op, uint64_t a, uint64_t b)
{
    return op->is_high ? high_half(op, a, b) : own(op, a) * own(op, b);
}

static uint64_t fn_mul(LANE_OPERANDS)
{
    return product(op, a, b);
}

static uint64_t fn_mad(LANE_OPERANDS)
{
    uint64_t sum = product(op, a, b) + c;
    if (!op->is_saturating)
        return sum;
    return clamp_s32((int64_t)(sign_extend(product(op, a, b), 32) + sign_extend(c, 32)));
}

static uint64_t extend_24(const Lanewise *op, uint64_t a)
{
    return op->is_signed ? sign_extend(a, 24) : zero_extend(a, 24);
}

static uint64_t product_24(const Lanewise *op, uint64_t a, uint64_t b)
{
    uint64_t whole = extend_24(op, a) * extend_24(op, b);
    return op->is_high ? whole >> 16 : whole;
}

/* PTX ISA 9.3, "clmad": a half of the product without carries, and c without carries. */
static uint64_t fn_clmad(LANE_OPERANDS)
{
    uint64_t low = 0, high = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t chosen = b >> i & 1 ? a : 0;
        low ^= chosen << i;
        high ^= i ? chosen >> (64 - i) : 0;
    }
    return (op->is_high ? high : low) ^ c;
}

static uint64_t fn_mul24(LANE_OPERANDS)
{
    return product_24(op, a, b);
}

static uint64_t fn_mad24(LANE_OPERANDS)
{
    uint64_t factors = product_24(op, a, b);
    return op->is_saturating ? clamp_s32((int64_t)(sign_extend(factors, 32) + sign_extend(c, 32)))
                             : factors + c;
}

static bool is_less(const Lanewise *op, uint64_t a, uint64_t b)
{
    a = own(op, a);
    b = own(op, b);
    return op->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* ---- carries: the condition code is the last operand ----------------------------------------- */

typedef unsigned __int128 Long;

static uint64_t fn_addc(LANE_OPERANDS)
{
    return a + b + (c & 1);
}

static uint64_t fn_subc(LANE_OPERANDS)
{
    return a - b - (c & 1);
}

static uint64_t fn_madc(LANE_OPERANDS)
{
    return product(op, a, b) + c + (d & 1);
}

static uint64_t carry_of_sum(const Lanewise *op, uint64_t a, uint64_t b, uint64_t carry)
{
    return (uint64_t)(((Long)zero_extend(a, op->bits) + zero_extend(b, op->bits) + (carry & 1))
                      >> op->bits);
}

static uint64_t carry_add(LANE_OPERANDS)
{
    return carry_of_sum(op, a, b, op->takes_carry ? c : 0);
}

static uint64_t carry_sub(LANE_OPERANDS)
{
    return (Long)zero_extend(a, op->bits)
           < (Long)zero_extend(b, op->bits) + (op->takes_carry ? c & 1 : 0);
}

static uint64_t carry_mad(LANE_OPERANDS)
{
    return carry_of_sum(op, product(op, a, b), c, op->takes_carry ? d : 0);
}

static uint64_t fn_sad(LANE_OPERANDS)
{
    return (is_less(op, a, b) ? own(op, b) - own(op, a) : own(op, a) - own(op, b)) + c;
}

/* Division by zero gives all ones, as quotient and as remainder: an H200 was asked. */
static uint64_t fn_div(LANE_OPERANDS)
{
    a = own(op, a);
    b = own(op, b);
    if (!b)
        return UINT64_MAX;
    if (!op->is_signed)
        return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t fn_rem(LANE_OPERANDS)
{
    a = own(op, a);
    b = own(op, b);
    if (!b)
        return UINT64_MAX;
    if (!op->is_signed)
        return a % b;
    return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t fn_abs(LANE_OPERANDS)
{
    a = own(op, a);
    return (int64_t)a < 0 ? 0 - a : a;
}

static uint64_t fn_neg(LANE_OPERANDS)
{
    return 0 - own(op, a);
}

/* .relu: no less than 0. */
static uint64_t at_least_zero(const Lanewise *op, uint64_t a)
{
    return op->is_relu && (int64_t)a < 0 ? 0 : a;
}

static uint64_t fn_min(LANE_OPERANDS)
{
    return at_least_zero(op, own(op, is_less(op, b, a) ? b : a));
}

static uint64_t fn_max(LANE_OPERANDS)
{
    return at_least_zero(op, own(op, is_less(op, a, b) ? b : a));
}

static uint64_t fn_popc(LANE_OPERANDS)
{
    return (uint64_t)__builtin_popcountll(zero_extend(a, op->bits));
}

static uint64_t fn_clz(LANE_OPERANDS)
{
    a = zero_extend(a, op->bits);
    return a ? (uint64_t)__builtin_clzll(a) - (64u - op->bits) : op->bits;
}

static uint64_t fn_bfind(LANE_OPERANDS)
{
    a = own(op, a);
    if (op->is_signed && (int64_t)a < 0)
        a = ~a;
    a = zero_extend(a, op->bits);
    if (!a)
        return UINT32_MAX;
    unsigned place = 63u - (unsigned)__builtin_clzll(a);
    return op->mode ? op->bits - 1u - place : place;     /* .shiftamt */
}

static uint64_t fn_brev(LANE_OPERANDS)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < op->bits; i++)
        out |= (a >> i & 1) << (op->bits - 1 - i);
    return out;
}

/* PTX ISA, "bfe": bits beyond the register are those of the sign. */
static uint64_t fn_bfe(LANE_OPERANDS)
{
    unsigned place = b & 255, length = c & 255;
    a = own(op, a);
    if (!length)
        return 0;
    uint64_t shifted = place > 63 ? 0 : a >> place;
    if (op->is_signed)
        shifted = (uint64_t)((int64_t)a >> ptx_u32_min(place, 63));
    if (place + length >= op->bits)
        length = place < op->bits ? op->bits - place : 1;
    return op->is_signed ? sign_extend(shifted, ptx_u32_min(length, 64))
                         : zero_extend(shifted, length);
}

static uint64_t fn_bfi(LANE_OPERANDS)
{
    uint64_t field = a, into = b;
    unsigned place = c & 255, length = d & 255;
    if (!length || place >= op->bits)
        return into;
    uint64_t mask = (length >= 64 ? UINT64_MAX : ptx_lane_mask(length)) << place;
    return (into & ~mask) | (field << place & mask);
}

static uint64_t fn_szext(LANE_OPERANDS)
{
    b = zero_extend(b, 32);
    if (op->is_wrap)
        b &= 31;
    if (b >= 32)
        return a;
    if (!b)
        return 0;
    return op->is_signed ? sign_extend(a, (unsigned)b) : zero_extend(a, (unsigned)b);
}

static uint64_t fn_bmsk(LANE_OPERANDS)
{
    uint64_t place = zero_extend(a, 32), length = zero_extend(b, 32);
    if (op->is_wrap) {
        place &= 31;
        length &= 31;
    }
    if (place >= 32)
        return 0;
    unsigned bits = length >= 32 ? 32 : (unsigned)length;
    return ptx_lane_mask(bits) << place & ptx_lane_mask(32);
}

/* PTX ISA, "fns": from bit b on, the c-th that is set; downwards where c is negative. */
static uint64_t fn_fns(LANE_OPERANDS)
{
    int64_t offset = (int32_t)(uint32_t)c, wanted = offset < 0 ? -offset : offset;
    int32_t place = (int32_t)(b & 31), step = offset < 0 ? -1 : 1;
    if (zero_extend(b, 32) > 31)
        return UINT32_MAX;
    if (!offset)
        return a >> place & 1 ? (uint64_t)place : UINT32_MAX;
    for (; place >= 0 && place < 32; place += step)
        if (a >> place & 1 && !--wanted)
            return (uint64_t)place;
    return UINT32_MAX;
}

/* ---- logic and shifts ------------------------------------------------------------------------ */

static uint64_t fn_and(LANE_OPERANDS)
{
    return a & b;
}

static uint64_t fn_or(LANE_OPERANDS)
{
    return a | b;
}

static uint64_t fn_xor(LANE_OPERANDS)
{
    return a ^ b;
}

static uint64_t fn_not(LANE_OPERANDS)
{
    return op->type == TYPE_PRED ? !a : ~a;
}

static uint64_t fn_cnot(LANE_OPERANDS)
{
    return !zero_extend(a, op->bits);
}

/* The immediate is the truth table of three bits. */
static uint64_t fn_lop3(LANE_OPERANDS)
{
    uint64_t out = 0;
    const uint64_t as[] = { ~a, a }, bs[] = { ~b, b }, cs[] = { ~c, c };
    for (unsigned row = 0; row < 8; row++)
        if (d >> row & 1)
            out |= as[row >> 2 & 1] & bs[row >> 1 & 1] & cs[row & 1];
    return out;
}

static uint64_t fn_shl(LANE_OPERANDS)
{
    b = zero_extend(b, 32);
    return b >= op->bits ? 0 : a << b;
}

static uint64_t fn_shr(LANE_OPERANDS)
{
    b = zero_extend(b, 32);
    a = own(op, a);
    if (!op->is_signed)
        return b >= op->bits ? 0 : a >> b;
    return (uint64_t)((int64_t)a >> (b > 63 ? 63 : b));
}

/* PTX ISA, "shf": a is the low half, b the high one. */
static uint64_t fn_shf(LANE_OPERANDS)
{
    uint64_t both = zero_extend(b, 32) << 32 | zero_extend(a, 32), by = zero_extend(c, 32);
    by = op->is_wrap ? by & 31 : ptx_u64_min(by, 32);
    return op->mode == 'l' ? both << by >> 32 : both >> by;
}

/* Of a mode of prmt, the nibbles that each value of c stands for. */
static uint64_t prmt_selector(uint8_t mode, uint64_t c)
{
    static const struct { uint8_t mode; uint16_t nibbles[4]; } modes[] = {
        { PRMT_F4E, { 0x3210, 0x4321, 0x5432, 0x6543 } }, { PRMT_B4E, { 0x5670, 0x6701, 0x7012, 0x0123 } },
        { PRMT_RC8, { 0x0000, 0x1111, 0x2222, 0x3333 } }, { PRMT_ECL, { 0x3210, 0x3211, 0x3222, 0x3333 } },
        { PRMT_ECR, { 0x0000, 0x1110, 0x2210, 0x3210 } }, { PRMT_RC16, { 0x1010, 0x3232, 0x1010, 0x3232 } },
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].mode == mode)
            return modes[i].nibbles[c & 3];
    return c;
}

/* PTX ISA, "prmt": nibbles of c choose among the eight bytes; their highest bit copies the sign. */
static uint64_t fn_prmt(LANE_OPERANDS)
{
    c = prmt_selector(op->mode, c);
    uint64_t both = zero_extend(b, 32) << 32 | zero_extend(a, 32), out = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = c >> (4 * i) & 15;
        uint64_t byte = both >> (8 * (nibble & 7)) & 255;
        if (nibble & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << (8 * i);
    }
    return out;
}

static uint64_t fn_mov(LANE_OPERANDS)
{
    return a;
}

static int64_t dot_part(uint64_t word, unsigned bits, unsigned index, bool is_signed)
{
    uint64_t part = word >> (bits * index);
    return (int64_t)(is_signed ? sign_extend(part, bits) : zero_extend(part, bits));
}

static uint64_t fn_dp4a(LANE_OPERANDS)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint64_t)(dot_part(a, 8, i, op->dst_type == TYPE_S32)
                        * dot_part(b, 8, i, op->type == TYPE_S32));
    return c;
}

/* Of b, two bytes: .lo the first two. */
static uint64_t fn_dp2a(LANE_OPERANDS)
{
    for (unsigned i = 0; i < 2; i++)
        c += (uint64_t)(dot_part(a, 16, i, op->dst_type == TYPE_S32)
                        * dot_part(b, 8, i + (op->is_high ? 2 : 0), op->type == TYPE_S32));
    return c;
}

/* Four bytes, each by op->each. */
static uint64_t fn_four(LANE_OPERANDS)
{
    uint64_t out = 0;
    for (unsigned at = 0; at < 32; at += 8)
        out |= (op->each(op, a >> at & 255, b >> at & 255, 0, 0) & 255) << at;
    return out;
}

uint64_t ptx_lane_pair(const Lanewise *op, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t mask = ptx_lane_mask(op->bits),
             low = op->each(op, a & mask, b & mask, c & mask, d & mask) & mask;
    return low
           | (op->each(op, a >> op->bits & mask, b >> op->bits & mask, c >> op->bits & mask,
                       d >> op->bits & mask)
              & mask)
                 << op->bits;
}

/* ---- floats ---------------------------------------------------------------------------------- */

static uint64_t saturate_f32(const Lanewise *op, float value)
{
    if (op->is_saturating && !(value > 0.0f))       /* a NaN, too */
        value = 0.0f;
    else if (op->is_saturating && value > 1.0f)
        value = 1.0f;
    return from_f32(flushed(op, value));
}

#define FLOAT_FUNCTIONS(name, expression32, expression64)                                      \
    static uint64_t fn_##name##_f32(const Lanewise *op, uint64_t ua, uint64_t ub, uint64_t uc, \
                                    uint64_t ud)                                               \
    {                                                                                          \
        float a = flushed(op, to_f32(ua)), b = flushed(op, to_f32(ub)),                        \
              c = flushed(op, to_f32(uc));                                                     \
        (void)a, (void)b, (void)c, (void)ud;                                                   \
        return saturate_f32(op, expression32);                                                 \
    }                                                                                          \
    static uint64_t fn_##name##_f64(const Lanewise *op, uint64_t ua, uint64_t ub, uint64_t uc, \
                                    uint64_t ud)                                               \
    {                                                                                          \
        double a = to_f64(ua), b = to_f64(ub), c = to_f64(uc);                                 \
        (void)op, (void)a, (void)b, (void)c, (void)ud;                                         \
        return from_f64(expression64);                                                         \
    }

FLOAT_FUNCTIONS(add, a + b, a + b)
FLOAT_FUNCTIONS(sub, a - b, a - b)
FLOAT_FUNCTIONS(mul, a * b, a * b)
FLOAT_FUNCTIONS(fma, fmaf(a, b, c), fma(a, b, c))
FLOAT_FUNCTIONS(div, a / b, a / b)
FLOAT_FUNCTIONS(rcp, 1.0f / a, 1.0 / a)
FLOAT_FUNCTIONS(sqrt, sqrtf(a), sqrt(a))
FLOAT_FUNCTIONS(abs, fabsf(a), fabs(a))
FLOAT_FUNCTIONS(neg, -a, -a)
/* PTX ISA, "min": +0.0 > -0.0, and any NaN loses: of neither C is sure. */
#define LESSER(a, b) \
    (isnan(a) ? (b) : isnan(b) ? (a) : (a) < (b) || ((a) == (b) && signbit(a)) ? (a) : (b))
#define LARGER(a, b) \
    (isnan(a) ? (b) : isnan(b) ? (a) : (a) > (b) || ((a) == (b) && !signbit(a)) ? (a) : (b))
FLOAT_FUNCTIONS(min, LESSER(a, b), LESSER(a, b))
FLOAT_FUNCTIONS(max, LARGER(a, b), LARGER(a, b))

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool holds_float(Compare compare, double a, double b)
{
    bool is_nan = isnan(a) || isnan(b);
    switch (compare) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return !is_nan && a != b;
    case COMPARE_LT: return a < b;
    case COMPARE_LE: return a <= b;
    case COMPARE_GT: return a > b;
    case COMPARE_GE: return a >= b;
    case COMPARE_EQU: return is_nan || a == b;
    case COMPARE_NEU: return is_nan || a != b;
    case COMPARE_LTU: return is_nan || a < b;
    case COMPARE_LEU: return is_nan || a <= b;
    case COMPARE_GTU: return is_nan || a > b;
    case COMPARE_GEU: return is_nan || a >= b;
    case COMPARE_NUM: return !is_nan;
    case COMPARE_NAN: return is_nan;
    default: return false;
    }
}

static double half_number(const Lanewise *op, uint64_t a)
{
    bool is_subnormal = op->is_flushing && !(a & 0x7c00)
                        && (op->type == TYPE_F16 || op->type == TYPE_F16X2);
    return is_subnormal ? 0 : ptx_lane_double(a, (Type)op->type);
}

static bool holds(const Lanewise *op, uint64_t a, uint64_t b)
{
    if (op->type == TYPE_F32)
        return holds_float((Compare)op->compare, (double)flushed(op, to_f32(a)),
                           (double)flushed(op, to_f32(b)));
    if (op->type == TYPE_F64)
        return holds_float((Compare)op->compare, to_f64(a), to_f64(b));
    if (ptx_type_info[op->type].kind == KIND_FLOAT)
        return holds_float((Compare)op->compare, half_number(op, a), half_number(op, b));
    a = own(op, a);
    b = own(op, b);
    bool less = op->is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch ((Compare)op->compare) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_LT: case COMPARE_LO: return less;
    case COMPARE_LE: case COMPARE_LS: return less || a == b;
    case COMPARE_GT: case COMPARE_HI: return !less && a != b;
    case COMPARE_GE: case COMPARE_HS: return !less;
    default: return false;
    }
}

static bool joined(const Lanewise *op, bool result, uint64_t c)
{
    switch (op->join) {
    case '&': return result & (c != 0);
    case '|': return result | (c != 0);
    case '^': return result ^ (c != 0);
    default: return result;
    }
}

/* Of pairs the low half, the high one for the second result. */
static uint64_t fn_setp(LANE_OPERANDS)
{
    if (op->is_upper)
        return joined(op, holds(op, a >> 16, b >> 16), c);
    return joined(op, holds(op, a, b), c);
}

static uint64_t fn_set(LANE_OPERANDS)
{
    bool result = joined(op, holds(op, a, b), c);
    switch ((Type)op->dst_type) {
    case TYPE_F32:                      return result ? from_f32(1.0f) : 0;
    case TYPE_F16: case TYPE_F16X2:     return result ? 0x3c00 : 0;
    case TYPE_BF16: case TYPE_BF16X2:   return result ? 0x3f80 : 0;
    default:                            return result ? UINT64_MAX : 0;
    }
}

static uint64_t fn_selp(LANE_OPERANDS)
{
    return c ? a : b;
}

static uint64_t fn_slct(LANE_OPERANDS)
{
    bool is_first = op->type == TYPE_F32 ? flushed(op, to_f32(c)) >= 0.0f : (int32_t)c >= 0;
    return is_first ? a : b;
}

/* ---- conversions ----------------------------------------------------------------------------- */

static uint64_t saturate_integer(const Lanewise *op, uint64_t a)
{
    const TypeInfo *to = &ptx_type_info[op->dst_type];
    if (to->kind == KIND_SIGNED) {
        int64_t most = (int64_t)ptx_lane_mask(to->bits - 1u), least = -most - 1;
        if (!op->is_signed)
            return a > (uint64_t)most ? (uint64_t)most : a;
        return (uint64_t)ptx_i64_max(ptx_i64_min((int64_t)a, most), least);
    }
    if (op->is_signed && (int64_t)a < 0)
        return 0;
    return a > ptx_lane_mask(to->bits) ? ptx_lane_mask(to->bits) : a;
}

static uint64_t fn_cvt_integer(LANE_OPERANDS)
{
    a = own(op, a);
    if (op->is_saturating)
        a = saturate_integer(op, a);
    return ptx_lane_extend(a, (Type)op->dst_type);
}

static double round_to_integer(const Lanewise *op, double value)
{
    switch (op->round) {
    case 'z': return trunc(value);
    case 'm': return floor(value);
    case 'p': return ceil(value);
    default: return nearbyint(value);
    }
}

/* PTX ISA, "cvt": to integers it clamps to what the type holds; NaN gives 0, or where either side
 * has 64 bits the highest bit alone. */
uint64_t ptx_lane_integer(const Lanewise *op, double value)
{
    const TypeInfo *to = &ptx_type_info[op->dst_type];
    bool is_signed = to->kind == KIND_SIGNED;
    if (isnan(value))
        return to->bits == 64 || op->type == TYPE_F64 ? UINT64_C(1) << (to->bits - 1) : 0;
    value = round_to_integer(op, value);
    double most = ldexp(1.0, to->bits - is_signed), least = is_signed ? -most : 0.0;
    if (value >= most)
        return is_signed ? ptx_lane_mask(to->bits - 1u) : ptx_lane_mask(to->bits);
    if (value <= least)
        return is_signed ? UINT64_C(0) - (ptx_lane_mask(to->bits - 1u) + 1) : 0;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t fn_cvt_f32_to_integer(LANE_OPERANDS)
{
    return ptx_lane_integer(op, (double)flushed(op, to_f32(a)));
}

static uint64_t fn_cvt_f64_to_integer(LANE_OPERANDS)
{
    return ptx_lane_integer(op, to_f64(a));
}

static uint64_t fn_cvt_integer_to_f32(LANE_OPERANDS)
{
    a = own(op, a);
    return from_f32(op->is_signed ? (float)(int64_t)a : (float)a);
}

static uint64_t fn_cvt_f64_to_f32(LANE_OPERANDS)
{
    return saturate_f32(op, (float)to_f64(a));
}

static uint64_t fn_cvt_f32_to_f32(LANE_OPERANDS)
{
    float value = flushed(op, to_f32(a));
    return saturate_f32(op, op->mode == 'i' ? (float)round_to_integer(op, (double)value) : value);
}

/* a above b, each no more than its field holds, above c. */
static uint64_t fn_cvt_pack(LANE_OPERANDS)
{
    Lanewise one = *op;
    one.is_signed = true;
    unsigned bits = ptx_type_info[op->dst_type].bits;
    uint64_t low = saturate_integer(&one, sign_extend(b, 32)) & ptx_lane_mask(bits),
             high = saturate_integer(&one, sign_extend(a, 32)) & ptx_lane_mask(bits);
    uint64_t both = high << bits | low;
    return bits == 16 ? both : c << (2 * bits) | both;
}

/* ---- from the text of an instruction to its function ----------------------------------------- */

typedef struct LanewiseRow {
    bool is_there;
    LaneFn *integer, *f32, *f64;
    uint8_t transfer;
    LaneFn *carry;              /* what .cc leaves */
} LanewiseRow;

static const LanewiseRow rows[OP__COUNT] = {
    [OP_ABS] = { true, fn_abs, fn_abs_f32, fn_abs_f64, TRANSFER_OPAQUE, NULL },
    [OP_ADD] = { true, fn_add, fn_add_f32, fn_add_f64, TRANSFER_ADD, carry_add },
    [OP_ADDC] = { true, fn_addc, NULL, NULL, TRANSFER_OPAQUE, carry_add },
    [OP_AND] = { true, fn_and, NULL, NULL, TRANSFER_AND, NULL },
    [OP_BFE] = { true, fn_bfe, NULL, NULL, TRANSFER_FIELD, NULL },
    [OP_BFI] = { true, fn_bfi, NULL, NULL, TRANSFER_INSERT, NULL },
    [OP_BFIND] = { true, fn_bfind, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_BMSK] = { true, fn_bmsk, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_BREV] = { true, fn_brev, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_CLMAD] = { true, fn_clmad, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_CLZ] = { true, fn_clz, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_COPYSIGN] = { true, NULL, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_CNOT] = { true, fn_cnot, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_DIV] = { true, fn_div, fn_div_f32, fn_div_f64, TRANSFER_DIV, NULL },
    [OP_DP2A] = { true, fn_dp2a, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_DP4A] = { true, fn_dp4a, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_FMA] = { true, NULL, fn_fma_f32, fn_fma_f64, TRANSFER_OPAQUE, NULL },
    [OP_FNS] = { true, fn_fns, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_LOP3] = { true, fn_lop3, NULL, NULL, TRANSFER_LOGIC, NULL },
    [OP_MAD] = { true, fn_mad, fn_fma_f32, fn_fma_f64, TRANSFER_MAD, carry_mad },
    [OP_MADC] = { true, fn_madc, NULL, NULL, TRANSFER_OPAQUE, carry_mad },
    [OP_MAD24] = { true, fn_mad24, NULL, NULL, TRANSFER_MAD, NULL },
    [OP_MAX] = { true, fn_max, fn_max_f32, fn_max_f64, TRANSFER_MAX, NULL },
    [OP_MIN] = { true, fn_min, fn_min_f32, fn_min_f64, TRANSFER_MIN, NULL },
    [OP_MOV] = { true, fn_mov, fn_mov, fn_mov, TRANSFER_COPY, NULL },
    [OP_MUL] = { true, fn_mul, fn_mul_f32, fn_mul_f64, TRANSFER_MUL, NULL },
    [OP_MUL24] = { true, fn_mul24, NULL, NULL, TRANSFER_MUL, NULL },
    [OP_NEG] = { true, fn_neg, fn_neg_f32, fn_neg_f64, TRANSFER_NEGATE, NULL },
    [OP_NOT] = { true, fn_not, NULL, NULL, TRANSFER_NEGATE, NULL },
    [OP_OR] = { true, fn_or, NULL, NULL, TRANSFER_OR, NULL },
    [OP_POPC] = { true, fn_popc, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_PRMT] = { true, fn_prmt, NULL, NULL, TRANSFER_PERMUTE, NULL },
    [OP_RCP] = { true, NULL, fn_rcp_f32, fn_rcp_f64, TRANSFER_OPAQUE, NULL },
    [OP_REM] = { true, fn_rem, NULL, NULL, TRANSFER_REM, NULL },
    [OP_SAD] = { true, fn_sad, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_SELP] = { true, fn_selp, fn_selp, fn_selp, TRANSFER_OPAQUE, NULL },
    [OP_SET] = { true, fn_set, fn_set, fn_set, TRANSFER_COMPARE, NULL },
    [OP_SETP] = { true, fn_setp, fn_setp, fn_setp, TRANSFER_COMPARE, NULL },
    [OP_SHF] = { true, fn_shf, NULL, NULL, TRANSFER_FUNNEL, NULL },
    [OP_SHL] = { true, fn_shl, NULL, NULL, TRANSFER_SHL, NULL },
    [OP_SHR] = { true, fn_shr, NULL, NULL, TRANSFER_SHR, NULL },
    [OP_SLCT] = { true, fn_slct, fn_slct, NULL, TRANSFER_OPAQUE, NULL },
    [OP_SQRT] = { true, NULL, fn_sqrt_f32, fn_sqrt_f64, TRANSFER_OPAQUE, NULL },
    [OP_SUB] = { true, fn_sub, fn_sub_f32, fn_sub_f64, TRANSFER_SUB, carry_sub },
    [OP_SUBC] = { true, fn_subc, NULL, NULL, TRANSFER_OPAQUE, carry_sub },
    [OP_SZEXT] = { true, fn_szext, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_TESTP] = { true, NULL, NULL, NULL, TRANSFER_OPAQUE, NULL },
    [OP_XOR] = { true, fn_xor, NULL, NULL, TRANSFER_XOR, NULL },
};

_Static_assert(COMPARE_NAN - COMPARE_EQ == MOD_NAN - MOD_EQ
                   && COMPARE_HS - COMPARE_EQ == MOD_HS - MOD_EQ,
               "they stand in one order");

/* The letters of RN, RNI and RNA, and so on. */
static void read_rounding(Lanewise *out, Modifier modifier)
{
    static const char letters[MOD__COUNT] = {
        [MOD_RN] = 'n', [MOD_RZ] = 'z', [MOD_RM] = 'm', [MOD_RP] = 'p', [MOD_RNA] = 'a',
        [MOD_RNI] = 'n', [MOD_RZI] = 'z', [MOD_RMI] = 'm', [MOD_RPI] = 'p',
    };
    if (letters[modifier])
        out->round = (uint8_t)letters[modifier];
    if (modifier == MOD_RNI || modifier == MOD_RZI || modifier == MOD_RMI || modifier == MOD_RPI)
        out->mode = 'i';
}

static uint8_t mode_of(Modifier modifier)
{
    switch (modifier) {
    case MOD_F4E:           return PRMT_F4E;
    case MOD_B4E:           return PRMT_B4E;
    case MOD_RC8:           return PRMT_RC8;
    case MOD_ECL:           return PRMT_ECL;
    case MOD_ECR:           return PRMT_ECR;
    case MOD_RC16:          return PRMT_RC16;
    case MOD_FINITE:        return 'f';
    case MOD_INFINITE:      return 'i';
    case MOD_NUMBER:        return 'b';
    case MOD_NOTANUMBER:    return 'a';
    case MOD_NORMAL:        return 'o';
    case MOD_SUBNORMAL: case MOD_SHIFTAMT:
        return 's';
    case MOD_L:             return 'l';
    case MOD_R:             return 'r';
    default:                return 0;
    }
}

static uint8_t join_of(Modifier modifier)
{
    switch (modifier) {
    case MOD_AND: return '&';
    case MOD_OR:  return '|';
    case MOD_XOR: return '^';
    default:      return 0;
    }
}

static void read_modifier(Lanewise *out, Modifier modifier)
{
    if (modifier >= MOD_EQ && modifier <= MOD_NAN)
        out->compare = (uint8_t)(COMPARE_EQ + (modifier - MOD_EQ));
    if (mode_of(modifier))
        out->mode = mode_of(modifier);
    if (join_of(modifier))
        out->join = join_of(modifier);
    read_rounding(out, modifier);
}

static void read_modifiers(Lanewise *out, const Op *op)
{
    for (unsigned m = 0; m < op->modifier_count; m++)
        read_modifier(out, ptx_op_modifier(op, m));
    out->is_relu = ptx_op_has(op, MOD_RELU);
    out->is_finite = ptx_op_has(op, MOD_SATFINITE);
    out->is_absolute = ptx_op_has(op, MOD_ABS);
    out->is_xorsign = ptx_op_has(op, MOD_XORSIGN);
    out->keeps_nan = ptx_op_has(op, MOD_KEEPS_NAN);
    out->is_high = ptx_op_has(op, MOD_HI);
    out->is_saturating = ptx_op_has(op, MOD_SAT);
    out->is_scaled = ptx_op_has(op, MOD_SCALED_N2_UE8M0) || ptx_op_has(op, MOD_SCALED_N1_UE8M0);
    out->is_wrap = ptx_op_has(op, MOD_WRAP);
    out->is_flushing = ptx_op_has(op, MOD_FTZ);
    out->makes_carry = ptx_op_has(op, MOD_CC);
}

static LaneFn *conversion(Lanewise *op)
{
    bool from_float = ptx_type_info[op->type].kind == KIND_FLOAT,
         to_float = ptx_type_info[op->dst_type].kind == KIND_FLOAT;
    bool is_wide_from = !from_float || op->type == TYPE_F32 || op->type == TYPE_F64,
         is_wide_to = !to_float || op->dst_type == TYPE_F32 || op->dst_type == TYPE_F64;
    if (!from_float && !to_float)
        return fn_cvt_integer;
    bool rounds_as_c = !op->round || op->round == 'n' || op->mode == 'i';
    if (!is_wide_from || !is_wide_to || (to_float && !rounds_as_c) || op->dst_type == TYPE_F64
        || op->is_flushing || op->is_relu || op->is_finite)
        return ptx_lane_conversion(op);
    if (!to_float)
        return op->type == TYPE_F32 ? fn_cvt_f32_to_integer : fn_cvt_f64_to_integer;
    if (!from_float)
        return fn_cvt_integer_to_f32;
    return op->type == op->dst_type ? fn_cvt_f32_to_f32 : fn_cvt_f64_to_f32;
}

/* Operands of several types, the last of them a float. */
static bool is_mixed(const Op *op)
{
    return ptx_type_info[op->type].kind == KIND_FLOAT && op->type_count > 1;
}

static LaneFn *function_of(const LanewiseRow *row, Lanewise *out, const Op *op)
{
    const TypeInfo *type = &ptx_type_info[out->type];
    bool is_approximate = ptx_op_has(op, MOD_APPROX) || ptx_op_has(op, MOD_FULL),
         is_wide = out->type == TYPE_F32 || out->type == TYPE_F64;
    if (type->kind != KIND_FLOAT)
        return row->integer;
    if (is_approximate)
        return NULL;
    if (is_mixed(op) && op->type_count >= 3)
        return ptx_lane_mixed_pair(out, op);
    if (is_mixed(op))
        return row->transfer == TRANSFER_COMPARE || row->integer == fn_slct
                   ? row->f32
                   : ptx_lane_mixed(out, (Operation)op->operation);
    if (row->transfer == TRANSFER_COPY || row->transfer == TRANSFER_COMPARE
        || row->integer == fn_selp || row->integer == fn_slct)
        return row->f32;
    if (!is_wide || out->keeps_nan || out->is_absolute || !row->f32
        || (out->round && out->round != 'n'))
        return ptx_lane_float(out, (Operation)op->operation);
    return out->type == TYPE_F32 ? row->f32 : row->f64;
}

/* What says more than is followed: NaN of a place outside of a tensor, random bits that round,
 * zeros without a sign; what a comparison of packed integers leaves in each. */
static bool is_strange(const Op *op)
{
    bool is_packed_set = op->operation == OP_SET && op->type_count == 1;
    return is_packed_set || ptx_op_has(op, MOD_OOB) || ptx_op_has(op, MOD_RS)
           || ptx_op_has(op, MOD_PZO);
}

Type ptx_lane_half(Type type)
{
    switch (type) {
    case TYPE_U16X2:    return TYPE_U16;
    case TYPE_S16X2:    return TYPE_S16;
    case TYPE_F16X2:    return TYPE_F16;
    case TYPE_BF16X2:   return TYPE_BF16;
    case TYPE_F32X2:    return TYPE_F32;
    default:            return TYPE_NONE;
    }
}

/* Halves are operated on by themselves. A comparison into predicates takes the half that it is
 * asked for. */
static void take_pair(Lanewise *out)
{
    out->bits /= 2;
    out->is_pair = true;
    if (out->fn != fn_setp && out->fn != fn_mov && out->fn != fn_selp
        && out->transfer != TRANSFER_AND) {
        out->each = out->fn;
        out->fn = ptx_lane_pair;
        out->transfer = TRANSFER_OPAQUE;
    }
}

/* The same of four bytes. */
static void take_four(Lanewise *out)
{
    out->bits = 8;
    out->is_pair = true;
    out->each = out->fn;
    out->fn = fn_four;
    out->transfer = TRANSFER_OPAQUE;
    out->is_chained = false;
}

static bool is_float_sum(const Lanewise *op)
{
    return !op->is_saturating
           && (op->fn == fn_add_f32 || op->fn == fn_add_f64 || op->fn == fn_sub_f32
               || op->fn == fn_sub_f64);
}

static void take_row(const LanewiseRow *row, const Op *op, Lanewise *out)
{
    bool is_integer = ptx_type_info[out->type].kind != KIND_FLOAT;
    out->fn = function_of(row, out, op);
    if (is_float_sum(out))
        out->transfer = TRANSFER_FLOAT_SUM;
    else
        out->transfer = is_integer || row->transfer == TRANSFER_COPY
                                || row->transfer == TRANSFER_COMPARE
                            ? row->transfer
                            : TRANSFER_OPAQUE;
    out->is_chained = row->transfer == TRANSFER_MIN || row->transfer == TRANSFER_MAX;
    out->takes_carry = row->integer == fn_addc || row->integer == fn_subc
                       || row->integer == fn_madc;
    if (out->makes_carry)
        out->carry = row->carry;
    if (out->is_high && (out->transfer == TRANSFER_MUL || out->transfer == TRANSFER_MAD))
        out->transfer = TRANSFER_HIGH;
    if (out->is_pair)
        return;
    if (out->fn && ptx_lane_half((Type)op->type))
        take_pair(out);
    else if (out->fn && (op->type == TYPE_U8X4 || op->type == TYPE_S8X4))
        take_four(out);
}

static uint8_t usual_of(const Lanewise *op)
{
    static const struct { LaneFn *fn; uint8_t usual; } fns[] = {
        { fn_add, USUAL_ADD }, { fn_sub, USUAL_SUB }, { fn_mul, USUAL_MUL }, { fn_mad, USUAL_MAD }, { fn_and, USUAL_AND }, { fn_or, USUAL_OR },
        { fn_xor, USUAL_XOR }, { fn_shl, USUAL_SHL }, { fn_cvt_integer, USUAL_EXTEND }, { fn_mov, USUAL_MOVE }, { fn_setp, USUAL_COMPARE },
    };
    bool is_plain = !op->is_saturating && !op->is_high && !op->join && !op->is_pair
                    && ptx_type_info[op->type].kind != KIND_FLOAT && op->bits && op->bits <= 64;
    for (size_t i = 0; i < sizeof fns / sizeof *fns && is_plain; i++)
        if (op->fn == fns[i].fn)
            return fns[i].usual;
    return op->fn == fn_mov && !op->is_pair ? USUAL_MOVE : USUAL_NONE;
}

bool ptx_lanewise_make(const Op *op, Lanewise *out)
{
    *out = (Lanewise){ .type = op->type, .dst_type = op->dst_type, .bits = ptx_type_info[op->type].bits,
                       .is_signed = ptx_type_info[op->type].kind == KIND_SIGNED };
    if (op->flags & OPF_UNKNOWN)        /* as mul.lo without a type */
        return false;
    out->factor_bits = op->operation == OP_MUL24 || op->operation == OP_MAD24 ? 24 : out->bits;
    read_modifiers(out, op);
    if (op->operation == OP_CVT) {
        out->fn = ptx_op_has(op, MOD_PACK) ? fn_cvt_pack : conversion(out);
        if (ptx_op_has(op, MOD_PACK) && op->type_count > 2)
            out->dst_type = op->types[0];
        bool is_widening = op->type == TYPE_F32 && out->dst_type == TYPE_F64;
        out->transfer = is_widening ? TRANSFER_FLOAT_WIDEN : TRANSFER_OPAQUE;
        if (out->fn == fn_cvt_integer)
            out->transfer = TRANSFER_COPY;
    } else if (rows[op->operation].is_there) {
        take_row(&rows[op->operation], op, out);
    } else {
        out->fn = ptx_lane_video(op, out);
    }
    if (is_strange(op) || (out->makes_carry && !out->carry)
        || (out->takes_carry && out->is_saturating))
        out->fn = NULL;
    out->usual = out->fn ? usual_of(out) : USUAL_NONE;
    return out->fn != NULL;
}

Lanewise ptx_lanewise_nonzero(const Lanewise *logic)
{
    return (Lanewise){ .fn = fn_setp,
                       .transfer = TRANSFER_COMPARE,
                       .type = TYPE_B32,
                       .dst_type = TYPE_PRED,
                       .bits = 32,
                       .compare = COMPARE_NE,
                       .join = logic->join };
}

Lanewise ptx_lanewise_other(const Lanewise *comparison)
{
    static const uint8_t complements[] = {
        [COMPARE_EQ] = COMPARE_NE, [COMPARE_NE] = COMPARE_EQ, [COMPARE_LT] = COMPARE_GE, [COMPARE_LE] = COMPARE_GT, [COMPARE_GT] = COMPARE_LE,
        [COMPARE_GE] = COMPARE_LT, [COMPARE_LO] = COMPARE_HS, [COMPARE_LS] = COMPARE_HI, [COMPARE_HI] = COMPARE_LS, [COMPARE_HS] = COMPARE_LO,
        [COMPARE_EQU] = COMPARE_NE, [COMPARE_NEU] = COMPARE_EQ, [COMPARE_LTU] = COMPARE_GE, [COMPARE_LEU] = COMPARE_GT,
        [COMPARE_GTU] = COMPARE_LE, [COMPARE_GEU] = COMPARE_LT, [COMPARE_NUM] = COMPARE_NAN, [COMPARE_NAN] = COMPARE_NUM,
    };
    static const uint8_t with_nan[] = {
        [COMPARE_EQ] = COMPARE_NEU, [COMPARE_NE] = COMPARE_EQU, [COMPARE_LT] = COMPARE_GEU, [COMPARE_LE] = COMPARE_GTU, [COMPARE_GT] = COMPARE_LEU,
        [COMPARE_GE] = COMPARE_LTU,
    };
    Lanewise other = *comparison;
    bool is_ordered = ptx_type_info[other.type].kind == KIND_FLOAT && other.compare <= COMPARE_GE;
    if (other.is_pair)
        other.is_upper = true;
    else
        other.compare = is_ordered ? with_nan[other.compare] : complements[other.compare];
    return other;
}
