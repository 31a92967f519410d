/* test_throughput.c -- cycles of pipelines over the paths of a kernel, shares of work, peaks. */
#include "kit.h"

#include <math.h>

/* On sm_90 a fused multiply-add of a warp holds fma for a quarter of a clock; on g80 for four. */
#define FMA "fma.rn.f32 %f1, %f1, %f1, %f2;\n"
#define FMA4 FMA FMA FMA FMA
#define FMA8 FMA4 FMA4

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define ENTRY                                                                                    \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>; "   \
    ".reg .f32 %f<9>; .reg .pred %p<9>;\n"                                                       \
    "mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r1; ld.param.u64 %rd1, " \
    "[p]; ld.param.u32 %r9, [n];\n"
#define TAIL "st.global.f32 [%rd1], %f1;\nret;\n}\n"
#define DATA "ld.global.u32 %r5, [%rd1]; setp.eq.s32 %p1, %r5, 0;\n"

typedef struct Case {
    const char *what, *ptx;
    double total, longest, shortest;    /* of fma on sm_90; negative: unknown */
} Case;

static const Case cases[] = {
    { "straight", HEAD ENTRY FMA8 TAIL, 2, 2, 2 },
    { "both ways", HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "bra B;\nA:\n" FMA8 "B:\n" TAIL, 3, 2, 1 },
    { "skipped or not", HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "A:\n" TAIL, 1, 1, 0 },
    { "under a guard", HEAD ENTRY DATA "@%p1 " FMA TAIL, .25, .25, 0 },
    { "ten times",
      HEAD ENTRY "mov.u32 %r2, 0;\nL:\n" FMA4
                 "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 10; @%p2 bra L;\n" TAIL,
      10, 10, 10 },
    { "tested before",
      HEAD ENTRY "mov.u32 %r2, 0;\nL: setp.ge.s32 %p2, %r2, 10; @%p2 bra E;\n" FMA4
                 "add.s32 %r2, %r2, 1; bra L;\nE:\n" TAIL,
      10, 10, 10 },
    { "unknown times",
      HEAD ENTRY "L:\n" FMA4
                 "ld.global.u32 %r5, [%rd1]; setp.ne.s32 %p2, %r5, 0; @%p2 bra L;\n" TAIL,
      -1, -1, 1 },
    { "unknown times, none at least",
      HEAD ENTRY "L: ld.global.u32 %r5, [%rd1]; setp.ne.s32 %p2, %r5, 0; @%p2 bra E;\n" FMA4
                 "bra L;\nE:\n" TAIL,
      -1, -1, 0 },
    { "three times five",
      HEAD ENTRY "mov.u32 %r2, 0;\nL: mov.u32 %r3, 0;\nM:\n" FMA4
                 "add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, 5; @%p2 bra M;\nadd.s32 %r2, %r2, 1; "
                 "setp.lt.s32 %p3, %r2, 3; @%p3 bra L;\n" TAIL,
      15, 15, 15 },
    { "a loop on one way",
      HEAD ENTRY DATA "@%p1 bra E;\nmov.u32 %r2, 0;\nL:\n" FMA4
                      "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 10; @%p2 bra L;\nE:\n" FMA4 TAIL,
      11, 11, 1 },
    { "left early",
      HEAD ENTRY "mov.u32 %r2, 0;\nL:\n" FMA4
                 "ld.global.u32 %r5, [%rd1]; setp.eq.s32 %p1, %r5, 0; @%p1 bra E;\n" FMA4
                 "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 10; @%p2 bra L;\nE:\n" TAIL,
      -1, 20, 1 },
    { "out of two loops",
      HEAD ENTRY "mov.u32 %r2, 0;\nL: mov.u32 %r3, 0;\nM:\n" FMA4
                 "ld.global.u32 %r5, [%rd1]; setp.eq.s32 %p1, %r5, 0; @%p1 bra E;\n"
                 "add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, 5; @%p2 bra M;\nadd.s32 %r2, %r2, 1; "
                 "setp.lt.s32 %p3, %r2, 3; @%p3 bra L;\nE:\n" TAIL,
      -1, 15, 1 },
    { "a call", HEAD ".extern .func f;\n" ENTRY FMA4 "call f;\n" TAIL, -1, -1, 1 },
    { "a multiply that goes with its add",
      HEAD ENTRY "mul.f32 %f3, %f1, %f2; add.f32 %f1, %f3, %f2;\n" TAIL, .25, .25, .25 },
    { "a multiply that must round",
      HEAD ENTRY "mul.rn.f32 %f3, %f1, %f2; add.rn.f32 %f1, %f3, %f2;\n" TAIL, .5, .5, .5 },
    { "the same in every iteration",
      HEAD ENTRY "mov.u32 %r2, 0;\nL: mul.rn.f32 %f3, %f2, %f2; add.rn.f32 %f1, %f1, %f3;\n"
                 "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 8; @%p2 bra L;\n" TAIL,
      2, 2, 2 },
    { "an opcode that nobody knows", HEAD ENTRY "frobnicate.f32 %f1, %f1;\n" FMA4 TAIL, -1, -1, 1 },
    { "into the middle of a loop",
      HEAD ENTRY DATA "@%p1 bra M;\nL:\n" FMA4 "M:\n" FMA4
                      "ld.global.u32 %r6, [%rd1]; setp.ne.s32 %p2, %r6, 0; "
                      "@%p2 bra L;\n" FMA4 TAIL,
      -1, -1, 1 },
    { "dead", HEAD ENTRY "fma.rn.f32 %f5, %f1, %f2, %f2;\n" FMA4 TAIL, 1, 1, 1 },
};

