/* test_parallelism.c -- what of a loop's iteration can be under way at once; what holds a launch
 * back. */
#include "kit.h"

#include <math.h>

/* %rd3 walks, %r5 counts 100 iterations; no two blocks touch the same. */
#define LOOP(body)                                                                                 \
    ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"         \
    ".reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .f32 %f<12>; .reg .pred %p<2>; .shared .align 4 "   \
    ".b8 s[4096];\n"                                                                               \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, "    \
    "65536, %r1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r5, 0;\n"           \
    "mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000;\n"                                          \
    "L:\n" body "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100;\n@%p1 bra L;\n"                  \
    "add.f32 %f1, %f1, %f2; st.global.f32 [%rd3], %f1; ret;\n}\n"

/* Clocks on an H200: arithmetic 4.5, shared memory 23, global memory 649.6, the mean of its file.
 * carried 0: not looked at. */
static const struct {
    const char *what, *text;
    double loads, load_path, mlp, path, carried;
} cases[] = {
    { "four sums that wait for each other",
      LOOP("add.f32 %f1, %f1, 0f3F800000;\nadd.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, "
           "0f3F800000;\nadd.f32 %f1, %f1, %f2;\n"),
      0, 0, NAN, 4, 18 },
    { "two of two",
      LOOP("add.f32 %f1, %f1, 0f3F800000;\nadd.f32 %f2, %f2, 0f40000000;\nadd.f32 %f1, %f1, "
           "0f3F800000;\nadd.f32 %f2, %f2, 0f40000000;\n"),
      0, 0, NAN, 3, 9 },
    { "four loads at once",
      LOOP("ld.global.f32 %f3, [%rd3];\nld.global.f32 %f4, [%rd3+128];\nld.global.f32 %f5, "
           "[%rd3+256];\nld.global.f32 %f6, [%rd3+384];\n"
           "add.f32 %f3, %f3, %f4;\nadd.f32 %f5, %f5, %f6;\nadd.f32 %f3, %f3, %f5;\nadd.f32 %f1, "
           "%f1, %f3;\nadd.s64 %rd3, %rd3, 512;\n"),
      4, 1, 4, 4, 9 },
    { "a list", LOOP("ld.global.u64 %rd3, [%rd3];\n"), 1, 1, 1, 3, 649.6 },
    { "an index first",
      LOOP("ld.global.u32 %r6, [%rd3];\nmul.wide.u32 %rd4, %r6, 4;\nadd.s64 %rd5, %rd1, "
           "%rd4;\nld.global.f32 %f3, [%rd5];\nadd.f32 %f1, %f1, %f3;\n"
           "add.s64 %rd3, %rd3, 128;\n"),
      2, 2, 1, 0, 0 },
    { "a store between",
      LOOP("ld.global.f32 %f3, [%rd3];\nst.global.f32 [%rd3+4], %f3;\nld.global.f32 %f4, "
           "[%rd3+128];\nst.global.f32 [%rd3+132], %f4;\n"
           "add.s64 %rd3, %rd3, 256;\n"),
      2, 2, 1, 0, 0 },
    { "a store between, but what is read never changes",
      LOOP("ld.global.nc.f32 %f3, [%rd3];\nst.global.f32 [%rd3+4], %f3;\nld.global.nc.f32 %f4, "
           "[%rd3+128];\nst.global.f32 [%rd3+132], %f4;\n"
           "add.s64 %rd3, %rd3, 256;\n"),
      2, 1, 2, 0, 9 },
    { "a store to another space between",
      LOOP("ld.global.f32 %f3, [%rd3];\nst.shared.f32 [s], %f3;\nld.global.f32 %f4, "
           "[%rd3+128];\nst.shared.f32 [s+4], %f4;\n"
           "add.s64 %rd3, %rd3, 256;\n"),
      2, 1, 2, 0, 9 },
    { "left as what it loads says",
      LOOP("add.s64 %rd3, %rd3, 4;\nld.volatile.global.u32 %r6, [%rd1];\nsetp.eq.u32 %p0, %r6, "
           "0;\n@%p0 bra N;\nst.global.u32 [%rd3], %r6; ret;\nN:\n"),
      1, 1, 1, 0, 649.6 + 4.5 + 8 },
    { "quotients in turn", LOOP("div.rn.f32 %f1, %f2, %f1;\nadd.f32 %f1, %f1, %f2;\n"), 0, 0, NAN,
      0, 57 + 4.5 },
    { "64-bit products in turn: four instructions each",
      LOOP("mul.lo.s64 %rd4, %rd3, %rd2;\nadd.s64 %rd3, %rd4, %rd1;\n"), 0, 0, NAN, 0, 18 },
    { "a tile: loads, barrier, reads of what they brought",
      LOOP("ld.global.f32 %f3, [%rd3];\nst.shared.f32 [s], %f3;\nbar.sync 0;\nld.shared.f32 %f4, "
           "[s+4];\n"
           "add.f32 %f1, %f1, %f4;\nbar.sync 0;\nadd.s64 %rd3, %rd3, 128;\n"),
      1, 1, 1, 0, 0 },
    { "the next one before this one is used",
      LOOP("add.f32 %f1, %f1, %f2;\nadd.s64 %rd3, %rd3, 128;\nld.global.f32 %f2, [%rd3];\n"), 1, 1,
      1, 3, 9 },
};

