// recursion.cu -- direct and mutual recursion, and a call through a pointer: the stack depth is unknown.

static __device__ __noinline__ unsigned long long fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ __noinline__ int is_odd(unsigned n);
static __device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1) & 1; }
static __device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1) & 1; }

static __device__ __noinline__ void quicksort(int *v, int left, int right)
{
    if (left >= right)
        return;
    int pivot = v[(left + right) / 2], i = left, j = right;
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    quicksort(v, left, j);
    quicksort(v, i, right);
}

typedef float (*Unary)(float);
static __device__ float twice(float v) { return 2.0f * v; }
static __device__ float square(float v) { return v * v; }
__device__ Unary table[2] = {twice, square};

extern "C" __global__ void recurse(unsigned long long *out, int *data, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(i % 20) + is_even(i);
    quicksort(data + i * length, 0, length - 1);
}

extern "C" __global__ void indirect(int n, const int *__restrict__ which, float *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = table[which[i] & 1](v[i]);
}
