/* test_golden.c -- PTX files that carry their expectations, and whole reports compared byte for
 * byte.
 *
 * tests/golden/CODE-what.ptx: the first line has `// golden: [--gpu NAME[,NAME]] [--block SIZE]
 * [--grid SIZE] [--syntax-only]`; a line on which a diagnostic must stand ends in `// want CODE:
 * part of its message`, or of its `help: ` with that word before it, several of them one behind the
 * other.
 * No other diagnostic of the front end, of suppressions and of the rule in its name may be there.
 * Every code of diags.def has a file of its name that wants it, and one of its name that wants
 * nothing of it; rules have their examples (test_examples.c). tests/golden/report/NAME.ptx:
 * NAME.json is its report, NAME.txt its diagnostics as text. PTXLINT_REWRITE=1 in the environment
 * writes them anew. */
#include "support/limits.h"
#include "kit.h"

#define FOLDER "tests/golden"

enum { GPUS = 2 };

typedef struct Want {
    uint32_t line;
    char code[16], part[256];
    bool found;
} Want;

typedef struct Golden {
    char *text;
    size_t length;
    Want *wants;
    size_t want_count;
} Golden;

static void add_want(Golden *golden, const char *path, uint32_t line, const char *text,
                     size_t length)
{
    golden->wants = realloc(golden->wants, (golden->want_count + 1) * sizeof *golden->wants);
    assert_non_null(golden->wants);
    Want *want = &golden->wants[golden->want_count++];
    *want = (Want){ .line = line };
    const char *colon = memchr(text, ':', length);
    if (!colon || colon - text != 6)
        fail_msg("%s:%u: a want is `CODE: text`", path, line);
    memcpy(want->code, text, 6);
    colon++;
    length -= (size_t)(colon - text);
    while (length && *colon == ' ')
        colon++, length--;
    while (length && (colon[length - 1] == ' ' || colon[length - 1] == '\r'))
        length--;
    assert_true(length < sizeof want->part);
    memcpy(want->part, colon, length);
}

static const char *find_in(const char *begin, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; (size_t)(end - begin) >= length; begin++)
        if (!memcmp(begin, word, length))
            return begin;
    return NULL;
}

static Golden read_golden(const char *path)
{
    Golden golden = { 0 };
    golden.text = kit_read(path, &golden.length);
    uint32_t line = 1;
    const char *end = golden.text + golden.length;
    for (const char *p = golden.text, *next; p < end; p = next, line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (line == 1 && !find_in(p, stop, "// golden:"))
            fail_msg("%s: the first line says nothing of `// golden:`", path);
        for (const char *want = find_in(p, stop, "// want "); want;) {
            want += strlen("// want ");
            const char *after = find_in(want, stop, "// want ");
            add_want(&golden, path, line, want, (size_t)((after ? after : stop) - want));
            want = after;
        }
    }
    return golden;
}

/* An option that is not read here would say what is not tested. */
static void refuse_other_options(const Golden *golden, const char *path)
{
    static const char *const known[] = { "--block", "--cluster", "--gpu", "--grid", "--param",
                                         "--select", "--syntax-only" };
    const char *end = memchr(golden->text, '\n', golden->length);
    end = end ? end : golden->text + golden->length;
    for (const char *p = golden->text; (p = find_in(p, end, " --")); p++) {
        const size_t length = strcspn(p + 1, " \r\n");
        size_t k = 0;
        while (k < COUNT(known)
               && (strlen(known[k]) != length || strncmp(known[k], p + 1, length)))
            k++;
        if (k == COUNT(known))
            fail_msg("%s: its first line has %.*s, which is not read", path, (int)length, p + 1);
    }
}

/* The rule in the file's name alone; the front end reports in any case, and a comment can only be
 * unused where its rule is enabled. */
