/* test_corpus.c -- what ptxas takes, we take; real modules are read whole, and alike for any number
 * of threads. */
#include "kit.h"

static void check_folder(const char *folder, size_t least)
{
    Paths files = kit_walk(folder, ".ptx");
    Text trouble = { 0 };
    assert_true(files.count >= least);
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open(files.paths[i]);
        char *errors = kit_list(module, true);
        if (*errors)
            kit_print(&trouble, "%s: %.400s\n", files.paths[i], errors);
        free(errors);
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("errors in %s", folder);
    }
}

static void test_accept(void **state)
{
    (void)state;
    check_folder("tests/data/isa/accept", 600);
}

static void test_lenient(void **state)
{
    (void)state;
    check_folder("tests/data/isa/lenient", 15);
}

static void test_real(void **state)
{
    (void)state;
    check_folder("testdata/ptx", 130);
}

/* ---- no crying wolf -------------------------------------------------------------------------- */

/* The real kernels that are written to be wrong or slow, and files that should not ship: all
 * else has no warning. kernel NULL: of the file. */
static const struct { const char *file, *kernel, *rule; } meant[] = {
    { "cp_async.", "copy_no_wait", "COR122" },
    { "fp64_pitfalls.", "double_literals", "THR101" },
    { "fp64_pitfalls.", "double_functions", "THR101" },
    { "local_spill.", "capped", "OCC105" },
    { ".debug.ptx", NULL, "POR105" },
    { "scan.", "scan_blelloch", "MEM203" },
    { "cp_async.", "copy_no_wait", "COR124" },
    { "reduction.", "reduce_missing_sync", "COR124" },
    { "loops.", "geometric", "COR124" },        /* tile[t] *= tile[t ^ s] */
    { "legacy/opencl_sm20", NULL, "POR103" },
    { "legacy/stencil_sm20", NULL, "POR103" },
    { "local_spill.sm_120", "many_values", "LCH112" },
    { "setmaxnreg.", "producer_consumer", "OCC112" },    /* ptxas says so, too: C7508 */
    { "bytes/bom_utf8", NULL, "SYN105" },
    { "bytes/bom_utf8", NULL, "SYN107" },
};

static bool is_meant(const char *path, const ptxlint_diagnostic *diagnostic)
{
    for (size_t i = 0; i < COUNT(meant); i++) {
        bool is_kernel = !meant[i].kernel
                             ? !diagnostic->kernel
                             : diagnostic->kernel && !strcmp(diagnostic->kernel, meant[i].kernel);
        if (strstr(path, meant[i].file) && is_kernel && !strcmp(meant[i].rule, diagnostic->rule))
            return true;
    }
    return false;
}

static void test_clean(void **state)
{
    (void)state;
    Paths files = kit_walk("testdata/ptx", ".ptx");
    Text trouble = { 0 };
    size_t found = 0;
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open(files.paths[i]);
        size_t count;
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        for (size_t d = 0; d < count && diags[d].severity > PTXLINT_NOTE; d++) {
            found++;
            if (!is_meant(files.paths[i], &diags[d]))
                kit_print(&trouble, "%s:%u: %s: %s\n", files.paths[i],
                          (unsigned)kit_line(module, diags[d].span.begin), diags[d].rule,
                          diags[d].message);
        }
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
    assert_true(found >= COUNT(meant));
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("warnings on clean kernels");
    }
}

/* ---- every entry is there -------------------------------------------------------------------- */

/* Overwrites comments and strings with blanks. */
static void blank_comments(char *text)
{
    for (char *p = text; *p;) {
        char *end = p;
        if (p[0] == '/' && p[1] == '/')
            end = p + strcspn(p, "\r\n");
        else if (p[0] == '/' && p[1] == '*')
            end = strstr(p, "*/") ? strstr(p, "*/") + 2 : p + strlen(p);
        else if (p[0] == '"')
            end = p + 1 + strcspn(p + 1, "\"\n") + 1;
        if (end == p)
            p++;
        while (p < end)
            *p++ = ' ';
    }
}

/* Definitions: `.entry` whose first `{` or `;` behind it is a `{`. */
static size_t count_entries(char *text)
{
    size_t count = 0;
    blank_comments(text);
    for (char *p = text; (p = strstr(p, ".entry"));) {
        p += strlen(".entry");
        if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
            continue;
        count += p[strcspn(p, "{;")] == '{';
    }
    return count;
}

static void test_every_entry(void **state)
{
    (void)state;
    Paths files = kit_walk("testdata/ptx", ".ptx");
    size_t total = 0;
    for (size_t i = 0; i < files.count; i++) {
        size_t count, found = 0;
        char *text = kit_read(files.paths[i], NULL);
        size_t wanted = count_entries(text);
        ptxlint_module *module = kit_open(files.paths[i]);
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++) {
            found += kernels[k].is_entry != 0;
            assert_false(kernels[k].has_syntax_error);
            if (kernels[k].pressure.max_live == PTXLINT_UNKNOWN && kernels[k].mix.instruction_count)
                fail_msg("%s: %s: pressure is unknown", files.paths[i], kernels[k].name);
        }
        if (found != wanted)
            fail_msg("%s: %zu entries, %zu in the text", files.paths[i], found, wanted);
        total += found;
        ptxlint_module_free(module);
        free(text);
    }
    kit_free_paths(files);
    assert_true(total > 200);
}

