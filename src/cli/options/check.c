#include "cli/options/check.h"

#include "support/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder that a path lies in, and the name in it; false: there is none. */
static bool stat_folder(const char *path, struct stat *out, const char **name)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        *name = path;
        return !stat(".", out);
    }
    *name = slash + 1;
    char *folder = strndup(path, (size_t)(slash + 1 - path));
    const bool is_there = folder && !stat(folder, out);
    free(folder);
    return is_there;
}

/* Whether two paths name one file, however they are spelt; it need not be there yet. Devices take
 * several documents. */
static bool name_one_file(const char *a, const char *b)
{
    struct stat left, right;
    const char *left_name, *right_name;
    if (!strcmp(a, b))
        return true;
    const bool has_left = !stat(a, &left), has_right = !stat(b, &right);
    if (has_left || has_right)
        return has_left && has_right && S_ISREG(left.st_mode) && is_same_file(&left, &right);
    return stat_folder(a, &left, &left_name) && stat_folder(b, &right, &right_name)
           && is_same_file(&left, &right) && !strcmp(left_name, right_name);
}

/* A place that two documents would be written to; NULL: there is none. */
static const char *find_clash(const Options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *a = options->outputs[i].path, *b = options->outputs[j].path;
            bool is_same = a && b ? name_one_file(a, b) : a == b;
            if (is_same)
                return ptx_text_or(a, "standard output");
        }
    return NULL;
}

static bool is_named_input(const Options *options, const char *path)
{
    struct stat output, input;
    if (!path || stat(path, &output) || !S_ISREG(output.st_mode))
        return false;
    for (size_t i = 0; options->paths && options->paths[i]; i++)
        if (!stat(options->paths[i], &input) && is_same_file(&input, &output))
            return true;
    return false;
}

/* A place to be written to that is one of the files to be read; NULL: there is none. */
static const char *find_overwritten(const Options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (is_named_input(options, options->outputs[i].path))
            return options->outputs[i].path;
    return is_named_input(options, options->baseline_path) ? options->baseline_path : NULL;
}

static bool has_tables(const Options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (options->outputs[i].format > FORMAT_JSONL)
            return false;
    return true;
}

/* First words of commands that take one. */
static const char *const verbs[COMMAND__COUNT] = { [COMMAND_CONFIG] = "show, files, init",
                                                   [COMMAND_BASELINE] = "write, prune",
                                                   [COMMAND_BUDGET] = "init",
                                                   [COMMAND_LAUNCH] = "init, record" };

/* One of them, and something behind it. */
static bool has_verb(const Options *options)
{
    const char *const *words = (const char *const *)options->paths;
    return words && words[0] && words[1]
           && ptx_has_word(verbs[options->command], words[0], strlen(words[0]));
}

static bool is_diff_use(const Options *options)
{
    const char *const *words = (const char *const *)options->paths;
    if (options->git_base)
        return options->git_command && options->git_command[0];
    return words && words[0] && words[1] && !words[2];
}

/* What is missing from the words behind the command, or too much; or NULL. */
static const char *find_bad_words(const Options *options, bool has_words)
{
    switch (options->command) {
    case COMMAND_CHECK: case COMMAND_FIX: case COMMAND_REPORT: case COMMAND_TUNE: case COMMAND_RANK:
    case COMMAND_ANNOTATE: case COMMAND_OPTSPACE:
        return has_words ? NULL : "no PATH given; see ptxlint --help";
    case COMMAND_VERIFY:
        if (!options->measured_path)
            return "verify: the measured times are missing; give --measured FILE";
        return has_words ? NULL : "no PATH given; see ptxlint verify --help";
    case COMMAND_GPU:
        return ptx_is_gpu_measure(options) && options->paths[1]
                   ? "gpu measure takes no further words: it is about the GPU of this machine"
                   : NULL;
    case COMMAND_CALIBRATE:
        if (!options->measured_path)
            return "calibrate: the measured times are missing; give --measured FILE";
        return has_words ? NULL : "no PATH given; see ptxlint calibrate --help";
    case COMMAND_RECOGNIZE:
        return has_words ? NULL : "recognize: missing FILE";
    case COMMAND_GRAPH:
        return has_words ? NULL : "graph: missing FILE";
    case COMMAND_MERGE:
        return has_words ? NULL : "merge: missing REPORT; `ptxlint --shard I/N` writes them";
    case COMMAND_EXPLAIN:
        return has_words ? NULL : "explain: missing RULE; `ptxlint rules` lists them all";
    case COMMAND_CONFIG:
        return has_words ? NULL : "config: missing subcommand (show, files, init)";
    case COMMAND_BASELINE:
        return has_verb(options)
                   ? NULL
                   : "baseline: missing subcommand or PATH (write PATH..., prune PATH...)";
    case COMMAND_DIFF:
        if (options->git_base)
            return is_diff_use(options) ? NULL
                                        : "diff: the command that makes PTX is missing: "
                                          "diff --git BASE -- COMMAND";
        return is_diff_use(options)
                   ? NULL
                   : "diff: OLD and NEW are missing: PTX files, folders, or saved reports";
    case COMMAND_BUDGET:
        return has_verb(options) ? NULL
                                      : "budget: missing subcommand or PATH (init PATH...)";
    case COMMAND_EXTRACT:
        return has_words && !options->paths[1] ? NULL : "extract takes one FILE; see its --help";
    case COMMAND_LAUNCH:
        return has_verb(options)
                   ? NULL
                   : "launch: missing subcommand or words (init PATH..., record PROGRAM ARG...)";
    case COMMAND_OCCUPANCY:
        return has_words ? "occupancy takes numbers, no PATH; `ptxlint report` has that of kernels"
                         : NULL;
    case COMMAND_COMPLETIONS:
        return has_words ? NULL : "completions: missing shell (bash, zsh, fish)";
    case COMMAND_MCP:
        return has_words ? "mcp takes no further words" : NULL;
    case COMMAND_LSP:
        return has_words ? "lsp takes no further words" : NULL;
    case COMMAND_MANUAL:
        return has_words ? "manual takes no further words" : NULL;
    default:
        return NULL;
    }
}

