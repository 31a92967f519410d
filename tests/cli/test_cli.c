/* Runs the built program (its path in the environment variable PTXLINT) in a folder of small files
 * that it writes, and looks at exit status, stdout and stderr. */
#include "program.h"

/* ---- the files ------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define BODY(first)                                                                         \
    "{\n\t.reg .b32 \t%r<2>;\n\t.reg .b64 \t%rd<2>;\n\tld.param.u64 \t%rd1, [out];\n" first \
    "\tst.global.u32 \t[%rd1], %r1;\n\tret;\n}\n"
#define ENTRY(name, bounds, first) ".visible .entry " name "(.param .u64 out)\n" bounds BODY(first)
#define BOUNDS ".maxntid 128, 1, 1\n"
#define SMALL ".reqntid 32\n"            /* OCC103, a note */
#define GOOD "\tmov.u32 \t%r1, %tid.x;\n"

/* In place of ptxas: notes how it was called, and reports of kernel clean what no model does. */
#define PTXAS "#!/bin/sh\necho \"$@\" >>calls.txt\ngrep -q 'entry clean' \"$3\" || exit 3\n" \
              "echo \"ptxas info    : Compiling entry function 'clean' for '${2#-arch=}'\" >&2\n" \
              "echo 'ptxas info    : Used 77 registers, used 3 barriers' >&2\n"

#define LOG(registers)                                                                        \
    "ptxas info    : Compiling entry function 'clean' for 'sm_80'\nptxas info    : Function " \
    "properties for clean\n"                                                                  \
    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\nptxas info    : "    \
    "Used " registers " registers\n"

/* An instance of a template, with a mistake in line 2 of once.cu. */
#define INSTANCE(n)                                                                             \
    ".visible .entry _Z4copyIfLi" n "EEvPf(.param .u64 p)\n{\n\t.reg .b32 %r<2>;\n"             \
    "\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [p];\n\t.loc 1 2 5\n"                          \
    "\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
#define INSTANCES(target)                                              \
    ".version 7.8\n.target " target "\n.address_size 64\n" INSTANCE("1") \
    INSTANCE("2") INSTANCE("3") ".file 1 \"once.cu\"\n"

static const File files[] = {
    { "slight.ptx", HEAD ".visible .entry slight(.param .u64 slight_param_0)\n{\n\tret;\n}\n" },
    { "once.ptx", INSTANCES("sm_90") },
    { "once80.ptx", INSTANCES("sm_80") },
    { "clean.ptx", HEAD ENTRY("clean", BOUNDS, GOOD) },
    { "noted.ptx", HEAD ENTRY("noted", SMALL, GOOD) },
    { "warned.ptx", HEAD ENTRY("warned", BOUNDS, "") },                         /* %r1 is never written */
    { "broken.ptx", HEAD ENTRY("broken", BOUNDS, "\tmov.u32 %r1 %tid.x;\n") },
    { "two.ptx", HEAD ENTRY("one", BOUNDS, GOOD) ENTRY("other", BOUNDS, "") },
    { "called.ptx", HEAD ".func helper()\n{\n\tret;\n}\n" ENTRY("caller", BOUNDS, GOOD) },
    { "lines.ptx", HEAD ENTRY("lines", BOUNDS, "\t.loc\t1 2 5\n") "\t.file\t1 \"kernel.cu\"\n" },
    { "gather.ptx", HEAD
      ".visible .entry k(.param .u64 x)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<8>;\n"
      "\t.reg .f32 %f<4>;\n\tld.param.u64 %rd1, [x];\n\tmov.u32 %r1, %tid.x;\n"
      "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
      "\tld.global.u32 %r2, [%rd3];\n\tmul.wide.u32 %rd4, %r2, 4;\n"
      "\tadd.s64 %rd5, %rd1, %rd4;\n\tld.global.f32 %f1, [%rd5];\n"
      "\tadd.f32 %f2, %f1, %f1;\n\tst.global.f32 [%rd3], %f2;\n\tret;\n}\n" },
    { "kernel.cu", "// a kernel\n\tout[0] = x;\n" },
    { "tree/b.ptx", HEAD ENTRY("tree_b", SMALL, GOOD) },
    { "tree/a/z.ptx", HEAD ENTRY("tree_a_z", SMALL, GOOD) },
    { "tree/c/d/e.ptx", HEAD ENTRY("tree_c_d_e", SMALL, GOOD) },
    { "tree/notes.txt", "not PTX\n" },
    { "tree/lines.ptx", HEAD ENTRY("lines", BOUNDS, "\t.loc\t1 2 5\n") "\t.file\t1 \"beside.cu\"\n" },
    { "tree/beside.cu", "\n  out[1] = y;\n" },
    { "bare/readme", "no PTX here\n" },
    { "star*.ptx", HEAD ENTRY("star", SMALL, GOOD) },
    { "empty.ptx", "" },
    { "launches.json", "{\"kernels\": {\"clean\": {\"grid\": [10, 2, 1], \"block\": [128, 1, 1], \"dynamic_shared\": 64}}}" },
    { "bad.json", "{\"kernels\": " },
    { "wrong.json", "{\"kernels\": {\"clean\": {\"block\": [2048]}}}" },
    { "mine.yaml", "base: sm_80\nproduct: Mine\n" },
    { "wrong.yaml", "base: sm_80\nproduct: [\n" },
    { "clean.log", LOG("55") },
    { "-clean.ptx", HEAD ENTRY("clean", BOUNDS, GOOD) },
    { "clean_a.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n" ENTRY("clean", BOUNDS, GOOD) },
    { "bin/ptxas", PTXAS },
    { "cuda/bin/ptxas", PTXAS },
    { "failing/ptxas", "#!/bin/sh\necho 'ptxas info    : 0 bytes gmem' >&2\necho 'ptxas fatal   : out of luck' >&2\nexit 255\n" },
    { "killed/ptxas", "#!/bin/sh\nkill -9 $$\n" },
    { "noted/ptxas", "no program\n" },
};

