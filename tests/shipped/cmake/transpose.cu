// The columns of a tile without padding are in one bank.
__global__ void __launch_bounds__(1024) transpose(const float *in, float *out)
{
    __shared__ float tile[TILE][TILE];
    int column = threadIdx.x % TILE, row = threadIdx.x / TILE;
    tile[row][column] = in[blockIdx.x * TILE * TILE + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * TILE * TILE + threadIdx.x] = tile[column][row];   // planted
}
