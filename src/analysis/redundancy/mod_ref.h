/* mod_ref.h -- through which of their pointer parameters functions may write global memory, and
 * what a kernel only reads.
 *
 * Calls are looked through: a function that is called writes through the caller's parameter where
 * it writes through its own, and that is what was passed. Where it is not known what a function
 * writes, it may write anywhere: it is not in the file, calls itself, or calls what is not named,
 * writes through an address that it has loaded, or the chain of calls is too long. Different
 * parameters are taken as different memory. */
#ifndef PTX_ANALYSIS_REDUNDANCY_MOD_REF_H
#define PTX_ANALYSIS_REDUNDANCY_MOD_REF_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct PointsToSet PointsToSet;

/* What is known of a module's functions; each is looked at once. */
typedef struct Writers Writers;
Writers *ptx_writers_new(Arena *arena, const Module *module, const CallGraph *calls);

/* Per instruction: a load of global memory through a pointer parameter of the entry, where all that
 * the entry and the functions that it calls write goes through other parameters, or to variables.
 * Owned by arena; scratch, another arena, is left as found. */
const bool *ptx_read_only_params_compute(Arena *arena, Arena *scratch, Writers *writers,
                                         const Func *func, const Cfg *cfg,
                                         const PointsToSet *bases);

#endif
