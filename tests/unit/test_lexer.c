/* test_lexer.c -- text to tokens: kinds, spans, what is diagnosed; and that every input ends. */
#include "kit.h"

#include "lexer/lexer.h"

typedef struct World {
    Arena arena;
    jmp_buf failure;
    DiagSink diags;
    Lexer lexer;
} World;

static int set_up(void **state)
{
    World *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    ptx_arena_init(&w->arena, (size_t)1 << 28, &w->failure);
    ptx_diag_init(&w->diags, &w->arena);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    World *w = *state;
    ptx_arena_free(&w->arena);
    free(w);
    return 0;
}

static void begin(World *w, const char *text, size_t length)
{
    w->diags.count = 0;
    ptx_lexer_init(&w->lexer, text, length, &w->diags);
}

/* ---- one token ------------------------------------------------------------------------------- */

static const struct { const char *text; int kind; } tokens[] = {
    { ".version", TOK_VERSION }, { ".target", TOK_TARGET }, { ".address_size", TOK_ADDRESS_SIZE }, { ".file", TOK_FILE },
    { ".loc", TOK_LOC }, { ".section", TOK_SECTION }, { ".pragma", TOK_PRAGMA }, { ".alias", TOK_ALIAS }, { ".entry", TOK_ENTRY },
    { ".func", TOK_FUNC }, { ".extern", TOK_LINKAGE }, { ".visible", TOK_LINKAGE }, { ".weak", TOK_LINKAGE }, { ".common", TOK_LINKAGE },
    { ".reg", TOK_SPACE }, { ".sreg", TOK_SPACE }, { ".const", TOK_SPACE }, { ".global", TOK_SPACE }, { ".local", TOK_SPACE },
    { ".shared", TOK_SPACE }, { ".param", TOK_SPACE }, { ".tex", TOK_SPACE }, { ".surf", TOK_SPACE }, { ".align", TOK_ALIGN },
    { ".ptr", TOK_PTR }, { ".attribute", TOK_ATTRIBUTE }, { ".maxnreg", TOK_PERFORMANCE }, { ".maxntid", TOK_PERFORMANCE },
    { ".reqntid", TOK_PERFORMANCE }, { ".minnctapersm", TOK_PERFORMANCE }, { ".maxnctapersm", TOK_PERFORMANCE },
    { ".reqnctapercluster", TOK_PERFORMANCE }, { ".maxclusterrank", TOK_PERFORMANCE }, { ".noreturn", TOK_FLAG },
    { ".explicitcluster", TOK_FLAG }, { ".blocksareclusters", TOK_FLAG }, { ".branchtargets", TOK_BRANCHTARGETS },
    { ".calltargets", TOK_CALLTARGETS }, { ".callprototype", TOK_CALLPROTOTYPE },
    { ".f32", TOK_MODIFIER }, { ".shared::cta", TOK_MODIFIER }, { ".2d", TOK_MODIFIER }, { ".32x32b", TOK_MODIFIER },
    { ".L1::no_allocate", TOK_MODIFIER }, { ".versions", TOK_MODIFIER }, { ".reg_", TOK_MODIFIER },
    { "mov", TOK_WORD }, { "%r1", TOK_WORD }, { "$L__BB0_1", TOK_WORD }, { "_Z3foov", TOK_WORD }, { "_", TOK_WORD }, { "a$b_9", TOK_WORD },
    { "ld.global.f32", TOK_OPWORD }, { "%tid.x", TOK_OPWORD }, { "cp.async.bulk.shared::cluster", TOK_OPWORD }, { "%r1.b0", TOK_OPWORD },
    { "0", TOK_INT }, { "42", TOK_INT }, { "42U", TOK_INT }, { "017", TOK_INT }, { "0x1aF", TOK_INT }, { "0X1F", TOK_INT }, { "0xFFU", TOK_INT },
    { "0b101", TOK_INT }, { "0B1U", TOK_INT }, { "1.5", TOK_REAL }, { "1.", TOK_REAL }, { ".5", TOK_REAL }, { "1e5", TOK_REAL },
    { "1.5E-3", TOK_REAL }, { "1e+5", TOK_REAL }, { "0f3F800000", TOK_BITS }, { "0F3f800000", TOK_BITS }, { "0d3FF0000000000000", TOK_BITS },
    { "0D3ff0000000000000", TOK_BITS }, { "\"a b\"", TOK_STRING }, { "\"\"", TOK_STRING }, { "\"// no comment\"", TOK_STRING },
    { ",", TOK_COMMA }, { ";", TOK_SEMI }, { ":", TOK_COLON }, { "@", TOK_AT }, { "{", TOK_LBRACE }, { "}", TOK_RBRACE },
    { "[", TOK_LBRACKET }, { "]", TOK_RBRACKET }, { "(", TOK_LPAREN }, { ")", TOK_RPAREN }, { "=", TOK_ASSIGN }, { "?", TOK_QUESTION },
    { "+", TOK_PLUS }, { "-", TOK_MINUS }, { "*", TOK_STAR }, { "/", TOK_SLASH }, { "%", TOK_PERCENT }, { "~", TOK_TILDE }, { "!", TOK_NOT },
    { "&", TOK_AND }, { "|", TOK_OR }, { "^", TOK_XOR }, { "<<", TOK_SHL }, { ">>", TOK_SHR }, { "<", TOK_LT }, { ">", TOK_GT },
    { "<=", TOK_LE }, { ">=", TOK_GE }, { "==", TOK_EQ }, { "!=", TOK_NE }, { "&&", TOK_ANDAND }, { "||", TOK_OROR },
};

