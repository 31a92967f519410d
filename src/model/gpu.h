/* gpu.h -- the handle of the public interface over gpu/gpu.h, and occupancy in its words. */
#ifndef PTX_MODEL_GPU_H
#define PTX_MODEL_GPU_H

#include "ptxlint/ptxlint.h"

typedef struct Occupancy Occupancy;
typedef struct Gpu Gpu;

static inline const Gpu *ptx_gpu_of(const ptxlint_gpu *gpu)
{
    return (const Gpu *)(const void *)gpu;
}

static inline const ptxlint_gpu *ptx_gpu_handle(const Gpu *gpu)
{
    return (const ptxlint_gpu *)(const void *)gpu;
}

static inline int64_t ptx_view_number(int64_t value)
{
    return value < 0 ? PTXLINT_UNKNOWN : value;
}

void ptx_view_occupancy(const Occupancy *occupancy, ptxlint_occupancy *out);

#endif
