/* test_cli_verify.c -- verify: measured times against what the GPU can do. */
#include "program.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define COPY(name)                                                                                 \
    ".visible .entry " name "(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<5>;\n"               \
    ".reg .b64 %rd<6>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"                       \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r1, 8;\n"                        \
    "add.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"             \
    "add.s64 %rd5, %rd2, %rd3;\nld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd5], %r4;\nret;\n}\n"
/* the factors stay the same in the loop: what ptxas converts them with leaves it */
#define PRODUCTS                                                                                   \
    ".visible .entry products(.param .u64 o)\n{\n.reg .b32 %r<4>;\n.reg .f32 %f<5>;\n"            \
    ".reg .pred %p;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [o];\nmov.u32 %r1, %tid.x;\n"         \
    "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n"        \
    "mov.u32 %r2, 0;\nL:\nmma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "                   \
    "{%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};\n"                       \
    "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 100000;\n@%p bra L;\n"                            \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.f32 [%rd3], %f1;\n"        \
    "ret;\n}\n"
#define ROW "{\"kernel\": \"copy\", \"grid\": 262144, \"block\": 256, "

static const File files[] = {
    { "copy.ptx", HEAD COPY("copy") },
    { "again.ptx", HEAD COPY("copy") },
    { "other.ptx", HEAD COPY("_Z5otherPfS_") },
    { "products.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n" PRODUCTS },
    { "products.jsonl", "{\"kernel\": \"products\", \"grid\": 1056, \"block\": 256, \"us\": 3000}\n" },
    { "good.jsonl", ROW "\"us\": 190}\n" },
    { "slow.jsonl", ROW "\"us\": 2000}\n" },
    { "never.jsonl", ROW "\"us\": 40, \"gpu\": \"NVIDIA H200\"}\n" },
    { "h100.jsonl", ROW "\"us\": 40, \"gpu\": \"h100\"}\n" },
    { "both.jsonl", ROW "\"us\": 190, \"file\": \"again.ptx\"}\n{\"kernel\": \"x\", \"us\": 1}\n" },
    { "nsys.csv", "Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name\n"
                  "40000,7,262144,1,1,256,1,1,\"other(float *, float *)\"\n" },
    { "times.csv", "kernel,cold_us,warm_us,grid,block\ncopy,190,75,262144,256\n" },
    { "empty.csv", "" },
};

#define VERIFY "$PTXLINT verify --no-config --gpu h200 --measured "

static const Case cases[] = {
    { VERIFY "good.jsonl copy.ptx", 0, "as predicted      190  97.76   158.8-230.1 copy "
                                       "<<<262144, 256>>>\n1 row: 1 as predicted.\n", "", NULL },
    { VERIFY "never.jsonl copy.ptx", 1, "Warm caches do not explain it: 70.51 us are", "", NULL },
    { VERIFY "never.jsonl --format markdown copy.ptx", 1, "| impossible | 40 | 97.76 |", "", NULL },
    { VERIFY "never.jsonl --csv copy.ptx", 1, "1,copy,copy.ptx,h200,impossible,40,97.7633,dram,",
      "", NULL },
    { VERIFY "never.jsonl --warm copy.ptx", 1, "impossible", "", NULL },
    /* a row for each GPU that it may be of */
    { "$PTXLINT verify --no-config --gpu h200,h100 --measured good.jsonl copy.ptx", 0,
      "2 rows: 2 as predicted.\n", "", NULL },
    { "$PTXLINT verify --no-config --gpu h200,h100 --measured never.jsonl copy.ptx", 1,
      "1 row: 1 impossible.\n", "", NULL },
    { VERIFY "h100.jsonl copy.ptx", 0, "--gpu leaves out the GPU that the row names", "", NULL },
    { "$PTXLINT verify --no-config --measured good.jsonl copy.ptx", 0, "unknown", "", NULL },
    { VERIFY "slow.jsonl copy.ptx", 0, "11.1 times the prediction", "", NULL },
    { VERIFY "slow.jsonl --max-slowdown 20 copy.ptx", 0, "1 slower", "", NULL },
    { VERIFY "slow.jsonl --max-slowdown 2.5 copy.ptx", 1, "1 slower", "", NULL },
    { VERIFY "products.jsonl products.ptx", 0, "1 row: 1 faster.", "", NULL },
    /* names of a profiler; columns */
    { VERIFY "nsys.csv other.ptx", 1, "impossible", "", NULL },
    { VERIFY "times.csv --column cold_us copy.ptx", 0, "1 as predicted", "", NULL },
    { VERIFY "times.csv --column warm_us --warm copy.ptx", 0, "1 faster", "", NULL },
    /* whose row it is */
    { VERIFY "both.jsonl copy.ptx again.ptx", 0, "no input has such a kernel", "", NULL },
    { VERIFY "good.jsonl copy.ptx again.ptx", 0, "several kernels of the inputs fit", "", NULL },
    { VERIFY "good.jsonl other.ptx", 2, "", "no row is of a kernel that is asked for", NULL },
    { VERIFY "good.jsonl --kernel nothing copy.ptx", 2, "", "no row is of a kernel", NULL },
    /* slips */
    { "$PTXLINT verify copy.ptx", 2, "", "give --measured FILE", NULL },
    { VERIFY "good.jsonl", 2, "", "no PATH given", NULL },
    { VERIFY "none.jsonl copy.ptx", 3, "", "none.jsonl: No such file", NULL },
    { VERIFY "empty.csv copy.ptx", 2, "", "empty.csv: is empty", NULL },
    { VERIFY "times.csv copy.ptx", 2, "", "no row has a time: a column us, ns, ms", NULL },
    { VERIFY "times.csv --column kernel copy.ptx", 2, "", "whose name ends in us, ns or ms", NULL },
    { VERIFY "good.jsonl --clock fast copy.ptx", 2, "", "'fast' is not a number of MHz", NULL },
    { VERIFY "good.jsonl --max-slowdown 0.5 copy.ptx", 2, "", "is not how many times", NULL },
    { VERIFY "good.jsonl missing.ptx", 3, "1 unknown", "missing.ptx: No such file", NULL },
    { VERIFY "good.jsonl missing.ptx copy.ptx", 3, "1 as predicted", "missing.ptx", NULL },
    { "$PTXLINT check --measured good.jsonl copy.ptx", 2, "", "`ptxlint verify` has it", NULL },
};

static void test_verify(void **state)
{
    (void)state;
    check_cases(cases, COUNT(cases));
}

static void test_verify_json(void **state)
{
    (void)state;
    json_t *document = run_json(VERIFY "never.jsonl --format json copy.ptx", 1),
           *row = json_array_get(json_object_get(document, "rows"), 0);
    assert_string_equal(text_at(document, "schema"), "ptxlint-verify/1");
    assert_string_equal(text_at(row, "verdict"), "impossible");
    assert_string_equal(text_at(row, "least_by"), "dram");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(row, "grid"), 0)), 262144);
    assert_true(json_real_value(json_object_get(row, "least_us"))
                > json_real_value(json_object_get(row, "measured_us")));
    json_decref(document);
}

static int setup(void **state)
{
    static const char *const folders[] = { NULL };
    (void)state;
    return enter_folder(folders, files, COUNT(files));
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_verify_json),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
