/* test_formats.c -- diagnostics as JSONL, SARIF and GitHub commands: escapes, places, limits,
 * fingerprints, what is suppressed.
 *
 * The modules are real; what rules and config would say of their findings is written into them
 * here. */
#include "kit.h"

#include "report/sarif.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

/* ---- the kit --------------------------------------------------------------------------------- */

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* One finding, the error SYN401, on line 6. */
#define ONE HEAD ".entry k()\n{\n    bogus.u32 1, 2;\n}\n"

static ptxlint_module *module_at(const char *path, const char *text)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = path;
    options.syntax_only = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

/* The findings of a module that is not const yet to other code. */
static ptxlint_diagnostic *findings(ptxlint_module *module, size_t wanted)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    assert_int_equal(count, wanted);
    return (ptxlint_diagnostic *)(uintptr_t)diagnostics;
}

static char *write_all(ptxlint_format format, ptxlint_module **modules, size_t count)
{
    Text text = { 0 };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = format;
    kit_put(&text, "", 0);
    assert_int_equal(ptxlint_write_diagnostics((const ptxlint_module *const *)modules, count,
                                               &options, kit_write, &text),
                     PTXLINT_OK);
    return text.bytes;
}

static char *write_one(ptxlint_format format, ptxlint_module *module)
{
    return write_all(format, &module, 1);
}

/* What stands at a path of keys and indices, "runs.0.results"; NULL. */
static json_t *at(json_t *json, const char *path)
{
    while (json && *path) {
        char key[64];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key);
        path += length + (path[length] == '.');
    }
    return json;
}

static json_t *need(json_t *json, const char *path)
{
    json_t *value = at(json, path);
    if (!value)
        fail_msg("there is no %s", path);
    return value;
}

static const char *text_at(json_t *json, const char *path)
{
    const char *text = json_string_value(need(json, path));
    assert_non_null(text);
    return text;
}

static json_int_t int_at(json_t *json, const char *path)
{
    return json_integer_value(need(json, path));
}

static json_t *parse(char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    free(text);
    return json;
}

static json_t *sarif_of(ptxlint_module *module)
{
    return parse(write_one(PTXLINT_SARIF, module));
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no `%s` in:\n%s", part, text);
}

/* ---- gain and suppression -------------------------------------------------------------------- */

static void test_gain(void **state)
{
    (void)state;
    static const struct { double gain; const char *text, *json; } cases[] = {
        { NAN, NULL, "\"gain_percent\":null" },
        { 0.49, NULL, "\"gain_percent\":0.49" },
        { 0.5, "gain about ", "\"gain_percent\":0.5" },
        { 12.3, "= note: gain about 12 % of the predicted time\n",
          "\"gain_percent\":12.3,\"gain_of\":\"predicted time\"" },
        { INFINITY, NULL, "\"gain_percent\":null" },
    };
    ptxlint_module *module = module_at("a.ptx", ONE);
    for (size_t i = 0; i < COUNT(cases); i++) {
        findings(module, 1)->gain_percent = cases[i].gain;
        findings(module, 1)->gain_of = isnan(cases[i].gain) ? NULL : "predicted time";
        char *text = write_one(PTXLINT_TEXT, module), *json = write_one(PTXLINT_JSON, module);
        if (cases[i].text)
            assert_has(text, cases[i].text);
        else if (isfinite(cases[i].gain))
            assert_null(strstr(text, "gain"));
        assert_has(json, cases[i].json);
        free(text);
        free(json);
    }
    ptxlint_module_free(module);
}

