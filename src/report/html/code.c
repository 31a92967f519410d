#include "report/html/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 8, CONTEXT_LINES = 2, CODE_BYTES_MAX = 400 };

/* A CUDA line that instructions of the kernel come from. */
typedef struct HtmlCudaLine {
    uint32_t file, line;
    uint32_t ptx_line;          /* the first of them */
    double share;               /* of the time; NaN */
} HtmlCudaLine;

typedef struct CodeView {
    const HtmlKernel *k;
    const char *text;
    const char *files[FILES_MAX];
    uint32_t file_count;
    HtmlCudaLine *lines;            /* by file and line, each once */
    size_t line_count;
    bool has_shares, has_live;
} CodeView;

static const ptxlint_instruction *figures_at(const HtmlKernel *k, size_t number)
{
    const ptxlint_projection *p = k->projection;
    if (!p || number >= p->instruction_count || p->instructions[number].function)
        return NULL;
    return &p->instructions[number];
}

/* ---- CUDA lines ------------------------------------------------------------------------------ */

/* FILES_MAX: there are too many. */
static uint32_t file_number(CodeView *v, const char *path)
{
    for (uint32_t f = 0; f < v->file_count; f++)
        if (!strcmp(v->files[f], path))
            return f;
    if (v->file_count == FILES_MAX)
        return FILES_MAX;
    v->files[v->file_count] = path;
    return v->file_count++;
}

static int compare_cuda_lines(const void *left, const void *right)
{
    const HtmlCudaLine *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->ptx_line < b->ptx_line ? -1 : a->ptx_line > b->ptx_line;
}

static void merge_cuda_lines(CodeView *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->line_count; i++) {
        HtmlCudaLine *last = kept ? &v->lines[kept - 1] : NULL;
        if (last && last->file == v->lines[i].file && last->line == v->lines[i].line)
            last->share += v->lines[i].share;
        else
            v->lines[kept++] = v->lines[i];
    }
    v->line_count = kept;
}

static void list_cuda_lines(CodeView *v)
{
    const ptxlint_graph_info *graph = v->k->graph;
    ptxlint_source_place place;
    v->lines = calloc(graph->instruction_count + 1, sizeof *v->lines);
    if (!v->lines)
        v->k->out->status = PTXLINT_NO_MEMORY;
    for (size_t i = 0; v->lines && i < graph->instruction_count; i++) {
        const uint32_t at = graph->instructions[i].begin;
        const ptxlint_instruction *figures = figures_at(v->k, i);
        v->has_shares |= figures && isfinite(figures->time_share);
        v->has_live |= figures && figures->live_registers != PTXLINT_UNKNOWN;
        if (!ptxlint_module_source_at(v->k->module, at, &place))
            continue;
        const uint32_t file = file_number(v, place.path);
        if (file < FILES_MAX)
            v->lines[v->line_count++] = (HtmlCudaLine){
                file, place.line, ptxlint_module_place(v->k->module, at).line,
                figures ? figures->time_share : (double)NAN
            };
    }
    if (v->line_count)
        qsort(v->lines, v->line_count, sizeof *v->lines, compare_cuda_lines);
    merge_cuda_lines(v);
}

/* ---- PTX ------------------------------------------------------------------------------------- */

static int share_step(double share)
{
    if (!(share >= 0.005))
        return 0;
    if (share < 0.03)
        return 1;
    if (share < 0.1)
        return 2;
    return share < 0.25 ? 3 : 4;
}

static void put_share_cell(Out *out, double share)
{
    const int step = share_step(share);
    if (step)
        ptx_out_format(out, "<td class=\"h%d\">%s", step, ptx_figure_short(100 * share).text);
    else
        ptx_out_text(out, "<td>");
}

/* Instructions of a line of the text: those from *next on. */
typedef struct LineFigures {
    double share;
    int64_t live;
    ptxlint_source_place source;
    bool has_instruction, has_source;
} LineFigures;

