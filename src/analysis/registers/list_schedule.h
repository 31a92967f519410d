/* list_schedule.h -- basic blocks of machine instructions under orders that an assembler may put
 * them in, and how many registers each order takes.
 *
 * An order respects what values and memory ask for. Registers count 32 bits; uniform registers,
 * predicates and constants none. */
#ifndef PTX_ANALYSIS_REGISTERS_LIST_SCHEDULE_H
#define PTX_ANALYSIS_REGISTERS_LIST_SCHEDULE_H

#include "analysis/flow/types.h"
#include "analysis/sass/unroll.h"
#include "analysis/flow/func_flow.h"

typedef struct Arena Arena;

typedef enum IssueOrder {
    ORDER_PROGRAM,              /* as it stands */
    ORDER_FRUGAL,               /* fewest registers: greedily or value by value, from the end */
    ORDER_EAGER,                /* long latencies first, whatever it takes */
    /* the same while registers are below what lets the most warps be resident */
    ORDER_TARGET,
    ORDER_STRAIGHT,             /* the same, but nothing is put into the time that results take */
    ORDER__COUNT
} IssueOrder;

enum { EXPANSION_LEAST = 5 };

typedef struct BlockPressure {
    uint32_t most[ORDER__COUNT];
    uint32_t wide[ORDER__COUNT];        /* of them, in pairs and quads */
    /* registers up to the highest, where each value has its own; of ORDER_TARGET and ORDER_STRAIGHT
     * */
    uint32_t top[ORDER__COUNT];
    /* in program order, at an instruction of EXPANSION_LEAST machine instructions or more */
    uint32_t at_expansion;
    uint32_t at[EXPANSION__COUNT];      /* the same, at one of these */
    /* and with what its slow path takes: the kernel's registers then; 0: there is none */
    uint32_t called;
    uint32_t held;              /* registers of results of wgmma, in program order */
} BlockPressure;

typedef struct BlockWork BlockWork;

/* Room for any region of the function; arena's. NULL where more is live between blocks than in any
 * real kernel. */
BlockWork *ptx_block_work_new(Arena *arena, const FuncFlow *flow, const Lowered *lowered,
                              const Defs *defs, unsigned sm);

/* The last block of the region that a block begins: the blocks from it on that become one under
 * predicates. */
BlockId ptx_region_last(const BlockWork *work, BlockId first);

/* Registers of values that are live behind it, those of values in uniform registers left out. */
uint32_t ptx_region_out(const BlockWork *work, BlockId first);

/* Iterations that are put in order together, where it is the whole of a loop that ptxas unrolls, as
 * far as they make a difference; else 1. */
uint32_t ptx_region_repeat(const BlockWork *work, BlockId first);

/* repeat: up to what ptx_region_repeat says. */
void ptx_region_pressure(BlockWork *work, BlockId first, uint32_t repeat, uint32_t target,
                         BlockPressure *out);

/* The same region once more, ORDER_TARGET within another target: `most` and `wide` of it. */
void ptx_region_retarget(BlockWork *work, uint32_t target, BlockPressure *out);

/* Whether both the program's order and ORDER_FRUGAL of a region take more registers than this: what
 * ptx_region_pressure says of ORDER_FRUGAL, without the other orders. */
bool ptx_region_exceeds(BlockWork *work, BlockId first, uint32_t registers);

#endif
