/* test_calibrate.c -- figures planted in a copy of a GPU, and found by times that the copy
 * predicts. */
#include "ptxlint/ptxlint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ROWS_MAX = 60 };

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<9>;\n"               \
    ".reg .f32 %f<4>;\n.reg .pred %p;\n.reg .b64 %rd<6>;\nld.param.u64 %rd1, [a];\n"        \
    "ld.param.u64 %rd2, [b];\n" \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r1, 10;\n"                      \
    "add.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\n" \
    "add.s64 %rd5, %rd2, %rd3;\n" body \
    "ret;\n}\n"
#define COPY(name) KERNEL(name, "ld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd5], %r4;\n")
#define LOOP(trips, body)                                                                          \
    "mov.u32 %r5, 0;\nmov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800001;\nL:\n" body               \
    "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, " trips ";\n@%p bra L;\n"                          \
    "st.global.f32 [%rd4], %f1;\nst.global.f32 [%rd5], %f1;\n"

static const char copy[] = HEAD
    COPY("copy");
static const char loops[] = HEAD
    KERNEL("roots", LOOP("80", "sqrt.rn.f32 %f1, %f1;\n"))
    KERNEL("quotients", LOOP("60", "div.rn.f32 %f1, %f1, %f2;\n"))
    KERNEL("barriers", LOOP("90", "bar.sync 0;\n"))
    KERNEL("fences", LOOP("40", "membar.gl;\n"));

static const char tuned[] = HEAD COPY("t_1") COPY("t_2") COPY("t_4") COPY("t_8") COPY("t_16x2")
    COPY("t_32x2");
static const char others[] = HEAD COPY("a") COPY("b") COPY("c") COPY("d") COPY("e") COPY("f");

/* Up to two figures are planted, times a factor; rows are launches of from 16 blocks on. */
typedef struct PlantedGpu {
    const char *what, *ptx;
    const char *const kernels[6];
    const char *keys[2];
    double factors[2];
    size_t rows, outliers;
    double noise;
    size_t fitted;
    const char *reason;         /* part of it; NULL: none */
} PlantedGpu;

static const PlantedGpu planted[] = {
    { "a launch", copy, { "copy" }, { "launch_ns" }, { 3300 / 1550.0 }, 24, 0, 0, 1, NULL },
    { "less", copy, { "copy" }, { "launch_ns" }, { 0.6 }, 24, 0, 0, 1, NULL },
    { "memory, too", copy, { "copy" }, { "launch_ns", "memory_sustained_gb_per_s" }, { 2, 0.6 },
      24, 0, 0, 2, NULL },
    { "turns", copy, { "copy" }, { "block_turn_clk" }, { 1.5 }, 24, 0, 0, 1, NULL },
    { "a miss", copy, { "copy" }, { "miss_latency" }, { 1.3 }, 24, 0, 0, 1, NULL },
    { "roots", loops, { "roots", "fences" }, { "sqrt_f32_latency" }, { 1.4 }, 24, 0, 0, 1, NULL },
    { "quotients", loops, { "roots", "quotients" }, { "div_f32_latency" }, { 0.7 }, 24, 0, 0, 1,
      NULL },
    { "both", loops, { "roots", "quotients", "barriers" },
      { "sqrt_f32_latency", "div_f32_latency" }, { 0.7, 1.3 }, 36, 0, 0, 2, NULL },
    { "fences", loops, { "roots", "fences" }, { "fence_latency" }, { 1.6 }, 24, 0, 0, 1, NULL },
    { "noise", copy, { "copy" }, { "launch_ns" }, { 2 }, 40, 0, 0.03, 1, NULL },
    { "rows that are off", copy, { "copy" }, { "launch_ns" }, { 2 }, 40, 5, 0, 1, NULL },
    { "nothing", copy, { "copy" }, { NULL }, { 1 }, 24, 0, 0, 0, "do not show which constant" },
    { "noise alone", copy, { "copy" }, { NULL }, { 1 }, 24, 0, 0.2, 0, "Nothing is fitted: " },
    { "few rows", copy, { "copy" }, { "launch_ns" }, { 2 }, 9, 0, 0, 0, "10 rows are the least" },
    { "no row", copy, { "other" }, { NULL }, { 1 }, 0, 0, 0, 0, "there is no row" },
};

/* ---- rows ------------------------------------------------------------------------------------ */

static ptxlint_module *module_on(const char *ptx, const ptxlint_gpu *gpu)
{
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.estimates_only = 1;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), &options, &module), PTXLINT_OK);
    return module;
}

static double predicted(const ptxlint_module *module, const char *kernel, int64_t blocks,
                        int64_t threads)
{
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    ptxlint_trial_init(&trial);
    trial.grid[0] = blocks;
    trial.block[0] = threads;
    assert_int_equal(ptxlint_estimate(module, kernel, 0, &trial, &out), PTXLINT_OK);
    return out.time.predicted_us;
}

