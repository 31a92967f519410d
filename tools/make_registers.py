#!/usr/bin/env python3
"""make_registers.py DIR [--programs 400] [--seed 1] -- CUDA programs of many kinds, compiled, with the registers that ptxas gives each kernel.

Writes DIR/pNNNN.cu, DIR/pNNNN.computeNN.ptx and DIR/measured.jsonl, a line a kernel and target (file, kernel, sm, regs, spill_st, spill_ld).
A program is some kernels of templates below, with sizes, types, depths and shapes drawn at random. NVCC and PTXAS name the tools, of CUDA 13.0;
what is there already is not made again. tools/fit_registers.py reads the result.
"""
import argparse, concurrent.futures, glob, json, os, random, re, subprocess

TARGETS = {75: (75, 80, 86, 90, 100, 120), 80: (80, 86, 90, 100, 120), 90: (90,), 100: (100,), 120: (120,)}     # sm_87 to sm_89 take what sm_86 does, sm_121 what sm_120 does
HEAD = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
"""
CUB = "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_load.cuh>\n" \
      "#include <cub/warp/warp_reduce.cuh>\n#include <cub/warp/warp_scan.cuh>\n"
RAND = "#include <curand_kernel.h>\n"

class Draw:
    """Random choices, and the words that templates are made of."""
    def __init__(self, r): self.r = r
    def of(self, *v): return self.r.choice(v)
    def n(self, low, high): return self.r.randint(low, high)
    def maybe(self, p, text): return text if self.r.random() < p else ""
    def unroll(self): return self.of("\n#pragma unroll 1\n", "", "\n#pragma unroll\n", "\n#pragma unroll 2\n", "\n#pragma unroll 4\n", "\n#pragma unroll 8\n")
    def restrict(self): return self.of("__restrict__ ", "__restrict__ ", "")
    def bounds(self): return self.maybe(0.2, f"__launch_bounds__({self.of('64', '128', '256', '512', '1024', '256, 2', '256, 4', '128, 8', '128, 4', '512, 2')}) ")
    def index(self): return self.of("int i = blockIdx.x * blockDim.x + threadIdx.x;", "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
                                    "int i = threadIdx.x + blockIdx.x * 256;", "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;", "size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;")
    def fexpr(self, names, depth):
        """A random expression of floats."""
        if depth == 0: return self.of(*names, *names, f"{self.n(1, 9)}.{self.n(0, 9)}f")
        a, b = self.fexpr(names, depth - 1), self.fexpr(names, self.n(0, depth - 1)); k = self.r.random()
        if k < .35: return f"({a} * {b} + {self.of(*names)})"
        if k < .55: return f"({a} {self.of('+', '-', '*')} {b})"
        if k < .62: return f"f{self.of('max', 'min')}f({a}, {b})"
        if k < .82: return f"({a} {self.of('+', '*')} {self.of(*names)})"
        if k < .92: return f"{self.of('sqrtf', '__expf', 'expf', 'fabsf', 'rsqrtf', '__sinf', 'sinf', '__logf', 'logf', 'tanhf', 'floorf', 'erff', 'cosf')}({a})"
        if k < .97: return f"({a} > {b} ? {a} : {self.of(*names)})"
        return self.of(f"({a} / {b})", f"__fdividef({a}, {b})", f"powf({a}, {b})", f"fmodf({a}, {b})")
    def iexpr(self, names, depth):
        if depth == 0: return self.of(*names, *names, str(self.n(1, 31)), hex(self.n(1, 1 << 30)))
        a, b = self.iexpr(names, depth - 1), self.iexpr(names, self.n(0, depth - 1)); k = self.r.random()
        if k < .6: return f"({a} {self.of('+', '-', '*', '^', '&', '|', '+', '^')} {b})"
        if k < .75: return f"({a} {self.of('<<', '>>')} {self.n(1, 30)})"
        if k < .85: return f"__funnelshift_l({a}, {self.of(*names)}, {self.n(1, 31)})"
        if k < .9: return f"{self.of('__popc', '__clz', '__brev')}({a})"
        if k < .95: return f"({a} {self.of('/', '%')} {self.n(3, 1000)}u)"
        return self.of(f"({a} / ({b} | 1u))", f"__umulhi({a}, {b})", f"min({a}, {b})")

def elementwise(d, k):
    t = d.of("float", "float", "float", "double", "int", "half", "float4", "float2", "__half2", "uint4", "int2", "short", "unsigned char")
    n = d.n(1, 5); ins = [f"x{j}" for j in range(n)]; args = ", ".join(f"const {t} *{d.restrict()}{x}" for x in ins)
    load = "".join(f"{t} v{j} = {x}[i{d.of('', '', '', ' + ' + str(d.n(1, 9)), ' * 2')}]; " for j, x in enumerate(ins)); v = [f"v{j}" for j in range(n)]
    if t == "float": e = d.fexpr(v + ["a"], d.n(1, 6))
    elif t == "double": e = d.fexpr(v + ["a"], d.n(1, 3)).replace("f(", "(").replace("__exp(", "exp(").replace("__sin(", "sin(").replace("__log(", "log(").replace("__fdividef(", "fmin(")
    elif t == "int": e = d.iexpr([f"(unsigned){x}" for x in v], d.n(1, 5))
    elif t in ("float4", "float2", "uint4", "int2"):
        c = "xyzw"[:4 if t[-1] == "4" else 2]; names = lambda j: [f"{x}.{j}" for x in v]
        f = (lambda j: d.fexpr(names(j) + ["a"], d.n(1, 3))) if t[0] == "f" else (lambda j: d.iexpr([f"(unsigned){x}" for x in names(j)], d.n(1, 3)))
        e = f"make_{t}({', '.join(f(j) for j in c)})"
    elif t in ("half", "__half2"): e = " + ".join(v) if d.of(0, 1) else f"{'__hfma2' if t[0] == '_' else '__hfma'}({v[0]}, {v[-1]}, {v[0]})"
    else: e = " + ".join(v)
    guard = d.of("if (i < n)", "if (i >= n) return;", "")
    return f"__global__ void {d.bounds()}{k}({t} *{d.restrict()}y, {args}, float a, int n) {{ {d.index()} {guard} {{ {load} y[i] = {e}; }} }}"

def grid_stride(d, k):
    t = d.of("float", "double", "int", "float4", "unsigned"); body = {"float": d.fexpr(["v", "a", "w"], d.n(1, 4)), "double": "v * w + a", "int": "v * 3 + w", "unsigned": d.iexpr(["v", "w"], d.n(1, 4)), "float4": "make_float4(v.x * a, v.y + w.x, v.z * w.y, v.w)"}[t]
    return f"""__global__ void {d.bounds()}{k}({t} *{d.restrict()}y, const {t} *{d.restrict()}x, const {t} *{d.restrict()}z, float a, int n) {{ int s = gridDim.x * blockDim.x;
{d.unroll()}for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += s) {{ {t} v = x[i], w = z[i]; y[i] = {body}; }} }}"""

def reduction(d, k):
    t = d.of("float", "double", "int", "unsigned long long"); b = d.of(128, 256, 512); style = d.n(0, 3)
    tree = [f"for (int o = {b // 2}; o > 0; o >>= 1) {{ if (t < o) s[t] += s[t + o]; __syncthreads(); }}", f"{d.unroll()}for (int o = {b // 2}; o > 0; o >>= 1) {{ if (t < o) s[t] += s[t + o]; __syncthreads(); }}",
            f"for (int o = 1; o < {b}; o *= 2) {{ if (t % (2 * o) == 0) s[t] += s[t + o]; __syncthreads(); }}", f"for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (t % 32 == 0) s[t / 32] = v; __syncthreads(); if (t < 32) {{ v = t < {b // 32} ? s[t] : ({t})0; for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o); s[0] = v; }} __syncthreads();"][style]
    out = d.of("if (t == 0) y[blockIdx.x] = s[0];", "if (t == 0) atomicAdd(y, s[0]);", "y[i] = x[i] - s[0];")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ __shared__ {t} s[{b}]; int t = threadIdx.x, i = blockIdx.x * {b} + t; {t} v = 0;
{d.unroll()}for (int j = i; j < n; j += gridDim.x * {b}) v += x[j]{d.of('', ' * x[j]')}; s[t] = v; __syncthreads(); {tree} {out} }}"""

def stencil(d, k):
    t = d.of("float", "float", "double"); r = d.n(1, 4); shape = d.n(0, 3); w = lambda j: d.of(f"c{j % 3}", f"{t}({d.n(1, 9)}.5)")
    if shape == 0: e = " + ".join(f"{w(j)} * x[i + {j - r}]" for j in range(2 * r + 1)); g = f"i >= {r} && i < n - {r}"
    elif shape == 1: e = " + ".join(f"{w(j)} * (x[i + {j}] + x[i - {j}] + x[i + {j} * p] + x[i - {j} * p])" for j in range(1, r + 1)) + " + c0 * x[i]"; g = "i > p && i < n"
    elif shape == 2: e = " + ".join(f"{w(j)} * (x[i + {j}] + x[i - {j}] + x[i + {j} * p] + x[i - {j} * p] + x[i + {j} * q] + x[i - {j} * q])" for j in range(1, r + 1)); g = "i > q && i < n - q"
    else: e = " + ".join(f"{w(a + b)} * x[i + {a - 1} * p + {b - 1}]" for a in range(3) for b in range(3)); g = "i > p && i < n - p"
    idx = d.of("int i = blockIdx.x * blockDim.x + threadIdx.x;", "int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y, i = iy * p + ix;", "int ix = blockIdx.x * 32 + threadIdx.x, iy = blockIdx.y * 8 + threadIdx.y, iz = blockIdx.z, i = (iz * q + iy) * p + ix;")
    loop = d.of(f"if ({g}) y[i] = {e};", f"if ({g}) y[i] = {e};", f"{d.unroll()}for (int z = 1; z < q - 1; z++) {{ y[i] = {e}; i += p; }}")
    return f"__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n, int p, int q, {t} c0, {t} c1, {t} c2) {{ {idx} {loop} }}"

