"""Simulated nature: particles, fluids, fields, cloth, rays, transport."""


def real(d): return d.of("float", "float", "double")


def gravity_tiles(d, k):
    """All pairs through tiles of shared memory, some bodies a thread."""
    t = d.of("float", "float", "double"); n = d.of(1, 1, 2, 4)
    return d.cuda("""
__global__ void $bounds$k(const ${t}4 *$restrict pos, ${t}4 *$restrict vel, ${t}4 *$restrict next, int count, $t dt, $t soft@{@, $t damping@})
{
    __shared__ ${t}4 tile[$b];
    int first = (blockIdx.x * $b + threadIdx.x) * $n;
    ${t}4 me[$n];
    $t ax[$n] = {}, ay[$n] = {}, az[$n] = {};
#pragma unroll
    for (int q = 0; q < $n; q++) me[q] = pos[first + q];
    for (int t0 = 0; t0 < count; t0 += $b) {
        tile[threadIdx.x] = pos[t0 + threadIdx.x];
        __syncthreads();
$unroll
        for (int j = 0; j < $b; j++) {
            ${t}4 o = tile[j];
#pragma unroll
            for (int q = 0; q < $n; q++) {
                $t dx = o.x - me[q].x, dy = o.y - me[q].y, dz = o.z - me[q].z;
                $t r2 = dx * dx + dy * dy + dz * dz + soft;
                @{$t inv = rsqrt(r2), s = o.w * inv * inv * inv;@$t s = o.w / (r2 * sqrt(r2));@$t inv = 1 / sqrt(r2 * r2 * r2), s = o.w * inv;@}
                ax[q] += dx * s; ay[q] += dy * s; az[q] += dz * s;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < $n; q++) {
        ${t}4 v = vel[first + q];
        v.x += ax[q] * dt; v.y += ay[q] * dt; v.z += az[q] * dt;
        me[q].x += v.x * dt; me[q].y += v.y * dt; me[q].z += v.z * dt;
        next[first + q] = me[q]; vel[first + q] = v;
    }
}""", k, t=t, n=n, b=d.of(64, 128, 256))


def lennard_jones_list(d, k):
    """Neighbours from a list or its cell's, kinds of atoms, energy and virial beside the force."""
    ex = d.of("", "Coulomb", "table"); t = real(d)
    force = {"": "force = r6 * (lj1 * r6 - lj2) * r2i;", "Coulomb": "$t q = charge[i] * charge[j] * sqrt(r2i); force = (r6 * (lj1 * r6 - lj2) + q * @{erfc(kappa / sqrt(r2i))@exp(-kappa * rsq)@}) * r2i;",
             "table": "$t u = rsq * kappa; int at = int(u); $t f = u - at; force = table[at] + f * (table[at + 1] - table[at]);"}[ex]
    return d.cuda("""
__global__ void $bounds$k(const ${t}4 *$restrict x, const int *$restrict list, const int *$restrict number, const $t *$restrict coef,
    const $t *$restrict charge,
                          const $t *$restrict table, ${t}4 *$restrict f, $t *$restrict virial, int n, int stride, $t cut, $t kappa, $t lx, $t ly,
                              $t lz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ${t}4 a = @{x[i]@x[i]@};
    $t fx = 0, fy = 0, fz = 0, energy = 0, vir = 0;
    int m = number[i], kind = int(a.w);
$unroll
    for (int p = 0; p < m; p++) {
        int j = list[@{p * stride + i@i * stride + p@}];
        ${t}4 b = x[j];
        $t dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        @{dx -= lx * rint(dx / lx); dy -= ly * rint(dy / ly); dz -= lz * rint(dz / lz);@if (dx > lx / 2) dx -= lx; else if (dx < -lx / 2) dx += lx;@@}
        $t rsq = dx * dx + dy * dy + dz * dz;
        if (rsq < cut) {
            $t r2i = 1 / rsq, r6 = r2i * r2i * r2i, force;
            $t lj1 = coef[@{kind * 4 + int(b.w)@0@}], lj2 = coef[@{kind * 4 + int(b.w) + 16@1@}];
            """ + force + """
            fx += dx * force; fy += dy * force; fz += dz * force;
            @{energy += r6 * (lj1 / 12 * r6 - lj2 / 6);@@}
            @{vir += force * rsq;@@}
        }
    }
    f[i] = {fx, fy, fz, energy};
    virial[i] = vir;
}""", k, t=t)


