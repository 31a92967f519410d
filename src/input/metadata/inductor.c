/* inductor.c -- the grid of a kernel that TorchInductor wrote. Its Python file, two folders of the
 * cache away, has the sizes; what Triton compiled (NAME.ttir) says which file that is, the tile of
 * each axis and the order of parameters. */
#include "input/metadata/metadata.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, MAX_GRID_Y = 65535 };

typedef struct InductorKernel {
    char *ttir, *python; /* whole files */
    const char *body;    /* of python: behind "def NAME(" */
    const char *kernel;
} InductorKernel;

/* A file name alone, below a folder of two characters. */
static bool is_cache_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_' && !(i == 2 && name[i] == '/')
            && name[i] != '.')
            return false;
    return length > 6 && name[2] == '/' && !memchr(name, '.', 2)
           && !strncmp(name + length - 3, ".py", 3);
}

/* "lz/clz45....py", as the first place that ttir names. */
static const char *python_name(const char *ttir, size_t *length)
{
    const char *end = strstr(ttir, ".py\":"), *begin = end;
    unsigned slashes = 0;
    if (!end)
        return NULL;
    while (begin > ttir && begin[-1] != '"' && (slashes += begin[-1] == '/') < 2)
        begin--;
    *length = (size_t)(end + 3 - begin);
    return is_cache_name(begin, *length) ? begin : NULL;
}

/* stem: ROOT/triton/DEVICE/HASH/NAME. */
static char *load_python(const char *stem, const char *name, size_t name_length)
{
    size_t root = strlen(stem), length;
    for (unsigned up = 0; up < 4; up++)
        while (root && stem[--root] != '/')
            continue;
    char *path = malloc(root + name_length + 2), *text = NULL;
    if (path) {
        root += stem[root] == '/';
        memcpy(path, stem, root);
        snprintf(path + root, name_length + 1, "%.*s", (int)name_length, name);
        text = ptx_metadata_load(path, &length);
    }
    free(path);
    return text;
}

static char *load_ttir(const char *stem)
{
    size_t used = strlen(stem), length;
    char *path = malloc(used + sizeof ".ttir"), *text = NULL;
    if (path) {
        memcpy(path, stem, used);
        memcpy(path + used, ".ttir", sizeof ".ttir");
        text = ptx_metadata_load(path, &length);
    }
    free(path);
    return text;
}

static bool open_kernel(InductorKernel *k, const char *stem, const char *kernel)
{
    size_t length;
    char head[512];
    const char *name = NULL;
    *k = (InductorKernel){ .ttir = load_ttir(stem), .kernel = kernel };
    if (k->ttir)
        name = python_name(k->ttir, &length);
    if (name)
        k->python = load_python(stem, name, length);
    if (k->python && (size_t)snprintf(head, sizeof head, "def %s(", kernel) < sizeof head)
        k->body = strstr(k->python, head);
    return k->body != NULL;
}

static void close_kernel(InductorKernel *k)
{
    free(k->ttir);
    free(k->python);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* "    xnumel = 2048" of the kernel's body; 0: it is not constant. */
static json_int_t numel_of(const InductorKernel *k, const char *name)
{
    size_t length = strlen(name);
    const char *line = k->body, *end = strstr(k->body, "\n\n");
    while ((line = strchr(line, '\n')) && (!end || line < end)) {
        line++;
        const char *at = line + strspn(line, " ");
        if (strncmp(at, name, length) != 0 || strncmp(at + length, " = ", 3) != 0)
            continue;
        char *rest;
        long long size = strtoll(at + length + 3, &rest, 10);
        return *rest == '\n' && size > 0 ? size : 0;
    }
    return 0;
}

/* What the axis' program number is multiplied by: "%xoffset_3 = arith.muli %xoffset, %c2_i32". The
 * product with 1 is not in the code. 0: the axis has none. */
static json_int_t tile_of(const InductorKernel *k, char axis)
{
    char head[16], number[48];
    snprintf(head, sizeof head, "%%%coffset", axis);
    snprintf(number, sizeof number, "%s = tt.get_program_id %c", head, axis);
    size_t length = strlen(head);
    for (const char *at = k->ttir; (at = strstr(at, head)); at += length) {
        static const char product[] = " = arith.muli ";
        const char *end = strchr(at, '\n'), *is = strstr(at, product),
                   *factor = is ? strstr(is, ", %c") : NULL;
        if (end && factor && factor < end && is < end)
            return strtoll(factor + 4, NULL, 10);
    }
    return strstr(k->ttir, number) != NULL;
}

static json_int_t blocks_of(const InductorKernel *k, char axis)
{
    char name[] = "xnumel";
    name[0] = axis;
    json_int_t size = numel_of(k, name), tile = tile_of(k, axis);
    return size > 0 && tile > 0 ? (size + tile - 1) / tile : 0;
}

/* Axes of the grid; 0: one that is not known here. */
static unsigned axes_of(const InductorKernel *k)
{
    static const char key[] = "'grid_type': 'Grid";
    const char *at = NULL;
    for (const char *next = k->python; (next = strstr(next, key)) && next < k->body; next++)
        at = next + sizeof key - 1;
    if (!at || *at < '1' || *at > '3' || at[1] != 'D')
        return 0;
    bool is_plain = at[2] == '\'' || !strncmp(at + 2, "WithYZOverflow'", 15);
    return is_plain ? (unsigned)(*at - '0') : 0;
}

/* Inductor splits the second axis over the third where it is beyond what a grid may have. */
static void put_grid(const InductorKernel *k, json_t *launch)
{
    json_int_t grid[AXES] = { 1, 1, 1 };
    unsigned axes = axes_of(k);
    for (unsigned i = 0; i < axes; i++)
        grid[i] = blocks_of(k, "xyz"[i]);
    if (axes == 2 && grid[1] > MAX_GRID_Y) {
        grid[2] = (grid[1] + MAX_GRID_Y - 1) / MAX_GRID_Y;
        grid[1] = (grid[1] + grid[2] - 1) / grid[2];
    }
    if (axes && grid[0] > 0 && grid[1] > 0 && grid[2] > 0 && grid[1] <= MAX_GRID_Y
        && grid[2] <= MAX_GRID_Y && grid[0] <= INT32_MAX)
        json_object_set_new(launch, "grid", json_pack("[III]", grid[0], grid[1], grid[2]));
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* In the order of the compiled function: "%in_ptr0: !tt.ptr<f32> ..., %xnumel: i32". */
static void put_sizes(const InductorKernel *k, json_t *launch)
{
    char name[64];
    json_t *params = json_array();
    const char *begin = strstr(k->ttir, "tt.func public @"),
               *end = begin ? strstr(begin, " attributes ") : NULL;
    bool has_size = false;
    for (const char *at = end ? strchr(begin, '%') : NULL; at && at < end; at = strchr(at, '%')) {
        size_t length = strcspn(++at, ":( \n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        json_int_t size = length < sizeof name && strstr(name, "numel") ? numel_of(k, name) : 0;
        json_array_append_new(params, size ? json_integer(size) : json_null());
        has_size |= size > 0;
    }
    if (has_size)
        json_object_set(launch, "params", params);
    json_decref(params);
}

void ptx_metadata_inductor(const char *stem, const char *kernel, json_t *launch)
{
    InductorKernel k;
    if (open_kernel(&k, stem, kernel)) {
        put_grid(&k, launch);
        put_sizes(&k, launch);
    }
    close_kernel(&k);
}
