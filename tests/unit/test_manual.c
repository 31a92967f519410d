/* test_manual.c -- the instruction table as a manual, through the public interface. */
#include "kit.h"

#include <math.h>

static ptxlint_isa *open_isa(const char *text)
{
    char error[256];
    ptxlint_isa *isa;
    if (ptxlint_isa_new(text, strlen(text), &isa, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", text, error);
    return isa;
}

/* Each opcode, and each form, says what it does; no text is cut. */
static void test_all(void **state)
{
    ptxlint_isa_opcode opcode;
    const char *last = "";
    (void)state;
    for (size_t i = 0; ptxlint_isa_opcode_at(i, &opcode); i++) {
        assert_true(strcmp(last, opcode.text) < 0);
        last = opcode.text;
        if (!*opcode.summary || !opcode.classes || !(opcode.classes >> opcode.main_class & 1))
            fail_msg("%s: no sentence or no class", opcode.text);
        ptxlint_isa *isa = open_isa(opcode.text);
        const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
        assert_string_equal(info->opcode, opcode.text);
        for (size_t f = 0; f < info->form_count; f++) {
            const ptxlint_isa_form *form = &info->forms[f];
            if (!*form->summary || !form->need_count || strlen(form->modifiers_text) > 200
                || strlen(form->operands_text) > 200)
                fail_msg("%s", form->modifiers_text);
            for (size_t m = 0; m < form->modifier_count; m++)
                assert_true(form->modifiers[m].value_count > 0);
        }
        ptxlint_isa_free(isa);
    }
    assert_true(*last);
}

static void test_narrowing(void **state)
{
    static const struct { const char *text; int is_whole; const char *summary, *needs; } cases[] = {
        { "fma.rn.f32",                1, "Fused multiply-add",               "PTX 2.0 sm_20" },
        /* as ptxas takes it */
        { "fma.f32.rn",                1, "Fused multiply-add",               "PTX 2.0 sm_20" },
        { "mbarrier.try_wait.parity",  0, "Waits, for a limited time",           NULL },
        { "griddepcontrol.wait",       1, "Waits until all prerequisite",             "PTX 7.8 sm_90" },
        { "barrier.cluster.arrive",    1, "Arrives at the cluster barrier", NULL },
        { "cp.async.bulk.commit_group", 1, "Commits the thread's uncommitted bulk",  "PTX 8.0 sm_90" },
        { "tcgen05.mma.ws.sp",         0, "Weight-stationary asynchronous matrix", NULL },
        { "wgmma.fence.sync.aligned",  1, "Orders prior register",        "PTX 8.0 sm_90a" },
        { "madc.lo.cc",                0, "Multiplies two integers and adds a third and the carry", NULL },
        { "call",                      1, "Calls a function",                    "PTX 1.0 sm_10" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_isa *isa = open_isa(cases[i].text);
        const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
        const ptxlint_isa_need *need = &info->forms[0].needs[0];
        char needs[64];
        snprintf(needs, sizeof needs, "PTX %d.%d %s", need->version_major, need->version_minor,
                 need->target);
        if (info->is_whole != cases[i].is_whole
            || strncmp(info->summary, cases[i].summary, strlen(cases[i].summary)) != 0
            || (cases[i].needs && strcmp(needs, cases[i].needs) != 0))
            fail_msg("%s: whole %d, %s, %s", cases[i].text, info->is_whole, info->summary, needs);
        ptxlint_isa_free(isa);
    }
}

static void test_form(void **state)
{
    ptxlint_isa *isa = open_isa("setp.lt.and.s32");
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    (void)state;
    assert_int_equal(info->form_count, 1);
    assert_string_equal(info->forms[0].modifiers_text, "setp.cmpint.boolop.sinttype");
    assert_string_equal(info->forms[0].operands_text, "p{|q}, a, b, {!}c");
    assert_int_equal(info->forms[0].operand_count, 4);
    const ptxlint_isa_operand *p = &info->forms[0].operands[0], *c = &info->forms[0].operands[3];
    assert_true(p->is_written && !p->is_read && p->is_pair_written);
    assert_string_equal(p->type, ".pred");
    assert_string_equal(p->pair, "q");
    assert_true(c->is_negatable && c->is_read && !c->pair);
    assert_string_equal(info->forms[0].operands[1].type, ".sinttype");
    assert_int_equal(info->group_count, 3);
    assert_string_equal(info->groups[1].name, "boolop");
    assert_string_equal(info->groups[1].values[2], "xor");
    ptxlint_isa_free(isa);
}

/* An operand whose type is one of several that the instruction writes. */
static void test_operand_types(void **state)
{
    static const struct { const char *text; size_t operand; const char *type; } cases[] = {
        { "set.lt.u32.f32",                 0, ".tlddtype" },
        { "set.lt.u32.f32",                 1, ".f32" },
        { "vadd.s32.u32.u32",               1, ".vatype" },
        { "cvt.rni.s32.f32",                0, ".cvtint" },
        { "tex.2d.v4.u32.f32",              0, ".tlddtype" },
        { "mul.wide.u32",                   0, ".u64" },
        { "brx.idx",                        1, "label" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_isa *isa = open_isa(cases[i].text);
        const ptxlint_isa_form *form = &ptxlint_isa_get_info(isa)->forms[0];
        assert_true(form->operand_count > cases[i].operand);
        if (strcmp(form->operands[cases[i].operand].type, cases[i].type) != 0)
            fail_msg("%s: operand %zu of %s is %s", cases[i].text, cases[i].operand,
                     form->modifiers_text, form->operands[cases[i].operand].type);
        ptxlint_isa_free(isa);
    }
}

/* Forms that differ in their needs alone are one. */
static void test_needs(void **state)
{
    ptxlint_isa *isa = open_isa("setmaxnreg");
    const ptxlint_isa_form *form = &ptxlint_isa_get_info(isa)->forms[0];
    (void)state;
    assert_int_equal(ptxlint_isa_get_info(isa)->form_count, 1);
    assert_true(form->need_count > 1);
    assert_string_equal(form->needs[0].target, "sm_90a");
    assert_string_equal(form->needs[1].target, "sm_100f");
    ptxlint_isa_free(isa);
}

static void test_errors(void **state)
{
    static const struct { const char *text, *error; } cases[] = {
        { "lde.f32",      "unknown instruction 'lde'; did you mean ld?" },
        { "qqqqqqqqqqqq", "unknown instruction 'qqqqqqqqqqqq'" },
        { "",             "unknown instruction ''" },
        { "ld.globl.f32", "no instruction has a modifier '.globl'; did you mean .global?" },
        { "ld.f32.u32",   "no form of ld takes all of '.f32.u32'" },
        { "ld..f32",      "no form of ld takes all of '..f32'" },
    };
    ptxlint_isa *isa;
    char error[256];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            ptxlint_isa_new(cases[i].text, strlen(cases[i].text), &isa, error, sizeof error),
            PTXLINT_BAD_ARGUMENT);
        assert_null(isa);
        if (strncmp(error, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("%s: %s", cases[i].text, error);
    }
    char *longest = calloc(1, 100000);
    memset(longest, '.', 99999);
    assert_int_equal(ptxlint_isa_new(longest, 99999, &isa, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_isa_new(longest, 2000, &isa, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_isa_hover(longest, 2000, NULL, NULL, 0), 0);
    free(longest);
    assert_int_equal(ptxlint_isa_new("ld", 2, NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_isa_new(NULL, 2, &isa, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_string_equal(ptxlint_isa_suggest("fmaa", 4), "fma");
    assert_null(ptxlint_isa_suggest(NULL, 0));
    ptxlint_isa_free(NULL);
}

static void test_rates(void **state)
{
    const ptxlint_gpu *h200 = ptxlint_gpu_find("h200"), *turing = ptxlint_gpu_find("sm_75");
    ptxlint_isa_rate rate;
    (void)state;
    assert_true(ptxlint_isa_get_rate("fma.rn.f32", 10, h200, &rate));
    assert_true(rate.results_per_clock == 128);
    assert_string_equal(rate.pipe, "fma");
    assert_true(*rate.source && isnan(rate.fmas_per_clock));
    assert_true(ptxlint_isa_get_rate("mov.b32", 7, h200, &rate));
    assert_true(isinf(rate.results_per_clock));
    static const char mma[] = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    assert_true(ptxlint_isa_get_rate(mma, sizeof mma - 1, ptxlint_gpu_find("sm_80"), &rate));
    assert_true(rate.fmas_per_clock > 0);
    assert_string_equal(rate.pipe, "tensor");
    assert_false(ptxlint_isa_get_rate("add.u16x2", 9, turing, &rate));
    assert_false(ptxlint_isa_get_rate("fma", 3, h200, &rate));
    assert_false(ptxlint_isa_get_rate("fma.rn.f32", 10, NULL, &rate));
    assert_true(ptxlint_isa_has("mma", 3, turing));
    assert_false(ptxlint_isa_has("wgmma", 5, turing));
    assert_true(ptxlint_isa_has("wgmma", 5, h200));
    assert_false(ptxlint_isa_has("nonsense", 8, h200));
}

static void test_hover(void **state)
{
    char text[2048], small[8];
    size_t length = ptxlint_isa_hover("fma.rn.f32", 10, ptxlint_gpu_find("h200"), text,
                                      sizeof text);
    (void)state;
    assert_string_equal(text, "```ptx\nfma.rnd{.ftz}{.sat}.f32  d, a, b, c;\n```\nFused "
                              "multiply-add of floats: one rounding.\n\n"
                              "PTX 2.0, `sm_20`\n\nh200: 128 results per clock per SM (fma)\n\n"
                              "Latency: 4 cycles\n");
    assert_int_equal(length, strlen(text));
    assert_int_equal(
        ptxlint_isa_hover("fma.rn.f32", 10, ptxlint_gpu_find("h200"), small, sizeof small), length);
    assert_string_equal(small, "```ptx\n");
    assert_int_equal(ptxlint_isa_hover("nonsense", 8, NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    /* still being typed */
    assert_true(ptxlint_isa_hover("fma.r", 5, NULL, text, sizeof text) > 0);
    assert_non_null(strstr(text, "fma.rnd"));
}

UNIT(manual)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),    cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_form),   cmocka_unit_test(test_needs),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_rates),
        cmocka_unit_test(test_hover),  cmocka_unit_test(test_operand_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
