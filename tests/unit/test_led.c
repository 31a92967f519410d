/* What data lead to: rows of a table whose index a loop loads anew, or does not, indices that lanes
 * hand over, and tables that an unrolled loop leads into. */
#include "kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 1 << 10, THREADS = 32, TURNS = 32, ROW_BYTES = 512 };

static double bytes_launched(const char *body, const char *params)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 i, .param "
        ".u64 t, .param .u64 o)\n{\n.reg .pred %%p<3>; .reg .b32 %%r<20>; .reg .b64 %%rd<30>; .reg "
        ".f32 %%f<9>;\n.shared .align 16 .b8 s[512];\n"
        "ld.param.u64 %%rd1, [i]; ld.param.u64 %%rd2, [t]; ld.param.u64 %%rd3, [o]; mov.u32 %%r1, "
        "%%tid.x; mov.u32 %%r2, %%ctaid.x; mul.wide.u32 %%rd4, %%r1, 16; add.s64 %%rd2, %%rd2, "
        "%%rd4; mul.wide.u32 %%rd5, %%r2, 128; add.s64 %%rd1, %%rd1, %%rd5; mov.u32 %%r3, 0;\n%s\n"
        "mad.lo.s32 %%r9, %%r2, 32, %%r1; mul.wide.u32 %%rd9, %%r9, 4; add.s64 %%rd3, %%rd3, "
        "%%rd9; st.global.u32 [%%rd3], %%r6; ret;\n}\n";
    char text[4096];
    snprintf(text, sizeof text, format, body);
    return kit_estimate_with(text, params, BLOCKS, THREADS).time.dram_bytes;
}

static double bytes_of(const char *body)
{
    return bytes_launched(body, "null, null, null");
}

#define ROW \
    "mul.wide.s32 %rd6, %r4, 512; add.s64 %rd7, %rd2, %rd6; " \
    "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd7];"
#define NEXT "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 32; @%p1 bra L;"

/* Each warp goes through 32 indices, a row of 512 bytes each, or takes one row 32 times. */
static void test_rows(void **state)
{
    static const struct { const char *what, *body; double rows; } cases[] = {
        { "another index in each turn",
          "L: ld.global.u32 %r4, [%rd1];" ROW "add.s64 %rd1, %rd1, 4;" NEXT, TURNS },
        { "the same index in each turn", "L: ld.global.u32 %r4, [%rd1];" ROW NEXT, 1 },
        { "an index loaded before", "ld.global.u32 %r4, [%rd1]; L:" ROW NEXT, 1 },
        { "its address made of another index",
          "L: ld.global.u32 %r10, [%rd1]; mul.wide.s32 %rd8, %r10, 4; add.s64 %rd8, %rd1, %rd8; "
          "ld.global.u32 %r4, [%rd8];" ROW "add.s64 %rd1, %rd1, 4;" NEXT,
          TURNS },
        { "a row read twice in a turn",
          "L: ld.global.u32 %r4, [%rd1];" ROW "ld.global.u32 %r11, [%rd7]; add.s32 %r6, %r6, %r11; "
          "add.s64 %rd1, %rd1, 4;" NEXT,
          TURNS },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double rows = bytes_of(cases[c].body) / ROW_BYTES / BLOCKS;
        if (!(rows > 0.9 * cases[c].rows && rows < 1.2 * cases[c].rows + 1.5))
            fail_msg("%s: %g rows a warp, not %g", cases[c].what, rows, cases[c].rows);
    }
}

#define LANE \
    "mul.wide.u32 %rd10, %r1, 16; mad.wide.u32 %rd11, %r2, 384, %rd1; " \
    "add.s64 %rd11, %rd11, %rd10; "
#define WORD(n, by) \
    "mul.wide.s32 %rd1" n ", " by ", 64; add.s64 %rd2" n ", %rd2, %rd1" n "; " \
    "ld.global.u32 %r1" n ", [%rd2" n "]; xor.b32 %r19, %r19, %r1" n ";"

