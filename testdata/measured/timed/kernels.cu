// Whole kernels: products, reductions, scans, sorts, and work that is arithmetic.
#include <cuda_fp16.h>
#include <mma.h>
#define K extern "C" __global__ void
#define G (blockIdx.x * blockDim.x + threadIdx.x)
#define N (gridDim.x * blockDim.x)
#define T threadIdx.x
// launch tk_gemv_row grid=2048,1,1 block=128,1,1 params=[null,null,null,4096]
K tk_gemv_row(float *y, const float *a, const float *x, int n) { __shared__ float s[128]; float v = 0; for (int i = T; i < n; i += 128) v += a[blockIdx.x * n + i] * x[i]; s[T] = v; __syncthreads(); for (int d = 64; d; d >>= 1) { if (T < d) s[T] += s[T + d]; __syncthreads(); } if (!T) y[blockIdx.x] = s[0]; }
// launch tk_gemv_warp grid=512,1,1 block=256,1,1 params=[null,null,null,2048]
K tk_gemv_warp(float *y, const float *a, const float *x, int n) { int r = G >> 5, l = T & 31; float v = 0; for (int i = l; i < n; i += 32) v += a[r * n + i] * x[i]; for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); if (!l) y[r] = v; }
// launch tk_gemm_plain grid=32,32,1 block=16,16,1 params=[null,null,null,512]
K tk_gemm_plain(float *c, const float *a, const float *b, int n) { int x = blockIdx.x * 16 + T, y = blockIdx.y * 16 + threadIdx.y; float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; }
// launch tk_gemm_tile32 grid=16,16,1 block=32,32,1 params=[null,null,null,512]
K tk_gemm_tile32(float *c, const float *a, const float *b, int n) { __shared__ float s[32][32], t[32][32]; int x = T, y = threadIdx.y; float v = 0; a += (blockIdx.y * 32 + y) * n + x; b += y * n + blockIdx.x * 32 + x; for (int k = 0; k < n; k += 32) { s[y][x] = a[k]; t[y][x] = b[k * n]; __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i++) v += s[y][i] * t[i][x]; __syncthreads(); } c[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x] = v; }
// launch tk_gemm_regs grid=16,16,1 block=16,16,1 params=[null,null,null,1024]
K tk_gemm_regs(float *c, const float *a, const float *b, int n) { __shared__ float s[64][17], t[16][64]; int x = T, y = threadIdx.y, l = y * 16 + x; float v[4][4] = {}; for (int k = 0; k < n; k += 16) {
#pragma unroll
  for (int i = 0; i < 4; i++) { s[l / 16 + i * 16][l % 16] = a[(blockIdx.y * 64 + l / 16 + i * 16) * n + k + l % 16]; t[l / 64 + i * 4][l % 64] = b[(k + l / 64 + i * 4) * n + blockIdx.x * 64 + l % 64]; } __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; i++)
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
      for (int q = 0; q < 4; q++) v[p][q] += s[y * 4 + p][i] * t[i][x + q * 16]; __syncthreads(); }
#pragma unroll
  for (int p = 0; p < 4; p++)
#pragma unroll
    for (int q = 0; q < 4; q++) c[(blockIdx.y * 64 + y * 4 + p) * n + blockIdx.x * 64 + x + q * 16] = v[p][q]; }
