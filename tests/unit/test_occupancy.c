/* test_occupancy.c -- the occupancy calculator: figures of papers, each on its GPU, and
 * cuda_occupancy.h where it is installed.
 *
 * Ryoo: Ryoo et al., "Optimization Principles and Application Performance Evaluation of a
 * Multithreaded GPU Using CUDA" (PPoPP 2008). XARK: the paper on mapping heuristics for GPUs with
 * the XARK compiler. Torres: Torres et al., "CUDA tuning and configuration parameters on Fermi
 * architecture". Micikevicius: "GPU Performance Analysis and Optimization" (GTC 2012). "Row" is the
 * number of a claim in our list of what these documents say. */
#include "gpu/occupancy.h"
#include "kit.h"

#ifdef HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

static const Gpu *gpu_of(const char *name)
{
    const Gpu *gpu = ptx_gpu_find(name, strlen(name));
    if (!gpu)
        fail_msg("there is no GPU `%s`", name);
    return gpu;
}

static Occupancy occupancy_of(const char *gpu, const Resources *r)
{
    Occupancy out;
    assert_true(ptx_occupancy_compute(gpu_of(gpu), r, &out));
    return out;
}

static Occupancy simple(const char *gpu, int64_t threads, int64_t registers, int64_t shared)
{
    Resources r = { .threads_per_block = threads,
                    .registers_per_thread = registers,
                    .static_shared_bytes = shared };
    return occupancy_of(gpu, &r);
}

#define W (1u << LIMITER_WARPS)
#define R (1u << LIMITER_REGISTERS)
#define S (1u << LIMITER_SHARED)
#define B (1u << LIMITER_BLOCKS)

/* ---- figures of papers ----------------------------------------------------------------------- */

typedef struct Seed {
    const char *gpu;
    int64_t threads, registers, shared;         /* of a block, of a thread, of a block */
    int64_t blocks, resident_threads, warps;
    double percent;
    uint32_t limiters;
    const char *what;
} Seed;

static const Seed seeds[] = {
    { "g80", 256, 10, 2048, 3, 768, 24, 100.0, W | R,
      "row 16, Ryoo 4.1: 7,680 registers, none for a fourth block" },
    { "g80", 256, 11, 2048, 2, 512, 16, 66.67, R,
      "row 17, Ryoo 4.2: three need 8,448, printed as 8488; 2,816 a block is a multiple of 256, so "
      "division says the same" },
    { "g80", 256, 9, 2048, 3, 768, 24, 100.0, W | R,
      "row 18, Ryoo 4.3: unrolling frees a register" },
    { "g80", 256, 11, 2048, 2, 512, 16, 66.67, R,
      "row 19, Ryoo 4.4: prefetching takes two more than row 18" },
    { "g80", 16, 10, 128, 8, 128, 8, 33.33, B, "row 20, Ryoo 4.2: 4 x 4 tiles" },
    { "g80", 64, 10, 512, 8, 512, 16, 66.67, B,
      "row 21, Ryoo 4.2: 8 x 8 tiles, 12 blocks would fill the SM" },
    { "g80", 144, 10, 1152, 4, 576, 20, 83.33, W | R,
      "row 22, Ryoo 4.2: 12 x 12 tiles; 5 x 144 threads fit, 25 warps do not" },
    { "g80", 256, 10, 2048, 3, 768, 24, 100.0, W | R, "row 23, Ryoo 4.2: 16 x 16 tiles" },
    { "g80", 16, 10, 0, 8, 128, 8, 33.33, B, "row 42, XARK 5" },
    { "g80", 32, 10, 0, 8, 256, 8, 33.33, B, "row 42, XARK 5" },
    { "g80", 128, 11, 0, 5, 640, 20, 83.33, R, "row 43, XARK 5" },
    { "g80", 64, 12, 0, 8, 512, 16, 66.67, B, "row 43, XARK 5" },
    { "g80", 128, 12, 0, 5, 640, 20, 83.33, R, "row 43, XARK 5" },
    { "g80", 192, 12, 0, 3, 576, 18, 75.0, R, "row 43, XARK 5" },
    { "g80", 256, 12, 0, 2, 512, 16, 66.67, R, "row 43, XARK 5" },
    { "g80", 384, 12, 0, 1, 384, 12, 50.0, R, "row 43, XARK 5" },
    { "g80", 512, 12, 0, 1, 512, 16, 66.67, W | R, "row 43, XARK 5" },
    { "g80", 512, 1, 0, 1, 512, 16, 66.67, W, "row 44, XARK 4.1: whatever the registers" },
    { "g80", 64, 1, 0, 8, 512, 16, 66.67, B, "row 45, XARK 4.1: the most at 64 threads" },
    { "g80", 128, 12, 0, 5, 640, 20, 83.33, R, "row 46, XARK figure 3" },
    { "g80", 128, 16, 0, 4, 512, 16, 66.67, R, "row 46, XARK figure 3" },
    { "g80", 128, 20, 0, 3, 384, 12, 50.0, R, "row 46, XARK figure 3" },
    { "k10", 32, 16, 0, 16, 512, 16, 25.0, B, "row 57, Micikevicius: blocks of a warp" },
    { "c2050", 32, 63, 3840, 8, 256, 8, 16.67, B, "row 59, Micikevicius, case study 1" },
    { "c2050", 64, 63, 7680, 6, 384, 12, 25.0, S, "row 60, Micikevicius, case study 1" },
    { "c2050", 64, 63, 3072, 8, 512, 16, 33.33, R | B,
      "row 61, Micikevicius, case study 1: names registers alone; 2,016 a warp are 16.25 warps, "
      "the 2,048 allocated are 16" },
    { "k20", 128, 96, 0, 5, 640, 20, 31.25, R,
      "row 96, Micikevicius, case study 8: 21.3 by division, 5 in each partition" },
};

