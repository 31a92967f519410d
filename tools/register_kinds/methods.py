"""Numerical methods: options, transforms, signals, differential equations, splines, shapes, clusters."""


def real(d): return d.of("float", "float", "double")


def option_greeks(d, k):
    """Black and Scholes with derivatives of the price, implied volatility by Newton, barriers."""
    o = d.n(0, 2)
    cdf = d.of("normcdf(x)", "$t(.5) * erfc(-x * $t(.70710678))", """[&] { $t a = 1 / (1 + $t(.2316419) * fabs(x)), p = $t(.39894228) * exp(-x * x / 2)
        * a * ($t(.31938153) + a * ($t(-.356563782) + a * ($t(1.781477937) + a * ($t(-1.821255978) + a * $t(1.330274429))))); return x > 0 ? 1 - p : p; }()""")
    head = "__device__ @{__forceinline__ @@}$t cnd_${k}($t x) { return " + cdf + "; }"
    if o == 0:
        return d.cuda(head + """
__global__ void $bounds$k($t *$restrict call, $t *$restrict put, @{$t *$restrict delta, $t *$restrict gamma, $t *$restrict vega,
    @@}const $t *$restrict S, const $t *$restrict X,
                          const $t *$restrict T, $t r, $t v, int n)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        $t s = S[i], x = X[i], t = T[i], root = sqrt(t), d1 = (log(s / x) + (r + v * v / 2) * t) / (v * root), d2 = d1 - v * root;
        $t n1 = cnd_${k}(d1), n2 = cnd_${k}(d2), disc = exp(-r * t);
        call[i] = s * n1 - x * disc * n2;
        put[i] = x * disc * (1 - n2) - s * (1 - n1);
    }
}""", k, t=real(d))
    if o == 1:
        return d.cuda(head + """
__global__ void $bounds$k(const $t *$restrict price, const $t *$restrict S, const $t *$restrict X, const $t *$restrict T, $t *$restrict vol,
    $t *$restrict delta, $t *$restrict gamma, $t r, int n)
{
    $index
    if (i >= n) return;
    $t s = S[i], x = X[i], t = T[i], root = sqrt(t), v = $t(.3), disc = exp(-r * t), lm = log(s / x), d1 = 0, pdf = 0;
$unroll
    for (int j = 0; j < $n; j++) {
        d1 = (lm + (r + v * v / 2) * t) / (v * root);
        pdf = $t(.39894228) * exp(-d1 * d1 / 2);
        $t c = s * cnd_${k}(d1) - x * disc * cnd_${k}(d1 - v * root), vega = s * pdf * root;
        @{v -= (c - price[i]) / fmax(vega, $t(1e-8));@$t step = (c - price[i]) / vega; v -= step; if (fabs(step) < $t(1e-7)) break;@}
    }
    vol[i] = v;
    @{delta[i] = cnd_${k}(d1); gamma[i] = pdf / (s * v * root);@@}
}""", k, t=real(d), n=d.of(4, 8, 20, 50))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict normals, $t *$restrict pay, int paths, int steps, $t s0, $t strike, $t barrier, $t drift, $t vol,
    $t disc)
{
    $index
    if (i >= paths) return;
    $t s = s0, sum = 0, top = s0@{@, v = vol@};
    bool out = false;
$unroll
    for (int j = 0; j < steps; j++) {
        $t z = normals[@{(size_t)j * paths + i@i * steps + j@}];
        s *= exp(drift + vol * z);
        @{sum += s;@top = fmax(top, s);@out = out || s > barrier;@if (s > barrier) { out = true; break; }@}
    }
    pay[i] = disc * @{fmax(sum / steps - strike, $t(0))@(out ? 0 : fmax(s - strike, $t(0)))@(top - s)@};
}""", k, t=real(d))


def lattice_option(d, k):
    """Binomial and trinomial trees: values in shared memory, or several in a thread's registers."""
    o = d.of(0, 1); n = d.of(4, 8, 16)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict S, const $t *$restrict X, $t *$restrict value, $t vdt, $t pu, $t pd, int steps)
{
    __shared__ $t v[$b + 2];
    int o = blockIdx.x, j = threadIdx.x;
    $t s = S[o], x = X[o], mine = fmax(s * exp(vdt * (2 * j - steps)) - x, $t(0));
    v[j] = mine;
    __syncthreads();
    for (int i = steps; i > 0; i--) {
        $t up = v[j + 1];
        __syncthreads();
        if (j < i) {
            mine = pu * up + pd * mine;
            @{mine = fmax(mine, x - s * exp(vdt * (2 * j - i + 1)));@@}
            v[j] = mine;
        }
        __syncthreads();
    }
    if (j == 0) value[o] = mine;
}""", k, t=real(d), b=d.of(128, 256, 512))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict S, const $t *$restrict X, $t *$restrict value, $t vdt, $t pu, $t pd, int steps)
{
    __shared__ $t edge[$b];
    int t = threadIdx.x, o = blockIdx.x;
    $t s = S[o], x = X[o], c[$n + 1];
#pragma unroll
    for (int j = 0; j <= $n; j++) c[j] = fmax(s * exp(vdt * (2 * (t * $n + j) - steps)) - x, $t(0));
    for (int i = steps; i > 0; i -= $n) {
        edge[t] = c[0];
        __syncthreads();
        c[$n] = t < $b - 1 ? edge[t + 1] : $t(0);
        __syncthreads();
$unroll
        for (int q = 0; q < $n; q++)
#pragma unroll
            for (int j = 0; j < $n; j++) c[j] = pu * c[j + 1] + pd * c[j];
    }
    if (t == 0) value[o] = c[0];
}""", k, t=real(d), b=d.of(64, 128), n=n)


def regression_paths(d, k):
    """Longstaff and Schwartz: sums of powers over paths that are in the money, then the decision."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict S, const $t *$restrict cash, $t *$restrict sums, int paths, $t strike, $t disc)
{
    $t acc[8] = {};
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x) {
        $t s = S[i], in = strike - s;
        if (in <= 0) continue;
        $t x = s / strike, y = cash[i] * disc, x2 = x * x;
        acc[0] += 1; acc[1] += x; acc[2] += x2; acc[3] += x2 * x; acc[4] += x2 * x2; acc[5] += y; acc[6] += x * y; acc[7] += x2 * y;
    }
#pragma unroll
    for (int j = 0; j < 8; j++) {
        for (int o = 16; o; o >>= 1) acc[j] += __shfl_down_sync(~0u, acc[j], o);
        if (threadIdx.x % 32 == 0) atomicAdd(sums + j, acc[j]);
    }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict S, $t *$restrict cash, const $t *$restrict sums, int paths, $t strike, $t disc)
{
    __shared__ $t beta[3];
    if (threadIdx.x == 0) {
        $t a[3][4] = {{sums[0], sums[1], sums[2], sums[5]}, {sums[1], sums[2], sums[3], sums[6]}, {sums[2], sums[3], sums[4], sums[7]}};
#pragma unroll
        for (int p = 0; p < 3; p++) {
            $t inv = 1 / a[p][p];
#pragma unroll
            for (int r = 0; r < 3; r++) if (r != p) { $t f = a[r][p] * inv;
#pragma unroll
                for (int c = p; c < 4; c++) a[r][c] -= f * a[p][c]; }
        }
        for (int p = 0; p < 3; p++) beta[p] = a[p][3] / a[p][p];
    }
    __syncthreads();
    $index
    if (i >= paths) return;
    $t s = S[i], x = s / strike, now = fmax(strike - s, $t(0)), later = cash[i] * disc, hold = beta[0] + x * (beta[1] + x * beta[2]);
    cash[i] = @{now > 0 && now > hold ? now : later@now > fmax(hold, $t(0)) ? now : later@};
}""", k, t=real(d))


