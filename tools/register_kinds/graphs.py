"""Graphs, sparse matrices, trees, tables of hashes, dynamic programming, automata, queues."""


def walk_levels(d, k):
    """Breadth first: a thread or a warp a vertex, by levels, from queues, bottom up."""
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, int *level, const int *${restrict}queue, "
        "int *next, int *size, unsigned *visited, int depth, int n, bool *again) {\n    " + d.of(
        "$index if (i >= n || level[i] != depth) return; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int v = col[e]; if (level[v] < 0) { "
        "level[v] = depth + 1; *again = true; } }",
        "$index if (i >= n) return; int u = queue[i], end = row[u + 1]; $unroll for (int e = row[u]; e < end; e++) { int v = col[e]; "
        "if (atomicCAS(&level[v], -1, depth + 1) == -1) next[atomicAdd(size, 1)] = v; }",
        "int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32; if (w >= n) return; int u = queue[w], end = row[u + 1]; "
        "$unroll for (int e = row[u] + l; e < end; e += 32) { int v = col[e]; unsigned bit = 1u << (v & 31); if (!(visited[v >> 5] & bit) "
        "&& !(atomicOr(&visited[v >> 5], bit) & bit)) { level[v] = depth + 1; next[atomicAdd(size, 1)] = v; } }",
        "$index if (i >= n || level[i] >= 0) return; $unroll for (int e = row[i], end = row[i + 1]; e < end; e++) if (level[col[e]] == depth) { "
        "level[i] = depth + 1; @{atomicAdd(size, 1);@@} break; }",
        "__shared__ int q[$b], count, base; if (threadIdx.x == 0) count = 0; __syncthreads(); $index if (i < n) { int u = queue[i]; "
        "$unroll for (int e = row[u]; e < row[u + 1]; e++) { int v = col[e]; if (level[v] < 0 && atomicCAS(&level[v], -1, depth) < 0) { int at = "
        "atomicAdd(&count, 1); if (at < $b) q[at] = v; else next[atomicAdd(size, 1)] = v; } } } __syncthreads(); int m = min(count, $b); "
        "if (threadIdx.x == 0) base = atomicAdd(size, m); __syncthreads(); for (int j = threadIdx.x; j < m; j += blockDim.x) next[base + j] = "
        "q[j];") + "\n}", k, b=d.of(512, 1024, 2048))


def shortest_paths(d, k):
    t = d.of("int", "unsigned", "float")
    least = "atomicMin((int *)&dist[v], @{(int)u@(int)u@})" if t != "float" else "atomicMin((int *)&dist[v], __float_as_int(u))"
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const $t *${restrict}weight, $t *dist, "
        "const int *${restrict}from, int *changed, $t delta, int n) {\n    $index if (i >= n) return; " + d.of(
        "$t a = dist[i]; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int v = col[e]; $t u = a + weight[e]; if (u < dist[v]) { " + least +
        "; @{*changed = 1;@changed[v] = 1;@} } }",
        "int v = col[i]; $t u = dist[from[i]] + weight[i]; if (u < dist[v]) { " + least + "; *changed = 1; }",
        "if (!changed[i]) return; changed[i] = 0; $t a = dist[i]; for (int e = row[i], end = row[i + 1]; e < end; e++) { $t w = weight[e]; "
        "if (w > delta) continue; int v = col[e]; $t u = a + w; if (" + least + " > *(int *)&u) changed[v] = 1; }") + "\n}", k, t=t)


def rank_pages(d, k):
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const int *${restrict}degree, "
        "const $t *${restrict}old, $t *${restrict}rank, $t *${restrict}error, $t damping, int n) {\n    " + d.of(
        "$index if (i >= n) return; $t s = 0; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int u = col[e]; s += old[u] / degree[u]; } $t v = "
        "(1 - damping) / n + damping * s; @{atomicAdd(error, v > old[i] ? v - old[i] : old[i] - v);@error[i] = v - old[i];@@} rank[i] = v;",
        "$index if (i < n) { $t s = damping * old[i] / degree[i]; $unroll for (int e = row[i]; e < row[i + 1]; e++) atomicAdd(&rank[col[e]], s); }",
        "int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31; if (w >= n) return; $t s = 0; $unroll for (int e = row[w] + l; "
        "e < row[w + 1]; e += 32) { int u = __ldg(col + e); s += __ldg(old + u) * (($t)1 / degree[u]); } for (int o = 16; o; o >>= 1) s += "
        "__shfl_down_sync(~0u, s, o); if (l == 0) rank[w] = (1 - damping) + damping * s;") + "\n}", k, t=d.of("float", "float", "double"))


def triangles(d, k):
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const int *${restrict}src, "
        "const int *${restrict}dst, @{unsigned long long@int@unsigned@} *count, int n) {\n    $index if (i >= n) return; " + d.of(
        "int u = src[i], v = dst[i], a = row[u], b = row[v], ea = row[u + 1], eb = row[v + 1], c = 0; while (a < ea && b < eb) { int x = col[a], y = "
        "col[b]; if (x == y) { c++; a++; b++; } else if (x < y) a++; else b++; } @{if (c) @@}atomicAdd(count, c);",
        "int u = src[i], v = dst[i], c = 0; $unroll for (int a = row[u]; a < row[u + 1]; a++) { int x = col[a], lo = row[v], hi = row[v + 1]; "
        "while (lo < hi) { int m = (lo + hi) / 2; if (col[m] < x) lo = m + 1; else hi = m; } c += lo < row[v + 1] && col[lo] == x; } count[i] = c;",
        "int c = 0; for (int a = row[i]; a < row[i + 1]; a++) { int v = col[a]; if (v <= i) continue; for (int b = row[v]; b < row[v + 1]; b++) { "
        "int w = col[b]; if (w > v) for (int e = row[i]; e < row[i + 1]; e++) if (col[e] == w) { c++; break; } } } count[i] = c;") + "\n}", k)


