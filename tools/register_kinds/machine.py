"""What one has to ask the hardware for: matrices, copies that overlap, barriers, clusters, groups, textures."""


def since(sm, text):
    """For sm and later only."""
    return f"#if __CUDA_ARCH__ >= {sm}0\n{text}\n#endif"


SHARED = "__device__ __forceinline__ unsigned at_$k(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }\n"


def mma_inline(d, k):
    """mma.sync in assembly: types, tiles a warp, fragments from shared or global memory."""
    sm, shape, ab, acc, na, nb, nc, t = d.of((75, "m16n8k8", "f16.f16", "f32", 2, 1, 4, "f"), (80, "m16n8k16", "f16.f16", "f32", 4, 2, 4, "f"), (80,
        "m16n8k16", "bf16.bf16", "f32", 4, 2, 4, "f"), (80, "m16n8k8", "tf32.tf32", "f32", 4, 2, 4, "f"), (80, "m16n8k16", "f16.f16", "f16", 4, 2,
        2, "r"),
                                             (80, "m16n8k32", "s8.s8", "s32", 4, 2, 4, "r"), (80, "m8n8k4", "f64.f64", "f64", 1, 1, 2, "d"), (75,
        "m8n8k16", "s8.s8", "s32", 1, 1, 2, "r"), (80, "m16n8k256", "b1.b1", "s32", 4, 2, 4, "r"))
    a, b = d.of((1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (1, 4)); ct = {"f": "float", "r": "int",
        "d": "double"}[t]; it = "double" if t == "d" else "unsigned"; ic = "d" if t == "d" else "r"
    name = f"mma.sync.aligned.{shape}.row.col.{acc}.{ab}.{acc}" + (".and.popc" if "b1" in ab else "")
    ops = lambda p, n, s: "{" + ", ".join(f"%{s + j}" for j in range(n)) + "}"
    asm = (f'asm volatile("{name} {ops("c", nc, 0)}, {ops("a", na, nc)}, {ops("b", nb, nc + na)}, {ops("c", nc, 0)};" : ' +
        ", ".join(f'"+{t}"(c[m][n][{j}])' for j in range(nc)) + " : " + ", ".join([f'"{ic}"(a[m][{j}])' for j in range(na)] +
        [f'"{ic}"(b[n][{j}])' for j in range(nb)]) + ");")
    load = d.of("a[m][j] = A[((size_t)(row + m * 16) * kx + q) / 2 + l * $na + j]", "a[m][j] = sa[(m * $na + j) * 32 + l]", "a[m][j] = "
        "A[(row + m * 16 + l / 4 + (j & 1) * 8) * (kx / 2) + q / 2 + l % 4 + (j / 2) * 4]"); shared = "sa[" in load
    text = """__global__ void $bounds$k(const $it *${restrict}A, const $it *${restrict}B, $ct *${restrict}C, int ldc, int kx) {
    """ + ("__shared__ $it sa[$a * $na * 32], sb[$b * $nb * 32]; " if shared else "") + """int l = threadIdx.x & 31, w = threadIdx.x >> 5,
        row = blockIdx.y * $a * 16, col = (blockIdx.x * (blockDim.x >> 5) + w) * $b * 8; $ct c[$a][$b][$nc] = {};
    $unroll for (int q = 0; q < kx; q += 16) { $it a[$a][$na], b[$b][$nb]; """ + (
        "for (int j = threadIdx.x; j < $a * $na * 32; j += blockDim.x) sa[j] = A[q * 64 + j]; "
        "for (int j = threadIdx.x; j < $b * $nb * 32; j += blockDim.x) sb[j] = B[q * 64 + j]; __syncthreads();" if shared else "") + """
#pragma unroll
        for (int m = 0; m < $a; m++)
#pragma unroll
            for (int j = 0; j < $na; j++) """ + load + """;
#pragma unroll
        for (int n = 0; n < $b; n++)
#pragma unroll
            for (int j = 0; j < $nb; j++)
                b[n][j] = """ + ("sb[(n * $nb + j) "
        "* 32 + l]" if shared else "B[(col + n * 8 + l / 4) * (kx / 2) + q / 2 + l % 4 + j * 4]") + """;
#pragma unroll
        for (int m = 0; m < $a; m++)
#pragma unroll
            for (int n = 0; n < $b; n++) """ + asm + ("\n        __syncthreads();" if shared else "") + """ }
#pragma unroll
    for (int m = 0; m < $a; m++)
#pragma unroll
        for (int n = 0; n < $b; n++)
#pragma unroll
            for (int j = 0; j < $nc; j++) C[(row + m * 16 + l / 4 + j / 2 * 8) * ldc + col + n * 8 + l % 4 * 2 + (j & 1)] = c[m][n][j];
}"""
    return since(sm, d.cuda(text, k, a=a, b=b, na=na, nb=nb, nc=nc, it=it, ct=ct))


def ldmatrix_tiles(d, k):
    """ldmatrix, cp.async and mma of 16 bits: the loop of a matrix product."""
    a, b = d.of((1, 2), (2, 2), (2, 4), (4, 4), (1, 4), (2, 8)); kk = d.of(16, 32); st = d.of(1, 2, 3)
    return since(80, d.cuda(SHARED + """__global__ void $bounds$k(const __half *${restrict}A, const __half *${restrict}B, @{float@__half@}
        *${restrict}C, int m, int n, int kx) {
    __shared__ __align__(16) __half sa[$st][$a * 16 * 2][$kk + @{8@0@}], sb[$st][$b * 8 * 2][$kk + @{8@0@}];
        int t = threadIdx.x, l = t & 31, w = t >> 5, wr = w & 1, wc = w >> 1; float c[$a][$b][4] = {};
    const __half *ga = A + (size_t)blockIdx.y * $a * 32 * kx, *gb = B + (size_t)blockIdx.x * $b * 16 * kx;
    auto copy = [&](int s, int q) {
        $unroll for (int j = t; j < $a * 32 * $kk / 8; j += blockDim.x)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at_$k(&sa[s][j / ($kk / 8)][j % ($kk / 8) * 8])),
                "l"(ga + (size_t)(j / ($kk / 8)) * kx + q + j % ($kk / 8) * 8));
        $unroll for (int j = t; j < $b * 16 * $kk / 8; j += blockDim.x)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at_$k(&sb[s][j / ($kk / 8)][j % ($kk / 8) * 8])),
                "l"(gb + (size_t)(j / ($kk / 8)) * kx + q + j % ($kk / 8) * 8));
        asm volatile("cp.async.commit_group;"); };
    for (int s = 0; s < $st - 1; s++) copy(s, s * $kk);
    for (int q = 0, s = 0; q < kx; q += $kk, s = (s + 1) % $st) {
        if (q + ($st - 1) * $kk < kx) copy((s + $st - 1) % $st, q + ($st - 1) * $kk); asm volatile("cp.async.wait_group %0;" :: "n"($st - 1));
            __syncthreads();
#pragma unroll
        for (int h = 0; h < $kk; h += 16) { unsigned a[$a][4], b[$b][2];
#pragma unroll
            for (int i = 0; i < $a; i++) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[i][0]),
                "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(at_$k(&sa[s][(wr * $a + i) * 16 + (l & 15)][h + (l >> 4) * 8])));
#pragma unroll
            for (int i = 0; i < $b; i++) asm volatile("ldmatrix.sync.aligned.m8n8.x2@{@.trans@}.shared.b16 {%0, %1}, [%2];" : "=r"(b[i][0]),
                "=r"(b[i][1]) : "r"(at_$k(&sb[s][(wc * $b + i) * 8 % ($b * 16) + (l & 7)][h + (l >> 3 & 1) * 8])));
#pragma unroll
            for (int i = 0; i < $a; i++)
#pragma unroll
                for (int j = 0; j < $b; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
                        : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1])); }
        __syncthreads(); }
#pragma unroll
    for (int i = 0; i < $a; i++)
#pragma unroll
        for (int j = 0; j < $b; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                C[(size_t)((blockIdx.y * 2 + wr) * $a * 16 + i * 16 + l / 4 + e / 2 * 8) * n +
                    (blockIdx.x * 2 + wc) * $b * 8 + j * 8 + l % 4 * 2 + (e & 1)] = c[i][j][e];
}""", k, a=a, b=b, kk=kk, st=st))


def wmma_types(d, k):
    """Fragments of other types and shapes than half of 16 x 16."""
    sm, m, n, kk, t, mem, acc = d.of((75, 16, 16, 16, "signed char", "signed char", "int"), (75, 32, 8, 16, "half", "half", "float"), (75, 8, 32,
        16, "half", "half", "float"), (80, 16, 16, 16, "__nv_bfloat16", "__nv_bfloat16", "float"), (80, 16, 16, 8, "precision::tf32", "float",
        "float"), (80, 8, 8, 4, "double", "double", "double"), (75, 16, 16, 16, "unsigned char", "unsigned char", "int"))
    a, b = d.of((1, 1), (2, 1), (2, 2), (4, 2)); shared = d.of(True, False)
    return since(sm, d.cuda("""__global__ void $bounds$k(const $mem *${restrict}A, const $mem *${restrict}B, const $acc *${restrict}C,
        $acc *${restrict}D, int n, int kx, $acc alpha) {
    using namespace nvcuda::wmma; """ + ("__shared__ $mem sa[$a * $m * $kk], sb[$b * $n * $kk]; " if shared else "") +
        """int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, r = blockIdx.y; fragment<accumulator, $m, $n, $kk, $acc> c[$a][$b];
    for (int i = 0; i < $a; i++) for (int j = 0; j < $b; j++) @{fill_fragment(c[i][j], $acc(0));@load_matrix_sync(c[i][j],
        C + (r * $a + i) * $m * n + (w * $b + j) * $n, n, mem_row_major);@}
    @{@#pragma unroll 1@}
    for (int q = 0; q < kx; q += $kk) { fragment<matrix_a, $m, $n, $kk, $t, row_major> x[$a];
        fragment<matrix_b, $m, $n, $kk, $t, @{row_major@col_major@}> y[$b];
        """ + ("for (int j = threadIdx.x; j < $a * $m * $kk; j += blockDim.x) sa[j] = A[(r * $a * $m + j / $kk) * kx + q + j % $kk]; for (int j = "
        "threadIdx.x; j < $b * $n * $kk; j += blockDim.x) sb[j] = B[q * n + j]; __syncthreads();" if shared else "") + """
        for (int i = 0; i < $a; i++) load_matrix_sync(x[i], """ + ("sa + i * $m * $kk, $kk" if shared else "A + (r * $a + i) * $m * kx + q, "
        "kx") + "); for (int j = 0; j < $b; j++) load_matrix_sync(y[j], " + ("sb + j * $n * $kk, $kk" if shared else "B + q * n + (w * $b + j) * $n, "
        "n") + """);
        for (int i = 0; i < $a; i++) for (int j = 0; j < $b; j++) mma_sync(c[i][j], x[i], y[j], c[i][j]); @{__syncthreads();@@} }
    for (int i = 0; i < $a; i++) for (int j = 0; j < $b; j++) { @{for (int e = 0; e < c[i][j].num_elements; e++) c[i][j].x[e] *= alpha;@@}
        store_matrix_sync(D + (r * $a + i) * $m * n + (w * $b + j) * $n, c[i][j], n, mem_row_major); }
}""", k, m=m, n=n, kk=kk, t=t, mem=mem, acc=acc, a=a, b=b))


def async_stages(d, k):
    """cp.async in assembly: rings of tiles, stencils, sums, products with a vector."""
    t, z = d.of(("float", 4), ("float4", 16), ("float2", 8), ("int", 4), ("double2", 16)); add = "a += v;" if t in ("float",
        "int") else "a += v.x * v.y;"
    return since(80, d.cuda(SHARED + """__global__ void $bounds$k(const $t *${restrict}x, float *${restrict}y, int tiles, int n) {
    __shared__ __align__(16) $t s[$st][$b]; int t = threadIdx.x; float a = 0;
    auto fetch = [&](int j) { if (j < tiles@{
        && t < n@@}) asm volatile("cp.async.@{ca@ca@}.shared.global [%0], [%1], $z;" :: "r"(at_$k(&s[j % $st][t])),
            "l"(x + (size_t)(blockIdx.x * tiles + j) * $b + t)); asm volatile("cp.async.commit_group;"); };
    $unroll for (int j = 0; j < $st - 1; j++) fetch(j);
    $unroll for (int j = 0; j < tiles; j++) { fetch(j + $st - 1); asm volatile("cp.async.wait_group %0;" :: "n"($st - 1)); __syncthreads();
        $t v = s[j % $st][@{t@(t + 1) % $b@$b - 1 - t@}]; """ + add + """ @{y[(size_t)(blockIdx.x * tiles + j) * $b + t] = a;@@}
        @{__syncthreads();@@} }
    y[blockIdx.x * $b + t] = a;
}""", k, t=t, z=z, st=d.of(2, 3, 4, 5), b=d.of(64, 128, 256)))


def named_barriers(d, k):
    """Warps that make and warps that use, in assembly: bar.sync of some threads, arrive, elections."""
    t = d.of("float", "int", "double")
    return d.cuda("""__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int tiles, int n) {
    __shared__ $t s[2][$b]; int t = threadIdx.x, role = t / $b, l = t % $b; $t a = 0;
    if (role == 0) { $unroll for (int j = 0; j < tiles; j++) { asm volatile("bar.sync %0, %1;" :: "r"(3 + (j & 1)), "n"(2 * $b) : "memory");
        s[j & 1][l] = x[(size_t)(blockIdx.x * tiles + j) * $b + l]; __threadfence_block();
            asm volatile("bar.arrive %0, %1;" :: "r"(1 + (j & 1)), "n"(2 * $b) : "memory"); } }
    else { asm volatile("bar.arrive 3, %0;" :: "n"(2 * $b)); asm volatile("bar.arrive 4, %0;" :: "n"(2 * $b)); $unroll for (int j = 0; j < tiles; j++)
        { asm volatile("bar.sync %0, %1;" :: "r"(1 + (j & 1)), "n"(2 * $b) : "memory");
            a += s[j & 1][l] * @{s[j & 1][(l + 1) % $b]@2@s[j & 1][$b - 1 - l]@};
                asm volatile("bar.arrive %0, %1;" :: "r"(3 + (j & 1)), "n"(2 * $b) : "memory"); } y[blockIdx.x * $b + l] = a; }
    @{if (__syncthreads_or(a > 100)) y[0] = a;@if (__syncthreads_count(a > 0) > n) y[0] = a;@if (__syncthreads_and(a > 0)) y[1] = a;@@}
}""", k, t=t, b=d.of(32, 64, 128))


def bulk_copies(d, k):
    """mbarrier and cp.async.bulk of a line, in assembly."""
    t = d.of("float", "float4", "int", "double"); add = "a += s[q % $st][j].x + s[q % $st][j].w;" if t == "float4" else "a += s[q % $st][j];"
    return since(90, d.cuda(SHARED + """__device__ __forceinline__ void wait_$k(unsigned long long *b, unsigned phase) {
    unsigned done = 0;
    while (!done) asm volatile("{\\n.reg .pred p;\\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\\nselp.u32 %0, 1, 0, p;\\n}" : "=r"(done)
        : "r"(at_$k(b)), "r"(phase) : "memory"); }
__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, float *${restrict}out, int tiles) {
    __shared__ __align__(128) $t s[$st][$n]; __shared__ unsigned long long bar[$st]; int t = threadIdx.x; float a = 0; if (t == 0)
        for (int j = 0; j < $st; j++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at_$k(&bar[j]))); __syncthreads();
    auto fetch = [&](int q) { if (t == 0 && q < tiles) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at_$k(&bar[q % $st])), "r"((int)sizeof(s[0])) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(at_$k(s[q % $st])),
                "l"(x + (size_t)(blockIdx.x * tiles + q) * $n), "r"((int)sizeof(s[0])), "r"(at_$k(&bar[q % $st])) : "memory"); } };
    for (int q = 0; q < $st - 1; q++) fetch(q);
    for (int q = 0; q < tiles; q++) { fetch(q + $st - 1); wait_$k(&bar[q % $st], q / $st & 1); $unroll for (int j = t; j < $n; j += blockDim.x)
        { """ + add + """ } @{__syncthreads(); if (t == 0) { asm volatile("fence.proxy.async.shared::cta;");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(y + (size_t)(blockIdx.x * tiles + q) * $n),
            "r"(at_$k(s[q % $st])), "r"((int)sizeof(s[0])) : "memory"); asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;");
                }@@} __syncthreads(); }
    out[blockIdx.x * blockDim.x + t] = a;
}""", k, t=t, st=d.of(1, 2, 3, 4), n=d.of(128, 256, 512)))


def clusters(d, k):
    """Blocks of a cluster read each other's shared memory."""
    t = d.of("float", "int", "double"); c = d.of(2, 4, 8)
    return since(90, d.cuda("__global__ void __cluster_dims__($c, 1, 1) $bounds$k(const $t *${restrict}x, $t *${restrict}y, int n) "
        "{\n    namespace cg = cooperative_groups; auto cl = cg::this_cluster(); __shared__ $t s[$b]; int t = threadIdx.x; unsigned r = "
        "cl.block_rank(); " + d.of(
        "$t a = 0; $unroll for (int i = blockIdx.x * $b + t; i < n; i += gridDim.x * $b) a += x[i]; s[t] = a; cl.sync(); for (int o = $b / 2; o; "
        "o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); } cl.sync(); if (r == 0 && t == 0) { a = 0; $unroll for (int j = 0; j < $c; j++) "
        "a += *cl.map_shared_rank(s, j); y[blockIdx.x / $c] = a; } cl.sync();",
        "s[t] = x[blockIdx.x * $b + t]; cl.sync(); $t *left = cl.map_shared_rank(s, (r + $c - 1) % $c), *right = cl.map_shared_rank(s, (r + 1) "
        "% $c); $t a = t ? s[t - 1] : left[$b - 1], b = t < $b - 1 ? s[t + 1] : right[0]; y[blockIdx.x * $b + t] = a - 2 * s[t] + b; cl.sync();",
        "for (int j = t; j < $b; j += blockDim.x) s[j] = 0; cl.sync(); $unroll for (int i = blockIdx.x * blockDim.x + t; i < n; i += "
        "gridDim.x * blockDim.x) { int q = (int)x[i] & ($b * $c - 1); atomicAdd((int *)cl.map_shared_rank((int *)s, q / $b) + q % $b, 1); } "
        "cl.sync(); for (int j = t; j < $b; j += blockDim.x) y[r * $b + j] = s[j];",
        "s[t] = x[blockIdx.x * $b + t]; asm volatile(\"barrier.cluster.arrive.aligned;\\nbarrier.cluster.wait.aligned;\" ::: \"memory\"); "
        "unsigned p, q = (unsigned)__cvta_generic_to_shared(&s[t]), v; asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(p) : \"r\"(q), "
        "\"r\"(r ^ 1)); asm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(v) : \"r\"(p)); y[blockIdx.x * $b + t] = v; "
        "cl.sync();") + "\n}", k, t=t, c=c, b=d.of(64, 128, 256)))


def tiles_of_groups(d, k):
    """Cooperative groups: tiles, coalesced groups, partitions, scans and sums, the whole grid."""
    t = d.of("float", "int", "double", "unsigned"); n = d.of(2, 4, 8, 16, 32)
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int *count, int steps, int n) {\n    namespace cg = "
        "cooperative_groups; auto b = cg::this_thread_block(); auto g = cg::this_grid(); @{int@unsigned long long@} i = g.thread_rank(); " + d.of(
        "auto w = cg::tiled_partition<$n>(b); $t v = i < n ? x[i] : 0; $unroll for (int o = w.size() / 2; o; o /= 2) v += w.shfl_down(v, o); "
        "if (w.thread_rank() == 0) atomicAdd(y, v);", "if (i < n && x[i] > 0) { auto a = cg::coalesced_threads(); int base; if (a.thread_rank() == "
        "0) base = atomicAdd(count, a.size()); base = a.shfl(base, 0); y[base + a.thread_rank()] = x[i]; }",
        "for (int s = 0; s < steps; s++) { const $t *p = s & 1 ? y : x; $t *q = s & 1 ? ($t *)x : y; $unroll for (int j = i; j < n; j += g.size()) "
        "q[j] = (p[j ? j - 1 : 0] + p[j] + p[j < n - 1 ? j + 1 : j]) / 3; g.sync(); }", "auto w = cg::tiled_partition<$n>(b); $t v = x[i]; bool p = "
        "w.any(v > 0), q = w.all(v > 0); unsigned m = w.ballot(v > 1); y[i] = w.shfl_xor(v, 1) + p + q + __popc(m) + w.meta_group_rank();",
        "auto w = cg::tiled_partition<$n>(b); $t s = 0; for (int r = w.meta_group_rank() + blockIdx.x * w.meta_group_size(); r < steps; r += "
        "gridDim.x * w.meta_group_size()) { s = 0; $unroll for (int j = w.thread_rank(); j < n; j += w.size()) s += x[(size_t)r * n + j]; s = "
        "cg::reduce(w, s, cg::@{plus@plus@greater@}<$t>()); if (w.thread_rank() == 0) y[r] = s; }",
        "auto w = cg::tiled_partition<32>(b); auto l = cg::labeled_partition(cg::coalesced_threads(), ((int)x[i]) & 3); y[i] = l.size() "
        "+ l.thread_rank() + w.shfl(x[i], 0);", "__shared__ $t s[1024]; s[b.thread_rank()] = x[i]; b.sync(); for (int o = b.size() / 2; o; o >>= 1) "
        "{ if (b.thread_rank() < o) s[b.thread_rank()] += s[b.thread_rank() + o]; cg::sync(b); } if (b.thread_rank() == 0) y[b.group_index().x] = "
        "s[0];") + "\n}", k, t=t, n=n)


