"""Generators of cuRAND."""

HEAD = "#include <curand_kernel.h>\n"

def random_numbers(d, k):
    s = d.of("curandStatePhilox4_32_10_t", "curandStateXORWOW_t", "curandStateMRG32k3a_t"); f = d.of("curand_uniform", "curand_normal", "curand", "curand_normal2")
    init = d.of(" = states[i];", "; curand_init(seed, i, 0, &st);", "; curand_init(1234, i, 0, &st);")
    e = {"curand_normal2": "{ float2 q = curand_normal2(&st); a += q.x * q.y; }"}.get(f, f"a += {f}(&st);")
    return f"__global__ void {d.bounds()}{k}({s} *states, float *y, int n, unsigned long long seed) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {s} st{init} float a = 0; {d.unroll()}for (int j = 0; j < {d.of('n', '4', '16')}; j++) {e} y[i] = a; {d.maybe(.5, 'states[i] = st;')} }}"


KINDS = [random_numbers]
