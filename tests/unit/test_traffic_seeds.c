/* test_traffic_seeds.c -- what a request of a warp costs on each generation of GPUs, as published.
 * S1: Ryoo et al., PPoPP 2008. S3: Torres et al., "CUDA tuning and configuration parameters on
 * Fermi architecture". S4: Micikevicius, "GPU Performance Analysis and Optimization" (GTC 2012). */
#include "kit.h"

#include "analysis/sim/cost/traffic.h"
#include "analysis/sim/request.h"
#include "analysis/sim/value.h"
#include "gpu/gpu.h"

#include <math.h>

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
    return (Request){ .addresses = lanes->at,
                      .lanes = UINT32_MAX,
                      .bytes = bytes,
                      .kind = (uint8_t)kind,
                      .matrices = 1 };
}

/* ---- global memory --------------------------------------------------------------------------- */

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
        const Lanes lanes = rows_of(globals[i].columns, globals[i].pitch, globals[i].stride,
                                    globals[i].first);
        Request r = request_of(&lanes, globals[i].bytes, globals[i].kind);
        r.is_uncached = globals[i].is_uncached;
        const Gpu *gpu = gpu_of(globals[i].gpu);
        double sectors = ptx_traffic_sectors(gpu, &r),
               ideal = ptx_traffic_ideal_sectors(gpu, &r, sectors);
        if (sectors != globals[i].sectors || ideal != globals[i].ideal)
            fail_msg("%s (%s): %g sectors, ideal %g", globals[i].what, globals[i].gpu, sectors,
                     ideal);
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

/* ---- shared memory --------------------------------------------------------------------------- */

static const struct {
    const char *what, *gpu;
    unsigned columns, pitch, stride, bytes;
    double wavefronts, ideal;
} shared[] = {
    { "S1: a row of a tile, two half-warps",            "sm_10", 16, 0, 4, 4, 2, 2 },
    { "S1: one word for each half-warp",                "sm_10", 16, 64, 0, 4, 2, 2 },
    { "a column of 16",                                 "sm_10", 32, 0, 64, 4, 32, 2 },
    { "1.x: bytes of one word, one after the other",    "sm_10", 32, 0, 1, 1, 8, 2 },
    { "halves of one word",                             "sm_13", 32, 0, 2, 2, 4, 2 },
    { "the same half for all",                          "sm_10", 32, 0, 0, 2, 2, 2 },
    { "2.x: bytes of one word",                         "sm_20", 32, 0, 1, 1, 1, 1 },
    { "S4: without conflict",                           "sm_20", 32, 0, 4, 4, 1, 1 },
    { "S4: the same word",                              "sm_20", 32, 0, 0, 4, 1, 1 },
    { "S4: twofold",                                    "sm_20", 32, 0, 8, 4, 2, 1 },
    { "S4: both halves of a bank of 8 bytes",           "sm_30", 32, 0, 8, 4, 1, 1 },
    { "a bank of 8 bytes, two rows",                    "sm_35", 32, 0, 16, 4, 2, 1 },
    { "S4: 256 bytes at once",                          "sm_30", 32, 0, 8, 8, 1, 1 },
    { "S4: 8-byte mode, 4-byte words of one pair",      "sm_30", 32, 0, 4, 4, 1, 1 },
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
        double wavefronts = ptx_traffic_wavefronts(gpu, &r),
               ideal = ptx_traffic_ideal_wavefronts(gpu, &r, wavefronts);
        if (wavefronts != shared[i].wavefronts || ideal != shared[i].ideal)
            fail_msg("%s (%s): %g wavefronts, ideal %g", shared[i].what, shared[i].gpu, wavefronts,
                     ideal);
    }
}

/* S4: Kepler's two modes. A bank is (address / 8) mod 32 in that of 8 bytes, (address / 4) mod 32
 * in that of 4, of which the two halves of a row of 256 bytes do not conflict. */
