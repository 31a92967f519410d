// Further kernels, second half: held out while the model was improved on the first. One line a kernel; each `// launch` is one launch of it.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x

// ---- memory
// launch fb_scale_f64 grid=8192,1,1 block=256,1,1 params=[null,null,1.5] fill=dd
// launch fb_scale_f64 grid=132,1,1 block=256,1,1 params=[null,null,1.5] fill=dd
K fb_scale_f64(double *o, const double *a, double s) { int i = X; o[i] = a[i] * s; }
// launch fb_copy_pitch grid=8,1024,1 block=128,1,1 params=[null,null,1024,1056]
K fb_copy_pitch(float *o, const float *a, int w, int pitch) { int x = X, y = blockIdx.y; o[y * w + x] = a[y * pitch + x + 1]; }
// launch fb_aos_update grid=4096,1,1 block=256,1,1 params=[null,0.01]
K fb_aos_update(float *p, float dt) { long i = (long)X * 8; p[i] += p[i + 3] * dt; p[i + 1] += p[i + 4] * dt; p[i + 2] += p[i + 5] * dt; }
// launch fb_reread_block grid=1056,1,1 block=128,1,1 params=[null,null,12]
K fb_reread_block(float *o, const float *a, int n) { float s = 0; const float *p = a + blockIdx.x * 4096; for (int k = 0; k < n; k++) for (int i = T; i < 4096; i += 128) s += p[i ^ k]; o[X] = s; }
// launch fb_l2_random grid=2112,1,1 block=128,1,1 params=[null,null,32]
K fb_l2_random(float *o, const float *a, int n) { unsigned s = X * 2654435761u; float r = 0; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; r += a[s >> 11]; } o[X] = r; }
// launch fb_columns_f4 grid=64,1,1 block=64,1,1 params=[null,null,1024]
K fb_columns_f4(float4 *o, const float4 *a, int h) { int x = X; float4 s = make_float4(0, 0, 0, 0); for (int y = 0; y < h; y++) { float4 v = a[y * 4096 + x]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; } o[x] = s; }
// launch fb_scatter_perm grid=4096,1,1 block=256,1,1 params=[null,null]
K fb_scatter_perm(float *o, const float *a) { unsigned i = X; o[(i * 40503u) & 0xfffff] = a[i]; }
// launch fb_interleave grid=8192,1,1 block=256,1,1 params=[null,null,null]
K fb_interleave(float2 *o, const float *a, const float *b) { int i = X; o[i] = make_float2(a[i], b[i]); }
// launch fb_list_walk grid=132,1,1 block=256,1,1 params=[null,null,24] fill=zs
K fb_list_walk(unsigned *o, const unsigned *next, int n) { unsigned j = X & 1023; for (int i = 0; i < n; i++) j = next[j * 32] & 1023; o[X] = j; }
// launch fb_transpose_bytes grid=64,64,1 block=32,8,1 params=[null,null,2048]
K fb_transpose_bytes(unsigned char *o, const unsigned char *a, int n) { __shared__ unsigned char s[32][33]; int x = blockIdx.x * 32 + T, y = blockIdx.y * 32; for (int r = threadIdx.y; r < 32; r += 8) s[r][T] = a[(y + r) * n + x]; __syncthreads(); x = blockIdx.y * 32 + T; y = blockIdx.x * 32; for (int r = threadIdx.y; r < 32; r += 8) o[(y + r) * n + x] = s[T][r]; }

