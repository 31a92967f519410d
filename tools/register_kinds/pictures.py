"""Pictures: filters, colours, geometry, features, transforms of distance and of light."""


def convolve_separable(d, k):
    """Rows or columns, several results a thread, weights in constant memory."""
    axis = d.of("row", "column"); bx, by = ((16, 4) if axis == "row" else (16, 8)); steps = d.of(2, 4, 8); r = d.of(1, 3, 4, 8); halo = 1
    if axis == "row":
        return d.cuda("""
__constant__ float w_${k}[2 * $r + 1];
__global__ void $bounds$k($t *$restrict dst, const $t *$restrict src, int w, int h, int pitch)
{
    __shared__ float s[$by][($steps + 2) * $bx];
    const int x0 = (blockIdx.x * $steps - 1) * $bx + threadIdx.x, y = blockIdx.y * $by + threadIdx.y;
    src += y * pitch + x0; dst += y * pitch + x0;
#pragma unroll
    for (int i = 1; i <= $steps; i++) s[threadIdx.y][threadIdx.x + i * $bx] = src[i * $bx];
    s[threadIdx.y][threadIdx.x] = x0 >= 0 ? float(src[0]) : 0.f;
    s[threadIdx.y][threadIdx.x + ($steps + 1) * $bx] = w - x0 > ($steps + 1) * $bx ? float(src[($steps + 1) * $bx]) : 0.f;
    __syncthreads();
$unroll
    for (int i = 1; i <= $steps; i++) {
        float sum = 0;
$unroll
        for (int j = -$r; j <= $r; j++) sum += w_${k}[$r - j] * s[threadIdx.y][threadIdx.x + i * $bx + j];
        dst[i * $bx] = @{sum@fminf(fmaxf(sum, 0.f), 255.f)@};
    }
}""", k, t=d.of("float", "float", "unsigned char", "unsigned short"), r=r, bx=bx, by=by, steps=steps)
    return d.cuda("""
__constant__ float w_${k}[2 * $r + 1];
__global__ void $bounds$k($t *$restrict dst, const $t *$restrict src, int w, int h, int pitch)
{
    __shared__ float s[$bx][($steps + 2) * $by + 1];
    const int x = blockIdx.x * $bx + threadIdx.x, y0 = (blockIdx.y * $steps - 1) * $by + threadIdx.y;
    if (x >= w) return;
$unroll
    for (int i = 0; i < $steps + 2; i++) {
        int y = y0 + i * $by;
        s[threadIdx.x][threadIdx.y + i * $by] = @{y >= 0 && y < h ? float(src[y * pitch + x]) : 0.f@src[min(max(y, 0), h - 1) * pitch + x]@};
    }
    __syncthreads();
$unroll
    for (int i = 1; i <= $steps; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -$r; j <= $r; j++) sum += w_${k}[$r - j] * s[threadIdx.x][threadIdx.y + i * $by + j];
        @{if (y0 + i * $by < h) @@}dst[(y0 + i * $by) * pitch + x] = sum;
    }
}""", k, t=d.of("float", "float", "unsigned char", "half"), r=r, bx=bx, by=by, steps=steps)


def convolve_colour(d, k):
    """A window over pixels of three or four channels, or over planes."""
    return d.cuda("""
__global__ void $bounds$k(const $p *$restrict src, $p *$restrict dst, const float *$restrict mask, int w, int h, float bias)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float r = bias, g = bias, b = bias@{@, weight = 0@};
$unroll
    for (int j = 0; j < $n; j++)
$unroll
        for (int i = 0; i < $n; i++) {
            int u = min(max(x + i - $n / 2, 0), w - 1), v = min(max(y + j - $n / 2, 0), h - 1);
            $p q = src[v * w + u];
            float m = mask[j * $n + i];
            r += m * q.x; g += m * q.y; b += m * q.z;
        }
    $p o = src[y * w + x];
    o.x = @{r@fminf(fmaxf(r, 0.f), 255.f)@}; o.y = @{g@__saturatef(g) * 255@}; o.z = b;
    dst[y * w + x] = o;
}""", k, p=d.of("uchar3", "uchar4", "float3", "float4"), n=d.of(3, 5, 7))


def bilateral(d, k):
    """Weights of distance and of likeness, of grey or colour; a guide picture (joint)."""
    t = d.of("float", "float4", "float3", "unsigned char"); grey = t in ("float", "unsigned char")
    diff = "float e = float(q) - float(c), e2 = e * e;" if grey else "float ex = q.x - c.x, ey = q.y - c.y, ez = q.z - c.z, e2 = ex * ex + ey * ey + ez * ez;"
    add = "sum += wt * float(q);" if grey else "sx += wt * q.x; sy += wt * q.y; sz += wt * q.z;"
    out = "dst[y * w + x] = sum / norm;" if grey else "c.x = sx / norm; c.y = sy / norm; c.z = sz / norm; dst[y * w + x] = c;"
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, @{const float *$restrict space@float space@}, $t *$restrict dst, int w, int h, int radius,
    float range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    $t c = src[y * w + x];
    float norm = 0, """ + ("sum = 0" if grey else "sx = 0, sy = 0, sz = 0") + """;
$unroll
    for (int dy = -$r; dy <= $r; dy++)
