/* gates.c -- what decides whether findings and figures count: baselines, budgets. */
#include "cli/cli.h"
#include "support/choice.h"
#include "support/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_baseline[] = "ptxlint-baseline.json";

/* ---- reading --------------------------------------------------------------------------------- */

/* is_asked: by an option. */
static ExitCode read_known(Baseline *baseline, bool is_asked)
{
    char error[1024] = "", *text = NULL;
    size_t length = 0;
    ExitCode code = ptx_file_read_named(baseline->path, is_asked, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_baseline_read(baseline->known, baseline->path, text, length,
                                                  error, sizeof error);
    free(text);
    if (status != PTXLINT_BAD_FILE)
        return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(baseline->path, status);
    ptx_complain_line(error);
    return EXIT_USAGE;
}

static void baseline_free(Baseline *baseline)
{
    ptxlint_baseline_free(baseline->known);
    ptxlint_baseline_free(baseline->found);
    free(baseline->path);
    free(baseline);
}

static bool is_write(const Options *options)
{
    return options->command == COMMAND_BASELINE && !strcmp(options->paths[0], "write");
}

static ExitCode open_baseline(Gates *gates, const Options *options, const Settings *settings,
                              const char *path)
{
    size_t capacity = gates->baseline_count;
    const bool has_room = ptx_list_reserve(&gates->baselines, &capacity, gates->baseline_count + 1,
                                           sizeof *gates->baselines);
    Baseline *baseline = has_room ? calloc(1, sizeof *baseline) : NULL;
    if (!baseline)
        return ptx_complain_memory();
    gates->baselines[gates->baseline_count++] = baseline;
    baseline->path = strdup(path);
    baseline->config = settings->config;
    if (!baseline->path || ptxlint_baseline_new(&baseline->known) != PTXLINT_OK
        || ptxlint_baseline_new(&baseline->found) != PTXLINT_OK)
        return ptx_complain_memory();
    return is_write(options) ? EXIT_CLEAN : read_known(baseline, options->baseline_path != NULL);
}

/* the baseline of the command line, else that of the config, else the one beside it; or NULL */
static const char *baseline_path(const Options *options, const Settings *settings)
{
    if (options->has_no_baseline)
        return NULL;
    if (options->baseline_path)
        return options->baseline_path;
    if (settings->baseline_path)
        return settings->baseline_path;
    bool is_wanted = options->command == COMMAND_BASELINE
                     || (!options->has_no_config && !access(default_baseline, F_OK));
    return is_wanted ? default_baseline : NULL;
}

ExitCode ptx_gates_find(Gates *gates, const Options *options, const Settings *settings,
                        Baseline **out)
{
    const char *path = baseline_path(options, settings);
    *out = NULL;
    if (!path)
        return EXIT_CLEAN;
    for (size_t i = 0; i < gates->baseline_count; i++)
        if (!strcmp(gates->baselines[i]->path, path)) {
            *out = gates->baselines[i];
            return EXIT_CLEAN;
        }
    if (path != options->baseline_path && !ptx_settings_may_name(settings, path)) {
        ptx_complain(path, "is no file below the source root; name another by --baseline");
        return EXIT_USAGE;
    }
    ExitCode code = open_baseline(gates, options, settings, path);
    if (code == EXIT_CLEAN)
        *out = gates->baselines[gates->baseline_count - 1];
    return code;
}

/* ---- budgets --------------------------------------------------------------------------------- */

static ExitCode read_budget(Budget *budget)
{
    char error[1024] = "", *text;
    size_t length;
    ExitCode code = ptx_file_read_settings(budget->path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_budget_new(budget->path, text, length, &budget->budget, error,
                                               sizeof error);
    free(text);
    if (status != PTXLINT_BAD_FILE)
        return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(budget->path, status);
    ptx_complain_line(error);
    return EXIT_USAGE;
}

static ExitCode complain_gpu(const Budget *budget, const ptxlint_budget_entry *entry)
{
    char text[160];
    snprintf(text, sizeof text, "no GPU is called '%.60s'; `ptxlint gpu` lists them", entry->gpu);
    ptx_complain_at(budget->path, entry->line, entry->column, text);
    return EXIT_USAGE;
}

static ExitCode find_gpus(Budget *budget)
{
    ptxlint_budget_entry entry;
    size_t count = 0, limit;
    ExitCode code = EXIT_CLEAN;
    while (ptxlint_budget_at(budget->budget, count, &entry))
        count++;
    for (limit = 0; ptxlint_gpu_at(limit); limit++)
        ;
    budget->covers = calloc(count + 1, 1);
    if (!budget->covers)
        return ptx_complain_memory();
    for (size_t i = 0; i < count && code == EXIT_CLEAN; i++)
        if (ptxlint_budget_at(budget->budget, i, &entry) && entry.gpu) {
            if (ptxlint_gpu_find(entry.gpu))
                code = ptx_inputs_add_gpu(&budget->inputs, entry.gpu, limit);
            else
                code = complain_gpu(budget, &entry);
        }
    return code;
}

static ExitCode open_budget(Gates *gates, const char *path)
{
    size_t capacity = gates->budget_count;
    const bool has_room = ptx_list_reserve(&gates->budgets, &capacity, gates->budget_count + 1,
                                           sizeof *gates->budgets);
    Budget *budget = has_room ? calloc(1, sizeof *budget) : NULL;
    if (!budget)
        return ptx_complain_memory();
    gates->budgets[gates->budget_count++] = budget;
    budget->path = strdup(path);
    ExitCode code = budget->path ? read_budget(budget) : ptx_complain_memory();
    return code == EXIT_CLEAN ? find_gpus(budget) : code;
}

ExitCode ptx_gates_find_budget(Gates *gates, const Options *options, const Settings *settings,
                               Budget **out)
{
    const char *path = options->budget_path ? options->budget_path : settings->budget_path;
    *out = NULL;
    for (size_t i = 0; path && i < gates->budget_count && !*out; i++)
        if (!strcmp(gates->budgets[i]->path, path))
            *out = gates->budgets[i];
    if (!path || *out)
        return EXIT_CLEAN;
    ExitCode code = open_budget(gates, path);
    if (code == EXIT_CLEAN)
        *out = gates->budgets[gates->budget_count - 1];
    return code;
}

/* Another GPU was asked for on the command line; all else may be a slip. */
static ExitCode tell_uncovered(const Budget *budget, size_t index,
                               const ptxlint_budget_entry *entry, bool is_part)
{
    static const char *const why[] = {
        [PTXLINT_NOT_COVERED] = "no kernel has this name",
        [PTXLINT_OTHER_GPU] = "not asked for on this GPU",
        [PTXLINT_OTHER_LAUNCH] = "the launch has another grid or block"
    };
    unsigned char cover = budget->covers[index];
    char text[400];
    if (cover == PTXLINT_COVERED || (is_part && cover == PTXLINT_NOT_COVERED))
        return EXIT_CLEAN;
    snprintf(text, sizeof text, "%s:%u:%u: not checked: `%.100s`%s%s: %s", budget->path,
             (unsigned)entry->line, (unsigned)entry->column, entry->kernel,
             ptx_text_if(entry->gpu, " on "), ptx_text_or(entry->gpu, ""), why[cover]);
    ptx_complain_line(text);
    return cover == PTXLINT_OTHER_GPU ? EXIT_CLEAN : EXIT_FOUND;
}

ExitCode ptx_gates_report_budgets(const Gates *gates, bool is_part)
{
    ExitCode code = EXIT_CLEAN;
    ptxlint_budget_entry entry;
    for (size_t b = 0; b < gates->budget_count; b++)
        for (size_t i = 0; ptxlint_budget_at(gates->budgets[b]->budget, i, &entry); i++)
            code = exit_code_max(code, tell_uncovered(gates->budgets[b], i, &entry, is_part));
    return code;
}

static void budget_free(Budget *budget)
{
    ptxlint_budget_free(budget->budget);
    ptx_inputs_free(&budget->inputs);
    free(budget->covers);
    free(budget->path);
    free(budget);
}

void ptx_gates_free(Gates *gates)
{
    for (size_t i = 0; i < gates->baseline_count; i++)
        baseline_free(gates->baselines[i]);
    for (size_t i = 0; i < gates->budget_count; i++)
        budget_free(gates->budgets[i]);
    free(gates->baselines);
    free(gates->budgets);
}

/* ---- what has become of them ----------------------------------------------------------------- */

static ExitCode tell_stale_known(const Baseline *baseline)
{
    size_t stale;
    char text[160];
    ptxlint_status status = ptxlint_baseline_stale(baseline->known, baseline->found,
                                                   baseline->config, &stale);
    if (status != PTXLINT_OK)
        return ptx_complain_status(baseline->path, status);
    if (!stale)
        return EXIT_CLEAN;
    snprintf(text, sizeof text,
             "%zu %s more findings than there are; `ptxlint baseline prune PATH...`, with all "
             "files, removes them",
             stale, stale == 1 ? "entry stands for" : "entries stand for");
    ptx_complain(baseline->path, text);
    return EXIT_CLEAN;
}

const char *ptx_gates_path(const Gates *gates, size_t index)
{
    return gates->baselines[index]->path;
}

ExitCode ptx_gates_report(const Gates *gates)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < gates->baseline_count; i++)
        code = exit_code_max(code, tell_stale_known(gates->baselines[i]));
    return code;
}

