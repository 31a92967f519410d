// kernels.cu -- what the PTX files of this folder are made of: see README.md.
#ifdef ADDED
__device__ int added(int x) { return x * 3 + 1; }
#endif

namespace {
template <int N> __global__ void column(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x * N];
}
}

template <typename T> __global__ void scale(T *data, T factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef ADDED
    if (i == 7)
        n = added(n);
#endif
    if (i < n)
        data[i] = data[i] / factor;
}

extern "C" __global__ void divide(float *data, const float *by, int n)
{
#ifdef UNROLLED
#pragma unroll 4
#else
#pragma unroll 1
#endif
    for (int i = 0; i < n; i++)
        data[i * blockDim.x + threadIdx.x] /= by[i];
}

extern "C" __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void use(float *p)
{
    column<33><<<1, 256>>>(p, p);
    scale<float><<<1, 256>>>(p, 3.f, 7);
    scale<double><<<1, 256>>>((double *)p, 3., 7);
}
