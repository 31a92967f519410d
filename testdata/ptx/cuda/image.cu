// image.cu -- byte and short data: 3-byte pixels, 16-bit arithmetic, packed 4-byte pixels, volatile and cache hints.

extern "C" __global__ void gray_rgb(int n, const uchar3 *__restrict__ in, unsigned char *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar3 p = in[i];
        out[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
    }
}

extern "C" __global__ void gray_packed(int n, const uint4 *__restrict__ in, unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 p = in[i];
    unsigned px[4] = {p.x, p.y, p.z, p.w}, packed = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        packed |= (((px[k] & 255) * 77 + (px[k] >> 8 & 255) * 150 + (px[k] >> 16 & 255) * 29) >> 8) << 8 * k;
    out[i] = packed;
}

extern "C" __global__ void mix_audio(int n, const short *__restrict__ a, const short *__restrict__ b,
                                     short *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = __ldcs(&a[i]) + __ldcg(&b[i]);
        __stcs(&out[i], (short)min(max(v, -32768), 32767));
    }
}

extern "C" __global__ void wait_for_flag(volatile int *flag, int *out)
{
    while (flag[0] == 0)
        __nanosleep(100);
    long long t = clock64();
    out[threadIdx.x] = (int)(clock64() - t) + flag[1];
}
