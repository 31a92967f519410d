"""Dense linear algebra: products, factors, solvers, rotations."""

TILES = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2), (3, 3), (4, 4), (6, 4), (4, 8), (8, 4), (5, 5), (6, 6), (8, 8)]


def real(d): return d.of("float", "float", "double")


def gemm_pipelined(d, k):
    """Next tile into registers while this one is multiplied, two buffers of shared memory."""
    t = real(d); tm, tn = d.of(*TILES); b = d.of(8, 16); kk = 8 if t == "double" and b * (tm + tn) > 96 else d.of(8, 16)
    per_a, per_b = max(1, b * tm * kk // (b * b)), max(1, b * tn * kk // (b * b))
    return d.cuda("""
__global__ void $bounds$k(int m, int n, int depth, const $t *$restrict A, const $t *$restrict B, $t *$restrict C, $t alpha, $t beta)
{
    __shared__ $t as[2][$kk][$bm @{@+ 1@+ 4@}], bs[2][$kk][$bn];
    const int tid = threadIdx.y * $b + threadIdx.x, row0 = blockIdx.y * $bm, col0 = blockIdx.x * $bn;
    $t acc[$tm][$tn] = {}, na[$pa], nb[$pb];
#pragma unroll
    for (int q = 0; q < $pa; q++) { int e = tid + q * $threads; as[0][e % $kk][e / $kk] = A[(row0 + e / $kk) * depth + e % $kk]; }
#pragma unroll
    for (int q = 0; q < $pb; q++) { int e = tid + q * $threads; bs[0][e / $bn][e % $bn] = B[(e / $bn) * n + col0 + e % $bn]; }
    __syncthreads();
    int cur = 0;
    for (int k0 = $kk; k0 <= depth; k0 += $kk) {
        if (k0 < depth) {
#pragma unroll
            for (int q = 0; q < $pa; q++) { int e = tid + q * $threads; na[q] = A[(row0 + e / $kk) * depth + k0 + e % $kk]; }
#pragma unroll
            for (int q = 0; q < $pb; q++) { int e = tid + q * $threads; nb[q] = B[(k0 + e / $bn) * n + col0 + e % $bn]; }
        }
$unroll
        for (int p = 0; p < $kk; p++)
#pragma unroll
            for (int i = 0; i < $tm; i++)
#pragma unroll
                for (int j = 0; j < $tn; j++) acc[i][j] += as[cur][p][threadIdx.y * $tm + i] * bs[cur][p][@{threadIdx.x * $tn + j@threadIdx.x
                    + j * $b@}];
        if (k0 < depth) {
#pragma unroll
            for (int q = 0; q < $pa; q++) { int e = tid + q * $threads; as[cur ^ 1][e % $kk][e / $kk] = na[q]; }
#pragma unroll
            for (int q = 0; q < $pb; q++) { int e = tid + q * $threads; bs[cur ^ 1][e / $bn][e % $bn] = nb[q]; }
            cur ^= 1;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < $tm; i++)
#pragma unroll
        for (int j = 0; j < $tn; j++) {
            $t *c = C + (row0 + threadIdx.y * $tm + i) * n + col0 + threadIdx.x * $tn + j;
            *c = alpha * acc[i][j] @{@+ beta * *c@};
        }
}""", k, t=t, tm=tm, tn=tn, b=b, kk=kk, bm=b * tm, bn=b * tn, pa=per_a, pb=per_b, threads=b * b)


def gemm_vector_loads(d, k):
    """float4 in and out of shared memory; a thread holds 4n x 4n results."""
    r = d.of(1, 1, 2); kk = d.of(4, 8)
    return d.cuda("""
__global__ void $bounds$k(const float *$restrict A, const float *$restrict B, float *$restrict C, int m, int n, int depth, float alpha)
{
    __shared__ float4 as[$kk][@{16 * $r@17 * $r@}], bs[$kk][16 * $r];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, lane = threadIdx.x;
    const float4 *a4 = reinterpret_cast<const float4 *>(A) + blockIdx.y * 16 * $r, *b4 = reinterpret_cast<const float4 *>(B) + blockIdx.x * 16 * $r;
    float4 acc[4 * $r][$r];
    for (int i = 0; i < 4 * $r; i++) for (int j = 0; j < $r; j++) acc[i][j] = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k0 = 0; k0 < depth; k0 += $kk) {
        for (int e = lane; e < $kk * 16 * $r; e += 256) {
            as[e / (16 * $r)][e % (16 * $r)] = a4[(k0 + e / (16 * $r)) * (m / 4) + e % (16 * $r)];
            bs[e / (16 * $r)][e % (16 * $r)] = b4[(k0 + e / (16 * $r)) * (n / 4) + e % (16 * $r)];
        }
        __syncthreads();
$unroll
        for (int p = 0; p < $kk; p++)
#pragma unroll
            for (int u = 0; u < $r; u++) {
                float4 a = as[p][ty + 16 * u];
#pragma unroll
                for (int v = 0; v < $r; v++) {
                    float4 b = bs[p][tx + 16 * v];
                    acc[4 * u][v].x += a.x * b.x; acc[4 * u][v].y += a.x * b.y; acc[4 * u][v].z += a.x * b.z; acc[4 * u][v].w += a.x * b.w;
                    acc[4 * u + 1][v].x += a.y * b.x; acc[4 * u + 1][v].y += a.y * b.y; acc[4 * u + 1][v].z += a.y * b.z;
                        acc[4 * u + 1][v].w += a.y * b.w;
                    acc[4 * u + 2][v].x += a.z * b.x; acc[4 * u + 2][v].y += a.z * b.y; acc[4 * u + 2][v].z += a.z * b.z;
                        acc[4 * u + 2][v].w += a.z * b.w;
                    acc[4 * u + 3][v].x += a.w * b.x; acc[4 * u + 3][v].y += a.w * b.y; acc[4 * u + 3][v].z += a.w * b.z;
                        acc[4 * u + 3][v].w += a.w * b.w;
                }
            }
        __syncthreads();
    }
    float4 *out = reinterpret_cast<float4 *>(C) + blockIdx.x * 16 * $r;
    for (int i = 0; i < 4 * $r; i++)
        for (int v = 0; v < $r; v++) {
            int row = (blockIdx.y * 16 * $r + ty + 16 * (i / 4)) * 4 + i % 4;
            float4 c = acc[i][v];
            c.x *= alpha; c.y *= alpha; c.z *= alpha; c.w *= alpha;
            @{out[row * (n / 4) + tx + 16 * v] = c;@if (row < m) out[row * (n / 4) + tx + 16 * v] = c;@}
        }
}""", k, r=r, kk=kk)


def gemm_transposed(d, k):
    """C = op(A) op(B) straight from global memory, with guards, a strip of results a thread."""
    a, b = d.of(("A[row * lda + p]", "B[p * ldb + col + j * $w]"), ("A[p * lda + row]", "B[p * ldb + col + j * $w]"), ("A[row * lda + p]", "B[(col + j * $w) * ldb + p]"),
                ("A[p * lda + row]", "B[(col + j * $w) * ldb + p]"))
    return d.cuda("""
__global__ void $bounds$k(@{int@unsigned@long@} m, int n, int depth, $t alpha, const $t *$restrict A, int lda, const $t *$restrict B, int ldb,
    $t beta, $t *$restrict C, int ldc)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * @{blockDim.x@$w@} * $s + threadIdx.x;
    if (row >= m) return;
    $t sum[$s];
    for (int j = 0; j < $s; j++) sum[j] = 0;
$unroll
    for (int p = 0; p < depth; p++) {
        $t x = $a;
#pragma unroll
        for (int j = 0; j < $s; j++) @{if (col + j * $w < n) @@}sum[j] += x * $b;
    }
#pragma unroll
    for (int j = 0; j < $s; j++)
        if (col + j * $w < n) C[row * ldc + col + j * $w] = alpha * sum[j] @{+ beta * C[row * ldc + col + j * $w]@@};
}""".replace("$a;", a + ";").replace("$b;", b + ";"), k, t=d.of("float", "double", "int"), s=d.of(1, 2, 3, 4, 6), w=d.of(16, 32))


def gemm_batched(d, k):
    """Many small products: a thread, or a block, has one."""
    n = d.of(2, 3, 4, 5, 6, 8)
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict A, const $t *$restrict B, $t *$restrict C, int batch)
{
    $index
    if (i >= batch) return;
    $t a[$n][$n], c[$n][$n];
#pragma unroll
    for (int r = 0; r < $n; r++)
#pragma unroll
        for (int q = 0; q < $n; q++) { a[r][q] = A[@{(i * $n + r) * $n + q@(r * $n + q) * (size_t)batch + i@}]; c[r][q] = 0; }
$unroll
    for (int q = 0; q < $n; q++)
#pragma unroll
        for (int j = 0; j < $n; j++) {
            $t b = B[@{(i * $n + q) * $n + j@(q * $n + j) * (size_t)batch + i@}];
#pragma unroll
            for (int r = 0; r < $n; r++) c[r][j] += a[r][q] * b;
        }
#pragma unroll
    for (int r = 0; r < $n; r++)
#pragma unroll
        for (int j = 0; j < $n; j++) C[(r * $n + j) * batch + i] = c[r][j];
}""", k, n=min(n, 6), t=real(d))
    return d.cuda("""
