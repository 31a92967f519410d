// Kernels of deep learning, databases, images, physics and codes as they stand in code bases.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x
__device__ __forceinline__ float warp_sum(float v) { for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); return v; }

// ---- deep learning
// launch wa_bias_relu grid=16384,1,1 block=256,1,1 params=[null,null,null,1024]
K wa_bias_relu(float *o, const float *a, const float *b, int c) { int i = X; float v = a[i] + b[i % c]; o[i] = v > 0 ? v : 0; }
// launch wa_ln_backward grid=4096,1,1 block=256,1,1 params=[null,null,null,null,1024]
K wa_ln_backward(float *dx, const float *dy, const float *x, const float *g, int c) { __shared__ float s[2][8]; long r = (long)blockIdx.x * c; float m = 0, v = 0, xs[4], ds[4]; for (int k = 0; k < 4; k++) { int i = T + k * 256; xs[k] = x[r + i]; ds[k] = dy[r + i] * g[i]; m += ds[k]; v += ds[k] * xs[k]; } m = warp_sum(m); v = warp_sum(v); if (!(T & 31)) { s[0][T / 32] = m; s[1][T / 32] = v; } __syncthreads(); m = v = 0; for (int i = 0; i < 8; i++) { m += s[0][i]; v += s[1][i]; } m /= c; v /= c; for (int k = 0; k < 4; k++) dx[r + T + k * 256] = ds[k] - m - xs[k] * v; }
// launch wa_group_norm grid=512,1,1 block=512,1,1 params=[null,null,16384]
K wa_group_norm(__half *o, const __half *a, int n) { __shared__ float s[2][16]; const __half2 *p = (const __half2 *)(a + (long)blockIdx.x * n); float m = 0, q = 0; for (int i = T; i < n / 2; i += 512) { float2 v = __half22float2(p[i]); m += v.x + v.y; q += v.x * v.x + v.y * v.y; } m = warp_sum(m); q = warp_sum(q); if (!(T & 31)) { s[0][T / 32] = m; s[1][T / 32] = q; } __syncthreads(); m = q = 0; for (int i = 0; i < 16; i++) { m += s[0][i]; q += s[1][i]; } m /= n; q = rsqrtf(q / n - m * m + 1e-5f); __half2 *w = (__half2 *)(o + (long)blockIdx.x * n); for (int i = T; i < n / 2; i += 512) { float2 v = __half22float2(p[i]); w[i] = __floats2half2_rn((v.x - m) * q, (v.y - m) * q); } }
// launch wa_embed_backward grid=8192,1,1 block=128,1,1 params=[null,null,null,128] fill=zfi
K wa_embed_backward(float *o, const float *g, const int *at, int d) { long t = blockIdx.x; atomicAdd(&o[(long)(at[t] & 65535) * d + T], g[t * d + T]); }
// launch wa_upsample grid=32,256,16 block=32,4,1 params=[null,null,1024,512]
K wa_upsample(float *o, const float *a, int w, int ws) { int x = X, y = Y, c = blockIdx.z; o[((long)c * 1024 + y) * w + x] = a[((long)c * 512 + y / 2) * ws + x / 2]; }
// launch wa_bicubic grid=32,128,1 block=32,8,1 params=[null,null,1024,0.73]
K wa_bicubic(float *o, const float *a, int w, float s) { int x = X, y = Y; float fx = x * s, fy = y * s; int ix = fx, iy = fy; fx -= ix; fy -= iy; float r = 0; for (int j = 0; j < 4; j++) { float q = 0; for (int i = 0; i < 4; i++) { float t = fabsf(i - 1 - fx); float k = t < 1 ? 1 - 2.25f * t * t + 1.25f * t * t * t : 3 - 6 * t + 3.75f * t * t - .75f * t * t * t; q += k * a[(iy + j) * w + ix + i]; } float t = fabsf(j - 1 - fy); r += q * (t < 1 ? 1 - 2.25f * t * t + 1.25f * t * t * t : 3 - 6 * t + 3.75f * t * t - .75f * t * t * t); } o[y * w + x] = r; }
// launch wa_permute4 grid=16384,1,1 block=256,1,1 params=[null,null,64,32,64]
K wa_permute4(float *o, const float *a, int b, int c, int d) { int i = X; int w = i % d, t = i / d, y = t % c; t /= c; int z = t % b, n = t / b; o[i] = a[((n * d + w) * c + y) * b + z]; }
// launch wa_broadcast_add grid=64,4096,1 block=256,1,1 params=[null,null,null,16384]
K wa_broadcast_add(float *o, const float *row, const float *col, int w) { int x = X, y = blockIdx.y; if (x < w / 4) o[y * (w / 4) + x] = row[x] + col[y]; }
// launch wa_cumsum_columns grid=64,1,1 block=128,1,1 params=[null,null,8192,1024]
K wa_cumsum_columns(float *o, const float *a, int w, int h) { int x = X; float s = 0; for (int y = 0; y < h; y++) { s += a[y * w + x]; o[y * w + x] = s; } }
// launch wa_dropout grid=4096,1,1 block=256,1,1 params=[null,null,12345]
K wa_dropout(float4 *o, const float4 *a, unsigned seed) { unsigned i = X, k0 = seed, k1 = 0xbb67ae85u, c0 = i, c1 = 0, c2 = 7, c3 = 0; for (int r = 0; r < 10; r++) { unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2; c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0; k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; } float4 v = a[i]; v.x = c0 > 429496729u ? v.x * 1.11f : 0; v.y = c1 > 429496729u ? v.y * 1.11f : 0; v.z = c2 > 429496729u ? v.z * 1.11f : 0; v.w = c3 > 429496729u ? v.w * 1.11f : 0; o[i] = v; }
// launch wa_paged_decode grid=32,64,1 block=128,1,1 params=[null,null,null,null,1024] fill=zhhs
K wa_paged_decode(float *o, const __half *kv, const __half *q, const int *pages, int len) { __shared__ float p[1024]; __shared__ float red[4]; int head = blockIdx.x, seq = blockIdx.y, w = T / 32, l = T & 31; const __half2 *qh = (const __half2 *)(q + (seq * 32 + head) * 128); float2 q0 = __half22float2(qh[l]), q1 = __half22float2(qh[l + 32]); float m = -1e9f; for (int t = w; t < len; t += 4) { int page = pages[seq * 64 + t / 16] & 1023; const __half2 *k = (const __half2 *)(kv + ((long)(page * 16 + t % 16) * 8 + head / 4) * 128); float2 a = __half22float2(k[l]), b = __half22float2(k[l + 32]); float s = warp_sum(a.x * q0.x + a.y * q0.y + b.x * q1.x + b.y * q1.y); if (!l) p[t] = s; m = fmaxf(m, s); } if (!l) red[w] = m; __syncthreads(); m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3])); float z = 0; for (int t = 0; t < len; t++) { float e = __expf(p[t] - m); z += e; int page = pages[seq * 64 + t / 16] & 1023; z += e * __half2float(kv[((long)(page * 16 + t % 16) * 8 + head / 4) * 128 + T]); } o[(seq * 32 + head) * 128 + T] = z; }
// launch wa_int4_gemv grid=1024,1,1 block=128,1,1 params=[null,null,null,null,4096]
K wa_int4_gemv(float *o, const uint4 *w, const float *x, const float *scale, int n) { int row = X / 32, l = T & 31; float s = 0; for (int i = l; i < n / 32; i += 32) { uint4 q = w[(long)row * (n / 32) + i]; unsigned u[4] = {q.x, q.y, q.z, q.w}; float sc = scale[row * (n / 32) + i]; float t = 0; for (int k = 0; k < 4; k++) for (int b = 0; b < 8; b++) t += ((int)(u[k] >> 4 * b & 15) - 8) * x[i * 32 + k * 8 + b]; s += t * sc; } s = warp_sum(s); if (!l) o[row] = s; }
// launch wa_softmax_big grid=512,1,1 block=1024,1,1 params=[null,null,32000]
K wa_softmax_big(float *o, const float *a, int n) { __shared__ float s[32]; const float *p = a + (long)blockIdx.x * n; float m = -1e9f, z = 0; for (int i = T; i < n; i += 1024) { float v = p[i], k = fmaxf(m, v); z = z * __expf(m - k) + __expf(v - k); m = k; } float k = m; for (int d = 16; d; d >>= 1) k = fmaxf(k, __shfl_xor_sync(~0u, k, d)); if (!(T & 31)) s[T / 32] = k; __syncthreads(); k = s[T & 31]; for (int d = 16; d; d >>= 1) k = fmaxf(k, __shfl_xor_sync(~0u, k, d)); z = warp_sum(z * __expf(m - k)); __syncthreads(); if (!(T & 31)) s[T / 32] = z; __syncthreads(); z = 1 / warp_sum(s[T & 31]); for (int i = T; i < n; i += 1024) o[(long)blockIdx.x * n + i] = __expf(p[i] - k) * z; }
// launch wa_flash grid=64,16,1 block=128,1,1 params=[null,null,null,null,1024]
K wa_flash(float *o, const float *q, const float *k, const float *v, int n) { __shared__ float ks[32][64], vs[32][64]; int row = blockIdx.y * 64 * 0 + (blockIdx.y * 64 + T / 2); long base = (long)blockIdx.x * n * 64; float qr[32], acc[32], m = -1e9f, z = 0; int h = (T & 1) * 32; for (int i = 0; i < 32; i++) { qr[i] = q[base + row * 64 + h + i]; acc[i] = 0; } for (int t = 0; t < n; t += 32) { for (int i = T; i < 2048; i += 128) { ks[i / 64][i % 64] = k[base + t * 64 + i]; vs[i / 64][i % 64] = v[base + t * 64 + i]; } __syncthreads(); for (int j = 0; j < 32; j++) { float s = 0; for (int i = 0; i < 32; i++) s += qr[i] * ks[j][h + i]; s += __shfl_xor_sync(~0u, s, 1); float k2 = fmaxf(m, s), c = __expf(m - k2), e = __expf(s - k2); z = z * c + e; m = k2; for (int i = 0; i < 32; i++) acc[i] = acc[i] * c + e * vs[j][h + i]; } __syncthreads(); } for (int i = 0; i < 32; i++) o[base + row * 64 + h + i] = acc[i] / z; }
// launch wa_conv_transpose grid=16,128,32 block=64,2,1 params=[null,null,null,32]
K wa_conv_transpose(float *o, const float *a, const float *w, int ci) { int x = X, y = Y, c = blockIdx.z; float s = 0; for (int k = 0; k < ci; k++) for (int j = y & 1; j < 4; j += 2) for (int i = x & 1; i < 4; i += 2) s += a[(k * 130 + (y + j) / 2) * 520 + (x + i) / 2] * w[((c * ci + k) * 4 + j) * 4 + i]; o[((long)c * 256 + y) * 1024 + x] = s; }
// launch wa_sgd_momentum grid=8192,1,1 block=256,1,1 params=[null,null,null,0.9,0.01]
K wa_sgd_momentum(float *p, float *m, const float *g, float mu, float lr) { int i = X; float v = mu * m[i] + g[i]; m[i] = v; p[i] -= lr * v; }
// launch wa_norm_sq grid=1056,1,1 block=512,1,1 params=[null,null,16777216] fill=zf
K wa_norm_sq(float *o, const float4 *a, int n) { __shared__ float s[16]; float t = 0; for (int i = X; i < n / 4; i += gridDim.x * blockDim.x) { float4 v = a[i]; t += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; } t = warp_sum(t); if (!(T & 31)) s[T / 32] = t; __syncthreads(); if (T < 32) { t = warp_sum(T < 16 ? s[T] : 0); if (!T) atomicAdd(o, t); } }
// launch wa_mask_where grid=16384,1,1 block=256,1,1 params=[null,null,null,null] fill=zffs
K wa_mask_where(float *o, const float *a, const float *b, const unsigned char *m) { int i = X; o[i] = m[i] & 1 ? a[i] : b[i]; }
// launch wa_index_select grid=65536,1,1 block=64,1,1 params=[null,null,null] fill=zfi
K wa_index_select(float *o, const float *a, const int *at) { long r = blockIdx.x; o[r * 64 + T] = a[(long)(at[r] & 0x7ffff) * 64 + T]; }
// launch wa_avg_pool_global grid=2048,1,1 block=64,1,1 params=[null,null,3136]
K wa_avg_pool_global(float *o, const float *a, int n) { float s = 0; for (int i = T; i < n; i += 64) s += a[(long)blockIdx.x * n + i]; __shared__ float w[2]; s = warp_sum(s); if (!(T & 31)) w[T / 32] = s; __syncthreads(); if (!T) o[blockIdx.x] = (w[0] + w[1]) / n; }
// launch wa_bn_stats grid=256,1,1 block=512,1,1 params=[null,null,64,3136]
K wa_bn_stats(float2 *o, const float *a, int n, int hw) { __shared__ float s[2][16]; float m = 0, q = 0; for (int b = 0; b < n; b++) for (int i = T; i < hw; i += 512) { float v = a[((long)(b & 31) * 256 + blockIdx.x) * hw + i]; m += v; q += v * v; } m = warp_sum(m); q = warp_sum(q); if (!(T & 31)) { s[0][T / 32] = m; s[1][T / 32] = q; } __syncthreads(); if (!T) { m = q = 0; for (int i = 0; i < 16; i++) { m += s[0][i]; q += s[1][i]; } o[blockIdx.x] = make_float2(m, q); } }

