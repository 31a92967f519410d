/* bottleneck.h -- what holds a launch back and what moving that would give, from a prediction
 * (predict.h): all estimates.
 *
 * Utilisations as in "GPU Speed Of Light Throughput" of Nsight Compute [1], here shares of the
 * predicted time. The tail: what a launch takes longer than the same work would, were each SM given
 * as many blocks as the others ("Tail Effect" [1], where a partial wave is taken to last as long as
 * a full one; where throughput limits, few blocks on an SM are done sooner). Roofline [2], with the
 * operations that are executed and the bytes that come from memory. Concurrency: Little's law [3],
 * what is under way at once = latency x throughput. */
/* [1] Nsight Compute, Profiling Guide, "Sections and Rules"
 * [2] Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for
 *     Multicore Architectures", CACM 2009
 * [3] Little, "A Proof for the Queuing Formula L = lambda W", Operations Research 1961; of GPUs:
 *     Volkov, "Better Performance at Lower Occupancy", GTC 2010 */
#ifndef PTX_ANALYSIS_TIME_BOTTLENECK_H
#define PTX_ANALYSIS_TIME_BOTTLENECK_H

#include "analysis/time/peak.h"

typedef struct Parallelism Parallelism;
typedef struct Prediction Prediction;
typedef struct Evaluation Evaluation;
typedef struct Executed Executed;

typedef struct Bottleneck {     /* NaN, -1: not known */
    /* of the predicted time: the busiest of pipes and issue slots; of the way to memory; issue
     * slots */
    double compute_percent, memory_percent, issue_percent;
    /* predicted, did the limiter take nothing: no change to it gives more */
    double relieved_us;
    int next;                   /* TimePart: the limiter then */
    const char *next_pipe;      /* of PART_PIPE: then the dearest */
    /* what a wave takes; what the last one costs beyond its share, as blocks do not divide */
    double wave_us, tail_us;
} Bottleneck;

Bottleneck ptx_bottleneck_find(const Prediction *prediction, double waves);

typedef struct Roofline {       /* NaN: not known */
    /* from where on the pipelines hold it, not memory */
    double flops, flops_per_byte, ridge_flops_per_byte;
    double attainable_gflops, predicted_gflops;
    /* what holds attainable_gflops; CEILING__COUNT: nothing known does */
    CeilingId ceiling;
} Roofline;

/* ceilings: of Peak. */
Roofline ptx_roofline_compute(const Gpu *gpu, const Peak *peak, const Executed *executed,
                              const Prediction *prediction);

typedef struct Concurrency {    /* of an SM; NaN: not known */
    /* under way at once for the bandwidth of memory, by its least and most latency */
    double bytes_needed_low, bytes_needed_high;
    /* of threads, independent fp32 ones under way at once for the peak: lanes x latency */
    double operations_needed;
    double warps;               /* resident */
    double bytes, operations;   /* that they have under way */
    LoopId loop;                /* whose loads and instructions these are; NO_LOOP: those in none */
} Concurrency;

/* Where most sectors are loaded; else the deepest loop with loads, else what is in no loop. */
LoopId ptx_concurrency_where(const Func *func, const Cfg *cfg, const Loops *loops,
                             const Evaluation *evaluation);

/* warps: resident on an SM; NaN: not known. of: where that is. */
Concurrency ptx_concurrency_compute(const Gpu *gpu, double warps, const Parallelism *of,
                                    LoopId loop);

#endif