$unroll
        for (int dx = -$r; dx <= $r; dx++) {
            int u = x + dx, v = y + dy;
            @{if (u < 0 || v < 0 || u >= w || v >= h) continue;@u = max(0, min(u, w - 1)); v = max(0, min(v, h - 1));@}
            $t q = src[v * w + u];
            """ + diff + """
            float wt = @{__expf(-e2 * range)@expf(-e2 / (2 * range * range) - (dx * dx + dy * dy) * range)@exp2f(-e2 * range) / (1 + dx * dx
                + dy * dy)@};
            """ + add + """
            norm += wt;
        }
    """ + out + """
}""", k, t=t, r=d.of("radius", "2", "3", "1", "4"))


def median(d, k):
    """By exchanges in registers of a 3 x 3 or 5 x 5 window, or by insertion."""
    n = d.of(3, 3, 5); m = n * n
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, $t *$restrict dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    @{if (x < $n / 2 || y < $n / 2 || x >= w - $n / 2 || y >= h - $n / 2) return;@if (x >= w || y >= h) return;@}
    $t v[$m];
#pragma unroll
    for (int j = 0; j < $m; j++) v[j] = src[(y + j / $n - $n / 2) * w + x + j % $n - $n / 2];
#pragma unroll
    for (int i = 0; i <= $m / 2; i++)
#pragma unroll
        for (int j = i + 1; j < $m; j++) { $t lo = v[i] < v[j] ? v[i] : v[j], hi = v[i] < v[j] ? v[j] : v[i]; v[i] = lo; v[j] = hi; }
    dst[y * w + x] = v[$m / 2];
}""", k, t=d.of("float", "unsigned char", "int", "unsigned short"), n=n, m=m)
    return d.cuda("""
__device__ __forceinline__ void order_${k}($t &a, $t &b) { $t t = min(a, b); b = max(a, b); a = t; }
__global__ void $bounds$k(const $t *$restrict src, $t *$restrict dst, int w, int h)
{
    __shared__ $t s[18][18];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    for (int j = ty; j < 18; j += 16)
        for (int i = tx; i < 18; i += 16) s[j][i] = src[min(max(int(blockIdx.y * 16) + j - 1, 0), h - 1) * w + min(max(int(blockIdx.x * 16) + i - 1,
            0), w - 1)];
    __syncthreads();
    $t a0 = s[ty][tx], a1 = s[ty][tx + 1], a2 = s[ty][tx + 2], b0 = s[ty + 1][tx], b1 = s[ty + 1][tx + 1], b2 = s[ty + 1][tx + 2];
    $t c0 = s[ty + 2][tx], c1 = s[ty + 2][tx + 1], c2 = s[ty + 2][tx + 2];
    order_${k}(a0, a1); order_${k}(a1, a2); order_${k}(a0, a1);
    order_${k}(b0, b1); order_${k}(b1, b2); order_${k}(b0, b1);
    order_${k}(c0, c1); order_${k}(c1, c2); order_${k}(c0, c1);
    $t lo = max(max(a0, b0), c0), hi = min(min(a2, b2), c2);
    order_${k}(a1, b1); order_${k}(b1, c1); order_${k}(a1, b1);
    order_${k}(lo, b1); order_${k}(b1, hi); order_${k}(lo, b1);
    if (x < w && y < h) dst[y * w + x] = b1;
}""", k, t=d.of("float", "int"))


def sobel(d, k):
    """Gradients, their size and direction, and suppression of what is not the largest (Canny)."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, $o *$restrict mag, unsigned char *$restrict dir, int w, int h, float scale)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
    const $t *p = src + y * w + x;
    int a = p[-w - 1], b = p[-w], c = p[-w + 1], e = p[-1], f = p[1], g = p[w - 1], i = p[w], j = p[w + 1];
    @{int gx = c + 2 * f + j - a - 2 * e - g, gy = a + 2 * b + c - g - 2 * i - j;@int gx = 3 * (c + j - a - g) + 10 * (f - e), gy = 3 * (a
        + c - g - j) + 10 * (b - i);@}
    mag[y * w + x] = @{sqrtf(float(gx * gx + gy * gy)) * scale@(abs(gx) + abs(gy)) * scale@min(255, abs(gx) + abs(gy))@};
    @{dir[y * w + x] = int(atan2f(gy, gx) * 1.2732395f + 4.5f) & 3;@@}
}""", k, t=d.of("unsigned char", "float", "short"), o=d.of("float", "unsigned char", "short"))
    return d.cuda("""
__global__ void $bounds$k(const float *$restrict gx, const float *$restrict gy, unsigned char *$restrict out, int w, int h, float low, float high)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    float dx = gx[i], dy = gy[i], m = sqrtf(dx * dx + dy * dy);
    int step = fabsf(dx) > 2.414f * fabsf(dy) ? 1 : fabsf(dy) > 2.414f * fabsf(dx) ? w : dx * dy > 0 ? w + 1 : w - 1;
    float p = hypotf(gx[i + step], gy[i + step]), q = hypotf(gx[i - step], gy[i - step]);
    out[i] = m >= p && m > q ? (m > high ? 255 : m > low ? 128 : 0) : 0;
}""", k)


