// Indices out of tables (constant, shared, local), and by division.
extern "C" {
__constant__ int order[32] = { 3, 1, 4, 15, 9, 2, 6, 5, 30, 8, 10, 7, 12, 11, 14, 13, 16, 31, 18, 17, 20, 19, 22, 21, 24, 23, 26, 25, 28, 27, 0, 29 };
// launch tb_constant grid=4,1,1 block=64,1,1 params=[null,null]
__global__ void tb_constant(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31;
    out[i] = in[(i & ~31) + order[lane]] + in[order[blockIdx.x] * 3 + lane];
}
// launch tb_shared_table grid=4,1,1 block=128,1,1 params=[null,null,5]
__global__ void tb_shared_table(float *out, const float *in, int step)
{
    __shared__ int table[128];
    __shared__ float t[256];
    table[threadIdx.x] = threadIdx.x * step & 127;
    t[threadIdx.x * 2] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    int j = table[127 - threadIdx.x];
    out[blockIdx.x * 128 + j] = t[j * 2] + in[j * 9 + blockIdx.x];
}
// launch tb_scanned_table grid=3,1,1 block=64,1,1 params=[null,null]
__global__ void tb_scanned_table(float *out, const float *in)
{
    __shared__ int first[65];
    if (threadIdx.x == 0) {
        int at = 0;
#pragma unroll 1
        for (int k = 0; k < 64; k++) {
            first[k] = at;
            at += k % 3 + 1;
        }
        first[64] = at;
    }
    __syncthreads();
    int from = first[threadIdx.x], to = first[threadIdx.x + 1];
    float sum = 0;
#pragma unroll 1
    for (int k = from; k < to; k++)
        sum += in[blockIdx.x * 256 + k];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
// launch tb_local_array grid=5,1,1 block=64,1,1 params=[null,null,3]
__global__ void tb_local_array(float *out, const float *in, int turn)
{
    int where[8];
    int i = blockIdx.x * 64 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        where[(k + turn) & 7] = i * 8 + k * k;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        sum += in[where[(k * 5) & 7]];
    out[i] = sum;
}
// launch tb_divided grid=6,1,1 block=128,1,1 params=[null,null,29]
__global__ void tb_divided(float *out, const float *in, int columns)
{
    int i = blockIdx.x * 128 + threadIdx.x, q = i / 12, r = i % 12;
    unsigned u = (unsigned)i / 7u;
    out[i] = in[r * 64 + q] + in[i / columns + (i % columns) * 30] + in[u * 7 + 6 - i % 7];
}
// launch tb_divided_long grid=6,1,1 block=96,1,1 params=[null,null,41,1000000007]
__global__ void tb_divided_long(float *out, const float *in, unsigned long long columns, long long big)
{
    long long i = blockIdx.x * 96LL + threadIdx.x;
    unsigned long long row = (unsigned long long)i / columns, col = (unsigned long long)i % columns;
    out[i] = in[col * 16 + row] + in[(i * big) % 509 + (i * i) / 1000];
}
// launch tb_signed_modulo grid=4,1,1 block=128,1,1 params=[null,null,100]
__global__ void tb_signed_modulo(float *out, const float *in, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x, left = (i - 150) % n, bounce = abs(i % (2 * n) - n);
    out[i] = in[left + n] + in[bounce] + in[min(max(i - 40, 3), n)] + in[(i - 64) >> 3 & 255];
}
// launch tb_bit_reversed grid=2,1,1 block=256,1,1 params=[null,null]
__global__ void tb_bit_reversed(float *out, const float *in)
{
    __shared__ float t[256];
    unsigned i = threadIdx.x, r = __brev(i) >> 24;
    t[r] = in[blockIdx.x * 256 + i];
    __syncthreads();
    unsigned gray = i ^ i >> 1, rot = __funnelshift_l(i << 24, i, 3) & 255, count = __popc(i) * 31 + __clz(i) + __ffs(i);
    out[blockIdx.x * 256 + i] = t[gray] + t[rot] + t[count & 255] + in[r + blockIdx.x * 3];
}
// launch tb_float_index grid=4,1,1 block=96,1,1 params=[null,null,0.37,100]
__global__ void tb_float_index(float *out, const float *in, float scale, int n)
{
    int i = blockIdx.x * 96 + threadIdx.x, at = (int)floorf(i * scale), near = __float2int_rn(i * 1.5f);
    out[i] = in[min(at, n)] + in[near];
}
// launch tb_morton grid=4,4,1 block=16,16,1 params=[null,null,64]
__global__ void tb_morton(float *out, const float *in, int w)
{
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, z = 0;
#pragma unroll
    for (int b = 0; b < 6; b++)
        z |= (x >> b & 1) << (2 * b) | (y >> b & 1) << (2 * b + 1);
    out[z] = in[y * w + x];
}
}
