/* test_lower.c -- what ptxas makes of small kernels, by class of machine instruction, and what a
 * launch executes of them. */
#include "api/module.h"
#include "analysis/registers/block_liveness.h"
#include "kit.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/sass/sass.h"
#include "session/session.h"

#include <math.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define ENTRY                                                                                   \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<30>; .reg .b64 %rd<30>; " \
    ".reg .f32 %f<30>; .reg .pred %p<9>;\n"                                                     \
    "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 " \
    "%rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n"                                                 \
    "ld.param.u32 %r9, [n]; ld.global.u32 %r2, [%rd4]; ld.global.f32 %f1, [%rd4+4096];\n"
#define TAIL "st.global.u32 [%rd4+8192], %r2; st.global.f32 [%rd4+12288], %f1;\nret;\n}\n"

/* One warp runs. */
static ptxlint_module *opened(const char *ptx, const char *gpu_name)
{
    static const char launch[] =
        "{\"kernels\":{\"k\":{\"grid\":[1],\"block\":[32],\"params\":[null,5]}}}";
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    ptxlint_options options;
    ptxlint_launches *launches;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.has_symbols = true;         /* so that machine instructions are kept */
    assert_int_equal(ptxlint_launches_new(launch, strlen(launch), &launches, NULL, 0), PTXLINT_OK);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

/* The counts of a body alone, what ENTRY and TAIL take subtracted. */
static ptxlint_module *launched(const char *body, const char *gpu_name)
{
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD ENTRY, body, TAIL);
    return opened(ptx, gpu_name);
}

static const ptxlint_executed *executed(const ptxlint_module *module)
{
    return &kit_kernel(module, "k")->projections[0].executed;
}

static double count_of(const ptxlint_executed *e, const char *machine)
{
    for (size_t i = 0; i < e->machine_count; i++)
        if (!strcmp(e->machine[i].machine, machine))
            return e->machine[i].warp_instructions;
    return 0;
}

