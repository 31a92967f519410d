/* Figures of each instruction: liveness by class, executions, shares of the time. */
#include "kit.h"

#include <math.h>

static ptxlint_module *figures_of(const char *text, const char *grid)
{
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_launches *launches;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.has_instructions = 1;
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    if (grid) {
        assert_int_equal(ptxlint_launches_set(launches, "grid", grid, NULL, 0), PTXLINT_OK);
        assert_int_equal(ptxlint_launches_set(launches, "block", "256", NULL, 0), PTXLINT_OK);
        assert_int_equal(ptxlint_launches_set(launches, "param", "n=262144", NULL, 0), PTXLINT_OK);
    }
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

static const ptxlint_instruction *at_line(const ptxlint_projection *of, uint32_t line)
{
    for (size_t i = 0; i < of->instruction_count; i++)
        if (of->instructions[i].line == line)
            return &of->instructions[i];
    fail_msg("no instruction in line %u", (unsigned)line);
    return NULL;
}

static const char streams[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.reg .f32 %r) twice(.reg .f32 %x) { add.f32 %r, %x, %x; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<3>; .reg .f32 %f<4>; .reg .f64 %d<4>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    "mad.lo.s32 %r1, %r3, %r4, %r5;\n"                  /* line 10 */
    "setp.ge.u32 %p1, %r1, %r2;\n"
    "@%p1 bra DONE;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd1];\n"
    "%s\n"
    "st.global.f32 [%rd1+4194304], %f1;\n"              /* line 16 */
    "DONE: ret;\n}\n";

static ptxlint_module *with_line(const char *line, const char *grid)
{
    char text[2048];
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(streams, "%s\n") - streams), streams, line,
             strstr(streams, "%s\n") + 2);
    return figures_of(text, grid);
}

static void test_figures(void **state)
{
    (void)state;
    ptxlint_module *module = with_line("", "1024");
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    const ptxlint_projection *of = &kernel->projections[0];
    const ptxlint_instruction *load = at_line(of, 14), *branch = at_line(of, 12);
    assert_int_equal(load->executions, 8192);
    assert_int_equal(load->thread_executions, 262144);
    assert_int_equal(load->executions_certainty, PTXLINT_EXACT);
    assert_int_equal(load->sectors, 32768);
    assert_int_equal(load->ideal_sectors, 32768);
    assert_int_equal(load->access_certainty, PTXLINT_ESTIMATE);     /* the base is not known */
    assert_true(isnan(load->wavefronts));
    assert_string_equal(load->pipe, "lsu");
    assert_true(load->pipe_cycles >= 1 && load->issue_cycles > 0);
    assert_int_equal(load->live_registers, 3);          /* the address, and what comes from there */
    assert_int_equal(load->live_64, 1);
    assert_int_equal(load->live_32, 1);
    assert_int_equal(branch->live_predicates, 1);
    assert_int_equal(load->loop, -1);
    assert_int_equal(load->uniformity, PTXLINT_DIVERGENT);
    assert_int_equal(at_line(of, 10)->uniformity, PTXLINT_AFFINE);
    assert_true(load->time_share > branch->time_share);
    ptxlint_module_free(module);
}

/* What is not known is no number: the launch; what depends on data is no exact one. */
static void test_certainties(void **state)
{
    (void)state;
    ptxlint_module *module = with_line("", NULL);
    const ptxlint_instruction *load = at_line(&kit_kernel(module, "k")->projections[0], 14);
    assert_true(isnan(load->executions) && isnan(load->sectors) && isnan(load->time_share));
    assert_int_equal(load->executions_certainty, PTXLINT_NOT_KNOWN);
    assert_int_equal(load->live_registers, 3);
    assert_true(isnan(kit_kernel(module, "k")->projections[0].code_us));
    ptxlint_module_free(module);
    module = with_line("setp.gt.f32 %p2, %f1, 0f00000000; @%p2 bra DONE;", "1024");
    load = at_line(&kit_kernel(module, "k")->projections[0], 16);
    assert_int_equal(load->executions_certainty, PTXLINT_ESTIMATE);
    ptxlint_module_free(module);
}

/* Those of what is called follow, with its name. */
static void test_called(void **state)
{
    (void)state;
    ptxlint_module *module = with_line("call (%f1), twice, (%f1);", "1024");
    const ptxlint_projection *of = &kit_kernel(module, "k")->projections[0];
    const ptxlint_instruction *add = at_line(of, 4);
    assert_string_equal(add->function, "twice");
    assert_int_equal(add->executions, 8192);
    assert_true(add->time_share > 0);
    assert_null(at_line(of, 14)->function);
    ptxlint_module_free(module);
}

/* A load that nothing reads is no machine instruction, and behind it the code ends by itself: what
 * the end takes is no instruction's, and the others are the whole. */
static void test_shares_without_end(void **state)
{
    (void)state;
    ptxlint_module *module = figures_of(".version 8.0\n.target sm_90\n.address_size 64\n"
                                        ".visible .entry k()\n{\n"
                                        ".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                        "ld.global.u32 %r1, [%rd1];\n}\n", "64");
    const ptxlint_projection *of = &kit_kernel(module, "k")->projections[0];
    assert_true(of->code_us > 0);
    assert_true(fabs(at_line(of, 7)->time_share - 1) < 1e-9);
    ptxlint_module_free(module);
}

static void check_kernel(const char *path, const ptxlint_kernel *kernel)
{
    const ptxlint_projection *of = &kernel->projections[0];
    double shares = 0;
    int64_t most = 0;
    for (size_t i = 0; i < of->instruction_count; i++) {
        const ptxlint_instruction *insn = &of->instructions[i];
        shares += insn->time_share;
        if (insn->function || insn->live_registers == PTXLINT_UNKNOWN)
            continue;
        assert_int_equal(insn->live_registers, insn->live_32 + 2 * insn->live_64);
        most = insn->live_registers > most ? insn->live_registers : most;
    }
    if (of->instruction_count && kernel->pressure.max_live != most)
        fail_msg("%s: %s: %lld live, not %lld", path, kernel->name, (long long)most,
                 (long long)kernel->pressure.max_live);
    if (of->instruction_count && !isnan(of->time.predicted_us)
        && (fabs(shares - 1) > 1e-6 || of->code_us > of->time.predicted_us))
        fail_msg("%s: %s: shares %g, %g us of %g", path, kernel->name, shares, of->code_us,
                 of->time.predicted_us);
}

/* Of real kernels: shares of a time that is known are one in all, the most that is live is the
 * pressure. */
static void test_sums(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "testdata/ptx/gemm.sm_90.ptx", "testdata/ptx/reduction.sm_90.lineinfo.ptx",
        "testdata/ptx/histogram.sm_90.ptx", "testdata/ptx/cp_async.sm_90.ptx",
        "testdata/ptx/printf_calls.sm_90.ptx", "testdata/ptx/fp64_pitfalls.sm_90.ptx",
    };
    for (size_t i = 0; i < COUNT(paths); i++) {
        char *text = kit_read(paths[i], NULL);
        ptxlint_module *module = figures_of(text, "64");
        size_t count;
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++)
            check_kernel(paths[i], &kernels[k]);
        ptxlint_module_free(module);
        free(text);
    }
}

UNIT(instructions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_certainties),
        cmocka_unit_test(test_called),
        cmocka_unit_test(test_shares_without_end),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
