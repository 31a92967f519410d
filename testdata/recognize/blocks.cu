/* Kernels that combine a value of each thread of a block, and below such that look alike and do
 * not, by one fault each. make.sh compiles them. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ float warp_sum(float v)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__device__ int warp_scan(int v, int lane)
{
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += y;
    }
    return v;
}

#define KERNEL(name, type) extern "C" __global__ void name(const type *x, type *o, int n)
#define BLOCK_OF_256(name, type) \
    extern "C" __global__ __launch_bounds__(256) void name(const type *x, type *o, int n)
#define THREAD [[maybe_unused]] int t = threadIdx.x, lane = t & 31, warp = t >> 5
#define LOAD float v = x[blockIdx.x * 256 + t]
#define FIRST_WARP_ADDS(count) \
    __syncthreads(); \
    v = t < (count) ? s[lane] : 0; \
    if (!warp) \
        v = warp_sum(v); \
    if (!t) \
        o[blockIdx.x] = v

/* ---- reductions ---- */

KERNEL(sum_by_shuffles, float)
{
    __shared__ float s[32];
    THREAD;
    int i = blockIdx.x * blockDim.x + t;
    float v = warp_sum(i < n ? x[i] : 0);
    if (!lane)
        s[warp] = v;
    FIRST_WARP_ADDS(blockDim.x / 32);
}

BLOCK_OF_256(max_by_all_threads, float)
{
    __shared__ float s[8];
    THREAD;
    float m = -INFINITY;
    for (int i = t; i < n; i += 256)
        m = fmaxf(m, x[blockIdx.x * n + i]);
    m = warp_max(m);
    if (!lane)
        s[warp] = m;
    __syncthreads();
    m = s[0];
    for (int k = 1; k < 8; k++)
        m = fmaxf(m, s[k]);
    o[blockIdx.x * 256 + t] = m;
}

KERNEL(tree_in_a_register, float)
{
    __shared__ float s[256];
    THREAD;
    float v = x[blockIdx.x * 512 + t] + x[blockIdx.x * 512 + t + 256];
    s[t] = v;
    __syncthreads();
    if (t < 128)
        s[t] = v = v + s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] = v = v + s[t + 64];
    __syncthreads();
    if (t < 32)
        v = warp_sum(v + s[t + 32]);
    if (!t)
        o[blockIdx.x] = v;
}

KERNEL(tail_with_barriers_of_the_warp, float)
{
    __shared__ float s[256];
    THREAD;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *q = s;
        float a = q[t];
        for (int d = 32; d; d >>= 1) {
            a += q[t + d];
            __syncwarp();
            q[t] = a;
            __syncwarp();
        }
    }
    if (!t)
        o[blockIdx.x] = s[0];
}

/* Recognized where the lanes of a warp run together, before sm_70. */
BLOCK_OF_256(tail_of_volatile_words, float)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *q = s;
        for (int d = 32; d; d >>= 1)
            q[t] += q[t + d];
    }
    if (!t)
        o[blockIdx.x] = s[0];
}

KERNEL(sum_in_a_loop_over_rows, float)
{
    __shared__ float s[8];
    THREAD;
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
        float v = 0;
        for (int c = t; c < n; c += 256)
            v += x[r * n + c];
        v = warp_sum(v);
        if (!lane)
            s[warp] = v;
        __syncthreads();
        if (t < 32) {
            v = t < 8 ? s[t] : 0;
            for (int d = 4; d; d >>= 1)
                v += __shfl_down_sync(~0u, v, d);
            if (!t)
                o[r] = v;
        }
        __syncthreads();
    }
}

KERNEL(sum_of_any_block, int)
{
    extern __shared__ int words[];
    THREAD;
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    words[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            words[t] = v = v + words[t + d];
        __syncthreads();
    }
    if (!t)
        o[blockIdx.x] = v;
}

BLOCK_OF_256(sum_of_doubles, double)
{
    __shared__ double s[8];
    THREAD;
    double v = x[blockIdx.x * 256 + t];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if (!lane)
        s[warp] = v;
    __syncthreads();
    if (!t) {
        for (int k = 1; k < 8; k++)
            v += s[k];
        o[blockIdx.x] = v;
    }
}

