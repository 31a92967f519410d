// Further kernels, first half: the model was improved on these. One line a kernel; each `// launch` is one launch of it.
#include <cuda_fp16.h>
#include <mma.h>
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x

// ---- memory
// launch fa_triad_f4 grid=4096,1,1 block=256,1,1 params=[null,null,null,1.5]
// launch fa_triad_f4 grid=16384,1,1 block=256,1,1 params=[null,null,null,1.5]
// launch fa_triad_f4 grid=200,1,1 block=128,1,1 params=[null,null,null,1.5]
K fa_triad_f4(float4 *z, const float4 *x, const float4 *y, float a) { int i = X; float4 p = x[i], q = y[i]; z[i] = make_float4(p.x + a * q.x, p.y + a * q.y, p.z + a * q.z, p.w + a * q.w); }
// launch fa_copy_stride grid=4096,1,1 block=256,1,1 params=[null,null,2]
// launch fa_copy_stride grid=4096,1,1 block=256,1,1 params=[null,null,8]
// launch fa_copy_stride grid=2048,1,1 block=256,1,1 params=[null,null,32]
K fa_copy_stride(float *o, const float *a, int s) { int i = X; o[i] = a[(long)i * s]; }
// launch fa_l2_passes grid=1024,1,1 block=256,1,1 params=[null,null,2097152,6]
// launch fa_l2_passes grid=264,1,1 block=512,1,1 params=[null,null,1048576,10]
K fa_l2_passes(float *o, const float *a, int n, int times) { float s = 0; for (int p = 0; p < times; p++) for (int i = (X + p * 4096) % n, k = 0; k < n / (int)(gridDim.x * blockDim.x); k++, i = (i + gridDim.x * blockDim.x) % n) s += a[i]; o[X] = s; }
// launch fa_l1_table grid=1056,1,1 block=256,1,1 params=[null,null,200]
K fa_l1_table(float *o, const float *a, int n) { float s = 0; int j = X & 4095; for (int i = 0; i < n; i++) { s += a[j]; j = (j + 37) & 4095; } o[X] = s; }
// launch fa_walk_l2 grid=528,1,1 block=128,1,1 params=[null,null,64] fill=zi
K fa_walk_l2(unsigned *o, const unsigned *a, int n) { unsigned j = X; for (int i = 0; i < n; i++) j = a[j & 0xfffff] + i; o[X] = j; }
// launch fa_gather_f64 grid=4096,1,1 block=256,1,1 params=[null,null,null] fill=zdi
K fa_gather_f64(double *o, const double *a, const int *at) { int i = X; o[i] = a[at[i]]; }
// launch fa_nchw_nhwc grid=196,64,1 block=256,1,1 params=[null,null,64,50176]
K fa_nchw_nhwc(float *o, const float *a, int c, int hw) { int p = X, k = blockIdx.y; o[(long)p * c + k] = a[(long)k * hw + p]; }
// launch fa_transpose_f64 grid=64,64,1 block=32,8,1 params=[null,null,2048]
K fa_transpose_f64(double *o, const double *a, int n) { __shared__ double s[32][32]; int x = blockIdx.x * 32 + T, y = blockIdx.y * 32; for (int r = threadIdx.y; r < 32; r += 8) s[r][T] = a[(y + r) * n + x]; __syncthreads(); x = blockIdx.y * 32 + T; y = blockIdx.x * 32; for (int r = threadIdx.y; r < 32; r += 8) o[(y + r) * n + x] = s[T][r]; }
// launch fa_im2col grid=128,128,9 block=32,1,1 params=[null,null,4096]
K fa_im2col(float *o, const float *a, int w) { int x = X, y = blockIdx.y, k = blockIdx.z; o[(long)k * 4096 * 128 + y * 4096 + x] = a[(y + k / 3) * w + x + k % 3]; }
// launch fa_memset_bytes grid=8192,1,1 block=256,1,1 params=[null]
K fa_memset_bytes(unsigned char *o) { o[X] = 7; }

