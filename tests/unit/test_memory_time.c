/* What a launch moves between L2 and memory, and how long that takes: where data lead, copies,
 * tiles, streams. */
#include "kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

/* A row of 64 bytes that each lane has an index for, or one of 64 KiB that a block has. */
static double gathered_bytes(const char *index, const char *place, int64_t beside)
{
    char text[2048];
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_80\n.address_size 64\n"
             ".entry k(.param .u64 a, .param .u64 i, .param .u64 o)\n{\n"
             ".reg .pred %%p; .reg .u32 %%r<8>; .reg .u64 %%rd<8>; .reg .f32 %%f<6>;\n"
             "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [i]; ld.param.u64 %%rd3, [o];\n"
             "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y;\n"
             "%s mul.wide.u32 %%rd4, %%r4, 4; add.u64 %%rd4, %%rd2, %%rd4;\n"
             "ld.global.u32 %%r5, [%%rd4]; %s add.u64 %%rd5, %%rd1, %%rd5;\n"
             "ld.global.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd5]; add.f32 %%f1, %%f1, %%f4;\n"
             "setp.eq.f32 %%p, %%f1, 0f7f800000; @%%p st.global.f32 [%%rd3], %%f1; ret;\n}\n",
             index, place);
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_trial_init(&trial);
    trial.grid[0] = beside;
    trial.grid[1] = 1024;
    trial.block[0] = 256;
    trial.steps = 1 << 21;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_OK);
    ptxlint_module_free(module);
    return out.time.dram_bytes;
}

/* What blocks side by side read by the same indices comes from memory once, unless they go on from
 * there to places of their own. */
static void test_shared_indices(void **state)
{
    static const char of_lane[] = "mad.lo.u32 %r4, %r3, 256, %r1;",
                      of_block[] = "mov.u32 %r4, %r3;",
                      row[] = "mul.wide.u32 %rd5, %r5, 64;",
                      part[] = "mul.wide.u32 %rd5, %r5, 64; mad.wide.u32 %rd5, %r2, 16, %rd5;",
                      tile[] = "mul.wide.u32 %rd5, %r5, 65536; mad.wide.u32 %rd5, %r1, 16, %rd5;",
                      own[] = "mad.lo.u32 %r6, %r2, 256, %r1; mul.wide.u32 %rd5, %r5, 65536; "
                              "mad.wide.u32 %rd5, %r6, 16, %rd5;";
    const struct { const char *index, *place; double least, most; } cases[] = {
        { of_lane, row, 1, 1.2 }, { of_lane, part, 4, 32 },
        { of_block, tile, 1, 1.2 }, { of_block, own, 8, 16 },
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const double one = gathered_bytes(cases[c].index, cases[c].place, 1),
                     many = gathered_bytes(cases[c].index, cases[c].place, 16);
        if (!(many >= cases[c].least * one && many <= cases[c].most * one))
            fail_msg("case %zu: %g bytes by one block, %g by 16", c, one, many);
    }
}

/* A column of a matrix, so that what a request moves is no matter of the kernel alone. */
static ptxlint_module *columns_on(const ptxlint_gpu *const *gpus, size_t count)
{
    static const char text[] =
        ".version 5.0\n.target sm_30\n.address_size 64\n"
        ".entry k(.param .u64 a, .param .u64 o)\n{\n"
        ".reg .u32 %r<4>; .reg .u64 %rd<6>; .reg .f32 %f<2>;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [o]; mul.wide.u32 %rd3, %r3, 48;\n"
        "add.u64 %rd1, %rd1, %rd3; ld.global.f32 %f1, [%rd1];\n"
        "mul.wide.u32 %rd4, %r3, 4; add.u64 %rd2, %rd2, %rd4; st.global.f32 [%rd2], %f1; ret;\n}\n";
    static const char launch[] = "{\"kernels\": {\"k\": {\"grid\": [4096], \"block\": [256]}}}";
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module;
    char error[256];
    assert_int_equal(
        ptxlint_launches_new(launch, sizeof launch - 1, &launches, error, sizeof error),
        PTXLINT_OK);
    ptxlint_options_init(&options);
    options.gpus = gpus;
    options.gpu_count = count;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, &options, &module), PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

/* Beside others a GPU has the figures that it has alone, where their memory takes requests in other
 * ways: by sectors, by lines of 128 bytes, by halves of a warp. */
