/* part.c -- the front end in the moment of an edit. Since all of a text was read, one function was
 * edited: that one alone is read again, and the one that is asked about. The bodies of the others
 * are blanks, and what was said of them holds.
 *
 * It holds if each function ends where it ended before: then the text behind it is read as before.
 * What stands outside of bodies, which is all that functions know of each other, is the same. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

enum { ANYWHERE = UINT32_MAX };

void ptx_part_free(LspPart *part)
{
    ptxlint_module_free(part->module);
    ptxlint_tokens_free(part->tokens);
    free(part->functions);
    *part = (LspPart){ 0 };
}

/* ---- where functions are --------------------------------------------------------------------- */

/* Behind the comment or string that begins there, or the byte itself. */
static uint32_t behind_what(const char *text, uint32_t at, uint32_t end)
{
    const bool is_string = text[at] == '"', is_line = text[at] == '/' && text[at + 1] == '/',
               is_block = text[at] == '/' && text[at + 1] == '*';
    if (!is_string && !is_line && !is_block)
        return at + 1;
    char last = is_line ? '\n' : '/';
    if (is_string)
        last = '"';
    for (at += is_block ? 3 : 1; at < end; at++)
        if (text[at] == last && (!is_block || text[at - 1] == '*'))
            return at + 1;
    return end;
}

/* Behind the brace that opens its body; 0: it has none. */
static uint32_t find_brace(const char *text, ptxlint_span span)
{
    for (uint32_t at = span.begin; at < span.end; at = behind_what(text, at, span.end))
        if (text[at] == '{')
            return at + 1;
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    const FunctionPlace *one = a, *other = b;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

/* Those with a body, in order; NULL: none, no memory, or they do not stand one behind the other. */
static FunctionPlace *find_functions(const ptxlint_module *module, size_t *count)
{
    size_t symbols;
    const char *text = ptxlint_module_get_info(module)->text;
    const ptxlint_symbol *all = ptxlint_module_symbols(module, &symbols);
    FunctionPlace *out = ptx_lsp_heard(calloc(symbols + 1, sizeof *out));
    bool is_sound = out != NULL;
    *count = 0;
    for (size_t i = 0; out && i < symbols; i++) {
        const bool is_function =
            all[i].kind == PTXLINT_SYMBOL_ENTRY || all[i].kind == PTXLINT_SYMBOL_FUNC;
        const ptxlint_span span = all[i].extent;
        const uint32_t open = is_function ? find_brace(text, span) : 0;
        if (open && text[span.end - 1] == '}')
            out[(*count)++] = (FunctionPlace){ span.begin, open, span.end };
    }
    if (out)
        qsort(out, *count, sizeof *out, by_begin);
    for (size_t i = 1; i < *count && is_sound; i++)
        is_sound = out[i - 1].end <= out[i].begin;
    if (is_sound && *count)
        return out;
    free(out);
    return NULL;
}

/* The number of the function that holds the byte; NO_FUNCTION: it stands outside. */
static size_t function_at(const LspPart *part, uint32_t offset)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->functions[i].begin <= offset && offset < part->functions[i].end)
            return i;
    return NO_FUNCTION;
}

/* ---- what was edited ------------------------------------------------------------------------- */

enum { STRIDE = 4096 };

static size_t same_begin(const char *a, const char *b, size_t most)
{
    size_t at = 0;
    while (most - at >= STRIDE && !memcmp(a + at, b + at, STRIDE))
        at += STRIDE;
    while (at < most && a[at] == b[at])
        at++;
    return at;
}

/* a and b: behind the last byte. */
static size_t same_end(const char *a, const char *b, size_t most)
{
    size_t n = 0;
    while (most - n >= STRIDE && !memcmp(a - n - STRIDE, b - n - STRIDE, STRIDE))
        n += STRIDE;
    while (n < most && a[-(ptrdiff_t)n - 1] == b[-(ptrdiff_t)n - 1])
        n++;
    return n;
}

/* Moves functions to where they are in the text as it is. False: more than the body of one was
 * edited since. */
static bool follow_edit(LspPart *part, const LspDocument *d, const ptxlint_module_info *old)
{
    const size_t least = d->length < old->length ? d->length : old->length,
                 begin = same_begin(old->text, d->text, least),
                 end = old->length
                       - same_end(old->text + old->length, d->text + d->length, least - begin);
    part->edited = NO_FUNCTION;
    part->moved = (int64_t)d->length - (int64_t)old->length;
    for (size_t i = 0; i < part->count; i++) {
        FunctionPlace *f = &part->functions[i];
        if (begin >= f->open && end < f->end)
            part->edited = i;
        if (end < f->open) {
            f->begin = (uint32_t)(f->begin + part->moved);
            f->open = (uint32_t)(f->open + part->moved);
        }
        if (end < f->end)
            f->end = (uint32_t)(f->end + part->moved);
    }
    return part->edited != NO_FUNCTION;
}