// ---- dense algebra
// launch wa_gemm_async grid=16,16,1 block=256,1,1 params=[null,null,null,1024]
K wa_gemm_async(float *c, const float *a, const float *b, int n) { __shared__ float as[2][16][64], bs[2][16][64]; int tx = T & 15, ty = T / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64; float acc[4][4] = {}; int kr = T / 16, kc = T % 16 * 4; __pipeline_memcpy_async(&as[0][kr][kc], &a[kr * n + r0 + kc], 16); __pipeline_memcpy_async(&bs[0][kr][kc], &b[kr * n + c0 + kc], 16); __pipeline_commit(); for (int k = 0; k < n / 16; k++) { int p = k & 1; if (k + 1 < n / 16) { __pipeline_memcpy_async(&as[p ^ 1][kr][kc], &a[((k + 1) * 16 + kr) * n + r0 + kc], 16); __pipeline_memcpy_async(&bs[p ^ 1][kr][kc], &b[((k + 1) * 16 + kr) * n + c0 + kc], 16); } __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); for (int q = 0; q < 16; q++) { float4 x = *(float4 *)&as[p][q][ty * 4], y = *(float4 *)&bs[p][q][tx * 4]; float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w}; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) acc[i][j] += xs[i] * ys[j]; } __syncthreads(); } for (int i = 0; i < 4; i++) *(float4 *)&c[(r0 + ty * 4 + i) * n + c0 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]); }
// launch wa_gemm_f64_tile grid=32,32,1 block=16,16,1 params=[null,null,null,512] fill=zdd
K wa_gemm_f64_tile(double *c, const double *a, const double *b, int n) { __shared__ double as[16][17], bs[16][17]; int x = T, y = threadIdx.y, r = blockIdx.y * 16 + y, q = blockIdx.x * 16 + x; double s = 0; for (int k = 0; k < n; k += 16) { as[y][x] = a[r * n + k + x]; bs[y][x] = b[(k + y) * n + q]; __syncthreads(); for (int i = 0; i < 16; i++) s += as[y][i] * bs[i][x]; __syncthreads(); } c[r * n + q] = s; }
// launch wa_batched4 grid=8192,1,1 block=128,1,1 params=[null,null,null]
K wa_batched4(float4 *c, const float4 *a, const float4 *b) { long i = (long)X; float4 y[4]; for (int k = 0; k < 4; k++) y[k] = b[i / 4 * 4 + k]; float4 x = a[i]; c[i] = make_float4(x.x * y[0].x + x.y * y[1].x + x.z * y[2].x + x.w * y[3].x, x.x * y[0].y + x.y * y[1].y + x.z * y[2].y + x.w * y[3].y, x.x * y[0].z + x.y * y[1].z + x.z * y[2].z + x.w * y[3].z, x.x * y[0].w + x.y * y[1].w + x.z * y[2].w + x.w * y[3].w); }
// launch wa_gemv_col grid=64,16,1 block=64,1,1 params=[null,null,null,4096] fill=zff
K wa_gemv_col(float *o, const float *a, const float *x, int n) { int c = X; float s = 0; for (int r = blockIdx.y * 256; r < blockIdx.y * 256 + 256; r++) s += a[(long)r * n + c] * x[r]; atomicAdd(&o[c], s); }
// launch wa_gauss_jordan grid=4096,1,1 block=32,1,1 params=[null,null]
K wa_gauss_jordan(float *o, const float *a) { __shared__ float s[16][33]; int l = T; for (int r = 0; r < 16; r++) s[r][l] = l < 16 ? a[(blockIdx.x * 16 + r) * 16 + l] + (r == l ? 9.f : 0.f) : (l - 16 == r); __syncwarp(); for (int p = 0; p < 16; p++) { float d = 1 / s[p][p]; __syncwarp(); s[p][l] *= d; __syncwarp(); for (int r = 0; r < 16; r++) { float f = s[r][p]; __syncwarp(); if (r != p) s[r][l] -= f * s[p][l]; __syncwarp(); } } if (l >= 16) for (int r = 0; r < 16; r++) o[(blockIdx.x * 16 + r) * 16 + l - 16] = s[r][l]; }
// launch wa_pairwise grid=64,64,1 block=16,16,1 params=[null,null,null,64]
K wa_pairwise(float *o, const float *a, const float *b, int d) { int i = Y, j = X; float s = 0; for (int k = 0; k < d; k++) { float t = a[i * d + k] - b[j * d + k]; s += t * t; } o[i * 1024 + j] = sqrtf(s); }
// launch wa_syr2k grid=24,24,1 block=16,16,1 params=[null,null,null,384,384]
K wa_syr2k(float *c, const float *a, const float *b, int n, int m) { int j = X, i = Y; if (j <= i) { float s = c[i * n + j] * .5f; for (int k = 0; k < m; k++) s += a[j * m + k] * b[i * m + k] + b[j * m + k] * a[i * m + k]; c[i * n + j] = s; } }
// launch wa_outer grid=128,128,1 block=32,8,1 params=[null,null,null,4096]
K wa_outer(float *o, const float *u, const float *v, int n) { int x = blockIdx.x * 32 + T, y = blockIdx.y * 32 + threadIdx.y; for (int k = 0; k < 32; k += 8) o[(long)(y + k) * n + x] += u[y + k] * v[x]; }

