// cluster.cu -- thread block clusters, distributed shared memory, mbarrier, bulk copies, programmatic launch and
// register hand-over (sm_90 and later).

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ __cluster_dims__(2, 1, 1) __launch_bounds__(128) void cluster_histogram(
    int n, const unsigned *__restrict__ in, unsigned *out)
{
    __shared__ unsigned bins[64];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) {
        unsigned b = in[i] & 127;
        atomicAdd(cluster.map_shared_rank(bins, b / 64) + b % 64, 1u);
    }
    cluster.sync();
    if (threadIdx.x < 64)
        atomicAdd(&out[cluster.block_rank() * 64 + threadIdx.x], bins[threadIdx.x]);
}

static __device__ __forceinline__ unsigned shared_addr(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void wait_parity(unsigned bar, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra.uni finished;\n"
                 "bra.uni again;\n"
                 "finished:\n"
                 "}\n" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

extern "C" __global__ __launch_bounds__(256) void bulk_copy(int tiles, const float *in, float *out)
{
    __shared__ __align__(128) float tile[1024];
    __shared__ __align__(8) unsigned long long bar;
    unsigned b = shared_addr(&bar), s = shared_addr(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        const float *src = in + (size_t)(blockIdx.x * tiles + t) * 1024;
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(b) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(s),
                         "l"(src), "r"(b)
                         : "memory");
        }
        wait_parity(b, t & 1);
        float4 v = ((float4 *)tile)[threadIdx.x];
        ((float4 *)tile)[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(
                             out + (size_t)(blockIdx.x * tiles + t) * 1024),
                         "r"(s)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

extern "C" __global__ __launch_bounds__(128) void tensor_copy(const __grid_constant__ ulonglong4 map, float *out)
{
    __shared__ __align__(128) float tile[32 * 32];
    __shared__ __align__(8) unsigned long long bar;
    unsigned b = shared_addr(&bar);
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(b) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(shared_addr(tile)),
                     "l"(&map), "r"(blockIdx.x * 32), "r"(blockIdx.y * 32), "r"(b)
                     : "memory");
    }
    __syncthreads();
    wait_parity(b, 0);
    for (int i = threadIdx.x; i < 1024; i += 128)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 1024 + i] = 2.0f * tile[i];
}

extern "C" __global__ __launch_bounds__(256) void dependent(int n, const float *in, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (i < n)
        out[i] = in[i] + 1.0f;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
