// What L2 sustains where blocks that run side by side ask for the same tiles: `share` blocks of numbers next to each other, or `share` apart. Prints a line a measurement, GB/s into the SMs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
__device__ void wait_for(uint32_t bar, uint32_t parity) { asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" :: "r"(bar), "r"(parity) : "memory"); }
// pieces: bulk copies of a tile, as rows of a tensor copy's box would be
__global__ void bulk(const char *m, size_t bytes, int tile, int piece, int stages, int steps, int share, int apart)
{
    extern __shared__ __align__(128) char sh[]; __shared__ __align__(8) uint64_t bars[8];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(sh), b = (uint32_t)__cvta_generic_to_shared(bars); int x = 0;
    size_t who = apart ? blockIdx.x % apart : blockIdx.x / share; size_t start = who * 1234567 * 128;
    if (!threadIdx.x) for (int s = 0; s < stages; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b + 8 * s)); __syncthreads();
    auto issue = [&](int k) { if (!threadIdx.x && k < steps) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(b + k % stages * 8), "r"(tile));
        for (int p = 0; p < tile; p += piece) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(base + k % stages * tile + p), "l"(m + ((start + (size_t)k * tile + p) & (bytes - 1))), "r"(piece), "r"(b + k % stages * 8)); } };
    for (int s = 0; s < stages - 1; s++) issue(s);
    for (int k = 0; k < steps; k++) { wait_for(b + k % stages * 8, k / stages & 1); x += sh[k % stages * tile + threadIdx.x]; __syncthreads(); issue(k + stages - 1); }
    if (x == 12345) bars[0] = 1;
}
__device__ void copy16(uint32_t to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from)); }
template <int STAGES> __global__ void pipe(const char *m, size_t bytes, int tile, int steps, int share, int apart)
{
    extern __shared__ __align__(128) char sh[]; uint32_t base = (uint32_t)__cvta_generic_to_shared(sh); int t = threadIdx.x, n = blockDim.x, x = 0, per = tile / (n * 16);
    size_t who = apart ? blockIdx.x % apart : blockIdx.x / share; size_t start = who * 1234567 * 128;
    auto issue = [&](int k) { if (k < steps) for (int i = 0; i < per; i++) copy16(base + (k % STAGES) * tile + (i * n + t) * 16, m + ((start + (size_t)k * tile + (i * n + t) * 16) & (bytes - 1))); asm volatile("cp.async.commit_group;"); };
    for (int s = 0; s < STAGES - 1; s++) issue(s);
    for (int k = 0; k < steps; k++) { asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2)); __syncthreads(); x += sh[k % STAGES * tile + t]; issue(k + STAGES - 1); }
    if (x == 12345) sh[0] = 1;
}
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 4; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
int main()
{
    char *m; const size_t bytes = 32 << 20; CHECK(cudaMalloc(&m, bytes + (1 << 20))); CHECK(cudaMemset(m, 0, bytes + (1 << 20)));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name); const int steps = 256;
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10)); CHECK(cudaFuncSetAttribute(pipe<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10)); CHECK(cudaFuncSetAttribute(pipe<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
    for (int blocks : {1, 2}) for (int apart = 0; apart < 2; apart++) for (int share : {1, 2, 4, 8, 16, 132}) for (int stages : {2, 3, 4, 6}) for (int tile : {16384, 32768}) {
        if ((apart && share == 1) || stages * tile * blocks > 210 << 10) continue;
        int ap = apart ? std::max(1, 132 * blocks / share) : 0;
        auto rate = [&](auto f) { double a = best([&] { f(steps); }), h = best([&] { f(steps / 2); }); return (a - h) / (steps / 2); };
        double big = rate([&](int n) { bulk<<<132 * blocks, 128, stages * tile>>>(m, bytes, tile, tile / 2, stages, n, share, ap); }), small = rate([&](int n) { bulk<<<132 * blocks, 128, stages * tile>>>(m, bytes, tile, 2048, stages, n, share, ap); }), copies = 0;
        if (stages == 2) copies = rate([&](int n) { pipe<2><<<132 * blocks, 256, stages * tile>>>(m, bytes, tile, n, share, ap); });
        if (stages == 4) copies = rate([&](int n) { pipe<4><<<132 * blocks, 256, stages * tile>>>(m, bytes, tile, n, share, ap); });
        auto gb = [&](double us) { return us > 0 ? 132. * blocks * tile / us / 1e3 : 0; };
        printf("blocks %d %s share %d stages %d tile %d: bulk %.0f GB/s (%.0f ns a step), of 2048 bytes %.0f, cp.async %.0f\n", blocks, apart ? "apart" : "next", share, stages, tile, gb(big), big * 1e3, gb(small), gb(copies));
    }
}
