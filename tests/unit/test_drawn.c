/* test_drawn.c -- addresses that data choose among a few known ones, against random choices: the
 * sectors that a report estimates are those of one draw, so they lie where random draws do. */
#include "kit.h"
#include "oracle.h"

#include <math.h>

enum { LANES = 32, MOST_CHOICES = 8, DRAWS = 4000, DRAWN_KERNELS = 200 };

typedef enum ChoiceKind {
    CHOICE_SELP, CHOICE_OF_FOUR, CHOICE_ONE_SIDE, CHOICE_TWO_SIDES, CHOICE_MASK, CHOICE__COUNT
} ChoiceKind;

/* Lane i reads `bytes` at i * stride + one of choices. */
typedef struct ChoiceKernel {
    ChoiceKind kind;
    uint32_t choices[MOST_CHOICES];
    unsigned count, bytes;
    uint32_t stride;
} ChoiceKernel;

static uint32_t number_below(uint64_t *random, uint32_t below)
{
    return (uint32_t)(oracle_random(random) >> 20) % below;
}

static ChoiceKernel random_kernel(uint64_t *random)
{
    static const unsigned counts[CHOICE__COUNT] = { 2, 4, 2, 2, 8 };
    ChoiceKernel k = { .kind = (ChoiceKind)number_below(random, CHOICE__COUNT) };
    k.count = counts[k.kind];
    k.bytes = 1u << number_below(random, 5);
    k.stride = k.bytes * number_below(random, 9);
    const uint32_t range = number_below(random, 2) ? 16 : 4096,
                   scale = k.bytes << number_below(random, 3);
    for (unsigned c = 0; c < k.count; c++)
        k.choices[c] = k.kind == CHOICE_MASK ? c * scale : k.bytes * number_below(random, range);
    return k;
}

static void write_choice(Text *text, const ChoiceKernel *k)
{
    const uint32_t *c = k->choices;
    switch (k->kind) {
    case CHOICE_SELP:
        kit_print(text, "selp.b32 %%r4, %u, %u, %%p1;\n", c[0], c[1]);
        break;
    case CHOICE_OF_FOUR:
        kit_print(text,
                  "selp.b32 %%r4, %u, %u, %%p1;\nselp.b32 %%r5, %u, %u, %%p2;\n"
                  "selp.b32 %%r4, %%r4, %%r5, %%p3;\n",
                  c[0], c[1], c[2], c[3]);
        break;
    case CHOICE_ONE_SIDE:
        kit_print(text, "mov.u32 %%r4, %u;\n@%%p1 bra M;\nmov.u32 %%r4, %u;\nM:\n", c[0], c[1]);
        break;
    case CHOICE_TWO_SIDES:
        kit_print(text,
                  "@%%p1 bra L;\nmov.u32 %%r4, %u;\nbra M;\nL:\nmov.u32 %%r4, %u;\nM:\n", c[0],
                  c[1]);
        break;
    default:
        kit_print(text, "and.b32 %%r4, %%r3, 7;\nmul.lo.u32 %%r4, %%r4, %u;\n", c[1]);
        break;
    }
}

static const char choice_head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, 64, %r2;\nmad.wide.u32 %d3, %r1, 4, %d1;\nld.global.u32 %r3, [%d3];\n"
    "setp.lt.u32 %p1, %r3, 9;\nsetp.gt.u32 %p2, %r3, 99;\nsetp.ne.u32 %p3, %r3, 999;\n";

static void write_access(Text *text, unsigned bytes)
{
    static const char *const loads[] = {
        "ld.global.u8 %r6", "ld.global.u16 %r6", "ld.global.u32 %r6", "ld.global.u64 %d5",
        "ld.global.v2.u64 {%d5, %d6}",
    };
    kit_print(text, "%s, [%%d4];\nret;\n}\n", loads[__builtin_ctz(bytes)]);
}

/* Of the kernel's last access; text is freed. */
static ptxlint_certainty ask_sectors(Text text, double *sectors)
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
    const ptxlint_access *last = &kernel->accesses[kernel->access_count - 1];
    const ptxlint_certainty certainty = last->certainty;
    *sectors = last->sectors_per_request;
    free(errors);
    free(text.bytes);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    return certainty;
}

/* ---- by hand --------------------------------------------------------------------------------- */

static unsigned sectors_of(const uint64_t *addresses, unsigned bytes)
{
    uint64_t seen[2 * LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < LANES; i++)
        for (uint64_t s = addresses[i] / 32; s <= (addresses[i] + bytes - 1) / 32; s++) {
            unsigned n = count;
            while (n && seen[n - 1] != s)
                n--;
            if (!n)
                seen[count++] = s;
        }
    return count;
}

