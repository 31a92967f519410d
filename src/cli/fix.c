/* fix.c -- `ptxlint fix` and `check --fix`: edits of findings made in files. A file is written
 * beside itself and renamed, and only where it still is what was read. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- in any thread --------------------------------------------------------------------------- */

static void take_fixed_module(const ptxlint_options *options, Job *job)
{
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(job->fixes);
    ptxlint_options after = *options;
    job->before = job->module;
    job->module = NULL;
    after.path = ptxlint_module_get_info(job->before)->path;
    job->status = ptxlint_module_new(info->text, info->length, &after, &job->module);
}

void ptx_fix_module(const Options *cli, const ptxlint_options *options, Job *job)
{
    ptxlint_fix_options wanted;
    ptxlint_fix_options_init(&wanted);
    wanted.is_unsafe = cli->is_unsafe;
    wanted.kernel_glob = cli->kernel_glob;
    wanted.groups = (const char *const *)cli->only.items;
    wanted.group_count = cli->only.count;
    job->status = ptxlint_fixes_new(job->module, options, &wanted, &job->fixes);
    if (job->status == PTXLINT_OK && ptxlint_fixes_get_info(job->fixes)->applied_count
        && !cli->has_diff)
        take_fixed_module(options, job);
}

bool ptx_fix_prints(const Options *options)
{
    return options->has_fix && (options->has_diff || !strcmp(options->paths[0], "-"));
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool has_text(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "rb");
    char *now = file ? malloc(length + 1) : NULL;
    bool is_same = now && fread(now, 1, length + 1, file) == length && !memcmp(now, text, length);
    free(now);
    if (file)
        fclose(file);
    return is_same;
}

static ExitCode complain_unwritten(const char *path, const char *why)
{
    Text text = { 0 };
    ptx_text_print(&text, "not written: %s", why);
    ptx_complain(path, text.has_failed ? "not written" : text.bytes);
    ptx_text_free(&text);
    return EXIT_INPUT;
}

static ExitCode replace_file(const char *path, const Job *job)
{
    const ptxlint_module_info *read = ptxlint_module_get_info(job->before);
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(job->fixes);
    Beside beside;
    if (!ptx_beside_open(&beside, path, true))
        return complain_unwritten(path, strerror(errno));
    if (!ptx_handle_write(beside.handle, info->text, info->length) || fsync(beside.handle)) {
        ptx_beside_drop(&beside);
        return complain_unwritten(path, strerror(errno));
    }
    if (!has_text(beside.path, read->text, read->length)) {
        ptx_beside_drop(&beside);
        return complain_unwritten(path, "it was changed since it was read");
    }
    return ptx_beside_place(&beside) ? EXIT_CLEAN : complain_unwritten(path, strerror(errno));
}

/* A link stays one: what it leads to is replaced. Whoever made the tree chose where that is. */
static ExitCode write_file(const Options *options, const char *path, const Job *job)
{
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(job->fixes);
    struct stat status;
    char *real = realpath(path, NULL);
    ExitCode code = EXIT_CLEAN;
    if (!real || stat(real, &status))
        code = complain_unwritten(path, strerror(errno));
    else if (ptx_leads_out(path, options->source_root))
        code = complain_unwritten(path, "it is a link out of the source root");
    else if (!S_ISREG(status.st_mode))
        code = complain_unwritten(path, "it is not a regular file");
    else if (access(real, W_OK))
        code = complain_unwritten(path, strerror(errno));
    else if (!has_text(real, info->text, info->length))         /* else: named twice */
        code = replace_file(path, job);
    free(real);
    return code;
}

/* ---- what is said of it ---------------------------------------------------------------------- */

static void complain_refusals(const char *path, const ptxlint_fixes *fixes)
{
    ptxlint_fix_result result;
    for (size_t i = 0; ptxlint_fixes_at(fixes, i, &result); i++) {
        Text text = { 0 };
        if (result.is_applied)
            continue;
        ptx_text_print(&text, "%s:%u:%u: note: not fixed: %s [%s]", path, (unsigned)result.line,
                       (unsigned)result.column, result.why, result.rule);
        if (!text.has_failed)
            ptx_complain_line(text.bytes);
        ptx_text_free(&text);
    }
}

static void complain_limit(const char *path, bool has_progress)
{
    const char *what = has_progress ? "run it again" : "--kernel or --only makes it fewer";
    char text[96];
    snprintf(text, sizeof text, "more edits are left than one run tries: %s", what);
    ptx_complain(path, text);
}

static ExitCode write_diff(const char *path, const ptxlint_module *module,
                           const ptxlint_fixes_info *info, Sink *sink)
{
    const ptxlint_module_info *read = ptxlint_module_get_info(module);
    Text text = { 0 };
    ptx_unified_diff(&text, path, read->text, read->length, info->text, info->length);
    ExitCode code = text.has_failed ? ptx_complain_memory() : EXIT_CLEAN;
    if (text.length && !text.has_failed)
        ptx_sink_write(sink, text.bytes, text.length);
    ptx_text_free(&text);
    return code;
}

ExitCode ptx_fix_take(const Options *options, const char *path, const Job *job, Sink *sink,
                      FixTotals *totals)
{
    const ptxlint_fixes_info *info = ptxlint_fixes_get_info(job->fixes);
    const char *shown = ptxlint_module_get_info(job->module)->path;
    ExitCode code = EXIT_CLEAN;
    if (!options->is_quiet)
        complain_refusals(shown, job->fixes);
    if (info->is_cut_short)
        complain_limit(shown, info->applied_count > 0);
    if (options->has_diff && info->applied_count)
        code = write_diff(shown, job->module, info, sink);
    else if (!options->has_diff && !strcmp(path, "-"))
        ptx_sink_write(sink, info->text, info->length);
    else if (!options->has_diff && info->applied_count)
        code = write_file(options, path, job);
    totals->findings += code == EXIT_CLEAN ? info->applied_count : 0;
    totals->files += code == EXIT_CLEAN && info->applied_count;
    totals->unsafe += info->unsafe_count;
    return code;
}

void ptx_fix_report(const Options *options, const FixTotals *totals)
{
    Text text = { 0 };
    if (options->is_quiet)
        return;
    ptx_text_print(&text, "%zu finding%s %sfixed in %zu file%s", totals->findings,
                   ptx_plural(totals->findings), ptx_text_if(options->has_diff, "would be "),
                   totals->files, ptx_plural(totals->files));
    if (totals->unsafe)
        ptx_text_print(&text, "; --unsafe tries %zu more", totals->unsafe);
    if (!text.has_failed)
        ptx_complain("fix", text.bytes);
    ptx_text_free(&text);
}
