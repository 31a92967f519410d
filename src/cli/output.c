/* output.c -- where the result goes. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 << 10 };

/* Devices and pipes are written to; so is a file in a folder that takes no other. */
static FILE *sink_file(Sink *sink, const char *path)
{
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode))
        return fopen(path, "wb");
    if (!access(path, F_OK) && access(path, W_OK))
        return NULL;
    sink->is_beside = ptx_beside_open(&sink->beside, path, true);
    if (!sink->is_beside)
        return errno == EACCES || errno == EROFS ? fopen(path, "wb") : NULL;
    FILE *file = fdopen(sink->beside.handle, "wb");
    if (file)
        sink->beside.handle = -1;
    else
        ptx_beside_drop(&sink->beside);
    return file;
}

ExitCode ptx_sink_open(Sink *sink, const char *path)
{
    *sink = (Sink){ .name = ptx_text_or(path, "standard output") };
    sink->file = path ? sink_file(sink, path) : stdout;
    if (!sink->file)
        return ptx_complain_status(path, PTXLINT_IO);
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

/* Of an earlier write, whose reason was not kept; 0: all were good. */
static int lost_error(FILE *file)
{
    struct pollfd reader = { .fd = fileno(file), .events = POLLOUT };
    if (!ferror(file))
        return 0;
    return poll(&reader, 1, 0) == 1 && reader.revents & POLLERR ? EPIPE : EIO;
}

/* A reader that has seen enough (ptxlint ... | head) is no failure. */
ExitCode ptx_sink_close(Sink *sink)
{
    if (sink->columns)
        ptx_sink_fold_end(sink);
    int lost = lost_error(sink->file);
    if (fclose(sink->file) && !sink->error)
        sink->error = errno;
    if (!sink->error)
        sink->error = lost;
    if (sink->is_beside && (sink->error || sink->is_dropped || ptx_was_without_memory()))
        ptx_beside_drop(&sink->beside);
    else if (sink->is_beside && !ptx_beside_place(&sink->beside))
        sink->error = errno;
    if (!sink->error || sink->error == EPIPE)
        return EXIT_CLEAN;
    errno = sink->error;
    return ptx_complain_status(sink->name, PTXLINT_IO);
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

bool ptx_output_is_wanted(const Options *options, Format format)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (options->outputs[i].format == format)
            return true;
    return false;
}

ExitCode ptx_output_each(const Options *options, DocumentMaker make, void *self)
{
    ExitCode code = EXIT_CLEAN;
    Options one = *options;
    for (size_t i = 0; i < options->output_count; i++) {
        Text out = { 0 };
        one.output = options->outputs[i];
        make(self, &one, &out);
        if (out.length || out.has_failed)
            code = exit_code_max(code, ptx_output_text(&one, &out));
        ptx_text_free(&out);
    }
    return code;
}

ExitCode ptx_stdout_close(void)
{
    Sink sink = { .file = stdout, .name = "standard output" };
    return ptx_sink_close(&sink);
}