static size_t kernels_of(const PlantedGpu *p)
{
    size_t count = 0;
    while (count < COUNT(p->kernels) && p->kernels[count])
        count++;
    return count;
}

static ptxlint_measurements *rows_of(const PlantedGpu *p, const ptxlint_module *module)
{
    char text[ROWS_MAX * 100] = "{\"kernel\": \"none\", \"us\": 1}\n";
    size_t length = strlen(text), kernels = kernels_of(p);
    uint64_t state = 1;
    const int64_t threads = p->ptx == copy ? 1024 : 32;         /* one warp waits for itself */
    ptxlint_measurements *out;
    for (size_t i = 0; i < p->rows; i++) {
        const char *kernel = p->kernels[i % kernels];
        const int64_t blocks = (int64_t)(16 * pow(1.8, (double)(i / kernels) * 24 / (double)p->rows
                                                           * (double)kernels));
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double chance = (double)(state >> 33) / (double)(1u << 30) - 1,
                     off = i % 8 == 3 && i / 8 < p->outliers ? 4 : 1,
                     us = predicted(module, kernel, blocks, threads) * exp(p->noise * chance) * off;
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "{\"kernel\": \"%s\", \"grid\": %lld, \"block\": %lld, "
                                   "\"us\": %.6f}\n", kernel, (long long)blocks,
                                   (long long)threads, us);
    }
    assert_int_equal(ptxlint_measurements_new(text, length, NULL, &out, NULL, 0), PTXLINT_OK);
    return out;
}

static ptxlint_gpu *plant(const PlantedGpu *p)
{
    ptxlint_gpu *gpu;
    assert_int_equal(ptxlint_gpu_copy(ptxlint_gpu_find("h200"), "h200", NULL, &gpu), PTXLINT_OK);
    for (size_t i = 0; i < COUNT(p->keys) && p->keys[i]; i++)
        assert_int_equal(ptxlint_gpu_set(gpu, p->keys[i],
                                         p->factors[i] * ptxlint_gpu_value(gpu, p->keys[i]),
                                         "planted", NULL, 0), PTXLINT_OK);
    return gpu;
}

/* ---- recovery -------------------------------------------------------------------------------- */

static ptxlint_calibrated constant_of(const ptxlint_calibration *fit, const char *key)
{
    ptxlint_calibrated out = { .size = sizeof out };
    for (size_t i = 0; ptxlint_calibration_at(fit, i, &out); i++)
        if (!strcmp(out.key, key))
            return out;
    fail_msg("no constant %s", key);
    return out;
}

static void check_planted_constant(const PlantedGpu *p, const ptxlint_calibration *fit, size_t i,
                           const ptxlint_gpu *gpu)
{
    const ptxlint_calibrated k = constant_of(fit, p->keys[i]);
    const double want = ptxlint_gpu_value(gpu, p->keys[i]);
    ptxlint_calibration_info info = { .size = sizeof info };
    ptxlint_calibration_get_info(fit, &info);
    if (k.verdict != PTXLINT_CALIBRATE_FITTED || want < k.low || want > k.high
        || !(k.low < k.is && k.is < k.high))
        fail_msg("%s: %s: %s, %g (%g to %g), want %g", p->what, k.key,
                 ptxlint_calibrate_verdict_name(k.verdict), k.is, k.low, k.high, want);
    assert_true(fabs(ptxlint_gpu_value(info.gpu, k.key) - k.is) <= 1e-9 * k.is);
}

/* What bounds rest on is as it was. */
static void check_bounds_stay(const ptxlint_gpu *fitted)
{
    ptxlint_figure f, g;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &f) && ptxlint_gpu_figure(fitted, i, &g); i++)
        if (ptxlint_gpu_figure_kind(f.key) == PTXLINT_FIGURE_BOUND)
            assert_true((isnan(f.value) && isnan(g.value)) || fabs(f.value - g.value) <= 0);
}

static ptxlint_calibration *fit_h200(const ptxlint_module *module,
                                     const ptxlint_measurements *rows,
                                     ptxlint_calibration_info *info)
{
    ptxlint_calibrate_options options;
    ptxlint_calibration *fit;
    ptxlint_calibrate_options_init(&options);
    options.gpu = ptxlint_gpu_find("h200");
    assert_int_equal(ptxlint_calibrate(&module, 1, rows, &options, &fit), PTXLINT_OK);
    *info = (ptxlint_calibration_info){ .size = sizeof *info };
    assert_true(ptxlint_calibration_get_info(fit, info));
    return fit;
}

