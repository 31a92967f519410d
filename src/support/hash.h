/* hash.h -- the hash of names and opcodes: eight bytes at a time, multiply and fold. Tables that use it are sized to
 * the input and probe linearly, so hostile names cost a longer probe, bounded by the number of names declared. */
#ifndef PTX_SUPPORT_HASH_H
#define PTX_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t ptx_hash_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

static inline uint32_t ptx_hash_bytes(const char *text, size_t length)
{
    uint64_t h = length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        h = ptx_hash_mix(h ^ word);
        text += 8;
        length -= 8;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < length; i++)
        tail |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return (uint32_t)ptx_hash_mix(h ^ tail);
}

#endif
