// Atomics on shared and global memory: distinct words, one word, strides, parts of warps.
extern "C" {
// launch at_shared_words grid=3,1,1 block=96,1,1 params=[null,7]
__global__ void at_shared_words(unsigned *out, unsigned v)
{
    __shared__ unsigned t[256];
    unsigned i = threadIdx.x, sum = 0;
    t[i] = t[i + 96] = v;
    __syncthreads();
    sum += atomicMin(&t[i], v + i);
    sum += atomicMax(&t[i >> 2], v * i);
    sum += atomicAnd(&t[i * 2], v);
    sum += atomicOr(&t[i & 1], i);
    sum += atomicXor(&t[(i & 31) * 4], i);
    sum += atomicInc(&t[i >> 1], v);
    sum += atomicDec(&t[i & ~3], v);
    sum += atomicExch(&t[191 - i], v);
    sum += atomicAdd(&t[i * 5 & 127], i);
    out[blockIdx.x * 96 + i] = sum;
}
// launch at_shared_unused grid=3,1,1 block=96,1,1 params=[null,7]
__global__ void at_shared_unused(unsigned *out, unsigned v)
{
    __shared__ unsigned t[256];
    unsigned i = threadIdx.x;
    t[i] = t[i + 96] = v;
    __syncthreads();
    atomicMin(&t[i & 7], v + i);
    atomicMax(&t[i >> 2], v * i);
    atomicAnd(&t[i * 2], v);
    atomicOr(&t[i & 1], i);
    atomicXor(&t[(i & 31) * 4], i);
    atomicInc(&t[i >> 1], v);
    atomicAdd(&t[i * 5 & 127], i);
    atomicAdd(&t[i >> 3], 1);
    if (i % 3)
        atomicAdd(&t[i >> 1], 2);
    __syncthreads();
    out[blockIdx.x * 96 + i] = t[i];
}
// launch at_shared_cas grid=3,1,1 block=64,1,1 params=[null,7]
__global__ void at_shared_cas(unsigned *out, unsigned v)
{
    __shared__ unsigned t[256];
    __shared__ unsigned long long u[128];
    unsigned i = threadIdx.x;
    t[i] = v;
    u[i] = v;
    __syncthreads();
    unsigned a = atomicCAS(&t[i >> 1], v, i), b = atomicCAS(&t[i * 2], v, i);
    unsigned long long c = atomicCAS(&u[i], v, i), d = atomicCAS(&u[i >> 2], v, i), e = atomicExch(&u[i * 2 & 127], v);
    out[blockIdx.x * 64 + i] = a + b + c + d + e;
}
// launch at_global grid=6,1,1 block=80,1,1 params=[null,null,470]
__global__ void at_global(int *out, unsigned long long *wide, int n)
{
    int i = blockIdx.x * 80 + threadIdx.x;
    if (i >= n)
        return;
    int old = atomicAdd(&out[i * 2], i);
    atomicMax(&out[i / 3], i);
    atomicAdd(&wide[i >> 1], (unsigned long long)i);
    atomicExch(&wide[1024 - i], (unsigned long long)old);
    atomicCAS(&out[4096 + i], 0, old);
}
// launch at_global_float grid=4,1,1 block=64,1,1 params=[null,null]
__global__ void at_global_float(float *out, double *wide)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    atomicAdd(&out[i * 3], 1.5f);
    atomicAdd(&wide[i & ~1], 2.0);
    atomicAdd(&out[1000 + (i >> 5) * 33 + (i & 31)], 2.5f);
}
// launch at_privatised grid=5,1,1 block=96,1,1 params=[null,9]
__global__ void at_privatised(int *out, int rounds)
{
    __shared__ int bins[3][33];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    bins[w][lane] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        atomicAdd(&bins[w][(lane * k) & 31], k);
    __syncthreads();
    if (w == 0)
        out[blockIdx.x * 32 + lane] = bins[0][lane] + bins[1][lane] + bins[2][lane];
}
}
