/* test_lifetimes.c -- handles of the public interface: what may be freed before what, and that
 * AddressSanitizer sees a handle which is freed twice, or used once it is freed. */
#include "kit.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PTX                                                                                        \
    ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; mov.u64 %rd1, "  \
    "0;\nst.global.u32 [%rd1], %r2;\nret; }\n"

#ifdef SANITIZED
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* ---- orders that are allowed ----------------------------------------------------------------- */

static const char rule_yaml[] =
    "group: mine\nrules:\n- code: USR001\n  name: of-our-own\n  severity: warning\n"
    "  on: kernel\n  when: true\n  message: of our own\n  summary: Of ours.\n  doc: Because.\n";
static const char budget_yaml[] = "budgets:\n- { kernel: k, instructions: 10 }\n";

static void write_all(const ptxlint_module *module, Text *out)
{
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    for (options.format = PTXLINT_TEXT; options.format <= PTXLINT_SARIF; options.format++)
        ptxlint_write_diagnostics(&module, 1, &options, kit_write, out);
    options.format = PTXLINT_JSON;
    ptxlint_write_report(&module, 1, &options, kit_write, out);
}

/* What options name, but for what must outlive the module, is freed once the module is made. Rules
 * must: findings name them. */
static void test_options_go_first(void **state)
{
    (void)state;
    Text out = { 0 };
    char error[256];
    ptxlint_rules *rules;
    ptxlint_config *config;
    ptxlint_budget *budget;
    ptxlint_sources *sources;
    ptxlint_history *history;
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    assert_int_equal(ptxlint_rules_new(&rules), PTXLINT_OK);
    if (ptxlint_rules_add(rules, "r.yaml", rule_yaml, strlen(rule_yaml), error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(ptxlint_config_new(rules, &config), PTXLINT_OK);
    if (ptxlint_budget_new("b", budget_yaml, strlen(budget_yaml), &budget, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(ptxlint_sources_new(".", &sources), PTXLINT_OK);
    assert_int_equal(ptxlint_history_new(&history), PTXLINT_OK);
    options.config = config;
    options.budget = budget;
    options.sources = sources;
    options.history = history;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_OK);
    ptxlint_history_free(history);
    ptxlint_sources_free(sources);
    ptxlint_budget_free(budget);
    ptxlint_config_free(config);
    write_all(module, &out);
    assert_non_null(strstr(out.bytes, "of our own"));
    free(out.bytes);
    ptxlint_module_free(module);
    ptxlint_rules_free(rules);
}

/* A module goes before the report or the document that it was added to. */
static void test_modules_go_first(void **state)
{
    (void)state;
    Text out = { 0 };
    ptxlint_report *sides[2];
    ptxlint_diff *diff;
    ptxlint_writer *writer;
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_SARIF;
    assert_int_equal(ptxlint_writer_new(PTXLINT_DIAGNOSTICS, &options, kit_write, &out, &writer),
                     PTXLINT_OK);
    for (int i = 0; i < 2; i++) {
        ptxlint_module *module = kit_module(PTX);
        assert_int_equal(ptxlint_report_new(&sides[i]), PTXLINT_OK);
        assert_int_equal(ptxlint_report_add(sides[i], module), PTXLINT_OK);
        assert_int_equal(ptxlint_writer_add(writer, module), PTXLINT_OK);
        ptxlint_module_free(module);
    }
    assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_OK);
    ptxlint_writer_free(writer);
    assert_int_equal(ptxlint_diff_new(sides[0], sides[1], NULL, 0, &diff, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_diff_get_info(diff)->regressed_count, 0);
    ptxlint_diff_free(diff);
    ptxlint_report_free(sides[0]);
    ptxlint_report_free(sides[1]);
    free(out.bytes);
}

/* ---- orders that are not --------------------------------------------------------------------- */

/* Each is run in a process of its own. */
#define TWICE(name, make)                                                                          \
    static void name##_twice(void)                                                                 \
    {                                                                                              \
        ptxlint_##name *handle = NULL;                                                             \
        if (make)                                                                                  \
            _exit(0);                                                                              \
        ptxlint_##name##_free(handle);                                                             \
        ptxlint_##name##_free(handle);                                                             \
    }
#define OF_KERNEL(name)                                                                            \
    TWICE(name, ptxlint_##name##_new(a_module(), kit_kernel(a_module(), NULL), &handle))

/* One for all, which the process does not free. */
static const ptxlint_module *a_module(void)
{
    static ptxlint_module *module;
    if (!module)
        module = kit_module(PTX);
    return module;
}

static ptxlint_status calibrate(ptxlint_calibration **out)
{
    static const char rows[] = "kernel,grid,block,us\nk,64,256,1.5\n";
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_find("h200") };
    ptxlint_module *module = NULL;
    ptxlint_options making;
    ptxlint_options_init(&making);
    making.gpus = gpus;
    making.gpu_count = 1;
    making.estimates_only = 1;
    ptxlint_measurements *measured = NULL;
    ptxlint_calibrate_options options;
    ptxlint_calibrate_options_init(&options);
    options.gpu = gpus[0];
    if (ptxlint_module_new(PTX, strlen(PTX), &making, &module)
        || ptxlint_measurements_new(rows, strlen(rows), NULL, &measured, NULL, 0))
        return PTXLINT_BAD_FILE;
    return ptxlint_calibrate((const ptxlint_module *const *)&module, 1, measured, &options, out);
}

static ptxlint_status fix(ptxlint_fixes **out)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    return ptxlint_fixes_new(a_module(), &options, NULL, out);
}

static ptxlint_status differ(ptxlint_diff **out)
{
    ptxlint_report *sides[2];
    for (int i = 0; i < 2; i++)
        if (ptxlint_report_new(&sides[i]) || ptxlint_report_add(sides[i], a_module()))
            return PTXLINT_NO_MEMORY;
    return ptxlint_diff_new(sides[0], sides[1], NULL, 0, out, NULL, 0);
}

static ptxlint_status begin_writer(ptxlint_writer **out)
{
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    return ptxlint_writer_new(PTXLINT_DIAGNOSTICS, &options, kit_write, &(Text){ 0 }, out);
}

static const char gpu_yaml[] = "base: h200\n";
static const char input_path[] = PTXLINT_SOURCE_ROOT "/testdata/ptx/saxpy.sm_90.ptx";

TWICE(gpu, ptxlint_gpu_new("mine", gpu_yaml, strlen(gpu_yaml), &handle, NULL, 0))
TWICE(isa, ptxlint_isa_new("ld", 2, &handle, NULL, 0))
TWICE(launches, ptxlint_launches_new(NULL, 0, &handle, NULL, 0))
TWICE(coverage, ptxlint_coverage_new(NULL, &handle))
TWICE(ptxas, ptxlint_ptxas_new(&handle))
TWICE(rules, ptxlint_rules_new(&handle))
TWICE(config, ptxlint_config_new(NULL, &handle))
TWICE(baseline, ptxlint_baseline_new(&handle))
TWICE(budget, ptxlint_budget_new("b", budget_yaml, strlen(budget_yaml), &handle, NULL, 0))
TWICE(history, ptxlint_history_new(&handle))
TWICE(sources, ptxlint_sources_new(".", &handle))
TWICE(profile, ptxlint_profile_new(&handle))
TWICE(module, ptxlint_module_new(PTX, strlen(PTX), NULL, &handle))
TWICE(input, ptxlint_input_open(input_path, NULL, &handle, NULL, 0))
TWICE(tokens, ptxlint_tokens_new(PTX, strlen(PTX), &handle))
TWICE(fixes, fix(&handle))
OF_KERNEL(graph)
OF_KERNEL(recognition)
OF_KERNEL(requests)
TWICE(measurements, ptxlint_measurements_new("kernel,us\nk,1\n", 14, NULL, &handle, NULL, 0))
TWICE(calibration, calibrate(&handle))
TWICE(writer, begin_writer(&handle))
TWICE(report, ptxlint_report_new(&handle))
TWICE(diff, differ(&handle))

/* A use is a read of what the handle holds. */
#define AFTER(name, make, use)                                                                     \
    static void name##_after(void)                                                                 \
    {                                                                                              \
        ptxlint_##name *handle = NULL;                                                             \
        if (make)                                                                                  \
            _exit(0);                                                                              \
        ptxlint_##name##_free(handle);                                                             \
        const volatile size_t seen = (size_t)(use);                                                \
        (void)seen;                                                                                \
    }

static size_t measured_at(const ptxlint_measurements *measured)
{
    ptxlint_measurement row = { .size = sizeof row };
    return (size_t)ptxlint_measurement_at(measured, 0, &row);
}

static size_t kernels_of(const ptxlint_module *module)
{
    size_t count;
    ptxlint_module_kernels(module, &count);
    return count;
}

static size_t requests_of(const ptxlint_requests *requests)
{
    size_t count;
    ptxlint_requests_all(requests, &count);
    return count;
}

static size_t tokens_of(const ptxlint_tokens *tokens)
{
    size_t count;
    ptxlint_tokens_all(tokens, &count);
    return count;
}

static ptxlint_status module_with(ptxlint_gpu *gpu)
{
    const ptxlint_gpu *gpus[] = { gpu };
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.gpus = gpus;
    options.gpu_count = 1;
    return ptxlint_module_new(PTX, strlen(PTX), &options, &module);
}

AFTER(module, ptxlint_module_new(PTX, strlen(PTX), NULL, &handle), kernels_of(handle))
AFTER(gpu, ptxlint_gpu_new("mine", gpu_yaml, strlen(gpu_yaml), &handle, NULL, 0),
      module_with(handle))
AFTER(tokens, ptxlint_tokens_new(PTX, strlen(PTX), &handle), tokens_of(handle))
AFTER(requests, ptxlint_requests_new(a_module(), kit_kernel(a_module(), NULL), &handle),
      requests_of(handle))
AFTER(measurements, ptxlint_measurements_new("kernel,us\nk,1\n", 14, NULL, &handle, NULL, 0),
      measured_at(handle))
AFTER(report, ptxlint_report_new(&handle), ptxlint_report_add(handle, a_module()))
AFTER(writer, begin_writer(&handle), ptxlint_writer_add(handle, a_module()))
AFTER(rules, ptxlint_rules_new(&handle),
      ptxlint_rules_add(handle, "r", rule_yaml, strlen(rule_yaml), NULL, 0))

typedef struct Misuse {
    const char *name;
    void (*run)(void);
} Misuse;

static bool ends_well(void (*misuse)(void))
{
    int status = 0;
    pid_t child = fork();
    if (!child) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        misuse();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void expect_caught(const Misuse *misuses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ends_well(misuses[i].run))
            fail_msg("%s goes on", misuses[i].name);
}

#define ROW(function)                                                                              \
    {                                                                                              \
#function, function                                                                        \
    }

static void test_freed_twice(void **state)
{
    (void)state;
    if (!IS_SANITIZED)
        skip();
    static const Misuse misuses[] = {
        ROW(gpu_twice),      ROW(isa_twice),          ROW(launches_twice),
        ROW(coverage_twice), ROW(ptxas_twice),        ROW(rules_twice),
        ROW(config_twice),   ROW(baseline_twice),     ROW(budget_twice),
        ROW(history_twice),  ROW(sources_twice),      ROW(profile_twice),
        ROW(module_twice),   ROW(input_twice),        ROW(tokens_twice),
        ROW(fixes_twice),    ROW(graph_twice),        ROW(recognition_twice),
        ROW(requests_twice), ROW(measurements_twice), ROW(calibration_twice),
        ROW(writer_twice),   ROW(report_twice),       ROW(diff_twice),
    };
    expect_caught(misuses, COUNT(misuses));
}

static void test_used_after(void **state)
{
    (void)state;
    if (!IS_SANITIZED)
        skip();
    static const Misuse misuses[] = {
        ROW(module_after),       ROW(gpu_after),    ROW(tokens_after), ROW(requests_after),
        ROW(measurements_after), ROW(report_after), ROW(writer_after), ROW(rules_after),
    };
    expect_caught(misuses, COUNT(misuses));
}

UNIT(lifetimes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_go_first),
        cmocka_unit_test(test_modules_go_first),
        cmocka_unit_test(test_freed_twice),
        cmocka_unit_test(test_used_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
