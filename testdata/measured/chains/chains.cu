// A chain of one operation in one warp: the time of N iterations is N times its latency. times.json has what an H200 took.
#define CHAIN(name, T, step)                                                                        \
    extern "C" __global__ void chain_##name(T *out, T x0, T a, T b, int n)                          \
    {                                                                                               \
        __shared__ unsigned s[256];                                                                 \
        int p = 0;                                                                                  \
        for (int i = threadIdx.x; i < 256; i += blockDim.x)                                         \
            s[i] = i * 7 & 255;                                                                     \
        __syncthreads();                                                                            \
        T x = x0 + threadIdx.x;                                                                     \
        for (int i = 0; i < n; i++)                                                                 \
            x = step;                                                                               \
        out[blockIdx.x * blockDim.x + threadIdx.x] = x + p;                                         \
    }

typedef unsigned long long u64;
typedef long long s64;

CHAIN(fma, float, (x*a+b))
CHAIN(powf, float, (powf(x,a)))
CHAIN(sinf, float, (sinf(x)+a))
CHAIN(expf, float, (expf(x)*a))
CHAIN(logf, float, (logf(x)+a))
CHAIN(tanhf, float, (tanhf(x)+a))
CHAIN(erff, float, (erff(x)+a))
CHAIN(sqrtf, float, (sqrtf(x)+a))
CHAIN(rsqrtf, float, (rsqrtf(x)+a))
CHAIN(divf, float, (a/x))
CHAIN(fsin, float, (__sinf(x)+a))
CHAIN(fpow, float, (__powf(x,a)))
CHAIN(exp2f, float, (exp2f(x)*a))
CHAIN(cbrtf, float, (cbrtf(x)+a))
CHAIN(ddiv, double, (a/x))
CHAIN(dsqrt, double, (sqrt(x)+a))
CHAIN(dexp, double, (exp(x)*a))
CHAIN(div64, u64, ((x/a)+b))
CHAIN(div64s, s64, ((x/a)+b))
CHAIN(mod64, u64, ((x%a)+b))
CHAIN(div32, unsigned, ((x/a)+b))
CHAIN(mod32, int, ((x%a)+b))
CHAIN(mulhi64, u64, (__umul64hi(x,a)+b))
CHAIN(mulhi32, unsigned, (__umulhi(x,a)+b))
CHAIN(mul64, u64, (x*a+b))
CHAIN(shfl, int, (__shfl_xor_sync(~0u,x,1)+a))
CHAIN(ballot, unsigned, (__ballot_sync(~0u,x&1)+a))
CHAIN(matchany, unsigned, (__match_any_sync(~0u,x)+a))
CHAIN(matchall, unsigned, ((__match_all_sync(~0u,x,&p)+a)))
CHAIN(reduxadd, unsigned, (__reduce_add_sync(~0u,x)+a))
CHAIN(atoms_same, unsigned, (atomicAdd(&s[0],x&1)))
CHAIN(atoms_own, unsigned, (atomicAdd(&s[threadIdx.x],x&1)))
CHAIN(popc, unsigned, (__popc(x)+a))
CHAIN(clz, unsigned, (__clz(x)+a))
CHAIN(brev, unsigned, (__brev(x)+a))
CHAIN(prmt, unsigned, (__byte_perm(x,a,0x3210)+b))
CHAIN(i2f, int, ((int)((float)x)+a))
CHAIN(d2f, double, ((double)(float)x+a))
CHAIN(lds, unsigned, (s[x&255]+a))
