/* settings.c -- what the client asks for, at the beginning and whenever it changes:
 * {"gpu": "h200", "launch": "launches.json", "config": "FILE", "grid": "4096", "block": "256"}, or
 * the same below "ptxlint". */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

bool ptx_wish_set(char **place, const char *text)
{
    char *copy = text && *text ? strdup(text) : NULL;
    if (text && *text && !copy)
        return false;
    free(*place);
    *place = copy;
    return true;
}

void ptx_wish_free(LspWish *wish)
{
    free(wish->gpu);
    free(wish->launch);
    free(wish->config);
    free(wish->grid);
    free(wish->block);
    *wish = (LspWish){ 0 };
}

/* null takes back what was said; what is not named stays. */
static void read_wish(const json_t *settings, const char *key, char **place)
{
    const json_t *value = json_object_get(settings, key);
    if (json_is_string(value) || json_is_null(value))
        ptx_wish_set(place, json_string_value(value));
}

void ptx_lsp_wish(LspServer *server, const json_t *settings)
{
    const json_t *own = json_object_get(settings, "ptxlint");
    LspWish *wish = &server->wish;
    settings = json_is_object(own) ? own : settings;
    read_wish(settings, "gpu", &wish->gpu);
    read_wish(settings, "launch", &wish->launch);
    read_wish(settings, "config", &wish->config);
    read_wish(settings, "grid", &wish->grid);
    read_wish(settings, "block", &wish->block);
}
