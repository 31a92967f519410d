/* mutate.h -- real files with something wrong: what a user, a merge or a generator of code leaves
 * behind. */
#ifndef PTX_FUZZ_MUTATE_H
#define PTX_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct Sample {
    char *bytes;
    size_t length;
} Sample;

/* Mutant `number` of the samples, a function of both alone. The caller frees it. */
char *mutate(const Sample *samples, size_t count, uint64_t number, size_t *length);

#endif
