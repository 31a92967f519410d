#include "report/overview/grid.h"

#include "support/grow.h"
#include "support/minmax.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_GAP = 2, GRID_NARROW = 100, GRID_COLUMNS_MAX = 24 };

static const char ellipsis[] = "\xE2\x80\xA6";

void ptx_grid_begin(Grid *grid, const GridColumn *columns, size_t column_count)
{
    *grid = (Grid){ .columns = columns, .column_count = column_count };
    grid->has_failed = column_count > GRID_COLUMNS_MAX
                       || ptx_buffer_write(&grid->texts, "", 1) != 0;
}

void ptx_grid_cell(Grid *grid, const char *text, size_t length, Style style)
{
    GridCell cell = { 0, style };
    if (!ptx_list_reserve(&grid->cells, &grid->capacity, grid->count + 1, sizeof *grid->cells)) {
        grid->has_failed = true;
        return;
    }
    if (text && length) {
        cell.text = grid->texts.length;
        grid->has_failed |= ptx_buffer_write(&grid->texts, text, length)
                            || ptx_buffer_write(&grid->texts, "", 1);
    }
    grid->cells[grid->count++] = cell;
}

void ptx_grid_text(Grid *grid, const char *text)
{
    ptx_grid_cell(grid, text, text ? strlen(text) : 0, STYLE_NONE);
}

void ptx_grid_format(Grid *grid, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ptx_grid_text(grid, text);
}

void ptx_grid_row(Grid *grid)
{
    while (!grid->has_failed && grid->count % grid->column_count)
        ptx_grid_text(grid, NULL);
}

/* ---- widths ---------------------------------------------------------------------------------- */