def tile_stencil(d, k):
    b = d.of(16, 32, 8); r = d.n(1, 3); w = b + 2 * r
    e = " + ".join(f"s[ty + {a}][tx + {c}]" + d.of("", " * c0", " * c1") for a in range(2 * r + 1) for c in range(2 * r + 1) if d.of(0, 1) or a == c)
    return f"""__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, float *{d.restrict()}y, int n, int p, float c0, float c1) {{ __shared__ float s[{w}][{w + d.of(0, 1)}]; int tx = threadIdx.x, ty = threadIdx.y, gx = blockIdx.x * {b}, gy = blockIdx.y * {b};
{d.unroll()}for (int j = ty; j < {w}; j += {b}) for (int i = tx; i < {w}; i += {b}) {{ int u = gx + i - {r}, v = gy + j - {r}; s[j][i] = u >= 0 && v >= 0 && u < p && v < n ? x[v * p + u] : 0.f; }} __syncthreads(); y[(gy + ty) * p + gx + tx] = {e}; }}"""

def transpose(d, k):
    t = d.of("float", "double", "half", "int"); b = d.of(16, 32); rows = d.of(4, 8, 16); 
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int w, int h) {{ __shared__ {t} s[{b}][{b + d.of(0, 1)}]; int u = blockIdx.x * {b} + threadIdx.x, v = blockIdx.y * {b} + threadIdx.y;
{d.unroll()}for (int j = 0; j < {b}; j += {rows}) {d.maybe(.4, 'if (u < w && v + j < h) ')}s[threadIdx.y + j][threadIdx.x] = x[(v + j) * w + u]; __syncthreads(); u = blockIdx.y * {b} + threadIdx.x; v = blockIdx.x * {b} + threadIdx.y;
{d.unroll()}for (int j = 0; j < {b}; j += {rows}) y[(v + j) * h + u] = s[threadIdx.x][threadIdx.y + j]; }}"""

def gemm(d, k):
    t = d.of("float", "float", "float", "double", "int"); tm, tn = d.of((1, 1), (2, 2), (4, 4), (8, 8), (1, 4), (4, 1), (8, 4), (4, 8), (2, 4), (2, 1)); kk = d.of(4, 8, 16, 32); b = d.of(8, 16); M, N = b * tm, b * tn; inner = d.of("#pragma unroll\n", "", "#pragma unroll 1\n", "#pragma unroll 4\n")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}A, const {t} *{d.restrict()}B, {t} *{d.restrict()}C, int m, int n, int kx, {t} alpha) {{ __shared__ {t} As[{kk}][{M + d.of(0, 1, 4)}], Bs[{kk}][{N}]; int tx = threadIdx.x, ty = threadIdx.y, t = ty * {b} + tx; {t} acc[{tm}][{tn}] = {{}};
for (int k0 = 0; k0 < kx; k0 += {kk}) {{
{d.unroll()}for (int j = t; j < {M * kk}; j += {b * b}) As[j % {kk}][j / {kk}] = A[(blockIdx.y * {M} + j / {kk}) * kx + k0 + j % {kk}];
{d.unroll()}for (int j = t; j < {N * kk}; j += {b * b}) Bs[j / {N}][j % {N}] = B[(k0 + j / {N}) * n + blockIdx.x * {N} + j % {N}]; __syncthreads();
{inner}for (int q = 0; q < {kk}; q++) {{ {t} ra[{tm}], rb[{tn}];
#pragma unroll
for (int a = 0; a < {tm}; a++) ra[a] = As[q][ty{d.of(f' * {tm} + a', f' + a * {b}')}];
#pragma unroll
for (int a = 0; a < {tn}; a++) rb[a] = Bs[q][tx{d.of(f' * {tn} + a', f' + a * {b}')}];
#pragma unroll
for (int a = 0; a < {tm}; a++)
#pragma unroll
for (int c = 0; c < {tn}; c++) acc[a][c] += ra[a] * rb[c]; }} __syncthreads(); }}
#pragma unroll
for (int a = 0; a < {tm}; a++)
#pragma unroll
for (int c = 0; c < {tn}; c++) C[(blockIdx.y * {M} + ty * {tm} + a) * n + blockIdx.x * {N} + tx + c * {b}] {d.of('=', '+=')} alpha * acc[a][c]; }}"""

def gemm_naive(d, k):
    t = d.of("float", "double", "int", "half")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}A, const {t} *{d.restrict()}B, {t} *{d.restrict()}C, int m, int n, int kx) {{ int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.6, 'if (r >= m || c >= n) return;')} {'float' if t == 'half' else t} s = 0;
{d.unroll()}for (int q = 0; q < kx; q++) s += {'__half2float(A[r * kx + q]) * __half2float(B[q * n + c])' if t == 'half' else 'A[r * kx + q] * B[q * n + c]'}; C[r * n + c] = s; }}"""

def wmma(d, k):
    a, b = d.of((1, 1), (2, 2), (1, 2), (2, 4)); t, acc = d.of(("half", "float"), ("half", "half"), ("half", "float"))
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}A, const {t} *{d.restrict()}B, {acc} *C, int n, int kx) {{ using namespace nvcuda::wmma; int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, r = blockIdx.y; fragment<accumulator, 16, 16, 16, {acc}> c[{a}][{b}];
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) fill_fragment(c[i][j], {acc}(0.f));
{d.of('', '#pragma unroll 1' + chr(10))}for (int q = 0; q < kx; q += 16) {{ fragment<matrix_a, 16, 16, 16, {t}, row_major> x[{a}]; fragment<matrix_b, 16, 16, 16, {t}, {d.of('row_major', 'col_major')}> y[{b}];
for (int i = 0; i < {a}; i++) load_matrix_sync(x[i], A + (r * {16 * a} + i * 16) * kx + q, kx); for (int j = 0; j < {b}; j++) load_matrix_sync(y[j], B + q * n + (w * {b} + j) * 16, n);
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) mma_sync(c[i][j], x[i], y[j], c[i][j]); }}
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) store_matrix_sync(C + (r * {16 * a} + i * 16) * n + (w * {b} + j) * 16, c[i][j], n, mem_row_major); }}"""

def scan(d, k):
    t = d.of("float", "int", "double", "unsigned"); b = d.of(128, 256, 512); per = d.of(1, 2, 4, 8)
    body = d.of(f"for (int o = 1; o < {b}; o *= 2) {{ {t} u = t >= o ? s[t - o] : {t}(0); __syncthreads(); s[t] += u; __syncthreads(); }}", f"for (int o = 1; o < 32; o *= 2) {{ {t} u = __shfl_up_sync(~0u, v, o); if (t % 32 >= o) v += u; }} if (t % 32 == 31) s[t / 32] = v; __syncthreads(); if (t < {b // 32}) {{ {t} u = s[t]; for (int o = 1; o < {b // 32}; o *= 2) {{ {t} z = __shfl_up_sync((1u << {b // 32}) - 1, u, o); if (t >= o) u += z; }} s[t] = u; }} __syncthreads(); if (t >= 32) v += s[t / 32 - 1]; s[t] = v;")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ __shared__ {t} s[{b}]; int t = threadIdx.x, i = (blockIdx.x * {b} + t) * {per}; {t} a[{per}]; {t} v = 0;
#pragma unroll
for (int j = 0; j < {per}; j++) {{ a[j] = i + j < n ? x[i + j] : {t}(0); v += a[j]; }} s[t] = v; __syncthreads(); {body} __syncthreads(); {t} base = s[t] - v;
#pragma unroll
for (int j = 0; j < {per}; j++) {{ base += a[j]; {d.maybe(.5, 'if (i + j < n) ')}y[i + j] = base; }} }}"""

def sort(d, k):
    t = d.of("int", "float", "unsigned", "unsigned long long"); n = d.of(4, 8, 16, 32)
    if d.of(0, 1): return f"""__global__ void {d.bounds()}{k}({t} *x, int j, int q, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x, l = i ^ j; if (l > i{d.maybe(.5, ' && i < n')}) {{ {t} a = x[i], b = x[l]; bool up = (i & q) == 0; if (up == (a > b)) {{ x[i] = b; x[l] = a; }} }} }}"""
    return f"""__global__ void {d.bounds()}{k}({t} *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = x[i{d.of(f' * {n} + j', ' + j * n')}];
#pragma unroll
for (int a = 0; a < {n}; a++)
#pragma unroll
for (int b = a & 1; b < {n - 1}; b += 2) if (v[b] > v[b + 1]) {{ {t} u = v[b]; v[b] = v[b + 1]; v[b + 1] = u; }}
#pragma unroll
for (int j = 0; j < {n}; j++) x[i * {n} + j] = v[j]; }}"""

def hashing(d, k):
    r = d.n(2, 24); st = [f"h{j}" for j in range(d.n(2, 8))]; lines = " ".join(f"{d.of(*st)} {d.of('+=', '^=', '*=')} {d.iexpr(st + ['x'], d.n(1, 2))};" for _ in range(d.n(2, 12)))
    return f"""__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}in, unsigned *out, int n) {{ {d.index()} {d.maybe(.7, 'if (i >= n) return;')} unsigned x = in[i]; unsigned {', '.join(f'{h} = {d.n(1, 1 << 31)}u' for h in st)};
{d.unroll()}for (int j = 0; j < {r}; j++) {{ {lines} x += j; }} out[i] = {' ^ '.join(st)}; }}"""

def atomics(d, k):
    t, v = d.of(("int", "1"), ("float", "1.f"), ("unsigned", "x[i]"), ("unsigned long long", "x[i]"), ("double", "1.0")); o = d.n(0, 3); xt = d.of("int", "unsigned char", "unsigned")
    v = v if v != "x[i]" else f"({t})x[i]"
    if o == 0: return f"__global__ void {d.bounds()}{k}(const {xt} *{d.restrict()}x, {t} *h, int n) {{ {d.index()} if (i < n) atomicAdd(&h[x[i]{d.maybe(.5, ' & 255')}], {v}); }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const {xt} *{d.restrict()}x, unsigned *h, int n) {{ __shared__ unsigned s[256]; for (int j = threadIdx.x; j < 256; j += blockDim.x) s[j] = 0; __syncthreads(); for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i] & 255], 1u); __syncthreads(); for (int j = threadIdx.x; j < 256; j += blockDim.x) atomicAdd(&h[j], s[j]); }}"
    if o == 2: return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, int *m, int n) {{ {d.index()} if (i < n) {{ int old = m[0]; float v = x[i]; while (__int_as_float(old) < v) {{ int a = atomicCAS(m, old, __float_as_int(v)); if (a == old) break; old = a; }} }} }}"
    return f"__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}keys, unsigned *table, unsigned size, int n) {{ {d.index()} if (i >= n) return; unsigned key = keys[i], h = key * 2654435761u % size; while (true) {{ unsigned p = atomicCAS(&table[h], 0xffffffffu, key); if (p == 0xffffffffu || p == key) return; h = (h + 1) % size; }} }}"

def local_array(d, k):
    n = d.of(8, 16, 64, 128); t = d.of("float", "int", "double")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *y, const int *idx, int n) {{ {t} a[{n}]; int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < {n}; j++) a[j] = x[i + j * n]; {t} s = 0;
{d.unroll()}for (int j = 0; j < n; j++) {{ int q = idx[j]{d.maybe(.5, f' & {n - 1}')}; s += a[q]; a[{d.of('q', f'(q + 1) & {n - 1}')}] = s; }} y[i] = s; }}"""

