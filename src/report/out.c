#include "report/report.h"

#include "support/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Whether only blanks stand before what comes next, as far as the buffer still knows. */
static bool is_line_begin(const Out *out)
{
    size_t at = out->used;
    while (at && out->bytes[at - 1] == ' ')
        at--;
    return !at || out->bytes[at - 1] == '\n';
}

size_t ptx_out_clean_bytes(Out *out, const char *text, size_t left)
{
    size_t column = 0;
    bool is_begin = is_line_begin(out);
    while (left) {
        Glyph glyph = ptx_glyph_read_line(text, left, column, &is_begin);
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