def cells_pairs(d, k):
    """Particles in boxes: the 27 around, or a list of them; positions of a box in shared memory."""
    return d.cuda("""
struct Box_${k} { int count, first, near[26]; };
__global__ void $bounds$k(const Box_${k} *$restrict boxes, const ${t}4 *$restrict pos, const $t *$restrict charge, ${t}4 *$restrict out, $t a2)
{
    __shared__ ${t}4 ps[$m]; __shared__ $t qs[$m];
    const Box_${k} &home = boxes[blockIdx.x];
    for (int q = 0; q <= home.count; q++) {
        int at = q == 0 ? blockIdx.x : home.near[q - 1], first = boxes[at].first;
        @{for (int j = threadIdx.x; j < $m; j += blockDim.x)@int j = threadIdx.x; if (j < $m)@} { ps[j] = pos[first + j]; qs[j] = charge[first + j]; }
        __syncthreads();
        for (int i = threadIdx.x; i < $m; i += blockDim.x) {
            ${t}4 me = pos[home.first + i], f = out[home.first + i];
$unroll
            for (int p = 0; p < $m; p++) {
                $t dot = me.x * ps[p].x + me.y * ps[p].y + me.z * ps[p].z, r2 = me.w + ps[p].w - dot, vij = exp(-a2 * r2), fs = 2 * vij;
                $t dx = me.x - ps[p].x, dy = me.y - ps[p].y, dz = me.z - ps[p].z;
                f.w += qs[p] * vij; f.x += qs[p] * fs * dx; f.y += qs[p] * fs * dy; f.z += qs[p] * fs * dz;
            }
            out[home.first + i] = f;
        }
        __syncthreads();
    }
}""", k, t=real(d), m=d.of(64, 100, 128))


def coulomb_grid(d, k):
    """Potential on a lattice of points, several along x a thread; atoms in constant memory."""
    n = d.of(1, 2, 4, 8)
    return d.cuda("""
__constant__ float4 atoms_${k}[512];
__global__ void $bounds$k(int count, float step, float *$restrict grid, @{int pitch@unsigned pitch@}, float z)
{
    int xi = blockIdx.x * blockDim.x * $n + threadIdx.x, yi = blockIdx.y * blockDim.y + threadIdx.y, at = yi * pitch + xi;
    float x = step * xi, y = step * yi, gap = step * @{blockDim.x@16@}, e[$n];
#pragma unroll
    for (int q = 0; q < $n; q++) e[q] = 0;
$unroll
    for (int j = 0; j < count; j++) {
        float4 a = atoms_${k}[j];
        float dy = y - a.y, dyz = dy * dy + @{a.z@(z - a.z) * (z - a.z)@}, dx = x - a.x;
#pragma unroll
        for (int q = 0; q < $n; q++) { e[q] += a.w * @{rsqrtf(dx * dx + dyz)@(1.f / sqrtf(dx * dx + dyz))@}; dx += gap; }
    }
#pragma unroll
    for (int q = 0; q < $n; q++) grid[at + q * 16] += e[q];
}""", k, n=n)


def lattice_boltzmann(d, k):
    """D2Q9 and D3Q19: pull or push, one or two relaxation times, obstacles, a force."""
    three = d.of(0, 1); t = real(d)
    c = [(x, y, z) for z in ((-1, 0, 1) if three else (0,)) for y in (-1, 0, 1) for x in (-1, 0, 1) if abs(x) + abs(y) + abs(z) <= 2]
    w = {True: [1 / 3, 1 / 18, 1 / 36], False: [4 / 9, 1 / 9, 1 / 36]}[bool(three)]; q = len(c); pull, soa = d.of(0, 1), d.of(1, 1, 0)
    sign = lambda v, name: {1: f" + {name}", -1: f" - {name}", 0: ""}[v]
    at = lambda j, o: f"f[{j} * cells + i{o}]" if soa else f"f[(i{o}) * {q} + {j}]"
    off = lambda v, s: "".join(f" {'+' if a * s > 0 else '-'} {m}" for a, m in zip(v, ("1", "nx", "nx * ny")) if a)
    load = "\n    ".join(f"$t f{j} = {at(j, off(v, -1) if pull else '')};" for j, v in enumerate(c))
    total = " + ".join(f"f{j}" for j in range(q)); mom = lambda a: " ".join(sign(v[a], f"f{j}") for j, v in enumerate(c)).strip().lstrip("+")
    def store(j, v):
        cu = "".join(sign(a, n) for a, n in zip(v, ("ux", "uy", "uz"))).strip().lstrip("+ ") or "0"
        return (f"{{ $t cu = 3 * ({cu}), eq = $t({w[sum(map(abs, v))]:.9f}) * rho * (1 + cu + cu * cu / 2 - u2); "
                f"{at(j, '' if pull else off(v, 1)).replace('f[', 'g[', 1)} = f{j} + omega * (eq - f{j}); }}")
    wall = "\n        ".join(f"{at(j, '' if pull else off(v, 1)).replace('f[', 'g[', 1)} = f{c.index(tuple(-a for a in v))};" for j, v in enumerate(c))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict f, $t *$restrict g, const unsigned char *$restrict solid, int nx, int ny, int nz, $t omega, $t force)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y@{ * blockDim.y + threadIdx.y@@}, z = @{blockIdx.z@0@};
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    @{int@size_t@} i = (z * ny + y) * nx + x, cells = nx * ny * nz;
    """ + load + """
    @{if (solid[i]) {
        """ + wall + """
        return;
    }@@}
    $t rho = """ + total + """, inv = 1 / rho;
    $t ux = (""" + mom(0) + """) * inv + force, uy = (""" + mom(1) + """) * inv, uz = """ + (f"({mom(2)}) * inv" if three else "0") + """;
    $t u2 = $t(1.5) * (ux * ux + uy * uy + uz * uz);
    """ + "\n    ".join(store(j, v) for j, v in enumerate(c)) + """
}""", k, t=t)


def smoothed_particles(d, k):
    """Density or forces over the cells of a hashed grid."""
    o = d.of(0, 1)
    inner = ("float w = h2 - r2; rho += w * w * w;" if o == 0 else
             "float r = sqrtf(r2) + 1e-6f, w = h - r, rj = density[j]; float4 vj = vel[j]; float press = (stiff * (ri + rj - 2 * rest)) * w * w / (r * rj); "
             "ax += press * dx + visc * w * (vj.x - vi.x) / rj; ay += press * dy + visc * w * (vj.y - vi.y) / rj; az += press * dz + visc * w * (vj.z - vi.z) / rj;")
    return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict pos, const float4 *$restrict vel, const unsigned *$restrict start, const unsigned *$restrict end,
    float *$restrict density,
                          float4 *$restrict out, int n, float h, float stiff, float rest, float visc, uint3 grid)
{
    $index
    if (i >= n) return;
    float4 p = pos[i];
    int cx = floorf(p.x / h), cy = floorf(p.y / h), cz = floorf(p.z / h);
    float h2 = h * h, """ + ("rho = 0" if o == 0 else "ax = 0, ay = 0, az = 0, ri = density[i]; float4 vi = vel[i]") + """;
$unroll
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                @{unsigned cell = ((unsigned)(cz + z) % grid.z * grid.y + (unsigned)(cy + y) % grid.y) * grid.x + (unsigned)(cx + x) % grid.x;
                @unsigned cell = ((cx + x) * 73856093u ^ (cy + y) * 19349663u ^ (cz + z) * 83492791u) & (grid.x - 1);
                @unsigned cell = ((cz + z & (grid.z - 1)) * grid.y + (cy + y & (grid.y - 1))) * grid.x + (cx + x & (grid.x - 1));@}
                unsigned first = start[cell];
                if (first == 0xffffffffu) continue;
$unroll
                for (unsigned j = first; j < end[cell]; j++) {
                    float4 q = pos[j];
                    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < h2@{ && j != i@@}) { """ + inner + """ }
                }
            }
    """ + ("density[i] = fmaxf(rho * stiff, rest);" if o == 0 else "out[i] = make_float4(ax / ri, ay / ri - 9.81f, az / ri, 0);") + """
}""", k)


