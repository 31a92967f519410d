// gemm.cu -- four steps of C = A * B, row major, n x n, n a multiple of the tile.
//
//   gemm_naive      one dot product a thread, both operands from global memory
//   gemm_tiled      16 x 16 tiles in shared memory, inner loop kept rolled
//   gemm_unrolled   the same with the inner loop fully unrolled
//   gemm_register   64 x 64 tile a block, 4 x 4 results a thread in registers

#define TILE 16

extern "C" __global__ __launch_bounds__(TILE *TILE) void gemm_naive(int n, const float *__restrict__ a,
                                                                    const float *__restrict__ b,
                                                                    float *__restrict__ c)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

template <bool UNROLL> static __device__ __forceinline__ float tile_product(int n, const float *a, const float *b)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;

#pragma unroll 1
    for (int m = 0; m < n; m += TILE) {
        as[ty][tx] = a[row * n + m + tx];
        bs[ty][tx] = b[(m + ty) * n + col];
        __syncthreads();
        if (UNROLL) {
#pragma unroll
            for (int k = 0; k < TILE; k++)
                sum += as[ty][k] * bs[k][tx];
        } else {
#pragma unroll 1
            for (int k = 0; k < TILE; k++)
                sum += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    return sum;
}

extern "C" __global__ __launch_bounds__(TILE *TILE) void gemm_tiled(int n, const float *__restrict__ a,
                                                                    const float *__restrict__ b,
                                                                    float *__restrict__ c)
{
    float sum = tile_product<false>(n, a, b);
    c[(blockIdx.y * TILE + threadIdx.y) * n + blockIdx.x * TILE + threadIdx.x] = sum;
}

extern "C" __global__ __launch_bounds__(TILE *TILE) void gemm_unrolled(int n, const float *__restrict__ a,
                                                                       const float *__restrict__ b,
                                                                       float *__restrict__ c)
{
    float sum = tile_product<true>(n, a, b);
    c[(blockIdx.y * TILE + threadIdx.y) * n + blockIdx.x * TILE + threadIdx.x] = sum;
}

#define BLOCK 64
#define DEPTH 16
#define PER_THREAD 4

extern "C" __global__ __launch_bounds__(256) void gemm_register(int n, const float *__restrict__ a,
                                                                const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float as[DEPTH][BLOCK + 4];
    __shared__ float bs[DEPTH][BLOCK];
    float acc[PER_THREAD][PER_THREAD] = {};
    int t = threadIdx.x;
    int tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * BLOCK, col0 = blockIdx.x * BLOCK;

    for (int m = 0; m < n; m += DEPTH) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            as[t % DEPTH][t / DEPTH + 16 * i] = a[(row0 + t / DEPTH + 16 * i) * n + m + t % DEPTH];
        *(float4 *)&bs[t / 16][4 * (t % 16)] = *(const float4 *)&b[(m + t / 16) * n + col0 + 4 * (t % 16)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float4 fa = *(const float4 *)&as[k][4 * ty];
            float4 fb = *(const float4 *)&bs[k][4 * tx];
            float va[4] = {fa.x, fa.y, fa.z, fa.w};
            float vb[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += va[i] * vb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *(float4 *)&c[(row0 + 4 * ty + i) * n + col0 + 4 * tx] = out;
    }
}
