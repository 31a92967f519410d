// softmax.cu -- row softmax and layer normalisation, one block a row, with dynamic shared memory.

extern __shared__ float row[];

template <class Op> static __device__ float block_reduce(float v, float *scratch, Op op, float identity)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = op(v, __shfl_xor_sync(0xffffffffu, v, offset));
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? scratch[threadIdx.x % 32] : identity;
    for (int offset = 16; offset > 0; offset /= 2)
        v = op(v, __shfl_xor_sync(0xffffffffu, v, offset));
    __syncthreads();
    return v;
}

extern "C" __global__ __launch_bounds__(256) void softmax(int cols, const float *__restrict__ in,
                                                          float *__restrict__ out)
{
    __shared__ float scratch[32];
    const float *src = in + (size_t)blockIdx.x * cols;
    float most = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = src[c];
        most = fmaxf(most, row[c]);
    }
    most = block_reduce(most, scratch, [](float a, float b) { return fmaxf(a, b); }, -INFINITY);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = __expf(row[c] - most);
        sum += row[c];
    }
    sum = block_reduce(sum, scratch, [](float a, float b) { return a + b; }, 0.0f);
    float scale = __frcp_rn(sum);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = row[c] * scale;
}

extern "C" __global__ __launch_bounds__(256) void layer_norm(int cols, const float4 *__restrict__ in,
                                                             const float4 *__restrict__ gain,
                                                             float4 *__restrict__ out)
{
    __shared__ float scratch[32];
    float4 v = in[(size_t)blockIdx.x * (cols / 4) + threadIdx.x];
    auto plus = [](float a, float b) { return a + b; };
    float mean = block_reduce(v.x + v.y + v.z + v.w, scratch, plus, 0.0f) / cols;
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    float var = block_reduce(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, scratch, plus, 0.0f) / cols;
    float r = rsqrtf(var + 1e-5f);
    float4 g = gain[threadIdx.x];
    out[(size_t)blockIdx.x * (cols / 4) + threadIdx.x] =
        make_float4(v.x * r * g.x, v.y * r * g.y, v.z * r * g.z, v.w * r * g.w);
}
