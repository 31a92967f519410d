/* test_same_code.c -- of kernels with the same code the first is looked at for all: what is found
 * is what is found where each is looked at by itself, as with a history. */
#include "kit.h"

#include "api/again/same_code.h"

#include "analysis/value/launch.h"

#include <ctype.h>
#include <setjmp.h>

#define HEAD \
    ".version 8.0\n.target sm_90\n.address_size 64\n" \
    ".global .align 4 .u32 one;\n.global .align 4 .u32 two = 7;\n"
#define BEGIN(name, params, bounds) \
    ".visible .entry " name "(.param .u64 " name "_param_0" params ")\n" bounds "{\n" \
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
#define UNUSED(name) ", .param .u32 " name "_param_1"
/* room in shared memory; a stride; what the loop ends at; a variable */
#define BODY(name, tile, number, bytes, stride, last, variable) \
    ".shared .align 4 .b8 " tile "[" bytes "];\n" \
    "ld.param.u64 %rd1, [" name "_param_0];\nmov.u32 %r1, %tid.x;\n" \
    "mov.u32 %r2, " tile ";\nmad.lo.u32 %r3, %r1, 4, %r2;\n" \
    "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r4, [%r3+4];\n" \
    "mul.wide.u32 %rd2, %r1, " stride ";\nadd.u64 %rd3, %rd1, %rd2;\nmov.u32 %r5, 0;\n" \
    "mov.u64 %rd4, " variable ";\n$L__BB" number "_1:\n" \
    "st.global.u32 [%rd3], %r4;\nld.global.u32 %r6, [%rd1];\nst.global.u32 [%rd4], %r6;\n" \
    "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " last ";\n@%p1 bra $L__BB" number "_1;\nret;\n}\n"
#define USUAL(name, tile, number) \
    BEGIN(name, UNUSED(name), ".maxntid 256\n") \
    BODY(name, tile, number, "1024", "128", "100", "one")

static ptxlint_module *module_with(const char *ptx, ptxlint_history *history, unsigned jobs)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.history = history;
    options.jobs = jobs;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), &options, &module), PTXLINT_OK);
    return module;
}

/* Findings, and registers with all else that a report has. */
static Text documents_of(ptxlint_module *module)
{
    Text out = { 0 };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_JSON;
    options.show_all = 1;
    const ptxlint_module *const modules[] = { module };
    assert_int_equal(ptxlint_write_diagnostics(modules, 1, &options, kit_write, &out),
                     PTXLINT_OK);
    assert_int_equal(ptxlint_write_report(modules, 1, &options, kit_write, &out), PTXLINT_OK);
    return out;
}

static void expect_alike(const char *what, const char *ptx)
{
    ptxlint_history *history;
    assert_int_equal(ptxlint_history_new(&history), PTXLINT_OK);
    ptxlint_module *each = module_with(ptx, history, 1);
    Text expected = documents_of(each);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        ptxlint_module *module = module_with(ptx, NULL, jobs);
        Text got = documents_of(module);
        if (strcmp(got.bytes, expected.bytes) != 0)
            fail_msg("%s, %u jobs:\n%s", what, jobs, got.bytes);
        free(got.bytes);
        ptxlint_module_free(module);
    }
    free(expected.bytes);
    ptxlint_module_free(each);
    ptxlint_history_free(history);
}

#define ONE "_Z3onePj"
#define ONE_TILE "_ZZ3onePjE4tile"
#define FIRST USUAL(ONE, ONE_TILE, "0")
#define LONG "_Z9long_namePj"
#define LONG_TILE "_ZZ9long_namePjE4tile"

