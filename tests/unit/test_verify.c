/* test_verify.c -- files of measured times, and the verdicts on their rows. */
#include "kit.h"

#include <math.h>

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct ReadCase {
    const char *text, *column;
    size_t rows;                /* 0: it is refused */
    const char *said;           /* a part of the refusal; of a good file the first kernel */
    double us, resolution_us;   /* of the first row; 0: it has none */
    int64_t grid, block;        /* their first extents; PTXLINT_UNKNOWN */
} ReadCase;

#define NONE PTXLINT_UNKNOWN

static const ReadCase reads[] = {
    { "{\"kernel\": \"k\", \"grid\": [64, 2], \"block\": 128, \"us\": 12.5}\n\n"
      "{\"kernel\": \"m\", \"ns\": 900}\n", NULL, 2, "k", 12.5, 0.05, 64, 128 },
    { "[{\"name\": \"k\", \"launch\": {\"grid\": \"64x2\", \"block\": \"(32, 1, 1)\"}, "
      "\"time_ms\": 1}]", NULL, 1, "k", 1000, 500, 64, 32 },
    { "kernel,grid,block,params,duration_ns\r\nk,\"64,2\",128,\"[null, 7]\",12500\r\n", NULL, 1,
      "k", 12.5, 0.0005, 64, 128 },
    { "\xef\xbb\xbfkernel,cold_us,warm_us\nk,20,10.25\n", "warm_us", 1, "k", 10.25, 0.005, NONE,
      NONE },
    { "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n\"0\",\"void k<int>(int *)\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"Duration\","
      "\"us\",\"1,012.64\"\n", NULL, 1, "void k<int>(int *)", 1012.64, 0.005, 64, 256 },
    { "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name\n1,2500,7,64,1,1,32,1,1,"
      "k\n2,2600,8,64,1,1,32,1,1,k\n", NULL, 2, "k", 2.5, 0.0005, 64, 32 },
    { "{\"key\": [1], \"configs_timings\": [[{\"kwargs\": {\"B\": 64}, \"num_warps\": 4}, [0.5, "
      "0.4, 0.6]]]}", NULL, 1, NULL, 500, 50, NONE, 128 },
    { "{\"kernel\": \"k\", \"us\": 1}\n{\"kernel\": \"k\"}\n", NULL, 2, "k", 1, 0.5, NONE, NONE },
    { "", NULL, 0, "is empty", 0, 0, 0, 0 },
    { " \r\n\t", NULL, 0, "is empty", 0, 0, 0, 0 },
    { "[]", NULL, 0, "has no row", 0, 0, 0, 0 },
    { "kernel,us\n", NULL, 0, "has no row", 0, 0, 0, 0 },
    { "{\"kernel\": \"k\"}", NULL, 0, "no row has a time", 0, 0, 0, 0 },
    { "{\"kernel\": \"k\", \"us\": -1}", NULL, 0, "no row has a time", 0, 0, 0, 0 },
    { "{\"kernel\": \"k\", \"us\": 1e999}", NULL, 0, "line 1", 0, 0, 0, 0 },
    { "{\"kernel\": \"k\", \"us\": 1}", "when", 0, "'when'", 0, 0, 0, 0 },
    { "{\"us\": 1}\n{\"us\": ", NULL, 0, "line 2: ", 0, 0, 0, 0 },
    { "[{\"us\": 1}, 7]", NULL, 0, "row 2 is no object", 0, 0, 0, 0 },
    { "{\"us\": 1, \"grid\": [0]}", NULL, 0, "row 1: \"grid\" is not one to three", 0, 0, 0, 0 },
    { "{\"us\": 1, \"block\": \"many\"}", NULL, 0, "row 1: \"block\"", 0, 0, 0, 0 },
    { "{\"us\": 1, \"params\": {\"n\": 1}}", NULL, 0, "row 1: \"params\"", 0, 0, 0, 0 },
    { "{\"configs_timings\": [[{}, \"soon\"]]}", NULL, 0, "config 1", 0, 0, 0, 0 },
    { "\x7f""ELF\x01\x02", NULL, 0, "has no row", 0, 0, 0, 0 },
    { "a,\"b\nc", NULL, 0, "has no row", 0, 0, 0, 0 },
};

static ptxlint_measurements *read_all(const char *text, const char *column, char error[256])
{
    ptxlint_measurements *out;
    *error = 0;
    const ptxlint_status status = ptxlint_measurements_new(text, strlen(text), column, &out, error,
                                                           256);
    assert_int_equal(status, out ? PTXLINT_OK : PTXLINT_BAD_FILE);
    return out;
}

static bool is_about(double got, double want)
{
    return want > 0 ? fabs(got - want) <= 1e-9 * want : !isfinite(got);
}

/* What a kernel does beside its loop is a thousandth of it. */
static bool is_near(double got, double want)
{
    return fabs(got - want) <= 1e-3 * want;
}

