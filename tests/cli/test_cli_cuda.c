/* test_cli_cuda.c -- what users of CUDA see: presets, and CUDA sources that are read. */
#include "program.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* Lanes 128 bytes apart, by a number; and by %ntid. */
#define COLUMN                                                                                    \
    HEAD ".visible .entry column(.param .u64 out)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n"  \
         "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ntid.x;\n"         \
         "\tmov.u32 %r3, %ctaid.x;\n\tmad.lo.s32 %r4, %r3, %r2, %r1;\n"                           \
         "\tmul.wide.u32 %rd2, %r4, 128;\n\tadd.s64 %rd3, %rd1, %rd2;\n"                          \
         "\tst.global.u32 [%rd3], %r1;\n\tret;\n}\n"
#define BY_BLOCK                                                                                  \
    HEAD ".visible .entry by_block(.param .u64 out)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n" \
         "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ntid.x;\n"         \
         "\tmul.lo.s32 %r4, %r1, %r2;\n\tmul.wide.u32 %rd2, %r4, 4;\n"                            \
         "\tadd.s64 %rd3, %rd1, %rd2;\n\tst.global.u32 [%rd3], %r1;\n\tret;\n}\n"
/* An unused parameter (HYG103). */
#define UNUSED                                                                               \
    HEAD ".visible .entry unused(.param .u64 a, .param .u64 b)\n.maxntid 64\n{\n\tret;\n}\n"

/* A division by zero (COR111) that comes from line 2 of a file. */
#define DIVIDES(file)                                                                          \
    HEAD ".file 1 \"" file "\"\n.visible .entry divides(.param .u64 out)\n.maxntid 64\n{\n"    \
         "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [out];\n"             \
         "\tmov.u32 %r1, %tid.x;\n\t.loc 1 2 3\n\tdiv.s32 %r2, %r1, 0;\n"                    \
         "\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n"

static const File files[] = {
    { "secret.cu", "// not ours\nint secret_line;\n" },
    { "a.cu", "// elsewhere\n\n" },
    { "tree/a.cu", "// ours\nint own_line;\n" },
    { "tree/here.ptx", DIVIDES("a.cu") },
    { "tree/outside.ptx", DIVIDES("../secret.cu") },
    { "tree/link.ptx", DIVIDES("out.cu") },
    { "tree/folder_link.ptx", DIVIDES("src/up/secret.cu") },
    { "tree/good_link.ptx", DIVIDES("src/in.cu") },
    { "column.ptx", COLUMN },
    { "by_block.ptx", BY_BLOCK },
    { "unused.ptx", UNUSED },
    { "perf.yaml", "preset: perf\n" },
    { "over.yaml", "preset: perf\nthresholds: { MEM201.any_block: 0 }\n" },
    { "bad.yaml", "preset: pref\n" },
    { "strict.yaml", "preset: strict\nseverity: { HYG103: note }\n" },
};

static const Case preset_cases[] = {
    { "$PTXLINT --select MEM201 column.ptx", 0, "note[MEM201]", "", "warning" },
    { "$PTXLINT --preset perf column.ptx", 1, "warning[MEM201]", "", NULL },
    { "$PTXLINT --config perf.yaml column.ptx", 1, "warning[MEM201]", "", NULL },
    { "$PTXLINT --preset perf --select MEM201 by_block.ptx", 0, "note[MEM201]", "", "warning" },
    /* what the file and the command line say counts over it */
    { "$PTXLINT --config over.yaml column.ptx", 0, NULL, "", "warning" },
    { "$PTXLINT --config over.yaml --threshold MEM201.any_block=1 column.ptx", 1, "warning", "",
      NULL },
    { "$PTXLINT --config perf.yaml --preset ci column.ptx", 0, NULL, "", "warning" },
    { "$PTXLINT --preset strict unused.ptx", 1, "warning[HYG103]", "", NULL },
    { "$PTXLINT --config strict.yaml --select HYG103 unused.ptx", 0, "note[HYG103]", "", NULL },
    { "$PTXLINT --preset ci --format jsonl unused.ptx", 0, "", "", NULL },
    { "$PTXLINT --preset ci --select HYG103 unused.ptx", 0, "", "", NULL },
    { "$PTXLINT config show --preset generated", 0, "preset   generated\nchanged\n", "", NULL },
    { "$PTXLINT config show --config perf.yaml --format json", 0,
      "\"preset\": [\n    \"perf\"\n", "", NULL },
    { "$PTXLINT --preset strcit unused.ptx", 2, "",
      "ptxlint: --preset: 'strcit' is not one of ci, generated, perf, strict; did you mean "
      "strict?\n",
      NULL },
    { "$PTXLINT --config bad.yaml unused.ptx", 2, "", "bad.yaml:1:9: error: 'pref' is not one of",
      NULL },
};

