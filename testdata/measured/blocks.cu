// Shapes of blocks and grids, strides, vectors, members of structures.
extern "C" {
// launch bl_cube grid=4,3,5 block=5,7,3 params=[null,null,18,20,14]
__global__ void bl_cube(float *out, const float *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz)
        out[(z * ny + y) * nx + x] = in[(x * ny + y) * nz + z];
}
// launch bl_17x13 grid=7,6,1 block=17,13,1 params=[null,null,111,75,128]
__global__ void bl_17x13(int *out, const int *in, int w, int h, int pitch)
{
    int x = blockIdx.x * 17 + threadIdx.x, y = blockIdx.y * 13 + threadIdx.y;
    __shared__ int t[13][17];
    t[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * pitch + x] : 0;
    __syncthreads();
    if (x < w && y < h)
        out[y * pitch + x] = t[12 - threadIdx.y][16 - threadIdx.x];
}
// launch bl_96x1x3 grid=5,2,1 block=96,1,3 params=[null,null,450,6]
__global__ void bl_96x1x3(short *out, const short *in, int w, int planes)
{
    int x = blockIdx.x * 96 + threadIdx.x, p = blockIdx.y * 3 + threadIdx.z;
    if (x >= w || p >= planes)
        return;
    out[x * planes + p] = in[p * w + x];
}
// launch bl_33 grid=40,1,1 block=33,1,1 params=[null,null,1300]
__global__ void bl_33(double *out, const double *in, int n)
{
    int i = blockIdx.x * 33 + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i] + 1.0;
}
// launch bl_negative_stride grid=10,1,1 block=192,1,1 params=[null,null,-3,8000]
__global__ void bl_negative_stride(float *out, const float *in, int stride, int from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = in + from;
    out[from + i * stride] = p[i * stride] + p[-i];
}
// launch bl_long_stride grid=6,4,1 block=64,2,1 params=[null,null,10007,8]
__global__ void bl_long_stride(float *out, const float *in, long long stride, long long rows)
{
    long long x = blockIdx.x * 64LL + threadIdx.x, y = blockIdx.y * 2LL + threadIdx.y;
    if (y < rows)
        out[x * rows + y] = in[y * stride + x];
}
struct Packed { unsigned char tag; unsigned char rgb[3]; short height; float weight; double mass; };
// launch bl_members grid=12,1,1 block=160,1,1 params=[null,null,1900]
__global__ void bl_members(double *out, const Packed *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].tag + in[i].rgb[2] + in[i].height + in[i].weight + in[i].mass;
}
struct Odd { float a, b, c; };
// launch bl_odd_struct grid=9,1,1 block=128,1,1 params=[null,null,null]
__global__ void bl_odd_struct(Odd *out, const Odd *in, const float3 *other)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    Odd v = in[i];
    float3 u = other[i + 1];
    v.a += u.z, v.b *= u.y, v.c -= u.x;
    out[i] = v;
}
// launch bl_vectors grid=8,1,1 block=256,1,1 params=[null,null,null,null,2000]
__global__ void bl_vectors(float2 *a, float4 *b, const short4 *c, const char4 *d, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    short4 s = c[i * 3];
    char4 q = d[n - i];
    a[i ^ 5] = make_float2(s.x + q.x, s.y + q.y);
    b[i * 2 + 1] = make_float4(s.z, s.w, q.z, q.w);
}
// launch bl_pitched_bytes grid=6,17,1 block=32,4,1 params=[null,null,171,65,208]
__global__ void bl_pitched_bytes(unsigned char *out, const unsigned char *in, int w, int h, size_t pitch)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
        return;
    const unsigned char *p = in + y * pitch + x;
    out[y * pitch + x] = (p[-1] + 2 * p[0] + p[1] + p[-(int)pitch] + p[pitch]) / 6;
}
// launch bl_complex grid=11,1,1 block=96,1,1 params=[null,null,null,1000]
__global__ void bl_complex(float2 *out, const float2 *a, const float2 *b, int n)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i >= n)
        return;
    float2 u = a[i], v = b[(i * 7) % n];
    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}
// launch bl_halo grid=14,1,1 block=130,1,1 params=[null,null,1790]
__global__ void bl_halo(float *out, const float *in, int n)
{
    __shared__ float t[130];
    int i = blockIdx.x * 128 + threadIdx.x - 1;
    t[threadIdx.x] = i >= 0 && i < n ? in[i] : 0;
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < 129 && i < n)
        out[i] = t[threadIdx.x - 1] + t[threadIdx.x] + t[threadIdx.x + 1];
}
struct View { int width, height, origin; float scale; };
// launch bl_by_value grid=5,5,1 block=24,8,1 params=[{"bytes":"6e00000022000000050000000000803f"},null,null]
__global__ void bl_by_value(View v, float *out, const float *in)
{
    int x = blockIdx.x * 24 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < v.width && y < v.height)
        out[v.origin + y * v.width + x] = v.scale * in[v.origin + x * v.height + y];
}
}
