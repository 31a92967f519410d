/* test_traffic_seeds.c -- what a request of a warp costs on each generation of GPUs, as published. S1: Ryoo et al., PPoPP 2008. S3: Torres et al., "CUDA tuning and
 * configuration parameters on Fermi architecture". S4: Micikevicius, "GPU Performance Analysis and Optimization" (GTC 2012). */
#include "kit.h"

#include "warp/machine.h"

typedef struct Lanes {
    uint64_t at[WARP_LANES];
} Lanes;

static const Gpu *gpu_of(const char *name)
{
    const Gpu *gpu = ptx_gpu_find(name, strlen(name));
    assert_non_null(gpu);
    return gpu;
}

/* Rows of `columns` lanes, `pitch` bytes apart; in a row lanes are `stride` bytes apart. */
static Lanes rows_of(unsigned columns, uint64_t pitch, uint64_t stride, uint64_t first)
{
    Lanes lanes;
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes.at[i] = first + i / columns * pitch + i % columns * stride;
    return lanes;
}

static Lanes strided(uint64_t stride, uint64_t first)
{
    return rows_of(WARP_LANES, 0, stride, first);
}

static Request request_of(const Lanes *lanes, unsigned bytes, RequestKind kind)
{
    return (Request){ .addresses = lanes->at, .lanes = UINT32_MAX, .bytes = bytes, .kind = (uint8_t)kind, .matrices = 1 };
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *what, *gpu;
    unsigned columns, pitch, stride, first, bytes;
    RequestKind kind;
    bool is_uncached;
    double sectors, ideal;
} globals[] = {
    { "S1 3.2: lines of 16 words",                      "sm_10", 32, 0, 4, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "S1 4.1: one word for a half-warp is no line",    "sm_10", 16, 4096, 0, 0, 4, REQUEST_LOAD, false, 32, 4 },
    { "a half-warp beside its line, lane by lane",      "sm_10", 32, 0, 4, 4, 4, REQUEST_LOAD, false, 32, 4 },
    { "the same in segments",                           "sm_13", 32, 0, 4, 4, 4, REQUEST_LOAD, false, 7, 4 },
    { "a segment is halved where half is used",         "sm_13", 32, 0, 4, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "one word, a segment of 32",                      "sm_13", 32, 0, 0, 0, 4, REQUEST_LOAD, false, 2, 2 },
    { "S4: one line",                                   "sm_20", 32, 0, 4, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "S4: four segments",                              "sm_20", 32, 0, 4, 0, 4, REQUEST_LOAD, true, 4, 4 },
    { "S4: misaligned, two lines, 50 %",                "sm_20", 32, 0, 4, 4, 4, REQUEST_LOAD, false, 8, 4 },
    { "S4: misaligned, five segments, 80 %",            "sm_20", 32, 0, 4, 4, 4, REQUEST_LOAD, true, 5, 4 },
    { "offset of a segment, four segments",             "sm_20", 32, 0, 4, 32, 4, REQUEST_LOAD, true, 4, 4 },
    { "S4: the same word, 3.125 %",                     "sm_20", 32, 0, 0, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "S4: the same word, 12.5 %",                      "sm_20", 32, 0, 0, 0, 4, REQUEST_LOAD, true, 1, 1 },
    { "S4: 32 lines",                                   "sm_20", 32, 0, 4096, 0, 4, REQUEST_LOAD, false, 128, 4 },
    { "S4: 32 segments",                                "sm_20", 32, 0, 4096, 0, 4, REQUEST_LOAD, true, 32, 4 },
    { "S4: 8 bytes, two lines",                         "sm_20", 32, 0, 8, 0, 8, REQUEST_LOAD, false, 8, 8 },
    { "S4: 16 bytes, four lines",                       "sm_20", 32, 0, 16, 0, 16, REQUEST_LOAD, false, 16, 16 },
    { "S3: 16 columns, two lines",                      "sm_20", 16, 4096, 4, 0, 4, REQUEST_LOAD, false, 8, 4 },
    { "S3: 4 columns, eight lines",                     "sm_20", 4, 4096, 4, 0, 4, REQUEST_LOAD, false, 32, 4 },
    { "S3: 1 column, 32 lines",                         "sm_20", 1, 4096, 4, 0, 4, REQUEST_LOAD, false, 128, 4 },
    { "16 columns",                                     "sm_90", 16, 4096, 4, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "8 columns",                                      "sm_90", 8, 4096, 4, 0, 4, REQUEST_LOAD, false, 4, 4 },
    { "4 columns",                                      "sm_90", 4, 4096, 4, 0, 4, REQUEST_LOAD, false, 8, 4 },
    { "2 columns",                                      "sm_90", 2, 4096, 4, 0, 4, REQUEST_LOAD, false, 16, 4 },
    { "1 column",                                       "sm_90", 1, 4096, 4, 0, 4, REQUEST_LOAD, false, 32, 4 },
    { "stride 8, 50 %",                                 "sm_90", 32, 0, 8, 0, 4, REQUEST_LOAD, false, 8, 4 },
    { "stride 12, 33 %",                                "sm_90", 32, 0, 12, 0, 4, REQUEST_LOAD, false, 12, 4 },
    { "stride 16, 25 %",                                "sm_90", 32, 0, 16, 0, 4, REQUEST_LOAD, false, 16, 4 },
    { "stride 32, 12.5 %",                              "sm_90", 32, 0, 32, 0, 4, REQUEST_LOAD, false, 32, 4 },
    { "S4, 2: rows of 520 floats with a pad of 4",      "sm_20", 32, 0, 4, 2080 + 16, 4, REQUEST_LOAD, false, 8, 4 },
    { "S4, 2: stores of those",                         "sm_20", 32, 0, 4, 2080 + 16, 4, REQUEST_STORE, false, 5, 4 },
    { "S4, 2: rows of 544 floats",                      "sm_20", 32, 0, 4, 2176, 4, REQUEST_LOAD, false, 4, 4 },
    { "S4, 3: fp64 transpose, a load of two lines",     "sm_20", 32, 0, 8, 0, 8, REQUEST_LOAD, false, 8, 8 },
    { "S4, 3: and a store of 32 segments",              "sm_20", 32, 0, 8192, 0, 8, REQUEST_STORE, false, 32, 8 },
    { "S4, 4: structures of 20 doubles, 32 lines",      "sm_20", 32, 0, 160, 0, 8, REQUEST_LOAD, false, 128, 8 },
    { "S4, 4: sectors, 25 %",                           "sm_90", 32, 0, 160, 0, 8, REQUEST_LOAD, false, 32, 8 },
    { "S4, 5: 16 doubles a thread, 32 lines",           "sm_20", 32, 0, 128, 0, 8, REQUEST_LOAD, false, 128, 8 },
};

