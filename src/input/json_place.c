#include "input/json_place.h"

#include <string.h>

typedef struct JsonText {
    const char *at, *end;
} JsonText;

static void skip_json_space(JsonText *t)
{
    while (t->at < t->end && strchr(" \t\r\n", *t->at) && *t->at)
        t->at++;
}

static bool is_json_at(JsonText *t, char c)
{
    skip_json_space(t);
    return t->at < t->end && *t->at == c;
}

/* From its first quotation mark to behind its last. */
static void skip_json_string(JsonText *t)
{
    for (t->at++; t->at < t->end && *t->at != '"'; t->at++)
        t->at += *t->at == '\\' && t->at + 1 < t->end;
    t->at += t->at < t->end;
}

static void skip_json_value(JsonText *t)
{
    size_t depth = 0;
    skip_json_space(t);
    while (t->at < t->end) {
        const char c = *t->at;
        if (!depth && strchr(",]}", c) && c)
            return;
        if (c == '"')
            skip_json_string(t);
        else
            t->at++;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (!depth && strchr("\"}]", c) && c)
            return;
    }
}

/* To the key of that name; behind it stands its value. */
static bool find_json_key(JsonText *t, const char *key)
{
    const size_t length = strlen(key);
    if (!is_json_at(t, '{'))
        return false;
    t->at++;
    while (is_json_at(t, '"')) {
        const char *name = t->at + 1;
        JsonText behind = *t;
        skip_json_string(&behind);
        if ((size_t)(behind.at - name) == length + 1 && !memcmp(name, key, length))
            return true;
        *t = behind;
        t->at += is_json_at(t, ':');
        skip_json_value(t);
        t->at += is_json_at(t, ',');
    }
    return false;
}

static bool find_json_item(JsonText *t, size_t index)
{
    if (!is_json_at(t, '['))
        return false;
    t->at++;
    for (size_t i = 0; i < index; i++) {
        skip_json_value(t);
        if (!is_json_at(t, ','))
            return false;
        t->at++;
    }
    return !is_json_at(t, ']');
}

static bool take_json_step(JsonText *t, const JsonStep *step, bool is_key)
{
    if (!step->key)
        return find_json_item(t, step->index);
    if (!find_json_key(t, step->key))
        return false;
    if (is_key)
        return true;
    skip_json_string(t);
    t->at += is_json_at(t, ':');
    skip_json_space(t);
    return true;
}

bool ptx_json_place(const char *text, size_t length, const JsonPath *path, unsigned *line,
                    unsigned *column)
{
    JsonText t = { text, text + length };
    for (unsigned i = 0; i < path->count; i++)
        if (!take_json_step(&t, &path->steps[i], path->is_key && i + 1 == path->count))
            return false;
    skip_json_space(&t);
    *line = *column = 1;
    for (const char *at = text; at < t.at; at++) {
        const bool is_inside = ((unsigned char)*at & 0xc0) == 0x80;   /* of a character of UTF-8 */
        *line += *at == '\n';
        *column = *at == '\n' ? 1 : *column + !is_inside;
    }
    return true;
}
