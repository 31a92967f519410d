"""Writes CUDA that measures matrix products on an SM: matrix.py > matrix.cu; nvcc -gencode arch=compute_90a,code=sm_90a matrix.cu. It prints a line a measurement, in clocks of the SM.

wgmma by n, type and place of A, of 1 to 4 warpgroups; mma.sync by shape, accumulators and warps; ldmatrix and ex2; products in turns with arithmetic, of 1 to 3 blocks."""
HEAD = r'''
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
long long *out;
'''


def wgmma(n, kind, a_reg):
    types, k = {"f16": ("f16.f16", 16), "tf32": ("tf32.tf32", 8), "e4m3": ("e4m3.e4m3", 32)}[kind]
    count = n // 2
    regs = ",".join(f"%{i}" for i in range(count))
    a = f"{{%{count + 1},%{count + 1},%{count + 1},%{count + 1}}}" if a_reg else f"%{count}"
    tail = {"f16": ",1,1,0" if a_reg else ",1,1,0,0"}.get(kind, ",1,1")
    outs = ",".join(f'"+f"(c[{i}])' for i in range(count))
    return (f'asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k{k}.f32.{types} {{{regs}}}, {a}, %{count}, 1{tail};}}" : {outs} : "l"(d), "r"(a));')


def in_turns(name, n, kind, a_reg, each, work):
    """`each` products to a wait, `work` ex2 and as many multiply-adds behind them."""
    step = wgmma(n, kind, a_reg)
    return f'''
__global__ void {"__launch_bounds__(512) " if n < 256 else ""}{name}(int times, long long *out) {{
    extern __shared__ __align__(1024) char sh[]; uint32_t base = (uint32_t)__cvta_generic_to_shared(sh) & 0x3ffff; uint64_t d = (uint64_t)(base >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
    float c[{n // 2}], v[8]; for (int i = 0; i < {n // 2}; i++) c[i] = 0; for (int i = 0; i < 8; i++) v[i] = threadIdx.x * 1e-3f; uint32_t a = 0; long long t = clock64();
    for (int i = 0; i < times; i++) {{
        asm volatile("wgmma.fence.sync.aligned;");
        {' '.join([step] * each)}
        asm volatile("wgmma.commit_group.sync.aligned;"); asm volatile("wgmma.wait_group.sync.aligned 0;");
#pragma unroll
        for (int q = 0; q < {work}; q++) asm volatile("{{ .reg .f32 x; ex2.approx.ftz.f32 x, %0; fma.rn.f32 %0, x, %1, %1; }}" : "+f"(v[q % 8]) : "f"(-0.5f));
    }}
    t = clock64() - t; float r = 0; for (int i = 0; i < {n // 2}; i++) r += c[i]; for (int i = 0; i < 8; i++) r += v[i]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1; }}'''


def mma(name, shape, types, count, own):
    accs, a_regs, b_regs = count
    letter = "d" if "f64" in types else "r" if types.startswith("s32") else "f"
    ctype = {"d": "double", "r": "int", "f": "float"}[letter]
    text = []
    for k in range(own):
        regs = ",".join(f"%{i}" for i in range(accs))
        a = ",".join([f"%{accs}"] * a_regs)
        b = ",".join([f"%{accs}"] * b_regs)
        outs = ",".join(f'"+{letter}"(c[{k}][{i}])' for i in range(accs))
        text.append(f'asm volatile("mma.sync.aligned.{shape}.row.col.{types} {{{regs}}}, {{{a}}}, {{{b}}}, {{{regs}}};" : {outs} : "{"d" if letter == "d" else "r"}"(s));')
    return f'''
__global__ void {name}(int times, long long *out, {"double" if letter == "d" else "int"} s) {{ {ctype} c[{own}][{accs}] = {{}}; long long t = clock64();
    for (int i = 0; i < times; i++) {{ {' '.join(text * (8 // own))} }}
    t = clock64() - t; {ctype} r = 0; for (int k = 0; k < {own}; k++) for (int i = 0; i < {accs}; i++) r += c[k][i]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345) out[1] = 1; }}'''


