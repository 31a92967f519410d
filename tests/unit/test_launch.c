/* test_launch.c -- launches from a file and from settings, as the analyses get them; logs of
 * ptxas. */
#include "input/launch.h"
#include "api/module.h"
#include "input/ptxas.h"
#include "kit.h"
#include "ir/module.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "session/residency.h"

static char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For free(). */
static char *print(const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(length >= 0 && (size_t)length < sizeof text);
    char *copy = strdup(text);
    assert_non_null(copy);
    return copy;
}

/* ---- a launch of the first function of some PTX ---------------------------------------------- */

typedef struct Built {
    ptxlint_module *module;
    ptxlint_launches *launches;
    Arena arena;
    jmp_buf on_failure;
    const Launch *launch;
} Built;

/* settings: "key=value", ends with NULL; json may be NULL. */
static void build(Built *built, const char *ptx, const char *json, const char *const *settings)
{
    char error[256] = "", key[64];
    built->module = kit_module(ptx);
    if (ptxlint_launches_new(json, json ? strlen(json) : 0, &built->launches, error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s: %s", json, error);
    for (; settings && *settings; settings++) {
        size_t length = strcspn(*settings, "=");
        assert_true(length < sizeof key);
        memcpy(key, *settings, length);
        key[length] = 0;
        if (ptxlint_launches_set(built->launches, key, *settings + length + 1, error, sizeof error)
            != PTXLINT_OK)
            fail_msg("%s: %s", *settings, error);
    }
    ptx_arena_init(&built->arena, 1 << 24, &built->on_failure);
    if (setjmp(built->on_failure))
        fail_msg("no memory");
    const LaunchSource source = { built->launches, NULL, "src/k.ptx", 0 };
    built->launch = ptx_launch_build(&built->arena, &source, built->module->ir,
                                     &built->module->ir->funcs[0]);
}

static void built_free(Built *built)
{
    ptx_arena_free(&built->arena);
    ptxlint_launches_free(built->launches);
    ptxlint_module_free(built->module);
}

/* "07000000", "pointer", "unknown", "none" beyond the last. */
static void describe_param(const Launch *launch, uint32_t position, char *out, size_t size)
{
    if (position >= launch->param_count) {
        snprintf(out, size, "none");
        return;
    }
    const LaunchParam *param = &launch->params[position];
    snprintf(out, size, "%s", param->is_pointer ? "pointer" : "unknown");
    for (uint32_t i = 0; param->bytes && i < param->length && 2 * i + 3 <= size; i++)
        snprintf(out + 2 * i, 3, "%02x", param->bytes[i]);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* json: a value in the file. The same as text must give the same as a setting. */
static const struct { const char *declared, *json, *want; } params[] = {
    { ".u32 p", "7", "07000000" },
    { ".u32 p", "4294967295", "ffffffff" },
    { ".u32 p", "4294967296", "unknown" },
    { ".u32 p", "-1", "ffffffff" },                     /* int is .u32 to compilers */
    { ".u32 p", "-2147483648", "00000080" },
    { ".u32 p", "-2147483649", "unknown" },
    { ".u32 p", "1e6", "40420f00" },
    { ".u32 p", "2.5", "unknown" },
    { ".u32 p", "1e300", "unknown" },
    { ".u32 p", "\"0xFFFFffff\"", "ffffffff" },
    { ".u32 p", "null", "unknown" },                    /* too small for a pointer */
    { ".u32 p", "{\"bytes\": \"01020304\"}", "01020304" },
    { ".u32 p", "{\"bytes\": \"010203\"}", "unknown" },
    { ".s32 p", "-2", "feffffff" },
    { ".s32 p", "2147483647", "ffffff7f" },
    { ".s32 p", "2147483648", "unknown" },
    { ".s32 p", "-3.0", "fdffffff" },
    { ".u8 p", "255", "ff" },
    { ".u8 p", "256", "unknown" },
    { ".s8 p", "-128", "80" },
    { ".s8 p", "128", "unknown" },
    { ".b8 p", "200", "c8" },
    { ".u16 p", "4660", "3412" },
    { ".s16 p", "-32769", "unknown" },
    { ".u64 p", "9223372036854775807", "ffffffffffffff7f" },
    { ".u64 p", "\"18446744073709551615\"", "ffffffffffffffff" },
    { ".s64 p", "-9223372036854775808", "0000000000000080" },
    { ".s64 p", "\"-9223372036854775809\"", "unknown" },
    { ".s64 p", "1e300", "unknown" },
    { ".u64 p", "null", "pointer" },
    { ".u64 p", "{\"data\": \"sorted\"}", "pointer" },
    { ".u64 p", "{\"data\": \"local\"}", "pointer" },
    { ".u64 p", "{\"data\": \"random\"}", "pointer" },
    { ".u32 p", "{\"data\": \"sorted\"}", "unknown" },
    { ".b64 p", "null", "pointer" },
    { ".u64 .ptr .global .align 16 p", "null", "pointer" },
    { ".f32 p", "2", "00000040" },
    { ".f32 p", "0.1", "cdcccc3d" },
    { ".f32 p", "-1.5", "0000c0bf" },
    { ".f32 p", "16777217", "0000804b" },               /* to even */
    { ".f32 p", "9007199791611905", "0100005a" },       /* 2^53 + 2^29 + 1: by way of double 2^53 */
    { ".f32 p", "1e39", "unknown" },
    { ".f64 p", "0.1", "9a9999999999b93f" },
    { ".f64 p", "-1", "000000000000f0bf" },
    { ".f16 p", "15360", "003c" },
    { ".f16 p", "1.0", "unknown" },                     /* raw bits are asked for */
    { ".f16 p", "-1", "unknown" },
    { ".f16x2 p", "1006648320", "003c003c" },
    { ".b16 p", "15360", "003c" },
    { ".b16 p", "1.0", "unknown" },
    { ".b32 p", "5", "05000000" },
    { ".b32 p", "1.5", "0000c03f" },
    { ".b32 p", "-1", "ffffffff" },
    { ".b64 p", "5", "0500000000000000" },
    { ".b64 p", "1.5", "000000000000f83f" },
    { ".b64 p", "\"0x123456789abcdef0\"", "f0debc9a78563412" },
    { ".align 4 .b8 p[4]", "1006648320", "003c003c" },  /* half2 */
    { ".align 2 .b8 p[2]", "65536", "unknown" },
    { ".align 4 .b8 p[12]", "5", "unknown" },
    { ".align 4 .b8 p[12]", "{\"bytes\": \"000102030405060708090A0b\"}", "000102030405060708090a0b" },
    { ".align 4 .b8 p[12]", "{\"bytes\": \"\"}", "unknown" },
    { ".align 8 .b8 p[8]", "null", "pointer" },         /* a structure that holds one */
    { ".u32 p[2]", "5", "unknown" },
    { ".b128 p", "5", "unknown" },
    { ".align 8 .b8 p[2305843009213693956]", "5", "unknown" },  /* bytes * 8 would be 32 */
};

static void expect_param(const char *declared, const char *json, const char *setting,
                         const char *want)
{
    const char *body = strcmp(want, "pointer")
                           ? ""
                           : ".reg .b64 %rd<3>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; add.s64 "
                             "%rd2, %rd1, 8; ld.global.u32 %r1, [%rd2];";
    char *ptx = print(
        ".version 8.7\n.target sm_90\n.address_size 64\n.entry k(.param %s) { %s ret; }\n",
        declared, body);
    char *file = json ? print("{\"kernels\": {\"k\": {\"params\": [%s]}}}", json) : NULL;
    char *set = setting ? print("param=p=%s", setting) : NULL, got[64];
    Built built;
    build(&built, ptx, file, (const char *const[]){ set, NULL });
    describe_param(built.launch, 0, got, sizeof got);
    if (strcmp(got, want))
        fail_msg("%s from %s: %s, want %s", declared, json ? json : setting, got, want);
    built_free(&built);
    free(ptx);
    free(file);
    free(set);
}

/* Whether null is a pointer, by what becomes of the parameter. */
static void test_uses(void **state)
{
    (void)state;
    static const struct { const char *body, *want; } cases[] = {
        { "ld.global.u32 %r1, [%rd1];", "pointer" },
        { "cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;", "pointer" },
        { "L: add.s64 %rd1, %rd1, 4; ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;", "pointer" },
        { "mad.wide.u32 %rd4, %r1, 4, %rd1; st.global.u32 [%rd4], %r1;", "pointer" },
        { "", "unknown" },
        { "setp.lt.u64 %p1, %rd1, %rd2; @%p1 st.global.u32 [%rd2], %r1;", "unknown" },
        /* an index */
        { "shl.b64 %rd3, %rd1, 2; add.s64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r1;", "unknown" },
        { "mad.lo.s64 %rd4, %rd1, 4, %rd2; st.global.u32 [%rd4], %r1;", "unknown" },
        { "st.global.u64 [%rd2], %rd1;", "unknown" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *ptx = print(
                 ".version 8.7\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p, .param "
                 ".u64 q) { .reg .b64 %%rd<9>; .reg .b32 %%r<9>; .reg .pred %%p<2>; "
                 "ld.param.u64 %%rd1, [p]; ld.param.u64 %%rd2, [q]; %s ret; }\n",
                 cases[i].body),
             got[64];
        Built built;
        build(&built, ptx, "{\"kernels\": {\"k\": {\"params\": [null, null]}}}", NULL);
        describe_param(built.launch, 0, got, sizeof got);
        if (strcmp(got, cases[i].want))
            fail_msg("%s: %s, want %s", cases[i].body, got, cases[i].want);
        built_free(&built);
        free(ptx);
    }
}

static void test_params(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(params); i++) {
        expect_param(params[i].declared, params[i].json, NULL, params[i].want);
        char *text = strdup(params[i].json);
        assert_non_null(text);
        if (*text == '"')               /* the command line has no quotes */
            text[strlen(text) - 1] = 0;
        expect_param(params[i].declared, NULL, text + (*text == '"'), params[i].want);
        free(text);
    }
}

#define KERNEL                                                                                    \
    ".version 8.7\n.target sm_90\n.address_size 64\n.entry k(.param .u32 k_param_0, .param .u32 " \
    "n, .param .u32 k_param_2)"

static const struct { const char *what, *json, *settings[4], *want; } overrides[] = {
    { "the file alone", "{\"kernels\": {\"k\": {\"params\": [1, 2]}}}", { NULL }, "01000000 02000000 unknown" },
    { "one of the file is replaced", "{\"kernels\": {\"k\": {\"params\": [1, 2, 3]}}}", { "param=1=9" }, "01000000 09000000 03000000" },
    { "names", NULL, { "param=k_param_0=1", "param=n=2", "param=param_2=3" }, "01000000 02000000 03000000" },
    { "positions", NULL, { "param=0=1", "param=2=3" }, "01000000 unknown 03000000" },
    { "a name wins over a position", NULL, { "param=n=5", "param=1=6" }, "unknown 05000000 unknown" },
    { "the last one counts", NULL, { "param=0=5", "param=0=6" }, "06000000 unknown unknown" },
    { "another kernel's name", NULL, { "param=j_param_0=5" }, "unknown unknown unknown" },
    { "beyond the last", "{\"kernels\": {\"k\": {\"params\": [1, 2, 3, 4]}}}", { "param=7=5" }, "01000000 02000000 03000000" },
    { "another kernel", "{\"kernels\": {\"j\": {\"params\": [1]}}}", { NULL }, "none none none" },
};

static void test_overrides(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(overrides); i++) {
        char one[3][64];
        Built built;
        build(&built, KERNEL " { ret; }\n", overrides[i].json, overrides[i].settings);
        for (uint32_t p = 0; p < 3; p++)
            describe_param(built.launch, p, one[p], sizeof one[p]);
        char *got = print("%s %s %s", one[0], one[1], one[2]);
        if (strcmp(got, overrides[i].want))
            fail_msg("%s: %s, want %s", overrides[i].what, got, overrides[i].want);
        free(got);
        built_free(&built);
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

#define FILE_SHAPES                                                                        \
    "{\"kernels\": {\"k\": {\"grid\": [100, 2], \"block\": [64], \"cluster\": [2, 1, 1], " \
    "\"dynamic_shared\": 512}}}"

/* want: grid, block, cluster, dynamic shared memory; 0 and -1: not known. */
static const struct { const char *what, *bounds, *json, *settings[5], *want; } shapes[] = {
    { "nothing", "", NULL, { NULL }, "0,0,0 0,0,0 0,0,0 -1" },
    { "directives", ".reqntid 128 .reqnctapercluster 2, 2", NULL, { NULL }, "0,0,0 128,1,1 2,2,1 -1" },
    { ".maxntid is only a bound", ".maxntid 128", NULL, { NULL }, "0,0,0 0,0,0 0,0,0 -1" },
    { "the file", "", FILE_SHAPES, { NULL }, "100,2,1 64,1,1 2,1,1 512" },
    { "the file over directives", ".reqntid 128", FILE_SHAPES, { NULL }, "100,2,1 64,1,1 2,1,1 512" },
    { "settings over the file", "", FILE_SHAPES, { "block=16,16", "dynamic_shared=48k" }, "100,2,1 16,16,1 2,1,1 49152" },
    { "settings alone", "", NULL, { "grid=2147483647,65535,65535", "cluster=4,2,2", "dynamic_shared=0" },
      "2147483647,65535,65535 0,0,0 4,2,2 0" },
    { "the last one counts", "", NULL, { "block=32", "block=64,2" }, "0,0,0 64,2,1 0,0,0 -1" },
    { "an entry that says nothing", "", "{\"kernels\": {\"k\": {}}}", { NULL }, "0,0,0 0,0,0 0,0,0 -1" },
};

/* want: the grid in x. The file is src/k.ptx. */
#define LISTED(text) "{\"launches\": [" text "]}"
static const struct { const char *what, *json; uint32_t want; } listed[] = {
    { "a kernel's name", LISTED("{\"kernel\": \"k\", \"grid\": [5]}"), 5 },
    { "a glob", LISTED("{\"kernel\": \"[a-k]*\", \"grid\": [5]}"), 5 },
    { "another kernel", LISTED("{\"kernel\": \"kk*\", \"grid\": [5]}"), 0 },
    { "a file", LISTED("{\"file\": \"*.ptx\", \"grid\": [5]}"), 5 },
    { "the end of its path", LISTED("{\"file\": \"k.ptx\", \"grid\": [5]}"), 5 },
    { "its folder", LISTED("{\"file\": \"src/*\", \"grid\": [5]}"), 5 },
    { "another file", LISTED("{\"file\": \"src/j.ptx\", \"kernel\": \"k\", \"grid\": [5]}"), 0 },
    { "both must fit", LISTED("{\"file\": \"k.ptx\", \"kernel\": \"j\", \"grid\": [5]}"), 0 },
    { "neither: all", LISTED("{\"grid\": [5]}"), 5 },
    { "the first match wins", LISTED("{\"kernel\": \"j\", \"grid\": [4]}, {\"kernel\": \"k\", \"grid\": [5]}, {\"kernel\": \"*\", \"grid\": [6]}"), 5 },
    { "all of it", LISTED("{\"kernel\": \"k\"}, {\"kernel\": \"k\", \"grid\": [6]}"), 0 },
    { "a kernel by its name before it", "{\"kernels\": {\"k\": {\"grid\": [7]}}, \"launches\": [{\"kernel\": \"k\", \"grid\": [5]}]}", 7 },
    { "beside another kernel", "{\"kernels\": {\"j\": {\"grid\": [7]}}, \"launches\": [{\"kernel\": \"k\", \"grid\": [5]}]}", 5 },
    { "the schema's name", "{\"$schema\": \"launch.json\", \"kernels\": {\"k\": {\"grid\": [7]}}}", 7 },
};

static void test_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(listed); i++) {
        Built built;
        build(&built, KERNEL " { ret; }\n", listed[i].json, NULL);
        if (built.launch->grid[0] != listed[i].want)
            fail_msg("%s: grid %u, want %u", listed[i].what, built.launch->grid[0], listed[i].want);
        built_free(&built);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        char *ptx = print(KERNEL " %s { ret; }\n", shapes[i].bounds);
        Built built;
        build(&built, ptx, shapes[i].json, shapes[i].settings);
        const Launch *l = built.launch;
        char *got = print("%u,%u,%u %u,%u,%u %u,%u,%u %lld", l->grid[0], l->grid[1], l->grid[2],
                          l->block[0], l->block[1], l->block[2], l->cluster[0], l->cluster[1],
                          l->cluster[2], (long long)l->dynamic_shared_bytes);
        if (strcmp(got, shapes[i].want))
            fail_msg("%s: %s, want %s", shapes[i].what, got, shapes[i].want);
        free(got);
        free(ptx);
        built_free(&built);
    }
}

static void test_without_launches(void **state)
{
    Built built;
    (void)state;
    build(&built, KERNEL " .reqntid 96 { ret; }\n", NULL, NULL);
    const LaunchSource source = { NULL, NULL, "-", 0 };
    const Launch *launch = ptx_launch_build(&built.arena, &source, built.module->ir,
                                            &built.module->ir->funcs[0]);
    assert_int_equal(launch->block[0], 96);
    assert_int_equal(launch->param_count, 0);
    assert_int_equal(launch->trip_count, 0);
    assert_int_equal(launch->dynamic_shared_bytes, -1);
    built_free(&built);
}

/* A .func is called by kernels of that launch; its parameters are not theirs. */
static void test_function(void **state)
{
    Built built;
    (void)state;
    build(&built,
          ".version 8.7\n.target sm_90\n.address_size 64\n.func f(.reg .u32 a, .param .u32 b) { "
          "ret; }\n",
          NULL, (const char *const[]){ "block=64", "param=0=1", "trip=L=3", NULL });
    assert_int_equal(built.launch->block[0], 64);
    assert_int_equal(built.launch->param_count, 0);
    assert_int_equal(built.launch->trip_count, 1);
    built_free(&built);
}

static void test_source(void **state)
{
    static const struct { const char *json, *setting; bool says; } sources[] = {
        { NULL, NULL, false },
        { "{\"kernels\": {\"j\": {\"grid\": [1]}}}", NULL, false },
        { "{\"kernels\": {\"k\": {}}}", NULL, true },
        { "{\"launches\": [{\"kernel\": \"[kl]\"}]}", NULL, true },
        { "{\"launches\": [{\"kernel\": \"l*\"}]}", NULL, false },
        { NULL, "block=64", true },
        { NULL, "param=0=1", true },
        { NULL, "trip=L=1", false },    /* that is no launch */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(sources); i++) {
        Built built;
        build(&built, KERNEL " { ret; }\n", sources[i].json,
              (const char *const[]){ sources[i].setting, NULL });
        assert_int_equal(built.launch->is_given, sources[i].says);
        built_free(&built);
    }
}

/* ---- trips ----------------------------------------------------------------------------------- */

static int64_t trips_of(const Launch *launch, const char *label)
{
    for (uint32_t i = 0; i < launch->trip_count; i++)
        if (!strcmp(launch->trips[i].name, label))
            return launch->trips[i].count;
    return -1;
}

static void test_trips(void **state)
{
    Built built;
    (void)state;
    build(&built, KERNEL " { ret; }\n",
          "{\"kernels\": {\"k\": {\"trips\": {\"$L__BB0_2\": 128, \"A\": 1}}}}",
          (const char *const[]){ "trip=A=7", "trip=B=0", NULL });
    assert_int_equal(built.launch->trip_count, 3);
    assert_int_equal(trips_of(built.launch, "$L__BB0_2"), 128);
    assert_int_equal(trips_of(built.launch, "A"), 7);
    assert_int_equal(trips_of(built.launch, "B"), 0);
    built_free(&built);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static const struct { const char *json, *error; } bad_files[] = {
    { "", "line 1, column 0: " },
    { "{\"kernels\": ", "line 1, " },
    { "[]", "there is no object \"kernels\"" },
    { "{\"kernels\": []}", "there is no object \"kernels\"" },
    { "{\"kernels\": {\"k\": 1}}", "kernel \"k\" is not an object" },
    { "{\"kernels\": {\"k\": {}, \"k\": {}}}", "duplicate" },
#define BAD(text) "{\"kernels\": {\"k\": {" text "}}}"
    { BAD("\"grid\": []"), "kernel \"k\": \"grid\" is not one to three whole numbers from 1 to 2147483647, 65535 and 65535" },
    { BAD("\"grid\": 4"), "\"grid\" is not" },
    { BAD("\"grid\": [1, 65536]"), "\"grid\" is not" },
    { BAD("\"grid\": [1, 1, 1, 1]"), "\"grid\" is not" },
    { BAD("\"block\": [0]"), "\"block\" is not" },
    { BAD("\"block\": [64, 64]"), "together at most 1024" },
    { BAD("\"block\": [1, 1, 65]"), "\"block\" is not" },
    { BAD("\"block\": [2.0]"), "\"block\" is not" },
    { BAD("\"cluster\": [4, 4, 2]"), "together at most 16" },
    { BAD("\"dynamic_shared\": -1"), "\"dynamic_shared\" is not a number of bytes" },
    { BAD("\"dynamic_shared\": 4294967296"), "\"dynamic_shared\" is not a number of bytes" },
    { BAD("\"params\": {}"), "\"params\" is not an array" },
    { BAD("\"params\": [1, true]"), "parameter 1 is not a number of at most 64 bits, null for a pointer" },
    { BAD("\"params\": [{}]"), "parameter 0 is not" },
    { BAD("\"params\": [{\"bytes\": \"0\"}]"), "parameter 0 is not" },
    { BAD("\"params\": [{\"bytes\": \"0g\"}]"), "parameter 0 is not" },
    { BAD("\"params\": [\"\"]"), "parameter 0 is not" },
    { BAD("\"params\": [\"18446744073709551616\"]"), "parameter 0 is not" },
    { BAD("\"gird\": [1]"), "kernel \"k\": unknown key \"gird\"; did you mean \"grid\"?" },
    { BAD("\"gridDim\": [1]"), "unknown key \"gridDim\"; did you mean \"grid\"?" },
    { BAD("\"param\": []"), "did you mean \"params\"?" },
    { BAD("\"dynamic-shared\": 1"), "did you mean \"dynamic_shared\"?" },
    { BAD("\"shared\": 1"), "did you mean \"dynamic_shared\"?" },
    { BAD("\"note\": 1"), "kernel \"k\": \"note\" is not a string or an array of strings" },
    { BAD("\"note\": [1]"), "kernel \"k\": \"note\" is not a string or an array of strings" },
    { BAD("\"remarks\": 1"), "unknown key \"remarks\"; known are grid, block, cluster" },
    { BAD("\"params\": [{\"allocated\": 0}]"), "kernel \"k\": parameter 0 is not " },
    { BAD("\"params\": [{\"allocated\": 8, \"bytes\": \"00\"}]"), "kernel \"k\": parameter 0 is not " },
    { BAD("\"kernel\": \"k\""), "unknown key \"kernel\"; known are grid" },
    { BAD("\"params\": [null, {\"byte\": \"00\"}]"), "kernel \"k\": parameter 1: unknown key \"byte\"; did you mean \"bytes\"?" },
    { BAD("\"params\": [{\"sorted\": true}]"), "parameter 0: unknown key \"sorted\"; known are bytes, data" },
    { BAD("\"params\": [{\"data\": \"sortd\"}]"), "did you mean {\"data\": \"sorted\"}?" },
    { BAD("\"params\": [{\"data\": \"locale\"}]"), "did you mean {\"data\": \"local\"}?" },
    { BAD("\"params\": [{\"data\": \"xyz\"}]"), "{\"data\": \"sorted\"}, \"local\" or \"random\"" },
    { BAD("\"params\": [{\"data\": \"sorted\", \"bytes\": \"00\"}]"), "parameter 0 is not" },
    { "{\"kernels\": {}, \"more\": []}", "unknown key \"more\"; known are kernels, launches, $schema" },
    { "{\"kernel\": {}}", "unknown key \"kernel\"; did you mean \"kernels\"?" },
    { "{\"lauches\": []}", "unknown key \"lauches\"; did you mean \"launches\"?" },
    { "{\"launches\": {}}", "\"launches\" is not an array: write {\"launches\": [{\"kernel\": \"gemm*\", \"grid\": [4096]}]}" },
    { LISTED("5"), "launch 1 of \"launches\" is not an object" },
    { LISTED("{}, {\"kernel\": 5}"), "launch 2 of \"launches\": \"kernel\" is not a name, or a pattern" },
    { LISTED("{\"file\": \"\"}"), "\"file\" is not a name" },
    { LISTED("{\"files\": \"a\"}"), "launch 1 of \"launches\": unknown key \"files\"; did you mean \"file\"?" },
    { LISTED("{\"grid\": [0]}"), "launch 1 of \"launches\": \"grid\" is not one to three" },
    { LISTED("{\"params\": [{\"dta\": \"sorted\"}]}"), "launch 1 of \"launches\": parameter 0: unknown key \"dta\"; did you mean \"data\"?" },
    { BAD("\"trips\": []"), "\"trips\" is not an object" },
    { BAD("\"trips\": {\"L\": -1}"), "\"L\" of \"trips\" is not a whole number from 0" },
    { BAD("\"trips\": {\"L\": 1.5}"), "\"L\" of \"trips\" is not" },
};

static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_files); i++) {
        char error[256] = "";
        ptxlint_launches *launches = NULL;
        ptxlint_status status = ptxlint_launches_new(bad_files[i].json, strlen(bad_files[i].json),
                                                     &launches, error, sizeof error);
        if (status != PTXLINT_BAD_FILE || launches || !strstr(error, bad_files[i].error))
            fail_msg("%s: %s: `%s`, want `%s`", bad_files[i].json, ptxlint_status_text(status),
                     error, bad_files[i].error);
    }
}

