/* test_rows.c -- groups of lanes that take rows which data choose, against random rows: random
 * kernels, run lane by lane. What the library says of the least and of the most sectors has to
 * hold whatever memory contains, and its estimate has to be their mean where rows are random.
 * unit rows [FIRST COUNT]: more kernels, from a seed on. */
#include "kit.h"
#include "oracle.h"

#include <math.h>

enum {
    LANES = 32,
    WARPS = 4,                  /* two blocks of two */
    MAX_STEPS = 24,
    CONTENTS = 24,              /* of memory, for each kernel */
    ROW_KERNELS = 600,
    ROW_SHOWN = 8,
    FIRST_REG = 3,              /* 0: the thread of the grid, 1: the lane, 2: loaded */
    VALUE_BITS = 32
};

#define THREE_DIGITS 0.006

typedef enum StepKind {
    STEP_ADD, STEP_SUB, STEP_MUL, STEP_MAD, STEP_SHL, STEP_SHR, STEP_AND, STEP_OR, STEP_XOR,
    STEP_MIN, STEP_MAX, STEP_NOT, STEP_SELP, STEP_LOAD, STEP_SHFL, STEP_SHFL_XOR, STEP_MOVE,
    STEP__COUNT
} StepKind;

typedef struct Step {           /* reg FIRST_REG + its place = a by b, or by a number */
    uint8_t kind, a, b, c;
    bool is_number;             /* in place of b */
    uint32_t number;
} Step;

typedef struct RowKernel {
    Step steps[MAX_STEPS];
    unsigned count, key_shift;
    uint32_t key_mask, scale, offset, range, guard_mask;
    unsigned bytes;
    bool is_signed;
} RowKernel;

typedef struct Bounds {
    double least, most, estimate;
} Bounds;

static uint32_t pick(uint64_t *random, uint32_t below)
{
    return (uint32_t)(oracle_random(random) >> 20) % below;
}

static uint32_t step_number(uint64_t *random, uint8_t kind)
{
    static const uint32_t masks[] = { 7, 15, 31, 0xfff, ~7u, ~31u, 0xffff, 1, 3 };
    switch (kind) {
    case STEP_MUL: case STEP_MAD: return pick(random, 4) ? 1u << pick(random, 7) : pick(random, 99);
    case STEP_SHL:                return pick(random, 7);
    case STEP_SHR:                return pick(random, 5);
    case STEP_AND:                return masks[pick(random, 9)];
    default:                      return pick(random, 5) ? pick(random, 64) : 0u - pick(random, 9);
    }
}

static Step make_step(uint64_t *random, unsigned place)
{
    Step s = { .kind = (uint8_t)pick(random, STEP__COUNT) };
    const unsigned regs = FIRST_REG + place;
    s.a = (uint8_t)(pick(random, 3) ? regs - 1 : pick(random, regs));
    s.b = (uint8_t)pick(random, regs);
    s.c = (uint8_t)pick(random, regs);
    const bool takes_number = s.kind == STEP_MUL || s.kind == STEP_SHL || s.kind == STEP_SHR
                              || s.kind == STEP_MAD;
    s.is_number = takes_number || pick(random, 2);
    s.number = step_number(random, s.kind);
    return s;
}

