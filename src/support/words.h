/* words.h -- nearness of words, for suggestions; globs. */
#ifndef PTX_SUPPORT_WORDS_H
#define PTX_SUPPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Damerau-Levenshtein distance (optimal string alignment), or a number above 3 where it is
 * larger. */
unsigned ptx_edit_distance(const char *a, size_t n, const char *b, size_t m);

/* The glob fits the path, or what follows a `/` in it. */
bool ptx_path_fits(const char *glob, const char *path);

#endif