static ptxlint_config *select_rule(const char *path)
{
    ptxlint_config *config;
    char code[8], error[256] = "";
    snprintf(code, sizeof code, "%.6s", strrchr(path, '/') + 1);
    assert_int_equal(ptxlint_config_new(NULL, &config), PTXLINT_OK);
    const ptxlint_rule *rule = ptxlint_rule_find(NULL, code);
    if (!rule)
        fail_msg("%s: its name does not begin with the code of a rule", path);
    if (ptxlint_config_set(config, "select",
                           rule->is_front_end || !strncmp(code, "SUP", 3) ? "SUP,COR101" : code,
                           error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s: %s", path, error);
    assert_int_equal(ptxlint_config_set(config, "preview", "true", error, sizeof error),
                     PTXLINT_OK);
    return config;
}

/* The word behind an option of the first line; "" without it. */
static const char *word_behind(const Golden *golden, const char *option, char word[32])
{
    const char *line_end = memchr(golden->text, '\n', golden->length);
    const char *found = find_in(golden->text, line_end ? line_end : golden->text + golden->length,
                                option);
    word[0] = 0;
    if (found)
        snprintf(word, 32, "%.*s", (int)strcspn(found + strlen(option), " \r\n"),
                 found + strlen(option));
    return word;
}

static ptxlint_launches *read_launch(const Golden *golden, const char *path)
{
    static const char *const keys[] = { "block", "grid", "cluster", "param" };
    static const char *const names[] = { "--block ", "--grid ", "--cluster ", "--param " };
    ptxlint_launches *launches;
    char word[32];
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    for (size_t i = 0; i < COUNT(keys); i++)
        if (*word_behind(golden, names[i], word)
            && ptxlint_launches_set(launches, keys[i], word, NULL, 0) != PTXLINT_OK)
            fail_msg("%s: %s%s", path, names[i], word);
    return launches;
}

/* Names with a comma between them. */
static size_t read_gpus(const Golden *golden, const char *path, const ptxlint_gpu *gpus[GPUS])
{
    char names[32], *rest = names;
    size_t count = 0;
    word_behind(golden, "--gpu ", names);
    while (*rest) {
        char *name = rest, *comma = strchr(name, ',');
        rest = comma ? comma + 1 : name + strlen(name);
        if (comma)
            *comma = 0;
        assert_true(count < GPUS);
        gpus[count] = ptxlint_gpu_find(name);
        if (!gpus[count++])
            fail_msg("%s: unknown GPU %s", path, name);
    }
    return count;
}

static ptxlint_module *analyse(const Golden *golden, const char *path)
{
    const ptxlint_gpu *gpus[GPUS];
    char selected[32];
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = path;
    options.findings_only = 1;          /* as `ptxlint FILE` does */
    const char *line_end = memchr(golden->text, '\n', golden->length);
    line_end = line_end ? line_end : golden->text + golden->length;
    options.syntax_only = find_in(golden->text, line_end, "--syntax-only") != NULL;
    options.gpus = gpus;
    options.gpu_count = read_gpus(golden, path, gpus);
    refuse_other_options(golden, path);
    ptxlint_config *config = select_rule(path);
    word_behind(golden, "--select ", selected);
    if (strncmp(selected, strrchr(path, '/') + 1, strlen(selected)))
        fail_msg("%s: --select %s is not the rule in its name", path, selected);
    ptxlint_launches *launches = read_launch(golden, path);
    options.config = config;
    options.launches = launches;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(golden->text, golden->length, &options, &module),
                     PTXLINT_OK);
    ptxlint_config_free(config);
    ptxlint_launches_free(launches);
    return module;
}

static bool says(const ptxlint_diagnostic *diag, const char *part)
{
    static const char help[] = "help: ";
    if (strncmp(part, help, strlen(help)))
        return strstr(diag->message, part);
    return diag->help && strstr(diag->help, part + strlen(help));
}

static void compare(Golden *golden, const char *path, Text *trouble)
{
    size_t count;
    ptxlint_module *module = analyse(golden, path);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        uint32_t line = kit_line(module, diags[d].span.begin);
        bool wanted = false;
        for (size_t w = 0; w < golden->want_count && !wanted; w++) {
            Want *want = &golden->wants[w];
            wanted = !want->found && want->line == line && !strcmp(want->code, diags[d].rule)
                     && says(&diags[d], want->part);
            want->found |= wanted;
        }
        if (!wanted)
            kit_print(trouble, "%s:%u: not wanted: %s: %s; help: %s\n", path, line, diags[d].rule,
                      diags[d].message, diags[d].help ? diags[d].help : "none");
    }
    for (size_t w = 0; w < golden->want_count; w++)
        if (!golden->wants[w].found)
            kit_print(trouble, "%s:%u: missing: %s: %s\n", path, golden->wants[w].line,
                      golden->wants[w].code, golden->wants[w].part);
    ptxlint_module_free(module);
}

