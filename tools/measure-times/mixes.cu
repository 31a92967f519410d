// What an SM takes where warps load fragments from shared memory and multiply them: mma.sync and ldmatrix, fused multiply-adds and 16-byte loads. Prints a line a measurement, clocks of the SM a step and warp: alone, alone, both.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
long long *out;

// L ldmatrix.x4 and M mma.m16n8k16 a step. AHEAD: those of the next step are loaded before this one's products; BAR: a barrier each 2 steps
template <int L, int M, int AHEAD, int BAR> __global__ void __launch_bounds__(512) products(int times, long long *out)
{
    __shared__ __align__(128) char sh[32768]; uint32_t at = (uint32_t)__cvta_generic_to_shared(sh) + threadIdx.x % 32 * 16; at ^= times >> 20;
    constexpr int REGS = L ? L : 1, SETS = AHEAD ? 2 : 1, ACCS = M < 16 ? (M ? M : 1) : 16;
    uint32_t a[SETS][REGS][4] = {}; float c[ACCS][4] = {};
    auto load = [&](int set, int i) {
#pragma unroll
        for (int q = 0; q < L; q++) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[set][q][0]), "=r"(a[set][q][1]), "=r"(a[set][q][2]), "=r"(a[set][q][3]) : "r"((at ^ i % 2 * 8192) + q * 512)); };
    auto multiply = [&](int set) {
#pragma unroll
        for (int m = 0; m < M; m++) { uint32_t *x = a[set][m % REGS], *y = a[set][(m * 5 + 1) % REGS]; float *d = c[m % ACCS]; asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])); } };
    long long t = 0;
    for (int round = 0; round < 2; round++) { __syncthreads(); t = clock64(); if (AHEAD) load(0, 0);
        for (int i = 0; i < times; i += 2) { at ^= 4096;
            if (BAR) __syncthreads();
            if (AHEAD) { load(1, i + 1); multiply(0); load(0, i + 2); multiply(SETS - 1); } else { load(0, i); multiply(0); load(0, i + 1); multiply(0); } }
        __syncthreads(); t = clock64() - t; }
    float r = 0; for (int k = 0; k < ACCS; k++) r += c[k][0] + c[k][3]; for (int k = 0; k < REGS; k++) for (int s = 0; s < SETS; s++) r += a[s][k][0] + a[s][k][3]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1;
}
// a step of a product of tiles in one block: C copies of 16 bytes a thread (rows of ROW bytes) for a later step, a barrier, then twice 8 ldmatrix.x4 and 32 mma
template <int C, int ROW> __global__ void __launch_bounds__(256, 1) steps(int times, long long *out, const char *from)
{
    extern __shared__ __align__(128) char sm[]; uint32_t base = (uint32_t)__cvta_generic_to_shared(sm), at = base + threadIdx.x % 32 * 16 + threadIdx.x / 32 * 512; uint32_t a[8][4] = {}; float c[32][4] = {}; constexpr int LANES = ROW / 16;
    const char *mine = from + (size_t)blockIdx.x * 65536 + (size_t)(threadIdx.x / LANES) * 8192 + threadIdx.x % LANES * 16; long long t = 0;
    auto copies = [&](int i) {
#pragma unroll
        for (int q = 0; q < (C ? C : 0); q++) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(base + 32768 + (i % 3) * 24576 + (q * 256 + threadIdx.x) * 16), "l"(mine + (size_t)q * (256 / LANES) * 8192 + i % 64 * ROW));
        asm volatile("cp.async.commit_group;"); };
    for (int round = 0; round < 2; round++) { __syncthreads(); t = clock64(); copies(0); copies(1);
        for (int i = 0; i < times; i++) {
            asm volatile("cp.async.wait_group 1;"); __syncthreads(); copies(i + 2); at ^= 16384;
#pragma unroll
            for (int k = 0; k < 2; k++) {
#pragma unroll
                for (int q = 0; q < 8; q++) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[q][0]), "=r"(a[q][1]), "=r"(a[q][2]), "=r"(a[q][3]) : "r"((at ^ k * 8192) + q * 512));
#pragma unroll
                for (int m = 0; m < 32; m++) { uint32_t *x = a[m / 8], *y = a[4 + m % 8 / 2]; float *d = c[m]; int h = m % 2 * 2; asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[h]), "r"(y[h + 1])); } } }
        __syncthreads(); t = clock64() - t; }
    float r = 0; for (int k = 0; k < 32; k++) r += c[k][0] + c[k][3]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1;
}
template <int C, int ROW> void step_of(const char *from)
{
    CHECK(cudaFuncSetAttribute(steps<C, ROW>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int threads : {128, 256}) for (int blocks : {1, 2}) { if (threads * blocks > 256) continue; double least = 1e30; for (int i = 0; i < 3; i++) { steps<C, ROW><<<132 * blocks, threads, (blocks == 1 ? 120 : 106) << 10>>>(256, out, from); CHECK(cudaDeviceSynchronize()); if (out[0] < least) least = (double)out[0]; }
        printf("%d copies a thread, rows of %d, %d blocks of %d warps: %.0f clk a step; products alone %.0f\n", C, ROW, blocks, threads / 32, least / 256, 64 * 1.5 * threads / 32 * blocks); }
}
// L loads of 16 bytes a lane (conflict-free; SAME: lanes in two groups of one address) and M multiply-adds a step
template <int L, int M, int AHEAD, int SAME> __global__ void __launch_bounds__(512) multiplies(int times, long long *out)
{
    __shared__ __align__(128) char sh[32768]; uint32_t at = (uint32_t)__cvta_generic_to_shared(sh) + (SAME ? threadIdx.x % 32 / 16 : threadIdx.x % 32) * 16; constexpr int REGS = L ? L : 1, SETS = AHEAD ? 2 : 1;
    float a[SETS][REGS][4] = {}, c[M < 64 ? (M ? M : 1) : 64] = {}; constexpr int ACCS = sizeof c / sizeof *c;
    auto load = [&](int set, int i) {
#pragma unroll
        for (int q = 0; q < L; q++) asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(a[set][q][0]), "=f"(a[set][q][1]), "=f"(a[set][q][2]), "=f"(a[set][q][3]) : "r"(at + q * 512)); };
    auto multiply = [&](int set) {
#pragma unroll
        for (int m = 0; m < M; m++) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c[m % ACCS]) : "f"(a[set][m % REGS][m / REGS % 4]), "f"(a[set][(m + 1) % REGS][m / 5 % 4])); };
    long long t = 0;
    for (int round = 0; round < 2; round++) { __syncthreads(); t = clock64(); if (AHEAD) load(0, 0);
        for (int i = 0; i < times; i += 2) { if (AHEAD) { load(1, i + 1); multiply(0); load(0, i + 2); multiply(SETS - 1); } else { load(0, i); multiply(0); load(0, i + 1); multiply(0); } }
        __syncthreads(); t = clock64() - t; }
    float r = 0; for (int k = 0; k < ACCS; k++) r += c[k]; for (int k = 0; k < REGS; k++) for (int s = 0; s < SETS; s++) r += a[s][k][0] + a[s][k][3]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1;
}
const int TIMES = 256;
template <class K> double run(K kernel, int blocks, int threads) { double least = 1e30; for (int i = 0; i < 3; i++) { kernel<<<132 * blocks, threads>>>(TIMES, out); CHECK(cudaDeviceSynchronize()); if (out[0] < least) least = (double)out[0]; } return least / TIMES / (threads / 32 * blocks); }
template <int L, int M> void mix()
{
    for (int blocks : {1, 2}) for (int threads : {128, 256, 512}) if (blocks * threads <= 512) {
        printf("ldmatrix.x4 %d mma %d warps %dx%d: %.1f, %.1f; both %.1f, ahead %.1f; with barriers %.1f, ahead %.1f\n", L, M, blocks, threads / 32, run(products<L, 0, 0, 0>, blocks, threads), run(products<0, M, 0, 0>, blocks, threads),
               run(products<L, M, 0, 0>, blocks, threads), run(products<L, M, 1, 0>, blocks, threads), run(products<L, M, 0, 1>, blocks, threads), run(products<L, M, 1, 1>, blocks, threads));
        fflush(stdout); }
}
template <int L, int M, int SAME> void fmas()
{
    for (int threads : {128, 256, 512})
        printf("ld.shared.v4 %d (%s) fma %d warps %d: %.1f, %.1f; both %.1f, ahead %.1f\n", L, SAME ? "two places" : "conflict-free", M, threads / 32, run(multiplies<L, 0, 0, SAME>, 1, threads), run(multiplies<0, M, 0, SAME>, 1, threads), run(multiplies<L, M, 0, SAME>, 1, threads), run(multiplies<L, M, 1, SAME>, 1, threads));
}
int main()
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); CHECK(cudaMallocHost(&out, 64)); printf("%s: clocks of the SM a step and warp\n", p.name);
    char *from; CHECK(cudaMalloc(&from, 64 << 20)); CHECK(cudaMemset(from, 0, 64 << 20)); step_of<0, 64>(from); step_of<2, 64>(from); step_of<6, 64>(from); step_of<6, 128>(from); step_of<6, 512>(from);
    mix<8, 32>(); mix<6, 16>(); mix<4, 8>(); mix<8, 16>(); mix<4, 16>();
    fmas<2, 16, 0>(); fmas<2, 32, 0>(); fmas<4, 64, 0>(); fmas<4, 32, 0>(); fmas<4, 128, 0>(); fmas<2, 16, 1>(); fmas<4, 32, 1>(); fmas<4, 64, 1>();
}