/* beyond the empty body: of the class, of all; -1: not looked at */
static const struct { const char *what, *body, *machine; double count, all;
} rows[] = {
    { "nothing", "", "alu", 0, 0 },
    { "what nobody reads", "mul.lo.s32 %r3, %r2, %r2; xor.b32 %r4, %r3, 5;\n", "imad", 0, 0 },
    { "copies and casts",
      "mov.b32 %r3, %f1; mov.b32 %f1, %r3; mov.u32 %r4, %r2; mov.u32 %r2, %r4;\n", "move", 0, 0 },
    { "the same twice", "xor.b32 %r3, %r1, %r2; xor.b32 %r4, %r1, %r2; mul.lo.s32 %r2, %r3, %r4;\n",
      "alu", 1, 2 },
    { "a load again",
      "ld.global.u32 %r3, [%rd4+64]; ld.global.u32 %r4, [%rd4+64]; mad.lo.s32 %r2, %r3, %r4, "
      "%r2;\n",
      "global", 1, 2 },
    { "behind a store",
      "ld.global.u32 %r3, [%rd4+64]; st.global.u32 [%rd4+32768], %r3; ld.global.u32 %r4, "
      "[%rd4+64]; mad.lo.s32 %r2, %r3, %r4, %r2;\n",
      "global", 3, 4 },
    { "from elsewhere",
      "ld.global.u32 %r3, [%rd4+64]; ld.global.u32 %r4, [%rd4+68]; mad.lo.s32 %r2, %r3, %r4, "
      "%r2;\n",
      "global", 2, 3 },
    { "a product and a sum", "mul.lo.s32 %r3, %r2, %r1; add.s32 %r2, %r3, %r2;\n", "imad", 1, 1 },
    { "a sum of three", "add.s32 %r3, %r2, %r1; add.s32 %r2, %r3, %r2;\n", "iadd", 1, 1 },
    { "constants of a sum", "add.s32 %r3, %r2, 3; add.s32 %r4, %r3, 4; add.s32 %r2, %r4, 5;\n",
      "iadd", 1, 1 },
    { "a shift and a sum", "shl.b32 %r3, %r2, 3; add.s32 %r2, %r3, %r1;\n", "iadd", 1, 1 },
    { "bits that do not meet", "shl.b32 %r3, %r2, 10; or.b32 %r2, %r3, %r1;\n", "iadd", 1, 1 },
    { "logic of three", "and.b32 %r3, %r2, %r1; xor.b32 %r2, %r3, %r2;\n", "alu", 1, 1 },
    { "a product of floats and a sum", "mul.f32 %f3, %f1, %f1; add.f32 %f1, %f3, %f1;\n", "fp32", 1,
      1 },
    { "rounded apart", "mul.rn.f32 %f3, %f1, %f1; add.rn.f32 %f1, %f3, %f1;\n", "fp32", 2, 2 },
    { "a sign", "neg.f32 %f3, %f1; mul.rn.f32 %f1, %f3, %f1;\n", "fp32", 1, 1 },
    { "a short side", "setp.lt.s32 %p1, %r2, 7; @!%p1 bra E; add.f32 %f1, %f1, %f1;\nE:\n",
      "branch", 0, 2 },
    { "neighbouring words",
      ".shared .align 16 .b8 s[64]; st.shared.u32 [s], %r2; bar.sync 0;\n"
      "ld.shared.f32 %f3, [s]; ld.shared.f32 %f4, [s+4]; add.rn.f32 %f1, %f3, %f4;\n",
      "shared", 2, -1 },
    /* ptxas 13.0 for sm_90: PRMT for each byte that something computes with */
    { "bytes of a register",
      ".reg .b16 %rs<5>; ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd4]; "
      "mul.wide.u16 %r3, %rs1, 4; mul.wide.u16 %r4, %rs3, 6; st.global.u32 [%rd4+512], %r3; "
      "st.global.u32 [%rd4+1024], %r4;\n",
      "alu", 2, 7 },
    { "bytes that become floats",
      ".reg .b16 %rs<5>; ld.global.v2.u8 {%rs1, %rs2}, [%rd4]; "
      "cvt.rn.f32.u16 %f3, %rs1; cvt.rn.f32.u16 %f4, %rs2; "
      "add.rn.f32 %f1, %f3, %f4;\n",
      "alu", 2, -1 },
    { "bytes as they lie",
      ".reg .b16 %rs<5>; ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd4]; "
      "st.global.v4.u8 [%rd4+512], {%rs1, %rs2, %rs3, %rs4};\n",
      "alu", 0, 2 },
    { "bytes of a matrix that lies the other way",
      ".shared .align 32 .b8 s[1024]; wmma.load.b.sync.aligned.row.m16n16k16.shared.s8 {%r3, %r4}, "
      "[s]; st.global.v2.u32 [%rd4+512], {%r3, %r4};\n",
      "shared", 8, -1 },
    { "bytes of a matrix that lies as it is read",
      ".shared .align 32 .b8 s[1024]; wmma.load.b.sync.aligned.col.m16n16k16.shared.s8 {%r3, %r4}, "
      "[s]; st.global.v2.u32 [%rd4+512], {%r3, %r4};\n",
      "shared", 1, -1 },
    { "halves that become floats",
      ".reg .b16 %rs<5>; ld.global.v2.s16 {%rs1, %rs2}, [%rd4]; "
      "cvt.rn.f32.s16 %f3, %rs1; cvt.rn.f32.s16 %f4, %rs2; "
      "add.rn.f32 %f1, %f3, %f4;\n",
      "alu", 0, -1 },
    { "a product and a wide sum",
      "mul.wide.u32 %rd5, %r2, 12; add.s64 %rd6, %rd5, %rd4; st.global.u32 [%rd6], %r1;\n",
      "imad_wide", 1, 2 },
    { "the same in one instruction",
      "mad.wide.u32 %rd6, %r2, 12, %rd4; st.global.u32 [%rd6], %r1;\n", "iadd", 2, 4 },
    { "a product of 64 bits",
      "ld.global.u64 %rd5, [%rd4]; mul.lo.s64 %rd6, %rd5, %rd5; st.global.u64 [%rd4], %rd6;\n",
      "imad", 2, 6 },
    { "of a power of two", "mad.wide.u32 %rd6, %r2, 8, %rd4; st.global.u32 [%rd6], %r1;\n", "iadd",
      2, 3 },
    { "a mask, and bits that others shift too",
      "shl.b32 %r3, %r2, 10; and.b32 %r4, %r1, 124; or.b32 %r5, %r3, %r4; xor.b32 %r2, %r5, %r3;\n",
      "alu", 2, 3 },
    { "a pair of words",
      "cvt.u64.u32 %rd5, %r2; cvt.u64.u32 %rd6, %r1; shl.b64 %rd7, %rd6, 32; or.b64 %rd8, %rd7, "
      "%rd5; st.global.u64 [%rd4+4096], %rd8;\n",
      "alu", 0, 1 },
    { "a selection over what it selects from",
      "setp.lt.s32 %p1, %r1, 7; setp.lt.f32 %p2, %f1, 0f40000000; selp.b32 %r3, %r2, %r1, %p1; "
      "selp.b32 %r2, %r2, %r3, %p2;\n",
      "alu", 3, 3 },
    { "lanes count together", "atom.global.add.u32 %r3, [%rd2], 1; add.s32 %r2, %r2, %r3;\n",
      "bits", 3, -1 },
    { "one lane adds for all", "red.global.add.u32 [%rd2], 7;\n", "bits", 2, -1 },
    { "each lane at its own", "red.global.add.u32 [%rd4], %r2;\n", "vote", 0, 1 },
    { "floats one by one", "red.global.add.f32 [%rd4], %f1;\n", "vote", 0, 1 },
    { "both halves of a product",
      "mul.hi.u32 %r3, %r2, %r1; xor.b32 %r4, %r3, %r1; mul.lo.s32 %r5, %r1, %r2; xor.b32 %r2, "
      "%r4, %r5;\n",
      "imad_wide", 1, 2 },
    { "halves of a product with another one between",
      "mul.hi.u32 %r3, %r2, %r1; mul.hi.u32 %r6, %r2, %r9; mul.lo.s32 %r5, %r1, %r2; xor.b32 %r4, "
      "%r3, %r6; xor.b32 %r2, %r4, %r5;\n",
      "imad_wide", 2, -1 },
    { "halves of a product with a shift between",
      "mul.hi.u32 %r3, %r2, %r1; mul.lo.u32 %r6, %r2, 16; mul.lo.s32 %r5, %r1, %r2; xor.b32 %r4, "
      "%r3, %r6; xor.b32 %r2, %r4, %r5;\n",
      "imad_wide", 1, -1 },
    { "a byte, masked again",
      "bfe.u32 %r3, %r1, 8, 8; and.b32 %r4, %r3, 255; sub.s32 %r2, %r2, %r4;\n", "alu", 1, 2 },
    { "a predicate made a number and back",
      "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0; selp.b32 %r2, "
      "%r1, %r2, %p2;\n",
      "alu", 2, 2 },
    { "masks of a chain",
      "and.b32 %r3, %r1, 12; shl.b32 %r4, %r2, 1; and.b32 %r5, %r4, 96; or.b32 %r6, %r3, %r5; "
      "shl.b32 %r7, %r2, 3; and.b32 %r8, %r7, 768; or.b32 %r2, %r6, %r8;\n",
      "alu", 3, 5 },
    { "shifts before sums",
      "shl.b32 %r3, %r1, 7; add.s32 %r4, %r3, %r2; shl.b32 %r5, %r2, 2; add.s32 %r2, %r4, %r5;\n",
      "iadd", 2, 2 },
    { "one constant stored twice",
      "st.global.u32 [%rd4+16384], 7; st.global.u32 [%rd4+20480], 7;\n", "move", 1, 3 },
    { "a copy beside what stays",
      "mov.u32 %r3, %r1; setp.lt.s32 %p1, %r2, 7; @%p1 mov.u32 %r3, 5; add.s32 %r4, %r3, %r1; "
      "mul.lo.s32 %r2, %r2, %r4;\n",
      "move", 2, 5 },
    { "by one divisor", "div.u32 %r3, %r2, %r9; div.u32 %r4, %r1, %r9; add.s32 %r2, %r3, %r4;\n",
      "xu", 1, -1 },
    { "by one divisor of the block",
      "xor.b32 %r5, %r2, %r1; div.u32 %r3, %r2, %r5; div.u32 %r4, %r1, %r5; add.s32 %r2, %r3, "
      "%r4;\n",
      "xu", 1, -1 },
    { "a float by a constant", "div.full.f32 %f1, %f1, 0f42C80000;\n", "fp32", 1, 1 },
    { "a float by a constant, into a sum",
      "div.full.f32 %f3, %f1, 0f42C80000; add.f32 %f1, %f3, %f1;\n", "fp32", 1, 1 },
    { "a field up to the end", "bfe.u32 %r3, %r1, 20, 12; sub.s32 %r2, %r2, %r3;\n", "shift", 1,
      2 },
    { "a product of 16 bits",
      ".reg .b16 %rs<4>; cvt.u16.u32 %rs1, %r2; mul.lo.s16 %rs2, %rs1, 7; cvt.u32.u16 %r2, %rs2;\n",
      "alu", 2, 3 },
    { "its high half has no more",
      ".reg .b16 %rs<4>; cvt.u16.u32 %rs1, %r2; mul.hi.u16 %rs2, %rs1, 683; cvt.u32.u16 %r2, "
      "%rs2;\n",
      "alu", 1, 3 },
    { "counted in shared memory", ".shared .b32 s; red.shared.add.u32 [s], 1;\n", "vote", 0, -1 },
    { "what a load overwrites",
      "mov.u32 %r3, 7; ld.global.u32 %r3, [%rd4+64]; add.s32 %r2, %r2, %r3;\n", "move", 0, 2 },
};