static RowKernel make_kernel(uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15;
    RowKernel k = { .count = 1 + pick(&random, 7), .key_shift = pick(&random, 5) };
    k.key_mask = pick(&random, 3) ? UINT32_MAX : 7;
    for (unsigned i = 0; i < k.count; i++)
        k.steps[i] = make_step(&random, i);
    /* as code does it: a row, and the lane's part of it */
    const unsigned row = FIRST_REG + k.count - 1, shift = pick(&random, 7);
    k.steps[k.count++] = (Step){ STEP_SHL, (uint8_t)row, 0, 0, true, shift };
    k.steps[k.count++] = (Step){ STEP_AND, 1, 0, 0, true, (1u << pick(&random, 6)) - 1 };
    k.steps[k.count] = (Step){ pick(&random, 2) ? STEP_ADD : STEP_OR,
                               (uint8_t)(FIRST_REG + k.count - 2),
                               (uint8_t)(FIRST_REG + k.count - 1), 0, false, 0 };
    k.count++;
    k.bytes = 1u << pick(&random, 5);
    k.scale = k.bytes << pick(&random, 3);
    k.offset = k.bytes * pick(&random, 9);
    k.range = 1u << (1 + pick(&random, 16));
    k.guard_mask = pick(&random, 3) ? UINT32_MAX : (uint32_t)oracle_random(&random) | 2;
    k.is_signed = pick(&random, 2);
    return k;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void write_step(Text *text, const Step *s, unsigned place)
{
    static const char *const words[STEP__COUNT] = {
        [STEP_ADD] = "add.u32",    [STEP_SUB] = "sub.u32", [STEP_MUL] = "mul.lo.u32",
        [STEP_SHL] = "shl.b32",    [STEP_SHR] = "shr.u32", [STEP_AND] = "and.b32",
        [STEP_OR] = "or.b32",      [STEP_XOR] = "xor.b32", [STEP_MIN] = "min.u32",
        [STEP_MAX] = "max.s32",
    };
    const unsigned to = FIRST_REG + place;
    char b[16];
    snprintf(b, sizeof b, s->is_number ? "%u" : "%%r%u", s->is_number ? s->number : s->b);
    switch ((StepKind)s->kind) {
    case STEP_MAD:
        kit_print(text, "mad.lo.u32 %%r%u, %%r%u, %s, %%r%u;\n", to, s->a, b, s->c);
        break;
    case STEP_NOT:
        kit_print(text, "not.b32 %%r%u, %%r%u;\n", to, s->a);
        break;
    case STEP_MOVE:
        kit_print(text, "mov.u32 %%r%u, %%r%u;\n", to, s->a);
        break;
    case STEP_SELP:
        kit_print(text, "setp.lt.u32 %%p1, %%r%u, 16;\nselp.b32 %%r%u, %%r%u, %s, %%p1;\n", s->c,
                  to, s->a, b);
        break;
    case STEP_LOAD:
        kit_print(text,
                  "and.b32 %%r%u, %%r%u, 65535;\nmul.wide.u32 %%d4, %%r%u, 4;\n"
                  "add.s64 %%d4, %%d1, %%d4;\nld.global.u32 %%r%u, [%%d4];\n",
                  to, s->a, to, to);
        break;
    case STEP_SHFL:
        kit_print(text, "shfl.sync.idx.b32 %%r%u, %%r%u, %u, 0x181f, -1;\n", to, s->a,
                  s->number & 7);
        break;
    case STEP_SHFL_XOR:
        kit_print(text, "shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 0x1f, -1;\n", to, s->a,
                  s->number & 31);
        break;
    default:
        kit_print(text, "%s %%r%u, %%r%u, %s;\n", words[s->kind], to, s->a, b);
        break;
    }
}

static void write_kernel(Text *text, const RowKernel *k)
{
    static const char *const loads[] = { "u8 %h0", "u16 %h0", "u32 %r60", "v2.u32 {%r60, %r61}",
                                         "v4.u32 {%r60, %r61, %r62, %r63}" };
    const char *load = loads[__builtin_ctz(k->bytes)];
    kit_print(text,
              ".version 8.5\n.target sm_90\n.address_size 64\n"
              ".visible .entry k(.param .u64 index, .param .u64 table) {\n"
              ".reg .b32 %%r<64>;\n.reg .b64 %%d<8>;\n.reg .pred %%p<4>;\n.reg .b16 %%h<2>;\n"
              "ld.param.u64 %%d1, [index];\nld.param.u64 %%d2, [table];\n"
              "mov.u32 %%r0, %%ctaid.x;\nmov.u32 %%r1, %%tid.x;\n"
              "shl.b32 %%r0, %%r0, 6;\nadd.u32 %%r0, %%r0, %%r1;\nand.b32 %%r1, %%r1, 31;\n"
              "shr.u32 %%r2, %%r0, %u;\nand.b32 %%r2, %%r2, %u;\nmul.wide.u32 %%d3, %%r2, 4;\n"
              "add.s64 %%d3, %%d1, %%d3;\nld.global.u32 %%r2, [%%d3];\n",
              k->key_shift, k->key_mask);
    for (unsigned i = 0; i < k->count; i++)
        write_step(text, &k->steps[i], i);
    kit_print(text,
              "shl.b32 %%r50, 1, %%r1;\nand.b32 %%r50, %%r50, %u;\nsetp.ne.u32 %%p2, %%r50, 0;\n"
              "mul.wide.%s32 %%d5, %%r%u, %u;\nadd.s64 %%d5, %%d2, %%d5;\n"
              "@%%p2 ld.global.%.*s %s, [%%d5+%u];\nret;\n}\n",
              k->guard_mask, k->is_signed ? "s" : "u", FIRST_REG + k->count - 1, k->scale,
              (int)(strchr(load, ' ') - load), load, strchr(load, ' ') + 1, k->offset);
}

/* ---- lane by lane ---------------------------------------------------------------------------- */

static uint32_t contents_at(const RowKernel *k, uint64_t salt, uint32_t at)
{
    uint64_t mixed = salt ^ (at * UINT64_C(0x2545f4914f6cdd1d));
    return (uint32_t)(oracle_random(&mixed) >> 24) % k->range;
}

static uint32_t run_step(const RowKernel *k, const Step *s, uint64_t salt,
                         uint32_t (*regs)[LANES], unsigned lane)
{
    const uint32_t a = regs[s->a][lane], b = s->is_number ? s->number : regs[s->b][lane];
    switch ((StepKind)s->kind) {
    case STEP_ADD:      return a + b;
    case STEP_SUB:      return a - b;
    case STEP_MUL:      return a * b;
    case STEP_MAD:      return a * b + regs[s->c][lane];
    case STEP_SHL:      return b < VALUE_BITS ? a << b : 0;
    case STEP_SHR:      return b < VALUE_BITS ? a >> b : 0;
    case STEP_AND:      return a & b;
    case STEP_OR:       return a | b;
    case STEP_XOR:      return a ^ b;
    case STEP_MIN:      return a < b ? a : b;
    case STEP_MAX:      return (int32_t)a > (int32_t)b ? a : b;
    case STEP_NOT:      return ~a;
    case STEP_SELP:     return regs[s->c][lane] < 16 ? a : b;
    case STEP_LOAD:     return contents_at(k, salt, a & 65535);
    case STEP_SHFL:     return regs[s->a][(lane & 24) | (s->number & 7)];
    case STEP_SHFL_XOR: return regs[s->a][lane ^ (s->number & 31)];
    default:            return a;
    }
}

static unsigned count_sectors(const uint64_t *addresses, uint32_t lanes, unsigned bytes)
{
    uint64_t seen[2 * LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < LANES; i++)
        for (uint64_t s = addresses[i] / 32; lanes >> i & 1 && s <= (addresses[i] + bytes - 1) / 32;
             s++) {
            unsigned k = count;
            while (k && seen[k - 1] != s)
                k--;
            if (!k)
                seen[count++] = s;
        }
    return count;
}

/* Sectors of a request. Less than 0: some index is none, below 0 or beyond 2^31. */
static double run_warps(const RowKernel *k, uint64_t salt)
{
    uint32_t regs[FIRST_REG + MAX_STEPS][LANES];
    uint64_t addresses[LANES];
    double sum = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        for (unsigned i = 0; i < LANES; i++) {
            regs[0][i] = w * LANES + i;
            regs[1][i] = i;
            regs[2][i] = contents_at(k, salt, regs[0][i] >> k->key_shift & k->key_mask);
        }
        for (unsigned s = 0; s < k->count; s++)
            for (unsigned i = 0; i < LANES; i++)
                regs[FIRST_REG + s][i] = run_step(k, &k->steps[s], salt, regs, i);
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t index = regs[FIRST_REG + k->count - 1][i];
            if (k->guard_mask >> i & 1 && index >> (VALUE_BITS - 1))
                return -1;
            addresses[i] = (UINT64_C(1) << 40) + (uint64_t)index * k->scale + k->offset;
        }
        sum += count_sectors(addresses, k->guard_mask, k->bytes);
    }
    return sum / WARPS;
}