__global__ void $bounds$k($t *const *$restrict A, $t *const *$restrict B, $t *const *$restrict C, int n, $t alpha)
{
    __shared__ $t a[$n * 4][$n * 4 + 1], b[$n * 4][$n * 4];
    const $t *pa = A[blockIdx.x], *pb = B[blockIdx.x];
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = pa[y * n + x];
    b[y][x] = pb[y * n + x];
    __syncthreads();
    $t sum = 0;
$unroll
    for (int p = 0; p < @{n@$n * 4@}; p++) sum += a[y][p] * b[p][x];
    C[blockIdx.x][y * n + x] = alpha * sum;
}""", k, n=n, t=real(d))


def rank_update(d, k):
    """Symmetric update of one triangle: C -= A A^T, blocks above the diagonal leave."""
    b, r = d.of(8, 16), d.of(1, 2, 4)
    return d.cuda("""
__global__ void $bounds$k($t *$restrict C, const $t *$restrict A, int n, int depth, int ld)
{
    if (blockIdx.x @{> blockIdx.y@< blockIdx.y@}) return;
    __shared__ $t rows[$b * $r][$b + 1], cols[$b * $r][$b + 1];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * $b * $r, j0 = blockIdx.x * $b * $r;
    $t acc[$r][$r] = {};
    for (int p0 = 0; p0 < depth; p0 += $b) {
#pragma unroll
        for (int q = 0; q < $r; q++) {
            int i = i0 + ty + q * $b, j = j0 + ty + q * $b;
            rows[ty + q * $b][tx] = i < n && p0 + tx < depth ? A[i * ld + p0 + tx] : $t(0);
            cols[ty + q * $b][tx] = j < n && p0 + tx < depth ? A[j * ld + p0 + tx] : $t(0);
        }
        __syncthreads();
$unroll
        for (int p = 0; p < $b; p++)
#pragma unroll
            for (int u = 0; u < $r; u++)
#pragma unroll
                for (int v = 0; v < $r; v++) acc[u][v] += rows[ty + u * $b][p] * cols[tx + v * $b][p];
        __syncthreads();
    }
    for (int u = 0; u < $r; u++)
        for (int v = 0; v < $r; v++) {
            int i = i0 + ty + u * $b, j = j0 + tx + v * $b;
            if (i < n && j <= i) C[(size_t)i * ld + j] -= acc[u][v];
        }
}""", k, b=b, r=r, t=real(d))


def triangular_solve(d, k):
    """L x = b: a column of right-hand sides a thread, or the triangle in shared memory."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict L, $t *$restrict X, int n, int nrhs, int ld)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= nrhs) return;
    for (int i = @{0@n - 1@}; @{i < n; i++@i < n && i >= 0; i--@}) {
        $t s = X[(size_t)i * ld + c];
$unroll
        for (int j = 0; j < i; j++) s -= @{L[i * n + j]@__ldg(&L[i * n + j])@L[j * n + i]@} * X[(size_t)j * ld + c];
        X[(size_t)i * ld + c] = s @{/ L[i * n + i]@* L[i * n + i]@@};
    }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict L, $t *$restrict X, int n, int nrhs, int ld)
{
    __shared__ $t tri[$b][$b + 1];
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = threadIdx.x; e < $b * $b; e += blockDim.x) tri[e / $b][e % $b] = L[(e / $b) * ld + e % $b];
    __syncthreads();
    if (c >= nrhs) return;
    $t x[$b];
