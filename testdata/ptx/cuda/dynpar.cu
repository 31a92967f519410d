// dynpar.cu -- dynamic parallelism: a kernel that launches another (needs -rdc=true).

__global__ void child(int n, float *v, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= scale;
}

extern "C" __global__ void parent(int rows, const int *__restrict__ length, float *v, int pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int n = length[row];
    if (n > 256)
        child<<<(n + 127) / 128, 128>>>(n, v + (size_t)row * pitch, 0.5f);
    else
        for (int i = 0; i < n; i++)
            v[(size_t)row * pitch + i] *= 0.5f;
}
