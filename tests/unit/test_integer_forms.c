/* test_integer_forms.c -- each integer form of the instruction table, in every width and
 * signedness, at the corners of its operands against a plain evaluation: operands are read as
 * numbers of 128 bits, one operation is done, and the result is cut. oracle_ops.h has single rows
 * of all kinds; here no form is left out. */
#include "kit.h"

#include "api/module.h"
#include "analysis/sim/value.h"
#include "ir/func.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/diag.h"

typedef __int128 Wide;

typedef struct IntRow IntRow;
typedef Wide WantFn(const IntRow *row, const uint64_t x[4]);

struct IntRow {
    char text[48];              /* mul.hi.s32 */
    /* of the result and operands: p, h, r, d; k: the condition code; i: immediates in turn */
    char kinds[8];
    WantFn *want;
    unsigned bits;              /* of the operands */
    bool is_signed;
    unsigned to_bits;           /* of a conversion's result; of dp4a, whether b is signed */
    bool to_signed;
    unsigned immediate;
    bool skips_zero;            /* of b: undefined */
    bool may_refuse;            /* its result may be unknown */
    uint64_t mask;              /* of the result */
};

enum { MAX_ROWS = 4000 };

typedef struct RowTable {
    IntRow *rows;
    unsigned count;
} RowTable;

/* ---- the plain evaluation -------------------------------------------------------------------- */

static Wide read_int(uint64_t x, unsigned bits, bool is_signed)
{
    Wide value = bits == 64 ? (Wide)x : (Wide)(x & ((UINT64_C(1) << bits) - 1));
    return is_signed && value >> (bits - 1) & 1 ? value - ((Wide)1 << bits) : value;
}

static Wide own(const IntRow *row, uint64_t x)
{
    return read_int(x, row->bits, row->is_signed);
}

static Wide clamp(Wide x, unsigned bits, bool is_signed)
{
    Wide low = is_signed ? -((Wide)1 << (bits - 1)) : 0, high = ((Wide)1 << (bits - is_signed)) - 1;
    return x < low ? low : x > high ? high : x;
}

#define WANT(name, expression)                                                              \
    static Wide want_##name(const IntRow *row, const uint64_t x[4])                         \
    {                                                                                       \
        const Wide a = own(row, x[0]), b = own(row, x[1]), c = own(row, x[2]);              \
        (void)a, (void)b, (void)c;                                                          \
        return expression;                                                                  \
    }

/* A product of 64-bit numbers has 128 bits: its high half without signs, then signs taken off. */
static Wide high_product(const IntRow *row, uint64_t x, uint64_t y)
{
    if (row->bits < 64)
        return (own(row, x) * own(row, y)) >> row->bits;
    Wide high = (Wide)(((unsigned __int128)x * y) >> 64);
    return row->is_signed ? high - (x >> 63 ? (Wide)y : 0) - (y >> 63 ? (Wide)x : 0) : high;
}

static Wide low_product(const IntRow *row, uint64_t x, uint64_t y)
{
    return (Wide)(uint64_t)((unsigned __int128)own(row, x) * (unsigned __int128)own(row, y));
}

static Wide cut(const IntRow *row, Wide x)
{
    return read_int((uint64_t)x, row->bits, row->is_signed);
}

static Wide factor_24(const IntRow *row, uint64_t x)
{
    return read_int(x, 24, row->is_signed);
}

