/* gpu.c -- GPUs and occupancy behind the public interface. A handle is the address of a Gpu: of a
 * table, or of an OwnGpu. */
#include "model/gpu.h"

#include "api/own_gpu.h"
#include "gpu/load.h"
#include "support/guard.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- finding and reading --------------------------------------------------------------------- */

const ptxlint_gpu *ptxlint_gpu_find(const char *name)
{
    return name ? ptx_gpu_handle(ptx_gpu_find(name, strlen(name))) : NULL;
}

const ptxlint_gpu *ptxlint_gpu_at(size_t index)
{
    return index < ptx_gpu_count ? ptx_gpu_handle(&ptx_gpus[index]) : NULL;
}

static const Gpu *find_compiled(void *context, const char *name, size_t length)
{
    (void)context;
    return ptx_gpu_find(name, length);
}

typedef struct GpuLoad {
    OwnGpu *own;
    GpuFile file;
    GpuError *error;
    ptxlint_status result;
} GpuLoad;

static void load_guarded(void *context)
{
    GpuLoad *call = context;
    OwnGpu *own = call->own;
    const Gpu *gpu = ptx_gpu_load(&own->arena, &call->file, find_compiled, NULL, call->error);
    if (gpu)
        ptx_gpu_copy(&own->gpu, &own->facts, gpu);
    call->result = gpu ? PTXLINT_OK : PTXLINT_BAD_FILE;
}

static ptxlint_status load_gpu(OwnGpu *own, const char *name, const char *yaml, size_t length,
                               GpuError *error)
{
    GpuLoad call = { own, { name, yaml, length }, error, PTXLINT_NO_MEMORY };
    ptx_arena_init(&own->arena, (size_t)1 << 30, NULL);
    ptx_run_guarded_in(&own->arena, load_guarded, &call);
    return call.result;
}

