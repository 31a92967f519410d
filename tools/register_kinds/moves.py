"""Small kernels that fill, convert, choose and move: what libraries have most of."""

SCALARS = ("float", "double", "int", "unsigned", "short", "unsigned char", "long long", "half", "__nv_bfloat16", "bool", "char", "unsigned short",
        "unsigned long long")
PLAIN = ("float", "double", "int", "unsigned", "short", "unsigned char", "long long", "char")
LOOPS = ("$index if (i < n) { $each }", "$index if (i >= n) return; $each", "$index $each", "for (int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "i < n; i += gridDim.x * blockDim.x) { $each }",
         "$unroll for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) { "
        "$each }", "$unroll for (int q = 0; q < 4; q++) { int i = (blockIdx.x * 4 + q) * blockDim.x + threadIdx.x; if (i < n) { $each } }",
         "int i = threadIdx.x; $unroll for (; i < n; i += blockDim.x) { $each }", "int c = blockIdx.x * blockDim.x + threadIdx.x, r = "
        "blockIdx.y * blockDim.y + threadIdx.y; if (c < n && r < m) { int i = r * n + c; $each }")


def over(d, k, args, each, **words):
    """A kernel that does each for every i below n."""
    return d.cuda("__global__ void $bounds$k(" + args + ", @{int@int@unsigned@size_t@long long@} n, int m) { " + d.of(*LOOPS).replace("$each",
        each) + " }", k, **words)


def fill_values(d, k):
    return over(d, k, "$t *${restrict}x, $t v, $t step", d.of("x[i] = v;", "x[i] = ($t)i;", "x[i] = v + ($t)i * step;", "x[i] = ($t)0;", "x[i] = "
        "i % 2 ? v : step;", "x[i] = ($t)((int)i * 2 + 1);", "x[n - 1 - i] = v;", "x[i * m] = v;", "if (i < m) x[i] = v; else x[i] = "
        "step;"), t=d.of(*PLAIN))


def scale_add(d, k):
    t = d.of("float", "double", "int", "float", "float2", "float4", "double2"); m = dict(float2="xy", float4="xyzw", double2="xy").get(t, "")
    f = d.of("y[i] = a * x[i] + y[i]", "y[i] = a * x[i]", "y[i] += x[i]", "z[i] = x[i] * y[i]", "z[i] = a * x[i] + b * y[i]", "y[i] = "
        "x[i] - y[i]", "z[i] = x[i] * y[i] + z[i]", "x[i] = a * (x[i] - b)", "y[i] = a * x[i] * x[i] + b * x[i] + y[i]", "z[i] = (x[i] + y[i]) "
        "/ (a + b)")
    each = f + ";" if not m else " ".join(f.replace("[i]", f"[i].{c}") + ";" for c in m)
    return over(d, k, "$t *${restrict}x, $t *${restrict}y, $t *${restrict}z, $s a, $s b", each, t=t, s=t.rstrip("24") if m else t)


def cast_types(d, k):
    a, b = d.of(*SCALARS), d.of(*SCALARS); get = {"half": "__half2float(x[i])", "__nv_bfloat16": "__bfloat162float(x[i])"}.get(a,
        "x[i]"); v = get + d.of("", "", " * 2", " + 1")
    put = {"half": f"__float2half((float)({v}))", "__nv_bfloat16": f"__float2bfloat16((float)({v}))"}.get(b, f"({b})({v})")
    if d.maybe(.25, "x") and b in ("unsigned char", "short", "char") and a in ("float", "double",
        "int"): put = f"({b})min(max(({a})({v}), ({a})0), ({a})127)"
    return over(d, k, f"const {a} *${{restrict}}x, {b} *${{restrict}}y", f"y[i] = {put};")


