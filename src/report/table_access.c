/* The report for people: what a kernel's accesses cost, and its branches that part the lanes of
 * warps. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 10, DETAIL_INDENT = 15 };

static int access_compare(const void *pa, const void *pb)
{
    const ptxlint_access *a = *(const ptxlint_access *const *)pa,
                         *b = *(const ptxlint_access *const *)pb;
    int order = strcmp(a->space, b->space);
    if (!order)
        order = strcmp(a->op, b->op);
    if (order)
        return order;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static bool touches_lines(const ptxlint_kernel *kernel)
{
    for (size_t i = 0; i < kernel->access_count; i++)
        if (kernel->accesses[i].lines_per_request > 0)
            return true;
    return false;
}

/* Of a warp's request, on average over the accesses of a row; -: of some it is not known. */
static void put_row_lines(Out *out, const ptxlint_access *const *row, size_t count)
{
    double lines = 0, segments = 0;
    for (size_t i = 0; i < count; i++) {
        lines += row[i]->lines_per_request / (double)count;
        segments += row[i]->segments_per_request / (double)count;
    }
    if (lines > 0 && segments > 0)
        ptx_out_format(out, "  %7s  %8s", ptx_figure_short(lines).text,
                       ptx_figure_short(segments).text);
    else
        ptx_out_format(out, "  %7s  %8s", "-", "-");
}

/* Accesses of one space, operation and width are one row. */
static void put_accesses(Out *out, const ptxlint_kernel *kernel)
{
    size_t count = kernel->access_count;
    if (!count)
        return;
    const ptxlint_access **sorted = malloc(count * sizeof(const ptxlint_access *));
    if (!sorted) {
        out->status = PTXLINT_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &kernel->accesses[i];
    qsort(sorted, count, sizeof *sorted, access_compare);
    const bool with_lines = touches_lines(kernel);
    static const char *const headings[] = {
        "  access to    operation      bytes     count",
        "  access to    operation      bytes     count    lines  segments",
    };
    ptx_put_heading(out, headings[with_lines]);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !access_compare(&sorted[i], &sorted[next]);)
            next++;
        ptx_out_text(out, "  ");
        ptx_out_padded(out, sorted[i]->space, 11);
        ptx_out_text(out, "  ");
        ptx_out_padded(out, sorted[i]->op, 12);
        ptx_out_format(out, "  %6s  %8zu", ptx_figure_int(sorted[i]->bytes).text, next - i);
        if (with_lines)
            put_row_lines(out, &sorted[i], next - i);
        ptx_out_text(out, "\n");
    }
    free(sorted);
}

/* ---- accesses that move more than they must -------------------------------------------------- */

double ptx_access_excess(const ptxlint_access *access)
{
    double sectors = access->sectors_per_request / access->ideal_sectors_per_request;
    double wavefronts = access->wavefronts_per_request / access->ideal_wavefronts_per_request;
    /* of those that are numbers */
    double most = fmax(fmax(sectors, wavefronts), access->addresses_per_request);
    return isnan(most) ? 0 : most;
}

