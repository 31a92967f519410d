// Further kernels whose launch shape is free: sx_ to improve the model on, sy_ held out.
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define Z (blockIdx.z * blockDim.z + threadIdx.z)
#define T threadIdx.x
// sweep sx_sobel work=8192,4096,1 blocks=plane params=[null,null,8192,4096]
K sx_sobel(float *o, const float *a, int w, int h) { int x = X, y = Y; if (x > 0 && y > 0 && x < w - 1 && y < h - 1) { const float *p = a + y * w + x; float u = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1], v = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1]; o[y * w + x] = sqrtf(u * u + v * v); } }
// sweep sx_small_blur work=1024,1024,1 blocks=plane params=[null,null,1024,1024]
K sx_small_blur(float *o, const float *a, int w, int h) { int x = X, y = Y; if (x > 0 && y > 0 && x < w - 1 && y < h - 1) o[y * w + x] = (a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[y * w - w + x] + a[y * w + w + x]) * 0.2f; }
// sweep sx_layernorm grid=4096,1,1 blocks=line params=[null,null,8192]
K sx_layernorm(float *o, const float *a, int w) { __shared__ float s[2][32]; float m = 0, q = 0; a += (long)blockIdx.x * w; o += (long)blockIdx.x * w; for (int i = T; i < w; i += blockDim.x) { float v = a[i]; m += v; q += v * v; } for (int d = 16; d; d >>= 1) { m += __shfl_xor_sync(~0u, m, d); q += __shfl_xor_sync(~0u, q, d); } if (!(T & 31)) { s[0][T / 32] = m; s[1][T / 32] = q; } __syncthreads(); m = q = 0; for (int i = 0; i < blockDim.x / 32; i++) { m += s[0][i]; q += s[1][i]; } m /= w; q = rsqrtf(q / w - m * m + 1e-5f); for (int i = T; i < w; i += blockDim.x) o[i] = (a[i] - m) * q; }
// sweep sx_mandel work=2048,2048,1 blocks=plane params=[null,2048,300]
K sx_mandel(int *o, int w, int m) { int x = X, y = Y, n = 0; float a = 0, b = 0, u = x * 3.f / w - 2, v = y * 3.f / w - 1.5f; while (n < m && a * a + b * b < 4) { float t = a * a - b * b + u; b = 2 * a * b + v; a = t; n++; } o[y * w + x] = n; }
// sweep sx_gemm_rows work=1024,1024,1 blocks=plane params=[null,null,null,1024]
K sx_gemm_rows(float *c, const float *a, const float *b, int n) { int x = X, y = Y; float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[x * n + k]; c[y * n + x] = s; }
// sweep sx_stencil3d work=512,256,128 blocks=space params=[null,null,512,256,128]
K sx_stencil3d(float *o, const float *a, int w, int h, int d) { int x = X, y = Y, z = Z, i = (z * h + y) * w + x; if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < h - 1 && z < d - 1) o[i] = a[i] * -6 + a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * h] + a[i + w * h]; }
// sweep sx_tile_gemm work=1024,1024,1 blocks=square dynamic=8 params=[null,null,null,1024]
K sx_tile_gemm(float *c, const float *a, const float *b, int n) { extern __shared__ float s[]; int d = blockDim.x, i = T, j = threadIdx.y, x = X, y = Y; float *r = s + d * d, v = 0; for (int k = 0; k < n; k += d) { s[j * d + i] = a[y * n + k + i]; r[j * d + i] = b[(k + j) * n + x]; __syncthreads(); for (int q = 0; q < d; q++) v += s[j * d + q] * r[q * d + i]; __syncthreads(); } c[y * n + x] = v; }
// sweep sy_box7 work=4096,4096,1 blocks=plane params=[null,null,4112]
K sy_box7(float *o, const float *a, int w) { int x = X, y = Y; float s = 0; for (int j = 0; j < 7; j++) s += a[(y + j) * w + x + j] + a[(y + j) * w + x + 7 - j]; o[y * w + x] = s; }
// sweep sy_rotate90 work=4096,8192,1 blocks=plane params=[null,null,4096,8192]
K sy_rotate90(float *o, const float *a, int w, int h) { int x = X, y = Y; o[(w - 1 - x) * h + y] = a[y * w + x] * 0.5f; }
// sweep sy_nbody work=16384,1,1 blocks=line dynamic=16 params=[null,null,16384]
K sy_nbody(float4 *o, const float4 *p, int n) { extern __shared__ float4 q[]; float4 me = p[X]; float a = 0, b = 0, c = 0; for (int k = 0; k < n; k += blockDim.x) { q[T] = p[k + T]; __syncthreads(); for (int i = 0; i < blockDim.x; i++) { float x = q[i].x - me.x, y = q[i].y - me.y, z = q[i].z - me.z, r = rsqrtf(x * x + y * y + z * z + 0.01f); r = q[i].w * r * r * r; a += x * r; b += y * r; c += z * r; } __syncthreads(); } o[X] = make_float4(a, b, c, 0); }
// sweep sy_triad grid=264,1,1 blocks=line params=[null,null,null,1.5,33554432]
K sy_triad(float *z, const float *x, const float *y, float a, int n) { int t = gridDim.x * blockDim.x; for (int i = X; i < n; i += t) z[i] = x[i] + a * y[i]; }
// sweep sy_row_dot grid=8192,1,1 blocks=line dynamic=4 params=[null,null,null,2048]
K sy_row_dot(float *o, const float *a, const float *v, int w) { extern __shared__ float s[]; float m = 0; a += (long)blockIdx.x * w; for (int i = T; i < w; i += blockDim.x) m += a[i] * v[i]; s[T] = m; __syncthreads(); for (int d = 512; d; d >>= 1) { if (T < d && T + d < blockDim.x) s[T] += s[T + d]; __syncthreads(); } if (!T) o[blockIdx.x] = s[0]; }
// sweep sy_lanes_row work=32,65536,1 blocks=lanes params=[null,null,64]
K sy_lanes_row(float *o, const float *a, int w) { float s = 0; int y = Y; for (int i = T; i < w; i += blockDim.x) s += a[(long)y * w * 8 + i]; o[y * blockDim.x + T] = s; }
// sweep sy_gather_small work=4194304,1,1 blocks=line params=[null,null]
K sy_gather_small(float *o, const float *a) { unsigned i = X; o[i] = a[(i * 2654435761u) >> 16] + a[(i * 40503u) & 0xffff]; }
// sweep sy_fractal work=1024,1024,1 blocks=plane params=[null,1024,500]
K sy_fractal(int *o, int w, int m) { int x = X, y = Y, n = 0; float a = x * 2.4f / w - 1.2f, b = y * 2.4f / w - 1.2f; while (n < m && a * a + b * b < 9) { float t = a * a * a - 3 * a * b * b + 0.4f; b = 3 * a * a * b - b * b * b + 0.3f; a = t; n++; } o[y * w + x] = n; }
// sweep sy_poly_f64 work=1048576,1,1 blocks=line params=[null,null,64]
K sy_poly_f64(float *o, const float *a, int n) { double v = a[X], p = v; for (int i = 0; i < n; i++) p = p * v + 0.25; o[X] = p; }
// sweep sy_count_bins work=8388608,1,1 blocks=line params=[null,null]
K sy_count_bins(int *o, const int *a) { __shared__ int s[64]; for (int i = T; i < 64; i += blockDim.x) s[i] = 0; __syncthreads(); atomicAdd(&s[a[X] >> 5 & 63], 1); __syncthreads(); for (int i = T; i < 64; i += blockDim.x) atomicAdd(&o[i], s[i]); }
