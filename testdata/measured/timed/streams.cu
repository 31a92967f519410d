// Streams, strides, gathers, atomics, transposes: launches whose time is memory's or the launch's own.
#define K extern "C" __global__ void
#define G (blockIdx.x * blockDim.x + threadIdx.x)
#define N (gridDim.x * blockDim.x)
// launch tm_empty_1 grid=1,1,1 block=32,1,1 params=[]
K tm_empty_1() {}
// launch tm_empty_132 grid=132,1,1 block=256,1,1 params=[]
K tm_empty_132() {}
// launch tm_empty_1056 grid=1056,1,1 block=256,1,1 params=[]
K tm_empty_1056() {}
// launch tm_empty_4096 grid=4096,1,1 block=256,1,1 params=[]
K tm_empty_4096() {}
// launch tm_empty_4096_32 grid=4096,1,1 block=32,1,1 params=[]
K tm_empty_4096_32() {}
// launch tm_empty_4096_1024 grid=4096,1,1 block=1024,1,1 params=[]
K tm_empty_4096_1024() {}
// launch tm_empty_65536 grid=65536,1,1 block=128,1,1 params=[]
K tm_empty_65536() {}
// launch tm_empty_262144 grid=512,512,1 block=64,1,1 params=[]
K tm_empty_262144() {}
// launch tm_one_store grid=1,1,1 block=32,1,1 params=[null]
K tm_one_store(int *o) { o[G] = 1; }
// launch tm_one_load grid=1,1,1 block=32,1,1 params=[null,null]
K tm_one_load(int *o, const int *a) { o[G] = a[G] + 1; }
// launch tm_chase grid=1,1,1 block=32,1,1 params=[null,null,64] fill=zi
K tm_chase(int *o, const int *a, int n) { int p = G; for (int i = 0; i < n; i++) p = a[p & 1048575]; o[G] = p; }
// launch tm_chase_all grid=132,1,1 block=64,1,1 params=[null,null,32] fill=zi
K tm_chase_all(int *o, const int *a, int n) { int p = G * 977; for (int i = 0; i < n; i++) p = a[p & 4194303]; o[G] = p; }
#define READ(name, U) K name(float *o, const float *a, int n) { float s = 0; for (int i = G; i < n; i += N * U) { _Pragma("unroll") for (int j = 0; j < U; j++) s += a[i + j * N]; } if (s == 12345.f) o[G] = s; }
// launch tm_read_1 grid=132,1,1 block=1024,1,1 params=[null,null,8650752]
READ(tm_read_1, 1)
// launch tm_read_4 grid=132,1,1 block=1024,1,1 params=[null,null,8650752]
READ(tm_read_4, 4)
// launch tm_read_8_half grid=132,1,1 block=512,1,1 params=[null,null,8650752]
READ(tm_read_8_half, 8)
// launch tm_read_4_few grid=132,1,1 block=128,1,1 params=[null,null,8650752]
READ(tm_read_4_few, 4)
// launch tm_read_1_few grid=132,1,1 block=256,1,1 params=[null,null,8650752]
READ(tm_read_1_few, 1)
// launch tm_read_2_all grid=264,1,1 block=1024,1,1 params=[null,null,17301504]
READ(tm_read_2_all, 2)
// launch tm_read_4_part grid=33,1,1 block=1024,1,1 params=[null,null,4325376]
READ(tm_read_4_part, 4)
// launch tm_read_warps grid=1056,1,1 block=32,1,1 params=[null,null,4325376]
READ(tm_read_warps, 4)
// launch tm_copy_f2 grid=8192,1,1 block=256,1,1 params=[null,null]
K tm_copy_f2(float2 *o, const float2 *a) { o[G] = a[G]; }
// launch tm_copy_f4_grid grid=1056,1,1 block=256,1,1 params=[null,null,4194304]
K tm_copy_f4_grid(float4 *o, const float4 *a, int n) { for (int i = G; i < n; i += N) o[i] = a[i]; }
// launch tm_copy_small grid=64,1,1 block=256,1,1 params=[null,null]
K tm_copy_small(float *o, const float *a) { o[G] = a[G]; }
// launch tm_copy_mid grid=512,1,1 block=512,1,1 params=[null,null]
K tm_copy_mid(float *o, const float *a) { o[G] = a[G]; }
// launch tm_copy_half grid=4096,1,1 block=512,1,1 params=[null,null]
K tm_copy_half(short *o, const short *a) { o[G] = a[G] + 1; }
// launch tm_copy_bytes grid=16384,1,1 block=128,1,1 params=[null,null]
K tm_copy_bytes(char *o, const char *a) { o[G] = a[G] ^ 1; }
// launch tm_fill grid=16384,1,1 block=256,1,1 params=[null]
K tm_fill(float4 *o) { o[G] = make_float4(1, 2, 3, 4); }
// launch tm_fill_small grid=2048,1,1 block=256,1,1 params=[null]
K tm_fill_small(float *o) { o[G] = 3; }
// launch tm_axpby grid=8192,1,1 block=512,1,1 params=[null,null,null,2.0,3.0]
K tm_axpby(float *o, const float *a, const float *b, float x, float y) { o[G] = x * a[G] + y * b[G]; }
// launch tm_sum4 grid=4096,1,1 block=256,1,1 params=[null,null,null,null,null]
K tm_sum4(double *o, const double *a, const double *b, const double *c, const double *d) { o[G] = a[G] + b[G] + c[G] * d[G]; }
// launch tm_stride3 grid=8192,1,1 block=256,1,1 params=[null,null]
K tm_stride3(float *o, const float *a) { o[G] = a[G * 3]; }
// launch tm_stride12 grid=4096,1,1 block=256,1,1 params=[null,null]
K tm_stride12(float *o, const float *a) { o[G] = a[G * 12 + 5]; }
// launch tm_stride_write grid=4096,1,1 block=256,1,1 params=[null,null]
K tm_stride_write(float *o, const float *a) { o[G * 8] = a[G]; }
// launch tm_struct7 grid=4096,1,1 block=128,1,1 params=[null,null]
struct S7 { float f[7]; };
K tm_struct7(S7 *o, const S7 *a) { S7 s = a[G]; for (int i = 0; i < 7; i++) s.f[i] = s.f[i] * 2 + 1; o[G] = s; }
// launch tm_rows_per_thread grid=256,1,1 block=128,1,1 params=[null,null]
K tm_rows_per_thread(float *o, const float *a) { float s = 0;
#pragma unroll 1
  for (int i = 0; i < 128; i++) s += a[G * 128 + i]; o[G] = s; }
