/* output.c -- where the result goes. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_BYTES = 64 << 10 };

ExitCode ptx_sink_open(Sink *sink, const char *path)
{
    *sink = (Sink){ .file = path ? fopen(path, "wb") : stdout };
    sink->name = ptx_text_or(path, "standard output");
    if (!sink->file) {
        ptx_complain(path, strerror(errno));
        return EXIT_INPUT;
    }
    setvbuf(sink->file, NULL, _IOFBF, BUFFER_BYTES);
    return EXIT_CLEAN;
}

int ptx_sink_write(void *context, const char *bytes, size_t length)
{
    Sink *sink = context;
    if (sink->progress)
        ptx_progress_clear(sink->progress);
    if (sink->columns) {
        if (!ptx_sink_fold(sink, bytes, length))
            return 0;
        sink->error = errno;
        return 1;
    }
    if (fwrite(bytes, 1, length, sink->file) == length)
        return 0;
    sink->error = errno;
    return 1;
}

/* A reader that has seen enough (ptxlint ... | head) is no failure. */
ExitCode ptx_sink_close(Sink *sink)
{
    if (sink->columns)
        ptx_sink_fold_end(sink);
    if (ferror(sink->file) && !sink->error)             /* in a write of popt's, say */
        sink->error = errno;
    if (fclose(sink->file) && !sink->error)
        sink->error = errno;
    if (!sink->error || sink->error == EPIPE)
        return EXIT_CLEAN;
    ptx_complain(sink->name, strerror(sink->error));
    return EXIT_INPUT;
}

ExitCode ptx_output_text(const Options *options, const Text *text)
{
    Sink sink;
    if (text->has_failed)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    ExitCode code = ptx_sink_open(&sink, options->output.path);
    if (code != EXIT_CLEAN)
        return code;
    ptx_sink_fit(&sink, options, &options->output);
    if (text->length)
        ptx_sink_write(&sink, text->bytes, text->length);
    return ptx_sink_close(&sink);
}

ExitCode ptx_stdout_close(void)
{
    Sink sink = { .file = stdout, .name = "standard output" };
    return ptx_sink_close(&sink);
}
