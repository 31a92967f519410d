// local_spill.cu -- arrays in local memory and register pressure.
//
//   dynamic_index   an array indexed by data: it lives in local memory
//   constant_index  the same array with indices known after unrolling: it lives in registers
//   many_values     more live values than 32 registers hold (__launch_bounds__ of 1024 threads, two blocks)
//   capped          __maxnreg__ of 24

extern "C" __global__ void dynamic_index(int n, const int *__restrict__ key, const float *__restrict__ in,
                                         float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float bucket[16] = {};
    for (int k = 0; k < n; k++)
        bucket[key[k * 256 + i] & 15] += in[k * 256 + i];
    float best = bucket[0];
    for (int k = 1; k < 16; k++)
        best = fmaxf(best, bucket[k]);
    out[i] = best;
}

extern "C" __global__ void constant_index(const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[k * 256 + i];
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[k * 256 + i] = v[7 - k] - v[k];
}

extern "C" __global__ __launch_bounds__(1024, 2) void many_values(const float *__restrict__ in,
                                                                  float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[k * 1024 + i];
#pragma unroll 1
    for (int round = 0; round < 8; round++) {
#pragma unroll
        for (int k = 0; k < 48; k++)
            v[k] = v[k] * v[(k + 17) % 48] + v[(k + 31) % 48];
    }
#pragma unroll
    for (int k = 0; k < 48; k++)
        out[k * 1024 + i] = v[k];
}

extern "C" __global__ __maxnreg__(24) void capped(const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[20];
#pragma unroll
    for (int k = 0; k < 20; k++)
        v[k] = in[k * 256 + i];
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
#pragma unroll
        for (int k = 0; k < 20; k++)
            v[k] += v[(k + 7) % 20];
    }
#pragma unroll
    for (int k = 0; k < 20; k++)
        out[k * 256 + i] = v[k];
}
