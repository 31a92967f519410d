/* test_new_forms.c -- what PTX 9.1 to 9.4 added is taken from its version and target on, and by
 * nothing older: tests/data/isa/since-9.1.txt, which is written from the manual. */
#include "kit.h"

enum { MOST_LINES = 4096, LONGEST_LINE = 1024, MOST_TARGETS = 8 };

/* An instruction that the braces of a line spell. */
typedef struct NewForm {
    char text[LONGEST_LINE];
    unsigned version;           /* 94 */
    char target[12];
} NewForm;

typedef struct NewForms {
    NewForm *items;
    size_t count, spelled;      /* spelled: each once, however many targets it has */
} NewForms;

/* The declarations have a line each, so that the first instruction stands on this one. */
static const char head[] = ".version %u.%u\n.target %s\n.address_size 64\n"
                           ".shared .align 1024 .b8 s[4096];\n.shared .align 16 .b64 bar;\n"
                           ".global .align 1024 .b8 g[4096];\n.visible .entry k() {\n"
                           ".reg .b32 r; .reg .b64 d; .reg .b16 h; .reg .b8 b; .reg .b128 q;\n"
                           ".reg .f32 f; .reg .f64 v; .reg .pred p, o;\n";
enum { FIRST_LINE = 10 };

static void add_form(NewForms *forms, const char *text, const char *targets, unsigned version)
{
    forms->spelled++;
    for (const char *at = targets; *at; at += strspn(at, " ")) {
        assert_true(forms->count < MOST_LINES);
        NewForm *form = &forms->items[forms->count++];
        const size_t length = strcspn(at, " ");
        snprintf(form->text, sizeof form->text, "%s", text);
        snprintf(form->target, sizeof form->target, "%.*s", (int)length, at);
        form->version = version;
        at += length;
    }
}

/* All that the braces in front of the first blank spell. */
static void expand(NewForms *forms, const char *text, const char *targets, unsigned version)
{
    const char *open = strchr(text, '{'), *blank = strchr(text, ' ');
    if (!open || (blank && blank < open)) {
        add_form(forms, text, targets, version);
        return;
    }
    const char *close = strchr(open, '}'), *at = open + 1;
    bool is_optional = !memchr(open, ',', (size_t)(close - open));
    char next[LONGEST_LINE];
    if (is_optional) {
        snprintf(next, sizeof next, "%.*s%s", (int)(open - text), text, close + 1);
        expand(forms, next, targets, version);
    }
    for (;;) {
        const char *end = memchr(at, ',', (size_t)(close - at));
        end = end ? end : close;
        snprintf(next, sizeof next, "%.*s%.*s%s", (int)(open - text), text, (int)(end - at), at,
                 close + 1);
        expand(forms, next, targets, version);
        if (end == close)
            return;
        at = end + 1;
    }
}

static NewForms read_forms(void)
{
    NewForms forms = { calloc(MOST_LINES, sizeof *forms.items), 0, 0 };
    char *text = kit_read("tests/data/isa/since-9.1.txt", NULL), *rest = text;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        char *bar = strstr(line, " | "), *targets = strchr(line, ' ') + 1;
        *bar = 0;
        expand(&forms, bar + 3, targets, (unsigned)(10 * (line[0] - '0') + line[2] - '0'));
    }
    free(text);
    return forms;
}

/* ---- mutants --------------------------------------------------------------------------------- */

typedef enum Mutation { INTACT, TOO_OLD, WRONG_TARGET, MORE_OPERANDS, WRONG_MODIFIER } Mutation;

static const char *const mutations[] = { "as it is", "a version before", "a target before",
                                         "with more operands", "with an unknown modifier" };

/* The nearest target that lacks it. */
static void put_target_before(char *out, size_t size, const char *target)
{
    static const char *const plain[][2] = {
        { "sm_80", "sm_75" }, { "sm_90", "sm_89" }, { "sm_100", "sm_90" }, { "sm_90a", "sm_90" },
    };
    const size_t length = strlen(target);
    snprintf(out, size, "%.*s%s", (int)length - 1, target, target[length - 1] == 'a' ? "f" : "");
    for (size_t i = 0; i < COUNT(plain); i++)
        if (!strcmp(target, plain[i][0]))
            snprintf(out, size, "%s", plain[i][1]);
}

static void put_form(Text *text, const char *form, Mutation mutation)
{
    const char *blank = strchr(form, ' ');
    const int opcode = (int)(blank ? blank - form : (long)strlen(form));
    const char *more = blank ? ", r, r, r" : " r";
    kit_print(text, "%.*s%s%s%s;\n", opcode, form, mutation == WRONG_MODIFIER ? ".zzz" : "",
              blank ? blank : "", mutation == MORE_OPERANDS ? more : "");
}

/* Marks the lines of errors. */
static void mark_errors(const char *list, bool *lines, size_t count)
{
    for (const char *at = strchr(list, ':'); at; at = strchr(at + 1, ':')) {
        const unsigned long line = strtoul(at + 1, NULL, 10);
        if (line < count)
            lines[line] = true;
    }
}

static bool is_alike(const NewForm *a, const NewForm *b)
{
    return a->version == b->version && !strcmp(a->target, b->target);
}

