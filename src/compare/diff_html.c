/* diff_html.c -- two versions side by side, as one page for a browser. */
#include "compare/diff.h"
#include "compare/diff_html.h"
#include "report/html/html.h"
#include "support/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS_MAX = 400, SIDE_FINDINGS_MAX = 20, BAR_WIDTH = 140 };

typedef enum PairState {
    PAIR_REGRESSED,
    PAIR_BETTER,
    PAIR_ADDED,
    PAIR_REMOVED,
    PAIR_CHANGED,
    PAIR_SAME
} PairState;

static PairState pair_state(const Pair *pair)
{
    if (!pair->old_kernel)
        return PAIR_ADDED;
    if (!pair->new_kernel)
        return PAIR_REMOVED;
    if (pair->is_regressed)
        return PAIR_REGRESSED;
    if (pair->is_better)
        return PAIR_BETTER;
    return pair->is_changed ? PAIR_CHANGED : PAIR_SAME;
}

static void put_state(Out *out, PairState state)
{
    static const struct { const char *word, *kind; } words[] = {
        { "regressed", "error" }, { "better", "better" },   { "new", "note" },
        { "removed", "note" },    { "changed", "warning" }, { "same", "" }
    };
    ptx_out_format(out, "<span class=\"badge %s\">%s</span>", words[state].kind,
                   words[state].word);
}

static const char *change_kind(const Change *c)
{
    if (c->verdict == VERDICT_REGRESSED)
        return " worse";
    return c->verdict == VERDICT_BETTER ? " better" : "";
}

static void put_delta(Out *out, const Change *c)
{
    char text[64] = "";
    if (isfinite(c->percent) && fabs(c->percent) > 0)
        snprintf(text, sizeof text, "%s%s %%", c->percent < 0 ? "\342\210\222" : "+",
                 ptx_figure_fixed(fabs(c->percent), 1).text);
    ptx_out_format(out, "<td class=\"n%s\" data-v=\"%s\">%s</td>", change_kind(c),
                   isfinite(c->percent) ? ptx_figure_json(c->percent).text : "", text);
}

/* ---- the overview ---------------------------------------------------------------------------- */

/* By the value after it, rows are sorted. */
static void put_values_cell(Out *out, const Change *c)
{
    ptx_out_text(out, "<td class=\"n\" data-v=\"");
    if (isfinite(c->new_value))
        ptx_out_text(out, ptx_figure_json(c->new_value).text);
    ptx_out_text(out, "\">");
    if (isfinite(c->old_value) && isfinite(c->new_value))
        ptx_out_format(out, "%s \342\206\222 ", ptx_figure_commas(c->old_value).text);
    if (isfinite(c->new_value))
        ptx_out_text(out, ptx_figure_commas(c->new_value).text);
    ptx_out_text(out, "</td>");
}

static void put_pair_row(Out *out, const Pair *pair, uint32_t number, bool has_section)
{
    static const MetricId shown[] = { METRIC_PREDICTED_TIME, METRIC_REGISTERS,
                                      METRIC_OCCUPANCY_PERCENT };
    const ReportKernel *kernel = ptx_pair_kernel(pair);
    const PairState state = pair_state(pair);
    ptx_out_text(out, "<tr><td>");
    if (has_section)
        ptx_out_format(out, "<a href=\"#k%u\">", number);
    ptx_markup_text(out, ptx_kernel_short(kernel->name).text);
    ptx_out_text(out, has_section ? "</a>" : "");
    ptx_out_format(out, "</td><td data-v=\"%d\">", (int)state);
    put_state(out, state);
    ptx_out_text(out, "</td>");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        put_values_cell(out, &pair->changes[shown[i]]);
        put_delta(out, &pair->changes[shown[i]]);
    }
    ptx_out_format(out, "<td class=\"n\">%u</td><td class=\"n\">%u</td></tr>\n", pair->new_count,
                   pair->fixed_count);
}

