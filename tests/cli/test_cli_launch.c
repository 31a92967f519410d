/* test_cli_launch.c -- launch init, launch record, kernels with several launches, and patterns of
 * many folders. */
#include "program.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define STORE(name, store)                                                                         \
    ".visible .entry " name "(.param .u64 p, .param .u32 n)\n{\n"                                  \
    "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n"                                                    \
    "\tld.param.u64 %rd1, [p];\n\tcvta.to.global.u64 %rd2, %rd1;\n\tmov.u32 %r1, %tid.x;\n"        \
    "\tmul.wide.u32 %rd3, %r1, 4;\n\tadd.s64 %rd2, %rd2, %rd3;\n\t" store "\n\tret;\n}\n"
#define PLAIN STORE("_Z5fillnPii", "st.global.u32 [%rd2], %r1;")

/* Shared memory limits occupancy. */
#define FULL ".shared .align 4 .b8 s[40000];\n"
#define USES "st.shared.u32 [s], %r1;\n\t"

static const File files[] = {
    { "k.ptx", HEAD PLAIN },
    { "loop.ptx",
      HEAD ".visible .entry wait(.param .align 8 .b8 s[12])\n{\n\t.reg .pred %p1;\n"
           "\t.reg .b32 %r1;\n\t.reg .b64 %rd1;\n\tld.param.u64 %rd1, [s];\n$L1:\n"
           "\tld.volatile.u32 %r1, [%rd1];\n\tsetp.ne.s32 %p1, %r1, 0;\n\t@%p1 bra $L1;\n"
           "\tret;\n}\n" },
    { "tree/a/one/k.ptx", HEAD PLAIN },
    { "tree/b/k.ptx", HEAD STORE("_Z5fillnPii", "st.global.u8 [%rd2], %r1;") },
    { "tree/b/.hidden/k.ptx", HEAD PLAIN },
    { "tree/b/notes.txt", "no PTX\n" },
    { "aligned.ptx", HEAD FULL STORE("k", USES "st.global.u32 [%rd2], %r1;") },
    { "offset.ptx", HEAD FULL STORE("k", USES "st.global.u32 [%rd2+4], %r1;") },
    { "strided.ptx",
      HEAD FULL STORE("k", USES "shl.b64 %rd3, %rd3, 3;\n\tadd.s64 %rd2, %rd2, %rd3;\n\t"
                                "st.global.u32 [%rd2], %r1;\n\tst.global.u32 [%rd1+4], %r1;") },
    { "twice.json", "{\"launches\": [{\"kernel\": \"fill*\", \"grid\": [4096], \"block\": [256]},"
                    "{\"kernel\": \"fill*\", \"grid\": [64, 2], \"block\": [33]},"
                    "{\"kernel\": \"fill*\", \"grid\": [64], \"block\": [35]},"
                    "{\"kernel\": \"*\", \"grid\": [9]}]}" },
    { "allocated.json",
      "{\"kernels\": {\"_Z5fillnPii\": {\"grid\": [8], \"block\": null, \"note\": \"once\","
      " \"params\": [{\"allocated\": 4096}, {\"bytes\": \"08000000\"}]}}}" },
};

#define INIT "$PTXLINT launch init --no-config "
#define CHECK "$PTXLINT check --no-config --gpu h200 "
#define REPORT "$PTXLINT report --no-config --details --gpu h200 "
#define RECORD "LD_LIBRARY_PATH=$DRIVER $PTXLINT launch record "

#define PLACED REPORT "--grid 4096 --block 256 "

/* What lanes touch comes before occupancy. */
static const Case advice_cases[] = {
    { PLACED "strided.ptx", 0,
      "  advice       first the access at line 17: 32.0 sectors a request, its bytes\n"
      "               need 4.0; then one more block: free ",
      "", NULL },
    { PLACED "offset.ptx", 0, "first the access at line 15: 5.0 sectors a request, its bytes\n", "",
      NULL },
    { PLACED "aligned.ptx", 0, "  advice       one more block: free ", "", "first the access" },
    { PLACED "k.ptx", 0, "limited by ", "", "  advice " },
};

