// Where the greatest or least value of a block is: by selections, branches, shuffles and shared memory; and kernels that look alike and
// have one fault each (no_...).
#include <math_constants.h>

#define ALL 0xffffffffu
#define KERNEL(name, type) extern "C" __global__ void __launch_bounds__(256) name(const type *x, int *o)
#define BEGIN(type) \
    [[maybe_unused]] int t = threadIdx.x, lane = t & 31, warp = t >> 5; int k = blockIdx.x * 256 + t; type v = x[k]
#define AT(n) (blockIdx.x * (n))

struct Found { float value; int index; };

// ---- by shuffles -----------------------------------------------------------------------------------------------------------------------

#define STEP(comparison, from, mask) \
    { auto w = from(mask, v, d); int j = from(mask, k, d); if (comparison) { v = w; k = j; } }

#define BY_WARPS(name, type, comparison, last) \
    KERNEL(name, type) \
    { \
        __shared__ type values[8]; __shared__ int places[8]; \
        BEGIN(type); \
        for (int d = 16; d; d >>= 1) STEP(comparison, __shfl_xor_sync, ALL) \
        if (!lane) { values[warp] = v; places[warp] = k; } \
        __syncthreads(); \
        v = values[lane & 7]; k = places[lane & 7]; \
        for (int d = 4; d; d >>= 1) STEP(last, __shfl_xor_sync, ALL) \
        if (!t) o[blockIdx.x] = k; \
    }

BY_WARPS(greatest_by_warps, float, w > v, w > v)
BY_WARPS(least_by_warps, int, w < v, w < v)
BY_WARPS(least_of_unsigned, unsigned, v >= w, v > w)
BY_WARPS(first_of_greatest, float, w > v || (w == v && j < k), w > v || (w == v && j < k))
BY_WARPS(last_of_least, double, w < v || (w == v && j > k), w < v || (w == v && j > k))
BY_WARPS(greatest_kept, float, !(w <= v), !(w <= v))

KERNEL(greatest_of_many, float)
{
    __shared__ float values[8]; __shared__ int places[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, k = 0;
    float v = -CUDART_INF_F;
    for (int i = t; i < 4096; i += 256) { float w = x[AT(4096) + i]; if (w > v) { v = w; k = i; } }
    for (int d = 16; d; d >>= 1) STEP(w > v, __shfl_down_sync, ALL)
    if (!lane) { values[warp] = v; places[warp] = k; }
    __syncthreads();
    if (t >= 32) return;
    v = t < 8 ? values[t] : -CUDART_INF_F; k = t < 8 ? places[t] : 0;
    for (int d = 16; d; d >>= 1) STEP(w > v, __shfl_xor_sync, ALL)
    if (!t) o[blockIdx.x] = k;
}

// ---- in shared memory ------------------------------------------------------------------------------------------------------------------

#define BY_TREE(name, type, start, comparison, take) \
    KERNEL(name, type) \
    { \
        __shared__ type values[256]; __shared__ int places[512]; \
        BEGIN(type); \
        values[t] = v; places[t] = start; \
        __syncthreads(); \
        for (int d = 128; d; d >>= 1) { \
            if (t < d && (comparison)) { take; } \
            __syncthreads(); \
        } \
        if (!t) o[blockIdx.x] = places[0]; \
    }

BY_TREE(least_by_tree, float, t, values[t + d] < values[t], values[t] = values[t + d]; places[t] = places[t + d])
BY_TREE(greatest_by_tree, int, k, values[t + d] > values[t], values[t] = values[t + d]; places[t] = places[t + d])
BY_TREE(first_by_tree, float, 3 * t, values[t + d] > values[t] || (values[t + d] == values[t] && places[t + d] < places[t]),
        values[t] = values[t + d]; places[t] = places[t + d])

KERNEL(greatest_in_registers, int)
{
    __shared__ int values[256], places[256];
    BEGIN(int);
    values[t] = v; places[t] = k;
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d) {
            int w = values[t + d], j = places[t + d];
            if (w > v || (w == v && j < k)) { values[t] = v = w; places[t] = k = j; }
        }
        __syncthreads();
    }
    if (!t) o[blockIdx.x] = k;
}

