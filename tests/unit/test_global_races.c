/* test_global_races.c -- races of blocks on global memory in random kernels against all blocks, one
 * by one.
 *
 * A kernel stores some numbers at places that block and thread make, some of them copied from
 * memory. The oracle keeps what each block leaves at each place: what is reported names two
 * blocks that leave different numbers there. unit global_races [FIRST COUNT]. */
#include "kit.h"

enum {
    THREADS = 64,
    GRID = 20,
    PLACES = 1024,
    MAX_STORES = 3,
    KERNELS = 600,
    MAX_SHOWN = 4,
    FEWEST_TOLD = KERNELS / 10
};

typedef struct Store {
    unsigned by_block, by_thread, from, below_thread, below_block;      /* below: 0: all */
    /* of the element block * value_block + thread * value_thread; else that number itself */
    bool is_copy;
    unsigned value_block, value_thread;
} Store;

typedef struct Kernel {
    Store stores[MAX_STORES];
    unsigned count, mask;
    Text text;
} Kernel;

typedef struct Left {           /* by a block, at a place */
    bool is_there, is_mixed;    /* mixed: several threads left different things */
    int64_t value;              /* copies: below 0 */
} Left;

static Left left[GRID][PLACES];

static unsigned pick(uint64_t *state, unsigned count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % count;
}

static Store make_store(uint64_t *r)
{
    static const unsigned steps[] = { 64, 64, 64, 60, 32, 0, 1, 65, 256 },
                          threads[] = { 1, 1, 1, 2, 0, 4 }, values[] = { 64, 60, 0, 0, 1 };
    Store s = { .by_block = steps[pick(r, COUNT(steps))],
                .by_thread = threads[pick(r, COUNT(threads))],
                .from = pick(r, 2) ? 0 : 7 * pick(r, 30) };
    s.below_thread = pick(r, 3) ? 0 : 1 + pick(r, THREADS);
    s.below_block = pick(r, 4) ? 0 : 1 + pick(r, GRID);
    s.is_copy = pick(r, 2);
    s.value_block = values[pick(r, COUNT(values))];
    s.value_thread = pick(r, 3) ? 1 : 0;
    return s;
}

static void put_store(Text *t, const Store *s, unsigned mask)
{
    kit_print(t,
              "mul.lo.u32 %%r3, %%r2, %u;\nmad.lo.u32 %%r3, %%r1, %u, %%r3;\nadd.u32 %%r3, %%r3, "
              "%u;\nand.b32 %%r3, %%r3, %u;\n",
              s->by_block, s->by_thread, s->from, mask);
    kit_print(t, "mul.wide.u32 %%rd3, %%r3, 4;\nadd.s64 %%rd3, %%rd3, %%rd2;\n");
    kit_print(t, "mul.lo.u32 %%r4, %%r2, %u;\nmad.lo.u32 %%r4, %%r1, %u, %%r4;\n", s->value_block,
              s->value_thread);
    if (s->is_copy)
        kit_print(t, "mul.wide.u32 %%rd4, %%r4, 4;\nadd.s64 %%rd4, %%rd4, %%rd1;\nld.global.u32 "
                     "%%r4, [%%rd4];\n");
    kit_print(t,
              "setp.lt.u32 %%p1, %%r1, %u;\nsetp.lt.and.u32 %%p1, %%r2, %u, %%p1;\n@%%p1 "
              "st.global.u32 [%%rd3], %%r4;\n",
              s->below_thread ? s->below_thread : THREADS, s->below_block ? s->below_block : GRID);
}

static void make_kernel(Kernel *k, uint64_t seed)
{
    uint64_t r = seed * UINT64_C(0x9e3779b97f4a7c15) + 5;
    *k = (Kernel){ .count = 1 + pick(&r, MAX_STORES), .mask = pick(&r, 3) ? PLACES - 1 : 255 };
    kit_print(&k->text, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param "
                        ".u64 in, .param .u64 out)\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<6>;\n"
                        ".reg .b64 %%rd<6>;\nld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, "
                        "[out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n");
    for (unsigned i = 0; i < k->count; i++) {
        k->stores[i] = make_store(&r);
        put_store(&k->text, &k->stores[i], k->mask);
    }
    kit_print(&k->text, "ret;\n}\n");
}

static bool stores(const Kernel *k, unsigned s, unsigned block, unsigned thread, unsigned *place)
{
    const Store *store = &k->stores[s];
    *place = (block * store->by_block + thread * store->by_thread + store->from) & k->mask;
    return (!store->below_thread || thread < store->below_thread)
           && (!store->below_block || block < store->below_block);
}

/* By a later store of the thread. */
static bool is_overwritten(const Kernel *k, unsigned s, unsigned block, unsigned thread,
                           unsigned place)
{
    unsigned other;
    for (unsigned t = s + 1; t < k->count; t++)
        if (stores(k, t, block, thread, &other) && other == place)
            return true;
    return false;
}

/* Threads of a block come in no order: where two of them leave different things, nothing is said of
 * the place. */
static void run_block(const Kernel *k, unsigned block)
{
    unsigned place;
    memset(left[block], 0, sizeof left[block]);
    for (unsigned thread = 0; thread < THREADS; thread++)
        for (unsigned s = 0; s < k->count; s++) {
            if (!stores(k, s, block, thread, &place) || is_overwritten(k, s, block, thread, place))
                continue;
            const int64_t number = (int64_t)block * k->stores[s].value_block
                                   + (int64_t)thread * k->stores[s].value_thread;
            const int64_t value = k->stores[s].is_copy ? -1 - number : number;
            Left *to = &left[block][place];
            *to = (Left){ .is_there = true, .is_mixed = to->is_mixed || (to->is_there && to->value != value), .value = value };
        }
}