static void test_presets(void **state)
{
    (void)state;
    check_cases(preset_cases, sizeof preset_cases / sizeof *preset_cases);
}

/* ---- the source root ------------------------------------------------------------------------- */

/* Links are made by the cases: tree/out.cu leads out of tree, tree/src/in.cu does not. */
static const Case root_cases[] = {
    { "ln -s ../secret.cu tree/out.cu && ln -s ../a.cu tree/src/in.cu && ln -s ../.. tree/src/up",
      0, NULL, NULL, NULL },
    /* nothing above the working directory says more */
    { "cd tree && $PTXLINT --select COR111 here.ptx", 1, "int own_line", "", NULL },
    { "cd tree && $PTXLINT --select COR111 outside.ptx", 1, "COR111", "", "secret_line" },
    { "cd tree && $PTXLINT --select COR111 link.ptx", 1, "COR111", "", "secret_line" },
    { "cd tree && $PTXLINT --select COR111 folder_link.ptx", 1, "COR111", "", "secret_line" },
    { "cd tree && $PTXLINT --select COR111 good_link.ptx", 1, "int own_line", "", NULL },
    { "cd tree && $PTXLINT --format sarif --select COR111 outside.ptx", 1, "COR111", "",
      "secret_line" },
    /* an option, a config, the top of a tree of git */
    { "cd tree && $PTXLINT --source-root .. --primary source --select COR111 outside.ptx", 1,
      "int secret_line", "", NULL },
    { "cd tree && $PTXLINT --source-root src --select COR111 here.ptx", 1, "COR111", "",
      "own_line" },
    { "echo > .ptxlint.yaml; cd tree && $PTXLINT --primary source --select COR111 outside.ptx", 1,
      "int secret_line", "", NULL },
    { "mkdir tree/.git; cd tree && $PTXLINT --select COR111 outside.ptx", 1, "COR111", "",
      "secret_line" },
    { "cd tree/src && $PTXLINT --primary source --select COR111 ../here.ptx", 1,
      "int own_line", "", NULL },
    { "$PTXLINT --source-root nowhere tree/here.ptx", 2, "",
      "ptxlint: nowhere: is no folder, and --source-root wants one\n", NULL },
    { "$PTXLINT --source-root a.cu tree/here.ptx", 2, "", "is no folder", NULL },
    { "$PTXLINT --source-rot . tree/here.ptx", 2, "", "did you mean --source-root?\n", NULL },
};

static void test_source_root(void **state)
{
    (void)state;
    check_cases(root_cases, sizeof root_cases / sizeof *root_cases);
}

static int enter(void **state)
{
    (void)state;
    static const char *const folders[] = { "tree", "tree/src", NULL };
    return enter_folder(folders, files, sizeof files / sizeof *files);
}

static int leave(void **state)
{
    (void)state;
    return leave_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_presets),
                                        cmocka_unit_test(test_source_root) };
    return cmocka_run_group_tests(tests, enter, leave);
}
