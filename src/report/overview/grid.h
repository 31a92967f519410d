/* grid.h -- a table of texts for people: columns as wide as what stands in them, those that stay
 * empty left out, and all of them no wider than there is room. */
#ifndef PTX_REPORT_GRID_H
#define PTX_REPORT_GRID_H

#include "report/report.h"

typedef struct GridColumn {
    const char *heading;
    bool is_left;               /* else texts end below each other */
    /* where there is too little room: texts are cut to so many columns at least; 0: they are not */
    size_t least;
    bool keeps_end;             /* they are cut at their beginning */
    size_t from;                /* only where there are so many columns, or room has no limit */
} GridColumn;

typedef struct GridCell {
    size_t text;                /* in Grid.texts; 0: empty */
    Style style;
} GridCell;

typedef struct Grid {
    const GridColumn *columns;
    size_t column_count;
    GridCell *cells;            /* row by row */
    size_t count, capacity;
    Buffer texts;
    bool has_failed;            /* no memory */
} Grid;

void ptx_grid_begin(Grid *grid, const GridColumn *columns, size_t column_count);

/* The next cell of the row; NULL: empty. What a text has of control characters is shown as such. */
void ptx_grid_cell(Grid *grid, const char *text, size_t length, Style style);
void ptx_grid_text(Grid *grid, const char *text);
void ptx_grid_format(Grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The row has no more cells. */
void ptx_grid_row(Grid *grid);

/* Heading and rows, at most width columns; 0: no limit. Frees what the grid holds. */
void ptx_grid_put(Grid *grid, Out *out, size_t width);

/* The same as a table of GitHub's Markdown; in one column there are messages, with code in them. */
void ptx_grid_put_markdown(Grid *grid, Out *out, size_t of_messages);

#endif
