// Kinds of kernels that were not measured before, first half: the model was improved on these. One line a kernel; each `// launch` is one launch of it.
#include <cuda_fp16.h>
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x

// ---- data lead the way
// launch la_csr_warp grid=1024,1,1 block=256,1,1 params=[null,null,null,null] fill=zsif
K la_csr_warp(float *o, const int *len, const int *col, const float *x) { int row = X / 32, l = T & 31, n = len[row]; float s = 0; for (int k = l; k < n; k += 32) s += x[col[row * 1024 + k]] * 0.5f; for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!l) o[row] = s; }
// launch la_frontier grid=512,1,1 block=256,1,1 params=[null,null,null,null,null] fill=zzisi
K la_frontier(int *out, int *count, const int *front, const int *len, const int *edge) { int v = front[X], n = len[v & 0xfffff] & 15; for (int k = 0; k < n; k++) { int w = edge[(v * 16 + k) & 0xffffff]; if (!(w & 7)) out[atomicAdd(count, 1) & 0xffffff] = w; } }
// launch la_jump grid=2048,1,1 block=256,1,1 params=[null,null] fill=zi
K la_jump(int *o, const int *p) { int v = X, n = 0; for (; n < 32; n++) { int u = p[v]; if (u < 65536) break; v = u; } o[X] = v + n; }
// launch la_hash_insert grid=1024,1,1 block=256,1,1 params=[null,null] fill=zi
K la_hash_insert(unsigned *t, const unsigned *keys) { unsigned k = keys[X] + 1, h = k * 2654435761u >> 11; for (int n = 0; n < 64; n++, h = (h + 1) & 0x1fffff) { unsigned was = atomicCAS(&t[h], 0, k); if (was == 0 || was == k) break; } }
// launch la_pages grid=4096,1,1 block=128,1,1 params=[null,null,null] fill=zsf
K la_pages(float4 *o, const int *page, const float4 *pool) { int t = X, p = page[t >> 7] * 128; o[t] = pool[p + (t & 127)]; }
// launch la_match_bytes grid=2048,1,1 block=256,1,1 params=[null,null,null,24] fill=zii
K la_match_bytes(int *o, const unsigned char *a, const unsigned char *key, int n) { int i = X, k = 0; while (k < n && (a[i + k] & 3) == (key[k] & 3)) k++; o[i] = k; }

// ---- positions lead the way
// launch la_halton grid=2048,1,1 block=256,1,1 params=[null]
K la_halton(float *o) { int i = X, j = X; float f = 0.5f, r = 0, g = 1 / 3.f, q = 0; for (; i; i >>= 1, f *= 0.5f) r += f * (i & 1); for (; j; j /= 3, g /= 3) q += g * (j % 3); o[X] = r + q; }
// launch la_raymarch grid=64,128,1 block=32,8,1 params=[null,2048,1024,96]
K la_raymarch(float *o, int w, int h, int n) { int x = X, y = Y; float dx = (x - w * 0.5f) / h, dy = (y - h * 0.5f) / h, s = rsqrtf(dx * dx + dy * dy + 1), z = -3, px = 0, py = 0, t = 0; dx *= s; dy *= s; for (int i = 0; i < n; i++) { float qx = px - rintf(px), qz = z - rintf(z), d = fminf(sqrtf(qx * qx + py * py + qz * qz) - 0.25f, py + 1); if (d < 1e-3f || t > 20) break; px += dx * d; py += dy * d; z += s * d; t += d; } o[y * w + x] = t; }
// launch la_causal_rows grid=1024,1,1 block=128,1,1 params=[null,null,1024]
K la_causal_rows(float *o, const float *a, int n) { __shared__ float w[4]; int r = blockIdx.x; float s = 0; a += (long)r * n; for (int i = T; i <= r; i += 128) s += __expf(a[i]); for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (!(T & 31)) w[T / 32] = s; __syncthreads(); s = 1 / (w[0] + w[1] + w[2] + w[3]); for (int i = T; i < n; i += 128) o[(long)r * n + i] = i <= r ? __expf(a[i]) * s : 0; }
// launch la_walk grid=1056,1,1 block=128,1,1 params=[null,400]
K la_walk(int *o, int most) { unsigned s = X * 747796405u + 2891336453u; int at = 0, n = 0; while (n < most && at > -12 && at < 12) { s = s * 1664525u + 1013904223u; at += s >> 31 ? 1 : -1; n++; } o[X] = n; }

