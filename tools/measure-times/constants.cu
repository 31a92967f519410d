// Constants of an SM, each in the several ways that kernels meet it: prints one JSON line a measurement.
// Products by factors that they share or not, ldmatrix, atomics of shared memory, barriers, fences, stores to L2, rows of tiles by tensor maps.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
long long *out; char *mem; uint32_t *chance; const size_t ALL = 1ull << 30;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 5; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
// Clocks that the first thread saw: least and most of four runs after one.
template <class F> void clocks(const char *what, double each, F f)
{
    long long least = 1ll << 60, most = 0;
    for (int r = 0; r < 5; r++) { f(); if (cudaGetLastError() != cudaSuccess) return; CHECK(cudaDeviceSynchronize()); if (r) least = std::min(least, out[0]), most = std::max(most, out[0]); }
    printf("{\"what\": \"%s\", \"clk\": %.2f, \"most\": %.2f}\n", what, least / each, most / each);
}
__device__ uint32_t at_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }

// ---- mma.sync. ROWS x COLS products of ROWS tiles of A and COLS of B. NEW: 0 factors stay, 1 those of A change with each step, 2 of B, 3 both
enum { F16_K16, F16_K8, TF32_K8, TF32_K4, S8_K32, F8_K32 };
template <int KIND> __device__ void product(float *c, const uint32_t *a, const uint32_t *b)
{
#define WIDE(T) asm volatile("mma.sync.aligned." T " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define NARROW(T) asm volatile("mma.sync.aligned." T " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]))
    if (KIND == F16_K16) WIDE("m16n8k16.row.col.f32.f16.f16.f32");
    if (KIND == F16_K8) NARROW("m16n8k8.row.col.f32.f16.f16.f32");
    if (KIND == TF32_K8) WIDE("m16n8k8.row.col.f32.tf32.tf32.f32");
    if (KIND == TF32_K4) NARROW("m16n8k4.row.col.f32.tf32.tf32.f32");
    if (KIND == F8_K32) WIDE("m16n8k32.row.col.f32.e4m3.e4m3.f32");
    if (KIND == S8_K32) { int *d = (int *)c; asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
}
template <int KIND, int ROWS, int COLS, int NEW, int SAME> __global__ void products(long long *out, int n, uint32_t random, uint32_t step)
{
    float c[ROWS][COLS][4]; uint32_t a[ROWS][4], b[COLS][2];
    for (int i = 0; i < ROWS; i++) for (int k = 0; k < COLS; k++) for (int q = 0; q < 4; q++) c[i][k][q] = 0;
    // halves, or bytes, of small magnitudes
    for (int i = 0; i < ROWS; i++) for (int q = 0; q < 4; q++) a[i][q] = mix(threadIdx.x * 64 + (SAME ? 0 : i * 4 + q) + random) & (random ? 0xb7ffb7ff : 0);
    for (int i = 0; i < COLS; i++) for (int q = 0; q < 2; q++) b[i][q] = mix(threadIdx.x * 64 + (SAME ? 0 : 40 + i * 2 + q) + random) & (random ? 0xb7ffb7ff : 0);
    long long t = clock64();
#pragma unroll 2
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < COLS; k++) product<KIND>(c[r][k], SAME ? a[0] : a[r], SAME ? b[0] : b[k]);
        if (NEW & 1) for (int r = 0; r < ROWS; r++) for (int q = 0; q < 4; q++) a[r][q] += step;
        if (NEW & 2) for (int k = 0; k < COLS; k++) for (int q = 0; q < 2; q++) b[k][q] += step;
    }
    t = clock64() - t; float s = 0; for (int i = 0; i < ROWS; i++) for (int k = 0; k < COLS; k++) for (int q = 0; q < 4; q++) s += c[i][k][q];
    if (!threadIdx.x && !blockIdx.x) out[0] = t; if (s == 12345.f) out[1] = 1;
}
template <int KIND, int ROWS, int COLS, int NEW, int SAME> void rates(const char *name)
{
    for (int warps : {4, 8, 16}) if (warps * 32 * (ROWS * COLS * 4 + ROWS * 4 + COLS * 2 + 30) <= 65536) for (uint32_t random : {0u, 99u}) {
        char what[99]; sprintf(what, "%s %d x %d%s%s, %d warps, %s", name, ROWS, COLS, SAME ? ", one factor" : "", NEW == 1 ? ", new A" : NEW == 2 ? ", new B" : NEW ? ", new A and B" : "", warps, random ? "random" : "zeros");
        clocks(what, 1024. * ROWS * COLS * warps, [&] { products<KIND, ROWS, COLS, NEW, SAME><<<132, 32 * warps>>>(out, 1024, random, 0x00010001u); });
    }
}
// how long it stays at its clock: 200,000 steps
void sustained()
{
    for (uint32_t random : {0u, 99u}) for (int r = 0; r < 2; r++) { double us = best([&] { products<F16_K16, 4, 4, 0, 0><<<132, 256>>>(out, 200000, random, 0); }); printf("{\"what\": \"f16 k16 4 x 4, 8 warps, 200,000 steps, %s\", \"us\": %.0f, \"clk\": %.3f, \"mhz\": %.0f}\n", random ? "random" : "zeros", us, out[0] / 200000. / 16 / 8, out[0] / us); }
}

