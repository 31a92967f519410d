/* bound.h -- what a launch takes at least.
 *
 * Two of them. The bound takes the speeds that were measured or that the GPU's file gives: an
 * estimate. The floor takes what no launch is known to exceed: the highest clock of the SMs and the
 * peak of memory, no overhead, and only what was counted exactly of every block. A time below it is
 * none of this launch. */
#ifndef PTX_ANALYSIS_TIME_BOUND_H
#define PTX_ANALYSIS_TIME_BOUND_H

#include "analysis/time/predict.h"

typedef struct BoundSpeeds {
    double sms, clocks_per_us;
    double dram;                /* bytes per us */
} BoundSpeeds;

/* In us; what holds it is set in out: bound_us, without the overhead of a launch, bound_by and
 * bound_pipe. */
void ptx_bound_find(Arena *scratch, const PredictInput *in, const BoundSpeeds *speeds,
                    const bool *are_sure, Prediction *out);

/* Fills in->floor, but for its first member. */
void ptx_floor_find(Arena *scratch, const PredictInput *in, const bool *are_sure);

#endif
