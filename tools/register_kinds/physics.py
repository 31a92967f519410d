"""Cells and particles."""

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


def nbody(d, k):
    b = d.of(64, 128, 256)
    return f"""__global__ void {d.bounds()}{k}(const float4 *{d.restrict()}p, float4 *{d.restrict()}a, int n, float eps) {{ __shared__ float4 s[{b}]; int i = blockIdx.x * {b} + threadIdx.x; float4 me = p[i]; float ax = 0, ay = 0, az = 0; for (int t = 0; t < n; t += {b}) {{ s[threadIdx.x] = p[t + threadIdx.x]; __syncthreads();
{d.unroll()}for (int j = 0; j < {b}; j++) {{ float4 q = s[j]; float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z, r = dx * dx + dy * dy + dz * dz + eps; float inv = {d.of('rsqrtf(r)', '1.f / sqrtf(r)', '__frsqrt_rn(r)')}; float w = q.w * inv * inv * inv; ax += dx * w; ay += dy * w; az += dz * w; }} __syncthreads(); }} a[i] = make_float4(ax, ay, az, 0); }}"""


def lbm(d, k):
    n = d.of(5, 9, 15, 19); t = d.of("float", "float", "double")
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}f, {t} *{d.restrict()}g, int n, {t} w) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {d.maybe(.7, 'if (i >= n) return;')} {t} v[{n}], r = 0, u = 0;
#pragma unroll
for (int q = 0; q < {n}; q++) {{ v[q] = f[{d.of(f'q * n + i', f'i * {n} + q')}]; r += v[q]; u += v[q] * {t}((q * 7 % 3) - 1); }} u {d.of('/= r', '*= w')};
#pragma unroll
for (int q = 0; q < {n}; q++) g[q * n + i] = v[q] + w * (r * {t}(0.1) * (1 + {t}(q % 3 - 1) * u) - v[q]); }}"""


def flow(d, k):
    """Physics in fp64 or fp32: fluxes of a cell's faces, forces of a cell's neighbours."""
    t = d.of("float", "double", "double"); s = "f" if t == "float" else ""; o = d.n(0, 2); m = d.of(3, 4, 6, 8)
    if o == 0: return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}q, const int *{d.restrict()}nb, const {t} *{d.restrict()}nrm, {t} *{d.restrict()}out, int n, {t} gamma) {{ {d.index()} if (i >= n) return; {t} r = q[i], u = q[i + n] / r, v = q[i + 2 * n] / r, e = q[i + 3 * n], p = (gamma - 1) * (e - {t}(.5) * r * (u * u + v * v)), f0 = 0, f1 = 0, f2 = 0, f3 = 0;
{d.unroll()}for (int j = 0; j < {m}; j++) {{ int b = nb[j * n + i]; {t} nx = nrm[(2 * j) * n + i], ny = nrm[(2 * j + 1) * n + i]; if (b >= 0) {{ {t} r2 = q[b], u2 = q[b + n] / r2, v2 = q[b + 2 * n] / r2, e2 = q[b + 3 * n], p2 = (gamma - 1) * (e2 - {t}(.5) * r2 * (u2 * u2 + v2 * v2)), un = u * nx + v * ny, un2 = u2 * nx + v2 * ny, a = sqrt{s}(gamma * p2 / r2) + fabs{s}(un2); f0 += {t}(.5) * (r * un + r2 * un2 - a * (r2 - r)); f1 += {t}(.5) * (r * u * un + r2 * u2 * un2 + (p + p2) * nx - a * (r2 * u2 - r * u)); f2 += {t}(.5) * (r * v * un + r2 * v2 * un2 + (p + p2) * ny - a * (r2 * v2 - r * v)); f3 += {t}(.5) * ((e + p) * un + (e2 + p2) * un2 - a * (e2 - e)); }} else {{ f1 += p * nx; f2 += p * ny; }} }} out[i] = f0; out[i + n] = f1; out[i + 2 * n] = f2; out[i + 3 * n] = f3; }}"""
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const {t}{'4'} *{d.restrict()}x, const int *{d.restrict()}list, const int *{d.restrict()}count, {t}4 *{d.restrict()}f, int n, {t} rc2, {t} box) {{ {d.index()} if (i >= n) return; {t}4 a = x[i]; {t} fx = 0, fy = 0, fz = 0, w = 0;
{d.unroll()}for (int j = 0; j < count[i]; j++) {{ {t}4 b = x[list[{d.of('j * n + i', 'i * 128 + j')}]]; {t} dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z; {d.maybe(.5, f'dx -= box * rint{s}(dx / box); dy -= box * rint{s}(dy / box); dz -= box * rint{s}(dz / box);')} {t} r2 = dx * dx + dy * dy + dz * dz; if (r2 < rc2) {{ {t} i2 = 1 / r2, i6 = i2 * i2 * i2, g = i6 * (48 * i6 - 24) * i2; fx += g * dx; fy += g * dy; fz += g * dz; w += 4 * i6 * (i6 - 1); }} }} f[i] = {{fx, fy, fz, w}}; }}"""
    return f"""__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}ex, const {t} *{d.restrict()}ey, const {t} *{d.restrict()}ez, {t} *{d.restrict()}hx, {t} *{d.restrict()}hy, {t} *{d.restrict()}hz, int nx, int ny, int nz, {t} c) {{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; {d.maybe(.7, 'if (x >= nx - 1 || y >= ny - 1) return;')}
{d.unroll()}for (int z = 0; z < nz - 1; z++) {{ {d.of('int', 'size_t')} i = ((size_t)z * ny + y) * nx + x; hx[i] += c * ((ey[i + nx * ny] - ey[i]) - (ez[i + nx] - ez[i])); hy[i] += c * ((ez[i + 1] - ez[i]) - (ex[i + nx * ny] - ex[i])); hz[i] += c * ((ex[i + nx] - ex[i]) - (ey[i + 1] - ey[i])); }} }}"""


KINDS = [stencil, tile_stencil, nbody, lbm, flow]