WANT(add, a + b)
WANT(sub, a - b)
WANT(add_sat, clamp(a + b, 32, true))
WANT(sub_sat, clamp(a - b, 32, true))
WANT(mul_lo, low_product(row, x[0], x[1]))
WANT(mul_hi, high_product(row, x[0], x[1]))
WANT(mul_wide, a *b)
WANT(mad_lo, low_product(row, x[0], x[1]) + c)
WANT(mad_hi, high_product(row, x[0], x[1]) + c)
WANT(mad_hi_sat, clamp(high_product(row, x[0], x[1]) + c, 32, true))
WANT(mad_wide, a *b + (Wide)x[2])
WANT(mul24_lo, factor_24(row, x[0]) * factor_24(row, x[1]))
WANT(mul24_hi, (factor_24(row, x[0]) * factor_24(row, x[1])) >> 16)
WANT(mad24_lo, factor_24(row, x[0]) * factor_24(row, x[1]) + c)
WANT(mad24_hi, ((factor_24(row, x[0]) * factor_24(row, x[1])) >> 16) + c)
WANT(mad24_hi_sat, clamp(((factor_24(row, x[0]) * factor_24(row, x[1])) >> 16) + c, 32, true))
WANT(sad, c + (a < b ? b - a : a - b))
WANT(div, a / b)
WANT(rem, a % b)
WANT(abs, a < 0 ? -a : a)
WANT(neg, -a)
WANT(min, a < b ? a : b)
WANT(max, a < b ? b : a)
WANT(min_relu, clamp(a < b ? a : b, row->bits - 1, false))
WANT(max_relu, clamp(a < b ? b : a, row->bits - 1, false))
WANT(and, a &b)
WANT(or, a | b)
WANT(xor, a ^ b)
WANT(not, ~a)
WANT(cnot, a == 0)
WANT(not_pred, !(x[0] & 1))
WANT(addc, a + b + (Wide)(x[2] & 1))
WANT(subc, a - b - (Wide)(x[2] & 1))
WANT(madc_lo, low_product(row, x[0], x[1]) + c + (Wide)(x[3] & 1))
WANT(madc_hi, high_product(row, x[0], x[1]) + c + (Wide)(x[3] & 1))
WANT(addc_sat, clamp(a + b + (Wide)(x[2] & 1), 32, true))
WANT(subc_sat, clamp(a - b - (Wide)(x[2] & 1), 32, true))
WANT(madc_hi_sat, clamp(cut(row, high_product(row, x[0], x[1])) + c + (Wide)(x[3] & 1), 32, true))
WANT(selp, x[2] & 1 ? a : b)
WANT(slct, (int32_t)(uint32_t)x[2] >= 0 ? a : b)
WANT(shl, (uint32_t)x[1] >= row->bits ? 0 : a << (uint32_t)x[1])
WANT(shr, a >> ((uint32_t)x[1] > 100 ? 100 : (uint32_t)x[1]))
WANT(cvt, cut(&(IntRow){ .bits = row->to_bits, .is_signed = row->to_signed }, a))
WANT(cvt_sat, clamp(a, row->to_bits, row->to_signed))

static Wide want_popc(const IntRow *row, const uint64_t x[4])
{
    int count = 0;
    for (unsigned i = 0; i < row->bits; i++)
        count += x[0] >> i & 1;
    return count;
}

static Wide want_clz(const IntRow *row, const uint64_t x[4])
{
    unsigned zeros = 0;
    while (zeros < row->bits && !(x[0] >> (row->bits - 1 - zeros) & 1))
        zeros++;
    return (Wide)zeros;
}

static Wide want_brev(const IntRow *row, const uint64_t x[4])
{
    Wide out = 0;
    for (unsigned i = 0; i < row->bits; i++)
        out = out * 2 + (Wide)(x[0] >> i & 1);
    return out;
}

/* PTX ISA, "bfind": the highest bit that is not the sign; all ones where there is none. to_bits: as
 * the shift that takes it to the top. */
static Wide want_bfind(const IntRow *row, const uint64_t x[4])
{
    Wide value = own(row, x[0]);
    int place = -1;
    for (value = value < 0 ? -value - 1 : value; value; value /= 2)
        place++;
    return place < 0 || !row->to_bits ? place : (Wide)row->bits - 1 - place;
}

static Wide want_bfe(const IntRow *row, const uint64_t x[4])
{
    unsigned place = x[1] & 255, length = x[2] & 255;
    Wide whole = own(row, x[0]), rest = whole >> (place > 100 ? 100 : place);
    if (!length || (!row->is_signed && place >= row->bits))
        return 0;
    if (place + length >= row->bits)
        return rest;
    rest &= ((Wide)1 << length) - 1;
    return row->is_signed && rest >> (length - 1) & 1 ? rest - ((Wide)1 << length) : rest;
}

static Wide want_bfi(const IntRow *row, const uint64_t x[4])
{
    unsigned place = x[2] & 255, length = x[3] & 255;
    Wide out = read_int(x[1], row->bits, false);
    for (unsigned i = 0; i < length && place + i < row->bits; i++) {
        Wide one = (Wide)1 << (place + i);
        out = x[0] >> i & 1 ? out | one : out & ~one;
    }
    return out;
}

/* PTX ISA, "szext": N of b; of a the lowest N bits. */
static Wide want_szext(const IntRow *row, const uint64_t x[4])
{
    unsigned length = row->to_bits          ? x[1] & 31
                      : (uint32_t)x[1] > 32 ? 32
                                            : (unsigned)(uint32_t)x[1];
    return length ? read_int(x[0], length, row->is_signed) : 0;
}

