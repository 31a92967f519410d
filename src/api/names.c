/* names.c -- names as the source has them, behind the public interface. */
#include "ptxlint/ptxlint.h"

#include "support/demangle.h"
#include "support/glyph.h"
#include "support/markdown.h"

#include <string.h>

size_t ptxlint_demangle(const char *name, ptxlint_name_form form, char *out, size_t size)
{
    if (size && out)
        *out = '\0';
    if (!name || (size && !out) || (unsigned)form >= NAME_FORM__COUNT)
        return 0;
    return ptx_demangle(name, (NameForm)form, out, size);
}

int ptxlint_name_fits(const char *glob, const char *name)
{
    return glob && name && ptx_name_fits(glob, name);
}

/* Bytes after the length ones of out, as far as they have room; their length then. */
static size_t add_shown(const char *bytes, size_t count, char *out, size_t size, size_t length)
{
    for (size_t i = 0; i < count; i++, length++)
        if (out && length + 1 < size)
            out[length] = bytes[i];
    return length;
}

static size_t end_shown(char *out, size_t size, size_t length)
{
    if (out && size)
        out[length < size ? length : size - 1] = '\0';
    return length;
}

size_t ptxlint_shown_text(const char *text, char *out, size_t size)
{
    size_t length = 0, left = text ? strlen(text) : 0;
    bool is_begin = true;
    while (left) {
        Glyph glyph = ptx_glyph_read_line(text, left, length, &is_begin);
        length = add_shown(glyph.text, glyph.length, out, size, length);
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    return end_shown(out, size, length);
}

size_t ptxlint_markdown_text(const char *text, int has_code, char *out, size_t size)
{
    char piece[MARKDOWN_PIECE_BYTES];
    size_t length = 0, here;
    MarkdownText all = ptx_markdown_begin(text, text ? strlen(text) : 0, has_code != 0);
    while ((here = ptx_markdown_next(&all, piece)))
        length = add_shown(piece, here, out, size, length);
    return end_shown(out, size, length);
}
