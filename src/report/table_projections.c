/* A kernel on several GPUs: figures as rows, a column for each GPU. */
#include "report/report.h"

#include <math.h>
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

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static Figure registers(const ptxlint_projection *p)
{
    Figure f = ptx_figure_int(p->registers);
    if (p->register_source != PTXLINT_REGISTERS_PTXAS && p->register_source != PTXLINT_REGISTERS_UNKNOWN && strlen(f.text) < sizeof f.text - 1)
        strcat(f.text, p->register_source == PTXLINT_REGISTERS_MODEL ? "~" : "*");
    return f;
}

static Figure blocks(const ptxlint_projection *p)
{
    return p->occupancy.error ? word("none fits") : ptx_figure_int(p->occupancy.blocks_per_sm);
}

static Figure warps(const ptxlint_projection *p)
{
    return ptx_figure_int(p->occupancy.warps_per_sm);
}

static Figure occupancy(const ptxlint_projection *p)
{
    return ptx_figure_percent(p->occupancy.percent, 100);
}

static Figure limiter(const ptxlint_projection *p)
{
    return word(p->occupancy.limiter);
}

static Figure waves(const ptxlint_projection *p)
{
    return ptx_figure_short(p->waves);
}

static Figure utilisation(const ptxlint_projection *p)
{
    return ptx_figure_percent(p->utilisation_percent, 100);
}

static Figure bound_pipe(const ptxlint_projection *p)
{
    return word(p->cycles.bound_shortest);
}

static Figure cycles_of(const ptxlint_cycles *cycles, const char *pipe, bool is_longest)
{
    for (size_t i = 0; pipe && i < cycles->pipe_count; i++)
        if (!strcmp(cycles->pipes[i].pipe, pipe))
            return ptx_figure_fixed(is_longest ? cycles->pipes[i].longest : cycles->pipes[i].shortest, 2);
    return word(NULL);
}

static Figure shortest(const ptxlint_projection *p)
{
    return cycles_of(&p->cycles, p->cycles.bound_shortest, false);
}

static Figure longest(const ptxlint_projection *p)
{
    return cycles_of(&p->cycles, p->cycles.bound_longest, true);
}

static Figure potential(const ptxlint_projection *p)
{
    return ptx_figure_short(p->peak.potential_gflops);
}

static Figure demand(const ptxlint_projection *p)
{
    return ptx_figure_short(p->peak.demand_gb_per_s);
}

static Figure memory(const ptxlint_projection *p)
{
    return ptx_figure_short(p->peak.memory_gb_per_s);
}

static Figure attainable(const ptxlint_projection *p)
{
    return ptx_figure_short(p->peak.attainable_gflops);
}

static Figure ceiling(const ptxlint_projection *p)
{
    return word(p->peak.ceiling);
}

static Figure bound_time(const ptxlint_projection *p)
{
    return ptx_figure_short(p->time.bound_us);
}

static Figure bound_time_pipe(const ptxlint_projection *p)
{
    return word(p->time.bound_by);
}

static Figure bytes_moved(const ptxlint_projection *p)
{
    return ptx_figure_short(p->time.dram_bytes / 1e6);
}

static Figure predicted_time(const ptxlint_projection *p)
{
    return ptx_figure_short(p->time.predicted_us);
}

static Figure time_limiter(const ptxlint_projection *p)
{
    return word(p->time.limiter);
}

static Figure relieved_time(const ptxlint_projection *p)
{
    return ptx_figure_short(p->bottleneck.relieved_us);
}

static Figure next_limiter(const ptxlint_projection *p)
{
    return word(p->bottleneck.next);
}

static Figure pipelines_busy(const ptxlint_projection *p)
{
    return ptx_figure_percent(p->bottleneck.compute_percent, 100);
}

static Figure memory_busy(const ptxlint_projection *p)
{
    return ptx_figure_percent(p->bottleneck.memory_percent, 100);
}

static Figure tail_time(const ptxlint_projection *p)
{
    return ptx_figure_short(p->bottleneck.tail_us);
}