// launch tm_columns grid=128,1,1 block=128,1,1 params=[null,null,256]
K tm_columns(float *o, const float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[i * N + G]; o[G] = s; }
// launch tm_gather_wide grid=8192,1,1 block=256,1,1 params=[null,null,null] fill=zfi
K tm_gather_wide(float *o, const float *a, const int *at) { o[G] = a[at[G]]; }
// launch tm_gather_near grid=8192,1,1 block=256,1,1 params=[null,null,null] fill=zfs
K tm_gather_near(float *o, const float *a, const int *at) { o[G] = a[(G & ~1023) + at[G]]; }
// launch tm_scatter grid=2048,1,1 block=256,1,1 params=[null,null,null] fill=zfi
K tm_scatter(float *o, const float *a, const int *at) { o[at[G]] = a[G]; }
// launch tm_atomic_spread grid=4096,1,1 block=256,1,1 params=[null] fill=z
K tm_atomic_spread(int *o) { atomicAdd(&o[G], 3); }
// launch tm_atomic_one grid=256,1,1 block=256,1,1 params=[null] fill=z
K tm_atomic_one(int *o) { if ((threadIdx.x & 31) == 0) atomicAdd(o, (int)G); }
// launch tm_atomic_lanes_one grid=256,1,1 block=256,1,1 params=[null] fill=z
K tm_atomic_lanes_one(float *o) { atomicAdd(o, 1.5f); }
// launch tm_atomic_bins grid=2048,1,1 block=256,1,1 params=[null,null] fill=zs
K tm_atomic_bins(int *o, const int *a) { atomicAdd(&o[a[G] & 255], 1); }
// launch tm_atomic_block_max grid=2048,1,1 block=256,1,1 params=[null,null] fill=zs
K tm_atomic_block_max(int *o, const int *a) { int m = __reduce_max_sync(~0u, a[G]); if ((threadIdx.x & 31) == 0) atomicMax(o + blockIdx.x % 64, m); }
// launch tm_transpose_plain grid=64,128,1 block=32,8,1 params=[null,null,2048,4096]
K tm_transpose_plain(float *o, const float *a, int w, int h) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) o[x * h + y + j] = a[(y + j) * w + x]; }
// launch tm_transpose_shared grid=64,128,1 block=32,8,1 params=[null,null,2048,4096]
K tm_transpose_shared(float *o, const float *a, int w, int h) { __shared__ float t[32][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x]; __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) o[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j]; }
// launch tm_transpose_17 grid=128,128,1 block=16,16,1 params=[null,null,2048]
K tm_transpose_17(float *o, const float *a, int w) { __shared__ float t[16][17]; int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; t[threadIdx.y][threadIdx.x] = a[y * w + x]; __syncthreads(); x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y; o[y * w + x] = t[threadIdx.x][threadIdx.y]; }
// launch tm_image_rows grid=8,1024,1 block=128,1,1 params=[null,null,1000]
K tm_image_rows(float *o, const float *a, int w) { int x = G; if (x < w) o[blockIdx.y * w + x] = a[blockIdx.y * w + x] * 0.5f; }
// launch tm_blur3 grid=128,256,1 block=32,8,1 params=[null,null,4096,2048]
K tm_blur3(float *o, const float *a, int w, int h) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x > 0 && y > 0 && x < w - 1 && y < h - 1) { float s = 0;
#pragma unroll
  for (int j = -1; j < 2; j++)
#pragma unroll
    for (int i = -1; i < 2; i++) s += a[(y + j) * w + x + i]; o[y * w + x] = s * (1 / 9.f); } }
// launch tm_jacobi3d grid=8,32,32 block=32,4,1 params=[null,null,256,128]
K tm_jacobi3d(float *o, const float *a, int w, int h) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z, i = (z * h + y) * w + x; if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < h - 1 && z < gridDim.z - 1) o[i] = a[i] * 0.4f + 0.1f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * h] + a[i + w * h]); }
// launch tm_bilinear grid=64,128,1 block=32,8,1 params=[null,null,2048,1024]
K tm_bilinear(float *o, const float *a, int w, int h) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; int i = (y >> 1) * w + (x >> 1); float u = (x & 1) * .5f, v = (y & 1) * .5f; o[y * w + x] = (a[i] * (1 - u) + a[i + 1] * u) * (1 - v) + (a[i + w] * (1 - u) + a[i + w + 1] * u) * v; }
// launch tm_rgb_gray grid=8192,1,1 block=256,1,1 params=[null,null]
K tm_rgb_gray(unsigned char *o, const unsigned char *a) { int i = G * 3; o[G] = (a[i] * 77 + a[i + 1] * 150 + a[i + 2] * 29) >> 8; }