#pragma unroll
    for (int i = 0; i < $b; i++) x[i] = X[i * nrhs + c];
#pragma unroll
    for (int i = 0; i < $b; i++) {
        x[i] @{/= tri[i][i]@*= tri[i][i]@};
#pragma unroll
        for (int j = i + 1; j < $b; j++) x[j] -= tri[j][i] * x[i];
    }
#pragma unroll
    for (int i = 0; i < $b; i++) X[i * nrhs + c] = x[i];
}""", k, t=real(d), b=d.of(4, 6, 8, 12, 16))


def cholesky(d, k):
    """A panel in shared memory by a block, or a small matrix in the registers of a thread."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k($t *A, int batch)
{
    $index
    if (i >= batch) return;
    $t m[$n * ($n + 1) / 2];
#pragma unroll
    for (int e = 0; e < $n * ($n + 1) / 2; e++) m[e] = A[e * batch + i];
#pragma unroll
    for (int c = 0; c < $n; c++) {
        $t diag = m[c * (c + 1) / 2 + c];
#pragma unroll
        for (int p = 0; p < c; p++) diag -= m[c * (c + 1) / 2 + p] * m[c * (c + 1) / 2 + p];
        diag = @{sqrt(diag)@sqrt(fmax(diag, $t(1e-12)))@};
        m[c * (c + 1) / 2 + c] = diag;
        $t inv = 1 / diag;
#pragma unroll
        for (int r = c + 1; r < $n; r++) {
            $t s = m[r * (r + 1) / 2 + c];
#pragma unroll
            for (int p = 0; p < c; p++) s -= m[r * (r + 1) / 2 + p] * m[c * (c + 1) / 2 + p];
            m[r * (r + 1) / 2 + c] = s @{* inv@/ diag@};
        }
    }
#pragma unroll
    for (int e = 0; e < $n * ($n + 1) / 2; e++) A[e * batch + i] = m[e];
}""", k, t=real(d), n=d.of(3, 4, 5, 6, 8))
    return d.cuda("""
