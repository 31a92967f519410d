#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>

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
