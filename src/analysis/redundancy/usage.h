/* usage.h -- what a module does with its variables.
 *
 * A variable's address is followed through registers that a single instruction writes, and through
 * sums (points_to.h). Where it goes anywhere else (memory, a call, a comparison, a register with
 * another definition) the variable may be read and written. So may one that an initialiser names,
 * and all of them where a function has a syntax error: what stood there is not known. */
#ifndef PTX_ANALYSIS_REDUNDANCY_USAGE_H
#define PTX_ANALYSIS_REDUNDANCY_USAGE_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct Usage {          /* per VarId */
    const bool *is_named;       /* an instruction, or an initialiser, names it */
    const bool *is_read;        /* may be read */
    const bool *is_written;     /* may be written; a value that it begins with is no write */
} Usage;

/* Linear in the module. Owned by arena; work, which may be the same, and scratch, another one, are
 * left as found but for that. */
const Usage *ptx_usage_compute(Arena *arena, Arena *work, Arena *scratch, const Module *module);

#endif
