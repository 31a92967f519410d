/* test_forward.c -- loops of up to 2^31 trips: what is counted of them follows from their
 * parameters, and time grows as they do. */
#include "kit.h"

#include <math.h>
#include <time.h>

#define LOOPS "tests/data/loops/loops.ptx"
#define BARRIERS "tests/data/loops/barriers.ptx"

/* One kernel of the file, with what stands before the first. */
static char *cut_out(const char *file, const char *kernel)
{
    char entry[64];
    snprintf(entry, sizeof entry, ".visible .entry %s(", kernel);
    const char *head = strstr(file, ".visible .entry"), *from = strstr(file, entry),
               *end = from ? strstr(from, "\n}\n") : NULL;
    if (!head || !end)
        fail_msg("no kernel %s", kernel);
    Text text = { 0 };
    kit_put(&text, file, (size_t)(head - file));
    kit_put(&text, from, (size_t)(end + 3 - from));
    return text.bytes;
}

typedef struct Figures {
    double flops, bytes, us, bound_us;
} Figures;

enum { BLOCK = 256, GRID = 132, THREADS = GRID * BLOCK };

/* more: of the launch; "": nothing. */
static Figures figures_with(const char *file, const char *kernel, const char *params, int grid,
                            const char *more)
{
    char *text = cut_out(file, kernel), json[256], error[256] = "";
    int length = snprintf(json, sizeof json,
                          "{\"kernels\": {\"%s\": {\"grid\": [%d, 1, 1], \"block\": [%d, 1, 1], "
                          "\"params\": [%s]%s}}}",
                          kernel, grid, BLOCK, params, more);
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    if (ptxlint_launches_new(json, (size_t)length, &launches, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", json, error);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    const ptxlint_projection *p = kit_kernel(module, kernel)->projections;
    Figures out = { p->executed.flops_fp32, p->time.dram_bytes, p->time.predicted_us,
                    p->time.bound_us };
    if (isnan(out.flops) || isnan(out.bytes) || isnan(out.us) || isnan(out.bound_us))
        fail_msg("%s(%s): not known", kernel, params);
    if (out.bound_us > out.us)
        fail_msg("%s(%s): at least %g us, predicted %g", kernel, params, out.bound_us, out.us);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    free(text);
    return out;
}

static Figures figures_of(const char *file, const char *kernel, const char *params, int grid)
{
    return figures_with(file, kernel, params, grid, "");
}

/* Operations of a thread of the block, bytes of the launch; below 0: not asked for. within: a share
 * of them. */
typedef struct Case {
    const char *kernel, *params;
    int grid;
    double flops, bytes, within;
} Case;

#define OUT (4.0 * THREADS)

static const Case cases[] = {
    { "fmaloop", "null, 1.0, 10", GRID, 20.0 * THREADS, OUT, 1e-9 },
    { "fmaloop", "null, 1.0, 2147483648", GRID, 4294967296.0 * THREADS, OUT, 1e-9 },
    { "ll64", "null, 1.0, 10000000000", GRID, 2e10 * THREADS, OUT, 1e-9 },
    { "nest", "null, 1.0, 10, 100000", GRID, (2e6 + 10) * THREADS, OUT, 1e-9 },
    { "nest", "null, 1.0, 100000, 10", GRID, (2e6 + 1e5) * THREADS, OUT, 1e-9 },
    { "nest", "null, 1.0, 100000, 100000", GRID, (2e10 + 1e5) * THREADS, OUT, 1e-9 },
    { "three", "null, 1.0, 1000", GRID, (2e9 + 1e6 + 1e3) * THREADS, OUT, 1e-9 },
    { "trinest", "null, 1.0, 10000", GRID, 1e4 * 9999 * THREADS, OUT, 0.01 },
    { "rare", "null, 1.0, 10000000, 1", GRID, (2e7 + 156250) * THREADS, -1, 1e-9 },
    { "rare1000", "null, 1.0, 10000000, 1", GRID, (2e7 + 10000) * THREADS, -1, 1e-9 },
    { "logt", "null, 1.0, 2147483648", GRID, 64.0 * THREADS, OUT, 1e-9 },
    { "mulit", "null, 1.0, 10000000000", GRID, 42.0 * THREADS, OUT, 1e-9 },
    { "b0", "null, 1.0, 10000000", 1024, 256 * (2e7 + 1023 * 20.0), 4.0 * 256 * 1024, 1e-9 },
    { "tri", "null, 1.0, 1000", 1024, 256 * 2000.0 * 523776, 4.0 * 256 * 1024, 0.02 },
    { "perthread", "null, 1.0, 10000", GRID, GRID * 20000.0 * 32640, OUT, 1e-9 },
    { "scan", "null, null, 33792000", GRID, 1000.0 * THREADS, 4 * 33792000.0 + OUT, 0.01 },
    { "scan", "null, null, 69172224", GRID, 2047.0 * THREADS, 4 * 69172224.0 + OUT, 0.01 },
    { "scan", "null, null, 2027520000", GRID, 60000.0 * THREADS, 4 * 2027520000.0 + OUT, 0.01 },
    { "rows", "null, null, 60000", GRID, 60000.0 * THREADS, 4 * 60000.0 * THREADS + OUT, 0.01 },
    { "strided", "null, null, 1000000, 33792", GRID, 1e6 * THREADS, 4e6 * THREADS + OUT, 0.01 },
    { "pp", "null, null, 1000000", GRID, 1e6 * THREADS, 1024e6 + OUT, 0.01 },
    { "tile", "null, null, 25600000", GRID, 256e5 * THREADS, 1024e5 + OUT, 0.01 },
    { "smemrd", "null, null, 1000000", GRID, 1e6 * THREADS, -1, 1e-9 },
    { "gather", "null, null, null, 1000000", GRID, 1e6 * THREADS, -1, 1e-9 },
    { "lcg", "null, null, 1000000", GRID, 1e6 * THREADS, -1, 0.01 },
};

static bool is_within(double got, double want, double share)
{
    return want < 0 || fabs(got - want) <= share * want;
}

static void test_counts(void **state)
{
    char *file = kit_read(LOOPS, NULL);
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *want = &cases[c];
        Figures got = figures_of(file, want->kernel, want->params, want->grid);
        if (!is_within(got.flops, want->flops, want->within)
            || !is_within(got.bytes, want->bytes, want->within))
            fail_msg("%s(%s): %.10g operations, %.10g bytes, want %.10g and %.10g", want->kernel,
                     want->params, got.flops, got.bytes, want->flops, want->bytes);
    }
    free(file);
}

/* Parameters with a hole for the trips; trips of so many times as many take so many times as long,
 * once they are what takes the time. */
typedef struct Trend {
    const char *kernel, *before, *behind;
    int grid;
    double scale;               /* of the parameter, from the trips */
    double most;
} Trend;

static const Trend trends[] = {
    { "fmaloop", "null, 1.0, ", "", GRID, 1, 2147483648.0 }, { "b0", "null, 1.0, ", "", 1024, 1, 1e8 }, { "tri", "null, 1.0, ", "", 1024, 1, 1e6 },
    { "perthread", "null, 1.0, ", "", GRID, 1, 1e6 }, { "scan", "null, null, ", "", GRID, THREADS, 6e4 }, { "rows", "null, null, ", "", GRID, 1, 1e6 },
    { "rare", "null, 1.0, ", ", 1", GRID, 1, 1e9 }, { "nest", "null, 1.0, ", ", 1000", GRID, 1, 1e6 }, { "tile", "null, null, ", "", GRID, 256, 1e6 },
};

static void test_time(void **state)
{
    char *file = kit_read(LOOPS, NULL);
    (void)state;
    for (size_t t = 0; t < COUNT(trends); t++) {
        const Trend *trend = &trends[t];
        double before = 0, each = 0;
        for (double trips = 10; trips <= trend->most; trips *= 10) {
            char params[64];
            snprintf(params, sizeof params, "%s%.0f%s", trend->before, trips * trend->scale,
                     trend->behind);
            double us = figures_of(file, trend->kernel, params, trend->grid).us;
            if (us < before)
                fail_msg("%s(%s): %g us, %g before", trend->kernel, params, us, before);
            if (trips > 1e5 && fabs(us / trips - each) > 0.02 * each)
                fail_msg("%s(%s): %g us a trip, %g before", trend->kernel, params, us / trips,
                         each);
            before = us;
            each = us / trips;
        }
    }
    free(file);
}

/* A loop that data end, as often as the launch says. */
static void test_given(void **state)
{
    char *file = kit_read(LOOPS, NULL);
    double flops = 0, us = 0;
    (void)state;
    for (unsigned trips = 10; trips <= 1000; trips *= 10) {
        char more[64];
        snprintf(more, sizeof more, ", \"trips\": {\"$L__BB13_2\": %u}", trips);
        Figures got = figures_with(file, "dataend", "null, null", GRID, more);
        if (flops > 0 && (fabs(got.flops - 10 * flops) > 1e-9 * got.flops || got.us < 2 * us))
            fail_msg("%u trips: %g operations and %g us, %g and %g for a tenth", trips, got.flops,
                     got.us, flops, us);
        flops = got.flops;
        us = got.us;
    }
    free(file);
}

/* A loop that data end: how often it is taken to run. By how far its index goes on where threads
 * share a list, which shows where they meet behind it, or where a thread's own is unrolled. */
typedef struct Guessed {
    const char *step, *barrier, *end;
    double trips;
} Guessed;

#define SUM "red.global.add.f32"
#define STORE "st.global.f32"

static const Guessed guesses[] = {
    { "1", "", SUM, 16 },    { "2", "", SUM, 8 },
    { "4", "", SUM, 4 },     { "8", "", SUM, 2 },
    { "32", "", SUM, 1 },    { "-8", "", SUM, 2 },
    { "4096", "", SUM, 1 },  { "256", " bar.sync 0;\n", SUM, 5 },
    { "1", "", STORE, 16 },  { "4", "", STORE, 4 },
    { "4096", "", STORE, 5 },
};

static void test_guessed(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(guesses); c++) {
        const Guessed *g = &guesses[c];
        Text text = { 0 };
        kit_print(&text,
                  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                  "in)\n{\n .reg .pred %%p<2>;\n .reg .f32 %%f<2>;\n .reg .b32 %%r<4>;\n"
                  " .reg .b64 %%rd<2>;\n ld.param.u64 %%rd1, [in];\n"
                  " ld.global.v2.u32 {%%r1, %%r2}, [%%rd1];\n mov.f32 %%f1, 0f3F800000;\n"
                  "HEAD:\n fma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n%s add.s32 %%r1, %%r1, %s;\n"
                  " setp.lt.s32 %%p1, %%r1, %%r2;\n @%%p1 bra HEAD;\n"
                  " %s [%%rd1], %%f1;\n ret;\n}\n",
                  g->barrier, g->step, g->end);
        Figures got = figures_of(text.bytes, "k", "null", GRID);
        if (!is_within(got.flops, 2 * g->trips * THREADS, 1e-9))
            fail_msg("a step of %s: %g trips, want %g", g->step, got.flops / 2 / THREADS, g->trips);
        free(text.bytes);
    }
}

