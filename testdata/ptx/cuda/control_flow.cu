// control_flow.cu -- a dense switch, nested loops with break and continue, an early return before a barrier, a
// barrier in a divergent branch, and loops whose trip count differs between lanes.

extern "C" __global__ void interpreter(int length, const unsigned char *__restrict__ code, int *stack)
{
    int acc = threadIdx.x;
    for (int pc = 0; pc < length; pc++) {
        switch (code[pc]) {
        case 0: acc += 1; break;
        case 1: acc *= 3; break;
        case 2: acc ^= pc; break;
        case 3: acc = stack[acc & 255]; break;
        case 4: stack[acc & 255] = pc; break;
        case 5: acc = -acc; break;
        case 6: pc += acc & 3; break;
        case 7: acc >>= 2; break;
        case 8: acc = __popc(acc); break;
        case 9: return;
        default: acc--; break;
        }
    }
    stack[threadIdx.x] = acc;
}

extern "C" __global__ __launch_bounds__(256) void mandelbrot(int width, int height, int limit,
                                                             unsigned short *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float cx = 3.0f * x / width - 2.0f, cy = 2.0f * y / height - 1.0f, zx = 0.0f, zy = 0.0f;
    int k = 0;
    while (k < limit && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        k++;
    }
    out[y * width + x] = k;
}

extern "C" __global__ __launch_bounds__(128) void return_before_barrier(int n, const int *__restrict__ in,
                                                                        int *__restrict__ out)
{
    __shared__ int s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return; // some threads of the last block never reach the barrier
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[127 - threadIdx.x];
}

extern "C" __global__ __launch_bounds__(128) void divergent_barrier(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (s[t] > 0) {
        s[t] += 1;
        __syncthreads();
    }
    out[t] = s[(t + 1) & 127];
}

extern "C" __global__ void search(int rows, int cols, int key, const int *__restrict__ in, int *__restrict__ found)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int where = -1;
    for (int c = 0; c < cols; c++) {
        int v = in[r * cols + c];
        if (v < 0)
            continue;
        if (v == key) {
            where = c;
            break;
        }
    }
    found[r] = where;
}