// ---- stencils
// launch fa_stencil27 grid=8,32,64 block=32,4,1 params=[null,null,256,128]
K fa_stencil27(float *o, const float *a, int w, int h) { int x = X, y = Y, z = blockIdx.z; float s = 0; for (int k = 0; k < 3; k++) for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s += a[((z + k) * h + y + j) * w + x + i] * (0.1f * (i + 2 * j + 3 * k)); o[(z * h + y) * w + x] = s; }
// launch fa_heat_tile grid=128,128,1 block=32,16,1 params=[null,null,4104]
K fa_heat_tile(float *o, const float *a, int w) { __shared__ float s[18][34]; int x = X + 1, y = Y + 1, i = T + 1, j = threadIdx.y + 1; s[j][i] = a[y * w + x]; if (T == 0) s[j][0] = a[y * w + x - 1]; if (T == 31) s[j][33] = a[y * w + x + 1]; if (j == 1) s[0][i] = a[(y - 1) * w + x]; if (j == 16) s[17][i] = a[(y + 1) * w + x]; __syncthreads(); o[y * w + x] = s[j][i] + 0.1f * (s[j - 1][i] + s[j + 1][i] + s[j][i - 1] + s[j][i + 1] - 4 * s[j][i]); }
// launch fa_median3 grid=64,256,1 block=32,8,1 params=[null,null,2050]
K fa_median3(float *o, const float *a, int w) { int x = X, y = Y; float v[9]; for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) v[3 * j + i] = a[(y + j) * w + x + i];
#pragma unroll
 for (int p = 0; p < 5; p++)
#pragma unroll
 for (int q = p; q < 8; q++) { float l = fminf(v[p], v[q + 1]), g = fmaxf(v[p], v[q + 1]); v[p] = l; v[q + 1] = g; } o[y * w + x] = v[4]; }
// launch fa_sobel_u8 grid=32,256,1 block=64,8,1 params=[null,null,2048]
K fa_sobel_u8(unsigned char *o, const unsigned char *a, int w) { int x = X, y = Y; if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1) return; const unsigned char *p = a + y * w + x; int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1], gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1]; o[y * w + x] = min(255, abs(gx) + abs(gy)); }

// ---- reductions, scans, sorting
// launch fa_dot_atomic grid=528,1,1 block=256,1,1 params=[null,null,null,4194304] fill=z
// launch fa_dot_atomic grid=4096,1,1 block=256,1,1 params=[null,null,null,4194304] fill=z
K fa_dot_atomic(float *o, const float *a, const float *b, int n) { __shared__ float w[8]; float s = 0; for (int i = X; i < n; i += gridDim.x * blockDim.x) s += a[i] * b[i]; for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d); if (!(T & 31)) w[T / 32] = s; __syncthreads(); if (T == 0) { for (int i = 1; i < 8; i++) s += w[i]; atomicAdd(o, s); } }
// launch fa_scan_blelloch grid=2048,1,1 block=512,1,1 params=[null,null]
K fa_scan_blelloch(int *o, const int *a) { __shared__ int s[1024]; int t = T, b = blockIdx.x * 1024, step = 1; s[2 * t] = a[b + 2 * t]; s[2 * t + 1] = a[b + 2 * t + 1]; for (int d = 512; d; d >>= 1, step *= 2) { __syncthreads(); if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1]; } if (!t) s[1023] = 0; for (int d = 1; d < 1024; d *= 2) { step >>= 1; __syncthreads(); if (t < d) { int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1, x = s[i]; s[i] = s[j]; s[j] += x; } } __syncthreads(); o[b + 2 * t] = s[2 * t]; o[b + 2 * t + 1] = s[2 * t + 1]; }
// launch fa_argmax_warp grid=2048,1,1 block=128,1,1 params=[null,null,512]
K fa_argmax_warp(int *o, const float *a, int n) { int row = X / 32, l = T & 31, at = 0; float m = -1; for (int i = l; i < n; i += 32) { float v = a[(long)row * n + i]; if (v > m) { m = v; at = i; } } for (int d = 16; d; d >>= 1) { float v = __shfl_xor_sync(~0u, m, d); int j = __shfl_xor_sync(~0u, at, d); if (v > m || (v == m && j < at)) { m = v; at = j; } } if (!l) o[row] = at; }
// launch fa_bitonic_global grid=4096,1,1 block=256,1,1 params=[null,65536,1024] fill=i
// launch fa_bitonic_global grid=4096,1,1 block=256,1,1 params=[null,65536,8] fill=i
K fa_bitonic_global(unsigned *a, int k, int j) { unsigned t = X, i = 2 * t - (t & (j - 1)), l = i + j; unsigned p = a[i], q = a[l]; if ((p > q) == !(i & k)) { a[i] = q; a[l] = p; } }
// launch fa_radix_count grid=528,1,1 block=256,1,1 params=[null,null,2097152,8] fill=zi
K fa_radix_count(int *o, const unsigned *a, int n, int shift) { __shared__ int s[16]; if (T < 16) s[T] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[a[i] >> shift & 15], 1); __syncthreads(); if (T < 16) o[T * gridDim.x + blockIdx.x] = s[T]; }
// launch fa_compact grid=4096,1,1 block=256,1,1 params=[null,null,null] fill=zzf
K fa_compact(int *count, float *o, const float *a) { float v = a[X]; unsigned m = __ballot_sync(~0u, v > 0.5f); int l = T & 31, b = 0; if (!l) b = atomicAdd(count, __popc(m)); b = __shfl_sync(~0u, b, 0); if (v > 0.5f) o[b + __popc(m & ((1u << l) - 1))] = v; }

