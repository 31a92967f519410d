/* json_place.h -- where in its text a value of a JSON document stands: jansson keeps no places. */
#ifndef PTX_INPUT_JSON_PLACE_H
#define PTX_INPUT_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct JsonStep {       /* from a value to one inside it */
    const char *key;            /* of an object; NULL: an array, */
    size_t index;               /* and which of its items */
} JsonStep;

enum { MAX_JSON_STEPS = 5 };

typedef struct JsonPath {       /* from the root */
    JsonStep steps[MAX_JSON_STEPS];
    unsigned count;
    bool is_key;                /* to the key that the last step names, not to its value */
} JsonPath;

/* Line and column, from 1 on. The text is valid JSON. False: a key is written with escapes, or
 * there is none. */
bool ptx_json_place(const char *text, size_t length, const JsonPath *path, unsigned *line,
                    unsigned *column);

#endif