static const ptxlint_pipe_cycles *pipe_of(const ptxlint_cycles *cycles, const char *name)
{
    for (size_t i = 0; i < cycles->pipe_count; i++)
        if (!strcmp(cycles->pipes[i].pipe, name))
            return &cycles->pipes[i];
    fail_msg("no pipe %s", name);
    return NULL;
}

static bool is(double value, double wanted)
{
    return wanted < 0 ? isnan(value) : fabs(value - wanted) < 1e-6;
}

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = kit_module(cases[i].ptx);
        const ptxlint_pipe_cycles *fma = pipe_of(&kit_kernel(module, "k")->projections[0].cycles,
                                                 "fma");
        if (!is(fma->total, cases[i].total) || !is(fma->longest, cases[i].longest)
            || !is(fma->shortest, cases[i].shortest))
            fail_msg("%s: %g, %g, %g, want %g, %g, %g", cases[i].what, fma->total, fma->longest,
                     fma->shortest, cases[i].total, cases[i].longest, cases[i].shortest);
        ptxlint_module_free(module);
    }
}

/* ---- the pipes ------------------------------------------------------------------------------- */

#define SHARED                                                                                    \
    ".shared .align 16 .b8 s[4096];\nmov.u64 %rd2, s; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd3, " \
    "%rd2, %rd3;\n"

