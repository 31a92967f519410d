/* test_lanewise.c -- each operation of src/analysis/sim/alu/lanewise.c at the corners of its
 * operands against oracle_ops.h, a second writing of the PTX ISA. */
#include "kit.h"
#include "oracle.h"
#include "oracle_rows.h"

#include "api/module.h"
#include "analysis/sim/value.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

#include <fenv.h>
#include <math.h>

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
    24,
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
    0x7654,
    0x89ab,
    0x7fff,
    0x8000,
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
    0xffffff80,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffff80000000,
    0xfffffffffffffff0,
    0xffffffffffffffff,
};

static const float floats[] = { 0.0f,
                                -0.0f,
                                0.5f,
                                -0.5f,
                                1.0f,
                                1.5f,
                                2.5f,
                                -1.5f,
                                -2.5f,
                                3.7f,
                                -3.7f,
                                255.6f,
                                40000.0f,
                                -40000.0f,
                                16777217.0f,
                                2147483648.0f,
                                448.0f,
                                465.0f,
                                -0.0009765625f,
                                0.0029296875f,
                                6.5f,
                                5.0f,
                                0.0625f,
                                29.0f,
                                1.0625f,
                                57344.0f,
                                0.75f,
                                -2147483648.0f,
                                4294967296.0f,
                                1e19f,
                                -1e19f,
                                1e38f,
                                -1e38f,
                                1e-45f,
                                -1e-45f,
                                1e-39f,
                                (float)INFINITY,
                                -(float)INFINITY,
                                (float)NAN };

static const uint64_t halves[] = { 0x0001, 0x03ff, 0x0400, 0x0401, 0x3555, 0x3800, 0x3c00, 0x3c01,
                                   0x3e00, 0x3f80, 0x3f81, 0x4100, 0x4248, 0x4b01, 0x6400, 0x6401,
                                   0x7bff, 0x7c00, 0x7e00, 0x7f7f, 0x7f80, 0x8001, 0x83ff, 0xbc00,
                                   0xbc01, 0xc0ff, 0xfbff, 0xfc00, 0xff80, 0x0080, 0x007f };

enum {
    MAX_CORNERS = sizeof corners / sizeof *corners + sizeof floats / sizeof *floats
                  + sizeof halves / sizeof *halves
};

static bool is_carry_left(unsigned row)
{
    return row >= ORACLE_ROW_COUNT - ORACLE_CARRIES_LEFT_COUNT;
}

static uint64_t mask_of(char kind)
{
    return kind == 'd'                  ? UINT64_MAX
           : kind == 'r'                ? UINT32_MAX
           : kind == 'h'                ? 0xffff
           : kind == 'l' || kind == 'b' ? 255
                                        : 1;
}

static bool is_float(const char *text)
{
    return strstr(text, ".f32") || strstr(text, ".f64") || strstr(text, "f16");
}

static unsigned corners_of(const char *text, char kind, bool is_deep, uint64_t *out)
{
    unsigned count = 0, step = is_deep ? 2 : 1;
    for (size_t i = 0; i < COUNT(corners); i += step)
        if (corners[i] <= mask_of(kind))
            out[count++] = corners[i];
    for (size_t i = 0; is_float(text) && i < COUNT(floats) && (kind == 'd' || kind == 'r'); i++)
        out[count++] = kind == 'd' ? bits_of_f64((double)floats[i]) : bits_of_f32(floats[i]);
    for (size_t i = 0; is_float(text) && i < COUNT(halves) && kind == 'h'; i++)
        out[count++] = halves[i];
    return kind == 'p' || kind == 'k' ? out[0] = 0, out[1] = 1, 2 : count;
}

static bool is_move(const OracleOp *op)
{
    return !strncmp(op->text, "mov", 3);
}

static void put_insn(Text *out, const OracleOp *op)
{
    unsigned count = 0;
    kit_print(out, "%s ", op->text);
    for (const char *at = op->registers; *at && *at != 'k'; at += oracle_part_length(at + 1) + 1) {
        char part[8];
        bool has_minus = oracle_part(at + 1, part);
        kit_print(out, *at == 'l' ? "%s%s0x1e" : "%s%s%%%c%u%s", count ? ", " : "",
                  has_minus ? "-" : "", *at, count, part);
        count++;
    }
    kit_print(out, ";\n");
}

