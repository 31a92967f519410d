#!/usr/bin/env python3
"""make_registers.py DIR [--programs 400] [--seed 1] -- CUDA programs of many kinds, compiled, with the registers that ptxas gives each kernel.

Writes DIR/pNNNN.cu, DIR/pNNNN.computeNN.ptx and DIR/measured.jsonl, a line a kernel and target (file, kernel, sm, regs, spill_st, spill_ld).
A program is some kernels of templates below, with sizes, types, depths and shapes drawn at random. NVCC and PTXAS name the tools, of CUDA 13.0;
what is there already is not made again. tools/fit_registers.py reads the result.
"""
import argparse, concurrent.futures, glob, json, os, random, re, subprocess

TARGETS = {75: (75, 80, 86, 90), 80: (80, 86, 90, 120), 90: (90,), 100: (100,), 120: (120,)}
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
            f"for (int o = 1; o < {b}; o *= 2) {{ if (t % (2 * o) == 0) s[t] += s[t + o]; __syncthreads(); }}", f"for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (t % 32 == 0) s[t / 32] = v; __syncthreads(); if (t < 32) {{ v = t < {b // 32} ? s[t] : {t}(0); for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o); s[0] = v; }} __syncthreads();"][style]
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
    n = d.of(1, 2, 4, 8, 16); op = d.of("v[j] = v[j] * a + b", "v[j] = v[j] + a", "v[j] = sqrtf(v[j])", "v[j] = __expf(v[j])", "v[j] = v[j] / a", "v[j] = fminf(v[j], a) * b", "v[j] = rsqrtf(v[j]) + b", "v[j] = sinf(v[j])", "v[j] = (float)(int)(v[j] * a)")
    if d.of(0, 1): op = d.of("v[j] = v[j] * u + w", "v[j] = (v[j] << 3) ^ u", "v[j] = v[j] / (u | 1)", "v[j] = __popc(v[j]) + w", "v[j] = __umulhi(v[j], u)", "v[j] = __dp4a(v[j], u, w)", "v[j] = v[j] % (w | 1)", "v[j] = __byte_perm(v[j], u, 0x1234)", "v[j] = min(v[j], u) + w"); t = d.of("unsigned", "unsigned", "unsigned long long") if not re.search(r"__|min", op) else "unsigned"
    else: t = d.of("float", "float", "double") if not re.search(r"__|f\(|\(int\)", op) else "float"
    return f"""__global__ void {d.bounds()}{k}({t} *y, int n, {t} a, {t} b, {t} u, {t} w) {{ {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = {t}(threadIdx.x + j);
{d.unroll()}for (int q = 0; q < {d.of('n', '64', '256')}; q++) {{
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

TEMPLATES = [elementwise, elementwise, elementwise, grid_stride, reduction, reduction, stencil, stencil, tile_stencil, transpose, gemm, gemm, gemm_naive, wmma, scan, sort, hashing, hashing, atomics, local_array,
             sparse, nbody, softmax, layernorm, unrolled, unrolled, arithmetic, arithmetic, shared_patterns, shared_patterns, global_patterns, global_patterns, structs, double_math, float_math, finance, fractal,
             lbm, fft, conv, half_ops, int8, groups, async_copy, noinline, image, dynamic]

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
    which = random.Random(seed + number).choice([[75], [80], [90], [75, 90], [80, 100], [80, 90], [90, 120], [75, 100]])
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