def fourier_radix(d, k):
    """A pass of radix 2, 3, 4, 5 or 8 with twiddles computed, read or in constant memory; planar or interleaved."""
    r = d.of(2, 3, 4, 5, 8); t = real(d)
    twiddle = d.of("$t ang = $t(-6.283185307) * j * q / (m * $r), c, s; sincos(ang, &s, &c);", "$t c, s; sincospi($t(-2) * j * q / (m * $r), &s, &c);", "${t}2 w = table[j * q]; $t c = w.x, s = w.y;")
    body = {2: "$t a = x[0] + x[1], b = y[0] + y[1]; x[1] = x[0] - x[1]; y[1] = y[0] - y[1]; x[0] = a; y[0] = b;",
            3: """$t sx = x[1] + x[2], sy = y[1] + y[2], dx = (x[1] - x[2]) * $t(.866025404), dy = (y[1] - y[2]) * $t(.866025404), hx = x[0] - sx / 2, hy = y[0] - sy / 2;
    x[0] += sx; y[0] += sy; x[1] = hx + dy; y[1] = hy - dx; x[2] = hx - dy; y[2] = hy + dx;""",
            4: """$t ax = x[0] + x[2], ay = y[0] + y[2], bx = x[0] - x[2], by = y[0] - y[2], cx = x[1] + x[3], cy = y[1] + y[3], ex = y[1] - y[3], ey = x[3] - x[1];
    x[0] = ax + cx; y[0] = ay + cy; x[1] = bx + ex; y[1] = by + ey; x[2] = ax - cx; y[2] = ay - cy; x[3] = bx - ex; y[3] = by - ey;"""}.get(r, """$t u[$r], v[$r];
#pragma unroll
    for (int f = 0; f < $r; f++) {
        u[f] = 0; v[f] = 0;
#pragma unroll
        for (int q = 0; q < $r; q++) {
            const $t c = cosine[f * q % $r], s = cosine[(f * q + $r - $r / 4) % $r];
            u[f] += x[q] * c - y[q] * s; v[f] += x[q] * s + y[q] * c;
        }
    }
#pragma unroll
    for (int f = 0; f < $r; f++) { x[f] = u[f]; y[f] = v[f]; }""")
    return d.cuda("""
__global__ void $bounds$k(const ${t}2 *$restrict in, ${t}2 *$restrict out, const ${t}2 *$restrict table, int n, int m)
{
    constexpr $t cosine[8] = {1, $t(.7071), 0, $t(-.7071), -1, $t(-.7071), 0, $t(.7071)};
    $index
    @{if (i >= n / $r) return;@@}
    int j = i @{% m@& (m - 1)@}, base = (i - j) * $r + j;
    $t x[$r], y[$r];
#pragma unroll
    for (int q = 0; q < $r; q++) { ${t}2 v = in[i + q * (n / $r)]; x[q] = v.x; y[q] = v.y; }
#pragma unroll
    for (int q = 1; q < $r; q++) {
        """ + twiddle + """
        $t a = x[q] * c - y[q] * s; y[q] = x[q] * s + y[q] * c; x[q] = a;
    }
    """ + body + """
#pragma unroll
    for (int q = 0; q < $r; q++) out[base + q * m] = {x[q], y[q]};
}""", k, t=t, r=r)


def fourier_shared(d, k):
    """A whole transform in shared memory, bits reversed first; or a power of two by a warp's shuffles."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(${t}2 *$restrict data, @{int inverse@const ${t}2 *$restrict table@})
{
    __shared__ ${t}2 s[$n];
    int t = threadIdx.x; ${t}2 *x = data + (size_t)blockIdx.x * $n;
$unroll
    for (int i = t; i < $n; i += $n / 2) s[__brev(i) >> (32 - $log)] = x[i];
    __syncthreads();
$unroll
    for (int h = 1; h < $n; h *= 2) {
        int j = t & (h - 1), a = ((t - j) << 1) + j, b = a + h;
        $t sn, cs;
        sincospi($t(-1) * j / h, &sn, &cs);
        ${t}2 u = s[a], v = s[b]; ${t}2 w = {v.x * cs - v.y * sn, v.x * sn + v.y * cs};
        s[a] = {u.x + w.x, u.y + w.y};
        s[b] = {u.x - w.x, u.y - w.y};
        __syncthreads();
    }
    x[t] = s[t]; x[t + $n / 2] = s[t + $n / 2];
}""", k, t=real(d), n=(n := d.of(128, 256, 512, 1024)), log=n.bit_length() - 1)
    return d.cuda("""
__global__ void $bounds$k(float2 *$restrict data)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float2 v[$n];
#pragma unroll
    for (int q = 0; q < $n; q++) v[q] = data[(row * $n + q) * 32 + lane];
$unroll
    for (int h = 16; h; h >>= 1) {
        float sn, cs; sincospif(-float(lane & (h - 1)) / h, &sn, &cs);
#pragma unroll
        for (int q = 0; q < $n; q++) {
            float ox = __shfl_xor_sync(~0u, v[q].x, h), oy = __shfl_xor_sync(~0u, v[q].y, h);
            if (lane & h) { float x = ox - v[q].x, y = oy - v[q].y; v[q] = make_float2(x * cs - y * sn, x * sn + y * cs); }
            else v[q] = make_float2(v[q].x + ox, v[q].y + oy);
        }
    }
    int to = __brev(lane) >> 27;
#pragma unroll
    for (int q = 0; q < $n; q++) data[(row * $n + q) * 32 + to] = v[q];
}""", k, n=d.of(1, 2, 4, 8))


def cosine_transform(d, k):
    """DCT of 8 x 8: by its butterflies in registers, or by products with a table; quantised beside."""
    if d.of(0, 1):
        return d.cuda("""
__device__ __forceinline__ void butterfly_${k}(float *v)
{
    float s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4], d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5],
        d3 = v[3] - v[4];
    float a = s0 + s3, b = s1 + s2, c = s0 - s3, e = s1 - s2;
    v[0] = (a + b) * .35355339f; v[4] = (a - b) * .35355339f;
    v[2] = c * .46193977f + e * .19134172f; v[6] = c * .19134172f - e * .46193977f;
    v[1] = d0 * .49039264f + d1 * .41573481f + d2 * .27778512f + d3 * .09754516f;
    v[3] = d0 * .41573481f - d1 * .09754516f - d2 * .49039264f - d3 * .27778512f;
    v[5] = d0 * .27778512f - d1 * .49039264f + d2 * .09754516f + d3 * .41573481f;
    v[7] = d0 * .09754516f - d1 * .27778512f + d2 * .41573481f - d3 * .49039264f;
}
__global__ void $bounds$k(const $t *$restrict src, short *$restrict dst, int pitch)
{
    __shared__ float s[$m][8][9];
    int b = threadIdx.x / 8, l = threadIdx.x % 8; size_t at = (size_t)blockIdx.y * 8 * pitch + (blockIdx.x * $m + b) * 8;
    float v[8];
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = src[at + j * pitch + l] @{- 128.f@@};
    butterfly_${k}(v);
#pragma unroll
    for (int j = 0; j < 8; j++) s[b][j][l] = v[j];
    @{__syncthreads();@__syncwarp();@}
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = s[b][l][j];
    butterfly_${k}(v);
#pragma unroll
    for (int j = 0; j < 8; j++) dst[at + l * pitch + j] = @{v[j]@rintf(v[j] / (8 + l + j))@};
}""", k, t=d.of("unsigned char", "float"), m=d.of(4, 8, 16, 32))
    return d.cuda("""
__constant__ float basis_${k}[64];
__global__ void $bounds$k(const $t *$restrict src, $t *$restrict dst, int pitch)
{
    __shared__ float s[64], u[64];
    int x = threadIdx.x, y = threadIdx.y; size_t at = (size_t)(blockIdx.y * 8 + y) * pitch + blockIdx.x * 8 + x;
    s[y * 8 + x] = src[at];
    __syncthreads();
    float sum = 0;
$unroll
    for (int j = 0; j < 8; j++) sum += basis_${k}[@{x * 8 + j@j * 8 + x@}] * s[y * 8 + j];
    u[y * 8 + x] = sum;
    __syncthreads();
    sum = 0;
$unroll
    for (int j = 0; j < 8; j++) sum += basis_${k}[@{y * 8 + j@j * 8 + y@}] * u[j * 8 + x];
    dst[at] = sum;
}""", k, t=d.of("float", "short"))


