/* cache.h -- what of a launch's loads comes out of L1, out of L2, out of memory.
 *
 * A footprint (footprint.h) says which sectors a block asks for first and how far apart it asks for them again. Blocks that share an SM run side by side: what
 * several of them read is fetched about once, and a sector asked for again is still there where what they all ask for in between fits. The same holds for L2 and
 * all SMs. Blocks are given to SMs in order, one to each: those on one SM are as many apart as there are SMs. Reuse distance: Mattson, Gecsei, Slutz and Traiger,
 * "Evaluation Techniques for Storage Hierarchies", IBM Systems Journal 1970. */
#ifndef PTX_ESTIMATE_CACHE_H
#define PTX_ESTIMATE_CACHE_H

#include "gpu/gpu.h"
#include "warp/evaluate.h"

typedef struct Cached {
    double load_sectors, load_requests;     /* that L2 is asked for */
    double read_bytes;                      /* from memory */
    double lost;                /* of the sectors that blocks ask for again: the share that L1 has given up by then */
} Cached;

Cached ptx_cached_compute(const Evaluation *evaluation, const Gpu *gpu, double blocks_per_sm, double warps_per_block);

#endif
