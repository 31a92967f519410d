/* How long a launch takes at the least and by prediction: loops, blocks, bounds and bands.
 * What memory moves is in test_memory_time.c, what warps wait for in test_waits.c. */
#include "kit.h"

#include "analysis/time/block_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

/* A loop of 64 iterations over that many numbers. */
static double spilling(const char *directive, unsigned numbers)
{
    Text text = { 0 };
    kit_print(&text,
              ".version 7.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a) %s\n{\n"
              ".reg .pred %%p; .reg .u32 %%r<4>; .reg .u64 %%rd<4>; .reg .f32 %%f<%u>;\n"
              "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0; ld.param.u64 %%rd1, [a];\n"
              "mad.wide.u32 %%rd1, %%r1, 4, %%rd1;\n",
              directive, numbers);
    for (unsigned i = 0; i < numbers; i++)
        kit_print(&text, "ld.global.f32 %%f%u, [%%rd1+%u];\n", i, 512 * i);
    kit_print(&text, "L:\n");
    for (unsigned i = 0; i < numbers; i++)
        kit_print(&text, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", i, i,
                  (7 * i + 1) % numbers, i);
    kit_print(&text, "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, 64; @%%p bra L;\n");
    for (unsigned i = 0; i < numbers; i++)
        kit_print(&text, "st.global.f32 [%%rd1+%u], %%f%u;\n", 512 * i, i);
    kit_print(&text, "ret;\n}\n");
    const double count = kit_estimate(text.bytes, 132, 128).warp_instructions;
    free(text.bytes);
    return count;
}

/* Registers that a directive leaves no room for go to memory and back in each iteration: on an H200
 * such loops of 100 numbers executed 121 loads and 107 stores of local memory with 32 registers. */
static void test_spilled(void **state)
{
    const double warps = 132 * 4, iterations = warps * 64;
    (void)state;
    const double free_of = spilling("", 100), few = spilling(".maxnreg 64", 100),
                 fewest = spilling(".maxnreg 32", 100);
    assert_true(few > free_of + 40 * iterations && few < fewest);
    assert_true(fewest > free_of + 120 * iterations && fewest < free_of + 240 * iterations);
    assert_true(is(spilling(".maxnreg 64", 24), spilling("", 24)));
}

/* Blocks that work as often as the square of their number: one from the middle stands for three
 * quarters of the mean. */
static void test_steps(void **state)
{
    static const char text[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o)\n{\n.reg "
        ".b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
        "mov.u32 %r1, %ctaid.x; mul.lo.s32 %r2, %r1, %r1; add.s32 %r2, %r2, 1; mov.u32 %r3, 0; "
        "mov.u32 %r4, 1;\n"
        "L: xor.b32 %r4, %r4, %r3; mul.lo.s32 %r4, %r4, %r4; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, "
        "%r3, %r2; @%p1 bra L;\n"
        "ld.param.u64 %rd1, [o]; st.global.u32 [%rd1], %r4; ret;\n}\n";
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_trial trial;
    ptxlint_estimated quick = { .size = sizeof quick }, close = quick;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    (void)state;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, &options, &module), PTXLINT_OK);
    ptxlint_trial_init(&trial);
    trial.grid[0] = 64;
    trial.block[0] = 32;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &quick), PTXLINT_OK);
    trial.steps = 1 << 22;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &close), PTXLINT_OK);
    assert_true(close.warp_instructions > 1.2 * quick.warp_instructions
                && close.warp_instructions < 1.5 * quick.warp_instructions);
    ptxlint_module_free(module);
}

/* Loops that data end: a compare-and-swap at once, equal numbers soon, where a counter ends them
 * too by the counter. */
static void test_stays(void **state)
{
    static const struct { const char *what, *loop; double least, most; } cases[] = {
        { "a swap", "L: atom.global.cas.b32 %r2, [%rd1], %r1, 7; setp.ne.s32 %p1, %r2, 0; @%p1 bra L;", 0, 12 },
        { "until a number comes", "L: ld.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 4; setp.eq.s32 %p1, %r2, 9; @%p1 bra E; add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, 40; @%p2 bra L; E:", 200, 400 },
        { "as long as a number comes", "L: ld.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 4; setp.ne.s32 %p1, %r2, 9; @%p1 bra E; add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, 40; @%p2 bra L; E:", 20, 60 },
        { "a counter that was loaded", "L: ld.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 4; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L;", 15, 60 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                 "a)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
                 "ld.param.u64 %%rd1, [a]; ld.global.u32 %%r1, [%%rd1]; mov.u64 %%rd2, %%rd1; "
                 "mov.u32 %%r3, 0;\n%s\nst.global.u32 [%%rd1], %%r3; ret;\n}\n",
                 cases[c].loop);
        double each = kit_estimate(text, 1 << 13, 32).warp_instructions / (1 << 13);
        if (!(each >= cases[c].least && each <= cases[c].most))
            fail_msg("%s: %g instructions", cases[c].what, each);
    }
}

