// How blocks on an SM hide each other's phases: a block loads, computes, and stores; blocks beside each other by their shared memory. Prints a line a measurement, microseconds: loads and stores alone, arithmetic alone, both.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
// each thread LOADS float4 at once, then `work` rounds of 4 x LOADS fused multiply-adds between barriers, then stores them
template <int LOADS, bool MEMORY> __global__ void __launch_bounds__(1024, 1) phase(const float4 *from, float4 *to, int work, int barriers)
{
    extern __shared__ float sh[]; float4 v[LOADS]; size_t at = (size_t)blockIdx.x * blockDim.x * LOADS + threadIdx.x;
#pragma unroll
    for (int l = 0; l < LOADS; l++) v[l] = MEMORY ? __ldcs(from + at + (size_t)l * blockDim.x) : make_float4(l, work, 3, 4);
    for (int w = 0; w < work; w++) {
#pragma unroll
        for (int l = 0; l < LOADS; l++) { v[l].x = v[l].x * 1.01f + v[l].y; v[l].y = v[l].y * 1.01f + v[l].z; v[l].z = v[l].z * 1.01f + v[l].w; v[l].w = v[l].w * 1.01f + v[l].x; }
        if (w < barriers) { sh[threadIdx.x] = v[0].x; __syncthreads(); v[0].y += sh[threadIdx.x ^ 32]; __syncthreads(); }
    }
    float sum = 0;
#pragma unroll
    for (int l = 0; l < LOADS; l++) { if (MEMORY) __stcs(to + at + (size_t)l * blockDim.x, v[l]); else sum += v[l].x + v[l].y + v[l].z + v[l].w; }
    if (!MEMORY && sum == 12345.f) to[0] = v[0];
}
float4 *from, *to;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 5; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
template <int LOADS> void all()
{
    CHECK(cudaFuncSetAttribute(phase<LOADS, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10)); CHECK(cudaFuncSetAttribute(phase<LOADS, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (int threads : {128, 256, 512, 1024}) for (int beside : {1, 2, 3, 4, 8, 16}) for (int work : {0, 8, 32}) for (int barriers : {0, 4}) {
        if (threads * beside > 2048 || barriers > work || (long)threads * beside * LOADS * 4 > 40000) continue;
        size_t all = (size_t)1 << 26; int blocks = all / ((size_t)threads * LOADS * 16) * 4; int shared = std::max(threads * 4, ((226 << 10) / beside - 1024) / 1024 * 1024);
        double both = best([&] { phase<LOADS, true><<<blocks, threads, shared>>>(from, to, work, barriers); }), sums = best([&] { phase<LOADS, false><<<blocks, threads, shared>>>(from, to, work, barriers); });
        static double alone; if (!work) alone = both;
        printf("float4 %d threads %d blocks %d barriers %d: memory %.1f, rounds %d alone %.1f, both %.1f (%.1f a block)\n", LOADS, threads, beside, barriers, alone, work, sums, both, both * 132 * beside / blocks);
    }
}
int main()
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name); CHECK(cudaMalloc(&from, 1ull << 29)); CHECK(cudaMalloc(&to, 1ull << 29)); CHECK(cudaMemset(from, 0, 1ull << 29));
    all<4>(); all<16>();
}
