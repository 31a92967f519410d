/* live_out.h -- at the ends of which blocks a register, or another thing that is defined and used,
 * is live.
 *
 * By path exploration from each use to the definitions (Brandner, Boissinot, Darte, Dupont de
 * Dinechin and Rastello, "Computing Liveness Sets for SSA-Form Programs", INRIA RR-7503, 2011, the
 * by-variable form, which does not need SSA): time and memory are proportional to the sets. */
#ifndef PTX_ANALYSIS_FLOW_LIVE_OUT_H
#define PTX_ANALYSIS_FLOW_LIVE_OUT_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct LiveSite {           /* a thing is used, or its range ends, in that block */
    uint32_t id;
    uint32_t next;              /* of the same thing: index + 1; 0: last */
    BlockId block;
} LiveSite;

typedef struct LivePair { BlockId block; uint32_t id; } LivePair;

typedef struct Explorer {
    Arena *arena;
    const Cfg *cfg;
    uint32_t *in_stamp, *out_stamp, *killed_stamp;      /* per block: id + 1 */
    BlockId *stack;             /* as many as blocks: free between two questions */
    LivePair *pairs;            /* live at the end of the block */
    uint32_t pair_count, pair_capacity, pair_limit;
    uint64_t steps_left;
} Explorer;

Explorer ptx_explorer_make(Arena *arena, const Cfg *cfg, uint32_t pair_limit, uint64_t steps);

/* Walks from the uses of a thing up to where its range ends; both are places in their sites, + 1.
 * Things in ascending order. False at a limit. */
bool ptx_explorer_walk(Explorer *e, uint32_t id, const LiveSite *uses, uint32_t use,
                       const LiveSite *kills, uint32_t kill);

/* The pairs by block: where those of each begin, and one more. Both owned by arena. */
const uint32_t *ptx_explorer_sort(const Explorer *e, Arena *arena, const uint32_t **ids);

#endif