static void test_seeds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(seeds); i++) {
        const Seed *s = &seeds[i];
        Occupancy o = simple(s->gpu, s->threads, s->registers, s->shared);
        if (o.blocks_per_sm != s->blocks || o.threads_per_sm != s->resident_threads
            || o.warps_per_sm != s->warps || fabs(o.percent - s->percent) > 0.01
            || o.limiters != s->limiters)
            fail_msg("%s: %lld blocks, %lld threads, %lld warps, %.2f %%, limiters %x", s->what,
                     (long long)o.blocks_per_sm, (long long)o.threads_per_sm,
                     (long long)o.warps_per_sm, o.percent, o.limiters);
    }
}

/* Row 58: 63 registers and 3,840 bytes a warp allow 12 warps on Fermi whatever the block: 49,152 /
 * 3,840 = 12.8. */
static void test_fermi_shared(void **state)
{
    (void)state;
    int64_t most = 0;
    for (int64_t warps = 1; warps <= 12; warps++) {
        Occupancy o = simple("c2050", 32 * warps, 63, 3840 * warps);
        most = o.warps_per_sm > most ? o.warps_per_sm : most;
    }
    assert_int_equal(most, 12);
}

/* Rows 16 to 19: where the step lies between 10 and 11 registers, and what a block is given. */
static void test_register_steps(void **state)
{
    (void)state;
    Occupancy eleven = simple("g80", 256, 11, 2048);
    assert_int_equal(eleven.registers_to_free, 1);
    assert_int_equal(eleven.registers_allocated_per_block, 2816);
    assert_int_equal(2 * eleven.registers_allocated_per_block, 5632);           /* row 19 */
    assert_int_equal(3 * eleven.registers_allocated_per_block, 8448);           /* row 17 */
    Occupancy nine = simple("g80", 256, 9, 2048);
    assert_int_equal(nine.registers_to_free, 0);        /* warps limit too */
    assert_int_equal(nine.registers_free, 1);
    assert_int_equal(3 * nine.registers_allocated_per_block, 6912);             /* row 18 */
}

/* Table 3 of Ryoo: registers and bytes of shared memory of a thread, resident threads of an SM. The
 * paper does not give block sizes: `block` is one that gives its figure, `most` what any size could
 * reach by the allocation rules. */
typedef struct Table3 {
    const char *name;
    int64_t registers;
    double bytes;
    int64_t printed, block, most;
    const char *what;
} Table3;

static const Table3 table3[] = {
    { "MatMul",  9,  8.1,  768, 256, 768, "row 26" },
    { "H.264",   30, 55.1, 246, 0,   256, "row 27: 246 by division, in blocks of 41, 82, 123 or 246; 246 is 8 warps and fits" },
    { "LBM",     32, 84.2, 200, 0,   194, "row 28: 200 x 84.2 = 16,840 bytes are more than there are; 194 fit" },
    { "RC5-72",  42, 0.3,  192, 192, 192, "row 29" },
    { "FEM",     18, 61,   256, 256, 268, "row 30: limited by shared memory" },
    { "RPES",    23, 24.8, 256, 256, 320, "row 31: 356 by division" },
    { "PNS",     32, 9.9,  128, 0,   256, "row 32: global memory limits it, which is not known here" },
    { "SAXPY",   7,  0.3,  768, 256, 768, "row 33" },
    { "TPACF",   24, 52.2, 256, 256, 313, "row 34" },
    { "FDTD",    11, 8.1,  768, 0,   640, "row 35: 8,448 registers, against section 4.2; 744 by division, 640 with the unit" },
    { "MRI-Q",   11, 20.1, 512, 256, 640, "row 36" },
    { "MRI-FHD", 12, 20.1, 512, 256, 640, "row 36" },
    { "CP",      20, 0.4,  384, 128, 384, "row 37" },
};

