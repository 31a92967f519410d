// One warp, a pattern of places: which wavefronts each kind of access to shared memory takes.
extern "C" __global__ void probes(unsigned *places, unsigned mask)
{
    __shared__ __align__(1024) unsigned t[1024];
    unsigned place = places[threadIdx.x], far = places[32 + threadIdx.x], at = (unsigned)__cvta_generic_to_shared(t), v = place + 1, x, y, z, sum = 0;
    unsigned *from = places + 64;
    unsigned long long w = v;
    unsigned short s = (unsigned short)v;
    float f = v;
    double d = v;
    for (int k = 0; k < 32; k++)
        t[k * 32 + threadIdx.x] = 0;
    __syncwarp();
    if (mask >> threadIdx.x & 1) {
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.min.u32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.max.s32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.and.b32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.or.b32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.xor.b32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.inc.u32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.dec.u32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.cas.b32 %0, [%1], %2, %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.add.f32 %0, [%1], %2;" : "=f"(f) : "r"(at + 4 * place), "f"(f) : "memory"); sum += (unsigned)(f);
        asm volatile("atom.shared.add.noftz.f16x2 %0, [%1], %2;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.min.u32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.max.s32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.and.b32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.or.b32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.xor.b32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.inc.u32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.dec.u32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("red.shared.add.u32 [%0], 2;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.inc.u32 %0, [%1], 0xffffffff;" : "=r"(v) : "r"(at + 4 * place), "r"(v) : "memory"); sum += (unsigned)(v);
        asm volatile("atom.shared.add.u64 %0, [%1], %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("atom.shared.min.u64 %0, [%1], %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("atom.shared.max.s64 %0, [%1], %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("atom.shared.and.b64 %0, [%1], %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("atom.shared.cas.b64 %0, [%1], %2, %2;" : "=l"(w) : "r"(at + 8 * place), "l"(w) : "memory"); sum += (unsigned)(w);
        asm volatile("red.shared.add.u64 [%0], %1;" ::"r"(at + 8 * place), "l"(w) : "memory");
        asm volatile("atom.shared.add.f64 %0, [%1], %2;" : "=d"(d) : "r"(at + 8 * place), "d"(d) : "memory"); sum += (unsigned)(d);
        asm volatile("atom.shared.cas.b16 %0, [%1], %2, %2;" : "=h"(s) : "r"(at + 2 * place), "h"(s) : "memory"); sum += (unsigned)(s);
        asm volatile("atom.shared.add.noftz.f16 %0, [%1], %2;" : "=h"(s) : "r"(at + 2 * place), "h"(s) : "memory"); sum += (unsigned)(s);
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(at + 1 * place), "r"(v) : "memory");
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(at + 2 * place), "h"(s) : "memory");
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + 4 * place), "r"(v) : "memory");
        asm volatile("st.shared.v2.u16 [%0], {%1, %1};" ::"r"(at + 4 * place), "h"(s) : "memory");
        asm volatile("st.shared.u64 [%0], %1;" ::"r"(at + 8 * place), "l"(w) : "memory");
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at + 8 * place), "r"(v), "r"(sum) : "memory");
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %1, %2};" ::"r"(at + 16 * place), "r"(v), "r"(sum) : "memory");
        asm volatile("st.shared.v2.u64 [%0], {%1, %1};" ::"r"(at + 16 * place), "l"(w) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at + 4 * place), "l"(from + far) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" ::"r"(at + 4 * place), "l"(from + far) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at + 8 * place), "l"(from + far * 2) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 4;" ::"r"(at + 8 * place), "l"(from + far * 2) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, 4;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 12;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 0;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
        asm volatile("ld.shared.u8 %0, [%1];" : "=h"(s) : "r"(at + 1 * place) : "memory"); sum += (unsigned)(s);
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(s) : "r"(at + 2 * place) : "memory"); sum += (unsigned)(s);
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at + 4 * place) : "memory"); sum += (unsigned)(v);
        asm volatile("ld.shared.u64 %0, [%1];" : "=l"(w) : "r"(at + 8 * place) : "memory"); sum += (unsigned)(w);
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(x) : "r"(at + 8 * place) : "memory"); sum += v + x;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(x), "=r"(y), "=r"(z) : "r"(at + 16 * place) : "memory"); sum += v + x + y + z;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at + 16 * place), "l"(from + far * 4), "r"(mask ? 16 : 0) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at + 16 * place), "l"(from + far * 4), "r"(mask ? 16 : 0) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at + 16 * place), "l"(from + far * 4), "r"(far % 3 * 8) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + 16 * place), "l"(from + far * 4) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    places[512 + threadIdx.x] = sum;
}
