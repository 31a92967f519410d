"""Integers: digests, ciphers, codes, long numbers, generators, number theory."""


def murmur_hash(d, k):
    """MurmurHash3 of words, or of bytes with their tail."""
    body = d.of("""
    $unroll for (int j = 0; j < @{words@$n@len[i] / 4@}; j++) { unsigned w = p[j]; w *= 0xcc9e2d51u; w = rotl_$k(w, 15); w *= 0x1b873593u; h ^= w;
        h = rotl_$k(h, 13) * 5 + 0xe6546b64u; }""", """
    const unsigned char *b = (const unsigned char *)p; int size = @{words * 4 + 3@words@}; unsigned w = 0;
    $unroll for (int j = 0; j < size / 4; j++) { unsigned q = b[4 * j] | b[4 * j + 1] << 8 | b[4 * j + 2] << 16 | (unsigned)b[4 * j + 3] << 24;
        h ^= rotl_$k(q * 0xcc9e2d51u, 15) * 0x1b873593u; h = rotl_$k(h, 13) * 5 + 0xe6546b64u; }
    switch (size & 3) { case 3: w ^= b[size - 1] << 16; case 2: w ^= b[size - 2] << 8; case 1: w ^= b[size - 3]; w *= 0xcc9e2d51u;
        h ^= rotl_$k(w, 15) * 0x1b873593u; }""")
    return d.cuda("""__device__ unsigned rotl_$k(unsigned x, int r) { return @{x << r | x >> (32 - r)@__funnelshift_l(x, x, r)@}; }
__global__ void $bounds$k(const unsigned *${restrict}in, const int *${restrict}len, unsigned *${restrict}out, int words, unsigned seed, int n) {
    $index if (i >= n) return;
    const unsigned *p = in + @{(size_t)i * words@i * $n@}; unsigned h = seed;""" + body + """
    h ^= words * 4; h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    out[i] = @{h@h % 1021@h & (n - 1)@};
}""", k, n=d.of(1, 2, 4, 7, 16))


def xx_hash(d, k):
    """Four accumulators over lanes of a record."""
    t, a, b, c, r = d.of(("unsigned", "2654435761u", "2246822519u", "3266489917u", 32), ("unsigned long long", "11400714785074694791ull",
        "14029467366897019727ull", "1609587929392839161ull", 64))
    return d.cuda("""__device__ __forceinline__ $t turn_$k($t x, int r) { return x << r | x >> ($r - r); }
__device__ @{@__forceinline__ @}$t mix_$k($t acc, $t v) { acc += v * $b; return turn_$k(acc, @{13@31@}) * $a; }
__global__ void $bounds$k(const $t *${restrict}in, $t *${restrict}out, int stripes, $t seed, int n) {
    $index if (i >= n) return;
    const $t *p = in + (size_t)i * stripes * 4; $t v1 = seed + $a + $b, v2 = seed + $b, v3 = seed, v4 = seed - $a;
    $unroll for (int j = 0; j < @{stripes@stripes@$n@}; j++) { v1 = mix_$k(v1, p[4 * j]); v2 = mix_$k(v2, p[4 * j + 1]);
        v3 = mix_$k(v3, p[4 * j + 2]); v4 = mix_$k(v4, p[4 * j + 3]); }
    $t h = turn_$k(v1, 1) + turn_$k(v2, 7) + turn_$k(v3, 12) + turn_$k(v4, 18);
    @{@h ^= mix_$k(0, v1); h = h * $a + $c; h ^= mix_$k(0, v2); h = h * $a + $c;@}
    h ^= h >> @{15@29@}; h *= $b; h ^= h >> 13; h *= $c; h ^= h >> 16; out[i] = h;
}""", k, t=t, a=a, b=b, c=c, r=r, n=d.of(2, 4, 8))


def fnv_strings(d, k):
    t, p, o = d.of(("unsigned", "16777619u", "2166136261u"), ("unsigned long long", "1099511628211ull", "14695981039346656037ull"))
    return d.cuda("""__global__ void $bounds$k(const @{char@unsigned char@} *${restrict}text, const int *${restrict}offset, $t *${restrict}out,
        int n) {
    $index if (i >= n) return;
    $t h = $o;
    @{$unroll for (int j = offset[i]; j < offset[i + 1]; j++)@for (int j = offset[i], e = offset[i + 1]; j < e && text[j];
        j++)@$unroll for (int j = i * 16; j < i * 16 + 16; j++)@} @{h ^= text[j], h *= $p;@h = (h ^ text[j]) * $p;@h *= $p,
            h ^= text[j] | 32;@h = h * 33 + text[j];@}
    out[i] = h;
}""", k, t=t, p=p, o=o)


