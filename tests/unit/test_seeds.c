/* test_seeds.c -- figures of Ryoo, Rodrigues, Baghsorkhi, Stone, Kirk and Hwu, "Optimization Principles and Application
 * Performance Evaluation of a Multithreaded GPU Using CUDA" (PPoPP 2008), section 4, from kernels written after it. */
#include "kit.h"

#include <math.h>

typedef struct Seed {
    const char *file;
    uint64_t loop_insns, loop_fused;    /* of the innermost loop */
    uint64_t global_loads, shared_loads;        /* in it */
    int64_t max_live, shared_bytes;
    const char *where;
} Seed;

static const Seed seeds[] = {
    { "naive",    8,  1,  2, 0,  0,  0,    "section 4.1: 1 of 8 is a multiply-add, 1 of 4 a global load" },
    { "tiled",    0,  0,  0, 0,  10, 2048, "section 4.2: two 16 x 16 tiles of 4 bytes" },
    { "unrolled", 59, 16, 2, 32, 9,  2048, "section 4.3: 16 of 59; unrolling frees one register" },
    { "prefetch", 0,  0,  0, 0,  11, 2048, "section 4.4: prefetching takes two registers more" },
};

static bool inside(ptxlint_span part, ptxlint_span first, uint32_t end)
{
    return part.begin >= first.begin && part.begin < end;
}

static uint64_t of_class(const ptxlint_mix *mix, const char *name)
{
    for (size_t i = 0; i < mix->class_count; i++)
        if (!strcmp(mix->classes[i].name, name))
            return mix->classes[i].static_count;
    fail_msg("no class `%s`", name);
    return 0;
}

static const ptxlint_loop *innermost(const ptxlint_kernel *kernel)
{
    const ptxlint_loop *found = NULL;
    for (size_t i = 0; i < kernel->loop_count; i++)
        if (kernel->loops[i].is_innermost && (!found || kernel->loops[i].mix.instruction_count > found->mix.instruction_count))
            found = &kernel->loops[i];
    return found;
}

static ptxlint_module *open_seed(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "testdata/ptx/legacy/ryoo_matmul_%s.ptx", name);
    return kit_open(path);
}

static void test_seeds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(seeds); i++) {
        const Seed *seed = &seeds[i];
        ptxlint_module *module = open_seed(seed->file);
        const ptxlint_kernel *kernel = kit_kernel(module, NULL);
        const ptxlint_loop *loop = innermost(kernel);
        assert_non_null(loop);
        if (seed->loop_insns && (loop->mix.instruction_count != seed->loop_insns || loop->mix.fused_count != seed->loop_fused))
            fail_msg("%s: %llu of %llu, want %s", seed->file, (unsigned long long)loop->mix.fused_count,
                     (unsigned long long)loop->mix.instruction_count, seed->where);
        if (seed->loop_insns) {
            assert_int_equal(of_class(&loop->mix, "fma"), seed->loop_fused);
            assert_int_equal(of_class(&loop->mix, "global"), seed->global_loads);
        }
        if (seed->max_live && kernel->pressure.max_live != seed->max_live)
            fail_msg("%s: %lld registers live, want %lld: %s", seed->file, (long long)kernel->pressure.max_live, (long long)seed->max_live, seed->where);
        if (kernel->static_shared_bytes != seed->shared_bytes)
            fail_msg("%s: %lld bytes of shared memory: %s", seed->file, (long long)kernel->static_shared_bytes, seed->where);
        ptxlint_module_free(module);
    }
}

static ptxlint_module *open_on_g80(const char *name)
{
    char path[256];
    const ptxlint_gpu *gpu = ptxlint_gpu_find("g80");
    ptxlint_options options;
    ptxlint_module *module;
    size_t length;
    assert_non_null(gpu);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    snprintf(path, sizeof path, "testdata/ptx/legacy/ryoo_matmul_%s.ptx", name);
    char *text = kit_read(path, &length);
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    free(text);
    return module;
}

/* Row 7: 1/8 of 345.6 GFLOPS is 43.2 (S1 prints FLOPS). Row 8: a quarter of the instructions load 4 bytes each: 172.8 GB/s at 128
 * cores and 1.35 GHz (rounded up to 173 in print), twice the 86.4 GB/s there are. Row 9: 2 flops in 8 bytes, so memory holds it to 21.6. */
