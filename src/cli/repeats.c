/* repeats.c -- modules of caches and dumps that have been there before: the same PTX with the same
 * launches, as a framework leaves it in several folders. */
#include "cli/cli.h"
#include "support/choice.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void put_module_launches(Text *out, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++) {
        const ptxlint_launch *launch = &kernels[k].launch;
        ptx_text_add(out, (const char *)launch->grid, sizeof launch->grid);
        ptx_text_add(out, (const char *)launch->block, sizeof launch->block);
        ptx_text_add(out, (const char *)launch->cluster, sizeof launch->cluster);
        ptx_text_add(out, (const char *)&launch->dynamic_shared_bytes,
                     sizeof launch->dynamic_shared_bytes);
        for (size_t i = 0; i < launch->assumed_count; i++)
            ptx_text_add(out, launch->assumed[i], strlen(launch->assumed[i]) + 1);
    }
}

/* By chance no two modules have the same. False: no memory. */
static bool write_repeat_key(char key[40], const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    const XXH128_hash_t text = XXH3_128bits(info->length ? info->text : "", info->length);
    Text bytes = { 0 };
    ptx_text_add(&bytes, (const char *)&text, sizeof text);
    put_module_launches(&bytes, module);
    const bool is_good = !bytes.has_failed;
    const XXH128_hash_t all = XXH3_128bits(bytes.bytes ? bytes.bytes : "", bytes.length);
    snprintf(key, 40, "%016llx%016llx", (unsigned long long)all.high64,
             (unsigned long long)all.low64);
    ptx_text_free(&bytes);
    return is_good;
}

bool ptx_repeats_take(Repeats *repeats, const ptxlint_module *module)
{
    char key[40];
    if (!ptxlint_module_get_info(module)->is_generated || !write_repeat_key(key, module))
        return false;
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