def resample(d, k):
    """Scaling and warping: nearest, bilinear, bicubic, from memory or a texture; a map or a matrix says where from."""
    where = d.of("float u = mapx[y * dw + x], v = mapy[y * dw + x];", "float u = (x + .5f) * m.x - .5f, v = (y + .5f) * m.y - .5f;",
                 "float u = m.x * x + m.y * y + tx, v = m.z * x + m.w * y + ty;", "float q = 1.f / (tx * x + ty * y + 1.f), u = (m.x * x + m.y * y) * q, v = (m.z * x + m.w * y) * q;",
                 "float px = (x - dw * .5f) / dw, py = (y - dh * .5f) / dh, r2 = px * px + py * py, f = 1.f + m.x * r2 + m.y * r2 * r2; float u = (px * f + .5f) * sw, v = (py * f + .5f) * sh;")
    t = d.of("float", "unsigned char", "uchar4", "float4"); wide = t[-1] == "4"
    lerp = "{c} = (1 - fv) * ((1 - fu) * p00{c} + fu * p01{c}) + fv * ((1 - fu) * p10{c} + fu * p11{c});"
    mix = "".join("o" + lerp.format(c=f".{c}") + " " for c in "xyzw") if wide else "o" + lerp.format(c="")
    o = d.n(0, 2); head = """
__global__ void $bounds$k(@{const $t *$restrict src@const $t *$restrict src@}, int sw, int sh, $t *$restrict dst, int dw, int dh,
    const float *$restrict mapx,
                          const float *$restrict mapy, float4 m, float tx, float ty)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh) return;
    """ + where
    if o == 0:
        return d.cuda(head + """
    int u0 = floorf(u), v0 = floorf(v);
    float fu = u - u0, fv = v - v0;
    int u1 = min(max(u0 + 1, 0), sw - 1), v1 = min(max(v0 + 1, 0), sh - 1);
    u0 = min(max(u0, 0), sw - 1); v0 = min(max(v0, 0), sh - 1);
    $t p00 = src[v0 * sw + u0], p01 = src[v0 * sw + u1], p10 = src[v1 * sw + u0], p11 = src[v1 * sw + u1], o;
    """ + mix + """
    dst[y * dw + x] = o;
}""", k, t=t)
    if o == 1:
        return d.cuda(head + """
    int u0 = __float2int_rd(u), v0 = __float2int_rd(v);
    float fu = u - u0, fv = v - v0, sum = 0, wu[4], wv[4];
    const float a = @{-.5f@-.75f@};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float du = fabsf(fu - (j - 1)), dv = fabsf(fv - (j - 1));
        wu[j] = du < 1 ? ((a + 2) * du - (a + 3)) * du * du + 1 : ((a * du - 5 * a) * du + 8 * a) * du - 4 * a;
        wv[j] = dv < 1 ? ((a + 2) * dv - (a + 3)) * dv * dv + 1 : ((a * dv - 5 * a) * dv + 8 * a) * dv - 4 * a;
    }
$unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int q = min(max(u0 + i - 1, 0), sw - 1), r = min(max(v0 + j - 1, 0), sh - 1);
            sum += wv[j] * wu[i] * src[r * sw + q];
        }
    dst[y * dw + x] = sum;
}""", k, t=d.of("float", "unsigned char", "short"))
    return d.cuda(head.replace("@{const $t *$restrict src@const $t *$restrict src@}", "cudaTextureObject_t src") + """
    $t o;
    @{o = tex2D<$t>(src, u, v);@o = tex2D<$t>(src, (u + .5f) / sw, (v + .5f) / sh);@} $more
    dst[y * dw + x] = o;
}""", k, t=t, more="" if wide else d.of("", f"float s = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += tex2D<{t}>(src, u + i, v + j); o = s / 9;"))


def colour_space(d, k):
    """RGB to and from YUV, HSV, Lab; planes, packed, sub-sampled."""
    o = d.n(0, 3)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const uchar4 *$restrict rgb, unsigned char *$restrict luma, uchar2 *$restrict chroma, int w, int h)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x + 1 >= w || y + 1 >= h) return;
    int su = 0, sv = 0;
$unroll
    for (int j = 0; j < 2; j++)
