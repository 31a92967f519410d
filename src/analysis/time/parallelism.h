/* parallelism.h -- what of an iteration of a loop can be under way at once, as far as its machine
 * instructions need each other.
 *
 * Instruction-level parallelism: the instructions over the longest chain of them in which each
 * needs the one before (Wall, "Limits of Instruction-Level Parallelism", 1991). Memory-level
 * parallelism: the same of loads from global memory (Chou, Fahs and Abraham, ISCA 2004). The chains
 * go through values; an access to memory stays behind a store to its space, and all stays behind a
 * barrier or the exit of a loop that loads decide. Branches are taken both ways. A loop that holds
 * another takes in as many iterations of that one as the evaluation has for each of its own; they
 * follow each other as the longest chain that goes round them lets them. The lowering is a model
 * of ptxas, so all are estimates; a loop that ptxas unrolls has more of both. */
#ifndef PTX_ANALYSIS_TIME_PARALLELISM_H
#define PTX_ANALYSIS_TIME_PARALLELISM_H

#include "analysis/flow/types.h"
#include "analysis/flow/func_flow.h"

typedef struct Arena Arena;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Lowered Lowered;

typedef struct Parallelism {    /* of an iteration, by one warp; NaN: not known */
    double instructions, path;  /* machine instructions; those on the longest chain */
    double path_clocks;         /* of the longest chain by latencies, the critical path */
    /* iterations follow each other no faster, whatever is unrolled: the longest chain that goes
     * round */
    double carried_clocks;
    double carried_loads;       /* loads of global memory on the chain of loads that goes round */
    double loads, load_path;    /* of global memory; those on the longest chain of loads */
    /* that a warp asks for by them; all 32 lanes each for bytes of its own, where that was not
     * evaluated */
    double load_bytes;
} Parallelism;

typedef struct Parallelisms {
    const Parallelism *loops;   /* per loop */
    Parallelism rest;           /* what is in no loop */
} Parallelisms;

typedef struct ParallelismInput {
    const Lowered *lowered;
    const Evaluation *evaluation;       /* NULL without one */
    /* of each load, as predicted (PredictInput); NULL: all come from memory, in the mean latency of
     * the GPU's file, and where that has none, clocks that loads enter are not known */
    const float *load_clocks;
    const Gpu *gpu;
} ParallelismInput;

/* Owned by arena; scratch, another arena, is left as found. */
const Parallelisms *ptx_parallelism_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                            const ParallelismInput *in);

/* Instructions, and loads, that are under way at once on average; NaN without any. */
double ptx_parallelism_ilp(const Parallelism *p);
double ptx_parallelism_mlp(const Parallelism *p);

#endif
