// Warps that wait for a load, compute with what it brought and load again: how far the waits of some and the arithmetic of others hide each other.
// Each scheduler of an SM has `warps` of them, in blocks of 128 (a warp for each scheduler), or in one block with a barrier a round. What is loaded comes out of shared memory or out of L2,
// at places that follow from what came before. Prints clocks of a round: of all, of one warp's alone, of the issue slots alone (as many warps as fit), and the exponent p of
// all = (alone^p + slots^p)^(1/p).
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

enum { IN_SHARED, IN_L2, PLACES = 1 << 20 };

template <int WHERE, int WORK, int HAS_BARRIER>
__global__ void rounds(const unsigned *from, long long *out, int count)
{
    __shared__ unsigned near[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        near[i] = 0;
    __syncthreads();
    unsigned row = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32;
    float a = threadIdx.x, b = 1, c = 2, d = 3;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        const unsigned at = (row >> 5) * 32 + threadIdx.x % 32, got = WHERE == IN_SHARED ? near[at % 1024] : __ldcg(from + at % PLACES);
        const float x = __uint_as_float((got & 0xffff) | 0x3f800000);
#pragma unroll
        for (int k = 0; k < WORK / 4; k++) {
            a = fmaf(a, x, 1.f); b = fmaf(b, x, 2.f); c = fmaf(c, x, 3.f); d = fmaf(d, x, 4.f);
        }
        row = row * 1664525 + 1013904223 + got * __float_as_uint(a + b + c + d);     // got is 0
        if (HAS_BARRIER)
            __syncthreads();
    }
    if (a + b + c + d == 1.f)
        out[0] = row;
}

template <int WHERE, int WORK, int HAS_BARRIER>
double clocks(const unsigned *from, long long *out, int sms, int warps)
{
    const int count = 2000, threads = HAS_BARRIER ? warps * 128 : 128;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best[2] = { 1e9f, 1e9f };
    for (int half = 0; half < 2; half++)
        for (int again = 0; again < 4; again++) {
            cudaEventRecord(begin);
            rounds<WHERE, WORK, HAS_BARRIER><<<HAS_BARRIER ? sms : sms * warps, threads>>>(from, out, count * (half + 1));
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            best[half] = fminf(best[half], ms);
        }
    return (best[1] - best[0]) * 1e3 * 1980 / count;
}

template <int WHERE, int WORK, int HAS_BARRIER>
void row(const unsigned *from, long long *out, int sms)
{
    const double alone = clocks<WHERE, WORK, HAS_BARRIER>(from, out, sms, 1),
                 slot = (clocks<WHERE, WORK, 0>(from, out, sms, 16) - clocks<WHERE, WORK, 0>(from, out, sms, 12)) / 4;
    for (int warps : { 2, 3, 4, 6, 8 }) {
        const double all = clocks<WHERE, WORK, HAS_BARRIER>(from, out, sms, warps), slots = slot * warps, most = fmax(alone, slots);
        double p = 1;
        while (p < 20 && pow(pow(alone, p) + pow(slots, p), 1 / p) > all)
            p += 0.05;
        printf("%s, %3d FMA%s, %d warps: %7.1f clk, alone %6.1f, slots %6.1f, %.2f of the longer, p %.2f\n", WHERE == IN_SHARED ? "shared" : "L2", WORK,
               HAS_BARRIER ? ", barrier" : "", warps, all, alone, slots, all / most, p);
    }
}

template <int WHERE, int HAS_BARRIER>
void rows(const unsigned *from, long long *out, int sms)
{
    row<WHERE, 16, HAS_BARRIER>(from, out, sms);
    row<WHERE, 48, HAS_BARRIER>(from, out, sms);
    row<WHERE, 96, HAS_BARRIER>(from, out, sms);
    row<WHERE, 192, HAS_BARRIER>(from, out, sms);
}

int main()
{
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("%s\n", device.name);
    unsigned *from;
    long long *out;
    cudaMalloc(&from, PLACES * 4);
    cudaMalloc(&out, 64);
    cudaMemset(from, 0, PLACES * 4);
    rows<IN_SHARED, 0>(from, out, device.multiProcessorCount);
    rows<IN_SHARED, 1>(from, out, device.multiProcessorCount);
    rows<IN_L2, 0>(from, out, device.multiProcessorCount);
    rows<IN_L2, 1>(from, out, device.multiProcessorCount);
    return 0;
}
