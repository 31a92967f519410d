/* test_cli_matched.c -- names on the command line and in launch files that no kernel of the inputs
 * has. */
#include "program.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define LOOP(name)                                                                                 \
    ".visible .entry " name "(.param .u64 " name "_param_0, .param .u32 " name                     \
    "_param_1)\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<3>;\n"                                      \
    "\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [" name "_param_0];\n\tld.param.u32 %r1, [" name    \
    "_param_1];\n$L__BB0_2:\n"                                                                     \
    "\tadd.s32 %r1, %r1, -1;\n\tsetp.gt.s32 %p1, %r1, 0;\n\t@%p1 bra $L__BB0_2;\n\tst.global.u32 " \
    "[%rd1], %r1;\n\tret;\n}\n"

static const File files[] = {
    { "scale.ptx", HEAD LOOP("_Z5scalePfi") },
    { "plain.ptx", HEAD LOOP("plain") ".visible .entry three(.param .u64 a, .param .f32 b, .param "
                                      ".u16 c)\n{\n\tret;\n}\n" },
    { "none.ptx", HEAD },
    { "cut.ptx",
      HEAD ".visible .entry cut(.param .u32 n)\n{\n\tmov.u32 %r1 4;\n$L:\n\tbra $L;\n}\n" },
    { "fixed.ptx", HEAD ".visible .entry f(.param .u64 p)\n.reqntid 32\n{\n\tret;\n}\n" },
    { "clean.ptx", HEAD ".visible .entry m(.param .u64 p)\n.maxntid 16, 8\n{\n\tret;\n}\n" },
    { "struct.ptx", HEAD ".visible .entry s(.param .u64 p, .param .align 8 .b8 q[16])\n{\n\t.reg "
                         ".b32 %r<2>;\n\t.reg .b64 %rd<3>;\n"
                         "\tld.param.u64 %rd1, [p];\n\tld.param.u32 %r1, [q+4];\n\tmul.wide.u32 "
                         "%rd2, %r1, 4;\n\tadd.s64 %rd1, %rd1, %rd2;\n"
                         "\tst.global.u32 [%rd1], 0;\n\tret;\n}\n" },
    { "pointer.ptx", HEAD ".visible .entry p(.param .u64 p, .param .f32 f)\n{\n\t.reg .f32 "
                          "%f<2>;\n\t.reg .b64 %rd<2>;\n"
                          "\tld.param.u64 %rd1, [p];\n\tld.param.f32 %f1, [f];\n\tst.global.f32 "
                          "[%rd1], %f1;\n\tret;\n}\n" },
    { "wide.ptx", HEAD ".visible .entry w(.param .u64 p, .param .u64 n)\n{\n\t.reg .pred %p<2>;\n"
                       "\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, "
                       "[n];\n\tsetp.gt.s64 %p1, %rd2, 7;\n\t@%p1 st.global.u32 [%rd1], "
                       "0;\n\tret;\n}\n" },
    { "empty.json", "{\"Kernels\": {}}" },
    { "all.json", "{\"kernels\": {\"plain\": {\"grid\": [4], \"params\": [null, 3], \"trips\": "
                  "{\"$L__BB0_2\": 4}}}}" },
    { "slips.json", "{\"kernels\": {\"scael\": {\"grid\": [4]}, \"plian\": {\"params\": [1, 2, 3, "
                    "4]}, \"three\": {\"params\": [null, 1, 70000, 4], "
                    "\"trips\": {\"$L\": 4}}, \"other\": {}}}" },
    { "listed.json",
      "{\"launches\": [{\"file\": \"pl*.ptx\", \"kernel\": \"pl*\", \"grid\": [5], \"params\": "
      "[{\"data\": \"sorted\"}, 3]},"
      "{\"kernel\": \"*\", \"grid\": [6]}, {\"kernel\": \"gemm*\", \"params\": [1]}]}" },
    { "twice.json",
      "{\"launches\": [{\"kernel\": \"plain\", \"grid\": [5]}, {\"kernel\": \"plain\", \"grid\": "
      "[6]}, {\"kernel\": \"s*\"}, {\"kernel\": \"s*\"}, {\"kernel\": \"*\"}]}" },
    { "key.json", "{\"kernels\": {}, \"launches\": [{\"kernel\": \"plain\", \"gird\": [4]}]}" },
    { "lines.json", "{\"kernels\": {\"scale\": {\"trips\": {\"13\": 9, \"3\": 4}}}}" },
    { "config/.ptxlint.yaml", "launch: slips.json\n" },
    { "config/slips.json", "{\"kernels\": {\"plian\": {}}}" },
    { "config/plain.ptx", HEAD LOOP("plain") },
};