static int64_t table3_threads(const Table3 *row, int64_t block)
{
    return simple("g80", block, row->registers, (int64_t)(row->bytes * (double)block))
        .threads_per_sm;
}

static void test_table3(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(table3); i++) {
        const Table3 *row = &table3[i];
        int64_t most = 0;
        for (int64_t block = 1; block <= 512; block++) {
            int64_t threads = table3_threads(row, block);
            most = threads > most ? threads : most;
        }
        if (most != row->most)
            fail_msg("%s (%s): at most %lld threads, want %lld", row->name, row->what,
                     (long long)most, (long long)row->most);
        if (row->block && table3_threads(row, row->block) != row->printed)
            fail_msg("%s (%s): %lld threads in blocks of %lld", row->name, row->what,
                     (long long)table3_threads(row, row->block), (long long)row->block);
    }
    assert_int_equal(table3_threads(&table3[1], 246), 246);
    assert_int_equal(table3_threads(&table3[2], 200), 0);
    /* row 32, one block more than the paper has */
    assert_int_equal(table3_threads(&table3[6], 128), 256);
}

/* Row 25: 768 threads on each of 16 SMs. */
static void test_whole_gpu(void **state)
{
    (void)state;
    assert_int_equal(simple("g80", 256, 10, 0).threads_per_sm
                         * ptx_gpu_count_of(gpu_of("g80"), FIGURE_SMS, 0),
                     12288);
}

/* Row 43 again: 83 % is the most that 11 or 12 registers allow, in blocks of 128 or 320 threads. */
static void test_best_sizes(void **state)
{
    (void)state;
    for (int64_t registers = 11; registers <= 12; registers++) {
        OccupancyCurve curve;
        Resources r = { .registers_per_thread = registers };
        assert_true(ptx_occupancy_sweep(gpu_of("g80"), &r, &curve));
        assert_int_equal(curve.count, 16);
        for (uint32_t i = 0; i < curve.count; i++) {
            int64_t threads = curve.points[i].threads_per_block;
            assert_int_equal(curve.points[i].is_best, threads == 128 || threads == 320);
            assert_true(!curve.points[i].is_best || fabs(curve.points[i].percent - 83.33) < 0.01);
        }
    }
}

/* Row 50, Torres: 8 blocks of 32 ... 1024 threads. */
static void test_fermi_curve(void **state)
{
    static const struct { int64_t threads; double percent; } want[] = {
        { 32, 16.67 }, { 64, 33.33 }, { 96, 50 }, { 128, 66.67 }, { 192, 100 }, { 256, 100 }, { 384, 100 }, { 512, 100 },
        { 768, 100 }, { 1024, 66.67 },
    };
    (void)state;
    OccupancyCurve curve;
    Resources r = { 0 };
    assert_true(ptx_occupancy_sweep(gpu_of("c2050"), &r, &curve));
    assert_int_equal(curve.count, 32);
    for (size_t i = 0; i < COUNT(want); i++) {
        const OccupancyPoint *point = &curve.points[want[i].threads / 32 - 1];
        assert_int_equal(point->threads_per_block, want[i].threads);
        if (fabs(point->percent - want[i].percent) > 0.01
            || point->is_best != (want[i].percent > 99))
            fail_msg("row 50, %lld threads: %.2f %%", (long long)want[i].threads, point->percent);
    }
}

/* 2.x: 21, 22, 29, ... registers are allocated in units of 128 (cuda_occupancy.h of CUDA 7.0),
 * others in units of 64. */
static void test_fermi_units(void **state)
{
    /* 20 ... 31 */
    static const int64_t want[] = { 640, 768, 768, 768, 768, 832, 832, 896, 896, 1024, 1024, 1024 };
    (void)state;
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(simple("sm_20", 32, 20 + (int64_t)i, 0).registers_allocated_per_block,
                         want[i]);
    assert_int_equal(simple("sm_20", 32, 46, 0).registers_allocated_per_block, 1536);
    assert_int_equal(simple("sm_20", 32, 53, 0).registers_allocated_per_block, 1728);
}

/* ---- steps, unknowns, errors, hostile figures ------------------------------------------------ */

