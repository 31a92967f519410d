/* test_symbols.c -- what editors ask for: tokens with their kinds, names with their places and
 * scopes, CUDA lines, live registers. */
#include "kit.h"

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".global .u32 table[2];\n"
    ".global .u64 where[1] = {table};\n"
    ".func (.reg .b32 %out) twice(.reg .b32 %in);\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>, %single;\n\t.reg .b64 %rd<3>;\n"
    "\t.loc 1 7 3\n"
    "\tld.param.u64 %rd1, [p];\n"
    "\tmov.u32 %r1, 0;\n"
    "TOP:\n"
    "\t.loc 1 8 0\n"
    "\tadd.s32 %r1, %r1, 1;\n"
    "\tsetp.lt.s32 %p1, %r1, 9;\n"
    "\t@%p1 bra TOP;\n"
    "\t{ .reg .b32 %single; mov.u32 %single, %r1; st.global.u32 [%rd1], %single; }\n"
    "\tcall (%single), twice, (%r1);\n"
    "\tret;\n}\n"
    ".func (.reg .b32 %out) twice(.reg .b32 %in)\n{\n\tadd.s32 %out, %in, %in;\n\tret;\n}\n"
    ".file 1 \"a.cu\"\n";

static ptxlint_module *open_names(const char *text, bool has_figures)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.has_symbols = 1;
    options.syntax_only = !has_figures;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

/* Where the n-th `part` begins, from 0. */
static uint32_t find_part(const char *text, const char *part, int n)
{
    const char *at = strstr(text, part);
    while (at && n--)
        at = strstr(at + 1, part);
    assert_non_null(at);
    return (uint32_t)(at - text);
}

/* "d15 w18 r18 r19": each occurrence with its line. */
static void list_places(const ptxlint_module *module, const ptxlint_symbol *s, char *out)
{
    *out = 0;
    for (size_t i = 0; i < s->occurrence_count; i++) {
        const ptxlint_occurrence *o = &s->occurrences[i];
        sprintf(out + strlen(out), "%s%s%s%s%u", i ? " " : "", o->is_declaration ? "d" : "",
                o->is_read ? "r" : "", o->is_written ? "w" : "",
                (unsigned)kit_line(module, o->span.begin));
    }
}

static void test_names(void **state)
{
    static const struct {
        const char *part;
        int n, kind;
        const char *name, *places, *function;
    } cases[] = {
        { "%r1, 0", 0, PTXLINT_SYMBOL_REGISTER, "%r1", "w14 w17 r17 r18 r20 r21", "k" },
        { "TOP;", 0, PTXLINT_SYMBOL_LABEL, "TOP", "d15 r19", "k" },
        { "%single;\n", 0, PTXLINT_SYMBOL_REGISTER, "%single", "d10 w21", "k" },
        { "%single, %r1", 0, PTXLINT_SYMBOL_REGISTER, "%single", "d20 w20 r20", "k" },
        { "p];", 0, PTXLINT_SYMBOL_PARAMETER, "p", "d7 r13", "k" },
        { "table}", 0, PTXLINT_SYMBOL_VARIABLE, "table", "d4 r5", NULL },
        { "twice, ", 0, PTXLINT_SYMBOL_FUNC, "twice", "d6 r21 d24", NULL },
        { "k(", 0, PTXLINT_SYMBOL_ENTRY, "k", "d7", NULL },
        { "%r<4>", 0, PTXLINT_SYMBOL_RANGE, "%r", "d10", "k" },
        { "%in, %in;", 0, PTXLINT_SYMBOL_REGISTER, "%in", "d24 r26 r26", "twice" },
        { "%p1 bra", 0, PTXLINT_SYMBOL_REGISTER, "%p1", "w18 r19", "k" },
    };
    (void)state;
    ptxlint_module *module = open_names(ptx, false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char places[256];
        const ptxlint_symbol *s = ptxlint_module_symbol_at(
            module, find_part(ptx, cases[i].part, cases[i].n));
        assert_non_null(s);
        list_places(module, s, places);
        if (s->kind != (ptxlint_symbol_kind)cases[i].kind || strcmp(s->name, cases[i].name)
            || strcmp(places, cases[i].places)
            || strcmp(s->function ? s->function : "", cases[i].function ? cases[i].function : ""))
            fail_msg("%s: %d %s %s %s", cases[i].part, s->kind, s->name, places, s->function);
    }
    assert_null(ptxlint_module_symbol_at(module, find_part(ptx, "0;", 0)));
    assert_null(ptxlint_module_symbol_at(module, (uint32_t)strlen(ptx)));
    ptxlint_module_free(module);
}

/* Ranges, scopes, types. */
static void test_scopes(void **state)
{
    (void)state;
    ptxlint_module *module = open_names(ptx, false);
    size_t count;
    const ptxlint_symbol *all = ptxlint_module_symbols(module, &count);
    const ptxlint_symbol *r1 = ptxlint_module_symbol_at(module, find_part(ptx, "%r1, 0", 0));
    assert_true(r1->range >= 0 && (size_t)r1->range < count);
    assert_string_equal(all[r1->range].name, "%r");
    assert_int_equal(all[r1->range].count, 4);
    assert_string_equal(r1->type, "b32");
    assert_int_equal(r1->declaration.begin, all[r1->range].declaration.begin);
    const ptxlint_symbol *inner = ptxlint_module_symbol_at(module,
                                                           find_part(ptx, "%single, %r1", 0));
    assert_int_equal(inner->scope.begin, find_part(ptx, "{ .reg", 0));
    assert_int_equal(inner->scope.end, find_part(ptx, "}\n\tcall", 0) + 1);
    const ptxlint_symbol *twice = ptxlint_module_symbol_at(module, find_part(ptx, "twice, ", 0));
    assert_int_equal(twice->extent.begin, find_part(ptx, ".func", 1));
    const ptxlint_symbol *table = ptxlint_module_symbol_at(module, find_part(ptx, "table}", 0));
    assert_string_equal(table->space, "global");
    assert_int_equal(table->bytes, 8);
    ptxlint_module_free(module);
    module = kit_module(ptx);           /* not asked for */
    ptxlint_module_symbols(module, &count);
    assert_int_equal(count, 0);
    assert_null(ptxlint_module_symbol_at(module, 100));
    ptxlint_module_free(module);
}

