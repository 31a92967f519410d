#include "support/markdown.h"

#include "support/glyph.h"

#include <string.h>
#include <strings.h>

/* Single ones, in pairs. CommonMark pairs runs of them by their length, whatever stands between;
 * and in a table a backslash may not stand before a bar, in code either. */
static bool has_pairs(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        const bool has_next = i + 1 < length;
        if (has_next && (!memcmp(text + i, "``", 2) || !memcmp(text + i, "\\|", 2)))
            return false;
        count += text[i] == '`';
    }
    return count % 2 == 0;
}

MarkdownText ptx_markdown_begin(const char *text, size_t length, bool has_code)
{
    return (MarkdownText){ text, text, length, has_code && has_pairs(text, length), false };
}

static bool is_decimal_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where GitHub would see an address without a scheme. */
static bool is_www(const MarkdownText *t)
{
    return *t->at == '.' && t->at - t->begin >= 3 && !strncasecmp(t->at - 3, "www", 3);
}

/* "- ", "+ ", "1. " and lines of = begin lists and headings where a text begins a line. */
static bool begins_block(const MarkdownText *t)
{
    const char *digits = t->begin;
    if (t->at == t->begin)
        return strchr("-+=", *t->at) != NULL;
    while (digits < t->at && is_decimal_digit(*digits))
        digits++;
    return *t->at == '.' && digits == t->at;
}

static bool is_reserved(const MarkdownText *t)
{
    return strchr("`*_{}[]()<>#~@&!:", *t->at) || is_www(t) || begins_block(t);
}

/* A mention, and addresses of mail, are looked for when the rest is done, in what is shown; so are
 * the numbers of issues and the like. */
static bool is_reference(const MarkdownText *t)
{
    const char next = t->left > 1 ? t->at[1] : ' ';
    const bool is_gh = *t->at == '-' && t->at - t->begin >= 2 && !strncasecmp(t->at - 2, "GH", 2);
    return *t->at == '@' || (is_decimal_digit(next) && (is_gh || strchr("#!&$%~", *t->at)));
}

/* A bar that an entity stands for ends no cell, whatever is before it. */
static const char *markdown_entity(const MarkdownText *t)
{
    if (*t->at == '|')
        return "&#124;";
    if (*t->at == '\\')
        return "&#92;";
    return t->at == t->begin && strchr(" \t", *t->at) ? "&#32;" : NULL;
}

static size_t markdown_append(char *piece, size_t used, const char *text)
{
    const size_t length = strlen(text);
    memcpy(piece + used, text, length);
    return used + length;
}

static size_t markdown_code(const MarkdownText *t, const Glyph *glyph, char *piece)
{
    size_t used = markdown_append(piece, 0, *t->at == '|' ? "\\" : "");
    memcpy(piece + used, glyph->text, glyph->length);
    return used + glyph->length;
}

static size_t markdown_plain(const MarkdownText *t, const Glyph *glyph, char *piece)
{
    const bool is_shown = glyph->length > 1 && (unsigned char)glyph->text[0] < 0x80;
    const char *entity = markdown_entity(t);
    size_t used = 0;
    if (entity)
        return markdown_append(piece, 0, entity);
    for (uint8_t i = 0; i < glyph->length; i++) {
        const bool is_bracket = is_shown && strchr("<>#[", glyph->text[i]);
        if (is_bracket || (!is_shown && is_reserved(t)))
            piece[used++] = '\\';
        piece[used++] = glyph->text[i];
    }
    return is_reference(t) ? markdown_append(piece, used, "&#8203;") : used;
}

size_t ptx_markdown_next(MarkdownText *t, char piece[MARKDOWN_PIECE_BYTES])
{
    if (!t->left)
        return 0;
    const Glyph glyph = ptx_glyph_read(t->at, t->left, 0);
    const bool is_switch = t->has_code && *t->at == '`';
    const bool is_code = t->is_code || is_switch;
    const size_t length =
        is_code ? markdown_code(t, &glyph, piece) : markdown_plain(t, &glyph, piece);
    t->is_code ^= is_switch;
    t->at += glyph.source_bytes;
    t->left -= glyph.source_bytes;
    return length;
}
