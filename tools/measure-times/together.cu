// What L2 takes for lines that several SMs ask for at about the same time: groups of blocks, side by side or strided, walk through the same bytes. Prints a line a measurement.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
char *mem; int *sink;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 5; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }

// 16 bytes a lane past L1
__global__ void loads(const char *m, uint32_t mask, int n, int group, int strided, int *sink)
{
    uint32_t which = strided ? blockIdx.x % (gridDim.x / group) : blockIdx.x / group, off = which * 7919u * 4096u + threadIdx.x * 16; int x = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int u = 0; u < 8; u++) { int4 v; asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(m + (off & mask))); off += blockDim.x * 16; x += v.x; }
    if (x == 123457) *sink = x;
}
// bulk copies of `tile` bytes, 4 in flight
__global__ void bulk(const char *m, uint32_t mask, int steps, int group, int strided, int tile, int *sink)
{
    extern __shared__ __align__(128) char sh[]; __shared__ __align__(8) uint64_t bars[4]; uint32_t base = (uint32_t)__cvta_generic_to_shared(sh), b = (uint32_t)__cvta_generic_to_shared(bars);
    uint32_t which = strided ? blockIdx.x % (gridDim.x / group) : blockIdx.x / group, off = which * 7919u * 4096u; if (threadIdx.x) return;
    for (int s = 0; s < 4; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b + 8 * s));
    auto issue = [&](int k) { if (k < steps) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(b + k % 4 * 8), "r"(tile)); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(base + k % 4 * tile), "l"(m + ((off + (uint32_t)k * tile) & mask)), "r"(tile), "r"(b + k % 4 * 8)); } };
    for (int s = 0; s < 4; s++) issue(s);
    for (int k = 0; k < steps; k++) { asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" :: "r"(b + k % 4 * 8), "r"(k / 4 & 1) : "memory"); issue(k + 4); }
}
int main()
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); CHECK(cudaMalloc(&mem, 1ull << 28)); CHECK(cudaMemset(mem, 0, 1ull << 28)); CHECK(cudaMalloc(&sink, 4)); printf("%s\n", p.name);
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (uint32_t mb : {4u, 16u, 32u}) for (int strided : {0, 1}) for (int group : {1, 2, 4, 6, 11, 22, 33, 66, 132, 264}) {
        uint32_t mask = (mb << 20) - 1; int n = 64;
        double us = best([&] { loads<<<264, 1024>>>(mem, mask, n, group, strided, sink); }) - best([&] { loads<<<264, 1024>>>(mem, mask, n / 2, group, strided, sink); });
        printf("loads %u MB groups of %d %s: %.0f GB/s", mb, group, strided ? "strided" : "side by side", 264. * 1024 * 16 * 8 * (n / 2) / us / 1e3);
        for (int tile : {8192, 16384}) for (int each : {1, 2}) { if (group > 132 * each) continue; int steps = 512, shared = 4 * tile; double t = best([&] { bulk<<<132 * each, 32, shared>>>(mem, mask, steps, group, strided, tile, sink); }) - best([&] { bulk<<<132 * each, 32, shared>>>(mem, mask, steps / 2, group, strided, tile, sink); }); printf(", bulk %d of %d %.0f", tile, each, 132. * each * tile * (steps / 2) / t / 1e3); }
        printf("\n"); }
}
