/* hash.h -- hashes of bytes and numbers, and tables by them.
 *
 * Tables are sized to the input, at least half free, and probe linearly: hostile names cost a
 * longer probe, bounded by the number of names declared. A HashTable holds numbers whose meaning is
 * its owner's; a HashMap holds keys and values, in an arena or on the heap. */
#ifndef PTX_SUPPORT_HASH_H
#define PTX_SUPPORT_HASH_H

#include "support/arena.h"
#include "support/assert.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t ptx_hash_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

/* the hash of a sequence that goes on with one more number */
static inline uint64_t ptx_hash_add(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
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

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct HashTable {
    uint32_t *slots;            /* a number from 1 on; 0: free */
    uint32_t mask;              /* slots less one: a power of two less one */
} HashTable;

/* Whether the number stands for the key. */
typedef bool (*HashMatch)(const void *owner, uint32_t number, const void *key);

/* Empty, with room for count numbers. */
void ptx_hash_init(HashTable *table, Arena *arena, uint64_t count);

/* Whether one more than count numbers want a larger table. */
static inline bool ptx_hash_is_full(const HashTable *table, uint32_t count)
{
    return !table->slots || 2 * ((uint64_t)count + 1) > (uint64_t)table->mask + 1;
}

/* The slot that holds the key's number, or the free one where it would go. Inlined with its match:
 * probes are hot. */
__attribute__((always_inline)) static inline uint32_t *ptx_hash_find(const HashTable *table,
                                                                     uint32_t hash, HashMatch match,
                                                                     const void *owner,
                                                                     const void *key)
{
    uint32_t slot = hash & table->mask;
    while (table->slots[slot] && !match(owner, table->slots[slot], key))
        slot = (slot + 1) & table->mask;
    return &table->slots[slot];
}

typedef struct HashPlace {
    uint32_t *slot;
    bool is_found;
} HashPlace;

/* The same among the first places alone, which bounds the work; where these hold other numbers, the
 * place behind them, whatever it holds. */
__attribute__((always_inline)) static inline HashPlace
ptx_hash_find_near(const HashTable *table, uint32_t hash, uint32_t places, HashMatch match,
                   const void *owner, const void *key)
{
    uint32_t slot = hash & table->mask;
    for (; table->slots[slot] && places; places--, slot = (slot + 1) & table->mask)
        if (match(owner, table->slots[slot], key))
            return (HashPlace){ &table->slots[slot], true };
    return (HashPlace){ &table->slots[slot], false };
}

/* The free slot where a number goes that is not there yet. */
static inline uint32_t *ptx_hash_free(const HashTable *table, uint32_t hash)
{
    uint32_t slot = hash & table->mask;
    while (table->slots[slot])
        slot = (slot + 1) & table->mask;
    return &table->slots[slot];
}

/* ---- values by number ------------------------------------------------------------------------ */

typedef struct HashMap {
    uint64_t *keys;             /* + 1; 0: free */
    uint32_t *values;
    uint32_t capacity, count;
} HashMap;

static inline uint32_t ptx_hash_map_slot(const HashMap *map, uint64_t key)
{
    uint32_t slot = (uint32_t)ptx_hash_mix(key) & (map->capacity - 1);
    while (map->keys[slot] && map->keys[slot] != key + 1)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

/* 0 where the key has none. Keys are below UINT64_MAX. */
static inline uint32_t ptx_hash_map_get(const HashMap *map, uint64_t key)
{
    return map->capacity ? map->values[ptx_hash_map_slot(map, key)] : 0;
}

/* The place of its value, 0 where it is new; until the next call. arena NULL: a map on the heap,
 * which ptx_hash_map_free frees; NULL then where there is no memory. */
uint32_t *ptx_hash_map_at(HashMap *map, Arena *arena, uint64_t key);
void ptx_hash_map_free(HashMap *map);

#endif
