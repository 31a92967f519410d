/* cli.h -- the command line: options.c reads it, paths.c finds the inputs, run.c does the work through the public API. */
#ifndef PTX_CLI_CLI_H
#define PTX_CLI_CLI_H

#include "ptxlint/ptxlint.h"

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

/* The highest that applies is the exit status. */
typedef enum ExitCode {
    EXIT_CLEAN,         /* nothing found, or notes alone */
    EXIT_FOUND,         /* check: a warning or an error */
    EXIT_USAGE,
    EXIT_INPUT,         /* an input is unreadable or was cut short, or the output cannot be written */
    EXIT_INTERNAL       /* also: no memory */
} ExitCode;

static inline ExitCode exit_code_max(ExitCode a, ExitCode b)
{
    return a > b ? a : b;
}

/* "ptxlint: SUBJECT: TEXT" on stderr; subject may be NULL. */
void ptx_complain(const char *subject, const char *text);

/* ---- options.c --------------------------------------------------------------------------------------------------- */

typedef enum Color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } Color;

enum { GROUP_COUNT = 5 };

typedef struct Options {
    ptxlint_document document;          /* the command: check or report */
    ptxlint_format format;
    char *gpu, *launch_path, *kernel_glob, *output_path;        /* NULL: not given */
    const char *groups[GROUP_COUNT];    /* of --only */
    size_t group_count;
    Color color;
    bool is_quiet;
    const char **paths;                 /* ends with NULL; popt's */
    poptContext popt;
    const char **words;                 /* that popt reads */
} Options;

typedef enum Parsed {
    PARSED_RUN,         /* go on */
    PARSED_DONE,        /* help or version is on stdout */
    PARSED_BAD,         /* the complaint is on stderr */
    PARSED_FAILED       /* no memory */
} Parsed;

/* options must be freed in any case. */
Parsed ptx_options_parse(Options *options, int argc, char **argv);
void ptx_options_free(Options *options);

/* Whether text on stdout, or in --output, is to be coloured. */
bool ptx_options_has_color(const Options *options);

/* ---- paths.c ----------------------------------------------------------------------------------------------------- */

typedef struct PathList {
    char **items;
    size_t count, capacity;
} PathList;

/* Adds what one PATH stands for: itself, the .ptx files below it, or what it matches as a pattern. Complains. */
ExitCode ptx_paths_add(PathList *list, const char *path);
void ptx_paths_free(PathList *list);

/* ---- run.c ------------------------------------------------------------------------------------------------------- */

ExitCode ptx_run(const Options *options);

/* Flushes stdout; EXIT_CLEAN also where nobody reads it any more. */
ExitCode ptx_stdout_close(void);

#endif
