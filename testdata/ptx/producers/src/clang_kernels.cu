// clang_kernels.cu -- compiled as CUDA by clang 14, without the CUDA headers.

#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

DEVICE static inline int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE static inline int index()
{
    return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + thread();
}

struct Complex { float re, im; };

DEVICE __attribute__((noinline)) Complex multiply(Complex a, Complex b)
{
    return Complex{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

extern "C" GLOBAL __attribute__((launch_bounds(128, 4))) void complex_power(int n, int power, Complex *v)
{
    int i = index();
    if (i >= n)
        return;
    Complex r = {1.0f, 0.0f}, x = v[i];
    for (int k = 0; k < power; k++)
        r = multiply(r, x);
    v[i] = r;
}

template <class T> GLOBAL void reverse_block(T *v)
{
    SHARED static T tile[64];
    int t = thread();
    tile[t] = v[index()];
    __nvvm_bar_sync(0);
    v[index()] = tile[63 - t];
}
template GLOBAL void reverse_block<int>(int *);
template GLOBAL void reverse_block<double>(double *);

extern "C" GLOBAL void opcode_table(int n, const unsigned char *code, int *out)
{
    int i = index(), v = i;
    for (int k = 0; k < n; k++) {
        switch (code[k]) {
        case 0: v += 3; break;
        case 1: v *= 5; break;
        case 2: v ^= k; break;
        case 3: v = -v; break;
        case 4: v >>= 1; break;
        case 5: out[v & 31] = k; break;
        case 6: v = out[v & 31]; break;
        case 7: v |= 1; break;
        default: return;
        }
    }
    out[i] = v;
}

extern "C" GLOBAL void local_table(int n, const int *key, double *out)
{
    double table[8];
    for (int k = 0; k < 8; k++)
        table[k] = k / 3.0;
    int i = index();
    if (i < n)
        out[i] = table[key[i] & 7];
}