static const Case init_cases[] = {
    { INIT "k.ptx", 0,
      "{\n  \"kernels\": {\n    \"_Z5fillnPii\": {\n      \"note\": [\n"
      "       \"filln(int*, int)\",\n"
      "       \"0: int*, .u64\",\n       \"1: int, .u32\"\n      ],\n      \"grid\": null,\n"
      "      \"block\": null,\n      \"dynamic_shared\": null,\n      \"params\": [null, null]\n"
      "    }\n  }\n}\n",
      "", NULL },
    /* what is known already */
    { INIT "--block 64 --grid 7,2 k.ptx", 0, "\"grid\": [7, 2, 1],\n      \"block\": [64, 1, 1],",
      "", NULL },
    { INIT "loop.ptx", 0, "\"0: s, .b8 of 12 bytes\"", "", NULL },
    { INIT "loop.ptx", 0, "\"trips\": {\"$L1\": null}", "", NULL },
    /* one name, one code: once; another launch for one file: by file */
    { INIT "k.ptx tree/a", 0, "\"kernels\"", "", "\"launches\"" },
    { INIT "-o made.json k.ptx loop.ptx && " REPORT "--strict-launch --launch made.json k.ptx "
           "loop.ptx",
      0, "grid unknown", "", NULL },
    { INIT "--kernel nothing k.ptx", 2, "", "the inputs have no kernel that is asked for", NULL },
    { INIT "missing.ptx", 3, "", "missing.ptx: No such file", NULL },
    { "$PTXLINT launch int k.ptx", 2, "", "'int' is not one of init, record; did you mean init?",
      NULL },
    { "$PTXLINT launch init", 2, "", "launch: missing subcommand or words", NULL },
    { REPORT "--launch allocated.json k.ptx", 0, "grid 8 x 1 x 1, block 256", "", "param 1 =" },
};

static const Case several_cases[] = {
    { REPORT "--launch twice.json k.ptx", 0, "(line 4), launch 1 of 3\n", "", "grid 9" },
    { REPORT "--launch twice.json k.ptx", 0,
      "(line 4), launch 2 of 3\n  mangled      _Z5fillnPii\n  launch       grid 64 x 2 x 1", "",
      NULL },
    { REPORT "--format json --launch twice.json k.ptx", 0,
      "\"launch\":{\"number\":3,\"count\":3,\"grid\":[64,1,1]", "", NULL },
    /* what the first launch does not have, once, and in which */
    { CHECK "--all --launch twice.json k.ptx", 1,
      "warning[OCC102]: in launch 2 of 3 (grid 64 x 2, block 33): a block of 33 threads", "",
      "in launch 3 of 3 (grid 64, block 35): a block of 35" },
    { CHECK "--all --launch twice.json k.ptx", 1, "OCC102", "", "in launch 1 of 3" },
};

static const Case pattern_cases[] = {
    { REPORT "--csv 'tree/**/k.ptx' | cut -d, -f1", 0, "file\ntree/a/one/k.ptx\ntree/b/k.ptx\n", "",
      NULL },
    { REPORT "--csv 'tree/**' | cut -d, -f1", 0, "file\ntree/a/one/k.ptx\ntree/b/k.ptx\n", "",
      "hidden" },
    { REPORT "--csv '**/one/*.ptx' | cut -d, -f1", 0, "file\ntree/a/one/k.ptx\n", "", NULL },
    { REPORT "--csv './tree/**/b/k.ptx' | cut -d, -f1", 0, "file\n./tree/b/k.ptx\n", "", NULL },
    { CHECK "'tree/**/x.ptx'", 2, "", "tree/**/x.ptx: matches no PTX file", NULL },
    { CHECK "'nowhere/**'", 2, "", "nowhere/**: matches no PTX file", NULL },
};

