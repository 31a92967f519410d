// Stores: whole and in part, several of a warp behind each other, and by chance. Blocks of 256 threads; launches.json has the grids.
// Indices (`x`) are a permutation of the places of the table: those of 4 bytes a place, t * 2654435761 + 12345 ^ t >> 7.
#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

__device__ inline long thread() { return blockIdx.x * 256l + threadIdx.x; }

KERNEL(st_whole, float4 *o) { const long t = thread(); o[t] = make_float4(t, t, t, t); }
KERNEL(st_every2, float *o) { const long t = thread(); o[t * 2] = t; }
KERNEL(st_every4, float *o) { const long t = thread(); o[t * 4] = t; }
KERNEL(st_every8, float *o) { const long t = thread(); o[t * 8] = t; }
KERNEL(st_every16, float *o) { const long t = thread(); o[t * 16] = t; }
KERNEL(st_half_sectors, float4 *o) { const long t = thread(); o[t * 2] = make_float4(t, t, t, t); }
KERNEL(st_half_pieces, float4 *o) { const long t = thread(); o[t * 4] = make_float4(t, t, t, t); }
KERNEL(st_copy_every4, float *o, const float *a) { const long t = thread(); o[t * 4] = a[t]; }
KERNEL(st_add, float *o) { const long t = thread(); o[t] += 1; }
KERNEL(st_add_every8, float *o) { const long t = thread(); o[t * 8] += 1; }
KERNEL(st_members2, float *o) { const long t = thread(); for (int i = 0; i < 2; i++) o[t * 2 + i] = t + i; }
KERNEL(st_members3, float *o) { const long t = thread(); for (int i = 0; i < 3; i++) o[t * 3 + i] = t + i; }
KERNEL(st_members4, float *o) { const long t = thread(); for (int i = 0; i < 4; i++) o[t * 4 + i] = t + i; }
KERNEL(st_members8, float *o) { const long t = thread(); for (int i = 0; i < 8; i++) o[t * 8 + i] = t + i; }
KERNEL(st_members16, float *o) { const long t = thread(); for (int i = 0; i < 16; i++) o[t * 16 + i] = t + i; }
KERNEL(st_members4_load, float *o, const float *a, int n) { const long t = thread(); for (int i = 0; i < 4; i++) o[t * 4 + i] = a[(long)i * n + t]; }
KERNEL(st_members4_loop, float *o, int n)
{
    const long t = thread();
    float v = t;
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll 1
        for (int k = 0; k < 8; k++)
            v = v * 1.5f + n;
        o[t * 4 + i] = v;
    }
}
KERNEL(st_members4_barrier, float *o) { const long t = thread(); for (int i = 0; i < 4; i++) { o[t * 4 + i] = t + i; __syncthreads(); } }
KERNEL(st_vectors2, float4 *o) { const long t = thread(); o[t * 2] = make_float4(t, t, t, t); o[t * 2 + 1] = make_float4(t, 1, t, t); }
KERNEL(st_vectors4, float4 *o) { const long t = thread(); for (int i = 0; i < 4; i++) o[t * 4 + i] = make_float4(t, i, t, t); }
KERNEL(st_columns, float *o) { const long t = threadIdx.x + (blockIdx.x / 8) * 256l; o[t * 8 + blockIdx.x % 8] = t; }
KERNEL(st_stretch, float *o, int n) { const long t = thread(); for (int i = 0; i < n; i++) o[t * n + i] = i; }
KERNEL(st_two_of4, float *o) { const long t = thread(); o[t * 4] = t; o[t * 4 + 1] = t + 1; }
KERNEL(st_scatter4, float *o, const int *x) { const long t = thread(); o[x[t]] = t; }
KERNEL(st_scatter16, float4 *o, const int *x) { const long t = thread(); o[x[t]] = make_float4(t, t, t, t); }
KERNEL(st_scatter32, float *o, const int *x) { const long t = thread(); o[x[t / 8] * 8l + t % 8] = t; }
KERNEL(st_scatter64, float *o, const int *x) { const long t = thread(); o[x[t / 16] * 16l + t % 16] = t; }
KERNEL(st_scatter128, float *o, const int *x) { const long t = thread(); o[x[t / 32] * 32l + t % 32] = t; }
KERNEL(st_split3, float *o, const float *a, float c)
{
    const long t = thread(), n = gridDim.x * 256l;
    const float x = a[t], y = a[t + n], z = a[t + 2 * n];
    o[t * 3] = x * c;
    o[t * 3 + 1] = y * c;
    o[t * 3 + 2] = z * c;
}
KERNEL(st_scaled3, float *o, const float *a, float c)
{
    const long t = thread();
    const float x = a[t * 3], y = a[t * 3 + 1], z = a[t * 3 + 2];
    o[t * 3] = x * c;
    o[t * 3 + 1] = y * c;
    o[t * 3 + 2] = z * c;
}
KERNEL(st_in_turns3, float *o, const float *a, float c) { const long t = thread(); for (int i = 0; i < 3; i++) o[t * 3 + i] = a[t * 3 + i] * c; }
KERNEL(st_bytes3, unsigned char *o) { const long t = thread(); o[t * 3] = t; o[t * 3 + 1] = t + 1; o[t * 3 + 2] = t + 2; }
KERNEL(st_shorts2, unsigned short *o) { const long t = thread(); o[t * 2] = t; o[t * 2 + 1] = t + 1; }
KERNEL(st_doubles2, double *o) { const long t = thread(); o[t * 2] = t; o[t * 2 + 1] = t + 1; }

