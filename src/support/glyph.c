#include "support/glyph.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { TAB_COLUMNS = 4 };

static Glyph glyph_escape(const char *format, unsigned value, size_t source_bytes)
{
    Glyph glyph = { .source_bytes = (uint8_t)source_bytes };            /* 1..4 */
    int length = snprintf(glyph.text, sizeof glyph.text, format, value);
    glyph.length = glyph.width = (uint8_t)length;                       /* at most "<U+10FFFF>" */
    return glyph;
}

static Glyph glyph_hex(const char *text)
{
    return glyph_escape("<%02x>", (unsigned char)*text, 1);
}

static Glyph glyph_tab(size_t column)
{
    uint8_t width = (uint8_t)(TAB_COLUMNS - column % TAB_COLUMNS);
    Glyph glyph = { .length = width, .width = width, .source_bytes = 1 };
    memset(glyph.text, ' ', width);
    return glyph;
}

/* Has no ink of its own that a terminal would show in one agreed way, or (format characters)
 * reorders what has. */
static bool is_hidden(utf8proc_int32_t codepoint)
{
    switch (utf8proc_category(codepoint)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO: case UTF8PROC_CATEGORY_ZL: case UTF8PROC_CATEGORY_ZP:
        return true;
    default:
        return false;
    }
}

/* `##[error]`, which GitHub's and Azure's runners obey wherever it stands in a line. */
static bool is_command(const char *text, size_t left)
{
    return left > 2 && !memcmp(text, "##[", 3);
}

Glyph ptx_glyph_read(const char *text, size_t left, size_t column)
{
    unsigned char first = (unsigned char)*text;
    if (first == '\t')
        return glyph_tab(column);
    if (first < 0x20 || first == 0x7f || is_command(text, left))
        return glyph_hex(text);
    if (first < 0x80)
        return (Glyph){ .text = { *text }, .length = 1, .width = 1, .source_bytes = 1 };
    utf8proc_int32_t codepoint;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                              left < 4 ? (utf8proc_ssize_t)left : 4, &codepoint);
    if (bytes <= 0)
        return glyph_hex(text);
    if (is_hidden(codepoint))
        return glyph_escape("<U+%04X>", (unsigned)codepoint, (size_t)bytes);
    Glyph glyph = { .length = (uint8_t)bytes,
                    .width = (uint8_t)utf8proc_charwidth(codepoint),
                    .source_bytes = (uint8_t)bytes };
    memcpy(glyph.text, text, (size_t)bytes);
    return glyph;
}

/* A space of any width: what GitHub's runner takes off the beginning of a line. */
static bool is_blank_glyph(const Glyph *glyph)
{
    utf8proc_int32_t codepoint;
    return utf8proc_iterate((const utf8proc_uint8_t *)glyph->text, glyph->length, &codepoint) > 0
           && utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ZS;
}

Glyph ptx_glyph_read_line(const char *text, size_t left, size_t column, bool *is_begin)
{
    bool is_line_command = *is_begin && left > 1 && !memcmp(text, "::", 2);
    Glyph glyph = is_line_command ? glyph_hex(text) : ptx_glyph_read(text, left, column);
    *is_begin = *is_begin && is_blank_glyph(&glyph);
    return glyph;
}

bool ptx_is_utf8(const char *text)
{
    utf8proc_int32_t codepoint;
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    while (*at) {
        const utf8proc_ssize_t bytes = utf8proc_iterate(at, -1, &codepoint);
        if (bytes <= 0)
            return false;
        at += bytes;
    }
    return true;
}