static void test_global(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(globals); i++) {
        const Lanes lanes = rows_of(globals[i].columns, globals[i].pitch, globals[i].stride, globals[i].first);
        Request r = request_of(&lanes, globals[i].bytes, globals[i].kind);
        r.is_uncached = globals[i].is_uncached;
        const Gpu *gpu = gpu_of(globals[i].gpu);
        double sectors = ptx_traffic_sectors(gpu, &r), ideal = ptx_traffic_ideal_sectors(gpu, &r, sectors);
        if (sectors != globals[i].sectors || ideal != globals[i].ideal)
            fail_msg("%s (%s): %g sectors, ideal %g", globals[i].what, globals[i].gpu, sectors, ideal);
    }
}

/* S4: the order of lanes in a line does not matter; of those in a half-warp of 1.0 it does. */
static void test_permuted(void **state)
{
    (void)state;
    Lanes lanes;
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes.at[i] = (i ^ 5) * 4;
    const Request r = request_of(&lanes, 4, REQUEST_LOAD);
    assert_true(ptx_traffic_sectors(gpu_of("sm_20"), &r) == 4);
    assert_true(ptx_traffic_sectors(gpu_of("sm_90"), &r) == 4);
    assert_true(ptx_traffic_sectors(gpu_of("sm_13"), &r) == 4);
    assert_true(ptx_traffic_sectors(gpu_of("sm_10"), &r) == 32);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *what, *gpu;
    unsigned columns, pitch, stride, bytes;
    double wavefronts, ideal;
} shared[] = {
    { "S1: a row of a tile, two half-warps",            "sm_10", 16, 0, 4, 4, 2, 2 },
    { "S1: one word for each half-warp",                "sm_10", 16, 64, 0, 4, 2, 2 },
    { "a column of 16",                                 "sm_10", 32, 0, 64, 4, 32, 2 },
    { "S4: without conflict",                           "sm_20", 32, 0, 4, 4, 1, 1 },
    { "S4: the same word",                              "sm_20", 32, 0, 0, 4, 1, 1 },
    { "S4: twofold",                                    "sm_20", 32, 0, 8, 4, 2, 1 },
    { "S4: both halves of a bank of 8 bytes",           "sm_30", 32, 0, 8, 4, 1, 1 },
    { "a bank of 8 bytes, two rows",                    "sm_35", 32, 0, 16, 4, 2, 1 },
    { "S4: 256 bytes at once",                          "sm_30", 32, 0, 8, 8, 1, 1 },
    { "16 bytes, a half-warp at once",                  "sm_30", 32, 0, 16, 16, 2, 2 },
    { "S4, 7: a column of doubles, 30 replays",         "sm_20", 32, 0, 256, 8, 32, 2 },
    { "S4, 7: a row of doubles, none",                  "sm_20", 32, 0, 8, 8, 2, 2 },
    { "S4, 7: the column on Kepler, 31 replays",        "sm_30", 32, 0, 256, 8, 32, 1 },
    { "S4, 7: rows of 33 doubles",                      "sm_20", 32, 0, 264, 8, 2, 2 },
    { "rows of 33 doubles",                             "sm_90", 32, 0, 264, 8, 2, 2 },
    { "words, stride 1",                                "sm_90", 32, 0, 4, 4, 1, 1 },
    { "words, stride 2",                                "sm_90", 32, 0, 8, 4, 2, 1 },
    { "words, stride 3",                                "sm_90", 32, 0, 12, 4, 1, 1 },
    { "words, stride 4",                                "sm_90", 32, 0, 16, 4, 4, 1 },
    { "words, stride 8",                                "sm_90", 32, 0, 32, 4, 8, 1 },
    { "words, stride 16",                               "sm_90", 32, 0, 64, 4, 16, 1 },
    { "words, stride 17",                               "sm_90", 32, 0, 68, 4, 1, 1 },
    { "words, stride 32",                               "sm_90", 32, 0, 128, 4, 32, 1 },
    { "words, stride 33",                               "sm_90", 32, 0, 132, 4, 1, 1 },
};

