/* test_recognize.c -- what loops compute: a class for each register that a loop carries, and for
 * each store, atomic and gather. */
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
    { "by a selection",
      LOOP("setp.gt.f32 %p2, %f2, 0f00000000;\nadd.f32 %f3, %f1, %f2;\n"
           "selp.f32 %f1, %f3, %f1, %p2;\n") USE,
      "%f1 scalar reduction add conditional; %r2 linear induction add 1" },
    { "selected, or set anew",
      LOOP("setp.gt.f32 %p2, %f2, 0f00000000;\nadd.f32 %f3, %f1, %f2;\n"
           "selp.f32 %f1, %f3, 0f00000000, %p2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "selected by the sum itself",
      LOOP("setp.gt.f32 %p2, %f1, %f2;\nadd.f32 %f3, %f1, %f2;\n"
           "selp.f32 %f1, %f3, %f1, %p2;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
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
    { "set to 0, and more is added behind the loop",
      "N: mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 0;\n" LOOP("add.f32 %f1, %f1, %f2;\n")
      "add.f32 %f1, %f1, %f5;\nst.global.f32 [%rd1], %f1;\nadd.s32 %r3, %r3, 2;\n"
      "setp.lt.s32 %p3, %r3, %r1;\n@%p3 bra N;\nret;\n",
      "%r3 linear induction add 2; %f1 reinitialized scalar reduction add; "
      "%r2 reinitialized linear induction add 1" },
    { "set to 0 on one way alone",
      "N: setp.gt.s32 %p3, %r3, 7;\n@%p3 bra M;\nmov.f32 %f1, 0f00000000;\nM: mov.u32 %r2, 0;\n"
      LOOP("add.f32 %f1, %f1, %f2;\n")
      "st.global.f32 [%rd1], %f1;\nadd.s32 %r3, %r3, 2;\nsetp.lt.s32 %p3, %r3, %r1;\n"
      "@%p3 bra N;\nret;\n",
      "%r3 linear induction add 2; %f1 scalar reduction add; "
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
    { "a maximum with its place, unrolled",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f3, %f2, %f1, %p2;\n"
           "selp.b32 %r4, %r2, %r3, %p2;\nld.global.f32 %f4, [%rd1+4];\n"
           "setp.gt.f32 %p3, %f4, %f3;\nselp.f32 %f1, %f4, %f3, %p3;\n"
           "selp.b32 %r3, %r1, %r4, %p3;\n") USE,
      "%f1 scalar reduction max; %r3 location argmax; %r2 linear induction add 1" },
    { "unrolled, the second the other way round",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f3, %f2, %f1, %p2;\n"
           "setp.gt.f32 %p3, %f5, %f3;\nselp.f32 %f1, %f3, %f5, %p3;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "unrolled, the second keeps what the first was given",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f3, %f2, %f1, %p2;\n"
           "setp.gt.f32 %p3, %f5, %f3;\nselp.f32 %f1, %f5, %f1, %p3;\n") USE,
      "%f1 not recognized; %r2 linear induction add 1" },
    { "unrolled, the place of the second alone",
      LOOP("setp.gt.f32 %p2, %f2, %f1;\nselp.f32 %f3, %f2, %f1, %p2;\n"
           "ld.global.f32 %f4, [%rd1+4];\n"
           "setp.gt.f32 %p3, %f4, %f3;\nselp.f32 %f1, %f4, %f3, %p3;\n"
           "selp.b32 %r3, %r1, %r3, %p3;\n") USE,
      "%f1 not recognized; %r3 not recognized; %r2 linear induction add 1" },
    { "a maximum by a branch",
      LOOP("setp.leu.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f2;\nK: \n") USE,
      "%f1 scalar reduction max; %r2 linear induction add 1" },
    { "a minimum by a branch that is taken, with its place",
      LOOP("setp.gt.f32 %p2, %f1, %f2;\n@!%p2 bra K;\nmov.f32 %f1, %f2;\nmov.u32 %r4, %r2;\n"
           "K: \n") USE,
      "%f1 scalar reduction min; %r4 location argmin; %r2 linear induction add 1" },
    { "by a branch: another value than the compared one",
      LOOP("setp.leu.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f5;\nK: \n") USE,
      "%r2 linear induction add 1" },
    { "by a branch: the place is read in the loop",
      LOOP("setp.leu.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f2;\nmov.u32 %r4, %r2;\n"
           "K: st.global.u32 [%rd1], %r4;\n") USE,
      "%r2 linear induction add 1" },
    { "by a branch: the block does more",
      LOOP("setp.leu.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f2;\n"
           "st.global.u32 [%rd1], %r1;\nK: \n") USE,
      "%r2 linear induction add 1" },
    { "by a branch: set on the other way, too",
      LOOP("setp.leu.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f2;\nK: \n"
           "mov.f32 %f1, %f5;\n") USE,
      "%r2 linear induction add 1" },
    { "by a branch: equal is no order",
      LOOP("setp.eq.f32 %p2, %f2, %f1;\n@%p2 bra K;\nmov.f32 %f1, %f2;\nK: \n") USE,
      "%r2 linear induction add 1" },
    { "by a constant that the loop sets",
      LOOP("mov.u32 %r5, 3;\nadd.s32 %r3, %r3, %r5;\nadd.s32 %r6, %r5, %r1;\n"
           "sub.s32 %r4, %r4, %r6;\n") USE,
      "%r3 linear induction add 3; %r4 linear induction add; %r2 linear induction add 1" },
    { "set behind its use: the first iteration adds another",
      LOOP("add.s32 %r3, %r3, %r4;\nmov.u32 %r4, 3;\n") USE,
      "%r3 scalar reduction add; %r2 linear induction add 1" },
    { "no loop", USE, "" },
};

/* Arrays: %rd2 and %rd3 are 4 * i beyond x and y, i the thread. */
#define ARRAYS_OF(target) ARRAYS_WITH(target, "")
#define ARRAYS_WITH(target, more)                                                              \
    ".version 8.0\n.target " target "\n.address_size 64\n.shared .align 4 .b8 s[4096];\n" \
    ".visible .entry k(.param .u64 x, .param .u64 y, " more ".param .u32 n)\n{\n"   \
    ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .f32 %f<19>;\n.reg .b64 %rd<19>;\n" \
    "ld.param.u64 %rd8, [x];\nld.param.u64 %rd9, [y];\nld.param.u32 %r1, [n];\n"    \
    "cvta.to.global.u64 %rd8, %rd8;\n"                                             \
    "mov.u32 %r7, %ctaid.x;\nmov.u32 %r8, %ntid.x;\nmov.u32 %r9, %tid.x;\n"         \
    "mad.lo.s32 %r2, %r7, %r8, %r9;\nmov.u32 %r3, 0;\nmov.f32 %f1, 0f00000000;\n"   \
    "mul.wide.s32 %rd1, %r2, 4;\nadd.s64 %rd2, %rd8, %rd1;\nadd.s64 %rd3, %rd9, %rd1;\n"
#define ARRAYS ARRAYS_OF("sm_90")
#define ARRAYS_80 ARRAYS_OF("sm_80")
/* %r3 and %rd3 step; x[i] is loaded from %rd2. */
#define ARRAY_LOOP(body)                                                          \
    "L: ld.global.f32 %f2, [%rd2];\n" body                                        \
    "add.s64 %rd2, %rd2, 4;\nadd.s64 %rd3, %rd3, 4;\n"                            \
    "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\nret;\n"
#define INDEX "ld.global.u32 %r5, [%rd2];\nmul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd9, %rd4;\n"

static const struct { const char *what, *body, *wanted; } arrays[] = {
    { "a copy, behind a bounds check",
      "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra E;\nld.global.f32 %f2, [%rd2];\n"
      "st.global.f32 [%rd3], %f2;\nE: ret;\n", "y array assignment 4" },
    { "swizzled: each thread has its own by evaluation",
      "mov.u64 %rd6, s;\nshr.u32 %r5, %r9, 5;\nxor.b32 %r5, %r5, %r9;\n"
      "mul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd6, %rd6, %rd7;\nst.shared.u32 [%rd6], %r9;\nret;\n",
      "s array assignment" },
    { "two threads have the same element",
      "mov.u64 %rd6, s;\nshr.u32 %r5, %r9, 1;\nxor.b32 %r5, %r5, %r9;\nand.b32 %r5, %r5, 511;\n"
      "mul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd6, %rd6, %rd7;\nst.shared.u32 [%rd6], %r9;\nret;\n",
      "s not recognized" },
    { "but one of them does not store",
      "mov.u64 %rd6, s;\nshr.u32 %r5, %r9, 1;\nxor.b32 %r5, %r5, %r9;\nand.b32 %r5, %r5, 511;\n"
      "mul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd6, %rd6, %rd7;\nand.b32 %r6, %r9, 512;\n"
      "setp.eq.u32 %p1, %r6, 0;\n@%p1 st.shared.u32 [%rd6], %r9;\nret;\n",
      "s array assignment" },
    { "wider than what lies between two threads",
      "mov.u64 %rd6, s;\nshr.u32 %r5, %r9, 5;\nxor.b32 %r5, %r5, %r9;\n"
      "mul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd6, %rd6, %rd7;\nst.shared.u64 [%rd6], %rd8;\nret;\n",
      "s not recognized" },
    { "swizzled by what the launch says", "mov.u64 %rd6, s;\nxor.b32 %r5, %r1, %r9;\n"
      "mul.wide.u32 %rd7, %r5, 4;\nadd.s64 %rd6, %rd6, %rd7;\nst.shared.u32 [%rd6], %r9;\nret;\n",
      "s not recognized" },
    { "swizzled alike in all blocks",
      "shr.u32 %r5, %r9, 5;\nxor.b32 %r5, %r5, %r9;\nmul.wide.u32 %rd7, %r5, 4;\n"
      "add.s64 %rd6, %rd8, %rd7;\nst.global.u32 [%rd6], %r9;\nret;\n", "x not recognized" },
    { "of some elements",
      "ld.global.f32 %f2, [%rd2];\nsetp.gt.f32 %p1, %f2, 0f00000000;\n"
      "@%p1 st.global.f32 [%rd3], %f2;\nret;\n", "y array assignment 4 conditional" },
    { "saxpy adds to y", "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd3];\n"
      "fma.rn.f32 %f4, %f2, %f2, %f3;\nst.global.f32 [%rd3], %f4;\nret;\n",
      "y array reduction add 4" },
    { "y minus x is a sum, x minus y is none",
      "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd3];\n"
      "sub.f32 %f4, %f2, %f3;\nst.global.f32 [%rd3], %f4;\nret;\n", "y not recognized" },
    { "y times itself", "ld.global.f32 %f3, [%rd3];\nmul.f32 %f4, %f3, %f3;\n"
      "st.global.f32 [%rd3], %f4;\nret;\n", "y not recognized" },
    { "in bytes, of words: what threads write overlaps",
      "cvt.s64.s32 %rd4, %r2;\nadd.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\nret;\n",
      "y not recognized" },
    { "every block the same", "mul.wide.u32 %rd4, %r9, 4;\nadd.s64 %rd5, %rd9, %rd4;\n"
      "st.global.f32 [%rd5], %f1;\nret;\n", "y not recognized" },
    { "one thread of each block",
      "setp.ne.s32 %p1, %r9, 0;\n@%p1 bra E;\nmul.wide.u32 %rd4, %r7, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\nE: ret;\n",
      "y array assignment 4" },
    { "all but one thread of each block",
      "setp.eq.s32 %p1, %r9, 0;\n@%p1 bra E;\nmul.wide.u32 %rd4, %r7, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\nE: ret;\n",
      "y not recognized" },
    { "by half an index", "shr.u32 %r5, %r2, 1;\nmul.wide.u32 %rd4, %r5, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\nret;\n", "y not recognized" },
    { "neighbours of one element",
      "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd2+-4];\nadd.f32 %f4, %f2, %f3;\n"
      "st.global.f32 [%rd3], %f4;\nret;\n", "y stencil 4" },
    { "neighbours along an index that the store has not",
      "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd2+-4];\nadd.f32 %f4, %f2, %f3;\n"
      "setp.ne.s32 %p1, %r9, 0;\n@%p1 bra E;\nmul.wide.u32 %rd4, %r7, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f4;\nE: ret;\n",
      "y array assignment 4" },
    { "of rows",
      "mul.wide.s32 %rd6, %r1, 4;\nmov.u32 %r10, %tid.y;\nmad.lo.s32 %r11, %r10, %r1, %r2;\n"
      "mul.wide.s32 %rd4, %r11, 4;\nadd.s64 %rd5, %rd8, %rd4;\nadd.s64 %rd7, %rd5, %rd6;\n"
      "ld.global.f32 %f2, [%rd5];\nld.global.f32 %f3, [%rd7];\nadd.f32 %f4, %f2, %f3;\n"
      "add.s64 %rd10, %rd9, %rd4;\nst.global.f32 [%rd10], %f4;\nret;\n", "y stencil 4" },
    { "three apart", "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd2+12];\n"
      "add.f32 %f4, %f2, %f3;\nst.global.f32 [%rd3], %f4;\nret;\n", "y array assignment 4" },
    { "pairs are no neighbours of another thread's",
      "add.s64 %rd5, %rd2, %rd1;\nld.global.f32 %f2, [%rd5];\nld.global.f32 %f3, [%rd5+4];\n"
      "add.f32 %f4, %f2, %f3;\nst.global.f32 [%rd3], %f4;\nret;\n", "y array assignment 4" },
    { "a place from memory: there it goes",
      INDEX "st.global.f32 [%rd5], %f1;\nret;\n", "y scatter" },
    { "and comes from",
      INDEX "ld.global.f32 %f2, [%rd5];\nst.global.f32 [%rd2], %f2;\nret;\n",
      "y gather; x not recognized" },
    { "the same for all: no gather",
      "ld.global.u32 %r5, [%rd8];\nadd.s32 %r6, %r5, %r2;\nmul.wide.u32 %rd4, %r6, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\nret;\n", "y array assignment 4" },
    { "counts", INDEX "red.global.add.u32 [%rd5], 1;\nret;\n", "y histogram add" },
    { "of few bins, in global memory, in which case they fit",
      "ld.global.u32 %r5, [%rd2];\nand.b32 %r5, %r5, 63;\nmul.wide.u32 %rd4, %r5, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nred.global.add.u32 [%rd5], 1;\nret;\n",
      "y histogram add privatize" },
    { "of bins that do not fit",
      "ld.global.u32 %r5, [%rd2];\nand.b32 %r5, %r5, 65535;\nmul.wide.u32 %rd4, %r5, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nred.global.add.u32 [%rd5], 1;\nret;\n",
      "y histogram add" },
    { "a sum of floats, behind a bounds check",
      "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra E;\nred.global.add.f32 [%rd9], %f1;\nE: ret;\n",
      "y scalar reduction add advice" },
    { "by one thread",
      "setp.ge.s32 %p1, %r9, 1;\n@%p1 bra E;\nred.global.add.f32 [%rd9], %f1;\nE: ret;\n",
      "y scalar reduction add" },
    { "by one thread of a warp",
      "and.b32 %r5, %r9, 31;\nsetp.ne.s32 %p1, %r5, 0;\n@%p1 bra E;\n"
      "red.global.add.f32 [%rd9], %f1;\nE: ret;\n", "y scalar reduction add" },
    { "by a float", "ld.global.f32 %f2, [%rd2];\ncvt.rzi.s32.f32 %r5, %f2;\n"
      "mul.wide.s32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd9, %rd4;\n"
      "red.global.add.u32 [%rd5], 1;\nret;\n", "y histogram add" },
    { "counts of a thread", INDEX "ld.global.u32 %r6, [%rd5];\nadd.s32 %r6, %r6, 1;\n"
      "st.global.u32 [%rd5], %r6;\nret;\n", "y gather; y histogram add" },
    { "the old value is asked for",
      INDEX "atom.global.add.u32 %r6, [%rd5], 1;\nst.global.u32 [%rd2], %r6;\nret;\n",
      "y not recognized; x not recognized" },
    { "another operation on the same",
      INDEX "red.global.add.u32 [%rd5], 1;\nred.global.max.u32 [%rd5], 1;\nret;\n",
      "y not recognized; y not recognized" },
    { "a sum of the grid", "red.global.add.u32 [%rd9], %r2;\nret;\n", "y scalar reduction add" },
    { "of a block", "mul.wide.u32 %rd4, %r7, 4;\nadd.s64 %rd5, %rd9, %rd4;\n"
      "red.global.add.u32 [%rd5], %r2;\nret;\n", "y array reduction add 4" },
    { "an exchange", "atom.global.exch.b32 %r5, [%rd9], %r2;\nret;\n", "y not recognized" },
    { "through shared memory y is x", "mul.wide.u32 %rd4, %r9, 4;\nmov.u64 %rd5, s;\n"
      "add.s64 %rd6, %rd5, %rd4;\nld.global.f32 %f2, [%rd2];\nst.shared.f32 [%rd6], %f2;\n"
      "bar.sync 0;\nld.shared.f32 %f3, [s];\nst.global.f32 [%rd3], %f3;\n"
      "st.global.f32 [%rd2], %f3;\nret;\n",
      "s not recognized; y array assignment 4; x not recognized" },
    { "a loop that copies", ARRAY_LOOP("st.global.f32 [%rd3], %f2;\n"), "y array assignment 4" },
    { "that writes the same", ARRAY_LOOP("st.global.f32 [%rd9], %f2;\n"), "y not recognized" },
    { "that adds to the same", ARRAY_LOOP("ld.global.f32 %f3, [%rd9];\nadd.f32 %f3, %f3, %f2;\n"
      "st.global.f32 [%rd9], %f3;\n"), "y scalar reduction add" },
    { "prefix sums in a register", ARRAY_LOOP("add.f32 %f1, %f1, %f2;\n"
      "st.global.f32 [%rd3], %f1;\n"), "%f1 scan add; y array assignment 4" },
    { "of what was written before", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-8];\n"
      "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd3], %f1;\n"),
      "%f1 not recognized; y not recognized" },
    { "in memory", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-4];\nadd.f32 %f3, %f3, %f2;\n"
      "st.global.f32 [%rd3], %f3;\n"), "y scan add 4" },
    { "in memory, of its own elements", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-4];\n"
      "ld.global.f32 %f4, [%rd3];\nadd.f32 %f3, %f3, %f4;\nst.global.f32 [%rd3], %f3;\n"),
      "y scan add 4" },
    { "of its own elements, the other way around", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-4];\n"
      "ld.global.f32 %f4, [%rd3];\nadd.f32 %f3, %f4, %f3;\nst.global.f32 [%rd3], %f3;\n"),
      "y scan add 4" },
    { "of the next elements", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+4];\n"
      "ld.global.f32 %f4, [%rd3];\nadd.f32 %f3, %f3, %f4;\nst.global.f32 [%rd3], %f3;\n"),
      "y not recognized" },
    { "in a register and in place", ARRAY_LOOP("ld.global.f32 %f3, [%rd3];\n"
      "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd3], %f1;\n"), "%f1 scan add; y scan add 4" },
    { "of elements ahead", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+12];\n"
      "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd3], %f1;\n"), "%f1 scan add; y scan add 4" },
    { "without what is loaded in this iteration", ARRAY_LOOP("ld.global.f32 %f3, [%rd3];\n"
      "st.global.f32 [%rd3], %f1;\nadd.f32 %f1, %f1, %f3;\n"), "y scan add 4; %f1 scan add" },
    { "loaded when it is stored", ARRAY_LOOP("st.global.f32 [%rd3], %f1;\n"
      "ld.global.f32 %f3, [%rd3];\nadd.f32 %f1, %f1, %f3;\n"),
      "y not recognized; %f1 not recognized" },
    { "in place, volatile", ARRAY_LOOP("ld.volatile.global.f32 %f3, [%rd3];\n"
      "add.f32 %f1, %f1, %f3;\nst.volatile.global.f32 [%rd3], %f1;\n"),
      "%f1 not recognized; y not recognized" },
    { "that overlap in half", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-2];\n"
      "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd3], %f1;\n"),
      "%f1 not recognized; y not recognized" },
    { "stored by an inner loop", "L: ld.global.f32 %f2, [%rd3];\nadd.f32 %f1, %f1, %f2;\n"
      "mov.u64 %rd4, %rd9;\nmov.u32 %r5, 0;\nM: st.global.f32 [%rd4], %f1;\n"
      "add.s64 %rd4, %rd4, 4;\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, %r1;\n@%p1 bra M;\n"
      "add.s64 %rd3, %rd3, 4;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n"
      "ret;\n", "%f1 not recognized; y not recognized" },
    { "a filter in place", ARRAY_LOOP("ld.global.f32 %f3, [%rd3];\n"
      "fma.rn.f32 %f1, %f1, 0f3F000000, %f3;\nst.global.f32 [%rd3], %f1;\n"),
      "%f1 linear recurrence fma; y linear recurrence fma 4" },
    { "of what another store leaves", ARRAY_LOOP("st.global.f32 [%rd3+-4], %f2;\n"
      "ld.global.f32 %f3, [%rd3+-4];\nadd.f32 %f3, %f3, %f2;\nst.global.f32 [%rd3], %f3;\n"),
      "y array assignment 4; y not recognized" },
    { "the second before", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-8];\nadd.f32 %f3, %f3, %f2;\n"
      "st.global.f32 [%rd3], %f3;\n"), "y not recognized" },
    { "the next one", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+4];\nadd.f32 %f3, %f3, %f2;\n"
      "st.global.f32 [%rd3], %f3;\n"), "y not recognized" },
    { "a filter in memory", ARRAY_LOOP("ld.global.f32 %f3, [%rd3+-4];\n"
      "fma.rn.f32 %f3, %f3, 0f3F000000, %f2;\nst.global.f32 [%rd3], %f3;\n"),
      "y linear recurrence fma 4" },
    { "a filter in a register", ARRAY_LOOP("fma.rn.f32 %f1, %f1, 0f3F000000, %f2;\n"
      "st.global.f32 [%rd3], %f1;\n"), "%f1 linear recurrence fma; y array assignment 4" },
    { "neighbours in a loop", ARRAY_LOOP("ld.global.f32 %f3, [%rd2+8];\n"
      "ld.global.f32 %f4, [%rd2+4];\nadd.f32 %f3, %f3, %f4;\nst.global.f32 [%rd3], %f3;\n"),
      "y stencil 4" },
    { "a histogram in a loop", ARRAY_LOOP("mov.b32 %r5, %f2;\nmul.wide.u32 %rd4, %r5, 4;\n"
      "add.s64 %rd5, %rd9, %rd4;\nred.global.add.u32 [%rd5], 1;\n"), "y histogram add" },
    { "a list", "L: ld.global.u64 %rd2, [%rd2];\nsetp.ne.s64 %p1, %rd2, 0;\n"
      "st.global.u64 [%rd2], %rd8;\n@%p1 bra L;\nret;\n",
      "%rd2 not recognized; (none) not recognized" },
};

