/* help.c -- the options of each command, and what --help says. */
#include "cli/cli.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ptx_command_words[COMMAND__COUNT] = {
    "check", "fix", "report", "gpu",      "explain", "rules", "config",      "isa",
    "tune",  "rank",   "schema", "baseline", "budget",  "diff",   "mcp", "completions",
    "manual", "lsp", "extract", "launch", "merge", "annotate", "graph",
    "occupancy", "optspace", "verify", "recognize", "calibrate"
};

const char *const ptx_command_usage[COMMAND__COUNT] = {
    "[OPTIONS] PATH...",
    "[OPTIONS] PATH...",
    "[OPTIONS] PATH...",
    "[OPTIONS] [NAME...] | measure",
    "[OPTIONS] RULE...",
    "[OPTIONS]",
    "[OPTIONS] show [PATH] | files [PATH] | init [DIR]",
    "[OPTIONS] [OPCODE[.MODIFIERS]...]",
    "[OPTIONS] PATH...",
    "[OPTIONS] PATH...",
    "[OPTIONS] [NAME]",
    "[OPTIONS] write PATH... | prune PATH...",
    "[OPTIONS] init PATH...",
    "[OPTIONS] OLD NEW | --git BASE [PATH...] -- COMMAND...",
    "[OPTIONS]",
    "[OPTIONS] bash|zsh|fish",
    "[OPTIONS]",
    "[OPTIONS]",
    "[OPTIONS] FILE",
    "[OPTIONS] init PATH... | record [--] PROGRAM [ARG...]",
    "[OPTIONS] REPORT...",
    "[OPTIONS] PATH...",
    "[OPTIONS] FILE",
    "[OPTIONS]",
    "[OPTIONS] PATH...",
    "[OPTIONS] --measured FILE PATH...",
    "[OPTIONS] FILE...",
    "[OPTIONS] --measured FILE --gpu NAME PATH...",
};

const char *const ptx_format_words[FORMAT__COUNT] = {
    [FORMAT_TEXT] = "text", [FORMAT_ONELINE] = "oneline", [FORMAT_JSON] = "json", [FORMAT_JSONL] = "jsonl", [FORMAT_SARIF] = "sarif",
    [FORMAT_GITHUB] = "github", [FORMAT_GITLAB] = "gitlab", [FORMAT_CHECKSTYLE] = "checkstyle", [FORMAT_JUNIT] = "junit",
    [FORMAT_RDJSON] = "rdjson", [FORMAT_RDJSONL] = "rdjsonl", [FORMAT_MARKDOWN] = "markdown", [FORMAT_CSV] = "csv",
    [FORMAT_HTML] = "html", [FORMAT_DOT] = "dot", [FORMAT_SVG] = "svg",
};

#define CHECK_FORMATS                                                                         \
    "text, oneline, json, jsonl, sarif, github, gitlab, checkstyle, junit, rdjson, rdjsonl, " \
    "markdown, csv"
#define TABLE_FORMATS "text, json, csv"
#define PAGE_FORMATS "text, json, markdown"
#define PLAIN_FORMATS "text, json"
#define VERIFY_FORMATS "text, json, csv, markdown"
#define GRAPH_FORMATS "svg, dot, json"
#define REPORT_FORMATS TABLE_FORMATS ", markdown, html"
#define DIFF_FORMATS PAGE_FORMATS ", html"

const char *const ptx_command_formats[COMMAND__COUNT] = {
    [COMMAND_CHECK] = CHECK_FORMATS, [COMMAND_FIX] = CHECK_FORMATS,
    [COMMAND_REPORT] = REPORT_FORMATS, [COMMAND_GPU] = TABLE_FORMATS,
    [COMMAND_ANNOTATE] = PLAIN_FORMATS,
    [COMMAND_EXPLAIN] = PAGE_FORMATS,
    [COMMAND_RULES] = PAGE_FORMATS, [COMMAND_CONFIG] = PLAIN_FORMATS, [COMMAND_ISA] = PAGE_FORMATS, [COMMAND_TUNE] = PLAIN_FORMATS,
    [COMMAND_RANK] = TABLE_FORMATS,
    [COMMAND_DIFF] = DIFF_FORMATS, [COMMAND_MERGE] = CHECK_FORMATS,
    [COMMAND_GRAPH] = GRAPH_FORMATS,
    [COMMAND_OCCUPANCY] = TABLE_FORMATS, [COMMAND_OPTSPACE] = TABLE_FORMATS,
    [COMMAND_VERIFY] = VERIFY_FORMATS,
    [COMMAND_RECOGNIZE] = PLAIN_FORMATS, [COMMAND_CALIBRATE] = PLAIN_FORMATS,
};

enum {
    SETTING_BLOCK,
    SETTING_GRID,
    SETTING_CLUSTER,
    SETTING_DYNAMIC_SHARED,
    SETTING_PARAM,
    SETTING_TRIP
};

const SettingName ptx_setting_names[SETTING_COUNT] = {
    [SETTING_BLOCK]          = { "--block", "block" },
    [SETTING_GRID]           = { "--grid", "grid" },
    [SETTING_CLUSTER]        = { "--cluster", "cluster" },
    [SETTING_DYNAMIC_SHARED] = { "--dynamic-shared", "dynamic_shared" },
    [SETTING_PARAM]          = { "--param", "param" },
    [SETTING_TRIP]           = { "--trip", "trip" },
};

const SettingName ptx_choice_names[CHOICE_COUNT] = {
    [CHOICE_SELECT]    = { "--select", "select" },
    [CHOICE_IGNORE]    = { "--ignore", "ignore" },
    [CHOICE_SEVERITY]  = { "--severity", "severity" },
    [CHOICE_KERNEL]    = { "--per-kernel-ignore", "per-kernel-ignore" },
    [CHOICE_THRESHOLD] = { "--threshold", "threshold" },
    [CHOICE_PREVIEW]   = { "--preview", "preview" },
    [CHOICE_PRESET]    = { "--preset", "preset" },
};

