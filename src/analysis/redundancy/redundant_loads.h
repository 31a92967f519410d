/* redundant_loads.h -- what the text of a function says twice: loads, barriers, addresses that a
 * loop does not change, accesses side by side.
 *
 * Registers are compared by their value numbers (local_value_numbering.h), so an address is a
 * number and a constant offset. What may write where is decided by what the text says of memory
 * (effect.h), and by the address where both have the same number: then their bytes decide. Two
 * numbers, two variables too, may be the same place. */
#ifndef PTX_ANALYSIS_REDUNDANCY_REDUNDANT_LOADS_H
#define PTX_ANALYSIS_REDUNDANCY_REDUNDANT_LOADS_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>
#include "analysis/flow/func_flow.h"

typedef struct RedundantLoads {        /* per instruction */
    /* a load of the same address and size before it in its block, with nothing between that may
     * write there; NO_ID. Not of loads that are volatile, relaxed, acquire or mmio, or of .param or
     * .const */
    const InsnId *earlier;
    /* of those that have one: ptxas reads once by itself. So it was seen to do, for sm_75 to
     * sm_120, where nothing between writes memory of that kind, at whatever place, and both or none
     * of the two are .nc */
    const bool *merged;
    /* a barrier of the CTA, with the same number and threads, before it in its block, with no
     * memory access and nothing else that others could see between; NO_ID */
    const InsnId *barrier;
    /* an access in a loop whose address no iteration of its innermost loop changes */
    const bool *invariant;
    /* a load in a loop: something in its innermost loop may write what it reads */
    const bool *may_change;
    /* the same by a store or an atomic, where nothing there asks for what other blocks write */
    const bool *may_be_stored;
    /* a load that does not change in its innermost loop: ptxas loads it once, ahead of the loop, by
     * itself, as it was seen to do where each way through the loop loads it */
    const bool *hoisted;
    /* of the first, by offset, of several unguarded loads (or stores) of one text and one base in
     * one block whose bytes make one run: how many, 255 at most. 1: alone. Else 0. No write that
     * may alias stands between loads, no load of what is stored and no barrier between stores */
    const uint8_t *neighbours;
} RedundantLoads;

/* Owned by arena; scratch, another arena, is left as found. defs: NULL where there are no loops. */
const RedundantLoads *ptx_redundant_loads_compute(Arena *arena, Arena *scratch,
                                                  const FuncFlow *flow, const Defs *defs);

#endif
