// Clocks of an SM for a warp's load of 8 and of 16 bytes from shared memory, by where its lanes are: as many as banks take passes, and one or so for the loop.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
enum { WARPS = 32, LOADS = 256 };
struct Places { int of[32]; };

template <int BYTES> __global__ void loads(long long *out, float *o, Places places)
{
    __shared__ float4 s[2048];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(s) + places.of[threadIdx.x & 31];
    float sum = 0;
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < LOADS; i++) {
        float x, y, z = 0, w = 0;
        if (BYTES == 16) asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at));
        else asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(x), "=f"(y) : "r"(at));
        sum += x + y + z + w;
    }
    __syncthreads();
    if (!threadIdx.x && !blockIdx.x) *out = clock64() - begin;
    o[threadIdx.x] = sum;
}

int main()
{
    long long *out; float *o;
    CHECK(cudaMallocManaged(&out, sizeof *out)); CHECK(cudaMalloc(&o, 1024 * sizeof *o));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s\n", p.name);
    struct { const char *name; int (*of)(int lane, int bytes); } patterns[] = {
        {"one place", [](int, int) { return 0; }}, {"side by side", [](int l, int b) { return l * b; }},
        {"in turn at two places of one bank", [](int l, int) { return (l & 1) * 128; }}, {"in turn at two of other banks", [](int l, int) { return (l & 1) * 16; }},
        {"in turn at four of one bank", [](int l, int) { return (l & 3) * 128; }}, {"in turn at four side by side", [](int l, int b) { return (l & 3) * b; }},
        {"halves at two of one bank", [](int l, int) { return l / 16 * 128; }}, {"quarters at four", [](int l, int) { return l / 8 * 128; }},
        {"quarters in turn at two", [](int l, int) { return (l / 8 & 1) * 128; }}, {"pairs at sixteen", [](int l, int) { return l / 2 * 128; }},
        {"pairs side by side", [](int l, int b) { return l / 2 * b; }}, {"every second", [](int l, int b) { return 2 * l * b; }},
        {"two rows of four", [](int l, int) { return (l & 1) * 128 + (l / 2 & 3) * 16; }}, {"rows padded by 16 bytes", [](int l, int) { return l / 4 * 144; }},
    };
    for (int bytes : {8, 16})
        for (auto &pattern : patterns) {
            Places places;
            for (int l = 0; l < 32; l++) places.of[l] = pattern.of(l, bytes);
            for (int r = 0; r < 2; r++) if (bytes == 8) loads<8><<<1, 32 * WARPS>>>(out, o, places); else loads<16><<<1, 32 * WARPS>>>(out, o, places);
            CHECK(cudaDeviceSynchronize());
            printf("%2d bytes, %s: %.2f\n", bytes, pattern.name, (double)*out / LOADS / WARPS);
        }
}