/* One module of all forms from the n-th on that have its version and target. */
static void check_module(const NewForms *forms, size_t n, Mutation mutation, Text *trouble)
{
    const NewForm *first = &forms->items[n];
    static size_t at[MOST_LINES];
    static bool lines[MOST_LINES + FIRST_LINE];
    size_t count = 0;
    char target[16];
    Text text = { 0 };
    const unsigned version = first->version - (mutation == TOO_OLD);
    snprintf(target, sizeof target, "%s", first->target);
    if (mutation == WRONG_TARGET)
        put_target_before(target, sizeof target, first->target);
    kit_print(&text, head, version / 10, version % 10, target);
    for (size_t i = n; i < forms->count; i++)
        if (is_alike(&forms->items[i], first)) {
            at[count++] = i;
            put_form(&text, forms->items[i].text, mutation);
        }
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    char *errors = kit_list(module, true);
    memset(lines, 0, sizeof lines);
    mark_errors(errors, lines, COUNT(lines));
    for (size_t i = 0; i < count; i++)
        if (lines[FIRST_LINE + i] != (mutation != INTACT))
            kit_print(trouble, "%s, %s: %s\n", mutations[mutation], target,
                      forms->items[at[i]].text);
    free(errors);
    free(text.bytes);
    ptxlint_module_free(module);
}

static void check(Mutation mutation)
{
    NewForms forms = read_forms();
    Text trouble = { 0 };
    assert_true(forms.spelled >= 1500);
    for (size_t n = 0; n < forms.count; n++) {
        /* every target of these toolkits has it */
        bool is_new = mutation != WRONG_TARGET || strcmp(forms.items[n].target, "sm_75");
        for (size_t before = 0; before < n && is_new; before++)
            is_new = !is_alike(&forms.items[before], &forms.items[n]);
        if (is_new)
            check_module(&forms, n, mutation, &trouble);
    }
    free(forms.items);
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail();
    }
}

static void test_intact(void **state)
{
    (void)state;
    check(INTACT);
}

static void test_too_old(void **state)
{
    (void)state;
    check(TOO_OLD);
}

static void test_wrong_target(void **state)
{
    (void)state;
    check(WRONG_TARGET);
}

static void test_more_operands(void **state)
{
    (void)state;
    check(MORE_OPERANDS);
}

static void test_wrong_modifier(void **state)
{
    (void)state;
    check(WRONG_MODIFIER);
}

/* ---- without the newest opcodes -------------------------------------------------------------- */

/* In a file that is newer than the table an opcode that the table lacks is a note, and all else is
 * said as before. "@" stands in for the new instruction. */
static char *list_with(const char *version, const char *insn)
{
    static const char kernel[]
        = ".target sm_107a\n.address_size 64\n"
          ".visible .entry lost(.param .u64 out) .reqntid 64\n{\n"
          ".reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n.shared .align 4 .b32 s[64];\n"
          "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 4;\n"
          "mov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\nst.shared.u32 [%r3], %r1;\n"
          "add.u32 %r4, %r9, 1;\nadd.f32 %r5, %r1;\nmov.u64 %rd2, 1;\n@\n"
          "st.global.u64 [%rd1], %rd2;\nret;\n}\n"
          ".visible .entry other(.param .u64 out) .reqntid 64\n{\n"
          ".reg .b32 %r<6>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\n"
          "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\ndiv.u32 %r3, %r1, %r2;\n"
          "st.global.u32 [%rd1], %r3;\nret;\n}\n";
    const char *at = strchr(kernel, '@');
    Text text = { 0 };
    kit_print(&text, ".version %s\n%.*s%s%s", version, (int)(at - kernel), kernel, insn, at + 1);
    ptxlint_module *module = kit_module(text.bytes);
    char *list = kit_list(module, false);
    ptxlint_module_free(module);
    free(text.bytes);
    return list;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Without what is said of the new instruction's line, and that the file is newer; sorted, as errors
 * and notes are not in the order of lines. */
static void write_others(char *list, char out[256])
{
    enum { NEW_LINE = 18, MOST = 32 };
    char *entries[MOST], own[8];
    size_t count = 0;
    snprintf(own, sizeof own, ":%d", NEW_LINE);
    for (char *entry = strtok(list, " "); entry && count < MOST; entry = strtok(NULL, " "))
        if (!strstr(entry, own) && strncmp(entry, "SYN304", 6))
            entries[count++] = entry;
    qsort(entries, count, sizeof *entries, compare_entries);
    *out = 0;
    for (size_t i = 0, at = 0; i < count && at < 240; i++)
        at += (size_t)snprintf(out + at, 256 - at, "%s ", entries[i]);
}

static void test_unknown_opcodes(void **state)
{
    static const struct { const char *known, *unknown; } pairs[] = {
        { "fabric.submit;", "fobric.submit;" },
        { "clmad.lo.u64 %rd2, %rd1, %rd1, %rd1;", "clmod.lo.u64 %rd2, %rd1, %rd1, %rd1;" },
        { "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;",
          "multimom.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 16;" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char *known = list_with("9.4", pairs[i].known);
        char *unknown = list_with("9.5", pairs[i].unknown);
        assert_non_null(strstr(known, "SYN"));
        char before[256], after[256];
        write_others(known, before);
        write_others(unknown, after);
        assert_string_equal(after, before);
        assert_non_null(strstr(before, "COR111"));
        free(known);
        free(unknown);
    }
}

UNIT(new_forms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_opcodes),
        cmocka_unit_test(test_intact),        cmocka_unit_test(test_too_old),
        cmocka_unit_test(test_wrong_target),  cmocka_unit_test(test_more_operands),
        cmocka_unit_test(test_wrong_modifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
