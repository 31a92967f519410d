/* test_diff.c -- two versions side by side: which kernel is which, what has changed, saved reports,
 * documents. */
#include "kit.h"

#include <time.h>

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(name, body)                                                                  \
    ".visible .entry " name "(.param .u64 p)\n.maxntid 64\n{\n.reg .b32 %r<99>; .reg .b64 " \
                            "%rd<9>; .reg .f32 %f<9>;\nld.param.u64 %rd1, [p];\n"           \
    "mov.u32 %r1, 1;\n" body "st.global.u32 [%rd1], %r1;\nret;\n}\n"
#define ADD "add.s32 %r1, %r1, 1;\n"
#define MUL "mul.lo.s32 %r1, %r1, 3;\n"
#define MANY ADD ADD MUL ADD MUL MUL ADD ADD MUL ADD

#define SHARED(name) ".shared .b32 " name ";\nst.shared.u32 [" name "], 5;\n"

static ptxlint_report *report_new(void)
{
    ptxlint_report *report;
    assert_int_equal(ptxlint_report_new(&report), PTXLINT_OK);
    return report;
}

static void add_text(ptxlint_report *report, const char *path, const char *text)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = path;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    assert_int_equal(ptxlint_report_add(report, module), PTXLINT_OK);
    ptxlint_module_free(module);
}

static ptxlint_report *report_of(const char *text)
{
    ptxlint_report *report = report_new();
    add_text(report, "a.ptx", text);
    return report;
}