static bool has_section(const Pair *pair)
{
    return pair_state(pair) != PAIR_SAME;
}

static void put_pair_heads(Out *out)
{
    static const char *const heads[] = { "Kernel",       "State",  "Time, \302\265s",
                                         "change",       "Registers", "change",
                                         "Occupancy, %", "change", "New findings",
                                         "fixed" };
    ptx_out_text(out, "<div class=\"scroll\"><table class=\"overview\"><thead><tr>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        ptx_out_format(out, "<th scope=\"col\"%s aria-sort=\"none\"><button type=\"button\">%s"
                            "</button></th>", i > 1 ? " class=\"n\"" : "", heads[i]);
    ptx_out_text(out, "</tr></thead>\n<tbody>\n");
}

static void put_diff_overview(Out *out, const ptxlint_diff *d)
{
    const ptxlint_diff_info *info = &d->info;
    ptx_out_text(out, "<section id=\"overview\" aria-labelledby=\"overview-h\">\n"
                      "<h1 id=\"overview-h\">Two versions</h1>\n<p class=\"sub\">");
    ptx_out_format(out, "%zu of %zu kernel%s regressed, %zu better, %zu new, %zu removed, %zu the "
                        "same; findings: %zu new, %zu fixed</p>\n",
                   info->regressed_count, info->kernel_count, ptx_plural(info->kernel_count),
                   info->better_count, info->added_count, info->removed_count, info->same_count,
                   info->new_findings, info->fixed_findings);
    ptx_out_text(out, "<p class=\"tools script\" hidden><label>Filter <input id=\"filter\" "
                      "type=\"search\"></label></p>\n");
    put_pair_heads(out);
    for (uint32_t i = 0; i < d->count; i++)
        put_pair_row(out, &d->pairs[i], i + 1, i < PAIRS_MAX && has_section(&d->pairs[i]));
    ptx_out_text(out, "</tbody></table></div>\n</section>\n");
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static void put_side_bar(Out *out, double value, double most, const char *kind)
{
    ptx_out_text(out, "<td class=\"n\">");
    if (!isfinite(value)) {
        ptx_out_text(out, "unknown</td><td></td>");
        return;
    }
    ptx_out_text(out, ptx_figure_commas(value).text);
    ptx_out_format(out, "</td><td><svg aria-hidden=\"true\" width=\"%d\" height=\"12\">",
                   BAR_WIDTH);
    ptx_html_rect(out, kind, (double[]){ 0, 1, most > 0 ? value / most * BAR_WIDTH : 0, 10 });
    ptx_out_text(out, "</svg></td>");
}

static void put_metric_row(Out *out, size_t id, const Change *c)
{
    ptxlint_metric metric;
    const double most = fmax(c->old_value, c->new_value);
    if (!ptxlint_metric_at(id, &metric) || (isnan(c->old_value) && isnan(c->new_value)))
        return;
    ptx_out_format(out, "<tr><th scope=\"row\">%s</th>", metric.key);
    put_side_bar(out, c->old_value, most, "band");
    put_side_bar(out, c->new_value, most,
                 c->verdict == VERDICT_REGRESSED ? "barfill first" : "barfill");
    put_delta(out, c);
    ptx_out_text(out, "<td>");
    ptx_markup_text(out, c->excuse ? c->excuse : metric.what);
    ptx_out_text(out, "</td></tr>\n");
}

static void put_metric_table(Out *out, const Pair *pair)
{
    ptx_out_text(out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Figure</th>"
                      "<th scope=\"col\" colspan=\"2\">Before</th>"
                      "<th scope=\"col\" colspan=\"2\">After</th>"
                      "<th scope=\"col\" class=\"n\">Change</th>"
                      "<th scope=\"col\">What it is</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < METRIC__COUNT; i++)
        put_metric_row(out, i, &pair->changes[i]);
    ptx_out_text(out, "</tbody></table></div>\n");
}

static void put_side_finding(Out *out, const ReportFinding *f)
{
    const char *severity = ptx_report_severity(f->severity);
    ptx_out_format(out, "<article class=\"finding %s\"><p><span class=\"badge %s\">%s</span> <b>",
                   severity, severity, severity);
    ptx_markup_text(out, f->rule);
    ptx_out_text(out, "</b>");
    if (f->line)
        ptx_out_format(out, " <span class=\"small\">line %u</span>", f->line);
    ptx_out_text(out, "</p>\n<p>");
    ptx_markup_text(out, f->message);
    ptx_out_text(out, "</p></article>\n");
}

static void put_side_findings(Out *out, const char *heading, ReportFinding *const *findings,
                              uint32_t count)
{
    ptx_out_format(out, "<div><h3>%s: %u</h3>\n", heading, count);
    for (uint32_t i = 0; i < count && i < SIDE_FINDINGS_MAX; i++)
        put_side_finding(out, findings[i]);
    if (count > SIDE_FINDINGS_MAX)
        ptx_out_format(out, "<p class=\"small\">%u more are not shown.</p>\n",
                       count - SIDE_FINDINGS_MAX);
    ptx_out_text(out, "</div>\n");
}

static void put_kernel_of_side(Out *out, const char *side, const ReportKernel *kernel)
{
    if (!kernel)
        return;
    ptx_out_format(out, "<p class=\"sub\">%s: <code>", side);
    ptx_markup_text(out, kernel->name);
    ptx_out_text(out, "</code> \302\267 ");
    ptx_markup_text(out, kernel->path);
    if (kernel->line)
        ptx_out_format(out, ":%u", kernel->line);
    ptx_out_text(out, " \302\267 ");
    ptx_markup_text(out, *kernel->gpu ? kernel->gpu : "no GPU");
    ptx_out_text(out, " \302\267 ");
    ptx_markup_text(out, *kernel->launch ? kernel->launch : "launch not known");
    ptx_out_text(out, "</p>\n");
}

static void put_pair_section(Out *out, const Pair *pair, uint32_t number)
{
    ptx_out_format(out, "<section class=\"kernel\" id=\"k%u\" aria-labelledby=\"k%u-h\">\n"
                        "<h2 id=\"k%u-h\">", number, number, number);
    ptx_markup_text(out, ptx_kernel_title(ptx_pair_kernel(pair)->name).text);
    ptx_out_text(out, " ");
    put_state(out, pair_state(pair));
    ptx_out_text(out, "</h2>\n");
    put_kernel_of_side(out, "Before", pair->old_kernel);
    put_kernel_of_side(out, "After", pair->new_kernel);
    if (pair->old_kernel && pair->new_kernel)
        put_metric_table(out, pair);
    if (pair->new_count + pair->fixed_count) {
        ptx_out_text(out, "<div class=\"panes even\">\n");
        put_side_findings(out, "Gone", pair->findings + pair->new_count, pair->fixed_count);
        put_side_findings(out, "New", pair->findings, pair->new_count);
        ptx_out_text(out, "</div>\n");
    }
    ptx_out_text(out, "</section>\n");
}

void ptx_diff_html(Out *out, const ptxlint_diff *d, const ptxlint_diff_options *options)
{
    char title[512];
    uint32_t left = 0;
    snprintf(title, sizeof title, "%.200s and %.200s", ptx_text_or(options->old_name, "old"),
             ptx_text_or(options->new_name, "new"));
    ptx_html_head(out, title);
    put_diff_overview(out, d);
    for (uint32_t i = 0; i < d->count; i++) {
        left += i >= PAIRS_MAX && has_section(&d->pairs[i]);
        if (i < PAIRS_MAX && has_section(&d->pairs[i]))
            put_pair_section(out, &d->pairs[i], i + 1);
    }
    if (left)
        ptx_out_format(out, "<p class=\"small\">%u more kernels are in the table alone.</p>\n",
                       left);
    ptx_html_tail(out);
}
