"""More of CUB's blocks and warps."""

HEAD = "".join(f"#include <cub/{h}.cuh>\n" for h in ("block/block_merge_sort", "block/block_histogram", "block/block_adjacent_difference",
        "block/block_discontinuity", "block/block_exchange", "block/block_store",
                                                     "block/block_load", "block/block_shuffle", "warp/warp_merge_sort", "warp/warp_scan",
        "warp/warp_reduce", "warp/warp_exchange", "block/block_radix_rank", "block/block_scan", "block/block_reduce"))


def cub_orders(d, k):
    """Merge sorts of blocks and warps, histograms, differences, heads."""
    t = d.of("int", "float", "unsigned", "short", "double"); b = d.of(64, 128, 256); n = d.of(1, 2, 4, 5,
        8); less = "[] (const $t &p, const $t &q) { return p < q; }"
    o = d.of("using S = cub::BlockMergeSort<$t, $b, $n>; __shared__ typename S::TempStorage s; S(s).Sort(v, Less_$k());", "using S = "
        "cub::WarpMergeSort<$t, $n, @{16@32@}>; __shared__ typename S::TempStorage s[$b / 16]; S(s[threadIdx.x / 16]).Sort(v, "
        "Less_$k());", "using S = cub::BlockAdjacentDifference<$t, $b>; __shared__ typename S::TempStorage s; S(s).SubtractLeft(v, v, "
        "Minus_$k());", "using S = cub::BlockDiscontinuity<$t, $b>; __shared__ typename S::TempStorage s; int f[$n]; S(s).Flag@{Heads@Tails@}(f, v, "
        "Other_$k()); for (int j = 0; j < $n; j++) v[j] = f[j];",
             "using S = cub::BlockExchange<$t, $b, $n>; __shared__ typename S::TempStorage s; "
        "S(s).@{BlockedToStriped@StripedToBlocked@BlockedToWarpStriped@}(v);", "using S = cub::BlockShuffle<$t, $b>; "
        "__shared__ typename S::TempStorage s; S(s).@{Up(v, v)@Down(v, v)@};", "using S = cub::WarpExchange<$t, $n, 32>; "
        "__shared__ typename S::TempStorage s[$b / 32]; S(s[threadIdx.x / 32]).BlockedToStriped(v, v);")
    return d.cuda("struct Less_$k { __device__ bool operator()(const $t &p, const $t &q) const { return p < q; } }; struct Minus_$k { "
        "__device__ $t operator()(const $t &p, const $t &q) const { return p - q; } }; struct Other_$k { __device__ bool operator()(const $t &p, "
        "const $t &q) const { return p != q; } };\n__global__ void __launch_bounds__($b) $k(const $t *${restrict}x, $t *${restrict}y, int count) { "
        "$t v[$n]; for (int j = 0; j < $n; j++) v[j] = x[(blockIdx.x * $b + threadIdx.x) * $n + j]; " + o + " for (int j = 0; j < $n; j++) "
        "y[(blockIdx.x * $b + threadIdx.x) * $n + j] = v[j]; }", k, t=t, b=b, n=n)


def cub_tiles(d, k):
    """Loads, work, stores of a block's tile; sums of pairs; counts; ranks."""
    t = d.of("int", "float", "unsigned", "double"); b = d.of(64, 128, 256); n = d.of(1, 2, 4, 7, 8, 15); how = d.of("DIRECT", "TRANSPOSE",
        "STRIPED", "VECTORIZE", "WARP_TRANSPOSE")
    o = d.of("for (int j = 0; j < $n; j++) v[j] = v[j] * 2 + 1;", "{ using S = cub::BlockScan<$t, $b@{, cub::BLOCK_SCAN_RAKING@, "
        "cub::BLOCK_SCAN_WARP_SCANS@@}>; __shared__ typename S::TempStorage s; $t all; S(s).@{InclusiveSum@ExclusiveSum@}(v, v, all); "
        "if (threadIdx.x == 0) y[count] = all; }", "{ using S = cub::BlockReduce<$t, $b@{, cub::BLOCK_REDUCE_RAKING@, "
        "cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY@@}>; __shared__ typename S::TempStorage s; $t all = S(s).Sum(v@{, @@}); if (threadIdx.x == 0) "
        "y[count + blockIdx.x] = all; }".replace("(v@{, @@})", "(v)"),
             "{ using S = cub::WarpScan<$t>; __shared__ typename S::TempStorage s[$b / 32]; $t q; "
        "S(s[threadIdx.x / 32]).@{InclusiveSum@ExclusiveSum@}(v[0], q); v[0] = q; }")
    return d.cuda("__global__ void __launch_bounds__($b) $k(const $t *${restrict}x, $t *${restrict}y, int count) { using L = cub::BlockLoad<$t, $b, "
        "$n, cub::BLOCK_LOAD_$how>; using W = cub::BlockStore<$t, $b, $n, cub::BLOCK_STORE_$how>; __shared__ union { typename L::TempStorage l; "
        "typename W::TempStorage w; } u; $t v[$n]; int at = blockIdx.x * $b * $n; @{L(u.l).Load(x + at, v);@L(u.l).Load(x + at, v, count - at, "
        "$t(0));@} __syncthreads(); " + o + " __syncthreads(); @{W(u.w).Store(y + at, v);@W(u.w).Store(y + at, v, count - at);@} "
        "}", k, t=t, b=b, n=n, how=how)


KINDS = [cub_orders, cub_tiles]