/* Loops that a float ends: for (t = start; t < end, or t > end; t = t + step), in both widths. */
typedef struct Float {
    double start, step, end;
    bool is_wide, is_widened;   /* widened: a float of 32 bits against one of 64 */
} Float;

static const Float floats[] = {
    { 0, 0.1, 1, false, false }, { 0, 1e-3, 1, false, false }, { 0, 1e-5, 1, false, false }, { 0, 3e-7, 1, false, false }, { 0, 1e-7, 1, false, false },
    { 0, 0x1p-23, 2, false, false }, { 1, 0x1.8p-23, 4, false, false }, { 1, 0x1.4p-22, 4, false, false }, { 1, 0x1.cp-22, 7, false, false },
    { 100, -1e-4, -7, false, false }, { -3, 7e-6, 2, false, false }, { 0, -1e-5, -20, false, false }, { 0, 0.25, 3e5, false, false }, { 0, 1, 1e7, false, false },
    { 0, 1e-5, 1, true, false }, { 0, 1e-7, 1, true, false }, { 5, -3e-7, 1, true, false }, { -1, 1e-6, 1, true, false }, { 0, 1, 3e7, true, false },
    { 0, 1e-6, 1, false, true }, { 2, -1e-6, 0.3, false, true },
};

static double float_trips(const Float *f)
{
    double trips = 0;
    if (f->is_wide) {
        for (double t = f->start; f->step > 0 ? t < f->end : t > f->end; t += f->step)
            trips++;
        return trips;
    }
    const float step = (float)f->step, narrow = (float)f->end;
    const double end = f->is_widened ? f->end : (double)narrow;
    for (volatile float t = (float)f->start; step > 0 ? (double)t < end : (double)t > end;
         t = t + step)
        trips++;
    return trips;
}

