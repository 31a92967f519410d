/* fuzz.h -- the one function that libFuzzer and replay.c share. */
#ifndef PTX_FUZZ_H
#define PTX_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