/* A binary search halves its range whichever way data lead: as many iterations as the range has
 * bits, which the launch gives or the code. Where it may end earlier too, no less; where data make
 * the range, it is unknown. */
static void test_steered(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<6>; .reg .b32 %%r<12>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.global.u32 %%r9, [%%rd1]; mov.u32 %%r1, 0; %s\n"
        "L: add.s32 %%r3, %%r1, %%r2; shr.s32 %%r3, %%r3, 1; mul.wide.s32 %%rd2, %%r3, 4; add.s64 "
        "%%rd2, %%rd1, %%rd2; ld.global.u32 %%r4, [%%rd2]; %s "
        "setp.lt.s32 %%p1, %%r4, %%r9; add.s32 "
        "%%r5, %%r3, 1; selp.b32 %%r1, %%r5, %%r1, %%p1; selp.b32 %%r2, %%r2, %%r3, %%p1; "
        "setp.lt.s32 %%p2, %%r1, %%r2; @%%p2 bra L;\nE: st.global.u32 [%%rd1], %%r1; ret;\n}\n";
    static const char *const early = "setp.eq.s32 %p3, %r4, %r9; @%p3 bra E;";
    static const struct { const char *range, *exit; double least, most; } cases[] = {
        { "mov.u32 %r2, 1048576;", "", 20, 21 },
        { "mov.u32 %r2, 1000;", "", 10, 11 },
        { "mov.u32 %r6, %nctaid.x; shl.b32 %r2, %r6, 2;", "", 15, 16 },
        { "mov.u32 %r2, 1048576;", early, 20, 21 },
        { "ld.global.u32 %r2, [%rd1+4];", "", 5, 5 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[2][2048];
        /* two launches that differ by a load in each iteration, if at all by anything */
        snprintf(text[0], sizeof text[0], format, cases[c].range, cases[c].exit);
        char more[512];
        snprintf(more, sizeof more, "%s ld.volatile.global.u32 %%r7, [%%rd1+8];", cases[c].exit);
        snprintf(text[1], sizeof text[1], format, cases[c].range, more);
        double trips = (kit_estimate(text[1], 1 << 13, 32).warp_instructions
                        - kit_estimate(text[0], 1 << 13, 32).warp_instructions)
                       / (1 << 13);
        if (!(trips >= cases[c].least - 0.5 && trips <= cases[c].most + 0.5))
            fail_msg("%s: %g iterations", cases[c].range, trips);
    }
}

/* Loops that work on a number until nothing is left of it run as often as on random ones: 32 bits
 * have 16 set; a shift goes on to the highest; Euclid takes 0.843 ln(n) + 1.47 divisions, Newton's
 * iteration converges; what a counter does, or loads in the loop, says nothing. */
static void test_consumed(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<6>; .reg .b32 %%r<12>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r9, %%tid.x; mul.wide.u32 %%rd2, %%r9, 4; add.s64 "
        "%%rd2, %%rd1, %%rd2; ld.global.%s; ld.global.u32 %%r7, [%%rd2+4]; mov.u32 %%r6, 0;\n"
        "%s\n st.global.u32 [%%rd1], %%r6; ret;\n}\n";
    static const struct { const char *what, *load, *loop; double least, most; } cases[] = {
        { "bits", "u32 %r1, [%rd2]",
          "L: add.u32 %r2, %r1, -1; and.b32 %r1, %r1, %r2; add.u32 %r6, %r6, 1; "
          "%s setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", 15, 17 },
        { "bits of a byte", "u8 %r1, [%rd2]",
          "L: add.u32 %r2, %r1, -1; and.b32 %r1, %r1, %r2; add.u32 %r6, %r6, 1; "
          "%s setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", 4, 5 },
        { "shifts", "u32 %r1, [%rd2]",
          "L: shr.u32 %r1, %r1, 1; add.u32 %r6, %r6, 1; %s setp.ne.u32 %p1, %r1, 0; "
          "@%p1 bra L;", 30, 32 },
        { "shifts of two", "u32 %r1, [%rd2]",
          "L: shr.u32 %r1, %r1, 2; add.u32 %r6, %r6, 1; %s setp.eq.u32 %p1, %r1, 0; "
          "@%p1 bra E; bra.uni L; E:", 15, 17 },
        { "divisors", "u32 %r1, [%rd2]",
          "mov.u32 %r2, %r7;\nL: rem.u32 %r3, %r1, %r2; mov.u32 %r1, %r2; mov.u32 %r2, %r3; "
          "%s setp.ne.u32 %p1, %r2, 0; @%p1 bra L; mov.u32 %r6, %r1;", 18, 22 },
        { "a counter by data", "u8 %r1, [%rd2]",
          "L: add.u32 %r6, %r6, 1; %s setp.lt.u32 %p1, %r6, %r1; @%p1 bra L;", 16, 17 },
        { "a counter down", "u8 %r1, [%rd2]",
          "L: add.u32 %r1, %r1, -4; add.u32 %r6, %r6, 1; %s setp.gt.s32 %p1, %r1, 0; "
          "@%p1 bra L;", 4, 5 },
        { "a list", "u32 %r1, [%rd2]",
          "L: mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3; "
          "ld.global.u32 %r1, [%rd3]; add.u32 %r6, %r6, 1; %s setp.ne.u32 %p1, %r1, 0; "
          "@%p1 bra L;", 5, 5 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double instructions[2];
        /* two launches that differ by a load in each iteration */
        for (int i = 0; i < 2; i++) {
            char loop[1024], text[2048];
            const char *at = strstr(cases[c].loop, "%s");
            snprintf(loop, sizeof loop, "%.*s%s%s", (int)(at - cases[c].loop), cases[c].loop,
                     i ? "ld.volatile.global.u32 %r5, [%rd1+8];" : "", at + 2);
            snprintf(text, sizeof text, format, cases[c].load, loop);
            instructions[i] = kit_estimate(text, 1 << 10, 32).warp_instructions;
        }
        double trips = (instructions[1] - instructions[0]) / (1 << 10);
        if (!(trips >= cases[c].least - 0.5 && trips <= cases[c].most + 0.5))
            fail_msg("%s: %g iterations", cases[c].what, trips);
    }
}

/* Up to 2^31 iterations and blocks, whatever is counted grows in proportion. Iterations are 4,096
 * bytes apart, blocks 64; neighbouring blocks share pieces of memory. */
static void test_huge(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<2>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mul.wide.u32 "
        "%%rd2, %%r2, 64; add.s64 %%rd1, %%rd1, %%rd2; mul.wide.u32 %%rd3, %%r1, 2; add.s64 "
        "%%rd1, %%rd1, %%rd3; mov.u32 %%r3, 0;\n"
        "L: ld.global.u16 %%r4, [%%rd1]; add.s32 %%r5, %%r5, %%r4; add.s64 %%rd1, %%rd1, %d; "
        "add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %u; @%%p1 bra L;\n"
        "st.global.u32 [%%rd1], %%r5; ret;\n}\n";
    static const struct { double blocks, trips; int step; double bytes; } cases[] = {
        { 1, 0x1p20, 4096, 64 * 0x1p20 },
        { 1, 0x1p28, 4096, 64 * 0x1p28 },
        { 1, 0x1p31 - 1, 4096, 64 * (0x1p31 - 1) },
        { 1, 0x1p31, 4096, 64 * 0x1p31 },
        { 1, 0x1p32 - 1, 4096, 64 * (0x1p32 - 1) },
        { 64, 0x1p31, 4096, 64 * 64 * 0x1p31 },
        { 0x1p24, 2, 0, 64 * 0x1p24 },
        { 0x1p31 - 1, 2, 0, 64 * (0x1p31 - 1) },
        { 0x1p31 - 1, 0x1p31, 0, 64 * (0x1p31 - 1) },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[c].step, (unsigned)cases[c].trips);
        ptxlint_estimated got = kit_estimate(text, (int64_t)cases[c].blocks, 32);
        double bytes = got.time.dram_bytes / cases[c].bytes,
               instructions = got.warp_instructions / (cases[c].blocks * cases[c].trips);
        /* what is stored behind the loop; unrolled four times */
        if (!(bytes >= 1 && bytes <= 3.1) || !(instructions > 2 && instructions < 13)
            || !kit_time_is_in_order(&got.time) || !isfinite(got.time.high_us))
            fail_msg("%g blocks, %g iterations: %g of the bytes, %g instructions each, %g to %g us",
                     cases[c].blocks, cases[c].trips, bytes, instructions, got.time.low_us,
                     got.time.high_us);
    }
}

/* Eight loads of 16 bytes in a loop of blocks that wait for them: 32 sums leave registers for few
 * of these at a time, one does for all. */
static void test_held_registers(void **state)
{
    enum { LOADS = 8, ROOM = 1 << 14 };
    char *text = malloc(ROOM);
    double us[2];
    (void)state;
    for (int has_many = 0; has_many < 2; has_many++) {
        int n = snprintf(text, ROOM,
                         ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry k(.param .u64 a) .reqntid 128 {\n.reg .pred %%p<2>; "
                         ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<40>, %%g<40>;\n"
                         "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; "
                         "mad.lo.u32 %%r1, %%r2, 128, %%r1; mul.wide.u32 %%rd2, %%r1, 16; "
                         "add.s64 %%rd3, %%rd1, %%rd2; mov.u32 %%r3, 0;\n");
        for (int i = 0; i < 4 * LOADS; i++)
            n += snprintf(text + n, (size_t)(ROOM - n), "mov.f32 %%f%d, 0f00000000;\n", i);
        n += snprintf(text + n, (size_t)(ROOM - n), "L:\n");
        for (int i = 0; i < LOADS; i++)
            n += snprintf(text + n, (size_t)(ROOM - n),
                          "ld.global.v4.f32 {%%g%d, %%g%d, %%g%d, %%g%d}, [%%rd3+%d];\n", 4 * i,
                          4 * i + 1, 4 * i + 2, 4 * i + 3, i << 18);
        for (int i = 0; i < 4 * LOADS; i++)
            n += snprintf(text + n, (size_t)(ROOM - n), "add.f32 %%f%d, %%f%d, %%g%d;\n",
                          has_many ? i : 0, has_many ? i : 0, i);
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "add.s64 %%rd3, %%rd3, 2097152; add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, "
                      "%%r3, 100; @%%p1 bra L;\n");
        for (int i = 1; i < 4 * LOADS; i++)
            n += snprintf(text + n, (size_t)(ROOM - n), "add.f32 %%f0, %%f0, %%f%d;\n", i);
        snprintf(text + n, (size_t)(ROOM - n), "st.global.f32 [%%rd3], %%f0; ret; }\n");
        us[has_many] = kit_estimate(text, 132, 128).time.predicted_us;
    }
    free(text);
    if (!(us[1] > 1.4 * us[0]))
        fail_msg("%.1f us with many sums, %.1f with one", us[1], us[0]);
}

/* As much work in all, but some blocks have most of it: the last ones end late. */
static void test_uneven(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<4>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; and.b32 %%r2, %%r1, %d; setp.eq.s32 "
        "%%p1, %%r2, 0; selp.s32 %%r3, %d, 100, %%p1; mov.u32 %%r4, 0; mov.u32 %%r5, 1;\n"
        "L: xor.b32 %%r5, %%r5, %%r4; mul.lo.s32 %%r5, %%r5, %%r5; add.s32 %%r4, %%r4, 1; "
        "setp.lt.s32 %%p2, %%r4, %%r3; @%%p2 bra L; st.global.u32 [%%rd1], %%r5; ret;\n}\n";
    char even[1024], uneven[1024];
    (void)state;
    snprintf(even, sizeof even, format, 0, 400);
    snprintf(uneven, sizeof uneven, format, 7, 2500);           /* 400 in the mean */
    ptxlint_estimated all = kit_estimate(even, 1056, 256), some = kit_estimate(uneven, 1056, 256);
    assert_true(fabs(all.warp_instructions / some.warp_instructions - 1) < 0.05);
    assert_true(some.time.predicted_us > 1.1 * all.time.predicted_us
                && some.time.bound_us < 1.05 * all.time.bound_us);
}

/* One block goes around as often as all of another launch's blocks do: it decides, wherever in the
 * grid it is, and however many others there are. Of a triangle as long as the blocks differ, half
 * the work takes less than all of it. */
static void test_one_heavy_block(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%nctaid.x; %s "
        "mov.u32 %%r4, 0; mov.f32 %%f1, 0f3f800000;\n"
        "L: .pragma \"nounroll\"; ld.global.f32 %%f2, [%%rd1]; fma.rn.f32 %%f1, %%f1, %%f1, %%f2; "
        "add.s32 %%r4, %%r4, 1; setp.lt.s32 %%p2, %%r4, %%r3; @%%p2 bra L; "
        "st.global.f32 [%%rd1+256], %%f1; ret;\n}\n";
    static const char *const all = "mov.u32 %r3, 100000;";
    static const char *const first = "setp.eq.s32 %p1, %r1, 0; selp.s32 %r3, 100000, 10, %p1;";
    static const char *const last = "add.s32 %r2, %r2, -1; setp.eq.s32 %p1, %r1, %r2; "
                                    "selp.s32 %r3, 100000, 10, %p1;";
    static const char *const triangle = "mul.lo.s32 %r3, %r1, 100; add.s32 %r3, %r3, 1;";
    static const char *const falling = "sub.s32 %r3, 1000, %r1; mul.lo.s32 %r3, %r3, 100;";
    char text[5][1024];
    (void)state;
    snprintf(text[0], sizeof text[0], format, all);
    snprintf(text[1], sizeof text[1], format, first);
    snprintf(text[2], sizeof text[2], format, last);
    snprintf(text[3], sizeof text[3], format, triangle);
    snprintf(text[4], sizeof text[4], format, falling);
    const double alone = kit_estimate(text[0], 1, 32).time.predicted_us;
    for (int64_t blocks = 64; blocks <= 4096; blocks *= 4)
        for (size_t i = 1; i <= 2; i++) {
            double here = kit_estimate(text[i], blocks, 32).time.predicted_us;
            if (fabs(here / alone - 1) > 0.05)
                fail_msg("%d of %d blocks: %g us, alone %g", (int)i, (int)blocks, here, alone);
        }
    double full = kit_estimate(text[0], 1000, 1024).time.predicted_us,
           half = kit_estimate(text[3], 1000, 1024).time.predicted_us,
           early = kit_estimate(text[4], 1000, 1024).time.predicted_us;
    assert_true(half > 0.48 * full && half < 0.75 * full);
    assert_true(early > 0.48 * full && early <= half * 1.001);
    /* 32 warps of one block alone on an SM: its issue slots, not those of all SMs */
    assert_true(fabs(kit_estimate(text[1], 1000, 1024).time.predicted_us
                         / kit_estimate(text[0], 1, 1024).time.predicted_us
                     - 1)
                < 0.1);
}

/* Places take blocks in their order: what the order costs, in blocks. */
static void test_block_schedule(void **state)
{
    static const float even[] = { 1, 1, 1, 1 }, late[] = { 1, 1, 1, 5 }, early[] = { 5, 1, 1, 1 };
    (void)state;
    jmp_buf on_failure;
    Arena scratch;
    ptx_arena_init(&scratch, 1 << 22, &on_failure);
    assert_true(is(ptx_block_schedule_excess(&scratch, even, 4, 2, 1), 0));
    assert_true(is(ptx_block_schedule_excess(&scratch, late, 4, 2, 9), 1));
    assert_true(is(ptx_block_schedule_excess(&scratch, early, 4, 2, 9), 0.5));
    assert_true(is(ptx_block_schedule_excess(&scratch, late, 4, 4, 9), 0));
    ptx_arena_free(&scratch);
}

/* A loop that is not unrolled: 29 clocks an iteration on an H200 (303 us for 20,000), however
 * little it does; joined iterations share them. */
static void test_iterations(void **state)
{
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<2>; .reg .b32 %%r<2>; .reg .f32 %%f<3>; .reg .b64 %%rd<2>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, 0; mov.f32 %%f1, 0f00000000; mov.f32 %%f2, "
        "0f40000000;\n"
        "L: %s fma.rn.f32 %%f1, %%f1, %%f1, %%f2; add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, "
        "20000; @%%p1 bra L; st.global.f32 [%%rd1], %%f1; ret;\n}\n";
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, format, ".pragma \"nounroll\";");
    double rolled = kit_estimate(text, 1, 32).time.predicted_us;
    assert_true(rolled > 0.9 * 303 && rolled < 1.1 * 303);
    snprintf(text, sizeof text, format, "");
    assert_true(kit_estimate(text, 1, 32).time.predicted_us < 0.5 * rolled);
}

