/* mix.h -- the instruction mix: how many instructions of each class, in the function and in each of its loops.
 *
 * Static counts are exact. Weighted counts take ten trips for every loop around an instruction, the field's custom where
 * trips are not known: they rank, they do not measure. The FMA fraction is Ryoo et al., "Optimization Principles and
 * Application Performance Evaluation of a Multithreaded GPU Using CUDA" (PPoPP 2008), section 4: multiply-adds among all
 * instructions of the loop that matters. A fusable pair is a float multiply whose one use is a float add or subtract of
 * the same type in the same block: as written it rounds twice; with plain `mul` and `add` ptxas may fuse it, with `.rn`
 * it may not. */
#ifndef PTX_ANALYSIS_MIX_H
#define PTX_ANALYSIS_MIX_H

#include "analysis/cfg.h"
#include "analysis/loop.h"

#define MIX_LOOP_WEIGHT 10.0

typedef struct Mix {
    uint32_t counts[CLASS__COUNT];      /* CLASS_NONE unused */
    double weighted[CLASS__COUNT];
    uint32_t insn_count, fused_count, fusable_count;
    double weighted_insn_count, weighted_fused_count;
} Mix;

typedef struct Mixes {
    Mix func;                   /* reachable blocks only */
    const Mix *loops;           /* per loop, inner loops included; weighted from that loop inwards */
} Mixes;

/* Owned by arena; scratch is left as found. */
const Mixes *ptx_mix_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg, const Loops *loops);

/* Whether an operation is a float multiply-add: one rounding. */
bool ptx_op_is_fused(const Op *op);

#endif
