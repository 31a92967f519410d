/* triton.c -- NAME.json that Triton's cache has beside NAME.ptx: threads, dynamic shared memory,
 * clusters and scratch memory of its kernel. The grid is not in it. */
#include "input/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static json_int_t integer_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Releases after 3.0 have num_ctas alone; cluster_dims and ctas_per_cga are of others. */
static json_t *cluster_of(const json_t *metadata)
{
    static const char *const keys[] = { "cluster_dims", "ctas_per_cga" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *dims = json_object_get(metadata, keys[i]);
        if (json_array_size(dims) == 3 && json_integer_value(json_array_get(dims, 0)) > 0)
            return json_deep_copy(dims);
    }
    json_int_t blocks = integer_at(metadata, "num_ctas");
    return blocks > 1 ? json_pack("[I]", blocks) : NULL;
}

/* Triton's launcher passes one pointer for each behind the kernel's own parameters; null where
 * nothing is needed. */
static json_t *scratch_of(const json_t *metadata)
{
    json_t *sizes = NULL;
    static const char *const keys[] = { "global_scratch_size", "profile_scratch_size" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *size = json_object_get(metadata, keys[i]);
        if (!json_is_integer(size))
            break;
        sizes = sizes ? sizes : json_array();
        json_array_append_new(sizes, json_integer(json_integer_value(size)));
    }
    return sizes;
}

static json_t *launch_of(const json_t *metadata)
{
    json_int_t warps = integer_at(metadata, "num_warps"), lanes = integer_at(metadata, "warp_size");
    json_t *launch = json_pack("{s:[I], s:I}", "block", warps * (lanes ? lanes : 32),
                               "dynamic_shared", integer_at(metadata, "shared")),
           *cluster = cluster_of(metadata), *scratch = scratch_of(metadata);
    if (cluster)
        json_object_set_new(launch, "cluster", cluster);
    if (scratch)
        json_object_set_new(launch, "scratch", scratch);
    return launch;
}

static bool is_triton(const json_t *metadata)
{
    return json_is_string(json_object_get(metadata, "name"))
           && json_is_integer(json_object_get(metadata, "num_warps"))
           && json_is_integer(json_object_get(metadata, "shared"));
}

json_t *ptx_metadata_triton_launch(const json_t *metadata)
{
    return is_triton(metadata) ? launch_of(metadata) : NULL;
}

/* "DIR/NAME" of "DIR/NAME.ptx", with room for a suffix. */
static char *stem_of(const char *path)
{
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".ptx") != 0)
        return NULL;
    char *stem = strdup(path);
    if (stem)
        stem[length - 4] = 0;
    return stem;
}

static json_t *read_metadata(const char *stem, char **from)
{
    size_t length, used = strlen(stem);
    char *name = malloc(used + sizeof ".json"), *text = NULL;
    json_t *metadata = NULL;
    if (name) {
        memcpy(name, stem, used);
        memcpy(name + used, ".json", sizeof ".json");
        text = ptx_metadata_load(name, &length);
        metadata = text ? json_loadb(text, length, 0, NULL) : NULL;
    }
    free(text);
    if (is_triton(metadata)) {
        *from = name;
        return metadata;
    }
    json_decref(metadata);
    free(name);
    return NULL;
}

json_t *ptx_metadata_triton(const char *path, char **from)
{
    char *stem = stem_of(path);
    json_t *metadata = stem ? read_metadata(stem, from) : NULL, *root = NULL;
    if (metadata) {
        const char *kernel = json_string_value(json_object_get(metadata, "name"));
        json_t *launch = launch_of(metadata);
        ptx_metadata_inductor(stem, kernel, launch);
        root = json_pack("{s:{s:o}}", "kernels", kernel, launch);
        json_decref(metadata);
    }
    free(stem);
    return root;
}
