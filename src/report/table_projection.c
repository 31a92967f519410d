/* A kernel on one GPU: occupancy and what limits it, waves, peaks, the roofline, and the table of
 * pipes. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BEST_SHOWN = 10,            /* block sizes that reach the best occupancy */
    MAX_PIPES = 64,
    BOUND_COLUMNS = 11,         /* what holds it, behind the first of them */
    PIPE_COLUMNS = 9,           /* at least */
    ROW_COLUMNS = 15
};

/* Sectors of a request for each that its bytes need, above which the access is named. */
#define LEAST_EXCESS 1.1

typedef uint64_t PipeSet;       /* bit i: ptxlint_cycles.pipes[i] */

/* ---- occupancy ------------------------------------------------------------------------------- */

static void put_limiters(Line *line, const ptxlint_occupancy *o)
{
    for (size_t i = 0; i < o->limiter_count; i++) {
        ptx_line_words(line, i ? ", " : ", limited by ");
        ptx_line_words(line, o->limiters[i]);
    }
}

static void put_resident(Line *line, const ptxlint_projection *projection)
{
    const ptxlint_occupancy *o = &projection->occupancy;
    ptx_line_format(line, "%" PRId64 " block%s", o->blocks_per_sm,
                    ptx_plural((uint64_t)o->blocks_per_sm));
    if (o->warps_per_sm != PTXLINT_UNKNOWN)
        ptx_line_format(line, " = %" PRId64 " warps of %s = %s", o->warps_per_sm,
                        ptx_figure_number(ptxlint_gpu_value(projection->gpu, "warps_per_sm")).text,
                        ptx_figure_percent(o->percent, 100).text);
    put_limiters(line, o);
}

/* Between which numbers of blocks the truth lies, and what would have to be known. */
static void put_figure_range(Line *line, const ptxlint_kernel *kernel,
                             const ptxlint_projection *projection)
{
    const ptxlint_occupancy *o = &projection->occupancy;
    const char *separator = "; not known: ";
    const struct { const char *what; bool is_unknown; } needs[] = {
        { "block size", kernel->launch.threads_per_block == PTXLINT_UNKNOWN },
        { "registers", projection->registers == PTXLINT_UNKNOWN },
        { "shared memory (--dynamic-shared)",
          o->shared_allocated_per_block == PTXLINT_UNKNOWN },
        { "barriers", kernel->barriers == PTXLINT_UNKNOWN },
    };
    ptx_line_words(line, "unknown");
    if (o->blocks_at_most == PTXLINT_UNKNOWN)
        return;
    ptx_line_format(line, ": %s to %s blocks", ptx_figure_int(o->blocks_at_least).text,
                    ptx_figure_int(o->blocks_at_most).text);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].is_unknown) {
            ptx_line_words(line, separator);
            ptx_line_words(line, needs[i].what);
            separator = ", ";
        }
}

/* What the answer stands on. */
static void put_registers(Out *out, const ptxlint_projection *projection)
{
    if (projection->register_source == PTXLINT_REGISTERS_UNKNOWN)
        return;
    Line line = ptx_line_begin(out, "");
    ptx_line_format(&line, "for %s register%s a thread, ",
                    ptx_figure_int(projection->registers).text,
                    projection->registers == 1 ? "" : "s");
    switch (projection->register_source) {
    case PTXLINT_REGISTERS_PTXAS:
        ptx_line_words(&line, "as ptxas allocates");
        break;
    case PTXLINT_REGISTERS_MODEL:
        ptx_line_format(&line,
                        projection->registers_are_calibrated
                            ? "estimated (90 %% band %s-%s)"
                            : "a guess: not calibrated for this target (%s-%s)",
                        ptx_figure_int(projection->registers_low).text,
                        ptx_figure_int(projection->registers_high).text);
        break;
    default:
        ptx_line_words(&line, "which are live at most: ptxas may take more");
    }
    ptx_line_end(&line);
}

static void put_occupancy_row(Out *out, const ptxlint_kernel *kernel,
                              const ptxlint_projection *projection)
{
    const ptxlint_occupancy *o = &projection->occupancy;
    Line line = ptx_line_begin(out, "occupancy");
    if (o->error) {
        ptx_line_words(&line, "no block fits: ");
        ptx_line_words(&line, o->error);
    } else if (o->blocks_per_sm == PTXLINT_UNKNOWN) {
        put_figure_range(&line, kernel, projection);
    } else {
        put_resident(&line, projection);
    }
    ptx_line_end(&line);
    put_registers(out, projection);
}

