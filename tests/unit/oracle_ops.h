/* oracle_ops.h -- what instructions on one lane give, written down a second time from the PTX ISA: short, slow, and apart from src/warp.
 *
 * A row: text, registers, value. Registers: that of the result, then the operands': r 32 bits, d 64, h 16, p a predicate, l an immediate byte. Values
 * of a, b, c, e (the operands in order) are zero-extended; the result is cut to its register. */
#ifndef PTX_TESTS_ORACLE_OPS_H
#define PTX_TESTS_ORACLE_OPS_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline int64_t s32(uint64_t a) { return (int32_t)(uint32_t)a; }
static inline int64_t s16(uint64_t a) { return (int16_t)(uint16_t)a; }
static inline int64_t s8(uint64_t a) { return (int8_t)(uint8_t)a; }
static inline int64_t s24(uint64_t a) { return (int64_t)(a & 0xffffff) - (int64_t)(a & 0x800000 ? 0x1000000 : 0); }
static inline int64_t u24(uint64_t a) { return (int64_t)(a & 0xffffff); }
static inline uint64_t within(int64_t a, int64_t low, int64_t high) { return (uint64_t)(a < low ? low : a > high ? high : a); }
static inline uint64_t sat32(int64_t a) { return within(a, INT32_MIN, INT32_MAX); }
static inline uint64_t bit(uint64_t a, int i) { return i > 63 ? 0 : a >> i & 1; }

static inline uint64_t oracle_bfe(uint64_t a, uint64_t b, uint64_t c, int msb, bool is_signed)
{
    int place = (int)(b & 255), length = (int)(c & 255), end = place + length - 1;
    uint64_t sign = is_signed && length ? bit(a, end < msb ? end : msb) : 0, out = 0;
    for (int i = 0; i <= msb; i++)
        out |= (i < length && place + i <= msb ? bit(a, place + i) : sign) << i;
    return out;
}

static inline uint64_t oracle_bfi(uint64_t a, uint64_t b, uint64_t c, uint64_t e, int msb)
{
    int place = (int)(c & 255), length = (int)(e & 255);
    for (int i = 0; i < length && place + i <= msb; i++)
        b = (b & ~(UINT64_C(1) << (place + i))) | bit(a, i) << (place + i);
    return b;
}

static inline uint64_t oracle_bfind(uint64_t a, int msb, bool is_signed, bool is_shift)
{
    if (is_signed && bit(a, msb))
        a = ~a;
    for (int i = msb; i >= 0; i--)
        if (bit(a, i))
            return (uint64_t)(is_shift ? msb - i : i);
    return UINT32_MAX;
}

static inline uint64_t oracle_brev(uint64_t a, int bits)
{
    uint64_t out = 0;
    for (int i = 0; i < bits; i++)
        out |= bit(a, i) << (bits - 1 - i);
    return out;
}

static inline uint64_t oracle_clz(uint64_t a, int bits)
{
    int i = 0;
    while (i < bits && !bit(a, bits - 1 - i))
        i++;
    return (uint64_t)i;
}

static inline uint64_t oracle_popc(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

static inline uint64_t oracle_lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
    uint64_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= bit(table, (int)(bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i))) << i;
    return out;
}

/* By the pseudo-code of "shf". */
static inline uint64_t oracle_shf(uint64_t a, uint64_t b, uint64_t c, bool is_left, bool is_wrap)
{
    uint64_t n = is_wrap ? c & 31 : c > 32 ? 32 : c;
    return is_left ? b << n | a >> (32 - n) : b << (32 - n) | a >> n;
}

static inline uint64_t oracle_prmt_byte(uint64_t a, uint64_t b, uint64_t selector)
{
    uint64_t byte = ((selector & 4 ? b : a) >> (8 * (selector & 3))) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}

static inline uint64_t oracle_prmt(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (int i = 0; i < 4; i++)
        out |= oracle_prmt_byte(a, b, c >> (4 * i) & 15) << (8 * i);
    return out;
}

/* The tables of "prmt" for its modes: which bytes, highest first, by the low two bits of c. */
static inline uint64_t oracle_prmt_mode(uint64_t a, uint64_t b, uint64_t c, const char *const rows[4])
{
    uint64_t out = 0;
    for (int i = 0; i < 4; i++)
        out = out << 8 | oracle_prmt_byte(a, b, (uint64_t)(rows[c & 3][i] - '0'));
    return out;
}

#define PRMT_MODE(...) oracle_prmt_mode(a, b, c, (const char *const[4]){ __VA_ARGS__ })

/* By the pseudo-code of "bmsk". */
static inline uint64_t oracle_bmsk(uint64_t a, uint64_t b, bool is_clamp)
{
    uint64_t place = a & 31, length = b & 31, low = (UINT32_MAX << place) & UINT32_MAX, sum = place + length;
    uint64_t high = sum >= 32 ? 0 : (UINT32_MAX << sum) & UINT32_MAX;
    if (is_clamp && a >= 32)
        low = 0;
    if (is_clamp && b >= 32)
        high = 0;
    return low & ~high;
}

static inline uint64_t oracle_szext(uint64_t a, uint64_t b, bool is_signed, bool is_wrap)
{
    int length = (int)(is_wrap ? b & 31 : b > 32 ? 32 : b);
    uint64_t out = 0;
    for (int i = 0; i < 32 && length; i++)
        out |= (i < length ? bit(a, i) : is_signed ? bit(a, length - 1) : 0) << i;
    return out;
}