def sha_rounds(d, k):
    """SHA-256: the schedule of 16 words goes round, or all 64 are held."""
    rolling = d.of(True, True, False); rounds = d.of(64, 64, 32, 48); full = d.of("#pragma unroll\n", "#pragma unroll\n", "", "#pragma unroll 4\n",
        "#pragma unroll 8\n", "#pragma unroll 16\n")
    schedule = ("unsigned x = w[j & 15]; if (j >= 16) { unsigned a15 = w[(j + 1) & 15], a2 = w[(j + 14) & 15]; x = w[j & 15] += (R(a15, 7) ^ R(a15, "
        "18) ^ a15 >> 3) + w[(j + 9) & 15] + (R(a2, 17) ^ R(a2, 19) ^ a2 >> 10); }" if rolling else "unsigned x = w[j];")
    expand = ("" if rolling else
        f"{full}for (int j = 16; j < {rounds}; j++) w[j] = w[j - 16] + (R(w[j - 15], 7) ^ R(w[j - 15], 18) ^ w[j - 15] >> 3) + "
        "w[j - 7] + (R(w[j - 2], 17) ^ R(w[j - 2], 19) ^ w[j - 2] >> 10);")
    return d.cuda("""__constant__ unsigned round_$k[64];
__global__ void $bounds$k(const unsigned *${restrict}in, unsigned *${restrict}out, unsigned first, int n) {
#define R(x, s) __funnelshift_r(x, x, s)
    $index if (i >= n) return;
    unsigned w[$size];
#pragma unroll
    for (int j = 0; j < 16; j++) w[j] = @{in[i * 16 + j]@__byte_perm(in[i * 16 + j], 0, 0x0123)@in[j]@};
    @{w[3] = first + i;@@}
    """ + expand + """
    unsigned a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, e = 0xa54ff53au, f = 0x510e527fu, g = 0x9b05688cu, h = 0x1f83d9abu, l = 0x5be0cd19u;
""" + full + """    for (int j = 0; j < $rounds; j++) {
        """ + schedule + """
        unsigned s = l + (R(f, 6) ^ R(f, 11) ^ R(f, 25)) + (@{(f & g) ^ (~f & h)@h ^ (f & (g ^ h))@}) + round_$k[j] + x, u = (R(a, 2) ^ R(a,
            13) ^ R(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        l = h; h = g; g = f; f = e + s; e = c; c = b; b = a; a = s + u;
    }
    @{out[i * 8] = a; out[i * 8 + 1] = b; out[i * 8 + 2] = c; out[i * 8 + 3] = e; out[i * 8 + 4] = f; out[i * 8 + 5] = g; out[i * 8 + 6] = h;
        out[i * 8 + 7] = l;@if (a < first) out[0] = i;@out[i] = a ^ b ^ f;@}
#undef R
}""", k, size=16 if rolling else rounds, rounds=rounds)


def md_rounds(d, k):
    mixes = ("((a{1} & a{2}) | (~a{1} & a{3}))", "(a{1} ^ a{2} ^ a{3})", "(a{2} ^ (a{1} | ~a{3}))", "((a{1} & a{3}) | (a{2} & ~a{3}))")
    mix = lambda j: d.of(*mixes).format(*(q % 4 for q in range(j, j + 4)))
    steps = "".join(f"a{j % 4} = a{(j + 1) % 4} + turn_$k(a{j % 4} + {mix(j)}"
                    f" + w[{d.n(0, 15)}] + {hex(d.n(1, 2 ** 32 - 1))}u, {d.n(4, 23)});\n    " for j in range(d.of(8, 16, 32, 64)))
    return d.cuda("""__device__ __forceinline__ unsigned turn_$k(unsigned x, int s) { return x << s | x >> (32 - s); }
__global__ void $bounds$k(const @{unsigned@uint4@} *${restrict}in, uint4 *${restrict}out, int n) {
    $index if (i >= n) return;
    unsigned w[16], a0 = 0x67452301u, a1 = 0xefcdab89u, a2 = 0x98badcfeu, a3 = 0x10325476u;
#pragma unroll
    for (int j = 0; j < 16; j++) w[j] = ((const unsigned *)in)[@{i * 16 + j@i + j * n@}];
    """ + steps + """@{out[i] = make_uint4(a0, a1, a2, a3);@out[i] = make_uint4(a0 + 1, a1 + out[i].y, a2,
        a3 + i);@if (a0 == 0) out[0] = make_uint4(a0, a1, a2, i);@}
}""", k)


def aes_tables(d, k):
    """Rounds of four table reads a word; tables in shared, constant or global memory."""
    place = d.of("shared", "shared", "constant", "global"); one = d.of(True, False)
    read = (lambda j, b: f"T[{b}]" if one and not j else f"__byte_perm(T[{b}], 0, {('0x3210', '0x2103', '0x1032', '0x0321')[j]})"
        if one else f"T[{256 * j} + {b}]")
    word = (lambda c: f"u{c} = {read(0, f's{c} & 255')} ^ {read(1, f's{(c + 1) % 4} >> 8 & 255')} ^ "
        f"{read(2, f's{(c + 2) % 4} >> 16 & 255')} ^ {read(3, f's{(c + 3) % 4} >> 24')} ^ key[4 * r + {c}];")
    size = 256 if one else 1024
    setup = {"shared": f"__shared__ unsigned T[{size}]; for (int j = threadIdx.x; j < {size}; j += blockDim.x) T[j] = table[j]; __syncthreads();",
        "constant": "const unsigned *T = constant_$k;", "global": "const unsigned *T = table;"}[place]
    return d.cuda(f"__constant__ unsigned constant_$k[{size}];\n" * (place == "constant") + """__global__ void $bounds$k(const uint4 *${restrict}in,
        uint4 *${restrict}out, const unsigned *${restrict}table, const unsigned *${restrict}key, int rounds, int n) {
    """ + setup + """
    $index @{if (i >= n) return;@@} uint4 v = @{in[i]@make_uint4(i, 1, 2, 3)@};
    unsigned s0 = v.x ^ key[0], s1 = v.y ^ key[1], s2 = v.z ^ key[2], s3 = v.w ^ key[3], u0, u1, u2, u3;
    $unroll for (int r = 1; r < @{rounds@10@14@}; r++) { """ + " ".join(map(word, range(4))) + """ s0 = u0; s1 = u1; s2 = u2; s3 = u3; }
    out[i] = @{make_uint4(s0, s1, s2, s3)@make_uint4(s0 ^ in[i].x, s1 ^ in[i].y, s2 ^ in[i].z, s3 ^ in[i].w)@};
}""", k)


