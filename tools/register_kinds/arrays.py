"""What is done with arrays: element by element, sums, scans, sorts, copies, indices."""

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


def transpose(d, k):
    t = d.of("float", "double", "half", "int"); b = d.of(16, 32); rows = d.of(4, 8, 16); 
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int w, int h) {{ __shared__ {t} s[{b}][{b + d.of(0, 1)}]; int u = blockIdx.x * {b} + threadIdx.x, v = blockIdx.y * {b} + threadIdx.y;
{d.unroll()}for (int j = 0; j < {b}; j += {rows}) {d.maybe(.4, 'if (u < w && v + j < h) ')}s[threadIdx.y + j][threadIdx.x] = x[(v + j) * w + u]; __syncthreads(); u = blockIdx.y * {b} + threadIdx.x; v = blockIdx.x * {b} + threadIdx.y;
{d.unroll()}for (int j = 0; j < {b}; j += {rows}) y[(v + j) * h + u] = s[threadIdx.x][threadIdx.y + j]; }}"""


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


def unrolled(d, k):
    """Independent work per thread, to any depth: what a list scheduler has a choice in."""
    n = d.of(2, 3, 4, 6, 8, 12, 16, 24, 32); t = d.of("float", "float", "double", "float4", "int"); f = {"float": lambda: d.fexpr(["v[j]", "a", f"v[(j + 1) % {n}]"], d.n(1, 3)), "double": lambda: "v[j] * a + v[0]", "int": lambda: d.iexpr(["(unsigned)v[j]", f"(unsigned)v[(j + 1) % {n}]"], d.n(1, 3)), "float4": lambda: "make_float4(v[j].x * a, v[j].y + v[j].x, v[j].z, v[j].w)"}[t]()
    at = d.of(f"i * {n} + j", "i + j * blockDim.x", "i + j * n", "i + j * 1024")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, float a, int n) {{ int i = blockIdx.x * blockDim.x{d.of('', f' * {n}')} + threadIdx.x; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) {d.of('', 'if (' + at + ' < n) ')}v[j] = x[{at}];
#pragma unroll
for (int j = 0; j < {n}; j++) y[{at}] = {f}; }}"""


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


def long_index(d, k):
    """64-bit sizes and strides, as tensor libraries index."""
    r = d.n(2, 5); t = d.of("float", "double", "short", "char"); I = d.of("long long", "unsigned long long", "int", "unsigned")
    step = "".join(f"{I} d{j} = l % z.n[{j}]; l /= z.n[{j}]; a += d{j} * z.s[{j}]; b += d{j} * z.t[{j}]; " for j in range(r))
    return f"""struct Z_{k} {{ {I} n[{r}], s[{r}], t[{r}]; }}; __global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, Z_{k} z, {I} n) {{ {d.of(f'{I} i = ({I})blockIdx.x * blockDim.x + threadIdx.x; if (i < n)', d.unroll() + f'for ({I} i = ({I})blockIdx.x * blockDim.x + threadIdx.x; i < n; i += ({I})gridDim.x * blockDim.x)')} {{ {I} l = i, a = 0, b = 0; {step} y[b] {d.of('=', '+=')} x[a]; }} }}"""


def dynamic(d, k):
    """Dynamic programming, graph and tree walks: data-dependent loops."""
    o = d.n(0, 3)
    if o == 0: return f"__global__ void {d.bounds()}{k}(const int *{d.restrict()}row, const int *{d.restrict()}col, int *dist, int *next, int level, int n) {{ {d.index()} if (i < n && dist[i] == level) for (int e = row[i]; e < row[i + 1]; e++) {{ int v = col[e]; if (dist[v] < 0) {{ dist[v] = level + 1; *next = 1; }} }} }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}keys, const float *{d.restrict()}q, int *r, int n, int m) {{ {d.index()} if (i < m) {{ float v = q[i]; int lo = 0, hi = n; while (lo < hi) {{ int mid = (lo + hi) / 2; if (keys[mid] < v) lo = mid + 1; else hi = mid; }} r[i] = lo; }} }}"
    if o == 2: return f"struct N_{k} {{ int l, r; float v; int pad; }}; __global__ void {d.bounds()}{k}(const N_{k} *{d.restrict()}t, const float *{d.restrict()}x, float *y, int n) {{ {d.index()} if (i >= n) return; float v = x[i], s = 0; int stack[{d.of(16, 32)}], top = 0; stack[top++] = 0; while (top) {{ N_{k} q = t[stack[--top]]; s += q.v; if (q.l >= 0 && v < q.v) stack[top++] = q.l; if (q.r >= 0) stack[top++] = q.r; }} y[i] = s; }}"
    return f"__global__ void {d.bounds()}{k}(const char *{d.restrict()}a, const char *{d.restrict()}b, int *h, int n, int m) {{ {d.index()} if (i >= m) return; int diag = 0, best = 0;\n{d.unroll()}for (int j = 0; j < n; j++) {{ int up = h[j * m + i], s = diag + (a[i] == b[j] ? 2 : -1); s = max(max(s, up - 1), 0); best = max(best, s); diag = up; h[j * m + i] = s; }} h[i] = best; }}"


KINDS = [elementwise, grid_stride, reduction, scan, sort, transpose, local_array, sparse, unrolled, shared_patterns, global_patterns, structs, long_index, dynamic]
