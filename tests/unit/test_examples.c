/* test_examples.c -- every rule's examples: it fires on the bad PTX, and not on the good; and the
 * front end of none of them but those about itself. */
#include "kit.h"

static const char header[] = ".version 9.0\n.target sm_90\n.address_size 64\n";

static char *whole(const char *ptx)
{
    Text text = { 0 };
    bool has_header = strstr(ptx, ".version") || strstr(ptx, "not PTX");
    kit_print(&text, "%s%s", has_header ? "" : header, ptx);
    return text.bytes;
}

/* What no PTX alone can show: ptxas's word. */
static const struct { const char *code, *log;
} logs[] = {
    { "OCC106", "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : "
                "Function properties for k\n"
                "    64 bytes stack frame, 60 bytes spill stores, 60 bytes spill loads\nptxas info "
                "   : Used 24 registers, used 0 barriers\n" },
};

static ptxlint_ptxas *find_log(const ptxlint_rule *rule)
{
    ptxlint_ptxas *ptxas = NULL;
    for (size_t i = 0; i < COUNT(logs); i++) {
        if (strcmp(logs[i].code, rule->code))
            continue;
        assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
        assert_int_equal(ptxlint_ptxas_add(ptxas, logs[i].log, strlen(logs[i].log), NULL),
                         PTXLINT_OK);
    }
    return ptxas;
}

/* Findings of the rule, and how the others read. */
static size_t count_findings(const ptxlint_rule *rule, const ptxlint_example *example,
                             const char *ptx, const ptxlint_ptxas *log, Text *trouble)
{
    bool is_front_end = rule->is_front_end;
    ptxlint_options options;
    ptxlint_launches *launches = NULL;
    ptxlint_config *config = NULL;
    ptxlint_module *module;
    char error[256] = "", *text = is_front_end ? strdup(ptx) : whole(ptx);
    const ptxlint_gpu *gpu = example->gpu ? ptxlint_gpu_find(example->gpu) : NULL;
    ptxlint_options_init(&options);
    if (example->launch
        && ptxlint_launches_new(example->launch, strlen(example->launch), &launches, error,
                                sizeof error)
               != PTXLINT_OK)
        kit_print(trouble, "%s: launch: %s\n", rule->code, error);
    assert_int_equal(ptxlint_config_new(NULL, &config), PTXLINT_OK);
    if (!rule->is_front_end)
        assert_int_equal(ptxlint_config_set(config, "select", rule->code, error, sizeof error),
                         PTXLINT_OK);
    options.launches = launches;
    options.config = config;
    options.gpus = &gpu;
    options.gpu_count = gpu != NULL;
    options.ptxas = ptx == example->bad ? log : NULL;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    size_t count, mine = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        mine += !strcmp(diags[d].rule, rule->code);
        if (strcmp(diags[d].rule, rule->code) && diags[d].severity == PTXLINT_ERROR)
            kit_print(trouble, "%s: an example has %s at line %u: %s\n", rule->code, diags[d].rule,
                      (unsigned)kit_line(module, diags[d].span.begin), diags[d].message);
    }
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    ptxlint_config_free(config);
    free(text);
    return mine;
}

static void test_examples(void **state)
{
    (void)state;
    Text trouble = { 0 };
    const ptxlint_rule *rule;
    size_t bad_count = 0, good_count = 0;
    for (size_t r = 0; (rule = ptxlint_rule_at(NULL, r)); r++) {
        size_t bad = 0, good = 0;
        ptxlint_ptxas *log = find_log(rule);
        for (size_t i = 0; i < rule->example_count; i++) {
            const ptxlint_example *example = &rule->examples[i];
            bad += example->bad != NULL;
            good += example->good != NULL;
            if (example->bad && !count_findings(rule, example, example->bad, log, &trouble))
                kit_print(&trouble, "%s: says nothing of its bad example %zu\n", rule->code, i);
            if (example->good && count_findings(rule, example, example->good, NULL, &trouble))
                kit_print(&trouble, "%s: speaks of its good example %zu\n", rule->code, i);
        }
        if (!rule->is_front_end && (!bad || !good))
            kit_print(&trouble, "%s: no %s example\n", rule->code, bad ? "good" : "bad");
        ptxlint_ptxas_free(log);
        bad_count += bad;
        good_count += good;
    }
    print_message("%zu bad and %zu good examples\n", bad_count, good_count);
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("examples");
    }
}

UNIT(examples)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
