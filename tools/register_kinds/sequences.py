"""Scans, reductions, sorts, searches, histograms and compaction over arrays."""

TYPES = ("float", "int", "unsigned", "double", "long long")


def blelloch_scan(d, k):
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, $t *${restrict}sums, int n) {
    __shared__ $t s[$b * 2@{ + $b / 16@@}]; int t = threadIdx.x, base = blockIdx.x * $b * 2, step = 1;
    s[2 * t] = x[base + 2 * t]; s[2 * t + 1] = x[base + 2 * t + 1];
    $unroll for (int h = $b; h > 0; h >>= 1) { __syncthreads(); if (t < h) { int a = step * (2 * t + 1) - 1, c = step * (2 * t + 2) - 1;
        s[c] $op s[a]; } step *= 2; }
    if (t == 0) { @{sums[blockIdx.x] = s[2 * $b - 1];@@} s[2 * $b - 1] = 0; }
    $unroll for (int h = 1; h < 2 * $b; h *= 2) { step >>= 1; __syncthreads();
        if (t < h) { int a = step * (2 * t + 1) - 1, c = step * (2 * t + 2) - 1; $t u = s[a]; s[a] = s[c]; s[c] $op u; } }
    __syncthreads(); y[base + 2 * t] = s[2 * t]; y[base + 2 * t + 1] = s[2 * t + 1];
}""", k, t=d.of(*TYPES), b=d.of(64, 128, 256, 512), op=d.of("+=", "+=", "*="))


def kogge_stone(d, k):
    """Two buffers in turn; sums, products, extremes, or of pairs."""
    t, zero, op = d.of(("float", "0", "a + b"), ("int", "0", "a + b"), ("float", "-1e30f", "fmaxf(a, b)"), ("int", "0x7fffffff", "min(a, "
        "b)"), ("double", "0", "a + b"), ("float2", "make_float2(1, 0)", "make_float2(a.x * b.x, a.y * b.x + b.y)"), ("unsigned", "0", "a ^ b"))
    return d.cuda("""__device__ __forceinline__ $t join_$k($t a, $t b) { return $op; }
__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) {
    __shared__ $t s[2][$b]; int t = threadIdx.x, i = blockIdx.x * $b + t, in = 0; s[0][t] = i < n ? x[i] : $zero; __syncthreads();
    $unroll for (int o = 1; o < $b; o *= 2) { s[in ^ 1][t] = t >= o ? join_$k(s[in][t - o], s[in][t]) : s[in][t]; in ^= 1; __syncthreads(); }
    if (i < n) y[i] = s[in][@{t@t@$b - 1 - t@}];
}""", k, t=t, zero=zero, op=op, b=d.of(128, 256, 512, 1024))


def warp_scan(d, k):
    """Inclusive or exclusive over a warp, several values a lane, by shuffles."""
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) {
    int l = threadIdx.x @{& 31@% warpSize@}, w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; $t v[$m];
#pragma unroll
    for (int j = 0; j < $m; j++) v[j] = x[(size_t)w * $m * 32 + @{l * $m + j@j * 32 + l@}];
#pragma unroll
    for (int j = 1; j < $m; j++) v[j] $op v[j - 1];
    $t s = v[$m - 1];
    $unroll for (int o = 1; o < 32; o *= 2) { $t u = __shfl_up_sync(~0u, s, o); if (l >= o) s $op u; }
    $t e = __shfl_up_sync(~0u, s, 1); @{if (l == 0) e = 0;@e = l ? e : 0;@}
#pragma unroll
    for (int j = 0; j < $m; j++) @{if (w * 32 < n) @@}y[(size_t)w * $m * 32 + l * $m + j] = v[j] + e;
}""", k, t=d.of(*TYPES), m=d.of(1, 2, 4, 8, 16), op=d.of("+=", "+=", "*="))


def look_back(d, k):
    """One pass: each block waits for its predecessors' prefixes."""
    return d.cuda("""__global__ void $bounds$k(const int *${restrict}x, int *${restrict}y, volatile unsigned long long *state, unsigned *ticket,
        int n) {
    __shared__ int sums[32], prefix, tile; int t = threadIdx.x, l = t & 31, w = t >> 5; if (t == 0) tile = @{atomicAdd(ticket, 1)@blockIdx.x@};
        __syncthreads();
    int base = (tile * $b + t) * $m, v[$m], s = 0;
#pragma unroll
    for (int j = 0; j < $m; j++) { v[j] = base + j < n ? x[base + j] : 0; s += v[j]; }
    int a = s;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) { int u = __shfl_up_sync(~0u, a, o); if (l >= o) a += u; }
    if (l == 31) sums[w] = a; __syncthreads();
    if (w == 0) { int u = l < $b / 32 ? sums[l] : 0; for (int o = 1; o < 32; o *= 2) { int q = __shfl_up_sync(~0u, u, o); if (l >= o) u += q; }
        sums[l] = u; }
    __syncthreads(); int total = sums[$b / 32 - 1];
    if (t == 0) {
        state[tile] = (unsigned long long)(tile ? 1 : 2) << 32 | (unsigned)total; __threadfence(); int p = 0;
        for (int q = tile - 1; q >= 0;) { unsigned long long f = state[q]; if (f >> 32 == 0) @{continue;@{ __nanosleep(20); continue; }@}
            p += (int)f; if (f >> 32 == 2) break; q--; }
        state[tile] = 2ull << 32 | (unsigned)(p + total); prefix = p;
    }
    __syncthreads(); int run = prefix + a - s + (w ? sums[w - 1] : 0);
#pragma unroll
    for (int j = 0; j < $m; j++) { run += v[j]; if (base + j < n) y[base + j] = run; }
}""".replace("@{continue;@{ __nanosleep(20); continue; }@}", d.of("continue;", "{ __nanosleep(20); continue; "
        "}")), k, b=d.of(128, 256, 512), m=d.of(1, 2, 4, 8, 12))


