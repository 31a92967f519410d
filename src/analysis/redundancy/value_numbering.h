/* value_numbering.h -- instructions that compute what another one of the function computes too.
 *
 * Value numbering by hashing (Cocke and Schwartz, "Programming Languages and Their Compilers",
 * 1970) over the function in the order of its text: two values are one where opcode, modifiers and
 * the values of all operands are. The low and the high half of one product count as one: a machine
 * multiplies once for both. So do divisions and remainders by the same divisor, which share its
 * reciprocal. Loads count as well. Whether the other instruction is on the way, or a store between
 * them, is not asked: this says what a translation might leave out, not what it may. */
#ifndef PTX_ANALYSIS_REDUNDANCY_VALUE_NUMBERING_H
#define PTX_ANALYSIS_REDUNDANCY_VALUE_NUMBERING_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

/* Per instruction: true where an earlier one, that is not dead, does the work. live may be NULL.
 * Owned by arena; scratch, which may be the same, is left as found but for that. */
const bool *ptx_value_numbering_compute(Arena *arena, Arena *scratch, const Func *func,
                                        const Live *live);

#endif
