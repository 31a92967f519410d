// spmv.cu -- sparse matrix times vector, CSR: one thread a row (uneven, scattered) and one warp a row.

extern "C" __global__ void spmv_scalar(int rows, const int *__restrict__ start, const int *__restrict__ column,
                                       const float *__restrict__ value, const float *__restrict__ x,
                                       float *__restrict__ y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[r]; k < start[r + 1]; k++)
        sum += value[k] * x[column[k]];
    y[r] = sum;
}

extern "C" __global__ __launch_bounds__(128) void spmv_vector(int rows, const int *__restrict__ start,
                                                              const int *__restrict__ column,
                                                              const float *__restrict__ value,
                                                              const float *__restrict__ x, float *__restrict__ y)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        y[r] = sum;
}