// ---- stencils
// launch fb_wave3d grid=8,32,1 block=32,8,1 params=[null,null,256,256,96]
K fb_wave3d(float *o, const float *a, int w, int h, int d) { int x = X, y = Y; float u, c = a[y * w + x], n = a[(h + y) * w + x]; for (int z = 1; z < d - 1; z++) { u = c; c = n; n = a[((z + 1) * h + y) * w + x]; float s = u + n - 6 * c; if (x > 0) s += a[(z * h + y) * w + x - 1]; if (x < w - 1) s += a[(z * h + y) * w + x + 1]; if (y > 0) s += a[(z * h + y - 1) * w + x]; if (y < h - 1) s += a[(z * h + y + 1) * w + x]; o[(z * h + y) * w + x] = c + 0.1f * s; } }
// launch fb_life grid=64,256,1 block=32,8,1 params=[null,null,2048] fill=zi
K fb_life(unsigned char *o, const unsigned char *a, int w) { int x = X, y = Y, n = 0; for (int j = -1; j < 2; j++) for (int i = -1; i < 2; i++) n += (i || j) ? a[((y + j) & (w - 1)) * w + ((x + i) & (w - 1))] & 1 : 0; int me = a[y * w + x] & 1; o[y * w + x] = n == 3 || (me && n == 2); }
// launch fb_gauss7_rows grid=16,1024,1 block=128,1,1 params=[null,null,2048]
K fb_gauss7_rows(float *o, const float *a, int w) { __shared__ float s[134]; int x = X, y = blockIdx.y; s[T] = a[y * w + x]; if (T < 6) s[128 + T] = a[y * w + x + 128]; __syncthreads(); float v = 0; for (int k = 0; k < 7; k++) v += s[T + k] * (1.f / (k + 2)); o[y * w + x] = v; }
// launch fb_rotate grid=64,64,1 block=32,16,1 params=[null,null,2048,0.8,0.6]
K fb_rotate(float *o, const float *a, int w, float c, float s) { int x = X, y = Y; float u = c * x - s * y, v = s * x + c * y; int i = (int)u & (w - 1), j = (int)v & (w - 1); o[y * w + x] = a[j * w + i]; }

// ---- reductions, scans, sorting
// launch fb_max_two_level grid=264,1,1 block=1024,1,1 params=[null,null,8388608]
K fb_max_two_level(float *o, const float *a, int n) { __shared__ float s[1024]; float m = 0; for (int i = X; i < n; i += gridDim.x * 1024) m = fmaxf(m, a[i]); s[T] = m; __syncthreads(); for (int d = 512; d; d >>= 1) { if (T < d) s[T] = fmaxf(s[T], s[T + d]); __syncthreads(); } if (!T) o[blockIdx.x] = s[0]; }
// launch fb_variance grid=1024,1,1 block=256,1,1 params=[null,null,2048]
K fb_variance(float *o, const float *a, int n) { __shared__ float w[2][8]; float s = 0, q = 0; for (int i = T; i < n; i += 256) { float v = a[(long)blockIdx.x * n + i]; s += v; q += v * v; } for (int d = 16; d; d >>= 1) { s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); } if (!(T & 31)) { w[0][T / 32] = s; w[1][T / 32] = q; } __syncthreads(); if (!T) { for (int i = 1; i < 8; i++) { s += w[0][i]; q += w[1][i]; } o[blockIdx.x] = q / n - s / n * s / n; } }
// launch fb_scan_hillis grid=1024,1,1 block=1024,1,1 params=[null,null]
K fb_scan_hillis(float *o, const float *a) { __shared__ float s[2][1024]; int p = 0; s[0][T] = a[X]; __syncthreads(); for (int d = 1; d < 1024; d *= 2) { s[1 - p][T] = T >= d ? s[p][T] + s[p][T - d] : s[p][T]; p = 1 - p; __syncthreads(); } o[X] = s[p][T]; }
// launch fb_oddeven grid=264,1,1 block=256,1,1 params=[null] fill=i
K fb_oddeven(unsigned *a) { __shared__ unsigned s[512]; s[T] = a[blockIdx.x * 512 + T]; s[T + 256] = a[blockIdx.x * 512 + T + 256]; for (int r = 0; r < 512; r++) { __syncthreads(); int i = 2 * T + (r & 1); if (i + 1 < 512 && s[i] > s[i + 1]) { unsigned v = s[i]; s[i] = s[i + 1]; s[i + 1] = v; } } __syncthreads(); a[blockIdx.x * 512 + T] = s[T]; a[blockIdx.x * 512 + T + 256] = s[T + 256]; }
// launch fb_merge_path grid=1024,1,1 block=256,1,1 params=[null,null,null,262144]
K fb_merge_path(float *o, const float *a, const float *b, int n) { int d = X, lo = max(0, d - n), hi = min(d, n); while (lo < hi) { int m = (lo + hi) / 2; if (a[m] < b[d - 1 - m]) lo = m + 1; else hi = m; } o[d] = lo; }
// launch fb_count_if grid=1056,1,1 block=256,1,1 params=[null,null,4325376] fill=zi
K fb_count_if(int *o, const unsigned *a, int n) { int c = 0; for (int i = X; i < n; i += gridDim.x * blockDim.x) c += (a[i] & 3) == 1; c = __reduce_add_sync(~0u, c); if (!(T & 31)) atomicAdd(o, c); }