/* What is free must not cost a block, one more must; what is to be freed must bring a block, one
 * less must not. */
static void check_steps(const char *name, const Resources *r)
{
    Occupancy o = occupancy_of(name, r);
    Resources other = *r;
    other.registers_per_thread = r->registers_per_thread + o.registers_free;
    assert_int_equal(occupancy_of(name, &other).blocks_per_sm, o.blocks_per_sm);
    other.registers_per_thread++;
    assert_true(o.blocks_per_sm == 0 || occupancy_of(name, &other).blocks_per_sm < o.blocks_per_sm
                || o.limits[LIMITER_REGISTERS] > o.blocks_per_sm);
    if (o.registers_to_free) {
        other.registers_per_thread = r->registers_per_thread - o.registers_to_free;
        assert_true(occupancy_of(name, &other).blocks_per_sm > o.blocks_per_sm);
        other.registers_per_thread++;
        assert_int_equal(occupancy_of(name, &other).blocks_per_sm, o.blocks_per_sm);
    }
    other = *r;
    if (o.shared_to_free && o.shared_to_free <= r->static_shared_bytes) {
        other.static_shared_bytes = r->static_shared_bytes - o.shared_to_free;
        assert_true(occupancy_of(name, &other).blocks_per_sm > o.blocks_per_sm);
        other.static_shared_bytes++;
        assert_int_equal(occupancy_of(name, &other).blocks_per_sm, o.blocks_per_sm);
    }
    other.static_shared_bytes = r->static_shared_bytes + o.shared_free;
    assert_int_equal(occupancy_of(name, &other).blocks_per_sm, o.blocks_per_sm);
}

static void test_steps(void **state)
{
    static const char *const names[] = { "g80", "c2050", "k20", "a100", "h200" };
    (void)state;
    for (size_t g = 0; g < COUNT(names); g++)
        for (int64_t threads = 32; threads <= 512; threads += 96)
            for (int64_t registers = 8; registers <= 60; registers += 4)
                for (int64_t shared = 0; shared <= 12288; shared += 3072)
                    check_steps(names[g],
                                &(Resources){ threads, registers, shared, 256, 1, 0, false });
    Occupancy o = simple("h200", 256, 40, 0);           /* 6 blocks by registers, 8 by warps */
    /* a warp is given multiples of 256: 33 to 40 are alike */
    assert_int_equal(o.registers_to_free, 8);
    assert_int_equal(o.registers_free, 0);
    /* an eighth block: 228 KiB / 8 = 29,184, less 1,024 reserved */
    o = simple("h200", 128, 32, 30000);
    assert_int_equal(o.blocks_per_sm, 7);
    assert_int_equal(o.shared_to_free, 30000 - 28160);
    assert_int_equal(o.carveout_bytes, 228 * 1024);
}

static void test_unknown(void **state)
{
    (void)state;
    Resources r = { .threads_per_block = 256, .registers_per_thread = -1, .barriers = 1 };
    Occupancy o = occupancy_of("h200", &r);
    assert_int_equal(o.limits[LIMITER_REGISTERS], -1);
    assert_int_equal(o.blocks_at_most, 8);
    /* 255 registers: 8 warps of 8 x 1,024 registers */
    assert_int_equal(o.blocks_at_least, 1);
    assert_int_equal(o.blocks_per_sm, -1);
    assert_int_equal(o.warps_per_sm, -1);
    assert_true(isnan(o.percent));
    assert_int_equal(o.registers_to_free, -1);
    assert_int_equal(o.shared_to_free, -1);
    assert_int_equal(o.registers_allocated_per_block, -1);

    r = (Resources){ -1, -1, -1, -1, -1, -1, false };   /* nothing is known */
    o = occupancy_of("h200", &r);
    assert_int_equal(o.blocks_at_most, 32);
    assert_int_equal(o.blocks_at_least, 0);
    assert_int_equal(o.blocks_per_sm, -1);
    assert_int_equal(o.clusters_at_most, -1);

    r = (Resources){ .threads_per_block = 256, .registers_per_thread = 32, .barriers = -1 };
    o = occupancy_of("h200", &r);                       /* 16 barriers would allow 4 blocks */
    assert_int_equal(o.blocks_at_least, 4);
    assert_int_equal(o.blocks_at_most, 8);
    o = occupancy_of("a100", &r);                       /* before 9.0 barriers do not limit */
    assert_int_equal(o.blocks_per_sm, 8);
    r = (Resources){ .threads_per_block = 1024,
                     .registers_per_thread = 64,
                     .dynamic_shared_bytes = -1 };
    o = occupancy_of("h200", &r);                       /* one block, whatever its shared memory */
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(o.registers_to_free, -1);
}

