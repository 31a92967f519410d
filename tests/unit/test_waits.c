/* test_waits.c -- predicted times of what warps wait for: other blocks, locks, loads of this round
 * and the last, stages of a pipeline, and the roles of a block's warps. */
#include "kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Blocks that all wait for all, and blocks that wait for the one before: the more there are, the
 * longer; others do not wait. */
static void test_waiting(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd2, %%r1, 4; add.s64 "
        "%%rd3, %%rd1, %%rd2; %s\n"
        "L: ld%s.global.u32 %%r2, [%s]; setp.eq.s32 %%p1, %%r2, 0; @%%p1 bra L; st.global.u32 "
        "[%%rd3+4], %%r2; ret;\n}\n";
    char all[1024], chain[1024], told[1024], not[1024];
    (void)state;
    snprintf(all, sizeof all, format, "red.global.add.u32 [%rd1], 1;", ".volatile", "%rd1");
    snprintf(chain, sizeof chain, format, "", ".volatile", "%rd3");
    snprintf(told, sizeof told, format, "st.global.u32 [%rd3+4], %r1;", ".volatile", "%rd3");
    snprintf(not, sizeof not, format, "", "", "%rd3");
    double alone = kit_estimate(not, 1024, 32).time.predicted_us;
    assert_true(kit_estimate(all, 1024, 32).time.predicted_us
                > kit_estimate(all, 16, 32).time.predicted_us + 1.5);
    assert_true(kit_estimate(chain, 1024, 32).time.predicted_us > 200 && alone < 20);
    assert_true(kit_estimate(told, 1024, 32).time.predicted_us < 20);
}

/* One lock for all goes from block to block; a lock of each block, and a swap for what was loaded,
 * do not. An H200 took 471 ns for each of 132 blocks and 1,363 ns for each of 1,056. */
static void test_locks(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd2, %%r1, 4; add.s64 "
        "%%rd3, %%rd1, %%rd2; mov.u32 %%r5, 0; ld.global.u32 %%r6, [%%rd1+4];\n"
        "L: atom.global.cas.b32 %%r2, [%s], %s, 1; setp.ne.s32 %%p1, %%r2, 0; @%%p1 bra L;\n"
        "membar.gl; atom.global.exch.b32 %%r3, [%s], 0; ret;\n}\n";
    static const struct { const char *address, *compare; uint32_t blocks; double least, most; }
    cases[] = {
        { "%rd1", "0", 132, 50, 80 },  { "%rd1", "%r5", 132, 50, 80 },
        { "%rd1", "0", 1056, 1000, 1900 }, { "%rd3", "0", 1056, 0, 20 },
        { "%rd1", "%r6", 132, 0, 20 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[c].address, cases[c].compare, cases[c].address);
        /* one thread a block */
        const double us = kit_estimate(text, cases[c].blocks, 1).time.predicted_us;
        if (!(us >= cases[c].least && us <= cases[c].most))
            fail_msg("case %zu: %g us", c, us);
    }
}

/* Why nothing is known of a kernel that calls what cannot be followed. */
static void test_called_away(void **state)
{
    static const struct { const char *call, *why; } cases[] = {
        { "call away;", "a function is called that the file does not have" },
        { "P: .callprototype _ ();\nld.param.u64 %rd1, [a]; call %rd1, P;",
          "a function is called by a pointer: which one is not known" },
    };
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[512];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func away();\n"
                 ".visible .entry k(.param .u64 a)\n{ .reg .b64 %%rd<2>; %s ret; }\n",
                 cases[c].call);
        ptxlint_options options;
        ptxlint_module *module;
        ptxlint_launches *launches;
        ptxlint_options_init(&options);
        options.gpus = &gpu;
        options.gpu_count = 1;
        assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
        assert_int_equal(ptxlint_launches_set(launches, "grid", "64", NULL, 0), PTXLINT_OK);
        assert_int_equal(ptxlint_launches_set(launches, "block", "64", NULL, 0), PTXLINT_OK);
        options.launches = launches;
        assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
        assert_string_equal(kit_kernel(module, "k")->projections->time.why, cases[c].why);
        ptxlint_module_free(module);
        ptxlint_launches_free(launches);
    }
}

/* What MEM209 says is to be gained, where each lane reads a constant by its own index, is what the
 * prediction is less where all lanes have one. */