/* ---- the same twice, and for any number of threads ------------------------------------------- */

static ptxlint_module *open_with_jobs(const char *path, unsigned jobs)
{
    size_t length;
    char *text = kit_read(path, &length);
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.jobs = jobs;
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    free(text);
    return module;
}

/* A report and two documents of findings, one behind the other. */
static Text render(const char *path, unsigned jobs)
{
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_SARIF };
    ptxlint_module *module = open_with_jobs(path, jobs);
    const ptxlint_module *modules[] = { module };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    Text text = { 0 };
    options.format = PTXLINT_JSON;
    assert_int_equal(ptxlint_write_report(modules, 1, &options, kit_write, &text), PTXLINT_OK);
    for (size_t f = 0; f < COUNT(formats); f++) {
        options.format = formats[f];
        assert_int_equal(ptxlint_write_diagnostics(modules, 1, &options, kit_write, &text),
                         PTXLINT_OK);
    }
    ptxlint_module_free(module);
    return text;
}

static void test_deterministic(void **state)
{
    (void)state;
    static const unsigned jobs[] = { 1, 2, 3, 8 };
    Paths files = kit_walk("testdata/ptx", ".ptx");
    for (size_t i = 0; i < files.count; i++) {
        Text first = render(files.paths[i], 0);
        assert_true(first.length > 0);
        for (size_t j = 0; j < COUNT(jobs); j++) {
            Text again = render(files.paths[i], jobs[j]);
            if (first.length != again.length || memcmp(first.bytes, again.bytes, first.length))
                fail_msg("%s: not the same with %u jobs", files.paths[i], jobs[j]);
            free(again.bytes);
        }
        free(first.bytes);
    }
    kit_free_paths(files);
}

/* Wherever memory ends, and in whichever thread: a status, and nothing is left behind. */
static void test_memory_of_threads(void **state)
{
    (void)state;
    size_t failed = 0, made = 0;
    for (size_t limit = 1 << 12; limit < 64 << 20; limit *= 2) {
        ptxlint_module *module;
        ptxlint_options options;
        ptxlint_options_init(&options);
        options.jobs = 4;
        options.max_memory_bytes = limit;
        ptxlint_status status = ptxlint_module_open(
            PTXLINT_SOURCE_ROOT "/testdata/ptx/loops.sm_75.ptx", &options, &module);
        assert_true(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY);
        failed += status != PTXLINT_OK;
        made += status == PTXLINT_OK;
        if (status == PTXLINT_OK)
            ptxlint_module_free(module);
    }
    assert_true(failed > 0 && made > 0);
}

/* Large enough for a parser in a thread of its own, and full of mistakes. */
static char *spoilt_corpus(size_t *length)
{
    enum { BYTES = 400000, SPOILT = 1009 };
    Paths files = kit_walk("testdata/ptx", ".ptx");
    char *text = calloc(1, BYTES);
    *length = 0;
    for (size_t i = 0; i < files.count && *length < BYTES; i++) {
        size_t bytes;
        char *file = kit_read(files.paths[i], &bytes);
        bytes = bytes < BYTES - *length ? bytes : BYTES - *length;
        memcpy(text + *length, file, bytes);
        *length += bytes;
        free(file);
    }
    kit_free_paths(files);
    for (size_t at = 0; at < *length; at += SPOILT)
        text[at] = ";{x\""[at % 4];
    return text;
}

static Text render_spoilt(const char *bytes, size_t length, unsigned jobs, size_t limit)
{
    Text text = { 0 };
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_write_options write;
    ptxlint_options_init(&options);
    options.jobs = jobs;
    options.syntax_only = true;
    options.max_memory_bytes = limit;
    if (ptxlint_module_new(bytes, length, &options, &module) != PTXLINT_OK)
        return text;
    const ptxlint_module *modules[] = { module };
    ptxlint_write_options_init(&write);
    write.format = PTXLINT_JSON;
    assert_int_equal(ptxlint_write_diagnostics(modules, 1, &write, kit_write, &text), PTXLINT_OK);
    ptxlint_module_free(module);
    return text;
}

static void test_parser_thread(void **state)
{
    (void)state;
    size_t length, failed = 0;
    char *bytes = spoilt_corpus(&length);
    Text alone = render_spoilt(bytes, length, 1, 0);
    assert_true(alone.length > 0);
    for (size_t limit = 1 << 16; limit <= 256 << 20; limit *= 4) {
        Text by_two = render_spoilt(bytes, length, 2, limit);
        failed += !by_two.length;
        if (by_two.length
            && (by_two.length != alone.length || memcmp(by_two.bytes, alone.bytes, alone.length)))
            fail_msg("not the same with a thread for the parser");
        free(by_two.bytes);
    }
    assert_true(failed > 0 && failed < 5);
    free(alone.bytes);
    free(bytes);
}

UNIT(corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accept),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_every_entry),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_memory_of_threads),
        cmocka_unit_test(test_parser_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