// launch tk_wmma grid=64,8,1 block=256,1,1 params=[null,null,null,1024]
K tk_wmma(float *c, const half *a, const half *b, int n) { using namespace nvcuda::wmma; int w = T >> 5; fragment<matrix_a, 16, 16, 16, half, row_major> x; fragment<matrix_b, 16, 16, 16, half, row_major> y; fragment<accumulator, 16, 16, 16, float> z; fill_fragment(z, 0.f); int r = blockIdx.x * 16, q = (blockIdx.y * 8 + w) * 16; for (int k = 0; k < n; k += 16) { load_matrix_sync(x, a + r * n + k, n); load_matrix_sync(y, b + k * n + q, n); mma_sync(z, x, y, z); } store_matrix_sync(c + r * n + q, z, n, mem_row_major); }
// launch tk_reduce_tree grid=4096,1,1 block=512,1,1 params=[null,null]
K tk_reduce_tree(float *o, const float *a) { __shared__ float s[512]; s[T] = a[G]; __syncthreads(); for (int d = 256; d; d >>= 1) { if (T < d) s[T] += s[T + d]; __syncthreads(); } if (!T) o[blockIdx.x] = s[0]; }
// launch tk_reduce_grid grid=528,1,1 block=512,1,1 params=[null,null,8388608]
K tk_reduce_grid(float *o, const float *a, int n) { __shared__ float s[16]; float v = 0; for (int i = G; i < n; i += N) v += a[i]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (!(T & 31)) s[T >> 5] = v; __syncthreads(); if (T < 32) { v = T < 16 ? s[T] : 0; for (int d = 8; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (!T) atomicAdd(o, v); } }
// launch tk_scan_warp grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_scan_warp(int *o, const int *a) { int v = a[G], l = T & 31; for (int d = 1; d < 32; d <<= 1) { int u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; } o[G] = v; }
// launch tk_scan_shared grid=2048,1,1 block=512,1,1 params=[null,null]
K tk_scan_shared(int *o, const int *a) { __shared__ int s[2][512]; int p = 0; s[0][T] = a[G]; __syncthreads(); for (int d = 1; d < 512; d <<= 1) { s[1 - p][T] = s[p][T] + (T >= d ? s[p][T - d] : 0); p = 1 - p; __syncthreads(); } o[G] = s[p][T]; }
// launch tk_sort_bitonic grid=1024,1,1 block=512,1,1 params=[null]
K tk_sort_bitonic(int *a) { __shared__ int s[1024]; s[T] = a[blockIdx.x * 1024 + T]; s[T + 512] = a[blockIdx.x * 1024 + T + 512]; __syncthreads(); for (int k = 2; k <= 1024; k <<= 1) for (int j = k >> 1; j; j >>= 1) { int i = 2 * T - (T & (j - 1)), up = (i & k) == 0; int x = s[i], y = s[i + j]; if ((x > y) == up) { s[i] = y; s[i + j] = x; } __syncthreads(); } a[blockIdx.x * 1024 + T] = s[T]; a[blockIdx.x * 1024 + T + 512] = s[T + 512]; }
// launch tk_histogram grid=264,1,1 block=256,1,1 params=[null,null,4194304] fill=zs
K tk_histogram(int *o, const int *a, int n) { __shared__ int s[256]; s[T] = 0; __syncthreads(); for (int i = G; i < n; i += N) atomicAdd(&s[a[i] & 255], 1); __syncthreads(); atomicAdd(&o[T], s[T]); }
// launch tk_softmax_warp grid=1024,1,1 block=128,1,1 params=[null,null]
K tk_softmax_warp(float *o, const float *a) { int r = G >> 5, l = T & 31; float v[8], m = -1e30f, s = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) { v[i] = a[r * 256 + i * 32 + l]; m = fmaxf(m, v[i]); } for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
#pragma unroll
  for (int i = 0; i < 8; i++) { v[i] = __expf(v[i] - m); s += v[i]; } for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
#pragma unroll
  for (int i = 0; i < 8; i++) o[r * 256 + i * 32 + l] = __fdividef(v[i], s); }
// launch tk_layernorm grid=2048,1,1 block=256,1,1 params=[null,null,1024]
K tk_layernorm(float *o, const float *a, int n) { __shared__ float s[8], q[8]; float x = 0, y = 0; a += blockIdx.x * n; o += blockIdx.x * n; for (int i = T; i < n; i += 256) { float v = a[i]; x += v; y += v * v; } for (int d = 16; d; d >>= 1) { x += __shfl_xor_sync(~0u, x, d); y += __shfl_xor_sync(~0u, y, d); } if (!(T & 31)) { s[T >> 5] = x; q[T >> 5] = y; } __syncthreads(); x = y = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) { x += s[i]; y += q[i]; } x /= n; y = rsqrtf(y / n - x * x + 1e-5f); for (int i = T; i < n; i += 256) o[i] = (a[i] - x) * y; }
// launch tk_gelu grid=8192,1,1 block=256,1,1 params=[null,null]
K tk_gelu(float *o, const float *a) { float x = a[G]; o[G] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
// launch tk_half_mul grid=4096,1,1 block=256,1,1 params=[null,null,null]
K tk_half_mul(half2 *o, const half2 *a, const half2 *b) { o[G] = __hfma2(a[G], b[G], a[G]); }
// launch tk_polynomial grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_polynomial(float *o, const float *a) { float x = a[G], y = 1;
#pragma unroll
  for (int i = 0; i < 64; i++) y = y * x + (i + 0.5f); o[G] = y; }
