// curand_xorwow.cu -- cuRAND device API, XORWOW generator: its skip-ahead table is one line of over 400,000 bytes.
//
// A second table of that size, for offsets within a sequence, is not used here. The macro makes it a variable
// template that nothing instantiates, and an empty table takes its place.

#define precalc_xorwow_offset_matrix unused; template <int N> static __device__ unsigned unused_offset_matrix
#include <curand_precalc.h>
#undef precalc_xorwow_offset_matrix
static __device__ unsigned precalc_xorwow_offset_matrix[32][800];
#include <curand_kernel.h>

extern "C" __global__ __launch_bounds__(128) void estimate_pi(int draws, unsigned long long seed, unsigned *inside)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    curandState state;
    curand_init(seed, i, 0, &state);
    unsigned count = 0;
    for (int k = 0; k < draws; k++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        count += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, count);
}
