/* two_threads.c -- two_threads FILE.ptx...: one module, read through the public interface by two
 * threads at once: documents, estimates, graphs, recognition, fixes and a baseline are those of one
 * thread alone. ThreadSanitizer watches it in tools/race.sh. */
#include <ptxlint/ptxlint.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

/* What a thread reads, as a sum of bytes in order. */
typedef struct Reader {
    const ptxlint_module *module;
    const ptxlint_options *options;     /* that it was made with */
    uint64_t sum, bytes;
    int failed;
} Reader;

static int hear(void *context, const char *bytes, size_t length)
{
    Reader *r = context;
    for (size_t i = 0; i < length; i++)
        r->sum = r->sum * 31 + (unsigned char)bytes[i];
    r->bytes += length;
    return 0;
}

static void want(Reader *r, ptxlint_status status)
{
    r->failed |= status != PTXLINT_OK;
}

static void write_documents(Reader *r)
{
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_JSON, PTXLINT_SARIF };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.show_all = 1;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        options.format = formats[i];
        want(r, ptxlint_write_diagnostics(&r->module, 1, &options, hear, r));
    }
    options.format = PTXLINT_JSON;
    options.has_details = 1;
    want(r, ptxlint_write_report(&r->module, 1, &options, hear, r));
}

static void estimate(Reader *r, const char *kernel)
{
    for (unsigned block = 32; block <= 1024; block *= 2) {
        ptxlint_trial trial;
        ptxlint_estimated estimated = { .size = sizeof estimated };
        ptxlint_trial_init(&trial);
        trial.block[0] = block;
        trial.grid[0] = 4096;
        if (ptxlint_estimate(r->module, kernel, 0, &trial, &estimated) == PTXLINT_OK)
            hear(r, (const char *)&estimated.time.predicted_us, sizeof(double));
    }
}

static void read_kernel(Reader *r, const ptxlint_kernel *kernel)
{
    ptxlint_recognition *recognition = NULL;
    ptxlint_graph *graph = NULL;
    estimate(r, kernel->name);
    want(r, ptxlint_recognition_new_linked(r->module, kernel, &recognition));
    ptxlint_recognition_free(recognition);
    want(r, ptxlint_graph_new(r->module, kernel, &graph));
    ptxlint_graph_free(graph);
    want(r, ptxlint_write_graph(r->module, kernel, PTXLINT_JSON, hear, r));
}

static void *run(void *context)
{
    Reader *r = context;
    size_t count;
    ptxlint_fixes *fixes = NULL;
    ptxlint_fix_options options;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(r->module, &count);
    write_documents(r);
    for (size_t i = 0; i < count; i++)
        if (kernels[i].is_entry)
            read_kernel(r, &kernels[i]);
    ptxlint_fix_options_init(&options);
    want(r, ptxlint_fixes_new(r->module, r->options, &options, &fixes));
    ptxlint_fixes_free(fixes);
    return NULL;
}

static int check(const ptxlint_module *module, const ptxlint_options *options)
{
    Reader alone = { .module = module, .options = options }, together[THREADS] = { alone, alone };
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)        /* before anything was asked of it */
        if (pthread_create(&threads[i], NULL, run, &together[i]))
            abort();
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    run(&alone);
    for (size_t i = 0; i < THREADS; i++)
        if (together[i].failed || alone.failed || together[i].sum != alone.sum || !alone.bytes)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int code = argc < 2;
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    for (int i = 1; i < argc; i++) {
        ptxlint_module *module = NULL;
        int is_wrong = ptxlint_module_open(argv[i], &options, &module) != PTXLINT_OK || check(module, &options);
        if (is_wrong)
            printf("%s: two threads are not told what one is\n", argv[i]);
        code |= is_wrong;
        ptxlint_module_free(module);
    }
    return code;
}