// launch tk_polynomial_ilp grid=1056,1,1 block=256,1,1 params=[null,null,512]
K tk_polynomial_ilp(float *o, const float *a, int n) { float x = a[G], y = 1, z = 2, u = 3, v = 4; for (int i = 0; i < n; i++) { y = y * x + 1; z = z * x + 2; u = u * x + 3; v = v * x + 4; } o[G] = y + z + u + v; }
// launch tk_chain_few grid=132,1,1 block=128,1,1 params=[null,null,2000]
K tk_chain_few(float *o, const float *a, int n) { float x = a[G], y = 1; for (int i = 0; i < n; i++) y = y * x + 1; o[G] = y; }
// launch tk_double grid=1056,1,1 block=256,1,1 params=[null,null,256]
K tk_double(double *o, const double *a, int n) { double x = a[G], y = 1; for (int i = 0; i < n; i++) y = y * x + 1; o[G] = y; }
// launch tk_integer grid=1056,1,1 block=256,1,1 params=[null,256]
K tk_integer(unsigned *o, int n) { unsigned x = G; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; } o[G] = x; }
// launch tk_lcg grid=2112,1,1 block=128,1,1 params=[null,500]
K tk_lcg(unsigned *o, int n) { unsigned x = G; for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u; o[G] = x; }
// launch tk_sincos grid=2048,1,1 block=256,1,1 params=[null,null,32]
K tk_sincos(float *o, const float *a, int n) { float x = a[G], s = 0; for (int i = 0; i < n; i++) s += __sinf(x * i) * __cosf(x + i); o[G] = s; }
// launch tk_exp_log grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_exp_log(float *o, const float *a) { float x = a[G]; for (int i = 0; i < 8; i++) x = logf(1 + expf(x)); o[G] = x; }
// launch tk_divide grid=2048,1,1 block=256,1,1 params=[null,null,16]
K tk_divide(float *o, const float *a, int n) { float x = a[G], s = 1; for (int i = 0; i < n; i++) s = (x + s) / (s + 1.5f); o[G] = s; }
// launch tk_int_divide grid=2048,1,1 block=256,1,1 params=[null,null,37,8] fill=zs
K tk_int_divide(int *o, const int *a, int d, int n) { int x = a[G] + 100000, s = 0; for (int i = 0; i < n; i++) { s += x / (d + i); x += s; } o[G] = s; }
// launch tk_int_modulo grid=8192,1,1 block=256,1,1 params=[null,null,640]
K tk_int_modulo(float *o, const float *a, int w) { int x = G % w, y = G / w; o[G] = a[y * w + (w - 1 - x)]; }
// launch tk_long grid=1056,1,1 block=256,1,1 params=[null,128]
K tk_long(unsigned long long *o, int n) { unsigned long long x = G + 1; for (int i = 0; i < n; i++) x = x * 6364136223846793005ull + 1442695040888963407ull; o[G] = x; }
// launch tk_popcount grid=1056,1,1 block=256,1,1 params=[null,null,64] fill=zi
K tk_popcount(int *o, const int *a, int n) { int x = a[G], s = 0; for (int i = 0; i < n; i++) { s += __popc(x ^ s) + __clz(x + i); } o[G] = s; }
// launch tk_shuffle grid=1056,1,1 block=256,1,1 params=[null,64]
K tk_shuffle(int *o, int n) { int x = G; for (int i = 0; i < n; i++) x += __shfl_xor_sync(~0u, x, 5); o[G] = x; }
// launch tk_branches grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_branches(float *o, const float *a) { float x = a[G]; int l = T & 3; if (l == 0) x = __sinf(x) * 2 + x; else if (l == 1) { for (int i = 0; i < 16; i++) x = x * x + 0.1f; } else if (l == 2) x = sqrtf(x); else x = 1 / x; o[G] = x; }
// launch tk_collatz grid=1056,1,1 block=256,1,1 params=[null]
K tk_collatz(int *o) { unsigned x = G + 1; int n = 0; while (x != 1 && n < 200) { x = x & 1 ? 3 * x + 1 : x >> 1; n++; } o[G] = n; }
// launch tk_julia grid=64,64,1 block=16,16,1 params=[null,1024,128]
K tk_julia(int *o, int w, int m) { int x = blockIdx.x * 16 + T, y = blockIdx.y * 16 + threadIdx.y; float a = x * 3.f / w - 1.5f, b = y * 3.f / w - 1.5f; int n = 0; while (n < m && a * a + b * b < 4) { float t = a * a - b * b - 0.4f; b = 2 * a * b + 0.6f; a = t; n++; } o[y * w + x] = n; }
// launch tk_conflict4 grid=2048,1,1 block=256,1,1 params=[null,64]
K tk_conflict4(int *o, int n) { __shared__ int s[1024]; for (int i = T; i < 1024; i += 256) s[i] = i; __syncthreads(); int x = T; for (int i = 0; i < n; i++) x = s[(x * 4 + i) & 1023]; o[G] = x; }
// launch tk_shared_stream grid=1056,1,1 block=256,1,1 params=[null,256]
K tk_shared_stream(float *o, int n) { __shared__ float s[1024]; for (int i = T; i < 1024; i += 256) s[i] = i; __syncthreads(); float x = 0; for (int i = 0; i < n; i++) x += s[(T + i * 32) & 1023]; o[G] = x; }
// launch tk_barriers grid=264,1,1 block=256,1,1 params=[null,256]
K tk_barriers(int *o, int n) { __shared__ int s[256]; s[T] = T; for (int i = 0; i < n; i++) { __syncthreads(); int x = s[255 - T]; __syncthreads(); s[T] = x + 1; } __syncthreads(); o[G] = s[T]; }
// launch tk_barriers_wide grid=132,1,1 block=1024,1,1 params=[null,256]
K tk_barriers_wide(int *o, int n) { __shared__ int s[1024]; s[T] = T; for (int i = 0; i < n; i++) { __syncthreads(); int x = s[1023 - T]; __syncthreads(); s[T] = x + 1; } __syncthreads(); o[G] = s[T]; }
// launch tk_nbody_small grid=32,1,1 block=128,1,1 params=[null,null,4096]
K tk_nbody_small(float4 *o, const float4 *p, int n) { __shared__ float4 s[128]; float4 m = p[G]; float x = 0, y = 0, z = 0; for (int j = 0; j < n; j += 128) { s[T] = p[j + T]; __syncthreads(); for (int k = 0; k < 128; k++) { float dx = s[k].x - m.x, dy = s[k].y - m.y, dz = s[k].z - m.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f); r = s[k].w * r * r * r; x += dx * r; y += dy * r; z += dz * r; } __syncthreads(); } o[G] = make_float4(x, y, z, 0); }
// launch tk_nbody_big grid=264,1,1 block=256,1,1 params=[null,null,4096]
K tk_nbody_big(float4 *o, const float4 *p, int n) { float4 m = p[G]; float x = 0, y = 0, z = 0; for (int j = 0; j < n; j++) { float4 b = p[j]; float dx = b.x - m.x, dy = b.y - m.y, dz = b.z - m.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f); r = b.w * r * r * r; x += dx * r; y += dy * r; z += dz * r; } o[G] = make_float4(x, y, z, 0); }
__constant__ float weights[64];
// launch tk_conv1d grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_conv1d(float *o, const float *a) { float s = 0;
#pragma unroll
  for (int i = 0; i < 33; i++) s += weights[i] * a[G + i]; o[G] = s; }