static const struct {
    const char *what;
    unsigned stride, bytes, four, eight;
} modes[] = {
    { "words side by side", 4, 4, 1, 1 },           { "every second word", 8, 4, 1, 1 },          { "every fourth word", 16, 4, 2, 2 },
    { "words 5 apart", 20, 4, 1, 2 },               { "doubles side by side", 8, 8, 1, 1 },       { "a column of doubles", 256, 8, 32, 32 },
    { "a column of doubles in rows of 33", 264, 8, 2, 1 },
};

static void test_modes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++) {
        const Lanes lanes = strided(modes[i].stride, 0);
        Request r = request_of(&lanes, modes[i].bytes, REQUEST_LOAD);
        double four = ptx_traffic_wavefronts(gpu_of("sm_30"), &r);
        r.bank_bytes = 8;
        double eight = ptx_traffic_wavefronts(gpu_of("sm_30"), &r),
               fermi = ptx_traffic_wavefronts(gpu_of("sm_20"), &r);
        r.bank_bytes = 0;
        if (four != modes[i].four || eight != modes[i].eight)
            fail_msg("%s: %g in the mode of 4 bytes, %g in that of 8", modes[i].what, four, eight);
        /* it has one mode */
        assert_true(fermi == ptx_traffic_wavefronts(gpu_of("sm_20"), &r));
    }
}

/* S4: 32 banks of 4 bytes, of 8 bytes on Kepler: 256 bytes a clock of an SM, 1.53 TB/s of 8 SMs at
 * 745 MHz, 2.06 at 1006. */
static void test_bandwidth(void **state)
{
    (void)state;
    const Gpu *fermi = gpu_of("sm_20"), *kepler = gpu_of("sm_30");
    assert_true(ptx_gpu_count_of(fermi, FIGURE_SHARED_BANKS, 0)
                    * ptx_gpu_count_of(fermi, FIGURE_SHARED_BANK_BYTES, 0)
                == 128);
    double bytes = (double)(ptx_gpu_count_of(kepler, FIGURE_SHARED_BANKS, 0)
                            * ptx_gpu_count_of(kepler, FIGURE_SHARED_BANK_BYTES_WIDE, 0));
    assert_true(bytes == 256);
    assert_true(round(bytes * 8 * 0.745) == 1526 && round(bytes * 8 * 1.006) == 2060);
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

/* ---- kernels --------------------------------------------------------------------------------- */

#define HEAD                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[4096];\n"  \
    ".visible .entry k(.param .u64 in) .reqntid 256\n{\n.reg .b32 %r<9>;\n.reg .b64 " \
    "%rd<9>;\n.reg .f32 %f<3>;\n"                                                     \
    "ld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\n"

/* An index that data decide: conflicts are neither reported nor denied. */
static void test_data_dependent(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        HEAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
             "and.b32 %r2, %r2, 1020;\nmov.u32 %r3, s;\nadd.u32 %r4, %r2, %r3;\nld.shared.f32 %f1, "
             "[%r4];\n"
             "st.global.f32 [%rd3], %f1;\nret;\n}\n");
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        assert_true(strcmp(diags[i].rule, "MEM203"));
    ptxlint_module_free(module);
}