/* A step on %r5 by shuffles: of %r6 or %r7. */
#define BFLY(by) "shfl.sync.bfly.b32 %r6, %r5, " by ", 31, -1;\nadd.s32 %r5, %r5, %r6;\n"
#define DOWN(by) "shfl.sync.down.b32 %r6, %r5, " by ", 31, -1;\nmax.s32 %r7, %r6, %r5;\n" \
    "mov.u32 %r5, %r7;\n"
#define UP(by) "shfl.sync.up.b32 %r6|%p2, %r5, " by ", 0, -1;\n@%p2 add.s32 %r6, %r6, %r5;\n" \
    "mov.u32 %r5, %r6;\n"
#define LANE "and.b32 %r12, %r9, 31;\n"
#define UP_BELOW(compare, by, below, first, second) \
    "shfl.sync.up.b32 %r6, %r5, " by ", 0, -1;\nsetp." compare " %p2, %r12, " below ";\n" \
    "add.s32 %r7, %r5, %r6;\nselp.b32 %r5, " first ", " second ", %p2;\n"
#define UP_SUM(by) UP_BELOW("lt.u32", by, by, "%r5", "%r7")
#define UP_ZERO(by, zero) \
    "shfl.sync.up.b32 %r6, %r5, " by ", 0, -1;\nsetp.ge.u32 %p2, %r12, " by ";\n" \
    "selp.b32 %r7, %r6, " zero ", %p2;\nadd.s32 %r5, %r7, %r5;\n"
