/* test_cli_measure.c -- gpu measure from outside, with a driver of ours. */
#include "program.h"

#include <dlfcn.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MEASURE "STUB= LD_LIBRARY_PATH=$STUB_FOLDER $PTXLINT gpu measure "
#define FAULTY(fault) "STUB='" fault "' LD_LIBRARY_PATH=$STUB_FOLDER $PTXLINT gpu measure "

static const File files[] = {
    { "k.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n" },
};

static const Case cases[] = {
    { MEASURE, 0, "Stub \"GPU\" \\ 1, sm_90, 4 SMs, up to 1600 MHz, 143771 MiB, driver for CUDA",
      "", "not measured" },
    { MEASURE, 0, "function                20           20-20       17 clk  differs\n", "", NULL },
    { MEASURE, 0, "function is 1.18 times what sm_90 has.\n", "", NULL },
    { MEASURE, 0, "rate_fp64 is 4 times what sm_90 has; that is the most it can be", "", NULL },
    /* the file that it writes is read, and holds what was measured */
    { MEASURE "-o my.yaml", 0, "function", "", NULL },
    { "$PTXLINT gpu my.yaml", 0, "Stub \"GPU\" \\ 1, Hopper, sm_90", "", NULL },
    { "$PTXLINT gpu --csv my.yaml", 0, "xu_latency,20", "", NULL },
    { "$PTXLINT report --no-config --gpu my.yaml --grid 4 --block 32 k.ptx", 0, "k", "", NULL },
    { "cat my.yaml", 0, "base: sm_90\n", "", "global_latency_min: 620" },
    /* 1500 MHz were measured: a bound by them would be too strict */
    { "cat my.yaml", 0, "    clock_mhz: 1600\n", "", "1500" },
    { FAULTY("an H200") "-o h.yaml && cat h.yaml", 0, "base: h200\n", "", "clock" "_mhz: " },
    { "cat my.yaml", 0, "# Not measured, and as in sm_90, or as on an H200 where that does not",
      "", NULL },
    { FAULTY("an H200") "-o my.yaml && grep base: my.yaml", 0, "base: h200\n", "", NULL },
    { FAULTY("long name") "-o my.yaml && $PTXLINT gpu my.yaml", 0, "xxxx", "", NULL },
    { FAULTY("no bf16"), 0, "not measured: the driver does not compile the kernel", "", NULL },
    { MEASURE "--csv", 0, "arithmetic,arithmetic_latency,clk,4,4,4,7,4,", "", NULL },
    { MEASURE "--format json=m.json -o my.yaml && grep -c '\"key\"' m.json", 0, NULL, "", NULL },
    /* no driver, no GPU, one that is not known */
    { FAULTY("no GPU"), 3, "", "ptxlint: gpu measure: the driver has no GPU\n", NULL },
    { "LD_LIBRARY_PATH=$STUB_FOLDER/old $PTXLINT gpu measure", 3, "",
      "the driver is too old: its libcuda.so.1 has no cuGetErrorString\n", NULL },
    { FAULTY("a new GPU") "-o none.yaml", 3, "sm_420", "its architecture is not known", NULL },
    { "test ! -e none.yaml", 0, "", "", NULL },
    /* slips */
    { MEASURE "h200", 2, "", "gpu measure takes no further words", NULL },
    { MEASURE "--format yaml", 2, "", "'yaml' is not one of text, json, csv", NULL },
    { MEASURE "-o /nowhere/my.yaml", 3, "function", "/nowhere/my.yaml", NULL },
};

static void test_measure_command(void **state)
{
    (void)state;
    check_cases(cases, COUNT(cases));
}

static void test_json(void **state)
{
    (void)state;
    json_t *all = run_json(MEASURE "--format json", 0), *row;
    size_t i;
    assert_string_equal(text_at(all, "schema"), "ptxlint-gpu-measure/1");
    assert_string_equal(text_at(all, "base"), "sm_90");
    json_array_foreach(json_object_get(all, "values"), i, row)
        if (!strcmp(text_at(row, "key"), "function")) {
            assert_true(json_number_value(json_object_get(row, "known")) > 16.9);
            assert_true(json_is_true(json_object_get(row, "differs")));
        }
    json_decref(all);
}

/* Where the machine has one, nothing is run on it. */
static void test_no_driver(void **state)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    (void)state;
    if (driver) {
        dlclose(driver);
        skip();
    }
    const Case none = { "$PTXLINT gpu measure", 3, "",
                        "gpu measure: there is no NVIDIA driver: libcuda.so.1 is not found\n",
                        NULL };
    check_cases(&none, 1);
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
        cmocka_unit_test(test_measure_command),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_no_driver),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
