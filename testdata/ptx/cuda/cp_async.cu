// cp_async.cu -- asynchronous copies from global to shared memory (sm_80 and later).
//
//   copy_pipeline   __pipeline_memcpy_async with two stages in flight
//   copy_inline     the same instructions through inline assembly, with a zero-fill tail
//   copy_no_wait    reads the tile without waiting for its copy: a hazard, kept on purpose

#include <cuda_pipeline.h>

#define BLOCK 128

extern "C" __global__ __launch_bounds__(BLOCK) void copy_pipeline(int tiles, const float4 *__restrict__ in,
                                                                  float4 *__restrict__ out)
{
    __shared__ float4 stage[2][BLOCK];
    int t = threadIdx.x;
    const float4 *src = in + (size_t)blockIdx.x * tiles * BLOCK;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __pipeline_memcpy_async(&stage[0][t], &src[t], sizeof(float4));
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&stage[(i + 1) & 1][t], &src[(i + 1) * BLOCK + t], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = stage[i & 1][BLOCK - 1 - t];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = sum;
}

static __device__ __forceinline__ void cp_async_16(void *shared, const void *global, int bytes)
{
    unsigned dst = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(global), "r"(bytes) : "memory");
}

extern "C" __global__ __launch_bounds__(BLOCK) void copy_inline(int n, const float4 *in, float *__restrict__ out)
{
    __shared__ __align__(16) float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    cp_async_16(&tile[threadIdx.x], in + i, i < n ? 16 : 0);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    float4 v = tile[threadIdx.x ^ 1];
    out[i] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ __launch_bounds__(BLOCK) void copy_no_wait(const float4 *in, float *__restrict__ out)
{
    __shared__ __align__(16) float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    cp_async_16(&tile[threadIdx.x], in + i, 16);
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    float4 v = tile[threadIdx.x ^ 1];
    out[i] = v.x + v.y + v.z + v.w;
}