static inline uint64_t oracle_dp4a(uint64_t a, uint64_t b, uint64_t c, bool is_a_signed, bool is_b_signed)
{
    for (int i = 0; i < 32; i += 8)
        c += (uint64_t)((is_a_signed ? s8(a >> i) : (int64_t)(a >> i & 255)) * (is_b_signed ? s8(b >> i) : (int64_t)(b >> i & 255)));
    return c;
}

static inline uint64_t oracle_div(int64_t a, int64_t b) { return !b ? UINT64_MAX : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b); }
static inline uint64_t oracle_rem(int64_t a, int64_t b) { return !b ? UINT64_MAX : b == -1 ? 0 : (uint64_t)(a % b); }
static inline uint64_t oracle_mulhi(uint64_t a, uint64_t b)
{
    uint64_t al = a & UINT32_MAX, ah = a >> 32, bl = b & UINT32_MAX, bh = b >> 32;
    uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & UINT32_MAX);
    return ah * bh + (middle >> 32) + (other >> 32);
}
static inline uint64_t oracle_mulhi_signed(uint64_t a, uint64_t b) { return oracle_mulhi(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0); }
static inline uint64_t oracle_shr_signed(uint64_t a, uint64_t b, int bits)
{
    uint64_t out = 0;
    for (int i = 0; i < bits; i++)
        out |= bit(a, (uint64_t)i + b >= (uint64_t)bits ? bits - 1 : i + (int)b) << i;
    return out;
}

static inline float f32_of(uint64_t a) { uint32_t w = (uint32_t)a; float f; memcpy(&f, &w, 4); return f; }
static inline uint64_t bits_of_f32(float f) { uint32_t w; memcpy(&w, &f, 4); return f != f ? 0x7fffffff : w; }
static inline double f64_of(uint64_t a) { double f; memcpy(&f, &a, 8); return f; }
static inline uint64_t bits_of_f64(double f) { uint64_t w; memcpy(&w, &f, 8); return w; }

/* PTX ISA, "cvt": clamped; NaN is 0 where neither side has 64 bits, else the highest bit alone. */
static inline uint64_t oracle_to_int(double a, char round, int bits, bool is_signed, bool from_f64)
{
    if (a != a)
        return from_f64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    double low = floor(a), rest = a - low;
    if (round == 'p' || (round == 'z' && a < 0))
        low += rest > 0;
    else if (round == 'n')
        low += rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0);
    double most = ldexp(1, is_signed ? bits - 1 : bits);
    if (low >= most)
        return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (low <= (is_signed ? -most : 0))
        return is_signed ? 0 - (UINT64_C(1) << (bits - 1)) : 0;
    return low < 0 ? 0 - (uint64_t)-low : (uint64_t)low;
}

#define FA f32_of(a)
#define FB f32_of(b)
#define FC f32_of(c)
#define S64(x) ((int64_t)(x))
#define IS_LESS_S (s32(a) < s32(b))
#define UNSIGNED_SELECT(x, y) ((x) ? (y) : 0)