def wavelet(d, k):
    """Haar levels in shared memory, or lifting of 5/3 and 9/7 over rows or columns."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, $t *$restrict approx, int levels, int n)
{
    __shared__ $t s[2 * $b];
    int t = threadIdx.x, size = $b, base = blockIdx.x * 2 * $b;
    $t a = in[base + 2 * t], b = in[base + 2 * t + 1];
    out[blockIdx.x * $b + t + n / 2] = (a - b) * $t(.70710678);
    s[t] = (a + b) * $t(.70710678);
    __syncthreads();
$unroll
    for (int l = 1; l < levels; l++) {
        size >>= 1;
        if (t < size) { a = s[2 * t]; b = s[2 * t + 1]; }
        __syncthreads();
        if (t < size) { out[(n >> (l + 1)) + blockIdx.x * size + t] = (a - b) * $t(.70710678); s[t] = (a + b) * $t(.70710678); }
        __syncthreads();
    }
    if (t == 0) approx[blockIdx.x] = s[0];
}""", k, t=real(d), b=d.of(64, 128, 256))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict low, $t *$restrict high, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    $t p0 = in[x], p1 = in[w + x], p2 = in[2 * w + x], last = @{(p1 - ((p0 + p2) >> 1))@p1 - (p0 + p2) / 2@};
    low[x] = p0 + last / 2; high[x] = last;
$unroll
    for (int y = 2; y + 2 < h; y += 2) {
        p0 = p2;
        @{p1 = in[(y + 1) * w + x]; p2 = in[(y + 2) * w + x];@p1 = __ldg(in + (y + 1) * w + x); p2 = __ldg(in + (y + 2) * w + x);@}
        $t d = p1 - (p0 + p2) / 2;
        low[y / 2 * w + x] = p0 + (last + d @{+ 2@@}) / 4;
        high[y / 2 * w + x] = d;
        last = d;
    }
}""", k, t=d.of("int", "short")) if d.of(0, 1) else d.cuda("""
__global__ void $bounds$k(float *$restrict data, int w, int h)
{
    __shared__ float s[$n + 8];
    float *row = data + (size_t)blockIdx.x * w + blockIdx.y * $n;
    const float c[4] = {-1.586134342f, -.05298011854f, .8829110762f, .4435068522f};
    for (int i = threadIdx.x; i < $n + 8; i += blockDim.x) s[i] = row[min(max(i - 4, -int(blockIdx.y * $n)), w - 1 - int(blockIdx.y * $n))];
    __syncthreads();
$unroll
    for (int p = 0; p < 4; p++) {
        for (int i = 2 * threadIdx.x + 1 + (p & 1); i < $n + 7; i += 2 * blockDim.x) s[i] += c[p] * (s[i - 1] + s[i + 1]);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < $n; i += blockDim.x) row[(i & 1) * ($n / 2) + i / 2] = s[i + 4] * (i & 1 ? 1.149604398f : .8698644523f);
}""", k, n=d.of(128, 256, 512))


def runge_kutta(d, k):
    """RK4, Heun, Dormand-Prince with its error: small systems in registers."""
    n = d.of(2, 3, 4, 6, 8)
    rhs = {2: "o[0] = y[1]; o[1] = p * (1 - y[0] * y[0]) * y[1] - y[0];", 3: "o[0] = 10 * (y[1] - y[0]); o[1] = y[0] * (p - y[2]) - y[1]; o[2] = y[0] * y[1] - y[2] * $t(2.6666667);",
           4: "$t r2 = y[0] * y[0] + y[1] * y[1], r3 = p / (r2 * sqrt(r2)); o[0] = y[2]; o[1] = y[3]; o[2] = -y[0] * r3; o[3] = -y[1] * r3;",
           6: """$t r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], g = @{rsqrt(r2)@1 / sqrt(r2)@}; g = p * g * g * g;
    o[0] = y[3]; o[1] = y[4]; o[2] = y[5]; o[3] = -g * y[0] + y[4]; o[4] = -g * y[1] - y[3]; o[5] = -g * y[2];"""}.get(n, """
#pragma unroll
    for (int j = 0; j < $n; j++) o[j] = (y[(j + 1) % $n] - y[(j + $n - 2) % $n]) * y[(j + $n - 1) % $n] - y[j] + p;""")
    method = d.of("""f_${k}(y, a, p); COMBINE(z[j] = y[j] + h / 2 * a[j];) f_${k}(z, b, p); COMBINE(z[j] = y[j] + h / 2 * b[j];) f_${k}(z, c, p); COMBINE(z[j] = y[j] + h * c[j];) f_${k}(z, e, p);
        COMBINE(y[j] += h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + e[j]);) t += h;""",
                  "f_${k}(y, a, p); COMBINE(z[j] = y[j] + h * a[j];) f_${k}(z, b, p); COMBINE(y[j] += h / 2 * (a[j] + b[j]);) t += h;",
                  """f_${k}(y, a, p); COMBINE(z[j] = y[j] + h / 2 * a[j];) f_${k}(z, b, p); COMBINE(z[j] = y[j] + h * $t(.75) * b[j];) f_${k}(z, c, p);
        COMBINE(z[j] = y[j] + h * ($t(2. / 9) * a[j] + $t(1. / 3) * b[j] + $t(4. / 9) * c[j]);) f_${k}(z, e, p); $t err = 0;
        COMBINE(err = fmax(err, fabs(h * ($t(-5. / 72) * a[j] + b[j] / 12 + c[j] / 9 - e[j] / 8)));)
        if (err < tol) { t += h; COMBINE(y[j] = z[j];) } h *= fmin($t(2), fmax($t(.3), $t(.9) * @{cbrt(tol / (err + $t(1e-12)))@pow(tol / (err + $t(1e-12)), $t(.25))@}));""")
    method = method.replace("COMBINE(", "\n#pragma unroll\n        for (int j = 0; j < $n; j++) { ").replace(";)", "; }\n        ")
    return d.cuda("""
