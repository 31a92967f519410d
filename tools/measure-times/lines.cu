// What a load of 4 bytes a lane that hits L1 takes of an SM, by how its lanes lie over lines and banks. Prints a line a measurement: lines, the most words of a bank, clocks a request.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
const int UNROLLED = 16, TIMES = 256;

// at: byte of each lane; a request moves on by `step` bytes within `room`
template <class T> __global__ void walk(const char *from, const int *at, int step, int room, long long *out)
{
    const char *mine = from + at[threadIdx.x % 32]; T sum[4] = {}; long long t = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads(); t = clock64(); int offset = (threadIdx.x / 32) * step % room;
        for (int i = 0; i < TIMES; i++) {
#pragma unroll
            for (int u = 0; u < UNROLLED; u++) { T v; if constexpr (sizeof(T) == 4) asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(mine + offset + u * 512)); else asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(mine + offset + u * 512)); sum[u % 4] += v; }
            offset += step; if (offset >= room) offset -= room;
        }
        __syncthreads(); t = clock64() - t;
    }
    if (!threadIdx.x && !blockIdx.x) out[0] = t;
    if (sum[0] + sum[1] + sum[2] + sum[3] == 123457) out[1] = 1;
}
char *from; int *at; long long *out;
void figure_of(const char *what, int bytes, int *lanes)
{
    int lines = 0, words[64 * 32][2], n = 0, in_bank[32] = {}, most = 0; int seen[32];
    for (int i = 0; i < 32; i++) { at[i] = lanes[i]; int k = 0; while (k < lines && seen[k] != lanes[i] / 128) k++; if (k == lines) seen[lines++] = lanes[i] / 128; }
    for (int i = 0; i < 32; i++) for (int w = 0; w < bytes / 4; w++) { int word = lanes[i] / 4 + w, k = 0; while (k < n && words[k][0] != word) k++; if (k == n) { words[n++][0] = word; int &b = in_bank[word % 32]; if (++b > most) most = b; } }
    long long least = 1ll << 60;
    for (int r = 0; r < 3; r++) { if (bytes == 4) walk<uint32_t><<<132, 1024>>>(from, at, 512, 4096, out); else walk<unsigned long long><<<132, 1024>>>(from, at, 512, 4096, out); CHECK(cudaDeviceSynchronize()); if (out[0] < least) least = out[0]; }
    printf("%s, %d bytes a lane: lines %d, words of a bank %d: %.2f clk\n", what, bytes, lines, most, (double)least / TIMES / UNROLLED / 32);
}
int main()
{
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); CHECK(cudaMallocHost(&out, 64)); CHECK(cudaMallocHost(&at, 128)); CHECK(cudaMalloc(&from, 1 << 20)); CHECK(cudaMemset(from, 0, 1 << 20));
    printf("%s\n", p.name); int l[32]; char what[80];
    for (int bytes : {4, 8}) {
        for (int shift : {0, 4, 8, 16, 32, 64}) { if (shift % bytes) continue; for (int i = 0; i < 32; i++) l[i] = i * bytes + shift; snprintf(what, sizeof what, "side by side, from byte %d", shift); figure_of(what, bytes, l); }
        for (int stride : {8, 16, 32, 64, 128, 132, 136, 144, 160}) { if (stride < bytes) continue; for (int i = 0; i < 32; i++) l[i] = i * (stride / bytes * bytes); snprintf(what, sizeof what, "a stride of %d bytes", stride); figure_of(what, bytes, l); }
        for (int rows : {2, 4, 8}) for (int pitch : {8192, 8192 + 64, 8192 + 32, 8192 + 16, 8192 + 8}) for (int shift : {0, 4}) { if (bytes == 8 && shift) continue; int each = 32 / rows; for (int i = 0; i < 32; i++) l[i] = i / each * pitch + i % each * bytes + shift; snprintf(what, sizeof what, "%d rows, %d bytes apart, from byte %d", rows, pitch, shift); figure_of(what, bytes, l); }
    }
}