// ---- atomics
// launch fa_bins_4096 grid=2048,1,1 block=256,1,1 params=[null,null] fill=zi
K fa_bins_4096(int *h, const unsigned *a) { atomicAdd(&h[a[X] & 4095], 1); }
// launch fa_bins_million grid=4096,1,1 block=256,1,1 params=[null,null] fill=zi
K fa_bins_million(int *h, const unsigned *a) { atomicAdd(&h[a[X]], 1); }
// launch fa_atomic_f64 grid=1024,1,1 block=256,1,1 params=[null] fill=z
K fa_atomic_f64(double *o) { atomicAdd(&o[(X * 7) & 65535], 1.0); }
// launch fa_ticket grid=512,1,1 block=128,1,1 params=[null,null] fill=zz
K fa_ticket(int *next, int *o) { int i = atomicAdd(&next[T & 3], 1); o[(i * 4 + (T & 3)) & 65535] = X; }
// launch fa_row_sums grid=32,256,1 block=256,1,1 params=[null,null,8192] fill=z
K fa_row_sums(float *o, const float *a, int w) { atomicAdd(&o[X & 1023], a[blockIdx.y * w + X]); }
// launch fa_hist_warps grid=264,1,1 block=256,1,1 params=[null,null,4194304] fill=zi
K fa_hist_warps(int *o, const unsigned *a, int n) { __shared__ int s[8][256]; for (int i = T; i < 2048; i += 256) s[i / 256][i % 256] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[T / 32][a[i] & 255], 1); __syncthreads(); int v = 0; for (int w = 0; w < 8; w++) v += s[w][T]; atomicAdd(&o[T], v); }
// launch fa_shared_fadd grid=1056,1,1 block=256,1,1 params=[null,null,16] fill=zs
K fa_shared_fadd(float *o, const int *a, int n) { __shared__ float s[1024]; for (int i = T; i < 1024; i += 256) s[i] = 0; __syncthreads(); int v = a[X]; for (int i = 0; i < n; i++) { atomicAdd(&s[v & 1023], 1.5f); v = v * 5 + 3; } __syncthreads(); o[X] = s[T]; }