__global__ void $bounds$k($t *A, int ld, int *info)
{
    __shared__ $t s[$b][$b + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    A += (size_t)blockIdx.x * $b * (ld + @{0@1@});
    s[ty][tx] = A[ty * ld + tx];
    __syncthreads();
$unroll
    for (int c = 0; c < $b; c++) {
        if (tx == c && ty == c) { $t v = s[c][c]; if (v <= 0) atomicMin(info, c); s[c][c] = sqrt(v); }
        __syncthreads();
        if (tx == c && ty > c) s[ty][c] /= s[c][c];
        __syncthreads();
        if (tx > c && ty >= tx) s[ty][tx] -= s[ty][c] * s[tx][c];
        __syncthreads();
    }
    if (ty >= tx) A[ty * ld + tx] = s[ty][tx];
}""", k, t=real(d), b=d.of(8, 16, 32))


def lu_panel(d, k):
    """LU with pivots of one matrix in shared memory, rows exchanged."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict A, int *$restrict piv, int n, int ld)
{
    extern __shared__ __align__(16) unsigned char raw_${k}[];
    $t *s = reinterpret_cast<$t *>(raw_${k});
    __shared__ int best;
    int t = threadIdx.x, nt = @{blockDim.x@64@128@};
    for (int e = t; e < n * n; e += nt) s[e] = A[(size_t)blockIdx.x * n * n + e];
    __syncthreads();
    for (int c = 0; c < n - 1; c++) {
        @{if (t == 0) {
            int at = c; $t big = fabs(s[c * n + c]);
            for (int r = c + 1; r < n; r++) if (fabs(s[r * n + c]) > big) { big = fabs(s[r * n + c]); at = r; }
            best = at; piv[blockIdx.x * n + c] = at;
        }@if (t < 32) {
            int at = c; $t big = -1;
            for (int r = c + t; r < n; r += 32) { $t v = fabs(s[r * n + c]); if (v > big) { big = v; at = r; } }
            for (int o = 16; o; o /= 2) {
                $t v = __shfl_down_sync(~0u, big, o); int w = __shfl_down_sync(~0u, at, o);
                if (v > big) { big = v; at = w; }
            }
            if (t == 0) piv[blockIdx.x * n + c] = best = at;
        }@if (t == 0) best = c;@}
        __syncthreads();
        int p = best;
        if (p != c) for (int j = t; j < n; j += nt) { $t v = s[c * n + j]; s[c * n + j] = s[p * n + j]; s[p * n + j] = v; }
        __syncthreads();
        $t inv = 1 / s[c * n + c];
        for (int r = c + 1 + t; r < n; r += nt) {
            $t f = s[r * n + c] *= inv;
$unroll
            for (int j = c + 1; j < n; j++) s[r * n + j] -= f * s[c * n + j];
        }
        __syncthreads();
    }
    for (int e = t; e < n * n; e += nt) A[(size_t)blockIdx.x * n * n + e] = s[e];
}""", k, t=real(d))


def gauss_step(d, k):
    """One step of an elimination over a whole matrix, and the factors before it."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict m, $t *$restrict a, $t *$restrict b, int size, int step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    @{if (x >= size - 1 - step || y >= size - step) return;@if (x < size - 1 - step && y < size - step)@} {
        int row = x + step + 1;
        $t f = @{m[row * size + step]@a[row * size + step] / a[step * size + step]@m[size * (x + 1 + step) + step]@};
        a[row * size + y + step] -= f * a[step * size + y + step];
        if (y == 0) b[row] -= f * b[step];
    }
}""", k, t=real(d))


def gauss_jordan(d, k):
    """Inverse of a small matrix in registers."""
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict out, int batch)
{
    $index
    if (i >= batch) return;
    $t a[$n][$n], v[$n][$n];
#pragma unroll
    for (int r = 0; r < $n; r++)
#pragma unroll
        for (int c = 0; c < $n; c++) { a[r][c] = in[i * $n * $n + r * $n + c]; v[r][c] = r == c; }
#pragma unroll
    for (int p = 0; p < $n; p++) {
        $t inv = @{1 / a[p][p]@$t(1) / (a[p][p] + $t(1e-9))@};
#pragma unroll
        for (int c = 0; c < $n; c++) { a[p][c] *= inv; v[p][c] *= inv; }
#pragma unroll
        for (int r = 0; r < $n; r++)
            if (r != p) {
                $t f = a[r][p];
#pragma unroll
                for (int c = 0; c < $n; c++) { a[r][c] -= f * a[p][c]; v[r][c] -= f * v[p][c]; }
            }
    }
#pragma unroll
    for (int r = 0; r < $n; r++)
#pragma unroll
        for (int c = 0; c < $n; c++) out[i * $n * $n + r * $n + c] = v[r][c];
}""", k, t=real(d), n=d.of(2, 3, 4, 5))