def textures(d, k):
    """Fetches and stores through textures and surfaces."""
    t, one = d.of(("float", "v"), ("float4", "v.x + v.y"), ("uchar4", "v.x + v.w"), ("float2", "v.x * v.y"), ("int", "v"), ("unsigned char", "v"),
        ("unsigned", "v"))
    return d.cuda("__global__ void $bounds$k(cudaTextureObject_t tex, cudaSurfaceObject_t surf, float *${restrict}y, float sx, float sy, int w, "
        "int h, int dep) {\n    int u = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; @{if (u >= w || r >= h) "
        "return;@@} float a = 0; " + d.of(
        "$t v = tex2D<$t>(tex, u@{ + .5f@ * sx@}, r@{ + .5f@ * sy@}); a = $one;", "$unroll for (int j = -$m; j <= $m; j++) { $t v = tex2D<$t>(tex, "
        "u + j, r); a += $one; }", "$unroll for (int j = -$m; j <= $m; j++) $unroll for (int q = -$m; q <= $m; q++) { $t v = tex2D<$t>(tex, "
        "u + j + .5f, r + q + .5f); a += $one; }", "$unroll for (int z = 0; z < @{dep@$m@}; z++) { $t v = tex3D<$t>(tex, u * sx, r * sy, z + .5f); "
        "a += $one; }", "$t v = tex1Dfetch<$t>(tex, r * w + u); a = $one;",
        "$t v = tex2DLod<$t>(tex, u * sx, r * sy, dep); a = $one;", "float c = __cosf(sx), s = __sinf(sx); $t v = tex2D<$t>(tex, c * u - s * r, "
        "s * u + c * r); a = $one;", "$t v = surf2Dread<$t>(surf, u * (int)sizeof($t), r); a = $one; surf2Dwrite(v, surf, (w - 1 - u) "
        "* (int)sizeof($t), r);", "$t v = surf2Dread<$t>(surf, u * (int)sizeof($t), r, cudaBoundaryModeClamp); a = $one;", "float x = 0, z = 0; "
        "$unroll for (int j = 0; j < @{dep@64@}; j++) { $t v = tex3D<$t>(tex, x, u * sx, z); float e = $one; a += (1 - a) * e; if (a > .95f) break; "
        "x += sx; z += sy; }", "$t v = texCubemap<$t>(tex, u * sx, r * sy, 1.f); a = $one;", "$t v = tex2DLayered<$t>(tex, u, r, dep); a = "
        "$one;") + " y[r * w + u] = a;\n}", k, t=t, one=one, m=d.of(1, 2, 4))