static void put_float(Text *t, double number, bool is_wide)
{
    float narrow = (float)number;
    uint32_t low;
    uint64_t all;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&all, &number, sizeof all);
    if (is_wide)
        kit_print(t, "0d%016llX", (unsigned long long)all);
    else
        kit_print(t, "0f%08X", low);
}

static void put_float_loop(Text *t, const Float *f)
{
    const char *type = f->is_wide ? "f64" : "f32", *reg = f->is_wide ? "%fd1" : "%f1";
    kit_print(t,
              ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
              "out)\n{\n .reg .pred %%p<3>;\n .reg .f32 %%f<4>;\n .reg .f64 %%fd<4>;\n"
              " .reg .b64 %%rd<3>;\n ld.param.u64 %%rd1, [out];\n mov.f32 %%f2, 0f3F800000;\n "
              "mov.%s %s, ",
              type, reg);
    put_float(t, f->start, f->is_wide);
    kit_print(t, ";\nHEAD:\n%s", f->is_widened ? " cvt.f64.f32 %fd1, %f1;\n" : "");
    kit_print(t, " setp.%s.%s %%p1, %s, ", f->step > 0 ? "lt" : "gt", f->is_widened ? "f64" : type,
              f->is_widened ? "%fd1" : reg);
    put_float(t, f->end, f->is_wide || f->is_widened);
    kit_print(t, ";\n @!%%p1 bra DONE;\n fma.rn.f32 %%f2, %%f2, %%f2, %%f2;\n add.rn.%s %s, %s, ",
              type, reg, reg);
    put_float(t, f->step, f->is_wide);
    kit_print(t, ";\n bra HEAD;\nDONE:\n st.global.f32 [%%rd1], %%f2;\n ret;\n}\n");
}