// ---- waiting for others
// launch la_lookback grid=1024,1,1 block=256,1,1 params=[null,null,null] fill=zzs
K la_lookback(volatile int *flag, int *o, const int *a) { __shared__ int w[8], before; int v = a[X], l = T & 31; for (int d = 1; d < 32; d *= 2) { int u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; } if (l == 31) w[T / 32] = v; __syncthreads(); int b = 0; for (int i = 0; i < T / 32; i++) b += w[i]; if (T == 255) { int p = 0; if (blockIdx.x) { while (!(p = flag[blockIdx.x - 1])); p--; } flag[blockIdx.x] = p + b + v + 1; before = p; } __syncthreads(); o[X] = before + b + v; }
// launch la_jacobi_grid grid=264,1,1 block=256,1,1 params=[null,null,null,12] fill=zff
K la_jacobi_grid(unsigned *at, float *a, float *b, int n) { int i = X + 1; for (int r = 1; r <= n; r++) { b[i] = 0.5f * a[i] + 0.25f * (__ldcg(&a[i - 1]) + __ldcg(&a[i + 1])); __threadfence(); __syncthreads(); if (T == 0) { atomicAdd(at, 1u); while (atomicAdd(at, 0u) < r * gridDim.x); } __syncthreads(); float *c = a; a = b; b = c; } }

// ---- tables
__constant__ float lut[8192];
__constant__ float centres[64 * 4];
__constant__ unsigned char perm[512];
// launch la_const_lut grid=2048,1,1 block=256,1,1 params=[null,null,8] fill=zi
K la_const_lut(float *o, const unsigned *a, int n) { unsigned v = a[X]; float s = 0; for (int i = 0; i < n; i++) { s += lut[v & 8191]; v = v * 5 + 1; } o[X] = s; }
// launch la_kmeans grid=2048,1,1 block=256,1,1 params=[null,null]
K la_kmeans(int *o, const float4 *p) { float4 q = p[X]; float best = 1e30f; int at = 0; for (int c = 0; c < 64; c++) { float x = q.x - centres[4 * c], y = q.y - centres[4 * c + 1], z = q.z - centres[4 * c + 2], u = q.w - centres[4 * c + 3], d = x * x + y * y + z * z + u * u; if (d < best) { best = d; at = c; } } o[X] = at; }
// launch la_noise grid=64,256,1 block=32,8,1 params=[null,2048]
K la_noise(float *o, int w) { int x = X, y = Y; float v = 0, f = 0.02f; for (int k = 0; k < 4; k++, f *= 2) { float p = x * f, q = y * f; int i = (int)p & 255, j = (int)q & 255; p -= (int)p; q -= (int)q; int a = perm[i] + j, b = perm[i + 1] + j; v += (perm[a] * (1 - p) + perm[b] * p) * (1 - q) + (perm[a + 1] * (1 - p) + perm[b + 1] * p) * q; } o[y * w + x] = v; }

// ---- products and chains
// launch la_mma_ldsm grid=8,16,1 block=128,1,1 params=[null,null,null,1024] fill=fhh
// launch la_mma_ldsm grid=16,32,1 block=128,1,1 params=[null,null,null,2048] fill=fhh
K la_mma_ldsm(float *c, const half *a, const half *b, int n) { __shared__ __align__(16) half s[64][40], r[128][40]; int t = T, w = t / 32, l = t & 31; float v[8][2][4] = {}; a += blockIdx.y * 64 * n; b += blockIdx.x * 128 * n; for (int k = 0; k < n; k += 32) {
#pragma unroll
 for (int i = t; i < 256; i += 128) *(uint4 *)&s[i / 4][i % 4 * 8] = *(const uint4 *)&a[i / 4 * n + k + i % 4 * 8];
#pragma unroll
 for (int i = t; i < 512; i += 128) *(uint4 *)&r[i / 4][i % 4 * 8] = *(const uint4 *)&b[i / 4 * n + k + i % 4 * 8]; __syncthreads();
#pragma unroll
 for (int q = 0; q < 32; q += 16) { unsigned f[4]; unsigned p = __cvta_generic_to_shared(&s[w * 16 + (l & 15)][q + l / 16 * 8]); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(p));
#pragma unroll
 for (int j = 0; j < 8; j++) { unsigned g[4]; unsigned u = __cvta_generic_to_shared(&r[j * 16 + (l & 7) + l / 16 * 8][q + (l / 8 & 1) * 8]); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(g[0]), "=r"(g[1]), "=r"(g[2]), "=r"(g[3]) : "r"(u));
#pragma unroll
 for (int h = 0; h < 2; h++) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(v[j][h][0]), "+f"(v[j][h][1]), "+f"(v[j][h][2]), "+f"(v[j][h][3]) : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[2 * h]), "r"(g[2 * h + 1])); } } __syncthreads(); } for (int j = 0; j < 8; j++) for (int h = 0; h < 2; h++) for (int i = 0; i < 4; i++) c[(blockIdx.y * 64 + w * 16 + l / 4 + i / 2 * 8) * n + blockIdx.x * 128 + j * 16 + h * 8 + l % 4 * 2 + i % 2] = v[j][h][i]; }