def assembly(d, k):
    """Lines of PTX inside: loads with hints, predicates, bit fields, fences, special registers, triples."""
    one = lambda: d.of('asm("lop3.b32 %0, %1, %2, %0, 0x96;" : "+r"(v) : "r"(w), "r"(a));', 'asm("bfe.u32 %0, %1, 4, 8;" : "=r"(v) : "r"(w));',
        'asm("bfi.b32 %0, %1, %0, 8, 4;" : "+r"(v) : "r"(w));', 'asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(v) : "r"(v), "r"(w));',
        'asm("mad.lo.u32 %0, %1, %2, %0;" : "+r"(v) : "r"(w), "r"(a));',
        'asm("{.reg .pred p; setp.gt.u32 p, %1, %2; selp.u32 %0, %1, %2, p;}" : "=r"(v) : "r"(v), "r"(w));',
                       'asm volatile("mov.u32 %0, %%smid;" : "=r"(w)); v += w;',
        'asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(w) : "l"(x + v % 1024));',
        'asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(w) : "l"(x + i));', 'asm volatile("membar.gl;" ::: "memory");',
        'asm("vadd.u32.u32.u32.sat %0, %1, %2;" : "=r"(v) : "r"(v), "r"(w));',
        'asm("{.reg .u64 q; mul.wide.u32 q, %1, %2; mov.b64 {%0, _}, q;}" : "=r"(v) : "r"(v), "r"(w));',
        'asm("shf.l.wrap.b32 %0, %1, %2, 9;" : "=r"(v) : "r"(v), "r"(w));', 'asm("fns.b32 %0, %1, 0, 3;" : "=r"(v) : "r"(w));',
        'asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(y + i), "r"(v));', 'asm("bfind.u32 %0, %1;" : "=r"(w) : "r"(v));',
        'asm("sad.u32 %0, %1, %2, %0;" : "+r"(v) : "r"(w), "r"(a));', 'asm volatile("prefetch.global.L2 [%0];" :: "l"(x + i + 64));')
    return d.cuda("__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}y, unsigned a, int n) { $index @{if (i >= n) "
        "return;@@} unsigned v = x[i], w = a; $unroll for (int j = 0; j < @{1@n@4@}; j++) { ".replace("{1@n@4@}", "{1@n@4@}") + "LINES } y[i] = "
        "v ^ w; }", k).replace("LINES", " ".join(one() for _ in range(d.n(1, 5))))


