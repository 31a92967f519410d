/* must_diverge.h -- branches that certainly send lanes of one warp both ways, and blocks that then
 * only some lanes execute.
 *
 * The condition of a branch, as an expression over what a kernel is given (ssa.h), is evaluated
 * lane by lane, for each warp of the block where .reqntid or the launch give its shape. Else for
 * one warp whose lanes have %tid.x 0 to 31, as in a block of one dimension; a kernel that reads
 * another component of %tid or %ntid has no such warp, and of %laneid alone something is known.
 *
 * Lanes that an earlier branch certainly keeps away do not count: all that come to `if (lane < 8)`
 * inside `if (lane < 4)` go one way. Lanes for which an earlier condition is not certain do: what
 * it waits for (a parameter, memory) may let all of them through. Where nothing says that it may,
 * nothing behind it is certain.
 *
 * Which branches cannot part a warp at all is uniform.h's word.
 *
 * A block has a mark `by` where the branch dominates it, it lies on one way only between the branch
 * and its immediate post-dominator, and no way leads back to the branch before that. There is none
 * where the post-dominator is the exit, or does nothing but leave: `if (i >= n) return` and `if (i
 * < n) { all the rest }` are one graph, and lanes that have left are not waited for. Only of
 * kernels: a function may be called by a part of a warp. */
#ifndef PTX_ANALYSIS_VALUE_MUST_DIVERGE_H
#define PTX_ANALYSIS_VALUE_MUST_DIVERGE_H

#include "analysis/flow/types.h"
#include "support/arena.h"

typedef struct Launch Launch;
typedef struct Uniforms Uniforms;
#include "analysis/flow/func_flow.h"

typedef struct MustDiverge {
    /* per block: 1: the guarded bra that ends it certainly sends some lanes of a warp each way */
    const uint8_t *splits;
    /* per block: the nearest block whose branch certainly keeps some lanes of a warp away from
     * here, until it ends, where others come; NO_ID: none */
    const BlockId *by;
    /* per block: lanes of a warp that this branch certainly keeps away, where others of it come; 0
     * without a mark. The branch around it is by[by[block]], and absent[by[block]] its lanes */
    const uint32_t *absent;
    /* per block: that warp */
    const uint8_t *warp;
    /* per block: perhaps executed by a part of a warp only, because lanes went another way or have
     * left; true where in doubt. A call is taken to return in all lanes */
    const bool *may;
    /* the block's shape is not known, and was taken as one row of threads: then the first two are
     * likely only */
    bool is_assumed;
} MustDiverge;

/* Branches one by one: whether one by itself certainly sends lanes of a warp both ways,
 * whichever of them come to it; true where in doubt. Where no branch that dominates a block does,
 * the block has no mark. All of it lies in arena. */
typedef struct LaneSplits LaneSplits;

LaneSplits *ptx_lane_splits_new(Arena *arena, const FuncFlow *flow, const Launch *launch);
bool ptx_lane_splits_may(LaneSplits *splits, BlockId block);

/* launch may be NULL. The work is bounded; what is beyond it is in doubt. Owned by arena; scratch,
 * another arena, is left as found. */
const MustDiverge *ptx_must_diverge_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                            const Uniforms *uniforms, const Launch *launch);

#endif
