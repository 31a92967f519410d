#include "input/launch.h"

#include "input/launch_values.h"
#include "input/param.h"
#include "support/limits.h"
#include "support/words.h"

#include <stdlib.h>
#include <string.h>

/* A decimal number; NULL: none, or over 63 bits. */
static json_t *integer_value(const char *text)
{
    uint64_t number;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return NULL;
    return ptx_digits_read(text, &number) && number <= INT64_MAX ? json_integer((json_int_t)number)
                                                                 : NULL;
}

/* "16,16,1"; NULL: it is not a list of numbers. */
static json_t *shape_value(const char *text)
{
    json_t *shape = json_array();
    for (size_t length; shape; text += length + 1) {
        char part[24];
        length = strcspn(text, ",");
        if (length >= sizeof part)
            break;
        memcpy(part, text, length);
        part[length] = 0;
        if (json_array_size(shape) == 3 || json_array_append_new(shape, integer_value(part)))
            break;
        if (!text[length])
            return shape;
    }
    json_decref(shape);
    return NULL;
}

/* "49152" or "48k". */
static json_t *shared_value(const char *text)
{
    char digits[24];
    size_t length = strlen(text);
    bool is_kib = length && (text[length - 1] == 'k' || text[length - 1] == 'K');
    if (length >= sizeof digits)
        return NULL;
    memcpy(digits, text, length - is_kib);
    digits[length - is_kib] = 0;
    json_t *bytes = integer_value(digits);
    if (bytes && is_kib)
        json_integer_set(
            bytes, json_integer_value(bytes) > UINT32_MAX ? -1 : json_integer_value(bytes) * 1024);
    return bytes;
}

/* PTX ISA, "Identifiers"; a position is digits. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!text[i]
            || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%",
                       text[i]))
            return false;
    return length > 0 && length <= LIMIT_NAME_BYTES;
}

/* Takes value; NULL is not good either. */
static ptxlint_status set_value(json_t *object, const char *key, json_t *value, bool is_good)
{
    if (!value || !is_good) {
        json_decref(value);
        return PTXLINT_BAD_FILE;
    }
    return json_object_set_new(object, key, value) ? PTXLINT_NO_MEMORY : PTXLINT_OK;
}

/* The object of that key, made where it is missing; NULL: no memory. */
static json_t *inner_object(json_t *object, const char *key)
{
    json_t *inner = json_object_get(object, key);
    if (inner)
        return inner;
    return json_object_set_new(object, key, json_object()) ? NULL : json_object_get(object, key);
}

static void say_param(const char *value, char *error, size_t error_size)
{
    const char *near = *value == '@' ? ptx_launch_nearest_key(value + 1, ptx_locality_words) : NULL;
    if (near)
        ptx_launch_say(error, error_size,
                       "'%.100s' is not where indices lie; did you mean '@%s'?", value, near);
    else if (*value == '@')
        ptx_launch_say(error, error_size,
                       "'%.100s' is not where indices lie: @sorted, @local or @random", value);
    else
        ptx_launch_say(error, error_size, "'%.100s' is not %s", value, ptx_param_wanted);
}

static void say_trip(const char *value, char *error, size_t error_size)
{
    ptx_launch_say(error, error_size, "'%.100s' is not %s", value, ptx_launch_trip_wanted);
}

/* Settings "NAME=VALUE" that have an object of their own. */
typedef struct PairSetting {
    const char *key, *wanted;
    json_t *(*parse)(const char *value);
    void (*say)(const char *value, char *error, size_t error_size);
} PairSetting;

static const PairSetting param_setting = {
    "params", "POSITION=VALUE or NAME=VALUE, as 0=4096 or n=4096", ptx_param_parse, say_param
};

static const PairSetting trip_setting = {
    "trips", "LABEL=N or LINE=N, as $L__BB0_2=128 or 44=128", integer_value, say_trip
};

static ptxlint_status set_pair(ptxlint_launches *launches, const PairSetting *setting,
                               const char *text, char *error, size_t error_size)
{
    const size_t length = strcspn(text, "=");
    if (!text[length] || !is_name(text, length))
        return ptx_launch_say(error, error_size, "'%.100s' is not %s", text, setting->wanted);
    const char *value = text + length + 1;
    json_t *inner = inner_object(launches->settings, setting->key);
    char *name = strndup(text, length);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (inner && name)
        status = set_value(inner, name, setting->parse(value), true);
    free(name);
    if (status == PTXLINT_BAD_FILE)
        setting->say(value, error, error_size);
    return status;
}

static ptxlint_status set_shape(ptxlint_launches *launches, const ShapeKey *key, const char *value,
                                char *error, size_t error_size)
{
    json_t *shape = shape_value(value);
    ptxlint_status status =
        set_value(launches->settings, key->key, shape, ptx_launch_is_shape(key, shape));
    if (status == PTXLINT_BAD_FILE)
        ptx_launch_say(error, error_size, "'%.100s' is not %s, with commas between", value,
                       key->wanted);
    return status;
}

static ptxlint_status set_shared(ptxlint_launches *launches, const char *value, char *error,
                                 size_t error_size)
{
    json_t *bytes = shared_value(value);
    ptxlint_status status =
        set_value(launches->settings, "dynamic_shared", bytes, ptx_launch_is_shared(bytes));
    if (status == PTXLINT_BAD_FILE)
        ptx_launch_say(error, error_size, "'%.100s' is not %s, as 49152 or 48k", value,
                       ptx_launch_shared_wanted);
    return status;
}

ptxlint_status ptxlint_launches_set(ptxlint_launches *launches, const char *key, const char *value,
                                    char *error, size_t error_size)
{
    if (!launches || !key || !value)
        return PTXLINT_BAD_ARGUMENT;
    for (size_t i = 0; i < SHAPE_KEY_COUNT; i++)
        if (!strcmp(key, ptx_launch_shapes[i].key))
            return set_shape(launches, &ptx_launch_shapes[i], value, error, error_size);
    if (!strcmp(key, "dynamic_shared"))
        return set_shared(launches, value, error, error_size);
    if (!strcmp(key, "param"))
        return set_pair(launches, &param_setting, value, error, error_size);
    if (!strcmp(key, "trip"))
        return set_pair(launches, &trip_setting, value, error, error_size);
    ptx_launch_say(error, error_size,
                   "'%.100s' is not one of block, grid, cluster, dynamic_shared, param, trip", key);
    return PTXLINT_BAD_ARGUMENT;
}