/* Beyond the empty body, of all: constants and words of banks that an instruction has no place for.
 * As ptxas 13.0 has them. */
static void test_constants(void **state)
{
    (void)state;
    static const char *const gpus[] = { "sm_75", "sm_80", "sm_90", "sm_120" };
    static const struct { const char *what, *body; double all[COUNT(gpus)]; } cases[] = {
        { "one constant", "fma.rn.f32 %f1, %f1, %f1, 0f3F000000;\n", { 1, 1, 1, 1 } },
        { "two", "fma.rn.f32 %f1, %f1, 0f3F400000, 0f3F000000;\n", { 2, 2, 2, 2 } },
        { "of one selection", "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r2, 7, 9, %p1;\n", { 3, 3, 3, 3 } },
        { "zero is a register", "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r2, 7, 0, %p1;\n", { 2, 2, 2, 2 } },
        { "a constant and a parameter", "mad.lo.s32 %r2, %r2, %r9, 77;\n", { 2, 2, 2, 2 } },
        { "fp64, its low word zero", "cvt.f64.f32 %fd1, %f1; mul.f64 %fd2, %fd1, 0d4004000000000000; cvt.rn.f32.f64 %f1, %fd2;\n", { 3, 3, 3, 3 } },
        { "fp64", "cvt.f64.f32 %fd1, %f1; mul.f64 %fd2, %fd1, 0d3FB999999999999A; cvt.rn.f32.f64 %f1, %fd2;\n", { 3, 3, 5, 4 } },
        { "fp64, out of a register", "mov.f64 %fd3, 0d3FB999999999999A; cvt.f64.f32 %fd1, %f1; mul.f64 %fd2, %fd1, %fd3; cvt.rn.f32.f64 %f1, %fd2;\n", { 3, 3, 5, 4 } },
        { "one in two places", "cvt.f64.f32 %fd1, %f1; add.f64 %fd2, %fd1, 0d3FB999999999999A; mul.f64 %fd3, %fd2, 0d3FB999999999999A; cvt.rn.f32.f64 %f1, %fd3;\n", { 4, 4, 6, 5 } },
        { "an index of shared memory", ".shared .b32 words[64]; mov.u32 %r3, words; shl.b32 %r4, %r2, 2; add.s32 %r5, %r3, %r4; ld.shared.u32 %r2, [%r5+8];\n", { 1, 1, 5, 5 } },
        { "constant memory", "ld.const.f32 %f3, [table]; ld.const.f32 %f4, [table+4]; fma.rn.f32 %f5, %f1, %f1, %f3; fma.rn.f32 %f1, %f5, %f5, %f4;\n", { 2, 2, 3, 3 } },
    };
    for (size_t g = 0; g < COUNT(gpus); g++)
        for (size_t i = 0; i < COUNT(cases); i++) {
            char body[512];
            ptxlint_module *modules[2];
            for (unsigned m = 0; m < 2; m++) {
                snprintf(body, sizeof body,
                         ".const .align 16 .f32 table[4]; .reg .f64 %%fd<9>;\n%s",
                         m ? cases[i].body : "");
                modules[m] = launched(body, gpus[g]);
            }
            double all = executed(modules[1])->warp_instructions
                         - executed(modules[0])->warp_instructions;
            if (fabs(all - cases[i].all[g]) > 1e-6)
                fail_msg("%s on %s: %g, want %g", cases[i].what, gpus[g], all, cases[i].all[g]);
            for (unsigned m = 0; m < 2; m++)
                ptxlint_module_free(modules[m]);
        }
}

