/* custom.c -- how libFuzzer changes PTX: by bytes as it does everything, and by what mutate.c
 * knows: operands, modifiers, instructions of the table, functions of other inputs. */
#include "fuzz.h"
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_size, unsigned seed);

static size_t mutate_into(const Sample *samples, size_t count, unsigned seed, uint8_t *out,
                          size_t max_size)
{
    size_t length;
    char *made = mutate(samples, count, seed, &length);
    length = length < max_size ? length : max_size;
    if (length)
        memcpy(out, made, length);
    free(made);
    return length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    const Sample self = { (char *)data, size };
    if (seed % 2 || !size)
        return LLVMFuzzerMutate(data, size, max_size);
    return mutate_into(&self, 1, seed / 2, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_size, unsigned seed)
{
    const Sample both[] = { { (char *)(uintptr_t)data1, size1 },
                            { (char *)(uintptr_t)data2, size2 } };
    return mutate_into(both, 2, seed, out, max_size);
}