static void check_recovery(const PlantedGpu *p)
{
    ptxlint_gpu *gpu = plant(p);
    ptxlint_module *truth = module_on(p->ptx, gpu),
                   *module = module_on(p->ptx, ptxlint_gpu_find("h200"));
    ptxlint_measurements *rows = rows_of(p, truth);
    ptxlint_calibration_info info;
    ptxlint_calibration *fit = fit_h200(module, rows, &info);
    if (info.fitted != p->fitted || info.rows != p->rows || info.foreign != 1)
        fail_msg("%s: %zu of %zu fitted; %s", p->what, info.fitted, info.rows,
                 info.reason ? info.reason : "");
    if (p->reason ? !info.reason || !strstr(info.reason, p->reason) : info.reason != NULL)
        fail_msg("%s: %s", p->what, info.reason ? info.reason : "no reason");
    for (size_t i = 0; p->fitted && i < p->fitted; i++)
        check_planted_constant(p, fit, i, gpu);
    if (info.gpu)
        check_bounds_stay(info.gpu);
    assert_int_equal(info.gpu != NULL, p->fitted > 0);
    ptxlint_calibration_free(fit);
    ptxlint_measurements_free(rows);
    ptxlint_module_free(truth);
    ptxlint_module_free(module);
    ptxlint_gpu_free(gpu);
}

/* Kernels are left out whole where there are five or more; what a tuner makes of one is one. */
static int is_left_out_by_kernel(const PlantedGpu *p)
{
    ptxlint_module *module = module_on(p->ptx, ptxlint_gpu_find("h200"));
    ptxlint_measurements *rows = rows_of(p, module);
    ptxlint_calibration_info info;
    ptxlint_calibration *fit = fit_h200(module, rows, &info);
    assert_int_equal(info.kernels, 6);
    ptxlint_calibration_free(fit);
    ptxlint_measurements_free(rows);
    ptxlint_module_free(module);
    return info.is_by_kernel;
}

static void test_variants(void **state)
{
    static const PlantedGpu variants = { .ptx = tuned, .rows = 24, .kernels = {
        "t_1", "t_2", "t_4", "t_8", "t_16x2", "t_32x2" } };
    static const PlantedGpu kernels = { .ptx = others, .rows = 24, .kernels = {
        "a", "b", "c", "d", "e", "f" } };
    (void)state;
    assert_false(is_left_out_by_kernel(&variants));
    assert_true(is_left_out_by_kernel(&kernels));
}

static void test_recovery(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(planted); i++)
        check_recovery(&planted[i]);
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct CalibrateWatch { size_t asked, shown, stop_at; } CalibrateWatch;

static int stops(void *context)
{
    CalibrateWatch *watch = context;
    return ++watch->asked == watch->stop_at;
}

static void shows(void *context, size_t done, size_t count)
{
    CalibrateWatch *watch = context;
    assert_true(done < count);
    watch->shown++;
}

static void test_calls(void **state)
{
    (void)state;
    const ptxlint_gpu *h200 = ptxlint_gpu_find("h200");
    ptxlint_module *module = module_on(copy, h200);
    const ptxlint_module *const one = module, *const none = NULL;
    ptxlint_measurements *rows = rows_of(&planted[9], module);
    ptxlint_calibration *fit;
    ptxlint_calibrate_options options;
    ptxlint_calibration_info info = { .size = sizeof info };
    CalibrateWatch watch = { .stop_at = 60 };
    ptxlint_calibrate_options_init(&options);
    assert_int_equal(ptxlint_calibrate(&one, 1, rows, &options, &fit), PTXLINT_BAD_ARGUMENT);
    options.gpu = ptxlint_gpu_find("h100");
    assert_int_equal(ptxlint_calibrate(&one, 1, rows, &options, &fit), PTXLINT_BAD_ARGUMENT);
    options.gpu = h200;
    assert_int_equal(ptxlint_calibrate(&none, 1, rows, &options, &fit), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_calibrate(&one, 1, NULL, &options, &fit), PTXLINT_BAD_ARGUMENT);
    assert_null(fit);
    options.clock_mhz = NAN;
    assert_int_equal(ptxlint_calibrate(&one, 1, rows, &options, &fit), PTXLINT_BAD_ARGUMENT);
    options.clock_mhz = 0;
    options.is_stopped = stops;
    options.progress = shows;
    options.stop_context = options.progress_context = &watch;
    assert_int_equal(ptxlint_calibrate(&one, 1, rows, &options, &fit), PTXLINT_STOPPED);
    assert_null(fit);
    assert_int_equal(watch.asked, 60);
    assert_true(watch.shown > 0);
    options.is_stopped = NULL;
    options.max_rows = 12;                      /* of 41 */
    assert_int_equal(ptxlint_calibrate(&one, 1, rows, &options, &fit), PTXLINT_OK);
    assert_true(ptxlint_calibration_get_info(fit, &info));
    assert_int_equal(info.beyond, 29);
    assert_int_equal(info.rows + info.foreign, 12);
    ptxlint_calibrated past = { .size = sizeof past };
    assert_false(ptxlint_calibration_at(fit, info.constants, &past));
    assert_false(ptxlint_calibration_get_info(NULL, &info));
    ptxlint_calibration_free(fit);
    ptxlint_calibration_free(NULL);
    ptxlint_measurements_free(rows);
    ptxlint_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
