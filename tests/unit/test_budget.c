/* test_budget.c -- budgets: which entries apply to a kernel, what is beyond a limit, what is not
 * known, files that are no budget. */
#include "kit.h"

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(name)                                                                              \
    ".visible .entry " name "(.param .u64 p)\n.reqntid 64\n{\n.reg .b32 %r<9>; .reg .b64 "        \
                            "%rd<9>;\n.shared .align 4 .b8 s[128];\n"                             \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 128;\nadd.s64 %rd1, " \
    "%rd1, %rd2;\nmov.u32 %r2, s;\n"                                                              \
    "shl.b32 %r3, %r1, 1;\nadd.s32 %r2, %r2, %r3;\nst.shared.u16 [%r2], 1;\nst.global.u32 "       \
    "[%rd1], %r1;\nret;\n}\n"
#define MODULE HEAD KERNEL("gemm_128") KERNEL("gemm_256") KERNEL("saxpy")

static ptxlint_budget *budget_of(const char *yaml)
{
    char error[512] = "";
    ptxlint_budget *budget;
    if (ptxlint_budget_new("b.yaml", yaml, strlen(yaml), &budget, error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s", error);
    return budget;
}

static ptxlint_module *module_of(const char *text, const char *gpu_name,
                                 const ptxlint_budget *budget)
{
    ptxlint_module *module;
    ptxlint_options options;
    const ptxlint_gpu *gpu = gpu_name ? ptxlint_gpu_find(gpu_name) : NULL;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = gpu != NULL;
    options.budget = budget;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

/* "BUD101:e:`gemm_128` on ..." of each, a line each, to be freed. */
static char *told(const ptxlint_module *module)
{
    Text text = { 0 };
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    kit_put(&text, "", 0);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].group, "budget"))
            kit_print(&text, "%s:%c:%s\n", all[i].rule, " nwe"[all[i].severity], all[i].message);
    return text.bytes;
}

#define ENTRY(rest) "budgets:\n- { kernel: gemm_128, " rest " }\n"

