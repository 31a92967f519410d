/* hidden_traffic.h -- what a launch moves beside its accesses to global memory: arrays and
 * registers that ptxas keeps in local memory, tiles that the bulk copy engine brings, and textures
 * and surfaces.
 *
 * A spilled register is stored and loaded once in each iteration of the loop that runs most
 * instructions: there the values are live that ask for too many. Lines of all warps of an SM that
 * L1 does not hold pass through L2. Where a bulk copy reads may be in a tensor map that the host
 * made: its bytes are then those that its mbarrier waits for, and how many of them come from memory
 * is not known. Boxes that are known (request.h) are in the footprint. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_HIDDEN_TRAFFIC_H
#define PTX_ANALYSIS_TIME_MEMORY_HIDDEN_TRAFFIC_H

#include "analysis/time/memory/cache.h"
#include "analysis/time/predict.h"

typedef struct HiddenTraffic {
    double local_lines;         /* of local memory, through L1 */
    double box_rows;            /* of up to a line, that bulk copies move */
    bool has_bulk;              /* some move what is not known */
    double texel_bytes;         /* of textures and surfaces: what lanes ask for */
} HiddenTraffic;

/* Of textures and surfaces neither the layout nor the format is known: a guess of 4 bytes a texel,
 * or what a surface access says, each another one and from memory. */
bool ptx_hidden_traffic_has_texels(const PredictInput *in);

/* What goes to L2 is added to cached. */
HiddenTraffic ptx_hidden_traffic_add(Arena *scratch, const PredictInput *in, Cached *cached);

#endif
