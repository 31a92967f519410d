/* test_measure.c -- what gpu measure makes of a driver, by one with planted times and faults,
 * driver.c. */
#include "measure/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static Measurement measured;

static void measure_with(const char *fault)
{
    const MeasureRequest request = { getenv("MEASURE"), 60000, 300, NULL, NULL };
    setenv("STUB", fault, 1);
    ptx_measure_run(&request, &measured);
    ptx_measure_derive(&measured, ptxlint_gpu_find("sm_90"));
}

static const MeasuredValue *value_of(const char *key)
{
    for (size_t i = 0; i < measured.count; i++)
        if (!strcmp(measured.values[i].key, key))
            return &measured.values[i];
    fail_msg("there is no %s", key);
    return NULL;
}

/* ---- planted times --------------------------------------------------------------------------- */

static const struct { const char *key; double value; } planted_values[] = {
    { "clock", 1500 },
    { "arithmetic", 4 },            /* 512 clocks for 128 steps */
    { "function", 20 },
    { "div_u32", 126 },             /* 130, and its `or` 4 */
    { "rate_fp32", 128 },           /* 1024 threads x 64 in 512 clocks */
    { "rate_fp64", 256 },
    { "shared", 23 },
    { "block", 0.5 },
    { "barrier_warp", 2 },
    { "barrier", 14 },
    { "chase_l2", 250 },
    { "l2_near", 240 },             /* 230 in the mean, a quarter 220 */
    { "memory_far", 630 },
};

static void test_planted(void **state)
{
    (void)state;
    measure_with("");
    assert_string_equal(measured.trouble, "");
    assert_true(measured.has_device);
    assert_string_equal(measured.device.name, "Stub \"GPU\" \\ 1");
    assert_true(measured.count > ptx_probe_count);
    for (size_t i = 0; i < COUNT(planted_values); i++) {
        const MeasuredValue *value = value_of(planted_values[i].key);
        if (fabs(value->value / planted_values[i].value - 1) > 1e-3)
            fail_msg("%s: %g, and %g is planted", value->key, value->value,
                     planted_values[i].value);
        assert_true(value->low <= value->value && value->value <= value->high);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const struct { const char *fault, *trouble; } fatal[] = {
    { "no GPU", "the driver has no GPU" },
    { "cuInit", "the driver does not start: a planted error (700)" },
    { "cuDeviceGetCount", "counts no GPUs: a planted error" },
    { "cuDeviceGet", "the first GPU: a planted error" },
    { "cuDeviceGetName", "the name of the GPU: a planted error" },
    { "cuDeviceGetAttribute", "does not say what the GPU is" },
    { "mad attributes", "does not say what the GPU is" },
    { "cuDevicePrimaryCtxRetain", "a context: a planted error" },
    { "cuCtxSetCurrent", "a context: a planted error" },
    { "cuMemGetInfo_v2", "the memory of the GPU: a planted error" },
    { "full", "only 40 MiB of memory free; 48 are needed" },
    { "cuMemAlloc_v2", "memory of the GPU: a planted error" },
    { "cuMemsetD32_v2", "filling memory: a planted error" },
    { "cuEventCreate", "an event: a planted error" },
    { "dies at start", "the driver does not answer" },
};

static void test_fatal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fatal); i++) {
        measure_with(fatal[i].fault);
        if (!strstr(measured.trouble, fatal[i].trouble) || measured.has_device)
            fail_msg("%s: '%s'", fatal[i].fault, measured.trouble);
        assert_int_equal(measured.count, 0);
    }
}

/* Of one figure, and the others are measured; or of each. */
static const struct { const char *fault, *key, *why, *good; } partial[] = {
    { "no bf16", "mma_bf16_k16", "does not compile the kernel: an error without a text (218)",
      "mma_f16_k16" },
    { "hangs", "fp64", "its kernel was ended: no answer in 0 s", "function" },
    { "dies", "fp64", "the driver ended the process that measured", "function" },
    { "an old GPU", "tensor", "it needs compute capability 8.0", "function" },
    { "an H200", "memory_read_16", "too little memory is free to go beyond L2", "function" },
    { "no time", "function", "take no more time", NULL },
    { "garbage", "function", "take no more time", NULL },
    { "cuLaunchKernel", "function", "a launch: a planted error", NULL },
    { "cuModuleLoadData", "function", "does not compile the kernel: a planted error", NULL },
    { "cuModuleGetFunction", "function", "does not find the kernel: a planted error", NULL },
    { "cuEventRecord", "function", "an event: a planted error", NULL },
    { "cuEventSynchronize", "function", "running a kernel: a planted error", NULL },
    { "cuEventElapsedTime", "function", "an event: a planted error", NULL },
    { "cuMemcpyDtoH_v2", "function", "reading the clocks: a planted error", NULL },
    { "cuMemcpyHtoD_v2", "chase_l2", "copying to the GPU: a planted error", "function" },
    { "cuDriverGetVersion", NULL, NULL, "function" },
    { "cuDeviceTotalMem_v2", NULL, NULL, "function" },
    { "long name", NULL, NULL, "function" },
};

static void test_partial(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(partial); i++) {
        measure_with(partial[i].fault);
        assert_string_equal(measured.trouble, "");
        const MeasuredValue *bad = partial[i].key ? value_of(partial[i].key) : NULL;
        if (bad && (isfinite(bad->value) || !strstr(bad->why, partial[i].why)))
            fail_msg("%s: %s is %g: '%s'", partial[i].fault, bad->key, bad->value, bad->why);
        if (partial[i].good)
            assert_true(isfinite(value_of(partial[i].good)->value));
    }
}

/* All that is left over at the limit says so. */
static void test_limit(void **state)
{
    const MeasureRequest request = { getenv("MEASURE"), 1, 1000, NULL, NULL };
    (void)state;
    setenv("STUB", "", 1);
    ptx_measure_run(&request, &measured);
    assert_non_null(strstr(measured.trouble, "limit"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_fatal),
        cmocka_unit_test(test_partial),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