/* ---- the library's word ---------------------------------------------------------------------- */

static bool find_bounds(const ptxlint_access *last, Bounds *out)
{
    const char *text = strstr(last->why, "at least ");
    out->estimate = last->sectors_per_request;
    return last->certainty == PTXLINT_ESTIMATE && text
           && sscanf(text, "at least %lf and at most %lf sectors", &out->least, &out->most) == 2;
}

/* Of the kernel's last access; text is freed. False: it says none. */
static bool ask_text(Text text, Bounds *out)
{
    static const char launch[] = "{\"kernels\": {\"k\": {\"grid\": [2], \"block\": [64], "
                                 "\"params\": [null, null]}}}";
    char error[256] = "";
    ptxlint_launches *launches = NULL;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_launches_new(launch, strlen(launch), &launches, error, sizeof error),
                     PTXLINT_OK);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, &module), PTXLINT_OK);
    char *errors = kit_list(module, true);
    if (*errors)
        fail_msg("%s in\n%s", errors, text.bytes);
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    const bool is_said = find_bounds(&kernel->accesses[kernel->access_count - 1], out);
    free(errors);
    free(text.bytes);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    return is_said;
}

static bool ask_bounds(const RowKernel *k, Bounds *out)
{
    Text text = { 0 };
    write_kernel(&text, k);
    return ask_text(text, out);
}

