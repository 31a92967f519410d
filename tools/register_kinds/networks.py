"""Layers, losses and optimisers of neural networks as they are written by hand."""


class Number:
    """A type of storage with what makes it a float and what makes it of a float."""
    def __init__(self, name, to="", back=""): self.name, self.to, self.back = name, to, back


def number(d):
    return d.of(Number("float"), Number("float"), Number("half", "__half2float", "__float2half"), Number("__nv_bfloat16", "__bfloat162float", "__float2bfloat16"))


def words(d):
    n = number(d); return dict(t=n.name, to=n.to, back=n.back)


SUM = """
template <int threads> __device__ @{__forceinline__@@} float sum_${k}(float v)
{
    __shared__ float part[32];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threads > 32) {
        __syncthreads();
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
        __syncthreads();
        v = threadIdx.x % 32 < threads / 32 ? part[threadIdx.x % 32] : 0.f;
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    }
    return v;
}"""
ACTIVATE = ["v * normcdff(v)", ".5f * v * (1.f + tanhf(.79788456f * (v + .044715f * v * v * v)))", ".5f * v * (1.f + erff(v * .70710678f))", "v / (1.f + __expf(-v))", "fmaxf(v, 0.f)",
            "v > 0 ? v : alpha * (expf(v) - 1.f)", "1.f / (1.f + expf(-v))", "tanhf(v)", "v * fminf(fmaxf(v + 3.f, 0.f), 6.f) / 6.f", "v * tanhf(log1pf(expf(v)))", "v * v * (v > 0)"]


def rows_in_registers(d, k):
    """A row of a warp kept in registers: softmax, log-softmax, their gradients, a mask."""
    n, v = d.of(1, 2, 4, 8, 16), d.of(1, 2, 4)
    n = min(n, 32 // v)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, $t *$restrict y, int rows, int cols, float scale)
{
    struct __align__(sizeof($t) * $v) Pack { $t e[$v]; };
    int row = blockIdx.x * @{blockDim.y@4@} + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const Pack *in = reinterpret_cast<const Pack *>(x + (size_t)row * cols);
    Pack *out = reinterpret_cast<Pack *>(y + (size_t)row * cols);
    float e[$n * $v], top = -1e30f, sum = 0;
#pragma unroll
    for (int j = 0; j < $n; j++) {
        int c = j * 32 + lane;
        { Pack p = in[c];
#pragma unroll
        for (int q = 0; q < $v; q++) { e[j * $v + q] = @{c * $v + q < cols ? $to(p.e[q]) * scale : -1e30f@$to(p.e[q]) * scale@}; top = fmaxf(top,
            e[j * $v + q]); }
        }
    }
    for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
#pragma unroll
    for (int j = 0; j < $n * $v; j++) { @{e[j] = __expf(e[j] - top); sum += e[j];@sum += expf(e[j] - top);@e[j] = exp2f(e[j] - top); sum += e[j];@} }
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float inv = @{1.f / sum@__fdividef(1.f, sum)@top + logf(sum)@};
#pragma unroll
    for (int j = 0; j < $n; j++) {
        Pack p;
#pragma unroll
        for (int q = 0; q < $v; q++) p.e[q] = $back(@{e[j * $v + q] * inv@e[j * $v + q] - inv@});
        if ((j * 32 + lane) * $v < cols) out[j * 32 + lane] = p;
    }
}""", k, n=n, v=v, **words(d))


def norm_forward(d, k):
    """Layer, RMS, group and instance norms: one or two passes, Welford, a residual added before."""
    b = d.of(64, 128, 256, 512); o = d.n(0, 2)
    if o == 0:
        return d.cuda(SUM + """
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict residual, const $t *$restrict gamma, $t *$restrict y, $t *$restrict kept,
    int cols, float eps)
{
    int row = blockIdx.x;
    const $t *in = x + row * (@{int@size_t@})cols, *res = residual + row * (size_t)cols;
    float v[$n], ss = 0;
#pragma unroll
    for (int j = 0; j < $n; j++) {
        int c = threadIdx.x + j * $b;
        @{v[j] = c < cols ? $to(in[c]) + $to(res[c]) : 0.f;@v[j] = $to(in[c]); if (c < cols) v[j] += $to(res[c]);@v[j] = $to(in[c]);@}
        ss += v[j] * v[j];
    }
    float r = rsqrtf(sum_${k}<$b>(ss) / cols + eps);
#pragma unroll
    for (int j = 0; j < $n; j++) {
        int c = threadIdx.x + j * $b;
        if (c < cols) { @{kept[row * (size_t)cols + c] = $back(v[j]); @@}y[row * (size_t)cols + c] = $back(v[j] * r * @{$to(gamma[c])@(1.f
            + $to(gamma[c]))@}); }
    }
}""", k, n=d.of(1, 2, 4, 8), b=b, **words(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const float *$restrict gamma, const float *$restrict beta, $t *$restrict y, float *$restrict means,
    float *$restrict inv, int groups, int channels,
                          int area, float eps)
{
    __shared__ float sm[32], sq[32]; __shared__ int sn[32];
    int per = channels / groups, size = per * area, g = blockIdx.x % groups;
    const $t *in = x + (size_t)blockIdx.x * size;
    float mean = 0, m2 = 0; int count = 0;
$unroll
    for (int j = threadIdx.x; j < size; j += $b) { float v = $to(in[j]), e = v - mean; count++; mean += @{e / count@__fdividef(e, count)@};
        m2 += e * (v - mean); }
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_down_sync(~0u, mean, o), oq = __shfl_down_sync(~0u, m2, o); int oc = __shfl_down_sync(~0u, count, o), all = count + oc;
        if (all) { float e = om - mean; mean += e * oc / all; m2 += oq + e * e * count * oc / all; count = all; }
    }
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (l == 0) { sm[w] = mean; sq[w] = m2; sn[w] = count; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int j = 1; j < $b / 32; j++) { int all = count + sn[j]; float e = sm[j] - mean; mean += e * sn[j] / all;
            m2 += sq[j] + e * e * count * sn[j] / all; count = all; }
        sm[0] = mean; sq[0] = rsqrtf(m2 / count + eps);
        means[blockIdx.x] = mean; inv[blockIdx.x] = sq[0];
    }
    __syncthreads();
    mean = sm[0]; float r = sq[0];
$unroll
    for (int j = threadIdx.x; j < size; j += $b) { int c = g * per + j / area; y[(size_t)blockIdx.x * size
        + j] = $back(($to(in[j]) - mean) * r * gamma[c] + beta[c]); }
}""", k, b=b, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const float *$restrict mean, const float *$restrict var, const float *$restrict gamma,
    const float *$restrict beta, $t *$restrict y, int channels,
                          int area, int total, float eps)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        int c = @{i / area % channels@i % channels@(i / area) & (channels - 1)@};
        float a = gamma[c] * rsqrtf(var[c] + eps), v = $to(x[i]) * a + (beta[c] - mean[c] * a);
        y[i] = $back(@{v@fmaxf(v, 0.f)@v > 0 ? v : .1f * v@});
    }
}""", k, **words(d))


def norm_backward(d, k):
    """Gradients of a layer norm: by rows for the input, by columns for the weights."""
    b = d.of(128, 256)
    if d.of(0, 1):
        return d.cuda(SUM + """
