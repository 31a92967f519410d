/* latency.h -- clocks until a result is there: of a machine instruction, and of the sequence that a
 * division, a root or the like becomes.
 *
 * Out of the GPU's file; where that does not say, what was measured on an H200 stands in. */
#ifndef PTX_ANALYSIS_TIME_LATENCY_H
#define PTX_ANALYSIS_TIME_LATENCY_H

#include "analysis/flow/types.h"
#include "analysis/sass/sass.h"
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

typedef struct ResultClocks {
    const Latencies *latencies;
    const Sequence *sequences;  /* per instruction of the function, for the GPU */
    /* per instruction of the function: of a load of global memory; NULL: as latencies say */
    const float *load_clocks;
    const Func *func;
} ResultClocks;

/* Clocks until what the instruction makes is there. */
double ptx_result_clocks(const ResultClocks *of, const LoweredInsn *insn);

/* One of an expansion that writes no register of the function, as the first product of a 64-bit
 * one, or a step of the prefix sum that a warp makes before an atomic: what stands behind it in the
 * expansion reads what it makes. */
bool ptx_hands_on(const Func *func, const LoweredInsn *insn);

/* A vote or shuffles of what lanes do for an atomic that one of them does for all: each step waits
 * for the one before. */
bool ptx_is_gathering(const Func *func, const LoweredInsn *insn);

bool ptx_is_load_of_global(const Func *func, const LoweredInsn *insn);

#endif
