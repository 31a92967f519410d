/* test_lanes.c -- what each lane of a warp computes, seen by the addresses that it stores to. */
#include "kit.h"

enum { LANES = 32 };

#define HEAD                                                                                    \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                           \
    ".visible .entry k(.param .u64 p, .param .u64 q)\n.reqntid %u\n{\n.reg .pred %%p<9>;\n"      \
    ".reg .b32 %%r<19>;\n.reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [p];\n"                         \
    "ld.param.u64 %%rd8, [q];\nmov.u32 %%r1, %%laneid;\nmov.u32 %%r2, 31;\n"                     \
    "sub.u32 %%r2, %%r2, %%r1;\nsetp.lt.u32 %%p1, %%r1, 7;\nsetp.ge.u32 %%p2, %%r1, 3;\n"
#define TAIL                                                                                    \
    "mul.wide.u32 %rd2, %r9, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r1;\n"       \
    "E: ret;\n}\n"

static uint32_t own(uint32_t n) { return n; }
static uint32_t next(uint32_t n) { return n + 1; }
static uint32_t above(uint32_t n) { return 31 - n; }
static uint32_t from_here(uint32_t n) { return 32 - n; }
static uint32_t one(uint32_t n) { return n - n + 1; }
static uint32_t chosen(uint32_t n) { return n < 7 ? n : 31 - n; }
static uint32_t negated(uint32_t n) { return n < 3 ? n : 63 - n; }
static uint32_t both(uint32_t n) { return n >= 3 && n < 7 ? 8 + n : 50; }
static uint32_t neighbour(uint32_t n) { return n ^ 1; }
static uint32_t before(uint32_t n) { return n < 3 ? n : n - 3; }
static uint32_t in_group(uint32_t n) { return (n & 24) + 2; }
static uint32_t is_below(uint32_t n) { return n + (n < 29 ? 40 : 0); }
static uint32_t votes(uint32_t n) { return n + 7; }
static uint32_t sum(uint32_t n) { return n + 496; }
static uint32_t group_size(uint32_t n) { return n < 7 ? 7 : 25; }
static uint32_t parts(uint32_t n) { return n + 3; }
static uint32_t three_parts(uint32_t n) { return 2 * n + 5; }
static uint32_t byte_of_number(uint32_t n) { return n & 1 ? 0x34 : 0x12; }
static uint32_t of_table(uint32_t n) { return 3 * (31 - n); }
static uint32_t highest(uint32_t n) { return n ? 31 - (uint32_t)__builtin_clz(n) : 40; }

static const struct { const char *what, *body; uint32_t (*wanted)(uint32_t lane); } cases[] = {
    { "lanes below", "mov.u32 %r3, %lanemask_lt;\npopc.b32 %r9, %r3;\n", own },
    { "and this one", "mov.u32 %r3, %lanemask_le;\npopc.b32 %r9, %r3;\n", next },
    { "lanes above", "mov.u32 %r3, %lanemask_gt;\npopc.b32 %r9, %r3;\n", above },
    { "this one and those above", "mov.u32 %r3, %lanemask_ge;\npopc.b32 %r9, %r3;\n", from_here },
    { "this one alone", "mov.u32 %r3, %lanemask_eq;\npopc.b32 %r9, %r3;\n", one },
    { "which is this one", "mov.u32 %r3, %lanemask_eq;\nbfind.u32 %r9, %r3;\n", own },
    { "a choice by lane", "selp.b32 %r9, %r1, %r2, %p1;\n", chosen },
    { "a predicate that is turned around",
      "setp.lt.and.u32 %p3, %r1, 40, !%p2;\nadd.u32 %r4, %r2, 32;\nselp.b32 %r9, %r1, %r4, %p3;\n",
      negated },
    { "two predicates",
      "and.pred %p3, %p1, %p2;\nadd.u32 %r4, %r1, 8;\nselp.b32 %r9, %r4, 50, %p3;\n", both },
    { "a guard", "mov.u32 %r9, %r1;\n@!%p1 mov.u32 %r9, %r2;\n", chosen },
    { "a branch", "mov.u32 %r9, %r2;\n@!%p1 bra M;\nmov.u32 %r9, %r1;\nM:\n", chosen },
    { "the neighbour's", "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n", neighbour },
    { "one of a lane before", "shfl.sync.up.b32 %r9, %r1, 3, 0, -1;\n", before },
    { "the third of each eight", "shfl.sync.idx.b32 %r9, %r1, 2, 0x181f, -1;\n", in_group },
    { "whether a lane is there",
      "shfl.sync.down.b32 %r3|%p3, %r1, 3, 31, -1;\nselp.b32 %r4, 40, 0, %p3;\n"
      "add.u32 %r9, %r1, %r4;\n", is_below },
    { "of all the same", "mov.u32 %r3, 7;\nshfl.sync.idx.b32 %r4, %r3, %r2, 31, -1;\n"
      "add.u32 %r9, %r1, %r4;\n", votes },
    { "a ballot",
      "vote.sync.ballot.b32 %r3, %p1, -1;\npopc.b32 %r4, %r3;\nadd.u32 %r9, %r1, %r4;\n", votes },
    { "a sum of the warp", "redux.sync.add.u32 %r3, %r1, -1;\nadd.u32 %r9, %r1, %r3;\n", sum },
    { "lanes with the same value", "selp.b32 %r3, 1, 2, %p1;\nmatch.any.sync.b32 %r4, %r3, -1;\n"
      "popc.b32 %r9, %r4;\n", group_size },
    { "bytes of numbers", "mov.u32 %r3, 0x00000300;\nvadd.u32.u32.u32 %r9, %r1.b0, %r3.b1;\n",
      parts },
    { "and a third", "mov.u32 %r3, 5;\nvadd.u32.u32.u32.add %r9, %r1.b0, %r3, %r1;\n",
      three_parts },
    { "chosen bytes", "and.b32 %r3, %r1, 1;\nmov.u32 %r4, 0x3412;\nprmt.b32 %r5, %r4, 0, %r3;\n"
      "and.b32 %r9, %r5, 255;\n", byte_of_number },
    { "through shared memory",
      ".shared .align 4 .b8 s[128];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\n"
      "add.u32 %r5, %r3, %r4;\n"
      "mul.lo.u32 %r6, %r1, 3;\nst.shared.u32 [%r5], %r6;\nbar.sync 0;\nshl.b32 %r4, %r2, 2;\n"
      "add.u32 %r5, %r3, %r4;\nld.shared.u32 %r9, [%r5];\n", of_table },
    { "the highest bit, or none", "bfind.u32 %r3, %r1;\nmin.u32 %r9, %r3, 40;\n", highest },
};

