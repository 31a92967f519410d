// Rates and latencies of tiles that come in steps: prints one JSON line a measurement.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
char *mem; long long *out; const size_t ALL = 2ull << 30;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 4; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }

// 1. rate of L2: all blocks walk through `bytes` from places of their own (shift) or the same one; rows of `row` bytes, 16 or 4 bytes a lane
template <int VEC> __global__ void walk(const char *m, size_t bytes, int pieces, int shift, int row, size_t pitch, int *sink)
{
    int x = 0; const int per_warp = 32 * VEC; int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    size_t start = shift ? (size_t)blockIdx.x * 7919 * 4096 : 0;
    for (int p = 0; p < pieces; p += 4) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            size_t at = (start + ((size_t)(p + u) * warps + warp) * per_warp + lane * VEC) & (bytes - 1);
            if (row) at = (at >> row) * pitch + (at & ((1 << row) - 1));
            if (VEC == 16) { int4 v; asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(m + at)); x += v.x ^ v.y ^ v.z ^ v.w; }
            if (VEC == 8) { int2 v; asm volatile("ld.global.cg.v2.s32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(m + at)); x += v.x ^ v.y; }
            if (VEC == 4) { int v; asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(m + at)); x += v; }
        }
    }
    if (x == 123457) *sink = x;
}

// 2. cp.async tiles with stages: T bytes a step and block, `math` mma a warp and step
__device__ void copy16(uint32_t to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from)); }
template <int STAGES, int MODE> __global__ void pipe(const char *m, size_t bytes, int tile, int steps, int math, long long *out)
{   // MODE 0: cp.async with STAGES; MODE 1: ld to registers, st.shared, two barriers; MODE 2: ld early, st after compute
    extern __shared__ __align__(128) char sh[];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(sh); int t = threadIdx.x, n = blockDim.x; float c[4][4] = {}; uint32_t a[4] = {1, 2, 3, 4};
    size_t start = (size_t)blockIdx.x * tile * steps; int per = tile / (n * 16); long long begin = clock64();
    auto issue = [&](int k) { if (k < steps) for (int i = 0; i < per; i++) copy16(base + (k % STAGES) * tile + (i * n + t) * 16, m + ((start + (size_t)k * tile + (i * n + t) * 16) & (bytes - 1))); asm volatile("cp.async.commit_group;"); };
    if (MODE == 0) for (int s = 0; s < STAGES - 1; s++) issue(s);
    int4 v[8];
    if (MODE == 2) for (int i = 0; i < 8; i++) if (i < per) v[i] = __ldcg((const int4 *)(m + ((start + (i * n + t) * 16) & (bytes - 1))));
    for (int k = 0; k < steps; k++) {
        if (MODE == 0) { asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2)); __syncthreads(); issue(k + STAGES - 1); }
        if (MODE == 1) { for (int i = 0; i < 8; i++) if (i < per) v[i] = __ldcg((const int4 *)(m + ((start + (size_t)k * tile + (i * n + t) * 16) & (bytes - 1)))); __syncthreads(); for (int i = 0; i < 8; i++) if (i < per) *(int4 *)(sh + (i * n + t) * 16) = v[i]; __syncthreads(); }
        if (MODE == 2) { __syncthreads(); for (int i = 0; i < 8; i++) if (i < per) *(int4 *)(sh + (i * n + t) * 16) = v[i]; __syncthreads(); for (int i = 0; i < 8; i++) if (i < per) v[i] = __ldcg((const int4 *)(m + ((start + (size_t)(k + 1) * tile + (i * n + t) * 16) & (bytes - 1)))); }
        uint32_t at = base + (MODE == 0 ? k % STAGES * tile : 0) + t % 32 * 16;
        for (int j = 0; j < math; j += 4) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at + ((j * 128) & (tile - 1))));
