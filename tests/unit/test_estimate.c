/* What a launch touches, how long it takes at the least and by prediction, and
 * ptxlint_estimate(). What warps wait for is in test_waits.c. */
#include "kit.h"

#include "api/module.h"
#include "analysis/time/block_schedule.h"
#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/address_distribution.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/cost/footprint.h"
#include "gpu/gpu.h"
#include "isa/isa.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

/* ---- estimates ------------------------------------------------------------------------------- */

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

/* A row of 64 bytes that each lane has an index for, or one of 64 KiB that a block has. */
static double gathered_bytes(const char *index, const char *place, int64_t beside)
{
    char text[2048];
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_80\n.address_size 64\n"
             ".entry k(.param .u64 a, .param .u64 i, .param .u64 o)\n{\n"
             ".reg .pred %%p; .reg .u32 %%r<8>; .reg .u64 %%rd<8>; .reg .f32 %%f<6>;\n"
             "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [i]; ld.param.u64 %%rd3, [o];\n"
             "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y;\n"
             "%s mul.wide.u32 %%rd4, %%r4, 4; add.u64 %%rd4, %%rd2, %%rd4;\n"
             "ld.global.u32 %%r5, [%%rd4]; %s add.u64 %%rd5, %%rd1, %%rd5;\n"
             "ld.global.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd5]; add.f32 %%f1, %%f1, %%f4;\n"
             "setp.eq.f32 %%p, %%f1, 0f7f800000; @%%p st.global.f32 [%%rd3], %%f1; ret;\n}\n",
             index, place);
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_trial_init(&trial);
    trial.grid[0] = beside;
    trial.grid[1] = 1024;
    trial.block[0] = 256;
    trial.steps = 1 << 21;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_OK);
    ptxlint_module_free(module);
    return out.time.dram_bytes;
}

/* What blocks side by side read by the same indices comes from memory once, unless they go on from
 * there to places of their own. */
static void test_shared_indices(void **state)
{
    static const char of_lane[] = "mad.lo.u32 %r4, %r3, 256, %r1;",
                      of_block[] = "mov.u32 %r4, %r3;",
                      row[] = "mul.wide.u32 %rd5, %r5, 64;",
                      part[] = "mul.wide.u32 %rd5, %r5, 64; mad.wide.u32 %rd5, %r2, 16, %rd5;",
                      tile[] = "mul.wide.u32 %rd5, %r5, 65536; mad.wide.u32 %rd5, %r1, 16, %rd5;",
                      own[] = "mad.lo.u32 %r6, %r2, 256, %r1; mul.wide.u32 %rd5, %r5, 65536; "
                              "mad.wide.u32 %rd5, %r6, 16, %rd5;";
    const struct { const char *index, *place; double least, most; } cases[] = {
        { of_lane, row, 1, 1.2 }, { of_lane, part, 4, 32 },
        { of_block, tile, 1, 1.2 }, { of_block, own, 8, 16 },
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const double one = gathered_bytes(cases[c].index, cases[c].place, 1),
                     many = gathered_bytes(cases[c].index, cases[c].place, 16);
        if (!(many >= cases[c].least * one && many <= cases[c].most * one))
            fail_msg("case %zu: %g bytes by one block, %g by 16", c, one, many);
    }
}

