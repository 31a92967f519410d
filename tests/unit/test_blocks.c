/* test_blocks.c -- launches of many blocks of which a few differ, and loops of many trips: what is
 * called exact has to be so for every one of them.
 *
 * Each kernel stores 4 bytes a lane, 4 sectors to a warp; in the blocks for which the predicate
 * holds the lanes are 128 bytes apart, 32 sectors. How many such blocks there are is counted here
 * one by one. */
#include "kit.h"

#include <math.h>

enum { BLOCKS = 100003, SECTORS = 4, SECTORS_APART = 32 };

typedef bool Differs(uint32_t block);

typedef struct Case {
    const char *text;           /* %r1: %ctaid.x; %p1: whether lanes are apart */
    Differs *differs;
    bool is_provable;           /* in the budget */
} Case;

static bool one(uint32_t block) { return block == 777; }
static bool bit(uint32_t block) { return block & 64; }
static bool last(uint32_t block) { return block > 100000; }
static bool every(uint32_t block) { return block % 17 == 3; }
static bool tiled(uint32_t block) { return block / 1000 == 61; }
static bool rare(uint32_t block) { return block * 256 % 1000003 < 3; }
static bool hashed(uint32_t block) { return (block * UINT32_C(2654435761) >> 20) == 5; }
static bool swapped(uint32_t block) { return (block ^ 5) == 12345; }
static bool wrapped(uint32_t block) { return block * UINT32_C(65536) > UINT32_C(4294000000); }
static bool product(uint32_t block) { return (uint64_t)block * block == 998001; }
static bool negative(uint32_t block) { return (int32_t)(block - 50000) / 7 == -3; }
static bool low_bits(uint32_t block) { return ((block * 6 + 4) & 15) == 8; }
static bool multiplied(uint32_t block) { return (block * 32 + 31) / 7 % 5 == 3; }
static bool fraction(uint32_t block) { return block % 7 == 5; }
static bool upper(uint32_t block) { return (int32_t)(block - 50000) >> 4 == -9; }
static bool field(uint32_t block) { return (block >> 3 & 31) == 17; }
static bool sign(uint32_t block) { return (block >> 3 & 31) >= 16; }
static bool logic(uint32_t block) { return ((block & 0xf00) ^ 0x500) == 0x300; }
static bool lop(uint32_t block)
{
    return ((block & 0xf00 & ~0x500u) | (~block & 0xf00 & 0x500)) == 0x300;
}
static bool partner(uint32_t block) { return (block ^ 64) > block && !(block & 512); }
static bool inverted(uint32_t block) { return (~block & 0xff) == 3; }
static bool funnelled(uint32_t block) { return (block << 3 | block >> 29) % 256 == 88; }
static bool high_word(uint32_t block) { return ((uint64_t)block << 20 >> 32) == 9; }
static bool bytes(uint32_t block) { return (block >> 8 & 255) == 77; }
static bool inserted(uint32_t block) { return ((block & 15) << 4 | 5) == 0x95; }
static bool three(uint32_t block) { return block % 7 == 1 && block / 7 % 11 == 4; }
static bool wide(uint32_t block) { return (uint64_t)block * 1000000 / 1000000007 % 3 == 1; }
static bool clamped(uint32_t block) { return (block < 90000 ? block : 90000) == 90000; }