// ---- atomics
// launch fb_bins_64 grid=1024,1,1 block=256,1,1 params=[null,null] fill=zi
K fb_bins_64(int *h, const unsigned *a) { atomicAdd(&h[a[X] & 63], 1); }
// launch fb_bins_65536 grid=4096,1,1 block=256,1,1 params=[null,null] fill=zi
K fb_bins_65536(int *h, const unsigned *a) { atomicAdd(&h[a[X] & 65535], 1); }
// launch fb_max_one grid=1024,1,1 block=256,1,1 params=[null,null] fill=zi
K fb_max_one(int *o, const int *a) { int v = __reduce_max_sync(~0u, a[X]); if (!(T & 31)) atomicMax(o, v); }
// launch fb_atomic_lines grid=1024,1,1 block=256,1,1 params=[null] fill=z
K fb_atomic_lines(int *o) { atomicAdd(&o[(X & 63) * 32 + (X >> 6 & 31)], 1); }
// launch fb_atomic_u64 grid=2048,1,1 block=128,1,1 params=[null] fill=z
K fb_atomic_u64(unsigned long long *o) { atomicAdd(&o[X & 16383], 3ull); }
// launch fb_cas_max grid=128,1,1 block=256,1,1 params=[null,null] fill=zi
K fb_cas_max(int *o, const int *a) { int v = a[X], *p = &o[X & 1023], old = *p; while (v > old) { int was = atomicCAS(p, old, v); if (was == old) break; old = was; } }
// launch fb_particles grid=1024,1,1 block=256,1,1 params=[null,null] fill=zf
K fb_particles(float *g, const float2 *p) { float2 q = p[X]; int x = q.x * 510, y = q.y * 510; float u = q.x * 510 - x, v = q.y * 510 - y; atomicAdd(&g[y * 512 + x], (1 - u) * (1 - v)); atomicAdd(&g[y * 512 + x + 1], u * (1 - v)); atomicAdd(&g[y * 512 + 512 + x], (1 - u) * v); atomicAdd(&g[y * 512 + 513 + x], u * v); }

// ---- products
// launch fb_gemm_128x64 grid=16,8,1 block=256,1,1 params=[null,null,null,1024]
// launch fb_gemm_128x64 grid=32,16,1 block=256,1,1 params=[null,null,null,2048]
K __launch_bounds__(256) fb_gemm_128x64(float *c, const float *a, const float *b, int n) { __shared__ float s[8][128], r[8][64]; int t = T, tx = t % 16, ty = t / 16; float v[8][4] = {}; a += blockIdx.y * 128 * n; b += blockIdx.x * 64; for (int k = 0; k < n; k += 8) { for (int i = 0; i < 4; i++) s[t % 8][t / 8 + 32 * i] = a[(t / 8 + 32 * i) * n + k + t % 8]; for (int i = 0; i < 2; i++) r[t / 64 + 4 * i][t % 64] = b[(k + t / 64 + 4 * i) * n + t % 64]; __syncthreads();
#pragma unroll
 for (int q = 0; q < 8; q++) { float x[8], y[4];
#pragma unroll
 for (int i = 0; i < 8; i++) x[i] = s[q][8 * ty + i];
#pragma unroll
 for (int i = 0; i < 4; i++) y[i] = r[q][4 * tx + i];
#pragma unroll
 for (int i = 0; i < 8; i++)
#pragma unroll
 for (int j = 0; j < 4; j++) v[i][j] += x[i] * y[j]; } __syncthreads(); } for (int i = 0; i < 8; i++) for (int j = 0; j < 4; j++) c[(blockIdx.y * 128 + 8 * ty + i) * n + blockIdx.x * 64 + 4 * tx + j] = v[i][j]; }
