/* measure.h -- what a GPU does, by kernels of our own that run through its driver.
 *
 * A child process runs them, ptxlint-measure. The driver is opened there alone, and a kernel that
 * does not come back ends with the process: nothing stays behind on the GPU. */
#ifndef PTX_MEASURE_MEASURE_H
#define PTX_MEASURE_MEASURE_H

#include "measure/driver.h"
#include "measure/probe.h"
#include "ptxlint/ptxlint.h"

enum { MEASURED_MAX = 160 };

typedef struct MeasuredDevice {
    char name[128];                     /* as the driver calls it */
    unsigned major, minor;              /* compute capability */
    unsigned driver_version;            /* 12040 */
    /* what the driver says; NaN: it does not */
    double sms, clock_most_mhz, l2_bytes, memory_mib, memory_gb_per_s;
} MeasuredDevice;

typedef struct MeasuredValue {
    const char *key, *figure, *unit, *opcode, *how;     /* as of Probe */
    /* the median of runs, the least and the highest; NaN: it was not measured, and why says why */
    double value, low, high;
    unsigned runs;
    char why[DRIVER_WHY_BYTES];         /* a clause */
} MeasuredValue;

typedef struct Measurement {
    MeasuredDevice device;
    MeasuredValue values[MEASURED_MAX];
    size_t count;
    bool has_device;
    char trouble[DRIVER_WHY_BYTES];     /* why nothing, or no more, was measured; "" */
} Measurement;

typedef struct MeasureRequest {
    const char *program;                /* path of ptxlint-measure */
    unsigned limit_ms, probe_limit_ms;  /* of everything, of one figure */
    /* before each figure: how many are done, of all; NULL: it is not asked for */
    void (*progress)(void *context, const char *key, size_t done, size_t count);
    void *context;
} MeasureRequest;

/* Without a driver or a GPU has_device is false, and trouble says why. */
void ptx_measure_run(const MeasureRequest *request, Measurement *out);

/* Figures that follow from several values, added behind them. base: what is known of the GPU, of
 * whose published rates some are a share; NULL: nothing is. */
void ptx_measure_derive(Measurement *measurement, const ptxlint_gpu *base);

/* NULL: it is not there, or was not measured. */
const MeasuredValue *ptx_measured_find(const Measurement *measurement, const char *key);

#endif
