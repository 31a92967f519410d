/* test_cuda_kernel.c -- names of the parameters of kernels in CUDA sources. */
#include "kit.h"

#include "findings/cuda_kernel.h"

#include <stdio.h>
#include <string.h>

/* "NAME@LINE(a *b ?)": a `*` before what is a pointer, `?` for what has no name. */
static void describe(const CudaKernels *kernels, const char *text, char *out, size_t size)
{
    size_t length = 0;
    *out = '\0';
    for (uint32_t k = 0; k < kernels->count; k++) {
        const CudaKernel *kernel = &kernels->items[k];
        length += (size_t)snprintf(out + length, size - length, "%.*s@%u(",
                                   (int)ptx_span_length(kernel->name), text + kernel->name.begin,
                                   (unsigned)kernel->line);
        for (uint32_t p = 0; p < kernel->param_count; p++) {
            const CudaParam *param = &kernel->params[p];
            const int bytes = (int)ptx_span_length(param->name);
            length += (size_t)snprintf(out + length, size - length, "%s%s%.*s", p ? " " : "",
                                       param->is_pointer ? "*" : "", bytes ? bytes : 1,
                                       bytes ? text + param->name.begin : "?");
        }
        length += (size_t)snprintf(out + length, size - length, ")");
    }
}

static void test_names(void **state)
{
    static const struct { const char *text, *wanted; } rows[] = {
        { "__global__ void k(float *a, int n) { }", "k@1(*a n)" },
        { "template <int N>\n__global__ void __launch_bounds__(256, N)\n"
          "k(const float *__restrict__ a)\n{ }", "k@2(*a)" },
        { "void __global__ ns::k(int a) {}", "k@1(a)" },
        { "__global__ static void k<float>(float a) {}", "k@1(a)" },
        { "// __global__ void k(int a) {}\n__global__ void k(int b) { }", "k@2(b)" },
        { "/* __global__ void k(int a) {} */ __global__ void k(int /* c */ b) { }", "k@1(b)" },
        { "const char *s = \"__global__ void k(int a) {\"; __global__ void k(int b) {}", "k@1(b)" },
        { "#define K(n) __global__ void n(int a) { }\nK(x)\n__global__ void k(int b) { }", "k@3(b)" },
        { "__global__ void k(int a);\n__global__ void k(int b) { }", "k@2(b)" },
        { "__global__ void k(unsigned, unsigned int, float *, Foo, ns::Foo, const Foo, T<int, 3>, "
          "float b) {}",
          "k@1(? ? *? ? ? ? ? b)" },
        { "__global__ void k(std::pair<int, float> p, const __grid_constant__ CUtensorMap m, "
          "unsigned long long c) {}",
          "k@1(p m c)" },
        { "__global__ void k(int n = f(3, 4), float s[4] = {}, T t = T<1, 2>()) {}", "k@1(n *s t)" },
        { "__global__ void k(Args... args, float (*f)(int, int), F &&g) {}", "k@1(? *? ?)" },
        { "__global__ void k(\n#ifdef A\nint a\n#else\nfloat b\n#endif\n) {}", "" },
        { "__global__ void k(void) {}", "k@1(?)" },
        { "__global__ void k() {}", "k@1(?)" },
        { "__global__ void BOUNDS(256) k(int a) {}", "k@1(a)" },
        { "__global__ void k(int a", "" },
        { "__global__", "" },
        { "__global__ void k(int a) ; { } __global__ void l(int b) {", "l@1(b)" },
        { "__global__ void (((", "" },
        { "__global__ void k(int a, int b) { int c = 1'000; char d = '\"'; } "
          "__global__ void l(int e) {}",
          "k@1(a b)l@1(e)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char got[256];
        Arena arena;
        jmp_buf on_failure;
        ptx_arena_init(&arena, 1 << 20, &on_failure);
        assert_int_equal(setjmp(on_failure), 0);
        CudaKernels kernels = ptx_cuda_kernels_read(&arena, rows[i].text,
                                                    (uint32_t)strlen(rows[i].text));
        describe(&kernels, rows[i].text, got, sizeof got);
        if (strcmp(got, rows[i].wanted) != 0)
            fail_msg("%s: %s, not %s", rows[i].text, got, rows[i].wanted);
        ptx_arena_free(&arena);
    }
}

UNIT(cuda_kernel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
