/* gpu_setting.c -- GPUs as a launch or the compiler sets them: the part of shared memory in what it
 * shares with L1, loads past L1. */
#include "api/own_gpu.h"

#include "model/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_BYTES_MAX = 64, SETTING_ERROR_BYTES = 256, GPU_TITLE_BYTES = 256 };

typedef struct GpuSetter {
    const Gpu *gpu;             /* that is set: the copy */
    ptxlint_gpu *out;
    char source[SETTINGS_BYTES_MAX + 32];
    char error[SETTING_ERROR_BYTES];
} GpuSetter;

/* Out of memory is the caller's to see: nothing else is refused of what is set here. */
static ptxlint_status set_own(GpuSetter *s, const char *key, double value)
{
    return ptxlint_gpu_set(s->out, key, value, s->source, s->error, sizeof s->error);
}

static ptxlint_status lower_own(GpuSetter *s, FigureId figure, double most)
{
    const double now = s->gpu->figures[figure];
    return now > most ? set_own(s, ptx_figure_info[figure].key, most) : PTXLINT_OK;
}

/* ---- shared=BYTES ---------------------------------------------------------------------------- */

static bool is_carveout(const Gpu *gpu, int64_t bytes)
{
    for (uint32_t i = 0; i < gpu->carveout_count; i++)
        if (gpu->carveouts[i] == bytes)
            return true;
    return false;
}

/* -1: it is no number of bytes. */
static int64_t read_setting_bytes(const char *text)
{
    char *end;
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 9)
        return -1;
    const int64_t count = strtoll(text, &end, 10);
    if (!strcmp(end, "k"))
        return count * 1024;
    return *end ? -1 : count;
}

static void list_carveouts(GpuSetter *s, const char *given)
{
    const Gpu *gpu = s->gpu;
    if (!gpu->carveout_count) {
        snprintf(s->error, sizeof s->error,
                 "shared=%.20s: %.40s has no L1 that shares its store with shared memory", given,
                 gpu->sm);
        return;
    }
    int count = snprintf(s->error, sizeof s->error,
                         "shared=%.20s: of an SM of %.40s shared memory can have ", given, gpu->sm);
    for (uint32_t i = 0; i < gpu->carveout_count && count < (int)sizeof s->error; i++)
        count += snprintf(s->error + count, sizeof s->error - (size_t)count, "%s%" PRIu32 "k",
                          i ? ", " : "", gpu->carveouts[i] / 1024);
}

static ptxlint_status set_split(GpuSetter *s, const char *text)
{
    const int64_t bytes = read_setting_bytes(text);
    const double of_both = s->gpu->figures[FIGURE_L1_BYTES], shared = (double)bytes,
                 of_block = shared - (double)ptx_gpu_count_of(s->gpu, FIGURE_SHARED_RESERVED, 0);
    if (bytes <= 0 || !is_carveout(s->gpu, bytes) || !(of_both > shared)) {
        list_carveouts(s, text);
        return PTXLINT_BAD_ARGUMENT;
    }
    ptxlint_status status = set_own(s, "shared_per_sm", shared);
    if (status == PTXLINT_OK)
        status = lower_own(s, FIGURE_SHARED_PER_BLOCK, of_block);
    if (status == PTXLINT_OK)
        status = lower_own(s, FIGURE_SHARED_PER_BLOCK_OPTIN, of_block);
    return status == PTXLINT_OK ? set_own(s, "l1_split_bytes", of_both - shared) : status;
}

/* ---- dlcm=cg --------------------------------------------------------------------------------- */

static ptxlint_status set_past_l1(GpuSetter *s, const char *text)
{
    const bool has_way = ptx_gpu_has(s->gpu, FIGURE_LOAD_UNCACHED_BYTES);
    if (!has_way || strcmp(text, "cg") != 0) {
        snprintf(s->error, sizeof s->error, "dlcm=%.20s: %s", text,
                 has_way ? "it is dlcm=cg, as of nvcc -Xptxas; without it loads go by way of L1"
                         : "the GPU has no L1 that loads of global memory could pass");
        return PTXLINT_BAD_ARGUMENT;
    }
    const double piece = s->gpu->figures[FIGURE_LOAD_UNCACHED_BYTES];
    const ptxlint_status status = set_own(s, "load_bytes", piece);
    return status == PTXLINT_OK ? set_own(s, "loads_past_l1", 1) : status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static ptxlint_status set_word(GpuSetter *s, const char *setting)
{
    if (!strncmp(setting, "shared=", 7))
        return set_split(s, setting + 7);
    if (!strncmp(setting, "dlcm=", 5))
        return set_past_l1(s, setting + 5);
    snprintf(s->error, sizeof s->error,
             "'%.30s' is no setting of a GPU: shared=BYTES, as shared=16k, or dlcm=cg", setting);
    return PTXLINT_BAD_ARGUMENT;
}

static ptxlint_status set_all(GpuSetter *s, const char *settings)
{
    char text[SETTINGS_BYTES_MAX + 1], *rest = text;
    ptxlint_status status = PTXLINT_OK;
    snprintf(text, sizeof text, "%s", settings);
    while (rest && status == PTXLINT_OK) {
        char *end = strchr(rest, ':');
        if (end)
            *end++ = 0;
        status = set_word(s, rest);
        rest = end;
    }
    return status;
}

ptxlint_status ptxlint_gpu_with(const ptxlint_gpu *gpu, const char *settings, ptxlint_gpu **out,
                                char *error, size_t error_size)
{
    char name[GPU_TITLE_BYTES];
    GpuSetter s = { .gpu = NULL };
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (!gpu || !settings)
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = PTXLINT_BAD_ARGUMENT;
    snprintf(name, sizeof name, "%s:%s", ptx_gpu_of(gpu)->name, settings);
    snprintf(s.source, sizeof s.source, "setting %s", settings);
    if (strlen(settings) > SETTINGS_BYTES_MAX)
        snprintf(s.error, sizeof s.error, "settings are longer than %d bytes", SETTINGS_BYTES_MAX);
    else
        status = ptxlint_gpu_copy(gpu, name, NULL, &s.out);
    if (status == PTXLINT_OK) {
        s.gpu = ptx_gpu_of(s.out);
        status = set_all(&s, settings);
    }
    if (status == PTXLINT_OK)
        *out = s.out;
    else
        ptxlint_gpu_free(s.out);
    if (error && error_size)
        snprintf(error, error_size, "%s", s.error);
    return status;
}