static void test_constant_gain(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.const .b32 t[256];\n.visible .entry "
        "k(.param .u64 a) .reqntid 256\n{\n.reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4; add.s64 "
        "%%rd2, %%rd1, %%rd2; ld.global.u32 %%r2, [%s]; mul.wide.u32 %%rd3, %%r2, 4; mov.u64 "
        "%%rd4, t; add.s64 %%rd4, %%rd4, %%rd3; ld.const.u32 %%r3, [%%rd4]; "
        "st.global.u32 [%%rd2], %%r3; ret;\n}\n";
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_launches *launches;
    char text[2][1024];
    double us[2], gain = 0;
    size_t count;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], format, i ? "%rd1" : "%rd2");
        us[i] = kit_estimate(text[i], 1024, 256).time.predicted_us;
    }
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "grid", "1024", NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "block", "256", NULL, 0), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text[0], strlen(text[0]), &options, &module), PTXLINT_OK);
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++)
        gain = strcmp(found[d].rule, "MEM209") ? gain : found[d].gain_percent;
    if (!(gain > 20 && fabs(gain - 100 * (1 - us[1] / us[0])) < 6))
        fail_msg("gain %g %%, %g us and %g us", gain, us[0], us[1]);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
}

/* Iterations that ptxas joins load side by side: four of them, as far as registers go and no store
 * stands between. Of one that is not joined, the time that it takes. */
static void test_loads_ahead(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .pred %%p<2>; .reg .b32 %%r<6>; .reg .b64 %%rd<4>; .reg .f32 %%f<10>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd2, %%r1, 128;\n"
        "add.s64 %%rd2, %%rd1, %%rd2; mov.u32 %%r4, 0; mov.f32 %%f1, 0f00000000;\n"
        "L:%s add.s64 %%rd2, %%rd2, 65536;\n%s\nadd.f32 %%f1, %%f1, %%f2;\n"
        "add.s32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, 1000; @%%p1 bra L;\n"
        "st.global.f32 [%%rd1], %%f1; ret;\n}\n";
    static const struct { const char *what, *body; double least, most; } cases[] = {
        { "a word", "ld.global.f32 %f2, [%rd2];", .05, .4 },
        { "eight words",
          "ld.global.v4.f32 {%f3, %f4, %f5, %f6}, [%rd2]; ld.global.v4.f32 {%f7, %f8, %f9, %f2}, "
          "[%rd2+4096]; add.f32 %f2, %f2, %f6;",
          .4, .7 },
        { "a store between", "ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd1], %f2;", .9, 1.1 },
        { "a store between that is none of it",
          "ld.global.nc.f32 %f2, [%rd2]; st.global.f32 [%rd1], %f2;", .05, .4 },
        { "a division between, whose uncommon path is elsewhere",
          "ld.global.f32 %f2, [%rd2]; cvt.rn.f32.u32 %f9, %r1; div.rn.f32 %f2, %f2, %f9;", .9,
          1.1 },
        { "a division without such a path",
          "ld.global.f32 %f2, [%rd2]; cvt.rn.f32.u32 %f9, %r1; div.full.f32 %f2, %f2, %f9;", .05,
          .5 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned i = 0; i < 2; i++) {
            char text[1024];
            snprintf(text, sizeof text, format, i ? "\n.pragma \"nounroll\";\n" : "",
                     cases[c].body);
            us[i] = kit_estimate(text, 132, 32).time.predicted_us;
        }
        if (!(us[0] >= cases[c].least * us[1] && us[0] <= cases[c].most * us[1]))
            fail_msg("%s: %g us, not joined %g", cases[c].what, us[0], us[1]);
    }
}

/* No barrier keeps behind what a launch never writes; where uses of other loads stand between,
 * registers do. */
