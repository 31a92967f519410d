// stored.cu -- whether L1 keeps what a thread stores: one warp stores rows of 128 bytes, and loads them back, the last one first. Clocks of a load, in a
// chain of a load, a compare and an addition. Measured on an H200: whole sectors 82 up to 192 KB (138 for 256, 235 for 512), by st and st.cg; of
// sectors that every other lane stores 507 to 822.
#include <cstdio>

enum Stores { WHOLE, HALF_OF_THE_LANES, CACHE_GLOBAL };

template <Stores STORES> __global__ void walk_back(float *x, int rows, long long *clocks, float *sink)
{
    float value = threadIdx.x, sum = 0;
    for (int i = 0; i < rows; i++) {
        float *to = x + threadIdx.x + (long long)i * 32;
        if (STORES == CACHE_GLOBAL)
            __stcg(to, value);
        else if (STORES == WHOLE || threadIdx.x % 2)
            *to = value;
    }
    __threadfence_block();
    __syncthreads();
    const long long begin = clock64();
    for (int i = rows - 1; i >= 0; i--)
        sum = x[threadIdx.x + (long long)i * 32 + (sum == 12345.f)];
    if (!threadIdx.x)
        *clocks = clock64() - begin;
    sink[threadIdx.x] = sum;
}

template <Stores STORES> static void measure(const char *what)
{
    float *x, *sink;
    long long *clocks, found;
    cudaMalloc(&x, 64 << 20);
    cudaMalloc(&sink, 4096);
    cudaMalloc(&clocks, sizeof *clocks);
    for (int rows = 16; rows <= 4096; rows *= 2) {
        cudaMemset(x, 0, 64 << 20);
        walk_back<STORES><<<1, 32>>>(x, rows, clocks, sink);
        cudaMemcpy(&found, clocks, sizeof found, cudaMemcpyDeviceToHost);
        printf("%-18s %4d KB: %6.1f clocks a load\n", what, rows * 128 / 1024, (double)found / rows);
    }
}

int main()
{
    measure<WHOLE>("st");
    measure<HALF_OF_THE_LANES>("st of every other");
    measure<CACHE_GLOBAL>("st.cg");
    return 0;
}
