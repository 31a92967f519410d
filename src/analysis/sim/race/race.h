/* race.h -- accesses to shared memory that nothing orders, found while the warps of a block are
 * run.
 *
 * Happens-before with a vector clock for each warp, and for each place of shared memory the last
 * write and the last reads of two warps, as epochs: Flanagan and Freund, "FastTrack: Efficient and
 * Precise Dynamic Race Detection", PLDI 2009. A warp's clock goes on whenever it releases what it
 * has done to others: at a barrier. Two accesses race where neither's epoch is known to the warp
 * of the other, one of them writes, and they are not both atomic. The order in which the machine
 * runs the warps does not matter: what races is unordered in every schedule that the barriers
 * allow.
 *
 * What goes on behind its instruction counts as done later. A cp.async, a bulk copy out of shared
 * memory, a wgmma.mma_async: at the clock of the wait for its group. A copy that completes on an
 * mbarrier, a tcgen05.mma that a tcgen05.commit tracks: with the phase, which is one more column of
 * the clocks. A third row of columns is for
 * the async proxy: up to where a warp knows that what others wrote is there for it. Lanes of one
 * warp are ordered by whatever makes them meet: bar.warp.sync, shuffles, votes. */
#ifndef PTX_ANALYSIS_SIM_RACE_RACE_H
#define PTX_ANALYSIS_SIM_RACE_RACE_H

#include "analysis/sim/observer.h"
#include "analysis/sim/race/data_extent.h"

/* How sure it is that an access happens, and where. */
typedef enum RaceLevel {
    RACE_CERTAIN,
    /* rests on the block's shape, or on what was taken for a parameter in its address */
    RACE_ASSUMED,
    RACE_GUESSED,               /* in whether it happens */
    RACE_DATA,
} RaceLevel;

typedef struct Site {           /* an instruction that accesses shared memory */
    const Func *func;
    InsnId insn;
    uint32_t *turns;            /* per warp: how often it ran */
    bool is_write, is_strong, is_swap;  /* as of Seen */
    bool has_extent;            /* extent was looked for */
    DataExtent extent;          /* where data may lead it */
} Site;

/* What says that an access which goes on behind its instruction is done: PTX ISA, "Data Movement
 * and Conversion Instructions: Asynchronous copy". */
typedef enum Queue {
    QUEUE_NONE,                 /* it does not go on */
    QUEUE_COPY,                 /* cp.async.wait_group */
    QUEUE_BULK,                 /* cp.async.bulk.wait_group */
    QUEUE_MATRIX,               /* wgmma.wait_group, of one warp for its warpgroup */
    QUEUE_TENSOR,               /* a phase of an mbarrier that tcgen05.commit arrives in */
    QUEUE_COUNT,
    QUEUE_MBARRIER = QUEUE_COUNT,       /* a phase of an mbarrier */
} Queue;

static inline bool ptx_race_is_of_matrix(uint8_t queue)
{
    return queue == QUEUE_MATRIX || queue == QUEUE_TENSOR;
}

typedef struct Seen {           /* an access by one thread to one place */
    uint64_t value;             /* that is stored, where has_value */
    uint32_t clock;             /* of its warp */
    uint32_t turn;              /* the warp's so many-th time at the site */
    uint32_t group;             /* of its queue; of an mbarrier: phases that are complete then */
    uint16_t site, thread;
    uint8_t level;              /* RaceLevel */
    uint8_t queue;              /* Queue */
    /* swap: compare-and-swap; strong: atomic, volatile or with an order of its own */
    bool is_write, is_strong, is_swap, has_value;
    bool is_by_data;            /* data decide where: it may be there */
} Seen;

typedef struct Touch {          /* what Seen is the same for in all lanes of a warp's access */
    uint32_t clock, turn, group;
    uint16_t site, warp;
    uint8_t level, queue, mbarrier;
    bool is_write, is_strong, is_swap, is_by_data;
} Touch;

/* A lane of an access: WARP_LANES for each of Race.touches; those of the first are none. */
typedef uint32_t TouchId;

enum { WRITERS = 2, READERS = 2, MARKS = WRITERS + READERS + 1, MAX_PUTS = 32 };

/* The first access of a warp at a site since its last barrier that data may lead to any byte from
 * low to before high. */
typedef struct DataTouch {
    TouchId touch;
    uint64_t low, high;
} DataTouch;

/* What the code does not have, executed before an instruction: a wait for copies, then a
 * barrier. */
