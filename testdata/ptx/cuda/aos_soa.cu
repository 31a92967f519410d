// aos_soa.cu -- the same update on an array of structures and on a structure of arrays.
//
//   aos_update         28-byte stride between lanes: seven 4-byte accesses, each strided
//   aos_update_wide    the structure padded to 32 bytes and moved as two float4
//   soa_update         unit stride in every array

struct Particle { float x, y, z, vx, vy, vz, mass; };
struct alignas(16) WideParticle { float4 position, velocity; };
struct Particles { float *x, *y, *z, *vx, *vy, *vz, *mass; };

extern "C" __global__ void aos_update(int n, Particle *p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float scale = dt / p[i].mass;
    p[i].x += p[i].vx * scale;
    p[i].y += p[i].vy * scale;
    p[i].z += p[i].vz * scale;
}

extern "C" __global__ void aos_update_wide(int n, WideParticle *p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    WideParticle q = p[i];
    float scale = __fdividef(dt, q.position.w);
    q.position.x += q.velocity.x * scale;
    q.position.y += q.velocity.y * scale;
    q.position.z += q.velocity.z * scale;
    p[i] = q;
}

extern "C" __global__ void soa_update(int n, Particles p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float scale = __fdividef(dt, p.mass[i]);
    p.x[i] += p.vx[i] * scale;
    p.y[i] += p.vy[i] * scale;
    p.z[i] += p.vz[i] * scale;
}
