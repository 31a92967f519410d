/* fuse.h -- a multiply and an add that could be one multiply-add: the fusable pairs of the mix, one
 * by one. */
#ifndef PTX_ANALYSIS_REDUNDANCY_FUSE_H
#define PTX_ANALYSIS_REDUNDANCY_FUSE_H

#include "analysis/flow/types.h"
#include "ir/insn.h"
#include "support/arena.h"

#include <stdbool.h>

/* Per instruction: of a float multiply whose result has one definition and one use, in an add or
 * subtract of the same type and guard behind it in its block, that add or subtract; else NO_ID. One
 * that adds two such products takes the first. With .rn on one of the two, factors that were split
 * into high and low parts (Dekker: x - (x - y)) make exact products, and are left out. Reachable
 * blocks only. Owned by arena; scratch, another arena or the same, is left as found where it is
 * another. */
const InsnId *ptx_fuse_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg);

/* One of the two has .rn: ptxas fuses none that has. */
bool ptx_fuse_is_barred(const Insn *mul, const Insn *add);

#endif