static void test_floats(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(floats); c++) {
        const Float *f = &floats[c];
        Text text = { 0 };
        put_float_loop(&text, f);
        /* its sum counts too, where it is of 32 bits */
        double trips = float_trips(f), want = trips * THREADS * (f->is_wide ? 2 : 3);
        Figures got = figures_of(text.bytes, "k", "null", GRID);
        if (!is_within(got.flops, want, 1e-9))
            fail_msg("from %g by %g to %g: %.10g operations, want %.10g (%.0f trips)", f->start,
                     f->step, f->end, got.flops, want, trips);
        free(text.bytes);
    }
}

/* Kernels that no way leads out of: a run spends what it is allowed, and shows no more for it. */
static void test_endless(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".entry a() { L: bra L; }\n"
        ".entry b() { M: bra N; N: bra M; }\n"
        ".entry c() { .reg .pred %p<2>; L: @%p1 bra M; bra L; M: bra L; }\n"
        ".entry d() { .reg .b32 %r<2>; T: .branchtargets A, B; A: brx.idx %r1, T; B: bra A; }\n";
    enum { MAX_SECONDS = 1 };   /* the whole budget takes three, and ten times that under ASan */
    (void)state;
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "grid", "64", NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "block", "128", NULL, 0), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.launches = launches;
    const clock_t begin = clock();
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > MAX_SECONDS)
        fail_msg("%g s", seconds);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
}

/* Loops with barriers of the block and of the grid, locks, calls, and what warps read of each
 * other: as many times the trips, as many times the time, and memory is read no more than once. */
static void test_barriers(void **state)
{
    static const struct {
        const char *kernel, *params;
        unsigned most;
        double within;
    } kernels[] = {
        { "grid_sync", "null, null, 2000, %u", 2147483647, 0.1 },
        { "grid_nest", "null, null, 2000, %u", 2147483647, 0.1 },
        { "spin_barrier", "null, null, 2000, %u", 2147483647, 0.1 },
        { "sync_count", "null, %u", 2147483647, 0.2 },
        { "shared_index", "null, null, %u", 2147483647, 0.2 },
        { "calls", "null, %u", 3000000, 0.2 },
        { "lock", "null, null, %u", 2147483647, 0.1 },
    };
    enum { FEW = 1, MAX_BYTES = 1 << 20 };
    char *file = kit_read(BARRIERS, NULL);
    (void)state;
    for (size_t k = 0; k < COUNT(kernels); k++) {
        double before = 0;
        for (unsigned t = 0; t < 2; t++) {
            const unsigned trips = t ? kernels[k].most : 1000;
            char params[64];
            snprintf(params, sizeof params, kernels[k].params, trips);
            const Figures got = figures_of(file, kernels[k].kernel, params, FEW);
            const double each = got.us / trips;
            if (got.bytes > MAX_BYTES || (t && !is_within(each, before, kernels[k].within)))
                fail_msg("%s(%s): %g us each, before %g; %g bytes", kernels[k].kernel, params, each,
                         before, got.bytes);
            before = each;
        }
    }
    free(file);
}

UNIT(forward)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_counts), cmocka_unit_test(test_time),
                                        cmocka_unit_test(test_given),
                                        cmocka_unit_test(test_guessed),
                                        cmocka_unit_test(test_floats),
                                        cmocka_unit_test(test_endless),
                                        cmocka_unit_test(test_barriers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
