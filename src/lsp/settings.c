/* settings.c -- what the client asks for, at the beginning and whenever it changes:
 * {"gpu": "h200", "launch": "launches.json", "config": "FILE", "grid": "4096", "block": "256"}, or
 * the same below "ptxlint". */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

/* ---- that hold ------------------------------------------------------------------------------- */

/* Counted in the thread of the loop alone. */
typedef struct LspOpened {
    const LspHost *host;
    void *settings;
    unsigned users;
} LspOpened;

struct LspBasis {
    LspOpened *opened;
    ptxlint_history *history;
    unsigned users;
};

static void release_opened(LspOpened *opened)
{
    if (!opened || --opened->users)
        return;
    opened->host->close(opened->settings);
    free(opened);
}

void ptx_settings_close(LspServer *server)
{
    release_opened(server->settings);
    server->settings = NULL;
}

void ptx_settings_open(LspServer *server)
{
    ptx_settings_close(server);
    LspOpened *opened = ptx_lsp_heard(malloc(sizeof *opened));
    if (opened)
        *opened = (LspOpened){ server->host,
                               server->host->open(server->host->context, &server->wish), 1 };
    server->settings = opened;
}

LspSettings ptx_settings_find(const LspServer *server, const char *path)
{
    return server->host->find(server->settings ? server->settings->settings : NULL, path);
}

LspBasis *ptx_basis_new(LspServer *server)
{
    LspBasis *basis = ptx_lsp_heard(calloc(1, sizeof *basis));
    if (!basis)
        return NULL;
    *basis = (LspBasis){ .opened = server->settings, .users = 1 };
    if (basis->opened)
        basis->opened->users++;
    ptxlint_history_new(&basis->history);
    return basis;
}

LspBasis *ptx_basis_hold(LspBasis *basis)
{
    if (basis)
        basis->users++;
    return basis;
}

void ptx_basis_release(LspBasis *basis)
{
    if (!basis || --basis->users)
        return;
    ptxlint_history_free(basis->history);
    release_opened(basis->opened);
    free(basis);
}

ptxlint_history *ptx_basis_history(const LspBasis *basis)
{
    return basis ? basis->history : NULL;
}

/* ---- that are asked for ---------------------------------------------------------------------- */

bool ptx_wish_set(char **place, const char *text)
{
    char *copy = text && *text ? ptx_lsp_heard(strdup(text)) : NULL;
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