/* 69 loads of neighbours from 12 on: the first stands alone, each four behind it are a vector. */
static void test_long_row(void **state)
{
    (void)state;
    Text text = { 0 };
    kit_print(&text, ".version 8.0\n.target sm_90\n.address_size 64\n"
                     ".shared .align 16 .b8 s[4608];\n"
                     ".visible .entry k(.param .u64 out) .reqntid 256\n{\n"
                     ".reg .b32 %%r<9>;\n.reg .b64 %%rd<2>;\n.reg .f32 %%f<3>;\n"
                     "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, s;\n"
                     "mad.lo.u32 %%r3, %%r1, 16, %%r2;\nmov.f32 %%f2, 0f00000000;\n");
    for (unsigned i = 0; i < 69; i++)
        kit_print(&text, "ld.shared.f32 %%f1, [%%r3+%u];\nadd.f32 %%f2, %%f2, %%f1;\n", 12 + 4 * i);
    kit_print(&text, "st.global.f32 [%%rd1], %%f2;\nret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    size_t count, conflicts = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        conflicts += strcmp(diags[i].rule, "MEM203") ? 0 : 1 + diags[i].repeat_count;
    assert_int_equal(conflicts, 1);
    ptxlint_module_free(module);
    free(text.bytes);
}

/* ---- kernels of each generation -------------------------------------------------------------- */

/* The access at a line that holds `marker`; the module is freed with *module. */
static ptxlint_access access_of(const char *gpu_name, const char *target, const char *settings,
                                const char *body, const char *marker, ptxlint_module **module)
{
    Text text = { 0 };
    kit_print(&text,
              ".version 3.0\n.target %s\n.address_size 64\n.shared .align 8 .b8 s[16384];\n.const "
              ".align 4 .b8 c[4096];\n"
              ".entry k(.param .u64 in)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .f32 "
              "%%f<3>;\n.reg .f64 %%fd<3>;\n"
              "ld.param.u64 %%rd1, [in];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, "
              "%%ctaid.y;\n%s\nret;\n}\n",
              target, body);
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_options_init(&options);
    assert_int_equal(ptxlint_launches_new(settings, strlen(settings), &launches, NULL, 0),
                     PTXLINT_OK);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, module), PTXLINT_OK);
    char *errors = kit_list(*module, true);
    assert_string_equal(errors, "");
    free(errors);
    const ptxlint_kernel *kernel = kit_kernel(*module, "k");
    const char *at = strstr(text.bytes, marker);
    assert_non_null(at);
    ptxlint_access found = { .span = { 0, 0 } };
    for (size_t i = 0; i < kernel->access_count; i++)
        if (kernel->accesses[i].span.begin == (uint32_t)(at - text.bytes))
            found = kernel->accesses[i];
    assert_true(found.span.end > 0);
    ptxlint_launches_free(launches);
    free(text.bytes);
    return found;
}

#define LAUNCH(grid_y)                              \
    "{\"kernels\": {\"k\": {\"grid\": [1, " #grid_y \
    ", 1], \"block\": [32, 1, 1], \"params\": [null]}}}"
#define ROW_OF(bytes) "mul.wide.u32 %rd2, %r1, " #bytes ";\nadd.s64 %rd3, %rd1, %rd2;\n"
#define COLUMN_OF(bytes) "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r1, " #bytes ", %r3;\n"

