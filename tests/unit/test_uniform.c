/* test_uniform.c -- what is said to be the same in the lanes of a warp, or to have a step from lane
 * to lane, against an interpreter that runs every thread of random kernels (oracle.c): the
 * registers that hold addresses are looked at. unit uniform [FIRST COUNT]: more kernels, from a
 * seed on. */
#include "kit.h"
#include "oracle.h"

enum { KERNELS = 600 };

static uint64_t first_seed = 1;
static unsigned kernel_count = KERNELS;

typedef struct Watch {
    ptxlint_value claims[ORACLE_ACCESSES];
    bool is_claimed[ORACLE_ACCESSES];
    uint32_t lines[ORACLE_ACCESSES];
    /* of the first warp of the block in hand */
    uint64_t seed, first[ORACLE_ACCESSES][ORACLE_KEYS];
    bool has_first[ORACLE_ACCESSES][ORACLE_KEYS];
    uint32_t ctaid[3];
    unsigned counts[5], wrong;
} Watch;

static void complain(Watch *w, unsigned access, const char *what)
{
    if (w->wrong++ < 12)
        print_message("seed %llu line %u: not %s\n", (unsigned long long)w->seed, w->lines[access],
                      what);
}

static void look(void *context, unsigned access, const uint32_t ctaid[3], unsigned key,
                 uint32_t lanes, const uint64_t *addresses)
{
    Watch *w = context;
    const ptxlint_value *claim = &w->claims[access];
    unsigned first = (unsigned)__builtin_ctz(lanes);
    if (memcmp(w->ctaid, ctaid, sizeof w->ctaid))
        memset(w->has_first, 0, sizeof w->has_first);
    memcpy(w->ctaid, ctaid, sizeof w->ctaid);
    if (!w->is_claimed[access] || claim->certainty != PTXLINT_EXACT)
        return;
    bool is_uniform = claim->uniformity == PTXLINT_UNIFORM_BLOCK
                      || claim->uniformity == PTXLINT_UNIFORM_WARP;
    int64_t stride = is_uniform ? 0 : claim->stride;
    for (unsigned i = 0;
         i < ORACLE_LANES
         && (is_uniform || (claim->uniformity == PTXLINT_AFFINE && stride != PTXLINT_UNKNOWN));
         i++)
        if (lanes >> i & 1
            && (uint32_t)(addresses[i] - addresses[first])
                   != (uint32_t)(stride * (int64_t)(i - first))) {
            complain(w, access, is_uniform ? "uniform" : "affine");
            return;
        }
    if (claim->uniformity != PTXLINT_UNIFORM_BLOCK)
        return;
    if (w->has_first[access][key] && w->first[access][key] != addresses[first])
        complain(w, access, "the same in the block");
    w->has_first[access][key] = true;
    w->first[access][key] = addresses[first];
}

/* What is said of the statement before each access, which made its address. */
static void take_claims(Watch *w, const OracleKernel *kernel, const ptxlint_module *module,
                        const Text *text)
{
    const ptxlint_kernel *view = kit_kernel(module, "k");
    const OracleAccess *accesses;
    unsigned count = oracle_accesses(kernel, &accesses);
    for (unsigned a = 0; a < count; a++) {
        w->is_claimed[a] = false;
        w->lines[a] = accesses[a].line - 1;
        for (size_t i = 0; i < view->access_count; i++) {
            uint32_t at = view->accesses[i].span.begin;
            if (kit_line(module, at) != accesses[a].line)
                continue;
            while (at && text->bytes[at - 1] != '\n')
                at--;
            w->is_claimed[a] = at > 2 && ptxlint_module_value_at(module, at - 2, &w->claims[a]);
            w->counts[w->is_claimed[a] ? w->claims[a].uniformity : 0]++;
            break;
        }
    }
}

