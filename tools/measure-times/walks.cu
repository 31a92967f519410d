// Constants that a loop without other loads reads at an address that a warp shares: clocks of an SM for 16 bytes and warp, by what else the loop does, how many bytes there are, and
// how many blocks of how many threads are on an SM.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
#define X (blockIdx.x * blockDim.x + threadIdx.x)
enum { SMS = 132, WAVES = 4, MOST_SHARED = 200000 };
const double CLOCK_MHZ = 1755;
__constant__ float words[16384];
#define QUADS ((const float4 *)words)
float *out;

__global__ void word_fma(float *o, int n) { float s = X; for (int k = 0; k < n * 4; k++) s = s * 1.01f + words[k]; o[X] = s; }
__global__ void word_rsqrt(float *o, int n) { float s = 0, x = X; for (int k = 0; k < n * 4; k++) { float d = x - words[k]; s += rsqrtf(d * d); } o[X] = s; }
__global__ void quad_fma(float *o, int n) { float s = X; for (int k = 0; k < n; k++) { float4 v = QUADS[k]; s = ((s * v.x + v.y) * v.z + v.w) * s; } o[X] = s; }
__global__ void quad_rsqrt(float *o, int n) { float s = 0, x = X, y = blockIdx.x; for (int k = 0; k < n; k++) { float4 v = QUADS[k]; float dx = x - v.x, dy = y - v.y; s += v.w * rsqrtf(dx * dx + dy * dy + v.z); } o[X] = s; }
__global__ void quad_32_fma(float *o, int n)
{
    float s = X, t = X, u = X, w = X;
    for (int k = 0; k < n; k++) {
        float4 v = QUADS[k];
#pragma unroll
        for (int i = 0; i < 8; i++) { s = s * v.x + t; t = t * v.y + u; u = u * v.z + w; w = w * v.w + s; }
    }
    o[X] = s + t + u + w;
}
__global__ void quad_branch(float *o, int n) { float s = 0, x = X & 31; for (int k = 0; k < n; k++) { float4 v = QUADS[k]; float d = x - v.x; if (d > 15) s += sqrtf(d * v.y + v.z); else s += d * v.w; } o[X] = s; }

void measure(const char *what, void (*kernel)(float *, int), int blocks, int threads, int n)
{
    cudaEvent_t begin, end;
    float least = 1e9f;
    int room = 224 * 1024 / blocks - 2048;
    CHECK(cudaEventCreate(&begin)); CHECK(cudaEventCreate(&end));
    CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST_SHARED));
    for (int r = 0; r < 4; r++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        kernel<<<SMS * blocks * WAVES, threads, room < MOST_SHARED ? room : MOST_SHARED>>>(out, n);
        CHECK(cudaEventRecord(end)); CHECK(cudaEventSynchronize(end)); CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = ms < least ? ms : least;
    }
    printf("%s, %d blocks of %d at once, %d bytes: %.2f\n", what, blocks, threads, 16 * n, 1e3 * least * CLOCK_MHZ / n / (blocks * WAVES * threads / 32));
}

int main()
{
    CHECK(cudaMalloc(&out, 64 << 20));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name);
    for (int blocks : {1, 2, 4, 8, 16, 32}) for (int threads : {64, 128, 256, 512, 1024}) for (int n : {16, 32, 64, 128, 512, 1024, 4096}) if (blocks * threads <= 2048) {
        measure("a word and an fma", word_fma, blocks, threads, n); measure("a word and rsqrt", word_rsqrt, blocks, threads, n); measure("4 words and 3 fma", quad_fma, blocks, threads, n);
        measure("4 words and rsqrt", quad_rsqrt, blocks, threads, n); measure("4 words and 32 fma", quad_32_fma, blocks, threads, n); measure("4 words and a branch", quad_branch, blocks, threads, n);
    }
}
