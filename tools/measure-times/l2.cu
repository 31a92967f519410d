// What L2 takes for a request: by bytes a lane, working set, places of its own for each SM, and the
// pieces that it is made of. rules/gpus/h200.yaml names it: 6.8 ps a half line at 1980 MHz.
#include <algorithm>
#include <cstdint>
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
template <class F> double best(F f)
{
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    float m = 1e30f;
    for (int i = 0; i < 4; i++) {
        cudaEventRecord(a);
        f();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float t;
        cudaEventElapsedTime(&t, a, b);
        m = std::min(m, t);
    }
    CHECK(cudaGetLastError());
    return m * 1e3;
}
// lanes in groups: a request covers `pieces` pieces of 32 * VEC / pieces bytes, each `pitch` apart
template <int VEC, int CA>
__global__ void walk(const char *m, uint32_t mask, int n, uint32_t step, int shift, int pieces,
                     uint32_t pitch, int *sink)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, each = 32 / pieces;
    uint32_t off = (shift ? blockIdx.x * 7919u * 4096u : 0u)
                   + warp * (32 * VEC / pieces) + lane / each * pitch
                   + lane % each * VEC;
    int x = 0;
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int u = 0; u < 8; u++) {
            const char *p = m + (off & mask);
            off += step;
            if (VEC == 16) {
                int4 v;
                if (CA)
                    asm volatile("ld.global.ca.v4.s32 {%0,%1,%2,%3}, [%4];"
                                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                                 : "l"(p));
                else
                    asm volatile("ld.global.cg.v4.s32 {%0,%1,%2,%3}, [%4];"
                                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                                 : "l"(p));
                x += v.x;
            }
            if (VEC == 8) {
                int2 v;
                if (CA)
                    asm volatile("ld.global.ca.v2.s32 {%0,%1}, [%2];"
                                 : "=r"(v.x), "=r"(v.y)
                                 : "l"(p));
                else
                    asm volatile("ld.global.cg.v2.s32 {%0,%1}, [%2];"
                                 : "=r"(v.x), "=r"(v.y)
                                 : "l"(p));
                x += v.x;
            }
            if (VEC == 4) {
                int v;
                if (CA)
                    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v) : "l"(p));
                else
                    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p));
                x += v;
            }
        }
    }
    if (x == 123457)
        *sink = x;
}
template <int VEC, int CA> void go(char *m, int *sink)
{
    for (uint32_t mb : { 1u, 4u, 16u, 32u, 64u, 1024u })
        for (int shift : { 0, 1 })
            for (int pieces : { 1, 2, 4, 8, 16, 32 }) {
                if (pieces > 1 && (mb > 32 || mb == 4 || mb == 1))
                    continue;
                uint32_t mask = (mb << 20) - 1, pitch = pieces > 1 ? 4096 : 0;
                int n = mb > 64 ? 16 : 64;
                uint32_t step = pieces > 1 ? 32 * 32 * VEC / pieces + pitch * 32 : 32 * 32 * VEC;
                double a = best([&] {
                    walk<VEC, CA><<<264, 1024>>>(m, mask, n, step, shift, pieces, pitch, sink);
                }),
                       b = best([&] {
                           walk<VEC, CA>
                               <<<264, 1024>>>(m, mask, n / 2, step, shift, pieces, pitch, sink);
                       });
                double us = a - b, requests = 264. * 32 * (n / 2) * 8;
                int piece = 32 * VEC / pieces;
                double sectors = std::max(1., piece / 32.) * pieces;
                printf(
                    "{\"what\": \"%s\", \"bytes_a_lane\": %d, \"mb\": %u, \"own\": %d, \"pieces\": "
                    "%d, \"sectors\": %g, \"ps_a_request\": %.1f, \"sector_GBps\": %.0f}\n",
                    CA ? "ca" : "cg", VEC, mb, shift, pieces, sectors, us * 1e6 / requests,
                    requests * sectors * 32 / us / 1e3);
            }
}
int main()
{
    char *m;
    int *s;
    CHECK(cudaMalloc(&m, 1ull << 30));
    CHECK(cudaMemset(m, 0, 1ull << 30));
    CHECK(cudaMalloc(&s, 4));
    go<16, 0>(m, s);
    go<8, 0>(m, s);
    go<4, 0>(m, s);
    go<16, 1>(m, s);
    go<4, 1>(m, s);
}