static int setup(void **state)
{
    static const char *const folders[] = {
        "tree", "tree/a",   "tree/c",  "tree/c/d", "tree/folder.ptx", "bare", "bin",
        "cuda", "cuda/bin", "failing", "killed",   "noted",           NULL
    };
    static const char *const programs[] = { "bin/ptxas", "cuda/bin/ptxas", "failing/ptxas",
                                            "killed/ptxas" };
    (void)state;
    if (enter_folder(folders, files, sizeof files / sizeof *files))
        return -1;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (chmod(programs[i], 0777))
            return -1;
    /* a folder that holds itself, a file through a link, and a name that leads nowhere (root may
     * read all others) */
    return symlink("..", "tree/up") || symlink("../noted.ptx", "tree/linked.ptx")
           || symlink("self.ptx", "self.ptx");
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

/* ---- a row a behaviour ----------------------------------------------------------------------- */

static const Case cases[] = {
    /* exit codes */
    { "$PTXLINT clean.ptx", 0, "", "", NULL },
    { "$PTXLINT noted.ptx", 0, "note[OCC103]: ", "", NULL },
    { "$PTXLINT warned.ptx", 1, "warning[COR101]: ", "", NULL },
    { "$PTXLINT broken.ptx", 1, "error[SYN201]: ", "", NULL },
    { "$PTXLINT check broken.ptx", 1, "error[SYN201]: ", "", NULL },
    { "$PTXLINT", 2, "", "no PATH", NULL },
    { "$PTXLINT check", 2, "", "no PATH", NULL },
    { "$PTXLINT report", 2, "", "no PATH", NULL },
    { "$PTXLINT report --gpu h200 --grid 64 --block 128 gather.ptx", 0,
      "flops per byte from memory unknown: data\n               decide how many bytes", "", NULL },
    { "$PTXLINT --frmat json clean.ptx", 2, "", "--frmat: unknown option", NULL },
    { "$PTXLINT --format xml clean.ptx", 2, "", "'xml' is not one of text, oneline, json", NULL },
    { "$PTXLINT --format", 2, "", "--format: missing argument", NULL },
    { "$PTXLINT report --format oneline clean.ptx", 2, "",
      "'oneline' is not one of text, json, csv", NULL },
    { "$PTXLINT --format csv clean.ptx", 0, "file,line,column,", "", "clean" },
    { "$PTXLINT report --format junit clean.ptx", 2, "", "'junit' is not one of text, json, csv",
      NULL },
    { "$PTXLINT --primary cuda clean.ptx", 2, "",
      "--primary: 'cuda' is not one of auto, ptx, source", NULL },
    { "$PTXLINT --primary source lines.ptx", 1,
      " --> kernel.cu:2:5 (lines.ptx:11, lines)\n  |\n2 |     out[0] = x;\n  |        ^\n", "",
      NULL },
    { "$PTXLINT --primary source --verbose lines.ptx", 1,
      "  --> kernel.cu:2:5\n   |\n2  |     out[0] = x;\n   |        ^\n   |\n   ::: lines.ptx:", "",
      NULL },
    { "$PTXLINT --primary source --format oneline lines.ptx", 1, "kernel.cu:2:5: warning: ", "",
      NULL },
    { "$PTXLINT --primary ptx --format rdjsonl lines.ptx", 1,
      "\"location\":{\"path\":\"lines.ptx\"", "", NULL },
    { "$PTXLINT --primary auto --format rdjsonl lines.ptx", 1,
      "\"location\":{\"path\":\"kernel.cu\"", "", NULL },
    { "$PTXLINT --primary source --format jsonl lines.ptx", 1, "\"primary\":\"source\"", "", NULL },
    { "$PTXLINT report --csv clean.ptx", 0,
      ",time_bound_by,relieved_time_us,next_limiter,compute_busy_percent,", "", NULL },
    { "$PTXLINT --csv clean.ptx", 2, "", "--csv: unknown option", NULL },
    { "$PTXLINT --color sometimes clean.ptx", 2, "", "is not one of auto, always, never", NULL },
    { "$PTXLINT --only syntax,style clean.ptx", 2, "", "--only: ", NULL },
    { "$PTXLINT --only '' clean.ptx", 2, "", "--only: ", NULL },
    { "$PTXLINT --gpu h200 clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --gpu sm_90 clean.ptx", 0, "", "", NULL },
    { "$PTXLINT none.ptx", 3, "", "ptxlint: none.ptx: No such file or directory\n", NULL },
    { "$PTXLINT none.ptx warned.ptx self.ptx", 3, "warning[COR101]", "self.ptx: ", NULL },
    { "$PTXLINT report none.ptx clean.ptx", 3, "kernel clean", "none.ptx", NULL },
    { "$PTXLINT report broken.ptx warned.ptx", 0, "w COR101", "", "kernel warned" },
    { "$PTXLINT report --details broken.ptx warned.ptx", 0, "kernel warned", "", "--details" },
    { "$PTXLINT report two.ptx", 0, "2 kernels on sm_80\n", "", "slowest" },
    { "$PTXLINT report two.ptx | tail -n +8", 0, "All figures: --kernel NAME", "", NULL },
    { "$PTXLINT report --gpu h200 --grid 9 --block 64 two.ptx", 0,
      "2 kernels on h200, slowest first\n", "", "No times" },
    { "$PTXLINT report two.ptx", 0, "No times: the grid is not known (--grid, --launch)\n", "", NULL },
    { "$PTXLINT report --gpu h200,a100 two.ptx", 0, "\n2 kernels on a100\n", "", NULL },
    { "$PTXLINT report --format markdown two.ptx", 0, "| kernel | place |", "", "<details>" },
    { "$PTXLINT report --format markdown --kernel one two.ptx", 0, "```text\n", "", NULL },
    { "$PTXLINT report --format markdown warned.ptx", 0, "| warning COR101 | ", "", NULL },
    /* CommonMark pairs runs of backquotes by their length: <img> is in none of these */
    { "cp warned.ptx '``x` <img>`.ptx' && $PTXLINT --format markdown '``x` <img>`.ptx'", 1, "\\<img\\>", "", NULL },
    { "cp warned.ptx www.x.ptx && $PTXLINT --format markdown www.x.ptx", 1, "www\\.x.ptx:", "", NULL },
    { "$PTXLINT report --details=x two.ptx", 2, "", "--details", NULL },
    { "$PTXLINT annotate two.ptx", 0, "kernel other (two.ptx:14) on sm_80\n", "", NULL },
    { "$PTXLINT annotate --kernel one two.ptx", 0, "kernel one", "", "kernel other" },
    { "$PTXLINT annotate clean.ptx", 0, "no time: the grid is not known (--grid", "", "time%" },
    { "$PTXLINT annotate --gpu h200 --grid 9 --block 64 clean.ptx", 0, " time%  execs ", "", NULL },
    { "$PTXLINT annotate --source clean.ptx", 0, "nvcc -lineinfo writes them", "", NULL },
    { "$PTXLINT annotate --kernel helper called.ptx", 0, "function helper (called.ptx:4)", "", NULL },
    { "$PTXLINT annotate --format json clean.ptx", 0, "ptxlint-annotation/1", "", NULL },
    { "$PTXLINT annotate broken.ptx", 0, "has syntax errors: no figures\n", "", NULL },
    { "$PTXLINT annotate --format csv clean.ptx", 2, "", "'csv' is not one of text, json", NULL },
    { "$PTXLINT annotate --details clean.ptx", 2, "", "`ptxlint report` has it", NULL },
    { "$PTXLINT report --source clean.ptx", 2, "", "`ptxlint annotate` has it", NULL },
    { "$PTXLINT annotate", 2, "", "no PATH", NULL },
    { "$PTXLINT annotate none.ptx clean.ptx", 3, "kernel clean", "none.ptx", NULL },
    { "$PTXLINT annotate --kernel nil clean.ptx", 2, "", "'nil' matches no kernel", NULL },
    { "$PTXLINT --kernel nothing clean.ptx", 2, "", "--kernel: 'nothing' matches no kernel", NULL },
    { "$PTXLINT warned.ptx 'none*.ptx'", 2, "warning[COR101]", "none*.ptx: matches no PTX file",
      NULL },

    /* what is asked for */
    { "$PTXLINT --help", 0, "EXIT CODES", "", NULL },
    { "$PTXLINT --help", 0, "Usage: ptxlint [COMMAND] [OPTIONS] PATH...", "", NULL },
    { "$PTXLINT check --help", 0, "EXAMPLES", "", "COMMANDS" },
    { "$PTXLINT report --help", 0, "Usage: ptxlint report [OPTIONS] PATH...", "", "oneline" },
    { "$PTXLINT report --help", 0, "--ptxas[=PATH]", "", "oneline" },
    { "$PTXLINT gpu --help", 0, "Usage: ptxlint gpu [OPTIONS] [NAME...]", "", "--launch" },
    { "$PTXLINT --version", 0, "ptxlint ", "", NULL },
    { "$PTXLINT --format oneline warned.ptx", 1, "warned.ptx:10:", "", "\n\n" },
    { "$PTXLINT --format oneline warned.ptx", 1, ": warning: ", "", "kernel" },
    { "$PTXLINT --format oneline clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --format=json --format text clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --format oneline --format json=found.json warned.ptx; s=$?; cat found.json; exit "
      "$s",
      1, "\"rule\":\"COR101\"", "", NULL },
    { "$PTXLINT --format oneline --format json=found.json warned.ptx", 1, "warned.ptx:10:", "",
      "schema" },
    { "$PTXLINT --format sarif=found.sarif --format jsonl=- warned.ptx; s=$?; cat found.sarif; "
      "exit $s",
      1, "{\"rule\":\"COR101\"", "", "1 warning" },
    { "$PTXLINT --format sarif=found.sarif --output found.txt warned.ptx; s=$?; cat found.txt; "
      "exit $s",
      1, "1 warning in", "", "schema" },
    { "$PTXLINT report --csv --format json=found.json clean.ptx; head -c 13 found.json", 0,
      "{\"schema\":\"pt", "", NULL },
    { "$PTXLINT gpu --format json=a.json --format csv=b.csv h200; grep -c h200, b.csv; head -c 9 "
      "a.json",
      0, "{\"schema\"", "", NULL },
    { "$PTXLINT --format json=- --format oneline warned.ptx", 2, "",
      "standard output: two documents cannot go to one place", NULL },
    { "$PTXLINT --format json=a --format oneline=a warned.ptx", 2, "", "a: two documents", NULL },
    { "$PTXLINT --format json=new --format oneline=$PWD/new warned.ptx", 2, "",
      "/new: two documents", NULL },
    { "ln -s . here; $PTXLINT --format json=new --format oneline=here/new warned.ptx", 2, "",
      "here/new: two documents", NULL },
    { ": >old; ln -s old link; $PTXLINT --format json=old --format oneline=link warned.ptx", 2, "",
      "link: two documents", NULL },
    { "$PTXLINT --format json=/dev/null --format oneline=/dev/./null clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --format json= warned.ptx", 2, "",
      "--format: 'json=' is not one of FORMAT, FORMAT=FILE", NULL },
    { "$PTXLINT --format xml=a warned.ptx", 2, "", "--format: 'xml=a' is not one of text", NULL },
    { "$PTXLINT --format json=none/a --format oneline=b warned.ptx", 3, "", "none/a: No such file",
      NULL },
    { "$PTXLINT --format json=/dev/full --format oneline=- warned.ptx", 3, "COR101",
      "/dev/full: No space", NULL },
    { "$PTXLINT --statistics --format sarif=a warned.ptx", 2, "", "--statistics needs", NULL },
    { "$PTXLINT --output - --format oneline warned.ptx", 1, "warned.ptx:10:", "", NULL },
    { "$PTXLINT schema", 0, "diagnostics\n", "", NULL },
    { "$PTXLINT schema rules", 0, "ptxlint-rules/1", "", NULL },
    { "$PTXLINT schema rule", 2, "", "ptxlint: schema: 'rule' is not one of annotation,", NULL },
    { "$PTXLINT schema rules more", 2, "", "more: schema takes one NAME", NULL },
    { "$PTXLINT schema --format json rules", 2, "", "--format: unknown option", NULL },
    { "$PTXLINT schema --output none/a rules", 3, "", "none/a: No such file", NULL },
    { "$PTXLINT --only syntax warned.ptx", 0, "", "", NULL },
    { "$PTXLINT --only syntax warned.ptx broken.ptx", 1, "SYN201", "", "COR101" },
    { "$PTXLINT --only occupancy noted.ptx warned.ptx", 0, "OCC103", "", "COR101" },
    { "$PTXLINT --only occupancy --only correctness noted.ptx warned.ptx", 1, "COR101", "", NULL },
    { "$PTXLINT --kernel 'o?e' two.ptx", 0, "", "", NULL },
    { "$PTXLINT --kernel 'oth*' two.ptx", 1, "COR101", "", NULL },
    { "$PTXLINT report --kernel one two.ptx", 0, "kernel one", "", "other" },
    { "$PTXLINT two.ptx", 1, "1 warning in 1 of 2 kernels\n", "", NULL },
    { "$PTXLINT two.ptx noted.ptx broken.ptx", 1, "1 error, 1 warning, 1 note in 3 of 4 kernels\n",
      "", NULL },
    { "$PTXLINT --quiet two.ptx", 1, "COR101", "", "of 2 kernels" },
    { "$PTXLINT --output found.txt two.ptx; s=$?; cat found.txt; exit $s", 1, "COR101", "", NULL },
    { "$PTXLINT --output found.txt two.ptx", 1, "", "", NULL },
    { "$PTXLINT --output none/found.txt two.ptx", 3, "", "none/found.txt: No such file", NULL },

    /* layout */
    { "$PTXLINT warned.ptx", 1, "  --> warned.ptx:10:", "", NULL },
    { "$PTXLINT warned.ptx", 1, "\n10 |     st.global.u32   [%rd1], %r1;\n   |     ", "", "\t" },
    { "$PTXLINT noted.ptx", 0,
      "\n4 | .visible .entry noted(.param .u64 out)\n"
      "  |                 ^^^^^\n",
      "", NULL },
    { "$PTXLINT lines.ptx", 1,
      " --> kernel.cu:2:5 (lines.ptx:11, lines)\n  |\n2 |     out[0] = x;\n",
      "", " = note" },
    { "$PTXLINT --primary ptx lines.ptx", 1, "--> lines.ptx:11:25 (kernel.cu:2, lines)\n", "",
      NULL },
    { "$PTXLINT --primary ptx --verbose lines.ptx", 1,
      " ::: kernel.cu:2:5\n2  |     out[0] = x;\n", "", NULL },
    { "$PTXLINT tree/lines.ptx", 1, " --> tree/beside.cu:2:5 (tree/lines.ptx:11, lines)\n", "",
      NULL },
    { "$PTXLINT -h", 0, "Usage: ptxlint [COMMAND] [OPTIONS] PATH...\n", "", NULL },
    { "$PTXLINT report -h", 0, "Usage: ptxlint report [OPTIONS] PATH...\n", "", NULL },
    { "$PTXLINT help", 0, "Usage: ptxlint [COMMAND] [OPTIONS] PATH...\n", "", NULL },
    { "$PTXLINT help diff", 0, "Usage: ptxlint diff [OPTIONS] OLD NEW |", "", NULL },
    { "$PTXLINT help rank", 0, "Usage: ptxlint rank [OPTIONS] PATH...\n", "", NULL },
    { "$PTXLINT help repotr", 2, "", "help: 'repotr' is no command", NULL },
    { "$PTXLINT gpu H200", 0, "h200", "", NULL },
    /* 32,768 warps of two rows, 1,024 steps: two sectors of each matrix */
    { "$PTXLINT report --gpu SM_90A --grid 64,64 --block 16,16 --param 0=1024 --kernel gemm_naive "
      "'" PTXLINT_SOURCE_ROOT "/testdata/ptx/gemm.sm_90.lineinfo.ptx'", 0,
      "  gemm.cu:19                    -  29.9 %  99.9 %  134217728        - ", "", NULL },
    { "$PTXLINT report --gpu H100,SM_90 clean.ptx", 0, "figures for h100, sm_90", "", NULL },
    /* what is worth a reader's time */
    { "$PTXLINT slight.ptx", 0, "1 note is not shown: see --all\n", "", "HYG103" },
    { "$PTXLINT --quiet slight.ptx", 0, "", "", "note" },
    { "$PTXLINT --all slight.ptx", 0, "note[HYG103]: parameter `param_0 (.u64)` is not used\n", "",
      "not shown" },
    { "$PTXLINT --min-gain 0 slight.ptx", 0, "note[HYG103]", "", "not shown" },
    { "$PTXLINT --select HYG103 slight.ptx", 0, "note[HYG103]", "", "not shown" },
    { "$PTXLINT --only hygiene slight.ptx", 0, "note[HYG103]", "", "not shown" },
    { "$PTXLINT --severity HYG103=warning slight.ptx", 1, "warning[HYG103]", "", "not shown" },
    { "$PTXLINT --format oneline slight.ptx", 0, "", "", "HYG103" },
    { "$PTXLINT --format github slight.ptx", 0, "", "", "HYG103" },
    { "$PTXLINT --format json slight.ptx", 0, "\"rule\":\"HYG103\"", "", NULL },
    { "$PTXLINT --format csv slight.ptx", 0, ",HYG103,", "", NULL },
    { "$PTXLINT --format sarif --docs-url https://a.org/d/ slight.ptx", 0,
      "\"helpUri\":\"https://a.org/d/rules/HYG103.html\"", "", NULL },
    { "$PTXLINT --format sarif slight.ptx", 0, "\"id\":\"HYG103\"", "", "helpUri" },
    { "$PTXLINT --format sarif slight.ptx", 0, "\"ruleId\":\"HYG103\"", "", NULL },
    { "$PTXLINT --min-gain=-1 slight.ptx", 2, "",
      "--min-gain: '-1' is not a number of percent, 0 to 100\n", NULL },
    { "$PTXLINT --min-gain 1.5.2 slight.ptx", 2, "", "is not a number of percent", NULL },
    { "$PTXLINT --min-gain 101 slight.ptx", 2, "", "is not a number of percent", NULL },
    /* one finding a rule and CUDA line */
    { "$PTXLINT once.ptx", 1,
      "  = note: and in 2 other kernels: copy<float, 2>, copy<float, 3>\n\n"
      "1 warning in 3 of 3 kernels\n", "", NULL },
    { "$PTXLINT once.ptx once80.ptx", 1,
      "  = note: and in 2 other kernels: copy<float, 2>, copy<float, 3>; sm_90, sm_80\n\n"
      "1 warning in 6 of 6 kernels\n", "", NULL },
    { "$PTXLINT --primary ptx once.ptx", 1, "3 warnings in 3 of 3 kernels\n", "", "other kernel" },
    { "$PTXLINT --format github once.ptx", 1,
      "register name%0Aand in 2 other kernels: copy<float, 2>, copy<float, 3>\n", "", NULL },
    { "$PTXLINT --format rdjsonl once.ptx", 1,
      "; and in 2 other kernels: copy<float, 2>, copy<float, 3>\",\"location\"", "", NULL },
    { "$PTXLINT --format checkstyle once.ptx", 1, "<error ", "", NULL },
    { "$PTXLINT --format markdown once.ptx", 1, "copy\\<float, 2\\>", "", NULL },

    /* paths */
    { "cat warned.ptx | $PTXLINT -", 1, "--> -:10:", "", NULL },
    { "$PTXLINT --format oneline - <noted.ptx", 0, "-:4:17: note: ", "", NULL },
    { "$PTXLINT --format oneline tree", 1, "tree/c/d/e.ptx:4:17: note: ", "", "tree/up" },
    { "$PTXLINT --format oneline tree/", 1, "tree/a/z.ptx:", "", "//" },
    { "$PTXLINT --format oneline tree", 1, "tree/linked.ptx:", "", NULL },
    { "$PTXLINT --format oneline 'tree/*.ptx'", 1, "tree/b.ptx:", "", "tree/a/" },
    { "$PTXLINT --format oneline 'tree/[ac]'", 0, "tree/c/d/e.ptx:", "", "tree/b" },
    { "$PTXLINT --format oneline 'star*.ptx'", 0, "star*.ptx:4:17: note: ", "", NULL },
    { "$PTXLINT --format oneline -- noted.ptx", 0, "noted.ptx:4:", "", NULL },
    { "$PTXLINT bare", 2, "", "bare: holds no .ptx file", NULL },
    { "$PTXLINT bare warned.ptx", 2, "COR101", "bare: holds no .ptx file", NULL },
    { "$PTXLINT empty.ptx", 1, "SYN301", "", NULL },
    { "$PTXLINT --format oneline noted.ptx noted.ptx | grep -c OCC103", 0, "2\n", "", NULL },

    /* launches */
    { "$PTXLINT report --launch launches.json clean.ptx", 0,
      "grid 10 x 2 x 1, block 128 x 1 x 1 (as given)", "", NULL },
    { "$PTXLINT report clean.ptx", 0, "grid unknown", "", "launch file" },
    { "$PTXLINT --launch bad.json clean.ptx", 2, "", "bad.json:1:12: error: ", NULL },
    { "$PTXLINT --launch none.json clean.ptx", 3, "", "ptxlint: none.json: No such file", NULL },
    { "$PTXLINT --launch tree clean.ptx", 3, "", "ptxlint: tree: ", NULL },
    { "$PTXLINT --launch wrong.json clean.ptx", 2, "",
      "kernel \"clean\": \"block\" is not one to three whole numbers", NULL },
    { "$PTXLINT report --block 64,2 --grid 7 clean.ptx", 0, "grid 7 x 1 x 1, block 64 x 2 x 1", "",
      NULL },
    { "$PTXLINT report --launch launches.json --block 64 clean.ptx", 0,
      "grid 10 x 2 x 1, block 64 x 1 x 1", "", NULL },
    { "$PTXLINT report --block 32 --block 64 clean.ptx", 0, "block 64 x 1 x 1", "", NULL },
    { "$PTXLINT report --dynamic-shared 3k clean.ptx", 0, "dynamic 3072 B", "", NULL },
    { "$PTXLINT --param out=null --param 0=0x1000 --cluster 2,1,1 clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --block 0 clean.ptx", 2, "",
      "ptxlint: --block: '0' is not one to three whole numbers", NULL },
    { "$PTXLINT --block 2048 clean.ptx", 2, "", "together at most 1024", NULL },
    { "$PTXLINT --block '' clean.ptx", 2, "", "--block: '' is not", NULL },
    { "$PTXLINT --grid 1,x clean.ptx", 2, "", "--grid: '1,x' is not", NULL },
    { "$PTXLINT --cluster 32 clean.ptx", 2, "", "--cluster: '32' is not", NULL },
    { "$PTXLINT --dynamic-shared 1KiB clean.ptx", 2, "",
      "--dynamic-shared: '1KiB' is not a number of bytes", NULL },
    { "$PTXLINT --dynamic-shared -1 clean.ptx", 2, "",
      "--dynamic-shared: '-1' is not a number of bytes", NULL },
    { "$PTXLINT --param 5 clean.ptx", 2, "", "--param: '5' is not POSITION=VALUE or NAME=VALUE",
      NULL },
    { "$PTXLINT --param out=@sortd clean.ptx", 2, "", "did you mean '@sorted'?", NULL },
    { "$PTXLINT --param out=@xyz clean.ptx", 2, "", "@sorted, @local or @random", NULL },
    { "$PTXLINT --param out=@local clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --param out=much clean.ptx", 2, "", "--param: 'much' is not a number", NULL },
    { "$PTXLINT --trip L=-1 clean.ptx", 2, "", "--trip: '-1' is not a whole number from 0", NULL },
    { "$PTXLINT --trip 5 clean.ptx", 2, "", "--trip: '5' is not LABEL=N", NULL },
    { "$PTXLINT --block 0 --trip 5 clean.ptx", 2, "", "--trip: ", NULL },
    { "$PTXLINT report --block", 2, "", "--block: missing argument", NULL },

    /* GPUs */
    { "$PTXLINT --gpu h2000 clean.ptx", 2, "",
      "ptxlint: unknown GPU 'h2000'; did you mean h200? `ptxlint gpu` lists them all\n", NULL },
    { "$PTXLINT --gpu sm_91 clean.ptx", 2, "", "did you mean sm_90?", NULL },
    { "$PTXLINT --gpu voodoo clean.ptx", 2, "", "unknown GPU 'voodoo'; `ptxlint gpu`", NULL },
    { "$PTXLINT --gpu h2000 --gpu a1000 clean.ptx", 2, "", "unknown GPU 'a1000'", NULL },
    { "$PTXLINT --gpu '' clean.ptx", 2, "", "--gpu: a name is missing", NULL },
    { "$PTXLINT --gpu h200,,a100 clean.ptx", 2, "", "--gpu: a name is missing", NULL },
    { "$PTXLINT report --gpu a100,h200 --gpu sm_86 clean.ptx", 0, "a100, h200,\n  sm_86", "",
      NULL },
    { "$PTXLINT report --gpu h200 --gpu h200 clean.ptx", 0, "h200", "", "h200, h200" },
    { "$PTXLINT report --gpu mine.yaml clean.ptx", 0, "mine", "", NULL },
    { "$PTXLINT report --gpu h200,./mine.yaml clean.ptx", 0, "h200, mine", "", NULL },
    { "$PTXLINT --gpu none.yaml clean.ptx", 3, "", "ptxlint: none.yaml: No such file", NULL },
    { "$PTXLINT --gpu ./h200 clean.ptx", 3, "", "ptxlint: ./h200: No such file", NULL },
    { "$PTXLINT --gpu ./wrong.yaml clean.ptx", 2, "", "./wrong.yaml:3:1: error: ", NULL },
    { "$PTXLINT gpu", 0, "h200", "", NULL },
    { "$PTXLINT gpu h200 a100", 0, "H200", "", NULL },
    { "$PTXLINT gpu mine.yaml", 0, "Mine", "", NULL },
    { "$PTXLINT gpu --csv h200", 0, "\nh200,limits,warp_size,32,", "", NULL },
    { "$PTXLINT gpu --format csv h200", 0, "\nh200,limits,warp_size,32,", "", NULL },
    { "$PTXLINT gpu --output gpus.txt && grep -c h200 gpus.txt", 0, "1\n", "", NULL },
    { "$PTXLINT gpu h2000", 2, "", "did you mean h200?", NULL },
    { "$PTXLINT gpu h2000 h200", 2, "", "did you mean h200?", NULL },
    { "$PTXLINT gpu --format oneline", 2, "", "'oneline' is not one of text, json, csv", NULL },
    { "$PTXLINT gpu --kernel k", 2, "", "--kernel: unknown option", NULL },
    { "$PTXLINT gpu h200 >/dev/full", 3, "", "standard output: No space left on device", NULL },

    /* what ptxas said, or says */
    { "$PTXLINT report --ptxas-log clean.log --csv clean.ptx", 0, ",sm_80,sm_80,55,ptxas,", "",
      NULL },
    { "$PTXLINT report --ptxas-log clean.log --gpu h200 --csv clean.ptx", 0, ",h200,sm_90,", "",
      ",ptxas," },
    { "$PTXLINT report --ptxas-log clean.ptx clean.ptx", 2, "", "clean.ptx: names no kernel",
      NULL },
    { "$PTXLINT report --ptxas-log none.log clean.ptx", 3, "", "none.log: No such file", NULL },
    { "$PTXLINT --ptxas-log clean.log clean.ptx", 0, "OCC106", "", "COR" },
    { "$PTXLINT report --ptxas=bin/ptxas --csv clean.ptx", 0, ",sm_80,sm_80,77,ptxas,", "", NULL },
    { "PATH=\"$PWD/bin:$PATH\" $PTXLINT report --ptxas --csv clean.ptx", 0, ",77,ptxas,", "",
      NULL },
    { "PATH=\"$PWD/bin:$PATH\" $PTXLINT report clean.ptx --csv --ptxas", 0, ",77,ptxas,", "",
      NULL },
    { "PATH=\"$PWD/noted:/bin\" CUDA_HOME=\"$PWD/cuda\" $PTXLINT report --ptxas --csv clean.ptx", 0,
      ",ptxas,", "", NULL },
    { "$PTXLINT report --ptxas=bin/ptxas --ptxas-log clean.log --csv clean.ptx", 0, ",77,ptxas,",
      "", NULL },
    { "cat clean.ptx | $PTXLINT report --ptxas=bin/ptxas --csv -", 0, ",77,ptxas,", "", NULL },
    { "TMPDIR=bare $PTXLINT report --ptxas=bin/ptxas - <clean.ptx >/dev/null; ls bare", 0,
      "readme\n", "", "ptxlint" },
    { "mkfifo pipe.ptx; cat clean.ptx >pipe.ptx & $PTXLINT report --ptxas=bin/ptxas --csv pipe.ptx",
      0, ",77,ptxas,", "", NULL },
    { "TMPDIR=none $PTXLINT report --ptxas=bin/ptxas - <clean.ptx", 3, "kernel clean",
      "a copy for ptxas: No such file", NULL },
    { "rm -f calls.txt; $PTXLINT report --ptxas=bin/ptxas -- -clean.ptx >/dev/null; cat calls.txt",
      0, "-v -arch=sm_80 ./-clean.ptx -o /dev/null\n", "", NULL },
    { "rm -f calls.txt; $PTXLINT report --ptxas=bin/ptxas --gpu h200,sm_90,b200 clean_a.ptx "
      ">/dev/null; cat calls.txt",
      0, "-v -arch=sm_90a clean_a.ptx -o /dev/null\n-v -arch=sm_100 clean_a.ptx -o /dev/null\n", "",
      NULL },
    { "$PTXLINT report --ptxas=bin/ptxas --gpu h200 --csv clean_a.ptx", 0, ",h200,sm_90,77,ptxas,",
      "", NULL },
    { "rm -f calls.txt; $PTXLINT --only syntax --ptxas=bin/ptxas clean.ptx; ls calls.txt", 2, "",
      "calls.txt", NULL },
    { "$PTXLINT report --ptxas=failing/ptxas clean.ptx", 0, "kernel clean",
      "ptxlint: clean.ptx: ptxas failed: ptxas fatal   : out of luck\n", NULL },
    { "$PTXLINT report --ptxas=failing/ptxas --ptxas-log clean.log --csv clean.ptx", 0,
      ",55,ptxas,", "out of luck", NULL },
    { "$PTXLINT report --ptxas=bin/ptxas two.ptx", 0, "other   two.ptx",
      "ptxlint: two.ptx: ptxas failed\n", NULL },
    { "$PTXLINT report --ptxas=killed/ptxas clean.ptx", 0, "kernel clean", "ptxas failed", NULL },
    { "$PTXLINT report --ptxas=none clean.ptx", 2, "", "ptxlint: none: is not a program", NULL },
    { "$PTXLINT report --ptxas=noted/ptxas clean.ptx", 2, "",
      "ptxlint: noted/ptxas: is not a program", NULL },
    { "$PTXLINT report --ptxas=bin clean.ptx", 2, "", "ptxlint: bin: is not a program", NULL },
    { "$PTXLINT --ptxas=bin/ptxas clean.ptx broken.ptx", 1, "SYN201", "broken.ptx: ptxas failed",
      NULL },

    /* the report */
    { "$PTXLINT report called.ptx", 0, "function helper (line 4)", "", NULL },
    { "$PTXLINT report clean.ptx", 0, "FMA          fused 0 of 4 instructions = 0.0 %", "", NULL },
    { "$PTXLINT report clean.ptx", 0, "global       store              4         1      1.0       1.0\n", "", NULL },

    /* colours; stdout is a file here */
    { "$PTXLINT warned.ptx", 1, "warning", "", "\033" },
    { "$PTXLINT --color always warned.ptx", 1, "\033[1;33mwarning[COR101]\033[0m", "", NULL },
    { "CLICOLOR_FORCE=1 $PTXLINT warned.ptx", 1, "\033[1;33m", "", NULL },
    { "CLICOLOR_FORCE=0 $PTXLINT warned.ptx", 1, "warning", "", "\033" },
    { "NO_COLOR=1 CLICOLOR_FORCE=1 $PTXLINT warned.ptx", 1, "warning", "", "\033" },
    { "NO_COLOR=1 $PTXLINT --color always warned.ptx", 1, "\033[1;33m", "", NULL },
    { "CLICOLOR_FORCE=1 $PTXLINT --color never warned.ptx", 1, "warning", "", "\033" },
    { "$PTXLINT --color always --format oneline warned.ptx", 1, "warning", "", "\033" },

    /* output that cannot be written */
    { "$PTXLINT warned.ptx >/dev/full", 3, "", "standard output: No space left on device", NULL },
    { "$PTXLINT --output /dev/full warned.ptx", 3, "", "/dev/full: No space left on device", NULL },
    { "$PTXLINT --help >/dev/full", 3, "", "ptxlint: standard output: ", NULL },
    { "{ $PTXLINT --help; echo $? >code; } | true; cat code; rm code", 0, "0\n", "", NULL },
    { "$PTXLINT warned.ptx >&-", 3, "", "standard output: ", NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void test_directory_is_sorted(void **state)
{
    static const char *const order[] = { "tree/a/z.ptx", "tree/b.ptx", "tree/c/d/e.ptx",
                                         "tree/lines.ptx", "tree/linked.ptx" };
    Result result = run("$PTXLINT --format oneline tree");
    const char *at = result.out;
    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (!at)
            fail_msg("%s is missing or out of order in\n%s", order[i], result.out);
    }
    result_free(&result);
}

static void test_runs_are_equal(void **state)
{
    static const char *const commands[] = { "$PTXLINT .", "$PTXLINT --format json .",
                                            "$PTXLINT report .",
                                            "$PTXLINT report --format json ." };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        Result a = run(commands[i]), b = run(commands[i]);
        assert_string_equal(a.out, b.out);
        result_free(&a);
        result_free(&b);
    }
}

/* ---- tune ------------------------------------------------------------------------------------ */

#define SHAPES "'" PTXLINT_SOURCE_ROOT "/testdata/measured/timed/shapes/shapes.ptx'"

/* Blocks of one column make a request of each lane; whole warps side by side are reported to be
 * better, and why. */
/* The scanner of YAML takes a time that grows with the square of nested brackets: nesting is looked
 * at as the file is read. */
static void test_nested_config(void **state)
{
    (void)state;
    Result text = run("printf 'rules: ' > .ptxlint.yaml; "
                      "head -c 100000 /dev/zero | tr '\\0' '[' >> .ptxlint.yaml; "
                      "cp '" PTXLINT_SOURCE_ROOT "/tests/cli/tune.ptx' .; "
                      "timeout 5 $PTXLINT check tune.ptx 2>&1; code=$?; "
                      "rm .ptxlint.yaml tune.ptx; exit $code");
    assert_int_equal(text.status, 2);
    assert_non_null(strstr(text.out, ".ptxlint.yaml:1:23: error: nested deeper than 16"));
    result_free(&text);
}

static void test_tune(void **state)
{
    (void)state;
    Result text = run("$PTXLINT tune --gpu h200 --kernel sh_blur --grid 8192,128 --block 1,64 "
                      "--param 2=8192 --param 3=8192 " SHAPES);
    assert_int_equal(text.status, 0);
    assert_non_null(strstr(text.out, "sh_blur on h200\n"));
    assert_non_null(strstr(text.out, "times as fast as now by prediction"));
    for (const char *line = text.out; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    result_free(&text);
    text = run("printf 'gpu: [h200]\nlaunch: tune.json\n' > .ptxlint.yaml; "
               "printf '{\"kernels\": {\"saxpy\": {\"grid\": [1024], \"block\": [256], \"params\": "
               "[null, null, 2.0, 262144]}}}' > tune.json; "
               "cp '" PTXLINT_SOURCE_ROOT
               "/tests/cli/tune.ptx' .; $PTXLINT tune . 2>&1; $PTXLINT tune --no-config --kernel "
               "saxpy tune.ptx 2>&1; rm .ptxlint.yaml tune.*");
    assert_non_null(strstr(text.out, "Keep the block as it is"));           /* of the config file */
    assert_non_null(strstr(text.out, "its grid and block are not given"));  /* without it */
    result_free(&text);
    Result json = run("$PTXLINT tune --gpu h200 --format json --kernel sh_blur --grid 8192,128 "
                      "--block 1,64 --param 2=8192 --param 3=8192 " SHAPES);
    json_t *document = json_loads(json.out, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(document, "schema")), "ptxlint-tune/1");
    const json_t *shapes = json_object_get(json_array_get(json_object_get(document, "kernels"), 0),
                                           "shapes"),
                 *best = json_array_get(shapes, 0);
    assert_true(json_array_size(shapes) > 30);
    assert_true(json_is_true(json_object_get(best, "is_recommended")));
    assert_true(json_integer_value(json_array_get(json_object_get(best, "block"), 0)) >= 32);
    json_decref(document);
    result_free(&json);
    json = run("$PTXLINT tune --gpu h200 --format json --kernel sh_row_softmax --grid 8192 --block "
               "256 --param 2=4096 --dynamic-shared 100000 " SHAPES);
    /* two blocks of 98 KiB on an SM; so do two of 113 */
    document = json_loads(json.out, 0, NULL);
    const json_t *variants = json_object_get(
                     json_array_get(json_object_get(document, "kernels"), 0), "variants"),
                 *shape;
    size_t at;
    json_array_foreach(
        json_object_get(json_array_get(json_object_get(document, "kernels"), 0), "shapes"), at,
        shape) if (json_is_true(json_object_get(shape, "is_given")))
        assert_int_equal(json_integer_value(json_object_get(shape, "dynamic_shared_bytes")),
                         100000);
    const json_t *more = json_array_get(variants, 0);
    assert_string_equal(json_string_value(json_object_get(more, "changes")), "dynamic_shared");
    assert_int_equal(json_integer_value(json_object_get(more, "to")), 115712);
    json_decref(document);
    result_free(&json);
    /* what cannot be read leaves the others */
    text = run("$PTXLINT tune --gpu h200 --format json --kernel sh_blur --grid 64 --block 256 "
               "gone.ptx " SHAPES " 2>&1; $PTXLINT rank --gpu h200 --kernel sh_blur "
               "--grid 64 --block 256 gone.ptx " SHAPES " 2>&1");
    assert_int_equal(text.status, 3);
    assert_non_null(strstr(text.out, "gone.ptx: No such file"));
    assert_non_null(strstr(text.out, "\"name\": \"sh_blur\""));
    assert_non_null(strstr(text.out, "predicted"));
    result_free(&text);
    text = run("$PTXLINT tune --gpu h200 " SHAPES);     /* no launch is known */
    assert_int_equal(text.status, 2);
    result_free(&text);
    text = run("$PTXLINT tune --gpu h200 --kernel nobody --grid 4 --block 64 " SHAPES " 2>&1");
    assert_int_equal(text.status, 2);
    assert_non_null(strstr(text.out, "--kernel: 'nobody' matches no kernel"));
    result_free(&text);
}

/* The block to take, as "256,1"; "": none. */
static void find_recommended(const json_t *kernel, char out[32])
{
    const json_t *shape;
    size_t at;
    out[0] = '\0';
    json_array_foreach(json_object_get(kernel, "shapes"), at, shape) {
        const json_t *block = json_object_get(shape, "block");
        if (json_is_true(json_object_get(shape, "is_recommended")))
            snprintf(out, 32, "%d,%d", (int)json_integer_value(json_array_get(block, 0)),
                     (int)json_integer_value(json_array_get(block, 1)));
    }
}

/* Of a time: the bound, the band around it, or the reason that there is none. */
static void expect_band(const json_t *one, const char *low, const char *high)
{
    const double bound = json_number_value(json_object_get(one, "bound_time_us")),
                 predicted = json_number_value(json_object_get(one, "predicted_time_us"));
    const bool is_predicted = predicted > 0;
    assert_int_equal(is_predicted, json_is_null(json_object_get(one, "why")));
    assert_int_equal(bound > 0, json_is_null(json_object_get(one, "bound_why")));
    assert_true(is_predicted || json_is_null(json_object_get(one, low)));
    if (is_predicted)
        assert_true(bound <= json_number_value(json_object_get(one, low))
                    && json_number_value(json_object_get(one, low)) <= predicted
                    && predicted <= json_number_value(json_object_get(one, high)));
}

static void expect_bands(const json_t *document)
{
    const json_t *kernel, *one;
    size_t k, at;
    json_array_foreach(json_object_get(document, "kernels"), k, kernel) {
        json_array_foreach(json_object_get(kernel, "shapes"), at, one)
            expect_band(one, "predicted_low_us", "predicted_high_us");
        json_array_foreach(json_object_get(kernel, "variants"), at, one)
            assert_true(json_number_value(json_object_get(one, "predicted_high_us"))
                        >= json_number_value(json_object_get(one, "predicted_time_us")));
    }
}

/* As often as --trip says, so long. */
static void test_trip_moves_time(void **state)
{
    double us[2] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char command[512];
        snprintf(command, sizeof command,
                 "$PTXLINT report --gpu h200 --format json --grid 132 --block 128 --trip again=%s '"
                 PTXLINT_SOURCE_ROOT "/tests/cli/counted.ptx'",
                 i ? "10000" : "1000");
        Result text = run(command);
        json_t *document = json_loads(text.out, 0, NULL);
        const json_t *file = json_array_get(json_object_get(document, "files"), 0),
                     *kernel = json_array_get(json_object_get(file, "kernels"), 0);
        us[i] = json_number_value(
            json_object_get(json_object_get(kernel, "estimate"), "predicted_time_us"));
        json_decref(document);
        result_free(&text);
    }
    assert_true(us[0] > 5 && us[1] > 7 * us[0] && us[1] < 11 * us[0]);
}

