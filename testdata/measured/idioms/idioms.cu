// Kernels whose places ranks, searches and runs say: compaction, the pass of a sort, merges, searches.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdint>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void

// Positions out of a counter that warps share.
K id_compact_warp(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;
    bool keep = i < n && v % 3 == 0;
    unsigned who = __ballot_sync(~0u, keep);
    int lane = threadIdx.x & 31, at = 0;
    if (!lane && who) at = atomicAdd(count, __popc(who));
    at = __shfl_sync(~0u, at, 0);
    if (keep) out[at + __popc(who & ((1u << lane) - 1))] = v;
}

// Each thread keeps what it likes of eight, behind what threads before it keep.
K id_compact_block(const int *in, int *out, const int *begin)
{
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, v[8], n = 0;
    for (int j = 0; j < 8; j++) { v[j] = in[blockIdx.x * 2048 + t * 8 + j]; n += v[j] & 1; }
    int scan = n;
    for (int d = 1; d < 32; d *= 2) { int x = __shfl_up_sync(~0u, scan, d); if (lane >= d) scan += x; }
    if (lane == 31) sums[t / 32] = scan;
    __syncthreads();
    int at = begin[blockIdx.x] + scan - n;
    for (int w = 0; w < t / 32; w++) at += sums[w];
    for (int j = 0; j < 8; j++) if (v[j] & 1) out[at++] = v[j];
}

// A tile sorted by four bits goes out in runs, a run for each digit.
K id_digit_scatter(const unsigned *in, unsigned *out, const int *begin, int shift)
{
    __shared__ unsigned key[1024]; __shared__ int count[16][9], base[16];
    int t = threadIdx.x, lane = t & 31, w = t / 32;
    if (t < 144) count[t / 9][t % 9] = 0;
    __syncthreads();
    unsigned v[4]; int rank[4];
    for (int j = 0; j < 4; j++) {
        v[j] = in[blockIdx.x * 1024 + w * 128 + j * 32 + lane];
        unsigned d = v[j] >> shift & 15, same = __match_any_sync(~0u, d);
        int before = count[d][w]; __syncwarp();
        rank[j] = before + __popc(same & ((1u << lane) - 1));
        if (lane == __ffs(same) - 1) count[d][w] = before + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    if (t < 16) { int s = 0; for (int i = 0; i < 8; i++) { int c = count[t][i]; count[t][i] = s; s += c; } count[t][8] = s; }
    __syncthreads();
    if (t == 0) { int s = 0; for (int d = 0; d < 16; d++) { base[d] = s; s += count[d][8]; } }
    __syncthreads();
    for (int j = 0; j < 4; j++) { unsigned d = v[j] >> shift & 15; key[base[d] + count[d][w] + rank[j]] = v[j]; }
    __syncthreads();
    if (t < 16) base[t] = begin[blockIdx.x * 16 + t] - base[t];
    __syncthreads();
    for (int i = t; i < 1024; i += 256) { unsigned k = key[i]; out[base[k >> shift & 15] + i] = k; }
}

// Where two sorted lists meet on a diagonal.
K id_merge_diagonal(const int *a, const int *b, int *out, int n, int step)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * step, lo = max(0, d - n), hi = min(d, n);
    while (lo < hi) { int m = (lo + hi) / 2; if (a[m] <= b[d - 1 - m]) lo = m + 1; else hi = m; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = lo;
}

// A tile of two sorted lists: each thread merges four.
K id_merge_tile(const int *a, const int *b, int *out)
{
    __shared__ int s[2048];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 256) { s[i] = a[blockIdx.x * 1024 + i]; s[1024 + i] = b[blockIdx.x * 1024 + i]; }
    __syncthreads();
    int d = t * 8, lo = max(0, d - 1024), hi = min(d, 1024);
    while (lo < hi) { int m = (lo + hi) / 2; if (s[m] <= s[1024 + d - 1 - m]) lo = m + 1; else hi = m; }
    int i = lo, j = d - lo, v[8];
    for (int k = 0; k < 8; k++) { bool left = j >= 1024 || (i < 1024 && s[i] <= s[1024 + j]); v[k] = left ? s[i++] : s[1024 + j++]; }
    __syncthreads();
    for (int k = 0; k < 8; k++) s[d + k] = v[k];
    __syncthreads();
    for (int k = t; k < 2048; k += 256) out[blockIdx.x * 2048 + k] = s[k];
}

// The row that an element is of.
K id_row_search(const int *rows, int *out, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lo = 0, hi = count;
    while (lo < hi) { int m = lo + ((hi - lo) >> 1); if (rows[m] <= i) lo = m + 1; else hi = m; }
    out[i] = lo;
}

// Counters in shared memory, by way of cuda::atomic_ref.
K id_bins_ref(const uint8_t *in, unsigned *bins, int n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        cuda::atomic_ref<unsigned, cuda::thread_scope_block>(s[in[i]]).fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}

K id_grid_sum(const float *in, float *out, int n)
{
    float s = 0;
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) s += in[i];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (!(threadIdx.x & 31)) atomicAdd(out, s);
}

K id_barrier_copy(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float buf[1024];
    auto b = cg::this_thread_block();
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (b.thread_rank() == 0) init(&bar, b.size());
    b.sync();
    float s = 0;
    for (int t = 0; t < tiles; t++) {
        cuda::memcpy_async(b, buf, in + (size_t)(blockIdx.x * tiles + t) * 1024, sizeof(float) * 1024, bar);
        bar.arrive_and_wait();
        for (int i = threadIdx.x; i < 1024; i += blockDim.x) s += buf[i] * buf[1023 - i];
        b.sync();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Which list an event goes to is data; where in it, a counter of the list.
K id_append_lists(const unsigned *in, unsigned *lists, int *counts, int room)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x], list = v & 1023;
    lists[list * room + atomicAdd(counts + list, 1)] = v;
}
