#include "report/html/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------- */

void ptx_html_part(const HtmlKernel *k, const char *name, const char *heading, const char *note)
{
    ptx_out_format(k->out, "<details class=\"part\" open id=\"k%u-%s\"><summary>"
                           "<span class=\"h\" role=\"heading\" aria-level=\"3\">%s</span>",
                   k->number, name, heading);
    if (*note) {
        ptx_out_text(k->out, "<span class=\"small\">");
        ptx_markup_text(k->out, note);
        ptx_out_text(k->out, "</span>");
    }
    ptx_out_text(k->out, "</summary><div>\n");
}

void ptx_html_part_end(const HtmlKernel *k)
{
    ptx_out_text(k->out, "</div></details>\n");
}

Figure ptx_html_time(double us)
{
    Figure f = { "unknown" };
    if (!isfinite(us))
        return f;
    const bool is_long = us >= 1000;
    const Figure plain = ptx_figure_short(is_long ? us / 1000 : us);
    snprintf(f.text, sizeof f.text, "%.24s %s", plain.text, is_long ? "ms" : "\302\265s");
    return f;
}

void ptx_html_number(Out *out, const char *name, double number)
{
    ptx_out_text(out, " ");
    ptx_out_text(out, name);
    ptx_out_text(out, "=\"");
    ptx_out_text(out, ptx_figure_place(number).text);
    ptx_out_text(out, "\"");
}

void ptx_html_rect(Out *out, const char *kind, const double place[4])
{
    ptx_out_format(out, "<rect class=\"%s\"", kind);
    ptx_html_number(out, "x", place[0]);
    ptx_html_number(out, "y", place[1]);
    ptx_html_number(out, "width", fmax(place[2], 0));
    ptx_html_number(out, "height", fmax(place[3], 0));
    ptx_out_text(out, "/>");
}

void ptx_html_line(Out *out, const char *kind, const double place[4])
{
    ptx_out_format(out, "<path class=\"%s\" d=\"M", kind);
    for (int i = 0; i < 4; i++) {
        ptx_out_text(out, ptx_figure_place(place[i]).text);
        ptx_out_text(out, i == 1 ? "L" : " ");
    }
    ptx_out_text(out, "\"/>");
}

void ptx_html_label(Out *out, const char *kind, const char *anchor, const double place[2],
                    const char *text)
{
    ptx_out_text(out, "<text");
    if (*kind)
        ptx_out_format(out, " class=\"%s\"", kind);
    if (strcmp(anchor, "start") != 0)
        ptx_out_format(out, " text-anchor=\"%s\"", anchor);
    ptx_html_number(out, "x", place[0]);
    ptx_html_number(out, "y", place[1]);
    ptx_out_text(out, ">");
    ptx_markup_text(out, text);
    ptx_out_text(out, "</text>");
}

void ptx_html_svg(Out *out, double width, double height, const char *title)
{
    ptx_out_text(out, "<svg role=\"img\"");
    ptx_html_number(out, "width", ceil(width));
    ptx_html_number(out, "height", ceil(height));
    ptx_out_text(out, " viewBox=\"0 0 ");
    ptx_out_text(out, ptx_figure_place(width).text);
    ptx_out_text(out, " ");
    ptx_out_text(out, ptx_figure_place(height).text);
    ptx_out_text(out, "\" aria-label=\"");
    ptx_markup_text(out, title);
    ptx_out_text(out, "\">");
}

/* ---- the head of a kernel -------------------------------------------------------------------- */

static void put_html_dims(Out *out, const char *what, const int64_t dims[3])
{
    if (dims[0] == PTXLINT_UNKNOWN) {
        ptx_out_format(out, "%s unknown", what);
        return;
    }
    ptx_out_format(out, "%s %s", what, ptx_figure_commas((double)dims[0]).text);
    for (int i = 1; i < 3 && (dims[1] != 1 || dims[2] != 1); i++)
        ptx_out_format(out, " \303\227 %s", ptx_figure_commas((double)dims[i]).text);
}

