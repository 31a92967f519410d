"""Integers and bytes: hashes, ciphers, atomics, strings, votes."""
import re

def hashing(d, k):
    r = d.n(2, 24); st = [f"h{j}" for j in range(d.n(2, 8))]; lines = " ".join(f"{d.of(*st)} {d.of('+=', '^=', '*=')} {d.iexpr(st + ['x'], d.n(1, 2))};" for _ in range(d.n(2, 12)))
    return f"""__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}in, unsigned *out, int n) {{ {d.index()} {d.maybe(.7, 'if (i >= n) return;')} unsigned x = in[i]; unsigned {', '.join(f'{h} = {d.n(1, 1 << 31)}u' for h in st)};
{d.unroll()}for (int j = 0; j < {r}; j++) {{ {lines} x += j; }} out[i] = {' ^ '.join(st)}; }}"""


def atomics(d, k):
    t, v = d.of(("int", "1"), ("float", "1.f"), ("unsigned", "x[i]"), ("unsigned long long", "x[i]"), ("double", "1.0")); o = d.n(0, 3); xt = d.of("int", "unsigned char", "unsigned")
    v = v if v != "x[i]" else f"({t})x[i]"
    if o == 0: return f"__global__ void {d.bounds()}{k}(const {xt} *{d.restrict()}x, {t} *h, int n) {{ {d.index()} if (i < n) atomicAdd(&h[x[i]{d.maybe(.5, ' & 255')}], {v}); }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const {xt} *{d.restrict()}x, unsigned *h, int n) {{ __shared__ unsigned s[256]; for (int j = threadIdx.x; j < 256; j += blockDim.x) s[j] = 0; __syncthreads(); for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i] & 255], 1u); __syncthreads(); for (int j = threadIdx.x; j < 256; j += blockDim.x) atomicAdd(&h[j], s[j]); }}"
    if o == 2: return f"__global__ void {d.bounds()}{k}(const float *{d.restrict()}x, int *m, int n) {{ {d.index()} if (i < n) {{ int old = m[0]; float v = x[i]; while (__int_as_float(old) < v) {{ int a = atomicCAS(m, old, __float_as_int(v)); if (a == old) break; old = a; }} }} }}"
    return f"__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}keys, unsigned *table, unsigned size, int n) {{ {d.index()} if (i >= n) return; unsigned key = keys[i], h = key * 2654435761u % size; while (true) {{ unsigned p = atomicCAS(&table[h], 0xffffffffu, key); if (p == 0xffffffffu || p == key) return; h = (h + 1) % size; }} }}"


def arithmetic(d, k):
    """Chains of one operation: throughput probes."""
    n = d.of(1, 2, 4, 8, 16); op = d.of("v[j] = v[j] * a + b", "v[j] = v[j] + a", "v[j] = sqrtf(v[j])", "v[j] = __expf(v[j])", "v[j] = v[j] / a", "v[j] = fminf(v[j], a) * b", "v[j] = rsqrtf(v[j]) + b", "v[j] = sinf(v[j])", "v[j] = (float)(int)(v[j] * a)", f"v[j] = v[j] * a + v[(j + 1) % {n}]", f"v[j] += v[(j + 1) % {n}]")
    if d.of(0, 1): op = d.of("v[j] = v[j] * u + w", "v[j] = (v[j] << 3) ^ u", "v[j] = v[j] / (u | 1)", "v[j] = __popc(v[j]) + w", "v[j] = __umulhi(v[j], u)", "v[j] = __dp4a(v[j], u, w)", "v[j] = v[j] % (w | 1)", "v[j] = __byte_perm(v[j], u, 0x1234)", "v[j] = min(v[j], u) + w", f"v[j] = v[j] * u + v[(j + 1) % {n}]", f"v[j] += v[(j + 1) % {n}] ^ u", "v[j] = __shfl_xor_sync(~0u, v[j], 1) + u", "v[j] = __funnelshift_l(v[j], u, 7) ^ w"); t = d.of("unsigned", "unsigned", "unsigned long long") if not re.search(r"__|min", op) else "unsigned"
    else: t = d.of("float", "float", "double") if not re.search(r"__|f\(|\(int\)", op) else "float"
    return f"""__global__ void {d.bounds()}{k}({t} *y, int n, {t} a, {t} b, {t} u, {t} w) {{ {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = ({t})(threadIdx.x + j);
{d.of(d.unroll(), d.unroll(), '#pragma unroll 16' + chr(10))}for (int q = 0; q < {d.of('n', '64', '256')}; q++) {{
#pragma unroll
for (int j = 0; j < {n}; j++) {op}; }} {t} s = 0;
#pragma unroll
for (int j = 0; j < {n}; j++) s += v[j]; {d.of('y[blockIdx.x * blockDim.x + threadIdx.x] = s;', 'if (s == 42) y[0] = s;')} }}"""


