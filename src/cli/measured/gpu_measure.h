/* gpu_measure.h -- what `ptxlint gpu measure` makes of a measurement. */
#ifndef PTX_CLI_MEASURED_GPU_MEASURE_H
#define PTX_CLI_MEASURED_GPU_MEASURE_H

#include "cli/cli.h"
#include "measure/measure.h"

/* ---- gpu_file.c ------------------------------------------------------------------------------ */

/* The product that the GPU is, by what its driver says, else its architecture; NULL: neither is
 * known. */
const ptxlint_gpu *ptx_measured_base(const MeasuredDevice *device);

/* The GPU file, on top of base. */
void ptx_gpu_file_put(Text *out, const Measurement *measurement, const ptxlint_gpu *base);

/* What base has of it: a figure, or the rate of its instruction; NaN: nothing. */
double ptx_measured_published(const MeasuredValue *value, const ptxlint_gpu *base);

/* Whether both cannot be right: beyond the spread, and by more than 5 %. */
bool ptx_measured_contradicts(const MeasuredValue *value, const ptxlint_gpu *base);

/* Whether base's figure stays since a bound rests on it. */
bool ptx_figure_is_kept(const MeasuredValue *value, const ptxlint_gpu *base);

#endif