// ---- one warp, each step waits for the one before: shared memory, fences
enum { LDMATRIX_2, LDMATRIX_4, LDMATRIX_4_ADD, ATOM_ADDRESS, ATOM_VALUE, ATOM_MAX, ATOM_EXCH, ATOM_CAS, RED_LOAD, FENCE_ACQ, FENCE_SC, MEMBAR, FENCE_SYS, FENCE_CTA, FENCE_STORE, FENCE_LOAD, STEPS };
const char *step_names[] = { "ldmatrix.x2", "ldmatrix.x4", "ldmatrix.x4 and add", "atom.shared.add by its address", "atom.shared.add by its value", "atom.shared.max by its value", "atom.shared.exch by its value", "atom.shared.cas by its value", "red.shared.add and ld.shared", "fence.acq_rel.gpu", "fence.sc.gpu", "membar.gl", "fence.acq_rel.sys", "fence.acq_rel.cta", "st.global and fence.acq_rel.gpu", "ld.global.cg of L2 and fence.acq_rel.gpu" };
template <int KIND> __global__ void chain(long long *out, int n, int zero, uint32_t *global)
{
    __shared__ __align__(128) uint32_t sh[2048]; uint32_t base = at_shared(sh), lane = threadIdx.x % 32, x = base + lane * (KIND < LDMATRIX_4_ADD ? 0 : 4), y = zero, d;
    const bool is_own = KIND >= ATOM_ADDRESS;
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) sh[i] = is_own && KIND != ATOM_ADDRESS ? 0 : KIND == ATOM_ADDRESS ? base + i * 4 : KIND == LDMATRIX_4_ADD ? 0 : base;
    __syncthreads(); if (KIND == LDMATRIX_4_ADD) x = base + lane * 16; uint32_t *g = global + (blockIdx.x * blockDim.x + threadIdx.x) * 8; const uint32_t own = x; long long t = 0;
    for (int round = 0; round < 2; round++) {
        t = clock64();
#pragma unroll 16
        for (int i = 0; i < n; i++) {
            if (KIND == LDMATRIX_2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%1,%0}, [%0];" : "+r"(x), "=r"(d));
            if (KIND == LDMATRIX_4) asm volatile("{ .reg .b32 e, f; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%1,e,f,%0}, [%0]; }" : "+r"(x), "=r"(d));
            if (KIND == LDMATRIX_4_ADD) { asm volatile("{ .reg .b32 e, f; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%1,e,f,%0}, [%2]; }" : "+r"(y), "=r"(d) : "r"(x)); x = own + y; }
            if (KIND == ATOM_ADDRESS) asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(x) : "r"(zero));
            if (KIND == ATOM_VALUE) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(y) : "r"(own));
            if (KIND == ATOM_MAX) asm volatile("atom.shared.max.u32 %0, [%1], %0;" : "+r"(y) : "r"(own));
            if (KIND == ATOM_EXCH) asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(y) : "r"(own));
            if (KIND == ATOM_CAS) asm volatile("atom.shared.cas.b32 %0, [%1], %0, %2;" : "+r"(y) : "r"(own), "r"(zero));
            if (KIND == RED_LOAD) asm volatile("red.shared.add.u32 [%1], %0; ld.shared.u32 %0, [%1];" : "+r"(y) : "r"(own) : "memory");
            if (KIND == FENCE_ACQ) asm volatile("fence.acq_rel.gpu;" ::: "memory");
            if (KIND == FENCE_SC) asm volatile("fence.sc.gpu;" ::: "memory");
            if (KIND == MEMBAR) asm volatile("membar.gl;" ::: "memory");
            if (KIND == FENCE_SYS) asm volatile("fence.acq_rel.sys;" ::: "memory");
            if (KIND == FENCE_CTA) asm volatile("fence.acq_rel.cta;" ::: "memory");
            if (KIND == FENCE_STORE) asm volatile("st.global.u32 [%0], %1; fence.acq_rel.gpu;" :: "l"(g), "r"(i) : "memory");
            if (KIND == FENCE_LOAD) asm volatile("ld.global.cg.u32 %0, [%1]; fence.acq_rel.gpu;" : "=r"(y) : "l"(g) : "memory");
        }
        t = clock64() - t;
    }
    if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x + y + d == 12345) out[1] = 1;
}
template <int KIND> void chains()
{
    for (int blocks : {1, 132}) for (int warps : {1, 8}) if (KIND >= FENCE_ACQ || (blocks == 1 && warps == 1)) {
        char what[99]; sprintf(what, "%s, %d warps of %d blocks", step_names[KIND], warps, blocks); int n = KIND >= FENCE_ACQ ? 64 : 512;
        clocks(what, n, [&] { chain<KIND><<<blocks, 32 * warps>>>(out, n, 0, (uint32_t *)mem); });
    }
    if constexpr (KIND + 1 < STEPS) chains<KIND + 1>();
}

