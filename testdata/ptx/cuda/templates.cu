// templates.cu -- relocatable code (-rdc=true): weak template functions and kernels, external functions and variables.

extern __device__ float scale_table[64];
extern __device__ float outside(float v, int k);

template <class T> struct Pair { T first, second; };

template <class T> __device__ __noinline__ Pair<T> swapped(Pair<T> p)
{
    return Pair<T>{p.second, p.first};
}

template <class T, int N> __global__ void swap_pairs(Pair<T> *p)
{
    int i = blockIdx.x * N + threadIdx.x;
    p[i] = swapped(p[i]);
}

template __global__ void swap_pairs<float, 128>(Pair<float> *);
template __global__ void swap_pairs<double, 64>(Pair<double> *);
template __global__ void swap_pairs<unsigned char, 256>(Pair<unsigned char> *);

__device__ float shared_by_all = 2.5f;
__device__ __noinline__ float exported(float v) { return v * shared_by_all; }

extern "C" __global__ void uses_outside(int n, float *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = exported(outside(v[i], i & 63)) * scale_table[i & 63];
}