$unroll
        for (int i = 0; i < 2; i++) {
            uchar4 p = rgb[(y + j) * w + x + i];
            luma[(y + j) * w + x + i] = @{((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16@.257f * p.x + .504f * p.y + .098f * p.z + 16@};
            su += -38 * p.x - 74 * p.y + 112 * p.z; sv += 112 * p.x - 94 * p.y - 18 * p.z;
        }
    chroma[(y / 2) * (w / 2) + x / 2] = make_uchar2((su + 512 >> 10) + 128, (sv + 512 >> 10) + 128);
}""", k)
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const unsigned char *$restrict yuv, $p *$restrict out, int w, int h, int pitch)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * @{1@2@}, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const unsigned char *uv = yuv + pitch * h + (y / 2) * pitch + (x & ~1);
    float u = uv[0] - 128.f, v = uv[1] - 128.f;
$unroll
    for (int j = 0; j < 2; j++) {
        float l = 1.164f * (yuv[y * pitch + x + j] - 16.f);
        $p q;
        q.x = fminf(fmaxf(l + 1.596f * v, 0.f), 255.f);
        q.y = fminf(fmaxf(l - .391f * u - .813f * v, 0.f), 255.f);
        q.z = fminf(fmaxf(l + 2.018f * u, 0.f), 255.f);
        out[y * w + x + j] = q;
    }
}""", k, p=d.of("uchar4", "float4", "uchar3", "float3"))
    if o == 2:
        return d.cuda("""
__global__ void $bounds$k(const $p *$restrict in, $p *$restrict out, int n, float hue, float saturation, float value)
{
    $index
    if (i >= n) return;
    $p c = in[i];
    float r = c.x @{/ 255.f@@}, g = c.y @{/ 255.f@@}, b = c.z @{/ 255.f@@};
    float hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b)), delta = hi - lo, h = 0, s = hi > 0 ? delta / hi : 0.f;
    if (delta > 0) {
        if (hi == r) h = fmodf((g - b) / delta, 6.f);
        else if (hi == g) h = (b - r) / delta + 2.f;
        else h = (r - g) / delta + 4.f;
    }
    h += hue; s = __saturatef(s * saturation); hi *= value;
    @{@h -= floorf(h / 6.f) * 6.f;@}
    float chroma = hi * s, m = hi - chroma, x = chroma * (1.f - fabsf(fmodf(h, 2.f) - 1.f));
    switch (int(h)) {
    case 0: r = chroma; g = x; b = 0; break;
    case 1: r = x; g = chroma; b = 0; break;
    case 2: r = 0; g = chroma; b = x; break;
    case 3: r = 0; g = x; b = chroma; break;
    case 4: r = x; g = 0; b = chroma; break;
    default: r = chroma; g = 0; b = x;
    }
    c.x = (r + m) * 255.f; c.y = (g + m) * 255.f; c.z = (b + m) * 255.f;
    out[i] = c;
}""", k, p=d.of("uchar4", "float4", "float3"))
    return d.cuda("""
__device__ __forceinline__ float linear_${k}(float c) { return c <= .04045f ? c / 12.92f : powf((c + .055f) / 1.055f, 2.4f); }
__device__ __forceinline__ float lab_${k}(float t) { return t > .008856f ? cbrtf(t) : 7.787f * t + .13793f; }
__global__ void $bounds$k(const $p *$restrict in, float *$restrict L, float *$restrict A, float *$restrict B, int n)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += @{n@gridDim.x * blockDim.x@}) {
        $p c = in[i];
        float r = linear_${k}(c.x / 255.f), g = linear_${k}(c.y / 255.f), b = linear_${k}(c.z / 255.f);
        float x = lab_${k}((.4124f * r + .3576f * g + .1805f * b) / .9505f), y = lab_${k}(.2126f * r + .7152f * g + .0722f * b);
        float z = lab_${k}((.0193f * r + .1192f * g + .9505f * b) / 1.089f);
        L[i] = 116.f * y - 16.f; A[i] = 500.f * (x - y); B[i] = 200.f * (y - z);
    }
}""", k, p=d.of("uchar4", "uchar3", "float4"))


def morphology(d, k):
    """Erosion, dilation, gradients with flat windows; of bytes four at once."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, $t *$restrict dst, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    $t lo = src[y * w + x], hi = lo;
$unroll
    for (int j = max(y - $r, 0); j <= min(y + $r, h - 1); j++)
$unroll
        for (int i = max(x - $r, 0); i <= min(x + $r, w - 1); i++) { $t v = src[j * w + i]; lo = min(lo, v); hi = max(hi, v); }
    dst[y * w + x] = @{hi - lo@lo@hi@};
}""", k, t=d.of("unsigned char", "int", "float"), r=d.of("r", "1", "2"))
    return d.cuda("""
__global__ void $bounds$k(const unsigned *$restrict src, unsigned *$restrict dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - 1 || x < 1 || y < $r || y >= h - $r) return;
    unsigned best = @{0@~0u@};
$unroll
    for (int j = -$r; j <= $r; j++) {
        unsigned l = src[(y + j) * w + x - 1], c = src[(y + j) * w + x], e = src[(y + j) * w + x + 1];
        unsigned left = __byte_perm(l, c, 0x6543), right = __byte_perm(c, e, 0x4321);
        @{best = __vmaxu4(best, __vmaxu4(c, __vmaxu4(left, right)));@best = __vminu4(best, __vminu4(c, __vminu4(left, right)));@}
    }
    dst[y * w + x] = best;
}""", k, r=d.of(1, 2, 3))


def picture_histogram(d, k):
    """Counts by level or by colour, privatised in shared memory; and the mapping made of them."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $p *$restrict img, unsigned *$restrict hist, int w, int h)
{
    __shared__ unsigned s[3 * $bins];
    int t = threadIdx.y * blockDim.x + threadIdx.x, nt = blockDim.x * blockDim.y;
    for (int i = t; i < 3 * $bins; i += nt) s[i] = 0;
    __syncthreads();
$unroll
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += blockDim.y * gridDim.y)
$unroll
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += blockDim.x * gridDim.x) {
            $p p = img[y * w + x];
            atomicAdd(&s[int(p.x) * $bins / 256], 1);
            atomicAdd(&s[$bins + int(p.y) * $bins / 256], 1);
            @{atomicAdd(&s[2 * $bins + int(p.z) * $bins / 256], 1);@@}
        }
    __syncthreads();
    for (int i = t; i < 3 * $bins; i += nt) @{atomicAdd(hist + i, s[i]);@hist[(blockIdx.x + blockIdx.y * gridDim.x) * 3 * $bins + i] = s[i];@}
}""", k, p=d.of("uchar4", "uchar3", "float4"), bins=d.of(64, 128, 256))
    return d.cuda("""
__global__ void $bounds$k(const unsigned char *$restrict src, unsigned char *$restrict dst, const unsigned *$restrict cdf, int n, int tiles, int w)
{
    __shared__ unsigned char map[256];
    int t = threadIdx.x;
    if (t < 256) {
        unsigned low = cdf[0];
        map[t] = @{255.f * (cdf[t] - low) / (n - low) + .5f@(cdf[t] - low) * 255 / max(n - low, 1u)@};
    }
    __syncthreads();
$unroll
    for (int i = blockIdx.x * blockDim.x + t; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 p = reinterpret_cast<const uchar4 *>(src)[i];
        reinterpret_cast<uchar4 *>(dst)[i] = make_uchar4(map[p.x], map[p.y], map[p.z], map[p.w]);
    }
}""", k)


