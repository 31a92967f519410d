// Latencies of one warp (clocks) and rates of the whole GPU: micro > micro.json
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <algorithm>
#include <vector>
#include <numeric>
#include <random>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
enum { IADD, IMAD, FFMA, DFMA, HFMA, RSQ, EX2, POPC, CVT, SHFL, SELP, DIV, SQRT, LDS, LDS128, LDG, LDGCG, ATOMG, ATOMS, ATOMSHOT, LDMATRIX, MMA, LDC, LDL, VOTE, LONGADD, WIDE, REDUX, BALLOT, MATCH, OPS };
const char *names[] = { "iadd", "imad", "ffma", "dfma", "hfma2", "rsqrt", "ex2", "popc", "cvt", "shfl", "setp_selp", "div_rn_f32", "sqrt_rn_f32", "lds", "lds128", "ldg_l1", "ldg_l2", "atom_global", "atom_shared", "atom_shared_same", "ldmatrix_x4", "mma_16816_f32", "ldc", "ldl", "vote_selp", "add_s64", "mul_wide", "redux", "ballot", "activemask" };
__constant__ int ctable[1024];
template <int OP> __global__ void lat(long long *out, int *mem, int n, int s, float fs)
{
    __shared__ __align__(16) int sh[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) sh[i] = 0;
    __syncthreads();
    int x = s; float f = fs; double d = fs; unsigned long long l = s, c1 = s + 3; half2 h = __float2half2_rn(fs); int4 v = {s, s, s, s}; float acc[4] = {fs, fs, fs, fs};
    unsigned base = (unsigned)__cvta_generic_to_shared(sh);
    int local[32]; if (OP == LDL) for (int i = 0; i < 32; i++) local[i] = (i * 7 + s) & 31;
    long long t0 = 0, t1;
    for (int round = 0; round < 3; round++) {
        t0 = clock64();
#pragma unroll 16
        for (int i = 0; i < n; i++) {
            if (OP == IADD) asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(s));
            if (OP == IMAD) asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x) : "r"(s));
            if (OP == FFMA) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(fs));
            if (OP == DFMA) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d) : "d"((double)fs));
            if (OP == HFMA) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(s));
            if (OP == RSQ) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(f));
            if (OP == EX2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
            if (OP == POPC) asm volatile("popc.b32 %0, %0;" : "+r"(x));
            if (OP == CVT) asm volatile("{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}" : "+r"(x));
            if (OP == SHFL) x = __shfl_xor_sync(~0u, x, 1);
            if (OP == SELP) asm volatile("{.reg .pred p; setp.gt.s32 p, %0, %1; selp.s32 %0, %1, %2, p;}" : "+r"(x) : "r"(s), "r"(n));
            if (OP == DIV) asm volatile("div.rn.f32 %0, %1, %0;" : "+f"(f) : "f"(fs));
            if (OP == SQRT) asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(f));
            if (OP == LDS) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(base + x));
            if (OP == LDS128) { asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(base + v.w)); }
            if (OP == LDG) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(mem + x));
            if (OP == LDGCG) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(mem + x));
            if (OP == ATOMG) asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(x) : "l"(mem + threadIdx.x + x));
            if (OP == ATOMS) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(base + 4 * threadIdx.x + x), "r"(x));
            if (OP == ATOMSHOT) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(base + (x & 4)), "r"(x));
            if (OP == LDMATRIX) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(base + 16 * (threadIdx.x & 31) + v.w));
            if (OP == MMA) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(s));
            if (OP == LDC) asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(ctable + x));
            if (OP == LDL) x = local[x & 31];
            if (OP == VOTE) x = __any_sync(~0u, x) ? s : n;
            if (OP == LONGADD) asm volatile("add.s64 %0, %0, %1;" : "+l"(l) : "l"(c1));
            if (OP == WIDE) asm volatile("{.reg .u32 t; cvt.u32.u64 t, %0; mul.wide.u32 %0, t, %1;}" : "+l"(l) : "r"(s));
            if (OP == REDUX) x = __reduce_add_sync(~0u, x);
            if (OP == BALLOT) x = __ballot_sync(~0u, x);
            if (OP == MATCH) x += __activemask();
        }
        t1 = clock64();
    }
    if (threadIdx.x == 0) out[0] = t1 - t0;
    if (x == 123456 || f == 1234567.f || d == 123.45 || l == 99 || v.w == 77 || acc[0] == 99.f || __low2float(h) == 99.f) out[1] = x;
}
template <int OP> void one(long long *out, int *mem) { if constexpr (OP < OPS) { int n = 512; lat<OP><<<1, 32>>>(out, mem, n, 0, 0.f); CHECK(cudaDeviceSynchronize()); printf("\"%s\": %.2f,\n", names[OP], out[0] / (double)n); one<OP + 1>(out, mem); } }
__global__ void chase(long long *out, unsigned *mem, int n) { unsigned p = 0; long long t = clock64(); for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(p) : "l"(mem + p)); t = clock64() - t; out[0] = t; out[1] = p; }
__global__ void bars(long long *out, int n) { __syncthreads(); long long t = clock64(); for (int i = 0; i < n; i++) __syncthreads(); t = clock64() - t; if (!threadIdx.x) out[0] = t; }
__global__ void rd(float4 *o, const float4 *a, size_t n, int rounds) { float s = 0; for (int r = 0; r < rounds; r++) for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * gridDim.x * blockDim.x) {
#pragma unroll
    for (int j = 0; j < 4; j++) { float4 v; size_t k = i + j * gridDim.x * blockDim.x; if (k < n) { asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(a + k)); s += v.x + v.w; } } } if (s == 1234.f) o[0].x = s; }
