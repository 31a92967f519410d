// Memory read in segments of BYTES that lie a pitch apart. walk: a block goes along its rows, a segment of each a step; tile: one block a step, the next one beside or below. One JSON line a measurement.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 6; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); if (i && t < m) m = t; } CHECK(cudaGetLastError()); return m * 1e3; }
template <int BYTES> __global__ void walk(const char *in, int4 *to, size_t pitch, int steps)
{
    const int lanes = BYTES / 16, rows = 8192 / BYTES; const char *at = in + ((size_t)blockIdx.x * rows + threadIdx.x / lanes) * pitch + threadIdx.x % lanes * 16; int4 x = {0, 0, 0, 0};
#pragma unroll 1
    for (int s = 0; s < steps; s++, at += BYTES) {
#pragma unroll
        for (int u = 0; u < 8192 / 4096; u++) { int4 v = *(const int4 *)(at + (size_t)u * (256 / lanes) * pitch); x.x ^= v.x; x.y += v.y; x.z ^= v.z; x.w += v.w; } }
    if (x.x == 12345 && x.y == 99) to[0] = x;
}
template <int BYTES> __global__ void tile(const char *in, int4 *to, size_t pitch, int across, int down, bool below)
{
    const int x = below ? blockIdx.x / down : blockIdx.x % across, y = below ? blockIdx.x % down : blockIdx.x / across, lanes = BYTES / 16, rows = 16384 / BYTES; const char *at = in + (size_t)y * rows * pitch + (size_t)x * BYTES; int4 s = {0, 0, 0, 0};
#pragma unroll
    for (int u = 0; u < 4; u++) { int i = u * 256 + threadIdx.x; int4 v = *(const int4 *)(at + i / lanes * pitch + i % lanes * 16); s.x ^= v.x; s.y += v.y; s.z ^= v.z; s.w += v.w; }
    if (s.x == 12345 && s.y == 99) to[0] = s;
}
template <int BYTES> void all(char *in, char *to)
{
    const size_t bytes = 512 << 20;
    for (size_t pitch : {1536u, 2048u, 8192u, 33280u}) {
        size_t blocks = bytes / pitch / (8192 / BYTES); double us = best([&] { walk<BYTES><<<blocks, 256>>>(in, (int4 *)to, pitch, pitch / BYTES); }); printf("{\"what\": \"walk\", \"pitch\": %zu, \"bytes\": %d, \"us\": %.1f, \"GBps\": %.0f}\n", pitch, BYTES, us, blocks * 8192. * (pitch / BYTES) / us / 1e3);
        for (int below = 0; below < 2; below++) { int across = pitch / BYTES, down = bytes / pitch / (16384 / BYTES); us = best([&] { tile<BYTES><<<across * down, 256>>>(in, (int4 *)to, pitch, across, down, below); }); printf("{\"what\": \"tile\", \"pitch\": %zu, \"bytes\": %d, \"next\": \"%s\", \"us\": %.1f, \"GBps\": %.0f}\n", pitch, BYTES, below ? "below" : "beside", us, across * (double)down * 16384 / us / 1e3); }
    }
}
int main() { char *in, *to; CHECK(cudaMalloc(&in, (size_t)1 << 30)); CHECK(cudaMalloc(&to, 4096)); CHECK(cudaMemset(in, 1, (size_t)1 << 30)); cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("{\"what\": \"%s\"}\n", p.name);
    all<32>(in, to); all<64>(in, to); all<128>(in, to); all<256>(in, to); all<512>(in, to); all<1024>(in, to); }