def integral_picture(d, k):
    """Sums over all above and left by warps, and windows read from them."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, $o *$restrict sum, int w, int h)
{
    __shared__ $o total[32];
    int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    $o carry = 0;
    for (int x0 = 0; x0 < w; x0 += blockDim.x) {
        int x = x0 + threadIdx.x;
        $o v = x < w ? $o(src[row * w + x]) : $o(0);
$unroll
        for (int o = 1; o < 32; o <<= 1) { $o u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
        if (lane == 31) total[warp] = v;
        __syncthreads();
        if (warp == 0) {
            $o s = lane < blockDim.x / 32 ? total[lane] : $o(0);
            for (int o = 1; o < 32; o <<= 1) { $o u = __shfl_up_sync(~0u, s, o); if (lane >= o) s += u; }
            total[lane] = s;
        }
        __syncthreads();
        v += carry + (warp ? total[warp - 1] : $o(0));
        if (x < w) sum[row * w + x] = v;
        carry += total[blockDim.x / 32 - 1];
        __syncthreads();
    }
}""", k, t=d.of("unsigned char", "float", "int"), o=d.of("float", "unsigned", "double", "int"))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict sum, const $t *$restrict square, const unsigned char *$restrict src, float *$restrict dst, int w,
    int h, int r, float kk)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int x0 = max(x - r, 1) - 1, y0 = max(y - r, 1) - 1, x1 = min(x + r, w - 1), y1 = min(y + r, h - 1);
    float area = (x1 - x0) * (y1 - y0);
    float s = float(sum[y1 * w + x1] - sum[y0 * w + x1] - sum[y1 * w + x0] + sum[y0 * w + x0]), mean = s / area;
    @{dst[y * w + x] = mean;@float q = float(square[y1 * w + x1] - square[y0 * w + x1] - square[y1 * w + x0] + square[y0 * w + x0]);
    float dev = sqrtf(fmaxf(q / area - mean * mean, 0.f));
    dst[y * w + x] = src[y * w + x] > mean * (1.f + kk * (dev / 128.f - 1.f)) ? 255 : 0;@}
}""", k, t=d.of("unsigned", "float", "double"))


def dither(d, k):
    """Ordered, by noise, or error diffused along a row."""
    if d.of(0, 1):
        return d.cuda("""
__constant__ unsigned char bayer_${k}[64];
__global__ void $bounds$k(const $p *$restrict src, $p *$restrict dst, int w, int h, int levels)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    $p c = src[y * w + x];
    @{float t = bayer_${k}[(y & 7) * 8 + (x & 7)] / 64.f - .5f;@unsigned n = x * 1973 + y * 9277 + 26699; n = (n << 13) ^ n;
        float t = (n * (n * n * 15731 + 789221) & 0xffff) / 65536.f - .5f;@}
    float step = 255.f / (levels - 1);
    c.x = rintf((c.x + t * step) / step) * step; c.y = rintf((c.y + t * step) / step) * step; c.z = rintf((c.z + t * step) / step) * step;
    dst[y * w + x] = c;
}""", k, p=d.of("uchar4", "float4", "float3"))
    return d.cuda("""
__global__ void $bounds$k($t *$restrict img, unsigned char *$restrict out, int w, int h)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    float e1 = 0, e2 = 0;
$unroll
    for (int x = 0; x < w; x++) {
        float v = img[@{y * w + x@x * h + y@}] + e1 * .4375f@{@ + e2 * .1875f@};
        int q = @{v > 127.f ? 255 : 0@min(255, max(0, int(v / 64.f + .5f) * 64))@};
        out[y * w + x] = q;
        e2 = e1; e1 = v - q;
    }
}""", k, t=d.of("float", "unsigned char", "int"))


def tone_map(d, k):
    """High range to low: several curves, a white point, gamma."""
    curve = d.of("v = v / (1 + v);", "v = v * (1 + v / (white * white)) / (1 + v);", "v = (v * (2.51f * v + .03f)) / (v * (2.43f * v + .59f) + .14f);",
                 "v = fmaxf(0.f, v - .004f); v = (v * (6.2f * v + .5f)) / (v * (6.2f * v + 1.7f) + .06f);", "v = 1.f - __expf(-v);", "v = __logf(1 + v) / __logf(1 + white);",
                 "v = ((v * (.15f * v + .05f) + .004f) / (v * (.15f * v + .5f) + .06f)) - .0667f;")
    return d.cuda("""
__global__ void $bounds$k(const $p *$restrict hdr, uchar4 *$restrict out, const float *$restrict average, int n, float key, float white, float gamma)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        $p c = hdr[i];
        float rgb[3] = {float(c.x), float(c.y), float(c.z)}, lum = .2126f * rgb[0] + .7152f * rgb[1] + .0722f * rgb[2];
        float scale = key / *average;
        unsigned char o[3];
