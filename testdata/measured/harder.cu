// Addresses that take more to follow: packed bytes, votes and matches, nested loops with exits, pointers chosen at run time, module variables.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" {
// launch ha_packed_index grid=3,1,1 block=64,1,1 params=[null,null]
__global__ void ha_packed_index(float *out, const float *in)
{
    __shared__ unsigned char index[256];
    int i = threadIdx.x;
    index[i * 4] = i, index[i * 4 + 1] = 63 - i, index[i * 4 + 2] = i * 5 & 63, index[i * 4 + 3] = i >> 1;
    __syncthreads();
    unsigned four = *(unsigned *)&index[i * 4 ^ 16];
    out[blockIdx.x * 64 + i] = in[four & 255] + in[four >> 8 & 255] + in[(four >> 16 & 255) * 2] + in[four >> 24];
}
// launch ha_wide_table grid=3,1,1 block=64,1,1 params=[null,null]
__global__ void ha_wide_table(float *out, const float *in)
{
    __shared__ int2 pairs[64];
    __shared__ short4 quads[64];
    int i = threadIdx.x;
    pairs[i] = make_int2(i * 3, 200 - i);
    quads[i] = make_short4(i, i * 2, i * 4, -i);
    __syncthreads();
    int2 p = pairs[i ^ 33];
    short4 q = quads[(i + 1) & 63];
    out[blockIdx.x * 64 + i] = in[p.x] + in[p.y] + in[q.x + q.w + 64] + in[q.y * 2 + q.z];
}
// launch ha_match grid=2,1,1 block=96,1,1 params=[null,null]
__global__ void ha_match(float *out, const float *in)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    unsigned same = __match_any_sync(~0u, threadIdx.x / 5), most = __reduce_max_sync(~0u, threadIdx.x * 7 & 31), sum = __reduce_add_sync(~0u, threadIdx.x & 3);
    unsigned lower;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
    out[i] = in[__popc(same) * 9 + __ffs(same)] + in[most + i] + in[sum * 2 + __popc(lower & 0x5a5a5a5a)];
}
// launch ha_tiles grid=2,1,1 block=128,1,1 params=[null,null]
__global__ void ha_tiles(float *out, const float *in)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = blockIdx.x * 128 + threadIdx.x, first = tile.shfl(i * 3, 2), sum = threadIdx.x & 3;
    for (int d = 4; d; d /= 2)
        sum += tile.shfl_down(sum, d);
    out[i] = in[first + tile.thread_rank()] + in[sum * 11 + tile.meta_group_rank()];
}
// launch ha_nested_exits grid=4,1,1 block=64,1,1 params=[null,null,9]
__global__ void ha_nested_exits(float *out, const float *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int a = 0; a < n; a++) {
        if ((i + a) % 7 == 0)
            continue;
#pragma unroll 1
        for (int b = a; b < n; b++) {
            if ((i * b) % 5 == 3)
                break;
            sum += in[i * 2 + a * 32 + b];
            if (b == 6 && threadIdx.x > 50)
                return;
        }
        if (a + (i & 3) > 8)
            goto done;
    }