static Figure rate(const ptxlint_projection *p)
{
    return ptx_figure_short(p->roofline.predicted_gflops);
}

static Figure in_flight(const ptxlint_projection *p)
{
    return ptx_figure_short(p->concurrency.bytes);
}

typedef struct Row {
    const char *name;
    Figure (*figure)(const ptxlint_projection *projection);
} Row;

static const Row rows[] = {
    { "registers a thread", registers },
    { "blocks of an SM", blocks },
    { "warps of an SM", warps },
    { "occupancy", occupancy },
    { "limited by", limiter },
    { "waves", waves },
    { "SMs used", utilisation },
    { "shortest path, clocks", shortest },
    { "  bound by", bound_pipe },
    { "longest path, clocks", longest },
    { "potential, GFLOPS", potential },
    { "demand, GB/s", demand },
    { "memory, GB/s", memory },
    { "roofline, GFLOPS", attainable },
    { "  under", ceiling },
    { "bound of launch, us", bound_time },
    { "  bound by", bound_time_pipe },
    { "from memory, MB", bytes_moved },
    { "predicted, us", predicted_time },
    { "  limited by", time_limiter },
    { "  without it, us", relieved_time },
    { "  limited then by", next_limiter },
    { "pipelines busy", pipelines_busy },
    { "memory busy", memory_busy },
    { "tail, us", tail_time },
    { "predicted, GFLOPS", rate },
    { "in flight of an SM, B", in_flight },
};

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Of the name and every figure, and two blanks. */
static size_t column_width(const ptxlint_projection *projection)
{
    size_t width = strlen(ptx_report_gpu_name(projection->gpu));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t here = strlen(rows[r].figure(projection).text);
        width = here > width ? here : width;
    }
    return width + 2 > COLUMN_LEAST ? width + 2 : COLUMN_LEAST;
}

/* The first GPU after those that fit beside each other. */
static size_t columns_end(const ptxlint_kernel *kernel, size_t first)
{
    size_t width = NAME_COLUMNS + 2, end = first;
    do
        width += column_width(&kernel->projections[end++]);
    while (end < kernel->projection_count && width + column_width(&kernel->projections[end]) <= LINE_COLUMNS);
    return end;
}

static void put_right(Out *out, const char *text, size_t width)
{
    size_t length = strlen(text);
    ptx_out_repeat(out, ' ', length < width ? width - length : 1);
    ptx_out_clean(out, text);
}

static void put_row(Out *out, const ptxlint_kernel *kernel, const Row *row, size_t first, size_t end)
{
    ptx_out_format(out, "  %-*s", NAME_COLUMNS, row->name);
    for (size_t i = first; i < end; i++)
        put_right(out, row->figure(&kernel->projections[i]).text, column_width(&kernel->projections[i]));
    ptx_out_text(out, "\n");
}

static void put_names(Out *out, const ptxlint_kernel *kernel, size_t first, size_t end)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_format(out, "  %-*s", NAME_COLUMNS, "GPU");
    for (size_t i = first; i < end; i++)
        put_right(out, ptx_report_gpu_name(kernel->projections[i].gpu), column_width(&kernel->projections[i]));
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

void ptx_table_gpus(Out *out, const ptxlint_kernel *kernel)
{
    bool is_live = false, is_modelled = false;
    for (size_t first = 0, end; first < kernel->projection_count; first = end) {
        end = columns_end(kernel, first);
        put_names(out, kernel, first, end);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            put_row(out, kernel, &rows[r], first, end);
    }
    for (size_t i = 0; i < kernel->projection_count; i++) {
        is_live |= kernel->projections[i].register_source == PTXLINT_REGISTERS_MAX_LIVE;
        is_modelled |= kernel->projections[i].register_source == PTXLINT_REGISTERS_MODEL;
    }
    if (is_modelled)
        ptx_out_text(out, "  ~: as a model of ptxas has it\n");
    if (is_live)
        ptx_out_text(out, "  *: live at most; ptxas may take more\n");
}
