// wmma.cu -- matrix product through the WMMA interface: half inputs, float accumulator; and int8.

#include <mma.h>
using namespace nvcuda;

extern "C" __global__ __launch_bounds__(128) void wmma_half(int n, const half *__restrict__ a,
                                                            const half *__restrict__ b, float *__restrict__ c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    int row = (blockIdx.y * 4 + threadIdx.x / 32) * 16, col = blockIdx.x * 16;
    wmma::fill_fragment(acc, 0.0f);
#pragma unroll 1
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + col * n + k, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + row * n + col, acc, n, wmma::mem_row_major);
}

extern "C" __global__ __launch_bounds__(32) void wmma_int8(const signed char *__restrict__ a,
                                                           const signed char *__restrict__ b, int *__restrict__ c)
{
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> acc;
    wmma::fill_fragment(acc, 0);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(acc, fa, fb, acc);
    wmma::store_matrix_sync(c, acc, 8, wmma::mem_row_major);
}
