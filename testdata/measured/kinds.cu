// Kinds of access that the others do not have: packed halves, clusters, bulk copies, aggregated atomics, odd shapes, views of bytes.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void

// launch ki_half2_axpy grid=40,1,1 block=192,1,1 params=[null,null,7000]
K ki_half2_axpy(__half2 *y, const __half2 *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = __hfma2(x[i], __float2half2_rn(0.5f), y[i]);
}
// launch ki_bf16_rows grid=33,1,1 block=96,1,1 params=[null,null,70]
K ki_bf16_rows(float *out, const __nv_bfloat162 *in, int pitch) {
    const __nv_bfloat162 *row = in + (size_t)blockIdx.x * pitch;
    __nv_bfloat162 sum = __float2bfloat162_rn(0);
    for (int c = threadIdx.x; c < pitch; c += blockDim.x) sum = __hadd2(sum, row[c]);
    float2 f = __bfloat1622float2(sum);
    float v = f.x + f.y;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, v);
}
// launch ki_dp4a grid=12,1,1 block=128,1,1 params=[null,null,null,36]
K ki_dp4a(int *out, const int *a, const int *b, int k) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, sum = 0;
    for (int c = threadIdx.x % 32; c < k; c += 32) {
        sum = __dp4a(a[row * k + c], b[c], sum);
        sum = __dp2a_lo(a[row * k + c], b[c], sum);
    }
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) out[row] = sum;
}
__constant__ float ki_table[512] = { 1.0f, 2.0f, 3.0f };
// launch ki_const_index grid=9,1,1 block=160,1,1 params=[null,5]
K ki_const_index(float *out, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = ki_table[(threadIdx.x * step) & 511] + ki_table[(threadIdx.x / 32) * 7];
    out[i] = v + ki_table[blockIdx.x];
}
// launch ki_shared_bins grid=7,1,1 block=256,1,1 params=[null,null]
K ki_shared_bins(unsigned *out, const uchar4 *in) {
    __shared__ unsigned bins[4][64];
    for (int i = threadIdx.x; i < 256; i += 256) (&bins[0][0])[i] = 0;
    __syncthreads();
    uchar4 v = in[blockIdx.x * 256 + threadIdx.x];
    int w = threadIdx.x / 64;
    atomicAdd(&bins[w][v.x & 63], 1u); atomicAdd(&bins[w][v.y & 63], 2u);
    atomicMax(&bins[w][(threadIdx.x * 3) & 63], 5u);
    __syncthreads();
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = bins[0][threadIdx.x] + bins[1][threadIdx.x] + bins[2][threadIdx.x] + bins[3][threadIdx.x];
}
// launch ki_match_redux grid=5,1,1 block=96,1,1 params=[null]
K ki_match_redux(unsigned *out) {
    unsigned key = (threadIdx.x * 7) % 5;
    unsigned peers = __match_any_sync(~0u, key);
    int leader = __ffs(peers) - 1, rank = __popc(peers & ((1u << (threadIdx.x % 32)) - 1));
    unsigned most = __reduce_max_sync(peers, threadIdx.x * 3u);
    out[blockIdx.x * 128 + leader * 4 + rank] = most;
    unsigned b = __ballot_sync(~0u, key > 2);
    if (__popc(b) > 10) out[4096 + blockIdx.x * 128 + __clz(b) + threadIdx.x] = b;
}
// launch ki_cluster_ring grid=16,1,1 block=64,1,1 cluster=4,1,1 params=[null]
K __cluster_dims__(4) ki_cluster_ring(int *out) {
    __shared__ int tile[192];
    cg::cluster_group cl = cg::this_cluster();
    for (int i = threadIdx.x; i < 192; i += 64) tile[i] = i * 3 + cl.block_rank();
    cl.sync();
    int *far = cl.map_shared_rank(tile, (cl.block_rank() + 1) % 4);
    int v = far[(threadIdx.x * 3) % 192] + far[threadIdx.x ^ 5];
    cl.sync();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
struct Mixed { float4 p; float2 q; };
// launch ki_mixed_vectors grid=6,1,1 block=224,1,1 params=[null,null]
K ki_mixed_vectors(float2 *out, const float4 *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = in[i * 2 + (i & 1)];
    float2 b = reinterpret_cast<const float2 *>(in)[i * 3 + 1];
    out[i] = make_float2(a.x + a.w + b.x, a.y + b.y);
}
// launch ki_local_stack grid=4,1,1 block=64,1,1 params=[null,null]
K ki_local_stack(int *out, const int *in) {
    int stack[24];
    #pragma unroll 1
    for (int i = 0; i < 24; i++) stack[(i * 5 + threadIdx.x) % 24] = in[i] + i;
    int s = 0;
    #pragma unroll 1
    for (int i = 0; i < 24; i += 3) s += stack[(i + threadIdx.x * 2) % 24];
    out[blockIdx.x * 64 + threadIdx.x] = s;
}
// launch ki_bfs_level grid=8,1,1 block=128,1,1 params=[null,null,null,900]
K ki_bfs_level(int *dist, const int *row, const int *col, int n) {
    int v = blockIdx.x * 128 + threadIdx.x;
    if (v >= n) return;
    int b = v * 3, e = b + (v % 7);
    for (int k = b; k < e; k++) { int u = col[k] & 1023; if (dist[u] == 0) dist[u] = v + 1; }
}
// launch ki_aggregated grid=10,1,1 block=128,1,1 params=[null,null]
K ki_aggregated(unsigned *count, unsigned *out) {
    unsigned v = blockIdx.x * 128 + threadIdx.x;
    if ((v * 2654435761u >> 16) & 3) {
        unsigned m = __activemask();
        int leader = __ffs(m) - 1, lane = threadIdx.x & 31;
        unsigned base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(m));
        base = __shfl_sync(m, base, leader);
        out[(base & 0) + v] = v;
    }
}
// launch ki_tiles grid=6,1,1 block=96,1,1 params=[null,null]
K ki_tiles(float *out, const float *in) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    float v = in[blockIdx.x * 96 + threadIdx.x];
    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0) out[blockIdx.x * 12 + tile.meta_group_rank()] = v;
}
// launch ki_atomic_vectors grid=5,1,1 block=64,1,1 params=[null,null,null]
K ki_atomic_vectors(float2 *a, float4 *b, __half2 *c) {
    int i = blockIdx.x * 64 + threadIdx.x;
    atomicAdd(a + i, make_float2(1, 2));
    atomicAdd(b + (i ^ 3), make_float4(1, 2, 3, 4));
    atomicAdd(c + i * 2, __float2half2_rn(1));
}
// launch ki_partial_guard grid=3,1,1 block=80,1,1 params=[null,null,70,3]
K ki_partial_guard(float *out, const float *in, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    float l = x > 0 && x < w ? in[y * w + x - 1] : 0, r = x + 1 < w ? in[y * w + x + 1] : 0;
    float u = y > 0 && x < w ? in[(y - 1) * w + x] : 0;
    if (x < w) out[y * w + x] = l + r + u;
}
struct __attribute__((packed)) Pix { unsigned char r, g, b; };
// launch ki_pixels grid=9,1,1 block=112,1,1 params=[null,null]
K ki_pixels(Pix *out, const Pix *in) {
    int i = blockIdx.x * 112 + threadIdx.x;
    Pix p = in[i];
    Pix q = { p.b, p.g, p.r };
    out[i] = q;
}
// launch ki_odd_cube grid=2,2,2 block=5,7,3 params=[null,null]
K ki_odd_cube(short *out, const short *in) {
    int x = blockIdx.x * 5 + threadIdx.x, y = blockIdx.y * 7 + threadIdx.y, z = blockIdx.z * 3 + threadIdx.z;
    __shared__ short t[3][7][5];
    t[threadIdx.z][threadIdx.y][threadIdx.x] = in[(z * 14 + y) * 10 + x];
    __syncthreads();
    out[(x * 14 + y) * 6 + z] = t[2 - threadIdx.z][6 - threadIdx.y][4 - threadIdx.x];
}
// launch ki_transpose24 grid=3,3,1 block=24,24,1 params=[null,null]
K ki_transpose24(double *out, const double *in) {
    __shared__ double t[24][25];
    t[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 24 + threadIdx.y) * 72 + blockIdx.x * 24 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 24 + threadIdx.y) * 72 + blockIdx.y * 24 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
