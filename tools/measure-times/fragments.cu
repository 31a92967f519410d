// What fragments of matrices take to load from shared memory (wmma.load): prints a line a type, side, order and pitch, clocks of the SM a load and warp, by 1 and 8 warps.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
using namespace nvcuda;
const int TIMES = 256, LOADS = 8;
template <class F, class T> __global__ void loads(unsigned pitch, unsigned apart, int times, long long *out)
{
    extern __shared__ __align__(128) char sh[];
    F f[LOADS]; unsigned r = 0; long long t = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads(); t = clock64();
        for (int i = 0; i < times; i++) {
#pragma unroll
            for (int q = 0; q < LOADS; q++) wmma::load_matrix_sync(f[q], (const T *)(sh + (i & 1) * 128 + q * apart), pitch);
#pragma unroll
            for (int q = 0; q < LOADS; q++)
#pragma unroll
                for (int k = 0; k < (int)(sizeof f[q].x / 4); k++) r ^= ((unsigned *)f[q].x)[k]; }
        __syncthreads(); t = clock64() - t; }
    if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345) out[1] = r;
}
long long *out;
template <class F, class T> double run(unsigned pitch, int warps)
{
    CHECK(cudaFuncSetAttribute(loads<F, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    double least = 1e30; for (int i = 0; i < 3; i++) { loads<F, T><<<132, 32 * warps, 100 << 10>>>(pitch, 256, TIMES, out); CHECK(cudaDeviceSynchronize()); if (out[0] < least) least = (double)out[0]; } return least / TIMES / LOADS / warps;
}
template <class F, class T> void all(const char *what)
{
    for (unsigned bytes : {32u, 48u, 64u, 80u, 96u, 128u, 144u, 160u, 192u, 208u, 256u, 272u, 288u, 512u, 528u, 544u}) if (bytes >= 16 * sizeof(T) && !(sizeof(T) == 1 && bytes % 16)) printf("%s, %u bytes a line: %.1f; of 8 warps %.2f\n", what, bytes, run<F, T>(bytes / sizeof(T), 1), run<F, T>(bytes / sizeof(T), 8));
}
#define A(T, O, K) wmma::fragment<wmma::matrix_a, 16, 16, K, T, wmma::O>
#define B(T, O, K) wmma::fragment<wmma::matrix_b, 16, 16, K, T, wmma::O>
int main()
{
    CHECK(cudaMallocManaged(&out, 64)); cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name);
    all<A(half, row_major, 16), half>("f16 A by rows"); all<A(half, col_major, 16), half>("f16 A by columns"); all<B(half, row_major, 16), half>("f16 B by rows"); all<B(half, col_major, 16), half>("f16 B by columns");
    all<A(__nv_bfloat16, row_major, 16), __nv_bfloat16>("bf16 A by rows"); all<B(__nv_bfloat16, row_major, 16), __nv_bfloat16>("bf16 B by rows");
    all<A(wmma::precision::tf32, row_major, 8), float>("tf32 A by rows"); all<A(wmma::precision::tf32, col_major, 8), float>("tf32 A by columns"); all<B(wmma::precision::tf32, row_major, 8), float>("tf32 B by rows"); all<B(wmma::precision::tf32, col_major, 8), float>("tf32 B by columns");
    all<A(signed char, row_major, 16), signed char>("s8 A by rows"); all<B(signed char, row_major, 16), signed char>("s8 B by rows"); all<B(signed char, col_major, 16), signed char>("s8 B by columns");
}