// ---- products
// launch fa_gemm_64 grid=16,16,1 block=16,16,1 params=[null,null,null,1024]
// launch fa_gemm_64 grid=4,4,1 block=16,16,1 params=[null,null,null,256]
// launch fa_gemm_64 grid=32,32,1 block=16,16,1 params=[null,null,null,2048]
K fa_gemm_64(float *c, const float *a, const float *b, int n) { __shared__ float s[16][64], r[16][64]; int tx = T, ty = threadIdx.y, t = ty * 16 + tx; float v[4][4] = {}; a += blockIdx.y * 64 * n; b += blockIdx.x * 64; for (int k = 0; k < n; k += 16) { for (int i = 0; i < 4; i++) { s[t % 16][t / 16 + 16 * i] = a[(t / 16 + 16 * i) * n + k + t % 16]; r[t / 64 + 4 * i][t % 64] = b[(k + t / 64 + 4 * i) * n + t % 64]; } __syncthreads();
#pragma unroll
 for (int q = 0; q < 16; q++) { float4 p = *(float4 *)&s[q][4 * ty], w = *(float4 *)&r[q][4 * tx]; v[0][0] += p.x * w.x; v[0][1] += p.x * w.y; v[0][2] += p.x * w.z; v[0][3] += p.x * w.w; v[1][0] += p.y * w.x; v[1][1] += p.y * w.y; v[1][2] += p.y * w.z; v[1][3] += p.y * w.w; v[2][0] += p.z * w.x; v[2][1] += p.z * w.y; v[2][2] += p.z * w.z; v[2][3] += p.z * w.w; v[3][0] += p.w * w.x; v[3][1] += p.w * w.y; v[3][2] += p.w * w.z; v[3][3] += p.w * w.w; } __syncthreads(); } for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + 4 * ty + i) * n + blockIdx.x * 64 + 4 * tx + j] = v[i][j]; }
// launch fa_dgemm grid=32,32,1 block=16,16,1 params=[null,null,null,512]
K fa_dgemm(double *c, const double *a, const double *b, int n) { __shared__ double s[16][16], r[16][17]; int x = X, y = Y; double v = 0; for (int k = 0; k < n; k += 16) { s[threadIdx.y][T] = a[y * n + k + T]; r[threadIdx.y][T] = b[(k + threadIdx.y) * n + x]; __syncthreads(); for (int q = 0; q < 16; q++) v += s[threadIdx.y][q] * r[q][T]; __syncthreads(); } c[y * n + x] = v; }
// launch fa_wmma_tile grid=8,8,1 block=128,1,1 params=[null,null,null,512] fill=fhh
// launch fa_wmma_tile grid=32,32,1 block=128,1,1 params=[null,null,null,2048] fill=fhh
K fa_wmma_tile(float *c, const half *a, const half *b, int n) { using namespace nvcuda::wmma; __shared__ half s[64 * 16], r[16 * 64]; int w = T / 32, t = T; fragment<matrix_a, 16, 16, 16, half, row_major> fa; fragment<matrix_b, 16, 16, 16, half, row_major> fb; fragment<accumulator, 16, 16, 16, float> f[4]; for (int i = 0; i < 4; i++) fill_fragment(f[i], 0.f); for (int k = 0; k < n; k += 16) { ((uint4 *)s)[t] = *(const uint4 *)&a[(blockIdx.y * 64 + t / 2) * n + k + t % 2 * 8]; ((uint4 *)r)[t] = *(const uint4 *)&b[(k + t / 8) * n + blockIdx.x * 64 + t % 8 * 8]; __syncthreads(); load_matrix_sync(fa, s + w * 256, 16); for (int i = 0; i < 4; i++) { load_matrix_sync(fb, r + 16 * i, 64); mma_sync(f[i], fa, fb, f[i]); } __syncthreads(); } for (int i = 0; i < 4; i++) store_matrix_sync(c + (blockIdx.y * 64 + w * 16) * n + blockIdx.x * 64 + 16 * i, f[i], n, mem_row_major); }
// launch fa_gemv_t grid=128,1,1 block=32,8,1 params=[null,null,null,4096,2048]
K fa_gemv_t(float *o, const float *a, const float *v, int w, int h) { __shared__ float s[8][33]; int x = X; float r = 0; for (int y = threadIdx.y; y < h; y += 8) r += a[y * w + x] * v[y]; s[threadIdx.y][T] = r; __syncthreads(); if (threadIdx.y == 0) { for (int i = 1; i < 8; i++) r += s[i][T]; o[x] = r; } }
// launch fa_dp4a grid=16,16,1 block=16,16,1 params=[null,null,null,64] fill=zii
// launch fa_dp4a grid=64,64,1 block=16,16,1 params=[null,null,null,256] fill=zii
K fa_dp4a(int *c, const int *a, const int *b, int n) { int x = X, y = Y, s = 0; for (int k = 0; k < n; k++) s = __dp4a(a[y * n + k], b[x * n + k], s); c[y * gridDim.x * 16 + x] = s; }
// launch fa_batch4x4 grid=2048,1,1 block=128,1,1 params=[null,null,null]
K fa_batch4x4(float *c, const float *a, const float *b) { int i = X; float p[16], q[16]; for (int k = 0; k < 16; k++) { p[k] = a[16 * i + k]; q[k] = b[16 * i + k]; } for (int r = 0; r < 4; r++) for (int s = 0; s < 4; s++) { float v = 0; for (int k = 0; k < 4; k++) v += p[4 * r + k] * q[4 * k + s]; c[16 * i + 4 * r + s] = v; } }

