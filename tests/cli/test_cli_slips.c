/* test_cli_slips.c -- slips on the command line: what is wrong, the nearest right thing, the
 * exit code. */
#include "program.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const File files[] = {
    { "x.ptx", HEAD ".visible .entry k()\n{\n\tret;\n}\n" },
    { "two.ptx", HEAD ".visible .entry copy()\n{\n\tret;\n}\n"
                      ".visible .entry scale()\n{\n\tret;\n}\n" },
    { "rq.ptx", HEAD ".visible .entry k() .reqntid 64\n{\n\tret;\n}\n" },
    { "new.ptx", ".version 8.0\n.target sm_999\n.address_size 64\n"
                 ".visible .entry k()\n{\n\tret;\n}\n" },
    { "empty.ptx", "" },
    { "blank.ptx", " \n\t\n" },
    { "k.cu", "// a kernel\n/* of\n   ours */\n__global__ void k() {}\n" },
    { "c.cuh", "#include <cuda.h>\n" },
    { "b.ptx", "\177ELF" },
    { "comment.ptx", "// #include\n" HEAD },
    { "dir/readme", "" },
};

static const Case cases[] = {
    /* commands and their subcommands */
    { "$PTXLINT baseline wrte x.ptx", 2, "",
      "ptxlint: baseline: 'wrte' is not one of write, prune; did you mean write?\n", NULL },
    { "$PTXLINT baseline write", 2, "", "baseline: missing subcommand or PATH", NULL },
    { "$PTXLINT budget intt x.ptx", 2, "", "did you mean init?\n", NULL },
    { "$PTXLINT config shw", 2, "", "did you mean show?\n", NULL },
    { "$PTXLINT schema bugdet", 2, "",
      "ptxlint: schema: 'bugdet' is not one of annotation, baseline, budget, calibrate, config, "
      "diagnostics, diff, gpu-measure, graph, launch, recognition, report, rules, verify; did you "
      "mean "
      "budget?\n", NULL },
    { "$PTXLINT schema xyzzy", 2, "", "graph, launch, recognition, report, rules, verify\n", NULL },
    { "$PTXLINT schema report x", 2, "", "ptxlint: x: schema takes one NAME\n", NULL },
    { "$PTXLINT completions bsh", 2, "",
      "ptxlint: completions: 'bsh' is not one of bash, zsh, fish; did you mean bash?\n", NULL },
    { "$PTXLINT completions bash zsh", 2, "",
      "ptxlint: zsh: completions takes one of bash, zsh, fish\n", NULL },
    { "$PTXLINT gpu h20", 2, "", "did you mean h200? `ptxlint gpu` lists them all\n", NULL },
    { "$PTXLINT isa ad", 2, "", "did you mean add? `ptxlint isa --list` lists them all\n", NULL },
    { "$PTXLINT isa mma.snyc", 2, "", "did you mean .sync?", NULL },
    { "$PTXLINT explain bank-conflit", 2, "", "did you mean bank-conflict?", NULL },
    { "$PTXLINT xyz x", 3, "", "ptxlint: xyz: No such file", NULL },
    { "$PTXLINT lsp x", 2, "", "ptxlint: lsp takes no further words\n", NULL },
    { "$PTXLINT lsp --format json", 2, "", "ptxlint: --format: unknown option of lsp", NULL },
    { "$PTXLINT lsp --stdio </dev/null", 1, "", "", NULL },
    { "$PTXLINT chek x.ptx", 2, "",
      "ptxlint: chek: no such file; did you mean the command `check`?\n", NULL },
    { "$PTXLINT help chek", 2, "", "ptxlint: help: 'chek' is no command; did you mean check?\n",
      NULL },
    { "$PTXLINT help xyzzy", 2, "", "'xyzzy' is no command; ptxlint --help lists them\n", NULL },
    { "$PTXLINT --gpu H200,SM_80 x.ptx", 0, "", "", NULL },
    { "$PTXLINT reprot x.ptx", 2, "", "did you mean the command `report`?\n", NULL },
    { "touch chek && $PTXLINT chek", 1, "the input is empty", "", NULL },
    { "$PTXLINT ./reprot", 3, "", "ptxlint: ./reprot: No such file", NULL },
    { "$PTXLINT version", 2, "", "did you mean --version?\n", NULL },

    { "$PTXLINT graph", 2, "", "ptxlint: graph: missing FILE\n", NULL },
    { "$PTXLINT graph two.ptx", 2, "",
      "ptxlint: graph: 2 kernels could be meant, as copy, scale; name one with --kernel\n", NULL },
    { "$PTXLINT graph --kernel scael two.ptx", 2, "", "did you mean `scale`?", NULL },
    { "$PTXLINT graph --kernel scale --format dto two.ptx", 2, "",
      "ptxlint: --format: 'dto' is not one of svg, dot, json; did you mean dot?\n", NULL },
    { "$PTXLINT graph --kernel scale --format dot two.ptx", 0, "digraph \"Control flow of scale\"",
      "", NULL },
    { "$PTXLINT graph x.ptx", 0, "<svg class=\"graph\"", "", NULL },
    { "$PTXLINT graph comment.ptx", 2, "", "ptxlint: graph: the input has no kernel", NULL },

    /* rules and groups */
    { "$PTXLINT --only XYZ999 x.ptx", 2, "",
      "'XYZ999' is not a group of rules; --select takes rules; `ptxlint rules` lists both\n",
      NULL },
    { "$PTXLINT --only mem201 x.ptx", 2, "", "--select takes single ones, as MEM201\n", NULL },
    { "$PTXLINT --only throughpt x.ptx", 2, "", "did you mean throughput?\n", NULL },
    { "$PTXLINT --select MEM2O1 x.ptx", 2, "", "did you mean 'MEM201'?\n", NULL },
    { "$PTXLINT explain MEM2O1", 2, "", "did you mean MEM201?", NULL },

    /* values */
    { "$PTXLINT --gpu h20 x.ptx", 2, "", "did you mean h200?", NULL },
    { "$PTXLINT --block 16x16 x.ptx", 2, "", "; did you mean 16,16?\n", NULL },
    { "$PTXLINT --grid 1x65536 x.ptx", 2, "", "with commas between\n", NULL },
    { "$PTXLINT --grid -1 x.ptx", 2, "", "--grid: '-1' is not one to three whole numbers", NULL },
    { "$PTXLINT --format jsn x.ptx", 2, "", "; did you mean json?\n", NULL },
    { "$PTXLINT --color alwys x.ptx", 2, "", "; did you mean always?\n", NULL },
    { "$PTXLINT --primary sorce x.ptx", 2, "", "; did you mean source?\n", NULL },
    { "$PTXLINT --primary xyz x.ptx", 2, "", "'xyz' is not one of auto, ptx, source\n", NULL },
    { "$PTXLINT --jobs x x.ptx", 2, "", "--jobs: 'x' is not a whole number from 0 to 256\n", NULL },
    { "$PTXLINT --param n x.ptx", 2, "", "'n' is not POSITION=VALUE or NAME=VALUE", NULL },

    /* options */
    { "$PTXLINT x.ptx --gpu", 2, "", "ptxlint: --gpu: missing argument\n", NULL },
    { "$PTXLINT --selct MEM201 x.ptx", 2, "", "did you mean --select?\n", NULL },
    { "$PTXLINT report --statistics x.ptx", 2, "",
      "--statistics: unknown option of report; `ptxlint check` has it\n", NULL },
    { "$PTXLINT --xyzzy x.ptx", 2, "", "ptxlint: --xyzzy: unknown option\n", NULL },
    { "$PTXLINT --selct=MEM201 x.ptx", 2, "", "did you mean --select?\n", NULL },
    { "$PTXLINT report --lauch=l.json x.ptx", 2, "", "did you mean --launch?\n", NULL },
    { "$PTXLINT report --statistics=1 x.ptx", 2, "", "; `ptxlint check` has it\n", NULL },
    { "$PTXLINT --quiet=1 x.ptx", 2, "", "--quiet=1: option does not take an argument\n", NULL },
    { "$PTXLINT --rules= x.ptx", 2, "", "ptxlint: --rules: its value is empty\n", NULL },
    { "$PTXLINT --launch '' x.ptx", 2, "", "ptxlint: --launch: its value is empty\n", NULL },
    { "$PTXLINT --kernel= x.ptx", 2, "", "ptxlint: --kernel: its value is empty\n", NULL },
    { "$PTXLINT budget init --output= x.ptx", 2, "", "--output: its value is empty\n", NULL },
    { "$PTXLINT lsp --select MEM2O1 </dev/null", 2, "", "did you mean 'MEM201'?\n", NULL },
    { "$PTXLINT lsp --gpu h20 </dev/null", 2, "", "did you mean h200?", NULL },

    /* an input is not written over */
    { "$PTXLINT report --output x.ptx x.ptx; code=$?; grep -q entry x.ptx && exit $code", 2, "",
      "ptxlint: x.ptx: this is an input, and would be overwritten\n", NULL },
    { "$PTXLINT --format json=./x.ptx x.ptx", 2, "", "./x.ptx: this is an input", NULL },
    { "$PTXLINT baseline write --baseline x.ptx x.ptx", 2, "", "x.ptx: this is an input", NULL },

    /* launches that fail, and GPUs that no file describes */
    { "$PTXLINT tune --gpu h200 --grid 4 --block 256 rq.ptx", 0,
      "256      4         not known: the block is not that of .reqntid\n", "", NULL },
    { "$PTXLINT tune --gpu h200 --grid 4 --block 256 --format json rq.ptx", 0,
      "\"why\": \"the block is not that of .reqntid\"", "", NULL },
    { "$PTXLINT check --gpu h200 --grid 4 --block 256 --format json rq.ptx", 1,
      "\"gain_percent\":null", "", "of the predicted time" },
    { "$PTXLINT tune --grid 4 --block 256 new.ptx", 0,
      "k on an unknown GPU\n  No other block is compared: no file describes the GPU", "", NULL },
    { "$PTXLINT tune --gpu h200,v100 --grid 4 --block 256 x.ptx", 0, "\nk on v100\n", "", NULL },
    { "$PTXLINT tune --gpu h200 --grid 4 --block 64 --cluster 2 x.ptx", 0,
      "No other block is compared: blocks of a cluster may work together", "", NULL },
    { "$PTXLINT rank --grid 4 --block 256 new.ptx new.ptx", 2, "",
      "ptxlint: new.ptx: no file describes the GPU of its target; give --gpu\n", NULL },

    /* inputs */
    { "$PTXLINT dir", 2, "", "ptxlint: dir: holds no .ptx file\n", NULL },
    { "$PTXLINT empty.ptx", 1, "the input is empty: a PTX module begins with .version", "", NULL },
    { "$PTXLINT blank.ptx", 1, "the input is empty", "", NULL },
    { "$PTXLINT - </dev/null", 1, "the input is empty", "", NULL },
    { "$PTXLINT - <&-", 3, "", "ptxlint: -: Bad file descriptor\n", NULL },
    { "$PTXLINT k.cu", 3, "", "k.cu: is CUDA C++, not PTX; `nvcc -ptx -lineinfo k.cu` makes some\n", NULL },
    { "cp k.cu k.txt; $PTXLINT k.txt", 1, "this is CUDA or C++ source, not PTX\n --> k.txt:4:1", "",
      NULL },
    { "$PTXLINT - <c.cuh", 1, "compile it first: `nvcc -ptx -lineinfo FILE.cu`", "", NULL },
    { "$PTXLINT b.ptx", 1, "this is an ELF file", "", NULL },
    { "cp b.ptx b; $PTXLINT b", 3, "", "b: holds no GPU code, so no PTX\n", NULL },
    { "$PTXLINT comment.ptx", 0, "", "", NULL },
    { "$PTXLINT x.ptx none.ptx", 3, NULL, "ptxlint: none.ptx: No such file", NULL },
    { "$PTXLINT none.ptx k.cu", 3, "", "ptxlint: none.ptx: No such file", NULL },
    { "test \"$(id -u)\" = 0 || { chmod 0 x.ptx && $PTXLINT x.ptx; test $? = 3; }", 0, "", NULL,
      NULL },
};

static int setup(void **state)
{
    static const char *const folders[] = { "dir", NULL };
    (void)state;
    return enter_folder(folders, files, sizeof files / sizeof *files);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

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
