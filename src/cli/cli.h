/* cli.h -- the command line: options.c reads it (its tables and texts are in help.c), paths.c finds the inputs, inputs.c reads
 * GPUs, launches and logs, ptxas.c runs ptxas, run.c does the work through the public API. */
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

/* ---- main.c ------------------------------------------------------------------------------------------------------ */

/* "ptxlint: SUBJECT: TEXT" on stderr; subject may be NULL. */
void ptx_complain(const char *subject, const char *text);

/* "PATH:LINE:COLUMN: error: TEXT" on stderr, as editors read it. */
void ptx_complain_at(const char *path, unsigned line, unsigned column, const char *text);

/* Complains; the code for it. */
ExitCode ptx_complain_status(const char *subject, ptxlint_status status);

/* ---- paths.c ----------------------------------------------------------------------------------------------------- */

typedef struct StringList {
    char **items;
    size_t count, capacity;
} StringList;

/* Adds a copy of length bytes; complains where there is no memory. */
ExitCode ptx_strings_add(StringList *list, const char *text, size_t length);
void ptx_strings_free(StringList *list);

/* Adds what one PATH stands for: itself, the .ptx files below it, or what it matches as a pattern. Complains. */
ExitCode ptx_paths_add(StringList *list, const char *path);

/* ---- options.c --------------------------------------------------------------------------------------------------- */

typedef enum Command { COMMAND_CHECK, COMMAND_REPORT, COMMAND_GPU, COMMAND__COUNT } Command;

typedef enum Color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } Color;

enum { GROUP_COUNT = 5, SETTING_COUNT = 6 };

typedef struct Options {
    Command command;
    bool has_command;                   /* its word was given */
    ptxlint_format format;
    StringList gpus;                    /* names and files */
    StringList settings[SETTING_COUNT]; /* values, by row of ptx_setting_names */
    StringList logs;                    /* --ptxas-log */
    char *ptxas;                        /* --ptxas=PATH; "": it is to be found; NULL: not given */
    char *launch_path, *kernel_glob, *output_path;      /* NULL: not given */
    const char *groups[GROUP_COUNT];    /* of --only */
    size_t group_count;
    Color color;
    bool is_quiet;
    const char **paths;                 /* ends with NULL; popt's; NULL: none */
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

/* ---- help.c ------------------------------------------------------------------------------------------------------ */

enum {
    OPT_FORMAT = 1, OPT_CSV, OPT_GPU, OPT_LAUNCH, OPT_PTXAS_LOG, OPT_PTXAS, OPT_KERNEL, OPT_ONLY, OPT_COLOR, OPT_OUTPUT, OPT_QUIET,
    OPT_HELP, OPT_VERSION,
    OPT_SETTING                         /* and those after it: rows of ptx_setting_names */
};

/* The option's name and the key of ptxlint_launches_set. */
typedef struct SettingName {
    const char *option, *key;
} SettingName;

extern const SettingName ptx_setting_names[SETTING_COUNT];

extern const char *const ptx_command_words[COMMAND__COUNT];
extern const struct poptOption *const ptx_option_tables[COMMAND__COUNT];

void ptx_help_print(const Options *options);

/* ---- inputs.c ---------------------------------------------------------------------------------------------------- */

/* What modules are read with. */
typedef struct Inputs {
    const ptxlint_gpu **gpus;           /* each once, in the order given */
    size_t gpu_count;
    ptxlint_gpu **files;                /* those of them that are ours to free */
    size_t file_count;
    ptxlint_launches *launches;         /* NULL: nothing is said */
    char *log_text;                     /* all logs */
    size_t log_length;
    ptxlint_ptxas *logs;                /* what log_text says; NULL: none */
} Inputs;

/* The rest is read where this succeeds. inputs, zeroed before, must be freed in any case. Complains. */
ExitCode ptx_inputs_read(Inputs *inputs, const Options *options);
ExitCode ptx_inputs_add_gpu(Inputs *inputs, const char *name, size_t room);
void ptx_inputs_free(Inputs *inputs);

/* ---- ptxas.c ----------------------------------------------------------------------------------------------------- */

/* The program: path, or where it is empty the first of $PATH, $CUDA_HOME/bin, /usr/local/cuda/bin. For free(); NULL: there is none,
 * or no memory; it has complained then, and set *code. */
char *ptx_ptxas_locate(const char *path, ExitCode *code);

/* Translates the file at path, which module was read from, for each of the module's GPUs, and adds what ptxas says. path "-", and
 * what is no regular file, can be read only once: ptxas gets a copy. Complains; the codes are of our own failures, not of ptxas's. */
ExitCode ptx_ptxas_run(const char *program, const char *path, const ptxlint_module *module, ptxlint_ptxas *ptxas);

/* ---- run.c ------------------------------------------------------------------------------------------------------- */

ExitCode ptx_run(const Options *options);

/* Flushes stdout; EXIT_CLEAN also where nobody reads it any more. */
ExitCode ptx_stdout_close(void);

#endif
