// A sum of each row: threads walk down columns that are TILE elements apart.
__global__ void __launch_bounds__(128) row_sums(const float *in, float *out)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += in[row * 1024 + i * TILE];   // planted
    out[row] = sum;
}