/* A column of a matrix, so that what a request moves is no matter of the kernel alone. */
static ptxlint_module *columns_on(const ptxlint_gpu *const *gpus, size_t count)
{
    static const char text[] =
        ".version 5.0\n.target sm_30\n.address_size 64\n"
        ".entry k(.param .u64 a, .param .u64 o)\n{\n"
        ".reg .u32 %r<4>; .reg .u64 %rd<6>; .reg .f32 %f<2>;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [o]; mul.wide.u32 %rd3, %r3, 48;\n"
        "add.u64 %rd1, %rd1, %rd3; ld.global.f32 %f1, [%rd1];\n"
        "mul.wide.u32 %rd4, %r3, 4; add.u64 %rd2, %rd2, %rd4; st.global.f32 [%rd2], %f1; ret;\n}\n";
    static const char launch[] = "{\"kernels\": {\"k\": {\"grid\": [4096], \"block\": [256]}}}";
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module;
    char error[256];
    assert_int_equal(
        ptxlint_launches_new(launch, sizeof launch - 1, &launches, error, sizeof error),
        PTXLINT_OK);
    ptxlint_options_init(&options);
    options.gpus = gpus;
    options.gpu_count = count;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

/* Beside others a GPU has the figures that it has alone, where their memory takes requests in other
 * ways: by sectors, by lines of 128 bytes, by halves of a warp. */
static void test_beside(void **state)
{
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_find("h200"), ptxlint_gpu_find("k20"),
                                        ptxlint_gpu_find("gtx280"), ptxlint_gpu_find("a100") };
    ptxlint_module *all = columns_on(gpus, COUNT(gpus));
    (void)state;
    for (size_t g = 0; g < COUNT(gpus); g++) {
        ptxlint_module *alone = columns_on(&gpus[g], 1);
        const ptxlint_projection *got = &kit_kernel(all, NULL)->projections[g],
                                 *want = &kit_kernel(alone, NULL)->projections[0];
        assert_true(want->time.predicted_us > 0 && want->time.dram_bytes > 0);
        const double figures[][2] = {
            { got->time.predicted_us, want->time.predicted_us },
            { got->time.dram_bytes, want->time.dram_bytes },
            { got->time.bound_us, want->time.bound_us },
            { got->bottleneck.replays, want->bottleneck.replays },
            { got->concurrency.bytes, want->concurrency.bytes },
        };
        for (size_t i = 0; i < COUNT(figures); i++)
            if (!is(figures[i][0], figures[i][1]))
                fail_msg("GPU %zu, figure %zu: %g, alone %g", g, i, figures[i][0], figures[i][1]);
        ptxlint_module_free(alone);
    }
    ptxlint_module_free(all);
}

static bool is_in_order(const ptxlint_time *time)
{
    return time->bound_us <= time->low_us && time->low_us <= time->predicted_us
           && time->predicted_us <= time->high_us && time->band;
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
        assert_true(all[i]->time.bound_us > 0 && is_in_order(&all[i]->time));
    ptxlint_module_free(module);
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

/* Searches in a range of so many integers, for numbers by thread or by data. Lanes in order lead
 * side by side: they ask for less than lanes that go anywhere. The first warp waits at each
 * level. */
static void test_searches(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u64 o)\n{\n.reg .pred %%p<6>; .reg .b32 %%r<12>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd4, [o]; mov.u32 %%r6, %%ctaid.x; mov.u32 %%r7, "
        "%%tid.x; mad.lo.s32 %%r8, %%r6, 256, %%r7; mul.wide.s32 %%rd3, %%r8, 4; add.s64 %%rd5, "
        "%%rd4, %%rd3; %s mov.u32 %%r1, 0; mov.u32 %%r2, %u;\n"
        "L: add.s32 %%r3, %%r1, %%r2; shr.s32 %%r3, %%r3, 1; mul.wide.s32 %%rd2, %%r3, 4; add.s64 "
        "%%rd2, %%rd1, %%rd2; ld.global.u32 %%r4, [%%rd2]; setp.lt.s32 %%p1, %%r4, %%r9; add.s32 "
        "%%r5, %%r3, 1; selp.b32 %%r1, %%r5, %%r1, %%p1; selp.b32 %%r2, %%r2, %%r3, %%p1; "
        "setp.lt.s32 %%p2, %%r1, %%r2; @%%p2 bra L;\n st.global.u32 [%%rd5], %%r1; ret;\n}\n";
    (void)state;
    double before = 0, miss = 760 / 1980.0;     /* us; of an H200 */
    for (unsigned bits = 8; bits <= 28; bits += 4) {
        char text[2][2048];
        snprintf(text[0], sizeof text[0], format, "mul.lo.s32 %r9, %r8, 7;", 1u << bits);
        snprintf(text[1], sizeof text[1], format, "ld.global.u32 %r9, [%rd5];", 1u << bits);
        ptxlint_time in_order = kit_estimate(text[0], 1 << 10, 256).time,
                     by_chance = kit_estimate(text[1], 1 << 10, 256).time;
        double range = 4.0 * (1 << bits), written = 4.0 * 256 * 1024;
        if (!(in_order.predicted_us > before) || !(in_order.predicted_us > (bits - 3) * miss)
            || !(in_order.predicted_us <= by_chance.predicted_us)
            || !(in_order.dram_bytes <= range + written + 64))
            fail_msg("%u bits: %g us and %g bytes in order, %g and %g by chance", bits,
                     in_order.predicted_us, in_order.dram_bytes, by_chance.predicted_us,
                     by_chance.dram_bytes);
        before = in_order.predicted_us;
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
            || !is_in_order(&got.time) || !isfinite(got.time.high_us))
            fail_msg("%g blocks, %g iterations: %g of the bytes, %g instructions each, %g to %g us",
                     cases[c].blocks, cases[c].trips, bytes, instructions, got.time.low_us,
                     got.time.high_us);
    }
}

