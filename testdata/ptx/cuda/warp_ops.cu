// warp_ops.cu -- vote, match, redux, active mask, lane masks, bit operations, byte permutes and dot products.

extern "C" __global__ void vote_and_match(const int *__restrict__ in, unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    unsigned positive = __ballot_sync(0xffffffffu, v > 0);
    unsigned same = __match_any_sync(0xffffffffu, v);
    int all_equal;
    unsigned everyone = __match_all_sync(0xffffffffu, v, &all_equal);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    out[i] = __popc(positive & below) + __popc(same) + (all_equal ? everyone : 0) +
             (__any_sync(0xffffffffu, v == 7) ? 1 : 0) + (__all_sync(0xffffffffu, v != 8) ? 2 : 0);
}

extern "C" __global__ void ballot_in_branch(int n, const int *__restrict__ in, unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 3) { // the mask names lanes that may not be here
        unsigned m = __ballot_sync(0xffffffffu, in[i] & 1);
        out[i] = m & __activemask();
    }
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void redux(const int *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    out[i] = __reduce_add_sync(0xffffffffu, v) + __reduce_max_sync(0xffffffffu, (int)v) +
             __reduce_xor_sync(0xffffffffu, v);
}
#endif

extern "C" __global__ void bits(const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i];
    unsigned r = __brev(v) ^ __clz(v) ^ __ffs(v) ^ __byte_perm(v, i, 0x3210) ^ __funnelshift_l(v, i, 7);
    r += __dp4a((int)v, i, 3) + __vadd4(v, i) + __umulhi(v, 0x9e3779b9u) + __usad(v, i, 1u);
    unsigned f;
    asm("bfe.u32 %0, %1, 4, 9;" : "=r"(f) : "r"(v));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(r), "r"(f), "r"(v));
    out[i] = r;
}
