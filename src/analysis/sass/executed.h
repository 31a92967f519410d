/* executed.h -- what a launch executes of a lowered kernel: machine instructions, by pipeline
 * class, and operations of threads.
 *
 * Executions of a block are those of its first instruction in an evaluation (evaluate.h); a block
 * that is predicated into another counts with that one's warps and its own lanes. Operations count
 * as the profiler does: machine operations of lanes whose predicate holds, a multiply-add as two;
 * expansions of division, roots and the like have some of their own (flops.def). */
#ifndef PTX_ANALYSIS_SASS_EXECUTED_H
#define PTX_ANALYSIS_SASS_EXECUTED_H

#include "analysis/flow/types.h"
#include "gpu/gpu.h"
#include "support/arena.h"
#include "support/diag.h"

typedef struct CalledCount CalledCount;
typedef struct Evaluated Evaluated;
typedef struct Evaluation Evaluation;
typedef struct Lowered Lowered;

typedef struct Executed {       /* of the launch; NaN: not known */
    double warp_instructions;
    double machine[MACHINE__COUNT];     /* the same by class */
    double spill_instructions;          /* beside those: a store and a load for each register */
    double flops_fp32, flops_fp64, flops_fp16, flops_tensor;
    Certainty certainty;        /* of all: an estimate, or unknown */
    const char *why;            /* nothing is known; NULL: it is */
} Executed;

typedef struct Compiled {           /* a function, and what ptxas makes of it */
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Lowered *lowered;     /* NULL: not known */
} Compiled;

/* evaluation may be NULL: nothing is known. Nor is where the grid is assumed, the budget did not do
 * for a warp, or a function is called that called, one for each of evaluation's, does not know.
 * called: NULL where the kernel's own code is all there is. */
Executed ptx_executed_compute(const Compiled *kernel, const Compiled *called,
                              const Evaluation *evaluation);

/* Of a kernel whose grid is not known, without an evaluation. */
Executed ptx_executed_without_grid(const Func *func);

/* How often warps run the head of the innermost loop that issues most: registers that are spilled
 * go to memory and back in each of its iterations. Once, where there is no loop. */
double ptx_hottest_iterations(Arena *scratch, const Compiled *code, const Evaluated *insns);

/* How often warps execute each machine instruction of the kernel, or of a called function; one of
 * lowered's that stands for several counts as many. own, called: one of them, as in an evaluation;
 * the other is NULL. counts: lowered's insn_count of them. */
void ptx_executed_counts(const Compiled *code, const Evaluated *own,
                         const CalledCount *called, double *counts);

#endif