def sparse(d, k):
    t = d.of("float", "double")
    if d.of(0, 1): return f"""__global__ void {d.bounds()}{k}(int m, const int *{d.restrict()}p, const int *{d.restrict()}c, const {t} *{d.restrict()}v, const {t} *{d.restrict()}x, {t} *{d.restrict()}y) {{ int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < m) {{ {t} s = 0; int e = p[r + 1];
{d.unroll()}for (int j = p[r]; j < e; j++) s += v[j] * x[c[j]]; y[r] = s; }} }}"""
    return f"""__global__ void {d.bounds()}{k}(int m, const int *{d.restrict()}p, const int *{d.restrict()}c, const {t} *{d.restrict()}v, const {t} *{d.restrict()}x, {t} *{d.restrict()}y) {{ int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31; if (w >= m) return; {t} s = 0;
{d.unroll()}for (int j = p[w] + l; j < p[w + 1]; j += 32) s += v[j] * x[c[j]]; for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o); if (l == 0) y[w] = s; }}"""

def nbody(d, k):
    b = d.of(64, 128, 256)
    return f"""__global__ void {d.bounds()}{k}(const float4 *{d.restrict()}p, float4 *{d.restrict()}a, int n, float eps) {{ __shared__ float4 s[{b}]; int i = blockIdx.x * {b} + threadIdx.x; float4 me = p[i]; float ax = 0, ay = 0, az = 0; for (int t = 0; t < n; t += {b}) {{ s[threadIdx.x] = p[t + threadIdx.x]; __syncthreads();
{d.unroll()}for (int j = 0; j < {b}; j++) {{ float4 q = s[j]; float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z, r = dx * dx + dy * dy + dz * dz + eps; float inv = {d.of('rsqrtf(r)', '1.f / sqrtf(r)', '__frsqrt_rn(r)')}; float w = q.w * inv * inv * inv; ax += dx * w; ay += dy * w; az += dz * w; }} __syncthreads(); }} a[i] = make_float4(ax, ay, az, 0); }}"""

def softmax(d, k):
    b = d.of(128, 256, 1024); t = d.of("float", "half"); g = "__half2float(x[r * n + j])" if t == "half" else "x[r * n + j]"; out = "__float2half" if t == "half" else ""; ex = d.of("expf", "__expf")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ __shared__ float s[32]; int t = threadIdx.x; long r = blockIdx.x; float m = -1e30f, z = 0;
{d.unroll()}for (int j = t; j < n; j += {b}) m = fmaxf(m, {g}); for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if (t % 32 == 0) s[t / 32] = m; __syncthreads(); m = s[0]; for (int j = 1; j < {b // 32}; j++) m = fmaxf(m, s[j]); __syncthreads();
{d.unroll()}for (int j = t; j < n; j += {b}) z += {ex}({g} - m); for (int o = 16; o; o /= 2) z += __shfl_xor_sync(~0u, z, o); if (t % 32 == 0) s[t / 32] = z; __syncthreads(); z = 0; for (int j = 0; j < {b // 32}; j++) z += s[j];
{d.unroll()}for (int j = t; j < n; j += {b}) y[r * n + j] = {out}({ex}({g} - m) {d.of('/ z', '* (1.f / z)')}); }}"""

def layernorm(d, k):
    n = d.of(1, 2, 4, 8)
    return f"""__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, const float *{d.restrict()}g, const float *{d.restrict()}b, float *{d.restrict()}y, int n, float eps) {{ int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, l = threadIdx.x & 31; float v[{n}], s = 0, q = 0;
#pragma unroll
for (int j = 0; j < {n}; j++) {{ v[j] = x[r * {32 * n} + j * 32 + l]; s += v[j]; q += v[j] * v[j]; }} for (int o = 16; o; o >>= 1) {{ s += __shfl_xor_sync(~0u, s, o); q += __shfl_xor_sync(~0u, q, o); }} float m = s / {32 * n}, w = rsqrtf(q / {32 * n} - m * m + eps);
#pragma unroll
for (int j = 0; j < {n}; j++) y[r * {32 * n} + j * 32 + l] = (v[j] - m) * w * g[j * 32 + l] + b[j * 32 + l]; }}"""

def unrolled(d, k):
    """Independent work per thread, to any depth: what a list scheduler has a choice in."""
    n = d.of(2, 3, 4, 6, 8, 12, 16, 24, 32); t = d.of("float", "float", "double", "float4", "int"); f = {"float": lambda: d.fexpr(["v[j]", "a", f"v[(j + 1) % {n}]"], d.n(1, 3)), "double": lambda: "v[j] * a + v[0]", "int": lambda: d.iexpr(["(unsigned)v[j]", f"(unsigned)v[(j + 1) % {n}]"], d.n(1, 3)), "float4": lambda: "make_float4(v[j].x * a, v[j].y + v[j].x, v[j].z, v[j].w)"}[t]()
    at = d.of(f"i * {n} + j", "i + j * blockDim.x", "i + j * n", "i + j * 1024")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, float a, int n) {{ int i = blockIdx.x * blockDim.x{d.of('', f' * {n}')} + threadIdx.x; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) {d.of('', 'if (' + at + ' < n) ')}v[j] = x[{at}];
#pragma unroll
for (int j = 0; j < {n}; j++) y[{at}] = {f}; }}"""

def arithmetic(d, k):
    """Chains of one operation: throughput probes."""
    n = d.of(1, 2, 4, 8, 16); op = d.of("v[j] = v[j] * a + b", "v[j] = v[j] + a", "v[j] = sqrtf(v[j])", "v[j] = __expf(v[j])", "v[j] = v[j] / a", "v[j] = fminf(v[j], a) * b", "v[j] = rsqrtf(v[j]) + b", "v[j] = sinf(v[j])", "v[j] = (float)(int)(v[j] * a)", f"v[j] = v[j] * a + v[(j + 1) % {n}]", f"v[j] += v[(j + 1) % {n}]")
    if d.of(0, 1): op = d.of("v[j] = v[j] * u + w", "v[j] = (v[j] << 3) ^ u", "v[j] = v[j] / (u | 1)", "v[j] = __popc(v[j]) + w", "v[j] = __umulhi(v[j], u)", "v[j] = __dp4a(v[j], u, w)", "v[j] = v[j] % (w | 1)", "v[j] = __byte_perm(v[j], u, 0x1234)", "v[j] = min(v[j], u) + w", f"v[j] = v[j] * u + v[(j + 1) % {n}]", f"v[j] += v[(j + 1) % {n}] ^ u", "v[j] = __shfl_xor_sync(~0u, v[j], 1) + u", "v[j] = __funnelshift_l(v[j], u, 7) ^ w"); t = d.of("unsigned", "unsigned", "unsigned long long") if not re.search(r"__|min", op) else "unsigned"
    else: t = d.of("float", "float", "double") if not re.search(r"__|f\(|\(int\)", op) else "float"
    return f"""__global__ void {d.bounds()}{k}({t} *y, int n, {t} a, {t} b, {t} u, {t} w) {{ {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = ({t})(threadIdx.x + j);
{d.of(d.unroll(), d.unroll(), '#pragma unroll 16' + chr(10))}for (int q = 0; q < {d.of('n', '64', '256')}; q++) {{
#pragma unroll
for (int j = 0; j < {n}; j++) {op}; }} {t} s = 0;
#pragma unroll
for (int j = 0; j < {n}; j++) s += v[j]; {d.of('y[blockIdx.x * blockDim.x + threadIdx.x] = s;', 'if (s == 42) y[0] = s;')} }}"""

def shared_patterns(d, k):
    t = d.of("float", "double", "float2", "float4", "int", "unsigned short", "unsigned char", "half"); n = d.of(1024, 2048, 4096); e = d.of("t", f"t * {d.n(2, 33)}", f"(t ^ {d.n(1, 31)})", f"(t % {d.n(2, 32)}) * {d.n(2, 64)} + t / {d.n(2, 32)}", "((t >> 5) * 33 + (t & 31))", "t * stride")
    s = "0" if t in ("float2", "float4") else None; acc = d.of(1, 4, 8, 16)
    if s: return f"""__global__ void {d.bounds()}{k}({t} *y, const {t} *x, int stride) {{ __shared__ {t} s[{n // 2}]; int t = threadIdx.x; for (int j = t; j < {n // 2}; j += blockDim.x) s[j] = x[j]; __syncthreads(); {t} v = s[({e}) & {n // 2 - 1}]; y[blockIdx.x * blockDim.x + t] = v; }}"""
    return f"""__global__ void {d.bounds()}{k}({t} *y, const {t} *x, int stride) {{ __shared__ {t} s[{n}]; int t = threadIdx.x; s[({e}) & {n - 1}] = x[t]; __syncthreads(); {t} v = 0;
{d.unroll()}for (int j = 0; j < {acc}; j++) v += s[({e} + j{d.of('', ' * 32')}) & {n - 1}]; y[blockIdx.x * blockDim.x + t] = v; }}"""

def global_patterns(d, k):
    t = d.of("float", "double", "float2", "float4", "int", "short", "unsigned char"); r, c = d.of("x", "x", "y"), 0
    e = d.of("i", f"i * {d.n(2, 40)}", f"i + {d.n(1, 64)}", f"i ^ {d.n(1, 31)}", f"i % {d.n(2, 100)}", f"i / {d.n(2, 40)}", "i * stride", "idx[i]", "(long long)i * stride", f"(i % 32) * stride + i / 32", "(blockIdx.y * blockDim.y + threadIdx.y) * stride + i", "n - 1 - i", "__brev(i) >> 12")
    st = d.of(f"y[{e}] = x[i];", f"y[i] = x[{e}];", f"y[i] = x[{e}];")
    return f"__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, const int *{d.restrict()}idx, int stride, int n) {{ {d.index()} {d.maybe(.6, 'if (i < n) ')}{st} }}"

def structs(d, k):
    n = d.n(2, 8); t = d.of("float", "float", "double"); f = [f"m{j}" for j in range(n)]; used = d.r.sample(f, d.n(1, n))
    if d.of(0, 1): return f"struct S_{k} {{ {t} {', '.join(f)}; }};\n__global__ void {d.bounds()}{k}(S_{k} *s, int n, {t} dt) {{ {d.index()} {d.maybe(.7, 'if (i >= n) return;')} " + " ".join(f"s[i].{u} {d.of('+=', '*=')} {d.of('dt', 's[i].' + d.of(*f))};" for u in used) + " }"
    return f"struct P_{k} {{ {t} *{', *'.join(f)}; int n; }};\n__global__ void {d.bounds()}{k}(P_{k} s, {t} dt) {{ {d.index()} if (i < s.n) {{ " + " ".join(f"s.{u}[i] = s.{d.of(*f)}[i] * dt + {d.fexpr(['dt'], 1) if t == 'float' else 'dt'};" for u in used) + " } }"

def double_math(d, k):
    f = d.of("sqrt(v)", "v / (w + 1)", "exp(v)", "sin(v)", "log(v) * w", "pow(v, w)", "rsqrt(v)", "v * w + a", "fma(v, w, a) / 3.0", "floor(v) + w", "(double)(long long)v", "cbrt(v)", "erf(v)", "atan2(v, w)", "tanh(v)", "1.0 / v")
    return f"__global__ void {d.bounds()}{k}(const double *{d.restrict()}x, const double *{d.restrict()}z, double *{d.restrict()}y, double a, int n) {{ {d.index()} if (i < n) {{ double v = x[i], w = z[i]; y[i] = {f}{d.of('', ' + ' + d.of('v', 'w'))}; }} }}"

def float_math(d, k):
    f = d.of("sinf", "cosf", "tanf", "expf", "logf", "powf", "atan2f", "erff", "cbrtf", "lgammaf", "j0f", "fmodf", "sincosf", "acosf", "normcdff", "log1pf", "asinf", "hypotf", "remainderf", "tgammaf", "erfcf", "exp2f", "sinhf")
    v = f"{f}(v, w)" if f in ("powf", "atan2f", "fmodf", "hypotf", "remainderf") else f"{f}(v)"
    e = f"float p, q; sincosf(v, &p, &q); y[i] = p * w + q;" if f == "sincosf" else f"y[i] = {v}{d.of('', ' * w', ' + w')};"
    return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, const float *{d.restrict()}z, float *{d.restrict()}y, int n) {{ {d.index()} {d.of('if (i < n)', 'for (; i < n; i += 65536)')} {{ float v = x[i], w = z[i]; {e} }} }}"