static void test_loads_past(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .pred %%p<2>; .reg .b32 %%r<6>; .reg .b64 %%rd<4>; .reg .f32 %%f<10>;\n"
        ".shared .align 4 .b8 s[256];\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd2, %%r1, 128;\n"
        "add.s64 %%rd2, %%rd1, %%rd2; mov.u32 %%r4, 0; mov.f32 %%f1, 0f00000000;\n"
        "L:\n.pragma \"nounroll\";\nadd.s64 %%rd2, %%rd2, 1048576;\n%s\n"
        "add.s32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, 200; @%%p1 bra L;\n"
        "st.global.f32 [%%rd1], %%f1; ret;\n}\n";
#define STEP(load, at)                                                                           \
    load " %f2, [%rd2+" at "]; st.shared.f32 [s], %f2; bar.sync 0;\nld.shared.f32 %f3, [s+4]; " \
    "add.f32 %f1, %f1, %f3; bar.sync 0;\n"
#define TURN(at)                                                                                 \
    "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd2+" at "]; add.f32 %f1, %f1, %f2;\n"
#define QUOTIENT(divide, at)                                                                     \
    "ld.global.nc.f32 %f2, [%rd2+" at "]; cvt.rn.f32.u32 %f9, %r1; " divide                      \
    ".f32 %f2, %f2, %f9; add.f32 %f1, %f1, %f2;\n"
    static const struct { const char *what, *body, *other; double least, most; } cases[] = {
        { "two steps of a tile", STEP("ld.global.nc.f32", "0") STEP("ld.global.nc.f32", "65536"),
          STEP("ld.global.f32", "0") STEP("ld.global.f32", "65536"), .4, .75 },
        { "six vectors, four go at once",
          TURN("0") TURN("65536") TURN("131072") TURN("196608") TURN("262144") TURN("327680"),
          TURN("0") TURN("65536") TURN("131072") TURN("196608"), 1.6, 2.4 },
        { "three words, each behind a division of the one before",
          QUOTIENT("div.rn", "0") QUOTIENT("div.rn", "65536") QUOTIENT("div.rn", "131072"),
          QUOTIENT("div.full", "0") QUOTIENT("div.full", "65536") QUOTIENT("div.full", "131072"),
          2, 3.5 },
    };
#undef STEP
#undef TURN
#undef QUOTIENT
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned i = 0; i < 2; i++) {
            char text[2048];
            snprintf(text, sizeof text, format, i ? cases[c].other : cases[c].body);
            us[i] = kit_estimate(text, 132, 32).time.predicted_us;
        }
        if (!(us[0] >= cases[c].least * us[1] && us[0] <= cases[c].most * us[1]))
            fail_msg("%s: %g us, the other %g", cases[c].what, us[0], us[1]);
    }
}

/* Margins of a tile that some lanes load: ptxas predicates them, so that their loads go out side by
 * side and a second one takes no second latency. A shuffle in its side keeps the branch. */
static void test_margins(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
        ".shared .align 4 .b8 tile[4096];\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r3, tile; mov.u32 %%r4, 0;\n"
        "shl.b32 %%r2, %%r1, 2; add.s32 %%r3, %%r3, %%r2; mul.wide.u32 %%rd2, %%r1, 4;\n"
        "add.s64 %%rd1, %%rd1, %%rd2; setp.gt.u32 %%p1, %%r1, 3; setp.gt.u32 %%p2, %%r1, 7;\n"
        "L: bar.sync 0;\n"
        "@%%p1 bra A; ld.global.nc.f32 %%f1, [%%rd1]; %s st.shared.f32 [%%r3], %%f1;\n"
        "A: %s bar.sync 0; ld.shared.f32 %%f3, [%%r3]; st.global.f32 [%%rd1+65536], %%f3;\n"
        "add.s64 %%rd1, %%rd1, 1024; add.s32 %%r4, %%r4, 1; setp.lt.u32 %%p3, %%r4, 64;\n"
        "@%%p3 bra L; ret;\n}\n";
    static const char second[] = "@%p2 bra B; ld.global.nc.f32 %f2, [%rd1+512]; "
                                 "st.shared.f32 [%r3+1024], %f2;\nB:",
                      shuffle[] = "shfl.sync.bfly.b32 %f1, %f1, 1, 31, -1;";
    char one[2048], two[2048], apart[2048];
    (void)state;
    snprintf(one, sizeof one, format, "", "");
    snprintf(two, sizeof two, format, "", second);
    snprintf(apart, sizeof apart, format, shuffle, second);
    const double first = kit_estimate(one, 132, 256).time.predicted_us,
                 both = kit_estimate(two, 132, 256).time.predicted_us,
                 kept = kit_estimate(apart, 132, 256).time.predicted_us;
    if (!(both < 1.15 * first && kept > 1.4 * first))
        fail_msg("%g us with one, %g with two, %g with a branch", first, both, kept);
}

/* A loop of a shuffle and a load behind it: where warps take iterations of their own, ptxas asks at
 * the shuffle whether lanes are together, and the load starts behind what is shuffled. */
