// Third set: kernels as benchmark suites and samples have them; held out while times were improved on the first two. One line a kernel; each `// launch` is one launch of it.
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x
__constant__ float4 atoms[1024];
__constant__ float filter17[17];
__constant__ float4 kspace[512];

// ---- grids in tiles
// launch wc_pathfinder grid=463,1,1 block=256,1,1 params=[null,null,null,100000,20] fill=zii
K wc_pathfinder(int *o, const int *wall, const int *src, int cols, int rows) { __shared__ int prev[256], now[256]; int small = 256 - rows * 2, first = small * blockIdx.x - rows, x = first + T, lo = max(0, -first), hi = min(255, 255 - (first + 255 - (cols - 1))); int w = max(T - 1, lo), e = min(T + 1, hi); bool valid = T >= lo && (int)T <= hi, done = false; if (x >= 0 && x < cols) prev[T] = src[x] & 1023; __syncthreads(); for (int i = 0; i < rows; i++) { done = false; if ((int)T >= i + 1 && (int)T <= 254 - i && valid) { done = true; now[T] = min(min(prev[w], prev[T]), prev[e]) + (wall[cols * i + x] & 1023); } __syncthreads(); if (i == rows - 1) break; if (done) prev[T] = now[T]; __syncthreads(); } if (done) o[x] = now[T]; }
// launch wc_hotspot grid=74,74,1 block=16,16,1 params=[null,null,null,1024,2]
K wc_hotspot(float *o, const float *power, const float *temp, int n, int steps) { __shared__ float t[16][16], p[16][16], u[16][16]; int small = 16 - steps * 2, bx = blockIdx.x, by = blockIdx.y, tx = T, ty = threadIdx.y, y = small * by - steps + ty, x = small * bx - steps + tx; bool in = x >= 0 && x < n && y >= 0 && y < n; if (in) { t[ty][tx] = temp[y * n + x]; p[ty][tx] = power[y * n + x]; } __syncthreads(); int no = max(ty - 1, 0), so = min(ty + 1, 15), we = max(tx - 1, 0), ea = min(tx + 1, 15); bool done = false; for (int i = 0; i < steps; i++) { done = false; if (tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i && in) { done = true; u[ty][tx] = t[ty][tx] + 0.1f * (p[ty][tx] + (t[so][tx] + t[no][tx] - 2 * t[ty][tx]) * 0.2f + (t[ty][ea] + t[ty][we] - 2 * t[ty][tx]) * 0.3f + (80 - t[ty][tx]) * 0.01f); } __syncthreads(); if (i == steps - 1) break; if (done) t[ty][tx] = u[ty][tx]; __syncthreads(); } if (done) o[y * n + x] = u[ty][tx]; }
// launch wc_srad grid=128,128,1 block=16,16,1 params=[null,null,2048]
K wc_srad(float *c, const float *j, int n) { int x = X, y = Y, i = y * n + x; float v = j[i], a = j[max(y - 1, 0) * n + x] - v, b = j[min(y + 1, n - 1) * n + x] - v, w = j[y * n + max(x - 1, 0)] - v, e = j[y * n + min(x + 1, n - 1)] - v; float g = (a * a + b * b + w * w + e * e) / (v * v + 1e-6f), l = (a + b + w + e) / (v + 1e-6f), num = 0.5f * g - (1.f / 16) * l * l, den = 1 + 0.25f * l, q = num / (den * den); den = (q - 0.05f) / (0.05f * 1.05f); q = 1 / (1 + den); c[i] = q < 0 ? 0 : q > 1 ? 1 : q; }
// launch wc_needleman grid=32,1,1 block=16,1,1 params=[null,null,2049,31] fill=is
K wc_needleman(int *m, const int *ref, int cols, int i) { __shared__ int t[17][17], r[16][16]; int bx = blockIdx.x, by = i - bx, tx = T, at = cols * 16 * by + 16 * bx + tx + cols + 1, w = cols * 16 * by + 16 * bx + cols, nw = cols * 16 * by + 16 * bx; if (!tx) t[0][0] = m[nw]; for (int k = 0; k < 16; k++) r[k][tx] = ref[at + cols * k] & 7; __syncthreads(); t[tx + 1][0] = m[w + cols * tx]; __syncthreads(); t[0][tx + 1] = m[nw + tx + 1]; __syncthreads(); for (int k = 0; k < 16; k++) { if (tx <= k) { int x = tx + 1, y = k - tx + 1; t[y][x] = max(max(t[y - 1][x - 1] + r[y - 1][x - 1], t[y][x - 1] - 10), t[y - 1][x] - 10); } __syncthreads(); } for (int k = 14; k >= 0; k--) { if (tx <= k) { int x = tx + 16 - k, y = 16 - tx; t[y][x] = max(max(t[y - 1][x - 1] + r[y - 1][x - 1], t[y][x - 1] - 10), t[y - 1][x] - 10); } __syncthreads(); } for (int k = 0; k < 16; k++) m[at + k * cols] = t[k + 1][tx + 1]; }
// launch wc_conv_rows grid=16,512,1 block=16,4,1 params=[null,null,2048]
K wc_conv_rows(float *o, const float *a, int pitch) { __shared__ float s[4][160]; int bx = (blockIdx.x * 8 - 1) * 16 + T, y = blockIdx.y * 4 + threadIdx.y; a += y * pitch + bx; o += y * pitch + bx;
#pragma unroll
 for (int i = 1; i < 9; i++) s[threadIdx.y][T + i * 16] = a[i * 16]; s[threadIdx.y][T] = bx >= 0 ? a[0] : 0; s[threadIdx.y][T + 144] = bx + 144 < pitch ? a[144] : 0; __syncthreads();
#pragma unroll
 for (int i = 1; i < 9; i++) { float v = 0;
#pragma unroll
 for (int j = -8; j <= 8; j++) v += filter17[8 - j] * s[threadIdx.y][T + i * 16 + j]; o[i * 16] = v; } }
