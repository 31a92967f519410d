/* own_gpu.h -- a GPU that is not compiled in. */
#ifndef PTX_API_OWN_GPU_H
#define PTX_API_OWN_GPU_H

#include "gpu/gpu.h"
#include "ptxlint/ptxlint.h"
#include "support/arena.h"

typedef struct OwnGpu {
    Gpu gpu;
    GpuFacts facts;
    Arena arena;                /* that its texts are in */
} OwnGpu;

/* NULL: it is one of the tables, or none. */
OwnGpu *ptx_own_gpu(ptxlint_gpu *gpu);

#endif