KERNEL(greatest_of_pairs, float)
{
    __shared__ Found found[256];
    BEGIN(float);
    found[t] = { v, k };
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d) { Found a = found[t], b = found[t + d]; found[t] = b.value > a.value ? b : a; }
        __syncthreads();
    }
    if (!t) o[blockIdx.x] = found[0].index;
}

KERNEL(greatest_by_one_thread, float)
{
    __shared__ float values[8]; __shared__ int places[8];
    BEGIN(float);
    for (int d = 16; d; d >>= 1) STEP(w > v, __shfl_xor_sync, ALL)
    if (!lane) { values[warp] = v; places[warp] = k; }
    __syncthreads();
    if (t) return;
    for (int i = 1; i < 8; i++) if (values[i] > v) { v = values[i]; k = places[i]; }
    o[blockIdx.x] = k;
}

// ---- one fault each --------------------------------------------------------------------------------------------------------------------

BY_WARPS(no_order_of_the_last_steps, float, w > v, w < v)
BY_WARPS(no_order_of_values_alone, float, w > v || j < k, w > v || j < k)
BY_WARPS(no_order_with_places, float, w > v && j < k, w > v && j < k)
BY_WARPS(no_order_of_equal, float, w == v, w == v)

#define FAULT(name, before, step) \
    KERNEL(name, float) \
    { \
        __shared__ float values[8]; __shared__ int places[8]; \
        BEGIN(float); \
        before; \
        for (int d = 16; d; d >>= 1) step \
        if (!lane) { values[warp] = v; places[warp] = k; } \
        __syncthreads(); \
        v = values[lane & 7]; k = places[lane & 7]; \
        for (int d = 4; d; d >>= 1) STEP(w > v, __shfl_xor_sync, ALL) \
        if (!t) o[blockIdx.x] = k; \
    }

FAULT(no_lanes_of_the_mask, , STEP(w > v, __shfl_xor_sync, 0x0000ffffu))
FAULT(no_place_taken, , { float w = __shfl_xor_sync(ALL, v, d); if (w > v) v = w; })
FAULT(no_place_of_the_greater, ,
      { float w = __shfl_xor_sync(ALL, v, d); int j = __shfl_xor_sync(ALL, k, d); if (w > v) v = w; else k = j; })
FAULT(no_place_of_that_lane, ,
      { float w = __shfl_xor_sync(ALL, v, d); int j = __shfl_xor_sync(ALL, k, d ^ 1); if (w > v) { v = w; k = j; } })
FAULT(no_value_of_before, float first = v,
      { float w = __shfl_xor_sync(ALL, v, d); int j = __shfl_xor_sync(ALL, k, d); if (w > first) { v = w; k = j; } })
FAULT(no_value_taken, ,
      { float w = __shfl_xor_sync(ALL, v, d); int j = __shfl_xor_sync(ALL, k, d); if (w > v) k = j; })
FAULT(no_step_of_two, , { if (d != 2) STEP(w > v, __shfl_xor_sync, ALL) })
FAULT(no_own_place, k = __shfl_xor_sync(ALL, k, 1), STEP(w > v, __shfl_xor_sync, ALL))

BY_TREE(no_linear_place, float, t ^ 1, values[t + d] > values[t], values[t] = values[t + d]; places[t] = places[t + d])
BY_TREE(no_place_beside, float, t, values[t + d] > values[t], values[t] = values[t + d]; places[t] = places[t + d + 1])
BY_TREE(no_place_of_the_less, float, t, values[t + d] < values[t], values[t] = values[t]; places[t] = places[t + d])
BY_TREE(no_place_of_both, float, k, values[t + d] > values[t], values[t] = values[t + d]; places[t] += places[t + d])
BY_TREE(no_place_for_the_greater, float, t, values[t + d] > values[t], values[t] = values[t + d]; places[t] = t)

KERNEL(no_barrier_between, float)
{
    __shared__ float values[256]; __shared__ int places[256];
    BEGIN(float);
    values[t] = v; places[t] = k;
    __syncthreads();
    for (int d = 128; d; d >>= 1)
        if (t < d && values[t + d] > values[t]) { values[t] = values[t + d]; places[t] = places[t + d]; }
    __syncthreads();
    if (!t) o[blockIdx.x] = places[0];
}
