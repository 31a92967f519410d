/* Lines and arrays that a launch touches, what caches keep of them, and where data lead. */
#include "kit.h"

#include "api/module.h"
#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/address_distribution.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/time/phases.h"
#include "analysis/time/join.h"
#include "gpu/gpu.h"
#include "isa/isa.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- footprints ------------------------------------------------------------------------------ */

enum { BLOCKS = 4 };
#define BASE (UINT64_C(1) << 40)

typedef struct Case {
    const char *what;
    uint64_t stride, by_block;  /* bytes from lane to lane, from block to block */
    FootprintKind kind;
    unsigned times;             /* the same request again */
    double load_lines, load_sectors, store_sectors, read_bytes, written_bytes;
    uint64_t base;
    bool is_stored;             /* by a store before, at the same addresses */
} Case;

/* Four blocks of a warp each, 4 bytes a lane. */
static const Case cases[] = {
    { "a stream", 4, 128, FOOTPRINT_LOAD, 1, 4, 16, 0, 512, 0, BASE, false },
    { "a stream read twice stays in L1", 4, 128, FOOTPRINT_LOAD, 2, 8, 16, 0, 512, 0, BASE, false },
    { "past L1 it does not", 4, 128, FOOTPRINT_LOAD_PAST_L1, 2, 8, 32, 0, 512, 0, BASE, false },
    { "all blocks read the same, each by itself", 4, 0, FOOTPRINT_LOAD, 1, 4, 16, 0, 128, 0, BASE,
      false },
    { "one word for all lanes, and a piece of memory", 0, 64, FOOTPRINT_LOAD, 1, 4, 4, 0, 256, 0,
      BASE, false },
    { "a line for each lane", 128, 4096, FOOTPRINT_LOAD, 1, 128, 128, 0, 8192, 0, BASE, false },
    { "stored again, sent again", 4, 128, FOOTPRINT_STORE, 2, 0, 0, 32, 0, 512, BASE, false },
    { "a stream read twice where no GPU has memory", 4, 128, FOOTPRINT_LOAD, 2, 8, 16, 0, 512, 0,
      INT64_MAX & ~UINT64_C(4095), false },
    { "what the block stored whole is in L1", 4, 128, FOOTPRINT_LOAD, 1, 4, 0, 16, 0, 512, BASE,
      true },
    { "sectors that it stored in part are not", 8, 256, FOOTPRINT_LOAD, 1, 8, 32, 32, 1024, 1024,
      BASE, true },
};

static bool is(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

static void test_footprint(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const Case *want = &cases[c];
        Arena arena;
        jmp_buf on_failure;
        ptx_arena_init(&arena, 1 << 22, &on_failure);
        assert_int_equal(setjmp(on_failure), 0);
        Footprint *footprint = ptx_footprint_new(&arena);
        for (uint64_t b = 0; b < BLOCKS; b++) {
            uint64_t addresses[32];
            for (uint64_t i = 0; i < 32; i++)
                addresses[i] = want->base + b * want->by_block + i * want->stride;
            FootprintRequest request = { .addresses = addresses, .lanes = UINT32_MAX, .bytes = 4,
                                         .kind = FOOTPRINT_STORE };
            if (want->is_stored)
                ptx_footprint_note(footprint, &request);
            request.kind = want->kind;
            for (unsigned k = 0; k < want->times; k++)
                ptx_footprint_note(footprint, &request);
            ptx_footprint_close(footprint, 1);
        }
        Traffics got = ptx_footprint_sum(footprint, &arena, 1);
        if (!is(got.load_lines, want->load_lines) || !is(got.load_sectors, want->load_sectors)
            || !is(got.store_sectors, want->store_sectors) || !is(got.read_bytes, want->read_bytes)
            || !is(got.written_bytes, want->written_bytes))
            fail_msg("%s: %g lines, %g sectors, %g stored, %g bytes read, %g written", want->what,
                     got.load_lines, got.load_sectors, got.store_sectors, got.read_bytes,
                     got.written_bytes);
        ptx_arena_free(&arena);
    }
}