__global__ void $bounds$k(const $t *$restrict dy, const $t *$restrict x, const float *$restrict gamma, const float *$restrict mean,
    const float *$restrict rstd, $t *$restrict dx, int cols)
{
    int row = blockIdx.x;
    const $t *g = dy + (size_t)row * cols, *in = x + (size_t)row * cols;
    float m = mean[row], r = rstd[row], s1 = 0, s2 = 0;
$unroll
    for (int c = threadIdx.x; c < cols; c += $b) { float w = $to(g[c]) * gamma[c], h = ($to(in[c]) - m) * r; s1 += w; s2 += w * h; }
    s1 = sum_${k}<$b>(s1) / cols; s2 = sum_${k}<$b>(s2) / cols;
$unroll
    for (int c = threadIdx.x; c < cols; c += $b) {
        float w = $to(g[c]) * gamma[c], h = ($to(in[c]) - m) * r, v = (w - s1 - h * s2) * r;
        dx[(size_t)row * cols + c] = $back(v @{@+ $to(dx[(size_t)row * cols + c])@});
    }
}""", k, b=b, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict dy, const $t *$restrict x, const float *$restrict mean, const float *$restrict rstd,
    float *$restrict dgamma, float *$restrict dbeta, int rows, int cols)
{
    __shared__ float a[$b][33], q[$b][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sg = 0, sb = 0;
    if (c < cols)
$unroll
        for (int r = blockIdx.y * $b + threadIdx.y; r < rows; r += $b * gridDim.y) { float g = $to(dy[(size_t)r * cols + c]); sb += g;
            sg += g * ($to(x[(size_t)r * cols + c]) - mean[r]) * rstd[r]; }
    a[threadIdx.y][threadIdx.x] = sg; q[threadIdx.y][threadIdx.x] = sb;
    __syncthreads();
$unroll
    for (int s = $b / 2; s; s /= 2) {
        if (threadIdx.y < s) { a[threadIdx.y][threadIdx.x] += a[threadIdx.y + s][threadIdx.x]; q[threadIdx.y][threadIdx.x] += q[threadIdx.y
            + s][threadIdx.x]; }
        __syncthreads();
    }
    if (threadIdx.y == 0 && c < cols) { @{atomicAdd(dgamma + c, a[0][threadIdx.x]); atomicAdd(dbeta + c,
        q[0][threadIdx.x]);@dgamma[c] = a[0][threadIdx.x]; dbeta[c] = q[0][threadIdx.x];@} }
}""", k, b=d.of(4, 8, 16), **words(d))


def activation(d, k):
    """Activations in packs, gated ones, with a bias, and their gradients."""
    f, v = d.of(*ACTIVATE), d.of(1, 2, 4, 8)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict gate, const $t *$restrict bias, $t *$restrict y, long n, int cols, float alpha)
{
    struct __align__(sizeof($t) * $v) Pack { $t e[$v]; };
    @{long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i * $v < n)@$unroll for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
        i * $v < n; i += (long)gridDim.x * blockDim.x)@} {
        Pack p = reinterpret_cast<const Pack *>(x)[i], q = reinterpret_cast<const Pack *>(gate)[i];
#pragma unroll
        for (int j = 0; j < $v; j++) {
            float v = $to(p.e[j]) @{@+ $to(bias[(i * $v + j) % cols])@};
            v = """ + f + """;
            @{p.e[j] = $back(v);@p.e[j] = $back(v * $to(q.e[j]));@float g = $to(q.e[j]); p.e[j] = $back(g * (v + g * v * (1.f - v)));@}
        }
        reinterpret_cast<Pack *>(y)[i] = p;
    }
}""", k, v=v, **words(d))


def attention_decode(d, k):
    """One query against the keys kept: by a warp or a block, pages, several queries a group, soft caps."""
    h = d.of(32, 64, 128); per = h // 32; g = d.of(1, 1, 2, 4)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict q, const $t *$restrict keys, const $t *$restrict values, const int *$restrict pages,
    const int *$restrict lengths, $t *$restrict out, int heads,
                          int page, int per_seq, float scale)
{
    __shared__ float acc_s[$w][$g][$h], top_s[$w][$g], sum_s[$w][$g];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.x, seq = blockIdx.y, len = lengths[seq];
    float qr[$g][$per], acc[$g][$per] = {}, top[$g], sum[$g];
#pragma unroll
    for (int u = 0; u < $g; u++) {
        top[u] = -1e30f; sum[u] = 0;
#pragma unroll
        for (int j = 0; j < $per; j++) qr[u][j] = $to(q[((size_t)seq * heads * $g + head * $g + u) * $h + @{lane * $per + j@lane + j * 32@}]) * scale;
    }
$unroll
    for (int p = warp; p < len; p += $w) {
        @{size_t row = (size_t)pages[seq * per_seq + p / page] * page + p % page;@size_t row = (size_t)seq * per_seq + p;@}
        const $t *kr = keys + (row * heads + head) * $h, *vr = values + (row * heads + head) * $h;
        float kv[$per], vv[$per];
#pragma unroll
        for (int j = 0; j < $per; j++) { kv[j] = $to(kr[lane * $per + j]); vv[j] = $to(vr[lane * $per + j]); }
#pragma unroll
        for (int u = 0; u < $g; u++) {
            float s = 0;
#pragma unroll
            for (int j = 0; j < $per; j++) s += qr[u][j] * kv[j];
            for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
            @{@s = 30.f * tanhf(s / 30.f);@}
            float m = fmaxf(top[u], s), a = __expf(top[u] - m), b = __expf(s - m);
            top[u] = m; sum[u] = sum[u] * a + b;
#pragma unroll
            for (int j = 0; j < $per; j++) acc[u][j] = acc[u][j] * a + b * vv[j];
        }
    }
#pragma unroll
    for (int u = 0; u < $g; u++) {
#pragma unroll
        for (int j = 0; j < $per; j++) acc_s[warp][u][lane * $per + j] = acc[u][j];
        if (lane == 0) { top_s[warp][u] = top[u]; sum_s[warp][u] = sum[u]; }
    }
    __syncthreads();
    for (int e = threadIdx.x; e < $g * $h; e += $w * 32) {
        int u = e / $h, c = e % $h; float m = -1e30f, z = 0, o = 0;
#pragma unroll
        for (int w = 0; w < $w; w++) m = fmaxf(m, top_s[w][u]);
#pragma unroll
        for (int w = 0; w < $w; w++) { float f = __expf(top_s[w][u] - m); z += f * sum_s[w][u]; o += f * acc_s[w][u][c]; }
        out[((size_t)seq * heads + head) * $g * $h + e] = $back(o / z);
    }
}""", k, h=h, per=per, g=g, w=d.of(1, 2, 4, 8), **words(d))