def colour_graph(d, k):
    """Colours, independent sets, matchings, cores: what vertices decide of their neighbours."""
    return d.cuda("""__device__ __forceinline__ unsigned prio_$k(unsigned v) { v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu;
        return v ^ v >> 16; }
__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, int *colour, int *other, int round,
    int n) {\n    $index if (i >= n) return; """ + d.of(
        "if (colour[i] >= 0) return; unsigned p = prio_$k(i); bool most = true@{, least = true@@}; $unroll for (int e = row[i]; e < row[i + 1]; e++) "
        "{ int u = col[e]; if (colour[u] >= 0 && colour[u] != round) continue; if (prio_$k(u) > p) most = false; } if (most) colour[i] = round;",
        "unsigned long long used = 0; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int c = colour[col[e]]; if (c >= 0 && c < 64) used |= "
        "1ull << c; } colour[i] = __ffsll(~used) - 1;",
        "if (colour[i]) return; unsigned p = prio_$k(i * 31 + round); for (int e = row[i], end = row[i + 1]; e < end; e++) { int u = col[e]; "
        "if (colour[u] == 1) { colour[i] = 2; return; } unsigned q = prio_$k(u * 31 + round); if (colour[u] == 0 && (q > p || (q == p && u > i))) "
        "return; } colour[i] = 1;",
        "if (colour[i] > round || other[i]) return; other[i] = 1; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int u = col[e]; if (!other[u]) "
        "atomicSub(&colour[u], 1); }",
        "int best = -1; unsigned w = 0; $unroll for (int e = row[i]; e < row[i + 1]; e++) { int u = col[e]; unsigned q = prio_$k(min(u, (int)i) "
        "* 65537 + max(u, (int)i)); if (other[u] < 0 && q > w) { w = q; best = u; } } colour[i] = best;",
        "int counts[$m] = {}; for (int e = row[i]; e < row[i + 1]; e++) counts[colour[col[e]] & ($m - 1)]++; int b = 0; for (int j = 1; j < $m; j++) "
        "if (counts[j] > counts[b]) b = j; other[i] = b;") + "\n}", k, m=d.of(4, 8, 16, 32))


def union_find(d, k):
    find = d.of("while (p[v] != v) v = p[v]; return v;", "while (true) { int q = p[v]; if (q == v) return v; int g = p[q]; if (q != g) p[v] = g; v = "
        "g; }", "int q = v; while ((q = p[v]) != v) { p[v] = p[q]; v = q; } return v;")
    return d.cuda("__device__ @{@__noinline__ @__forceinline__ @}int find_$k(int *p, int v) { " + find +
        " }\n__global__ void $bounds$k(const int *${restrict}src, const int *${restrict}dst, int *p, bool *again, int n) {\n    $index if (i >= n) "
        "return; " + d.of(
        "int u = find_$k(p, src[i]), v = find_$k(p, dst[i]); while (u != v) { if (u > v) { int q = u; u = v; v = q; } int old = atomicCAS(&p[v], v, "
        "u); if (old == v) break; v = find_$k(p, old); }", "int a = p[src[i]], b = p[dst[i]]; if (a != b) { atomicMin(&p[max(a, b)], min(a, b)); "
        "*again = true; }",
        "p[i] = find_$k(p, i);", "int u = find_$k(p, src[i]), v = find_$k(p, dst[i]); if (u != v) atomicMin(&p[max(u, v)], min(u, v));") + "\n}", k)


def sparse_formats(d, k):
    """y = A x in ELL, sliced ELL, COO, blocks, diagonals, and by equal shares of rows and nonzeros."""
    t = d.of("float", "float", "double")
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const $t *${restrict}val, const $t *${restrict}x, "
        "$t *y, int width, int nnz, int n) {\n    " + d.of(
        "$index if (i >= n) return; $t s = 0; $unroll for (int j = 0; j < @{width@8@32@}; j++) { int c = col[j * n + i]; @{if (c >= 0) @@}s += "
        "val[j * n + i] * x[c]; } y[i] = s;",
        "$index if (i >= nnz) return; atomicAdd(&y[row[i]], val[i] * x[col[i]]);", "$index int l = threadIdx.x & 31; $t v = "
        "i < nnz ? val[i] * x[col[i]] : 0; int r = i < nnz ? row[i] : -1; $unroll for (int o = 1; o < 32; o *= 2) { $t u = __shfl_up_sync(~0u, v, "
        "o); int q = __shfl_up_sync(~0u, r, o); if (l >= o && q == r) v += u; } int next = __shfl_down_sync(~0u, r, 1); if (r >= 0 && (l == "
        "31 || next != r)) atomicAdd(&y[r], v);",
        "$index if (i >= n) return; $t s[$b] = {}; for (int e = row[i]; e < row[i + 1]; e++) { const $t *p = val + (size_t)e * $b * $b, *q = "
        "x + col[e] * $b; $unroll for (int a = 0; a < $b; a++)\n#pragma unroll\n        for (int c = 0; c < $b; c++) s[a] += p[a * $b + c] * q[c]; } "
        "$unroll for (int a = 0; a < $b; a++) y[i * $b + a] = s[a];",
        "int s = blockIdx.x, l = threadIdx.x, r = s * blockDim.x + l; $t a = 0; int base = row[s], w = (row[s + 1] - base) / blockDim.x; "
        "$unroll for (int j = 0; j < w; j++) { int e = base + j * blockDim.x + l; a += val[e] * x[col[e]]; } if (r < n) y[r] = a;",
        "$index if (i >= n) return; $t s = 0; $unroll for (int j = 0; j < width; j++) { int c = i + col[j]; if (c >= 0 && c < n) s += "
        "val[j * n + i] * x[c]; } y[i] = s;",
        "int th = blockIdx.x * blockDim.x + threadIdx.x, diag = min(th * $b * 2, n + nnz), lo = max(0, diag - nnz), hi = min(diag, n); "
        "while (lo < hi) { int m = (lo + hi) >> 1; if (row[m + 1] <= diag - 1 - m) lo = m + 1; else hi = m; } int r = lo, e = diag - lo; $t s = 0; "
        "$unroll for (int j = 0; j < $b * 2 && r < n; j++) if (e < row[r + 1]) { s += val[e] * x[col[e]]; e++; } else { y[r++] = s; s = 0; } "
        "if (r < n) atomicAdd(&y[r], s);") + "\n}", k, t=t, b=d.of(2, 3, 4, 6, 8))


