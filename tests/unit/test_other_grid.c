/* test_other_grid.c -- estimates for one grid after the other, where runs of one stand for those of
 * another (other_grid.h): each to the byte what an estimate is that runs everything. */
#include "kit.h"

#include "api/module.h"

enum { GRIDS = 40, WALK = 8 };

static ptxlint_launches *read_launches(const char *path)
{
    char error[256];
    size_t length;
    ptxlint_launches *launches;
    char *json = kit_read(path, &length);
    if (ptxlint_launches_new(json, length, &launches, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", path, error);
    free(json);
    return launches;
}

static ptxlint_module *open_measured(const char *path, ptxlint_launches *launches)
{
    const ptxlint_gpu *gpus[] = { ptxlint_gpu_find("h200"), ptxlint_gpu_find("a100") };
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.launches = launches;
    options.gpus = gpus;
    options.gpu_count = COUNT(gpus);
    options.estimates_only = true;
    assert_int_equal(ptxlint_module_open(path, &options, &module), PTXLINT_OK);
    return module;
}

static unsigned draw(uint64_t *state, unsigned count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % count;
}

/* As an autotuner might, or a loop over sizes; some dimensions stay at 1. */
static void step_grid(uint64_t *state, unsigned way, const int64_t own[3], int64_t grid[3])
{
    switch (way) {
    case 0: grid[0]++; break;
    case 1: grid[0] += 128; break;
    case 2: grid[0] = grid[0] > 9 ? grid[0] - 1 - draw(state, 3) : grid[0] + 40; break;
    case 3: grid[0] = own[0] * (1 + draw(state, 4)); break;
    case 4:
        grid[0] += draw(state, 9);
        grid[1] = own[1] + draw(state, own[1] > 1 ? 5 : 2);
        break;
    default:
        for (unsigned d = 0; d < 3; d++)
            grid[d] = own[d] > 1 ? 1 + draw(state, (unsigned)(2 * own[d])) : own[d];
    }
}

static void check_grid(ptxlint_module *module, const char *kernel, size_t gpu,
                       const ptxlint_trial *trial, ptxlint_module *other)
{
    ptxlint_estimated quick, whole;
    memset(&quick, 0, sizeof quick);
    memset(&whole, 0, sizeof whole);
    quick.size = whole.size = sizeof whole;
    assert_int_equal(ptxlint_estimate(module, kernel, gpu, trial, &quick), PTXLINT_OK);
    ptx_estimator_free(other);      /* forgets what it has found */
    assert_int_equal(ptxlint_estimate(other, kernel, gpu, trial, &whole), PTXLINT_OK);
    if (memcmp(&quick, &whole, sizeof quick))
        fail_msg("%s, grid %d x %d x %d: %.17g us instead of %.17g", kernel, (int)trial->grid[0],
                 (int)trial->grid[1], (int)trial->grid[2], quick.time.predicted_us,
                 whole.time.predicted_us);
}

static void check_kernel(ptxlint_module *module, const ptxlint_kernel *kernel,
                         ptxlint_module *other)
{
    const int64_t *own = kernel->launch.grid;
    int64_t grid[3] = { own[0], own[1], own[2] };
    uint64_t state = (uint64_t)own[0];
    unsigned way = 0;
    for (unsigned i = 0; i < GRIDS; i++) {
        ptxlint_trial trial;
        ptxlint_trial_init(&trial);
        way = i % WALK ? way : draw(&state, 6);
        step_grid(&state, way, own, grid);
        memcpy(trial.grid, grid, sizeof trial.grid);
        trial.block[0] = i % 13 == 12 ? 64 : 0;
        trial.max_registers = i % 11 == 10 ? 40 : 0;
        check_grid(module, kernel->name, draw(&state, 8) == 0, &trial, other);
    }
}

static void check_file(const char *path, const char *launch_path)
{
    size_t count;
    ptxlint_launches *launches = read_launches(launch_path);
    ptxlint_module *module = open_measured(path, launches),
                   *other = open_measured(path, launches);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++)
        if (kernels[k].is_entry && kernels[k].launch.source == PTXLINT_LAUNCH_FILE)
            check_kernel(module, &kernels[k], other);
    ptxlint_module_free(module);
    ptxlint_module_free(other);
    ptxlint_launches_free(launches);
}

#define MEASURED PTXLINT_SOURCE_ROOT "/testdata/measured/"

static void test_measured(void **state)
{
    static const char *const files[] = {
        MEASURED "algorithms.ptx", MEASURED "atomics.ptx", MEASURED "blocks.ptx",
        MEASURED "control.ptx",    MEASURED "copies.ptx",  MEASURED "harder.ptx",
        MEASURED "swizzle.ptx",    MEASURED "tables.ptx",  MEASURED "vectors.ptx"
    };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        check_file(files[i], "testdata/measured/launches.json");
}

UNIT(other_grid)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_measured) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