const char *const ptx_command_what[COMMAND__COUNT] = {
    [COMMAND_CHECK] = "find mistakes and slow code",
    [COMMAND_FIX] = "repair what can be repaired, in the files",
    [COMMAND_REPORT] = "all kernels, slowest first; figures of each: occupancy, loops",
    [COMMAND_GPU] = "figures of GPUs, with sources",
    [COMMAND_EXPLAIN] = "a rule's page: why, examples, how to suppress it",
    [COMMAND_RULES] = "all rules, and the facts that conditions use",
    [COMMAND_CONFIG] = "effective settings, and a first .ptxlint.yaml",
    [COMMAND_ISA] = "the instructions of PTX: syntax, meaning, versions, speed",
    [COMMAND_TUNE] = "compare block sizes for a launch",
    [COMMAND_RANK] = "variants of a kernel, fastest by prediction first",
    [COMMAND_SCHEMA] = "JSON Schemas of documents and files",
    [COMMAND_BASELINE] = "record the findings of today, so that only new ones count",
    [COMMAND_BUDGET] = "write a first budget: limits on registers, spills, times",
    [COMMAND_DIFF] = "compare two versions: new findings, better and worse figures",
    [COMMAND_MCP] = "serve agents over the Model Context Protocol",
    [COMMAND_COMPLETIONS] = "completions of the command line for a shell",
    [COMMAND_MANUAL] = "the manual page",
    [COMMAND_LSP] = "the language server, for editors",
    [COMMAND_EXTRACT] = "write the PTX in a program, library or fatbin to files",
    [COMMAND_LAUNCH] = "write a launch file: of kernels, or of what a program launches",
    [COMMAND_MERGE] = "make one document of those that --shard wrote",
    [COMMAND_ANNOTATE] = "code with figures beside it: live registers, executions, time",
    [COMMAND_GRAPH] = "the control flow of a kernel as a picture; what instructions need",
    [COMMAND_OCCUPANCY] = "blocks an SM holds, for numbers of registers, threads, bytes",
    [COMMAND_OPTSPACE] = "variants of a kernel, pruned to those worth a measurement",
    [COMMAND_VERIFY] = "measured times: impossible, as predicted, or too slow",
    [COMMAND_RECOGNIZE] = "what loops compute: inductions, reductions, recurrences",
    [COMMAND_CALIBRATE] = "fit a GPU's constants to measured times",
};

/* ---- options --------------------------------------------------------------------------------- */

#define TEXT_OPTION(name, code, what, argument)                 \
    {                                                           \
        name, '\0', POPT_ARG_STRING, NULL, code, what, argument \
    }
#define FLAG_OPTION(name, code, what) { name, '\0', POPT_ARG_NONE, NULL, code, what, NULL }

#define FORMAT_OPTION(formats) \
    TEXT_OPTION("format", OPT_FORMAT, "How to write: " formats "; with =FILE to that file, and then may be repeated", "FORMAT[=FILE]")

#define TABLE(table, heading)                                                            \
    {                                                                                    \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)(table), 0, heading, NULL \
    }

#define KERNEL_OPTION                                                                             \
    TEXT_OPTION("kernel", OPT_KERNEL,                                                             \
                "Only kernels whose name matches, * and ? as in a shell; may be repeated", "GLOB")

#define CONFIG_OPTIONS                                                                      \
    TEXT_OPTION("config", OPT_CONFIG,                                                       \
                "Settings from FILE (default: the nearest .ptxlint.yaml above each input)", \
                "FILE"),                                                                    \
        FLAG_OPTION("no-config", OPT_NO_CONFIG, "No .ptxlint.yaml")

#define UNPACK_OPTION                                                                              \
    TEXT_OPTION("max-unpacked", OPT_MAX_UNPACKED,                                                  \
                "What a packed file, or an entry of a container, may unpack to (default: 256, "    \
                "and 1,000 times its size)",                                                       \
                "MIB")

#define FINDING_OPTIONS                                                                            \
    TEXT_OPTION("select", OPT_CHOICE + CHOICE_SELECT,                                              \
                "Only these rules: codes, beginnings of codes, names, groups or ALL, with commas", \
                "RULES"),                                                                          \
        TEXT_OPTION("ignore", OPT_CHOICE + CHOICE_IGNORE, "Not these rules", "RULES"),             \
        TEXT_OPTION("severity", OPT_CHOICE + CHOICE_SEVERITY,                                      \
                    "A rule's findings are errors, warnings or notes; may be repeated",            \
                    "RULE=LEVEL"),                                                                 \
        TEXT_OPTION("threshold", OPT_CHOICE + CHOICE_THRESHOLD,                                    \
                    "A number that a rule compares with; may be repeated", "RULE.NAME=N"),         \
        TEXT_OPTION("per-kernel-ignore", OPT_CHOICE + CHOICE_KERNEL,                               \
                    "Not these rules in kernels whose name matches; may be repeated",              \
                    "GLOB:RULES"),                                                                 \
        FLAG_OPTION("preview", OPT_CHOICE + CHOICE_PREVIEW, "Also preview rules"),                 \
        TEXT_OPTION("preset", OPT_CHOICE + CHOICE_PRESET,                                          \
                    "Settings for a purpose: ci, generated, perf or strict", "NAME"),              \
        TEXT_OPTION("rules", OPT_RULES,                                                            \
                    "Also the rules of this file, or of the .yaml files in this directory; may "   \
                    "be repeated",                                                                 \
                    "DIR|FILE"),                                                                   \
        CONFIG_OPTIONS

static const struct poptOption check_findings[] = {
    FINDING_OPTIONS,
    TEXT_OPTION("only", OPT_ONLY, "Show only these groups of findings, as syntax or throughput", "GROUP[,GROUP]"),
    KERNEL_OPTION,
    POPT_TABLEEND
};

static const struct poptOption report_findings[] = {
    FINDING_OPTIONS,
    TEXT_OPTION("only", OPT_ONLY, "In json, only these groups of findings, as syntax or throughput", "GROUP[,GROUP]"),
    KERNEL_OPTION,
    POPT_TABLEEND
};