def attention_blocked(d, k):
    """A query row a thread, keys and values in tiles, the maximum kept on line, causal or not."""
    h, b = d.of(16, 32, 64), d.of(16, 32)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict Q, const $t *$restrict K, const $t *$restrict V, $t *$restrict O, float *$restrict L, int n,
    float scale)
{
    __shared__ float ks[$b][$h], vs[$b][$h];
    int row = blockIdx.x * $b + threadIdx.x; size_t base = (size_t)blockIdx.y * n * $h;
    float q[$h], o[$h], top = -1e30f, sum = 0;
#pragma unroll
    for (int c = 0; c < $h; c++) { q[c] = $to(Q[base + (size_t)row * $h + c]) * scale; o[c] = 0; }
    for (int j0 = 0; j0 < @{n@(blockIdx.x + 1) * $b@}; j0 += $b) {
        for (int e = threadIdx.x; e < $b * $h; e += $b) { ks[e / $h][e % $h] = $to(K[base + (size_t)j0 * $h + e]); vs[e / $h][e % $h] = $to(V[base
            + (size_t)j0 * $h + e]); }
        __syncthreads();
$unroll
        for (int j = 0; j < $b; j++) {
            float s = 0;
#pragma unroll
            for (int c = 0; c < $h; c++) s += q[c] * ks[j][c];
            @{if (j0 + j > row) s = -1e30f;@@}
            float m = fmaxf(top, s), a = __expf(top - m), p = __expf(s - m);
            sum = sum * a + p; top = m;
#pragma unroll
            for (int c = 0; c < $h; c++) o[c] = o[c] * a + p * vs[j][c];
        }
        __syncthreads();
    }
    float inv = 1.f / sum;
#pragma unroll
    for (int c = 0; c < $h; c++) O[base + (size_t)row * $h + c] = $back(o[c] * inv);
    @{L[blockIdx.y * n + row] = top + __logf(sum);@@}
}""", k, h=h, b=b, **words(d))


def embedding_gradient(d, k):
    """Rows looked up with positions added, bags of rows, gradients scattered."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $i *$restrict tokens, const $t *$restrict table, const $t *$restrict places, $t *$restrict out, int total,
    int length, int width)
{
    @{long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i >= total) return;@$unroll for (int i = blockIdx.x * blockDim.x + threadIdx.x;
        i < total; i += gridDim.x * blockDim.x)@} {
        int c = i % width, p = i / width, token = tokens[p];
        out[i] = $back($to(table[(size_t)token * width + c]) + $to(places[p % length * width + c]));
    }
}""", k, i=d.of("int", "long long"), **words(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const long long *$restrict index, const long long *$restrict offset, const float *$restrict weight,
    const $t *$restrict table, $t *$restrict out, int bags, int width)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags) return;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        float sum = 0;
$unroll
        for (long long j = offset[bag]; j < offset[bag + 1]; j++) @{sum += $to(table[index[j] * width
            + c]);@sum += weight[j] * $to(table[index[j] * width + c]);@sum = fmaxf(sum, $to(table[index[j] * width + c]));@}
        out[(size_t)bag * width + c] = $back(@{sum@sum / fmaxf(1.f, offset[bag + 1] - offset[bag])@});
    }
}""", k, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $i *$restrict sorted, const $i *$restrict origin, const $t *$restrict grad, float *$restrict out, int n, int width,
    float scale)
{
    int at = blockIdx.x * blockDim.y + threadIdx.y;
    if (at >= n || (at > 0 && sorted[at] == sorted[at - 1])) return;
    do {
        const int first = blockIdx.y * blockDim.x * $m + threadIdx.x;
        float g[$m], w[$m];
        size_t to = (size_t)sorted[at] * width, from = (size_t)origin[at] * width;
#pragma unroll
        for (int j = 0; j < $m; j++) { int c = first + j * 32; if (c < width) { g[j] = $to(grad[from + c]); w[j] = out[to + c]; } }
#pragma unroll
        for (int j = 0; j < $m; j++) w[j] += scale * g[j];
#pragma unroll
        for (int j = 0; j < $m; j++) { int c = first + j * 32; if (c < width) out[to + c] = w[j]; }
        at++;
    } while (at < n && sorted[at] == sorted[at - 1]);
}""", k, i=d.of("int", "long long"), m=d.of(1, 2, 4), **words(d))


def rotary(d, k):
    """Angles computed or read, halves or neighbours, keys as well as queries."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict q, $t *$restrict keys, const int *$restrict positions, const float2 *$restrict table, int heads,
    int kv_heads, int dim, float base)
{
    int token = blockIdx.x, half_dim = dim / 2, pos = positions[token];
$unroll
    for (int e = threadIdx.x; e < heads * half_dim; e += blockDim.x) {
        int head = e / half_dim, j = e % half_dim;
        float s, c;
        @{float angle = pos * powf(base, -2.f * j / dim); sincosf(angle, &s, &c);@float angle = pos * exp2f(-j * base); __sincosf(angle, &s,
            &c);@float2 cs = table[pos * half_dim + j]; c = cs.x; s = cs.y;@}
        $t *p = q + ((size_t)token * heads + head) * dim;
        @{int a = j, b = j + half_dim;@int a = 2 * j, b = 2 * j + 1;@}
        float x = $to(p[a]), y = $to(p[b]);
        p[a] = $back(x * c - y * s); p[b] = $back(y * c + x * s);
        @{if (head < kv_heads) {
            $t *r = keys + ((size_t)token * kv_heads + head) * dim;
            x = $to(r[a]); y = $to(r[b]);
            r[a] = $back(x * c - y * s); r[b] = $back(y * c + x * s);
        }@@}
    }
}""", k, **words(d))


def cross_entropy(d, k):
    """Losses by rows with their gradients in place; focal, smooth, binary."""
    b = d.of(128, 256, 512)
    if d.of(0, 1):
        return d.cuda(SUM + """