WGMMA = [(n, kind, a) for kind in ("f16", "tf32", "e4m3") for n in (8, 16, 32, 64, 128, 256) for a in (0, 1) if not a or (kind != "e4m3" and n >= 16)]
MMA = [("m16n8k16", "f32.f16.f16.f32", (4, 4, 2)), ("m16n8k8", "f32.f16.f16.f32", (4, 2, 1)), ("m16n8k16", "f32.bf16.bf16.f32", (4, 4, 2)), ("m16n8k8", "f32.tf32.tf32.f32", (4, 4, 2)),
       ("m16n8k4", "f32.tf32.tf32.f32", (4, 2, 1)), ("m16n8k32", "f32.e4m3.e4m3.f32", (4, 4, 2)), ("m16n8k32", "s32.s8.s8.s32", (4, 4, 2)), ("m16n8k16", "s32.s8.s8.s32", (4, 2, 1)), ("m8n8k4", "f64.f64.f64.f64", (2, 1, 1))]
TURNS = [(n, each, work) for n in (64, 128) for each in (4, 8) for work in (0, 32, 64, 128)]

print(HEAD)
for n, kind, a in WGMMA:
    print(in_turns(f"wg_{kind}_{n}_{a}", n, kind, a, 16, 0))
for n, each, work in TURNS:
    print(in_turns(f"turns_{n}_{each}_{work}", n, "f16", 0, each, work))
for i, (shape, types, count) in enumerate(MMA):
    for own in (1, 2, 4, 8):
        print(mma(f"mma_{i}_{own}", shape, types, count, own))
print(r'''
__global__ void rows(int times, long long *out, int s) { __shared__ __align__(128) char sh[32768]; uint32_t at = (uint32_t)__cvta_generic_to_shared(sh) + threadIdx.x % 32 * 16, a[4], x = 0; long long t = clock64();
    for (int i = 0; i < times; i++) {
#pragma unroll
        for (int q = 0; q < 8; q++) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at + q * 512)); x += a[0] ^ a[3]; } }
    t = clock64() - t; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (x == 12345) out[1] = 1; }
__global__ void exps(int times, long long *out, int s) { float v[8]; for (int i = 0; i < 8; i++) v[i] = threadIdx.x; long long t = clock64();
    for (int i = 0; i < times; i++) {
#pragma unroll
        for (int q = 0; q < 8; q++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v[q])); }
    t = clock64() - t; float r = 0; for (int i = 0; i < 8; i++) r += v[i]; if (!threadIdx.x && !blockIdx.x) out[0] = t; if (r == 12345.f) out[1] = 1; }
int main() { CHECK(cudaMallocManaged(&out, 4096)); cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0)); printf("%s, clocks are of its SMs; two runs each, the shorter and the longer\n", p.name); long long least, most;
#define RUN(K, GRID, BLOCK, SHARED, ...) do { least = 1ll << 60; most = 0; for (int r = 0; r < 3; r++) { K<<<GRID, BLOCK, SHARED>>>(__VA_ARGS__); CHECK(cudaDeviceSynchronize()); if (r) { least = out[0] < least ? out[0] : least; most = out[0] > most ? out[0] : most; } } } while (0)
''')
for n, kind, a in WGMMA:
    k = f"wg_{kind}_{n}_{a}"
    print(f'CHECK(cudaFuncSetAttribute({k}, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)); for (int g : {{1, 2, {4 if n < 256 else 3}}}) {{ RUN({k}, 132, 128 * g, 65536, 64, out); printf("wgmma {kind} n {n} a_{"registers" if a else "shared"} %d warpgroups: %.2f to %.2f clk of the SM each\\n", g, least / 64. / 16 / g, most / 64. / 16 / g); }}')
for n, each, work in TURNS:
    k = f"turns_{n}_{each}_{work}"
    print(f'CHECK(cudaFuncSetAttribute({k}, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10)); for (int b : {{1, 2, 3}}) {{ RUN({k}, 132 * b, 128, 65536, 64, out); printf("turns n {n} products {each} ex2 {work} %d blocks: %.1f to %.1f clk a turn\\n", b, least / 64., most / 64.); }}')
for i, (shape, types, count) in enumerate(MMA):
    for own in (1, 2, 4, 8):
        print(f'for (int w : {{1, 4, 8, 16}}) {{ RUN(mma_{i}_{own}, 132, 32 * w, 0, 64, out, 0); printf("mma {shape} {types} {own} accumulators %d warps: %.2f to %.2f clk of the SM each\\n", w, least / 64. / 8 / w, most / 64. / 8 / w); }}')
print('for (int w : {1, 4, 8, 16}) { RUN(rows, 132, 32 * w, 0, 64, out, 0); printf("ldmatrix x4 %d warps: %.2f clk of the SM each\\n", w, least / 64. / 8 / w); RUN(exps, 132, 32 * w, 0, 64, out, 0); printf("ex2 %d warps: %.2f clk of the SM each\\n", w, least / 64. / 8 / w); } }')
