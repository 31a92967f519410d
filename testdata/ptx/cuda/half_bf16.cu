// half_bf16.cu -- half2, bfloat162 and fp8 arithmetic and conversions.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ __launch_bounds__(256) void half2_axpy(int n, __half2 a, const __half2 *__restrict__ x,
                                                             __half2 *__restrict__ y)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = __hfma2(a, x[i], y[i]);
}

extern "C" __global__ __launch_bounds__(256) void half_scalar(int n, const __half *__restrict__ x,
                                                              __half *__restrict__ y)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]);
        y[i] = __float2half(v / (1.0f + __expf(-v)));
    }
}

extern "C" __global__ __launch_bounds__(256) void bf16_norm(int n, const __nv_bfloat162 *__restrict__ x,
                                                            __nv_bfloat162 *__restrict__ y)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat162 v = x[i];
    float2 f = __bfloat1622float2(v);
    float r = rsqrtf(f.x * f.x + f.y * f.y + 1e-5f);
    y[i] = __hmul2(v, __float2bfloat162_rn(r));
}

extern "C" __global__ __launch_bounds__(256) void fp8_scale(int n, float scale, const float2 *__restrict__ x,
                                                            __nv_fp8x2_e4m3 *__restrict__ y)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = __nv_fp8x2_e4m3(make_float2(x[i].x * scale, x[i].y * scale));
}
