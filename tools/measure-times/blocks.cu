// Blocks that go along rows of memory in turns: all warps load a row, meet at barriers, wait for a chain of their own, and go on with the next row.
// One wave of `beside` blocks an SM, 512 MB read once (and written, where stores is 1). Prints us of the launch, ns of a turn of a block that is alone on the GPU, and us that bytes take alone; then launches of as many blocks that do not fill their last wave, last of them blocks of multiply-adds alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
constexpr size_t BYTES = size_t{512} << 20;
template <int LOADS, bool STORES> __global__ void __launch_bounds__(1024) rows(const float4 *from, float4 *to, int turns, int work)
{
    extern __shared__ float sh[];
    size_t at = (size_t)blockIdx.x * turns * blockDim.x * LOADS + threadIdx.x;
    float carried = 0;
#pragma unroll 1
    for (int r = 0; r < turns; r++, at += blockDim.x * LOADS) {
        float4 v[LOADS];
        float sum = 0;
#pragma unroll
        for (int l = 0; l < LOADS; l++) v[l] = __ldcs(from + at + (size_t)l * blockDim.x);
#pragma unroll
        for (int l = 0; l < LOADS; l++) sum += v[l].x + v[l].y + v[l].z + v[l].w;
#pragma unroll 4
        for (int w = 0; w < work; w++) sum = sum * 1.01f + .5f;
        sh[threadIdx.x] = sum; __syncthreads(); sum += sh[threadIdx.x ^ 32]; __syncthreads();
        carried += sum;
        if (STORES)
#pragma unroll
            for (int l = 0; l < LOADS; l++) __stcs(to + at + (size_t)l * blockDim.x, make_float4(v[l].x * sum, v[l].y * sum, v[l].z * sum, v[l].w * sum));
    }
    if (carried == 12345.f) to[0].x = carried;
}
__global__ void __launch_bounds__(256) chains(float *to)
{
    float x = clock() * 0.f + threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 1
    for (int i = 0; i < 8192; i++) { x = fmaf(x, x, x); y = fmaf(y, y, y); z = fmaf(z, z, z); w = fmaf(w, w, w); }
    to[threadIdx.x] = x + y + z + w;
}
float4 *from, *to; int sms;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 4; i++) { CHECK(cudaMemsetAsync(to, 0, 64 << 20)); cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
template <int LOADS, bool STORES> void all()
{
    CHECK(cudaFuncSetAttribute(rows<LOADS, STORES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (int threads : {128, 256, 512, 1024}) for (int work : {0, 128, 512}) {
        const size_t row = (size_t)threads * LOADS * 16;
        auto go = [&](int blocks, int beside, int turns) { const int shared = std::max(threads * 4, ((226 << 10) / beside - 1024) / 1024 * 1024); return best([&] { rows<LOADS, STORES><<<blocks, threads, shared>>>(from, to, turns, work); }); };
        const double alone = (go(1, 1, 264) - go(1, 1, 8)) / 256 * 1e3;
        for (int beside : {1, 2, 3, 4, 6, 8}) {
            if (threads * beside > 2048 || (long)beside * row > 100000) continue;
            const int turns = (int)(BYTES / row / (sms * beside));
            if (turns < 4) continue;
            printf("loads %d threads %d work %d stores %d beside %d: %.1f us for %d turns, alone %.0f ns, %.1f MB\n", LOADS, threads, work, STORES, beside, go(sms * beside, beside, turns), turns, alone, (double)row * turns * sms * beside / 1e6);
        }
        if (work == 128 && LOADS == 4 && threads <= 512) for (double waves : {.5, .75, .9, 1., 1.1, 1.25, 1.5, 1.75, 2., 2.25, 2.5, 3., 3.25, 4.5}) for (int beside : {2, 4}) {
            const int blocks = (int)(waves * sms * beside); if ((size_t)blocks * 8 * row > BYTES) continue;
            printf("tail loads %d threads %d stores %d beside %d: waves %.2f blocks %d: %.1f us, %.1f MB, alone %.0f ns x 8\n", LOADS, threads, STORES, beside, waves, blocks, go(blocks, beside, 8), (double)row * 8 * blocks / 1e6, alone);
        }
    }
}
void waves_of_chains()
{
    int beside; CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&beside, chains, 256, 0));
    const int wave = sms * beside;
    for (int blocks : {1, wave / 2, wave - 1, wave, wave + 1, wave + sms, wave * 5 / 4, wave * 3 / 2, wave * 2, wave * 2 + 1, wave * 2 + sms})
        printf("chains, %d an SM: blocks %d: %.1f us\n", beside, blocks, best([&] { chains<<<blocks, 256>>>((float *)to); }));
}
int main()
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); sms = p.multiProcessorCount; printf("%s\n", p.name);
    CHECK(cudaMalloc(&from, BYTES + (64 << 20))); CHECK(cudaMalloc(&to, BYTES + (64 << 20))); CHECK(cudaMemset(from, 0, BYTES));
    all<1, false>(); all<2, false>(); all<4, false>(); all<4, true>(); all<2, true>(); waves_of_chains();
}
