/* bench.h -- what ptxlint-measure reports to its parent: one probe after another on the first GPU.
 *
 * A program of its own, since it alone opens a shared library at run time, the driver. It is called
 * with the number of the first probe, and writes records to BENCH_PIPE. */
#ifndef PTX_MEASURE_BENCH_H
#define PTX_MEASURE_BENCH_H

#include "measure/measure.h"

typedef enum BenchReport {
    BENCH_DEVICE,       /* device */
    BENCH_BEGINS,       /* a probe: index */
    BENCH_VALUE,        /* of it: value, low, high */
    BENCH_NO_VALUE,     /* of it: why */
    BENCH_TROUBLE,      /* why, and it ends */
    BENCH_ENDS
} BenchReport;

typedef struct BenchRecord {
    BenchReport report;
    uint32_t index;
    double value, low, high;
    char why[DRIVER_WHY_BYTES];
    MeasuredDevice device;
} BenchRecord;

enum { BENCH_RUNS = 7, BENCH_PIPE = 3 };

#endif