def crc_words(d, k):
    """CRC by bits, by a table of bytes, by slices of four or eight, or folded over a warp."""
    o = d.n(0, 3)
    step = ["c ^= p[j]; $unroll for (int b = 0; b < @{8@32@}; b++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;", "c = c >> 8 ^ T[(c ^ p[j]) & 255];",
            "unsigned w = c ^ ((const unsigned *)p)[j]; c = T[768 + (w & 255)] ^ T[512 + (w >> 8 & 255)] ^ T[256 + (w >> 16 & 255)] ^ T[w >> 24];",
            "uint2 w = ((const uint2 *)p)[j]; w.x ^= c; c = "
        "T[1792 + (w.x & 255)] ^ T[1536 + (w.x >> 8 & 255)] ^ T[1280 + (w.x >> 16 & 255)] ^ T[1024 + (w.x >> 24)] ^ "
        "T[768 + (w.y & 255)] ^ T[512 + (w.y >> 8 & 255)] ^ T[256 + (w.y >> 16 & 255)] ^ T[w.y >> 24];"][o]
    return d.cuda(("__constant__ unsigned T_$k[$size];\n" if (const := d.of(0, 1)) else "") +
        """__global__ void $bounds$k(const unsigned char *${restrict}in, const unsigned *${restrict}T, unsigned *${restrict}out, int length, int n) {
    $index @{if (i >= n) return;@@} const unsigned char *p = in + (size_t)i * length; unsigned c = ~0u;
    $unroll for (int j = 0; j < @{length@64@}; j++) { """ + (step.replace("T[", "T_$k[") if const else step) + """ }
    @{@for (int s = 16; s; s >>= 1) c ^= __shfl_xor_sync(~0u, c, s); @}out[i] = ~c;
}""", k, size=2048)


def stream_cipher(d, k):
    """ChaCha or Salsa: quarter rounds over 16 words, in a lane or one column a lane."""
    if d.maybe(.3, "x"):
        return d.cuda("""__global__ void $bounds$k(const unsigned *${restrict}state, unsigned *${restrict}out, int blocks) {
    int l = threadIdx.x & 3, i = (blockIdx.x * blockDim.x + threadIdx.x) >> 2; @{if (i >= blocks) return;@@}
        unsigned a = state[l], b = state[4 + l], c = state[8 + l], e = state[12 + l] + (l == 0 ? i : 0);
    $unroll for (int r = 0; r < @{10@4@6@}; r++) {
        for (int h = 0; h < 2; h++) { a += b; e = __funnelshift_l(e ^ a, e ^ a, 16); c += e; b = __funnelshift_l(b ^ c, b ^ c, 12); a += b;
            e = __funnelshift_l(e ^ a, e ^ a, 8); c += e; b = __funnelshift_l(b ^ c, b ^ c, 7);
            b = __shfl_sync(~0u, b, l + (h ? 3 : 1), 4); c = __shfl_sync(~0u, c, l + 2, 4); e = __shfl_sync(~0u, e, l + (h ? 1 : 3), 4); }
    }
    out[i * 16 + l] = a + state[l]; out[i * 16 + 4 + l] = b + state[4 + l]; out[i * 16 + 8 + l] = c + state[8 + l]; out[i * 16 + 12 + l] = e;
}""", k)
    return d.cuda("""#define Q_$k(a, b, c, e) a += b; e ^= a; e = e << 16 | e >> 16; c += e; b ^= c; b = b << 12 | b >> 20; a += b; \\
    e ^= a; e = e << 8 | e >> 24; c += e; b ^= c; b = b << 7 | b >> 25;
struct Key_$k { unsigned w[12]; };
__global__ void $bounds$k(const @{uint4@unsigned@} *${restrict}in, @{uint4@unsigned@}
    *${restrict}out, @{const Key_$k key@const Key_$k *pkey@}, unsigned first, int n) {
    $index if (i >= n) return;
    unsigned s[16], x[16];
#pragma unroll
    for (int j = 0; j < 12; j++) s[j] = """ .replace("const Key_$k key@const Key_$k *pkey", w := d.of("const Key_$k key", "const Key_$k *pkey")) +
        ("key.w[j]" if "*" not in w else "pkey->w[j]") + """;
    s[12] = first + i; s[13] = 0; s[14] = 0x4a000000u; s[15] = 7;
#pragma unroll
    for (int j = 0; j < 16; j++) x[j] = s[j];
    $unroll for (int r = 0; r < @{10@10@4@6@}; r++) {
        Q_$k(x[0], x[4], x[8], x[12]) Q_$k(x[1], x[5], x[9], x[13]) Q_$k(x[2], x[6], x[10], x[14]) Q_$k(x[3], x[7], x[11], x[15]) Q_$k(x[0], x[5],
            x[10], x[15]) Q_$k(x[1], x[6], x[11], x[12]) Q_$k(x[2], x[7], x[8], x[13]) Q_$k(x[3], x[4], x[9], x[14]) }
#pragma unroll
    for (int j = 0; j < 16; j++) ((unsigned *)out)[@{i * 16 + j@j * n + i@}] = x[j] + s[j]@{ ^ ((const unsigned *)in)[i * 16 + j]@@};
}""", k)