static json_t *tune_all(const char *launch)
{
    char command[512];
    snprintf(command, sizeof command,
             "$PTXLINT tune --gpu h200 --format json %s '" PTXLINT_SOURCE_ROOT
             "/tests/cli/tune.ptx'",
             launch);
    Result json = run(command);
    json_t *document = json_loads(json.out, 0, NULL);
    result_free(&json);
    expect_bands(document);
    return document;
}

static const json_t *find_named(const json_t *kernels, const char *name)
{
    const json_t *kernel;
    size_t at;
    json_array_foreach(kernels, at, kernel)
        if (!strcmp(json_string_value(json_object_get(kernel, "name")), name))
            return kernel;
    return NULL;
}

#ifdef SANITIZED
enum { FIRST_WORK = 14 };       /* the launches before take seconds, through the same code */
#else
enum { FIRST_WORK = 0 };
#endif

/* Only blocks that do the same work are recommended; where the code has the block in it, it says
 * so. */
static void test_tune_work(void **state)
{
    /* those of one launch side by side: one run does */
    static const struct { const char *kernel, *launch, *wanted, *why_not; } rows[] = {
        { "saxpyc", "--grid 4096 --block 256", "", "the code assumes 256 threads in x" },
        { "masked", "--grid 4096 --block 256", "", "uses %tid.x" },
        { "maskt", "--grid 4096 --block 256", "", "uses %tid.x" },
        { "lin2", "--grid 4096 --block 256", "", "uses %tid.x" },
        { "rq", "--grid 4096 --block 256", "", "`.reqntid 256, 1, 1` allows no other" },
        { "block_sum", "--grid 4096 --block 256", "", "threads of a block share memory (`_ZZ9block_sumE4part`, 1024 bytes: 4 for each of 256 threads)" },
        { "saxpy", "--grid 32768 --block 32 --param 3=1000000", "*", NULL },
        { "saxpyc", "--grid 32768 --block 32 --param 3=1000000", "", "256 * %ctaid.x + %tid.x, whatever %ntid.x is" },
        { "gstride", "--grid 32768 --block 32 --param 3=1000000", "*", NULL },
        { "two", "--grid 32768 --block 32 --param 3=1000000", "", "uses %tid.x" },
        { "mask2", "--grid 32768 --block 32 --param 3=1000000", "*", NULL },
        { "blockrow", "--grid 32768 --block 32 --param 3=1000000", "", "uses %tid.x" },
        { "lb", "--grid 32768 --block 32 --param 3=1000000", "*", NULL },
        { "warprow", "--grid 4096 --block 48", "", "rows of the block are not whole warps" },
        { "stencil", "--grid 8192,128 --block 1,64 --param 2=8192 --param 3=8192", "*", NULL },
        { "rowx", "--grid 64,2048 --block 32 --param 2=2048", "*", "in y line" },
        { "tile", "--grid 64,64 --block 32,8 --param 2=2048", "", "the code assumes 32 threads in x" },
        { "tilereg", "--grid 64,64 --block 32,8 --param 2=2048", "", "the code assumes 32 threads in x" },
        { "rq", "", "", "`.reqntid 256, 1, 1` allows no other" },
    };
    (void)state;
    json_t *document = NULL;
    for (size_t i = FIRST_WORK; i < sizeof rows / sizeof *rows; i++) {
        char found[32] = "";
        if (!document || strcmp(rows[i].launch, rows[i - 1].launch) != 0) {
            json_decref(document);
            document = tune_all(rows[i].launch);
        }
        const json_t *kernel = find_named(json_object_get(document, "kernels"), rows[i].kernel);
        assert_non_null(kernel);
        const char *why_not = json_string_value(json_object_get(kernel, "why_not"));
        find_recommended(kernel, found);
        bool is_wanted = rows[i].wanted[0] ? strlen(found) > 0 : !found[0];
        if (!is_wanted || !why_not != !rows[i].why_not
            || (why_not && !strstr(why_not, rows[i].why_not)))
            fail_msg("%s %s: takes '%s', '%s' wanted; %s", rows[i].kernel, rows[i].launch, found,
                     rows[i].wanted, why_not ? why_not : "no reason");
    }
    json_decref(document);
}