def compare_choose(d, k):
    """Masks, limits, choices, signs."""
    t = d.of("float", "double", "int", "unsigned char", "long long", "short")
    return over(d, k, "const $t *${restrict}x, const $t *${restrict}y, $t *${restrict}z, bool *${restrict}b, $t low, $t high", d.of(
        "b[i] = x[i] @{<@>@==@<=@!=@} y[i];", "b[i] = x[i] > low;", "z[i] = x[i] < low ? low : x[i] > high ? high : x[i];", "z[i] = "
        "b[i] ? x[i] : y[i];", "z[i] = b[i] ? x[i] : low;", "if (b[i]) z[i] = low;", "z[i] = x[i] > y[i] ? x[i] : y[i];", "z[i] = (x[i] > 0) "
        "- (x[i] < 0);", "z[i] = x[i] > 0 ? x[i] : 0;",
        "z[i] = x[i] < 0 ? -x[i] : x[i];", "b[i] = x[i] != x[i];", "b[i] = b[i] && x[i] > low && x[i] < high;", "z[i] = "
        "x[i] > low ? x[i] : x[i] * high;", "z[i] = x[i] >= low && x[i] <= high ? y[i] : 0;", "z[i] = x[i] ? y[i] / x[i] : 0;", "z[i] = min(x[i], "
        "min(y[i], high));"), t=t)


def swap_reverse(d, k):
    return d.cuda("__global__ void $bounds$k($t *${restrict}x, $t *${restrict}y, int m, int n) { " + d.of(
        "$index if (i < n) { $t v = x[i]; x[i] = y[i]; y[i] = v; }", "$index if (i < n / 2) { $t v = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = v; "
        "}", "$index if (i < n) y[n - 1 - i] = x[i];", "__shared__ $t s[$b]; int t = threadIdx.x, i = blockIdx.x * $b + t; s[$b - 1 - t] = x[i]; "
        "__syncthreads(); y[(gridDim.x - 1 - blockIdx.x) * $b + t] = s[t];",
        "int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (c < n / 2) { $t v = x[r * n + c]; x[r * n + c] = x[r * n + n - 1 - c]; "
        "x[r * n + n - 1 - c] = v; }", "$index if (i < n) y[(i + m) % n] = x[i];", "int c = blockIdx.x * blockDim.x + threadIdx.x, r = "
        "blockIdx.y * blockDim.y + threadIdx.y; if (c < n && r < m) y[@{c * m + m - 1 - r@(n - 1 - c) * m + r@(m - 1 - r) * n + c@}] = x[r * n + c];",
        "$index if (i < n) { y[2 * i] = x[i]; y[2 * i + 1] = x[i + n]; }", "$index if (i < n) { y[i] = x[2 * i]; y[i + n] = x[2 * i + 1]; "
        "}") + " }", k, t=d.of("float", "double", "int", "unsigned char", "float4", "uchar4", "short", "double2"), b=d.of(128, 256, 512))


def tensor_moves(d, k):
    """Pads, rolls, crops, tiles, joins, slices, flips and shuffles of up to five dimensions."""
    t = d.of(*PLAIN); I = d.of("int", "int", "unsigned", "long long")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, $I w, $I h, $I c, $I ow, $I oh, "
        "$I px, $I py, $t v, $I n) {\n    " + d.of("$I i = ($I)blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; "
        "$each", "$unroll for ($I i = ($I)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += ($I)gridDim.x * blockDim.x) { "
        "$each }").replace("$each", "$I a = i % ow, b = i / ow % oh, q = i / ow / oh; " + d.of(
        "$I u = a - px, r = b - py; y[i] = u >= 0 && r >= 0 && u < w && r < h ? x[(q * h + r) * w + u] : v;", "y[i] = x[(q * h + (b + py) % h) "
        "* w + (a + px) % w];", "y[i] = x[(q * h + b + py) * w + a + px];", "y[i] = x[(q % c * h + b % h) * w + a % w];", "y[i] = "
        "q < c ? x[(q * h + b) * w + a] : z[((q - c) * h + b) * w + a];",
        "$I g = q % c, e = q / c; y[i] = x[((e * c + (g % px) * (c / px) + g / px) * h + b) * w + a];", "$I u = a - px, r = b - py; u = "
        "u < 0 ? -u : u >= w ? 2 * w - 2 - u : u; r = r < 0 ? -r : r >= h ? 2 * h - 2 - r : r; y[i] = x[(q * h + r) * w + u];", "y[i] = "
        "x[(q * h + b / py) * w + a / px];", "y[i] = x[(q * h + b * py) * w + a * px];",
        "y[((a * oh) + b) * c + q] = x[i];", "y[i] = x[((q * c + a % px) * h + b / py) * w + a / px];", "y[i] = a <= b + px ? x[i] : v;", "y[i] = "
        "x[(q * h + (oh - 1 - b)) * w + (ow - 1 - a)];", "y[i] = a == b ? v : 0;")) + "\n}", k, t=t, I=I)