def finance(d, k):
    return f"""__device__ {d.of('', '__noinline__ ')}float cnd_{k}(float v) {{ float q = 1.f / (1.f + .2316419f * fabsf(v)), c = .39894228f * {d.of('__expf', 'expf')}(-.5f * v * v) * q * (.31938153f + q * (-.356563782f + q * (1.781477937f + q * (-1.821255978f + q * 1.330274429f)))); return v > 0 ? 1.f - c : c; }}
__global__ void {d.bounds()}{k}(const float *{d.restrict()}s, const float *{d.restrict()}x, const float *{d.restrict()}t, float *call, float *put, float r, float v, int n) {{ {d.index()} {d.of('if (i < n)', 'for (; i < n; i += gridDim.x * blockDim.x)')} {{ float q = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + .5f * v * v) * t[i]) / (v * q), d2 = d1 - v * q, a = cnd_{k}(d1), b = cnd_{k}(d2), e = __expf(-r * t[i]); call[i] = s[i] * a - x[i] * e * b; put[i] = x[i] * e * (1.f - b) - s[i] * (1.f - a); }} }}"""

def fractal(d, k):
    t = d.of("float", "double")
    return f"""__global__ void {d.bounds()}{k}({d.of('unsigned char', 'int')} *o, int w, int h, {t} x0, {t} y0, {t} dx) {{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.6, 'if (x >= w || y >= h) return;')} {t} cr = x0 + x * dx, ci = y0 + y * dx, a = {d.of('0', 'cr')}, b = {d.of('0', 'ci')}; int it = 0;
{d.unroll()}for (; it < {d.of(64, 100, 256)}; it++) {{ {t} u = a * a, v = b * b; if (u + v > 4) break; b = 2 * a * b + ci; a = u - v + cr; }} o[y * w + x] = it; }}"""

def lbm(d, k):
    n = d.of(5, 9, 15, 19); t = d.of("float", "float", "double")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}f, {t} *{d.restrict()}g, int n, {t} w) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {d.maybe(.7, 'if (i >= n) return;')} {t} v[{n}], r = 0, u = 0;
#pragma unroll
for (int q = 0; q < {n}; q++) {{ v[q] = f[{d.of(f'q * n + i', f'i * {n} + q')}]; r += v[q]; u += v[q] * {t}((q * 7 % 3) - 1); }} u {d.of('/= r', '*= w')};
#pragma unroll
for (int q = 0; q < {n}; q++) g[q * n + i] = v[q] + w * (r * {t}(0.1) * (1 + {t}(q % 3 - 1) * u) - v[q]); }}"""

def fft(d, k):
    n = d.of(2, 4, 8, 16); t = d.of("float2", "float2", "double2")
    return f"""__global__ void {d.bounds()}{k}({t} *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = x[i + j * n];
#pragma unroll
for (int h = {n // 2}; h > 0; h /= 2)
#pragma unroll
for (int j = 0; j < {n}; j++) if (!(j & h)) {{ {t} a = v[j], b = v[j + h]; v[j].x = a.x + b.x; v[j].y = a.y + b.y; v[j + h].x = (a.x - b.x) * {d.of('.7071f', '1.f')} + (a.y - b.y) * .5f; v[j + h].y = a.y - b.y; }}
#pragma unroll
for (int j = 0; j < {n}; j++) x[i * {n} + j] = v[j]; }}"""

def conv(d, k):
    r = d.n(1, 4); c = d.of(1, 3, 4)
    return f"""__constant__ float w_{k}[{(2 * r + 1) ** 2 * c}];
__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, float *{d.restrict()}y, int w, int h) {{ int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.6, 'if (u >= w || v >= h) return;')} float s = 0;
{d.unroll()}for (int c = 0; c < {c}; c++)
{d.unroll()}for (int a = -{r}; a <= {r}; a++)
{d.unroll()}for (int b = -{r}; b <= {r}; b++) {{ int p = {d.of('u + b', 'min(max(u + b, 0), w - 1)')}, q = {d.of('v + a', 'min(max(v + a, 0), h - 1)')}; s += w_{k}[(c * {2 * r + 1} + a + {r}) * {2 * r + 1} + b + {r}] * x[(c * h + q) * w + p]; }} y[v * w + u] = {d.of('s', 'fmaxf(s, 0.f)')}; }}"""

def half_ops(d, k):
    b = d.of("__half2", "__nv_bfloat162"); n = d.of(1, 2, 4, 8)
    return f"""__global__ void {d.bounds()}{k}(const {b} *{d.restrict()}x, {b} *{d.restrict()}y, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {b} s = x[i];
{d.unroll()}for (int j = 1; j < {d.of(str(n), 'n')}; j++) s = __h{d.of('fma2(s, x[i + j * n], s)', 'add2(s, x[i + j * n])', 'mul2(s, x[i * 8 + j])', 'max2(s, x[i + j])')}; y[i] = s; }}"""

def int8(d, k):
    return f"""__global__ void {d.bounds()}{k}(const {d.of('int', 'char4')} *{d.restrict()}a0, const int *{d.restrict()}b, int *{d.restrict()}c, int n, int kx) {{ const int *a = (const int *)a0; int r = blockIdx.y * blockDim.y + threadIdx.y, q = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
{d.unroll()}for (int j = 0; j < kx; j++) s = __dp4a(a[r * kx + j], b[q * kx + j], s); c[r * n + q] = s; }}"""

def groups(d, k):
    t = d.of("float", "int"); n = d.of(4, 8, 16, 32)
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *y, int n) {{ namespace cg = cooperative_groups; auto b = cg::this_thread_block(); auto w = cg::tiled_partition<{n}>(b); {t} s = 0; for (int i = {d.of('cg::this_grid().thread_rank()', 'blockIdx.x * blockDim.x + threadIdx.x')}; i < n; i += gridDim.x * blockDim.x) s += x[i]; s = {d.of('cg::reduce(w, s, cg::plus<' + t + '>())', 'w.shfl_down(s, 1) + s', 'w.shfl_xor(s, 2) * s')}; if (w.thread_rank() == 0) {d.of('atomicAdd(y, s)', f'y[blockIdx.x * blockDim.x / {n} + w.meta_group_rank()] = s')}; }}"""

def async_copy(d, k):
    b = d.of(128, 256); st = d.of(2, 3, 4); t, z = d.of(("float4", "v.x + v.y"), ("float", "v"), ("float2", "v.x * v.y"))
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, float *y, int n) {{ __shared__ {t} s[{st}][{b}]; int t = threadIdx.x; float a = 0; for (int j = 0; j < {st - 1}; j++) {{ __pipeline_memcpy_async(&s[j][t], &x[j * {b} + t], sizeof({t})); __pipeline_commit(); }}
{d.unroll()}for (int j = 0; j < n; j++) {{ __pipeline_memcpy_async(&s[(j + {st - 1}) % {st}][t], &x[(j + {st - 1}) * {b} + t], sizeof({t})); __pipeline_commit(); __pipeline_wait_prior({st - 1}); __syncthreads(); {t} v = s[j % {st}][{d.of('t', f'(t + 1) % {b}', f't ^ 1')}]; a += {z}; __syncthreads(); }} y[blockIdx.x * {b} + t] = a; }}"""

def noinline(d, k):
    n = d.n(1, 6); a = ", ".join(f"float a{j}" for j in range(n)); v = [f"a{j}" for j in range(n)]
    return f"""__device__ __noinline__ float f_{k}({a}) {{ return {d.fexpr(v, d.n(1, 4))}; }}