static void test_suppressed(void **state)
{
    (void)state;
    size_t counts[4];
    ptxlint_module *module = module_at(
        "a.ptx", HEAD ".entry k()\n{\n    bogus.u32 1, 2;\n    bad.u32 1, 2;\n}\n");
    ptxlint_diagnostic *first = findings(module, 2);
    first->suppression = PTXLINT_SUPPRESSED_INLINE;
    first->suppression_reason = "it is \"so\"";

    char *text = write_one(PTXLINT_TEXT, module), *oneline = write_one(PTXLINT_ONELINE, module),
         *github = write_one(PTXLINT_GITHUB, module);
    assert_has(text, "\n1 error in 1 of 1 kernel (1 suppressed)\n");
    assert_int_equal(count_of(text, "error[SYN401]"), 1);
    assert_int_equal(count_of(oneline, "SYN401"), 1);
    assert_int_equal(count_of(github, "::error "), 1);
    ptxlint_count_diagnostics((const ptxlint_module *const *)&module, 1, NULL, counts);
    assert_int_equal(counts[PTXLINT_ERROR], 1);
    free(text), free(oneline), free(github);

    json_t *json = parse(write_one(PTXLINT_JSON, module));
    assert_string_equal(text_at(json, "diagnostics.0.suppression.kind"), "inline");
    assert_string_equal(text_at(json, "diagnostics.0.suppression.reason"), "it is \"so\"");
    assert_true(json_is_null(need(json, "diagnostics.1.suppression")));
    json_decref(json);

    first[1].suppression = PTXLINT_SUPPRESSED_BY_CONFIG;        /* and nothing is left to say */
    text = write_one(PTXLINT_TEXT, module);
    assert_string_equal(text, "");
    free(text);
    json = sarif_of(module);
    assert_string_equal(text_at(json, "runs.0.results.0.suppressions.0.kind"), "inSource");
    assert_string_equal(text_at(json, "runs.0.results.0.suppressions.0.justification"),
                        "it is \"so\"");
    assert_string_equal(text_at(json, "runs.0.results.1.suppressions.0.kind"), "external");
    assert_null(at(json, "runs.0.results.1.suppressions.0.justification"));
    json_decref(json);
    ptxlint_module_free(module);
}

/* Findings come worst first, not by position: kernels are counted right all the same. */
static void test_summary(void **state)
{
    (void)state;
    ptxlint_module *module = module_at(
        "a.ptx",
        HEAD ".entry a() { bogus.u32 1, 2; }\n.entry b() { }\n.entry c() { bogus.u32 1, 2; }\n");
    ptxlint_diagnostic *diagnostics = findings(module, 2), first = diagnostics[0];
    diagnostics[0] = diagnostics[1];
    diagnostics[1] = first;
    char *text = write_one(PTXLINT_TEXT, module);
    assert_has(text, "2 errors in 2 of 3 kernels\n");
    free(text);
    ptxlint_module_free(module);
}

/* ---- JSONL ----------------------------------------------------------------------------------- */

static void test_jsonl(void **state)
{
    (void)state;
    ptxlint_module *modules[] = { module_at("a.ptx", ONE), module_at("b.ptx", HEAD),
                                  module_at("c.ptx", ONE) };
    json_t *json = parse(write_all(PTXLINT_JSON, modules, 3));
    char *lines = write_all(PTXLINT_JSONL, modules, 3), *line = lines;
    for (int i = 0; i < 2; i++) {
        char *end = strchr(line, '\n'), key[32];
        assert_non_null(end);
        *end = '\0';
        json_t *one = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        snprintf(key, sizeof key, "diagnostics.%d", i);
        assert_true(json_equal(one, need(json, key)));
        json_decref(one);
        line = end + 1;
    }
    assert_string_equal(line, "");
    free(lines);
    json_decref(json);
    for (int i = 0; i < 3; i++)
        ptxlint_module_free(modules[i]);
}

static void test_arguments(void **state)
{
    (void)state;
    static const ptxlint_format formats[] = { PTXLINT_JSONL, PTXLINT_SARIF, PTXLINT_GITHUB,
                                              PTXLINT_ONELINE };
    for (size_t i = 0; i < COUNT(formats); i++) {
        ptxlint_write_options options;
        ptxlint_writer *writer;
        Text text = { 0 };
        ptxlint_write_options_init(&options);
        options.format = formats[i];
        assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, &text, &writer),
                         PTXLINT_BAD_ARGUMENT);
        assert_null(writer);
        assert_int_equal(
            ptxlint_writer_new(PTXLINT_DIAGNOSTICS, &options, kit_write, &text, &writer),
            PTXLINT_OK);
        ptxlint_writer_free(writer);            /* unfinished */
        free(text.bytes);
    }
}

/* ---- GitHub ---------------------------------------------------------------------------------- */