static const Case cases[] = {
    { "setp.eq.u32 %p1, %r1, 777;", one, true },
    { "and.b32 %r2, %r1, 64; setp.ne.u32 %p1, %r2, 0;", bit, true },
    { "setp.gt.u32 %p1, %r1, 100000;", last, true },
    { "rem.u32 %r2, %r1, 17; setp.eq.u32 %p1, %r2, 3;", every, true },
    { "div.u32 %r2, %r1, 1000; setp.eq.u32 %p1, %r2, 61;", tiled, true },
    { "mul.lo.u32 %r2, %r1, 256; rem.u32 %r2, %r2, 1000003; setp.lt.u32 %p1, %r2, 3;", rare, true },
    { "mul.lo.u32 %r2, %r1, -1640531535; shr.u32 %r2, %r2, 20; setp.eq.u32 %p1, %r2, 5;", hashed,
      false },
    { "xor.b32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 12345;", swapped, true },
    { "mul.lo.u32 %r2, %r1, 65536; setp.gt.u32 %p1, %r2, 4294000000;", wrapped, true },
    { "mul.wide.u32 %rd9, %r1, %r1; setp.eq.u64 %p1, %rd9, 998001;", product, false },
    { "sub.s32 %r2, %r1, 50000; div.s32 %r2, %r2, 7; setp.eq.s32 %p1, %r2, -3;", negative, true },
    { "mad.lo.u32 %r2, %r1, 6, 4; and.b32 %r2, %r2, 15; setp.eq.u32 %p1, %r2, 8;", low_bits, true },
    { "mad.lo.u32 %r2, %r1, 32, 31; mul.hi.u32 %r6, %r2, 613566757; sub.u32 %r7, %r2, %r6; shr.u32 "
      "%r7, %r7, 1; add.u32 %r7, %r7, %r6; shr.u32 %r7, %r7, 2;"
      "mul.hi.u32 %r6, %r7, -858993459; shr.u32 %r6, %r6, 2; mul.lo.u32 %r6, %r6, 5; sub.u32 %r2, "
      "%r7, %r6; setp.eq.u32 %p1, %r2, 3;",
      multiplied, true },
    { "mul.hi.u32 %r6, %r1, 613566757; sub.u32 %r7, %r1, %r6; shr.u32 %r7, %r7, 1; add.u32 %r7, "
      "%r7, %r6; shr.u32 %r7, %r7, 2; mul.lo.u32 %r7, %r7, 7;"
      "sub.u32 %r2, %r1, %r7; setp.eq.u32 %p1, %r2, 5;",
      fraction, true },
    { "sub.s32 %r2, %r1, 50000; shr.s32 %r2, %r2, 4; setp.eq.s32 %p1, %r2, -9;", upper, true },
    { "bfe.u32 %r2, %r1, 3, 5; setp.eq.u32 %p1, %r2, 17;", field, true },
    { "bfe.s32 %r2, %r1, 3, 5; setp.lt.s32 %p1, %r2, 0;", sign, true },
    { "lop3.b32 %r2, %r1, 3840, 1280, 0x6a; and.b32 %r2, %r2, 3840; xor.b32 %r6, %r1, 1280; "
      "and.b32 %r6, %r6, 3840; setp.eq.u32 %p1, %r6, 768;",
      logic, true },
    { "lop3.b32 %r2, %r1, 3840, 1280, 0x48; setp.eq.u32 %p1, %r2, 768;", lop, true },
    { "xor.b32 %r2, %r1, 64; and.b32 %r6, %r1, 512; setp.eq.u32 %p2, %r6, 0; setp.gt.and.u32 %p1, "
      "%r2, %r1, %p2;",
      partner, true },
    { "not.b32 %r2, %r1; and.b32 %r2, %r2, 255; setp.eq.u32 %p1, %r2, 3;", inverted, true },
    { "shf.l.wrap.b32 %r2, %r1, %r1, 3; and.b32 %r2, %r2, 255; setp.eq.u32 %p1, %r2, 88;",
      funnelled, true },
    { "mul.wide.u32 %rd8, %r1, 1048576; mov.b64 {%r6, %r2}, %rd8; setp.eq.u32 %p1, %r2, 9;",
      high_word, true },
    { "prmt.b32 %r2, %r1, 0, 0x4441; setp.eq.u32 %p1, %r2, 77;", bytes, true },
    { "bfi.b32 %r2, %r1, 5, 4, 4; setp.eq.u32 %p1, %r2, 0x95;", inserted, true },
    { "rem.u32 %r2, %r1, 7; div.u32 %r6, %r1, 7; rem.u32 %r6, %r6, 11; setp.eq.u32 %p2, %r6, 4; "
      "setp.eq.and.u32 %p1, %r2, 1, %p2;",
      three, true },
    { "mul.wide.u32 %rd8, %r1, 1000000; div.u64 %rd8, %rd8, 1000000007; rem.u64 %rd8, %rd8, 3; "
      "setp.eq.u64 %p1, %rd8, 1;",
      wide, true },
    { "min.u32 %r2, %r1, 90000; setp.eq.u32 %p1, %r2, 90000;", clamped, true },
};