/* Those that the generator of kernels may use anywhere. */
#define ORACLE_INTEGERS(X)                                                                                           \
    X("add.u32", "rrr", a + b) X("add.s32", "rrr", a + b) X("sub.s32", "rrr", a - b) X("sub.u32", "rrr", a - b)      \
    X("add.sat.s32", "rrr", sat32(s32(a) + s32(b))) X("sub.sat.s32", "rrr", sat32(s32(a) - s32(b)))                  \
    X("add.s64", "ddd", a + b) X("sub.s64", "ddd", a - b) X("add.u16", "hhh", a + b) X("sub.s16", "hhh", a - b)      \
    X("mul.lo.s32", "rrr", a * b) X("mul.lo.u32", "rrr", a * b) X("mul.hi.u32", "rrr", a * b >> 32)                  \
    X("mul.hi.s32", "rrr", (uint64_t)(s32(a) * s32(b)) >> 32) X("mul.wide.u32", "drr", a * b)                        \
    X("mul.wide.s32", "drr", (uint64_t)(s32(a) * s32(b))) X("mul.lo.s64", "ddd", a * b)                              \
    X("mul.hi.u64", "ddd", oracle_mulhi(a, b)) X("mul.hi.s64", "ddd", oracle_mulhi_signed(a, b))                     \
    X("mul.wide.u16", "rhh", a * b) X("mul.wide.s16", "rhh", (uint64_t)(s16(a) * s16(b))) X("mul.lo.s16", "hhh", a * b) \
    X("mad.lo.s32", "rrrr", a * b + c) X("mad.lo.u32", "rrrr", a * b + c) X("mad.hi.u32", "rrrr", (a * b >> 32) + c) \
    X("mad.hi.s32", "rrrr", ((uint64_t)(s32(a) * s32(b)) >> 32) + c)                                                 \
    X("mad.hi.sat.s32", "rrrr", sat32(s32((uint64_t)(s32(a) * s32(b)) >> 32) + s32(c)))                              \
    X("mad.wide.u32", "drrd", a * b + c) X("mad.wide.s32", "drrd", (uint64_t)(s32(a) * s32(b)) + c)                  \
    X("mad.lo.s64", "dddd", a * b + c) X("mad.wide.u16", "rhhr", a * b + c)                                          \
    X("mul24.lo.s32", "rrr", (uint64_t)(s24(a) * s24(b))) X("mul24.lo.u32", "rrr", (uint64_t)(u24(a) * u24(b)))      \
    X("mul24.hi.u32", "rrr", (uint64_t)(u24(a) * u24(b)) >> 16) X("mul24.hi.s32", "rrr", (uint64_t)(s24(a) * s24(b)) >> 16) \
    X("mad24.lo.s32", "rrrr", (uint64_t)(s24(a) * s24(b)) + c)                                                       \
    X("sad.u32", "rrrr", (a < b ? b - a : a - b) + c) X("sad.s32", "rrrr", (IS_LESS_S ? b - a : a - b) + c)          \
    X("div.u32", "rrr", b ? a / b : UINT64_MAX) X("rem.u32", "rrr", b ? a % b : UINT32_MAX)                                   \
    X("div.s32", "rrr", oracle_div(s32(a), s32(b))) X("rem.s32", "rrr", oracle_rem(s32(a), s32(b)))                  \
    X("div.u64", "ddd", b ? a / b : UINT64_MAX) X("rem.u64", "ddd", b ? a % b : UINT64_MAX)                                   \
    X("div.s64", "ddd", oracle_div(S64(a), S64(b))) X("rem.s64", "ddd", oracle_rem(S64(a), S64(b)))                  \
    X("abs.s32", "rr", s32(a) < 0 ? 0 - a : a) X("neg.s32", "rr", 0 - a) X("neg.s64", "dd", 0 - a)                   \
    X("min.s32", "rrr", IS_LESS_S ? a : b) X("max.s32", "rrr", IS_LESS_S ? b : a) X("min.u32", "rrr", a < b ? a : b) \
    X("max.u32", "rrr", a < b ? b : a) X("min.s64", "ddd", S64(a) < S64(b) ? a : b) X("max.u64", "ddd", a < b ? b : a) \
    X("min.s16", "hhh", s16(a) < s16(b) ? a : b) X("popc.b32", "rr", oracle_popc(a)) X("popc.b64", "rd", oracle_popc(a)) \
    X("clz.b32", "rr", oracle_clz(a, 32)) X("clz.b64", "rd", oracle_clz(a, 64))                                      \
    X("bfind.u32", "rr", oracle_bfind(a, 31, false, false)) X("bfind.s32", "rr", oracle_bfind(a, 31, true, false))   \
    X("bfind.shiftamt.u32", "rr", oracle_bfind(a, 31, false, true)) X("bfind.shiftamt.s64", "rd", oracle_bfind(a, 63, true, true)) \
    X("bfind.u64", "rd", oracle_bfind(a, 63, false, false)) X("brev.b32", "rr", oracle_brev(a, 32))                  \
    X("brev.b64", "dd", oracle_brev(a, 64)) X("bfe.u32", "rrrr", oracle_bfe(a, b, c, 31, false))                     \
    X("bfe.s32", "rrrr", oracle_bfe(a, b, c, 31, true)) X("bfe.u64", "ddrr", oracle_bfe(a, b, c, 63, false))         \
    X("bfe.s64", "ddrr", oracle_bfe(a, b, c, 63, true)) X("bfi.b32", "rrrrr", oracle_bfi(a, b, c, e, 31))            \
    X("bfi.b64", "dddrr", oracle_bfi(a, b, c, e, 63)) X("szext.clamp.s32", "rrr", oracle_szext(a, b, true, false))   \
    X("szext.wrap.s32", "rrr", oracle_szext(a, b, true, true)) X("szext.clamp.u32", "rrr", oracle_szext(a, b, false, false)) \
    X("szext.wrap.u32", "rrr", oracle_szext(a, b, false, true)) X("bmsk.clamp.b32", "rrr", oracle_bmsk(a, b, true))  \
    X("bmsk.wrap.b32", "rrr", oracle_bmsk(a, b, false))                                                              \
    X("and.b32", "rrr", a & b) X("or.b32", "rrr", a | b) X("xor.b32", "rrr", a ^ b) X("not.b32", "rr", ~a)           \
    X("cnot.b32", "rr", !a) X("and.b64", "ddd", a & b) X("or.b64", "ddd", a | b) X("xor.b64", "ddd", a ^ b)          \
    X("not.b64", "dd", ~a) X("and.b16", "hhh", a & b) X("cnot.b64", "dd", !a)                                        \
    X("and.pred", "ppp", a & b) X("or.pred", "ppp", a | b) X("xor.pred", "ppp", a ^ b) X("not.pred", "pp", !a)       \
    X("lop3.b32", "rrrrl", oracle_lop3(a, b, c, e)) X("shl.b32", "rrr", b > 31 ? 0 : a << b)                         \
    X("shr.u32", "rrr", b > 31 ? 0 : a >> b) X("shr.s32", "rrr", oracle_shr_signed(a, b, 32))                        \
    X("shr.b32", "rrr", b > 31 ? 0 : a >> b) X("shl.b64", "ddr", b > 63 ? 0 : a << b)                                \
    X("shr.u64", "ddr", b > 63 ? 0 : a >> b) X("shr.s64", "ddr", oracle_shr_signed(a, b, 64))                        \
    X("shl.b16", "hhr", b > 15 ? 0 : a << b) X("shr.s16", "hhr", oracle_shr_signed(a, b, 16))                        \
    X("shf.l.wrap.b32", "rrrr", oracle_shf(a, b, c, true, true)) X("shf.l.clamp.b32", "rrrr", oracle_shf(a, b, c, true, false)) \
    X("shf.r.wrap.b32", "rrrr", oracle_shf(a, b, c, false, true)) X("shf.r.clamp.b32", "rrrr", oracle_shf(a, b, c, false, false)) \
    X("prmt.b32", "rrrr", oracle_prmt(a, b, c)) X("dp4a.u32.u32", "rrrr", oracle_dp4a(a, b, c, false, false))        \
    X("dp4a.s32.s32", "rrrr", oracle_dp4a(a, b, c, true, true)) X("dp4a.u32.s32", "rrrr", oracle_dp4a(a, b, c, false, true)) \
    X("dp4a.s32.u32", "rrrr", oracle_dp4a(a, b, c, true, false))                                                     \
    X("prmt.b32.f4e", "rrrr", PRMT_MODE("3210", "4321", "5432", "6543"))                                             \
    X("prmt.b32.b4e", "rrrr", PRMT_MODE("5670", "6701", "7012", "0123"))                                             \
    X("prmt.b32.rc8", "rrrr", PRMT_MODE("0000", "1111", "2222", "3333"))                                             \
    X("prmt.b32.ecl", "rrrr", PRMT_MODE("3210", "3211", "3222", "3333"))                                             \
    X("prmt.b32.ecr", "rrrr", PRMT_MODE("0000", "1110", "2210", "3210"))                                             \
    X("prmt.b32.rc16", "rrrr", PRMT_MODE("1010", "3232", "1010", "3232"))                                            \
    X("selp.b32", "rrrp", c ? a : b) X("selp.b64", "dddp", c ? a : b) X("slct.s32.s32", "rrrr", s32(c) >= 0 ? a : b) \
    X("slct.u64.s32", "dddr", s32(c) >= 0 ? a : b)                                                                   \
    X("setp.eq.s32", "prr", a == b) X("setp.ne.u32", "prr", a != b) X("setp.lt.s32", "prr", IS_LESS_S)               \
    X("setp.le.s32", "prr", s32(a) <= s32(b)) X("setp.gt.s32", "prr", s32(a) > s32(b))                               \
    X("setp.ge.s32", "prr", !IS_LESS_S) X("setp.lt.u32", "prr", a < b) X("setp.lo.u32", "prr", a < b)                \
    X("setp.ls.u32", "prr", a <= b) X("setp.hi.u32", "prr", a > b) X("setp.hs.u32", "prr", a >= b)                   \
    X("setp.lt.u64", "pdd", a < b) X("setp.ge.s64", "pdd", S64(a) >= S64(b)) X("setp.gt.s16", "phh", s16(a) > s16(b)) \
    X("setp.lt.and.s32", "prrp", IS_LESS_S & (c != 0)) X("setp.eq.or.b32", "prrp", (a == b) | (c != 0))              \
    X("setp.ge.xor.u32", "prrp", (a >= b) ^ (c != 0))                                                                \
    X("set.lt.u32.s32", "rrr", IS_LESS_S ? UINT32_MAX : 0) X("set.ge.s32.u32", "rrr", a >= b ? UINT32_MAX : 0)       \
    X("set.gt.and.u32.s32", "rrrp", s32(a) > s32(b) && c != 0 ? UINT32_MAX : 0)                                   \
    X("mov.u32", "rr", a) X("mov.b64", "dd", a) X("mov.b64", "d{rr}", a | b << 32) X("mov.b64", "{r_}d", a)          \
    X("mov.b64", "{_r}d", a >> 32) X("cvt.u64.u32", "dr", a) X("cvt.s64.s32", "dr", (uint64_t)s32(a))                \
    X("cvt.u32.u64", "rd", a) X("cvt.u16.u32", "hr", a) X("cvt.u32.u16", "rh", a) X("cvt.s32.s16", "rh", (uint64_t)s16(a)) \
    X("cvt.s32.s8", "rr", (uint64_t)s8(a)) X("cvt.u32.u8", "rr", a & 255) X("cvt.s64.s16", "dh", (uint64_t)s16(a))   \
    X("cvt.u16.u8", "hr", a & 255) X("cvt.s64.s8", "dr", (uint64_t)s8(a)) X("cvt.sat.u8.s32", "rr", within(s32(a), 0, 255)) \
    X("cvt.sat.s8.s32", "rr", within(s32(a), -128, 127)) X("cvt.sat.s16.u32", "rr", a > 32767 ? 32767 : a)           \
    X("cvt.sat.u32.s32", "rr", within(s32(a), 0, UINT32_MAX)) X("cvt.sat.s32.u64", "rd", a > INT32_MAX ? INT32_MAX : a) \
    X("cvt.sat.u32.s64", "rd", within(S64(a), 0, UINT32_MAX)) X("cvt.sat.s32.s64", "rd", within(S64(a), INT32_MIN, INT32_MAX))