static void put_spills(Out *out, const ptxlint_projection *projection)
{
    if (projection->register_source == PTXLINT_REGISTERS_MODEL
        && projection->spills > PTXLINT_SPILLS_UNLIKELY) {
        Line line = ptx_line_begin(out, "spills");
        ptx_line_format(&line, "%s: at most %s registers a thread are left",
                        ptx_report_spills(projection),
                        ptx_figure_int(projection->register_cap).text);
        ptx_line_end(&line);
    }
    if (projection->register_source != PTXLINT_REGISTERS_PTXAS)
        return;
    Line line = ptx_line_begin(out, "spills");
    ptx_line_format(&line, "%s bytes stored, %s loaded, stack %s (ptxas)",
                    ptx_figure_int(projection->spill_store_bytes).text,
                    ptx_figure_int(projection->spill_load_bytes).text,
                    ptx_figure_int(projection->stack_bytes).text);
    ptx_line_end(&line);
}

/* Blocks that each resource allows; one that the kernel does not use, or that has no limit, is left
 * out. */
static void put_limit_rows(Out *out, const ptxlint_occupancy *o)
{
    Line line = ptx_line_begin(out, "limits");
    for (size_t i = 0; i < PTXLINT_LIMITER_COUNT; i++) {
        char text[64];
        if (o->limits[i] == INT64_MAX)
            continue;
        snprintf(text, sizeof text, "%s %s", ptx_report_limits[i],
                 ptx_figure_int(o->limits[i]).text);
        ptx_line_item(&line, text);
    }
    ptx_line_words(&line, line.has_item ? "" : "unknown");
    ptx_line_end(&line);
}

/* Only where the kernel itself uses shared memory: what the system takes of each block needs no
 * setting. */
static void put_carveout(Out *out, const ptxlint_kernel *kernel, const ptxlint_occupancy *o)
{
    /* unknown is negative */
    bool has_shared = kernel->static_shared_bytes > 0 || kernel->launch.dynamic_shared_bytes > 0;
    if (!has_shared || o->carveout_bytes <= 0)
        return;
    Line line = ptx_line_begin(out, "carve-out");
    ptx_line_format(&line, "%" PRId64 " bytes of shared memory of an SM at least",
                    o->carveout_bytes);
    ptx_line_end(&line);
}

/* Of global memory: the one that takes the most sectors for those that its bytes need; NULL: none
 * takes a tenth more. */
static const ptxlint_access *find_uncoalesced(const ptxlint_kernel *kernel)
{
    const ptxlint_access *worst = NULL;
    double most = LEAST_EXCESS;
    for (size_t i = 0; i < kernel->access_count; i++) {
        const ptxlint_access *access = &kernel->accesses[i];
        const double excess = access->sectors_per_request / access->ideal_sectors_per_request;
        /* NaN: not known */
        if (excess > most && isfinite(excess)) {
            most = excess;
            worst = access;
        }
    }
    return worst;
}

/* How lanes lie comes first: more warps ask for more of the same sectors. */
static void put_advice(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                       const ptxlint_occupancy *o)
{
    const char *separator = "one more block: free ";
    if (o->registers_to_free <= 0 && o->shared_to_free <= 0)            /* unknown is negative */
        return;
    Line line = ptx_line_begin(out, "advice");
    const ptxlint_access *access = find_uncoalesced(kernel);
    if (access) {
        ptx_line_format(&line, "first the access at line %" PRIu32,
                        ptxlint_module_place(module, access->span.begin).line);
        ptx_line_format(&line, ": %.1f sectors a request, its bytes need %.1f; then ",
                        access->sectors_per_request, access->ideal_sectors_per_request);
    }
    if (o->registers_to_free > 0) {
        ptx_line_format(&line, "%s%" PRId64 " register%s a thread", separator, o->registers_to_free,
                        ptx_plural((uint64_t)o->registers_to_free));
        separator = ", or ";
    }
    if (o->shared_to_free > 0)
        ptx_line_format(&line, "%s%" PRId64 " byte%s of shared memory", separator,
                        o->shared_to_free, ptx_plural((uint64_t)o->shared_to_free));
    ptx_line_end(&line);
}

