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
    const Loops *loops;
    const Cfg *cfg;
} Defs;

/* Owned by arena. */
const Defs *ptx_defs_compute(Arena *arena, const Func *func, const Cfg *cfg, const Loops *loops);

/* Those of the flow; computed where it has none. */
const Defs *ptx_defs_of(Arena *arena, const FuncFlow *flow);

/* How many of a register's definitions are in the loop; UINT32_MAX where it has more than
 * DEFS_MOST. *last: the last of them in the text, where there is one. */
uint32_t ptx_defs_in_loop(const Defs *defs, LoopId loop, RegId reg, InsnId *last);

static inline uint32_t ptx_defs_count(const Defs *defs, RegId reg)
{
    return defs->first[reg + 1] - defs->first[reg];
}

#endif