/* ---- the cases ------------------------------------------------------------------------------- */

/* Codes that no small file can show, and where they are tested instead. */
static const struct { const char *code, *where; } elsewhere[] = {
    { "LIM103", "test_too_many" },
    { "LIM104", "test_liveness_limit" },
    { "LIM105", "test_calls_limit" },
    { "BUD101", "test_budget.c" },
    { "BUD102", "test_budget.c" },
};

static bool is_elsewhere(const char *code)
{
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (!strcmp(elsewhere[i].code, code))
            return true;
    return false;
}

static const char *const codes[] = {
#define DG(id, code, ...) code,
#include "support/diags.def"
#undef DG
};

static void test_cases(void **state)
{
    (void)state;
    bool fires[COUNT(codes)] = { false }, misses[COUNT(codes)] = { false };
    Text trouble = { 0 };
    Paths files = kit_walk(FOLDER, ".ptx");
    for (size_t i = 0; i < files.count; i++) {
        const char *name = strrchr(files.paths[i], '/') + 1;
        if (strstr(files.paths[i], "/report/"))
            continue;
        Golden golden = read_golden(files.paths[i]);
        Text mine = { 0 };
        compare(&golden, files.paths[i], &mine);
        if (mine.length)
            kit_print(&trouble, "%s", mine.bytes);
        size_t code = 0;
        while (code < COUNT(codes) && strncmp(codes[code], name, 6))
            code++;
        bool wants = false;
        for (size_t w = 0; w < golden.want_count; w++)
            wants |= !strncmp(golden.wants[w].code, name, 6);
        if (code < COUNT(codes) && wants)
            fires[code] = true;
        else if (code < COUNT(codes))
            misses[code] = true;
        free(mine.bytes);
        free(golden.text);
        free(golden.wants);
    }
    kit_free_paths(files);
    for (size_t c = 0; c < COUNT(codes); c++)
        if (!is_elsewhere(codes[c]) && (!fires[c] || !misses[c]))
            kit_print(&trouble, "%s: no file that %s\n", codes[c],
                      fires[c] ? "only nearly has it" : "wants it");
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("golden cases differ");
    }
}

/* LIM103: beyond ten thousand diagnostics they are counted, not kept. */
static void test_too_many(void **state)
{
    (void)state;
    Text text = { 0 };
    kit_print(&text, ".version 8.0\n.target sm_90\n.entry k() .maxntid 32 { .reg .b32 %%r<2>;\n");
    for (int i = 0; i < 10100; i++)
        kit_print(&text, "mov.u32 x%d, 1;\n", i);
    kit_print(&text, "ret; }\n");
    ptxlint_module *module = kit_module(text.bytes);
    size_t count, notes = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        notes += !strcmp(diags[i].rule, "LIM103");
    assert_int_equal(notes, 1);
    assert_int_equal(count, 10001);
    ptxlint_module_free(module);
    free(text.bytes);
}

/* LIM104: n registers live through n blocks. Small ones are computed; large ones are said to be too
 * large, the rest of the analysis stands, and it costs no time. */