__global__ void {d.bounds()}{k}(const float *x, float *y, int n) {{ {d.index()} float s = 0; {d.of('', d.unroll() + 'for (int j = 0; j < n; j++) ')}s += f_{k}({', '.join(f'x[i + {j}]' for j in range(n))}); y[i] = s{d.of('', f' + f_{k}({", ".join("s" for _ in range(n))})')}; }}"""

def cub_block(d, k):
    b = d.of(64, 128, 256); t = d.of("int", "float", "unsigned"); n = d.of(1, 2, 4, 8); o = d.n(0, 4)
    if o == 0: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::BlockReduce<{t}, {b}>; __shared__ typename R::TempStorage s; {t} v = R(s).Sum(x[blockIdx.x * {b} + threadIdx.x]); if (threadIdx.x == 0) y[blockIdx.x] = v; }}"
    if o == 1: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::BlockScan<{t}, {b}>; __shared__ typename R::TempStorage s; {t} v[{n}]; for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {b} + threadIdx.x) * {n} + j]; R(s).{d.of('Exclusive', 'Inclusive')}Sum(v, v); for (int j = 0; j < {n}; j++) y[(blockIdx.x * {b} + threadIdx.x) * {n} + j] = v[j]; }}"
    if o == 2: return f"__global__ void {k}({t} *x) {{ using R = cub::BlockRadixSort<{t}, {b}, {n}>; __shared__ typename R::TempStorage s; {t} v[{n}]; for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {b} + threadIdx.x) * {n} + j]; R(s).Sort(v); for (int j = 0; j < {n}; j++) x[(blockIdx.x * {b} + threadIdx.x) * {n} + j] = v[j]; }}"
    if o == 3: return f"__global__ void {k}(const {t} *x, {t} *y) {{ using R = cub::WarpReduce<{t}>; __shared__ typename R::TempStorage s[{b // 32}]; {t} v = R(s[threadIdx.x / 32]).{d.of('Sum', 'Sum')}(x[blockIdx.x * {b} + threadIdx.x]); y[blockIdx.x * {b} + threadIdx.x] = v; }}"
    return f"__global__ void {k}(const {t} *x, {t} *y, int n) {{ using L = cub::BlockLoad<{t}, {b}, {n}, cub::BLOCK_LOAD_TRANSPOSE>; __shared__ typename L::TempStorage s; {t} v[{n}]; L(s).Load(x + blockIdx.x * {b * n}, v, n); {t} a = 0; for (int j = 0; j < {n}; j++) a += v[j]; y[blockIdx.x * {b} + threadIdx.x] = a; }}"

def random_numbers(d, k):
    s = d.of("curandStatePhilox4_32_10_t", "curandStateXORWOW_t", "curandStateMRG32k3a_t"); f = d.of("curand_uniform", "curand_normal", "curand", "curand_normal2")
    init = d.of(" = states[i];", "; curand_init(seed, i, 0, &st);", "; curand_init(1234, i, 0, &st);")
    e = {"curand_normal2": "{ float2 q = curand_normal2(&st); a += q.x * q.y; }"}.get(f, f"a += {f}(&st);")
    return f"__global__ void {d.bounds()}{k}({s} *states, float *y, int n, unsigned long long seed) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {s} st{init} float a = 0; {d.unroll()}for (int j = 0; j < {d.of('n', '4', '16')}; j++) {e} y[i] = a; {d.maybe(.5, 'states[i] = st;')} }}"

def image(d, k):
    return f"""__global__ void {d.bounds()}{k}(const uchar4 *{d.restrict()}x, {d.of('uchar4', 'float4')} *{d.restrict()}y0, int w, int h, float s) {{ auto *y = y0; int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y; if (u >= w || v >= h) return; float r = 0, g = 0, b = 0;
{d.unroll()}for (int j = -{d.n(1, 3)}; j <= {d.n(1, 3)}; j++) {{ uchar4 p = x[{d.of('v * w + u + j', '(v + j) * w + u', 'v * w + min(max(u + j, 0), w - 1)')}]; r += p.x * s; g += p.y * s; b += p.z; }} y[v * w + u].x = r; y[v * w + u].y = g; y[v * w + u].z = b; }}"""

def dynamic(d, k):
    """Dynamic programming, graph and tree walks: data-dependent loops."""
    o = d.n(0, 3)
    if o == 0: return f"__global__ void {d.bounds()}{k}(const int *{d.restrict()}row, const int *{d.restrict()}col, int *dist, int *next, int level, int n) {{ {d.index()} if (i < n && dist[i] == level) for (int e = row[i]; e < row[i + 1]; e++) {{ int v = col[e]; if (dist[v] < 0) {{ dist[v] = level + 1; *next = 1; }} }} }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}keys, const float *{d.restrict()}q, int *r, int n, int m) {{ {d.index()} if (i < m) {{ float v = q[i]; int lo = 0, hi = n; while (lo < hi) {{ int mid = (lo + hi) / 2; if (keys[mid] < v) lo = mid + 1; else hi = mid; }} r[i] = lo; }} }}"
    if o == 2: return f"struct N_{k} {{ int l, r; float v; int pad; }}; __global__ void {d.bounds()}{k}(const N_{k} *{d.restrict()}t, const float *{d.restrict()}x, float *y, int n) {{ {d.index()} if (i >= n) return; float v = x[i], s = 0; int stack[{d.of(16, 32)}], top = 0; stack[top++] = 0; while (top) {{ N_{k} q = t[stack[--top]]; s += q.v; if (q.l >= 0 && v < q.v) stack[top++] = q.l; if (q.r >= 0) stack[top++] = q.r; }} y[i] = s; }}"
    return f"__global__ void {d.bounds()}{k}(const char *{d.restrict()}a, const char *{d.restrict()}b, int *h, int n, int m) {{ {d.index()} if (i >= m) return; int diag = 0, best = 0;\n{d.unroll()}for (int j = 0; j < n; j++) {{ int up = h[j * m + i], s = diag + (a[i] == b[j] ? 2 : -1); s = max(max(s, up - 1), 0); best = max(best, s); diag = up; h[j * m + i] = s; }} h[i] = best; }}"

def attention(d, k):
    """One query a thread or a warp, keys and values from shared memory, a running maximum."""
    h = d.of(16, 32, 64); b = d.of(32, 64); t = d.of("float", "half"); f = "__half2float" if t == "half" else ""
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}q, const {t} *{d.restrict()}kk, const {t} *{d.restrict()}v, {t} *{d.restrict()}o, int n, float scale) {{ __shared__ float ks[{b}][{h}], vs[{b}][{h}]; int i = blockIdx.x * blockDim.x + threadIdx.x; float qr[{h}], acc[{h}], m = -1e30f, l = 0;
#pragma unroll
for (int j = 0; j < {h}; j++) {{ qr[j] = {f}(q[(size_t)i * {h} + j]) * scale; acc[j] = 0; }}
for (int t0 = 0; t0 < n; t0 += {b}) {{ for (int j = threadIdx.x; j < {b * h}; j += blockDim.x) {{ ks[j / {h}][j % {h}] = {f}(kk[t0 * {h} + j]); vs[j / {h}][j % {h}] = {f}(v[t0 * {h} + j]); }} __syncthreads();
{d.unroll()}for (int r = 0; r < {b}; r++) {{ float s = 0;
#pragma unroll
for (int j = 0; j < {h}; j++) s += qr[j] * ks[r][j]; float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn); l = l * c + p; m = mn;
#pragma unroll
for (int j = 0; j < {h}; j++) acc[j] = acc[j] * c + p * vs[r][j]; }} __syncthreads(); }}
#pragma unroll
for (int j = 0; j < {h}; j++) o[(size_t)i * {h} + j] = acc[j] / l; }}"""