static void put_launch_line(const HtmlKernel *k)
{
    static const char *const words[] = { "assumed", "from directives", "given",
                                         "found beside the file" };
    const ptxlint_launch *launch = &k->kernel->launch;
    Out *out = k->out;
    ptx_out_text(out, "<p class=\"sub\">");
    if (k->projection) {
        const ptxlint_gpu_info *gpu = ptxlint_gpu_get_info(k->projection->gpu);
        ptx_markup_text(out, *gpu->product ? gpu->product : gpu->name);
        ptx_out_text(out, " \302\267 ");
    }
    put_html_dims(out, "grid", launch->grid);
    put_html_dims(out, " \302\267 block", launch->block);
    ptx_out_format(out, " (%s)", words[launch->source]);
    if (k->kernel->launch_count > 1)
        ptx_out_format(out, " \302\267 launch %u of %u", k->kernel->launch_number + 1,
                       k->kernel->launch_count);
    ptx_out_text(out, "</p>\n");
    if (!launch->assumed_count)
        return;
    ptx_out_text(out, "<p class=\"sub\">Assumed: ");
    for (size_t i = 0; i < launch->assumed_count; i++) {
        ptx_out_text(out, i ? "; " : "");
        ptx_markup_text(out, launch->assumed[i]);
    }
    if (launch->assumed_options) {
        ptx_out_text(out, ". Give it by ");
        ptx_markup_text(out, launch->assumed_options);
    }
    ptx_out_text(out, "</p>\n");
}

