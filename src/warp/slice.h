/* slice.h -- which instructions a run has to evaluate: those that an address, a guard or a branch rests on.
 *
 * A backward slice over registers, without regard to control flow: an instruction is in it when something in it reads what it writes. What is loaded
 * brings in what is stored to the same space, but for global memory, whose contents are not followed. Linear in the function but for few passes. */
#ifndef PTX_WARP_SLICE_H
#define PTX_WARP_SLICE_H

#include "analysis/cfg.h"

typedef struct Slice {
    const bool *is_needed;      /* per instruction */
    const uint16_t *plain;      /* per instruction: so many from here on, in its block, do nothing that must be run; 0: it must */
} Slice;

/* Owned by arena; scratch is left as found. */
Slice ptx_slice_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg);

#endif