done:
    out[i] = sum;
}
// launch ha_binary_search grid=3,1,1 block=96,1,1 params=[null,null]
__global__ void ha_binary_search(int *out, const int *in)
{
    __shared__ int sorted[128];
    for (int k = threadIdx.x; k < 128; k += 96)
        sorted[k] = k * k / 2;
    __syncthreads();
    int wanted = threadIdx.x * 61, low = 0, high = 128;
#pragma unroll 1
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    out[blockIdx.x * 96 + threadIdx.x] = in[low * 3];
}
// launch ha_chosen_pointer grid=4,1,1 block=64,1,1 params=[null,null,null]
__global__ void ha_chosen_pointer(float *out, const float *a, const float *b)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    const float *p = blockIdx.x & 1 ? a + 3 : b;
    const float *q = threadIdx.x & 8 ? a : b + 1;
    out[i] = p[i * 2] + q[i];
}
// launch ha_generic grid=3,1,1 block=64,1,1 params=[null,null]
__global__ void ha_generic(float *out, float *in)
{
    __shared__ float t[128];
    t[threadIdx.x] = threadIdx.x;
    t[threadIdx.x + 64] = 1;
    __syncthreads();
    float *p = blockIdx.x == 1 ? t : in;
    out[blockIdx.x * 64 + threadIdx.x] = p[threadIdx.x * 2];
}
__device__ float field[64][48];
__device__ int turns[32] = { 4, 9, 2 };
// launch ha_module_array grid=3,4,1 block=16,4,1 params=[null,5]
__global__ void ha_module_array(float *out, int shift)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    field[y + shift][x] = x;
    out[y * 48 + x] = field[x][y] + out[turns[threadIdx.x]];
}
struct Plan { int offsets[8]; int stride; };
// launch ha_plan grid=3,1,1 block=64,1,1 params=[{"bytes":"000000000700000040000000030000001000000021000000050000000900000003000000"},null,null]
__global__ void ha_plan(Plan plan, float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        sum += in[plan.offsets[k] + i * plan.stride];
    out[i] = sum + in[plan.offsets[threadIdx.x & 7] * 2 + i];
}
// launch ha_high_words grid=4,1,1 block=96,1,1 params=[null,null,2863311531,123456789012]
__global__ void ha_high_words(float *out, const float *in, unsigned magic, unsigned long long wide)
{
    unsigned i = blockIdx.x * 96 + threadIdx.x, third = __umulhi(i, magic) >> 1;
    unsigned long long mixed = (i + 1) * wide;
    int signed_high = __mulhi((int)(i * 0x01234567), 77);
    out[i] = in[third * 3 + i % 3] + in[mixed >> 33 & 1023] + in[__umul64hi(mixed << 20, wide) & 511] + in[signed_high + 64];
}
// launch ha_saturated grid=4,1,1 block=64,1,1 params=[null,null,-20]
__global__ void ha_saturated(float *out, const float *in, int from)
{
    int i = blockIdx.x * 64 + threadIdx.x + from, a, b, c;
    asm("{ .reg .s16 h; cvt.sat.s16.s32 h, %1; cvt.s32.s16 %0, h; }" : "=r"(a) : "r"(i * 300));
    asm("{ .reg .u8 h; cvt.sat.u8.s32 %0, %1; }" : "=r"(b) : "r"(i));
    asm("bfi.b32 %0, %1, %2, 3, 4;" : "=r"(c) : "r"(i), "r"(0x105));
    int d = __vadd4(i * 0x010101, 0x7f) & 255, e = __dp4a(i, 0x01020304, i), f = __sad(i, 40, 2), g = (int)__byte_perm(i, i * 3, 0x0415) & 1023;
    out[i + 20] = in[a / 300 + 128] + in[b] + in[c] + in[d] + in[e & 2047] + in[f] + in[g];
}
// launch ha_float_grid grid=4,2,1 block=32,4,1 params=[null,null,100.0,0.013]
__global__ void ha_float_grid(float *out, const float *in, float width, float step)
{
    float u = (blockIdx.x * 32 + threadIdx.x + 0.5f) / width, v = (blockIdx.y * 4 + threadIdx.y) * step;
    int x = (int)ceilf(u * 90.0f), y = __float2int_rd(v * 80.0f), z = (int)sqrtf((float)(x * x + y * y));
    out[(blockIdx.y * 4 + threadIdx.y) * 128 + blockIdx.x * 32 + threadIdx.x] = in[x + y * 100] + in[min(max(__float2int_rn(u * v * 1000.0f), 0), 900)] + in[z];
}
// launch ha_half_index grid=3,1,1 block=96,1,1 params=[null,null,0.4]
__global__ void ha_half_index(float *out, const float *in, double scale)
{
    int i = blockIdx.x * 96 + threadIdx.x, at = (int)(i * scale), near = (int)rint(i * 0.25);
    out[i] = in[at] + in[near * 4] + in[(int)fmod((double)i, 9.0)];
}
// launch ha_barrier_votes grid=3,1,1 block=96,1,1 params=[null,null,70]
__global__ void ha_barrier_votes(float *out, const float *in, int n)
{
    int i = threadIdx.x, count = __syncthreads_count(i < n && i % 3), any = __syncthreads_or(i == 95), all = __syncthreads_and(i < n);
    out[blockIdx.x * 96 + i] = in[count * 3 + i] + in[any ? i * 2 : 0] + in[all ? 0 : i * 3];
}
// launch ha_mixed_spaces grid=3,1,1 block=64,1,1 dynamic=4096 params=[null,null,13]
__global__ void ha_mixed_spaces(float *out, const float *in, int gap)
{
    extern __shared__ char room[];
    float *a = (float *)room;
    double *b = (double *)(room + gap * 64);
    int i = threadIdx.x;
    a[i * 3] = in[i];
    b[i * 3] = in[i + 64];
    __syncthreads();
    out[blockIdx.x * 64 + i] = a[i * 3] + b[(63 - i) * 3] + a[i >> 2];
}
// launch ha_local_lanes grid=3,1,1 block=64,1,1 params=[null,null]
__global__ void ha_local_lanes(float *out, const float *in)
{
    int stack[16], depth = 0, i = blockIdx.x * 64 + threadIdx.x;
    stack[depth++] = i & 15;
    float sum = 0;
#pragma unroll 1
    while (depth) {
        int node = stack[--depth];
        sum += in[node * 8 + (i & 1)];
        if (node < 4) {
            stack[depth++] = node * 2 + 4;
            stack[depth++] = node + 9;
        }
    }
    out[i] = sum;
}
// launch ha_cached_words grid=4,1,1 block=64,1,1 params=[null,null]
__global__ void ha_cached_words(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = __ldcs(in + i * 2) + __ldcg(in + i + 5) + __ldg(in + (i ^ 64)) + __ldca(in + i * 4 + 2) + *(volatile const float *)(in + 300 - i) + __ldlu(in + i * 3);
    __stcs(out + i * 2, v);
    __stwt(out + 4096 + (i ^ 1), v);
}
// launch ha_recursive grid=2,1,1 block=64,1,1 params=[null,null]
__device__ __noinline__ float climb(const float *in, int at, int depth) { return depth ? in[at] + climb(in, at * 2 + 1, depth - 1) : 0; }
__global__ void ha_recursive(float *out, const float *in) { int i = blockIdx.x * 64 + threadIdx.x; out[i * 2] = climb(in, threadIdx.x, 3); }
// launch ha_jump_table grid=3,1,1 block=128,1,1 params=[null,null]
__global__ void ha_jump_table(float *out, const float *in)
{
    int i = blockIdx.x * 128 + threadIdx.x, at = i, k;
#pragma unroll 1
    for (k = 0; k < 4; k++) {
        switch ((threadIdx.x + k * 3) % 11) {
        case 0: at += 5; out[4096 + at] = k; break;
        case 1: at ^= 6; break;
        case 2: at = at * 3 & 2047; break;
        case 3: at -= at >> 3; out[8192 + at * 2] = at; break;
        case 5: at = 600 - (at & 511); break;
        case 6: at += in[at] > 1e30f; break;
        case 7: at |= 64; break;
        case 8: at &= ~12; break;
        case 9: at = (at << 1) & 1023; break;
        default: at++; break;
        }
    }
    out[i] = k;
}
// launch ha_second_hit grid=6,1,1 block=64,1,1 params=[null,null]
__global__ void ha_second_hit(float4 *out, const float4 *in)
{
    __shared__ float4 t[4][128];
    unsigned a = (unsigned)__cvta_generic_to_shared(t), i = threadIdx.x;
    const float4 *p = in + blockIdx.x * 700 + (i >> 2) * 20 + (i & 3);
    unsigned to = a + 16 * ((i >> 3) * 8 + ((i & 7) ^ (i >> 3 & 7)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 2048), "l"(p + 4));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 4096), "l"(p));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 6144), "l"(p + 8));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[blockIdx.x * 64 + i] = t[i >> 4 & 3][i];
}
}