#define VARIANTS                                                                        \
    "'" PTXLINT_SOURCE_ROOT "/testdata/triton/5DGKU7X2/gemm.ptx' '" PTXLINT_SOURCE_ROOT \
    "/testdata/triton/CZ5OJXDV/gemm.ptx'"
#define RANK                                                                                  \
    "$PTXLINT rank --no-config --gpu h200 --grid 256 --dynamic-shared 16384 --param 3=2048 " \
    "--param 4=2048 --param 5=2048 --param 6=2048 --param 7=2048 --param 8=2048 "

static void test_rank(void **state)
{
    (void)state;
    Result text = run(RANK VARIANTS);
    assert_int_equal(text.status, 0);
    assert_non_null(strstr(text.out, "gemm on h200\n"));
    assert_non_null(strstr(text.out, "Z5OJXDV/gemm.ptx\n= "));
    assert_non_null(strstr(text.out, "a tie.\n"));
    result_free(&text);
    text = run(RANK "--csv " VARIANTS);
    assert_int_equal(text.status, 0);
    assert_non_null(strstr(text.out, "gpu,kernel,path,place,predicted_time_us,"));
    result_free(&text);
    text = run("$PTXLINT rank --no-config --gpu h200 " VARIANTS " 2>&1");
    assert_int_equal(text.status, 2);
    assert_non_null(strstr(text.out, "its grid is not given"));
    result_free(&text);
    text = run("$PTXLINT rank --no-config --gpu h200 --grid 64 --block 256 --kernel 'lin*' '"
               PTXLINT_SOURCE_ROOT "/tests/cli/tune.ptx'");
    assert_non_null(strstr(text.out, "On h200\n"));
    result_free(&text);
    text = run(RANK VARIANTS " '" PTXLINT_SOURCE_ROOT "/tests/cli/rank_errors.ptx' 2>&1");
    assert_int_equal(text.status, 3);
    assert_non_null(strstr(text.out, "kernel `broken` is not ranked: its code has errors"));
    assert_non_null(strstr(text.out, "gemm on h200\n"));
    result_free(&text);
}