static void put_best(Out *out, const ptxlint_projection *projection)
{
    ptxlint_occupancy_point points[CURVE_POINTS];
    size_t count = ptxlint_occupancy_curve(projection->gpu, &projection->resources, points,
                                           CURVE_POINTS),
           best = 0;
    double percent = (double)NAN;
    Line line;
    for (size_t i = 0; i < count; i++) {
        if (!points[i].is_best)
            continue;
        if (!best++)
            line = ptx_line_begin(out, "best blocks");
        percent = points[i].percent;
        if (best <= BEST_SHOWN)
            ptx_line_item(&line, ptx_figure_int(points[i].threads_per_block).text);
    }
    if (!best)
        return;
    if (best > BEST_SHOWN)
        ptx_line_format(&line, " and %zu more", best - BEST_SHOWN);
    ptx_line_format(&line, " threads: %s", ptx_figure_percent(percent, 100).text);
    ptx_line_end(&line);
}

/* One block of thousands is not 0 %. */
static Figure whole_percent(double percent)
{
    return percent > 0 && percent < 1 ? ptx_figure_short(percent) : ptx_figure_fixed(percent, 0);
}

static void put_waves(Out *out, const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    if (kernel->launch.blocks == PTXLINT_UNKNOWN)
        return;
    Line line = ptx_line_begin(out, "waves");
    ptx_line_words(&line, ptx_figure_short(projection->waves).text);
    if (!isfinite(projection->waves)) {
        ptx_line_words(&line, ": ");
        ptx_line_words(&line, ptx_why_waves(projection));
    }
    if (isfinite(projection->waves) && projection->full_waves != PTXLINT_UNKNOWN) {
        const char *separator = ": ";
        if (projection->full_waves) {
            ptx_line_format(&line, ": %" PRId64 " full", projection->full_waves);
            separator = ", the last one ";
        }
        if (projection->tail_blocks != PTXLINT_UNKNOWN && projection->tail_blocks)
            ptx_line_format(&line, "%s%s %% full (%" PRId64 " block%s)", separator,
                            whole_percent(projection->tail_percent).text, projection->tail_blocks,
                            ptx_plural((uint64_t)projection->tail_blocks));
        ptx_line_format(&line, ", places for blocks used %s %%",
                        whole_percent(projection->utilisation_percent).text);
    }
    ptx_line_end(&line);
}

static void put_clusters(Out *out, const ptxlint_kernel *kernel, const ptxlint_occupancy *o)
{
    if (!ptx_report_has_cluster(&kernel->launch) || o->clusters_at_most == PTXLINT_UNKNOWN)
        return;
    Line line = ptx_line_begin(out, "clusters");
    ptx_line_format(&line, "at most %" PRId64 " on the whole GPU at once", o->clusters_at_most);
    ptx_line_end(&line);
}

/* ---- peaks ----------------------------------------------------------------------------------- */

static void put_potential(Out *out, const ptxlint_kernel *kernel, const ptxlint_peak *peak)
{
    if (!isfinite(peak->potential_gflops))
        return;
    Line line = ptx_line_begin(out, "potential");
    ptx_line_format(&line, "%s GFLOPS at %s FMA", ptx_figure_short(peak->potential_gflops).text,
                    ptx_figure_percent(kernel->mix.weighted_fma_fraction, 1).text);
    ptx_line_format(&line, " (issue %s G op/s, peak %s GFLOPS)",
                    ptx_figure_short(peak->issue_gops).text,
                    ptx_figure_short(peak->peak_gflops).text);
    ptx_line_end(&line);
}

static void put_demand(Out *out, const ptxlint_peak *peak)
{
    Line line = ptx_line_begin(out, "demand");
    ptx_line_format(&line, "%s GB/s at full issue", ptx_figure_short(peak->demand_gb_per_s).text);
    if (isfinite(peak->demand_gb_per_s) && peak->memory_gb_per_s > 0)
        ptx_line_format(&line, ", %s x the %s GB/s there are",
                        ptx_figure_short(peak->demand_gb_per_s / peak->memory_gb_per_s).text,
                        ptx_figure_short(peak->memory_gb_per_s).text);
    ptx_line_end(&line);
}

static void put_ceiling_rows(Line *line, const ptxlint_peak *peak)
{
    for (size_t i = 0; i < peak->ceiling_count; i++) {
        char text[96];
        if (!isfinite(peak->ceilings[i].gflops))
            continue;
        snprintf(text, sizeof text, "%.40s %s", peak->ceilings[i].name,
                 ptx_figure_short(peak->ceilings[i].gflops).text);
        ptx_line_words(line, line->has_item ? "" : "; ceilings ");
        ptx_line_item(line, text);
    }
}