__device__ __forceinline__ void f_${k}(const $t (&y)[$n], $t (&o)[$n], $t p) { """ + rhs + """ }
__global__ void $bounds$k($t *$restrict state, const $t *$restrict param, int count, $t end, $t h, $t tol)
{
    $index
    if (i >= count) return;
    $t y[$n], z[$n], a[$n], b[$n], c[$n], e[$n], p = param[i], t = 0;
#pragma unroll
    for (int j = 0; j < $n; j++) y[j] = state[@{j * count + i@i * $n + j@}];
    @{while (t < end)@$unroll for (int s = 0; s < @{100@16@}; s++)@} {
        """ + method + """
    }
#pragma unroll
    for (int j = 0; j < $n; j++) state[j * count + i] = y[j];
}""", k, t=real(d), n=n)


def chemistry_rates(d, k):
    """Rates of reactions: Arrhenius, fall-off, species in registers, sources summed."""
    n, m = d.of(3, 5, 8), d.of(4, 8, 12); t = real(d); lines = []
    for j in range(m):
        a, b, c, e = (d.n(0, n - 1) for _ in range(4))
        lines.append(f"{{ $t kf = $t({d.n(1, 99)}e{d.n(0, 6)}) * exp({d.of(f'$t({d.n(-3, 3)}.5) * lt ', '')}- $t({d.n(100, 9000)}) * it){d.maybe(.3, ' * (pr / (1 + pr))')}, "
                     f"q = kf * y[{a}] * y[{b}]{d.of('', f' - kf * keq * y[{c}] * y[{e}]', f' - kf * exp($t({d.n(1, 9)}) - $t({d.n(100, 999)}) * it) * y[{c}]')}; "
                     f"w[{a}] -= q; w[{b}] -= q; w[{c}] += q; w[{e}] += q; }}")
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict temp, const $t *$restrict conc, $t *$restrict out, int n, $t keq, $t pr)
{
    $index
    if (i >= n) return;
    $t T = temp[i], it = 1 / T, lt = log(T), y[$n], w[$n] = {};
#pragma unroll
    for (int j = 0; j < $n; j++) y[j] = @{conc[j * n + i]@fmax(conc[j * n + i], $t(0))@};
    """ + "\n    ".join(lines) + """
#pragma unroll
    for (int j = 0; j < $n; j++) out[j * n + i] = w[j];
}""", k, t=t, n=n)


def splines(d, k):
    """Cubic splines and B-splines: values, derivatives, in one to three dimensions; tables searched or even."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict knots, const ${t}4 *$restrict coef, const $t *$restrict x, $t *$restrict y, $t *$restrict dy, int n,
    int m)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        $t v = x[i]; int lo = 0, hi = m - 1;
        while (hi - lo > 1) { int mid = (lo + hi) / 2; @{if (knots[mid] > v) hi = mid; else lo = mid;@bool up = knots[mid] <= v; lo = up ? mid : lo;
            hi = up ? hi : mid;@} }
        $t u = v - knots[lo]; ${t}4 c = coef[lo];
        y[i] = c.x + u * (c.y + u * (c.z + u * c.w));
        @{dy[i] = c.y + u * (2 * c.z + 3 * u * c.w);@@}
    }
}""", k, t=real(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict grid, const ${t}3 *$restrict points, $t *$restrict value, ${t}3 *$restrict gradient, int n, int nx,
    int ny, int nz)
{
    $index
    if (i >= n) return;
    ${t}3 p = points[i];
    int x = int(floor(p.x)), y = int(floor(p.y)), z = int(floor(p.z));
    $t w[3][4], g[3][4], f[3] = {p.x - x, p.y - y, p.z - z};
#pragma unroll
    for (int a = 0; a < 3; a++) {
        $t t = f[a], s = 1 - t;
        w[a][0] = s * s * s / 6; w[a][1] = $t(2. / 3) - t * t * (2 - t) / 2; w[a][2] = $t(2. / 3) - s * s * (2 - s) / 2; w[a][3] = t * t * t / 6;
        g[a][0] = -s * s / 2; g[a][1] = t * (3 * t - 4) / 2; g[a][2] = -s * (3 * s - 4) / 2; g[a][3] = t * t / 2;
    }
    $t sum = 0, gx = 0, gy = 0, gz = 0;
$unroll
    for (int c = 0; c < 4; c++)
$unroll
        for (int b = 0; b < 4; b++) {
            const $t *row = grid + ((size_t)(z + c) * ny + y + b) * nx + x;
            $t v = row[0] * w[0][0] + row[1] * w[0][1] + row[2] * w[0][2] + row[3] * w[0][3];
            sum += v * w[1][b] * w[2][c];
            @{$t e = row[0] * g[0][0] + row[1] * g[0][1] + row[2] * g[0][2] + row[3] * g[0][3];
            gx += e * w[1][b] * w[2][c]; gy += v * g[1][b] * w[2][c]; gz += v * w[1][b] * g[2][c];@@}
        }
    value[i] = sum;
    @{gradient[i] = {gx, gy, gz};@@}
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const float3 *$restrict control, float3 *$restrict out, float3 *$restrict normal, int nu, int nv)
{
    int iu = blockIdx.x * blockDim.x + threadIdx.x, iv = blockIdx.y * blockDim.y + threadIdx.y;
    if (iu >= nu || iv >= nv) return;
    float u = float(iu) / (nu - 1), v = float(iv) / (nv - 1), a = 1 - u, b = 1 - v;
    float bu[4] = {a * a * a, 3 * a * a * u, 3 * a * u * u, u * u * u}, bv[4] = {b * b * b, 3 * b * b * v, 3 * b * v * v, v * v * v};
    float du[4] = {-3 * a * a, 3 * a * a - 6 * a * u, 6 * a * u - 3 * u * u, 3 * u * u}, dv[4] = {-3 * b * b, 3 * b * b - 6 * b * v,
        6 * b * v - 3 * v * v, 3 * v * v};
    float x = 0, y = 0, z = 0, ux = 0, uy = 0, uz = 0, vx = 0, vy = 0, vz = 0;
$unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float3 c = control[blockIdx.z * 16 + j * 4 + i]; float w = bu[i] * bv[j], p = du[i] * bv[j], q = bu[i] * dv[j];
            x += w * c.x; y += w * c.y; z += w * c.z; ux += p * c.x; uy += p * c.y; uz += p * c.z; vx += q * c.x; vy += q * c.y; vz += q * c.z;
        }
    size_t o = (blockIdx.z * nv + iv) * nu + iu;
    out[o] = make_float3(x, y, z);
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx, s = rsqrtf(nx * nx + ny * ny + nz * nz);
    @{normal[o] = make_float3(nx * s, ny * s, nz * s);@@}
}""", k)


def rotations(d, k):
    """Points by quaternions, matrices, axes and angles; skinning; slerp; projection with distortion."""
    o = d.n(0, 3)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const ${t}4 *$restrict quat, const ${t}3 *$restrict in, ${t}3 *$restrict out, int n, int per)
{
    $index
    if (i >= n) return;
    ${t}4 q = quat[@{i@i / per@0@}];
    $t s = @{rsqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)@1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)@1@};
    q.x *= s; q.y *= s; q.z *= s; q.w *= s;
    ${t}3 p = in[i];
    @{$t tx = 2 * (q.y * p.z - q.z * p.y), ty = 2 * (q.z * p.x - q.x * p.z), tz = 2 * (q.x * p.y - q.y * p.x);
    p.x += q.w * tx + q.y * tz - q.z * ty; p.y += q.w * ty + q.z * tx - q.x * tz; p.z += q.w * tz + q.x * ty - q.y * tx;
    @$t xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y,
        wz = q.w * q.z;
    p = {(1 - 2 * (yy + zz)) * p.x + 2 * (xy - wz) * p.y + 2 * (xz + wy) * p.z, 2 * (xy + wz) * p.x + (1 - 2 * (xx + zz)) * p.y + 2 * (yz - wx) * p.z,
         2 * (xz - wy) * p.x + 2 * (yz + wx) * p.y + (1 - 2 * (xx + yy)) * p.z};
    @}
    out[i] = p;
}""", k, t=real(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const float3 *$restrict rest, const float3 *$restrict normals, const int4 *$restrict bone, const float4 *$restrict weight,
    const float4 *$restrict matrix,
                          float3 *$restrict pos, float3 *$restrict norm, int n)
{
    $index
    if (i >= n) return;
    float3 p = rest[i], m = normals[i]; int4 b = bone[i]; float4 w = weight[i];
    int id[4] = {b.x, b.y, b.z, b.w}; float ws[4] = {w.x, w.y, w.z, w.w};
    float4 r0 = make_float4(0, 0, 0, 0), r1 = r0, r2 = r0;
$unroll
    for (int j = 0; j < $n; j++) {
        float4 a0 = matrix[id[j] * 3], a1 = matrix[id[j] * 3 + 1], a2 = matrix[id[j] * 3 + 2]; float s = ws[j];
        @{if (s == 0) continue;@@}
        r0.x += s * a0.x; r0.y += s * a0.y; r0.z += s * a0.z; r0.w += s * a0.w;
        r1.x += s * a1.x; r1.y += s * a1.y; r1.z += s * a1.z; r1.w += s * a1.w;
        r2.x += s * a2.x; r2.y += s * a2.y; r2.z += s * a2.z; r2.w += s * a2.w;
    }
    pos[i] = make_float3(r0.x * p.x + r0.y * p.y + r0.z * p.z + r0.w, r1.x * p.x + r1.y * p.y + r1.z * p.z + r1.w, r2.x * p.x + r2.y * p.y
        + r2.z * p.z + r2.w);
    float x = r0.x * m.x + r0.y * m.y + r0.z * m.z, y = r1.x * m.x + r1.y * m.y + r1.z * m.z, z = r2.x * m.x + r2.y * m.y + r2.z * m.z,
        s = rsqrtf(x * x + y * y + z * z);
    @{norm[i] = make_float3(x * s, y * s, z * s);@@}
}""", k, n=d.of(2, 4))
    if o == 2:
        return d.cuda("""
