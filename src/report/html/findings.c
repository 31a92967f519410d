#include "report/html/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_of_kernel(const HtmlKernel *k, const ptxlint_diagnostic *d)
{
    return d->suppression == PTXLINT_NOT_SUPPRESSED && d->span.begin >= k->kernel->span.begin
           && d->span.begin < k->kernel->span.end;
}

ptxlint_severity ptx_html_worst(const HtmlKernel *k, size_t *count,
                                const ptxlint_diagnostic **worst)
{
    size_t all;
    const ptxlint_diagnostic *list = ptxlint_module_diagnostics(k->module, &all);
    *worst = NULL;
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_of_kernel(k, &list[i]))
            continue;
        *worst = *worst ? *worst : &list[i];
        ++*count;
    }
    return *worst ? (*worst)->severity : 0;
}

/* ---- one finding ----------------------------------------------------------------------------- */

/* A place in the PTX: a link where the page has its line. */
static void put_line_link(Out *out, const HtmlKernel *k, uint32_t line)
{
    if (k)
        ptx_out_format(out, "<a href=\"#k%u-l%u\">line %u</a>", k->number, line, line);
    else
        ptx_out_format(out, "line %u", line);
}

static void put_finding_places(Out *out, const HtmlKernel *k, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    char statement[STATEMENT_BYTES];
    ptx_out_text(out, "<p class=\"small\">");
    put_line_link(out, k, finding->ptx.line);
    if (d->source_path) {
        ptx_out_text(out, " \302\267 ");
        ptx_markup_text(out, d->source_path);
        ptx_out_format(out, ":%u", d->source_line);
    }
    ptxlint_module_statement(finding->module, d->span.begin, statement, sizeof statement);
    if (*statement) {
        ptx_out_text(out, " \302\267 <code class=\"code\">");
        ptx_markup_text(out, statement);
        ptx_out_text(out, "</code>");
    }
    if (d->label) {
        ptx_out_text(out, " ");
        ptx_markup_text(out, d->label);
    }
    ptx_out_text(out, "</p>\n");
}

static void put_related_lines(Out *out, const HtmlKernel *k, const Finding *finding)
{
    enum { RELATED_MAX = 12 };
    const ptxlint_diagnostic *d = finding->diagnostic;
    for (size_t i = 0; i < d->related_count && i < RELATED_MAX; i++) {
        ptx_out_text(out, "<p class=\"small\">");
        put_line_link(out, k,
                      ptxlint_module_place(finding->module, d->related[i].span.begin).line);
        ptx_out_text(out, ": ");
        ptx_markup_text(out, d->related[i].message);
        ptx_out_text(out, "</p>\n");
    }
}

/* ---- a race: two threads, and the barrier that orders them ----------------------------------- */

enum { RACE_WIDTH = 640, RACE_ROW = 34, RACE_BOX = 26, RACE_HALF = RACE_WIDTH / 2 };

/* A row of the picture, in order of the text. */
typedef struct RaceRow {
    uint32_t line;
    int column;                 /* 0: the first thread, 1: the second, 2: a barrier to insert */
    char text[64];
} RaceRow;

static void add_race_row(RaceRow *rows, size_t *count, const RaceRow *row)
{
    size_t at = (*count)++;
    for (; at > 0 && rows[at - 1].line > row->line; at--)
        rows[at] = rows[at - 1];
    rows[at] = *row;
}

static RaceRow access_row(const Finding *finding, ptxlint_span span, int column)
{
    RaceRow row = { .line = ptxlint_module_place(finding->module, span.begin).line,
                    .column = column };
    ptxlint_module_statement(finding->module, span.begin, row.text, 40);
    return row;
}

static void put_race_row(Out *out, const RaceRow *row, double y)
{
    char text[96];
    snprintf(text, sizeof text, "%u  %.60s", row->line, row->text);
    if (row->column == 2) {
        ptx_html_line(out, "barrier", (double[]){ 8, y + RACE_BOX / 2.0, RACE_WIDTH - 8,
                                                  y + RACE_BOX / 2.0 });
        snprintf(text, sizeof text, "insert before line %u: %.60s", row->line, row->text);
        ptx_html_label(out, "good", "middle", (double[]){ RACE_HALF, y + 8 }, text);
        return;
    }
    const double x = row->column ? RACE_HALF + 8 : 8;
    ptx_html_rect(out, "box", (double[]){ x, y, RACE_HALF - 16, RACE_BOX });
    ptx_html_label(out, "", "start", (double[]){ x + 8, y + 17 }, text);
}

static void put_race_link(Out *out, const RaceRow *rows, size_t count)
{
    double ends[2] = { (double)NAN, (double)NAN };
    for (size_t i = 0; i < count; i++)
        if (rows[i].column < 2)
            ends[rows[i].column] = 24 + RACE_ROW * (double)i + RACE_BOX / 2.0;
    if (isfinite(ends[0]) && isfinite(ends[1]))
        ptx_html_line(out, "threat", (double[]){ RACE_HALF - 8, ends[0], RACE_HALF + 8, ends[1] });
}

