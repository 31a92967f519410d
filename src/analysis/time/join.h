/* join.h -- how the parts of a prediction (predict.h) join to the time of the launch, and what that
 * were with less of them. */
#ifndef PTX_ANALYSIS_TIME_JOIN_H
#define PTX_ANALYSIS_TIME_JOIN_H

#include "analysis/time/predict.h"

#include <math.h>

static inline double ptx_hypot_of(double a, double b, double exponent)
{
    return pow(pow(a, exponent) + pow(b, exponent), 1 / exponent);
}

/* Finds the time and the limiter of all that is known. */
void ptx_join(Prediction *prediction);

/* PART_PIPE is the load-store units' or the dearest other pipeline's, whichever takes longer. */
void ptx_join_choose_pipe(Prediction *prediction);

/* The same launch, did one part take nothing: what is to be had there at most. */
Prediction ptx_predict_without(const Prediction *prediction, TimePart part);

/* The same, were there so much less of it to do. */
typedef struct Relief {
    double issue_us, wavefronts, passes, there_us, back_us, dram_bytes;
} Relief;
double ptx_predict_relieved_us(const Prediction *prediction, const Relief *relief);

/* What the launch takes longer than the same work would, did each SM have as many blocks as the
 * others: never more than is predicted. Latency adds nothing: it is ptx_predict_last_wave_us's. */
double ptx_predict_imbalance_us(const Prediction *prediction);

/* The same work spread evenly over more SMs, those that have some now being `share` of them: their
 * units take so much less. Latency stays, but for what a thread does over and over: `repeats`
 * times what it does most. */
double ptx_predict_spread_us(const Prediction *prediction, double share, double repeats);

/* What a last wave that is not full takes longer than its share of a full one: its blocks wait by
 * themselves. */
double ptx_predict_last_wave_us(const Prediction *prediction);

#endif