static ptxlint_module *report_of(const char *text, int blocks, int threads)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    char json[128], error[256] = "";
    int length = snprintf(
        json, sizeof json,
        "{\"kernels\": {\"k\": {\"grid\": [%d, 1, 1], \"block\": [%d, 1, 1], \"params\": [null]}}}",
        blocks, threads);
    ptxlint_launches *launches = NULL;
    assert_int_equal(ptxlint_launches_new(json, (size_t)length, &launches, error, sizeof error),
                     PTXLINT_OK);
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    char *errors = kit_list(module, true);
    if (*errors)
        fail_msg("%s: %s", text, errors);
    free(errors);
    kit_kernel(module, "k");
    ptxlint_launches_free(launches);
    return module;
}

/* head, tail: what is around the access. */
static void check(const Case *c, const char *head, const char *tail, int blocks, bool is_provable)
{
    Text text = { 0 };
    kit_print(&text,
              ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
              ".reg .pred %%p<4>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<10>;\n"
              "ld.param.u64 %%rd1, [p];\nmov.u32 %%r3, %%tid.x;\n%s\n%s\n"
              "selp.b32 %%r4, 128, 4, %%p1;\nmul.lo.u32 %%r5, %%r3, %%r4;\ncvt.u64.u32 %%rd2, "
              "%%r5;\nmul.wide.u32 %%rd3, %%r1, 4096;\n"
              "add.s64 %%rd4, %%rd1, %%rd2;\nadd.s64 %%rd5, %%rd4, %%rd3;\nst.global.u32 [%%rd5], "
              "%%r3;\n%s\nret;\n}\n",
              head, c->text, tail);
    double differing = 0;
    for (uint32_t block = 0; block < BLOCKS; block++)
        differing += c->differs(block);
    double want = (differing * SECTORS_APART + (BLOCKS - differing) * SECTORS) / BLOCKS;
    ptxlint_module *module = report_of(text.bytes, blocks, 32);
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    for (size_t i = 0; i < kernel->access_count; i++) {
        const ptxlint_access *access = &kernel->accesses[i];
        if (isnan(access->sectors_per_request))
            continue;
        bool is_exact = access->certainty == PTXLINT_EXACT;
        if (is_exact && fabs(access->sectors_per_request - want) > 1e-9)
            fail_msg("%s %s: called exact, %.12g sectors, want %.12g", head, c->text,
                     access->sectors_per_request, want);
        if (is_provable && !is_exact)
            fail_msg("%s: not exact", c->text);
    }
    ptxlint_module_free(module);
    free(text.bytes);
}

static void test_blocks_that_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], "mov.u32 %r1, %ctaid.x;", "", BLOCKS, cases[i].is_provable);
}

/* The same numbers trip by trip: more than the budget does for. */
static void test_trips_that_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], "mov.u32 %r1, 0;\nAGAIN:",
              "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 100003;\n@%p3 bra AGAIN;", 1, false);
}

/* Pieces of so many bytes that lanes of 4 bytes, step apart, touch on an average of all blocks. */
static double pieces(uint32_t begins, uint32_t step, uint32_t piece, uint32_t blocks)
{
    double sum = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t at = (block * begins + lane * step) / piece;
            sum += at != last;
            last = at;
        }
    }
    return sum / blocks;
}

