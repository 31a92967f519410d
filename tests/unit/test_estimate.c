/* ptxlint_estimate(): one answer for one question, whatever was asked before and by how many
 * threads. How long a launch takes is in test_predicted_time.c, what memory moves in
 * test_memory_time.c. */
#include "kit.h"

#include <math.h>
#include <pthread.h>

static bool is(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

static const char streams[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 o, .param .u64 a, .param .u32 by)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;\n"
    "ld.param.u64 %rd1, [o]; ld.param.u64 %rd2, [a]; ld.param.u32 %r5, [by];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, "
    "%r3;\n"
    "mul.lo.s32 %r6, %r4, %r5; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd4, %rd2, %rd3; ld.global.f32 "
    "%f1, [%rd4];\n"
    "mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5; st.global.f32 [%rd6], %f1; ret;\n}\n";

static ptxlint_module *module_of(void)
{
    ptxlint_options options;
    ptxlint_module *module;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(streams, sizeof streams - 1, &options, &module),
                     PTXLINT_OK);
    return module;
}

static ptxlint_estimated ask(const ptxlint_module *module, int64_t blocks, int64_t threads, int by)
{
    const void *const params[] = { NULL, NULL, &by };
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    ptxlint_trial_init(&trial);
    trial.grid[0] = blocks;
    trial.block[0] = threads;
    trial.params = params;
    trial.param_count = 3;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_OK);
    return out;
}

/* A module that is made for estimates alone answers as one with all figures. */
static void test_estimates_only(void **state)
{
    (void)state;
    ptxlint_options options;
    ptxlint_module *module, *whole = module_of();
    size_t kernels, findings;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.estimates_only = 1;
    assert_int_equal(ptxlint_module_new(streams, sizeof streams - 1, &options, &module),
                     PTXLINT_OK);
    for (int by = 1; by < 4; by++) {
        ptxlint_estimated a = ask(module, 1 << 14, 256, by), b = ask(whole, 1 << 14, 256, by);
        assert_true(a.time.predicted_us > 0 && a.time.bound_us > 0);
        assert_true(is(a.time.predicted_us, b.time.predicted_us)
                    && is(a.time.bound_us, b.time.bound_us)
                    && is(a.sectors_per_request, b.sectors_per_request)
                    && is(a.occupancy.percent, b.occupancy.percent));
        assert_true(a.registers > 0 && a.registers_low <= a.registers
                    && a.registers <= a.registers_high);
        assert_int_equal(a.registers, b.registers);
    }
    const ptxlint_kernel *view = ptxlint_module_kernels(module, &kernels);
    ptxlint_module_diagnostics(module, &findings);
    assert_int_equal(findings, 0);
    assert_int_equal(kernels, 1);
    assert_string_equal(view->name, "k");
    assert_int_equal(view->param_count, 3);
    assert_int_equal(view->access_count + view->projection_count, 0);
    ptxlint_module_free(module);
    ptxlint_module_free(whole);
}

static bool are_alike(const ptxlint_estimated *a, const ptxlint_estimated *b)
{
    return is(a->time.predicted_us, b->time.predicted_us) && is(a->time.bound_us, b->time.bound_us)
           && is(a->waves, b->waves) && is(a->warp_instructions, b->warp_instructions)
           && is(a->sectors_per_request, b->sectors_per_request)
           && is(a->occupancy.percent, b->occupancy.percent) && a->spills == b->spills
           && a->registers == b->registers && a->knows_params == b->knows_params;
}

/* Whether one module answers as a fresh one does, whatever it was asked before, and the same each
 * time. */
static void test_asked_again(void **state)
{
    (void)state;
    ptxlint_module *module = module_of();
    for (unsigned i = 0; i < 120; i++) {
        const int64_t blocks = INT64_C(1) << (6 + i % 5), threads = 64 << i % 3;
        const int by = 1 + (int)(i % 4);
        ptxlint_estimated a = ask(module, blocks, threads, by),
                          b = ask(module, blocks, threads, by);
        assert_true(are_alike(&a, &b));
        if (i % 7)
            continue;
        ptxlint_module *fresh = module_of();
        b = ask(fresh, blocks, threads, by);
        assert_true(are_alike(&a, &b));
        ptxlint_module_free(fresh);
    }
    ptxlint_module_free(module);
}

/* Each of these is another question: an answer that was kept is of none of the others. */
static void test_asked_otherwise(void **state)
{
    (void)state;
    static const int by = 1, wide = 8;
    const void *const params[] = { NULL, NULL, &by }, *const other[] = { NULL, NULL, &wide };
    const ptxlint_trial plain = { .size = sizeof plain, .grid = { 1 << 14 }, .block = { 256 },
                                  .dynamic_shared_bytes = -1, .params = params, .param_count = 3 };
    ptxlint_trial others[6] = { plain, plain, plain, plain, plain, plain };
    ptxlint_module *module = module_of();
    ptxlint_estimated first = { .size = sizeof first }, out = { .size = sizeof out };
    others[0].grid[1] = 2;
    others[1].block[0] = 128;
    others[2].dynamic_shared_bytes = 100000;
    others[3].max_registers = 16;
    others[4].params = other;
    others[5].block[1] = 2;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &plain, &first), PTXLINT_OK);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(ptxlint_estimate(module, "k", 0, &others[i], &out), PTXLINT_OK);
        assert_false(are_alike(&out, &first));
    }
    assert_int_equal(ptxlint_estimate(module, "k", 0, &plain, &out), PTXLINT_OK);
    assert_true(are_alike(&out, &first));
    ptxlint_module_free(module);
}