static void test_beside(void **state)
{
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_find("h200"), ptxlint_gpu_find("k20"),
                                        ptxlint_gpu_find("gtx280"), ptxlint_gpu_find("a100") };
    ptxlint_module *all = columns_on(gpus, COUNT(gpus));
    (void)state;
    for (size_t g = 0; g < COUNT(gpus); g++) {
        ptxlint_module *alone = columns_on(&gpus[g], 1);
        const ptxlint_projection *got = &kit_kernel(all, NULL)->projections[g],
                                 *want = &kit_kernel(alone, NULL)->projections[0];
        assert_true(want->time.predicted_us > 0 && want->time.dram_bytes > 0);
        const double figures[][2] = {
            { got->time.predicted_us, want->time.predicted_us },
            { got->time.dram_bytes, want->time.dram_bytes },
            { got->time.bound_us, want->time.bound_us },
            { got->bottleneck.replays, want->bottleneck.replays },
            { got->concurrency.bytes, want->concurrency.bytes },
        };
        for (size_t i = 0; i < COUNT(figures); i++)
            if (!is(figures[i][0], figures[i][1]))
                fail_msg("GPU %zu, figure %zu: %g, alone %g", g, i, figures[i][0], figures[i][1]);
        ptxlint_module_free(alone);
    }
    ptxlint_module_free(all);
}

/* Searches in a range of so many integers, for numbers by thread or by data. Lanes in order lead
 * side by side: they ask for less than lanes that go anywhere. The first warp waits at each
 * level. */
static void test_searches(void **state)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u64 o)\n{\n.reg .pred %%p<6>; .reg .b32 %%r<12>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd4, [o]; mov.u32 %%r6, %%ctaid.x; mov.u32 %%r7, "
        "%%tid.x; mad.lo.s32 %%r8, %%r6, 256, %%r7; mul.wide.s32 %%rd3, %%r8, 4; add.s64 %%rd5, "
        "%%rd4, %%rd3; %s mov.u32 %%r1, 0; mov.u32 %%r2, %u;\n"
        "L: add.s32 %%r3, %%r1, %%r2; shr.s32 %%r3, %%r3, 1; mul.wide.s32 %%rd2, %%r3, 4; add.s64 "
        "%%rd2, %%rd1, %%rd2; ld.global.u32 %%r4, [%%rd2]; setp.lt.s32 %%p1, %%r4, %%r9; add.s32 "
        "%%r5, %%r3, 1; selp.b32 %%r1, %%r5, %%r1, %%p1; selp.b32 %%r2, %%r2, %%r3, %%p1; "
        "setp.lt.s32 %%p2, %%r1, %%r2; @%%p2 bra L;\n st.global.u32 [%%rd5], %%r1; ret;\n}\n";
    (void)state;
    double before = 0, miss = 760 / 1980.0;     /* us; of an H200 */
    for (unsigned bits = 8; bits <= 28; bits += 4) {
        char text[2][2048];
        snprintf(text[0], sizeof text[0], format, "mul.lo.s32 %r9, %r8, 7;", 1u << bits);
        snprintf(text[1], sizeof text[1], format, "ld.global.u32 %r9, [%rd5];", 1u << bits);
        ptxlint_time in_order = kit_estimate(text[0], 1 << 10, 256).time,
                     by_chance = kit_estimate(text[1], 1 << 10, 256).time;
        double range = 4.0 * (1 << bits), written = 4.0 * 256 * 1024;
        if (!(in_order.predicted_us > before) || !(in_order.predicted_us > (bits - 3) * miss)
            || !(in_order.predicted_us <= by_chance.predicted_us)
            || !(in_order.dram_bytes <= range + written + 64))
            fail_msg("%u bits: %g us and %g bytes in order, %g and %g by chance", bits,
                     in_order.predicted_us, in_order.dram_bytes, by_chance.predicted_us,
                     by_chance.dram_bytes);
        before = in_order.predicted_us;
    }
}

