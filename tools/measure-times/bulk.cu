// Tiles by tensor maps as the blocks of a product ask for them, and what making a tensor map takes: prints one JSON line a measurement.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 6; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
__device__ uint32_t at_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void wait_for(uint32_t bar, uint32_t parity) { asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" :: "r"(bar), "r"(parity) : "memory"); }
__global__ void fill(uint32_t *m, size_t n) { for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { uint32_t x = i * 2654435761u; x ^= x >> 15; m[i] = x * 0x846ca68bu; } }
typedef decltype(&cuTensorMapEncodeTiled) Encode;
CUtensorMap map_of(Encode encode, char *at, uint64_t wide, uint64_t high, int inner, int rows)
{
    CUtensorMap map; cuuint64_t dims[] = {wide / 2, high}, strides[] = {wide}; cuuint32_t box[] = {(cuuint32_t)inner / 2, (cuuint32_t)rows}, one[] = {1, 1};
    CUtensorMapSwizzle sw = inner == 32 ? CU_TENSOR_MAP_SWIZZLE_32B : inner == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
    CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at, dims, strides, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, sw, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) { printf("encode %d\n", r); exit(1); } return map;
}
__device__ void load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
// ---- a tile of A by blockIdx.x, a tile of B by blockIdx.y, `steps` along their rows; nothing is computed
__global__ void feed(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int bm, int bn, int inner, int steps, int stages)
{
    extern __shared__ __align__(1024) char sh[]; __shared__ __align__(8) uint64_t bars[8]; uint32_t base = (at_shared(sh) + 1023) / 1024 * 1024, bar = at_shared(bars); const int bytes = (bm + bn) * inner;
    if (threadIdx.x) return;
    for (int s = 0; s < stages; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(bar + 8 * s)); asm volatile("fence.proxy.async;");
    auto ask = [&](int k) { int s = k % stages; asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(bar + 8 * s), "r"(bytes));
        load(base + s * bytes, &a, k * inner / 2, blockIdx.x * bm, bar + 8 * s); load(base + s * bytes + bm * inner, &b, k * inner / 2, blockIdx.y * bn, bar + 8 * s); };
    for (int k = 0; k < stages && k < steps; k++) ask(k);
    for (int k = 0; k < steps; k++) { wait_for(bar + 8 * (k % stages), k / stages & 1); if (k + stages < steps) ask(k + stages); }
}
// ---- `n` maps made in shared memory and published, one after the other, as compilers do at the head of a kernel
__global__ void make(char *maps, char *at, int n, long long *out)
{
    __shared__ __align__(128) char sh[128]; uint32_t s = at_shared(sh), w = s + threadIdx.x * 4; long long t = clock64();
    for (int i = 0; i < n; i++) { char *to = maps + ((size_t)blockIdx.x * n + i) * 128; bool first = !threadIdx.x;
        if (threadIdx.x < 32) asm volatile("st.shared.b32 [%0], 0;" :: "r"(w)); __syncwarp();
        if (first) { 
#define SET(f, v) asm volatile("tensormap.replace.tile." f ".shared::cta.b1024.b32 [%0], " v ";" :: "r"(s))
            asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(s), "l"(at)); SET("rank", "1"); SET("box_dim", "0, 64"); SET("box_dim", "1, 64"); SET("global_dim", "0, 4096"); SET("global_dim", "1, 4096");
            asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "r"(s), "l"(8192ll)); SET("element_stride", "0, 1"); SET("element_stride", "1, 1"); SET("elemtype", "6"); SET("interleave_layout", "0"); SET("swizzle_mode", "3"); SET("fill_mode", "0"); }
        if (threadIdx.x < 32) { asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 0x80;" :: "l"(to), "r"(s) : "memory");
            asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 0x80; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" :: "l"(to) : "memory"); }
        __syncthreads(); }
    t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t;
}
int main()
{
    char *mem; long long *out, clk; CHECK(cudaMalloc(&mem, 256 << 20)); CHECK(cudaMalloc(&out, 64)); fill<<<1024, 256>>>((uint32_t *)mem, 64 << 20); CHECK(cudaDeviceSynchronize());
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("{\"what\": \"%s\"}\n", p.name);
    void *f; cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
    CHECK(cudaFuncSetAttribute(feed, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
    const int high = 4096, wide = 4096; // bytes a row
    for (int inner : {32, 64, 128}) for (int bm : {64, 128, 256}) for (int bn : {64, 128, 256}) for (int stages : {2, 4}) for (int per : {1, 2, 4}) {
        const int bytes = (bm + bn) * inner, shared = std::max(stages * bytes + 1024, (227 << 10) / (per + 1)), grid[] = {high / bm, high / bn}; if (shared > (227 << 10) / per - 1024 || (bm == 256 && bn == 256)) continue;
        if (inner == 32 && (stages == 2 || per == 1)) continue;
        CUtensorMap a = map_of((Encode)f, mem, wide, high, inner, bm), b = map_of((Encode)f, mem + (64 << 20), wide, high, inner, bn); auto go = [&](int n) { feed<<<dim3(grid[0], grid[1]), 32, shared>>>(a, b, bm, bn, inner, n, stages); };
        double us = best([&] { go(wide / inner); }), half = best([&] { go(wide / inner / 2); }), rows = (double)(bm + bn) * (wide / inner) * grid[0] * grid[1];
        printf("{\"what\": \"feed\", \"inner\": %d, \"bm\": %d, \"bn\": %d, \"stages\": %d, \"blocks\": %d, \"us\": %.1f, \"GBps\": %.0f, \"marginal_GBps\": %.0f, \"clk_a_row\": %.2f}\n", inner, bm, bn, stages, per, us, rows * inner / us / 1e3, rows * inner / 2 / (us - half) / 1e3, us * 1980 * 132 / rows);
    }
    for (int blocks : {1, 132, 528}) for (int n : {1, 2, 3, 6}) for (int threads : {32, 128, 256}) {
        double us = best([&] { make<<<blocks, threads>>>(mem, mem + (128 << 20), n, out); }); CHECK(cudaMemcpy(&clk, out, 8, cudaMemcpyDefault));
        printf("{\"what\": \"make\", \"maps\": %d, \"blocks\": %d, \"threads\": %d, \"us\": %.2f, \"clk_a_map\": %.0f}\n", n, blocks, threads, us, (double)clk / n);
    }
}