def maxwell_update(d, k):
    """FDTD: electric or magnetic fields with coefficients, in planes or volumes, absorbing layers."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k($t *$restrict ex, $t *$restrict ey, $t *$restrict ez, const $t *$restrict hx, const $t *$restrict hy,
    const $t *$restrict hz,
                          const $t *$restrict ca, const $t *$restrict cb, $t *$restrict psi, const $t *$restrict be, const $t *$restrict ce, int nx,
                              int ny, int nz, int layer)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx || y >= ny) return;
    const int sy = nx, sz = nx * ny;
$unroll
    for (int z = 1; z < nz; z++) {
        int i = z * sz + y * sy + x;
        $t a = ca[i], b = cb[i];
        $t cx = hz[i] - hz[i - sy] - hy[i] + hy[i - sz], cy = hx[i] - hx[i - sz] - hz[i] + hz[i - 1], cz = hy[i] - hy[i - 1] - hx[i] + hx[i - sy];
        @{if (x < layer || x > nx - layer) {
            $t p = be[x] * psi[i] + ce[x] * (hz[i] - hz[i - 1]);
            psi[i] = p; cy -= p;
        }@@}
        ex[i] = a * ex[i] + b * cx; ey[i] = a * ey[i] + b * cy; ez[i] = a * ez[i] + b * cz;
    }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(int nx, int ny, $t *$restrict ex, $t *$restrict ey, $t *$restrict hz, const $t *$restrict source, int step, $t ce, $t ch)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        @{if (i == 0) ey[j] = source[step];
        else ey[i * ny + j] -= ce * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        if (j > 0) ex[i * (ny + 1) + j] -= ce * (hz[i * ny + j] - hz[i * ny + j - 1]);
        @hz[i * ny + j] -= ch * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);@}
    }
}""", k, t=real(d))