// launch wc_iso3d grid=8,32,1 block=32,8,1 params=[null,null,null,256,256,64]
K wc_iso3d(float *o, const float *a, const float *v, int nx, int ny, int nz) { __shared__ float s[16][40]; int x = X, y = Y, tx = T + 4, ty = threadIdx.y + 4; long stride = (long)nx * ny, at = (long)y * nx + x; float z[9]; for (int k = 0; k < 8; k++) z[k + 1] = a[at + k * stride]; for (int k = 4; k < nz - 4; k++) {
#pragma unroll
 for (int i = 0; i < 8; i++) z[i] = z[i + 1]; z[8] = a[at + (k + 4) * stride]; __syncthreads(); s[ty][tx] = z[4]; if (T < 4) { s[ty][T] = x >= 4 ? a[at + k * stride - 4] : 0; s[ty][tx + 32] = x + 32 < nx ? a[at + k * stride + 32] : 0; } if (threadIdx.y < 4) { s[threadIdx.y][tx] = y >= 4 ? a[at + k * stride - 4 * nx] : 0; s[ty + 8][tx] = y + 8 < ny ? a[at + k * stride + 8 * nx] : 0; } __syncthreads(); float r = z[4] * 0.7f;
#pragma unroll
 for (int i = 1; i <= 4; i++) r += (0.2f / i) * (s[ty][tx - i] + s[ty][tx + i] + s[ty - i][tx] + s[ty + i][tx] + z[4 - i] + z[4 + i]); o[at + k * stride] = 2 * z[4] - o[at + k * stride] + v[at + k * stride] * r; } }
// launch wc_haar grid=2048,1,1 block=256,1,1 params=[null,null]
K wc_haar(float *o, const float *a) { __shared__ float s[512]; int t = T; s[t] = a[blockIdx.x * 512 + t]; s[t + 256] = a[blockIdx.x * 512 + t + 256]; __syncthreads(); for (int n = 256; n >= 1; n >>= 1) { float u = 0, v = 0; if (t < n) { u = s[2 * t]; v = s[2 * t + 1]; } __syncthreads(); if (t < n) { s[t] = (u + v) * 0.70710678f; o[blockIdx.x * 512 + n + t] = (u - v) * 0.70710678f; } __syncthreads(); } if (!t) o[blockIdx.x * 512] = s[0]; }
// launch wc_maxpool3d grid=2,32,64 block=32,4,1 params=[null,null,64,128,128]
K wc_maxpool3d(float *o, const float *a, int w, int h, int d) { int x = X, y = Y, z = blockIdx.z; float m = -1e30f; for (int k = 0; k < 2; k++) for (int j = 0; j < 2; j++) for (int i = 0; i < 2; i++) m = fmaxf(m, a[((z * 2 + k) * 256 + y * 2 + j) * 128 + x * 2 + i]); o[(z * h + y) * w + x] = m; }
// launch wc_iir_columns grid=16,1,1 block=64,1,1 params=[null,null,1024,1024]
K wc_iir_columns(float *o, const float *a, int w, int h) { int x = X; float p = a[x], q = p, y1 = p, y2 = p; for (int y = 0; y < h; y++) { float c = a[y * w + x], v = 0.3f * c + 0.2f * p + 0.6f * y1 - 0.1f * y2; p = c; y2 = y1; y1 = v; o[y * w + x] = v; } for (int y = h - 1; y >= 0; y--) { float c = a[y * w + x], v = 0.25f * q + 0.15f * p + 0.7f * y1 - 0.1f * y2; p = q; q = c; y2 = y1; y1 = v; o[y * w + x] += v; } }

