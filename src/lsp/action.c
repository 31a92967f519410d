/* action.c -- what can be done about findings in a range: apply a fix or a repair, ignore it with a
 * reason, read its page; and all certain fixes of the file at once. */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ActionRun {
    LspServer *server;
    LspDocument *d;
    const json_t *only;         /* kinds that the client wants; NULL: all */
    ptxlint_span wanted;
    json_t *list;
} ActionRun;

static bool wants(const ActionRun *a, const char *kind)
{
    size_t index;
    json_t *item;
    if (!json_is_array(a->only))
        return true;
    json_array_foreach((json_t *)(uintptr_t)a->only, index, item)
    {
        const char *text = json_string_value(item);
        size_t length = text ? strlen(text) : 0;
        if (text && !strncmp(kind, text, length) && (!kind[length] || kind[length] == '.'))
            return true;
    }
    return false;
}

/* ---- edits ----------------------------------------------------------------------------------- */

static json_t *edit_of(const ActionRun *a, ptxlint_span span, const char *text)
{
    return json_pack("{s:o, s:o}", "range", ptx_lsp_range(a->server, a->d, span), "newText",
                     ptx_lsp_string(text, strlen(text)));
}

static uint32_t line_begin(const ActionRun *a, uint32_t line)
{
    ptx_lsp_line(a->d, 0);
    return line < a->d->line_count ? a->d->lines[line] : (uint32_t)a->d->length;
}

/* Statements of a repair go before a line, indented as it is. */
static json_t *insertion_of(const ActionRun *a, const ptxlint_insertion *insertion)
{
    uint32_t at = line_begin(a, insertion->line - 1), end = at;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    while (end < a->d->length && (a->d->text[end] == ' ' || a->d->text[end] == '\t'))
        end++;
    fprintf(out, "%.*s%s\n", (int)(end - at), a->d->text + at, insertion->text);
    fclose(out);
    json_t *edit = edit_of(a, (ptxlint_span){ at, at }, text ? text : "");
    free(text);
    return edit;
}

/* Takes edits. */
static void add_action(ActionRun *a, const char *title, const char *kind, json_t *edits,
                       bool is_preferred)
{
    json_t *action = json_pack("{s:o, s:s, s:{s:{s:o}}}", "title",
                               ptx_lsp_string(title, strlen(title)), "kind", kind, "edit",
                               "changes", a->d->uri, edits);
    if (is_preferred)
        json_object_set_new(action, "isPreferred", json_true());
    json_array_append_new(a->list, action);
}

/* ---- one finding ----------------------------------------------------------------------------- */

static void add_fix(ActionRun *a, const ptxlint_diagnostic *found, ptxlint_span span)
{
    char title[160];
    const char *text = found->fix->replacement;
    size_t shown = strcspn(text, "\n");
    if (!*text)
        snprintf(title, sizeof title, "Remove `%.*s`", (int)(span.end - span.begin < 60 ? span.end - span.begin : 60),
                 a->d->text + span.begin);
    else if (span.begin == span.end)
        snprintf(title, sizeof title, "Insert `%.*s`", (int)(shown < 60 ? shown : 60), text);
    else
        snprintf(title, sizeof title, "Replace by `%.*s`", (int)(shown < 60 ? shown : 60), text);
    add_action(a, title, "quickfix", json_pack("[o]", edit_of(a, span, text)),
               found->fix->is_certain);
}

static void add_repair(ActionRun *a, const ptxlint_diagnostic *found)
{
    char title[160];
    json_t *edits = json_array();
    for (size_t i = 0; i < found->repair_count; i++)
        json_array_append_new(edits, insertion_of(a, &found->repair[i]));
    snprintf(title, sizeof title, "Repair %s: insert `%.60s`", found->rule,
             found->repair[0].text);
    add_action(a, title, "quickfix", edits, false);
}