def cloth_springs(d, k):
    """Structural, shear and bend springs of a sheet, Verlet steps, a sphere to fall on."""
    near = d.of("{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}", "{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}",
                "{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}}")
    return d.cuda("""
__global__ void $bounds$k(const $p *$restrict pos, const $p *$restrict last, $p *$restrict next, int w, int h, float rest, float stiff, float damp,
    float dt, float radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int near[][2] = """ + near + """;
    int i = y * w + x;
    $p a = pos[i], b = last[i];
    float vx = (a.x - b.x) / dt, vy = (a.y - b.y) / dt, vz = (a.z - b.z) / dt, fx = -damp * vx, fy = -damp * vy - 9.81f, fz = -damp * vz;
$unroll
    for (int j = 0; j < sizeof(near) / sizeof(near[0]); j++) {
        int u = x + near[j][0], v = y + near[j][1];
        if (u < 0 || v < 0 || u >= w || v >= h) continue;
        $p q = pos[v * w + u];
        float dx = q.x - a.x, dy = q.y - a.y, dz = q.z - a.z, len = sqrtf(dx * dx + dy * dy + dz * dz);
        float l0 = rest * sqrtf(float(near[j][0] * near[j][0] + near[j][1] * near[j][1])), s = stiff * (len - l0) / len;
        fx += s * dx; fy += s * dy; fz += s * dz;
    }
    $p o = a;
    o.x = 2 * a.x - b.x + fx * dt * dt; o.y = 2 * a.y - b.y + fy * dt * dt; o.z = 2 * a.z - b.z + fz * dt * dt;
    @{float l = sqrtf(o.x * o.x + o.y * o.y + o.z * o.z); if (l < radius) { o.x *= radius / l; o.y *= radius / l; o.z *= radius / l;
        }@if (o.y < 0) o.y = 0;@}
    next[i] = o;
}""", k, p=d.of("float3", "float4"))


def trace_spheres(d, k):
    """Rays against spheres in shared or constant memory, shadows, bounces."""
    return d.cuda("""
__constant__ float4 ball_${k}[64], tint_${k}[64];
__device__ @{__forceinline__@__noinline__@@} float hit_${k}(float3 o, float3 r, float4 s)
{
    float x = o.x - s.x, y = o.y - s.y, z = o.z - s.z, b = x * r.x + y * r.y + z * r.z, c = x * x + y * y + z * z - s.w * s.w, disc = b * b - c;
    return disc > 0 ? -b - sqrtf(disc) : -1.f;
}
__global__ void $bounds$k(uchar4 *$restrict img, int w, int h, int count, float3 eye, float3 light)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float3 o = eye, r = make_float3((x - w * .5f) / w, (y - h * .5f) / w, 1.f);
    float inv = rsqrtf(r.x * r.x + r.y * r.y + 1.f), weight = 1.f, red = 0, green = 0, blue = 0;
    r.x *= inv; r.y *= inv; r.z *= inv;
$unroll
    for (int bounce = 0; bounce < $n; bounce++) {
        float near = 1e20f; int which = -1;
        for (int j = 0; j < count; j++) { float t = hit_${k}(o, r, ball_${k}[j]); if (t > 1e-3f && t < near) { near = t; which = j; } }
        if (which < 0) { blue += weight * (.5f + .5f * r.y); break; }
        float4 s = ball_${k}[which], c = tint_${k}[which];
        o.x += near * r.x; o.y += near * r.y; o.z += near * r.z;
        float nx = (o.x - s.x) / s.w, ny = (o.y - s.y) / s.w, nz = (o.z - s.z) / s.w;
        float3 l = make_float3(light.x - o.x, light.y - o.y, light.z - o.z);
        float q = rsqrtf(l.x * l.x + l.y * l.y + l.z * l.z); l.x *= q; l.y *= q; l.z *= q;
        float shade = fmaxf(0.f, nx * l.x + ny * l.y + nz * l.z);
        @{for (int j = 0; j < count; j++) if (hit_${k}(o, l, ball_${k}[j]) > 1e-3f) { shade = 0; break; }@@}
        red += weight * c.x * shade; green += weight * c.y * shade; blue += weight * c.z * shade;
        weight *= c.w;
        float rn = 2 * (nx * r.x + ny * r.y + nz * r.z);
        r.x -= rn * nx; r.y -= rn * ny; r.z -= rn * nz;
    }
    img[y * w + x] = make_uchar4(__saturatef(red) * 255, __saturatef(green) * 255, __saturatef(blue) * 255, 255);
}""", k, n=d.of(1, 2, 3, 5))


