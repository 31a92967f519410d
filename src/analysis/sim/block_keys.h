/* block_keys.h -- values that are the same in all threads of a block and decide which way control
 * goes, for many blocks without running them. */
#ifndef PTX_ANALYSIS_SIM_BLOCK_KEYS_H
#define PTX_ANALYSIS_SIM_BLOCK_KEYS_H

#include "analysis/sim/observer.h"

#include <stdint.h>

typedef struct Arena Arena;

enum { MAX_BLOCK_KEYS = 8 };

typedef struct BlockPlace {     /* a block, and how many it stands for */
    uint32_t at[3];
    double blocks;
} BlockPlace;

typedef struct BlockKeys {
    const BlockPlace *places;
    uint32_t count, key_count;
    int64_t *keys[MAX_BLOCK_KEYS];      /* each of every place; none is the same in all of them */
} BlockKeys;

/* The kernel has run. NULL: no such value differs. Owned by arena. */
const BlockKeys *ptx_block_keys_find(Arena *arena, Machine *machine, const BlockPlace *places,
                                     uint32_t count);

#endif
