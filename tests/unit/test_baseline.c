/* test_baseline.c -- baselines: which findings are the same one in another version of a file, what
 * is stale, and files that are no baseline. */
#include "kit.h"

#include "compare/key.h"

#include <unistd.h>

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

/* A kernel in which each `body` line computes a double-precision literal or the like; MEM201 needs
 * no launch. */
#define KERNEL(name, reg, label, body)                                                             \
    ".visible .entry " name                                                                        \
    "(.param .u64 in, .param .u64 out)\n.maxntid 256\n{\n.reg .b32 %r<9" reg                       \
    ">; .reg .b64 %rd<9" reg ">; .reg .f32 %f<9" reg ">; .reg .pred %p<9>;\n"                      \
    "ld.param.u64 %rd" reg ", [in];\nmov.u32 %r" reg ", %tid.x;\nmul.wide.u32 %rd1" reg ", %r" reg \
    ", 128;\nadd.s64 %rd2" reg ", %rd" reg ", %rd1" reg ";\n" label ":\n" body                     \
    "st.global.f32 [%rd2" reg "], %f" reg ";\nret;\n}\n"
#define LOAD(reg) "ld.global.f32 %f" reg ", [%rd2" reg "];\n"

static ptxlint_module *module_of(const char *text, const ptxlint_baseline *baseline)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.baseline = baseline;
    options.findings_only = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

/* Of the findings of some texts. */
static ptxlint_baseline *baseline_of(const char *const *texts, size_t count)
{
    ptxlint_baseline *baseline;
    assert_int_equal(ptxlint_baseline_new(&baseline), PTXLINT_OK);
    for (size_t i = 0; i < count; i++) {
        ptxlint_module *module = module_of(texts[i], NULL);
        assert_int_equal(ptxlint_baseline_add(baseline, module), PTXLINT_OK);
        ptxlint_module_free(module);
    }
    return baseline;
}

/* Rules of the findings that are new, "MEM201 MEM201", to be freed. */
static char *new_findings(const char *text, const ptxlint_baseline *baseline)
{
    Text list = { 0 };
    size_t count;
    ptxlint_module *module = module_of(text, baseline);
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    kit_put(&list, "", 0);
    for (size_t i = 0; i < count; i++)
        if (all[i].suppression == PTXLINT_NOT_SUPPRESSED)
            kit_print(&list, "%s%s", list.length ? " " : "", all[i].rule);
        else
            assert_int_equal(all[i].suppression, PTXLINT_SUPPRESSED_BY_BASELINE);
    ptxlint_module_free(module);
    return list.bytes;
}

static size_t stale_of(const ptxlint_baseline *known, const char *text)
{
    size_t stale;
    ptxlint_baseline *found = baseline_of(&text, 1);
    assert_int_equal(ptxlint_baseline_stale(known, found, NULL, &stale), PTXLINT_OK);
    ptxlint_baseline_free(found);
    return stale;
}