def gather_scatter(d, k):
    """By an index: elements, rows, vectors; scatters that add; embeddings; one-hot; permutations."""
    t = d.of("float", "double", "int", "float4", "float2", "unsigned char", "short"); I = d.of("int", "long long",
        "int"); add = "atomicAdd((float *)&y[$d], 1.f)" if t in ("float4", "float2", "unsigned char", "short") else "atomicAdd(&y[$d], x[$s])"
    put = lambda dst, src: add.replace("$d", dst).replace("$s", src) + ";"
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, const $I *${restrict}idx, int width, int m, int n) "
        "{\n    " + d.of(
        "$index if (i < n) y[i] = x[idx[i]];", "$index if (i < n) y[idx[i]] = x[i];", "$index if (i < n) { $I q = idx[i]; if (q >= 0 && q < m) "
        "y[i] = x[q]; }", "int r = blockIdx.x; $I q = idx[r]; $unroll for (int c = threadIdx.x; c < width; c += blockDim.x) "
        "y[(size_t)r * width + c] = x[(size_t)q * width + c];",
        "int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; if (c < width && r < n) y[r * width + c] = "
        "x[idx[r] * width + c];", "$index if (i < n) " + put("idx[i]", "i"), "int r = blockIdx.x * blockDim.y + threadIdx.y; if (r < n) { $I q = "
        "idx[r]; $unroll for (int c = threadIdx.x; c < width; c += 32) " + put("q * width + c", "r * width + c") + " }",
        "$index if (i < (size_t)n * width) y[i] = x[idx[i / width] * width + i % width];", "$index if (i < n) y[i] = "
        "x[idx[idx[i]]];", "$unroll for (int j = 0; j < 4; j++) { int i = (blockIdx.x * 4 + j) * blockDim.x + threadIdx.x; if (i < n) y[i] = "
        "x[idx[i]]; }", "int i = blockIdx.x * blockDim.x + threadIdx.x; $t v[$u]; $I q[$u];\n#pragma unroll\n    for (int j = 0; j < $u; j++) q[j] = "
        "idx[i * $u + j];\n#pragma unroll\n    for (int j = 0; j < $u; j++) v[j] = x[q[j]];\n#pragma unroll\n    for (int j = 0; j < $u; j++) "
        "y[i * $u + j] = v[j];") + "\n}", k, t=t, I=I, u=d.of(2, 4, 8))