static void test_rank_json(void **state)
{
    (void)state;
    Result json = run(RANK "--format json " VARIANTS);
    json_t *document = json_loads(json.out, 0, NULL);
    assert_non_null(document);
    assert_string_equal(json_string_value(json_object_get(document, "schema")), "ptxlint-rank/1");
    json_t *variants = json_object_get(document, "variants");
    assert_int_equal(json_array_size(variants), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(variants, i);
        assert_int_equal(json_integer_value(json_object_get(one, "place")), i + 1);
        assert_true(json_integer_value(json_object_get(one, "registers")) > 0);
        assert_true(json_number_value(json_object_get(one, "ratio")) >= 1);
        expect_band(one, "low_time_us", "high_time_us");
    }
    assert_true(json_is_true(json_object_get(json_array_get(variants, 1), "is_tied")));
    json_decref(document);
    result_free(&json);
}

/* Threads that the grid has more than it had access nothing, or the shape does other work. */
static void test_tune_rounding(void **state)
{
    (void)state;
    Result json = run("$PTXLINT tune --gpu h200 --format json --grid 1000 --block 256 --param "
                      "3=300000 '" PTXLINT_SOURCE_ROOT "/tests/cli/tune.ptx' --kernel 'saxpy'");
    json_t *document = json_loads(json.out, 0, NULL);
    const json_t *shape, *shapes = json_object_get(
                             json_array_get(json_object_get(document, "kernels"), 0), "shapes");
    size_t at;
    unsigned others = 0;
    json_array_foreach(shapes, at, shape) {
        long long threads = json_integer_value(json_array_get(json_object_get(shape, "block"), 0))
                            * json_integer_value(json_array_get(json_object_get(shape, "grid"), 0));
        bool is_other = !strcmp(json_string_value(json_object_get(shape, "work")), "other");
        others += is_other;
        assert_int_equal(!strcmp(json_string_value(json_object_get(shape, "work")), "same"),
                         threads == 256000);
        assert_int_equal(is_other, json_is_null(json_object_get(shape, "predicted_time_us")));
    }
    assert_true(others > 0);
    json_decref(document);
    result_free(&json);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* keys: names with a space between; null is a value like others. */
static void expect_keys(const json_t *object, const char *keys)
{
    char copy[512], *rest = NULL;
    assert_true(strlen(keys) < sizeof copy);
    strcpy(copy, keys);
    for (char *key = strtok_r(copy, " ", &rest); key; key = strtok_r(NULL, " ", &rest))
        if (!json_object_get(object, key))
            fail_msg("no key %s", key);
}

static void test_diagnostics_json(void **state)
{
    json_t *root = run_json("$PTXLINT --format json two.ptx lines.ptx noted.ptx", 1);
    json_t *all = json_object_get(root, "diagnostics"), *one = json_array_get(all, 0);
    (void)state;
    assert_string_equal(text_at(root, "schema"), "ptxlint-diagnostics/1");
    assert_string_equal(text_at(json_object_get(root, "tool"), "name"), "ptxlint");
    assert_int_equal(json_array_size(all), 3);
    expect_keys(one, "rule name severity message path line column end_line end_column kernel "
                     "certainty group label help related "
                     "source repeats");
    assert_string_equal(text_at(one, "rule"), "COR101");
    assert_string_equal(text_at(one, "severity"), "warning");
    assert_string_equal(text_at(one, "path"), "two.ptx");
    assert_string_equal(text_at(one, "kernel"), "other");
    assert_true(json_is_null(json_object_get(one, "source")));
    json_t *source = json_object_get(json_array_get(all, 1), "source");
    assert_string_equal(text_at(source, "path"), "kernel.cu");
    assert_int_equal(json_integer_value(json_object_get(source, "line")), 2);
    assert_string_equal(text_at(json_array_get(all, 2), "severity"), "note");
    json_decref(root);
}

static void test_report_json(void **state)
{
    json_t *root = run_json("$PTXLINT report --select OCC103 --format json --gpu h200 --launch "
                            "launches.json clean.ptx called.ptx noted.ptx",
                            0);
    json_t *all = json_object_get(root, "files"), *file = json_array_get(all, 0);
    json_t *kernel = json_array_get(json_object_get(file, "kernels"), 0);
    (void)state;
    expect_keys(root, "schema tool gpu files diagnostics");
    assert_string_equal(text_at(root, "schema"), "ptxlint-report/1");
    assert_string_equal(text_at(json_object_get(root, "gpu"), "name"), "h200");
    assert_string_equal(text_at(json_object_get(root, "gpu"), "sm"), "sm_90");
    assert_int_equal(json_array_size(json_object_get(root, "diagnostics")), 1);
    expect_keys(file, "path ptx_version target address_size kernels functions");
    assert_string_equal(text_at(file, "ptx_version"), "8.0");
    expect_keys(kernel,
                "name line launch registers occupancy accesses estimate mix loops cfg resources");
    expect_keys(json_object_get(kernel, "launch"), "grid block dynamic_shared source");
    expect_keys(json_object_get(kernel, "registers"),
                "predicted low high max_live max_live_line source max_live_predicates live");
    expect_keys(json_object_get(kernel, "occupancy"),
                "blocks_per_sm warps_per_sm percent limiter limiters");
    expect_keys(json_object_get(kernel, "estimate"),
                "warp_instructions flops_fp32 flops_fp64 flops_fp16 flops_tensor dram_bytes "
                "bound_time_us predicted_time_us limiter");
    expect_keys(json_object_get(kernel, "mix"),
                "instructions classes fused fusable fma_fraction weighted_fma_fraction");
    expect_keys(json_object_get(kernel, "resources"),
                "static_shared_bytes local_bytes param_bytes maxntid reqntid minnctapersm maxnreg");
    expect_keys(json_object_get(kernel, "cfg"), "blocks edges unreachable");
    expect_keys(json_array_get(json_object_get(kernel, "accesses"), 0),
                "line space op bytes active_threads sectors_per_request ideal_sectors_per_request "
                "wavefronts_per_request "
                "ideal_wavefronts_per_request certainty why");
    assert_int_equal(json_integer_value(json_object_get(kernel, "line")), 4);
    assert_string_equal(text_at(json_object_get(kernel, "launch"), "source"), "file");
    assert_int_equal(json_integer_value(json_array_get(
                         json_object_get(json_object_get(kernel, "launch"), "grid"), 1)),
                     2);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(kernel, "launch"), "dynamic_shared")),
        64);
    assert_true(json_is_null(json_object_get(json_object_get(kernel, "resources"), "reqntid")));
    json_t *called = json_array_get(all, 1);
    assert_int_equal(json_array_size(json_object_get(called, "kernels")), 1);
    assert_string_equal(text_at(json_array_get(json_object_get(called, "functions"), 0), "name"),
                        "helper");
    json_decref(root);
}