#define ORACLE_FLOATS(X)                                                                                             \
    X("cvt.rn.f32.s32", "rr", bits_of_f32((float)s32(a))) X("cvt.rn.f32.u32", "rr", bits_of_f32((float)a))           \
    X("cvt.rzi.s32.f32", "rr", oracle_to_int((double)FA, 'z', 32, true, false))                                      \
    X("cvt.rzi.u32.f32", "rr", oracle_to_int((double)FA, 'z', 32, false, false))                                     \
    X("cvt.rni.s32.f32", "rr", oracle_to_int((double)FA, 'n', 32, true, false))                                      \
    X("cvt.rmi.s32.f32", "rr", oracle_to_int((double)FA, 'm', 32, true, false))                                      \
    X("cvt.rpi.u32.f32", "rr", oracle_to_int((double)FA, 'p', 32, false, false))                                     \
    X("cvt.rzi.s64.f32", "dr", oracle_to_int((double)FA, 'z', 64, true, false))                                      \
    X("cvt.rzi.u64.f32", "dr", oracle_to_int((double)FA, 'z', 64, false, false))                                     \
    X("cvt.rzi.s16.f32", "rr", oracle_to_int((double)FA, 'z', 16, true, false))                                      \
    X("cvt.rzi.u8.f32", "rr", oracle_to_int((double)FA, 'z', 8, false, false))                                       \
    X("cvt.rzi.s32.f64", "rd", oracle_to_int(f64_of(a), 'z', 32, true, true))                                        \
    X("cvt.rzi.u32.f64", "rd", oracle_to_int(f64_of(a), 'z', 32, false, true))                                       \
    X("cvt.rni.s64.f64", "dd", oracle_to_int(f64_of(a), 'n', 64, true, true))                                        \
    X("cvt.rn.f64.s32", "dr", bits_of_f64((double)s32(a))) X("cvt.rn.f64.u64", "dd", bits_of_f64((double)a))         \
    X("cvt.f64.f32", "dr", bits_of_f64((double)FA)) X("cvt.rn.f32.f64", "rd", bits_of_f32((float)f64_of(a)))         \
    X("cvt.rmi.f32.f32", "rr", bits_of_f32(floorf(FA))) X("cvt.rzi.f32.f32", "rr", bits_of_f32(truncf(FA)))          \
    X("cvt.sat.f32.f32", "rr", bits_of_f32(FA > 0 ? FA < 1 ? FA : 1 : 0))                                            \
    X("cvt.rmi.f64.f64", "dd", bits_of_f64(floor(f64_of(a))))                                                        \
    X("add.f32", "rrr", bits_of_f32(FA + FB)) X("sub.rn.f32", "rrr", bits_of_f32(FA - FB))                           \
    X("mul.f32", "rrr", bits_of_f32(FA * FB)) X("fma.rn.f32", "rrrr", bits_of_f32(fmaf(FA, FB, FC)))                 \
    X("div.rn.f32", "rrr", bits_of_f32(FA / FB)) X("sqrt.rn.f32", "rr", bits_of_f32(sqrtf(FA)))                      \
    X("add.sat.f32", "rrr", bits_of_f32(FA + FB > 0 ? FA + FB < 1 ? FA + FB : 1 : 0))                                \
    X("min.f32", "rrr", FA == FB ? a | b : bits_of_f32((float)oracle_lesser((double)FA, (double)FB))) X("max.f32", "rrr", FA == FB ? a & b : bits_of_f32(-(float)oracle_lesser(-(double)FA, -(double)FB)))                  \
    X("setp.eq.f32", "prr", FA == FB) X("setp.ne.f32", "prr", FA < FB || FA > FB) X("setp.lt.f32", "prr", FA < FB)   \
    X("setp.ltu.f32", "prr", !(FA >= FB)) X("setp.neu.f32", "prr", !(FA == FB)) X("setp.num.f32", "prr", FA == FA && FB == FB) \
    X("setp.nan.f32", "prr", FA != FA || FB != FB) X("setp.geu.f64", "pdd", !(f64_of(a) < f64_of(b)))                \
    X("set.lt.f32.s32", "rrr", IS_LESS_S ? 0x3f800000 : 0) X("set.lt.u32.f32", "rrr", FA < FB ? UINT32_MAX : 0)      \
    X("slct.b32.f32", "rrrr", FC >= 0 ? a : b)