def segmented_scan(d, k):
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, const @{int@unsigned char@} *${restrict}flag, $t *${restrict}y, int n) {
    __shared__ $t s[$b]; __shared__ int f[$b]; $index int t = threadIdx.x; s[t] = i < n ? x[i] : 0; f[t] = i < n ? flag[i] : 1; __syncthreads();
    $unroll for (int o = 1; o < $b; o <<= 1) { $t a = 0; int g = 0; if (t >= o) { a = f[t] ? 0 : s[t - o]; g = f[t - o]; } __syncthreads();
        s[t] += a; f[t] |= g; __syncthreads(); }
    if (i < n) y[i] = s[t];
}""", k, t=d.of(*TYPES), b=d.of(128, 256, 512))


def reduce_steps(d, k):
    """The classic tree with its last warp unrolled, sizes known to the compiler."""
    t = d.of(*TYPES); b = d.of(64, 128, 256, 512)
    steps = "".join(f"if ({b} >= {h * 2}) {{ if (t < {h}) s[t] = v = v + s[t + {h}]; __syncthreads(); }}\n    " for h in (256, 128, 64) if b >= 2 * h)
    last = d.of("if (t < 32) { volatile $t *w = s; " + " ".join(f"w[t] += w[t + {h}];" for h in (32, 16, 8, 4, 2, 1) if 2 * h <= b) + " }",
        "if (t < 32) { v += s[t + 32]; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); s[0] = v; }")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, unsigned n) {
    __shared__ $t s[$b + 32]; unsigned t = threadIdx.x, i = blockIdx.x * $b * 2 + t, g = $b * 2 * gridDim.x; $t v = 0;
    $unroll while (i < n) { v += x[i]; @{if (i + $b < n) @@}v += x[i + $b]; i += g; }
    s[t] = v; __syncthreads();
    """ + steps + last + """
    if (t == 0) @{y[blockIdx.x] = s[0];@atomicAdd((float *)y, (float)s[0]);@}
}""", k, t=t, b=b)


def statistics(d, k):
    """Several sums at once: extremes, moments, Welford, products of two arrays."""
    t = d.of("float", "float", "double"); s = "f" if t == "float" else ""
    parts = d.r.sample([("low", "1e30", f"fmin{s}(A, B)", "v"), ("high", "-1e30", f"fmax{s}(A, B)", "v"), ("sum", "0", "A + B", "v"), ("squares",
        "0", "A + B", "v * v"), ("cubes", "0", "A + B", "v * v * v"), ("fourth", "0", "A + B", "v * v * v * v"), ("cross", "0", "A + B", "v * w"),
        ("other", "0", "A + B", "w"), ("norm", "0", "A + B", f"fabs{s}(v)")], d.n(2, 7))
    declare = f"{t} " + ", ".join(f"{p[0]} = {p[1]}" for p in parts) + ";"
    each = " ".join(f"{p[0]} = {p[2].replace('A', p[0]).replace('B', p[3])};" for p in parts)
    shuffle = " ".join(f"{{ {t} u = __shfl_down_sync(~0u, {p[0]}, o); "
        f"{p[0]} = {p[2].replace('A', p[0]).replace('B', 'u')}; }}" for p in parts)
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, int n) {
    __shared__ $t s[$m][32]; int t = threadIdx.x; """ + declare + """
    $unroll for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
        $t v = x[i]@{, w = z[i]@, w = z[i]@, w = z[n - i]@}; """ + each + """ }
    $unroll for (int o = 16; o; o >>= 1) { """ + shuffle + """ }
    if ((t & 31) == 0) { """ + " ".join(f"s[{j}][t >> 5] = {p[0]};" for j, p in enumerate(parts)) + """ } __syncthreads();
    if (t < 32) { int o = 0; """ + " ".join(f"{p[0]} = s[{j}][t];" for j, p in enumerate(parts)) + """ for (o = 16; o; o >>= 1)
        { """ + shuffle + """ } if (t == 0) { """ + " ".join(f"y[blockIdx.x * {len(parts)} + {j}] = {p[0]};" for j,
        p in enumerate(parts)) + """ } }
}""", k, t=t, m=len(parts))


def welford(d, k):
    return d.cuda("""struct W_$k { $t mean, m2; @{int@$t@} n; };
