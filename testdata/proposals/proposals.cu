// Kernels with an access that costs more than it has to (NAME_before), and each again as the help proposes, by hand. See README.md.

// launch tile_before grid=4,4,1 block=32,8,1 params=[null,null]
extern "C" __global__ void tile_before(float *out, const float *in)
{
    __shared__ float t[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x] = in[(y + j) * 128 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 128 + x] = t[threadIdx.x][threadIdx.y + j];
}

// launch tile_pad grid=4,4,1 block=32,8,1 params=[null,null]
extern "C" __global__ void tile_pad(float *out, const float *in)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x] = in[(y + j) * 128 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 128 + x] = t[threadIdx.x][threadIdx.y + j];
}

// launch tile_swizzle grid=4,4,1 block=32,8,1 params=[null,null]
extern "C" __global__ void tile_swizzle(float *out, const float *in)
{
    __shared__ float t[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        t[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * 128 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 128 + x] = t[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}

__device__ unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// launch matrix_before grid=4,1,1 block=64,1,1 params=[null,null]
extern "C" __global__ void matrix_before(uint4 *out, const uint4 *in)
{
    __shared__ __align__(128) uint4 t[32 * 8];
    unsigned i = threadIdx.x, lane = i & 31;
    uint4 v;
    for (int k = 0; k < 4; k++)
        t[k * 64 + i] = in[blockIdx.x * 256 + k * 64 + i];
    __syncthreads();
    unsigned row = shared_at(&t[(lane & 15) * 8 + (lane >> 4) + (i >> 5) * 2]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(row));
    out[blockIdx.x * 64 + i] = v;
}

// launch matrix_pad grid=4,1,1 block=64,1,1 params=[null,null]
extern "C" __global__ void matrix_pad(uint4 *out, const uint4 *in)
{
    __shared__ __align__(128) uint4 t[32 * 9];
    unsigned i = threadIdx.x, lane = i & 31;
    uint4 v;
    for (int k = 0; k < 4; k++)
        t[(k * 64 + i) / 8 * 9 + i % 8] = in[blockIdx.x * 256 + k * 64 + i];
    __syncthreads();
    unsigned row = shared_at(&t[(lane & 15) * 9 + (lane >> 4) + (i >> 5) * 2]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(row));
    out[blockIdx.x * 64 + i] = v;
}

// launch matrix_swizzle grid=4,1,1 block=64,1,1 params=[null,null]
extern "C" __global__ void matrix_swizzle(uint4 *out, const uint4 *in)
{
    __shared__ __align__(128) uint4 t[32 * 8];
    unsigned i = threadIdx.x, lane = i & 31;
    uint4 v;
    for (int k = 0; k < 4; k++) {
        unsigned at = k * 64 + i;
        t[at ^ (at / 8 % 8)] = in[blockIdx.x * 256 + at];
    }
    __syncthreads();
    unsigned at = (lane & 15) * 8 + (lane >> 4) + (i >> 5) * 2, row = shared_at(&t[at ^ (at / 8 % 8)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(row));
    out[blockIdx.x * 64 + i] = v;
}

// launch scan_before grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void scan_before(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    s[t + 128] = in[blockIdx.x * 256 + t + 128];
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        int i = (t + 1) * step * 2 - 1;
        if (i < 256)
            s[i] += s[i - step];
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];
    out[blockIdx.x * 256 + t + 128] = s[t + 128];
}

// launch scan_pad grid=4,1,1 block=128,1,1 params=[null,null]
#define PADDED(i) ((i) + (i) / 32)
extern "C" __global__ void scan_pad(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[PADDED(256)];
    unsigned t = threadIdx.x;
    s[PADDED(t)] = in[blockIdx.x * 256 + t];
    s[PADDED(t + 128)] = in[blockIdx.x * 256 + t + 128];
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned i = (t + 1) * step * 2 - 1;
        if (i < 256)
            s[PADDED(i)] += s[PADDED(i - step)];
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[PADDED(t)];
    out[blockIdx.x * 256 + t + 128] = s[PADDED(t + 128)];
}

struct Body {
    float x, y, z, mass, vx, vy, vz, charge;
};

// launch members_before grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void members_before(float *out, const Body *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = in[i].x * in[i].mass + in[i].charge;
}

// launch members_apart grid=4,1,1 block=128,1,1 params=[null,null,null,null]
extern "C" __global__ void members_apart(float *out, const float *x, const float *mass, const float *charge)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = x[i] * mass[i] + charge[i];
}

// launch turned_before grid=4,4,1 block=32,8,1 params=[null,null]
extern "C" __global__ void turned_before(float *out, const float *in)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[x * 128 + y + j] = in[(y + j) * 128 + x];
}

// Rows that begin anywhere in a line.
// launch rows_before grid=2,32,1 block=64,4,1 params=[null,null]
extern "C" __global__ void rows_before(float *out, const float *in)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * 131 + x] = 2 * in[y * 131 + x];
}

// launch rows_pad grid=2,32,1 block=64,4,1 params=[null,null]
extern "C" __global__ void rows_pad(float *out, const float *in)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * 160 + x] = 2 * in[y * 160 + x];
}

// launch lead_before grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void lead_before(float *out, const float *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = in[i + 3];
}

// launch lead_pad grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void lead_pad(float *out, const float *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = in[i + 32];
}

// launch vector_before grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void vector_before(float *out, const float *in)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = in[4 * i] + in[4 * i + 1] * in[4 * i + 2] + in[4 * i + 3];
}

// launch vector_wide grid=4,1,1 block=128,1,1 params=[null,null]
extern "C" __global__ void vector_wide(float *out, const float4 *in)
{
    float4 v = in[blockIdx.x * 128 + threadIdx.x];
    out[blockIdx.x * 128 + threadIdx.x] = v.x + v.y * v.z + v.w;
}
