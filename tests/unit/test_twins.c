/* Two bodies of one name in a file, and modules one behind the other: each body is analysed as if
 * it stood alone. */
#include "kit.h"

#include <math.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define BEGIN \
    "\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
#define END "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n"
#define DENSE(name) \
    ".visible .entry " name "(.param .u64 p)" BEGIN "mul.wide.u32 %rd2, %r1, 4;\n" END
#define APART(name) \
    ".visible .entry " name "(.param .u64 p)" BEGIN "mul.wide.u32 %rd2, %r1, 128;\n" END

static ptxlint_module *launched(const char *text)
{
    ptxlint_options options;
    ptxlint_launches *launches;
    ptxlint_module *module;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options_init(&options);
    options.path = "a.ptx";
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "grid", "64", NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "block", "64", NULL, 0), PTXLINT_OK);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

static double sectors_of(const ptxlint_module *module, size_t kernel)
{
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_true(kernel < count);
    ptxlint_trial_init(&trial);
    assert_int_equal(ptxlint_estimate(module, kernels[kernel].name, 0, &trial, &out), PTXLINT_OK);
    return out.sectors_per_request;
}

/* The launch is given for the name, and holds for both. */
static void test_entries(void **state)
{
    size_t count;
    (void)state;
    ptxlint_module *module = launched(HEAD DENSE("k") APART("k"));
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    char *list = kit_list(module, true);
    assert_int_equal(count, 2);
    assert_string_equal(list, "SYN503:14");
    for (size_t k = 0; k < 2; k++)
        assert_true(kernels[k].launch.blocks == 64 && kernels[k].launch.block[0] == 64);
    assert_true(sectors_of(module, 0) == 4 && sectors_of(module, 1) == 32);
    assert_true(ptxlint_module_body(module, &kernels[0])
                != ptxlint_module_body(module, &kernels[1]));
    free(list);
    ptxlint_module_free(module);
}

static ptxlint_report *report_of(const char *text)
{
    ptxlint_report *report;
    ptxlint_module *module = launched(text);
    assert_int_equal(ptxlint_report_new(&report), PTXLINT_OK);
    assert_int_equal(ptxlint_report_add(report, module), PTXLINT_OK);
    ptxlint_module_free(module);
    return report;
}

/* The two change places, or the first goes: each is compared with itself. */
static void test_diff(void **state)
{
    static const struct { const char *old_text, *new_text; size_t removed; } rows[] = {
        { HEAD DENSE("k") APART("k"), HEAD APART("k") DENSE("k"), 0 },
        { HEAD DENSE("k") APART("k"), HEAD APART("k"), 1 },
        { HEAD DENSE("k") HEAD APART("k"), HEAD APART("k") HEAD DENSE("k"), 0 },
    };
    /* that the name is there twice is said of the second */
    static const char *const tolerance = "findings=1";
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char error[256] = "";
        ptxlint_diff *diff;
        ptxlint_report *before = report_of(rows[i].old_text), *after = report_of(rows[i].new_text);
        assert_int_equal(ptxlint_diff_new(before, after, &tolerance, 1, &diff, error, sizeof error),
                         PTXLINT_OK);
        const ptxlint_diff_info *info = ptxlint_diff_get_info(diff);
        if (info->removed_count != rows[i].removed || info->regressed_count)
            fail_msg("row %zu: %zu removed, %zu regressed", i, info->removed_count,
                     info->regressed_count);
        ptxlint_diff_free(diff);
        ptxlint_report_free(before);
        ptxlint_report_free(after);
    }
}

/* A second module has variables, functions and files of its own, and says nothing about the first's
 * target. */
static void test_modules(void **state)
{
    static const char first[] = HEAD
        ".file 1 \"one.cu\"\n.shared .align 4 .b8 s[4096];\n.func f() { ret; }\n" DENSE("k");
    static const char second[] = ".version 8.0\n.target sm_80, debug\n.address_size 32\n.file 1 "
                                 "\"two.cu\"\n.shared .align 4 .b8 s[16];\n"
                                 ".func f();\n.visible .entry k()\n{\n.loc 1 7 1\nst.shared.u32 "
                                 "[s+16], 0;\ncall f;\nret;\n}\n.func f() { trap; }\n";
    Text text = { 0 };
    size_t count;
    (void)state;
    kit_print(&text, "%s%s", first, second);
    ptxlint_module *module = launched(text.bytes);
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    const ptxlint_diagnostic *bounds = NULL;
    char *errors = kit_list(module, true), *described = kit_describe(module);
    for (size_t i = 0; i < count; i++)
        if (strstr(all[i].message, "`s`, which has 16 bytes"))
            bounds = &all[i];
    if (!bounds || !strstr(errors, "SYN306:17"))
        fail_msg("%s", described);
    assert_string_equal(bounds->source_path, "two.cu");
    assert_int_equal(ptxlint_module_get_info(module)->address_size, 64);
    assert_string_equal(ptxlint_module_get_info(module)->target, "sm_90");
    assert_int_equal(kit_line(module, bounds->span.begin), 26);
    free(errors);
    free(described);
    free(text.bytes);
    ptxlint_module_free(module);
}

/* Lines apart, what is found of a module does not depend on what stands before it. */
static void test_alone(void **state)
{
    static const char *const paths[] = { "testdata/ptx/saxpy.sm_90.ptx",
                                         "testdata/ptx/reduction.sm_90.ptx",
                                         "testdata/ptx/loops.sm_90.ptx" };
    (void)state;
    for (size_t p = 0; p < COUNT(paths); p++) {
        size_t length, one, two;
        char *text = kit_read(paths[p], &length);
        Text both = { 0 };
        kit_put(&both, text, length);
        kit_put(&both, text, length);
        ptxlint_module *alone = launched(text), *twice = launched(both.bytes);
        const ptxlint_kernel *k = ptxlint_module_kernels(alone, &one),
                             *j = ptxlint_module_kernels(twice, &two);
        size_t findings, of_both;
        ptxlint_module_diagnostics(alone, &findings);
        ptxlint_module_diagnostics(twice, &of_both);
        assert_int_equal(two, 2 * one);
        assert_int_equal(of_both, 2 * findings + 1);
        for (size_t i = 0; i < two; i++) {
            const ptxlint_kernel *own = &k[i % one];
            double before = own->projections[0].time.predicted_us,
                   now = j[i].projections[0].time.predicted_us;
            assert_string_equal(j[i].name, own->name);
            assert_true(ptxlint_module_body(twice, &j[i]) == ptxlint_module_body(alone, own));
            assert_int_equal(j[i].projections[0].registers, own->projections[0].registers);
            assert_true(now == before || (isnan(now) && isnan(before)));
        }
        ptxlint_module_free(alone);
        ptxlint_module_free(twice);
        free(both.bytes);
        free(text);
    }
}

UNIT(twins)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
