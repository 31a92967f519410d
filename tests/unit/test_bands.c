/* test_bands.c -- of each kernel of some files, on several GPUs, at several launches: the bound is
 * not above the band, the prediction lies in it, and what is not known has its reason. */
#include "kit.h"

#include <math.h>

static const char *const names[] = { "h200", "v100", "rtx4090", "c2050", "sm_90" };
static const char *const folders[] = { "tests/golden/report", "testdata/proposals",
                                       "tests/data/trees" };
static const int64_t grids[] = { 1, 1000, INT32_MAX }, blocks[] = { 1, 256 };

typedef struct Tally {
    unsigned times, bounds, wrong;
} Tally;

static bool is_positive(double us)
{
    return isfinite(us) && us > 0;
}

static bool is_in_order(const ptxlint_time *time)
{
    if (isnan(time->predicted_us))
        return time->why && isnan(time->bound_us) && isnan(time->low_us) && isnan(time->high_us);
    if (!is_positive(time->low_us) || !is_positive(time->high_us))
        return false;
    bool is_bound = is_positive(time->bound_us) ? time->bound_us <= time->low_us
                                                : isnan(time->bound_us);
    return is_bound && !time->why && time->low_us <= time->predicted_us
           && time->predicted_us <= time->high_us;
}

static void check_estimate(const ptxlint_module *module, const char *kernel, size_t gpu,
                           const ptxlint_trial *trial, Tally *tally)
{
    ptxlint_estimated out = { .size = sizeof out };
    if (ptxlint_estimate(module, kernel, gpu, trial, &out) != PTXLINT_OK)
        return;                 /* its code has errors */
    const ptxlint_time *time = &out.time;
    tally->times += isfinite(time->predicted_us);
    tally->bounds += isfinite(time->bound_us);
    if (is_in_order(time))
        return;
    print_error("%s on %s, %ld x %ld: bound %g, %g to %g, predicted %g; %s\n", kernel, names[gpu],
                (long)trial->grid[0], (long)trial->block[0], time->bound_us, time->low_us,
                time->high_us, time->predicted_us, time->why ? time->why : "no reason");
    tally->wrong++;
}

static void check_kernel(const ptxlint_module *module, const char *kernel, Tally *tally)
{
    for (size_t gpu = 0; gpu < COUNT(names); gpu++)
        for (size_t g = 0; g < COUNT(grids); g++)
            for (size_t b = 0; b < COUNT(blocks); b++) {
                ptxlint_trial trial;
                ptxlint_trial_init(&trial);
                trial.grid[0] = grids[g];
                trial.block[0] = blocks[b];
                for (int d = 1; d < 3; d++)
                    trial.grid[d] = trial.block[d] = 1;
                check_estimate(module, kernel, gpu, &trial, tally);
            }
}

static void check_bands(const char *path, const ptxlint_gpu *const *gpus, Tally *tally)
{
    ptxlint_options options;
    ptxlint_module *module;
    size_t count, length;
    char *text = kit_read(path, &length);
    ptxlint_options_init(&options);
    options.gpus = gpus;
    options.gpu_count = COUNT(names);
    options.estimates_only = 1;
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++)
        check_kernel(module, kernels[k].name, tally);
    ptxlint_module_free(module);
    free(text);
}

static void test_bands(void **state)
{
    (void)state;
    Tally tally = { 0 };
    const ptxlint_gpu *gpus[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        assert_non_null(gpus[i] = ptxlint_gpu_find(names[i]));
    for (size_t i = 0; i < COUNT(folders); i++) {
        Paths files = kit_walk(folders[i], ".ptx");
        for (size_t f = 0; f < files.count; f++)
            check_bands(files.paths[f], gpus, &tally);
        kit_free_paths(files);
    }
    print_message("%u times, %u bounds, %u wrong\n", tally.times, tally.bounds, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.times > 500 && tally.bounds > 100);
}

UNIT(bands)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bands) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
