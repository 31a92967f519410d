/* kept_runs.h -- evaluations of the last launches that were tried: another cap on registers, or a
 * GPU to which the evaluation is the same, runs nothing again. */
#ifndef PTX_SESSION_KEPT_RUNS_H
#define PTX_SESSION_KEPT_RUNS_H

#include "ir/types.h"

#include <stddef.h>

typedef struct Arena Arena;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct GridRuns GridRuns;
typedef struct KernelRun KernelRun;
typedef struct KeptRuns KeptRuns;
typedef struct Launch Launch;

/* All that an evaluation of a module rests on. */
typedef struct RunKey {
    FuncId func;
    const Launch *launch;
    const Gpu *gpu;             /* NULL: none is known */
    uint64_t steps;
} RunKey;

/* Owned by arena; evaluations lie in `evaluations`, runs that stand for other grids in `grids`,
 * which nothing else may use. */
KeptRuns *ptx_kept_runs_new(Arena *arena, Arena *evaluations, Arena *grids);

/* NULL: it is not kept. Until the next ptx_kept_runs_make_room. */
const Evaluation *ptx_kept_runs_find(const KeptRuns *kept, const RunKey *key);

/* For one more, which is then to be made in this arena, and added; what is there may go. */
Arena *ptx_kept_runs_make_room(KeptRuns *kept);

/* Of a launch whose steps are few (DEPTH_FEW), in that arena: by runs of another grid, and keeping
 * the runs of this one. NULL: they do not stand for it; it is not worth it. */
const Evaluation *ptx_kept_runs_evaluate(KeptRuns *kept, const RunKey *key, Arena *work);
const Evaluation *ptx_kept_runs_keep(KeptRuns *kept, const RunKey *key, const KernelRun *run);

void ptx_kept_runs_add(KeptRuns *kept, const RunKey *key, const Evaluation *evaluation);

#endif