static void test_shuffles(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
        "add.s64 %%rd1, %%rd1, %%rd2; mov.f32 %%f3, 0f00000000; %s\n"
        "L: .pragma \"nounroll\";\nld.global.nc.f32 %%f1, [%%rd1];\n"
        "shfl.sync.bfly.b32 %%f1, %%f1, 1, 31, -1; ld.global.nc.f32 %%f2, [%%rd1+65536];\n"
        "fma.rn.f32 %%f3, %%f1, %%f2, %%f3; add.s64 %%rd1, %%rd1, 1024;\n"
        "add.s32 %%r2, %%r2, 2; setp.lt.u32 %%p1, %%r2, 64; @%%p1 bra L;\n"
        "st.global.f32 [%%rd1], %%f3; ret;\n}\n";
    char own[2048], together[2048];
    (void)state;
    snprintf(own, sizeof own, format, "shr.u32 %r2, %r1, 5;");
    snprintf(together, sizeof together, format, "mov.u32 %r2, 0;");
    const double apart = kit_estimate(own, 132, 64).time.predicted_us,
                 alike = kit_estimate(together, 132, 64).time.predicted_us;
    if (!(apart > 1.3 * alike && apart < 2.1 * alike))
        fail_msg("%g us by warps of their own, %g together", apart, alike);
}

/* The next round of a chain follows the last one through the grid. */
static void test_rounds(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mul.wide.u32 %%rd2, %%r1, 4; add.s64 "
        "%%rd3, %%rd1, %%rd2; mov.u32 %%r4, 0;\nM: add.u32 %%r4, %%r4, 1;\n"
        "L: ld.volatile.global.u32 %%r2, [%%rd3]; setp.lt.u32 %%p1, %%r2, %%r4; @%%p1 bra L;\n"
        "st.volatile.global.u32 [%%rd3+4], %%r4; setp.lt.u32 %%p2, %%r4, %u; @%%p2 bra M; "
        "ret;\n}\n";
    double us[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, format, i ? 100 : 1);
        us[i] = kit_estimate(text, 1024, 32).time.predicted_us;
    }
    assert_true(us[0] > 200 && us[1] > us[0] + 20 && us[1] < 2 * us[0]);
}

/* Clocks of an iteration of a rolled loop, one warp, as an H200 took them, within 30 %. An outer
 * loop does not pay again for what it was entered with. */