def carry_chain(d, k):
    """Long numbers: sums, products, Montgomery steps with carries in code or in 64 bits."""
    n = d.of(2, 4, 6, 8, 8, 12, 16); o = d.n(0, 4); at = d.of("i * $n + j", "i + j * count")
    load = "unsigned a[$n], b[$n], r[$m] = {};\n#pragma unroll\n    for (int j = 0; j < $n; j++) { a[j] = x[" + at + "]; b[j] = y[" + at + "]; }"
    add = lambda j: ("addc" if j else "add") + (".cc" if j < n - 1 else "")
    asm = ("".join(f'asm volatile("{add(j)}.u32 %0, %1, %2;" : "=r"(r[{j}]) : "r"(a[{j}]), "r"(b[{j}]));\n    ' for j in range(n)))
    step = ["unsigned long long c = 0;\n#pragma unroll\n    for (int j = 0; j < $n; j++) { c += (unsigned long long)a[j] @{+@-@} b[j]; r[j] = "
        "(unsigned)c; c >>= 32; }", asm,
            "$unroll for (int j = 0; j < $n; j++) { unsigned long long c = 0;\n#pragma unroll\n        for (int l = 0; l < $n; l++) { c += "
        "(unsigned long long)a[l] * b[j] + r[j + l]; r[j + l] = (unsigned)c; c >>= 32; } r[j + $n] = (unsigned)c; }",
            "$unroll for (int j = 0; j < $n; j++) { unsigned long long c = (unsigned long long)a[0] * b[j] + r[0]; unsigned q = "
        "(unsigned)c * inverse; unsigned long long e = ((unsigned long long)q * prime[0] + (unsigned)c) >> 32; c >>= 32;\n#pragma unroll\n"
            "        for (int l = 1; l < $n; l++) { c += (unsigned long long)a[l] * b[j] + r[l]; e += "
        "(unsigned long long)q * prime[l] + (unsigned)c; r[l - 1] = (unsigned)e; c >>= 32; e >>= 32; } r[$n - 1] = (unsigned)(c + e); }",
            "unsigned carry = 0;\n#pragma unroll\n    for (int j = 0; j < $n; j++) { unsigned s = a[j] + b[j], v = s + carry; carry = (s < a[j]) "
        "| (v < s); r[j] = v; }"][o]
    return d.cuda("""__global__ void $bounds$k(const unsigned *${restrict}x, const unsigned *${restrict}y, unsigned *${restrict}z,
        const unsigned *${restrict}prime, unsigned inverse, int count) {
    $index if (i >= count) return;
    """ + load + "\n    " + step + """
#pragma unroll
    for (int j = 0; j < $out; j++) z[@{i * $out + j@i + j * count@}] = r[j];
}""", k, n=n, m=2 * n, out=2 * n if o == 2 else n)


def modular_power(d, k):
    """a^e mod m, products of 32 or 64 bits, or with a reciprocal."""
    return d.cuda("""__device__ __forceinline__ $t mul_$k($t a, $t b, $t m, $t inv) { """ + d.of("return ($t)((unsigned long long)a * b % m);",
        "unsigned long long p = (unsigned long long)a * b; $t q = (unsigned)p * (unsigned)inv; $t r = (p + (unsigned long long)(unsigned)q * m) "
        ">> 32; return r >= m ? r - m : r;",
                                                    "$t r = 0; while (b) { if (b & 1) { r += a; if (r >= m) r -= m; } a += a; if (a >= m) a -= m; "
        "b >>= 1; } return r;", "$t q = __umul64hi(a, b); $t r = a * b - q * m; return r >= m ? r - m : r;") + """ }
__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}e, $t *${restrict}y, $t m, $t inv, int n) {
    $index if (i >= n) return;
    $t b = x[i], r = 1@{ % m@@}; @{for ($t p = e[i]; p; p >>= 1)@$unroll for ($t p = m - 2; p; p >>= 1)@} { if (p & 1) r = mul_$k(r, b, m, inv);
        b = mul_$k(b, b, m, inv); }
    y[i] = r;
}""", k, t=d.of("unsigned", "unsigned long long"))


