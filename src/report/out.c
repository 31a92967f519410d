#include "report/report.h"

#include "support/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { TAB_COLUMNS = 4 };

int ptx_buffer_write(void *context, const char *bytes, size_t length)
{
    Buffer *buffer = context;
    if (length > SIZE_MAX - buffer->length
        || !ptx_list_reserve(&buffer->bytes, &buffer->capacity, buffer->length + length, 1))
        return -1;
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return 0;
}

void ptx_out_init(Out *out, ptxlint_write_fn write, void *context)
{
    out->write = write;
    out->context = context;
    out->status = PTXLINT_OK;
    out->has_color = false;
    out->used = 0;
}

void ptx_out_flush(Out *out)
{
    if (out->status == PTXLINT_OK && out->used && out->write(out->context, out->bytes, out->used))
        out->status = PTXLINT_WRITE;
    out->used = 0;
}

void ptx_out_bytes(Out *out, const char *bytes, size_t length)
{
    while (length && out->status == PTXLINT_OK) {
        size_t part = sizeof out->bytes - out->used;
        if (part > length)
            part = length;
        memcpy(out->bytes + out->used, bytes, part);
        out->used += part;
        bytes += part;
        length -= part;
        if (out->used == sizeof out->bytes)
            ptx_out_flush(out);
    }
}

void ptx_out_text(Out *out, const char *text)
{
    ptx_out_bytes(out, text, strlen(text));
}

void ptx_out_repeat(Out *out, char byte, size_t count)
{
    char bytes[64];
    memset(bytes, byte, sizeof bytes);
    for (; count > sizeof bytes; count -= sizeof bytes)
        ptx_out_bytes(out, bytes, sizeof bytes);
    ptx_out_bytes(out, bytes, count);
}

void ptx_out_format(Out *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0)
        ptx_out_bytes(out, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

size_t ptx_out_clean(Out *out, const char *text)
{
    return ptx_out_clean_bytes(out, text, strlen(text));
}

size_t ptx_out_clean_bytes(Out *out, const char *text, size_t left)
{
    size_t column = 0;
    while (left) {
        Glyph glyph = ptx_glyph_read(text, left, column);
        ptx_out_bytes(out, glyph.text, glyph.length);
        column += glyph.width;
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    return column;
}

void ptx_out_padded(Out *out, const char *text, size_t width)
{
    size_t used = ptx_out_clean(out, text);
    if (used < width)
        ptx_out_repeat(out, ' ', width - used);
}

void ptx_out_style(Out *out, Style style)
{
    static const char *const codes[] = { "0", "1", "1;34", "1;36", "1;33", "1;31" };
    if (out->has_color)
        ptx_out_format(out, "\033[%sm", codes[style]);
}

/* ---- glyphs ---------------------------------------------------------------------------------- */

static Glyph glyph_escape(const char *format, unsigned value, size_t source_bytes)
{
    Glyph glyph = { .source_bytes = (uint8_t)source_bytes };            /* 1..4 */
    int length = snprintf(glyph.text, sizeof glyph.text, format, value);
    glyph.length = glyph.width = (uint8_t)length;                       /* at most "<U+10FFFF>" */
    return glyph;
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

Glyph ptx_glyph_read(const char *text, size_t left, size_t column)
{
    unsigned char first = (unsigned char)*text;
    if (first == '\t')
        return glyph_tab(column);
    if (first < 0x20 || first == 0x7f)
        return glyph_escape("<%02x>", first, 1);
    if (first < 0x80)
        return (Glyph){ .text = { *text }, .length = 1, .width = 1, .source_bytes = 1 };
    utf8proc_int32_t codepoint;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                              left < 4 ? (utf8proc_ssize_t)left : 4, &codepoint);
    if (bytes <= 0)
        return glyph_escape("<%02x>", first, 1);
    if (is_hidden(codepoint))
        return glyph_escape("<U+%04X>", (unsigned)codepoint, (size_t)bytes);
    Glyph glyph = { .length = (uint8_t)bytes,
                    .width = (uint8_t)utf8proc_charwidth(codepoint),
                    .source_bytes = (uint8_t)bytes };
    memcpy(glyph.text, text, (size_t)bytes);
    return glyph;
}