typedef struct Put {
    const Func *func;
    InsnId insn;
    bool is_block, is_warp;     /* a barrier of the block; of the warp */
    bool waits;                 /* cp.async.wait_group, */
    bool commits;               /* cp.async.commit_group before it: both are cp.async.wait_all; */
    uint8_t barrier;            /* number of the block's barrier */
    uint32_t groups_left;       /* of the wait */
} Put;

typedef struct Place {          /* of shared memory: `granule` bytes, or some times as many */
    /* the last write, and the last one that is atomic or the like; reads of two warps, and of
     * another lane of one of these */
    TouchId marks[MARKS];
    bool has_values[WRITERS];
    uint64_t values[WRITERS];   /* that the writes wrote */
} Place;

enum { PLACES_PER_PAGE = 32 };

/* Of these the first of each `cell` stands for all of it: what was done there is the same. */
typedef struct PlacePage {
    uint32_t cell;              /* a power of two */
    Place places[PLACES_PER_PAGE];
} PlacePage;

/* The last access to a place by one warp at one of two sites. */
typedef struct Last {
    uint64_t value;
    TouchId mark, other;        /* other: by another lane of the same warp */
    bool has_value;
} Last;

/* All of them: where two sites alone are noted nothing is dropped. */
typedef struct Lasts {
    uint32_t run, count;        /* Race.run in which they were noted */
    Last *items;                /* room for two a warp */
} Lasts;

/* A thread's access that is to be looked at once more, in a run like the one that it was found in:
 * where in the kernel it is. */
typedef struct Watch {
    uint32_t site, turn;
    uint16_t thread;
    /* in the kernel's own function: itself, or the call that leads there; NO_ID: it was not come to
     * */
    InsnId place;
    /* per loop of the kernel: of it, from 1 on; once there is a place they stay */
    uint32_t *rounds;
} Watch;

typedef struct Stop {           /* a thread at a barrier, or where it goes on without it */
    const Func *func;
    /* of func; in the kernel's own function: it, or the call that leads there */
    InsnId insn, place;
    uint32_t thread;
} Stop;

/* lanes of a warp that come to a barrier which all of them have to come to, without the others */
typedef struct Parting {
    Stop at, other;             /* other: where the first of the others does something else */
    uint32_t warp, others, gone;        /* lanes: that have not come; that did something else */
} Parting;

/* An access that is wrong whatever other threads do, of a thread that certainly makes it. */
typedef struct Stray {
    const Func *func;           /* NULL: there is none */
    InsnId insn, place;         /* as of Stop */
    uint32_t thread, bytes;
    uint64_t address;
    bool is_write;
} Stray;

enum { MAX_UNWRITTEN = 16 };

typedef struct RacePair {       /* of sites */
    /* a witness, in the order in which the machine ran them; of all the surest */
    Seen first, second;
    uint64_t address;
    uint64_t times;
    /* the first goes on behind its instruction, and its thread had not waited for it; or the second
     * does, and had begun */
    bool is_open;
    bool is_begun;              /* the second's thread knew that the first had begun */
    bool is_unfenced;           /* they are in order, but for the proxies that they go through */
    bool is_committed;          /* the first is in a group, */
    uint32_t newer;             /* behind which so many others were committed */
} RacePair;

enum { RACE_MAX_MET = 1 << 24 };

enum {
    BARRIERS = 17,              /* those of the block, and the cluster's */
    BARRIER_CLUSTER = 16,
    MBARRIERS = 64,
    MAX_TENSORS = 8,
    KEPT_PHASES = 32,           /* of an mbarrier; how far a warp may be behind */
    WARPGROUP = 4,              /* warps */
    AT_MBARRIER = 64,           /* Warp.barrier */
    AT_PHASE_END,               /* as LateArrival says */
};

typedef struct BarrierState {   /* of one number */
    uint32_t *known;            /* per warp: the clocks that those who arrived know */
    uint32_t threads;           /* that arrived */
    uint64_t warps;             /* that arrived in this phase: a bit for each */
    uint32_t wanted;            /* 0: all that have not ended */
} BarrierState;

/* Of a warp that waits for the phase of a barrier to end in which it has arrived already. */
typedef struct LateArrival {
    uint8_t barrier;            /* 1 + its number */
    bool goes_on;               /* bar.arrive */
} LateArrival;

/* how many bytes it brings its tensor map says, which is not known */
typedef struct TensorCopy {
    uint64_t address;
    TouchId touch;
} TensorCopy;

