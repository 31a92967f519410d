/* markdown.h -- text from outside in Markdown of GitHub and GitLab: it is shown as it is, in a
 * cell of a table as elsewhere, and nothing in it is a link, a mention, a picture or HTML. */
#ifndef PTX_SUPPORT_MARKDOWN_H
#define PTX_SUPPORT_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

enum { MARKDOWN_PIECE_BYTES = 40 };

/* What is left of a text. */
typedef struct MarkdownText {
    const char *begin, *at;
    size_t left;
    bool has_code, is_code;
} MarkdownText;

/* has_code: what single backquotes in pairs enclose is code, as in messages. */
MarkdownText ptx_markdown_begin(const char *text, size_t length, bool has_code);

/* The next character; returns the bytes that it takes. 0: there is none. */
size_t ptx_markdown_next(MarkdownText *text, char piece[MARKDOWN_PIECE_BYTES]);

#endif