#define LOOPED(mode, start, update, compare, limit) \
    BEGIN "mov.u32 %r10, " start ";\nL: shfl.sync." mode ".b32 %r6, %r5, %r10, 31, -1;\n" \
    "add.s32 %r5, %r5, %r6;\n" update " %r10, %r10, 1;\nsetp." compare " %p1, %r10, " limit ";\n" \
    "@%p1 bra L;\n" END
#define BEGIN "ld.global.u32 %r5, [%rd2];\n"
#define END "st.global.u32 [%rd3], %r5;\nret;\n"

/* compare: of the lane with the distance %r10; taken: what the predicate selects from. */
#define SCANNED(mode, start, compare, selected, limit)                              \
    LANE BEGIN "mov.u32 %r10, " start ";\nL: shfl.sync." mode ".b32 %r6, %r5, %r10, 0, -1;\n" \
    "setp." compare ";\n" selected                                                  \
    "shl.b32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, " limit ";\n@%p1 bra L;\n" END
#define OR_ZERO "selp.b32 %r7, 0, %r6, %p2;\nadd.s32 %r5, %r7, %r5;\n"
#define OR_OWN(operation) operation ".s32 %r7, %r5, %r6;\nselp.b32 %r5, %r5, %r7, %p2;\n"
#define BELOW "lt.u32 %p2, %r12, %r10"
#define NO_SCAN "y array assignment 4; %r5 not recognized; %r10 geometric induction shl"
#define IS_SCAN(operation)                                                          \
    "y array assignment 4; %r5 warp scan " operation " of 32; %r10 geometric induction shl"

