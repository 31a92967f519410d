/* gpu.h -- the handle of the public interface over gpu/gpu.h, and occupancy in its words. */
#ifndef PTX_API_GPU_H
#define PTX_API_GPU_H

#include "gpu/occupancy.h"
#include "ptxlint/ptxlint.h"

const Gpu *ptx_gpu_of(const ptxlint_gpu *gpu);
const ptxlint_gpu *ptx_gpu_handle(const Gpu *gpu);

void ptx_view_occupancy(const Occupancy *occupancy, ptxlint_occupancy *out);

#endif