def number_transform(d, k):
    """Butterflies modulo a prime, in registers or over shared memory."""
    n = d.of(2, 4, 8, 16); p, t = d.of(("998244353u", "unsigned"), ("469762049u", "unsigned"), ("18446744069414584321ull", "unsigned long long"))
    product = "(unsigned long long)a * w % P_$k" if t == "unsigned" else "reduce_$k(__umul64hi(a, w), a * w)"
    reduce = ("" if t == "unsigned" else "__device__ __forceinline__ $t reduce_$k($t hi, $t lo) { $t h = hi >> 32, l = hi & 0xffffffffull, r = "
        "lo - h; if (lo < h) r -= 0xffffffffull; $t u = l * 0xffffffffull; r += u; if (r < u) r += 0xffffffffull; return r >= P_$k ? r - P_$k : r; "
        "}\n")
    return d.cuda("#define P_$k $p\n" + reduce + """__global__ void $bounds$k($t *${restrict}x, const $t *${restrict}root, int stride, int n) {
    @{__shared__ $t s[$n * 64];@@} int i = blockIdx.x * blockDim.x + threadIdx.x; $t v[$n];
#pragma unroll
    for (int j = 0; j < $n; j++) v[j] = x[i + j * stride];
    $unroll for (int h = $n / 2; h; h /= 2)
#pragma unroll
        for (int j = 0; j < $n; j++) if (!(j & h)) {
            $t a = v[j + h], w = root[@{h + (j & (h - 1))@(i & (stride - 1)) * h@}], u = """ + product + """, b = v[j];
        v[j] = b + u >= P_$k ? b + u - P_$k : b + u; v[j + h] = b >= u ? b - u : b + P_$k - u; }
#pragma unroll
    for (int j = 0; j < $n; j++) x[i + j * stride] = v[j];
}""", k, n=n, p=p, t=t)


def generators(d, k):
    """A generator's own state: xorshift, PCG, splitmix, LCG, LFSR, MWC."""
    state, step, value = d.of(("unsigned s = seed ^ i * 747796405u", "s ^= s << 13; s ^= s >> 17; s ^= s << 5;", "s"),
        ("unsigned long long s = seed + i", "s = s * 6364136223846793005ull + 1442695040888963407ull;", "(unsigned)(((s >> 18) ^ s) >> 27) "
        ">> (s >> 59)"),
        ("unsigned long long s = seed + i", "s += 0x9e3779b97f4a7c15ull;", "mix_$k(s)"), ("uint4 q = state[i]; unsigned s = 0", "{ unsigned u = "
        "q.x ^ q.x << 11; q.x = q.y; q.y = q.z; q.z = q.w; q.w = q.w ^ q.w >> 19 ^ u ^ u >> 8; s = q.w; }", "s + 362437"),
        ("unsigned s = seed + i, c = 1", "{ unsigned long long p = 4294883355ull * s + c; s = (unsigned)p; c = p >> 32; }", "s"), ("unsigned s = "
        "seed | 1u", "s = s >> 1 ^ (-(s & 1u) & 0xd0000001u);", "s"),
        ("unsigned long long s = seed + i, s1 = i * 3 + 1", "{ unsigned long long a = s, b = s1; s = b; a ^= a << 23; s1 = "
        "a ^ b ^ a >> 17 ^ b >> 26; }", "(unsigned)(s + s1)"))
    use = d.of("sum += (float)v * 2.3283064e-10f;", "out[i + j * n] = v;", "float u = (v >> 8) * 5.9604645e-8f, w = 1.f - u; sum += "
        "sqrtf(-2.f * __logf(w + 1e-7f)) * __cosf(6.2831853f * u);", "if (v % 6u == 0) sum += 1;", "{ float u = (v >> 9) * 1.1920929e-7f - .5f; "
        "float w = (v & 511) / 512.f - .5f; sum += u * u + w * w < .25f; }")
    return d.cuda("""__device__ unsigned mix_$k(unsigned long long z) { z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull; return (unsigned)(z ^ z >> 31); }
__global__ void $bounds$k(unsigned *${restrict}out, uint4 *${restrict}state, float *${restrict}mean, unsigned seed, int draws, int n) {
    $index @{if (i >= n) return;@@} """ + state + """; float sum = 0;
    $unroll for (int j = 0; j < @{draws@draws@32@}; j++) { """ + step + " unsigned v = " + value + "; " + use + """ }
    mean[i] = sum@{@ / draws@};
}""", k)


def mersenne_twister(d, k):
    return d.cuda("""__global__ void $bounds$k(unsigned *${restrict}state, @{unsigned@float@} *${restrict}out, int draws) {
    __shared__ unsigned s[$n]; int t = threadIdx.x; $unroll for (int j = t; j < $n; j += blockDim.x) s[j] = state[blockIdx.x * $n + j];
        __syncthreads();
    int at = t; $unroll for (int q = 0; q < draws; q++) {
        unsigned y = (s[at] & 0x80000000u) | (s[(at + 1) % $n] & 0x7fffffffu), v = s[(at + $m) % $n] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
        __syncthreads(); s[at] = v; __syncthreads(); at = (at + blockDim.x) % $n;
        v ^= v >> 11; v ^= v << 7 & 0x9d2c5680u; v ^= v << 15 & 0xefc60000u; v ^= v >> 18;
            out[@{(q * gridDim.x + blockIdx.x) * blockDim.x + t@(blockIdx.x * draws + q) * 256 + t@}] = v@{@ * 1@};
    }
    $unroll for (int j = t; j < $n; j += blockDim.x) state[blockIdx.x * $n + j] = s[j];
}""", k, n=d.of(624, 351, 512), m=d.of(397, 175, 19))


