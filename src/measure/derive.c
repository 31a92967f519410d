/* derive.c -- figures that follow from several measurements. */
#include "measure/measure.h"

#include <math.h>

enum { DERIVED_INPUTS = 3 };

typedef double (*DeriveFn)(const MeasuredValue in[DERIVED_INPUTS]);

typedef struct DerivedFigure {
    const char *key, *figure, *unit, *how;
    const char *inputs[DERIVED_INPUTS];
    DeriveFn of;
} DerivedFigure;

/* Of a barrier: what each warp adds, and what is left without any. */
static double barrier_of_warp(const MeasuredValue in[DERIVED_INPUTS])
{
    return (in[1].value - in[0].value) / 31;
}

static double barrier_alone(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[0].value - barrier_of_warp(in);
}

/* A quarter of all single loads takes less, and a quarter more: the half of L2 that is near, and
 * the one that is far. The clocks of a chain have nothing else in them. */
static double near_quarter(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[0].value - (in[1].value - in[1].low);
}

static double far_quarter(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[0].value + (in[1].high - in[1].value);
}

static double piece_of_l2(const MeasuredValue in[DERIVED_INPUTS])
{
    return 64e3 / in[0].value;
}

/* A whole line is four sectors and a line, a lane by chance is a sector and a line. */
static double stored_sector(const MeasuredValue in[DERIVED_INPUTS])
{
    return (4 * in[0].value - in[1].value) / 3;
}

static double stored_line(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[1].value - stored_sector(in);
}

static double ratio(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[0].value / in[1].value;
}

/* A tile of no bytes: the larger one has eight times those of the smaller. */
static double tile_of_nothing(const MeasuredValue in[DERIVED_INPUTS])
{
    return in[0].value - (in[1].value - in[0].value) / 7;
}

static const DerivedFigure derived_figures[] = {
    { "barrier_warp", "barrier_warp_latency", "clk", "bar.sync of 32 warps less one, over 31",
      { "barrier_1", "barrier_32" }, barrier_of_warp },
    { "barrier", "barrier_latency", "clk", "bar.sync of one warp, less barrier_warp",
      { "barrier_1", "barrier_32" }, barrier_alone },
    { "l2_near", "l2_latency", "clk", "chase_l2, less by how much a quarter of times_l2 is faster",
      { "chase_l2", "times_l2" }, near_quarter },
    { "l2_far", NULL, "clk", "chase_l2, and by how much a quarter of times_l2 is slower",
      { "chase_l2", "times_l2" }, far_quarter },
    { "memory_near", "global_latency_min", "clk",
      "chase_memory, less by how much a quarter of times_memory is faster",
      { "chase_memory", "times_memory" }, near_quarter },
    { "memory_far", "global_latency_max", "clk",
      "chase_memory, and by how much a quarter of times_memory is slower",
      { "chase_memory", "times_memory" }, far_quarter },
    { "l2_piece", "l2_piece_ps", "ps", "64 bytes at the rate of l2_read_16", { "l2_read_16" },
      piece_of_l2 },
    { "store_sector", "l2_store_sector_ps", "ps", "from store_l2_lines and store_l2_chance",
      { "store_l2_lines", "store_l2_chance" }, stored_sector },
    { "store_line", "l2_store_line_ps", "ps", "from store_l2_lines and store_l2_chance",
      { "store_l2_lines", "store_l2_chance" }, stored_line },
    { "atomic_slices", "atomic_slices", "slices", "atomic_one over atomic_chance",
      { "atomic_one", "atomic_chance" }, ratio },
    { "tile_l2", NULL, "clk", "tile_l2_small, less what its bytes take",
      { "tile_l2_small", "tile_l2_large" }, tile_of_nothing },
    { "tile_memory", NULL, "clk", "tile_memory_small, less what its bytes take",
      { "tile_memory_small", "tile_memory_large" }, tile_of_nothing },
};

/* The published rate of the tensor cores for a type, whose share mma.sync reaches. */
static const struct { const char *key, *figure, *input, *published; } tensor_shares[] = {
    { "mma_share", "tensor_mma_share", "mma_f16_k16", "tensor_f16" },
    { "mma_narrow_share", "tensor_mma_narrow_share", "mma_f16_k8", "tensor_f16" },
    { "mma_f64_share", "tensor_mma_f64_share", "mma_f64_k4", "tensor_f64" },
};

static bool find_inputs(const Measurement *m, const DerivedFigure *figure,
                        MeasuredValue in[DERIVED_INPUTS])
{
    for (int i = 0; i < DERIVED_INPUTS && figure->inputs[i]; i++) {
        const MeasuredValue *found = ptx_measured_find(m, figure->inputs[i]);
        if (!found)
            return false;
        in[i] = *found;
    }
    return true;
}

static void widen_spread(MeasuredValue *out, double value)
{
    out->low = fmin(out->low, value);
    out->high = fmax(out->high, value);
}

/* Each input at both ends of its spread. Of single loads the spread is what is asked for. */
static void spread_over_inputs(const DerivedFigure *figure, MeasuredValue in[DERIVED_INPUTS],
                               MeasuredValue *out)
{
    for (int i = 0; i < DERIVED_INPUTS && figure->inputs[i]; i++) {
        const double value = in[i].value, ends[] = { in[i].low, in[i].high };
        for (int end = 0; end < 2 && in[i].runs == in[0].runs; end++) {
            in[i].value = ends[end];
            widen_spread(out, figure->of(in));
        }
        in[i].value = value;
    }
}

static void add_derived(Measurement *m, const MeasuredValue *value)
{
    if (m->count < MEASURED_MAX && value->value > 0 && isfinite(value->value))
        m->values[m->count++] = *value;
}

static void derive_figure(Measurement *m, const DerivedFigure *figure)
{
    MeasuredValue in[DERIVED_INPUTS] = { 0 };
    if (!find_inputs(m, figure, in))
        return;
    MeasuredValue out = { .key = figure->key, .figure = figure->figure, .unit = figure->unit,
                          .how = figure->how, .runs = in[0].runs };
    out.value = out.low = out.high = figure->of(in);
    spread_over_inputs(figure, in, &out);
    add_derived(m, &out);
}

static void derive_share(Measurement *m, size_t row, const ptxlint_gpu *base)
{
    const MeasuredValue *in = ptx_measured_find(m, tensor_shares[row].input);
    const double published = ptxlint_gpu_value(base, tensor_shares[row].published);
    if (!in || !(published > 0))
        return;
    add_derived(m, &(MeasuredValue){ .key = tensor_shares[row].key,
                                     .figure = tensor_shares[row].figure, .unit = "",
                                     .how = tensor_shares[row].input, .runs = in->runs,
                                     .value = in->value / published, .low = in->low / published,
                                     .high = in->high / published });
}

void ptx_measure_derive(Measurement *m, const ptxlint_gpu *base)
{
    for (size_t i = 0; i < sizeof derived_figures / sizeof *derived_figures; i++)
        derive_figure(m, &derived_figures[i]);
    for (size_t i = 0; base && i < sizeof tensor_shares / sizeof *tensor_shares; i++)
        derive_share(m, i, base);
}
