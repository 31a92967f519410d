#include "cli/cli.h"
#include "cli/options/check.h"
#include "support/choice.h"
#include "support/grow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* Index of the word that equals the first length bytes of text; -1: none. */
static int find_word(const char *const *words, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length))
            return i;
    return -1;
}

/* The word of text, words with ", " between them, that is at most 2 edits from value; "": none. */
static void find_near(const char *text, const char *value, char near[32])
{
    unsigned least = 3;
    for (near[0] = 0; *text; text += strspn(text, ", ")) {
        char word[32];
        size_t length = strcspn(text, ", ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        unsigned apart = ptx_word_distance(value, word);
        if (apart < least && apart < length && apart < strlen(value)) {
            least = apart;
            memcpy(near, word, sizeof word);
        }
        text += length;
    }
}

void ptx_complain_word(const char *subject, const char *value, const char *wanted)
{
    char text[320], near[32];
    find_near(wanted, value, near);
    snprintf(text, sizeof text, *near ? "'%.100s' is not one of %s; did you mean %s?"
                                      : "'%.100s' is not one of %s", value, wanted, near);
    ptx_complain(subject, text);
}

bool ptx_complain_value(const char *option, const char *value, const char *wanted)
{
    ptx_complain_word(option, value, wanted);
    return false;
}

bool ptx_has_word(const char *text, const char *word, size_t length)
{
    for (;;) {
        size_t here = strcspn(text, ",");
        if (here == length && !memcmp(text, word, length))
            return true;
        if (!text[here])
            return false;
        text += here + 2;
    }
}

static bool add_output(Options *options, Format format, const char *path)
{
    size_t capacity = options->output_count;
    const bool has_room = ptx_list_reserve(&options->outputs, &capacity, options->output_count + 1,
                                           sizeof *options->outputs);
    char *copy = path && strcmp(path, "-") != 0 ? strdup(path) : NULL;
    bool is_good = has_room && (copy || !path || !strcmp(path, "-"));
    if (is_good)
        options->outputs[options->output_count++] = (Document){ format, copy };
    else
        free(copy);
    return is_good;
}

/* FORMAT, of which the last one counts, or FORMAT=FILE, of which each does. */
static bool add_format(Options *options, const char *value)
{
    size_t length = strcspn(value, "=");
    const char *names = ptx_command_formats[options->command];
    int i = find_word(ptx_format_words, FORMAT__COUNT, value, length);
    if (i < 0 || !ptx_has_word(names, value, length))
        return ptx_complain_value("--format", value, names);
    options->has_format |= !value[length];
    if (!value[length])
        options->output.format = (Format)i;
    else if (!value[length + 1])
        return ptx_complain_value("--format", value, "FORMAT, FORMAT=FILE and FORMAT=-");
    else if (!add_output(options, (Format)i, value + length + 1))
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY), false;
    return true;
}

static bool set_color(Options *options, const char *value)
{
    static const char *const words[] = { "auto", "always", "never" };
    int i = find_word(words, 3, value, strlen(value));
    if (i < 0)
        return ptx_complain_value("--color", value, "auto, always, never");
    options->color = (Color)i;
    return true;
}

static bool set_primary(Options *options, const char *value)
{
    /* in the order of ptxlint_primary */
    static const char *const words[] = { "auto", "ptx", "source" };
    int i = find_word(words, 3, value, strlen(value));
    if (i < 0)
        return ptx_complain_value("--primary", value, "auto, ptx, source");
    options->primary = (ptxlint_primary)i;
    return true;
}

/* Words between commas; wanted is what would be right where one is empty. */
static bool add_words(StringList *list, const char *option, const char *value, const char *wanted)
{
    for (const char *begin = value;;) {
        size_t length = strcspn(begin, ",");
        if (!length) {
            ptx_complain(option, wanted);
            return false;
        }
        if (ptx_strings_add(list, begin, length) != EXIT_CLEAN)
            return false;
        if (!begin[length])
            return true;
        begin += length + 1;
    }
}

