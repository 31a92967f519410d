/* Loops with barriers of the block and of the grid, and loops whose warps read what others wrote. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ unsigned arrived;
__device__ volatile unsigned generation;

__device__ __noinline__ float step(float x, float y)
{
    return x * y + 1.f;
}

extern "C" __global__ void grid_sync(float *a, float *b, int n, int trips)
{
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < trips; t++) {
        if (i > 0 && i < n - 1)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        g.sync();
        float *c = a;
        a = b;
        b = c;
    }
}

extern "C" __global__ void grid_nest(float *a, float *b, int n, int trips)
{
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < trips; t++) {
        for (int u = 0; u < 10; u++) {
            if (i > 0 && i < n - 1)
                b[i] = 0.5f * (a[i - 1] + a[i + 1]);
            g.sync();
            float *c = a;
            a = b;
            b = c;
        }
        b[i] *= 2.f;
    }
}

extern "C" __global__ void spin_barrier(float *a, float *b, int n, int trips)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < trips; t++) {
        if (i > 0 && i < n - 1)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            unsigned mine = generation;
            if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
                arrived = 0;
                __threadfence();
                generation = mine + 1;
            } else {
                while (generation == mine)
                    ;
            }
            __threadfence();
        }
        __syncthreads();
        float *c = a;
        a = b;
        b = c;
    }
}

extern "C" __global__ void block_sync(float *a, int trips)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    for (int t = 0; t < trips; t++) {
        for (int u = 0; u < 10; u++) {
            __syncthreads();
            float v = s[(threadIdx.x + 1) & 255];
            __syncthreads();
            s[threadIdx.x] = v * 0.5f;
        }
        a[i] = s[threadIdx.x];
    }
}

extern "C" __global__ void sync_count(float *a, int trips)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    float v = a[i];
    for (int t = 0; t < trips; t++) {
        v = v * 0.5f + 1.f;
        k += __syncthreads_count(v > 1.5f);
    }
    a[i] = v + k;
}

extern "C" __global__ void shared_index(float *a, const int *p, int trips)
{
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    s[threadIdx.x] = p[i];
    __syncthreads();
    for (int t = 0; t < trips; t++)
        v += a[s[(threadIdx.x + t) & 255]];
    a[i] = v;
}

extern "C" __global__ void calls(float *a, int trips)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];
    for (int t = 0; t < trips; t++)
        v = step(v, a[(i + t) & 0xffff]);
    a[i] = v;
}

extern "C" __global__ void lock(int *taken, float *a, int trips)
{
    for (int t = 0; t < trips; t++) {
        if (threadIdx.x == 0) {
            while (atomicCAS(taken, 0, 1) != 0)
                ;
            __threadfence();
            a[0] += 1.f;
            __threadfence();
            atomicExch(taken, 0);
        }
        __syncthreads();
    }
}
