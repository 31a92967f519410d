/* cluster.h -- accesses of the blocks of a cluster to each other's shared memory, noted while these
 * are run one after the other.
 *
 * barrier.cluster alone orders two blocks here: an access is over at the next arrival of its warp,
 * and another sees it behind the wait that ends the same phase. mapa gives an address whose upper
 * bits hold the rank of the block that it lies in, + 1. */
#ifndef PTX_ANALYSIS_SIM_RACE_CLUSTER_H
#define PTX_ANALYSIS_SIM_RACE_CLUSTER_H

#include "analysis/sim/observer.h"

enum { RANK_SHIFT = 24, MAX_RANKS = 16 };

typedef struct Touched {        /* four bytes of shared memory, by a warp of a block in a phase */
    uint32_t next;              /* of the same place: into Cluster.items, + 1; 0: none */
    const Func *func;
    InsnId insn, place;
    uint32_t arrivals, waits;   /* of the warp, before it */
    uint16_t rank, thread;      /* who */
    uint8_t mask;               /* bytes */
    bool is_write, has_value;
    uint32_t value;
} Touched;

typedef struct Meeting {
    Touched first, second;      /* func NULL: there is none */
    uint32_t owner, offset;     /* in shared memory of that rank */
} Meeting;

typedef struct Cluster {
    Machine *machine;           /* that it observes */
    Observer observer;
    Arena *arena;
    uint32_t rank_count, rank;  /* of the block that runs */
    uint32_t *arrivals, *waits; /* per warp of it */
    uint32_t **places;          /* per rank and four bytes: the last of Touched there, + 1 */
    Touched *items;
    uint32_t item_count, item_capacity;
    /* of all the first: two accesses that race; one of another block that may not have begun; that
     * may have ended */
    Meeting found, early, late;
    uint32_t total;             /* arrivals of a warp in a block */
    /* some access may be anywhere, or not all warps come to the barriers of the cluster */
    bool is_lost;
} Cluster;

Cluster *ptx_cluster_new(Machine *machine, uint32_t rank_count);

/* Before a block of that rank. */
void ptx_cluster_begin(Cluster *cluster, uint32_t rank);

/* Behind it. False: its warps did not all come to the same barriers of the cluster, or others than
 * those of the blocks before. */
bool ptx_cluster_end(Cluster *cluster);

#endif
