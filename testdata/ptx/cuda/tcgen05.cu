// tcgen05.cu -- fifth-generation tensor cores: allocate tensor memory, one 128 x 64 x 16 product, wait, load, free
// (sm_100a only).

static __device__ __forceinline__ unsigned shared_addr(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

extern "C" __global__ __launch_bounds__(128) void tcgen05_product(const uint4 *__restrict__ a,
                                                                  const uint4 *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(128) uint4 sa[256], sb[128];
    __shared__ unsigned column;
    __shared__ __align__(8) unsigned long long bar;
    int t = threadIdx.x, warp = t / 32;
    unsigned bar_addr = shared_addr(&bar);

    sa[t] = a[t];
    sa[t + 128] = a[t + 128];
    sb[t] = b[t];
    if (warp == 0) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared_addr(&column))
                     : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_addr));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned acc = column;

    if (t == 0) {
        // start, leading and stride offsets in units of 16 bytes, version 1, no swizzle
        unsigned long long da = (shared_addr(sa) & 0x3ffff) >> 4 | 128ull << 16 | 8ull << 32 | 1ull << 46;
        unsigned long long db = (shared_addr(sb) & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32 | 1ull << 46;
        unsigned kind = 1u << 4 | (64u / 8) << 17 | (128u / 16) << 24; // f32 accumulator, f16 inputs
        asm volatile("{\n"
                     ".reg .pred accumulate;\n"
                     "setp.ne.b32 accumulate, %4, 0;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, accumulate;\n"
                     "}\n" ::"r"(acc),
                     "l"(da), "l"(db), "r"(kind), "r"(0)
                     : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar_addr)
                     : "memory");
    }
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                 "@!done bra again;\n"
                 "}\n" ::"r"(bar_addr)
                 : "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");

#pragma unroll
    for (int i = 0; i < 64; i += 8) {
        float r[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                     : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7])
                     : "r"(acc + (warp * 32 << 16) + i));
        asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < 8; k += 4)
            *(float4 *)&c[t * 64 + i + k] = make_float4(r[k], r[k + 1], r[k + 2], r[k + 3]);
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (warp == 0)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(acc));
}