// ---- sums over all of something
// launch wc_coulomb grid=32,64,1 block=16,8,1 params=[null,1024,512]
K wc_coulomb(float *o, int n, int w) { float x = X * 0.1f, y = Y * 0.1f, e = 0; for (int i = 0; i < n; i++) { float4 a = atoms[i]; float dx = x - a.x, dy = y - a.y; e += a.w * rsqrtf(dx * dx + dy * dy + a.z); } o[Y * w + X] += e; }
// launch wc_mri_q grid=256,1,1 block=256,1,1 params=[null,null,null,null,null,512]
K wc_mri_q(float *qr, float *qi, const float *x, const float *y, const float *z, int n) { int i = X; float a = x[i], b = y[i], c = z[i], r = qr[i], s = qi[i]; for (int k = 0; k < n; k++) { float4 v = kspace[k]; float e = 6.2831853f * (v.x * a + v.y * b + v.z * c); r += v.w * __cosf(e); s += v.w * __sinf(e); } qr[i] = r; qi[i] = s; }
// launch wc_hausdorff grid=64,1,1 block=256,1,1 params=[null,null,null,4096]
K wc_hausdorff(float *o, const float2 *a, const float2 *b, int n) { float2 p = a[X]; float m = 1e30f; for (int i = 0; i < n; i++) { float2 q = b[i]; float dx = p.x - q.x, dy = p.y - q.y; m = fminf(m, dx * dx + dy * dy); } o[X] = m; }
// launch wc_lomb grid=128,1,1 block=128,1,1 params=[null,null,null,512]
K wc_lomb(float *o, const float *x, const float *y, int n) { float f = X * 0.01f, xc = 0, xs = 0, cc = 0, ss = 0, cs = 0, s, c; for (int i = 0; i < n; i++) { sincosf(f * x[i], &s, &c); xc += y[i] * c; xs += y[i] * s; cc += c * c; ss += s * s; cs += c * s; } float tau = atan2f(2 * cs, cc - ss) / (2 * f + 1e-3f); sincosf(f * tau, &s, &c); o[X] = 0.5f * ((c * xc + s * xs) * (c * xc + s * xs) / (c * c * cc + 2 * c * s * cs + s * s * ss + 1e-6f)); }
// launch wc_backprop grid=1,4096,1 block=16,16,1 params=[null,null,null,16]
K wc_backprop(float *o, const float *in, float *w, int hid) { __shared__ float node[16], m[16][16]; int by = blockIdx.y, tx = T, ty = threadIdx.y, at = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1), i = 16 * by + ty + 1; if (!tx) node[ty] = in[i]; __syncthreads(); m[ty][tx] = w[at]; __syncthreads(); m[ty][tx] *= node[ty]; __syncthreads(); for (int k = 1; k <= 4; k++) { int p = 1 << k; if (ty % p == 0) m[ty][tx] += m[ty + p / 2][tx]; __syncthreads(); } w[at] = m[ty][tx]; __syncthreads(); if (!tx) o[by * hid + ty] = m[tx][ty]; }
// launch wc_scalar_prod grid=256,1,1 block=256,1,1 params=[null,null,null,256,4096]
K wc_scalar_prod(float *o, const float *a, const float *b, int vectors, int n) { __shared__ float acc[1024]; for (int v = blockIdx.x; v < vectors; v += gridDim.x) { int lo = n * v, hi = lo + n; for (int i = T; i < 1024; i += blockDim.x) { float s = 0; for (int p = lo + i; p < hi; p += 1024) s += a[p] * b[p]; acc[i] = s; } for (int d = 512; d; d >>= 1) { __syncthreads(); for (int i = T; i < d; i += blockDim.x) acc[i] += acc[d + i]; } __syncthreads(); if (!T) o[v] = acc[0]; } }
// launch wc_cg_reduce grid=1056,1,1 block=256,1,1 params=[null,null,4194304] fill=zs
K wc_cg_reduce(int *o, const int *a, int n) { auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int s = 0; for (int i = X; i < n; i += gridDim.x * blockDim.x) s += a[i]; s = cg::reduce(tile, s, cg::plus<int>()); if (!tile.thread_rank()) atomicAdd(o, s); }
// launch wc_volatile_tree grid=4096,1,1 block=128,1,1 params=[null,null]
K wc_volatile_tree(float *o, const float *a) { __shared__ volatile float s[128]; int t = T; long i = (long)blockIdx.x * 1024 + t; s[t] = a[i] + a[i + 128] + a[i + 256] + a[i + 384] + a[i + 512] + a[i + 640] + a[i + 768] + a[i + 896]; __syncthreads(); if (t < 64) s[t] += s[t + 64]; __syncthreads(); if (t < 32) { s[t] += s[t + 32]; __syncwarp(); s[t] += s[t + 16]; __syncwarp(); s[t] += s[t + 8]; __syncwarp(); s[t] += s[t + 4]; __syncwarp(); s[t] += s[t + 2]; __syncwarp(); s[t] += s[t + 1]; } if (!t) o[blockIdx.x] = s[0]; }

