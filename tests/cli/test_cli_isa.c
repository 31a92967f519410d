/* The program and its instruction table: `ptxlint isa`. */
#include "program.h"

static int setup(void **state)
{
    #define FP8 "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"

static const char *const folders[] = { NULL };
    (void)state;
    return enter_folder(folders, NULL, 0);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

static const Case cases[] = {
    { "$PTXLINT isa",                            0, "floating-point arithmetic", "", "`abs`" },
    { "$PTXLINT isa --color always",             0, "\033[", "", NULL },
    { "$PTXLINT isa fma",                        0, "Fused multiply-add of floats: one rounding.", "", NULL },
    { "$PTXLINT isa fma.rn.f32",                 0, "fma.rnd{.ftz}{.sat}.f32  d, a, b, c;", "", "f64" },
    { "$PTXLINT isa --gpu h200 fma.rn.f32",      0, "128 fma               h200", "", "sm_80" },
    { "$PTXLINT isa --gpu h200,l4 " FP8,         0, "683 FMA alu (new factors) h200", "", NULL },
    { "$PTXLINT isa --gpu sm_75 wgmma",          0, "sm_75 does not have wgmma.", "", "Throughput" },
    { "$PTXLINT isa --format markdown fma",      0, "# fma\n\nFused", "", NULL },
    { "$PTXLINT isa add sub",                    0, "\nsub\n", "", NULL },
    { "$PTXLINT isa lde",                        2, "", "unknown instruction 'lde'; did you mean ld? `ptxlint isa --list` lists them all", NULL },
    { "$PTXLINT isa add lde",                    2, "Adds two numbers.", "did you mean ld?", NULL },
    { "$PTXLINT isa ld.globl",                   2, "", "did you mean .global?", NULL },
    { "$PTXLINT isa ld.f32.u32",                 2, "", "no form of ld takes all of '.f32.u32'; `ptxlint isa --list`", NULL },
    { "$PTXLINT isa \"$(printf 'a\\033b')\"",    2, "", "unknown instruction 'a<1b>b'", NULL },
    { "$PTXLINT isa --list",                     0, "wgmma                 8.0  sm_90a", "", NULL },
    { "$PTXLINT isa --list --gpu sm_75",         0, "\nxor ", "", "wgmma" },
    { "$PTXLINT isa --list --gpu sm_75,h200",    0, "\nwgmma ", "", "tcgen05" },
    { "$PTXLINT isa --list --format markdown",   0, "| `abs` | 1.0 | sm_10 |", "", NULL },
    { "$PTXLINT isa --list add",                 2, "", "isa: --list takes no OPCODE", NULL },
    { "$PTXLINT isa --gpu h2000 add",            2, "", "h2000", NULL },
    { "$PTXLINT isa --format sarif",             2, "", "'sarif' is not one of text, json, markdown", NULL },
    { "$PTXLINT isa --output /dev/full add",     3, "", "/dev/full", NULL },
    { "$PTXLINT isa --help",                     0, "[OPCODE[.MODIFIERS]...]", "", NULL },
    { "$PTXLINT --help",                         0, "  isa          the instructions of PTX", "", NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

static void test_json(void **state)
{
    json_t *document = run_json("$PTXLINT isa --format json --gpu h200 setp.lt.f32 mov", 0);
    const json_t *one = json_array_get(json_object_get(document, "instructions"), 0);
    const json_t *form = json_array_get(json_object_get(one, "forms"), 0);
    const json_t *operand = json_array_get(json_object_get(form, "operands"), 0);
    const json_t *rate = json_array_get(json_object_get(one, "rates"), 0);
    (void)state;
    assert_string_equal(text_at(document, "schema"), "ptxlint-isa/1");
    assert_int_equal(json_array_size(json_object_get(document, "instructions")), 2);
    assert_string_equal(text_at(one, "text"), "setp.lt.f32");
    assert_string_equal(text_at(one, "opcode"), "setp");
    assert_true(json_is_true(json_object_get(one, "is_whole")));
    assert_string_equal(text_at(form, "syntax"), "setp.cmpflt{.ftz}.f32");
    assert_string_equal(text_at(form, "class"), "comparison");
    assert_string_equal(text_at(json_array_get(json_object_get(form, "needs"), 0), "target"),
                        "sm_10");
    assert_string_equal(text_at(operand, "type"), ".pred");
    assert_string_equal(text_at(json_object_get(operand, "pair"), "name"), "q");
    assert_string_equal(text_at(rate, "gpu"), "h200");
    assert_string_equal(text_at(rate, "pipe"), "alu");
    assert_true(json_number_value(json_object_get(rate, "results_per_clock")) == 64);
    json_decref(document);

    document = run_json("$PTXLINT isa --format json --list --gpu sm_75", 0);
    assert_string_equal(text_at(document, "schema"), "ptxlint-isa-list/1");
    one = json_array_get(json_object_get(document, "opcodes"), 0);
    assert_string_equal(text_at(one, "opcode"), "abs");
    assert_string_equal(text_at(json_object_get(one, "first"), "version"), "1.0");
    json_decref(document);
}

/* Whole pages; PTXLINT_REWRITE=1 writes them anew. */
static void test_pages(void **state)
{
    static const struct { const char *file, *arguments; } pages[] = {
        { "elect.txt",            "elect" },
        { "griddepcontrol.json",  "--format json --gpu h200 griddepcontrol.wait" },
        { "shfl.md",              "--format markdown --gpu sm_75,h200 shfl.sync.idx.b32" },
        { "tcgen05.shift.txt",    "tcgen05.shift" },
    };
    char command[256], path[512];
    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        snprintf(command, sizeof command, "$PTXLINT isa --color never %s", pages[i].arguments);
        snprintf(path, sizeof path, PTXLINT_SOURCE_ROOT "/tests/cli/isa/%s", pages[i].file);
        Result result = run(command);
        if (getenv("PTXLINT_REWRITE"))
            write_file(path, result.out, result.out_length);
        char *wanted = read_file(path, NULL);
        assert_int_equal(result.status, 0);
        assert_string_equal(result.out, wanted);
        free(wanted);
        result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_json),
                                        cmocka_unit_test(test_pages) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