static const struct { const char *what, *body, *wanted; } lanes[] = {
    { "butterflies", BEGIN BFLY("16") BFLY("8") BFLY("4") BFLY("2") BFLY("1") END,
      "%r5 warp reduction add of 32; y array assignment 4" },
    { "of groups", BEGIN BFLY("1") BFLY("2") BFLY("4") END,
      "%r5 warp reduction add of 8; y array assignment 4" },
    { "a distance is missing", BEGIN BFLY("8") BFLY("2") BFLY("1") END, "y array assignment 4" },
    { "a distance is there twice", BEGIN BFLY("2") BFLY("2") BFLY("1") END,
      "y array assignment 4" },
    { "down to the first lane", BEGIN DOWN("16") DOWN("8") DOWN("4") DOWN("2") DOWN("1") END,
      "%r7 warp reduction max of 32; y array assignment 4" },
    { "down, but not all of them", BEGIN DOWN("4") DOWN("2") DOWN("1") END,
      "y array assignment 4" },
    { "prefixes", BEGIN UP("1") UP("2") UP("4") UP("8") UP("16") END,
      "%r6 warp scan add of 32; y array assignment 4" },
    { "without their guard",
      BEGIN "shfl.sync.up.b32 %r6, %r5, 1, 0, -1;\nadd.s32 %r5, %r5, %r6;\n"
      "shfl.sync.up.b32 %r6, %r5, 2, 0, -1;\nadd.s32 %r5, %r5, %r6;\n" END,
      "y array assignment 4" },
    { "of another value",
      BEGIN BFLY("1") "shfl.sync.bfly.b32 %r6, %r2, 2, 31, -1;\nadd.s32 %r5, %r5, %r6;\n" END,
      "y array assignment 4" },
    { "of some lanes",
      BEGIN "shfl.sync.bfly.b32 %r6, %r5, 1, 31, 3;\nadd.s32 %r5, %r5, %r6;\n"
      "shfl.sync.bfly.b32 %r6, %r5, 2, 31, 3;\nadd.s32 %r5, %r5, %r6;\n" END,
      "y array assignment 4" },
    { "some lanes do not ask", BEGIN "setp.lt.u32 %p2, %r9, 9;\n"
      "@%p2 shfl.sync.bfly.b32 %r6, %r5, 2, 31, -1;\nadd.s32 %r5, %r5, %r6;\n"
      "@%p2 shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;\nadd.s32 %r5, %r5, %r6;\n" END,
      "y array assignment 4" },
    { "by the index of a lane", BEGIN "shfl.sync.idx.b32 %r6, %r5, 2, 31, -1;\n"
      "add.s32 %r5, %r5, %r6;\nshfl.sync.idx.b32 %r6, %r5, 1, 31, -1;\nadd.s32 %r5, %r5, %r6;\n"
      END, "y array assignment 4" },
    { "lanes of other groups", BEGIN "shfl.sync.bfly.b32 %r6, %r5, 2, 15, -1;\n"
      "add.s32 %r5, %r5, %r6;\nshfl.sync.bfly.b32 %r6, %r5, 1, 15, -1;\n"
      "add.s32 %r5, %r5, %r6;\n" END, "y array assignment 4" },
    { "an address that goes on by what each thread has", "mul.wide.s32 %rd6, %r9, 8;\n"
      "L: st.global.f32 [%rd3], %f1;\nadd.s64 %rd3, %rd3, %rd6;\nadd.s32 %r3, %r3, 1;\n"
      "setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\nret;\n", "(none) not recognized" },
    { "of two operations",
      BEGIN BFLY("1") "shfl.sync.bfly.b32 %r6, %r5, 2, 31, -1;\nmax.s32 %r5, %r5, %r6;\n" END,
      "y array assignment 4" },
    { "prefixes, selected by the lane",
      LANE BEGIN UP_SUM("1") UP_SUM("2") UP_SUM("4") UP_SUM("8")
      UP_BELOW("gt.u32", "16", "15", "%r7", "%r5") END,
      "%r5 warp scan add of 32; y array assignment 4" },
    { "selected the other way", LANE BEGIN UP_SUM("1") UP_SUM("2") UP_SUM("4") UP_SUM("8")
      UP_BELOW("lt.u32", "16", "16", "%r7", "%r5") END, "y array assignment 4" },
    { "selected by another lane", LANE BEGIN UP_SUM("1") UP_SUM("2") UP_SUM("4") UP_SUM("8")
      UP_BELOW("lt.u32", "16", "17", "%r5", "%r7") END, "y array assignment 4" },
    { "zero is added", LANE BEGIN UP_ZERO("1", "0") UP_ZERO("2", "0") UP_ZERO("4", "0")
      UP_ZERO("8", "0") UP_ZERO("16", "0") END, "%r5 warp scan add of 32; y array assignment 4" },
    { "one is added", LANE BEGIN UP_ZERO("1", "0") UP_ZERO("2", "0") UP_ZERO("4", "0")
      UP_ZERO("8", "0") UP_ZERO("16", "1") END, "y array assignment 4" },
    { "halved by a loop", LOOPED("bfly", "16", "shr.u32", "ne.u32", "0"),
      "y array assignment 4; %r5 warp reduction add of 32; %r10 not recognized" },
    { "doubled by a loop, groups of 8", LOOPED("bfly", "1", "shl.b32", "lt.u32", "8"),
      "y array assignment 4; %r5 warp reduction add of 8; %r10 geometric induction shl" },
    { "the last distance is not reached", LOOPED("bfly", "16", "shr.u32", "gt.u32", "1"),
      "y array assignment 4; %r5 not recognized; %r10 not recognized" },
    { "down by half of the warp", LOOPED("down", "8", "shr.u32", "ne.u32", "0"),
      "y array assignment 4; %r5 not recognized; %r10 not recognized" },
    { "the end is not known", LOOPED("bfly", "16", "shr.u32", "ne.u32", "%r1"),
      "y array assignment 4; %r5 not recognized; %r10 not recognized" },
    { "a scan by a loop", SCANNED("up", "1", BELOW, OR_ZERO, "32"), IS_SCAN("add") },
    { "its sums selected", SCANNED("up", "1", BELOW, OR_OWN("max"), "32"), IS_SCAN("max") },
    { "compared the other way",
      SCANNED("up", "1", "ge.u32 %p2, %r12, %r10",
              "selp.b32 %r7, %r6, 0, %p2;\nadd.s32 %r5, %r7, %r5;\n", "32"), IS_SCAN("add") },
    { "one lane too few", SCANNED("up", "1", "le.u32 %p2, %r12, %r10", OR_ZERO, "32"), NO_SCAN },
    { "of the other lanes", SCANNED("up", "1", "ge.u32 %p2, %r12, %r10", OR_ZERO, "32"),
      NO_SCAN },
    { "of half a warp", SCANNED("up", "1", BELOW, OR_ZERO, "16"), NO_SCAN },
    { "without the nearest", SCANNED("up", "2", BELOW, OR_ZERO, "32"), NO_SCAN },
    { "a scan that goes down", SCANNED("down", "1", BELOW, OR_ZERO, "32"), NO_SCAN },
    { "one added to the lower lanes",
      SCANNED("up", "1", BELOW, "selp.b32 %r7, 1, %r6, %p2;\nadd.s32 %r5, %r7, %r5;\n", "32"),
      NO_SCAN },
    { "maxima with 0", SCANNED("up", "1", BELOW,
      "selp.b32 %r7, 0, %r6, %p2;\nmax.s32 %r5, %r7, %r5;\n", "32"), NO_SCAN },
    { "of what was loaded", SCANNED("up", "1", BELOW,
      "add.s32 %r7, %r2, %r6;\nselp.b32 %r5, %r5, %r7, %p2;\n", "32"), NO_SCAN },
    { "by redux", BEGIN "redux.sync.min.s32 %r5, %r5, -1;\n" END,
      "%r5 warp reduction min of 32; y array assignment 4" },
    { "by redux, of some lanes", BEGIN "redux.sync.min.s32 %r5, %r5, 7;\n" END,
      "y array assignment 4" },
};