typedef struct RowTally {
    unsigned said, wrong;
} RowTally;

static void check_rows(uint64_t seed, RowTally *tally)
{
    const RowKernel k = make_kernel(seed);
    Bounds bounds;
    if (!ask_bounds(&k, &bounds))
        return;
    tally->said++;
    for (uint64_t salt = 1; salt <= CONTENTS; salt++) {
        const double sectors = run_warps(&k, salt * seed);
        if (sectors < 0 || (sectors >= bounds.least * (1 - THREE_DIGITS)
                            && sectors <= bounds.most * (1 + THREE_DIGITS)))
            continue;
        Text text = { 0 };
        write_kernel(&text, &k);
        if (tally->wrong++ < ROW_SHOWN)
            print_message("seed %llu: %g sectors, of %g to %g:\n%s", (unsigned long long)seed,
                          sectors, bounds.least, bounds.most, text.bytes);
        free(text.bytes);
        return;
    }
}

static RowTally check_many(uint64_t first, uint64_t count)
{
    RowTally tally = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++)
        check_rows(seed, &tally);
    print_message("%u kernels with bounds, %u beyond them\n", tally.said, tally.wrong);
    return tally;
}

static void test_bounds(void **state)
{
    (void)state;
    const RowTally tally = check_many(1, ROW_KERNELS);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.said > ROW_KERNELS / 4);
}

/* A row of so many elements for each group: what random rows take. */
static void test_estimates(void **state)
{
    static const struct { unsigned group, row, bytes; } cases[] = {
        { 8, 64, 4 }, { 8, 8, 4 }, { 8, 1, 4 }, { 4, 5, 4 }, { 16, 3, 2 }, { 2, 1, 8 },
        { 4, 4, 16 }, { 16, 7, 1 },
    };
    enum { RUNS = 2000 };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        RowKernel k = { .count = 2,
                        .key_shift = (unsigned)__builtin_ctz(cases[c].group),
                        .key_mask = UINT32_MAX,
                        .bytes = cases[c].bytes,
                        .scale = cases[c].bytes,
                        .range = 1u << 20,
                        .guard_mask = UINT32_MAX };
        k.steps[0] = (Step){ STEP_AND, 1, 0, 0, true, cases[c].group - 1 };
        k.steps[1] = (Step){ STEP_MAD, 2, 0, FIRST_REG, true, cases[c].row };
        Bounds bounds;
        double sum = 0;
        if (!ask_bounds(&k, &bounds))
            fail_msg("case %zu: no bounds", c);
        for (uint64_t salt = 1; salt <= RUNS; salt++)
            sum += run_warps(&k, salt * 77);
        if (fabs(sum / RUNS / bounds.estimate - 1) > 0.01)
            fail_msg("case %zu: estimated %g, a mean of %g", c, bounds.estimate, sum / RUNS);
    }
}

/* A row for each 8 lanes, and a loop along it; of so many trips that most are not run. */
typedef struct RowLoop {
    unsigned row_bytes, step_bytes, trips;
    bool is_carried;            /* the address, else a counter */
} RowLoop;