def trace_triangles(d, k):
    """Moeller and Trumbore over all triangles, or down a tree with a stack."""
    tri = """float4 p = tri[3 * j], e1 = tri[3 * j + 1], e2 = tri[3 * j + 2];
            float px = dy * e2.z - dz * e2.y, py = dz * e2.x - dx * e2.z, pz = dx * e2.y - dy * e2.x, det = e1.x * px + e1.y * py + e1.z * pz;
            @{if (fabsf(det) < 1e-8f) continue;@@}
            float inv = 1.f / det, tx = ox - p.x, ty = oy - p.y, tz = oz - p.z, u = (tx * px + ty * py + tz * pz) * inv;
            if (u < 0 || u > 1) continue;
            float qx = ty * e1.z - tz * e1.y, qy = tz * e1.x - tx * e1.z, qz = tx * e1.y - ty * e1.x, v = (dx * qx + dy * qy + dz * qz) * inv;
            if (v < 0 || u + v > 1) continue;
            float t = (e2.x * qx + e2.y * qy + e2.z * qz) * inv;
            if (t > 1e-4f && t < best) { best = t; hit = j; bu = u; bv = v; }"""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict rays, const float4 *$restrict tri, float4 *$restrict out, int n, int count)
{
    $index
    if (i >= n) return;
    float4 o = rays[2 * i], r = rays[2 * i + 1];
    float ox = o.x, oy = o.y, oz = o.z, dx = r.x, dy = r.y, dz = r.z, best = 1e30f, bu = 0, bv = 0;
    int hit = -1;
$unroll
    for (int j = 0; j < count; j++) {
            """ + tri + """
    }
    out[i] = make_float4(best, bu, bv, __int_as_float(hit));
}""", k)
    return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict rays, const float4 *$restrict nodes, const float4 *$restrict tri, float4 *$restrict out, int n)
{
    $index
    if (i >= n) return;
    float4 o = rays[2 * i], r = rays[2 * i + 1];
    float ox = o.x, oy = o.y, oz = o.z, dx = r.x, dy = r.y, dz = r.z, ix = 1 / dx, iy = 1 / dy, iz = 1 / dz, best = r.w, bu = 0, bv = 0;
    int stack[$depth], top = 0, at = 0, hit = -1;
    while (true) {
        float4 lo = @{nodes[2 * at]@__ldg(&nodes[2 * at])@}, hi = @{nodes[2 * at + 1]@__ldg(&nodes[2 * at + 1])@};
        float x0 = (lo.x - ox) * ix, x1 = (hi.x - ox) * ix, y0 = (lo.y - oy) * iy, y1 = (hi.y - oy) * iy, z0 = (lo.z - oz) * iz,
            z1 = (hi.z - oz) * iz;
        float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f)), leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)),
            fminf(fmaxf(z0, z1), best));
        int left = __float_as_int(lo.w), count = __float_as_int(hi.w);
        if (enter <= leave) {
            if (count == 0) { stack[top++] = left + 1; at = left; continue; }
            for (int j = left; j < left + count; j++) {
            """ + tri + """
            }
            @{if (hit >= 0 && o.w > 0) break;@@}
        }
        if (top == 0) break;
        at = stack[--top];
    }
    out[i] = make_float4(best, bu, bv, __int_as_float(hit));
}""", k, depth=d.of(16, 32, 64))


def marching_cubes(d, k):
    """Which corners are inside, where the surface cuts the edges."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict volume, unsigned *$restrict verts, unsigned *$restrict used, const unsigned *$restrict table, int nx,
    int ny, int nz, float iso)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx * ny * nz) return;
    int x = i % nx, y = i / nx % ny, z = i / (nx * ny), x1 = min(x + 1, nx - 1), y1 = min(y + 1, ny - 1), z1 = min(z + 1, nz - 1);
    float f[8] = {float(volume[(z * ny + y) * nx + x]), float(volume[(z * ny + y) * nx + x1]), float(volume[(z * ny + y1) * nx + x1]),
        float(volume[(z * ny + y1) * nx + x]),
                  float(volume[(z1 * ny + y) * nx + x]), float(volume[(z1 * ny + y) * nx + x1]), float(volume[(z1 * ny + y1) * nx + x1]),
                      float(volume[(z1 * ny + y1) * nx + x])};
    unsigned mask = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) mask |= unsigned(f[j] < iso) << j;
    unsigned n = table[mask];
    verts[i] = n; used[i] = n > 0;
}""", k, t=d.of("unsigned char", "float", "short"))
    return d.cuda("""
__global__ void $bounds$k(const float *$restrict volume, const unsigned *$restrict active, const unsigned *$restrict offset,
    const char *$restrict edges, float4 *$restrict pos,
                          float4 *$restrict norm, int nx, int ny, float iso, float3 size, int count)
{
    $index
    if (i >= count) return;
    unsigned cell = active[i]; int x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
    float f[8]; float3 p[8];
    unsigned mask = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int u = x + ((j ^ (j >> 1)) & 1), v = y + (j >> 1 & 1), w = z + (j >> 2);
        f[j] = volume[(w * ny + v) * nx + u];
        p[j] = make_float3(u * size.x, v * size.y, w * size.z);
        mask |= unsigned(f[j] < iso) << j;
    }
    __shared__ float3 cut[12 * $b];
#pragma unroll
    for (int e = 0; e < 12; e++) {
        int a = e < 8 ? e : e - 8, b = e < 4 ? (e + 1) % 4 : e < 8 ? (e + 1) % 4 + 4 : e - 4;
        float t = (iso - f[a]) / (f[b] - f[a]);
        cut[e * $b + threadIdx.x] = make_float3(p[a].x + t * (p[b].x - p[a].x), p[a].y + t * (p[b].y - p[a].y), p[a].z + t * (p[b].z - p[a].z));
    }
    __syncthreads();
    unsigned at = offset[cell];
    for (int j = 0; j < 15 && edges[mask * 16 + j] >= 0; j += 3) {
        float3 a = cut[edges[mask * 16 + j] * $b + threadIdx.x], b = cut[edges[mask * 16 + j + 1] * $b + threadIdx.x], c = cut[edges[mask * 16 + j
            + 2] * $b + threadIdx.x];
        float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
        float4 n = make_float4(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, 0.f);
        pos[at + j] = make_float4(a.x, a.y, a.z, 1.f); norm[at + j] = n;
        pos[at + j + 1] = make_float4(b.x, b.y, b.z, 1.f); norm[at + j + 1] = n;
        pos[at + j + 2] = make_float4(c.x, c.y, c.z, 1.f); norm[at + j + 2] = n;
    }
}""", k, b=d.of(32, 64))


