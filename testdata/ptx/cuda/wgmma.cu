// wgmma.cu -- one warpgroup, 64 x 16 x 64 in half precision: wgmma on shared-memory descriptors (sm_90a only),
// and the same loop with the operand A in registers.

#include <cuda_fp16.h>

static __device__ __forceinline__ unsigned long long descriptor(const void *p)
{
    unsigned long long addr = __cvta_generic_to_shared(p);
    // start address, leading and stride byte offsets in units of 16 bytes; no swizzle
    return (addr & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}

static __device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> static __device__ __forceinline__ void wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

static __device__ __forceinline__ void mma_ss(float (&d)[8], unsigned long long a, unsigned long long b, int keep)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %10, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, "
                 "0, 0;\n"
                 "}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(a), "l"(b), "r"(keep));
}

static __device__ __forceinline__ void mma_rs(float (&d)[8], const unsigned (&a)[4], unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9, %10, %11}, %12, 1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ __forceinline__ void store(float *c, const float (&d)[8])
{
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, col = 2 * (lane % 4);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        *(float2 *)&c[row * 16 + col + 8 * i] = make_float2(d[4 * i], d[4 * i + 1]);
        *(float2 *)&c[(row + 8) * 16 + col + 8 * i] = make_float2(d[4 * i + 2], d[4 * i + 3]);
    }
}

extern "C" __global__ __launch_bounds__(128) void wgmma_shared(int steps, const uint4 *__restrict__ a,
                                                               const uint4 *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(128) uint4 sa[4 * 128], sb[4 * 32];
    float d[8] = {};
    for (int s = 0; s < steps; s++) {
        for (int i = threadIdx.x; i < 4 * 128; i += 128)
            sa[i] = a[s * 4 * 128 + i];
        sb[threadIdx.x] = b[s * 4 * 32 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        fence();
#pragma unroll
        for (int k = 0; k < 4; k++)
            mma_ss(d, descriptor(&sa[128 * k]), descriptor(&sb[32 * k]), s | k);
        commit();
        wait<0>();
        __syncthreads();
    }
    store(c, d);
}

extern "C" __global__ __launch_bounds__(128) void wgmma_register(const uint4 *__restrict__ a,
                                                                 const uint4 *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(128) uint4 sb[32];
    float d[8] = {};
    uint4 v = a[threadIdx.x];
    unsigned fa[4] = {v.x, v.y, v.z, v.w};
    if (threadIdx.x < 32)
        sb[threadIdx.x] = b[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    fence();
    mma_rs(d, fa, descriptor(sb));
    commit();
    wait<0>();
    store(c, d);
}
