// 0.5 is a double, and so is the product.
__global__ void __launch_bounds__(256) scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = 0.3 * in[i] + 0.5;   // planted
}
