/* own_gpu.c -- copies of GPUs whose figures are set. */
#include "api/own_gpu.h"

#include "model/gpu.h"
#include "support/glyph.h"
#include "support/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_GPU_BYTES_MAX = 64 << 20, SOURCE_BYTES_MAX = 4096 };

/* ---- a copy ---------------------------------------------------------------------------------- */

static const char *copy_gpu_text(Arena *arena, const char *text)
{
    return text ? ptx_arena_strndup(arena, text, strlen(text)) : NULL;
}

static void copy_sources(Arena *arena, const Gpu *from, Gpu *to)
{
    const char **sources = ptx_arena_array(arena, const char *, GPU_SOURCES_MAX);
    for (uint32_t i = 0; i < from->source_count; i++)
        sources[i] = copy_gpu_text(arena, from->sources[i]);
    to->sources = sources;
}

typedef struct GpuCopy {
    OwnGpu *own;
    const Gpu *from;
    const char *name, *product;
} GpuCopy;

/* One that is compiled in becomes the base. */
static void copy_guarded(void *context)
{
    const GpuCopy *call = context;
    Arena *arena = &call->own->arena;
    const Gpu *from = call->from;
    Gpu *to = &call->own->gpu;
    const bool is_built_in = ptx_gpu_find(from->name, strlen(from->name)) == from;
    ptx_gpu_copy(to, &call->own->facts, from);
    to->name = copy_gpu_text(arena, call->name);
    to->product = copy_gpu_text(arena, call->product ? call->product : from->product);
    to->architecture = copy_gpu_text(arena, from->architecture);
    to->sm = copy_gpu_text(arena, from->sm);
    to->base = copy_gpu_text(arena, is_built_in ? from->name : from->base);
    copy_sources(arena, from, to);
}

ptxlint_status ptxlint_gpu_copy(const ptxlint_gpu *gpu, const char *name, const char *product,
                                ptxlint_gpu **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (!gpu || !name || !ptx_is_utf8(name) || (product && !ptx_is_utf8(product)))
        return PTXLINT_BAD_ARGUMENT;
    OwnGpu *own = calloc(1, sizeof *own);
    if (!own)
        return PTXLINT_NO_MEMORY;
    GpuCopy call = { own, ptx_gpu_of(gpu), name, product };
    ptx_arena_init(&own->arena, OWN_GPU_BYTES_MAX, NULL);
    if (!ptx_run_guarded_in(&own->arena, copy_guarded, &call)) {
        ptx_arena_free(&own->arena);
        free(own);
        return PTXLINT_NO_MEMORY;
    }
    *out = (ptxlint_gpu *)(void *)own;
    return PTXLINT_OK;
}

/* ---- a figure -------------------------------------------------------------------------------- */

static FigureId figure_of_key(const char *key)
{
    int i = 0;
    while (i < FIGURE__COUNT && strcmp(ptx_figure_info[i].key, key) != 0)
        i++;
    return (FigureId)i;
}

ptxlint_figure_kind ptxlint_gpu_figure_kind(const char *key)
{
    const FigureId figure = key ? figure_of_key(key) : FIGURE__COUNT;
    if (figure == FIGURE__COUNT)
        return PTXLINT_FIGURE_NONE;
    return ptx_figure_kind(figure) == FIGURE_SUSTAINED ? PTXLINT_FIGURE_SUSTAINED
                                                       : PTXLINT_FIGURE_BOUND;
}

typedef struct FigureCall {
    OwnGpu *own;
    FigureId figure;
    double value;
    const char *source;
} FigureCall;

static uint32_t source_of_text(const Gpu *gpu, const char *text)
{
    uint32_t i = 1;
    while (i < gpu->source_count && strcmp(gpu->sources[i], text) != 0)
        i++;
    return i;
}

/* A source that no other figure has is kept all the same: its text is small. */
static void set_figure_guarded(void *context)
{
    const FigureCall *call = context;
    Gpu *gpu = &call->own->gpu;
    const uint32_t at = source_of_text(gpu, call->source);
    if (at == gpu->source_count) {
        const char **sources = ptx_arena_array(&call->own->arena, const char *, at + 1);
        memcpy(sources, gpu->sources, at * sizeof *sources);
        sources[at] = copy_gpu_text(&call->own->arena, call->source);
        gpu->sources = sources;
        gpu->source_count++;
    }
    call->own->facts.figures[call->figure] = call->value;
    call->own->facts.figure_sources[call->figure] = (uint16_t)at;
}

/* NULL: it can be set. */
static const char *why_not_set(const FigureCall *call, char *error, size_t error_size)
{
    const Gpu *gpu = &call->own->gpu;
    if (call->figure == FIGURE__COUNT)
        return "there is no such figure";
    if (!*call->source || strlen(call->source) > SOURCE_BYTES_MAX || !ptx_is_utf8(call->source))
        return "a source is a text in UTF-8, of 1 to 4096 bytes";
    if (source_of_text(gpu, call->source) == GPU_SOURCES_MAX)
        return "too many sources";
    const char *wanted = ptx_figure_refuses(call->figure, call->value);
    if (!wanted)
        return NULL;
    snprintf(error, error_size, "%s must be %s", ptx_figure_info[call->figure].key, wanted);
    return error;
}

ptxlint_status ptxlint_gpu_set(ptxlint_gpu *gpu, const char *key, double value, const char *source,
                               char *error, size_t error_size)
{
    char text[128];
    OwnGpu *own = ptx_own_gpu(gpu);
    const char *why = own ? NULL : "a GPU that is compiled in stays as it is";
    if (!gpu || !key || !source)
        return PTXLINT_BAD_ARGUMENT;
    FigureCall call = { own, figure_of_key(key), value, source };
    if (own)
        why = why_not_set(&call, text, sizeof text);
    if (why) {
        if (error && error_size)
            snprintf(error, error_size, "%s", why);
        return PTXLINT_BAD_ARGUMENT;
    }
    const bool is_set = ptx_run_guarded_in(&own->arena, set_figure_guarded, &call);
    return is_set ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}
