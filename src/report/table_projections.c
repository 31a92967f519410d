/* A kernel on several GPUs: figures as rows, a column for each GPU. */
#include "report/report.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_COLUMNS = 24,
    COLUMN_LEAST = 12
};

static Figure word(const char *text)
{
    Figure f;
    snprintf(f.text, sizeof f.text, "%s", text ? text : "unknown");
    return f;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Figure register_figure(const ptxlint_projection *p)
{
    Figure f = ptx_figure_int(p->registers);
    if (p->register_source != PTXLINT_REGISTERS_PTXAS
        && p->register_source != PTXLINT_REGISTERS_UNKNOWN && strlen(f.text) < sizeof f.text - 1)
        strcat(f.text, p->register_source == PTXLINT_REGISTERS_MODEL ? "~" : "*");
    return f;
}

static Figure blocks(const ptxlint_projection *p)
{
    return p->occupancy.error ? word("none fits") : ptx_figure_int(p->occupancy.blocks_per_sm);
}

static Figure predicted_cycles_of(const ptxlint_cycles *cycles, const char *pipe, bool is_longest)
{
    for (size_t i = 0; pipe && i < cycles->pipe_count; i++)
        if (!strcmp(cycles->pipes[i].pipe, pipe))
            return ptx_figure_fixed(
                is_longest ? cycles->pipes[i].longest : cycles->pipes[i].shortest, 2);
    return word(NULL);
}

static Figure shortest(const ptxlint_projection *p)
{
    return predicted_cycles_of(&p->cycles, p->cycles.bound_shortest, false);
}

static Figure longest_kernel(const ptxlint_projection *p)
{
    return predicted_cycles_of(&p->cycles, p->cycles.bound_longest, true);
}

static Figure bytes_moved(const ptxlint_projection *p)
{
    return ptx_figure_short(p->time.dram_bytes / 1e6);
}

typedef enum RowKind { ROW_COUNT, ROW_NUMBER, ROW_PERCENT, ROW_WORD } RowKind;

typedef struct TableProjectionsRow {
    const char *name;
    Figure (*figure)(const ptxlint_projection *projection);     /* NULL: what stands at `at` */
    RowKind kind;
    size_t at;
} TableProjectionsRow;

/* int64_t, double and const char * members of a projection. */
#define COUNT(member) NULL, ROW_COUNT, offsetof(ptxlint_projection, member)
#define NUMBER(member) NULL, ROW_NUMBER, offsetof(ptxlint_projection, member)
#define PERCENT(member) NULL, ROW_PERCENT, offsetof(ptxlint_projection, member)
#define WORD(member) NULL, ROW_WORD, offsetof(ptxlint_projection, member)
#define FIGURE(function) function, ROW_WORD, 0

static const TableProjectionsRow rows[] = {
    { "registers a thread", FIGURE(register_figure) },
    { "blocks of an SM", FIGURE(blocks) },
    { "warps of an SM", COUNT(occupancy.warps_per_sm) },
    { "occupancy", PERCENT(occupancy.percent) },
    { "limited by", WORD(occupancy.limiter) },
    { "waves", NUMBER(waves) },
    { "places used", PERCENT(utilisation_percent) },
    { "shortest path, clocks", FIGURE(shortest) },
    { "  bound by", WORD(cycles.bound_shortest) },
    { "longest path, clocks", FIGURE(longest_kernel) },
    { "potential, GFLOPS", NUMBER(peak.potential_gflops) },
    { "demand, GB/s", NUMBER(peak.demand_gb_per_s) },
    { "memory, GB/s", NUMBER(peak.memory_gb_per_s) },
    { "roofline, GFLOPS", NUMBER(peak.attainable_gflops) },
    { "  under", WORD(peak.ceiling) },
    { "bound of launch, us", NUMBER(time.bound_us) },
    { "  bound by", WORD(time.bound_by) },
    { "from memory, MB", FIGURE(bytes_moved) },
    { "predicted, us", NUMBER(time.predicted_us) },
    { "  from, us", NUMBER(time.low_us) },
    { "  to, us", NUMBER(time.high_us) },
    { "  limited by", WORD(time.limiter) },
    { "  without it, us", NUMBER(bottleneck.relieved_us) },
    { "  limited then by", WORD(bottleneck.next) },
    { "pipelines busy", PERCENT(bottleneck.compute_percent) },
    { "memory busy", PERCENT(bottleneck.memory_percent) },
    { "tail, us", NUMBER(bottleneck.tail_us) },
    { "predicted, GFLOPS", NUMBER(roofline.predicted_gflops) },
    { "in flight of an SM, B", NUMBER(concurrency.bytes) },
};

static Figure figure_of(const TableProjectionsRow *row, const ptxlint_projection *projection)
{
    const void *at = (const char *)projection + row->at;
    if (row->figure)
        return row->figure(projection);
    switch (row->kind) {
    case ROW_COUNT:     return ptx_figure_int(*(const int64_t *)at);
    case ROW_NUMBER:    return ptx_figure_short(*(const double *)at);
    case ROW_PERCENT:   return ptx_figure_percent(*(const double *)at, 100);
    case ROW_WORD:      break;
    }
    return word(*(const char *const *)at);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Of the name and every figure, and two blanks. */
static size_t projection_column_width(const ptxlint_projection *projection)
{
    size_t width = strlen(ptx_report_gpu_name(projection->gpu));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t here = strlen(figure_of(&rows[r], projection).text);
        width = here > width ? here : width;
    }
    return width + 2 > COLUMN_LEAST ? width + 2 : COLUMN_LEAST;
}

/* The first GPU after those that fit beside each other. */
static size_t columns_end(const ptxlint_kernel *kernel, size_t first)
{
    size_t width = NAME_COLUMNS + 2, end = first;
    do
        width += projection_column_width(&kernel->projections[end++]);
    while (end < kernel->projection_count
           && width + projection_column_width(&kernel->projections[end]) <= LINE_COLUMNS);
    return end;
}

static void put_right(Out *out, const char *text, size_t width)
{
    size_t length = strlen(text);
    ptx_out_repeat(out, ' ', length < width ? width - length : 1);
    ptx_out_clean(out, text);
}

static void put_projection_row(Out *out, const ptxlint_kernel *kernel,
                               const TableProjectionsRow *row, size_t first, size_t end)
{
    ptx_out_format(out, "  %-*s", NAME_COLUMNS, row->name);
    for (size_t i = first; i < end; i++)
        put_right(out, figure_of(row, &kernel->projections[i]).text,
                  projection_column_width(&kernel->projections[i]));
    ptx_out_text(out, "\n");
}

static void put_gpu_names(Out *out, const ptxlint_kernel *kernel, size_t first, size_t end)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_format(out, "  %-*s", NAME_COLUMNS, "GPU");
    for (size_t i = first; i < end; i++)
        put_right(out, ptx_report_gpu_name(kernel->projections[i].gpu),
                  projection_column_width(&kernel->projections[i]));
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

void ptx_table_gpus(Out *out, const ptxlint_kernel *kernel)
{
    bool is_live = false, is_modelled = false;
    for (size_t first = 0, end; first < kernel->projection_count; first = end) {
        end = columns_end(kernel, first);
        put_gpu_names(out, kernel, first, end);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            put_projection_row(out, kernel, &rows[r], first, end);
    }
    for (size_t i = 0; i < kernel->projection_count; i++) {
        is_live |= kernel->projections[i].register_source == PTXLINT_REGISTERS_MAX_LIVE;
        is_modelled |= kernel->projections[i].register_source == PTXLINT_REGISTERS_MODEL;
    }
    if (is_modelled)
        ptx_out_text(out, "  ~: estimated\n");
    if (is_live)
        ptx_out_text(out, "  *: live at most; ptxas may take more\n");
}