/* ---- a text with blanks ---------------------------------------------------------------------- */

/* For free(); NULL: no memory, or it is not worth it. */
static char *blank_others(const LspPart *part, const LspDocument *d)
{
    size_t blanks = 0;
    for (size_t i = 0; i < part->count; i++)
        if (i != part->edited && i != part->asked)
            blanks += part->functions[i].end - part->functions[i].open;
    char *text = blanks > d->length / 2 ? ptx_lsp_heard(malloc(d->length + 1)) : NULL;
    if (!text)
        return NULL;
    memcpy(text, d->text, d->length + 1);
    for (size_t i = 0; i < part->count; i++)
        if (i != part->edited && i != part->asked)
            memset(text + part->functions[i].open, ' ',
                   part->functions[i].end - 1 - part->functions[i].open);
    return text;
}

static void read_function(LspPart *part, LspServer *server, LspDocument *d)
{
    char *text = blank_others(part, d);
    if (!text)
        return;
    ptxlint_options options = ptx_document_options(server, d);
    options.jobs = 1;
    options.syntax_only = 1;
    options.has_symbols = 1;
    ptxlint_module_new(text, d->length, &options, &part->module);
    free(text);
}

/* ---- whether it holds ------------------------------------------------------------------------ */

/* Which findings were dropped is not known; a body that is not closed ends where the next function
 * begins, and what is said of it stands there. */
static bool is_unsure(const ptxlint_module *module)
{
    size_t count;
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(found[i].group, "limit") || !strcmp(found[i].rule, "SYN203"))
            return true;
    return false;
}

static bool agrees(const LspPart *part)
{
    size_t count = 0;
    if (!part->module || is_unsure(part->module))
        return false;
    FunctionPlace *now = find_functions(part->module, &count);
    bool is_same = now && count == part->count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = now[i].begin == part->functions[i].begin && now[i].open == part->functions[i].open
                  && now[i].end == part->functions[i].end;
    free(now);
    return is_same;
}

static bool is_part_current(const LspDocument *d)
{
    return d->part.module && d->part.revision == d->revision;
}

/* False: the whole is to be read. */
static bool make_part(LspServer *server, LspDocument *d, uint32_t offset)
{
    LspPart *part = &d->part;
    ptx_part_free(part);
    if (!d->syntax || is_unsure(d->syntax))
        return false;
    part->revision = d->revision;
    part->functions = find_functions(d->syntax, &part->count);
    if (part->functions && follow_edit(part, d, ptxlint_module_get_info(d->syntax))) {
        part->asked = function_at(part, offset);
        read_function(part, server, d);
    }
    if (agrees(part))
        return true;
    ptx_part_free(part);
    return false;
}

static bool covers(const LspPart *part, uint32_t offset)
{
    const size_t f = function_at(part, offset);
    return f == NO_FUNCTION || f == part->edited || f == part->asked;
}

/* ---- what is asked of it --------------------------------------------------------------------- */

const ptxlint_module *ptx_document_syntax_at(LspServer *server, LspDocument *d, uint32_t offset)
{
    const bool is_whole = d->syntax && d->syntax_revision == d->revision;
    if (d->language != LANGUAGE_PTX || is_whole)
        return d->syntax;
    if ((is_part_current(d) && covers(&d->part, offset)) || make_part(server, d, offset))
        return d->part.module;
    return ptx_document_syntax(server, d);
}

const ptxlint_module *ptx_document_head(LspServer *server, LspDocument *d)
{
    return ptx_document_syntax_at(server, d, ANYWHERE);
}

const ptxlint_tokens *ptx_document_tokens_at(LspDocument *d, uint32_t offset)
{
    LspPart *part = &d->part;
    const bool has_all = d->tokens && d->tokens_revision == d->revision;
    if (has_all || !is_part_current(d) || !covers(part, offset))
        return ptx_document_tokens(d);
    if (!part->tokens) {
        if (ptxlint_tokens_new(ptxlint_module_get_info(part->module)->text, d->length,
                               &part->tokens)
            == PTXLINT_NO_MEMORY)
            ptx_lsp_no_memory();
    }
    return part->tokens;
}

bool ptx_part_holds(const LspDocument *d, ptxlint_span span)
{
    const FunctionPlace *f = &d->part.functions[d->part.edited];
    return span.begin >= f->begin && span.begin < f->end;
}

bool ptx_part_follow(const LspDocument *d, ptxlint_span *span)
{
    const FunctionPlace *f = &d->part.functions[d->part.edited];
    if (span->end <= f->open)
        return true;
    if (span->begin + d->part.moved < (int64_t)f->end)
        return false;
    span->begin = (uint32_t)(span->begin + d->part.moved);
    span->end = (uint32_t)(span->end + d->part.moved);
    return true;
}