// launch fb_mma grid=16,64,1 block=128,1,1 params=[null,null,null,1024] fill=fhh
K fb_mma(float *c, const half *a, const half *b, int n) { int w = T / 32, l = T & 31, g = l / 4, t = l % 4; const half *p = a + (blockIdx.y * 16 + g) * n + 2 * t, *q = b + (blockIdx.x * 64 + w * 16 + g) * n + 2 * t; float v[8] = {}; for (int k = 0; k < n; k += 16) { unsigned a0 = *(const unsigned *)(p + k), a1 = *(const unsigned *)(p + 8 * n + k), a2 = *(const unsigned *)(p + k + 8), a3 = *(const unsigned *)(p + 8 * n + k + 8); for (int j = 0; j < 2; j++) { unsigned b0 = *(const unsigned *)(q + j * 8 * n + k), b1 = *(const unsigned *)(q + j * 8 * n + k + 8); asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(v[4 * j]), "+f"(v[4 * j + 1]), "+f"(v[4 * j + 2]), "+f"(v[4 * j + 3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); } } for (int j = 0; j < 2; j++) for (int i = 0; i < 4; i++) c[(blockIdx.y * 16 + g + (i / 2) * 8) * n + blockIdx.x * 64 + w * 16 + j * 8 + 2 * t + i % 2] = v[4 * j + i]; }
// launch fb_syrk_plain grid=24,24,1 block=16,16,1 params=[null,null,384,256]
K fb_syrk_plain(float *c, const float *a, int n, int k) { int x = X, y = Y; if (x > y) return; float s = 0; for (int i = 0; i < k; i++) s += a[y * k + i] * a[x * k + i]; c[y * n + x] = s; }
// launch fb_cholesky grid=264,1,1 block=64,1,1 params=[null]
K fb_cholesky(float *a) { __shared__ float s[64][65]; float *p = a + blockIdx.x * 4096; for (int i = 0; i < 64; i++) s[i][T] = p[i * 64 + T] + (i == T ? 64 : 0); __syncthreads(); for (int k = 0; k < 64; k++) { if (T == k) s[k][k] = sqrtf(s[k][k]); __syncthreads(); if (T > k) s[T][k] /= s[k][k]; __syncthreads(); if (T > k) for (int j = k + 1; j <= T; j++) s[T][j] -= s[T][k] * s[j][k]; __syncthreads(); } for (int i = 0; i < 64; i++) p[i * 64 + T] = s[i][T]; }
// launch fb_floyd grid=32,256,1 block=32,4,1 params=[null,1024,17]
K fb_floyd(float *d, int n, int k) { int x = X, y = Y; d[y * n + x] = fminf(d[y * n + x], d[y * n + k] + d[k * n + x]); }
// launch fb_half_gemv grid=1024,1,1 block=128,1,1 params=[null,null,null,2048] fill=fhh
K fb_half_gemv(float *o, const half2 *a, const half2 *v, int n) { int row = X / 32, l = T & 31; float s = 0; for (int i = l; i < n / 2; i += 32) { float2 p = __half22float2(a[(long)row * n / 2 + i]), q = __half22float2(v[i]); s += p.x * q.x + p.y * q.y; } for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!l) o[row] = s; }
// launch fb_pipeline grid=264,1,1 block=256,1,1 params=[null,null,48]
K fb_pipeline(float *o, const float4 *a, int n) { __shared__ float4 s[4][256]; const float4 *p = a + (long)blockIdx.x * n * 256; float r = 0; for (int i = 0; i < 3; i++) { __pipeline_memcpy_async(&s[i][T], &p[i * 256 + T], 16); __pipeline_commit(); } for (int i = 0; i < n; i++) { if (i + 3 < n) __pipeline_memcpy_async(&s[(i + 3) & 3][T], &p[(i + 3) * 256 + T], 16); __pipeline_commit(); __pipeline_wait_prior(3); __syncthreads(); float4 v = s[i & 3][T ^ 1]; r += v.x * v.y + v.z * v.w; __syncthreads(); } o[X] = r; }