def record_layouts(d, k):
    """Arrays of structs to structs of arrays and back, structs of odd sizes, unions of words."""
    n = d.of(2, 3, 4, 5, 6, 7, 8, 12, 16); t = d.of("float", "int", "double", "short",
        "float"); f = [f"f{j}" for j in range(n)]
    s = f"struct R_$k {{ {d.of('', '', 'unsigned char tag; ', 'double head; ')}{t} {', '.join(f)}; }};\n"
    ptr = ", ".join(f"{t} *${{restrict}}p{j}" for j in range(n))
    return d.cuda(d.of(s + "__global__ void $bounds$k(const R_$k *${restrict}r, " + ptr + ", int n) { $index if (i < n) { @{R_$k v = "
        "r[i];@const R_$k &v = r[i];@} " + " ".join(f"p{j}[i] = v.f{j};" for j in range(n)) + " } }",
        s + "__global__ void $bounds$k(R_$k *${restrict}r, " + ptr + ", int n) { $index if (i < n) { R_$k v{}; " +
        " ".join(f"v.f{j} = p{j}[i];" for j in range(n)) + " r[i] = v; } }", s + "__global__ void $bounds$k(const R_$k *${restrict}r, "
        "R_$k *${restrict}q, const int *${restrict}idx, int n) { $index if (i < n) q[i] = r[@{idx[i]@n - 1 - i@i@}]; }",
        s + "__global__ void $bounds$k(R_$k *${restrict}r, $t a, int n) { $index if (i < n) { " +
        " ".join(f"r[i].{x} {d.of('*= a', '+= a', f'= r[i].{d.of(*f)}')};" for x in d.r.sample(f, d.n(1, n))) + " } }",
        s + "__global__ void $bounds$k(const R_$k *${restrict}r, R_$k *${restrict}out, int n) { __shared__ R_$k s[64]; int t = threadIdx.x; s[t] = "
        "r[blockIdx.x * 64 + t]; __syncthreads(); R_$k v = s[t], w = s[(t + 1) & 63]; " + " ".join(f"v.{x} = v.{x} + w.{x};" for x in f) +
        " out[blockIdx.x * 64 + t] = v; }",
        "__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) { __shared__ $t s[@{$b@256@} * $n]; int t = threadIdx.x; "
        "$unroll for (int j = 0; j < $n; j++) s[j * $b + t] = x[blockIdx.x * $b * $n + j * $b + t]; __syncthreads(); $unroll for (int j = 0; j < $n; "
        "j++) y[j * n + blockIdx.x * $b + t] = s[t * $n + j]; }".replace("@{$b@256@}", "$b")), k, n=n, t=t, b=d.of(64, 128))