// ---- sparse and graphs
// launch wa_spmm_csr grid=4096,1,1 block=64,1,1 params=[null,null,null,null,16] fill=zffi
K wa_spmm_csr(float *o, const float *val, const float *b, const int *col, int deg) { int r = blockIdx.x; float s = 0; for (int e = r * deg; e < r * deg + deg; e++) s += val[e] * b[(long)(col[e] & 0x3ffff) * 64 + T]; o[(long)r * 64 + T] = s; }
// launch wa_bsr grid=2048,1,1 block=32,1,1 params=[null,null,null,null,24] fill=zffs
K wa_bsr(float *o, const float *val, const float *x, const int *col, int n) { int l = T, r = l / 8, c = l % 8; float s = 0; for (int e = blockIdx.x * n; e < blockIdx.x * n + n; e++) { const float *b = val + (long)e * 64; int k = col[e] * 8; s += b[r * 8 + c] * x[k + c] + b[(r + 4) * 8 + c] * x[k + c]; } s += __shfl_down_sync(~0u, s, 4, 8); s += __shfl_down_sync(~0u, s, 2, 8); s += __shfl_down_sync(~0u, s, 1, 8); if (!c) o[blockIdx.x * 8 + r] = s; }
// launch wa_pagerank_pull grid=4096,1,1 block=256,1,1 params=[null,null,null,8] fill=zif
K wa_pagerank_pull(float *o, const int *in, const float *rank, int deg) { int v = X; float s = 0; for (int e = 0; e < deg; e++) s += rank[in[v * deg + e]]; o[v] = .15f + .85f * s; }
// launch wa_edges_push grid=8192,1,1 block=256,1,1 params=[null,null,null] fill=zii
K wa_edges_push(unsigned *dist, const int *src, const int *dst) { int e = X; unsigned d = dist[src[e]]; atomicMin(&dist[dst[e]], d + 1); }
// launch wa_union_find grid=2048,1,1 block=256,1,1 params=[null,null] fill=ii
K wa_union_find(unsigned *p, const unsigned *e) { unsigned a = X & 0xfffff, b = e[X]; for (int i = 0; i < 8; i++) { unsigned x = p[a] & 0xfffff, y = p[b] & 0xfffff; if (x == y) return; if (x > y) { unsigned t = x; x = y; y = t; } a = x; b = y; } p[b] = a; }

