"""Probes of the hardware, and what the language allows: classes, recursion, calls, local arrays, asserts, odd limits."""


def pointer_chase(d, k):
    t = d.of("int", "unsigned", "long long", "unsigned long long")
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *x, $t *out, long long *time, int steps) { $t p = threadIdx.x; long long t0 = clock64();
        $unroll for (int j = 0; j < @{steps@steps@256@}; j++) p = x[p]; time[threadIdx.x] = clock64() - t0; out[threadIdx.x] = p; }""",
    """__global__ void $bounds$k(void **x, void **out, unsigned *time, int steps) { __shared__ unsigned s[$n]; void **p = x + threadIdx.x;
        $unroll for (int j = 0; j < $n; j++) { unsigned t0 = clock(); p = (void **)*p; s[j] = (unsigned)(size_t)p; s[j] = clock() - t0; }
            for (int j = 0; j < $n; j++) time[j] = s[j]; *out = p; }""",
    """__global__ void $bounds$k($t *out, long long *time, int steps, int stride) { __shared__ $t s[1024];
        for (int j = threadIdx.x; j < 1024; j += blockDim.x)
        s[j] = (j + stride) & 1023; __syncthreads(); $t p = 0; long long t0 = clock64(); $unroll for (int j = 0; j < steps; j++)
            p = s[p]; *time = clock64() - t0; *out = p; }""",
    """__global__ void $bounds$k(const $t *x, $t *out, int steps) { $t p[$m];
#pragma unroll
    for (int q = 0; q < $m; q++) p[q] = q; $unroll for (int j = 0; j < steps; j++)
#pragma unroll
        for (int q = 0; q < $m; q++) p[q] = @{x[p[q]]@__ldg(x + p[q])@__ldcg(x + p[q])@};
#pragma unroll
    for (int q = 0; q < $m; q++) out[q] = p[q]; }"""), k, t=t, n=d.of(32, 64, 256), m=d.of(1, 2, 4, 8, 16))


def operation_chains(d, k):
    """Latency and throughput of an operation: chains of any width, timed or not."""
    t, op = d.of(("float", "v[q] = fmaf(v[q], a, b)"), ("double", "v[q] = fma(v[q], a, b)"), ("int", "v[q] = v[q] * a + b"), ("unsigned", "v[q] = "
        "__funnelshift_l(v[q], a, 7) ^ b"), ("long long", "v[q] = v[q] * a + b"), ("float", "v[q] = __sinf(v[q]) + b"), ("float", "v[q] = "
        "rsqrtf(v[q])"), ("half2", "v[q] = __hfma2(v[q], a, b)"),
                 ("float", "v[q] = __fdividef(v[q], a)"), ("int", "v[q] = v[q] / a"), ("unsigned long long", "v[q] = "
        "v[q] % a + b"), ("int", "v[q] = __shfl_xor_sync(~0u, v[q], 1) + b"), ("unsigned", "v[q] = __popc(v[q]) + a"), ("float", "v[q] = "
        "__int2float_rn((int)v[q]) + b"), ("double", "v[q] = (float)v[q] + a"), ("int", "v[q] = max(v[q] + a, b)"), ("unsigned", "v[q] = "
        "__dp4a(v[q], a, b)"), ("int", "v[q] = __mulhi(v[q], a) + b"), ("int", "v[q] = v[q] > a ? v[q] - b : v[q] + a"))
    m = d.of(1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32); s = "__hadd2(s, v[q])" if t == "half2" else "s + v[q]"
    return d.cuda("""__global__ void $bounds$k($t *out, @{unsigned@long long@} *time, $t a, $t b, int n) {
    $t v[$m];
#pragma unroll
    for (int q = 0; q < $m; q++) v[q] = out[threadIdx.x + q];
    @{__syncthreads(); auto t0 = clock64();@auto t0 = clock();@int t0 = 0;@}
    $unroll for (int j = 0; j < @{n@n@128@1024@}; j++)
#pragma unroll
        for (int q = 0; q < $m; q++) $op;
    time[blockIdx.x * blockDim.x + threadIdx.x] = @{clock64() - t0@clock() - t0@t0@}; $t s = v[0];
#pragma unroll
    for (int q = 1; q < $m; q++) s = """ + s + """;
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}""", k, t=t, op=op, m=m)


def bandwidth(d, k):
    """Reads, writes and copies with many loads in flight."""
    t, z, add = d.of(("float", "0", "s += v[j];"), ("float4", "make_float4(0, 0, 0, 0)", "s.x += v[j].x; s.y += v[j].y; s.z += v[j].z; s.w += "
        "v[j].w;"), ("double", "0", "s += v[j];"), ("float2", "make_float2(0, 0)", "s.x += v[j].x; s.y += v[j].y;"), ("int4", "make_int4(0, 0, 0, "
        "0)", "s.x ^= v[j].x; s.y ^= v[j].y; s.z ^= v[j].z; s.w ^= v[j].w;"), ("int", "0", "s ^= v[j];"))
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, size_t n) {
    size_t i = (size_t)blockIdx.x * @{blockDim.x * $m@$b * $m@} + threadIdx.x, step = (size_t)gridDim.x * @{blockDim.x@$b@} * $m; $t s = $z;
    $unroll for (; i < n; i += step) { $t v[$m];
#pragma unroll
        for (int j = 0; j < $m; j++) v[j] = @{x[i + j * blockDim.x]@x[i + j * $b]@__ldcs(x + i + j * $b)@};
#pragma unroll
        for (int j = 0; j < $m; j++) """ + d.of("{ $add }", "y[i + j * $b] = v[j];", "{ y[i + j * $b] = v[j]; $add }").replace("$add", add) + """ }
    @{if (threadIdx.x == 0) @@}y[blockIdx.x] = s;
}""", k, t=t, z=z, m=d.of(1, 2, 4, 8, 16), b=d.of(128, 256, 512))