static void test_each_token(void **state)
{
    World *w = *state;
    for (size_t i = 0; i < COUNT(tokens); i++) {
        static const char *const around[][2] = {
            { "", "" }, { "  ", " \t" }, { "/* c */", " // d" }, { "\r\n", "\r\n" }, { ";", ";" }
        };
        for (size_t a = 0; a < COUNT(around); a++) {
            char text[128];
            size_t before = strlen(around[a][0]), length = strlen(tokens[i].text);
            snprintf(text, sizeof text, "%s%s%s", around[a][0], tokens[i].text, around[a][1]);
            begin(w, text, strlen(text));
            if (*around[a][0] == ';')
                assert_int_equal(ptx_lex(&w->lexer).kind, TOK_SEMI);
            Token token = ptx_lex(&w->lexer);
            Span span = ptx_token_span(token);
            if ((int)token.kind != tokens[i].kind || span.begin != before
                || span.end != before + length || w->diags.count)
                fail_msg("`%s`: kind %u, %u..%u, %u diagnostics", text, (unsigned)token.kind,
                         span.begin, span.end, w->diags.count);
            if (*around[a][0] == ';')
                assert_int_equal(ptx_lex(&w->lexer).kind, TOK_SEMI);
            assert_int_equal(ptx_lex(&w->lexer).kind, TOK_EOF);
            assert_int_equal(ptx_lex(&w->lexer).kind, TOK_EOF);
        }
    }
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* Tokens as `kind-of-text@begin`, here only their texts between bars; diags: code@begin..end. */
static const struct { const char *what, *text, *want, *diags; } sequences[] = {
    { "operands", "ld.global.u32 %r1, [%rd1+-24];", "ld.global.u32|%r1|,|[|%rd1|+|-|24|]|;|", "" },
    { "a guard", "@!%p1 bra L;", "@|!|%p1|bra|L|;|", "" },
    { "a range", ".reg .b32 %r<100>;", ".reg|.b32|%r|<|100|>|;|", "" },
    { "shifts", "1<<2>>3<=4", "1|<<|2|>>|3|<=|4|", "" },
    { "detached modifiers", "ld .global .u32", "ld|.global|.u32|", "" },
    { "a version", ".version 8.0", ".version|8.0|", "" },
    { "comments", "a/* b\n*/c//d\ne/***/f/**/g", "a|c|e|f|g|", "" },
    { "a comment never closed", "a /* b", "a|", "SYN102@2..4" },
    { "a comment closed by its opening", "a /*/ b", "a|", "SYN102@2..4" },
    { "a string never closed", "a \"b ;\nc", "a|\"b |;|c|", "SYN103@2..5" },
    { "a string closed on the next line", "\"a\n\" b", "\"a|\" b|", "SYN103@0..2 SYN103@3..6" },
    { "a byte-order mark", "\xEF\xBB\xBF" "a", "a|", "SYN105@0..3" },
    { "a byte-order mark inside", "a\xEF\xBB\xBF" "b", "a|b|", "SYN101@1..4" },
    { "a run of bytes that are no text is one", "a \x01\x02\xC3\x01 b", "a|b|", "SYN101@2..6" },
    { "bytes outside ASCII are one", "a \xC3\xA4\xC3\xB6 b", "a|b|", "SYN101@2..6" },
    { "an odd mark", "a ` b", "a|b|", "SYN101@2..3" },
    { "# in a line", "a # b", "a|b|", "SYN101@2..3" },
    { "# at its beginning", "a\n# 1 \"x\" 2\nc", "a|c|", "" },
    { "#line", "#line 7 \"x.cu\"\na", "a|", "" },
    { "@@DWARF", "@@DWARF .section x\na", "a|", "" },
    { "letters behind a number", "12abc", "12abc|", "SYN104@0..5" },
    { "too short bits", "0f3F80", "0f3F80|", "SYN104@0..6" },
    { "hexadecimal without digits", "0x", "0x|", "SYN104@0..2" },
    { "a lone dot", "a . b", "a|b|", "SYN101@2..3" },
    { "no text", "", "", "" },
    { "an escape in a string is none", "\"a\\\" b", "\"a\\\"|b|", "" },
};

static void test_sequences(void **state)
{
    World *w = *state;
    for (size_t i = 0; i < COUNT(sequences); i++) {
        Text got = { 0 }, diags = { 0 };
        kit_put(&got, "", 0);
        kit_put(&diags, "", 0);
        begin(w, sequences[i].text, strlen(sequences[i].text));
        for (Token token; (token = ptx_lex(&w->lexer)).kind != TOK_EOF;) {
            Span span = ptx_token_span(token);
            kit_put(&got, sequences[i].text + span.begin, ptx_span_length(span));
            kit_put(&got, "|", 1);
        }
        for (uint32_t d = 0; d < w->diags.count; d++)
            kit_print(&diags, "%s%s@%u..%u", d ? " " : "", w->diags.items[d]->info->code,
                      w->diags.items[d]->span.begin, w->diags.items[d]->span.end);
        if (strcmp(got.bytes, sequences[i].want) || strcmp(diags.bytes, sequences[i].diags))
            fail_msg("%s: `%s` and `%s`", sequences[i].what, got.bytes, diags.bytes);
        free(got.bytes);
        free(diags.bytes);
    }
}

static void test_nul_inside(void **state)
{
    World *w = *state;
    static const char text[] = "a \0 b /* c \0 */ d";
    begin(w, text, sizeof text - 1);
    Token token;
    unsigned words = 0;
    while ((token = ptx_lex(&w->lexer)).kind != TOK_EOF)
        words += token.kind == TOK_WORD;
    assert_true(words >= 2);
    assert_true(w->diags.count >= 1);
    assert_ptr_equal(w->diags.items[0]->info, &ptx_diag_info[DIAG_BAD_BYTE]);
    assert_int_equal(w->diags.items[0]->span.begin, 2);
}

static void test_first_on_line(void **state)
{
    World *w = *state;
    static const char text[] = "a b\n  c /* x */ d\r\n/* y */ e // z\nf";
    static const bool want[] = { true, false, true, false, true, true };
    begin(w, text, sizeof text - 1);
    for (size_t i = 0; i < COUNT(want); i++) {
        Token token = ptx_lex(&w->lexer);
        if (token.first_on_line != want[i])
            fail_msg("token %zu of `%s`", i, text);
    }
    assert_int_equal(ptx_lex(&w->lexer).kind, TOK_EOF);
}

static void test_skip_integers(void **state)
{
    World *w = *state;
    static const struct { const char *text; uint32_t count, stop; } cases[] = {
        { "1, 2, 3, 4 }", 3, 8 }, { "1,2,3,\n 4,\t5}", 4, 10 }, { "", 0, 0 }, { "}", 0, 0 }, { "1 }", 0, 0 }, { "-1, -2, x", 2, 7 },
        { "0, 00, 1", 1, 2 }, { "0x1, 2", 0, 0 }, { "1, 0x2, 3", 1, 2 }, { "999999999, 1,", 2, 13 }, { "1000000000, 1,", 0, 0 },
        { "1, /* c */ 2, 3", 1, 2 }, { "1 , 2 , }", 2, 7 }, { "1, -, 2", 1, 2 }, { "1, 2.5, 3", 1, 2 }, { "1, a, 2", 1, 2 }, { "1,", 1, 2 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(w, cases[i].text, strlen(cases[i].text));
        uint32_t count = ptx_lex_skip_integers(&w->lexer);
        if (count != cases[i].count || w->lexer.cur - w->lexer.base != cases[i].stop)
            fail_msg("`%s`: %u skipped, stopped at %ld", cases[i].text, count,
                     (long)(w->lexer.cur - w->lexer.base));
    }
}

/* Any bytes end, with spans that ascend and lie inside. */
static void test_random_bytes(void **state)
{
    World *w = *state;
    static const char alphabet[] = "azA09_$%.,;:@{}[]()=?+-*/~!&|^<>\"# \n\t\\\xC3\x01" "fdxbUe";
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        char text[65];
        size_t length = (size_t)(round % 65);
        for (size_t i = 0; i < length; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            text[i] = round & 1 ? alphabet[(seed >> 20) % (sizeof alphabet - 1)]
                                : (char)(seed >> 24);
        }
        text[length] = 0;
        begin(w, text, length);
        uint32_t last = 0, count = 0;
        for (Token token; (token = ptx_lex(&w->lexer)).kind != TOK_EOF; count++) {
            Span span = ptx_token_span(token);
            if (span.begin < last || span.end <= span.begin || span.end > length || count > length)
                fail_msg("round %d: %u..%u", round, span.begin, span.end);
            last = span.end;
        }
    }
}

UNIT(lexer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_token, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sequences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nul_inside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_on_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skip_integers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_bytes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