static ptxlint_module *open_on(const char *text, const char *gpu_name, const char *grid)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    ptxlint_launches *launches;
    ptxlint_options options;
    ptxlint_module *module;
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "block", "256", NULL, 0), PTXLINT_OK);
    if (grid)
        assert_int_equal(ptxlint_launches_set(launches, "grid", grid, NULL, 0), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    char *errors = kit_list(module, true);
    assert_string_equal(errors, "");
    free(errors);
    return module;
}

static bool is(double got, double want)
{
    return isnan(want) ? isnan(got) : fabs(got - want) < 0.06;
}

static void test_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = open_on(cases[i].text, "h200", NULL);
        const ptxlint_parallelism *p = kit_kernel(module, NULL)->loops[0].parallelism;
        assert_non_null(p);
        assert_int_equal(p->certainty, PTXLINT_ESTIMATE);
        if (p->loads != cases[i].loads || p->load_path != cases[i].load_path
            || !is(p->mlp, cases[i].mlp)
            || (cases[i].path > 0 && p->path_instructions != cases[i].path)
            || (cases[i].carried > 0 && !is(p->carried_clocks, cases[i].carried)))
            fail_msg("%s: %g loads, %g in a chain, %g at once; a chain of %g of %g, %g clocks, %g "
                     "carried",
                     cases[i].what, p->loads, p->load_path, p->mlp, p->path_instructions,
                     p->instructions, p->path_clocks, p->carried_clocks);
        assert_true(is(p->ilp, p->instructions / p->path_instructions));
        ptxlint_module_free(module);
    }
}

/* An iteration of a loop around another takes in the other's, as many as there are. */
static void test_outer(void **state)
{
    (void)state;
#define INNER(body)                                                                                \
    "mov.u32 %r6, 0;\nM:\n" body "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 10;\n@%p1 bra M;\n"
    static const struct {
        const char *what, *text;
        double loads, load_path, carried;
    } nests[] = {
        { "ten sums that wait for each other", LOOP(INNER("add.f32 %f1, %f1, 0f3F800000;\n")), 0, 0,
          45 },
        { "and one more behind them",
          LOOP(INNER("add.f32 %f1, %f1, 0f3F800000;\n") "add.f32 %f1, %f1, %f2;\n"), 0, 0, 49.5 },
        { "a sum beside a short loop",
          LOOP(INNER("xor.b32 %r7, %r7, %r6;\n") "add.f32 %f1, %f1, %f2;\n"), 0, 0, 4.5 },
        { "ten loads at once",
          LOOP(INNER(
              "ld.global.f32 %f3, [%rd3];\nadd.f32 %f1, %f1, %f3;\nadd.s64 %rd3, %rd3, 128;\n")),
          10, 1, 90 },
        { "a list of ten", LOOP(INNER("ld.global.u64 %rd3, [%rd3];\n")), 10, 10, 7600 },
    };
    for (size_t i = 0; i < COUNT(nests); i++) {
        ptxlint_module *module = open_on(nests[i].text, "h200", "1");
        const ptxlint_kernel *kernel = kit_kernel(module, NULL);
        assert_int_equal(kernel->loop_count, 2);
        const ptxlint_parallelism *outer = kernel->loops[0].parallelism,
                                  *inner = kernel->loops[1].parallelism;
        if (fabs(outer->loads - nests[i].loads) > 0.01
            || fabs(outer->load_path - nests[i].load_path) > 0.01
            || !is(outer->carried_clocks, nests[i].carried)
            || outer->instructions < 10 * inner->instructions
            || outer->path_instructions > outer->instructions)
            fail_msg("%s: %g loads, %g in a chain, %g carried; %g instructions, %g in a chain",
                     nests[i].what, outer->loads, outer->load_path, outer->carried_clocks,
                     outer->instructions, outer->path_instructions);
        ptxlint_module_free(module);
    }
}

/* Cycles are not known where the latency of a load is not. */
static void test_unknown(void **state)
{
    (void)state;
    ptxlint_module *module;
    module = open_on(LOOP("ld.global.f32 %f3, [%rd3];\nadd.f32 %f1, %f1, %f3;\n"), "t4", NULL);
    assert_true(isnan(kit_kernel(module, NULL)->loops[0].parallelism->path_clocks));
    assert_true(kit_kernel(module, NULL)->loops[0].parallelism->mlp == 1);
    ptxlint_module_free(module);
}

