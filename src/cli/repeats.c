/* repeats.c -- modules of caches and dumps that have been there before: the same PTX with the same
 * launches, as a framework leaves it in several folders. */
#include "cli/cli.h"
#include "support/choice.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, of 64 bits twice: by chance no two texts of a tree are alike. */
typedef struct Digest {
    uint64_t low, high;
} Digest;

static void digest_add(Digest *digest, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        digest->low = (digest->low ^ at[i]) * UINT64_C(1099511628211);
        digest->high = (digest->high ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
}

static void digest_launches(Digest *digest, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++) {
        const ptxlint_launch *launch = &kernels[k].launch;
        digest_add(digest, launch->grid, sizeof launch->grid);
        digest_add(digest, launch->block, sizeof launch->block);
        digest_add(digest, launch->cluster, sizeof launch->cluster);
        digest_add(digest, &launch->dynamic_shared_bytes, sizeof launch->dynamic_shared_bytes);
        for (size_t i = 0; i < launch->assumed_count; i++)
            digest_add(digest, launch->assumed[i], strlen(launch->assumed[i]) + 1);
    }
}

bool ptx_repeats_take(Repeats *repeats, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    Digest digest = { UINT64_C(14695981039346656037), 1 };
    char key[40];
    if (!info->is_generated)
        return false;
    digest_add(&digest, info->text, info->length);
    digest_launches(&digest, module);
    snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)digest.low,
             (unsigned long long)digest.high);
    if (!repeats->seen)
        repeats->seen = json_object();
    bool is_repeat = json_object_get(repeats->seen, key) != NULL;
    repeats->count += is_repeat;
    json_object_set_new(repeats->seen, key, json_true());
    return is_repeat;
}

void ptx_repeats_tell(const Repeats *repeats)
{
    char text[160];
    snprintf(text, sizeof text,
             "%zu file%s of a cache or dump left out: PTX and launches as in another",
             repeats->count, ptx_plural(repeats->count));
    if (repeats->count)
        ptx_complain(NULL, text);
}

void ptx_repeats_free(Repeats *repeats)
{
    json_decref(repeats->seen);
}