static void put_roofline(Out *out, const ptxlint_mix *mix, const ptxlint_peak *peak)
{
    Line line = ptx_line_begin(out, "roofline");
    if (!isfinite(peak->attainable_gflops) && !(peak->flops_per_byte > 0)) {
        if (mix->has_unknown_shapes)
            ptx_line_format(&line, "unknown: %s", ptx_why_flops((double)NAN));
        else
            ptx_line_words(&line, "no flops");
        ptx_line_end(&line);
        return;
    }
    if (isfinite(peak->flops_per_byte))
        ptx_line_format(&line, "%s flops per byte of a thread",
                        ptx_figure_short(peak->flops_per_byte).text);
    else
        ptx_line_words(&line, "flops per byte of a thread unknown");
    if (mix->has_assumed_trips)
        ptx_line_words(&line, " (10 trips where unknown)");
    ptx_line_format(&line, ": at most %s GFLOPS", ptx_figure_short(peak->attainable_gflops).text);
    if (peak->ceiling)
        ptx_line_format(&line, " (%s)", peak->ceiling);
    /* the bytes are those that threads access: what L1 and L2 answer is not taken off */
    if (peak->ceiling && !strcmp(peak->ceiling, "memory"))
        ptx_line_words(&line, " without reuse in caches");
    put_ceiling_rows(&line, peak);
    ptx_line_end(&line);
}

static void put_time_row(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_time *time = &projection->time;
    Line line = ptx_line_begin(out, "time");
    if (!isfinite(time->predicted_us)) {
        ptx_line_words(&line, "unknown: ");
        ptx_line_words(&line, ptx_why_estimate(projection));
        ptx_line_end(&line);
        return;
    }
    ptx_line_format(&line, "%s us predicted", ptx_figure_short(time->predicted_us).text);
    if (time->limiter)
        ptx_line_format(&line, " (limiter %s)", time->limiter);
    if (isfinite(time->bound_us))
        ptx_line_format(&line, ", at least %s", ptx_figure_short(time->bound_us).text);
    if (time->bound_by)
        ptx_line_format(&line, " (bound by %s)", time->bound_by);
    if (time->bound_why)
        ptx_line_words(&line, "; no bound: it would rest on assumed values");
    ptx_line_end(&line);
}

static void put_band(Out *out, const ptxlint_time *time)
{
    if (!isfinite(time->predicted_us) || !time->band)
        return;
    Line line = ptx_line_begin(out, "band");
    ptx_line_format(&line, "%s-%s us: 90 %% of such launches (%s)",
                    ptx_figure_short(time->low_us).text, ptx_figure_short(time->high_us).text,
                    time->band);
    if (!time->band_is_measured)
        ptx_line_words(&line, ", an H200's band, widened: this GPU was not measured");
    ptx_line_end(&line);
}