/* A comment before the line silences the statement behind it. */
static void add_ignore(ActionRun *a, const ptxlint_diagnostic *found, ptxlint_span span)
{
    char title[96], comment[96];
    snprintf(comment, sizeof comment, "// ptxlint: ignore[%.32s] TODO: say why", found->rule);
    snprintf(title, sizeof title, "Ignore %s here, with a reason", found->rule);
    ptxlint_insertion insertion = { ptx_lsp_line(a->d, span.begin) + 1, comment };
    add_action(a, title, "quickfix", json_pack("[o]", insertion_of(a, &insertion)), false);
}

static void add_explain(ActionRun *a, const ptxlint_diagnostic *found)
{
    char title[96];
    snprintf(title, sizeof title, "Explain %s (%s)", found->rule, found->name);
    json_array_append_new(a->list, json_pack("{s:s, s:s, s:{s:s, s:s, s:[s]}}", "title", title,
                                             "kind", "quickfix", "command", "title", title,
                                             "command", "ptxlint.explain", "arguments",
                                             found->rule));
}

static bool can_ignore(const ptxlint_diagnostic *found)
{
    const ptxlint_rule *rule = ptxlint_rule_find(NULL, found->rule);
    return !rule || !rule->is_front_end;
}

/* is_now: the finding is of the text as it is, so that its lines count. */
static void add_actions(ActionRun *a, const ptxlint_diagnostic *found, ptxlint_span span,
                        bool is_now)
{
    ptxlint_span fix = found->fix ? found->fix->span : span;
    if (found->fix && (is_now || ptx_document_follow(a->d, &fix)))
        add_fix(a, found, fix);
    if (found->repair_count && is_now)
        add_repair(a, found);
    if (can_ignore(found))
        add_ignore(a, found, span);
    add_explain(a, found);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* is_old: the text has changed since; what the front end says of it is not asked then. */
static void add_found(ActionRun *a, const ptxlint_module *module, bool is_old)
{
    size_t count;
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++) {
        ptxlint_span span = found[i].span;
        if (found[i].suppression != PTXLINT_NOT_SUPPRESSED
            || (is_old && (!can_ignore(&found[i]) || !ptx_document_follow(a->d, &span))))
            continue;
        if (span.begin <= a->wanted.end && a->wanted.begin <= span.end)
            add_actions(a, &found[i], span, !is_old);
    }
}

/* What nothing else can have been meant, of the whole file; fixes that overlap wait for the next
 * time. */
static void add_fix_all(ActionRun *a, const ptxlint_diagnostic *found, size_t count)
{
    json_t *edits = json_array();
    uint32_t *ends = calloc(2 * count + 1, sizeof *ends);
    size_t taken = 0;
    for (size_t i = 0; ends && i < count; i++) {
        bool is_free = found[i].fix && found[i].fix->is_certain
                       && found[i].suppression == PTXLINT_NOT_SUPPRESSED;
        for (size_t k = 0; is_free && k < taken; k++)
            is_free = found[i].fix->span.end < ends[2 * k]
                      || found[i].fix->span.begin > ends[2 * k + 1];
        if (!is_free)
            continue;
        ends[2 * taken] = found[i].fix->span.begin;
        ends[2 * taken++ + 1] = found[i].fix->span.end;
        json_array_append_new(edits, edit_of(a, found[i].fix->span, found[i].fix->replacement));
    }
    free(ends);
    if (taken)
        add_action(a, "Apply all certain fixes of ptxlint", "source.fixAll.ptxlint", edits, false);
    else
        json_decref(edits);
}

void ptx_lsp_actions(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    ActionRun a = { .server = server, .d = d, .only = ptx_lsp_at(params, "context.only"), .list = json_array() };
    answer->result = a.list;
    const ptxlint_module *analysed = ptx_document_analysed(d, false),
                         *now = analysed ? analysed : ptx_document_syntax(server, d);
    if (d->language != LANGUAGE_PTX || !now)
        return;
    a.wanted = ptx_lsp_span(server, d, json_object_get(params, "range"));
    if (wants(&a, "quickfix"))
        add_found(&a, now, false);
    if (wants(&a, "quickfix") && !analysed && d->analysed)
        add_found(&a, d->analysed, true);
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(now, &count);
    if (wants(&a, "source.fixAll.ptxlint"))
        add_fix_all(&a, found, count);
}
