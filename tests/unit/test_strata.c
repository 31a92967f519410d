/* test_strata.c -- blocks that differ by their place in the grid: what a sample says of a launch,
 * against the sum over all blocks.
 *
 * Kernels are random: some operations make a number of %ctaid, and a loop has that many trips.
 * test_strata [FIRST COUNT]: others, from a seed on. */
#include "kit.h"

#include <math.h>

enum { BLOCK = 128, KERNELS = 20, OPERATIONS = 4 };

#define WITHIN 0.02             /* share of the work: what evaluate.c takes for sure enough */

static uint32_t random_below(uint64_t *state, uint32_t most)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % most;
}

/* m = op(m, number), b the block. */
typedef enum Kind {
    KIND_ADD,
    KIND_MUL,
    KIND_REM,
    KIND_DIV,
    KIND_XOR,
    KIND_SHR,
    KIND_MIN,
    KIND_AFTER,
    KIND_SELECT,
    KIND_BRANCH,
    KIND__COUNT
} Kind;

typedef struct Operation {
    Kind kind;
    uint32_t number, other;
} Operation;

typedef struct Sample {
    Operation operations[OPERATIONS];
    uint32_t grid, most, scale;         /* trips: (m % most) * scale + 1 */
    bool is_nested;             /* the scale is an inner loop's */
} Sample;

static Sample make_sample(uint64_t seed)
{
    uint64_t state = seed * 977 + 5;
    Sample s = { .grid = 600 + random_below(&state, 30000),
                 .most = 2 + random_below(&state, 3000),
                 .scale = 1 + random_below(&state, 200) };
    s.is_nested = random_below(&state, 4) == 0;
    for (unsigned i = 0; i < OPERATIONS; i++)
        s.operations[i] = (Operation){ (Kind)random_below(&state, KIND__COUNT),
                                       1 + random_below(&state, 5000),
                                       random_below(&state, s.grid) };
    return s;
}

static uint32_t trips_of(const Sample *s, uint32_t block)
{
    uint32_t m = block;
    for (unsigned i = 0; i < OPERATIONS; i++) {
        const Operation *op = &s->operations[i];
        switch (op->kind) {
        case KIND_ADD:      m += op->number; break;
        case KIND_MUL:      m *= op->number; break;
        case KIND_REM:      m %= op->number; break;
        case KIND_DIV:      m /= op->number % 7 + 1; break;
        case KIND_XOR:      m ^= op->number; break;
        case KIND_SHR:      m >>= op->number % 5; break;
        case KIND_MIN:      m = m < op->number ? m : op->number; break;
        case KIND_AFTER:    m = op->other - m; break;
        case KIND_SELECT: case KIND_BRANCH:
            m = block == op->other ? 4 * s->most - 1 : m;
            break;
        case KIND__COUNT:   break;
        }
    }
    return m % s->most * s->scale + 1;
}

static void put_operation(Text *t, const Operation *op, uint32_t most, unsigned i)
{
    static const char *const plain[] = { "add.u32", "mul.lo.u32", "rem.u32", "div.u32",
                                         "xor.b32", "shr.u32",    "min.u32" };
    uint32_t number = op->kind == KIND_DIV   ? op->number % 7 + 1
                      : op->kind == KIND_SHR ? op->number % 5
                                             : op->number;
    if (op->kind <= KIND_MIN) {
        kit_print(t, " %s %%r1, %%r1, %u;\n", plain[op->kind], number);
    } else if (op->kind == KIND_AFTER) {
        kit_print(t, " sub.u32 %%r1, %u, %%r1;\n", op->other);
    } else {
        kit_print(t, " setp.eq.u32 %%p1, %%r0, %u;\n", op->other);
        if (op->kind == KIND_SELECT)
            kit_print(t, " selp.b32 %%r1, %u, %%r1, %%p1;\n", 4 * most - 1);
        else
            kit_print(t, " @!%%p1 bra KEEP%u;\n mov.u32 %%r1, %u;\nKEEP%u:\n", i, 4 * most - 1, i);
    }
}

