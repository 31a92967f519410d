/* local_arrays.h -- accesses to local memory that ptxas leaves in memory.
 *
 * ptxas turns a local array into registers where it can: all accesses have constant offsets, or a
 * few indices select among few elements, and counted loops are unrolled. Asked of ptxas 13.0 with
 * 250 kernels, mostly of sm_90 and 16 of them of sm_75 to sm_120. It left in memory
 *
 * - arrays whose address is stored, passed to a call, or used in a generic access;
 * - arrays with elements of 1 or 8 bytes;
 * - arrays with an index that comes out of memory which stores may change;
 * - arrays of 6 elements or more with an index in a loop that is not counted, and filled outside;
 * - arrays with more selections than ARRAY_LIMITS, and those of 256 elements or more.
 *
 * Of others it is not known: they are taken to become registers. */
#ifndef PTX_ANALYSIS_SASS_LOCAL_ARRAYS_H
#define PTX_ANALYSIS_SASS_LOCAL_ARRAYS_H

#include "analysis/flow/types.h"
#include "analysis/value/points_to.h"
#include "support/arena.h"
#include <stdbool.h>

typedef struct Trips Trips;

typedef struct LocalArraysInput {
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Trips *trips;
    const PointsToSet *bases;
} LocalArraysInput;

/* Per instruction: an access to local memory that stays one. Owned by arena; scratch, another
 * arena, is left as found. */
const bool *ptx_local_arrays_compute(Arena *arena, Arena *scratch, const LocalArraysInput *in);

#endif