#pragma unroll
        for (int j = 0; j < 3; j++) {
            float v = rgb[j] * scale;
            """ + curve + """
            @{v = powf(v, 1.f / gamma);@v = sqrtf(v);@v = v <= .0031308f ? 12.92f * v : 1.055f * __powf(v, 1 / 2.4f) - .055f;@}
            o[j] = __saturatef(v) * 255.f + .5f;
        }
        out[i] = make_uchar4(o[0], o[1], o[2], @{255@lum@});
    }
}""", k, p=d.of("float4", "float3", "ushort4"))


def non_local_means(d, k):
    """Patches compared over a window."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict src, $t *$restrict dst, int w, int h, float inv_h2, @{int window@float noise@})
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < $n + $p || y < $n + $p || x >= w - $n - $p || y >= h - $n - $p) return;
    float sum = 0, norm = 0@{@, best = 0@};
$unroll
    for (int v = -$n; v <= $n; v++)
$unroll
        for (int u = -$n; u <= $n; u++) {
            float dist = 0;
#pragma unroll
            for (int j = -$p; j <= $p; j++)
#pragma unroll
                for (int i = -$p; i <= $p; i++) {
                    float e = float(src[(y + j) * w + x + i]) - float(src[(y + v + j) * w + x + u + i]);
                    dist += e * e;
                }
            float wt = @{__expf@expf@}(-(dist * inv_h2 + (u * u + v * v) * .01f));
            norm += wt;
            sum += wt * src[(y + v) * w + x + u];
        }
    dst[y * w + x] = sum / norm;
}""", k, t=d.of("float", "unsigned char"), n=d.of(2, 3, 5), p=d.of(1, 2))


def corners(d, k):
    """Harris or the smaller eigenvalue, and FAST on a circle."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const float *$restrict img, float *$restrict score, int w, int h, float kk)
{
    __shared__ float s[$b + 4][$b + 4];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * $b + tx, y = blockIdx.y * $b + ty;
    for (int j = ty; j < $b + 4; j += $b)
        for (int i = tx; i < $b + 4; i += $b)
            s[j][i] = img[min(max(int(blockIdx.y) * $b + j - 2, 0), h - 1) * w + min(max(int(blockIdx.x) * $b + i - 2, 0), w - 1)];
    __syncthreads();
    float xx = 0, yy = 0, xy = 0;
$unroll
    for (int j = 1; j <= 3; j++)
$unroll
        for (int i = 1; i <= 3; i++) {
            const float gx = s[ty + j][tx + i + 1] - s[ty + j][tx + i - 1], gy = s[ty + j + 1][tx + i] - s[ty + j - 1][tx + i];
            const float g = @{1.f@(i == 2 ? 2.f : 1.f) * (j == 2 ? 2.f : 1.f)@};
            xx += g * gx * gx; yy += g * gy * gy; xy += g * gx * gy;
        }
    if (x < w && y < h) score[y * w + x] = @{xx * yy - xy * xy - kk * (xx + yy) * (xx + yy)@.5f * (xx + yy - sqrtf((xx - yy) * (xx - yy)
        + 4 * xy * xy))@(xx * yy - xy * xy) / (xx + yy + kk)@};
}""", k, b=d.of(8, 16, 32))
    return d.cuda("""
__constant__ int circle_${k}[16];
__global__ void $bounds$k(const unsigned char *$restrict img, short2 *$restrict found, unsigned *count, int w, int h, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 3, y = blockIdx.y * blockDim.y + threadIdx.y + 3;
    if (x >= w - 3 || y >= h - 3) return;
    const unsigned char *p = img + y * w + x;
    int c = *p;
    unsigned bright = 0, dark = 0;
    @{if (abs(p[-3] - c) <= limit && abs(p[3] - c) <= limit) return;@@}
$unroll
    for (int j = 0; j < 16; j++) { int v = p[circle_${k}[j]]; bright |= unsigned(v > c + limit) << j; dark |= unsigned(v < c - limit) << j; }
    bright |= bright << 16; dark |= dark << 16;
    @{for (int j = 1; j < 9; j++) { bright &= bright << 1 | bright >> 31; dark &= dark >> 1; }@bright &= bright >> 1; dark &= dark >> 1;
        bright &= bright >> 2; dark &= dark >> 2; bright &= bright >> 4; dark &= dark >> 4;@}
    if (bright | dark) { unsigned at = atomicAdd(count, 1); found[at] = make_short2(x, y); }
}""", k)


def hough(d, k):
    """Votes for lines (angles in shared memory) or circles."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const unsigned *$restrict points, int n, int *$restrict acc, int rhos, float inv_rho)
{
    extern __shared__ int votes_${k}[];
    for (int i = threadIdx.x; i < rhos; i += blockDim.x) votes_${k}[i] = 0;
    __syncthreads();
    float s, c;
    @{sincosf(blockIdx.x * .0174533f, &s, &c);@__sincosf(blockIdx.x * .0174533f, &s, &c);@sincospif(blockIdx.x / 180.f, &s, &c);@}
    s *= inv_rho; c *= inv_rho;
$unroll
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned p = points[i];
        int r = __float2int_rn((p & 0xffff) * c + (p >> 16) * s) + rhos / 2;
        atomicAdd(votes_${k} + r, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rhos; i += blockDim.x) acc[blockIdx.x * rhos + i] = votes_${k}[i];
}""", k)
    return d.cuda("""