typedef struct Drawn {
    double mean, deviation, least, most;
} Drawn;

static Drawn draw_many(const ChoiceKernel *k, uint64_t *random)
{
    uint64_t addresses[LANES];
    double sum = 0, squares = 0;
    Drawn out = { .least = INFINITY };
    for (unsigned n = 0; n < DRAWS; n++) {
        for (unsigned i = 0; i < LANES; i++)
            addresses[i] = (uint64_t)i * k->stride + k->choices[number_below(random, k->count)];
        const double sectors = sectors_of(addresses, k->bytes);
        sum += sectors;
        squares += sectors * sectors;
        out.least = fmin(out.least, sectors);
        out.most = fmax(out.most, sectors);
    }
    out.mean = sum / DRAWS;
    out.deviation = sqrt(fmax(0, squares / DRAWS - out.mean * out.mean));
    return out;
}

static void test_choices(void **state)
{
    uint64_t random = 5;
    double above = 0, weight = 0;
    (void)state;
    for (unsigned n = 0; n < DRAWN_KERNELS; n++) {
        const ChoiceKernel k = random_kernel(&random);
        const Drawn drawn = draw_many(&k, &random);
        Text text = { 0 };
        double sectors;
        kit_print(&text, "%s", choice_head);
        write_choice(&text, &k);
        kit_print(&text,
                  "mad.lo.u32 %%r4, %%r2, %u, %%r4;\ncvt.u64.u32 %%d4, %%r4;\n"
                  "add.s64 %%d4, %%d4, %%d2;\n",
                  k.stride);
        write_access(&text, k.bytes);
        const ptxlint_certainty certainty = ask_sectors(text, &sectors);
        if (certainty != PTXLINT_ESTIMATE)
            fail_msg("kernel %u, of kind %u: certainty is %u", n, k.kind, certainty);
        if (fabs(sectors - drawn.mean) > 4 * drawn.deviation + 1e-9)
            fail_msg("kernel %u: %g sectors, random choices take %g +- %g", n, sectors, drawn.mean,
                     drawn.deviation);
        above += drawn.deviation > 0 ? (sectors - drawn.mean) / drawn.deviation : 0;
        weight += drawn.deviation > 0;
    }
    assert_true(weight > DRAWN_KERNELS / 3 && fabs(above / weight) < 0.5);
}

/* One of two is not known: nothing is. */
static void test_unknown_choice(void **state)
{
    static const char *const codes[] = {
        "selp.b32 %r4, 64, %r3, %p1;\n",
        "mov.u32 %r4, %r3;\n@%p1 bra M;\nmov.u32 %r4, 64;\nM:\n",
        "and.b32 %r4, %r3, 4095;\n",
    };
    (void)state;
    for (unsigned n = 0; n < sizeof codes / sizeof *codes; n++) {
        Text text = { 0 };
        double sectors;
        kit_print(&text, "%s%s", choice_head, codes[n]);
        kit_print(&text, "mad.wide.u32 %%d4, %%r4, 4, %%d2;\n");
        write_access(&text, 4);
        assert_int_equal(ask_sectors(text, &sectors), PTXLINT_NOT_KNOWN);
    }
}

/* ---- flags ----------------------------------------------------------------------------------- */

/* Of a million threads, each with a number that data may make it act on. */
static double acting_us(const char *act)
{
    Text text = { 0 };
    kit_print(&text, "%s@!%%p1 bra M;\n%s\nM:\nret;\n}\n", choice_head, act);
    const double us = kit_estimate(text.bytes, 16384, 64).time.predicted_us;
    free(text.bytes);
    return us;
}

static void test_flags(void **state)
{
    (void)state;
    const double nothing = acting_us("mov.u32 %r4, 1;");
    assert_true(acting_us("atom.global.or.b32 %r4, [%d2], 1;") < 1.2 * nothing);
    assert_true(acting_us("red.global.max.u32 [%d2+4], 1;") < 1.2 * nothing);
    assert_true(acting_us("st.global.u32 [%d2], %r1;") < 1.2 * nothing);
    /* what is counted, or other threads' own, is no flag */
    assert_true(acting_us("red.global.add.u32 [%d2], 1;") > 1.5 * nothing);
    assert_true(acting_us("atom.global.or.b32 %r4, [%d2], 1; st.global.u32 [%d3], %r4;")
                > 1.5 * nothing);
    assert_true(acting_us("red.global.max.u32 [%d2], %r3;") > 1.5 * nothing);
}

UNIT(drawn)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_choices),
                                        cmocka_unit_test(test_unknown_choice),
                                        cmocka_unit_test(test_flags) };
    (void)argc;
    (void)argv;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