/* s[t] is at %r10, and set. A step by d, of the threads that the comparison lets through. */
#define TREE "mov.u32 %r10, s;\nshl.b32 %r11, %r9, 2;\nadd.s32 %r10, %r10, %r11;\n" \
    "st.shared.f32 [%r10], %f1;\nbar.sync 0;\n"
#define STEP_UNSYNCED(label, comparison, bytes, operation) \
    comparison "@%p1 bra " label ";\nld.shared.f32 %f2, [%r10];\n" \
    "ld.shared.f32 %f3, [%r10+" bytes "];\n" operation ".f32 %f4, %f3, %f2;\n" \
    "st.shared.f32 [%r10], %f4;\n" label ": "
#define STEP(label, comparison, bytes) \
    STEP_UNSYNCED(label, comparison, bytes, "add") "bar.sync 0;\n"
#define ABOVE(number) "setp.gt.u32 %p1, %r9, " number ";\n"
#define HALVED(compare, update, barrier) \
    "mov.u32 %r12, %ntid.x;\nshr.u32 %r12, %r12, 1;\nL: setp." compare " %p1, %r9, %r12;\n" \
    "@%p1 bra M;\nshl.b32 %r13, %r12, 2;\nadd.s32 %r14, %r10, %r13;\n" \
    "ld.shared.f32 %f2, [%r10];\nld.shared.f32 %f3, [%r14];\nmax.f32 %f4, %f3, %f2;\n" \
    "st.shared.f32 [%r10], %f4;\nM: " barrier update \
    "setp.ne.u32 %p2, %r12, 0;\n@%p2 bra L;\nret;\n"
#define FAILS "s not recognized"

static const struct { const char *what, *body, *wanted; } trees[] = {
    { "by 2, by 1", TREE STEP("A", ABOVE("1"), "8") STEP("B", "setp.ne.s32 %p1, %r9, 0;\n", "4")
      "ret;\n", "s array assignment 4; s block reduction add of 4" },
    { "by 1, by 2: multiples", TREE
      STEP("A", "and.b32 %r5, %r9, 1;\nsetp.ne.u32 %p1, %r5, 0;\n", "4")
      STEP("B", "and.b32 %r5, %r9, 3;\nsetp.ne.u32 %p1, %r5, 0;\n", "8") "ret;\n",
      "s array assignment 4; s block reduction add of 4" },
    { "a bit alone is no multiple", TREE
      STEP("A", "and.b32 %r5, %r9, 2;\nsetp.ne.u32 %p1, %r5, 0;\n", "12")
      STEP("B", "and.b32 %r5, %r9, 4;\nsetp.ne.u32 %p1, %r5, 0;\n", "24") "ret;\n",
      "s array assignment 4; " FAILS "; " FAILS },
    { "too many threads: what one writes another reads", TREE STEP("A", ABOVE("2"), "8")
      STEP("B", "setp.ne.s32 %p1, %r9, 0;\n", "4") "ret;\n",
      "s array assignment 4; " FAILS "; " FAILS },
    { "no barrier between", TREE STEP_UNSYNCED("A", ABOVE("1"), "8", "add")
      STEP("B", "setp.ne.s32 %p1, %r9, 0;\n", "4") "ret;\n",
      "s array assignment 4; " FAILS "; " FAILS },
    { "a sum and a product", TREE STEP_UNSYNCED("A", ABOVE("1"), "8", "mul") "bar.sync 0;\n"
      STEP("B", "setp.ne.s32 %p1, %r9, 0;\n", "4") "ret;\n",
      "s array assignment 4; " FAILS "; " FAILS },
    { "by 4, by 1: no tree", TREE STEP("A", ABOVE("3"), "16")
      STEP("B", "setp.ne.s32 %p1, %r9, 0;\n", "4") "ret;\n",
      "s array assignment 4; " FAILS "; " FAILS },
    { "halved by a loop", TREE HALVED("ge.u32", "shr.u32 %r12, %r12, 1;\n", "bar.sync 0;\n"),
      "s array assignment 4; s block reduction max; %r12 not recognized" },
    { "divided by 3", TREE HALVED("ge.u32", "div.u32 %r12, %r12, 3;\n", "bar.sync 0;\n"),
      "s array assignment 4; " FAILS "; %r12 not recognized" },
    { "one thread too many", TREE HALVED("gt.u32", "shr.u32 %r12, %r12, 1;\n", "bar.sync 0;\n"),
      "s array assignment 4; " FAILS "; %r12 not recognized" },
    { "without a barrier", TREE HALVED("ge.u32", "shr.u32 %r12, %r12, 1;\n", ""),
      "s array assignment 4; " FAILS "; %r12 not recognized" },
};

/* A row of 512 bytes a thread, and a value in its place in it. */
#define ROWS "mul.wide.u32 %rd4, %r9, 512;\nadd.s64 %rd4, %rd8, %rd4;\n"
#define WALK(body) \
    ROWS "L: " body "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n" \
    "st.global.f32 [%rd3], %f1;\nret;\n"
#define OWN "add.s64 %rd4, %rd4, 4;\n"

/* s[%r5] is stored to. */
#define SHARED_AT(index) \
    index "mov.u32 %r11, s;\nshl.b32 %r12, %r5, 2;\nadd.s32 %r11, %r11, %r12;\n" \
    "st.shared.u32 [%r11], %r1;\nret;\n"