/* What no launch can be faster than: a sum that an iteration hands on, whatever else is in the
 * loop; atomics at one address, one after the other. */
static void test_least(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, 0; mov.f32 %%f1, 0f00000000; mov.f32 %%f2, "
        "0f40000000;\n"
        "L: %s add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, 10000; @%%p1 bra L; st.global.f32 "
        "[%%rd1], %%f1; ret;\n}\n";
    static const struct { const char *loop; double least, most; } cases[] = {
        /* 4 clocks at 1,980 MHz 10,000 times, and what any launch takes */
        { "fma.rn.f32 %f1, %f1, %f2, %f2;", 21, 23 },
        { "fma.rn.f32 %f1, %f1, %f2, %f2; sqrt.rn.f32 %f1, %f1;", 170, 175 },
        { "fma.rn.f32 %f1, %f2, %f2, %f2;", 1.5, 8 },                           /* the next one does not need it */
        { "mul.f32 %f3, %f1, %f2; add.rn.f32 %f1, %f3, %f2;", 21, 23 },         /* may be one operation */
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[c].loop);
        ptxlint_estimated got = kit_estimate(text, 1, 32);
        if (!(got.time.bound_us >= cases[c].least && got.time.bound_us <= cases[c].most
              && got.time.bound_us <= got.time.predicted_us))
            fail_msg("%s: at least %g us, predicted %g", cases[c].loop, got.time.bound_us,
                     got.time.predicted_us);
    }
    static const char atomics[] = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry "
                                  "k(.param .u64 a)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
                                  "ld.param.u64 %rd1, [a]; atom.global.add.u32 %r1, [%rd1], 1; "
                                  "st.global.u32 [%rd1+4096], %r1; ret;\n}\n";
    assert_true(kit_estimate(atomics, 4096, 32).time.bound_us > 3
                && kit_estimate(atomics, 65536, 32).time.bound_us > 30);
    /* an H200 took 88 us where 1 KiB lay on four slices, 157 where on two */
    static const char histogram[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b64 %rd<4>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; "
        "mad.wide.u32 %rd2, %r1, 4, %rd1; red.global.add.u32 [%rd2], %r1; ret;\n}\n";
    assert_true(kit_estimate(histogram, 16384, 256).time.bound_us < 88);
}