static ptxlint_module *module_of_all(void)
{
    Text text = { 0 };
    kit_print(&text, ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"
                     ".reg .b8 %%b<8>;\n.reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n.reg .b16 "
                     "%%h<8>;\n.reg .pred %%p<8>;\n");
    for (size_t i = 0; i < ORACLE_ROW_COUNT; i++)
        if (!is_move(&oracle_rows[i]))
            put_insn(&text, &oracle_rows[i]);
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    free(text.bytes);
    return module;
}

/* A NaN has many forms, the machine writes one; C may give another of a double. */
static bool is_same(const char *text, char kind, uint64_t got, uint64_t want)
{
    return got == want
           || (is_float(text) && kind == 'r' && strstr(text, ".f32") && isnan(f32_of(got))
               && isnan(f32_of(want)))
           || (is_float(text) && kind == 'd' && isnan(f64_of(got)) && isnan(f64_of(want)));
}

static unsigned check(unsigned row, const Lanewise *lanewise, const uint64_t x[4], char kind)
{
    LaneFn *fn = is_carry_left(row) ? lanewise->carry : lanewise->fn;
    if (is_carry_left(row))
        kind = 'k';
    uint64_t want = oracle_value(row, x[0], x[1], x[2], x[3]) & mask_of(kind),
             got = fn ? fn(lanewise, x[0], x[1], x[2], x[3]) & mask_of(kind) : 0;
    if (is_same(oracle_rows[row].text, kind, got, want))
        return 0;
    print_message("%s: %llx %llx %llx %llx gives %llx, want %llx\n", oracle_rows[row].text,
                  (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
                  (unsigned long long)x[3], (unsigned long long)got, (unsigned long long)want);
    return 1;
}

static unsigned check_row(unsigned row, const Lanewise *lanewise)
{
    char kinds[6] = { 0 };
    unsigned count = oracle_kinds(&oracle_rows[row], kinds), sizes[4] = { 1, 1, 1, 1 }, wrong = 0;
    static const uint64_t nothing[MAX_CORNERS];
    uint64_t values[4][MAX_CORNERS];
    memcpy(values[0], nothing, sizeof nothing);
    for (unsigned i = 0; i < 4; i++) {
        values[i][0] = 0;
        if (i + 1 < count)
            sizes[i] = corners_of(oracle_rows[row].text, kinds[i + 1], count > 3, values[i]);
    }
    for (uint64_t all = (uint64_t)sizes[0] * sizes[1] * sizes[2] * sizes[3], n = 0;
         n < all && wrong < 3; n++) {
        uint64_t rest = n, x[4];
        for (unsigned i = 0; i < 4; i++) {
            x[i] = values[i][rest % sizes[i]];
            rest /= sizes[i];
        }
        wrong += check(row, lanewise, x, kinds[0]);
    }
    return wrong;
}

static void test_corners(void **state)
{
    (void)state;
    ptxlint_module *module = module_of_all();
    char *errors = kit_list(module, true);
    assert_string_equal(errors, "");
    free(errors);
    const Func *func = &module->ir->funcs[0];
    unsigned wrong = 0, refused = 0, at = 0;
    for (unsigned row = 0; row < ORACLE_ROW_COUNT; row++) {
        if (is_move(&oracle_rows[row]))
            continue;
        Lanewise lanewise;
        const Insn *insn = &func->insns[at++];
        bool is_made = ptx_lanewise_make(insn->op, &lanewise);
        ptx_lanewise_take_parts(&lanewise, ptx_insn_operands(func, insn), insn->operand_count);
        if (is_made)
            wrong += check_row(row, &lanewise);
        else if (refused++ || !is_float(oracle_rows[row].text))
            print_message("%s: has no function\n", oracle_rows[row].text);
    }
    ptxlint_module_free(module);
    assert_int_equal(wrong, 0);
}

/* ---- mixed precision --------------------------------------------------------------------------
 * Against the machine's own single floats: a small float is one of them, and an operation in the
 * rounding asked for rounds once. Down to bfloat16 cuts off twice, which is cutting off once. */

typedef struct MixedRow {
    const char *text, *registers;       /* %d: pairs of single floats, %r: of small ones */
    char operation;                     /* '+', '-', '*', 'f' */
    char small;                         /* 'h': binary16, 'b': bfloat16 */
    int round;
    bool is_pair, is_down;
} MixedRow;

static const MixedRow mixed_rows[] = {
    { "add.rn.f32.f16", "%f1, %h1, %f2", '+', 'h', FE_TONEAREST, false, false },
    { "add.rz.f32.bf16", "%f1, %h1, %f2", '+', 'b', FE_TOWARDZERO, false, false },
    { "sub.rm.f32.f16", "%f1, %h1, %f2", '-', 'h', FE_DOWNWARD, false, false },
    { "sub.rp.f32.bf16", "%f1, %h1, %f2", '-', 'b', FE_UPWARD, false, false },
    { "fma.rn.f32.f16", "%f1, %h1, %h2, %f2", 'F', 'h', FE_TONEAREST, false, false },
    { "fma.rz.f32.bf16", "%f1, %h1, %h2, %f2", 'F', 'b', FE_TOWARDZERO, false, false },
    { "add.f32x2.f16x2.f32x2", "%d1, %r1, %d2", '+', 'h', FE_TONEAREST, true, false },
    { "sub.rp.f32x2.bf16x2.f32x2", "%d1, %r1, %d2", '-', 'b', FE_UPWARD, true, false },
    { "mul.rm.f32x2.f16x2.f32x2", "%d1, %r1, %d2", '*', 'h', FE_DOWNWARD, true, false },
    { "fma.rn.f32x2.bf16x2.f32x2.f32x2", "%d1, %r1, %d2, %d3", 'f', 'b', FE_TONEAREST, true, false },
    { "fma.rz.f32x2.f16x2.f32x2.f32x2", "%d1, %r1, %d2, %d3", 'f', 'h', FE_TOWARDZERO, true, false },
    { "add.rz.bf16x2.f32x2.f32x2", "%r1, %d1, %d2", '+', 0, FE_TOWARDZERO, true, true },
    { "sub.rz.bf16x2.f32x2.f32x2", "%r1, %d1, %d2", '-', 0, FE_TOWARDZERO, true, true },
    { "mul.rz.bf16x2.f32x2.f32x2", "%r1, %d1, %d2", '*', 0, FE_TOWARDZERO, true, true },
};

static float float_of_half(uint64_t a)
{
    int exponent = (int)(a >> 10 & 31);
    float size = exponent == 31 ? a & 0x3ff ? (float)NAN : (float)INFINITY
                 : exponent     ? ldexpf((float)(1024 + (a & 0x3ff)), exponent - 25)
                                : ldexpf((float)(a & 0x3ff), -24);
    return a >> 15 & 1 ? -size : size;
}

static float float_of(char small, uint64_t a)
{
    return small == 'h' ? float_of_half(a & 0xffff)
           : small      ? f32_of(a << 16 & UINT32_MAX)
                        : f32_of(a & UINT32_MAX);
}

static float in_single(const MixedRow *row, float a, float b, float c)
{
    volatile float x = a, y = b, z = c, out = 0;
    fesetround(row->round);
    switch (row->operation) {
    case '+': out = x + y; break;
    case '-': out = x - y; break;
    case '*': out = x * y; break;
    default:  out = fmaf(x, y, z); break;
    }
    fesetround(FE_TONEAREST);
    return out;
}

/* A half of what it gives; b is small, too, in 'F'. */
static uint64_t want_mixed(const MixedRow *row, uint64_t a, uint64_t b, uint64_t c)
{
    char small_b = 0;
    if (row->operation == 'F')
        small_b = row->small;
    float out = in_single(row, float_of(row->small, a), float_of(small_b, b), f32_of(c));
    uint64_t bits = isnan(out) ? 0x7fffffff : bits_of_f32(out);
    return row->is_down ? bits >> 16 : bits;
}

/* Numbers near each other, so that sums cancel, and any bits. */
static uint64_t random_float(uint64_t *state, unsigned bits)
{
    uint64_t a = oracle_random(state);
    if (a >> 62 == 0)
        return a & ((UINT64_C(1) << bits) - 1);
    if (bits == 16)
        return (a & 0x83ff) | (0x3000 + (a >> 20 & 0xf) * 0x400);
    return bits_of_f32(ldexpf((float)(int32_t)(a >> 8 & 0xffffff) - 8388608.0f,
                              (int)(a >> 40 & 31) - 40));
}

static unsigned check_mixed(const MixedRow *row, const Lanewise *lanewise, uint64_t *state)
{
    unsigned small = row->small ? 16 : 32, small_b = row->operation == 'F' ? 16 : 32,
             out = row->is_down ? 16 : 32;
    uint64_t a[2], b[2], c[2], want = 0;
    for (unsigned half = 0; half < 2; half++) {
        a[half] = random_float(state, small);
        b[half] = random_float(state, small_b);
        c[half] = random_float(state, 32);
        if (!half || row->is_pair)
            want |= want_mixed(row, a[half], b[half], c[half]) << (half * out);
    }
    if (row->is_pair) {
        a[0] |= a[1] << small;
        b[0] |= b[1] << 32;
        c[0] |= c[1] << 32;
    }
    uint64_t got = lanewise->fn(lanewise, a[0], b[0], c[0], 0);
    if (got == want)
        return 0;
    print_message("%s: %llx %llx %llx gives %llx, want %llx\n", row->text,
                  (unsigned long long)a[0], (unsigned long long)b[0], (unsigned long long)c[0],
                  (unsigned long long)got, (unsigned long long)want);
    return 1;
}

static ptxlint_module *module_of_mixed(void)
{
    Text text = { 0 };
    kit_print(&text, ".version 9.4\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\n"
                     ".reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n.reg .b16 %%h<8>;\n"
                     ".reg .f32 %%f<8>;\n");
    for (size_t i = 0; i < COUNT(mixed_rows); i++)
        kit_print(&text, "%s %s;\n", mixed_rows[i].text, mixed_rows[i].registers);
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    free(text.bytes);
    return module;
}

static void test_mixed(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    ptxlint_module *module = module_of_mixed();
    const Func *func = &module->ir->funcs[0];
    uint64_t random = 1;
    unsigned wrong = 0;
    for (size_t row = 0; row < COUNT(mixed_rows); row++) {
        Lanewise lanewise;
        if (!ptx_lanewise_make(func->insns[row].op, &lanewise))
            fail_msg("%s: has no function", mixed_rows[row].text);
        for (unsigned i = 0; i < TRIES && wrong < 4; i++)
            wrong += check_mixed(&mixed_rows[row], &lanewise, &random);
    }
    ptxlint_module_free(module);
    assert_int_equal(wrong, 0);
}

/* ---- narrow floats and their scales ---------------------------------------------------------- */

/* is_known false: what it gives is not said plainly enough. */
static const struct {
    const char *text;
    bool is_known;
    uint64_t a, b, want;
} narrow_rows[] = {
    /* 1.5 * 2 above -6 / 4 */
    { "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2 %r1, %b1, %h2;", true, 0x3f, 0x807d, 0x4040bfc0 },
    { "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;", true, 0x38b8, 0x857f, 0x4280bf80 },
    { "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;", true, 0x3838, 0xff00, 0x7fff0040 },
    { "cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2 %r1, %h1, %h2;", true, 0x7b3c, 0xfe7f, 0x7f803f80 },
    { "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e5m2x2 %r1, %h1, %h2;", true, 0x7b3c, 0xfe7f, 0x7f7f3f80 },
    { "cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;", true, 0xb838, 0x7f7f, 0x00003f80 },
    { "cvt.rn.bf16x2.e4m3x2 %r1, %h1;", true, 0x38b8, 0, 0x3f80bf80 },
    /* with 2^6, whole numbers: -128 and 3 */
    { "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2 %r1, %h1, %h2;", true, 0x8003, 0x8585, 0xc3004040 },
    { "cvt.rn.bf16x2.s2f6x2 %r1, %h1;", true, 0x40ff, 0, 0x3f80bc80 },
    { "cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;", true, 0x3f80c3e0, 0, 0x38fe },
    { "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;", true, 0x3f9fffff, 0xbf9fffff, 0x39b9 },
    { "cvt.rz.satfinite.pzo.e4m3x2.f32 %h1, %f1, %f2;", false, 0, 0, 0 },
    { "cvt.rn.pzo.f16.f32 %h1, %f1;", false, 0, 0, 0 },
    { "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.bf16x2 %h1, %r1, %b2;", false, 0, 0, 0 },
    { "cvt.rn.satfinite.s2f6x2.bf16x2 %h1, %r1;", false, 0, 0, 0 },
    { "cvt.rn.ue5m3x2.f32 %h1, %f1, %f2;", false, 0, 0, 0 },
    { "add.rz.ftz.f16x2.f32x2.f32x2 %r1, %d1, %d2;", false, 0, 0, 0 },
    { "set.lt.u8x4 %r1, %r2, %r3;", false, 0, 0, 0 },
    { "mul.bf16x2.bf16x2.f16x2 %r1, %r2, %r3;", false, 0, 0, 0 },
};

static void test_narrow(void **state)
{
    (void)state;
    Text text = { 0 };
    kit_print(&text, ".version 9.4\n.target sm_107a\n.address_size 64\n.visible .entry k()\n{\n"
                     ".reg .b32 %%r<8>; .reg .b64 %%d<8>; .reg .b16 %%h<8>; .reg .f32 %%f<8>; "
                     ".reg .b8 %%b<8>;\n");
    for (size_t i = 0; i < COUNT(narrow_rows); i++)
        kit_print(&text, "%s\n", narrow_rows[i].text);
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    free(text.bytes);
    for (size_t i = 0; i < COUNT(narrow_rows); i++) {
        Lanewise op;
        bool is_known = ptx_lanewise_make(module->ir->funcs[0].insns[i].op, &op);
        uint64_t got = is_known ? op.fn(&op, narrow_rows[i].a, narrow_rows[i].b, 0, 0) : 0;
        if (is_known != narrow_rows[i].is_known || got != narrow_rows[i].want)
            fail_msg("%s gives %llx", narrow_rows[i].text, (unsigned long long)got);
    }
    ptxlint_module_free(module);
}

/* A normal number goes the short way; another letter for "to the nearest" goes the long one. */
static unsigned count_short_ways(const Insn *insn, uint64_t first, uint64_t step)
{
    Lanewise nearest, any;
    unsigned wrong = !ptx_lanewise_make(insn->op, &nearest) || !ptx_lanewise_make(insn->op, &any);
    any.round = '?';
    for (uint64_t i = 0, a = first; i < 1 << 16 && !wrong; i++, a = (a + step) & UINT32_MAX)
        wrong += nearest.fn(&nearest, a, 0, 0, 0) != any.fn(&any, a, 0, 0, 0);
    return wrong;
}

static unsigned count_halves(const Insn *insn, int bias, unsigned fraction_bits)
{
    Lanewise widen;
    unsigned wrong = !ptx_lanewise_make(insn->op, &widen);
    const uint32_t exponents = (1u << (15 - fraction_bits)) - 1;
    for (uint32_t a = 0; a < 1 << 16 && !wrong; a++) {
        const uint32_t field = a >> fraction_bits & exponents,
                       fraction = a & ((1u << fraction_bits) - 1);
        const float number = ldexpf(1 + ldexpf((float)fraction, -(int)fraction_bits),
                                    (int)field - bias);
        if (field && field < exponents)
            wrong += widen.fn(&widen, a, 0, 0, 0) != bits_of_f32(a >> 15 ? -number : number);
    }
    return wrong;
}

static void test_conversions(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .b32 %r<2>;\n.reg .b16 %h<2>;\ncvt.rn.f16.f32 %h0, %r0;\n"
        "cvt.rn.bf16.f32 %h0, %r0;\ncvt.f32.f16 %r0, %h0;\ncvt.f32.bf16 %r0, %h0;\nret;\n}\n");
    const Insn *insns = module->ir->funcs[0].insns;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(count_short_ways(&insns[i], 0, 65537), 0);
        assert_int_equal(count_short_ways(&insns[i], 0x387fe000, 1021), 0); /* f16's ends */
        assert_int_equal(count_short_ways(&insns[i], 0x477f0000, 1), 0);
    }
    assert_int_equal(count_halves(&insns[2], 15, 10), 0);
    assert_int_equal(count_halves(&insns[3], 127, 7), 0);
    ptxlint_module_free(module);
}

UNIT(lanewise)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_corners),
                                        cmocka_unit_test(test_mixed),
                                        cmocka_unit_test(test_narrow),
                                        cmocka_unit_test(test_conversions) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