def gemm_wide(d, k):
    """Tiles by float4, the next one loaded while this one is multiplied."""
    m, n = d.of((4, 4), (8, 8), (8, 4), (4, 8)); kk = d.of(8, 16); M, N = 16 * m, 16 * n; T = 256; la, lb = max(1, M * kk // (4 * T)), max(1, N * kk // (4 * T)); ahead = d.of(0, 1)
    la_ = f"\n#pragma unroll\nfor (int j = 0; j < {la}; j++) {{ int e = t + j * {T}; pa[j] = *(const float4 *)&A[(size_t)(by * {M} + e / {kk // 4}) * K + k0 + e % {kk // 4} * 4]; }}\n#pragma unroll\nfor (int j = 0; j < {lb}; j++) {{ int e = t + j * {T}; pb[j] = *(const float4 *)&B[(size_t)(k0 + e / {N // 4}) * Nn + bx * {N} + e % {N // 4} * 4]; }}\n"
    st = f"\n#pragma unroll\nfor (int j = 0; j < {la}; j++) {{ int e = t + j * {T}, r = e / {kk // 4}, c = e % {kk // 4} * 4; As[c][r] = pa[j].x; As[c + 1][r] = pa[j].y; As[c + 2][r] = pa[j].z; As[c + 3][r] = pa[j].w; }}\n#pragma unroll\nfor (int j = 0; j < {lb}; j++) {{ int e = t + j * {T}; *(float4 *)&Bs[e / {N // 4}][e % {N // 4} * 4] = pb[j]; }}\n"
    mul = f"\n#pragma unroll\nfor (int q = 0; q < {kk}; q++) {{ float ra[{m}], rb[{n}];\n#pragma unroll\nfor (int a = 0; a < {m}; a += 4) *(float4 *)&ra[a] = *(float4 *)&As[q][ty * {m} + a];\n#pragma unroll\nfor (int a = 0; a < {n}; a += 4) *(float4 *)&rb[a] = *(float4 *)&Bs[q][tx * {n} + a];\n#pragma unroll\nfor (int a = 0; a < {m}; a++)\n#pragma unroll\nfor (int c = 0; c < {n}; c++) acc[a][c] += ra[a] * rb[c]; }}\n"
    loop = f"int k0 = 0; {la_} for (;;) {{ {st} __syncthreads(); k0 += {kk}; if (k0 < K) {{ {la_} }}\n{mul} __syncthreads(); if (k0 >= K) break; }}" if ahead else f"for (int k0 = 0; k0 < K; k0 += {kk}) {{ {la_}{st} __syncthreads();\n{mul} __syncthreads(); }}"
    return f"""__global__ void {d.of('', '__launch_bounds__(256) ', '__launch_bounds__(256, 2) ')}{k}(const float *{d.restrict()}A, const float *{d.restrict()}B, float *{d.restrict()}C, int Mm, int Nn, int K, float alpha, float beta) {{ __shared__ __align__(16) float As[{kk}][{M + d.of(0, 4)}], Bs[{kk}][{N}]; int t = threadIdx.x, tx = t % 16, ty = t / 16, bx = blockIdx.x, by = blockIdx.y; float acc[{m}][{n}] = {{}}; float4 pa[{la}], pb[{lb}];
{loop}
#pragma unroll
for (int a = 0; a < {m}; a++)
#pragma unroll
for (int c = 0; c < {n}; c += {d.of(1, 4)}) {{ float *p = &C[(size_t)(by * {M} + ty * {m} + a) * Nn + bx * {N} + tx * {n} + c]; {d.of('*p = acc[a][c];', '*p = alpha * acc[a][c] + beta * *p;')} }} }}"""

def cipher(d, k):
    """Rounds of block ciphers and digests: rotations, tables, a state of words."""
    o = d.n(0, 3); r = d.of(8, 10, 16, 20, 32, 64); n = d.of(4, 8, 16)
    if o == 0: return f"""__constant__ unsigned K_{k}[64]; __global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}in, unsigned *{d.restrict()}out, int n) {{ {d.index()} if (i >= n) return; unsigned w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19, dd = 0xa54ff53a;
#pragma unroll
for (int j = 0; j < 16; j++) w[j] = {d.of('in[i * 16 + j]', 'in[i + j * n]', '__byte_perm(in[i * 16 + j], 0, 0x0123)')};
{d.of('#pragma unroll' + chr(10), '#pragma unroll' + chr(10), '#pragma unroll 16' + chr(10))}for (int j = 0; j < {d.of(16, 32, 64)}; j++) {{ unsigned t1 = h + (__funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25)) + ((e & f) ^ (~e & g)) + K_{k}[j] + w[j & 15], t2 = (__funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13)) + ((a & b) ^ (a & c) ^ (b & c)); w[j & 15] += w[(j + 9) & 15] + (w[(j + 1) & 15] >> 3); h = g; g = f; f = e; e = dd + t1; dd = c; c = b; b = a; a = t1 + t2; }} out[i * 2] = a + e; out[i * 2 + 1] = b ^ c ^ dd ^ f ^ g ^ h; }}"""
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const uint{d.of('2', '4')} *in, uint2 *out, uint4 key, int n) {{ {d.index()} if (i < n) {{ auto v = in[i]; unsigned a = v.x, b = v.y, s = 0;
{d.unroll()}for (int j = 0; j < {r}; j++) {{ s += 0x9e3779b9; a += ((b << 4) + key.x) ^ (b + s) ^ ((b >> 5) + key.y); b += ((a << 4) + key.z) ^ (a + s) ^ ((a >> 5) + key.w); }} out[i] = make_uint2(a, b); }} }}"""
    if o == 2: return f"""__global__ void {d.bounds()}{k}(const uint4 *{d.restrict()}in, uint4 *{d.restrict()}out, const unsigned *{d.restrict()}table, const unsigned *{d.restrict()}key, int n) {{ __shared__ unsigned s[{d.of(256, 1024)}]; for (int j = threadIdx.x; j < 256; j += blockDim.x) s[j] = table[j]; __syncthreads(); {d.index()} if (i >= n) return; uint4 v = in[i];
{d.unroll()}for (int j = 0; j < {d.of(9, 10, 13)}; j++) {{ uint4 u; u.x = s[v.x & 255] ^ s[v.y >> 8 & 255] ^ s[v.z >> 16 & 255] ^ s[v.w >> 24] ^ key[j * 4]; u.y = s[v.y & 255] ^ s[v.z >> 8 & 255] ^ s[v.w >> 16 & 255] ^ s[v.x >> 24] ^ key[j * 4 + 1]; u.z = s[v.z & 255] ^ s[v.w >> 8 & 255] ^ s[v.x >> 16 & 255] ^ s[v.y >> 24] ^ key[j * 4 + 2]; u.w = s[v.w & 255] ^ s[v.x >> 8 & 255] ^ s[v.y >> 16 & 255] ^ s[v.z >> 24] ^ key[j * 4 + 3]; v = u; }} out[i] = v; }}"""
    return f"""__global__ void {d.bounds()}{k}(const unsigned long long *{d.restrict()}in, unsigned long long *out, int n) {{ {d.index()} if (i >= n) return; unsigned long long s[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) s[j] = in[i * {n} + j];
{d.unroll()}for (int r = 0; r < {d.of(4, 12, 24)}; r++) {{
#pragma unroll
for (int j = 0; j < {n}; j++) {{ s[j] ^= s[(j + 1) % {n}] << {d.n(1, 60)} | s[(j + 3) % {n}] >> {d.n(1, 60)}; s[j] {d.of('+=', '^=', '*=')} s[(j + 2) % {n}]; }} }}
#pragma unroll
for (int j = 0; j < {n}; j++) out[i * {n} + j] = s[j]; }}"""

def monte_carlo(d, k):
    t = d.of("float", "float", "double"); s = "f" if t == "float" else ""
    g = d.of("x = x * 1664525u + 1013904223u;", "x ^= x << 13; x ^= x >> 17; x ^= x << 5;", "x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; x ^= x >> 15;")
    e = d.of(f"{t} u = {t}(x) * {t}(2.3283064e-10), w; {g} w = {t}(x) * {t}(2.3283064e-10); hit += u * u + w * w < 1 ? 1 : 0;", f"{t} u = {t}(x + 1u) * {t}(2.3283e-10); {g} {t} w = {t}(x) * {t}(2.3283e-10), z = sqrt{s}(-2 * log{s}(u)) * cos{s}({t}(6.2831853) * w); price *= exp{s}(mu + sigma * z); hit += price;", f"{t} u = {t}(x) * {t}(2.3283e-10); price += sigma * (u - {t}(.5)) + mu; hit = price > hit ? price : hit;")
    return f"""__global__ void {d.bounds()}{k}({t} *out, unsigned seed, int n, {t} mu, {t} sigma) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned x = seed ^ i * 2654435761u; {t} hit = 0, price = 100;
{d.unroll()}for (int j = 0; j < {d.of('n', '64', '252')}; j++) {{ {g} {e} }} {d.of('out[i] = hit;', 'for (int o = 16; o; o >>= 1) hit += __shfl_xor_sync(~0u, hit, o); if (threadIdx.x % 32 == 0) atomicAdd(out, hit);')} }}"""

def small_matrices(d, k):
    """A matrix a thread: factors, solutions, inverses."""
    n = d.of(2, 3, 4, 5, 6, 8); t = d.of("float", "float", "double"); at = d.of(f"i * {n * n} + r * {n} + c", f"(r * {n} + c) * n + i"); o = d.n(0, 2)
    body = [f"""#pragma unroll
for (int p = 0; p < {n}; p++) {{ {t} inv = 1 / a[p][p];
#pragma unroll
for (int r = p + 1; r < {n}; r++) {{ a[r][p] *= inv;
#pragma unroll
for (int c = p + 1; c < {n}; c++) a[r][c] -= a[r][p] * a[p][c]; }} }}""", f"""#pragma unroll
for (int p = 0; p < {n}; p++) {{ a[p][p] = sqrt(a[p][p]);
#pragma unroll
for (int r = p + 1; r < {n}; r++) a[r][p] /= a[p][p];
#pragma unroll
for (int c = p + 1; c < {n}; c++)
#pragma unroll
for (int r = c; r < {n}; r++) a[r][c] -= a[r][p] * a[c][p]; }}""", f"""{t} b[{n}][{n}];
#pragma unroll
for (int r = 0; r < {n}; r++)
#pragma unroll
for (int c = 0; c < {n}; c++) {{ {t} s = 0;
#pragma unroll
for (int q = 0; q < {n}; q++) s += a[r][q] * a[{d.of('q][c', 'c][q')}]; b[r][c] = s; }}
#pragma unroll
for (int r = 0; r < {n}; r++)
#pragma unroll
for (int c = 0; c < {n}; c++) a[r][c] = b[r][c];"""][o]
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ {d.index()} {d.maybe(.7, 'if (i >= n) return;')} {t} a[{n}][{n}];
#pragma unroll
for (int r = 0; r < {n}; r++)
#pragma unroll
for (int c = 0; c < {n}; c++) a[r][c] = x[{at}];
{body}
#pragma unroll
for (int r = 0; r < {n}; r++)
#pragma unroll
for (int c = 0; c < {n}; c++) y[{at}] = a[r][c]; }}"""