static const Case record_cases[] = {
    { RECORD "-o recorded.json -- $PROGRAM && cat recorded.json", 0,
      "{\"kernel\": \"saxpy\", \"grid\": [4, 1, 1], \"block\": [256, 1, 1], \"dynamic_shared\": "
      "512, \"params\": [{\"bytes\": \"e8030000\"}, {\"bytes\": \"00000040\"}, {\"allocated\": "
      "16384}, {\"bytes\": \"010203000000000000000000\"}], \"note\": \"launched 3 times\"},\n",
      "ptxlint: recorded.json: 4 distinct launches\n", NULL },
    /* a pointer into an allocation is its value; a child's launch; a cluster, no parameters */
    { "cat recorded.json", 0, "{\"bytes\": \"0400100000000000\"}", "", NULL },
    { "cat recorded.json", 0, "\"grid\": [1, 2, 1], \"block\": [32, 1, 1]", "", NULL },
    { "cat recorded.json", 0,
      "{\"kernel\": \"_Z4\\\"odd\", \"grid\": [8, 1, 1], \"block\": [64, 1, 1], "
      "\"cluster\": [2, 1, 1], \"dynamic_shared\": 0, \"note\": \"launched 1 time\"}",
      "", NULL },
    { REPORT "--launch recorded.json k.ptx", 0, NULL, "kernels are in no input", NULL },
    /* the program's own launches are made, and its status is reported */
    { RECORD "-o - $PROGRAM 7", 3, "launch 1 4 1 1 256 1 1 512\n", "exit status 7", NULL },
    { RECORD "-o none.json -- $PROGRAM none", 3, "", "made no launch that could be recorded",
      NULL },
    { "test ! -e none.json", 0, "", "", NULL },
    { RECORD "-- ./no-such-program", 3, "", "./no-such-program: No such file or directory",
      "made no launch" },
    /* however the driver's functions are found, by newer and older ways; each reaches the driver */
    { RECORD "-o other.json -- $PROGRAM other", 0,
      "launch together 2 3 1 1 96 1 1 0\nlaunch ptsz 2 5 1 1 32 1 1 0\n"
      "launch ptsz 2 6 1 1 32 1 1 0\ncuFuncGetName is the driver's own\ncuNothing is none\n"
      "launch 3 9 9 9 1 1 1 0\nlaunch 1 2 2 2 16 2 1 0\nlaunch ex 2 7 64\nerror 500\n",
      "ptxlint: other.json: 5 distinct launches\n", NULL },
    { "tr -d '\\n' <other.json", 0,
      "\"grid\": [3, 1, 1], \"block\": [96, 1, 1], \"dynamic_shared\": 0", "", NULL },
    { "grep -c '\"grid\": \\[[56], 1, 1\\], \"block\": \\[32, 1, 1\\]' other.json", 0, "2\n", "",
      NULL },
    { "cat other.json", 0,
      "\"grid\": [2, 2, 2], \"block\": [16, 2, 1], \"dynamic_shared\": 0, \"params\": "
      "[null, null, null, null]",
      "", "[9, 9, 9]" },
    { "cat other.json", 0, "\"grid\": [7, 1, 1], \"block\": [64, 1, 1]", "", "cluster" },
    { "ls ${TMPDIR:-/tmp}/ptxlint-record-* 2>/dev/null | grep -c .", 1, "0\n", "", NULL },
};

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static void test_advice(void **state)
{
    (void)state;
    check_cases(advice_cases, COUNT(advice_cases));
}

static void test_init(void **state)
{
    (void)state;
    check_cases(init_cases, COUNT(init_cases));
}

static void test_several(void **state)
{
    (void)state;
    check_cases(several_cases, COUNT(several_cases));
}

static void test_patterns(void **state)
{
    (void)state;
    check_cases(pattern_cases, COUNT(pattern_cases));
}

/* The recorder is not built for sanitizers: they must come first in a program. */
static void test_record(void **state)
{
    (void)state;
    if (!getenv("DRIVER"))
        skip();
    check_cases(record_cases, COUNT(record_cases));
}

static int setup(void **state)
{
    static const char *const folders[] = { "tree",   "tree/a",         "tree/a/one",
                                           "tree/b", "tree/b/.hidden", NULL };
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
        cmocka_unit_test_setup_teardown(test_advice, setup, teardown),
        cmocka_unit_test_setup_teardown(test_init, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several, setup, teardown),
        cmocka_unit_test_setup_teardown(test_patterns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_record, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