// ---- databases and codes
// launch wa_hash_join grid=8192,1,1 block=256,1,1 params=[null,null,null,1048575] fill=zii
K wa_hash_join(unsigned *o, const unsigned *keys, const unsigned *table, unsigned mask) { unsigned k = keys[X], h = k * 2654435761u, r = 0; for (int i = 0; i < 4; i++) { unsigned s = (h + i) & mask, t = table[s]; if (t == k) { r = s; break; } } o[X] = r; }
// launch wa_group_by grid=2112,1,1 block=256,1,1 params=[null,null,null,8388608] fill=zsf
K wa_group_by(float *o, const unsigned *key, const float *v, int n) { __shared__ float s[1024]; for (int i = T; i < 1024; i += 256) s[i] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[key[i]], v[i]); __syncthreads(); for (int i = T; i < 1024; i += 256) atomicAdd(&o[i], s[i]); }
// launch wa_filter_warp grid=8192,1,1 block=256,1,1 params=[null,null,null,512] fill=zzs
K wa_filter_warp(unsigned *o, unsigned *count, const unsigned *a, unsigned limit) { unsigned v = a[X]; bool in = v < limit; unsigned m = __ballot_sync(~0u, in), l = T & 31, base = 0; if (!l) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (in) o[base + __popc(m & ((1u << l) - 1))] = v; }
// launch wa_bit_unpack grid=4096,1,1 block=256,1,1 params=[null,null,11]
K wa_bit_unpack(unsigned *o, const unsigned *a, int bits) { unsigned i = X; unsigned long long at = (unsigned long long)i * bits; unsigned w = at >> 5, s = at & 31; o[i] = __funnelshift_r(a[w], a[w + 1], s) & ((1u << bits) - 1); }
// launch wa_base64 grid=4096,1,1 block=256,1,1 params=[null,null]
K wa_base64(unsigned *o, const unsigned char *a) { int i = X; unsigned v = a[3 * i] << 16 | a[3 * i + 1] << 8 | a[3 * i + 2], r = 0; for (int k = 0; k < 4; k++) { unsigned s = v >> (18 - 6 * k) & 63; unsigned c = s < 26 ? 'A' + s : s < 52 ? 'a' + s - 26 : s < 62 ? '0' + s - 52 : s == 62 ? '+' : '/'; r |= c << 8 * k; } o[i] = r; }
// launch wa_chacha grid=2048,1,1 block=128,1,1 params=[null,null]
K wa_chacha(uint4 *o, const unsigned *key) { unsigned s[16], x[16]; for (int i = 0; i < 12; i++) s[i] = key[i]; s[12] = X; s[13] = s[14] = s[15] = 0; for (int i = 0; i < 16; i++) x[i] = s[i];
#define R(a, b, c, d) x[a] += x[b]; x[d] = __funnelshift_l(x[d] ^ x[a], x[d] ^ x[a], 16); x[c] += x[d]; x[b] = __funnelshift_l(x[b] ^ x[c], x[b] ^ x[c], 12); x[a] += x[b]; x[d] = __funnelshift_l(x[d] ^ x[a], x[d] ^ x[a], 8); x[c] += x[d]; x[b] = __funnelshift_l(x[b] ^ x[c], x[b] ^ x[c], 7);
 for (int i = 0; i < 10; i++) { R(0, 4, 8, 12) R(1, 5, 9, 13) R(2, 6, 10, 14) R(3, 7, 11, 15) R(0, 5, 10, 15) R(1, 6, 11, 12) R(2, 7, 8, 13) R(3, 4, 9, 14) } for (int i = 0; i < 4; i++) o[(long)X * 4 + i] = make_uint4(x[4 * i] + s[4 * i], x[4 * i + 1] + s[4 * i + 1], x[4 * i + 2] + s[4 * i + 2], x[4 * i + 3] + s[4 * i + 3]); }