__device__ W_$k join_$k(W_$k a, W_$k b) { $t q = b.mean - a.mean; W_$k r; r.n = a.n + b.n; if (r.n == 0) return a; r.mean = a.mean + q * b.n / r.n;
    r.m2 = a.m2 + b.m2 + q * q * a.n * b.n / r.n; return r; }
__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}mean, $t *${restrict}var, int n, int pitch) {
    @{__shared__ W_$k s[$b];@@ @} W_$k a = { 0, 0, 0 }; const $t *p = x + (size_t)blockIdx.x * pitch;
    $unroll for (int i = threadIdx.x; i < n; i += blockDim.x) { $t v = p[i], q = v - a.mean; a.n += 1; a.mean += q / a.n; a.m2 += q * (v - a.mean); }
    $unroll for (int o = 16; o; o >>= 1) { W_$k u; u.mean = __shfl_xor_sync(~0u, a.mean, o); u.m2 = __shfl_xor_sync(~0u, a.m2, o);
        u.n = __shfl_xor_sync(~0u, a.n, o); a = join_$k(a, u); }
    if (threadIdx.x == 0) { mean[blockIdx.x] = a.mean; var[blockIdx.x] = @{a.m2 / a.n@rsqrt(a.m2 / a.n + 1e-5f)@}; }
}""", k, t=d.of("float", "float", "double"), b=d.of(32, 64))


def arg_best(d, k):
    """Where the least or the greatest is."""
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}best, $I *${restrict}where, int n) {
    __shared__ $t sv[32]; __shared__ $I si[32]; int t = threadIdx.x; $t v = x[(size_t)blockIdx.x * n]; $I at = 0;
    $unroll for ($I i = t; i < n; i += @{blockDim.x@$b@}) { $t u = x[(size_t)blockIdx.x * n + i]; if (u $c v@{@ || (u == v && i < at)@}) { v = u;
        at = i; } }
    $unroll for (int o = 16; o; o /= 2) { $t u = __shfl_down_sync(~0u, v, o); $I q = __shfl_down_sync(~0u, at, o);
        if (u $c v || (u == v && q < at)) { v = u; at = q; } }
    if (t % 32 == 0) { sv[t / 32] = v; si[t / 32] = at; } __syncthreads();
    if (t < 32) { v = sv[t & ($b / 32 - 1)]; at = si[t & ($b / 32 - 1)]; for (int o = $b / 64; o; o /= 2) { $t u = __shfl_down_sync(~0u, v, o);
        $I q = __shfl_down_sync(~0u, at, o); if (u $c v) { v = u; at = q; } } if (t == 0) { best[blockIdx.x] = v; where[blockIdx.x] = at; } }
}""", k, t=d.of(*TYPES), I=d.of("int", "int", "long long"), b=d.of(64, 128, 256, 512), c=d.of("<", ">"))


def last_block(d, k):
    """Partial sums, and the block that comes last adds them up."""
    return d.cuda("""__device__ unsigned arrived_$k;
__global__ void $bounds$k(const $t *${restrict}x, @{volatile @@}$t *part, $t *out, int n) {
    __shared__ $t s[$b]; __shared__ bool last; int t = threadIdx.x; $t v = 0; $unroll for (int i = blockIdx.x * $b + t; i < n; i += gridDim.x * $b)
        v += x[i];
    s[t] = v; __syncthreads(); for (int h = $b / 2; h; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
    if (t == 0) { part[blockIdx.x] = s[0]; __threadfence(); last = atomicInc(&arrived_$k, gridDim.x) == gridDim.x - 1; } __syncthreads();
    if (last) { v = 0; $unroll for (int i = t; i < gridDim.x; i += $b) v += part[i]; s[t] = v; __syncthreads(); for (int h = $b / 2; h; h >>= 1)
        { if (t < h) s[t] += s[t + h]; __syncthreads(); } if (t == 0) { *out = s[0]; arrived_$k = 0; } }
}""", k, t=d.of(*TYPES), b=d.of(64, 128, 256))


