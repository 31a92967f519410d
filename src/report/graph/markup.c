#include "report/graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *reference_of(char c)
{
    switch (c) {
    case '&':  return "&amp;";
    case '<':  return "&lt;";
    case '>':  return "&gt;";
    case '"':  return "&quot;";
    case '\'': return "&#39;";
    default:   return NULL;
    }
}

static void put_glyph(Out *out, const Glyph *glyph)
{
    for (uint8_t i = 0; i < glyph->length; i++) {
        const char *reference = reference_of(glyph->text[i]);
        if (reference)
            ptx_out_text(out, reference);
        else
            ptx_out_bytes(out, &glyph->text[i], 1);
    }
}

void ptx_markup_bytes(Out *out, const char *text, size_t length)
{
    size_t column = 0;
    for (size_t at = 0; at < length;) {
        size_t plain = at;
        while (plain < length && text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '#'
               && !reference_of(text[plain]))
            plain++;
        ptx_out_bytes(out, text + at, plain - at);
        column += plain - at;
        at = plain;
        if (at == length)
            break;
        const Glyph glyph = ptx_glyph_read(text + at, length - at, column);
        put_glyph(out, &glyph);
        column += glyph.width;
        at += glyph.source_bytes;
    }
}

void ptx_markup_text(Out *out, const char *text)
{
    ptx_markup_bytes(out, text, strlen(text));
}

/* Digits of a whole number. */
static void add_commas(char *text, size_t size)
{
    const size_t sign = text[0] == '-', length = strlen(text);
    size_t commas = (length - sign - 1) / 3;
    if (length + commas >= size)
        return;
    for (size_t from = length, to = length + commas; from <= length; from--, to--) {
        text[to] = text[from];
        if (from < length && from > sign && (length - from) % 3 == 0)
            text[--to] = ',';
        if (from == 0)
            break;
    }
}

Figure ptx_figure_commas(double number)
{
    const bool is_whole = fabs(number) < 1e15 && fabs(number - floor(number)) < 1e-9;
    if (!is_whole && !(fabs(number) >= 10000 && fabs(number) < 1e15))
        return ptx_figure_short(number);
    Figure f = ptx_figure_fixed(number, 0);
    if (fabs(number) >= 10000)
        add_commas(f.text, sizeof f.text);
    return f;
}

Figure ptx_figure_place(double number)
{
    Figure f = ptx_figure_fixed(number, 1);
    const size_t length = strlen(f.text);
    if (length > 2 && !strcmp(f.text + length - 2, ".0"))
        f.text[length - 2] = '\0';
    return f;
}