/* sectors and wavefronts NaN: not of that space. */
static const struct {
    const char *what, *gpu, *settings, *body, *marker, *pattern;
    double sectors, wavefronts, addresses, efficiency;
} kernels[] = {
    { "S1 5.2: one constant for all threads", "g80", LAUNCH(1), "ld.const.f32 %f1, [c+8];",
      "ld.const", NULL, NAN, NAN, 1, 1 },
    { "S1 5.2: a constant for each", "g80", LAUNCH(1),
      "mov.u64 %rd4, c;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd4, %rd5;\nld.const.f32 %f1, "
      "[%rd6];",
      "ld.const", NULL, NAN, NAN, 32, 1 / 32. },
    { "S4: offset, twice", "sm_20", LAUNCH(1), ROW_OF(4) "ld.global.f32 %f1, [%rd3+4];",
      "ld.global", "offset", 8, NAN, NAN, 0.5 },
    { "S4: offset past L1, 5 of 4", "sm_20", LAUNCH(1), ROW_OF(4) "ld.global.cg.f32 %f1, [%rd3+4];",
      "ld.global", "offset", 5, NAN, NAN, 0.8 },
    { "S4: a stride", "sm_20", LAUNCH(1), ROW_OF(16) "ld.global.f32 %f1, [%rd3];", "ld.global",
      "strided", 16, NAN, NAN, 0.25 },
    { "S4: a stretch for each thread", "sm_20", LAUNCH(1),
      ROW_OF(
          128) "ld.global.f64 %fd1, [%rd3];\nmov.u32 %r5, 0;\nL:\nld.global.cg.f64 %fd1, [%rd3];\n"
               "add.s64 %rd3, %rd3, 8;\nadd.u32 %r5, %r5, 1;\n.reg .pred %p1;\nsetp.lt.u32 %p1, "
               "%r5, 16;\n@%p1 bra L;",
      "ld.global.cg", "per-thread", 32, NAN, NAN, 0.25 },
    { "S4: no order", "sm_20", LAUNCH(1),
      "mul.lo.u32 %r3, %r1, 2654435769;\nand.b32 %r3, %r3, 1048064;\ncvt.u64.u32 %rd2, "
      "%r3;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "ld.global.cg.f32 %f1, [%rd3];",
      "ld.global", "irregular", 32, NAN, NAN, 0.125 },
    { "S4, 2: rows of 520 floats, dx -4: 1.75", "sm_20", LAUNCH(4),
      ROW_OF(4) "mad.wide.u32 %rd4, %r2, 2080, %rd3;\nld.global.f32 %f1, [%rd4];", "ld.global",
      "offset", 7, NAN, NAN, 4 / 7. },
    { "S4, 2: dx 0: 2.00", "sm_20", LAUNCH(4),
      ROW_OF(4) "mad.wide.u32 %rd4, %r2, 2080, %rd3;\nld.global.f32 %f1, [%rd4+16];", "ld.global",
      "offset", 8, NAN, NAN, 0.5 },
    { "S4, 2: dx 4: 1.75", "sm_20", LAUNCH(4),
      ROW_OF(4) "mad.wide.u32 %rd4, %r2, 2080, %rd3;\nld.global.f32 %f1, [%rd4+32];", "ld.global",
      "offset", 7, NAN, NAN, 4 / 7. },
    { "S4, 3: a store of the transpose", "sm_20", LAUNCH(1),
      ROW_OF(8192) "st.global.f64 [%rd3], %fd1;", "st.global", "strided", 32, NAN, NAN, 0.25 },
    { "S4, 3: the same through shared memory: 2 lines", "sm_20", LAUNCH(1),
      ROW_OF(8) "st.global.f64 [%rd3], %fd1;", "st.global", "contiguous", 8, NAN, NAN, 1 },
    { "S4, 7: a column of doubles", "sm_20", LAUNCH(1), COLUMN_OF(256) "ld.shared.f64 %fd1, [%r4];",
      "ld.shared", "strided", NAN, 32, NAN, 2 / 32. },
    { "S4, 7: in rows of 33 on Kepler", "sm_30", LAUNCH(1),
      COLUMN_OF(264) "ld.shared.f64 %fd1, [%r4];", "ld.shared", "strided", NAN, 2, NAN, 0.5 },
    { "S4, 7: in its mode of 8 bytes", "sm_30",
      "{\"kernels\": {\"k\": {\"grid\": [1], \"block\": [32], \"params\": [null], "
      "\"shared_bank_bytes\": 8}}}",
      COLUMN_OF(264) "ld.shared.f64 %fd1, [%r4];", "ld.shared", "strided", NAN, 1, NAN, 1 },
    { "S4, 7: in rows of 33", "sm_20", LAUNCH(1), COLUMN_OF(264) "ld.shared.f64 %fd1, [%r4];",
      "ld.shared", "strided", NAN, 2, NAN, 1 },
};

static bool is_same(double got, double want)
{
    return isnan(want) ? isnan(got) : fabs(got - want) < 1e-9;
}