def bit_matrix(d, k):
    """Transposes of bits: 32 x 32 over a warp, 8 x 8 in 64 bits, by ballots."""
    return d.cuda(d.of("""__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}y, int n) {
    $index unsigned v = @{i < n ? x[i] : 0@x[i]@}, m = 0x0000ffffu; int l = threadIdx.x & 31;
    $unroll for (int s = 16; s; s >>= 1, m ^= m << s) { unsigned u = __shfl_xor_sync(~0u, v, s);
        v = l & s ? (u >> s & m) | (v & ~m) : (v & m) | (u << s & ~m); }
    @{if (i < n) @@}y[i] = v;
}""", """__global__ void $bounds$k(const unsigned long long *${restrict}x, unsigned long long *${restrict}y, int n) {
    $index if (i >= n) return; unsigned long long v = x[i], u;
    u = (v ^ v >> 7) & 0x00aa00aa00aa00aaull; v ^= u ^ u << 7; u = (v ^ v >> 14) & 0x0000cccc0000ccccull; v ^= u ^ u << 14;
        u = (v ^ v >> 28) & 0x00000000f0f0f0f0ull; v ^= u ^ u << 28; y[@{i@i / 8 + i % 8 * n@}] = v;
}""", """__global__ void $bounds$k(const @{float@int@unsigned char@} *${restrict}x, unsigned *${restrict}y, int n, int pitch) {
    int l = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; $unroll for (int j = 0; j < 32; j++)
        { unsigned m = __ballot_sync(~0u, x[(size_t)(w * 32 + j) * pitch + l] > 0); if (l == j) y[w * 32 + j] = m; }
}""", """__global__ void $bounds$k(const unsigned *${restrict}x, unsigned char *${restrict}y, int n) {
    $index if (i >= n) return; unsigned v[$r]; $unroll for (int j = 0; j < $r; j++) v[j] = x[i * $r + j];
    $unroll for (int b = 0; b < 32; b++) { unsigned w = 0;
#pragma unroll
        for (int j = 0; j < $r; j++) w |= (v[j] >> b & 1) << j; y[(size_t)i * 32 + b] = w; }
}"""), k, r=d.of(2, 4, 8))


def space_filling(d, k):
    """Morton and Hilbert codes, two and three dimensions, there and back."""
    return d.cuda(d.of("""__device__ __forceinline__ unsigned part_$k(unsigned v) { v = (v * 0x00010001u) & 0xff0000ffu;
        v = (v * 0x00000101u) & 0x0f00f00fu; v = (v * 0x00000011u) & 0xc30c30c3u; return (v * 5u) & 0x49249249u; }
__global__ void $bounds$k(const @{float3@float4@} *${restrict}p, unsigned *${restrict}code, float3 low, float3 scale, int n) {
    $index if (i >= n) return; @{auto q = p[i];@auto q = p[i];@} unsigned x = (unsigned)fminf(fmaxf((q.x - low.x) * scale.x, 0.f), 1023.f),
        y = (unsigned)fminf(fmaxf((q.y - low.y) * scale.y, 0.f), 1023.f), z = (unsigned)fminf(fmaxf((q.z - low.z) * scale.z, 0.f), 1023.f);
    code[i] = part_$k(x) * 4 + part_$k(y) * 2 + part_$k(z);
}""", """__global__ void $bounds$k(const uint2 *${restrict}p, unsigned long long *${restrict}code, int n) {
    $index if (i < n) { unsigned long long c[2] = { p[i].x, p[i].y };
#pragma unroll
    for (int j = 0; j < 2; j++) { c[j] = (c[j] | c[j] << 16) & 0x0000ffff0000ffffull; c[j] = (c[j] | c[j] << 8) & 0x00ff00ff00ff00ffull;
        c[j] = (c[j] | c[j] << 4) & 0x0f0f0f0f0f0f0f0full; c[j] = (c[j] | c[j] << 2) & 0x3333333333333333ull;
            c[j] = (c[j] | c[j] << 1) & 0x5555555555555555ull; }
    code[i] = c[0] | c[1] << 1; }
}""", """__global__ void $bounds$k(const unsigned *${restrict}x, const unsigned *${restrict}y, unsigned *${restrict}out, int bits, int n) {
    $index if (i >= n) return; unsigned a = x[i], b = y[i], h = 0;
    $unroll for (int s = @{bits - 1@15@9@}; s >= 0; s--) { unsigned u = a >> s & 1, v = b >> s & 1; h = h << 2 | (3 * u ^ v);
        if (!v) { if (u) { a = ~a; b = ~b; } unsigned w = a; a = b; b = w; } } out[i] = h;
}""", """__global__ void $bounds$k(const unsigned *${restrict}code, ushort2 *${restrict}out, int n) {
    $index if (i < n) { unsigned c = code[i]; ushort2 r; unsigned v = c & 0x55555555u; v = (v | v >> 1) & 0x33333333u;
        v = (v | v >> 2) & 0x0f0f0f0fu; v = (v | v >> 4) & 0x00ff00ffu; r.x = v | v >> 8;
    v = c >> 1 & 0x55555555u; v = (v | v >> 1) & 0x33333333u; v = (v | v >> 2) & 0x0f0f0f0fu; v = (v | v >> 4) & 0x00ff00ffu; r.y = v | v >> 8;
        out[i] = r; }
}"""), k)