__global__ void $bounds$k($t *$restrict logits, const $i *$restrict target, float *$restrict loss, int rows, int cols, float weight, float smooth)
{
    __shared__ float top_s[32];
    int row = blockIdx.x, label = target[row];
    $t *x = logits + (size_t)row * cols;
    float top = -1e30f, sum = 0;
$unroll
    for (int c = threadIdx.x; c < cols; c += $b) { float v = $to(x[c]); @{if (v > top) { sum *= __expf(top - v); top = v;
        } sum += __expf(v - top);@top = fmaxf(top, v);@} }
    float mine = top;
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if (threadIdx.x % 32 == 0) top_s[threadIdx.x / 32] = top;
    __syncthreads();
    for (int j = 0; j < $b / 32; j++) top = fmaxf(top, top_s[j]);
    @{sum *= __expf(mine - top);@for (int c = threadIdx.x; c < cols; c += $b) sum += expf($to(x[c]) - top);@}
    sum = sum_${k}<$b>(sum);
    if (threadIdx.x == 0) loss[row] = label >= 0 ? logf(sum) + top - $to(x[label]) : 0.f;
    __syncthreads();
    float inv = weight / sum;
$unroll
    for (int c = threadIdx.x; c < cols; c += $b) { float p = __expf($to(x[c]) - top) * inv;
        x[c] = $back(label < 0 ? 0.f : p - (c == label ? weight : @{0.f@smooth / cols@})); }
}""", k, b=b, i=d.of("int", "long long"), **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const float *$restrict y, float *$restrict loss, $t *$restrict grad, int n, float alpha, float gamma)
{
    $index
    if (i >= n) return;
    float v = $to(x[i]), t = y[i], p = 1.f / (1.f + expf(-v)), bce = fmaxf(v, 0.f) - v * t + log1pf(expf(-fabsf(v)));
    float pt = p * t + (1 - p) * (1 - t), f = @{powf(1 - pt, gamma)@(1 - pt) * (1 - pt)@1.f@}, a = alpha * t + (1 - alpha) * (1 - t);
    loss[i] = a * f * bce;
    @{grad[i] = $back(a * f * (gamma * pt * logf(fmaxf(pt, 1e-6f)) + pt - 1) * (2 * t - 1));@@}
}""", k, **words(d))


def optimiser(d, k):
    """Adam, AdamW, LAMB's first stage, RMSprop, momentum, Adagrad, Lion; half weights beside, scaled gradients, several elements a thread."""
    rule = d.of("m[e] = a = b1 * a + (1 - b1) * g; v[e] = q = b2 * q + (1 - b2) * g * g; w -= lr * (a / c1) / (sqrtf(q / c2) + eps);",
                "m[e] = a = b1 * a + (1 - b1) * g; v[e] = q = b2 * q + (1 - b2) * g * g; w = w * (1 - lr * decay) - lr * (a * c1) * rsqrtf(q * c2 + eps);",
                "g += decay * w; m[e] = a = b1 * a + g; w -= lr * (g + b1 * a);", "v[e] = q = b2 * q + (1 - b2) * g * g; m[e] = a = b1 * a + g / (sqrtf(q) + eps); w -= lr * a;",
                "v[e] = q += g * g; w -= lr * g / (sqrtf(q) + eps);", "float u = b1 * a + (1 - b1) * g; m[e] = b2 * a + (1 - b2) * g; w -= lr * ((u > 0) - (u < 0) + decay * w);",
                "m[e] = a = b1 * a + (1 - b1) * g; v[e] = q = fmaxf(b2 * q, fabsf(g)); w -= lr / c1 * a / (q + eps);")
    return d.cuda("""
__global__ void $bounds$k(float *$restrict p, const $t *$restrict grad, float *$restrict m, float *$restrict v, $t *$restrict copy, long n,
    float lr, float b1, float b2, float eps, float decay,
                          float c1, float c2, const float *$restrict scale)
{
    float inv = @{1.f / *scale@1.f@fminf(1.f, 1.f / *scale)@};
$unroll
    for (long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * $n; i < n; i += (long)gridDim.x * blockDim.x * $n) {
#pragma unroll
        for (int j = 0; j < $n; j++) {
            long e = i + j;
            float g = $to(grad[e]) * inv, w = p[e], a = m[e], q = v[e];
            @{@g = fminf(fmaxf(g, -1.f), 1.f);@if (!isfinite(g)) continue;@}
            """ + rule + """
            p[e] = w;
            @{copy[e] = $back(w);@@}
        }
    }
}""", k, n=d.of(1, 1, 2, 4), **words(d))


