// Kernels whose launch shape is free: each is timed over block shapes, caches warm, data larger than L2.
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
// sweep sh_blur work=8192,8192,1 blocks=plane params=[null,null,8192,8192]
K sh_blur(float *o, const float *a, int w, int h) { int x = X, y = Y; if (x > 0 && y > 0 && x < w - 1 && y < h - 1) o[y * w + x] = (a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[y * w - w + x] + a[y * w + w + x]) * 0.2f; }
// sweep sh_transpose work=8192,8192,1 blocks=plane params=[null,null,8192,8192]
K sh_transpose(float *o, const float *a, int w, int h) { int x = X, y = Y; o[x * h + y] = a[y * w + x]; }
// sweep sh_gemm work=1024,1024,1 blocks=plane params=[null,null,null,1024]
K sh_gemm(float *c, const float *a, const float *b, int n) { int x = X, y = Y; float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; }
// sweep sh_axpy work=67108864,1,1 blocks=line params=[null,null,2.0,67108864]
K sh_axpy(float *y, const float *x, float a, int n) { int i = X; if (i < n) y[i] += a * x[i]; }
// sweep sh_stride_sum grid=132,1,1 blocks=line params=[null,null,67108864]
// sweep sh_stride_sum grid=528,1,1 blocks=line params=[null,null,67108864]
K sh_stride_sum(float *o, const float *a, int n) { float s = 0; int t = gridDim.x * blockDim.x; for (int i = X; i < n; i += t) s += a[i]; o[X] = s; }
// sweep sh_columns work=8192,256,1 blocks=plane params=[null,null,8192,8192]
K sh_columns(float *o, const float *a, int w, int h) { int x = X; float s = 0; for (int y = Y; y < h; y += gridDim.y * blockDim.y) s += a[y * w + x]; atomicAdd(&o[x], s); }
// sweep sh_row_softmax grid=8192,1,1 blocks=line dynamic=4 params=[null,null,4096]
K sh_row_softmax(float *o, const float *a, int w) { extern __shared__ float s[]; int t = threadIdx.x; float m = 0; a += (long)blockIdx.x * w; o += (long)blockIdx.x * w; for (int i = t; i < w; i += blockDim.x) m += __expf(a[i]); s[t] = m; __syncthreads(); for (int d = blockDim.x / 2; d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); } m = 1 / s[0]; for (int i = t; i < w; i += blockDim.x) o[i] = __expf(a[i]) * m; }
// sweep sh_histogram grid=528,1,1 blocks=line params=[null,null,33554432]
K sh_histogram(int *o, const int *a, int n) { __shared__ int s[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0; __syncthreads(); for (int i = X; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[a[i] & 255], 1); __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&o[i], s[i]); }
// sweep sh_julia work=2048,2048,1 blocks=plane params=[null,2048,256]
K sh_julia(int *o, int w, int m) { int x = X, y = Y, n = 0; float a = x * 3.f / w - 1.5f, b = y * 3.f / w - 1.5f; while (n < m && a * a + b * b < 4) { float t = a * a - b * b - 0.4f; b = 2 * a * b + 0.6f; a = t; n++; } o[y * w + x] = n; }
