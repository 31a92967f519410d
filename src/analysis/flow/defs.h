/* defs.h -- where each register is written, and whether that is inside a loop. */
#ifndef PTX_ANALYSIS_FLOW_DEFS_H
#define PTX_ANALYSIS_FLOW_DEFS_H

#include "analysis/flow/func_flow.h"
#include "analysis/flow/types.h"
#include "support/arena.h"
#include "analysis/flow/loop.h"

#include <stdbool.h>

enum { MAX_DEFS = 16 };        /* of one register that are looked at */

typedef struct Defs {
    const uint32_t *first;      /* per register and one more: into insns */
    /* ascending; an instruction that writes a register twice is there twice */
    const InsnId *insns;
    /* per loop: the last loop inside it, and one more: Loops is a preorder */
    const LoopId *loop_end;
    const Loops *loops;
    const Cfg *cfg;
} Defs;

/* Owned by arena. */
const Defs *ptx_defs_compute(Arena *arena, const Func *func, const Cfg *cfg, const Loops *loops);

/* Those of the flow; computed where it has none. */
const Defs *ptx_defs_of(Arena *arena, const FuncFlow *flow);

/* Whether a block is in a loop or in one inside it. */
static inline bool ptx_loop_holds(const Defs *defs, LoopId loop, BlockId block)
{
    LoopId inner = defs->loops->loop_of[block];
    return inner != NO_LOOP && inner >= loop && inner < defs->loop_end[loop];
}

/* How many of a register's definitions are in the loop; UINT32_MAX where it has more than
 * DEFS_MOST. *last: the last of them in the text, where there is one. */
uint32_t ptx_defs_in_loop(const Defs *defs, LoopId loop, RegId reg, InsnId *last);

static inline uint32_t ptx_defs_count(const Defs *defs, RegId reg)
{
    return defs->first[reg + 1] - defs->first[reg];
}

#endif
