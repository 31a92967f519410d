"""Grids in two and three dimensions: stencils of all shapes, in place, in shared memory, in queues of registers."""


def real(d): return d.of("float", "float", "double")


def points(axes, radius):
    """Offsets of a star (axes 2 or 3) of some radius, without the centre: [(dx, dy, dz)]."""
    return [tuple(s * r if a == axis else 0 for a in range(3)) for r in range(1, radius + 1) for axis in range(axes) for s in (1, -1)]


def box(axes, radius):
    z = range(-radius, radius + 1) if axes == 3 else [0]
    return [(x, y, w) for w in z for y in range(-radius, radius + 1) for x in range(-radius, radius + 1)]


def stencil_queue(d, k):
    """A column in z: what is above and below waits in registers."""
    r = d.n(1, 4); shift = " ".join(f"z{j} = z{j + 1};" for j in range(2 * r))
    names = ", ".join(f"z{j}" for j in range(2 * r)); fill = " ".join(f"z{j} = in[at + {j} * plane];" for j in range(2 * r))
    plane = " + ".join(f"c{j} * (z{r - j} + z{r + j} + in[mid + {j}] + in[mid - {j}] + in[mid + {j} * nx] + in[mid - {j} * nx])" for j in range(1, r + 1))
    cs = ", ".join(f"$t c{j}" for j in range(r + 1))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int nx, int ny, int nz, """ + cs + """)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + $r, y = blockIdx.y * blockDim.y + threadIdx.y + $r;
    @{if (x >= nx - $r || y >= ny - $r) return;@@}
    @{int@int@size_t@} plane = nx * ny, at = y * nx + x;
    $t """ + names + """, z""" + str(2 * r) + """;
    """ + fill + """
$unroll
    for (int z = $r; z < nz - $r; z++) {
        z""" + str(2 * r) + """ = in[at + 2 * $r * plane];
        @{int@size_t@} mid = at + $r * plane;
        out[mid] @{=@=@+=@} c0 * z$r + """ + plane + """;
        """ + shift + """
        at += plane;
    }
}""", k, t=real(d), r=r)


def stencil_queue_shared(d, k):
    """The plane with its halo in shared memory, the column in an array of registers."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int nx, int ny, int nz, const $t *$restrict w, $t dt)
{
    __shared__ $t tile[$by + 2 * $r][$bx + 2 * $r];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * $bx + tx, y = blockIdx.y * $by + ty, stride = nx * ny;
    const $t *p = in + (y + $r) * nx + x + $r;
    $t front[$r], behind[$r], now;
#pragma unroll
    for (int j = 0; j < $r; j++) behind[$r - 1 - j] = p[j * stride];
    now = p[$r * stride];
#pragma unroll
    for (int j = 0; j < $r; j++) front[j] = p[($r + 1 + j) * stride];
$unroll
    for (int z = $r; z < nz - $r; z++) {
        __syncthreads();
        tile[ty + $r][tx + $r] = now;
        const $t *q = in + z * stride + y * nx + x;
        if (tx < $r) { tile[ty + $r][tx] = q[$r * nx]; tile[ty + $r][tx + $bx + $r] = q[$r * nx + $bx + $r]; }
        if (ty < $r) { tile[ty][tx + $r] = q[$r]; tile[ty + $by + $r][tx + $r] = q[($by + $r) * nx + $r]; }
        __syncthreads();
        $t sum = w[0] * now;
#pragma unroll
        for (int j = 1; j <= $r; j++)
            sum += w[j] * (front[j - 1] + behind[j - 1] + tile[ty + $r - j][tx + $r] + tile[ty + $r + j][tx + $r] + tile[ty + $r][tx + $r - j]
                + tile[ty + $r][tx + $r + j]);
        @{out[z * stride + (y + $r) * nx + x + $r] = sum;@$t *o = out + z * stride + (y + $r) * nx + x + $r; *o = 2 * now - *o + dt * sum;@}
#pragma unroll
        for (int j = $r - 1; j > 0; j--) behind[j] = behind[j - 1];
        behind[0] = now;
        now = front[0];
#pragma unroll
        for (int j = 0; j < $r - 1; j++) front[j] = front[j + 1];
        @{if (z + $r + 1 < nz) @@}front[$r - 1] = p[(z + $r + 1) * stride];
    }
}""", k, t=real(d), r=d.n(1, 4), bx=d.of(16, 32), by=d.of(4, 8, 16))


def stencil_points(d, k):
    """A sum over a star or a box written out, weights as arguments, constants or an array."""
    axes = d.of(2, 3); ps = d.of(points(axes, d.n(1, 3)), points(axes, 1), box(axes, 1)); style = d.n(0, 2)
    weight = lambda j, p: [f"w{sum(map(abs, p))}", f"w[{j}]", f"$t({d.n(1, 99) / 100})"][style]
    term = lambda j, p: f"{weight(j, p)} * " + (f"in[((z + {p[2]}) * ny + y + {p[1]}) * nx + x + {p[0]}]" if d3 else f"in[i + {p[0]} + {p[1]} * nx + {p[2]} * nx * ny]")
    d3 = d.of(0, 1); total = "\n            + ".join(term(j, p) for j, p in enumerate(ps))
    args = ["".join(f", $t w{j}" for j in sorted({sum(map(abs, p)) for p in ps})), ", const $t *$restrict w", ""][style]
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int nx, int ny, int nz""" + args + """)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 3, y = blockIdx.y * blockDim.y + threadIdx.y + 3;
    int z = @{3 + blockIdx.z@blockIdx.z * blockDim.z + threadIdx.z + 3@};
    if (x < nx - 3 && y < ny - 3 && z < nz - 3) {
        int i = (z * ny + y) * nx + x;
        out[i] = """ + total + """;
    }
}""", k, t=real(d))