static void check_read(const ReadCase *c)
{
    char error[256];
    ptxlint_measurements *all = read_all(c->text, c->column, error);
    ptxlint_measurement row = { .size = sizeof row };
    size_t count = 0;
    while (ptxlint_measurement_at(all, count, &row))
        count++;
    if (count != c->rows || (!all && !strstr(error, c->said)))
        fail_msg("%s: %zu rows, %s", c->text, count, error);
    if (all) {
        ptxlint_measurement_at(all, 0, &row);
        if (!is_about(row.us, c->us) || !is_about(row.resolution_us, c->resolution_us)
            || row.grid[0] != c->grid || row.block[0] != c->block
            || (c->said ? !row.kernel || strcmp(row.kernel, c->said) : row.kernel != NULL))
            fail_msg("%s: %g us to %g, grid %lld, block %lld, %s", c->text, row.us,
                     row.resolution_us, (long long)row.grid[0], (long long)row.block[0],
                     row.kernel ? row.kernel : "(none)");
    }
    ptxlint_measurements_free(all);
}

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(reads); i++)
        check_read(&reads[i]);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* each thread copies a word, `by` words from the next one's */
static const char strided[] =
    HEAD ".visible .entry copy(.param .u64 a, .param .u64 b, .param .u32 by)\n{\n"
         ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>;\n"
         "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r5, [by];\n"
         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
         "mad.lo.s32 %r4, %r1, %r2, %r3; mul.lo.s32 %r6, %r4, %r5; mul.wide.u32 %rd3, %r6, 4;\n"
         "add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];\n"
         "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd2, %rd5; st.global.f32 [%rd6], %f1; ret;\n}\n"
         ".visible .entry products(.param .u64 a, .param .u32 n)\n{\n"
         ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p<2>;\n"
         "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
         "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
         "mov.f32 %f2, %f1; mov.u32 %r3, 0;\n"
         "L: fma.rn.f32 %f2, %f2, %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1;\n"
         "@%p1 bra L;\nst.global.f32 [%rd3], %f2; ret;\n}\n"
         ".visible .entry by_data(.param .u64 a)\n{\n"
         ".reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f<2>;\n"
         "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
         "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; mul.wide.u32 %rd4, %r2, 4;\n"
         "add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];\n"
         "st.global.f32 [%rd3], %f1; ret;\n}\n";

typedef struct VerdictCase {
    const char *gpu, *row;
    bool is_warm;
    double clock_mhz;
    ptxlint_verdict verdict;
    double least_us;            /* 0: not looked at */
    const char *part;           /* of the reason */
} VerdictCase;

/* 2^25 threads: 128 MiB that lie side by side, at 1.01 times the peak of 4,800 GB/s; what is
 * written stays in L2 */
#define COPY                                                                                       \
    "{\"kernel\": \"copy\", \"grid\": [131072], \"block\": [256], \"params\": [null, null, "
#define SPARSE                                                                                     \
    "{\"kernel\": \"copy\", \"grid\": 16384, \"block\": 256, \"params\": [null, null, 8], "
#define COPY_US (134217728 / 4848e3)
#define FMA                                                                                        \
    "{\"kernel\": \"products\", \"grid\": 132, \"block\": 512, \"params\": [null, 65536], "