static void test_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kernels); i++) {
        const char *target = strcmp(kernels[i].gpu, "g80") ? "sm_20" : "sm_10";
        ptxlint_module *module;
        const ptxlint_access a = access_of(kernels[i].gpu, target, kernels[i].settings,
                                           kernels[i].body, kernels[i].marker, &module);
        bool is_pattern = kernels[i].pattern ? a.pattern && !strcmp(a.pattern, kernels[i].pattern)
                                             : !a.pattern;
        if (!is_same(a.sectors_per_request, kernels[i].sectors)
            || !is_same(a.wavefronts_per_request, kernels[i].wavefronts)
            || !is_same(a.addresses_per_request, kernels[i].addresses)
            || !is_same(a.efficiency, kernels[i].efficiency) || !is_pattern)
            fail_msg("%s: %g sectors, %g wavefronts, %g addresses, efficiency %g, %s (%s)",
                     kernels[i].what, a.sectors_per_request, a.wavefronts_per_request,
                     a.addresses_per_request, a.efficiency, a.pattern ? a.pattern : "no pattern",
                     a.why);
        ptxlint_module_free(module);
    }
}

/* S4, 2: what was measured, 1.78 lines a load, lies between what the offsets of the stencil give.
 * S4, 4: 27 % of 24.5 lines is 6.6, 3.3 times the ideal of 2; the strided loads alone take 32. */
static void test_measured_between(void **state)
{
    (void)state;
    ptxlint_module *module;
    const ptxlint_access least = access_of("sm_20", "sm_20", LAUNCH(4), kernels[7].body,
                                           "ld.global", &module);
    double least_lines = least.sectors_per_request / 4;
    ptxlint_module_free(module);
    const ptxlint_access most = access_of("sm_20", "sm_20", LAUNCH(4), kernels[8].body, "ld.global",
                                          &module);
    assert_true(least_lines <= 1.78 && 1.78 <= most.sectors_per_request / 4);
    ptxlint_module_free(module);
    const ptxlint_access structure = access_of("sm_20", "sm_20", LAUNCH(1),
                                               ROW_OF(160) "ld.global.f64 %fd1, [%rd3];",
                                               "ld.global", &module);
    double lines = structure.sectors_per_request / 4,
           ideal = structure.ideal_sectors_per_request / 4, without_hits = (1 - 0.73) * 24.5;
    assert_true(ideal == 2 && lines == 32 && ideal < without_hits && without_hits < 24.5
                && 24.5 < lines);
    assert_true(fabs(without_hits - 6.615) < 1e-9 && fabs(without_hits / ideal - 3.3075) < 1e-9);
    ptxlint_module_free(module);
}

/* S2: occupancy is of second order under misalignment. */
static void test_rank(void **state)
{
    (void)state;
    ptxlint_module *module;
    access_of(
        "g80", "sm_10",
        "{\"kernels\": {\"k\": {\"grid\": [4096, 1, 1], \"block\": [32, 1, 1], "
        "\"params\": [null]}}}",
        ROW_OF(4) "ld.global.f32 %f1, [%rd3+4];\nst.global.f32 [%rd3+4], %f1;", "ld.global",
        &module);
    size_t count, misaligned = SIZE_MAX, occupancy = SIZE_MAX;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = count; i-- > 0;) {
        misaligned = strcmp(diags[i].group, "memory") ? misaligned : i;
        occupancy = strcmp(diags[i].group, "occupancy") ? occupancy : i;
    }
    assert_true(occupancy != SIZE_MAX);
    assert_true(misaligned < occupancy);
    ptxlint_module_free(module);
}

UNIT(traffic_seeds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global),         cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_shared),         cmocka_unit_test(test_words_of_a_bank),
        cmocka_unit_test(test_data_dependent), cmocka_unit_test(test_long_row),
        cmocka_unit_test(test_modes),          cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_kernels),        cmocka_unit_test(test_measured_between),
        cmocka_unit_test(test_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
