/* peak.h -- what a mix of instructions could reach at best on a GPU.
 *
 * Potential: flops of an average instruction x the issue rate, no more than their pipelines take;
 * NaN without flops. Where all are of multiply-adds it is 2 x their share x the issue rate. Demand:
 * the global bytes of an average instruction x the issue rate. Ryoo et al., "Optimization
 * Principles and Application Performance Evaluation of a Multithreaded GPU Using CUDA" (PPoPP
 * 2008), section 4. The issue rate is SMs x lanes that issue per clock x clock, and no more than
 * the arithmetic pipeline takes. A pipeline takes as many adds or multiplies as multiply-adds: it
 * makes half the flops of those. Roofline: flops per byte x bandwidth, under the ceilings of the
 * pipelines. Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model
 * for Multicore Architectures" (CACM 2009). Bytes are those that instructions ask for: caches may
 * serve some, and uncoalesced accesses may move more. NaN: the GPU's file lacks what it takes. */
#ifndef PTX_ANALYSIS_TIME_PEAK_H
#define PTX_ANALYSIS_TIME_PEAK_H

#include "analysis/redundancy/mix.h"

typedef struct Gpu Gpu;

typedef enum CeilingId {
    CEILING_FP32_FMA,
    CEILING_FP32,
    CEILING_FP64_FMA,
    CEILING_FP64,
    CEILING_FP16_FMA,
    CEILING_FP16,
    CEILING_TENSOR,
    CEILING_MEMORY,
    CEILING_L2,
    CEILING__COUNT
} CeilingId;

extern const char *const ptx_ceiling_text[CEILING__COUNT];

typedef struct Peak {
    double issue_gops, peak_gflops, potential_gflops;
    double demand_gb_per_s, memory_gb_per_s;
    double flops_per_byte;
    double ceilings[CEILING__COUNT];    /* GFLOPS */
    /* of flops of each kind as the mix makes them: between those of adds and of multiply-adds */
    double rates[FLOPS__COUNT];
    /* and what that is called: multiply-adds where there is one, or nothing is known of the kind */
    CeilingId rate_of[FLOPS__COUNT];
    double attainable_gflops;
    CeilingId ceiling;                  /* what holds it; CEILING__COUNT: nothing known does */
} Peak;

void ptx_peak_compute(const Gpu *gpu, const Mix *mix, Peak *out);

#endif