/* Where it is. */
static const struct { const char *json, *error; } bad_places[] = {
    { "{\"kernels\": {\"k\":\n {\"grid\": [1, 65536]}}}", "line 2, column 11: kernel" },
    { "{\"kernels\": {\"k\": {\"gird\": [1]}}}", "line 1, column 20: kernel \"k\": unknown key" },
    { "{\"kernels\": {\"a\": {\"note\": \"}]\\\"\"}, \"k\": {\"params\": [[2, 3],\n true]}}}",
      "line 1, column 54: kernel \"k\": parameter 0" },
    { "{\"kernels\": {\"k\": {\"params\": [\"\u00e9\",\n 1]}}}", "line 1, column 31: kernel" },
    { "{\"launches\": [{}, {\"trips\": {\"L\": 1,\n\"M\": -1}}]}", "line 2, column 6: launch 2" },
    { "{\"launches\": [{\"kernel\": \"a\"}, 3]}", "line 1, column 32: launch 2" },
    { "{\"launches\": {}}", "line 1, column 14: \"launches\" is not an array" },
    { "{\"a\": {}}", "line 1, column 2: unknown key" },
    { "{\"kernels\": {\"\\u006b\": {\"grid\": 1}}}", "kernel \"k\": \"grid\"" },
};

static void test_bad_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_places); i++) {
        char error[256] = "";
        ptxlint_launches *launches = NULL;
        ptxlint_status status = ptxlint_launches_new(bad_places[i].json, strlen(bad_places[i].json),
                                                     &launches, error, sizeof error);
        if (status != PTXLINT_BAD_FILE
            || strncmp(error, bad_places[i].error, strlen(bad_places[i].error)) != 0)
            fail_msg("%s: `%s`, want `%s`", bad_places[i].json, error, bad_places[i].error);
    }
}