static LineFigures take_ptx_line(const CodeView *v, size_t *next, uint32_t end)
{
    const ptxlint_graph_info *graph = v->k->graph;
    LineFigures found = { .live = PTXLINT_UNKNOWN };
    for (; *next < graph->instruction_count && graph->instructions[*next].begin < end; ++*next) {
        const ptxlint_instruction *figures = figures_at(v->k, *next);
        found.has_instruction = true;
        if (!found.has_source)
            found.has_source = ptxlint_module_source_at(v->k->module,
                                                        graph->instructions[*next].begin,
                                                        &found.source);
        if (!figures)
            continue;
        found.share += isfinite(figures->time_share) ? figures->time_share : 0;
        found.live = figures->live_registers > found.live ? figures->live_registers : found.live;
    }
    return found;
}

static void put_ptx_row(CodeView *v, const LineFigures *figures, ptxlint_place place)
{
    const HtmlKernel *k = v->k;
    Out *out = k->out;
    const uint32_t file = figures->has_source ? file_number(v, figures->source.path) : FILES_MAX;
    const uint32_t length = place.line_end - place.line_begin;
    ptx_out_format(out, "<tr id=\"k%u-l%u\"", k->number, place.line);
    if (file < FILES_MAX)
        ptx_out_format(out, " data-s=\"%u-%u\"><td>%u<td><a href=\"#k%u-s%u-%u\">%u</a>", file,
                       figures->source.line, place.line, k->number, file, figures->source.line,
                       figures->source.line);
    else
        ptx_out_format(out, "><td>%u<td>", place.line);
    put_share_cell(out, figures->share);
    if (figures->live != PTXLINT_UNKNOWN && figures->has_instruction)
        ptx_out_format(out, "<td>%lld<td>", (long long)figures->live);
    else
        ptx_out_text(out, "<td><td>");
    ptx_markup_bytes(out, v->text + place.line_begin,
                     length < CODE_BYTES_MAX ? length : CODE_BYTES_MAX);
    ptx_out_text(out, "\n");
}

static ptxlint_place line_behind(const ptxlint_module *module, ptxlint_place place, uint32_t length)
{
    uint32_t at = place.line_end;
    const char *text = ptxlint_module_get_info(module)->text;
    at += at < length && text[at] == '\r';
    at += at < length && text[at] == '\n';
    return ptxlint_module_place(module, at);
}

static void put_ptx_rows(CodeView *v)
{
    const HtmlKernel *k = v->k;
    const ptxlint_span span = k->kernel->span;
    size_t next = 0;
    uint32_t shown = 0;
    ptxlint_place place = ptxlint_module_place(k->module, span.begin);
    for (; shown < HTML_LINES_MAX && *k->lines_left; shown++, --*k->lines_left) {
        const LineFigures figures = take_ptx_line(v, &next, place.line_end + 1);
        const uint32_t line = place.line;
        put_ptx_row(v, &figures, place);
        if (place.line_end >= span.end)
            break;
        place = line_behind(k->module, place, span.end);
        if (place.line == line)
            break;
    }
}