/* What a texture or surface holds is not known: its bytes are unknown, and the band wide. */
static void test_texels(void **state)
{
    static const char *const texels[] = {
        "sust.b.1d.v4.b32.trap [%rd2, {%r1}], {%r1, %r1, %r1, %r1};",
        "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd2, {%r1}]; st.global.f32 [%rd1], %f1;",
    };
    static const char format[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u64 t)\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [t]; mov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n";
    char text[2048];
    (void)state;
    snprintf(text, sizeof text, format, "");
    const ptxlint_time none = kit_estimate(text, 65536, 256).time;
    assert_false(isnan(none.dram_bytes));
    for (size_t c = 0; c < sizeof texels / sizeof *texels; c++) {
        snprintf(text, sizeof text, format, texels[c]);
        const ptxlint_time time = kit_estimate(text, 65536, 256).time;
        assert_true(isnan(time.dram_bytes) && kit_time_is_in_order(&time));
        assert_string_equal(time.band, "guessed");
        if (!c)                         /* 268 MB at 4.8 TB/s at most */
            assert_true(time.predicted_us > 50 && time.bound_us < 1.1 * none.predicted_us);
    }
}

/* A kernel that makes its tensor map says where its boxes lie; one of the host does not. */
static void test_boxes(void **state)
{
    enum { BLOCKS = 256, BOX_BYTES = 64 * 128, STEPS = 32 };
    static const struct {
        const char *what, *column, *row;        /* coordinates */
        double bytes;           /* of memory */
        bool is_made;
    } cases[] = {
        { "a row of boxes each", "%r3", "%r2", (double)BLOCKS * STEPS * BOX_BYTES, true },
        { "all blocks the same", "%r3", "0", STEPS * BOX_BYTES, true },
        { "a map of the host", "%r3", "%r2", (double)NAN, false },
    };
    double us[3];
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            ".version 8.7\n.target sm_90a\n.address_size 64\n"
            ".visible .entry k(.param .u64 p, .param .u64 q) .reqntid 32 {\n"
            ".reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
            ".shared .align 1024 .b8 tile[8192]; .shared .align 128 .b8 map[128];\n"
            ".shared .align 8 .b64 bar;\n"
            "ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; mov.u32 %%r1, %%ctaid.x;\n"
            "shl.b32 %%r2, %%r1, 6; mov.u32 %%r4, %%tid.x; setp.eq.u32 %%p1, %%r4, 0;\n"
            "mov.u64 %%rd4, 4096; mov.u32 %%r5, 64;\n%s"
            "mov.u32 %%r3, 0;\nL:\n"
            "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8192;\n"
            "@%%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [tile], [%%rd2, {%s, %s}], [bar];\n"
            "add.s32 %%r3, %%r3, 64; setp.lt.s32 %%p2, %%r3, 2048; @%%p2 bra L; ret; }\n",
            cases[c].is_made
                ? "@%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %rd1;\n"
                  "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [map], 1;\n"
                  "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, %r5;\n"
                  "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 1, %r5;\n"
                  "@%p1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], 0, "
                  "%rd4;\n"
                  "@%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [map], 6;\n"
                  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                  ".aligned [%rd2], [map], 128;\n"
                : "",
            cases[c].column, cases[c].row);
        const ptxlint_time time = kit_estimate(text, BLOCKS, 32).time;
        us[c] = time.predicted_us;
        if (isnan(cases[c].bytes) ? !isnan(time.dram_bytes)
                                  : fabs(time.dram_bytes / cases[c].bytes - 1) > 1e-9)
            fail_msg("%s: %.0f bytes, not %.0f", cases[c].what, time.dram_bytes, cases[c].bytes);
    }
    /* 67 MB take 15 us of memory; out of L2 they come faster */
    assert_true(us[0] > 15 && us[1] < us[0] && us[2] < us[0]);
}

/* More than a block can copy is not followed, nor are copies without end: each piece takes time. */
static void test_large_copies(void **state)
{
    static const char *const copies[] = { "2147483632", "%r5" };
    (void)state;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 8.7\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p) .reqntid 32 {\n.reg .pred %%p<2>; "
                 ".reg .b32 %%r<9>; .reg .b64 %%rd<3>;\n.shared .align 128 .b8 tile[65536]; "
                 ".shared .align 8 .b64 bar;\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, 0; "
                 "mov.u32 %%r5, 200000;\nL:\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
                 "[%%rd1], %s, [bar];\nadd.s64 %%rd1, %%rd1, 200000; add.s32 %%r1, %%r1, 1; "
                 "setp.lt.s32 %%p1, %%r1, 1000000;\n@%%p1 bra L; ret; }\n",
                 copies[c]);
        assert_true(isnan(kit_estimate(text, 1024, 32).time.dram_bytes));
    }
}

