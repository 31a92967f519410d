#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_FORMAT = 1, OPT_GPU, OPT_LAUNCH, OPT_KERNEL, OPT_ONLY, OPT_COLOR, OPT_OUTPUT, OPT_QUIET, OPT_HELP, OPT_VERSION };

static const struct poptOption check_table[] = {
    { "format", '\0', POPT_ARG_STRING, NULL, OPT_FORMAT, "How to write: text (default), oneline or json", "FORMAT" },
    { "gpu", '\0', POPT_ARG_STRING, NULL, OPT_GPU, "Judge for this GPU or target, as h200 or sm_90 (default: what .target says)", "NAME" },
    { "launch", '\0', POPT_ARG_STRING, NULL, OPT_LAUNCH, "JSON file that says how kernels are launched", "FILE" },
    { "kernel", '\0', POPT_ARG_STRING, NULL, OPT_KERNEL, "Only kernels whose name matches, * and ? as in a shell", "GLOB" },
    { "only", '\0', POPT_ARG_STRING, NULL, OPT_ONLY, "Only these groups of findings: syntax, limit, correctness, throughput, launch", "GROUP[,GROUP]" },
    { "color", '\0', POPT_ARG_STRING, NULL, OPT_COLOR, "auto (default), always or never", "WHEN" },
    { "quiet", '\0', POPT_ARG_NONE, NULL, OPT_QUIET, "No summary line", NULL },
    { "output", '\0', POPT_ARG_STRING, NULL, OPT_OUTPUT, "Write to FILE instead of standard output", "FILE" },
    { "help", '\0', POPT_ARG_NONE, NULL, OPT_HELP, "Show this help", NULL },
    { "version", '\0', POPT_ARG_NONE, NULL, OPT_VERSION, "Show the version", NULL },
    POPT_TABLEEND
};

static const struct poptOption report_table[] = {
    { "format", '\0', POPT_ARG_STRING, NULL, OPT_FORMAT, "How to write: text (default) or json", "FORMAT" },
    { "gpu", '\0', POPT_ARG_STRING, NULL, OPT_GPU, "Figures for this GPU or target, as h200 or sm_90 (default: what .target says)", "NAME" },
    { "launch", '\0', POPT_ARG_STRING, NULL, OPT_LAUNCH, "JSON file that says how kernels are launched", "FILE" },
    { "kernel", '\0', POPT_ARG_STRING, NULL, OPT_KERNEL, "Only kernels whose name matches, * and ? as in a shell", "GLOB" },
    { "only", '\0', POPT_ARG_STRING, NULL, OPT_ONLY, "In json, only these groups of findings (see ptxlint check --help)", "GROUP[,GROUP]" },
    { "color", '\0', POPT_ARG_STRING, NULL, OPT_COLOR, "auto (default), always or never", "WHEN" },
    { "quiet", '\0', POPT_ARG_NONE, NULL, OPT_QUIET, "Accepted for symmetry with check; changes nothing", NULL },
    { "output", '\0', POPT_ARG_STRING, NULL, OPT_OUTPUT, "Write to FILE instead of standard output", "FILE" },
    { "help", '\0', POPT_ARG_NONE, NULL, OPT_HELP, "Show this help", NULL },
    { "version", '\0', POPT_ARG_NONE, NULL, OPT_VERSION, "Show the version", NULL },
    POPT_TABLEEND
};

static const char paths_help[] =
    "\nPATH is a PTX file, a directory (all *.ptx below it), a pattern in quotes, or - for\n"
    "standard input.\n";

static const char commands_help[] =
    "\nCOMMANDS\n"
    "  check     look for mistakes and slow code (the default command)\n"
    "  report    figures for each kernel: registers, memory, instruction mix, loops\n"
    "ptxlint COMMAND --help says more.\n";

static const char check_examples[] =
    "\nEXAMPLES\n"
    "  ptxlint kernel.ptx\n"
    "  nvcc -ptx -lineinfo saxpy.cu -o - | ptxlint -\n"
    "  ptxlint --only syntax,correctness --format oneline build/\n"
    "  ptxlint --gpu h200 --launch launches.json --format json kernel.ptx\n";

static const char report_examples[] =
    "\nEXAMPLES\n"
    "  ptxlint report kernel.ptx\n"
    "  ptxlint report --kernel 'gemm_*' --gpu sm_90 build/\n"
    "  ptxlint report --format json --gpu h200 --launch launches.json kernel.ptx\n";

static const char check_codes[] =
    "\nEXIT CODES\n"
    "  0  nothing found, or notes alone\n"
    "  1  a warning or an error was found\n"
    "  2  usage: an unknown option, GPU or kernel, a bad launch file, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

static const char report_codes[] =
    "\nEXIT CODES\n"
    "  0  done, whatever was found\n"
    "  2  usage: an unknown option, GPU or kernel, a bad launch file, no inputs\n"
    "  3  an input is unreadable or was cut short, or the output cannot be written\n"
    "  4  internal error, or no memory\n"
    "The highest that applies.\n";

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Index of the word that equals the first length bytes of text; -1: none. */
static int find_word(const char *const *words, const char *text, size_t length)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length))
            return i;
    return -1;
}

static bool complain_value(const char *option, const char *value, const char *wanted)
{
    char text[256];
    snprintf(text, sizeof text, "'%.100s' is not one of %s", value, wanted);
    ptx_complain(option, text);
    return false;
}

static bool set_format(Options *options, const char *value)
{
    static const char *const words[] = { "text", "json", "oneline", NULL };
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_JSON, PTXLINT_ONELINE };
    int i = find_word(words, value, strlen(value));
    if (options->document == PTXLINT_REPORT && (i < 0 || formats[i] == PTXLINT_ONELINE))
        return complain_value("--format", value, "text, json");
    if (i < 0)
        return complain_value("--format", value, "text, oneline, json");
    options->format = formats[i];
    return true;
}