#define CALLED                                                                                     \
    ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a]; "     \
    "mul.lo.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n"                                   \
    ".func (.param .b32 r) down(.param .b32 a)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>; .param "     \
    ".b32 x, y;\nld.param.u32 %r1, [a]; st.param.b32 [r], %r1; setp.eq.s32 %p1, %r1, 0;\n"         \
    "@%p1 bra L; sub.s32 %r2, %r1, 1; st.param.b32 [x], %r2; call (y), down, (x); ld.param.b32 "   \
    "%r3, [y]; mul.lo.s32 %r3, %r3, %r3; st.param.b32 [r], %r3;\nL: ret;\n}\n"                     \
    ".extern .func (.param .b32 r) far(.param .b32 a);\n.func (.param .b32 r) behind(.param .b32 " \
    "a);\n"
#define BEHIND                                                                                  \
    ".func (.param .b32 r) behind(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a]; " \
    "mul.lo.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n"

/* What called functions execute counts too, as often as it runs; nothing is known where one is not
 * there. */
static void test_called(void **state)
{
    (void)state;
    static const struct { const char *body; double products; } cases[] = {
        { "", 0 },
        { "st.param.b32 [a], %r2; call (b), twice, (a); ld.param.b32 %r2, [b];\n", 1 },
        { "st.param.b32 [a], %r2; call (b), twice, (a); ld.param.b32 %r2, [b]; st.param.b32 [a], %r2; call (b), twice, (a); ld.param.b32 %r2, [b];\n", 2 },
        { "st.param.b32 [a], 3; call (b), down, (a); ld.param.b32 %r2, [b];\n", 3 },
        { "st.param.b32 [a], %r2; call (b), behind, (a); ld.param.b32 %r2, [b];\n", 1 },
        { "st.param.b32 [a], %r2; call (b), far, (a); ld.param.b32 %r2, [b];\n", -1 },
    };
    double before = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s.param .b32 a, b;\n%s%s", HEAD CALLED ENTRY, cases[i].body,
                 TAIL BEHIND);
        ptxlint_module *module = opened(ptx, "h200");
        double all = executed(module)->warp_instructions,
               products = count_of(executed(module), "imad");
        if (cases[i].products < 0 ? !isnan(all)
                                  : products != cases[i].products || (i && i < 4 && all <= before))
            fail_msg("%s: %g products and %g in all, want %g", cases[i].body, products, all,
                     cases[i].products);
        before = all;
        ptxlint_module_free(module);
    }
}

