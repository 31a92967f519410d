#include "input/launch_values.h"

#include "support/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const ShapeKey ptx_launch_shapes[SHAPE_KEY_COUNT] = {
    { "grid",
      { INT32_MAX, 65535, 65535 },
      INT64_MAX,
      "one to three whole numbers from 1 to 2147483647, 65535 and 65535" },
    { "block",
      { 1024, 1024, 64 },
      1024,
      "one to three whole numbers from 1 to 1024, 1024 and 64, together at most 1024" },
    { "cluster", { 16, 16, 16 }, 16, "one to three whole numbers from 1, together at most 16" },
};

const char ptx_launch_shared_wanted[] = "a number of bytes from 0 to 4294967295";
const char ptx_launch_trip_wanted[] = "a whole number from 0";

bool ptx_launch_is_shape(const ShapeKey *key, const json_t *value)
{
    int64_t product = 1;
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > 3)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 1
            || json_integer_value(item) > key->most[i])
            return false;
        product *= json_integer_value(item);
    }
    return product <= key->most_together;
}

bool ptx_launch_is_shared(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0
           && json_integer_value(value) <= UINT32_MAX;
}

const char *ptx_launch_nearest_key(const char *word, const char *const *keys)
{
    enum { NEAR = 2, FEW_LETTERS = 4 };
    const char *nearest = NULL;
    unsigned least = NEAR + 1;
    for (; *keys; keys++) {
        unsigned apart = ptx_edit_distance(word, strlen(word), *keys, strlen(*keys));
        bool is_part = strstr(word, *keys) || (strlen(word) >= FEW_LETTERS && strstr(*keys, word));
        if (is_part && apart > NEAR)
            apart = NEAR;
        if (apart < least)
            least = apart, nearest = *keys;
    }
    return nearest;
}

ptxlint_status ptx_launch_say(char *error, size_t error_size, const char *format, ...)
{
    if (error && error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(error, error_size, format, args);
        va_end(args);
    }
    return PTXLINT_BAD_FILE;
}