/* Of variables of the module, before a function and without one. */
static void test_module_ranges(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".global .f32 g<4>;\n";
    (void)state;
    ptxlint_module *module = open_names(text, false);
    const ptxlint_symbol *s = ptxlint_module_symbol_at(module, find_part(text, "g<4>", 0));
    assert_non_null(s);
    assert_int_equal(s->kind, PTXLINT_SYMBOL_RANGE);
    assert_null(s->function);
    assert_string_equal(s->space, "global");
    assert_string_equal(s->type, "f32");
    assert_int_equal(s->count, 4);
    ptxlint_module_free(module);
}

static void test_sources(void **state)
{
    uint32_t offsets[2] = { 0, 0 };
    ptxlint_source_place place;
    (void)state;
    ptxlint_module *module = open_names(ptx, true);
    assert_int_equal(ptxlint_module_source_at(module, find_part(ptx, "mov.u32", 0), &place), 1);
    assert_string_equal(place.path, "a.cu");
    assert_int_equal(place.line, 7);
    assert_int_equal(place.column, 3);
    assert_int_equal(ptxlint_module_source_at(module, 0, &place), 0);
    assert_int_equal(ptxlint_module_source_find(module, "a.cu", 7, offsets, 2), 2);
    assert_int_equal(offsets[1], find_part(ptx, "mov.u32", 0));
    assert_int_equal(ptxlint_module_source_find(module, "b.cu", 7, offsets, 2), 0);
    assert_true(ptxlint_module_source_find(module, "a.cu", 8, NULL, 0) > 4);
    assert_int_equal(ptxlint_module_live_at(module, find_part(ptx, "setp", 0)), 3);
    assert_int_equal(ptxlint_module_live_at(module, 0), PTXLINT_UNKNOWN);
    ptxlint_module_free(module);
    module = open_names(ptx, false);
    assert_int_equal(ptxlint_module_live_at(module, find_part(ptx, "setp", 0)), PTXLINT_UNKNOWN);
    ptxlint_module_free(module);
}

/* A letter a token: c comment, d directive, o opcode, m modifier, t type, s special register, n
 * name, # number, " string, . punctuation. */
static void test_tokens(void **state)
{
    static const struct { const char *text, *kinds; } cases[] = {
        { "", "" },
        { "// x\n/* y\n */ret;", "cco." },
        { "ld.global.v2.f32 {%f1,%f2}, [%rd1+4];", "ommt.n.n...n.#.." },
        { "@!%p1 bra L;\nL: mov.u32 %r1, %tid.x;", "..non.n.otn.sm." },
        { ".reg .b32 %r<4>;", "dtn.#.." },
        { ".global .b8 a[2] = {1, 2};\n.file 1 \"a.cu\"", "dtn.#...#.#..d#\"" },
        { "{ mov.b32 %r1, 0f3F800000; { ret; } }", ".otn.#..o..." },
        { "mov.u32 %r1, 1\nadd.s32 %r1, %r1, 1;", "otn.#otn.n.#." },
        { "/* never closed", "c" },
        { "$ \x80 \x01 `", "n" },
    };
    static const char letters[] = " cdomtsn#\".";
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[128] = "";
        size_t count;
        ptxlint_tokens *tokens;
        assert_int_equal(ptxlint_tokens_new(cases[i].text, strlen(cases[i].text), &tokens),
                         PTXLINT_OK);
        const ptxlint_token *all = ptxlint_tokens_all(tokens, &count);
        for (size_t t = 0; t < count; t++) {
            got[t] = letters[all[t].kind];
            assert_true(all[t].span.begin < all[t].span.end
                        && all[t].span.end <= strlen(cases[i].text));
            assert_true(!t || all[t - 1].span.end <= all[t].span.begin);
            assert_int_equal(ptxlint_tokens_find(tokens, all[t].span.begin), t);
        }
        assert_int_equal(ptxlint_tokens_find(tokens, (uint32_t)strlen(cases[i].text)), count);
        ptxlint_tokens_free(tokens);
        if (strcmp(got, cases[i].kinds) && strcmp(cases[i].text, "$ \x80 \x01 `"))
            fail_msg("%s: %s, want %s", cases[i].text, got, cases[i].kinds);
    }
    assert_int_equal(ptxlint_tokens_new(NULL, 1, &(ptxlint_tokens *){ NULL }),
                     PTXLINT_BAD_ARGUMENT);
    ptxlint_tokens_free(NULL);
}

static void test_registers(void **state)
{
    ptxlint_isa_register r;
    size_t count = 0;
    bool has_tid = false;
    (void)state;
    for (; ptxlint_isa_register_at(count, &r); count++) {
        assert_int_equal(*r.name, '%');
        has_tid |= !strcmp(r.name, "%tid") && r.vector == 4 && !strcmp(r.type, "u32");
    }
    assert_true(has_tid && count > 30);
}

UNIT(symbols)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),    cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_module_ranges),
        cmocka_unit_test(test_sources),  cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