/* The worst first, then by line. */
static int costly_compare(const void *pa, const void *pb)
{
    const ptxlint_access *a = *(const ptxlint_access *const *)pa,
                         *b = *(const ptxlint_access *const *)pb;
    double more = ptx_access_excess(b) - ptx_access_excess(a);
    if (more > 0)
        return 1;
    if (more < 0)
        return -1;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

static void put_access_pair(Out *out, double real, double ideal)
{
    if (isnan(real))
        ptx_out_format(out, " %7s %6s", "-", "");
    else
        ptx_out_format(out, " %7.1f %6.1f", real, ideal);
}

/* Lines of the instructions that belong to it. */
static void put_chain_row(Line *line, const ptxlint_module *module, const char *words,
                          const ptxlint_related *chain, size_t count)
{
    if (count)
        ptx_line_words(line, words);
    for (size_t i = 0; i < count; i++)
        ptx_line_format(line, "%s%" PRIu32, i ? ", " : "",
                        ptxlint_module_place(module, chain[i].span.begin).line);
}

static void put_access_row(Out *out, const ptxlint_module *module, const ptxlint_access *access)
{
    ptx_out_format(out, "  %11" PRIu32 "  ", ptxlint_module_place(module, access->span.begin).line);
    ptx_out_padded(out, access->space, 7);
    ptx_out_padded(out, access->op ? access->op : "-", 11);
    put_access_pair(out, access->sectors_per_request, access->ideal_sectors_per_request);
    put_access_pair(out, access->wavefronts_per_request, access->ideal_wavefronts_per_request);
    ptx_out_format(out, "  %5.1f  %7s\n", access->active_threads,
                   ptx_figure_percent(access->efficiency, 1).text);
    Line line = { .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT + 2 };
    ptx_out_repeat(out, ' ', DETAIL_INDENT);
    ptx_line_source(&line, &access->source, ": ");
    if (access->pattern)
        ptx_line_format(&line, "%s, ", access->pattern);
    ptx_line_format(&line, "%s: ", ptx_report_certainty(access->certainty));
    if (isfinite(access->lines_per_request)) {
        ptx_line_format(&line, "%.1f lines of 128 B", access->lines_per_request);
        ptx_line_format(&line, ", %.1f segments of 32 B; ", access->segments_per_request);
    }
    ptx_line_words(&line, access->why);
    if (access->function) {
        ptx_line_words(&line, "; in function ");
        ptx_line_words(&line, access->function);
    }
    put_chain_row(&line, module, "; address from line ", access->chain, access->chain_count);
    ptx_line_end(&line);
}

/* Sectors of 32 bytes, wavefronts of shared memory and addresses of constant memory that a warp's
 * request takes, where its bytes need fewer, or where other shapes of the block may take more. */
static void put_costly(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    size_t count = 0;
    const ptxlint_access **costly = malloc((kernel->access_count + 1)
                                           * sizeof(const ptxlint_access *));
    if (!costly) {
        out->status = PTXLINT_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < kernel->access_count; i++)
        if (ptx_access_excess(&kernel->accesses[i]) > 1 || kernel->accesses[i].shape_count)
            costly[count++] = &kernel->accesses[i];
    qsort(costly, count, sizeof *costly, costly_compare);
    if (count)
        ptx_put_heading(out, "  costly line  access            sectors  ideal   waves  ideal  "
                             "lanes     used");
    for (size_t i = 0; i < count && i < MAX_SHOWN; i++)
        put_access_row(out, module, costly[i]);
    if (count > MAX_SHOWN)
        ptx_out_format(out, "  %11s  and %zu more\n", "", count - MAX_SHOWN);
    if (count)
        ptx_out_format(out, "  %11s  -: sectors are of global memory, waves of shared memory\n",
                       "");
    free(costly);
}

void ptx_table_accesses(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    put_accesses(out, kernel);
    put_costly(out, module, kernel);
}

/* ---- branches -------------------------------------------------------------------------------- */

static double wasted_or_least(const ptxlint_branch *branch)
{
    return isnan(branch->wasted_percent) ? -1 : branch->wasted_percent;
}

/* What is known to cost something, the dearest first; then what may. */
static int branch_compare(const void *pa, const void *pb)
{
    const ptxlint_branch *a = *(const ptxlint_branch *const *)pa,
                         *b = *(const ptxlint_branch *const *)pb;
    double x = wasted_or_least(a), y = wasted_or_least(b);
    if (y > x)
        return 1;
    if (y < x)
        return -1;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

static void put_branch_row(Out *out, const ptxlint_module *module, const ptxlint_branch *branch)
{
    ptx_out_format(out, "  %11" PRIu32 "  ", ptxlint_module_place(module, branch->span.begin).line);
    ptx_out_padded(out, ptxlint_uniformity_text(branch->condition), 10);
    ptx_out_padded(out, ptx_report_split(branch->splits), 10);
    ptx_out_format(out, "  %7s", ptx_figure_percent(branch->divergent_percent, 100).text);
    ptx_out_format(out, "  %7s", ptx_figure_percent(branch->wasted_percent, 100).text);
    if (branch->meeting.end)
        ptx_out_format(out, "  %8" PRIu32,
                       ptxlint_module_place(module, branch->meeting.begin).line);
    else
        ptx_out_format(out, "  %8s", "end");
    Line line = { .out = out, .column = 63, .indent = DETAIL_INDENT };
    put_chain_row(&line, module, "  from line ", branch->chain, branch->chain_count);
    if (branch->source.path) {
        ptx_line_end(&line);
        line = (Line){ .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT };
        ptx_out_repeat(out, ' ', DETAIL_INDENT);
        ptx_line_source(&line, &branch->source, "");
    }
    ptx_line_end(&line);
}

void ptx_table_branches(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    size_t count = 0;
    const ptxlint_branch **parting = malloc((kernel->branch_count + 1)
                                            * sizeof(const ptxlint_branch *));
    if (!parting) {
        out->status = PTXLINT_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < kernel->branch_count; i++)
        if (kernel->branches[i].splits != PTXLINT_SPLIT_NEVER)
            parting[count++] = &kernel->branches[i];
    qsort(parting, count, sizeof *parting, branch_compare);
    if (count)
        ptx_put_heading(
            out, "  branch line  condition splits    diverges   wasted  meets at  condition made");
    for (size_t i = 0; i < count && i < MAX_SHOWN; i++)
        put_branch_row(out, module, parting[i]);
    if (count > MAX_SHOWN)
        ptx_out_format(out, "  %11s  and %zu more\n", "", count - MAX_SHOWN);
    free(parting);
}

/* ---- CUDA lines ------------------------------------------------------------------------------ */

static void put_share(Out *out, double percent)
{
    if (isnan(percent))
        ptx_out_format(out, " %7s", "-");
    else
        ptx_out_format(out, " %5.1f %%", percent);
}

static void put_hot_row(Out *out, const ptxlint_hot_line *line)
{
    char place[64];
    snprintf(place, sizeof place, "%.40s:%" PRIu32, ptx_path_last(line->source.path),
             line->source.line);
    ptx_out_text(out, "  ");
    ptx_out_padded(out, place, 23);
    put_share(out, line->time_percent);
    put_share(out, line->issue_percent);
    put_share(out, line->sectors_percent > 0 ? line->sectors_percent : (double)NAN);
    ptx_out_format(out, "  %9s", line->sectors > 0 ? ptx_figure_number(line->sectors).text : "-");
    ptx_out_text(out, " ");
    put_share(out, line->conflict_percent > 0 ? line->conflict_percent : (double)NAN);
    bool has_accesses = line->sectors_percent > 0 || line->conflict_percent > 0
                        || line->certainty == PTXLINT_NOT_KNOWN;
    ptx_out_format(out, "  %s\n", has_accesses ? ptx_report_certainty(line->certainty) : "-");
}

/* Of those that have a tenth of anything. */
void ptx_table_hot_lines(Out *out, const ptxlint_kernel *kernel)
{
    enum { LEAST_PERCENT = 10 };
    bool has_head = false;
    for (size_t i = 0; i < kernel->hot_line_count && i < MAX_SHOWN; i++) {
        const ptxlint_hot_line *line = &kernel->hot_lines[i];
        double most = fmax(fmax(line->issue_percent, line->time_percent),
                           fmax(line->sectors_percent, line->conflict_percent));
        if (!(most >= LEAST_PERCENT))
            continue;
        if (!has_head)
            ptx_put_heading(out, "  CUDA line                  time   issue sectors  of "
                                 "launch conflict  accesses");
        has_head = true;
        put_hot_row(out, line);
    }
    if (has_head)
        ptx_out_text(out, "             time: share of what the code takes of the predicted time\n"
                          "             (estimate); issue: of issue slots (estimate); conflicts: "
                          "of\n"
                          "             shared memory, wavefronts beyond the fewest\n");
}
