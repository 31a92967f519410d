// Tiles in shared memory whose columns are permuted, and matrix loads and stores over them.
extern "C" {
// launch sw_xor_transpose grid=16,16,1 block=32,8,1 params=[null,null,512]
__global__ void sw_xor_transpose(float *out, const float *in, int w)
{
    __shared__ float t[32 * 32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8)
        t[(threadIdx.y + k) * 32 + (threadIdx.x ^ (threadIdx.y + k))] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * w + x] = t[threadIdx.x * 32 + (threadIdx.x ^ (threadIdx.y + k))];
}
// launch sw_plain_transpose grid=15,9,1 block=32,8,1 params=[null,null,470,280]
__global__ void sw_plain_transpose(float *out, const float *in, int w, int h)
{
    __shared__ float t[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h)
            t[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w)
            out[(y + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}
// launch sw_padded_double grid=8,8,1 block=16,16,1 params=[null,null,128]
__global__ void sw_padded_double(double *out, const double *in, int w)
{
    __shared__ double t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    out[y * w + x] = t[threadIdx.x][threadIdx.y];
}
// launch sw_lop3_float2 grid=32,1,1 block=128,1,1 params=[null,null]
__global__ void sw_lop3_float2(float2 *out, const float2 *in)
{
    __shared__ float2 t[512];
    unsigned i = threadIdx.x, at;
    asm("lop3.b32 %0, %1, %2, %3, 0x78;" : "=r"(at) : "r"(i * 4), "r"(i >> 1), "r"(60));
    t[at & 511] = in[blockIdx.x * 128 + i];
    __syncthreads();
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(at) : "r"(i * 3), "r"(i >> 2), "r"(7));
    out[blockIdx.x * 128 + i] = t[at & 511];
}
// launch sw_prmt_bytes grid=24,1,1 block=256,1,1 params=[null,null]
__global__ void sw_prmt_bytes(unsigned *out, const unsigned *in)
{
    __shared__ unsigned t[1024];
    unsigned i = threadIdx.x, at = __byte_perm(i << 4, i >> 3, 0x5140) & 1023;
    t[at] = in[blockIdx.x * 256 + i];
    __syncthreads();
    out[blockIdx.x * 256 + i] = t[__byte_perm(i * 0x101, i, 0x4321) & 1023];
}
// launch sw_diagonal grid=12,12,1 block=32,4,1 params=[null,null,384]
__global__ void sw_diagonal(float *out, const float *in, int w)
{
    __shared__ float t[32][32];
    int bx = (blockIdx.x + blockIdx.y) % gridDim.x, by = blockIdx.x;
#pragma unroll 1
    for (int k = threadIdx.y; k < 32; k += 4)
        t[k][(threadIdx.x + k) & 31] = in[(by * 32 + k) * w + bx * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int k = threadIdx.y; k < 32; k += 4)
        out[(bx * 32 + k) * w + by * 32 + threadIdx.x] = t[threadIdx.x][(threadIdx.x + k) & 31];
}
__device__ __forceinline__ unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
// launch sw_ldmatrix_plain grid=16,1,1 block=64,1,1 params=[null,null]
__global__ void sw_ldmatrix_plain(unsigned *out, const uint4 *in)
{
    __shared__ __align__(128) uint4 t[32 * 8];
    unsigned i = threadIdx.x, lane = i & 31, a, b, c, d, e, f, g;
    for (int k = 0; k < 4; k++)
        t[k * 64 + i] = in[blockIdx.x * 256 + k * 64 + i];
    __syncthreads();
    unsigned row = shared_at(&t[(lane & 15) * 8 + (lane >> 4) + (i >> 5) * 2]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(e), "=r"(f) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(g) : "r"(row));
    out[blockIdx.x * 64 + i] = a + b * 3 + c * 5 + d * 7 + e + f + g;
}
// launch sw_ldmatrix_xor grid=16,1,1 block=64,1,1 params=[null,null]
__global__ void sw_ldmatrix_xor(unsigned *out, const uint4 *in)
{
    __shared__ __align__(128) uint4 t[32 * 8];
    unsigned i = threadIdx.x, lane = i & 31, a, b, c, d, e, f, g;
    for (int k = 0; k < 4; k++) {
        unsigned r = k * 8 + (i >> 3);
        t[r * 8 + ((i & 7) ^ (r & 7))] = in[blockIdx.x * 256 + k * 64 + i];
    }
    __syncthreads();
    unsigned r = lane & 15, col = (lane >> 4) + (i >> 5) * 2;
    unsigned row = shared_at(&t[r * 8 + (col ^ (r & 7))]), half = shared_at(&t[r * 8 + (col ^ (r >> 1 & 7))]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(e), "=r"(f) : "r"(half));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(g) : "r"(half));
    out[blockIdx.x * 64 + i] = a + b * 3 + c * 5 + d * 7 + e + f + g;
}
// launch sw_stmatrix grid=8,1,1 block=96,1,1 params=[null,5]
__global__ void sw_stmatrix(uint4 *out, unsigned seed)
{
    __shared__ __align__(128) uint4 t[3 * 32 * 9];
    unsigned i = threadIdx.x, lane = i & 31, w = i >> 5;
    unsigned plain = shared_at(&t[w * 288 + lane * 8]), padded = shared_at(&t[w * 288 + lane * 9]), mixed = shared_at(&t[w * 288 + lane * 4 + (lane >> 1 & 3)]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(plain), "r"(i), "r"(seed), "r"(i * seed), "r"(i + seed));
    __syncthreads();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(padded), "r"(i), "r"(seed));
    __syncthreads();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(mixed), "r"(i));
    __syncthreads();
    out[blockIdx.x * 96 + i] = t[w * 288 + lane * 9];
}
// launch sw_tile16 grid=20,1,1 block=128,1,1 params=[null,null,2560]
__global__ void sw_tile16(uint4 *out, const uint4 *in, int n)
{
    __shared__ uint4 t[8 * 16];
    int i = threadIdx.x, row = i >> 3, col = i & 7, at = blockIdx.x * 128 + i;
    if (at < n)
        t[row * 8 + (col ^ (row & 7))] = in[at];
    __syncthreads();
    int back = (i & 15) * 8 + ((i >> 4) ^ (i & 7));
    uint4 v = t[back], u = t[(i & 15) * 8 + (i >> 4)];
    if (at < n)
        out[at] = make_uint4(v.x + u.x, v.y + u.y, v.z + u.z, v.w + u.w);
}
}
