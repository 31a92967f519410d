#include "report/annotate/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int source_line_compare(const void *pa, const void *pb)
{
    const SourceLine *a = pa, *b = pb;
    const int order = strcmp(a->path, b->path);
    if (order)
        return order;
    return a->line < b->line ? -1 : a->line > b->line;
}

static double sum_known(double a, double b)
{
    if (isnan(a))
        return b;
    return isnan(b) ? a : a + b;
}

static void join_certainty(ptxlint_certainty *into, ptxlint_certainty one)
{
    if (one > *into)
        *into = one;
}

static SourceLine line_of_insn(const ptxlint_instruction *insn)
{
    return (SourceLine){ insn->source.path,        insn->source.line,
                         1,                        insn->live_registers,
                         insn->executions,         insn->sectors,
                         insn->ideal_sectors,      insn->wavefronts,
                         insn->ideal_wavefronts,   insn->time_share,
                         insn->executions_certainty,
                         isnan(insn->sectors) && isnan(insn->wavefronts)
                             ? (ptxlint_certainty)0
                             : insn->access_certainty };
}

static void join_line(SourceLine *into, const SourceLine *line)
{
    into->instruction_count += line->instruction_count;
    if (line->live_registers > into->live_registers)
        into->live_registers = line->live_registers;
    into->executions = fmax(into->executions, line->executions);
    into->sectors = sum_known(into->sectors, line->sectors);
    into->ideal_sectors = sum_known(into->ideal_sectors, line->ideal_sectors);
    into->wavefronts = sum_known(into->wavefronts, line->wavefronts);
    into->ideal_wavefronts = sum_known(into->ideal_wavefronts, line->ideal_wavefronts);
    into->time_share = sum_known(into->time_share, line->time_share);
    join_certainty(&into->executions_certainty, line->executions_certainty);
    join_certainty(&into->access_certainty, line->access_certainty);
}

SourceLine *ptx_source_lines(const ptxlint_projection *projection, size_t *count)
{
    SourceLine *lines = calloc(projection->instruction_count + 1, sizeof *lines);
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; lines && i < projection->instruction_count; i++)
        if (projection->instructions[i].source.path)
            lines[all++] = line_of_insn(&projection->instructions[i]);
    if (!all)
        return lines;
    qsort(lines, all, sizeof *lines, source_line_compare);
    for (size_t i = 0; i < all; i++) {
        if (i && !source_line_compare(&lines[*count - 1], &lines[i]))
            join_line(&lines[*count - 1], &lines[i]);
        else
            lines[(*count)++] = lines[i];
    }
    return lines;
}
