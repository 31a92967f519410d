// nbody.cu -- all-pairs gravity with a tile of bodies in shared memory and rsqrtf.

#define BLOCK 256

static __device__ __forceinline__ float3 pull(float4 me, float4 other, float3 acc)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    float f = other.w * inv * inv * inv;
    acc.x += dx * f;
    acc.y += dy * f;
    acc.z += dz * f;
    return acc;
}

extern "C" __global__ __launch_bounds__(BLOCK) void nbody(int n, const float4 *__restrict__ body,
                                                          float4 *__restrict__ velocity, float dt)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = body[i];
    float3 acc = make_float3(0.0f, 0.0f, 0.0f);
    for (int t = 0; t < n; t += BLOCK) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BLOCK; k++)
            acc = pull(me, tile[k], acc);
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += acc.x * dt;
    v.y += acc.y * dt;
    v.z += acc.z * dt;
    velocity[i] = v;
}