static ptxlint_diff *diff_of(const ptxlint_report *a, const ptxlint_report *b,
                             const char *tolerance)
{
    char error[256] = "";
    ptxlint_diff *diff;
    if (ptxlint_diff_new(a, b, &tolerance, tolerance != NULL, &diff, error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s", error);
    return diff;
}

static char *written(const ptxlint_diff *diff, ptxlint_format format, size_t max_bytes)
{
    Text text = { 0 };
    ptxlint_diff_options options;
    ptxlint_diff_options_init(&options);
    options.format = format;
    options.max_bytes = max_bytes;
    options.accept = "ptxlint report --format json --output old.json new.ptx";
    kit_put(&text, "", 0);
    assert_int_equal(ptxlint_write_diff(diff, &options, kit_write, &text), PTXLINT_OK);
    return text.bytes;
}

static void assert_has(const char *what, const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s: no `%s` in:\n%s", what, part, text);
}

/* ---- matching and verdicts ------------------------------------------------------------------- */

static void test_cases(void **state)
{
    (void)state;
    static const struct {
        const char *what, *old_text, *new_text, *tolerance;
        size_t regressed, added, removed, same;
        const char *part;
    } cases[] = {
        { "the same", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD), NULL, 0, 0, 0, 1, "0 of 1 kernel regressed, 1 the same" },
        { "reordered", HEAD KERNEL("a", ADD) KERNEL("b", MUL), HEAD KERNEL("b", MUL) KERNEL("a", ADD), NULL, 0, 0, 0, 2, "" },
        { "grown", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD ADD), NULL, 0, 0, 0, 0, "instructions                        5              6             +1    +20.0 %\n" },
        { "grown, and that counts", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD ADD), "instructions=0", 1, 0, 0, 0, "+20.0 %  REGRESSED" },
        { "grown within a percentage", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD ADD), "instructions=20%", 0, 0, 0, 0, "" },
        { "grown within a number", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD ADD), "instructions=1", 0, 0, 0, 0, "" },
        { "shrunk", HEAD KERNEL("a", ADD ADD), HEAD KERNEL("a", ADD), "instructions=0", 0, 0, 0, 0, "-16.7 %  better" },
        { "class", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD "mul.f32 %f1, 0f00000000, 0f00000000;\nst.global.f32 [%rd1], %f1;\n"), "registers=off", 0, 0, 0, 0, "    fp32                              0              1             +1\n" },
        { "added", HEAD KERNEL("a", ADD), HEAD KERNEL("a", ADD) KERNEL("other", MANY), NULL, 0, 1, 0, 1, "[NEW] other (a.ptx:" },
        { "removed", HEAD KERNEL("a", ADD) KERNEL("other", MANY), HEAD KERNEL("a", ADD), NULL, 0, 0, 1, 1, "[DEL] other (a.ptx:" },
        { "another hash", HEAD KERNEL("_ZN34_GLOBAL__N__18ca7558_4_a_cu__Z1fPf1kEv", ADD), HEAD KERNEL("_ZN34_GLOBAL__N__0a7fdab6_4_b_cu__Z1fPf1kEv", ADD ADD), NULL,
          0, 0, 0, 0, "(anonymous namespace)::k() (a.ptx:4, sm_80)\n  instructions " },
        { "renamed", HEAD KERNEL("before", MANY), HEAD KERNEL("after", MANY), NULL, 0, 0, 0, 1, "" },
        { "renamed, and so what it shares", HEAD KERNEL("_Z6beforev", SHARED("_ZZ6beforevE1s") MANY),
          HEAD KERNEL("_Z5afterv", SHARED("_ZZ5aftervE1s") MANY), NULL, 0, 0, 0, 1, "" },
        { "renamed, and registers numbered anew", HEAD KERNEL("before", "mov.u32 %r2, 5;\n" MANY), HEAD KERNEL("after", "mov.u32 %r77, 5;\n" MANY), NULL, 0, 0, 0, 1, "" },
        { "a template with another argument", HEAD KERNEL("_Z4gemmILi128EEvPf", MANY), HEAD KERNEL("_Z4gemmILi256EEvPf", MANY ADD), NULL, 0, 0, 0, 0,
          "taken for another version of gemm<128>(float*)" },
        { "another function", HEAD KERNEL("_Z4gemmILi128EEvPf", MANY), HEAD KERNEL("_Z4axpyILi128EEvPf", MANY ADD), NULL, 0, 1, 1, 0, "" },
        { "a new warning", HEAD KERNEL("a", ADD), HEAD KERNEL("a", "add.s32 %r1, %r7, 1;\n"), NULL, 1, 0, 0, 0, "new   warning[COR101]" },
        { "a warning that was there", HEAD KERNEL("a", "add.s32 %r1, %r7, 1;\n"), HEAD KERNEL("a", "add.s32 %r1, %r5, 1;\n"), NULL, 0, 0, 0, 1, "" },
        { "a warning that may be new", HEAD KERNEL("a", ADD), HEAD KERNEL("a", "add.s32 %r1, %r7, 1;\n"), "findings=1", 0, 0, 0, 0, "" },
        { "a warning that is gone", HEAD KERNEL("a", "add.s32 %r1, %r7, 1;\n"), HEAD KERNEL("a", ADD), NULL, 0, 0, 0, 0, "fixed warning[COR101]" },
        { "a warning in a new kernel", HEAD, HEAD KERNEL("a", "add.s32 %r1, %r7, 1;\n"), NULL, 1, 1, 0, 0, "new   warning[COR101]" },
        { "another target", HEAD KERNEL("a", ADD), ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL("a", ADD ADD), NULL, 0, 0, 0, 0, "the GPU differs: it was sm_80" },
        { "nothing", HEAD, HEAD, NULL, 0, 0, 0, 0, "0 of 0 kernels regressed" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_report *a = report_of(cases[i].old_text), *b = report_of(cases[i].new_text);
        ptxlint_diff *diff = diff_of(a, b, cases[i].tolerance);
        const ptxlint_diff_info *info = ptxlint_diff_get_info(diff);
        char *text = written(diff, PTXLINT_TEXT, 0);
        if (info->regressed_count != cases[i].regressed || info->added_count != cases[i].added
            || info->removed_count != cases[i].removed || info->same_count != cases[i].same)
            fail_msg("%s: %zu regressed, %zu added, %zu removed, %zu the same\n%s", cases[i].what,
                     info->regressed_count, info->added_count, info->removed_count,
                     info->same_count, text);
        assert_has(cases[i].what, text, cases[i].part);
        assert_true(!strstr(text, "to accept it: ") == !info->regressed_count);
        free(text);
        ptxlint_diff_free(diff);
        ptxlint_report_free(a);
        ptxlint_report_free(b);
    }
}

/* The same kernel in several files is matched file by file, wherever the folders are. */
static void test_paths(void **state)
{
    (void)state;
    ptxlint_report *a = report_new(), *b = report_new();
    add_text(a, "old/build/x/k.ptx", HEAD KERNEL("k", ADD));
    add_text(a, "old/build/y/k.ptx", HEAD KERNEL("k", MUL));
    add_text(b, "new/y/k.ptx", HEAD KERNEL("k", MUL));
    add_text(b, "new/x/k.ptx", HEAD KERNEL("k", ADD));
    ptxlint_diff *diff = diff_of(a, b, NULL);
    assert_int_equal(ptxlint_diff_get_info(diff)->same_count, 2);
    ptxlint_diff_free(diff);
    ptxlint_report_free(a);
    ptxlint_report_free(b);
}