// launch ki_bit_tricks grid=4,1,1 block=128,1,1 params=[null,null]
K ki_bit_tricks(unsigned *out, const unsigned *in) {
    unsigned t = threadIdx.x, a = __brev(t) >> 25, b = __funnelshift_l(t, t * 0x9E3779B9u, 5) & 1023;
    unsigned c = __popc(t * 0x01010101u) * 8 + (t & 7), d = __byte_perm(t, t * 3, 0x5140) & 255, e = (t >> 2 & 31) << 3 | (t & 3);
    out[blockIdx.x * 128 + t] = in[a] + in[b] + in[c] + in[d] + in[e] + in[__clz(t + 1) * 32 + __ffs(t + 1)];
}
// launch ki_wide_divide grid=6,1,1 block=96,1,1 params=[null,null,37,11]
K ki_wide_divide(float *out, const float *in, long long m, int d) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long r = (i * 1000003ll) % m, q = i / d;
    out[i] = in[r * 4] + in[q * 9 + i % d];
}
// launch ki_shuffle_address grid=4,1,1 block=96,1,1 params=[null,null]
K ki_shuffle_address(float *out, const float *in) {
    int v = threadIdx.x * threadIdx.x % 64;
    int w = __shfl_xor_sync(~0u, v, 9), u = __shfl_up_sync(~0u, v, 3, 16), d = __shfl_sync(~0u, v, threadIdx.x % 5, 8);
    out[blockIdx.x * 96 + threadIdx.x] = in[w] + in[u * 2] + in[d * 8];
}
// launch ki_scan_offsets grid=3,1,1 block=128,1,1 params=[null,null]
K ki_scan_offsets(int *out, const int *in) {
    __shared__ int sums[4];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, len = threadIdx.x % 4, v = len;
    for (int o = 1; o < 32; o <<= 1) { int n = __shfl_up_sync(~0u, v, o); if (lane >= o) v += n; }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    int base = 0;
    for (int w = 0; w < warp; w++) base += sums[w];
    int at = base + v - len;
    for (int k = 0; k < len; k++) out[blockIdx.x * 256 + at + k] = in[threadIdx.x] + k;
}
// launch ki_float_places grid=4,1,1 block=64,1,1 params=[null,null,0.37]
K ki_float_places(float *out, const float *in, float s) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float x = i * s, f = floorf(x), t = sqrtf((float)i) * 3.0f;
    out[i] = in[(int)f] * (x - f) + in[(int)t] + in[(int)rintf(x * 1.5f)] + in[(int)ceilf(fabsf(40.0f - x))];
}
// launch ki_exits_sync grid=5,1,1 block=128,1,1 params=[null,null,100]
K ki_exits_sync(int *out, const int *in, int n) {
    int t = threadIdx.x;
    if (t >= n) return;
    if (t & 1) { out[blockIdx.x * 128 + t] = in[t * 2]; return; }
    __syncwarp();
    if (t % 32 < 12) { out[blockIdx.x * 128 + t] = in[t * 4]; } else if (t % 32 > 20) out[4096 + t] = in[t + 1];
}
// launch ki_carved grid=4,1,1 block=96,1,1 dynamic=6144 params=[null,null,96]
K ki_carved(double *out, const double *in, int n) {
    extern __shared__ __align__(16) char raw[];
    double *d = (double *)raw; float *f = (float *)(d + n); short *h = (short *)(f + n * 2); char *c = (char *)(h + n);
    int t = threadIdx.x;
    d[t] = in[t]; f[t * 2] = t; f[t * 2 + 1] = -t; h[n - 1 - t] = t; c[(t * 5) % 96] = t;
    __syncthreads();
    out[blockIdx.x * 96 + t] = d[n - 1 - t] + f[(t * 2 + 7) % 192] + h[t] + c[t];
}
// launch ki_acquire grid=3,1,1 block=64,1,1 params=[null,null]
K ki_acquire(int *flags, int *out) {
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(flags + threadIdx.x * 2) : "memory");
    asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(out + blockIdx.x * 64 + threadIdx.x), "r"(v) : "memory");
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" :: "l"(flags + 1024 + threadIdx.x / 4), "r"(3) : "memory");
}
// launch ki_hinted grid=7,1,1 block=64,1,1 params=[null,null]
K ki_hinted(float4 *out, const float4 *in) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 a = __ldcs(in + i), b = __ldg(in + i * 3), c = __ldcg(in + (i >> 1)), d = __ldlu(in + 2048 + i);
    a.x += b.x + c.y + d.z;
    __stcs(out + i, a); __stwt(out + 4096 + i * 2, b);
}
// launch ki_loop_switch grid=3,1,1 block=96,1,1 params=[null,null]
K ki_loop_switch(int *out, const int *in) {
    int s = 0, t = threadIdx.x;
    #pragma unroll 1
    for (int i = 0; i < 6; i++) {
        switch ((t / 8 + i) % 4) {
        case 0: s += in[t]; break;
        case 1: s ^= in[t * 2 + i]; break;
        case 2: s -= in[t * 8]; if (t & 1) continue; break;
        default: s *= 3;
        }
        out[2048 + i * 96 + t] = s;
    }
    out[t] = s;
}
// launch ki_short_tiles grid=4,2,1 block=16,8,1 params=[null,null]
K ki_short_tiles(short2 *out, const uchar4 *in) {
    __shared__ short2 t[8][17]; __shared__ uchar4 u[16][8]; __shared__ unsigned char b[16][9];
    int x = threadIdx.x, y = threadIdx.y;
    uchar4 v = in[(blockIdx.y * 8 + y) * 64 + blockIdx.x * 16 + x];
    t[y][x] = make_short2(v.x, v.y); u[x][y] = v; b[x][y] = v.z;
    __syncthreads();
    short2 s = t[x % 8][y + 8 * (x / 8)];
    s.x += u[y][x % 8].x + b[15 - x][y];
    out[(blockIdx.y * 8 + y) * 64 + blockIdx.x * 16 + x] = s;
}
// launch ki_cas_max grid=3,1,1 block=64,1,1 params=[null,null]
K ki_cas_max(int *best, const int *in) {
    int v = in[threadIdx.x], *p = best + 512 + threadIdx.x * 2, old = *p;
    atomicExch((unsigned long long *)best + threadIdx.x, 5ull);
    atomicCAS(p + 1024, old, v);
    atomicMin((long long *)best + 512 + threadIdx.x, 7ll);
    atomicAnd((unsigned *)best + 4096 + (threadIdx.x & 15), 3u);
}
// launch ki_bulk grid=6,1,1 block=128,1,1 params=[null,null]
K ki_bulk(int *out, const int *in) {
    __shared__ __align__(128) int tile[512]; __shared__ uint64_t bar;
    uint32_t b = __cvta_generic_to_shared(&bar), t = __cvta_generic_to_shared(tile);
    if (!threadIdx.x) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" :: "r"(b));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" :: "r"(t), "l"(in + blockIdx.x * 512), "r"(b) : "memory");
    }
    __syncthreads();
    uint32_t done;
    do { asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory"); } while (!done);
    out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x * 4] + tile[threadIdx.x] + tile[(threadIdx.x * 33) & 511];
}
// launch ki_ldmatrix_trans grid=4,1,1 block=64,1,1 params=[null,null]
K ki_ldmatrix_trans(unsigned *out, const __half *in) {
    __shared__ __align__(16) __half t[2][32][40];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) t[w][i][l] = in[(blockIdx.x * 2 + w) * 1024 + i * 32 + l];
    __syncwarp();
    uint32_t a = __cvta_generic_to_shared(&t[w][l][0]), r[4], q[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(q[0]), "=r"(q[1]) : "r"(a + 16 * (l & 1)));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" :: "r"(a), "r"(r[0]), "r"(r[3]) : "memory");
    __syncwarp();
    out[blockIdx.x * 64 + threadIdx.x] = r[1] + r[2] + q[0] + q[1] + *(unsigned *)&t[w][l][4];
}
// launch ki_views grid=5,1,1 block=64,1,1 params=[null,null]
K ki_views(unsigned *out, const unsigned char *in) {
    int i = blockIdx.x * 64 + threadIdx.x;
    const unsigned char *p = in + i * 5 + 1;
    unsigned v = p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24;
    unsigned short h = *(const unsigned short *)(in + i * 6 + 2);
    out[i] = v + h;
}
// launch ki_grid3 grid=3,5,2 block=3,11,2 params=[null,null,17,29]
K ki_grid3(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * 3 + threadIdx.x, y = blockIdx.y * 11 + threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
    if (x >= w || y >= h) return;
    float s = 0;
    #pragma unroll
    for (int dx = -1; dx <= 1; dx++) { int c = min(max(x + dx, 0), w - 1); s += in[(z * h + y) * w + c]; }
    out[(z * h + y) * w + x] = s;
}
// launch ki_walk grid=4,1,1 block=96,1,1 params=[null,null]
K ki_walk(int *out, const int *in) {
    int n = 27 + threadIdx.x % 3, steps = 0;
    while (n != 1 && steps < 200) { n = n & 1 ? 3 * n + 1 : n >> 1; steps++; if (steps % 16 == 0) out[steps * 32 + threadIdx.x] = in[n & 1023]; }
    out[blockIdx.x * 96 + threadIdx.x] = steps;
}
