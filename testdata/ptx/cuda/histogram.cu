// histogram.cu -- 256 bins over bytes: global atomics, shared atomics, and one private copy a warp.

extern "C" __global__ void histogram_global(int n, const unsigned char *__restrict__ in, unsigned *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

extern "C" __global__ __launch_bounds__(256) void histogram_shared(int n, const uchar4 *__restrict__ in,
                                                                   unsigned *bins)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) {
        uchar4 v = in[i];
        atomicAdd(&local[v.x], 1u);
        atomicAdd(&local[v.y], 1u);
        atomicAdd(&local[v.z], 1u);
        atomicAdd(&local[v.w], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ __launch_bounds__(256) void histogram_warp(int n, const unsigned *__restrict__ in,
                                                                 unsigned *bins)
{
    extern __shared__ unsigned copies[]; // 8 * 257 words, given at launch
    unsigned *mine = copies + (threadIdx.x / 32) * 257;
    for (int i = threadIdx.x; i < 8 * 257; i += 256)
        copies[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
        atomicAdd_block(&mine[in[i] >> 24], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++)
        sum += copies[w * 257 + threadIdx.x];
    if (sum)
        atomicAdd(&bins[threadIdx.x], sum);
}