/* What a texture or surface holds is not known: its bytes are unknown, and the band wide. */
static void test_texels(void **state)
{
    static const char *const texels[] = {
        "sust.b.1d.v4.b32.trap [%rd2, {%r1}], {%r1, %r1, %r1, %r1};",
        "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd2, {%r1}]; st.global.f32 [%rd1], %f1;",
    };
    static const char format[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u64 t)\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [t]; mov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n";
    char text[2048];
    (void)state;
    snprintf(text, sizeof text, format, "");
    const ptxlint_time none = kit_estimate(text, 65536, 256).time;
    assert_false(isnan(none.dram_bytes));
    for (size_t c = 0; c < sizeof texels / sizeof *texels; c++) {
        snprintf(text, sizeof text, format, texels[c]);
        const ptxlint_time time = kit_estimate(text, 65536, 256).time;
        assert_true(isnan(time.dram_bytes) && is_in_order(&time));
        assert_string_equal(time.band, "guessed");
        if (!c)                         /* 268 MB at 4.8 TB/s at most */
            assert_true(time.predicted_us > 50 && time.bound_us < 1.1 * none.predicted_us);
    }
}

/* A kernel that makes its tensor map says where its boxes lie; one of the host does not. */
static void test_boxes(void **state)
{
    enum { BLOCKS = 256, BOX_BYTES = 64 * 128, STEPS = 32 };
    static const struct {
        const char *what, *column, *row;        /* coordinates */
        double bytes;           /* of memory */
        bool is_made;
    } cases[] = {
        { "a row of boxes each", "%r3", "%r2", (double)BLOCKS * STEPS * BOX_BYTES, true },
        { "all blocks the same", "%r3", "0", STEPS * BOX_BYTES, true },
        { "a map of the host", "%r3", "%r2", (double)NAN, false },
    };
    double us[3];
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            ".version 8.7\n.target sm_90a\n.address_size 64\n"
            ".visible .entry k(.param .u64 p, .param .u64 q) .reqntid 32 {\n"
            ".reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
            ".shared .align 1024 .b8 tile[8192]; .shared .align 128 .b8 map[128];\n"
            ".shared .align 8 .b64 bar;\n"
            "ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; mov.u32 %%r1, %%ctaid.x;\n"
            "shl.b32 %%r2, %%r1, 6; mov.u32 %%r4, %%tid.x; setp.eq.u32 %%p1, %%r4, 0;\n"
            "mov.u64 %%rd4, 4096; mov.u32 %%r5, 64;\n%s"
            "mov.u32 %%r3, 0;\nL:\n"
            "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8192;\n"
            "@%%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [tile], [%%rd2, {%s, %s}], [bar];\n"
            "add.s32 %%r3, %%r3, 64; setp.lt.s32 %%p2, %%r3, 2048; @%%p2 bra L; ret; }\n",
            cases[c].is_made
                ? "@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %rd1;\n"
                  "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;\n"
                  "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, %r5;\n"
                  "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, %r5;\n"
                  "@%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0, "
                  "%rd4;\n"
                  "@%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 6;\n"
                  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                  ".aligned [%rd2], [map], 128;\n"
                : "",
            cases[c].column, cases[c].row);
        const ptxlint_time time = kit_estimate(text, BLOCKS, 32).time;
        us[c] = time.predicted_us;
        if (isnan(cases[c].bytes) ? !isnan(time.dram_bytes)
                                  : fabs(time.dram_bytes / cases[c].bytes - 1) > 1e-9)
            fail_msg("%s: %.0f bytes, not %.0f", cases[c].what, time.dram_bytes, cases[c].bytes);
    }
    /* 67 MB take 15 us of memory; out of L2 they come faster */
    assert_true(us[0] > 15 && us[1] < us[0] && us[2] < us[0]);
}