static char *written(const ptxlint_baseline *baseline)
{
    Text text = { 0 };
    kit_put(&text, "", 0);
    assert_int_equal(ptxlint_baseline_write(baseline, kit_write, &text), PTXLINT_OK);
    return text.bytes;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void test_statements(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } cases[] = {
        { "ld.global.f32 %f17, [%rd5+16]; // x", "ld.global.f32 %f, [%rd]" },
        { "@%p3 ld.global.f32\t%f1,[%rd99];", "@%p ld.global.f32 %f, [%rd]" },
        { "@!%p3 bra $L__BB0_12;", "@!%p bra $" },
        { "bra.uni loop_7;", "bra.uni $" },
        { "ld.param.u64 %rd1, [_Z4gemmPf_param_2];", "ld.param.u64 %rd, [param_2]" },
        { "mov.u32 %r1, %ctaid.x;", "mov.u32 %r, %ctaid.x" },
        { "mov.u32 %r1, %tid.y;", "mov.u32 %r, %tid.y" },
        { "add.s32 r12, r3, -4;", "add.s32 r, r, -4" },
        { "shl.b32 %r1, %r2, 3;", "shl.b32 %r, %r, 3" },
        { "fma.rn.f32 %f1, %f2, 0f3F800000, %f4;", "fma.rn.f32 %f, %f, 0f3F800000, %f" },
        { "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1 + -32];", "ld.shared.v4.f32 {%f, %f, %f, %f}, [%r]" },
        { "ld.shared.f32 %f1, [tile3+128];", "ld.shared.f32 %f, [tile]" },
        { "ld.shared.f32 %f1, [_ZZ4racePfE1s+128];", "ld.shared.f32 %f, [1s]" },
        { "mov.u32 %r1, _ZZN2ns4gemmIfLi4EEEvPT_E4tile_1;", "mov.u32 %r, 4tile_" },
        { "mov.u32 %r1, _ZZE;", "mov.u32 %r, _ZZE" },
        { "mov.u32 %r1, _ZZ1kvE99999999999999999999s;",
          "mov.u32 %r, _ZZ1kvE99999999999999999999s" },
        { "cp.async.bulk.shared::cluster.global [%r1], [%rd1], 16, [%r2];", "cp.async.bulk.shared::cluster.global [%r], [%rd], 16, [%r]" },
        { ".global .align 4 .b8 buffer12[1024];", ".global .align 4 .b8 buffer[1024]" },
        { ".visible .entry _Z4gemmPf(", "" },
        { "/* why */ ret;", "ret" },
        { "", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[256];
        ptxlint_module *module = module_of(cases[i].text, NULL);
        size_t length = ptxlint_module_statement(module, 0, got, sizeof got);
        assert_string_equal(got, cases[i].want);
        assert_int_equal(length, strlen(got));
        assert_int_equal(
            ptxlint_module_statement(module, UINT32_MAX, got, 0),
            ptxlint_module_statement(module, (uint32_t)strlen(cases[i].text), got, sizeof got));
        ptxlint_module_free(module);
    }
}

/* However long a statement is, its normal form is short, and what comes late in it counts. */
static void test_long_statements(void **state)
{
    (void)state;
    char text[2][2100], got[2][256];
    for (int i = 0; i < 2; i++) {
        memset(text[i], 'x', sizeof text[i] - 1);
        memcpy(text[i], "call ", 5);
        text[i][2000] = i ? 'y' : 'x';
        text[i][2099] = 0;
        ptxlint_module *module = module_of(text[i], NULL);
        assert_in_range(ptxlint_module_statement(module, 0, got[i], sizeof got[i]), 100, 200);
        ptxlint_module_free(module);
    }
    assert_string_not_equal(got[0], got[1]);
}

static void test_kernel_names(void **state)
{
    (void)state;
    static const struct { const char *name, *want; } cases[] = {
        { "saxpy", "saxpy" },
        { "_ZN34_GLOBAL__N__18ca7558_4_a_cu__Z1fPf1kILi3EEEvPf", "_ZN*1kILi3EEEvPf" },
        { "_ZN43_GLOBAL__N__b783a203_10_kernels_cu_15e2ec406columnILi33EEEvPKfPf", "_ZN*6columnILi33EEEvPKfPf" },
        { "_ZN4core3num17h0123456789abcdefE", "_ZN4core3num17h*E" },
        { "deadbeef", "deadbeef" },
        { "deadbee1", "*" },
        { "k_0d1d2d3", "k_0d1d2d3" },
        { "_ZN999_GLOBAL__N_1kE", "_ZN999_GLOBAL__N_1kE" },
    };
    jmp_buf on_failure;
    Arena arena;
    ptx_arena_init(&arena, 1 << 20, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(ptx_key_kernel(&arena, cases[i].name, strlen(cases[i].name)),
                            cases[i].want);
    ptx_arena_free(&arena);
}

/* ---- what is the same finding ---------------------------------------------------------------- */

#define BASE HEAD KERNEL("a", "1", "L1", LOAD("1")) KERNEL("b", "1", "L2", LOAD("1"))

static void test_same(void **state)
{
    (void)state;
    static const struct { const char *what, *text, *want; } cases[] = {
        { "itself", BASE, "" },
        { "registers renumbered", HEAD KERNEL("a", "7", "L1", LOAD("7")) KERNEL("b", "8", "L2", LOAD("8")), "" },
        { "labels renamed", HEAD KERNEL("a", "1", "again", LOAD("1")) KERNEL("b", "1", "$L__BB9_3", LOAD("1")), "" },
        { "lines shifted", HEAD "\n\n// x\n" KERNEL("a", "1", "L1", "\n\n" LOAD("1")) "\n" KERNEL("b", "1", "L2", "// y\n" LOAD("1")), "" },
        { "functions reordered", HEAD KERNEL("b", "1", "L2", LOAD("1")) KERNEL("a", "1", "L1", LOAD("1")), "" },
        { "one repaired", HEAD KERNEL("a", "1", "L1", "mov.f32 %f1, 0f00000000;\n") KERNEL("b", "1", "L2", LOAD("1")), "" },
        { "one more of them", HEAD KERNEL("a", "1", "L1", LOAD("1") LOAD("1")) KERNEL("b", "1", "L2", LOAD("1")), "MEM201" },
        { "in another kernel", BASE KERNEL("c", "1", "L3", LOAD("1")), "MEM201 MEM201" },
    };
    static const char *const base[] = { BASE };
    ptxlint_baseline *known = baseline_of(base, 1);
    char *first = new_findings(BASE, NULL);
    assert_non_null(strstr(first, "MEM201"));           /* else nothing is tested */
    free(first);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *got = new_findings(cases[i].text, known);
        const char *want = cases[i].want;
        bool is_good = *want ? !strncmp(got, "MEM201", 6) : !*got;
        if (!is_good)
            fail_msg("%s: new `%s`, want `%s`", cases[i].what, got, want);
        free(got);
    }
    ptxlint_baseline_free(known);
}

/* The same source compiled in other ways: tests/compare/README.md. */
static void test_recompiled(void **state)
{
    (void)state;
    static const struct { const char *path, *want; size_t stale; } cases[] = {
        { "tests/compare/base.ptx", "", 0 },
        { "tests/compare/sm_90.ptx", "", 0 },
        { "tests/compare/lineinfo.ptx", "", 0 },
        { "tests/compare/added.ptx", "", 0 },
        { "tests/compare/renamed.ptx", "", 0 },
        { "tests/compare/unrolled.ptx", "THR102", SIZE_MAX },
    };
    char *base = kit_read(cases[0].path, NULL);
    ptxlint_baseline *known = baseline_of((const char *const[]){ base }, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = kit_read(cases[i].path, NULL), *got = new_findings(text, known);
        size_t stale = stale_of(known, text);
        if (*cases[i].want ? !strstr(got, cases[i].want) : *got != 0)
            fail_msg("%s: new `%s`, want `%s`", cases[i].path, got, cases[i].want);
        if (cases[i].stale == SIZE_MAX ? !stale : stale != cases[i].stale)
            fail_msg("%s: %zu stale", cases[i].path, stale);
        free(text);
        free(got);
    }
    ptxlint_baseline_free(known);
    free(base);
}

/* ---- stale entries, files -------------------------------------------------------------------- */

static void test_stale(void **state)
{
    (void)state;
    static const char *const base[] = { BASE };
    static const char *const repaired[] = { HEAD KERNEL(
        "a", "1", "L1", "mov.f32 %f1, 0f00000000;\n") KERNEL("b", "1", "L2", LOAD("1")) };
    static const char *const only_b[] = { HEAD KERNEL("b", "1", "L2", LOAD("1")) };
    size_t pruned;
    ptxlint_baseline *known = baseline_of(base, 1), *found = baseline_of(only_b, 1);
    size_t before = ptxlint_baseline_size(known);
    assert_int_equal(stale_of(known, base[0]), 0);
    assert_true(stale_of(known, repaired[0]) > 0);
    assert_int_equal(stale_of(known, only_b[0]), 0);            /* a was not read: not known */
    assert_int_equal(ptxlint_baseline_prune(known, found, NULL, &pruned), PTXLINT_OK);
    assert_true(pruned > 0 && ptxlint_baseline_size(known) == before - pruned);
    assert_int_equal(ptxlint_baseline_prune(known, found, NULL, &pruned), PTXLINT_OK);
    assert_int_equal(pruned, 0);
    char *a = new_findings(base[0], known), *b = new_findings(only_b[0], known);
    assert_non_null(strstr(a, "MEM201"));
    assert_string_equal(b, "");
    free(a);
    free(b);
    ptxlint_baseline_free(known);
    ptxlint_baseline_free(found);
}

/* Findings of a rule that is off are not made, so they are not gone. */
static void test_stale_off(void **state)
{
    (void)state;
    static const char *const base[] = { BASE }, *const nothing[] = {
        HEAD
        ".visible .entry a()\n.maxntid 1\n{\nret;\n}\n.visible .entry b()\n.maxntid 1\n{\nret;\n}\n"
    };
    size_t with, without;
    ptxlint_config *config;
    ptxlint_baseline *known = baseline_of(base, 1), *found = baseline_of(nothing, 1);
    assert_int_equal(ptxlint_config_new(NULL, &config), PTXLINT_OK);
    assert_int_equal(ptxlint_baseline_stale(known, found, config, &with), PTXLINT_OK);
    assert_int_equal(ptxlint_config_set(config, "ignore", "MEM201", NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_baseline_stale(known, found, config, &without), PTXLINT_OK);
    /* in each kernel the load and the store are one */
    assert_int_equal(with, without + 2);
    ptxlint_config_free(config);
    ptxlint_baseline_free(known);
    ptxlint_baseline_free(found);
}

/* What is written reads back as the same, and the order of modules does not show. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = { BASE, HEAD KERNEL("c", "1", "L", LOAD("1") LOAD("1")) };
    const char *const turned[] = { texts[1], texts[0] };
    char error[256] = "";
    ptxlint_baseline *one = baseline_of(texts, 2), *two = baseline_of(turned, 2), *back;
    char *a = written(one), *b = written(two);
    assert_string_equal(a, b);
    assert_int_equal(ptxlint_baseline_new(&back), PTXLINT_OK);
    assert_int_equal(ptxlint_baseline_read(back, "b.json", a, strlen(a), error, sizeof error),
                     PTXLINT_OK);
    char *c = written(back);
    assert_string_equal(a, c);
    /* as a merge may: no more for it */
    assert_int_equal(ptxlint_baseline_read(back, "b.json", a, strlen(a), error, sizeof error),
                     PTXLINT_OK);
    char *d = written(back);
    assert_string_equal(a, d);
    free(a);
    free(b);
    free(c);
    free(d);
    ptxlint_baseline_free(one);
    ptxlint_baseline_free(two);
    ptxlint_baseline_free(back);
}

#define FILE_OF(entry) "{\"schema\": \"ptxlint-baseline/1\", \"findings\": [" entry "]}"
#define ENTRY(rule, kernel, statement, count)                                                      \
    "{\"rule\": " rule ", \"kernel\": " kernel ", \"statement\": " statement ", \"count\": " count \
    "}"

static void test_bad_files(void **state)
{
    (void)state;
    static const struct { const char *text, *want; } cases[] = {
        { FILE_OF(""), NULL },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "1")), NULL },
        { "", "b.json:1:1: error: " },
        { "{", "b.json:1:1: error: " },
        { "[]", "no baseline" },
        { "{\"schema\": \"ptxlint-report/1\", \"findings\": []}", "no baseline" },
        { "{\"schema\": \"ptxlint-baseline/1\", \"findings\": {}}", "no baseline" },
        { "{\"schema\": \"ptxlint-baseline/1\",\n<<<<<<< HEAD\n\"findings\": []}", "b.json:2:" },
        { FILE_OF("1"), "findings[0]: an object" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "1") ", []"), "findings[1]: an object" },
        { FILE_OF(ENTRY("1", "\"k\"", "\"\"", "1")), "findings[0]: \"rule\"" },
        { FILE_OF(ENTRY("\"\"", "\"k\"", "\"\"", "1")), "findings[0]: \"rule\"" },
        { FILE_OF(ENTRY("\"A\"", "null", "\"\"", "1")), "\"kernel\"" },
        { FILE_OF(ENTRY("\"A\"", "\"a\\u0000b\"", "\"\"", "1")), "\"kernel\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "7", "1")), "\"statement\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "0")), "\"count\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "-1")), "\"count\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "1.5")), "\"count\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "9223372036854775807")), "\"count\"" },
        { FILE_OF(ENTRY("\"A\"", "\"k\"", "\"\"", "99999999999999999999")), "error: " },
        { FILE_OF("{\"rule\": \"A\", \"rule\": \"B\"}"), "error: " },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char error[256] = "";
        ptxlint_baseline *baseline;
        assert_int_equal(ptxlint_baseline_new(&baseline), PTXLINT_OK);
        ptxlint_status status = ptxlint_baseline_read(baseline, "b.json", cases[i].text,
                                                      strlen(cases[i].text), error, sizeof error);
        if (status != (cases[i].want ? PTXLINT_BAD_FILE : PTXLINT_OK)
            || (cases[i].want && !strstr(error, cases[i].want)))
            fail_msg("%s: %d, %s", cases[i].text, (int)status, error);
        ptxlint_baseline_free(baseline);
    }
}

