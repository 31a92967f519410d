/* outline.c -- the symbols of a file as a tree: functions with what they declare, variables. A
 * client that knows no trees gets a list. */
#include "lsp/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    KIND_FIELD = 8,
    KIND_FUNCTION = 12,
    KIND_VARIABLE = 13,
    KIND_CONSTANT = 14,
    KIND_ARRAY = 18,
    KIND_KEY = 20,
    KIND_NULL = 21,
    KIND_EVENT = 24
};

static int symbol_kind_of(const ptxlint_symbol *s)
{
    switch (s->kind) {
    case PTXLINT_SYMBOL_ENTRY:
    case PTXLINT_SYMBOL_FUNC:
        return KIND_FUNCTION;
    case PTXLINT_SYMBOL_LABEL:
        return KIND_KEY;
    case PTXLINT_SYMBOL_RANGE:
        return KIND_ARRAY;
    case PTXLINT_SYMBOL_PARAMETER:
        return KIND_FIELD;
    default:
        return strcmp(s->space, "const") ? KIND_VARIABLE : KIND_CONSTANT;
    }
}

static void detail_of(const ptxlint_symbol *s, char *out, size_t size)
{
    *out = 0;
    if (s->kind == PTXLINT_SYMBOL_ENTRY)
        snprintf(out, size, "kernel");
    else if (s->kind == PTXLINT_SYMBOL_FUNC)
        snprintf(out, size, "function");
    else if (s->kind == PTXLINT_SYMBOL_RANGE)
        snprintf(out, size, ".reg .%s, %" PRIu64, s->type, s->count);
    else if (!*s->space)
        return; /* a mistake, or a label */
    else if (s->bytes)
        snprintf(out, size, ".%s .%s, %" PRId64 " bytes", s->space, s->type, s->bytes);
    else
        snprintf(out, size, ".%s .%s", s->space, s->type);
}

/* Registers of a range are many, and the range stands for them. */
static bool is_in_outline(const ptxlint_symbol *s)
{
    return s->range < 0;
}

static bool is_function(const ptxlint_symbol *s)
{
    return s->kind == PTXLINT_SYMBOL_ENTRY || s->kind == PTXLINT_SYMBOL_FUNC;
}

static json_t *shown_name(const ptxlint_symbol *s)
{
    char text[1024];
    if (is_function(s) && ptxlint_demangle(s->name, PTXLINT_NAME_SIGNATURE, text, sizeof text))
        return ptx_lsp_string(text, strlen(text));
    return ptx_lsp_string(s->name, strlen(s->name));
}

/* The selection must lie in the range. */
static json_t *outline_entry(LspServer *server, LspDocument *d, const ptxlint_symbol *s)
{
    char detail[96];
    ptxlint_span extent = s->extent;
    if (extent.begin > s->declaration.begin || extent.end < s->declaration.end)
        extent = s->declaration;
    detail_of(s, detail, sizeof detail);
    json_t *entry = json_pack("{s:o, s:i, s:o, s:o}", "name", shown_name(s), "kind",
                              symbol_kind_of(s), "range", ptx_lsp_range(server, d, extent),
                              "selectionRange", ptx_lsp_range(server, d, s->declaration));
    if (*detail)
        json_object_set_new(entry, "detail", json_string(detail));
    return entry;
}

/* Symbols stand in the order in which they were met, those of a function behind it. */
static json_t *make_tree(LspServer *server, LspDocument *d, const ptxlint_symbol *all, size_t count)
{
    json_t *tree = json_array(), *function = NULL;
    ptxlint_span extent = { 0, 0 };
    for (size_t i = 0; i < count; i++) {
        if (!is_in_outline(&all[i]))
            continue;
        json_t *entry = outline_entry(server, d, &all[i]);
        bool is_inside = function && all[i].function && all[i].declaration.begin >= extent.begin
                         && all[i].declaration.end <= extent.end;
        if (is_function(&all[i])) {
            function = entry;
            extent = all[i].extent;
            json_object_set_new(entry, "children", json_array());
        }
        json_array_append_new(is_inside ? json_object_get(function, "children") : tree, entry);
    }
    return tree;
}

static json_t *make_list(LspServer *server, LspDocument *d, const ptxlint_symbol *all, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (!is_in_outline(&all[i]))
            continue;
        json_t *entry = json_pack("{s:o, s:i, s:o}", "name", shown_name(&all[i]), "kind",
                                  symbol_kind_of(&all[i]), "location",
                                  ptx_lsp_location(server, d, all[i].declaration));
        if (all[i].function)
            json_object_set_new(entry, "containerName",
                                ptx_lsp_string(all[i].function, strlen(all[i].function)));
        json_array_append_new(list, entry);
    }
    return list;
}

void ptx_lsp_symbols(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    (void)params;
    const ptxlint_module *module = ptx_document_syntax(server, d);
    if (!module)
        return;
    const ptxlint_symbol *all = ptxlint_module_symbols(module, &count);
    answer->result = server->client.has_symbol_tree ? make_tree(server, d, all, count)
                                                    : make_list(server, d, all, count);
}
