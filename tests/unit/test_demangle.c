/* test_demangle.c -- names of C++ and Rust as the source has them, what a user may write for one,
 * and names in Markdown. */
#include "kit.h"

#include "ptxlint/ptxlint.h"
#include "support/demangle.h"

typedef struct DemangleCase {
    const char *name, *forms[NAME_FORM__COUNT], *title;
} DemangleCase;

static const DemangleCase demangle_cases[] = {
    { "_Z4copyIfLi16EEvPKT_PS0_",
      { "copy<float, 16>(float const*, float*)", "copy<float, 16>", "copy", "copy" },
      "copy<float, 16>" },
    { "_ZN2ns4copyIdLi4EEEvPKT_PS1_i",
      { "ns::copy<double, 4>(double const*, double*, int)", "ns::copy<double, 4>", "ns::copy",
        "copy" },
      "ns::copy<double, 4>" },
    { "_ZN12_GLOBAL__N_11kEPf",
      { "(anonymous namespace)::k(float*)", "(anonymous namespace)::k", "(anonymous namespace)::k",
        "k" },
      "(anonymous namespace)::k" },
    /* nvcc's namespace of a file */
    { "_ZN43_INTERNAL_f3bb88a3_12_transpose_cu_f00d254312through_tileILi0EEEviPKfPf",
      { "through_tile<0>(int, float const*, float*)", "through_tile<0>", "through_tile",
        "through_tile" },
      "through_tile<0>" },
    { "_ZZ9block_sumPKfPfiE4part",
      { "block_sum(float const*, float*, int)::part", NULL, NULL, "part" },
      "part in block_sum" },
    { "_ZZ9bulk_copyE4tile", { "bulk_copy::tile", NULL, NULL, "tile" }, "tile in bulk_copy" },
    /* Numba's tags */
    { "_ZN8__main__3addB2v1B4cw51E5ArrayIfLi1E1C7mutable7alignedE",
      { "__main__::add(Array<float, 1, C, mutable, aligned>)", "__main__::add", "__main__::add",
        "add" },
      "__main__::add" },
    { "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
      { "core::fmt::Formatter::write_str", NULL, NULL, "write_str" },
      "core::fmt::Formatter::write_str" },
    { "_RNvNtCs4fqI2P2rA04_4test3gpu4gemm",
      { "test::gpu::gemm", "test::gpu::gemm", "test::gpu::gemm", "gemm" },
      "test::gpu::gemm" },
    { "_ZN1XlsIiEEvi", { "X::operator<< <int>(int)", NULL, "X::operator<<", "operator<<" },
      "X::operator<< <int>" },
    { "_ZN1XltEi", { "X::operator<(int)", "X::operator<", "X::operator<", "operator<" },
      "X::operator<" },
    /* not mangled, or cut */
    { "saxpy", { "" }, "saxpy" },
    { "_Z", { "" }, "_Z" },
    { "", { "" }, "" },
    { "_Z9block_su", { "" }, "_Z9block_su" },
    { "_Z4copyPf_param_12", { NULL }, "param_12" },
    { "k_param_0", { "" }, "param_0" },
    { "param_0", { "" }, "param_0" },
    { "k_param_", { "" }, "k_param_" },
};

static void test_forms(void **state)
{
    (void)state;
    char text[256], cut[8];
    for (size_t i = 0; i < COUNT(demangle_cases); i++) {
        const DemangleCase *c = &demangle_cases[i];
        for (int form = 0; form < NAME_FORM__COUNT; form++) {
            const char *want = c->forms[form];
            if (c->forms[0] && !*c->forms[0])
                want = "";
            if (!want)
                continue;
            size_t length = ptxlint_demangle(c->name, (ptxlint_name_form)form, text, sizeof text);
            assert_string_equal(text, want);
            assert_int_equal(length, strlen(want));
            assert_int_equal(ptxlint_demangle(c->name, (ptxlint_name_form)form, cut, sizeof cut),
                             length);
            assert_int_equal(strncmp(cut, want, sizeof cut - 1), 0);
        }
        ptx_source_title(c->name, strlen(c->name), text, sizeof text);
        assert_string_equal(text, c->title);
    }
    assert_int_equal(ptxlint_demangle("_Z1kv", PTXLINT_NAME_SHORT, NULL, 0), 1);
    assert_int_equal(ptxlint_demangle(NULL, PTXLINT_NAME_SHORT, text, sizeof text), 0);
    assert_int_equal(ptxlint_demangle("_Z1kv", (ptxlint_name_form)9, text, sizeof text), 0);
}

typedef struct MarkdownCase {
    const char *text, *name, *message;      /* with has_code 0 and 1; NULL: the same */
} MarkdownCase;