typedef struct Tally { unsigned told, racy, wrong; } Tally;

static bool any_races(void)
{
    for (unsigned place = 0; place < PLACES; place++)
        for (unsigned a = 0; a < GRID; a++)
            for (unsigned b = 0; b < a; b++)
                if (left[a][place].is_there && left[b][place].is_there
                    && left[a][place].value != left[b][place].value && !left[a][place].is_mixed
                    && !left[b][place].is_mixed)
                    return true;
    return false;
}

static bool is_right(const char *message)
{
    unsigned first, second;
    unsigned long long byte;
    if (sscanf(message,
               "thread (%*u, 0, 0) of block (%u, 0, 0) writes byte %llu of what `out` points to, "
               "where thread (%*u, 0, 0) of block (%u, 0, 0) writes another number",
               &first, &byte, &second)
        != 3)
        return false;
    const Left *a = &left[first % GRID][byte / 4 % PLACES],
               *b = &left[second % GRID][byte / 4 % PLACES];
    return first != second && a->is_there && b->is_there && a->value != b->value && !a->is_mixed
           && !b->is_mixed;
}

static void check(uint64_t seed, const ptxlint_launches *launches, Tally *tally)
{
    Kernel k;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    size_t count;
    unsigned told = 0;
    make_kernel(&k, seed);
    for (unsigned block = 0; block < GRID; block++)
        run_block(&k, block);
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(k.text.bytes, k.text.length, &options, &module),
                     PTXLINT_OK);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        if (strcmp(diags[d].rule, "COR126"))
            continue;
        told++;
        if (!is_right(diags[d].message) && tally->wrong++ < MAX_SHOWN)
            print_error("kernel %llu: %s\n%s\n", (unsigned long long)seed, diags[d].message,
                        k.text.bytes);
    }
    tally->told += told > 0;
    tally->racy += any_races();
    ptxlint_module_free(module);
    free(k.text.bytes);
}

static uint64_t first_seed = 1, seed_count = KERNELS;

static void test_random(void **state)
{
    (void)state;
    static const char json[] =
        "{\"kernels\": {\"k\": {\"grid\": [20], \"block\": [64], \"params\": [null, null]}}}";
    ptxlint_launches *launches = NULL;
    char error[128] = "";
    Tally tally = { 0 };
    assert_int_equal(ptxlint_launches_new(json, sizeof json - 1, &launches, error, sizeof error),
                     PTXLINT_OK);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        check(seed, launches, &tally);
    ptxlint_launches_free(launches);
    print_message("%u kernels race, %u are told, %u wrong\n", tally.racy, tally.told, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(seed_count != KERNELS
                || (tally.told >= FEWEST_TOLD && 100 * tally.told >= 98 * tally.racy));
}

/* A load ends where 64-bit addresses do, or behind it: the search for races ends, too. */
static void test_wrapping_address(void **state)
{
    static const char *const pointers[] = { "0xfffffffffffffffa", "0xfffffffffffffffc",
                                            "0xffffffffffffffff" };
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
        "\t.reg .b64 %rd<5>;\n\t.reg .b32 %r<3>;\n\t.reg .f32 %f<2>;\n"
        "\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [q];\n\tmov.u32 %r1, %ctaid.x;\n"
        "\tmul.wide.u32 %rd3, %r1, 4;\n\tadd.s64 %rd4, %rd2, %rd3;\n"
        "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd4], %f1;\n\tret;\n}\n";
    (void)state;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        char json[160], error[128] = "";
        ptxlint_options options;
        ptxlint_module *module = NULL;
        ptxlint_launches *launches = NULL;
        snprintf(json, sizeof json,
                 "{\"kernels\": {\"k\": {\"grid\": [20], \"block\": [64], \"params\": "
                 "[\"%s\", null]}}}",
                 pointers[i]);
        assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, error, sizeof error),
                         PTXLINT_OK);
        ptxlint_options_init(&options);
        options.launches = launches;
        assert_int_equal(ptxlint_module_new(text, sizeof text - 1, &options, &module), PTXLINT_OK);
        ptxlint_module_free(module);
        ptxlint_launches_free(launches);
    }
}

/* What a block takes is counted before it is run: two blocks that the budget just does for are, and
 * their race is found. */
static void test_near_budget(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        "\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n"
        "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ctaid.x;\n"
        "\tmov.u32 %r3, 0;\nLOOP:\n\tadd.u32 %r3, %r3, 1;\n"
        "\tsetp.lt.u32 %p1, %r3, 1362;\n\t@%p1 bra LOOP;\n\tmul.wide.u32 %rd2, %r1, 4;\n"
        "\tadd.u64 %rd3, %rd1, %rd2;\n\tst.global.u32 [%rd3], %r2;\n\tret;\n}\n";
    static const char json[] =
        "{\"kernels\": {\"k\": {\"grid\": [8], \"block\": [256], \"params\": [null]}}}";
    char error[128] = "";
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_launches *launches = NULL;
    size_t count, told = 0;
    (void)state;
    assert_int_equal(ptxlint_launches_new(json, sizeof json - 1, &launches, error, sizeof error),
                     PTXLINT_OK);
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, &options, &module), PTXLINT_OK);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++)
        told += !strcmp(diags[d].rule, "COR126");
    assert_int_equal(told, 1);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
}

UNIT(global_races)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        seed_count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
                                        cmocka_unit_test(test_wrapping_address),
                                        cmocka_unit_test(test_near_budget) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
