/* xla.c -- MODULE.thunk_sequence.txt that XLA writes beside MODULE.N.ptx with --xla_dump_to: grid,
 * threads and dynamic shared memory of each kernel. */
#include "input/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "DIR/module_0001.jit_f" of "DIR/module_0001.jit_f.1.ptx"; 0: it has no number. */
static size_t module_length(const char *path)
{
    size_t length = strlen(path), digits = 0;
    if (length < 7 || strcmp(path + length - 4, ".ptx") != 0)
        return 0;
    length -= 4;
    while (digits < length && path[length - digits - 1] >= '0' && path[length - digits - 1] <= '9')
        digits++;
    return digits && digits < length && path[length - digits - 1] == '.' ? length - digits - 1 : 0;
}

/* Three numbers behind key, as in "grid: [64, 1, 1]"; NULL: none before end. */
static json_t *shape_at(const char *line, const char *end, const char *key)
{
    const char *at = strstr(line, key);
    return at && at < end ? ptx_metadata_shape(at + strlen(key)) : NULL;
}

/* "001: kCustomKernel [source | sink] NAME grid: [64, 1, 1] threads: [256, 1, 1] ..." */
static void read_thunk(const char *line, const char *end, json_t *kernels)
{
    static const char shared_key[] = "shared_memory: ", name_end[] = " grid: [";
    const char *grid_at = strstr(line, name_end), *name = grid_at,
               *shared_at = strstr(line, shared_key);
    if (!grid_at || grid_at > end)
        return;
    while (name > line && name[-1] != ' ' && name[-1] != ']')
        name--;
    json_t *grid = shape_at(grid_at, end, " grid: "), *block = shape_at(grid_at, end, " threads: "),
           *cluster = shape_at(grid_at, end, " cluster: ");
    json_int_t shared =
        shared_at && shared_at < end ? strtoll(shared_at + sizeof shared_key - 1, NULL, 10) : 0;
    if (grid && block && grid_at > name) {
        json_t *launch =
            json_pack("{s:O, s:O, s:I}", "grid", grid, "block", block, "dynamic_shared", shared);
        if (cluster)
            json_object_set(launch, "cluster", cluster);
        json_object_setn_new(kernels, name, (size_t)(grid_at - name), launch);
    }
    json_decref(grid);
    json_decref(block);
    json_decref(cluster);
}

static json_t *read_thunks(const char *text)
{
    json_t *kernels = json_object();
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        end = end ? end : line + strlen(line);
        read_thunk(line, end, kernels);
        line = *end ? end + 1 : end;
    }
    if (json_object_size(kernels))
        return json_pack("{s:o}", "kernels", kernels);
    json_decref(kernels);
    return NULL;
}

/* One that lies beside it: MODULE.thunk_sequence.txt, or with the target between, as
 * MODULE.sm_9.0a_gpu_after_optimizations.thunk_sequence.txt. */
json_t *ptx_metadata_xla(const char *path, char **from)
{
    static const char suffix[] = ".thunk_sequence.txt";
    size_t module = module_length(path), length;
    char *name = module ? malloc(module + sizeof suffix) : NULL;
    if (!name)
        return NULL;
    memcpy(name, path, module);
    memcpy(name + module, suffix, sizeof suffix);
    char *text = ptx_metadata_load(name, &length);
    json_t *root = text ? read_thunks(text) : NULL;
    free(text);
    if (root)
        *from = name;
    else
        free(name);
    return root;
}
