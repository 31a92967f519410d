/* key.h -- texts by which kernels and findings are found again, and a table of them. */
#ifndef PTX_COMPARE_KEY_H
#define PTX_COMPARE_KEY_H

#include "support/hash.h"

#include <stdbool.h>
#include <stdint.h>

/* A kernel's name with `*` for what compilers hash into it anew: nvcc's name of an anonymous
 * namespace, 34_GLOBAL__N__18ca7558_4_a_cu__Z1fPf, as a whole; elsewhere runs of 8, 16, 32 or 64
 * small hexadecimal digits, one of them below ten, as in rustc's 17h0123456789abcdefE. */
const char *ptx_key_kernel(Arena *arena, const char *name, size_t length);

/* Numbers of things by hash; several may have one. Owned by an arena. */
typedef struct Index {
    HashTable firsts;           /* per hash: its first entry, + 1 */
    struct IndexEntry *entries;
    uint32_t count;
} Index;

void ptx_index_add(Arena *arena, Index *index, uint64_t hash, uint32_t number);

/* Goes through the numbers of a hash, in the order they were added in: at begins with 0. False:
 * there are no more. */
bool ptx_index_next(const Index *index, uint64_t hash, uint32_t *at, uint32_t *number);

/* FNV-1a (Fowler, Noll, Vo) of texts one behind the other, each with its NUL; begins with
 * KEY_HASH. */
#define KEY_HASH UINT64_C(0xCBF29CE484222325)
uint64_t ptx_key_hash(uint64_t hash, const char *text);

#endif
