/* program.h -- runs the built program, whose path is in the environment variable PTXLINT, in a
 * folder of small files. */
#ifndef PTX_TESTS_CLI_PROGRAM_H
#define PTX_TESTS_CLI_PROGRAM_H

#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct File {
    const char *path, *text;
} File;

/* Makes the working directory a new folder with these files; 0: done. The folders end with NULL. */
int enter_folder(const char *const *folders, const File *files, size_t file_count);

/* Removes it. */
int leave_folder(void);

void write_file(const char *path, const char *text, size_t length);

/* The whole file and a NUL, for free(); length may be NULL. */
char *read_file(const char *path, size_t *length);

typedef struct Result {
    int status;                 /* of exit; -1: a signal */
    char *out, *err;
    size_t out_length;
} Result;

/* command is the shell's, with the program as $PTXLINT. */
Result run(const char *command);
void result_free(Result *result);

/* Whether text has part in it; "": text must be empty; NULL: whatever. */
bool holds(const char *text, const char *part);

/* What a command is to give. */
typedef struct Case {
    const char *command;
    int status;
    const char *out, *err;      /* a part of it; "": it is empty; NULL: whatever */
    const char *absent;         /* not in out */
} Case;

/* Fails at the end where any of them gives something else. */
void check_cases(const Case *cases, size_t count);

/* stdout of command as JSON. */
json_t *run_json(const char *command, int status);

/* "(none)" where there is no string. */
const char *text_at(const json_t *object, const char *key);

#endif