def tridiagonal(d, k):
    """Thomas' algorithm a thread, or cyclic reduction in shared memory."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict a, const $t *$restrict b, const $t *$restrict c, $t *$restrict x, $t *$restrict w, int n, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    $t cp = c[s] / b[s], dp = x[s] / b[s];
    w[s] = cp; x[s] = dp;
$unroll
    for (int j = 1; j < n; j++) {
        int e = @{j * systems + s@s * n + j@};
        $t m = 1 / (b[e] - a[e] * cp);
        cp = c[e] * m;
        dp = (x[e] - a[e] * dp) * m;
        w[e] = cp; x[e] = dp;
    }
$unroll
    for (int j = n - 2; j >= 0; j--) { int e = @{j * systems + s@s * n + j@}; dp = x[e] - w[e] * dp; x[e] = dp; }
}""", k, t=real(d))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict ga, const $t *$restrict gb, const $t *$restrict gc, const $t *$restrict gd, $t *$restrict gx)
{
    __shared__ $t a[$n], b[$n], c[$n], r[$n];
    int t = threadIdx.x, e = blockIdx.x * $n + t;
    a[t] = ga[e]; b[t] = gb[e]; c[t] = gc[e]; r[t] = gd[e];
    __syncthreads();
$unroll
    for (int s = 1; s < $n; s *= 2) {
        int lo = max(t - s, 0), hi = min(t + s, $n - 1);
        $t f = a[t] / b[lo], g = c[t] / b[hi];
        $t nb = b[t] - c[lo] * f - a[hi] * g, nr = r[t] - r[lo] * f - r[hi] * g, na = -a[lo] * f, nc = -c[hi] * g;
        __syncthreads();
        a[t] = na; b[t] = nb; c[t] = nc; r[t] = nr;
        __syncthreads();
    }
    gx[e] = r[t] / b[t];
}""", k, t=real(d), n=d.of(64, 128, 256))


def gemv(d, k):
    """A row a thread, a warp or a block; a vector in shared memory; wide loads."""
    o = d.n(0, 3)
    if o == 0:
        return d.cuda("""