static size_t shown_columns(const char *text)
{
    size_t columns = 0;
    for (size_t left = strlen(text); left;) {
        const Glyph glyph = ptx_glyph_read(text, left, columns);
        columns += glyph.width;
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    return columns;
}

static const char *cell_text(const Grid *grid, const GridCell *cell)
{
    return grid->texts.bytes + cell->text;
}

/* Between columns; before the first one, too. */
static size_t grid_gap(const Grid *grid, size_t width)
{
    enum { MANY_COLUMNS = 12 };
    return width && width < GRID_NARROW && grid->column_count >= MANY_COLUMNS ? 1 : GRID_GAP;
}

/* 0: nothing stands in the column, or there is no room for it. */
static void measure_columns(const Grid *grid, size_t width, size_t *widths)
{
    memset(widths, 0, grid->column_count * sizeof *widths);
    for (size_t i = 0; i < grid->count; i++) {
        size_t *most = &widths[i % grid->column_count];
        if (grid->cells[i].text)
            *most = ptx_size_max(*most, shown_columns(cell_text(grid, &grid->cells[i])));
    }
    for (size_t c = 0; c < grid->column_count; c++) {
        const bool has_room = !width || width >= grid->columns[c].from;
        if (!has_room)
            widths[c] = 0;
        else if (widths[c])
            widths[c] = ptx_size_max(widths[c], shown_columns(grid->columns[c].heading));
    }
}

static size_t all_columns(const Grid *grid, size_t gap, const size_t *widths)
{
    size_t all = 0;
    for (size_t c = 0; c < grid->column_count; c++)
        all += widths[c] ? gap + widths[c] : 0;
    return all;
}

/* What may be cut, the last first. */
static void shrink_columns(const Grid *grid, size_t width, size_t *widths)
{
    for (size_t c = grid->column_count; c-- && width;) {
        const size_t all = all_columns(grid, grid_gap(grid, width), widths),
                     least = grid->columns[c].least;
        if (all <= width || !least || widths[c] <= least)
            continue;
        widths[c] -= ptx_size_min(all - width, widths[c] - least);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Of a text that is too wide, how many bytes at its beginning go. */
static size_t cut_beginning(const char *text, size_t columns, size_t width)
{
    size_t at = 0;
    for (size_t left = strlen(text); left && columns + 1 > width;) {
        const Glyph glyph = ptx_glyph_read(text + at, left, 0);
        columns -= glyph.width;
        at += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    return at;
}

/* As many characters as have room. Returns the columns that they take. */
static size_t put_beginning(Out *out, const char *text, size_t width)
{
    size_t columns = 0;
    for (size_t left = strlen(text); left;) {
        const Glyph glyph = ptx_glyph_read(text, left, columns);
        if (columns + glyph.width > width)
            break;
        ptx_out_bytes(out, glyph.text, glyph.length);
        columns += glyph.width;
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
    return columns;
}

static size_t put_cut(Out *out, const char *text, const GridColumn *column, size_t width)
{
    const size_t columns = shown_columns(text);
    if (columns <= width)
        return put_beginning(out, text, width);
    if (column->keeps_end) {
        ptx_out_text(out, ellipsis);
        return 1 + put_beginning(out, text + cut_beginning(text, columns, width), width - 1);
    }
    const size_t shown = put_beginning(out, text, width - 1);
    ptx_out_text(out, ellipsis);
    return shown + 1;
}

/* is_last: nothing behind it, so no blanks. */
static void put_grid_cell(const Grid *grid, Out *out, const GridCell *cell, size_t c, size_t width,
                     bool is_last)
{
    const GridColumn *column = &grid->columns[c];
    const char *text = cell_text(grid, cell);
    const size_t shown = ptx_size_min(shown_columns(text), width);
    if (!column->is_left)
        ptx_out_repeat(out, ' ', width - shown);
    if (cell->style)
        ptx_out_style(out, cell->style);
    const size_t put = put_cut(out, text, column, width);
    if (cell->style)
        ptx_out_style(out, STYLE_NONE);
    if (column->is_left && !is_last && put < width)
        ptx_out_repeat(out, ' ', width - put);
}

/* The last column of a row that something stands in; none: 0. */
static size_t last_column(const Grid *grid, const GridCell *row, const size_t *widths)
{
    size_t last = 0;
    for (size_t c = 0; c < grid->column_count; c++)
        if (widths[c] && row[c].text)
            last = c;
    return last;
}

static void put_grid_row(const Grid *grid, Out *out, const GridCell *row, const size_t *widths,
                    size_t gap)
{
    const size_t last = last_column(grid, row, widths);
    for (size_t c = 0; c <= last; c++) {
        if (!widths[c])
            continue;
        ptx_out_repeat(out, ' ', gap);
        put_grid_cell(grid, out, &row[c], c, widths[c], c == last);
    }
    ptx_out_text(out, "\n");
}

/* Headings are cells, too. */
static void put_grid_heading(Grid *grid, Out *out, const size_t *widths, size_t gap)
{
    const size_t count = grid->count;
    for (size_t c = 0; c < grid->column_count; c++)
        ptx_grid_text(grid, grid->columns[c].heading);
    if (grid->has_failed)
        return;
    ptx_out_style(out, STYLE_BOLD);
    put_grid_row(grid, out, &grid->cells[count], widths, gap);
    ptx_out_style(out, STYLE_NONE);
    grid->count = count;
}

static void grid_end(Grid *grid, Out *out)
{
    if (grid->has_failed && out->status == PTXLINT_OK)
        out->status = PTXLINT_NO_MEMORY;
    free(grid->cells);
    free(grid->texts.bytes);
    *grid = (Grid){ .columns = grid->columns };
}

void ptx_grid_put(Grid *grid, Out *out, size_t width)
{
    size_t widths[GRID_COLUMNS_MAX];
    if (!grid->has_failed) {
        measure_columns(grid, width, widths);
        shrink_columns(grid, width, widths);
        put_grid_heading(grid, out, widths, grid_gap(grid, width));
    }
    for (size_t i = 0; !grid->has_failed && i < grid->count; i += grid->column_count)
        put_grid_row(grid, out, &grid->cells[i], widths, grid_gap(grid, width));
    grid_end(grid, out);
}

static void put_markdown_line(const Grid *grid, Out *out, const size_t *widths)
{
    for (size_t c = 0; c < grid->column_count; c++)
        if (widths[c])
            ptx_out_text(out, grid->columns[c].is_left ? "| --- " : "| ---: ");
    ptx_out_text(out, "|\n");
}

static void put_markdown_cell(const Grid *grid, Out *out, size_t i, bool is_message)
{
    const char *text = cell_text(grid, &grid->cells[i]);
    ptx_out_text(out, "| ");
    if (is_message)
        ptx_markdown_text(out, text);
    else
        ptx_markdown_name(out, text, SIZE_MAX);
    ptx_out_text(out, " ");
}

void ptx_grid_put_markdown(Grid *grid, Out *out, size_t of_messages)
{
    size_t widths[GRID_COLUMNS_MAX];
    if (!grid->has_failed)
        measure_columns(grid, 0, widths);
    for (size_t c = 0; !grid->has_failed && c < grid->column_count; c++)
        if (widths[c])
            ptx_out_format(out, "| %s ", grid->columns[c].heading);
    if (!grid->has_failed) {
        ptx_out_text(out, "|\n");
        put_markdown_line(grid, out, widths);
    }
    for (size_t i = 0; !grid->has_failed && i < grid->count; i++) {
        const size_t c = i % grid->column_count;
        if (widths[c])
            put_markdown_cell(grid, out, i, c == of_messages);
        ptx_out_text(out, c + 1 == grid->column_count ? "|\n" : "");
    }
    grid_end(grid, out);
}
