#include "report/html/html.h"
#include "support/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel that is written: where its row and its section lie. */
typedef struct HtmlEntry {
    double time_us;             /* NaN: not predicted */
    size_t row_begin, row_end, section_begin, section_end;
    uint32_t number;
} HtmlEntry;

struct HtmlPage {
    Buffer rows, sections, loose, json;
    HtmlEntry *entries;
    size_t count, capacity, module_count, loose_count;
    uint32_t lines_left;
    bool is_json_lost;          /* too long */
    ptxlint_writer *report;     /* the same in JSON */
    char first_path[256];
};

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Without a byte that could end the element around it: `<` stands in strings alone. */
static int keep_json(void *context, const char *bytes, size_t length)
{
    HtmlPage *page = context;
    for (size_t at = 0; at < length && !page->is_json_lost;) {
        const char *next = memchr(bytes + at, '<', length - at);
        const size_t plain = next ? (size_t)(next - bytes) - at : length - at;
        page->is_json_lost = page->json.length + plain > HTML_JSON_BYTES;
        if (page->is_json_lost || ptx_buffer_write(&page->json, bytes + at, plain)
            || (next && ptx_buffer_write(&page->json, "\\u003c", 6)))
            return !page->is_json_lost;
        at += plain + (next != NULL);
    }
    return 0;
}

HtmlPage *ptx_html_new(const ptxlint_write_options *options)
{
    ptxlint_write_options json = *options;
    HtmlPage *page = calloc(1, sizeof *page);
    json.format = PTXLINT_JSON;
    if (page && ptxlint_writer_new(PTXLINT_REPORT, &json, keep_json, page, &page->report)
                    != PTXLINT_OK) {
        free(page);
        return NULL;
    }
    if (page)
        page->lines_left = HTML_PAGE_LINES_MAX;
    return page;
}

void ptx_html_free(HtmlPage *page)
{
    if (!page)
        return;
    ptxlint_writer_free(page->report);
    free(page->rows.bytes);
    free(page->sections.bytes);
    free(page->loose.bytes);
    free(page->json.bytes);
    free(page->entries);
    free(page);
}

/* ---- a row of the overview ------------------------------------------------------------------- */

static void put_sort_cell(Out *out, double value, const char *text)
{
    ptx_out_text(out, "<td class=\"n\" data-v=\"");
    if (isfinite(value))
        ptx_out_text(out, ptx_figure_json(value).text);
    ptx_out_text(out, "\">");
    ptx_markup_text(out, isfinite(value) ? text : "");
    ptx_out_text(out, "</td>");
}

static void put_row_figures(Out *out, const HtmlKernel *k)
{
    const ptxlint_projection *p = k->projection;
    const double none = (double)NAN;
    char text[128] = "";
    if (p && isfinite(p->time.low_us))
        snprintf(text, sizeof text, "%s (%s to %s)", ptx_html_time(p->time.predicted_us).text,
                 ptx_html_time(p->time.low_us).text, ptx_html_time(p->time.high_us).text);
    put_sort_cell(out, p ? p->time.predicted_us : none, text);
    ptx_out_text(out, "<td>");
    ptx_markup_text(out, p && p->time.limiter ? p->time.limiter : "");
    ptx_out_text(out, "</td>");
    snprintf(text, sizeof text, "%s %%", p ? ptx_figure_short(p->occupancy.percent).text : "");
    put_sort_cell(out, p ? p->occupancy.percent : none, text);
    const bool has_registers = p && p->registers != PTXLINT_UNKNOWN;
    snprintf(text, sizeof text, "%s", p ? ptx_figure_int(p->registers).text : "");
    put_sort_cell(out, has_registers ? (double)p->registers : none, text);
}

static void put_row_findings(Out *out, const HtmlKernel *k)
{
    const ptxlint_diagnostic *worst;
    size_t count;
    ptxlint_severity severity = ptx_html_worst(k, &count, &worst);
    ptx_out_format(out, "<td data-v=\"%d\">", (int)severity);
    if (worst) {
        ptx_out_format(out, "<span class=\"badge %s\">%s</span> ", ptx_report_severity(severity),
                       ptx_report_severity(severity));
        ptx_markup_text(out, worst->rule);
        ptx_out_text(out, " ");
        ptx_markup_text(out, worst->name);
        if (count > 1)
            ptx_out_format(out, " <span class=\"small\">and %zu more</span>", count - 1);
    }
    ptx_out_text(out, "</td></tr>\n");
}