typedef struct Mbarrier {
    uint64_t address;
    uint32_t wanted, pending;   /* arrivals of a phase, and those still missing */
    uint32_t phase;             /* so many are complete */
    /* the same, but that it is not 0 again where an mbarrier is made anew */
    uint32_t completed;
    uint32_t *known;            /* what those who arrived in this phase know */
    uint32_t *done;             /* what those of complete phases knew, */
    bool is_joined;             /* all that is in known: there was no arrival since */
    uint32_t *kept;             /* done as it was when each of the last phases was complete */
    uint32_t *tokens;           /* per warp: the phase in which it arrived last, */
    InsnId *arrivals;           /* and where; NO_ID: nowhere */
    uint32_t *arrived;          /* and lanes of it that did */
    InsnId made;                /* of the kernel's own function; NO_ID */
    int64_t owed,
        brought; /* bytes that are expected in this phase, and those of copies that were begun. These come once no warp can go on: late copies are
                                 * the ones that matter */
    uint32_t expected;
    TensorCopy tensors[MAX_TENSORS];   /* of this phase */
    uint32_t tensor_count;
    /* open: some copies bring an unknown number of bytes: all that are owed */
    bool is_open, has_other_copies;
} Mbarrier;

/* Threads wait for the phase before the one in which they have arrived: the wait returns at
 * once. */
typedef struct StaleWait {
    InsnId wait, arrival;       /* of the kernel's own function; NO_ID: there is none */
    uint32_t warp, phase;       /* that it arrived in, from 0 on */
    uint64_t address;
} StaleWait;

typedef enum StuckBlame {
    BLAME_NONE,                 /* earlier phases were complete */
    BLAME_NO_ARRIVAL,           /* no thread has arrived up to then */
    BLAME_COUNT,                /* some of what its phase takes came, and not all of it */
} StuckBlame;

/* No warp can go on. */
typedef struct Stuck {
    /* of the kernel's own function, at an mbarrier; NO_ID: there is none. Where that was made */
    InsnId wait, made;
    uint32_t warp, wanted, pending;
    uint8_t blame;              /* StuckBlame */
    int64_t owed;
    uint64_t address;
} Stuck;

/* The first use of an mbarrier that nothing has made. */
typedef struct Unmade {
    InsnId insn;                /* of the kernel's own function; NO_ID: there is none */
    uint32_t warp;
    uint64_t address;
} Unmade;

/* cp.async.mbarrier.arrive, tcgen05.commit: groups before upto are done with a phase */
typedef struct Delivery {
    uint32_t upto, phase;
    uint8_t mbarrier;
} Delivery;

typedef struct Copies {         /* of a warp in one queue */
    uint32_t committed, done;   /* groups */
    /* per wait that did something: groups that were done behind it, and the warp's clock */
    uint32_t *upto, *clocks;
    uint32_t wait_count, upto_capacity, clock_capacity;
    Delivery *deliveries;
    uint32_t delivery_count, delivery_capacity;
} Copies;

typedef enum Order {            /* what an instruction has to do with order */
    ORDER_NEW,                  /* not looked at yet */
    ORDER_NONE = ORDER_IGNORED,
    ORDER_LANES,                /* lanes of a warp meet */
    ORDER_COMMIT, ORDER_WAIT_GROUP, ORDER_WAIT_ALL, ORDER_COPIES_ARRIVE,
    ORDER_COMMIT_BULK, ORDER_WAIT_BULK, ORDER_COMMIT_MATRIX, ORDER_WAIT_MATRIX,
    ORDER_TRANSFER, ORDER_MULTIPLY, ORDER_FRAGMENT, ORDER_PROXY,
    /* of tcgen05 */
    ORDER_MULTIPLY_TENSOR, ORDER_COMMIT_TENSOR, ORDER_ALLOC, ORDER_LOAD_TENSOR, ORDER_FREE_TENSOR,
    ORDER_INIT, ORDER_EXPECT, ORDER_ARRIVE, ORDER_WAIT, /* of an mbarrier */
    ORDER_CLUSTER_ARRIVE, ORDER_CLUSTER_WAIT,
    ORDER_FENCE,                /* of what was read before it; of all that comes behind */
    /* other blocks, or units of the SM, may arrive at this one's mbarriers */
    ORDER_OTHERS,
    ORDER_BLIND,                /* it may touch shared memory in ways that are not followed */
    ORDER_LOST,                 /* it may order warps in ways that are not followed */
} Order;