// ---- arithmetic
// launch fa_modexp grid=1056,1,1 block=128,1,1 params=[null,1000003]
K fa_modexp(unsigned long long *o, unsigned long long m) { unsigned long long b = X + 2, r = 1; for (int e = 1000001; e; e >>= 1) { if (e & 1) r = r * b % m; b = b * b % m; } o[X] = r; }
// launch fa_special grid=2048,1,1 block=256,1,1 params=[null,null]
K fa_special(float *o, const float *a) { float v = a[X]; o[X] = erff(v) + lgammaf(v + 1) + powf(v, 1.7f) + tanhf(v) + cbrtf(v); }
// launch fa_special_f64 grid=528,1,1 block=256,1,1 params=[null,null] fill=dd
K fa_special_f64(double *o, const double *a) { double v = a[X]; o[X] = sin(v) + exp(v) * log(v + 1) + sqrt(v) / (v + 2); }
// launch fa_sha_rounds grid=1056,1,1 block=256,1,1 params=[null,64]
K fa_sha_rounds(unsigned *o, int n) { unsigned a = X, b = a * 3, c = a ^ 5, d = ~a, e = a + 7, f = b + 1, g = c + 2, h = d + 3; for (int i = 0; i < n; i++) { unsigned s1 = __funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25), t = h + s1 + ((e & f) ^ (~e & g)) + i, s0 = __funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13) ^ __funnelshift_r(a, a, 22), u = s0 + ((a & b) ^ (a & c) ^ (b & c)); h = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + u; } o[X] = a ^ e ^ h; }
// launch fa_half2_poly grid=1056,1,1 block=256,1,1 params=[null,null,256] fill=hh
K fa_half2_poly(half2 *o, const half2 *a, int n) { half2 v = a[X], s = v, t = v, u = v; for (int i = 0; i < n; i++) { s = __hfma2(s, v, t); t = __hfma2(t, v, u); u = __hmul2(u, v); } o[X] = __hadd2(s, __hadd2(t, u)); }
// launch fa_pi_xorshift grid=1056,1,1 block=256,1,1 params=[null,256] fill=z
K fa_pi_xorshift(int *o, int n) { unsigned s = X * 747796405u + 1; int hit = 0; for (int i = 0; i < n; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float x = (s & 65535) / 65536.f, y = (s >> 16) / 65536.f; hit += x * x + y * y < 1; } hit = __reduce_add_sync(~0u, hit); if (!(T & 31)) atomicAdd(o, hit); }
// launch fa_lennard grid=132,1,1 block=128,1,1 params=[null,null,2048] fill=dd
K fa_lennard(double *o, const double *p, int n) { double x = p[3 * X], y = p[3 * X + 1], z = p[3 * X + 2], e = 0; for (int j = 0; j < n; j++) { double a = p[3 * j] - x, b = p[3 * j + 1] - y, c = p[3 * j + 2] - z, r = a * a + b * b + c * c; if (r < 0.1 && r > 0) { double i = 1 / (r * r * r); e += i * i - i; } } o[X] = e; }
// launch fa_warp_serial grid=1,1,1 block=32,1,1 params=[null,2000]
K fa_warp_serial(float *o, int n) { float v = T; for (int i = 0; i < n; i++) v = __fsqrt_rn(v * v + 1.5f); o[T] = v; }
// launch fa_brev_clz grid=2112,1,1 block=256,1,1 params=[null,64]
K fa_brev_clz(unsigned *o, int n) { unsigned v = X, s = 0; for (int i = 0; i < n; i++) { s += __brev(v) ^ __clz(v) ^ __popc(v); v = v * 5 + s; } o[X] = s; }