static bool set_jobs(Options *options, const char *value)
{
    char *end, text[128];
    unsigned long jobs = strtoul(value, &end, 10);
    if (!*value || strspn(value, "0123456789") != strlen(value) || jobs > JOBS_MAX) {
        snprintf(text, sizeof text, "'%.40s' is not a whole number from 0 to %d", value, JOBS_MAX);
        ptx_complain("--jobs", text);
        return false;
    }
    options->jobs = (unsigned)jobs;
    return true;
}

/* Of 1024 KiB each; 64 TiB is more than any. */
static bool set_max_unpacked(Options *options, const char *value)
{
    char text[128];
    unsigned long mebibytes = strtoul(value, NULL, 10);
    if (strspn(value, "0123456789") != strlen(value) || strlen(value) > 8 || !mebibytes) {
        snprintf(text, sizeof text, "'%.40s' is not a whole number of MiB from 1 to 99999999",
                 value);
        ptx_complain("--max-unpacked", text);
        return false;
    }
    options->max_unpacked_bytes = (uint64_t)mebibytes << 20;
    return true;
}

/* M.N, as .version has it. */
static bool set_since(Options *options, const char *value)
{
    size_t major = strspn(value, "0123456789");
    bool has_form = major && major < 3 && value[major] == '.' && value[major + 1] >= '0'
                    && value[major + 1] <= '9' && !value[major + 2];
    if (!has_form) {
        ptx_complain("--since", "a PTX version is missing: write it as 9.1");
        return false;
    }
    options->since = 10 * (unsigned)strtoul(value, NULL, 10) + (unsigned)(value[major + 1] - '0');
    return true;
}

/* I/N, 1 <= I <= N. */
static bool set_shard(Options *options, const char *value)
{
    char text[160];
    size_t index_digits = strspn(value, "0123456789");
    const char *after = value + index_digits + (value[index_digits] == '/');
    size_t count_digits = strspn(after, "0123456789");
    bool has_form = index_digits && value[index_digits] == '/' && count_digits
                    && !after[count_digits] && index_digits < 7 && count_digits < 7;
    unsigned long index = 0, count = 0;
    if (has_form) {
        index = strtoul(value, NULL, 10);
        count = strtoul(after, NULL, 10);
    }
    if (index < 1 || index > count || count > SHARD_COUNT_MAX) {
        snprintf(text, sizeof text,
                 "'%.40s' is not I/N, as 2/8: N shards, of them number I, from 1", value);
        ptx_complain("--shard", text);
        return false;
    }
    options->shard = (unsigned)index;
    options->shard_count = (unsigned)count;
    return true;
}

static bool set_slack(Options *options, const char *value)
{
    char text[128];
    if (!*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 2) {
        snprintf(text, sizeof text, "'%.40s' is not a whole number from 0 to 99", value);
        ptx_complain("--slack", text);
        return false;
    }
    options->slack_percent = (double)strtoul(value, NULL, 10);
    return true;
}

/* Digits with a point among them; NaN: it is none, or of over nine digits. Not by strtod, whose
 * point is the locale's. */
static double read_decimal(const char *value)
{
    size_t whole = strspn(value, "0123456789"), point = value[whole] == '.',
           rest = point ? strspn(value + whole + 1, "0123456789") : 0;
    double number = 0, scale = 1;
    for (const char *at = value; *at && at < value + whole + point + rest; at++) {
        number = *at == '.' ? number : 10 * number + (*at - '0');
        scale *= at > value + whole ? 10 : 1;
    }
    return !whole || value[whole + point + rest] || whole + rest > 9 ? (double)NAN : number / scale;
}

/* From 1 on. */
static bool set_ratio(const char *option, const char *wanted, const char *value, double most,
                      double *out)
{
    char text[160];
    const double number = read_decimal(value);
    if (!(number >= 1 && number <= most)) {
        snprintf(text, sizeof text, "'%.40s' is not %s", value, wanted);
        ptx_complain(option, text);
        return false;
    }
    *out = number;
    return true;
}

