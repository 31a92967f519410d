// atomics.cu -- atomic operations of each kind and scope, fences, and a spin lock.

#include <cuda/atomic>

extern "C" __global__ void kinds(int *a, unsigned *b, unsigned long long *c, float *f, double *d)
{
    int i = threadIdx.x;
    atomicAdd(&a[0], i);
    atomicSub(&a[1], i);
    atomicMin(&a[2], i);
    atomicMax(&b[3], (unsigned)i);
    atomicAnd(&b[4], i);
    atomicOr(&c[5], 1ull << (i & 63));
    atomicXor(&b[6], i);
    atomicInc(&b[7], 99u);
    b[i + 8] = atomicExch(&b[8], i);
    c[i + 9] = atomicCAS(&c[9], 0ull, (unsigned long long)i);
    atomicAdd_system(&f[0], 1.0f);
    atomicAdd_block(&f[1], 2.0f);
    atomicAdd(&d[0], 3.0);
}

extern "C" __global__ void spin_lock(int *lock, int *value)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *value += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void ordered(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0)
            flag->store(1, cuda::memory_order_release);
    } else {
        while (flag->load(cuda::memory_order_acquire) == 0)
            ;
        data[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x];
        __threadfence_system();
    }
}