static void test_github_escapes(void **state)
{
    (void)state;
    ptxlint_module *module = module_at("a,b:c%/x.ptx", ONE);
    ptxlint_diagnostic *finding = findings(module, 1);
    finding->message = "100 %\r\n::error::no, not: this\033[31m";
    finding->help = "one\ntwo";
    char *text = write_one(PTXLINT_GITHUB, module);
    assert_string_equal(
        text, "::error file=a%2Cb%3Ac%25/x.ptx,line=6,endLine=6,col=5,endColumn=14,title=SYN401 "
              "unknown-opcode::"
              "100 %25%0D%0A::error::no, not: this<1b>[31m%0Akernel: k%0Ahelp: one%0Atwo\n");
    free(text);
    ptxlint_module_free(module);
}

/* GitHub takes columns only where both are of one line. */
static void test_github_places(void **state)
{
    (void)state;
    static const struct { const char *path; uint32_t line, column; const char *want; } cases[] = {
        { "src/none.cu", 7, 3, "file=a.ptx,line=6," },
        { "/nonexistent/none.cu", 7, 3, "file=a.ptx,line=6," },
        { "src/none.cu", 0, 0, "file=a.ptx,line=6," },
        { NULL, 0, 0, "file=a.ptx,line=6," },
    };
    ptxlint_module *module = module_at("a.ptx", ONE);
    ptxlint_diagnostic *finding = findings(module, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        finding->source_path = cases[i].path;
        finding->source_line = cases[i].line;
        finding->source_column = cases[i].column;
        char *text = write_one(PTXLINT_GITHUB, module);
        assert_has(text, cases[i].want);
        free(text);
    }
    finding->source_path = NULL;
    finding->span.end = ptxlint_module_get_info(module)->length;
    char *text = write_one(PTXLINT_GITHUB, module);
    assert_has(text, "line=6,endLine=8,title=");
    free(text);
    ptxlint_module_free(module);
}

static char *many(int count)
{
    Text text = { 0 };
    kit_print(&text, HEAD ".entry k()\n{\n");
    for (int i = 0; i < count; i++)
        kit_print(&text, "bogus.u32 1, %d;\n", i);
    kit_print(&text, "}\n");
    return text.bytes;
}

