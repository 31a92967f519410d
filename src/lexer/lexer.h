/* lexer.h -- text to tokens.
 *
 * Total, reentrant, allocates nothing but diagnostics. A token is a kind and a span; its text stays
 * in the source. Lexical structure: PTX ISA, "Syntax" (Source Format, Comments, Statements,
 * Identifiers, Constants). */
#ifndef PTX_LEXER_LEXER_H
#define PTX_LEXER_LEXER_H

#include "ptx_grammar.h" /* TOK_*: numbered by the grammar */
#include "support/diag.h"
#include "support/span.h"

#include <stdbool.h>
#include <string.h>

enum { TOK_EOF = 0 };

enum { TOKEN_LENGTH_BITS = 24, TOKEN_LONGEST = (1 << TOKEN_LENGTH_BITS) - 1 };

/* One word, so that it travels in a register: the scanner hands out fifty million a second. */
typedef struct Token {
    uint64_t begin : 32, length : TOKEN_LENGTH_BITS;
    uint64_t kind : 7;          /* TOK_* */
    /* only white space before it on its line: where a lost `;` is looked for */
    uint64_t first_on_line : 1;
} Token;

static inline Token ptx_token(int kind, bool first_on_line, Span span)
{
    return (Token){ .begin = span.begin,
                    .length = (span.end - span.begin) & TOKEN_LONGEST,
                    .kind = (unsigned)kind & 127,
                    .first_on_line = first_on_line };
}

static inline Span ptx_token_span(Token token)
{
    return (Span){ (uint32_t)token.begin, (uint32_t)(token.begin + token.length) };
}

typedef struct Lexer {
    const unsigned char *base, *cur, *end;  /* end[0] is a NUL that the loader appended */
    bool at_line_start;
    bool has_foreign_bytes;                 /* outside ASCII, not reported yet */
    /* the rest of the text is a comment that is never closed */
    bool is_cut_short;
    DiagSink *diags;
} Lexer;

void ptx_lexer_init(Lexer *lexer, const char *text, size_t length, DiagSink *diags);

/* Next token. Never fails: a bad byte is diagnosed and skipped, so every input reaches TOK_EOF. */
Token ptx_lex(Lexer *lexer);

/* The fast way over a brace-enclosed list of plain integers, as table initialisers and debug
 * sections are: skips `INT ,` pairs and returns how many; stops before anything else, which ptx_lex
 * then returns. */
uint32_t ptx_lex_skip_integers(Lexer *lexer);

/* Where spaces are many, eight at a time; some may be left. */
static inline const unsigned char *ptx_behind_spaces(const unsigned char *at,
                                                     const unsigned char *end)
{
    while (end - at >= 8 && !memcmp(at, "        ", 8))
        at += 8;
    return at;
}

#endif
