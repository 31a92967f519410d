/* test_values.c -- where numbers come from, one kernel of a block each: what is known is exact,
 * what may be otherwise is not, and no access is lost.
 *
 * Each kernel ends with a store of 4 bytes a lane, at 4 * %r9 bytes from a pointer: its sectors and
 * how sure they are. */
#include "kit.h"

#include <math.h>

enum { THREADS = 64 };

typedef struct Case {
    const char *what, *text;
    double sectors;             /* NaN: none are given */
    ptxlint_certainty certainty;
    const char *why;            /* a part of it, or NULL */
} Case;

#define NONE (double)NAN

static const Case cases[] = {
    { "an initialiser in constant memory, which the host may overwrite",
      "and.b32 %r2, %r1, 3; mul.wide.u32 %rd2, %r2, 4; mov.u64 %rd3, table; add.s64 %rd3, %rd3, "
      "%rd2; ld.const.u32 %r9, [%rd3];",
      4, PTXLINT_ESTIMATE, "first values" },
    { "one in global memory", "ld.global.u32 %r2, [scale]; mul.lo.u32 %r9, %r1, %r2;", 32,
      PTXLINT_ESTIMATE, "first values" },
    { "a variable without one", "ld.const.u32 %r2, [empty]; mul.lo.u32 %r9, %r1, %r2;", NONE,
      PTXLINT_NOT_KNOWN, NULL },
    { "the carry of a sum",
      "add.cc.u32 %r2, %r1, 0xfffffff0; addc.u32 %r3, 0, 0; mul.lo.u32 %r9, %r3, %r1;", 3.5,
      PTXLINT_EXACT, NULL },
    { "match",
      "shr.u32 %r2, %r3, 3; match.any.sync.b32 %r4, %r2, -1; clz.b32 %r5, %r4; mul.lo.u32 %r9, "
      "%r5, 8;",
      4, PTXLINT_EXACT, NULL },
    { "a vote that one lane wins",
      "setp.eq.u32 %p1, %r3, 3; vote.sync.any.pred %p1, %p1, -1; selp.u32 %r2, 2, 1, %p1; "
      "mul.lo.u32 %r9, %r2, %r3;",
      8, PTXLINT_EXACT, NULL },
    { "one that needs all",
      "setp.eq.u32 %p1, %r3, 3; vote.sync.all.pred %p1, %p1, -1; selp.u32 %r2, 2, 1, %p1; "
      "mul.lo.u32 %r9, %r2, %r3;",
      4, PTXLINT_EXACT, NULL },
    { "one that wants lanes alike",
      "setp.eq.u32 %p1, %r3, 3; vote.sync.uni.pred %p1, %p1, -1; selp.u32 %r2, 2, 1, %p1; "
      "mul.lo.u32 %r9, %r2, %r3;",
      4, PTXLINT_EXACT, NULL },
    { "lanes that are alike",
      "setp.gt.u32 %p1, %r3, 99; vote.sync.uni.pred %p1, %p1, -1; selp.u32 %r2, 2, 1, %p1; "
      "mul.lo.u32 %r9, %r2, %r3;",
      8, PTXLINT_EXACT, NULL },
    { "a vote that none wins",
      "setp.gt.u32 %p1, %r3, 99; vote.sync.any.pred %p1, %p1, -1; selp.u32 %r2, 2, 1, %p1; "
      "mul.lo.u32 %r9, %r2, %r3;",
      4, PTXLINT_EXACT, NULL },
    { "redux", "redux.sync.max.u32 %r2, %r3, -1; sub.u32 %r9, %r2, %r3;", 4, PTXLINT_EXACT, NULL },
    { "how many threads of the block",
      "setp.lt.u32 %p1, %r1, 40; barrier.red.popc.u32 %r2, 0, %p1; sub.u32 %r2, %r2, 32; "
      "mul.lo.u32 %r9, %r2, %r1;",
      32, PTXLINT_EXACT, NULL },
    { "votes of lanes that are elsewhere",
      "setp.lt.u32 %p1, %r3, 16; @%p1 bra A; vote.sync.ballot.b32 %r2, %p1, -1; bra B; A: "
      "vote.sync.ballot.b32 %r2, %p1, -1; B: popc.b32 %r4, %r2; mul.lo.u32 %r9, %r3, %r4;",
      NONE, PTXLINT_NOT_KNOWN, NULL },
    { "a half float",
      "cvt.rn.f32.u32 %f1, %r3; cvt.rn.f16.f32 %h1, %f1; mul.f16 %h1, %h1, %h1; cvt.rzi.u32.f16 "
      "%r9, %h1;",
      30, PTXLINT_EXACT, NULL },
    { "the least of three",
      "cvt.rn.f32.u32 %f1, %r3; mov.f32 %f2, 0f41A00000; mov.f32 %f0, 0f40800000; min.f32 %f1, "
      "%f1, %f2, %f0; cvt.rzi.u32.f32 %r9, %f1; shl.b32 %r9, %r9, 3;",
      5, PTXLINT_EXACT, NULL },
    { "redux of floats",
      "cvt.rn.f32.u32 %f1, %r3; redux.sync.max.f32 %f1, %f1, -1; cvt.rzi.u32.f32 %r2, %f1; sub.u32 "
      "%r9, %r2, %r3;",
      4, PTXLINT_EXACT, NULL },
    { "the sum of four bytes",
      "mul.lo.u32 %r2, %r3, 0x01010101; mov.u32 %r4, 0; vadd4.u32.u32.u32.add %r9, %r2, %r4, %r4;",
      16, PTXLINT_EXACT, NULL },
    { "a byte less another",
      "shl.b32 %r2, %r3, 16; or.b32 %r2, %r2, 0x5; vsub.s32.u32.u32.sat.add %r9, %r2.b2, %r2.b0, "
      "5;",
      4, PTXLINT_EXACT, NULL },
    { "minus a half", "shl.b32 %r2, %r3, 16; vmad.s32.u32.u32 %r9, -%r2.h1, 8, 256;", 32,
      PTXLINT_EXACT, NULL },
    { "rounded to e4m3: 0 to 16, then even ones to 32",
      "cvt.rn.f32.u32 %f1, %r3; cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1; cvt.rn.f16x2.e4m3x2 "
      "%r2, %h1; cvt.u16.u32 %h1, %r2; cvt.rzi.u32.f16 %r9, %h1; shl.b32 %r9, %r9, 3;",
      25, PTXLINT_EXACT, NULL },
    { "shared memory that a way not taken for sure may have overwritten",
      "mov.u32 %r2, 1; st.shared.u32 [%r5], %r2; bar.sync 0; ld.param.u32 %r4, [n]; setp.lt.u32 "
      "%p1, %r4, 5; @!%p1 bra A; st.shared.u32 [%r5], %r4; A: bar.sync 0;"
      "ld.shared.u32 %r2, [%r5]; mul.lo.u32 %r9, %r1, %r2;",
      NONE, PTXLINT_NOT_KNOWN, NULL },
    { "shared memory past a barrier of some threads",
      "mov.u32 %r2, 1; st.shared.u32 [%r5], %r2; bar.sync 1, 64; ld.shared.u32 %r2, [%r5]; "
      "mul.lo.u32 %r9, %r1, %r2;",
      NONE, PTXLINT_NOT_KNOWN, NULL },
    { "shared memory",
      "mov.u32 %r2, 2; st.shared.u32 [%r5], %r2; bar.sync 0; ld.shared.u32 %r2, [%r5]; mul.lo.u32 "
      "%r9, %r1, %r2;",
      8, PTXLINT_EXACT, NULL },
    { "%warpid, which need not be tid / 32",
      "mov.u32 %r2, %warpid; shl.b32 %r2, %r2, 7; add.u32 %r9, %r2, %r3;", 4, PTXLINT_ESTIMATE,
      "%warpid" },
    { "an access behind a loop of as many trips as one likes",
      "mov.u32 %r2, 0; A: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100000000; @%p1 bra A; "
      "shl.b32 %r9, %r1, 5;",
      32, PTXLINT_EXACT, NULL },
    { "an access behind a loop that the budget does not do for",
      "mov.f32 %f1, 0f00000000; A: fma.rn.f32 %f1, %f1, 0f3F800001, 0f33800000; setp.lt.f32 %p1, "
      "%f1, 0f4B000000; @%p1 bra A; shl.b32 %r9, %r1, 5;",
      32, PTXLINT_ESTIMATE, "budget" },
    { "a guard that an assumption turns off",
      "ld.param.u32 %r4, [n]; setp.gt.u32 %p2, %r4, 100000; shl.b32 %r9, %r1, 5; @%p2 add.u32 %r9, "
      "%r1, 0;",
      32, PTXLINT_ESTIMATE, "param 1" },
};