// ---- arithmetic
// launch wc_binomial grid=512,1,1 block=128,1,1 params=[null,null,512]
K wc_binomial(float *o, const float *s0, int n) { __shared__ float c[513]; float s = s0[blockIdx.x] * 50 + 1; for (int i = T; i <= n; i += 128) c[i] = fmaxf(s * __expf(0.02f * (2 * i - n)) - 40, 0); for (int k = n; k > 0; k--) { __syncthreads(); float v[5]; int q = 0; for (int i = T; i < k; i += 128) v[q++] = 0.51f * c[i + 1] + 0.48f * c[i]; __syncthreads(); q = 0; for (int i = T; i < k; i += 128) c[i] = v[q++]; } if (!T) o[blockIdx.x] = c[0]; }
// launch wc_walsh grid=1024,1,1 block=256,1,1 params=[null,null]
K wc_walsh(float *o, const float *a) { __shared__ float s[2048]; for (int i = T; i < 2048; i += 256) s[i] = a[blockIdx.x * 2048 + i]; int d = 512; for (; d > 0; d >>= 2) { __syncthreads();
#pragma unroll
 for (int q = T; q < 512; q += 256) { int lo = q & (d - 1), i0 = ((q - lo) << 2) + lo, i1 = i0 + d, i2 = i1 + d, i3 = i2 + d; float x0 = s[i0], x1 = s[i1], x2 = s[i2], x3 = s[i3], t = x0; x0 += x2; x2 = t - x2; t = x1; x1 += x3; x3 = t - x3; s[i0] = x0 + x1; s[i1] = x0 - x1; s[i2] = x2 + x3; s[i3] = x2 - x3; } } __syncthreads(); for (int i = T; i < 2048; i += 256) o[blockIdx.x * 2048 + i] = s[i]; }
// launch wc_murmur grid=2048,1,1 block=256,1,1 params=[null,null] fill=zi
K wc_murmur(unsigned long long *o, const uint4 *a) { unsigned long long h = 42; for (int i = 0; i < 4; i++) { uint4 v = a[X * 4 + i]; unsigned long long k = v.x | (unsigned long long)v.y << 32, l = v.z | (unsigned long long)v.w << 32; k *= 0x87c37b91114253d5ull; k = k << 31 | k >> 33; k *= 0x4cf5ad432745937full; h ^= k; h = h << 27 | h >> 37; h = h * 5 + 0x52dce729; l *= 0x4cf5ad432745937full; l = l << 33 | l >> 31; h += l; } h ^= h >> 33; h *= 0xff51afd7ed558ccdull; h ^= h >> 33; o[X] = h; }
// launch wc_su3 grid=512,1,1 block=128,1,1 params=[null,null,null]
K wc_su3(float2 *o, const float2 *a, const float2 *b) { long i = X;
#pragma unroll
 for (int r = 0; r < 3; r++)
#pragma unroll
 for (int c = 0; c < 3; c++) { float x = 0, y = 0;
#pragma unroll
 for (int k = 0; k < 3; k++) { float2 u = a[i * 9 + r * 3 + k], v = b[k * 3 + c]; x += u.x * v.x - u.y * v.y; y += u.x * v.y + u.y * v.x; } o[i * 9 + r * 3 + c] = make_float2(x, y); } }