def cipher(d, k):
    """Rounds of block ciphers and digests: rotations, tables, a state of words."""
    o = d.n(0, 3); r = d.of(8, 10, 16, 20, 32, 64); n = d.of(4, 8, 16)
    if o == 0: return f"""__constant__ unsigned K_{k}[64]; __global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}in, unsigned *{d.restrict()}out, int n) {{ {d.index()} if (i >= n) return; unsigned w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19, dd = 0xa54ff53a;
#pragma unroll
for (int j = 0; j < 16; j++) w[j] = {d.of('in[i * 16 + j]', 'in[i + j * n]', '__byte_perm(in[i * 16 + j], 0, 0x0123)')};
{d.of('#pragma unroll' + chr(10), '#pragma unroll' + chr(10), '#pragma unroll 16' + chr(10))}for (int j = 0; j < {d.of(16, 32, 64)}; j++) {{ unsigned t1 = h + (__funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25)) + ((e & f) ^ (~e & g)) + K_{k}[j] + w[j & 15], t2 = (__funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13)) + ((a & b) ^ (a & c) ^ (b & c)); w[j & 15] += w[(j + 9) & 15] + (w[(j + 1) & 15] >> 3); h = g; g = f; f = e; e = dd + t1; dd = c; c = b; b = a; a = t1 + t2; }} out[i * 2] = a + e; out[i * 2 + 1] = b ^ c ^ dd ^ f ^ g ^ h; }}"""
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const uint{d.of('2', '4')} *in, uint2 *out, uint4 key, int n) {{ {d.index()} if (i < n) {{ auto v = in[i]; unsigned a = v.x, b = v.y, s = 0;
{d.unroll()}for (int j = 0; j < {r}; j++) {{ s += 0x9e3779b9; a += ((b << 4) + key.x) ^ (b + s) ^ ((b >> 5) + key.y); b += ((a << 4) + key.z) ^ (a + s) ^ ((a >> 5) + key.w); }} out[i] = make_uint2(a, b); }} }}"""
    if o == 2: return f"""__global__ void {d.bounds()}{k}(const uint4 *{d.restrict()}in, uint4 *{d.restrict()}out, const unsigned *{d.restrict()}table, const unsigned *{d.restrict()}key, int n) {{ __shared__ unsigned s[{d.of(256, 1024)}]; for (int j = threadIdx.x; j < 256; j += blockDim.x) s[j] = table[j]; __syncthreads(); {d.index()} if (i >= n) return; uint4 v = in[i];
{d.unroll()}for (int j = 0; j < {d.of(9, 10, 13)}; j++) {{ uint4 u; u.x = s[v.x & 255] ^ s[v.y >> 8 & 255] ^ s[v.z >> 16 & 255] ^ s[v.w >> 24] ^ key[j * 4]; u.y = s[v.y & 255] ^ s[v.z >> 8 & 255] ^ s[v.w >> 16 & 255] ^ s[v.x >> 24] ^ key[j * 4 + 1]; u.z = s[v.z & 255] ^ s[v.w >> 8 & 255] ^ s[v.x >> 16 & 255] ^ s[v.y >> 24] ^ key[j * 4 + 2]; u.w = s[v.w & 255] ^ s[v.x >> 8 & 255] ^ s[v.y >> 16 & 255] ^ s[v.z >> 24] ^ key[j * 4 + 3]; v = u; }} out[i] = v; }}"""
    return f"""__global__ void {d.bounds()}{k}(const unsigned long long *{d.restrict()}in, unsigned long long *out, int n) {{ {d.index()} if (i >= n) return; unsigned long long s[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) s[j] = in[i * {n} + j];
{d.unroll()}for (int r = 0; r < {d.of(4, 12, 24)}; r++) {{
#pragma unroll
for (int j = 0; j < {n}; j++) {{ s[j] ^= s[(j + 1) % {n}] << {d.n(1, 60)} | s[(j + 3) % {n}] >> {d.n(1, 60)}; s[j] {d.of('+=', '^=', '*=')} s[(j + 2) % {n}]; }} }}
#pragma unroll
for (int j = 0; j < {n}; j++) out[i * {n} + j] = s[j]; }}"""


def text(d, k):
    """Bytes and strings: search, distance, parse, compress."""
    o = d.n(0, 2); m = d.of(8, 16, 32)
    if o == 0: return f"__constant__ char pat_{k}[{m}]; __global__ void {d.bounds()}{k}(const char *{d.restrict()}s, int *hits, int n, int m) {{ {d.index()} if (i > n - m) return; bool ok = true; {d.unroll()}for (int j = 0; j < {d.of('m', str(m))}{d.of('', ' && ok')}; j++) ok {d.of('&=', '= ok &&')} s[i + j] == pat_{k}[j]; if (ok) {d.of('atomicAdd(hits, 1);', 'hits[i] = 1;')} }}"
    if o == 1: return f"""__global__ void {d.bounds()}{k}(const unsigned char *{d.restrict()}a, const unsigned char *{d.restrict()}b, int *out, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {d.of('unsigned char', 'int', 'unsigned short')} row[{m + 1}]; for (int j = 0; j <= {m}; j++) row[j] = j;
{d.unroll()}for (int r = 0; r < {m}; r++) {{ int diag = row[0]; row[0] = r + 1; unsigned char c = a[i * {m} + r];
{d.of('#pragma unroll' + chr(10), '')}for (int j = 0; j < {m}; j++) {{ int up = row[j + 1], v = min(min(up, (int)row[j]) + 1, diag + (c != b[j])); diag = up; row[j + 1] = v; }} }} out[i] = row[{m}]; }}"""
    return f"""__global__ void {d.bounds()}{k}(const char *{d.restrict()}s, const int *{d.restrict()}at, {d.of('double', 'float', 'long long')} *out, int n) {{ {d.index()} if (i >= n) return; const char *p = s + at[i]; bool minus = *p == '-'; if (minus) p++; {d.of('double', 'float', 'long long')} v = 0; int e = 0; while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0'); if (*p == '.') for (p++; *p >= '0' && *p <= '9'; p++, e++) v = v * 10 + (*p - '0'); while (e-- > 0) v /= 10; out[i] = minus ? -v : v; }}"""


def warp_work(d, k):
    """Votes, compaction, aggregated atomics, matches, segmented sums."""
    o = d.n(0, 3); t = d.of("float", "int", "unsigned")
    if o == 0: return f"__global__ void {d.bounds()}{k}(const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int *count, int n, {t} limit) {{ {d.index()} bool keep = i < n && x[i] > limit; unsigned m = __ballot_sync(~0u, keep); int l = threadIdx.x & 31, base = 0; if (l == 0 && m) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (keep) y[base + __popc(m & ((1u << l) - 1))] = x[i]; }}"
    if o == 1: return f"__global__ void {d.bounds()}{k}(const int *{d.restrict()}key, const {t} *{d.restrict()}x, {t} *{d.restrict()}y, int n) {{ {d.index()} {t} v = i < n ? x[i] : 0; int q = i < n ? key[i] : -1, l = threadIdx.x & 31; {d.unroll()}for (int o = 1; o < 32; o *= 2) {{ {t} u = __shfl_up_sync(~0u, v, o); int r = __shfl_up_sync(~0u, q, o); if (l >= o && r == q) v += u; }} int next = __shfl_down_sync(~0u, q, 1); if (q >= 0 && (l == 31 || next != q)) atomicAdd(&y[q], v); }}"
    if o == 2: n = d.of(2, 4, 8); return f"""__global__ void {d.bounds()}{k}({t} *x, int n) {{ int l = threadIdx.x & 31; {t} v[{n}];
#pragma unroll
for (int j = 0; j < {n}; j++) v[j] = x[(blockIdx.x * {n} + j) * 32 + l];
{d.of('#pragma unroll' + chr(10), '')}for (int q = 2; q <= 32; q *= 2) {d.of(chr(10) + '#pragma unroll' + chr(10), '')}for (int o = q / 2; o; o /= 2)
#pragma unroll
for (int j = 0; j < {n}; j++) {{ {t} u = __shfl_xor_sync(~0u, v[j], o); v[j] = ((l & o) == 0) == ((l & q) == 0) ? min(v[j], u) : max(v[j], u); }}
#pragma unroll
for (int j = 0; j < {n}; j++) x[(blockIdx.x * {n} + j) * 32 + l] = v[j]; }}"""
    b = d.of(4, 8); return f"""__global__ void {d.bounds()}{k}(const unsigned *{d.restrict()}x, unsigned *{d.restrict()}h, int shift, int n) {{ __shared__ unsigned s[{d.of(1, 4, 8)}][{1 << b}]; for (int j = threadIdx.x; j < {1 << b}; j += blockDim.x) s[0][j] = 0; __syncthreads();
{d.unroll()}for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ unsigned q = x[i] >> shift & {(1 << b) - 1}; atomicAdd(&s[0][q], 1); }} __syncthreads(); for (int j = threadIdx.x; j < {1 << b}; j += blockDim.x) {d.of('h[j * gridDim.x + blockIdx.x] = s[0][j];', 'atomicAdd(&h[j], s[0][j]);')} }}"""


def int8(d, k):
    return f"""__global__ void {d.bounds()}{k}(const {d.of('int', 'char4')} *{d.restrict()}a0, const int *{d.restrict()}b, int *{d.restrict()}c, int n, int kx) {{ const int *a = (const int *)a0; int r = blockIdx.y * blockDim.y + threadIdx.y, q = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
{d.unroll()}for (int j = 0; j < kx; j++) s = __dp4a(a[r * kx + j], b[q * kx + j], s); c[r * n + q] = s; }}"""


KINDS = [hashing, atomics, arithmetic, cipher, text, warp_work, int8]
