/* optspace.c -- which variants of a kernel are worth a measurement: Ryoo's two metrics, and those
 * that none beats in both. */
#include "cli/rule_json.h"
#include "cli/variants/rank.h"
#include "support/choice.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 32 };

static double block_warps(const ptxlint_launch *launch)
{
    const double threads = (double)launch->block[0] * (double)launch->block[1]
                           * (double)launch->block[2];
    return ceil(threads / LANES);
}

void ptx_optspace_measure(RankRow *row)
{
    const ptxlint_kernel *kernel = row->kernel;
    const ptxlint_occupancy *occupancy = &row->estimated.occupancy;
    OptMetrics *m = &row->metrics;
    const double warps = block_warps(&kernel->launch),
                 blocks = occupancy->blocks_per_sm > 0 ? (double)occupancy->blocks_per_sm
                                                       : (double)NAN;
    const bool is_known = !kernel->mix.has_assumed_trips
                          && kernel->mix.weighted_instruction_count > 0;
    m->instructions = is_known ? kernel->mix.weighted_instruction_count : (double)NAN;
    m->regions = 1 + kernel->mix.stops;
    m->threads = (double)kernel->launch.blocks * (double)kernel->launch.block[0]
                 * (double)kernel->launch.block[1] * (double)kernel->launch.block[2];
    m->efficiency = 1 / (m->instructions * m->threads);
    m->utilization = m->instructions / m->regions * ((warps - 1) / 2 + (blocks - 1) * warps);
}

static bool has_metrics(const RankRow *row)
{
    return isfinite(row->metrics.efficiency) && isfinite(row->metrics.utilization);
}

static bool is_beaten_by(const OptMetrics *a, const OptMetrics *b)
{
    return b->efficiency >= a->efficiency && b->utilization >= a->utilization
           && (b->efficiency > a->efficiency || b->utilization > a->utilization);
}

/* Those without metrics last; else the most efficient first, of equals the better utilised. */
static int compare_metrics(const void *left, const void *right)
{
    const RankRow *a = left, *b = right;
    const OptMetrics *x = &a->metrics, *y = &b->metrics;
    const bool has_both = has_metrics(a) && has_metrics(b);
    int order = (int)has_metrics(b) - (int)has_metrics(a);
    if (has_both)
        order = (y->efficiency > x->efficiency) - (y->efficiency < x->efficiency);
    if (has_both && !order)
        order = (y->utilization > x->utilization) - (y->utilization < x->utilization);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorted by efficiency, a row is beaten where one before it is at least as well utilised, but for
 * its equals. */
void ptx_optspace_order(RankRow *rows, size_t count)
{
    size_t best = 0;
    qsort(rows, count, sizeof *rows, compare_metrics);
    for (size_t i = 0; i < count && has_metrics(&rows[i]); i++) {
        if (rows[i].metrics.utilization > rows[best].metrics.utilization)
            best = i;
        rows[i].metrics.is_pareto = !is_beaten_by(&rows[i].metrics, &rows[best].metrics);
    }
}

void ptx_optspace_head(Text *out)
{
    ptx_text_print(out, "  %8s %8s %8s %7s %6s %12s  %s\n", "effic.", "utiliz.", "instr.",
                   "regions", "occup.", "predicted", "variant");
}

bool ptx_optspace_put(const RankRow *row, Text *out)
{
    const OptMetrics *m = &row->metrics;
    const double time = row->estimated.time.predicted_us;
    ptx_text_put(out, m->is_pareto ? "* " : "  ");
    if (!has_metrics(row)) {
        ptx_text_put(out, "not known: ");
        return false;
    }
    ptx_text_print(out, "%8.3g %8.1f %8.0f %7.0f %4.3g %%", m->efficiency, m->utilization,
                   m->instructions, m->regions, row->estimated.occupancy.percent);
    if (isfinite(time))
        ptx_text_print(out, " %9.4g us  ", time);
    else
        ptx_text_print(out, " %12s  ", "-");
    return true;
}

const char *ptx_optspace_why(const RankRow *row)
{
    if (row->kernel->mix.has_assumed_trips)
        return "the trips of a loop are not known; give --param or --trip";
    return ptx_text_or(row->estimated.occupancy.error, "its occupancy is not known");
}

void ptx_optspace_notes(const RankRow *rows, size_t count, Text *out)
{
    size_t known = 0, kept = 0, guessed = 0;
    for (size_t i = 0; i < count; i++) {
        known += has_metrics(&rows[i]);
        kept += rows[i].metrics.is_pareto;
        guessed += has_metrics(&rows[i]) && rows[i].kernel->mix.has_assumed_branches;
    }
    if (known)
        ptx_text_print(out, "  *: none is better in both; worth a measurement: %zu of %zu.\n",
                       kept, known);
    if (guessed)
        ptx_text_put(out, "  Sides of a branch that data decide count alike in instructions.\n");
}

void ptx_optspace_json(const RankRow *row, json_t *out)
{
    const OptMetrics *m = &row->metrics;
    const int64_t blocks = row->estimated.occupancy.blocks_per_sm;
    json_object_set_new(out, "instructions_per_thread", ptx_json_number(m->instructions));
    json_object_set_new(out, "regions_per_thread", ptx_json_number(m->regions));
    json_object_set_new(out, "threads", json_integer((json_int_t)m->threads));
    json_object_set_new(out, "blocks_per_sm", blocks > 0 ? json_integer(blocks) : json_null());
    json_object_set_new(out, "efficiency", ptx_json_number(m->efficiency));
    json_object_set_new(out, "utilization", ptx_json_number(m->utilization));
    json_object_set_new(out, "is_pareto", json_boolean(m->is_pareto));
    json_object_set_new(out, "metrics_why",
                        ptx_text_json(has_metrics(row) ? NULL : ptx_optspace_why(row)));
}