/* What ptxas leaves out, takes once or joins is in no bound: each loop beside one in which it
 * cannot. */
static void test_bounds_of_less(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u32 d)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .f32 %%f<8>; .reg .b64 %%rd<4>;\n"
        ".shared .align 16 .b8 s[32768];\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u32 %%r6, [d]; mov.u32 %%r3, %%tid.x; mul.wide.u32 "
        "%%rd2, %%r3, 4; add.s64 %%rd1, %%rd1, %%rd2; mov.u32 %%r1, 0;\n"
        "mov.f32 %%f1, 0f3F800000; mov.f32 %%f3, %%f1; ld.global.u32 %%r4, [%%rd1]; shl.b32 %%r8, "
        "%%r3, 5; mov.u32 %%r9, s; add.u32 %%r8, %%r8, %%r9; mov.f32 %%f2, 0f40000000;\n"
        "L: %s add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, 1000; @%%p1 bra L; st.global.u32 "
        "[%%rd1], %%r4; st.global.f32 [%%rd1], %%f1; ret;\n}\n";
    static const struct { const char *what, *less, *more; double share;
    } cases[] = {
        { "a divisor that the loop does not change",
          "div.u32 %r5, %r4, %r6; mad.lo.u32 %r4, %r4, %r5, %r1;",
          "div.u32 %r5, %r6, %r4; mad.lo.u32 %r4, %r4, %r5, %r1;", 0.7 },
        { "one divisor of two",
          "or.b32 %r7, %r4, 1; div.u32 %r5, %r3, %r7; rem.u32 %r10, %r1, %r7; mad.lo.u32 %r4, "
          "%r10, %r5, %r1;",
          "or.b32 %r7, %r4, 1; div.u32 %r5, %r3, %r7; rem.u32 %r10, %r1, %r5; mad.lo.u32 %r4, "
          "%r10, %r5, %r1;",
          0.7 },
        { "sums that only their loop reads",
          "fma.rn.f32 %f3, %f3, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, "
          "%f2; fma.rn.f32 %f1, %f1, %f2, %f2;",
          "fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f1, %f1, %f2, "
          "%f2; fma.rn.f32 %f1, %f1, %f2, %f2;",
          0.6 },
        { "loads of neighbours",
          "ld.shared.f32 %f4, [%r8]; ld.shared.f32 %f5, [%r8+4]; add.f32 %f4, %f4, %f5; add.f32 "
          "%f1, %f1, %f4;",
          "ld.shared.f32 %f4, [%r8]; ld.shared.f32 %f5, [%r8+16]; add.f32 %f4, %f4, %f5; add.f32 "
          "%f1, %f1, %f4;",
          0.4 },
        { "stores of neighbours",
          "st.shared.f32 [%r8], %f1; st.shared.f32 [%r8+4], %f1; add.f32 %f1, %f1, %f2;",
          "st.shared.f32 [%r8], %f1; st.shared.f32 [%r8+16], %f1; add.f32 %f1, %f1, %f2;", 0.4 },
        { "a walk over neighbours",
          "ld.shared.f32 %f4, [%r8]; add.u32 %r8, %r8, 4; add.f32 %f1, %f1, %f4;",
          "ld.shared.f32 %f4, [%r8]; add.u32 %r8, %r8, 16; add.f32 %f1, %f1, %f4;", 0.4 },
        { "a load that nothing reads",
          "ld.shared.f32 %f4, [%r8]; add.f32 %f5, %f5, %f4; add.f32 %f1, %f1, %f2;",
          "ld.shared.f32 %f4, [%r8]; add.f32 %f1, %f1, %f4;", 0.4 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char less[2048], more[2048];
        snprintf(less, sizeof less, format, cases[c].less);
        snprintf(more, sizeof more, format, cases[c].more);
        ptxlint_estimated a = kit_estimate(less, 1056, 1024), b = kit_estimate(more, 1056, 1024);
        if (!(a.time.bound_us <= cases[c].share * b.time.bound_us && kit_time_is_in_order(&a.time)
              && kit_time_is_in_order(&b.time)))
            fail_msg("%s: at least %g of %g us, else %g of %g", cases[c].what, a.time.bound_us,
                     a.time.predicted_us, b.time.bound_us, b.time.predicted_us);
    }
}