def stencil_loop(d, k):
    """Loops over the neighbours, the rim clamped, mirrored, periodic or left out."""
    edge = d.of("u = min(max(u, 0), nx - 1); v = min(max(v, 0), ny - 1);", "u = (u + nx) % nx; v = (v + ny) % ny;", "if (u < 0 || u >= nx || v < 0 || v >= ny) continue;",
                "u = u < 0 ? -u : u >= nx ? 2 * nx - 2 - u : u; v = v < 0 ? -v : v >= ny ? 2 * ny - 2 - v : v;", "")
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, @{const $t *$restrict weight,@@} int nx, int ny, $t dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    $t sum = 0, here = in[y * nx + x];
$unroll
    for (int dy = -$r; dy <= $r; dy++)
$unroll
        for (int dx = -$r; dx <= $r; dx++) {
            int u = x + dx, v = y + dy;
            """ + edge + """
            $t there = in[v * nx + u];
            sum += @{there - here@there@(there - here) / (1 + (there - here) * (there - here))@(there > here ? there - here : here - there)@};
        }
    out[y * nx + x] = here + dt * sum;
}""", k, t=d.of("float", "double", "float", "int"), r=d.of(1, 1, 2, 3))


def stencil_several(d, k):
    """Some outputs a thread, along x or y, so that loads are shared."""
    n = d.of(2, 4, 8); axis = d.of("x", "y"); rad = d.of(1, 2)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int nx, int ny, $t a, $t b, $t c)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) $mx + 2, y = (blockIdx.y * blockDim.y + threadIdx.y) $my + 2;
    if (x + $n + 2 > nx || y + $n + 2 > ny) return;
    $t line[$n + 2 * $r], side[$n];
#pragma unroll
    for (int j = 0; j < $n + 2 * $r; j++) line[j] = in[(y $ay (j - $r)) * nx + x $ax (j - $r)];
#pragma unroll
    for (int j = 0; j < $n; j++) side[j] = in[(y $ay j @{+@-@} $oy) * nx + x $ax j + $ox] + in[(y $ay j - $oy) * nx + x $ax j - $ox];
#pragma unroll
    for (int j = 0; j < $n; j++) {
        $t s = a * line[j + $r] + c * side[j];
#pragma unroll
        for (int q = 1; q <= $r; q++) s += b * (line[j + $r - q] + line[j + $r + q]);
        out[(y $ay j) * nx + x $ax j] = s;
    }
}""", k, t=real(d), n=n, r=rad, mx=f"* {n}" if axis == "x" else "", my=f"* {n}" if axis == "y" else "", ax="+" if axis == "x" else "+ 0 *",
                  ay="+" if axis == "y" else "+ 0 *", ox=int(axis == "y"), oy=int(axis == "x"))


