#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

/* Order of names as strcmp has it; name ends at length. */
static int compare(const char *name, size_t length, const char *other)
{
    int order = strncmp(name, other, length);
    return order ? order : other[length] ? -1 : 0;
}

static const Gpu *find_name(const char *name, size_t length)
{
    uint32_t low = 0, high = ptx_gpu_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare(name, length, ptx_gpus[middle].name);
        if (!order)
            return &ptx_gpus[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
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