/* Lanes that a guard turns off leave before the last store. */
static void test_exits(void **state)
{
    (void)state;
    static const struct {
        const char *store;
        double branches;
    } cases[] = { { "st.global.u32 [%rd1], %r1;\n", 1 },
                  { "setp.lt.u32 %p1, %r1, 9; @%p1 st.global.u32 [%rd1], %r1;\n", 2 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char ptx[512];
        snprintf(ptx, sizeof ptx,
                 "%s.entry k(.param .u64 a)\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred "
                 "%%p<2>;\nld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x;\n%sret;\n}\n",
                 HEAD, cases[i].store);
        ptxlint_module *module = opened(ptx, "h200");
        assert_true(count_of(executed(module), "branch") == cases[i].branches);
        ptxlint_module_free(module);
    }
}

/* A loop that no budget does for, and whose number of trips is a float: how often it runs is not
 * known, nor what comes behind it. */
static void test_cut(void **state)
{
    (void)state;
    static const struct { const char *loop; bool is_known; } cases[] = {
        { "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 1000;", true },
        { "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 100000000;", true },
        { "add.f32 %f2, %f2, 0f3F800000; setp.lt.f32 %p1, %f2, 0f4B000000;", true },
        { "fma.rn.f32 %f2, %f2, 0f3F800001, 0f33800000; setp.lt.f32 %p1, %f2, 0f4B000000;", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "mov.u32 %%r3, 0; mov.f32 %%f2, 0f00000000;\nL: add.f32 %%f1, %%f1, %%f1; %s "
                 "@%%p1 bra L;\n",
                 cases[i].loop);
        ptxlint_module *module = launched(body, "h200");
        assert_int_equal(isfinite(executed(module)->warp_instructions), cases[i].is_known);
        assert_int_equal(executed(module)->why == NULL, cases[i].is_known);
        ptxlint_module_free(module);
    }
}

/* A loop of a thousand iterations around one addition: the test, the branch and the counter, once
 * for as many as are joined. */
static void test_unrolled(void **state)
{
    (void)state;
    static const struct { const char *what, *loop; double least, most; } cases[] = {
        { "as it is", ".pragma \"nounroll\";\nL: add.f32 %f1, %f1, %f1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 1000; @%p1 bra L;\n", 4000, 4010 },
        { "by many, trips in the code", "L: add.f32 %f1, %f1, %f1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 1000; @%p1 bra L;\n", 1000, 1200 },
        { "by a step out of a register", "L: add.f32 %f1, %f1, %f1; add.s32 %r3, %r3, %r8; setp.lt.s32 %p1, %r3, 1000; @%p1 bra L;\n", 4000, 4010 },
        { "by four, up to a parameter", "mul.lo.s32 %r9, %r9, 200;\nL: add.f32 %f1, %f1, %f1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r9; @%p1 bra L;\n", 1750, 1775 },
        { "three, all of them", "L: add.f32 %f1, %f1, %f1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, 3; @%p1 bra L;\n", 3, 4 },
    };
    ptxlint_module *empty = launched("", "h200");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char body[512];
        snprintf(body, sizeof body, "mov.u32 %%r3, 0; mov.u32 %%r8, 1;\n%s", cases[i].loop);
        ptxlint_module *module = launched(body, "h200");
        double all = executed(module)->warp_instructions - executed(empty)->warp_instructions;
        if (all < cases[i].least || all > cases[i].most)
            fail_msg("%s: %g, want %g to %g", cases[i].what, all, cases[i].least, cases[i].most);
        ptxlint_module_free(module);
    }
    ptxlint_module_free(empty);
}

static void test_rows(void **state)
{
    (void)state;
    static const char *const gpus[] = { "sm_75", "sm_80", "h200" };
    for (size_t g = 0; g < COUNT(gpus); g++) {
        ptxlint_module *empty = launched("", gpus[g]);
        for (size_t i = 0; i < COUNT(rows); i++) {
            ptxlint_module *module = launched(rows[i].body, gpus[g]);
            double count = count_of(executed(module), rows[i].machine)
                           - count_of(executed(empty), rows[i].machine);
            double all = executed(module)->warp_instructions - executed(empty)->warp_instructions;
            if (fabs(count - rows[i].count) > 1e-6
                || (rows[i].all >= 0 && fabs(all - rows[i].all) > 1e-6))
                fail_msg("%s on %s: %g of %s and %g in all, want %g and %g", rows[i].what, gpus[g],
                         count, rows[i].machine, all, rows[i].count, rows[i].all);
            ptxlint_module_free(module);
        }
        ptxlint_module_free(empty);
    }
}

