// printf_calls.cu -- device functions that stay functions: __noinline__, structure arguments, printf, assert, malloc.

#include <cassert>
#include <cstdio>

struct Range { float low, high; int count; };

static __device__ __noinline__ float clamp_to(float v, Range r)
{
    r.count++;
    return fminf(fmaxf(v, r.low), r.high) + 0.0f * r.count;
}

__device__ __noinline__ void widen(Range *r, float v)
{
    if (v < r->low)
        r->low = v;
    if (v > r->high)
        r->high = v;
    r->count++;
}

extern "C" __global__ void report(int n, const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Range r = {-1.0f, 1.0f, 0};
    widen(&r, in[i]);
    float v = clamp_to(in[i], r);
    if (v != v)
        printf("element %d of %d: not a number (range %f to %f)\n", i, n, r.low, r.high);
    out[i] = v;
}

extern "C" __global__ void checked(int n, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n && "grid larger than the data");
    int *scratch = (int *)malloc(4 * sizeof(int));
    if (!scratch)
        __trap();
    for (int k = 0; k < 4; k++)
        scratch[k] = i + k;
    out[i] = scratch[i & 3];
    free(scratch);
}
