// Lists that lie one behind the other, some threads each: what a warp is in the middle of must stay in L1 until it comes to the next element. One JSON line a measurement. What comes again: ncu --metrics lts__t_sectors_srcunit_tex_op_read.sum.
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 5; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); if (i && t < m) m = t; } CHECK(cudaGetLastError()); return m * 1e3; }
__global__ void fill(int *index, int count, unsigned reach) { for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) { unsigned long long z = i * 0x9E3779B97F4A7C15ull; z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull; z ^= z >> 27; index[i] = (int)(z % reach); } }
template <int T, int U, bool LEADS> __global__ void walk(const int *__restrict__ index, const float *__restrict__ value, const float *__restrict__ table, float *to, int lists, int per)
{
    const int lane = threadIdx.x % T;
    for (int list = (blockIdx.x * 256 + threadIdx.x) / T; list < lists; list += gridDim.x * 256 / T) {
        float s = 0;
#pragma unroll U
        for (int i = lane; i < per; i += T) s += value[(size_t)list * per + i] * (LEADS ? table[index[(size_t)list * per + i]] : (float)index[(size_t)list * per + i]);
        if (s == 12345) to[0] = s;
    }
}
template <int T, int U, bool LEADS> void all(const int *index, const float *value, const float *table, float *to, int count, int reach)
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0));
    for (int per : {8, 16, 32, 64}) for (int blocks : {1, 2, 4, 8}) {
        const double us = best([&] { walk<T, U, LEADS><<<p.multiProcessorCount * blocks, 256>>>(index, value, table, to, count / per, per); });
        printf("{\"what\": \"lists\", \"threads\": %d, \"unrolled\": %d, \"leads\": %d, \"reach\": %d, \"elements\": %d, \"blocks\": %d, \"us\": %.1f}\n", T, U, LEADS, reach, per, blocks, us);
    }
}
template <int T, int U> void both(const int *index, const float *value, const float *table, float *to, int count, int reach) { all<T, U, false>(index, value, table, to, count, reach); all<T, U, true>(index, value, table, to, count, reach); }
int main()
{
    const int count = 1 << 24; int *index; float *value, *table, *to; CHECK(cudaMalloc(&index, count * 4)); CHECK(cudaMalloc(&value, count * 4)); CHECK(cudaMalloc(&table, 64 << 20)); CHECK(cudaMalloc(&to, 4096)); CHECK(cudaMemset(value, 0, count * 4)); CHECK(cudaMemset(table, 0, 64 << 20)); cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("{\"what\": \"%s\"}\n", p.name);
    for (int reach : {1 << 18}) { fill<<<1056, 256>>>(index, count, reach); CHECK(cudaDeviceSynchronize()); both<1, 1>(index, value, table, to, count, reach); both<1, 2>(index, value, table, to, count, reach); both<1, 4>(index, value, table, to, count, reach); both<2, 1>(index, value, table, to, count, reach); both<4, 1>(index, value, table, to, count, reach); both<8, 1>(index, value, table, to, count, reach); }
}