def pooling(d, k):
    """Max with its place, averages, gradients; adaptive windows; packed channels."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, $t *$restrict y, int *$restrict at, int total, int c, int h, int w, int oh, int ow, int kh, int kw,
    int sh, int sw, int ph, int pw, int dil)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        int u = i % ow, v = i / ow % oh, ch = i / ow / oh % c, n = i / ow / oh / c, y0 = v * sh - ph, x0 = u * sw - pw;
        int y1 = min(y0 + (kh - 1) * dil + 1, h), x1 = min(x0 + (kw - 1) * dil + 1, w);
        while (y0 < 0) y0 += dil;
        while (x0 < 0) x0 += dil;
        float best = -1e30f; int where = y0 * w + x0;
        const $t *in = x + (size_t)(n * c + ch) * h * w;
        for (int r = y0; r < y1; r += dil)
$unroll
            for (int q = x0; q < x1; q += dil) { float e = $to(in[r * w + q]); if (e > best@{ || isnan(e)@@}) { best = e; where = r * w + q; } }
        y[i] = $back(best); at[i] = where;
    }
}""", k, **words(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict dy, $t *$restrict dx, const int *$restrict at, int total, int c, int h, int w, int oh, int ow, int k,
    int s, int p)
{
    $index
    if (i >= total) return;
    int x = i % w + p, y = i / w % h + p; size_t plane = i / (w * h);
    int v0 = y < k ? 0 : (y - k) / s + 1, v1 = min(int(y) / s + 1, oh), u0 = x < k ? 0 : (x - k) / s + 1, u1 = min(int(x) / s + 1, ow);
    float g = 0;
    for (int v = v0; v < v1; v++)
$unroll
        for (int u = u0; u < u1; u++) {
            @{if (at[(plane * oh + v) * ow + u] == (y - p) * w + x - p) g += $to(dy[(plane * oh + v) * ow + u]);@int r0 = max(v * s - p, 0),
                q0 = max(u * s - p, 0); g += $to(dy[(plane * oh + v) * ow + u]) / ((min(v * s - p + k, h) - r0) * (min(u * s - p + k, w) - q0));@}
        }
    dx[i] = $back(g);
}""", k, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, $t *$restrict y, int h, int w, int oh, int ow)
{
    int plane = blockIdx.x;
    x += (size_t)plane * h * w; y += (size_t)plane * oh * ow;
    for (int v = threadIdx.y + blockIdx.y * blockDim.y; v < oh; v += blockDim.y * gridDim.y)
        for (int u = threadIdx.x; u < ow; u += blockDim.x) {
            int y0 = @{v * h / oh@int(floorf(float(v * h) / oh))@}, y1 = ((v + 1) * h + oh - 1) / oh, x0 = u * w / ow, x1 = ((u + 1) * w
                + ow - 1) / ow;
            float sum = 0;
            for (int r = y0; r < y1; r++)
$unroll
                for (int q = x0; q < x1; q++) sum += $to(x[r * w + q]);
            y[v * ow + u] = $back(sum / ((y1 - y0) * (x1 - x0)));
        }
}""", k, **words(d))


def columns_of_image(d, k):
    """im2col, col2im; two or three dimensions."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(int n, const $t *$restrict im, int h, int w, int kh, int kw, int ph, int pw, int sh, int sw, int dh, int dw, int oh,
    int ow, $t *$restrict col)
{
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int u = i % ow, v = i / ow % oh, c = i / ow / oh, y0 = v * sh - ph, x0 = u * sw - pw;
        $t *out = col + ((size_t)c * kh * kw * oh + v) * ow + u;
        const $t *in = im + ((size_t)c * h + y0) * w + x0;
        for (int r = 0; r < @{kh@3@}; r++)
$unroll
            for (int q = 0; q < @{kw@3@}; q++) {
                int y = y0 + r * dh, x = x0 + q * dw;
                *out = y >= 0 && x >= 0 && y < h && x < w ? in[r * dh * w + q * dw] : $t(0);
                out += oh * ow;
            }
    }
}""", k, t=d.of("float", "double", "half", "unsigned char"))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(int n, const $t *$restrict col, int h, int w, int kh, int kw, int ph, int pw, int s, int dil, int oh, int ow,
    $t *$restrict im)
{
    $index
    if (i >= n) return;
    $t sum = 0;
    int x = i % w + pw, y = i / w % h + ph, c = i / (w * h), ekw = (kw - 1) * dil + 1, ekh = (kh - 1) * dil + 1;
    int u0 = x < ekw ? 0 : (x - ekw) / s + 1, u1 = min(x / s + 1, ow), v0 = y < ekh ? 0 : (y - ekh) / s + 1, v1 = min(y / s + 1, oh);
    for (int v = v0; v < v1; v++)
$unroll
        for (int u = u0; u < u1; u++) {
            int r = y - v * s, q = x - u * s;
            @{if (r % dil == 0 && q % dil == 0) { r /= dil; q /= dil; sum += col[(((size_t)(c * kh + r) * kw + q) * oh + v) * ow + u];
                }@sum += col[((c * kh * kw + r * kw + q) * oh + v) * ow + u];@}
        }
    im[i] = sum;
}""", k, t=d.of("float", "double"))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, const float *$restrict offset, int c, int h, int w, int oh, int ow, int k,
    int pad, int s, int n)
{
    $index
    if (i >= n) return;
    int u = i % ow, v = i / ow % oh, ch = i / ow / oh % c;
    const $t *im = in + (size_t)ch * h * w;
    for (int r = 0; r < @{k@3@}; r++)
$unroll
        for (int q = 0; q < @{k@3@}; q++) {
            const float *o = offset + ((2 * (r * k + q)) * oh + v) * ow + u;
            float y = v * s - pad + r + o[0], x = u * s - pad + q + o[oh * ow], val = 0;
            if (y > -1 && x > -1 && y < h && x < w) {
                int yl = floorf(y), xl = floorf(x), yh = yl + 1, xh = xl + 1; float ly = y - yl, lx = x - xl, hy = 1 - ly, hx = 1 - lx;
                if (yl >= 0 && xl >= 0) val += hy * hx * float(im[yl * w + xl]);
                if (yl >= 0 && xh < w) val += hy * lx * float(im[yl * w + xh]);
                if (yh < h && xl >= 0) val += ly * hx * float(im[yh * w + xl]);
                if (yh < h && xh < w) val += ly * lx * float(im[yh * w + xh]);
            }
            out[((size_t)(ch * k + r) * k + q) * oh * ow + v * ow + u] = $t(val);
        }
}""", k, t=d.of("float", "half"))