/* Which of the two threads is the earlier one, the message says. */
static void put_race(Out *out, const Finding *finding)
{
    enum { ROWS_MAX = 8 };
    const ptxlint_diagnostic *d = finding->diagnostic;
    RaceRow rows[ROWS_MAX] = { 0 }, row = access_row(finding, d->span, 0);
    size_t count = 0;
    add_race_row(rows, &count, &row);
    row = access_row(finding, d->related[0].span, 1);
    add_race_row(rows, &count, &row);
    for (size_t i = 0; i < d->repair_count && count < ROWS_MAX; i++) {
        row = (RaceRow){ .line = d->repair[i].line, .column = 2 };
        snprintf(row.text, sizeof row.text, "%.40s", d->repair[i].text);
        add_race_row(rows, &count, &row);
    }
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, RACE_WIDTH, 24 + RACE_ROW * (double)count,
                 "Two threads whose accesses nothing orders");
    ptx_html_label(out, "dim", "start", (double[]){ 8, 14 }, "this access, in one thread");
    ptx_html_label(out, "dim", "start", (double[]){ RACE_HALF + 8, 14 },
                   "the other access, in another");
    put_race_link(out, rows, count);
    for (size_t i = 0; i < count; i++)
        put_race_row(out, &rows[i], 24 + RACE_ROW * (double)i);
    ptx_out_text(out, "</svg><figcaption>Red: nothing orders the two. Green: a barrier that was "
                      "tried, and orders them.</figcaption></figure>\n");
}

/* A repair that was tried says where barriers go; the other access comes first among what is
 * related. */
static bool is_race(const ptxlint_diagnostic *d)
{
    return d->repair_count && d->related_count;
}

void ptx_html_finding(Out *out, const HtmlKernel *k, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    const char *severity = ptx_report_severity(d->severity);
    ptx_out_format(out, "<article class=\"finding %s\" id=\"f-", severity);
    ptx_markup_text(out, finding->id);
    ptx_out_format(out, "\"><p><span class=\"badge %s\">%s</span> <b>", severity, severity);
    ptx_markup_text(out, d->rule);
    ptx_out_text(out, "</b> ");
    ptx_markup_text(out, d->name);
    ptx_out_format(out, " <span class=\"small\">%s", ptx_report_certainty(d->certainty));
    if (ptx_report_has_gain(d) && d->gain_of) {
        ptx_out_format(out, " \302\267 repairing it would free %s %s %% of ",
                       ptx_report_gain_measure(d), ptx_figure_short(d->gain_percent).text);
        ptx_markup_text(out, d->gain_of);
    }
    if (d->repeat_count)
        ptx_out_format(out, " \302\267 and %u more like it", d->repeat_count);
    ptx_out_text(out, "</span> <a href=\"#f-");
    ptx_markup_text(out, finding->id);
    ptx_out_text(out, "\" aria-label=\"Link to this finding\">#</a></p>\n<p>");
    ptx_markup_text(out, d->message);
    ptx_out_text(out, "</p>\n");
    put_finding_places(out, k, finding);
    if (d->help) {
        ptx_out_text(out, "<p class=\"help\">");
        ptx_markup_text(out, d->help);
        ptx_out_text(out, "</p>\n");
    }
    if (is_race(d))
        put_race(out, finding);
    else
        put_related_lines(out, k, finding);
    ptx_out_text(out, "</article>\n");
}

/* ---- all of a kernel ------------------------------------------------------------------------- */

static void put_findings_list(const HtmlKernel *k)
{
    size_t all, shown = 0, left = 0;
    const ptxlint_diagnostic *list = ptxlint_module_diagnostics(k->module, &all);
    for (size_t i = 0; i < all; i++) {
        Finding finding;
        if (!is_of_kernel(k, &list[i]))
            continue;
        left += shown == HTML_FINDINGS_MAX;
        if (shown == HTML_FINDINGS_MAX)
            continue;
        shown++;
        ptxlint_status status = ptx_finding_open(k->locator, &list[i], &finding);
        if (status == PTXLINT_OK)
            ptx_html_finding(k->out, k, &finding);
        else
            k->out->status = status;
        ptx_finding_close(&finding);
    }
    if (left)
        ptx_out_format(k->out, "<p class=\"small\">%zu more findings are not shown; "
                               "<code>ptxlint check</code> has all.</p>\n", left);
}

void ptx_html_findings_part(const HtmlKernel *k)
{
    const ptxlint_diagnostic *worst;
    size_t count;
    char note[40];
    ptx_html_worst(k, &count, &worst);
    snprintf(note, sizeof note, "%zu", count);
    ptx_html_part(k, "findings", "Findings", note);
    if (count)
        put_findings_list(k);
    else
        ptx_out_text(k->out, "<p class=\"small\">None.</p>\n");
    ptx_html_part_end(k);
}