static void test_tolerances(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } cases[] = {
        { "register=5", "names no metric" }, { "registers", "is not METRIC=NUMBER" }, { "registers=", "is not METRIC=" }, { "registers=-1", "is not METRIC=" },
        { "registers=1.2.3", "is not METRIC=" }, { "registers=5%%", "is not METRIC=" }, { "registers=99999999999999999999", "is not METRIC=" }, { "", "names no metric" },
    };
    ptxlint_report *a = report_of(HEAD KERNEL("a", ADD)),
                   *b = report_of(HEAD KERNEL("a", ADD ADD ADD));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char error[256] = "";
        ptxlint_diff *diff;
        assert_int_equal(ptxlint_diff_new(a, b, &cases[i].text, 1, &diff, error, sizeof error),
                         PTXLINT_BAD_FILE);
        assert_has(cases[i].text, error, cases[i].want);
    }
    ptxlint_diff *diff = diff_of(a, b, "instructions=0");
    char needed[64];
    assert_int_equal(ptxlint_diff_tolerance_at(diff, 0, needed, sizeof needed), 1);
    assert_string_equal(needed, "instructions=2");
    assert_int_equal(ptxlint_diff_tolerance_at(diff, 1, needed, sizeof needed), 0);
    ptxlint_diff_free(diff);
    diff = diff_of(a, b, "instructions=2");
    assert_int_equal(ptxlint_diff_get_info(diff)->regressed_count, 0);
    ptxlint_diff_free(diff);
    ptxlint_report_free(a);
    ptxlint_report_free(b);
}

/* ---- saved reports --------------------------------------------------------------------------- */

static char *saved(const char *path, const char *const *gpu_names)
{
    Text text = { 0 };
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_write_options how;
    const ptxlint_gpu *gpus[4];
    ptxlint_options_init(&options);
    ptxlint_write_options_init(&how);
    how.format = PTXLINT_JSON;
    options.gpus = gpus;
    for (; gpu_names && gpu_names[options.gpu_count]; options.gpu_count++)
        gpus[options.gpu_count] = ptxlint_gpu_find(gpu_names[options.gpu_count]);
    char *source = kit_read(path, NULL);
    options.path = path;
    assert_int_equal(ptxlint_module_new(source, strlen(source), &options, &module), PTXLINT_OK);
    const ptxlint_module *modules[] = { module };
    assert_int_equal(ptxlint_write_report(modules, 1, &how, kit_write, &text), PTXLINT_OK);
    ptxlint_module_free(module);
    free(source);
    return text.bytes;
}

/* A module and its own saved report do not differ, on one GPU or several. */
static void test_saved(void **state)
{
    (void)state;
    static const char *const paths[] = { "tests/compare/base.ptx", "tests/compare/unrolled.ptx",
                                         "testdata/ptx/saxpy.sm_90.ptx",
                                         "testdata/ptx/fp64_pitfalls.sm_90.ptx" };
    static const char *const gpus[] = { "h200", "a100", NULL };
    for (size_t i = 0; i < COUNT(paths); i++) {
        char error[256] = "", *one = saved(paths[i], gpus), *two = saved(paths[i], NULL),
             *source = kit_read(paths[i], NULL);
        ptxlint_report *a = report_new(), *b = report_new(), *c = report_new();
        assert_int_equal(ptxlint_report_read(a, "a.json", one, strlen(one), error, sizeof error),
                         PTXLINT_OK);
        assert_int_equal(ptxlint_report_read(b, "b.json", two, strlen(two), error, sizeof error),
                         PTXLINT_OK);
        add_text(c, paths[i], source);
        assert_int_equal(ptxlint_report_size(a), 2 * ptxlint_report_size(c));
        ptxlint_diff *diff = diff_of(b, c, NULL);
        const ptxlint_diff_info *info = ptxlint_diff_get_info(diff);
        if (!info->kernel_count || info->same_count != info->kernel_count) {
            char *text = written(diff, PTXLINT_TEXT, 0);
            fail_msg("%s: %s", paths[i], text);
        }
        ptxlint_diff_free(diff);
        ptxlint_report_free(a);
        ptxlint_report_free(b);
        ptxlint_report_free(c);
        free(one);
        free(two);
        free(source);
    }
}

