#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    static const char *const words[] = { "text", "json", "oneline", "csv", NULL };
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_JSON, PTXLINT_ONELINE, PTXLINT_CSV };
    int i = find_word(words, value, strlen(value));
    bool is_check = options->command == COMMAND_CHECK;
    if (i < 0 || formats[i] == (is_check ? PTXLINT_CSV : PTXLINT_ONELINE))
        return complain_value("--format", value, is_check ? "text, oneline, json" : "text, json, csv");
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

static bool add_gpus(Options *options, const char *value)
{
    for (const char *begin = value;;) {
        size_t length = strcspn(begin, ",");
        if (!length) {
            ptx_complain("--gpu", "a name is missing; h200, sm_90 and a100,h200 would be right");
            return false;
        }
        if (ptx_strings_add(&options->gpus, begin, length) != EXIT_CLEAN)
            return false;
        if (!begin[length])
            return true;
        begin += length + 1;
    }
}

static bool add_string(StringList *list, const char *value)
{
    return ptx_strings_add(list, value, strlen(value)) == EXIT_CLEAN;
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
    case OPT_LAUNCH:    return keep(&options->launch_path, value);
    case OPT_KERNEL:    return keep(&options->kernel_glob, value);
    case OPT_OUTPUT:    return keep(&options->output_path, value);
    case OPT_PTXAS:     return keep(&options->ptxas, value);
    case OPT_FORMAT:    is_good = set_format(options, value);   break;
    case OPT_COLOR:     is_good = set_color(options, value);    break;
    case OPT_ONLY:      is_good = add_groups(options, value);   break;
    case OPT_GPU:       is_good = add_gpus(options, value);     break;
    case OPT_PTXAS_LOG: is_good = add_string(&options->logs, value);    break;
    case OPT_CSV:       options->format = PTXLINT_CSV;          break;
    case OPT_QUIET:     options->is_quiet = true;               break;
    default:            is_good = add_string(&options->settings[option - OPT_SETTING], value);
    }
    free(value);
    return is_good;
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool take_command(Options *options, const char *word)
{
    for (int i = 0; word && i < COMMAND__COUNT; i++) {
        if (!strcmp(word, ptx_command_words[i])) {
            options->command = (Command)i;
            return true;
        }
    }
    return false;
}

/* --ptxas may have no value, and then the next word is not its own: popt knows options with a value or without. */
static const char *word_for_popt(const char *word)
{
    return strcmp(word, "--ptxas") ? word : "--ptxas=";
}

/* popt wants words that are const, and the command to be part of the program's name. */
static bool open_popt(Options *options, int argc, char **argv)
{
    static const char *const names[COMMAND__COUNT] = { "ptxlint check", "ptxlint report", "ptxlint gpu" };
    bool is_ours = true;                /* behind -- there are paths alone */
    int count = argc - options->has_command;
    options->words = calloc((size_t)count + 1, sizeof *options->words);
    if (!options->words)
        return false;
    options->words[0] = options->has_command ? names[options->command] : "ptxlint";
    for (int i = 1; i < count; i++) {
        const char *word = argv[i + options->has_command];
        is_ours = is_ours && strcmp(word, "--") != 0;
        options->words[i] = is_ours ? word_for_popt(word) : word;
    }
    options->popt = poptGetContext("ptxlint", count, options->words, ptx_option_tables[options->command], 0);
    if (!options->popt)
        return false;
    poptSetOtherOptionHelp(options->popt, !options->has_command ? "[check|report|gpu] [OPTIONS] PATH..."
                                          : options->command == COMMAND_GPU ? "[OPTIONS] [NAME...]" : "[OPTIONS] PATH...");
    return true;
}

static Parsed parse_options(Options *options)
{
    int option;
    while ((option = poptGetNextOpt(options->popt)) > 0) {
        if (option == OPT_HELP) {
            ptx_help_print(options);
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
    return PARSED_RUN;
}

Parsed ptx_options_parse(Options *options, int argc, char **argv)
{
    *options = (Options){ .command = COMMAND_CHECK, .format = PTXLINT_TEXT };
    if (argc < 1)
        return PARSED_BAD;
    options->has_command = take_command(options, argv[1]);
    if (!open_popt(options, argc, argv)) {
        ptx_complain(NULL, "no memory");
        return PARSED_FAILED;
    }
    Parsed parsed = parse_options(options);
    if (parsed != PARSED_RUN)
        return parsed;
    options->paths = poptGetArgs(options->popt);
    if (options->command != COMMAND_GPU && (!options->paths || !options->paths[0])) {
        ptx_complain(NULL, "no PATH given; ptxlint --help tells how to use it");
        return PARSED_BAD;
    }
    return PARSED_RUN;
}

void ptx_options_free(Options *options)
{
    ptx_strings_free(&options->gpus);
    for (int i = 0; i < SETTING_COUNT; i++)
        ptx_strings_free(&options->settings[i]);
    ptx_strings_free(&options->logs);
    free(options->ptxas);
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