/* options.c gives a bare --ptxas the value "": popt would take the next word for it. */
static const struct poptOption launch_options[] = {
    TEXT_OPTION(
        "gpu", OPT_GPU,
        "For these GPUs or targets, as h200 or sm_90, or of a file FILE.yaml; set as "
        "c2050:shared=16k or c2050:dlcm=cg; may be repeated (default: what .target says)",
        "NAME[,NAME]"),
    TEXT_OPTION("launch", OPT_LAUNCH,
                "How kernels are launched: a JSON file, or CSV of Nsight Compute or nsys", "FILE"),
    FLAG_OPTION("strict-launch", OPT_STRICT_LAUNCH,
                "Entries of FILE without a kernel in the inputs are errors"),
    FLAG_OPTION("no-metadata", OPT_NO_METADATA,
                "Ignore launches found beside the PTX: FILE.launch.json, caches of Triton and "
                "TorchInductor, XLA dumps"),
    TEXT_OPTION("block", OPT_SETTING + SETTING_BLOCK, "Threads of a block, for every kernel",
                "X[,Y[,Z]]"),
    TEXT_OPTION("grid", OPT_SETTING + SETTING_GRID, "Blocks of the grid, for every kernel",
                "X[,Y[,Z]]"),
    TEXT_OPTION("cluster", OPT_SETTING + SETTING_CLUSTER, "Blocks of a cluster, for every kernel",
                "X[,Y[,Z]]"),
    TEXT_OPTION("dynamic-shared", OPT_SETTING + SETTING_DYNAMIC_SHARED,
                "Dynamic shared memory of a block, as 49152 or 48k", "BYTES"),
    TEXT_OPTION("param", OPT_SETTING + SETTING_PARAM,
                "Value of a kernel parameter, by position from 0 or by name; may be repeated",
                "NAME=VALUE"),
    TEXT_OPTION("trip", OPT_SETTING + SETTING_TRIP,
                "The loop at LABEL, or around LINE of the PTX, makes N iterations; may be repeated",
                "LABEL|LINE=N"),
    TEXT_OPTION(
        "ptxas-log", OPT_PTXAS_LOG,
        "Registers and spills from what ptxas -v, or nvcc -Xptxas -v, has printed; may be repeated",
        "FILE"),
    { "ptxas", '\0', POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL, NULL, OPT_PTXAS,
      "Run ptxas on each input for them (default: the one that is installed)", "PATH" },
    POPT_TABLEEND
};

#define OUTPUT_OPTION \
    TEXT_OPTION("output", OPT_OUTPUT, "Write what has no FILE of its own to FILE instead of standard output", "FILE")

#define WRITE_OPTIONS \
    TEXT_OPTION("color", OPT_COLOR, "auto (default), always or never", "WHEN"), \
    OUTPUT_OPTION

#define BASELINE_OPTION \
    TEXT_OPTION("baseline", OPT_BASELINE, "Known findings (default: what the config says, or ptxlint-baseline.json)", "FILE")

#define STDIN_OPTION                                                       \
    TEXT_OPTION("stdin-filename", OPT_STDIN_FILENAME,                      \
                "What standard input is called: its config is looked for there", "NAME")

#define SANDBOX_OPTION                               \
    FLAG_OPTION("no-sandbox", OPT_NO_SANDBOX,        \
                "Keep the right to read, write and run anything while PTX is read")

#define RUN_OPTIONS                                                                     \
    TEXT_OPTION("jobs", OPT_JOBS,                                                       \
                "Threads, for files and for kernels (default and 0: one a core)", "N"), \
        UNPACK_OPTION,                                                                  \
        SANDBOX_OPTION,                                                                 \
        FLAG_OPTION("profile", OPT_PROFILE, "Print on standard error where the time went")

#define SHARE_OPTIONS                                                                             \
    TEXT_OPTION("cache", OPT_CACHE, "Keep results in DIR, and take them from there", "DIR"),      \
        TEXT_OPTION("shard", OPT_SHARD,                                                           \
                    "Only inputs of shard I of N, by their content, for `ptxlint merge`; with "   \
                    "--format json or sarif",                                                     \
                    "I/N")

#define SOURCE_OPTION                                                                            \
    TEXT_OPTION("source-root", OPT_SOURCE_ROOT,                                                  \
                "CUDA sources are read only below DIR (default: the top of the git tree, else "  \
                "of the config, else the working directory)",                                    \
                "DIR")

