/* throughput.h -- the clocks that a warp's instructions hold each pipeline of an SM for, at its
 * peak rate.
 *
 * A bound: an instruction counts with the machine operations of costs.txt, times the share that
 * ptxas cannot make disappear (work.h), at the rate of rules/gpus/. Latency, bank conflicts and
 * memory do not enter, so the truth is not below it.
 *
 * The three figures are malioc's. total: every reachable instruction once, loops times their trips.
 * longest, shortest: the dearest and the cheapest path from entry to exit, each pipeline by itself.
 * A guarded instruction is not on the shortest path. A loop of unknown trip count makes total and
 * longest unknown, and so does an instruction of unknown cost; the shortest path goes through the
 * one once, and counts nothing for the other. A call makes all but the shortest unknown: what is
 * called is not followed. Branches that the launch decides are taken as it decides. */
#ifndef PTX_ANALYSIS_TIME_THROUGHPUT_H
#define PTX_ANALYSIS_TIME_THROUGHPUT_H

#include "analysis/flow/func_flow.h"
#include "gpu/gpu.h"
#include "analysis/flow/types.h"

typedef struct Trips Trips;

typedef struct Cycles {         /* NaN: unknown */
    double total, longest, shortest;
} Cycles;

typedef struct PipeCycles {
    Cycles pipes[PIPE__COUNT];  /* NaN too for a pipe that the GPU's file does not describe */
} PipeCycles;

typedef struct Throughput {
    PipeCycles func;            /* of one warp, from entry to exit */
    const PipeCycles *loops;    /* of one iteration */
} Throughput;

/* Clocks of each pipe for one instruction, by Op.id; of the module and the GPU. */
typedef struct OpCycles {
    /* NaN: not known, as of an opcode without a cost, or of the matrix unit for a type without a
     * rate */
    float pipes[PIPE__COUNT];
} OpCycles;

/* Of one instruction; out zeroed before. */
void ptx_throughput_op(OpCycles *out, const Op *op, const Gpu *gpu);

/* A product that ptxas makes of several instructions, as one of fp8 by mma.sync on Hopper: what
 * converts a factor leaves a loop in which it stays the same. */
bool ptx_throughput_is_of_several(const Op *op, const OpCycles *cycles);

const OpCycles *ptx_throughput_ops(Arena *arena, const Module *module, const Gpu *gpu);

typedef struct ThroughputInput {
    const Trips *trips;
    const uint8_t *work;        /* ptx_work_compute */
    const OpCycles *ops;
    const Gpu *gpu;
} ThroughputInput;

/* Owned by arena; scratch, another arena, is left as found. */
const Throughput *ptx_throughput_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                         const ThroughputInput *in);

#endif
