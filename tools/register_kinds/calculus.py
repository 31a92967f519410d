"""Floating point: formulas, options, fractals, transforms, rays."""

def double_math(d, k):
    f = d.of("sqrt(v)", "v / (w + 1)", "exp(v)", "sin(v)", "log(v) * w", "pow(v, w)", "rsqrt(v)", "v * w + a", "fma(v, w, a) / 3.0", "floor(v) + w", "(double)(long long)v", "cbrt(v)", "erf(v)", "atan2(v, w)", "tanh(v)", "1.0 / v")
    return f"__global__ void {d.bounds()}{k}(const double *{d.restrict()}x, const double *{d.restrict()}z, double *{d.restrict()}y, double a, int n) {{ {d.index()} if (i < n) {{ double v = x[i], w = z[i]; y[i] = {f}{d.of('', ' + ' + d.of('v', 'w'))}; }} }}"


def float_math(d, k):
    f = d.of("sinf", "cosf", "tanf", "expf", "logf", "powf", "atan2f", "erff", "cbrtf", "lgammaf", "j0f", "fmodf", "sincosf", "acosf", "normcdff", "log1pf", "asinf", "hypotf", "remainderf", "tgammaf", "erfcf", "exp2f", "sinhf")
    v = f"{f}(v, w)" if f in ("powf", "atan2f", "fmodf", "hypotf", "remainderf") else f"{f}(v)"
    e = f"float p, q; sincosf(v, &p, &q); y[i] = p * w + q;" if f == "sincosf" else f"y[i] = {v}{d.of('', ' * w', ' + w')};"
    return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, const float *{d.restrict()}z, float *{d.restrict()}y, int n) {{ {d.index()} {d.of('if (i < n)', 'for (; i < n; i += 65536)')} {{ float v = x[i], w = z[i]; {e} }} }}"


def half_ops(d, k):
    b = d.of("__half2", "__nv_bfloat162"); n = d.of(1, 2, 4, 8)
    return f"""__global__ void {d.bounds()}{k}(const {b} *{d.restrict()}x, {b} *{d.restrict()}y, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {b} s = x[i];
{d.unroll()}for (int j = 1; j < {d.of(str(n), 'n')}; j++) s = __h{d.of('fma2(s, x[i + j * n], s)' if b == '__half2' else 'sub2(s, x[i + j * n])', 'add2(s, x[i + j * n])', 'mul2(s, x[i * 8 + j])', 'max2(s, x[i + j])')}; y[i] = s; }}"""


def noinline(d, k):
    n = d.n(1, 6); a = ", ".join(f"float a{j}" for j in range(n)); v = [f"a{j}" for j in range(n)]
    return f"""__device__ __noinline__ float f_{k}({a}) {{ return {d.fexpr(v, d.n(1, 4))}; }}
__global__ void {d.bounds()}{k}(const float *x, float *y, int n) {{ {d.index()} float s = 0; {d.of('', d.unroll() + 'for (int j = 0; j < n; j++) ')}s += f_{k}({', '.join(f'x[i + {j}]' for j in range(n))}); y[i] = s{d.of('', f' + f_{k}({", ".join("s" for _ in range(n))})')}; }}"""


def finance(d, k):
    return f"""__device__ {d.of('', '__noinline__ ')}float cnd_{k}(float v) {{ float q = 1.f / (1.f + .2316419f * fabsf(v)), c = .39894228f * {d.of('__expf', 'expf')}(-.5f * v * v) * q * (.31938153f + q * (-.356563782f + q * (1.781477937f + q * (-1.821255978f + q * 1.330274429f)))); return v > 0 ? 1.f - c : c; }}
__global__ void {d.bounds()}{k}(const float *{d.restrict()}s, const float *{d.restrict()}x, const float *{d.restrict()}t, float *call, float *put, float r, float v, int n) {{ {d.index()} {d.of('if (i < n)', 'for (; i < n; i += gridDim.x * blockDim.x)')} {{ float q = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + .5f * v * v) * t[i]) / (v * q), d2 = d1 - v * q, a = cnd_{k}(d1), b = cnd_{k}(d2), e = __expf(-r * t[i]); call[i] = s[i] * a - x[i] * e * b; put[i] = x[i] * e * (1.f - b) - s[i] * (1.f - a); }} }}"""


def fractal(d, k):
    t = d.of("float", "double")
    return f"""__global__ void {d.bounds()}{k}({d.of('unsigned char', 'int')} *o, int w, int h, {t} x0, {t} y0, {t} dx) {{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.6, 'if (x >= w || y >= h) return;')} {t} cr = x0 + x * dx, ci = y0 + y * dx, a = {d.of('0', 'cr')}, b = {d.of('0', 'ci')}; int it = 0;
{d.unroll()}for (; it < {d.of(64, 100, 256)}; it++) {{ {t} u = a * a, v = b * b; if (u + v > 4) break; b = 2 * a * b + ci; a = u - v + cr; }} o[y * w + x] = it; }}"""


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


KINDS = [double_math, float_math, half_ops, noinline, finance, fractal, fft, complex_math, monte_carlo, small_matrices, rays]
