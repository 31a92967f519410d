/* live_out.h -- at the ends of which blocks a register, or another thing that is defined and used,
 * is live.
 *
 * From each use backwards to the definitions, as in path exploration (Brandner, Boissinot, Darte,
 * Dupont de Dinechin and Rastello, "Computing Liveness Sets for SSA-Form Programs", INRIA RR-7503,
 * 2011, the by-variable form, which does not need SSA), but 64 things at a time, a bit for each: a
 * block is visited once for all that come to it together. Memory is proportional to the sets, time
 * at most. */
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

enum { LIVE_BATCH = 64 };

/* Things that are live at the end of a block: of those that Explorer.ids has from `first` on, a bit
 * for each. */
typedef struct LiveSet {
    uint64_t bits;
    BlockId block;
    uint32_t first;
} LiveSet;

typedef struct LiveThing {
    uint32_t id;
    /* where it is used, and where its range ends: places in the sites of each, + 1; 0: nowhere */
    uint32_t use, kill;
} LiveThing;

typedef struct LiveBits {           /* of a block, a bit for each thing of the batch */
    uint64_t in, out;           /* live where it begins, where it ends */
    uint64_t killed;
    uint64_t pending;           /* of `in`, what its predecessors do not have yet */
} LiveBits;

typedef struct Explorer {
    Arena *arena;
    const Cfg *cfg;
    LiveBits *bits;             /* per block */
    BlockId *touched;           /* blocks that have any */
    uint32_t touched_count;
    uint64_t *queue;            /* a bit for each block that has `pending` */
    uint32_t queue_end;         /* words of it that may not be 0 */
    LiveThing things[LIVE_BATCH];
    uint32_t thing_count;
    uint32_t *ids;              /* of all batches */
    uint32_t id_count, id_capacity;
    LiveSet *sets;
    uint32_t set_count, set_capacity;
    uint32_t pair_count, pair_limit;    /* things in all sets */
    uint64_t steps_left;
} Explorer;

Explorer ptx_explorer_make(Arena *arena, const Cfg *cfg, uint32_t pair_limit, uint64_t steps);

/* Things in ascending order, LIVE_BATCH of them at most. */
static inline void ptx_explorer_add(Explorer *explorer, LiveThing thing)
{
    explorer->things[explorer->thing_count++] = thing;
}

/* Walks from the uses of those that were added up to where their ranges end. False at a limit. */
bool ptx_explorer_walk(Explorer *explorer, const LiveSite *uses, const LiveSite *kills);

/* Makes sets of these things of the batch, a bit for each; higher bits later. False at a limit. */
bool ptx_explorer_emit(Explorer *explorer, uint64_t things);

/* For the next batch. */
void ptx_explorer_clear(Explorer *explorer);

/* What is live at the end of each block: where its things begin, and one more. Both owned by
 * arena. */
const uint32_t *ptx_explorer_sort(const Explorer *explorer, Arena *arena, const uint32_t **ids);

#endif