__global__ void $bounds$k(int m, int n, $t alpha, const $t *$restrict A, int lda, const $t *$restrict x, $t beta, $t *$restrict y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ $t xs[$b];
    $t sum = 0;
    for (int j0 = 0; j0 < n; j0 += $b) {
        if (threadIdx.x < $b && j0 + threadIdx.x < n) xs[threadIdx.x] = x[j0 + threadIdx.x];
        __syncthreads();
$unroll
        for (int j = 0; j < $b; j++) sum += A[@{(size_t)(j0 + j) * lda + row@row * lda + j0 + j@}] * xs[j];
        __syncthreads();
    }
    if (row < m) y[row] = alpha * sum @{@+ beta * y[row]@};
}""", k, t=real(d), b=d.of(32, 64, 128))
    if o == 1:
        return d.cuda("""
__global__ void $bounds$k(int m, int n, const $t *$restrict A, const $t *$restrict x, $t *$restrict y)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    @{if (warp >= m) return;@for (int row = warp * $r; row + $r <= m; row += gridDim.x * blockDim.x / 32 * $r)@} {
        int base = warp * $r;
        $t sum[$r] = {};
$unroll
        for (int j = lane; j < n; j += 32) {
            $t v = @{x[j]@__ldg(x + j)@};
#pragma unroll
            for (int r = 0; r < $r; r++) sum[r] += A[(base + r) * (size_t)n + j] * v;
        }
#pragma unroll
        for (int r = 0; r < $r; r++) {
            for (int o = 16; o > 0; o >>= 1) sum[r] += @{__shfl_down_sync@__shfl_xor_sync@}(0xffffffffu, sum[r], o);
            if (lane == 0) y[base + r] = sum[r];
        }
    }
}""", k, t=real(d), r=d.of(1, 2, 3, 4, 8))
    if o == 2:
        return d.cuda("""
