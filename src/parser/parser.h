/* parser.h -- tokens to AST.
 *
 * Total: any byte string gives items plus diagnostics. Recovery: at `;`, `)` of a parameter list
 * and `}` (ptx.y); a lost `;` before a statement that begins a line is put in; `.entry` or `.func`
 * inside a body closes the body first; what is nested deeper than LIMIT_NESTING is skipped to its
 * bracket. */
#ifndef PTX_PARSER_PARSER_H
#define PTX_PARSER_PARSER_H

#include "parser/ast.h"
#include "support/arena.h"
#include "support/diag.h"

typedef struct Parser Parser;

/* text[length] is a NUL. The parser and the header live in arena, the items in `items`, which is
 * the parser's own. */
Parser *ptx_parser_new(Arena *arena, Arena *items, DiagSink *diags, const char *text,
                       size_t length);

/* The next item in source order, valid until the next call; NULL at the end. */
const AstItem *ptx_parser_next(Parser *parser);

const AstHeader *ptx_parser_header(const Parser *parser);

/* Whether the next item was read along with the last one. */
bool ptx_parser_has_more(const Parser *parser);

/* Of the text that was read, in bytes. */
uint32_t ptx_parser_offset(const Parser *parser);

/* Where there is no more: from here on items lie in this arena, and stay there; the caller empties
 * it. */
void ptx_parser_turn(Parser *parser, Arena *items);

#endif
