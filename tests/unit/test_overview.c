/* test_overview.c -- modules that are made for the table of a report alone: it is the same to the
 * byte, and where it takes more, all figures are there. */
#include "kit.h"

#include <math.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(name) \
    ".visible .entry " name "(.param .u64 a) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n" \
    "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 128;\n" \
    "add.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
#define FUNCTION ".func idle() {\nret;\n}\n"

static const char two[] = HEAD KERNEL("first") FUNCTION KERNEL("second");

static ptxlint_module *made(const char *ptx, ptxlint_options options)
{
    ptxlint_module *module;
    options.overview_only = 1;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), &options, &module), PTXLINT_OK);
    return module;
}

static ptxlint_options usual(void)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    return options;
}

static Text document(const ptxlint_module *module, ptxlint_format format)
{
    Text out = { 0 };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = format;
    options.show_all = 1;
    assert_int_equal(ptxlint_write_report(&module, 1, &options, kit_write, &out), PTXLINT_OK);
    return out;
}

/* As text and as Markdown, with the same findings. */
static void expect_same(const char *ptx)
{
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_MARKDOWN };
    ptxlint_module *whole = kit_module(ptx), *brief = made(ptx, usual());
    char *all = kit_list(whole, false), *few = kit_list(brief, false);
    assert_string_equal(few, all);
    for (size_t i = 0; i < COUNT(formats); i++) {
        Text expected = document(whole, formats[i]), got = document(brief, formats[i]);
        assert_string_equal(got.bytes, expected.bytes);
        free(expected.bytes);
        free(got.bytes);
    }
    free(all);
    free(few);
    ptxlint_module_free(whole);
    ptxlint_module_free(brief);
}

static void test_same_table(void **state)
{
    (void)state;
    static const char *const folders[] = { "testdata/ptx", "tests/golden" };
    expect_same(two);
    expect_same(HEAD KERNEL("alone") FUNCTION);
    expect_same(HEAD FUNCTION);
    /* what is not read, and what has no instructions */
    expect_same(HEAD KERNEL("sound") ".visible .entry broken() {\nmov.u32 %r1;\nret;\n}\n"
                ".visible .entry empty() {\n}\n");
    expect_same(".version 8.0\n.target sm_30\n.address_size 64\n" KERNEL("a") KERNEL("b"));
    for (size_t f = 0; f < COUNT(folders); f++) {
        const Paths found = kit_walk(folders[f], ".ptx");
        for (size_t i = 0; i < found.count; i += 5) {
            size_t length;
            char *ptx = kit_read(found.paths[i], &length);
            if (length < 100000)
                expect_same(ptx);
            free(ptx);
        }
        kit_free_paths(found);
    }
}

static ptxlint_status estimate(const ptxlint_module *module)
{
    ptxlint_trial trial;
    ptxlint_estimated estimated = { .size = sizeof estimated };
    ptxlint_trial_init(&trial);
    trial.grid[0] = 4;
    trial.block[0] = 32;
    return ptxlint_estimate(module, "first", 0, &trial, &estimated);
}

static void test_what_is_left(void **state)
{
    (void)state;
    ptxlint_module *module = made(two, usual());
    const ptxlint_kernel *kernel = kit_kernel(module, "second");
    const ptxlint_projection *on = &kernel->projections[0];
    assert_int_equal(kernel->access_count, 0);
    assert_true(on->registers > 0);
    assert_int_equal(on->register_source, PTXLINT_REGISTERS_MODEL);
    assert_true(on->occupancy.percent > 0);
    assert_true(isnan(on->time.predicted_us));
    assert_non_null(strstr(on->executed.why, "the grid is not known"));
    assert_int_equal(estimate(module), PTXLINT_BAD_ARGUMENT);
    ptxlint_module_free(module);
}

static void expect_figures(const char *ptx, ptxlint_options options)
{
    ptxlint_module *module = made(ptx, options);
    assert_int_equal(kit_kernel(module, "first")->access_count, 3);
    assert_int_equal(estimate(module), PTXLINT_OK);
    ptxlint_module_free(module);
}

/* One kernel, figures of instructions, or a launch of any kernel. */
static void test_all_is_there(void **state)
{
    (void)state;
    static const char launch[] = "{\"kernels\": {\"second\": {\"grid\": [8], \"block\": [64]}}}";
    char error[256];
    ptxlint_options options = usual();
    expect_figures(HEAD KERNEL("first") FUNCTION, options);
    options.has_instructions = 1;
    expect_figures(two, options);
    options = usual();
    options.has_symbols = 1;
    expect_figures(two, options);
    options = usual();
    ptxlint_launches *launches;
    assert_int_equal(ptxlint_launches_new(launch, sizeof launch - 1, &launches, error,
                                          sizeof error), PTXLINT_OK);
    options.launches = launches;
    expect_figures(two, options);
    ptxlint_launches_free(launches);
}

UNIT(overview)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_table),
                                        cmocka_unit_test(test_what_is_left),
                                        cmocka_unit_test(test_all_is_there) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
