/* choose-block.c -- asks, before a launch, which block size to launch a kernel with: choose-block FILE.ptx KERNEL THREADS [INTEGER...]
 *
 * The kernel runs THREADS threads in a row; its parameters are pointers, then these integers of 32 bits. Build: cc choose-block.c -lptxlint */
#include <ptxlint/ptxlint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTEGERS_MOST = 8, PARAMS_MOST = 32 };

/* As cuLaunchKernel takes them, but NULL for pointers. How many there are in front of the integers the kernel's parameters tell. */
static size_t make_params(const ptxlint_kernel *kernel, const int *integers, size_t count, const void **params)
{
    size_t pointers = ((size_t)kernel->param_bytes - 4 * count) / 8;
    for (size_t i = 0; i < pointers + count && i < PARAMS_MOST; i++)
        params[i] = i < pointers ? NULL : &integers[i - pointers];
    return pointers + count;
}

static const ptxlint_kernel *find_kernel(const ptxlint_module *module, const char *name)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++)
        if (kernels[i].is_entry && !strcmp(name, kernels[i].name))
            return &kernels[i];
    return NULL;
}

static int choose(const ptxlint_module *module, const ptxlint_kernel *kernel, long long threads, const int *integers, size_t integer_count)
{
    const void *params[PARAMS_MOST];
    size_t param_count = make_params(kernel, integers, integer_count, params);
    long long best = 0;
    double best_us = INFINITY;
    for (long long block = 32; block <= 1024; block *= 2) {
        ptxlint_trial trial;
        ptxlint_estimated estimated = { .size = sizeof estimated };
        ptxlint_trial_init(&trial);
        trial.block[0] = block;
        trial.grid[0] = (threads + block - 1) / block;
        trial.params = params;
        trial.param_count = param_count;
        if (ptxlint_estimate(module, kernel->name, 0, &trial, &estimated) != PTXLINT_OK || !isfinite(estimated.time.predicted_us))
            continue;
        printf("%4lld threads: %8.2f us predicted, at least %.2f; %s\n", block, estimated.time.predicted_us, estimated.time.bound_us,
               estimated.time.limiter ? estimated.time.limiter : "-");
        if (estimated.time.predicted_us < best_us) {
            best_us = estimated.time.predicted_us;
            best = block;
        }
    }
    if (best)
        printf("launch it with blocks of %lld\n", best);
    return best ? 0 : 1;
}

int main(int argc, char **argv)
{
    int integers[INTEGERS_MOST];
    size_t integer_count = 0;
    ptxlint_options options;
    ptxlint_module *module;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    if (argc < 4 || !gpu)
        return 2;
    for (int i = 4; i < argc && integer_count < INTEGERS_MOST; i++)
        integers[integer_count++] = atoi(argv[i]);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    if (ptxlint_module_open(argv[1], &options, &module) != PTXLINT_OK)
        return 2;
    const ptxlint_kernel *kernel = find_kernel(module, argv[2]);
    int code = kernel ? choose(module, kernel, atoll(argv[3]), integers, integer_count) : 2;
    ptxlint_module_free(module);
    return code;
}
