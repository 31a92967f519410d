/* work.h -- how much of each instruction's work ptxas cannot make disappear.
 *
 * A bound on time may count only what every translation must execute. ptxas removes copies and what
 * is computed twice, keeps local arrays in registers, folds address arithmetic into offsets and
 * running pointers, moves what is equal in all threads to uniform registers, hoists what a loop
 * does not change and the reciprocals of divisors that it does not, joins adds, shifts, logic and
 * compares in pairs (IADD3, LEA, LOP3), multiplies with adds (FFMA), and neighbouring accesses up
 * to 16 bytes. Each such instruction has a share of its cost here, in sixteenths: 16 stays as it
 * is, 0 may vanish. When in doubt the share is lower: then the bound is weaker and still holds. Not
 * seen: what ptxas finds constant because it knows the range of %tid (lanes that a mask always
 * switches off). */
#ifndef PTX_ANALYSIS_TIME_WORK_H
#define PTX_ANALYSIS_TIME_WORK_H

#include "analysis/flow/func_flow.h"
#include "support/arena.h"

enum { WORK_WHOLE = 16 };

/* Per instruction: its share, 0..WORK_WHOLE. live may be NULL. Owned by arena; scratch, another
 * arena, is left as found. */
const uint8_t *ptx_work_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                const Live *live);

#endif
