#include "report/html/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where the time goes --------------------------------------------------------------------- */

enum { TIME_WIDTH = 640, TIME_LEFT = 110, TIME_RIGHT = 80, TIME_ROW = 22 };

static double time_x(double us, double most)
{
    return TIME_LEFT + us / most * (TIME_WIDTH - TIME_LEFT - TIME_RIGHT);
}

static int compare_parts(const void *left, const void *right)
{
    const ptxlint_time_part *a = left, *b = right;
    return a->us > b->us ? -1 : a->us < b->us;
}

static double longest_time(const ptxlint_time *time)
{
    double most = fmax(time->high_us, fmax(time->predicted_us, time->bound_us));
    for (size_t i = 0; i < time->part_count; i++)
        most = fmax(most, time->parts[i].us);
    return most > 0 ? most : 1;
}

static void put_prediction(Out *out, const ptxlint_time *time, double most)
{
    const double low = time_x(time->low_us, most), high = time_x(time->high_us, most),
                 here = time_x(time->predicted_us, most), bound = time_x(time->bound_us, most);
    ptx_html_label(out, "", "end", (double[]){ TIME_LEFT - 8, 19 }, "predicted");
    if (isfinite(time->low_us))
        ptx_html_rect(out, "band", (double[]){ low, 8, high - low, 16 });
    ptx_html_line(out, "predl", (double[]){ here, 4, here, 28 });
    if (isfinite(time->bound_us))
        ptx_html_line(out, "boundl", (double[]){ bound, 4, bound, 28 });
    ptx_html_label(out, "", "start", (double[]){ TIME_WIDTH - TIME_RIGHT + 6, 19 },
                   ptx_html_time(time->predicted_us).text);
}

/* As the bars have it: of "l1" a typewriter makes eleven. */
static const char *part_title(const char *part)
{
    static const char *const small[] = { "l1", "l2", "dram" }, *const large[] = { "L1", "L2",
                                                                                  "DRAM" };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (!strcmp(part, small[i]))
            return large[i];
    return part;
}

static void put_part_row(Out *out, const ptxlint_time_part *part, double y, double most,
                         const char *limiter)
{
    const bool is_first = limiter && !strcmp(part->part, limiter);
    ptx_html_label(out, "", "end", (double[]){ TIME_LEFT - 8, y + 13 },
                   part_title(part->part));
    ptx_html_rect(out, "track", (double[]){ TIME_LEFT, y + 4, TIME_WIDTH - TIME_LEFT - TIME_RIGHT,
                                            11 });
    ptx_html_rect(out, is_first ? "barfill first" : "barfill",
                  (double[]){ TIME_LEFT, y + 4, time_x(part->us, most) - TIME_LEFT, 11 });
    ptx_html_label(out, "dim", "start", (double[]){ TIME_WIDTH - TIME_RIGHT + 6, y + 13 },
                   ptx_html_time(part->us).text);
}

static void put_time_chart(const HtmlKernel *k)
{
    const ptxlint_time *time = &k->projection->time;
    ptxlint_time_part parts[PTXLINT_TIME_PARTS];
    const double most = longest_time(time);
    Out *out = k->out;
    memcpy(parts, time->parts, sizeof parts);
    qsort(parts, time->part_count, sizeof *parts, compare_parts);
    size_t shown = 0;
    while (shown < time->part_count && parts[shown].us >= parts[0].us / 100)
        shown++;
    ptx_out_text(out, "<figure class=\"wide\">");
    ptx_html_svg(out, TIME_WIDTH, 36 + TIME_ROW * (double)shown + 4,
                 "Predicted time, its band, the lower bound, and what each part takes");
    put_prediction(out, time, most);
    for (size_t i = 0; i < shown; i++)
        put_part_row(out, &parts[i], 34 + TIME_ROW * (double)i, most, time->limiter);
    ptx_out_text(out, "</svg><figcaption>Red: predicted, in its band of nine in ten launches. "
                      "Green: the lower bound. Below: how long each part is busy, from a "
                      "hundredth of the longest on; parts overlap.</figcaption></figure>\n");
}

