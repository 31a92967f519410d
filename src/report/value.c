#include "report/value.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- objects and arrays ------------------------------------------------------------------------------------------ */

Json ptx_json_make(json_t *value)
{
    return (Json){ value, !value };
}

void ptx_json_set(Json *json, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(json->value, key, value))
        json->is_failed = true;
}

void ptx_json_append(Json *json, json_t *value)
{
    if (json_array_append_new(json->value, value))
        json->is_failed = true;
}

json_t *ptx_json_finish(Json *json)
{
    if (!json->is_failed)
        return json->value;
    json_decref(json->value);
    return NULL;
}

static int dump_bytes(const char *bytes, size_t length, void *context)
{
    Out *out = context;
    ptx_out_bytes(out, bytes, length);
    return out->status == PTXLINT_OK ? 0 : -1;
}

void ptx_json_dump(Out *out, Json *json, size_t flags)
{
    json_t *value = ptx_json_finish(json);
    flags |= JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10);
    if ((!value || json_dump_callback(value, dump_bytes, out, flags)) && out->status == PTXLINT_OK)
        out->status = PTXLINT_NO_MEMORY;
    json_decref(value);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static json_t *clean_value(const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = length < SIZE_MAX / 3 ? malloc(3 * length + 1) : NULL;
    size_t used = 0;
    if (!clean)
        return NULL;
    while (length) {
        utf8proc_int32_t codepoint;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, length < 4 ? (utf8proc_ssize_t)length : 4,
                                                  &codepoint);
        size_t step = bytes > 0 ? (size_t)bytes : 1;
        memcpy(clean + used, bytes > 0 ? text : replacement, bytes > 0 ? step : 3);
        used += bytes > 0 ? step : 3;
        text += step;
        length -= step;
    }
    json_t *value = json_stringn(clean, used);
    free(clean);
    return value;
}

json_t *ptx_value_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return value ? value : clean_value(text, strlen(text));
}

json_t *ptx_value_name(const char *text)
{
    return ptx_value_text(text && *text ? text : NULL);
}

json_t *ptx_value_names(const char *const *names, size_t count)
{
    Json json = ptx_json_make(json_array());
    for (size_t i = 0; i < count; i++)
        ptx_json_append(&json, ptx_value_text(names[i]));
    return ptx_json_finish(&json);
}

json_t *ptx_value_int(int64_t number)
{
    return number == PTXLINT_UNKNOWN ? json_null() : json_integer(number);
}

json_t *ptx_value_count(uint64_t number)
{
    return json_integer((json_int_t)number);            /* of things in a file: far below the sign bit */
}

json_t *ptx_value_real(double number)
{
    return number - number == 0 ? json_real(number) : json_null();      /* neither NaN nor infinite */
}

json_t *ptx_value_given(uint32_t number)
{
    return number ? json_integer(number) : json_null();
}

json_t *ptx_value_bool(int is_set)
{
    return is_set ? json_true() : json_false();
}