/* Every beginning of a file is refused with a reason. */
static void test_cut(void **state)
{
    (void)state;
    static const char *const base[] = { BASE };
    ptxlint_baseline *known = baseline_of(base, 1);
    char *text = written(known);
    for (size_t length = 0; length + 3 < strlen(text); length++) {
        char error[256] = "";
        ptxlint_baseline *baseline;
        assert_int_equal(ptxlint_baseline_new(&baseline), PTXLINT_OK);
        assert_int_equal(
            ptxlint_baseline_read(baseline, "b.json", text, length, error, sizeof error),
            PTXLINT_BAD_FILE);
        assert_true(*error);
        ptxlint_baseline_free(baseline);
    }
    free(text);
    ptxlint_baseline_free(known);
}

static void test_arguments(void **state)
{
    (void)state;
    size_t count;
    ptxlint_baseline *baseline;
    assert_int_equal(ptxlint_baseline_new(NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_new(&baseline), PTXLINT_OK);
    assert_int_equal(ptxlint_baseline_read(baseline, NULL, "", 0, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_read(baseline, "b", NULL, 1, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_read(baseline, "b", NULL, 0, NULL, 0), PTXLINT_BAD_FILE);
    assert_int_equal(ptxlint_baseline_add(baseline, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_stale(baseline, NULL, NULL, &count), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_prune(NULL, baseline, NULL, &count), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_write(baseline, NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_baseline_size(NULL), 0);
    ptxlint_baseline_free(baseline);
    ptxlint_baseline_free(NULL);
}

UNIT(baseline)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_long_statements),
        cmocka_unit_test(test_kernel_names),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_recompiled),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_stale_off),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