ptxlint_status ptxlint_gpu_new(const char *name, const char *yaml, size_t length, ptxlint_gpu **out,
                               char *error, size_t error_size)
{
    GpuError wrong = { 0 };
    if (!out || !name || (!yaml && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    OwnGpu *own = calloc(1, sizeof *own);
    if (!own)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = load_gpu(own, name, yaml ? yaml : "", length, &wrong);
    if (status != PTXLINT_OK) {
        if (status == PTXLINT_BAD_FILE && error && error_size)
            snprintf(error, error_size, "line %u, column %u: %s", (unsigned)wrong.line,
                     (unsigned)wrong.column, wrong.text);
        ptx_arena_free(&own->arena);
        free(own);
        return status;
    }
    *out = (ptxlint_gpu *)(void *)own;
    return PTXLINT_OK;
}

OwnGpu *ptx_own_gpu(ptxlint_gpu *gpu)
{
    const uintptr_t at = (uintptr_t)gpu;
    const bool is_built_in = at >= (uintptr_t)ptx_gpus
                             && at < (uintptr_t)(ptx_gpus + ptx_gpu_count);
    return is_built_in ? NULL : (OwnGpu *)(void *)gpu;
}

void ptxlint_gpu_free(ptxlint_gpu *gpu)
{
    OwnGpu *own = ptx_own_gpu(gpu);
    if (!own)
        return;
    ptx_arena_free(&own->arena);
    free(own);
}

/* ---- what a GPU is --------------------------------------------------------------------------- */

_Static_assert(offsetof(Gpu, name) == offsetof(ptxlint_gpu_info, name)
                   && offsetof(Gpu, product) == offsetof(ptxlint_gpu_info, product)
                   && offsetof(Gpu, architecture) == offsetof(ptxlint_gpu_info, architecture)
                   && offsetof(Gpu, sm) == offsetof(ptxlint_gpu_info, sm),
               "a Gpu begins with its ptxlint_gpu_info");

const ptxlint_gpu_info *ptxlint_gpu_get_info(const ptxlint_gpu *gpu)
{
    return (const ptxlint_gpu_info *)(const void *)gpu;
}

int ptxlint_gpu_figure(const ptxlint_gpu *handle, size_t index, ptxlint_figure *out)
{
    const Gpu *gpu = ptx_gpu_of(handle);
    if (!gpu || !out || index >= FIGURE__COUNT)
        return 0;
    const FigureInfo *info = &ptx_figure_info[index];
    *out = (ptxlint_figure){ info->key,
                             info->section,
                             info->unit,
                             info->what,
                             gpu->figures[index],
                             ptx_gpu_has(gpu, (FigureId)index)
                                 ? gpu->sources[gpu->figure_sources[index]]
                                 : "" };
    return 1;
}

double ptxlint_gpu_value(const ptxlint_gpu *handle, const char *key)
{
    for (int i = 0; handle && key && i < FIGURE__COUNT; i++)
        if (!strcmp(ptx_figure_info[i].key, key))
            return ptx_gpu_of(handle)->figures[i];
    return (double)NAN;
}

int ptxlint_gpu_pipe(const ptxlint_gpu *handle, size_t index, ptxlint_pipe *out)
{
    const Gpu *gpu = ptx_gpu_of(handle);
    if (!gpu || !out || index >= PIPE__COUNT)
        return 0;
    const Pipe *pipe = &gpu->pipes[index];
    *out = (ptxlint_pipe){ ptx_pipe_info[index].key, ptx_pipe_info[index].what, NAN, "" };
    if (pipe->lanes > 0) {
        out->lanes = pipe->lanes;
        out->source = gpu->sources[pipe->source];
    }
    return 1;
}

double ptxlint_gpu_rate(const ptxlint_gpu *handle, size_t pipe, size_t machine_class,
                        const char **key)
{
    const char *nowhere;
    const Gpu *gpu = ptx_gpu_of(handle);
    if (!key)
        key = &nowhere;
    *key = NULL;
    if (!gpu || pipe >= PIPE__COUNT || machine_class >= MACHINE__COUNT)
        return 0;
    *key = ptx_machine_info[machine_class].key;
    double takes = (double)gpu->pipes[pipe].takes[machine_class];
    return takes > 0 ? gpu->pipes[pipe].lanes / takes : (double)NAN;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

void ptxlint_resources_init(ptxlint_resources *resources)
{
    if (!resources)
        return;
    *resources = (ptxlint_resources){ .size = sizeof *resources,
                                      .threads_per_block = PTXLINT_UNKNOWN,
                                      .registers_per_thread = PTXLINT_UNKNOWN,
                                      .static_shared_bytes = PTXLINT_UNKNOWN,
                                      .dynamic_shared_bytes = PTXLINT_UNKNOWN,
                                      .barriers = PTXLINT_UNKNOWN,
                                      .cluster_blocks = PTXLINT_UNKNOWN };
}

static Resources to_resources(const ptxlint_resources *r)
{
    return (Resources){ .threads_per_block = r->threads_per_block,
                        .registers_per_thread = r->registers_per_thread,
                        .static_shared_bytes = r->static_shared_bytes,
                        .dynamic_shared_bytes = r->dynamic_shared_bytes,
                        .barriers = r->barriers,
                        .cluster_blocks = r->cluster_blocks,
                        .default_limits = r->default_limits };
}

ptxlint_status ptxlint_occupancy_compute(const ptxlint_gpu *gpu, const ptxlint_resources *resources,
                                         ptxlint_occupancy *out)
{
    Occupancy occupancy;
    if (!gpu || !resources || !out || resources->size != sizeof *resources
        || out->size != sizeof *out)
        return PTXLINT_BAD_ARGUMENT;
    const Resources inside = to_resources(resources);
    if (!ptx_occupancy_compute(ptx_gpu_of(gpu), &inside, &occupancy))
        occupancy = ptx_occupancy_unknown;
    ptx_view_occupancy(&occupancy, out);
    return PTXLINT_OK;
}

size_t ptxlint_occupancy_curve(const ptxlint_gpu *gpu, const ptxlint_resources *resources,
                               ptxlint_occupancy_point *points, size_t room)
{
    OccupancyCurve curve;
    if (!gpu || !resources || (!points && room) || resources->size != sizeof *resources)
        return 0;
    const Resources inside = to_resources(resources);
    if (!ptx_occupancy_sweep(ptx_gpu_of(gpu), &inside, &curve))
        return 0;
    for (size_t i = 0; i < curve.count && i < room; i++) {
        const OccupancyPoint *p = &curve.points[i];
        points[i] = (ptxlint_occupancy_point){ p->threads_per_block,
                                               ptx_view_number(p->blocks_per_sm),
                                               ptx_view_number(p->warps_per_sm), p->percent,
                                               p->is_best };
    }
    return curve.count;
}
