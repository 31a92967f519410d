// What warps wait for that micro.cu leaves out: tables of constants, gathers, other blocks, matrix units, atomics of shared memory: waits > micro.json
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <mma.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
__constant__ int table[16384];
long long *out; int *mem;
const double CLK_PER_US = 1980;
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 5; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }

// ---- constants: lanes in `distinct` groups, each at a place of its own by chance among `words`
__global__ void constants(long long *out, int words, int distinct, int n, int zero) { unsigned s = (threadIdx.x % 32 / (32 / distinct) + 1) * 2654435761u + (blockIdx.x * blockDim.x / 32 + threadIdx.x / 32) * 40503u; int x = 0; long long t = clock64(); for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u + (x & zero); x += table[(s >> 16) & (words - 1)]; } t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x == 12345) out[1] = x; }
__global__ void uniform(long long *out, int words, int n) { int x = threadIdx.x; for (int p = 0; p < n; p += words) for (int i = 0; i < words; i++) x = x * 3 + table[i]; if (x == 12345) out[1] = x; }

// ---- gathers: each lane (or group) at a place of its own by chance among `words`
__global__ void gather(long long *out, const int *a, unsigned words, int distinct, int n, int zero) { unsigned s = (threadIdx.x % 32 / (32 / distinct) + 1) * 2654435761u + (blockIdx.x * blockDim.x / 32 + threadIdx.x / 32) * 40503u; int x = 0; long long t = clock64(); for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u + (x & zero); x += a[__umulhi(s, words)]; } t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x == 12345) out[1] = x; }

// ---- waiting for other blocks
__global__ void barrier_load(volatile unsigned *at, int n) { for (int r = 1; r <= n; r++) { __syncthreads(); if (!threadIdx.x) { atomicAdd((unsigned *)at, 1u); while (*at < r * gridDim.x); } __syncthreads(); } }
__global__ void barrier_fence(volatile unsigned *at, int n) { for (int r = 1; r <= n; r++) { at[1024 + blockIdx.x * blockDim.x + threadIdx.x] = r; __threadfence(); __syncthreads(); if (!threadIdx.x) { atomicAdd((unsigned *)at, 1u); while (*at < r * gridDim.x); } __syncthreads(); } }
__global__ void barrier_atomic(unsigned *at, int n) { for (int r = 1; r <= n; r++) { __syncthreads(); if (!threadIdx.x) { atomicAdd(at, 1u); while (atomicAdd(at, 0u) < r * gridDim.x); } __syncthreads(); } }
__global__ void barrier_flags(volatile unsigned *at, int n) { for (int r = 1; r <= n; r++) { __syncthreads(); if (!threadIdx.x) at[blockIdx.x * 8] = r; for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) while (at[i * 8] < r); __syncthreads(); } }
__global__ void chain(volatile unsigned *at) { if (!threadIdx.x) { if (blockIdx.x) while (!at[blockIdx.x - 1]); at[blockIdx.x] = 1; } }
__global__ void fences(long long *out, int *a, int n) { long long t = clock64(); for (int i = 0; i < n; i++) { a[threadIdx.x + i * 1024] = i; __threadfence(); } t = clock64() - t; if (!threadIdx.x) out[0] = t; }
__global__ void handoff(int *lock, int n) { if (threadIdx.x) return; for (int i = 0; i < n; i++) { while (atomicCAS(lock, 0, 1)); __threadfence(); atomicExch(lock, 0); } }
template <class F> void rounds(const char *name, F f, int n) { for (int blocks : {2, 16, 66, 132, 264, 1056}) { double t = best([&] { cudaMemsetAsync(mem, 0, 1 << 20); f(blocks, n); }), base = best([&] { cudaMemsetAsync(mem, 0, 1 << 20); f(blocks, n / 2); }); printf("\"%s_%d_blocks_ns\": %.1f,\n", name, blocks, (t - base) * 1e3 / (n - n / 2)); } }