static void test_carried(void **state)
{
    static const struct { const char *what, *body; double clocks; } cases[] = {
        { "an addition", "add.f32 %f1, %f1, %f2;", 29 },
        { "a sine", "sin.approx.f32 %f1, %f1; add.f32 %f1, %f1, %f2;", 43 },
        { "two sines", "sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1;", 46 },
        { "a root", "rsqrt.approx.f32 %f1, %f1;", 47 },
        { "a quotient", "div.rn.f32 %f1, %f2, %f1;", 68 },
        { "a coarser one", "div.full.f32 %f1, %f2, %f1;", 52 },
        { "a reciprocal", "rcp.rn.f32 %f1, %f1;", 87 },
        { "a quotient of doubles", "div.rn.f64 %fd1, %fd2, %fd1;", 137 },
        { "a root of doubles", "sqrt.rn.f64 %fd1, %fd1;", 104 },
        { "integers", "or.b32 %r5, %r4, 1; div.u32 %r4, %r3, %r5; add.s32 %r4, %r4, 77;", 138 },
        { "a remainder", "or.b32 %r5, %r4, 1; rem.s32 %r4, %r3, %r5; add.s32 %r4, %r4, 77;", 153 },
        { "by the same divisor", "div.u32 %r4, %r4, %r3; add.s32 %r4, %r4, -294967296;", 65 },
        { "long integers", "or.b64 %rd5, %rd4, 1; div.u64 %rd4, %rd3, %rd5; add.s64 %rd4, %rd4, 77;", 333 },
        { "a sum of lanes", "redux.sync.add.s32 %r4, %r4, -1;", 60 },
        { "equal lanes", "match.any.sync.b32 %r4, %r4, -1;", 369 },
        { "a shuffle", "shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1;", 29 },
        { "an atomic", "and.b32 %r5, %r4, 1; atom.shared.add.u32 %r4, [%r6], %r5;", 32 },
        { "a load past L1", "and.b32 %r4, %r4, 7; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.global.cg.u32 %r4, [%rd5];", 313 },
        { "a load of the device's scope", "and.b32 %r4, %r4, 7; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.relaxed.gpu.global.u32 %r4, [%rd5];", 313 },
        { "a load of the block's scope", "and.b32 %r4, %r4, 7; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd5, %rd1, %rd5; ld.relaxed.cta.global.u32 %r4, [%rd5];", 40 },
        { "a fence", "membar.gl;", 283 },
        { "a fence behind a store", "st.global.u32 [%rd1+24], %r1; fence.acq_rel.gpu;", 609 },
        { "a fence of the system", "st.global.u32 [%rd1+24], %r1; membar.sys;", 1047 },
        { "a loop in a loop", "mov.u32 %r5, 0; M: .pragma \"nounroll\"; add.f32 %f1, %f1, %f2; add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, 10; @%p2 bra M;", 320 },
    };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<4>; "
        ".reg .f64 %%fd<4>; .shared .b32 s[32];\nld.param.u64 %%rd1, [a]; mov.u32 %%r7, %%tid.x; "
        "mul.wide.u32 %%rd2, %%r7, 64; add.s64 %%rd1, %%rd1, %%rd2; shl.b32 %%r6, %%r7, 2; mov.u32 "
        "%%r5, s; add.s32 %%r6, %%r6, %%r5; "
        "ld.global.f32 %%f1, [%%rd1]; ld.global.f32 %%f2, [%%rd1+4]; ld.global.f64 %%fd1, "
        "[%%rd1+8]; ld.global.f64 %%fd2, [%%rd1+16]; ld.global.u32 %%r3, [%%rd1+24]; ld.global.u32 "
        "%%r4, [%%rd1+28]; "
        "ld.global.u64 %%rd3, [%%rd1+32]; ld.global.u64 %%rd4, [%%rd1+40]; mov.u32 %%r1, 0;\nL: "
        ".pragma \"nounroll\"; %s\nadd.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, %d; @%%p1 bra "
        "L;\n"
        "st.global.f32 [%%rd1], %%f1; st.global.f64 [%%rd1+8], %%fd1; st.global.u32 [%%rd1+24], "
        "%%r4; st.global.u64 [%%rd1+32], %%rd4; ret;\n}\n";
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned k = 0; k < 2; k++) {
            char text[4096];
            snprintf(text, sizeof text, format, cases[c].body, k ? 3000 : 1000);
            ptxlint_time time = kit_estimate(text, 1, 32).time;
            us[k] = time.predicted_us;
            assert_true(time.bound_us <= time.low_us && time.low_us <= us[k]
                        && us[k] <= time.high_us);
        }
        double clocks = (us[1] - us[0]) / 2000 * 1980;
        if (!(clocks >= cases[c].clocks / 1.3 && clocks <= cases[c].clocks * 1.3))
            fail_msg("%s: %g clocks, measured %g", cases[c].what, clocks, cases[c].clocks);
    }
}

/* Steps of a block on each SM: a tile of 8 kB out of memory by cp.async, so many steps ahead, and a
 * barrier. Measured on an H200 (tools/measure-times/tiles.cu): 623, 360 and 280 ns a step. */
static void test_stages(void **state)
{
    static const struct { unsigned ahead; double ns; } cases[] = { { 0, 623 },
                                                                   { 1, 360 },
                                                                   { 2, 280 } };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .shared .align 16 .b8 s[8192];\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; "
        "mul.wide.u32 %%rd2, %%r2, %u; add.s64 %%rd1, %%rd1, %%rd2; mul.wide.u32 %%rd3, %%r1, 16; "
        "add.s64 %%rd1, %%rd1, %%rd3; shl.b32 %%r3, %%r1, 4; mov.u32 %%r4, s; add.s32 %%r3, %%r3, "
        "%%r4; mov.u32 %%r5, 0;\nL: .pragma \"nounroll\"; cp.async.wait_group %u; bar.sync 0; "
        "cp.async.cg.shared.global [%%r3], [%%rd1], 16; "
        "cp.async.cg.shared.global [%%r3+2048], [%%rd1+2048], 16; "
        "cp.async.cg.shared.global [%%r3+4096], [%%rd1+4096], 16; "
        "cp.async.cg.shared.global [%%r3+6144], [%%rd1+6144], 16; cp.async.commit_group; "
        "add.s64 %%rd1, %%rd1, 8192; add.s32 %%r5, %%r5, 1; setp.lt.s32 %%p1, %%r5, %u; @%%p1 bra "
        "L;\nret;\n}\n";
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned k = 0; k < 2; k++) {
            char text[4096];
            unsigned steps = k ? 384 : 128;
            snprintf(text, sizeof text, format, steps * 8192, cases[c].ahead, steps);
            us[k] = kit_estimate(text, 132, 128).time.predicted_us;
        }
        double ns = (us[1] - us[0]) / 256 * 1e3;
        if (!(ns >= cases[c].ns / 1.35 && ns <= cases[c].ns * 1.35))
            fail_msg("%u ahead: %g ns, measured %g", cases[c].ahead, ns, cases[c].ns);
    }
}

