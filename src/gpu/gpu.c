#include "gpu/gpu.h"

#include "support/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* In any case of letters: names of GPUs are in lower case. */
static bool is_gpu_name(const char *own, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!own[i] || own[i] != ptx_ascii_lower(name[i]))
            return false;
    return !own[length];
}

static const Gpu *find_name(const char *name, size_t length)
{
    for (uint32_t i = 0; i < ptx_gpu_count; i++)
        if (is_gpu_name(ptx_gpus[i].name, name, length))
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
    char lower[24] = "";                /* no target has so long a name */
    const Gpu *gpu = find_name(name, length);
    for (size_t i = 0; i < length && i < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    if (!gpu && length < sizeof lower && ptx_target_find(lower, length, &target) == TARGET_KNOWN)
        gpu = ptx_gpu_find_target(target);
    return gpu;
}