static void put_busy_row(Out *out, const char *what, double percent, double y)
{
    char text[48] = "unknown";
    if (isfinite(percent))
        snprintf(text, sizeof text, "%s %%", ptx_figure_short(percent).text);
    ptx_html_label(out, "", "end", (double[]){ 72, y + 13 }, what);
    ptx_html_rect(out, "track", (double[]){ 80, y + 3, 170, 12 });
    if (isfinite(percent))
        ptx_html_rect(out, "barfill", (double[]){ 80, y + 3, fmin(percent, 100) * 1.7, 12 });
    ptx_html_label(out, "", "start", (double[]){ 258, y + 13 }, text);
}

static void put_busy_figure(const HtmlKernel *k)
{
    const ptxlint_bottleneck *b = &k->projection->bottleneck;
    Out *out = k->out;
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, 320, 74, "How busy compute, memory and issue slots are");
    put_busy_row(out, "compute", b->compute_percent, 2);
    put_busy_row(out, "memory", b->memory_percent, 26);
    put_busy_row(out, "issue", b->issue_percent, 50);
    ptx_out_text(out, "</svg><figcaption>Share of the predicted time that each is busy.");
    if (isfinite(b->relieved_us) && k->projection->time.limiter) {
        ptx_out_text(out, " Without ");
        ptx_markup_text(out, k->projection->time.limiter);
        ptx_out_format(out, ": %s", ptx_html_time(b->relieved_us).text);
        if (b->next) {
            ptx_out_text(out, ", then ");
            ptx_markup_text(out, b->next);
        }
        ptx_out_text(out, ".");
    }
    ptx_out_text(out, "</figcaption></figure>\n");
}

/* ---- roofline -------------------------------------------------------------------------------- */

enum { ROOF_WIDTH = 380, ROOF_HEIGHT = 240, ROOF_LEFT = 52, ROOF_BOTTOM = 34, ROOF_TOP = 12 };

/* Decades of both axes. */
typedef struct RoofScale { double x_low, x_high, y_low, y_high; } RoofScale;

static double roof_x(const RoofScale *s, double intensity)
{
    const double share = (log10(intensity) - s->x_low) / (s->x_high - s->x_low);
    return ROOF_LEFT + fmin(fmax(share, 0), 1) * (ROOF_WIDTH - ROOF_LEFT - 12);
}

static double roof_y(const RoofScale *s, double gflops)
{
    const double share = (log10(gflops) - s->y_low) / (s->y_high - s->y_low),
                 height = ROOF_HEIGHT - ROOF_BOTTOM - ROOF_TOP;
    return ROOF_HEIGHT - ROOF_BOTTOM - fmin(fmax(share, 0), 1) * height;
}

static RoofScale roof_scale(const ptxlint_roofline *roof, const ptxlint_peak *peak)
{
    RoofScale s;
    s.x_low = fmin(-2, floor(log10(roof->flops_per_byte)));
    s.x_high = fmax(3, ceil(log10(roof->flops_per_byte)));
    s.y_high = ceil(log10(fmax(peak->peak_gflops, roof->attainable_gflops)) + 0.1);
    s.y_low = fmin(s.y_high - 4, floor(log10(fmax(roof->predicted_gflops, 1e-3))));
    return s;
}

