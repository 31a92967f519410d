/* lost_update.h -- elements of shared memory that threads update by a load and a store, at an index
 * that data give: s[in[i]]++ without an atomic operation.
 *
 * Nothing in the code keeps two threads from the same element there, and then one of the two
 * updates is lost. Whether it happens rests on the data alone: each is a "may".
 *
 * An index is given by data if it is computed from loads of global memory and from what is the same
 * in all threads of a block. Anything of the thread itself (%tid, a vote, an atomic's old value)
 * may give each thread an element of its own, and the access is not looked at. Neither is a store
 * that one thread or one lane may be chosen for: by a comparison for equality with such a value, by
 * a lock, or where every execution of a run had one lane. */
#ifndef PTX_ANALYSIS_RACE_LOST_UPDATE_H
#define PTX_ANALYSIS_RACE_LOST_UPDATE_H

#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/sim/count.h"

typedef struct LostUpdate {
    InsnId load, store;         /* of one address */
    InsnId index;               /* the load of global memory that gives it */
} LostUpdate;

typedef struct LostUpdateInput {
    const FuncFlow *flow;
    CountTable counts;          /* per instruction, of a run; NULL: there was none */
} LostUpdateInput;

/* In the order of the text, at most `most` of them. Returns how many there are in out; scratch is
 * left as found. */
uint32_t ptx_lost_updates_find(Arena *scratch, const LostUpdateInput *input, LostUpdate *out,
                               uint32_t most);

#endif
