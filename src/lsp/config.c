/* config.c -- .ptxlint.yaml in the editor: what is wrong with it, and what may stand in it. */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong --------------------------------------------------------------------------- */

static const char shown_path[] = ".ptxlint.yaml";

/* "PATH:LINE:COLUMN: error: TEXT"; columns in bytes from 1. */
static json_t *read_error(LspServer *server, LspDocument *d, const char *error)
{
    unsigned line = 1, column = 1;
    const char *place = error + sizeof shown_path - 1, *text = strstr(error, ": error: ");
    if (strncmp(error, shown_path, sizeof shown_path - 1) != 0
        || sscanf(place, ":%u:%u", &line, &column) != 2)
        text = NULL;
    text = text ? text + strlen(": error: ") : error;
    ptx_lsp_line(d, 0);
    uint32_t begin = line && line <= d->line_count ? d->lines[line - 1] : (uint32_t)d->length;
    begin += column ? column - 1 : 0;
    uint32_t end = begin;
    while (end < d->length && !strchr(" \t\r\n,]}:", d->text[end]))
        end++;
    return json_pack("{s:o, s:i, s:s, s:o}", "range",
                     ptx_lsp_range(server, d, (ptxlint_span){ begin, end }), "severity", 1,
                     "source", "ptxlint", "message", ptx_lsp_string(text, strlen(text)));
}

/* The reader stops at the first mistake. A user's rules are those that the file's folder has. */
json_t *ptx_lsp_config_diagnostics(LspServer *server, LspDocument *d)
{
    char error[1024] = "";
    ptxlint_config *config;
    LspSettings settings = ptx_settings_find(server, d->path);
    json_t *list = json_array();
    if (ptxlint_config_new(settings.rules, &config) != PTXLINT_OK)
        return list;
    ptxlint_status status =
        ptxlint_config_read(config, shown_path, d->text, d->length, error, sizeof error);
    if (status == PTXLINT_BAD_FILE)
        json_array_append_new(list, read_error(server, d, error));
    ptxlint_config_free(config);
    return list;
}

/* ---- what may stand in it -------------------------------------------------------------------- */

enum { ITEM_KEY = 10, ITEM_RULE = 12 };

typedef struct ConfigItems {
    LspServer *server;
    LspDocument *d;
    ptxlint_span word;
    json_t *items;
} ConfigItems;

static void add_config_item(ConfigItems *c, const char *label, int kind, const char *what)
{
    json_t *item = json_pack("{s:s, s:i, s:{s:o, s:s}}", "label", label, "kind", kind, "textEdit",
                             "range", ptx_lsp_range(c->server, c->d, c->word), "newText", label);
    if (what)
        json_object_set_new(item, "documentation", json_string(what));
    json_array_append_new(c->items, item);
}

static void add_keys(ConfigItems *c)
{
    const char *text = ptxlint_schema_text("config"), *key;
    json_t *schema = text ? json_loads(text, 0, NULL) : NULL, *property;
    json_object_foreach(json_object_get(schema, "properties"), key, property) {
        add_config_item(c, key, ITEM_KEY, ptx_lsp_text(property, "description"));
    }
    json_decref(schema);
}

static bool has_item(const ConfigItems *c, const char *label)
{
    size_t index;
    json_t *item;
    json_array_foreach(c->items, index,
                       item) if (!strcmp(ptx_lsp_text(item, "label"), label)) return true;
    return false;
}

static void add_rule_items(ConfigItems *c)
{
    const ptxlint_rule *rule;
    LspSettings settings = ptx_settings_find(c->server, c->d->path);
    for (size_t i = 0; (rule = ptxlint_rule_at(settings.rules, i)); i++) {
        add_config_item(c, rule->code, ITEM_RULE, rule->summary);
        if (!has_item(c, rule->group))
            add_config_item(c, rule->group, ITEM_RULE, NULL);
    }
}

static void add_gpus(ConfigItems *c)
{
    const ptxlint_gpu *gpu;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++)
        add_config_item(c, ptxlint_gpu_get_info(gpu)->name, ITEM_RULE,
                        ptxlint_gpu_get_info(gpu)->product);
}

/* The key that the place belongs to: of its own line, else of the nearest one above that is not
 * indented. */
static void find_key_at(LspDocument *d, uint32_t offset, char *key, size_t size)
{
    uint32_t line = ptx_lsp_line(d, offset);
    do {
        const char *at = d->text + d->lines[line];
        size_t length = strcspn(at, ":\r\n");
        *key = 0;
        if (at[length] == ':' && d->lines[line] + length < offset && !strchr(" \t#-", *at)
            && length < size)
            snprintf(key, size, "%.*s", (int)length, at);
    } while (!*key && line--);
}

json_t *ptx_lsp_config_completion(LspServer *server, LspDocument *d, uint32_t offset)
{
    char key[64] = "";
    ConfigItems c = { .server = server, .d = d, .word = { offset, offset }, .items = json_array() };
    while (c.word.begin && !strchr(" \t\r\n,[]{}:", d->text[c.word.begin - 1]))
        c.word.begin--;
    uint32_t line = d->lines[ptx_lsp_line(d, offset)];
    if (c.word.begin != line)
        find_key_at(d, offset, key, sizeof key);
    if (!*key)
        add_keys(&c);
    else if (!strcmp(key, "gpu"))
        add_gpus(&c);
    else if (strcmp(key, "launch") && strcmp(key, "baseline") && strcmp(key, "budget"))
        add_rule_items(&c);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", c.items);
}
