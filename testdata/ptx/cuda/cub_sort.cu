// cub_sort.cu -- CUB block-wide radix sort and scan: 64 threads, 4 items each.

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ __launch_bounds__(64) void block_sort(const unsigned *__restrict__ in,
                                                            unsigned *__restrict__ out)
{
    using Sort = cub::BlockRadixSort<unsigned, 64, 4>;
    __shared__ typename Sort::TempStorage temp;
    unsigned keys[4];
    for (int i = 0; i < 4; i++)
        keys[i] = in[(blockIdx.x * 64 + threadIdx.x) * 4 + i];
    Sort(temp).Sort(keys);
    for (int i = 0; i < 4; i++)
        out[(blockIdx.x * 64 + threadIdx.x) * 4 + i] = keys[i];
}

extern "C" __global__ __launch_bounds__(64) void block_scan(const int *__restrict__ in, int *__restrict__ out)
{
    using Scan = cub::BlockScan<int, 64>;
    __shared__ typename Scan::TempStorage temp;
    int v = in[blockIdx.x * 64 + threadIdx.x];
    Scan(temp).InclusiveSum(v, v);
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