static void test_naive_demand(void **state)
{
    (void)state;
    ptxlint_module *module = open_on_g80("naive");
    const ptxlint_loop *loop = innermost(kit_kernel(module, NULL));
    const ptxlint_peak *peak = &loop->peaks[0];
    assert_true(loop->mix.fma_fraction == 0.125);
    assert_true(fabs(peak->issue_gops - 172.8) < 1e-9);
    assert_true(fabs(peak->peak_gflops - 345.6) < 1e-9);
    assert_true(fabs(peak->potential_gflops - 43.2) < 1e-9);
    assert_true(fabs(peak->demand_gb_per_s - 172.8) < 1e-9);
    assert_true(fabs(peak->demand_gb_per_s / peak->memory_gb_per_s - 2) < 1e-9);
    assert_true(fabs(peak->flops_per_byte - 0.25) < 1e-12);
    assert_true(fabs(peak->attainable_gflops - 21.6) < 1e-9);
    assert_string_equal(peak->ceiling, "memory");
    ptxlint_module_free(module);
}

/* Row 10: a 16 x 16 tile loads each element once for 16 uses: of the naive demand one sixteenth, 10.8 GB/s, an eighth of what there
 * is; the loads, stores and barriers of the tile itself, which the paper leaves out, make it a little less. */
static void test_tiled_demand(void **state)
{
    (void)state;
    ptxlint_module *module = open_on_g80("tiled");
    const ptxlint_kernel *kernel = kit_kernel(module, NULL);
    const ptxlint_loop *tile = NULL;
    for (size_t i = 0; i < kernel->loop_count; i++)
        if (kernel->loops[i].depth == 1)
            tile = &kernel->loops[i];
    assert_non_null(tile);
    assert_int_equal(tile->mix.has_assumed_trips, 0);       /* the loop over the tile's 16 columns */
    assert_true(tile->peaks[0].demand_gb_per_s < 172.8 / 16);
    assert_true(tile->peaks[0].demand_gb_per_s > 0.8 * 172.8 / 16);
    ptxlint_module_free(module);
}

/* Row 11: 16 of 59 is 27.12 %, 93.72 GFLOPS. Row 12: 2 loads of 4 bytes in 59 are 23.43 GB/s, 27.1 % of what there is. Row 13: the
 * paper prints a ratio of memory to computation cycles of 0.276, which is 2 in 58; 59 give 0.271. */
static void test_unrolled_fraction(void **state)
{
    (void)state;
    ptxlint_module *module = open_on_g80("unrolled");
    const ptxlint_kernel *kernel = kit_kernel(module, NULL);
    const ptxlint_loop *loop = innermost(kernel);
    assert_true(fabs(100 * loop->mix.fma_fraction - 27.12) < 0.005);
    const ptxlint_peak *peak = &loop->peaks[0];
    assert_true(fabs(peak->potential_gflops - 93.72) < 0.005);
    assert_true(fabs(peak->demand_gb_per_s - 23.43) < 0.005);
    assert_true(fabs(peak->demand_gb_per_s / peak->memory_gb_per_s - 0.271) < 0.0005);
    assert_true(fabs(peak->demand_gb_per_s / peak->memory_gb_per_s / 0.276 - 1) < 0.02);
    assert_int_equal(of_class(&loop->mix, "shared"), 34);       /* 32 loads and 2 stores */
    assert_int_equal(of_class(&loop->mix, "barrier"), 2);
    size_t loads = 0, stores = 0;
    for (size_t i = 0; i < kernel->access_count; i++) {
        const ptxlint_access *access = &kernel->accesses[i];
        if (strcmp(access->space, "shared") || !inside(access->span, loop->header, kernel->span.end))
            continue;
        loads += !strcmp(access->op, "load");
        stores += !strcmp(access->op, "store");
    }
    assert_int_equal(loads, 32);
    assert_int_equal(stores, 2);
    ptxlint_module_free(module);
}

/* Rows 18, 19: of 8192 registers 9 a thread leave room for three blocks of 256, 11 for two. */
static void test_registers(void **state)
{
    (void)state;
    static const struct { const char *file; int64_t blocks; } cases[] = { { "tiled", 3 }, { "unrolled", 3 }, { "prefetch", 2 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = open_seed(cases[i].file);
        int64_t regs = kit_kernel(module, NULL)->pressure.max_live;
        if (8192 / (256 * regs) != cases[i].blocks)
            fail_msg("%s: %lld registers a thread", cases[i].file, (long long)regs);
        ptxlint_module_free(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_naive_demand),
        cmocka_unit_test(test_tiled_demand),
        cmocka_unit_test(test_unrolled_fraction),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