def sparse_dense(d, k):
    """Sparse times dense, sampled products, columns in registers or lanes."""
    t = d.of("float", "float", "double"); v, m = d.of((t, 1), (t + "2", 2)) if t == "double" else d.of((t, 1), (t + "2", 2), (t + "4",
        4)); parts = "xyzw"[:m]
    fma = "a += w * b;" if m == 1 else " ".join(f"a.{c} += w * b.{c};" for c in parts)
    dot = "s += a * b;" if m == 1 else "s += " + " + ".join(f"a.{c} * b.{c}" for c in parts) + ";"
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const $t *${restrict}val, const $v *${restrict}x, "
        "const $v *${restrict}z, $v *${restrict}y, $t *${restrict}out, int cols, int n) {\n    " + d.of(
        "int r = blockIdx.x * blockDim.y + threadIdx.y, c = blockIdx.y * 32 + threadIdx.x; if (r >= n || c >= cols) return; $v a = {}; "
        "$unroll for (int e = row[r]; e < row[r + 1]; e++) { $t w = val[e]; $v b = x[col[e] * cols + c]; " + fma + " } y[r * cols + c] = a;",
        "int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31; if (r >= n) return; for (int c = l; c < cols; c += 32) { $v a = "
        "{}; for (int e0 = row[r], end = row[r + 1]; e0 < end; e0 += 32) { int q = e0 + l < end ? col[e0 + l] : 0; $t u = "
        "e0 + l < end ? val[e0 + l] : 0; $unroll for (int j = 0; j < 32; j++) { $t w = __shfl_sync(~0u, u, j); $v b = x[(size_t)__shfl_sync(~0u, q, "
        "j) * cols + c]; " + fma + " } } y[(size_t)r * cols + c] = a; }",
        "int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31; if (w >= n) return; const $v *p = x + (size_t)row[w] * cols, "
        "*q = z + (size_t)col[w] * cols; $t s = 0; $unroll for (int j = l; j < cols; j += 32) { $v a = p[j], b = q[j]; " + dot + " } for (int o = "
        "16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (l == 0) out[w] = s * val[w];",
        "$index if (i >= n) return; $t s = 0; for (int j = 0; j < cols; j++) { $v a = x[row[i] * cols + j], b = z[j * n + col[i]]; " + dot +
        " } out[i] = s@{ * val[i]@@};") + "\n}", k, t=t, v=v)


def sparse_solve(d, k):
    """Rows wait for those they need; Jacobi, Gauss-Seidel by colours, ILU rows."""
    return d.cuda("__global__ void $bounds$k(const int *${restrict}row, const int *${restrict}col, const $t *${restrict}val, const $t *${restrict}b, "
        "@{volatile @@}$t *x, volatile int *done, const int *${restrict}order, $t omega, int n) {\n    " + d.of(
        "$index if (i >= n) return; $t s = b[i], diag = 1; for (int e = row[i]; e < row[i + 1]; e++) { int c = col[e]; if (c < i) { while (!done[c]) "
        "; __threadfence(); s -= val[e] * x[c]; } else if (c == i) diag = val[e]; } x[i] = s / diag; __threadfence(); done[i] = 1;",
        "$index if (i >= n) return; int r = order[i]; $t s = b[r], diag = 1; $unroll for (int e = row[r]; e < row[r + 1]; e++) { int c = col[e]; "
        "if (c != r) s -= val[e] * x[c]; else diag = val[e]; } x[r] = (1 - omega) * x[r] + omega * s / diag;",
        "int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31; if (r >= n) return; $t s = 0, diag = 0; for (int e = "
        "row[r] + l; e < row[r + 1]; e += 32) { int c = col[e]; if (c < r) { while (!done[c]) ; s += val[e] * x[c]; } else if (c == r) diag = "
        "val[e]; } for (int o = 16; o; o >>= 1) { s += __shfl_xor_sync(~0u, s, o); diag += __shfl_xor_sync(~0u, diag, o); } if (l == 0) { x[r] = "
        "(b[r] - s) / diag; __threadfence(); done[r] = 1; }") + "\n}", k, t=d.of("float", "double"))


def sparse_product(d, k):
    """Rows of A B by a table in shared memory."""
    return d.cuda("""__global__ void $bounds$k(const int *${restrict}ra, const int *${restrict}ca, const $t *${restrict}va, const int *${restrict}rb,
        const int *${restrict}cb, const $t *${restrict}vb, int *${restrict}count, $t *${restrict}out, int n) {
    __shared__ int key[$m]; @{__shared__ $t sum[$m];@__shared__ $t sum[$m];@} __shared__ int found; int r = blockIdx.x;
        for (int j = threadIdx.x; j < $m; j += blockDim.x)
        { key[j] = -1; sum[j] = 0; } if (threadIdx.x == 0) found = 0; __syncthreads();
    for (int e = ra[r] + threadIdx.x / $g; e < ra[r + 1]; e += blockDim.x / $g) { int c = ca[e]; $t a = va[e];
        $unroll for (int f = rb[c] + threadIdx.x % $g; f < rb[c + 1]; f += $g) { int q = cb[f], h = q * 107 & ($m - 1);
            while (true) { int old = atomicCAS(&key[h], -1, q); if (old == -1) atomicAdd(&found, 1);
                if (old == -1 || old == q) { @{atomicAdd(&sum[h], a * vb[f]);@@} break; } h = (h + 1) & ($m - 1); } } }
    __syncthreads(); if (threadIdx.x == 0) count[r] = found; @{for (int j = threadIdx.x; j < $m; j += blockDim.x)
        if (key[j] >= 0) out[(size_t)r * $m + j] = sum[j];@@}
}""", k, t=d.of("float", "double"), m=d.of(256, 512, 1024, 2048), g=d.of(1, 4, 8, 16, 32))


