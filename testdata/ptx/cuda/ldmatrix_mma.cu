// ldmatrix_mma.cu -- one warp, 16 x 8 x 64 in half precision: ldmatrix and mma.sync through inline assembly.
//
// The row pitch of 64 halves (128 bytes) puts all rows of a matrix on the same banks; mma_swizzled permutes the
// 16-byte chunks by the row number and is free of conflicts.

#include <cuda_fp16.h>

static __device__ __forceinline__ unsigned shared_addr(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], unsigned addr)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(addr));
}

static __device__ __forceinline__ void ldmatrix_x2(unsigned (&r)[2], unsigned addr)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(addr));
}

static __device__ __forceinline__ void mma_16816(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool SWIZZLE> static __device__ __forceinline__ void product(const uint4 *a, const uint4 *b, float *c)
{
    __shared__ __align__(128) uint4 sa[16 * 8], sb[8 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 16 * 8; i += 32)
        sa[SWIZZLE ? i ^ (i / 8 % 8) : i] = a[i];
    for (int i = lane; i < 8 * 8; i += 32)
        sb[SWIZZLE ? i ^ (i / 8 % 8) : i] = b[i];
    __syncwarp();

    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned fa[4], fb[2];
        int row_a = lane % 16, chunk_a = 2 * k + lane / 16;
        int row_b = lane % 8, chunk_b = 2 * k + lane / 8 % 2;
        ldmatrix_x4(fa, shared_addr(&sa[row_a * 8 + (SWIZZLE ? chunk_a ^ (row_a % 8) : chunk_a)]));
        ldmatrix_x2(fb, shared_addr(&sb[row_b * 8 + (SWIZZLE ? chunk_b ^ row_b : chunk_b)]));
        mma_16816(d, fa, fb);
    }
    int row = lane / 4, col = 2 * (lane % 4);
    *(float2 *)&c[row * 8 + col] = make_float2(d[0], d[1]);
    *(float2 *)&c[(row + 8) * 8 + col] = make_float2(d[2], d[3]);
}

extern "C" __global__ __launch_bounds__(32) void mma_conflicts(const uint4 *__restrict__ a,
                                                               const uint4 *__restrict__ b, float *__restrict__ c)
{
    product<false>(a, b, c);
}

extern "C" __global__ __launch_bounds__(32) void mma_swizzled(const uint4 *__restrict__ a,
                                                              const uint4 *__restrict__ b, float *__restrict__ c)
{
    product<true>(a, b, c);
}
