/* fuzz_mcp.c -- any bytes as messages of the Model Context Protocol, a line each: every answer is
 * JSON with an id, or there is none. */
#include "fuzz.h"

#include "mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

static void try_message(const char *message, size_t length)
{
    char *answer = ptx_mcp_answer(message, length);
    if (!answer)
        return;
    json_t *json = json_loads(answer, 0, NULL);
    require(json != NULL, "an answer is JSON");
    require(json_object_get(json, "id") != NULL, "it has an id");
    require(!json_object_get(json, "result") != !json_object_get(json, "error"),
            "a result or an error");
    require(!strchr(answer, '\n'), "it is one line");
    json_decref(json);
    free(answer);
}

/* The lines of the input, and all of it as PTX that is asked about. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        try_message(text + at, length);
        at += length + 1;
    }
    return 0;
}
