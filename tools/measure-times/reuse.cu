// What L2 still holds where each block reads bytes of its own again: prints a line a measurement, the microseconds and the share of the second reading that memory takes, by all that the blocks on the GPU read in between.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
// each block reads `bytes` of its own `times` times; shared: the same as `shared` blocks beside it
__global__ void again(const float4 *from, size_t each, int times, int shared, float *to)
{
    const float4 *mine = from + blockIdx.x / shared * each; float sum = 0;
    for (int t = 0; t < times; t++) { for (size_t i = threadIdx.x; i < each; i += blockDim.x * 4) { float4 v[4];
#pragma unroll
            for (int u = 0; u < 4; u++) v[u] = __ldcg(mine + min(i + u * blockDim.x, each - 1));
#pragma unroll
            for (int u = 0; u < 4; u++) sum += v[u].x + v[u].y + v[u].z + v[u].w; }
        __syncthreads(); }
    if (sum == 12345.f) to[0] = sum;
}
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 4; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
int main()
{
    float4 *from; float *to; cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s, L2 %.1f MB\n", p.name, p.l2CacheSize / 1e6); CHECK(cudaMalloc(&from, 4ull << 30)); CHECK(cudaMalloc(&to, 4)); CHECK(cudaMemset(from, 0, 4ull << 30));
    for (int shared : {1, 2, 4, 132}) for (int mb : {10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80}) {
        size_t each = (size_t)mb * 1000000 / (132 * 4) * shared / 16; int blocks = 132 * 4 * 8; while ((size_t)blocks / shared * each * 16 > 4000000000ull) blocks -= 132 * 4;
        if ((size_t)(blocks / shared) * each * 16 > 4000000000ull || each * 16 > 200000000) continue;
        double one = best([&] { again<<<blocks, 512>>>(from, each, 1, shared, to); }), five = best([&] { again<<<blocks, 512>>>(from, each, 5, shared, to); });
        double moved = (double)blocks * each * 16; printf("shared by %d, %d MB live: once %.1f us (%.0f GB/s), each again %.1f us (%.0f GB/s)\n", shared, mb, one, moved / one / 1e3, (five - one) / 4, moved / ((five - one) / 4) / 1e3);
    }
}