def hash_table(d, k):
    """Open addressing with packed or apart values, linear, quadratic and double probing, cuckoo, buckets of a tile."""
    return d.cuda("__device__ __forceinline__ unsigned mix_$k(unsigned h) { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; "
        "return h ^ h >> 16; }\n__global__ void $bounds$k(const unsigned *${restrict}key, const unsigned *${restrict}val, unsigned long long *table, "
        "unsigned *out, unsigned *values, unsigned size, int n) {\n    " + d.of(
        "$index if (i >= n) return; unsigned q = key[i], h = mix_$k(q) & (size - 1); unsigned long long e = (unsigned long long)q << 32 | val[i]; "
        "while (true) { unsigned long long old = atomicCAS(&table[h], ~0ull, e); if (old == ~0ull || (unsigned)(old >> 32) == q) break; h = "
        "@{(h + 1) & (size - 1)@(h + (mix_$k(q ^ 77) | 1)) & (size - 1)@(h + 1) % size@}; }",
        "$index if (i < n) { unsigned q = key[i], h = mix_$k(q) % size, r = ~0u; $unroll for (int j = 0; j < @{$m@32@(int)size@}; j++) { "
        "unsigned long long e = table[(h + @{j@j * j@}) % size]; if (e == ~0ull) break; if ((unsigned)(e >> 32) == q) { r = (unsigned)e; break; } } "
        "out[i] = r; }",
        "$index if (i >= n) return; unsigned q = key[i], v = val[i], h = mix_$k(q) % size; unsigned long long e = (unsigned long long)q << 32 | v; "
        "for (int j = 0; j < $m; j++) { e = atomicExch(&table[h], e); unsigned u = e >> 32; if (u == ~0u) return; unsigned a = mix_$k(u) % size, b = "
        "mix_$k(u ^ 0x5bd1e995u) % size; h = h == a ? b : a; } out[0] = 1;",
        "$index if (i >= n) return; unsigned q = key[i]; unsigned a = mix_$k(q) % size, b = mix_$k(q ^ 0x5bd1e995u) % size@{, c = "
        "mix_$k(q + 0x9e3779b9u) % size@@}; unsigned long long u = table[a]; if ((unsigned)(u >> 32) != q) u = table[b]; out[i] = "
        "(unsigned)(u >> 32) == q ? (unsigned)u : ~0u;",
        "int g = (blockIdx.x * blockDim.x + threadIdx.x) / $g, l = threadIdx.x % $g; if (g >= n) return; unsigned mask = $g == "
        "32 ? ~0u : ((1u << $g) - 1) << (threadIdx.x & 31 & ~($g - 1)), q = key[g], h = mix_$k(q) % size, r = ~0u; for (int j = 0; j < $m; j++) { "
        "unsigned long long e = table[(h * $g + l) % (size * $g)]; unsigned hit = __ballot_sync(mask, (unsigned)(e >> 32) == q), empty = "
        "__ballot_sync(mask, e == ~0ull); if (hit) { r = __shfl_sync(mask, (unsigned)e, __ffs(hit) - 1); break; } if (empty) break; h = (h + 1) "
        "% size; } if (l == 0) out[g] = r;",
        "$index if (i >= n) return; unsigned q = key[i], h = mix_$k(q) % size, *t = (unsigned *)table; while (true) { unsigned old = "
        "atomicCAS(&t[h], 0u, q); if (old == 0 || old == q) { atomicAdd(&values[h], @{1u@val[i]@}); break; } if (++h == size) h = 0; "
        "}") + "\n}", k, m=d.of(4, 8, 16, 64), g=d.of(4, 8, 16, 32))


def bloom_filter(d, k):
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}key, unsigned *bits, unsigned char *${restrict}out, unsigned size, int n) {
    $index @{if (i >= n) return;@@} $t q = key[i]; unsigned a = (unsigned)(q * 2654435761u), b = (unsigned)(q ^ q >> 15) * 0x2c1b3c6du | 1;
        bool all = true;
    $unroll for (int j = 0; j < $m; j++) { unsigned h = @{(a + j * b) % size@(a + j * b) & (size - 1)@((a >> j) ^ b * j) % size@};
        @{atomicOr(&bits[h >> 5], 1u << (h & 31));@all @{&=@= all &&@} bits[h >> 5] >> (h & 31) & 1;@} }
    out[i] = all;
}""", k, t=d.of("unsigned", "unsigned long long"), m=d.of(2, 3, 4, 7, 8))


def tree_walks(d, k):
    """Searches with a stack: boxes, k-d trees, quad trees, decision forests, B-trees, tries."""
    return d.cuda(d.of("""struct Node_$k { float3 lo; int left; float3 hi; int right; };