static void test_pipes(void **state)
{
    (void)state;
    /* of sm_90, shortest path; the store at the end takes .25 of lsu */
    static const struct { const char *what, *ptx, *pipe; double clocks;
    } rows[] = {
        { "a function unit", "rsqrt.approx.ftz.f32 %f1, %f1;\n", "xu", 2 },
        { "sine and cosine of one angle",
          "sin.approx.f32 %f3, %f1; cos.approx.f32 %f4, %f1; add.rn.f32 %f1, %f3, %f4;\n", "xu",
          4 },
        { "two roots of one number",
          "rsqrt.approx.ftz.f32 %f3, %f1; rsqrt.approx.ftz.f32 %f4, %f1; add.rn.f32 %f1, %f3, "
          "%f4;\n",
          "xu", 2 },
        { "a word of shared memory may join its neighbours", SHARED "ld.shared.f32 %f1, [%rd3];\n",
          "lsu", .25 + .25 },
        { "banks", SHARED "ld.shared.f32 %f1, [%rd3];\n", "shared", .5 },
        { "16 bytes", SHARED "ld.shared.v4.f32 {%f1, %f3, %f4, %f5}, [%rd3];\n", "lsu", 1 + .25 },
        { "banks for 16 bytes", SHARED "ld.shared.v4.f32 {%f1, %f3, %f4, %f5}, [%rd3];\n", "shared",
          2 },
        { "a matrix",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f3, %f4, %f5}, {%r1, %r1, %r1, "
          "%r1}, {%r1, %r1}, "
          "{%f1, %f1, %f2, %f2};\n",
          "tensor", 1 },
        { "a division by what another divides by",
          "div.rn.f32 %f3, %f1, %f1; div.rn.f32 %f4, %f2, %f1; add.rn.f32 %f1, %f3, %f4;\n", "xu",
          2 },
        { "a division by a constant", "div.rn.f32 %f1, %f1, 0f40400000;\n", "xu", 0 },
        { "what is the same in all threads",
          "rsqrt.approx.ftz.f32 %f3, %f8; mov.u32 %r2, %ctaid.x; popc.b32 %r2, %r2; st.global.u32 "
          "[%rd1], %r2;\n",
          "xu", 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char ptx[2048];
        snprintf(ptx, sizeof ptx, "%s%s%s", HEAD ENTRY, rows[i].ptx, TAIL);
        ptxlint_module *module = kit_module(ptx);
        double got =
            pipe_of(&kit_kernel(module, "k")->projections[0].cycles, rows[i].pipe)->shortest;
        if (!(fabs(got - rows[i].clocks) < 1e-6))
            fail_msg("%s: %g clocks of %s, want %g", rows[i].what, got, rows[i].pipe,
                     rows[i].clocks);
        ptxlint_module_free(module);
    }
}

/* ---- the launch ------------------------------------------------------------------------------ */

static ptxlint_module *launched(const char *ptx, const char *gpu_name, const char *launch)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    ptxlint_options options;
    ptxlint_launches *launches;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    assert_non_null(gpu);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_launches_new(launch, strlen(launch), &launches, NULL, 0), PTXLINT_OK);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

#define N_TIMES HEAD ENTRY "setp.lt.s32 %p1, %r9, 1; @%p1 bra E;\nmov.u32 %r2, 0;\nL:\n" FMA4 \
    "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, %r9; @%p2 bra L;\nE:\n" TAIL

/* A parameter decides both the loop and the branch around it. */
static void test_launch(void **state)
{
    (void)state;
    ptxlint_module *module = launched(
        N_TIMES, "h200",
        "{\"kernels\":{\"k\":{\"grid\":[2640],\"block\":[256],\"params\":[null,100]}}}");
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    const ptxlint_projection *on = &kernel->projections[0];
    const ptxlint_pipe_cycles *fma = pipe_of(&on->cycles, "fma");
    assert_true(is(fma->shortest, 100) && is(fma->longest, 100) && is(fma->total, 100));
    assert_true(kernel->loops[0].trip.count == 100);
    assert_int_equal(kernel->launch.blocks, 2640);
    assert_int_equal(kernel->launch.warps, 2640 * 8);
    assert_int_equal(kernel->launch.idle_lanes, 0);
    assert_int_equal(on->occupancy.blocks_per_sm, 8);
    assert_true(fabs(on->waves - 2.5) < 1e-9);
    assert_int_equal(on->full_waves, 2);
    assert_true(fabs(on->tail_percent - 50) < 1e-9);
    assert_true(fabs(on->utilisation_percent - 100 * 2.5 / 3) < 1e-9);
    /* 20 blocks an SM, 8 warps each, 1980 MHz */
    assert_true(on->time.bound_us >= 100 * 20 * 8 / 1980.0);
    assert_true(on->time.bound_us < 1.2 * 100 * 20 * 8 / 1980.0);
    ptxlint_module_free(module);
}