static const struct { const char *what, *body, *wanted; } advised[] = {
    { "a row a thread", WALK("ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n" OWN),
      "y array assignment 4; %f1 scalar reduction add interchange" },
    { "unrolled", WALK("ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n"
      "ld.global.f32 %f2, [%rd4+4];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd4, %rd4, 8;\n"),
      "y array assignment 4; %f1 scalar reduction add interchange" },
    { "every other element", WALK("ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n"
      "add.s64 %rd4, %rd4, 8;\n"), "y array assignment 4; %f1 scalar reduction add" },
    { "a recurrence beside it", WALK("ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n"
      "fma.rn.f32 %f5, %f5, %f2, %f2;\n" OWN),
      "y array assignment 4; %f1 scalar reduction add; %f5 linear recurrence fma" },
    { "until what is loaded is 0", WALK("ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n"
      "setp.eq.f32 %p2, %f2, 0f00000000;\n@%p2 bra M;\n" OWN) "M: ret;\n",
      "y array assignment 4 conditional; %f1 scalar reduction add" },
    { "lanes side by side", "mul.wide.u32 %rd4, %r9, 4;\nadd.s64 %rd4, %rd8, %rd4;\nL: "
      "ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n" OWN
      "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n"
      "st.global.f32 [%rd3], %f1;\nret;\n", "y array assignment 4; %f1 scalar reduction add" },
    { "a store of a row a thread", WALK("st.global.f32 [%rd4], %f5;\n" OWN),
      "y array assignment 4; x array assignment 4 interchange" },
    { "a table in shared memory", "ld.global.u32 %r5, [%rd2];\nshl.b32 %r5, %r5, 2;\n"
      "mov.u32 %r10, s;\nadd.s32 %r10, %r10, %r5;\nld.shared.f32 %f2, [%r10];\n"
      "st.global.f32 [%rd3], %f2;\nret;\n", "s gather conflict; y array assignment 4" },
    { "bits of the thread that are all of them", SHARED_AT("and.b32 %r5, %r9, 1023;\n"),
      "s array assignment 4" },
    { "bits that are not", SHARED_AT("and.b32 %r5, %r9, 127;\n"), "s not recognized" },
    { "warps by 32, and lanes", SHARED_AT("shr.u32 %r6, %r9, 5;\nand.b32 %r7, %r9, 31;\n"
      "mad.lo.s32 %r5, %r6, 32, %r7;\n"), "s array assignment 4" },
    { "warps by 33", SHARED_AT("shr.u32 %r6, %r9, 5;\nand.b32 %r7, %r9, 31;\n"
      "mad.lo.s32 %r5, %r6, 33, %r7;\n"), "s array assignment" },
    { "the middle of the bits, and the rest", SHARED_AT("and.b32 %r6, %r9, 96;\n"
      "and.b32 %r7, %r9, 31;\nor.b32 %r8, %r6, %r7;\nshr.u32 %r10, %r9, 7;\n"
      "shl.b32 %r10, %r10, 7;\nadd.s32 %r5, %r10, %r8;\n"), "s array assignment 4" },
    { "a tree of 32", TREE STEP("A", ABOVE("15"), "64") STEP("B", ABOVE("7"), "32")
      STEP("C", ABOVE("3"), "16") STEP("D", ABOVE("1"), "8") STEP("E", ABOVE("0"), "4") "ret;\n",
      "s array assignment 4; s block reduction add shuffle of 32" },
};

/* ptxas keeps what compares %r3 before its step, and shuffles before sm_90. */
#define KEPT_LOOP(body, bound) \
    "cvta.to.global.u64 %rd9, %rd9;\nadd.s64 %rd3, %rd9, %rd1;\nL: \n" body \
    "add.s64 %rd3, %rd3, 4;\nsetp.lt.s32 %p1, %r3, " bound ";\n" \
    "add.s32 %r3, %r3, 1;\n@%p1 bra L;\nret;\n"
#define STEPPED(body, bound) "L: ld.global.u32 %r5, [%rd2];\n" body "add.s32 %r6, %r6, %r5;\n" \
    "add.s64 %rd2, %rd2, 4;\nadd.s32 %r3, %r3, 1;\n" \
    "setp.lt.s32 %p1, %r3, " bound ";\n@%p1 bra L;\n" \
    "st.global.u32 [%rd3], %r6;\nret;\n"
#define SHUFFLED "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\n"
#define TWO "mul.f32 %f3, %f2, %f4;\nmul.f32 %f4, %f2, %f2;\n"
#define TWELVE TWO TWO TWO TWO TWO TWO
#define STORED "st.global.f32 [%rd3], %f1;\n"

static const struct { const char *what, *body, *wanted; } kept[] = {
    { "its counter is compared before the step", KEPT_LOOP(STORED, "%r1"),
      "y array assignment 4 unroll 4 of 5, 8 for 20" },
    { "with more in it than loop", KEPT_LOOP(STORED TWELVE, "%r1"),
      "y array assignment 4" },
    { "the trip count is in the code: in doubt",
      KEPT_LOOP(STORED, "1000"), "y array assignment 4" },
    { "it begins at the thread's index",
      "mov.u32 %r3, %r9;\n" KEPT_LOOP(STORED, "1800"),
      "y array assignment 4 unroll 4 of 5, 8 for 20" },
    { "and may end soon",
      "mov.u32 %r3, %r9;\n" KEPT_LOOP(STORED, "7"), "y array assignment 4" },
    { "so it shall be",
      KEPT_LOOP(".pragma \"nounroll\";\n" STORED, "%r1"), "y array assignment 4" },
    { "a barrier", KEPT_LOOP("bar.sync 0;\n" STORED, "%r1"), "y array assignment 4" },
    { "a slow path",
      KEPT_LOOP(STORED "div.rn.f32 %f3, %f2, %f4;\n", "%r1"), "y array assignment 4" },
    { "a way around", KEPT_LOOP("@%p3 bra M;\n" STORED "M: \n", "%r1"),
      "y array assignment 4 conditional" },
    { "ptxas unrolls it", STEPPED("", "%r1"), "y array assignment 4; %r6 scalar reduction add" },
    { "and not with a shuffle", STEPPED(SHUFFLED, "%r1"),
      "y array assignment 4; %r6 scalar reduction add unroll 4 of 7, 16 for 28" },
    { "of eight iterations", STEPPED(SHUFFLED, "8"),
      "y array assignment 4; %r6 scalar reduction add unroll 4 of 7, 16 for 28" },
    { "of seven", STEPPED(SHUFFLED, "7"), "y array assignment 4; %r6 scalar reduction add" },
    { "which lanes run is no shuffle", STEPPED("activemask.b32 %r5;\n", "%r1"),
      "y array assignment 4; %r6 scalar reduction add" },
};

static const char *name_unrolling(const char *advice)
{
    static char text[64];
    unsigned overhead, all, joined, apart;
    const char *figures = strstr(advice, "iterations take");
    if (!figures || sscanf(advice, "%u of %u", &overhead, &all) != 2
        || sscanf(figures, "iterations take %u, not %u", &joined, &apart) != 2)
        return NULL;
    snprintf(text, sizeof text, " unroll %u of %u, %u for %u", overhead, all, joined, apart);
    return text;
}

static const char *name_advice(const char *advice)
{
    const char *unrolling = name_unrolling(advice);
    if (unrolling)
        return unrolling;
    static const struct { const char *part, *name; } names[] = {
        { "256 bytes at most", " privatize" },
        { "are 512 bytes apart, the loop goes by 4", " interchange" },
        { "conflicts are possible", " conflict" }, { "last five steps", " shuffle" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(advice, names[i].part))
            return names[i].name;
    return " advice";
}

static void put_item(char *out, const ptxlint_recognized *item)
{
    const char *name = item->is_array ? item->array : item->variable;
    if (!*name)
        name = item->is_array ? "(none)" : "(several)";
    sprintf(out + strlen(out), "%s%s %s%s", *out ? "; " : "", name,
            item->is_reinitialized ? "reinitialized " : "",
            ptxlint_recognized_class_text(item->recognized));
    if (*item->operation)
        sprintf(out + strlen(out), " %s", item->operation);
    if (item->step != PTXLINT_UNKNOWN)
        sprintf(out + strlen(out), " %d", (int)item->step);
    if (*item->advice)
        strcat(out, name_advice(item->advice));
    if (item->lanes)
        sprintf(out + strlen(out), " of %u", item->lanes);
    strcat(out, item->is_conditional ? " conditional" : "");
}

/* Rows of registers alone; of arrays and registers without inductions. */
static bool is_wanted_row(const ptxlint_recognized *item, bool has_arrays)
{
    return has_arrays ? item->recognized != PTXLINT_LINEAR_INDUCTION : !item->is_array;
}

static void check_loop(const char *what, const char *head, const char *body, const char *wanted)
{
    static char text[4096];
    char got[1024] = "";
    size_t count;
    ptxlint_module *module;
    ptxlint_recognition *of;
    snprintf(text, sizeof text, "%s%s}\n", head, body);
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_recognition_new(module, kernels, &of), PTXLINT_OK);
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_wanted_row(&items[i], strstr(head, "x,") != NULL))
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
        check_loop(loops[i].what, HEAD, loops[i].body, loops[i].wanted);
}

static void test_arrays_and_lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        check_loop(arrays[i].what, ARRAYS, arrays[i].body, arrays[i].wanted);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        check_loop(lanes[i].what, ARRAYS, lanes[i].body, lanes[i].wanted);
    for (size_t i = 0; i < sizeof advised / sizeof *advised; i++)
        check_loop(advised[i].what, ARRAYS, advised[i].body, advised[i].wanted);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        check_loop(kept[i].what, ARRAYS_80, kept[i].body, kept[i].wanted);
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        check_loop(trees[i].what, ARRAYS, trees[i].body, trees[i].wanted);
}