static const VerdictCase verdicts[] = {
    { "h200", COPY "1], \"us\": 25}", false, 0, PTXLINT_VERDICT_IMPOSSIBLE, COPY_US,
      "At least 134.2 MB pass between memory and L2: 27.69 us at 4848 GB/s" },
    { "h200", COPY "1], \"us\": 27.75}", false, 0, PTXLINT_VERDICT_FASTER, COPY_US, "possible" },
    /* a digit that was rounded */
    { "h200", FMA "\"us\": 132}", false, 0, PTXLINT_VERDICT_FASTER, 0, "possible" },
    { "h200", COPY "1], \"us\": 90}", false, 0, PTXLINT_VERDICT_PREDICTED, 0, "In the band" },
    { "h200", COPY "1], \"us\": 9000}", false, 0, PTXLINT_VERDICT_SLOWER, 0, "times the prediction" },
    { "h200", COPY "1], \"us\": 25}", true, 0, PTXLINT_VERDICT_FASTER, 0, "cold caches" },
    { "h200", COPY "1], \"us\": 6}", true, 0, PTXLINT_VERDICT_IMPOSSIBLE, 0, "work was skipped" },
    /* all threads read one word: nothing of it must come from memory */
    { "h200", COPY "0], \"us\": 25}", false, 0, PTXLINT_VERDICT_FASTER, 0, "possible" },
    /* half of the sectors, were the pointer to lead between them */
    { "h200", SPARSE "\"us\": 13}", false, 0, PTXLINT_VERDICT_IMPOSSIBLE, 0, "MB pass" },
    { "h200", SPARSE "\"us\": 14.5}", false, 0, PTXLINT_VERDICT_FASTER, 0, "possible" },
    { "h200", "{\"kernel\": \"copy\", \"grid\": 262144, \"block\": 256, \"us\": 1}", false, 0,
      PTXLINT_VERDICT_UNKNOWN, 0, "leave a parameter open" },
    { "h200", COPY "1]}\n{\"us\": 1}", false, 0, PTXLINT_VERDICT_UNKNOWN, 0, "the row has no time" },
    { "h200", "{\"kernel\": \"copy\", \"us\": 1}", false, 0, PTXLINT_VERDICT_UNKNOWN, 0, "grid" },
    /* 512 threads of an SM, 65,536 products each, 128 a clock; each waits 4 clocks for the last */
    { "h200", FMA "\"us\": 131}", false, 0, PTXLINT_VERDICT_IMPOSSIBLE, 65536 * 4 / 1980.,
      "at 1980 MHz" },
    { "h200", FMA "\"us\": 131}", false, 1600, PTXLINT_VERDICT_IMPOSSIBLE, 65536 * 4 / 1600.,
      "at 1600 MHz" },
    { "h200", FMA "\"us\": 133.5}", false, 0, PTXLINT_VERDICT_FASTER, 0, "possible" },
    /* no source has the highest clock of its boards; 132 blocks on 128 SMs */
    { "rtx4090", FMA "\"us\": 200}", false, 0, PTXLINT_VERDICT_FASTER, 2 * 65536 * 4 / (1.3 * 2520),
      "possible" },
    { "h200", "{\"kernel\": \"by_data\", \"grid\": 1048576, \"block\": 256, \"us\": 30}", false, 0,
      PTXLINT_VERDICT_FASTER, 0, "possible" },
};

static const ptxlint_kernel *kernel_of_row(const ptxlint_module *module,
                                           const ptxlint_measurements *rows)
{
    size_t count;
    const ptxlint_kernel *all = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++)
        if (ptxlint_measurement_is_of(rows, 0, module, &all[k]))
            return &all[k];
    return NULL;
}

static void check_verdict(const VerdictCase *c)
{
    char error[256];
    const ptxlint_gpu *gpu = ptxlint_gpu_find(c->gpu);
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_verify_options with;
    ptxlint_verified out = { .size = sizeof out };
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.estimates_only = 1;
    assert_int_equal(ptxlint_module_new(strided, sizeof strided - 1, &options, &module),
                     PTXLINT_OK);
    ptxlint_measurements *rows = read_all(c->row, NULL, error);
    ptxlint_verify_options_init(&with);
    with.is_warm = c->is_warm;
    with.clock_mhz = c->clock_mhz;
    assert_non_null(rows);
    assert_int_equal(ptxlint_verify(module, kernel_of_row(module, rows)->name, rows, 0, &with,
                                    &out), PTXLINT_OK);
    if (out.verdict != c->verdict || !strstr(out.reason, c->part)
        || (c->least_us > 0 && !is_near(out.least_us, c->least_us)))
        print_error("%s on %s: %s, least %g by %s: %s\n", c->row, c->gpu,
                    ptxlint_verdict_name(out.verdict), out.least_us,
                    out.least_by ? out.least_by : "-", out.reason);
    assert_int_equal(out.verdict, c->verdict);
    assert_non_null(strstr(out.reason, c->part));
    assert_true(!(c->least_us > 0) || is_near(out.least_us, c->least_us));
    ptxlint_measurements_free(rows);
    ptxlint_module_free(module);
}

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(verdicts); i++)
        check_verdict(&verdicts[i]);
}

static void test_arguments(void **state)
{
    ptxlint_measurements *rows = NULL;
    ptxlint_verify_options with;
    ptxlint_verified out = { .size = sizeof out };
    ptxlint_module *module = kit_module(strided);
    (void)state;
    ptxlint_verify_options_init(&with);
    assert_int_equal(ptxlint_measurements_new(NULL, 3, NULL, &rows, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_measurements_new("", 0, NULL, NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_measurements_new("", 0, NULL, &rows, NULL, 0), PTXLINT_BAD_FILE);
    assert_null(rows);
    assert_int_equal(ptxlint_measurements_new("us\n7\n", 5, NULL, &rows, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_verify(module, "copy", rows, 1, &with, &out),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_verify(module, "none", rows, 0, &with, &out),
                     PTXLINT_BAD_ARGUMENT);
    out.size = 1;
    assert_int_equal(ptxlint_verify(module, "copy", rows, 0, &with, &out),
                     PTXLINT_BAD_ARGUMENT);
    assert_null(ptxlint_verdict_name((ptxlint_verdict)99));
    assert_string_equal(ptxlint_verdict_name(PTXLINT_VERDICT_PREDICTED), "as predicted");
    ptxlint_measurements_free(rows);
    ptxlint_measurements_free(NULL);
    ptxlint_module_free(module);
}

UNIT(verify)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
