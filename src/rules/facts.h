/* facts.h -- what the public view finds of a kernel and rules ask for. */
#ifndef PTX_RULES_FACTS_H
#define PTX_RULES_FACTS_H

#include "support/diag.h"

/* How a kernel is launched, and how it fits the first GPU. NaN, -1: not known. */
typedef struct Figures {
    double block_threads, most_threads, grid_blocks;
    bool block_exceeds_bounds;
    double register_cap;
    double static_shared_bytes, local_bytes, spill_bytes;
    double registers, occupancy_percent, blocks_per_sm, registers_to_free, shared_to_free;
    double waves, tail_blocks, utilisation_percent;
    int limiter;                /* Limiter; -1 */
    const char *launch_error;   /* why no block fits; NULL */
    Certainty certainty;        /* of those from registers on */
} Figures;

#endif
