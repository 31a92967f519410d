// Pairs: a kernel with uncoalesced accesses or bank conflicts, and the same repaired. launches.json has the launches.
#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

struct Eight { float v[8]; };

KERNEL(rp_transpose_before, float *o, const float *a, int n) { const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; o[x * n + y] = a[y * n + x]; }
KERNEL(rp_transpose_after, float *o, const float *a, int n)
{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
KERNEL(rp_tile_before, float *o, const float *a, int n)
{
    __shared__ float s[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
KERNEL(rp_tile_after, float *o, const float *a, int n)
{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
KERNEL(rp_tile_f64_before, double *o, const double *a, int n)
{
    __shared__ double s[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
KERNEL(rp_tile_f64_after, double *o, const double *a, int n)
{
    __shared__ double s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        o[(y + j) * n + x] = s[threadIdx.x][threadIdx.y + j];
}
KERNEL(rp_member_before, float *o, const float4 *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; if (t < n) o[t] = a[t].x * 2.f; }
KERNEL(rp_member_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; if (t < n) o[t] = a[t] * 2.f; }
KERNEL(rp_members_before, float *o, const Eight *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; if (t < n) o[t] = a[t].v[0] + a[t].v[5]; }
KERNEL(rp_members_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; if (t < n) o[t] = a[t] + a[t + n]; }
KERNEL(rp_stretch_before, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; float s = 0; for (int i = 0; i < n; i++) s += a[(long)t * n + i]; o[t] = s; }
KERNEL(rp_stretch_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; float s = 0; for (int i = 0; i < n; i++) s += a[(long)i * gridDim.x * 256 + t]; o[t] = s; }
KERNEL(rp_apart_before, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[(long)t * n]; }
KERNEL(rp_apart_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t]; }
KERNEL(rp_banks8_before, float *o, const float *a, int n)
{
    __shared__ float s[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i < n; i++)
        v += s[(t * 8 + i) & 2047];
    o[blockIdx.x * 256 + t] = v;
}
KERNEL(rp_banks8_after, float *o, const float *a, int n)
{
    __shared__ float s[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i < n; i++)
        v += s[(t + i) & 2047];
    o[blockIdx.x * 256 + t] = v;
}
KERNEL(rp_banks2_before, float *o, const float *a, int n)
{
    __shared__ float s[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i < n; i++)
        v = v * 0.99f + s[(t * 2 + i) & 2047] * sqrtf(v + i);
    o[blockIdx.x * 256 + t] = v;
}
KERNEL(rp_banks2_after, float *o, const float *a, int n)
{
    __shared__ float s[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i < n; i++)
        v = v * 0.99f + s[(t + i) & 2047] * sqrtf(v + i);
    o[blockIdx.x * 256 + t] = v;
}
KERNEL(rp_product_before, float *c, const float *a, const float *b, int n)
{
    const int r = blockIdx.x * 16 + threadIdx.x, q = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[r * n + k] * b[k * n + q];
    c[r * n + q] = s;
}
KERNEL(rp_product_after, float *c, const float *a, const float *b, int n)
{
    const int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[r * n + k] * b[k * n + q];
    c[r * n + q] = s;
}
KERNEL(rp_shifted_before, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t + 3]; }
KERNEL(rp_shifted_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t + 8]; }
KERNEL(rp_stored_before, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t * 4] = a[t]; }
KERNEL(rp_stored_after, float *o, const float *a, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t]; }
KERNEL(rp_two_loads_before, float *o, const float *a, const float *b, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t * 8] + b[t * 8]; }
KERNEL(rp_two_loads_after, float *o, const float *a, const float *b, int n) { const int t = blockIdx.x * 256 + threadIdx.x; o[t] = a[t] + b[t]; }