static const struct { const char *key, *value, *error; } bad_settings[] = {
    { "block", "", "'' is not one to three whole numbers" },
    { "block", "0", "'0' is not" },
    { "block", "32,", "'32,' is not" },
    { "block", ",32", "',32' is not" },
    { "block", "1,1,1,1", "is not" },
    { "block", "32x2", "is not" },
    { "block", "-32", "is not" },
    { "block", "0x20", "is not" },
    { "block", "1025", "together at most 1024, with commas between" },
    { "block", "32,33", "is not" },
    { "grid", "2147483648", "is not" },
    { "grid", "99999999999999999999999999999999999999", "is not" },
    { "cluster", "17", "is not" },
    { "dynamic_shared", "", "'' is not a number of bytes from 0 to 4294967295, as 49152 or 48k" },
    { "dynamic_shared", "k", "is not" },
    { "dynamic_shared", "48KiB", "is not" },
    { "dynamic_shared", "1.5k", "is not" },
    { "dynamic_shared", "4294967296", "is not" },
    { "dynamic_shared", "4194304k", "is not" },
    { "dynamic_shared", "9223372036854775807k", "is not" },
    { "param", "5", "'5' is not POSITION=VALUE or NAME=VALUE" },
    { "param", "=5", "is not POSITION=VALUE" },
    { "param", "a b=5", "is not POSITION=VALUE" },
    { "param", "n=", "'' is not a number of at most 64 bits, null for a pointer" },
    { "param", "n=many", "'many' is not a number" },
    { "param", "n=1 2", "is not a number" },
    { "param", "n=18446744073709551616", "is not a number" },
    { "param", "n=1e999", "is not a number" },
    { "param", "n=0x", "is not a number" },
    { "param", "n=nan", "is not a number" },
    { "param", "n={\"bytes\": \"abc\"}", "is not a number" },
    { "trip", "L", "'L' is not LABEL=N" },
    { "trip", "L=", "'' is not a whole number from 0" },
    { "trip", "L=-1", "'-1' is not a whole number from 0" },
    { "trip", "L=9223372036854775808", "is not a whole number" },
};

