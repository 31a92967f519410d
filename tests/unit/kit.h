/* kit.h -- what the tests share: files of the source tree, modules from text, the lines of
 * diagnostics.
 *
 * Everything fails the running test instead of returning an error. Paths are relative to the source
 * root. */
#ifndef PTX_TESTS_KIT_H
#define PTX_TESTS_KIT_H

#include "ptxlint/ptxlint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What stands for main() in the file of one subject; argv begins with the subject. Of the list in
 * tests/meson.build, unit.c runs one. */
#define UNIT(name) \
    int unit_##name(int argc, char **argv); \
    int unit_##name(int argc __attribute__((unused)), char **argv __attribute__((unused)))

/* A growing string; free(bytes) when done. */
typedef struct Text {
    char *bytes;                /* NUL behind it once something was put */
    size_t length, capacity;
} Text;

void kit_put(Text *text, const char *bytes, size_t length);
void kit_print(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A ptxlint_write_fn; context is a Text. */
int kit_write(void *context, const char *bytes, size_t length);

/* The file's bytes and a NUL, for free(). */
char *kit_read(const char *path, size_t *length);
bool kit_exists(const char *path);
void kit_save(const char *path, const char *bytes, size_t length);

typedef struct Paths {
    char **paths;
    size_t count;
} Paths;

/* Files below a folder whose names end in suffix, sorted. */
Paths kit_walk(const char *folder, const char *suffix);
void kit_free_paths(Paths paths);

ptxlint_module *kit_module(const char *text);
ptxlint_module *kit_open(const char *path);
/* for estimates alone: what these rest on is kept, liveness too */
ptxlint_module *kit_module_kept(const char *text);
ptxlint_module *kit_open_kept(const char *path);

/* With names, and liveness that outlasts the analysis. */
ptxlint_module *kit_open_live(const char *path);

/* The only kernel, or the one of that name. */
const ptxlint_kernel *kit_kernel(const ptxlint_module *module, const char *name);

uint32_t kit_line(const ptxlint_module *module, uint32_t offset);

/* "SYN401:7 COR101:9": rule and line of each diagnostic in the module's order; errors_only leaves
 * the others out. */
char *kit_list(const ptxlint_module *module, bool errors_only);

/* The same with messages, a line each, for failures. */
char *kit_describe(const ptxlint_module *module);

/* Of kernel k in so many blocks of so many threads, counted closely: on an H200, or a GPU of that
 * name. */
ptxlint_estimated kit_estimate(const char *text, int64_t blocks, int64_t threads);
/* params: as the launch file has them */
ptxlint_estimated kit_estimate_with(const char *text, const char *params, int64_t blocks,
                                    int64_t threads);
ptxlint_estimated kit_estimate_on(const char *name, const char *text, int64_t blocks,
                                  int64_t threads);

/* No bound above the band, and the prediction in it. */
bool kit_time_is_in_order(const ptxlint_time *time);

#endif
