// Clocks a step of one warp's chain, where each result is the next step's operand: chains > chains.json
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s line %d\n", #x, cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
long long *out; int *mem;

// S of 0 keeps values where they began; what ptxas cannot know
#define CHAIN(NAME, TYPE, FIRST, STEP) \
    __global__ void NAME(long long *out, int *mem, int n, int s, TYPE k) { \
        __shared__ __align__(16) unsigned long long sh[512]; for (int i = threadIdx.x; i < 512; i += blockDim.x) sh[i] = 0; __syncthreads(); \
        uint32_t base = (uint32_t)__cvta_generic_to_shared(sh), lane = threadIdx.x % 32; TYPE x = (TYPE)(FIRST); long long t = 0; (void)base; (void)lane; (void)mem; \
        for (int round = 0; round < 2; round++) { t = clock64(); _Pragma("unroll 8") for (int i = 0; i < n; i++) { STEP; } t = clock64() - t; } \
        if (!threadIdx.x) out[0] = t; if (x == (TYPE)123457) out[1] = 1; }
#define SHARED(NAME, OP, TYPE, LETTER, PLACE, TIMES, MORE) CHAIN(NAME, TYPE, 0, asm volatile("atom.shared." OP " %0, [%1], " MORE ";" : "=" LETTER(x) : "r"(base + (PLACE) * TIMES + (uint32_t)x), LETTER(k), LETTER(x) : "memory"))
#define GLOBAL(NAME, OP, TYPE, LETTER, MORE) CHAIN(NAME, TYPE, 0, asm volatile("atom.global." OP " %0, [%1], " MORE ";" : "=" LETTER(x) : "l"((char *)mem + lane * 8 + (uint32_t)x), LETTER(k), LETTER(x) : "memory"))

SHARED(shared_add_u32, "add.u32", uint32_t, "r", lane, 4, "%3")
SHARED(shared_add_1_u32, "add.u32", uint32_t, "r", lane, 4, "%2")
SHARED(shared_add_u32_one_place, "add.u32", uint32_t, "r", 0, 4, "%3")
SHARED(shared_add_f32, "add.f32", float, "f", lane, 4, "%3")
SHARED(shared_add_u64, "add.u64", unsigned long long, "l", lane, 8, "%3")
SHARED(shared_add_f64, "add.f64", double, "d", lane, 8, "%3")
SHARED(shared_max_u32, "max.u32", uint32_t, "r", lane, 4, "%3")
SHARED(shared_min_s32, "min.s32", int, "r", lane, 4, "%3")
SHARED(shared_inc_u32, "inc.u32", uint32_t, "r", lane, 4, "%2")
SHARED(shared_and_b32, "and.b32", uint32_t, "r", lane, 4, "%3")
SHARED(shared_xor_b32, "xor.b32", uint32_t, "r", lane, 4, "%3")
SHARED(shared_exch_b32, "exch.b32", uint32_t, "r", lane, 4, "%3")
SHARED(shared_exch_b64, "exch.b64", unsigned long long, "l", lane, 8, "%3")
SHARED(shared_cas_b32, "cas.b32", uint32_t, "r", lane, 4, "%3, %2")
SHARED(shared_cas_b64, "cas.b64", unsigned long long, "l", lane, 8, "%3, %2")
SHARED(shared_cas_b32_one_place, "cas.b32", uint32_t, "r", 0, 4, "%3, %2")
SHARED(shared_exch_b32_one_place, "exch.b32", uint32_t, "r", 0, 4, "%3")
GLOBAL(global_add_u32, "add.u32", uint32_t, "r", "%3")
GLOBAL(global_add_f32, "add.f32", float, "f", "%3")
GLOBAL(global_add_u64, "add.u64", unsigned long long, "l", "%3")
GLOBAL(global_exch_b32, "exch.b32", uint32_t, "r", "%3")
GLOBAL(global_cas_b32, "cas.b32", uint32_t, "r", "%3, %2")
CHAIN(shared_load, uint32_t, 0, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(base + lane * 4 + x) : "memory"))
CHAIN(shared_store_load, uint32_t, 0, asm volatile("st.shared.u32 [%1], %0; ld.shared.u32 %0, [%1];" : "+r"(x) : "r"(base + lane * 4) : "memory"))

