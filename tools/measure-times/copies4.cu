// What copies of 4 and 8 bytes through L1 (cp.async.ca) take of an SM: lanes by where they read and where they write. A line a pattern: clocks of the SM a request of a warp, data in L1 and in L2.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
const int TIMES = 256, WARPS = 8, COPIES = 4;
template <int BYTES> __global__ void __launch_bounds__(32 * WARPS) copy(const char *from, const int *read, const int *write, unsigned step, long long *out)
{
    extern __shared__ __align__(128) char sh[]; const unsigned base = (unsigned)__cvta_generic_to_shared(sh) + (threadIdx.x / 32) * 16384 + write[threadIdx.x % 32];
    const char *mine = from + (size_t)blockIdx.x * 262144 + (threadIdx.x / 32) * 32768 + read[threadIdx.x % 32]; long long t = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads(); t = clock64(); unsigned at = 0;
        for (int i = 0; i < TIMES; i++) {
#pragma unroll
            for (int c = 0; c < COPIES; c++) { asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(base + (c & 3) * 256), "l"(mine + at), "n"(BYTES)); at = (at + step) & 32767; }
            asm volatile("cp.async.commit_group;\n cp.async.wait_group 4;"); }
        asm volatile("cp.async.wait_all;"); __syncthreads(); t = clock64() - t; }
    if (!threadIdx.x) out[blockIdx.x] = t;
}
long long *out; char *from; int *read_, *write_;
template <int BYTES> double run(const int *r, const int *w, unsigned step)
{
    CHECK(cudaFuncSetAttribute(copy<BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 136 << 10)); CHECK(cudaMemcpy(read_, r, 128, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(write_, w, 128, cudaMemcpyHostToDevice));
    double least = 1e30; for (int i = 0; i < 3; i++) { copy<BYTES><<<132, 32 * WARPS, 136 << 10>>>(from, read_, write_, step, out); CHECK(cudaDeviceSynchronize()); static long long h[132]; CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost)); double s = 0; for (int b = 0; b < 132; b++) s += h[b]; if (s / 132 < least) least = s / 132; } return least / TIMES / COPIES / WARPS;
}
template <int B> void table()
{
    // reads: side by side; strides; 2, 4, 8 rows of a line each in the same banks; the pattern of transposed tiles of Triton
    struct { const char *name; int (*at)(int); } reads[] = {
        {"side by side", [](int l) { return l * B; }}, {"stride 2", [](int l) { return l * 2 * B; }}, {"stride 4", [](int l) { return l * 4 * B; }}, {"stride 8", [](int l) { return l * 8 * B; }},
        {"2 rows", [](int l) { return l / 16 * 1024 + l % 16 * B; }}, {"4 rows", [](int l) { return l / 8 * 1024 + l % 8 * B; }}, {"8 rows", [](int l) { return l / 4 * 1024 + l % 4 * B; }}, {"32 rows", [](int l) { return l * 1024; }},
        {"2 rows, stride 4", [](int l) { return l / 16 * 2048 + l % 16 * 4 * B; }}, {"4 rows, stride 4", [](int l) { return l / 8 * 2048 + l % 8 * 4 * B; }}, {"8 rows apart in banks", [](int l) { return l / 4 * (1024 + 4 * B) + l % 4 * B; }}, {"32 rows apart in banks", [](int l) { return l * (896 + B); }}};
    struct { const char *name; int (*at)(int); } writes[] = {
        {"side by side", [](int l) { return l * B; }}, {"2 a bank", [](int l) { return l % 2 * 512 + l / 2 * B; }}, {"2 a bank, halves", [](int l) { return l / 16 * 512 + l % 16 * B; }}, {"4 a bank", [](int l) { return l % 4 * 512 + l / 4 * B; }}, {"8 a bank", [](int l) { return l % 8 * 512 + l / 8 * B; }}, {"8 a bank, far", [](int l) { return l / 4 * 512 + l % 4 * B; }}, {"16 a bank", [](int l) { return l % 16 * 512 + l / 16 * B; }}, {"32 a bank", [](int l) { return l * 512; }},
        {"transposed tile", [](int l) { return (l & 1) * 576 + (l >> 1 & 7) * 1024 + (l >> 4) * B; }}};
    for (auto &r : reads) for (auto &w : writes) { int a[32], b[32]; for (int l = 0; l < 32; l++) a[l] = r.at(l), b[l] = w.at(l); printf("%d bytes; read %s; write %s: %.2f %.2f\n", B, r.name, w.name, run<B>(a, b, 0), run<B>(a, b, 4096)); }
}
int main() { CHECK(cudaMalloc(&out, 8192)); CHECK(cudaMalloc(&from, 64 << 20)); CHECK(cudaMalloc(&read_, 128)); CHECK(cudaMalloc(&write_, 128)); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); printf("%s\n", p.name); table<4>(); table<8>(); }
