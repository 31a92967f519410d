/* footprint_watch.h -- gives a footprint the requests of a machine's runs. */
#ifndef PTX_ANALYSIS_SIM_COST_FOOTPRINT_WATCH_H
#define PTX_ANALYSIS_SIM_COST_FOOTPRINT_WATCH_H

#include "analysis/sim/observer.h"

typedef struct Footprint Footprint;
struct LeadingTable;

typedef struct FootprintMoved {     /* a request that data lead somewhere */
    uint32_t leader;            /* what leads it there: ptx_leading_identity, or its addend */
    uint32_t lanes;
    uint64_t place;             /* of the first of them */
    bool is_store;
} FootprintMoved;

typedef struct FootprintTurn {      /* of a warp of a block */
    uint32_t insn, block;
    uint32_t count;
} FootprintTurn;

enum { MAX_MOVED = 64, MAX_TURNS = 512, MAX_LEADING_FUNCS = 8 };

typedef struct FootprintWatch {
    Observer observer;
    Machine *machine;
    Footprint *footprint;
    /* nothing is noted, but by how much it moves from block to block: ptx_footprint_follow */
    bool is_following;
    FootprintMoved moved[MAX_MOVED];    /* the last ones, by addend and place */
    FootprintTurn turns[MAX_TURNS];     /* by instruction and warp */
    uint32_t block;                     /* blocks that have begun */
    bool is_for_many;                   /* of the run */
    struct LeadingTable *leading[MAX_LEADING_FUNCS];    /* of the functions that ran first */
    const uint32_t *runs[MAX_LEADING_FUNCS];            /* ptx_store_runs_compute, of the same */
} FootprintWatch;

/* It must outlive the machine. */
void ptx_footprint_watch(FootprintWatch *watch, Machine *machine, Footprint *footprint);

#endif