static void test_limits(void **state)
{
    (void)state;
    static const struct { const char *yaml, *gpu, *want;
    } cases[] = {
        { ENTRY("instructions: 10"), NULL, "" },
        { ENTRY("instructions: 9"), NULL,
          "BUD101:e:`gemm_128` on sm_80: instructions 10, 1 over the budget of 9 (exact)\n" },
        { ENTRY("instructions: 9.5"), NULL,
          "BUD101:e:`gemm_128` on sm_80: instructions 10, 0.5 over the budget of 9.5 (exact)\n" },
        { "budgets:\n- { kernel: 'gemm*', shared_bytes: 127 }\n", NULL,
          "BUD101:e:`gemm_128` on sm_80: shared bytes 128, 1 over the budget of 127 (exact)\n"
          "BUD101:e:`gemm_256` on sm_80: shared bytes 128, 1 over the budget of 127 (exact)\n" },
        { ENTRY("shared_bytes: 128, local_bytes: 0, spill_bytes: 0"), NULL, "" },
        { ENTRY("sectors_per_request: 31"), NULL,
          "BUD101:w:`gemm_128` on sm_80: sectors per request 32, 1 over the budget of 31 "
          "(estimate)\n" },
        { ENTRY("bank_conflicts: 0"), NULL, "" },
        { ENTRY("registers: 1"), NULL, "BUD101:w:`gemm_128` on sm_80: registers " },
        { ENTRY("occupancy_percent: 101"), "h200",
          "BUD101:w:`gemm_128` on h200: occupancy percent " },
        { ENTRY("predicted_time_us: 1000"), "h200",
          "BUD102:w:`gemm_128` on h200: predicted time us not known, with a budget of 1000\n" },
        { ENTRY("gpu: h200, instructions: 1"), "a100", "" },
        { ENTRY("gpu: sm_90, instructions: 1"), "h200", "BUD101:e:" },
        { ENTRY("block: 64, instructions: 1"), NULL, "BUD101:e:" },
        { ENTRY("block: [64, 1], instructions: 1"), NULL, "BUD101:e:" },
        { ENTRY("block: 128, instructions: 1"), NULL, "" },
        { ENTRY("grid: 7, instructions: 1"), NULL, "" },
        { "budgets:\n- { kernel: gemm_128, instructions: 10 }\n- { kernel: gemm_128, instructions: "
          "9 }\n",
          NULL, "BUD101:e:" },
        { "budgets:\n- { kernel: nobody, instructions: 1 }\n", NULL, "" },
        { "budgets: []\n", NULL, "" },
        { ENTRY("findings: 1"), NULL, "" },
        { ENTRY("findings: 0"), NULL,
          "BUD101:e:`gemm_128` on sm_80: findings 1, 1 over the budget of 0 (exact)\n" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_budget *budget = budget_of(cases[i].yaml);
        ptxlint_module *module = module_of(MODULE, cases[i].gpu, budget);
        char *got = told(module);
        size_t length = strlen(cases[i].want);
        bool is_whole = !length || cases[i].want[length - 1] == '\n';
        if (is_whole ? strcmp(got, cases[i].want) != 0 : strncmp(got, cases[i].want, length) != 0)
            fail_msg("%s: got %s, want %s", cases[i].yaml, got, cases[i].want);
        free(got);
        ptxlint_module_free(module);
        ptxlint_budget_free(budget);
    }
}

/* Nothing is over the budget that was drafted from it, and all of it reads. */
static void test_draft(void **state)
{
    (void)state;
    static const char *const paths[] = { "tests/compare/base.ptx", "testdata/ptx/saxpy.sm_90.ptx",
                                         "testdata/ptx/legacy/ryoo_matmul_unrolled.ptx" };
    for (size_t i = 0; i < COUNT(paths); i++) {
        Text yaml = { 0 };
        char *text = kit_read(paths[i], NULL);
        ptxlint_module *module = module_of(text, "h200", NULL);
        kit_put(&yaml, "budgets:\n", 9);
        assert_int_equal(ptxlint_budget_draft(module, 0, kit_write, &yaml), PTXLINT_OK);
        ptxlint_module_free(module);
        ptxlint_budget *budget = budget_of(yaml.bytes);
        module = module_of(text, "h200", budget);
        char *got = told(module);
        assert_string_equal(got, "");
        unsigned char covers[64] = { 0 };
        ptxlint_budget_entry entry;
        ptxlint_budget_cover(budget, module, covers);
        for (size_t e = 0; ptxlint_budget_at(budget, e, &entry); e++)
            assert_int_equal(covers[e], PTXLINT_COVERED);
        assert_int_equal(covers[0], PTXLINT_COVERED);
        free(got);
        free(text);
        free(yaml.bytes);
        ptxlint_module_free(module);
        ptxlint_budget_free(budget);
    }
}

static void test_cover(void **state)
{
    (void)state;
    static const unsigned char want[] = { PTXLINT_COVERED, PTXLINT_NOT_COVERED, PTXLINT_OTHER_GPU,
                                          PTXLINT_OTHER_LAUNCH, PTXLINT_COVERED };
    unsigned char covers[COUNT(want)] = { 0 };
    ptxlint_budget *budget = budget_of(
        "budgets:\n- { kernel: saxpy }\n- { kernel: saxp }\n- { kernel: saxpy, gpu: h200 }\n- { "
        "kernel: saxpy, block: 32 }\n"
        "- { kernel: 's*y', gpu: sm_80, block: 64 }\n");
    ptxlint_module *module = module_of(MODULE, NULL, budget);
    ptxlint_budget_cover(budget, module, covers);
    assert_memory_equal(covers, want, sizeof want);
    ptxlint_module_free(module);
    ptxlint_budget_free(budget);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct { const char *yaml, *want; } cases[] = {
        { "", "b.yaml:1:1: error: a budget is `budgets:`" },
        { "[1, 2]", "a budget is `budgets:`" },
        { "budget: []", "a budget is `budgets:`" },
        { "budgets: 3", "b.yaml:1:10: error: `budgets` is a list" },
        { "budgets: [3]", "b.yaml:1:11: error: an entry is a mapping" },
        { "budgets: []\nmore: 1\n", "b.yaml:2:1: error: only `budgets` stands at the top" },
        { "budgets:\n- { registers: 3 }\n", "b.yaml:2:3: error: an entry needs `kernel`" },
        { "budgets:\n- { kernel: k, registers: x }\n", "b.yaml:2:27: error: registers must be a number" },
        { "budgets:\n- { kernel: k, registers: -1 }\n", "registers must be a number" },
        { "budgets:\n- { kernel: k, registers: 1.2.3 }\n", "registers must be a number" },
        { "budgets:\n- { kernel: k, registers: 99999999999999999999999 }\n", "registers must be a number from 0 to 1e18" },
        { "budgets:\n- { kernel: k, registers: [1] }\n", "registers must be a number" },
        { "budgets:\n- { kernel: k, registers: 1, registers: 2 }\n", "'registers' is given twice" },
        { "budgets:\n- { kernel: [k] }\n", "kernel must be a text" },
        { "budgets:\n- { kernel: '' }\n", "kernel must be a text" },
        { "budgets:\n- { kernel: k, block: [1, 2, 3, 4] }\n", "b.yaml:2:33: error: block has up to three whole numbers" },
        { "budgets:\n- { kernel: k, block: 0 }\n", "block has up to three" },
        { "budgets:\n- { kernel: k, grid: 1.5 }\n", "grid has up to three" },
        { "budgets:\n- { kernel: k, ocupancy_percent: 1 }\n", "did you mean 'occupancy_percent'?" },
        { "budgets:\n- { kernel: k, zzzzzzzz: 1 }\n", "unknown key 'zzzzzzzz'; it is kernel," },
        { "budgets: &a [*a]\n", "error: " },
        { "budgets: &a\n- &b { kernel: *a }\n", "error: " },
        { "budgets: [[[[[[[[[[[[[[[[[[[[[[[[[[[[]", "error: " },
        { "budgets:\n- { kernel: \"a\\0b\" }\n", "error: " },
        { "budgets: [\n", "error: " },
        { "\xff\xfe", "error: " },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char error[512] = "";
        ptxlint_budget *budget;
        ptxlint_status status = ptxlint_budget_new("b.yaml", cases[i].yaml, strlen(cases[i].yaml),
                                                   &budget, error, sizeof error);
        if (status != PTXLINT_BAD_FILE || budget || !strstr(error, cases[i].want))
            fail_msg("%s: %d, %s", cases[i].yaml, (int)status, error);
    }
    assert_int_equal(ptxlint_budget_new(NULL, "", 0, &(ptxlint_budget *){ NULL }, NULL, 0),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_budget_new("b", "", 0, NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
    ptxlint_budget_free(NULL);
}

UNIT(budget)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_draft),
        cmocka_unit_test(test_cover),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
