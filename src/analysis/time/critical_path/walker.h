/* walker.h -- what the files of this folder share: one warp on its way through a function.
 *
 *   critical_path.c  the function: all blocks once, then loops; what it comes to
 *   facts.c          what each walk asks of a machine instruction, found once
 *   straight.c       basic blocks that ptxas makes one of
 *   block.c          a basic block: when each of its instructions starts
 *   loops.c          loops again, iterations that ptxas joins
 *   steps.c          loops whose warps wait for each other, for copies or products
 *   waits.c          which instructions are waited for */
#ifndef PTX_ANALYSIS_TIME_CRITICAL_PATH_WALKER_H
#define PTX_ANALYSIS_TIME_CRITICAL_PATH_WALKER_H

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/time/critical_path/critical_path.h"
#include "analysis/time/in_flight.h"
#include "analysis/time/latency.h"
#include "analysis/time/memory/store_order.h"
#include "analysis/time/waiting_chain.h"
#include "gpu/gpu.h"
#include "ir/func.h"

#include <math.h>

enum {
    /* that loads of joined iterations go into at once: ptxas has 14 to 16 in 32 registers */
    WORDS_AHEAD = 16,
    LITTLE_REGISTERS = 32,
    WINDOW_PLACES = 64,
    PIPE_SLOTS = 256,           /* of a phase; in what is behind them nothing is held up */
    SLOT_CLOCKS = 32,
};

/* What a pipeline does in a phase, by all warps of the block. */
typedef struct PipeTime {
    double busy;                /* clocks */
    float taken[PIPE_SLOTS];    /* of each slot */
    uint32_t slot_end;          /* of those that have any */
} PipeTime;

/* Loads that go ahead of the uses of others, as far as registers reach. */
typedef struct LoadsAhead {
    uint32_t number, words, count;
    uint32_t taken;             /* words, and registers of their addresses */
    LoweredValueId address;     /* of the last of them */
    double first;               /* when the first of them is there */
    bool is_used;               /* something reads what one of them brings */
} LoadsAhead;

/* Of what waits for a function unit, the latest start among all that stand before a place. */
typedef struct LateWindow {
    double issued[WINDOW_PLACES], start[WINDOW_PLACES];
    double count, held;         /* instructions so far; of those before the window */
    uint32_t head, tail;
} LateWindow;

/* What each walk asks of a machine instruction: the same each time. */
typedef struct WalkedInsn {
    double latency;             /* ptx_result_clocks */
    const Op *fence;            /* NULL: it is none */
    uint32_t words;             /* registers that a load of global memory brings; 0: it is none */
    uint32_t gathers;           /* whose operands it waits for too, and one; 0: none */
    uint8_t orders;             /* ptx_store_orders */
    bool is_light;              /* computes integers: no barrier keeps it behind */
    bool is_float;
    bool is_in_order;           /* issues as long as its latency is */
    bool is_late;               /* in a loop floats go ahead of it: begins_late */
    bool hands_on;
} WalkedInsn;

/* What a basic block of ptxas leaves to those of the function that it goes on with. */
typedef struct StraightCode {
    double begin, start, open, last, issued, next, made;
} StraightCode;

typedef struct CriticalPathWalker {
    const CriticalPathInput *in;
    ResultClocks of;
    const WalkedInsn *facts;    /* per machine instruction */
    double words_ahead;         /* that registers reach for */
    uint32_t *held;             /* per block: registers of its variables */
    double room;                /* of the block at hand: those that they leave */
    uint32_t pipes[MACHINE__COUNT];     /* a bit for each pipeline that its class takes */
    double *ready;              /* per value */
    bool *is_late;              /* per value: it rests on such a sequence, in a loop */
    double *own;                /* per block: the clocks of its latest walk */
    const BlockId *straight;    /* per block: straight.c */
    const bool *goes_on_behind; /* per block: the next one is straight code with it */
    BlockId walked;             /* the latest block */
    StraightCode code;
    double now;
    double stored[STORE_ORDERS];    /* the last store of the order has started */
    bool is_stored;             /* to global memory, since the last fence */
    const InFlightInsn *steps;  /* per instruction of the function; NULL: no loop goes in steps */
    const bool *in_steps;       /* per loop */
    const bool *is_spin;        /* per loop: it does nothing but wait */
    const bool *is_inner;       /* per loop: those inside it do nothing but wait */
    double *sum;                /* per block: clocks of several walks */
    InFlight flight;
    double port, tensor;        /* when the SM has its sectors, and its asynchronous products */
    PipeTime *times;            /* of each pipeline, in this phase; NULL where steps is */
    double phase;               /* its begin */
    double xu_free;             /* when the warp's own function unit takes its next one */
    double asked;               /* of load-store units in this phase, in front of those to come */
    double mma;                 /* when the matrix units have what was asked for */
    uint32_t side_by_side;      /* joined iterations whose loads go out together */
    bool is_next;               /* of those, not the first */
    uint32_t *batch;            /* per value: the number of the loads that brought it; 0: none */
    LoadsAhead ahead;
    LateWindow window;
    WaitingChain *chain;        /* NULL: who waits for whom is not asked for */
} CriticalPathWalker;