def stencil_time_tiled(d, k):
    """Several steps on a tile in shared memory, its rim given up step by step."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int nx, int ny, $t cx, $t cy, $t cz, int steps)
{
    __shared__ $t now[$b][$b], then[$b][$b];
    int tx = threadIdx.x, ty = threadIdx.y, small = $b - @{2 * steps@2 * $s@};
    int x = blockIdx.x * small + tx - $s, y = blockIdx.y * small + ty - $s;
    bool valid = x >= 0 && x < nx && y >= 0 && y < ny;
    int left = max(tx - 1, x <= 0 ? tx : 0), right = min(tx + 1, x >= nx - 1 ? tx : $b - 1);
    int up = max(ty - 1, y <= 0 ? ty : 0), down = min(ty + 1, y >= ny - 1 ? ty : $b - 1);
    if (valid) now[ty][tx] = in[y * nx + x];
    __syncthreads();
    bool mine = false;
$unroll
    for (int s = 0; s < @{steps@$s@}; s++) {
        mine = tx > s && tx < $b - 1 - s && ty > s && ty < $b - 1 - s && valid;
        if (mine) {
            $t h = now[ty][tx];
            then[ty][tx] = h + cx * (now[ty][right] + now[ty][left] - 2 * h) + cy * (now[down][tx] + now[up][tx] - 2 * h) + (cz - h) * @{cx@$t(.01)@};
        }
        __syncthreads();
        if (mine) now[ty][tx] = then[ty][tx];
        __syncthreads();
    }
    if (mine) out[y * nx + x] = then[ty][tx];
}""", k, t=real(d), b=d.of(16, 32), s=d.of(1, 2, 4))


def smoother_red_black(d, k):
    """Gauss-Seidel on one colour, with a residual if wanted."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict u, const $t *$restrict f, int nx, int ny, int nz, $t h2, $t omega, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
$unroll
    for (int z = 1; z < nz - 1; z++) {
        if ((x + y + z) % 2 != colour || x >= nx - 1 || y >= ny - 1) continue;
        int i = (z * ny + y) * nx + x;
        $t v = (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - nx * ny] + u[i + nx * ny] - h2 * f[i]) / 6;
        @{u[i] = v;@u[i] += omega * (v - u[i]);@}
    }
}""", k, t=real(d))


def multigrid(d, k):
    """Residual and restriction of a fine grid, or interpolation to it."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict u, const $t *$restrict f, $t *$restrict coarse, int n, $t inv_h2)
{
    int cx = blockIdx.x * blockDim.x + threadIdx.x + 1, cy = blockIdx.y * blockDim.y + threadIdx.y + 1, nc = n / 2;
    if (cx >= nc || cy >= nc) return;
    $t sum = 0;
$unroll
    for (int dy = -1; dy <= 1; dy++)
$unroll
        for (int dx = -1; dx <= 1; dx++) {
            int i = (2 * cy + dy) * n + 2 * cx + dx;
            $t r = f[i] - (4 * u[i] - u[i - 1] - u[i + 1] - u[i - n] - u[i + n]) * inv_h2;
            sum += r * (dx == 0 ? 2 : 1) * (dy == 0 ? 2 : 1);
        }
    coarse[cy * nc + cx] = sum / 16;
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict coarse, $t *$restrict fine, int n, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= 2 * n || y >= 2 * n || z >= 2 * nz) return;
    int x0 = x / 2, y0 = y / 2, z0 = z / 2, x1 = min(x0 + (x & 1), n - 1), y1 = min(y0 + (y & 1), n - 1), z1 = min(z0 + (z & 1), nz - 1);
    $t a = coarse[(z0 * n + y0) * n + x0] + coarse[(z0 * n + y0) * n + x1] + coarse[(z0 * n + y1) * n + x0] + coarse[(z0 * n + y1) * n + x1];
    $t b = coarse[(z1 * n + y0) * n + x0] + coarse[(z1 * n + y0) * n + x1] + coarse[(z1 * n + y1) * n + x0] + coarse[(z1 * n + y1) * n + x1];
    fine[(z * 2 * n + y) * 2 * n + x] @{+=@=@} $t(.125) * (a + b);
}""", k, t=real(d))


