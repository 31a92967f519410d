/* arena.h -- memory that is freed all at once.
 *
 * Everything the library allocates for a module lies in one arena, so that no error path can leak
 * or free twice. Allocation never returns NULL: at the limit, or when the system has no more,
 * control returns to the innermost ptx_run_guarded (guard.h) of the arena. */
#ifndef PTX_SUPPORT_ARENA_H
#define PTX_SUPPORT_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ArenaChunk ArenaChunk;

enum { ARENA_CLASSES = 40 };

/* Memory that several arenas of one thread take chunks from, and give them back to for any of them,
 * in huge pages where the system has them: those of a small file fill one. All zero at first. */
typedef struct ArenaRegion {
    char *mapped;               /* by the first arena that asks; NULL */
    char *next, *end;           /* free part */
    char *written_end;          /* all behind it is zero */
    /* given back, by the power of two of their bytes: that were cut from it, and others */
    ArenaChunk *cut[ARENA_CLASSES], *spare[ARENA_CLASSES];
    uint32_t in_hand;           /* chunks that were cut from it and not given back */
    bool is_open;
} ArenaRegion;

typedef struct Arena {
    char *next, *end;           /* free part of the newest chunk, as far as it is zeroed */
    ArenaChunk *chunks;         /* newest first */
    /* given back by ptx_arena_release, where there is no region: the next ones to be used */
    ArenaChunk *spare;
    size_t used_bytes;          /* taken from the system */
    size_t limit_bytes;
    jmp_buf *on_failure;        /* must be set before the first allocation */
    ArenaRegion *region;        /* that has chunks for it; NULL: the system gives them */
    size_t expected_bytes;      /* a guess, rather too high: its first chunk has room for so many */
    size_t foreseen_bytes;      /* by ptx_arena_foresee */
    /* asked before a new chunk is begun: nonzero is a failure; NULL: it is not asked */
    int (*is_stopped)(void *context);
    void *stop_context;
} Arena;

/* A point to fall back to: what was allocated after it is given back by ptx_arena_release. */
typedef struct ArenaMark {
    ArenaChunk *chunk;
    char *next;
} ArenaMark;

/* Once the arenas that took from it are freed. */
void ptx_region_close(ArenaRegion *region);

void ptx_arena_init(Arena *arena, size_t limit_bytes, jmp_buf *on_failure);
void ptx_arena_free(Arena *arena);

/* Of memory that pages were asked for: chunks have room for more. */
size_t ptx_arena_bytes(const Arena *arena);

/* What was handed out. */
size_t ptx_arena_held(const Arena *arena);

/* So much will be handed out in the end: huge pages that it fills are asked for as such. A guess
 * that is too low costs some time, one that is too high memory. */
void ptx_arena_foresee(Arena *arena, size_t bytes);

ArenaMark ptx_arena_mark(const Arena *arena);
void ptx_arena_release(Arena *arena, ArenaMark mark);

/* Zeroed, aligned to 8 bytes: nothing here needs more. The slow path of ptx_arena_alloc. */
void *ptx_arena_alloc_chunk(Arena *arena, size_t bytes);

/* Leaves to Arena.on_failure. */
_Noreturn void ptx_arena_fail(Arena *arena);

static inline void *ptx_arena_alloc(Arena *arena, size_t bytes)
{
    if (bytes >= (size_t)(arena->end
                          - arena->next)) /* both ends are aligned, so rounding up stays inside */
        return ptx_arena_alloc_chunk(arena, bytes);
    char *p = arena->next;
    arena->next += (bytes + 7) & ~(size_t)7;
    return p;
}

/* count elements of size bytes; a product that overflows fails like memory that is not there. */
void *ptx_arena_alloc_array(Arena *arena, size_t count, size_t size);

/* The first count items in an array with twice the room, 16 at first; *capacity is set. The old
 * array stays with the arena. */
void *ptx_arena_grow(Arena *arena, const void *items, uint32_t count, uint32_t *capacity,
                     size_t size);

/* Gives back what lies behind the first count of `made` items of size bytes, none of which was
 * written; nothing, where something was allocated behind them. */
void ptx_arena_trim(Arena *arena, void *items, size_t count, size_t made, size_t size);

/* A copy of length bytes and a NUL. */
char *ptx_arena_strndup(Arena *arena, const char *text, size_t length);

#define ptx_arena_new(arena, T) ((T *)ptx_arena_alloc((arena), sizeof(T)))
#define ptx_arena_array(arena, T, count) ((T *)ptx_arena_alloc_array((arena), (count), sizeof(T)))

#endif
