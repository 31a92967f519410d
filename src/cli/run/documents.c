/* documents.c -- the documents that a run writes. */
#include "cli/run/run.h"

#include <stdlib.h>

ptxlint_format ptx_run_format(Format format)
{
    static const ptxlint_format formats[FORMAT__COUNT] = {
        [FORMAT_TEXT] = PTXLINT_TEXT, [FORMAT_ONELINE] = PTXLINT_ONELINE, [FORMAT_JSON] = PTXLINT_JSON, [FORMAT_JSONL] = PTXLINT_JSONL,
        [FORMAT_SARIF] = PTXLINT_SARIF, [FORMAT_GITHUB] = PTXLINT_GITHUB, [FORMAT_GITLAB] = PTXLINT_GITLAB,
        [FORMAT_CHECKSTYLE] = PTXLINT_CHECKSTYLE, [FORMAT_JUNIT] = PTXLINT_JUNIT, [FORMAT_RDJSON] = PTXLINT_RDJSON,
        [FORMAT_RDJSONL] = PTXLINT_RDJSONL, [FORMAT_MARKDOWN] = PTXLINT_MARKDOWN, [FORMAT_CSV] = PTXLINT_CSV,
        [FORMAT_HTML] = PTXLINT_HTML,
    };
    return formats[format];
}

/* In JSON the statistics are a document of their own, which stands for that of the findings. */
static ExitCode open_target(CliRun *run, const Document *output)
{
    ptxlint_document document = run->options->command == COMMAND_CHECK ? PTXLINT_DIAGNOSTICS
                                                                       : PTXLINT_REPORT;
    if (run->options->command == COMMAND_ANNOTATE)
        document = PTXLINT_ANNOTATION;
    RunTarget *target = &run->targets[run->target_count];
    target->format = output->format;
    target->options = run->write_options;
    target->options.format = ptx_run_format(output->format);
    target->options.color = ptx_options_has_color(run->options, output->path);
    target->options.width = output->path ? 0 : ptx_table_columns();
    ExitCode code = ptx_sink_open(&target->sink, output->path);
    if (code != EXIT_CLEAN)
        return code;
    run->target_count++;
    target->sink.progress = &run->progress;
    ptx_sink_fit(&target->sink, run->options, output);
    if (run->options->command == COMMAND_BASELINE || run->options->command == COMMAND_BUDGET
        || (run->options->has_statistics && output->format == FORMAT_JSON)
        || ptx_fix_prints(run->options))
        return EXIT_CLEAN;
    ptxlint_status status = ptxlint_writer_new(document, &target->options, ptx_sink_write,
                                               &target->sink, &target->writer);
    return status == PTXLINT_OK || status == PTXLINT_WRITE ? EXIT_CLEAN
                                                           : ptx_complain_status(NULL, status);
}

bool ptx_run_open(CliRun *run)
{
    ExitCode code = EXIT_CLEAN;
    run->targets = calloc(run->options->output_count, sizeof *run->targets);
    if (!run->targets)
        code = ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; i < run->options->output_count && code == EXIT_CLEAN; i++)
        code = open_target(run, &run->options->outputs[i]);
    ptx_run_raise(run, code);
    return code == EXIT_CLEAN;
}

void ptx_run_close(CliRun *run)
{
    for (size_t i = 0; i < run->target_count; i++) {
        run->targets[i].sink.progress = NULL;
        run->targets[i].sink.is_dropped = run->code == EXIT_INTERNAL;
        ptx_run_raise(run, ptx_sink_close(&run->targets[i].sink));
        ptxlint_writer_free(run->targets[i].writer);
    }
    free(run->targets);
}