static void put_html_name(const HtmlKernel *k)
{
    Out *out = k->out;
    const ptxlint_kernel *kernel = k->kernel;
    const char *path = ptxlint_module_get_info(k->module)->path;
    ptxlint_source_place place;
    ptx_out_format(out, "<h2 id=\"k%u-h\">", k->number);
    ptx_markup_text(out, kernel->demangled ? kernel->demangled : kernel->name);
    ptx_out_text(out, "</h2>\n<p class=\"sub\">");
    if (kernel->demangled) {
        ptx_out_text(out, "<code>");
        ptx_markup_text(out, kernel->name);
        ptx_out_text(out, "</code> \302\267 ");
    }
    ptx_markup_text(out, path);
    ptx_out_format(out, ":%u", ptxlint_module_place(k->module, kernel->name_span.begin).line);
    if (k->graph && k->graph->instruction_count
        && ptxlint_module_source_at(k->module, k->graph->instructions[0].begin, &place)) {
        ptx_out_text(out, " \302\267 ");
        ptx_markup_text(out, place.path);
        ptx_out_format(out, ":%u", place.line);
    }
    ptx_out_text(out, "</p>\n");
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void put_tile(Out *out, const char *what, const char *value, const char *note)
{
    ptx_out_text(out, "<div><p>");
    ptx_out_text(out, what);
    ptx_out_text(out, "</p><p class=\"value\">");
    ptx_markup_text(out, value);
    ptx_out_text(out, "</p>");
    if (note && *note) {
        ptx_out_text(out, "<p>");
        ptx_markup_text(out, note);
        ptx_out_text(out, "</p>");
    }
    ptx_out_text(out, "</div>\n");
}

static void put_time_tiles(const HtmlKernel *k)
{
    const ptxlint_projection *p = k->projection;
    const ptxlint_time *time = &p->time;
    char note[256] = "";
    if (isfinite(time->low_us))
        snprintf(note, sizeof note, "%s to %s in nine of ten such launches",
                 ptx_html_time(time->low_us).text, ptx_html_time(time->high_us).text);
    put_tile(k->out, "Predicted time", ptx_html_time(time->predicted_us).text,
             *note ? note : ptx_why_estimate(p));
    snprintf(note, sizeof note, "no launch is faster%s%.60s",
             ptx_text_if(time->bound_by, ": held by "), ptx_text_or(time->bound_by, ""));
    put_tile(k->out, "Lower bound", ptx_html_time(time->bound_us).text,
             isfinite(time->bound_us) ? note : time->bound_why);
    put_tile(k->out, "Limiter", ptx_text_or(time->limiter, "unknown"), p->bottleneck.advice);
}

static void put_register_tile(const HtmlKernel *k)
{
    const ptxlint_projection *p = k->projection;
    char note[160] = "";
    if (p->register_source == PTXLINT_REGISTERS_PTXAS)
        snprintf(note, sizeof note, "as ptxas says");
    else if (p->registers_low > 0)
        snprintf(note, sizeof note, "estimate, %s to %s; spills %s",
                 ptx_figure_int(p->registers_low).text, ptx_figure_int(p->registers_high).text,
                 ptx_report_spills(p));
    put_tile(k->out, "Registers a thread", ptx_figure_int(p->registers).text, note);
}

static void put_occupancy_tiles(const HtmlKernel *k)
{
    const ptxlint_projection *p = k->projection;
    const ptxlint_occupancy *o = &p->occupancy;
    char value[80], note[200];
    if (isfinite(o->percent)) {
        snprintf(value, sizeof value, "%s %%", ptx_figure_short(o->percent).text);
        snprintf(note, sizeof note, "%s blocks an SM; limited by %.40s",
                 ptx_figure_int(o->blocks_per_sm).text, o->limiter);
        put_tile(k->out, "Occupancy", value, note);
    } else {
        put_tile(k->out, "Occupancy", "unknown", o->error ? o->error : ptx_why_occupancy(p));
    }
    put_register_tile(k);
    snprintf(note, sizeof note, "dynamic: %s",
             p->resources.dynamic_shared_bytes < 0
                 ? "unknown"
                 : ptx_figure_commas((double)p->resources.dynamic_shared_bytes).text);
    snprintf(value, sizeof value, "%s",
             p->resources.static_shared_bytes < 0
                 ? "unknown"
                 : ptx_figure_commas((double)p->resources.static_shared_bytes).text);
    put_tile(k->out, "Static shared bytes", value, note);
    if (isfinite(p->waves)) {
        snprintf(note, sizeof note, "SMs are %s %% used over all of them",
                 ptx_figure_short(p->utilisation_percent).text);
        put_tile(k->out, "Waves", ptx_figure_commas(p->waves).text,
                 isfinite(p->utilisation_percent) ? note : "");
    }
}

static void put_tiles(const HtmlKernel *k)
{
    ptx_out_text(k->out, "<div class=\"tiles\">\n");
    if (k->projection) {
        put_time_tiles(k);
        put_occupancy_tiles(k);
    } else {
        put_tile(k->out, "Figures", "unknown", ptx_why_no_gpu());
    }
    ptx_out_text(k->out, "</div>\n");
}

/* ---- loops and GPUs -------------------------------------------------------------------------- */

static void put_ratio(Out *out, double ratio)
{
    ptx_out_format(out, "<td class=\"n\">%s</td>",
                   isfinite(ratio) ? ptx_figure_short(ratio).text : "");
}

static void put_html_loop(const HtmlKernel *k, const ptxlint_loop *loop)
{
    Out *out = k->out;
    const uint32_t line = ptxlint_module_place(k->module, loop->header.begin).line;
    const ptxlint_parallelism *parallel = loop->parallelism;
    ptx_out_format(out, "<tr><td><a href=\"#k%u-l%u\">", k->number, line);
    for (uint32_t d = 1; d < loop->depth && d < 6; d++)
        ptx_out_text(out, "\302\240\302\240");
    ptx_out_format(out, "line %u</a>", line);
    if (loop->source.path) {
        ptx_out_text(out, " \302\267 ");
        ptx_markup_text(out, ptx_path_last(loop->source.path));
        ptx_out_format(out, ":%u", loop->source.line);
    }
    const bool is_known = !isnan(loop->trip.count);
    ptx_out_format(out, "</td><td class=\"n\">%s</td><td>",
                   is_known ? ptx_figure_commas(loop->trip.count).text : "");
    ptx_markup_text(out, ptx_text_or(loop->trip.expression, ""));
    ptx_out_format(out, "</td><td>%s</td>",
                   is_known ? ptx_report_certainty(loop->trip.certainty) : "unknown");
    put_ratio(out, parallel ? parallel->ilp : (double)NAN);
    put_ratio(out, parallel ? parallel->mlp : (double)NAN);
    ptx_out_text(out, "</tr>\n");
}

static void put_loops_part(const HtmlKernel *k)
{
    enum { LOOPS_MAX = 60 };
    const size_t count = k->kernel->loop_count;
    if (!count)
        return;
    ptx_html_part(k, "loops", "Loops", "");
    ptx_out_text(k->out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Loop</th>"
                         "<th scope=\"col\" class=\"n\">Trips</th><th scope=\"col\">As</th>"
                         "<th scope=\"col\">Certainty</th><th scope=\"col\" class=\"n\">ILP</th>"
                         "<th scope=\"col\" class=\"n\">MLP</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count && i < LOOPS_MAX; i++)
        put_html_loop(k, &k->kernel->loops[i]);
    ptx_out_text(k->out, "</tbody></table></div>\n");
    if (count > LOOPS_MAX)
        ptx_out_format(k->out, "<p class=\"small\">%zu more loops are not shown.</p>\n",
                       count - LOOPS_MAX);
    ptx_html_part_end(k);
}

static void put_flow_part(const HtmlKernel *k)
{
    Picture picture;
    char link[32];
    ptxlint_status status = PTXLINT_BAD_ARGUMENT;
    if (k->graph)
        status = ptx_picture_make(k->module, k->kernel, k->graph, &picture);
    if (status == PTXLINT_NO_MEMORY)
        k->out->status = status;
    if (status != PTXLINT_OK)
        return;
    ptx_html_part(k, "flow", "Control flow",
                  "basic blocks by their share of the time; blue: loops; dashed: lanes diverge");
    ptx_out_text(k->out, "<div class=\"flow\" tabindex=\"0\" role=\"group\" "
                         "aria-label=\"Control flow\">");
    snprintf(link, sizeof link, "#k%u-l", k->number);
    ptx_svg_picture(k->out, &picture, link);
    ptx_out_text(k->out, "</div>\n");
    if (picture.omitted)
        ptx_out_format(k->out, "<p class=\"small\">%u more blocks are not drawn; "
                               "<code>ptxlint graph --format json</code> has all.</p>\n",
                       picture.omitted);
    ptx_picture_free(&picture);
    ptx_html_part_end(k);
}

static void put_fission_row(const HtmlKernel *k, const char *what,
                            const ptxlint_fission_figures *f)
{
    ptx_out_text(k->out, "<tr><td>");
    ptx_markup_text(k->out, what);
    ptx_out_format(k->out, "</td><td class=\"n\">%" PRId64 "</td><td class=\"n\">%" PRId64 " to %"
                           PRId64 "</td><td class=\"n\">%" PRId64 "</td><td class=\"n\">%.1f %%"
                           "</td></tr>\n", f->registers, f->registers_low, f->registers_high,
                   f->max_live, f->occupancy_percent);
}

static void put_fission_table(const HtmlKernel *k, const ptxlint_fission *of)
{
    ptx_out_text(k->out, "<table><thead><tr><th scope=\"col\">Parts that could be "
                         "kernels</th><th scope=\"col\" class=\"n\">Registers</th>"
                         "<th scope=\"col\" class=\"n\">Band</th>"
                         "<th scope=\"col\" class=\"n\">Live</th>"
                         "<th scope=\"col\" class=\"n\">Occupancy</th></tr></thead><tbody>\n");
    for (size_t p = 0; p < of->part_count; p++)
        put_fission_row(k, of->parts[p].arrays, &of->parts[p].figures);
    put_fission_row(k, "together", &of->whole);
    ptx_out_text(k->out, "</tbody></table>\n<p class=\"small\">");
    if (of->is_advised)
        ptx_out_text(k->out, "Registers limit occupancy: give each part a kernel of its own, its "
                             "loops unrolled as here.");
    else
        ptx_out_format(k->out, "No split is advised: %s.", of->why);
    ptx_out_text(k->out, "</p>\n");
}

static void put_links_picture(const HtmlKernel *k, const Picture *picture,
                              const ptxlint_fission *fission)
{
    char link[32];
    ptx_html_part(k, "computes", "What it computes",
                  "blue: an index is needed; solid: a value; dashed: a condition");
    ptx_out_text(k->out, "<div class=\"flow\" tabindex=\"0\" role=\"group\" "
                         "aria-label=\"What it computes\">");
    snprintf(link, sizeof link, "#k%u-l", k->number);
    ptx_svg_picture(k->out, picture, link);
    ptx_out_text(k->out, "</div>\n");
    if (picture->omitted)
        ptx_out_format(k->out, "<p class=\"small\">%u more rows are not drawn; "
                               "<code>ptxlint graph --format json</code> has all.</p>\n",
                       picture->omitted);
    if (fission)
        put_fission_table(k, fission);
    ptx_html_part_end(k);
}

static void put_links_part(const HtmlKernel *k)
{
    Picture picture;
    ptxlint_recognition *of;
    ptxlint_status status = ptxlint_recognition_new_linked(k->module, k->kernel, &of);
    if (status == PTXLINT_OK)
        status = ptx_picture_of_links(k->module, k->kernel, of, &picture);
    if (status == PTXLINT_OK) {
        put_links_picture(k, &picture, ptxlint_recognition_fission(of));
        ptx_picture_free(&picture);
    }
    ptxlint_recognition_free(of);
    if (status == PTXLINT_NO_MEMORY)
        k->out->status = status;
}

static void put_html_gpu(Out *out, const ptxlint_projection *p)
{
    ptx_out_text(out, "<tr><td>");
    ptx_markup_text(out, ptxlint_gpu_get_info(p->gpu)->name);
    ptx_out_format(out, "</td><td class=\"n\">%s</td>", ptx_html_time(p->time.predicted_us).text);
    ptx_out_format(out, "<td class=\"n\">%s</td><td>", ptx_html_time(p->time.bound_us).text);
    ptx_markup_text(out, p->time.limiter ? p->time.limiter : "unknown");
    ptx_out_format(out, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
                   ptx_figure_short(p->occupancy.percent).text, ptx_figure_int(p->registers).text);
}

static void put_gpus_part(const HtmlKernel *k)
{
    if (k->kernel->projection_count < 2)
        return;
    ptx_html_part(k, "gpus", "All GPUs", "the other parts are for the first");
    ptx_out_text(k->out, "<table><thead><tr><th scope=\"col\">GPU</th>"
                         "<th scope=\"col\" class=\"n\">Time</th>"
                         "<th scope=\"col\" class=\"n\">Lower bound</th>"
                         "<th scope=\"col\">Limiter</th>"
                         "<th scope=\"col\" class=\"n\">Occupancy, %</th>"
                         "<th scope=\"col\" class=\"n\">Registers</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < k->kernel->projection_count; i++)
        put_html_gpu(k->out, &k->kernel->projections[i]);
    ptx_out_text(k->out, "</tbody></table>\n");
    ptx_html_part_end(k);
}

void ptx_html_write_kernel(const HtmlKernel *k)
{
    ptx_out_format(k->out, "<section class=\"kernel\" id=\"k%u\" aria-labelledby=\"k%u-h\">\n",
                   k->number, k->number);
    put_html_name(k);
    put_launch_line(k);
    put_tiles(k);
    ptx_html_findings_part(k);
    if (k->projection) {
        ptx_html_time_part(k);
        ptx_html_occupancy_part(k);
    }
    put_gpus_part(k);
    put_loops_part(k);
    ptx_html_code_part(k);
    put_flow_part(k);
    put_links_part(k);
    ptx_html_accesses_part(k);
    ptx_out_text(k->out, "</section>\n");
}
