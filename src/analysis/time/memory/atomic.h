/* atomic.h -- how long L2 takes for the atomic operations of a launch.
 *
 * Slices of L2 work side by side, each on addresses of its own: a few hundred bytes here, a few
 * there, so that a small array keeps few of them busy. A slice passes a request's sector once for
 * each lane at its most crowded address (footprint.h). Where data say which address, lanes are
 * taken to hit what they can reach (address_distribution.h) by chance. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_ATOMIC_H
#define PTX_ANALYSIS_TIME_MEMORY_ATOMIC_H

#include "ir/types.h"

typedef struct AddressDistribution AddressDistribution;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;

typedef struct AtomicTime {
    double busiest_us;          /* of the slice that has most of them */
    double mean_us;             /* of all slices, on average: loads and stores wait behind them */
} AtomicTime;

/* spread: ptx_address_distribution_compute; NULL: of no address data say where. */
AtomicTime ptx_atomic_time(const Gpu *gpu, const Func *func, const Evaluation *evaluation,
                           const AddressDistribution *spread);

#endif