static bool set_color(Options *options, const char *value)
{
    static const char *const words[] = { "auto", "always", "never", NULL };
    int i = find_word(words, value, strlen(value));
    if (i < 0)
        return complain_value("--color", value, "auto, always, never");
    options->color = (Color)i;
    return true;
}

static void add_group(Options *options, const char *group)
{
    for (size_t i = 0; i < options->group_count; i++)
        if (!strcmp(options->groups[i], group))
            return;
    options->groups[options->group_count++] = group;
}

/* What the front end could not read for want of room is one of its findings: syntax brings limit with it. */
static bool add_groups(Options *options, const char *value)
{
    static const char *const words[GROUP_COUNT + 1] = { "syntax", "limit", "correctness", "throughput", "launch", NULL };
    for (const char *begin = value;;) {
        size_t length = strcspn(begin, ",");
        int i = find_word(words, begin, length);
        if (i < 0)
            return complain_value("--only", value, "syntax, limit, correctness, throughput, launch");
        add_group(options, words[i]);
        if (i == 0)
            add_group(options, words[1]);
        if (!begin[length])
            return true;
        begin += length + 1;
    }
}

/* The last one given counts. */
static bool keep(char **place, char *value)
{
    free(*place);
    *place = value;
    return true;
}

/* value is the option's argument, ours to free; NULL where it has none. */
static bool apply(Options *options, int option, char *value)
{
    bool is_good = true;
    switch (option) {
    case OPT_GPU:       return keep(&options->gpu, value);
    case OPT_LAUNCH:    return keep(&options->launch_path, value);
    case OPT_KERNEL:    return keep(&options->kernel_glob, value);
    case OPT_OUTPUT:    return keep(&options->output_path, value);
    case OPT_FORMAT:    is_good = set_format(options, value);   break;
    case OPT_COLOR:     is_good = set_color(options, value);    break;
    case OPT_ONLY:      is_good = add_groups(options, value);   break;
    case OPT_QUIET:     options->is_quiet = true;               break;
    }
    free(value);
    return is_good;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static void print_help(const Options *options, bool has_command)
{
    bool is_report = options->document == PTXLINT_REPORT;
    poptPrintHelp(options->popt, stdout, 0);
    fputs(paths_help, stdout);
    if (!has_command)
        fputs(commands_help, stdout);
    fputs(is_report ? report_examples : check_examples, stdout);
    fputs(is_report ? report_codes : check_codes, stdout);
}

static bool take_command(Options *options, const char *word)
{
    if (word && !strcmp(word, "report"))
        options->document = PTXLINT_REPORT;
    else if (!word || strcmp(word, "check"))
        return false;
    return true;
}

/* popt wants words that are const, and the command to be part of the program's name. */
static bool open_popt(Options *options, int argc, char **argv, bool has_command)
{
    bool is_report = options->document == PTXLINT_REPORT;
    int count = argc - has_command;
    options->words = calloc((size_t)count + 1, sizeof *options->words);
    if (!options->words)
        return false;
    options->words[0] = !has_command ? "ptxlint" : is_report ? "ptxlint report" : "ptxlint check";
    for (int i = 1; i < count; i++)
        options->words[i] = argv[i + has_command];
    options->popt = poptGetContext("ptxlint", count, options->words, is_report ? report_table : check_table, 0);
    if (!options->popt)
        return false;
    poptSetOtherOptionHelp(options->popt, has_command ? "[OPTIONS] PATH..." : "[check|report] [OPTIONS] PATH...");
    return true;
}

Parsed ptx_options_parse(Options *options, int argc, char **argv)
{
    *options = (Options){ .document = PTXLINT_DIAGNOSTICS, .format = PTXLINT_TEXT };
    if (argc < 1)
        return PARSED_BAD;
    bool has_command = take_command(options, argv[1]);
    if (!open_popt(options, argc, argv, has_command)) {
        ptx_complain(NULL, "no memory");
        return PARSED_FAILED;
    }
    int option;
    while ((option = poptGetNextOpt(options->popt)) > 0) {
        if (option == OPT_HELP) {
            print_help(options, has_command);
            return PARSED_DONE;
        }
        if (option == OPT_VERSION) {
            printf("ptxlint %s\n", ptxlint_version());
            return PARSED_DONE;
        }
        if (!apply(options, option, poptGetOptArg(options->popt)))
            return PARSED_BAD;
    }
    if (option < -1) {
        ptx_complain(poptBadOption(options->popt, POPT_BADOPTION_NOALIAS), poptStrerror(option));
        return PARSED_BAD;
    }
    options->paths = poptGetArgs(options->popt);
    if (!options->paths || !options->paths[0]) {
        ptx_complain(NULL, "no PATH given; ptxlint --help tells how to use it");
        return PARSED_BAD;
    }
    return PARSED_RUN;
}

void ptx_options_free(Options *options)
{
    free(options->gpu);
    free(options->launch_path);
    free(options->kernel_glob);
    free(options->output_path);
    if (options->popt)
        poptFreeContext(options->popt);
    free(options->words);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* no-color.org and bixense.com/clicolors; --color wins over both. */
bool ptx_options_has_color(const Options *options)
{
    const char *force = variable("CLICOLOR_FORCE"), *terminal = variable("TERM");
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    if (*variable("NO_COLOR"))
        return false;
    if (*force && strcmp(force, "0") != 0)
        return true;
    return !options->output_path && isatty(STDOUT_FILENO) && *terminal && strcmp(terminal, "dumb") != 0;
}
