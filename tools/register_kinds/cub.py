"""Primitives of CUB."""

HEAD = """#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_load.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
"""

def cub_block(d, k):
    b = d.of(64, 128, 256); t = d.of("int", "float", "unsigned"); n = d.of(1, 2, 4, 8); o = d.n(0, 4)
    if o == 0: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::BlockReduce<{t}, {b}>; __shared__ typename R::TempStorage s; {t} v = R(s).Sum(x[blockIdx.x * {b} + threadIdx.x]); if (threadIdx.x == 0) y[blockIdx.x] = v; }}"
    if o == 1: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::BlockScan<{t}, {b}>; __shared__ typename R::TempStorage s; {t} v[{n}]; for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {b} + threadIdx.x) * {n} + j]; R(s).{d.of('Exclusive', 'Inclusive')}Sum(v, v); for (int j = 0; j < {n}; j++) y[(blockIdx.x * {b} + threadIdx.x) * {n} + j] = v[j]; }}"
    if o == 2: return f"__global__ void {k}({t} *x) {{ using R = cub::BlockRadixSort<{t}, {b}, {n}>; __shared__ typename R::TempStorage s; {t} v[{n}]; for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {b} + threadIdx.x) * {n} + j]; R(s).Sort(v); for (int j = 0; j < {n}; j++) x[(blockIdx.x * {b} + threadIdx.x) * {n} + j] = v[j]; }}"
    if o == 3: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::WarpReduce<{t}>; __shared__ typename R::TempStorage s[{b // 32}]; {t} v = R(s[threadIdx.x / 32]).{d.of('Sum', 'Sum')}(x[blockIdx.x * {b} + threadIdx.x]); y[blockIdx.x * {b} + threadIdx.x] = v; }}"
    return f"__global__ void {k}(const {t} *x, {t} *y, int n) {{ using L = cub::BlockLoad<{t}, {b}, {n}, cub::BLOCK_LOAD_TRANSPOSE>; __shared__ typename L::TempStorage s; {t} v[{n}]; L(s).Load(x + blockIdx.x * {b * n}, v, n); {t} a = 0; for (int j = 0; j < {n}; j++) a += v[j]; y[blockIdx.x * {b} + threadIdx.x] = a; }}"


KINDS = [cub_block]