static void test_flops(void **state)
{
    (void)state;
    static const struct { const char *what, *body; double fp32; } cases[] = {
        { "fused or not, two", "mul.f32 %f3, %f1, %f1; add.f32 %f1, %f3, %f1;\n", 64 },
        { "a division", "div.rn.f32 %f1, %f1, %f1;\n", 320 },
        { "a product into each of its sums", "mul.f32 %f3, %f1, %f1; add.f32 %f4, %f3, %f1; sub.f32 %f5, %f3, 0f40000000; mul.rn.f32 %f1, %f4, %f5;\n", 160 },
        { "a product that is read otherwise", "mul.f32 %f3, %f1, %f1; add.f32 %f4, %f3, %f1; mul.rn.f32 %f1, %f4, %f3;\n", 96 },
        { "a quotient into a sum", "add.rn.f32 %f3, %f1, 0f3F800000; div.full.f32 %f4, %f1, %f3; add.f32 %f1, %f4, %f1;\n", 96 },
        { "a divisor that is read again", "add.rn.f32 %f3, %f1, 0f3F800000; div.full.f32 %f4, %f1, %f3; mul.rn.f32 %f1, %f4, %f3;\n", 128 },
        { "a divisor of two", "add.rn.f32 %f3, %f1, 0f3F800000; div.full.f32 %f4, %f1, %f3; "
          "div.full.f32 %f5, 0f40000000, %f3; mul.rn.f32 %f1, %f4, %f5;\n", 128 },
        { "a sum that one thread reads", "add.rn.f32 %f3, %f1, %f1; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; st.global.f32 [%rd4], %f3;\nE:\n", 1 },
        { "whole numbers", "cvt.rni.f32.f32 %f1, %f1;\n", 0 },
        { "a reciprocal that scales", "rcp.approx.f32 %f1, %f1;\n", 64 },
        { "one that does not", "rcp.approx.ftz.f32 %f1, %f1;\n", 0 },
        { "lanes that data part", "setp.gt.f32 %p1, %f1, 0f3F800000; @%p1 bra A; mul.rn.f32 %f1, %f1, %f1; bra E;\nA: add.rn.f32 %f1, %f1, %f1;\nE:\n", 32 },
        { "some of them, to one side alone", "setp.gt.f32 %p1, %f1, 0f3F800000; @%p1 bra E; mul.rn.f32 %f1, %f1, %f1;\nE:\n", 16 },
        { "angles that are hardly so large", "abs.f32 %f3, %f1; setp.ltu.f32 %p1, %f3, 0f47CE4780; @%p1 bra E; mul.rn.f32 %f1, %f1, %f1;\nE:\n", 0 },
        { "as are the others", "abs.f32 %f3, %f1; setp.ge.f32 %p1, %f3, 0f47CE4780; @%p1 bra E; mul.rn.f32 %f1, %f1, %f1;\nE:\n", 32 },
        { "a root again", "abs.f32 %f3, %f1; sqrt.rn.f32 %f4, %f3; sqrt.rn.f32 %f5, %f3; add.rn.f32 %f1, %f4, %f5;\n", 416 },
        { "sine and cosine share a product", "sin.approx.f32 %f3, %f1; cos.approx.f32 %f4, %f1; add.rn.f32 %f1, %f3, %f4;\n", 64 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = launched(cases[i].body, "h200");
        if (fabs(executed(module)->flops_fp32 - cases[i].fp32) > 1e-6)
            fail_msg("%s: %g, want %g", cases[i].what, executed(module)->flops_fp32, cases[i].fp32);
        ptxlint_module_free(module);
    }
}

/* Of ptxas 13.0 for sm_90: DMUL and DADD one, DFMA two. */
static void test_flops64(void **state)
{
    (void)state;
    static const struct { const char *op; double fp64; } cases[] = {
        { "rcp.rn.f64 %fd2, %fd1;", 10 },         { "sqrt.rn.f64 %fd2, %fd1;", 13 },
        { "rsqrt.approx.f64 %fd2, %fd1;", 8 },    { "rsqrt.approx.ftz.f64 %fd2, %fd1;", 0 },
        { "div.rn.f64 %fd2, %fd1, %fd3;", 15 },   { "fma.rn.f64 %fd2, %fd1, %fd1, %fd1;", 2 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 ".reg .f64 %%fd<9>; ld.global.f64 %%fd1, [%%rd4]; ld.global.f64 %%fd3, "
                 "[%%rd4+65536]; %s st.global.f64 [%%rd4], %%fd2;\n",
                 cases[i].op);
        ptxlint_module *module = launched(body, "h200");
        assert_true(executed(module)->flops_fp64 == 32 * cases[i].fp64);
        ptxlint_module_free(module);
    }
}

#define IN_LOOP(side, step)                                                               \
    "setp.lt.s32 %p3, %r9, 0; @%p3 bra F;\nmov.u32 %r3, 0; mov.u32 %r8, 1;\n"             \
    "L: .pragma \"nounroll\"; add.s32 %r4, %r3, %r1; setp.lt.s32 %p1, %r4, 40;\n"         \
    "@!%p1 bra E; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd2, %rd5; " side             \
    "\nE: add.s32 %r3, %r3, " step "; setp.lt.s32 %p2, %r3, 100; @%p2 bra L;\nF:\n"

/* Branches, one of them before a hundred iterations: behind one, BSSY and BSYNC, stays a side that
 * waits for its own load, where ptxas does not count what the loop steps by. */
static void test_sides(void **state)
{
    (void)state;
    static const struct { const char *what, *body; double branches; } cases[] = {
        { "waits, step out of a register", IN_LOOP("ld.global.f32 %f3, [%rd6]; "
          "add.f32 %f1, %f1, %f3;", "%r8"), 401 },
        { "waits, step in the code", IN_LOOP("ld.global.f32 %f3, [%rd6]; "
          "add.f32 %f1, %f1, %f3;", "1"), 101 },
        { "does not wait", "mov.f32 %f3, 0f00000000;\n" IN_LOOP("ld.global.f32 %f3, [%rd6];",
          "%r8") "add.f32 %f1, %f1, %f3;\n", 101 },
    };
    ptxlint_module *empty = launched("", "h200");
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = launched(cases[i].body, "h200");
        double branches = count_of(executed(module), "branch")
                          - count_of(executed(empty), "branch");
        if (branches != cases[i].branches)
            fail_msg("%s: %g, want %g", cases[i].what, branches, cases[i].branches);
        ptxlint_module_free(module);
    }
    ptxlint_module_free(empty);
}

