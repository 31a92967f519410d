/* constant_cache.h -- how long an SM's caches of constants take for the loads of a launch.
 *
 * They serve one address of a request at a time. The nearest holds little: a word that a loop reads
 * at an address that a warp shares is there for warps in step with the first that asked for it;
 * those of blocks that are elsewhere in the loop ask anew. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_CONSTANT_CACHE_H
#define PTX_ANALYSIS_TIME_MEMORY_CONSTANT_CACHE_H

#include "analysis/flow/types.h"
#include "ir/types.h"
#include "support/arena.h"

typedef struct AddressDistribution AddressDistribution;
typedef struct Count Count;
typedef struct DataSource DataSource;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Unrolling Unrolling;

typedef struct ConstantLoads {
    const Gpu *gpu;
    const Func *func;
    const Cfg *cfg;             /* NULL: loops are not looked at */
    const Loops *loops;
    const Unrolling *unrolled;  /* per loop */
    const Evaluation *evaluation;
    const AddressDistribution *spread;      /* NULL: of no address data say where */
    const DataSource *sources;  /* ptx_data_sources_compute; NULL */
    double issued;              /* machine instructions that load constants */
    double blocks, warps;       /* of an SM, at once */
} ConstantLoads;

/* In all SMs together. scratch is left as found. */
double ptx_constant_clocks(Arena *scratch, const ConstantLoads *loads);

/* Addresses of constants that the requests of a load ask for, each once a request; of lanes that go
 * where data say, the most likely. reach: AddressDistribution's; groups: of lanes that go to one
 * place each, at most. */
double ptx_constant_addresses(const Count *count, double reach, uint32_t bytes, double groups);

#endif
