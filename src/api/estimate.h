/* estimate.h -- a launch that was measured, as ptxlint_estimate() sees it. */
#ifndef PTX_API_ESTIMATE_H
#define PTX_API_ESTIMATE_H

#include "analysis/sim/cost/touched.h"
#include "analysis/time/predict.h"
#include "ptxlint/ptxlint.h"

#include <jansson.h>

/* of warps: a second or so */
enum { MEASURED_STEPS = 1 << 25 };

typedef struct Gpu Gpu;

/* Other GPUs, which differ from the module's in figures of FIGURE_SUSTAINED alone. */
typedef struct GpuTrials {
    const Gpu *const *gpus;
    size_t count;
    double *us;                 /* of each: what is predicted; NaN: nothing */
} GpuTrials;

typedef struct MeasuredTrial {
    json_t *entry;              /* of a launch file: what the row says of its launch */
    const GpuTrials *others;    /* NULL: none */
    double suspect_us;          /* touched is found where memory would take longer */
    Floor floor;
    TouchedBytes touched;
} MeasuredTrial;

/* measured: NULL: as ptxlint_estimate(). */
ptxlint_status ptx_estimate_measured(const ptxlint_module *module, const char *kernel, size_t gpu,
                                     const ptxlint_trial *trial, MeasuredTrial *measured,
                                     ptxlint_estimated *out);

#endif