static void put_ptx_pane(CodeView *v)
{
    const HtmlKernel *k = v->k;
    const uint32_t first = ptxlint_module_place(k->module, k->kernel->span.begin).line,
                   last = ptxlint_module_place(k->module, k->kernel->span.end).line;
    Out *out = k->out;
    ptx_out_text(out, "<div><div class=\"pane\" tabindex=\"0\" role=\"group\" aria-label=\"PTX\">"
                      "<table><thead><tr><th scope=\"col\">Line<th scope=\"col\">CUDA"
                      "<th scope=\"col\">Time, %<th scope=\"col\">Live<th scope=\"col\">PTX"
                      "</thead><tbody>\n");
    put_ptx_rows(v);
    ptx_out_text(out, "</tbody></table></div>\n");
    if (last - first >= HTML_LINES_MAX)
        ptx_out_format(out, "<p class=\"small\">The first %d of %u lines.</p>\n", HTML_LINES_MAX,
                       last - first + 1);
    ptx_out_text(out, "</div>\n");
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

static void put_cuda_row(const CodeView *v, uint32_t file, uint32_t line, const HtmlCudaLine *known,
                         const SourceFile *source)
{
    Out *out = v->k->out;
    size_t length = 0;
    const char *text = source ? ptx_source_line(source, line, &length) : NULL;
    if (known)
        ptx_out_format(out, "<tr id=\"k%u-s%u-%u\" data-s=\"%u-%u\"><td>%u<td><a "
                            "href=\"#k%u-l%u\">%u</a>",
                       v->k->number, file, line, file, line, line, v->k->number, known->ptx_line,
                       known->ptx_line);
    else
        ptx_out_format(out, "<tr><td>%u<td>", line);
    put_share_cell(out, known ? known->share : (double)NAN);
    ptx_out_text(out, "<td>");
    if (text)
        ptx_markup_bytes(out, text, length < CODE_BYTES_MAX ? length : CODE_BYTES_MAX);
    ptx_out_text(out, "\n");
}

/* Lines that are known, with a few around them where the source can be read. */
static void put_cuda_rows(const CodeView *v, uint32_t file, const SourceFile *source,
                          uint32_t *shown)
{
    uint32_t next = 0;
    for (size_t i = 0; i < v->line_count && *shown < HTML_LINES_MAX; i++) {
        const HtmlCudaLine *known = &v->lines[i];
        if (known->file != file)
            continue;
        uint32_t line = known->line;
        if (source && line > CONTEXT_LINES)
            line -= CONTEXT_LINES;
        if (source && next + CONTEXT_LINES >= line)
            line = next;
        else if (next)
            ptx_out_text(v->k->out, "<tr><td>\342\213\256<td><td><td>\n");
        line = line < 1 ? 1 : line;
        for (; line < known->line && *shown < HTML_LINES_MAX; line++, ++*shown)
            put_cuda_row(v, file, line, NULL, source);
        put_cuda_row(v, file, known->line, known, source);
        ++*shown;
        next = known->line + 1;
    }
}

static void put_cuda_file(const CodeView *v, uint32_t file, uint32_t *shown)
{
    Out *out = v->k->out;
    SourceFile *source = NULL;
    const char *path = ptxlint_module_get_info(v->k->module)->path;
    bool is_open = ptx_sources_open(&v->k->locator->sources, v->files[file], path, &source)
                       == PTXLINT_OK
                   && source->bytes;
    ptx_out_text(out, "<tr><td><td><td><td><b>");
    ptx_markup_text(out, v->files[file]);
    ptx_out_text(out, is_open ? "</b>\n" : "</b> (not read: --source-root)\n");
    put_cuda_rows(v, file, is_open ? source : NULL, shown);
}

static void put_cuda_pane(const CodeView *v)
{
    Out *out = v->k->out;
    uint32_t shown = 0;
    ptx_out_text(out, "<div><div class=\"pane\" tabindex=\"0\" role=\"group\" "
                      "aria-label=\"CUDA\"><table><thead><tr>"
                      "<th scope=\"col\">Line<th scope=\"col\">PTX<th scope=\"col\">Time, %"
                      "<th scope=\"col\">CUDA</thead><tbody>\n");
    for (uint32_t f = 0; f < v->file_count; f++)
        put_cuda_file(v, f, &shown);
    ptx_out_text(out, "</tbody></table></div></div>\n");
}

/* ---- live registers -------------------------------------------------------------------------- */

enum { STRIP_WIDTH = 960, STRIP_HEIGHT = 84, STRIP_LEFT = 34, STRIP_BOTTOM = 18, STRIP_TOP = 8 };

static double strip_y(double live, double most)
{
    return STRIP_HEIGHT - STRIP_BOTTOM
           - live / most * (STRIP_HEIGHT - STRIP_BOTTOM - STRIP_TOP);
}

static int64_t live_at(const HtmlKernel *k, size_t number, bool is_wide)
{
    const ptxlint_instruction *figures = figures_at(k, number);
    if (!figures || figures->live_registers < 0)
        return 0;
    return is_wide ? 2 * figures->live_64 : figures->live_registers;
}

/* At most a few hundred steps: of instructions that share one the most counts. */
static void put_strip_area(const HtmlKernel *k, size_t count, double most, bool is_wide)
{
    enum { STEPS_MAX = 480 };
    const size_t step = (count + STEPS_MAX - 1) / STEPS_MAX;
    const double width = (double)(STRIP_WIDTH - STRIP_LEFT - 8) / (double)count;
    Out *out = k->out;
    int64_t last = -1;
    ptx_out_format(out, "<path class=\"%s\" d=\"M%d %d", is_wide ? "area64" : "area", STRIP_LEFT,
                   STRIP_HEIGHT - STRIP_BOTTOM);
    for (size_t i = 0; i < count; i += step) {
        int64_t live = 0;
        for (size_t j = i; j < count && j < i + step; j++)
            live = live_at(k, j, is_wide) > live ? live_at(k, j, is_wide) : live;
        if (live == last)
            continue;
        ptx_out_text(out, "H");
        ptx_out_text(out, ptx_figure_place(STRIP_LEFT + (double)i * width).text);
        ptx_out_text(out, "V");
        ptx_out_text(out, ptx_figure_place(strip_y((double)live, most)).text);
        last = live;
    }
    ptx_out_format(out, "H%dV%dz\"/>\n", STRIP_WIDTH - 8, STRIP_HEIGHT - STRIP_BOTTOM);
}

static void put_strip(const CodeView *v)
{
    const HtmlKernel *k = v->k;
    const size_t count = k->graph->instruction_count;
    Out *out = k->out;
    int64_t most = 1;
    size_t where = 0;
    for (size_t i = 0; i < count; i++)
        if (live_at(k, i, false) > most) {
            most = live_at(k, i, false);
            where = i;
        }
    const double x = STRIP_LEFT
                     + (double)where * (STRIP_WIDTH - STRIP_LEFT - 8) / (double)count;
    const uint32_t line = ptxlint_module_place(k->module,
                                               k->graph->instructions[where].begin).line;
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, STRIP_WIDTH, STRIP_HEIGHT, "Live registers along the code");
    for (int i = 0; i <= 1; i++) {
        const double y = strip_y((double)most * i, (double)most);
        ptx_html_line(out, "gridline", (double[]){ STRIP_LEFT, y, STRIP_WIDTH - 8, y });
        ptx_html_label(out, "dim", "end", (double[]){ STRIP_LEFT - 4, y + 4 },
                       ptx_figure_int(most * i).text);
    }
    put_strip_area(k, count, (double)most, false);
    put_strip_area(k, count, (double)most, true);
    ptx_html_line(out, "herel", (double[]){ x, STRIP_TOP, x, STRIP_HEIGHT - STRIP_BOTTOM });
    ptx_html_label(out, "dim", "start", (double[]){ STRIP_LEFT, STRIP_HEIGHT - 4 },
                   "first instruction");
    ptx_html_label(out, "dim", "end", (double[]){ STRIP_WIDTH - 8, STRIP_HEIGHT - 4 }, "last");
    ptx_out_format(out, "</svg><figcaption>32-bit registers live at each instruction, the darker "
                        "part in 64-bit values. The most, %lld, at <a href=\"#k%u-l%u\">line "
                        "%u</a>.</figcaption></figure>\n",
                   (long long)most, k->number, line, line);
}