// launch tk_conv1d_shared grid=4096,1,1 block=256,1,1 params=[null,null]
K tk_conv1d_shared(float *o, const float *a) { __shared__ float t[256 + 32]; t[T] = a[G]; if (T < 32) t[256 + T] = a[G + 256]; __syncthreads(); float s = 0;
#pragma unroll
  for (int i = 0; i < 33; i++) s += weights[i] * t[T + i]; o[G] = s; }
// launch tk_conv2d grid=32,128,1 block=32,8,1 params=[null,null,1024]
K tk_conv2d(float *o, const float *a, int w) { int x = blockIdx.x * 32 + T, y = blockIdx.y * 8 + threadIdx.y; float s = 0;
#pragma unroll
  for (int j = 0; j < 5; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) s += weights[j * 5 + i] * a[(y + j) * w + x + i]; o[y * w + x] = s; }
// launch tk_conv_big grid=16,64,1 block=32,8,1 params=[null,null,null,512,11]
K tk_conv_big(float *o, const float *a, const float *k, int w, int r) { int x = blockIdx.x * 32 + T, y = blockIdx.y * 8 + threadIdx.y; float s = 0; for (int j = 0; j < r; j++) for (int i = 0; i < r; i++) s += k[j * r + i] * a[(y + j) * w + x + i]; o[y * w + x] = s; }
// launch tk_spmv_ell grid=1024,1,1 block=256,1,1 params=[null,null,null,null,16] fill=zffi
K tk_spmv_ell(float *y, const float *v, const float *x, const int *c, int n) { float s = 0; for (int j = 0; j < n; j++) s += v[j * N + G] * x[c[j * N + G]]; y[G] = s; }
// launch tk_binary_search grid=1024,1,1 block=256,1,1 params=[null,null,1048576] fill=zi
K tk_binary_search(int *o, const int *a, int n) { int lo = 0, hi = n, x = G * 7; while (lo < hi) { int m = (lo + hi) / 2; if (a[m] < x) lo = m + 1; else hi = m; } o[G] = lo; }
// launch tk_attention grid=64,8,1 block=128,1,1 params=[null,null,null,null,64]
K tk_attention(float *o, const float *q, const float *k, const float *v, int n) { __shared__ float s[128]; int h = blockIdx.y, r = blockIdx.x; const float *kk = k + h * 128 * 64; float d = 0; for (int i = 0; i < n; i++) d += q[(h * 64 + r) * 64 + i] * kk[T * 64 + i]; s[T] = __expf(d * 0.125f); __syncthreads(); float z = 0, w = 0; if (T < 64) { for (int j = 0; j < 128; j++) { z += s[j]; w += s[j] * v[(h * 128 + j) * 64 + T]; } o[(h * 64 + r) * 64 + T] = w / z; } }
// launch tk_embedding grid=4096,1,1 block=128,1,1 params=[null,null,null] fill=zfs
K tk_embedding(float *o, const float *a, const int *at) { o[blockIdx.x * 128 + T] = a[at[blockIdx.x] * 128 + T]; }
// launch tk_cross_entropy grid=512,1,1 block=256,1,1 params=[null,null,8192]
K tk_cross_entropy(float *o, const float *a, int n) { __shared__ float s[8]; float v = 0; for (int i = T; i < n; i += 256) v += __expf(a[blockIdx.x * n + i]); for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); if (!(T & 31)) s[T >> 5] = v; __syncthreads(); if (!T) { v = 0; for (int i = 0; i < 8; i++) v += s[i]; o[blockIdx.x] = __logf(v); } }
// launch tk_adam grid=4096,1,1 block=256,1,1 params=[null,null,null,null,0.9,0.99]
K tk_adam(float *p, float *m, float *v, const float *g, float b, float c) { float x = g[G], y = m[G] = b * m[G] + (1 - b) * x, z = v[G] = c * v[G] + (1 - c) * x * x; p[G] -= 0.001f * y / (sqrtf(z) + 1e-8f); }
// launch tk_local_array grid=2048,1,1 block=256,1,1 params=[null,null] fill=zs
K tk_local_array(int *o, const int *a) { int t[16]; for (int i = 0; i < 16; i++) t[i] = i * G; int x = a[G]; for (int i = 0; i < 16; i++) { t[x & 15] += i; x = x * 5 + 1; } int s = 0; for (int i = 0; i < 16; i++) s += t[i]; o[G] = s; }
// launch tk_low_occupancy grid=264,1,1 block=128,1,1 dynamic=98304 params=[null,null,262144]
K tk_low_occupancy(float *o, const float *a, int n) { extern __shared__ float d[]; float s = 0; for (int i = G; i < n * 16; i += N) s += a[i]; d[T] = s; __syncthreads(); o[G] = d[T ^ 1]; }
// launch tk_tail grid=265,1,1 block=1024,1,1 params=[null,null,300]
K tk_tail(float *o, const float *a, int n) { float x = a[G], y = 1; for (int i = 0; i < n; i++) y = y * x + 1; o[G] = y; }
// launch tk_one_block grid=1,1,1 block=1024,1,1 params=[null,null,65536]
K tk_one_block(float *o, const float *a, int n) { __shared__ float s[1024]; float v = 0; for (int i = T; i < n; i += 1024) v += a[i]; s[T] = v; __syncthreads(); for (int d = 512; d; d >>= 1) { if (T < d) s[T] += s[T + d]; __syncthreads(); } if (!T) *o = s[0]; }
// launch tk_ragged grid=1024,1,1 block=128,1,1 params=[null,null]
K tk_ragged(float *o, const float *a) { float s = 0; int n = (blockIdx.x * 37) & 127; for (int i = 0; i < n; i++) s += a[blockIdx.x * 16384 + i * 128 + T]; o[G] = s; }
// launch tk_levenshtein grid=256,1,1 block=64,1,1 params=[null,null,128] fill=zs
K tk_levenshtein(int *o, const int *a, int n) { __shared__ int r[65]; int l = T, p = 0; r[l] = l; __syncthreads(); for (int i = 0; i < n; i++) { int c = a[blockIdx.x * n + i] != l; int q = l ? r[l - 1] : i; int u = r[l]; __syncthreads(); int b = min(min(q + c, u + 1), p + 1); p = b; r[l] = b; __syncthreads(); } o[G] = r[l]; }