static void test_errors(void **state)
{
    static const struct { Resources r; LaunchError error; } cases[] = {
        { { .threads_per_block = 1025 }, LAUNCH_THREADS },
        { { .threads_per_block = 0 }, LAUNCH_THREADS },
        { { .threads_per_block = 32, .registers_per_thread = 256 }, LAUNCH_REGISTERS },
        { { .threads_per_block = 1024, .registers_per_thread = 65 }, LAUNCH_REGISTERS },
        { { .threads_per_block = 32, .dynamic_shared_bytes = 232449 }, LAUNCH_SHARED },
        { { .threads_per_block = 32, .dynamic_shared_bytes = 49153, .default_limits = true }, LAUNCH_SHARED },
        { { .threads_per_block = 32, .barriers = 17 }, LAUNCH_BARRIERS },
        { { .threads_per_block = 32, .cluster_blocks = 17 }, LAUNCH_CLUSTER },
        { { .threads_per_block = 32, .cluster_blocks = 9, .default_limits = true }, LAUNCH_CLUSTER },
        { { .threads_per_block = 1024, .registers_per_thread = 64, .dynamic_shared_bytes = 232448, .cluster_blocks = 16 },
          LAUNCH_OK },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Occupancy o = occupancy_of("h200", &cases[i].r);
        if (o.error != cases[i].error || (o.blocks_per_sm == 0) != (cases[i].error != LAUNCH_OK))
            fail_msg("case %zu: error %d, %lld blocks", i, (int)o.error,
                     (long long)o.blocks_per_sm);
        assert_true(!o.error == !ptx_launch_error_text[o.error]);
        if (!o.blocks_per_sm)
            assert_true(o.percent < 0.01 && !o.warps_per_sm && !o.threads_per_sm);
    }
}

/* Clusters are for 9.0 and later; 132 SMs of an H200 hold at most so many. */
static void test_clusters(void **state)
{
    (void)state;
    Resources r = { .threads_per_block = 1024, .registers_per_thread = 64, .cluster_blocks = 2 };
    assert_int_equal(occupancy_of("a100", &r).error, LAUNCH_CLUSTER);
    assert_int_equal(occupancy_of("h200", &r).clusters_at_most, 66);
    assert_false(occupancy_of("h200", &r).cluster_needs_optin);
    r.cluster_blocks = 16;
    assert_int_equal(occupancy_of("h200", &r).clusters_at_most, 8);
    assert_true(occupancy_of("h200", &r).cluster_needs_optin);
    r.cluster_blocks = 0;
    assert_int_equal(occupancy_of("h200", &r).clusters_at_most, 132);
}

static uint64_t next_random(uint64_t *random) /* xorshift64: Marsaglia, "Xorshift RNGs" (2003) */
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Any figures and any resources give an answer: no overflow (under the sanitizers), no division by
 * zero, bounds in order. */
static void test_hostile(void **state)
{
    static const double figures[] = { 0,          1,     -1,     32,  1e6,
                                      1048576,    1e300, -1e300, 0.5, (double)INFINITY,
                                      (double)NAN };
    static const int64_t values[] = { -1,      0,         1,         32,
                                      1024,    INT64_MAX, INT64_MIN, INT64_C(1) << 40,
                                      1 << 20, 255 };
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        Gpu gpu;
        GpuFacts facts;
        ptx_gpu_copy(&gpu, &facts, gpu_of("h200"));
        for (int k = 0; k < 6; k++)
            facts.figures[next_random(&random) % FIGURE__COUNT] =
                figures[next_random(&random) % COUNT(figures)];
        int64_t v[6];
        for (int k = 0; k < 6; k++)
            v[k] = values[next_random(&random) % COUNT(values)];
        Resources r = { v[0], v[1], v[2], v[3], v[4], v[5], i & 1 };
        Occupancy o;
        OccupancyCurve curve;
        if (!ptx_occupancy_compute(&gpu, &r, &o))
            continue;
        assert_true(ptx_occupancy_sweep(&gpu, &r, &curve) && curve.count <= OCCUPANCY_POINTS_MAX);
        assert_true(o.blocks_at_least >= 0 && o.blocks_at_most >= o.blocks_at_least);
        assert_true(o.registers_to_free >= -1 && o.registers_free >= -1 && o.shared_to_free >= -1
                    && o.shared_free >= -1);
    }
}