/* What the rounding or the denormals of C would get wrong has to be refused, or be right: */
#define ORACLE_FLUSHED(X)                                                                                            \
    X("add.ftz.f32", "rrr", oracle_flush(oracle_flushed(a) + oracle_flushed(b)))                                     \
    X("mul.ftz.f32", "rrr", oracle_flush(oracle_flushed(a) * oracle_flushed(b)))                                     \
    X("setp.gt.ftz.f32", "prr", oracle_flushed(a) > oracle_flushed(b))                                               \
    X("cvt.ftz.f64.f32", "dr", bits_of_f64((double)oracle_flushed(a)))                                               \
    X("cvt.rpi.ftz.s32.f32", "rr", oracle_to_int((double)oracle_flushed(a), 'p', 32, true, false))

static inline float oracle_flushed(uint64_t a) { float f = f32_of(a); return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f; }
static inline uint64_t oracle_flush(float f) { return bits_of_f32(oracle_flushed(bits_of_f32(f))); }

/* Small floats by arithmetic on larger ones: a value is r times the distance of its neighbours. */
static inline double small_of(uint64_t a, int digits, int exponents)
{
    int field = (int)(a >> (digits - 1)) & ((1 << exponents) - 1), bias = (1 << (exponents - 1)) - 1;
    double rest = (double)(a & ((UINT64_C(1) << (digits - 1)) - 1)), size = field ? ldexp(rest + ldexp(1, digits - 1), field - bias - digits + 1) : ldexp(rest, 2 - bias - digits);
    if (field == (1 << exponents) - 1)
        size = rest > 0 ? (double)NAN : (double)INFINITY;
    return a >> 15 & 1 ? -size : size;
}