__global__ void $bounds$k(const short2 *$restrict points, const float *$restrict dx, const float *$restrict dy, int *$restrict acc, int n, int w,
    int h, int low, int high)
{
    $index
    if (i >= n) return;
    short2 p = points[i];
    float gx = dx[p.y * w + p.x], gy = dy[p.y * w + p.x], inv = rsqrtf(gx * gx + gy * gy);
    if (gx == 0 && gy == 0) return;
    int sx = __float2int_rn(gx * inv * 1024), sy = __float2int_rn(gy * inv * 1024);
$unroll
    for (int r = low; r <= high; r++) {
        int u = (p.x * 1024 + sx * r) >> 10, v = (p.y * 1024 + sy * r) >> 10;
        if (u >= 0 && u < w && v >= 0 && v < h) atomicAdd(acc + v * w + u, 1);
        @{@u = (p.x * 1024 - sx * r) >> 10; v = (p.y * 1024 - sy * r) >> 10; if (u >= 0 && u < w && v >= 0 && v < h) atomicAdd(acc + v * w + u, 1);@}
    }
}""", k)


def optical_flow(d, k):
    """Lucas-Kanade over a window, or a step of Horn and Schunck."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const float *$restrict a, const float *$restrict b, const float2 *$restrict in, float2 *$restrict out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + $r + 1, y = blockIdx.y * blockDim.y + threadIdx.y + $r + 1;
    if (x >= w - $r - 1 || y >= h - $r - 1) return;
    float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    float2 flow = in[y * w + x];
$unroll
    for (int j = -$r; j <= $r; j++)
$unroll
        for (int i = -$r; i <= $r; i++) {
            int p = (y + j) * w + x + i;
            float gx = (a[p + 1] - a[p - 1]) * .5f, gy = (a[p + w] - a[p - w]) * .5f;
            float u = x + i + flow.x, v = y + j + flow.y;
            int iu = min(max(int(u), 0), w - 2), iv = min(max(int(v), 0), h - 2);
            float fu = u - iu, fv = v - iv;
            const float *q = b + iv * w + iu;
            float t = @{(1 - fv) * ((1 - fu) * q[0] + fu * q[1]) + fv * ((1 - fu) * q[w] + fu * q[w + 1])@q[0]@} - a[p];
            xx += gx * gx; xy += gx * gy; yy += gy * gy; xt += gx * t; yt += gy * t;
        }
    float det = xx * yy - xy * xy;
    if (fabsf(det) > 1e-6f) { flow.x -= (yy * xt - xy * yt) / det; flow.y -= (xx * yt - xy * xt) / det; }
    out[y * w + x] = flow;
}""", k, r=d.of(1, 2, 3, 4))
    return d.cuda("""
__global__ void $bounds$k(const float *$restrict u, const float *$restrict v, const float *$restrict ix, const float *$restrict iy,
    const float *$restrict it,
                          float *$restrict un, float *$restrict vn, int w, int h, float alpha)
{
    __shared__ float su[$b + 2][$b + 2], sv[$b + 2][$b + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * $b + tx - 1, y = blockIdx.y * $b + ty - 1;
    int cx = min(x, w - 1), cy = min(y, h - 1), p = cy * w + cx;
    su[ty][tx] = u[p]; sv[ty][tx] = v[p];
    if (tx == 1) { int q = cy * w + max(x - 1, 0); su[ty][0] = u[q]; sv[ty][0] = v[q]; }
    if (tx == $b) { int q = cy * w + min(x + 1, w - 1); su[ty][$b + 1] = u[q]; sv[ty][$b + 1] = v[q]; }
    if (ty == 1) { int q = max(y - 1, 0) * w + cx; su[0][tx] = u[q]; sv[0][tx] = v[q]; }
    if (ty == $b) { int q = min(y + 1, h - 1) * w + cx; su[$b + 1][tx] = u[q]; sv[$b + 1][tx] = v[q]; }
    __syncthreads();
    if (x >= w || y >= h) return;
    float mu = (su[ty][tx - 1] + su[ty][tx + 1] + su[ty - 1][tx] + su[ty + 1][tx]) * .25f, mv = (sv[ty][tx - 1] + sv[ty][tx + 1] + sv[ty - 1][tx]
        + sv[ty + 1][tx]) * .25f;
    float gx = ix[p], gy = iy[p], f = (mu * gx + mv * gy + it[p]) / (alpha + gx * gx + gy * gy);
    un[p] = mu - gx * f; vn[p] = mv - gy * f;
}""", k, b=d.of(8, 16, 32))


def stereo_match(d, k):
    """Costs over disparities: absolute differences, census, or a scan line of semi-global costs."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict left, const $t *$restrict right, unsigned char *$restrict disparity, int w, int h, int range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + range, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - $r || y >= h - $r || y < $r) return;
    int best = 1 << 30, at = 0;
$unroll
    for (int s = 0; s < range; s++) {
        int cost = 0;
#pragma unroll
        for (int j = -$r; j <= $r; j++)
#pragma unroll
            for (int i = -$r; i <= $r; i++) cost += @cost;
        if (cost < best) { best = cost; at = s; }
    }
    disparity[y * w + x] = at;
}""".replace("@cost", d.of("abs(int(left[(y + j) * w + x + i]) - int(right[(y + j) * w + x + i - s]))", "__popc(unsigned(left[(y + j) * w + x + i]) ^ unsigned(right[(y + j) * w + x + i - s]))")),
                      k, t=d.of("unsigned char", "unsigned", "int"), r=d.of(1, 2, 3))
    return d.cuda("""