struct Camera_${k} { $t r[9], c[3], f, cx, cy, k1, k2, p1, p2; };
__global__ void $bounds$k(const Camera_${k} *$restrict cameras, const $t *$restrict points, const int2 *$restrict pairs,
    const ${t}2 *$restrict seen, ${t}2 *$restrict error, $t *$restrict jac, int n)
{
    $index
    if (i >= n) return;
    int2 pair = pairs[i];
    @{const Camera_${k} &m@Camera_${k} m@} = cameras[pair.x];
    const $t *p = points + 3 * pair.y;
    $t dx = p[0] - m.c[0], dy = p[1] - m.c[1], dz = p[2] - m.c[2];
    $t x = m.r[0] * dx + m.r[1] * dy + m.r[2] * dz, y = m.r[3] * dx + m.r[4] * dy + m.r[5] * dz, z = m.r[6] * dx + m.r[7] * dy + m.r[8] * dz,
        iz = 1 / z;
    $t u = x * iz, v = y * iz, r2 = u * u + v * v, s = 1 + r2 * (m.k1 + r2 * m.k2);
    $t du = u * s @{@+ 2 * m.p1 * u * v + m.p2 * (r2 + 2 * u * u)@}, dv = v * s @{@+ m.p1 * (r2 + 2 * v * v) + 2 * m.p2 * u * v@};
    ${t}2 o = seen[i];
    error[i] = {m.f * du + m.cx - o.x, m.f * dv + m.cy - o.y};
    @{$t ds = 2 * (m.k1 + 2 * m.k2 * r2), a = m.f * (s + ds * u * u) * iz, b = m.f * ds * u * v * iz, c = m.f * (s + ds * v * v) * iz;
#pragma unroll
    for (int j = 0; j < 3; j++) {
        $t qx = m.r[j] - u * m.r[6 + j], qy = m.r[3 + j] - v * m.r[6 + j];
        jac[(size_t)j * n + i] = a * qx + b * qy; jac[(size_t)(j + 3) * n + i] = b * qx + c * qy;
    }@@}
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const float4 *$restrict a, const float4 *$restrict b, float4 *$restrict out, int n, float t)
{
    $index
    if (i >= n) return;
    float4 p = a[i], q = b[i];
    float dot = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w, sign = dot < 0 ? -1.f : 1.f, u, v;
    dot = fabsf(dot);
    if (dot > .9995f) { u = 1 - t; v = t; }
    else { float theta = acosf(dot), s = 1 / sinf(theta); u = sinf((1 - t) * theta) * s; v = sinf(t * theta) * s; }
    v *= sign;
    float4 o = make_float4(u * p.x + v * q.x, u * p.y + v * q.y, u * p.z + v * q.z, u * p.w + v * q.w);
    @{float s = rsqrtf(o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w); o.x *= s; o.y *= s; o.z *= s; o.w *= s;@@}
    out[i] = o;
}""", k)


def distance_field(d, k):
    """Marching along rays in a field made of shapes; normals by differences; voxels' fields sampled or fused."""
    shapes = {"sphere": "sqrtf(x * x + y * y + z * z) - 1.f", "box": "fmaxf(fmaxf(fabsf(x) - .7f, fabsf(y) - .5f), fabsf(z) - .6f)",
              "ring": "hypotf(hypotf(x, z) - 1.f, y) - .25f", "waves": "y + .1f * sinf(6.f * x) * cosf(6.f * z)", "rod": "fmaxf(hypotf(x, z) - .3f, fabsf(y) - 1.f)"}
    some = d.r.sample(sorted(shapes), d.n(1, 3))
    field = "float v = " + shapes[some[0]] + "; " + "".join(d.of(f"v = fminf(v, {shapes[s]}); ", f"v = fmaxf(v, -({shapes[s]})); ",
            f"{{ float w = {shapes[s]}, h = __saturatef(.5f + 2.f * (w - v)); v = w + h * (v - w) - .25f * h * (1.f - h); }} ") for s in some[1:])
    if d.n(0, 2):
        return d.cuda("""
__device__ @{__forceinline__@__noinline__@__forceinline__@} float field_${k}(float x, float y, float z) { """ + field + """return v; }
__global__ void $bounds$k(uchar4 *$restrict img, int w, int h, float3 eye, float3 light, float time)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float dx = (px - .5f * w) / h, dy = (py - .5f * h) / h, dz = 1.5f, s = rsqrtf(dx * dx + dy * dy + dz * dz), t = 0;
    dx *= s; dy *= s; dz *= s;
    int step = 0;
$unroll
    for (; step < @{64@128@}; step++) {
        float v = field_${k}(eye.x + t * dx, eye.y + t * dy, eye.z + t * dz);
        if (v < 1e-3f || t > 50.f) break;
        t += v;
    }
    float x = eye.x + t * dx, y = eye.y + t * dy, z = eye.z + t * dz, e = 1e-3f;
    float nx = field_${k}(x + e, y, z) - field_${k}(x - e, y, z), ny = field_${k}(x, y + e, z) - field_${k}(x, y - e, z), nz = field_${k}(x, y,
        z + e) - field_${k}(x, y, z - e);
    s = rsqrtf(nx * nx + ny * ny + nz * nz);
    float shade = fmaxf(0.f, (nx * light.x + ny * light.y + nz * light.z) * s);
    @{float soft = 1, q = .02f;
    for (int j = 0; j < 16; j++) { float v = field_${k}(x + q * light.x, y + q * light.y, z + q * light.z); soft = fminf(soft, 8.f * v / q);
        q += fmaxf(v, .01f); }
    shade *= __saturatef(soft);@@}
    img[py * w + px] = t < 50.f ? make_uchar4(255 * shade, 200 * shade, 150 * shade, 255) : make_uchar4(step, step, step, 255);
}""", k)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict depth, $v *$restrict tsdf, $v *$restrict weight, int nx, int ny, int nz, int w, int h, float4 r0,
    float4 r1, float4 r2, float f, float size, float band)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float px = r0.x * x * size + r0.y * y * size + r0.w, py = r1.x * x * size + r1.y * y * size + r1.w, pz = r2.x * x * size + r2.y * y * size + r2.w;