static const char row_head[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 index, .param .u64 table) {\n"
    ".reg .b32 %r<16>;\n.reg .b64 %d<16>;\n.reg .pred %p<4>;\n"
    "ld.param.u64 %d1, [index];\nld.param.u64 %d2, [table];\n"
    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nshl.b32 %r0, %r0, 6;\n"
    "add.u32 %r0, %r0, %r1;\nshr.u32 %r2, %r0, 3;\nand.b32 %r5, %r1, 7;\n"
    "mul.wide.u32 %d3, %r2, 4;\nadd.s64 %d3, %d1, %d3;\nld.global.u32 %r3, [%d3];\n";

static Text loop_text(const RowLoop *l)
{
    Text text = { 0 };
    kit_print(&text, "%s", row_head);
    kit_print(&text,
              "mul.wide.u32 %%d5, %%r3, %u;\nmul.wide.u32 %%d6, %%r5, 4;\n"
              "add.s64 %%d5, %%d2, %%d5;\nadd.s64 %%d5, %%d5, %%d6;\nmov.u32 %%r6, 0;\nL:\n",
              l->row_bytes);
    if (l->is_carried)
        kit_print(&text, "add.s64 %%d5, %%d5, %u;\n", l->step_bytes);
    else
        kit_print(&text, "mul.wide.u32 %%d7, %%r6, %u;\n", l->step_bytes);
    kit_print(&text,
              "%sadd.u32 %%r6, %%r6, 1;\nsetp.lt.u32 %%p1, %%r6, %u;\n"
              "ld.global.u32 %%r7, [%s];\n@%%p1 bra L;\nret;\n}\n",
              l->is_carried ? "" : "add.s64 %d8, %d5, %d7;\n", l->trips,
              l->is_carried ? "%d5" : "%d8");
    return text;
}

static double run_loop(const RowLoop *l, uint64_t salt)
{
    const RowKernel rows = { .range = 1u << 16 };
    double sum = 0;
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned t = 0; t < l->trips; t++) {
            uint64_t addresses[LANES];
            const uint64_t moved = (uint64_t)(t + l->is_carried) * l->step_bytes;
            for (unsigned i = 0; i < LANES; i++)
                addresses[i] = (uint64_t)contents_at(&rows, salt, (w * LANES + i) / 8)
                                   * l->row_bytes + i % 8 * 4 + moved;
            sum += count_sectors(addresses, UINT32_MAX, 4);
        }
    return sum / l->trips / WARPS;
}

static void test_loops(void **state)
{
    static const RowLoop loops[] = {
        { 256, 4, 5, false },    { 256, 4, 3000, false }, { 256, 4, 3000, true },
        { 20, 36, 3000, true },  { 8192, 36, 3000, true }, { 32, 8, 3000, false },
        { 12288, 128, 99, true },
    };
    (void)state;
    for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
        Bounds bounds;
        if (!ask_text(loop_text(&loops[l]), &bounds))
            fail_msg("loop %zu: no bounds", l);
        for (uint64_t salt = 1; salt <= 4; salt++) {
            const double sectors = run_loop(&loops[l], salt);
            if (sectors < bounds.least * (1 - THREE_DIGITS)
                || sectors > bounds.most * (1 + THREE_DIGITS)
                || fabs(sectors / bounds.estimate - 1) > 0.05)
                fail_msg("loop %zu: %g sectors, estimated %g of %g to %g", l, sectors,
                         bounds.estimate, bounds.least, bounds.most);
        }
    }
}

/* A row of unknown length: how often a lane goes around is data, and each takes every eighth
 * element. Behind the loop lanes have mostly gone around as often as each other: an estimate, and
 * no bounds. */
static void test_unknown_length(void **state)
{
    Text text = { 0 };
    Bounds bounds;
    (void)state;
    kit_print(&text, "%s", row_head);
    kit_print(&text,
              "ld.global.u32 %%r4, [%%d3+4];\nadd.u32 %%r6, %%r3, %%r5;\n"
              "L:\nadd.u32 %%r6, %%r6, 8;\nsetp.lt.u32 %%p1, %%r6, %%r4;\n@%%p1 bra L;\n"
              "mul.wide.u32 %%d5, %%r6, 4;\nadd.s64 %%d5, %%d2, %%d5;\n"
              "ld.global.u32 %%r7, [%%d5];\nret;\n}\n");
    assert_false(ask_text(text, &bounds));
    assert_true(fabs(bounds.estimate - 4 * (1 + 7 / 8.0)) < 1e-9);
}

UNIT(rows)
{
    if (argc == 3)
        return check_many(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10)).wrong > 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bounds),
                                        cmocka_unit_test(test_estimates),
                                        cmocka_unit_test(test_loops),
                                        cmocka_unit_test(test_unknown_length) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