/* A part that takes nothing leaves no more than the others take, and what comes next is another. */
static void test_bottleneck(void **state)
{
    (void)state;
    ptxlint_module *module = open_on(
        LOOP("ld.global.f32 %f3, [%rd3];\nadd.f32 %f1, %f1, %f3;\nadd.s64 %rd3, %rd3, 1024;\n"),
        "h200", "4224");
    const ptxlint_projection *on = &kit_kernel(module, NULL)->projections[0];
    const ptxlint_bottleneck *b = &on->bottleneck;
    double most = 0;
    for (size_t i = 0; i < on->time.part_count; i++)
        most = strcmp(on->time.parts[i].part, on->time.limiter) && on->time.parts[i].us > most
                   ? on->time.parts[i].us
                   : most;
    assert_true(b->relieved_us < on->time.predicted_us && b->relieved_us >= most);
    assert_string_not_equal(b->next, on->time.limiter);
    assert_non_null(b->advice);
    assert_true(b->compute_percent > 0 && b->compute_percent <= 100 && b->memory_percent > 0
                && b->memory_percent <= 100 && b->issue_percent <= b->compute_percent);
    assert_true(on->roofline.flops == 100. * 256 * 4224 + 256. * 4224
                && on->roofline.predicted_gflops < on->roofline.attainable_gflops);
    assert_string_equal(on->roofline.ceiling, "memory");
    assert_true(on->roofline.flops_per_byte < on->roofline.ridge_flops_per_byte);
    assert_int_equal(on->concurrency.loop, 0);
    ptxlint_trial trial;
    ptxlint_estimated estimated = { .size = sizeof estimated };
    ptxlint_trial_init(&trial);
    trial.grid[0] = 132;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &estimated), PTXLINT_OK);
    assert_true(estimated.bottleneck.relieved_us < estimated.time.predicted_us
                && estimated.bottleneck.wave_us < b->wave_us * 32);
    assert_string_equal(estimated.time.limiter, "latency"); /* 8 warps on an SM */
    ptxlint_module_free(module);
    module = open_on(cases[0].text, "h200", NULL);
    on = &kit_kernel(module, NULL)->projections[0];
    assert_true(isnan(on->bottleneck.relieved_us) && !on->bottleneck.advice
                && isnan(on->roofline.flops) && on->concurrency.bytes == 0);
    assert_true(on->concurrency.bytes_needed_high > 0); /* of the GPU alone */
    ptxlint_module_free(module);
}

/* Waiting for the launch before takes a while though there is none; no launch is held to it. */
static void test_waiting(void **state)
{
    (void)state;
    static const char store[] =
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, "
        "%rd1, %rd2; st.global.u32 [%rd3], %r1; ret;\n}\n";
    static const char *const heads[] = { "", "griddepcontrol.launch_dependents;\n",
                                         "griddepcontrol.wait;\n" };
    double predicted[COUNT(heads)], bound[COUNT(heads)];
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                 "a)\n{\n.reg .b32 %%r<2>; .reg .b64 %%rd<4>;\n%s%s",
                 heads[i], store);
        ptxlint_module *module = open_on(text, "h200", "8");
        predicted[i] = kit_kernel(module, NULL)->projections[0].time.predicted_us;
        bound[i] = kit_kernel(module, NULL)->projections[0].time.bound_us;
        ptxlint_module_free(module);
    }
    assert_true(fabs(predicted[1] - predicted[0]) < 0.05
                && fabs(predicted[2] - predicted[1] - 0.45) < 0.05);
    assert_true(bound[0] > 1 && fabs(bound[2] - bound[0]) < 0.05);
}

/* What is computed twice takes the time of once: a translation leaves the second out. From another
 * number on it is another thing. */
static void test_repeated_work(void **state)
{
    (void)state;
#define CHAIN(a, b, c, f, from)                                                                    \
    "xor.b32 " a ", %r5, " from ";\nmad.lo.u32 " b ", " a ", " a ", 3;\nmad.lo.u32 " c ", " b      \
    ", " b ", 5;\ncvt.rn.f32.u32 " f ", " c ";\nadd.f32 %f1, %f1, " f ";\n"
    static const char *const texts[] = {
        LOOP(CHAIN("%r6", "%r7", "%r8", "%f3", "%r1") "add.f32 %f1, %f1, %f3;\n"),
        LOOP(CHAIN("%r6", "%r7", "%r8", "%f3", "%r1") CHAIN("%r9", "%r10", "%r11", "%f4", "%r1")),
        LOOP(CHAIN("%r6", "%r7", "%r8", "%f3", "%r1") CHAIN("%r9", "%r10", "%r11", "%f4", "%r2")),
    };
    double us[COUNT(texts)];
    for (size_t i = 0; i < COUNT(texts); i++)
        us[i] = kit_estimate(texts[i], 13200, 256).time.predicted_us;
    assert_true(fabs(us[1] - us[0]) < 0.01 * us[0]);
    assert_true(us[2] > 1.5 * us[0]);
}

UNIT(parallelism)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),   cmocka_unit_test(test_outer),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_bottleneck),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_repeated_work)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
