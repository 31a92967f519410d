/* test_findings.c -- one file and one set of options have one set of findings, whatever is computed
 * besides: every file of testdata and tests/golden with findings alone and with the figures of a
 * report, without a launch and with one, is compared in all that a finding says; and one rule asks
 * for every figure of a kernel. */
#include "kit.h"

#ifdef SANITIZED
enum { EVERY = 8 };             /* files: the others behave alike */
#else
enum { EVERY = 1 };
#endif

/* ---- what findings say ----------------------------------------------------------------------- */

static void put_place(Text *out, const ptxlint_source_place *place)
{
    kit_print(out, " %s:%u:%u", place->path ? place->path : "", place->line, place->column);
}

static void put_repair(Text *out, const ptxlint_diagnostic *diag)
{
    if (diag->fix)
        kit_print(out, " fix %u-%u %s %d", diag->fix->span.begin, diag->fix->span.end,
                  diag->fix->replacement, diag->fix->is_certain);
    for (size_t i = 0; i < diag->repair_count; i++)
        kit_print(out, " insert %u %s", diag->repair[i].line, diag->repair[i].text);
}

static void put_finding(Text *out, const ptxlint_diagnostic *diag)
{
    kit_print(out, "%u-%u %s %d %d %s: %s; label %s; help %s;", diag->span.begin, diag->span.end,
              diag->rule, diag->severity, diag->certainty, diag->kernel ? diag->kernel : "",
              diag->message, diag->label ? diag->label : "", diag->help ? diag->help : "");
    kit_print(out, " repeats %u, gain %.17g of %s, suppressed %d %s", diag->repeat_count,
              diag->gain_percent, diag->gain_of ? diag->gain_of : "", diag->suppression,
              diag->suppression_reason ? diag->suppression_reason : "");
    for (size_t i = 0; i < diag->related_count; i++)
        kit_print(out, " also %u-%u %s", diag->related[i].span.begin, diag->related[i].span.end,
                  diag->related[i].message);
    put_repair(out, diag);
    put_place(out,
              &(ptxlint_source_place){ diag->source_path, diag->source_line, diag->source_column });
    for (size_t i = 0; i < diag->inlined_count; i++)
        put_place(out, &diag->inlined_into[i]);
    kit_put(out, "\n", 1);
}

static Text findings_of(const char *path, ptxlint_options options, int findings_only)
{
    size_t length, count;
    char *text = kit_read(path, &length);
    ptxlint_module *module;
    Text out = { 0 };
    options.path = path;
    options.findings_only = findings_only;
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    kit_put(&out, "", 0);
    for (size_t d = 0; d < count; d++)
        put_finding(&out, &diags[d]);
    ptxlint_module_free(module);
    free(text);
    return out;
}

/* ---- a rule that asks for everything --------------------------------------------------------- */

static const char *const figures[] = {
    "weighted_instructions",
    "races",
    "redundant_barriers",
    "block_threads",
    "most_threads",
    "grid_blocks",
    "live_registers",
    "register_cap",
    "registers",
    "occupancy",
    "blocks_per_sm",
    "limiter",
    "registers_to_free",
    "shared_to_free",
    "fits",
    "launch_error",
    "static_shared",
    "local_bytes",
    "spill_bytes",
    "waves",
    "tail_blocks",
    "utilisation",
    "registers_low",
    "busiest_block",
    "busiest_instructions",
    "spills_likely",
    "registers_allowed",
    "unbounded_registers",
    "best_occupancy",
    "best_block",
    "active_lanes",
    "predicted_us",
    "time_limiter",
    "busy",
    "time_pipe",
    "time_gain",
    "compute_use",
    "memory_use",
    "issue_use",
    "bytes_in_flight",
    "bytes_needed",
};