def neutron_walk(d, k):
    """Monte Carlo transport: steps, absorption, scattering, tallies; cross sections by bisection."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict energies, const $t *$restrict sigma, $t *$restrict tally, unsigned long long *$restrict seeds,
    int grid, int n, $t thick, int nuclides)
{
    $index
    if (i >= n) return;
    @{unsigned long long@unsigned@} s = seeds[i];
    $t x = 0, mu = 1, e = @{$t(1)@energies[grid - 1]@}, weight = 1;
    for (int step = 0; step < @{100@1000@}; step++) {
        int lo = 0, hi = grid - 1;
        while (hi - lo > 1) { int mid = (lo + hi) >> 1; if (energies[mid] > e) hi = mid; else lo = mid; }
        $t f = (e - energies[lo]) / (energies[hi] - energies[lo]), total = 0, absorb = 0;
$unroll
        for (int m = 0; m < nuclides; m++) {
            const $t *row = sigma + (m * grid + lo) * 2;
            total += row[0] + f * (row[2] - row[0]); absorb += row[1] + f * (row[3] - row[1]);
        }
        s = s * @{6364136223846793005ull + 1442695040888963407ull@1664525u + 1013904223u@};
        $t u = $t(s >> @{8@9@}) * $t(5.4e-20);
        x -= @{log@log@}(fabs(u) + $t(1e-9)) / total * mu;
        if (x < 0 || x > thick) { atomicAdd(tally + (x > thick), weight); break; }
        s = s * 1664525u + 1013904223u;
        @{$t v = $t(s & 0xffff) / 65536; if (v < absorb / total) { atomicAdd(tally + 2 + int(x / thick * 64), weight); break;
            }@weight *= 1 - absorb / total; if (weight < $t(1e-3)) break;@}
        mu = 2 * $t((s >> 7) & 0xffff) / 65536 - 1;
        e *= $t(.5) + $t(.5) * mu * mu;
    }
    seeds[i] = s;
}""", k, t=real(d))


def shallow_water(d, k):
    """Finite volumes: fluxes by Lax-Friedrichs or HLL between cells."""
    solver = d.of("a = fmax(fabs(ul) + sqrt(g * hl), fabs(ur) + sqrt(g * hr)); f0 = (hl * ul + hr * ur - a * (hr - hl)) / 2; f1 = (hl * ul * ul + hr * ur * ur + g * (hl * hl + hr * hr) / 2 - a * (hr * ur - hl * ul)) / 2; f2 = (hl * ul * vl + hr * ur * vr - a * (hr * vr - hl * vl)) / 2;",
                  """$t cl = sqrt(g * hl), cr = sqrt(g * hr), sl = fmin(ul - cl, ur - cr), sr = fmax(ul + cl, ur + cr);
    if (sl >= 0) { f0 = hl * ul; f1 = hl * ul * ul + g * hl * hl / 2; f2 = hl * ul * vl; a = cl; }
    else if (sr <= 0) { f0 = hr * ur; f1 = hr * ur * ur + g * hr * hr / 2; f2 = hr * ur * vr; a = cr; }
    else {
        $t inv = 1 / (sr - sl); a = sr;
        f0 = (sr * hl * ul - sl * hr * ur + sl * sr * (hr - hl)) * inv;
        f1 = (sr * (hl * ul * ul + g * hl * hl / 2) - sl * (hr * ur * ur + g * hr * hr / 2) + sl * sr * (hr * ur - hl * ul)) * inv;
        f2 = (sr * hl * ul * vl - sl * hr * ur * vr + sl * sr * (hr * vr - hl * vl)) * inv;
    }""")
    return d.cuda("""
__device__ @{__forceinline__@@} void flux_${k}($t hl, $t ul, $t vl, $t hr, $t ur, $t vr, $t g, $t &f0, $t &f1, $t &f2)
{
    $t a;
    """ + solver + """
}
__global__ void $bounds$k(const $t *$restrict h, const $t *$restrict hu, const $t *$restrict hv, $t *$restrict nh, $t *$restrict nu,
    $t *$restrict nv, int nx, int ny, $t dx, $t dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    const $t g = $t(9.81);
    int i = y * nx + x;
    $t hc = h[i], uc = hu[i] / hc, vc = hv[i] / hc, a0, a1, a2, b0, b1, b2, s0 = 0, s1 = 0, s2 = 0;
    const int side[2] = {1, nx};
$unroll
    for (int q = 0; q < 2; q++) {
        int l = i - side[q], r = i + side[q];
        $t hl = h[l], ul = hu[l] / hl, vl = hv[l] / hl, hr = h[r], ur = hu[r] / hr, vr = hv[r] / hr;
        if (q == 0) { flux_${k}(hl, ul, vl, hc, uc, vc, g, a0, a1, a2); flux_${k}(hc, uc, vc, hr, ur, vr, g, b0, b1, b2); s1 += b1 - a1;
            s2 += b2 - a2; }
        else { flux_${k}(hl, vl, ul, hc, vc, uc, g, a0, a1, a2); flux_${k}(hc, vc, uc, hr, vr, ur, g, b0, b1, b2); s2 += b1 - a1; s1 += b2 - a2; }
        s0 += b0 - a0;
    }
    nh[i] = hc - dt / dx * s0; nu[i] = hu[i] - dt / dx * s1; nv[i] = hv[i] - dt / dx * s2;
}""", k, t=real(d))


