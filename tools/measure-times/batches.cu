// Warps that load a batch, wait for all of it and load the next: how far transfers and waits hide each other.
// Each SM has `warps` of them, in blocks of one warp and of four; a lane has `loads` loads of 16 bytes under way. 512 MB are read once.
// Prints ns of an iteration, of a single warp's alone, and of the bytes alone at what many warps reach.
#include <cstdio>
#include <cuda_runtime.h>

constexpr size_t BYTES = size_t{512} << 20;

template <int LOADS>
__global__ void batches(const uint4 *from, unsigned *out, int rounds)
{
    const size_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const uint4 *at = from + warp * rounds * LOADS * 32 + threadIdx.x % 32;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++, at += LOADS * 32) {
        uint4 got[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(got[i].x), "=r"(got[i].y), "=r"(got[i].z), "=r"(got[i].w) : "l"(at + i * 32));
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum += got[i].x ^ got[i].y ^ got[i].z ^ got[i].w;
        asm volatile("" : "+r"(sum));
    }
    if (sum == 1)
        *out = sum;
}

template <int LOADS>
float measure(const uint4 *from, unsigned *out, int sms, int warps, int of_block, int rounds)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e9f;
    for (int again = 0; again < 4; again++) {
        cudaMemset(const_cast<uint4 *>(from), 0, BYTES);
        cudaEventRecord(begin);
        batches<LOADS><<<sms * warps / of_block, 32 * of_block>>>(from, out, rounds);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        best = ms < best ? ms : best;
    }
    return best * 1e3f;
}

template <int LOADS>
void row(const uint4 *from, unsigned *out, int sms)
{
    const size_t batch = LOADS * 512;
    const float alone = measure<LOADS>(from, out, sms, 1, 1, 256) / 256 * 1e3f;
    for (int of_block = 1; of_block <= 4; of_block += 3)
        for (int warps = 4; warps <= 32; warps *= 2) {
            const int rounds = int(BYTES / (batch * sms * warps));
            const float us = measure<LOADS>(from, out, sms, warps, of_block, rounds);
            printf("loads %d warps %2d of_block %d: %7.1f us, %6.0f ns a round, alone %5.0f, %5.0f GB/s\n", LOADS, warps, of_block, us,
                   us / rounds * 1e3f, alone, double(batch) * sms * warps * rounds / us / 1e3);
        }
}

int main()
{
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("%s\n", device.name);
    uint4 *from;
    unsigned *out;
    cudaMalloc(&from, BYTES);
    cudaMalloc(&out, 4);
    row<1>(from, out, device.multiProcessorCount);
    row<2>(from, out, device.multiProcessorCount);
    row<4>(from, out, device.multiProcessorCount);
    row<8>(from, out, device.multiProcessorCount);
    return 0;
}
