// reduction.cu -- the sum of n floats, five ways.
//
//   reduce_atomic        every thread adds to one word
//   reduce_interleaved   tree in shared memory with a modulo test: divergent, bank conflicts
//   reduce_sequential    tree in shared memory with contiguous active threads
//   reduce_shuffle       warp shuffles, then one word a warp through shared memory
//   reduce_missing_sync  the sequential tree without the barrier in its loop: a race, kept on purpose

extern "C" __global__ void reduce_atomic(int n, const float *__restrict__ in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

extern "C" __global__ __launch_bounds__(256) void reduce_interleaved(int n, const float *__restrict__ in,
                                                                     float *__restrict__ out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

extern "C" __global__ __launch_bounds__(256) void reduce_sequential(int n, const float *__restrict__ in,
                                                                    float *__restrict__ out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned step = 128; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

extern "C" __global__ __launch_bounds__(256) void reduce_shuffle(int n, const float *__restrict__ in, float *out)
{
    __shared__ float partial[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
        v += in[i];
    v = warp_sum(v);
    if (lane == 0)
        partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < 8 ? partial[lane] : 0.0f);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

extern "C" __global__ __launch_bounds__(256) void reduce_missing_sync(int n, const float *__restrict__ in,
                                                                      float *__restrict__ out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned step = 128; step > 0; step /= 2)
        if (t < step)
            s[t] += s[t + step];
    if (t == 0)
        out[blockIdx.x] = s[0];
}