// launch wc_bezier grid=16,128,1 block=64,2,1 params=[null,null,1024]
K wc_bezier(float *o, const float *ctl, int w) { float u = X / 1024.f, v = Y / 256.f, s = 0; for (int i = 0; i <= 3; i++) { float bi = 1; int n = 3, k = i, d = 3 - i; while (n >= 1) { bi *= n; n--; if (k > 1) { bi /= k; k--; } if (d > 1) { bi /= d; d--; } } if (i > 0) bi *= powf(u, i); if (3 - i > 0) bi *= powf(1 - u, 3 - i); for (int j = 0; j <= 3; j++) s += bi * powf(v, j) * ctl[i * 4 + j]; } o[Y * w + X] = s; }
// launch wc_sobol grid=32,16,1 block=128,1,1 params=[null,null,65536] fill=zi
K wc_sobol(float *o, const unsigned *dirs, int n) { __shared__ unsigned v[32]; if (T < 32) v[T] = dirs[blockIdx.y * 32 + T]; __syncthreads(); o += (long)blockIdx.y * n; int i0 = X, stride = gridDim.x * blockDim.x; unsigned g = i0 ^ (i0 >> 1), x = 0; for (int k = 0; k < 12; k++) { x ^= -(g & 1) & v[k]; g >>= 1; } o[i0] = x * 2.3283064e-10f; unsigned v1 = v[11], v2 = v[10]; for (int i = i0 + stride; i < n; i += stride) { x ^= v1 ^ v[__ffs(~((i - stride) | (stride - 1))) & 31] ^ v2; o[i] = x * 2.3283064e-10f; } }
// launch wc_queens grid=132,1,1 block=128,1,1 params=[null,8]
K wc_queens(int *o, int n) { int count = 0, full = (1 << n) - 1; unsigned cols[10], left[10], right[10], free_[10]; int row = 0; unsigned first = 1u << (X % n); cols[0] = first; left[0] = first << 1; right[0] = first >> 1; free_[0] = full & ~(first | first << 1 | first >> 1); while (row >= 0) { if (!free_[row]) { row--; continue; } unsigned bit = free_[row] & -free_[row]; free_[row] ^= bit; if (row == n - 2) { count++; continue; } cols[row + 1] = cols[row] | bit; left[row + 1] = (left[row] | bit) << 1; right[row + 1] = (right[row] | bit) >> 1; free_[row + 1] = full & ~(cols[row + 1] | left[row + 1] | right[row + 1]); row++; } o[X] = count; }
// launch wc_mersenne_state grid=64,1,1 block=128,1,1 params=[null,null,64] fill=zi
K wc_mersenne_state(unsigned *o, const unsigned *seed, int n) { unsigned mt[19], s = seed[X]; for (int i = 0; i < 19; i++) mt[i] = s = 1812433253u * (s ^ (s >> 30)) + i; int i = 0; unsigned a = mt[0]; for (int k = 0; k < n; k++) { int i1 = i + 1 >= 19 ? 0 : i + 1, m = i + 9 >= 19 ? i - 10 : i + 9; unsigned b = mt[i1], x = (a & 0x80000000) | (b & 0x7fffffff); x = mt[m] ^ (x >> 1) ^ ((x & 1) ? 0x9908b0df : 0); mt[i] = x; a = b; i = i1; x ^= x >> 11; x ^= (x << 7) & 0x9d2c5680; x ^= x >> 18; o[k * 8192 + X] = x; } }
// launch wc_gamma grid=8192,1,1 block=256,1,1 params=[null,null]
K wc_gamma(uchar4 *o, const uchar4 *a) { uchar4 v = a[X]; o[X] = make_uchar4(__powf(v.x / 255.f, 0.45f) * 255, __powf(v.y / 255.f, 0.45f) * 255, __powf(v.z / 255.f, 0.45f) * 255, v.w); }
// launch wc_entropy grid=64,64,1 block=16,16,1 params=[null,null,1024] fill=zs
K wc_entropy(float *o, const unsigned char *a, int w) { unsigned char c[16]; int x = X, y = Y; for (int i = 0; i < 16; i++) c[i] = 0; for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) c[a[((y + j) & 1023) * w + ((x + i) & 1023)] & 15]++; float e = 0; for (int i = 0; i < 16; i++) if (c[i]) { float p = c[i] * 0.04f; e -= p * __log2f(p); } o[y * w + x] = e; }
// launch wc_half2_axpy grid=4096,1,1 block=256,1,1 params=[null,null,null] fill=hhh
K wc_half2_axpy(__half2 *o, const __half2 *a, const __half2 *b) { int i = X; __half2 v = a[i], w = b[i]; o[i] = __hfma2(v, w, __hmul2(v, __float2half2_rn(0.5f))); }

