#include "report/annotate/annotate.h"

#include "report/overview/grid.h"
#include "report/overview/overview.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures --------------------------------------------------------------------------------- */

/* In four columns or five: 8192, 16.4k, 2.13M. */
static void put_amount(Grid *grid, double number)
{
    static const char *const units[] = { "", "k", "M", "G", "T" };
    unsigned unit = 0;
    if (isnan(number)) {
        ptx_grid_text(grid, NULL);
        return;
    }
    for (double most = 1e4; number >= most && unit < 4; unit++, most = 1e3)
        number /= 1e3;
    int decimals = number > floor(number);      /* a mean */
    if (unit)
        decimals = (number < 100) + (number < 10);
    ptx_grid_format(grid, "%.20s%s", ptx_figure_fixed(number, decimals).text, units[unit]);
}

static Style share_style(double share)
{
    if (share >= .1)
        return STYLE_ERROR;
    return share >= .02 ? STYLE_WARNING : STYLE_NONE;
}

static void put_time_share(Grid *grid, double share)
{
    char text[40];
    if (isnan(share)) {
        ptx_grid_text(grid, NULL);
        return;
    }
    snprintf(text, sizeof text, "%.20s", ptx_figure_fixed(100 * share, 1).text);
    ptx_grid_cell(grid, text, strlen(text), share_style(share));
}

/* How many times the least. */
static void put_excess(Grid *grid, double got, double ideal)
{
    if (ideal > 0 && got > ideal * 1.05)
        ptx_grid_format(grid, "%.20sx", ptx_figure_fixed(got / ideal, 1).text);
    else
        ptx_grid_text(grid, NULL);
}

static void put_clocks_cell(Grid *grid, double cycles)
{
    if (cycles > 0)
        ptx_grid_text(grid, ptx_figure_fixed(cycles, 2).text);
    else
        ptx_grid_text(grid, NULL);
}

static void put_place_of(Grid *grid, const ptxlint_source_place *source)
{
    if (source->path)
        ptx_grid_format(grid, "%.200s:%" PRIu32, ptx_path_last(source->path), source->line);
    else
        ptx_grid_text(grid, NULL);
}

/* ---- the PTX --------------------------------------------------------------------------------- */

static const GridColumn instruction_columns[] = {
    { "time%", false, 0, false, 0 },    { "execs", false, 0, false, 0 },
    { "live", false, 0, false, 100 },   { "32/64/p", false, 0, false, 0 },
    { "pipe", true, 0, false, 0 },      { "clk", false, 0, false, 0 },
    { "issue", false, 0, false, 100 },  { "sect.", false, 0, false, 0 },
    { "excess", false, 0, false, 100 }, { "pass.", false, 0, false, 0 },
    { "excess", false, 0, false, 100 }, { "lanes", true, 0, false, 120 },
    { "CUDA", true, 12, true, 120 },    { "line", false, 0, false, 0 },
    { "PTX", true, 20, false, 0 },
};

enum { INSTRUCTION_COLUMNS = sizeof instruction_columns / sizeof *instruction_columns,
       FIGURE_COLUMNS = INSTRUCTION_COLUMNS - 2 };

static void put_live_cells(Grid *grid, const ptxlint_instruction *insn)
{
    if (insn->live_registers == PTXLINT_UNKNOWN) {
        ptx_grid_text(grid, NULL);
        ptx_grid_text(grid, NULL);
        return;
    }
    ptx_grid_format(grid, "%" PRId64, insn->live_registers);
    ptx_grid_format(grid, "%" PRId64 "/%" PRId64 "/%" PRId64, insn->live_32, insn->live_64,
                    insn->live_predicates);
}

static void put_instruction_figures(Grid *grid, const ptxlint_instruction *insn)
{
    const bool is_known = insn->uniformity != PTXLINT_UNIFORMITY_UNKNOWN;
    put_time_share(grid, insn->time_share);
    put_amount(grid, insn->executions);
    put_live_cells(grid, insn);
    ptx_grid_text(grid, insn->pipe);
    put_clocks_cell(grid, insn->pipe_cycles);
    put_clocks_cell(grid, insn->issue_cycles);
    put_amount(grid, insn->sectors);
    put_excess(grid, insn->sectors, insn->ideal_sectors);
    put_amount(grid, insn->wavefronts);
    put_excess(grid, insn->wavefronts, insn->ideal_wavefronts);
    ptx_grid_text(grid, is_known ? ptxlint_uniformity_text(insn->uniformity) : NULL);
    put_place_of(grid, &insn->source);
}