static inline uint64_t bits_of_small(long double x, int digits, int exponents, char round)
{
    int bias = (1 << (exponents - 1)) - 1, e;
    uint64_t sign = signbit(x) ? 0x8000 : 0, infinity = ((UINT64_C(1) << exponents) - 1) << (digits - 1);
    if (x != x)
        return 0x7fff;
    long double size = fabsl(x);
    if (isinf(size) || !(size > 0))
        return sign | (size > 0 ? infinity : 0);
    frexpl(size, &e);
    e = e - digits < 2 - bias - digits ? 2 - bias - digits : e - digits;
    long double r = ldexpl(size, -e);
    r = round == 'z' ? floorl(r) : round == 'a' ? floorl(r + 0.5L) : rintl(r);
    if (r >= ldexpl(1, digits)) {
        r /= 2;
        e++;
    }
    uint64_t bits = (uint64_t)r + ((uint64_t)(e - (2 - bias - digits)) << (digits - 1));
    return sign | (bits >= infinity ? infinity - (round == 'z') : bits);
}

#define HF(x) small_of((x) & 0xffff, 11, 5)
#define BF(x) small_of((x) & 0xffff, 8, 8)
#define AS_H(x) bits_of_small((long double)(x), 11, 5, 'n')
#define AS_B(x) bits_of_small((long double)(x), 8, 8, 'n')
#define BOTH(f) ((f((a), (b)) & 0xffff) | (f((a) >> 16, (b) >> 16) & 0xffff) << 16)
#define ADD_HF(x, y) AS_H(HF(x) + HF(y))
#define MUL_BF(x, y) AS_B(BF(x) * BF(y))
#define ADD_16(x, y) ((x) + (y))
#define MIN_S16(x, y) ((uint64_t)(s16(x) < s16(y) ? s16(x) : s16(y)))
#define RELU_S16(x, y) within(s16(x) > s16(y) ? s16(x) : s16(y), 0, 32767)
static inline double oracle_lesser(double x, double y) { return x != x ? y : y != y ? x : x < y || (x == y && signbit(x)) ? x : y; }

/* Rounded as said, by the machine that runs this. */
static inline float rounded_f32(int mode, char what, float x, float y, float z)
{
    volatile float p = x, q = y, r = z, out;
    fesetround(mode);
    out = what == '+' ? p + q : what == '*' ? p * q : what == '/' ? p / q : what == 'r' ? sqrtf(p) : fmaf(p, q, r);
    fesetround(FE_TONEAREST);
    return out;
}

static inline double rounded_f64(int mode, char what, double x, double y, double z)
{
    volatile double p = x, q = y, r = z, out;
    fesetround(mode);
    out = what == '+' ? p + q : what == '*' ? p * q : what == '/' ? p / q : what == 'r' ? sqrt(p) : fma(p, q, r);
    fesetround(FE_TONEAREST);
    return out;
}

static inline float narrowed(int mode, double x)
{
    volatile double p = x;
    volatile float out;
    fesetround(mode);
    out = (float)p;
    fesetround(FE_TONEAREST);
    return out;
}

static inline uint64_t oracle_fns(uint64_t mask, uint64_t base, uint64_t offset)
{
    int found = 0, wanted = (int)s32(offset);
    if (base > 31)
        return UINT32_MAX;
    if (!wanted)
        return bit(mask, (int)base) ? base : UINT32_MAX;
    for (int i = (int)base; i >= 0 && i < 32; i += wanted > 0 ? 1 : -1)
        if ((found += (int)bit(mask, i) * (wanted > 0 ? 1 : -1)) == wanted)
            return (uint64_t)i;
    return UINT32_MAX;
}

static inline uint64_t oracle_dp2a(uint64_t a, uint64_t b, uint64_t c, bool is_a_signed, bool is_b_signed, bool is_high)
{
    for (int i = 0; i < 2; i++) {
        uint64_t x = a >> (16 * i), y = b >> (8 * i + (is_high ? 16 : 0));
        c += (uint64_t)((is_a_signed ? s16(x) : (int64_t)(x & 0xffff)) * (is_b_signed ? s8(y) : (int64_t)(y & 255)));
    }
    return c;
}

#define ORACLE_MORE_INTEGERS(X)                                                                                      \
    X("add.u16x2", "rrr", BOTH(ADD_16)) X("add.s16x2", "rrr", BOTH(ADD_16)) X("min.s16x2", "rrr", BOTH(MIN_S16))     \
    X("max.relu.s16x2", "rrr", BOTH(RELU_S16)) X("min.relu.s32", "rrr", within(IS_LESS_S ? s32(a) : s32(b), 0, INT32_MAX)) \
    X("max.relu.s32", "rrr", within(IS_LESS_S ? s32(b) : s32(a), 0, INT32_MAX)) X("fns.b32", "rrrr", oracle_fns(a, b, c)) \
    X("dp2a.lo.u32.u32", "rrrr", oracle_dp2a(a, b, c, false, false, false)) X("dp2a.hi.s32.u32", "rrrr", oracle_dp2a(a, b, c, true, false, true)) \
    X("dp2a.hi.u32.s32", "rrrr", oracle_dp2a(a, b, c, false, true, true)) X("dp2a.lo.s32.s32", "rrrr", oracle_dp2a(a, b, c, true, true, false)) \
    X("cvt.pack.sat.s16.s32", "rrr", (within(s32(a), -32768, 32767) << 16) | (within(s32(b), -32768, 32767) & 0xffff)) \
    X("cvt.pack.sat.u16.s32", "rrr", (within(s32(a), 0, 65535) << 16) | within(s32(b), 0, 65535))                    \
    X("cvt.pack.sat.u8.s32.b32", "rrrr", c << 16 | within(s32(a), 0, 255) << 8 | within(s32(b), 0, 255))             \
    X("cvt.pack.sat.s4.s32.b32", "rrrr", c << 8 | (within(s32(a), -8, 7) & 15) << 4 | (within(s32(b), -8, 7) & 15))  \
    X("abs.s64", "dd", S64(a) < 0 ? 0 - a : a) X("abs.s16", "hh", s16(a) < 0 ? 0 - a : a) X("sad.u16", "hhhh", (a < b ? b - a : a - b) + c) \
    X("mul.hi.u16", "hhh", a * b >> 16) X("mul.hi.s16", "hhh", (uint64_t)(s16(a) * s16(b)) >> 16) X("not.b16", "hh", ~a) X("shr.u16", "hhr", b > 15 ? 0 : a >> b) \
    X("mad.hi.s64", "dddd", oracle_mulhi_signed(a, b) + c) X("mad.hi.u64", "dddd", oracle_mulhi(a, b) + c) X("div.s16", "hhh", oracle_div(s16(a), s16(b))) \
    X("rem.u16", "hhh", b ? a % b : UINT16_MAX) X("max.s64", "ddd", S64(a) < S64(b) ? b : a) X("min.u64", "ddd", a < b ? a : b) X("sad.s64", "dddd", (S64(a) < S64(b) ? b - a : a - b) + c)

