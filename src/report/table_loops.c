/* The table of loops: how often each runs, what an iteration costs, and what share of it is
 * multiply-adds. */
#include "report/report.h"
#include "support/minmax.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DETAIL_INDENT = 13 };    /* of the lines below a row: under the label */

/* Of 8 instructions: 1/8 12.5 % */
static void put_loop_mix(Out *out, const ptxlint_mix *mix)
{
    uint64_t all = mix->instruction_count, fused = mix->fused_count;
    uint64_t divisor = fused ? ptx_u64_divisor(all, fused) : 1;
    ptx_out_format(out, "%6" PRIu64 "  ", all);
    if (fused)
        ptx_out_format(out, "%" PRIu64 "/%" PRIu64 " %s\n", fused / divisor, all / divisor,
                       ptx_figure_percent((double)fused, (double)all).text);
    else
        ptx_out_text(out, "0\n");
}

static Figure figure_trips(double count)
{
    enum { MOST_SHOWN = 10 * 1000 * 1000 };
    return count < MOST_SHOWN && count == floor(count) ? ptx_figure_fixed(count, 0)
                                                    : ptx_figure_short(count);
}

/* The cheapest way through the body: clocks of the pipe that it holds longest. */
static void put_iteration(Out *out, const ptxlint_cycles *cycles)
{
    const char *pipe = cycles ? cycles->bound_shortest : NULL;
    double most = (double)NAN;
    for (size_t i = 0; pipe && i < cycles->pipe_count; i++)
        if (!strcmp(cycles->pipes[i].pipe, pipe))
            most = cycles->pipes[i].shortest;
    ptx_out_format(out, " %7s  ", pipe ? ptx_figure_fixed(most, 2).text : "unknown");
    ptx_out_padded(out, pipe ? pipe : "unknown", 8);
}

static const char *source_words(ptxlint_trip_source source)
{
    switch (source) {
    case PTXLINT_TRIP_CODE:     return "from the code";
    case PTXLINT_TRIP_LAUNCH:   return "from the launch";
    case PTXLINT_TRIP_USER:     return "as given";
    case PTXLINT_TRIP_SYMBOLIC: return "symbolic";
    case PTXLINT_TRIP_UNKNOWN:  break;
    }
    return NULL;
}

static void put_induction(Line *line, const ptxlint_trip *trip)
{
    if (!trip->induction || !trip->start || !trip->bound)
        return;
    ptx_line_words(line, ": ");
    ptx_line_words(line, trip->induction);
    ptx_line_words(line, " from ");
    ptx_line_words(line, trip->start);
    if (trip->step != PTXLINT_UNKNOWN && trip->step)    /* 0: it is not a constant */
        ptx_line_format(line, " by %" PRId64, trip->step);
    ptx_line_words(line, " to ");
    ptx_line_words(line, trip->bound);
}

static void put_trip_range(Line *line, const ptxlint_trip *trip)
{
    if (trip->count_min < trip->count_max)
        ptx_line_format(line, "; %s to %s among threads", figure_trips(trip->count_min).text,
                        figure_trips(trip->count_max).text);
    if (trip->certainty == PTXLINT_BOUND)
        ptx_line_words(line, "; another exit may leave earlier");
}

/* Why the number of trips is what it is, or why it is not known. */
static void put_trip_cell(Out *out, const ptxlint_trip *trip)
{
    const char *source = source_words(trip->source);
    Line line = { .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT + 2 };
    if (!source && !trip->why)
        return;
    ptx_out_repeat(out, ' ', DETAIL_INDENT);
    ptx_line_words(&line, "trips ");
    if (!source) {
        ptx_line_words(&line, "unknown: ");
        ptx_line_words(&line, trip->why);
    } else {
        ptx_line_words(&line, trip->expression ? trip->expression : figure_trips(trip->count).text);
        put_induction(&line, trip);
        ptx_line_format(&line, " (%s)", source);
        put_trip_range(&line, trip);
    }
    ptx_line_end(&line);
}

static void put_parallelism(Out *out, const ptxlint_parallelism *p)
{
    Line line = { .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT + 2 };
    if (!p || p->certainty == PTXLINT_NOT_KNOWN)
        return;
    ptx_out_repeat(out, ' ', DETAIL_INDENT);
    ptx_table_parallelism(&line, p);
    ptx_line_end(&line);
}

static Figure figure_rate(double rate)
{
    return rate < 1000 ? ptx_figure_fixed(rate, 2) : ptx_figure_short(rate);
}

/* What the issue rate allows of this body, whatever waits, and what it asks of memory then. */
static void put_loop_peak(Out *out, const ptxlint_mix *mix, const ptxlint_peak *peak)
{
    Line line = { .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT + 2 };
    if (!peak || !isfinite(peak->issue_gops) || !(peak->potential_gflops > 0))
        return;
    ptx_out_repeat(out, ' ', DETAIL_INDENT);
    ptx_line_format(&line, "potential %s GFLOPS", figure_rate(peak->potential_gflops).text);
    if (peak->demand_gb_per_s > 0)
        ptx_line_format(&line, ", demand %s of %s GB/s", figure_rate(peak->demand_gb_per_s).text,
                        ptx_figure_short(peak->memory_gb_per_s).text);
    if (peak->demand_gb_per_s > 0 && isfinite(peak->attainable_gflops))
        ptx_line_format(&line, ", roofline %s", figure_rate(peak->attainable_gflops).text);
    ptx_line_words(&line, mix->has_assumed_trips ? " (10 trips where unknown)" : "");
    ptx_line_end(&line);
}

static void put_loop_row(Out *out, const ptxlint_module *module, const ptxlint_loop *loop)
{
    ptx_out_format(out, "  %9" PRIu32 "  ", ptxlint_module_place(module, loop->header.begin).line);
    ptx_out_padded(out, loop->label && *loop->label ? loop->label : "(no label)", 12);
    ptx_out_format(out, "  %5" PRIu32 " %7s", loop->depth, figure_trips(loop->trip.count).text);
    put_iteration(out, loop->cycles && ptx_report_gpu(module) ? &loop->cycles[0] : NULL);
    put_loop_mix(out, &loop->mix);
    if (loop->source.path) {
        Line line = { .out = out, .column = DETAIL_INDENT, .indent = DETAIL_INDENT };
        ptx_out_repeat(out, ' ', DETAIL_INDENT);
        ptx_line_source(&line, &loop->source, "");
        ptx_line_end(&line);
    }
    if (loop->is_irreducible) {
        ptx_out_repeat(out, ' ', DETAIL_INDENT);
        ptx_out_text(out, "irreducible: it can be entered in several places\n");
    }
    put_trip_cell(out, &loop->trip);
    put_loop_peak(out, &loop->mix,
                  loop->peaks && ptx_report_gpu(module) ? &loop->peaks[0] : NULL);
    put_parallelism(out,
                    loop->parallelism && ptx_report_gpu(module) ? &loop->parallelism[0] : NULL);
}

void ptx_table_loops(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    bool has_several = ptxlint_module_get_info(module)->gpu_count > 1;
    if (!kernel->loop_count)
        return;
    ptx_put_heading(
        out,
        "  loop line  label         depth   trips  clocks  bound by insns  FMA");
    for (size_t i = 0; i < kernel->loop_count && out->status == PTXLINT_OK; i++)
        put_loop_row(out, module, &kernel->loops[i]);
    if (!has_several)
        return;
    ptx_out_text(out, "  clocks of an iteration on ");
    ptx_out_clean(out, ptx_report_gpu_name(ptx_report_gpu(module)));
    ptx_out_text(out, "\n");
}
