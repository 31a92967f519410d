/* id_map.h -- numbers by id, of few ids out of many: an open hash. */
#ifndef PTX_ANALYSIS_SIM_ID_MAP_H
#define PTX_ANALYSIS_SIM_ID_MAP_H

#include "support/arena.h"

#include <stdint.h>

typedef struct IdMap {
    struct IdSlot {
        uint32_t id, number;    /* number: 0: the slot is free */
    } *slots;
    uint32_t size, count;       /* size: a power of two; 0: none yet */
} IdMap;

/* 0: there is none. */
static inline uint32_t ptx_id_map_find(const IdMap *map, uint32_t id)
{
    for (uint32_t at = id; map->size; at++) {
        const struct IdSlot *slot = &map->slots[at & (map->size - 1)];
        if (!slot->number || slot->id == id)
            return slot->number;
    }
    return 0;
}

/* number: not 0, of an id that has none yet. */
void ptx_id_map_add(Arena *arena, IdMap *map, uint32_t id, uint32_t number);

#endif
