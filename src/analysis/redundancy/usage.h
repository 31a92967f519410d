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

typedef struct PointsToSet PointsToSet;

typedef struct Usage {          /* per VarId */
    const bool *is_named;       /* an instruction, or an initialiser, names it */
    const bool *is_read;        /* may be read */
    const bool *is_written;     /* may be written; a value that it begins with is no write */
} Usage;

/* What functions do, noted while their bases are known. */
typedef struct UsageMarks {
    const Module *module;
    bool *is_named, *is_read, *is_written;      /* per VarId */
    bool *has_func;             /* per FuncId: it was noted */
} UsageMarks;

/* Nothing noted yet. Owned by arena. */
UsageMarks *ptx_usage_marks_new(Arena *arena, const Module *module);
void ptx_usage_note(UsageMarks *marks, FuncId func, const PointsToSet *bases);
/* What others noted. */
void ptx_usage_add(UsageMarks *marks, const UsageMarks *others);

/* Of all that was noted, and of the functions that were not. Linear in the module. Owned by arena;
 * scratch, another arena, is left as found. */
const Usage *ptx_usage_compute(Arena *arena, Arena *scratch, UsageMarks *marks);

#endif