typedef struct KeptAsk { int64_t blocks, threads, shared, cap; size_t gpu; int by; } KeptAsk;

static ptxlint_module *module_of_gpus(void)
{
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_find("h200"), ptxlint_gpu_find("h100"),
                                        ptxlint_gpu_find("v100") };
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.gpus = gpus;
    options.gpu_count = sizeof gpus / sizeof *gpus;
    assert_int_equal(ptxlint_module_new(streams, sizeof streams - 1, &options, &module),
                     PTXLINT_OK);
    return module;
}

static ptxlint_estimated ask_kept(const ptxlint_module *module, const KeptAsk *asked)
{
    const void *const params[] = { NULL, NULL, &asked->by };
    const ptxlint_trial trial = {
        .size = sizeof trial, .grid = { asked->blocks }, .block = { asked->threads },
        .dynamic_shared_bytes = asked->shared, .max_registers = asked->cap, .params = params,
        .param_count = 3,
    };
    ptxlint_estimated out = { .size = sizeof out };
    assert_int_equal(ptxlint_estimate(module, "k", asked->gpu, &trial, &out), PTXLINT_OK);
    return out;
}

/* What runs is kept for other caps and GPUs, and for the last launches alone: each answer is that
 * of a fresh module, whatever was asked before. */
static void test_run_once(void **state)
{
    (void)state;
    ptxlint_module *module = module_of_gpus();
    for (unsigned i = 0; i < 72; i++) {
        const KeptAsk asked = { .blocks = 1000 + i / 3 % 2, .threads = 128 << i / 6 % 2,
                                .shared = i / 12 % 2 ? 40000 : 0, .cap = i / 36 % 2 ? 32 : 0,
                                .gpu = i % 3, .by = i % 24 < 12 ? 1 : 9 };
        ptxlint_module *fresh = module_of_gpus();
        ptxlint_estimated got = ask_kept(module, &asked), want = ask_kept(fresh, &asked);
        assert_true(are_alike(&got, &want));
        ptxlint_module_free(fresh);
    }
    ptxlint_module_free(module);
}

/* Orders, not figures: more work takes longer, wider distances move more, small blocks take long to
 * give out, and no bound is above its prediction. */
static void test_orders(void **state)
{
    (void)state;
    ptxlint_module *module = module_of();
    ptxlint_estimated small = ask(module, 1 << 10, 256, 1), large = ask(module, 1 << 18, 256, 1),
                      apart = ask(module, 1 << 18, 256, 8), tiny = ask(module, 1 << 21, 32, 1);
    assert_true(large.time.predicted_us > 20 * small.time.predicted_us);
    assert_true(apart.time.predicted_us > 2 * large.time.predicted_us);
    assert_true(tiny.time.predicted_us > 2 * large.time.predicted_us);
    assert_string_equal(tiny.time.limiter, "dispatch");
    assert_string_equal(apart.time.limiter, "dram");
    assert_true(fabs(large.time.dram_bytes / (2.0 * 4 * (1 << 26)) - 1) < 0.01);
    assert_true(is(large.sectors_per_request, 4) && is(apart.sectors_per_request, (32 + 4) / 2.0));
    assert_true(is(large.occupancy.percent, 100) && large.waves > 200);
    const ptxlint_estimated *all[] = { &small, &large, &apart, &tiny };
    for (size_t i = 0; i < 4; i++)
        assert_true(all[i]->time.bound_us > 0 && kit_time_is_in_order(&all[i]->time));
    ptxlint_module_free(module);
}

static void test_arguments(void **state)
{
    (void)state;
    ptxlint_module *module = module_of();
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    ptxlint_trial_init(&trial);
    assert_int_equal(ptxlint_estimate(module, "other", 0, &trial, &out), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_estimate(module, "k", 1, &trial, &out), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_estimate(module, "k", 0, NULL, &out), PTXLINT_BAD_ARGUMENT);
    /* of an unknown launch */
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_OK);
    assert_true(isnan(out.time.predicted_us) && isnan(out.time.bound_us)
                && isnan(out.time.dram_bytes));
    assert_null(out.time.limiter);
    trial.grid[0] = INT64_MAX;
    trial.block[0] = 32;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_BAD_ARGUMENT);
    ptxlint_module_free(module);
}

enum { THREADS = 4, ASKED = 50 };

typedef struct Asker {
    pthread_t thread;
    const ptxlint_module *module;
    double us;
} Asker;

static void *ask_often(void *context)
{
    Asker *asker = context;
    for (int i = 0; i < ASKED; i++)
        asker->us = ask(asker->module, 4096 + i, 256, 2).time.predicted_us;
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    ptxlint_module *module = module_of();
    Asker askers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        askers[i] = (Asker){ .module = module };
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_often, &askers[i]), 0);
    }
    double want = ask(module, 4096 + ASKED - 1, 256, 2).time.predicted_us;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(askers[i].thread, NULL);
        assert_true(is(askers[i].us, want));
    }
    ptxlint_module_free(module);
}

UNIT(estimate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates_only),
        cmocka_unit_test(test_asked_again),
        cmocka_unit_test(test_asked_otherwise),
        cmocka_unit_test(test_run_once),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