/* Four loads side by side become one of 16 bytes where all lanes stay aligned: a fourth of their
 * wavefronts. A store between them keeps them apart. */
static void test_joined(void **state)
{
    static const struct { unsigned offset; const char *between; } cases[] = {
        { 0, "" }, { 4, "" }, { 0, "st.shared.f32 [%r5], %f1;" },
    };
    static const char format[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .f32 %%f<9>; .reg .pred %%p1;\n"
        ".shared .align 16 .b8 t[32768]; ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x;\n"
        "shl.b32 %%r2, %%r1, 4; mov.u32 %%r3, t; add.u32 %%r4, %%r3, %%r2; mov.u32 %%r6, 0;\n"
        "shl.b32 %%r7, %%r1, 2; add.u32 %%r5, %%r3, %%r7; mov.f32 %%f1, 0f00000000;\n"
        "$L: ld.shared.f32 %%f2, [%%r4+%u]; %s ld.shared.f32 %%f3, [%%r4+%u]; %s\n"
        "ld.shared.f32 %%f4, [%%r4+%u]; %s ld.shared.f32 %%f5, [%%r4+%u];\n"
        "add.f32 %%f1, %%f1, %%f2; add.f32 %%f6, %%f3, %%f4; add.f32 %%f6, %%f6, %%f5;\n"
        "add.f32 %%f1, %%f1, %%f6; xor.b32 %%r4, %%r4, 16384; add.u32 %%r6, %%r6, 1;\n"
        "setp.lt.u32 %%p1, %%r6, 1024; @%%p1 bra $L; st.global.f32 [%%rd1], %%f1; ret;\n}\n";
    double us[3];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[2048];
        const unsigned at = cases[c].offset;
        const char *between = cases[c].between;
        snprintf(text, sizeof text, format, at, between, at + 4, between, at + 8, between, at + 12);
        us[c] = kit_estimate(text, 132, 1024).time.predicted_us;
        if (c && !(us[c] > 1.5 * us[0]))
            fail_msg("case %zu: %g us, joined %g", c, us[c], us[0]);
    }
}

/* What only some blocks, or some warps, do has a time, or a reason for none; and no cap on
 * registers that other instructions lift is a spill. */
static void test_roles(void **state)
{
    static const char *const bodies[] = {
        "griddepcontrol.wait; st.global.u32 [%rd1], %r1; griddepcontrol.launch_dependents;",
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; st.global.u32 [%rd1], %r1;",
        ("setp.lt.u32 %p1, %r1, 128; @%p1 bra $A; setmaxnreg.inc.sync.aligned.u32 240;\n"
         "st.global.u32 [%rd1], %r1; bra $B; $A: setmaxnreg.dec.sync.aligned.u32 24; $B:"),
    };
    (void)state;
    for (size_t c = 0; c < sizeof bodies / sizeof *bodies; c++) {
        char text[2048];
        snprintf(text, sizeof text,
                 ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)"
                 "%s\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .pred %%p1;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n",
                 c == 1 ? " .reqnctapercluster 2" : "", bodies[c]);
        const ptxlint_estimated out = kit_estimate(text, 132, 256);
        const bool has_time = out.time.predicted_us > 0 && out.time.predicted_us < 10;
        if (!has_time && !(isnan(out.time.predicted_us) && out.time.why && *out.time.why))
            fail_msg("case %zu: %g us and no reason", c, out.time.predicted_us);
        assert_int_not_equal(out.spills, PTXLINT_SPILLS_LIKELY);
    }
}

