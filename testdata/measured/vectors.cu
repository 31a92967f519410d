// Wide accesses to shared memory: who shares a word with whom, and warps that are there in part.
extern "C" {
// launch ve_pairs grid=3,1,1 block=128,1,1 params=[null,null]
__global__ void ve_pairs(float2 *out, const float2 *in)
{
    __shared__ float2 t[256];
    int i = threadIdx.x;
    t[i] = in[i];
    t[i + 128] = in[i + 128];
    __syncthreads();
    float2 a = t[i >> 1], b = t[i & ~2], c = t[(i & 31) * 2], d = t[(i & 15) * 5], e = t[i >> 5], f = t[i ^ 7];
    out[blockIdx.x * 128 + i] = make_float2(a.x + b.x + c.x + d.x + e.x + f.x, a.y + b.y + c.y + d.y + e.y + f.y);
}
// launch ve_quads grid=3,1,1 block=128,1,1 params=[null,null]
__global__ void ve_quads(float4 *out, const float4 *in)
{
    __shared__ float4 t[256];
    int i = threadIdx.x;
    t[i] = in[i];
    t[255 - i] = in[i + 128];
    __syncthreads();
    float4 a = t[i >> 1], b = t[i & ~2], c = t[(i & 31) * 2], d = t[(i & 7) * 5], e = t[i >> 5], f = t[i >> 3], g = t[(i * 7) & 127];
    out[blockIdx.x * 128 + i] = make_float4(a.x + b.x + c.x + d.x, e.y + f.y + g.y + a.y, b.z + c.z + d.z + e.z, f.w + g.w + a.w + b.w);
}
// launch ve_partial grid=2,1,1 block=64,1,1 params=[null,null,19]
__global__ void ve_partial(float4 *out, const float4 *in, int most)
{
    __shared__ float4 t[128];
    __shared__ float2 u[128];
    int i = threadIdx.x, lane = i & 31;
    t[i] = t[i + 64] = in[i];
    u[i] = u[i + 64] = make_float2(i, i);
    __syncthreads();
    if (lane < most)
        t[i * 2 & 127] = in[i + 1];
    if (lane % 3 == 1)
        u[i * 2 & 127] = make_float2(i, 1);
    __syncthreads();
    float4 v = make_float4(0, 0, 0, 0);
    float2 w = make_float2(0, 0);
    if (lane >= 11)
        v = t[i >> 2];
    if (lane & 5)
        w = u[i * 3 & 127];
    if ((lane & 12) == 8)
        t[127 - i] = v;
    __syncthreads();
    out[blockIdx.x * 64 + i] = make_float4(v.x + w.x, v.y + w.y, t[i].z, t[127 - i].w);
}
// launch ve_bytes grid=2,1,1 block=96,1,1 params=[null,null]
__global__ void ve_bytes(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char t[1024];
    __shared__ unsigned short s[1024];
    int i = threadIdx.x;
    t[i * 5] = in[i];
    t[512 + i] = in[i + 96];
    s[i * 3] = in[i * 2];
    s[1023 - i] = in[i];
    __syncthreads();
    out[blockIdx.x * 96 + i] = t[i * 5 & 511] + t[512 + (i >> 1)] + s[i * 3] + s[1023 - i * 4] + t[i * 32 & 1023];
}
// launch ve_struct grid=2,1,1 block=64,1,1 params=[null,null]
struct Body { float3 at; float mass; double speed; };
__global__ void ve_struct(double *out, const double *in)
{
    __shared__ Body t[64];
    int i = threadIdx.x;
    t[i].at = make_float3(i, 2 * i, 3 * i);
    t[i].mass = 1;
    t[i].speed = in[i];
    __syncthreads();
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        Body *b = &t[(i + k) & 63];
        sum += b->at.x * b->at.y + b->at.z * b->mass + b->speed;
    }
    out[blockIdx.x * 64 + i] = sum;
}
}
