/* use_log.h -- which suppressions one module has used, or had code for: what is noted in a config
 * and in CUDA sources, kept so that it can be noted again where a saved module stands for it. */
#ifndef PTX_FINDINGS_USE_LOG_H
#define PTX_FINDINGS_USE_LOG_H

#include "support/arena.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct BookFile BookFile;

/* Bits of Ignore.state, or of CudaName.state. */
typedef struct Use {
    uint32_t list;              /* IgnoreKind; of a source: USE_IN_SOURCE + its number */
    uint32_t index, bits;
} Use;

enum { USE_IN_SOURCE = 16 };

/* A CUDA source that .file names. */
typedef struct UsedSource {
    const char *path;           /* as .file has it */
    const BookFile *file;       /* NULL: it has neither comments nor kernels, or cannot be read */
} UsedSource;

typedef struct UseLog {
    Arena *arena;               /* the module's */
    Use *uses;
    uint32_t count, capacity;
    UsedSource *sources;
    uint32_t source_count;
} UseLog;

/* Sets bits of state, and keeps that. */
static inline void ptx_use_note(UseLog *log, _Atomic uint8_t *state, Use use)
{
    atomic_fetch_or(state, (uint8_t)use.bits);
    if (!log)
        return;
    if (log->count == log->capacity)
        log->uses = (Use *)ptx_arena_grow(log->arena, log->uses, log->count, &log->capacity,
                                          sizeof *log->uses);
    log->uses[log->count++] = use;
}

/* The number of the first source that is file. */
static inline uint32_t ptx_use_source(const UseLog *log, const BookFile *file)
{
    uint32_t number = 0;
    while (log && number < log->source_count && log->sources[number].file != file)
        number++;
    return number;
}

#endif
