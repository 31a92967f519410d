/* test_fix.c -- what edits make of texts, and for all kernels of the tree, with every edit and with
 * the certain ones: no error and no warning comes instead, and a second run changes nothing. */
#include "kit.h"

#ifdef SANITIZED
enum { EVERY = 8 };             /* files: the others behave alike */
#else
enum { EVERY = 1 };
#endif

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                       \
    HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n" \
         ".reg .b64 %rd<2>;\n.reg .pred %p<2>;\n"
#define LOAD "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
#define STORE "st.global.u32 [%rd1], %r1;\nret;\n}\n"
/* A loop of so few instructions that a note says so, which is found anew at its first barrier. */
#define RACE                                                                                       \
    HEAD ".visible .entry k(.param .u64 p, .param .u32 n) .reqntid 64\n{\n.reg .b32 %r<9>;\n"   \
         ".reg .b64 %rd<3>;\n.reg .pred %p<2>;\n.shared .b32 s[64];\n" LOAD                      \
         "ld.param.u32 %r7, [n];\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r1, 4, %r2;\n"               \
         "xor.b32 %r4, %r3, 128;\nmov.u32 %r5, 0;\nst.shared.u32 [%r3], %r1;\nL:\n"
#define RACE_STORE                                                                                 \
    "st.shared.u32 [%r3], %r6;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r7;\n@%p1 bra L;\n" \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r6;\nret;\n}\n"

static ptxlint_fixes *fix(const char *text, size_t length, int is_unsafe)
{
    ptxlint_options options;
    ptxlint_fix_options wanted;
    ptxlint_module *module;
    ptxlint_fixes *fixes;
    ptxlint_options_init(&options);
    ptxlint_fix_options_init(&wanted);
    options.findings_only = 1;
    wanted.is_unsafe = is_unsafe;
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    assert_int_equal(ptxlint_fixes_new(module, &options, &wanted, &fixes), PTXLINT_OK);
    ptxlint_module_free(module);
    return fixes;
}

/* ---- single edits ---------------------------------------------------------------------------- */

static const struct {
    const char *what, *before, *after;  /* after NULL: as before */
    int is_unsafe;
} cases[] = {
    { "a dead write goes with its line",
      KERNEL LOAD "  add.s32 %r2, %r1, 1;\r\n" STORE, KERNEL LOAD STORE, 0 },
    { "and what only it read",
      KERNEL LOAD "add.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2,\n  1;\n" STORE, KERNEL LOAD STORE, 0 },
    { "beside another statement it goes alone",
      KERNEL LOAD "L: @%p1 add.s32 %r2, %r1, 1; setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" STORE,
      KERNEL LOAD "L: setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\n" STORE, 0 },
    { "many in one kernel",
      KERNEL LOAD "add.s32 %r2, %r1, 1;\nadd.s32 %r3, %r1, 2;\nadd.s32 %r4, %r1, 3;\n" STORE,
      KERNEL LOAD STORE, 0 },
    { "a volatile load stays",
      KERNEL LOAD "ld.volatile.global.u32 %r2, [%rd1];\n" STORE, NULL, 1 },
    { "an unused comment goes, with its line where it stands alone",
      KERNEL LOAD "// ptxlint: ignore[MEM201] why\n" STORE, KERNEL LOAD STORE, 0 },
    { "or without it",
      KERNEL LOAD "st.global.u32 [%rd1], %r1; // ptxlint: ignore[MEM203] why\nret;\n}\n",
      KERNEL LOAD STORE, 0 },
    { "of a list what is unused",
      KERNEL LOAD "add.s32 %r2, %r1, 1; // ptxlint: ignore[MEM201, HYG101, THR102] kept\n" STORE,
      KERNEL LOAD "add.s32 %r2, %r1, 1; // ptxlint: ignore[HYG101] kept\n" STORE, 0 },
    { "a misspelt rule is a guess",
      KERNEL LOAD "add.s32 %r2, %r1, 1; // ptxlint: ignore[dead-wrte] kept\n" STORE,
      KERNEL LOAD "add.s32 %r2, %r1, 1; // ptxlint: ignore[dead-write] kept\n" STORE, 1 },
    { "a semicolon", KERNEL LOAD "st.global.u32 [%rd1], %r1\nret;\n}\n", KERNEL LOAD STORE, 0 },
    { "a misspelt opcode is a guess",
      KERNEL "ld.param.u64 %rd1, [p];\nmvo.u32 %r1, %tid.x;\n" STORE, NULL, 0 },
    { "which may be taken",
      KERNEL "ld.param.u64 %rd1, [p];\nmvo.u32 %r1, %tid.x;\n" STORE, KERNEL LOAD STORE, 1 },
    { "a guess that only gives another error is taken back",
      KERNEL LOAD "mvo.f16x3 %r1, 1, 2, 3;\n" STORE, NULL, 1 },
    { "a second barrier",
      KERNEL LOAD "bar.sync 0;\nbar.sync 0;\n" STORE, KERNEL LOAD "bar.sync 0;\n" STORE, 1 },
    { "which is no certain edit", KERNEL LOAD "bar.sync 0;\nbar.sync 0;\n" STORE, NULL, 0 },
    { "a shared variable",
      KERNEL "  .shared .align 4 .b8 lost[64];\n" LOAD STORE, KERNEL LOAD STORE, 1 },
    { "a register that is not used is a preview",
      KERNEL ".reg .b32 lost;\n" LOAD STORE, NULL, 1 },
    { "of two in a line none goes",
      KERNEL ".shared .b32 lost, gone;\n" LOAD STORE, NULL, 1 },
    { "a byte-order mark", "\xef\xbb\xbf" KERNEL LOAD STORE, KERNEL LOAD STORE, 0 },
    { "barriers of a race, although the loop has overhead",
      RACE "ld.shared.u32 %r6, [%r4];\n" RACE_STORE,
      RACE "bar.sync 0;\nld.shared.u32 %r6, [%r4];\nbar.sync 0;\n" RACE_STORE, 0 },
    { "an empty file", "", NULL, 1 },
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *before = cases[i].before, *after = cases[i].after ? cases[i].after : before;
        ptxlint_fixes *fixes = fix(before, strlen(before), cases[i].is_unsafe);
        const ptxlint_fixes_info *info = ptxlint_fixes_get_info(fixes);
        if (strcmp(info->text, after) != 0 || info->length != strlen(after))
            fail_msg("%s: got\n%s", cases[i].what, info->text);
        ptxlint_fixes_free(fixes);
    }
}