__global__ void $bounds$k(const Node_$k *${restrict}node, const float3 *${restrict}o, const float3 *${restrict}dir, int *${restrict}hit, int n) {
    $index if (i >= n) return; int stack[$m], sp = 0, best = -1; float3 p = o[i], q = dir[i], inv = make_float3(1.f / q.x, 1.f / q.y, 1.f / q.z);
        float far = 1e30f; stack[sp++] = 0;
    while (sp) { int v = stack[--sp]; Node_$k b = node[v]; float x0 = (b.lo.x - p.x) * inv.x, x1 = (b.hi.x - p.x) * inv.x,
        y0 = (b.lo.y - p.y) * inv.y, y1 = (b.hi.y - p.y) * inv.y, z0 = (b.lo.z - p.z) * inv.z, z1 = (b.hi.z - p.z) * inv.z;
        float a = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1)), c = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
            if (a > c || c < 0 || a > far) continue; if (b.left < 0) { best = b.right; far = a; } else { stack[sp++] = b.left; stack[sp++] = b.right;
                } }
    hit[i] = best;
}""", """__global__ void $bounds$k(const float4 *${restrict}tree, const float3 *${restrict}query, int *${restrict}out, float *${restrict}dist, int m,
        int n) {
    $index if (i >= n) return; float3 q = query[i]; int stack[$m], sp = 0, best = -1, v = 0, axis = 0; float d2 = 1e30f, far[$m];
    while (true) { while (v < m) { float4 t = tree[v]; float dx = t.x - q.x, dy = t.y - q.y, dz = t.z - q.z, s = dx * dx + dy * dy + dz * dz;
        if (s < d2) { d2 = s; best = v; } float c = axis == 0 ? dx : axis == 1 ? dy : dz; int near = 2 * v + 1 + (c < 0);
            if (sp < $m) { stack[sp] = (4 * v + 3 - near + 2 * v) * 4 + axis; far[sp++] = c * c; } v = near; axis = axis == 2 ? 0 : axis + 1; }
        do { if (!sp) { out[i] = best; dist[i] = sqrtf(d2); return; } sp--; } while (far[sp] >= d2); v = stack[sp] >> 2; axis = (stack[sp] & 3) + 1;
            if (axis == 3) axis = 0; }
}""", """struct Split_$k { @{short@int@} feature; float cut; int left, right; };
__global__ void $bounds$k(const float *${restrict}x, const Split_$k *${restrict}tree, const int *${restrict}root, float *${restrict}y, int trees,
    int features, int n) {
    $index if (i >= n) return; float s = 0; const float *p = x + (size_t)i * features;
    $unroll for (int t = 0; t < @{trees@$m@}; t++) { int v = root[t]; while (tree[v].left >= 0) v = p[tree[v].feature] @{<@<=@}
        tree[v].cut ? tree[v].left : tree[v].right; s += tree[v].cut; }
    y[i] = @{s@s / trees@1.f / (1.f + __expf(-s))@};
}""", """__global__ void $bounds$k(const float4 *${restrict}cell, const int *${restrict}child, const float2 *${restrict}p, float2 *${restrict}f,
        float theta, int n) {
    $index if (i >= n) return; float2 me = p[i], a = make_float2(0, 0); int stack[$m], sp = 1; stack[0] = 0;
    while (sp > 0) { int v = stack[--sp]; float4 c = cell[v]; float dx = c.x - me.x, dy = c.y - me.y, r2 = dx * dx + dy * dy + 1e-4f;
        if (c.w * c.w < theta * theta * r2 || child[4 * v] < 0) { float w = c.z * rsqrtf(r2) / r2; a.x += w * dx; a.y += w * dy; } else {
#pragma unroll
        for (int j = 0; j < 4; j++) if (child[4 * v + j] > 0) stack[sp++] = child[4 * v + j]; } }
    f[i] = a;
}""", """__global__ void $bounds$k(const @{int@unsigned@float@} *${restrict}keys, const int *${restrict}child, const @{int@unsigned@float@}
        *${restrict}query, int *${restrict}out, int height, int n) {
    $index if (i >= n) return; int v = 0; auto q = query[i]; $unroll for (int h = 0; h < @{height@4@}; h++) { int c = 0; $unroll
        for (int j = 0; j < $m - 1; j++)
        c += keys[v * ($m - 1) + j] <= q; v = child[v * $m + c]; } out[i] = v;
}"""), k, m=d.of(8, 16, 32, 64))


def neighbours(d, k):
    """Nearest centres, distances between all, cell lists."""
    t = d.of("float", "float", "double"); m = d.of(2, 3, 4, 8, 16)
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}centre, int *${restrict}label, $t *${restrict}sums,
        int *${restrict}counts, int clusters, int n) {
    $index if (i >= n) return; $t v[$m]; $unroll for (int j = 0; j < $m; j++) v[j] = x[@{i * $m + j@j * n + i@}]; $t best = 1e30; int at = 0;
    $unroll for (int c = 0; c < clusters; c++) { $t s = 0;
#pragma unroll
        for (int j = 0; j < $m; j++) { $t q = v[j] - centre[c * $m + j]; s += q * q; } if (s < best) { best = s; at = c; } }
    label[i] = at; @{atomicAdd(&counts[at], 1); $unroll for (int j = 0; j < $m; j++) atomicAdd(&sums[at * $m + j], v[j]);@@}
}""", """__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}z, $t *${restrict}y, int m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; if (i >= m || j >= n) return; $t s = 0;
        $unroll for (int c = 0; c < $m; c++) { $t q = x[i * $m + c] - z[j * $m + c]; s += @{q * q@q < 0 ? -q : q@x[i * $m + c] * z[j * $m + c]@}; }
            y[(size_t)i * n + j] = @{s@sqrt(s)@exp(-s)@};
}""", """__global__ void $bounds$k(const $t *${restrict}x, const $t *${restrict}y, const int *${restrict}start, const int *${restrict}end,
        const int *${restrict}order, int *${restrict}count, $t cell, $t r2, int gx, int gy, int n) {
    $index if (i >= n) return; $t a = x[i], b = y[i]; int cx = (int)(a / cell), cy = (int)(b / cell), c = 0;
    $unroll for (int v = max(cy - 1, 0); v <= min(cy + 1, gy - 1); v++) $unroll for (int u = max(cx - 1, 0); u <= min(cx + 1, gx - 1); u++)
        for (int e = start[v * gx + u]; e < end[v * gx + u]; e++) { int j = order[e]; $t dx = x[j] - a, dy = y[j] - b;
            c += j != i && dx * dx + dy * dy < r2; } count[i] = c;
}"""), k, t=t, m=m)


