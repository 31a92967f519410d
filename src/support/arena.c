#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MADV_DONTNEED */

#ifdef SANITIZED
#define SANITIZERS_LOOK 1       /* at what comes from calloc */
#else
#define SANITIZERS_LOOK 0
#endif

#include "support/arena.h"

#include "support/assert.h"
#include "support/pages.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    /* sanitizers see more of small ones, and sooner */
    FIRST_CHUNK_BYTES = SANITIZERS_LOOK ? 4 << 10 : 16 << 10,
    MAX_CHUNK_BYTES = 32 << 20,
    KEPT_BYTES = 8 << 20,       /* longer chunks are not kept for later */
    GIVEN_BACK_BYTES = 8 << 20, /* longer parts of a chunk are given back */
    READY_BYTES = 64 << 10,     /* pages of a chunk are asked for by so many at least ... */
    READY_LONG_BYTES = 256 << 10,       /* ... and those of a region or a long chunk */
    /* what was given back is zeroed so far ahead of what is handed out: it is in the cache, then */
    CLEAR_BYTES = 2 << 10,
    REGION_BYTES = 8 * HUGE_PAGE_BYTES,
    MOST_LOOKS = 16,            /* at spare chunks of a class */
    REGION_CHUNK_BYTES = 256 << 10,     /* as much of one is unused, but for longer items */
    /* behind so much of a region or a chunk one more huge page is little more */
    HUGE_BEHIND_BYTES = 4 * HUGE_PAGE_BYTES
};

typedef enum ChunkOrigin { CHUNK_FROM_HEAP, CHUNK_MAPPED, CHUNK_OF_REGION } ChunkOrigin;

struct ArenaChunk {
    ArenaChunk *older;
    size_t bytes;
    /* end of what was handed out, once the chunk is no longer the newest */
    char *used_end;
    char *ready_end;            /* its pages up to here were asked for */
    char *huge_end;             /* ... those up to here as huge ones; of a mapped one */
    char *dirty_end;            /* up to here something may have been written; beyond all is zero */
    ChunkOrigin origin;
    _Alignas(8) char data[];
};

void ptx_arena_init(Arena *arena, size_t limit_bytes, jmp_buf *on_failure)
{
    *arena = (Arena){ .limit_bytes = limit_bytes, .on_failure = on_failure };
}

static void free_chunk(ArenaChunk *chunk)
{
    if (chunk->origin == CHUNK_MAPPED)
        munmap(chunk, chunk->bytes);
    else if (chunk->origin == CHUNK_FROM_HEAP)
        free(chunk);
}

static void free_chunks(ArenaChunk *chunk)
{
    while (chunk) {
        ArenaChunk *older = chunk->older;
        free_chunk(chunk);
        chunk = older;
    }
}

