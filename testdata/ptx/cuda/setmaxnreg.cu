// setmaxnreg.cu -- a producer and a consumer warpgroup that exchange registers (sm_90a), with named barriers and
// elect.sync.

extern "C" __global__ __launch_bounds__(256) void producer_consumer(int tiles, const float *__restrict__ in,
                                                                    float *__restrict__ out)
{
    __shared__ float tile[2][128];
    int lane = threadIdx.x % 128;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int t = 0; t < tiles; t++) {
            if (t >= 2)
                asm volatile("bar.sync %0, 256;" ::"r"(3 + (t & 1)) : "memory");
            tile[t & 1][lane] = in[(blockIdx.x * tiles + t) * 128 + lane];
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + (t & 1)) : "memory");
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float sum = 0.0f;
        for (int t = 0; t < tiles; t++) {
            asm volatile("bar.sync %0, 256;" ::"r"(1 + (t & 1)) : "memory");
            sum += tile[t & 1][127 - lane];
            if (t + 2 < tiles)
                asm volatile("bar.arrive %0, 256;" ::"r"(3 + (t & 1)) : "memory");
        }
        out[blockIdx.x * 128 + lane] = sum;
        unsigned leader, elected;
        asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xffffffff;\nselp.u32 %1, 1, 0, p;\n}\n"
                     : "=r"(leader), "=r"(elected));
        if (elected)
            out[gridDim.x * 128 + blockIdx.x * 4 + lane / 32] = leader;
    }
}
