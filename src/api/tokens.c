/* tokens.c -- the tokens of a text with what each is, for editors: the scanner's, opcodes taken
 * apart, and the comments that it skips. */
#include "ptxlint/ptxlint.h"

#include "check/sreg.h"
#include "isa/isa.h"
#include "lexer/lexer.h"
#include "support/diag.h"
#include "support/guard.h"
#include "support/limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ptxlint_tokens {
    Arena arena;
    ptxlint_token *items;
    uint32_t count, capacity;
};

typedef struct TokenBuild {
    ptxlint_tokens *to;
    const char *text;
    size_t length;
    Arena work;
    uint32_t depth[3]; /* of (), [], {} */
    bool begins;       /* a statement begins here */
    bool is_guard;     /* the name of a guard comes next */
    bool in_operands;  /* behind an opcode or `=`: { begins a vector */
} TokenBuild;

static void add_token(TokenBuild *b, ptxlint_token_kind kind, Span span, uint32_t depth)
{
    ptxlint_tokens *to = b->to;
    if (to->count == to->capacity)
        to->items =
            ptx_arena_grow(&to->arena, to->items, to->count, &to->capacity, sizeof *to->items);
    to->items[to->count++] = (ptxlint_token){ { span.begin, span.end }, kind, depth };
}

/* ---- comments -------------------------------------------------------------------------------- */

static uint32_t find_end(const TokenBuild *b, uint32_t at, uint32_t end)
{
    bool is_line = b->text[at + 1] == '/';
    for (uint32_t i = at + 2; i < end; i++) {
        if (is_line && b->text[i] == '\n')
            return i;
        if (!is_line && b->text[i] == '/' && b->text[i - 1] == '*' && i > at + 2)
            return i + 1;
    }
    return end;
}

