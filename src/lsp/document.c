/* document.c -- the texts that the client has open, kept in step with its edits. */
#include "lsp/server.h"

#include "support/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDITS_MAX = 1 << 16 };

/* ---- names ----------------------------------------------------------------------------------- */

static int uri_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *ptx_uri_path(const char *uri)
{
    static const char scheme[] = "file://";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
        return NULL;
    const char *from = strchr(uri + sizeof scheme - 1, '/'); /* behind an authority */
    char *path = from ? ptx_lsp_heard(malloc(strlen(from) + 1)) : NULL, *to = path;
    if (!path)
        return NULL;
    for (; *from && *from != '?' && *from != '#'; from++) {
        int high = *from == '%' ? uri_digit(from[1]) : -1;
        int low = high >= 0 ? uri_digit(from[2]) : -1;
        *to++ = low >= 0 ? (char)(16 * high + low) : *from;
        from += 2 * (low >= 0);
    }
    *to = 0;
    return path;
}

char *ptx_path_uri(const char *path)
{
    static const char plain[] = "-._~/";
    char *uri = ptx_lsp_heard(malloc(3 * strlen(path) + sizeof "file://")), *to = uri;
    if (!uri)
        return NULL;
    to += sprintf(to, "file://");
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                        || strchr(plain, c);
        if (is_plain)
            *to++ = (char)c;
        else
            to += sprintf(to, "%%%02X", c);
    }
    *to = 0;
    return uri;
}

/* ---- documents ------------------------------------------------------------------------------- */

LspDocument *ptx_document_at(const LspServer *server, const char *path)
{
    for (LspDocument *d = server->documents; d; d = d->next)
        if (d->path && !strcmp(d->path, path))
            return d;
    return NULL;
}

/* A client may spell a file in two ways: with `+`, and with `%2B`. */
LspDocument *ptx_document_find(const LspServer *server, const char *uri)
{
    for (LspDocument *d = server->documents; d && uri; d = d->next)
        if (!strcmp(d->uri, uri))
            return d;
    char *path = uri ? ptx_uri_path(uri) : NULL;
    LspDocument *found = path ? ptx_document_at(server, path) : NULL;
    free(path);
    return found;
}

LspDocument *ptx_document_of(const LspServer *server, const json_t *params)
{
    return ptx_document_find(server, ptx_lsp_text(params, "textDocument.uri"));
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    return length >= n && !strcmp(text + length - n, end);
}

static LspLanguage language_of(const char *id, const char *uri)
{
    if (ends_in(uri, "/.ptxlint.yaml"))
        return LANGUAGE_CONFIG;
    bool is_ptx = (id && !strcmp(id, "ptx")) || ends_in(uri, ".ptx");
    return is_ptx ? LANGUAGE_PTX : LANGUAGE_OTHER;
}

/* begin..end of the text becomes those bytes. False: no memory, and it is as it was. */
static bool replace(LspDocument *d, ptxlint_span span, const char *bytes, size_t length)
{
    size_t whole = d->length - (span.end - span.begin) + length;
    if (whole > UINT32_MAX / 2)
        return false;
    if (!ptx_list_reserve(&d->text, &d->capacity, whole + 1, 1)) {
        ptx_lsp_no_memory();
        return false;
    }
    memmove(d->text + span.begin + length, d->text + span.end, d->length - span.end);
    memcpy(d->text + span.begin, bytes, length);
    d->length = whole;
    d->text[whole] = 0;
    d->has_lines = false;
    return true;
}

/* Room for one more edit; false: there is none. */
static bool has_edit_room(LspDocument *d)
{
    return d->edit_count < EDITS_MAX
           && ptx_list_reserve(&d->edits, &d->edit_capacity, d->edit_count + 1, sizeof *d->edits);
}

static void note_edit(LspDocument *d, ptxlint_span span, size_t inserted)
{
    d->revision++;
    d->is_published = d->language == LANGUAGE_OTHER && d->is_unsaved;
    d->is_unsaved = true;
    d->edited = ptx_lsp_now();
    if (d->language != LANGUAGE_PTX)
        return;
    if (has_edit_room(d))
        d->edits[d->edit_count++] =
            (TextEdit){ d->revision, span.begin, span.end, (uint32_t)inserted };
    else
        d->lost_revision = d->revision;
}

void ptx_document_open(LspServer *server, const json_t *item)
{
    const char *uri = ptx_lsp_text(item, "uri"), *text = ptx_lsp_text(item, "text");
    LspDocument *old = ptx_document_find(server, uri);
    if (!uri || !text)
        return;
    if (old)
        ptx_document_close(server, old);
    LspDocument *d = ptx_lsp_heard(calloc(1, sizeof *d));
    if (!d)
        return;
    d->uri = ptx_lsp_heard(strdup(uri));
    d->path = ptx_uri_path(uri);
    d->language = language_of(ptx_lsp_text(item, "languageId"), uri);
    d->version = json_integer_value(json_object_get(item, "version"));
    /* one that no document of this name had before */
    d->revision = ++server->opened << 32;
    size_t length = json_string_length(json_object_get(item, "text"));
    if (!d->uri || !replace(d, (ptxlint_span){ 0, 0 }, text, length)) {
        ptx_document_free(d);
        return;
    }
    d->next = server->documents;
    server->documents = d;
}