/* The band is wider where data decide how often a loop runs, and on a GPU that was not measured. */
static void test_bands(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r3, %%tid.x; ld.global.u32 %%r1, [%%rd1]; %s mov.u32 "
        "%%r2, 0;\n"
        "L: add.u32 %%r2, %%r2, 1; mul.lo.u32 %%r3, %%r3, %%r3; setp.lt.u32 %%p1, %%r2, %%r1; "
        "@%%p1 bra L; st.global.u32 [%%rd1], %%r3; ret;\n}\n";
    char known[1024], guessed[1024];
    (void)state;
    snprintf(known, sizeof known, format, "mov.u32 %r1, 1000;");
    snprintf(guessed, sizeof guessed, format, "");
    ptxlint_time a = kit_estimate(known, 264, 256).time, b = kit_estimate(guessed, 264, 256).time;
    assert_true(kit_time_is_in_order(&a) && kit_time_is_in_order(&b)
                && a.band_is_measured && b.band_is_measured);
    assert_string_equal(b.band, "guessed");
    assert_true(b.high_us / b.predicted_us > 1.3 * a.high_us / a.predicted_us);
    ptxlint_time other = kit_estimate_on("h100", known, 264, 256).time;
    assert_true(kit_time_is_in_order(&other) && !other.band_is_measured
                && other.high_us / other.predicted_us > 1.2 * a.high_us / a.predicted_us);
}