def matrix_sums(d, k):
    """Sums of rows or columns: a thread, a warp or a block each; vectors of loads."""
    t, v4, add = d.of(("float", "float4", "q.x + q.y + q.z + q.w"), ("double", "double2", "q.x + q.y"), ("int", "int4", "q.x + q.y + q.z + q.w"))
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int rows, int cols) {\n    " + d.of(
        "int c = blockIdx.x * blockDim.x + threadIdx.x; if (c >= cols) return; $t s = 0; $unroll for (int r = @{0@blockIdx.y@}; r < rows; r += "
        "@{1@gridDim.y@}) s += x[(size_t)r * cols + c]; @{y[c] = s;@y[c] = s / rows;@atomicAdd((float *)&y[c], (float)s);@}",
        "int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31; if (r >= rows) return; $t s = 0; const $v *p = "
        "(const $v *)(x + (size_t)r * cols); $unroll for (int j = l; j < cols / (int)(sizeof($v) / sizeof($t)); j += 32) { $v q = p[j]; s += $add; } "
        "for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o); if (l == 0) y[r] = s;",
        "__shared__ $t s[8][33]; int c = blockIdx.x * 32 + threadIdx.x; $t a = 0; if (c < cols) $unroll for (int r = threadIdx.y; r < rows; r += 8) "
        "a += x[r * cols + c]; s[threadIdx.y][threadIdx.x] = a; __syncthreads(); if (threadIdx.y == 0 && c < cols) { a = "
        "0;\n#pragma unroll\n    for (int j = 0; j < 8; j++) a += s[j][threadIdx.x]; y[c] = a; }",
        "int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) { $t s = 0, e = 0; $unroll for (int j = 0; j < cols; j++) { $t q = "
        "x[(size_t)r * cols + j] - e, u = s + q; e = (u - s) - q; s = u; } y[r] = s; }",
        "int c = (blockIdx.x * blockDim.x + threadIdx.x) * $m; $t s[$m] = {}; $unroll for (int r = blockIdx.y; r < rows; r += gridDim.y) "
        "{\n#pragma unroll\n        for (int j = 0; j < $m; j++) s[j] += x[(size_t)r * cols + c + j]; }\n#pragma unroll\n    for (int j = 0; j < $m; "
        "j++) y[blockIdx.y * cols + c + j] = s[j];") + "\n}", k, t=t, v=v4, add=add, m=d.of(2, 4, 8))


def bitonic_shared(d, k):
    """Bitonic network in shared memory, keys or keys with values."""
    pair = d.of(True, False)
    return d.cuda("""__global__ void $bounds$k($t *${restrict}key, int *${restrict}value, int n@{, int up@@}) {
    __shared__ $t s[$b * 2]; """ + ("__shared__ int v[$b * 2]; " if pair else "") + """int t = threadIdx.x, base = blockIdx.x * $b * 2;
    s[t] = key[base + t]; s[t + $b] = key[base + t + $b]; """ + ("v[t] = value[base + t]; v[t + $b] = value[base + t + $b];" if pair else "") + """
    $unroll for (int size = 2; size <= 2 * $b; size *= 2) { bool dir = (t & (size / 2)) != 0;
        $unroll for (int h = size / 2; h > 0; h /= 2) { __syncthreads(); int p = 2 * t - (t & (h - 1)); $t a = s[p], c = s[p + h];
            if ((a > c) == dir) { s[p] = c; s[p + h] = a; """ + ("int q = v[p]; v[p] = v[p + h]; v[p + h] = q; " if pair else "") + """} } }
    __syncthreads(); key[base + t] = s[t]; key[base + t + $b] = s[t + $b]; """ + ("value[base + t] = v[t]; value[base + t + $b] = "
        "v[t + $b];" if pair else "") + """
}""", k, t=d.of(*TYPES), b=d.of(64, 128, 256, 512))


def network_sort(d, k):
    """A thread sorts what its registers hold: Batcher's odd-even merge, insertion, or keys with payload."""
    n = d.of(4, 8, 8, 16, 32); pair = d.of(0, 0, 1); swap = "if (a[x] > a[y]) { $t u = a[x]; a[x] = a[y]; a[y] = u;" + (" int q = b[x]; b[x] = b[y]; "
        "b[y] = q;" if pair else "") + " }"
    if not pair and d.of(0, 1): swap = "{ $t u = min(a[x], a[y]); a[y] = max(a[x], a[y]); a[x] = u; }"
    return d.cuda("""__global__ void $bounds$k($t *${restrict}key, int *${restrict}value, int n) {
    $index @{if (i >= n) return;@@} $t a[$n]; int b[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) { a[j] = key[@{i * $n + j@i + j * n@}]; """ + ("b[j] = value[i * $n + j]; " if pair else "") + """}
#pragma unroll
    for (int p = 1; p < $n; p *= 2)
#pragma unroll
        for (int q = p; q >= 1; q /= 2)
#pragma unroll
            for (int j = q % p; j <= $n - 1 - q; j += 2 * q)
#pragma unroll
                for (int h = 0; h < q; h++)
                    if ((h + j) / (p * 2) == (h + j + q) / (p * 2) && h + j + q < $n) { const int x = h + j, y = h + j + q; """ + swap + """ }
    @{key[i] = a[$n / 2];@key[i] = (a[$n / 2] + a[$n / 2 - 1]) / 2;@
#pragma unroll
    for (int j = 0; j < $n; j++) key[i * $n + j] = a[j];@
#pragma unroll
    for (int j = 0; j < $n; j++) key[i + j * n] = a[j];@} """ + ("\n#pragma unroll\n    for (int j = 0; j < $n; j++) value[i * $n + j] = "
        "b[j];" if pair else "") + """
}""", k, n=n, t=d.of("float", "int", "unsigned", "unsigned short", "double"))


