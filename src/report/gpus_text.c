/* GPUs for people: one with its sources, several side by side, or the list of all. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_COLUMNS = 25,          /* of a figure's key */
    VALUE_COLUMNS = 12,
    UNIT_COLUMNS = 10,
    CITATION_COLUMNS = 4,
    TEXT_INDENT = 2 + NAME_COLUMNS + VALUE_COLUMNS + 2 + UNIT_COLUMNS + 2 + CITATION_COLUMNS,
    COLUMN_LEAST = 10,
    MAX_CITATIONS = 128        /* more than there are figures and pipes */
};

static Figure figure_value(double value)
{
    return isfinite(value) ? ptx_figure_number(value) : (Figure){ "-" };
}

static const char *known(const char *text)
{
    return text && *text ? text : "-";
}

static void put_gpu_name(Out *out, const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_clean(out, known(info->name));
    ptx_out_style(out, STYLE_NONE);
    if (info->product && *info->product) {
        ptx_out_text(out, ": ");
        ptx_out_clean(out, info->product);
    }
    ptx_out_text(out, info->product && *info->product ? ", " : ": ");
    ptx_out_clean(out, known(info->architecture));
    ptx_out_text(out, ", ");
    ptx_out_clean(out, known(info->sm));
    ptx_out_text(out, "\n");
}

/* ---- one GPU --------------------------------------------------------------------------------- */

/* Sources by number, in the order in which they are first named. */
typedef struct Citations {
    const char *sources[MAX_CITATIONS];
    size_t count;
} Citations;

/* From 1; 0: no source. */
static size_t cite(Citations *citations, const char *source)
{
    if (!source || !*source)
        return 0;
    for (size_t i = 0; i < citations->count; i++)
        if (!strcmp(citations->sources[i], source))
            return i + 1;
    if (citations->count == MAX_CITATIONS)
        return 0;
    citations->sources[citations->count++] = source;
    return citations->count;
}

/* what may be "". */
static Line begin_row(Out *out, Citations *citations, const ptxlint_figure *figure)
{
    char number[24] = "";
    size_t citation = isfinite(figure->value) ? cite(citations, figure->source) : 0;
    if (citation)
        snprintf(number, sizeof number, "[%zu]", citation);
    ptx_out_format(out, "  %-*s%*s  %-*s  %-*s", NAME_COLUMNS, figure->key, VALUE_COLUMNS,
                   figure_value(figure->value).text, UNIT_COLUMNS, figure->unit,
                   *figure->what ? CITATION_COLUMNS : 0, number);
    Line line = { .out = out, .column = TEXT_INDENT, .indent = TEXT_INDENT };
    if (*figure->what)
        ptx_line_format(&line, " %s", figure->what);
    return line;
}

static void put_gpu_text_figures(Out *out, Citations *citations, const ptxlint_gpu *gpu)
{
    const char *section = "";
    ptxlint_figure figure;
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &figure); i++) {
        if (strcmp(section, figure.section))
            ptx_put_heading(out, figure.section);
        section = figure.section;
        Line line = begin_row(out, citations, &figure);
        ptx_line_end(&line);
    }
}

/* Whether it takes every class at the rate of its lanes, as issue slots do. */
static bool takes_all(const ptxlint_gpu *gpu, size_t pipe, double lanes)
{
    const char *key;
    for (size_t c = 0;; c++) {
        double rate = ptxlint_gpu_rate(gpu, pipe, c, &key);
        if (!key)
            return true;
        if (!isfinite(rate) || fabs(rate - lanes) > 1e-6 * lanes)
            return false;
    }
}

static void put_gpu_text_rates(Line *line, const ptxlint_gpu *gpu, size_t pipe)
{
    const char *key;
    for (size_t c = 0;; c++) {
        char text[64];
        double rate = ptxlint_gpu_rate(gpu, pipe, c, &key);
        if (!key)
            return;
        if (!isfinite(rate))
            continue;
        snprintf(text, sizeof text, "%s %s", key, ptx_figure_number(rate).text);
        ptx_line_words(line, line->has_item ? "" : "; takes ");
        ptx_line_item(line, text);
    }
}