__global__ void $bounds$k(const $v *$restrict A, const $v *$restrict x, float *$restrict y, int n)
{
    __shared__ float part[$b / 32];
    const $v *row = A + (size_t)blockIdx.x * (n / 4);
    float sum = 0.f;
$unroll
    for (int j = threadIdx.x; j < n / 4; j += $b) { $v a = row[j], b = x[j]; sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < $b / 32; w++) sum += part[w];
        @{y[blockIdx.x] = sum;@atomicAdd(y + blockIdx.x, sum);@}
    }
}""", k, v=d.of("float4", "float4", "double4", "int4", "short4", "uchar4"), b=d.of(64, 128, 256))
    return d.cuda("""
__global__ void $bounds$k(const $t *$restrict A, const $t *$restrict p, const $t *$restrict r, $t *$restrict q, $t *$restrict s, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < @{nx@ny@}) {
        $t a = 0, b = 0;
$unroll
        for (int j = 0; j < ny; j++) { $t v = A[i * ny + j]; a += v * p[j]; @{b += A[j * ny + i] * r[j];@b += v * v;@b += v * r[j];@} }
        q[i] = a; s[i] @{=@+=@} b;
    }
}""", k, t=real(d))


def givens_rotations(d, k):
    """Rotations over pairs of rows or columns of a matrix."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict A, $t *$restrict Q, const $t *$restrict cs, const $t *$restrict sn, int n, int first, int count)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n) return;
    $t upper = A[(size_t)first * n + col] @{@, uq = Q[first * n + col]@};
$unroll
    for (int j = 0; j < count; j++) {
        size_t e = (size_t)(first + j + 1) * n + col;
        $t lower = A[e], c = cs[j], s = sn[j];
        A[e - n] = c * upper + s * lower;
        upper = c * lower - s * upper;
        Q[e] = @{s * Q[e]@c * Q[e] - s * Q[e - n]@};
    }
    A[(size_t)(first + count) * n + col] = upper;
}""", k, t=real(d))


def jacobi_eigen(d, k):
    """Eigenvalues of symmetric matrices of 3 (or 4) by cyclic rotations."""
    n = d.of(2, 3, 3, 4)
    return d.cuda("""
__device__ __forceinline__ void rotate_${k}($t (&a)[$n][$n], $t (&v)[$n][$n], int p, int q)
{
    $t apq = a[p][q];
    if (@{fabs(apq) < $t(1e-12)@apq == 0@}) return;
    $t theta = (a[q][q] - a[p][p]) / (2 * apq);
    $t t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    $t c = @{rsqrt(t * t + 1)@1 / sqrt(t * t + 1)@}, s = t * c;
    a[p][p] -= t * apq; a[q][q] += t * apq; a[p][q] = a[q][p] = 0;
#pragma unroll
    for (int r = 0; r < $n; r++) {
        if (r != p && r != q) { $t x = a[r][p], y = a[r][q]; a[r][p] = a[p][r] = c * x - s * y; a[r][q] = a[q][r] = s * x + c * y; }
        $t x = v[r][p], y = v[r][q]; v[r][p] = c * x - s * y; v[r][q] = s * x + c * y;
    }
}
__global__ void $bounds$k(const $t *$restrict in, $t *$restrict values, $t *$restrict vectors, int count)
{
    $index
    if (i >= count) return;
    $t a[$n][$n], v[$n][$n];
#pragma unroll
    for (int r = 0; r < $n; r++)
#pragma unroll
        for (int c = 0; c < $n; c++) { a[r][c] = in[(i * $n + r) * $n + c]; v[r][c] = r == c ? 1 : 0; }
    for (int sweep = 0; sweep < @{4@6@8@}; sweep++)
#pragma unroll
        for (int p = 0; p < $n - 1; p++)
#pragma unroll
            for (int q = p + 1; q < $n; q++) rotate_${k}(a, v, p, q);
    for (int r = 0; r < $n; r++) {
        values[i * $n + r] = a[r][r];
        @{for (int c = 0; c < $n; c++) vectors[(i * $n + r) * $n + c] = v[r][c];@@}
    }
}""", k, t=real(d), n=n)


def jacobi_solver(d, k):
    """x' = (b - (A - D) x) / D, with what it changed; rows dense or of diagonals."""
    if d.of(0, 1):
        return d.cuda("""
__global__ void $bounds$k(const $t *$restrict A, const $t *$restrict b, const $t *$restrict x, $t *$restrict next, $t *$restrict change, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    $t s = 0;
$unroll
    for (int j = 0; j < n; j++) @{if (j != i) s += A[i * n + j] * x[j];@s += A[j * n + i] * x[j];@}
    $t v = (b[i] - s) / A[i * n + i];
    next[i] = v;
    @{change[i] = fabs(v - x[i]);@atomicAdd(change, fabs(v - x[i]));@}
}""", k, t=real(d))
    m = d.of(3, 5, 7, 9)
    return d.cuda("""
__constant__ int offset_${k}[$m];
__global__ void $bounds$k(const $t *$restrict diags, const $t *$restrict b, const $t *$restrict x, $t *$restrict next, int n, $t omega)
{
    $index
    if (i >= n) return;
    $t s = b[i], d = 1;
$unroll
    for (int j = 0; j < $m; j++) {
        @{int@long long@} c = i + offset_${k}[j];
        $t a = diags[j * n + i];
        if (offset_${k}[j] == 0) d = a;
        else if (c >= 0 && c < n) s -= a * x[c];
    }
    next[i] = x[i] + omega * (s / d - x[i]);
}""", k, t=real(d), m=m)


