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

/* SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
 * 2014). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Mutant `number` of the samples, a function of both alone. The caller frees it. */
char *mutate(const Sample *samples, size_t count, uint64_t number, size_t *length);

#endif