enum { SETTLED = 16 };

/* What comes of two threads in no order: where is_for_all, whatever numbers other lanes of the two
 * touches have, they add to the pair, if there is one, and nothing else. */
typedef struct RaceClash {
    RacePair *pair;
    bool is_for_all;
} RaceClash;

/* A touch that is ordered in all its lanes, or in none. */
typedef struct Settled {
    uint64_t meeting;           /* Race.meeting when it was found */
    RaceClash clash;            /* where it is unordered */
    uint32_t touch;
    bool is_ordered, is_unordered;
    bool is_in_warp;            /* they are of one warp: a lane and itself are another question */
} Settled;

/* Which of the reads of a place gives way to one more, by the touches that they are of. */
typedef struct KeptRead {
    uint64_t meeting;           /* Race.meeting */
    uint32_t touches[READERS];
    uint8_t slot;               /* READERS: none does */
    bool is_own;                /* it is of the same warp */
} KeptRead;

/* What became of the last place of a range that was read. */
typedef struct RangeRead {
    uint64_t meeting;           /* Race.meeting */
    TouchId touch, before[MARKS], reads[MARKS - WRITERS];
} RangeRead;

/* Of each lane, up to which clock of the warp it knows what each other lane did. */
typedef struct LaneClocks {
    uint32_t known[WARP_LANES][WARP_LANES];
} LaneClocks;

typedef struct TensorAccess {   /* by a warp to tensor memory */
    InsnId insn;
    uint32_t warp, clock;       /* clock: 0: there was none */
} TensorAccess;

/* What a kernel does with the tensor memory of sm_100. */
typedef struct TensorMemory {
    bool is_known;              /* the next two were looked for */
    bool has_one_allocation;    /* one tcgen05.alloc, and one tcgen05.dealloc */
    InsnId multiplication;      /* the first, where nothing else writes tensor memory; NO_ID */
    TensorAccess *loads;        /* per warp, the last */
    TensorAccess freed;
    /* the first that comes too early: a load before any multiplication is known to be done, or a
     * release while a warp may load; insn NO_ID: none did. The other one, warp and clock 0 of a
     * multiplication */
    TensorAccess early, early_with;
} TensorMemory;

