// coop_groups.cu -- cooperative groups: block, tile, coalesced and grid groups.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ __launch_bounds__(256) void tile_reduce(int n, const int *__restrict__ in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = block.group_index().x * 256 + block.thread_rank(); i < n; i += 256 * gridDim.x)
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ __launch_bounds__(256) void compact_positive(int n, const int *__restrict__ in, int *out,
                                                                   int *count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && in[i] > 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0)
            base = atomicAdd(count, active.size());
        out[active.shfl(base, 0) + active.thread_rank()] = in[i];
    }
}

extern "C" __global__ __launch_bounds__(256) void grid_steps(int n, int steps, float *a, float *b)
{
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (unsigned i = grid.thread_rank() + 1; i + 1 < n; i += grid.size())
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}