def newer_instructions(d, k):
    """What later targets have: redux, nanosleep, sizes of L2 fetches, elections, launches that depend, scopes."""
    sm, line = d.of(
        (80, "v = __reduce_add_sync(~0u, v);"),
        (80, "v = __reduce_max_sync(~0u, v); w = __reduce_min_sync(~0u, v + w);"),
        (80, "v ^= __reduce_xor_sync(~0u, w);"),
        (75, "__nanosleep(v & 63);"),
        (90, 'asm volatile("griddepcontrol.wait;" ::: "memory"); v = x[i]; asm volatile("griddepcontrol.launch_dependents;");'),
        (80, 'asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(v) : "l"(x + i));'),
        (90, '{ unsigned q; asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(q)); if (q) v += 3; }'),
        (75, 'asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(v) : "l"(y + (i & 31)) : "memory");'),
        (75, 'asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(w) : "l"(x + i) : "memory");'),
        (75, 'asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" :: "l"(y), "r"(v) : "memory");'),
        (90, 'asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"((float *)y + 2 * i), "f"(1.f), "f"((float)v) : "memory");'),
        (80, "v = __viaddmax_u32(v, w, a);"),
        (75, 'asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(y + i), "r"(v) : "memory");'),
        (80, '{ float f = v, g; asm("tanh.approx.f32 %0, %1;" : "=f"(g) : "f"(f)); v = g * 100; }'),
        (80, '{ float f = v, g; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(g) : "f"(f)); asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(w) : "f"(g)); }'))
    return since(sm, d.cuda("__global__ void $bounds$k(const unsigned *${restrict}x, unsigned *${restrict}y, unsigned a, int n) { $index @{if (i >= "
        "n) return;@@} unsigned v = x[i], w = a; @{$unroll for (int j = 0; j < @{n@4@}; j++) { LINE w += v; }@LINE@} y[i] = v ^ w; "
        "}", k).replace("LINE", line))


KINDS = [mma_inline, ldmatrix_tiles, wmma_types, async_stages, named_barriers, bulk_copies, clusters, tiles_of_groups, textures, assembly,
        newer_instructions]