#define REPORT(files, rest) "{\"schema\":\"ptxlint-report/1\",\"files\":[" files "]" rest "}"

static void test_bad_reports(void **state)
{
    (void)state;
    static const struct { const char *text, *want;
    } cases[] = {
        { REPORT("", ""), NULL },
        { REPORT("{\"kernels\":[]}", ",\"diagnostics\":[1,{},{\"kernel\":[]}]"), NULL },
        { REPORT("{\"path\":7,\"kernels\":[{\"name\":\"k\",\"metrics\":{\"registers\":{\"value\":"
                 "1e308,\"certainty\":\"exact\"},\"instructions\":7},\"line\":-5,"
                 "\"mix\":{\"classes\":{\"fma\":3}},\"launch\":[],\"body\":\"zz\"}]}",
                 ""),
          NULL },
        { REPORT("{\"kernels\":[{\"name\":\"k\",\"metrics\":{},\"projections\":[1,{}]}]}", ""),
          NULL },
        { "", "r.json:1:1: error: " },
        { "{", "r.json:1:1: error: " },
        { "[]", "no report" },
        { "{\"schema\":\"ptxlint-diff/1\",\"files\":[]}", "no report" },
        { "{\"schema\":\"ptxlint-report/1\",\"files\":{}}", "no report" },
        { REPORT("1", ""), "a file has no list of kernels" },
        { REPORT("{\"kernels\":[1]}", ""), "a kernel is an object with a name" },
        { REPORT("{\"kernels\":[{\"name\":\"k\"}]}", ""), "write the report again" },
        { REPORT("{\"kernels\":[{\"name\":\"k\",\"metrics\":{\"registers\":{\"value\":1e999}}}]}",
                 ""),
          "error: " },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char error[256] = "";
        ptxlint_report *report = report_new(), *empty = report_new();
        ptxlint_status status = ptxlint_report_read(report, "r.json", cases[i].text,
                                                    strlen(cases[i].text), error, sizeof error);
        if (status != (cases[i].want ? PTXLINT_BAD_FILE : PTXLINT_OK)
            || (cases[i].want && !strstr(error, cases[i].want)))
            fail_msg("%s: %d, %s", cases[i].text, (int)status, error);
        ptxlint_diff *diff = diff_of(report, empty, NULL);
        free(written(diff, PTXLINT_TEXT, 0));
        free(written(diff, PTXLINT_JSON, 0));
        free(written(diff, PTXLINT_MARKDOWN, 0));
        ptxlint_diff_free(diff);
        ptxlint_report_free(report);
        ptxlint_report_free(empty);
    }
}

static void test_cut(void **state)
{
    (void)state;
    char *text = saved("testdata/ptx/saxpy.sm_90.ptx", NULL);
    size_t whole = strlen(text);
    while (whole && text[whole - 1] != '}')
        whole--;
    for (size_t length = 0; length < whole; length += 1 + length / 64) {
        char error[256] = "";
        ptxlint_report *report = report_new();
        assert_int_equal(ptxlint_report_read(report, "r.json", text, length, error, sizeof error),
                         PTXLINT_BAD_FILE);
        assert_true(*error);
        ptxlint_report_free(report);
    }
    free(text);
}

/* ---- documents ------------------------------------------------------------------------------- */

/* tests/compare/old.json and new.json are written by hand, so that no model changes them.
 * PTXLINT_REWRITE=1 writes the documents anew. */
static void test_documents(void **state)
{
    (void)state;
    static const struct {
        ptxlint_format format;
        const char *path;
    } cases[] = { { PTXLINT_TEXT, "tests/compare/diff.txt" },
                  { PTXLINT_MARKDOWN, "tests/compare/diff.md" },
                  { PTXLINT_JSON, "tests/compare/diff.json" } };
    ptxlint_report *reports[2];
    static const char *const paths[] = { "tests/compare/old.json", "tests/compare/new.json" };
    for (int i = 0; i < 2; i++) {
        char error[256] = "", *json = kit_read(paths[i], NULL);
        reports[i] = report_new();
        if (ptxlint_report_read(reports[i], paths[i], json, strlen(json), error, sizeof error)
            != PTXLINT_OK)
            fail_msg("%s", error);
        free(json);
    }
    ptxlint_diff *diff = diff_of(reports[0], reports[1], NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *got = written(diff, cases[i].format, 0);
        if (getenv("PTXLINT_REWRITE"))
            kit_save(cases[i].path, got, strlen(got));
        char *want = kit_read(cases[i].path, NULL);
        if (strcmp(got, want) != 0)
            fail_msg("%s differs; PTXLINT_REWRITE=1 writes it anew:\n%s", cases[i].path, got);
        free(got);
        free(want);
    }
    ptxlint_diff_free(diff);
    ptxlint_report_free(reports[0]);
    ptxlint_report_free(reports[1]);
}

