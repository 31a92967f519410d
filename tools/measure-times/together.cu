// What L2 takes for a piece of 64 bytes that several SMs ask for at once: `share` blocks, neighbours or
// as far apart as may be, walk over the same places. Prints a line a measurement.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (x);                                                                       \
        if (e) {                                                                                   \
            printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__);                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void walk(const char *m, unsigned mask, int n, int share, int far, int *sink)
{
    int groups = gridDim.x / share, x = 0;
    unsigned group = far ? blockIdx.x % groups : blockIdx.x / share,
             off = group * 7919u * 4096u + threadIdx.x * 16;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            int4 v;
            const char *p = m + (off & mask);
            off += blockDim.x * 16;
            asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(p));
            x += v.x ^ v.y ^ v.z ^ v.w;
        }
    }
    if (x == 12345)
        *sink = x;
}

static char *memory;
static int *sink;

static float shortest_ms(int a_sm, int mb, int n, int share, int far)
{
    cudaEvent_t begin, end;
    float least = 1e9f;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 4; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        walk<<<132 * a_sm, 512>>>(memory, (unsigned)mb * 1048576 - 1, n, share, far, sink);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = std::min(least, ms);
    }
    return least;
}

int main()
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("%s\n", p.name);
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMemset(memory, 0, 64 << 20));
    CHECK(cudaMalloc(&sink, 4));
    for (int a_sm : { 1, 2 })
        for (int mb : { 8, 32 })
            for (int far : { 0, 1 })
                for (int share : { 1, 2, 4, 6, 12, 22, 44, 66, 132 }) {
                    double s = (shortest_ms(a_sm, mb, 256, share, far)
                                - shortest_ms(a_sm, mb, 64, share, far)) * 1e-3,
                           bytes = 192. * 4 * 512 * 16 * 132 * a_sm;
                    printf("%d blocks of an SM, %d MB, %d %s blocks together: %.2f TB/s, %.2f ps a piece\n",
                           a_sm, mb, share, far ? "far" : "neighbouring", bytes / s / 1e12,
                           s / bytes * 64 * 1e12);
                }
}
