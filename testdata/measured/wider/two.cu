// Second half, held out while times were improved on the first: local arrays, chosen pointers, tables, wide loads of shared memory, blocks that leave early, clusters.
#include <cuda_fp16.h>
#include <mma.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x
__device__ __forceinline__ float warp_sum(float v) { for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); return v; }
// launch wb_topk_heap grid=512,1,1 block=128,1,1 params=[null,null,64]
K wb_topk_heap(float *o, const float *a, int n) { float h[8]; for (int i = 0; i < 8; i++) h[i] = -1; for (int i = 0; i < n; i++) { float v = a[(long)i * 65536 + X]; if (v > h[0]) { int k = 0; h[0] = v; while (2 * k + 1 < 8) { int c = 2 * k + 1; if (c + 1 < 8 && h[c + 1] < h[c]) c++; if (h[c] >= h[k]) break; float t = h[c]; h[c] = h[k]; h[k] = t; k = c; } } } for (int i = 0; i < 8; i++) o[(long)i * 65536 + X] = h[i]; }
// launch wb_hist_local grid=1024,1,1 block=128,1,1 params=[null,null,64] fill=zs
K wb_hist_local(int *o, const unsigned char *a, int n) { unsigned char c[32]; for (int i = 0; i < 32; i++) c[i] = 0; for (int i = 0; i < n; i++) c[a[(long)i * 131072 + X] & 31]++; int s = 0; for (int i = 0; i < 32; i++) s = s * 3 + c[i]; o[X] = s; }
// launch wb_queue_local grid=264,1,1 block=256,1,1 params=[null,null,200] fill=zi
K wb_queue_local(unsigned *o, const unsigned *a, int n) { unsigned q[32]; unsigned s = a[X], head = 0, tail = 0; for (int i = 0; i < n; i++) { q[tail++ & 31] = s; s = s * 1664525 + 1013904223; if (s >> 31) s ^= q[head++ & 31]; } o[X] = s; }
// launch wb_poly_coeffs grid=1024,1,1 block=256,1,1 params=[null,null,null]
K wb_poly_coeffs(float *o, const float *a, const float *c) { float k[16]; for (int i = 0; i < 16; i++) k[i] = c[i]; float x = a[X], s = 0; int n = (int)(x * 15); for (int i = 0; i <= n; i++) s = s * x + k[i]; o[X] = s; }
// launch wb_choose grid=8192,1,1 block=256,1,1 params=[null,null,null,512] fill=zffs
K wb_choose(float *o, const float *a, const float *b, int t) { int i = X; const float *p = i % 1024 < t ? a : b; o[i] = p[i] * 2; }
// launch wb_pick_rows grid=4096,1,1 block=256,1,1 params=[null,null,null,null] fill=zffs
K wb_pick_rows(float *o, const float *a, const float *b, const int *m) { int r = blockIdx.x; const float *p = m[r] & 1 ? a : b; float s = 0; for (int k = 0; k < 4; k++) s += p[r * 1024 + k * 256 + T]; o[r * 256 + T] = s; }
// launch wb_min_of grid=8192,1,1 block=256,1,1 params=[null,null,null,null] fill=zssf
K wb_min_of(float *o, const int *u, const int *v, const float *t) { int i = X; int a = u[i], b = v[i]; o[i] = t[a < b ? a : b]; }
// launch wb_lut_exp grid=8192,1,1 block=256,1,1 params=[null,null,null]
K wb_lut_exp(float *o, const float *a, const float *t) { __shared__ float s[257]; for (int i = T; i < 257; i += 256) s[i] = t[i]; __syncthreads(); float v = a[X] * 256; int i = v; v -= i; o[X] = s[i] + (s[i + 1] - s[i]) * v; }
// launch wb_lut_global grid=8192,1,1 block=256,1,1 params=[null,null,null] fill=zsf
K wb_lut_global(float *o, const unsigned char *a, const float *t) { o[X] = t[a[X]]; }
// launch wb_gemm_vec grid=16,16,1 block=256,1,1 params=[null,null,null,1024]
K wb_gemm_vec(float *c, const float *a, const float *b, int n) { __shared__ float as[16][64 + 4], bs[16][64]; int tx = T & 15, ty = T / 16; float acc[4][4] = {}; for (int k = 0; k < n; k += 16) { { int r = T / 4, q = T % 4 * 4; float4 v = *(const float4 *)&a[(blockIdx.y * 64 + r) * n + k + q]; as[q][r] = v.x; as[q + 1][r] = v.y; as[q + 2][r] = v.z; as[q + 3][r] = v.w; } { int r = T / 16, q = T % 16 * 4; *(float4 *)&bs[r][q] = *(const float4 *)&b[(k + r) * n + blockIdx.x * 64 + q]; } __syncthreads();
#pragma unroll
 for (int q = 0; q < 16; q++) { float4 x = *(float4 *)&as[q][ty * 4], y = *(float4 *)&bs[q][tx * 4]; float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w}; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] += xs[i] * ys[j]; } __syncthreads(); } for (int i = 0; i < 4; i++) *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]); }