static void apply_change(LspServer *server, LspDocument *d, const json_t *change)
{
    const json_t *range = json_object_get(change, "range"), *text = json_object_get(change, "text");
    if (!json_is_string(text))
        return;
    ptxlint_span span = { 0, (uint32_t)d->length };
    if (range)
        span = ptx_lsp_span(server, d, range);
    if (replace(d, span, json_string_value(text), json_string_length(text)))
        note_edit(d, span, json_string_length(text));
}

void ptx_document_change(LspServer *server, LspDocument *d, const json_t *params)
{
    size_t index;
    json_t *change, *changes = json_object_get(params, "contentChanges");
    const json_t *version = ptx_lsp_at(params, "textDocument.version");
    json_array_foreach(changes, index, change) {
        apply_change(server, d, change);
    }
    if (json_is_integer(version))
        d->version = json_integer_value(version);
}

void ptx_document_close(LspServer *server, LspDocument *document)
{
    LspDocument **place = &server->documents;
    while (*place && *place != document)
        place = &(*place)->next;
    if (*place)
        *place = document->next;
    ptx_diagnostics_withdraw(server, document);
    ptx_document_free(document);
}

void ptx_document_free(LspDocument *d)
{
    ptxlint_module_free(d->syntax);
    ptx_part_free(&d->part);
    ptxlint_module_free(d->analysed);
    ptxlint_tokens_free(d->tokens);
    ptx_basis_release(d->basis);
    json_decref(d->sources);
    free(d->uri);
    free(d->path);
    free(d->text);
    free(d->lines);
    free(d->edits);
    free(d);
}

void ptx_document_forget(LspDocument *d)
{
    /* what stands in a module names GPUs and rules of the settings that go */
    ptxlint_module_free(d->syntax);
    ptx_part_free(&d->part);
    ptxlint_module_free(d->analysed);
    d->syntax = d->analysed = NULL;
    ptx_basis_release(d->basis);
    d->basis = NULL;
    d->revision++;
    d->is_published = false;
    d->edited = 0;
}

/* ---- what is known of it --------------------------------------------------------------------- */

bool ptx_document_follow(const LspDocument *d, ptxlint_span *span)
{
    if (d->analysed_revision < d->lost_revision)
        return false;
    for (size_t i = 0; i < d->edit_count; i++) {
        const TextEdit *e = &d->edits[i];
        if (e->revision <= d->analysed_revision || span->end <= e->begin)
            continue;
        if (span->begin < e->end || (span->begin == e->begin && span->begin == span->end))
            return false;
        span->begin = span->begin - (e->end - e->begin) + e->inserted;
        span->end = span->end - (e->end - e->begin) + e->inserted;
    }
    return true;
}

static unsigned count_threads(void)
{
    enum { THREADS_MAX = 8 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        return 1;
    return cores < THREADS_MAX ? (unsigned)cores : THREADS_MAX;
}

ptxlint_options ptx_document_options(LspServer *server, LspDocument *d)
{
    LspSettings settings = ptx_settings_find(server, d->path);
    ptxlint_options options;
    ptxlint_options_init(&options);
    if (!d->basis)
        d->basis = ptx_basis_new(server);
    options.jobs = count_threads();
    options.path = d->path;
    options.config = settings.config;
    options.gpus = settings.gpus;
    options.gpu_count = settings.gpu_count;
    options.launches = settings.launches;
    options.metadata_path = d->path;
    return options;
}

const ptxlint_module *ptx_document_syntax(LspServer *server, LspDocument *d)
{
    if (d->language != LANGUAGE_PTX || (d->syntax && d->syntax_revision == d->revision))
        return d->syntax;
    ptxlint_options options = ptx_document_options(server, d);
    options.syntax_only = 1;
    options.has_symbols = 1;
    ptxlint_module_free(d->syntax);
    ptx_part_free(&d->part);
    d->syntax = NULL;
    server->is_short |= ptxlint_module_new(d->text, d->length, &options, &d->syntax)
                        == PTXLINT_NO_MEMORY;
    d->syntax_revision = d->revision;
    return d->syntax;
}

const ptxlint_tokens *ptx_document_tokens(LspDocument *d)
{
    if (d->tokens && d->tokens_revision == d->revision)
        return d->tokens;
    ptxlint_tokens_free(d->tokens);
    d->tokens = NULL;
    if (ptxlint_tokens_new(d->text, d->length, &d->tokens) == PTXLINT_NO_MEMORY)
        ptx_lsp_no_memory();
    d->tokens_revision = d->revision;
    return d->tokens;
}

const ptxlint_module *ptx_document_analysed(const LspDocument *d, bool wants_figures)
{
    bool is_current = d->analysed && d->analysed_revision == d->revision;
    return is_current && (d->has_figures || !wants_figures) ? d->analysed : NULL;
}

const ptxlint_gpu *ptx_document_gpu(LspServer *server, LspDocument *d)
{
    const ptxlint_module *module = ptx_document_head(server, d);
    const ptxlint_module_info *info = module ? ptxlint_module_get_info(module) : NULL;
    return info && info->gpu_count ? info->gpus[0] : NULL;
}

const ptxlint_gpu *ptx_document_target(LspServer *server, LspDocument *d)
{
    const ptxlint_module *module = ptx_document_head(server, d);
    return module ? ptxlint_gpu_find(ptxlint_module_get_info(module)->target) : NULL;
}