// ---- matrix units: `own` accumulators
template <int KIND, int OWN> __global__ void matrices(long long *out, int n, int s, float f) { float c[OWN][8]; double d[OWN][2]; for (int k = 0; k < OWN; k++) { for (int i = 0; i < 8; i++) c[k][i] = f; d[k][0] = d[k][1] = f; } long long t = clock64();
#pragma unroll 4
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < OWN; k++) {
            if (KIND == 0) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
            if (KIND == 1) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
            if (KIND == 2) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
            if (KIND == 3) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};" : "+d"(d[k][0]), "+d"(d[k][1]) : "d"((double)f));
            if (KIND == 4) asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%8,%8,%8,%8,%8,%8,%8}, {%8,%8,%8,%8,%8,%8,%8,%8}, {%0,%1,%2,%3,%4,%5,%6,%7};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]), "+f"(c[k][4]), "+f"(c[k][5]), "+f"(c[k][6]), "+f"(c[k][7]) : "r"(s));
        }
    t = clock64() - t; float r = 0; for (int k = 0; k < OWN; k++) { for (int i = 0; i < 8; i++) r += c[k][i]; r += d[k][0] + d[k][1]; } if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1; }
template <int ROW> __global__ void loads(long long *out, int n, int stride) { __shared__ half s[8192]; for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = __float2half(0); __syncthreads(); using namespace nvcuda::wmma; fragment<matrix_a, 16, 16, 16, half, row_major> a; fragment<matrix_b, 16, 16, 16, half, row_major> b; int at = 0; long long t = clock64(); for (int i = 0; i < n; i++) { if (ROW) { load_matrix_sync(a, s + at, stride); at = (int)__half2float(a.x[0]) + (int)__half2float(a.x[15]); } else { load_matrix_sync(b, s + at, stride); at = (int)__half2float(b.x[0]) + (int)__half2float(b.x[15]); } } t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (at == 12345) out[1] = at; }
template <int KIND, int OWN> void matrix(const char *name) { const int n = 512; for (int warps : {1, 4, 8, 16}) { matrices<KIND, OWN><<<132, 32 * warps>>>(out, n, 0, 0.f); CHECK(cudaDeviceSynchronize()); printf("\"%s_%d_own_%d_warps_clk\": %.2f,\n", name, OWN, warps, out[0] / (double)n / OWN); } }

// ---- atomics of shared memory: clocks of an SM for a warp's request, 64 warps
template <int KIND> __global__ void shared_atomics(int *o, int bins, int n) { __shared__ int s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0; __syncthreads(); unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, x = 0; for (int i = 0; i < n; i++) { h = h * 1664525u + 1013904223u; int at = h >> 18 & (bins - 1); if (KIND == 0) atomicAdd(&s[at], 1); if (KIND == 1) x += atomicAdd(&s[at], x & 3); if (KIND == 2) atomicAdd((float *)&s[at], 1.5f); if (KIND == 3) x += atomicCAS(&s[at], i, h); if (KIND == 4) atomicAdd((unsigned long long *)&s[at & ~1], 3ull); if (KIND == 5) atomicMax(&s[at], h); if (KIND == 6) x += s[at]; } __syncthreads(); o[threadIdx.x] = s[threadIdx.x] + x; }
template <int KIND> void shared_atomic(const char *name) { for (int bins : {1, 32, 256, 4096}) { double t = best([&] { shared_atomics<KIND><<<132 * 8, 256>>>(mem, bins, 64); }), u = best([&] { shared_atomics<KIND><<<132 * 8, 256>>>(mem, bins, 32); }); printf("\"%s_%d_bins_clk\": %.2f,\n", name, bins, (t - u) * CLK_PER_US / (64 * 32)); } }