// ---- constants, local memory, tables
__constant__ float table[4096];
// launch fa_const_lanes grid=1056,1,1 block=256,1,1 params=[null,64]
K fa_const_lanes(float *o, int n) { float s = 0; for (int i = 0; i < n; i++) s += table[(T * 3 + i) & 1023]; o[X] = s; }
// launch fa_const_same grid=1056,1,1 block=256,1,1 params=[null,2048]
K fa_const_same(float *o, int n) { float s = X; for (int i = 0; i < n; i++) s = s * 0.99f + table[i]; o[X] = s; }
// launch fa_insertion grid=528,1,1 block=128,1,1 params=[null,null]
K fa_insertion(float *o, const float *a) { float v[16]; for (int i = 0; i < 16; i++) v[i] = a[X + i * 67584]; for (int i = 1; i < 16; i++) { float x = v[i]; int j = i; while (j > 0 && v[j - 1] > x) { v[j] = v[j - 1]; j--; } v[j] = x; } for (int i = 0; i < 16; i++) o[X + i * 67584] = v[i]; }
// launch fa_crc_table grid=1056,1,1 block=256,1,1 params=[null,null,64] fill=zi
K fa_crc_table(unsigned *o, const unsigned *a, int n) { __shared__ unsigned s[256]; s[T & 255] = T * 0x04c11db7u; __syncthreads(); unsigned c = ~0u, v = a[X]; for (int i = 0; i < n; i++) { c = (c >> 8) ^ s[(c ^ v) & 255]; v = v * 3 + 1; } o[X] = c; }

// ---- control
// launch fa_newton grid=64,128,1 block=32,8,1 params=[null,2048,40]
K fa_newton(int *o, int w, int m) { int x = X, y = Y, n = 0; double a = x * 4.0 / w - 2, b = y * 2.0 / w - 1; while (n < m) { double r = a * a, i = b * b, d = 9 * (r + i) * (r + i) + 1e-9, c = a * r - 3 * a * i - 1, e = 3 * r * b - b * i, p = 3 * (r - i), q = 6 * a * b, u = (c * p + e * q) / d, v = (e * p - c * q) / d; a -= u; b -= v; n++; if (u * u + v * v < 1e-6) break; } o[y * w + x] = n; }
// launch fa_rays grid=64,64,1 block=16,8,1 params=[null,null,1024,64]
K fa_rays(int *o, const float4 *b, int w, int n) { int x = X, y = Y, hit = -1; float u = x * 2.f / w - 1, v = y * 2.f / w - 1; for (int i = 0; i < n; i++) { float4 s = b[i]; float p = s.x - u, q = s.y - v; if (p * p + q * q < s.w * s.w * 0.02f) { hit = i; break; } } o[y * w + x] = hit; }
// launch fa_hash_probe grid=2048,1,1 block=256,1,1 params=[null,null,null] fill=zii
K fa_hash_probe(int *o, const unsigned *keys, const unsigned *t) { unsigned k = keys[X], h = k * 2654435761u >> 12, n = 0; while (n < 16 && (t[(h + n) & 0xfffff] & 7) != (k & 7)) n++; o[X] = n; }
// launch fa_spmv_rows grid=512,1,1 block=256,1,1 params=[null,null,null,null] fill=zsif
K fa_spmv_rows(float *o, const int *len, const int *col, const float *x) { int i = X, n = len[i] & 31; float s = 0; for (int k = 0; k < n; k++) s += x[col[i * 32 + k]] * 0.5f; o[i] = s; }
// launch fa_grid_barrier grid=132,1,1 block=256,1,1 params=[null,null,8] fill=zf
K fa_grid_barrier(unsigned *at, float *a, int n) { for (int r = 1; r <= n; r++) { a[X] = a[(X + 4096) % 33792] + 1; __threadfence(); __syncthreads(); if (T == 0) { atomicAdd(at, 1u); while (*(volatile unsigned *)at < r * gridDim.x); } __syncthreads(); } }