def galois_code(d, k):
    """Reed-Solomon over GF(2^8): logarithm tables, shifts, or four bytes a word."""
    m = d.of(2, 3, 4, 6); product = d.of("log", "shift", "packed")
    mul = {"log": "e = x && w ? T[512 + T[x] + T[w]] : 0;", "shift": "e = 0; $unroll for (int b = 0; b < 8; b++) { e ^= w & 1 ? x : 0; x = "
        "x << 1 ^ (x & 128 ? 0x11d : 0); w >>= 1; }",
           "packed": "e = 0; $unroll for (int b = 0; b < 8; b++) { e ^= -(w >> b & 1) & x; unsigned h = x & 0x80808080u; x = (x & 0x7f7f7f7fu) "
        "<< 1 ^ (h >> 7) * 0x1d; }"}[product]
    t = "unsigned" if product == "packed" else d.of("unsigned char", "unsigned char", "unsigned short")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}data, $t *${restrict}parity, const unsigned char *${restrict}matrix,
        const unsigned char *${restrict}table, int rows, int n) {
    """ + ("__shared__ unsigned short T[1024]; for (int j = threadIdx.x; j < 1024; j += blockDim.x) T[j] = table[j]; "
        "__syncthreads();" if product == "log" else "") + """
    $index if (i >= n) return; unsigned acc[$m] = {};
    $unroll for (int r = 0; r < @{rows@10@4@}; r++) { unsigned v = data[(size_t)r * n + i];
#pragma unroll
        for (int q = 0; q < $m; q++) { unsigned x = v, w = matrix[q * rows + r], e; """ + mul + """ acc[q] ^= e; } }
#pragma unroll
    for (int q = 0; q < $m; q++) parity[(size_t)q * n + i] = acc[q];
}""", k, m=m, t=t)


def binary_product(d, k):
    """Hamming distances and products of signs: xor and popc over packed words."""
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}a, const $t *${restrict}b, @{int@float@unsigned short@}
        *${restrict}c, int m, int n, int words) {
    int q = blockIdx.x * blockDim.x + threadIdx.x, r = (blockIdx.y * blockDim.y + threadIdx.y) * $u; @{if (q >= n || r >= m) return;@@}
        int acc[$u] = {};
    $unroll for (int j = 0; j < words; j++) { $t w = b[@{j * n + q@(size_t)q * words + j@}];
#pragma unroll
        for (int p = 0; p < $u; p++) acc[p] += $popc(a[(r + p) * words + j] ^ w); }
#pragma unroll
    for (int p = 0; p < $u; p++) c[(size_t)(r + p) * n + q] = @{acc[p]@words * 32 - 2 * acc[p]@acc[p] < 16@};
}""", k, u=d.of(1, 1, 2, 4, 8), **dict(zip(("t", "popc"), d.of(("unsigned", "__popc"), ("unsigned", "__popc"), ("unsigned long long", "__popcll")))))


def number_theory(d, k):
    """Sieves, greatest divisors, Collatz, trial division, perfect numbers, digits."""
    t = d.of("unsigned", "int", "unsigned long long", "long long")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, unsigned *${restrict}bits, $t limit, int n) {
    $index if (i >= n) return; $t v = x[i];
    """ + d.of("$t b = limit; while (b) { $t r = v % b; v = b; b = r; } y[i] = v;", "int steps = 0; while (v > 1@{ && steps < 1000@@}) { v = "
        "v & 1 ? 3 * v + 1 : v / 2; steps++; } y[i] = steps;",
               "bool prime = v > 1; $unroll for ($t q = 2; q * q <= v; q++) if (v % q == 0) { prime = false; @{break;@@} } y[i] = prime;", "$t p = "
        "2 * i + 3; for ($t q = p * p; q < limit; q += 2 * p) atomicOr(&bits[q >> 6], 1u << (q >> 1 & 31));",
               "$t s = 1; for ($t q = 2; q * q <= v; q++) if (v % q == 0) s += q + @{v / q@(q * q != v ? v / q : 0)@}; y[i] = s == v;", "$t s = 0; "
        "while (v) { $t q = v % 10; s @{+= q@+= q * q@= s * 10 + q@}; v /= 10; } y[i] = s;",
               "$t a = v, b = limit; int s = 0; while (!((a | b) & 1)) { a >>= 1; b >>= 1; s++; } while (b) { while (!(b & 1)) b >>= 1; if (a > b) { "
        "$t u = a; a = b; b = u; } b -= a; } y[i] = a << s;",
               "$t a = limit, r = v, s = 0, u = 1; while (r) { $t q = a / r, w = a - q * r; a = r; r = w; w = s - q * u; s = u; u = w; } y[i] = "
        "s;", "$t r = 0, b = ($t)1 << 30; while (b > v) b >>= 2; while (b) { if (v >= r + b) { v -= r + b; r = (r >> 1) + b; } else r >>= 1; b >>= "
        "2; } y[i] = r;") + """
}""", k, t=t)


def calendar(d, k):
    """Days to dates and back, seconds to fields: divisions by constants."""
    t = d.of("int", "long long", "unsigned")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, @{short@int@} *${restrict}year, @{unsigned char@int@}
        *${restrict}month, @{unsigned char@int@} *${restrict}day, int n) {
    $index if (i >= n) return; $t z = x[i]@{ / 86400@@} + 719468, era = z / 146097, doe = z - era * 146097,
        yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    @{day[i] = doy - (153 * mp + 2) / 5 + 1; month[i] = mp < 10 ? mp + 3 : mp - 9; year[i] = yoe + era * 400 + (mp >= 10);@day[i] = (z + 3) % 7;
        year[i] = yoe + era * 400;@month[i] = mp; day[i] = x[i] % 86400 / 3600; year[i] = x[i] % 3600 / 60;@}
}""", k, t=t)


