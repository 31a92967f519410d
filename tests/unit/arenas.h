/* arenas.h -- two arenas as the fixture of a cmocka test, for tests of what lies behind the public
 * interface. */
#ifndef PTX_TESTS_ARENAS_H
#define PTX_TESTS_ARENAS_H

#include "support/arena.h"

#include <stdlib.h>

typedef struct World {
    Arena arena, scratch;
    jmp_buf failure;
} World;

static inline int set_up(void **state)
{
    World *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    ptx_arena_init(&w->arena, (size_t)1 << 30, &w->failure);
    ptx_arena_init(&w->scratch, (size_t)1 << 30, &w->failure);
    *state = w;
    return 0;
}

static inline int tear_down(void **state)
{
    World *w = *state;
    ptx_arena_free(&w->arena);
    ptx_arena_free(&w->scratch);
    free(w);
    return 0;
}

#endif
