/* unroll.h -- which loops ptxas unrolls, and into how many iterations.
 *
 * ptxas 13.0 was asked with loops of every length, kind of memory and trip count, on sm_75 to
 * sm_120: it joins four iterations of an innermost loop that one branch leaves and whose counter
 * goes on by a constant, up to a length that grows with what the loop loads; all of them, or as
 * many as fit a length, where the trip count is in the code. Calls, divisions and roots with slow
 * paths, `.pragma "nounroll"`, and before sm_90 shuffles keep a loop as it is. */
#ifndef PTX_ANALYSIS_SASS_UNROLL_H
#define PTX_ANALYSIS_SASS_UNROLL_H

#include "analysis/flow/types.h"
#include "analysis/flow/func_flow.h"

#include <stdbool.h>

typedef struct Lowered Lowered;
typedef struct Arena Arena;
typedef struct Op Op;

/* What ptxas makes a sequence of, with a slow path in a subroutine: by its registers. */
typedef enum Expansion {
    EXPANSION_NONE,
    EXPANSION_QUOTIENT,
    EXPANSION_ROOT,
    EXPANSION_QUOTIENT64,
    EXPANSION_ROOT64,
    EXPANSION_INTEGER,
    EXPANSION_INTEGER64,
    EXPANSION__COUNT
} Expansion;

Expansion ptx_op_expansion(const Op *op);

enum { UNROLLED_SM = 70 };      /* compilers for older machines were not asked */

/* Why a loop stays as it is, where ptxas was seen to do so whatever else is in it. */
typedef enum KeptBy {
    KEPT_BY_OTHER,
    KEPT_BY_INSTRUCTION,        /* `.pragma`, a call, a slow path, a shuffle before sm_90 */
    KEPT_BY_COUNTER             /* compared before its step; the trip count is not in the code */
} KeptBy;

typedef struct Unrolling {
    uint32_t times;             /* iterations that become one; 1: it stays as it is */
    uint8_t kept_by;            /* KeptBy; of 1 */
    bool is_whole;              /* nothing is left of the loop */
    /* how many iterations there are is not in the code: some may not fill a joined one */
    bool has_rest;
} Unrolling;

/* Of the loop's blocks, all but one are a jump back to it: `@%p bra out; bra.uni loop`. */
bool ptx_loop_is_one_block(const Func *func, const Cfg *cfg, const Loops *loops, LoopId loop);

/* Per loop; arena's. lowered: without its unrolled yet. sm: of the machine. */
const Unrolling *ptx_unroll_compute(Arena *arena, const FuncFlow *flow, const Defs *defs,
                                    const Lowered *lowered, unsigned sm);

#endif
