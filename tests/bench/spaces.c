/* spaces.c -- what a config of an autotuner takes: the library opens its PTX with its launch,
 * estimates its kernel and frees the module.
 *
 *   ptxlint-bench-spaces [-v] [FOLDER [EVERY]]    default: the folder PTXLINT_SPACES, if it is set
 *
 * FOLDER/spaces.jsonl has a config a line: "device", "ptx" (a path from FOLDER), "kernel", "launch"
 * (as in a launch file). One config in EVERY is measured, all of them by default. What is
 * printed: milliseconds of processor time. -v: every config with its prediction.
 * Without FOLDER/spaces.jsonl nothing is measured. */
#include "ptxlint/ptxlint.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CONFIGS = 1 << 16, PATH_BYTES = 4096 };

typedef struct Times {
    double *open, *estimate, *all;
    size_t count;
} Times;

static void die(const char *what, const char *where)
{
    fprintf(stderr, "ptxlint-bench-spaces: %s: %s\n", where, what);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + (double)t.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ptxlint_launches *read_launch(const char *kernel, json_t *launch)
{
    char error[512];
    ptxlint_launches *launches = NULL;
    json_t *file = json_pack("{s:{s:O}}", "kernels", kernel, launch);
    char *text = file ? json_dumps(file, JSON_COMPACT) : NULL;
    if (!text || ptxlint_launches_new(text, strlen(text), &launches, error, sizeof error))
        die("launch", kernel);
    free(text);
    json_decref(file);
    return launches;
}

static void measure(const char *folder, json_t *row, int is_verbose, Times *times)
{
    char path[PATH_BYTES];
    const char *kernel = json_string_value(json_object_get(row, "kernel")),
               *ptx = json_string_value(json_object_get(row, "ptx")),
               *device = json_string_value(json_object_get(row, "device"));
    const ptxlint_gpu *gpu = device ? ptxlint_gpu_find(device) : NULL;
    if (!kernel || !ptx || !gpu)
        die("a line without kernel, ptx or a known device", folder);
    snprintf(path, sizeof path, "%s/%s", folder, ptx);
    ptxlint_launches *launches = read_launch(kernel, json_object_get(row, "launch"));
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.launches = launches;
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.estimates_only = 1;
    ptxlint_trial trial;
    ptxlint_trial_init(&trial);
    ptxlint_estimated e = { .size = sizeof e };
    const double begin = now_ms();
    if (ptxlint_module_open(path, &options, &module) != PTXLINT_OK)
        die("failed", path);
    const double opened = now_ms();
    if (ptxlint_estimate(module, kernel, 0, &trial, &e) != PTXLINT_OK)
        die("failed", path);
    const double estimated = now_ms();
    if (is_verbose)
        printf("%-40.40s open %9.2f estimate %9.2f ms: predicted %.17g us\n", ptx, opened - begin,
               estimated - opened, e.time.predicted_us);
    ptxlint_module_free(module);
    times->open[times->count] = opened - begin;
    times->estimate[times->count] = estimated - opened;
    times->all[times->count++] = now_ms() - begin;
    ptxlint_launches_free(launches);
}

static void show(const char *what, double *ms, size_t count)
{
    qsort(ms, count, sizeof *ms, compare_doubles);
    printf("%-8s %8.2f %8.2f %8.2f\n", what, ms[count / 2], ms[count * 9 / 10], ms[count - 1]);
}

int main(int argc, char **argv)
{
    char path[PATH_BYTES], *line = NULL;
    size_t room = 0, lines = 0;
    int first = argc > 1 && !strcmp(argv[1], "-v") ? 2 : 1;
    const char *folder = argc > first ? argv[first] : getenv("PTXLINT_SPACES");
    const size_t every = argc > first + 1 ? strtoul(argv[first + 1], NULL, 10) : 1;
    snprintf(path, sizeof path, "%s/spaces.jsonl", folder ? folder : "");
    FILE *file = folder ? fopen(path, "r") : NULL;
    if (!file || !every) {
        puts("no folder of configs: nothing is measured");
        return 77;              /* skipped, to meson */
    }
    Times times = { calloc(MAX_CONFIGS, sizeof(double)), calloc(MAX_CONFIGS, sizeof(double)),
                    calloc(MAX_CONFIGS, sizeof(double)), 0 };
    if (!times.open || !times.estimate || !times.all)
        die("no memory", path);
    while (getline(&line, &room, file) >= 0 && times.count < MAX_CONFIGS) {
        json_t *row = lines++ % every ? NULL : json_loads(line, 0, NULL);
        if (row)
            measure(folder, row, first == 2, &times);
        json_decref(row);
    }
    printf("%zu configs, ms in the median, nine in ten, at the most\n", times.count);
    show("open", times.open, times.count);
    show("estimate", times.estimate, times.count);
    show("both", times.all, times.count);
    return 0;
}