/* Blanks and tabs in it become one blank each. */
static void put_code_text(Grid *grid, const char *text, size_t length)
{
    char short_text[256];
    size_t used = 0;
    for (size_t i = 0; i < length && used < sizeof short_text; i++)
        if (text[i] != '\t' && text[i] != ' ')
            short_text[used++] = text[i];
        else if (used && short_text[used - 1] != ' ')
            short_text[used++] = ' ';
    if (used < sizeof short_text)
        ptx_grid_cell(grid, short_text, used, STYLE_NONE);
    else
        ptx_grid_cell(grid, text, length, STYLE_NONE);
}

/* insn: NULL: a line without figures. */
static void put_code_row(Grid *grid, const ptxlint_instruction *insn, uint32_t line,
                         const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t'))
        text++, length--;
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (!length)
        return;
    if (insn)
        put_instruction_figures(grid, insn);
    for (unsigned c = 0; !insn && c < FIGURE_COLUMNS; c++)
        ptx_grid_text(grid, NULL);
    ptx_grid_format(grid, "%" PRIu32, line);
    put_code_text(grid, text, length);
}

static bool is_loc(const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t'))
        text++, length--;
    return length > 4 && !memcmp(text, ".loc", 4) && (text[4] == ' ' || text[4] == '\t');
}

/* The instructions of a line, those of index *next on: one with all of the line, several each with
 * its own text. */
static void put_code_line(Grid *grid, const ptxlint_module *module, const ptxlint_place *place,
                          const ptxlint_instruction *insns, size_t count)
{
    const char *text = ptxlint_module_get_info(module)->text;
    const char *line = text + place->line_begin;
    const size_t length = place->line_end - place->line_begin;
    if (!count && is_loc(line, length))
        return;
    if (count < 2)
        put_code_row(grid, count ? insns : NULL, place->line, line, length);
    for (size_t i = 0; count > 1 && i < count; i++)
        put_code_row(grid, &insns[i], place->line, text + insns[i].span.begin,
                     insns[i].span.end - insns[i].span.begin);
}

/* The text from begin to end, with the instructions in it. */
static void put_code_lines(Grid *grid, const ptxlint_module *module, ptxlint_span span,
                           const ptxlint_instruction *insns, size_t count)
{
    size_t next = 0;
    for (uint32_t at = span.begin; at < span.end && !grid->has_failed;) {
        const ptxlint_place place = ptxlint_module_place(module, at);
        size_t here = 0;
        while (next + here < count && insns[next + here].line <= place.line)
            here++;
        put_code_line(grid, module, &place, insns + next, here);
        next += here;
        at = place.line_end + 1;
        if (at < ptxlint_module_get_info(module)->length
            && ptxlint_module_get_info(module)->text[place.line_end] == '\r')
            at++;
    }
}

static bool is_same_function(const ptxlint_instruction *a, const ptxlint_instruction *b)
{
    if (!a->function || !b->function)
        return a->function == b->function;
    return !strcmp(a->function, b->function);
}

static size_t function_end(const ptxlint_projection *p, size_t first)
{
    size_t end = first + 1;
    while (end < p->instruction_count
           && is_same_function(&p->instructions[first], &p->instructions[end]))
        end++;
    return end;
}

/* What the kernel calls follows, each function from its first instruction to its last. */
static void put_code_of(const Annotator *a, const ptxlint_module *module,
                        const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    for (size_t i = 0; i < p->instruction_count && a->out->status == PTXLINT_OK;) {
        const ptxlint_instruction *first = &p->instructions[i];
        const size_t end = function_end(p, i);
        Grid grid;
        ptxlint_span span = { first->span.begin, p->instructions[end - 1].span.end };
        if (first->function) {
            ptx_out_text(a->out, "\nfunction ");
            ptx_out_clean(a->out, ptx_kernel_title(first->function).text);
            ptx_out_text(a->out, ", all calls of the kernel\n");
        } else {
            span = (ptxlint_span){ kernel->name_span.begin, kernel->span.end };
        }
        ptx_grid_begin(&grid, instruction_columns, INSTRUCTION_COLUMNS);
        put_code_lines(&grid, module, span, first, end - i);
        ptx_grid_put(&grid, a->out, a->width);
        i = end;
    }
}