static void test_missing_figures(void **state)
{
    (void)state;
    Gpu gpu;
    GpuFacts facts;
    ptx_gpu_copy(&gpu, &facts, gpu_of("h200"));
    Resources r = { .threads_per_block = 256 };
    Occupancy o;
    facts.figures[FIGURE_WARPS_PER_SM] = (double)NAN;
    assert_false(ptx_occupancy_compute(&gpu, &r, &o));
    assert_int_equal(o.blocks_per_sm, 0);
}

/* ---- cuda_occupancy.h ------------------------------------------------------------------------ */

#ifdef HAVE_CUDA_OCCUPANCY

enum { CONFIGURATIONS_PER_GPU = 3000 };         /* each with and without opt-in */

static int int_figure(const Gpu *gpu, FigureId id)
{
    return (int)ptx_gpu_count_of(gpu, id, 0);
}

/* sm_107 is newer than the header. */
static bool is_in_header(const Gpu *gpu)
{
    return gpu->target.sm != 107;
}

static cudaOccDeviceProp properties_of(const Gpu *gpu)
{
    cudaOccDeviceProp p = { 0 };
    p.computeMajor = gpu->target.sm / 10;
    p.computeMinor = gpu->target.sm % 10;
    p.maxThreadsPerBlock = int_figure(gpu, FIGURE_THREADS_PER_BLOCK);
    p.maxThreadsPerMultiprocessor = int_figure(gpu, FIGURE_THREADS_PER_SM);
    p.regsPerBlock = int_figure(gpu, FIGURE_REGISTERS_PER_BLOCK);
    p.regsPerMultiprocessor = int_figure(gpu, FIGURE_REGISTERS_PER_SM);
    p.warpSize = int_figure(gpu, FIGURE_WARP_SIZE);
    p.sharedMemPerBlock = (size_t)int_figure(gpu, FIGURE_SHARED_PER_BLOCK);
    p.sharedMemPerMultiprocessor = (size_t)int_figure(gpu, FIGURE_SHARED_PER_SM);
    p.numSms = 1;
    p.sharedMemPerBlockOptin = (size_t)int_figure(gpu, FIGURE_SHARED_PER_BLOCK_OPTIN);
    p.reservedSharedMemPerBlock = (size_t)int_figure(gpu, FIGURE_SHARED_RESERVED);
    return p;
}

static cudaOccFuncAttributes attributes_of(const Resources *r)
{
    cudaOccFuncAttributes a = { 0 };
    a.maxThreadsPerBlock = INT_MAX;
    a.numRegs = (int)r->registers_per_thread;
    a.sharedSizeBytes = (size_t)r->static_shared_bytes;
    a.shmemLimitConfig = r->default_limits ? FUNC_SHMEM_LIMIT_DEFAULT : FUNC_SHMEM_LIMIT_OPTIN;
    a.maxDynamicSharedSizeBytes = (size_t)r->dynamic_shared_bytes;
    a.numBlockBarriers = (int)r->barriers;
    return a;
}

static int64_t limit_from(int limit)
{
    return limit == INT_MAX ? LIMIT_NONE : limit;
}

/* The header keeps the limiters of before it looked at barriers, though they no longer tie: only
 * those that do are compared. */
static uint32_t limiters_of(const cudaOccResult *want)
{
    const int limits[LIMITER__COUNT] = { want->blockLimitWarps, want->blockLimitRegs,
                                         want->blockLimitSharedMem, want->blockLimitBlocks,
                                         want->blockLimitBarriers };
    uint32_t tie = 0;
    for (int i = 0; i < LIMITER__COUNT; i++)
        tie |= limits[i] == want->activeBlocksPerMultiprocessor ? 1u << i : 0;
    return want->limitingFactors & tie;
}

/* The header allows 255 registers on 3.0 and 256 from 7.0 on, the Programming Guide 63 and 255;
 * beyond the guide we refuse. */
static bool is_beyond_guide(const Gpu *gpu, const Resources *r)
{
    return r->registers_per_thread > int_figure(gpu, FIGURE_REGISTERS_PER_THREAD);
}

static bool limits_are_equal(const Occupancy *got, const cudaOccResult *want, bool with_registers)
{
    return got->limits[LIMITER_WARPS] == want->blockLimitWarps
        && (!with_registers || got->limits[LIMITER_REGISTERS] == limit_from(want->blockLimitRegs))
        && got->limits[LIMITER_SHARED] == limit_from(want->blockLimitSharedMem)
        && got->limits[LIMITER_BLOCKS] == want->blockLimitBlocks
        && got->limits[LIMITER_BARRIERS] == limit_from(want->blockLimitBarriers)
        && got->registers_allocated_per_block == want->allocatedRegistersPerBlock
        && got->shared_allocated_per_block == (int64_t)want->allocatedSharedMemPerBlock;
}

