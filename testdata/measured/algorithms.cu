// Whole small algorithms: reductions, scans, sorting, stencils, transforms; and gathers whose addresses are data.
extern "C" {
// launch al_reduce_unrolled grid=16,1,1 block=128,1,1 params=[null,null,4000]
__global__ void al_reduce_unrolled(float *out, const float *in, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = (i < n ? in[i] : 0) + (i + 128 < n ? in[i + 128] : 0);
    __syncthreads();
    for (int d = 64; d > 32; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int d = 16; d; d >>= 1)
            v += __shfl_down_sync(~0u, v, d);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}
// launch al_blelloch grid=5,1,1 block=64,1,1 params=[null,null]
__global__ void al_blelloch(int *out, const int *in)
{
    __shared__ int s[128];
    int t = threadIdx.x, step = 1;
    s[2 * t] = in[blockIdx.x * 128 + 2 * t];
    s[2 * t + 1] = in[blockIdx.x * 128 + 2 * t + 1];
#pragma unroll 1
    for (int d = 64; d; d >>= 1, step *= 2) {
        __syncthreads();
        if (t < d)
            s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[127] = 0;
#pragma unroll 1
    for (int d = 1; d < 128; d *= 2) {
        step >>= 1;
        __syncthreads();
        if (t < d) {
            int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[t];
    out[blockIdx.x * 128 + t + 64] = s[t + 64];
}
// launch al_bitonic_shared grid=4,1,1 block=64,1,1 params=[null]
__global__ void al_bitonic_shared(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    s[t + 64] = data[blockIdx.x * 128 + 64 + t];
#pragma unroll 1
    for (int k = 2; k <= 128; k *= 2)
#pragma unroll 1
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (j - 1)), b = a + j, x = s[a], y = s[b];
            bool up = !(a & k);
            s[a] = up == (x < y) ? x : y;
            s[b] = up == (x < y) ? y : x;
        }
    __syncthreads();
    data[blockIdx.x * 128 + t] = s[t];
    data[blockIdx.x * 128 + 64 + t] = s[t + 64];
}
// launch al_stencil7 grid=3,5,1 block=32,4,1 params=[null,null,90,19,9]
__global__ void al_stencil7(float *out, const float *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, plane = nx * ny, at = y * nx + x;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
        return;
    float below = in[at], here = in[at + plane];
#pragma unroll 1
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane];
        out[at] = below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] - 6 * here;
        below = here, here = above;
    }
}
// launch al_tiled_stencil grid=4,4,1 block=18,18,1 params=[null,null,60]
__global__ void al_tiled_stencil(float *out, const float *in, int n)
{
    __shared__ float t[18][18];
    int x = blockIdx.x * 16 + threadIdx.x - 1, y = blockIdx.y * 16 + threadIdx.y - 1;
    bool is_in = x >= 0 && x < n && y >= 0 && y < n;
    t[threadIdx.y][threadIdx.x] = is_in ? in[y * n + x] : 0;
    __syncthreads();
    if (is_in && threadIdx.x > 0 && threadIdx.x < 17 && threadIdx.y > 0 && threadIdx.y < 17)
        out[y * n + x] = t[threadIdx.y - 1][threadIdx.x] + t[threadIdx.y + 1][threadIdx.x] + t[threadIdx.y][threadIdx.x - 1] + t[threadIdx.y][threadIdx.x + 1];
}
// launch al_butterfly grid=4,1,1 block=128,1,1 params=[null,null]
__global__ void al_butterfly(float2 *out, const float2 *in)
{
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    s[t + 128] = in[blockIdx.x * 256 + t + 128];
#pragma unroll 1
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        int a = (t / half) * 2 * half + t % half;
        float2 x = s[a], y = s[a + half];
        s[a] = make_float2(x.x + y.x, x.y + y.y);
        s[a + half] = make_float2(x.x - y.x, x.y - y.y);
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t * 2];
}
// launch al_matvec grid=10,1,1 block=32,4,1 params=[null,null,null,150]
__global__ void al_matvec(float *y, const float *a, const float *x, int n)
{
    int row = blockIdx.x * 4 + threadIdx.y;
    float sum = 0;
#pragma unroll 1
    for (int k = threadIdx.x; k < n; k += 32)
        sum += a[row * n + k] * x[k];
    for (int d = 16; d; d >>= 1)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        y[row] = sum;
}
// launch al_convolution grid=7,1,1 block=96,1,1 params=[null,null,null,600,5]
__global__ void al_convolution(float *out, const float *in, const float *kernel, int n, int radius)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = -radius; k <= radius; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k] * kernel[k + radius];
    if (i < n)
        out[i] = sum;
}
// launch al_gemm_shared grid=3,3,1 block=16,8,1 params=[null,null,null,48]
__global__ void al_gemm_shared(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][20], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16, col = blockIdx.x * 16;
    float top = 0, bottom = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 16) {
        as[tx][ty] = a[(row + ty) * n + k + tx];
        as[tx][ty + 8] = a[(row + ty + 8) * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + col + tx];
        bs[ty + 8][tx] = b[(k + ty + 8) * n + col + tx];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 16; i++) {
            top += as[i][ty] * bs[i][tx];
            bottom += as[i][ty + 8] * bs[i][tx];
        }
        __syncthreads();
    }
    c[(row + ty) * n + col + tx] = top;
    c[(row + ty + 8) * n + col + tx] = bottom;
}
// launch al_ell grid=5,1,1 block=64,1,1 params=[null,null,null,null,300,4]
__global__ void al_ell(float *y, const float *x, const int *col, const float *val, int rows, int width)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < width; k++)
        sum += val[k * rows + r] * x[col[k * rows + r] & 1023];
    y[r] = sum;
}
// launch al_csr grid=4,1,1 block=64,1,1 params=[null,null,null,null,null,250]
__global__ void al_csr(float *y, const float *x, const int *first, const int *col, const float *val, int rows)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    int from = first[r] & 1023, count = first[r + 1] & 15;
#pragma unroll 1
    for (int k = from; k < from + count; k++)
        sum += val[k] * x[col[k] & 1023];
    y[r] = sum;
}
// launch al_compact grid=4,1,1 block=128,1,1 params=[null,null,500]
__global__ void al_compact(int *out, const int *in, int limit)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    int v = in[blockIdx.x * 128 + threadIdx.x], at = -1;
    if ((v & 1023) < limit)
        at = atomicAdd(&count, 1);
    __syncthreads();
    if (at >= 0)
        out[blockIdx.x * 128 + at] = v;
}
// launch al_histogram grid=6,1,1 block=128,1,1 params=[null,null,12]
__global__ void al_histogram(int *out, const unsigned char *in, int rounds)
{
    __shared__ int bins[256];
    bins[threadIdx.x] = bins[threadIdx.x + 128] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        atomicAdd(&bins[in[(blockIdx.x * rounds + k) * 128 + threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
    atomicAdd(&out[threadIdx.x + 128], bins[threadIdx.x + 128]);
}
// launch al_list grid=2,1,1 block=32,1,1 params=[null,null,9]
__global__ void al_list(int *out, const int *next, int steps)
{
    int at = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < steps; k++)
        at = next[at & 4095];
    out[blockIdx.x * 32 + threadIdx.x] = at;
}
// launch al_branch_on_data grid=4,1,1 block=64,1,1 params=[null,null]
__global__ void al_branch_on_data(int *out, const int *in)
{
    int i = blockIdx.x * 64 + threadIdx.x, v = in[i];
    if (v & 1)
        out[i] = in[i + 512] + v;
    else if (v & 2)
        out[i * 2] = v;
    out[4096 + i] = v;
}
}