/* Blocks that touch as many sectors may touch another number of lines. */
static void test_lines_of_blocks(void **state)
{
    static const struct { uint32_t begins, step, blocks; } all[] = {
        { 32, 4, 7 }, { 64, 4, 1001 }, { 96, 4, 50 }, { 32, 12, 1000 }, { 160, 8, 33 },
        { 256, 4, 9 }, { 288, 100, 13 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 9.0\n.target sm_90\n.address_size 64\n"
                  ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n"
                  "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n"
                  "mul.lo.u32 %%r3, %%r1, %u;\nmad.lo.u32 %%r4, %%r2, %u, %%r3;\n"
                  "cvt.u64.u32 %%rd2, %%r4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
                  "st.global.u32 [%%rd3], %%r1;\nret;\n}\n",
                  all[i].step, all[i].begins);
        ptxlint_module *module = report_of(text.bytes, (int)all[i].blocks, 32);
        const ptxlint_access *access = &kit_kernel(module, "k")->accesses[1];
        const double sectors = pieces(all[i].begins, all[i].step, 32, all[i].blocks),
                     lines = pieces(all[i].begins, all[i].step, 128, all[i].blocks);
        assert_int_equal(access->certainty, PTXLINT_EXACT);
        if (fabs(access->sectors_per_request - sectors) > 1e-9
            || fabs(access->lines_per_request - lines) > 1e-9)
            fail_msg("%zu: %g sectors, %g lines; want %g, %g", i, access->sectors_per_request,
                     access->lines_per_request, sectors, lines);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* A thread's number joined with that of its block, at shift, by op. */
typedef struct Joined {
    const char *op;             /* of %r1, the block's, and %r2, the thread's */
    uint32_t shift, mask, step;
    bool is_xor, is_provable;
} Joined;

enum { JOINED_BLOCKS = 37, JOINED_THREADS = 256 };

static uint32_t joined_sector(const Joined *j, uint32_t block, uint32_t thread)
{
    const uint32_t at = block << j->shift, number = thread & j->mask;
    return (j->is_xor ? at ^ number : at | number) * j->step / 32;
}

/* Of a request, on average. */
static double joined_sectors(const Joined *j)
{
    double sum = 0;
    for (uint32_t block = 0; block < JOINED_BLOCKS; block++)
        for (uint32_t thread = 0; thread < JOINED_THREADS; thread++) {
            bool is_new = true;
            for (uint32_t other = thread / 32 * 32; other < thread; other++)
                is_new &= joined_sector(j, block, other) != joined_sector(j, block, thread);
            sum += is_new;
        }
    return sum / (JOINED_BLOCKS * JOINED_THREADS / 32);
}

static void test_joined_bits(void **state)
{
    static const Joined all[] = {
        { "or.b32 %r3, %r1, %r2;", 7, 127, 4, false, true },
        { "or.b32 %r3, %r2, %r1;", 8, 255, 4, false, true },
        { "xor.b32 %r3, %r1, %r2;", 9, 255, 12, true, true },
        { "or.b32 %r3, %r1, %r2;", 5, 31, 20, false, true },
        /* bits meet */
        { "or.b32 %r3, %r1, %r2;", 4, 31, 8, false, false },
        { "or.b32 %r3, %r1, %r2;", 6, 255, 36, false, false },
        { "xor.b32 %r3, %r2, %r1;", 3, 63, 4, true, false },
        { "xor.b32 %r3, %r1, %r2;", 0, 255, 8, true, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 9.0\n.target sm_90\n.address_size 64\n"
                  ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n"
                  "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%ctaid.x;\nshl.b32 %%r1, %%r1, %u;\n"
                  "mov.u32 %%r2, %%tid.x;\nand.b32 %%r2, %%r2, %u;\n%s\n"
                  "mul.wide.u32 %%rd2, %%r3, %u;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
                  "ld.global.u32 %%r4, [%%rd3];\nst.global.u32 [%%rd1], %%r4;\nret;\n}\n",
                  all[i].shift, all[i].mask, all[i].op, all[i].step);
        ptxlint_module *module = report_of(text.bytes, JOINED_BLOCKS, JOINED_THREADS);
        const ptxlint_access *access = &kit_kernel(module, "k")->accesses[1];
        const double want = joined_sectors(&all[i]);
        const bool is_exact = access->certainty == PTXLINT_EXACT;
        if (is_exact && fabs(access->sectors_per_request - want) > 1e-9)
            fail_msg("%s << %u: called exact, %.12g sectors, want %.12g", all[i].op, all[i].shift,
                     access->sectors_per_request, want);
        if (all[i].is_provable && !is_exact)
            fail_msg("%s << %u: not exact", all[i].op, all[i].shift);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

UNIT(blocks)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_blocks_that_differ),
                                        cmocka_unit_test(test_trips_that_differ),
                                        cmocka_unit_test(test_lines_of_blocks),
                                        cmocka_unit_test(test_joined_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
