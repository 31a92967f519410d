#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */

#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) || defined(__SANITIZE_ADDRESS__)
#define SANITIZERS_LOOK 1       /* at what comes from calloc */
#else
#define SANITIZERS_LOOK 0
#endif

#include "support/arena.h"

#include "support/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    FIRST_CHUNK_BYTES = 4 << 10,        /* sanitizers see more of small ones, and sooner */
#else
    FIRST_CHUNK_BYTES = 64 << 10,
#endif
    MAX_CHUNK_BYTES = 32 << 20,
    /* chunks from here on are mapped: what is not used costs nothing */
    MAPPED_BYTES = SANITIZERS_LOOK ? 128 << 10 : 64 << 10,
    KEPT_BYTES = 2 << 20,       /* longer chunks are not kept for later */
    GIVEN_BACK_BYTES = 4 << 20, /* longer parts of a chunk are given back */
    READY_BYTES = 64 << 10,     /* pages of a mapped chunk are asked for by so many at least */
    PAGE_BYTES = 4 << 10,
    HUGE_PAGE_BYTES = 2 << 20
};

struct ArenaChunk {
    ArenaChunk *older;
    size_t bytes;
    /* end of what was handed out, once the chunk is no longer the newest */
    char *used_end;
    char *ready_end;            /* its pages up to here are there */
    bool is_mapped;             /* by mmap */
    _Alignas(8) char data[];
};

void ptx_arena_init(Arena *arena, size_t limit_bytes, jmp_buf *on_failure)
{
    *arena = (Arena){ .limit_bytes = limit_bytes, .on_failure = on_failure };
}

static void free_chunk(ArenaChunk *chunk)
{
    if (chunk->is_mapped)
        munmap(chunk, chunk->bytes);
    else
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

static char *end_of(ArenaChunk *chunk)
{
    return (char *)chunk + chunk->bytes;
}

/* The pages of a mapped chunk up to `wanted` at least: one system call for many of them. Where they
 * come one by one, as they are written, page faults are a third of the time of a small file; in a
 * virtual machine a fault may take as long as thirty pages do here. A system without this call
 * gives them one by one. */
static void make_ready(ArenaChunk *chunk, const char *wanted)
{
    char *const end = end_of(chunk), *const from = chunk->ready_end;
    const size_t so_far = (size_t)(from - (char *)chunk), wish = so_far / 4,
                 least = chunk->bytes < HUGE_PAGE_BYTES ? READY_BYTES : HUGE_PAGE_BYTES;
    size_t bytes = (size_t)(wanted - from);
    if (bytes < wish)
        bytes = wish;
    bytes = (bytes + least - 1) / least * least;
    chunk->ready_end = bytes < (size_t)(end - from) ? from + bytes : end;
#ifdef MADV_POPULATE_WRITE
    if (chunk->is_mapped)
        madvise(from, (size_t)(chunk->ready_end - from), MADV_POPULATE_WRITE);
#endif
}

/* Zeroed. Large chunks ask for huge pages. */
static ArenaChunk *system_chunk(size_t bytes)
{
    if (bytes < MAPPED_BYTES)
        return calloc(1, bytes);
    ArenaChunk *chunk = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                             0);
    if (chunk == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= (size_t)HUGE_PAGE_BYTES)
        madvise(chunk, bytes, MADV_HUGEPAGE);
#endif
    chunk->is_mapped = true;
    return chunk;
}

void ptx_arena_free(Arena *arena)
{
    free_chunks(arena->chunks);
    free_chunks(arena->spare);
    arena->chunks = arena->spare = NULL;
    arena->on_failure = NULL;           /* ptx_arena_init comes before the next allocation */
    arena->next = arena->end = NULL;
    arena->used_bytes = 0;
}

_Noreturn void ptx_arena_fail(Arena *arena)
{
    ASSERT(arena->on_failure);
    longjmp(*arena->on_failure, 1);
}

/* A spare chunk that is large enough, or a new one. */
static ArenaChunk *take_chunk(Arena *arena, size_t bytes)
{
    for (ArenaChunk **link = &arena->spare; *link; link = &(*link)->older) {
        ArenaChunk *chunk = *link;
        if (chunk->bytes >= bytes + sizeof(ArenaChunk)) {
            *link = chunk->older;
            return chunk;
        }
    }
    size_t size = arena->used_bytes < FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES : arena->used_bytes;
    if (size > MAX_CHUNK_BYTES)
        size = MAX_CHUNK_BYTES;
    if (bytes > SIZE_MAX - sizeof(ArenaChunk) - 16)
        ptx_arena_fail(arena);
    if (size < bytes + sizeof(ArenaChunk) + 8)
        size = (bytes + sizeof(ArenaChunk) + 8) & ~(size_t)7;
    if (size >= (size_t)HUGE_PAGE_BYTES && size <= SIZE_MAX - HUGE_PAGE_BYTES)
        size = (size + HUGE_PAGE_BYTES - 1) & ~(size_t)(HUGE_PAGE_BYTES - 1);
    if (size > arena->limit_bytes - arena->used_bytes)
        ptx_arena_fail(arena);
    ArenaChunk *chunk = system_chunk(size);
    if (!chunk)
        ptx_arena_fail(arena);
    chunk->bytes = size;
    chunk->ready_end = (char *)chunk;
    arena->used_bytes += size;
    return chunk;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* The free part of the newest chunk, as far as its pages are there, has room for so many bytes.
 * False: the chunk is too short. */
static bool reach(Arena *arena, size_t bytes)
{
    ArenaChunk *chunk = arena->chunks;
    if (!chunk || bytes > (size_t)(end_of(chunk) - arena->next))
        return false;
    if (arena->next + bytes > chunk->ready_end)
        make_ready(chunk, arena->next + bytes);
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
        arena->next = chunk->data;
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

/* Zeroes; whole pages of a long part are given to the system, which hands out zeroed ones. */
static void clear(ArenaChunk *chunk, char *begin, char *end)
{
#ifdef __linux__ /* elsewhere the pages need not come back zeroed */
    const size_t head = (size_t)(PAGE_BYTES - (uintptr_t)begin % PAGE_BYTES) % PAGE_BYTES;
    const size_t tail = (size_t)((uintptr_t)end % PAGE_BYTES);
    if (chunk->is_mapped && end - begin >= GIVEN_BACK_BYTES
        && !madvise(begin + head, (size_t)(end - begin) - head - tail, MADV_DONTNEED)) {
        memset(begin, 0, head);
        memset(end - tail, 0, tail);
        chunk->ready_end = begin + head;
        return;
    }
#else
    (void)chunk;
#endif
    memset(begin, 0, (size_t)(end - begin));
}

static void put_aside(Arena *arena, ArenaChunk *chunk)
{
    if (chunk->bytes > KEPT_BYTES) {
        arena->used_bytes -= chunk->bytes;
        free_chunk(chunk);
        return;
    }
    clear(chunk, chunk->data, chunk->used_end);
    chunk->older = arena->spare;
    arena->spare = chunk;
}

void ptx_arena_release(Arena *arena, ArenaMark mark)
{
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
    clear(mark.chunk, mark.next, mark.chunk->used_end);
    arena->next = mark.next;
    arena->end = mark.chunk->ready_end;
}