static void test_liveness_limit(void **state)
{
    (void)state;
    static const struct { int n; bool limited; } cases[] = { { 100, false }, { 4000, true } };
    for (size_t c = 0; c < COUNT(cases); c++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 8.0\n.target sm_90\n.entry k() .maxntid 32 { .reg .b32 %%r<%d>; .reg "
                  ".b64 %%rd<2>; .reg .pred %%p<2>;\n",
                  cases[c].n);
        kit_print(&text, "mov.u64 %%rd1, 0;\nsetp.eq.u64 %%p1, %%rd1, 0;\n");
        for (int i = 0; i < cases[c].n; i++)
            kit_print(&text, "mov.u32 %%r%d, 1;\n", i);
        for (int i = 0; i < cases[c].n; i++)
            kit_print(&text, "@%%p1 bra L%d;\nL%d: bar.sync 0;\n", i, i);
        for (int i = 0; i < cases[c].n; i++)
            kit_print(&text, "st.global.u32 [%%rd1], %%r%d;\n", i);
        kit_print(&text, "ret; }\n");
        ptxlint_module *module = kit_module(text.bytes);
        const ptxlint_kernel *kernel = kit_kernel(module, NULL);
        char *got = kit_list(module, false);
        assert_string_equal(got, cases[c].limited ? "LIM104:3" : "");
        assert_true(kernel->pressure.max_live
                    == (cases[c].limited ? PTXLINT_UNKNOWN : cases[c].n + 2));
        assert_true(kernel->mix.instruction_count > 0);
        free(got);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* LIM105: many kernels call one long function. The first of them run it. */
static void test_calls_limit(void **state)
{
    (void)state;
    enum { CALLED = 3000 };
    static const struct { unsigned kernels; bool limited; } cases[] = { { 100, false },
                                                                        { 500, true } };
    for (size_t c = 0; c < COUNT(cases); c++) {
        Text text = { 0 };
        kit_print(&text, ".version 8.0\n.target sm_90\n.func f() { .reg .b32 %%r<2>;\n");
        for (unsigned i = 0; i < CALLED; i++)
            kit_print(&text, "add.u32 %%r1, %%r1, 1;\n");
        kit_print(&text, "ret; }\n");
        for (unsigned i = 0; i < cases[c].kernels; i++)
            kit_print(&text, ".entry k%u() .maxntid 32 { call f; ret; }\n", i);
        ptxlint_module *module = kit_module(text.bytes);
        size_t count, told = 0;
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        for (size_t i = 0; i < count; i++)
            told += !strcmp(diags[i].rule, "LIM105");
        const uint64_t limit = LIMIT_CALLED_INSNS
                               + LIMIT_CALLED_INSNS_PER_INSN * (CALLED + 2 * cases[c].kernels);
        const uint64_t followed = limit / CALLED;
        assert_int_equal(told > 0, cases[c].limited);
        assert_true(!cases[c].limited || cases[c].kernels - told <= followed);
        assert_true(!cases[c].limited || cases[c].kernels - told > followed * 9 / 10);
        free(text.bytes);
        ptxlint_module_free(module);
    }
}

/* ---- whole reports --------------------------------------------------------------------------- */

static void check_document(const char *path, const char *extension, const Text *text)
{
    char expected_path[512];
    snprintf(expected_path, sizeof expected_path, "%.*s%s", (int)(strlen(path) - strlen(".ptx")),
             path, extension);
    if (getenv("PTXLINT_REWRITE")) {
        kit_save(expected_path, text->bytes, text->length);
        return;
    }
    size_t length;
    char *expected = kit_read(expected_path, &length);
    size_t same = 0, line = 1;
    while (same < length && same < text->length && expected[same] == text->bytes[same])
        line += expected[same++] == '\n';
    if (same < length || same < text->length)
        fail_msg("%s differs from line %zu on; PTXLINT_REWRITE=1 writes it anew", expected_path,
                 line);
    free(expected);
}

static void test_reports(void **state)
{
    (void)state;
    Paths files = kit_walk(FOLDER "/report", ".ptx");
    assert_true(files.count >= 3);
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open(files.paths[i]);
        const ptxlint_module *modules[] = { module };
        ptxlint_write_options options;
        Text json = { 0 }, text = { 0 };
        kit_put(&json, "", 0);
        kit_put(&text, "", 0);
        ptxlint_write_options_init(&options);
        options.format = PTXLINT_JSON;
        assert_int_equal(ptxlint_write_report(modules, 1, &options, kit_write, &json), PTXLINT_OK);
        options.format = PTXLINT_TEXT;
        assert_int_equal(ptxlint_write_diagnostics(modules, 1, &options, kit_write, &text),
                         PTXLINT_OK);
        check_document(files.paths[i], ".json", &json);
        check_document(files.paths[i], ".txt", &text);
        free(json.bytes);
        free(text.bytes);
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
}

UNIT(golden)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_liveness_limit),
        cmocka_unit_test(test_calls_limit),
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