static void test_bad_settings(void **state)
{
    ptxlint_launches *launches;
    char error[256], tiny[4];
    (void)state;
    assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
    for (size_t i = 0; i < COUNT(bad_settings); i++) {
        *error = 0;
        ptxlint_status status = ptxlint_launches_set(launches, bad_settings[i].key,
                                                     bad_settings[i].value, error, sizeof error);
        if (status != PTXLINT_BAD_FILE || !strstr(error, bad_settings[i].error))
            fail_msg("%s %s: `%s`, want `%s`", bad_settings[i].key, bad_settings[i].value, error,
                     bad_settings[i].error);
    }
    assert_int_equal(ptxlint_launches_set(launches, "blocks", "1", error, sizeof error),
                     PTXLINT_BAD_ARGUMENT);
    assert_non_null(strstr(error, "'blocks' is not one of block, grid"));
    assert_int_equal(ptxlint_launches_set(launches, "block", "x", NULL, 0), PTXLINT_BAD_FILE);
    assert_int_equal(ptxlint_launches_set(launches, "block", "x", tiny, sizeof tiny),
                     PTXLINT_BAD_FILE);
    assert_int_equal(strlen(tiny), 3);
    assert_int_equal(ptxlint_launches_set(NULL, "block", "1", NULL, 0), PTXLINT_BAD_ARGUMENT);
    ptxlint_launches_free(launches);
    ptxlint_launches_free(NULL);
}

