// Rates of mma.sync, clocks of barriers, and of local memory: prints one line a measurement.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
long long *out; char *mem; const size_t BIG = (size_t)8 << 30;
__device__ uint32_t at_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// ---- mma.sync: accumulators of a warp, warps of an SM
template <int KIND, int OWN> __global__ void mma(long long *out, int n, int s) {
    float c[OWN][4] = {}; long long t = clock64();
#pragma unroll 4
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < OWN; k++) {
            if (KIND == 0) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
            if (KIND == 1) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
            if (KIND == 2) asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(s));
        }
    t = clock64() - t; float r = 0; for (int k = 0; k < OWN; k++) for (int i = 0; i < 4; i++) r += c[k][i];
    if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1; }
template <int KIND, int OWN> void mmas(const char *name) { for (int warps : {1, 4, 8, 16}) { for (int r = 0; r < 2; r++) mma<KIND, OWN><<<132, 32 * warps>>>(out, 512, 0); CHECK(cudaDeviceSynchronize()); printf("mma %s %d accumulators %2d warps: %.2f clk of the SM each\n", name, OWN, warps, out[0] / 512.0 / OWN / warps); } }
// ---- a barrier of warps that come at once
__global__ void barriers(long long *out, int n) { __syncthreads(); long long t = clock64(); for (int i = 0; i < n; i++) __syncthreads(); t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; }
// ---- local memory: `words` of a thread, written and read in turn
template <int WORDS> __global__ void locals(long long *out, int n, int zero) { int a[WORDS]; for (int i = 0; i < WORDS; i++) a[i] = i; int s = zero; long long t = clock64();
    for (int r = 0; r < n; r++) { for (int i = 0; i < WORDS; i++) ((volatile int *)a)[i] = s + r; for (int i = 0; i < WORDS; i++) s += ((volatile int *)a)[(i + zero) % WORDS]; }
    t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (s == 12345) out[1] = s; }
template <int WORDS> void local() { for (int threads : {128, 256, 512, 1024}) { for (int r = 0; r < 2; r++) locals<WORDS><<<132, threads>>>(out, 32, 0); CHECK(cudaDeviceSynchronize()); printf("local %3d words %4d threads: %.2f clk of the SM for a warp's store and load\n", WORDS, threads, out[0] / 32.0 / WORDS / (threads / 32)); } }

int main()
{
    CHECK(cudaMallocManaged(&out, 1 << 16)); CHECK(cudaMalloc(&mem, BIG + (256 << 20))); CHECK(cudaMemset(mem, 0, BIG));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s, clocks are of its SMs\n", p.name);
    mmas<0, 1>("f16"); mmas<0, 4>("f16"); mmas<0, 8>("f16"); mmas<1, 1>("tf32"); mmas<1, 8>("tf32"); mmas<2, 8>("e4m3");

    for (int w : {1, 4, 8, 16, 32}) { barriers<<<132, 32 * w>>>(out, 256); CHECK(cudaDeviceSynchronize()); printf("barrier %2d warps: %.1f clk\n", w, out[0] / 256.0); }
    local<16>(); local<64>(); local<128>();
}