static char *chunk_end(ArenaChunk *chunk)
{
    return (char *)chunk + chunk->bytes;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t rounded_up_to(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Whole pages, but for the smallest. */
static size_t chunk_bytes(size_t wanted)
{
    if (wanted < READY_BYTES)
        return rounded_up(wanted);
    return rounded_up_to(wanted, wanted < HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES);
}

/* Aligned to a huge page: elsewhere the first and the last would be small ones. Those up to
 * huge_bytes are, and those far behind. NULL. */
static void *map_pages(size_t bytes, size_t huge_bytes)
{
    char *const all = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    const size_t ahead = (size_t)(-(uintptr_t)all % HUGE_PAGE_BYTES);
    if (ahead)
        munmap(all, ahead);
    munmap(all + ahead + bytes, HUGE_PAGE_BYTES - ahead);
    ptx_pages_make_huge(all + ahead, huge_bytes);
    if (bytes > HUGE_BEHIND_BYTES)
        ptx_pages_make_huge(all + ahead + HUGE_BEHIND_BYTES, bytes - HUGE_BEHIND_BYTES);
    return all + ahead;
}

static void open_region(ArenaRegion *region)
{
    region->is_open = true;
    if (SANITIZERS_LOOK)
        return;
    region->next = region->mapped = region->written_end = map_pages(REGION_BYTES, REGION_BYTES);
    region->end = region->next ? region->next + REGION_BYTES : NULL;
}

void ptx_region_close(ArenaRegion *region)
{
    for (unsigned class = 0; class < ARENA_CLASSES; class++)
        free_chunks(region->spare[class]);
    if (region->mapped)
        munmap(region->mapped, REGION_BYTES);
    *region = (ArenaRegion){ .mapped = NULL };
}

static ArenaChunk *cut_chunk(ArenaRegion *region, size_t bytes)
{
    if (!region)
        return NULL;
    if (!region->is_open)
        open_region(region);
    if (bytes > (size_t)(region->end - region->next))
        return NULL;
    ArenaChunk *chunk = (void *)region->next;
    region->next += bytes;
    region->in_hand++;
    return chunk;
}

/* A power of two: those of a class have as many bytes, up to twice as many. */
static unsigned length_class(size_t bytes)
{
    const unsigned log2 = 63u - (unsigned)__builtin_clzll(bytes | 1);
    return log2 < ARENA_CLASSES ? log2 : ARENA_CLASSES - 1;
}

/* Where all chunks that were cut are back, the next ones are cut anew, of any length. */
static void renew(ArenaRegion *region)
{
    memset(region->cut, 0, sizeof region->cut);
    region->next = region->mapped;
}

static void take_back(ArenaRegion *region, ArenaChunk *chunk)
{
    const bool is_cut = chunk->origin == CHUNK_OF_REGION;
    ArenaChunk **list = &(is_cut ? region->cut : region->spare)[length_class(chunk->bytes)];
    chunk->older = *list;
    *list = chunk;
    if (chunk->origin != CHUNK_OF_REGION)
        return;
    if (region->written_end < chunk->dirty_end)
        region->written_end = chunk->dirty_end;
    if (!--region->in_hand)
        renew(region);
}

/* Of a chunk that is cut where others were. */
static void mark_dirty(const ArenaRegion *region, ArenaChunk *chunk)
{
    char *const end = region->written_end < chunk_end(chunk) ? region->written_end
                                                             : chunk_end(chunk);
    if (end <= chunk->data)
        return;
    chunk->dirty_end = end;
    if (end > chunk->ready_end)
        chunk->ready_end = end;
}

/* From the heap, which has pages of earlier modules, as long as it is short. Long ones come from
 * the system zeroed, with huge pages in so many of the first bytes. */
static ArenaChunk *system_chunk(Arena *arena, size_t bytes, size_t huge_bytes)
{
    ChunkOrigin origin = CHUNK_OF_REGION;
    ArenaChunk *chunk = bytes < HUGE_PAGE_BYTES ? cut_chunk(arena->region, bytes) : NULL;
    const bool is_short = !chunk && bytes <= READY_LONG_BYTES;
    if (is_short) {
        origin = CHUNK_FROM_HEAP;
        chunk = malloc(bytes);
    } else if (!chunk) {
        origin = bytes < HUGE_PAGE_BYTES ? CHUNK_FROM_HEAP : CHUNK_MAPPED;
        chunk = origin == CHUNK_FROM_HEAP ? calloc(1, bytes) : map_pages(bytes, huge_bytes);
    }
    if (!chunk)
        return NULL;
    const size_t ready = is_short || bytes < READY_BYTES ? bytes : READY_BYTES;
    const bool is_cut = origin == CHUNK_OF_REGION;
    if (!is_cut || (char *)chunk + ready > arena->region->written_end)
        ptx_pages_make_ready(chunk, ready);
    chunk->bytes = bytes;
    chunk->ready_end = (char *)chunk + ready;
    chunk->dirty_end = is_short ? chunk_end(chunk) : chunk->data;
    chunk->huge_end = (char *)chunk + huge_bytes;
    chunk->origin = origin;
    if (is_cut)
        mark_dirty(arena->region, chunk);
    return chunk;
}

/* What was handed out from `begin` on is to be zeroed before it is handed out again; whole pages of
 * a long part are given to the system, which hands out zeroed ones. */
static void give_back(ArenaChunk *chunk, char *begin)
{
    if (chunk->dirty_end < chunk->used_end)
        chunk->dirty_end = chunk->used_end;
#ifdef __linux__ /* elsewhere the pages need not come back zeroed */
    char *const end = chunk->dirty_end;
    const size_t head = (size_t)(PAGE_BYTES - (uintptr_t)begin % PAGE_BYTES) % PAGE_BYTES;
    const size_t tail = (size_t)((uintptr_t)end % PAGE_BYTES);
    if (chunk->origin == CHUNK_MAPPED && end - begin >= GIVEN_BACK_BYTES
        && !madvise(begin + head, (size_t)(end - begin) - head - tail, MADV_DONTNEED)) {
        memset(end - tail, 0, tail);
        chunk->ready_end = chunk->dirty_end = begin + head;
    }
#else
    (void)begin;
#endif
}

/* What is cut from a region stays with it. */
static void drop_chunks(Arena *arena)
{
    if (arena->chunks)
        arena->chunks->used_end = arena->next;
    for (ArenaChunk *chunk = arena->chunks, *older; chunk; chunk = older) {
        older = chunk->older;
        if (chunk->origin != CHUNK_OF_REGION) {
            free_chunk(chunk);
            continue;
        }
        give_back(chunk, chunk->data);
        take_back(arena->region, chunk);
    }
}

void ptx_arena_free(Arena *arena)
{
    drop_chunks(arena);
    free_chunks(arena->spare);
    arena->chunks = arena->spare = NULL;
    arena->on_failure = NULL;           /* ptx_arena_init comes before the next allocation */
    arena->next = arena->end = NULL;
    arena->used_bytes = 0;
}

static size_t ready_bytes(const ArenaChunk *chunk)
{
    size_t bytes = 0;
    for (; chunk; chunk = chunk->older)
        bytes += (size_t)(chunk->ready_end - (const char *)chunk);
    return bytes;
}

size_t ptx_arena_bytes(const Arena *arena)
{
    return ready_bytes(arena->chunks) + ready_bytes(arena->spare);
}

/* Of all chunks but the newest. */
static size_t held_in_older(const Arena *arena)
{
    size_t bytes = 0;
    for (const ArenaChunk *c = arena->chunks ? arena->chunks->older : NULL; c; c = c->older)
        bytes += (size_t)(c->used_end - c->data);
    return bytes;
}

size_t ptx_arena_held(const Arena *arena)
{
    return arena->chunks ? held_in_older(arena) + (size_t)(arena->next - arena->chunks->data) : 0;
}

/* The pages of its first bytes, a multiple of a huge page, that are not there yet. */
static void ask_for_huge(ArenaChunk *chunk, size_t bytes)
{
    char *const begin = (char *)chunk, *const end = begin + bytes;
    char *from = begin + rounded_up_to((size_t)(chunk->ready_end - begin), HUGE_PAGE_BYTES);
    if (from < chunk->huge_end)
        from = chunk->huge_end;
    if (end <= from)
        return;
    ptx_pages_make_huge(from, (size_t)(end - from));
    chunk->huge_end = end;
}

/* Whole huge pages of what is foreseen behind so many bytes. */
static size_t foreseen_behind(const Arena *arena, size_t held)
{
    const size_t bytes = arena->foreseen_bytes;
    return bytes > held ? (bytes - held) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES : 0;
}

void ptx_arena_foresee(Arena *arena, size_t bytes)
{
    ArenaChunk *chunk = arena->chunks;
    arena->foreseen_bytes = bytes;
    if (!chunk || chunk->origin != CHUNK_MAPPED)
        return;
    const size_t huge = foreseen_behind(arena, held_in_older(arena));
    ask_for_huge(chunk, huge < chunk->bytes ? huge : chunk->bytes);
}

_Noreturn void ptx_arena_fail(Arena *arena)
{
    ASSERT(arena->on_failure);
    longjmp(*arena->on_failure, 1);
}

/* The shortest of a list that is long enough, among the first. NULL. */
static ArenaChunk **shortest_spare(ArenaChunk **list, size_t bytes, unsigned most_looks)
{
    ArenaChunk **best = NULL;
    unsigned looks = 0;
    for (ArenaChunk **link = list; *link && looks < most_looks; link = &(*link)->older, looks++)
        if ((*link)->bytes >= bytes && (!best || (*link)->bytes < (*best)->bytes))
            best = link;
    return best;
}

static ArenaChunk **spare_of_region(ArenaRegion *region, size_t bytes)
{
    ArenaChunk **best = NULL;
    for (unsigned class = length_class(bytes); class < ARENA_CLASSES && !best; class++) {
        ArenaChunk **const cut = shortest_spare(&region->cut[class], bytes, MOST_LOOKS);
        best = shortest_spare(&region->spare[class], bytes, MOST_LOOKS);
        if (cut && (!best || (*cut)->bytes < (*best)->bytes))
            best = cut;
    }
    return best;
}

/* The shortest that will do: what is asked for next may be longer. NULL. */
static ArenaChunk *take_spare(Arena *arena, size_t bytes)
{
    ArenaRegion *region = arena->region;
    ArenaChunk **best = region ? spare_of_region(region, bytes)
                                : shortest_spare(&arena->spare, bytes, UINT_MAX);
    if (!best)
        return NULL;
    ArenaChunk *chunk = *best;
    if (region && chunk->bytes > arena->limit_bytes - arena->used_bytes)
        return NULL;
    *best = chunk->older;
    if (region) {
        region->in_hand += chunk->origin == CHUNK_OF_REGION;
        arena->used_bytes += chunk->bytes;
    }
    return chunk;
}

/* Of a new chunk: as much again as there is, but for one that is expected to hold more. */
static size_t wish_for_chunk(const Arena *arena)
{
    const size_t most = arena->region ? REGION_CHUNK_BYTES : MAX_CHUNK_BYTES;
    if (arena->expected_bytes > arena->used_bytes)
        return arena->expected_bytes;
    if (arena->used_bytes < FIRST_CHUNK_BYTES)
        return FIRST_CHUNK_BYTES;
    return arena->used_bytes < most ? arena->used_bytes : most;
}

/* Of a new chunk of size bytes, for an item that needs so many of them. */
static size_t huge_bytes_of(Arena *arena, size_t size, size_t needed)
{
    size_t bytes = arena->foreseen_bytes ? foreseen_behind(arena, ptx_arena_held(arena)) : 0;
    if (!bytes)
        arena->foreseen_bytes = 0;      /* it is there: chunks are not counted again */
    if (needed >= (size_t)HUGE_PAGE_BYTES && bytes < needed)
        bytes = rounded_up_to(needed, HUGE_PAGE_BYTES);
    return bytes < size ? bytes : size;
}

/* A spare chunk that has so many bytes to hand out, or a new one. */
static ArenaChunk *take_chunk(Arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(ArenaChunk) - HUGE_PAGE_BYTES)
        ptx_arena_fail(arena);
    const size_t needed = bytes + sizeof(ArenaChunk), wish = wish_for_chunk(arena),
                 left = arena->limit_bytes - arena->used_bytes;
    ArenaChunk *chunk = take_spare(arena, needed);
    if (chunk)
        return chunk;
    size_t size = chunk_bytes(wish > needed ? wish : needed);
    if (size > left)
        size = chunk_bytes(needed);
    if (size > left)
        ptx_arena_fail(arena);
    chunk = system_chunk(arena, size, huge_bytes_of(arena, size, needed));
    if (!chunk)
        ptx_arena_fail(arena);
    arena->used_bytes += size;
    return chunk;
}

static size_t ready_step(const ArenaChunk *chunk)
{
    switch (chunk->origin) {
    case CHUNK_MAPPED:
        return chunk->ready_end < chunk->huge_end ? HUGE_PAGE_BYTES : READY_LONG_BYTES;
    case CHUNK_OF_REGION:
        return READY_LONG_BYTES;
    default:
        return READY_BYTES;
    }
}

/* How far pages are made ready where `wanted` is asked for: a short chunk's by a quarter of it so
 * far, so that few calls do, and few pages are there that nothing is written to. */
static char *ready_end_for(ArenaChunk *chunk, const char *wanted)
{
    char *const begin = (char *)chunk;
    const size_t so_far = (size_t)(chunk->ready_end - begin);
    size_t end = (size_t)(wanted - begin);
    if (chunk->origin != CHUNK_MAPPED && end < so_far + so_far / 4)
        end = so_far + so_far / 4;
    end = rounded_up_to(end, ready_step(chunk));
    return end < chunk->bytes ? begin + end : chunk_end(chunk);
}

/* Zeroes what follows the free part, as far as wanted and a little more; false: what lies between
 * that and the end of the pages that are ready is still to be zeroed. */
static bool is_all_clear(Arena *arena, const ArenaChunk *chunk, char *wanted)
{
    if (arena->end >= chunk->dirty_end)
        return true;
    char *to = chunk->dirty_end;
    if (to - wanted > CLEAR_BYTES)
        to = wanted + CLEAR_BYTES;
    memset(arena->end, 0, (size_t)(to - arena->end));
    arena->end = to;
    return to == chunk->dirty_end;
}

/* The free part of the newest chunk becomes so long at least. False: the chunk is too short. What
 * is as long as a huge page gets such pages as it is written: much of it may be room for more. */
static bool reach(Arena *arena, size_t bytes)
{
    ArenaChunk *chunk = arena->chunks;
    if (!chunk || bytes > (size_t)(chunk_end(chunk) - arena->next))
        return false;
    if (arena->next + bytes > chunk->ready_end) {
        char *const to = ready_end_for(chunk, arena->next + bytes);
        if (bytes < (size_t)HUGE_PAGE_BYTES)
            ptx_pages_make_ready(chunk->ready_end, (size_t)(to - chunk->ready_end));
        chunk->ready_end = to;
    }
    if (is_all_clear(arena, chunk, arena->next + rounded_up(bytes)))
        arena->end = chunk->ready_end;
    return true;
}

void *ptx_arena_alloc_chunk(Arena *arena, size_t bytes)
{
    ASSERT(arena->on_failure);          /* else it is not set up, or was freed */
    if (!reach(arena, bytes)) {
        if (arena->is_stopped && arena->is_stopped(arena->stop_context))
            ptx_arena_fail(arena);
        ArenaChunk *chunk = take_chunk(arena, bytes);
        ASSERT(arena->used_bytes <= arena->limit_bytes);
        if (arena->chunks)
            arena->chunks->used_end = arena->next;
        chunk->older = arena->chunks;
        arena->chunks = chunk;
        arena->next = arena->end = chunk->data;
        reach(arena, bytes);
    }
    char *p = arena->next;
    arena->next += rounded_up(bytes);
    return p;
}

void *ptx_arena_alloc_array(Arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        ptx_arena_fail(arena);
    return ptx_arena_alloc(arena, bytes);
}

void *ptx_arena_grow(Arena *arena, const void *items, uint32_t count, uint32_t *capacity,
                     size_t size)
{
    ASSERT(count <= *capacity);
    uint32_t wanted = *capacity ? 2 * *capacity : 16;
    if (wanted <= *capacity)
        ptx_arena_fail(arena);
    void *copy = ptx_arena_alloc_array(arena, wanted, size);
    if (count)
        memcpy(copy, items, count * size);
    *capacity = wanted;
    return copy;
}

void ptx_arena_trim(Arena *arena, void *items, size_t count, size_t made, size_t size)
{
    char *first = items;
    ASSERT(count <= made);
    if (arena->next == first + rounded_up(made * size))
        arena->next = first + rounded_up(count * size);
}

char *ptx_arena_strndup(Arena *arena, const char *text, size_t length)
{
    char *copy = ptx_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

ArenaMark ptx_arena_mark(const Arena *arena)
{
    return (ArenaMark){ arena->chunks, arena->next };
}

static void put_aside(Arena *arena, ArenaChunk *chunk)
{
    if (chunk->bytes > KEPT_BYTES) {
        arena->used_bytes -= chunk->bytes;
        free_chunk(chunk);
        return;
    }
    give_back(chunk, chunk->data);
    if (arena->region) {
        arena->used_bytes -= chunk->bytes;
        take_back(arena->region, chunk);
        return;
    }
    chunk->older = arena->spare;
    arena->spare = chunk;
}

void ptx_arena_release(Arena *arena, ArenaMark mark)
{
    if (arena->chunks == mark.chunk && arena->next == mark.next)
        return;
    if (arena->chunks)
        arena->chunks->used_end = arena->next;
    while (arena->chunks != mark.chunk) {
        ArenaChunk *chunk = arena->chunks;
        /* a mark of this arena, and no older one was released since */
        ASSERT(chunk);
        arena->chunks = chunk->older;
        put_aside(arena, chunk);
    }
    arena->next = arena->end = NULL;
    if (!mark.chunk)
        return;
    ASSERT(mark.next >= mark.chunk->data && mark.next <= mark.chunk->used_end);
    give_back(mark.chunk, mark.next);
    arena->next = arena->end = mark.next;
}
