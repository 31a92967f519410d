// Constants that a loop reads word by word at an address that a warp shares: clocks of an SM for a word and warp, where blocks are in step and where they are not.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
enum { SMS = 132, WAVES = 4, MOST_SHARED = 200000 };
const double CLOCK_MHZ = 1755;
__constant__ float taps[2048];
float *out, *in;

// What is loaded in each step: from global memory, the same of shared memory, nothing (blocks stay in step).
__global__ void global(float *o, const float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < n; k++) s += a[i + k] * taps[k]; o[i] = s; }
__global__ void shared(float *o, const float *a, int n)
{
    extern __shared__ float row[];
    float s = 0;
    for (int k = threadIdx.x; k < blockDim.x + n; k += blockDim.x) row[k] = a[blockIdx.x * blockDim.x + k];
    __syncthreads();
    for (int k = 0; k < n; k++) s += row[threadIdx.x + k] * taps[k];
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void alone(float *o, const float *, int n) { float s = 0; for (int k = 0; k < n; k++) s = s * 1.01f + taps[k]; o[blockIdx.x * blockDim.x + threadIdx.x] = s; }

template <class Kernel> void measure(const char *what, Kernel *kernel, int blocks, int threads, int n)
{
    cudaEvent_t begin, end;
    float least = 1e9f;
    int room = 224 * 1024 / blocks - 2048;
    CHECK(cudaEventCreate(&begin)); CHECK(cudaEventCreate(&end));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST_SHARED));
    for (int r = 0; r < 5; r++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        kernel<<<SMS * blocks * WAVES, threads, room < MOST_SHARED ? room : MOST_SHARED>>>(out, in, n);
        CHECK(cudaEventRecord(end)); CHECK(cudaEventSynchronize(end)); CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = ms < least ? ms : least;
    }
    printf("%s, %d blocks of %d at once, %d bytes: %.2f\n", what, blocks, threads, 4 * n, 1e3 * least * CLOCK_MHZ / n / (blocks * WAVES * threads / 32));
}

int main()
{
    CHECK(cudaMalloc(&out, 64 << 20)); CHECK(cudaMalloc(&in, 64 << 20)); CHECK(cudaMemset(in, 0, 64 << 20));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name);
    for (int blocks : {1, 2, 4, 8, 16}) for (int threads : {64, 128, 256, 512, 1024}) for (int n : {64, 128, 256, 512, 2048})
        if (blocks * threads <= 2048) { measure("global", global, blocks, threads, n); measure("shared", shared, blocks, threads, n); measure("alone", alone, blocks, threads, n); }
}