static void put_gpu_text_pipes(Out *out, Citations *citations, const ptxlint_gpu *gpu)
{
    ptxlint_pipe pipe;
    ptx_put_heading(
        out, "pipes: results per clock of an SM, and how many operations of a class that is");
    for (size_t i = 0; ptxlint_gpu_pipe(gpu, i, &pipe); i++) {
        Line line = begin_row(
            out, citations,
            &(ptxlint_figure){ pipe.key, "pipe", "per clk", pipe.what, pipe.lanes, pipe.source });
        if (isfinite(pipe.lanes) && takes_all(gpu, i, pipe.lanes))
            ptx_line_words(&line, "; takes every class");
        else
            put_gpu_text_rates(&line, gpu, i);
        ptx_line_end(&line);
    }
}

static void put_citations(Out *out, const Citations *citations)
{
    ptx_put_heading(out, "sources (-: not published)");
    for (size_t i = 0; i < citations->count; i++) {
        char number[24];
        Line line = { .out = out, .column = 7, .indent = 7 };
        snprintf(number, sizeof number, "[%zu]", i + 1);
        ptx_out_format(out, "  %-5s", number);
        ptx_line_words(&line, citations->sources[i]);
        ptx_line_end(&line);
    }
}

static void put_one(Out *out, const ptxlint_gpu *gpu)
{
    Citations citations = { .count = 0 };
    put_gpu_name(out, gpu);
    put_gpu_text_figures(out, &citations, gpu);
    put_gpu_text_pipes(out, &citations, gpu);
    put_citations(out, &citations);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

typedef struct Columns {
    const ptxlint_gpu *const *gpus;
    size_t count;
} Columns;

static size_t column_width(const ptxlint_gpu *gpu)
{
    size_t width = strlen(ptx_report_gpu_name(gpu)) + 2;
    ptxlint_figure figure;
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &figure); i++) {
        size_t here = strlen(figure_value(figure.value).text) + 2;
        width = here > width ? here : width;
    }
    return width > COLUMN_LEAST ? width : COLUMN_LEAST;
}

static void put_column(Out *out, const ptxlint_gpu *gpu, const char *text)
{
    size_t width = column_width(gpu), length = strlen(text);
    ptx_out_repeat(out, ' ', length < width ? width - length : 1);
    ptx_out_clean(out, text);
}

static void put_head(Out *out, Columns columns, const char *heading)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_format(out, "%-*s", 2 + NAME_COLUMNS + UNIT_COLUMNS, heading);
    for (size_t i = 0; i < columns.count; i++)
        put_column(out, columns.gpus[i], ptx_report_gpu_name(columns.gpus[i]));
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

static void put_figure_row(Out *out, Columns columns, size_t index, const ptxlint_figure *first)
{
    ptxlint_figure figure;
    ptx_out_format(out, "  %-*s%-*s", NAME_COLUMNS, first->key, UNIT_COLUMNS, first->unit);
    for (size_t i = 0; i < columns.count; i++)
        put_column(out, columns.gpus[i],
                   ptxlint_gpu_figure(columns.gpus[i], index, &figure)
                       ? figure_value(figure.value).text
                       : "-");
    ptx_out_text(out, "\n");
}

static void put_figure_columns(Out *out, Columns columns)
{
    const char *section = "";
    ptxlint_figure figure;
    for (size_t i = 0; ptxlint_gpu_figure(columns.gpus[0], i, &figure); i++) {
        if (strcmp(section, figure.section))
            put_head(out, columns, figure.section);
        section = figure.section;
        put_figure_row(out, columns, i, &figure);
    }
}

/* One class of a pipe; nothing where no GPU takes it there. False past the last class. */
static bool put_rate_row(Out *out, Columns columns, size_t pipe, size_t machine_class)
{
    const char *key = NULL, *other;
    bool is_taken = false;
    for (size_t i = 0; i < columns.count; i++)
        is_taken |= isfinite(ptxlint_gpu_rate(columns.gpus[i], pipe, machine_class, &key)) != 0;
    if (!key || !is_taken)
        return key != NULL;
    ptx_out_format(out, "    %-*s%-*s", NAME_COLUMNS - 2, key, UNIT_COLUMNS, "per clk");
    for (size_t i = 0; i < columns.count; i++)
        put_column(
            out, columns.gpus[i],
            figure_value(ptxlint_gpu_rate(columns.gpus[i], pipe, machine_class, &other)).text);
    ptx_out_text(out, "\n");
    return true;
}

