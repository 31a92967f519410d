/* block_log.h -- what one block asked of memory, for the blocks that its run stands for: they ask
 * for the same, at places that move from block to block. */
#ifndef PTX_ANALYSIS_ACCESS_ADVISE_BLOCK_LOG_H
#define PTX_ANALYSIS_ACCESS_ADVISE_BLOCK_LOG_H

#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/sim/stride/block_stride.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Count Count;

typedef struct BlockRequest {
    /* NULL: none of the blocks behind it has to move it */
    Traced *made;
    Traced *kept;               /* that stands for it in the trace; NULL: none does */
    uint64_t low, high;         /* addresses from, and behind; 0: not asked for yet */
    uint32_t access, warp;      /* access: into Trace.accesses */
    uint64_t after;             /* steps of the block before it */
    int64_t by[3];              /* how far it moves from one block to the step-th behind it */
    uint32_t step[3];
    const Count *count;         /* of the instruction, and its doubt when this was asked for */
    uint8_t doubt;
    bool is_placed;             /* its place is known */
    bool is_global;             /* and in global memory */
    bool is_late;               /* its warp made others by the same instruction that stand for it */
    bool is_new;                /* more steps were allowed for it */
} BlockRequest;

typedef struct BlockLog {
    Arena *arena;
    Blocks blocks;              /* that it stands for: the first ran */
    BlockRequest *requests;
    uint32_t count, capacity;
    uint64_t steps;
    /* steps before the first request that was new, between two of them, behind the last */
    uint64_t head, widest, tail;
    bool is_lost;               /* not all requests are in it */
} BlockLog;

/* blocks: as they are narrowed so far. Takes a copy of what `made` points to. */
void ptx_block_log_add(BlockLog *log, const Blocks *blocks, const Value *address,
                       const BlockRequest *request);

/* The run came to its end, and stands for those blocks. */
void ptx_block_log_close(BlockLog *log, const Blocks *blocks, uint64_t steps);

bool ptx_block_log_has(const BlockLog *log, const uint32_t at[3]);

/* How far that request of the block at that place lies from the one in the log. */
uint64_t ptx_block_log_way(const BlockLog *log, const BlockRequest *request, const uint32_t at[3]);

/* What is asked for there. */
Traced ptx_block_log_move(const BlockRequest *request, uint64_t way);

#endif