static void put_roof_axes(Out *out, const RoofScale *s)
{
    const double bottom = ROOF_HEIGHT - ROOF_BOTTOM;
    for (double x = s->x_low; x <= s->x_high; x++) {
        const double at = roof_x(s, pow(10, x));
        ptx_html_line(out, "gridline", (double[]){ at, ROOF_TOP, at, bottom });
        ptx_html_label(out, "dim", "middle", (double[]){ at, bottom + 13 },
                       ptx_figure_short(pow(10, x)).text);
    }
    for (double y = s->y_low; y <= s->y_high; y++) {
        const double at = roof_y(s, pow(10, y));
        ptx_html_line(out, "gridline", (double[]){ ROOF_LEFT, at, ROOF_WIDTH - 12, at });
        ptx_html_label(out, "dim", "end", (double[]){ ROOF_LEFT - 4, at + 4 },
                       ptx_figure_commas(pow(10, y)).text);
    }
    ptx_html_label(out, "dim", "middle", (double[]){ ROOF_WIDTH / 2.0, ROOF_HEIGHT - 4 },
                   "flops a byte of memory");
    ptx_html_label(out, "dim", "start", (double[]){ ROOF_LEFT + 4, ROOF_TOP + 10 }, "GFLOP/s");
}

/* The slope of memory up to a ceiling of compute, and the ceiling from there on. */
static void put_roof(Out *out, const RoofScale *s, double bandwidth, double ceiling,
                     const char *kind)
{
    const double ridge = ceiling / bandwidth, start = pow(10, s->x_low);
    const double left = fmax(start, pow(10, s->y_low) / bandwidth);
    if (!(ridge > left))
        return;
    ptx_html_line(out, kind, (double[]){ roof_x(s, left), roof_y(s, left * bandwidth),
                                         roof_x(s, ridge), roof_y(s, ceiling) });
    ptx_html_line(out, kind, (double[]){ roof_x(s, ridge), roof_y(s, ceiling), ROOF_WIDTH - 12,
                                         roof_y(s, ceiling) });
}

/* Of fp32, and the one that holds the launch. */
static void put_roofs(Out *out, const RoofScale *s, const ptxlint_peak *peak, const char *own)
{
    put_roof(out, s, peak->memory_gb_per_s, peak->peak_gflops, "roof");
    ptx_html_label(out, "", "end",
                   (double[]){ ROOF_WIDTH - 14, roof_y(s, peak->peak_gflops) - 4 }, "fp32 fma");
    for (size_t i = 0; i < peak->ceiling_count; i++) {
        const ptxlint_ceiling *c = &peak->ceilings[i];
        bool is_memory = !strcmp(c->name, "memory") || !strcmp(c->name, "l2");
        if (is_memory || !own || strcmp(c->name, own) != 0 || !(c->gflops > 0)
            || fabs(c->gflops - peak->peak_gflops) < 1)
            continue;
        put_roof(out, s, peak->memory_gb_per_s, c->gflops, "roof2");
        ptx_html_label(out, "dim", "end", (double[]){ ROOF_WIDTH - 14, roof_y(s, c->gflops) + 12 },
                       c->name);
    }
}

static void put_roof_point(Out *out, const RoofScale *s, const ptxlint_roofline *roof)
{
    const double x = roof_x(s, roof->flops_per_byte), y = roof_y(s, roof->predicted_gflops);
    if (isfinite(roof->attainable_gflops))
        ptx_html_line(out, "herel", (double[]){ x, y, x, roof_y(s, roof->attainable_gflops) });
    ptx_out_text(out, "<circle class=\"here\" r=\"5.5\"");
    ptx_html_number(out, "cx", x);
    ptx_html_number(out, "cy", y);
    ptx_out_text(out, "/>");
}

static void put_roof_figure(const HtmlKernel *k)
{
    const ptxlint_roofline *roof = &k->projection->roofline;
    const ptxlint_peak *peak = &k->projection->peak;
    Out *out = k->out;
    const char *why = ptx_why_roofline(k->projection);
    bool is_known = roof->flops_per_byte > 0 && roof->predicted_gflops > 0 && peak->peak_gflops > 0
                    && peak->memory_gb_per_s > 0;
    if (!is_known) {
        ptx_out_text(out, "<p class=\"small\">No roofline: ");
        ptx_markup_text(out, why ? why : "the launch does no floating point");
        ptx_out_text(out, ".</p>\n");
        return;
    }
    const RoofScale scale = roof_scale(roof, peak);
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, ROOF_WIDTH, ROOF_HEIGHT, "Roofline of the launch");
    put_roof_axes(out, &scale);
    put_roofs(out, &scale, peak, roof->ceiling);
    put_roof_point(out, &scale, roof);
    ptx_out_format(out, "</svg><figcaption>Roofline: %s GFLOP/s predicted",
                   ptx_figure_commas(roof->predicted_gflops).text);
    if (isfinite(roof->attainable_gflops))
        ptx_out_format(out, ", %s attainable", ptx_figure_commas(roof->attainable_gflops).text);
    ptx_out_format(out, " at %s flops a byte (%s).</figcaption></figure>\n",
                   ptx_figure_short(roof->flops_per_byte).text,
                   ptx_report_certainty(roof->certainty));
}