static void put_pipe_rows(Out *out, Columns columns, size_t index, const ptxlint_pipe *first)
{
    /* every GPU that has it: every class at the rate of its lanes */
    bool is_plain = true;
    ptxlint_pipe pipe;
    ptx_out_format(out, "  %-*s%-*s", NAME_COLUMNS, first->key, UNIT_COLUMNS, "per clk");
    for (size_t i = 0; i < columns.count; i++) {
        bool has_pipe = ptxlint_gpu_pipe(columns.gpus[i], index, &pipe) && isfinite(pipe.lanes);
        is_plain = is_plain && (!has_pipe || takes_all(columns.gpus[i], index, pipe.lanes));
        put_column(out, columns.gpus[i], has_pipe ? figure_value(pipe.lanes).text : "-");
    }
    ptx_out_text(out, "\n");
    for (size_t c = 0; !is_plain && put_rate_row(out, columns, index, c);)
        c++;
}

static void put_pipe_columns(Out *out, Columns columns)
{
    ptxlint_pipe pipe;
    put_head(out, columns, "pipes, and the classes each takes");
    for (size_t i = 0; ptxlint_gpu_pipe(columns.gpus[0], i, &pipe); i++)
        put_pipe_rows(out, columns, i, &pipe);
}

/* How many of the GPUs from gpus[0] on fit beside each other. */
static size_t columns_count(const ptxlint_gpu *const *gpus, size_t count)
{
    size_t width = 2 + NAME_COLUMNS + UNIT_COLUMNS, fitting = 0;
    while (fitting < count && (!fitting || width + column_width(gpus[fitting]) <= LINE_COLUMNS))
        width += column_width(gpus[fitting++]);
    return fitting;
}

void ptx_table_figures(Out *out, const ptxlint_gpu *const *gpus, size_t count)
{
    if (count == 1) {
        put_one(out, gpus[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        put_gpu_name(out, gpus[i]);
    while (count) {
        Columns columns = { gpus, columns_count(gpus, count) };
        put_figure_columns(out, columns);
        put_pipe_columns(out, columns);
        gpus += columns.count;
        count -= columns.count;
    }
    ptx_out_text(out, "\n-: not published, or the GPU has none; sources: each GPU by itself\n");
}

/* ---- all GPUs -------------------------------------------------------------------------------- */

typedef const char *InfoField(const ptxlint_gpu_info *info);

static const char *product_of(const ptxlint_gpu_info *info)
{
    return known(info->product);
}

static const char *name_of(const ptxlint_gpu_info *info)
{
    return known(info->name);
}

/* Of the longest, and two blanks. */
static size_t field_width(InfoField *field)
{
    const ptxlint_gpu *gpu;
    size_t width = 0;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        size_t here = strlen(field(ptxlint_gpu_get_info(gpu)));
        width = here > width ? here : width;
    }
    return width + 2;
}

void ptx_table_all_gpus(Out *out)
{
    const ptxlint_gpu *gpu;
    size_t name = field_width(name_of), product = field_width(product_of);
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_padded(out, "name", name);
    ptx_out_padded(out, "product", product);
    ptx_out_format(out, "%-14s%-7s%7s%8s%8s", "architecture", "sm", "SMs", "MHz", "GB/s");
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
        ptx_out_padded(out, name_of(info), name);
        ptx_out_padded(out, product_of(info), product);
        ptx_out_padded(out, known(info->architecture), 14);
        ptx_out_padded(out, known(info->sm), 7);
        ptx_out_format(out, "%7s%8s%8s\n", figure_value(ptxlint_gpu_value(gpu, "sms")).text,
                       figure_value(ptxlint_gpu_value(gpu, "clock_mhz")).text,
                       figure_value(ptxlint_gpu_value(gpu, "memory_gb_per_s")).text);
    }
    ptx_out_text(out, "-: an architecture, which is no product\n");
}
