/* test_cli_calibrate.c -- calibrate: constants planted in a GPU file, and found again by what that
 * file predicts. */
#include "program.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define COPY(name)                                                                                 \
    ".visible .entry " name "(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<5>;\n"               \
    ".reg .b64 %rd<6>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"                       \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r1, 10;\n"                        \
    "add.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"             \
    "add.s64 %rd5, %rd2, %rd3;\nld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd5], %r4;\nret;\n}\n"
#define ROW "{\"kernel\": \"copy\", \"grid\": 262144, \"block\": 256, "

static const File files[] = {
    { "copy.ptx", HEAD COPY("copy") },
    { "true.yaml", "base: h200\nproduct: a board\nfigures:\n  - source: planted\n"
                   "    launch_ns: 3300\n" },
    { "few.jsonl", ROW "\"us\": 190}\n" },
    { "cheat.jsonl", ROW "\"us\": 40}\n" },
    { "other.jsonl", "{\"kernel\": \"other\", \"us\": 40}\n" },
    { "h100.jsonl", ROW "\"us\": 190, \"gpu\": \"NVIDIA H100\"}\n" },
    { "empty.csv", "" },
};

enum { ROWS = 24 };

/* Times of launches from 16 blocks on, 1.8 times as many each. */
static void write_times(const char *path, const json_t *verified)
{
    char text[ROWS * 160] = "";
    size_t length = 0;
    double blocks = 16;
    for (size_t i = 0; i < ROWS; i++, blocks *= 1.8) {
        const json_t *row = verified ? json_array_get(json_object_get(verified, "rows"), i) : NULL;
        const double us = row ? json_number_value(json_object_get(row, "predicted_time_us")) : 1e6;
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "{\"kernel\": \"copy\", \"grid\": %d, \"block\": 1024, "
                                   "\"us\": %.5f}\n", (int)blocks, us);
    }
    write_file(path, text, length);
}

#define CALIBRATE "$PTXLINT calibrate --no-config --gpu h200 --measured "

static void make_times(const char *gpu, const char *path)
{
    char command[160];
    write_times("asked.jsonl", NULL);
    snprintf(command, sizeof command, "$PTXLINT verify --no-config --gpu %s --format json "
             "--measured asked.jsonl copy.ptx", gpu);
    Result made = run(command);
    json_t *verified = json_loads(made.out, 0, NULL);
    assert_non_null(verified);
    write_times(path, verified);
    json_decref(verified);
    result_free(&made);
}

static const json_t *constant_at(const json_t *all, const char *key)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(all, "constants"), i, row)
        if (!strcmp(text_at(row, "key"), key))
            return row;
    fail_msg("there is no %s", key);
    return NULL;
}

static void check_constant(const json_t *all, const char *key, const char *verdict, double is)
{
    const json_t *row = constant_at(all, key);
    assert_string_equal(text_at(row, "verdict"), verdict);
    if (!strcmp(verdict, "fitted"))
        assert_true(json_number_value(json_object_get(row, "low")) < is
                    && json_number_value(json_object_get(row, "high")) > is);
    assert_true(fabs(json_number_value(json_object_get(row, "is")) / is - 1) < 0.1);
}

/* What was planted is found; a GPU that is right already stays. */
static void test_planted_constants(void **state)
{
    (void)state;
    make_times("./true.yaml", "true.jsonl");
    make_times("h200", "same.jsonl");
    json_t *all = run_json(CALIBRATE "true.jsonl --format json copy.ptx", 0);
    assert_string_equal(text_at(all, "schema"), "ptxlint-calibrate/1");
    check_constant(all, "launch_ns", "fitted", 3300);
    check_constant(all, "div_u64_latency", "no rows", 300);
    json_decref(all);
    const Case cases[] = {
        { CALIBRATE "true.jsonl -o my.yaml copy.ptx", 0, "24 rows of 1 kernel, on h200.\n", "",
          NULL },
        { "grep base: my.yaml", 0, "base: h200\n", "", NULL },
        { "$PTXLINT gpu --csv my.yaml", 0, "launch_ns,33", "", NULL },
        /* the least of verify is as before, the prediction is not */
        { "$PTXLINT verify --no-config --gpu ./my.yaml --csv --measured few.jsonl copy.ptx", 0,
          ",97.7633,dram,", "", NULL },
        /* a file of one's own is calibrated, too, and nothing is left to do */
        { "$PTXLINT calibrate --no-config --gpu ./true.yaml --measured true.jsonl copy.ptx", 0,
          "Nothing is fitted", "", NULL },
        { "$PTXLINT calibrate --no-config --gpu ./true.yaml --measured same.jsonl -o back.yaml "
          "copy.ptx", 0, "launch_ns", "", NULL },
        { "cat back.yaml", 0, "product: \"a board\"\nbase: h200\n", "", NULL },
        { CALIBRATE "same.jsonl copy.ptx", 0, "Nothing is fitted: these rows do not show", "", NULL },
        { CALIBRATE "same.jsonl -o none.yaml copy.ptx", 1, "Nothing is fitted",
          "none.yaml: is not written: nothing could be fitted", NULL },
        { "test ! -e none.yaml", 0, "", "", NULL },
    };
    check_cases(cases, COUNT(cases));
}

static const Case slips[] = {
    { CALIBRATE "few.jsonl copy.ptx", 0, "Nothing is fitted: 10 rows are the least.\n", "", NULL },
    { CALIBRATE "cheat.jsonl copy.ptx", 2, "", "no row can be fitted to; see ptxlint verify", NULL },
    { CALIBRATE "other.jsonl copy.ptx", 2, "", "no row is of a kernel in the inputs on that GPU",
      NULL },
    { CALIBRATE "h100.jsonl copy.ptx", 2, "", "no row is of a kernel in the inputs on that GPU",
      NULL },
    { CALIBRATE "few.jsonl --kernel x copy.ptx", 2, "", "no row is of a kernel", NULL },
    { CALIBRATE "empty.csv copy.ptx", 2, "", "empty.csv: is empty", NULL },
    { CALIBRATE "none.jsonl copy.ptx", 3, "", "none.jsonl: No such file", NULL },
    { CALIBRATE "few.jsonl missing.ptx copy.ptx", 3, "1 row of 1 kernel", "missing.ptx", NULL },
    { CALIBRATE "few.jsonl", 2, "", "no PATH given", NULL },
    { CALIBRATE "few.jsonl --format csv copy.ptx", 2, "", "'csv' is not one of text, json", NULL },
    { "$PTXLINT calibrate --no-config --measured few.jsonl copy.ptx", 2, "",
      "give one GPU to calibrate", NULL },
    { "$PTXLINT calibrate --no-config --gpu h100,h200 --measured few.jsonl copy.ptx", 2, "",
      "give one GPU to calibrate", NULL },
    { "$PTXLINT calibrate --gpu h200 copy.ptx", 2, "", "give --measured FILE", NULL },
};

static void test_slips(void **state)
{
    (void)state;
    check_cases(slips, COUNT(slips));
}

static int set_up(void **state)
{
    static const char *const folders[] = { NULL };
    (void)state;
    return enter_folder(folders, files, COUNT(files));
}

static int tear_down(void **state)
{
    (void)state;
    return leave_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_constants),
        cmocka_unit_test(test_slips),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
