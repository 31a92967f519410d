/* block_run.h -- all threads of one block, run on values of block_value.h.
 *
 * Warps run one behind the other from barrier to barrier, their lanes together. What is read from
 * shared memory is what was stored there only where a barrier, of the block or of the warp, stands
 * between; on targets before sm_70 also where both accesses of a warp are volatile, as its lanes
 * run together there. A race ends the run. A branch that is not known is gone around where neither
 * side exchanges values between threads: what it sets is not known then. Else all threads are taken
 * to go where they exchange values, and a loop whose end is not known is run twice, from values
 * that are not known. Private to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_BLOCK_RUN_H
#define PTX_ANALYSIS_RECOGNIZE_BLOCK_RUN_H

#include "analysis/recognize/block_value.h"
#include "analysis/recognize/recognizer.h"

enum {
    BLOCK_WARP = 32,
    MIN_BLOCK_THREADS = 64,     /* of those that are tried where none is given */
    MAX_BLOCK_THREADS = 1024,   /* CUDA C++ Programming Guide, "Compute Capabilities" */
    MAX_BLOCK_WARPS = MAX_BLOCK_THREADS / BLOCK_WARP,
    MAX_BLOCK_REGISTERS = 1 << 19,      /* of all threads */
    MAX_BLOCK_STEPS = 1 << 22,  /* instructions of threads, of all runs of a function */
    MAX_BLOCK_CELLS = 1 << 15,  /* words of shared memory */
    MAX_BLOCK_ARRAYS = 256,     /* variables there */
    MAX_BLOCK_FOUND = 16,
    MAX_ELEMENTS_OF_THREAD = 64,        /* of what is combined */
    BLOCK_STACK = 64,
    NO_CELL = UINT32_MAX
};

/* Lanes of a warp that go together. */
typedef struct BlockEntry {
    InsnId pc;
    BlockId reconverge;         /* EXIT_BLOCK: nowhere */
    uint32_t lanes;
} BlockEntry;

typedef struct BlockWarp {
    BlockEntry stack[BLOCK_STACK];
    uint32_t depth, live;
    uint32_t syncs;             /* barriers of the warp, by all of its lanes */
    uint32_t entries;           /* into loops that are not known */
    uint32_t forgets;           /* how often registers were forgotten */
    bool waits;
    uint16_t *visits;           /* per instruction */
    uint8_t *stays;             /* per block: how often its branch went on in a loop */
} BlockWarp;

/* A word of shared memory. */
typedef struct BlockCell {
    BlockValue value, first;    /* first: that was stored there */
    uint8_t part;               /* of a value of two words */
    uint8_t parts;              /* words of the value; 0: none is known */
    bool is_volatile, was_read_volatile, has_first;
    bool has_readers;           /* several lanes of a warp */
    uint16_t writer, reader;
    uint32_t write_epoch, read_epoch, write_syncs, read_syncs, entries;
    InsnId store;
} BlockCell;

/* What a branch does that is not known. */
typedef enum BlockChoice {
    CHOICE_NONE,
    CHOICE_AROUND,              /* to where both sides meet */
    CHOICE_TAKEN, CHOICE_FALL,
    CHOICE_STAY_TAKEN, CHOICE_STAY_FALL,        /* in the loop twice, then out of it */
    CHOICE_LEAVE_TAKEN, CHOICE_LEAVE_FALL,      /* the same at its end */
    CHOICE_LOST
} BlockChoice;

/* A value that holds an element of each thread, when it was first made. */
typedef struct BlockFound {
    BlockValue value;
    InsnId insn;
    uint8_t step;
    bool is_location;           /* of a minimum or maximum: where it is */
    BlockId within;             /* where it is decided that it is made */
    uint32_t count;
    uint64_t signature;
} BlockFound;

typedef struct BlockRun {
    Recognizer *r;
    Arena *arena;
    const Func *func;
    uint32_t shape[3], threads, warp_count;
    BlockNodes nodes;
    /* per register those of all threads, NULL: none was set; kept: before a loop was left */
    BlockValue **regs, **kept;
    BlockWarp *warps;
    BlockCell *cells;
    uint32_t *cell_first;       /* per variable; NO_CELL: not in shared memory */
    VarId *cell_vars;           /* per 64 KB of addresses from the first on */
    uint32_t cell_count, shared_count;
    uint8_t *choices;           /* per block: BlockChoice */
    bool *talks;                /* per block: threads exchange values there */
    bool *seen;                 /* per block, and ... */
    BlockId *stack;             /* ... as many: of the walk in hand */
    bool *is_open;              /* per loop: its end is not known */
    uint32_t epoch;
    bool is_lost, must_restart, has_volatile_order;
    bool has_generic;           /* an address in shared memory is made a generic one */
    bool is_outside;            /* of a variable in shared memory: no such block is launched */
    BlockFound found[MAX_BLOCK_FOUND];
    uint32_t found_count, location_tries;
    /* per lane: the predicate under which an instruction runs; NULL: none */
    const BlockValue *where;
    BlockId where_block;        /* that decides it; EXIT_BLOCK: the instruction's */
} BlockRun;

/* Base of the addresses of shared variables, and how far they are apart. */
enum { BLOCK_SHARED_BASE = 1 << 20, BLOCK_SHARED_SPAN = 1 << 17 };