/* Of pieces of an array that lie more than 64 TiB apart, 32 are kept: beyond that, how many bytes
 * there are is unknown. */
static void test_far_apart(void **state)
{
    static const struct { unsigned rows; bool is_known; } cases[] = { { 16, true }, { 64, false } };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n"
                 "{\n.reg .pred %%p<2>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, 0;\n"
                 "L: st.global.u32 [%%rd1], %%r1; add.s64 %%rd1, %%rd1, 0x400000000000; add.u32 %%r1, "
                 "%%r1, 1; setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra L;\nret;\n}\n",
                 cases[c].rows);
        const double bytes = kit_estimate(text, 1, 1).time.dram_bytes;
        assert_int_equal(!isnan(bytes), cases[c].is_known);
        assert_true(!cases[c].is_known || bytes >= 32.0 * cases[c].rows);
    }
}

/* Measured on an H200: reading 4 GB took 919 us and more; a bound above that was broken. */
static void test_bound_of_memory(void **state)
{
    static const char text[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg "
        ".b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; "
        "mad.lo.s32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;\n"
        "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1]; xor.b32 %r4, %r4, %r5; xor.b32 %r6, %r6, "
        "%r7; xor.b32 %r4, %r4, %r6; setp.eq.u32 %p1, %r4, 7; @%p1 st.global.u32 [%rd1], %r4; "
        "ret;\n}\n";
    (void)state;
    double bound = kit_estimate(text, 1 << 18, 1024).time.bound_us;
    assert_true(bound > 0.95 * 919 && bound <= 919);
}

/* Data say which address: the fewer there are to go to, the more lanes wait for each other; so in
 * memory, in shared memory, and with constants the other way around. */
static void test_crowds(void **state)
{
    static const struct { const char *what, *body; int few, many; } cases[] = {
        { "atomics of memory", "mad.wide.u32 %%rd2, %%r2, 4, %%rd1; red.global.add.u32 [%%rd2], 3;", 63, 1048575 },
        { "atomics of shared memory", "shl.b32 %%r3, %%r2, 2; mov.u32 %%r4, s; add.s32 %%r7, %%r4, %%r3; red.shared.add.u32 [%%r7], %%r1;", 1, 1023 },
        { "constants", "mul.wide.u32 %%rd2, %%r2, 4; mov.u64 %%rd4, c; add.s64 %%rd2, %%rd4, %%rd2; ld.const.u32 %%r5, [%%rd2]; st.global.u32 [%%rd3], %%r5;", 1023, 1 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double us[2];
        for (unsigned n = 0; n < 2; n++) {
            char format[1024], text[1536];
            snprintf(
                format, sizeof format,
                ".version 7.8\n.target sm_90\n.address_size 64\n.const .align 4 .b8 "
                "c[4096];\n.visible .entry k(.param .u64 a)\n{\n.shared .align 4 .b8 s[4096];\n"
                ".reg .b32 %%%%r<8>; .reg .b64 %%%%rd<8>;\nld.param.u64 %%%%rd1, [a]; mov.u32 "
                "%%%%r6, %%%%tid.x; mad.wide.u32 %%%%rd3, %%%%r6, 4, %%%%rd1;\n"
                "ld.global.u32 %%%%r1, [%%%%rd3]; and.b32 %%%%r2, %%%%r1, %%d;\n%s ret;\n}\n",
                cases[c].body);
            snprintf(text, sizeof text, format, n ? cases[c].many : cases[c].few);
            us[n] = kit_estimate(text, 1 << 13, 1024).time.predicted_us;
        }
        if (!(us[0] > 1.05 * us[1]))
            fail_msg("%s: %g and %g us", cases[c].what, us[0], us[1]);
    }
}

/* Reads, writes and copies of 16 bytes a thread, of memory that no cache holds: measured on an H100
 * (tools/measure-times/writes.cu), less the 1.8 us of its events. What is written stays in L2 up to
 * half of it; what is read and what is written take turns. */
static void test_written(void **state)
{
    static const struct { const char *body; double us[3]; } cases[] = {
        { "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3]; setp.eq.u32 %p1, %r3, 1; "
          "@%p1 st.global.u32 [%rd2], %r4;",
          { 4.41, 12.12, 42.84 } },
        { "st.global.v4.u32 [%rd4], {%r1, %r2, %r1, %r2};", { 3.42, 9.5, 39.96 } },
        { "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3]; "
          "st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};",
          { 6.07, 19.74, 85.72 } },
    };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
        ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; mov.u32 %%r1, %%ctaid.x; "
        "mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r2, %%r1, 256, %%r2; mul.wide.u32 %%rd5, %%r2, 16; "
        "add.s64 %%rd3, %%rd1, %%rd5; add.s64 %%rd4, %%rd2, %%rd5;\n%s\nret;\n}\n";
    static const int64_t blocks[] = { 2048, 8192, 32768 };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            char text[1024];
            snprintf(text, sizeof text, format, cases[c].body);
            const double us = kit_estimate_on("h100", text, blocks[b], 256).time.predicted_us;
            if (!(us >= cases[c].us[b] / 1.15 && us <= cases[c].us[b] * 1.15))
                fail_msg("case %zu of %d blocks: %g us, measured %g", c, (int)blocks[b], us,
                         cases[c].us[b]);
        }
}

/* Three planes of 4 MB around a place, of an array that L2 does not hold: each comes once, as the
 * blocks that read it again come soon. A kernel of seven points on an H200 moved 947 MB where all
 * arrays together had 940. */
static void test_planes(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r2, %r1, "
        "256, %r2; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd3, %rd1, %rd5; ld.global.f32 %f1, [%rd3]; "
        "ld.global.f32 %f2, [%rd3+4194304]; ld.global.f32 %f3, [%rd3+8388608]; add.f32 %f1, %f1, "
        "%f2; fma.rn.f32 %f1, %f1, %f2, %f3; st.global.f32 [%rd1], %f1; ret;\n}\n";
    const double planes = 66 * 4194304., bytes = kit_estimate(text, 262144, 256).time.dram_bytes;
    (void)state;
    if (!(bytes >= planes && bytes <= 1.02 * planes))
        fail_msg("%g bytes of %g", bytes, planes);
}

/* Blocks that go along rows of 2,048 bytes by so many bytes, 512 MB in all: reads.cu on an
 * H200. */
static void test_halves_of_lines(void **state)
{
    static const struct { int bytes, shift, lanes; double us; } cases[] = {
        { 64, 2, 3, 227.5 }, { 128, 3, 7, 131.1 }, { 512, 5, 31, 123.9 }
    };
    static const char format[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%rd<8>; .reg .pred %%p;\n"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;\n"
        "shr.u32 %%r3, %%r2, %d; mad.lo.u32 %%r3, %%r1, %d, %%r3; mul.wide.u32 %%rd2, %%r3, 2048;\n"
        "and.b32 %%r4, %%r2, %d; mul.wide.u32 %%rd3, %%r4, 16; add.s64 %%rd4, %%rd1, %%rd2;\n"
        "add.s64 %%rd4, %%rd4, %%rd3; mov.u32 %%r5, 0; mov.u32 %%r6, 0;\n"
        "LOOP: ld.global.v2.u64 {%%rd5, %%rd6}, [%%rd4]; cvt.u32.u64 %%r7, %%rd5;\n"
        "xor.b32 %%r6, %%r6, %%r7; cvt.u32.u64 %%r7, %%rd6; xor.b32 %%r6, %%r6, %%r7;\n"
        "add.s64 %%rd4, %%rd4, %d; add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p, %%r5, %d;\n"
        "@%%p bra LOOP; st.global.u32 [%%rd1], %%r6; ret;\n}\n";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1536];
        const int rows = 256 >> cases[i].shift;
        snprintf(text, sizeof text, format, cases[i].shift, rows, cases[i].lanes, cases[i].bytes,
                 2048 / cases[i].bytes);
        const double us = kit_estimate(text, 262144 / (unsigned)rows, 256).time.predicted_us;
        if (!(us >= cases[i].us / 1.15 && us <= cases[i].us * 1.15))
            fail_msg("by %d bytes: %g us, measured %g", cases[i].bytes, us, cases[i].us);
    }
}

UNIT(memory_time)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_indices),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_texels),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_large_copies),
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_bound_of_memory),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_halves_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
