// A barrier is missing in the loop.
__global__ void __launch_bounds__(256) block_sum(const float *in, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2)
        if (t < s)
            part[t] += part[t + s];   // planted
    if (t == 0)
        out[blockIdx.x] = part[0];
}