BLOCK_OF_256(sum_by_groups, float)
{
    __shared__ float s[8];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float v = warp_sum(x[blockIdx.x * 256 + threadIdx.x]);
    if (!tile.thread_rank())
        s[tile.meta_group_rank()] = v;
    block.sync();
    if (!threadIdx.x) {
        float a = 0;
        for (int i = 0; i < 8; i++)
            a += s[i];
        o[blockIdx.x] = a;
    }
}

BLOCK_OF_256(or_of_flags, unsigned)
{
    __shared__ unsigned s[8];
    THREAD;
    unsigned v = x[blockIdx.x * 256 + t];
    for (int d = 16; d; d >>= 1)
        v |= __shfl_xor_sync(~0u, v, d);
    if (!lane)
        s[warp] = v;
    __syncthreads();
    if (t < 8) {
        v = s[t];
        for (int d = 4; d; d >>= 1)
            v |= __shfl_xor_sync(0xff, v, d);
        if (!t)
            o[blockIdx.x] = v;
    }
}

/* ---- scans ---- */

BLOCK_OF_256(scan_hillis_steele, float)
{
    __shared__ float s[256];
    THREAD;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        float v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(scan_of_two_buffers, float)
{
    __shared__ float s[2][256];
    THREAD;
    int out = 0;
    s[0][t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        out ^= 1;
        s[out][t] = t >= d ? s[out ^ 1][t] + s[out ^ 1][t - d] : s[out ^ 1][t];
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[out][t];
}

BLOCK_OF_256(scan_blelloch, float)
{
    __shared__ float s[512];
    THREAD;
    int off = 1;
    s[2 * t] = x[blockIdx.x * 512 + 2 * t];
    s[2 * t + 1] = x[blockIdx.x * 512 + 2 * t + 1];
    for (int d = 256; d > 0; d >>= 1, off *= 2) {
        __syncthreads();
        if (t < d)
            s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];
    }
    if (!t)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1;
            float q = s[a];
            s[a] = s[b];
            s[b] += q;
        }
    }
    __syncthreads();
    o[blockIdx.x * 512 + 2 * t] = s[2 * t];
    o[blockIdx.x * 512 + 2 * t + 1] = s[2 * t + 1];
}

KERNEL(scan_by_shuffles, int)
{
    __shared__ int s[32];
    THREAD;
    int i = blockIdx.x * blockDim.x + t, v = warp_scan(i < n ? x[i] : 0, lane);
    if (lane == 31)
        s[warp] = v;
    __syncthreads();
    if (!warp)
        s[lane] = warp_scan(lane < blockDim.x / 32 ? s[lane] : 0, lane);
    __syncthreads();
    if (warp > 0)
        v += s[warp - 1];
    if (i < n)
        o[i] = v;
}

BLOCK_OF_256(scan_of_maxima, float)
{
    __shared__ float s[256];
    THREAD;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        float v = s[t];
        if (t >= d)
            v = fmaxf(v, s[t - d]);
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(scan_without_the_own, int)
{
    __shared__ int s[8];
    THREAD;
    int v = x[blockIdx.x * 256 + t], all = warp_scan(v, lane);
    if (lane == 31)
        s[warp] = all;
    __syncthreads();
    int before = 0;
    for (int k = 0; k < warp; k++)
        before += s[k];
    o[blockIdx.x * 256 + t] = all - v + before;
}

#define PADDED(i) ((i) + ((i) >> 5))

BLOCK_OF_256(scan_of_padded_rows, float)
{
    __shared__ float s[PADDED(512)];
    THREAD;
    int off = 1;
    s[PADDED(2 * t)] = x[blockIdx.x * 512 + 2 * t];
    s[PADDED(2 * t + 1)] = x[blockIdx.x * 512 + 2 * t + 1];
    for (int d = 256; d > 0; d >>= 1, off *= 2) {
        __syncthreads();
        if (t < d)
            s[PADDED(off * (2 * t + 2) - 1)] += s[PADDED(off * (2 * t + 1) - 1)];
    }
    if (!t)
        s[PADDED(511)] = 0;
    for (int d = 1; d < 512; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PADDED(off * (2 * t + 1) - 1), b = PADDED(off * (2 * t + 2) - 1);
            float q = s[a];
            s[a] = s[b];
            s[b] += q;
        }
    }
    __syncthreads();
    o[blockIdx.x * 512 + 2 * t] = s[PADDED(2 * t)];
    o[blockIdx.x * 512 + 2 * t + 1] = s[PADDED(2 * t + 1)];
}