static bool has_standard_input(const Options *options)
{
    for (size_t i = 0; options->paths && options->paths[i]; i++)
        if (!strcmp(options->paths[i], "-"))
            return true;
    return false;
}

/* The same of fixes and of standard input. */
static const char *find_fix_conflict(const Options *options)
{
    if (!options->has_fix && (options->has_diff || options->is_unsafe))
        return "--diff and --unsafe need --fix";
    if (options->has_fix && options->ptxas)
        return "--ptxas does not go with fixes: it is about the text as it was";
    if (options->has_fix && options->has_statistics && options->has_diff)
        return "--statistics does not go with --diff";
    if (options->stdin_filename && !has_standard_input(options))
        return "--stdin-filename needs - among the inputs";
    if (options->has_fix && has_standard_input(options) && options->paths[1])
        return "fixes of standard input take - alone, since its text is what is printed";
    return NULL;
}

/* What a run that is shared out among machines cannot do. */
static const char *find_shard_conflict(const Options *options)
{
    bool has_part = false;
    for (size_t i = 0; i < options->output_count; i++)
        has_part |= options->outputs[i].format == FORMAT_JSON
                    || options->outputs[i].format == FORMAT_SARIF;
    if (options->shard && options->has_statistics)
        return "--shard and --statistics exclude each other: `ptxlint merge` has --statistics";
    if (options->shard && options->has_fix)
        return "--shard does not go with fixes";
    if (options->shard && has_standard_input(options))
        return "--shard takes no standard input: all shards must see it";
    if (options->shard && !has_part)
        return "--shard needs --format json or sarif, which `ptxlint merge` reads";
    return find_fix_conflict(options);
}

/* Which of the options exclude each other; or NULL. */
static const char *find_conflict(const Options *options, bool has_words)
{
    if (options->has_no_baseline && options->baseline_path)
        return "--baseline and --no-baseline exclude each other";
    if (options->has_list && has_words && options->command == COMMAND_ISA)
        return "isa: --list takes no OPCODE";
    if (options->since && (has_words || options->has_list) && options->command == COMMAND_ISA)
        return "isa: --since takes neither OPCODE nor --list";
    if (options->has_no_config && options->config_path)
        return "--config and --no-config exclude each other";
    if (options->has_statistics && !has_tables(options))
        return "--statistics needs --format text, oneline, json or jsonl";
    return find_shard_conflict(options);
}

/* Complains of a first word that is nearly what this command takes there. */
static bool is_subcommand_slip(const Options *options)
{
    const char *words = verbs[options->command], *first = options->paths[0];
    if (!words || ptx_has_word(words, first, strlen(first)))
        return false;
    return !ptx_complain_value(ptx_command_words[options->command], first, words);
}

const char *ptx_nearest_command(const char *word)
{
    const char *nearest = NULL;
    unsigned least = 3;
    for (int i = 0; i < COMMAND__COUNT; i++) {
        unsigned apart = ptx_word_distance(word, ptx_command_words[i]);
        if (apart < least && 2 * apart <= strlen(word))
            least = apart, nearest = ptx_command_words[i];
    }
    return nearest;
}

/* Complains of a first word that is no file and nearly a command: `ptxlint chek FILE`. */
static bool is_command_slip(const Options *options)
{
    const char *first = options->paths[0];
    char text[160];
    if (options->has_command || strpbrk(first, "*?[/") || access(first, F_OK) == 0)
        return false;
    const char *nearest = ptx_nearest_command(first);
    bool is_help = !strcmp(first, "help") || !strcmp(first, "version");
    if (is_help)
        snprintf(text, sizeof text, "no such file or command; did you mean --%s?", first);
    else if (nearest)
        snprintf(text, sizeof text, "no such file; did you mean the command `%s`?", nearest);
    else
        return false;
    ptx_complain(first, text);
    return true;
}

/* Whether --source-root names no folder; complains then. */
static bool is_root_slip(const Options *options)
{
    bool is_slip = options->source_root && !ptxlint_source_root(options->source_root, NULL, 0);
    if (is_slip)
        ptx_complain(options->source_root, "is no folder, and --source-root wants one");
    return is_slip;
}

Parsed ptx_options_check(const Options *options)
{
    const char *clash = find_clash(options);
    if (clash) {
        ptx_complain(clash, "two documents cannot go to one place");
        return PARSED_BAD;
    }
    const char *overwritten = find_overwritten(options);
    if (overwritten) {
        ptx_complain(overwritten, "this is an input, and would be overwritten");
        return PARSED_BAD;
    }
    bool has_words = options->paths && options->paths[0];
    if (has_words && (is_subcommand_slip(options) || is_command_slip(options)))
        return PARSED_BAD;
    if (is_root_slip(options))
        return PARSED_BAD;
    const char *trouble = find_bad_words(options, has_words);
    if (!trouble)
        trouble = find_conflict(options, has_words);
    if (trouble)
        ptx_complain(NULL, trouble);
    return trouble ? PARSED_BAD : PARSED_RUN;
}