// ---- networks
// launch fa_rmsnorm grid=4096,1,1 block=128,1,1 params=[null,null,null,1024]
K fa_rmsnorm(float *o, const float *a, const float *g, int n) { __shared__ float w[4]; float s = 0; a += (long)blockIdx.x * n; o += (long)blockIdx.x * n; for (int i = T; i < n; i += 128) s += a[i] * a[i]; for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!(T & 31)) w[T / 32] = s; __syncthreads(); s = rsqrtf((w[0] + w[1] + w[2] + w[3]) / n + 1e-5f); for (int i = T; i < n; i += 128) o[i] = a[i] * s * g[i]; }
// launch fa_pool2 grid=32,64,16 block=32,8,1 params=[null,null,1024]
K fa_pool2(float *o, const float *a, int w) { int x = X, y = Y; const float *p = a + (long)blockIdx.z * 2 * w * w / 2 + 2 * y * 2 * w + 2 * x; o[(long)blockIdx.z * w * w / 2 + y * w + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2 * w], p[2 * w + 1])); }
// launch fa_philox grid=4096,1,1 block=256,1,1 params=[null,null,0.3]
K fa_philox(float *o, const float *a, float p) { unsigned c0 = X, c1 = 0, c2 = 7, c3 = 9, k0 = 11, k1 = 13; for (int i = 0; i < 10; i++) { unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2; c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0; k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; } o[X] = c0 * 2.3283064e-10f > p ? a[X] : 0; }
// launch fa_fft_stage grid=4096,1,1 block=256,1,1 params=[null,1024]
K fa_fft_stage(float2 *a, int half_) { int t = X, j = t & (half_ - 1), i = 2 * t - j; float s, c; __sincosf(-3.14159265f * j / half_, &s, &c); float2 p = a[i], q = a[i + half_]; float2 w = make_float2(q.x * c - q.y * s, q.x * s + q.y * c); a[i] = make_float2(p.x + w.x, p.y + w.y); a[i + half_] = make_float2(p.x - w.x, p.y - w.y); }
// launch fa_few_regs grid=264,1,1 block=256,1,1 params=[null,null,64]
K __launch_bounds__(256, 1) fa_few_regs(float *o, const float *a, int n) { float v[96]; for (int i = 0; i < 96; i++) v[i] = a[X + i * 67584]; for (int k = 0; k < n; k++)
#pragma unroll
 for (int i = 0; i < 96; i++) v[i] = v[i] * v[(i + 1) % 96] + 0.5f; float s = 0; for (int i = 0; i < 96; i++) s += v[i]; o[X] = s; }
// launch fa_shared_big grid=528,1,1 block=128,1,1 dynamic=65536 params=[null,null,8]
K fa_shared_big(float *o, const float *a, int n) { extern __shared__ float s[]; for (int i = T; i < 16384; i += 128) s[i] = a[(blockIdx.x * 16384 + i) & 0x1ffffff]; __syncthreads(); float r = 0; for (int k = 0; k < n; k++) for (int i = T; i < 16384; i += 128) r += s[(i + k * 33) & 16383]; o[X] = r; }