// launch wa_ntt grid=1024,1,1 block=512,1,1 params=[null,null,998244353]
K wa_ntt(unsigned *o, const unsigned *tw, unsigned p) { __shared__ unsigned s[1024]; unsigned b = blockIdx.x * 1024, t = T; s[t] = o[b + t]; s[t + 512] = o[b + t + 512]; for (int h = 512; h; h >>= 1) { __syncthreads(); unsigned j = t & (h - 1), i = 2 * (t - j) + j; unsigned u = s[i], v = s[i + h]; s[i] = u + v < p ? u + v : u + v - p; unsigned d = u + p - v; s[i + h] = (unsigned)((unsigned long long)d * tw[h + j] % p); } __syncthreads(); o[b + t] = s[t]; o[b + t + 512] = s[t + 512]; }
// launch wa_bigmul grid=1024,1,1 block=128,1,1 params=[null,null,null]
K wa_bigmul(unsigned *o, const unsigned *a, const unsigned *b) { unsigned x[8], y[8], r[16] = {}; long n = 131072; for (int i = 0; i < 8; i++) { x[i] = a[i * n + X]; y[i] = b[i * n + X]; } for (int i = 0; i < 8; i++) { unsigned long long c = 0; for (int j = 0; j < 8; j++) { c += (unsigned long long)x[i] * y[j] + r[i + j]; r[i + j] = c; c >>= 32; } r[i + 8] = c; } for (int i = 0; i < 16; i++) o[i * n + X] = r[i]; }
// launch wa_substring grid=8192,1,1 block=256,1,1 params=[null,null,8] fill=zs
K wa_substring(int *o, const unsigned char *a, int n) { __shared__ unsigned char p[8]; if (T < 8) p[T] = a[T]; __syncthreads(); int i = X, k = 0; while (k < n && a[i + k] == p[k]) k++; if (k == n) o[0] = i; }
// launch wa_radix_scatter grid=2048,1,1 block=256,1,1 params=[null,null,null,4] fill=zis
K wa_radix_scatter(unsigned *o, const unsigned *a, const unsigned *base, int shift) { __shared__ unsigned c[16][8]; int l = T & 31, w = T / 32; unsigned v = a[X], d = v >> shift & 15; unsigned m = ~0u; for (int b = 0; b < 4; b++) { unsigned k = __ballot_sync(~0u, d >> b & 1); m &= d >> b & 1 ? k : ~k; } unsigned rank = __popc(m & ((1u << l) - 1)); if (T < 128) c[T / 8][T & 7] = 0; __syncthreads(); if (!rank) c[d][w] = __popc(m); __syncthreads(); if (T < 16) { unsigned s = 0; for (int i = 0; i < 8; i++) { unsigned t = c[T][i]; c[T][i] = s; s += t; } } __syncthreads(); o[d * 524288 / 16 * 8 + (blockIdx.x * 16 + base[d] % 8) + c[d][w] + rank] = v; }

