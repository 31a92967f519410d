"""libcu++: barriers, pipelines, atomics with scopes, spans of complex numbers."""

HEAD = "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cuda/atomic>\n#include <cuda/std/complex>\n#include <cuda/std/array>\n"


def barrier_object(d, k):
    t = d.of("float", "int", "double")
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, $t *${restrict}y, int steps) {\n    using Bar = "
        "cuda::barrier<cuda::thread_scope_block>; "
        "__shared__ $t s[$st][$b];\n#pragma nv_diag_suppress static_var_with_dynamic_init\n    __shared__ Bar bar[$st]; int t = threadIdx.x; "
        "if (t < $st) init(&bar[t], blockDim.x); __syncthreads(); $t a = 0; " + d.of(
        "$unroll for (int j = 0; j < steps; j++) { s[j % $st][t] = x[j * $b + t]; bar[j % $st].arrive_and_wait(); a += s[j % $st][$b - 1 - t]; "
        "}", "$unroll for (int j = 0; j < steps; j++) { auto token = bar[0].arrive(); a += x[j * $b + t] * 2; bar[0].wait(std::move(token)); "
        "s[0][t] = a; }",
        "for (int j = 0; j < steps; j++) { cuda::memcpy_async(&s[j % $st][t], &x[j * $b + t], sizeof($t), bar[j % $st]); "
        "bar[j % $st].arrive_and_wait(); $unroll for (int q = 0; q < 4; q++) a += s[j % $st][(t + q) % $b]; }") + " y[blockIdx.x * $b + t] = "
        "a;\n}", k, t=t, st=d.of(1, 2, 3, 4), b=d.of(64, 128, 256))


def pipeline_object(d, k):
    t, add = d.of(("float", "a += v;"), ("float4", "a += v.x * v.y + v.z * v.w;"), ("int2", "a += v.x ^ v.y;"))
    return d.cuda("__global__ void $bounds$k(const $t *${restrict}x, float *${restrict}y, int tiles) {\n    __shared__ $t s[$st][$b]; auto block = "
        "cooperative_groups::this_thread_block(); int t = threadIdx.x; float a = 0; " + d.of("auto pipe = "
        "cuda::make_pipeline();", "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, $st> state; auto pipe = "
        "cuda::make_pipeline(block, &state);") + """
    $unroll for (int j = 0, f = 0; j < tiles; j++) { for (; f < tiles && f < j + $st; f++) { pipe.producer_acquire();
        cuda::memcpy_async(&s[f % $st][t], x + ((size_t)blockIdx.x * tiles + f) * $b + t, sizeof($t), pipe); pipe.producer_commit(); }
        pipe.consumer_wait(); block.sync(); $t v = s[j % $st][@{t@(t + 7) % $b@}]; """ + add + """ @{block.sync();@@} pipe.consumer_release(); }
    y[blockIdx.x * $b + t] = a;
}""", k, t=t, st=d.of(1, 2, 3, 4), b=d.of(64, 128, 256))


def scoped_atomics(d, k):
    t = d.of("int", "unsigned", "unsigned long long", "float"); order = d.of("relaxed", "acq_rel", "seq_cst", "release"); scope = d.of("device",
        "block", "system"); load = "relaxed" if order in ("relaxed", "release") else "acquire" if order == "acq_rel" else "seq_cst"
    return d.cuda("__global__ void $bounds$k($t *x, const $t *${restrict}v, $t *${restrict}y, int *flag, int n) { $index @{if (i >= n) return;@@} "
        "cuda::atomic_ref<$t, cuda::thread_scope_$scope> a(x[@{i@0@i % 64@}]); " + d.of("y[i] = a.fetch_add(v[i], "
        "cuda::std::memory_order_$order);", "a.store(v[i], cuda::std::memory_order_@{release@relaxed@seq_cst@});", "y[i] = "
        "a.load(cuda::std::memory_order_$load);", "$t o = a.load(cuda::std::memory_order_relaxed), w = v[i]; "
        "while (o < w && !a.compare_exchange_weak(o, w, cuda::std::memory_order_$order, cuda::std::memory_order_relaxed)) ;",
        "cuda::atomic_ref<int, cuda::thread_scope_$scope> f(*flag); if (i == 0) { x[1] = v[0]; f.store(1, cuda::std::memory_order_release); } else { "
        "while (f.load(cuda::std::memory_order_acquire) == 0) ; y[i] = x[1]; }", "y[i] = a.exchange(v[i], cuda::std::memory_order_$order); "
        "cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_$scope); y[i] += "
        "x[0];") + " }", k, t=t, order=order, scope=scope, load=load)


def complex_numbers(d, k):
    t = d.of("float", "double"); C = f"cuda::std::complex<{t}>"; e = lambda: d.of("a * b", "a + b", "a * b + c", "a / b", "conj(a) * b", "C(abs(a), "
        "0)", "a * C(0, 1)", "C(norm(a), norm(b))", "a - b * c", "exp(a)", "polar(abs(a), "
        "arg(b))").replace("C(", C + "(").replace("polar", "cuda::std::polar").replace("norm", "cuda::std::norm")
    return d.cuda("__global__ void $bounds$k(const $C *${restrict}x, const $C *${restrict}z, $C *${restrict}y, $C c, int n) { $index @{if (i >= n) "
        "return;@@} $C a = x[i], b = z[i]; " + d.of("y[i] = " + e() + ";", "y[i] = " + e() + "; y[i + n] = " + e() + ";", "$unroll for (int j = 0; "
        "j < @{n@4@}; j++) { a = " + e() + "; b = b + c; } y[i] = a;", "cuda::std::array<$C, $m> v; $unroll for (int j = 0; j < $m; j++) v[j] = "
        "x[i + j * n]; $C s(0, 0); $unroll for (int j = 0; j < $m; j++) s += v[j] * z[j]; y[i] = s;") + " }", k, t=t, C=C, m=d.of(2, 3, 4, 8))


KINDS = [barrier_object, pipeline_object, scoped_atomics, complex_numbers]