def diffusion_image(d, k):
    """Anisotropic diffusion: derivatives and a coefficient, then the divergence; and curvature flow."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k($t *$restrict north, $t *$restrict south, $t *$restrict west, $t *$restrict east, const $t *$restrict img,
    $t *$restrict coef,
                          int cols, int rows, $t q0)
{
    __shared__ $t s[$b][$b];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * $b + tx, y = blockIdx.y * $b + ty, i = y * cols + x;
    $t c = img[i];
    s[ty][tx] = c;
    __syncthreads();
    $t n = (ty ? s[ty - 1][tx] : img[y ? i - cols : i]) - c, so = (ty < $b - 1 ? s[ty + 1][tx] : img[y < rows - 1 ? i + cols : i]) - c;
    $t w = (tx ? s[ty][tx - 1] : img[x ? i - 1 : i]) - c, e = (tx < $b - 1 ? s[ty][tx + 1] : img[x < cols - 1 ? i + 1 : i]) - c;
    $t g2 = (n * n + so * so + w * w + e * e) / (c * c), l = (n + so + w + e) / c;
    $t num = $t(.5) * g2 - l * l / 16, den = 1 + $t(.25) * l, q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    $t v = 1 / (1 + den);
    @{v = v < 0 ? 0 : v > 1 ? 1 : v;@v = fmin(fmax(v, $t(0)), $t(1));@}
    coef[i] = v;
    north[i] = n; south[i] = so; @{west[i] = w; east[i] = e;@@}
}""", k, t=real(d), b=d.of(16, 32))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict phi, const $t *$restrict speed, $t *$restrict out, int nx, int ny, $t dt, $t eps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int i = y * nx + x;
    $t c = phi[i], dxp = phi[i + 1] - c, dxm = c - phi[i - 1], dyp = phi[i + nx] - c, dym = c - phi[i - nx];
    $t dx = (dxp + dxm) / 2, dy = (dyp + dym) / 2, dxx = dxp - dxm, dyy = dyp - dym;
    $t dxy = (phi[i + nx + 1] - phi[i + nx - 1] - phi[i - nx + 1] + phi[i - nx - 1]) / 4;
    $t g2 = dx * dx + dy * dy + eps, curvature = (dxx * dy * dy - 2 * dx * dy * dxy + dyy * dx * dx) / (g2 * sqrt(g2));
    $t f = speed[i], plus = sqrt(fmax(dxm, $t(0)) * fmax(dxm, $t(0)) + fmin(dxp, $t(0)) * fmin(dxp, $t(0)) + fmax(dym, $t(0)) * fmax(dym,
        $t(0)) + fmin(dyp, $t(0)) * fmin(dyp, $t(0)));
    $t minus = sqrt(fmin(dxm, $t(0)) * fmin(dxm, $t(0)) + fmax(dxp, $t(0)) * fmax(dxp, $t(0)) + fmin(dym, $t(0)) * fmin(dym, $t(0)) + fmax(dyp,
        $t(0)) * fmax(dyp, $t(0)));
    out[i] = c - dt * (fmax(f, $t(0)) * plus + fmin(f, $t(0)) * minus - @{eps@$t(.2)@} * curvature * sqrt(g2));
}""", k, t=real(d))


def wave_step(d, k):
    """Second order in time, high order in space, damped at the rim."""
    r = d.of(2, 3, 4)
    lap = "\n            + ".join(f"c[{j}] * (u[i + {j}] + u[i - {j}] + u[i + {j} * nx] + u[i - {j} * nx] + u[i + {j} * nxy] + u[i - {j} * nxy])" for j in range(1, r + 1))
    return d.cuda("""
__constant__ $t c_${k}[8];
__global__ void $bounds$k(const $t *$restrict u, $t *$restrict past, const $t *$restrict vel, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + $r, y = blockIdx.y * blockDim.y + threadIdx.y + $r, nxy = nx * ny;
    const $t *c = c_${k};
    @{$unroll for (int z = $r; z < nz - $r; z++)@int z = blockIdx.z + $r; if (x < nx - $r && y < ny - $r)@} {
        int i = z * nxy + y * nx + x;
        $t lap = 3 * c[0] * u[i]
            + """ + lap + """;
        $t v = vel[i];
        past[i] = @{2 * u[i] - past[i] + v * v * lap@(2 * u[i] - past[i]) * $t(.999) + v * lap@};
    }
}""", k, t=real(d), r=r)


def heat_sources(d, k):
    """Temperature on a chip or in a slab: conduction, sources, losses, materials."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict temp, const $t *$restrict power, const unsigned char *$restrict material, $t *$restrict out, int nx,
    int ny, int nz,
                          $t ce, $t cn, $t ct, $t ambient)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny;
    @{if (x >= nx || y >= ny) return;@@}
    int i = y * nx + x, w = x == 0 ? i : i - 1, e = x == nx - 1 ? i : i + 1, n = y == 0 ? i : i - nx, s = y == ny - 1 ? i : i + nx;
    $t below = temp[i], here = below, above = temp[i + plane];
