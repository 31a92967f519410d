/* bench.h -- the child's side: one probe after another on the first GPU. */
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

enum { BENCH_RUNS = 7 };

/* Writes records to a pipe, from probe number first on, and ends by itself. */
void ptx_bench_run(int pipe, size_t first);

#endif
