"""Matrices, pictures and networks."""

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


def wmma(d, k):
    a, b = d.of((1, 1), (2, 2), (1, 2), (2, 4)); t, acc = d.of(("half", "float"), ("half", "half"), ("half", "float"))
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}A, const {t} *{d.restrict()}B, {acc} *C, int n, int kx) {{ using namespace nvcuda::wmma; int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, r = blockIdx.y; fragment<accumulator, 16, 16, 16, {acc}> c[{a}][{b}];
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) fill_fragment(c[i][j], {acc}(0.f));
{d.of('', '#pragma unroll 1' + chr(10))}for (int q = 0; q < kx; q += 16) {{ fragment<matrix_a, 16, 16, 16, {t}, row_major> x[{a}]; fragment<matrix_b, 16, 16, 16, {t}, {d.of('row_major', 'col_major')}> y[{b}];
for (int i = 0; i < {a}; i++) load_matrix_sync(x[i], A + (r * {16 * a} + i * 16) * kx + q, kx); for (int j = 0; j < {b}; j++) load_matrix_sync(y[j], B + q * n + (w * {b} + j) * 16, n);
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) mma_sync(c[i][j], x[i], y[j], c[i][j]); }}
for (int i = 0; i < {a}; i++) for (int j = 0; j < {b}; j++) store_matrix_sync(C + (r * {16 * a} + i * 16) * n + (w * {b} + j) * 16, c[i][j], n, mem_row_major); }}"""


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


def conv(d, k):
    r = d.n(1, 4); c = d.of(1, 3, 4)
    return f"""__constant__ float w_{k}[{(2 * r + 1) ** 2 * c}];
__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, float *{d.restrict()}y, int w, int h) {{ int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.6, 'if (u >= w || v >= h) return;')} float s = 0;
{d.unroll()}for (int c = 0; c < {c}; c++)
{d.unroll()}for (int a = -{r}; a <= {r}; a++)
{d.unroll()}for (int b = -{r}; b <= {r}; b++) {{ int p = {d.of('u + b', 'min(max(u + b, 0), w - 1)')}, q = {d.of('v + a', 'min(max(v + a, 0), h - 1)')}; s += w_{k}[(c * {2 * r + 1} + a + {r}) * {2 * r + 1} + b + {r}] * x[(c * h + q) * w + p]; }} y[v * w + u] = {d.of('s', 'fmaxf(s, 0.f)')}; }}"""


def image(d, k):
    return f"""__global__ void {d.bounds()}{k}(const uchar4 *{d.restrict()}x, {d.of('uchar4', 'float4')} *{d.restrict()}y0, int w, int h, float s) {{ auto *y = y0; int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y; if (u >= w || v >= h) return; float r = 0, g = 0, b = 0;
{d.unroll()}for (int j = -{d.n(1, 3)}; j <= {d.n(1, 3)}; j++) {{ uchar4 p = x[{d.of('v * w + u + j', '(v + j) * w + u', 'v * w + min(max(u + j, 0), w - 1)')}]; r += p.x * s; g += p.y * s; b += p.z; }} y[v * w + u].x = r; y[v * w + u].y = g; y[v * w + u].z = b; }}"""


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


def groups(d, k):
    t = d.of("float", "int"); n = d.of(4, 8, 16, 32)
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *y, int n) {{ namespace cg = cooperative_groups; auto b = cg::this_thread_block(); auto w = cg::tiled_partition<{n}>(b); {t} s = 0; for (int i = {d.of('cg::this_grid().thread_rank()', 'blockIdx.x * blockDim.x + threadIdx.x')}; i < n; i += gridDim.x * blockDim.x) s += x[i]; s = {d.of('cg::reduce(w, s, cg::plus<' + t + '>())', 'w.shfl_down(s, 1) + s', 'w.shfl_xor(s, 2) * s')}; if (w.thread_rank() == 0) {d.of('atomicAdd(y, s)', f'y[blockIdx.x * blockDim.x / {n} + w.meta_group_rank()] = s')}; }}"""


def async_copy(d, k):
    b = d.of(128, 256); st = d.of(2, 3, 4); t, z = d.of(("float4", "v.x + v.y"), ("float", "v"), ("float2", "v.x * v.y"))
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, float *y, int n) {{ __shared__ {t} s[{st}][{b}]; int t = threadIdx.x; float a = 0; for (int j = 0; j < {st - 1}; j++) {{ __pipeline_memcpy_async(&s[j][t], &x[j * {b} + t], sizeof({t})); __pipeline_commit(); }}
{d.unroll()}for (int j = 0; j < n; j++) {{ __pipeline_memcpy_async(&s[(j + {st - 1}) % {st}][t], &x[(j + {st - 1}) * {b} + t], sizeof({t})); __pipeline_commit(); __pipeline_wait_prior({st - 1}); __syncthreads(); {t} v = s[j % {st}][{d.of('t', f'(t + 1) % {b}', f't ^ 1')}]; a += {z}; __syncthreads(); }} y[blockIdx.x * {b} + t] = a; }}"""


KINDS = [gemm, gemm_naive, gemm_wide, wmma, softmax, layernorm, conv, image, attention, network, groups, async_copy]