/* The address of a shared variable, as ptxas 13.0 makes it for sm_90: where it is named, out of an
 * innermost loop, but not out of one side of a branch. */
static void test_window_addresses(void **state)
{
    (void)state;
#define NAMED "mov.u32 %r5, words; shl.b32 %r6, %r1, 3; add.s32 %r7, %r5, %r6; "
    static const struct { const char *what, *body; double moves; } cases[] = {
        { "once", NAMED "st.shared.u32 [%r7], %r2;\n", 2 },
        { "in either of two sides", "setp.lt.s32 %p1, %r1, 40; @!%p1 bra A; "
          NAMED "atom.shared.exch.b32 %r2, [%r7], %r2;\nA: setp.gt.s32 %p2, %r1, -9; "
          "@!%p2 bra B; " NAMED "atom.shared.exch.b32 %r2, [%r7+4], %r2;\nB:\n", 4 },
        { "in a loop", "mov.u32 %r3, 0;\nL: .pragma \"nounroll\"; "
          NAMED "atom.shared.exch.b32 %r2, [%r7], %r2; add.s32 %r3, %r3, 1; "
          "setp.lt.s32 %p2, %r3, 100; @%p2 bra L;\n", 2 },
        { "in a side in a loop", "mov.u32 %r3, 0;\nL: .pragma \"nounroll\"; "
          "setp.lt.s32 %p1, %r1, 40; @!%p1 bra A; "
          NAMED "atom.shared.exch.b32 %r2, [%r7], %r2;\nA: add.s32 %r3, %r3, 1; "
          "setp.lt.s32 %p2, %r3, 100; @%p2 bra L;\n", 200 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char body[1024];
        ptxlint_module *modules[2];
        for (unsigned m = 0; m < 2; m++) {
            snprintf(body, sizeof body, ".shared .align 16 .b32 words[64];\n%s", cases[i].body);
            if (m)      /* an address that needs none of it */
                for (char *at = body; (at = strstr(at, "%r5, words;"));)
                    memcpy(at, "%r5, %r9   ", 10);
            modules[m] = launched(body, "h200");
        }
        double moves = count_of(executed(modules[0]), "move")
                       - count_of(executed(modules[1]), "move");
        if (moves != cases[i].moves)
            fail_msg("%s: %g, want %g", cases[i].what, moves, cases[i].moves);
        for (unsigned m = 0; m < 2; m++)
            ptxlint_module_free(modules[m]);
    }
}

/* Which file holds %r3, which several instructions write and memory takes. */
static const struct { const char *what, *body; LoweredFile file;
} kept[] = {
    { "set on either side of a branch of the block",
      "mov.u32 %r3, 1; setp.lt.s32 %p1, %r9, 7; @%p1 bra E; mov.u32 %r3, %ctaid.x;\nE: "
      "st.global.u32 [%rd4], %r3;\n",
      LOWERED_UNIFORM },
    { "set on either side of a branch of lanes",
      "mov.u32 %r3, 1; setp.lt.s32 %p1, %r1, 7; @%p1 bra E; mov.u32 %r3, %r9;\nE: st.global.u32 "
      "[%rd4], %r3;\n",
      LOWERED_REG },
    { "counted by all alike",
      "mov.u32 %r3, 0;\nL: st.global.u32 [%rd4], %r3; add.u32 %r3, %r3, %r9; setp.lt.u32 %p1, %r3, "
      "90; @%p1 bra L;\n",
      LOWERED_UNIFORM },
    { "counted until each lane leaves",
      "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n"
      "st.global.u32 [%rd4], %r3;\n",
      LOWERED_REG },
    { "one datum for all",
      "mov.u32 %r3, 1; setp.lt.s32 %p1, %r9, 7; @%p1 bra E; ld.global.nc.u32 %r3, [%rd1];\nE: "
      "st.global.u32 [%rd4], %r3;\n",
      LOWERED_REG },
};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kept); i++) {
        ptxlint_module *module = launched(kept[i].body, "h200");
        const Lowered *lowered = ptx_session_lowered(ptx_session_at(module, 0), 0);
        LoweredFile file = LOWERED_NONE;
        for (uint32_t v = 0; v < lowered->value_count; v++) {
            RegId reg = lowered->values[v].reg;
            if (reg != NO_ID
                && !strncmp(module->text + module->ir->funcs[0].regs[reg].name_begin, "%r3,", 4))
                file = (LoweredFile)lowered->values[v].file;
        }
        if (file != kept[i].file)
            fail_msg("%s: %d, want %d", kept[i].what, (int)file, (int)kept[i].file);
        ptxlint_module_free(module);
    }
}