static const struct { const char *what, *ptx; } cases[] = {
    { "names of one length", HEAD FIRST USUAL("_Z3twoPj", "_ZZ3twoPjE4tile", "1") },
    { "names of two", HEAD USUAL(ONE, ONE_TILE, "9") USUAL(LONG, LONG_TILE, "10")
                           USUAL("_Z1iPj", "_ZZ1iPjE4tile", "11") },
    { "a launch bound", HEAD FIRST BEGIN(LONG, UNUSED(LONG), ".maxntid 64\n")
                            BODY(LONG, LONG_TILE, "1", "1024", "128", "100", "one") },
    { "a parameter", HEAD FIRST BEGIN(LONG, ", .param .u64 " LONG "_param_1",
                                                ".maxntid 256\n")
                         BODY(LONG, LONG_TILE, "1", "1024", "128", "100", "one") },
    { "no parameter", HEAD FIRST BEGIN(LONG, "", ".maxntid 256\n")
                          BODY(LONG, LONG_TILE, "1", "1024", "128", "100", "one") },
    { "shared memory", HEAD FIRST BEGIN(LONG, UNUSED(LONG), ".maxntid 256\n")
                           BODY(LONG, LONG_TILE, "1", "9024", "128", "100", "one") },
    { "a stride", HEAD FIRST BEGIN(LONG, UNUSED(LONG), ".maxntid 256\n")
                      BODY(LONG, LONG_TILE, "1", "1024", "4", "100", "one") },
    { "iterations", HEAD FIRST BEGIN(LONG, UNUSED(LONG), ".maxntid 256\n")
                        BODY(LONG, LONG_TILE, "1", "1024", "128", "1", "one") },
    { "a variable", HEAD FIRST BEGIN(LONG, UNUSED(LONG), ".maxntid 256\n")
                        BODY(LONG, LONG_TILE, "1", "1024", "128", "100", "two") },
    /* names that opcodes begin with, and that are no mangled ones */
    { "short names", HEAD USUAL("ld", "ld_tile", "0") USUAL("st", "st_tile", "1") },
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_alike(cases[i].what, cases[i].ptx);
}

/* As the command line asks: with a set of rules of the user's that is empty. */
static void test_is_found(void **state)
{
    (void)state;
    ptxlint_rules *rules;
    ptxlint_config *config;
    ptxlint_options options;
    assert_int_equal(ptxlint_rules_new(&rules), PTXLINT_OK);
    assert_int_equal(ptxlint_config_new(rules, &config), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.config = config;
    ptxlint_module *module = module_with(cases[0].ptx, NULL, 1);
    static const Launch unsaid = { .is_given = false };
    const Launch *const launches[] = { &unsaid, &unsaid };
    jmp_buf on_failure;
    Arena scratch;
    ptx_arena_init(&scratch, 1 << 20, &on_failure);
    module->arena.on_failure = &on_failure;
    assert_int_equal(setjmp(on_failure), 0);
    const FuncId *firsts
        = ptx_same_code_firsts(ptx_same_code_find(module, &options, launches, &scratch));
    assert_non_null(firsts);
    assert_int_equal(firsts[0], 0);
    assert_int_equal(firsts[1], 0);
    ptx_arena_free(&scratch);
    ptxlint_module_free(module);
    ptxlint_config_free(config);
    ptxlint_rules_free(rules);
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* With another name in place of the kernel's, in those of its parameters too. */
static void put_renamed(Text *out, const char *text, const char *name, const char *as)
{
    const size_t length = strlen(name);
    for (const char *at = text, *next; at; at = next) {
        next = strstr(at, name);
        const char *end = next ? next + length : at + strlen(at);
        const bool is_name = next && !is_word_byte(next[-1])
                             && (!is_word_byte(*end) || !strncmp(end, "_param_", 7));
        kit_put(out, at, (size_t)((next ? next : end) - at));
        if (next)
            kit_print(out, "%s", is_name ? as : name);
        next = next ? end : NULL;
    }
}

/* Of a file with one kernel: under a name that is mangled, twice. False: it has others. */
static bool double_kernel(const char *ptx, Text *out)
{
    char name[100] = "", first[120], second[120];
    const char *entry = strstr(ptx, "\n.visible .entry ");
    if (!entry || sscanf(entry, " .visible .entry %99[A-Za-z0-9_$]", name) != 1
        || strstr(entry + 1, ".entry ") != strstr(ptx, ".entry ") || strstr(ptx, "\t.loc")
        || strstr(strstr(ptx, ".entry ") + 1, ".entry "))
        return false;
    snprintf(first, sizeof first, "_Z%zu%sPf", strlen(name), name);
    snprintf(second, sizeof second, "_Z%zuagain_%sPf", strlen(name) + 6, name);
    put_renamed(out, ptx, name, first);
    put_renamed(out, entry, name, second);
    return true;
}

static void test_copies(void **state)
{
    (void)state;
    const Paths found = kit_walk("testdata", ".ptx");
    size_t tried = 0;
    for (size_t i = 0; i < found.count; i++) {
        size_t length;
        char *ptx = kit_read(found.paths[i], &length);
        Text both = { 0 };
        if (length < 60000 && double_kernel(ptx, &both)) {
            expect_alike(found.paths[i], both.bytes);
            tried++;
        }
        free(both.bytes);
        free(ptx);
    }
    if (tried < 40)
        fail_msg("%zu files", tried);
    kit_free_paths(found);
}

UNIT(same_code)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
                                        cmocka_unit_test(test_is_found),
                                        cmocka_unit_test(test_copies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
