/* figure.c -- what rests on a figure, and what it can be. */
#include "gpu/gpu.h"

#include <string.h>

static const double most_count = INT32_MAX, most_rate = 1e9;

/* Measured, but a bound rests on them. */
static bool is_measured_bound(FigureId figure)
{
    return figure == FIGURE_GLOBAL_LATENCY_MIN || figure == FIGURE_FIRST_MISS_SHARE
           || figure == FIGURE_MEMORY_CEILING;
}

FigureKind ptx_figure_kind(FigureId figure)
{
    const FigureInfo *info = &ptx_figure_info[figure];
    const bool is_measured = !strcmp(info->section, "latency")
                             || !strcmp(info->section, "sustained")
                             || (figure >= FIGURE_TENSOR_MMA_SHARE && figure <= FIGURE_WGMMA_LEAST);
    return is_measured && !is_measured_bound(figure) ? FIGURE_SUSTAINED : FIGURE_OF_BOUNDS;
}

/* Of units that count. */
static bool is_rate(const char *unit)
{
    return strchr(unit, '/') || !strcmp(unit, "MHz");
}

static bool is_figure_within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static bool is_count_within(double value, double least, double most)
{
    return is_figure_within(value, least, most) && fmod(value, 1) <= 0;
}

const char *ptx_figure_refuses(FigureId figure, double value)
{
    const char *unit = ptx_figure_info[figure].unit;
    const double least = figure == FIGURE_SHARED_RESERVED ? 0 : 1;
    if (!strcmp(unit, "0 or 1"))
        return is_count_within(value, 0, 1) ? NULL : unit;
    if (ptx_figure_kind(figure) == FIGURE_SUSTAINED || is_measured_bound(figure))
        return is_figure_within(value, 0, most_rate) ? NULL : "a number from 0 to 1e9";
    if (is_rate(unit))
        return value > 0 && value <= most_rate ? NULL : "a number above 0, up to 1e9";
    return is_count_within(value, least, most_count) ? NULL : "a whole number from 1 to 2147483647";
}