static void compare(const Gpu *gpu, const Resources *r)
{
    const cudaOccDeviceProp properties = properties_of(gpu);
    const cudaOccFuncAttributes attributes = attributes_of(r);
    const cudaOccDeviceState device = { CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT };
    cudaOccResult want;
    Occupancy got;
    bool is_beyond = is_beyond_guide(gpu, r);
    int status = (int)cudaOccMaxActiveBlocksPerMultiprocessor(&want, &properties, &attributes,
                                                              &device, (int)r->threads_per_block,
                                                              (size_t)r->dynamic_shared_bytes);
    assert_true(ptx_occupancy_compute(gpu, r, &got));
    bool is_equal = status == CUDA_OCC_SUCCESS && limits_are_equal(&got, &want, !is_beyond);
    if (is_beyond)
        is_equal = is_equal && got.blocks_per_sm == 0 && got.limits[LIMITER_REGISTERS] == 0;
    else
        is_equal = is_equal && got.blocks_per_sm == want.activeBlocksPerMultiprocessor
                   && got.limiters == limiters_of(&want);
    if (!is_equal)
        fail_msg("%s: %lld threads, %lld registers, %lld + %lld bytes, %lld barriers, opt-in %d: "
                 "status %d, blocks %lld, want %d; "
                 "warps %lld %d, registers %lld %d, shared %lld %d, blocks %lld %d, barriers %lld "
                 "%d; limiters %x %x; "
                 "allocated registers %lld %d, shared %lld %zu",
                 gpu->name, (long long)r->threads_per_block, (long long)r->registers_per_thread,
                 (long long)r->static_shared_bytes, (long long)r->dynamic_shared_bytes,
                 (long long)r->barriers, !r->default_limits, status, (long long)got.blocks_per_sm,
                 want.activeBlocksPerMultiprocessor, (long long)got.limits[LIMITER_WARPS],
                 want.blockLimitWarps, (long long)got.limits[LIMITER_REGISTERS],
                 want.blockLimitRegs, (long long)got.limits[LIMITER_SHARED],
                 want.blockLimitSharedMem, (long long)got.limits[LIMITER_BLOCKS],
                 want.blockLimitBlocks, (long long)got.limits[LIMITER_BARRIERS],
                 want.blockLimitBarriers, got.limiters, want.limitingFactors,
                 (long long)got.registers_allocated_per_block, want.allocatedRegistersPerBlock,
                 (long long)got.shared_allocated_per_block, want.allocatedSharedMemPerBlock);
}

/* Half of the values at the edges of rules, half anywhere. */
static int64_t pick(uint64_t *random, const int64_t *edges, size_t edge_count, int64_t most)
{
    uint64_t choice = next_random(random) >> 8;
    return choice & 1 ? edges[(choice >> 1) % edge_count]
                      : (int64_t)((choice >> 1) % ((uint64_t)most + 1));
}

static Resources pick_resources(uint64_t *random)
{
    static const int64_t threads[] = { 1,   31,  32,  33,  63,  64,  65,  96,  97,  127,  128, 129,
                                       160, 192, 224, 255, 256, 257, 288, 320, 384, 416,  480, 511,
                                       512, 513, 640, 672, 768, 769, 896, 992, 993, 1023, 1024 };
    static const int64_t registers[] = { 0,  1,  8,  9,  16, 24, 25,  32,  33,  40,  41,  48, 56,
                                         63, 64, 65, 72, 80, 96, 128, 129, 168, 254, 255, 256 };
    static const int64_t shared[] = { 0,      1,      127,    128,    129,    255,    256,
                                      257,    1023,   1024,   2048,   3072,   4096,   6144,
                                      8192,   16384,  24576,  32768,  48127,  48128,  48129,
                                      49151,  49152,  49153,  50176,  65536,  98304,  101376,
                                      101377, 102400, 166912, 166913, 167936, 232447, 232448,
                                      232449, 233472 };
    static const int64_t barriers[] = { 0, 1, 2, 3, 4, 8, 15, 16 };
    Resources r = { 0 };
    r.threads_per_block = pick(random, threads, COUNT(threads), 1023);
    r.threads_per_block += !r.threads_per_block;
    r.registers_per_thread = pick(random, registers, COUNT(registers), 256);
    int64_t bytes = pick(random, shared, COUNT(shared), 233472);
    bytes >>= (next_random(random) >> 8) % 4 * 2;       /* small ones more often */
    bool is_static = next_random(random) >> 8 & 1;
    r.static_shared_bytes = is_static ? bytes : bytes / 3;
    r.dynamic_shared_bytes = bytes - r.static_shared_bytes;
    r.barriers = pick(random, barriers, COUNT(barriers), 16);
    return r;
}