typedef struct Race {
    Machine *machine;           /* that it observes */
    Observer observer;
    uint8_t *orders;            /* per Op.id: Order; the caller's */
    Arena *arena;               /* the machine's */
    uint32_t warp_count;
    uint32_t granule;           /* 0: no run has begun */
    uint32_t most_mbarriers;
    /* columns: of warps, of mbarriers, and of warps once more, for the async proxy */
    uint32_t width;
    /* per warp and column: the clock of a warp that it knows of; of itself: its own; the phases of
     * an mbarrier */
    uint32_t *known;
    BarrierState barriers[BARRIERS];
    LateArrival *late;          /* per warp, where it is AT_PHASE_END */
    Mbarrier *mbarriers;        /* room for most_mbarriers */
    uint32_t mbarrier_count;
    Copies *copies;             /* per queue and warp */
    /* per warp: what any of its lanes did before that clock is ordered before all of them;
     * UINT32_MAX: its lanes' order is not followed any more */
    uint32_t *met_all;
    LaneClocks **met_some;      /* per warp; NULL: no part of it has met */
    TensorMemory tensor;
    StaleWait stale;
    Stuck stuck;
    Unmade unmade;
    Stuck crowd;                /* wait: an arrival of more lanes, pending, than the phase takes */
    PlacePage **pages;          /* NULL: untouched */
    uint32_t page_count;
    Touch *touches;             /* of this run */
    uint32_t touch_count, touch_capacity;
    DataTouch *by_data;
    uint32_t by_data_count, by_data_capacity;
    uint64_t by_data_places;    /* that these may still be compared with */
    uint64_t met;               /* pairs of accesses that were compared, in all runs; */
    uint64_t max_met;          /* a run ends where there are so many: RACE_MAX_MET in it, */
    uint64_t met_end;           /* no more than so many in all; 0: no bound */
    uint64_t range_places;      /* places of ranges, in this run */
    const PointsToSet *bases;   /* of the kernel; NULL: not asked for yet */
    const bool *needed;         /* per register of the kernel, as of needed.h; NULL: the same */
    InsnId ignored_wait;        /* at an mbarrier, the last whose result nothing reads; NO_ID */
    /* per mark of a place, one of them that is ordered before the last of them; the first stands
     * for nothing */
    uint32_t ordered[MARKS];
    /* touches of which it is known whether they are ordered before the last of them: by their
     * numbers */
    Settled settled[SETTLED];
    uint64_t meeting;           /* counts touches, from 1 on, over all runs */
    KeptRead kept_read;
    RangeRead range_read;
    bool has_numbers;           /* some lane of the last one, of what it reads or writes */
    uint32_t alike;             /* lanes that the one that meets others stands for */
    Site *sites;
    uint32_t site_count, site_capacity;
    RacePair *pairs;            /* NULL: none was found in any run */
    uint32_t *table;            /* by sites: into pairs, + 1 */
    uint32_t pair_count;
    /* below granule: an access that does not fill its places; the run is of no use */
    uint32_t granule_wanted;
    /* what orders the warps from here on is not known: nothing is noted any more */
    bool is_lost;
    bool is_blind;              /* some access to shared memory was not noted */
    bool is_late;               /* what is noted now was begun before */
    /* ORDER_OTHERS came, or a warp ran ahead of the others: who arrives when is not certain */
    bool has_others;
    bool has_assumed;           /* ptx_race_number met something that is assumed */
    /* a read was not kept; a barrier was not for all warps: then a race may be missed */
    bool has_dropped, is_partial;
    bool is_doubtful;           /* some access may not happen, or not there */
    bool is_overwritten;        /* some byte was written twice in no order, maybe with one number */
    bool is_trial;              /* a run that is crowded is of no use, and ends */
    bool is_for_order;          /* so is, and does, a run that is not ptx_race_is_in_order */
    /* warps wrote the same bytes, maybe different numbers, or beyond shared memory: is the block's
     * shape the one that is meant? */
    bool is_crowded;
    const Func *func;           /* of these: */
    bool *left_out;             /* per instruction: a barrier that is passed by; NULL: none */
    const Put *puts;
    uint32_t put_count;
    /* bits: threads did not all reach that put together; whether they do is not certain */
    uint32_t partial_puts, doubtful_puts;
    /* per warp: lanes that accessed shared memory, or reached a barrier */
    uint32_t *touched;
    bool *has_asked;            /* per warp: in a loop, for what another may write meanwhile */
    /* bits by number: barriers that are not for all threads of the block */
    uint32_t partial_barriers;
    const Func *sought_func;    /* an access that pairs are looked for of; NULL: none */
    InsnId sought;
    bool has_dropped_sought;    /* there was no room for one of them */
    /* accesses that alone are noted, so that no other hides them; NULL: all are */
    const Func *only_funcs[2];
    InsnId only[2];
    Lasts **lasts;              /* per place, of these, as pages; NULL: none was noted yet */
    uint32_t run;
    /* two: then none meet, and the pairs of the run before stay; NULL: none */
    Watch *watches;
    Parting parting;            /* the first; at.func NULL: none */
    /* bytes that the launch adds; -1: not known, and no overreach is looked for. The caller's */
    int64_t dynamic_shared;
    Stray overreach;            /* the first behind the last byte of the block's shared memory */
    Stray unwritten[MAX_UNWRITTEN];     /* reads of what nothing has written yet, one a site */
    uint32_t unwritten_count;
    bool has_transfers;         /* copies of the block went on by themselves */
    /* where warps wait for each other forever, at two barriers if there are; func NULL: none
     * do */
    Stop stops[2];
} Race;

/* All lanes of the warp meet. */
void ptx_race_meet_warp(Race *race, uint32_t warp);

/* It observes the machine. orders: per Op.id, all ORDER_NEW at first; they serve other machines of
 * the module too. */
Race *ptx_race_new(Machine *machine, uint8_t *orders);

/* race_events.c */
void ptx_race_attach(Race *race);

/* Before each run of a block. What the last one left is ordered before it. */
void ptx_race_begin(Race *race);

/* All accesses of the run so far were noted, happen for sure, and follow each other. Once false, it
 * stays so to the end of the run. */
static inline bool ptx_race_is_in_order(const Race *r)
{
    return !r->pair_count && !r->is_lost && !r->is_blind && !r->is_doubtful && !r->is_overwritten
           && !(r->has_dropped && r->is_partial) && r->granule_wanted == r->granule;
}

