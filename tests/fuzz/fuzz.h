/* fuzz.h -- the one function that libFuzzer and replay.c share, and what the targets do alike. */
#ifndef PTX_FUZZ_H
#define PTX_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A breach is an abort. */
static inline void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: does not hold: %s\n", what);
    abort();
}

/* The bytes with a 0 behind them, for free(). */
static inline char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL, "there is memory");
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* A ptxlint_write_fn that keeps nothing. */
static inline int drop(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return 0;
}

#endif
