#include "support/hash.h"

#include <stdlib.h>

void ptx_hash_init(HashTable *table, Arena *arena, uint64_t count)
{
    uint64_t slots = 16;
    while (slots < 2 * count && slots < UINT64_C(1) << 31)
        slots *= 2;
    ASSERT(count < slots);
    *table = (HashTable){ ptx_arena_array(arena, uint32_t, slots), (uint32_t)(slots - 1) };
}

static bool grow(HashMap *map, Arena *arena)
{
    HashMap more = { .capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count };
    if (arena) {
        more.keys = ptx_arena_array(arena, uint64_t, more.capacity);
        more.values = ptx_arena_array(arena, uint32_t, more.capacity);
    } else {
        more.keys = calloc(more.capacity, sizeof *more.keys);
        more.values = calloc(more.capacity, sizeof *more.values);
    }
    if (!more.keys || !more.values) {
        ptx_hash_map_free(&more);
        return false;
    }
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (!map->keys[i])
            continue;
        uint32_t slot = ptx_hash_map_slot(&more, map->keys[i] - 1);
        more.keys[slot] = map->keys[i];
        more.values[slot] = map->values[i];
    }
    if (!arena)
        ptx_hash_map_free(map);
    *map = more;
    return true;
}

uint32_t *ptx_hash_map_at(HashMap *map, Arena *arena, uint64_t key)
{
    ASSERT(key < UINT64_MAX);
    if (2 * map->count >= map->capacity && !grow(map, arena))
        return NULL;
    uint32_t slot = ptx_hash_map_slot(map, key);
    map->count += !map->keys[slot];
    map->keys[slot] = key + 1;
    return &map->values[slot];
}

void ptx_hash_map_free(HashMap *map)
{
    free(map->keys);
    free(map->values);
    *map = (HashMap){ 0 };
}