def radix_pass(d, k):
    """One digit: counts, ranks by ballots or matches, scatter."""
    t = d.of("unsigned", "unsigned", "unsigned long long"); bits = d.of(1, 2, 4, 4, 8)
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, unsigned *${restrict}count, int shift, int n) {
    __shared__ unsigned h[1 << $bits]; for (int j = threadIdx.x; j < 1 << $bits; j += blockDim.x) h[j] = 0; __syncthreads();
    int base = blockIdx.x * $b * $m + threadIdx.x; $unroll for (int j = 0; j < $m; j++)
        if (base + j * $b < n) atomicAdd(&h[x[base + j * $b] >> shift & ((1 << $bits) - 1)], 1u);
    __syncthreads(); for (int j = threadIdx.x; j < 1 << $bits; j += blockDim.x) count[j * gridDim.x + blockIdx.x] = h[j];
}""", """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, const int *${restrict}vin, int *${restrict}vout,
        unsigned *${restrict}offset, int shift, int n) {
    $index unsigned l = threadIdx.x & 31, below = (1u << l) - 1; $t key = i < n ? x[i] : ~($t)0;
        unsigned digit = key >> shift & ((1 << $bits) - 1), same = ~0u;
    @{$unroll for (int b = 0; b < $bits; b++) { unsigned m = __ballot_sync(~0u, digit >> b & 1); same &= digit >> b & 1 ? m : ~m;
        }@same = __match_any_sync(~0u, digit);@}
    int leader = __ffs(same) - 1; unsigned at = 0; if (l == leader) at = atomicAdd(&offset[digit], __popc(same));
        at = __shfl_sync(~0u, at, leader) + __popc(same & below);
    if (i < n) { y[at] = key; @{vout[at] = vin[i];@@} }
}""", """__global__ void $bounds$k($t *${restrict}x, int shift, int n) {
    __shared__ $t s[$b]; __shared__ int c[$b]; int t = threadIdx.x; $t v = x[blockIdx.x * $b + t];
    $unroll for (int q = 0; q < $bits; q++) { int one = v >> (shift + q) & 1; c[t] = !one; __syncthreads(); for (int o = 1; o < $b; o *= 2)
        { int u = t >= o ? c[t - o] : 0; __syncthreads(); c[t] += u; __syncthreads(); }
        int zeros = c[$b - 1], at = one ? zeros + t - c[t] : c[t] - 1; s[at] = v; __syncthreads(); v = s[t]; __syncthreads(); }
    x[blockIdx.x * $b + t] = v;
}""", """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, const unsigned *${restrict}start, int shift, int n) {
    __shared__ unsigned c[1 << $bits][33]; int t = threadIdx.x; $t v[$m]; unsigned r[$m];
        if (t < 1 << $bits) c[t][32] = start[t * gridDim.x + blockIdx.x]; for (int j = t; j < 32 << $bits; j += blockDim.x) c[j >> 5][j & 31] = 0;
            __syncthreads();
#pragma unroll
    for (int j = 0; j < $m; j++) { v[j] = x[(blockIdx.x * $m + j) * $b + t]; r[j] = atomicAdd(&c[v[j] >> shift & ((1 << $bits) - 1)][t & 31], 1u); }
        __syncthreads();
#pragma unroll
    for (int j = 0; j < $m; j++) { unsigned g = v[j] >> shift & ((1 << $bits) - 1); y[c[g][32] + c[g][t & 31] + r[j]] = v[j]; }
}"""), k, t=t, bits=bits, b=d.of(128, 256, 512), m=d.of(1, 2, 4, 8))


def merge_path(d, k):
    """Diagonals by bisection, then serial merges in registers or shared memory."""
    return d.cuda("""__device__ int cross_$k(const $t *a, int na, const $t *b, int nb, int diag) { int lo = max(0, diag - nb), hi = min(diag, na);
        while (lo < hi) { int m = (lo + hi) @{/ 2@>> 1@}; if (a[m] @{<=@<@} b[diag - 1 - m]) lo = m + 1; else hi = m; } return lo; }
