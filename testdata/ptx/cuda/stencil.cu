// stencil.cu -- stencils in one, two and three dimensions.
//
//   stencil_1d  radius 3, tile with halo in shared memory, coefficients in constant memory
//   stencil_2d  five points straight from global memory
//   stencil_3d  seven points, marching in z with three values in registers

#define RADIUS 3
#define BLOCK 256

__constant__ float weight[2 * RADIUS + 1];

extern "C" __global__ __launch_bounds__(BLOCK) void stencil_1d(int n, const float *__restrict__ in,
                                                               float *__restrict__ out)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int t = threadIdx.x + RADIUS;
    s[t] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < RADIUS) {
        s[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
        s[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0.0f;
    }
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weight[k + RADIUS] * s[t + k];
    out[i] = sum;
}

static __device__ __forceinline__ float at(const float *p, int nx, int x, int y)
{
    return p[y * nx + x];
}

extern "C" __global__ __launch_bounds__(256) void stencil_2d(int nx, int ny, const float *__restrict__ in,
                                                             float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    out[y * nx + x] = 0.25f * (at(in, nx, x - 1, y) + at(in, nx, x + 1, y) + at(in, nx, x, y - 1) +
                               at(in, nx, x, y + 1)) - at(in, nx, x, y);
}

extern "C" __global__ __launch_bounds__(256) void stencil_3d(int nx, int ny, int nz, const float *__restrict__ in,
                                                             float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    size_t plane = (size_t)nx * ny, i = (size_t)y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        float above = in[i + plane];
        out[i] = 0.5f * here +
                 0.083333f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
        below = here;
        here = above;
    }
}