static bool set_min_gain(Options *options, const char *value)
{
    char text[128];
    const double percent = read_decimal(value);
    if (!(percent <= 100)) {
        snprintf(text, sizeof text, "'%.40s' is not a number of percent, 0 to 100", value);
        ptx_complain("--min-gain", text);
        return false;
    }
    options->min_gain_percent = percent;
    return true;
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

/* kernel_glob has a line for each. */
static bool add_kernel(Options *options, const char *value)
{
    const char *before = options->kernel_glob;
    const size_t room = (before ? strlen(before) + 1 : 0) + strlen(value) + 1;
    char *all = malloc(room);
    if (!all || !add_string(&options->kernels, value)) {
        free(all);
        return false;
    }
    if (before)
        snprintf(all, room, "%s\n%s", before, value);
    else
        memcpy(all, value, room);
    return keep(&options->kernel_glob, all);
}

static bool add_setting(Options *options, int option, const char *value)
{
    return add_string(option >= OPT_CHOICE ? &options->choices[option - OPT_CHOICE]
                                           : &options->settings[option - OPT_SETTING],
                      value);
}

/* value is the option's argument, ours to free; NULL where it has none. */
static bool apply(Options *options, int option, char *value)
{
    bool is_good = true;
    switch (option) {
    case OPT_LAUNCH:    return keep(&options->launch_path, value);
    case OPT_MIN_GAIN:  is_good = set_min_gain(options, value); break;
    case OPT_ALL:       options->has_all = true;                break;
    case OPT_VERBOSE:   options->is_verbose = true;             break;
    case OPT_KERNEL:    is_good = add_kernel(options, value);   break;
    case OPT_OUTPUT:    return keep(&options->output.path, value);
    case OPT_PTXAS:     return keep(&options->ptxas, value);
    case OPT_CONFIG:    return keep(&options->config_path, value);
    case OPT_TOLERANCE: is_good = add_string(&options->tolerances, value);      break;
    case OPT_BUDGET:    return keep(&options->budget_path, value);
    case OPT_SLACK:     is_good = set_slack(options, value);    break;
    case OPT_BASELINE:  return keep(&options->baseline_path, value);
    case OPT_FORMAT:    is_good = add_format(options, value);   break;
    case OPT_COLOR:     is_good = set_color(options, value);    break;
    case OPT_PRIMARY:   is_good = set_primary(options, value);  break;
    case OPT_JOBS:      is_good = set_jobs(options, value);     break;
    case OPT_ONLY:
        is_good = add_words(&options->only, "--only", value,
                            "a group is missing: write it as syntax,throughput");
        break;
    case OPT_GPU:
        is_good = add_words(&options->gpus, "--gpu", value,
                            "a name is missing: write it as h200, sm_90 or a100,h200");
        break;
    case OPT_RULES:     is_good = add_string(&options->rules, value);   break;
    case OPT_REGISTERS: is_good = add_string(&options->registers, value); break;
    case OPT_SHARED:    is_good = add_string(&options->shared, value);  break;
    case OPT_BLOCKS:    is_good = add_string(&options->blocks, value);  break;
    case OPT_PTXAS_LOG: is_good = add_string(&options->logs, value);    break;
    case OPT_CSV:       is_good = add_format(options, "csv");    break;
    case OPT_QUIET:      options->is_quiet = true;              break;
    case OPT_NO_CONFIG:  options->has_no_config = true;         break;
    case OPT_NO_BASELINE: options->has_no_baseline = true;      break;
    case OPT_STATISTICS: options->has_statistics = true;        break;
    case OPT_PROFILE:    options->has_profile = true;           break;
    case OPT_STRICT_LAUNCH: options->is_strict_launch = true;   break;
    case OPT_NO_METADATA: options->has_no_metadata = true;      break;
    case OPT_NO_SANDBOX: options->has_no_sandbox = true;        break;
    case OPT_STDIO:      break;
    case OPT_DETAILS:    options->has_details = true;           break;
    case OPT_BY_SOURCE:  options->is_by_source = true;          break;
    case OPT_LINKS:      options->is_links = true;              break;
    case OPT_FACTS:      options->has_facts = true;             break;
    case OPT_LIST:       options->has_list = true;              break;
    case OPT_SINCE:     is_good = set_since(options, value);    break;
    case OPT_FORCE:      options->is_forced = true;             break;
    case OPT_MAX_UNPACKED: is_good = set_max_unpacked(options, value); break;
    case OPT_CACHE:     return keep(&options->cache_path, value);
    case OPT_GIT:       return keep(&options->git_base, value);
    case OPT_MEASURED:  return keep(&options->measured_path, value);
    case OPT_COLUMN:    return keep(&options->column, value);
    case OPT_WARM:      options->is_warm = true;                break;
    case OPT_CLOCK:
        is_good = set_ratio("--clock", "a number of MHz from 1 to 9999", value, 9999,
                            &options->clock_mhz);
        break;
    case OPT_MAX_SLOWDOWN:
        is_good = set_ratio("--max-slowdown", "how many times as long, 1 to 1000000", value, 1e6,
                            &options->max_slowdown);
        break;
    case OPT_SHARD:     is_good = set_shard(options, value);    break;
    case OPT_FIX:        options->has_fix = true;               break;
    case OPT_DIFF:       options->has_diff = true;              break;
    case OPT_UNSAFE:     options->is_unsafe = true;             break;
    case OPT_SOURCE_ROOT: return keep(&options->source_root, value);
    case OPT_DOCS_URL:  return keep(&options->docs_url, value);
    case OPT_STDIN_FILENAME: return keep(&options->stdin_filename, value);
    default:             is_good = add_setting(options, option, value ? value : "true");
    }
    free(value);
    return is_good;
}

/* ---- the command line ------------------------------------------------------------------------ */

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

/* --ptxas may have no value, and then the next word is not its own: popt knows options with a value
 * or without. */
static const char *word_for_popt(const char *word)
{
    if (!strcmp(word, "-h"))
        return "--help";
    if (!strcmp(word, "-o"))
        return "--output";
    return strcmp(word, "--ptxas") ? word : "--ptxas=";
}

/* Of diff --git what stands behind -- is a command, not paths. How many words are left. */
static int take_git_command(Options *options, int argc, char **argv)
{
    bool has_git = false;
    for (int i = 2; i < argc && options->command == COMMAND_DIFF; i++) {
        has_git |= !strcmp(argv[i], "--git") || !strncmp(argv[i], "--git=", 6);
        if (strcmp(argv[i], "--") != 0)
            continue;
        if (has_git)
            options->git_command = &argv[i + 1];
        return has_git ? i : argc;
    }
    return argc;
}

/* popt wants words that are const, and the command to be part of the program's name. */
static bool open_popt(Options *options, int argc, char **argv)
{
    bool is_ours = true;                /* behind -- there are paths alone */
    int count = take_git_command(options, argc, argv) - options->has_command;
    options->words = calloc((size_t)count + 1, sizeof *options->words);
    if (!options->words)
        return false;
    snprintf(options->program, sizeof options->program, "ptxlint%s%s",
             ptx_text_if(options->has_command, " "),
             ptx_text_if(options->has_command, ptx_command_words[options->command]));
    options->words[0] = options->program;
    for (int i = 1; i < count; i++) {
        const char *word = argv[i + options->has_command];
        is_ours = is_ours && strcmp(word, "--") != 0;
        options->words[i] = is_ours ? word_for_popt(word) : word;
    }
    errno = 0;
    options->popt = poptGetContext("ptxlint", count, options->words,
                                   ptx_option_tables[options->command], 0);
    if (!options->popt)
        return false;
    poptSetOtherOptionHelp(options->popt, options->has_command ? ptx_command_usage[options->command]
                                                               : "[COMMAND] [OPTIONS] PATH...");
    return true;
}

/* The option of a table, or of those that it includes, which is at most 2 edits from name, without
 * its dashes. */
static const char *nearest_option(const struct poptOption *table, const char *name, unsigned *least)
{
    const char *nearest = NULL;
    for (; table->longName || table->argInfo || table->arg; table++) {
        bool is_table = (table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
        const char *here = is_table ? nearest_option(table->arg, name, least) : NULL;
        unsigned apart = !is_table && table->longName ? ptx_word_distance(name, table->longName)
                                                      : *least;
        if (apart < *least)
            *least = apart, here = table->longName;
        nearest = here ? here : nearest;
    }
    return nearest;
}

/* The first command that has an option of that name, without its dashes; NULL: none has. */
static const char *command_with(const char *name)
{
    for (int i = 0; i < COMMAND__COUNT; i++) {
        unsigned least = 1;             /* no edit */
        if (nearest_option(ptx_option_tables[i], name, &least))
            return ptx_command_words[i];
    }
    return NULL;
}

static void complain_option(const Options *options, int error)
{
    char text[160], name[64];
    const char *word = poptBadOption(options->popt, POPT_BADOPTION_NOALIAS),
               *why = poptStrerror(error), *other = NULL, *near = NULL;
    unsigned least = 3;
    const char *bare = word + strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
    if (error == POPT_ERROR_BADOPT && strlen(name) > 1) {
        near = nearest_option(ptx_option_tables[options->command], name, &least);
        other = least ? command_with(name) : NULL;
    }
    if (other)
        snprintf(text, sizeof text, "%s of %s; `ptxlint %s` has it", why,
                 ptx_command_words[options->command], other);
    else
        snprintf(text, sizeof text, near ? "%s; did you mean --%.40s?" : "%s", why, near);
    ptx_complain(word, text);
}

/* A file, or a name that an input has: "" is none. */
static const char *name_of_path(int option)
{
    static const struct { int option; const char *name; } paths[] = {
        { OPT_RULES, "--rules" },       { OPT_CONFIG, "--config" },
        { OPT_LAUNCH, "--launch" },     { OPT_PTXAS_LOG, "--ptxas-log" },
        { OPT_BASELINE, "--baseline" }, { OPT_BUDGET, "--budget" },
        { OPT_OUTPUT, "--output" },     { OPT_STDIN_FILENAME, "--stdin-filename" },
        { OPT_KERNEL, "--kernel" },     { OPT_CACHE, "--cache" },
        { OPT_GIT, "--git" },         { OPT_MEASURED, "--measured" },
        { OPT_COLUMN, "--column" },
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i].option == option)
            return paths[i].name;
    return NULL;
}

/* Complains of an empty value of such an option. */
static bool is_empty_path(int option, const char *value)
{
    const char *name = value && !*value ? name_of_path(option) : NULL;
    if (name)
        ptx_complain(name, "its value is empty");
    return name;
}

/* popt says nothing of it: where it has no word, errno does. */
static Parsed complain_no_memory(void)
{
    ptx_complain_memory();
    return PARSED_FAILED;
}

static Parsed parse_options(Options *options)
{
    int option;
    while ((option = poptGetNextOpt(options->popt)) > 0) {
        if (option == OPT_HELP)
            return ptx_help_print(options) ? PARSED_DONE : complain_no_memory();
        if (option == OPT_VERSION) {
            printf("ptxlint %s\n", ptxlint_version());
            return PARSED_DONE;
        }
        char *value = poptGetOptArg(options->popt);
        if (!value && errno == ENOMEM)
            return complain_no_memory();
        if (is_empty_path(option, value)) {
            free(value);
            return PARSED_BAD;
        }
        if (!apply(options, option, value))
            return PARSED_BAD;
    }
    if (option < -1) {
        complain_option(options, option);
        return PARSED_BAD;
    }
    return PARSED_RUN;
}

/* What --format FORMAT and --output say is a document too, and the only one where there is no
 * --format FORMAT=FILE: the first in order. */
static Parsed finish_outputs(Options *options)
{
    bool is_wanted = options->has_format || options->output.path || !options->output_count;
    if (is_wanted && !add_output(options, options->output.format, options->output.path)) {
        ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
        return PARSED_FAILED;
    }
    Document last = options->outputs[options->output_count - 1];
    if (is_wanted) {
        memmove(options->outputs + 1, options->outputs, (options->output_count - 1) * sizeof last);
        options->outputs[0] = last;
    }
    free(options->output.path);
    options->output = options->outputs[0];
    return PARSED_RUN;
}

/* "help" and "help COMMAND" are --help of that command. */
static Parsed print_help(Options *options, char *program, char *word)
{
    char text[120], *words[] = { program, word, NULL };
    options->has_command = take_command(options, word);
    if (word && !options->has_command) {
        const char *near = ptx_nearest_command(word);
        snprintf(text, sizeof text,
                 near ? "'%.40s' is no command; did you mean %s?"
                      : "'%.40s' is no command; ptxlint --help lists them",
                 word, near);
        ptx_complain("help", text);
        return PARSED_BAD;
    }
    if (!open_popt(options, 1 + options->has_command, words))
        return complain_no_memory();
    return ptx_help_print(options) ? PARSED_DONE : complain_no_memory();
}

static Parsed parse_line(Options *options, int argc, char **argv)
{
    *options = (Options){ .slack_percent = 5,
                          .min_gain_percent = (double)NAN,
                          .command = COMMAND_CHECK };
    if (argc < 1)
        return PARSED_BAD;
    if (argc > 1 && !strcmp(argv[1], "help"))
        return print_help(options, argv[0], argv[2]);
    options->has_command = take_command(options, argv[1]);
    if (!open_popt(options, argc, argv))
        return complain_no_memory();
    Parsed parsed = parse_options(options);
    if (parsed != PARSED_RUN)
        return parsed;
    options->paths = poptGetArgs(options->popt);
    if (!options->paths && errno == ENOMEM)
        return complain_no_memory();
    if (options->command == COMMAND_FIX) {
        options->command = COMMAND_CHECK;
        options->has_fix = true;
    }
    parsed = finish_outputs(options);
    return parsed == PARSED_RUN ? ptx_options_check(options) : parsed;
}

/* Without memory popt calls exit(EXIT_FAILURE), which would mean a finding. */
static bool is_popt_at_work;

static void correct_exit(void)
{
    if (is_popt_at_work)
        _exit(EXIT_INTERNAL);
}

Parsed ptx_options_parse(Options *options, int argc, char **argv)
{
    is_popt_at_work = !atexit(correct_exit);
    Parsed parsed = parse_line(options, argc, argv);
    is_popt_at_work = false;
    return parsed;
}

void ptx_options_free(Options *options)
{
    ptx_strings_free(&options->gpus);
    ptx_strings_free(&options->kernels);
    for (int i = 0; i < SETTING_COUNT; i++)
        ptx_strings_free(&options->settings[i]);
    for (int i = 0; i < CHOICE_COUNT; i++)
        ptx_strings_free(&options->choices[i]);
    ptx_strings_free(&options->rules);
    ptx_strings_free(&options->only);
    ptx_strings_free(&options->logs);
    free(options->config_path);
    free(options->stdin_filename);
    free(options->cache_path);
    free(options->git_base);
    free(options->measured_path);
    free(options->column);
    free(options->source_root);
    free(options->docs_url);
    ptx_strings_free(&options->tolerances);
    ptx_strings_free(&options->registers);
    ptx_strings_free(&options->shared);
    ptx_strings_free(&options->blocks);
    free(options->baseline_path);
    free(options->budget_path);
    free(options->ptxas);
    free(options->launch_path);
    free(options->kernel_glob);
    if (!options->output_count)
        free(options->output.path);
    for (size_t i = 0; i < options->output_count; i++)
        free(options->outputs[i].path);
    free(options->outputs);
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
bool ptx_options_has_color(const Options *options, const char *path)
{
    const char *force = variable("CLICOLOR_FORCE"), *terminal = variable("TERM");
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    if (*variable("NO_COLOR"))
        return false;
    if (*force && strcmp(force, "0") != 0)
        return true;
    return !path && isatty(STDOUT_FILENO) && *terminal && strcmp(terminal, "dumb") != 0;
}