__global__ void $bounds$k(const $t *${restrict}a, const $t *${restrict}b, $t *${restrict}c, @{int *${restrict}split, @@}int na, int nb) {
    int diag = (blockIdx.x * blockDim.x + threadIdx.x) * $m; if (diag >= na + nb) return; int i = cross_$k(a, na, b, nb, diag), j = diag - i;
        $t u = i < na ? a[i] : 0, v = j < nb ? b[j] : 0;
    $unroll for (int q = 0; q < $m; q++) { bool left = j >= nb || (i < na && u <= v); @{if (diag + q < na + nb) @@}c[diag + q] = left ? u : v;
        if (left) { if (++i < na) u = a[i]; } else if (++j < nb) v = b[j]; }
}""", k, t=d.of(*TYPES), m=d.of(1, 4, 7, 8, 11, 16))


def rank_sort(d, k):
    """Places by counting what is smaller."""
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) {
    @{__shared__ $t s[$b];@@ @} $index $t v = i < n ? x[i] : 0; int r = 0;
    @{$unroll for (int j = 0; j < n; j++) r += x[j] < v || (x[j] == v && j < i);@$unroll for (int j = 0; j < n; j++) { $t u = x[j]; r += u < v;
        }@for (int j = 0; j < n; j += 4) {
#pragma unroll
        for (int q = 0; q < 4; q++) r += j + q < n && x[j + q] < v; }@}
    if (i < n) y[r] = v;
}""", k, t=d.of(*TYPES), b=d.of(128, 256))


def bisect(d, k):
    """Lower bounds, with or without branches, in global, shared or constant tables; interpolation."""
    t = d.of("float", "int", "double", "unsigned")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}table, const $t *${restrict}x, @{int@unsigned@}
        *${restrict}y, $t *${restrict}z, int m, int n) {
    $index @{if (i >= n) return;@@} $t v = x[i]; int lo = 0, hi = m;
    @{while (lo < hi) { int q = (lo + hi) / 2; if (table[q] < v) lo = q + 1; else hi = q; }@$unroll for (int s = m / 2; s; s /= 2)
        lo += table[lo + s] <= v ? s : 0;@$unroll for (int s = 0; s < 10; s++) { int q = lo + (hi - lo >> 1); bool b = table[q] < v;
            lo = b ? q + 1 : lo; hi = b ? hi : q; }@for (int s = 1; s < m && table[s] < v; s *= 2) lo = s; while (lo < hi) { int q = (lo + hi) / 2;
                if (table[q] < v) lo = q + 1; else hi = q; }@}
    @{y[i] = lo;@z[i] = table[lo] + (v - table[lo]) / (table[lo + 1] - table[lo]);@y[i] = lo < m && table[lo] == v ? lo : -1;@}
}""", k, t=t)


def top_values(d, k):
    """The best of a row, kept in order in registers."""
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}best, int *${restrict}where, int n, int rows) {
    @{int r = blockIdx.x * blockDim.x + threadIdx.x, l = 0, step = 1;
        if (r >= rows) return;@int r = blockIdx.x, l = threadIdx.x, step = blockDim.x;@} $t v[$m]; int at[$m];
#pragma unroll
    for (int j = 0; j < $m; j++) { v[j] = -1e9; at[j] = -1; }
    $unroll for (int i = l; i < n; i += step) { $t u = x[@{(size_t)r * n + i@i * rows + r@}]; if (u > v[$m - 1]) { int a = i;
#pragma unroll
        for (int j = 0; j < $m; j++) if (u > v[j]) { $t q = v[j]; v[j] = u; u = q; int w = at[j]; at[j] = a; a = w; } } }
#pragma unroll
    for (int j = 0; j < $m; j++) { best[(r * step + l) * $m + j] = v[j]; @{where[(r * step + l) * $m + j] = at[j];@@} }
}""", k, t=d.of("float", "float", "int", "double"), m=d.of(1, 2, 3, 4, 5, 8, 10, 16))


def histogram_styles(d, k):
    """Counts of bytes: packed counters a thread, copies a warp, matches, weights, two dimensions."""
    return d.cuda(d.of("""__global__ void $bounds$k(const uchar4 *${restrict}x, unsigned *${restrict}h, int n) {
    __shared__ unsigned s[$w][256]; int w = threadIdx.x / 32 % $w; for (int j = threadIdx.x; j < $w * 256; j += blockDim.x) (&s[0][0])[j] = 0;
        __syncthreads();
    $unroll for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { uchar4 v = x[i]; atomicAdd(&s[w][v.x], 1);
        atomicAdd(&s[w][v.y], 1); atomicAdd(&s[w][v.z], 1); atomicAdd(&s[w][v.w], 1); }
    __syncthreads(); for (int j = threadIdx.x; j < 256; j += blockDim.x) { unsigned c = 0; $unroll for (int q = 0; q < $w; q++) c += s[q][j];
        atomicAdd(&h[j], c); }
}""", """__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}h, int n) {
    $index unsigned v = i < n ? x[i] >> 24 : 0, same = __match_any_sync(__activemask(), v);
        if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&h[v], __popc(same));
}""", """__global__ void $bounds$k(const unsigned char *${restrict}x, unsigned *${restrict}h, int n) {
    unsigned long long c = 0; unsigned q[8] = {}; $unroll for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        { c += 1ull << (x[i] >> 5) * 8; @{if ((i & 127) == 0)@@} {
#pragma unroll
        for (int j = 0; j < 8; j++) q[j] += c >> j * 8 & 255; c = 0; } }
#pragma unroll
    for (int j = 0; j < 8; j++) { for (int o = 16; o; o >>= 1) q[j] += __shfl_xor_sync(~0u, q[j], o);
        if ((threadIdx.x & 31) == j) atomicAdd(&h[j], q[j]); }
}""", """__global__ void $bounds$k(const float *${restrict}x, const float *${restrict}y, const float *${restrict}w, float *${restrict}h, float x0,
        float y0, float sx, float sy, int nx, int ny, int n) {
    $index if (i >= n) return; float u = (x[i] - x0) * sx, v = (y[i] - y0) * sy; int a = (int)floorf(u), b = (int)floorf(v);
        @{if (a < 0 || b < 0 || a >= nx || b >= ny) return; atomicAdd(&h[b * nx + a], w[i]);@a = min(max(a, 0), nx - 2); b = min(max(b, 0), ny - 2);
            u -= a; v -= b; float q = w[i]; atomicAdd(&h[b * nx + a], q * (1 - u) * (1 - v)); atomicAdd(&h[b * nx + a + 1], q * u * (1 - v));
                atomicAdd(&h[(b + 1) * nx + a], q * (1 - u) * v); atomicAdd(&h[(b + 1) * nx + a + 1], q * u * v);@}
}"""), k, w=d.of(1, 2, 4, 8))


