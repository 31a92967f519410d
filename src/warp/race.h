/* race.h -- accesses to shared memory that nothing orders, found while the warps of a block are run.
 *
 * Happens-before with a vector clock for each warp, and for each place of shared memory the last write and the last reads of two warps, as epochs:
 * Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009. A warp's clock goes on whenever it tells others
 * what it has done: at a barrier. Two accesses race where neither's epoch is known to the warp of the other, one of them writes, and they are not
 * both atomic. The order in which the machine runs the warps does not matter: what races is unordered in every schedule that the barriers allow.
 *
 * A cp.async writes until its thread has waited for its group: it counts as done at the clock of that wait. Lanes of one warp are ordered by whatever
 * makes them meet: bar.warp.sync, shuffles, votes. */
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
    uint32_t group;             /* of cp.async, where is_async */
    uint16_t site, thread;
    uint8_t level;              /* RaceLevel */
    bool is_write, is_strong, is_swap, is_async, has_value; /* swap: compare-and-swap; strong: atomic, volatile or with an order of its own */
} Seen;

typedef struct Touch {          /* what Seen is the same for in all lanes of a warp's access */
    uint32_t clock, turn, group;
    uint16_t site, warp;
    uint8_t level;
    bool is_write, is_strong, is_swap, is_async;
} Touch;

/* A lane of an access: WARP_LANES for each of Race.touches; those of the first are none. */
typedef uint32_t TouchId;

enum { READERS = 2, MOST_PUTS = 4 };

typedef struct Place {          /* of shared memory: `granule` bytes */
    uint64_t values[2];         /* that the writes wrote */
    TouchId writes[2];          /* the last one, and the last one that is atomic or the like */
    TouchId reads[READERS];     /* of two warps, */
    TouchId lane;               /* and of another lane of one of these */
    bool has_values[2];
} Place;

/* A thread's access that is to be looked at once more, in a run like the one that it was found in: where in the kernel it is. */
typedef struct Watch {
    uint32_t site, turn;
    uint16_t thread;
    InsnId place;               /* in the kernel's own function: itself, or the call that leads there; NO_ID: it was not come to */
    uint32_t *rounds;           /* per loop of the kernel: of it, from 1 on; once there is a place they stay */
} Watch;

typedef struct Stop {           /* a thread at a barrier, or where it goes on without it */
    const Func *func;
    InsnId insn, place;         /* of func; in the kernel's own function: it, or the call that leads there */
    uint32_t thread;
} Stop;

typedef struct Parting {        /* lanes of a warp that come to a barrier which all of them have to come to, without the others */
    Stop at, other;             /* other: where the first of the others does something else */
    uint32_t warp, others, gone;        /* lanes: that have not come; that did something else */
} Parting;

typedef struct RacePair {       /* of sites */
    Seen first, second;         /* a witness, in the order in which the machine ran them; of all the surest */
    uint64_t address;
    uint64_t times;
    bool is_open;               /* the first is a cp.async that its thread had not waited for */
} RacePair;

enum {
    BARRIERS = 17,              /* those of the block, and the cluster's */
    BARRIER_CLUSTER = 16,
    MBARRIERS = 64,
    AT_MBARRIER = 64,           /* Warp.barrier */
};

typedef struct BarrierState {   /* of one number */
    uint32_t *known;            /* per warp: the clocks that those who arrived know */
    uint32_t threads;           /* that arrived */
    uint32_t wanted;            /* 0: all that have not ended */
} BarrierState;

typedef struct Mbarrier {
    uint64_t address;
    uint32_t wanted, pending;   /* arrivals of a phase, and those still missing */
    uint32_t phase;             /* so many are complete */
    uint32_t *known;            /* what those who arrived in this phase know */
    uint32_t *done;             /* what those of complete phases knew */
    uint32_t *tokens;           /* per warp: the phase in which it arrived last */
} Mbarrier;

typedef struct Copies {         /* cp.async of a warp */
    uint32_t committed, done;   /* groups */
    uint32_t *upto, *clocks;    /* per wait that did something: groups that were done behind it, and the warp's clock */
    uint32_t wait_count, upto_capacity, clock_capacity;
} Copies;