// ---- arithmetic
// launch fb_i64_mix grid=1056,1,1 block=256,1,1 params=[null,128]
K fb_i64_mix(unsigned long long *o, int n) { unsigned long long v = X; for (int i = 0; i < n; i++) { v ^= v >> 33; v *= 0xff51afd7ed558ccdull; v ^= v >> 29; v += i; } o[X] = v; }
// launch fb_bessel grid=1056,1,1 block=128,1,1 params=[null,null]
K fb_bessel(float *o, const float *a) { float v = a[X] * 6; o[X] = j0f(v) + j1f(v) + expm1f(v) + atan2f(v, 2.f) + asinf(v * 0.1f); }
// launch fb_f64_chain grid=264,1,1 block=128,1,1 params=[null,500]
K fb_f64_chain(double *o, int n) { double v = X * 1e-6; for (int i = 0; i < n; i++) v = fma(v, 0.999, 0.5) ; o[X] = v; }
// launch fb_f64_horner grid=1056,1,1 block=256,1,1 params=[null,null,100] fill=dd
K fb_f64_horner(double *o, const double *a, int n) { double v = a[X], p = v, q = 1 - v; for (int i = 0; i < n; i++) { p = p * v + 0.5; q = q * v - 0.25; } o[X] = p * q; }
// launch fb_mersenne grid=528,1,1 block=128,1,1 params=[null,200]
K fb_mersenne(unsigned *o, int n) { unsigned v = X * 69069u + 1, s = 0; for (int i = 0; i < n; i++) { unsigned y = v; y ^= y >> 11; y ^= y << 7 & 0x9d2c5680u; y ^= y << 15 & 0xefc60000u; y ^= y >> 18; s += y; v = 1812433253u * (v ^ v >> 30) + i; } o[X] = s; }
// launch fb_half_act grid=8192,1,1 block=256,1,1 params=[null,null] fill=hh
K fb_half_act(half *o, const half *a) { float v = __half2float(a[X]); o[X] = __float2half(v / (1 + __expf(-v))); }
// launch fb_complex grid=4096,1,1 block=256,1,1 params=[null,null,null]
K fb_complex(float2 *o, const float2 *a, const float2 *b) { float2 p = a[X], q = b[X]; float r = hypotf(p.x, p.y); o[X] = make_float2((p.x * q.x - p.y * q.y) / r, (p.x * q.y + p.y * q.x) / r); }
// launch fb_eigen3 grid=1024,1,1 block=128,1,1 params=[null,null]
K fb_eigen3(float *o, const float *m) { int i = X; float a = m[6 * i], b = m[6 * i + 1], c = m[6 * i + 2], d = m[6 * i + 3], e = m[6 * i + 4], f = m[6 * i + 5], q = (a + d + f) / 3, p1 = b * b + c * c + e * e, p2 = (a - q) * (a - q) + (d - q) * (d - q) + (f - q) * (f - q) + 2 * p1, p = sqrtf(p2 / 6), ip = 1 / p, A = (a - q) * ip, D = (d - q) * ip, F = (f - q) * ip, B = b * ip, C = c * ip, E = e * ip, r = (A * (D * F - E * E) - B * (B * F - E * C) + C * (B * E - D * C)) / 2, t = acosf(fminf(1, fmaxf(-1, r))) / 3; o[3 * i] = q + 2 * p * cosf(t); o[3 * i + 2] = q + 2 * p * cosf(t + 2.0943951f); o[3 * i + 1] = 3 * q - o[3 * i] - o[3 * i + 2]; }
// launch fb_shuffle_fft grid=1056,1,1 block=128,1,1 params=[null,null,16]
K fb_shuffle_fft(float2 *o, const float2 *a, int n) { float2 v = a[X]; int l = T & 31; for (int r = 0; r < n; r++) for (int d = 16; d; d >>= 1) { float2 u = make_float2(__shfl_xor_sync(~0u, v.x, d), __shfl_xor_sync(~0u, v.y, d)); float s = l & d ? -1 : 1; v.x = u.x + s * v.x; v.y = u.y + s * v.y * 0.5f; } o[X] = v; }