__device__ inline unsigned mixed(unsigned t)
{
    t ^= t >> 16;
    t *= 0x7feb352du;
    t ^= t >> 15;
    t *= 0x846ca68bu;
    return t ^ t >> 16;
}

KERNEL(rd_same, float *o, const float *a, int n) { const long t = thread(); float s = 0; for (int i = 0; i < n; i++) s += a[i] * t; o[t] = s; }
KERNEL(rd_row, float *o, const float *a, int n)
{
    float s = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        s += a[i * 32 + (threadIdx.x & 31)];
    o[thread()] = s;
}
KERNEL(rd_row8, float *o, const float *a, int n)
{
    float s = 0;
#pragma unroll 8
    for (int i = 0; i < n; i++)
        s += a[i * 32 + (threadIdx.x & 31)];
    o[thread()] = s;
}
KERNEL(rd_window, float *o, const float *a, int n)
{
    float s = 0;
#pragma unroll 8
    for (int i = 0; i < n; i++)
        s += a[i + (threadIdx.x & 31)];
    o[thread()] = s;
}
KERNEL(rd_vector, float *o, const float4 *a, int n)
{
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        const float4 v = a[i];
        s += v.x + v.y + v.z + v.w;
    }
    o[thread()] = s;
}
KERNEL(rd_bodies, float4 *o, const float4 *a, int n)
{
    const long t = thread();
    const float4 p = a[t];
    float x = 0, y = 0, z = 0;
    for (int i = 0; i < n; i++) {
        const float4 q = a[i];
        const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + .01f);
        r = r * r * r * q.w;
        x += dx * r;
        y += dy * r;
        z += dz * r;
    }
    o[t] = make_float4(x, y, z, 0);
}
KERNEL(st_hash, float *o, unsigned mask) { const long t = thread(); o[mixed(t) & mask] = t; }
KERNEL(st_hash_load, float *o, const float *a, unsigned mask) { const long t = thread(); o[t] = a[mixed(t) & mask]; }
KERNEL(st_hash_load8, float *o, const float *a, unsigned mask)
{
    const long t = thread();
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        s += a[mixed(t * 8 + i) & mask];
    o[t] = s;
}
