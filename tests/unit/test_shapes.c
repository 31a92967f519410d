/* test_shapes.c -- accesses that cost more in one shape of the block than in another, where it
 * is not given; and those for which that must not be reported.
 *
 * Each kernel reads one word at 4 * %r9 bytes from the beginning of an array. What is reported of a
 * shape is what a launch of that block gets. */
#include "kit.h"

#include <math.h>

#define TWO_D "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\n"
#define GLOBAL                                                                                    \
    "mul.wide.u32 %rd2, %r9, 4; ld.param.u64 %rd1, [p]; add.s64 %rd3, %rd1, %rd2; ld.global.u32 " \
    "%r10, [%rd3];\n"
#define SHARED                                                                              \
    "shl.b32 %r9, %r9, 2; mov.u32 %r8, memory; add.u32 %r9, %r9, %r8; ld.shared.u32 %r10, " \
    "[%r9];\n"
#define CONST                                                                                 \
    "mul.wide.u32 %rd2, %r9, 4; mov.u64 %rd1, table; add.s64 %rd3, %rd1, %rd2; ld.const.u32 " \
    "%r10, [%rd3];\n"
#define ROWS TWO_D "mad.lo.u32 %r9, %r2, 1024, %r1;\n"
#define COLUMNS TWO_D "mad.lo.u32 %r9, %r1, 1024, %r2;\n"

typedef struct Case {
    const char *what, *bounds, *text, *want;
} Case;

static const Case cases[] = {
    { "columns", "", COLUMNS GLOBAL, "256x1x1 32, 32x8x1 32, 16x16x1 16" },
    { "an element for each row", "", TWO_D "shl.b32 %r9, %r2, 3;\n" GLOBAL, "256x1x1 1, 32x8x1 1, 16x16x1 2" },
    { "columns of a tile", "", TWO_D "mad.lo.u32 %r9, %r1, 32, %r2;\n" SHARED, "256x1x1 32, 32x8x1 32, 16x16x1 16" },
    { "constants by row", "", TWO_D "mov.u32 %r9, %r2;\n" CONST, "256x1x1 1, 32x8x1 1, 16x16x1 2" },
    { "layers", "", COLUMNS "mov.u32 %r3, %tid.z; mad.lo.u32 %r9, %r3, 8, %r9;\n" GLOBAL, "256x1x1 32, 32x8x1 32, 16x16x1 16, 8x8x4 8" },
    { "as many threads as .maxntid", ".maxntid 1024", COLUMNS GLOBAL, "1024x1x1 32, 32x32x1 32, 16x64x1 16" },
    { "two rows of 16", ".maxntid 32", COLUMNS GLOBAL, "32x1x1 32, 16x2x1 16" },
    { "in a function that it calls", "", "mov.u32 %r1, %tid.x; call (%r2), row; mad.lo.u32 %r9, %r1, 1024, %r2;\n" GLOBAL, "256x1x1 32, 32x8x1 32, 16x16x1 16" },
    { "in one that is defined below", "", "mov.u32 %r1, %tid.x; call (%r2), below; mad.lo.u32 %r9, %r1, 1024, %r2;\n" GLOBAL, "256x1x1 32, 32x8x1 32, 16x16x1 16" },
    { "rows: pieces of 64 bytes cost as much as one of 128", "", ROWS GLOBAL, "" },
    { "threads in their order", "", TWO_D "mov.u32 %r3, %ntid.x; mad.lo.u32 %r9, %r2, %r3, %r1; shl.b32 %r9, %r9, 4;\n" GLOBAL, "" },
    { "%tid.x alone", "", "mov.u32 %r1, %tid.x; shl.b32 %r9, %r1, 1;\n" GLOBAL, "" },
    { "a function that does not ask", "", "mov.u32 %r1, %tid.x; call (%r2), one; mad.lo.u32 %r9, %r1, 2, %r2;\n" GLOBAL, "" },
    { ".reqntid", ".reqntid 256", COLUMNS GLOBAL, "" },
    { ".maxntid of two dimensions", ".maxntid 16, 16", COLUMNS GLOBAL, "" },
    { "data", "", TWO_D "ld.param.u64 %rd1, [p]; ld.global.u32 %r3, [%rd1]; mad.lo.u32 %r9, %r2, %r3, %r1;\n" CONST, "" },
};