def householder(d, k):
    """A reflection made of a column, then applied to the others."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict A, $t *$restrict tau, int m, int n, int step)
{
    __shared__ $t part[$b], scale, beta;
    int t = threadIdx.x;
    $t *v = A + (size_t)step * m;
    $t norm = 0;
$unroll
    for (int i = step + 1 + t; i < m; i += $b) norm += v[i] * v[i];
    part[t] = norm;
    __syncthreads();
    for (int o = $b / 2; o; o >>= 1) { if (t < o) part[t] += part[t + o]; __syncthreads(); }
    if (t == 0) {
        $t alpha = v[step], s = sqrt(alpha * alpha + part[0]);
        s = alpha > 0 ? -s : s;
        scale = 1 / (alpha - s); beta = (s - alpha) / s;
        tau[step] = beta;
    }
    __syncthreads();
    int col = step + 1 + blockIdx.x;
    if (col >= n) return;
    $t *c = A + (size_t)col * m, dot = t == 0 ? c[step] : $t(0), f = scale;
$unroll
    for (int i = step + 1 + t; i < m; i += $b) dot += f * v[i] * c[i];
    part[t] = dot;
    __syncthreads();
    for (int o = $b / 2; o; o >>= 1) { if (t < o) part[t] += part[t + o]; __syncthreads(); }
    dot = beta * part[0];
    if (t == 0) c[step] -= dot;
$unroll
    for (int i = step + 1 + t; i < m; i += $b) c[i] -= dot * f * v[i];
}""", k, t=real(d), b=d.of(64, 128, 256))


def vector_updates(d, k):
    """Steps of conjugate gradients: several vectors updated, a dot product beside."""
    return d.cuda("""
__global__ void $bounds$k($t *$restrict x, $t *$restrict r, $t *$restrict p, const $t *$restrict q, const $t *rho, const $t *pq, $t beta, $t *dot,
    int n)
{
    __shared__ $t part[32];
    $t alpha = *rho / *pq, sum = 0;
$unroll
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        $t pi = p[i], ri = r[i] - alpha * q[i];
        @{x[i] += alpha * pi;@x[i] = fma(alpha, pi, x[i]); p[i] = ri + beta * pi;@}
        r[i] = ri;
        sum += ri * ri;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : $t(0);
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
        if (threadIdx.x == 0) @{atomicAdd(dot, sum)@dot[blockIdx.x] = sum@};
    }
}""", k, t=real(d))


KINDS = [gemm_pipelined, gemm_vector_loads, gemm_transposed, gemm_batched, rank_update, triangular_solve, cholesky, lu_panel, gauss_step, gauss_jordan,
         tridiagonal, gemv, givens_rotations, jacobi_eigen, jacobi_solver, householder, vector_updates]
