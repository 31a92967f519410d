#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static const Gpu *find_name(const char *name, size_t length)
{
    for (uint32_t i = 0; i < ptx_gpu_count; i++)
        if (!strncmp(ptx_gpus[i].name, name, length) && !ptx_gpus[i].name[length])
            return &ptx_gpus[i];
    return NULL;
}

const Gpu *ptx_gpu_find_target(Target target)
{
    char name[16];
    int length = snprintf(name, sizeof name, "sm_%u", (unsigned)target.sm);
    return find_name(name, (size_t)length);
}

const Gpu *ptx_gpu_find(const char *name, size_t length)
{
    Target target;
    const Gpu *gpu = find_name(name, length);
    if (!gpu && ptx_target_find(name, length, &target) == TARGET_KNOWN)
        gpu = ptx_gpu_find_target(target);
    return gpu;
}