def rays(d, k):
    return f"""struct S_{k} {{ float x, y, z, r; }}; __global__ void {d.bounds()}{k}(const S_{k} *{d.restrict()}s, int count, float4 *{d.restrict()}out, int w, int h, float3 eye, float3 light) {{ int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.8, 'if (px >= w || py >= h) return;')} float dx = (px - w * .5f) / w, dy = (py - h * .5f) / h, dz = 1, l = {d.of('rsqrtf', '1.f / sqrtf')}(dx * dx + dy * dy + dz * dz), ox = eye.x, oy = eye.y, oz = eye.z, r = 0, g = 0, q = 1; dx *= l; dy *= l; dz *= l;
{d.of('', f'for (int bounce = 0; bounce < {d.n(2, 5)}; bounce++) ')}{{ float best = 1e20f; int hit = -1;
{d.unroll()}for (int j = 0; j < count; j++) {{ float cx = s[j].x - ox, cy = s[j].y - oy, cz = s[j].z - oz, b = cx * dx + cy * dy + cz * dz, e = b * b - (cx * cx + cy * cy + cz * cz) + s[j].r * s[j].r; if (e > 0) {{ float t = b - sqrtf(e); if (t > 1e-3f && t < best) {{ best = t; hit = j; }} }} }}
if (hit >= 0) {{ ox += dx * best; oy += dy * best; oz += dz * best; float nx = (ox - s[hit].x) / s[hit].r, ny = (oy - s[hit].y) / s[hit].r, nz = (oz - s[hit].z) / s[hit].r, c = dx * nx + dy * ny + dz * nz; dx -= 2 * c * nx; dy -= 2 * c * ny; dz -= 2 * c * nz; r += q * fmaxf(0.f, nx * light.x + ny * light.y + nz * light.z); q *= .5f; g += q; }} }} out[py * w + px] = make_float4(r, g, q, 1); }}"""

def network(d, k):
    """Layers of networks: activations, norms, optimizers, pools, embeddings."""
    t = d.of("float", "half", "__nv_bfloat16", "float"); to, back = {"float": ("", ""), "half": ("__half2float", "__float2half"), "__nv_bfloat16": ("__bfloat162float", "__float2bfloat16")}[t]; x = f"{to}(x[i])"; o = d.n(0, 5); P = f"const {t} *{d.restrict()}x"
    if o == 0: return f"__global__ void {d.bounds()}{k}({P}, {t} *{d.restrict()}y, int n) {{ {d.of('int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)', d.unroll() + 'for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)')} {{ float v = {x}; y[i] = {back}({d.of('.5f * v * (1.f + tanhf(.79788456f * (v + .044715f * v * v * v)))', 'v / (1.f + __expf(-v))', '.5f * v * (1.f + erff(v * .70710678f))', 'v > 0 ? v : .01f * v', 'log1pf(expf(v))', '1.f / (1.f + expf(-v))')}); }} }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(float *{d.restrict()}p, {P}, float *{d.restrict()}m, float *{d.restrict()}v, float lr, float b1, float b2, float eps, float wd, float c1, float c2, int n) {{ {d.index()} {d.of('if (i < n)', 'for (; i < n; i += gridDim.x * blockDim.x)')} {{ float g = {x} + wd * p[i], a = m[i] = b1 * m[i] + (1 - b1) * g, q = v[i] = b2 * v[i] + (1 - b2) * g * g; p[i] -= lr * (a {d.of('/', '*')} c1) / (sqrtf(q * c2) + eps); }} }}"
    if o == 2: r = d.n(2, 4); return f"""__global__ void {d.bounds()}{k}({P}, {t} *{d.restrict()}y, int c, int h, int w, int oh, int ow, int stride, int pad) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= c * oh * ow) return; int u = i % ow, v = i / ow % oh, z = i / (ow * oh); float m = {d.of('-1e30f', '0.f')};
{d.unroll()}for (int a = 0; a < {r}; a++)
{d.unroll()}for (int b = 0; b < {r}; b++) {{ int p = v * stride - pad + a, q = u * stride - pad + b; if (p >= 0 && p < h && q >= 0 && q < w) {{ float e = {to}(x[(z * h + p) * w + q]); m = {d.of('fmaxf(m, e)', 'm + e')}; }} }} y[i] = {back}(m); }}"""
    if o == 3: b = d.of(128, 256); return f"""__global__ void {d.bounds()}{k}({P}, {t} *{d.restrict()}y, const float *{d.restrict()}g, const float *{d.restrict()}b, int n, float eps) {{ __shared__ float s[2][32]; const {t} *r = x + (size_t)blockIdx.x * n; float a = 0, q = 0; int t = threadIdx.x;
{d.unroll()}for (int j = t; j < n; j += {b}) {{ float v = {to}(r[j]); a += v; q += v * v; }} for (int o = 16; o; o >>= 1) {{ a += __shfl_xor_sync(~0u, a, o); q += __shfl_xor_sync(~0u, q, o); }} if (t % 32 == 0) {{ s[0][t / 32] = a; s[1][t / 32] = q; }} __syncthreads(); a = t % 32 < {b // 32} ? s[0][t % 32] : 0; q = t % 32 < {b // 32} ? s[1][t % 32] : 0; for (int o = {b // 64}; o; o >>= 1) {{ a += __shfl_xor_sync(~0u, a, o); q += __shfl_xor_sync(~0u, q, o); }} float m = a / n, w = rsqrtf(q / n - m * m + eps);
{d.unroll()}for (int j = t; j < n; j += {b}) y[(size_t)blockIdx.x * n + j] = {back}(({to}(r[j]) - m) * w * g[j]{d.of('', ' + b[j]')}); }}"""
    if o == 4: return f"__global__ void {d.bounds()}{k}(const {d.of('int', 'long long')} *{d.restrict()}idx, {P}, {t} *{d.restrict()}y, int n, int h) {{ {d.of('int r = blockIdx.x;', 'int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; if (r >= n) return;')} const {t} *row = x + (size_t)idx[r] * h; {d.unroll()}for (int j = threadIdx.x; j < h; j += {d.of('blockDim.x', '128', '32')}) y[(size_t)r * h + j] = row[j]; }}"
    c = d.of(2, 4, 8); return f"__global__ void {d.bounds()}{k}({P}, {t} *{d.restrict()}y, const float *{d.restrict()}cs, const float *{d.restrict()}sn, int heads, int n) {{ int p = blockIdx.x, j = threadIdx.x; float c = cs[p * n + j], s = sn[p * n + j]; {d.unroll()}for (int q = blockIdx.y; q < heads; q += {c}) {{ size_t e = ((size_t)p * heads + q) * 2 * n + j; float a = {to}(x[e]), b = {to}(x[e + n]); y[e] = {back}(a * c - b * s); y[e + n] = {back}(b * c + a * s); }} }}"

def flow(d, k):
    """Physics in fp64 or fp32: fluxes of a cell's faces, forces of a cell's neighbours."""
    t = d.of("float", "double", "double"); s = "f" if t == "float" else ""; o = d.n(0, 2); m = d.of(3, 4, 6, 8)
    if o == 0: return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}q, const int *{d.restrict()}nb, const {t} *{d.restrict()}nrm, {t} *{d.restrict()}out, int n, {t} gamma) {{ {d.index()} if (i >= n) return; {t} r = q[i], u = q[i + n] / r, v = q[i + 2 * n] / r, e = q[i + 3 * n], p = (gamma - 1) * (e - {t}(.5) * r * (u * u + v * v)), f0 = 0, f1 = 0, f2 = 0, f3 = 0;
{d.unroll()}for (int j = 0; j < {m}; j++) {{ int b = nb[j * n + i]; {t} nx = nrm[(2 * j) * n + i], ny = nrm[(2 * j + 1) * n + i]; if (b >= 0) {{ {t} r2 = q[b], u2 = q[b + n] / r2, v2 = q[b + 2 * n] / r2, e2 = q[b + 3 * n], p2 = (gamma - 1) * (e2 - {t}(.5) * r2 * (u2 * u2 + v2 * v2)), un = u * nx + v * ny, un2 = u2 * nx + v2 * ny, a = sqrt{s}(gamma * p2 / r2) + fabs{s}(un2); f0 += {t}(.5) * (r * un + r2 * un2 - a * (r2 - r)); f1 += {t}(.5) * (r * u * un + r2 * u2 * un2 + (p + p2) * nx - a * (r2 * u2 - r * u)); f2 += {t}(.5) * (r * v * un + r2 * v2 * un2 + (p + p2) * ny - a * (r2 * v2 - r * v)); f3 += {t}(.5) * ((e + p) * un + (e2 + p2) * un2 - a * (e2 - e)); }} else {{ f1 += p * nx; f2 += p * ny; }} }} out[i] = f0; out[i + n] = f1; out[i + 2 * n] = f2; out[i + 3 * n] = f3; }}"""
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const {t}{'4'} *{d.restrict()}x, const int *{d.restrict()}list, const int *{d.restrict()}count, {t}4 *{d.restrict()}f, int n, {t} rc2, {t} box) {{ {d.index()} if (i >= n) return; {t}4 a = x[i]; {t} fx = 0, fy = 0, fz = 0, w = 0;
{d.unroll()}for (int j = 0; j < count[i]; j++) {{ {t}4 b = x[list[{d.of('j * n + i', 'i * 128 + j')}]]; {t} dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z; {d.maybe(.5, f'dx -= box * rint{s}(dx / box); dy -= box * rint{s}(dy / box); dz -= box * rint{s}(dz / box);')} {t} r2 = dx * dx + dy * dy + dz * dz; if (r2 < rc2) {{ {t} i2 = 1 / r2, i6 = i2 * i2 * i2, g = i6 * (48 * i6 - 24) * i2; fx += g * dx; fy += g * dy; fz += g * dz; w += 4 * i6 * (i6 - 1); }} }} f[i] = {{fx, fy, fz, w}}; }}"""
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}ex, const {t} *{d.restrict()}ey, const {t} *{d.restrict()}ez, {t} *{d.restrict()}hx, {t} *{d.restrict()}hy, {t} *{d.restrict()}hz, int nx, int ny, int nz, {t} c) {{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.7, 'if (x >= nx - 1 || y >= ny - 1) return;')}
{d.unroll()}for (int z = 0; z < nz - 1; z++) {{ {d.of('int', 'size_t')} i = ((size_t)z * ny + y) * nx + x; hx[i] += c * ((ey[i + nx * ny] - ey[i]) - (ez[i + nx] - ez[i])); hy[i] += c * ((ez[i + 1] - ez[i]) - (ex[i + nx * ny] - ex[i])); hz[i] += c * ((ex[i + nx] - ex[i]) - (ey[i + 1] - ey[i])); }} }}"""

def text(d, k):
    """Bytes and strings: search, distance, parse, compress."""
    o = d.n(0, 2); m = d.of(8, 16, 32)
    if o == 0: return f"__constant__ char pat_{k}[{m}]; __global__ void {d.bounds()}{k}(const char *{d.restrict()}s, int *hits, int n, int m) {{ {d.index()} if (i > n - m) return; bool ok = true; {d.unroll()}for (int j = 0; j < {d.of('m', str(m))}{d.of('', ' && ok')}; j++) ok {d.of('&=', '= ok &&')} s[i + j] == pat_{k}[j]; if (ok) {d.of('atomicAdd(hits, 1);', 'hits[i] = 1;')} }}"
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const unsigned char *{d.restrict()}a, const unsigned char *{d.restrict()}b, int *out, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {d.of('unsigned char', 'int', 'unsigned short')} row[{m + 1}]; for (int j = 0; j <= {m}; j++) row[j] = j;
{d.unroll()}for (int r = 0; r < {m}; r++) {{ int diag = row[0]; row[0] = r + 1; unsigned char c = a[i * {m} + r];
{d.of('#pragma unroll' + chr(10), '')}for (int j = 0; j < {m}; j++) {{ int up = row[j + 1], v = min(min(up, (int)row[j]) + 1, diag + (c != b[j])); diag = up; row[j + 1] = v; }} }} out[i] = row[{m}]; }}"""
    return f"""__global__ void {d.bounds()}{k}(const char *{d.restrict()}s, const int *{d.restrict()}at, {d.of('double', 'float', 'long long')} *out, int n) {{ {d.index()} if (i >= n) return; const char *p = s + at[i]; bool minus = *p == '-'; if (minus) p++; {d.of('double', 'float', 'long long')} v = 0; int e = 0; while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0'); if (*p == '.') for (p++; *p >= '0' && *p <= '9'; p++, e++) v = v * 10 + (*p - '0'); while (e-- > 0) v /= 10; out[i] = minus ? -v : v; }}"""

