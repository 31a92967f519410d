/* comment.h -- comments for ptxlint, `// ptxlint: ignore[RULE] reason`, and the statements that
 * they stand for.
 *
 * They are looked for by their text alone, and only then is it seen, by the scanner's own rules,
 * whether this stands in a comment: text without one costs a memchr. Time is linear in the text
 * whatever it holds: a line's statement is found once for all comments of the lines before it. */
#ifndef PTX_FINDINGS_COMMENT_H
#define PTX_FINDINGS_COMMENT_H

#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CommentScan {
    const char *text;           /* length bytes and a NUL */
    uint32_t length;
    uint32_t hit;               /* where the search for the next one goes on */
    uint32_t pos;               /* outside comments and strings; all before it is known */
    uint32_t line_begin;        /* of pos */
    /* where the line of pos begins, or where a comment of several lines ends in it */
    uint32_t code_begin;
    Span comment;               /* the last comment before pos, with its marks */
    uint32_t comment_line, comment_code;        /* line_begin and code_begin at its begin */
    uint32_t content_end;       /* of it: without the mark at its end */
    uint32_t stop;              /* of the line in the comment that was looked at last */
} CommentScan;

void ptx_comment_scan_init(CommentScan *scan, const char *text, uint32_t length);

/* The next `ptxlint:` that a comment, or a line in it, begins with: *at is its first byte, *end the
 * end of that line in the comment. scan->comment is the comment. False: there is no more. */
bool ptx_comment_next(CommentScan *scan, uint32_t *at, uint32_t *end);

/* ---- statements ------------------------------------------------------------------------------ */

/* Where the first statement from pos on begins: past blanks, comments, .loc, .pragma, labels and
 * braces; an instruction with its guard, a declaration, the header of a function. limit: there is
 * none before it. */
uint32_t ptx_statement_begin(const char *text, uint32_t length, uint32_t pos, uint32_t limit);

/* Past the `;` of the statement that begins at pos; the `{` of a function. */
uint32_t ptx_statement_end(const char *text, uint32_t length, uint32_t pos);

#endif