static void check_kernel(Watch *w, uint64_t seed)
{
    Text text = { 0 };
    uint64_t random = seed * 77;
    OracleKernel *kernel = oracle_make(seed, seed % 2, &text);
    uint32_t grid[3], block[3];
    Figures figures[ORACLE_ACCESSES];
    oracle_shape(kernel, grid, block);
    ptxlint_launches *launches = NULL;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    char value[64];
    snprintf(value, sizeof value, "%u,%u,%u", block[0], block[1], block[2]);
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_launches_set(launches, "block", value, NULL, 0), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, &module), PTXLINT_OK);
    if (kernel_count == 1)
        fputs(text.bytes, stdout);
    w->seed = seed;
    memset(w->has_first, 0, sizeof w->has_first);
    take_claims(w, kernel, module, &text);
    oracle_watch(kernel, look, w);
    Surroundings around = { .base = oracle_random(&random) >> 17 & ~UINT64_C(255),
                            .salt = oracle_random(&random) };
    for (unsigned p = 1; p < ORACLE_PARAMS; p++)
        around.params[p] = oracle_random(&random) >> random % 60;
    oracle_run(kernel, &around, figures);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    oracle_free(kernel);
    free(text.bytes);
}

static void test_claims_hold(void **state)
{
    (void)state;
    Watch *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (unsigned i = 0; i < kernel_count; i++)
        check_kernel(w, first_seed + i);
    print_message("block %u, warp %u, affine %u, divergent %u, unknown %u; wrong %u\n",
                  w->counts[PTXLINT_UNIFORM_BLOCK], w->counts[PTXLINT_UNIFORM_WARP],
                  w->counts[PTXLINT_AFFINE], w->counts[PTXLINT_DIVERGENT],
                  w->counts[PTXLINT_UNIFORMITY_UNKNOWN], w->wrong);
    assert_int_equal(w->wrong, 0);
    assert_true(kernel_count < KERNELS
                || w->counts[PTXLINT_UNIFORM_BLOCK] + w->counts[PTXLINT_UNIFORM_WARP] > 500);
    free(w);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static const struct {
    const char *what, *block, *code;
    ptxlint_uniformity condition;
    ptxlint_split splits;
    ptxlint_certainty certainty;
} conditions[] = {
    { "a parameter", NULL, "setp.eq.u32 %p1, %r2, 0;", PTXLINT_UNIFORM_BLOCK, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "%ctaid", NULL, "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_UNIFORM_BLOCK, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid / 32", "256", "shr.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, 2;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid / 32 of a row that is taken", NULL, "shr.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, 2;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_ESTIMATE },
    { "tid / 32 in rows of 16", "16,16", "shr.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, 2;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS, PTXLINT_EXACT },
    { "tid & ~31", "256", "and.b32 %r3, %r1, -32;\nsetp.eq.u32 %p1, %r3, 64;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid < 64", "256", "setp.lt.u32 %p1, %r1, 64;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "63 < tid", "256", "setp.lt.u32 %p1, %r1, 65;\nsetp.gt.u32 %p1, %r1, 63;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid < 48", "256", "setp.lt.u32 %p1, %r1, 48;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS, PTXLINT_EXACT },
    { "tid < n", "256", "setp.lt.u32 %p1, %r1, %r2;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS, PTXLINT_EXACT },
    { "tid & 31", "256", "and.b32 %r3, %r1, 31;\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS, PTXLINT_EXACT },
    { "a ballot", "256", "setp.eq.u32 %p1, %r1, 3;\nvote.sync.ballot.b32 %r3, %p1, -1;\nsetp.ne.u32 %p1, %r3, 0;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER,
      PTXLINT_EXACT },
    { "a vote", "256", "setp.eq.u32 %p1, %r1, 3;\nvote.sync.any.pred %p1, %p1, -1;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "activemask", "256", "activemask.b32 %r3;\nsetp.eq.u32 %p1, %r3, -1;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "elect", "256", "elect.sync %r3|%p1, -1;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS, PTXLINT_EXACT },
    { "one lane's value for all", "256", "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\nsetp.eq.u32 %p1, %r3, 32;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "what is loaded from one address", "256", "ld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_ESTIMATE },
    { "read-only data of one address", "256", "ld.global.nc.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_UNIFORM_BLOCK, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid.y in rows of 32", "32,8", "mov.u32 %r3, %tid.y;\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "tid.y of a shape that nobody knows", NULL, "mov.u32 %r3, %tid.y;\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_UNIFORMITY_UNKNOWN, PTXLINT_SPLIT_UNKNOWN,
      PTXLINT_NOT_KNOWN },
    { "equal steps", "256", "add.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, %r1;", PTXLINT_UNIFORM_WARP, PTXLINT_SPLIT_NEVER, PTXLINT_EXACT },
    { "lanes that meet", "256", "setp.lt.u32 %p1, %r1, 3;\nmov.u32 %r3, 0;\n@%p1 mov.u32 %r3, 1;\nsetp.eq.u32 %p1, %r3, 0;", PTXLINT_DIVERGENT, PTXLINT_SPLIT_PERHAPS,
      PTXLINT_EXACT },
};

static void test_conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(conditions); i++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, "
                  ".param .u32 n)\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<4>;\n"
                  ".reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [p];\nld.param.u32 %%r2, [n];\nmov.u32 "
                  "%%r1, %%tid.x;\n%s\n@%%p1 bra L;\n"
                  "st.global.u32 [%%rd1], %%r2;\nL:\nret;\n}\n",
                  conditions[i].code);
        ptxlint_launches *launches = NULL;
        ptxlint_options options;
        ptxlint_options_init(&options);
        assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
        if (conditions[i].block)
            assert_int_equal(ptxlint_launches_set(launches, "block", conditions[i].block, NULL, 0),
                             PTXLINT_OK);
        options.launches = launches;
        ptxlint_module *module = NULL;
        assert_int_equal(ptxlint_module_new(text.bytes, text.length, &options, &module),
                         PTXLINT_OK);
        char *errors = kit_list(module, true);
        assert_string_equal(errors, "");
        const ptxlint_kernel *kernel = kit_kernel(module, "k");
        assert_int_equal(kernel->branch_count, 1);
        const ptxlint_branch *branch = kernel->branches;
        if (branch->condition != conditions[i].condition || branch->splits != conditions[i].splits
            || branch->certainty != conditions[i].certainty)
            fail_msg("%s: %s, splits %d, certainty %d", conditions[i].what,
                     ptxlint_uniformity_text(branch->condition), branch->splits, branch->certainty);
        free(errors);
        free(text.bytes);
        ptxlint_module_free(module);
        ptxlint_launches_free(launches);
    }
}

/* A function's accesses stand with the kernel that calls it, over all calls. */
static void test_called(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.param .b64 p, .param .b32 "
        "i)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\n"
        "ld.param.u32 %r1, [i];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, "
        "%rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n"
        ".visible .entry k(.param .u64 in) .reqntid 32\n{\n.reg .b64 %rd<3>;\n.reg .b32 "
        "%r<3>;\nld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\n"
        "{\n.param .b64 p;\n.param .b32 i;\nst.param.b64 [p], %rd1;\nst.param.b32 [i], %r1;\ncall "
        "f, (p, i);\n}\nshl.b32 %r2, %r1, 1;\n"
        "{\n.param .b64 p;\n.param .b32 i;\nst.param.b64 [p], %rd1;\nst.param.b32 [i], %r2;\ncall "
        "f, (p, i);\n}\nret;\n}\n");
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    unsigned found = 0;
    for (size_t i = 0; i < kernel->access_count; i++) {
        const ptxlint_access *a = &kernel->accesses[i];
        assert_true(!i || kernel->accesses[i - 1].span.begin < a->span.begin);
        if (strcmp(a->space, "global"))
            continue;
        found++;
        assert_string_equal(a->function, "f");
        /* 4 once, 8 once */
        assert_true(a->sectors_per_request == 6 && a->used_bytes_per_request == 128
                    && a->moved_bytes_per_request == 192);
        assert_true(a->chain_count >= 2);
        assert_int_equal(kit_line(module, a->chain[0].span.begin),
                         kit_line(module, a->span.begin) - 1);
    }
    assert_int_equal(found, 1);
    ptxlint_module_free(module);
}

/* A finding points at what made lanes differ, the nearest and the first of them. */
static void test_related(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in) .reqntid "
        "256\n{\n.reg .b64 %rd<6>;\n.reg .b32 %r<3>;\n"
        "ld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4096;\nadd.s64 "
        "%rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
        "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5], "
        "%r2;\nret;\n}\n");
    size_t count, found = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(diags[i].rule, "MEM201"))
            continue;
        found++;
        assert_int_equal(diags[i].related_count, 3);
        assert_int_equal(kit_line(module, diags[i].related[0].span.begin), 11);
        assert_string_equal(diags[i].related[1].message,
                            "address depends on this value: lane stride 4096");
        assert_string_equal(diags[i].related[2].message,
                            "address depends on this value: lane stride 1");
    }
    assert_int_equal(found, 1);
    ptxlint_module_free(module);
}

UNIT(uniform)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 0);
        kernel_count = (unsigned)strtoul(argv[2], NULL, 0);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_hold),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_called),
        cmocka_unit_test(test_related),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