// ---- barriers: back to back; with a store and a load of shared memory between two; ACROSS waits for the next warp's word, else its own
template <int KIND> __global__ void barriers(long long *out, int n)
{
    __shared__ volatile uint32_t sh[2][1024]; sh[0][threadIdx.x] = sh[1][threadIdx.x] = 0; uint32_t x = 0; __syncthreads(); long long t = 0;
    for (int round = 0; round < 2; round++) { t = clock64();
#pragma unroll 16
        for (int i = 0; i < n; i++) { if (KIND) sh[i & 1][threadIdx.x] = x; if (KIND != 2) __syncthreads(); if (KIND) x = sh[i & 1][KIND == 1 ? (threadIdx.x + 32) % blockDim.x : threadIdx.x]; }
        t = clock64() - t; }
    if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x == 12345) out[1] = 1;
}
void all_barriers()
{
    const char *names[] = { "bar.sync", "store, bar.sync, load", "store, load" };
    for (int warps : {1, 2, 4, 8, 16, 32}) for (int kind = 0; kind < 3; kind++) { char what[60]; sprintf(what, "%s, %d warps", names[kind], warps);
        clocks(what, 256, [&] { if (kind == 0) barriers<0><<<132, 32 * warps>>>(out, 256); if (kind == 1) barriers<1><<<132, 32 * warps>>>(out, 256); if (kind == 2) barriers<2><<<132, 32 * warps>>>(out, 256); }); }
}

// ---- stores to L2 in `mb` MB: a request is of `pieces` pieces, of WORDS * 4 * 32 / pieces bytes, at places by chance
template <int WORDS> __global__ void stores(char *m, uint32_t mask, int n, int pieces, uint32_t value)
{
    const uint32_t bytes = WORDS * 4 * 32 / pieces, lane = threadIdx.x % 32, each = 32 / pieces; uint32_t r = mix(blockIdx.x * blockDim.x + threadIdx.x - lane + 7) + lane / each * 2654435761u;
#pragma unroll 4
    for (int i = 0; i < n; i++) { r = r * 1664525 + 1013904223; char *p = m + ((r >> 5) & mask & ~((bytes < 32 ? 32u : bytes) - 1)) + lane % each * WORDS * 4; uint32_t v = value ? value ^ r : 0;
        if (WORDS == 1) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v)); if (WORDS == 4) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(p), "r"(v)); }
}
void all_stores()
{
    for (int mb : {4, 16}) for (int words : {1, 4}) for (int pieces : {1, 2, 4, 8, 16, 32}) for (uint32_t value : {0u, 77u}) { if (value && mb != 4) continue;
        int n = words == 1 ? 64 : 32; auto go = [&](int k) { if (words == 1) stores<1><<<528, 512>>>(mem, (mb << 20) - 1, k, pieces, value); else stores<4><<<528, 512>>>(mem, (mb << 20) - 1, k, pieces, value); };
        double us = best([&] { go(2 * n); }) - best([&] { go(n); }), requests = 528. * 16 * n; int bytes = words * 128 / pieces;
        printf("{\"what\": \"store\", \"mb\": %d, \"bytes_a_lane\": %d, \"pieces\": %d, \"of_bytes\": %d, \"random\": %d, \"ps_a_request\": %.1f, \"ps_a_piece\": %.2f, \"GBps\": %.0f}\n", mb, words * 4, pieces, bytes, value != 0, us * 1e6 / requests, us * 1e6 / requests / pieces, requests * words * 128 / us / 1e3); }
}

