/* metadata.c -- which file beside a PTX file says how its kernels are launched. */
#include "input/metadata/metadata.h"

#include "input/launch.h"
#include "support/choice.h"
#include "support/limits.h"
#include "support/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ptx_metadata_load(const char *path, size_t *length)
{
    char *text;
    return ptx_source_file_read("/", path, LIMIT_METADATA_BYTES, &text, length) ? text : NULL;
}

json_t *ptx_metadata_shape(const char *text)
{
    json_t *shape = *text == '(' || *text == '[' ? json_array() : NULL;
    for (int i = 0; shape && i < 3; i++) {
        char *end;
        long long extent = strtoll(text + 1, &end, 10);
        bool is_ended = i < 2 ? *end == ',' : *end == ')' || *end == ']';
        if (end == text + 1 || !is_ended) {
            json_decref(shape);
            return NULL;
        }
        json_array_append_new(shape, json_integer(extent));
        text = end;
    }
    return shape;
}

/* ---- a launch file of ours ------------------------------------------------------------------- */

/* "kernel.ptx.launch.json", else "kernel.launch.json". */
static char *load_own(const char *path, size_t *length, char **from)
{
    static const char suffix[] = ".launch.json";
    size_t stem = strlen(path);
    char *name = malloc(stem + sizeof suffix), *text;
    if (!name)
        return NULL;
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, sizeof suffix);
    text = ptx_metadata_load(name, length);
    if (!text && stem > 4 && !strcmp(path + stem - 4, ".ptx")) {
        memcpy(name + stem - 4, suffix, sizeof suffix);
        text = ptx_metadata_load(name, length);
    }
    if (text)
        *from = name;
    else
        free(name);
    return text;
}

static json_t *read_own(const char *path, char **from, char *error, size_t error_size)
{
    size_t length;
    json_error_t where;
    char *text = load_own(path, &length, from);
    json_t *root = text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, &where) : NULL;
    if (text && !root)
        snprintf(error, error_size, "line %d, column %d: %s", where.line, where.column,
                 ptx_without_excerpt(where.text));
    free(text);
    return root;
}

ptxlint_launches *ptx_metadata_find(const char *path, char **from, char *error, size_t error_size)
{
    ptxlint_launches *found = NULL;
    *from = NULL;
    *error = 0;
    json_t *root = read_own(path, from, error, error_size);
    if (root)
        ptx_launches_of(root, &found, error, error_size);
    if (*from)
        return found;
    root = ptx_metadata_triton(path, from);
    if (!root)
        root = ptx_metadata_xla(path, from);
    if (root && ptx_launches_of(root, &found, NULL, 0) != PTXLINT_OK) {
        free(*from); /* not ours to complain of: numbers that no launch has */
        *from = NULL;
    }
    if (found)
        found->is_generated = true;
    return found;
}