#pragma unroll
            for (int q = 0; q < 4; q++) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};" : "+f"(c[q][0]), "+f"(c[q][1]), "+f"(c[q][2]), "+f"(c[q][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
        }
    }
    long long end = clock64(); float r = 0; for (int q = 0; q < 4; q++) r += c[q][0]; if (!t && !blockIdx.x) out[0] = end - begin; if (r == 12345.f) out[1] = 1;
}
// 3. bulk copies (TMA without a tensor map) with mbarriers, one thread issues
__device__ void wait_for(uint32_t bar, uint32_t parity) { asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" :: "r"(bar), "r"(parity) : "memory"); }
template <int STAGES> __global__ void bulk(const char *m, size_t bytes, int tile, int steps, long long *out)
{
    extern __shared__ __align__(128) char sh[]; __shared__ __align__(8) uint64_t bars[8];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(sh), b = (uint32_t)__cvta_generic_to_shared(bars); size_t start = (size_t)blockIdx.x * tile * steps; int x = 0;
    if (!threadIdx.x) for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b + 8 * s)); __syncthreads();
    long long begin = clock64();
    auto issue = [&](int k) { if (!threadIdx.x && k < steps) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(b + k % STAGES * 8), "r"(tile)); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(base + k % STAGES * tile), "l"(m + ((start + (size_t)k * tile) & (bytes - 1))), "r"(tile), "r"(b + k % STAGES * 8)); } };
    for (int s = 0; s < STAGES; s++) issue(s);
    for (int k = 0; k < steps; k++) { wait_for(b + k % STAGES * 8, k / STAGES & 1); x += sh[k % STAGES * tile + threadIdx.x]; __syncthreads(); issue(k + STAGES); }
    long long end = clock64(); if (!threadIdx.x && !blockIdx.x) out[0] = end - begin; if (x == 12345) out[1] = 1;
}
// 4. barriers alone
__global__ void bars(int n, long long *out) { long long t = clock64(); for (int i = 0; i < n; i++) __syncthreads(); t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; }
// 5. wgmma
template <int N, int KIND> __global__ void __launch_bounds__(512) wg(int n, long long *out)
{   // KIND 0: f16 A shared, 1: f16 A registers; f32 accumulators
    extern __shared__ __align__(1024) char sh[]; uint32_t base = (uint32_t)__cvta_generic_to_shared(sh) & 0x3ffff; uint64_t d = (uint64_t)(base >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
    float c[N / 2]; for (int i = 0; i < N / 2; i++) c[i] = 0; uint32_t a = 0; long long t = clock64();
    for (int i = 0; i < n; i++) {
        asm volatile("wgmma.fence.sync.aligned;");
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if constexpr (N == 64) {
                if (KIND == 0) asm volatile("{wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %32, 1,1,1,0,0;}" : "+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]),"+f"(c[4]),"+f"(c[5]),"+f"(c[6]),"+f"(c[7]),"+f"(c[8]),"+f"(c[9]),"+f"(c[10]),"+f"(c[11]),"+f"(c[12]),"+f"(c[13]),"+f"(c[14]),"+f"(c[15]),"+f"(c[16]),"+f"(c[17]),"+f"(c[18]),"+f"(c[19]),"+f"(c[20]),"+f"(c[21]),"+f"(c[22]),"+f"(c[23]),"+f"(c[24]),"+f"(c[25]),"+f"(c[26]),"+f"(c[27]),"+f"(c[28]),"+f"(c[29]),"+f"(c[30]),"+f"(c[31]) : "l"(d));
                if (KIND == 1) asm volatile("{wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%33,%33,%33,%33}, %32, 1,1,1,0;}" : "+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]),"+f"(c[4]),"+f"(c[5]),"+f"(c[6]),"+f"(c[7]),"+f"(c[8]),"+f"(c[9]),"+f"(c[10]),"+f"(c[11]),"+f"(c[12]),"+f"(c[13]),"+f"(c[14]),"+f"(c[15]),"+f"(c[16]),"+f"(c[17]),"+f"(c[18]),"+f"(c[19]),"+f"(c[20]),"+f"(c[21]),"+f"(c[22]),"+f"(c[23]),"+f"(c[24]),"+f"(c[25]),"+f"(c[26]),"+f"(c[27]),"+f"(c[28]),"+f"(c[29]),"+f"(c[30]),"+f"(c[31]) : "l"(d), "r"(a));
            }
            if constexpr (N == 16) asm volatile("{wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %8, 1,1,1,0,0;}" : "+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]),"+f"(c[4]),"+f"(c[5]),"+f"(c[6]),"+f"(c[7]) : "l"(d));
        }
        asm volatile("wgmma.commit_group.sync.aligned;"); asm volatile("wgmma.wait_group.sync.aligned 0;");
    }
    t = clock64() - t; float r = 0; for (int i = 0; i < N / 2; i++) r += c[i]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1;
}
template <int S, int MODE> void pipes(const char *what)
{
    const int steps = 256; CHECK(cudaFuncSetAttribute(pipe<S, MODE>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (size_t bytes : {(size_t)16 << 20, ALL}) for (int threads : {128, 256}) for (int tile : {8192, 16384, 32768}) for (int resident : {1, 2, 4}) for (int math : {0, 16, 64}) {
        int shared = (MODE ? 1 : S) * tile; if (shared * resident > 220 << 10 || (MODE && tile / threads / 16 > 8) || (math == 16 && resident == 4)) continue;
        double a = best([&] { pipe<S, MODE><<<132 * resident, threads, shared>>>(mem, bytes, tile, steps, math, out); });
        double h = best([&] { pipe<S, MODE><<<132 * resident, threads, shared>>>(mem, bytes, tile, steps / 2, math, out); });
        double us = (a - h) / (steps / 2); printf("{\"what\": \"%s\", \"stages\": %d, \"from\": \"%s\", \"threads\": %d, \"tile\": %d, \"blocks\": %d, \"mma_a_warp\": %d, \"ns_a_step\": %.1f, \"GBps\": %.0f}\n", what, S, bytes == ALL ? "dram" : "l2", threads, tile, resident, math, us * 1e3, 132. * resident * tile / us / 1e3);
    }
}
template <int S> void bulks()
{
    const int steps = 256; CHECK(cudaFuncSetAttribute(bulk<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (size_t bytes : {(size_t)16 << 20, ALL}) for (int tile : {2048, 8192, 16384, 32768}) for (int resident : {1, 2}) { if (S * tile * resident > 200 << 10) continue;
        double a = best([&] { bulk<S><<<132 * resident, 128, S * tile>>>(mem, bytes, tile, steps, out); }), h = best([&] { bulk<S><<<132 * resident, 128, S * tile>>>(mem, bytes, tile, steps / 2, out); });
        double us = (a - h) / (steps / 2); printf("{\"what\": \"bulk\", \"stages\": %d, \"from\": \"%s\", \"tile\": %d, \"blocks\": %d, \"ns_a_step\": %.1f, \"GBps\": %.0f}\n", S, bytes == ALL ? "dram" : "l2", tile, resident, us * 1e3, 132. * resident * tile / us / 1e3); }
}
template <int N, int KIND> void wgs() { CHECK(cudaFuncSetAttribute(wg<N, KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)); for (int groups : {1, 2, 3, 4}) { wg<N, KIND><<<132, 128 * groups, 64 << 10>>>(256, out); CHECK(cudaDeviceSynchronize()); printf("{\"what\": \"wgmma_m64n%dk16_%s\", \"groups\": %d, \"clk_each_of_4\": %.1f}\n", N, KIND ? "a_reg" : "a_shared", groups, out[0] / 256. / 4); } }
int main()
{
    CHECK(cudaMalloc(&mem, ALL + (1 << 20))); CHECK(cudaMemset(mem, 0, ALL + (1 << 20))); CHECK(cudaMallocManaged(&out, 4096)); int *sink; cudaMalloc(&sink, 4);
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int clock; cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0); printf("{\"gpu\": \"%s\", \"clock_khz\": %d}\n", p.name, clock);
    for (int vec : {16, 8, 4}) for (int mb : {1, 4, 8, 16, 32, 64, 128, 1024}) for (int shift : {0, 1}) {
        int pieces = 512 * 16 / vec / (mb > 64 ? 4 : 1), blocks = 132 * 2, threads = 1024; size_t bytes = (size_t)mb << 20;
        double us = best([&] { if (vec == 16) walk<16><<<blocks, threads>>>(mem, bytes, pieces, shift, 0, 0, sink); if (vec == 8) walk<8><<<blocks, threads>>>(mem, bytes, pieces, shift, 0, 0, sink); if (vec == 4) walk<4><<<blocks, threads>>>(mem, bytes, pieces, shift, 0, 0, sink); });
        printf("{\"what\": \"walk\", \"bytes_a_lane\": %d, \"mb\": %d, \"own_places\": %d, \"GBps\": %.0f}\n", vec, mb, shift, (double)blocks * threads * pieces * vec / us / 1e3); }
    for (int row : {5, 6, 7, 8, 9}) for (int mb : {4, 16}) { size_t bytes = (size_t)mb << 20; int pieces = 512; double us = best([&] { walk<16><<<264, 1024>>>(mem, bytes, pieces, 1, row, 2048, sink); }); printf("{\"what\": \"rows\", \"row_bytes\": %d, \"mb_used\": %d, \"GBps\": %.0f}\n", row, mb, 264. * 1024 * pieces * 16 / us / 1e3); }
    for (int warps : {1, 2, 4, 8, 16, 32}) for (int resident : {1, 2}) { if (warps * resident > 64) continue; bars<<<132 * resident, 32 * warps>>>(1000, out); CHECK(cudaDeviceSynchronize()); printf("{\"what\": \"barrier\", \"warps\": %d, \"blocks\": %d, \"clk\": %.1f}\n", warps, resident, out[0] / 1000.); }
    wgs<64, 0>(); wgs<64, 1>(); wgs<16, 0>();
    bulks<1>(); bulks<2>(); bulks<4>();
    pipes<2, 0>("cp_async"); pipes<3, 0>("cp_async"); pipes<4, 0>("cp_async"); pipes<2, 1>("ld_then_st"); pipes<2, 2>("ld_early");
}