/* Four indices a lane lead to four places, by whichever way they come; each is stored. */
static void test_vectors(void **state)
{
    static const struct { const char *what, *body; } cases[] = {
        { "a load each",
          LANE "ld.global.u32 %r4, [%rd11]; ld.global.u32 %r5, [%rd11+4]; ld.global.u32 %r6, "
               "[%rd11+8]; ld.global.u32 %r7, [%rd11+12];" },
        { "a vector", LANE "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd11];" },
        { "by way of shared memory",
          LANE "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd11]; mov.u32 %r14, s; mad.lo.s32 "
               "%r14, %r1, 16, %r14; st.shared.v4.u32 [%r14], {%r10, %r11, %r12, %r13}; "
               "bar.sync 0; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r14];" },
    };
    double first = 0;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char body[2048];
        snprintf(body, sizeof body, "%s%s", cases[c].body,
                 WORD("5", "%r4") WORD("6", "%r5") WORD("7", "%r6") WORD("8", "%r7")
                 "mad.lo.s32 %r9, %r2, 32, %r1; mul.wide.u32 %rd29, %r9, 16;"
                 "add.s64 %rd29, %rd3, %rd29;"
                 "st.global.v4.u32 [%rd29], {%r15, %r16, %r17, %r18}; mov.u32 %r6, %r19;");
        const double bytes = bytes_of(body);
        first = c ? first : bytes;
        if (!(bytes > 0.8 * first && bytes < 1.25 * first && bytes > 64.0 * 2 * 32 * BLOCKS))
            fail_msg("%s: %g bytes, %g by a load each", cases[c].what, bytes, first);
    }
}

#define TURN(at) \
    "ld.global.nc.f32 %f1, [%rd5+" at "]; ld.global.nc.f32 %f2, [%rd6+" at "]; " \
    "fma.rn.f32 %f3, %f1, %f2, %f3; "

static double l2_of_lists(const char *turns, unsigned elements)
{
    static const char format[] =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 i, .param "
        ".u64 a, .param .u64 b, .param .u64 o)\n{\n.reg .pred %%p<3>; .reg .b32 %%r<9>; .reg .b64 "
        "%%rd<9>; .reg .f32 %%f<9>;\nld.param.u64 %%rd1, [i]; ld.param.u64 %%rd2, [a]; ld.param.u64 "
        "%%rd3, [b]; ld.param.u64 %%rd4, [o]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; "
        "mad.lo.s32 %%r1, %%r2, 256, %%r1; mul.wide.s32 %%rd7, %%r1, 4; add.s64 %%rd1, %%rd1, "
        "%%rd7; add.s64 %%rd4, %%rd4, %%rd7; ld.global.nc.u32 %%r3, [%%rd1]; ld.global.nc.u32 "
        "%%r4, [%%rd1+4]; mul.wide.s32 %%rd8, %%r3, 4; add.s64 %%rd5, %%rd2, %%rd8; add.s64 %%rd6, "
        "%%rd3, %%rd8; mov.f32 %%f3, 0f00000000;\nL: .pragma \"nounroll\";\n%s\nadd.s64 %%rd5, "
        "%%rd5, %u; add.s64 %%rd6, %%rd6, %u; add.s32 %%r3, %%r3, %u; setp.lt.s32 %%p1, %%r3, "
        "%%r4; @%%p1 bra L; st.global.f32 [%%rd4], %%f3; ret;\n}\n";
    char text[4096];
    snprintf(text, sizeof text, format, turns, 4 * elements, 4 * elements, elements);
    const ptxlint_time time = kit_estimate(text, 132 * 8, 256).time;
    for (size_t p = 0; p < time.part_count; p++)
        if (!strcmp(time.parts[p].part, "l2"))
            return time.parts[p].us;
    return (double)NAN;
}

/* A thread goes through two lists: 2,048 of an SM do not find the sector again that they are at,
 * but what a turn asks for together comes once. */
static void test_lists(void **state)
{
    const double each = l2_of_lists(TURN("0"), 1),
                 four = l2_of_lists(TURN("0") TURN("4") TURN("8") TURN("12"), 4);
    (void)state;
    if (!(each > 2 * four && each < 4 * four))
        fail_msg("%g us by one element a turn, %g by four", each, four);
}

/* Lanes side by side go through a list of each, as sliced formats of matrices lay them out: none
 * takes what another does. Five turns of four elements are assumed, and five of one. */
static void test_slices(void **state)
{
    enum { SLICED_BLOCKS = 4096, SLICED_THREADS = 256, WORD = 4, ELEMENTS = 25, OTHERS = 2 };
    size_t length;
    char *text = kit_read("tests/data/sliced.ptx", &length);
    const ptxlint_time time = kit_estimate(text, SLICED_BLOCKS, SLICED_THREADS).time;
    const double words = time.dram_bytes / SLICED_BLOCKS / SLICED_THREADS / WORD;
    (void)state;
    free(text);
    if (!(words > ELEMENTS + OTHERS && words < ELEMENTS + OTHERS + 1))
        fail_msg("%g words a thread come from memory", words);
}