void ptx_html_time_part(const HtmlKernel *k)
{
    const ptxlint_time *time = &k->projection->time;
    char note[160] = "";
    if (time->limiter)
        snprintf(note, sizeof note, "limited by %.60s", time->limiter);
    ptx_html_part(k, "time", "Time", note);
    ptx_out_text(k->out, "<div class=\"charts\">\n");
    if (isfinite(time->predicted_us) && time->part_count) {
        put_time_chart(k);
        ptx_out_text(k->out, "<div>\n");
        put_roof_figure(k);
        put_busy_figure(k);
        ptx_out_text(k->out, "</div>\n");
    } else {
        const char *why = ptx_why_estimate(k->projection);
        ptx_out_text(k->out, "<p class=\"small\">No time is predicted: ");
        ptx_markup_text(k->out, why ? why : "the launch is not known");
        ptx_out_text(k->out, ".</p>\n");
    }
    ptx_out_text(k->out, "</div>\n");
    ptx_html_part_end(k);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

enum { CURVE_WIDTH = 300, CURVE_HEIGHT = 150, CURVE_LEFT = 34, CURVE_BOTTOM = 32, CURVE_TOP = 8 };

typedef struct OccupancyAxis {
    const char *title;
    int64_t first, last, step;
    int64_t here;               /* PTXLINT_UNKNOWN: not on it */
} OccupancyAxis;

typedef enum Varied { VARY_REGISTERS, VARY_BLOCK, VARY_SHARED } Varied;

static double percent_with(const ptxlint_projection *p, Varied what, int64_t value)
{
    ptxlint_resources resources = p->resources;
    ptxlint_occupancy occupancy = { .size = sizeof occupancy };
    if (what == VARY_REGISTERS)
        resources.registers_per_thread = value;
    else if (what == VARY_BLOCK)
        resources.threads_per_block = value;
    else
        resources.dynamic_shared_bytes = value;
    if (ptxlint_occupancy_compute(p->gpu, &resources, &occupancy) != PTXLINT_OK)
        return (double)NAN;
    return occupancy.error ? 0 : occupancy.percent;
}

static double axis_x(const OccupancyAxis *axis, double value)
{
    return CURVE_LEFT
           + (value - (double)axis->first) / (double)(axis->last - axis->first)
                 * (CURVE_WIDTH - CURVE_LEFT - 12);
}

static double percent_y(double percent)
{
    return CURVE_HEIGHT - CURVE_BOTTOM
           - fmin(percent, 100) / 100 * (CURVE_HEIGHT - CURVE_BOTTOM - CURVE_TOP);
}

static void put_steps(Out *out, const HtmlKernel *k, const OccupancyAxis *axis, Varied what)
{
    bool is_begun = false;
    double last = (double)NAN;
    ptx_out_text(out, "<path class=\"curve\" d=\"");
    for (int64_t value = axis->first; value <= axis->last; value += axis->step) {
        const double percent = percent_with(k->projection, what, value);
        if (isnan(percent) || (percent >= last && percent <= last && value < axis->last))
            continue;
        ptx_out_text(out, is_begun ? "H" : "M");
        ptx_out_text(out, ptx_figure_place(axis_x(axis, (double)value)).text);
        ptx_out_text(out, is_begun ? "V" : " ");
        ptx_out_text(out, ptx_figure_place(percent_y(percent)).text);
        is_begun = true;
        last = percent;
    }
    ptx_out_text(out, "\"/>");
}

static void put_curve_axes(Out *out, const OccupancyAxis *axis)
{
    const double bottom = CURVE_HEIGHT - CURVE_BOTTOM;
    for (int percent = 0; percent <= 100; percent += 50) {
        const double y = percent_y(percent);
        ptx_html_line(out, "gridline", (double[]){ CURVE_LEFT, y, CURVE_WIDTH - 12, y });
        ptx_html_label(out, "dim", "end", (double[]){ CURVE_LEFT - 4, y + 4 },
                       ptx_figure_int(percent).text);
    }
    ptx_html_line(out, "axis", (double[]){ CURVE_LEFT, bottom, CURVE_WIDTH - 12, bottom });
    ptx_html_label(out, "dim", "start", (double[]){ CURVE_LEFT, bottom + 13 },
                   ptx_figure_commas((double)axis->first).text);
    ptx_html_label(out, "dim", "end", (double[]){ CURVE_WIDTH - 12, bottom + 13 },
                   ptx_figure_commas((double)axis->last).text);
    ptx_html_label(out, "dim", "middle", (double[]){ CURVE_WIDTH / 2.0, CURVE_HEIGHT - 4 },
                   axis->title);
}

static void put_occupancy_curve(const HtmlKernel *k, const OccupancyAxis *axis, Varied what)
{
    Out *out = k->out;
    char title[120];
    snprintf(title, sizeof title, "Occupancy in percent over %s", axis->title);
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, CURVE_WIDTH, CURVE_HEIGHT, title);
    put_curve_axes(out, axis);
    put_steps(out, k, axis, what);
    if (axis->here >= axis->first && axis->here <= axis->last) {
        const double x = axis_x(axis, (double)axis->here),
                     y = percent_y(percent_with(k->projection, what, axis->here));
        ptx_html_line(out, "herel", (double[]){ x, y, x, CURVE_HEIGHT - CURVE_BOTTOM });
        ptx_out_text(out, "<circle class=\"here\" r=\"5\"");
        ptx_html_number(out, "cx", x);
        ptx_html_number(out, "cy", y);
        ptx_out_text(out, "/>");
        ptx_html_label(out, "", x > CURVE_WIDTH - 60 ? "end" : "start",
                       (double[]){ x > CURVE_WIDTH - 60 ? x - 8 : x + 8, fmax(y - 6, 10) },
                       ptx_figure_commas((double)axis->here).text);
    }
    ptx_out_text(out, "</svg></figure>\n");
}

void ptx_html_occupancy_part(const HtmlKernel *k)
{
    const ptxlint_projection *p = k->projection;
    const ptxlint_resources *r = &p->resources;
    const double shared = ptxlint_gpu_value(p->gpu, "shared_per_block_optin");
    const int64_t most = shared > 0 ? (int64_t)shared : 48 << 10;
    if (!isfinite(p->occupancy.percent) && !p->occupancy.error)
        return;
    const OccupancyAxis registers = { "registers a thread", 16, 255, 1, r->registers_per_thread },
                        block = { "threads a block", 32, 1024, 32, r->threads_per_block },
                        memory = { "bytes of dynamic shared memory", 0, most, 1024,
                                   r->dynamic_shared_bytes };
    ptx_html_part(k, "occupancy", "Occupancy",
                  "percent of the warps of an SM; each curve moves one figure and keeps the rest");
    ptx_out_text(k->out, "<div class=\"charts\">\n");
    put_occupancy_curve(k, &registers, VARY_REGISTERS);
    put_occupancy_curve(k, &block, VARY_BLOCK);
    put_occupancy_curve(k, &memory, VARY_SHARED);
    ptx_out_text(k->out, "</div>\n");
    ptx_html_part_end(k);
}