def fluid_advect(d, k):
    """Semi-Lagrange advection, vorticity, divergence, gradient of pressure in a box."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $v *$restrict vel, const $q *$restrict in, $q *$restrict out, int nx, int ny, int nz, float dt, float loss)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = @{blockIdx.z@blockIdx.z * blockDim.z
        + threadIdx.z@};
    if (x >= nx || y >= ny || z >= nz) return;
    $v u = vel[(z * ny + y) * nx + x];
    float px = fminf(fmaxf(x - dt * u.x, .5f), nx - 1.5f), py = fminf(fmaxf(y - dt * u.y, .5f), ny - 1.5f), pz = fminf(fmaxf(z - dt * u.z, .5f),
        nz - 1.5f);
    int i = px, j = py, l = pz;
    float fx = px - i, fy = py - j, fz = pz - l;
    const $q *p = in + (l * ny + j) * nx + i;
    @{float v = (1 - fz) * ((1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[nx] + fx * p[nx + 1]))
            + fz * ((1 - fy) * ((1 - fx) * p[nx * ny] + fx * p[nx * ny + 1]) + fy * ((1 - fx) * p[nx * ny + nx] + fx * p[nx * ny + nx + 1]));
    @float v = 0;
$unroll
    for (int c = 0; c < 8; c++) v += (c & 1 ? fx : 1 - fx) * (c & 2 ? fy : 1 - fy) * (c & 4 ? fz : 1 - fz) * p[(c & 1) + (c >> 1 & 1) * nx
        + (c >> 2) * nx * ny];
    @}
    out[(z * ny + y) * nx + x] = v * loss;
}""", k, v=d.of("float3", "float4"), q=d.of("float", "float", "double"))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k($t *$restrict u, $t *$restrict v, $t *$restrict w, const $t *$restrict p, const unsigned char *$restrict solid, int nx,
    int ny, int nz, $t scale)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
$unroll
    for (int z = 1; z < nz - 1; z++) {
        int i = (z * ny + y) * nx + x;
        $t c = p[i], e = p[i + 1], o = p[i - 1], n = p[i + nx], s = p[i - nx], t = p[i + nx * ny], b = p[i - nx * ny];
        @{if (solid[i + 1]) e = c; if (solid[i - 1]) o = c; if (solid[i + nx]) n = c; if (solid[i - nx]) s = c;@@}
        u[i] -= scale * (e - o); v[i] -= scale * (n - s); w[i] -= scale * (t - b);
    }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const float *$restrict u, const float *$restrict v, const float *$restrict curl, float2 *$restrict out,
    float *$restrict div, int nx, int ny, float eps, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    int i = y * nx + x;
    float gx = (fabsf(curl[i + 1]) - fabsf(curl[i - 1])) * .5f, gy = (fabsf(curl[i + nx]) - fabsf(curl[i - nx])) * .5f, inv = @{rsqrtf(gx * gx
        + gy * gy + 1e-9f)@1.f / (sqrtf(gx * gx + gy * gy) + 1e-5f)@};
    float c = curl[i] * eps * inv * dt;
    out[i] = make_float2(u[i] + gy * c, v[i] - gx * c);
    div[i] = .5f * (u[i + 1] - u[i - 1] + v[i + nx] - v[i - nx]);
}""", k)


def ising(d, k):
    """Spins of one colour turned by chance: a hash of place and step, a table of chances."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict mine, const $t *$restrict other, const float *$restrict chance, int rows, int cols, unsigned seed,
    int black, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = i / cols, c = i % cols;
    if (r >= rows) return;
    int up = r ? r - 1 : rows - 1, down = r + 1 < rows ? r + 1 : 0, left = c ? c - 1 : cols - 1, right = c + 1 < cols ? c + 1 : 0;
    int side = (r & 1) == black ? right : left;
    int sum = other[up * cols + c] + other[r * cols + c] + other[down * cols + c] + other[r * cols + side], s = mine[i];
    unsigned h = i * 747796405u + seed;