#define NEIGHBOURS \
    "mul.wide.u32 %rd10, %r1, 4; add.s64 %rd11, %rd1, %rd10; ld.param.u64 %rd12, [t];" \
    "L: ld.global.u32 %r4, [%rd11]; mul.wide.s32 %rd6, %r4, 16; add.s64 %rd7, %rd12, %rd6;" \
    "ld.global.v4.u32 {%r5, %r10, %r7, %r8}, [%rd7]; add.s32 %r6, %r6, %r5;" \
    "add.s64 %rd11, %rd11, 131072;" NEXT

/* Each thread goes over 32 neighbours, of 16 bytes: they are the elements that threads have. */
static void test_own(void **state)
{
    enum { OWN_BYTES = 16, INDEX_BYTES = 4 };
    const double threads = BLOCKS * THREADS, indices = threads * TURNS * INDEX_BYTES,
                 own = bytes_of("mul.wide.u32 %rd8, %r2, 512; add.s64 %rd8, %rd2, %rd8;"
                                "ld.global.u32 %r6, [%rd8];" NEIGHBOURS),
                 other = bytes_of("mov.u32 %r6, 0;" NEIGHBOURS);
    (void)state;
    if (!(own > indices + threads * OWN_BYTES * 0.9 && own < indices + 2.5 * threads * OWN_BYTES))
        fail_msg("%g bytes of indices and as many elements as threads", own);
    if (!(other > 2 * own))
        fail_msg("%g bytes where threads have no element, %g where they do", other, own);
}

#define FOUND(m, n, by, shift) \
    "ld.global.u32 %r1" m ", [%rd11+" by "]; shr.u32 %r1" n ", %r1" m ", " shift ";" \
    "mul.wide.u32 %rd2" n ", %r1" n ", 4; add.s64 %rd1" n ", %rd12, %rd2" n ";" \
    "ld.global.u32 %r5, [%rd1" n "]; add.s32 %r6, %r6, %r5;"
#define FOUR(shift) \
    FOUND("0", "5", "0", shift) FOUND("1", "6", "131072", shift) \
    FOUND("2", "7", "262144", shift) FOUND("3", "8", "393216", shift)

/* Each thread has four indices, of a node each: there are as many nodes as threads, and of bits of
 * them, 32 to a word, that many bits. */
static void test_nodes(void **state)
{
    static const char head[] = "mul.wide.u32 %rd10, %r1, 4; mad.wide.u32 %rd10, %r2, 128, %rd10;"
                               "ld.param.u64 %rd11, [i]; add.s64 %rd11, %rd11, %rd10;"
                               "ld.param.u64 %rd12, [t]; mov.u32 %r6, 0;";
    char words[2048], bits[2048];
    snprintf(words, sizeof words, "%s%s", head, FOUR("0"));
    snprintf(bits, sizeof bits, "%s%s", head, FOUR("5"));
    const double threads = BLOCKS * THREADS, other = threads * (4 * 4 + 4),
                 of_words = bytes_of(words) - other, of_bits = bytes_of(bits) - other;
    (void)state;
    if (!(of_words > 0.9 * threads * 4 && of_words < 1.1 * threads * 4))
        fail_msg("%g bytes of words of %g nodes", of_words, threads);
    if (!(of_bits > 0.9 * threads / 8 && of_bits < 1.1 * threads / 8 + 64))
        fail_msg("%g bytes of bits of %g nodes", of_bits, threads);
}

/* Rows as far apart as a parameter says: they lie in what is allocated, and each comes once. */
static void test_allocated(void **state)
{
    enum { ALLOCATED = 65536 };
    static const char body[] =
        "mul.wide.u32 %rd8, %r1, 4; add.s64 %rd8, %rd1, %rd8; ld.global.u32 %r4, [%rd8];"
        "ld.param.u32 %r10, [o]; mul.lo.s32 %r4, %r4, %r10; mul.wide.s32 %rd6, %r4, 4;"
        "add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r6, [%rd7];";
    const double other = BLOCKS * THREADS * 8.0,        /* of indices, and what is stored */
                 anywhere = bytes_launched(body, "null, null, null"),
                 within = bytes_launched(body, "null, {\"allocated\": 65536}, null");
    (void)state;
    if (!(within < other + 1.1 * ALLOCATED && anywhere > within + ALLOCATED / 2))
        fail_msg("%g bytes, %g where %d are allocated", anywhere, within, ALLOCATED);
}

UNIT(led)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
