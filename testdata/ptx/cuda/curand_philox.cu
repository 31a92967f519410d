// curand_philox.cu -- cuRAND device API, Philox generator: integer multiplies, logarithms, sines.
//
// The header defines two XORWOW tables of 485,000 bytes of PTX each, used or not. The macros make them variable
// templates that nothing instantiates, and empty tables take their place. The smaller tables of the header stay.

#define precalc_xorwow_matrix unused_a; template <int N> static __device__ unsigned unused_matrix
#define precalc_xorwow_offset_matrix unused_b; template <int N> static __device__ unsigned unused_offset_matrix
#include <curand_precalc.h>
#undef precalc_xorwow_matrix
#undef precalc_xorwow_offset_matrix
static __device__ unsigned precalc_xorwow_matrix[32][800], precalc_xorwow_offset_matrix[32][800];
#include <curand_kernel.h>

extern "C" __global__ __launch_bounds__(256) void philox_normal(int n, unsigned long long seed,
                                                                float4 *__restrict__ out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    out[i] = curand_normal4(&state);
}
