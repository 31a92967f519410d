/* initial.h -- what a variable of the module holds before the host writes to it. */
#ifndef PTX_ANALYSIS_SIM_INITIAL_H
#define PTX_ANALYSIS_SIM_INITIAL_H

#include "ir/types.h"
#include "support/arena.h"

/* Its bytes, var->bytes of them; NULL: its initialiser is not a plain list of numbers, or it has
 * none. Owned by arena. */
const uint8_t *ptx_initial_read(Arena *arena, const Module *module, VarId var);

#endif