def all_pairs(d, k):
    """Floyd-Warshall, plain and by tiles; transitive closure of bits; min-plus products."""
    return d.cuda(d.of("""__global__ void $bounds$k($t *x, @{int *via, @@}int q, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y@{@ * blockDim.y + threadIdx.y@}; if (c >= n || r >= n) return;
        $t u = x[r * n + q] + x[q * n + c]; @{if (u < x[r * n + c]) x[r * n + c] = u;@x[r * n + c] = min(x[r * n + c], u);@}
}""", """__global__ void $bounds$k($t *x, int p, int n) {
    __shared__ $t a[$b][$b], b[$b][$b]; int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * $b + ty, c = blockIdx.x * $b + tx;
        a[ty][tx] = x[r * n + p * $b + tx]; b[ty][tx] = x[(p * $b + ty) * n + c]; __syncthreads(); $t v = x[r * n + c];
    $unroll for (int q = 0; q < $b; q++) { v = min(v, a[ty][q] + b[q][tx]); @{@__syncthreads();@} } x[r * n + c] = v;
}""", """__global__ void $bounds$k(unsigned *x, int q, int words, int n) {
    $index if (i >= n || !(x[i * words + q / 32] >> (q & 31) & 1)) return; $unroll for (int j = 0; j < words; j++)
        x[i * words + j] |= x[q * words + j];
}"""), k, t=d.of("int", "float", "short", "unsigned"), b=d.of(8, 16, 32))


def tables_of_choices(d, k):
    """Dynamic programs: knapsack, common subsequences, chains, seams, coins, alignment, Viterbi, time warping."""
    t = d.of("int", "float", "unsigned short")
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}old, $t *${restrict}now, @{unsigned char *${restrict}took, @@}int w, $t v,
        int n) { $index if (i > n) return; $t a = old[i]; if (i >= w) { $t b = old[i - w] + v; if (b > a) a = b; } now[i] = a; }""",
    """__global__ void $bounds$k(const char *${restrict}a, const char *${restrict}b, int *x, int m, int n, int diag) {
    int r = blockIdx.x * blockDim.x + threadIdx.x + max(1, diag - n), c = diag - r; if (r > m || c < 1 || c > n) return; int w = n + 1;
        @{x[r * w + c] = a[r - 1] == b[c - 1] ? x[(r - 1) * w + c - 1] + 1 : max(x[(r - 1) * w + c],
            x[r * w + c - 1]);@x[r * w + c] = min(min(x[(r - 1) * w + c], x[r * w + c - 1]) + 1, x[(r - 1) * w + c - 1] + (a[r - 1] != b[c - 1]));@}
}""", """__global__ void $bounds$k(const unsigned char *${restrict}q, const unsigned char *${restrict}s, const signed char *${restrict}score,
        int *${restrict}best, int qlen, int slen, int gap, int extend, int n) {
    $index if (i >= n) return; int h[$m], e[$m], top = 0; $unroll for (int j = 0; j < $m; j++) h[j] = e[j] = 0;
    for (int r = 0; r < slen; r++) { int c = s[i * slen + r], diag = 0, f = 0;
#pragma unroll
        for (int j = 0; j < $m; j++) { int v = max(diag + score[c * 32 + q[j]], 0); e[j] = max(e[j] - extend, h[j] - gap);
            f = max(f - extend, (j ? h[j - 1] : 0) - gap); v = max(max(v, e[j]), f); diag = h[j]; h[j] = v; top = max(top, v); } }
    best[i] = top;
}""", """__global__ void $bounds$k(const float *${restrict}emit, const float *${restrict}move, float *${restrict}out, unsigned char *${restrict}back,
        int steps) {
    __shared__ float p[2][$m]; int s = threadIdx.x; p[0][s] = emit[s]; __syncthreads(); for (int t = 1; t < steps; t++) { float b = -1e30f;
        int at = 0; $unroll for (int j = 0; j < $m; j++) { float v = p[(t - 1) & 1][j] + move[j * $m + s]; if (v > b) { b = v; at = j; } }
            p[t & 1][s] = b + emit[t * $m + s]; back[t * $m + s] = at; __syncthreads(); } out[s] = p[(steps - 1) & 1][s];
}""", """__global__ void $bounds$k(const float *${restrict}a, const float *${restrict}b, float *${restrict}out, int band, int n) {
    $index float row[$m + 1]; $unroll for (int j = 0; j <= $m; j++) row[j] = j ? 1e30f : 0; $unroll for (int r = 0; r < band; r++)
        { float diag = row[0], v = a[i * band + r]; row[0] = 1e30f;
#pragma unroll
        for (int j = 0; j < $m; j++) { float q = v - b[j], u = row[j + 1]; row[j + 1] = q * q + fminf(fminf(u, row[j]), diag); diag = u; } }
            out[i] = row[$m];
}""", """__global__ void $bounds$k(int *cost, const int *${restrict}dim, int len, int n) { $index int j = i + len - 1; if (j >= n) return;
        int b = 0x7fffffff; $unroll for (int q = i; q < j; q++) b = min(b,
            cost[i * n + q] + cost[(q + 1) * n + j] + dim[i] * dim[q + 1] * dim[j + 1]); cost[i * n + j] = b; }""",
    """__global__ void $bounds$k(const float *${restrict}energy, float *${restrict}sum, int row, int w) {
        int x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= w) return; const float *p = sum + (row - 1) * w; float b = p[x];
            if (x > 0) b = fminf(b, p[x - 1]); if (x < w - 1) b = fminf(b, p[x + 1]); sum[row * w + x] = b + energy[row * w + x];
                }"""), k, t=t, m=d.of(8, 16, 32))


def automata(d, k):
    """Cells: life, life in bits, rules of one dimension, sand, forest fires, wires, Ising spins."""
    return d.cuda(d.of("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; if (c >= w || r >= h) return; int s = 0;
    @{$unroll for (int a = -1; a <= 1; a++) $unroll for (int b = -1; b <= 1; b++)
        if (a || b) s += x[(r + a + h) % h * w + (c + b + w) % w];@int u = (r ? r - 1 : h - 1) * w, v = (r + 1 < h ? r + 1 : 0) * w,
            p = c ? c - 1 : w - 1, q = c + 1 < w ? c + 1 : 0;
                s = x[u + p] + x[u + c] + x[u + q] + x[r * w + p] + x[r * w + q] + x[v + p] + x[v + c] + x[v + q];@}
                    y[r * w + c] = s == 3 || (s == 2 && x[r * w + c]);
}""", """__global__ void $bounds$k(const $u *${restrict}x, $u *${restrict}y, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (c >= w) return; $u one = 0, two = 0, four = 0;
    $unroll for (int a = -1; a <= 1; a++) { int q = (r + a + h) % h * w;
        $u m = x[q + c], l = m << 1 | x[q + (c + w - 1) % w] >> (sizeof($u) * 8 - 1), g = m >> 1 | x[q + (c + 1) % w] << (sizeof($u) * 8 - 1);
            $u v[3] = { l, a ? m : 0, g };
#pragma unroll
        for (int j = 0; j < 3; j++) { $u c1 = one & v[j]; one ^= v[j]; $u c2 = two & c1; two ^= c1; four |= c2; } }
    y[r * w + c] = ~four & two & (one | x[r * w + c]);
}""", """__global__ void $bounds$k(const $u *${restrict}x, $u *${restrict}y, unsigned rule, int words) { $index if (i >= words) return;
        $u m = x[i], l = m << 1 | x[i ? i - 1 : words - 1] >> 31, r = m >> 1 | x[i + 1 < words ? i + 1 : 0] << 31, v = 0; $unroll
        for (int j = 0; j < 8; j++)
            if (rule >> j & 1) v |= (j & 4 ? l : ~l) & (j & 2 ? m : ~m) & (j & 1 ? r : ~r); y[i] = v; }""",
    """__global__ void $bounds$k($t *x, int w, int h, int phase, unsigned seed) {
        int c = (blockIdx.x * blockDim.x + threadIdx.x) * 2 + (phase & 1), r = (blockIdx.y * blockDim.y + threadIdx.y) * 2 + (phase >> 1);
            if (c + 1 >= w || r + 1 >= h) return; int a = x[r * w + c], b = x[r * w + c + 1], e = x[(r + 1) * w + c], f = x[(r + 1) * w + c + 1];
                if (a && !e) { e = a; a = 0; } if (b && !f) { f = b; b = 0; } if (a && !f && e) { f = a; a = 0; } if (b && !e && f) { e = b; b = 0; }
                    @{if ((seed ^ c * 131 ^ r * 31) & 1) { int u = a; a = b; b = u; }@@} x[r * w + c] = a; x[r * w + c + 1] = b;
                        x[(r + 1) * w + c] = e; x[(r + 1) * w + c + 1] = f; }""",
    """__global__ void $bounds$k(signed char *x, const float *${restrict}chance, float beta, int w, int h, int colour) {
        int c = 2 * (blockIdx.x * blockDim.x + threadIdx.x), r = blockIdx.y * blockDim.y + threadIdx.y; c += (r + colour) & 1;
            if (c >= w || r >= h) return;
                int s = x[r * w + (c + 1) % w] + x[r * w + (c + w - 1) % w] + x[(r + 1) % h * w + c] + x[(r + h - 1) % h * w + c], v = x[r * w + c];
                    float e = 2.f * s * v; if (e <= 0 || chance[r * w + c] < @{__expf(-beta * e)@expf(-beta * e)@}) x[r * w + c] = -v; }""",
    """__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int w, int h) {
        int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
            if (c < 1 || r < 1 || c >= w - 1 || r >= h - 1) return; $t v = x[r * w + c]; switch (v) { case 1: y[r * w + c] = 2; break;
                case 2: y[r * w + c] = 3; break; case 3: { int s = 0; $unroll for (int j = 0; j < 9; j++)
                    s += x[(r + j / 3 - 1) * w + c + j % 3 - 1] == 1; y[r * w + c] = s == 1 || s == 2 ? 1 : 3; break; }
                        default: y[r * w + c] = v; }
                            }"""), k, t=d.of("unsigned char", "int", "char", "short"), u=d.of("unsigned", "unsigned", "unsigned long long"))