static ExitCode write_baseline(const ptxlint_baseline *what, const char *path)
{
    Sink sink;
    ExitCode code = ptx_sink_open(&sink, path);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_baseline_write(what, ptx_sink_write, &sink);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        code = ptx_complain_status(path, status);
    sink.is_dropped = code != EXIT_CLEAN;
    return exit_code_max(code, ptx_sink_close(&sink));
}

static ExitCode save(Baseline *baseline, const Options *options, Text *out)
{
    bool is_new = is_write(options);
    size_t pruned = 0;
    ptxlint_status status = is_new ? PTXLINT_OK
                                   : ptxlint_baseline_prune(baseline->known, baseline->found,
                                                            baseline->config, &pruned);
    if (status != PTXLINT_OK)
        return ptx_complain_status(baseline->path, status);
    const ptxlint_baseline *what = is_new ? baseline->found : baseline->known;
    size_t size = ptxlint_baseline_size(what);
    ExitCode code = is_new || pruned ? write_baseline(what, baseline->path) : EXIT_CLEAN;
    if (code != EXIT_CLEAN)
        return code;
    ptx_text_show(out, baseline->path);
    ptx_text_print(out, ": %zu %s", size, size == 1 ? "entry" : "entries");
    if (!is_new)
        ptx_text_print(out, ", %zu pruned", pruned);
    ptx_text_put(out, "\n");
    return EXIT_CLEAN;
}

ExitCode ptx_gates_save(const Gates *gates, const Options *options, Text *out)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < gates->baseline_count; i++)
        code = exit_code_max(code, save(gates->baselines[i], options, out));
    return code;
}