static void put_page_row(Out *out, const HtmlKernel *k)
{
    ptxlint_source_place place;
    const uint32_t line = ptxlint_module_place(k->module, k->kernel->name_span.begin).line;
    ptx_out_format(out, "<tr><td><a href=\"#k%u\">", k->number);
    ptx_markup_text(out, ptx_kernel_short(k->kernel->name).text);
    ptx_out_text(out, "</a>");
    if (k->kernel->launch_count > 1)
        ptx_out_format(out, " <span class=\"small\">launch %u</span>",
                       k->kernel->launch_number + 1);
    ptx_out_text(out, "</td><td>");
    if (k->graph && k->graph->instruction_count
        && ptxlint_module_source_at(k->module, k->graph->instructions[0].begin, &place)) {
        ptx_markup_text(out, ptx_path_last(place.path));
        ptx_out_format(out, ":%u", place.line);
    } else {
        ptx_markup_text(out, ptx_path_last(ptxlint_module_get_info(k->module)->path));
        ptx_out_format(out, ":%u", line);
    }
    ptx_out_text(out, "</td>");
    put_row_figures(out, k);
    put_row_findings(out, k);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static HtmlEntry *add_html_entry(HtmlPage *page)
{
    if (!ptx_list_reserve(&page->entries, &page->capacity, page->count + 1,
                          sizeof *page->entries))
        return NULL;
    HtmlEntry *entry = &page->entries[page->count++];
    *entry = (HtmlEntry){ .number = (uint32_t)page->count, .row_begin = page->rows.length,
                          .section_begin = page->sections.length };
    return entry;
}

static ptxlint_status write_html_entry(HtmlPage *page, const HtmlKernel *of, HtmlEntry *entry)
{
    Out row, section;
    ptx_out_init(&row, ptx_buffer_write, &page->rows);
    ptx_out_init(&section, ptx_buffer_write, &page->sections);
    HtmlKernel k = *of;
    put_page_row(&row, &k);
    ptx_out_flush(&row);
    k.out = &section;
    ptx_html_write_kernel(&k);
    ptx_out_flush(&section);
    entry->row_end = page->rows.length;
    entry->section_end = page->sections.length;
    bool is_whole = row.status == PTXLINT_OK && section.status == PTXLINT_OK;
    return is_whole ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

ptxlint_status ptx_html_kernel(HtmlPage *page, const ptxlint_module *module,
                               const ptxlint_kernel *kernel, Locator *locator)
{
    ptxlint_graph *graph = NULL;
    HtmlEntry *entry = add_html_entry(page);
    if (!entry)
        return PTXLINT_NO_MEMORY;
    HtmlKernel k = { .module = module, .kernel = kernel, .locator = locator,
                     .number = entry->number, .lines_left = &page->lines_left };
    k.projection = kernel->projection_count ? kernel->projections : NULL;
    ptxlint_status status = ptxlint_graph_new(module, kernel, &graph);
    if (status == PTXLINT_NO_MEMORY)
        return status;
    if (status == PTXLINT_OK)
        k.graph = ptxlint_graph_get_info(graph);
    entry->time_us = k.projection ? k.projection->time.predicted_us : (double)NAN;
    status = write_html_entry(page, &k, entry);
    ptxlint_graph_free(graph);
    return status;
}

/* ---- a module -------------------------------------------------------------------------------- */

static bool is_in_kernel(const ptxlint_module *module, uint32_t offset)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const size_t at = ptx_report_kernel_at(kernels, count, offset);
    return at < count && kernels[at].is_entry;
}

ptxlint_status ptx_html_module(HtmlPage *page, const ptxlint_module *module, Locator *locator)
{
    enum { LOOSE_MAX = 200 };
    size_t count;
    Out out;
    const ptxlint_diagnostic *list = ptxlint_module_diagnostics(module, &count);
    ptx_out_init(&out, ptx_buffer_write, &page->loose);
    if (!page->module_count++)
        snprintf(page->first_path, sizeof page->first_path, "%s",
                 ptxlint_module_get_info(module)->path);
    for (size_t i = 0; i < count && page->loose_count < LOOSE_MAX; i++) {
        Finding finding;
        if (list[i].suppression != PTXLINT_NOT_SUPPRESSED
            || is_in_kernel(module, list[i].span.begin))
            continue;
        page->loose_count++;
        ptxlint_status status = ptx_finding_open(locator, &list[i], &finding);
        if (status == PTXLINT_OK)
            ptx_html_finding(&out, NULL, &finding);
        else
            out.status = status;
        ptx_finding_close(&finding);
    }
    ptx_out_flush(&out);
    if (out.status == PTXLINT_OK)
        out.status = ptxlint_writer_add(page->report, module);
    return out.status == PTXLINT_WRITE ? PTXLINT_NO_MEMORY : out.status;    /* into buffers */
}

/* ---- the document ---------------------------------------------------------------------------- */

/* Slowest first; those without a time behind them, in the order in which they came. */
static int compare_html_entries(const void *left, const void *right)
{
    const HtmlEntry *a = left, *b = right;
    if (!isnan(a->time_us) != !isnan(b->time_us))
        return isnan(a->time_us) ? 1 : -1;
    if (a->time_us < b->time_us || a->time_us > b->time_us)
        return a->time_us > b->time_us ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void ptx_html_head(Out *out, const char *title)
{
    ptx_out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                      "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    ptx_markup_text(out, title);
    ptx_out_text(out, "</title>\n<style>\n");
    ptx_out_text(out, ptx_html_css);
    ptx_out_text(out, "</style>\n</head>\n<body>\n"
                      "<a class=\"skip\" href=\"#overview\">Skip to the overview</a>\n"
                      "<header class=\"top\"><p class=\"name\">ptxlint</p><p class=\"rest\">");
    ptx_markup_text(out, title);
    ptx_out_text(out, "</p>\n<p class=\"script\" hidden><button id=\"theme\" type=\"button\" "
                      "aria-pressed=\"false\">Dark</button></p></header>\n<main>\n");
}

void ptx_html_tail(Out *out)
{
    ptx_out_format(out, "<footer><p>ptxlint %s. Every figure is exact, a bound or an estimate, as "
                        "it says; what is not known is left out or unknown.</p>\n",
                   ptxlint_version());
    ptx_out_text(out, "<p class=\"script\" hidden>Keys: <kbd>j</kbd> <kbd>k</kbd> next and last "
                      "finding, <kbd>n</kbd> <kbd>p</kbd> kernel, <kbd>o</kbd> overview, "
                      "<kbd>/</kbd> filter, <kbd>t</kbd> theme.</p></footer>\n</main>\n<script>\n");
    ptx_out_text(out, ptx_html_js);
    ptx_out_text(out, "</script>\n</body>\n</html>\n");
}

static void put_page_overview(const HtmlPage *page, Out *out)
{
    static const char *const heads[] = {
        "<th scope=\"col\"", "<th scope=\"col\"", "<th scope=\"col\" class=\"n\"",
        "<th scope=\"col\"", "<th scope=\"col\" class=\"n\"", "<th scope=\"col\" class=\"n\"",
        "<th scope=\"col\""
    };
    static const char *const names[] = { "Kernel",    "Line",      "Predicted time", "Limiter",
                                         "Occupancy", "Registers", "Worst finding" };
    ptx_out_text(out, "<section id=\"overview\" aria-labelledby=\"overview-h\">\n"
                      "<h1 id=\"overview-h\">Kernels, slowest first</h1>\n"
                      "<p class=\"tools script\" hidden><label>Filter <input id=\"filter\" "
                      "type=\"search\"></label></p>\n"
                      "<div class=\"scroll\"><table class=\"overview\"><thead><tr>");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ptx_out_format(out, "%s aria-sort=\"%s\"><button type=\"button\">%s</button></th>",
                       heads[i], i == 2 ? "descending" : "none", names[i]);
    ptx_out_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < page->count; i++)
        ptx_out_bytes(out, page->rows.bytes + page->entries[i].row_begin,
                      page->entries[i].row_end - page->entries[i].row_begin);
    ptx_out_text(out, "</tbody></table></div>\n");
    bool has_time = page->count && isfinite(page->entries[0].time_us);
    if (!page->count)
        ptx_out_text(out, "<p class=\"small\">The input has no kernel.</p>\n");
    else if (!has_time)
        ptx_out_text(out, "<p class=\"small\">Times need a launch: --grid and --block, "
                          "or --launch.</p>\n");
    ptx_out_text(out, "</section>\n");
}

static void put_embedded_json(const HtmlPage *page, Out *out)
{
    if (page->is_json_lost) {
        ptx_out_format(out, "<p class=\"small\">The report in JSON is longer than %d KiB and not "
                            "in this page: <code>ptxlint report --format json</code>.</p>\n",
                       HTML_JSON_BYTES >> 10);
        return;
    }
    ptx_out_text(out, "<script type=\"application/json\" id=\"report-json\">\n");
    ptx_out_bytes(out, page->json.bytes, page->json.length);
    ptx_out_text(out, "</script>\n");
}

void ptx_html_finish(HtmlPage *page, Out *out)
{
    char title[300];
    if (page->count)
        qsort(page->entries, page->count, sizeof *page->entries, compare_html_entries);
    ptxlint_status status = ptxlint_writer_finish(page->report);
    if (status != PTXLINT_OK)           /* what is too long is no failure of the writing */
        out->status = PTXLINT_NO_MEMORY;
    snprintf(title, sizeof title, "%zu kernel%s: %.200s%s", page->count, ptx_plural(page->count),
             page->first_path, ptx_text_if(page->module_count > 1, " and others"));
    ptx_html_head(out, title);
    put_page_overview(page, out);
    if (page->loose.length) {
        ptx_out_text(out, "<section aria-labelledby=\"loose-h\"><h2 id=\"loose-h\">Findings "
                          "outside of kernels</h2>\n");
        ptx_out_bytes(out, page->loose.bytes, page->loose.length);
        ptx_out_text(out, "</section>\n");
    }
    for (size_t i = 0; i < page->count; i++)
        ptx_out_bytes(out, page->sections.bytes + page->entries[i].section_begin,
                      page->entries[i].section_end - page->entries[i].section_begin);
    put_embedded_json(page, out);
    ptx_html_tail(out);
}