static const struct poptOption check_output[] = {
    FORMAT_OPTION(CHECK_FORMATS),
    WRITE_OPTIONS,
    TEXT_OPTION("primary", OPT_PRIMARY,
                "Where a finding is shown that has a CUDA line: ptx, source, or auto (default): "
                "source in formats for "
                "code review, ptx in others",
                "WHERE"),
    SOURCE_OPTION,
    TEXT_OPTION("docs-url", OPT_DOCS_URL,
                "In sarif, rules name their pages below URL, where the docs are served", "URL"),
    FLAG_OPTION("all", OPT_ALL, "All notes, also of small or unknown gain, for people and reviews"),
    TEXT_OPTION("min-gain", OPT_MIN_GAIN, "Notes that gain less are counted only (default: 1)", "PERCENT"),
    FLAG_OPTION("verbose", OPT_VERBOSE, "In text, related lines and all that there is to a finding"),
    FLAG_OPTION("quiet", OPT_QUIET, "No summary line"),
    STDIN_OPTION,
    FLAG_OPTION("statistics", OPT_STATISTICS, "How many findings each rule has made"),
    SHARE_OPTIONS,
    RUN_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption report_output[] = {
    FORMAT_OPTION(REPORT_FORMATS),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    FLAG_OPTION("details", OPT_DETAILS,
                "In text and markdown, all figures of each kernel below the overview (default: "
                "with --kernel, or of a single kernel); in json, what its loops compute"),
    WRITE_OPTIONS,
    SOURCE_OPTION,
    FLAG_OPTION("quiet", OPT_QUIET, "Accepted for symmetry with check; changes nothing"),
    SHARE_OPTIONS,
    RUN_OPTIONS,
    POPT_TABLEEND
};

#define HELP_OPTIONS \
    FLAG_OPTION("help", OPT_HELP, "Show this help"), \
    FLAG_OPTION("version", OPT_VERSION, "Show the version"), \
    POPT_TABLEEND

#define FIX_OPTIONS                                                                            \
    FLAG_OPTION("diff", OPT_DIFF, "Print what would be changed, and write no file"),           \
        FLAG_OPTION("unsafe", OPT_UNSAFE, "Also edits that are no more than likely to be meant")

static const struct poptOption check_fixes[] = {
    FLAG_OPTION("fix", OPT_FIX, "Repair what can be repaired, as `ptxlint fix` does"),
    FIX_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption fix_options[] = { FIX_OPTIONS, POPT_TABLEEND };

static const struct poptOption gate_options[] = {
    BASELINE_OPTION,
    TEXT_OPTION("budget", OPT_BUDGET, "Limits on kernels: a figure above its limit, or unknown, is a finding", "FILE"),
    FLAG_OPTION("no-baseline", OPT_NO_BASELINE, "Report known findings, too"),
    POPT_TABLEEND
};

static const struct poptOption baseline_options[] = {
    BASELINE_OPTION,
    RUN_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption baseline_findings[] = { FINDING_OPTIONS, POPT_TABLEEND };

static const struct poptOption budget_options[] = {
    TEXT_OPTION("slack", OPT_SLACK, "Percent added to limits on estimates (default: 5)", "PERCENT"),
    OUTPUT_OPTION,
    RUN_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption help_options[] = { HELP_OPTIONS };

#define HELP TABLE(help_options, "Help:"), POPT_TABLEEND

static const struct poptOption check_table[] = {
    TABLE(check_findings, "Which findings:"),
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(gate_options, "What counts:"),
    TABLE(check_fixes, "Fixes:"),
    TABLE(check_output, "Output:"),
    HELP
};

static const struct poptOption fix_table[] = {
    TABLE(fix_options, "Fixes:"),
    TABLE(check_findings, "Which findings:"),
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(gate_options, "What counts:"),
    TABLE(check_output, "Output:"),
    HELP
};

static const struct poptOption merge_options[] = {
    FORMAT_OPTION(CHECK_FORMATS),
    WRITE_OPTIONS,
    TEXT_OPTION("primary", OPT_PRIMARY, "As for check", "WHERE"),
    SOURCE_OPTION,
    FLAG_OPTION("all", OPT_ALL, "As for check: all notes"),
    TEXT_OPTION("min-gain", OPT_MIN_GAIN, "Notes that gain less are counted only (default: 1)", "PERCENT"),
    FLAG_OPTION("verbose", OPT_VERBOSE, "In text, related lines and all that there is to a finding"),
    FLAG_OPTION("quiet", OPT_QUIET, "No summary line"),
    FLAG_OPTION("statistics", OPT_STATISTICS, "How many findings each rule has made"),
    TEXT_OPTION("only", OPT_ONLY, "Show only these groups of findings, as syntax or throughput", "GROUP[,GROUP]"),
    KERNEL_OPTION,
    TEXT_OPTION("gpu", OPT_GPU, "GPU files that the shards were made for; may be repeated", "FILE.yaml"),
    TEXT_OPTION("rules", OPT_RULES, "Rules of your own that the shards were made with", "DIR|FILE"),
    CONFIG_OPTIONS,
    TEXT_OPTION("jobs", OPT_JOBS, "Threads (default and 0: one a core)", "N"),
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption merge_table[] = {
    TABLE(merge_options, "Options:"),
    HELP
};

static const struct poptOption diff_options[] = {
    TEXT_OPTION("git", OPT_GIT,
                "Compare HEAD with the commit, branch or tag BASE: COMMAND, behind --, makes the "
                "PTX of each in a worktree",
                "BASE"),
    TEXT_OPTION("tolerance", OPT_TOLERANCE, "By how much a figure may get worse, as registers=8, registers=5% or instructions=off; may be repeated",
                "METRIC=N[%]"),
    TEXT_OPTION("format", OPT_FORMAT, "How to write: text (default), markdown, json or html", "FORMAT"),
    WRITE_OPTIONS,
    RUN_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption diff_table[] = {
    TABLE(diff_options, "What counts, and output:"),
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(baseline_findings, "Which findings count:"),
    HELP
};

static const struct poptOption budget_table[] = {
    TABLE(budget_options, "The budget:"),
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(baseline_findings, "Which findings count:"),
    HELP
};

static const struct poptOption baseline_table[] = {
    TABLE(baseline_options, "The baseline:"),
    TABLE(baseline_findings, "Which findings:"),
    TABLE(launch_options, "GPUs and launches:"),
    HELP
};

static const struct poptOption report_table[] = {
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(report_findings, "Which findings, and which kernels:"),
    TABLE(report_output, "Output:"),
    HELP
};

static const struct poptOption annotate_output[] = {
    KERNEL_OPTION,
    FLAG_OPTION("source", OPT_BY_SOURCE,
                "In text, the CUDA source by lines instead of the PTX, where .loc names it"),
    SOURCE_OPTION,
    CONFIG_OPTIONS,
    FORMAT_OPTION(PLAIN_FORMATS),
    WRITE_OPTIONS,
    STDIN_OPTION,
    RUN_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption annotate_table[] = {
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(annotate_output, "Which kernels, and output:"),
    HELP
};

static const struct poptOption gpu_table[] = {
    FORMAT_OPTION(TABLE_FORMATS),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    WRITE_OPTIONS,
    HELP_OPTIONS
};

#define RULE_OPTIONS                                                                             \
    TEXT_OPTION(                                                                                 \
        "rules", OPT_RULES,                                                                      \
        "Also the rules of this file, or of the .yaml files in this directory; may be repeated", \
        "DIR|FILE"),                                                                             \
        TEXT_OPTION("config", OPT_CONFIG,                                                        \
                    "Also the rules that FILE names (default: the nearest .ptxlint.yaml)",       \
                    "FILE"),                                                                     \
        FLAG_OPTION("no-config", OPT_NO_CONFIG, "No .ptxlint.yaml")

static const struct poptOption explain_table[] = {
    FORMAT_OPTION(PAGE_FORMATS),
    RULE_OPTIONS,
    WRITE_OPTIONS,
    HELP_OPTIONS
};

static const struct poptOption rules_table[] = {
    FORMAT_OPTION(PAGE_FORMATS),
    TEXT_OPTION("select", OPT_CHOICE + CHOICE_SELECT, "Only these rules: codes, beginnings of codes, names, groups or ALL, with commas", "RULES"),
    FLAG_OPTION("facts", OPT_FACTS, "The facts that conditions use, instead of the rules"),
    RULE_OPTIONS,
    WRITE_OPTIONS,
    HELP_OPTIONS
};

static const struct poptOption config_findings[] = { FINDING_OPTIONS, POPT_TABLEEND };

static const struct poptOption config_table[] = {
    FORMAT_OPTION(PLAIN_FORMATS),
    WRITE_OPTIONS,
    TABLE(config_findings, "As for check, with show:"),
    HELP
};

static const struct poptOption isa_table[] = {
    TEXT_OPTION("gpu", OPT_GPU,
                "How fast these GPUs or targets are, as h200 or sm_90, or of a file FILE.yaml, and "
                "with --list those that "
                "they take; may be repeated (default: all targets)",
                "NAME[,NAME]"),
    FLAG_OPTION("list", OPT_LIST, "A line for each opcode"),
    TEXT_OPTION("since", OPT_SINCE, "The forms that came with this PTX version and later ones",
                "VERSION"),
    FORMAT_OPTION(PAGE_FORMATS),
    WRITE_OPTIONS, HELP_OPTIONS
};

static const struct poptOption tune_output[] = {
    KERNEL_OPTION,
    CONFIG_OPTIONS,
    FORMAT_OPTION(PLAIN_FORMATS),
    WRITE_OPTIONS,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption tune_table[] = {
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(tune_output, "Which kernels, and output:"),
    HELP
};

static const struct poptOption rank_output[] = {
    KERNEL_OPTION,
    CONFIG_OPTIONS,
    FORMAT_OPTION(TABLE_FORMATS),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    WRITE_OPTIONS,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption rank_table[] = {
    TABLE(launch_options, "GPUs and launches:"),
    TABLE(rank_output, "Which kernels, and output:"),
    HELP
};

static const struct poptOption schema_table[] = {
    OUTPUT_OPTION,
    HELP_OPTIONS
};

static const struct poptOption extract_table[] = {
    { "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,
      "Folder that the files are written to (default: the working directory)", "DIR" },
    FLAG_OPTION("list", OPT_LIST, "A line for each entry; nothing is written"),
    FLAG_OPTION("force", OPT_FORCE, "Replace files that are there already"),
    UNPACK_OPTION,
    SANDBOX_OPTION,
    HELP_OPTIONS
};

static const struct poptOption launch_output[] = {
    { "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,
      "File that is written (default of init: standard output; of record: launches.json)", "FILE" },
    TEXT_OPTION("kernel", OPT_KERNEL,
                "init: only kernels whose name matches, * and ? as in a shell", "GLOB"),
    FLAG_OPTION("quiet", OPT_QUIET, "record: no line about what was written"),
    CONFIG_OPTIONS,
    UNPACK_OPTION,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption launch_table[] = {
    TABLE(launch_output, "The launch file:"),
    TABLE(launch_options, "init: what is known already:"),
    HELP
};

static const struct poptOption mcp_table[] = { SANDBOX_OPTION, HELP_OPTIONS };

static const struct poptOption lsp_options[] = {
    TEXT_OPTION("gpu", OPT_GPU,
                "For these GPUs or targets, as h200 or sm_90, or of a file FILE.yaml; the first "
                "is shown (default: what .target says)",
                "NAME[,NAME]"),
    TEXT_OPTION("launch", OPT_LAUNCH, "JSON file that says how kernels are launched", "FILE"),
    FLAG_OPTION("stdio", OPT_STDIO, "Accepted, as some clients give it: there is no other way"),
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption lsp_table[] = {
    TABLE(lsp_options, "GPUs and launches:"),
    TABLE(baseline_findings, "Which findings:"),
    HELP
};

static const struct poptOption graph_output[] = {
    TEXT_OPTION("kernel", OPT_KERNEL,
                "The kernel or function, * and ? as in a shell (default: the only kernel)", "GLOB"),
    FLAG_OPTION("links", OPT_LINKS,
                "Draw what loops compute and what needs what, not the control flow"),
    CONFIG_OPTIONS,
    FORMAT_OPTION(GRAPH_FORMATS),
    OUTPUT_OPTION,
    UNPACK_OPTION,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption graph_table[] = {
    TABLE(graph_output, "Which kernel, and output:"),
    TABLE(launch_options, "GPUs and launches:"),
    HELP
};

static const struct poptOption recognize_output[] = {
    TEXT_OPTION("kernel", OPT_KERNEL,
                "Kernels and functions, * and ? as in a shell (default: all)", "GLOB"),
    CONFIG_OPTIONS,
    FORMAT_OPTION(PLAIN_FORMATS),
    OUTPUT_OPTION,
    UNPACK_OPTION,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption recognize_table[] = {
    TABLE(recognize_output, "Which kernels, and output:"),
    TABLE(launch_options, "GPUs and launches:"),
    HELP
};

static const struct poptOption occupancy_table[] = {
    TEXT_OPTION("gpu", OPT_GPU,
                "For these GPUs or targets, as h200 or sm_90, or of a file FILE.yaml; set as "
                "c2050:shared=16k; may be repeated",
                "NAME[,NAME]"),
    TEXT_OPTION("registers", OPT_REGISTERS,
                "Registers of a thread: 10, 9,10,11 or 8-16 (default: they limit nothing)", "N"),
    TEXT_OPTION("block", OPT_BLOCKS,
                "Threads of a block: 256, 16,16 or 32-512, a range by whole warps; may be repeated "
                "(default: all whole warps)",
                "X[,Y[,Z]]"),
    TEXT_OPTION("shared", OPT_SHARED,
                "Shared memory of a block, static and dynamic: 2048, 48k or 0,8k,16k (default: 0)",
                "BYTES"),
    FORMAT_OPTION(TABLE_FORMATS),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    WRITE_OPTIONS,
    HELP_OPTIONS
};

static const struct poptOption verify_output[] = {
    TEXT_OPTION("measured", OPT_MEASURED,
                "Times: CSV of Nsight Compute or nsys, JSON lines or CSV with kernel, grid, block, "
                "us, or configs_timings of Triton",
                "FILE"),
    TEXT_OPTION("column", OPT_COLUMN,
                "Which column has the time, by a name that ends in us, ns or ms (default: us, "
                "time_us, duration_ns and the like)",
                "NAME"),
    FLAG_OPTION("warm", OPT_WARM,
                "Caches may hold what the launch reads: repeated launches over the same data"),
    TEXT_OPTION("clock", OPT_CLOCK,
                "The highest clock of the SMs while it was measured (default: the GPU's highest)",
                "MHZ"),
    TEXT_OPTION("max-slowdown", OPT_MAX_SLOWDOWN,
                "Exit 1 also where a time is more than X times the prediction", "X"),
    KERNEL_OPTION,
    CONFIG_OPTIONS,
    FORMAT_OPTION(VERIFY_FORMATS),
    FLAG_OPTION("csv", OPT_CSV, "Short for --format csv"),
    WRITE_OPTIONS,
    SANDBOX_OPTION,
    POPT_TABLEEND
};

static const struct poptOption verify_table[] = {
    TABLE(verify_output, "What was measured, and output:"),
    TABLE(launch_options, "GPUs and launches:"),
    HELP
};

static const struct poptOption calibrate_output[] = {
    TEXT_OPTION("measured", OPT_MEASURED, "Times, in one of the forms that verify takes", "FILE"),
    TEXT_OPTION("column", OPT_COLUMN,
                "Which column has the time, by a name that ends in us, ns or ms", "NAME"),
    TEXT_OPTION("clock", OPT_CLOCK,
                "The highest clock of the SMs while it was measured (default: the GPU's highest)",
                "MHZ"),
    KERNEL_OPTION,
    CONFIG_OPTIONS,
    FORMAT_OPTION(PLAIN_FORMATS),
    WRITE_OPTIONS,
    POPT_TABLEEND
};

static const struct poptOption calibrate_table[] = {
    TABLE(calibrate_output, "What was measured, and output:"),
    TABLE(launch_options, "GPU and launches:"),
    HELP
};

const struct poptOption *const ptx_option_tables[COMMAND__COUNT] = {
    check_table,  fix_table, report_table, gpu_table,    explain_table, rules_table,
    config_table,   isa_table,    tune_table, rank_table,   schema_table,
    baseline_table, budget_table, diff_table, mcp_table, schema_table,
    schema_table, lsp_table, extract_table, launch_table, merge_table, annotate_table,
    graph_table, occupancy_table, rank_table, verify_table,
    recognize_table, calibrate_table
};

/* ---- texts ----------------------------------------------------------------------------------- */

static const char paths_help[] =
    "\nPATH is a PTX file, a program, library, object or fatbin with PTX in it (also\n"
    "packed: gz, zst, xz), one entry of it (libfoo.so!3.sm_90.ptx), a directory (all\n"
    "of these below it), a pattern in quotes, or - for standard input.\n";

static const char fix_help[] =
    "\nPATH is as for check. The findings that are left are printed, or for - the\n"
    "repaired text. Each edit is tried: the file is analysed with it, and it is taken\n"
    "back where it brings a new finding.\n";

static const char names_help[] =
    "\nNAME is a GPU or target, as h200 or sm_90, or a file FILE.yaml. Without NAME all\n"
    "known GPUs are listed.\n"
    "  measure  run small kernels on the first GPU of this machine, for a moment;\n"
    "           --output FILE writes a GPU file that --gpu FILE takes\n";

static const char rules_help[] =
    "\nRULE is a code, as THR102, or a name, as full-precision-in-loop.\n";

static const char facts_help[] =
    "\nLists the rules that hold in the working directory. With --facts: what the\n"
    "conditions of your own rules may use.\n";

static const char config_help[] =
    "\n  show   which settings hold for PATH (default: the working directory)\n"
    "  files  which config file applies to PATH\n"
    "  init   write a commented .ptxlint.yaml to DIR (default: working directory)\n";

static const char isa_help[] =
    "\nOPCODE is an instruction, as ld; with modifiers, as ld.global.v4.f32, only the\n"
    "forms that take them. Without OPCODE all instructions are listed by class.\n";

static const char tune_help[] =
    "\nFor each kernel whose launch is given (--grid, --block, --launch): block shapes\n"
    "that do the same work, fastest by prediction first. FILE is a PTX file.\n";

static const char rank_help[] =
    "\nFor kernels of the same name in several files, else for all kernels: predicted\n"
    "times for the same launch (--grid, --block, --launch). PATH is as for check.\n";

static const char schema_help[] =
    "\nNAME is that of a document or file. Without one all are listed.\n";

static const char baseline_help[] =
    "\n  write  record all findings of PATH; later runs no longer report them\n"
    "  prune  remove those that PATH no longer has; give it all files\n"
    "The baseline is FILE of --baseline, else what the config file names, else\n"
    "ptxlint-baseline.json, where `ptxlint check` looks for it, too.\n";

static const char budget_help[] =
    "\n  init  write a budget of the kernels in PATH, for `ptxlint --budget FILE`\n";

static const char diff_help[] =
    "\nOLD and NEW are PTX files, folders of them, or saved reports (the output of\n"
    "`ptxlint report --format json`). With --git, PATH is where COMMAND writes PTX,\n"
    "seen from the working directory (default: all of it).\n";

static const char mcp_help[] =
    "\nReads requests on standard input and answers them on standard output, a\n"
    "line each, until the input ends. Tools: check, report, explain, isa, what_if,\n"
    "compare.\n"
    "Files are read below the working directory alone; none is written.\n";

static const char completions_help[] =
    "\nPrints a completion script. Save it as ptxlint, _ptxlint or ptxlint.fish in the\n"
    "completions folder of that shell.\n";

static const char extract_help[] =
    "\nFILE is a program, library, object or fatbin, also packed, or one entry of it as\n"
    "findings name it. Files are called like FILE and the entry.\n";

static const char launch_help[] =
    "\n  init    write a launch file with every kernel in PATH, to be filled in: null\n"
    "          means unknown. `ptxlint --launch FILE` takes it as it is.\n"
    "  record  run PROGRAM, and write a launch file of the distinct launches that it\n"
    "          makes: grid, block, shared memory, scalars, sizes behind pointers\n";

static const char merge_help[] =
    "\nREPORTs are what `ptxlint check` or `ptxlint report` wrote with --shard I/N and\n"
    "--format json or sarif: all N of them, in any order. The document is that of a\n"
    "single run.\n";

static const char graph_help[] =
    "\nFILE is as PATH for check. In svg (the default) and dot: basic blocks with how\n"
    "often warps execute them, loops, divergent branches. In json also dominators,\n"
    "dependences by register, memory and control, who calls whom, and the links.\n"
    "With --links: what recognize finds, an arrow to what needs it; blue: an index,\n"
    "solid: a value, dashed: a condition.\n";

static const char occupancy_help[] =
    "\nOne combination is shown with its next steps: the registers or bytes at which a\n"
    "block more or less fits. Several are a table, a line for each.\n";

static const char optspace_help[] =
    "\nFor variants as of rank, and their launches: Ryoo's efficiency and utilization,\n"
    "and which of them no other beats in both. PATH is as for check.\n";

static const char verify_help[] =
    "\nFor each row of FILE: the least time that the launch can take, the predicted\n"
    "band, and a verdict: impossible, faster, as predicted, slower, unknown. PATH is\n"
    "as for check; parameters come from the rows, --launch and --param.\n";

static const char recognize_help[] =
    "\nFILE is as PATH for check. Of each loop: the registers it carries from one\n"
    "iteration to the next, and each array that it stores to, with its class: an\n"
    "induction, a reduction, a scan, a stencil, a histogram; or why there is none.\n"
    "Parts of a kernel that could be kernels of their own, with their occupancy.\n";

static const char calibrate_help[] =
    "\nFits constants of the GPU's file to the times of FILE: those that the rows tell\n"
    "apart, each with its interval, and the error of rows that were left out. With\n"
    "--output a GPU file is written, which --gpu takes. Bounds do not move.\n";

static const char manual_help[] =
    "\nIn the macros of man(7): this help of all commands.\n";

static const char lsp_help[] =
    "\nServes the Language Server Protocol, 3.17, on standard input and output. The\n"
    "client's settings win over the command line, and that over .ptxlint.yaml. What\n"
    "cannot be read is reported on standard error.\n";

const char *const ptx_command_examples[COMMAND__COUNT] = {
    "\nEXAMPLES\n"
    "  ptxlint kernel.ptx\n"
    "  nvcc -ptx -lineinfo saxpy.cu -o - | ptxlint -\n"
    "  ptxlint --only syntax,correctness --format oneline build/\n"
    "  ptxlint --select THR,COR --ignore full-precision-in-loop build/\n"
    "  ptxlint --rules lint-rules --statistics build/\n"
    "  ptxlint --gpu h200 --launch launches.json --format sarif=found.sarif build/\n",

    "\nEXAMPLES\n"
    "  ptxlint fix --diff build/\n"
    "  ptxlint fix kernel.ptx\n"
    "  ptxlint fix --unsafe --select HYG,SUP - < kernel.ptx > fixed.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint report kernel.ptx\n"
    "  ptxlint report --details --gpu h200 --launch launches.json kernel.ptx\n"
    "  ptxlint report --kernel '*gemm*' --gpu sm_90 build/\n"
    "  ptxlint report --gpu a100,h200 --grid 4096 --block 256 --param 0=4096 a.ptx\n"
    "  ptxlint report --ptxas --csv build/ > figures.csv\n"
    "  ptxlint report --format json --gpu h200 --launch launches.json kernel.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint gpu\n"
    "  ptxlint gpu a100 h200\n"
    "  ptxlint gpu --format json ./my-gpu.yaml\n"
    "  ptxlint gpu measure --output my-gpu.yaml\n",

    "\nEXAMPLES\n"
    "  ptxlint explain THR102\n"
    "  ptxlint explain --rules lint-rules house-rule\n"
    "  ptxlint explain --format markdown full-precision-in-loop\n",

    "\nEXAMPLES\n"
    "  ptxlint rules\n"
    "  ptxlint rules --select throughput --format json\n"
    "  ptxlint rules --facts\n",

    "\nEXAMPLES\n"
    "  ptxlint config show build/kernel.ptx\n"
    "  ptxlint config init\n",

    "\nEXAMPLES\n"
    "  ptxlint isa\n"
    "  ptxlint isa mbarrier.try_wait\n"
    "  ptxlint isa --gpu h200 fma.rn.f32\n"
    "  ptxlint isa --list --gpu sm_75\n"
    "  ptxlint isa --since 9.1\n",

    "\nEXAMPLES\n"
    "  ptxlint tune --gpu h200 --grid 4096 --block 256 --param 0=1048576 saxpy.ptx\n"
    "  ptxlint tune --gpu h200 --launch launches.json --kernel '*gemm*' kernels.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint rank --gpu h200 --grid 4096 --block 256 --param 0=1048576 a.ptx b.ptx\n"
    "  ptxlint rank --gpu h200 --launch launches.json --format csv variants/\n",

    "\nEXAMPLES\n"
    "  ptxlint schema\n"
    "  ptxlint schema diagnostics > diagnostics.schema.json\n",

    "\nEXAMPLES\n"
    "  ptxlint baseline write build/\n"
    "  ptxlint baseline prune build/\n",

    "\nEXAMPLES\n"
    "  ptxlint budget init --gpu h200 --output budget.yaml build/\n"
    "  ptxlint --budget budget.yaml --launch launches.json build/\n",

    "\nEXAMPLES\n"
    "  ptxlint report --format json --gpu h200 --output main.json build/\n"
    "  ptxlint diff --gpu h200 main.json build/\n"
    "  ptxlint diff --format markdown=diff.md --tolerance registers=4 main/ build/\n"
    "  ptxlint diff --gpu h200 --git origin/main build/ -- make ptx\n",

    "\nEXAMPLES\n"
    "  claude mcp add ptxlint -- ptxlint mcp\n",

    "\nEXAMPLES\n"
    "  ptxlint completions bash > ~/.local/share/bash-completion/completions/ptxlint\n"
    "  ptxlint completions fish > ~/.config/fish/completions/ptxlint.fish\n",

    "\nEXAMPLES\n  ptxlint manual > ptxlint.1\n",

    "\nEXAMPLES\n"
    "  ptxlint lsp\n"
    "  ptxlint lsp --gpu h200 --launch launches.json\n",

    "\nEXAMPLES\n"
    "  ptxlint extract --list libfoo.so\n"
    "  ptxlint extract -o ptx libfoo.so\n"
    "  ptxlint extract 'libfoo.so!3.sm_90.ptx'\n",

    "\nEXAMPLES\n"
    "  ptxlint launch init -o launches.json kernel.ptx\n"
    "  ptxlint launch record -o launches.json -- python train.py --steps 3\n",

    "\nEXAMPLES\n"
    "  ptxlint --shard 1/2 --format json=1.json build/\n"
    "  ptxlint --shard 2/2 --format json=2.json build/\n"
    "  ptxlint merge --format sarif=all.sarif 1.json 2.json\n",

    "\nEXAMPLES\n"
    "  ptxlint annotate kernel.ptx\n"
    "  ptxlint annotate --kernel gemm --gpu h200 --grid 64,64 --block 16,16 a.ptx\n"
    "  ptxlint annotate --source --gpu h200 --launch launches.json kernel.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint graph --output saxpy.svg saxpy.ptx\n"
    "  ptxlint graph --kernel '*gemm*' --format dot kernels.ptx | dot -Tpdf > a.pdf\n"
    "  ptxlint graph --links --output saxpy.svg saxpy.ptx\n"
    "  ptxlint graph --gpu h200 --grid 64 --block 256 --format json kernel.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint occupancy --gpu g80 --registers 10 --block 256 --shared 2048\n"
    "  ptxlint occupancy --gpu h200 --registers 32-64 --block 256\n"
    "  ptxlint occupancy --gpu a100,h200 --shared 48k,96k --block 128 --block 256\n",

    "\nEXAMPLES\n"
    "  ptxlint optspace --gpu h200 --grid 4096 --block 256 --param 0=4096 a.ptx b.ptx\n"
    "  ptxlint optspace --gpu h200 --launch launches.json --format csv variants/\n",

    "\nEXAMPLES\n"
    "  ptxlint verify --gpu h200 --measured profile.csv --param n=1048576 build/\n"
    "  ptxlint verify --gpu h200 --measured times.jsonl --warm --max-slowdown 2 a.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint recognize kernel.ptx\n"
    "  ptxlint recognize --kernel '*gemm*' --format json kernels.ptx\n",

    "\nEXAMPLES\n"
    "  ptxlint calibrate --gpu h200 --measured times.jsonl --output my.yaml build/\n"
};

static const char check_codes[] =
    "\nEXIT CODES\n"
    "  0  nothing found, or notes alone\n"
    "  1  a warning or an error was found\n"
    "  2  usage: an unknown option, value, GPU, rule, kernel, parameter or loop, a\n"
    "     bad launch, GPU, rule or config file, a bad log, no ptxas, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char fix_codes[] =
    "\nEXIT CODES\n"
    "  0  no finding is left, or notes alone\n"
    "  1  a warning or an error is left; with --diff all of them are\n"
    "  2  usage: as for check\n"
    "  3  an input is unreadable, was cut short or has changed meanwhile, or the\n"
    "     output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char diff_codes[] =
    "\nEXIT CODES\n"
    "  0  nothing has got worse beyond its tolerance\n"
    "  1  a regression\n"
    "  2  usage: an unknown option, value, GPU, rule or metric, a bad launch file,\n"
    "     GPU file, rule file, config file, log or report, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char report_codes[] =
    "\nEXIT CODES\n"
    "  0  done, whatever was found\n"
    "  2  usage: an unknown option, value, GPU, rule, kernel, parameter or loop, a\n"
    "     bad launch, GPU, rule or config file, a bad log, no ptxas, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char verify_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  1  a time is impossible, or beyond --max-slowdown\n"
    "  2  usage: an unknown option, value, GPU, kernel or parameter, a bad file of\n"
    "     times, launches or GPUs, no row of a kernel in the inputs, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char gpu_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value or GPU, a bad GPU file\n"
    "  3  a file is unreadable, or the output cannot be written; measure: there is no\n"
    "     driver or GPU, or not all was measured\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char calibrate_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  1  nothing could be fitted, so --output is not written\n"
    "  2  usage: an unknown option, value, GPU, kernel or parameter, not one GPU, a\n"
    "     bad file of times, launches or GPUs, no row of a kernel in the inputs, no\n"
    "     inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char occupancy_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value or GPU, a bad GPU file\n"
    "  3  a file is unreadable, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char rule_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value or rule, a bad rule file or config file\n"
    "  3  a file is unreadable, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char config_codes[] = "\nEXIT CODES\n"
                                   "  0  done\n"
                                   "  2  usage: an unknown option, value or rule, a bad rule file "
                                   "or config\n"
                                   "     file; init: there is a .ptxlint.yaml already\n"
                                   "  3  a file is unreadable, or the output cannot be written\n"
                                   "  4  internal error, or no memory\n"
                                   "The highest that applies.\n";

static const char schema_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, schema or shell\n"
    "  3  the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char mcp_codes[] =
    "\nEXIT CODES\n"
    "  0  the input has ended\n"
    "  2  usage: an unknown option\n"
    "  3  the input cannot be read, or the output not be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char isa_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value, GPU or instruction, a bad GPU file\n"
    "  3  a file is unreadable, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char extract_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option or value, FILE is PTX itself, a file is there\n"
    "  3  FILE is unreadable or has no PTX, or a file cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char launch_codes[] =
    "\nEXIT CODES\n"
    "  0  done\n"
    "  2  usage: an unknown option, value or GPU, a bad file, no inputs, no recorder\n"
    "  3  an input is unreadable, PROGRAM failed or made no launch, or the output\n"
    "     cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char merge_codes[] =
    "\nEXIT CODES\n"
    "  0, 1  as the command that wrote the shards has them\n"
    "  2  usage: an unknown option or value, a shard is missing, there twice, or of\n"
    "     another run, REPORT is no such document\n"
    "  3  REPORT is unreadable, an input was unreadable or cut short, or the output\n"
    "     cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char lsp_codes[] =
    "\nEXIT CODES\n"
    "  0  the client has asked it to shut down, and then to exit\n"
    "  1  the client has gone\n"
    "  2  usage: an unknown option or value\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

const char *const ptx_command_codes[COMMAND__COUNT] = {
    check_codes, fix_codes, report_codes, gpu_codes,    rule_codes,   rule_codes, config_codes,
    isa_codes,
    report_codes, report_codes, schema_codes, report_codes, report_codes, diff_codes, mcp_codes,
    schema_codes,
    schema_codes, lsp_codes, extract_codes, launch_codes, merge_codes, report_codes, report_codes,
    occupancy_codes, report_codes, verify_codes,
    report_codes, calibrate_codes
};

const char *const ptx_command_help[COMMAND__COUNT] = {
    paths_help, fix_help, paths_help,  names_help,    rules_help,  facts_help, config_help,
    isa_help,
    tune_help,  rank_help,   schema_help,   baseline_help, budget_help, diff_help,
    mcp_help, completions_help, manual_help, lsp_help, extract_help,
    launch_help, merge_help, paths_help, graph_help,
    occupancy_help, optspace_help, verify_help, recognize_help, calibrate_help
};

static void print_commands(void)
{
    puts("\nCOMMANDS");
    for (int i = 0; i < COMMAND__COUNT; i++)
        printf("  %-11s  %s%s\n", ptx_command_words[i], ptx_command_what[i],
               i ? "" : " (the default command)");
    puts("ptxlint COMMAND --help has the details.");
}

/* malloc'ed; NULL: no memory. */
static char *popt_help(poptContext popt)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return NULL;
    poptPrintHelp(popt, to, 0);
    bool is_lost = ferror(to);
    is_lost |= fclose(to) != 0;
    if (is_lost) {
        free(text);
        return NULL;
    }
    return text;
}

/* popt leaves out what it has no memory for, and says nothing: what comes twice is whole. */
static bool print_popt_help(poptContext popt)
{
    char *text = popt_help(popt), *again = text ? popt_help(popt) : NULL;
    bool is_whole = again && !strcmp(text, again);
    if (is_whole)
        fputs(text, stdout);
    free(text);
    free(again);
    return is_whole;
}

bool ptx_help_print(const Options *options)
{
    if (!print_popt_help(options->popt))
        return false;
    fputs(ptx_command_help[options->command], stdout);
    if (!options->has_command)
        print_commands();
    fputs(ptx_command_examples[options->command], stdout);
    fputs(ptx_command_codes[options->command], stdout);
    return true;
}
