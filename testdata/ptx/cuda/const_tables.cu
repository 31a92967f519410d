// const_tables.cu -- initialised tables in constant and global memory, with pointers, floats, doubles and strings.

__constant__ float window[16] = {0.0f,    0.0955f, 0.3455f, 0.6545f, 0.9045f, 1.0f, 0.9045f, 0.6545f,
                                 0.3455f, 0.0955f, 0.0f,    -0.25f,  1e-30f,  3e38f, -0.0f,  1.0f / 3};
__constant__ double exact[4] = {3.141592653589793, 2.718281828459045, 1e300, -5e-324};
__constant__ unsigned char permute[64] = {63, 1, 2, 3, 60, 5, 6, 7, 8, 9, 10, 200, 255};
__constant__ int matrix[3][4] = {{1, 2, 3, 4}, {5, -6, 7, 8}, {9, 10, 11, -12}};
__device__ int scratch[128];
__device__ int *const cursor[2] = {scratch, scratch + 64};
__device__ const char *const names[3] = {"alpha", "beta", "tab\there \"quoted\""};
__device__ short pairs[4][2] = {{1, -1}, {2, -2}, {3, -3}};
__device__ __managed__ unsigned long long counter = 0x123456789abcdefull;

extern "C" __global__ void same_address(int n, const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum += window[k] * in[i + k * n];
    out[i] = sum * (float)exact[0];
}

extern "C" __global__ void per_lane_address(const unsigned char *__restrict__ in, unsigned char *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = permute[in[i] & 63] + matrix[i % 3][i & 3];
}

extern "C" __global__ void through_pointers(int which, char *__restrict__ out)
{
    int i = threadIdx.x;
    cursor[which & 1][i & 63] = pairs[i & 3][i >> 2 & 1];
    out[i] = names[which % 3][i % 5];
    if (i == 0)
        atomicAdd(&counter, 1ull);
}
