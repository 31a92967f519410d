/* latency.h -- clocks until a result is there: of a machine instruction, and of the sequence that a
 * division, a root or the like becomes.
 *
 * Out of the GPU's file; where that does not say, what was measured on an H200 stands in. */
#ifndef PTX_ANALYSIS_TIME_LATENCY_H
#define PTX_ANALYSIS_TIME_LATENCY_H

#include "gpu/gpu.h"

typedef struct Latencies {
    float machine[MACHINE__COUNT];
    float barrier_per_warp;     /* beside machine[MACHINE_BARRIER] */
    float iteration;            /* of a loop that is not unrolled, at least */
    /* .gpu, .sys; beside fence, where a store was before it */
    float fence, fence_sys, fence_store;
    /* from a loop's last instruction to the first of its next iteration */
    float branch_back;
} Latencies;

/* An instruction whose sequence was measured as a whole. */
typedef struct Sequence {
    /* clocks, for each of its machine instructions; 0: not measured, so those of the instructions
     * count */
    double each;
    bool is_in_order;           /* several, of which one after the other issues */
    bool has_branch;            /* over a slow path: nothing else issues in between */
} Sequence;

/* global: clocks that a load of global memory takes. */
void ptx_latencies_find(const Gpu *gpu, double global, Latencies *out);

Sequence ptx_sequence_find(const Gpu *gpu, const Op *op);

#endif