// ---- images and signals
// launch wa_yuv grid=30,270,1 block=64,4,1 params=[null,null,null,1920]
K wa_yuv(uchar4 *o, const unsigned char *y, const unsigned char *uv, int w) { int px = X, py = Y; if (px >= w) return; float l = 1.164f * (y[py * w + px] - 16), u = uv[py / 2 * w + (px & ~1)] - 128.f, v = uv[py / 2 * w + (px | 1)] - 128.f; float r = l + 1.596f * v, g = l - .392f * u - .813f * v, b = l + 2.017f * u; o[py * w + px] = make_uchar4(fminf(fmaxf(r, 0), 255), fminf(fmaxf(g, 0), 255), fminf(fmaxf(b, 0), 255), 255); }
// launch wa_bayer grid=64,256,1 block=32,8,1 params=[null,null,2048]
K wa_bayer(uchar4 *o, const unsigned char *a, int w) { int x = X, y = Y; if (x < 1 || y < 1 || x >= w - 1 || y >= 2046) return; const unsigned char *p = a + y * w + x; int c = p[0], h = (p[-1] + p[1]) / 2, v = (p[-w] + p[w]) / 2, d = (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]) / 4, g = (h + v) / 2; bool ox = x & 1, oy = y & 1; o[y * w + x] = ox == oy ? (ox ? make_uchar4(c, g, d, 255) : make_uchar4(d, g, c, 255)) : (oy ? make_uchar4(h, c, v, 255) : make_uchar4(v, c, h, 255)); }
// launch wa_box_rows grid=64,1,1 block=64,1,1 params=[null,null,4096,9]
K wa_box_rows(float *o, const float *a, int w, int r) { long y = X; float s = 0; for (int x = 0; x < r; x++) s += a[y * w + x]; for (int x = r; x < 512; x++) { s += a[y * w + x] - a[y * w + x - r]; o[y * w + x] = s; } }
// launch wa_dct8 grid=256,32,1 block=8,8,1 params=[null,null,2048]
K wa_dct8(float *o, const float *a, int w) { __shared__ float s[8][8], t[8][8]; int x = T, y = threadIdx.y; long g = (long)(blockIdx.y * 8 + y) * w + blockIdx.x * 8 + x; s[y][x] = a[g]; __syncthreads(); float r = 0; for (int k = 0; k < 8; k++) r += s[y][k] * __cosf((2 * k + 1) * x * .19635f); t[y][x] = r; __syncthreads(); r = 0; for (int k = 0; k < 8; k++) r += t[k][x] * __cosf((2 * k + 1) * y * .19635f); o[g] = r; }
// launch wa_integral grid=1024,1,1 block=256,1,1 params=[null,null,4096]
K wa_integral(float *o, const float *a, int w) { __shared__ float s[8]; float carry = 0; for (int x = T; x < w; x += 256) { float v = a[(long)blockIdx.x * w + x]; int l = T & 31; for (int d = 1; d < 32; d *= 2) { float t = __shfl_up_sync(~0u, v, d); if (l >= d) v += t; } if (l == 31) s[T / 32] = v; __syncthreads(); float b = carry; for (int i = 0; i < 8; i++) { if (i < T / 32) b += s[i]; carry += s[i]; } o[(long)blockIdx.x * w + x] = v + b; __syncthreads(); } }
// launch wa_hough grid=1024,1,1 block=256,1,1 params=[null,null,512] fill=zs
K wa_hough(int *o, const unsigned *a, int w) { int i = X; if (a[i] < 950) return; int x = i % w, y = i / w; for (int k = 0; k < 180; k++) { int r = x * __cosf(k * .01745f) + y * __sinf(k * .01745f) + 800; atomicAdd(&o[k * 2048 + r], 1); } }
// launch wa_nlm grid=32,64,1 block=16,16,1 params=[null,null,1024]
K wa_nlm(float *o, const float *a, int w) { int x = X + 4, y = Y + 4; float z = 0, r = 0; for (int v = -3; v <= 3; v++) for (int u = -3; u <= 3; u++) { float d = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) { float t = a[(y + j) * w + x + i] - a[(y + v + j) * w + x + u + i]; d += t * t; } float e = __expf(-d * 5); z += e; r += e * a[(y + v) * w + x + u]; } o[y * w + x] = r / z; }
// launch wa_fft_r4 grid=2048,1,1 block=256,1,1 params=[null,null]
K wa_fft_r4(float2 *o, const float2 *a) { __shared__ float2 s[1024]; int t = T; long b = (long)blockIdx.x * 1024; float2 v[4]; for (int k = 0; k < 4; k++) v[k] = a[b + t + 256 * k]; for (int h = 1; h < 1024; h *= 4) { float ang = -6.2831853f * (t % h) / (4 * h), c, q; for (int k = 1; k < 4; k++) { __sincosf(ang * k, &q, &c); float x = v[k].x; v[k].x = x * c - v[k].y * q; v[k].y = x * q + v[k].y * c; } float2 p = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), m = make_float2(v[0].x - v[2].x, v[0].y - v[2].y), e = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), f = make_float2(v[1].y - v[3].y, v[3].x - v[1].x); v[0] = make_float2(p.x + e.x, p.y + e.y); v[1] = make_float2(m.x + f.x, m.y + f.y); v[2] = make_float2(p.x - e.x, p.y - e.y); v[3] = make_float2(m.x - f.x, m.y - f.y); int at = t / h * h * 4 + t % h; __syncthreads(); for (int k = 0; k < 4; k++) s[at + k * h] = v[k]; __syncthreads(); for (int k = 0; k < 4; k++) v[k] = s[t + 256 * k]; } for (int k = 0; k < 4; k++) o[b + t + 256 * k] = v[k]; }

