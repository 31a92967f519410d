/* row_sectors.h -- sectors of a request in which groups of lanes take a row each that data choose
 * (lane_groups.h). One group alone touches what its lanes do, wherever its row begins; all of them
 * touch no less than any one, and no more than all of them one by one. */
#ifndef PTX_ANALYSIS_SIM_COST_ROW_SECTORS_H
#define PTX_ANALYSIS_SIM_COST_ROW_SECTORS_H

#include "analysis/sim/count.h"
#include "analysis/sim/request.h"
#include "analysis/sim/value.h"

typedef struct Gpu Gpu;

typedef struct RowSectors {
    /* of the request: lanes at these distances from the first of them, this at that place in a
     * sector */
    uint64_t apart[WARP_LANES];
    uint32_t lanes, bytes;
    uint8_t place, group, kind;
    unsigned rows;
    double least, most;
    double expected;            /* rows lie apart, and begin at any place that is allowed alike */
} RowSectors;

/* What the last request came to serves again for one like it. request: its addresses are not
 * set; of address those lanes have a group. */
void ptx_row_sectors_find(RowSectors *rows, const Gpu *gpu, const Request *request,
                          const Value *address);

void ptx_row_sectors_add(const RowSectors *rows, Count *count);

#endif
