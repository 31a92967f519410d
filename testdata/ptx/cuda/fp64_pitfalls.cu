// fp64_pitfalls.cu -- arithmetic that costs more than it looks: double literals and double functions in float
// code, full-precision division and square root in loops, integer division and remainder, pow of a small integer.

extern "C" __global__ void double_literals(int n, const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5 * in[i] + 1.0 / 3.0;
}

extern "C" __global__ void double_functions(int n, const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sqrt((double)in[i]) / (1.0 + in[i]);
}

extern "C" __global__ void divide_in_loop(int n, int terms, const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], sum = 0.0f;
    for (int k = 1; k <= terms; k++)
        sum += x / k + sqrtf(x + k);
    out[i] = sum;
}

extern "C" __global__ void integer_division(int n, unsigned width, const float *__restrict__ in,
                                            float *__restrict__ out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[(i % width) * (n / width) + i / width] = in[i];
}

extern "C" __global__ void small_powers(int n, float *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = powf(v[i], 3.0f) + expf(v[i]) + logf(v[i]) + sinf(v[i]);
}

extern "C" __global__ void fp64_dot(int n, const double *__restrict__ a, const double *__restrict__ b, double *out)
{
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    atomicAdd(out, sum);
}