static void test_never(void **state)
{
    (void)state;
    ptxlint_module *module = launched(
        N_TIMES, "h200", "{\"kernels\":{\"k\":{\"grid\":[1],\"block\":[32],\"params\":[null,0]}}}");
    const ptxlint_pipe_cycles *fma = pipe_of(&kit_kernel(module, "k")->projections[0].cycles,
                                             "fma");
    assert_true(is(fma->total, 0) && is(fma->longest, 0) && is(fma->shortest, 0));
    ptxlint_module_free(module);
}

/* Where only the grid is given, what is assumed of the block bounds nothing. */
static void test_assumed_block(void **state)
{
    (void)state;
    ptxlint_module *module = launched(N_TIMES, "h200", "{\"kernels\":{\"k\":{\"grid\":[2640]}}}");
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    assert_int_equal(kernel->launch.source, PTXLINT_LAUNCH_FILE);
    assert_int_equal(kernel->launch.block_is_assumed, 1);
    assert_int_equal(kernel->launch.threads_per_block, 256);
    assert_true(isnan(kernel->projections[0].time.bound_us));
    assert_true(kernel->mix.has_assumed_trips);
    assert_true(isnan(kernel->mix.flops_fp32) && isnan(kernel->mix.global_bytes));
    ptxlint_module_free(module);
}

/* Rows 63 and 64 of our list (Micikevicius, GTC 2012): 12 blocks on 8 SMs of one block each are 2
 * waves, the second half full, 75 % of the SMs' time used. */
static void test_tail(void **state)
{
    (void)state;
    static const char ptx[] = HEAD
        ".visible .entry k()\n.maxntid 1024\n{\n.shared .b8 s[40000]; .reg .b64 %rd<2>;\nmov.u64 "
        "%rd1, s; st.shared.u64 [%rd1], %rd1; ret;\n}\n";
    ptxlint_module *module = launched(ptx, "k10",
                                      "{\"kernels\":{\"k\":{\"grid\":[12],\"block\":[1024]}}}");
    const ptxlint_projection *on = &kit_kernel(module, "k")->projections[0];
    assert_int_equal(on->occupancy.blocks_per_sm, 1);
    assert_true(fabs(on->waves - 1.5) < 1e-9);
    assert_true(fabs(on->tail_percent - 50) < 1e-9);
    assert_true(fabs(on->utilisation_percent - 75) < 1e-9);
    ptxlint_module_free(module);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

static void test_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double clocks;
    } on[] = { { "g80", 4 }, { "a100", .5 }, { "h200", .25 }, { "k20", 1 / 6.0 } };
    const ptxlint_gpu *gpus[COUNT(on)];
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    for (size_t i = 0; i < COUNT(on); i++)
        gpus[i] = ptxlint_gpu_find(on[i].name);
    options.gpus = gpus;
    options.gpu_count = COUNT(on);
    static const char ptx[] = HEAD ENTRY FMA TAIL;
    assert_int_equal(ptxlint_module_new(ptx, sizeof ptx - 1, &options, &module), PTXLINT_OK);
    assert_int_equal(kit_kernel(module, "k")->projection_count, COUNT(on));
    for (size_t i = 0; i < COUNT(on); i++) {
        const ptxlint_projection *p = &kit_kernel(module, "k")->projections[i];
        assert_ptr_equal(p->gpu, gpus[i]);
        if (!is(pipe_of(&p->cycles, "fma")->shortest, on[i].clocks))
            fail_msg("%s: %g clocks, want %g", on[i].name, pipe_of(&p->cycles, "fma")->shortest,
                     on[i].clocks);
    }
    ptxlint_module_free(module);
}

/* The rate of 8-bit floats on an A100 is not known: the matrix unit's cycles are unknown, and
 * the rest is not. */
