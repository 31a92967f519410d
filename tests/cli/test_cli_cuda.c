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

/* A kernel of line 2 that loads through its second parameter and leaves the first alone. */
#define PARAMS                                                                                   \
    HEAD ".file 1 \"params.cu\"\n"                                                               \
    ".visible .entry _Z4copyPfPKfi(.param .u64 _Z4copyPfPKfi_param_0,\n"                         \
    ".param .u64 _Z4copyPfPKfi_param_1, .param .u32 _Z4copyPfPKfi_param_2)\n.maxntid 64\n{\n"    \
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t.loc 1 3 3\n"              \
    "\tld.param.u64 %rd1, [_Z4copyPfPKfi_param_1];\n"                                           \
    "\tld.param.u32 %r2, [_Z4copyPfPKfi_param_2];\n\tmov.u32 %r1, 0;\n"                         \
    "$L:\n\tst.volatile.global.u32 [%rd1], %r1;\n\tadd.s32 %r1, %r1, 1;\n"                      \
    "\tsetp.lt.s32 %p1, %r1, %r2;\n\t@%p1 bra $L;\n\tret;\n}\n"

/* Two kernels and what they inline; the lines are those of CUDA below. COR111 is at lines 3 (in
 * helper, inlined at 9 and 14), 8 and 16. */
#define LINES                                                                                      \
    HEAD ".file 1 \"lines.cu\"\n"                                                                 \
    ".visible .entry _Z3oneILi1EEvPi(.param .u64 out)\n.maxntid 64\n{\n\t.reg .b32 %r<9>;\n" \
    "\t.reg .b64 %rd<9>;\n\t.loc 1 6 0\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n" \
    "\t.loc 1 8 3\n\tdiv.s32 %r2, %r1, 0;\n\tst.volatile.global.u32 [%rd1], %r2;\n"          \
    "\t.loc 1 9 3\n\t.loc 1 3 3, function_name $L, inlined_at 1 9 3\n\tdiv.s32 %r3, %r1, 0;\n" \
    "\tst.volatile.global.u32 [%rd1], %r3;\n\tret;\n}\n"                                    \
    ".visible .entry two(.param .u64 out)\n.maxntid 64\n{\n\t.reg .b32 %r<9>;\n"             \
    "\t.reg .b64 %rd<9>;\n\t.loc 1 13 0\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n" \
    "\t.loc 1 14 3\n\t.loc 1 3 3, function_name $L, inlined_at 1 14 3\n\tdiv.s32 %r2, %r1, 0;\n" \
    "\tst.volatile.global.u32 [%rd1], %r2;\n\t.loc 1 16 3\n\tdiv.s32 %r3, %r1, 0;\n"        \
    "\tst.volatile.global.u32 [%rd1], %r3;\n\tret;\n}\n"                                    \
    ".section .debug_str\n{\n$L:\n.b8 104\n.b8 0\n}\n"

/* Doubles in a loop, for a GPU with few lanes for them (THR114). */
#define DOUBLES                                                                                 \
    ".version 9.0\n.target sm_89\n.address_size 64\n"                                           \
    ".visible .entry doubles(.param .u64 out, .param .u32 n)\n.maxntid 128\n{\n"                \
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<2>;\n\t.reg .f64 %fd<2>;\n"       \
    "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [n];\n\tmov.f64 %fd1, 0d3FF0000000000000;\n" \
    "\tmov.u32 %r2, 0;\n$L:\n\tfma.rn.f64 %fd1, %fd1, %fd1, %fd1;\n\tadd.s32 %r2, %r2, 1;\n"    \
    "\tsetp.lt.s32 %p1, %r2, %r1;\n\t@%p1 bra $L;\n\tst.global.f64 [%rd1], %fd1;\n\tret;\n}\n"

/* A tile that neighbours read, with something between. */
#define TILED(between)                                                                            \
    HEAD ".visible .entry k(.param .u64 out)\n.maxntid 128\n{\n\t.reg .b32 %r<9>;\n"           \
         "\t.reg .b64 %rd<9>;\n\t.shared .align 4 .b8 tile[516];\n\tld.param.u64 %rd1, [out];\n" \
         "\tmov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, 2;\n\tmov.u32 %r3, tile;\n"              \
         "\tadd.s32 %r4, %r3, %r2;\n\tst.shared.u32 [%r4], %r1;\n" between                     \
         "\tld.shared.u32 %r5, [%r4+4];\n\tmul.wide.u32 %rd2, %r2, 1;\n"                       \
         "\tadd.s64 %rd3, %rd1, %rd2;\n\tst.global.u32 [%rd3], %r5;\n\tret;\n}\n"