static ptxlint_module *report_of(const Case *c, const char *block)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_launches *launches = NULL;
    ptxlint_module *module;
    ptxlint_options options;
    Text text = { 0 }, json = { 0 };
    kit_print(&text,
              ".version 8.5\n.target sm_90\n.address_size 64\n.const .align 4 .u32 table[1024];\n"
              ".func (.reg .b32 %%y) row()\n{\nmov.u32 %%y, %%tid.y;\nret;\n}\n.func (.reg .b32 "
              "%%y) one()\n{\nmov.u32 %%y, 1;\nret;\n}\n"
              ".func (.reg .b32 %%y) below();\n"
              ".visible .entry k(.param .u64 p)%s\n{\n.reg .b32 %%r<12>;\n.reg .b64 "
              "%%rd<4>;\n.shared .align 4 .b32 memory[8192];\n%sret;\n}\n"
              ".func (.reg .b32 %%y) below()\n{\nmov.u32 %%y, %%tid.y;\nret;\n}\n",
              c->bounds, c->text);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    if (block) {
        kit_print(&json, "{\"kernels\": {\"k\": {\"block\": %s}}}", block);
        assert_int_equal(ptxlint_launches_new(json.bytes, json.length, &launches, NULL, 0),
                         PTXLINT_OK);
        options.launches = launches;
    }
    assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    free(text.bytes);
    free(json.bytes);
    return module;
}

/* The last one of the kernel's own: those before it load parameters. */
static const ptxlint_access *access_of(const ptxlint_module *module)
{
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    return &kernel->accesses[kernel->access_count - 1];
}

static double cost_of(double sectors, double wavefronts, double addresses)
{
    return !isnan(sectors) ? sectors : !isnan(wavefronts) ? wavefronts : addresses;
}

static void test_launched(const Case *c, const ptxlint_shaped *shape)
{
    char block[64];
    snprintf(block, sizeof block, "[%u, %u, %u]", (unsigned)shape->block[0],
             (unsigned)shape->block[1], (unsigned)shape->block[2]);
    ptxlint_module *module = report_of(c, block);
    const ptxlint_access *access = access_of(module);
    double told = cost_of(shape->sectors_per_request, shape->wavefronts_per_request,
                          shape->addresses_per_request);
    double launched = cost_of(access->sectors_per_request, access->wavefronts_per_request,
                              access->addresses_per_request);
    const char *pattern = shape->pattern ? shape->pattern : "none",
               *launched_pattern = access->pattern ? access->pattern : "none";
    if (!(fabs(told - launched) < 1e-9) || !(fabs(shape->efficiency - access->efficiency) < 1e-9)
        || strcmp(pattern, launched_pattern) != 0)
        fail_msg("%s: %s: %g, %g, %s; launched: %g, %g, %s", c->what, block, told,
                 shape->efficiency, pattern, launched, access->efficiency, launched_pattern);
    if (access->shape_count)
        fail_msg("%s: told of a block that is given", c->what);
    ptxlint_module_free(module);
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = report_of(&cases[i], NULL);
        const ptxlint_access *access = access_of(module);
        Text got = { 0 };
        kit_put(&got, "", 0);
        for (size_t s = 0; s < access->shape_count; s++) {
            const ptxlint_shaped *shape = &access->shapes[s];
            kit_print(&got, "%s%ux%ux%u %g", s ? ", " : "", (unsigned)shape->block[0],
                      (unsigned)shape->block[1], (unsigned)shape->block[2],
                      cost_of(shape->sectors_per_request, shape->wavefronts_per_request,
                              shape->addresses_per_request));
            test_launched(&cases[i], shape);
        }
        if (strcmp(got.bytes, cases[i].want) != 0)
            fail_msg("%s: %s; want %s", cases[i].what, got.bytes, cases[i].want);
        if (!strstr(access->why, "by shape of the block") != !access->shape_count)
            fail_msg("%s: %s", cases[i].what, access->why);
        free(got.bytes);
        ptxlint_module_free(module);
    }
}

/* Where the grid is not given, every warp of a block runs only of kernels that are short; of others
 * the first and the last, and nothing is said of what these do not come to. */
static void test_middle_warps(void **state)
{
    (void)state;
    static const unsigned lengths[] = { 20, 500 };
    static const char *const want[] = { "lanes are contiguous", "not reached within the budget" };
    for (size_t i = 0; i < COUNT(lengths); i++) {
        Text text = { 0 };
        kit_print(&text, "%s", ".reg .pred %p; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;\n"
                               "setp.ne.u32 %p, %r2, 3; mov.u32 %r9, %r1;\n");
        for (unsigned step = 0; step < lengths[i]; step++)
            kit_print(&text, "%s", "mad.lo.u32 %r3, %r1, %r1, %r3;\n");
        kit_print(&text, "%s", "@%p bra END;\n" GLOBAL "END:\n");
        const Case c = { "a warp in the middle", "", text.bytes, "" };
        ptxlint_module *module = report_of(&c, NULL);
        if (!strstr(access_of(module)->why, want[i]))
            fail_msg("%u instructions: %s", lengths[i], access_of(module)->why);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

UNIT(shapes)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_shapes),
                                        cmocka_unit_test(test_middle_warps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
