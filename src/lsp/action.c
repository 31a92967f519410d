/* action.c -- what can be done about findings in a range: apply a fix or a repair, ignore it with a
 * reason, read its page; and all certain fixes of the file at once. */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ActionRun {
    LspServer *server;
    LspDocument *d;
    const json_t *only; /* kinds that the client wants; NULL: all */
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

static uint32_t line_start(const ActionRun *a, uint32_t line)
{
    ptx_lsp_line(a->d, 0);
    return line < a->d->line_count ? a->d->lines[line] : (uint32_t)a->d->length;
}

/* Statements of a repair go before a line, indented as it is. */
static json_t *insertion_of(const ActionRun *a, const ptxlint_insertion *insertion)
{
    uint32_t at = line_start(a, insertion->line - 1), end = at;
    char *text = NULL;
    size_t length = 0;
    FILE *out = ptx_lsp_heard(open_memstream(&text, &length));
    if (!out)
        return NULL;
    while (end < a->d->length && (a->d->text[end] == ' ' || a->d->text[end] == '\t'))
        end++;
    fprintf(out, "%.*s%s\n", (int)(end - at), a->d->text + at, insertion->text);
    ptx_lsp_close_text(out, &text);
    json_t *edit = edit_of(a, (ptxlint_span){ at, at }, text ? text : "");
    free(text);
    return edit;
}

/* Takes edits. */
static void add_action(ActionRun *a, const char *title, const char *kind, json_t *edits,
                       bool is_preferred)
{
    json_t *action =
        json_pack("{s:o, s:s, s:{s:{s:o}}}", "title", ptx_lsp_string(title, strlen(title)), "kind",
                  kind, "edit", "changes", a->d->uri, edits);
    if (is_preferred)
        json_object_set_new(action, "isPreferred", json_true());
    json_array_append_new(a->list, action);
}

/* ---- one finding ----------------------------------------------------------------------------- */

/* "Insert `;`", of the first line of what the first edit does. */
static void put_fix_title(const ActionRun *a, const ptxlint_diagnostic *found, char *out,
                          size_t size)
{
    const ptxlint_fix *first = &found->edits[0];
    const char *more = found->edit_count > 1 ? " and more" : "";
    const char *text = first->replacement, *what = "Insert";
    size_t shown = strcspn(text, "\n");
    if (!*text) {
        what = "Remove";
        text = a->d->text + first->span.begin;
        shown = strcspn(text, "\n");
        shown = shown < first->span.end - first->span.begin ? shown
                                                            : first->span.end - first->span.begin;
    } else if (first->span.end > first->span.begin) {
        what = "Replace by";
    }
    while (shown && (*text == ' ' || *text == '\t')) {
        text++;
        shown--;
    }
    snprintf(out, size, "%s `%.*s`%s (%s)", what, (int)(shown < 60 ? shown : 60), text, more,
             found->rule);
}

/* Only of the text as it is: else its places may have gone. */
static void add_fix(ActionRun *a, const ptxlint_diagnostic *found)
{
    char title[160];
    bool is_certain = true;
    json_t *edits = json_array();
    for (size_t i = 0; i < found->edit_count; i++) {
        is_certain = is_certain && found->edits[i].is_certain;
        json_array_append_new(edits, edit_of(a, found->edits[i].span, found->edits[i].replacement));
    }
    put_fix_title(a, found, title, sizeof title);
    add_action(a, title, "quickfix", edits, is_certain);
}

/* A comment before the line suppresses the statement behind it. */
static void add_ignore(ActionRun *a, const ptxlint_diagnostic *found, ptxlint_span span)
{
    char title[96], comment[96];
    snprintf(comment, sizeof comment, "// ptxlint: ignore[%.32s] give the reason here",
             found->rule);
    snprintf(title, sizeof title, "Ignore %s here, with a reason", found->rule);
    ptxlint_insertion insertion = { ptx_lsp_line(a->d, span.begin) + 1, comment };
    add_action(a, title, "quickfix", json_pack("[o]", insertion_of(a, &insertion)), false);
}

static void add_explain(ActionRun *a, const ptxlint_diagnostic *found)
{
    char title[96];
    snprintf(title, sizeof title, "Explain %s (%s)", found->rule, found->name);
    json_array_append_new(a->list,
                          json_pack("{s:s, s:s, s:{s:s, s:s, s:[s]}}", "title", title, "kind",
                                    "quickfix", "command", "title", title, "command",
                                    "ptxlint.explain", "arguments", found->rule));
}

static bool can_ignore(const ptxlint_diagnostic *found)
{
    const ptxlint_rule *rule = ptxlint_rule_find(NULL, found->rule);
    return !rule || !rule->is_front_end;
}

/* is_now: the finding is of the text as it is. */
static void add_actions(ActionRun *a, const ptxlint_diagnostic *found, ptxlint_span span,
                        bool is_now)
{
    if (found->edit_count && is_now)
        add_fix(a, found);
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

/* What differs between two texts, as one edit: their beginnings and ends go. */
static json_t *fixed_edit(const ActionRun *a, const ptxlint_fixes_info *fixed)
{
    size_t begin = 0, end = 0, length = a->d->length;
    while (begin < length && begin < fixed->length && a->d->text[begin] == fixed->text[begin])
        begin++;
    while (end < length - begin && end < fixed->length - begin
           && a->d->text[length - 1 - end] == fixed->text[fixed->length - 1 - end])
        end++;
    /* whole lines, so that no character is cut */
    while (begin && a->d->text[begin - 1] != '\n')
        begin--;
    while (end && a->d->text[length - end - 1] != '\n')
        end--;
    json_t *text = ptx_lsp_string(fixed->text + begin, fixed->length - begin - end);
    ptxlint_span span = { (uint32_t)begin, (uint32_t)(length - end) };
    return json_pack("{s:o, s:o}", "range", ptx_lsp_range(a->server, a->d, span), "newText", text);
}

/* What `ptxlint fix` does, each edit tried. */
static void add_fix_all(ActionRun *a)
{
    ptxlint_fixes *fixes;
    ptxlint_module *module;
    ptxlint_options options = ptx_document_options(a->server, a->d);
    options.findings_only = 1;
    if (ptxlint_module_new(a->d->text, a->d->length, &options, &module) != PTXLINT_OK)
        return;
    if (ptxlint_fixes_new(module, &options, NULL, &fixes) == PTXLINT_OK) {
        const ptxlint_fixes_info *info = ptxlint_fixes_get_info(fixes);
        if (info->applied_count)
            add_action(a, "Apply the certain fixes of ptxlint", "source.fixAll.ptxlint",
                       json_pack("[o]", fixed_edit(a, info)), false);
        ptxlint_fixes_free(fixes);
    }
    ptxlint_module_free(module);
}

void ptx_lsp_actions(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    ActionRun a = {
        .server = server, .d = d, .only = ptx_lsp_at(params, "context.only"), .list = json_array()
    };
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
    /* it takes analyses of its own: only where it is asked for */
    if (a.only && wants(&a, "source.fixAll.ptxlint"))
        add_fix_all(&a);
}