// ---- physics and statistics
// launch wa_d3q19 grid=2,64,64 block=64,1,1 params=[null,null,524288]
K wa_d3q19(float *o, const float *a, int n) { int i = (blockIdx.z * 64 + blockIdx.y) * 128 + X; float f[19], r = 0, u = 0; for (int k = 0; k < 19; k++) { f[k] = a[(long)k * n + ((i + (k % 3 - 1) + (k / 3 % 3 - 1) * 128 + n) % n)]; r += f[k]; u += f[k] * (k % 3 - 1); } for (int k = 0; k < 19; k++) o[(long)k * n + i] = f[k] - .6f * (f[k] - r * .0526f - u * (k % 3 - 1)); }
// launch wa_pic_deposit grid=4096,1,1 block=256,1,1 params=[null,null,512] fill=zf
K wa_pic_deposit(float *g, const float2 *p, int w) { float2 q = p[X]; float x = q.x * 510, y = q.y * 510; int i = x, j = y; x -= i; y -= j; atomicAdd(&g[j * w + i], (1 - x) * (1 - y)); atomicAdd(&g[j * w + i + 1], x * (1 - y)); atomicAdd(&g[(j + 1) * w + i], (1 - x) * y); atomicAdd(&g[(j + 1) * w + i + 1], x * y); }
// launch wa_rk4 grid=1024,1,1 block=128,1,1 params=[null,null,100]
K wa_rk4(float *o, const float *a, int n) { float x = a[X], y = 1, z = 1, h = .01f; for (int i = 0; i < n; i++) { float k1 = 10 * (y - x), l1 = x * (28 - z) - y, m1 = x * y - 2.667f * z; float x2 = x + .5f * h * k1, y2 = y + .5f * h * l1, z2 = z + .5f * h * m1; float k2 = 10 * (y2 - x2), l2 = x2 * (28 - z2) - y2, m2 = x2 * y2 - 2.667f * z2; x += h * k2; y += h * l2; z += h * m2; } o[X] = x + y + z; }
// launch wa_ising grid=32,128,1 block=32,8,1 params=[null,null,0.44]
K wa_ising(signed char *s, const float *rnd, float b) { int x = X, y = Y, w = 2048; x = 2 * x + (y & 1); int sum = s[y * w + (x + 1) % w] + s[y * w + (x + w - 1) % w] + s[(y + 1) % 1024 * w + x] + s[(y + 1023) % 1024 * w + x]; int e = 2 * sum * s[y * w + x]; if (rnd[y * 1024 + X] < expf(-b * e)) s[y * w + x] = -s[y * w + x]; }
// launch wa_option_mc grid=512,1,1 block=256,1,1 params=[null,64]
K wa_option_mc(float *o, int n) { unsigned s = X * 2654435761u + 1; float sum = 0; for (int i = 0; i < n; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float u = (s >> 8) * 5.96e-8f + 1e-9f; s ^= s << 13; s ^= s >> 17; s ^= s << 5; float v = (s >> 8) * 5.96e-8f; float g = sqrtf(-2 * logf(u)) * cospif(2 * v); float p = 100 * expf(.03f + .2f * g) - 105; sum += p > 0 ? p : 0; } o[X] = sum; }
// launch wa_cell_forces grid=2048,1,1 block=128,1,1 params=[null,null,null,48] fill=zfi
K wa_cell_forces(float4 *f, const float4 *p, const int *list, int n) { int i = X; float4 a = p[i], r = make_float4(0, 0, 0, 0); for (int k = 0; k < n; k++) { float4 b = p[list[k * 262144 + i] & 0x3ffff]; float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, d = x * x + y * y + z * z + .01f; if (d < .3f) { float q = rsqrtf(d); q = q * q * q; r.x += q * x; r.y += q * y; r.z += q * z; r.w += q; } } f[i] = r; }
// launch wa_wavefront grid=256,1,1 block=64,1,1 params=[null,null,256]
K wa_wavefront(int *o, const unsigned char *a, int n) { __shared__ int d[3][65]; const unsigned char *p = a + blockIdx.x * 1024, *q = p + 64; int t = T; d[0][t] = d[1][t] = d[2][t] = 0; __syncthreads(); for (int k = 0; k < n + 64; k++) { int j = k - t; int c = k % 3, b = (k + 2) % 3, e = (k + 1) % 3; if (j >= 0 && j < n) { int m = d[e][t] + (p[t] == q[j] ? 2 : -1); m = max(m, max(d[b][t], d[b][t + 1]) - 1); d[c][t + 1] = max(m, 0); } __syncthreads(); } o[blockIdx.x * 64 + t] = d[0][t + 1]; }
// launch wa_block_reduce_f64 grid=1056,1,1 block=256,1,1 params=[null,null,8388608] fill=zd
K wa_block_reduce_f64(double *o, const double *a, int n) { __shared__ double s[256]; double t = 0; for (int i = X; i < n; i += gridDim.x * 256) t += a[i]; s[T] = t; __syncthreads(); for (int d = 128; d; d >>= 1) { if (T < d) s[T] += s[T + d]; __syncthreads(); } if (!T) o[blockIdx.x] = s[0]; }
// launch wa_cg_update grid=4096,1,1 block=256,1,1 params=[null,null,null,null,0.37] fill=dddd
K wa_cg_update(double *x, double *r, const double *p, const double *q, double al) { int i = X; x[i] += al * p[i]; r[i] -= al * q[i]; }
// launch wa_interp_table grid=8192,1,1 block=256,1,1 params=[null,null,null,1023]
K wa_interp_table(float *o, const float *x, const float *t, float n) { float v = x[X] * n; int i = v; v -= i; o[X] = t[i] * (1 - v) + t[i + 1] * v; }