$unroll
    for (int z = 0; z < nz; z++, px += r0.z * size, py += r1.z * size, pz += r2.z * size) {
        if (pz <= 0) continue;
        int u = __float2int_rn(f * px / pz + w * .5f), v = __float2int_rn(f * py / pz + h * .5f);
        if (u < 0 || v < 0 || u >= w || v >= h) continue;
        float dd = depth[v * w + u] * @{.001f@1.f@};
        if (dd <= 0) continue;
        float sd = @{dd - pz@(dd - pz) * sqrtf(1 + px * px / (pz * pz) + py * py / (pz * pz))@};
        if (sd < -band) continue;
        size_t i = ((size_t)z * ny + y) * nx + x;
        float a = weight[i], value = fminf(1.f, sd / band);
        tsdf[i] = $v((float(tsdf[i]) * a + value) / (a + 1));
        weight[i] = $v(fminf(a + 1, 64.f));
    }
}""", k, t=d.of("float", "unsigned short"), v=d.of("float", "half"))


def cluster_means(d, k):
    """Nearest centres in shared or constant memory, sums by atomics or in shared memory."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict points, const $t *$restrict centres, int *$restrict member, $t *$restrict sums, int *$restrict counts,
    int n, int clusters)
{
    extern __shared__ __align__(8) unsigned char raw_${k}[];
    $t *c = reinterpret_cast<$t *>(raw_${k});
    for (int e = threadIdx.x; e < clusters * $n; e += blockDim.x) c[e] = centres[e];
    __syncthreads();
    $index
    if (i >= n) return;
    $t x[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) x[j] = points[@{j * n + i@i * $n + j@}];
    $t best = $t(1e30); int at = 0;
$unroll
    for (int q = 0; q < clusters; q++) {
        $t dist = 0;
#pragma unroll
        for (int j = 0; j < $n; j++) { $t e = x[j] - c[q * $n + j]; dist += @{e * e@fabs(e)@}; }
        if (dist < best) { best = dist; at = q; }
    }
    member[i] = at;
    @{atomicAdd(counts + at, 1);
#pragma unroll
    for (int j = 0; j < $n; j++) atomicAdd(sums + at * $n + j, x[j]);@sums[i] = best;@}
}""", k, t=real(d), n=d.of(1, 2, 3, 4, 8, 16))


def nearest_few(d, k):
    """k nearest by brute force over tiles, kept sorted in registers."""
    m = d.of(1, 2, 3, 4)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict query, const $t *$restrict ref, $t *$restrict dist, int *$restrict index, int nq, int nr)
{
    __shared__ $t tile[$b][$m];
    int i = blockIdx.x * $b + threadIdx.x;
    $t q[$m], best[$n]; int at[$n];
#pragma unroll
    for (int j = 0; j < $m; j++) q[j] = i < nq ? query[i * $m + j] : $t(0);
#pragma unroll
    for (int j = 0; j < $n; j++) { best[j] = $t(1e30); at[j] = -1; }
    for (int r0 = 0; r0 < nr; r0 += $b) {
        for (int e = threadIdx.x; e < $b * $m; e += $b) tile[e / $m][e % $m] = ref[r0 * $m + e];
        __syncthreads();
$unroll
        for (int r = 0; r < @{$b@min($b, nr - r0)@}; r++) {
            $t s = 0;
#pragma unroll
            for (int j = 0; j < $m; j++) s += (q[j] - tile[r][j]) * (q[j] - tile[r][j]);
            if (s < best[$n - 1]) {
                int p = r0 + r;
#pragma unroll
                for (int j = 0; j < $n; j++) if (s < best[j]) { $t u = best[j]; best[j] = s; s = u; int w = at[j]; at[j] = p; p = w; }
            }
        }
        __syncthreads();
    }
    if (i < nq)
#pragma unroll
        for (int j = 0; j < $n; j++) { dist[i * $n + j] = @{best[j]@sqrt(best[j])@}; index[i * $n + j] = at[j]; }
}""", k, t=real(d), m=m, n=d.of(1, 2, 4, 8), b=d.of(64, 128, 256))


def filters(d, k):
    """FIR with taps in constant or shared memory, several outputs; biquads in a row; decimation and polyphase; complex taps."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__constant__ float taps_${k}[128];
__global__ void $bounds$k(const $t *$restrict x, $t *$restrict y, int n, int step)
{
    __shared__ $t s[$b * $n + $m];
    int base = blockIdx.x * $b * $n;
    for (int j = threadIdx.x; j < $b * $n + $m; j += $b) s[j] = base + j < n ? x[base + j] : $t{};
    __syncthreads();
    $z
$unroll
    for (int j = 0; j < $m; j++) {
        float c = taps_${k}[j];
#pragma unroll
        for (int q = 0; q < $n; q++) { $w }
    }
#pragma unroll
    for (int q = 0; q < $n; q++) y[base + q * $b + threadIdx.x] = $v;
}""", k, m=d.of(16, 32, 64), n=d.of(1, 2, 4), b=d.of(128, 256),
                      **d.of(dict(t="float", z="float acc[8] = {};", w="acc[q] += c * s[threadIdx.x + q * blockDim.x + j];", v="acc[q]"),
                             dict(t="short", z="float acc[8] = {};", w="acc[q] += c * s[threadIdx.x + q * blockDim.x + j];", v="short(acc[q])"),
                             dict(t="float2", z="float2 acc[8] = {};", w="float2 v = s[threadIdx.x + q * blockDim.x + j]; acc[q].x += c * v.x; acc[q].y += c * v.y;", v="acc[q]")))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k($t *$restrict x, const $t *$restrict coef, $t *$restrict state, int channels, int length)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    $t b0[$n], b1[$n], b2[$n], a1[$n], a2[$n], s1[$n], s2[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) {
        b0[j] = coef[j * 5]; b1[j] = coef[j * 5 + 1]; b2[j] = coef[j * 5 + 2]; a1[j] = coef[j * 5 + 3]; a2[j] = coef[j * 5 + 4];
        s1[j] = state[(2 * j) * channels + c]; s2[j] = state[(2 * j + 1) * channels + c];
    }
$unroll
    for (int i = 0; i < length; i++) {
        $t v = x[@{i * channels + c@c * length + i@}];
#pragma unroll
        for (int j = 0; j < $n; j++) {
            $t y = b0[j] * v + s1[j];
            s1[j] = b1[j] * v - a1[j] * y + s2[j];
            s2[j] = b2[j] * v - a2[j] * y;
            v = y;
        }
        x[@{i * channels + c@c * length + i@}] = v;
    }
#pragma unroll
    for (int j = 0; j < $n; j++) { state[(2 * j) * channels + c] = s1[j]; state[(2 * j + 1) * channels + c] = s2[j]; }
}""", k, t=real(d), n=d.of(1, 2, 3, 4))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const float *$restrict h, $t *$restrict y, int up, int down, int taps, int n, int m)
{
    $index
    if (i >= m) return;
    @{int phase = i * down % up, at = i * down / up;@long long p = (long long)i * down; int at = p / up, phase = p - (long long)at * up;@}
    float sum = 0;
$unroll
    for (int j = 0; j < taps / up; j++) { int e = at - j; if (e >= 0 && e < n) sum += h[phase + j * up] * float(x[e]); }
    y[i] = sum;
}""", k, t=d.of("float", "short", "double"))