// ---- data lead the way
// launch wc_xs_lookup grid=256,1,1 block=256,1,1 params=[null,null,null,8192]
K wc_xs_lookup(float *o, const float *grid, const float4 *xs, int n) { unsigned s = X * 2654435761u + 1; float sum = 0; for (int r = 0; r < 4; r++) { s = s * 1664525 + 1013904223; float e = (s >> 8) * 5.96e-8f; int lo = 0, hi = n - 1; while (hi - lo > 1) { int m = (lo + hi) / 2; if (grid[m] > e) hi = m; else lo = m; } for (int k = 0; k < 4; k++) { float4 v = xs[lo * 4 + k]; sum += v.x * e + v.y + v.z * v.w; } } o[X] = sum; }
// launch wc_jaccard grid=512,1,1 block=32,8,1 params=[null,null,null,4096] fill=zii
K wc_jaccard(float *o, const int *ptr, const int *idx, int n) { int r = blockIdx.x * 8 + threadIdx.y; int b = (ptr[r] & 1023) * 64, len = 64, c = 0; for (int j = T; j < len; j += 32) { int col = idx[b + j] & 4095, lo = 0, hi = 63, key = idx[b + ((j * 7) & 63)]; int base = (ptr[col] & 1023) * 64; while (lo <= hi) { int m = (lo + hi) / 2, v = idx[base + m]; if (v == key) { c++; break; } if (v < key) lo = m + 1; else hi = m - 1; } } for (int d = 16; d; d >>= 1) c += __shfl_down_sync(~0u, c, d); if (!T) o[r] = c; }
// launch wc_ell_half_warp grid=4096,1,1 block=256,1,1 params=[null,null,null,null] fill=fsff
K wc_ell_half_warp(float *y, const int *col, const float *val, const float *x) { int g = X / 16, l = X & 15; float s = 0; for (int k = 0; k < 4; k++) s += val[g * 64 + k * 16 + l] * x[col[g * 64 + k * 16 + l]]; for (int d = 8; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d, 16); if (!l) y[g] = s; }
// launch wc_rows_of_8 grid=8192,1,1 block=256,1,1 params=[null,null,null] fill=zsf
K wc_rows_of_8(float *o, const int *idx, const float *a) { int i = X; o[i] = a[(long)idx[i / 8] * 8 + (i & 7)]; }
// launch wc_bucket grid=2048,1,1 block=256,1,1 params=[null,null,null] fill=zzs
K wc_bucket(int *o, int *next, const int *a) { int v = a[X], b = v & 1023, at = atomicAdd(&next[b], 1); o[b * 1024 + (at & 1023)] = v; }
// launch wc_triangle_area grid=1024,1,1 block=256,1,1 params=[null,null,null] fill=zsf
K wc_triangle_area(float *o, const int *tri, const float *v) { int t = X; int a = tri[t * 3], b = tri[t * 3 + 1], c = tri[t * 3 + 2]; float ax = v[a * 3], ay = v[a * 3 + 1], az = v[a * 3 + 2], bx = v[b * 3] - ax, by = v[b * 3 + 1] - ay, bz = v[b * 3 + 2] - az, cx = v[c * 3] - ax, cy = v[c * 3 + 1] - ay, cz = v[c * 3 + 2] - az, x = by * cz - bz * cy, y = bz * cx - bx * cz, z = bx * cy - by * cx; o[t] = 0.5f * sqrtf(x * x + y * y + z * z); }