#define STEPS(from, comparison) \
    __syncthreads(); \
    for (int d = from; d < 256; d <<= 1) { \
        int w = comparison ? s[t - d] : 0; \
        __syncthreads(); \
        s[t] += w; \
        __syncthreads(); \
    }

BLOCK_OF_256(scan_of_the_one_before, int)
{
    __shared__ int s[256];
    THREAD;
    s[t] = t ? x[blockIdx.x * 256 + t - 1] : 0;
    STEPS(1, t >= d)
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(scan_less_the_own, int)
{
    __shared__ int s[256];
    THREAD;
    int v = s[t] = x[blockIdx.x * 256 + t];
    STEPS(1, t >= d)
    o[blockIdx.x * 256 + t] = s[t] - v;
}

/* ---- one fault each ---- */

#define FAULT(name) \
    BLOCK_OF_256(no_##name, float)
#define WARPS_TO_SHARED \
    __shared__ float s[512]; \
    THREAD; \
    LOAD; \
    v = warp_sum(v); \
    if (!lane) \
    s[warp] = v

FAULT(last_warp)
{
    WARPS_TO_SHARED;
    FIRST_WARP_ADDS(7);
}

FAULT(last_step)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    for (int d = 16; d > 1; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if (!lane)
        s[warp] = v;
    FIRST_WARP_ADDS(8);
}

FAULT(upper_lanes_in_the_mask)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffff, v, d);
    if (!lane)
        s[warp] = v;
    FIRST_WARP_ADDS(8);
}

FAULT(sum_in_one_step)
{
    WARPS_TO_SHARED;
    __syncthreads();
    v = t < 8 ? s[t] : 0;
    if (!warp) {
        v += __shfl_down_sync(~0u, v, 4);
        v = fmaxf(v, __shfl_down_sync(~0u, v, 2));
        v += __shfl_down_sync(~0u, v, 1);
    }
    if (!t)
        o[blockIdx.x] = v;
}

FAULT(halves_apart)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    if (t < 128)
        s[t] = v = v + s[t + 127];
    __syncthreads();
    if (t < 64)
        s[t] = v = v + s[t + 64];
    __syncthreads();
    if (t < 32)
        v = warp_sum(v + s[t + 32]);
    if (!t)
        o[blockIdx.x] = v;
}

FAULT(threads_apart)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t <= d && t + d < 256)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (!t)
        o[blockIdx.x] = s[0];
}

FAULT(barrier_before_the_read)
{
    WARPS_TO_SHARED;
    v = t < 8 ? s[t] : 0;
    if (!warp)
        v = warp_sum(v);
    if (!t)
        o[blockIdx.x] = v;
}

FAULT(barrier_before_the_write)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        float q = t < d ? s[t + d] : 0;
        s[t] += q;
        __syncthreads();
    }
    if (!t)
        o[blockIdx.x] = s[0];
}

FAULT(warp_counted_once)
{
    WARPS_TO_SHARED;
    __syncthreads();
    if (!t) {
        float a = s[0];
        for (int k = 0; k < 8; k++)
            a += s[k];
        o[blockIdx.x] = a;
    }
}

FAULT(whole_segments)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d, 16);
    if (!lane)
        s[warp] = v;
    FIRST_WARP_ADDS(8);
}

FAULT(sum_of_the_last)
{
    WARPS_TO_SHARED;
    __syncthreads();
    if (!t) {
        float a = s[0];
        for (int k = 1; k < 7; k++)
            a += s[k];
        o[blockIdx.x] = a - s[7];
    }
}

FAULT(sum_all_the_way)
{
    WARPS_TO_SHARED;
    __syncthreads();
    if (t < 8) {
        v = s[t] + __shfl_down_sync(0xff, s[t], 4);
        v += __shfl_down_sync(0xff, v, 2);
        v = v * v;
        v += __shfl_down_sync(0xff, v, 1);
    }
    if (!t)
        o[blockIdx.x] = v;
}

FAULT(neighbour)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    if (t < 128)
        v += s[t];
    __syncthreads();
    s[t] = v;
    __syncthreads();
    if (t < 64)
        v += s[t + 64];
    __syncthreads();
    s[t] = v;
    __syncthreads();
    if (t < 32)
        v = warp_sum(v + s[t + 32]);
    if (!t)
        o[blockIdx.x] = v;
}

