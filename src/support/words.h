/* words.h -- nearness of words, for suggestions; globs; stems of names. */
#ifndef PTX_SUPPORT_WORDS_H
#define PTX_SUPPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Damerau-Levenshtein distance (optimal string alignment), or a number above 3 where it is
 * larger. */
unsigned ptx_edit_distance(const char *a, size_t n, const char *b, size_t m);

/* The glob fits the path, or what follows a `/` in it. */
bool ptx_path_fits(const char *glob, const char *path);

/* None of a list of words is NULL; the list may be. */
bool ptx_words_are_given(const char *const *words, size_t count);

/* Bytes of a name without the digits that it ends with: of `%r12` 2; at least 1. */
static inline uint32_t ptx_stem_length(const char *name, uint32_t length)
{
    while (length > 1 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length;
}

/* A byte that an identifier or a special register of PTX may hold. */
static inline bool ptx_is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '$' || c == '%';
}

/* The lower case of an ASCII letter, in any locale. */
static inline char ptx_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