def convolution_direct(d, k):
    """Several output channels and pixels a thread, the window in shared memory or straight from global."""
    oc, px, r = d.of(1, 2, 4, 8), d.of(1, 2, 4), d.of(1, 3, 3, 5)
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict w, const float *$restrict bias, $t *$restrict y, int ci, int co, int h, int wd,
    int oh, int ow)
{
    int u = (blockIdx.x * blockDim.x + threadIdx.x) * $px, v = blockIdx.y * blockDim.y + threadIdx.y, o0 = blockIdx.z * $oc;
    if (u >= ow || v >= oh) return;
    float acc[$oc][$px];
#pragma unroll
    for (int o = 0; o < $oc; o++)
        for (int p = 0; p < $px; p++) acc[o][p] = @{bias[o0 + o]@0@};
    for (int c = 0; c < ci; c++)
$unroll
        for (int a = 0; a < $r; a++) {
            float line[$px + $r - 1];
#pragma unroll
            for (int p = 0; p < $px + $r - 1; p++) line[p] = $to(x[((size_t)c * h + v + a) * wd + u + p]);
#pragma unroll
            for (int o = 0; o < $oc; o++)
#pragma unroll
                for (int b = 0; b < $r; b++) {
                    float f = $to(w[(((o0 + o) * ci + c) * $r + a) * $r + b]);
#pragma unroll
                    for (int p = 0; p < $px; p++) acc[o][p] += f * line[p + b];
                }
        }
#pragma unroll
    for (int o = 0; o < $oc; o++)
#pragma unroll
        for (int p = 0; p < $px; p++) @{if (u + p < ow) @@}y[((size_t)(o0 + o) * oh + v) * ow + u + p] = $back(@{fmaxf(acc[o][p], 0.f)@acc[o][p]@});
}""", k, oc=oc, px=px, r=r, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict w, const float *$restrict bias, $t *$restrict y, int ci, int h, int wd)
{
    __shared__ float tile[$c][16 + $r - 1][16 + $r - 1], fs[$oc][$c][$r * $r];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, ox = blockIdx.x * 16, oy = blockIdx.y * 16, o0 = blockIdx.z * $oc;
    float acc[$oc] = {};
    for (int c0 = 0; c0 < ci; c0 += $c) {
        for (int e = t; e < $c * (15 + $r) * (15 + $r); e += 256) {
            int q = e % (15 + $r), p = e / (15 + $r) % (15 + $r), c = e / ((15 + $r) * (15 + $r)), gx = ox + q - $r / 2, gy = oy + p - $r / 2;
            tile[c][p][q] = gx >= 0 && gy >= 0 && gx < wd && gy < h ? $to(x[((c0 + c) * h + gy) * wd + gx]) : 0.f;
        }
        for (int e = t; e < $oc * $c * $r * $r; e += 256) fs[e / ($c * $r * $r)][e / ($r * $r) % $c][e % ($r * $r)] = $to(w[((o0
            + e / ($c * $r * $r)) * ci + c0) * $r * $r + e % ($c * $r * $r)]);
        __syncthreads();
$unroll
        for (int c = 0; c < $c; c++)
#pragma unroll
            for (int a = 0; a < $r; a++)
#pragma unroll
                for (int b = 0; b < $r; b++) {
                    float v = tile[c][ty + a][tx + b];
#pragma unroll
                    for (int o = 0; o < $oc; o++) acc[o] += v * fs[o][c][a * $r + b];
                }
        __syncthreads();
    }
    if (ox + tx < wd && oy + ty < h)
#pragma unroll
        for (int o = 0; o < $oc; o++) y[((o0 + o) * h + oy + ty) * wd + ox + tx] = $back(acc[o] + bias[o0 + o]);
}""", k, oc=oc, c=d.of(1, 2, 4), r=r, **words(d))