/* Neither the PTX nor the names of its files are always UTF-8; JSON always is. */
static void test_odd_bytes_are_valid_json(void **state)
{
    char bytes[4096];
    uint32_t random = 1;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = (char)(random >> 24);
    }
    write_file("odd\377.ptx", bytes, sizeof bytes);
    json_decref(run_json("$PTXLINT --format json odd*.ptx", 1));
    json_decref(run_json("$PTXLINT report --format json odd*.ptx", 0));
    /* a document even so */
    json_t *root = run_json("$PTXLINT --format json none.ptx; test $? = 3", 0);
    assert_int_equal(json_array_size(json_object_get(root, "diagnostics")), 0);
    json_decref(root);
    Result result = run("$PTXLINT odd*.ptx");
    for (const char *p = result.out; *p; p++)
        if ((unsigned char)*p < 0x20 && *p != '\n')
            fail_msg("control character %d at byte %d", *p, (int)(p - result.out));
    result_free(&result);
    remove("odd\377.ptx");
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length > longest)
            longest = length;
    }
    return longest;
}

static void test_long_lines_are_cut(void **state)
{
    size_t length = 400000;
    char *text = malloc(length + 200), *at;
    (void)state;
    assert_non_null(text);
    at = text + sprintf(text, HEAD ".global .u32 table[100000] = {");
    memset(at, ' ', length - (size_t)(at - text));
    strcpy(text + length, "1, 2 3, 4};\n");
    write_file("long.ptx", text, length + strlen(text + length));
    free(text);
    Result result = run("$PTXLINT long.ptx");
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.out, "4 | ..."));
    assert_non_null(strstr(result.out, "1, 2 3, 4};"));
    assert_true(longest_line(result.out) < 200);
    result_free(&result);
    remove("long.ptx");
}

