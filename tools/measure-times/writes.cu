// What a launch that reads, writes or copies so many bytes takes by the clock: how much of what it writes has to go to memory before
// it ends. Blocks of 256 threads, a thread 16 bytes. L2 is flushed before each launch: by reading (its lines are clean then) or by writing.
// Prints us of each beside those of an empty launch of as many blocks, medians of 9.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

constexpr size_t MEBI = size_t{1} << 20, FLUSH = 320 * MEBI;

__global__ void nothing(unsigned *) {}

__global__ void reads(const uint4 *from, unsigned *out)
{
    const uint4 got = from[size_t{blockIdx.x} * blockDim.x + threadIdx.x];
    if ((got.x ^ got.y ^ got.z ^ got.w) == 1)
        *out = 1;
}

__global__ void writes(uint4 *to)
{
    to[size_t{blockIdx.x} * blockDim.x + threadIdx.x] = make_uint4(blockIdx.x, threadIdx.x, 0, 2);
}

__global__ void copies(const uint4 *from, uint4 *to)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

__global__ void flush_by_reading(const uint4 *from, unsigned *out)
{
    unsigned sum = 0;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < FLUSH / 16; i += size_t{gridDim.x} * blockDim.x)
        sum ^= from[i].x;
    if (sum == 1)
        *out = sum;
}

template <class F>
float median(bool is_written, uint4 *flush, unsigned *out, F launch)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float us[9];
    for (float &one : us) {
        if (is_written)
            cudaMemset(flush, 0, FLUSH);
        else
            flush_by_reading<<<1056, 256>>>(flush, out);
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        one = ms * 1e3f;
    }
    std::sort(us, us + 9);
    return us[4];
}

int main()
{
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("%s\n", device.name);
    uint4 *from, *to, *flush;
    unsigned *out;
    cudaMalloc(&from, 512 * MEBI);
    cudaMalloc(&to, 512 * MEBI);
    cudaMalloc(&flush, FLUSH);
    cudaMalloc(&out, 4);
    cudaMemset(flush, 0, FLUSH);
    cudaMemset(from, 0, 512 * MEBI);
    for (bool is_written : { false, true })
        for (size_t half = 1; half <= 512; half *= 2)
            for (size_t size = half * 2; size <= half * 3; size += half) {
                const unsigned blocks = size * MEBI / 2 / 4096;
                if (size / 2 > 512)
                    continue;
                const float empty = median(is_written, flush, out, [&] { nothing<<<blocks, 256>>>(out); }),
                            read = median(is_written, flush, out, [&] { reads<<<blocks, 256>>>(from, out); }),
                            write = median(is_written, flush, out, [&] { writes<<<blocks, 256>>>(to); }),
                            copy = median(is_written, flush, out, [&] { copies<<<blocks, 256>>>(from, to); });
                printf("flushed by %s, %5.1f MiB: empty %6.2f, read %7.2f, write %7.2f, copy %7.2f us\n",
                       is_written ? "writing" : "reading", size / 2.0, empty, read, write, copy);
            }
    return 0;
}