static const MarkdownCase markdown_cases[] = {
    { "", "", NULL },
    { "copy<float, 16>", "copy\\<float, 16\\>", NULL },
    { "`a|b` c|d", "\\`a&#124;b\\` c&#124;d", "`a\\|b` c&#124;d" },
    { "`@a` @a", "\\`\\@&#8203;a\\` \\@&#8203;a", "`@a` \\@&#8203;a" },
    { "one ` alone", "one \\` alone", NULL },
    { "``a``", "\\`\\`a\\`\\`", NULL },
    { "`a\\|b`", "\\`a&#92;&#124;b\\`", NULL },
    { "a@b.c", "a\\@&#8203;b.c", NULL },
    { "#1 #a !2 GH-3 gh-x", "\\#&#8203;1 \\#a \\!&#8203;2 GH-&#8203;3 gh-x", NULL },
    { "www.a.b Www.c", "www\\.a.b Www\\.c", NULL },
    { "- a", "\\- a", NULL },
    { "12. a", "12\\. a", NULL },
    { "1.5 us", "1\\.5 us", NULL },
    { " a", "&#32;a", NULL },
    { "\ta", "&#32;a", NULL },
    { "a\nb\x1b", "a\\<0a\\>b\\<1b\\>", NULL },
    { "##[a", "\\<23\\>\\#\\[a", NULL },
    { "\xc3\xa9\xff", "\xc3\xa9\\<ff\\>", NULL },
};

static void test_markdown(void **state)
{
    (void)state;
    char text[128], cut[6];
    for (size_t i = 0; i < COUNT(markdown_cases); i++)
        for (int has_code = 0; has_code < 2; has_code++) {
            const MarkdownCase *c = &markdown_cases[i];
            const char *want = has_code && c->message ? c->message : c->name;
            size_t length = ptxlint_markdown_text(c->text, has_code, text, sizeof text);
            assert_string_equal(text, want);
            assert_int_equal(length, strlen(want));
            assert_int_equal(ptxlint_markdown_text(c->text, has_code, cut, sizeof cut), length);
            assert_int_equal(strncmp(cut, want, sizeof cut - 1), 0);
        }
    assert_int_equal(ptxlint_markdown_text("<", 0, NULL, 0), 2);
    assert_int_equal(ptxlint_markdown_text(NULL, 1, text, sizeof text), 0);
}

static void test_globs(void **state)
{
    (void)state;
    static const char name[] = "_ZN2ns4copyIjLi16EEEvPKT_PS1_PA2_i";
    static const char *const fit[] = {
        name,
        "*copy*",
        "copy",
        "ns::copy",
        "ns::copy<unsigned int, 16>",
        "ns::copy<unsigned int,16>",
        "ns::copy<*>",
        "co?y",
        "ns::copy<unsigned int, 16>(unsigned int const*, unsigned int*, int (*) [2])",
        "void ns::copy<unsigned int,16>(unsigned int const*,unsigned int*,int(*)[2])",
    };
    static const char *const unfit[] = { "cop", "ns", "ns::cop", "copy<unsigned int>", "", "int",
                                         "ns::copy<unsignedint,16>" };
    for (size_t i = 0; i < COUNT(fit); i++)
        if (!ptxlint_name_fits(fit[i], name))
            fail_msg("%s does not fit", fit[i]);
    for (size_t i = 0; i < COUNT(unfit); i++)
        if (ptxlint_name_fits(unfit[i], name))
            fail_msg("%s fits", unfit[i]);
    assert_true(ptxlint_name_fits("sax*", "saxpy"));
    assert_false(ptxlint_name_fits("sax", "saxpy"));
    assert_true(ptxlint_name_fits("gemm\nsax*", "saxpy"));
    assert_true(ptxlint_name_fits("sax*\ngemm", "saxpy"));
    assert_false(ptxlint_name_fits("sax\ngemm", "saxpy"));
    assert_false(ptxlint_name_fits(NULL, "saxpy"));
}

/* Short names that stand for text without end, and deep ones. */
static void test_hostile(void **state)
{
    (void)state;
    char name[MANGLED_BYTES_MAX + 64], text[64];
    for (size_t length = 16; length < sizeof name; length *= 2) {
        static const char *const parts[] = { "P", "1bI", "F", "S_", "T_", "N", "RNv", "I" };
        for (size_t p = 0; p < COUNT(parts); p++)
            for (int rust = 0; rust < 2; rust++) {
                int at = snprintf(name, sizeof name, "%s", rust ? "_R" : "_Z1f");
                while ((size_t)at + 4 < length)
                    at += snprintf(name + at, sizeof name - (size_t)at, "%s", parts[p]);
                ptx_demangle(name, NAME_SIGNATURE, text, sizeof text);
            }
    }
    int at = snprintf(name, sizeof name, "_Z1f1AIiiES_IS0_S0_E");
    for (char digit = '1'; digit <= '9'; digit++)
        at += snprintf(name + at, sizeof name - (size_t)at, "S_IS%c_S%c_E", digit, digit);
    for (char digit = 'A'; digit < 'Z'; digit++)
        at += snprintf(name + at, sizeof name - (size_t)at, "S_IS%c_S%c_E", digit, digit);
    assert_int_equal(ptx_demangle(name, NAME_SIGNATURE, text, sizeof text), 0);
}

UNIT(demangle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