def compact(d, k):
    """What passes a test moves together: by scan, by warp, by block, split in three."""
    t = d.of(*TYPES); test = d.of("v > limit", "v != 0", "v > limit && v < 2 * limit", "(int)v % 3 == 0")
    return d.cuda("__device__ __forceinline__ bool keep_$k($t v, $t limit) { return $test; }\n__global__ void $bounds$k(const $t *${restrict}x, "
        "$t *${restrict}y, int *${restrict}where, int *count, const int *${restrict}offset, $t limit, int n) {\n    " + d.of(
        "$index if (i < n && keep_$k(x[i], limit)) @{y[atomicAdd(count, 1)] = x[i];@where[atomicAdd(count, 1)] = i;@}", "$index if (i < n) { $t v = "
        "x[i]; if (keep_$k(v, limit)) { y[offset[i]] = v; @{where[offset[i]] = i;@@} } }",
        "__shared__ int base, total; $index if (threadIdx.x == 0) total = 0; __syncthreads(); $t v = i < n ? x[i] : 0; bool p = i < n && keep_$k(v, "
        "limit); int at = p ? atomicAdd(&total, 1) : 0; __syncthreads(); if (threadIdx.x == 0) base = atomicAdd(count, total); __syncthreads(); "
        "if (p) y[base + at] = v;",
        "$index if (i >= n) return; $t v = x[i]; if (keep_$k(v, limit)) { unsigned m = __activemask(); int lead = __ffs(m) - 1, at = 0; unsigned l = "
        "threadIdx.x & 31; if (l == lead) at = atomicAdd(count, __popc(m)); at = __shfl_sync(m, at, lead); y[at + __popc(m & ((1u << l) - 1))] = v; "
        "}",
        "$index if (i >= n) return; $t v = x[i]; int part = v < limit ? 0 : v > limit ? 2 : 1; int at = atomicAdd(&count[part], 1); "
        "y[part * n + at] = v;",
        "int base = blockIdx.x * $b * $m + threadIdx.x; unsigned mask = 0; $t v[$m]; $unroll for (int j = 0; j < $m; j++) { v[j] = x[base + j * $b]; "
        "mask |= (unsigned)keep_$k(v[j], limit) << j; } int c = __popc(mask); int at = atomicAdd(count, c); $unroll for (int j = 0; j < $m; j++) "
        "if (mask >> j & 1) y[at++] = v[j];") + "\n}", k, t=t, test=test, b=d.of(128, 256), m=d.of(2, 4, 8))


def run_lengths(d, k):
    """Heads of runs, differences of neighbours, unique values, expansion by bisection."""
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int *${restrict}start, const int *${restrict}offset, int m, "
        "int n) {\n    $index if (i >= n) return;\n    " + d.of(
        "start[i] = i == 0 || x[i] != x[i - 1];", "@{if (i) @@}y[i] = x[i] - x[i - 1];", "bool head = i == 0 || x[i] != x[i - 1], tail = i == "
        "n - 1 || x[i] != x[i + 1]; if (head) start[offset[i]] = i; if (tail) y[offset[i]] = x[i];",
        "int lo = 0, hi = m; while (lo < hi) { int q = (lo + hi) / 2; if (offset[q] <= i) lo = q + 1; else hi = q; } y[i] = x[lo - 1]; @{start[i] = "
        "i - offset[lo - 1];@@}",
        "if (i && x[i] == x[i - 1]) return; int e = i; while (e < n && x[e] == x[i]) e++; start[offset[i]] = e - i; y[offset[i]] = "
        "x[i];") + "\n}", k, t=d.of("int", "unsigned char", "float", "long long", "short"))