def correlation(d, k):
    """Lags of a signal, Pearson's coefficients of columns, distances of time warps."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict a, const $t *$restrict b, $t *$restrict out, int n, int lags)
{
    int lag = (blockIdx.x * blockDim.x + threadIdx.x) * $n;
    if (lag >= lags) return;
    $t sum[$n] = {}, win[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) win[j] = b[lag + j];
$unroll
    for (int i = 0; i < n; i++) {
        $t v = a[i];
#pragma unroll
        for (int j = 0; j < $n; j++) sum[j] += v * win[j];
#pragma unroll
        for (int j = 0; j < $n - 1; j++) win[j] = win[j + 1];
        win[$n - 1] = b[lag + i + $n];
    }
#pragma unroll
    for (int j = 0; j < $n; j++) out[lag + j] = sum[j] @{@/ n@};
}""", k, t=d.of("float", "double", "int"), n=d.of(1, 2, 4, 8))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict X, $t *$restrict corr, int rows, int cols)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
    if (a >= cols || b > a) return;
    $t sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
$unroll
    for (int r = 0; r < rows; r++) { $t x = X[r * cols + a], y = X[r * cols + b]; sa += x; sb += y; saa += x * x; sbb += y * y; sab += x * y; }
    $t cov = sab - sa * sb / rows, va = saa - sa * sa / rows, vb = sbb - sb * sb / rows;
    @{$t v = cov / sqrt(va * vb);@$t v = va * vb > 0 ? cov * rsqrt(va * vb) : $t(0);@$t v = cov / (rows - 1);@}
    corr[a * cols + b] = v; corr[b * cols + a] = v;
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict subject, const $t *$restrict query, $t *$restrict out, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    $t row[$n + 1];
    const $t *x = subject + (size_t)s * $n;
#pragma unroll
    for (int j = 0; j <= $n; j++) row[j] = j ? $t(1e30) : $t(0);
$unroll
    for (int i = 0; i < $n; i++) {
        $t diag = row[0], q = query[i]; row[0] = $t(1e30);
#pragma unroll
        for (int j = 0; j < $n; j++) { $t up = row[j + 1], e = q - x[j]; row[j + 1] = e * e + fmin(diag, fmin(up, row[j])); diag = up; }
    }
    out[s] = row[$n];
}""", k, t=real(d), n=d.of(8, 12, 16, 32))


def complex_fields(d, k):
    """Complex arithmetic: products, quotients, exponentials, links of a lattice (3 x 3), quantum gates."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
struct Cx_${k} { $t re, im; };
__device__ __forceinline__ Cx_${k} operator*(Cx_${k} a, Cx_${k} b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ __forceinline__ Cx_${k} operator+(Cx_${k} a, Cx_${k} b) { return {a.re + b.re, a.im + b.im}; }
__global__ void $bounds$k(const Cx_${k} *$restrict link, const Cx_${k} *$restrict in, Cx_${k} *$restrict out, const int *$restrict near, int volume,
    int dirs)
{
    $index
    if (i >= volume) return;
    Cx_${k} acc[3] = {};
$unroll
    for (int mu = 0; mu < @{4@dirs@8@}; mu++) {
        int j = near[mu * volume + i];
        Cx_${k} v[3];
#pragma unroll
        for (int c = 0; c < 3; c++) v[c] = in[@{c * volume + j@j * 3 + c@}];
#pragma unroll
        for (int r = 0; r < 3; r++)
#pragma unroll
            for (int c = 0; c < 3; c++) acc[r] = acc[r] + link[((size_t)mu * 9 + r * 3 + c) * volume + i] * v[c];
    }
#pragma unroll
    for (int c = 0; c < 3; c++) out[c * volume + i] = acc[c];
}""", k, t=real(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(${t}2 *$restrict state, const ${t}2 *$restrict gate, int q0, int q1, @{long long@int@} n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long lo = i & ((1ll << q0) - 1), mid = (i >> q0 << (q0 + 1)), at = (mid & ((1ll << q1) - 1)) | (mid >> q1 << (q1 + 1)) | lo;
    long long place[4] = {at, at | 1ll << q0, at | 1ll << q1, at | 1ll << q0 | 1ll << q1};
    ${t}2 v[4], r[4];
#pragma unroll
    for (int j = 0; j < $n; j++) v[j] = state[place[j]];
#pragma unroll
    for (int a = 0; a < $n; a++) {
        $t x = 0, y = 0;
#pragma unroll
        for (int b = 0; b < $n; b++) { ${t}2 g = gate[a * $n + b]; x += g.x * v[b].x - g.y * v[b].y; y += g.x * v[b].y + g.y * v[b].x; }
        r[a] = {x, y};
    }
#pragma unroll
    for (int j = 0; j < $n; j++) state[place[j]] = r[j];
}""", k, t=real(d), n=d.of(2, 4))
    return d.cuda("""
__global__ void $bounds$k(const ${t}2 *$restrict x, const ${t}2 *$restrict y, const $t *$restrict phase, ${t}2 *$restrict z, int n, $t eps)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ${t}2 a = x[i], b = y[i]; $t c, s;
        sincos(phase[i], &s, &c);
        @{$t d = b.x * b.x + b.y * b.y + eps, re = (a.x * b.x + a.y * b.y) / d, im = (a.y * b.x - a.x * b.y) / d;
        @$t m = exp(b.x * log(hypot(a.x, a.y)) - b.y * atan2(a.y, a.x)), re = m * c, im = m * s;
        @$t re = a.x * b.x - a.y * b.y, im = a.x * b.y + a.y * b.x;@}
        z[i] = {re * c - im * s, re * s + im * c};
    }
}""", k, t=real(d))


def escape_time(d, k):
    """Other fractals: Newton's, burning ships, Julia in quaternions, flames."""
    o = d.n(0, 2); n = d.of(1, 2, 4)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k($o *$restrict img, int w, int h, $t x0, $t y0, $t step, int limit)
{
    int px = (blockIdx.x * blockDim.x + threadIdx.x) * $n, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
#pragma unroll
    for (int s = 0; s < $n; s++) {
        $t cx = x0 + (px + s) * step, cy = y0 + py * step, x = @{0@cx@}, y = @{0@cy@}, xx, yy; int it = 0;
$unroll
        do { xx = x * x; yy = y * y; y = @{2 * fabs(x * y)@-2 * x * y@2 * x * y@} + cy; x = xx - yy + cx; } while (++it < limit && xx + yy < 4);
        img[py * w + px + s] = @{it@it == limit ? 0 : it + 1 - log2(log2(xx + yy) / 2)@};
    }
}""", k, t=real(d), o=d.of("int", "float", "unsigned char"), n=n)
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(uchar4 *$restrict img, int w, int h, $t scale, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    $t x = (px - w / 2) * scale, y = (py - h / 2) * scale;
    int it = 0;
$unroll
    for (; it < limit; it++) {
        $t x2 = x * x - y * y, y2 = 2 * x * y, x3 = x2 * x - y2 * y, y3 = x2 * y + y2 * x, d = 3 * (x2 * x2 + y2 * y2);
        if (d < $t(1e-9)) break;
        $t nx = ((x3 - 1) * x2 + y3 * y2) / d, ny = (y3 * x2 - (x3 - 1) * y2) / d;
        x -= nx; y -= ny;
        if (nx * nx + ny * ny < $t(1e-8)) break;
    }
    int root = x > 0 ? 0 : y > 0 ? 1 : 2;
    img[py * w + px] = make_uchar4(root == 0 ? 255 - it * 4 : 0, root == 1 ? 255 - it * 4 : 0, root == 2 ? 255 - it * 4 : 0, 255);
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(float *$restrict out, int w, int h, float4 c, float slice, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float dx = (px - .5f * w) / h, dy = (py - .5f * h) / h, t = 0;
    for (int s = 0; s < 64; s++) {
        float4 q = make_float4(dx * t, dy * t, -2.f + t, slice), p = make_float4(1, 0, 0, 0);
        int it = 0;
$unroll
        for (; it < limit; it++) {
            p = make_float4(2 * (q.x * p.x - q.y * p.y - q.z * p.z - q.w * p.w), 2 * (q.x * p.y + p.x * q.y + q.z * p.w - q.w * p.z),
                2 * (q.x * p.z + p.x * q.z + q.w * p.y - q.y * p.w),
                            2 * (q.x * p.w + p.x * q.w + q.y * p.z - q.z * p.y));
            q = make_float4(q.x * q.x - q.y * q.y - q.z * q.z - q.w * q.w + c.x, 2 * q.x * q.y + c.y, 2 * q.x * q.z + c.z, 2 * q.x * q.w + c.w);
            if (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w > 10.f) break;
        }
        float nq = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w), np = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w),
            dist = .5f * nq * logf(nq) / np;
        t += dist;
        if (dist < 1e-3f || t > 10.f) break;
    }
    out[py * w + px] = t;
}""", k)


