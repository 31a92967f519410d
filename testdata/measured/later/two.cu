// Kinds of kernels that were not measured before, second half: held out while the model was improved. One line a kernel; each `// launch` is one launch of it.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x

// ---- data lead the way
// launch lb_moe_rows grid=8192,1,1 block=128,1,1 params=[null,null,null] fill=zsf
K lb_moe_rows(float4 *o, const int *to, const float4 *a) { o[(long)to[blockIdx.x] * 128 + T] = a[(long)blockIdx.x * 128 + T]; }
// launch lb_two_level grid=2048,1,1 block=256,1,1 params=[null,null,null,null] fill=zsif
K lb_two_level(float *o, const int *a, const int *b, const float *c) { int i = X; o[i] = c[b[a[i] * 64 + (T & 63)]]; }
// launch lb_zbuffer grid=1024,1,1 block=256,1,1 params=[null,null] fill=zi
K lb_zbuffer(unsigned *z, const uint2 *frag) { uint2 f = frag[X]; unsigned *p = &z[f.x & 0x3ffff]; if (*p < f.y) atomicMax(p, f.y); }
// launch lb_runs grid=4096,1,1 block=256,1,1 params=[null,null] fill=zs
K lb_runs(int *o, const int *a) { int i = X, v = a[i] >> 7, n = 1; while (n < 32 && a[i + n] >> 7 == v) n++; o[i] = n; }
// launch lb_bits grid=512,1,1 block=128,1,1 params=[null,null,64] fill=zi
K lb_bits(int *o, const unsigned *a, int n) { __shared__ unsigned char len[256]; for (int i = T; i < 256; i += 128) len[i] = 1 + (i * 37 >> 3 & 7); __syncthreads(); unsigned long long w = a[X]; int have = 20, s = 0, at = X; for (int i = 0; i < n; i++) { if (have < 8) { at = (at + 65536) & 0xffffff; w |= (unsigned long long)a[at] << have; have += 20; } int k = len[w & 255]; s += k; w >>= k; have -= k; } o[X] = s; }
// launch lb_joint grid=528,1,1 block=256,1,1 params=[null,null,null,2097152] fill=zss
K lb_joint(int *o, const int *a, const int *b, int n) { __shared__ int s[4096]; for (int i = T; i < 4096; i += 256) s[i] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * 256) atomicAdd(&s[(a[i] >> 4) * 64 + (b[i] >> 4)], 1); __syncthreads(); for (int i = T; i < 4096; i += 256) if (s[i]) atomicAdd(&o[i], s[i]); }

// ---- positions lead the way
// launch lb_bulb grid=32,64,1 block=16,8,1 params=[null,512,512,24]
K lb_bulb(int *o, int w, int h, int n) { int x = X, y = Y, k = 0; float u = x * 2.4f / w - 1.2f, v = y * 2.4f / h - 1.2f, a = u, b = v, c = 0.1f; for (; k < n; k++) { float r = sqrtf(a * a + b * b + c * c); if (r > 2) break; float t = acosf(c / r) * 8, p = atan2f(b, a) * 8, q = r * r; q *= q; q *= q; a = q * sinf(t) * cosf(p) + u; b = q * sinf(t) * sinf(p) + v; c = q * cosf(t) + 0.1f; } o[y * w + x] = k; }
// launch lb_sieve grid=528,1,1 block=128,1,1 params=[null]
K lb_sieve(int *o) { int n = 2 * X + 3, d = 3; while (d * d <= n && n % d) d += 2; o[X] = d * d > n; }
// launch lb_nms grid=32,32,1 block=64,1,1 params=[null,null]
K lb_nms(unsigned long long *o, const float4 *p) { __shared__ float4 s[64]; int r = blockIdx.y, c = blockIdx.x; if (r > c) return; s[T] = p[c * 64 + T]; __syncthreads(); float4 me = p[r * 64 + T]; unsigned long long m = 0; for (int i = r == c ? T + 1 : 0; i < 64; i++) { float4 q = s[i]; float w = fminf(me.z, q.z) - fmaxf(me.x, q.x), h = fminf(me.w, q.w) - fmaxf(me.y, q.y), u = fmaxf(w, 0) * fmaxf(h, 0); if (u > 0.5f * ((me.z - me.x) * (me.w - me.y) + (q.z - q.x) * (q.w - q.y) - u)) m |= 1ull << i; } o[(r * 64 + T) * 32 + c] = m; }
// launch lb_photon grid=528,1,1 block=256,1,1 params=[null,300]
K lb_photon(float *o, int most) { unsigned s = X * 2891336453u + 1; float z = 0, c = 1, w = 1; int n = 0; while (n++ < most && z >= 0 && w > 0.01f) { s = s * 1664525u + 1013904223u; z -= c * __logf((s >> 8) * 5.96e-8f + 1e-9f) * 0.1f; s = s * 1664525u + 1013904223u; c = (s >> 8) * 1.192e-7f - 1; w *= 0.96f; } o[X] = z * w; }