// launch la_thomas grid=256,1,1 block=128,1,1 params=[null,null,128]
K la_thomas(float *x, const float *d, int n) { int i = X, m = 32768; float c = 0, v = 0; for (int k = 0; k < n; k++) { float q = 1 / (4.f - c); c = q; v = (d[(long)k * m + i] + v) * q; x[(long)k * m + i] = v; } }
// launch la_lu8 grid=512,1,1 block=128,1,1 params=[null,null]
K la_lu8(float *o, const float *a) { float m[8][8]; int i = X;
#pragma unroll
 for (int k = 0; k < 64; k++) m[k / 8][k % 8] = a[(long)k * 65536 + i];
#pragma unroll
 for (int k = 0; k < 8; k++) { float q = 1 / (m[k][k] + 3);
#pragma unroll
 for (int r = k + 1; r < 8; r++) { m[r][k] *= q;
#pragma unroll
 for (int c = k + 1; c < 8; c++) m[r][c] -= m[r][k] * m[k][c]; } }
#pragma unroll
 for (int k = 0; k < 64; k++) o[(long)k * 65536 + i] = m[k / 8][k % 8]; }
// launch la_align grid=132,1,1 block=128,1,1 params=[null,null,null,512] fill=zss
K la_align(int *o, const int *a, const int *b, int n) { __shared__ int s[3][130]; int t = T, best = 0, me = a[blockIdx.x * 128 + t] & 3; for (int k = 0; k < 3; k++) s[k][t] = 0; for (int d = 0; d < n + 128; d++) { __syncthreads(); int j = d - t, *now = s[d % 3], *one = s[(d + 2) % 3], *two = s[(d + 1) % 3]; if (j >= 0 && j < n) { int v = (t ? two[t - 1] : 0) + ((b[j] & 3) == me ? 2 : -1); v = max(max(v, 0), max(one[t], t ? one[t - 1] : 0) - 1); now[t] = v; best = max(best, v); } } o[X] = best; }
// launch la_lbm grid=16,1024,1 block=128,1,1 params=[null,null,2048]
K la_lbm(float *o, const float *f, int w) { int x = X, y = blockIdx.y, n = w * 1024; float v[9], r = 0, u = 0, t = 0; const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
#pragma unroll
 for (int k = 0; k < 9; k++) { v[k] = f[k * n + ((y - cy[k]) & 1023) * w + ((x - cx[k]) & (w - 1))]; r += v[k]; u += cx[k] * v[k]; t += cy[k] * v[k]; } float q = u * u + t * t;
#pragma unroll
 for (int k = 0; k < 9; k++) { float c = cx[k] * u + cy[k] * t; o[k * n + y * w + x] = v[k] * 0.4f + 0.6f * r * (1 + 3 * c + 4.5f * c * c - 1.5f * q) * (k ? k > 4 ? 1 / 36.f : 1 / 9.f : 4 / 9.f); } }
// launch la_tail_heavy grid=800,1,1 block=512,1,1 params=[null,1500]
K la_tail_heavy(float *o, int n) { float v = T, u = blockIdx.x % 7; for (int i = 0; i < n * (1 + blockIdx.x % 5); i++) v = v * 0.999f + u; o[X] = v; }
