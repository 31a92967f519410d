/* gates.c -- what decides whether findings count: baselines. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_baseline[] = "ptxlint-baseline.json";

static ExitCode complain_memory(void)
{
    return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static ExitCode read_known(Baseline *baseline)
{
    char error[1024] = "", *text;
    size_t length;
    ExitCode code = ptx_file_read(baseline->path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_baseline_read(baseline->known, baseline->path, text, length, error, sizeof error);
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

static ExitCode open_baseline(Gates *gates, const Options *options, const Settings *settings, const char *path)
{
    Baseline **grown = realloc(gates->baselines, (gates->baseline_count + 1) * sizeof(Baseline *));
    if (grown)
        gates->baselines = grown;
    Baseline *baseline = grown ? calloc(1, sizeof *baseline) : NULL;
    if (!baseline)
        return complain_memory();
    gates->baselines[gates->baseline_count++] = baseline;
    baseline->path = strdup(path);
    baseline->config = settings->config;
    if (!baseline->path || ptxlint_baseline_new(&baseline->known) != PTXLINT_OK || ptxlint_baseline_new(&baseline->found) != PTXLINT_OK)
        return complain_memory();
    return is_write(options) ? EXIT_CLEAN : read_known(baseline);
}

ExitCode ptx_gates_find(Gates *gates, const Options *options, const Settings *settings, Baseline **out)
{
    bool is_wanted = options->command == COMMAND_BASELINE || (!options->has_no_config && !access(default_baseline, F_OK));
    const char *path = options->has_no_baseline ? NULL : options->baseline_path ? options->baseline_path :
                       settings->baseline_path ? settings->baseline_path : is_wanted ? default_baseline : NULL;
    *out = NULL;
    if (!path)
        return EXIT_CLEAN;
    for (size_t i = 0; i < gates->baseline_count; i++)
        if (!strcmp(gates->baselines[i]->path, path)) {
            *out = gates->baselines[i];
            return EXIT_CLEAN;
        }
    ExitCode code = open_baseline(gates, options, settings, path);
    if (code == EXIT_CLEAN)
        *out = gates->baselines[gates->baseline_count - 1];
    return code;
}

void ptx_gates_free(Gates *gates)
{
    for (size_t i = 0; i < gates->baseline_count; i++)
        baseline_free(gates->baselines[i]);
    free(gates->baselines);
}

/* ---- what has become of them ------------------------------------------------------------------------------------- */

static ExitCode tell_stale(const Baseline *baseline)
{
    size_t stale;
    char text[160];
    ptxlint_status status = ptxlint_baseline_stale(baseline->known, baseline->found, baseline->config, &stale);
    if (status != PTXLINT_OK)
        return ptx_complain_status(baseline->path, status);
    if (!stale)
        return EXIT_CLEAN;
    snprintf(text, sizeof text, "%zu %s more findings than there are; `ptxlint baseline prune PATH...`, with all files, forgets them", stale,
             stale == 1 ? "entry stands for" : "entries stand for");
    ptx_complain(baseline->path, text);
    return EXIT_CLEAN;
}

ExitCode ptx_gates_tell(const Gates *gates)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < gates->baseline_count; i++)
        code = exit_code_max(code, tell_stale(gates->baselines[i]));
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
    return exit_code_max(code, ptx_sink_close(&sink));
}

static ExitCode save(Baseline *baseline, const Options *options, Text *out)
{
    bool is_new = is_write(options);
    size_t pruned = 0;
    ptxlint_status status = is_new ? PTXLINT_OK : ptxlint_baseline_prune(baseline->known, baseline->found, baseline->config, &pruned);
    if (status != PTXLINT_OK)
        return ptx_complain_status(baseline->path, status);
    const ptxlint_baseline *what = is_new ? baseline->found : baseline->known;
    size_t size = ptxlint_baseline_size(what);
    ExitCode code = is_new || pruned ? write_baseline(what, baseline->path) : EXIT_CLEAN;
    if (code != EXIT_CLEAN)
        return code;
    ptx_text_print(out, "%s: %zu %s", baseline->path, size, size == 1 ? "entry" : "entries");
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
