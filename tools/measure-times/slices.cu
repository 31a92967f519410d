// How many slices of L2 small arrays lie on: red.add of whole warps, in order, on arrays of so many bytes in allocations of many sizes. For each size of an array: how many times how many slices.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
const int BLOCKS = 528, THREADS = 256, TIMES = 32;
__global__ void add(char *at, unsigned bytes) { for (int i = 0; i < TIMES; i++) atomicAdd((unsigned *)(at + (threadIdx.x * 4 + i * THREADS * 4) % bytes), threadIdx.x % 32 + 1); }
int main()
{
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); printf("%s\n", p.name);
    std::vector<std::pair<char *, size_t>> all; for (int r = 0; r < 4; r++) for (size_t n : {1024ul, 16384ul, 200000ul, 1ul << 20, 3ul << 20, 20ul << 20, 200ul << 20}) { char *q; CHECK(cudaMalloc(&q, n + 65536)); CHECK(cudaMemset(q, 0, n + 65536)); all.push_back({q, n}); }
    unsigned h = 1; for (unsigned bytes : {128u, 256u, 512u, 768u, 1024u, 2048u, 4096u, 8192u, 16384u}) { printf("%u bytes:", bytes); std::vector<double> v;
        for (auto &m : all) for (int k = 0; k < 6; k++) { h = h * 1664525u + 1013904223u; size_t off = k ? (h >> 4) % (m.second / 256 + 1) * 256 : 0; float t, least = 1e9; for (int i = 0; i < 3; i++) { cudaEventRecord(e0); add<<<BLOCKS, THREADS>>>(m.first + off, bytes); cudaEventRecord(e1); CHECK(cudaEventSynchronize(e1)); cudaEventElapsedTime(&t, e0, e1); least = std::min(least, t); } v.push_back(.6 / (least * 1e6 / (BLOCKS * THREADS / 8. * TIMES))); }
        std::vector<double> s = v; std::sort(s.begin(), s.end()); double sum = 0; for (double x : s) sum += 1 / x; printf(" slices at .6 ns: least %.1f, 10 %% %.1f, median %.1f, 90 %% %.1f, most %.1f; by mean time %.2f; by allocation, first places:", s[0], s[s.size() / 10], s[s.size() / 2], s[s.size() * 9 / 10], s.back(), s.size() / sum); for (size_t i = 0; i < v.size(); i += 6) printf(" %.1f", v[i]); printf("\n"); }
}