/* More than a block can copy is not followed, nor are copies without end: each piece takes time. */
static void test_large_copies(void **state)
{
    static const char *const copies[] = { "2147483632", "%r5" };
    (void)state;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 8.7\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p) .reqntid 32 {\n.reg .pred %%p<2>; "
                 ".reg .b32 %%r<9>; .reg .b64 %%rd<3>;\n.shared .align 128 .b8 tile[65536]; "
                 ".shared .align 8 .b64 bar;\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, 0; "
                 "mov.u32 %%r5, 200000;\nL:\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
                 "[%%rd1], %s, [bar];\nadd.s64 %%rd1, %%rd1, 200000; add.s32 %%r1, %%r1, 1; "
                 "setp.lt.s32 %%p1, %%r1, 1000000;\n@%%p1 bra L; ret; }\n",
                 copies[c]);
        assert_true(isnan(kit_estimate(text, 1024, 32).time.dram_bytes));
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

/* Of pieces of an array that lie more than 64 TiB apart, 32 are kept: beyond that, how many bytes
 * there are is unknown. */
static void test_far_apart(void **state)
{
    static const struct { unsigned rows; bool is_known; } cases[] = { { 16, true }, { 64, false } };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n"
                 "{\n.reg .pred %%p<2>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, 0;\n"
                 "L: st.global.u32 [%%rd1], %%r1; add.s64 %%rd1, %%rd1, 0x400000000000; add.u32 %%r1, "
                 "%%r1, 1; setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra L;\nret;\n}\n",
                 cases[c].rows);
        const double bytes = kit_estimate(text, 1, 1).time.dram_bytes;
        assert_int_equal(!isnan(bytes), cases[c].is_known);
        assert_true(!cases[c].is_known || bytes >= 32.0 * cases[c].rows);
    }
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
        if (!(a.time.bound_us <= cases[c].share * b.time.bound_us && is_in_order(&a.time)
              && is_in_order(&b.time)))
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
    assert_true(is_in_order(&a) && is_in_order(&b) && a.band_is_measured && b.band_is_measured);
    assert_string_equal(b.band, "guessed");
    assert_true(b.high_us / b.predicted_us > 1.3 * a.high_us / a.predicted_us);
    ptxlint_time other = kit_estimate_on("h100", known, 264, 256).time;
    assert_true(is_in_order(&other) && !other.band_is_measured
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

/* Measured on an H200: reading 4 GB took 919 us and more; a bound above that was broken. */
static void test_bound_of_memory(void **state)
{
    static const char text[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; "
        "mad.lo.s32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;\n"
        "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1]; xor.b32 %r4, %r4, %r5; xor.b32 %r6, %r6, "
        "%r7; xor.b32 %r4, %r4, %r6; setp.eq.u32 %p1, %r4, 7; @%p1 st.global.u32 [%rd1], %r4; "
        "ret;\n}\n";
    (void)state;
    double bound = kit_estimate(text, 1 << 18, 1024).time.bound_us;
    assert_true(bound > 0.95 * 919 && bound <= 919);
}

/* Data say which address: the fewer there are to go to, the more lanes wait for each other; so in
 * memory, in shared memory, and with constants the other way around. */
static void test_crowds(void **state)
{
    static const struct { const char *what, *body; int few, many; } cases[] = {
        { "atomics of memory", "mad.wide.u32 %%rd2, %%r2, 4, %%rd1; red.global.add.u32 [%%rd2], 3;", 63, 1048575 },
        { "atomics of shared memory", "shl.b32 %%r3, %%r2, 2; mov.u32 %%r4, s; add.s32 %%r7, %%r4, %%r3; red.shared.add.u32 [%%r7], %%r1;", 1, 1023 },
        { "constants", "mul.wide.u32 %%rd2, %%r2, 4; mov.u64 %%rd4, c; add.s64 %%rd2, %%rd4, %%rd2; ld.const.u32 %%r5, [%%rd2]; st.global.u32 [%%rd3], %%r5;", 1023, 1 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned n = 0; n < 2; n++) {
            char format[1024], text[1536];
            snprintf(
                format, sizeof format,
                ".version 7.8\n.target sm_90\n.address_size 64\n.const .align 4 .b8 "
                "c[4096];\n.visible .entry k(.param .u64 a)\n{\n.shared .align 4 .b8 s[4096];\n"
                ".reg .b32 %%%%r<8>; .reg .b64 %%%%rd<8>;\nld.param.u64 %%%%rd1, [a]; mov.u32 "
                "%%%%r6, %%%%tid.x; mad.wide.u32 %%%%rd3, %%%%r6, 4, %%%%rd1;\n"
                "ld.global.u32 %%%%r1, [%%%%rd3]; and.b32 %%%%r2, %%%%r1, %%d;\n%s ret;\n}\n",
                cases[c].body);
            snprintf(text, sizeof text, format, n ? cases[c].many : cases[c].few);
            us[n] = kit_estimate(text, 1 << 13, 1024).time.predicted_us;
        }
        if (!(us[0] > 1.05 * us[1]))
            fail_msg("%s: %g and %g us", cases[c].what, us[0], us[1]);
    }
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

/* Reads, writes and copies of 16 bytes a thread, of memory that no cache holds: measured on an H100
 * (tools/measure-times/writes.cu), less the 1.8 us of its events. What is written stays in L2 up to
 * half of it; what is read and what is written take turns. */
static void test_written(void **state)
{
    static const struct { const char *body; double us[3]; } cases[] = {
        { "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3]; setp.eq.u32 %p1, %r3, 1; "
          "@%p1 st.global.u32 [%rd2], %r4;",
          { 4.41, 12.12, 42.84 } },
        { "st.global.v4.u32 [%rd4], {%r1, %r2, %r1, %r2};", { 3.42, 9.5, 39.96 } },
        { "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3]; "
          "st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};",
          { 6.07, 19.74, 85.72 } },
    };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
        ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; mov.u32 %%r1, %%ctaid.x; "
        "mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r2, %%r1, 256, %%r2; mul.wide.u32 %%rd5, %%r2, 16; "
        "add.s64 %%rd3, %%rd1, %%rd5; add.s64 %%rd4, %%rd2, %%rd5;\n%s\nret;\n}\n";
    static const int64_t blocks[] = { 2048, 8192, 32768 };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            char text[1024];
            snprintf(text, sizeof text, format, cases[c].body);
            const double us = kit_estimate_on("h100", text, blocks[b], 256).time.predicted_us;
            if (!(us >= cases[c].us[b] / 1.15 && us <= cases[c].us[b] * 1.15))
                fail_msg("case %zu of %d blocks: %g us, measured %g", c, (int)blocks[b], us,
                         cases[c].us[b]);
        }
}

/* Three planes of 4 MB around a place, of an array that L2 does not hold: each comes once, as the
 * blocks that read it again come soon. A kernel of seven points on an H200 moved 947 MB where all
 * arrays together had 940. */
static void test_planes(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r2, %r1, "
        "256, %r2; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd3, %rd1, %rd5; ld.global.f32 %f1, [%rd3]; "
        "ld.global.f32 %f2, [%rd3+4194304]; ld.global.f32 %f3, [%rd3+8388608]; add.f32 %f1, %f1, "
        "%f2; fma.rn.f32 %f1, %f1, %f2, %f3; st.global.f32 [%rd1], %f1; ret;\n}\n";
    const double planes = 66 * 4194304., bytes = kit_estimate(text, 262144, 256).time.dram_bytes;
    (void)state;
    if (!(bytes >= planes && bytes <= 1.02 * planes))
        fail_msg("%g bytes of %g", bytes, planes);
}

/* Blocks that go along rows of 2,048 bytes by so many bytes, 512 MB in all: reads.cu on an
 * H200. */
static void test_halves_of_lines(void **state)
{
    static const struct { int bytes, shift, lanes; double us; } cases[] = {
        { 64, 2, 3, 227.5 }, { 128, 3, 7, 131.1 }, { 512, 5, 31, 123.9 }
    };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%rd<8>; .reg .pred %%p;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;\n"
        "shr.u32 %%r3, %%r2, %d; mad.lo.u32 %%r3, %%r1, %d, %%r3; mul.wide.u32 %%rd2, %%r3, 2048;\n"
        "and.b32 %%r4, %%r2, %d; mul.wide.u32 %%rd3, %%r4, 16; add.s64 %%rd4, %%rd1, %%rd2;\n"
        "add.s64 %%rd4, %%rd4, %%rd3; mov.u32 %%r5, 0; mov.u32 %%r6, 0;\n"
        "LOOP: ld.global.v2.u64 {%%rd5, %%rd6}, [%%rd4]; cvt.u32.u64 %%r7, %%rd5;\n"
        "xor.b32 %%r6, %%r6, %%r7; cvt.u32.u64 %%r7, %%rd6; xor.b32 %%r6, %%r6, %%r7;\n"
        "add.s64 %%rd4, %%rd4, %d; add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p, %%r5, %d;\n"
        "@%%p bra LOOP; st.global.u32 [%%rd1], %%r6; ret;\n}\n";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1536];
        const int rows = 256 >> cases[i].shift;
        snprintf(text, sizeof text, format, cases[i].shift, rows, cases[i].lanes, cases[i].bytes,
                 2048 / cases[i].bytes);
        const double us = kit_estimate(text, 262144 / (unsigned)rows, 256).time.predicted_us;
        if (!(us >= cases[i].us / 1.15 && us <= cases[i].us * 1.15))
            fail_msg("by %d bytes: %g us, measured %g", cases[i].bytes, us, cases[i].us);
    }
}

UNIT(estimate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),          cmocka_unit_test(test_shared_indices),
        cmocka_unit_test(test_spilled),
        cmocka_unit_test(test_estimates_only),  cmocka_unit_test(test_asked_again),
        cmocka_unit_test(test_asked_otherwise), cmocka_unit_test(test_run_once),
        cmocka_unit_test(test_orders),          cmocka_unit_test(test_steps),
        cmocka_unit_test(test_stays),           cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_least),           cmocka_unit_test(test_bounds_of_less),
        cmocka_unit_test(test_bound_of_memory), cmocka_unit_test(test_bands),
        cmocka_unit_test(test_relieved_pipe),   cmocka_unit_test(test_potential),
        cmocka_unit_test(test_texels),          cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_large_copies),
        cmocka_unit_test(test_held_registers),
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_uneven),          cmocka_unit_test(test_one_heavy_block),
        cmocka_unit_test(test_steered),         cmocka_unit_test(test_huge),
        cmocka_unit_test(test_searches),        cmocka_unit_test(test_consumed),
        cmocka_unit_test(test_block_schedule),  cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_written),         cmocka_unit_test(test_planes),
        cmocka_unit_test(test_halves_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