/* Did the dearest pipeline take nothing, the next one holds the launch: another one, and sooner. */
static void test_relieved_pipe(void **state)
{
    static const char text[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, 0; ld.global.f32 %f1, [%rd1];\n"
        "L: sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; "
        "sin.approx.f32 %f1, %f1; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 1000; @%p1 bra L;\n"
        "st.global.f32 [%rd1], %f1; ret;\n}\n";
    (void)state;
    ptxlint_estimated got = kit_estimate(text, 1056, 256);
    assert_string_equal(got.time.limiter, "xu");
    assert_true(got.bottleneck.relieved_us < 0.75 * got.time.predicted_us
                && got.bottleneck.relieved_us > 0.1 * got.time.predicted_us);
    assert_string_not_equal(got.bottleneck.next, "xu");
}

/* No multiply-add is no potential of 0, and no floating point none at all. */
static void test_potential(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".b32 %%r<4>; .reg .f32 %%f<4>; .reg .f64 %%d<4>; .reg .b64 %%rd<4>;\n"
        "ld.param.u64 %%rd1, [a]; ld.global.u32 %%r1, [%%rd1]; %s st.global.u32 [%%rd1], %%r1; "
        "ret;\n}\n";
    static const struct { const char *body; bool has_some; } cases[] = {
        { "mov.b32 %f1, %r1; add.f32 %f1, %f1, %f1; mov.b32 %r1, %f1;", true }, { "mov.b32 %f1, %r1; fma.rn.f32 %f1, %f1, %f1, %f1; mov.b32 %r1, %f1;", true },
        { "ld.global.f64 %d1, [%rd1]; mul.f64 %d1, %d1, %d1; st.global.f64 [%rd1], %d1;", true }, { "add.u32 %r1, %r1, %r1;", false },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        ptxlint_module *module;
        ptxlint_options options;
        const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
        snprintf(text, sizeof text, format, cases[c].body);
        ptxlint_options_init(&options);
        options.gpus = &gpu;
        options.gpu_count = 1;
        assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
        double potential = kit_kernel(module, NULL)->projections[0].peak.potential_gflops;
        if (cases[c].has_some ? !(potential > 0) : !isnan(potential))
            fail_msg("%s: %g", cases[c].body, potential);
        ptxlint_module_free(module);
    }
}

/* A loop that jumps back to itself from a block that does nothing else is unrolled as any other. */
static double looping_us(const char *ends)
{
    Text text = { 0 };
    kit_print(&text,
              ".version 7.0\n.target sm_90\n.address_size 64\n"
              ".entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %%p<2>; .reg .u32 %%r<4>;\n"
              ".reg .u64 %%rd<4>; .reg .f32 %%f<4>;\n"
              "mov.u32 %%r1, %%tid.x; ld.param.u64 %%rd1, [a]; ld.param.u32 %%r2, [n];\n"
              "mad.wide.u32 %%rd1, %%r1, 4, %%rd1; mov.f32 %%f1, 0f00000000;\n"
              "L:\nld.global.f32 %%f2, [%%rd1]; add.f32 %%f1, %%f1, %%f2;\n"
              "add.s64 %%rd1, %%rd1, 1024; add.s32 %%r2, %%r2, -1; setp.ne.s32 %%p1, %%r2, 0;\n"
              "%s\nE:\nst.global.f32 [%%rd1], %%f1;\nret;\n}\n",
              ends);
    const double us = kit_estimate_with(text.bytes, "null, 1024", 132, 128).time.predicted_us;
    free(text.bytes);
    return us;
}

/* A chain of 4,096 multiply-adds behind a product of matrices, on one SM. */
static double chain_us(const char *gpu, const char *product)
{
    char text[1024];
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
             ".reg .pred %%p; .reg .b32 %%r<8>; .reg .f32 %%f<8>; .reg .f64 %%d<4>; "
             ".reg .b64 %%rd;\n"
             "ld.param.u64 %%rd, [a]; ld.global.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd]; "
             "ld.global.v2.f64 {%%d1, %%d2}, [%%rd+16]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0;\n"
             "%s\nL: fma.rn.f32 %%f1, %%f1, %%f1, %%f2; add.u32 %%r2, %%r2, 1; "
             "setp.lt.u32 %%p, %%r2, 4096; @%%p bra L;\n"
             "st.global.v2.f32 [%%rd], {%%f1, %%f3}; st.global.f64 [%%rd+8], %%d1; ret;\n}\n",
             product);
    return kit_estimate_on(gpu, text, 1, 32).time.predicted_us;
}