#define OP1(NAME, TYPE, LETTER, FIRST, TEXT) CHAIN(NAME, TYPE, FIRST, asm volatile(TEXT : "+" LETTER(x) : LETTER(k)))
#define L unsigned long long
OP1(div_u64_large, L, "l", ~0ull - s, "div.u64 %0, %0, %1; or.b64 %0, %0, -4611686018427387904;")
OP1(div_u64_small, L, "l", 1000 + s, "div.u64 %0, %0, %1; or.b64 %0, %0, 1000;")
OP1(div_s64_large, long long, "l", (1ll << 62) - s, "div.s64 %0, %0, %1; or.b64 %0, %0, 4611686018427387904;")
OP1(div_s64_small, long long, "l", 1000 + s, "div.s64 %0, %0, %1; or.b64 %0, %0, 1000;")
OP1(rem_u64_large, L, "l", ~0ull - s, "rem.u64 %0, %0, %1; or.b64 %0, %0, -4611686018427387904;")
OP1(rem_u64_small, L, "l", 1000 + s, "rem.u64 %0, %0, %1; or.b64 %0, %0, 1000;")
OP1(rem_s64_large, long long, "l", (1ll << 62) - s, "rem.s64 %0, %0, %1; or.b64 %0, %0, 4611686018427387904;")
OP1(rem_s64_small, long long, "l", 1000 + s, "rem.s64 %0, %0, %1; or.b64 %0, %0, 1000;")
OP1(div_u64_of_large, L, "l", 3 + s, "div.u64 %0, %1, %0; or.b64 %0, %0, 4611686018427387904;")
OP1(div_u32, uint32_t, "r", 1000 + s, "div.u32 %0, %0, %1; or.b32 %0, %0, 1000;")
OP1(div_s32, int, "r", 1000 + s, "div.s32 %0, %0, %1; or.b32 %0, %0, 1000;")
OP1(rem_u32, uint32_t, "r", 1000 + s, "rem.u32 %0, %0, %1; or.b32 %0, %0, 1000;")
OP1(rem_s32, int, "r", 1000 + s, "rem.s32 %0, %0, %1; or.b32 %0, %0, 1000;")
OP1(div_u32_by, uint32_t, "r", 3 + s, "div.u32 %0, %1, %0; or.b32 %0, %0, 1000;")
OP1(or_b64, L, "l", 1 + s, "or.b64 %0, %0, %1; xor.b64 %0, %0, %1;")
OP1(add_u64, L, "l", 1 + s, "add.u64 %0, %0, %1;")
OP1(mul_lo_u64, L, "l", 3 + s, "mul.lo.u64 %0, %0, %1;")
OP1(mad_lo_u64, L, "l", 3 + s, "mad.lo.u64 %0, %0, %1, %1;")
OP1(mul_hi_u64, L, "l", ~0ull - s, "mul.hi.u64 %0, %0, %1;")
OP1(div_rn_f64, double, "d", 1.5, "div.rn.f64 %0, %1, %0;")
OP1(rcp_rn_f64, double, "d", 1.5, "rcp.rn.f64 %0, %0;")
OP1(rcp_approx_f64, double, "d", 1.5, "rcp.approx.ftz.f64 %0, %0;")
OP1(sqrt_rn_f64, double, "d", 1.5, "sqrt.rn.f64 %0, %0;")
OP1(rsqrt_approx_f64, double, "d", 1.5, "rsqrt.approx.f64 %0, %0;")
OP1(fma_f64, double, "d", 1.5, "fma.rn.f64 %0, %0, %1, %1;")
OP1(div_rn_f32, float, "f", 1.5f, "div.rn.f32 %0, %1, %0;")
OP1(div_approx_f32, float, "f", 1.5f, "div.approx.f32 %0, %1, %0;")
OP1(div_full_f32, float, "f", 1.5f, "div.full.f32 %0, %1, %0;")
OP1(rcp_rn_f32, float, "f", 1.5f, "rcp.rn.f32 %0, %0;")
OP1(rcp_approx_f32, float, "f", 1.5f, "rcp.approx.f32 %0, %0;")
OP1(rcp_approx_ftz_f32, float, "f", 1.5f, "rcp.approx.ftz.f32 %0, %0;")
OP1(sqrt_rn_f32, float, "f", 1.5f, "sqrt.rn.f32 %0, %0;")
OP1(sqrt_approx_f32, float, "f", 1.5f, "sqrt.approx.f32 %0, %0;")
OP1(sqrt_approx_ftz_f32, float, "f", 1.5f, "sqrt.approx.ftz.f32 %0, %0;")
OP1(rsqrt_approx_f32, float, "f", 1.5f, "rsqrt.approx.f32 %0, %0;")
OP1(rsqrt_approx_ftz_f32, float, "f", 1.5f, "rsqrt.approx.ftz.f32 %0, %0;")
OP1(sin_approx_f32, float, "f", 1.5f, "sin.approx.f32 %0, %0;")
OP1(cos_approx_f32, float, "f", 1.5f, "cos.approx.f32 %0, %0;")
OP1(ex2_approx_f32, float, "f", 0.5f, "ex2.approx.f32 %0, %0;")
OP1(ex2_approx_ftz_f32, float, "f", 0.5f, "ex2.approx.ftz.f32 %0, %0;")
OP1(lg2_approx_f32, float, "f", 1.5f, "lg2.approx.f32 %0, %0;")
OP1(tanh_approx_f32, float, "f", 1.5f, "tanh.approx.f32 %0, %0;")
OP1(fma_f32, float, "f", 1.5f, "fma.rn.f32 %0, %0, %1, %1;")
OP1(add_u32, uint32_t, "r", 1 + s, "add.u32 %0, %0, %1;")
OP1(shfl_bfly, uint32_t, "r", lane, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
OP1(shfl_idx, uint32_t, "r", lane, "shfl.sync.idx.b32 %0, %1, %0, 31, -1;")
OP1(shfl_up, uint32_t, "r", lane, "shfl.sync.up.b32 %0, %0, 1, 0, -1;")
OP1(shfl_down, uint32_t, "r", lane, "shfl.sync.down.b32 %0, %0, 1, 31, -1;")
OP1(shfl_bfly_add, uint32_t, "r", lane, "{.reg .b32 t; shfl.sync.bfly.b32 t, %0, 1, 31, -1; add.u32 %0, %0, t;}")
OP1(prmt, uint32_t, "r", lane, "prmt.b32 %0, %0, %1, 0x2103;")
OP1(bfind, uint32_t, "r", lane, "bfind.u32 %0, %0;")
OP1(clz, uint32_t, "r", lane, "clz.b32 %0, %0;")
OP1(brev, uint32_t, "r", lane, "brev.b32 %0, %0;")
OP1(cvt_f64_f32, double, "d", 1.5, "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}")
OP1(cvt_f64_s32, double, "d", 1.5, "{.reg .s32 t; cvt.rzi.s32.f64 t, %0; cvt.rn.f64.s32 %0, t;}")

int main()
{
    const int n = 512; cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); CHECK(cudaMallocHost(&out, 64)); CHECK(cudaMalloc(&mem, 1 << 20)); CHECK(cudaMemset(mem, 0, 1 << 20));
    printf("{\"gpu\": \"%s\", \"unit\": \"clocks a step, least and most of 5 runs\",\n", p.name);
#define RUN(NAME, K) do { long long least = 1ll << 60, most = 0; for (int r = 0; r < 6; r++) { NAME<<<1, 32>>>(out, mem, n, 0, K); CHECK(cudaDeviceSynchronize()); if (r) { least = out[0] < least ? out[0] : least; most = out[0] > most ? out[0] : most; } } printf("\"" #NAME "\": [%.2f, %.2f],\n", least / (double)n, most / (double)n); } while (0)
    RUN(shared_add_u32, 0); RUN(shared_add_1_u32, 0); RUN(shared_add_u32_one_place, 0); RUN(shared_add_f32, 0); RUN(shared_add_u64, 0); RUN(shared_add_f64, 0); RUN(shared_max_u32, 0); RUN(shared_min_s32, 0); RUN(shared_inc_u32, 0);
    RUN(shared_and_b32, 0); RUN(shared_xor_b32, 0); RUN(shared_exch_b32, 0); RUN(shared_exch_b64, 0); RUN(shared_cas_b32, 0); RUN(shared_cas_b64, 0); RUN(shared_cas_b32_one_place, 0); RUN(shared_exch_b32_one_place, 0);
    RUN(global_add_u32, 0); RUN(global_add_f32, 0); RUN(global_add_u64, 0); RUN(global_exch_b32, 0); RUN(global_cas_b32, 0); RUN(shared_load, 0); RUN(shared_store_load, 0);
    RUN(div_u64_large, 3); RUN(div_u64_small, 3); RUN(div_s64_large, 3); RUN(div_s64_small, 3); RUN(rem_u64_large, 5000000000ull); RUN(rem_u64_small, 7); RUN(rem_s64_large, 5000000000ll); RUN(rem_s64_small, 7); RUN(div_u64_of_large, ~0ull);
    RUN(div_u32, 3); RUN(div_s32, 3); RUN(rem_u32, 7); RUN(rem_s32, 7); RUN(div_u32_by, 100000); RUN(or_b64, 1); RUN(add_u64, 1); RUN(mul_lo_u64, 3); RUN(mad_lo_u64, 3); RUN(mul_hi_u64, 3);
    RUN(div_rn_f64, 1.7); RUN(rcp_rn_f64, 1.7); RUN(rcp_approx_f64, 1.7); RUN(sqrt_rn_f64, 1.7); RUN(rsqrt_approx_f64, 1.7); RUN(fma_f64, 0.5); RUN(div_rn_f32, 1.7f); RUN(div_approx_f32, 1.7f); RUN(div_full_f32, 1.7f); RUN(rcp_rn_f32, 1.7f); RUN(rcp_approx_f32, 1.7f); RUN(rcp_approx_ftz_f32, 1.7f);
    RUN(sqrt_rn_f32, 1.7f); RUN(sqrt_approx_f32, 1.7f); RUN(sqrt_approx_ftz_f32, 1.7f); RUN(rsqrt_approx_f32, 1.7f); RUN(rsqrt_approx_ftz_f32, 1.7f); RUN(sin_approx_f32, 1.7f); RUN(cos_approx_f32, 1.7f); RUN(ex2_approx_f32, 1.7f); RUN(ex2_approx_ftz_f32, 1.7f); RUN(lg2_approx_f32, 1.7f); RUN(tanh_approx_f32, 1.7f);
    RUN(fma_f32, 0.5f); RUN(add_u32, 1); RUN(shfl_bfly, 1); RUN(shfl_idx, 1); RUN(shfl_up, 1); RUN(shfl_down, 1); RUN(shfl_bfly_add, 1); RUN(prmt, 1); RUN(bfind, 1); RUN(clz, 1); RUN(brev, 1); RUN(cvt_f64_f32, 1); RUN(cvt_f64_s32, 1);
    printf("\"end\": 0}\n");
}