/* A limit that keeps some of the input from being read is worth more than the error that it is. */
static void test_cut_short(void **state)
{
    char text[4096] = HEAD ".visible .entry deep()\n" BOUNDS "{\n";
    size_t length = strlen(text);
    (void)state;
    memset(text + length, '{', 1000);
    memset(text + length + 1000, '}', 1001);
    write_file("deep.ptx", text, length + 2001);
    Result result = run("$PTXLINT --only correctness deep.ptx");
    assert_int_equal(result.status, 3);
    result_free(&result);
    result = run("$PTXLINT --only syntax deep.ptx");
    assert_int_equal(result.status, 3);
    assert_non_null(strstr(result.out, "error[LIM101]"));
    result_free(&result);
    remove("deep.ptx");
}

/* ---- what stdout is -------------------------------------------------------------------------- */

/* Runs the program with out as stdout; arguments end with NULL. */
static int run_with_stdout(int out, const char *const *arguments)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int err = open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execv(getenv("PTXLINT"), (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_closed_pipe(void **state)
{
    static const char *const commands[][5] = {
        { "ptxlint", "report", "--format", "json", "clean.ptx" },
        { "ptxlint", "--format", "oneline", "noted.ptx", "clean.ptx" },
        { "ptxlint", "--help" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *arguments[6] = { 0 };
        int ends[2];
        memcpy(arguments, commands[i], sizeof commands[i]);
        assert_int_equal(pipe(ends), 0);
        close(ends[0]);
        assert_int_equal(run_with_stdout(ends[1], arguments), 0);
        close(ends[1]);
        char *err = read_file(".err", NULL);
        assert_string_equal(err, "");
        free(err);
    }
}

static bool is_coloured_on_terminal(void)
{
    const char *const arguments[] = { "ptxlint", "warned.ptx", NULL };
    char text[4096];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
    int out = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(out >= 0);
    assert_int_equal(run_with_stdout(out, arguments), 1);
    /* one read: less than the terminal's buffer */
    ssize_t length = read(terminal, text, sizeof text - 1);
    close(out);
    close(terminal);
    assert_true(length > 0);
    text[length] = 0;
    assert_non_null(strstr(text, "COR101"));
    return strchr(text, '\033');
}

static void test_terminal_colours(void **state)
{
    (void)state;
    setenv("TERM", "xterm", 1);
    assert_true(is_coloured_on_terminal());
    setenv("NO_COLOR", "1", 1);
    assert_false(is_coloured_on_terminal());
    setenv("NO_COLOR", "", 1);                  /* empty: as if not set */
    assert_true(is_coloured_on_terminal());
    setenv("TERM", "dumb", 1);
    assert_false(is_coloured_on_terminal());
    unsetenv("NO_COLOR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_directory_is_sorted),
        cmocka_unit_test(test_runs_are_equal),
        cmocka_unit_test(test_diagnostics_json),
        cmocka_unit_test(test_report_json),
        cmocka_unit_test(test_odd_bytes_are_valid_json),
        cmocka_unit_test(test_trip_moves_time),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_terminal_colours),
        cmocka_unit_test(test_nested_config), cmocka_unit_test(test_tune),
        cmocka_unit_test(test_tune_work),
        cmocka_unit_test(test_tune_rounding), cmocka_unit_test(test_rank),
        cmocka_unit_test(test_rank_json),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