/* A launch that multiplies matrices runs at a lower clock where the GPU's file says so. */
static void test_tensor_clock(void **state)
{
    static const char
        half[] = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                 "{%r1, %r1}, {%r1}, {%f1, %f2, %f3, %f4};",
        twice[] = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d1}, {%d2}, "
                  "{%d1, %d2};";
    (void)state;
    const double plain = chain_us("h200", ""), slow = chain_us("h200", half),
                 same = chain_us("h200", twice), older = chain_us("a100", half);
    assert_true(slow > 1.06 * plain && slow < 1.14 * plain);
    assert_true(same < 1.04 * plain);
    assert_true(older < 1.04 * chain_us("a100", ""));
}

static void test_jumps_back(void **state)
{
    (void)state;
    const double plain = looping_us("@%p1 bra L;"),
                 jumping = looping_us("@!%p1 bra E;\nbra.uni L;");
    assert_true(jumping < 1.1 * plain && plain < 1.1 * jumping);
}

UNIT(predicted_time)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_clock),
        cmocka_unit_test(test_jumps_back), cmocka_unit_test(test_spilled),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_stays),
        cmocka_unit_test(test_steered),
        cmocka_unit_test(test_consumed),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_held_registers),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_one_heavy_block),
        cmocka_unit_test(test_block_schedule),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_bounds_of_less),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_relieved_pipe),
        cmocka_unit_test(test_potential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
