/* test_recognize.c -- what loops compute: a class for each register that a loop carries. */
#include "kit.h"

#define HEAD                                                                      \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                             \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %p<9>;\n"      \
    ".reg .b32 %r<19>;\n.reg .f32 %f<19>;\n.reg .b64 %rd<9>;\n"                    \
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n"                           \
    "mov.u32 %r2, 0;\nmov.f32 %f1, 0f00000000;\nmov.u32 %r3, 1;\nmov.u32 %r4, 2;\n" \
    "mov.f32 %f5, 0f00000000;\n"

/* A loop over %r2, with x = %f2 loaded in each iteration. */
#define LOOP(body)                                                                \
    "L: ld.global.f32 %f2, [%rd1];\n" body                                        \
    "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra L;\n"
#define USE                                                                       \
    "st.global.f32 [%rd1], %f1;\nst.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1], %r4;\n" \
    "st.global.f32 [%rd1], %f5;\nret;\n"

static const struct { const char *what, *body, *wanted; } loops[] = {
    { "a counter", LOOP("") USE, "%r2 linear induction add 1" },
    { "a sum as multiply-add", LOOP("fma.rn.f32 %f1, %f2, %f2, %f1;\n") USE,
      "%f1 scalar reduction add; %r2 linear induction add 1" },
    { "the sum is multiplied: a recurrence", LOOP("fma.rn.f32 %f1, %f1, %f2, %f2;\n") USE,
      "%f1 linear recurrence fma; %r2 linear induction add 1" },
    { "an unrolled chain, and a copy",
      LOOP("add.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f2;\nmov.f32 %f1, %f4;\n") USE,
      "%f1 scalar reduction add; %r2 linear induction add 1" },
    { "several accumulators", LOOP("add.f32 %f1, %f1, %f2;\nmax.f32 %f5, %f5, %f2;\n") USE,
      "%f1 scalar reduction add; %f5 scalar reduction max; %r2 linear induction add 1" },
    { "prefixes", LOOP("add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1+8], %f1;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "under a guard",
      LOOP("setp.gt.f32 %p2, %f2, 0f00000000;\n@%p2 add.s32 %r3, %r3, 1;\n") USE,
      "%r3 scalar reduction add conditional; %r2 linear induction add 1" },
    { "by an induction, and doubled", LOOP("add.s32 %r3, %r3, %r2;\nshl.b32 %r4, %r4, 1;\n") USE,
      "%r3 polynomial induction add; %r4 geometric induction shl; %r2 linear induction add 1" },
    { "toggled, and subtracted from", LOOP("xor.b32 %r3, %r3, 1;\nsub.f32 %f1, %f2, %f1;\n") USE,
      "%r3 not recognized; %f1 not recognized; %r2 linear induction add 1" },
    { "minus the sum, plus itself",
      LOOP("sub.f32 %f1, %f1, %f2;\nadd.f32 %f5, %f5, %f5;\n") USE,
      "%f1 scalar reduction add; %f5 not recognized; %r2 linear induction add 1" },
    { "set anew in the loop",
      LOOP("setp.gt.f32 %p2, %f2, 0f00000000;\n@%p2 mov.f32 %f1, 0f00000000;\n"
           "add.f32 %f1, %f1, %f2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "two registers change places",
      LOOP("mov.f32 %f3, %f1;\nmov.f32 %f1, %f5;\nadd.f32 %f5, %f3, %f2;\n") USE,
      "(several) not recognized; %r2 linear induction add 1" },
    { "the sum ends the loop",
      LOOP("add.f32 %f1, %f1, %f2;\nsetp.gt.f32 %p2, %f1, 0f42000000;\n@%p2 bra M;\n") "M: " USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "saturating", LOOP("add.sat.f32 %f1, %f1, %f2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "set to 0 in each iteration of the outer loop",
      "N: mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 0;\n" LOOP("add.f32 %f1, %f1, %f2;\n")
      "st.global.f32 [%rd1], %f1;\nadd.s32 %r3, %r3, 2;\nsetp.lt.s32 %p3, %r3, %r1;\n@%p3 bra N;\n"
      "ret;\n",
      "%r3 linear induction add 2; %f1 reinitialized scalar reduction add; "
      "%r2 reinitialized linear induction add 1" },
    { "stepped in an inner loop, too",
      "N: mov.u32 %r2, 0;\n" LOOP("add.s32 %r3, %r3, 4;\n")
      "add.s32 %r3, %r3, 2;\nsetp.lt.s32 %p3, %r3, %r1;\n@%p3 bra N;\nret;\n",
      "%r3 not recognized; %r3 linear induction add 4; %r2 reinitialized linear induction add 1" },
    { "a maximum by selp",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f2, %f1, %p2;\n") USE,
      "%f1 scalar reduction max; %r2 linear induction add 1" },
    { "a minimum, the predicate the other way, and a copy",
      LOOP("setp.leu.f32 %p2, %f1, %f2;\nselp.f32 %f3, %f1, %f2, %p2;\nmov.f32 %f1, %f3;\n") USE,
      "%f1 scalar reduction min; %r2 linear induction add 1" },
    { "a minimum by a guarded copy",
      LOOP("setp.lt.f32 %p2, %f1, %f2;\n@!%p2 mov.f32 %f1, %f2;\n") USE,
      "%f1 scalar reduction min; %r2 linear induction add 1" },
    { "a maximum with its place",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f2, %f1, %p2;\n"
           "selp.b32 %r3, %r2, %r3, %p2;\n@%p2 mov.u32 %r4, %r2;\n") USE,
      "%f1 scalar reduction max; %r3 location argmax; %r4 location argmax; "
      "%r2 linear induction add 1" },
    { "the place goes to memory: what is compared may come from there",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f2, %f1, %p2;\n"
           "selp.b32 %r3, %r2, %r3, %p2;\nst.global.u32 [%rd1], %r3;\n") USE,
      "%f1 not recognized; %r3 location argmax; %r2 linear induction add 1" },
    { "the place of what is no maximum: the predicate keeps it",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f2, %f1, %p2;\n"
           "selp.b32 %r3, %r3, %r2, %p2;\n") USE,
      "%f1 not recognized; %r3 not recognized; %r2 linear induction add 1" },
    { "another value than the compared one is taken",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f5, %f1, %p2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "the compared value is loaded anew before it is taken",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nld.global.f32 %f2, [%rd1+4];\n"
           "selp.f32 %f1, %f2, %f1, %p2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "equal is no order",
      LOOP("setp.eq.f32 %p2, %f2, %f1;\nselp.f32 %f1, %f2, %f1, %p2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "the maximum of some iterations",
      LOOP("setp.gt.f32 %p3, %f2, 0f00000000;\n@!%p3 bra K;\nsetp.gt.f32 %p2, %f2, %f1;\n"
           "selp.f32 %f1, %f2, %f1, %p2;\nK: \n") USE,
      "%f1 scalar reduction max conditional; %r2 linear induction add 1" },
    { "by a constant that the loop sets",
      LOOP("mov.u32 %r5, 3;\nadd.s32 %r3, %r3, %r5;\nadd.s32 %r6, %r5, %r1;\n"
           "sub.s32 %r4, %r4, %r6;\n") USE,
      "%r3 linear induction add 3; %r4 linear induction add; %r2 linear induction add 1" },
    { "set behind its use: the first iteration adds another",
      LOOP("add.s32 %r3, %r3, %r4;\nmov.u32 %r4, 3;\n") USE,
      "%r3 scalar reduction add; %r2 linear induction add 1" },
    { "no loop", USE, "" },
};

static void put_item(char *out, const ptxlint_recognized *item)
{
    sprintf(out + strlen(out), "%s%s %s%s", *out ? "; " : "",
            *item->variable ? item->variable : "(several)",
            item->is_reinitialized ? "reinitialized " : "",
            ptxlint_recognized_class_text(item->recognized));
    if (*item->operation)
        sprintf(out + strlen(out), " %s", item->operation);
    if (item->step != PTXLINT_UNKNOWN)
        sprintf(out + strlen(out), " %d", (int)item->step);
    strcat(out, item->is_conditional ? " conditional" : "");
}

static void check_loop(const char *what, const char *body, const char *wanted)
{
    static char text[4096];
    char got[1024] = "";
    size_t count;
    ptxlint_module *module;
    ptxlint_recognition *of;
    snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_recognition_new(module, kernels, &of), PTXLINT_OK);
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    for (size_t i = 0; i < count; i++) {
        put_item(got, &items[i]);
        assert_true(!*items[i].why == (items[i].recognized != PTXLINT_RECOGNIZED_NONE));
    }
    if (strcmp(got, wanted))
        fail_msg("%s:\n got    %s\n wanted %s", what, got, wanted);
    ptxlint_recognition_free(of);
    ptxlint_module_free(module);
}

static void test_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        check_loop(loops[i].what, loops[i].body, loops[i].wanted);
}

static void test_misuse(void **state)
{
    ptxlint_recognition *of = (ptxlint_recognition *)state;
    assert_int_equal(ptxlint_recognition_new(NULL, NULL, &of), PTXLINT_BAD_ARGUMENT);
    assert_null(of);
    ptxlint_recognition_free(NULL);
}

UNIT(recognize)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_loops),
                                        cmocka_unit_test(test_misuse) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
