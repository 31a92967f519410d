/* waiting_chain.h -- which instructions a warp waits for: the clocks of critical_path.h, block by
 * block, traced back from the last instruction of a block along what each one waited for.
 *
 * An instruction has the clocks from its own start to that of the next one on the chain, which
 * waited for it: its latency, or a part of it where it began in an earlier block. Clocks in which
 * none waits, because issue slots or a pipeline hold it, are shared among the instructions of the
 * block that take these. */
#ifndef PTX_ANALYSIS_TIME_WAITING_CHAIN_H
#define PTX_ANALYSIS_TIME_WAITING_CHAIN_H

#include "analysis/flow/types.h"
#include "gpu/gpu.h"

#include <stdbool.h>

typedef struct Arena Arena;
typedef struct Lowered Lowered;
typedef struct LoweredInsn LoweredInsn;

typedef struct ChainLink {      /* who: a machine instruction; from insn_count on, a pipeline */
    uint32_t who;
    double clocks;
} ChainLink;

typedef struct WaitingChain {
    const Lowered *lowered;
    double *at;                 /* per machine instruction: its start */
    uint32_t *cause;            /* the one that it waited for, + 1; 0: none */
    uint32_t *maker;            /* per value: the instruction that wrote it last, + 1; 0 */
    ChainLink *links;           /* of each block, those of its latest walk; see first_link */
    uint32_t *link_count;       /* per block */
    /* of the block in hand, + 1; 0: the one that ended last, and what all behind it wait for */
    uint32_t last, waited;
    PipeId pipe;                /* that held the phase which ended last */
} WaitingChain;

/* Owned by scratch. */
WaitingChain *ptx_waiting_chain_new(Arena *scratch, const Lowered *lowered, uint32_t block_count);

void ptx_waiting_chain_begin(WaitingChain *chain);

/* When an instruction starts, and could have but for its operands. */
typedef struct WaitTimes {
    double at, begin;           /* begin: of the block */
    double made;                /* what stands before it in its expansion is there */
    double start;               /* what holds all behind it is over */
    double last;                /* all before it have issued */
    bool is_continued, is_behind_all;   /* it waits for made; for last */
} WaitTimes;

void ptx_waiting_chain_note(WaitingChain *chain, uint32_t insn, const double *ready,
                            const WaitTimes *times);

/* What it writes is there from now on. */
void ptx_waiting_chain_define(WaitingChain *chain, uint32_t insn);

typedef struct WalkedBlock {
    BlockId block;
    double begin, last, start, end;     /* end: of its walk, last and start as in WaitTimes */
} WalkedBlock;

void ptx_waiting_chain_close(WaitingChain *chain, const WalkedBlock *walked);

/* The block's links of its latest walk. */
const ChainLink *ptx_waiting_chain_links(const WaitingChain *chain, BlockId block, uint32_t *count);

#endif
