/* gen_gpus FILE.yaml... > gpus.c -- the GPU files as C tables, written with the reader that reads a
 * user's file at run time. */
#include "gpu/load.h"

#include <stdio.h>
#include <stdlib.h>

#define MEASURED "h200"         /* see ptx_gpu_measured */

enum { FILES_MAX = 256 };

typedef struct Known {
    const Gpu *gpus[FILES_MAX];
    uint32_t count;
} Known;

static const Gpu *find(void *context, const char *name, size_t length)
{
    const Known *known = context;
    for (uint32_t i = 0; i < known->count; i++)
        if (strlen(known->gpus[i]->name) == length && !memcmp(known->gpus[i]->name, name, length))
            return known->gpus[i];
    return NULL;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(GPU_FILE_BYTES_MAX);
    if (!file || !bytes) {
        perror(path);
        exit(1);
    }
    *length = fread(bytes, 1, GPU_FILE_BYTES_MAX, file);
    fclose(file);
    return bytes;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_text(const char *text)
{
    if (!text) {
        fputs("NULL", stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
    putchar('"');
}

static void put_figures(const Gpu *gpu)
{
    printf("    .figures = {");
    for (int i = 0; i < FIGURE__COUNT; i++) {
        if (isnan(gpu->figures[i]))
            printf(" (double)NAN,");
        else
            printf(" %.17g,", gpu->figures[i]);
    }
    printf(" },\n    .figure_sources = {");
    for (int i = 0; i < FIGURE__COUNT; i++)
        printf(" %u,", (unsigned)gpu->figure_sources[i]);
    printf(" },\n");
}

static void put_pipes(const Gpu *gpu)
{
    printf("    .pipes = {\n");
    for (int i = 0; i < PIPE__COUNT; i++) {
        const Pipe *pipe = &gpu->pipes[i];
        if (!(pipe->lanes > 0))
            continue;
        printf("        [%d] = { .lanes = %.17g, .source = %u, .takes = {", i, pipe->lanes,
               (unsigned)pipe->source);
        for (int m = 0; m < MACHINE__COUNT; m++)
            if (pipe->takes[m] > 0)
                printf(" [%d] = (float)%.9g,", m, (double)pipe->takes[m]);
        printf(" } },\n");
    }
    printf("    },\n");
}

static void put_facts(const Gpu *gpu, uint32_t index)
{
    printf("static const GpuFacts facts_%u = {\n", (unsigned)index);
    put_figures(gpu);
    put_pipes(gpu);
    printf("};\n\n");
}

static void put_gpu(const Gpu *gpu, uint32_t index)
{
    printf("{\n    .name = ");
    put_text(gpu->name);
    printf(", .product = ");
    put_text(gpu->product);
    printf(", .architecture = ");
    put_text(gpu->architecture);
    printf(", .sm = ");
    put_text(gpu->sm);
    printf(", .base = ");
    put_text(gpu->base);
    printf(",\n    .target = { %u, %d },\n", (unsigned)gpu->target.sm, gpu->target.suffix);
    printf("    .figures = facts_%u.figures, .figure_sources = facts_%u.figure_sources, "
           ".pipes = facts_%u.pipes,\n",
           (unsigned)index, (unsigned)index, (unsigned)index);
    printf("    .carveouts = {");
    for (uint32_t i = 0; i < gpu->carveout_count; i++)
        printf(" %u,", (unsigned)gpu->carveouts[i]);
    printf(" 0 },\n    .carveout_count = %u, .carveout_source = %u,\n",
           (unsigned)gpu->carveout_count, (unsigned)gpu->carveout_source);
    printf("    .sources = sources_%u, .source_count = %u,\n},\n", (unsigned)index,
           (unsigned)gpu->source_count);
}

/* Products by name, then architectures by number. */
static int in_order(const void *pa, const void *pb)
{
    const Gpu *a = *(const Gpu *const *)pa, *b = *(const Gpu *const *)pb;
    if (!*a->product != !*b->product)
        return *a->product ? -1 : 1;
    return *a->product ? strcmp(a->name, b->name) : (int)a->target.sm - (int)b->target.sm;
}

static void put_tables(Known *known)
{
    qsort(known->gpus, known->count, sizeof *known->gpus, in_order);
    printf("#include \"gpu/gpu.h\"\n\n");
    for (uint32_t i = 0; i < known->count; i++) {
        printf("static const char *const sources_%u[] = {\n", (unsigned)i);
        for (uint32_t s = 0; s < known->gpus[i]->source_count; s++) {
            printf("    ");
            put_text(known->gpus[i]->sources[s]);
            printf(",\n");
        }
        printf("};\n\n");
    }
    for (uint32_t i = 0; i < known->count; i++)
        put_facts(known->gpus[i], i);
    printf("const Gpu ptx_gpus[] = {\n");
    for (uint32_t i = 0; i < known->count; i++)
        put_gpu(known->gpus[i], i);
    printf("};\n\nconst uint32_t ptx_gpu_count = %u;\n", (unsigned)known->count);
    for (uint32_t i = 0; i < known->count; i++)
        if (!strcmp(known->gpus[i]->name, MEASURED))
            printf("const Gpu *const ptx_gpu_measured = &ptx_gpus[%u];\n", (unsigned)i);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A base must be read before what is built on it, so files are tried again as long as some are
 * read. True: path is done with. */
static bool load(Arena *arena, Known *known, const char *path, GpuError *error)
{
    size_t length, name_length;
    const char *name = ptx_gpu_name_of(path, &name_length);
    if (find(known, name, name_length))
        return true;
    char *yaml = read_file(path, &length);
    const GpuFile file = { ptx_arena_strndup(arena, name, name_length), yaml, length };
    const Gpu *gpu = ptx_gpu_load(arena, &file, find, known, error);
    free(yaml);
    if (gpu)
        known->gpus[known->count++] = gpu;
    return gpu != NULL;
}

static bool load_all(Arena *arena, Known *known, int count, char **paths)
{
    GpuError error = { 0 };
    for (uint32_t before = UINT32_MAX; before != known->count;) {
        before = known->count;
        int failed = 0;
        for (int i = 0; i < count; i++)
            if (!load(arena, known, paths[i], &error))
                failed = i + 1;
        if (!failed)
            return true;
        if (before == known->count)
            fprintf(stderr, "%s:%u:%u: error: %s\n", paths[failed - 1], (unsigned)error.line,
                    (unsigned)error.column, error.text);
    }
    return false;
}

int main(int argc, char **argv)
{
    static Known known;
    static Arena arena;
    jmp_buf on_failure;
    ptx_arena_init(&arena, (size_t)1 << 30, &on_failure);
    if (setjmp(on_failure) || argc > FILES_MAX) {
        fprintf(stderr, "gen_gpus: no memory\n");
        return 1;
    }
    if (!load_all(&arena, &known, argc - 1, argv + 1))
        return 1;
    put_tables(&known);
    ptx_arena_free(&arena);
    return 0;
}
