/* html.h -- a report as one page for a browser, that asks for nothing else.
 *
 *   page.c      head, overview, embedded JSON; kernels in order, slowest first
 *   kernel.c    a kernel: figures, then its parts
 *   charts.c    time, occupancy, roofline
 *   accesses.c  lanes on banks and on sectors
 *   code.c      PTX beside CUDA, live registers along it
 *   findings.c  findings; races as two threads
 *   report.css, report.js  compiled in by tools/gen_html.py
 *
 * All that there is stands in the page: the script only sorts, links and switches. What is drawn is
 * bounded (docs/limits.md), and the page says where something was left out. */
#ifndef PTX_REPORT_HTML_HTML_H
#define PTX_REPORT_HTML_HTML_H

#include "report/graph/graph.h"

extern const char ptx_html_css[], ptx_html_js[];

enum {
    HTML_LINES_MAX = 600,               /* of PTX, and of CUDA, of a kernel */
    HTML_PAGE_LINES_MAX = 24000,        /* of PTX, of all kernels; later ones are without */
    HTML_ACCESSES_MAX = 8,              /* of a kernel that are drawn, for each memory */
    HTML_FINDINGS_MAX = 100,            /* of a kernel */
    HTML_JSON_BYTES = 256 << 10         /* a longer report is not embedded */
};

/* A kernel on its first GPU. */
typedef struct HtmlKernel {
    Out *out;
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    const ptxlint_projection *projection;       /* NULL: on no GPU */
    const ptxlint_graph_info *graph;            /* NULL: the module was loaded */
    Locator *locator;
    uint32_t number;            /* of the page, from 1: what ids begin with */
    uint32_t *lines_left;       /* of the page */
} HtmlKernel;

/* ---- page.c ---------------------------------------------------------------------------------- */

typedef struct HtmlPage HtmlPage;

/* What options point to must outlive it. NULL: no memory. */
HtmlPage *ptx_html_new(const ptxlint_write_options *options);
void ptx_html_free(HtmlPage *page);

/* A kernel of a module, with the locator begun at the module. */
ptxlint_status ptx_html_kernel(HtmlPage *page, const ptxlint_module *module,
                               const ptxlint_kernel *kernel, Locator *locator);

/* The report of the module in JSON, and findings that are in no kernel. */
ptxlint_status ptx_html_module(HtmlPage *page, const ptxlint_module *module, Locator *locator);
void ptx_html_finish(HtmlPage *page, Out *out);

/* What stands before the first element of a page's main part, and what stands behind the last. */
void ptx_html_head(Out *out, const char *title);
void ptx_html_tail(Out *out);

/* ---- elements: kernel.c ---------------------------------------------------------------------- */

/* A part that can be folded; name: of its id, and its heading. note: beside it, "". */
void ptx_html_part(const HtmlKernel *k, const char *name, const char *heading, const char *note);
void ptx_html_part_end(const HtmlKernel *k);

/* "12.3 us", "4.5 ms", "unknown". */
Figure ptx_html_time(double us);

/* " x=\"12.5\"" */
void ptx_html_number(Out *out, const char *name, double number);

/* <rect class=...>; kind: its class. */
void ptx_html_rect(Out *out, const char *kind, const double place[4]);

/* A line from place[0], [1] to place[2], [3]. */
void ptx_html_line(Out *out, const char *kind, const double place[4]);

/* anchor: "start", "middle", "end"; kind: class, "". */
void ptx_html_label(Out *out, const char *kind, const char *anchor, const double place[2],
                    const char *text);

/* <svg ...> that is called title. */
void ptx_html_svg(Out *out, double width, double height, const char *title);

void ptx_html_write_kernel(const HtmlKernel *k);

/* The worst severity of findings in the kernel, 0: none, and how many there are. */
ptxlint_severity ptx_html_worst(const HtmlKernel *k, size_t *count,
                                const ptxlint_diagnostic **worst);

/* ---- parts ----------------------------------------------------------------------------------- */

void ptx_html_time_part(const HtmlKernel *k);
void ptx_html_occupancy_part(const HtmlKernel *k);
void ptx_html_accesses_part(const HtmlKernel *k);
void ptx_html_code_part(const HtmlKernel *k);
void ptx_html_findings_part(const HtmlKernel *k);

/* A finding of the module in hand. k: NULL: it is in no kernel. */
void ptx_html_finding(Out *out, const HtmlKernel *k, const Finding *finding);

#endif