// ---- constants, local memory, tables
__constant__ float table2[8192];
__constant__ unsigned char sbox[256];
// launch fb_const_data grid=1056,1,1 block=256,1,1 params=[null,null,32] fill=zi
K fb_const_data(unsigned *o, const unsigned *a, int n) { unsigned v = a[X]; for (int i = 0; i < n; i++) v = v * 3 + sbox[(v >> 3) & 255] + i; o[X] = v; }
// launch fb_const_rows grid=528,1,1 block=256,1,1 params=[null,null,4096]
K fb_const_rows(float *o, const float *a, int n) { float v = a[X], s = 0; for (int i = 0; i < n; i++) s += v * table2[i]; o[X] = s; }
// launch fb_topk grid=528,1,1 block=128,1,1 params=[null,null,64]
K fb_topk(float *o, const float *a, int n) { float v[4] = {}; for (int i = 0; i < n; i++) { float x = a[(long)i * 67584 + X]; if (x > v[3]) { v[3] = x; if (v[3] > v[2]) { x = v[2]; v[2] = v[3]; v[3] = x; } if (v[2] > v[1]) { x = v[1]; v[1] = v[2]; v[2] = x; } if (v[1] > v[0]) { x = v[0]; v[0] = v[1]; v[1] = x; } } } for (int i = 0; i < 4; i++) o[X * 4 + i] = v[i]; }
// launch fb_stack_walk grid=528,1,1 block=128,1,1 params=[null,null] fill=zi
K fb_stack_walk(int *o, const int *a) { int stack[24], top = 0, s = 0; stack[top++] = 1; unsigned seed = a[X]; while (top) { int n = stack[--top]; s += n; if (n < 64) { if (seed >> (n & 15) & 1) stack[top++] = 2 * n; stack[top++] = 2 * n + 1; } } o[X] = s; }
// launch fb_aes_tables grid=528,1,1 block=256,1,1 params=[null,null,10] fill=zi
K fb_aes_tables(uint4 *o, const uint4 *a, int n) { __shared__ unsigned s[4][256]; for (int i = T; i < 1024; i += 256) s[i / 256][i % 256] = i * 2654435761u; __syncthreads(); uint4 v = a[X]; for (int i = 0; i < n; i++) { uint4 w; w.x = s[0][v.x & 255] ^ s[1][v.y >> 8 & 255] ^ s[2][v.z >> 16 & 255] ^ s[3][v.w >> 24]; w.y = s[0][v.y & 255] ^ s[1][v.z >> 8 & 255] ^ s[2][v.w >> 16 & 255] ^ s[3][v.x >> 24]; w.z = s[0][v.z & 255] ^ s[1][v.w >> 8 & 255] ^ s[2][v.x >> 16 & 255] ^ s[3][v.y >> 24]; w.w = s[0][v.w & 255] ^ s[1][v.x >> 8 & 255] ^ s[2][v.y >> 16 & 255] ^ s[3][v.z >> 24]; v = w; } o[X] = v; }

// ---- control
// launch fb_burning grid=128,128,1 block=16,16,1 params=[null,2048,200]
// launch fb_burning grid=16,16,1 block=16,16,1 params=[null,256,200]
K fb_burning(int *o, int w, int m) { int x = X, y = Y, n = 0; float a = 0, b = 0, u = x * 3.f / w - 2, v = y * 3.f / w - 2; while (n < m && a * a + b * b < 4) { float t = a * a - b * b + u; b = fabsf(2 * a * b) + v; a = t; n++; } o[y * w + x] = n; }
// launch fb_gcd grid=1056,1,1 block=256,1,1 params=[null,null] fill=zi
K fb_gcd(unsigned *o, const unsigned *a) { unsigned p = a[X] | 1, q = a[X + 270336] | 1; while (q) { unsigned r = p % q; p = q; q = r; } o[X] = p; }
// launch fb_switch grid=2048,1,1 block=256,1,1 params=[null,null] fill=zf
K fb_switch(float *o, const float *a) { float v = a[X]; for (int i = 0; i < 16; i++) switch ((T + i) & 7) { case 0: v += 1; break; case 1: v *= 1.5f; break; case 2: v = sqrtf(v); break; case 3: v = v / 1.1f; break; case 4: v = __expf(v * 0.01f); break; case 5: v -= 2; break; case 6: v = fabsf(v); break; default: v = v * v * 0.1f; } o[X] = v; }
// launch fb_triangle grid=128,1,1 block=256,1,1 params=[null,null,16]
K fb_triangle(float *o, const float *a, int k) { int i = X; float s = 0; for (int j = 0; j < i / k; j++) s += a[j]; o[i] = s; }
// launch fb_tree_find grid=1024,1,1 block=256,1,1 params=[null,null,null] fill=zii
K fb_tree_find(int *o, const unsigned *tree, const unsigned *keys) { unsigned k = keys[X], n = 1; while (n < 524288) n = 2 * n + (tree[n] < k); o[X] = n; }
// launch fb_tail_one grid=1057,1,1 block=256,1,1 params=[null,3000]
K fb_tail_one(float *o, int n) { float v = T, u = X; for (int i = 0; i < n; i++) { v = v * 0.999f + 1; u = u * 0.998f + 2; } o[X] = v + u; }
// launch fb_one_warp_each grid=132,1,1 block=32,1,1 params=[null,null,512]
K fb_one_warp_each(float *o, const float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[(i * 132 + blockIdx.x) * 32 + T]; o[X] = s; }

