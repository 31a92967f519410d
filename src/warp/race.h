/* race.h -- accesses to shared memory that nothing orders, found while the warps of a block are run.
 *
 * Happens-before with a vector clock for each warp, and for each place of shared memory the last write and the last reads of two warps, as epochs:
 * Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009. A warp's clock goes on whenever it tells others
 * what it has done: at a barrier. Two accesses race where neither's epoch is known to the warp of the other, one of them writes, and they are not
 * both atomic. The order in which the machine runs the warps does not matter: what races is unordered in every schedule that the barriers allow.
 *
 * The lanes of one warp are taken as ordered by its instructions. */
#ifndef PTX_WARP_RACE_H
#define PTX_WARP_RACE_H

#include "warp/machine.h"

/* How sure it is that an access happens, and where. */
typedef enum RaceLevel { RACE_CERTAIN, RACE_ASSUMED, RACE_DATA } RaceLevel;

typedef struct Site {           /* an instruction that accesses shared memory */
    const Func *func;
    InsnId insn;
    uint32_t *turns;            /* per warp: how often it came by */
} Site;

typedef struct Seen {           /* an access by one thread to one place */
    uint64_t value;             /* that is stored, where has_value */
    uint32_t clock;             /* of its warp */
    uint32_t turn;              /* the warp's so many-th time at the site */
    uint16_t site, thread;
    uint8_t level;              /* RaceLevel */
    bool is_there, is_write, is_strong, is_swap, has_value; /* swap: compare-and-swap; strong: atomic, volatile or with an order of its own */
} Seen;

enum { READERS = 2 };

typedef struct Place {          /* of shared memory: `granule` bytes */
    Seen write, reads[READERS];
} Place;

typedef struct RacePair {       /* of sites */
    Seen first, second;         /* a witness, in the order in which the machine ran them; of all the surest */
    uint64_t address;
    uint64_t times;
} RacePair;

enum { BARRIERS = 16 };

typedef struct BarrierState {   /* of one number */
    uint32_t *known;            /* per warp: the clocks that those who arrived know */
    uint32_t threads;           /* that arrived */
    uint32_t wanted;            /* 0: all that have not ended */
} BarrierState;

typedef struct Race {
    Arena *arena;               /* the machine's */
    uint32_t warp_count;
    uint32_t granule;
    uint32_t *known;            /* per warp and warp: the clock of the second that the first knows of; of itself: its own */
    BarrierState barriers[BARRIERS];
    Place **pages;              /* NULL: untouched */
    uint32_t page_count;
    Site *sites;
    uint32_t site_count, site_capacity;
    RacePair *pairs;
    uint32_t *table;            /* by sites: into pairs, + 1 */
    uint32_t pair_count;
    uint32_t granule_wanted;    /* below granule: an access that does not fill its places; the run is of no use */
    bool is_lost;               /* what orders the warps from here on is not known: nothing is noted any more */
    bool is_blind;              /* some access to shared memory was not noted */
    bool is_crowded;            /* warps wrote the same bytes, maybe different numbers, or beyond shared memory: is the block's shape the one that is meant? */
    const Func *func;           /* of these: */
    InsnId left_out, put_before;        /* a barrier that is passed by, an instruction before which there is one; NO_ID */
    uint32_t put_partly;        /* times that not all of a warp came to that one */
} Race;

Race *ptx_race_new(Machine *machine);

/* Before each run of a block. What the last one left is ordered before it. */
void ptx_race_begin(Race *race);

void ptx_race_access(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* race_order.c */
void ptx_race_barrier(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
bool ptx_race_is_put(Machine *machine, Warp *warp, const Insn *insn);
void ptx_race_effect(Machine *machine, const Insn *insn);
void ptx_race_call(Machine *machine, const Operand *callee);

/* The warps whose barriers are complete go on. False: none did. */
bool ptx_race_release(Machine *machine, uint32_t first_warp, uint32_t warp_count);

static inline uint32_t *ptx_race_known(const Race *race, uint32_t warp)
{
    return race->known + (size_t)warp * race->warp_count;
}

#endif
