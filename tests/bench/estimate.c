/* estimate.c -- how long ptxlint_estimate() takes.
 *
 *   ptxlint-bench-estimate [-v] GPU FILE.ptx LAUNCHES.json [FILE.ptx LAUNCHES.json...]
 *
 * Each kernel that the launch file names is estimated CALLS times, as its module was made for it,
 * with a larger grid each time: what was asked before is kept. Its figure is the median call, in
 * microseconds of processor time. What is printed: how many kernels there are, the median over
 * them, nine in ten, the longest; the median with the grid of the launch and another cap on
 * registers each time, and where the same is asked once more. -v: every kernel with what was
 * estimated for its launch, so that two builds can be compared. */
#include "ptxlint/ptxlint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 101, MAX_KERNELS = 4096, MAX_REGISTERS = 255 };

typedef struct Sample {
    double us, cap_us, again_us;
    char name[128];
} Sample;

static void die(const char *what, const char *where)
{
    fprintf(stderr, "ptxlint-bench-estimate: %s: %s\n", where, what);
    exit(1);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        die("cannot be read", path);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (!bytes)
        die("no memory", path);
    *length = fread(bytes, 1, (size_t)size, file);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + (double)t.tv_nsec / 1e3;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_caps(const void *a, const void *b)
{
    return compare_doubles(&((const Sample *)a)->cap_us, &((const Sample *)b)->cap_us);
}

static int compare_again(const void *a, const void *b)
{
    return compare_doubles(&((const Sample *)a)->again_us, &((const Sample *)b)->again_us);
}

static int compare_samples(const void *a, const void *b)
{
    const Sample *x = a, *y = b;
    return (x->us > y->us) - (x->us < y->us);
}

static double time_call(const ptxlint_module *module, const char *kernel,
                        const ptxlint_trial *trial, ptxlint_estimated *out)
{
    const double begin = now_us();
    if (ptxlint_estimate(module, kernel, 0, trial, out) != PTXLINT_OK)
        die("failed", kernel);
    return now_us() - begin;
}

typedef enum Asked { ASKED_GRID, ASKED_CAP, ASKED_AGAIN } Asked;

/* The median call. */
static double time_calls(const ptxlint_module *module, const ptxlint_kernel *kernel, Asked asked,
                         ptxlint_estimated *out)
{
    double times[CALLS];
    ptxlint_trial trial;
    ptxlint_trial_init(&trial);
    for (int i = 0; i < CALLS; i++) {
        if (asked == ASKED_CAP)
            trial.max_registers = MAX_REGISTERS - i;
        for (int d = 0; asked == ASKED_GRID && d < 3; d++)
            trial.grid[d] = kernel->launch.grid[d] + (d == 0 ? i + 1 : 0);
        times[i] = time_call(module, kernel->name, &trial, out);
    }
    qsort(times, CALLS, sizeof *times, compare_doubles);
    return times[CALLS / 2];
}

/* out: as estimated for its launch. */
static void measure(const ptxlint_module *module, const ptxlint_kernel *kernel, Sample *sample,
                    ptxlint_estimated *out)
{
    sample->us = time_calls(module, kernel, ASKED_GRID, out);
    sample->cap_us = time_calls(module, kernel, ASKED_CAP, out);
    sample->again_us = time_calls(module, kernel, ASKED_AGAIN, out);
}

static size_t measure_file(const ptxlint_gpu *gpu, const char *path, const char *launch_path,
                           int is_verbose, Sample *samples, size_t count)
{
    char error[512];
    size_t length, kernel_count;
    ptxlint_launches *launches;
    ptxlint_options options;
    ptxlint_module *module;
    char *json = read_file(launch_path, &length);
    if (ptxlint_launches_new(json, length, &launches, error, sizeof error) != PTXLINT_OK)
        die(error, launch_path);
    free(json);
    ptxlint_options_init(&options);
    options.launches = launches;
    options.gpus = &gpu;
    options.gpu_count = 1;
    if (ptxlint_module_open(path, &options, &module) != PTXLINT_OK)
        die("failed", path);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &kernel_count);
    for (size_t k = 0; k < kernel_count && count < MAX_KERNELS; k++) {
        ptxlint_estimated e = { .size = sizeof e };
        if (!kernels[k].is_entry || kernels[k].launch.source != PTXLINT_LAUNCH_FILE)
            continue;
        Sample *sample = &samples[count++];
        measure(module, &kernels[k], sample, &e);
        snprintf(sample->name, sizeof sample->name, "%s", kernels[k].name);
        if (is_verbose)
            printf("%-40.40s %9.1f us: instructions %.17g sectors %.17g/%.17g wavefronts "
                   "%.17g/%.17g predicted %.17g bound %.17g dram %.17g\n",
                   sample->name, sample->us, e.warp_instructions, e.sectors_per_request,
                   e.ideal_sectors_per_request, e.wavefronts_per_request,
                   e.ideal_wavefronts_per_request, e.time.predicted_us, e.time.bound_us,
                   e.time.dram_bytes);
    }
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    return count;
}

int main(int argc, char **argv)
{
    static Sample samples[MAX_KERNELS];
    size_t count = 0;
    int first = argc > 1 && !strcmp(argv[1], "-v") ? 2 : 1;
    const ptxlint_gpu *gpu = argc > first ? ptxlint_gpu_find(argv[first]) : NULL;
    if (!gpu || argc < first + 3 || (argc - first) % 2 == 0) {
        fputs("usage: ptxlint-bench-estimate [-v] GPU FILE.ptx LAUNCHES.json...\n", stderr);
        return 2;
    }
    for (int i = first + 1; i + 1 < argc; i += 2)
        count = measure_file(gpu, argv[i], argv[i + 1], first == 2, samples, count);
    if (!count)
        die("names none of its kernels", argv[first + 2]);
    qsort(samples, count, sizeof *samples, compare_again);
    const double again = samples[count / 2].again_us;
    qsort(samples, count, sizeof *samples, compare_caps);
    const double cap = samples[count / 2].cap_us;
    qsort(samples, count, sizeof *samples, compare_samples);
    printf("%zu kernels: ptxlint_estimate() takes %.1f us in the median, %.1f for nine in ten, "
           "%.1f at the most; with another cap on registers %.1f in the median, asked the same "
           "once more %.1f (%s)\n",
           count, samples[count / 2].us, samples[count * 9 / 10].us, samples[count - 1].us, cap,
           again, samples[count - 1].name);
    return 0;
}