def puzzles(d, k):
    """Searches that go back: queens, sudoku, sums of subsets, tours, tic-tac-toe."""
    return d.cuda(d.of("""__global__ void $bounds$k(const uint3 *${restrict}start, unsigned *${restrict}count, int m, int n) {
    $index if (i >= n) return; unsigned cols[$m], left[$m], right[$m], free[$m], full = (1u << m) - 1, found = 0; int s = 0; cols[0] = start[i].x;
        left[0] = start[i].y; right[0] = start[i].z; free[0] = full & ~(cols[0] | left[0] | right[0]);
    while (s >= 0) { unsigned f = free[s]; if (!f) { s--; continue; } unsigned bit = f & -f; free[s] = f ^ bit; unsigned c = cols[s] | bit;
        if (c == full) { found++; continue; } cols[s + 1] = c; left[s + 1] = (left[s] | bit) << 1; right[s + 1] = (right[s] | bit) >> 1; s++;
            free[s] = full & ~(c | left[s] | right[s]); }
    @{count[i] = found;@atomicAdd(count, found);@}
}""", """__global__ void $bounds$k(const unsigned char *${restrict}in, unsigned char *${restrict}out, int n) {
    $index if (i >= n) return; unsigned short row[9] = {}, col[9] = {}, box[9] = {}; const unsigned char *p = in + i * 81; $unroll
        for (int j = 0; j < 81; j++)
        { int v = p[j]; if (v) { unsigned short b = 1 << v; row[j / 9] |= b; col[j % 9] |= b; box[j / 27 * 3 + j % 9 / 3] |= b; } }
    for (int j = 0; j < 81; j++) { unsigned m = ~(row[j / 9] | col[j % 9] | box[j / 27 * 3 + j % 9 / 3]) & 1022;
        out[i * 81 + j] = p[j] ? p[j] : __popc(m) == 1 ? __ffs(m) - 1 : 0; }
}""", """__global__ void $bounds$k(const int *${restrict}x, int *${restrict}hits, int target, int m) { $index int s = 0; $unroll
        for (int j = 0; j < @{m@$m@}; j++)
        if (i >> j & 1) s += x[j]; if (s == target) atomicAdd(hits, 1); }""",
    """__global__ void $bounds$k(const float2 *${restrict}city, const int *${restrict}tour, float *${restrict}gain, int2 *${restrict}move, int n) {
        __shared__ float bg[256]; int a = blockIdx.x, t = threadIdx.x; float best = 0; int at = -1;
            float2 p = city[tour[a]], q = city[tour[(a + 1) % n]]; $unroll for (int b = a + 2 + t; b < n; b += 256)
                { float2 u = city[tour[b]], v = city[tour[(b + 1) % n]];
                    float g = hypotf(p.x - q.x, p.y - q.y) + hypotf(u.x - v.x, u.y - v.y) - hypotf(p.x - u.x, p.y - u.y) - hypotf(q.x - v.x,
                        q.y - v.y); if (g > best) { best = g; at = b; } } bg[t] = best; __syncthreads(); for (int o = 128; o; o /= 2)
                            { if (t < o) bg[t] = fmaxf(bg[t], bg[t + o]); __syncthreads(); } if (bg[0] == best && at >= 0) { gain[a] = best;
                                move[a] = make_int2(a, at); } }""",
    """__global__ void $bounds$k(const unsigned *${restrict}board, int *${restrict}value, int n) { $index if (i >= n) return;
        unsigned x = board[i] & 511, o = board[i] >> 16 & 511; const unsigned line[8] = { 7, 56, 448, 73, 146, 292, 273, 84 }; int v = 0;
            $unroll for (int j = 0; j < 8; j++) { if ((x & line[j]) == line[j]) v = 1; if ((o & line[j]) == line[j]) v = -1;
                int a = __popc(x & line[j]), b = __popc(o & line[j]); @{v += (b ? 0 : a * a) - (a ? 0 : b * b);@@} } value[i] = v;
                    }"""), k, m=d.of(8, 12, 16, 20))