/* Ten of each, the worst of all modules; the last line is one of the ten notices. */
static void test_github_limits(void **state)
{
    (void)state;
    char *ptx = many(36);
    ptxlint_module *modules[] = { module_at("a.ptx", ptx), module_at("b.ptx", ptx) };
    for (int m = 0; m < 2; m++) {
        ptxlint_diagnostic *diagnostics = findings(modules[m], 36);
        for (int i = 0; i < 36; i++) {
            diagnostics[i].severity = i < 8    ? PTXLINT_ERROR
                                      : i < 14 ? PTXLINT_WARNING
                                               : PTXLINT_NOTE;
            diagnostics[i].gain_percent = m == 1 && i == 7 ? 50 : NAN;
        }
    }
    char *text = write_all(PTXLINT_GITHUB, modules, 2);
    assert_int_equal(count_of(text, "::error "), 10);
    assert_int_equal(count_of(text, "::warning "), 10);
    assert_int_equal(count_of(text, "::notice "), 10);
    /* the one with a gain */
    assert_int_equal(strncmp(text, "::error file=b.ptx,line=13,", 27), 0);
    assert_int_equal(count_of(text, "::error file=a.ptx"), 8);
    assert_has(text, "\n::notice title=ptxlint::43 more not annotated\n");
    free(text);
    text = write_all(PTXLINT_GITHUB, modules, 0);
    assert_string_equal(text, "");
    free(text);
    for (int m = 0; m < 2; m++)
        ptxlint_module_free(modules[m]);
    free(ptx);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void test_paths(void **state)
{
    (void)state;
    static const struct { const char *folder, *path, *want; bool inside; } cases[] = {
        { "/repo", "a.ptx", "a.ptx", true },            { "/repo", "./a//b/./c.ptx", "a/b/c.ptx", true },
        { "/repo", "/repo/a.ptx", "a.ptx", true },      { "/repo", "/repository/a.ptx", "/repository/a.ptx", false },
        { "/repo", "build/../src/x.cu", "src/x.cu", true }, { "/repo", "../x.cu", "../x.cu", false },
        { "/repo", "a/../../x.cu", "../x.cu", false },  { "/repo", "../../x.cu", "../../x.cu", false },
        { "/repo", "/../x", "/x", false },              { "/repo", "/a/../../x", "/x", false },
        { "/repo", "..a/b..", "..a/b..", true },        { "/repo", "-", "-", true },
        { "/repo", "", "-", true },                     { "/repo", "a/..", "-", true },
        { "", "/a/b", "/a/b", false },                  { "/", "/a/b", "/a/b", false },
        { "/repo", "/repo", "/repo", false },           { "/repo", "/repo/..", "..", false },
        { "/repo", "/", "/", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *got = ptx_path_show(cases[i].folder, cases[i].path);
        assert_string_equal(got, cases[i].want);
        assert_int_equal(ptx_path_is_inside(got), cases[i].inside);
        free(got);
    }
}

/* ---- fingerprints ---------------------------------------------------------------------------- */

/* The pairs that github/codeql-action tests itself with (src/fingerprints.test.ts), a blank between
 * lines. */
static void test_line_hashes(void **state)
{
    (void)state;
    static const char hello[] = "e9496ae3ebfced30:1 fb7c023a8b9ccb3f:1 ce8ba1a563dcdaca:1 "
                                "e20e36e16fcb0cc8:1 b3edc88f2938467e:1 "
                                "c8e28b0b4002a3a0:1 c129715d7a2bc9a3:1";
    static const struct { const char *text, *want;
    } cases[] = {
        { "", "c129715d7a2bc9a3:1" },
        { " a\nb\n  \t\tc\n d",
          "271789c17abda88f:1 54703d4cd895b18:1 180aee12dab6264:1 a23a3dc5e078b07b:1" },
        { " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
          "8b7cf3e952e7aeb2:1 b1ae1287ec4718d9:1 bff680108adb0fcc:1 c6805c5e1288b612:1 "
          "b86d3392aea1be30:1 e6ceba753e1a442:1" },
        { " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", hello },
        { " hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", hello },
        { " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", hello },
        { " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", hello },
#define L "Lorem ipsum dolor sit amet.\n"
        { L L L L L L L L L L, "a7f2ff13bc495cf2:1 a7f2ff13bc495cf2:2 a7f2ff13bc495cf2:3 "
                               "a7f2ff13bc495cf2:4 a7f2ff13bc495cf2:5 a7f2ff13bc495cf2:6 "
                               "a7f2ff1481e87703:1 a9cf91f7bbf1862b:1 55ec222b86bcae53:1 "
                               "cc97dc7b1d7d8f7b:1 c129715d7a2bc9a3:1" },
#undef L
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        LineHashes hashes;
        Text got = { 0 };
        kit_put(&got, "", 0);
        assert_int_equal(ptx_line_hashes_build(&hashes, cases[i].text, strlen(cases[i].text)),
                         PTXLINT_OK);
        for (uint32_t line = 1; line <= hashes.count; line++)
            kit_print(&got, "%s%s", line > 1 ? " " : "", ptx_line_hashes_find(&hashes, line).text);
        assert_string_equal(got.bytes, cases[i].want);
        assert_string_equal(ptx_line_hashes_find(&hashes, 0).text, "");
        assert_string_equal(ptx_line_hashes_find(&hashes, hashes.count + 1).text, "");
        free(got.bytes);
        free(hashes.lines);
    }
}

/* Too many lines: none is hashed, and nothing fails. */
static void test_line_hashes_limit(void **state)
{
    (void)state;
    size_t length = (4u << 20) + 1;
    char *text = malloc(length);
    LineHashes hashes;
    memset(text, '\n', length);
    assert_int_equal(ptx_line_hashes_build(&hashes, text, length), PTXLINT_OK);
    assert_true(hashes.is_built && hashes.count == 0);
    assert_string_equal(ptx_line_hashes_find(&hashes, 1).text, "");
    free(text);
}

static char *own_fingerprint(const char *text, size_t index)
{
    char path[64];
    ptxlint_module *module = module_at("a.ptx", text);
    json_t *json = sarif_of(module);
    snprintf(path, sizeof path, "runs.0.results.%zu.partialFingerprints.ptxlint/v1", index);
    char *copy = strdup(text_at(json, path));
    json_decref(json);
    ptxlint_module_free(module);
    return copy;
}

#define REGS " .reg .b32 %r<99>; .reg .b64 %rd<99>;\n"

/* Other registers, blanks, comments and lines before do not change it; another operation or kernel
 * does. */
static void test_own_fingerprint(void **state)
{
    (void)state;
    static const struct { const char *text; bool is_same; } cases[] = {
        { HEAD ".entry k()\n{" REGS "    bogus.u32 %r17, %rd2; // why\n}\n", true },
        { HEAD "\n\n.entry k()\n{" REGS "  ret;\n\tbogus.u32\t%r2,%rd33;\n}\n", true },
        { HEAD ".entry k()\n{" REGS "    bogus.u32 %r17, %r2;\n}\n", false },
        { HEAD ".entry k()\n{" REGS "    bogus.s32 %r17, %rd2;\n}\n", false },
        { HEAD ".entry k2()\n{" REGS "    bogus.u32 %r17, %rd2;\n}\n", false },
    };
    char *base = own_fingerprint(HEAD ".entry k()\n{" REGS "    bogus.u32 %r1, %rd1;\n}\n", 0);
    assert_int_equal(strlen(base), 18);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *other = own_fingerprint(cases[i].text, 0);
        if ((strcmp(base, other) == 0) != cases[i].is_same)
            fail_msg("case %zu: %s and %s", i, base, other);
        free(other);
    }
    char *second = own_fingerprint(
        HEAD ".entry k()\n{" REGS "    bogus.u32 %r1, %rd1;\n    bogus.u32 %r2, %rd2;\n}\n", 1);
    assert_memory_equal(base, second, 16);
    assert_string_equal(second + 16, ":2");
    free(base);
    free(second);
}

/* ---- SARIF ----------------------------------------------------------------------------------- */

static void test_sarif_result(void **state)
{
    (void)state;
    static const ptxlint_related related[] = { { { 0, 12 }, "of [version] 9" },
                                               { { 0, 0 }, "a remark" } };
    /* a face of two UTF-16 units, an umlaut of one */
    ptxlint_module *module = module_at(
        "dir/a b%\xc3\xa9.ptx",
        HEAD ".entry k()\n{\n /* \xf0\x9f\x98\x80\xc3\xa9 */ bogus.u32 1, 2;\n}\n");
    static const ptxlint_fix fix = { { 4, 4 }, "x;", 1 };
    /* and that the comment is not ASCII */
    ptxlint_diagnostic *finding = findings(module, 2);
    finding->fix = &fix;
    finding->message = "what [it](2) is";
    finding->help = "do so";
    finding->related = related;
    finding->related_count = 2;
    finding->repeat_count = 3;
    finding->gain_percent = 12.5;
    finding->gain_of = "issue slots";
    json_t *json = sarif_of(module), *run = need(json, "runs.0"), *result = need(run, "results.0");
    assert_string_equal(text_at(json, "version"), "2.1.0");
    assert_string_equal(text_at(run, "columnKind"), "utf16CodeUnits");
    assert_string_equal(text_at(run, "automationDetails.id"), "ptxlint/sm_90/");
    assert_true(json_is_true(need(run, "invocations.0.executionSuccessful")));
    assert_int_equal(json_array_size(need(run, "invocations.0.toolExecutionNotifications")), 0);
    assert_string_equal(text_at(result, "ruleId"), "SYN401");
    assert_string_equal(text_at(result, "level"), "error");
    assert_string_equal(text_at(result, "fixes.0.description.text"), "do so");
    json_t *replacement = need(result, "fixes.0.artifactChanges.0.replacements.0");
    assert_string_equal(text_at(replacement, "insertedContent.text"), "x;");
    assert_int_equal(int_at(replacement, "deletedRegion.startColumn"), 5);
    assert_int_equal(int_at(replacement, "deletedRegion.endColumn"), 5);
    assert_string_equal(
        text_at(result, "message.text"),
        "what \\[it\\](2) is. Also [of \\[version\\] 9](1). Note: a remark. Help: do so. "
        "Gain: about 12 % of the issue slots. And 3 similar in this kernel.");
    assert_string_equal(text_at(result, "locations.0.physicalLocation.artifactLocation.uri"),
                        "dir/a%20b%25%C3%A9.ptx");
    assert_string_equal(text_at(result, "locations.0.physicalLocation.artifactLocation.uriBaseId"),
                        "%SRCROOT%");
    assert_int_equal(int_at(result, "locations.0.physicalLocation.region.startLine"), 6);
    assert_int_equal(int_at(result, "locations.0.physicalLocation.region.startColumn"), 12);
    assert_int_equal(int_at(result, "locations.0.physicalLocation.region.endLine"), 6);
    assert_int_equal(int_at(result, "locations.0.physicalLocation.region.endColumn"), 21);
    assert_string_equal(text_at(result, "locations.0.logicalLocations.0.name"), "k");
    assert_int_equal(int_at(result, "relatedLocations.0.id"), 1);
    assert_int_equal(json_array_size(need(result, "relatedLocations")), 1);
    assert_int_equal(int_at(result, "properties.repeats"), 3);
    assert_string_equal(text_at(result, "properties.certainty"), "exact");
    assert_true(json_real_value(need(result, "properties.gainPercent")) == 12.5);
    assert_string_equal(text_at(result, "properties.gainOf"), "issue slots");
    assert_int_equal(json_array_size(need(result, "suppressions")), 0);
    json_decref(json);
    ptxlint_module_free(module);
}

/* The CUDA line is primary where it can be read and lies below the working directory; else the
 * nearest such one that it was inlined into. */
static void test_sarif_source(void **state)
{
    (void)state;
    char folder[] = "/tmp/ptxlint-formats-XXXXXX", path[64], before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("k.cu", "wb");
    assert_non_null(file);
    fputs("first\n\xf0\x9f\x98\x80 x = y;  \n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/k.cu", folder);

    const struct {
        const char *path;
        uint32_t line, column;
        bool is_primary;
        json_int_t begin, end;
    } cases[] = {
        { "k.cu", 2, 6, true, 4, 10 },        { path, 2, 6, true, 4, 10 },
        { "k.cu", 2, 0, true, 1, 10 },        { "k.cu", 2, 99, true, 1, 10 },
        { "k.cu", 9, 1, false, 0, 0 },        { "none.cu", 2, 6, false, 0, 0 },
        { "/etc/passwd", 1, 1, false, 0, 0 },
    };
    ptxlint_module *module = module_at("a.ptx", ONE);
    ptxlint_diagnostic *finding = findings(module, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        finding->source_path = cases[i].path;
        finding->source_line = cases[i].line;
        finding->source_column = cases[i].column;
        json_t *json = sarif_of(module), *result = need(json, "runs.0.results.0");
        json_t *primary = need(result, "locations.0.physicalLocation"),
               *other = need(result, "relatedLocations.0.physicalLocation");
        assert_string_equal(text_at(cases[i].is_primary ? other : primary, "artifactLocation.uri"),
                            "a.ptx");
        assert_has(text_at(result, "message.text"), cases[i].is_primary
                                                        ? "See [the PTX instruction](1)."
                                                        : "See [the CUDA line](1).");
        if (cases[i].is_primary) {
            assert_string_equal(text_at(primary, "artifactLocation.uri"), "k.cu");
            assert_int_equal(int_at(primary, "region.startColumn"), cases[i].begin);
            assert_int_equal(int_at(primary, "region.endColumn"), cases[i].end);
        }
        json_decref(json);
    }
    const ptxlint_source_place calls[] = { { "none.cuh", 2, 6 },
                                           { "k.cu", 2, 6 },
                                           { "k.cu", 1, 1 } };
    finding->source_path = "/etc/passwd";
    finding->source_line = finding->source_column = 1;
    finding->inlined_into = calls;
    finding->inlined_count = COUNT(calls);
    json_t *json = sarif_of(module),
           *primary = need(json, "runs.0.results.0.locations.0.physicalLocation");
    assert_string_equal(text_at(primary, "artifactLocation.uri"), "k.cu");
    assert_int_equal(int_at(primary, "region.startLine"), 2);
    json_decref(json);
    ptxlint_module_free(module);
    assert_int_equal(remove("k.cu"), 0);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* A finding without a place, in a file without text. */
static void test_sarif_no_place(void **state)
{
    (void)state;
    ptxlint_module *modules[] = {
        module_at("", ""),
        module_at("b.ptx", ".version 9.0\n.target sm_80\n.entry k() { bogus.u32 1, 2; }\n")
    };
    json_t *json = parse(write_all(PTXLINT_SARIF, modules, 2)),
           *results = need(json, "runs.0.results"), *result;
    size_t i, seen = 0;
    json_array_foreach(results, i, result) {
        json_t *place = need(result, "locations.0.physicalLocation");
        if (strcmp(text_at(place, "artifactLocation.uri"), "-") != 0)
            continue;
        seen++;
        assert_int_equal(int_at(place, "region.startLine"), 1);
        assert_int_equal(int_at(place, "region.startColumn"), 1);
        assert_int_equal(int_at(place, "region.endColumn"), 1);
    }
    assert_true(seen > 0);
    assert_string_equal(text_at(json, "runs.0.automationDetails.id"), "ptxlint/");
    json_decref(json);
    ptxlint_module_free(modules[0]);
    ptxlint_module_free(modules[1]);
}

/* 25,000 results are what GitHub takes: the worst stay, the file says what is missing, and of rules
 * those that are named. */
static void test_sarif_limits(void **state)
{
    (void)state;
    enum { EACH = 9000, MODULES = 3 };
    char *ptx = many(EACH);
    ptxlint_module *modules[MODULES];
    for (int m = 0; m < MODULES; m++) {
        modules[m] = module_at("a.ptx", ptx);
        ptxlint_diagnostic *diagnostics = findings(modules[m], EACH);
        for (int i = 0; i < EACH; i++)
            if (i >= 5000) {
                diagnostics[i].severity = m == MODULES - 1 ? PTXLINT_WARNING : PTXLINT_NOTE;
                diagnostics[i].rule = m == 1 && i == EACH - 1 ? "XXX101" : "SYN402";
            }
        diagnostics[1].suppression = PTXLINT_SUPPRESSED_INLINE;         /* the first to go */
    }
    json_t *json = parse(write_all(PTXLINT_SARIF, modules, MODULES)), *run = need(json, "runs.0"),
           *results = need(run, "results"), *result;
    size_t i, counts[3] = { 0 };
    json_array_foreach(results, i, result) {
        const char *level = text_at(result, "level");
        counts[*level == 'e' ? 2 : *level == 'w' ? 1 : 0]++;
        assert_string_equal(text_at(result, "ruleId"), *level == 'e' ? "SYN401" : "SYN402");
        assert_int_equal(int_at(result, "ruleIndex"), *level == 'e' ? 0 : 1);
    }
    assert_int_equal(counts[2], 3 * 4999);
    assert_int_equal(counts[1], 4000);
    assert_int_equal(counts[0], 25000 - 3 * 4999 - 4000);
    assert_int_equal(json_array_size(need(run, "tool.driver.rules")), 2);
    assert_has(text_at(run, "invocations.0.toolExecutionNotifications.0.message.text"),
               "2000 results are left out");
    json_decref(json);
    for (int m = 0; m < MODULES; m++)
        ptxlint_module_free(modules[m]);
    free(ptx);
}

static void test_sarif_many_related(void **state)
{
    (void)state;
    ptxlint_related related[150];
    for (size_t i = 0; i < COUNT(related); i++)
        related[i] = (ptxlint_related){ { 0, 8 }, i ? "here" : "" };
    ptxlint_module *module = module_at("a.ptx", ONE);
    ptxlint_diagnostic *finding = findings(module, 1);
    finding->related = related;
    finding->related_count = COUNT(related);
    json_t *json = sarif_of(module);
    assert_int_equal(json_array_size(need(json, "runs.0.results.0.relatedLocations")), 100);
    assert_has(text_at(json, "runs.0.results.0.message.text"),
               "Also [another place](1), [here](2), ");
    assert_has(text_at(json, "runs.0.invocations.0.toolExecutionNotifications.0.message.text"),
               "100 related locations");
    json_decref(json);
    ptxlint_module_free(module);
}

/* ---- rules in SARIF -------------------------------------------------------------------------- */

static json_t *rule_of(const ptxlint_rule *rule)
{
    Out out;
    Json json;
    Text text = { 0 };
    ptx_out_init(&out, kit_write, &text);
    ptx_sarif_rule(ptx_json_init(&json, &out), rule, NULL);
    ptx_out_flush(&out);
    json_t *value = json_loads(text.bytes, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    free(text.bytes);
    return value;
}

static void test_sarif_rule(void **state)
{
    (void)state;
    static const ptxlint_example example = {
        .title = "one", .bad = "bad;\n", .good = "good;", .cuda_bad = "x();"
    };
    static const char *const sources[] = { "a book" };
    ptxlint_rule rule = {
        .code = "THR102",
        .name = "slow-thing",
        .group = "throughput",
        .severity = PTXLINT_NOTE,
        .certainty = PTXLINT_BOUND,
        .summary = "A slow thing.",
        .doc = "It is\nslow.\n\n## Why\n\nSo.\n",
        .examples = &example,
        .example_count = 1,
        .sources = sources,
        .source_count = 1,
    };
    json_t *json = rule_of(&rule);
    assert_string_equal(text_at(json, "id"), "THR102");
    assert_string_equal(text_at(json, "shortDescription.text"), "A slow thing.");
    assert_string_equal(text_at(json, "fullDescription.text"), "It is slow.");
    assert_string_equal(text_at(json, "help.text"), rule.doc);
    assert_string_equal(
        text_at(json, "help.markdown"),
        "# THR102 slow-thing\n\nA slow thing.\n\nIt is\nslow.\n\n## Why\n\nSo.\n\n## Examples\n\n"
        "### one\n\nCUDA with a finding:\n\n```cuda\nx();\n```\n\nPTX with a "
        "finding:\n\n```ptx\nbad;\n```\n\n"
        "Better PTX:\n\n```ptx\ngood;\n```\n\n## Sources\n\n- a book\n");
    assert_string_equal(text_at(json, "defaultConfiguration.level"), "note");
    assert_string_equal(text_at(json, "properties.precision"), "high");
    json_t *severity = json_object_get(need(json, "properties"), "problem.severity");
    assert_string_equal(json_string_value(severity), "recommendation");
    assert_string_equal(text_at(json, "properties.tags.1"), "throughput");
    json_decref(json);
}

/* Nothing said: no text is empty. And 1,024 characters are the most. */
static void test_sarif_rule_texts(void **state)
{
    (void)state;
    char long_text[3001] = "";
    for (int i = 0; i < 1000; i++)
        strcat(long_text, "\xe2\x82\xac");
    ptxlint_rule rule = { .code = "X101",
                          .name = "x",
                          .group = "",
                          .severity = PTXLINT_ERROR,
                          .summary = "",
                          .doc = "" };
    json_t *json = rule_of(&rule);
    assert_string_equal(text_at(json, "shortDescription.text"), "x");
    assert_string_equal(text_at(json, "fullDescription.text"), "x");
    assert_string_equal(text_at(json, "help.text"), "x");
    json_decref(json);
    rule.summary = rule.doc = long_text;
    json = rule_of(&rule);
    assert_int_equal(strlen(text_at(json, "shortDescription.text")), 340 * 3 + 3);
    assert_int_equal(strlen(text_at(json, "fullDescription.text")), 340 * 3 + 3);
    assert_int_equal(strlen(text_at(json, "help.text")), 3000);
    json_decref(json);
}

/* ---- writing --------------------------------------------------------------------------------- */

static int write_nothing(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return 1;
}

static void test_write_fails(void **state)
{
    (void)state;
    static const ptxlint_format formats[] = { PTXLINT_JSONL, PTXLINT_SARIF, PTXLINT_GITHUB };
    ptxlint_module *module = module_at("a.ptx", ONE);
    for (size_t i = 0; i < COUNT(formats); i++) {
        ptxlint_write_options options;
        ptxlint_write_options_init(&options);
        options.format = formats[i];
        assert_int_equal(ptxlint_write_diagnostics((const ptxlint_module *const *)&module, 1,
                                                   &options, write_nothing, NULL),
                         PTXLINT_WRITE);
    }
    ptxlint_module_free(module);
}

UNIT(formats)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_suppressed),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_jsonl),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_github_escapes),
        cmocka_unit_test(test_github_places),
        cmocka_unit_test(test_github_limits),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_line_hashes),
        cmocka_unit_test(test_line_hashes_limit),
        cmocka_unit_test(test_own_fingerprint),
        cmocka_unit_test(test_sarif_result),
        cmocka_unit_test(test_sarif_source),
        cmocka_unit_test(test_sarif_no_place),
        cmocka_unit_test(test_sarif_limits),
        cmocka_unit_test(test_sarif_many_related),
        cmocka_unit_test(test_sarif_rule),
        cmocka_unit_test(test_sarif_rule_texts),
        cmocka_unit_test(test_write_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
