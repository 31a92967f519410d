/* moving_ranges.h -- what a run that stands for many blocks touches, by how it moves from block to
 * block: where the requests of another of these blocks begin and end follows without running it. */
#ifndef PTX_ANALYSIS_SIM_COST_MOVING_RANGES_H
#define PTX_ANALYSIS_SIM_COST_MOVING_RANGES_H

#include "analysis/sim/cost/footprint.h"

enum { MAX_MOVING_RANGES = 32 };

typedef struct MovingRange {    /* of the requests of one array and side that move alike */
    uint32_t array, side;       /* footprint.c's */
    uint64_t first, last;       /* bytes */
    FootprintShift shift;
} MovingRange;

typedef struct MovingRanges {
    MovingRange items[MAX_MOVING_RANGES];
    uint32_t count;
    bool is_incomplete;         /* it touches more, or is no run for many blocks */
} MovingRanges;

void ptx_moving_ranges_add(MovingRanges *ranges, const MovingRange *range);

/* Bytes that what moves so is from where it was, in a block so far away. False: it is not known. */
bool ptx_shift_way(const FootprintShift *shift, const int64_t blocks[3], int64_t *bytes);

#endif