/* Between two tokens stand white space, comments and what has no meaning. */
static void add_comments(TokenBuild *b, uint32_t begin, uint32_t end)
{
    const char *sign;
    for (uint32_t at = begin; at + 1 < end && (sign = memchr(b->text + at, '/', end - 1 - at));
         at++) {
        at = (uint32_t)(sign - b->text);
        if (b->text[at + 1] != '/' && b->text[at + 1] != '*')
            continue;
        uint32_t stop = find_end(b, at, end);
        add_token(b, PTXLINT_TOKEN_COMMENT, (Span){ at, stop }, 0);
        at = stop - 1;
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static ptxlint_token_kind kind_of_dotted(const TokenBuild *b, Span span)
{
    return ptx_type_find(b->text + span.begin + 1, ptx_span_length(span) - 1)
               ? PTXLINT_TOKEN_TYPE
               : PTXLINT_TOKEN_MODIFIER;
}

/* Where the dotted word that begins at a byte ends. */
static uint32_t next_dot(const TokenBuild *b, uint32_t at, uint32_t end)
{
    for (at++; at < end && b->text[at] != '.'; at++) {
    }
    return at;
}

/* "ld.global.f32", "%tid.x": the first part is of the kind. */
static void add_parts(TokenBuild *b, Span span, ptxlint_token_kind kind)
{
    uint32_t at = next_dot(b, span.begin, span.end);
    add_token(b, kind, (Span){ span.begin, at }, 0);
    while (at < span.end) {
        Span part = { at, next_dot(b, at, span.end) };
        add_token(b, kind_of_dotted(b, part), part, 0);
        at = part.end;
    }
}

static ptxlint_token_kind kind_of_name(const TokenBuild *b, Span span)
{
    int64_t component;
    uint32_t end = next_dot(b, span.begin, span.end);
    return ptx_sreg_find(b->text + span.begin, end - span.begin, "", 0, &component)
               ? PTXLINT_TOKEN_SPECIAL_REGISTER
               : PTXLINT_TOKEN_NAME;
}

static bool is_label(const TokenBuild *b, Span span)
{
    const char *at = b->text + span.end;
    while (*at == ' ' || *at == '\t')
        at++;
    return *at == ':';
}

static void add_word(TokenBuild *b, Span span)
{
    bool is_opcode = b->begins && !is_label(b, span);
    add_parts(b, span, is_opcode ? PTXLINT_TOKEN_OPCODE : kind_of_name(b, span));
    b->in_operands |= is_opcode;
    b->begins = b->is_guard;
    b->is_guard = false;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static uint32_t *bracket_depth(TokenBuild *b, int kind)
{
    switch (kind) {
    case TOK_LPAREN:
    case TOK_RPAREN:
        return &b->depth[0];
    case TOK_LBRACKET:
    case TOK_RBRACKET:
        return &b->depth[1];
    default:
        return &b->depth[2];
    }
}

static void add_sign(TokenBuild *b, int kind, Span span)
{
    bool opens = kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE,
         closes = kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE;
    uint32_t *depth = bracket_depth(b, kind), at = 0;
    if (closes && *depth)
        --*depth;
    if (opens || closes)
        at = *depth;
    if (opens)
        ++*depth;
    add_token(b, PTXLINT_TOKEN_PUNCTUATION, span, at);
    if (kind == TOK_AT) {
        b->is_guard = true;
        b->begins = false;
    } else if (kind != TOK_NOT || !b->is_guard) {
        bool is_brace = kind == TOK_LBRACE || kind == TOK_RBRACE;
        b->begins = kind == TOK_SEMI || kind == TOK_COLON || (is_brace && !b->in_operands);
        b->in_operands = (b->in_operands && !b->begins) || kind == TOK_ASSIGN;
    }
}

static bool is_directive_token(int kind)
{
    static const unsigned char kinds[] = {
        TOK_VERSION,     TOK_TARGET, TOK_ADDRESS_SIZE,  TOK_FILE,        TOK_LOC,
        TOK_LOC_INTERMEDIATE, TOK_SOURCE_SECTION, TOK_LANGUAGE,
        TOK_SECTION,     TOK_PRAGMA, TOK_ALIAS,         TOK_ENTRY,       TOK_FUNC,
        TOK_LINKAGE,     TOK_SPACE,  TOK_ALIGN,         TOK_PTR,         TOK_ATTRIBUTE,
        TOK_PERFORMANCE, TOK_FLAG,   TOK_BRANCHTARGETS, TOK_CALLTARGETS, TOK_CALLPROTOTYPE
    };
    return memchr(kinds, kind, sizeof kinds) != NULL;
}

static void add_lexed(TokenBuild *b, Token token)
{
    Span span = ptx_token_span(token);
    int kind = (int)token.kind;
    if (token.first_on_line && !b->is_guard && kind == TOK_OPWORD && b->text[span.begin] != '%')
        b->begins = true;
    if (kind == TOK_WORD || kind == TOK_OPWORD) {
        add_word(b, span);
        return;
    }
    if (is_directive_token(kind))
        add_token(b, PTXLINT_TOKEN_DIRECTIVE, span, 0);
    else if (kind == TOK_MODIFIER)
        add_token(b, kind_of_dotted(b, span), span, 0);
    else if (kind == TOK_INT || kind == TOK_REAL || kind == TOK_BITS)
        add_token(b, PTXLINT_TOKEN_NUMBER, span, 0);
    else if (kind == TOK_STRING)
        add_token(b, PTXLINT_TOKEN_STRING, span, 0);
    else {
        add_sign(b, kind, span);
        return;
    }
    b->begins = false;
}

static void build_token_list(void *context)
{
    TokenBuild *b = context;
    Lexer lexer;
    DiagSink sink;
    uint32_t before = 0;
    ptx_diag_init(&sink, &b->work);
    ptx_lexer_init(&lexer, b->text, b->length, &sink);
    b->begins = true;
    for (Token token; (token = ptx_lex(&lexer)).kind != TOK_EOF;) {
        add_comments(b, before, (uint32_t)token.begin);
        add_lexed(b, token);
        before = ptx_token_span(token).end;
    }
    add_comments(b, before, (uint32_t)b->length);
}

/* ---- the public functions -------------------------------------------------------------------- */

static size_t limit_of(size_t length)
{
    return length > (size_t)LIMIT_ARENA_FLOOR / LIMIT_ARENA_FACTOR ? length * LIMIT_ARENA_FACTOR
                                                                   : (size_t)LIMIT_ARENA_FLOOR;
}

/* text is a copy with a NUL behind it. */
static ptxlint_status build_tokens(const char *text, size_t length, ptxlint_tokens *tokens)
{
    TokenBuild b = { .to = tokens, .text = text, .length = length };
    return ptx_run_guarded_with(&tokens->arena, &b.work, limit_of(length), build_token_list, &b)
               ? PTXLINT_OK
               : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_tokens_new(const char *text, size_t length, ptxlint_tokens **out)
{
    if (!out || (!text && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (length > LIMIT_SOURCE_BYTES)
        return PTXLINT_TOO_LARGE;
    char *copy = malloc(length + 1);
    ptxlint_tokens *tokens = calloc(1, sizeof *tokens);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (copy && tokens) {
        if (length)
            memcpy(copy, text, length);
        copy[length] = 0;
        status = build_tokens(copy, length, tokens);
    }
    free(copy);
    if (status == PTXLINT_OK)
        *out = tokens;
    else
        ptxlint_tokens_free(tokens);
    return status;
}

void ptxlint_tokens_free(ptxlint_tokens *tokens)
{
    if (tokens)
        ptx_arena_free(&tokens->arena);
    free(tokens);
}

const ptxlint_token *ptxlint_tokens_all(const ptxlint_tokens *tokens, size_t *count)
{
    if (count)
        *count = tokens ? tokens->count : 0;
    return tokens ? tokens->items : NULL;
}

size_t ptxlint_tokens_find(const ptxlint_tokens *tokens, uint32_t offset)
{
    size_t low = 0, high = tokens ? tokens->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens->items[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
