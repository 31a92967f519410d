/* dead_code.h -- what a function does in vain: loop bookkeeping, unused results.
 *
 * All results are owned by arena; scratch, another arena, is left as found. */
#ifndef PTX_ANALYSIS_REDUNDANCY_DEAD_CODE_H
#define PTX_ANALYSIS_REDUNDANCY_DEAD_CODE_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

/* Per loop, instructions of its own text (not of inner loops) that only count, compare, branch back
 * and step addresses by a constant: the branches that close it or go on inside, the comparison that
 * nothing else reads, additions of a constant to a register that only the comparison, addresses and
 * itself use. When in doubt an instruction is none of them. */
const uint32_t *ptx_loop_overhead_compute(Arena *arena, Arena *scratch, const Func *func,
                                          const Cfg *cfg, const Loops *loops, const Defs *defs);

/* Per instruction: it writes a register and no path reads any that it writes; whether it does
 * something else is not asked. All false where live is NULL. */
const bool *ptx_dead_code_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg,
                                  const Live *live);

#endif