/* ---- logs ------------------------------------------------------------------------------------ */

/* "registers barriers shared spill-stores/loads stack"; ? is unknown. */
static char *describe_kernel(const PtxasUsage *kernel)
{
    const int64_t values[] = { kernel->registers,        kernel->barriers,
                               kernel->shared_bytes,     kernel->spill_store_bytes,
                               kernel->spill_load_bytes, kernel->stack_bytes };
    char text[6][24];
    for (size_t i = 0; i < COUNT(values); i++)
        snprintf(text[i], sizeof text[i], values[i] < 0 ? "?" : "%lld", (long long)values[i]);
    return print("%s %s %s %s/%s %s", text[0], text[1], text[2], text[3], text[4], text[5]);
}

#define INFO "ptxas info    : "
#define COMPILING(name, sm) INFO "Compiling entry function '" name "' for '" sm "'\n"
#define PROPERTIES(name, bytes) INFO "Function properties for " name "\n    " bytes "\n"
#define NO_SPILLS "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
#define PLAIN                       \
    COMPILING("d", "sm_90")         \
    PROPERTIES("d", NO_SPILLS) INFO \
        "Used 16 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n"

/* want: NULL: the log says nothing of it. */
static const struct { const char *what, *log, *kernel, *sm, *want; size_t kernels;
} logs[] = {
    { "of CUDA 13", INFO "0 bytes gmem\n" PLAIN INFO "Compile time = 1.018 ms\n", "d", "sm_90",
      "16 1 2048 0/0 0", 1 },
    { "another architecture", PLAIN, "d", "sm_80", NULL, 1 },
    { "another kernel", PLAIN, "e", "sm_90", NULL, 1 },
    { "sm_90a is an sm_90", COMPILING("d", "sm_90a") INFO "Used 8 registers\n", "d", "sm_90",
      "8 ? 0 ?/? ?", 1 },
    { "but after sm_90 itself", PLAIN COMPILING("d", "sm_90a") INFO "Used 8 registers\n", "d",
      "sm_90", "16 1 2048 0/0 0", 2 },
    { "and sm_9 is not", COMPILING("d", "sm_9") INFO "Used 8 registers\n", "d", "sm_90", NULL, 1 },
    { "sm_120 is not sm_12", COMPILING("d", "sm_120") INFO "Used 8 registers\n", "d", "sm_12", NULL,
      1 },
    { "spills",
      COMPILING("d", "sm_90")
          PROPERTIES("d", "328 bytes stack frame, 52 bytes spill stores, 56 bytes spill loads") INFO
      "Used 32 registers, used 1 barriers, 336 bytes cumulative stack size\n",
      "d", "sm_90", "32 1 0 52/56 336", 1 },
    { "of CUDA 9: no barriers, a build tool before it",
      "1>  " COMPILING(
          "d",
          "sm_50") "1>  " PROPERTIES("d",
                                     "296 bytes stack frame, 176 bytes spill stores, 312 bytes "
                                     "spill loads") "1>  " INFO
                                                    "Used 255 registers, 312 bytes cumulative "
                                                    "stack size, 8192 bytes smem, 324 bytes "
                                                    "cmem[0], 4 bytes cmem[2]\n",
      "d", "sm_50", "255 ? 8192 176/312 312", 1 },
    { "of CUDA 2: two parts of shared memory",
      COMPILING("d", "sm_10") INFO "Used 10 registers, 24+16 bytes smem, 4 bytes cmem[1]\n", "d",
      "sm_10", "10 ? 40 ?/? ?", 1 },
    { "functions it calls have properties too",
      COMPILING("d", "sm_90")
          PROPERTIES("f", "8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads")
              PROPERTIES("d", NO_SPILLS)
                  PROPERTIES("g", "9 bytes stack frame, 9 bytes spill stores, 9 bytes spill loads")
                      INFO "Used 16 registers\n" PROPERTIES(
                          "d$1", "7 bytes stack frame, 7 bytes spill stores, 7 bytes spill loads"),
      "d", "sm_90", "16 ? 0 0/0 0", 1 },
    { "side by side: the first",
      COMPILING("d", "sm_90") COMPILING("e", "sm_90") PROPERTIES("d", NO_SPILLS) INFO
      "Used 1 registers\n" PROPERTIES("e", NO_SPILLS) INFO "Used 2 registers\n",
      "d", "sm_90", "1 ? 0 0/0 0", 2 },
    { "side by side: the second",
      COMPILING("d", "sm_90") COMPILING("e", "sm_90") PROPERTIES("d", NO_SPILLS) INFO
      "Used 1 registers\n" PROPERTIES("e", NO_SPILLS) INFO "Used 2 registers\n",
      "e", "sm_90", "2 ? 0 0/0 0", 2 },
    { "two architectures", COMPILING("d", "sm_80") INFO "Used 8 registers\n" PLAIN, "d", "sm_80",
      "8 ? 0 ?/? ?", 2 },
    { "the last one counts", COMPILING("d", "sm_90") INFO "Used 8 registers\n" PLAIN, "d", "sm_90",
      "16 1 2048 0/0 0", 2 },
    { "advice between the lines",
      INFO ": (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in "
           "function 'd'\n" COMPILING("d", "sm_90") INFO "(C7510) Used by d\n" INFO
                                                         "Used 24 registers, used 1 barriers\n",
      "d", "sm_90", "24 1 0 ?/? ?", 1 },
    { "ends of lines of Windows",
      COMPILING("d", "sm_90") "ptxas info    : Function properties for d\r\n  " NO_SPILLS
                              "\r\n" INFO "Used 16 registers, used 1 barriers\r\n",
      "d", "sm_90", "16 1 0 0/0 0", 1 },
    { "cut off before registers", COMPILING("d", "sm_90") INFO "Used 16 regi", "d", "sm_90", NULL,
      0 },
    { "cut off after them", COMPILING("d", "sm_90") INFO "Used 16 registers, used 1 barriers, 20",
      "d", "sm_90", "16 1 ? ?/? ?", 1 },
    { "no kernel", INFO "Used 16 registers, used 1 barriers\n", "d", "sm_90", NULL, 0 },
    { "a number too large", COMPILING("d", "sm_90") INFO "Used 99999999999999999999 registers\n",
      "d", "sm_90", NULL, 0 },
    { "no name", COMPILING("", "sm_90") INFO "Used 16 registers\n", "", "sm_90", NULL, 0 },
    { "no architecture", COMPILING("d", "90") INFO "Used 16 registers\n", "d", "90", NULL, 0 },
    { "nothing", "", "d", "sm_90", NULL, 0 },
};

