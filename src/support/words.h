/* words.h -- nearness of words, for suggestions. */
#ifndef PTX_SUPPORT_WORDS_H
#define PTX_SUPPORT_WORDS_H

#include <stddef.h>

/* Damerau-Levenshtein distance (optimal string alignment), or a number above 3 where it is larger. */
unsigned ptx_edit_distance(const char *a, size_t n, const char *b, size_t m);

#endif