/* ---- the CUDA source ------------------------------------------------------------------------- */

static const GridColumn source_columns[] = {
    { "time%", false, 0, false, 0 },    { "execs", false, 0, false, 0 },
    { "insns", false, 0, false, 0 },    { "live", false, 0, false, 0 },
    { "sect.", false, 0, false, 0 },    { "excess", false, 0, false, 100 },
    { "pass.", false, 0, false, 0 },    { "excess", false, 0, false, 100 },
    { "line", false, 0, false, 0 },     { "CUDA", true, 20, false, 0 },
};

enum { SOURCE_COLUMNS = sizeof source_columns / sizeof *source_columns,
       CONTEXT_LINES = 3 /* without figures that are shown between two with them */ };

static void put_line_figures(Grid *grid, const SourceLine *line)
{
    put_time_share(grid, line->time_share);
    put_amount(grid, line->executions);
    ptx_grid_format(grid, "%" PRIu32, line->instruction_count);
    if (line->live_registers == PTXLINT_UNKNOWN)
        ptx_grid_text(grid, NULL);
    else
        ptx_grid_format(grid, "%" PRId64, line->live_registers);
    put_amount(grid, line->sectors);
    put_excess(grid, line->sectors, line->ideal_sectors);
    put_amount(grid, line->wavefronts);
    put_excess(grid, line->wavefronts, line->ideal_wavefronts);
}

static void put_source_text(Grid *grid, const SourceFile *file, uint32_t line)
{
    size_t length = 0;
    const char *text = file && file->bytes ? ptx_source_line(file, line, &length) : NULL;
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    ptx_grid_format(grid, "%" PRIu32, line);
    ptx_grid_cell(grid, text, length, STYLE_NONE);
}

static void put_source_row(Grid *grid, const SourceFile *file, const SourceLine *line)
{
    put_line_figures(grid, line);
    put_source_text(grid, file, line->line);
}

/* Lines between two that have figures: all, where they are few. */
static void put_gap(Grid *grid, const SourceFile *file, uint32_t from, uint32_t to)
{
    const bool is_short = to - from <= CONTEXT_LINES;
    for (uint32_t line = from; file && file->bytes && is_short && line < to; line++) {
        for (unsigned c = 0; c < SOURCE_COLUMNS - 2; c++)
            ptx_grid_text(grid, NULL);
        put_source_text(grid, file, line);
    }
    if (file && file->bytes && !is_short) {
        for (unsigned c = 0; c < SOURCE_COLUMNS - 1; c++)
            ptx_grid_text(grid, NULL);
        ptx_grid_text(grid, "...");
    }
}

/* The lines of one file; where it cannot be read, their figures alone. */
static void put_source_file(const Annotator *a, const ptxlint_module *module,
                            const SourceLine *lines, size_t count)
{
    Grid grid;
    SourceFile *file = NULL;
    const ptxlint_status status = ptx_sources_open(
        a->sources, lines[0].path, ptxlint_module_get_info(module)->path, &file);
    if (status != PTXLINT_OK) {
        a->out->status = status;
        return;
    }
    ptx_out_text(a->out, "\n");
    ptx_out_clean(a->out, lines[0].path);
    if (!file || !file->bytes)
        ptx_out_text(a->out, ": cannot be read below the source root (--source-root)");
    ptx_out_text(a->out, "\n");
    ptx_grid_begin(&grid, source_columns, SOURCE_COLUMNS);
    for (size_t i = 0; i < count && !grid.has_failed; i++) {
        if (i && lines[i].line > lines[i - 1].line + 1)
            put_gap(&grid, file, lines[i - 1].line + 1, lines[i].line);
        put_source_row(&grid, file, &lines[i]);
    }
    ptx_grid_put(&grid, a->out, a->width);
}

