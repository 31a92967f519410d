#include "api/launch.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct ptxlint_launches {
    json_t *root;
};

static ptxlint_status fail(ptxlint_launches *launches, char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static ptxlint_status fail(ptxlint_launches *launches, char *error, size_t error_size, const char *format, ...)
{
    if (error && error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(error, error_size, format, args);
        va_end(args);
    }
    ptxlint_launches_free(launches);
    return PTXLINT_BAD_FILE;
}

/* Up to three positive integers. */
static bool is_shape(const json_t *value)
{
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > 3)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 1)
            return false;
    }
    return true;
}

static bool is_param(const json_t *value)
{
    if (json_is_object(value))
        return json_is_string(json_object_get(value, "bytes"));
    return json_is_number(value) || json_is_null(value);
}

/* NULL: all is well; else what is wrong with the kernel's entry. */
static const char *check_kernel(const json_t *kernel)
{
    if (!json_is_object(kernel))
        return "is not an object";
    const json_t *grid = json_object_get(kernel, "grid"), *block = json_object_get(kernel, "block");
    const json_t *cluster = json_object_get(kernel, "cluster"), *shared = json_object_get(kernel, "dynamic_shared");
    const json_t *params = json_object_get(kernel, "params");
    if (grid && !is_shape(grid))
        return "\"grid\" is not one to three positive integers";
    if (block && !is_shape(block))
        return "\"block\" is not one to three positive integers";
    if (cluster && !is_shape(cluster))
        return "\"cluster\" is not one to three positive integers";
    if (shared && (!json_is_integer(shared) || json_integer_value(shared) < 0))
        return "\"dynamic_shared\" is not a number of bytes";
    if (params && !json_is_array(params))
        return "\"params\" is not an array";
    for (size_t i = 0; i < json_array_size(params); i++) {
        if (!is_param(json_array_get(params, i)))
            return "a parameter is neither a number, null nor {\"bytes\": \"hex\"}";
    }
    return NULL;
}

ptxlint_status ptxlint_launches_new(const char *json, size_t length, ptxlint_launches **out, char *error, size_t error_size)
{
    if (!out || (!json && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_launches *launches = calloc(1, sizeof *launches);
    if (!launches)
        return PTXLINT_NO_MEMORY;
    json_error_t where;
    launches->root = json_loadb(json ? json : "", length, JSON_REJECT_DUPLICATES, &where);
    if (!launches->root)
        return fail(launches, error, error_size, "line %d, column %d: %s", where.line, where.column, where.text);
    json_t *kernels = json_object_get(launches->root, "kernels");
    if (!json_is_object(kernels))
        return fail(launches, error, error_size, "there is no object \"kernels\"");
    const char *name;
    json_t *kernel;
    json_object_foreach(kernels, name, kernel) {
        const char *wrong = check_kernel(kernel);
        if (wrong)
            return fail(launches, error, error_size, "kernel \"%s\": %s", name, wrong);
    }
    *out = launches;
    return PTXLINT_OK;
}

void ptxlint_launches_free(ptxlint_launches *launches)
{
    if (!launches)
        return;
    json_decref(launches->root);
    free(launches);
}

static void read_shape(const json_t *value, int64_t shape[3])
{
    for (size_t i = 0; value && i < 3; i++)
        shape[i] = i < json_array_size(value) ? json_integer_value(json_array_get(value, i)) : 1;
}

bool ptx_launch_find(const ptxlint_launches *launches, const char *kernel, ptxlint_launch *launch)
{
    const json_t *entry = launches ? json_object_get(json_object_get(launches->root, "kernels"), kernel) : NULL;
    if (!entry)
        return false;
    read_shape(json_object_get(entry, "grid"), launch->grid);
    read_shape(json_object_get(entry, "block"), launch->block);
    const json_t *shared = json_object_get(entry, "dynamic_shared");
    if (shared)
        launch->dynamic_shared_bytes = json_integer_value(shared);
    launch->source = PTXLINT_LAUNCH_FILE;
    return true;
}
