/* position.c -- lines and characters as the client counts them, to bytes and back. A character is a
 * UTF-16 unit, or a byte where UTF-8 was agreed on. What lies beyond a line is its end. */
#include "lsp/server.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ----------------------------------------------------------------------------------- */

static bool add_line(LspDocument *d, uint32_t begin)
{
    if (!ptx_list_reserve(&d->lines, &d->line_capacity, (size_t)d->line_count + 1,
                          sizeof *d->lines)) {
        ptx_lsp_no_memory();
        return false;
    }
    d->lines[d->line_count++] = begin;
    return true;
}

/* The protocol ends lines at \n, \r\n and \r. */
static void find_lines(LspDocument *d)
{
    if (d->has_lines)
        return;
    bool has_room, has_returns = memchr(d->text, '\r', d->length) != NULL;
    d->line_count = 0;
    has_room = add_line(d, 0);
    for (size_t i = 0; has_room && i < d->length; i++) {
        if (!has_returns) {
            const char *end = memchr(d->text + i, '\n', d->length - i);
            i = end ? (size_t)(end - d->text) : d->length;
        }
        bool is_end =
            i < d->length && (d->text[i] == '\n' || (d->text[i] == '\r' && d->text[i + 1] != '\n'));
        if (is_end)
            has_room = add_line(d, (uint32_t)i + 1);
    }
    d->has_lines = d->line_count > 0;
}

uint32_t ptx_lsp_line(LspDocument *d, uint32_t offset)
{
    find_lines(d);
    uint32_t low = 0, high = d->line_count;
    while (high > low + 1) {
        uint32_t middle = low + (high - low) / 2;
        if (d->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t text_line_end(const LspDocument *d, uint32_t line)
{
    uint32_t end = line + 1 < d->line_count ? d->lines[line + 1] : (uint32_t)d->length;
    while (end > d->lines[line] && (d->text[end - 1] == '\n' || d->text[end - 1] == '\r'))
        end--;
    return end;
}

/* ---- characters ------------------------------------------------------------------------------ */

static uint32_t units_of(unsigned char byte)
{
    if ((byte & 0xC0) == 0x80)
        return 0;
    return byte >= 0xF0 ? 2 : 1;
}

uint32_t ptx_lsp_units(const LspServer *server, const char *text, size_t length)
{
    uint32_t units = 0;
    if (server->client.has_utf8)
        return (uint32_t)length;
    for (size_t i = 0; i < length; i++)
        units += units_of((unsigned char)text[i]);
    return units;
}

uint32_t ptx_lsp_offset(const LspServer *server, LspDocument *d, const json_t *position)
{
    json_int_t line = json_integer_value(json_object_get(position, "line")),
               character = json_integer_value(json_object_get(position, "character"));
    find_lines(d);
    if (line < 0 || !d->line_count)
        return 0;
    if (line >= d->line_count)
        return (uint32_t)d->length;
    uint32_t at = d->lines[line], end = text_line_end(d, (uint32_t)line);
    if (character < 0)
        character = 0;
    if (server->client.has_utf8)
        return character < (json_int_t)(end - at) ? at + (uint32_t)character : end;
    while (at < end && character > 0) {
        character -= units_of((unsigned char)d->text[at++]);
        while (at < end && !units_of((unsigned char)d->text[at]))
            at++;
    }
    return at;
}

ptxlint_span ptx_lsp_span(const LspServer *server, LspDocument *d, const json_t *range)
{
    uint32_t begin = ptx_lsp_offset(server, d, json_object_get(range, "start")),
             end = ptx_lsp_offset(server, d, json_object_get(range, "end"));
    return (ptxlint_span){ begin, end > begin ? end : begin };
}

json_t *ptx_lsp_position(const LspServer *server, LspDocument *d, uint32_t offset)
{
    if (offset > d->length)
        offset = (uint32_t)d->length;
    uint32_t line = ptx_lsp_line(d, offset), begin = d->line_count ? d->lines[line] : 0;
    return json_pack("{s:I, s:I}", "line", (json_int_t)line, "character",
                     (json_int_t)ptx_lsp_units(server, d->text + begin, offset - begin));
}

json_t *ptx_lsp_range(const LspServer *server, LspDocument *d, ptxlint_span span)
{
    return json_pack("{s:o, s:o}", "start", ptx_lsp_position(server, d, span.begin), "end",
                     ptx_lsp_position(server, d, span.end));
}

json_t *ptx_lsp_location(const LspServer *server, LspDocument *d, ptxlint_span span)
{
    return json_pack("{s:s, s:o}", "uri", d->uri, "range", ptx_lsp_range(server, d, span));
}