static ptxlint_rules *make_rules(void)
{
    ptxlint_rules *rules;
    char error[256] = "";
    Text yaml = { 0 };
    kit_print(&yaml, "group: own\nrules:\n  - code: OWN101\n    name: all-figures\n    severity: "
                     "note\n    on: kernel\n    when: kernel.instructions > 0\n    message: \"");
    for (size_t i = 0; i < COUNT(figures); i++)
        kit_print(&yaml, "%.3s {kernel.%s} ", figures[i], figures[i]);
    kit_print(&yaml, "\"\n    summary: All figures.\n    doc: Text.\n");
    assert_int_equal(ptxlint_rules_new(&rules), PTXLINT_OK);
    if (ptxlint_rules_add(rules, "own.yaml", yaml.bytes, yaml.length, error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s", error);
    free(yaml.bytes);
    return rules;
}

static ptxlint_config *make_config(const ptxlint_rules *rules)
{
    ptxlint_config *config;
    char error[256] = "";
    assert_int_equal(ptxlint_config_new(rules, &config), PTXLINT_OK);
    assert_int_equal(ptxlint_config_set(config, "preview", "true", error, sizeof error),
                     PTXLINT_OK);
    return config;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static const struct { const char *grid, *block, *gpu; size_t every; } launches[] = {
    { NULL, NULL, NULL, 1 },
    { NULL, "256", "h200", 4 },
    { "2", "64", NULL, 1 },
    { "16,4", "32,4", "rtx5090", 16 },
};

static ptxlint_launches *make_launches(size_t l)
{
    ptxlint_launches *made;
    char error[256] = "";
    assert_int_equal(ptxlint_launches_new(NULL, 0, &made, NULL, 0), PTXLINT_OK);
    if (launches[l].grid)
        assert_int_equal(ptxlint_launches_set(made, "grid", launches[l].grid, error, sizeof error),
                         PTXLINT_OK);
    if (launches[l].block)
        assert_int_equal(
            ptxlint_launches_set(made, "block", launches[l].block, error, sizeof error),
            PTXLINT_OK);
    return made;
}

static size_t compare(const char *folder, const ptxlint_options *options, size_t every)
{
    Paths files = kit_walk(folder, ".ptx");
    size_t found = 0;
    for (size_t i = 0; i < files.count; i += every) {
        Text alone = findings_of(files.paths[i], *options, 1),
             beside = findings_of(files.paths[i], *options, 0);
        if (strcmp(alone.bytes, beside.bytes) != 0)
            fail_msg("%s has other findings with a report:\n%s---\n%s", files.paths[i], alone.bytes,
                     beside.bytes);
        found += alone.length > 0;
        free(alone.bytes);
        free(beside.bytes);
    }
    kit_free_paths(files);
    return found;
}

static void test_same(void **state)
{
    (void)state;
    ptxlint_rules *rules = make_rules();
    ptxlint_config *config = make_config(rules);
    for (size_t l = 0; l < COUNT(launches); l++) {
        const ptxlint_gpu *gpu = launches[l].gpu ? ptxlint_gpu_find(launches[l].gpu) : NULL;
        ptxlint_launches *given = make_launches(l);
        ptxlint_options options;
        ptxlint_options_init(&options);
        options.config = config;
        options.launches = given;
        options.gpus = &gpu;
        options.gpu_count = gpu != NULL;
        size_t every = launches[l].every * EVERY;
        assert_true(compare("testdata/ptx", &options, every) * every >= 60);
        assert_true(compare("tests/golden", &options, every) * every >= 100);
        ptxlint_launches_free(given);
    }
    ptxlint_config_free(config);
    ptxlint_rules_free(rules);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

enum { PAIR = 2 };

/* What distinguishes findings, sorted, each once. The message is without the GPU that it names;
 * NULL: it names the other. */
static const char *message_on(const ptxlint_diagnostic *diag, const char *own, const char *other)
{
    char named[64];
    if (snprintf(named, sizeof named, "on %s: ", other)
        && !strncmp(diag->message, named, strlen(named)))
        return NULL;
    snprintf(named, sizeof named, "on %s: ", own);
    return diag->message + (strncmp(diag->message, named, strlen(named)) ? 0 : strlen(named));
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static Text sorted_lines(char **lines, size_t count)
{
    Text out = { 0 };
    kit_put(&out, "", 0);
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(lines[i], lines[i - 1]) != 0)
            kit_print(&out, "%s\n", lines[i]);
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    return out;
}

static Text keys_on(const char *path, const ptxlint_options *options, const char *own,
                    const char *other)
{
    size_t length, count, kept = 0;
    char *text = kit_read(path, &length);
    ptxlint_module *module;
    assert_int_equal(ptxlint_module_new(text, length, options, &module), PTXLINT_OK);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    char **lines = calloc(count + 1, sizeof *lines);
    assert_non_null(lines);
    for (size_t d = 0; d < count; d++) {
        const char *message = message_on(&diags[d], own, other);
        Text line = { 0 };
        if (!message)
            continue;
        kit_print(&line, "%u-%u %s %d %s; help %s; repeats %u", diags[d].span.begin,
                  diags[d].span.end, diags[d].rule, diags[d].severity, message,
                  diags[d].help ? diags[d].help : "", diags[d].repeat_count);
        lines[kept++] = line.bytes;
    }
    Text out = sorted_lines(lines, kept);
    free(lines);
    ptxlint_module_free(module);
    free(text);
    return out;
}

/* Of a pair of GPUs each has the findings that it has alone. */
static size_t compare_pair(const char *folder, ptxlint_options options,
                           const char *const names[PAIR], size_t every)
{
    const ptxlint_gpu *gpus[PAIR] = { ptxlint_gpu_find(names[0]), ptxlint_gpu_find(names[1]) };
    Paths files = kit_walk(folder, ".ptx");
    size_t found = 0;
    for (size_t i = 0; i < files.count; i += every) {
        for (size_t g = 0; g < PAIR; g++) {
            options.gpus = gpus;
            options.gpu_count = PAIR;
            Text both = keys_on(files.paths[i], &options, names[g], names[1 - g]);
            options.gpus = &gpus[g];
            options.gpu_count = 1;
            Text alone = keys_on(files.paths[i], &options, names[g], names[1 - g]);
            if (strcmp(alone.bytes, both.bytes) != 0)
                fail_msg("%s has other findings for %s beside %s:\n%s---\n%s", files.paths[i],
                         names[g], names[1 - g], alone.bytes, both.bytes);
            found += both.length > 0;
            free(both.bytes);
            free(alone.bytes);
        }
    }
    kit_free_paths(files);
    return found;
}

static void test_pairs(void **state)
{
    /* alike to memory; not */
    static const char *const pairs[][PAIR] = { { "h200", "h100" }, { "h100", "rtx5090" } };
    (void)state;
    ptxlint_rules *rules = make_rules();
    ptxlint_config *config = make_config(rules);
    ptxlint_launches *given = make_launches(COUNT(launches) - 1);
    for (size_t p = 0; p < COUNT(pairs); p++) {
        ptxlint_options options;
        ptxlint_options_init(&options);
        options.config = config;
        options.launches = given;
        options.findings_only = p == 0;
        assert_true(compare_pair("testdata/ptx", options, pairs[p], 11 * EVERY) > 0);
        assert_true(compare_pair("tests/golden", options, pairs[p], 11 * EVERY) > 0);
    }
    ptxlint_launches_free(given);
    ptxlint_config_free(config);
    ptxlint_rules_free(rules);
}

UNIT(findings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