// A warp stores a column of words `pitch` bytes apart, the next warp the next column
__global__ void columns(char *m, uint32_t mask, int n, uint32_t pitch)
{
    const uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, wide = pitch < 4096 ? 256 : 1024;
#pragma unroll 4
    for (int i = 0; i < n; i++) { uint32_t k = warp + i * warps; asm volatile("st.global.u32 [%0], %1;" :: "l"(m + (((k / wide * 32 + lane) * pitch + k % wide * 4) & mask)), "r"(i)); }
}
void all_columns()
{
    for (int mb : {4, 16}) for (uint32_t pitch : {1152u, 4096u, 8192u, 8320u}) { auto go = [&](int n) { columns<<<528, 512>>>(mem, (mb << 20) - 1, n, pitch); }; double us = best([&] { go(64); }) - best([&] { go(32); });
        printf("{\"what\": \"column\", \"mb\": %d, \"pitch\": %u, \"ps_a_word\": %.2f}\n", mb, pitch, us * 1e6 / (528. * 512 * 32)); }
}

// ---- loads of 16 bytes a lane, of eight as many as `misses` from a gigabyte, the others from 4 MB: what comes from memory is written into L2, too
template <int MISSES> __global__ void fills(const char *m, uint32_t first, int n, int *sink)
{
    const uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32; int x = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const bool is_miss = u * MISSES / 8 != (u + 1) * MISSES / 8; uint32_t line = is_miss ? first + ((i * MISSES + u * MISSES / 8) * warps + warp) * 512 : mix(warp * 8191 + i * 8 + u) % 8192 * 512;
            int4 v; asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(m + (line & (uint32_t)(ALL - 1)) + lane * 16)); x += v.x ^ v.y ^ v.z ^ v.w; }
    if (x == 123457) *sink = x;
}
template <int MISSES> void all_fills()
{
    const int n = 48; auto go = [&](int k, uint32_t first) { fills<MISSES><<<528, 512>>>(mem, first, k, (int *)out); };
    double us = best([&] { go(n, 1u << 28); }) - best([&] { go(n / 4, 3u << 28); }), requests = 528. * 16 * 8 * (n - n / 4);
    printf("{\"what\": \"fill\", \"misses_of_8\": %d, \"ps_a_sector\": %.3f, \"memory_GBps\": %.0f, \"GBps\": %.0f}\n", MISSES, us * 1e6 / requests / 16, requests * 512 * MISSES / 8 / us / 1e3, requests * 512 / us / 1e3);
    if constexpr (MISSES < 8) all_fills<MISSES + 1>();
}

