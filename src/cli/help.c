/* help.c -- the options of each command, and what --help says. */
#include "cli/cli.h"

#include <stdio.h>

const char *const ptx_command_words[COMMAND__COUNT] = { "check", "report", "gpu" };

enum { SETTING_BLOCK, SETTING_GRID, SETTING_CLUSTER, SETTING_DYNAMIC_SHARED, SETTING_PARAM, SETTING_TRIP };

const SettingName ptx_setting_names[SETTING_COUNT] = {
    [SETTING_BLOCK]          = { "--block", "block" },
    [SETTING_GRID]           = { "--grid", "grid" },
    [SETTING_CLUSTER]        = { "--cluster", "cluster" },
    [SETTING_DYNAMIC_SHARED] = { "--dynamic-shared", "dynamic_shared" },
    [SETTING_PARAM]          = { "--param", "param" },
    [SETTING_TRIP]           = { "--trip", "trip" },
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

#define TEXT_OPTION(name, code, what, argument) { name, '\0', POPT_ARG_STRING, NULL, code, what, argument }
#define FLAG_OPTION(name, code, what) { name, '\0', POPT_ARG_NONE, NULL, code, what, NULL }

/* options.c gives a bare --ptxas the value "": popt would take the next word for it. */
#define INPUT_OPTIONS \
    TEXT_OPTION("gpu", OPT_GPU, "For these GPUs or targets, as h200 or sm_90, or of a file FILE.yaml; may be repeated " \
                "(default: what .target says)", "NAME[,NAME]"), \
    TEXT_OPTION("launch", OPT_LAUNCH, "JSON file that says how kernels are launched", "FILE"), \
    TEXT_OPTION("block", OPT_SETTING + SETTING_BLOCK, "Threads of a block, for every kernel", "X[,Y[,Z]]"), \
    TEXT_OPTION("grid", OPT_SETTING + SETTING_GRID, "Blocks of the grid, for every kernel", "X[,Y[,Z]]"), \
    TEXT_OPTION("cluster", OPT_SETTING + SETTING_CLUSTER, "Blocks of a cluster, for every kernel", "X[,Y[,Z]]"), \
    TEXT_OPTION("dynamic-shared", OPT_SETTING + SETTING_DYNAMIC_SHARED, \
                "Dynamic shared memory of a block, as 49152 or 48k", "BYTES"), \
    TEXT_OPTION("param", OPT_SETTING + SETTING_PARAM, \
                "Value of a kernel parameter, by position from 0 or by name; may be repeated", "NAME=VALUE"), \
    TEXT_OPTION("trip", OPT_SETTING + SETTING_TRIP, "The loop at LABEL makes N iterations; may be repeated", "LABEL=N"), \
    TEXT_OPTION("ptxas-log", OPT_PTXAS_LOG, "Registers and spills from what ptxas -v, or nvcc -Xptxas -v, has printed; " \
                "may be repeated", "FILE"), \
    { "ptxas", '\0', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_PTXAS, \
      "Run ptxas on each input for them (default: the one that is installed)", "PATH" }, \
    TEXT_OPTION("kernel", OPT_KERNEL, "Only kernels whose name matches, * and ? as in a shell", "GLOB")

#define OUTPUT_OPTIONS \
    TEXT_OPTION("color", OPT_COLOR, "auto (default), always or never", "WHEN"), \
    TEXT_OPTION("output", OPT_OUTPUT, "Write to FILE instead of standard output", "FILE"), \
    FLAG_OPTION("help", OPT_HELP, "Show this help"), \
    FLAG_OPTION("version", OPT_VERSION, "Show the version"), \
    POPT_TABLEEND

static const struct poptOption check_table[] = {
    TEXT_OPTION("format", OPT_FORMAT, "How to write: text (default), oneline or json", "FORMAT"),
    INPUT_OPTIONS,
    TEXT_OPTION("only", OPT_ONLY, "Only these groups of findings: syntax, limit, correctness, throughput, launch", "GROUP[,GROUP]"),
    FLAG_OPTION("quiet", OPT_QUIET, "No summary line"),
    OUTPUT_OPTIONS
};

static const struct poptOption report_table[] = {
    TEXT_OPTION("format", OPT_FORMAT, "How to write: text (default), json or csv", "FORMAT"),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    INPUT_OPTIONS,
    TEXT_OPTION("only", OPT_ONLY, "In json, only these groups of findings (see ptxlint check --help)", "GROUP[,GROUP]"),
    FLAG_OPTION("quiet", OPT_QUIET, "Accepted for symmetry with check; changes nothing"),
    OUTPUT_OPTIONS
};

static const struct poptOption gpu_table[] = {
    TEXT_OPTION("format", OPT_FORMAT, "How to write: text (default), json or csv", "FORMAT"),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    OUTPUT_OPTIONS
};

const struct poptOption *const ptx_option_tables[COMMAND__COUNT] = { check_table, report_table, gpu_table };

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static const char paths_help[] =
    "\nPATH is a PTX file, a directory (all *.ptx below it), a pattern in quotes, or - for\n"
    "standard input.\n";

static const char names_help[] =
    "\nNAME is a GPU or target, as h200 or sm_90, or a file FILE.yaml. Without one all that are\n"
    "known are listed.\n";

static const char commands_help[] =
    "\nCOMMANDS\n"
    "  check     look for mistakes and slow code (the default command)\n"
    "  report    figures for each kernel: registers, memory, occupancy, instruction mix, loops\n"
    "  gpu       what is known of GPUs, with its sources\n"
    "ptxlint COMMAND --help says more.\n";

static const char *const examples[COMMAND__COUNT] = {
    "\nEXAMPLES\n"
    "  ptxlint kernel.ptx\n"
    "  nvcc -ptx -lineinfo saxpy.cu -o - | ptxlint -\n"
    "  ptxlint --only syntax,correctness --format oneline build/\n"
    "  ptxlint --gpu h200 --launch launches.json --format json kernel.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint report kernel.ptx\n"
    "  ptxlint report --kernel 'gemm_*' --gpu sm_90 build/\n"
    "  ptxlint report --gpu a100,h200 --grid 4096 --block 256 --param n=1048576 saxpy.ptx\n"
    "  ptxlint report --ptxas --csv build/ > figures.csv\n"
    "  ptxlint report --format json --gpu h200 --launch launches.json kernel.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint gpu\n"
    "  ptxlint gpu a100 h200\n"
    "  ptxlint gpu --format json ./my-gpu.yaml\n",
};

static const char check_codes[] =
    "\nEXIT CODES\n"
    "  0  nothing found, or notes alone\n"
    "  1  a warning or an error was found\n"
    "  2  usage: an unknown option, value, GPU or kernel, a bad launch file, GPU file or log, no\n"
    "     ptxas, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char report_codes[] =
    "\nEXIT CODES\n"
    "  0  done, whatever was found\n"
    "  2  usage: an unknown option, value, GPU or kernel, a bad launch file, GPU file or log, no\n"
    "     ptxas, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char gpu_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value or GPU, a bad GPU file\n"
    "  3  a file is unreadable, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char *const codes[COMMAND__COUNT] = { check_codes, report_codes, gpu_codes };

void ptx_help_print(const Options *options)
{
    poptPrintHelp(options->popt, stdout, 0);
    fputs(options->command == COMMAND_GPU ? names_help : paths_help, stdout);
    if (!options->has_command)
        fputs(commands_help, stdout);
    fputs(examples[options->command], stdout);
    fputs(codes[options->command], stdout);
}