def window_filters(d, k):
    """Moving averages, medians and extremes over a window of an array."""
    t = d.of("float", "int", "double", "unsigned char"); m = d.of(3, 5, 7, 9)
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) {\n    " + d.of(
        "$index if (i < $m / 2 || i >= n - $m / 2) return; $t v[$m]; $unroll for (int j = 0; j < $m; j++) v[j] = "
        "x[i + j - $m / 2];\n#pragma unroll\n    for (int a = 0; a <= $m / 2; a++)\n#pragma unroll\n    for (int b = a + 1; b < $m; b++) "
        "if (v[b] < v[a]) { $t u = v[a]; v[a] = v[b]; v[b] = u; } y[i] = v[$m / 2];",
        "__shared__ $t s[256 + $m]; $index int t = threadIdx.x; s[t] = x[min((int)i, n - 1)]; if (t < $m) s[t + 256] = x[min((int)i + 256, n - 1)]; "
        "__syncthreads(); @{$t a = 0; $unroll for (int j = 0; j < $m; j++) a += s[t + j]; y[i] = a / $m;@$t a = s[t]; $unroll for (int j = 1; "
        "j < $m; j++) a = max(a, s[t + j]); y[i] = a;@}",
        "int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16; $t a = 0; for (int j = 0; j < $m; j++) a += x[i + j]; $unroll for (int j = 0; j < 16; "
        "j++) { y[i + j] = a / $m; a += x[i + j + $m] - x[i + j]; }") + "\n}", k, t=t, m=m)


def quick_select(d, k):
    """A block finds the value of a rank: digits from the top, or pivots."""
    return d.cuda("""__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}y, int rank, int n) {
    __shared__ unsigned h[1 << $b], digit; __shared__ int left; unsigned prefix = 0, mask = 0; int t = threadIdx.x;
        const unsigned *p = x + (size_t)blockIdx.x * n; if (t == 0) left = rank; __syncthreads();
    @{#pragma unroll 1
@@
@}for (int shift = 32 - $b; shift >= 0; shift -= $b) {
        for (int j = t; j < 1 << $b; j += blockDim.x) h[j] = 0; __syncthreads();
        $unroll for (int i = t; i < n; i += blockDim.x) { unsigned v = p[i];
            if ((v & mask) == prefix) atomicAdd(&h[v >> shift & ((1 << $b) - 1)], 1); } __syncthreads();
        if (t == 0) { int c = left; unsigned g = 0; while (g < (1 << $b) - 1 && c >= h[g]) c -= h[g++]; digit = g; left = c; } __syncthreads();
        prefix |= digit << shift; mask |= ((1u << $b) - 1) << shift;
    }
    if (t == 0) y[blockIdx.x] = prefix;
}""", k, b=d.of(2, 4, 8))


def block_sort(d, k):
    """Splitters by bisection, counting sorts, odd-even passes, insertion in a thread."""
    t = d.of(*TYPES)
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, int *${restrict}bucket, int *${restrict}count,
        const $t *${restrict}splitter, int n) {
    __shared__ $t s[$m]; __shared__ int c[$m + 1]; for (int j = threadIdx.x; j <= $m; j += blockDim.x) { if (j < $m) s[j] = splitter[j]; c[j] = 0; }
        __syncthreads();
    $unroll for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { $t v = x[i]; int b = 0;
#pragma unroll
        for (int h = $m / 2; h; h /= 2) b += s[b + h - 1] < v ? h : 0; bucket[i] = b; atomicAdd(&c[b], 1); }
    __syncthreads(); for (int j = threadIdx.x; j < $m; j += blockDim.x) count[j * gridDim.x + blockIdx.x] = c[j];
}""", """__global__ void $bounds$k($t *${restrict}x, int n) {
    __shared__ $t s[$m * 4]; int t = threadIdx.x; for (int j = t; j < $m * 4; j += blockDim.x) s[j] = x[blockIdx.x * $m * 4 + j]; __syncthreads();
    $unroll for (int p = 0; p < $m * 4; p++) { int a = 2 * t + (p & 1); if (a + 1 < $m * 4 && s[a] > s[a + 1]) { $t u = s[a]; s[a] = s[a + 1];
        s[a + 1] = u; } __syncthreads(); }
    for (int j = t; j < $m * 4; j += blockDim.x) x[blockIdx.x * $m * 4 + j] = s[j];
}""", """__global__ void $bounds$k($t *${restrict}x, int n) {
    $index $t *p = x + (size_t)i * n; for (int a = 1; a < @{n@$m@}; a++) { $t v = p[a]; int b = a - 1; while (b >= 0 && p[b] > v) { p[b + 1] = p[b];
        b--; } p[b + 1] = v; }
}"""), k, t=t, m=d.of(16, 32, 64))


KINDS = [blelloch_scan, kogge_stone, warp_scan, look_back, segmented_scan, reduce_steps, statistics, welford, arg_best, last_block, matrix_sums,
        bitonic_shared, network_sort, radix_pass, merge_path, rank_sort,
         bisect, top_values, histogram_styles, compact, run_lengths, window_filters, quick_select, block_sort]
