/* needed.h -- instructions that something outside of the function depends on.
 *
 * Dead code by marking (Cytron et al., "Efficiently Computing Static Single Assignment Form and the
 * Control Dependence Graph", TOPLAS 1991, section 7.1), but all control is taken as needed, and a
 * register's definitions as one: a sum that only its own loop reads is not needed, though liveness
 * (liveness.h) says it lives. */
#ifndef PTX_ANALYSIS_REDUNDANCY_NEEDED_H
#define PTX_ANALYSIS_REDUNDANCY_NEEDED_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

/* Per instruction. Owned by arena; scratch, another arena or the same, is left as found where it is
 * another. */
const bool *ptx_needed_compute(Arena *arena, Arena *scratch, const Func *func, const Defs *defs);

/* Per register: one of them reads it. The same of memory. */
const bool *ptx_needed_registers_compute(Arena *arena, Arena *scratch, const Func *func,
                                         const Defs *defs);

#endif
