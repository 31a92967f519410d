#include "analysis/sim/id_map.h"

enum { SIZE_FIRST = 32 };

static void put(IdMap *map, struct IdSlot slot)
{
    uint32_t at = slot.id;
    while (map->slots[at & (map->size - 1)].number)
        at++;
    map->slots[at & (map->size - 1)] = slot;
}

static void enlarge(Arena *arena, IdMap *map)
{
    const IdMap old = *map;
    map->size = old.size ? 2 * old.size : SIZE_FIRST;
    map->slots = ptx_arena_array(arena, struct IdSlot, map->size);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].number)
            put(map, old.slots[i]);
}

void ptx_id_map_add(Arena *arena, IdMap *map, uint32_t id, uint32_t number)
{
    if (2 * map->count >= map->size)
        enlarge(arena, map);
    put(map, (struct IdSlot){ id, number });
    map->count++;
}
