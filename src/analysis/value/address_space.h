/* address_space.h -- where accesses to generic addresses go, by what the addresses certainly point
 * to: a variable that cvta took to the generic window and that a sum was made of, by a number from
 * memory too. ptxas infers the same, and makes LDS and ATOMS of such accesses. */
#ifndef PTX_ANALYSIS_VALUE_ADDRESS_SPACE_H
#define PTX_ANALYSIS_VALUE_ADDRESS_SPACE_H

#include "ir/types.h"
#include "support/arena.h"

/* Sets Insn.space of the accesses of all functions. Linear in those that have generic accesses;
 * others cost nothing. Both arenas are left as found. */
void ptx_address_spaces_infer(Module *module, Arena *arena, Arena *scratch);

#endif