/* Two warps that read the same rows twice: the second waits beside the first, and both ask again
 * after as many sectors as a row has. */
static void test_reuse(void **state)
{
    enum { ROW = 16 };
    Arena arena;
    jmp_buf on_failure;
    double waits[2][2] = { { 0 } };
    (void)state;
    ptx_arena_init(&arena, 1 << 22, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    Footprint *footprint = ptx_footprint_new(&arena);
    for (uint32_t warp = 0; warp < 2; warp++)
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint64_t i = 0; i < ROW; i++) {
                uint64_t addresses[32];
                for (uint64_t lane = 0; lane < 32; lane++)
                    addresses[lane] = (UINT64_C(1) << 40) + 128 * i + 4 * lane;
                const FootprintRequest request = { .addresses = addresses,
                                                   .lanes = UINT32_MAX,
                                                   .bytes = 4,
                                                   .warp = warp,
                                                   .kind = FOOTPRINT_LOAD };
                waits[warp][pass] += ptx_footprint_note(footprint, &request);
            }
    ptx_footprint_close(footprint, 10);
    Traffics got = ptx_footprint_sum(footprint, &arena, 1);
    assert_true(is(waits[0][0], ROW) && is(waits[0][1], 0) && is(waits[1][0], ROW)
                && is(waits[1][1], 0));
    assert_true(is(got.load_sectors, 10 * 4 * ROW));
    /* 64 sectors apart, less than 128; side by side */
    assert_true(is(got.reused[7], 10 * 2 * 4 * ROW)
                && is(got.reused[0] + got.reused[1], 10 * 4 * ROW));
    ptx_arena_free(&arena);
}

/* Rows of 256 bytes that a warp reads by pieces of 64: at once, by lines, by halves of lines. */
static void test_turns(void **state)
{
    static const struct { uint32_t of_turn; double pieces, lines; } cases[] = {
        { 4, 0, 0 }, { 2, 0, 4 }, { 1, 4, 4 }
    };
    Arena arena;
    jmp_buf on_failure;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ptx_arena_init(&arena, 1 << 22, &on_failure);
        assert_int_equal(setjmp(on_failure), 0);
        Footprint *footprint = ptx_footprint_new(&arena);
        for (uint32_t i = 0; i < 4; i++) {
            uint64_t addresses[32];
            for (uint64_t lane = 0; lane < 32; lane++)
                addresses[lane] = (UINT64_C(1) << 40) + lane / 16 * 4096 + 64 * i + lane % 16 * 4;
            ptx_footprint_note(footprint, &(FootprintRequest){ .addresses = addresses,
                                                               .lanes = UINT32_MAX,
                                                               .bytes = 4,
                                                               .turn = i / cases[c].of_turn,
                                                               .kind = FOOTPRINT_LOAD });
        }
        ptx_footprint_close(footprint, 1);
        const Traffics got = ptx_footprint_sum(footprint, &arena, 1);
        assert_true(is(got.first_pieces, 8) && is(got.torn_pieces, 2 * cases[c].pieces)
                    && is(got.torn_lines, 2 * cases[c].lines));
        ptx_arena_free(&arena);
    }
}

typedef struct StoresCase {
    uint64_t distance, step;    /* bytes between lanes; between stores of a warp */
    uint32_t bytes, stores;
    bool is_run, is_read;       /* one behind the other; of what the block has read before */
    double written, partly, lines, sectors, parts;
} StoresCase;

static void store_all(Footprint *footprint, const StoresCase *c, FootprintKind kind)
{
    for (uint32_t i = 0; i < c->stores; i++) {
        uint64_t addresses[32];
        for (uint64_t lane = 0; lane < 32; lane++)
            addresses[lane] = (UINT64_C(1) << 40) + c->distance * lane + c->step * i;
        ptx_footprint_note(footprint, &(FootprintRequest){ .addresses = addresses,
                                                           .lanes = UINT32_MAX,
                                                           .bytes = c->bytes,
                                                           .turn = 1,
                                                           .run = c->is_run,
                                                           .kind = kind });
    }
}