static void test_logs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(logs); i++) {
        ptxlint_ptxas *ptxas;
        size_t kernels = 99;
        assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
        assert_int_equal(ptxlint_ptxas_add(ptxas, logs[i].log, strlen(logs[i].log), &kernels),
                         PTXLINT_OK);
        const PtxasUsage *kernel = ptx_ptxas_find(ptxas, logs[i].kernel, logs[i].sm);
        char *got = kernel ? describe_kernel(kernel) : NULL;
        if (!got != !logs[i].want || (got && strcmp(got, logs[i].want)))
            fail_msg("%s: %s, want %s", logs[i].what, got ? got : "nothing",
                     logs[i].want ? logs[i].want : "nothing");
        if (kernels != logs[i].kernels)
            fail_msg("%s: %zu kernels, want %zu", logs[i].what, kernels, logs[i].kernels);
        free(got);
        ptxlint_ptxas_free(ptxas);
    }
    ptxlint_ptxas_free(NULL);
    assert_null(ptx_ptxas_find(NULL, "d", "sm_90"));
    assert_int_equal(ptxlint_ptxas_add(NULL, "", 0, NULL), PTXLINT_BAD_ARGUMENT);
}

/* A later log replaces what it names, and nothing else. */
static void test_two_logs(void **state)
{
    static const char later[] = COMPILING("e", "sm_90") INFO
        "Used 9 registers\n" COMPILING("d", "sm_90") INFO "Used 17 registers\n";
    ptxlint_ptxas *ptxas;
    size_t kernels;
    (void)state;
    assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
    assert_int_equal(
        ptxlint_ptxas_add(ptxas, PLAIN COMPILING("c", "sm_90") INFO "Used 5 registers\n",
                          sizeof PLAIN COMPILING("c", "sm_90") INFO "Used 5 registers\n" - 1,
                          &kernels),
        PTXLINT_OK);
    assert_int_equal(kernels, 2);
    assert_int_equal(ptxlint_ptxas_add(ptxas, later, sizeof later - 1, &kernels), PTXLINT_OK);
    assert_int_equal(kernels, 2);
    assert_int_equal(ptx_ptxas_find(ptxas, "c", "sm_90")->registers, 5);
    assert_int_equal(ptx_ptxas_find(ptxas, "d", "sm_90")->registers, 17);
    assert_int_equal(ptx_ptxas_find(ptxas, "e", "sm_90")->registers, 9);
    ptxlint_ptxas_free(ptxas);
}