def bank_strides(d, k):
    t, o = d.of(("float", ""), ("double", ""), ("float2", ".x"), ("float4", ".x"), ("unsigned char", ""), ("short", ""))
    return d.cuda("""__global__ void $bounds$k(float *out, @{long long@unsigned@} *time, int stride, int n) {
    __shared__ $t s[$m]; int t = threadIdx.x; s[t]$o = t; __syncthreads(); float a = 0;
        int at = @{t * stride@t * $p@(t * stride) % $m@(t / 4) * stride + t % 4@} & ($m - 1); @{long long t0 = clock64();@unsigned t0 = clock();@}
    $unroll for (int j = 0; j < @{n@64@}; j++) { a += s[at]$o; @{at = (at + 32) & ($m - 1);@s[(at + j) & ($m - 1)]$o = a;@at ^= (int)a & 32;@} }
    time[t] = @{clock64() - t0@clock() - t0@}; out[t] = a;
}""", k, t=t, o=o, m=d.of(512, 1024, 2048), p=d.of(1, 2, 3, 8, 17, 32, 33))


def atomic_rates(d, k):
    """Every atomic there is, with and without its result, in shared and global memory."""
    t, op = d.of(("unsigned", "atomicAdd(p, v)"), ("int", "atomicMin(p, v)"), ("int", "atomicMax(p, v)"), ("unsigned", "atomicInc(p, "
        "1000)"), ("unsigned", "atomicDec(p, 1000)"), ("unsigned", "atomicOr(p, v)"), ("unsigned", "atomicAnd(p, v)"), ("unsigned", "atomicXor(p, "
        "v)"), ("unsigned", "atomicExch(p, v)"), ("unsigned", "atomicCAS(p, v, v + 1)"),
                 ("float", "atomicAdd(p, v)"), ("double", "atomicAdd(p, v)"), ("unsigned long long", "atomicAdd(p, "
        "v)"), ("unsigned long long", "atomicMax(p, v)"), ("float", "atomicExch(p, v)"), ("unsigned short", "atomicCAS(p, v, "
        "(unsigned short)(v + 1))"), ("unsigned", "atomicAdd_system(p, v)"), ("unsigned", "atomicAdd_block(p, v)"), ("half2", "atomicAdd(p, v)"))
    v = "__float2half2_rn(i)" if t == "half2" else "($t)i"
    return d.cuda("""__global__ void $bounds$k($t *x, $t *out, int mask, int n) {
    @{__shared__ $t s[$b]; $t *p = s + (threadIdx.x & @{31@0@mask@}); *p = x[0];
        __syncthreads();@$t *p = x + (threadIdx.x & @{mask@31@0@});@$t *p = x + blockIdx.x;@} $index $t v = """ + v + """;
    $unroll for (int j = 0; j < @{n@1@$b@1@}; j++) { @{$op;@v = $op;@p += 1; $op;@} } @{out[i] = v;@if (i < n) out[i] = *p;@@}
}""", k, t=t, op=op, b=d.of(32, 64, 256))