/* k: the condition code, which is not written. Sums, and what they leave in it. */
#define ORACLE_CARRIES(X)                                                                                            \
    X("add.cc.u32", "rrr", a + b) X("add.cc.s32", "rrr", a + b) X("add.cc.u64", "ddd", a + b) X("addc.u32", "rrrk", a + b + c) X("addc.cc.u32", "rrrk", a + b + c) \
    X("addc.cc.s64", "dddk", a + b + c) X("sub.cc.u32", "rrr", a - b) X("subc.cc.u32", "rrrk", a - b - c) X("subc.cc.u64", "dddk", a - b - c) X("subc.s32", "rrrk", a - b - c) \
    X("mad.lo.cc.u32", "rrrr", a * b + c) X("mad.hi.cc.u32", "rrrr", (a * b >> 32) + c) X("madc.lo.cc.u32", "rrrrk", a * b + c + e) \
    X("madc.hi.u32", "rrrrk", (a * b >> 32) + c + e) X("madc.hi.cc.u64", "ddddk", oracle_mulhi(a, b) + c + e) X("madc.hi.cc.s32", "rrrrk", ((uint64_t)(s32(a) * s32(b)) >> 32) + c + e)
#define IS_OVER(x, y, k) ((x) + (y) < (x) || (x) + (y) + (k) < (k))
#define LOW_32(x) ((x) & UINT32_MAX)
#define ORACLE_CARRIES_LEFT(X)                                                                                       \
    X("add.cc.u32", "rrr", (a + b) >> 32) X("add.cc.s32", "rrr", (a + b) >> 32) X("add.cc.u64", "ddd", a + b < a) X("addc.u32", "rrrk", 0) X("addc.cc.u32", "rrrk", (a + b + c) >> 32) \
    X("addc.cc.s64", "dddk", IS_OVER(a, b, c)) X("sub.cc.u32", "rrr", a < b) X("subc.cc.u32", "rrrk", a < b + c) X("subc.cc.u64", "dddk", a < b || (a == b && c)) X("subc.s32", "rrrk", 0) \
    X("mad.lo.cc.u32", "rrrr", (LOW_32(a * b) + c) >> 32) X("mad.hi.cc.u32", "rrrr", ((a * b >> 32) + c) >> 32) X("madc.lo.cc.u32", "rrrrk", (LOW_32(a * b) + c + e) >> 32) \
    X("madc.hi.u32", "rrrrk", 0) X("madc.hi.cc.u64", "ddddk", IS_OVER(oracle_mulhi(a, b), c, e)) X("madc.hi.cc.s32", "rrrrk", (LOW_32((uint64_t)(s32(a) * s32(b)) >> 32) + c + e) >> 32)