static Wide want_bmsk(const IntRow *row, const uint64_t x[4])
{
    uint64_t place = row->to_bits ? x[0] & 31 : x[0], length = row->to_bits ? x[1] & 31 : x[1];
    Wide out = 0;
    for (uint64_t i = place; i < 32 && i - place < length; i++)
        out |= (Wide)1 << i;
    return out;
}

/* to_bits: left; to_signed: wrap. */
static Wide want_shf(const IntRow *row, const uint64_t x[4])
{
    unsigned by = row->to_signed ? x[2] & 31 : (uint32_t)x[2] > 32 ? 32 : (unsigned)(uint32_t)x[2];
    unsigned __int128 pair = (unsigned __int128)(uint32_t)x[1] << 32 | (uint32_t)x[0];
    return row->to_bits ? (Wide)(pair << by >> 32) : (Wide)(pair >> by);
}

static Wide want_lop3(const IntRow *row, const uint64_t x[4])
{
    Wide out = 0;
    for (unsigned i = 0; i < 32; i++)
        out |= (Wide)(row->immediate
                          >> ((x[0] >> i & 1) * 4 + (x[1] >> i & 1) * 2 + (x[2] >> i & 1))
                      & 1)
               << i;
    return out;
}

static Wide want_prmt(const IntRow *row, const uint64_t x[4])
{
    uint8_t bytes[8];
    Wide out = 0;
    (void)row;
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((i < 4 ? x[0] : x[1]) >> (8 * (i % 4)));
    for (unsigned i = 0; i < 4; i++) {
        unsigned selector = x[2] >> (4 * i) & 15, byte = bytes[selector & 7];
        out |= (Wide)(selector & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
    }
    return out;
}

/* to_bits: how many bits of b's part: 8; of dp2a to_signed is whether b is signed and immediate the
 * first byte of b. */
static Wide want_dp(const IntRow *row, const uint64_t x[4])
{
    unsigned a_bits = row->to_bits;
    Wide sum = read_int(x[2], 32, false);
    for (unsigned i = 0; i < 32 / a_bits; i++)
        sum += read_int(x[0] >> (a_bits * i), a_bits, row->is_signed)
               * read_int(x[1] >> (8 * (i + row->immediate)), 8, row->to_signed);
    return sum;
}

WANT(add_sat_own, clamp(a + b, row->bits, row->is_signed))
WANT(sub_sat_own, clamp(a - b, row->bits, row->is_signed))

/* Parts of a register, each by itself: to_bits says how, immediate how wide they are. */
static Wide want_parts(const IntRow *row, const uint64_t x[4])
{
    static WantFn *const each[] = {
        want_add,      want_sub,      want_min,         want_max,         want_min_relu,
        want_max_relu, want_add_sat_own, want_sub_sat_own, want_neg
    };
    const unsigned width = row->immediate;
    const IntRow part = { .bits = width, .is_signed = row->is_signed };
    const Wide mask = ((Wide)1 << width) - 1;
    Wide out = 0;
    for (unsigned at = 0; at < 32; at += width) {
        const uint64_t y[4] = { x[0] >> at, x[1] >> at, 0, 0 };
        out |= (each[row->to_bits](&part, y) & mask) << at;
    }
    return out;
}

/* PTX ISA 9.3, "clmad": the product of polynomials over two elements. */
static Wide want_clmad(const IntRow *row, const uint64_t x[4])
{
    unsigned __int128 sum = 0;
    for (unsigned i = 0; i < 64; i++)
        if (x[1] >> i & 1)
            sum ^= (unsigned __int128)x[0] << i;
    return (Wide)((row->to_bits ? (uint64_t)(sum >> 64) : (uint64_t)sum) ^ x[2]);
}

static const char *const compares[] = {
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"
};

static bool holds(const IntRow *row, const uint64_t x[4])
{
    const Wide a = own(row, x[0]), b = own(row, x[1]);
    switch (row->immediate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: case 6: return a < b;
    case 3: case 7: return a <= b;
    case 4: case 8: return a > b;
    default: return a >= b;
    }
}

/* to_bits: 0 as it is; 1, 2, 3: and, or, xor with the predicate. */
static bool joined(const IntRow *row, const uint64_t x[4])
{
    bool p = holds(row, x), q = x[2] & 1;
    return row->to_bits == 1 ? p && q : row->to_bits == 2 ? p || q : row->to_bits == 3 ? p != q : p;
}

static Wide want_setp(const IntRow *row, const uint64_t x[4])
{
    return joined(row, x);
}

/* to_signed: 1.0 of f32, else all ones. */
static Wide want_set(const IntRow *row, const uint64_t x[4])
{
    Wide yes = row->to_signed ? 0x3f800000 : UINT32_MAX;
    return joined(row, x) ? yes : 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static char register_of(unsigned bits)
{
    return bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

/* kinds: of result and operands; t: as the type. */
static IntRow *add_row(RowTable *table, const char *text, const char *kinds, WantFn *want,
                       unsigned bits, bool is_signed)
{
    assert_true(table->count < MAX_ROWS);
    IntRow *row = &table->rows[table->count++];
    *row = (IntRow){ .want = want, .bits = bits, .is_signed = is_signed };
    snprintf(row->text, sizeof row->text, "%s", text);
    for (unsigned i = 0; kinds[i]; i++)
        row->kinds[i] = kinds[i] == 't' ? register_of(bits) : kinds[i];
    row->mask = row->kinds[0] == 'd'   ? UINT64_MAX
                : row->kinds[0] == 'r' ? UINT32_MAX
                : row->kinds[0] == 'h' ? 0xffff
                                       : 1;
    return row;
}

/* "OP.TYPE" for each type in types: "s16 u64". Returns the first; the last is the table's. */
static IntRow *add_rows(RowTable *table, const char *op, const char *types, const char *kinds,
                        WantFn *want)
{
    IntRow *first = &table->rows[table->count];
    for (const char *at = types; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ')) {
        char text[48];
        int length = (int)strcspn(at, " ");
        unsigned bits = *at == 'p' ? 1 : (unsigned)strtoul(at + 1, NULL, 10);
        snprintf(text, sizeof text, "%s.%.*s", op, length, at);
        add_row(table, text, kinds, want, bits, *at == 's');
    }
    return first;
}

#define ALL "u16 s16 u32 s32 u64 s64"
#define LONG "u32 s32 u64 s64"
#define BITS "b16 b32 b64"

static void add_arithmetic(RowTable *t)
{
    static const struct { const char *op, *types, *kinds; WantFn *want; } rows[] = {
        { "add", ALL, "ttt", want_add }, { "sub", ALL, "ttt", want_sub }, { "add.sat", "s32", "ttt", want_add_sat }, { "sub.sat", "s32", "ttt", want_sub_sat },
        { "mul.lo", ALL, "ttt", want_mul_lo }, { "mul.hi", ALL, "ttt", want_mul_hi }, { "mul.wide", "u16 s16", "rtt", want_mul_wide },
        { "mul.wide", "u32 s32", "dtt", want_mul_wide }, { "mad.lo", ALL, "tttt", want_mad_lo }, { "mad.hi", ALL, "tttt", want_mad_hi },
        { "mad.hi.sat", "s32", "tttt", want_mad_hi_sat }, { "mad.wide", "u16 s16", "rttr", want_mad_wide }, { "mad.wide", "u32 s32", "dttd", want_mad_wide },
        { "mul24.lo", "u32 s32", "ttt", want_mul24_lo }, { "mul24.hi", "u32 s32", "ttt", want_mul24_hi }, { "mad24.lo", "u32 s32", "tttt", want_mad24_lo },
        { "mad24.hi", "u32 s32", "tttt", want_mad24_hi }, { "mad24.hi.sat", "s32", "tttt", want_mad24_hi_sat }, { "sad", ALL, "tttt", want_sad },
        { "abs", "s16 s32 s64", "tt", want_abs }, { "neg", "s16 s32 s64", "tt", want_neg }, { "min", ALL, "ttt", want_min }, { "max", ALL, "ttt", want_max },
        { "min.relu", "s32", "ttt", want_min_relu }, { "max.relu", "s32", "ttt", want_max_relu },
        { "add.cc", LONG, "ttt", want_add }, { "sub.cc", LONG, "ttt", want_sub }, { "addc", LONG, "tttk", want_addc }, { "addc.cc", LONG, "tttk", want_addc },
        { "subc", LONG, "tttk", want_subc }, { "subc.cc", LONG, "tttk", want_subc }, { "mad.lo.cc", LONG, "tttt", want_mad_lo },
        { "mad.hi.cc", LONG, "tttt", want_mad_hi }, { "madc.lo", LONG, "ttttk", want_madc_lo }, { "madc.lo.cc", LONG, "ttttk", want_madc_lo },
        { "madc.hi", LONG, "ttttk", want_madc_hi }, { "madc.hi.cc", LONG, "ttttk", want_madc_hi },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        add_rows(t, rows[i].op, rows[i].types, rows[i].kinds, rows[i].want);
    add_rows(t, "addc.sat", "s32", "tttk", want_addc_sat)->may_refuse = true;
    add_rows(t, "subc.sat", "s32", "tttk", want_subc_sat)->may_refuse = true;
    add_rows(t, "madc.hi.sat", "s32", "ttttk", want_madc_hi_sat)->may_refuse = true;
    IntRow *divisions = add_rows(t, "div", ALL, "ttt", want_div);
    add_rows(t, "rem", ALL, "ttt", want_rem);
    for (IntRow *row = divisions; row < t->rows + t->count; row++)
        row->skips_zero = true;
}

/* Which types a packed operation has: of 16 bits without and with a sign, then of 8. */
static void add_packed(RowTable *t)
{
    static const struct { const char *op; bool has[4]; } ops[] = {
        { "add", { true, true, true, true } },      { "sub", { false, false, true, true } },
        { "min", { true, true, true, true } },      { "max", { true, true, true, true } },
        { "min.relu", { false, true, false, true } }, { "max.relu", { false, true, false, true } },
        { "add.sat", { true, true, true, true } },  { "sub.sat", { false, false, true, true } },
        { "neg", { false, false, false, true } },
    };
    static const char *const types[] = { "u16x2", "s16x2", "u8x4", "s8x4" };
    for (unsigned n = 0; n < COUNT(ops) * COUNT(types); n++) {
        const unsigned type = n % COUNT(types), op = n / COUNT(types);
        if (!ops[op].has[type])
            continue;
        char text[48];
        snprintf(text, sizeof text, "%s.%s", ops[op].op, types[type]);
        const char *kinds = op == COUNT(ops) - 1 ? "rr" : "rrr";
        IntRow *row = add_row(t, text, kinds, want_parts, 32, type & 1);
        row->to_bits = op;
        row->immediate = type < 2 ? 16 : 8;
    }
    add_row(t, "add.sat.u32", "rrr", want_add_sat_own, 32, false);
    add_row(t, "clmad.lo.u64", "dddd", want_clmad, 64, false);
    add_row(t, "clmad.hi.u64", "dddd", want_clmad, 64, false)->to_bits = 1;
}

static void add_bits(RowTable *t)
{
    static const struct {
        const char *op, *types, *kinds;
        WantFn *want;
        unsigned to_bits;
    } rows[] = {
        { "and", "pred " BITS, "ttt", want_and, 0 },
        { "or", "pred " BITS, "ttt", want_or, 0 },
        { "xor", "pred " BITS, "ttt", want_xor, 0 },
        { "not", BITS, "tt", want_not, 0 },
        { "not", "pred", "tt", want_not_pred, 0 },
        { "cnot", BITS, "tt", want_cnot, 0 },
        { "shl", BITS, "ttr", want_shl, 0 },
        { "shr", BITS " " ALL, "ttr", want_shr, 0 },
        { "popc", "b32 b64", "rt", want_popc, 0 },
        { "clz", "b32 b64", "rt", want_clz, 0 },
        { "brev", "b32 b64", "tt", want_brev, 0 },
        { "bfind", LONG, "rt", want_bfind, 0 },
        { "bfind.shiftamt", LONG, "rt", want_bfind, 1 },
        { "bfe", LONG, "ttrr", want_bfe, 0 },
        { "bfi", "b32 b64", "tttrr", want_bfi, 0 },
        { "szext.clamp", "u32 s32", "rrr", want_szext, 0 },
        { "szext.wrap", "u32 s32", "rrr", want_szext, 1 },
        { "bmsk.clamp", "b32", "rrr", want_bmsk, 0 },
        { "bmsk.wrap", "b32", "rrr", want_bmsk, 1 },
        { "prmt", "b32", "rrrr", want_prmt, 0 },
        { "selp", BITS " " ALL, "tttp", want_selp, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (IntRow *row = add_rows(t, rows[i].op, rows[i].types, rows[i].kinds, rows[i].want);
             row < t->rows + t->count; row++)
            row->to_bits = rows[i].to_bits;
    static const char *const slct[] = { "b16", "b32", "b64", "u16", "s16",
                                        "u32", "s32", "u64", "s64" };
    for (size_t i = 0; i < COUNT(slct); i++) {
        char text[48];
        snprintf(text, sizeof text, "slct.%s.s32", slct[i]);
        add_row(t, text, "tttr", want_slct, (unsigned)strtoul(slct[i] + 1, NULL, 10),
                slct[i][0] == 's');
    }
    static const unsigned tables[] = { 0x00, 0x1e, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0xff };
    for (size_t i = 0; i < COUNT(tables); i++)
        add_row(t, "lop3.b32", "rrrri", want_lop3, 32, false)->immediate = tables[i];
}

static void add_funnels_and_dots(RowTable *t)
{
    char text[48];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "shf.%c.%s.b32", i & 1 ? 'l' : 'r', i & 2 ? "wrap" : "clamp");
        IntRow *row = add_row(t, text, "rrrr", want_shf, 32, false);
        row->to_bits = i & 1;
        row->to_signed = i & 2;
    }
    for (unsigned i = 0; i < 12; i++) {
        char a = i & 1 ? 's' : 'u', b = i & 2 ? 's' : 'u';
        snprintf(text, sizeof text,
                 i < 4   ? "dp4a.%c32.%c32"
                 : i < 8 ? "dp2a.lo.%c32.%c32"
                         : "dp2a.hi.%c32.%c32",
                 a, b);
        IntRow *row = add_row(t, text, "rrrr", want_dp, 32, i & 1);
        row->to_signed = i & 2;
        row->to_bits = i < 4 ? 8 : 16;
        row->immediate = i < 8 ? 0 : 2;
    }
}

static void add_comparisons(RowTable *t)
{
    static const char *const types[] = { "b16", "b32", "b64", "u16", "u32",
                                         "u64", "s16", "s32", "s64" };
    static const char *const joins[] = { "", ".and", ".or", ".xor" }, *const to[] = { "", ".u32",
                                                                                      ".s32",
                                                                                      ".f32" };
    for (unsigned n = 0; n < COUNT(compares) * COUNT(types) * COUNT(joins) * COUNT(to); n++) {
        unsigned compare = n % COUNT(compares), type = n / COUNT(compares) % COUNT(types),
                 join = n / COUNT(compares) / COUNT(types) % COUNT(joins);
        unsigned result = n / COUNT(compares) / COUNT(types) / COUNT(joins);
        if (compare >= 2
            && (type < 3
                || (type >= 6
                    && compare >= 6))) /* bits are equal or not; lo to hs are of unsigned numbers */
            continue;
        char text[48];
        snprintf(text, sizeof text, "set%s.%s%s%s.%s", result ? "" : "p", compares[compare],
                 joins[join], to[result], types[type]);
        char kinds[8] = { result ? 'r' : 'p', 't', 't', join ? 'p' : 0, 0 };
        IntRow *row = add_row(t, text, kinds, result ? want_set : want_setp,
                              (unsigned)strtoul(types[type] + 1, NULL, 10), types[type][0] == 's');
        row->immediate = compare;
        row->to_bits = join;
        row->to_signed = result == 3;
    }
}

/* A type of 8 bits has a register of 16 or 32. */
static void add_conversions(RowTable *t)
{
    static const char *const types[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
    for (unsigned n = 0; n < 2 * COUNT(types) * COUNT(types); n++) {
        const char *from = types[n % COUNT(types)], *to = types[n / COUNT(types) % COUNT(types)];
        bool is_saturating = n >= COUNT(types) * COUNT(types);
        unsigned bits = (unsigned)strtoul(from + 1, NULL, 10),
                 to_bits = (unsigned)strtoul(to + 1, NULL, 10);
        /* nothing to saturate: no form has .sat */
        bool is_within = (*to == *from || *to == 's') && to_bits >= bits + (*to != *from);
        if (is_saturating && is_within)
            continue;
        char text[48], kinds[3] = { register_of(to_bits == 8 ? 32 : to_bits),
                                    register_of(bits == 8 ? 32 : bits), 0 };
        snprintf(text, sizeof text, "cvt%s.%s.%s", is_saturating ? ".sat" : "", to, from);
        IntRow *row = add_row(t, text, kinds, is_saturating ? want_cvt_sat : want_cvt, bits,
                              *from == 's');
        row->to_bits = to_bits;
        row->to_signed = *to == 's';
    }
}

static void add_all(RowTable *t)
{
    add_arithmetic(t);
    add_packed(t);
    add_bits(t);
    add_funnels_and_dots(t);
    add_comparisons(t);
    add_conversions(t);
}

/* ---- against the machine --------------------------------------------------------------------- */

static const uint64_t corners[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x3210,
    0x7fff,
    0x8000,
    0x8001,
    0xfffe,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0xffffff,
    0x12345678,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xdeadbeef,
    0xfedcba98,
    0xffff8000,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xffffffff80000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

static uint64_t kind_mask(char kind)
{
    return kind == 'd' ? UINT64_MAX : kind == 'r' ? UINT32_MAX : kind == 'h' ? 0xffff : 1;
}

static unsigned corners_of(const IntRow *row, char kind, unsigned step, uint64_t *out)
{
    unsigned count = 0;
    if (!kind || kind == 'i')
        return out[0] = kind ? row->immediate : 0, 1;
    for (size_t i = 0; i < COUNT(corners); i += kind == 'p' || kind == 'k' ? 1 : step)
        if (corners[i] <= kind_mask(kind))
            out[count++] = corners[i];
    return count;
}

static void put_row(Text *out, const IntRow *row)
{
    kit_print(out, "%s ", row->text);
    for (unsigned i = 0; row->kinds[i] && row->kinds[i] != 'k'; i++)
        if (row->kinds[i] == 'i')
            kit_print(out, ", %u", row->immediate);
        else
            kit_print(out, "%s%%%c%u", i ? ", " : "", row->kinds[i], i);
    kit_print(out, ";\n");
}

static ptxlint_module *module_of(const RowTable *table)
{
    Text text = { 0 };
    kit_print(&text,
              ".version 9.4\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\n"
              ".reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n.reg .b16 %%h<8>;\n.reg .pred %%p<8>;\n");
    for (unsigned i = 0; i < table->count; i++)
        put_row(&text, &table->rows[i]);
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    free(text.bytes);
    return module;
}

/* What the condition code holds afterwards: the carry out of the unsigned sum, or the borrow. */
static unsigned wanted_carry(const IntRow *row, const uint64_t x[4])
{
    const IntRow plain = { .bits = row->bits, .is_signed = row->is_signed };
    const Wide all = (Wide)1 << row->bits;
    bool is_product = !strncmp(row->text, "mad", 3), is_chained = strchr(row->kinds, 'k');
    Wide in = is_chained ? (Wide)(x[is_product ? 3 : 2] & 1) : 0,
         first = read_int(x[0], row->bits, false), second = read_int(x[1], row->bits, false);
    if (is_product) {
        first = strstr(row->text, ".hi") ? high_product(&plain, x[0], x[1])
                                         : low_product(&plain, x[0], x[1]);
        first = read_int((uint64_t)first, row->bits, false);
        second = read_int(x[2], row->bits, false);
    }
    return !strncmp(row->text, "sub", 3) ? first - second - in < 0 : first + second + in >= all;
}

static void fail_row(const IntRow *row, const char *how, const uint64_t x[4], uint64_t got,
                     uint64_t want)
{
    fail_msg("%s (%s): %llx %llx %llx %llx gives %llx, want %llx", row->text, how,
             (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
             (unsigned long long)x[3], (unsigned long long)got, (unsigned long long)want);
}

/* One lane alone, then a warp whose lanes differ in the operands that `mask` has. */
static void check_lane(const IntRow *row, const Lanewise *lanewise, const uint64_t x[4])
{
    uint64_t want = (uint64_t)row->want(row, x) & row->mask,
             got = lanewise->fn(lanewise, x[0], x[1], x[2], x[3]) & row->mask;
    if (got != want)
        fail_row(row, "a lane", x, got, want);
    if (strstr(row->text, ".cc")
        && (lanewise->carry(lanewise, x[0], x[1], x[2], x[3]) & 1) != wanted_carry(row, x))
        fail_row(row, "carry", x, !wanted_carry(row, x), wanted_carry(row, x));
}

/* lanes: the operands of 32 lanes. lists: bit n: operand n differs from lane to lane; else it is
 * that of lane 0. */
static void check_warp(const IntRow *row, const Lanewise *lanewise, uint64_t lanes[4][32],
                       unsigned lists)
{
    const uint64_t same[4] = { lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0] };
    const uint64_t *given[4];
    uint64_t out[32];
    for (unsigned i = 0; i < 4; i++)
        given[i] = lists >> i & 1 ? lanes[i] : NULL;
    ptx_lanewise_run(lanewise, out, given, same);
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t x[4];
        for (unsigned i = 0; i < 4; i++)
            x[i] = given[i] ? lanes[i][lane] : same[i];
        if (row->skips_zero && !own(row, x[1]))
            continue;
        uint64_t want = (uint64_t)row->want(row, x) & row->mask;
        if ((out[lane] & row->mask) != want)
            fail_row(row, "a warp", x, out[lane] & row->mask, want);
    }
}

static void check_row(const IntRow *row, const Lanewise *lanewise)
{
    uint64_t values[4][COUNT(corners)], lanes[4][32] = { { 0 } };
    unsigned sizes[4], operands = (unsigned)strlen(row->kinds) - 1, filled = 0, turn = 0;
    uint64_t all = 1;
    for (unsigned i = 0; i < 4; i++) {
        sizes[i] = corners_of(row, i < operands ? row->kinds[i + 1] : 0,
                              operands > 3   ? 5
                              : operands > 2 ? 3
                                             : 1,
                              values[i]);
        all *= sizes[i];
    }
    for (uint64_t n = 0; n < all; n++) {
        uint64_t x[4], rest = n;
        for (unsigned i = 0; i < 4; i++) {
            x[i] = values[i][rest % sizes[i]];
            rest /= sizes[i];
            lanes[i][filled] = x[i];
        }
        if (row->skips_zero && !own(row, x[1]))
            continue;
        check_lane(row, lanewise, x);
        filled = (filled + 1) % 32;
        if (!filled)
            check_warp(row, lanewise, lanes, turn++ % ((1u << operands) - 1) + 1);
    }
}

static void test_forms(void **state)
{
    (void)state;
    RowTable table = { calloc(MAX_ROWS, sizeof(IntRow)), 0 };
    assert_non_null(table.rows);
    add_all(&table);
    ptxlint_module *module = module_of(&table);
    char *errors = kit_list(module, true);
    assert_string_equal(errors, "");
    free(errors);
    const Func *func = &module->ir->funcs[0];
    for (unsigned i = 0; i < table.count; i++) {
        Lanewise lanewise;
        bool is_made = ptx_lanewise_make(func->insns[i].op, &lanewise);
        if (is_made)
            check_row(&table.rows[i], &lanewise);
        else if (!table.rows[i].may_refuse)
            fail_msg("%s: has no function", table.rows[i].text);
    }
    ptxlint_module_free(module);
    free(table.rows);
}

/* Opcodes of integers that some form has are in the table; those of other tests aside. */
static void test_none_missing(void **state)
{
    static const char *const elsewhere[] = { "fns", "testp" };       /* oracle_ops.h */
    RowTable table = { calloc(MAX_ROWS, sizeof(IntRow)), 0 };
    (void)state;
    add_all(&table);
    for (FormId f = 1; f < ptx_form_count; f++) {
        const char *opcode = ptx_opcode_info[ptx_form_info[f].opcode].text;
        bool is_there = ptx_form_info[f].class != FORM_INT && ptx_form_info[f].class != FORM_LOGIC
                        && ptx_form_info[f].class != FORM_CMP;
        for (size_t i = 0; i < COUNT(elsewhere); i++)
            is_there |= !strcmp(opcode, elsewhere[i]);
        for (unsigned i = 0; i < table.count && !is_there; i++)
            is_there = strcspn(table.rows[i].text, ".") == strlen(opcode)
                       && !strncmp(table.rows[i].text, opcode, strlen(opcode));
        if (!is_there)
            fail_msg("%s: no row has it", opcode);
    }
    free(table.rows);
}

/* What no form has is not evaluated, though its parts are known. */
static void test_illegal(void **state)
{
    static const char *const texts[] = {
        "add.sat.u64 %d1, %d2, %d3;",    "sub.sat.u32 %r1, %r2, %r3;",
        "add.sat.s64 %d1, %d2, %d3;",    "mad.hi.sat.u32 %r1, %r2, %r3, %r4;",
        "mul.hi.sat.s32 %r1, %r2, %r3;", "min.relu.u32 %r1, %r2, %r3;",
        "shr.sat.s32 %r1, %r2, %r3;",    "sub.sat.u16x2 %r1, %r2, %r3;",
        "set.lt.u8x4 %r1, %r2, %r3;",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg "
                  ".b32 %%r<8>;\n.reg .b64 %%d<8>;\n%s\nret;\n}\n",
                  texts[i]);
        ptxlint_module *module = kit_module(text.bytes);
        Lanewise lanewise;
        if (ptx_lanewise_make(module->ir->funcs[0].insns[0].op, &lanewise))
            fail_msg("%s: has a function", texts[i]);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

UNIT(integer_forms)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_forms),
                                        cmocka_unit_test(test_none_missing),
                                        cmocka_unit_test(test_illegal) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