// ---- waiting for others
// launch lb_rounds grid=132,1,1 block=512,1,1 params=[null,null,16] fill=zf
K lb_rounds(volatile unsigned *flag, float *a, int n) { for (int r = 1; r <= n; r++) { a[X] = a[(X + 512 * r) % 67584] * 0.5f; __threadfence(); __syncthreads(); if (T == 0) flag[blockIdx.x * 8] = r; if (T < gridDim.x) while (flag[T * 8] < r); __syncthreads(); } }
// launch lb_locks grid=132,1,1 block=32,1,1 params=[null,null,64] fill=zz
K lb_locks(int *lock, volatile int *v, int n) { if (T) return; for (int i = 0; i < n; i++) { int k = (blockIdx.x + i * 7) & 255; while (atomicCAS(&lock[k], 0, 1)); v[k] += 1; __threadfence(); atomicExch(&lock[k], 0); } }

// ---- tables
__constant__ float window_[2048];
__constant__ float4 spheres[64];
// launch lb_fir_const grid=2048,1,1 block=256,1,1 params=[null,null,512]
K lb_fir_const(float *o, const float *a, int n) { float s = 0; int i = X; for (int k = 0; k < n; k++) s += a[i + k] * window_[k]; o[i] = s; }
// launch lb_window grid=2048,1,1 block=256,1,1 params=[null,null]
K lb_window(float *o, const float *a) { int i = X; o[i] = a[i] * window_[i & 2047] + a[i + 1] * window_[(i + 1024) & 2047]; }
// launch lb_spheres grid=64,128,1 block=16,8,1 params=[null,1024]
K lb_spheres(float *o, int w) { int x = X, y = Y; float u = x * 2.f / w - 1, v = y * 2.f / w - 1, t = 1e9f; for (int i = 0; i < 64; i++) { float4 s = spheres[i]; float b = s.x * u + s.y * v + s.z, d = b * b - s.w; if (d > 0) t = fminf(t, b - sqrtf(d)); } o[y * w + x] = t; }

// ---- products and chains
// launch lb_bf16_gemv grid=2048,1,1 block=128,1,1 params=[null,null,null,4096] fill=fhh
K lb_bf16_gemv(float *o, const __nv_bfloat162 *a, const __nv_bfloat162 *v, int n) { __shared__ float w[4]; float s = 0; for (int i = T; i < n / 2; i += 128) { float2 p = __bfloat1622float2(a[(long)blockIdx.x * n / 2 + i]), q = __bfloat1622float2(v[i]); s += p.x * q.x + p.y * q.y; } for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!(T & 31)) w[T / 32] = s; __syncthreads(); if (!T) o[blockIdx.x] = w[0] + w[1] + w[2] + w[3]; }
// launch lb_bilateral grid=32,128,1 block=32,8,1 params=[null,null,1032]
K lb_bilateral(float *o, const float *a, int w) { int x = X, y = Y; float c = a[(y + 2) * w + x + 2], s = 0, n = 0;
#pragma unroll
 for (int j = 0; j < 5; j++)
#pragma unroll
 for (int i = 0; i < 5; i++) { float v = a[(y + j) * w + x + i], d = v - c, k = __expf(-4 * d * d - 0.2f * ((i - 2) * (i - 2) + (j - 2) * (j - 2))); s += v * k; n += k; } o[y * w + x] = s / n; }