__global__ void $bounds$k(const unsigned char *$restrict cost, unsigned short *$restrict sum, int w, int h, int p1, int p2)
{
    int y = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (y >= h) return;
    int last[$n], low = 0;
#pragma unroll
    for (int j = 0; j < $n; j++) last[j] = 0;
    for (int x = 0; x < w; x++) {
        const unsigned char *c = cost + ((size_t)y * w + x) * 32 * $n + lane * $n;
        int below = __shfl_up_sync(~0u, last[$n - 1], 1), above = __shfl_down_sync(~0u, last[0], 1), now[$n], least = 1 << 20;
#pragma unroll
        for (int j = 0; j < $n; j++) {
            int l = j ? last[j - 1] : lane ? below : 1 << 20, r = j < $n - 1 ? last[j + 1] : lane < 31 ? above : 1 << 20;
            now[j] = c[j] + min(min(last[j], low + p2), min(l, r) + p1) - low;
            least = min(least, now[j]);
        }
        for (int o = 16; o; o >>= 1) least = min(least, __shfl_xor_sync(~0u, least, o));
        low = least;
#pragma unroll
        for (int j = 0; j < $n; j++) { last[j] = now[j]; sum[((size_t)y * w + x) * 32 * $n + lane * $n + j] += now[j]; }
    }
}""", k, n=d.of(1, 2, 4, 8))


def gradient_histogram(d, k):
    """Orientations of gradients into cells, spread over two bins."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict img, float *$restrict cells, int w, int h, int across)
{
    int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (cx >= across || cy * 8 >= h) return;
    float bins[$n];
#pragma unroll
    for (int b = 0; b < $n; b++) bins[b] = 0;
$unroll
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++) {
            int x = min(max(cx * 8 + i, 1), w - 2), y = min(max(cy * 8 + j, 1), h - 2);
            float gx = float(img[y * w + x + 1]) - img[y * w + x - 1], gy = float(img[(y + 1) * w + x]) - img[(y - 1) * w + x];
            float m = sqrtf(gx * gx + gy * gy), a = atan2f(gy, gx) * ($n / 3.14159265f);
            @{a = a < 0 ? a + $n : a;@a -= floorf(a / $n) * $n;@}
            int b = int(a) % $n; float f = a - floorf(a);
#pragma unroll
            for (int q = 0; q < $n; q++) bins[q] += q == b ? m * (1 - f) : q == (b + 1) % $n ? m * f : 0.f;
        }
    float norm = 1e-3f;
#pragma unroll
    for (int b = 0; b < $n; b++) norm += bins[b] * bins[b];
    norm = rsqrtf(norm);
#pragma unroll
    for (int b = 0; b < $n; b++) cells[(cy * across + cx) * $n + b] = fminf(bins[b] * norm, .2f);
}""", k, t=d.of("float", "unsigned char"), n=d.of(4, 8, 9))


def demosaic(d, k):
    """Colours of a Bayer pattern."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict raw, $p *$restrict rgb, int w, int h, float wr, float wb)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
    const $t *q = raw + y * w + x;
    float c = q[0], cross = (q[-1] + q[1] + q[-w] + q[w]) * .25f, corner = (q[-w - 1] + q[-w + 1] + q[w - 1] + q[w + 1]) * .25f;
    float across = (q[-1] + q[1]) * .5f, down = (q[-w] + q[w]) * .5f, r, g, b;
    @{float lap = c - (q[-2] + q[2] + q[-2 * w] + q[2 * w]) * .25f; cross += lap * .5f; corner += lap * .75f; across += lap * .6f;
        down += lap * .6f;@@}
    @{if (y & 1) {
        if (x & 1) { r = corner; g = cross; b = c; } else { r = down; g = c; b = across; }
    } else {
        if (x & 1) { r = across; g = c; b = down; } else { r = c; g = cross; b = corner; }
    }@bool ox = x & 1, oy = y & 1;
    r = oy ? (ox ? corner : down) : (ox ? across : c); g = ox == oy ? cross : c; b = oy ? (ox ? c : across) : (ox ? down : corner);@}
    $p o;
    o.x = fminf(fmaxf(r * wr, 0.f), 255.f); o.y = fminf(fmaxf(g, 0.f), 255.f); o.z = fminf(fmaxf(b * wb, 0.f), 255.f);
    rgb[y * w + x] = o;
}""", k, t=d.of("unsigned char", "unsigned short", "float"), p=d.of("uchar3", "uchar4", "float4", "ushort4"))


def distance_jump(d, k):
    """Nearest seeds by flooding in jumps."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int w, int h, int step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    $t best = in[y * w + x];
    @{int@float@} far = best.x < 0 ? 1 << 30 : (best.x - x) * (best.x - x) + (best.y - y) * (best.y - y);
$unroll
    for (int j = -1; j <= 1; j++)
$unroll
        for (int i = -1; i <= 1; i++) {
            int u = x + i * step, v = y + j * step;
            if (u < 0 || v < 0 || u >= w || v >= h) continue;
            $t s = in[v * w + u];
            if (s.x >= 0) {
                @{int@float@} e = (s.x - x) * (s.x - x) + (s.y - y) * (s.y - y);
                if (e < far) { far = e; best = s; }
            }
        }
    out[y * w + x] = best;
}""", k, t=d.of("short2", "int2", "float2"))


KINDS = [convolve_separable, convolve_colour, bilateral, median, sobel, resample, colour_space, morphology, picture_histogram, integral_picture, dither, tone_map,
         non_local_means, corners, hough, optical_flow, stereo_match, gradient_histogram, demosaic, distance_jump]
