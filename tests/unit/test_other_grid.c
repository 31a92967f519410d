/* test_other_grid.c -- estimates for one grid after the other, where runs of one stand for those of
 * another (other_grid.h): each to the byte what an estimate is that runs everything. */
#include "kit.h"

#include "analysis/access/evaluate.h"
#include "analysis/access/other_grid.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "api/module.h"
#include "arenas.h"

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

/* Byte by byte, but for what fills the time up behind its first int. */
static bool is_same(const ptxlint_estimated *a, const ptxlint_estimated *b)
{
    const size_t fill = offsetof(ptxlint_estimated, time.band_is_measured)
                        + sizeof a->time.band_is_measured,
                 rest = offsetof(ptxlint_estimated, time.bound_why);
    return !memcmp(a, b, fill)
           && !memcmp((const char *)a + rest, (const char *)b + rest, sizeof *a - rest);
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
    if (!is_same(&quick, &whole))
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

/* ---- for which grids nothing is run ---------------------------------------------------------- */

#define HEAD \
    ".version 8.0\n.target sm_90\n.address_size 64\n" \
    ".visible .entry k(.param .u64 a, .param .u32 n) {\n" \
    ".reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n" \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x;\n" \
    "mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
#define STORE "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r4;\n"

static const uint8_t ten_million[4] = { 0x80, 0x96, 0x98, 0 };
static const LaunchParam array_and_count[] = { { .is_pointer = true },
                                               { .bytes = ten_million, .length = 4 } };

static const struct {
    const char *what, *text;
    uint32_t grid, other;
    bool stands;
} grids[] = {
    { "a row a block", HEAD STORE "ret;\n}\n", 1000, 1500, true },
    { "the same behind a guard", HEAD "setp.ge.u32 %p1, %r5, %r1; @%p1 ret;\n" STORE "ret;\n}\n",
      1000, 1500, true },
    { "a guard that the last blocks of the other do not pass",
      HEAD "setp.ge.u32 %p1, %r5, %r1; @%p1 ret;\n" STORE "ret;\n}\n", 1000, 200000, false },
    { "as many rounds as its number says",
      HEAD "and.b32 %r6, %r2, 3;\nLOOP:\n" STORE "add.u32 %r5, %r5, %r3; sub.u32 %r6, %r6, 1;\n"
      "setp.gt.s32 %p1, %r6, 0; @%p1 bra LOOP;\nret;\n}\n", 1001, 1502, false },
    { "a stride of the grid",
      HEAD "mov.u32 %r6, %nctaid.x; mul.lo.u32 %r6, %r6, %r3;\nLOOP:\n" STORE
      "add.u32 %r5, %r5, %r6; setp.lt.u32 %p1, %r5, %r1; @%p1 bra LOOP;\nret;\n}\n",
      1000, 1500, false },
};

static const Evaluation *by_other_grid(World *w, const KernelRun *run, const Gpu *gpu,
                                       uint32_t other)
{
    enum { STEPS = 1 << 14 };
    const uint32_t grid[3] = { other, 1, 1 };
    GridRuns *runs = NULL;
    assert_non_null(ptx_evaluate_keeping(run, gpu, STEPS, &runs));
    return runs ? ptx_evaluate_other_grid(runs, &w->arena, &w->scratch, grid) : NULL;
}

/* Estimates are the same either way: this is what says that the short one is taken. */
static void test_stands(void **state)
{
    World *w = *state;
    for (size_t i = 0; i < COUNT(grids); i++) {
        ptxlint_module *m = kit_module(grids[i].text);
        Arena work;
        ptx_arena_init(&work, (size_t)1 << 28, &w->failure);
        const Launch launch = { .is_given = true,
                                .grid = { grids[i].grid, 1, 1 },
                                .block = { 128, 1, 1 },
                                .dynamic_shared_bytes = -1,
                                .params = array_and_count,
                                .param_count = COUNT(array_and_count) };
        const KernelRun run = {
            .arena = &w->arena,
            .work = &work,
            .scratch = &w->scratch,
            .program = ptx_program_new(&w->arena, ptx_code_new(&w->arena, m->ir, m->calls)),
            .launch = &launch
        };
        if (!by_other_grid(w, &run, m->gpus[0], grids[i].other) == grids[i].stands)
            fail_msg("%s: %s", grids[i].what, grids[i].stands ? "run anew" : "not run");
        ptx_arena_free(&work);
        ptxlint_module_free(m);
    }
}

UNIT(other_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured),
        cmocka_unit_test_setup_teardown(test_stands, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
