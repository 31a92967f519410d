/* data_extent.h -- where in shared memory data may lead an access.
 *
 * The definitions behind the address are followed down to what is loaded: bins[in[i] & 255] lies in
 * the first 256 elements of bins, whatever is loaded. Only addresses that a variable, constants and
 * loaded numbers make are followed, each register with one definition. One that has the thread in
 * it as well may be a part of the array for each thread or warp, and shows nothing. */
#ifndef PTX_ANALYSIS_SIM_RACE_DATA_EXTENT_H
#define PTX_ANALYSIS_SIM_RACE_DATA_EXTENT_H

#include "ir/types.h"

#include <stdint.h>

typedef struct PointsToSet PointsToSet;

typedef struct DataExtent {
    VarId var;
    uint64_t low, high;         /* bytes of it, from low to before high; equal: not known */
} DataExtent;

/* Of the first address of an instruction of func. bases: the function's. */
DataExtent ptx_data_extent_find(const Module *module, const Func *func, const PointsToSet *bases,
                                const Insn *insn);

#endif