def transposes(d, k):
    """In registers, by shuffles, in place, skewed, batched, of halves and vectors, of three dimensions."""
    t = d.of("float", "double", "int", "unsigned char", "half", "float2", "short", "float4"); b = d.of(8, 16, 32)
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int w, int h, long long batch) {
    __shared__ $t s[$b][$b + @{0@1@}]; x += blockIdx.z * batch; y += blockIdx.z * batch;
        int bx = @{blockIdx.x@(blockIdx.x + blockIdx.y) % gridDim.x@}, by = blockIdx.@{y@y@x@};
            int c = bx * $b + threadIdx.x, r = by * $b + threadIdx.y; if (c < w && r < h) s[threadIdx.y][threadIdx.x] = x[(size_t)r * w + c];
                __syncthreads();
    c = by * $b + threadIdx.x; r = bx * $b + threadIdx.y; if (c < h && r < w) y[(size_t)r * h + c] = s[threadIdx.x][threadIdx.y];
}""", """__global__ void $bounds$k($t *x, int n) {
    __shared__ $t a[$b][$b + 1], b[$b][$b + 1]; int tx = threadIdx.x, ty = threadIdx.y; if (blockIdx.y > blockIdx.x) return;
        int p = (blockIdx.y * $b + ty) * n + blockIdx.x * $b + tx, q = (blockIdx.x * $b + ty) * n + blockIdx.y * $b + tx; a[ty][tx] = x[p];
            b[ty][tx] = x[q]; __syncthreads(); x[q] = a[tx][ty]; @{if (blockIdx.x != blockIdx.y) @@}x[p] = b[tx][ty];
}""", """__global__ void $bounds$k(const float *${restrict}x, float *${restrict}y, int n) {
    float v[$r]; int l = threadIdx.x & 31, base = (blockIdx.x * blockDim.x + threadIdx.x - l) * $r;
#pragma unroll
    for (int j = 0; j < $r; j++) v[j] = x[base + j * 32 + l];
#pragma unroll
    for (int h = 1; h < $r; h *= 2)
#pragma unroll
        for (int j = 0; j < $r; j++) if (!(j & h)) { float u = l & h ? v[j] : v[j + h]; u = __shfl_xor_sync(~0u, u, h); if (l & h) v[j] = u;
            else v[j + h] = u; }
#pragma unroll
    for (int j = 0; j < $r; j++) y[base + l * $r + j] = v[j];
}""", """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = (blockIdx.y * blockDim.y + threadIdx.y) * $r; $t v[$r]; if (c >= w) return;
        $unroll for (int j = 0; j < $r; j++) @{if (r + j < h) @@}v[j] = x[(r + j) * w + c]; $unroll for (int j = 0; j < $r; j++)
            y[(size_t)c * h + r + j] = v[j];
}""", """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int a, int b, int c) {
    $index if (i >= (size_t)a * b * c) return; int u = i % c, v = i / c % b, w = i / c / b;
        y[@{(v * a + w) * c + u@(u * b + v) * a + w@(w * c + u) * b + v@(u * a + w) * b + v@}] = x[i];
}""", """__global__ void $bounds$k(const float4 *${restrict}x, float4 *${restrict}y, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; if (c >= w / 4 || r >= h / 4) return;
        int p = w / 4, q = h / 4; float4 a = x[(4 * r) * p + c], b = x[(4 * r + 1) * p + c], e = x[(4 * r + 2) * p + c], f = x[(4 * r + 3) * p + c];
    y[(4 * c) * q + r] = make_float4(a.x, b.x, e.x, f.x); y[(4 * c + 1) * q + r] = make_float4(a.y, b.y, e.y, f.y);
        y[(4 * c + 2) * q + r] = make_float4(a.z, b.z, e.z, f.z); y[(4 * c + 3) * q + r] = make_float4(a.w, b.w, e.w, f.w);
}"""), k, t=t, b=b, r=d.of(4, 8, 16))


def matrix_parts(d, k):
    """Diagonals, triangles, outer products, broadcasts, biases, norms of small rows."""
    t = d.of("float", "double", "int", "float"); s = "f" if t == "float" else ""
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, $t a, int m, int n) {\n    " + d.of(
        "$index if (i < n) y[i] = x[i * n + i];", "int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; "
        "if (c < n && r < m) { $each }", "int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y; if (c >= n || r >= m) return; "
        "$each", "int r = blockIdx.x; $unroll for (int c = threadIdx.x; c < n; c += blockDim.x) { $each }", "$index if (i >= (long long)m * n) "
        "return; int r = i / n, c = i - r * n; $each").replace("$each", d.of(
        "y[r * n + c] = x[r] * z[c];", "y[r * n + c] += a * x[r] * z[c];", "y[r * n + c] = x[r * n + c] + z[c];", "y[r * n + c] = "
        "x[r * n + c] * z[r] + a;", "y[r * n + c] = c >= r ? x[r * n + c] : 0;", "y[r * n + c] = r == c ? a : 0;", "if (c > r) y[r * n + c] = "
        "x[c * n + r];", "y[r * n + c] = (x[r * n + c] + x[c * n + r]) / 2;", "y[r * n + c] = x[r * n + c] / z[r];",
        "$t v = x[r * n + c] + z[c]; y[r * n + c] = v > 0 ? v : a * v;", "y[r * n + c] = x[r % 4 * n + c] + z[c % 8];", "y[(size_t)r * (n + m) "
        "+ c] = x[(size_t)r * n + c];", "y[r * n + c] = x[r * n + c] == z[r] ? 1 : a;")) + "\n}", k, t=t)


def pixels(d, k):
    """Bytes of colours: YUV, grey, blends, planes, gamma, thresholds, channel orders."""
    p, cs = d.of(("uchar4", "xyzw"), ("uchar3", "xyz"), ("float4", "xyzw"), ("uchar4",
        "xyzw")); one = "1.f" if p == "float4" else "255.f"; c = "float" if p == "float4" else "unsigned char"
    return d.cuda("__global__ void $bounds$k(const $p *${restrict}x, const $p *${restrict}z, $p *${restrict}y, $c *${restrict}g, float a, int w, "
        "int h, int pitch) {\n    int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y; @{if (u >= w || v >= h) "
        "return;@@} int i = v * @{w@pitch@} + u; $p q = x[i]; " + d.of(
        "g[i] = @{.299f * q.x + .587f * q.y + .114f * q.z@(q.x * 77 + q.y * 151 + q.z * 28) / 256@(q.x + q.y + q.z) / 3@};", "$p o = q; o.x = q.z; "
        "o.z = q.x; y[i] = o;", "float r = q.x, e = q.y, b = q.z; g[i] = .257f * r + .504f * e + .098f * b + 16; if (!((u | v) & 1)) { int j = "
        "w * h + v / 2 * w + u; g[j] = -.148f * r - .291f * e + .439f * b + 128; g[j + 1] = .439f * r - .368f * e - .071f * b + 128; }",
        "$p s = z[i], o = q; float f = a; " + " ".join(f"o.{j} = q.{j} * (1 - f) + s.{j} * f;" for j in cs) + " y[i] = o;", "g[i] = q.x; "
        "g[i + w * h] = q.y; g[i + 2 * w * h] = "
        "q.z;", "$p o = q; " + " ".join(f"o.{j} = $one * __powf(q.{j} / $one, a);" for j in cs[:3]) + " y[i] = "
        "o;", "$p o = q; " + " ".join(f"o.{j} = fminf(fmaxf((q.{j} - 128.f) * a + 128.f, 0.f), $one);" for j in cs) + " y[i] = o;",
        "float hi = fmaxf(q.x, fmaxf(q.y, q.z)), lo = fminf(q.x, fminf(q.y, q.z)), dd = hi - lo, e = dd == 0 ? 0 : hi == q.x ? (q.y - q.z) "
        "/ dd : hi == q.y ? 2 + (q.z - q.x) / dd : 4 + (q.x - q.y) / dd; $p o = q; o.x = e * 42.5f; o.y = hi ? dd / hi * $one : 0; o.z = hi; y[i] = "
        "o;", "g[i] = q.x + q.y + q.z > a ? $one : 0;") + "\n}", k, p=p, c=c, one=one)


def copy_widths(d, k):
    """Copies and byte orders with vectors, cache hints, volatile and bytes; memcpy and memset inside."""
    t = d.of("float", "float2", "float4", "int4", "double2", "uint2", "unsigned char", "short", "longlong2", "ulonglong2", "int"); n = d.of(1, 1, 2,
        4, 8, 16)
    load = d.of("x[$a]", "x[$a]", "__ldg(x + $a)", "__ldcs(x + $a)", "__ldcg(x + $a)", "__ldlu(x + $a)"); store = d.of("y[$a] = v[j];", "y[$a] = "
        "v[j];", "__stcs(y + $a, v[j]);", "__stcg(y + $a, v[j]);", "__stwt(y + $a, v[j]);")
    a = d.of("i + j * blockDim.x", "i * $n + j", "i + j * n", "i + (size_t)j * gridDim.x * blockDim.x")
    if d.maybe(.25, "x"): return d.cuda("__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}y, int n) { $index if (i < n) "
        "{ " + d.of("unsigned v = x[i]; y[i] = __byte_perm(v, 0, 0x0123);", "unsigned v = x[i]; y[i] = v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) "
        "<< 8 | v << 24;", "memcpy(y + i * $n, x + i * $n, $n * 4);", "memset(y + i * $n, 0, $n * 4);", "memcpy(y + (size_t)i * n, "
        "x + (size_t)i * n, n * 4);", "ushort2 v = ((const ushort2 *)x)[i]; v.x = v.x >> 8 | v.x << 8; v.y = v.y >> 8 | v.y << 8; "
        "((ushort2 *)y)[i] = v;", "y[i] = ((const volatile unsigned *)x)[i];") + " } }", k, n=n)
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) { @{$index@int i = "
        "blockIdx.x * blockDim.x * $n + threadIdx.x;@} @{if (i >= n) return;@@} $t v[$n];\n#pragma unroll\nfor (int j = 0; j < $n; j++) v[j] = " +
        load.replace("$a", a) + ";\n#pragma unroll\nfor (int j = 0; j < $n; j++) " + store.replace("$a", a) + " }", k, t=t, n=n)


def grids(d, k):
    """Two and three dimensions of threads, with strides, halos, long indices, boxes."""
    t = d.of("float", "double", "int", "float2"); z = "make_float2(0, 0)" if t == "float2" else "0"; I = d.of("int", "size_t", "long long",
        "unsigned")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, $I nx, $I ny, $I nz, $I px, $I py, int3 lo, int3 hi) "
        "{\n    " + d.of(
        "$I a = ($I)blockIdx.x * blockDim.x + threadIdx.x, b = ($I)blockIdx.y * blockDim.y + threadIdx.y, c = "
        "($I)blockIdx.z * blockDim.z + threadIdx.z; if (a < nx && b < ny && c < nz) { $each }", "for ($I c = blockIdx.z * blockDim.z + threadIdx.z; "
        "c < nz; c += gridDim.z * blockDim.z) for ($I b = blockIdx.y * blockDim.y + threadIdx.y; b < ny; b += gridDim.y * blockDim.y) for ($I a = "
        "blockIdx.x * blockDim.x + threadIdx.x; a < nx; a += gridDim.x * blockDim.x) { $each }",
        "$I a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y; if (a >= nx || b >= ny) return; "
        "$unroll for ($I c = 0; c < nz; c++) { $each }", "$I a = blockIdx.x * 32 + threadIdx.x, b = blockIdx.y * 4 + threadIdx.y; "
        "$unroll for ($I c = blockIdx.z; c < nz; c += gridDim.z) if (a >= lo.x && a < hi.x && b >= lo.y && b < hi.y) { "
        "$each }").replace("$each", d.of(
        "y[(c * ny + b) * nx + a] = x[(c * ny + b) * nx + a];", "y[(c * ny + b) * nx + a] = x[(c * py + b) * px + a];", "y[(c * py + b) * px + a] = "
        "$z;", "if (a == 0 || b == 0 || a == nx - 1) y[(c * ny + b) * nx + a] = $z; else y[(c * ny + b) * nx + a] = x[(c * ny + b) "
        "* nx + a - 1];", "y[(c * ny + b) * nx + a] = x[((c + lo.z) * py + b + lo.y) * px + a + lo.x];", "y[(a * ny + b) * nz + c] = x[(c * ny + b) "
        "* nx + a];", "y[c * px * py + b * px + a] = x[(c ? c - 1 : nz - 1) * px * py + b * px + a];")) + "\n}", k, t=t, z=z, I=I)


def windows(d, k):
    """Pooling with places, sampling up, columns of patches and back."""
    t = d.of("float", "double", "half", "float"); f, g = ("__half2float", "__float2half") if t == "half" else ("",
        ""); a = "double" if t == "double" else "float"; m = d.of(2, 2, 3, 5, 7)
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int *${restrict}at, int c, int h, int w, int oh, int ow, "
        "int kh, int stride, int pad, int n) {\n    $index if (i >= n) return; int u = i % ow, v = i / ow % oh, q = i / ow / oh; " + d.of(
        "$a best = -1e30; int where = -1; int r0 = v * stride - pad, c0 = u * stride - pad; $unroll for (int r = max(r0, 0); r < min(r0 + @{kh@$m@}, "
        "h); r++) $unroll for (int s = max(c0, 0); s < min(c0 + @{kh@$m@}, w); s++) { $a e = $f(x[(q * h + r) * w + s]); if (e > best) { best = e; "
        "where = r * w + s; } } y[i] = $g(best); @{at[i] = where;@@}",
        "$a sum = 0; $unroll for (int r = 0; r < $m; r++) $unroll for (int s = 0; s < $m; s++) sum += $f(x[(q * h + v * $m + r) * w + u * $m + s]); "
        "y[i] = $g(sum / ($m * $m));", "$a fy = (v + .5f) * h / oh - .5f, fx = (u + .5f) * w / ow - .5f; int r = max((int)fy, 0), s = max((int)fx, "
        "0), r1 = min(r + 1, h - 1), s1 = min(s + 1, w - 1); $a ly = fy - r, lx = fx - s; const $t *p = x + q * h * w; y[i] = $g((1 - ly) "
        "* ((1 - lx) * $a($f(p[r * w + s])) + lx * $a($f(p[r * w + s1]))) + ly * ((1 - lx) * $a($f(p[r1 * w + s])) + lx * $a($f(p[r1 * w + s1]))));",
        "$unroll for (int r = 0; r < @{kh@$m@}; r++) $unroll for (int s = 0; s < @{kh@$m@}; s++) { int a = v * stride - pad + r, b = "
        "u * stride - pad + s; y[((q * kh + r) * kh + s) * oh * ow + v * ow + u] = a >= 0 && b >= 0 && a < h && b < w ? x[(q * h + a) "
        "* w + b] : $t(0); }",
        "int b = i % w, a = i / w % h, e = i / w / h; $a sum = 0; int r0 = max(0, (a + pad - kh) / stride + 1), r1 = min((a + pad) / stride + 1, "
        "oh), s0 = max(0, (b + pad - kh) / stride + 1), s1 = min((b + pad) / stride + 1, ow); for (int r = r0; r < r1; r++) for (int s = s0; s < s1; "
        "s++) sum += $f(x[((e * kh + a + pad - r * stride) * kh + b + pad - s * stride) * oh * ow + r * ow + s]); y[i] = $g(sum);",
        "int r0 = v * h / oh, r1 = ((v + 1) * h + oh - 1) / oh, s0 = u * w / ow, s1 = ((u + 1) * w + ow - 1) / ow; $a sum = 0; for (int r = r0; "
        "r < r1; r++) for (int s = s0; s < s1; s++) sum += $f(x[(q * h + r) * w + s]); y[i] = $g(sum / ((r1 - r0) "
        "* (s1 - s0)));") + "\n}", k, t=t, f=f, g=g, a=a, m=m)


def pointer_arrays(d, k):
    """Batches behind pointers, many arrays by value, tables of lengths."""
    t = d.of("float", "double", "float"); m = d.of(2, 4, 8, 16)
    return d.cuda("struct Batch_$k { $t *p[$m]; const $t *q[$m]; int len[$m]; };\n" + d.of(
        "__global__ void $bounds$k($t *const *${restrict}p, const $t *const *${restrict}q, $t a, int n) { int b = blockIdx.y; $t *y = p[b]; "
        "const $t *x = q[b]; $index if (i < n) y[i] += a * x[i]; }", "__global__ void $bounds$k(Batch_$k s, $t a, int chunk) { int b = blockIdx.y, "
        "e = s.len[b]; $t *y = s.p[b]; const $t *x = s.q[b]; $unroll for (int i = blockIdx.x * chunk + threadIdx.x; i < e; i += blockDim.x) y[i] = "
        "y[i] * a + x[i]; }",
        "__global__ void $bounds$k(const __grid_constant__ Batch_$k s, $t a, $t b) { $index\n#pragma unroll\n for (int j = 0; j < $m; j++) "
        "if (i < s.len[j]) { $t g = s.q[j][i], v = s.p[j][i]; v = a * v + (1 - a) * g; s.p[j][i] = v @{@/ (sqrt(g * g) + b)@}; } "
        "}", "__global__ void $bounds$k(Batch_$k s, $t *${restrict}out, int n) { $index if (i < n) { $t v = 0; $unroll for (int j = 0; j < $m; j++) "
        "v += s.q[j][i]; out[i] = v / $m; } }",
        "__global__ void $bounds$k(const $t *const *${restrict}a, const $t *const *${restrict}b, $t **${restrict}c, int m, int n, int kx) { "
        "const $t *A = a[blockIdx.z], *B = b[blockIdx.z]; int col = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (col >= n) return; "
        "$t s = 0; $unroll for (int j = 0; j < kx; j++) s += A[j * m + r] * B[col * kx + j]; c[blockIdx.z][col * m + r] = s; }"), k, t=t, m=m)


KINDS = [fill_values, scale_add, cast_types, compare_choose, swap_reverse, tensor_moves, gather_scatter, record_layouts, transposes, matrix_parts,
        pixels, copy_widths, grids, windows, pointer_arrays]