#define F64_OF(x) f64_of(x)
#define ORACLE_SMALL_FLOATS(X)                                                                                       \
    X("copysign.f32", "rrr", (a & 0x80000000) | (b & 0x7fffffff)) X("copysign.f64", "ddd", (a >> 63) << 63 | b << 1 >> 1) \
    X("add.f16", "hhh", ADD_HF(a, b)) X("sub.f16", "hhh", AS_H(HF(a) - HF(b))) X("mul.f16", "hhh", AS_H(HF(a) * HF(b)))  \
    X("fma.rn.f16", "hhhh", AS_H((long double)HF(a) * (long double)HF(b) + (long double)HF(c))) X("add.f16x2", "rrr", BOTH(ADD_HF)) \
    X("neg.f16", "hh", AS_H(-HF(a))) X("abs.f16", "hh", AS_H(fabs(HF(a)))) X("min.f16", "hhh", AS_H(oracle_lesser(HF(a), HF(b))))  \
    X("max.NaN.f16", "hhh", HF(a) != HF(a) || HF(b) != HF(b) ? 0x7fff : AS_H(-oracle_lesser(-HF(a), -HF(b))))        \
    X("setp.lt.f16", "phh", HF(a) < HF(b)) X("setp.geu.bf16", "phh", !(BF(a) < BF(b))) X("setp.eq.f16x2", "prr", HF(a) == HF(b)) \
    X("set.lt.f16.s32", "hrr", IS_LESS_S ? 0x3c00 : 0) X("set.ge.u32.f16", "rhh", HF(a) >= HF(b) ? UINT32_MAX : 0)  \
    X("cvt.f32.f16", "rh", bits_of_f32((float)HF(a))) X("cvt.f32.bf16", "rh", bits_of_f32((float)BF(a))) X("cvt.f64.f16", "dh", bits_of_f64(HF(a))) \
    X("cvt.rn.f16.f32", "hr", AS_H(FA)) X("cvt.rz.f16.f32", "hr", bits_of_small((long double)FA, 11, 5, 'z')) X("cvt.rn.bf16.f32", "hr", AS_B(FA)) \
    X("cvt.rz.bf16.f32", "hr", bits_of_small((long double)FA, 8, 8, 'z')) X("cvt.rn.f16.f64", "hd", AS_H(f64_of(a))) X("cvt.rn.f16.s32", "hr", AS_H(s32(a))) \
    X("cvt.rn.f16.u64", "hd", AS_H(a)) X("cvt.rzi.s32.f16", "rh", oracle_to_int(HF(a), 'z', 32, true, false)) X("cvt.rni.s64.f16", "dh", oracle_to_int(HF(a), 'n', 64, true, false)) \
    X("cvt.rmi.s16.bf16", "hh", oracle_to_int(BF(a), 'm', 16, true, false)) X("cvt.rn.f16x2.f32", "rrr", AS_H(FA) << 16 | AS_H(FB)) \
    X("cvt.rn.bf16x2.f32", "rrr", AS_B(FA) << 16 | AS_B(FB)) X("cvt.rni.f16.f16", "hh", AS_H(rint(HF(a)))) X("cvt.rpi.f16.f16", "hh", AS_H(ceil(HF(a)))) \
    X("add.rn.bf16", "hhh", AS_B((long double)BF(a) + (long double)BF(b))) X("mul.rn.bf16x2", "rrr", BOTH(MUL_BF))    \
    X("add.rz.f32", "rrr", bits_of_f32(rounded_f32(FE_TOWARDZERO, '+', FA, FB, 0))) X("mul.rp.f32", "rrr", bits_of_f32(rounded_f32(FE_UPWARD, '*', FA, FB, 0))) \
    X("fma.rm.f32", "rrrr", bits_of_f32(rounded_f32(FE_DOWNWARD, 'f', FA, FB, FC))) X("div.rz.f32", "rrr", bits_of_f32(rounded_f32(FE_TOWARDZERO, '/', FA, FB, 0))) \
    X("sqrt.rp.f32", "rr", bits_of_f32(rounded_f32(FE_UPWARD, 'r', FA, 0, 0))) X("rcp.rm.f32", "rr", bits_of_f32(rounded_f32(FE_DOWNWARD, '/', 1, FA, 0))) \
    X("add.rm.f64", "ddd", bits_of_f64(rounded_f64(FE_DOWNWARD, '+', f64_of(a), f64_of(b), 0))) X("mul.rz.f64", "ddd", bits_of_f64(rounded_f64(FE_TOWARDZERO, '*', f64_of(a), f64_of(b), 0))) \
    X("div.rp.f64", "ddd", bits_of_f64(rounded_f64(FE_UPWARD, '/', f64_of(a), f64_of(b), 0))) X("sqrt.rm.f64", "dd", bits_of_f64(rounded_f64(FE_DOWNWARD, 'r', f64_of(a), 0, 0))) \
    X("fma.rz.f64", "dddd", bits_of_f64(rounded_f64(FE_TOWARDZERO, 'f', f64_of(a), f64_of(b), f64_of(c))))            \
    X("cvt.rz.f32.s32", "rr", bits_of_f32(narrowed(FE_TOWARDZERO, (double)s32(a)))) X("cvt.rp.f32.u32", "rr", bits_of_f32(narrowed(FE_UPWARD, (double)a))) \
    X("cvt.rm.f32.f64", "rd", bits_of_f32(narrowed(FE_DOWNWARD, f64_of(a)))) X("cvt.rni.f64.f64", "dd", bits_of_f64(rint(f64_of(a)))) \
    X("cvt.rpi.f64.f64", "dd", bits_of_f64(ceil(f64_of(a)))) X("testp.normal.f32", "pr", isnormal(FA) != 0 || FA == 0) X("testp.subnormal.f32", "pr", fpclassify(FA) == FP_SUBNORMAL) \
    X("testp.notanumber.f64", "pd", isnan(f64_of(a)) != 0) X("testp.finite.f32", "pr", isfinite(FA) != 0) X("testp.infinite.f64", "pd", isinf(f64_of(a)) != 0) \
    X("min.NaN.f32", "rrr", FA != FA || FB != FB ? 0x7fffffff : bits_of_f32((float)oracle_lesser((double)FA, (double)FB)))

typedef struct OracleOp {
    const char *text, *registers;
} OracleOp;

/* Registers of a row, its result first, without braces and parts. */
static inline unsigned oracle_part_length(const char *at) { return *at == '(' ? (unsigned)(strchr(at, ')') - at) + 1 : 0; }
static inline unsigned oracle_kinds(const OracleOp *op, char kinds[6])
{
    unsigned count = 0;
    for (const char *at = op->registers; *at; at += oracle_part_length(at + 1) + 1)
        if (!strchr("{}_", *at))
            kinds[count++] = *at;
    return count;
}

/* ".h1" of (h1); a minus is the answer. */
static inline bool oracle_part(const char *at, char part[8])
{
    unsigned length = oracle_part_length(at);
    part[0] = '\0';
    if (length && at[1] != '-')
        snprintf(part, 8, ".%.*s", (int)length - 2, at + 1);
    return length && at[1] == '-';
}

#endif