$unroll
    for (int j = 0; j < $n; j++) { h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; }
    float u = h * 2.3283064e-10f;
    @{if (u < chance[(s * sum + 4) / 2]) mine[i] = -s;@if (u < expf(-2.f * beta * s * sum)) mine[i] = -s;@mine[i] = u < 1.f / (1.f
        + __expf(-2.f * beta * sum)) ? 1 : -1;@}
}""", k, t=d.of("signed char", "int", "float"), n=d.of(1, 2, 4))


def tree_force(d, k):
    """Barnes-Hut: down a tree of eight children with a stack a warp or a thread."""
    return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict body, const int *$restrict child, float4 *$restrict acc, int n, int nodes, float theta2,
    float eps2, float size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[$depth]; float width[$depth];
    int top = 0;
    stack[0] = nodes; width[0] = size * size * theta2;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    while (top >= 0) {
        int node = stack[top]; float w = width[top--];
$unroll
        for (int c = 0; c < 8; c++) {
            int at = child[(node - n) * 8 + c];
            if (at < 0) continue;
            float4 b = body[at];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z, r2 = dx * dx + dy * dy + dz * dz + eps2;
            if (at < n || @{r2 >= w@__all_sync(__activemask(), r2 >= w)@}) {
                float inv = rsqrtf(r2), s = b.w * inv * inv * inv;
                ax += dx * s; ay += dy * s; az += dz * s;
            } else if (top < $depth - 1) { stack[++top] = at; width[top] = w * .25f; }
        }
    }
    acc[i] = make_float4(ax, ay, az, 0);
}""", k, depth=d.of(24, 48, 64))


def charge_deposit(d, k):
    """Particles in cells: push by fields, and leave charge on the corners."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k($t *$restrict x, $t *$restrict y, $t *$restrict vx, $t *$restrict vy, $t *$restrict vz, const $t *$restrict ex,
    const $t *$restrict ey, const $t *$restrict bz,
                          int n, int nx, int ny, $t dt, $t qm)
{
$unroll
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        $t px = x[p], py = y[p], ux = vx[p], uy = vy[p];
        int i = int(px), j = int(py), at = j * nx + i;
        $t fx = px - i, fy = py - j, w00 = (1 - fx) * (1 - fy), w10 = fx * (1 - fy), w01 = (1 - fx) * fy, w11 = fx * fy;
        $t e = w00 * ex[at] + w10 * ex[at + 1] + w01 * ex[at + nx] + w11 * ex[at + nx + 1];
        $t f = w00 * ey[at] + w10 * ey[at + 1] + w01 * ey[at + nx] + w11 * ey[at + nx + 1];
        $t b = w00 * bz[at] + w10 * bz[at + 1] + w01 * bz[at + nx] + w11 * bz[at + nx + 1];
        $t h = qm * dt / 2, t = h * b, s = 2 * t / (1 + t * t);
        ux += h * e; uy += h * f;
        $t wx = ux + uy * t, wy = uy - ux * t;
        ux += wy * s; uy -= wx * s;
        ux += h * e; uy += h * f;
        px += ux * dt; py += uy * dt;
        @{px -= floor(px / nx) * nx; py -= floor(py / ny) * ny;@if (px < 0) px += nx; else if (px >= nx) px -= nx; if (py < 0) py += ny;
            else if (py >= ny) py -= ny;@}
        x[p] = px; y[p] = py; vx[p] = ux; vy[p] = uy;
    }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict pos, $t *$restrict rho, int n, int nx, int ny, int nz, float inv)
{
    $index
    if (i >= n) return;
    float4 p = pos[i];
    float gx = p.x * inv, gy = p.y * inv, gz = p.z * inv;
    int x = floorf(gx), y = floorf(gy), z = floorf(gz);
    @{float wx[2] = {1 - (gx - x), gx - x}, wy[2] = {1 - (gy - y), gy - y}, wz[2] = {1 - (gz - z), gz - z};
    const int m = 2;
    @float fx = gx - x - .5f, fy = gy - y - .5f, fz = gz - z - .5f;
    float wx[3] = {.5f * (.5f - fx) * (.5f - fx), .75f - fx * fx, .5f * (.5f + fx) * (.5f + fx)}, wy[3] = {.5f * (.5f - fy) * (.5f - fy),
        .75f - fy * fy, .5f * (.5f + fy) * (.5f + fy)};
    float wz[3] = {.5f * (.5f - fz) * (.5f - fz), .75f - fz * fz, .5f * (.5f + fz) * (.5f + fz)};
    const int m = 3;
    @}
$unroll
    for (int c = 0; c < m; c++)
#pragma unroll
        for (int b = 0; b < m; b++)
#pragma unroll
            for (int a = 0; a < m; a++) atomicAdd(rho + (((z + c) % nz) * ny + (y + b) % ny) * nx + (x + a) % nx, $t(p.w * wx[a] * wy[b] * wz[c]));
}""", k, t=d.of("float", "double"))


KINDS = [gravity_tiles, lennard_jones_list, cells_pairs, coulomb_grid, lattice_boltzmann, smoothed_particles, maxwell_update, cloth_springs, trace_spheres,
         trace_triangles, marching_cubes, neutron_walk, shallow_water, fluid_advect, ising, tree_force, charge_deposit]