static void test_shared(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shared); i++) {
        const Lanes lanes = rows_of(shared[i].columns, shared[i].pitch, shared[i].stride, 0);
        const Request r = request_of(&lanes, shared[i].bytes, REQUEST_LOAD);
        const Gpu *gpu = gpu_of(shared[i].gpu);
        double wavefronts = ptx_traffic_wavefronts(gpu, &r), ideal = ptx_traffic_ideal_wavefronts(gpu, &r, wavefronts);
        if (wavefronts != shared[i].wavefronts || ideal != shared[i].ideal)
            fail_msg("%s (%s): %g wavefronts, ideal %g", shared[i].what, shared[i].gpu, wavefronts, ideal);
    }
}

/* S4: distinct words of a bank count, not lanes: four lanes at three words are threefold. */
static void test_words_of_a_bank(void **state)
{
    (void)state;
    Lanes lanes = strided(4, 0);
    Request r = request_of(&lanes, 4, REQUEST_LOAD);
    lanes.at[1] = 128;
    assert_true(ptx_traffic_wavefronts(gpu_of("sm_20"), &r) == 2);
    lanes.at[2] = 256;
    lanes.at[3] = 256;
    assert_true(ptx_traffic_wavefronts(gpu_of("sm_20"), &r) == 3);
    lanes.at[1] = 0;
    lanes.at[2] = lanes.at[3] = 0;
    assert_true(ptx_traffic_wavefronts(gpu_of("sm_20"), &r) == 1);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[4096];\n" \
    ".visible .entry k(.param .u64 in) .reqntid 256\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<3>;\n" \
    "ld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\n"

/* An index that data decide: conflicts are neither told nor denied. */
static void test_data_dependent(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(HEAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
                                        "and.b32 %r2, %r2, 1020;\nmov.u32 %r3, s;\nadd.u32 %r4, %r2, %r3;\nld.shared.f32 %f1, [%r4];\n"
                                        "st.global.f32 [%rd3], %f1;\nret;\n}\n");
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        assert_true(strcmp(diags[i].rule, "MEM203"));
    ptxlint_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global), cmocka_unit_test(test_permuted), cmocka_unit_test(test_shared), cmocka_unit_test(test_words_of_a_bank),
        cmocka_unit_test(test_data_dependent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
