/* semantic.c -- what each word is, for colours. */
#include "lsp/server.h"

/* In the order of the legend. */
enum {
    SEMANTIC_KEYWORD,
    SEMANTIC_MODIFIER,
    SEMANTIC_TYPE,
    SEMANTIC_VARIABLE,
    SEMANTIC_PARAMETER,
    SEMANTIC_FUNCTION,
    SEMANTIC_LABEL,
    SEMANTIC_NUMBER,
    SEMANTIC_STRING,
    SEMANTIC_COMMENT,
    SEMANTIC_MACRO
};

enum { MARK_DECLARATION = 1, MARK_READONLY = 2, MARK_MODIFICATION = 4, MARK_LIBRARY = 8 };

json_t *ptx_semantic_legend(void)
{
    return json_pack("{s:[s,s,s,s,s,s,s,s,s,s,s], s:[s,s,s,s]}", "tokenTypes", "keyword",
                     "modifier", "type", "variable", "parameter", "function", "label", "number",
                     "string", "comment", "macro", "tokenModifiers", "declaration", "readonly",
                     "modification", "defaultLibrary");
}

enum { SMALL_NUMBERS = 64 };

typedef struct SemanticRun {
    LspServer *server;
    LspDocument *d;
    const ptxlint_module *syntax;
    json_t *data;
    /* nearly all numbers are small: each of these is made once; NULL: it was not needed yet */
    json_t *small[SMALL_NUMBERS];
    uint32_t line, unit, begin; /* of the token before */
} SemanticRun;

static void add_number(SemanticRun *s, uint32_t number)
{
    if (number >= SMALL_NUMBERS) {
        json_array_append_new(s->data, json_integer((json_int_t)number));
        return;
    }
    if (!s->small[number])
        s->small[number] = json_integer((json_int_t)number);
    json_array_append(s->data, s->small[number]);
}

/* Of one line. Units are counted from the token before, since lines may be very long. */
static void add_line_token(SemanticRun *s, ptxlint_span span, unsigned type, unsigned marks)
{
    uint32_t line = ptx_lsp_line(s->d, span.begin), from = s->d->lines[line], before = 0;
    if (line == s->line) {
        from = s->begin;
        before = s->unit;
    }
    uint32_t step = ptx_lsp_units(s->server, s->d->text + from, span.begin - from);
    add_number(s, line - s->line);
    add_number(s, step);
    add_number(s, ptx_lsp_units(s->server, s->d->text + span.begin, span.end - span.begin));
    add_number(s, type);
    add_number(s, marks);
    s->line = line;
    s->unit = before + step;
    s->begin = span.begin;
}

static void add_semantic_token(SemanticRun *s, ptxlint_span span, unsigned type, unsigned marks)
{
    uint32_t at = span.begin;
    for (uint32_t i = at; i <= span.end; i++) {
        bool is_end = i == span.end || s->d->text[i] == '\n' || s->d->text[i] == '\r';
        if (is_end && i > at)
            add_line_token(s, (ptxlint_span){ at, i }, type, marks);
        if (is_end)
            at = i + 1;
    }
}

static unsigned marks_at(const ptxlint_symbol *symbol, uint32_t offset)
{
    size_t low = 0, high = symbol->occurrence_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbol->occurrences[middle].span.begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == symbol->occurrence_count || symbol->occurrences[low].span.begin != offset)
        return 0;
    const ptxlint_occurrence *o = &symbol->occurrences[low];
    if (o->is_declaration)
        return MARK_DECLARATION;
    return o->is_written ? MARK_MODIFICATION : 0;
}

static void add_name(SemanticRun *s, ptxlint_span span)
{
    const ptxlint_symbol *symbol =
        s->syntax ? ptxlint_module_symbol_at(s->syntax, span.begin) : NULL;
    unsigned type = SEMANTIC_VARIABLE;
    if (!symbol)
        return;
    if (symbol->kind == PTXLINT_SYMBOL_LABEL)
        type = SEMANTIC_LABEL;
    else if (symbol->kind == PTXLINT_SYMBOL_PARAMETER)
        type = SEMANTIC_PARAMETER;
    else if (symbol->kind == PTXLINT_SYMBOL_ENTRY || symbol->kind == PTXLINT_SYMBOL_FUNC)
        type = SEMANTIC_FUNCTION;
    add_semantic_token(s, span, type, marks_at(symbol, span.begin));
}

static void add_semantic(SemanticRun *s, const ptxlint_token *token)
{
    switch (token->kind) {
    case PTXLINT_TOKEN_COMMENT:
        add_semantic_token(s, token->span, SEMANTIC_COMMENT, 0);
        break;
    case PTXLINT_TOKEN_DIRECTIVE:
        add_semantic_token(s, token->span, SEMANTIC_MACRO, 0);
        break;
    case PTXLINT_TOKEN_OPCODE:
        add_semantic_token(s, token->span, SEMANTIC_KEYWORD, 0);
        break;
    case PTXLINT_TOKEN_MODIFIER:
        add_semantic_token(s, token->span, SEMANTIC_MODIFIER, 0);
        break;
    case PTXLINT_TOKEN_TYPE:
        add_semantic_token(s, token->span, SEMANTIC_TYPE, 0);
        break;
    case PTXLINT_TOKEN_NUMBER:
        add_semantic_token(s, token->span, SEMANTIC_NUMBER, 0);
        break;
    case PTXLINT_TOKEN_STRING:
        add_semantic_token(s, token->span, SEMANTIC_STRING, 0);
        break;
    case PTXLINT_TOKEN_NAME:
        add_name(s, token->span);
        break;
    case PTXLINT_TOKEN_SPECIAL_REGISTER:
        add_semantic_token(s, token->span, SEMANTIC_VARIABLE, MARK_READONLY | MARK_LIBRARY);
        break;
    default:
        break;
    }
}

void ptx_lsp_semantic(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    const json_t *range = json_object_get(params, "range");
    ptxlint_span wanted = { 0, (uint32_t)d->length };
    if (d->language != LANGUAGE_PTX)
        return;
    if (range)
        wanted = ptx_lsp_span(server, d, range);
    SemanticRun s = {
        .server = server, .d = d, .syntax = ptx_document_syntax(server, d), .data = json_array()
    };
    const ptxlint_tokens *tokens = ptx_document_tokens(d);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    ptx_lsp_line(d, 0); /* lines are there */
    for (size_t i = all ? ptxlint_tokens_find(tokens, wanted.begin) : 0;
         all && i < count && all[i].span.begin < wanted.end; i++)
        add_semantic(&s, &all[i]);
    for (uint32_t n = 0; n < SMALL_NUMBERS; n++)
        json_decref(s.small[n]);
    answer->result = json_pack("{s:o}", "data", s.data);
}
