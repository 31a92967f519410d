#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* A file name may hold anything, so control characters do not reach the terminal. */
static void put_clean(const char *text)
{
    for (; *text; text++)
        putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, stderr);
}

void ptx_complain(const char *subject, const char *text)
{
    fputs("ptxlint: ", stderr);
    if (subject) {
        put_clean(subject);
        fputs(": ", stderr);
    }
    put_clean(text);
    putc('\n', stderr);
}

void ptx_complain_at(const char *path, unsigned line, unsigned column, const char *text)
{
    put_clean(path);
    fprintf(stderr, ":%u:%u: error: ", line, column);
    put_clean(text);
    putc('\n', stderr);
}

ExitCode ptx_complain_status(const char *subject, ptxlint_status status)
{
    ptx_complain(subject, status == PTXLINT_IO ? strerror(errno) : ptxlint_status_text(status));
    return status == PTXLINT_IO || status == PTXLINT_TOO_LARGE ? EXIT_INPUT : EXIT_INTERNAL;
}

int main(int argc, char **argv)
{
    Options options;
    ExitCode code = EXIT_CLEAN;
    signal(SIGPIPE, SIG_IGN);           /* a reader that has gone is an error of write: see ptx_stdout_close */
    switch (ptx_options_parse(&options, argc, argv)) {
    case PARSED_RUN:
        code = ptx_run(&options);
        break;
    case PARSED_DONE:
        code = ptx_stdout_close();
        break;
    case PARSED_BAD:
        code = EXIT_USAGE;
        break;
    case PARSED_FAILED:
        code = EXIT_INTERNAL;
        break;
    }
    ptx_options_free(&options);
    return (int)code;
}
