/* names.c -- names as the source has them, behind the public interface. */
#include "ptxlint/ptxlint.h"

#include "support/demangle.h"
#include "support/glyph.h"

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

/* Adds to the length bytes of out, as far as they have room; their length then. */
static size_t add_glyph(const Glyph *glyph, char *out, size_t size, size_t length)
{
    for (size_t i = 0; i < glyph->length; i++, length++)
        if (out && length + 1 < size)
            out[length] = glyph->text[i];
    return length;
}

size_t ptxlint_shown_text(const char *text, char *out, size_t size)
{
    size_t length = 0, left = text ? strlen(text) : 0;
    bool is_command = left && ptx_is_line_command(text, left);
    while (left) {
        Glyph glyph = is_command ? ptx_glyph_hex(text) : ptx_glyph_read(text, left, length);
        is_command = false;
        length = add_glyph(&glyph, out, size, length);
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    if (out && size)
        out[length < size ? length : size - 1] = '\0';
    return length;
}
