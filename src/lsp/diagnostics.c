/* diagnostics.c -- findings as the protocol has them, pushed or pulled; those with a CUDA line are
 * pushed for its file, too. Findings of a text that has changed since are shown at the places that
 * followed, until the new ones are there; what the front end says is always new. */
#include "lsp/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int lsp_severity(ptxlint_severity severity)
{
    static const int numbers[] = { [PTXLINT_ERROR] = 1, [PTXLINT_WARNING] = 2, [PTXLINT_NOTE] = 3 };
    return numbers[severity];
}

/* The message, and what the rest of a finding says: a client shows no more than this. */
static json_t *message_of(const ptxlint_diagnostic *d)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = ptx_lsp_heard(open_memstream(&text, &length));
    if (!out)
        return json_string("");
    fputs(d->message, out);
    if (d->label)
        fprintf(out, "\n%s", d->label);
    if (d->help)
        fprintf(out, "\nhelp: %s", d->help);
    if (!isnan(d->gain_percent) && d->gain_of)
        fprintf(out, "\ngain: %s %.0f %% of %s", d->is_gain_most ? "at most" : "about",
                d->gain_percent, d->gain_of);
    if (d->repeat_count)
        fprintf(out, "\nand %u more like it", (unsigned)d->repeat_count);
    ptx_lsp_close_text(out, &text);
    json_t *string = ptx_lsp_string(text ? text : "", length);
    free(text);
    return string;
}

/* ---- CUDA files that are newer --------------------------------------------------------------- */

/* False where it is not known, too. Files that were written together may be seconds apart. */
bool ptx_lsp_is_source_newer(const LspServer *server, const LspDocument *d, const char *path)
{
    enum { TOGETHER_SECONDS = 2 };
    struct stat source, ptx;
    const LspDocument *open = ptx_document_at(server, path);
    if (open && open->is_unsaved)
        return true;
    return d->path && !stat(path, &source) && !stat(d->path, &ptx)
           && source.st_mtime > ptx.st_mtime + TOGETHER_SECONDS;
}

/* ---- related places -------------------------------------------------------------------------- */

/* A line of a file that need not be open; column from 1, or 0. */
static json_t *source_line_place(const char *uri, uint32_t line, uint32_t column)
{
    json_int_t at = (json_int_t)line - (line > 0), character = (json_int_t)column - (column > 0);
    return json_pack("{s:s, s:{s:{s:I,s:I}, s:{s:I,s:I}}}", "uri", uri, "range", "start", "line",
                     at, "character", character, "end", "line", at, "character", character);
}

static void relate_source(const LspDocument *d, json_t *list, ptxlint_source_place place,
                          const char *text)
{
    char *path = place.path ? ptx_lsp_source_path(d, place.path) : NULL;
    char *uri = path ? ptx_path_uri(path) : NULL;
    if (uri)
        json_array_append_new(list, json_pack("{s:o, s:s}", "location",
                                              source_line_place(uri, place.line, place.column),
                                              "message", text));
    free(uri);
    free(path);
}

static json_t *related_of(LspServer *server, LspDocument *d, FollowFn follow,
                          const ptxlint_diagnostic *found)
{
    json_t *list = json_array();
    for (size_t i = 0; i < found->related_count; i++) {
        ptxlint_span span = found->related[i].span;
        if (follow(d, &span))
            json_array_append_new(list,
                                  json_pack("{s:o, s:o}", "location",
                                            ptx_lsp_location(server, d, span), "message",
                                            ptx_lsp_string(found->related[i].message,
                                                           strlen(found->related[i].message))));
    }
    relate_source(
        d, list,
        (ptxlint_source_place){ found->source_path, found->source_line, found->source_column },
        "the CUDA line of this instruction");
    for (size_t i = 0; i < found->inlined_count; i++)
        relate_source(d, list, found->inlined_into[i], "inlined here");
    return list;
}

/* ---- one finding ----------------------------------------------------------------------------- */

static bool is_unnecessary(const ptxlint_diagnostic *d)
{
    return strstr(d->name, "dead") || strstr(d->name, "unused") || strstr(d->name, "unreachable");
}

/* All but the range. */
static json_t *diagnostic_body(const LspServer *server, const ptxlint_diagnostic *d)
{
    char href[64];
    json_t *body =
        json_pack("{s:i, s:s, s:s, s:o, s:{s:s}}", "severity", lsp_severity(d->severity), "code",
                  d->rule, "source", "ptxlint", "message", message_of(d), "data", "rule", d->rule);
    snprintf(href, sizeof href, "ptxlint:rules/%.32s", d->rule);
    if (server->client.has_code_description)
        json_object_set_new(body, "codeDescription", json_pack("{s:s}", "href", href));
    if (is_unnecessary(d))
        json_object_set_new(body, "tags", json_pack("[i]", 1));
    return body;
}

