/* load.h -- reads a GPU file (rules/gpus/README.md), checked key by key. Used when ptxlint is
 * built, for the files that are compiled in, and at run time for a user's own. */
#ifndef PTX_GPU_LOAD_H
#define PTX_GPU_LOAD_H

#include "gpu/gpu.h"
#include "support/arena.h"

enum { GPU_FILE_BYTES_MAX = 1 << 20 };

typedef struct GpuError {
    uint32_t line, column;      /* from 1 */
    char text[200];
} GpuError;

typedef const Gpu *(*GpuFindFn)(void *context, const char *name, size_t length);

typedef struct GpuFile {
    const char *name;           /* the GPU's, as ptx_gpu_name_of gives it */
    const char *yaml;
    size_t length;
} GpuFile;

/* find looks up `base`. The result and its texts are owned by arena. NULL: the file is not what it
 * should be, and *error says where and why. */
const Gpu *ptx_gpu_load(Arena *arena, const GpuFile *file, GpuFindFn find, void *context,
                        GpuError *error);

/* The name that a file gives its GPU: without folders and .yaml. *length of the bytes at the
 * result. */
const char *ptx_gpu_name_of(const char *path, size_t *length);

#endif
