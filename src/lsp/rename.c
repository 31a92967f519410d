/* rename.c -- a new name for what has one in this file. A register of a range is renamed with its
 * range, whose numbers stay. */
#include "lsp/server.h"

#include <string.h>

static const ptxlint_symbol *renamed(LspServer *server, LspDocument *d, const json_t *params)
{
    const ptxlint_module *module = ptx_document_syntax(server, d);
    uint32_t offset = ptx_lsp_offset(server, d, json_object_get(params, "position"));
    return module ? ptxlint_module_symbol_at(module, offset) : NULL;
}

static ptxlint_span span_at(const ptxlint_symbol *s, uint32_t offset)
{
    for (size_t i = 0; i < s->occurrence_count; i++)
        if (s->occurrences[i].span.begin <= offset && offset <= s->occurrences[i].span.end)
            return s->occurrences[i].span;
    return s->declaration;
}

void ptx_lsp_prepare_rename(LspServer *server, LspDocument *d, const json_t *params,
                            LspAnswer *answer)
{
    const ptxlint_symbol *s = renamed(server, d, params);
    uint32_t offset = ptx_lsp_offset(server, d, json_object_get(params, "position"));
    if (s)
        answer->result = json_pack("{s:o, s:o}", "range",
                                   ptx_lsp_range(server, d, span_at(s, offset)), "placeholder",
                                   ptx_lsp_string(s->name, strlen(s->name)));
}

/* ---- whether the new name will do ------------------------------------------------------------ */

static bool is_follow(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '$';
}

/* PTX ISA, "Identifiers". */
static bool is_identifier(const char *name)
{
    bool is_sign = *name == '_' || *name == '$' || *name == '%';
    bool is_letter = is_follow(*name) && !(*name >= '0' && *name <= '9');
    if (!(is_sign && name[1]) && !(is_letter && !is_sign))
        return false;
    for (name++; *name; name++)
        if (!is_follow(*name))
            return false;
    return true;
}

static bool is_special(const char *name)
{
    ptxlint_isa_register r;
    for (size_t i = 0; ptxlint_isa_register_at(i, &r); i++) {
        size_t length = strlen(r.name);
        bool is_it = !strncmp(name, r.name, length)
                     && strspn(name + length, "0123456789") == strlen(name + length);
        if (is_it && (r.number_count != 0) == (name[length] != 0))
            return true;
    }
    return false;
}

static bool overlap(ptxlint_span a, ptxlint_span b)
{
    return a.begin < b.end && b.begin < a.end;
}

/* Labels have names of their own. Numbered names clash with a range of the stem. */
static bool clashes(const ptxlint_symbol *other, const ptxlint_symbol *s, const char *name)
{
    bool is_label = s->kind == PTXLINT_SYMBOL_LABEL;
    if (other == s || (other->kind == PTXLINT_SYMBOL_LABEL) != is_label
        || !overlap(other->scope, s->scope))
        return false;
    size_t length = strlen(other->name);
    bool is_numbered = !strncmp(name, other->name, length) && name[length]
                       && strspn(name + length, "0123456789") == strlen(name + length);
    return !strcmp(other->name, name) || (other->kind == PTXLINT_SYMBOL_RANGE && is_numbered);
}

static const ptxlint_symbol *find_clash(const ptxlint_symbol *all, size_t count,
                                        const ptxlint_symbol *s, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (clashes(&all[i], s, name) && !(s->kind == PTXLINT_SYMBOL_RANGE && all[i].range == s - all))
            return &all[i];
    return NULL;
}

/* ---- edits ----------------------------------------------------------------------------------- */

static void add_edit(LspServer *server, LspDocument *d, ptxlint_span span, const char *name,
                     json_t *edits)
{
    json_array_append_new(edits, json_pack("{s:o, s:s}", "range", ptx_lsp_range(server, d, span),
                                           "newText", name));
}

static void add_edits(LspServer *server, LspDocument *d, const ptxlint_symbol *s, const char *name,
                      json_t *edits)
{
    size_t count;
    const ptxlint_symbol *all = ptxlint_module_symbols(d->syntax, &count);
    for (size_t i = 0; i < s->occurrence_count; i++)
        add_edit(server, d, s->occurrences[i].span, name, edits);
    if (s->kind != PTXLINT_SYMBOL_RANGE)
        return;
    uint32_t stem = s->declaration.end - s->declaration.begin;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; all[k].range == s - all && i < all[k].occurrence_count; i++) {
            uint32_t begin = all[k].occurrences[i].span.begin;
            add_edit(server, d, (ptxlint_span){ begin, begin + stem }, name, edits);
        }
}

/* Of a register of a range the range, and the stem of the new name; NULL: its number changed. */
static const ptxlint_symbol *as_range(const ptxlint_symbol *all, const ptxlint_symbol *s,
                                      char *name)
{
    const ptxlint_symbol *range = &all[s->range];
    const char *number = s->name + strlen(range->name);
    size_t length = strlen(name), digits = strlen(number);
    if (length <= digits || strcmp(name + length - digits, number) != 0)
        return NULL;
    name[length - digits] = 0;
    return range;
}

void ptx_lsp_rename(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    char name[256] = "";
    const char *wanted = ptx_lsp_text(params, "newName");
    const ptxlint_symbol *s = renamed(server, d, params);
    if (!s) {
        ptx_lsp_fail(answer, ERROR_FAILED, "no name of this file is here");
        return;
    }
    const ptxlint_symbol *all = ptxlint_module_symbols(d->syntax, &count);
    if (wanted && strlen(wanted) < sizeof name)
        strcpy(name, wanted);
    if (!is_identifier(name)) {
        ptx_lsp_fail(answer, ERROR_FAILED, "`%.60s` is no name in PTX", wanted ? wanted : "");
        return;
    }
    if (s->range >= 0 && !(s = as_range(all, s, name))) {
        ptx_lsp_fail(answer, ERROR_FAILED,
                     "it is one register of a range: its number must stay as it is");
        return;
    }
    const ptxlint_symbol *other = find_clash(all, count, s, name);
    if (other || is_special(name)) {
        ptx_lsp_fail(answer, ERROR_FAILED, "`%.60s` is the name of something else here", name);
        return;
    }
    json_t *edits = json_array();
    add_edits(server, d, s, name, edits);
    answer->result = json_pack("{s:{s:o}}", "changes", d->uri, edits);
}
