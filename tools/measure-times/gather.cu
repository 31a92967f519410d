// Memory read at rows by chance: rows of BYTES that lie one behind the other in a table, a warp (or part of one) a row, an index loaded for each. One JSON line a measurement.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 6; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); if (i && t < m) m = t; } CHECK(cudaGetLastError()); return m * 1e3; }
__global__ void fill(uint32_t *index, size_t count, uint32_t rows, bool is_chance) { for (size_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) { uint64_t z = i * 0x9E3779B97F4A7C15ull; z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull; z ^= z >> 27; index[i] = is_chance ? z % rows : i % rows; } }
template <int BYTES, int LANE> __global__ void gather(const uint32_t *index, const char *table, int4 *to, int turns)
{
    const int lanes = BYTES / LANE < 32 ? BYTES / LANE : 32, lane = threadIdx.x % lanes; size_t row = ((size_t)blockIdx.x * 256 + threadIdx.x) / lanes * turns; int4 s = {0, 0, 0, 0};
#pragma unroll 4
    for (int t = 0; t < turns; t++) {
        const char *at = table + (size_t)index[row + t] * BYTES + lane * LANE;
#pragma unroll
        for (int u = 0; u < BYTES; u += lanes * LANE) if (LANE == 16) { int4 v = *(const int4 *)(at + u); s.x ^= v.x; s.y += v.y; s.z ^= v.z; s.w += v.w; } else s.x ^= *(const int *)(at + u);
    }
    if (s.x == 12345) to[0] = s;
}
template <int BYTES, int LANE> void all(uint32_t *index, char *table, int4 *to)
{
    for (size_t mb : {32u, 64u, 128u, 256u, 1024u, 4096u}) for (int chance = 0; chance < 2; chance++) {
        const size_t draws = ((size_t)512 << 20) / BYTES; const int lanes = BYTES / LANE < 32 ? BYTES / LANE : 32, turns = 32; fill<<<1056, 256>>>(index, draws, (uint32_t)((mb << 20) / BYTES), chance); CHECK(cudaDeviceSynchronize());
        const double us = best([&] { gather<BYTES, LANE><<<(unsigned)(draws / turns * lanes / 256), 256>>>(index, table, to, turns); });
        printf("{\"what\": \"gather\", \"bytes\": %d, \"lane\": %d, \"table_mb\": %zu, \"chance\": %d, \"us\": %.1f, \"GBps\": %.0f}\n", BYTES, LANE, mb, chance, us, draws * (double)BYTES / us / 1e3);
    }
}
int main()
{
    char *table; uint32_t *index; int4 *to; CHECK(cudaMalloc(&table, (size_t)4 << 30)); CHECK(cudaMalloc(&index, (size_t)64 << 20)); CHECK(cudaMalloc(&to, 4096)); CHECK(cudaMemset(table, 1, (size_t)4 << 30)); cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("{\"what\": \"%s\"}\n", p.name);
    all<32, 16>(index, table, to); all<64, 16>(index, table, to); all<128, 16>(index, table, to); all<256, 16>(index, table, to); all<512, 16>(index, table, to); all<1024, 16>(index, table, to); all<2048, 16>(index, table, to);
}
