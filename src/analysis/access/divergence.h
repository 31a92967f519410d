/* divergence.h -- what a branch that parts the lanes of warps costs, from counts of a launch
 * (evaluate.h). */
#ifndef PTX_ANALYSIS_ACCESS_DIVERGENCE_H
#define PTX_ANALYSIS_ACCESS_DIVERGENCE_H

#include "analysis/flow/func_flow.h"
#include "analysis/flow/types.h"
#include "support/diag.h"

typedef struct Evaluation Evaluation;
typedef struct Arena Arena;

typedef struct DivergenceCost {
    /* of a warp's executions of the branch: those that part its lanes; NaN: not known, since it
     * never runs, data decide, or it changes from turn to turn of a loop whose turns are guessed */
    double percent;
    /* issue slots up to where the lanes meet again, beyond those that they would take if packed as
     * densely as at the branch; NaN */
    double wasted_slots;
    double wasted_percent;      /* of all that the kernel takes in its own function */
    Certainty certainty;        /* of percent; the others are estimates */
} DivergenceCost;

/* Of the kernel's branches, one after the other. */
typedef struct DivergenceCosts DivergenceCosts;

/* Owned by arena, where it does its work too. */
DivergenceCosts *ptx_divergence_new(Arena *arena, const Evaluation *evaluation,
                                    const FuncFlow *flow);

/* block ends in the branch. The work for all of them is bounded; what is beyond is not known. */
DivergenceCost ptx_divergence_measure(DivergenceCosts *costs, BlockId block);

#endif