static void put_kernel(Text *t, const Sample *s)
{
    kit_print(
        t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
           " .reg .pred %%p<4>;\n .reg .b32 %%r<8>;\n .reg .f32 %%f<3>;\n .reg .b64 %%rd<4>;\n "
           "ld.param.u64 %%rd1, [out];\n mov.u32 %%r0, %%ctaid.x;\n"
           " mov.u32 %%r1, %%r0;\n mov.f32 %%f1, 0f3F800000;\n");
    for (unsigned i = 0; i < OPERATIONS; i++)
        put_operation(t, &s->operations[i], s->most, i);
    kit_print(t, " rem.u32 %%r1, %%r1, %u;\n", s->most);
    if (s->is_nested) {
        kit_print(t,
                  " fma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n mov.u32 %%r2, 0;\nOUTER:\n setp.ge.u32 "
                  "%%p2, %%r2, %%r1;\n @%%p2 bra DONE;\n mov.u32 %%r3, 0;\n"
                  "INNER:\n fma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n add.u32 %%r3, %%r3, 1;\n "
                  "setp.lt.u32 %%p3, %%r3, %u;\n @%%p3 bra INNER;\n"
                  " add.u32 %%r2, %%r2, 1;\n bra OUTER;\n",
                  s->scale);
    } else {
        kit_print(t,
                  " mad.lo.u32 %%r1, %%r1, %u, 1;\n mov.u32 %%r2, 0;\nLOOP:\n .pragma "
                  "\"nounroll\";\n fma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n add.u32 %%r2, %%r2, 1;\n"
                  " setp.lt.u32 %%p2, %%r2, %%r1;\n @%%p2 bra LOOP;\n",
                  s->scale);
    }
    kit_print(t,
              "DONE:\n mov.u32 %%r4, %%tid.x;\n mad.lo.u32 %%r4, %%r0, %d, %%r4;\n mul.wide.u32 "
              "%%rd2, %%r4, 4;\n add.s64 %%rd1, %%rd1, %%rd2;\n"
              " st.global.f32 [%%rd1], %%f1;\n ret;\n}\n",
              BLOCK);
}

typedef struct Said {
    double flops, us;
} Said;

static Said said_of(const Text *text, uint32_t grid)
{
    char json[128], error[256] = "";
    int length = snprintf(
        json, sizeof json,
        "{\"kernels\": {\"k\": {\"grid\": [%u, 1, 1], \"block\": [%d, 1, 1], \"params\": [null]}}}",
        grid, BLOCK);
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    if (ptxlint_launches_new(json, (size_t)length, &launches, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", json, error);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text->bytes, text->length, &options, &module), PTXLINT_OK);
    const ptxlint_projection *p = kit_kernel(module, "k")->projections;
    Said out = { p->executed.flops_fp32, p->time.predicted_us };
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    return out;
}

/* How far the sample is off, as a share. */
static double check_kernel(uint64_t seed)
{
    const Sample s = make_sample(seed);
    Text text = { 0 };
    double trips = 0, most = 0;
    for (uint32_t b = 0; b < s.grid; b++) {
        double here = trips_of(&s, b);
        trips += here;
        most = here > most ? here : most;
    }
    put_kernel(&text, &s);
    Said said = said_of(&text, s.grid);
    double want = 2.0 * BLOCK * trips, off = fabs(said.flops - want) / want;
    /* the longest block: a chain of multiply-adds at 4 clocks */
    double least_us = most * 4 / 1980;
    if (!(said.us >= least_us))
        fail_msg("seed %llu: %g us, and the longest block alone takes %g\n%s",
                 (unsigned long long)seed, said.us, least_us, text.bytes);
    if (!(off <= WITHIN))
        print_message("seed %llu, grid %u: %g operations, want %g\n%s", (unsigned long long)seed,
                      s.grid, said.flops, want, text.bytes);
    free(text.bytes);
    return off;
}

static void test_random_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= KERNELS; seed++)
        assert_true(check_kernel(seed) <= WITHIN);
}

UNIT(strata)
{
    if (argc == 3) {
        uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10),
                 wrong = 0;
        for (uint64_t seed = first; seed < first + count; seed++)
            wrong += check_kernel(seed) > WITHIN;
        print_message("%llu of %llu\n", (unsigned long long)wrong, (unsigned long long)count);
        return wrong != 0;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_kernels) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