/* Wherever a log ends, no figure is one that it does not hold. */
static void test_cut_logs(void **state)
{
    static const char log[] = PLAIN;
    (void)state;
    for (size_t length = 0; length < sizeof log; length++) {
        ptxlint_ptxas *ptxas;
        /* of exactly that size, for the sanitizer */
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, log, length);
        assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
        assert_int_equal(ptxlint_ptxas_add(ptxas, copy, length, NULL), PTXLINT_OK);
        const PtxasUsage *kernel = ptx_ptxas_find(ptxas, "d", "sm_90");
        if (kernel
            && (kernel->registers != 16 || (kernel->barriers >= 0 && kernel->barriers != 1)
                || (kernel->shared_bytes >= 0 && kernel->shared_bytes != 2048)))
            fail_msg("cut at byte %zu", length);
        ptxlint_ptxas_free(ptxas);
        free(copy);
    }
}

static void test_damaged_logs(void **state)
{
    static const char log[] = PLAIN COMPILING("e", "sm_80") PROPERTIES("e", NO_SPILLS) INFO
        "Used 3 registers, 24+16 bytes smem\n";
    char bytes[sizeof log];
    uint32_t random = 1;
    ptxlint_ptxas *ptxas;
    (void)state;
    assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
    for (int round = 0; round < 20000; round++) {
        memcpy(bytes, log, sizeof log);
        for (int changes = 0; changes < 1 + round % 4; changes++) {
            random = random * 1664525 + 1013904223;
            bytes[(random >> 8) % (sizeof log - 1)] = (char)(random >> 24);
        }
        if (round % 100 == 0) {
            ptxlint_ptxas_free(ptxas);
            assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
        }
        assert_int_equal(ptxlint_ptxas_add(ptxas, bytes, sizeof log - 1, NULL), PTXLINT_OK);
        ptx_ptxas_find(ptxas, "d", "sm_90");
    }
    ptxlint_ptxas_free(ptxas);
}