$unroll
    for (int z = 0; z < nz; z++) {
        $t k1 = @{$t(1)@material[i] ? $t(.3) : $t(1)@};
        out[i] = here * (1 - 2 * (ce + cn + ct)) + k1 * (ce * (temp[w] + temp[e]) + cn * (temp[n] + temp[s]) + ct * (below + above))
            + @{power[i]@power[i] * ct + ct * ambient@};
        i += plane; w += plane; e += plane; n += plane; s += plane;
        below = here; here = above; above = @{z < nz - 2 ? temp[i + plane] : here@temp[min(z + 2, nz - 1) * plane + y * nx + x]@};
    }
}""", k, t=real(d))


def reaction_diffusion(d, k):
    """Two species on a periodic grid."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict u, const $t *$restrict v, $t *$restrict un, $t *$restrict vn, int w, int h, $t du, $t dv, $t feed,
    $t kill, $t dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int l = @{(x + w - 1) % w@x ? x - 1 : w - 1@}, r = @{(x + 1) % w@x < w - 1 ? x + 1 : 0@}, t = (y + h - 1) % h * w, b = (y + 1) % h * w, m = y * w;
    $t a = u[m + x], c = v[m + x];
    $t lu = u[m + l] + u[m + r] + u[t + x] + u[b + x] - 4 * a, lv = v[m + l] + v[m + r] + v[t + x] + v[b + x] - 4 * c;
    @{@lu = $t(.8) * lu + $t(.05) * (u[t + l] + u[t + r] + u[b + l] + u[b + r]); lv = $t(.8) * lv + $t(.05) * (v[t + l] + v[t + r] + v[b + l]
        + v[b + r]);@}
    $t f = @{a * c * c@a - a * a * a / 3 - c@};
    un[m + x] = a + dt * (du * lu - f + feed * (1 - a));
    vn[m + x] = c + dt * (dv * lv + f - (feed + kill) * c);
}""", k, t=real(d))


def cellular(d, k):
    """Cellular automata: cells as bytes, or 32 in a word."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int w, int h)
{
    __shared__ $t s[$b + 2][$b + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * $b + tx - 1, y = blockIdx.y * $b + ty - 1;
    s[ty][tx] = in[(y + h) % h * w + (x + w) % w];
    __syncthreads();
    if (tx == 0 || ty == 0 || tx > $b || ty > $b) return;
    int sum = 0;
$unroll
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) sum += s[ty + j][tx + i];
    sum -= s[ty][tx];
    out[y * w + x] = @{sum == 3 || (sum == 2 && s[ty][tx])@s[ty][tx] ? sum > 1 && sum < 4 : sum == 3@(0x1c8 >> sum & 1) | s[ty][tx]@};
}""", k, t=d.of("unsigned char", "int", "char"), b=d.of(14, 30))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int words, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= h) return;
    const int bits = sizeof($t) * 8;
    $t one = 0, two = 0, four = 0, self = in[y * words + x];
$unroll
    for (int dy = -1; dy <= 1; dy++) {
        const $t *row = in + (y + dy + h) % h * words;
        $t c = row[x], l = c << 1 | row[(x + words - 1) % words] >> (bits - 1), r = c >> 1 | row[(x + 1) % words] << (bits - 1);
        $t part[3] = {l, r, dy ? c : 0};
#pragma unroll
        for (int j = 0; j < 3; j++) {
            $t carry = one & part[j], carry2 = two & carry;
            one ^= part[j]; two ^= carry; four |= carry2;
        }
    }
    out[y * words + x] = two & ~four & (one | self);
}""", k, t=d.of("unsigned", "uint64_t"))


KINDS = [stencil_queue, stencil_queue_shared, stencil_points, stencil_loop, stencil_several, stencil_time_tiled, smoother_red_black, multigrid, diffusion_image,
         wave_step, heat_sources, reaction_diffusion, cellular]
