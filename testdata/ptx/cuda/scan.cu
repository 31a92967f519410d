// scan.cu -- prefix sums of blocks of 512 ints.
//
//   scan_hillis    step-doubling scan, double-buffered in shared memory
//   scan_blelloch  work-efficient up-sweep and down-sweep: power-of-two strides, bank conflicts
//   scan_warp      inclusive scan by warp shuffles

extern "C" __global__ __launch_bounds__(512) void scan_hillis(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int buffer[2][512];
    int t = threadIdx.x, cur = 0;
    buffer[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        int next = cur ^ 1;
        buffer[next][t] = t >= d ? buffer[cur][t] + buffer[cur][t - d] : buffer[cur][t];
        cur = next;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = buffer[cur][t];
}

extern "C" __global__ __launch_bounds__(256) void scan_blelloch(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int s[512];
    int t = threadIdx.x, base = blockIdx.x * 512, offset = 1;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            int v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

extern "C" __global__ __launch_bounds__(512) void scan_warp(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int totals[16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int v = in[blockIdx.x * 512 + t];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += u;
    }
    if (lane == 31)
        totals[warp] = v;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++)
        before += totals[w];
    out[blockIdx.x * 512 + t] = v + before;
}
