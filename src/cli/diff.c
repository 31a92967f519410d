/* diff.c -- two versions side by side: PTX files, folders of them, and saved reports. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Diff {
    const Options *options;
    const GitSides *git;        /* NULL: paths are named */
    char titles[2][80];         /* of git: "main (1a2b3c4)" */
    Options inside;             /* of git: as options, files by their full names */
    const char *paths[2];       /* old, new */
    const char *here;           /* of git: the working directory */
    bool is_saved[2];           /* a report */
    ptxlint_report *reports[2];
    ReportRun *runs[2];         /* NULL: saved, or of git */
    StringList tolerances;      /* of the config, then of the command line */
    ptxlint_diff *diff;
    Text accept;
    Matched matched;
} Diff;

/* ---- both sides ------------------------------------------------------------------------------ */

/* JSON begins with a brace, PTX never does. */
static bool is_report(const char *path)
{
    struct stat st;
    int byte = EOF;
    FILE *file = strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rb")
                                                                              : NULL;
    if (!file)
        return false;
    do
        byte = fgetc(file);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r');
    fclose(file);
    return byte == '{';
}

static ExitCode read_saved(const char *path, ptxlint_report *report)
{
    char error[1024] = "", *text;
    size_t length;
    ExitCode code = ptx_file_read(path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_report_read(report, path, text, length, error, sizeof error);
    free(text);
    if (status != PTXLINT_BAD_FILE)
        return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(path, status);
    ptx_complain_line(error);
    return EXIT_USAGE;
}

/* What the command has made. */
static ExitCode read_git_side(Diff *d, int side)
{
    static const char *const all[] = { ".", NULL };
    const char *const *paths = d->options->paths ? (const char *const *)d->options->paths : all;
    char text[160];
    ExitCode code = ptx_git_enter(d->git, side);
    bool is_there = code == EXIT_CLEAN;
    for (size_t i = 0; paths[i] && code < EXIT_USAGE; i++) {
        ReportRun *run;
        ExitCode here = ptx_report_find(&d->inside, paths[i], &d->matched, d->reports[side], &run);
        if (here < EXIT_INTERNAL)
            here = exit_code_max(here, ptx_report_take(run));
        ptx_report_free(run);
        code = exit_code_max(code, here);
    }
    if (!is_there || ptxlint_report_size(d->reports[side]))
        return code;
    snprintf(text, sizeof text, "%.80s has no kernel: has the command made PTX there?",
             d->titles[side]);
    ptx_complain("--git", text);
    return exit_code_max(code, EXIT_USAGE);
}

/* Once both are built, nothing is run or written any more. */
static ExitCode read_git_sides(Diff *d)
{
    ExitCode code = EXIT_CLEAN;
    for (int side = 0; side < 2 && code == EXIT_CLEAN; side++)
        code = ptx_git_build(d->git, side, d->options->git_command);
    if (code == EXIT_CLEAN && chdir(d->here))
        code = ptx_complain_status(d->here, PTXLINT_IO);
    if (code == EXIT_CLEAN)
        code = ptx_sandbox_enter(d->options, &(SandboxNeeds){ .reads_anywhere = true });
    for (int side = 0; side < 2 && code < EXIT_USAGE; side++)
        code = exit_code_max(code, read_git_side(d, side));
    return code;
}

/* A saved report is read, of PTX the modules are found. */
static ExitCode find_side(Diff *d, int side)
{
    const char *path = d->paths[side];
    d->is_saved[side] = is_report(path);
    if (d->is_saved[side])
        return read_saved(path, d->reports[side]);
    return ptx_report_find(d->options, path, &d->matched, d->reports[side], &d->runs[side]);
}

static ExitCode take_side(Diff *d, int side)
{
    ExitCode code = d->runs[side] ? ptx_report_take(d->runs[side]) : EXIT_CLEAN;
    if (code == EXIT_CLEAN && !ptxlint_report_size(d->reports[side]))
        ptx_complain(d->paths[side], "has no kernel");
    return code;
}

static ExitCode read_named_sides(Diff *d)
{
    ExitCode code = EXIT_CLEAN;
    for (int side = 0; side < 2 && code < EXIT_USAGE; side++)
        code = exit_code_max(code, find_side(d, side));
    const SandboxNeeds needs = { .files = { ptx_report_files(d->runs[0]),
                                            ptx_report_files(d->runs[1]) } };
    if (code < EXIT_USAGE)
        code = exit_code_max(code, ptx_sandbox_enter(d->options, &needs));
    for (int side = 0; side < 2 && code < EXIT_USAGE; side++)
        code = exit_code_max(code, take_side(d, side));
    return code;
}

static ExitCode read_sides(Diff *d)
{
    for (int side = 0; side < 2; side++)
        if (ptxlint_report_new(&d->reports[side]) != PTXLINT_OK)
            return ptx_complain_memory();
    return d->git ? read_git_sides(d) : read_named_sides(d);
}

/* ---- tolerances ------------------------------------------------------------------------------ */

static ExitCode add_string(StringList *list, const char *text)
{
    return ptx_strings_add(list, text, strlen(text));
}

/* The config of the working directory: the two sides may have different ones. */
static ExitCode read_tolerances(Diff *d)
{
    Book book;
    const char *value;
    ExitCode code = ptx_book_open(&book, d->options);
    const Settings *settings = code == EXIT_CLEAN ? ptx_book_folder(&book, ".") : NULL;
    code = exit_code_max(code, book.code);
    for (size_t i = 0; settings && code == EXIT_CLEAN
                       && (value = ptxlint_config_value(settings->config, "tolerances", i));
         i++)
        code = add_string(&d->tolerances, value);
    for (size_t i = 0; i < d->options->tolerances.count && code == EXIT_CLEAN; i++)
        code = add_string(&d->tolerances, d->options->tolerances.items[i]);
    ptx_book_free(&book);
    return code;
}

static ExitCode compare(Diff *d)
{
    char error[512] = "";
    ptxlint_status status = ptxlint_diff_new(d->reports[0], d->reports[1],
                                             (const char *const *)d->tolerances.items,
                                             d->tolerances.count, &d->diff, error, sizeof error);
    if (status == PTXLINT_BAD_FILE) {
        ptx_complain("--tolerance", error);
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

/* ---- the command that accepts it ------------------------------------------------------------- */

/* As a word of the shell. */
static void put_word(Text *out, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=%+,:@-";
    ptx_text_put(out, " ");
    if (*word && strspn(word, plain) == strlen(word)) {
        ptx_text_put(out, word);
        return;
    }
    ptx_text_put(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            ptx_text_put(out, "'\\''");
        else
            ptx_text_add(out, word, 1);
    }
    ptx_text_put(out, "'");
}

static void put_option(Text *out, const char *option, const char *value)
{
    ptx_text_print(out, " %s", option);
    put_word(out, value);
}

static void put_inputs(Text *out, const Options *options)
{
    for (size_t i = 0; i < options->gpus.count; i++)
        put_option(out, "--gpu", options->gpus.items[i]);
    if (options->launch_path)
        put_option(out, "--launch", options->launch_path);
    for (int s = 0; s < SETTING_COUNT; s++)
        for (size_t i = 0; i < options->settings[s].count; i++)
            put_option(out, ptx_setting_names[s].option, options->settings[s].items[i]);
    for (size_t i = 0; i < options->logs.count; i++)
        put_option(out, "--ptxas-log", options->logs.items[i]);
    if (options->ptxas)
        put_word(out, *options->ptxas ? "--ptxas=" : "--ptxas");
    if (options->ptxas)
        ptx_text_put(out, options->ptxas);
    if (options->config_path)
        put_option(out, "--config", options->config_path);
    if (options->has_no_config)
        put_word(out, "--no-config");
}

static void put_sides(Diff *d)
{
    if (!d->git) {
        put_word(&d->accept, d->paths[0]);
        put_word(&d->accept, d->paths[1]);
        return;
    }
    for (size_t i = 0; d->options->paths && d->options->paths[i]; i++)
        put_word(&d->accept, d->options->paths[i]);
    ptx_text_put(&d->accept, " --");
    for (char **word = d->options->git_command; *word; word++)
        put_word(&d->accept, *word);
}

/* A saved report is written anew; else the tolerances let it through. */
static void make_accept(Diff *d)
{
    char tolerance[128];
    Text *out = &d->accept;
    if (d->is_saved[0] && d->is_saved[1]) {
        ptx_text_put(out, "cp --");
        put_word(out, d->paths[1]);
        put_word(out, d->paths[0]);
    } else if (d->is_saved[0]) {
        ptx_text_put(out, "ptxlint report --format json --output");
        put_word(out, d->paths[0]);
        put_inputs(out, d->options);
        put_word(out, d->paths[1]);
    } else {
        ptx_text_put(out, "ptxlint diff");
        if (d->git)
            put_option(out, "--git", d->options->git_base);
        put_inputs(out, d->options);
        for (size_t i = 0; i < d->options->tolerances.count; i++)
            put_option(out, "--tolerance", d->options->tolerances.items[i]);
        for (size_t i = 0; ptxlint_diff_tolerance_at(d->diff, i, tolerance, sizeof tolerance); i++)
            put_option(out, "--tolerance", tolerance);
        put_sides(d);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static ptxlint_format diff_format(const Document *output)
{
    if (output->format == FORMAT_JSON)
        return PTXLINT_JSON;
    if (output->format == FORMAT_HTML)
        return PTXLINT_HTML;
    return output->format == FORMAT_MARKDOWN ? PTXLINT_MARKDOWN : PTXLINT_TEXT;
}

static ExitCode write_one(const Diff *d, const Document *output)
{
    Sink sink;
    ptxlint_diff_options options;
    ptxlint_diff_options_init(&options);
    options.format = diff_format(output);
    options.color = ptx_options_has_color(d->options, output->path);
    options.old_name = d->paths[0];
    options.new_name = d->paths[1];
    options.accept = d->accept.bytes;
    ExitCode code = ptx_sink_open(&sink, output->path);
    if (code != EXIT_CLEAN)
        return code;
    ptx_sink_fit(&sink, d->options, output);
    ptxlint_status status = ptxlint_write_diff(d->diff, &options, ptx_sink_write, &sink);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        code = ptx_complain_status(output->path, status);
    sink.is_dropped = code != EXIT_CLEAN;
    return exit_code_max(code, ptx_sink_close(&sink));
}

static ExitCode write_all(Diff *d)
{
    ExitCode code = EXIT_CLEAN;
    make_accept(d);
    if (d->accept.has_failed)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; i < d->options->output_count; i++)
        code = exit_code_max(code, write_one(d, &d->options->outputs[i]));
    return exit_code_max(code,
                         ptxlint_diff_get_info(d->diff)->regressed_count ? EXIT_FOUND : EXIT_CLEAN);
}

static ExitCode diff_run(Diff *d)
{
    ExitCode code = exit_code_max(read_tolerances(d), ptx_matched_begin(&d->matched, d->options));
    if (code < EXIT_USAGE)
        code = exit_code_max(code, read_sides(d));
    if (code == EXIT_CLEAN && !(d->is_saved[0] && d->is_saved[1]))
        code = ptx_matched_report(&d->matched);
    if (code == EXIT_CLEAN)
        code = compare(d);
    return code;
}

static void diff_free(Diff *d)
{
    ptxlint_diff_free(d->diff);
    for (int side = 0; side < 2; side++) {
        ptx_report_free(d->runs[side]);
        ptxlint_report_free(d->reports[side]);
    }
    ptx_strings_free(&d->tolerances);
    ptx_text_free(&d->accept);
    ptx_matched_free(&d->matched);
}

ExitCode ptx_diff(const Options *options)
{
    if (options->git_base)
        return ptx_diff_git(options);
    Diff d = { .options = options, .paths = { options->paths[0], options->paths[1] } };
    ExitCode code = diff_run(&d);
    if (code == EXIT_CLEAN)
        code = write_all(&d);
    diff_free(&d);
    return code;
}

/* ---- commits --------------------------------------------------------------------------------- */

/* Its full name, since worktrees are other folders; what is not there keeps its name, to be
 * complained of. */
static void name_fully(StringList *kept, char **path)
{
    char *full = *path ? realpath(*path, NULL) : NULL;
    if (full && add_string(kept, full) == EXIT_CLEAN)
        *path = kept->items[kept->count - 1];
    free(full);
}

static char **name_list_fully(StringList *kept, StringList *copy, bool is_gpus)
{
    char **items = calloc(copy->count + 1, sizeof *items);
    for (size_t i = 0; items && i < copy->count; i++) {
        items[i] = copy->items[i];
        if (!is_gpus || ptx_is_gpu_file(items[i]))
            name_fully(kept, &items[i]);
    }
    copy->items = items;
    copy->count = items ? copy->count : 0;
    return items;
}

ExitCode ptx_diff_sides(const Options *options, const GitSides *sides)
{
    StringList kept = { 0 };
    char here[4096];
    Diff d = { .options = options, .git = sides, .inside = *options, .here = here };
    for (int side = 0; side < 2; side++) {
        snprintf(d.titles[side], sizeof d.titles[side], "%.60s (%.9s)", sides->names[side],
                 sides->commits[side]);
        d.paths[side] = d.titles[side];
    }
    name_fully(&kept, &d.inside.launch_path);
    name_fully(&kept, &d.inside.config_path);
    bool is_good = name_list_fully(&kept, &d.inside.gpus, true)
                   && name_list_fully(&kept, &d.inside.rules, false)
                   && name_list_fully(&kept, &d.inside.logs, false);
    ExitCode code = is_good && getcwd(here, sizeof here) ? diff_run(&d) : ptx_complain_memory();
    if (code == EXIT_CLEAN && chdir(here))
        code = ptx_complain_status(here, PTXLINT_IO);
    if (code == EXIT_CLEAN)
        code = write_all(&d);
    diff_free(&d);
    free(d.inside.gpus.items);
    free(d.inside.rules.items);
    free(d.inside.logs.items);
    ptx_strings_free(&kept);
    return code;
}
