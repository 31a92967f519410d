/* warp_atomic.h -- atomic operations that one lane does for all of its warp. */
#ifndef PTX_ANALYSIS_SASS_WARP_ATOMIC_H
#define PTX_ANALYSIS_SASS_WARP_ATOMIC_H

#include "ir/types.h"

#include <stdbool.h>

typedef struct Selected Selected;
typedef struct Selection Selection;

/* Whether lanes do, or the machine counts them; what they do for it stands beside row. */
bool ptx_atomic_gather(Selection *s, const Selected *row, const Insn *insn);

#endif
