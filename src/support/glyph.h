/* glyph.h -- text from outside, as people may see it: nothing in it moves a terminal's cursor,
 * reorders what stands beside it, or commands the runner of a build. */
#ifndef PTX_SUPPORT_GLYPH_H
#define PTX_SUPPORT_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character of a source line as it is shown: a tab as spaces up to the next multiple of 4
 * columns, a byte that is not UTF-8 and a control character as <80>, other characters that do not
 * print, or that reorder text, as <U+202E>; `##[`, a command to the runners of GitHub and Azure, as
 * <23>#[. */
typedef struct Glyph {
    char text[12];              /* length bytes */
    uint8_t length, width;      /* width: display columns */
    uint8_t source_bytes;       /* that it stands for: 1..4 */
} Glyph;

/* The first character of left > 0 bytes of text, shown at column (from 0). */
Glyph ptx_glyph_read(const char *text, size_t left, size_t column);

/* The same where only blanks stand before it in its line if *is_begin: GitHub's runner obeys
 * `::error::text` there, so its first colon is <3a>. *is_begin is kept. */
Glyph ptx_glyph_read_line(const char *text, size_t left, size_t column, bool *is_begin);

/* All of it. */
bool ptx_is_utf8(const char *text);

#endif
