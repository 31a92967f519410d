// Control flow that decides who accesses what: loops, switches, calls, votes, warps with roles, clusters.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" {
// launch ct_alignment_walks grid=5,1,1 block=128,1,1 params=[null,null,13]
__global__ void ct_alignment_walks(float *out, const float *in, int steps)
{
    float sum = 0;
    int i = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
        sum += in[i + k * (k + 1)];
    out[i] = sum;
}
// launch ct_alignment_by_block grid=23,1,1 block=64,1,1 params=[null,null,77]
__global__ void ct_alignment_by_block(short *out, const short *in, int pitch)
{
    int i = blockIdx.x * pitch + threadIdx.x;
    out[i] = in[i + blockIdx.x * blockIdx.x];
}
// launch ct_alignment_by_warp grid=4,1,1 block=256,1,1 params=[null,null]
__global__ void ct_alignment_by_warp(float *out, const float *in)
{
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31, at = blockIdx.x * 400 + w * 33 + lane * (w + 1);
    out[blockIdx.x * 400 + w * 41 + lane] = in[at];
}
// launch ct_grid_stride grid=7,1,1 block=224,1,1 params=[null,null,9001,3]
__global__ void ct_grid_stride(float *out, const float *in, int n, int step)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i * step];
}
// launch ct_persistent grid=13,1,1 block=64,1,1 params=[null,null,7,11,19]
__global__ void ct_persistent(float *out, const float *in, int tiles_x, int tiles_y, int extra)
{
    __shared__ float t[8][9];
#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles_x * tiles_y; tile += gridDim.x) {
        int tx = tile % tiles_x, ty = tile / tiles_x, x = threadIdx.x & 7, y = threadIdx.x >> 3, pitch = tiles_x * 8 + extra;
        t[y][x] = in[(ty * 8 + y) * pitch + tx * 8 + x];
        __syncthreads();
        out[(tx * 8 + y) * tiles_y * 8 + ty * 8 + x] = t[x][y];
        __syncthreads();
    }
}
__device__ __noinline__ int place_of(int i, int pitch) { return (i & 7) * pitch + (i >> 3) * 2; }
__device__ __noinline__ float read_at(const float *p, int i, int k) { return k & 1 ? p[i * 2] : p[i]; }
// launch ct_calls grid=4,1,1 block=96,1,1 params=[null,null,37]
__global__ void ct_calls(float *out, const float *in, int pitch)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    out[place_of(i, pitch)] = read_at(in, i, threadIdx.x >> 5) + read_at(in + 3, i, 0);
}
// launch ct_switch grid=3,1,1 block=128,1,1 params=[null,null]
__global__ void ct_switch(float *out, const float *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v;
    switch (threadIdx.x >> 4) {
    case 0: v = in[i]; break;
    case 1: v = in[i * 2] + 1; break;
    case 2: v = in[i * 3 + 1] * 2; break;
    case 4: v = in[1000 - i] - 3; break;
    case 5: v = in[i & 3] / 3; break;
    case 7: v = in[i ^ 9] * 5; break;
    default: v = in[7]; break;
    }
    out[i] = v;
}
// launch ct_shuffled grid=6,1,1 block=64,1,1 params=[null,null]
__global__ void ct_shuffled(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31;
    int from = __shfl_xor_sync(~0u, i * 3, 6), up = __shfl_up_sync(~0u, i, 4), first = __shfl_sync(~0u, i * 5, lane & 24), down = __shfl_down_sync(~0u, i * 2, 3, 16);
    out[i] = in[from] + in[up] + in[first] + in[down];
}
// launch ct_votes grid=5,1,1 block=128,1,1 params=[null,null,450]
__global__ void ct_votes(float *out, const float *in, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    unsigned odd = __ballot_sync(~0u, (i * 7 & 5) != 0 && i < n);
    int rank = __popc(odd & ((1u << (threadIdx.x & 31)) - 1));
    if (odd >> (threadIdx.x & 31) & 1)
        out[(i & ~31) + rank] = in[i];
    if (__any_sync(~0u, i % 50 == 7))
        out[2000 + i] = in[i * 2];
    if (__all_sync(~0u, i < n) && (threadIdx.x & 31) == __ffs(odd) - 1)
        out[4000 + i] = in[i + 1];
}
// launch ct_elected grid=4,1,1 block=96,1,1 params=[null,null]
__global__ void ct_elected(float *out, const float *in)
{
    unsigned is_one;
    int i = blockIdx.x * 96 + threadIdx.x;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is_one));
    if (is_one)
        out[i] = in[i * 4];
    if (threadIdx.x & 2)
        out[i + 1000] = in[__popc(__activemask()) + i];
}
// launch ct_roles grid=7,1,1 block=128,1,1 params=[null,null,6]
__global__ void ct_roles(float *out, const float *in, int rounds)
{
    __shared__ float t[2][64];
    int w = threadIdx.x >> 5, i = threadIdx.x & 63;
    if (w < 2) {
#pragma unroll 1
        for (int k = 0; k < rounds; k++) {
            if (k >= 2)
                asm volatile("bar.sync %0, 128;" ::"r"(3 + (k & 1)) : "memory");
            t[k & 1][i ^ 1] = in[(blockIdx.x * rounds + k) * 64 + i];
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + (k & 1)) : "memory");
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < rounds; k++) {
            asm volatile("bar.sync %0, 128;" ::"r"(1 + (k & 1)) : "memory");
            out[(blockIdx.x * rounds + k) * 64 + i] = t[k & 1][i * 2 & 63];
            if (k + 2 < rounds)
                asm volatile("bar.arrive %0, 128;" ::"r"(3 + (k & 1)) : "memory");
        }
    }
}
// launch ct_cluster grid=8,1,1 block=64,1,1 cluster=2,1,1 params=[null,null]
__global__ void __cluster_dims__(2, 1, 1) ct_cluster(float *out, const float *in)
{
    __shared__ float t[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int i = blockIdx.x * 64 + threadIdx.x;
    t[threadIdx.x] = in[i];
    cluster.sync();
    float *there = cluster.map_shared_rank(t, rank ^ 1);
    out[i * 2 + rank] = there[63 - threadIdx.x];
    cluster.sync();
}
// launch ct_early_exits grid=9,3,1 block=48,3,1 params=[null,null,400,7]
__global__ void ct_early_exits(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 48 + threadIdx.x, y = blockIdx.y * 3 + threadIdx.y;
    if (x >= w)
        return;
    float v = in[y * w + x];
    if (y >= h || (x & 12) == 4)
        return;
    out[y * w + x] = v;
    if (threadIdx.x > 20 && threadIdx.y == 1)
        return;
    out[100000 + x * 8 + y] = v;
}
// launch ct_while_halves grid=4,1,1 block=128,1,1 params=[null,null]
__global__ void ct_while_halves(float *out, const float *in)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x, k = threadIdx.x + 1;
    float sum = 0;
    while (k > 1) {
        sum += in[k * 5 + blockIdx.x];
        k = k & 1 ? k * 3 / 4 : k / 2;
    }
    out[i] = sum;
}
// launch ct_column_sum grid=3,1,1 block=100,1,1 params=[null,null,290,17]
__global__ void ct_column_sum(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 100 + threadIdx.x;
    if (x >= w)
        return;
    float sum = 0;
    for (int y = 0; y < h; y++)
        sum += in[y * w + x];
    out[x] = sum;
}
// launch ct_triangle grid=4,1,1 block=64,1,1 params=[null,null,200]
__global__ void ct_triangle(float *out, const float *in, int n)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k <= row; k += 3)
        sum += in[row * (row + 1) / 2 + k];
    out[row] = sum;
}
}
