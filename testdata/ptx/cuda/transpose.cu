// transpose.cu -- three transposes of an n x n float matrix, 32 x 32 tiles, 32 x 8 threads.
//
//   transpose_naive    strided stores: 32 sectors a request
//   transpose_shared   through a 32 x 32 tile: coalesced, but the column read has a 32-way bank conflict
//   transpose_padded   32 x 33 tile: coalesced and free of conflicts

#define TILE 32
#define ROWS 8

extern "C" __global__ __launch_bounds__(TILE *ROWS) void transpose_naive(int n, const float *__restrict__ in,
                                                                         float *__restrict__ out)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PAD> static __device__ __forceinline__ void through_tile(int n, const float *in, float *out)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ __launch_bounds__(TILE *ROWS) void transpose_shared(int n, const float *__restrict__ in,
                                                                          float *__restrict__ out)
{
    through_tile<0>(n, in, out);
}

extern "C" __global__ __launch_bounds__(TILE *ROWS) void transpose_padded(int n, const float *__restrict__ in,
                                                                          float *__restrict__ out)
{
    through_tile<1>(n, in, out);
}
