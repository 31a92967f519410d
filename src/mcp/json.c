#include "mcp/mcp.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DUMP_FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(6) };

void ptx_mcp_fail(char error[MCP_ERROR_BYTES], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, MCP_ERROR_BYTES, format, args);
    va_end(args);
}

/* A letter is not cut in two. */
static size_t cut_length(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    while (length == most && length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void *ptx_mcp_alloc(size_t count, size_t bytes)
{
    json_malloc_t alloc;
    json_free_t release;
    json_get_alloc_funcs(&alloc, &release);
    void *memory = count < SIZE_MAX / bytes ? alloc(count * bytes + 1) : NULL;
    if (memory)
        memset(memory, 0, count * bytes + 1);
    return memory;
}

void ptx_mcp_free(void *memory)
{
    json_malloc_t alloc;
    json_free_t release;
    json_get_alloc_funcs(&alloc, &release);
    release(memory);
}

json_t *ptx_mcp_text(const char *text, size_t most)
{
    if (!text)
        return json_null();
    const size_t length = cut_length(text, most);
    char *copy = ptx_mcp_alloc(length + 4, 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    strcpy(copy + length, text[length] ? "..." : "");
    json_t *out = json_string(copy);
    for (char *p = copy; !out && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    if (!out)
        out = json_string(copy);
    ptx_mcp_free(copy);
    return out;
}

json_t *ptx_mcp_number(double value)
{
    char digits[40];
    if (!isfinite(value))
        return json_null();
    if (fabs(value) < 1e15 && !(fabs(value - nearbyint(value)) > 0))
        return json_integer((json_int_t)value);
    snprintf(digits, sizeof digits, "%.4g", value);
    return json_real(strtod(digits, NULL));
}

json_t *ptx_mcp_count(int64_t value)
{
    return value == PTXLINT_UNKNOWN ? json_null() : json_integer(value);
}

const char *ptx_mcp_certainty(ptxlint_certainty certainty)
{
    static const char *const words[] = { "unknown", "exact", "bound", "estimate", "unknown" };
    return words[certainty];
}

void ptx_mcp_fit(json_t *object, const char *key, json_t *items)
{
    json_t *kept = json_array();
    const size_t count = json_array_size(items);
    size_t i = 0;
    json_object_set_new(object, key, kept);
    json_object_set_new(object, "left_out", json_integer((json_int_t)count));
    for (; i < count; i++) {
        json_array_append(kept, json_array_get(items, i));
        if (json_dumpb(object, NULL, 0, DUMP_FLAGS) > MCP_ANSWER_BYTES) {
            json_array_remove(kept, json_array_size(kept) - 1);
            break;
        }
    }
    if (i == count)
        json_object_del(object, "left_out");
    else
        json_object_set_new(object, "left_out", json_integer((json_int_t)(count - i)));
    json_decref(items);
}

char *ptx_mcp_dump(const json_t *value)
{
    return json_dumps(value, DUMP_FLAGS);
}