/* The requests of the store, of its first kind; NULL: it is not followed. */
static const ptxlint_request *find_store(const ptxlint_module *module, ptxlint_requests **of)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    *of = NULL;
    if (ptxlint_requests_new(module, kernels, of) != PTXLINT_OK)
        return NULL;
    const ptxlint_request *all = ptxlint_requests_all(*of, &count), *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].space, "global"))
            found = &all[i];
    return found;
}

static ptxlint_module *read_kernel(unsigned threads, const char *body)
{
    Text text = { 0 };
    kit_print(&text, HEAD, threads);
    kit_put(&text, body, strlen(body));
    kit_put(&text, TAIL, strlen(TAIL));
    ptxlint_module *module = kit_module(text.bytes);
    free(text.bytes);
    return module;
}

static void check_lanes(const char *what, unsigned threads, const char *body,
                        uint32_t (*wanted)(uint32_t))
{
    ptxlint_requests *of;
    ptxlint_module *module = read_kernel(threads, body);
    const ptxlint_request *store = find_store(module, &of);
    if (!store || !store->lanes)
        fail_msg("%s: the store is not followed", what);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < LANES; i++)
        if (store->lanes >> i & 1 && wanted(i) < least)
            least = wanted(i);
    for (uint32_t i = 0; i < LANES; i++) {
        int64_t want = store->lanes >> i & 1 ? 4 * wanted(i) - 4 * least / 128 * 128
                                             : PTXLINT_UNKNOWN;
        if (store->offsets[i] != want)
            fail_msg("%s: lane %u is at %lld, not %lld", what, i, (long long)store->offsets[i],
                     (long long)want);
    }
    ptxlint_requests_free(of);
    ptxlint_module_free(module);
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_lanes(cases[i].what, LANES, cases[i].body, cases[i].wanted);
}

/* What lanes that are not there would bring is not known, so neither is where the store goes. */
static void test_unknown(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mov.u32 %r9, 0;\n@!%p1 bra M;\nredux.sync.add.u32 %r9, %r1, -1;\nM:\n",
        "mov.u32 %r9, 0;\n@!%p1 bra M;\nvote.sync.ballot.b32 %r9, %p2, -1;\nM:\n",
        "@%p1 mov.u32 %r9, 1;\n",
        "ld.global.u32 %r9, [%rd8];\n",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        ptxlint_requests *of;
        ptxlint_module *module = read_kernel(LANES, bodies[i]);
        const ptxlint_request *store = find_store(module, &of);
        if (store && store->lanes == UINT32_MAX && store->span.begin > 400
            && store->offsets[0] != PTXLINT_UNKNOWN)
            fail_msg("%s: lanes are said to be known", bodies[i]);
        ptxlint_requests_free(of);
        ptxlint_module_free(module);
    }
}

UNIT(lanes)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_values),
                                        cmocka_unit_test(test_unknown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
