/* grow.h -- lists and texts that malloc owns. Those of an arena grow by ptx_arena_grow.
 *
 * Inline and without state, so that every stage may include it, the program too. */
#ifndef PTX_SUPPORT_GROW_H
#define PTX_SUPPORT_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GROW_MIN = 16 };

/* Makes room for `wanted` elements of `size` bytes. items: where the pointer to the list is kept;
 * *capacity: elements that it has room for, 0 for as much as is wanted and no more. False: no
 * memory, and both are as they were. */
static inline bool ptx_list_reserve(void *items, size_t *capacity, size_t wanted, size_t size)
{
    void *old;
    memcpy(&old, items, sizeof old);
    if (wanted <= *capacity && old)
        return true;
    const size_t most = SIZE_MAX / size, twice = *capacity > most / 2 ? most : 2 * *capacity;
    size_t room = twice > wanted ? twice : wanted;
    if (room < GROW_MIN)
        room = GROW_MIN;
    void *grown = wanted <= most && room <= most ? realloc(old, room * size) : NULL;
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = room;
    return true;
}

/* Gives back what a text of that many bytes does not take; bytes > 0. */
static inline char *ptx_text_fit(char *text, size_t bytes)
{
    char *fitting = realloc(text, bytes);
    if (fitting)
        return fitting;
    return text;
}

#endif