static void put_source_files(const Annotator *a, const ptxlint_module *module,
                        const ptxlint_projection *p)
{
    size_t count = 0;
    SourceLine *lines = ptx_source_lines(p, &count);
    if (!lines)
        a->out->status = PTXLINT_NO_MEMORY;
    else if (!count)
        ptx_out_text(a->out, "No CUDA lines: nvcc -lineinfo writes them to the PTX.\n");
    for (size_t i = 0; i < count && a->out->status == PTXLINT_OK;) {
        size_t end = i + 1;
        while (end < count && !strcmp(lines[end].path, lines[i].path))
            end++;
        put_source_file(a, module, lines + i, end - i);
        i = end;
    }
    free(lines);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static void put_annotated_time(Out *out, const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    Line line = { .out = out };
    if (isfinite(p->time.predicted_us)) {
        ptx_line_format(&line, "%s predicted", ptx_time_text(p->time.predicted_us).text);
        ptx_line_format(&line, " (limiter %.60s);", ptx_text_or(p->time.limiter, "unknown"));
        ptx_line_format(&line, " time%% is of the %s that its code takes, an estimate",
                        ptx_time_text(p->code_us).text);
    } else if (kernel->is_entry) {
        ptx_line_words(&line, "no time: ");
        ptx_line_words(&line, ptx_text_or(kernel->launch.error, ptx_why_estimate(p)));
    } else {
        ptx_line_words(&line, "a function: what calls it has its executions and times");
    }
    ptx_line_end(&line);
}

/* The least certain of what runs. */
static ptxlint_certainty executions_certainty(const ptxlint_projection *p)
{
    ptxlint_certainty worst = PTXLINT_EXACT;
    for (size_t i = 0; i < p->instruction_count; i++)
        if (p->instructions[i].executions_certainty > worst)
            worst = p->instructions[i].executions_certainty;
    return worst;
}

static void put_annotated_head(Out *out, const ptxlint_module *module,
                               const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, kernel->is_entry ? "kernel " : "function ");
    ptx_out_clean(out, ptx_kernel_title(kernel->name).text);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, " (");
    ptx_out_clean(out, ptx_path_last(ptxlint_module_get_info(module)->path));
    ptx_out_format(out, ":%" PRIu32 ")",
                   ptxlint_module_place(module, kernel->name_span.begin).line);
    if (kernel->launch_count > 1)
        ptx_out_format(out, ", launch %" PRIu32 " of %" PRIu32, kernel->launch_number + 1,
                       kernel->launch_count);
    ptx_out_text(out, " on ");
    ptx_out_clean(out, p ? ptx_report_gpu_name(p->gpu) : "no known GPU");
    ptx_out_text(out, "\n");
}

static void put_annotation(const Annotator *a, const ptxlint_module *module,
                           const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    put_annotated_head(a->out, module, kernel, p);
    put_annotated_time(a->out, kernel, p);
    if (kernel->has_syntax_error) {
        ptx_out_text(a->out, "has syntax errors: no figures\n");
        return;
    }
    const ptxlint_certainty certainty = executions_certainty(p);
    if (certainty != PTXLINT_NOT_KNOWN)
        ptx_out_format(a->out, "execs: by all warps of the launch, %s\n",
                       certainty == PTXLINT_EXACT ? "exact" : "estimates");
    if (a->is_by_source) {
        put_source_files(a, module, p);
    } else {
        ptx_out_text(a->out, "\n");
        put_code_of(a, module, kernel, p);
    }
}

void ptx_annotate_kernel(const Annotator *a, const ptxlint_module *module,
                         const ptxlint_kernel *kernel, bool *has_item)
{
    for (size_t g = 0; g < kernel->projection_count && a->out->status == PTXLINT_OK; g++) {
        ptx_out_text(a->out, ptx_text_if(*has_item, "\n"));
        put_annotation(a, module, kernel, &kernel->projections[g]);
        *has_item = true;
    }
    if (kernel->projection_count)
        return;
    ptx_out_text(a->out, ptx_text_if(*has_item, "\n"));
    put_annotated_head(a->out, module, kernel, NULL);
    ptx_out_text(a->out, "no figures for this target; --gpu takes those of another\n");
    *has_item = true;
}