static ptxlint_module *report_of(const Case *c)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    char error[256] = "";
    static const char json[] =
        "{\"kernels\": {\"k\": {\"grid\": [1, 1, 1], \"block\": [64, 1, 1], \"params\": [null]}}}";
    Text text = { 0 };
    kit_print(
        &text,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.const .align 4 .u32 table[4] = { 0, "
        "0x10, 040, 48U };\n.const .align 4 .u32 empty;\n"
        ".global .align 4 .u32 scale = 32;\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %%p<3>;\n.reg .b16 %%h<3>;\n.reg .f32 %%f<3>;\n.reg .b32 %%r<10>;\n.reg .b64 "
        "%%rd<10>;\n.shared .align 4 .b32 memory[%d];\n"
        "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r3, %%laneid;\nmov.u32 %%r5, "
        "memory;\nmad.lo.u32 %%r5, %%r1, 4, %%r5;\n%s\n"
        "mul.wide.u32 %%rd8, %%r9, 4;\nadd.s64 %%rd9, %%rd1, %%rd8;\nst.global.u32 [%%rd9], "
        "%%r1;\nret;\n}\n",
        THREADS, c->text);
    ptxlint_launches *launches = NULL;
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, error, sizeof error),
                     PTXLINT_OK);
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, &module), PTXLINT_OK);
    char *errors = kit_list(module, true);
    if (*errors)
        fail_msg("%s: %s", c->what, errors);
    free(errors);
    free(text.bytes);
    kit_kernel(module, "k");
    ptxlint_launches_free(launches);
    return module;
}

static void test_where_numbers_come_from(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Case *c = &cases[i];
        ptxlint_module *module = report_of(c);
        const ptxlint_kernel *kernel = kit_kernel(module, "k");
        const ptxlint_access *last = &kernel->accesses[kernel->access_count - 1];
        bool is_figure = isnan(c->sectors) ? isnan(last->sectors_per_request)
                                           : fabs(last->sectors_per_request - c->sectors) < 1e-9;
        if (!is_figure || last->certainty != c->certainty
            || (c->why && !strstr(last->why, c->why))) {
            print_message("%s: %g sectors, certainty %d, %s; want %g, %d\n", c->what,
                          last->sectors_per_request, (int)last->certainty, last->why, c->sectors,
                          (int)c->certainty);
            wrong++;
        }
        ptxlint_module_free(module);
    }
    assert_int_equal(wrong, 0);
}

UNIT(values)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_where_numbers_come_from) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