def branches(d, k):
    """Paths by lane: chains of conditions, switches, early ends, loops of unlike length."""
    m = d.n(2, 10); t = d.of("float", "int", "float"); e = lambda: d.fexpr(["v", "a", "w"], d.n(1, 2)) if t == "float" else d.iexpr(["(unsigned)v",
        "(unsigned)a", "(unsigned)w"], d.n(1, 2))
    body = d.of("switch (@{q % $m@q@l & 7@}) { " + " ".join(f"case {j}: v = {e()};" + d.of(" break;", " break;", "") for j in range(m)) +
        " default: v += w; }", " ".join(f"{'else ' if j else ''}if ({d.of(f'q < {3 * j + 2}', f'v > {j}', f'l == {j}', f'(q & {1 << j}) != 0')}) "
        f"{{ v = {e()}; {d.of('', 'w = v;')} }}" for j in range(m)),
                "for (int j = 0; j < (@{l@q & 15@q@}); j++) { v = " + e() + "; if (v > 1000) break; if (v < w) continue; w = " + e() + "; "
        "}", "while (v > a) { v = " + e() + "; if (--q < 0) return; }", "do { v = " + e() + "; } while (q-- > 0@{ "
        "&& v < 100@@});", " ".join(f"if (q & {1 << j}) v = {e()};" for j in range(m)), "if (l < 16) { v = " + e() + "; __syncwarp(); w = " + e() +
        "; } else { w = " + e() + "; } v += w;")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, const int *${restrict}op, $t *${restrict}y, $t a, int n) { $index @{if (i >= n) "
        "return;@@} $t v = x[i], w = a; int q = op[i], l = threadIdx.x & 31; " + body + " y[i] = v@{@ + w@}; }", k, t=t, m=m)


def interpreters(d, k):
    """A machine of a stack or of registers that runs a program."""
    t = d.of("float", "int", "double"); m = d.of(4, 8, 16, 32)
    return d.cuda("__global__ void $bounds$k(const int *${restrict}code, const $t *${restrict}x, $t *${restrict}y, int length, int n) { "
        "$index @{if (i >= n) return;@@} " + d.of(
        "$t s[$m]; int sp = 0; $unroll for (int pc = 0; pc < length; pc++) { int c = code[pc]; switch (c & 7) { case 0: s[sp++] = x[i]; break; "
        "case 1: s[sp++] = c >> 3; break; case 2: sp--; s[sp - 1] += s[sp]; break; case 3: sp--; s[sp - 1] *= s[sp]; break; case 4: sp--; "
        "s[sp - 1] -= s[sp]; break; case 5: s[sp - 1] = -s[sp - 1]; break; case 6: s[sp] = s[sp - 1]; sp++; break; default: sp--; s[sp - 1] = "
        "s[sp - 1] > s[sp] ? s[sp - 1] : s[sp]; } } y[i] = s[0];",
        "$t r[$m]; for (int j = 0; j < $m; j++) r[j] = x[i * $m + j]; for (int pc = 0; pc < length;) { int c = code[pc++], a = c >> 4 & ($m - 1), "
        "b = c >> 9 & ($m - 1), e = c >> 14 & ($m - 1); if ((c & 15) == 0) r[a] = r[b] + r[e]; else if ((c & 15) == 1) r[a] = r[b] * r[e]; "
        "else if ((c & 15) == 2) { if (r[a] > r[b]) pc += e; } else if ((c & 15) == 3) r[a] = c >> 14; else break; } y[i] = r[0];",
        "int state = 0; $t v = 0; const int *p = code + i * length; $unroll for (int j = 0; j < length; j++) { int c = p[j]; switch (state) { "
        "case 0: state = c > 3 ? 1 : 0; v += 1; break; case 1: if (c & 1) state = 2; else v += c; break; case 2: v = v * 2 + c; state = c == "
        "7 ? 3 : 0; break; default: state = 0; v -= x[c & 31]; } } y[i] = v;") + " }", k, t=t, m=m)


def calls(d, k):
    """Functions that are called: by pointer, again and again, of their own selves, with structs."""
    t = d.of("float", "double", "int"); e = lambda n: d.fexpr(n, d.n(1, 3)) if t == "float" else " * ".join(n) + " + 1"; m = d.n(2, 5)
    return d.cuda(d.of("typedef $t (*Fn_$k)($t, "
        "$t);\n" + "".join(f"__device__ $t f{j}_$k($t a, $t b) {{ return {e(['a', 'b'])}; }}\n" for j in range(m)) + "__device__ Fn_$k table_$k[" +
        str(m) + "] = { " + ", ".join(f"f{j}_$k" for j in range(m)) + " };\n__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, "
        "const int *${restrict}which, int n) { $index if (i < n) { $t v = x[i]; $unroll for (int j = 0; j < @{1@n@4@}; j++) v = "
        "table_$k[which[@{i@j@}] % " + str(m) + "](v, x[j]); y[i] = v; } }",
        "__device__ $t f_$k($t v, int n) { if (n <= 1) return v; return f_$k(v - 1, n - 1) @{+@*@} f_$k(v, n - 2); "
        "}\n__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int depth, int n) { $index if (i < n) y[i] = f_$k(x[i], depth); }",
        "struct V_$k { $t a, b, c; };\n__device__ __noinline__ V_$k f_$k(V_$k p, V_$k q, $t w) { V_$k r; r.a = p.b * q.c - p.c * q.b; r.b = "
        "p.c * q.a - p.a * q.c; r.c = (p.a * q.b - p.b * q.a) * w; return r; }\n__global__ void $bounds$k(const V_$k *${restrict}x, "
        "V_$k *${restrict}y, $t w, int n) { $index if (i < n) { V_$k v = x[i], u = v; $unroll for (int j = 0; j < @{n@4@2@}; j++) u = f_$k(u, x[j], "
        "w); y[i] = u; } }",
        "__device__ __noinline__ void f_$k($t *v, int n) { for (int j = 1; j < n; j++) { $t q = v[j]; int h = j; while (h > 0 && v[h - 1] > q) { "
        "v[h] = v[h - 1]; h--; } v[h] = q; } }\n__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) { $t v[16]; "
        "$index for (int j = 0; j < 16; j++) v[j] = x[i * 16 + j]; f_$k(v, 16); y[i] = v[8]; }",
        "__device__ __noinline__ $t f_$k(const $t *p, int n, $t &low) { $t s = 0; for (int j = 0; j < n; j++) { s += p[j]; if (p[j] < low) low = "
        "p[j]; } return s; }\n__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n, int m) { $index if (i < n) { $t low = x[i], "
        "a = f_$k(x + i * m, m, low), b = f_$k(x + i, m, low); y[i] = a / (b + 1) - low; } }",
        "__device__ void q_$k($t *p, int lo, int hi) { while (lo < hi) { $t v = p[(lo + hi) / 2]; int a = lo, b = hi; while (a <= b) { "
        "while (p[a] < v) a++; while (p[b] > v) b--; if (a <= b) { $t u = p[a]; p[a++] = p[b]; p[b--] = u; } } if (b - lo < hi - a) { q_$k(p, lo, "
        "b); lo = a; } else { q_$k(p, a, hi); hi = b; } } }\n__global__ void $bounds$k($t *x, int m) { "
        "q_$k(x + (blockIdx.x * blockDim.x + threadIdx.x) * m, 0, m - 1); }"), k, t=t)


def classes(d, k):
    """Virtual calls, functors, lambdas, tuples, operators: how C++ is written."""
    t = d.of("float", "double", "float"); s = "f" if t == "float" else ""; m = d.of(2, 3, 4)
    return d.cuda(d.of("""struct Shape_$k { __device__ virtual $t at($t u, $t v) const = 0; };
struct Ball_$k : Shape_$k { $t r; __device__ Ball_$k($t q) : r(q) {} __device__ $t at($t u, $t v) const override { return sqrt$s(u * u + v * v) - r;
    } };
struct Box_$k : Shape_$k { $t a, b; __device__ Box_$k($t p, $t q) : a(p), b(q) {}
    __device__ $t at($t u, $t v) const override { return fmax$s(fabs$s(u) - a, fabs$s(v) - b); } };
__global__ void $bounds$k($t *${restrict}y, const int *${restrict}kind, $t r, int n) { $index if (i >= n) return; Ball_$k p(r); Box_$k q(r, r * 2);
    const Shape_$k *o = kind[i] ? (const Shape_$k *)&p : &q; $t v = 0; $unroll for (int j = 0; j < @{4@n@1@}; j++) v += o->at(y[i] + j, y[i] - j);
        y[i] = v; }""",
    """template <class F, class T> __device__ @{__forceinline__ @@}void each_$k(T *p, int n, F f) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = f(p[i], i); }
__global__ void $bounds$k($t *${restrict}y, const $t *${restrict}x, $t a, int n) { each_$k(y, n, [=] __device__ ($t v, int i) { $t u = v * a + x[i];
    return u > 0 ? u : $t(@{0@a@}); }); @{each_$k(y, n / 2, [&] __device__ ($t v, int) { return v * v; });@@} }""".replace("__device__ ($t", "($t"),
    """template <class T, int N> struct Vec_$k { T v[N]; __device__ T &operator[](int i) { return v[i]; }
        __device__ const T &operator[](int i) const { return v[i]; }
    __device__ Vec_$k operator+(const Vec_$k &o) const { Vec_$k r; for (int i = 0; i < N; i++) r[i] = v[i] + o[i]; return r; }
        __device__ Vec_$k operator*(T a) const { Vec_$k r; for (int i = 0; i < N; i++) r[i] = v[i] * a; return r; }
            __device__ T dot(const Vec_$k &o) const { T s = 0; for (int i = 0; i < N; i++) s += v[i] * o[i]; return s; } };
__global__ void $bounds$k(const Vec_$k<$t, $m> *${restrict}x, const Vec_$k<$t, $m> *${restrict}z, Vec_$k<$t, $m> *${restrict}y, $t a, int n) {
    $index if (i < n) { auto u = x[i], w = z[i]; @{y[i] = u * a + w;@y[i] = u + w * (u.dot(w) / u.dot(u));@$t q = rsqrt$s(u.dot(u) + a);
        y[i] = u * q + w * q;@} } }""",
    """struct Dual_$k { $t v, g; __device__ Dual_$k($t a, $t b = 0) : v(a), g(b) {} };
        __device__ Dual_$k operator+(Dual_$k a, Dual_$k b) { return { a.v + b.v, a.g + b.g }; }
            __device__ Dual_$k operator*(Dual_$k a, Dual_$k b) { return { a.v * b.v, a.v * b.g + a.g * b.v }; }
                __device__ Dual_$k sin(Dual_$k a) { return { sin$s(a.v), cos$s(a.v) * a.g }; }
                    __device__ Dual_$k operator/(Dual_$k a, Dual_$k b) { return { a.v / b.v, (a.g * b.v - a.v * b.g) / (b.v * b.v) }; }
__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, $t *${restrict}g, int n) { $index if (i < n) { Dual_$k a(x[i], 1), r = a;
    $unroll for (int j = 0; j < @{3@n@1@}; j++) r = @{r * a + sin(r)@r / (a + Dual_$k(2)) + a@r * r + a * Dual_$k(3)@}; y[i] = r.v; g[i] = r.g; }
        }""",
    """struct Quat_$k { $t w, x, y, z; }; __device__ Quat_$k mul_$k(const Quat_$k &a, const Quat_$k &b) { return {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w }; }
__global__ void $bounds$k(const Quat_$k *${restrict}q, const $t *${restrict}p, $t *${restrict}o, int n) { $index if (i < n) { Quat_$k a = q[i], v = {
    0, p[3 * i], p[3 * i + 1], p[3 * i + 2] }, c = { a.w, -a.x, -a.y, -a.z }; v = mul_$k(mul_$k(a, v), c);
        @{$t s = 1 / sqrt$s(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z); v.x *= s; v.y *= s; v.z *= s;@@} o[3 * i] = v.x; o[3 * i + 1] = v.y;
            o[3 * i + 2] = v.z; } }"""), k, t=t, s=s, m=m)


def checks(d, k):
    """Prints and asserts beside the work."""
    t = d.of("float", "int", "double")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, const int *${restrict}idx, int m, int n) { $index @{if (i >= "
        "n) return;@@} $t v = x[i]; " + d.of("""if (v != v) printf("bad %d\\n", (int)i); y[i] = v * 2;""", """int q = idx[i];
        assert(q >= 0 && q < m); y[i] = x[q];""", """if (q_$k(v)) { printf("%d %d: %f\\n", blockIdx.x, threadIdx.x, (double)v); }
        y[i] = v;""".replace("q_$k(v)", "v > 100"), """$t s = 0; $unroll for (int j = 0; j < m; j++) { assert(idx[j] < n); s += x[idx[j]]; }
        y[i] = s;""",
        """if (idx[i] >= m) { printf("%s %d\\n", "index", idx[i]); __trap(); } y[idx[i]] = v;""", """if (i == 0) for (int j = 0; j < m; j++)
        printf("%d: %g%c", j, (double)x[j], j + 1 < m ? ' ' : '\\n'); y[i] = v;""", """assert(m > 0); @{__builtin_assume(m < 100);@@} $t s = v;
        for (int j = 0; j < m; j++) s = s * v + j; y[i] = s;""") + " }", k, t=t)


def votes(d, k):
    """What a warp agrees on: any, all, ballots, matches, reductions, active lanes, partners."""
    return d.cuda("__global__ void $bounds$k(const int *${restrict}x, int *${restrict}y, int *count, int a, int n) { $index int v = "
        "@{i < n ? x[i] : 0@x[i]@}, l = threadIdx.x & 31, r = 0; unsigned m = @{~0u@__activemask()@__ballot_sync(~0u, i < n)@}; " +
        " ".join(d.r.sample([
        "if (__any_sync(m, v > a)) r += 1;", "if (__all_sync(m, v > 0)) r += 2;", "r += __popc(__ballot_sync(m, v & 1));", "{ unsigned s = "
        "__match_any_sync(m, v); if (l == 31 - __clz(s)) r += __popc(s); }", "{ int p; unsigned s = __match_all_sync(m, v, &p); r += p ? s : 0; "
        "}", "r += __shfl_sync(m, v, l ^ 1);", "r += __shfl_down_sync(m, v, a & 31);", "{ unsigned b = __ballot_sync(m, v > a); r += "
        "__popc(b & ((1u << l) - 1)); }",
        "for (unsigned b = __ballot_sync(m, v != 0); b; b &= b - 1) r += __shfl_sync(~0u, v, __ffs(b) - 1);", "r = max(r, __shfl_xor_sync(m, v, "
        "16));", "if (l == __ffs(__activemask()) - 1) atomicAdd(count, __popc(__activemask()));", "r += __shfl_sync(m, v, 0, 8);", "{ long long q = "
        "__shfl_xor_sync(m, (long long)v * a, 4); r += (int)(q >> 8); }", "if (v > a) { __syncwarp(__activemask()); r += 3; "
        "}"], d.n(1, 5))) + " @{if (i < n) @@}y[i] = r; }", k)


def local_stores(d, k):
    """Arrays whose index is not known: in local memory, or turned into selects."""
    n = d.of(3, 4, 6, 8, 16, 24, 32, 64, 256); t = d.of("float", "int", "unsigned char", "double", "short",
        "float4" if n < 32 else "float2"); one = {"float4": "make_float4(1, 2, 3, 4)", "float2": "make_float2(1, "
        "2)"}.get(t, "1"); inc = "a[q].x += 1" if t[-1] in "24" else "a[q] += a[(q + 1) % $n]"
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, const int *${restrict}idx, int m, int n) { $index @{if (i >= "
        "n) return;@@} $t a[$n]; @{$unroll for (int j = 0; j < $n; j++) a[j] = x[i * $n + j];@$unroll for (int j = 0; j < $n; j++) a[j] = " + one +
        ";@for (int j = 0; j < $n; j++) a[idx[j] % $n] = x[j];@} " + d.of("int q = idx[i] % $n; y[i] = a[q];", "$unroll for (int j = 0; j < m; j++) "
        "{ int q = idx[j * n + i] % $n; $inc; } y[i] = a[m % $n];", "for (int j = 0; j < m; j++) { int p = idx[j] % $n, q = idx[j + 1] % $n; $t u = "
        "a[p]; a[p] = a[q]; a[q] = u; } $unroll for (int j = 0; j < $n; j++) y[i * $n + j] = a[j];",
        "int q = 0; for (int j = 0; j < m; j++) q = (q * 5 + idx[j]) % $n; y[i] = a[q]; y[i + n] = a[$n - 1 - q];", "$t *p = m & 1 ? a : a + $n / 2; "
        "for (int j = 0; j < $n / 2; j++) y[i * $n + j] = p[j];") + " }", k, n=n, t=t, inc=inc.replace("$n", str(n)))


def wide_integers(d, k):
    """Sixty-four and a hundred and twenty-eight bits: products, quotients, shifts, counts of bits."""
    t = d.of("long long", "unsigned long long", "unsigned long long"); e = lambda: d.of("v * w", "v + w * 3", "v / (w | 1)", "v % (w | 1)",
        "v / 10", "v % 1000000007", "v << (w & 63)", "v >> (w & 63)", "__mul64hi(v, w)", "($t)__umul64hi(v, w)", "__popcll(v) + w", "__clzll(v) "
        "^ w", "__ffsll(v) + v", "__brevll(v)", "v * v - w", "(v ^ w) >> 7", "v > w ? v - w : w - v", "($t)(v * 0.5)", "($t)__double2ll_rn(v * 1.5)")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, $t a, int n) { $index @{if (i >= n) "
        "return;@@} $t v = x[i], w = z[i]; " + d.of("$unroll for (int j = 0; j < @{n@$m@1@}; j++) { v = " + e() + "; w += " + e() + "; } y[i] = "
        "v ^ w;", "y[i] = " + e() + " + " + e() + " * a;", "unsigned __int128 p = (unsigned __int128)v * w; @{p += a; y[i] = (p >> 64) ^ p;@y[i] = "
        "p % (unsigned long long)a;@y[i] = "
        "p >> (i & 63);@}", "y[i] = " + e() + "; y[i + n] = " + e() + ";", "v = " + e() + "; if (v & 1) w = " + e() + "; else w = " + e() +
        "; y[i] = w;") + " }", k, t=t, m=d.of(2, 3, 4, 8))


def divisions(d, k):
    """Quotients and remainders: of variables, constants, several at once, by a reciprocal."""
    t = d.of("int", "unsigned", "short", "unsigned", "float", "double"); whole = t not in ("float", "double"); r = "%" if whole else "/"
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, $t a, unsigned magic, int shift, "
        "int n) { $index @{if (i >= n) return;@@} $t v = x[i]; " + d.of("y[i] = v / z[i];", "y[i] = v / z[i] + v " + r + " a;", "y[i] = "
        "v / a;", "$t q = v / a, s = v - q * a, u = s / z[i]; y[i] = q * u + s;", "$unroll for (int j = 0; j < $m; j++) y[i + j * n] = "
        "v / z[j];", "y[i] = v / $c + v " + r + " ($c + 2);", "$t q[$m];\n#pragma unroll\nfor (int j = 0; j < $m; j++) q[j] = "
        "x[i + j * n] / (a + j); $unroll for (int j = 0; j < $m; j++) y[i * $m + j] = q[j];",
        "unsigned q = __umulhi((unsigned)v, magic) >> shift; y[i] = v - q * a;", "$t s = 0; while (v > a) { v = v / a; s++; } y[i] = s;", "y[i] = "
        "(v + a - 1) / a * a " + r + " z[i];") + " }", k, t=t, m=d.of(2, 3, 4, 8), c=d.of(3, 7, 10, 12, 60, 100, 255, 1000))


def odd_limits(d, k):
    """Work of any width under limits of registers or of threads that bite."""
    n = d.of(4, 8, 12, 16, 24, 32, 48, 64); t = d.of("float", "float", "double", "int"); limit = d.of("__maxnreg__(24) ", "__maxnreg__(32) ",
        "__maxnreg__(40) ", "__maxnreg__(48) ", "__maxnreg__(64) ", "__maxnreg__(96) ", "__launch_bounds__(1024) ", "__launch_bounds__(96) ",
        "__launch_bounds__(192, 6) ", "__launch_bounds__(384, 2) ", "__launch_bounds__(640) ", "__launch_bounds__(768, 2) ", "__launch_bounds__(32, "
        "16) ", "__launch_bounds__(1024, 2) ", "__launch_bounds__(512, 4) ", "__launch_bounds__(288, 3) ", "__launch_bounds__(1) ",
        "__launch_bounds__(64, 24) ")
    return d.cuda("__global__ void " + limit + """$k(const $t *${restrict}x, $t *${restrict}y, $t a, int n) {
    $index $t v[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) v[j] = x[@{i * $n + j@i + j * n@}];
    @{__syncthreads();@@} $unroll for (int q = 0; q < @{n@4@1@}; q++) {
#pragma unroll
        for (int j = 0; j < $n; j++)
            v[j] = @{v[j] * a + v[(j + 1) % $n]@v[j] * v[(j + $n / 2) % $n] + a@v[j] + v[j ^ 1] * a@v[j] / (v[(j + 3) % $n] + a)@}; }
#pragma unroll
    for (int j = 0; j < $n; j++) y[@{i * $n + j@i + j * n@}] = v[j];
}""", k, n=n, t=t)


def constant_tables(d, k):
    """Constant and device memory: coefficients, lookups, polynomials, structs of parameters."""
    t = d.of("float", "double", "int", "float"); m = d.of(4, 8, 16, 64, 256)
    return d.cuda("__constant__ $t c_$k[$m]; __device__ $t g_$k[$m];\n__global__ void $bounds$k(const $t *${restrict}x, const int *${restrict}q, "
        "$t *${restrict}y, int n) { $index @{if (i >= n) return;@@} $t v = x[i]; " + d.of("$t s = c_$k[$m - 1]; $unroll for (int j = @{$m@4@} - 2; "
        "j >= 0; j--) s = s * v + c_$k[j]; y[i] = s;", "y[i] = v * c_$k[q[i] & ($m - 1)];", "y[i] = "
        "v * c_$k[0] + c_$k[1] * g_$k[threadIdx.x & ($m - 1)];", "$t s = 0; $unroll for (int j = 0; j < $m; j++) s += c_$k[j] * x[i + j]; y[i] = s;",
        "int b = q[i] & ($m - 1); y[i] = g_$k[b] + (g_$k[(b + 1) & ($m - 1)] - g_$k[b]) * v;", "g_$k[threadIdx.x & ($m - 1)] = v; __threadfence(); "
        "y[i] = g_$k[0];", "const $t w[8] = { 1, 3, 5, 7, 9, 11, 13, 15 }; y[i] = v * w[q[i] & 7] + w[i & 7];", "$t s = v; for (int j = 0; j < n; "
        "j++) s += c_$k[j & ($m - 1)] * (q[j] & 1 ? s : v); y[i] = s;") + " }", k, t=t, m=m)


def half_maths(d, k):
    """Functions, comparisons and products in 16 bits."""
    h, f = d.of(("half", "__float2half"), ("__nv_bfloat16", "__float2bfloat16")); h2 = {"half": "half2", "__nv_bfloat16": "__nv_bfloat162"}[h]
    one = ["hexp(v)", "hlog(v)", "hsqrt(v)", "hsin(v)", "__hadd(v, w)", "__hmul(v, w)", "__hmul(__hadd(v, a), w)", "__hdiv(v, w)", "__hmax(v, "
        "w)", "hrcp(v)", "__hgt(v, w) ? v : a", "hrsqrt(v)", "__habs(v)", "__hneg(w)", "hfloor(v)"]
    if d.of(0, 1): return d.cuda("__global__ void $bounds$k(const $h *${restrict}x, const $h *${restrict}z, $h *${restrict}y, float c, int n) { "
        "$index @{if (i >= n) return;@@} $h v = x[i], w = z[i], a = $f(c); $unroll for (int j = 0; j < @{1@n@4@}; j++) { v = " + d.of(*one) +
        "; w = " + d.of(*one) + "; } y[i] = @{v@__hadd(v, w)@}; }", k, h=h, f=f)
    two = ["h2exp(v)", "h2sqrt(v)", "__hadd2(v, w)", "__hmul2(v, w)", "__hmul2(__hadd2(v, w), v)", "__hmax2(v, w)", "h2rcp(w)", "__h2div(v, w)",
        "__hsub2(v, "
        "w)", "__hneg2(v)"]
    return d.cuda("__global__ void $bounds$k(const $h *${restrict}x, const $h *${restrict}z, $h *${restrict}y, float *${restrict}s, int n) { "
        "$index @{if (i >= n) return;@@} float sum = 0; $unroll for (int j = 0; j < @{$m@n@}; j++) { $h v = x[i * $m + j], w = z[@{j@i * $m + j@}]; "
        "v = " + d.of(*two) + "; w = " + d.of(*two) + "; @{y[i * $m + j] = v;@sum += (float)v.x * (float)w.y;@y[i * $m + j] = __hadd2(v, w);@} } "
        "@{s[i] = sum;@@} }", k, h=h2, m=d.of(1, 2, 4, 8))


def heaps(d, k):
    """Priority queues, disjoint stacks, memory from malloc, sizes known at launch alone."""
    t = d.of("float", "int", "unsigned"); m = d.of(8, 16, 32)
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int len, int n) { $index if (i >= n) return; $t h[$m];
        int s = 0; for (int j = 0; j < len; j++) { $t v = x[j * n + i]; if (s < $m) { int c = s++;
            while (c && h[(c - 1) / 2] < v) { h[c] = h[(c - 1) / 2]; c = (c - 1) / 2; } h[c] = v; } else if (v < h[0]) { int c = 0;
                while (true) { int q = 2 * c + 1; if (q >= s) break; if (q + 1 < s && h[q + 1] > h[q]) q++; if (h[q] <= v) break; h[c] = h[q]; c = q;
                    } h[c] = v; } } for (int j = 0; j < s; j++) y[j * n + i] = h[j]; }""",
    """__global__ void $bounds$k($t **${restrict}out, const $t *${restrict}x, int n) { $index if (i >= n) return;
        $t *p = ($t *)malloc($m * sizeof($t)); if (!p) return; $unroll for (int j = 0; j < $m; j++) p[j] = x[j] + i;
            @{out[i] = p;@*out[i] = p[i & ($m - 1)]; free(p);@} }""",
    """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int m, int n) { extern __shared__ __align__(16) unsigned char raw_$k[];
        $t *a = ($t *)raw_$k, *b = a + m; int *c = (int *)(b + m); int t = threadIdx.x; $unroll for (int j = t; j < m; j += blockDim.x)
            { a[j] = x[blockIdx.x * m + j]; b[j] = a[j] * 2; c[j] = j; } __syncthreads(); $t s = 0; $unroll for (int j = 0; j < @{m@$m@}; j++)
                s += a[(t + j) % m] * b[c[j]]; y[blockIdx.x * blockDim.x + t] = s; }"""), k, t=t, m=m)


KINDS = [pointer_chase, operation_chains, bandwidth, bank_strides, atomic_rates, branches, interpreters, calls, classes, checks, votes,
        local_stores, wide_integers, divisions, odd_limits, constant_tables, half_maths, heaps]