/* fmax, without a call. */
static inline double ptx_later(double a, double b)
{
    return b > a || isnan(a) ? b : a;
}

static inline LoopId ptx_walk_loop_at(const CriticalPathWalker *w, uint32_t r)
{
    return w->in->loops->loop_of[w->in->cfg->rpo[r]];
}

/* Registers that what the access brings goes into. */
static inline uint32_t ptx_walk_words(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    enum { WORD_BYTES = 4 };
    return ((uint32_t)w->in->func->insns[insn->origin].access_bytes + WORD_BYTES - 1) / WORD_BYTES;
}

/* How often the warp of a block runs it that runs it most: a block makes room for the next when its
 * last warp ends. */
double ptx_walk_executions(const CriticalPathInput *in, BlockId block);

/* facts.c: of all that runs; straight code, too. */
void ptx_walk_find_facts(CriticalPathWalker *w, Arena *scratch);
/* membar and fence of a scope above the block; those of other proxies were not measured. NULL. */
const Op *ptx_walk_fence_of(const CriticalPathWalker *w, const LoweredInsn *insn);

/* straight.c */
void ptx_walk_find_straight(CriticalPathWalker *w, Arena *scratch);

/* block.c: from w->now on. */
void ptx_walk_block(CriticalPathWalker *w, BlockId block);
bool ptx_walk_leaves_block(const CriticalPathWalker *w, const LoweredInsn *insn);
bool ptx_walk_asks_for_lanes(const CriticalPathWalker *w, BlockId block, const LoweredInsn *insn);

/* loops.c: of a function whose blocks were walked, those of nested loops once more; innermost ones
 * until an iteration takes what the one before took. */
void ptx_walk_outer(CriticalPathWalker *w);
void ptx_walk_loops(CriticalPathWalker *w);

/* steps.c: which loops go in steps; w->steps stays NULL where none does. What follows is asked in
 * those alone, but for ptx_walk_wait_until. */
void ptx_walk_find_steps(CriticalPathWalker *w, Arena *scratch);
bool ptx_walk_is_in_steps(const CriticalPathWalker *w, BlockId block);
/* Sectors that the warps of a block ask for. */
double ptx_walk_block_sectors(const CriticalPathWalker *w, InsnId insn);
/* That the matrix units take for one warp. */
double ptx_walk_matrix_clocks(const CriticalPathWalker *w, InsnId insn);
bool ptx_walk_is_product(const CriticalPathWalker *w, const LoweredInsn *insn);
/* A warp does not go on before the matrix units have its product. */
double ptx_walk_wait_for_products(CriticalPathWalker *w, const LoweredInsn *insn, double at);
/* When arithmetic can start: the block's warps are at the same place. */
double ptx_walk_through_pipes(CriticalPathWalker *w, const LoweredInsn *insn, double at);
/* All of its warps meet: the phase takes what the busiest pipeline does. */
double ptx_walk_end_phase(CriticalPathWalker *w, double at);
typedef struct StepTimes { double at, latency; bool is_ahead; } StepTimes;
/* Its latency. */
double ptx_walk_in_step(CriticalPathWalker *w, const LoweredInsn *insn, bool is_first,
                        StepTimes times);
/* When what stands behind it may start: 0, where it does not wait. */
double ptx_walk_wait_until(CriticalPathWalker *w, InsnId insn, double at, bool in_steps);

/* waits.c: clocks of all executions of the block. */
void ptx_walk_sum_waits(CriticalPathWalker *w, BlockId block, double clocks);

#endif