static int setup(void **state)
{
    static const char *const folders[] = { "config", NULL };
    (void)state;
    return enter_folder(folders, files, sizeof files / sizeof *files);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

#define REPORT "$PTXLINT report --no-config --details "

static const Case cases[] = {
    /* one that matches in any input is good */
    { REPORT "--param 1=3 --trip '$L__BB0_2=4' --kernel 'pl*' plain.ptx", 0, "kernel plain", "",
      NULL },
    { REPORT "--param c=3 scale.ptx plain.ptx", 0, "kernel", "", NULL },
    { REPORT "--param b=1.5 --param c=-4 plain.ptx", 0, "kernel", "", NULL },
    /* parameters */
    { REPORT "--param 3=1 plain.ptx", 2, NULL,
      "ptxlint: --param: no kernel has a parameter '3'; the most that one has is 3, numbered from "
      "0 to 2\n",
      NULL },
    { REPORT "--param 2=1 --kernel plain plain.ptx", 2, NULL,
      "the most that one has is 2, numbered from 0 to 1\n", NULL },
    { REPORT "--param parm_1=1 scale.ptx", 2, NULL,
      "no kernel has a parameter 'parm_1'; did you mean `param_1`?\n", NULL },
    { REPORT "--param n=1 scale.ptx", 2, NULL,
      "no kernel has a parameter 'n'; nvcc has no names: give the position from 0\n", NULL },
    { REPORT "--param 0=1 none.ptx", 2, NULL,
      "no kernel has a parameter '0'; the most that one has is none\n", NULL },
    { REPORT "--param c=70000 plain.ptx", 2, NULL,
      "the value of 'c' does not fit the parameter, which is .u16 (2 bytes)\n", NULL },
    { REPORT "--param 1=2.5 scale.ptx", 2, NULL,
      "the value of '1' does not fit the parameter, which is .u32 (4 bytes)\n", NULL },
    { REPORT "--param 1=2.5 scale.ptx plain.ptx", 0, NULL, "", NULL }, /* it fits three's b */
    { "$PTXLINT --no-config --param 7=1 plain.ptx", 2, NULL, "no kernel has a parameter '7'",
      NULL },
    { "$PTXLINT diff --no-config --param 7=1 plain.ptx scale.ptx", 2, "",
      "no kernel has a parameter '7'", NULL },
    { "$PTXLINT diff --no-config --param c=1 plain.ptx scale.ptx", 0, NULL, "", NULL },
    { "$PTXLINT tune --gpu h200 --grid 4 --block 64 --param 7=1 plain.ptx", 2, NULL,
      "no kernel has a parameter '7'", NULL },
    /* loops */
    { REPORT "--trip '$L__BB0_3=4' scale.ptx", 2, NULL,
      "ptxlint: --trip: no loop begins at the label '$L__BB0_3'; did you mean `$L__BB0_2`?\n",
      NULL },
    { REPORT "--trip 12=4 scale.ptx", 0, "(as given)", "", NULL },
    { REPORT "--trip 14=4 scale.ptx", 0, "(as given)", "", NULL },
    { REPORT "--trip 15=4 scale.ptx", 2, NULL,
      "ptxlint: --trip: no loop holds line 15; the nearest one begins at line 12\n", NULL },
    { REPORT "--trip 4=4 none.ptx", 2, NULL,
      "ptxlint: --trip: no loop holds line 4: there is none at all\n", NULL },
    { REPORT "--launch lines.json scale.ptx", 0, "(as given)",
      "kernel \"scale\": no loop holds line 3; the nearest one begins at line 12\n", NULL },
    { REPORT "--trip other=4 scale.ptx", 2, NULL,
      "no loop begins at the label 'other'; `ptxlint report` lists the loops\n", NULL },
    { REPORT "--trip other=4 cut.ptx", 0, NULL, "", NULL }, /* what cannot be read may have it */
    /* kernels */
    { REPORT "--kernel scale scale.ptx", 0, "kernel scale(float*, int) (line 4)\n", "", NULL },
    { REPORT "--kernel 'scale(float *,int)' scale.ptx", 0, "kernel scale(", "", NULL },
    { REPORT "--kernel 'void scale(float*, int)' scale.ptx", 0, "kernel scale(", "", NULL },
    { REPORT "--kernel _Z5scalePfi scale.ptx", 0, "  mangled      _Z5scalePfi\n", "", NULL },
    { REPORT "--kernel 'sc*e' scale.ptx", 0, "kernel scale(", "", NULL },
    { REPORT "--kernel cale scale.ptx", 2, NULL,
      "ptxlint: --kernel: 'cale' matches no kernel; '*cale*' matches `scale`\n", NULL },
    { REPORT "--kernel scael scale.ptx", 2, NULL, "did you mean `scale`?\n", NULL },
    { REPORT "--kernel _Z5scalePfj scale.ptx", 2, NULL, "did you mean `_Z5scalePfi`?\n", NULL },
    { REPORT "--kernel plian --param 9=1 plain.ptx", 2, NULL,
      "--kernel: 'plian' matches no kernel; did you mean `plain`?\n", NULL },
    { REPORT "--kernel zzz plain.ptx", 2, NULL,
      "'zzz' matches no kernel; `ptxlint report` lists the kernels\n", NULL },
    { REPORT "--kernel plain --kernel scale plain.ptx scale.ptx", 0, "kernel scale(", "", NULL },
    { REPORT "--kernel scale --kernel plain plain.ptx scale.ptx", 0, "kernel plain ", "", NULL },
    { REPORT "--kernel plain --kernel zzz plain.ptx", 2, NULL,
      "'zzz' matches no kernel; `ptxlint report` lists the kernels\n", NULL },
    { REPORT "--kernel zzz plain.ptx gone.ptx", 3, NULL,
      "ptxlint: gone.ptx: No such file or directory\n", NULL },
    { "$PTXLINT --no-config --only syntax --kernel plain plain.ptx", 0, "", "", NULL },
    { "$PTXLINT --no-config --only syntax --kernel plian plain.ptx", 2, "", "did you mean `plain`?",
      NULL },
    /* loops are not looked for */
    { "$PTXLINT --no-config --only syntax --trip other=3 --param c=1 plain.ptx", 0, "", "", NULL },
    /* launch files */
    { REPORT "--launch all.json --strict-launch plain.ptx", 0, "grid 4 x 1 x 1", "", NULL },
    { REPORT "--launch slips.json plain.ptx scale.ptx", 0, NULL,
      "ptxlint: slips.json: no kernel \"scael\"; did you mean \"scale\"?\nptxlint: "
      "slips.json: no kernel \"plian\"; did you mean \"plain\"?\n"
      "ptxlint: slips.json: kernel \"three\": the value of parameter 2 does not fit its type, .u16 "
      "(2 bytes)\n"
      "ptxlint: slips.json: kernel \"three\" has no parameter 3; it has 3, numbered from 0 to 2\n"
      "ptxlint: slips.json: kernel \"three\": no loop of it begins at the label \"$L\"\n"
      "ptxlint: slips.json: 3 of 4 kernels are in no input, as \"scael\"\n",
      NULL },
    { REPORT "--launch slips.json --strict-launch plain.ptx", 2, NULL,
      "3 of 4 kernels are in no input", NULL },
    { REPORT "--launch all.json --strict-launch scale.ptx", 2, NULL,
      "ptxlint: all.json: 1 of 1 kernel is in no input, as \"plain\"\n", NULL },
    { REPORT "--launch listed.json plain.ptx", 0, "grid 5 x 1 x 1",
      "ptxlint: listed.json: 1 of 3 kernels is in no input, as \"gemm*\"\n", NULL },
    { REPORT "--launch listed.json scale.ptx", 0, "grid 6 x 1 x 1",
      "2 of 3 kernels are in no input, as \"pl*\"\n", "grid 5" },
    /* of two launches of one kernel each is a row; what compares one launch names the second */
    { REPORT "--launch twice.json plain.ptx", 0, "launch 2 of 2\n  launch       grid 6 x 1 x 1",
      NULL, NULL },
    { "$PTXLINT rank --gpu h200 --launch twice.json --block 32 --kernel plain plain.ptx", 0,
      "plain",
      "ptxlint: twice.json: a further launch of \"plain\" is not looked at: the first one is; give "
      "each a file of its own\n",
      NULL },
    { REPORT "--launch key.json plain.ptx", 2, "",
      "key.json:1:50: error: launch 1 of \"launches\": unknown key \"gird\"; did you mean \"grid\"?\n",
      NULL },
    { "$PTXLINT config/plain.ptx", 0, NULL,
      "slips.json: no kernel \"plian\"; did you mean \"plain\"?\n", NULL },
    { "$PTXLINT --strict-launch config/plain.ptx", 2, NULL, "1 of 1 kernel is in no input", NULL },
    { "$PTXLINT --strict-launch --param 9=1 config/plain.ptx", 2, NULL,
      "no kernel has a parameter '9'", NULL },
    /* one block */
    { REPORT "--gpu h200 --grid 1 --block 64 scale.ptx", 0,
      "(1 block), places for blocks used 0.024 %", "", "SMs used" },
    { "$PTXLINT --no-config --gpu h200 --grid 1 --block 64 --select LCH102 scale.ptx", 0,
      "blocks for 1 of 132 SMs: the others are idle", "", NULL },
    /* prose is at most 80 columns wide: of these lines all that begin with a word or follow one */
    { REPORT "--gpu h200 --grid 4 --block 64 scale.ptx | grep -E '^  ([a-z]|             )' | grep "
             "-v '^  loop line' | awk 'length > 80'",
      0, "", "", "a" },
    /* what was not given is named where a figure rests on it, and then there is no bound */
    { REPORT "--gpu h200 --grid 4 --block 64 scale.ptx", 0,
      "  assumed      param 1 = 4096, trips of $L__BB0_2 = 65; give --param 1=N\n", "",
      ", at least" },
    { REPORT "--gpu h200 --grid 4 --block 64 scale.ptx", 0, "no bound: it would", "", NULL },
    { REPORT "--gpu h200 --grid 4 --block 64 --param 1=9 scale.ptx", 0,
      "us predicted (limiter overhead), at least ", "", "assumed " },
    { REPORT "--gpu h200 --grid 4 --param 1=9 scale.ptx", 0,
      "  assumed      block = 256 x 1 x 1; give --block\n", "", NULL },
    { REPORT "--gpu h200 --format json --grid 4 --block 64 scale.ptx", 0,
      "\"bound_time_us\":null,\"bound_why\":\"it would rest on assumed values", "", NULL },
    { REPORT "--gpu h200 --format json --grid 4 --block 64 scale.ptx", 0,
      "\"assumed\":[\"param 1 = 4096\",\"trips of $L__BB0_2 = 65\"]", "", NULL },
    /* no figure rests on its parameters */
    { REPORT "--gpu h200 --format json --grid 4 --block 64 --kernel three plain.ptx", 0,
      "\"assumed\":[],", "", "\"bound_time_us\":null" },
    { REPORT "--gpu h200 --grid 4 --block 64 struct.ptx", 0,
      "  assumed      param 1, byte 4 = 4096; give --param '1={\"bytes\": ...}'\n", "", NULL },
    { REPORT "--gpu h200 --grid 4 --cluster 3 --block 64 wide.ptx", 0,
      "such a launch fails: the grid is not a multiple of the cluster\n", "", "us predicted" },
    /* what stands in for 64 bits is no number to read */
    { REPORT "--gpu h200 --grid 4 --block 64 wide.ptx", 0,
      "  assumed      param 1: a pointer or a large number; give --param 1=N\n", "", NULL },
    { REPORT "--gpu h200 --format json pointer.ptx", 0, "\"assumed\":[\"block = 256 x 1 x 1\"]", "",
      NULL },
    /* a block that the directives do not allow */
    { REPORT "--gpu h200 --grid 4 --block 64 fixed.ptx", 0,
      "               such a launch fails: the block is not that of .reqntid\n", "",
      "us predicted" },
    { REPORT "--gpu h200 --grid 4 --block 32 fixed.ptx", 0, "us predicted", "",
      "such a launch fails" },
    { REPORT "--gpu h200 --grid 4 --block 256 clean.ptx", 0,
      "such a launch fails: the block has more threads than .maxntid allows\n", "",
      "us predicted" },
    { REPORT "--gpu h200 --format json --grid 4 --block 64 fixed.ptx", 0,
      "\"error\":\"the block is not that of .reqntid\"", "", NULL },
    { "$PTXLINT tune --gpu h200 --grid 4 --block 64 fixed.ptx", 0,
      "not known: the block is not that of .reqntid\n", "", "us predicted" },
    { "$PTXLINT tune --gpu h200 --grid 4 --block 64 scale.ptx", 0, NULL, "", "nan" },
    /* options */
    { REPORT "--blok 64 plain.ptx", 2, "",
      "ptxlint: --blok: unknown option; did you mean --block?\n", NULL },
    { REPORT "-block 64 plain.ptx", 2, "",
      "ptxlint: -block: unknown option; did you mean --block?\n", NULL },
    { REPORT "--launch empty.json plain.ptx", 2, "",
      "empty.json:1:2: error: unknown key \"Kernels\"; did you mean \"kernels\"?\n", NULL },
    { REPORT "--strict-lanch plain.ptx", 2, "", "did you mean --strict-launch?\n", NULL },
    { REPORT "--param 0=99999999999999999999 plain.ptx", 2, "",
      "'99999999999999999999' is not a number of at most 64 bits", NULL },
    /* tune says what each kernel lacks */
    { "$PTXLINT tune --gpu h200 plain.ptx", 2, "",
      "kernel `plain`: its grid and block are not given; give --grid and --block, or --launch\n",
      NULL },
    { "$PTXLINT tune --gpu h200 --block 64 plain.ptx", 2, "",
      "kernel `plain`: its grid is not given; give --grid or --launch\n", NULL },
    { "$PTXLINT tune --gpu h200 --grid 64 plain.ptx", 2, "",
      "kernel `three`: its block is not given; give --block or --launch\n"
      "ptxlint: tune: 2 of 2 kernels left out",
      NULL },
    { "$PTXLINT tune --gpu h200 none.ptx", 2, "", "ptxlint: tune: the inputs have no kernel\n",
      NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
