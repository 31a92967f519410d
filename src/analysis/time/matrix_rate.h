/* matrix_rate.h -- the clocks of an SM that a product of matrices takes of its tensor cores, where
 * nothing else keeps them waiting.
 *
 * wgmma reads B, and A unless that is in registers, from shared memory, at its bandwidth: narrow
 * products wait for A. With A in registers a product has a least. mma.sync reaches a share of the
 * peak, and half of it with half as long a k. Measured by tools/measure-times/matrix.py; the
 * figures are the GPU's. */
#ifndef PTX_ANALYSIS_TIME_MATRIX_RATE_H
#define PTX_ANALYSIS_TIME_MATRIX_RATE_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Insn Insn;

/* Of one warp; peak: at the peak rate (OpCycles' PIPE_TENSOR). */
double ptx_matrix_clocks(const Gpu *gpu, const Func *func, const Insn *insn, double peak);

/* Of the GPU's clock, what is left of it in a launch that multiplies matrices, be it ever so
 * little; 1: all. */
double ptx_matrix_clock_share(const Gpu *gpu, const Func *func, const Evaluation *evaluation);

/* Whether the launch has products that warps need not wait for: wgmma, tcgen05.mma. */
bool ptx_matrix_is_async(const Func *func, const Evaluation *evaluation);

#endif