__global__ void wr(float4 *o, size_t n) { for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = make_float4(1, 2, 3, 4); }
__global__ void cp(float4 *o, const float4 *a, size_t n) { for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = a[i]; }
__global__ void cprw(float *o, const float *a, size_t n) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) o[i] = a[i]; }
template <int KIND> __global__ void at(int *o, int rounds) { unsigned g = blockIdx.x * blockDim.x + threadIdx.x, h = g * 2654435761u; for (int r = 0; r < rounds; r++) { h = h * 1664525u + 1013904223u;
    if (KIND == 0) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o), "r"(g)); if (KIND == 1) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(o), "f"((float)g));
    if (KIND == 2) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o + g), "r"(g)); if (KIND == 3) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o + (h >> 12)), "r"(g));
    if (KIND == 4) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o + (h >> 24)), "r"(g)); if (KIND == 5) { if ((threadIdx.x & 31) == 0) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o), "r"(g)); }
    if (KIND == 6) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o + (threadIdx.x & 31)), "r"(g)); if (KIND == 7) { unsigned x; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(o + g), "r"(g)); h += x; }
    if (KIND == 8) { unsigned x; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(o), "r"(g)); h += x; } if (KIND == 9) { if ((threadIdx.x & 31) == 0) { unsigned x; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(o + blockIdx.x), "r"(g)); h += x; } }
    if (KIND == 10) o[h >> 12] = g; if (KIND == 11) h += o[h >> 12]; if (KIND == 12) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(o + (h >> 12)), "f"((float)g)); } if (h == 12345) o[0] = h; }
template <class F> double best(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float m = 1e30f; for (int i = 0; i < 6; i++) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); m = std::min(m, t); } CHECK(cudaGetLastError()); return m * 1e3; }
template <int KIND> void atoms(int *o) { const char *n[] = { "red_same_int", "red_same_float", "red_own", "red_random_4mb", "red_256_bins", "red_one_lane_same", "red_32_addresses", "atom_own", "atom_same", "atom_one_lane_by_block", "store_random_4mb", "load_random_4mb", "red_f32_random_4mb" };
    if constexpr (KIND < 13) { double t = best([&] { at<KIND><<<528, 256>>>(o, 16); }); printf("\"%s_us_for_%d_ops\": %.2f,\n", n[KIND], 528 * 256 * 16, t); atoms<KIND + 1>(o); } }