/* ---- all ------------------------------------------------------------------------------------- */

void ptx_html_code_part(const HtmlKernel *k)
{
    CodeView v = { .k = k, .text = ptxlint_module_get_info(k->module)->text };
    if (!k->graph || !k->graph->instruction_count)
        return;
    list_cuda_lines(&v);
    if (v.file_count)
        ptx_html_part(k, "code", "PTX and CUDA", "a line shows where it comes from");
    else
        ptx_html_part(k, "code", "PTX", "");
    if (v.has_live)
        put_strip(&v);
    if (*k->lines_left) {
        if (v.has_shares)
            ptx_out_text(k->out, "<p class=\"tools script\" hidden><button class=\"heat\" "
                                 "type=\"button\" aria-pressed=\"true\">Heat by share of "
                                 "time</button></p>\n");
        ptx_out_format(k->out, "<div class=\"panes%s\">\n", v.file_count ? "" : " single");
        put_ptx_pane(&v);
        if (v.file_count)
            put_cuda_pane(&v);
        ptx_out_text(k->out, "</div>\n");
    } else {
        ptx_out_text(k->out, "<p class=\"small\">The page has as many lines of PTX as it may; "
                             "with <code>--kernel</code> this kernel has its own.</p>\n");
    }
    ptx_html_part_end(k);
    free(v.lines);
}