def mixed_precision(d, k):
    """Halves in pairs, sums in float, double-float and compensated sums."""
    o = d.n(0, 3)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $h *$restrict a, const $h *$restrict b, const $h *$restrict c, $h *$restrict y, float scale, int n)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        $h u = a[i], v = b[i], w = c[i];
        @{$h s = __hfma2(u, v, w), t = __hmul2(__hsub2(u, v), w); y[i] = __hadd2(s, t);@$h s = __hmax2(__hfma2(u, v, w), __hneg2(w));
            y[i] = __hmul2(s, h2exp(u));@
        $h s = u;
#pragma unroll
        for (int j = 0; j < 8; j++) s = __hfma2(s, v, w);
        y[i] = s;@}
    }
}""", k, h=d.of("__half2", "__nv_bfloat162"))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const uint4 *$restrict a, const uint4 *$restrict b, float *$restrict y, int n)
{
    float sum = 0@{@, c = 0@};
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 u = a[i], v = b[i];
        const half2 *p = reinterpret_cast<const half2 *>(&u), *q = reinterpret_cast<const half2 *>(&v);
        @{half2 part = __float2half2_rn(0.f);
#pragma unroll
        for (int j = 0; j < 4; j++) part = __hfma2(p[j], q[j], part);
        float2 f = __half22float2(part); sum += f.x + f.y;
        @
#pragma unroll
        for (int j = 0; j < 4; j++) { float2 f = __half22float2(p[j]), g = __half22float2(q[j]); sum = fmaf(f.x, g.x, sum); sum = fmaf(f.y, g.y,
            sum); }
        @}
    }
    for (int s = 16; s; s >>= 1) sum += __shfl_down_sync(~0u, sum, s);
    if (threadIdx.x % 32 == 0) atomicAdd(y, sum);
}""", k)
    if o == 2:
        return d.cuda("""
__global__ void $bounds$k(const float2 *$restrict a, const float2 *$restrict b, float2 *$restrict y, int n, int terms)
{
    $index
    if (i >= n) return;
    float hi = 0, lo = 0;
$unroll
    for (int j = 0; j < terms; j++) {
        float2 u = a[j * n + i], v = b[j * n + i];
        float p = u.x * v.x, e = fmaf(u.x, v.x, -p) + u.x * v.y + u.y * v.x;
        float s = __fadd_rn(hi, p), w = __fadd_rn(s, -hi), r = __fadd_rn(__fadd_rn(hi, -__fadd_rn(s, -w)), __fadd_rn(p, -w)) + lo + e;
        hi = __fadd_rn(s, r); lo = __fadd_rn(r, -__fadd_rn(hi, -s));
    }
    y[i] = make_float2(hi, lo);
}""", k)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, $t *$restrict sum, int n)
{
    __shared__ $t s[$b], cs[$b];
    $t total = 0, c = 0;
$unroll
    for (int i = blockIdx.x * $b + threadIdx.x; i < n; i += gridDim.x * $b) {
        $t v = x[i];
        @{$t y = v - c, t = total + y; c = (t - total) - y; total = t;@$t t = total + v; c += fabs(total) >= fabs(v) ? (total - t) + v : (v - t)
            + total; total = t;@}
    }
    s[threadIdx.x] = total; cs[threadIdx.x] = c;
    __syncthreads();
    for (int o = $b / 2; o; o >>= 1) {
        if (threadIdx.x < o) { $t a = s[threadIdx.x], b = s[threadIdx.x + o], t = a + b; cs[threadIdx.x] += cs[threadIdx.x + o]
            + (fabs(a) > fabs(b) ? (a - t) + b : (b - t) + a); s[threadIdx.x] = t; }
        __syncthreads();
    }
    if (threadIdx.x == 0) sum[blockIdx.x] = s[0] + cs[0];
}""", k, t=real(d), b=d.of(128, 256))


def volume_rays(d, k):
    """Rays through a volume: samples blended front to back from memory or a texture, projections back and forth."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(@source, const float4 *$restrict transfer, uchar4 *$restrict img, int w, int h, float3 eye, float3 axis_x, float3 axis_y,
    float density, float step)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float u = 2.f * px / w - 1, v = 2.f * py / h - 1;
    float dx = axis_x.x * u + axis_y.x * v - eye.x, dy = axis_x.y * u + axis_y.y * v - eye.y, dz = axis_x.z * u + axis_y.z * v - eye.z,
        s = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= s; dy *= s; dz *= s;
    float ix = 1 / dx, iy = 1 / dy, iz = 1 / dz, x0 = (-1 - eye.x) * ix, x1 = (1 - eye.x) * ix, y0 = (-1 - eye.y) * iy, y1 = (1 - eye.y) * iy,
        z0 = (-1 - eye.z) * iz, z1 = (1 - eye.z) * iz;
    float near = fmaxf(fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1)), 0.f), far = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0,
        z1));
    float r = 0, g = 0, b = 0, a = 0;
$unroll
    for (float t = near; t < far; t += step) {
        float x = (eye.x + t * dx) * .5f + .5f, y = (eye.y + t * dy) * .5f + .5f, z = (eye.z + t * dz) * .5f + .5f;
        @fetch
        float4 c = transfer[int(f * 255.f)];
        c.w *= density;
        float m = c.w * (1 - a);
        r += c.x * m; g += c.y * m; b += c.z * m; a += m;
        if (a > .95f) break;
    }
    img[py * w + px] = make_uchar4(__saturatef(r) * 255, __saturatef(g) * 255, __saturatef(b) * 255, a * 255);
}""".replace("@source", "cudaTextureObject_t vol" if (tex := d.of(0, 1)) else "const float *$restrict vol, int n").replace(
            "@fetch", "float f = tex3D<float>(vol, x, y, z);" if tex else "float f = vol[(int(z * (n - 1)) * n + int(y * (n - 1))) * n + int(x * (n - 1))];"), k)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict sinogram, $t *$restrict image, const float2 *$restrict angles, int n, int bins, int views, $t centre)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    $t fx = x - n / 2, fy = y - n / 2, sum = 0;
$unroll
    for (int v = 0; v < views; v++) {
        float2 a = angles[v];
        $t p = fx * a.x + fy * a.y + centre;
        int i = int(floor(p)); $t f = p - i;
        @{if (i >= 0 && i < bins - 1) sum += (1 - f) * sinogram[v * bins + i] + f * sinogram[v * bins + i + 1];@i = min(max(i, 0), bins - 2);
            sum += sinogram[v * bins + i] + f * (sinogram[v * bins + i + 1] - sinogram[v * bins + i]);@}
    }
    image[y * n + x] = sum / views;
}""", k, t=real(d))


KINDS = [option_greeks, lattice_option, regression_paths, fourier_radix, fourier_shared, cosine_transform, wavelet, runge_kutta, chemistry_rates, splines, rotations,
         distance_field, cluster_means, nearest_few, filters, correlation, complex_fields, escape_time, mixed_precision, volume_rays]