/* What goes to memory, and what of it lies in sectors that are stored in part; what goes to L2. */
static void test_stores(void **state)
{
    static const StoresCase cases[] = {
        /* rows: in order, each second word, each eighth, half of each second sector */
        { 4, 0, 4, 1, false, false, 128, 0, 4.0 / 4, 4, 0 },
        { 8, 0, 4, 1, false, false, 256, 256, 2, 8, 6 },
        { 32, 0, 4, 1, false, false, 1024, 1024, 8, 32, 24 },
        { 64, 0, 16, 1, false, false, 1024, 1024, 16, 32, 16 },
        { 8, 0, 4, 1, false, true, 256, 0, 2, 8, 6 },
        /* four members of 4 bytes, apart and behind each other; two; two of four */
        { 16, 4, 4, 4, false, false, 512, 0, 16, 64, 48 },
        { 16, 4, 4, 4, true, false, 512, 0, 4 + 12 * 0.1, 16 + 48 * 0.1, 48 * 0.1 },
        { 8, 4, 4, 2, true, false, 256, 0, 2, 8, 0 },
        { 16, 4, 4, 2, true, false, 512, 512, 4 + 4 * 0.1, 16 + 16 * 0.1, 12 + 12 * 0.1 },
        /* rows behind each other have nothing in common */
        { 4, 128, 4, 4, true, false, 512, 0, 4, 16, 0 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Arena arena;
        jmp_buf on_failure;
        ptx_arena_init(&arena, 1 << 22, &on_failure);
        assert_int_equal(setjmp(on_failure), 0);
        Footprint *footprint = ptx_footprint_new(&arena);
        if (cases[c].is_read)
            store_all(footprint, &cases[c], FOOTPRINT_LOAD);
        store_all(footprint, &cases[c], FOOTPRINT_STORE);
        ptx_footprint_close(footprint, 1);
        const Traffics got = ptx_footprint_sum(footprint, &arena, 1);
        assert_true(is(got.written_bytes, cases[c].written)
                    && is(got.partly_bytes, cases[c].partly));
        assert_true(is(got.store_lines, cases[c].lines) && is(got.store_sectors, cases[c].sectors)
                    && is(got.parts_of_sectors, cases[c].parts));
        ptx_arena_free(&arena);
    }
}

static Cached cached_in_arena(const CacheInput *in)
{
    Arena arena;
    jmp_buf on_failure;
    ptx_arena_init(&arena, 1 << 20, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    Cached out = ptx_cached_compute(&arena, in);
    ptx_arena_free(&arena);
    return out;
}

/* Of blocks that share an SM: those that read the same fetch it about once, and what they ask for
 * again is gone where it does not fit. */
static Cached cached_of(const ArrayTraffic *array, double reused, double resident)
{
    const Gpu *gpu = ptx_gpu_find("h200", 4);
    Evaluation evaluation = { .grid = { 132 * 16, 1, 1 }, .blocks = 132 * 16 };
    evaluation.traffics = (Traffics){ .load_sectors = array->missed,
                                      .load_requests = array->missed / 4,
                                      .load_pieces = array->missed / 2,
                                      .read_bytes = array->read_bytes,
                                      .arrays = array,
                                      .array_count = 1 };
    evaluation.traffics.reused[8] = reused;
    return cached_in_arena(&(CacheInput){
        .evaluation = &evaluation, .gpu = gpu, .blocks_per_sm = resident, .warps_per_block = 4 });
}

static void test_caches(void **state)
{
    ArrayTraffic own = {
        .missed = 1e6, .read_bytes = 32e6, .shift = { 1 << 14 }, .is_shifted = { true }
    };
    ArrayTraffic same = {
        .missed = 1e6, .read_bytes = 1 << 20, .shift = { 0 }, .is_shifted = { true }
    };
    ArrayTraffic unknown = { .missed = 1e6, .read_bytes = 1 << 20 };
    (void)state;
    assert_true(is(cached_of(&own, 0, 16).load_sectors, 1e6));
    assert_true(cached_of(&same, 0, 16).load_sectors < 0.2e6);
    assert_true(is(cached_of(&unknown, 0, 16).load_sectors, 1e6));
    /* 4 blocks of 16 KiB: all there */
    assert_true(is(cached_of(&own, 1e5, 4).load_sectors, 1e6));
    /* 16 fill L1 but for 2 %: hardly any */
    assert_true(cached_of(&own, 1e5, 16).load_sectors > 1.09e6);
    assert_true(is(cached_of(&own, 1e5, 4).lost, 0) && cached_of(&own, 1e5, 16).lost > 0.9);
    /* neighbours ask L2 for the same at once */
    assert_true(is(cached_of(&own, 0, 16).joined_sectors, 0));
    assert_true(is(cached_of(&same, 0, 1).joined_sectors, cached_of(&same, 0, 1).load_sectors));
}

/* Blocks of 32 by 8 of a grid in space, each of which reads its part of three planes. Where L2
 * holds planes, memory is asked for each of them once. */
static void test_planes(void **state)
{
    static const struct { uint32_t grid[3]; double least, most; } cases[] = {
        { { 12, 48, 384 }, 1, 1.1 },           /* of 590 KB */
        { { 128, 512, 16 }, 2.5, 3 },           /* of 67 MB: three times */
    };
    enum { SECTORS = 8 * 4, ROW = 128 };
    const Gpu *gpu = ptx_gpu_find("h200", 4);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t *grid = cases[c].grid;
        const int64_t rows = 8 * (int64_t)grid[0] * ROW, plane = rows * grid[1];
        const double blocks = (double)grid[0] * grid[1] * grid[2],
                     once = (double)plane * (grid[2] + 2);
        const ArrayTraffic array = { .missed = 3 * SECTORS * blocks,
                                     .read_bytes = once,
                                     .extent_bytes = once,
                                     .shift = { ROW, rows, plane },
                                     .is_shifted = { true, true, true } };
        Evaluation evaluation = { .grid = { grid[0], grid[1], grid[2] }, .blocks = blocks };
        evaluation.traffics = (Traffics){ .load_sectors = array.missed,
                                          .load_requests = array.missed / 4,
                                          .load_pieces = array.missed / 2,
                                          .read_bytes = once,
                                          .arrays = &array,
                                          .array_count = 1 };
        const Cached got = cached_in_arena(&(CacheInput){
            .evaluation = &evaluation, .gpu = gpu, .blocks_per_sm = 8, .warps_per_block = 8 });
        if (!(got.read_bytes >= cases[c].least * once && got.read_bytes <= cases[c].most * once))
            fail_msg("%zu: %g of what is read once", c, got.read_bytes / once);
    }
}

/* ---- where data lead ------------------------------------------------------------------------- */

/* Passes of an atomic request: a sector once for each lane at its most crowded address. */
static void test_passes(void **state)
{
    const struct { unsigned lanes_each, stride, bytes; bool is_serial; double want; } cases[] = {
        { 1, 4, 4, false, 4 }, { 1, 32, 4, false, 32 }, { 32, 4, 4, false, 32 }, { 4, 4, 4, false, 4 }, { 8, 4, 4, false, 8 }, { 8, 32, 4, false, 32 },
        { 1, 8, 8, false, 16 }, { 32, 4, 4, true, 80 }, { 1, 4, 4, true, 4 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t addresses[32];
        for (unsigned i = 0; i < 32; i++)
            addresses[i] = 4096 + i / cases[c].lanes_each * cases[c].stride;
        assert_true(is(ptx_atomic_passes(addresses, UINT32_MAX, cases[c].bytes, cases[c].is_serial),
                       cases[c].want));
    }
}

/* Clocks that a load holds the data of L1, as measured (tools/measure-times/lines.cu). */
static void test_l1_passes(void **state)
{
    /* rows of lanes side by side, `pitch` apart, from byte `shift` on */
    const struct {
        uint64_t rows, pitch, shift;
        uint32_t bytes;
        FootprintKind kind;
        double want;
    } cases[] = {
        { 1, 0, 0, 4, FOOTPRINT_LOAD, 1 },     { 1, 0, 4, 4, FOOTPRINT_LOAD, 1 },
        { 2, 8192, 0, 4, FOOTPRINT_LOAD, 2 },  { 2, 8256, 0, 4, FOOTPRINT_LOAD, 1 },
        { 4, 8256, 4, 4, FOOTPRINT_LOAD, 2 },  { 4, 8224, 4, 4, FOOTPRINT_LOAD, 2 },
        { 32, 132, 0, 4, FOOTPRINT_LOAD, 8 },  { 32, 128, 0, 4, FOOTPRINT_LOAD, 32 },
        { 1, 0, 8, 8, FOOTPRINT_LOAD, 2 },     { 4, 8208, 0, 8, FOOTPRINT_LOAD, 4 },
        { 8, 8192, 0, 16, FOOTPRINT_LOAD_PAST_L1, 4 },
    };
    Arena arena;
    jmp_buf on_failure;
    (void)state;
    ptx_arena_init(&arena, 1 << 22, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t addresses[32], each = 32 / cases[c].rows;
        for (uint64_t i = 0; i < 32; i++)
            addresses[i] = (UINT64_C(1) << 40) + i / each * cases[c].pitch
                           + i % each * cases[c].bytes + cases[c].shift;
        Footprint *footprint = ptx_footprint_new(&arena);
        ptx_footprint_note(footprint, &(FootprintRequest){ .addresses = addresses,
                                                           .lanes = UINT32_MAX,
                                                           .bytes = cases[c].bytes,
                                                           .kind = cases[c].kind });
        ptx_footprint_close(footprint, 1);
        const double got = ptx_footprint_sum(footprint, &arena, 1).load_passes;
        if (!is(got, cases[c].want))
            fail_msg("case %zu: %g for %g", c, got, cases[c].want);
    }
    ptx_arena_free(&arena);
}

/* Blocks that a run stands for: the ends of what they touch are known as if they had run. */
static void test_ends(void **state)
{
    const FootprintShift by_column = { { 128, 0, 0 }, { 2, 0, 0 } },
                         by_row = { { 0, -4096, 0 }, { 0, 1, 0 } };
    const int64_t column[3] = { 6, 0, 0 }, row[3] = { 0, 3, 0 }, between[3] = { 3, 0, 0 };
    Arena arena;
    jmp_buf on_failure;
    uint64_t addresses[32];
    (void)state;
    ptx_arena_init(&arena, 1 << 22, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    for (uint64_t i = 0; i < 32; i++)
        addresses[i] = (UINT64_C(1) << 40) + 4 * i;
    Footprint *footprint = ptx_footprint_new(&arena);
    FootprintRequest load = { .addresses = addresses, .lanes = UINT32_MAX, .bytes = 4,
                              .kind = FOOTPRINT_LOAD, .shift = &by_column };
    ptx_footprint_begin(footprint, true);
    ptx_footprint_note(footprint, &load);
    assert_true(ptx_footprint_note_ends(footprint, column));
    assert_false(ptx_footprint_note_ends(footprint, between));
    assert_false(ptx_footprint_note_ends(footprint, row));
    assert_true(is(ptx_footprint_read_bytes(footprint), 3 * 128 + 128));
    load.shift = &by_row;
    ptx_footprint_begin(footprint, true);
    ptx_footprint_note(footprint, &load);
    assert_true(ptx_footprint_note_ends(footprint, row));
    assert_true(is(ptx_footprint_read_bytes(footprint), 3 * 128 + 128 + 3 * 4096));
    load.is_moved = true;
    ptx_footprint_note(footprint, &load);
    assert_false(ptx_footprint_note_ends(footprint, row));
    ptx_footprint_begin(footprint, false);
    assert_false(ptx_footprint_note_ends(footprint, row));
    ptx_arena_free(&arena);
}

/* Few blocks hide little: the norm goes from a sum to the third power. Blocks that store in turns
 * hide waits by what they have under way: 32 KB of an SM to the power 2.1. */
static void test_phases(void **state)
{
    const struct { PhasesInput in; double memory, units, waits; } cases[] = {
        { { 1, 16, 1, false, 0 }, 1, 3, 3 },     { { 4, 16, 1, false, 0 }, 3, 3, 3 },
        { { 1, 4, 0, false, 0 }, 1, 3, 3 },      { { 1, 32, 0, false, 0 }, 3, 3, 3 },
        { { 1, 4, 0, true, 0 }, 3, 1, 3 },       { { 2, 4, 0, true, 0 }, 3, 3, 3 },
        { { 1, 4, 0, true, 512 }, 3, 1, 1 },     { { 2, 4, 0, true, 16384 }, 3, 3, 2.1 },
        { { 4, 4, 0, true, 1 << 20 }, 3, 3, 3 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const Phases got = ptx_phases_find(&cases[c].in);
        if (!is(got.memory, cases[c].memory) || !is(got.units, cases[c].units)
            || !is(got.waits, cases[c].waits))
            fail_msg("case %zu: %g, %g, %g", c, got.memory, got.units, got.waits);
    }
}

/* Full waves have their share; of 2.25 the last quarter waits as long as a full one. */
static void test_last_wave(void **state)
{
    const struct { double waves, latency, dispatch, want; } cases[] = {
        { 0.75, 90, 0, 0 }, { 2, 90, 0, 0 }, { 2.25, 0, 0, 0 }, { 0, 90, 0, 0 },
        { 2.25, 90, 0, 40 - 10 }, { 2.25, 90, 9, 40 - 10 - 4 }, { 2.25, 90, 900, 0 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Prediction of = { .waves = cases[c].waves, .phase_exponent = 3, .unit_exponent = 3,
                          .waits_exponent = 3, .turns_of_memory = 3 };
        of.parts_us[PART_LATENCY] = cases[c].latency;
        of.parts_us[PART_DRAM] = cases[c].latency > 0 ? 0 : 90;
        of.parts_us[PART_DISPATCH] = cases[c].dispatch;
        const double got = ptx_predict_last_wave_us(&of);
        if (!is(got, cases[c].want))
            fail_msg("case %zu: %g for %g", c, got, cases[c].want);
    }
    /* one block more than a wave, on the SM that has most of 8.01: an eighth of its wave alone */
    Prediction busy = { .waves = 1.001, .busiest_share = 1.125 / 1.001, .phase_exponent = 3,
                        .unit_exponent = 3, .waits_exponent = 3, .turns_of_memory = 3,
                        .limiter = PART_ISSUE };
    busy.parts_us[PART_ISSUE] = 90;
    busy.parts_us[PART_LATENCY] = 45;
    const double alone = cbrt(pow(10, 3) + pow(40, 3)), all = cbrt(pow(90, 3) + pow(45, 3));
    assert_true(is(ptx_predict_last_wave_us(&busy), alone - all / 9));
}

/* Of the last load of a kernel with that body; %rd1 is its array. */
static AddressDistribution distribution_of(const char *body)
{
    char text[1024];
    Arena arena;
    jmp_buf on_failure;
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
             "a)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<10>;\n"
             "ld.param.u64 %%rd1, [a]; %s ld.global.u32 %%r7, [%%rd9]; ret;\n}\n",
             body);
    ptxlint_module *module = kit_module(text);
    ptx_arena_init(&arena, 1 << 20, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    const Func *func = &module->ir->funcs[0];
    AddressDistribution last =
        ptx_address_distribution_compute(&arena, &arena, NULL, NULL, func,
                                         NULL)[func->insn_count - 2];
    ptx_arena_free(&arena);
    ptxlint_module_free(module);
    return last;
}

/* The bytes that the body's last instruction may reach. a points to numbers; behind each body
 * stands an access at %rd9. */
static void test_spread(void **state)
{
    static const struct { const char *body; double want;
    } cases[] = {
        { "ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, 255; mul.wide.u32 %rd2, %r2, 4; add.s64 "
          "%rd9, %rd1, %rd2;",
          1024 },
        { "ld.global.u8 %r1, [%rd1]; shl.b32 %r2, %r1, 3; cvt.u64.u32 %rd2, %r2; add.s64 %rd9, "
          "%rd1, %rd2;",
          255 * 8 + 4 },
        { "ld.global.u32 %r1, [%rd1]; shr.u32 %r2, %r1, 20; mul.wide.u32 %rd2, %r2, 4; add.s64 "
          "%rd9, %rd1, %rd2;",
          4096 * 4 },
        { "ld.global.u32 %r1, [%rd1]; rem.u32 %r2, %r1, 100; mad.wide.u32 %rd9, %r2, 16, %rd1;",
          1600 + 4 },
        { "ld.global.u32 %r1, [%rd1]; bfe.u32 %r2, %r1, 8, 4; mad.wide.u32 %rd9, %r2, 4, %rd1;",
          64 },
        { "mov.u32 %r1, %tid.x; mad.wide.u32 %rd9, %r1, 4, %rd1;", 0 },
        { "ld.global.u32 %r1, [%rd1]; mad.wide.u32 %rd9, %r1, 4, %rd1;", (double)INFINITY },
        { "mov.u32 %r1, 7; L: and.b32 %r2, %r1, 15; mad.wide.u32 %rd2, %r2, 4, %rd1; ld.global.u32 "
          "%r1, [%rd2]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;\n"
          "mov.u64 %rd9, %rd2;",
          64 },
        { "mov.u32 %r1, 0; L: ld.global.u8 %r2, [%rd1]; add.s32 %r1, %r1, %r2; setp.ne.s32 %p1, "
          "%r2, 0; @%p1 bra L;\n"
          "mad.wide.u32 %rd9, %r1, 4, %rd1;",
          (double)INFINITY },
        /* the lanes before this one that keep something; lanes that data choose */
        { "ld.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; vote.sync.ballot.b32 %r2, %p1, -1; "
          "mov.u32 %r3, %lanemask_lt; and.b32 %r4, %r2, %r3; popc.b32 %r5, %r4; add.s32 %r6, %r5, "
          "%r1; mad.wide.u32 %rd9, %r6, 4, %rd1;",
          0 },
        { "ld.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; vote.sync.ballot.b32 %r2, %p1, -1; "
          "and.b32 %r4, %r2, %r1; popc.b32 %r5, %r4; add.s32 %r6, %r5, %r1; mad.wide.u32 %rd9, "
          "%r6, 4, %rd1;",
          (double)INFINITY },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double got = distribution_of(cases[c].body).reach;
        if (!(got == cases[c].want))
            fail_msg("%s: %g bytes, not %g", cases[c].body, got, cases[c].want);
    }
}

/* Of the body's loads, the share of sectors that each asks for itself. */
static void test_neighbours(void **state)
{
    static const struct { const char *body; double want; } cases[] = {
        { "ld.global.u32 %r2, [%rd9];", 0.5 },                          /* the very place */
        { "ld.global.u32 %r2, [%rd9+16];", 0.75 },
        { "ld.global.u32 %r2, [%rd9+32];", 1 },
        { "add.s32 %r3, %r1, 2; mad.wide.u32 %rd2, %r3, 4, %rd1; ld.global.u32 %r2, [%rd2];", 0.625 },
        { "ld.global.u32 %r3, [%rd1+4]; mad.wide.u32 %rd2, %r3, 4, %rd1; ld.global.u32 %r2, [%rd2];", 1 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ld.global.u32 %%r1, [%%rd1]; mad.wide.u32 %%rd9, %%r1, 4, %%rd1; %s",
                 cases[c].body);
        double got = distribution_of(text).own;
        if (fabs(got - cases[c].want) > 1e-9)
            fail_msg("%s: %g, not %g", cases[c].body, got, cases[c].want);
    }
}

UNIT(footprints)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_reuse), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_l1_passes),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_last_wave),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