// ---- tiles by a tensor map out of L2: boxes of `rows` rows of `inner` bytes, STAGES on their way; each block its own tiles of `mb` MB, or all the same
__device__ void wait_for(uint32_t bar, uint32_t parity) { asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" :: "r"(bar), "r"(parity) : "memory"); }
__global__ void boxes(const __grid_constant__ CUtensorMap map, int inner_elements, int columns, int rows, int bands, int bytes, int steps, int stages, int apart, long long *out)
{
    extern __shared__ __align__(1024) char sh[]; __shared__ __align__(8) uint64_t bars[8]; uint32_t base = (at_shared(sh) + 1023) / 1024 * 1024, b = at_shared(bars);
    if (threadIdx.x) return;
    for (int s = 0; s < stages; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b + 8 * s)); asm volatile("fence.proxy.async;"); long long t = clock64(); const int room = (bytes + 1023) / 1024 * 1024;
    int x = apart * blockIdx.x % columns, y = apart * blockIdx.x / columns % bands, slot = 0, phase = 0;
    auto ask = [&](int s) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(b + 8 * s), "r"(bytes));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(base + s * room), "l"(&map), "r"(x * inner_elements), "r"(y * rows), "r"(b + 8 * s) : "memory");
        if (++x == columns) { x = 0; if (++y == bands) y = 0; } };
    for (int s = 0; s < stages; s++) ask(s);
    for (int k = 0; k < steps; k++) { wait_for(b + 8 * slot, phase); if (k + stages < steps) ask(slot); if (++slot == stages) { slot = 0; phase ^= 1; } }
    t = clock64() - t; if (!blockIdx.x) out[0] = t;
}
void all_boxes()
{
    void *f; cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
    CHECK(cudaFuncSetAttribute(boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int inner : {32, 64, 128, 256}) for (int swizzle : {0, 1}) for (int rows : {64, 128}) for (int apart : {0, 61}) for (int per : {1, 2}) {
        if (swizzle && inner == 256) continue;
        const uint64_t wide = 4096, high = 4096; CUtensorMap map; cuuint64_t dims[] = {wide / 2, high}, strides[] = {wide}; cuuint32_t box[] = {(cuuint32_t)inner / 2, (cuuint32_t)rows}, steps1[] = {1, 1};
        CUtensorMapSwizzle sw = !swizzle ? CU_TENSOR_MAP_SWIZZLE_NONE : inner == 32 ? CU_TENSOR_MAP_SWIZZLE_32B : inner == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
        CUresult r = ((decltype(&cuTensorMapEncodeTiled))f)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, mem, dims, strides, box, steps1, CU_TENSOR_MAP_INTERLEAVE_NONE, sw, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (r) { printf("{\"what\": \"box\", \"inner\": %d, \"error\": %d}\n", inner, r); continue; }
        int bytes = inner * rows, stages = std::min(4, (100 << 10) / per / ((bytes + 1023) / 1024 * 1024)); if (stages < 2) continue; char what[140];
        sprintf(what, "box of %d rows of %d bytes%s, %d stages, %s, %d blocks an SM; clk a row of an SM", rows, inner, swizzle ? " swizzled" : "", stages, apart ? "own tiles" : "one tile of all", per);
        clocks(what, 512. * rows * per, [&] { boxes<<<132 * per, 32, (size_t)stages * ((bytes + 1023) / 1024 * 1024) + 1024>>>(map, inner / 2, (int)(wide / inner), rows, (int)(high / rows), bytes, 512, stages, apart, out); });
    }
}

int main()
{
    CHECK(cudaMallocManaged(&out, 1 << 16)); CHECK(cudaMalloc(&mem, ALL)); CHECK(cudaMemset(mem, 0, ALL));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("{\"what\": \"%s\"}\n", p.name);
    rates<F16_K16, 2, 4, 0, 1>("f16 k16"); rates<F16_K16, 2, 4, 0, 0>("f16 k16"); rates<F16_K16, 4, 4, 0, 0>("f16 k16"); rates<F16_K16, 4, 8, 0, 0>("f16 k16"); rates<F16_K16, 2, 4, 3, 0>("f16 k16");
    rates<F16_K8, 2, 4, 0, 1>("f16 k8"); rates<F16_K8, 2, 4, 0, 0>("f16 k8"); rates<F16_K8, 4, 4, 0, 0>("f16 k8");
    rates<TF32_K8, 2, 4, 0, 1>("tf32 k8"); rates<TF32_K8, 2, 4, 0, 0>("tf32 k8"); rates<TF32_K8, 4, 4, 0, 0>("tf32 k8"); rates<TF32_K4, 2, 4, 0, 0>("tf32 k4"); rates<S8_K32, 2, 4, 0, 1>("s8 k32"); rates<S8_K32, 2, 4, 0, 0>("s8 k32");
    rates<F8_K32, 1, 1, 1, 0>("e4m3 k32"); rates<F8_K32, 2, 2, 3, 0>("e4m3 k32"); rates<F8_K32, 2, 4, 0, 1>("e4m3 k32"); rates<F8_K32, 2, 4, 0, 0>("e4m3 k32"); rates<F8_K32, 2, 4, 1, 0>("e4m3 k32"); rates<F8_K32, 2, 4, 2, 0>("e4m3 k32"); rates<F8_K32, 2, 4, 3, 0>("e4m3 k32"); rates<F8_K32, 4, 4, 3, 0>("e4m3 k32"); rates<F8_K32, 1, 1, 0, 0>("e4m3 k32"); rates<F8_K32, 1, 1, 3, 0>("e4m3 k32");
    chains<0>(); all_barriers(); all_stores(); all_columns(); all_fills<0>(); all_boxes(); sustained();
}