def work_queues(d, k):
    """Threads that take their work from a counter, push what they find, or wait for a lock."""
    t = d.of("int", "unsigned", "float")
    return d.cuda(d.of("""__device__ unsigned next_$k;
__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) { __shared__ int tile;
    while (true) { if (threadIdx.x == 0) tile = atomicAdd(&next_$k, 1); __syncthreads(); int at = tile; __syncthreads();
        if (at * $b >= n) @{return@break@}; $unroll for (int j = threadIdx.x; j < $b; j += blockDim.x)
            if (at * $b + j < n) y[at * $b + j] = x[at * $b + j] * 2 + 1; } }""",
    """__global__ void $bounds$k(const $t *${restrict}x, $t *queue, int *head, int *tail, $t *${restrict}y, int n) { int l = threadIdx.x & 31;
        while (true) { int at = 0; if (l == 0) at = atomicAdd(head, 32); at = __shfl_sync(~0u, at, 0) + l; if (at >= *(volatile int *)tail) return;
            $t v = queue[at]; y[at] = v; bool more = v > 1; unsigned m = __ballot_sync(__activemask(), more); int base = 0;
                if (l == __ffs(m) - 1) base = atomicAdd(tail, __popc(m)); base = __shfl_sync(__activemask(), base, __ffs(m) - 1);
                    if (more) queue[base + __popc(m & ((1u << l) - 1))] = v / 2; } }""",
    """__global__ void $bounds$k(const $t *${restrict}x, $t *sum, int *lock, int n) { $index if (i >= n) return; bool done = false;
        while (!done) { if (atomicCAS(lock, 0, 1) == 0) { __threadfence(); sum[0] += x[i]; sum[1] += 1; __threadfence(); atomicExch(lock, 0);
            done = true; } @{@else __nanosleep(100);@} } }""",
    """struct Ring_$k { $t data[$b]; unsigned head, tail; };
__global__ void $bounds$k(Ring_$k *r, const $t *${restrict}x, $t *${restrict}y, int n) { $index if (i >= n) return;
    if (blockIdx.x & 1) { unsigned at = atomicInc(&r->tail, $b - 1); r->data[at] = x[i]; __threadfence(); }
        else { unsigned at = atomicInc(&r->head, $b - 1); @{while (at == *(volatile unsigned *)&r->tail) ;@@} y[i] = r->data[at]; } }""",
    """__global__ void $bounds$k(const $t *${restrict}x, int *head, int2 *${restrict}link, unsigned *count, unsigned cells, int n) {
        $index if (i >= n) return; int c = (int)((unsigned)x[i] % cells), at = atomicAdd(count, 1); int old = atomicExch(&head[c], at);
            link[at] = make_int2(i, old); }""",
    """__global__ void $bounds$k(const int *${restrict}head, const int2 *${restrict}link, const $t *${restrict}x, $t *${restrict}y, int n) {
        $index if (i < n) { $t s = 0; for (int e = head[i]; e >= 0; e = link[e].y) s += x[link[e].x]; y[i] = s; }
            }"""), k, t=t, b=d.of(64, 256, 1024))


KINDS = [walk_levels, shortest_paths, rank_pages, triangles, colour_graph, union_find, sparse_formats, sparse_dense, sparse_solve, sparse_product,
        hash_table, bloom_filter, tree_walks, neighbours, all_pairs,
         tables_of_choices, automata, puzzles, work_queues]