typedef enum Order {            /* what an instruction has to do with order */
    ORDER_NEW,                  /* not looked at yet */
    ORDER_NONE,
    ORDER_LANES,                /* lanes of a warp meet */
    ORDER_COMMIT, ORDER_WAIT_GROUP, ORDER_WAIT_ALL, ORDER_COPIES_ARRIVE,
    ORDER_INIT, ORDER_ARRIVE, ORDER_WAIT,       /* of an mbarrier */
    ORDER_CLUSTER_ARRIVE, ORDER_CLUSTER_WAIT,
    ORDER_BLIND,                /* it may touch shared memory in ways that are not followed */
    ORDER_LOST,                 /* it may order warps in ways that are not followed */
} Order;

typedef struct Race {
    Arena *arena;               /* the machine's */
    uint32_t warp_count;
    uint32_t granule;
    uint32_t *known;            /* per warp and warp: the clock of the second that the first knows of; of itself: its own */
    BarrierState barriers[BARRIERS];
    Mbarrier mbarriers[MBARRIERS];
    uint32_t mbarrier_count;
    Copies *copies;             /* per warp */
    Place **pages;              /* NULL: untouched */
    uint32_t page_count;
    Touch *touches;             /* of this run */
    uint32_t touch_count, touch_capacity;
    uint32_t ordered;           /* one of them that is ordered before the last of them; the first stands for nothing */
    Site *sites;
    uint32_t site_count, site_capacity;
    RacePair *pairs;
    uint32_t *table;            /* by sites: into pairs, + 1 */
    uint32_t pair_count;
    uint32_t granule_wanted;    /* below granule: an access that does not fill its places; the run is of no use */
    bool is_lost;               /* what orders the warps from here on is not known: nothing is noted any more */
    bool is_blind;              /* some access to shared memory was not noted */
    bool has_dropped, is_partial;       /* a read was not kept; a barrier was not for all warps: then a race may be missed */
    bool is_doubtful;           /* some access may not happen, or not there */
    bool is_overwritten;        /* some byte was written twice in no order, maybe with one number */
    bool is_crowded;            /* warps wrote the same bytes, maybe different numbers, or beyond shared memory: is the block's shape the one that is meant? */
    const Func *func;           /* of these: */
    bool *left_out;             /* per instruction: a barrier that is passed by; NULL: none */
    InsnId puts[MOST_PUTS];     /* instructions before which there is one that the code does not have */
    uint32_t put_count;
    uint32_t put_partly;        /* times that not all of a warp came to one of these */
    Watch *watches;             /* two; NULL: none */
    Parting parting;            /* the first; at.func NULL: none */
    Stop stops[2];              /* where warps wait for each other for ever, at two barriers if there are; func NULL: nobody does */
} Race;

Race *ptx_race_new(Machine *machine);

/* Before each run of a block. What the last one left is ordered before it. */
void ptx_race_begin(Race *race);

void ptx_race_access(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* One of a barrier in memory. */
void ptx_race_touch(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt, bool is_strong);

/* Before each instruction, where Race.watches are set. */
void ptx_race_watch(Machine *machine, const Warp *warp, InsnId pc);

/* race_order.c */
void ptx_race_barrier(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
void ptx_race_go_on(Machine *machine, const Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_race_is_put(Machine *machine, Warp *warp, const Insn *insn);
void ptx_race_call(Machine *machine, const Operand *callee);

/* Every other instruction that has to do with order. False: the warp waits, and comes by again. */
bool ptx_race_order(Machine *machine, Warp *warp, const Insn *insn, Decoded *code, uint32_t lanes, uint8_t doubt);

/* The warp's clock when that group was done; UINT32_MAX: it may not be. */
uint32_t ptx_race_done(const Race *race, uint32_t warp, uint32_t group);

/* The warps whose barriers are complete go on. False: none did. */
bool ptx_race_release(Machine *machine, uint32_t first_warp, uint32_t warp_count);

static inline uint32_t *ptx_race_known(const Race *race, uint32_t warp)
{
    return race->known + (size_t)warp * race->warp_count;
}

#endif