/* Functions that take `self`, a Race, are those of its observer. */
void ptx_race_access(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* Nothing has written some byte of it up to now. */
bool ptx_race_is_unwritten(Race *race, const Stray *read);

/* A write by the instruction itself: of a barrier in memory, of the address of tensor memory. */
void ptx_race_touch(Race *race, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt,
                    bool is_strong);

/* Before each instruction, where Race.watches are set. */
void ptx_race_watch(Race *race, const Warp *warp, InsnId pc);

/* An access that goes on behind its instruction: like.queue, group, mbarrier, is_write and
 * is_strong say how, level its certainty. Lanes are added; 0: there is no room. */
TouchId ptx_race_begin_async(Race *race, Warp *warp, const Insn *insn, uint8_t doubt,
                             const Touch *like);

/* It comes to so many bytes from there on. */
void ptx_race_range(Race *race, TouchId touch, uint64_t address, uint64_t bytes);
/* Further ranges of the same touch. */
void ptx_race_range_on(Race *race, TouchId touch, uint64_t address, uint64_t bytes);
void ptx_race_begin_ranges(Race *race);
/* The same of so many rows that it reads, `bytes` from each of these places on. */
void ptx_race_read_rows(Race *race, TouchId touch, const uint32_t *rows, uint32_t count,
                        uint32_t bytes);

/* race_order.c */
void ptx_race_barrier(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
void ptx_race_advance(Race *race, const Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_race_is_put(void *self, Warp *warp, InsnId pc);
void ptx_race_call(void *self, const Operand *callee);

/* Every other instruction that has to do with order. False: the warp waits, and executes it
 * again. */
bool ptx_race_order(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

/* The warp's clock when that group was done; UINT32_MAX: it may not be. */
uint32_t ptx_race_done(const Race *race, Queue queue, uint32_t warp, uint32_t group);

/* The number that all lanes hold. False: there is none, or it is not known. */
bool ptx_race_number(Race *race, Warp *warp, const Operand *operand, uint32_t lanes, uint64_t *out);

/* The warps whose barriers are complete go on. False: none did. */
bool ptx_race_release(void *self, uint32_t first_warp, uint32_t warp_count);

/* race_mbarrier.c. False: what happens there is not known. */
Mbarrier *ptx_mbarrier_at(Race *race, uint64_t address);        /* NULL: none was made there */
/* One is made that was used before: that is another mistake than one that is never made. */
void ptx_mbarrier_note_made(Race *race, Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_mbarrier_init(Race *race, Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_mbarrier_expect(Race *race, Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_mbarrier_arrive(Race *race, Warp *warp, const Insn *insn, uint32_t lanes,
                         bool is_by_copies, uint8_t doubt);
bool ptx_mbarrier_commit(Race *race, Warp *warp, const Insn *insn, uint32_t lanes);
bool ptx_mbarrier_wait(Race *race, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
void ptx_mbarrier_complete_tx(Mbarrier *mbarrier, int64_t bytes);
bool ptx_mbarrier_complete_tensor(Mbarrier *mbarrier, uint64_t address, TouchId touch);
bool ptx_mbarrier_is_past(const Mbarrier *mbarrier, uint32_t phase);
void ptx_mbarrier_note_stuck(Race *race, const Warp *warp);
/* what copies bring comes. False: that completes no phase */
bool ptx_mbarrier_complete_pending(Race *race);

/* race_async.c */
bool ptx_race_transfer(Race *race, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
void ptx_race_multiply(Race *race, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
void ptx_race_multiply_tensor(Race *race, Warp *warp, const Insn *insn, uint32_t lanes,
                              uint8_t doubt);
void ptx_race_fence(Race *race, uint32_t warp);

/* race_tensor.c */
void ptx_race_tensor_begin(Race *race);
void ptx_race_tensor_load(Race *race, const Warp *warp, const Insn *insn, uint8_t doubt);
void ptx_race_tensor_free(Race *race, const Warp *warp, const Insn *insn, uint8_t doubt);

/* race_fragment.c: wmma.load and wmma.store */
void ptx_race_fragment(Race *race, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

static inline uint32_t *ptx_race_known(const Race *race, uint32_t warp)
{
    return race->known + (size_t)warp * race->width;
}

/* Up to where what each warp wrote is there for the async proxy. */
static inline uint32_t *ptx_race_fenced(const Race *race, uint32_t warp)
{
    return ptx_race_known(race, warp) + race->warp_count + race->most_mbarriers;
}

static inline Copies *ptx_race_copies(const Race *race, Queue queue, uint32_t warp)
{
    return race->copies + (size_t)queue * race->warp_count + warp;
}

static inline void ptx_race_join(uint32_t *into, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

#endif