/* More findings than are shown: what comes into view as others go is not new. */
static void test_beyond_limit(void **state)
{
    (void)state;
    enum { DEAD = 20500 };
    static const char dead[] = "mov.u32 %r7, 3;\nst.global.u32 [%rd1], %r1;\n";
    Text text = { 0 };
    kit_put(&text, KERNEL LOAD, strlen(KERNEL LOAD));
    for (int i = 0; i < DEAD; i++)
        kit_put(&text, dead, strlen(dead));
    kit_put(&text, STORE, strlen(STORE));
    ptxlint_fixes *fixes = fix(text.bytes, strlen(text.bytes), 0);
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(fixes);
    assert_int_equal(info->applied_count, DEAD);
    assert_int_equal(info->count, DEAD);
    assert_null(strstr(info->text, "%r7"));
    ptxlint_fixes_free(fixes);
    free(text.bytes);
}

/* A large text is analysed a few times, although each edit is refused by itself. */
static void test_large_text(void **state)
{
    (void)state;
    enum { BAD = 40, COMMENT_BYTES = 4 << 20 };
    Text text = { 0 };
    kit_put(&text, KERNEL LOAD, strlen(KERNEL LOAD));
    for (int i = 0; i < BAD; i++)
        kit_print(&text, "mvo.f16x%d %%r3, 1, 2, 3;\n", i + 3);
    kit_put(&text, STORE "//", strlen(STORE "//"));
    char *comment = malloc(COMMENT_BYTES);
    assert_non_null(comment);
    memset(comment, 'x', COMMENT_BYTES);
    ptxlint_fixes *fixes = fix(text.bytes, strlen(text.bytes), 1);
    assert_false(ptxlint_fixes_get_info(fixes)->is_cut_short);
    assert_int_equal(ptxlint_fixes_get_info(fixes)->count, BAD);
    ptxlint_fixes_free(fixes);
    kit_put(&text, comment, COMMENT_BYTES);
    fixes = fix(text.bytes, strlen(text.bytes), 1);
    assert_true(ptxlint_fixes_get_info(fixes)->is_cut_short);
    assert_in_range(ptxlint_fixes_get_info(fixes)->count, 1, 16);
    ptxlint_fixes_free(fixes);
    free(comment);
    free(text.bytes);
}

static void test_results(void **state)
{
    (void)state;
    const char *text = KERNEL LOAD "add.s32 %r2, %r1, 1;\nmvo.f16x3 %r3, 1, 2, 3;\n" STORE;
    ptxlint_fix_result result;
    ptxlint_fixes *fixes = fix(text, strlen(text), 1);
    assert_int_equal(ptxlint_fixes_get_info(fixes)->count, 1);
    assert_true(ptxlint_fixes_at(fixes, 0, &result));
    assert_string_equal(result.rule, "SYN401");
    assert_int_equal(result.line, 12);
    assert_int_equal(result.column, 1);
    assert_false(result.is_applied);
    assert_non_null(strstr(result.why, "it would give SYN"));
    assert_false(ptxlint_fixes_at(fixes, 1, &result));
    ptxlint_fixes_free(fixes);
    fixes = fix(text, strlen(text), 0);
    assert_int_equal(ptxlint_fixes_get_info(fixes)->unsafe_count, 1);
    ptxlint_fixes_free(fixes);
}