def small_floats(d, k):
    """Formats of 8 and 16 bits by hand: pack, unpack, round, quantise blocks."""
    return d.cuda("""__global__ void $bounds$k(const @{unsigned char@unsigned short@}
        *${restrict}q, const float *${restrict}x, float *${restrict}y, unsigned char *${restrict}z, const float *${restrict}scale, int n) {
    $index if (i >= n) return;
    """ + d.of("unsigned v = q[i], s = v >> 7 & 1, e = v >> 3 & 15, m = v & 7; float f = e ? __int_as_float((e + 120) << 23 | m << 20) "
        ": m * .001953125f; y[i] = (s ? -f : f) * scale[i @{/ 32@/ 128@% 64@}];",
               "unsigned v = __float_as_uint(x[i]); unsigned s = v >> 24 & 128, r = v & 0x7fffffff; r += 0x7ffff + (r >> 20 & 1); int e = "
        "(int)(r >> 23) - 120; z[i] = e <= 0 ? s : e > 15 ? s | 126 : s | e << 3 | (r >> 20 & 7);",
               "float m = 0; $unroll for (int j = 0; j < $n; j++) m = fmaxf(m, fabsf(x[i * $n + j])); float r = m > 0 ? 127.f / m : 0; y[i] = "
        "m / 127.f; $unroll for (int j = 0; j < $n; j++) z[i * $n + j] = (signed char)__float2int_rn(x[i * $n + j] * r);",
               "float s = scale[i]; $unroll for (int j = 0; j < $n; j++) { int v = z[i * $n + j]; y[i * 2 * $n + 2 * j] = ((v & 15) - 8) * s; "
        "y[i * 2 * $n + 2 * j + 1] = ((v >> 4) - 8) * s; }",
               "unsigned v = __float_as_uint(x[i]); y[i] = __uint_as_float((v + 0x7fff + (v >> 16 & 1)) & 0xffff0000u); z[i] = (v >> 23 & 255) == "
        "255;",
               "float v = x[i]; int b = 0x5f3759df - (__float_as_int(v) >> 1); float r = __int_as_float(b); $unroll for (int j = 0; j < $n; j++) r = "
        "r * (1.5f - .5f * v * r * r); y[i] = r;") + """
}""", k, n=d.of(1, 2, 4, 8, 16, 32))


def packed_bytes(d, k):
    """Four bytes or two halves of a word at once: video and dot instructions, masks."""
    f = d.r.sample(["v = __vadd4(v, w);", "v = __vmaxu4(v, w);", "v = __vabsdiffu4(v, w);", "v = __vavgu4(v, w);", "v ^= __vcmpgtu4(v, w) "
        "& 0x01010101;", "v = __vsubss4(v, w);", "v = __vadd2(v, w);", "v = __vminu2(v, w);", "v = __vseteq4(v, w) + w;",
                    "s = __dp4a(v, w, s);", "s = __dp2a_lo(v, w, s);", "s += __vsadu4(v, w);", "v = __byte_perm(v, w, 0x5140);", "v = __vavgs2(v, w) "
        "+ s;", "v = __viaddmax_s16x2(v, w, s);", "v = __vimax3_s32(v, w, s);", "s = __vibmin_u32(v, w, &p);", "s += __usad(v, w, s);"], d.n(1, 5))
    return d.cuda("""__global__ void $bounds$k(const unsigned *${restrict}x, const unsigned *${restrict}y, unsigned *${restrict}z, int n) {
    $index @{if (i >= n) return;@@} unsigned v = x[i], s = 0; bool p = false;
    $unroll for (int j = 0; j < @{n@$n@$n@}; j++) { unsigned w = y[@{j@i + j * n@i * $n + j@}]; """ + " ".join(f) + """ }
    z[i] = v + s + p;
}""", k, n=d.of(1, 1, 4, 8, 16))


KINDS = [murmur_hash, xx_hash, fnv_strings, sha_rounds, md_rounds, aes_tables, crc_words, stream_cipher, carry_chain, modular_power,
        number_transform, generators, mersenne_twister, bit_matrix, space_filling,
         galois_code, binary_product, number_theory, calendar, small_floats, packed_bytes]