/* An empty span is shown as the byte behind it, where its line has one. */
static ptxlint_span shown_span(const LspDocument *d, ptxlint_span span)
{
    if (span.end == span.begin && span.end < d->length && d->text[span.end] != '\n'
        && d->text[span.end] != '\r')
        span.end++;
    while (span.end < d->length && ((unsigned char)d->text[span.end] & 0xC0) == 0x80)
        span.end++;
    return span;
}

/* NULL: its place is gone. */
static json_t *diagnostic_of(LspServer *server, LspDocument *d, FollowFn follow,
                             const ptxlint_diagnostic *found)
{
    ptxlint_span span = found->span;
    if (!follow(d, &span))
        return NULL;
    json_t *out = diagnostic_body(server, found);
    json_object_set_new(out, "range", ptx_lsp_range(server, d, shown_span(d, span)));
    if (server->client.has_related) {
        json_t *related = related_of(server, d, follow, found);
        if (json_array_size(related))
            json_object_set(out, "relatedInformation", related);
        json_decref(related);
    }
    return out;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_of_front_end(const ptxlint_diagnostic *d)
{
    const ptxlint_rule *rule = ptxlint_rule_find(NULL, d->rule);
    return rule && rule->is_front_end && strcmp(d->group, "limit") != 0;
}

/* Which of a module's findings are shown, and where. */
typedef struct FindingSource {
    const ptxlint_module *module;
    FollowFn follow;
    bool (*is_wanted)(const LspDocument *d, const ptxlint_diagnostic *found);
} FindingSource;

static bool stays(const LspDocument *d, ptxlint_span *span)
{
    (void)d, (void)span;
    return true;
}

static bool wants_any(const LspDocument *d, const ptxlint_diagnostic *found)
{
    (void)d, (void)found;
    return true;
}

static bool wants_none_of_front_end(const LspDocument *d, const ptxlint_diagnostic *found)
{
    (void)d;
    return !is_of_front_end(found);
}

static bool wants_edited(const LspDocument *d, const ptxlint_diagnostic *found)
{
    return ptx_part_holds(d, found->span);
}

static bool wants_unedited(const LspDocument *d, const ptxlint_diagnostic *found)
{
    ptxlint_span span = found->span;
    return ptx_part_follow(d, &span) && !ptx_part_holds(d, span);
}

static void add_findings_of(LspServer *server, LspDocument *d, FindingSource from, json_t *list)
{
    size_t count;
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(from.module, &count);
    for (size_t i = 0; i < count; i++) {
        const bool is_shown =
            found[i].suppression == PTXLINT_NOT_SUPPRESSED && from.is_wanted(d, &found[i]);
        json_t *shown = is_shown ? diagnostic_of(server, d, from.follow, &found[i]) : NULL;
        if (shown)
            json_array_append_new(list, shown);
    }
}

/* What the front end says of the text as it is. */
static void add_front_end(LspServer *server, LspDocument *d, json_t *list)
{
    const ptxlint_module *now = ptx_document_head(server, d);
    if (now == d->syntax) {
        add_findings_of(server, d, (FindingSource){ now, stays, wants_any }, list);
        return;
    }
    add_findings_of(server, d, (FindingSource){ now, stays, wants_edited }, list);
    add_findings_of(server, d, (FindingSource){ d->syntax, ptx_part_follow, wants_unedited }, list);
}

json_t *ptx_diagnostics_of(LspServer *server, LspDocument *d)
{
    json_t *list = json_array();
    const ptxlint_module *now = ptx_document_analysed(d, false);
    if (d->language == LANGUAGE_PTX && now) {
        add_findings_of(server, d, (FindingSource){ now, stays, wants_any }, list);
    } else if (d->language == LANGUAGE_PTX) {
        const FindingSource old = { d->analysed, ptx_document_follow, wants_none_of_front_end };
        add_front_end(server, d, list);
        add_findings_of(server, d, old, list);
    }
    return list;
}

/* ---- CUDA files ------------------------------------------------------------------------------ */

/* A finding of the document in the CUDA file at path. */
static json_t *cuda_finding(const LspServer *server, const LspDocument *d, const char *path,
                            const ptxlint_diagnostic *found)
{
    json_t *body = diagnostic_body(server, found), *place;
    place = source_line_place("", found->source_line, found->source_column);
    json_object_set(body, "range", json_object_get(place, "range"));
    json_decref(place);
    if (ptx_lsp_is_source_newer(server, d, path))
        json_object_set_new(body, "message",
                            json_sprintf("%s\nThe CUDA file is newer than the PTX: the line may be "
                                         "another one by now.",
                                         ptx_lsp_text(body, "message")));
    return body;
}

/* Findings of the document with a line of a CUDA file that is there, by URI. */
static json_t *find_cuda_findings(LspServer *server, const LspDocument *d)
{
    size_t count;
    json_t *sources = json_object();
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(d->analysed, &count);
    for (size_t i = 0; i < count; i++) {
        if (!found[i].source_path || found[i].suppression != PTXLINT_NOT_SUPPRESSED)
            continue;
        char *path = ptx_lsp_source_path(d, found[i].source_path);
        char *uri = path ? ptx_path_uri(path) : NULL;
        json_t *list = uri ? json_object_get(sources, uri) : NULL;
        if (uri && !list) {
            list = json_array();
            json_object_set_new(sources, uri, list);
        }
        if (uri)
            json_array_append_new(list, cuda_finding(server, d, path, &found[i]));
        free(uri);
        free(path);
    }
    return sources;
}

/* Of a CUDA file, what all documents have found in it. */
static void publish_source(LspServer *server, const char *uri)
{
    json_t *all = json_array();
    for (const LspDocument *d = server->documents; d; d = d->next)
        json_array_extend(all, json_object_get(d->sources, uri));
    ptx_lsp_notify(server, "textDocument/publishDiagnostics",
                   json_pack("{s:s, s:o}", "uri", uri, "diagnostics", all));
}

/* Takes sources; those that were there before or are there now are published. */
static void replace_sources(LspServer *server, LspDocument *d, json_t *sources)
{
    const char *uri;
    json_t *list, *old = d->sources;
    d->sources = sources;
    json_object_foreach(old, uri, list) if (!json_equal(list, json_object_get(sources, uri)))
        publish_source(server, uri);
    json_object_foreach(sources, uri, list) if (!json_object_get(old, uri))
        publish_source(server, uri);
    json_decref(old);
}

/* A CUDA file was edited, saved or closed: whether it is newer than the PTX may have changed. */
static void renew_source(LspServer *server)
{
    for (LspDocument *d = server->documents; d; d = d->next)
        if (json_object_size(d->sources) && ptx_document_analysed(d, false))
            replace_sources(server, d, find_cuda_findings(server, d));
}

/* ---- out ------------------------------------------------------------------------------------- */

static void push_diagnostics(LspServer *server, LspDocument *d, json_t *list)
{
    json_t *params = json_pack("{s:s, s:o}", "uri", d->uri, "diagnostics", list);
    if (server->client.has_version)
        json_object_set_new(params, "version", json_integer(d->version));
    ptx_lsp_notify(server, "textDocument/publishDiagnostics", params);
}

void ptx_lsp_show_short(LspServer *server, const LspDocument *d)
{
    if (server->is_short)
        ptx_lsp_notify(server, "window/showMessage",
                       json_pack("{s:i, s:o}", "type", 1, "message",
                                 json_sprintf("ptxlint has no memory for %s", d->uri)));
    server->is_short = false;
}

void ptx_diagnostics_publish(LspServer *server, LspDocument *d)
{
    d->is_published = true;
    if (d->language == LANGUAGE_OTHER) {
        renew_source(server);
        return;
    }
    if (d->language == LANGUAGE_CONFIG) {
        push_diagnostics(server, d, ptx_lsp_config_diagnostics(server, d));
        return;
    }
    if (!server->client.has_pull_diagnostics)
        push_diagnostics(server, d, ptx_diagnostics_of(server, d));
    ptx_lsp_show_short(server, d);
    if (ptx_document_analysed(d, false))
        replace_sources(server, d, find_cuda_findings(server, d));
}

void ptx_diagnostics_withdraw(LspServer *server, LspDocument *d)
{
    replace_sources(server, d, NULL);
    if (d->language == LANGUAGE_OTHER)
        renew_source(server);
    else if (!server->client.has_pull_diagnostics)
        ptx_lsp_notify(server, "textDocument/publishDiagnostics",
                       json_pack("{s:s, s:[]}", "uri", d->uri, "diagnostics"));
}

/* A result has the number of its revision. */
void ptx_lsp_pull(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    char id[32];
    const char *before = ptx_lsp_text(params, "previousResultId");
    snprintf(id, sizeof id, "%llu", (unsigned long long)d->revision);
    if (before && !strcmp(before, id)) {
        answer->result = json_pack("{s:s, s:s}", "kind", "unchanged", "resultId", id);
        return;
    }
    json_t *items = d->language == LANGUAGE_CONFIG ? ptx_lsp_config_diagnostics(server, d)
                                                   : ptx_diagnostics_of(server, d);
    answer->result = json_pack("{s:s, s:s, s:o}", "kind", "full", "resultId", id, "items", items);
}
