/* test_fragments.c -- what fragments of matrices take of shared and of global memory, and copies
 * beside them. The figures are those of tools/measure-times/fragments.cu and copies.cu. */
#include "kit.h"

static const char format[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n"
    ".reqntid 32\n{\n.reg .b32 %%r<10>; .reg .b64 %%rd<3>; .reg .f32 %%f<8>;\n"
    ".shared .align 128 .b8 s[32768];\nld.param.u64 %%rd1, [a]; cvta.to.global.u64 %%rd2, %%rd1; "
    "mov.u32 %%r8, s;\n%s, %u;\nret;\n}\n";

#define LOADED(what, regs) "wmma.load." what " {" regs "}, [%r8]"
#define FOUR "%r0, %r1, %r2, %r3"
#define STORED "wmma.store.d.sync.aligned."
#define SUMS "m16n16k16.global.f32 [%rd2], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"

static ptxlint_access access_of(const char *text)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_access out = { .span = { 0, 0 } };
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    for (size_t i = 0; i < kernel->access_count; i++)
        if (kit_line(module, kernel->accesses[i].span.begin) == 10)
            out = kernel->accesses[i];
    ptxlint_module_free(module);
    return out;
}

static void test_places(void **state)
{
    static const char halves[] =
        LOADED("a.sync.aligned.row.m16n16k16.shared.f16", FOUR ", %r4, %r5, %r6, %r7");
    static const char turned[] =
        LOADED("b.sync.aligned.row.m16n16k16.shared.f16", FOUR ", %r4, %r5, %r6, %r7");
    static const char words[] = LOADED("a.sync.aligned.row.m16n16k8.shared.tf32", FOUR);
    static const char across[] = LOADED("a.sync.aligned.col.m16n16k8.shared.tf32", FOUR);
    static const char bytes[] = LOADED("b.sync.aligned.col.m16n16k16.shared.s8", "%r0, %r1");
    static const struct { const char *op; unsigned pitch; double wavefronts, sectors; } cases[] = {
        { halves, 16, 8, 0 },  { halves, 24, 4, 0 },  { halves, 32, 16, 0 }, { halves, 40, 4, 0 },
        { halves, 64, 32, 0 }, { turned, 64, 32, 0 }, { turned, 72, 4, 0 },  { words, 16, 16, 0 },
        { words, 20, 4, 0 },   { words, 32, 32, 0 },  { words, 36, 4, 0 },   { across, 16, 8, 0 },
        { across, 24, 4, 0 },  { across, 32, 16, 0 }, { bytes, 32, 4, 0 },   { bytes, 48, 2, 0 },
        { bytes, 128, 16, 0 }, { STORED "row." SUMS, 64, 0, 32 },
        { STORED "col." SUMS, 64, 0, 32 },
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[c].op, cases[c].pitch);
        const ptxlint_access got = access_of(text);
        const bool is_shared = cases[c].wavefronts > 0;
        const double figure = is_shared ? got.wavefronts_per_request : got.sectors_per_request;
        if (got.certainty != PTXLINT_ESTIMATE
            || !(figure == (is_shared ? cases[c].wavefronts : cases[c].sectors)))
            fail_msg("%s, pitch %u: %g (%d)", cases[c].op, cases[c].pitch, figure, got.certainty);
    }
}

/* Rows of 32 bytes that lie 48 apart take twice as long to write as rows side by side. */
static void test_copies(void **state)
{
    static const char copying[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .pred %%p1; .reg .b32 %%r<10>; .reg .b64 %%rd<4>;\n"
        ".shared .align 128 .b8 s[49152];\nld.param.u64 %%rd1, [a]; cvta.to.global.u64 %%rd2, "
        "%%rd1;\nmov.u32 %%r1, %%tid.x; shr.u32 %%r2, %%r1, 1; and.b32 %%r3, %%r1, 1; shl.b32 "
        "%%r3, %%r3, 4;\nmad.lo.u32 %%r4, %%r2, %u, %%r3; mov.u32 %%r5, s; add.u32 %%r5, %%r5, "
        "%%r4;\nmul.wide.u32 %%rd3, %%r1, 16; add.u64 %%rd2, %%rd2, %%rd3; mov.u32 %%r6, 0;\n"
        "L: cp.async.cg.shared.global [%%r5], [%%rd2], 16;\n"
        "cp.async.cg.shared.global [%%r5 + 24576], [%%rd2 + 4096], 16;\n"
        "cp.async.commit_group; cp.async.wait_group 2;\n"
        "add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p1, %%r6, 4096; @%%p1 bra L;\nret;\n}\n";
    char text[2048];
    double us[2];
    (void)state;
    for (unsigned c = 0; c < COUNT(us); c++) {
        snprintf(text, sizeof text, copying, c ? 48u : 32u);
        us[c] = kit_estimate(text, 132, 256).time.predicted_us;
    }
    if (!(us[1] > 1.5 * us[0] && us[1] < 3 * us[0]))
        fail_msg("%g us in rows apart, %g side by side", us[1], us[0]);
}

UNIT(fragments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
