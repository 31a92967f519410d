// Asynchronous copies to shared memory: 4, 8 and 16 bytes, whole and in part.
extern "C" {
#define TO_SHARED(p) (unsigned)__cvta_generic_to_shared(p)
#define WAIT() asm volatile("cp.async.commit_group; \n\t cp.async.wait_group 0;" ::: "memory"); __syncthreads()
// launch cp_four grid=10,1,1 block=128,1,1 params=[null,null,1200]
__global__ void cp_four(float *out, const float *in, int n)
{
    __shared__ float t[512];
    int i = blockIdx.x * 128 + threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(TO_SHARED(&t[threadIdx.x * 2])), "l"(in + i * 3), "r"(i < n ? 4 : 0));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(TO_SHARED(&t[256 + (threadIdx.x ^ 3)])), "l"(in + i));
    WAIT();
    out[i] = t[threadIdx.x * 2] + t[383 - threadIdx.x];
}
// launch cp_eight grid=10,1,1 block=128,1,1 params=[null,null,1250]
__global__ void cp_eight(float2 *out, const float2 *in, int n)
{
    __shared__ float2 t[512];
    int i = blockIdx.x * 128 + threadIdx.x, left = n - i;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(TO_SHARED(&t[threadIdx.x])), "l"(in + i), "r"(left > 0 ? 8 : 0));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(TO_SHARED(&t[128 + threadIdx.x * 3])), "l"(in + i * 2 + 1));
    WAIT();
    float2 a = t[threadIdx.x], b = t[128 + threadIdx.x * 3];
    out[i] = make_float2(a.x + b.y, a.y + b.x);
}
// launch cp_sixteen_part grid=9,1,1 block=96,1,1 params=[null,null]
__global__ void cp_sixteen_part(float4 *out, const float4 *in)
{
    __shared__ float4 t[96], u[96];
    int i = blockIdx.x * 96 + threadIdx.x, lane = threadIdx.x & 31;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(TO_SHARED(&t[threadIdx.x])), "l"(in + i * 2), "r"(lane % 5 * 4));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(TO_SHARED(&u[95 - threadIdx.x])), "l"(in + i * 5), "r"(8));
    WAIT();
    float4 a = t[threadIdx.x], b = u[threadIdx.x];
    out[i] = make_float4(a.x + b.w, a.y + b.z, a.z + b.y, a.w + b.x);
}
// launch cp_sixteen_guarded grid=9,1,1 block=64,1,1 params=[null,null,550,61]
__global__ void cp_sixteen_guarded(float4 *out, const float4 *in, int n, int cut)
{
    __shared__ float4 t[2][64];
    int i = blockIdx.x * 64 + threadIdx.x;
    t[0][threadIdx.x] = t[1][threadIdx.x] = make_float4(0, 0, 0, 0);
    __syncthreads();
    if (i < n && threadIdx.x < cut)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(TO_SHARED(&t[0][threadIdx.x ^ (threadIdx.x >> 3 & 7)])), "l"(in + i));
    if (threadIdx.x & 1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(TO_SHARED(&t[1][threadIdx.x])), "l"(in + i));
    WAIT();
    float4 a = t[0][threadIdx.x], b = t[1][63 - threadIdx.x];
    out[i] = make_float4(a.x + b.w, a.y + b.z, a.z + b.y, a.w + b.x);
}
// launch cp_ring grid=6,1,1 block=128,1,1 dynamic=8192 params=[null,null,700,20]
__global__ void cp_ring(float4 *out, const float4 *in, int pitch, int tiles)
{
    extern __shared__ float4 ring[];
    int i = threadIdx.x, row = i >> 4, col = i & 15;
    float4 sum = make_float4(0, 0, 0, 0);
    const float4 *p = in + (blockIdx.x * 8 + row) * (size_t)pitch + col;
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(TO_SHARED(&ring[k * 128 + row * 16 + (col ^ row)])), "l"(p + k * 16));
        asm volatile("cp.async.commit_group;");
    }
#pragma unroll 1
    for (int k = 0; k < tiles; k++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        float4 v = ring[(k & 3) * 128 + (i & 7) * 16 + ((i >> 3) ^ (i & 7))];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        int next = k + 3;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(TO_SHARED(&ring[(next & 3) * 128 + row * 16 + (col ^ row)])),
                     "l"(p + next * 16), "r"(next < tiles ? 16 : 0));
        asm volatile("cp.async.commit_group;");
    }
    out[blockIdx.x * 128 + i] = sum;
}
}