/* Findings of kernels and groups that are not wanted stay. */
static void test_wanted(void **state)
{
    (void)state;
    const char *text = KERNEL LOAD "add.s32 %r2, %r1, 1;\n" STORE;
    const char *groups[] = { "hygiene" };
    ptxlint_options options;
    ptxlint_fix_options wanted;
    ptxlint_options_init(&options);
    ptxlint_module *module = kit_module(text);
    for (int i = 0; i < 3; i++) {
        ptxlint_fixes *fixes;
        ptxlint_fix_options_init(&wanted);
        wanted.kernel_glob = i == 1 ? "other" : "k*";
        wanted.groups = groups;
        wanted.group_count = 1;
        groups[0] = i == 2 ? "memory" : "hygiene";
        assert_int_equal(ptxlint_fixes_new(module, &options, &wanted, &fixes), PTXLINT_OK);
        assert_int_equal(ptxlint_fixes_get_info(fixes)->applied_count, i == 0);
        ptxlint_fixes_free(fixes);
    }
    ptxlint_module_free(module);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    ptxlint_options options;
    ptxlint_fixes *fixes;
    ptxlint_fix_options wanted = { .size = 1 };
    ptxlint_module *module = kit_module(KERNEL LOAD STORE);
    ptxlint_options_init(&options);
    assert_int_equal(ptxlint_fixes_new(NULL, &options, NULL, &fixes), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_fixes_new(module, NULL, NULL, &fixes), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_fixes_new(module, &options, &wanted, &fixes), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_fixes_new(module, &options, NULL, NULL), PTXLINT_BAD_ARGUMENT);
    ptxlint_fixes_free(NULL);
    ptxlint_module_free(module);
}

/* ---- every kernel of the tree ---------------------------------------------------------------- */

/* Errors and warnings by rule, those that were folded too. */
static size_t count_rule(const ptxlint_module *module, const char *rule)
{
    size_t count, sum = 0;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].rule, rule) && all[i].suppression == PTXLINT_NOT_SUPPRESSED)
            sum += 1 + all[i].repeat_count;
    return sum;
}

static bool has_error(const ptxlint_module *module)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    return count && all[0].severity == PTXLINT_ERROR;
}

static void compare_findings(const char *path, const ptxlint_module *before,
                             const ptxlint_module *after)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(after, &count);
    const bool was_broken = has_error(before);
    for (size_t i = 0; i < count; i++) {
        bool counts = was_broken ? all[i].severity == PTXLINT_ERROR
                                 : strcmp(all[i].group, "hygiene") != 0;
        if (counts && count_rule(after, all[i].rule) > count_rule(before, all[i].rule))
            fail_msg("%s: %s came: %s", path, all[i].rule, all[i].message);
    }
}

static void check_file(const char *path, int is_unsafe)
{
    size_t length;
    char *text = kit_read(path, &length);
    ptxlint_options options;
    ptxlint_module *before, *after;
    ptxlint_options_init(&options);
    options.findings_only = 1;
    ptxlint_fixes *first = fix(text, length, is_unsafe);
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(first);
    if (info->applied_count) {
        ptxlint_fixes *second = fix(info->text, info->length, is_unsafe);
        if (ptxlint_fixes_get_info(second)->applied_count)
            fail_msg("%s: a second run has more to do", path);
        ptxlint_fixes_free(second);
        ptxlint_module_new(text, length, &options, &before);
        ptxlint_module_new(info->text, info->length, &options, &after);
        compare_findings(path, before, after);
        ptxlint_module_free(before);
        ptxlint_module_free(after);
    } else if (info->length != length || memcmp(info->text, text, length) != 0) {
        fail_msg("%s: changed without an edit", path);
    }
    ptxlint_fixes_free(first);
    free(text);
}

static void test_tree(void **state)
{
    static const char *const folders[] = { "testdata/ptx", "tests/golden", "tests/messages" };
    (void)state;
    for (size_t f = 0; f < COUNT(folders); f++) {
        Paths paths = kit_walk(folders[f], ".ptx");
        for (size_t i = 0; i < paths.count; i += EVERY) {
            check_file(paths.paths[i], 0);
            check_file(paths.paths[i], 1);
        }
        kit_free_paths(paths);
    }
}

/* Nothing would be left of the name: the edit is not even tried. */
static void test_one_letter(void **state)
{
    static const char text[] = HEAD ".visible .entry k()\n{\nmov.b32 x, 1;\nret;\n}\n";
    ptxlint_fix_result result;
    ptxlint_fixes *fixes = fix(text, strlen(text), 1);
    (void)state;
    assert_false(ptxlint_fixes_at(fixes, 0, &result));
    ptxlint_fixes_free(fixes);
}

UNIT(fix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_beyond_limit),
        cmocka_unit_test(test_large_text),    cmocka_unit_test(test_results),
        cmocka_unit_test(test_wanted),        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_tree),          cmocka_unit_test(test_one_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
