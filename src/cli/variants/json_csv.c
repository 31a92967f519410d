/* json_csv.c -- rows of a JSON array as a table of commas. */
#include "cli/rule_json.h"

#include <stdint.h>
#include <string.h>

/* RFC 4180. */
static void put_field(Text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        ptx_text_put(out, text);
        return;
    }
    ptx_text_put(out, "\"");
    for (; *text; text++) {
        ptx_text_add(out, text, 1);
        if (*text == '"')
            ptx_text_put(out, "\"");
    }
    ptx_text_put(out, "\"");
}

static void put_csv_cell(Text *out, const json_t *value)
{
    if (json_is_string(value))
        put_field(out, json_string_value(value));
    else if (json_is_integer(value))
        ptx_text_print(out, "%ld", (long)json_integer_value(value));
    else if (json_is_real(value))
        ptx_text_print(out, "%.6g", json_real_value(value));
    else if (json_is_boolean(value))
        ptx_text_print(out, "%d", json_is_true(value));
}

static void put_csv_row(Text *out, const json_t *row, bool is_head)
{
    const char *key, *comma = "";
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)row, key, value)
    {
        ptx_text_put(out, comma);
        if (is_head)
            ptx_text_put(out, key);
        else
            put_csv_cell(out, value);
        comma = ",";
    }
    ptx_text_put(out, "\r\n");
}

void ptx_json_csv(Text *out, const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        if (!i)
            put_csv_row(out, json_array_get(rows, i), true);
        put_csv_row(out, json_array_get(rows, i), false);
    }
}