// ---- networks
// launch fb_softmax_online grid=4096,1,1 block=256,1,1 params=[null,null,2048]
K fb_softmax_online(float *o, const float *a, int n) { __shared__ float w[2][8]; a += (long)blockIdx.x * n; o += (long)blockIdx.x * n; float m = -1e30f, s = 0; for (int i = T; i < n; i += 256) { float v = a[i], k = fmaxf(m, v); s = s * __expf(m - k) + __expf(v - k); m = k; } for (int d = 16; d; d >>= 1) { float v = __shfl_xor_sync(~0u, m, d), q = __shfl_xor_sync(~0u, s, d), k = fmaxf(m, v); s = s * __expf(m - k) + q * __expf(v - k); m = k; } if (!(T & 31)) { w[0][T / 32] = m; w[1][T / 32] = s; } __syncthreads(); float g = w[0][0]; for (int i = 1; i < 8; i++) g = fmaxf(g, w[0][i]); s = 0; for (int i = 0; i < 8; i++) s += w[1][i] * __expf(w[0][i] - g); for (int i = T; i < n; i += 256) o[i] = __expf(a[i] - g) / s; }
// launch fb_rope grid=2048,1,1 block=64,4,1 params=[null,null,64]
K fb_rope(float *o, const float *a, int d) { int p = blockIdx.x, i = T, h = threadIdx.y; float f = __powf(10000.f, -2.f * i / (2 * d)), s, c; sincosf(p * f, &s, &c); long at = ((long)p * 4 + h) * 2 * d + i; float u = a[at], v = a[at + d]; o[at] = u * c - v * s; o[at + d] = u * s + v * c; }
// launch fb_depthwise grid=7,28,64 block=16,4,1 params=[null,null,null,112]
K fb_depthwise(float *o, const float *a, const float *k, int w) { int x = X, y = Y, c = blockIdx.z; float s = 0; for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s += a[((long)c * (w + 2) + y + j) * (w + 2) + x + i] * k[c * 9 + j * 3 + i]; o[((long)c * w + y) * w + x] = fmaxf(s, 0); }
// launch fb_bag grid=2048,1,1 block=64,1,1 params=[null,null,null,16] fill=zfs
K fb_bag(float *o, const float *e, const int *at, int n) { float s = 0; for (int i = 0; i < n; i++) s += e[at[blockIdx.x * n + i] * 64 + T]; o[X] = s; }
// launch fb_quantize grid=4096,1,1 block=256,1,1 params=[null,null,0.02]
K fb_quantize(char4 *o, const float4 *a, float s) { float4 v = a[X]; o[X] = make_char4(rintf(v.x / s), rintf(v.y / s), rintf(v.z / s), rintf(v.w / s)); }
// launch fb_lstm_cell grid=512,1,1 block=256,1,1 params=[null,null,null,131072]
K fb_lstm_cell(float *h, float *c, const float *g, int n) { int i = X; float a = 1 / (1 + expf(-g[i])), f = 1 / (1 + expf(-g[i + n])), o = 1 / (1 + expf(-g[i + 2 * n])), z = tanhf(g[i + 3 * n]), s = f * c[i] + a * z; c[i] = s; h[i] = o * tanhf(s); }
// launch fb_occupancy_shared grid=528,1,1 block=256,1,1 dynamic=40960 params=[null,null,64]
K fb_occupancy_shared(float *o, const float *a, int n) { extern __shared__ float s[]; float r = 0; for (int i = 0; i < n; i++) { s[T + i % 8 * 256] = a[(i * 528 + blockIdx.x) * 256 + T]; __syncthreads(); r += s[(T * 33 + i) & 2047]; __syncthreads(); } o[X] = r; }
// launch fb_spills grid=264,1,1 block=512,1,1 params=[null,null,8]
K __launch_bounds__(512, 4) fb_spills(float *o, const float *a, int n) { float v[48]; for (int i = 0; i < 48; i++) v[i] = a[X + i * 135168]; for (int k = 0; k < n; k++)
#pragma unroll
 for (int i = 0; i < 48; i++) v[i] = v[i] * v[(i + 7) % 48] + v[(i + 11) % 48]; float s = 0; for (int i = 0; i < 48; i++) s += v[i]; o[X] = s; }