// launch lb_winograd grid=56,28,1 block=64,1,1 params=[null,null,114]
K lb_winograd(float *o, const float *a, int w) { int tx = blockIdx.x, ty = blockIdx.y, c = T; float d[4][4], e[4][4];
#pragma unroll
 for (int k = 0; k < 16; k++) d[k / 4][k % 4] = a[((ty * 2 + k / 4) * w + tx * 2 + k % 4) * 64 + c];
#pragma unroll
 for (int j = 0; j < 4; j++) { e[0][j] = d[0][j] - d[2][j]; e[1][j] = d[1][j] + d[2][j]; e[2][j] = d[2][j] - d[1][j]; e[3][j] = d[1][j] - d[3][j]; }
#pragma unroll
 for (int i = 0; i < 4; i++) { long at = ((long)i * 4 * 1568 + ty * 56 + tx) * 64 + c; o[at] = e[i][0] - e[i][2]; o[at + 1568 * 64] = e[i][1] + e[i][2]; o[at + 2 * 1568 * 64] = e[i][2] - e[i][1]; o[at + 3 * 1568 * 64] = e[i][1] - e[i][3]; } }
// launch lb_fft64 grid=2048,1,1 block=64,4,1 params=[null,null]
K lb_fft64(float2 *o, const float2 *a) { __shared__ float2 s[4][64]; int t = T, r = threadIdx.y; long at = ((long)blockIdx.x * 4 + r) * 64; s[r][__brev(t) >> 26] = a[at + t]; __syncthreads();
#pragma unroll
 for (int h = 1; h < 64; h *= 2) { if (t < 32) { int j = t & (h - 1), i = 2 * t - j; float u, v; __sincosf(-3.14159265f * j / h, &u, &v); float2 p = s[r][i], q = s[r][i + h], w = make_float2(q.x * v - q.y * u, q.x * u + q.y * v); s[r][i] = make_float2(p.x + w.x, p.y + w.y); s[r][i + h] = make_float2(p.x - w.x, p.y - w.y); } __syncthreads(); } o[at + t] = s[r][t]; }
// launch lb_knapsack grid=132,1,1 block=256,1,1 params=[null,null,128] fill=zs
K lb_knapsack(int *o, const int *w, int n) { __shared__ int s[2][1024]; for (int i = T; i < 1024; i += 256) s[0][i] = 0; int p = 0; for (int k = 0; k < n; k++) { __syncthreads(); int c = w[blockIdx.x * n + k] & 255; for (int i = T; i < 1024; i += 256) s[1 - p][i] = max(s[p][i], i >= c ? s[p][i - c] + c : 0); p = 1 - p; } __syncthreads(); for (int i = T; i < 1024; i += 256) o[blockIdx.x * 1024 + i] = s[p][i]; }
// launch lb_sort_lanes grid=4096,1,1 block=256,1,1 params=[null,null] fill=zi
K lb_sort_lanes(unsigned *o, const unsigned *a) { unsigned v = a[X]; int l = T & 31;
#pragma unroll
 for (int k = 2; k <= 32; k *= 2)
#pragma unroll
 for (int j = k / 2; j; j /= 2) { unsigned u = __shfl_xor_sync(~0u, v, j); v = !(l & j) == !(l & k) ? min(u, v) : max(u, v); } o[X] = v; }
// launch lb_chol_warp grid=1056,1,1 block=32,1,1 params=[null,null]
K lb_chol_warp(float *o, const float *a) { float v[32]; int l = T;
#pragma unroll
 for (int k = 0; k < 32; k++) v[k] = a[((long)blockIdx.x * 32 + k) * 32 + l] + (k == l ? 32 : 0);
#pragma unroll
 for (int k = 0; k < 32; k++) { float d = rsqrtf(__shfl_sync(~0u, v[k], k)); v[k] *= d;
#pragma unroll
 for (int j = k + 1; j < 32; j++) v[j] -= v[k] * __shfl_sync(~0u, v[k], j); }
#pragma unroll
 for (int k = 0; k < 32; k++) o[((long)blockIdx.x * 32 + k) * 32 + l] = v[k]; }
// launch lb_life_bits grid=64,1024,1 block=32,1,1 params=[null,null,2048] fill=zi
K lb_life_bits(unsigned *o, const unsigned *a, int w) { int x = X, y = blockIdx.y; unsigned s0 = 0, s1 = 0, s2 = 0, me = a[y * w + x];
#pragma unroll
 for (int j = 0; j < 3; j++) { const unsigned *p = a + (y + j) * w + x; unsigned c = p[1], r = __funnelshift_l(p[0], c, 1), q = __funnelshift_r(c, p[2], 1), v[3] = { r, c, q };
#pragma unroll
 for (int i = 0; i < 3; i++) if (i != 1 || j != 1) { unsigned t = s0 & v[i]; s0 ^= v[i]; unsigned u = s1 & t; s1 ^= t; s2 |= u; } } o[y * w + x] = ~s2 & s1 & (s0 | me); }
