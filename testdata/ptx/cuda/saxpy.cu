// saxpy.cu -- y = a * x + y in single precision.
//
// The clean sample. One guarded element a thread, unit stride, a launch bound, no double literal, no division,
// no shared memory, no barrier. Nothing here deserves a diagnostic.

extern "C" __global__ __launch_bounds__(256) void saxpy(int n, float a, const float *__restrict__ x,
                                                        float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