static void put_peak_row(Out *out, const ptxlint_kernel *kernel, const ptxlint_peak *peak)
{
    if (!isfinite(peak->issue_gops)) {
        Line line = ptx_line_begin(out, "peaks");
        ptx_line_words(
            &line,
            "unknown: they take SMs, clock and memory bandwidth, which a product has (--gpu h200)");
        ptx_line_end(&line);
        return;
    }
    put_potential(out, kernel, peak);
    put_demand(out, peak);
    put_roofline(out, &kernel->mix, peak);
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static double cycles_of(const ptxlint_pipe_cycles *pipe, int row)
{
    const double cycles[] = { pipe->total, pipe->longest, pipe->shortest };
    return cycles[row];
}

static bool is_positive(const ptxlint_pipe_cycles *pipe)
{
    return pipe->total > 0 || pipe->longest > 0 || pipe->shortest > 0;
}

static void mark_used(const ptxlint_cycles *cycles, size_t count, PipeSet *used)
{
    for (size_t i = 0; i < count && i < cycles->pipe_count && i < MAX_PIPES; i++)
        if (is_positive(&cycles->pipes[i]))
            *used |= (PipeSet)1 << i;
}

/* The pipes that the kernel or a loop in it is known to use: past a loop of unknown trips nothing
 * more is known of the kernel. */
static PipeSet used_pipes(const ptxlint_kernel *kernel)
{
    const ptxlint_cycles *cycles = &kernel->projections[0].cycles;
    PipeSet used = 0;
    mark_used(cycles, cycles->pipe_count, &used);
    for (size_t i = 0; i < kernel->loop_count; i++)
        if (kernel->loops[i].cycles)
            mark_used(&kernel->loops[i].cycles[0], cycles->pipe_count, &used);
    return used;
}

/* Pipes are rarely held for anything but quarters of a clock: two decimals, or one where that is
 * all there is. */
static int decimals_of(const ptxlint_cycles *cycles)
{
    for (size_t i = 0; i < cycles->pipe_count; i++)
        for (int row = 0; row < 3; row++) {
            double tenths = 10 * cycles_of(&cycles->pipes[i], row);
            if (isfinite(tenths) && fabs(tenths - round(tenths)) > 1e-6 * fabs(tenths))
                return 2;
        }
    return 1;
}

static Figure figure_cycles(double cycles, int decimals)
{
    return isfinite(cycles) ? ptx_figure_fixed(cycles, decimals) : (Figure){ "-" };
}

static size_t width_of(const ptxlint_pipe_cycles *pipe, int decimals)
{
    size_t width = strlen(pipe->pipe);
    for (int row = 0; row < 3; row++) {
        size_t here = strlen(figure_cycles(cycles_of(pipe, row), decimals).text);
        width = here > width ? here : width;
    }
    return width + 2 > PIPE_COLUMNS ? width + 2 : PIPE_COLUMNS;
}

/* The used pipes from number first on, as many as fit: their names (row -1) or figures. The number
 * after the last. */
static size_t put_pipe_limits(Out *out, const ptxlint_cycles *cycles, PipeSet used, size_t first,
                              int row)
{
    int decimals = decimals_of(cycles);
    size_t i = first, column = ROW_COLUMNS;
    const size_t end = LINE_COLUMNS - (first ? 0 : BOUND_COLUMNS);
    for (; i < cycles->pipe_count && i < MAX_PIPES; i++) {
        const ptxlint_pipe_cycles *pipe = &cycles->pipes[i];
        const size_t width = width_of(pipe, decimals);
        if (!(used >> i & 1))
            continue;
        if (column > ROW_COLUMNS && column + width > end)
            break;
        ptx_out_format(out, "%*s", (int)width,
                       row < 0 ? pipe->pipe : figure_cycles(cycles_of(pipe, row), decimals).text);
        column += width;
    }
    return i;
}

static size_t put_time_part(Out *out, const ptxlint_cycles *cycles, PipeSet used, size_t first)
{
    static const char *const rows[] = { "total", "longest path", "shortest path" };
    const char *const bounds[] = { cycles->bound_total, cycles->bound_longest,
                                   cycles->bound_shortest };
    size_t next = first;
    ptx_out_repeat(out, ' ', ROW_COLUMNS);
    put_pipe_limits(out, cycles, used, first, -1);
    ptx_out_text(out, first ? "\n" : "   bound by\n");
    for (int row = 0; row < 3; row++) {
        ptx_out_format(out, "  %-*s", ROW_COLUMNS - 2, rows[row]);
        next = put_pipe_limits(out, cycles, used, first, row);
        if (!first)
            ptx_out_format(out, "   %s", bounds[row] ? bounds[row] : "unknown");
        ptx_out_text(out, "\n");
    }
    return next;
}

static void put_why_cycles(Out *out, const ptxlint_cycles *cycles)
{
    const char *why = ptx_why_cycles(cycles);
    if (!why)
        return;
    Line line = ptx_line_begin(out, "not known");
    ptx_line_words(&line, why);
    ptx_line_end(&line);
}

void ptx_table_cycles(Out *out, const ptxlint_kernel *kernel)
{
    PipeSet used = used_pipes(kernel);
    if (!used)
        return;
    ptx_put_heading(out, "  clocks of an SM per warp, at peak rate (a bound)");
    for (size_t next = 0; next < MAX_PIPES && used >> next;)
        next = put_time_part(out, &kernel->projections[0].cycles, used, next);
    put_why_cycles(out, &kernel->projections[0].cycles);
}

void ptx_table_gpu(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                   const ptxlint_projection *projection)
{
    const ptxlint_occupancy *o = &projection->occupancy;
    put_occupancy_row(out, kernel, projection);
    put_spills(out, projection);
    put_limit_rows(out, o);
    put_advice(out, module, kernel, o);
    put_carveout(out, kernel, o);
    put_best(out, projection);
    put_clusters(out, kernel, o);
    put_waves(out, kernel, projection);
    put_peak_row(out, kernel, &projection->peak);
    put_time_row(out, projection);
    put_band(out, &projection->time);
    ptx_table_bottleneck(out, module, kernel, projection);
    ptx_table_cycles(out, kernel);
}