def warp_work(d, k):
    """Votes, compaction, aggregated atomics, matches, segmented sums."""
    o = d.n(0, 3); t = d.of("float", "int", "unsigned")
    if o == 0: return f"__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int *count, int n, {t} limit) {{ {d.index()} bool keep = i < n && x[i] > limit; unsigned m = __ballot_sync(~0u, keep); int l = threadIdx.x & 31, base = 0; if (l == 0 && m) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (keep) y[base + __popc(m & ((1u << l) - 1))] = x[i]; }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const int *{d.restrict()}key, const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ {d.index()} {t} v = i < n ? x[i] : 0; int q = i < n ? key[i] : -1, l = threadIdx.x & 31; {d.unroll()}for (int o = 1; o < 32; o *= 2) {{ {t} u = __shfl_up_sync(~0u, v, o); int r = __shfl_up_sync(~0u, q, o); if (l >= o && r == q) v += u; }} int next = __shfl_down_sync(~0u, q, 1); if (q >= 0 && (l == 31 || next != q)) atomicAdd(&y[q], v); }}"
    if o == 2: n = d.of(2, 4, 8); return f"""__global__ void {d.bounds()}{k}({t} *x, int n) {{ int l = threadIdx.x & 31; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {n} + j) * 32 + l];
{d.of('#pragma unroll' + chr(10), '')}for (int q = 2; q <= 32; q *= 2) {d.of(chr(10) + '#pragma unroll' + chr(10), '')}for (int o = q / 2; o; o /= 2)
#pragma unroll
for (int j = 0; j < {n}; j++) {{ {t} u = __shfl_xor_sync(~0u, v[j], o); v[j] = ((l & o) == 0) == ((l & q) == 0) ? min(v[j], u) : max(v[j], u); }}
#pragma unroll
for (int j = 0; j < {n}; j++) x[(blockIdx.x * {n} + j) * 32 + l] = v[j]; }}"""
    b = d.of(4, 8); return f"""__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}x, unsigned *{d.restrict()}h, int shift, int n) {{ __shared__ unsigned s[{d.of(1, 4, 8)}][{1 << b}]; for (int j = threadIdx.x; j < {1 << b}; j += blockDim.x) s[0][j] = 0; __syncthreads();
{d.unroll()}for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ unsigned q = x[i] >> shift & {(1 << b) - 1}; atomicAdd(&s[0][q], 1); }} __syncthreads(); for (int j = threadIdx.x; j < {1 << b}; j += blockDim.x) {d.of('h[j * gridDim.x + blockIdx.x] = s[0][j];', 'atomicAdd(&h[j], s[0][j]);')} }}"""

def complex_math(d, k):
    t = d.of("float", "double"); n = d.of(2, 4, 8, 16); s = "f" if t == "float" else ""
    return f"""__global__ void {d.bounds()}{k}({t}2 *{d.restrict()}x, int n, int p) {{ __shared__ {t}2 s[{64 * n}]; int i = threadIdx.x; {t}2 v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = x[blockIdx.x * {64 * n} + j * 64 + i];
{d.maybe(.6, f'{t} a = {t}(-6.2831853) * (i % p) / (p * {n}); ' + chr(10) + '#pragma unroll' + chr(10) + f'for (int j = 1; j < {n}; j++) {{ {t} c, q; sincos{s}(a * j, &q, &c); v[j] = {{v[j].x * c - v[j].y * q, v[j].x * q + v[j].y * c}}; }}')}
#pragma unroll
for (int h = {n // 2}; h; h /= 2)
#pragma unroll
for (int j = 0; j < {n}; j++) if (!(j & h)) {{ {t}2 a = v[j], b = v[j + h]; v[j] = {{a.x + b.x, a.y + b.y}}; v[j + h] = {{a.x - b.x, a.y - b.y}}; }}
{d.maybe(.6, chr(10) + '#pragma unroll' + chr(10) + f'for (int j = 0; j < {n}; j++) s[i * {n} + j] = v[j]; __syncthreads();' + chr(10) + '#pragma unroll' + chr(10) + f'for (int j = 0; j < {n}; j++) v[j] = s[j * 64 + i];')}
#pragma unroll
for (int j = 0; j < {n}; j++) x[blockIdx.x * {64 * n} + j * 64 + i] = v[j]; }}"""

def long_index(d, k):
    """64-bit sizes and strides, as tensor libraries index."""
    r = d.n(2, 5); t = d.of("float", "double", "short", "char"); I = d.of("long long", "unsigned long long", "int", "unsigned")
    step = "".join(f"{I} d{j} = l % z.n[{j}]; l /= z.n[{j}]; a += d{j} * z.s[{j}]; b += d{j} * z.t[{j}]; " for j in range(r))
    return f"""struct Z_{k} {{ {I} n[{r}], s[{r}], t[{r}]; }}; __global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, Z_{k} z, {I} n) {{ {d.of(f'{I} i = ({I})blockIdx.x * blockDim.x + threadIdx.x; if (i < n)', d.unroll() + f'for ({I} i = ({I})blockIdx.x * blockDim.x + threadIdx.x; i < n; i += ({I})gridDim.x * blockDim.x)')} {{ {I} l = i, a = 0, b = 0; {step} y[b] {d.of('=', '+=')} x[a]; }} }}"""

MORE = [attention, gemm_wide, gemm_wide, cipher, cipher, monte_carlo, small_matrices, small_matrices, rays, network, network, network, flow, flow, text, warp_work, warp_work, complex_math, long_index]

TEMPLATES = [elementwise, elementwise, elementwise, grid_stride, reduction, reduction, stencil, stencil, tile_stencil, transpose, gemm, gemm, gemm_naive, wmma, scan, sort, hashing, hashing, atomics, local_array,
             sparse, nbody, softmax, layernorm, unrolled, unrolled, arithmetic, arithmetic, shared_patterns, shared_patterns, global_patterns, global_patterns, structs, double_math, float_math, finance, fractal,
             lbm, fft, conv, half_ops, int8, groups, async_copy, noinline, image, dynamic] + 2 * MORE

def program(seed, number):
    r = random.Random(seed * 100003 + number); d = Draw(r); some = [r.choice(TEMPLATES) for _ in range(7)]; head = HEAD
    if number % 12 == 5: some = [cub_block] * 6; head += CUB
    if number % 16 == 7: some = [random_numbers] * 3; head += RAND
    body = "\n".join(t(d, f"{t.__name__}_{number}_{j}") for j, t in enumerate(some))
    return head + body + "\n"

def registers(ptx, sm):
    """Lines of measured.jsonl, without the file."""
    p = subprocess.run([os.environ.get("PTXAS", "ptxas"), "-v", f"-arch=sm_{sm}", ptx, "-o", "/dev/null"], capture_output=True, text=True)
    for m in re.finditer(r"Compiling entry function '(\S+)' for 'sm_\w+'\n.*?Function properties for \S+\n\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n.*?Used (\d+) registers", p.stderr, re.S):
        yield dict(kernel=m[1], sm=str(sm), regs=int(m[5]), stack=int(m[2]), spill_st=int(m[3]), spill_ld=int(m[4]))

def make(directory, seed, number):
    name = f"{directory}/p{number:04}"; rows = []
    if os.path.exists(f"{name}.jsonl"): return
    open(f"{name}.cu", "w").write(program(seed, number))
    which = random.Random(seed + number).choice([[75], [75], [80], [80], [90], [75, 90], [80, 100], [80, 120], [90, 120]])
    for compute in which:
        ptx = f"{name}.compute{compute}.ptx"; p = subprocess.run([os.environ.get("NVCC", "nvcc"), "-std=c++17", "-w", f"-arch=compute_{compute}", "-ptx", f"{name}.cu", "-o", ptx], capture_output=True, text=True)
        if p.returncode: print(name, p.stderr[:300]); continue
        for sm in TARGETS[compute]: rows += [dict(file=os.path.basename(ptx), **r) for r in registers(ptx, sm)]
    open(f"{name}.jsonl", "w").write("".join(json.dumps(r) + "\n" for r in rows))

if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); a.add_argument("dir"); a.add_argument("--programs", type=int, default=400); a.add_argument("--first", type=int, default=0); a.add_argument("--seed", type=int, default=1); a.add_argument("--jobs", type=int, default=os.cpu_count())
    a = a.parse_args(); os.makedirs(a.dir, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool: list(pool.map(lambda n: make(a.dir, a.seed, n), range(a.first, a.first + a.programs)))
    with open(f"{a.dir}/measured.jsonl", "w") as out:
        for f in sorted(glob.glob(f"{a.dir}/p*.jsonl")): out.write(open(f).read())