def convolution_depthwise(d, k):
    """One filter a channel, channels first or last; one dimension with a state (causal)."""
    o = d.n(0, 2); r = d.of(3, 5, 7)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict w, $t *$restrict y, int c, int h, int wd, int oh, int ow, int stride, int pad,
    int n)
{
    $index
    if (i >= n) return;
    int u = i % ow, v = i / ow % oh, ch = i / ow / oh % c;
    const $t *in = x + (size_t)(i / ow / oh) * h * wd, *f = w + ch * $r * $r;
    float sum = 0;
    int y0 = v * stride - pad, x0 = u * stride - pad;
    @{if (y0 >= 0 && x0 >= 0 && y0 + $r <= h && x0 + $r <= wd) {
#pragma unroll
        for (int a = 0; a < $r; a++)
#pragma unroll
            for (int b = 0; b < $r; b++) sum += $to(in[(y0 + a) * wd + x0 + b]) * $to(f[a * $r + b]);
    } else@@}
$unroll
    for (int a = 0; a < $r; a++)
$unroll
        for (int b = 0; b < $r; b++) if (y0 + a >= 0 && x0 + b >= 0 && y0 + a < h && x0 + b < wd) sum += $to(in[(y0 + a) * wd + x0
            + b]) * $to(f[a * $r + b]);
    y[i] = $back(sum);
}""", k, r=r, **words(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict w, $t *$restrict y, int c, int h, int wd, int rows)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x, u = blockIdx.y + $r / 2;
    if (ch >= c || u >= wd - $r / 2) return;
    float f[$r][$r], win[$r][$r];
#pragma unroll
    for (int a = 0; a < $r; a++)
#pragma unroll
        for (int b = 0; b < $r; b++) { f[a][b] = $to(w[(a * $r + b) * c + ch]); win[a][b] = $to(x[(a * wd + u + b - $r / 2) * c + ch]); }
$unroll
    for (int v = 0; v < rows; v++) {
        float sum = 0;
#pragma unroll
        for (int a = 0; a < $r; a++)
#pragma unroll
            for (int b = 0; b < $r; b++) sum += f[a][b] * win[a][b];
        y[(v * wd + u) * c + ch] = $back(sum);
#pragma unroll
        for (int a = 0; a < $r; a++)
#pragma unroll
            for (int b = 0; b < $r; b++) win[a][b] = a < $r - 1 ? win[a < $r - 1 ? a + 1 : a][b] : $to(x[((v + $r) * wd + u + b - $r / 2) * c + ch]);
    }
}""", k, r=d.of(3, 3, 5), **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict w, const $t *$restrict bias, $t *$restrict state, $t *$restrict y,
    int channels, int length)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    const $t *in = x + (size_t)blockIdx.y * length * channels; $t *out = y + (size_t)blockIdx.y * length * channels;
    float f[$r], past[$r], b = $to(bias[c]);
#pragma unroll
    for (int j = 0; j < $r; j++) { f[j] = $to(w[c * $r + j]); past[j] = j ? $to(state[(blockIdx.y * channels + c) * $r + j]) : 0.f; }
$unroll
    for (int t = 0; t < length; t++) {
#pragma unroll
        for (int j = 0; j < $r - 1; j++) past[j] = past[j + 1];
        past[$r - 1] = $to(in[t * channels + c]);
        float v = b;
#pragma unroll
        for (int j = 0; j < $r; j++) v += f[j] * past[j];
        out[t * channels + c] = $back(@{v@v / (1.f + __expf(-v))@});
    }
#pragma unroll
    for (int j = 0; j < $r; j++) state[(blockIdx.y * channels + c) * $r + j] = $back(past[j]);
}""", k, r=d.of(3, 4, 5), **words(d))


def dropout(d, k):
    """Philox by hand for four numbers at once, a bias and a residual beside, the mask kept or made again."""
    return d.cuda("""
__device__ __forceinline__ uint4 philox_${k}(uint4 c, uint2 key)
{
#pragma unroll
    for (int r = 0; r < $n; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9u; key.y += 0xBB67AE85u;
    }
    return c;
}
__global__ void $bounds$k(const $t *$restrict x, const $t *$restrict residual, const $t *$restrict bias, $t *$restrict y,
    unsigned char *$restrict mask, long n, int cols, float p,
                          unsigned long long seed, unsigned long long offset)
{
    float scale = 1.f / (1.f - p); unsigned limit = p * 4294967295.f;
$unroll
    for (long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * 4; i < n; i += (long)gridDim.x * blockDim.x * 4) {
        uint4 r = philox_${k}(make_uint4(i / 4, i >> 34, offset, offset >> 32), make_uint2(seed, seed >> 32));
        unsigned bits[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            @{@if (i + j >= n) break;@}
            float v = $to(x[i + j]) @{@+ $to(bias[(i + j) % cols])@};
            bool keep = bits[j] >= limit;
            v = keep ? v * scale : 0.f;
            y[i + j] = $back(v @{@+ $to(residual[i + j])@});
            @{mask[i + j] = keep;@@}
        }
    }
}""", k, n=d.of(7, 10, 10), **words(d))


def quantise(d, k):
    """Scales by rows or groups, bytes or nibbles packed, and back."""
    g = d.of(32, 64, 128)
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, $o *$restrict q, float *$restrict scales, int cols)
{
    int group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const $t *in = x + (size_t)group * $g + lane * ($g / 32);
    float v[$g / 32], top = 0;
#pragma unroll
    for (int j = 0; j < $g / 32; j++) { v[j] = $to(in[j]); top = fmaxf(top, fabsf(v[j])); }
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    float s = top / $max, inv = @{top > 0 ? $max / top : 0.f@1.f / s@__frcp_rn(s)@};
    if (lane == 0) scales[group] = s;
#pragma unroll
    for (int j = 0; j < $g / 32; j++) q[(size_t)group * $g + lane * ($g / 32) + j] = @{__float2int_rn(v[j] * inv)@min(127, max(-128,
        __float2int_rn(v[j] * inv)))@rintf(v[j] * inv)@};
}""", k, g=g, o=d.of("signed char", "short", "int"), max=d.of("127.f", "7.f"), **words(d))
    return d.cuda("""
__global__ void $bounds$k(const unsigned *$restrict packed, const $t *$restrict scales, const $t *$restrict x, float *$restrict y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
$unroll
    for (int c = lane * 8; c < cols; c += 256) {
        unsigned w = packed[((size_t)row * cols + c) / 8]; float s = $to(scales[(row * cols + c) / $g]), part = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) part += (int(w >> (4 * j) & 15) - 8) * $to(x[c + j]);
        sum += s * part;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (lane == 0) y[row] = sum;
}""", k, g=g, **words(d))