static char *many_kernels(size_t count, const char *prefix, const char *body)
{
    Text text = { 0 };
    kit_print(&text, "%s", HEAD);
    for (size_t i = 0; i < count; i++)
        kit_print(&text,
                  ".visible .entry %sILi%zuEEvv()\n.maxntid 64\n{\n.reg .b32 %%r<9>;\nmov.u32 "
                  "%%r1, %zu;\n%sret;\n}\n",
                  prefix, i, i, body);
    return text.bytes;
}

static double seconds_for(size_t count)
{
    char *one = many_kernels(count, "_Z4gemm", "add.s32 %r2, %r1, 1;\n"),
         *two = many_kernels(count, "_Z4gemm_", "add.s32 %r2, %r1, 1;\nadd.s32 %r3, %r1, 2;\n");
    char *three = many_kernels(count, "_Z4gemmIf", "sub.s32 %r2, %r1, 1;\n");
    ptxlint_report *a = report_of(one), *b = report_of(two), *c = report_of(three);
    clock_t begin = clock();
    ptxlint_diff *diff = diff_of(a, b, "instructions=0"), *other = diff_of(a, c, NULL);
    char *page = written(diff, PTXLINT_MARKDOWN, 0), *text = written(diff, PTXLINT_TEXT, 0);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_in_range(strlen(page), 100, 60000);
    assert_true(strlen(text) > 50 * count);
    assert_int_equal(ptxlint_diff_get_info(diff)->kernel_count,
                     ptxlint_diff_get_info(diff)->added_count + count);
    free(page);
    free(text);
    ptxlint_diff_free(diff);
    ptxlint_diff_free(other);
    ptxlint_report_free(a);
    ptxlint_report_free(b);
    ptxlint_report_free(c);
    free(one);
    free(two);
    free(three);
    return seconds;
}

/* Ten times as many kernels take about ten times as long, and a comment keeps its size. */
static void test_many(void **state)
{
    (void)state;
    double few = seconds_for(1000), many = seconds_for(10000);
    if (many > 40 * few + 0.5)
        fail_msg("%.3f s for 1,000 kernels, %.3f s for 10,000", few, many);
}

/* What a name or message may hold does not leave its cell, its line or its colour. */
static void test_hostile_text(void **state)
{
    (void)state;
    static const char json[] =
        "{\"schema\":\"ptxlint-report/"
        "1\",\"files\":[{\"path\":\"a\\u001b[31m\",\"kernels\":[{\"name\":\"k|`<b>\\u001b["
        "31m\\nx\",\"metrics\":{}}]}],"
        "\"diagnostics\":[{\"rule\":\"X|1\",\"path\":\"a\\u001b[31m\",\"kernel\":\"k|`<b>\\u001b["
        "31m\\nx\",\"severity\":\"error\",\"message\":\"<script>| \\u001b`\"}]}";
    char error[256];
    ptxlint_report *a = report_new(), *b = report_new();
    assert_int_equal(ptxlint_report_read(b, "b", json, strlen(json), error, sizeof error),
                     PTXLINT_OK);
    ptxlint_diff *diff = diff_of(a, b, NULL);
    char *text = written(diff, PTXLINT_TEXT, 0), *page = written(diff, PTXLINT_MARKDOWN, 0);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(page, '\x1b'));
    assert_non_null(strstr(page, "\\<script\\>&#124; \\<1b\\>\\`"));
    assert_non_null(strstr(page, "k&#124;\\`\\<b\\>\\<1b\\>"));
    free(text);
    free(page);
    ptxlint_diff_free(diff);
    ptxlint_report_free(a);
    ptxlint_report_free(b);
}

UNIT(diff)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_bad_reports),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_hostile_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
