// Arrays of a thread in local memory: us of a launch of 256 threads a block, 64 stores or loads each, at an index of the warp's or of each lane's.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
enum { THREADS = 256, ACCESSES = 64, MOST_BLOCKS = 528 };
int *out, *seeds;

template <int WORDS, bool OWN, bool STORES, bool LOADS> __global__ void arrays(int *o, const int *a, int n)
{
    int t[WORDS], s = 0, x = a[OWN ? blockIdx.x * blockDim.x + threadIdx.x : blockIdx.x];
    for (int i = 0; i < WORDS; i++) t[i] = i;
    for (int i = 0; i < n; i++) {
        if (STORES) t[x & (WORDS - 1)] = i;
        if (LOADS) s += t[(x >> 8) & (WORDS - 1)];
        x = x * 1664525 + 1013904223;
    }
    for (int i = 0; i < WORDS; i++) s += t[i];
    o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

template <int WORDS, bool OWN, bool STORES, bool LOADS> void measure()
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin)); CHECK(cudaEventCreate(&end));
    for (int blocks : {132, (int)MOST_BLOCKS}) {
        float best = 1e9f;
        for (int r = 0; r < 9; r++) {
            float ms;
            CHECK(cudaEventRecord(begin));
            arrays<WORDS, OWN, STORES, LOADS><<<blocks, THREADS>>>(out, seeds, ACCESSES);
            CHECK(cudaEventRecord(end)); CHECK(cudaEventSynchronize(end)); CHECK(cudaEventElapsedTime(&ms, begin, end));
            best = ms < best ? ms : best;
        }
        printf("%d words, %s index,%s%s, %d blocks: %.1f us\n", WORDS, OWN ? "each lane's" : "one", STORES ? " stores" : "", LOADS ? " loads" : "", blocks, 1e3f * best);
    }
}

int main()
{
    const int count = MOST_BLOCKS * THREADS;
    int *host = (int *)malloc(count * sizeof *host);
    unsigned x = 1;
    for (int i = 0; i < count; i++) host[i] = (int)((x = x * 1664525u + 1013904223u) >> 4);
    CHECK(cudaMalloc(&out, count * sizeof *out)); CHECK(cudaMalloc(&seeds, count * sizeof *seeds));
    CHECK(cudaMemcpy(seeds, host, count * sizeof *seeds, cudaMemcpyHostToDevice));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name);
    measure<16, false, true, false>(); measure<16, false, false, true>(); measure<16, true, true, false>(); measure<16, true, false, true>(); measure<16, true, true, true>();
    measure<64, false, true, false>(); measure<64, false, false, true>(); measure<64, true, true, false>(); measure<64, true, false, true>(); measure<64, true, true, true>();
}