/* Time that grows with the square would show here: 100,000 kernels, none of which gets its
 * registers before the end. */
static void test_large_log(void **state)
{
    enum { KERNELS = 100000 };
    Text text = { 0 };
    ptxlint_ptxas *ptxas;
    char name[32];
    size_t kernels;
    (void)state;
    for (int i = 0; i < KERNELS; i++)
        kit_print(&text, COMPILING("k%d", "sm_90") PROPERTIES("f", NO_SPILLS), i);
    for (int i = 0; i < KERNELS; i++)
        kit_print(&text, COMPILING("m%d", "sm_90") INFO "Used %d registers\n", i, i % 256);
    assert_int_equal(ptxlint_ptxas_new(&ptxas), PTXLINT_OK);
    assert_int_equal(ptxlint_ptxas_add(ptxas, text.bytes, text.length, &kernels), PTXLINT_OK);
    assert_int_equal(kernels, KERNELS);
    for (int i = 0; i < KERNELS; i += 999) {
        snprintf(name, sizeof name, "m%d", i);
        assert_int_equal(ptx_ptxas_find(ptxas, name, "sm_90")->registers, i % 256);
    }
    ptxlint_ptxas_free(ptxas);
    free(text.bytes);
}

/* Shared memory of what is called: unknown where a call may come to a function that has some. Both
 * figures before the launch says one; -1: unknown. */
static void test_called_shared(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .b8 dyn[];\n"
        ".shared .b32 fix[8];\n.extern .func away();\n.extern .func vprintf();\n"
        ".func plain() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret; }\n"
        ".func unsized() { .reg .b32 %r<2>; mov.u32 %r1, dyn; ret; }\n"
        ".func sized() { .reg .b32 %r<2>; mov.u32 %r1, fix; ret; }\n"
        ".func own() { .shared .b32 mine[4]; ret; }\n"
        ".func deep() { call plain; call unsized; ret; }\n"
        ".func loop() { call loop; call sized; ret; }\n"
        ".entry none() { ret; }\n"
        ".entry uses() { .reg .b32 %r<2>; mov.u32 %r1, dyn; mov.u32 %r1, fix; ret; }\n"
        ".entry a() { call plain; ret; }\n.entry b() { call unsized; ret; }\n"
        ".entry c() { call deep; ret; }\n.entry d() { call sized; ret; }\n"
        ".entry e() { call own; ret; }\n.entry f() { call loop; ret; }\n"
        ".entry g() { call away; ret; }\n.entry h() { call vprintf; ret; }\n"
        ".entry i(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p];\n"
        "P: .callprototype _ ();\ncall %rd1, P; ret; }\n";
    static const struct { const char *kernel; int64_t fixed, dynamic; } cases[] = {
        { "none", 0, 0 }, { "uses", 32, -1 }, { "a", 0, 0 },   { "b", 0, -1 },
        { "c", 0, -1 },   { "d", -1, 0 },     { "e", -1, 0 },  { "f", -1, 0 },
        { "g", -1, -1 },  { "h", 0, 0 },      { "i", -1, -1 },
    };
    ptxlint_options options;
    ptxlint_module *module;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_launches *launches;
    (void)state;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    for (int is_given = 0; is_given < 2; is_given++) {
        assert_int_equal(ptxlint_launches_new(NULL, 0, &launches, NULL, 0), PTXLINT_OK);
        if (is_given)
            assert_int_equal(ptxlint_launches_set(launches, "dynamic_shared", "64", NULL, 0),
                             PTXLINT_OK);
        options.launches = launches;
        assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
        for (size_t c = 0; c < COUNT(cases); c++) {
            const ptxlint_kernel *kernel = kit_kernel(module, cases[c].kernel);
            const int64_t dynamic = kernel->projections->resources.dynamic_shared_bytes,
                          want = is_given ? 64 : cases[c].dynamic,
                          fixed = kernel->static_shared_bytes;
            if (fixed != (cases[c].fixed < 0 ? PTXLINT_UNKNOWN : cases[c].fixed)
                || dynamic != (want < 0 ? PTXLINT_UNKNOWN : want))
                fail_msg("%s: %lld and %lld bytes", cases[c].kernel, (long long)fixed,
                         (long long)dynamic);
        }
        ptxlint_module_free(module);
        ptxlint_launches_free(launches);
    }
}

UNIT(launch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_params), cmocka_unit_test(test_uses),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_listed),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_without_launches),
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_trips),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_bad_places),
        cmocka_unit_test(test_bad_settings),
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_two_logs),
        cmocka_unit_test(test_cut_logs),
        cmocka_unit_test(test_damaged_logs),
        cmocka_unit_test(test_large_log), cmocka_unit_test(test_called_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