static void test_cuda_occupancy(void **state)
{
    (void)state;
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    unsigned long compared = 0, gpus = 0, beyond = 0;
    for (uint32_t g = 0; g < ptx_gpu_count; g++) {
        const Gpu *gpu = &ptx_gpus[g];
        if (gpu->target.sm < 30 || !is_in_header(gpu))
            continue;
        gpus++;
        for (int i = 0; i < CONFIGURATIONS_PER_GPU; i++) {
            Resources r = pick_resources(&random);
            for (int d = 0; d < 2; d++) {
                r.default_limits = d;
                compare(gpu, &r);
                compared += !is_beyond_guide(gpu, &r);
                beyond += is_beyond_guide(gpu, &r);
            }
        }
    }
    print_message("cuda_occupancy.h: %lu configurations equal on %lu GPUs, %lu refused for "
                  "registers beyond the guide\n",
                  compared, gpus, beyond);
    assert_true(compared >= 100000);
}

/* The size that the header suggests is the largest of the best. */
static void test_cuda_block_size(void **state)
{
    (void)state;
    const cudaOccDeviceState device = { CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT };
    uint64_t random = 7;
    for (uint32_t g = 0; g < ptx_gpu_count; g++) {
        const cudaOccDeviceProp properties = properties_of(&ptx_gpus[g]);
        for (int i = 0; i < 40 && ptx_gpus[g].target.sm >= 30 && is_in_header(&ptx_gpus[g]); i++) {
            Resources r = pick_resources(&random);
            const cudaOccFuncAttributes attributes = attributes_of(&r);
            OccupancyCurve curve;
            int grid, want = 0;
            int64_t got = 0;
            assert_true(ptx_occupancy_sweep(&ptx_gpus[g], &r, &curve));
            assert_int_equal(cudaOccMaxPotentialOccupancyBlockSize(&grid, &want, &properties,
                                                                   &attributes, &device, NULL,
                                                                   (size_t)r.dynamic_shared_bytes),
                             CUDA_OCC_SUCCESS);
            for (uint32_t p = 0; p < curve.count; p++)
                got = curve.points[p].is_best ? curve.points[p].threads_per_block : got;
            if (got != want && !is_beyond_guide(&ptx_gpus[g], &r))
                fail_msg("%s: blocks of %lld threads, want %d", ptx_gpus[g].name, (long long)got,
                         want);
        }
    }
}

/* From 7.0 on shared memory is set to the least size that the header knows for so many bytes. */
static void test_cuda_carveouts(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < ptx_gpu_count; g++) {
        const Gpu *gpu = &ptx_gpus[g];
        const cudaOccDeviceProp properties = properties_of(gpu);
        uint32_t c = 0;
        for (size_t kib = 0;
             gpu->target.sm >= 70 && is_in_header(gpu)
             && kib <= properties.sharedMemPerMultiprocessor / 1024; kib++) {
            size_t want = 1024 * kib;
            assert_int_equal(cudaOccAlignUpShmemSizeVoltaPlus(&want, &properties),
                             CUDA_OCC_SUCCESS);
            while (c < gpu->carveout_count && gpu->carveouts[c] < 1024 * kib)
                c++;
            if (c == gpu->carveout_count || gpu->carveouts[c] != want)
                fail_msg("%s: %zu KiB of shared memory need a setting of %zu KiB", gpu->name, kib,
                         want / 1024);
        }
    }
}

#else

static void test_cuda_occupancy(void **state)
{
    (void)state;
    print_message("cuda_occupancy.h is not installed: not compared with it\n");
    skip();
}

static void test_cuda_block_size(void **state)
{
    test_cuda_occupancy(state);
}

static void test_cuda_carveouts(void **state)
{
    test_cuda_occupancy(state);
}

#endif

UNIT(occupancy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds),          cmocka_unit_test(test_fermi_shared),
        cmocka_unit_test(test_register_steps), cmocka_unit_test(test_table3),
        cmocka_unit_test(test_whole_gpu),      cmocka_unit_test(test_best_sizes),
        cmocka_unit_test(test_fermi_curve),    cmocka_unit_test(test_fermi_units),
        cmocka_unit_test(test_steps),          cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_hostile),        cmocka_unit_test(test_missing_figures),
        cmocka_unit_test(test_cuda_occupancy), cmocka_unit_test(test_cuda_block_size),
        cmocka_unit_test(test_cuda_carveouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
