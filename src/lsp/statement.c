/* statement.c -- where in a statement a place is, by its tokens; also of one that is not finished.
 */
#include "lsp/server.h"

#include <string.h>

/* A part of an opcode, or of a register with a component. */
static bool is_dotted(ptxlint_token_kind kind)
{
    return kind == PTXLINT_TOKEN_MODIFIER || kind == PTXLINT_TOKEN_TYPE;
}

static bool joins(const ptxlint_token *a, const ptxlint_token *b)
{
    return a->span.end == b->span.begin && is_dotted(b->kind);
}

ptxlint_span ptx_lsp_opcode_at(LspDocument *d, uint32_t offset)
{
    size_t count, first;
    const ptxlint_tokens *tokens = ptx_document_tokens_at(d, offset);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    if (!all)
        return (ptxlint_span){ 0, 0 };
    size_t at = first = ptxlint_tokens_find(tokens, offset);
    if (at == count || all[at].span.begin > offset)
        return (ptxlint_span){ 0, 0 };
    while (first && joins(&all[first - 1], &all[first]))
        first--;
    if (all[first].kind != PTXLINT_TOKEN_OPCODE)
        return (ptxlint_span){ 0, 0 };
    while (at + 1 < count && joins(&all[at], &all[at + 1]))
        at++;
    return (ptxlint_span){ all[first].span.begin, all[at].span.end };
}

/* ---- a statement as far as it is written ----------------------------------------------------- */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '$' || c == '%' || c == '.' || c == ':';
}

/* A colon belongs to a word as one of two alone. */
static uint32_t word_begin(const LspDocument *d, uint32_t offset)
{
    uint32_t at = offset;
    while (at && is_word_byte(d->text[at - 1])) {
        bool is_colon = d->text[at - 1] == ':';
        bool is_double =
            is_colon && ((at > 1 && d->text[at - 2] == ':') || (at < offset && d->text[at] == ':'));
        if (is_colon && !is_double)
            break;
        at--;
    }
    return at;
}

static bool is_sign(const LspDocument *d, const ptxlint_token *token, const char *signs)
{
    return token->kind == PTXLINT_TOKEN_PUNCTUATION
           && strchr(signs, d->text[token->span.begin]) != NULL;
}

static ptxlint_span whole_opcode(const ptxlint_token *all, size_t at, size_t end)
{
    ptxlint_span span = all[at].span;
    for (; at + 1 < end && joins(&all[at], &all[at + 1]); at++)
        span.end = all[at + 1].span.end;
    return span;
}

/* The statement's tokens are those from first to end, which is the word's. */
static void read_statement(const LspDocument *d, const ptxlint_token *all, size_t first, size_t end,
                           Statement *out)
{
    unsigned depth = 0;
    for (size_t i = first; i < end; i++) {
        if (all[i].kind == PTXLINT_TOKEN_OPCODE && out->opcode.end == 0)
            out->opcode = whole_opcode(all, i, end);
        out->has_directive |= all[i].kind == PTXLINT_TOKEN_DIRECTIVE;
        if (is_sign(d, &all[i], "([{"))
            depth++;
        if (is_sign(d, &all[i], ")]}") && depth)
            depth--;
        if (is_sign(d, &all[i], ",") && !depth)
            out->commas++;
    }
}

static size_t statement_begin(const LspDocument *d, const ptxlint_token *all, size_t end)
{
    unsigned depth = 0;
    size_t at = end;
    while (at) {
        const ptxlint_token *token = &all[at - 1];
        bool is_body_end = is_sign(d, token, "}") && at > 1 && is_sign(d, &all[at - 2], ";{}");
        if (is_body_end)
            break;
        if (is_sign(d, token, "}"))
            depth++;
        if (is_sign(d, token, ";") || (is_sign(d, token, "{") && !depth))
            break;
        if (is_sign(d, token, "{"))
            depth--;
        at--;
    }
    return at;
}

Statement ptx_lsp_statement_at(LspDocument *d, uint32_t offset)
{
    size_t count;
    const ptxlint_tokens *tokens = ptx_document_tokens_at(d, offset);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    Statement out = { .word = { word_begin(d, offset), offset } };
    if (!all)
        return out;
    size_t end = ptxlint_tokens_find(tokens, out.word.begin);
    if (end < count && all[end].span.begin < offset)
        out.is_comment =
            all[end].kind == PTXLINT_TOKEN_COMMENT || all[end].kind == PTXLINT_TOKEN_STRING;
    size_t first = statement_begin(d, all, end);
    read_statement(d, all, first, end, &out);
    /* a line that begins with the word begins a statement, though the one before is not ended */
    uint32_t line = out.word.begin;
    while (line && (d->text[line - 1] == ' ' || d->text[line - 1] == '\t'))
        line--;
    bool is_first_on_line = !line || d->text[line - 1] == '\n';
    out.is_begin = (!out.opcode.end && !out.has_directive) || is_first_on_line;
    return out;
}
