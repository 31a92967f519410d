/* navigate.c -- from a name to where it is made and used, from PTX to CUDA and back. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint32_t asked_offset(LspServer *server, LspDocument *d, const json_t *params)
{
    return ptx_lsp_offset(server, d, json_object_get(params, "position"));
}

static const ptxlint_symbol *symbol_of(LspServer *server, LspDocument *d, const json_t *params)
{
    const ptxlint_module *module = ptx_document_syntax(server, d);
    return module ? ptxlint_module_symbol_at(module, asked_offset(server, d, params)) : NULL;
}

/* ---- CUDA files ------------------------------------------------------------------------------ */

static bool is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* path below the first `length` bytes of folder; NULL: it is no file. */
static char *file_below(const char *folder, size_t length, const char *path)
{
    char *joined = ptx_lsp_heard(malloc(length + strlen(path) + 2));
    if (!joined)
        return NULL;
    memcpy(joined, folder, length);
    joined[length] = '/';
    strcpy(joined + length + 1, path);
    if (is_file(joined))
        return joined;
    free(joined);
    return NULL;
}

char *ptx_lsp_source_path(const LspDocument *d, const char *path)
{
    if (*path == '/')
        return is_file(path) ? ptx_lsp_heard(strdup(path)) : NULL;
    size_t length = d->path ? strlen(d->path) : 0;
    char *found = NULL;
    while (length && !found) {
        while (length && d->path[length - 1] != '/')
            length--;
        if (length)
            found = file_below(d->path, --length, path);
    }
    return found;
}

static json_t *source_location(const char *path, uint32_t line, uint32_t column)
{
    char *uri = ptx_path_uri(path);
    json_int_t at = (json_int_t)line - 1, character = column ? (json_int_t)column - 1 : 0;
    json_t *location =
        uri ? json_pack("{s:s, s:{s:{s:I,s:I}, s:{s:I,s:I}}}", "uri", uri, "range", "start", "line",
                        at, "character", character, "end", "line", at, "character", character)
            : NULL;
    free(uri);
    return location;
}

/* The CUDA line of an instruction; NULL: none that is there. */
static json_t *source_of(LspServer *server, LspDocument *d, uint32_t offset)
{
    ptxlint_source_place place;
    const ptxlint_module *module = ptx_document_syntax(server, d);
    if (!module || !ptxlint_module_source_at(module, offset, &place))
        return NULL;
    char *path = ptx_lsp_source_path(d, place.path);
    json_t *location = path ? source_location(path, place.line, place.column) : NULL;
    free(path);
    return location;
}

/* ---- the other way --------------------------------------------------------------------------- */

enum { PLACES_MAX = 256 };

static void add_lines(LspServer *server, LspDocument *d, const char *name, uint32_t line,
                      json_t *list)
{
    uint32_t offsets[PLACES_MAX];
    const ptxlint_module *module = ptx_document_syntax(server, d);
    size_t count = ptxlint_module_source_find(module, name, line, offsets, PLACES_MAX);
    for (size_t i = 0; i < count && i < PLACES_MAX; i++)
        json_array_append_new(
            list, ptx_lsp_location(server, d, (ptxlint_span){ offsets[i], offsets[i] }));
}

/* Names that instructions of the document give the CUDA file at path. */
static void add_ptx_of(LspServer *server, LspDocument *d, const char *path, uint32_t line,
                       json_t *list)
{
    const char *end = strrchr(path, '/');
    const ptxlint_module *module = ptx_document_syntax(server, d);
    if (!module)
        return;
    for (const char *tail = path; tail && tail <= end + 1;) {
        char *seen = ptx_lsp_source_path(d, tail);
        if (seen && !strcmp(seen, path))
            add_lines(server, d, tail, line, list);
        free(seen);
        tail = strchr(tail, '/');
        tail = tail ? tail + 1 : NULL;
    }
}

static json_t *ptx_text_of(LspServer *server, LspDocument *source, const json_t *params)
{
    json_t *list = json_array();
    uint32_t line = ptx_lsp_line(source, asked_offset(server, source, params)) + 1;
    for (LspDocument *d = server->documents; d && source->path; d = d->next)
        if (d->language == LANGUAGE_PTX)
            add_ptx_of(server, d, source->path, line, list);
    return list;
}

void ptx_lsp_implementation(LspServer *server, LspDocument *d, const json_t *params,
                            LspAnswer *answer)
{
    answer->result = d->language == LANGUAGE_OTHER
                         ? ptx_text_of(server, d, params)
                         : source_of(server, d, asked_offset(server, d, params));
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Of a register where it is written; of the rest, and of one that is not, its declaration. */
void ptx_lsp_definition(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    const ptxlint_symbol *s = symbol_of(server, d, params);
    if (!s) {
        uint32_t offset = asked_offset(server, d, params);
        answer->result = ptx_lsp_opcode_at(d, offset).end ? source_of(server, d, offset) : NULL;
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; s->kind == PTXLINT_SYMBOL_REGISTER && i < s->occurrence_count; i++)
        if (s->occurrences[i].is_written)
            json_array_append_new(list, ptx_lsp_location(server, d, s->occurrences[i].span));
    if (!json_array_size(list))
        json_array_append_new(list, ptx_lsp_location(server, d, s->declaration));
    answer->result = list;
}

void ptx_lsp_declaration(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    const ptxlint_symbol *s = symbol_of(server, d, params);
    if (s)
        answer->result = ptx_lsp_location(server, d, s->declaration);
}

/* What belongs to a name: of a range also its registers. */
static bool belongs_to(const ptxlint_symbol *all, const ptxlint_symbol *s, const ptxlint_symbol *to)
{
    return s == to || (to->kind == PTXLINT_SYMBOL_RANGE && s->range == to - all);
}

void ptx_lsp_references(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    const ptxlint_symbol *s = symbol_of(server, d, params);
    bool wants_declaration = ptx_lsp_is(params, "context.includeDeclaration");
    if (!s)
        return;
    json_t *list = json_array();
    const ptxlint_symbol *all = ptxlint_module_symbols(d->syntax, &count);
    if (wants_declaration && s->range >= 0)
        json_array_append_new(list, ptx_lsp_location(server, d, s->declaration));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; belongs_to(all, &all[k], s) && i < all[k].occurrence_count; i++)
            if (wants_declaration || !all[k].occurrences[i].is_declaration)
                json_array_append_new(list,
                                      ptx_lsp_location(server, d, all[k].occurrences[i].span));
    answer->result = list;
}

void ptx_lsp_highlight(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    enum { HIGHLIGHT_TEXT = 1, HIGHLIGHT_READ, HIGHLIGHT_WRITE };
    const ptxlint_symbol *s = symbol_of(server, d, params);
    if (!s)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < s->occurrence_count; i++) {
        const ptxlint_occurrence *o = &s->occurrences[i];
        int kind = o->is_read ? HIGHLIGHT_READ : HIGHLIGHT_TEXT;
        kind = o->is_written ? HIGHLIGHT_WRITE : kind;
        json_array_append_new(list, json_pack("{s:o, s:i}", "range",
                                              ptx_lsp_range(server, d, o->span), "kind", kind));
    }
    answer->result = list;
}