// launch wb_gemm_128 grid=8,8,1 block=256,1,1 params=[null,null,null,1024]
K wb_gemm_128(float *c, const float *a, const float *b, int n) { __shared__ float as[8][128], bs[8][128]; int tx = T & 15, ty = T / 16; float acc[8][8] = {}; for (int k = 0; k < n; k += 8) { { int r = T / 2, q = T % 2 * 4; float4 v = *(const float4 *)&a[(blockIdx.y * 128 + r) * n + k + q]; as[q][r] = v.x; as[q + 1][r] = v.y; as[q + 2][r] = v.z; as[q + 3][r] = v.w; } { int r = T / 32, q = T % 32 * 4; *(float4 *)&bs[r][q] = *(const float4 *)&b[(k + r) * n + blockIdx.x * 128 + q]; } __syncthreads();
#pragma unroll
 for (int q = 0; q < 8; q++) { float xs[8], ys[8]; *(float4 *)&xs[0] = *(float4 *)&as[q][ty * 8]; *(float4 *)&xs[4] = *(float4 *)&as[q][ty * 8 + 4]; *(float4 *)&ys[0] = *(float4 *)&bs[q][tx * 8]; *(float4 *)&ys[4] = *(float4 *)&bs[q][tx * 8 + 4]; for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) acc[i][j] += xs[i] * ys[j]; } __syncthreads(); } for (int i = 0; i < 8; i++) { *(float4 *)&c[(blockIdx.y * 128 + ty * 8 + i) * n + blockIdx.x * 128 + tx * 8] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]); *(float4 *)&c[(blockIdx.y * 128 + ty * 8 + i) * n + blockIdx.x * 128 + tx * 8 + 4] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]); } }