static inline BlockValue ptx_block_reg(const BlockRun *run, RegId reg, uint32_t thread)
{
    return run->regs[reg] ? run->regs[reg][thread] : (BlockValue){ 0 };
}

static inline BlockValue ptx_block_kept(const BlockRun *run, RegId reg, uint32_t thread)
{
    return run->kept[reg] ? run->kept[reg][thread] : (BlockValue){ 0 };
}

/* Whether instructions of the function exchange values between threads that more than a warp can
 * see; else there is nothing to run. */
bool ptx_block_is_worth_it(const Recognizer *r);

/* For what takes as long as so many instructions of threads. */
static inline void ptx_block_spend(const BlockRun *run, uint64_t steps)
{
    run->r->block_steps -= steps < run->r->block_steps ? steps : run->r->block_steps;
}

/* False: not all of it could be run. What was found until then holds. */
bool ptx_block_run(BlockRun *run);

/* block_scan.c: prefixes over all threads, in registers or in shared memory, when the run is
 * over. */
typedef struct BlockScan {
    uint64_t signature;         /* of what the last thread has */
    uint64_t whole;             /* of all elements */
    uint32_t count;             /* elements of all threads */
    uint8_t step;
    InsnId insn;
    RegId reg;                  /* NO_ID: shared memory */
    VarId array;
} BlockScan;

uint32_t ptx_block_scans(const BlockRun *run, BlockScan *out, uint32_t most);

/* block_insn.c: one instruction for lanes of a warp that is no branch and no barrier of the
 * block. */
void ptx_block_execute(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes);
/* The same for lanes that run it, and others that may. */
void ptx_block_execute_lanes(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                             uint32_t maybe);
BlockId ptx_block_within(const BlockRun *run, InsnId id);
/* A value that was made: it may be one of all threads. */
void ptx_block_note(BlockRun *run, InsnId id, BlockValue value);
/* The operation of two operands, sums and differences alike; STEP_OTHER: it is none. */
Step ptx_block_step(const Insn *insn);

/* block_operand.c: what threads read and write. */
unsigned ptx_block_reg_bits(const BlockRun *run, RegId reg);
bool ptx_block_is_whole_reg(const BlockRun *run, const Operand *operand);
/* Lanes where a guard holds, and those where it may. */
uint32_t ptx_block_guard(const BlockRun *run, const BlockWarp *w, InsnId id, uint32_t lanes,
                         uint32_t *maybe);
/* What is in a register is not known any more. */
void ptx_block_forget(BlockRun *run, BlockWarp *w, RegId reg, uint32_t lanes);
BlockValue ptx_block_read(const BlockRun *run, const Operand *operand, uint32_t thread);
void ptx_block_write(BlockRun *run, const Operand *operand, uint32_t thread, BlockValue value);

/* An operand that is read for the lanes of a warp. */
typedef struct BlockArg {
    const Operand *operand;
    const BlockValue *values;   /* per lane; NULL: all lanes have the same, or differs is set */
    BlockValue same;            /* of all lanes; of those without a value */
    bool is_negated, differs;   /* differs: by the thread's place, as %tid */
} BlockArg;

/* One that is written. */
typedef struct BlockResult {
    BlockValue *values;         /* per lane; NULL: no register */
    uint64_t mask, key;         /* of numbers; of the element that thread 0 would have */
    uint32_t first;             /* thread of lane 0 */
    bool is_part;               /* of a vector: nothing is known of it */
} BlockResult;

BlockArg ptx_block_arg(const BlockRun *run, const BlockWarp *w, const Operand *operand);
BlockResult ptx_block_result(BlockRun *run, const BlockWarp *w, const Operand *operand,
                             uint32_t visit);
/* Of a predicate that is negated, of a register never set, or of a place. */
BlockValue ptx_block_read_special(const BlockRun *run, const BlockArg *arg, uint32_t thread,
                                  BlockValue value);

static inline BlockValue ptx_block_arg_read(const BlockRun *run, const BlockArg *arg,
                                            uint32_t first, unsigned lane)
{
    const BlockValue value = arg->values ? arg->values[lane] : arg->same;
    if (value.kind == BLOCK_UNSET || arg->is_negated || arg->differs)
        return ptx_block_read_special(run, arg, first + lane, value);
    return value;
}

static inline uint64_t ptx_block_result_key(const BlockResult *result, unsigned lane)
{
    return result->key | (result->first + lane);
}

static inline void ptx_block_put(const BlockResult *result, unsigned lane, BlockValue value)
{
    if (!result->values)
        return;
    if (value.kind == BLOCK_NUMBER)
        value.number &= result->mask;
    if (result->is_part)
        value = (BlockValue){ 0 };
    result->values[lane] = value;
}

/* block_memory.c */
void ptx_block_access(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes, uint32_t maybe);
bool ptx_block_lay_out_shared(BlockRun *run);
/* The first address of a variable in shared memory; 0: it is not there. */
uint64_t ptx_block_shared_address(const BlockRun *run, VarId var);

static inline uint32_t ptx_block_thread(const BlockRun *run, const BlockWarp *w, unsigned lane)
{
    return (uint32_t)(w - run->warps) * BLOCK_WARP + lane;
}

#endif
