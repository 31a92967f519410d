/* test_evaluate.c -- the figures of accesses in random kernels against an interpreter that runs
 * every thread: see oracle.c.
 *
 * What the library calls exact has to be what happens, whatever the base of the pointer, the
 * parameters that were withheld and the contents of memory are. Where nothing is withheld and
 * nothing depends on data, it has to be exact. unit evaluate [FIRST COUNT]: more kernels, from a
 * seed on. */
#include "kit.h"
#include "oracle.h"

#include <math.h>

enum { SURROUNDINGS = 3, MAX_SHOWN = 12, KERNELS = 300 };

typedef struct Tally {
    unsigned slices, exact, estimates, unknown, wrong, timid, shown;
} Tally;

static ptxlint_launches *launches_of(const OracleKernel *kernel, const Surroundings *around,
                                     unsigned given)
{
    uint32_t grid[3], block[3];
    char error[256] = "";
    oracle_shape(kernel, grid, block);
    Text json = { 0 };
    kit_print(
        &json,
        "{\"kernels\": {\"k\": {\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"params\": [null",
        grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    for (unsigned p = 1; p < given; p++)
        kit_print(&json, p < 3 ? ", %llu" : ", \"%llu\"", (unsigned long long)around->params[p]);
    kit_print(&json, "]}}}");
    ptxlint_launches *launches = NULL;
    if (ptxlint_launches_new(json.bytes, json.length, &launches, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", json.bytes, error);
    free(json.bytes);
    return launches;
}

static ptxlint_module *report_of(uint64_t seed, const Text *text, const ptxlint_launches *launches)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(text->bytes, text->length, &options, &module), PTXLINT_OK);
    char *errors = kit_list(module, true);
    if (*errors)
        fail_msg("seed %llu: %s", (unsigned long long)seed, errors);
    free(errors);
    return module;
}

static const ptxlint_access *access_at(const ptxlint_module *module, uint32_t line)
{
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    for (size_t i = 0; i < kernel->access_count; i++)
        if (kit_line(module, kernel->accesses[i].span.begin) == line)
            return &kernel->accesses[i];
    return NULL;
}

static bool is_near(double got, double sum, double requests)
{
    double want = sum / requests;
    return !(sum > 0) ? !(got > 0) : fabs(got - want) <= 1e-9 * want;
}

static bool agrees(const ptxlint_access *got, const Figures *want)
{
    if (!(want->requests > 0))
        return isnan(got->active_threads);
    return is_near(got->active_threads, want->active, want->requests)
           && is_near(got->sectors_per_request, want->sectors, want->requests)
           && is_near(got->wavefronts_per_request, want->wavefronts, want->requests);
}

static void show(Tally *tally, const char *what, uint64_t seed, uint32_t line,
                 const ptxlint_access *got, const Figures *want)
{
    if (tally->shown++ < MAX_SHOWN)
        print_message(
            "%s: seed %llu line %u: active %g sectors %g wavefronts %g (%s), want %g %g %g\n", what,
            (unsigned long long)seed, line, got->active_threads, got->sectors_per_request,
            got->wavefronts_per_request, got->why, want->active / want->requests,
            want->sectors / want->requests, want->wavefronts / want->requests);
}

static void compare(Tally *tally, uint64_t seed, bool is_pure, const OracleAccess *access,
                    const ptxlint_access *got, Figures (*want)[ORACLE_ACCESSES], unsigned index)
{
    tally->slices++;
    bool is_exact = got->certainty == PTXLINT_EXACT;
    tally->exact += is_exact;
    tally->estimates += got->certainty == PTXLINT_ESTIMATE;
    tally->unknown += got->certainty == PTXLINT_NOT_KNOWN;
    for (unsigned i = 0; i < SURROUNDINGS; i++)
        if ((is_exact || is_pure) && !agrees(got, &want[i][index])) {
            tally->wrong++;
            show(tally, is_exact ? "not so" : "wrong", seed, access->line, got, &want[i][index]);
            return;
        }
    /* of the others some patterns are not */
    bool is_measured = access->is_global || (access->bytes <= 4 && !access->atomic);
    if (is_pure && !is_exact && is_measured && want[0][index].requests > 0) {
        tally->timid++;
        show(tally, "not exact", seed, access->line, got, &want[0][index]);
    }
}

static void check_kernel(Tally *tally, uint64_t seed)
{
    Text text = { 0 };
    uint64_t random = seed * 77;
    bool is_pure = seed % 4 != 3;
    OracleKernel *kernel = oracle_make(seed, is_pure, &text);
    unsigned given = is_pure ? ORACLE_PARAMS
                             : 1 + (unsigned)(oracle_random(&random) % ORACLE_PARAMS);
    Surroundings around[SURROUNDINGS];
    Figures figures[SURROUNDINGS][ORACLE_ACCESSES];
    for (unsigned i = 0; i < SURROUNDINGS; i++) {
        uint64_t number = oracle_random(&random);
        around[i] = (Surroundings){ .base = (oracle_random(&random) >> 17) & ~UINT64_C(255),
                                    .salt = oracle_random(&random),
                                    .params = { 0, number % 200, number >> (number % 29 + 32),
                                                oracle_random(&random) >> (number % 64) } };
        for (unsigned p = 0; p < given; p++)
            around[i].params[p] = around[0].params[p];
        oracle_run(kernel, &around[i], figures[i]);
    }
    ptxlint_launches *launches = launches_of(kernel, &around[0], given);
    ptxlint_module *module = report_of(seed, &text, launches);
    const OracleAccess *accesses;
    unsigned count = oracle_accesses(kernel, &accesses);
    for (unsigned i = 0; i < count; i++) {
        const ptxlint_access *got = access_at(module, accesses[i].line);
        assert_non_null(got);
        compare(tally, seed, is_pure, &accesses[i], got, figures, i);
    }
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    oracle_free(kernel);
    free(text.bytes);
}

static Tally check_kernels(uint64_t first, uint64_t count)
{
    Tally tally = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++)
        check_kernel(&tally, seed);
    print_message(
        "%u slices: %u exact, %u estimates, %u not known; %u wrong, %u that could be exact\n",
        tally.slices, tally.exact, tally.estimates, tally.unknown, tally.wrong, tally.timid);
    return tally;
}

static void test_random_kernels(void **state)
{
    (void)state;
    Tally tally = check_kernels(1, KERNELS);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.timid, 0);
    assert_true(tally.slices > 2000);
}

UNIT(evaluate)
{
    if (argc == 3 && !strcmp(argv[1], "--show")) {
        Text text = { 0 };
        uint64_t seed = strtoull(argv[2], NULL, 10);
        uint32_t grid[3], block[3];
        OracleKernel *kernel = oracle_make(seed, seed % 4 != 3, &text);
        oracle_shape(kernel, grid, block);
        kit_print(&text, "// --grid %u,%u,%u --block %u,%u,%u\n", grid[0], grid[1], grid[2],
                  block[0], block[1], block[2]);
        oracle_free(kernel);
        puts(text.bytes);
        free(text.bytes);
        return 0;
    }
    if (argc == 3) {
        Tally tally = check_kernels(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
        return tally.wrong || tally.timid;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_kernels) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