/* Stores that are apart by stride bytes, after some work. */
#define STORES(stride, work)                                                                      \
    HEAD ".visible .entry k(.param .u64 out)\n.maxntid 128\n{\n\t.reg .b32 %r<9>;\n"           \
         "\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n"          \
         "\tmov.u32 %r2, %ctaid.x;\n\tmad.lo.s32 %r1, %r2, 128, %r1;\n\tmov.u32 %r5, %r1;\n" work \
         "\tmul.wide.u32 %rd2, %r1, " stride ";\n\tadd.s64 %rd3, %rd1, %rd2;\n"                \
         "\tst.global.u32 [%rd3], %r5;\n\tret;\n}\n"
#define WORK "\txor.b32 %r6, %r5, 5;\n\tshr.u32 %r7, %r6, 3;\n\tmul.lo.s32 %r5, %r6, %r7;\n"

static const File files[] = {
    { "doubles.ptx", DOUBLES },
    { "small.ptx", HEAD ".visible .entry small(.param .u64 out)\n.reqntid 32\n{\n\tret;\n}\n" },
    { "racy.ptx", TILED("") },
    { "right.ptx", TILED("\tbar.sync 0;\n") },
    { "slower.ptx", TILED("\tbar.sync 0;\n" "\tmov.u32 %r5, %r1;\n" WORK WORK WORK
                          "\tbar.sync 0;\n\tst.shared.u32 [%r4+4], %r5;\n\tbar.sync 0;\n") },
    { "apart.ptx", STORES("128", "") },
    { "packed.ptx", STORES("4", WORK WORK) },
    { "lines.ptx", LINES },
    { "params.ptx", PARAMS },
    { "asm.ptx", HEAD ".file 1 \"none.cu\"\n.visible .entry k(.param .u64 out)\n.maxntid 64\n{\n"
      "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [out];\n"
      "\tmov.u32 %r1, %tid.x;\n\t.loc 1 4 3\n\t// begin inline asm\n"
      "\t// ptxlint: ignore[COR111] known\n\t// end inline asm\n\t.loc 1 5 3\n"
      "\tadd.s32 %r3, %r1, 1;\n\tdiv.s32 %r2, %r3, 0;\n\tst.volatile.global.u32 [%rd1], %r2;\n"
      "\t.loc 1 6 3\n\tdiv.s32 %r4, %r3, 0;\n\tst.volatile.global.u32 [%rd1], %r4;\n\tret;\n}\n" },
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

/* ---- names of parameters --------------------------------------------------------------------- */

#define WRITE_CU(text) "printf '//\\n" text "\\n' > params.cu; "
#define NAMED(cu, report) \
    { WRITE_CU(cu) "$PTXLINT report --gpu h200 params.ptx", 0, report, "", NULL }
#define UNNAMED(cu) \
    { WRITE_CU(cu) "$PTXLINT report --gpu h200 params.ptx", 0, "param_2", "", "  parameters " }

static const Case param_cases[] = {
    NAMED("__global__ void copy(float *out, const float *in, int n) {\\n  }",
          "  parameters   0 out, 1 in, 2 n\n"),
    NAMED("__global__ void copy(float *, const float *in, int n) {\\n  }", "0 ?, 1 in, 2 n\n"),
    { "$PTXLINT --select HYG103 params.ptx", 0, "HYG103]: parameter `param_0 (.u64)`", "", NULL },
    { WRITE_CU("__global__ void copy(float *out, const float *in, int n) {\\n  }")
      "$PTXLINT --select HYG103 params.ptx", 0, "parameter `out (param_0)` is not used", "", NULL },
    { "$PTXLINT report --gpu h200 params.ptx", 0, "to n (symbolic)", "", NULL },
    { "$PTXLINT report --format json params.ptx", 0, "\"source_name\":\"in\"", "", NULL },
    /* another kernel, other parameters, no kernel, a source that may not be read */
    UNNAMED("__global__ void move(float *out, const float *in, int n) {\\n  }"),
    UNNAMED("__global__ void copy(float *out, const float *in) {\\n  }"),
    UNNAMED("__global__ void copy(float *out, const float *in, int *n) {\\n  }"),
    UNNAMED("void copy(float *out, const float *in, int n) {\\n  }"),
    { WRITE_CU("__global__ void copy(float *out, const float *in, int n) {\\n  }")
      "$PTXLINT --source-root tree --select HYG103 params.ptx", 0, "`param_0 (.u64)`", "", NULL },
};

static void test_params(void **state)
{
    (void)state;
    check_cases(param_cases, sizeof param_cases / sizeof *param_cases);
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

/* ---- comments in CUDA ------------------------------------------------------------------------ */

/* lines.cu with something in its line 2, 4, 7, 8, 12, 15, then what ptxlint says of COR111. */
#define CUDA(l2, l4, l7, l8, l12, l15)                                                          \
    "printf '%s\\n' '__device__ int helper(int t)' '" l2 "' '{ return t / 0; }' '" l4              \
    "' 'template <int N>' '__global__ void one(int *out) {' '" l7 "' '  *out = t / 0; " l8 \
    "' '  *out = helper(t);' '}' '' '" l12 "' '__global__ void two(int *out) {'"                   \
    " '  *out = helper(t);' '" l15 "' '  *out = t / 0;' '}' >lines.cu; " \
    "$PTXLINT --select COR111,SUP --format oneline lines.ptx"
#define AT(line) "lines.ptx:" line ":2: warning: `div.s32` divides by 0"

static const Case comment_cases[] = {
    { CUDA("", "", "", "", "", ""), 1, AT("14"), "", "SUP" },
    /* behind code, and above it */
    { CUDA("", "", "", "// ptxlint: ignore[COR111] known", "", ""), 1, AT("18"), "", AT("14") },
    { CUDA("", "", "// ptxlint: ignore[COR111] known", "", "", ""), 1, AT("18"), "", AT("14") },
    { CUDA("", "", "/* ptxlint: ignore[division-by-zero] */", "", "", ""), 1, AT("18"), "",
      AT("14") },
    { CUDA("", "", "// ptxlint: ignore[COR111] known", "", "", ""), 1, AT("18"), "", "SUP" },
    /* through inlining: in both kernels */
    { CUDA("// ptxlint: ignore[COR111] known", "", "", "", "", ""), 1, AT("14"), "", AT("18") },
    { CUDA("// ptxlint: ignore[COR111] known", "", "", "", "", ""), 1, AT("35"), "", AT("32") },
    /* kernels: around it, and the next one */
    { CUDA("", "", "// ptxlint: ignore-kernel[COR111] known", "", "", ""), 1, AT("32"), "",
      AT("18") },
    { CUDA("", "", "", "", "// ptxlint: ignore-kernel[COR] known", ""), 1, AT("18"), "", AT("32") },
    { CUDA("", "// ptxlint: ignore-kernel[COR] known", "", "", "", ""), 1, AT("32"), "", AT("14") },
    { CUDA("", "", "", "", "", "// ptxlint: ignore-file[COR111] known"), 0, "", "", NULL },
    /* unused, at the line of CUDA */
    { CUDA("", "", "", "", "", "// ptxlint: ignore[COR111,MEM201] known"), 1, AT("32"), "",
      AT("35") },
    { CUDA("", "", "", "", "// ptxlint: ignore[COR111] known", ""), 1,
      "lines.cu:12:4: warning: `COR111` has no finding here [SUP101]\n", "", NULL },
    { CUDA("", "", "const char *s = \"// ptxlint: ignore[COR111]\";", "", "", ""), 1, AT("14"), "",
      "SUP" },
    { CUDA("", "", "// ptxlint: ignore[COR999] known", "", "", ""), 1,
      "lines.cu:7:20: warning: unknown rule `COR999` [SUP102]\n", "", NULL },
    { CUDA("", "", "// ptxlint: ignore COR111", "", "", ""), 1,
      "lines.cu:7:4: warning: a list of rules in brackets is missing [SUP102]\n", "", NULL },
    { CUDA("", "", "// ptxlint: ignore[MEM201] its rule is off", "", "", ""), 1, AT("14"), "",
      "SUP" },
    /* where it is shown, and why */
    { CUDA("", "", "", "", "", "// ptxlint: ignore-file[COR111] known")
      " >/dev/null; $PTXLINT --select COR111 --format json lines.ptx", 0, "\"reason\":\"known\"",
      "", NULL },
    { "rm lines.cu; $PTXLINT --select COR111 lines.ptx", 1, "lines.ptx:14", "", NULL },
    /* entries of a config: used, of no use, of other kernels */
    { "printf 'per-kernel-ignore: { two: [COR111] }\\n"
      "per-source-ignore: { \"lines.cu:8\": [COR] }\\n' >used.yaml; "
      "$PTXLINT --config used.yaml lines.ptx",
      1, "lines.ptx:18", "", "lines.ptx:14" },
    { "printf 'per-kernel-ignore: { two: [COR101], three: [COR101] }\\nper-source-ignore: "
      "{ \"lines.cu:8\": [THR], \"lines.cu:99\": [THR] }\\n' >stale.yaml; "
      "$PTXLINT --config stale.yaml lines.ptx",
      1, "lines.ptx:14",
      "ptxlint: stale.yaml: per-kernel-ignore two is unused: no finding matches it; remove it\n"
      "ptxlint: stale.yaml: per-source-ignore lines.cu:8 is unused: no finding matches it; remove it\n",
      NULL },
    { "$PTXLINT --config stale.yaml --select MEM lines.ptx", 0, NULL, "", NULL },
    /* code of line 0 is the line's before it */
    { "sed 's/^\tdiv.s32 %r4/\t.loc 1 0 0\\n&/' asm.ptx >zero.ptx; "
      "$PTXLINT --select COR111 --format json zero.ptx",
      1, "\"line\":6", "", NULL },
    /* an asm statement is about the next line */
    { "$PTXLINT --select COR111,SUP --format oneline asm.ptx", 1, "asm.ptx:21:2", "",
      "asm.ptx:18" },
};

static void test_comments(void **state)
{
    (void)state;
    check_cases(comment_cases, sizeof comment_cases / sizeof *comment_cases);
}

/* ---- notes that are counted only ------------------------------------------------------------- */

static const Case minor_cases[] = {
    { "$PTXLINT --no-config doubles.ptx", 0, NULL, "", "THR114" },
    { "$PTXLINT --no-config --all doubles.ptx", 0, "note[THR114]", "", NULL },
    { "$PTXLINT --no-config --select THR114 doubles.ptx", 0, "note[THR114]", "", NULL },
    { "$PTXLINT --no-config --format jsonl doubles.ptx", 0, "\"THR114\"", "", NULL },
};

static void test_minor(void **state)
{
    (void)state;
    check_cases(minor_cases, sizeof minor_cases / sizeof *minor_cases);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

static const Case gpu_cases[] = {
    /* what all have is said once; what differs, for each */
    { "$PTXLINT --no-config --gpu h100,a100,t4 --select COR111 --format oneline lines.ptx | wc -l",
      0, "4\n", "", NULL },
    { "$PTXLINT --no-config --gpu h100,a100,t4 --select OCC103 --format oneline small.ptx", 0,
      "small.ptx:4:17: note: on h100, a100: blocks of 32 threads: an SM holds at most 32 blocks "
      "[OCC103]\n"
      "small.ptx:4:17: note: on t4: blocks of 32 threads: an SM holds at most 16 blocks "
      "[OCC103]\n",
      "", NULL },
    { "$PTXLINT --no-config --gpu h100,a100 --select OCC103 --format oneline small.ptx", 0,
      "note: blocks of 32 threads", "", "on h100" },
    { "$PTXLINT --no-config --gpu h100,t4 --select OCC103 --format json small.ptx", 0,
      "\"gpu\":\"t4\"", "", NULL },
    { "sed 's|^.visible|// ptxlint: ignore-kernel[OCC103] small\\n&|' small.ptx >quiet.ptx; "
      "$PTXLINT --no-config --gpu h100,t4 --select OCC103,SUP --all quiet.ptx",
      0, "", "", NULL },
};

static void test_gpus(void **state)
{
    (void)state;
    check_cases(gpu_cases, sizeof gpu_cases / sizeof *gpu_cases);
}

/* ---- costs that are worth it ----------------------------------------------------------------- */

static const Case diff_cases[] = {
    { "$PTXLINT diff --grid 4096 --block 128 racy.ptx right.ptx", 0,
      "not counted: COR124 is repaired", "", "REGRESSED" },
    { "$PTXLINT diff --grid 4096 --block 128 --tolerance warp_instructions=0 racy.ptx right.ptx",
      1, "REGRESSED", "", NULL },
    { "$PTXLINT diff --grid 4096 --block 128 right.ptx slower.ptx", 1, "REGRESSED", "",
      "not counted" },
    { "$PTXLINT diff --gpu h100 --grid 65536 --block 128 apart.ptx packed.ptx", 0,
      "not counted: it is faster\n", "", "REGRESSED" },
    { "$PTXLINT diff --gpu h100 --grid 65536 --block 128 --format json apart.ptx packed.ptx", 0,
      "\"excuse\":\"not counted: it is faster\"", "", NULL },
    { "$PTXLINT diff --gpu h100 --grid 65536 --block 128 packed.ptx apart.ptx", 1, "REGRESSED", "",
      "not counted" },
};

static void test_excuses(void **state)
{
    (void)state;
    check_cases(diff_cases, sizeof diff_cases / sizeof *diff_cases);
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
                                        cmocka_unit_test(test_source_root),
                                        cmocka_unit_test(test_comments),
                                        cmocka_unit_test(test_params),
                                        cmocka_unit_test(test_gpus), cmocka_unit_test(test_minor),
                                        cmocka_unit_test(test_excuses) };
    return cmocka_run_group_tests(tests, enter, leave);
}