def bytes_product(d, k):
    """dp4a: a product of bytes with scales, tiles of it, zero points."""
    tm, tn = d.of((1, 1), (1, 2), (2, 2), (4, 2), (4, 4))
    return d.cuda("""
__global__ void $bounds$k(const int *$restrict A, const int *$restrict B, const float *$restrict sa, const float *$restrict sb, $o *$restrict C,
    int m, int n, int kw)
{
    __shared__ int as[$tm * 16][$kk + 1], bs[$tn * 16][$kk + 1];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, r0 = blockIdx.y * 16 * $tm, c0 = blockIdx.x * 16 * $tn, acc[$tm][$tn] = {};
    for (int k0 = 0; k0 < kw; k0 += $kk) {
        for (int e = t; e < 16 * $tm * $kk; e += 256) as[e / $kk][e % $kk] = A[(r0 + e / $kk) * kw + k0 + e % $kk];
        for (int e = t; e < 16 * $tn * $kk; e += 256) bs[e / $kk][e % $kk] = B[(c0 + e / $kk) * kw + k0 + e % $kk];
        __syncthreads();
$unroll
        for (int p = 0; p < $kk; p++)
#pragma unroll
            for (int i = 0; i < $tm; i++)
#pragma unroll
                for (int j = 0; j < $tn; j++) acc[i][j] = __dp4a(as[ty + 16 * i][p], bs[tx + 16 * j][p], acc[i][j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < $tm; i++)
#pragma unroll
        for (int j = 0; j < $tn; j++) {
            int r = r0 + ty + 16 * i, c = c0 + tx + 16 * j;
            if (r < m && c < n) C[r * n + c] = @{acc[i][j] * sa[r] * sb[c]@min(max(__float2int_rn(acc[i][j] * sa[0] * sb[c]), -128), 127)@};
        }
}""", k, tm=tm, tn=tn, kk=d.of(8, 16), o=d.of("float", "signed char", "int"))


def best_few(d, k):
    """The largest few of a row: kept sorted in registers, merged by shuffles; beams."""
    n = d.of(1, 2, 4, 8)
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict x, float *$restrict values, int *$restrict places, int rows, int cols, const float *$restrict score)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float v[$n]; int at[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) { v[j] = -1e30f; at[j] = -1; }
$unroll
    for (int c = lane; c < cols; c += 32) {
        float e = $to(x[(size_t)row * cols + c]) @{@+ score[row]@}; int w = c;
        if (e > v[$n - 1]) {
            v[$n - 1] = e; at[$n - 1] = w;
#pragma unroll
            for (int j = $n - 1; j > 0; j--) if (v[j] > v[j - 1]) { float t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; int u = at[j]; at[j] = at[j - 1];
                at[j - 1] = u; }
        }
    }
$unroll
    for (int q = 0; q < $n; q++) {
        float best = v[0]; int who = lane, where = at[0];
        for (int o = 16; o; o >>= 1) {
            float e = __shfl_xor_sync(~0u, best, o); int a = __shfl_xor_sync(~0u, who, o), b = __shfl_xor_sync(~0u, where, o);
            if (e > best || (e == best && a < who)) { best = e; who = a; where = b; }
        }
        if (lane == 0) { values[row * $n + q] = best; places[row * $n + q] = where; }
        if (lane == who) {
#pragma unroll
            for (int j = 0; j < $n - 1; j++) { v[j] = v[j + 1]; at[j] = at[j + 1]; }
            v[$n - 1] = -1e30f;
        }
    }
}""", k, n=n, **words(d))


def recurrent_cell(d, k):
    """Gates of LSTM and GRU after their products, over time in registers; a scan of states."""
    o = d.n(0, 2)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict gates, const $t *$restrict bias, const float *$restrict c0, float *$restrict c1, $t *$restrict h,
    int n, int hidden)
{
    $index
    if (i >= n * hidden) return;
    int j = i % hidden; const $t *g = gates + (i / hidden) * 4 * hidden + j;
    float a[4];
#pragma unroll
    for (int q = 0; q < 4; q++) a[q] = $to(g[q * hidden]) + $to(bias[q * hidden + j]);
    float in = 1.f / (1.f + expf(-a[0])), f = 1.f / (1.f + expf(-a[1])), u = tanhf(a[2]), o = 1.f / (1.f + expf(-a[3]));
    float c = f * c0[i] + in * u;
    c1[i] = c; h[i] = $back(o * tanhf(c));
}""", k, **words(d))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict wx, const $t *$restrict wh, const $t *$restrict bias, $t *$restrict h, int batch, int hidden)
{
    $index
    if (i >= batch * hidden) return;
    int j = i % hidden, r = i / hidden;
    const $t *x = wx + r * 3 * hidden + j, *u = wh + r * 3 * hidden + j;
    float z = 1.f / (1.f + __expf(-($to(x[0]) + $to(u[0]) + $to(bias[j])))), s = 1.f / (1.f + __expf(-($to(x[hidden]) + $to(u[hidden])
        + $to(bias[hidden + j]))));
    float n = tanhf($to(x[2 * hidden]) + s * ($to(u[2 * hidden]) + $to(bias[2 * hidden + j])));
    h[i] = $back((1 - z) * n + z * $to(h[i]));
}""", k, **words(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict u, const $t *$restrict delta, const float *$restrict A, const $t *$restrict B, const $t *$restrict C,
    const float *$restrict D, $t *$restrict y,
                          int length, int dim)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= dim) return;
    float a[$n], state[$n], skip = D[c];
#pragma unroll
    for (int s = 0; s < $n; s++) { a[s] = @{A[c * $n + s]@-expf(A[c * $n + s])@}; state[s] = 0; }
$unroll
    for (int t = 0; t < length; t++) {
        size_t e = ((size_t)blockIdx.y * length + t) * dim + c;
        float dt = $to(delta[e]), x = $to(u[e]), out = 0;
        @{dt = dt > 20.f ? dt : log1pf(expf(dt));@@}
#pragma unroll
        for (int s = 0; s < $n; s++) {
            state[s] = @{__expf@exp2f@}(dt * a[s]) * state[s] + dt * $to(B[(blockIdx.y * length + t) * $n + s]) * x;
            out += state[s] * $to(C[(blockIdx.y * length + t) * $n + s]);
        }
        y[e] = $back(out + skip * x);
    }
}""", k, n=d.of(2, 4, 8, 16), **words(d))


KINDS = [rows_in_registers, norm_forward, norm_backward, activation, attention_decode, attention_blocked, embedding_gradient, rotary, cross_entropy, optimiser, pooling,
         columns_of_image, convolution_direct, convolution_depthwise, dropout, quantise, bytes_product, best_few, recurrent_cell]