// launch wb_attn_rows grid=64,8,1 block=128,1,1 params=[null,null,null,null,512]
K wb_attn_rows(float *o, const float *q, const float *k, const float *v, int n) { __shared__ float4 ks[16][16], vs[16][16]; long base = (long)blockIdx.x * n * 64; int row = blockIdx.y * 64 + T / 2, h = T & 1; float4 qr[8], acc[8]; float m = -1e9f, z = 0; for (int i = 0; i < 8; i++) { qr[i] = *(const float4 *)&q[base + row * 64 + h * 32 + i * 4]; acc[i] = make_float4(0, 0, 0, 0); } for (int t = 0; t < n; t += 16) { for (int i = T; i < 256; i += 128) { ((float4 *)ks)[i] = ((const float4 *)&k[base + t * 64])[i]; ((float4 *)vs)[i] = ((const float4 *)&v[base + t * 64])[i]; } __syncthreads(); for (int j = 0; j < 16; j++) { float s = 0; for (int i = 0; i < 8; i++) { float4 x = ks[j][h * 8 + i]; s += qr[i].x * x.x + qr[i].y * x.y + qr[i].z * x.z + qr[i].w * x.w; } s += __shfl_xor_sync(~0u, s, 1); float mm = fmaxf(m, s), c = __expf(m - mm), e = __expf(s - mm); m = mm; z = z * c + e; for (int i = 0; i < 8; i++) { float4 x = vs[j][h * 8 + i]; acc[i].x = acc[i].x * c + e * x.x; acc[i].y = acc[i].y * c + e * x.y; acc[i].z = acc[i].z * c + e * x.z; acc[i].w = acc[i].w * c + e * x.w; } } __syncthreads(); } for (int i = 0; i < 8; i++) { acc[i].x /= z; acc[i].y /= z; acc[i].z /= z; acc[i].w /= z; *(float4 *)&o[base + row * 64 + h * 32 + i * 4] = acc[i]; } }
// launch wb_shared_bcast4 grid=528,1,1 block=256,1,1 params=[null,null,64]
K wb_shared_bcast4(float *o, const float4 *a, int n) { __shared__ float4 s[256]; s[T] = a[T]; __syncthreads(); float r = 0; for (int k = 0; k < n; k++) for (int i = 0; i < 16; i++) { float4 v = s[(k * 16 + i + T / 8) & 255]; r += v.x * v.y + v.z * v.w; } o[X] = r; }
// launch wb_upper grid=32,32,1 block=16,16,1 params=[null,null,512,256]
K wb_upper(float *c, const float *a, int n, int m) { int j = X, i = Y; if (j < i) return; float s = 0; for (int k = 0; k < m; k++) s += a[k * n + i] * a[k * n + j]; c[i * n + j] = s; }
// launch wb_ragged_blocks grid=528,1,1 block=256,1,1 params=[null,null]
K wb_ragged_blocks(float *o, const float *a) { int n = (blockIdx.x * 37 % 64) * 8; float s = 0; for (int i = 0; i < n; i++) s = s * .99f + a[(i * 256 + T) & 0xffff]; o[X] = s; }
// launch wb_cluster_sum grid=512,1,1 block=256,1,1 cluster=8,1,1 params=[null,null]
K __cluster_dims__(8, 1, 1) wb_cluster_sum(float *o, const float4 *a) { __shared__ float s[8], t[8]; cg::cluster_group c = cg::this_cluster(); float4 v = a[X], w = a[X + 131072]; float r = warp_sum(v.x + v.y + v.z + v.w + w.x + w.y + w.z + w.w); if (!(T & 31)) s[T / 32] = r; __syncthreads(); if (!T) { r = 0; for (int i = 0; i < 8; i++) r += s[i]; *c.map_shared_rank(&t[c.block_rank()], 0) = r; } c.sync(); if (!c.block_rank() && !T) { r = 0; for (int i = 0; i < 8; i++) r += t[i]; o[blockIdx.x / 8] = r; } }
// launch wb_cluster_halo grid=1024,1,1 block=256,1,1 cluster=4,1,1 params=[null,null,16]
K __cluster_dims__(4, 1, 1) wb_cluster_halo(float *o, const float *a, int n) { __shared__ float s[2][256]; cg::cluster_group c = cg::this_cluster(); s[0][T] = a[X]; int r = c.block_rank(); for (int i = 0; i < n; i++) { c.sync(); float l = T ? s[i & 1][T - 1] : *c.map_shared_rank(&s[i & 1][255], (r + 3) & 3), g = T < 255 ? s[i & 1][T + 1] : *c.map_shared_rank(&s[i & 1][0], (r + 1) & 3); s[~i & 1][T] = .25f * l + .5f * s[i & 1][T] + .25f * g; } c.sync(); o[X] = s[n & 1][T]; }
// launch wb_i64_div grid=1024,1,1 block=256,1,1 params=[null,null,12345678901]
K wb_i64_div(unsigned long long *o, const unsigned long long *a, unsigned long long d) { unsigned long long x = a[X]; o[X] = x / d + x % (d + 2); }
// launch wb_f64_exp grid=1024,1,1 block=256,1,1 params=[null,null] fill=zd
K wb_f64_exp(double *o, const double *a) { double x = a[X]; o[X] = exp(-x * x) / (1 + x) + sqrt(x); }
// launch wb_half_gemm grid=16,16,1 block=128,1,1 params=[null,null,null,1024] fill=zhh
K wb_half_gemm(float *c, const __half *a, const __half *b, int n) { using namespace nvcuda::wmma; __shared__ __half as[64][24], bs[16][72]; int w = T / 32; fragment<accumulator, 16, 16, 16, float> acc[4]; for (int j = 0; j < 4; j++) fill_fragment(acc[j], 0.f); for (int k = 0; k < n; k += 16) { { int r = T / 2, q = T % 2 * 8; *(uint4 *)&as[r][q] = *(const uint4 *)&a[(blockIdx.y * 64 + r) * n + k + q]; } { int r = T / 8, q = T % 8 * 8; *(uint4 *)&bs[r][q] = *(const uint4 *)&b[(k + r) * n + blockIdx.x * 64 + q]; } __syncthreads(); fragment<matrix_a, 16, 16, 16, __half, row_major> x; load_matrix_sync(x, &as[w * 16][0], 24); for (int j = 0; j < 4; j++) { fragment<matrix_b, 16, 16, 16, __half, row_major> y; load_matrix_sync(y, &bs[0][j * 16], 72); mma_sync(acc[j], x, y, acc[j]); } __syncthreads(); } for (int j = 0; j < 4; j++) store_matrix_sync(&c[(blockIdx.y * 64 + w * 16) * n + blockIdx.x * 64 + j * 16], acc[j], n, mem_row_major); }
// launch wb_two_phase grid=528,1,1 block=512,1,1 params=[null,null,8192]
K wb_two_phase(float *o, const float *a, int n) { __shared__ float s[16]; const float *p = a + (long)blockIdx.x * n; float m = -1e9f; for (int i = T; i < n; i += 512) m = fmaxf(m, p[i]); for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); if (!(T & 31)) s[T / 32] = m; __syncthreads(); m = s[0]; for (int i = 1; i < 16; i++) m = fmaxf(m, s[i]); for (int i = T; i < n; i += 512) o[(long)blockIdx.x * n + i] = p[i] - m; }
// launch wb_online grid=528,1,1 block=512,1,1 params=[null,null,16384]
K wb_online(float *o, const float *a, int n) { const float *p = a + (long)blockIdx.x * n; float m = -1e9f, z = 0; for (int i = T; i < n; i += 512) { float v = p[i], k = fmaxf(m, v); z = z * __expf(m - k) + __expf(v - k); m = k; } o[X] = z; }
// launch wb_reread grid=264,1,1 block=512,1,1 params=[null,null,65536,4]
K wb_reread(float *o, const float *a, int n, int times) { const float *p = a + (long)blockIdx.x * n; float s = 0; for (int k = 0; k < times; k++) for (int i = T; i < n; i += 512) s += p[i]; o[X] = s; }
// launch wb_group_few grid=1056,1,1 block=256,1,1 params=[null,null,null,4194304] fill=zsf
K wb_group_few(float *o, const unsigned *key, const float *v, int n) { __shared__ float s[64]; if (T < 64) s[T] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[key[i] & 63], v[i]); __syncthreads(); if (T < 64) atomicAdd(&o[T], s[T]); }
// launch wb_max_shared_f grid=1056,1,1 block=256,1,1 params=[null,null,null,2097152] fill=zsf
K wb_max_shared_f(int *o, const unsigned *key, const int *v, int n) { __shared__ int s[256]; s[T] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicMax(&s[key[i] & 255], v[i]); __syncthreads(); atomicMax(&o[T], s[T]); }
// launch wb_mask_param grid=8192,1,1 block=256,1,1 params=[null,null,null,65535] fill=zif
K wb_mask_param(float *o, const unsigned *k, const float *t, unsigned mask) { unsigned h = k[X] * 2654435761u; o[X] = t[h >> 8 & mask]; }
// launch wb_mod_param grid=8192,1,1 block=256,1,1 params=[null,null,null,100003] fill=zif
K wb_mod_param(float *o, const unsigned *k, const float4 *t, unsigned n) { float4 v = t[k[X] * 2654435761u % n]; o[X] = v.x + v.y + v.z + v.w; }
// launch wb_gather_rows grid=8192,1,1 block=128,1,1 params=[null,null,null,1023] fill=zif
K wb_gather_rows(float *o, const unsigned *k, const float4 *t, unsigned mask) { float4 v = t[(k[blockIdx.x] & mask) * 128 + T]; o[X] = v.x + v.y + v.z + v.w; }
// launch wb_mixed_red grid=4096,1,1 block=256,1,1 params=[null,null,null,null] fill=zfii
K wb_mixed_red(float *o, const float *x, const int *src, const int *dst) { int e = X; atomicAdd(&o[dst[e]], x[src[e]] * .5f); }
// launch wb_count_words grid=2048,1,1 block=256,1,1 params=[null,null,262143] fill=zi
K wb_count_words(unsigned *t, const unsigned *k, unsigned mask) { for (int i = 0; i < 4; i++) atomicAdd(&t[(k[X + i * 524288] * 2654435761u >> 7) & mask], 1u); }
