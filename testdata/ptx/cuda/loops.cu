// Loops whose count is known. tests/unit/test_trip.c reads the comments.
//
//   // launch: GRID BLOCK: VALUES   on the kernel's line: how it is launched, and its parameters, - for pointers
//   // trips: COUNT                 on the line that the branch back belongs to: the iterations of each PTX loop that
//                                   comes from it, in order, with | between them
//
// COUNT is a number where the code alone tells; else an expression, and after "launch" the number that the launch makes of
// it: mean (least..most) where threads differ, 0 where none comes there. "at most": the loop may be left before. %r is a
// register, the counter of a loop around. "or" stands between what targets make of one loop.
#include <cuda_runtime.h>

// ---- constants

extern "C" __global__ void constants(const float *in, float *out)   // launch: 1 32: - -
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < 16; i++)                                    // trips: 16
        sum += in[i * 7];
#pragma unroll 1
    for (int i = 0; i <= 16; i++)                                   // trips: 17
        sum += in[i * 5];
#pragma unroll 1
    for (int i = 100; i > 0; i -= 3)                                // trips: 34
        sum += in[i];
#pragma unroll 1
    for (unsigned i = 7; i < 1000; i += 10)                         // trips: 100
        sum += in[i];
#pragma unroll 1
    for (unsigned i = 50; i-- > 0;)                                 // trips: 50
        sum *= in[i];
#pragma unroll 4
    for (int i = 0; i < 64; i++)                                    // trips: 16
        sum += in[i * 3] * sum;
#pragma unroll 1
    for (long long i = 0; i < 1000000; i += 1000)                   // trips: 1000
        sum += in[i];
#pragma unroll 1
    for (short i = 0; i < 90; i += 9)                               // trips: 10
        sum += in[i * i];
    int n = 5;
#pragma unroll 1
    do {
        sum = sum * sum + in[n];
    } while (--n);                                                  // trips: 5
    out[threadIdx.x] = sum;
}

extern "C" __global__ void geometric(float *data, int n, unsigned seed)    // launch: 4 128: - 1000 200
{
    __shared__ float tile[256];
    unsigned t = threadIdx.x;
    tile[t] = data[t];
#pragma unroll 1
    for (int s = 128; s > 0; s >>= 1) {                             // trips: 8
        __syncthreads();
        if (t < s)
            tile[t] += tile[t + s];
    }
#pragma unroll 1
    for (unsigned s = 1; s < 256; s *= 2) {                         // trips: 8
        __syncthreads();
        tile[t] *= tile[t ^ s];
    }
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {              // trips: floor(log2(%ntid.x / 2)) + 1, launch 7 or floor(log2(%ntid.x)), launch 7
        __syncthreads();
        tile[t] += tile[t ^ s];
    }
#pragma unroll 1
    for (unsigned s = 1; s < blockDim.x; s <<= 1) {                 // trips: ceil(log2(%ntid.x)), launch 7
        __syncthreads();
        tile[t] -= tile[t ^ s];
    }
#pragma unroll 1
    for (int i = 1; i < n; i *= 3) {                                // trips: unknown, launch 7
        __syncthreads();
        tile[t] += tile[i & 255];
    }
#pragma unroll 1
    while (seed) {                                                  // trips: floor(log2(param_2)) + 1, launch 8
        __syncthreads();
        tile[t] += tile[seed & 255];
        seed >>= 1;
    }
    data[t] = tile[t];
}

// ---- parameters

extern "C" __global__ void counted(const float *in, float *out, int n, unsigned m, long long w)    // launch: 8 64: - - 1000 77 5000
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++)                                     // trips: param_2, launch 1000
        sum += in[i * 3];
#pragma unroll 1
    for (int i = 0; i < n; i += 16)                                 // trips: ceil(param_2 / 16), launch 63
        sum += in[i];
#pragma unroll 1
    for (int i = n; i > 0; i--)                                     // trips: param_2, launch 1000
        sum *= in[i];
#pragma unroll 1
    for (int i = 3; i <= n; i += 2)                                 // trips: ceil((param_2 - 2) / 2), launch 499
        sum += in[i];
#pragma unroll 1
    for (unsigned i = 0; i < m; i += 4)                             // trips: ceil(param_3 / 4), launch 20
        sum -= in[i];
#pragma unroll 1
    for (unsigned i = 0; i < (m & ~3u); i += 4)                     // trips: param_3 / 4, launch 19
        sum -= in[i + 1];
#pragma unroll 1
    for (int i = 0; i < n / 4; i++)                                 // trips: param_2 / 4, launch 250
        sum += in[i * 5];
#pragma unroll 1
    for (int i = 0; i < min(n, 64); i++)                            // trips: min(param_2, 64), launch 64
        sum += in[i * 9];
#pragma unroll 1
    for (long long i = 0; i < w; i += 64)                           // trips: ceil(param_4 / 64), launch 79
        sum += in[i];
#pragma unroll 1
    for (int i = 10; i < n - 10; i += 5)                            // trips: ceil((param_2 - 20) / 5), launch 196
        sum += in[i];