/* Bytes that a register says, or that a bulk store moves: how many is unknown, not none. */
static void test_bulk_bytes(void **state)
{
    static const struct { const char *copy; bool is_known; } cases[] = {
        { "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], %r1, "
          "[%r3];", false },
        { "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], %r1;", false },
        { "", true },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[2048];
        snprintf(text, sizeof text,
                 ".version 8.6\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<4>;\n"
                 ".shared .align 128 .b8 t[8192]; .shared .align 8 .b64 bar;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x;\n"
                 "mov.u32 %%r3, bar; mov.u32 %%r4, t;\n%s\n"
                 "st.global.u32 [%%rd1], %%r1;\nret;\n}\n",
                 cases[c].copy);
        assert_int_equal(!isnan(kit_estimate(text, 64, 32).time.dram_bytes), cases[c].is_known);
    }
}

/* Products whose accumulators a way around the loop sets, while the loop's last ones are under way:
 * ptxas makes a warp wait for each, and says so. Set before the ways part, or waited for in the
 * loop, they go on beside each other. */
static void test_serial_products(void **state)
{
    static const char set[] =
        "mov.b32 %f1, 0; mov.b32 %f2, 0; mov.b32 %f3, 0; mov.b32 %f4, 0;";
    static const char product[] =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd2, %p2, "
        "1, 1, 0, 0;";
    static const char format[] =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.b64 %%rd2, 4611686293305294848; mov.pred %%p2, -1; "
        "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, 0; setp.gt.u32 %%p1, %%r1, 1000; %s\n"
        "@%%p1 bra AROUND;\n%s\nL: .pragma \"nounroll\"; wgmma.fence.sync.aligned; %s %s %s %s "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned %u; "
        "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p3, %%r2, 512; @%%p3 bra L;\nbra.uni END;\n"
        "AROUND: %s\nEND: wgmma.wait_group.sync.aligned 0; st.global.v4.f32 [%%rd1], "
        "{%%f1, %%f2, %%f3, %%f4}; ret;\n}\n";
    static const struct { bool before; unsigned left; bool is_serial; } cases[] = {
        { true, 1, false }, { false, 1, true }, { false, 0, false },
    };
    double us[3];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *before = cases[c].before ? set : "", *apart = cases[c].before ? "" : set;
        char text[2048];
        snprintf(text, sizeof text, format, before, apart, product, product, product, product,
                 cases[c].left, apart);
        us[c] = kit_estimate(text, 132, 128).time.predicted_us;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        if ((us[c] > 1.3 * us[2]) != cases[c].is_serial)
            fail_msg("case %zu: %g us of %g", c, us[c], us[2]);
}

/* m16n16k8 of tf32 is four m16n8k4, which take a third longer than the two m16n8k8 that do as
 * much. */
static void test_fragments(void **state)
{
    static const char mma[] =
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, "
        "{%r4, %r5, %r6, %r7}, {%r4, %r5}, {%f0, %f1, %f2, %f3};\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f4, %f5, %f6, %f7}, "
        "{%r4, %r5, %r6, %r7}, {%r6, %r7}, {%f4, %f5, %f6, %f7};\n";
    static const char wmma[] =
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 "
        "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r4, %r5, %r6, %r7}, {%r4, %r5, %r6, %r7}, "
        "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\n";
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%rd1]; "
        "mov.u32 %%r2, 0;\nL: .pragma \"nounroll\"; %s%s%s%s"
        "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p3, %%r2, 4096; @%%p3 bra L;\n"
        "st.global.v4.f32 [%%rd1], {%%f0, %%f1, %%f4, %%f5}; ret;\n}\n";
    const char *const products[] = { mma, wmma };
    double us[2];
    (void)state;
    for (size_t c = 0; c < COUNT(products); c++) {
        char text[4096];
        snprintf(text, sizeof text, format, products[c], products[c], products[c], products[c]);
        us[c] = kit_estimate(text, 132, 1024).time.predicted_us;
    }
    if (!(us[1] > 1.2 * us[0] && us[1] < 1.5 * us[0]))
        fail_msg("%g us as fragments, %g as m16n8k8", us[1], us[0]);
}

UNIT(waits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_called_away),
        cmocka_unit_test(test_constant_gain),
        cmocka_unit_test(test_loads_ahead),
        cmocka_unit_test(test_loads_past),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_carried),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_bulk_bytes),
        cmocka_unit_test(test_serial_products),
        cmocka_unit_test(test_fragments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
