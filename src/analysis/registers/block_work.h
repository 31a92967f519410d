/* block_work.h -- a region while it is put in order: its graph, its values, the order itself. For
 * the files of list_schedule.h alone. */
#ifndef PTX_ANALYSIS_REGISTERS_BLOCK_WORK_H
#define PTX_ANALYSIS_REGISTERS_BLOCK_WORK_H

#include "analysis/registers/list_schedule.h"
#include "analysis/sass/sass.h"

typedef struct Cfg Cfg;
typedef struct Defs Defs;
typedef struct Func Func;
typedef struct Loops Loops;
typedef struct LoweredLive LoweredLive;

enum {
    MAX_FACTORS = 8,            /* constants that products ask a register for */
    MAX_TEMPORARIES = 8,        /* between the steps of one instruction */
    LOADS_PARAMETERS_SM = 90,   /* from here on parameters are loaded */
    PASSING = 3,                /* wider ones are locals */
    WORDS = 4,                  /* of 64 registers */
    SLOTS_A_SUM = 64,
};

/* One value of the block: what one instruction of it writes, or what comes in. */
typedef struct Local {
    uint32_t uses;              /* instructions that read it, each once */
    uint32_t left;              /* of them, not yet in the order */
    uint8_t units;
    bool is_out, is_live;
    bool is_temporary;          /* between the steps of one instruction */
    bool is_held;               /* a result of wgmma */
} Local;

typedef struct ListScheduleStep {
    uint32_t use_first;         /* into BlockWork.locals_of */
    uint16_t use_count, def_count;
    uint32_t edge;              /* successors: index + 1 into edges */
    uint32_t pred_count, succ_count, left;
    uint32_t height;            /* cycles to the block's end */
    uint32_t ready_at;
    uint16_t latency;           /* cycles until its results can be used */
    /* a constant, which is moved into its register when the first reader comes */
    bool is_lazy;
    bool is_part;               /* what another instruction does too */
} ListScheduleStep;

typedef struct ListScheduleEdge {
    uint32_t to, next;
    uint32_t from, next_pred;
    bool is_order;              /* only the order is asked for; else a result */
} ListScheduleEdge;

struct BlockWork {
    Arena *arena;
    const Lowered *lowered;
    const LoweredLive *live;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    BlockId *last;              /* per block that begins a region */
    /* values that go through the region untouched, by the registers that each takes: they are no
     * locals */
    uint32_t passing[PASSING];
    /* of the graph: values are computed again for each reader where that takes one instruction of
     * one operand, and what stands before a barrier stays there */
    bool is_saving;
    bool may_save;              /* the graph would be another one then */
    uint32_t *insn_of;          /* per step */
    uint32_t *local_of;         /* per value: local + 1 in this block */
    uint32_t *stamp;            /* per value: the build that local_of is of */
    uint32_t build;
    Local *locals;
    uint32_t local_count;
    uint32_t *locals_of;        /* per step: uses, then defs */
    uint32_t locals_of_count;
    uint32_t *maker;            /* per local: step + 1; 0: comes in */
    uint32_t *readers;          /* steps: those of a local one behind the other */
    uint32_t *readers_end;      /* per local: into readers, behind its last */
    int32_t *change;            /* per step: registers more, less those that it frees */
    ListScheduleStep *steps;
    uint32_t step_count;
    uint32_t meeting;           /* the last step so far where lanes meet: a shuffle, a barrier */
    uint32_t spare;             /* steps that may still be added to compute values again */
    ListScheduleEdge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t *pred_edge;        /* per step: index + 1 */
    uint32_t *heap, *waiting;
    uint32_t heap_count, waiting_count;
    uint32_t clock;
    uint32_t now, now_wide, most, most_wide;
    uint32_t *last_reader;      /* per local: the step that reads it last so far + 1 */
    uint32_t *sequence;         /* the order: steps */
    uint32_t sequence_count;
    /* per local: slots, one before each step of the order and one behind all */
    uint32_t *birth, *death;
    uint8_t *home;              /* per local: its register */
    uint64_t *slots[WORDS];     /* registers that are taken, a word of them in each slot */
    uint64_t *sums[WORDS];      /* those of SLOTS_A_SUM slots, or-ed */
    uint64_t anywhere[WORDS];   /* that are taken by any value, ... */
    uint64_t through[WORDS];    /* ... by one that lives as long as the region */
    uint32_t top;               /* the highest that was taken + 1 */
    uint32_t highest[ORDER__COUNT];     /* of all regions so far */
    const Defs *defs;
    unsigned sm;
    const bool *held;           /* per value: wgmma writes it; NULL: there is none */
    const uint8_t *units;       /* per value, then per factor: registers that it takes */
    int64_t factors[MAX_FACTORS];
    uint32_t factor_count;
};

/* A step that stands for no instruction of the function moves a constant. */
static inline const LoweredInsn *insn_at(const BlockWork *w, uint32_t s)
{
    static const LoweredInsn move = { .origin = NO_ID, .machine = MACHINE_MOVE, .count = 1 };
    return w->insn_of[s] == NO_ID ? &move : &w->lowered->insns[w->insn_of[s]];
}

/* block_graph.c: one cheap instruction makes its result of one value. */
bool ptx_block_is_rebuilt(const Lowered *lowered, const LoweredInsn *insn);

/* block_graph.c: the graph of a region, so many iterations of it, and who reads its values. */
void ptx_block_graph_build(BlockWork *work, BlockId first, uint32_t repeat);

/* Latencies, and the longest way to the end, of the graph that was built. */
void ptx_block_graph_time(BlockWork *work);

/* register_places.c: the highest register that the order takes where each value has one of its own,
 * plus 1; 0 where an earlier region, by `highest`, is sure to take more. */
uint32_t ptx_block_places(BlockWork *work, uint32_t *highest);

#endif