int main()
{
    long long *out; int *mem; size_t big = (size_t)2 << 30; float4 *a, *b;
    CHECK(cudaMallocHost(&out, 64)); CHECK(cudaMalloc(&mem, 64 << 20)); CHECK(cudaMemset(mem, 0, 64 << 20)); CHECK(cudaMalloc(&a, big)); CHECK(cudaMalloc(&b, big)); CHECK(cudaMemset(a, 0, big));
    printf("{\n"); one<0>(out, mem);
    for (size_t mb : {1, 4, 16, 24, 40, 100, 400, 2000}) { size_t lines = (mb << 20) / 128; std::vector<unsigned> order(lines), next(lines * 32); std::iota(order.begin(), order.end(), 0u); std::mt19937 r(7); std::shuffle(order.begin() + 1, order.end(), r);
        for (size_t i = 0; i < lines; i++) next[order[i] * (size_t)32] = order[(i + 1) % lines] * 32; CHECK(cudaMemcpy(a, next.data(), lines * 128, cudaMemcpyHostToDevice)); int n = mb <= 40 ? (int)std::min<size_t>(lines, 60000) : 20000;
        if (mb <= 40) chase<<<1, 1>>>(out, (unsigned *)a, (int)lines); chase<<<1, 1>>>(out, (unsigned *)a, n); CHECK(cudaDeviceSynchronize()); printf("\"chase_%zu_mb\": %.1f,\n", mb, out[0] / (double)n); }
    for (int w = 1; w <= 32; w *= 2) { bars<<<1, 32 * w>>>(out, 256); bars<<<1, 32 * w>>>(out, 256); CHECK(cudaDeviceSynchronize()); printf("\"bar_%d_warps\": %.1f,\n", w, out[0] / 256.); }
    for (size_t mb : {8, 16, 24, 40, 2000}) { size_t n = (mb << 20) / 16; int rounds = mb < 100 ? 40 : 1; double t = best([&] { rd<<<264, 1024>>>(b, a, n, rounds); }); printf("\"read_%zu_mb_gbs\": %.1f,\n", mb, mb * 1048576. * rounds / t * 1e-3); }
    { double t = best([&] { wr<<<1056, 256>>>(b, big / 16); }); printf("\"write_2gb_gbs\": %.1f,\n", big / t * 1e-3); t = best([&] { cp<<<1056, 256>>>(b, a, big / 16); }); printf("\"copy_2gb_gbs\": %.1f,\n", 2 * big / t * 1e-3);
      t = best([&] { cprw<<<(16 << 20) / 4 / 256, 256>>>((float *)b, (float *)a, 4 << 20); }); printf("\"copy_16mb_warm_us\": %.2f,\n", t);
      for (int k = 0; k < 20; k++) wr<<<1056, 256>>>(b, (32 << 20) / 16); t = best([&] { for (int k = 0; k < 20; k++) wr<<<1056, 256>>>(b, (24 << 20) / 16); }); printf("\"write_24mb_l2_gbs\": %.1f,\n", 20 * (24 << 20) / t * 1e-3); }
    for (int per : {1, 2, 4, 8, 16}) for (int th : {128, 512, 1024}) if (per * th <= 2048) { double t = best([&] { rd<<<132 * per, th>>>(b, a, (size_t)(256 << 20) / 16, 1); }); printf("\"read_256mb_%d_blocks_%d_threads_gbs\": %.1f,\n", per, th, (256 << 20) / t * 1e-3); }
    atoms<0>(mem); { double t = best([&] { for (int k = 0; k < 100; k++) bars<<<1, 32>>>(out, 1); }); printf("\"small_launch_us\": %.3f,\n", t / 100); }
    printf("\"end\": 0}\n");
}
