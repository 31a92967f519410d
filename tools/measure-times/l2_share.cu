// What L2 gives to SMs that read the same: groups of SMs read one range in step, each group its
// own; or rows and columns of a grid of SMs, as tiles of a product are read.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (x);                                                                       \
        if (e) {                                                                                   \
            printf("%s line %d\n", cudaGetErrorString(e), __LINE__);                               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
template <class F> double best(F f)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    float least = 1e30f;
    for (int i = 0; i < 4; i++) {
        cudaEventRecord(a);
        f();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float t;
        cudaEventElapsedTime(&t, a, b);
        least = std::min(least, t);
    }
    CHECK(cudaGetLastError());
    return least * 1e3;
}
// mode 0: group blockIdx / g; 1: blockIdx % (blocks / g); 2: half of the requests by row, half by
// column of a grid that is g wide
__global__ void walk(const char *m, uint32_t mask, int n, int mode, int g, int is_async, int *sink)
{
    extern __shared__ int4 tile[];
    uint32_t id = blockIdx.x, groups = gridDim.x / g ? gridDim.x / g : 1;
    uint32_t own[2];
    own[0] = mode == 1 ? id % groups : id / g;
    own[1] = mode == 2 ? 1000 + id % g : own[0];
    uint32_t off[2] = { own[0] * 7919u * 4096u + threadIdx.x * 16,
                        own[1] * 7919u * 4096u + threadIdx.x * 16 };
    uint32_t to = (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x);
    int x = 0;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const char *p = m + (off[u & 1] & mask);
            off[u & 1] += blockDim.x * 16;
            if (mode != 2)
                off[!(u & 1)] = off[u & 1];
            if (is_async) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p)
                             : "memory");
            } else {
                int4 v;
                asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                             : "l"(p));
                x += v.x;
            }
        }
        if (is_async)
            asm volatile("cp.async.commit_group; cp.async.wait_group 2;" ::: "memory");
    }
    if (x == 123457)
        *sink = x;
}
int main()
{
    char *m;
    int *s;
    CHECK(cudaMalloc(&m, 1ull << 30));
    CHECK(cudaMemset(m, 0, 1ull << 30));
    CHECK(cudaMalloc(&s, 4));
    for (int is_async : { 0, 1 })
        for (uint32_t mb : { 8u, 32u, 128u })
            for (int mode : { 0, 1, 2 })
                for (int g : { 1, 2, 4, 8, 12, 16, 33, 66, 132 }) {
                    uint32_t mask = (mb << 20) - 1;
                    int n = 256;
                    auto go = [&](int k) {
                        walk<<<132, 1024, 16384>>>(m, mask, k, mode, g, is_async, s);
                    };
                    double us = best([&] { go(n); }) - best([&] { go(n / 2); });
                    double halves = 132. * 32 * (n / 2) * 8 * 8;
                    printf("{\"async\": %d, \"mb\": %u, \"mode\": %d, \"g\": %d, "
                           "\"ps_a_half_line\": %.2f}\n",
                           is_async, mb, mode, g, us * 1e6 / halves);
                }
}