/* What is read was written before: values that one instruction writes are not live where the
 * function begins. */
static void check_values(const char *path, const ptxlint_module *module, FuncId id)
{
    const Func *func = &module->ir->funcs[id];
    const Lowered *lowered = func->has_body ? ptx_session_lowered(ptx_session_at(module, id), 0)
                                            : NULL;
    Arena arena;
    jmp_buf failed;
    if (!lowered || func->reg_count == 0)
        return;
    ptx_arena_init(&arena, (size_t)1 << 28, &failed);
    if (setjmp(failed))
        fail_msg("%s: too large", path);
    const LoweredLive *live = ptx_lowered_live_compute(&arena, lowered,
                                                       ptx_session_cfg(ptx_session_at(module, id)));
    bool *is_written = ptx_arena_array(&arena, bool, lowered->value_count + 1),
         *is_first = ptx_arena_array(&arena, bool, lowered->value_count + 1);
    for (uint32_t i = 0; i < lowered->insn_count; i++)
        for (uint32_t d = 0; d < lowered->insns[i].def_count; d++) {
            LoweredValueId value = lowered->operands[lowered->insns[i].operand_first + d];
            is_written[value] = true;
            is_first[value] |= i < lowered->first[1];
        }
    for (uint32_t i = 0; i < lowered->insn_count; i++)
        for (uint32_t u = 0; u < lowered->insns[i].use_count; u++) {
            LoweredValueId value = lowered->operands[lowered->insns[i].operand_first
                                                     + lowered->insns[i].def_count + u];
            if (!is_written[value] && lowered->values[value].file == LOWERED_REG
                && !lowered->values[value].is_variable)
                fail_msg("%s: instruction %u of function %u reads what nothing writes", path, i,
                         id);
        }
    for (uint32_t o = live->first[0]; o < live->first[1]; o++)
        if (!is_first[live->out[o]] && !lowered->values[live->out[o]].is_variable)
            fail_msg("%s: value %u of function %u is live where the function begins", path,
                     live->out[o], id);
    ptx_arena_free(&arena);
}

static void test_values(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "testdata/ptx/loops.sm_75.ptx",     "testdata/ptx/softmax.sm_80.ptx",
        "testdata/ptx/scan.sm_90.ptx",      "testdata/ptx/const_tables.sm_90.ptx",
        "testdata/measured/algorithms.ptx",
    };
    for (size_t p = 0; p < COUNT(paths); p++) {
        ptxlint_module *module = kit_open_live(paths[p]);
        for (FuncId f = 0; f < module->ir->func_count; f++)
            check_values(paths[p], module, f);
        ptxlint_module_free(module);
    }
}

/* Without a grid nothing is known of a launch. */
static void test_unknown(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(HEAD ENTRY TAIL);
    assert_true(isnan(executed(module)->warp_instructions) && isnan(executed(module)->flops_fp32));
    assert_int_equal(executed(module)->certainty, PTXLINT_NOT_KNOWN);
    ptxlint_module_free(module);
}

UNIT(lower)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_constants),
        cmocka_unit_test(test_called), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_exits),  cmocka_unit_test(test_unrolled),
        cmocka_unit_test(test_flops),  cmocka_unit_test(test_files),
        cmocka_unit_test(test_flops64), cmocka_unit_test(test_sides),
        cmocka_unit_test(test_window_addresses),
        cmocka_unit_test(test_values), cmocka_unit_test(test_unknown)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