#pragma unroll 4
    for (int i = 0; i < n; i++)                                     // trips: param_2 / 4, launch 250 | param_2 & 3, launch 0
        sum = sum * sum + in[i * 2];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void pointers(const float *in, float *out, int n, const float *last)   // launch: 8 64: - - 1000 -
{
    float sum = 0.0f;
    const float *end = in + n;
#pragma unroll 1
    for (const float *p = in; p != end; p++)                        // trips: param_2, launch 1000
        sum += *p;
#pragma unroll 1
    for (const float *p = in; p < in + 2 * n; p += 4)               // trips: ceil(param_2 / 2), launch 500
        sum -= *p;
#pragma unroll 1
    for (const float *p = in + 256; p != in; p -= 8)                // trips: 32
        sum *= *p;
#pragma unroll 1
    for (const float *p = in; p < last; p++)                        // trips: ceil((param_3 - param_0) / 4)
        sum += *p;
    out[threadIdx.x] = sum;
}

struct Shape {
    int rows, columns;
    short depth;
};

extern "C" __global__ void structure(float *out, Shape shape, const unsigned char *bytes)    // launch: 1 32: - 20,30,5 -
{
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < shape.rows; r++) {                          // trips: param_1, launch 20
#pragma unroll 1
        for (int c = 0; c < shape.columns; c++)                     // trips: [param_1+4], launch 30
            sum += bytes[r * 3 + c];
    }
#pragma unroll 1
    for (int d = 0; d < shape.depth; d++)                           // trips: [param_1+8], launch 5
        sum *= bytes[d];
    out[threadIdx.x] = sum;
}

// ---- threads

extern "C" __global__ void grid_stride(const float *in, float *out, int n)     // launch: 16 128: - - 10000
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)     // trips: ceil((param_2 - %ctaid.x * %ntid.x - %tid.x) / (%ntid.x * %nctaid.x)), launch 4.8828125 (4..5)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void block_stride(const float *in, float *out, int n)    // launch: 16 128: - - 1024
{
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)          // trips: ceil((param_2 - %tid.x) / %ntid.x), launch 8
        sum += in[blockIdx.x * n + i];
#pragma unroll 1
    for (int i = threadIdx.x; i >= 0; i -= 32)                      // trips: ceil((%tid.x + 1) / 32), launch 2.5 (1..4)
        sum -= in[i];
#pragma unroll 1
    for (int i = 0; i < threadIdx.x % 8; i++)                       // trips: %tid.x & 7, launch 4 (1..7)
        sum *= in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256) some_threads(const float *in, float *out, int n)     // launch: 40 256: - - 10000
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < row; i++)                                   // trips: %ctaid.x * %ntid.x + %tid.x, launch 5000 (1..9999)
        sum += in[i];
    out[row] = sum;
}

// ---- nests

extern "C" __global__ void triangle(const float *in, float *out, int n)        // launch: 1 32: - - 100
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < 100; i++) {                                 // trips: 100
#pragma unroll 1
        for (int j = 0; j <= i; j++)                                // trips: 50.5 (1..100)
            sum += in[i * 128 + j];
    }
#pragma unroll 1
    for (int i = 0; i < n; i++) {                                   // trips: param_2, launch 100
#pragma unroll 1
        for (int j = i; j < n; j++)                                 // trips: param_2 - %r, launch 50.5 (1..100)
            sum -= in[i * 128 + j];
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void carried(const float *in, float *out, int n)         // launch: 1 32: - - 12
{
    float sum = 0.0f;
    int i = 0;
#pragma unroll 1
    for (; i + 8 <= n; i += 8)                                      // trips: ceil((param_2 - 7) / 8), launch 1
        sum += in[i] * in[i + 4];
#pragma unroll 1
    for (; i < n; i++)                                              // trips: unknown, launch 4 or param_2 - (param_2 < 8 ? 0 : param_2 & 2147483640), launch 4
        sum -= in[i];
    out[threadIdx.x] = sum;
}

// ---- other ways out

extern "C" __global__ void early(const float *in, float *out, int n)   // launch: 1 32: - - 500
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < 64; i++) {                                  // trips: at most 64
        if (in[i] < 0.0f)
            break;
        sum += in[i];
    }
#pragma unroll 1
    for (int i = 0; i < n && sum < 100.0f; i++)                     // trips: at most param_2, launch at most 500
        sum += in[i * 3];
#pragma unroll 1
    for (int i = 0, j = n; i < j; i++, j--)                         // trips: ceil(param_2 / 2), launch 250
        sum += in[i] * in[j];
#pragma unroll 1
    for (int i = 0; i < n; i++) {                                   // trips: param_2, launch 500
        if (in[i] != in[i])
            __trap();
        sum += in[i * 2];
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void data_dependent(const int *in, float *out, int n)    // launch: 1 32: - - 500
{
    float sum = 0.0f;
    int at = in[threadIdx.x];
    int count = in[threadIdx.x + 1];
#pragma unroll 1
    for (int i = 0; i < count; i++)                                 // trips: unknown
        sum += (float)in[i];
#pragma unroll 1
    while (at != 0)                                                 // trips: unknown
        at = in[at];
#pragma unroll 1
    for (int i = 0; i < n; i += count)                              // trips: unknown
        sum -= (float)in[i];
#pragma unroll 1
    while (n > 1) {                                                 // trips: unknown, launch 110
        sum += (float)in[n];
        n = n % 2 ? 3 * n + 1 : n / 2;
    }
    out[threadIdx.x] = sum + (float)at;
}