/* Of the ARRAYS: "x>y" structural, "x=y" flow, "x?y" control, "x@y" by memory. */
static const struct { const char *what, *body, *wanted; } links[] = {
    { "a copy behind a bounds check",
      "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra E;\nld.global.f32 %f2, [%rd2];\n"
      "st.global.f32 [%rd3], %f2;\nE: ret;\n", "%tid.x>y %ctaid.x>y" },
    { "one thread stores its index",
      "setp.ne.s32 %p1, %r9, 0;\n@%p1 bra E;\nst.global.u32 [%rd3], %r7;\nE: ret;\n",
      "%tid.x>y %tid.x?y %ctaid.x>y %ctaid.x=y" },
    { "a guard that rests on what is loaded, and on a thread",
      "ld.global.f32 %f2, [%rd2];\nsetp.gt.f32 %p1, %f2, 0f00000000;\n"
      "@%p1 st.global.f32 [%rd9], %f2;\nret;\n", "%tid.x>y %ctaid.x>y" },
    { "a gather gives a value",
      INDEX "ld.global.f32 %f2, [%rd5];\nst.global.f32 [%rd2], %f2;\nret;\n",
      "%tid.x>y %ctaid.x>y y=x %tid.x>x %ctaid.x>x" },
    { "a sum, its loop, and where it goes",
      "L: ld.global.f32 %f2, [%rd2];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd2, %rd2, 4;\n"
      "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n"
      "st.global.f32 [%rd3], %f1;\nret;\n",
      "%f1=y %tid.x>y %ctaid.x>y %rd2>%f1 %r3>%f1 %tid.x>%f1 %ctaid.x>%f1 %r3>%rd2 "
      "%tid.x=%rd2 %ctaid.x=%rd2" },
    { "a maximum by selection needs its own loop; its place needs it as a condition",
      "L: ld.global.f32 %f2, [%rd8];\nsetp.gt.f32 %p2, %f2, %f1;\n"
      "selp.f32 %f1, %f2, %f1, %p2;\nselp.b32 %r10, %r3, %r10, %p2;\n"
      "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n"
      "st.global.u32 [%rd3], %r10;\nret;\n",
      "%r10=y %tid.x>y %ctaid.x>y %r3>%f1 %f1?%r10 %r3>%r10 %r3=%r10" },
    { "an index that doubles is an index",
      "L: mul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd5, %rd9, %rd4;\nst.global.f32 [%rd5], %f1;\n"
      "shl.b32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r1;\n@%p1 bra L;\nret;\n", "%r4>y" },
    { "through an array: what is stored in it is loaded behind the barrier",
      "mov.u64 %rd6, s;\nmul.wide.u32 %rd7, %r9, 4;\nadd.s64 %rd6, %rd6, %rd7;\n"
      "st.shared.u32 [%rd6], %r9;\nbar.sync 0;\nld.shared.u32 %r5, [s];\n"
      "st.global.u32 [%rd3], %r5;\nret;\n",
      "%tid.x>s %tid.x=s s@y %tid.x>y %ctaid.x>y" },
    { "loaded before it is stored: nothing is needed of it",
      "ld.global.f32 %f2, [%rd8];\nst.global.f32 [%rd3], %f2;\n"
      "st.global.f32 [%rd2], %f1;\nret;\n", "%tid.x>y %ctaid.x>y %tid.x>x %ctaid.x>x" },
};

static void name_node(char *text, size_t size, const ptxlint_recognition *of, size_t node)
{
    size_t count;
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    const char *index = ptxlint_recognition_index_name(of, node);
    if (index)
        snprintf(text, size, "%s", index);
    else
        snprintf(text, size, "%s", *items[node].array ? items[node].array : items[node].variable);
}

static void check_links(const char *what, const char *body, const char *wanted)
{
    static char text[4096];
    char got[1024] = "", from[64], to[64];
    size_t count, link_count;
    ptxlint_module *module;
    ptxlint_recognition *of;
    snprintf(text, sizeof text, "%s%s}\n", ARRAYS, body);
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_recognition_new_linked(module, kernels, &of), PTXLINT_OK);
    const ptxlint_link *of_links = ptxlint_recognition_links(of, &link_count);
    for (size_t i = 0; i < link_count; i++) {
        name_node(from, sizeof from, of, of_links[i].from);
        name_node(to, sizeof to, of, of_links[i].to);
        const char kind = of_links[i].is_by_memory ? '@' : ">=?"[of_links[i].kind];
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s%c%s", i ? " " : "", from, kind,
                 to);
    }
    if (strcmp(got, wanted) || ptxlint_recognition_is_links_cut(of))
        fail_msg("%s:\n got    %s\n wanted %s", what, got, wanted);
    ptxlint_recognition_free(of);
    ptxlint_module_free(module);
}

static void test_links(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        check_links(links[i].what, links[i].body, links[i].wanted);
}

/* Two sums in one loop: of what is at %rd2, into x, y or both. */
#define BOTH_LOOP(body, end)                                                                   \
    "mov.f32 %f3, 0f00000000;\nadd.s64 %rd10, %rd8, 64;\nadd.s64 %rd11, %rd9, 64;\n"            \
    "ld.param.u64 %rd12, [z];\nld.param.u64 %rd13, [w];\n"                                     \
    "L: mul.wide.s32 %rd4, %r3, 4;\nadd.s64 %rd5, %rd12, %rd4;\nadd.s64 %rd6, %rd13, %rd4;\n"  \
    body "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n" end "ret;\n"
#define TWO_LOADS                                                                                 \
    "ld.global.f32 %f2, [%rd5];\nld.global.f32 %f4, [%rd6];\n"                                  \
    "ld.global.f32 %f12, [%rd5+4];\nld.global.f32 %f14, [%rd6+4];\n"
#define TWO_SUMS                                                                                  \
    "fma.rn.f32 %f5, %f2, %f2, %f12;\nfma.rn.f32 %f6, %f4, %f4, %f14;\n"                         \
    "add.f32 %f1, %f1, %f5;\nadd.f32 %f3, %f3, %f6;\n"                                          \
    "fma.rn.f32 %f1, %f5, %f5, %f1;\nfma.rn.f32 %f3, %f6, %f6, %f3;\n"
#define TWO_STORES "st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd3], %f3;\n"

