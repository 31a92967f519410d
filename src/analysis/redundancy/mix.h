/* mix.h -- the instruction mix: how many instructions of each class, in the function and in each of
 * its loops.
 *
 * Static counts are exact. Weighted counts take the mean trips of each loop around an
 * instruction, and ten where those are not known, the field's custom: then they rank, they do
 * not measure. Sides of a branch that exclude each other, as those of if and else, share its weight
 * alike; what an if without an else skips counts whole. The FMA fraction is Ryoo
 * et al., "Optimization Principles and Application Performance Evaluation of a Multithreaded
 * GPU Using CUDA" (PPoPP 2008), section 4: multiply-adds among all instructions of the loop
 * that matters. A fusable pair is a float multiply whose one use is a float add or subtract of
 * the same type in the same block: as written it rounds twice; with plain `mul` and `add` ptxas
 * may fuse it, with `.rn` it may not. */
#ifndef PTX_ANALYSIS_REDUNDANCY_MIX_H
#define PTX_ANALYSIS_REDUNDANCY_MIX_H

#include "analysis/flow/func_flow.h"
#include "isa/isa.h"
#include "support/arena.h"

typedef struct Trips Trips;

#define MIX_LOOP_WEIGHT 10.0

typedef enum Flops { FLOPS_FP32, FLOPS_FP64, FLOPS_FP16, FLOPS_TENSOR, FLOPS__COUNT } Flops;

typedef struct Mix {
    uint32_t counts[CLASS__COUNT];      /* CLASS_NONE unused */
    double weighted[CLASS__COUNT];
    uint32_t insn_count, fused_count, fusable_count;
    double weighted_insn_count, weighted_fused_count;
    double weighted_flops[FLOPS__COUNT];        /* of one thread; a multiply-add counts 2 */
    /* adds, multiplies and multiply-adds that made them; of a fusable pair one. None of the matrix
     * unit */
    double weighted_float_ops[FLOPS__COUNT];
    /* that a thread loads from and stores to global memory, generic addresses included */
    double weighted_global_bytes;
    double weighted_stops;              /* how often a warp blocks: region.h */
    /* bit i: an instruction whose rate is FIGURE_TENSOR_F16 + i */
    uint32_t tensor_rates;
    bool has_assumed_trips;             /* a loop inside counts MIX_LOOP_WEIGHT */
    bool has_assumed_branches;          /* sides of a branch inside count alike */
    bool has_unknown_shapes;            /* of a tcgen05.mma inside: flops of tensors are NaN */
} Mix;

typedef struct Mixes {
    Mix func;                   /* reachable blocks only */
    /* per loop, inner loops included; weighted from that loop inwards */
    const Mix *loops;
} Mixes;

/* trips may be NULL: none is known. Owned by arena; scratch is left as found. */
const Mixes *ptx_mix_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                             const Trips *trips);

/* Whether an operation is a float multiply-add: one rounding. */
bool ptx_op_is_fused(const Op *op);

#endif