FAULT(value_of_this_round)
{
    __shared__ float s[8];
    THREAD;
    float sum = 0;
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
        float v = warp_sum(x[r * 256 + t]);
        sum += s[t & 7];
        if (!lane)
            s[warp] = v;
        __syncthreads();
    }
    sum = warp_sum(sum);
    if (!t)
        o[blockIdx.x] = sum;
}

FAULT(last_step_of_the_scan)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < 128; d <<= 1) {
        float q = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += q;
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[t];
}

FAULT(thread_at_the_distance)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        float q = t > d ? s[t - d] : 0;
        __syncthreads();
        s[t] += q;
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[t];
}

FAULT(barrier_in_the_scan)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        float q = t >= d ? s[t - d] : 0;
        s[t] += q;
        __syncthreads();
    }
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(no_sum_of_warps_before, int)
{
    __shared__ int s[8];
    THREAD;
    int v = warp_scan(x[blockIdx.x * 256 + t], lane);
    if (lane == 31)
        s[warp] = v;
    __syncthreads();
    int before = 0;
    for (int k = 0; k + 1 < warp; k++)
        before += s[k];
    o[blockIdx.x * 256 + t] = v + before;
}

FAULT(transform)
{
    __shared__ float s[512];
    THREAD;
    LOAD;
    s[t] = v;
    for (int d = 1; d < 256; d <<= 1) {
        __syncthreads();
        float q = s[t ^ d];
        __syncthreads();
        v = t & d ? q - v : q + v;
        s[t] = v;
    }
    o[blockIdx.x * 256 + t] = v;
}

BLOCK_OF_256(no_first_of_the_scan, int)
{
    __shared__ int s[256];
    THREAD;
    s[t] = x[blockIdx.x * 256 + t];
    STEPS(1, t > d)
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(no_second_of_the_one_before, int)
{
    __shared__ int s[256];
    THREAD;
    s[t] = t ? x[blockIdx.x * 256 + t - 1] : 0;
    STEPS(1, t > d + 1)
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(no_neighbour_in_the_one_before, int)
{
    __shared__ int s[256];
    THREAD;
    s[t] = t ? x[blockIdx.x * 256 + t - 1] : 0;
    STEPS(2, t >= d)
    o[blockIdx.x * 256 + t] = s[t];
}

BLOCK_OF_256(no_padding_of_one_row, float)
{
    __shared__ float s[PADDED(512)];
    THREAD;
    int off = 1;
    s[PADDED(2 * t)] = x[blockIdx.x * 512 + 2 * t];
    s[PADDED(2 * t + 1)] = x[blockIdx.x * 512 + 2 * t + 1];
    for (int d = 256; d > 0; d >>= 1, off *= 2) {
        __syncthreads();
        if (t < d)
            s[PADDED(off * (2 * t + 2) - 1)] += s[PADDED(off * (2 * t + 1) - 1)];
    }
    if (!t)
        s[PADDED(511)] = 0;
    for (int d = 1; d < 512; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = off * (2 * t + 1) - 1, b = PADDED(off * (2 * t + 2) - 1);
            float q = s[a];
            s[a] = s[b];
            s[b] += q;
        }
    }
    __syncthreads();
    o[blockIdx.x * 512 + 2 * t] = s[PADDED(2 * t)];
    o[blockIdx.x * 512 + 2 * t + 1] = s[PADDED(2 * t + 1)];
}

BLOCK_OF_256(scan_of_padded_halves, float)
{
    __shared__ float s[PADDED(512)];
    THREAD;
    int off = 1;
    s[PADDED(t)] = x[blockIdx.x * 512 + t];
    s[PADDED(t + 256)] = x[blockIdx.x * 512 + t + 256];
    for (int d = 256; d > 0; d >>= 1, off *= 2) {
        __syncthreads();
        if (t < d)
            s[PADDED(off * (2 * t + 2) - 1)] += s[PADDED(off * (2 * t + 1) - 1)];
    }
    if (!t)
        s[PADDED(511)] = 0;
    for (int d = 1; d < 512; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PADDED(off * (2 * t + 1) - 1), b = PADDED(off * (2 * t + 2) - 1);
            float q = s[a];
            s[a] = s[b];
            s[b] += q;
        }
    }
    __syncthreads();
    o[blockIdx.x * 512 + t] = s[PADDED(t)];
    o[blockIdx.x * 512 + t + 256] = s[PADDED(t + 256)];
}