static const struct { const char *what, *body, *wanted; } parts[] = {
    { "two sums of two arrays", BOTH_LOOP(TWO_LOADS TWO_SUMS, TWO_STORES), "x y" },
    { "of one array: its loads would be made twice",
      BOTH_LOOP("ld.global.f32 %f2, [%rd5];\nmov.f32 %f4, %f2;\nmov.f32 %f12, %f2;\n"
                "mov.f32 %f14, %f2;\n" TWO_SUMS, TWO_STORES), "" },
    { "one sum goes into the other", BOTH_LOOP(TWO_LOADS TWO_SUMS "add.f32 %f3, %f3, %f5;\n",
                                               TWO_STORES), "" },
    { "and into it behind the loop",
      BOTH_LOOP(TWO_LOADS TWO_SUMS, "add.f32 %f3, %f3, %f1;\n" TWO_STORES), "" },
    { "both into one array", BOTH_LOOP(TWO_LOADS TWO_SUMS, "st.global.f32 [%rd2], %f1;\n"
                                                           "st.global.f32 [%rd2+4], %f3;\n"), "" },
    { "what one stores the other loads",
      BOTH_LOOP("ld.global.f32 %f2, [%rd10];\nld.global.f32 %f12, [%rd5];\n"
                "ld.global.f32 %f4, [%rd6];\nld.global.f32 %f14, [%rd6+4];\n" TWO_SUMS, TWO_STORES),
      "x y" },
    { "the same, the other way",
      BOTH_LOOP("ld.global.f32 %f4, [%rd10];\nld.global.f32 %f12, [%rd5];\n"
                "ld.global.f32 %f2, [%rd6];\nld.global.f32 %f14, [%rd6+4];\n" TWO_SUMS, TWO_STORES),
      "" },
    { "one sum decides whether the other is stored",
      BOTH_LOOP(TWO_LOADS TWO_SUMS,
                "setp.gt.f32 %p2, %f1, 0f00000000;\nst.global.f32 [%rd2], %f1;\n"
                "@%p2 st.global.f32 [%rd3], %f3;\n"), "" },
    { "what is loaded for one ends the loop of both",
      BOTH_LOOP(TWO_LOADS TWO_SUMS "setp.gt.f32 %p2, %f2, 0f42000000;\n@%p2 bra M;\n",
                "M: " TWO_STORES), "" },
    { "a barrier", BOTH_LOOP(TWO_LOADS TWO_SUMS "bar.sync 0;\n", TWO_STORES), "x y" },
    { "a barrier that gives a value",
      BOTH_LOOP(TWO_LOADS TWO_SUMS "bar.red.popc.u32 %r2, 0, %p1;\n", TWO_STORES), "" },
    { "a barrier of the cluster",
      BOTH_LOOP(TWO_LOADS TWO_SUMS "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                TWO_STORES), "" },
    { "one loads by an address that is not known",
      BOTH_LOOP("ld.global.u64 %rd14, [%rd5];\nld.global.f32 %f2, [%rd14];\n"
                "mov.f32 %f12, %f2;\nld.global.f32 %f4, [%rd6];\nld.global.f32 %f14, [%rd6+4];\n"
                TWO_SUMS, TWO_STORES), "" },
    { "one sum ahead of the loop of the other",
      "ld.param.u64 %rd12, [z];\nld.param.u64 %rd13, [w];\nmov.f32 %f3, 0f00000000;\n"
      "K: ld.global.f32 %f4, [%rd13];\nfma.rn.f32 %f3, %f4, %f4, %f3;\n"
      "mul.f32 %f3, %f3, %f4;\nadd.s32 %r4, %r4, 1;\nadd.s64 %rd13, %rd13, 4;\n"
      "setp.lt.s32 %p1, %r4, %r1;\n@%p1 bra K;\n"
      "L: ld.global.f32 %f2, [%rd12];\nfma.rn.f32 %f1, %f2, %f2, %f1;\n"
      "mul.f32 %f1, %f1, %f2;\nadd.s32 %r3, %r3, 1;\nadd.s64 %rd12, %rd12, 4;\n"
      "setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n" TWO_STORES "ret;\n", "x y" },
};

static void check_parts(const char *what, const char *body, const char *wanted)
{
    static char text[4096];
    char got[256] = "";
    size_t count;
    ptxlint_module *module;
    ptxlint_recognition *of;
    snprintf(text, sizeof text, "%s%s}\n",
             ARRAYS_WITH("sm_90", ".param .u64 z, .param .u64 w, "), body);
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_recognition_new(module, kernels, &of), PTXLINT_OK);
    const ptxlint_fission *fission = ptxlint_recognition_fission(of);
    for (size_t p = 0; fission && p < fission->part_count; p++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", p ? " " : "",
                 fission->parts[p].arrays);
        assert_true(fission->parts[p].figures.max_live < fission->whole.max_live);
    }
    if (strcmp(got, wanted))
        fail_msg("%s: got \"%s\", wanted \"%s\"", what, got, wanted);
    assert_false(fission && fission->is_advised);
    ptxlint_recognition_free(of);
    ptxlint_module_free(module);
}

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_parts(parts[i].what, parts[i].body, parts[i].wanted);
}

/* ---- kernels whose blocks would take minutes to run ------------------------------------------ */

#define BLOCK                                                                     \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                             \
    ".visible .entry k(.param .u64 a) .reqntid 1024\n{\n"                         \
    ".reg .b64 %rd<3>; .reg .b32 %r<9>; .reg .pred %p<3>;\n"
#define ROUNDS(body)                                                              \
    "mov.u32 %r5, 0;\nL: " body "add.s32 %r5, %r5, 1;\n"                          \
    "setp.lt.u32 %p1, %r5, 4000; @%p1 bra L;\n"

static void recognize_all(Text *text)
{
    ptxlint_module *module;
    ptxlint_recognition *of;
    size_t count;
    assert_int_equal(ptxlint_module_new(text->bytes, text->length, NULL, &module), PTXLINT_OK);
    assert_int_equal(ptxlint_recognition_new(module, ptxlint_module_kernels(module, &count), &of),
                     PTXLINT_OK);
    ptxlint_recognition_free(of);
    ptxlint_module_free(module);
    free(text->bytes);
}

/* 65,536 elements, 32 times those of one warp: each sum of them is looked at. */
static void test_long_sums(void **state)
{
    Text text = { 0 };
    (void)state;
    kit_print(&text, "%s", BLOCK ".shared .b32 s[1024];\nld.param.u64 %rd1, [a];\n"
                           "ld.global.u32 %r1, [%rd1]; st.shared.u32 [s], %r1; bar.sync 0;\n");
    for (unsigned by = 1; by < 32; by *= 2)
        kit_print(&text, "shfl.sync.bfly.b32 %%r2, %%r1, %u, 31, -1; add.s32 %%r1, %%r1, %%r2;\n",
                  by);
    for (unsigned i = 0; i < 10; i++)
        kit_print(&text, "add.s32 %%r1, %%r1, %%r1;\n");
    kit_print(&text, "%s", ROUNDS("add.s32 %r3, %r1, %r1;\n"));
    kit_print(&text, "ld.shared.u32 %%r4, [s]; add.s32 %%r4, %%r4, %%r3;\n"
                     "st.global.u32 [%%rd1], %%r4; ret;\n}\n");
    recognize_all(&text);
}

static void test_many_shared_arrays(void **state)
{
    Text text = { 0 };
    (void)state;
    kit_print(&text, "%s", BLOCK);
    for (unsigned i = 0; i < 32000; i++)
        kit_print(&text, ".shared .b32 s%u;\n", i);
    kit_print(&text, "%s", "st.shared.u32 [s0], 1; bar.sync 0;\n"
                           ROUNDS("mov.u32 %r6, s31999;\n")
                           "ld.param.u64 %rd1, [a]; ld.shared.u32 %r4, [s0];\n"
                           "st.global.u32 [%rd1], %r4; ret;\n}\n");
    recognize_all(&text);
}

static void test_misuse(void **state)
{
    ptxlint_recognition *of = (ptxlint_recognition *)state;
    assert_int_equal(ptxlint_recognition_new(NULL, NULL, &of), PTXLINT_BAD_ARGUMENT);
    assert_null(of);
    ptxlint_recognition_free(NULL);
}

/* Two launches of a kernel: of one block the rows are kept. */
static void test_relaunch(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".entry k(.param .u64 p){ .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
        "add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret; }\n"
        ".entry other(){ ret; }\n";
    ptxlint_module *module;
    ptxlint_recognition *of = NULL;
    size_t count;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, NULL, &module), PTXLINT_OK);
    const ptxlint_kernel *kernel = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_recognition_relaunch(NULL, module, kernel, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_recognition_relaunch(&of, NULL, kernel, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_recognition_relaunch(&of, module, kernel, 0), PTXLINT_OK);
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    assert_true(count > 0);
    assert_int_equal(ptxlint_recognition_relaunch(&of, module, kernel, 0), PTXLINT_OK);
    assert_ptr_equal(ptxlint_recognition_items(of, &count), items);
    assert_int_equal(ptxlint_recognition_relaunch(&of, module, kernel + 1, 0), PTXLINT_OK);
    ptxlint_recognition_items(of, &count);
    assert_int_equal(count, 0);         /* another kernel, which stores nothing */
    assert_int_equal(ptxlint_recognition_relaunch(&of, module, kernel, 1), PTXLINT_OK);
    assert_int_equal(ptxlint_recognition_relaunch(&of, module, kernel, 1), PTXLINT_OK);
    ptxlint_recognition_items(of, &count);
    assert_true(count > 0);
    ptxlint_recognition_free(of);
    ptxlint_module_free(module);
}

UNIT(recognize)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_loops),
                                        cmocka_unit_test(test_arrays_and_lanes),
                                        cmocka_unit_test(test_links),
                                        cmocka_unit_test(test_parts),
                                        cmocka_unit_test(test_long_sums),
                                        cmocka_unit_test(test_many_shared_arrays),
                                        cmocka_unit_test(test_relaunch),
                                        cmocka_unit_test(test_misuse) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