static void test_unknown_rate(void **state)
{
    (void)state;
    static const char ptx[] = HEAD ENTRY "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                                         "{%f1, %f3, %f4, %f5}, {%r1, %r1, %r1, %r1}, "
                                         "{%r1, %r1}, {%f1, %f1, %f2, %f2};\n" TAIL;
    static const struct {
        const char *gpu;
        bool is_known;
    } on[] = { { "h200", true }, { "a100", false } };
    for (size_t i = 0; i < COUNT(on); i++) {
        ptxlint_module *module = launched(ptx, on[i].gpu, "{\"kernels\":{}}");
        const ptxlint_projection *p = &kit_kernel(module, "k")->projections[0];
        assert_int_equal(!isnan(pipe_of(&p->cycles, "tensor")->total), on[i].is_known);
        assert_int_equal(!isnan(p->peak.attainable_gflops), on[i].is_known);
        assert_true(pipe_of(&p->cycles, "issue")->shortest > 0);
        ptxlint_module_free(module);
    }
}

/* H200: 132 SMs at 1.98 GHz, 128 lanes of fp32 and 64 of fp64; a pipeline takes an add as fast as a
 * multiply-add, which is two flops. */
static void test_rates(void **state)
{
    (void)state;
    static const double gops = 132 * 1.98;
    static const struct { const char *body, *ceiling; double lanes; } rows[] = {
        { "fma.rn.f64 %fd1, %fd1, %fd2, %fd3;\n", "fp64 fma", 2 * 64 },
        { "add.rn.f64 %fd1, %fd1, %fd2;\n", "fp64 add or multiply", 64 },
        { "fma.rn.f64 %fd1, %fd1, %fd2, %fd3;\nadd.rn.f64 %fd1, %fd1, %fd2;\n", "fp64 fma", 3 / (2 / 64.) },
        { "add.rn.f32 %f1, %f1, %f2;\n", "fp32 add or multiply", 128 },
        { "mul.f32 %f3, %f1, %f2;\nadd.f32 %f1, %f3, %f2;\n", "fp32 fma", 2 * 128 },          /* ptxas fuses them */
        { "add.rn.f64 %fd1, %fd1, %fd2;\nadd.rn.f32 %f1, %f1, %f2;\n", "fp64 add or multiply", 2 * 64 },
        { "add.f16x2 %r1, %r1, %r2;\n", "fp16 add or multiply", 2 * 128 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char ptx[2048];
        snprintf(ptx, sizeof ptx, "%s.reg .f64 %%fd<4>;\n%sret;\n}\n", HEAD ENTRY, rows[i].body);
        ptxlint_module *module = launched(ptx, "h200", "{\"kernels\":{}}");
        const ptxlint_peak *peak = &kit_kernel(module, "k")->projections[0].peak;
        if (fabs(peak->attainable_gflops - rows[i].lanes * gops) > 1e-6
            || strcmp(peak->ceiling, rows[i].ceiling) != 0)
            fail_msg("%s: %s %g, want %s %g", rows[i].body, peak->ceiling, peak->attainable_gflops,
                     rows[i].ceiling, rows[i].lanes * gops);
        assert_true(peak->potential_gflops > 0
                    && peak->potential_gflops <= peak->attainable_gflops);
        ptxlint_module_free(module);
    }
}

/* What a thread does: of sides that exclude each other one. */
static void test_work(void **state)
{
    static const struct {
        const char *what, *ptx;
        double flops;
        int is_assumed;
    } rows[] = {
        { "if and else",
          HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "bra B;\nA:\n" FMA8 "B:\n" TAIL, 12, 1 },
        { "if alone", HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "A:\n" TAIL, 8, 0 },
        { "out at once", HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "st.global.f32 [%rd1], %f1;\nret;\nA:\nret;\n}\n", 8, 0 },
        { "one of three",
          HEAD ENTRY DATA "@%p1 bra A;\n" FMA4 "bra C;\nA: @%p2 bra B;\n" FMA4
                          "bra C;\nB:\n" FMA8 "C:\n" TAIL, 4 + 2 + 4, 1 },
        { "ten times, on one side",
          HEAD ENTRY DATA "@%p1 bra E;\nmov.u32 %r2, 0;\nL:\n" FMA4
                          "add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 10; @%p2 bra L;\nbra F;\n"
                          "E:\n" FMA4 "F:\n" TAIL, 40 + 4, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ptxlint_module *module = kit_module(rows[i].ptx);
        const ptxlint_mix *mix = &kit_kernel(module, "k")->mix;
        if (fabs(mix->flops_fp32 - rows[i].flops) > 1e-9
            || mix->has_assumed_branches != rows[i].is_assumed)
            fail_msg("%s: %g flops, want %g", rows[i].what, mix->flops_fp32, rows[i].flops);
        ptxlint_module_free(module);
    }
}

/* The shape of a tcgen05.mma: PTX ISA, "Instruction descriptor". */
static void test_descriptors(void **state)
{
    (void)state;
    enum { N = 17, M = 24 };
#define SHAPE(m, n) ((uint64_t)(m) / 16 << M | (uint64_t)(n) / 8 << N)
#define BY_MOVE "mov.b32 %%r3, %%r2;\nmov.b32 %%r2, %u;\n"
    static const struct {
        const char *before, *op, *operand;
        uint64_t descriptor;
        double fmas;            /* of one instruction; NaN: not known */
    } rows[] = {
        { "", "cta_group::1.kind::f16", "%u", SHAPE(128, 128) | 0x490, 128 * 128 * 16 },
        { "", "cta_group::1.kind::f16", "%u", SHAPE(64, 8), 64 * 8 * 16 },
        { "", "cta_group::2.kind::f16", "%u", SHAPE(256, 256), 256 * 256 * 16 },
        { "", "cta_group::1.kind::tf32", "%u", SHAPE(128, 64), 128 * 64 * 8 },
        { "", "cta_group::1.kind::f8f6f4", "%u", SHAPE(128, 64), 128 * 64 * 32 },
        { "", "cta_group::1.kind::i8", "%u", SHAPE(128, 32), 128 * 32 * 32 },
        { BY_MOVE, "cta_group::1.kind::f16", "%%r3", SHAPE(128, 16), 128 * 16 * 16 },
        { "@%%p1 mov.b32 %%r3, %u;\n", "cta_group::1.kind::f16", "%%r3", SHAPE(128, 16), NAN },
        { "mov.b32 %%r3, %u;\nadd.u32 %%r3, %%r3, 0;\n", "cta_group::1.kind::f16", "%%r3",
          SHAPE(128, 16), NAN },
        { "ld.param.u32 %%r3, [id]; // %u\n", "cta_group::1.kind::f16", "%%r3", 0, NAN },
        { "", "cta_group::1.kind::f16", "%u", 0x490, NAN },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char before[256], operand[32], ptx[2048];
        snprintf(before, sizeof before, rows[i].before, (unsigned)rows[i].descriptor);
        snprintf(operand, sizeof operand, rows[i].operand, (unsigned)rows[i].descriptor);
        snprintf(ptx, sizeof ptx,
                 ".version 8.6\n.target sm_100a\n.address_size 64\n"
                 ".entry k(.param .u32 id)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<3>;\n"
                 ".reg .pred %%p<3>;\n%stcgen05.mma.%s [%%r1], %%rd1, %%rd2, %s, %%p2;\nret;\n}\n",
                 before, rows[i].op, operand);
        ptxlint_module *module =
            launched(ptx, "b200", "{\"kernels\":{\"k\":{\"grid\":[3],\"block\":[32]}}}");
        const ptxlint_kernel *kernel = kit_kernel(module, "k");
        const ptxlint_projection *p = &kernel->projections[0];
        const bool is_known = !isnan(rows[i].fmas);
        const double made = p->executed.flops_tensor;
        if (is_known ? fabs(made - 3 * 2 * rows[i].fmas) > 1e-6 : !isnan(made))
            fail_msg("%s, %s%s: %g flops, want %g", rows[i].op, before, operand, made,
                     3 * 2 * rows[i].fmas);
        assert_int_equal(isnan(p->time.predicted_us), !is_known);
        assert_int_equal(kernel->mix.has_unknown_shapes, !is_known);
        assert_int_equal(isnan(pipe_of(&p->cycles, "tensor")->total), !is_known);
        ptxlint_module_free(module);
    }
#undef SHAPE
#undef BY_MOVE
}

/* A product that is several machine instructions is counted once. */
static void test_split_product(void **state)
{
    (void)state;
    static const char ptx[] =
        HEAD ENTRY "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r1, %r2, %r3, %r4}, "
                   "{%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2, %r3, %r4};\n"
                   "st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};\nret;\n}\n";
    ptxlint_module *module =
        launched(ptx, "h200", "{\"kernels\":{\"k\":{\"grid\":[3],\"block\":[32]}}}");
    const double made = kit_kernel(module, "k")->projections[0].executed.flops_tensor;
    assert_true(fabs(made - 3 * 2 * 16 * 8 * 64) < 1e-6);
    ptxlint_module_free(module);
}

/* What one block issues for two takes the matrix units of two SMs, each half as long. */
static void test_pair_of_blocks(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.6\n.target sm_100a\n.address_size 64\n"
        ".entry k() .reqnctapercluster 2 .explicitcluster .reqntid 32\n{\n"
        ".reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n.reg .pred %p<4>;\nmov.u32 %r1, %cluster_ctarank;\n"
        "mov.u32 %r2, 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\nL:\n"
        "tcgen05.mma.cta_group::2.kind::f16 [%r3], %rd1, %rd2, 272630928, %p2;\n" /* 256 x 256 */
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 10000;\n@%p3 bra L;\nE:\nret;\n}\n";
    ptxlint_module *module = launched(ptx, "b200", "{\"kernels\":{\"k\":{\"grid\":[2]}}}");
    const ptxlint_time *time = &kit_kernel(module, "k")->projections[0].time;
    const double clocks = 10000 * 256. * 256 * 16 / 4096 / 2, mhz = 1965;
    assert_true(time->bound_us > clocks / mhz && time->bound_us < clocks / mhz * 1.01);
    assert_true(time->predicted_us < clocks / mhz * 1.1);
    ptxlint_module_free(module);
}

/* Whatever the file says, only what is described is reported. */
static void test_hostile(void **state)
{
    (void)state;
    Text ptx = { 0 };
    kit_put(&ptx, HEAD ENTRY, sizeof HEAD ENTRY - 1);
    for (int i = 0; i < 400; i++)
        kit_print(&ptx, "L%d:\n%s", i, FMA);
    for (int i = 400; i-- > 0;)
        kit_print(&ptx, "@%%p1 bra L%d;\n@%%p2 bra E;\n", i);
    kit_put(&ptx, "E:\n" TAIL, sizeof "E:\n" TAIL - 1);
    ptxlint_module *module = kit_module(ptx.bytes);
    const ptxlint_pipe_cycles *fma = pipe_of(&kit_kernel(module, "k")->projections[0].cycles,
                                             "fma");
    assert_true(isnan(fma->total) && isnan(fma->longest) && isnan(fma->shortest));
    ptxlint_module_free(module);
    free(ptx.bytes);
}

UNIT(throughput)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),         cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_launch),        cmocka_unit_test(test_never),
        cmocka_unit_test(test_assumed_block), cmocka_unit_test(test_unknown_rate),
        cmocka_unit_test(test_rates),         cmocka_unit_test(test_tail),
        cmocka_unit_test(test_gpus),          cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_descriptors),   cmocka_unit_test(test_pair_of_blocks),
        cmocka_unit_test(test_split_product), cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