// ---- arrays in local memory, and which scheduler a warp has
__global__ void locals(long long *out, int words, int distinct, int n, int zero) { int a[128]; for (int i = 0; i < 128; i++) a[i] = zero; int x = threadIdx.x % distinct; long long t = clock64(); for (int i = 0; i < n; i++) x = (a[x & (words - 1)] + x * 5 + 1) & 127; t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x == 12345) out[1] = x; }
__global__ void some_warps(float *o, unsigned which, int n) { float v[8]; for (int k = 0; k < 8; k++) v[k] = threadIdx.x + k; if (which >> threadIdx.x / 32 & 1) for (int i = 0; i < n; i++)
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = v[k] * 0.999f + 1; float s = 0; for (int k = 0; k < 8; k++) s += v[k]; if (s == 12345.f) o[0] = s; }
__global__ void uneven(float *o, int n, int most) { unsigned h = blockIdx.x * 2654435761u; int times = n * (1 + (h >> 8) % most); float v[8]; for (int k = 0; k < 8; k++) v[k] = threadIdx.x + k; for (int i = 0; i < times; i++)
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = v[k] * 0.999f + 1; float s = 0; for (int k = 0; k < 8; k++) s += v[k]; if (s == 12345.f) o[0] = s; }

int main()
{
    size_t big = (size_t)1 << 30; CHECK(cudaMallocHost(&out, 64)); CHECK(cudaMalloc(&mem, big)); CHECK(cudaMemset(mem, 0, big)); printf("{\n");
    for (int kb : {1, 2, 4, 8, 16, 32, 64}) for (int d : {1, 2, 4, 8, 16, 32}) { int n = 512; for (int i = 0; i < 2; i++) constants<<<1, 32>>>(out, kb * 256, d, n, 3); CHECK(cudaDeviceSynchronize()); printf("\"const_%d_kb_%d_places_one_warp_clk\": %.2f,\n", kb, d, out[0] / (double)n);
        double t = best([&] { constants<<<132 * 8, 256>>>(out, kb * 256, d, 128, 0); }), u = best([&] { constants<<<132 * 8, 256>>>(out, kb * 256, d, 64, 0); }); printf("\"const_%d_kb_%d_places_64_warps_clk\": %.2f,\n", kb, d, (t - u) * CLK_PER_US / (64 * 64)); }
    for (int kb : {1, 2, 4, 8, 32, 64}) for (int w : {1, 4, 16, 64}) { int n = 32768; double t = best([&] { uniform<<<132 * (w > 8 ? w / 8 : 1), w > 8 ? 256 : 32 * w>>>(out, kb * 256, n); }), u = best([&] { uniform<<<132 * (w > 8 ? w / 8 : 1), w > 8 ? 256 : 32 * w>>>(out, kb * 256, n / 2); }); printf("\"const_same_%d_kb_%d_warps_clk\": %.2f,\n", kb, w, (t - u) * CLK_PER_US / (n / 2) / w); }
    for (int kb : {16, 64, 128, 192, 256, 512, 1024, 4096, 16384, 32768, 65536, 262144, 1048576}) for (int d : {1, 4, 8, 32}) { int n = 2048; for (int i = 0; i < 2; i++) gather<<<1, 32>>>(out, mem, kb * 256, d, n, 3); CHECK(cudaDeviceSynchronize()); printf("\"gather_%d_kb_%d_places_one_warp_clk\": %.2f,\n", kb, d, out[0] / (double)n);
        double t = best([&] { gather<<<132 * 8, 256>>>(out, mem, kb * 256, d, 192, 0); }), u = best([&] { gather<<<132 * 8, 256>>>(out, mem, kb * 256, d, 64, 0); }); printf("\"gather_%d_kb_%d_places_64_warps_clk\": %.2f,\n", kb, d, (t - u) * CLK_PER_US / (64 * 128)); }
    rounds("barrier_load", [](int b, int n) { barrier_load<<<b, 64>>>((unsigned *)mem, n); }, 64);
    rounds("barrier_load_256", [](int b, int n) { barrier_load<<<b, 256>>>((unsigned *)mem, n); }, 64);
    rounds("barrier_fence", [](int b, int n) { barrier_fence<<<b, 256>>>((unsigned *)mem, n); }, 64);
    rounds("barrier_atomic", [](int b, int n) { barrier_atomic<<<b, 64>>>((unsigned *)mem, n); }, 64);
    rounds("barrier_flags", [](int b, int n) { barrier_flags<<<b, 128>>>((unsigned *)mem, n); }, 64);
    rounds("handoff", [](int b, int n) { handoff<<<b, 32>>>(mem, n); }, 16);
    for (int b : {132, 528, 1056, 4096}) { double t = best([&] { cudaMemsetAsync(mem, 0, 1 << 20); chain<<<b, 32>>>((unsigned *)mem); }); printf("\"chain_of_%d_blocks_us\": %.2f,\n", b, t); }
    { double t = best([&] { cudaMemsetAsync(mem, 0, 1 << 20); }); printf("\"memset_1_mb_us\": %.2f,\n", t); }
    for (int w : {1, 8, 32}) { fences<<<1, 32 * w>>>(out, mem, 64); fences<<<1, 32 * w>>>(out, mem, 64); CHECK(cudaDeviceSynchronize()); printf("\"store_and_fence_%d_warps_clk\": %.1f,\n", w, out[0] / 64.); }
    matrix<0, 1>("mma_16816_f16"); matrix<0, 4>("mma_16816_f16"); matrix<1, 1>("mma_1688_f16"); matrix<1, 4>("mma_1688_f16"); matrix<2, 1>("mma_1688_tf32"); matrix<2, 4>("mma_1688_tf32"); matrix<3, 1>("mma_884_f64"); matrix<3, 4>("mma_884_f64"); matrix<4, 1>("wmma_161616_f16"); matrix<4, 4>("wmma_161616_f16");
    for (int stride : {16, 24, 64, 72}) { loads<1><<<1, 32>>>(out, 256, stride); CHECK(cudaDeviceSynchronize()); printf("\"wmma_load_a_stride_%d_clk\": %.2f,\n", stride, out[0] / 256.); loads<0><<<1, 32>>>(out, 256, stride); CHECK(cudaDeviceSynchronize()); printf("\"wmma_load_b_stride_%d_clk\": %.2f,\n", stride, out[0] / 256.); }
    shared_atomic<0>("shared_add_1"); shared_atomic<1>("shared_add_returned"); shared_atomic<2>("shared_add_f32"); shared_atomic<3>("shared_cas"); shared_atomic<4>("shared_add_u64"); shared_atomic<5>("shared_max"); shared_atomic<6>("shared_load");
    for (int words : {8, 32, 128}) for (int d : {1, 8, 32}) { locals<<<1, 32>>>(out, words, d, 512, 0); locals<<<1, 32>>>(out, words, d, 512, 0); CHECK(cudaDeviceSynchronize()); printf("\"local_%d_words_%d_places_one_warp_clk\": %.2f,\n", words, d, out[0] / 512.); double t = best([&] { locals<<<132 * 8, 256>>>(out, words, d, 256, 0); }), u = best([&] { locals<<<132 * 8, 256>>>(out, words, d, 128, 0); }); printf("\"local_%d_words_%d_places_64_warps_clk\": %.2f,\n", words, d, (t - u) * CLK_PER_US / (128 * 64)); }
    for (unsigned which : {0x1u, 0x3u, 0x11u, 0x55u, 0xfu, 0xffu}) { double t = best([&] { some_warps<<<132 * 8, 256>>>((float *)mem, which, 4096); }); printf("\"warps_%x_of_8_us\": %.2f,\n", which, t); }
    for (int most : {1, 4, 16}) for (int blocks : {1056, 2112, 8448}) { double t = best([&] { uneven<<<blocks, 256>>>((float *)mem, 256, most); }); printf("\"uneven_%d_of_%d_blocks_us\": %.2f,\n", most, blocks, t); }
    printf("\"end\": 0}\n");
}
