#include "analysis/redundancy/loop_exits.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "support/arena.h"
#include "support/minmax.h"

enum { MAX_LEFT_LOOPS = 64 };   /* by one edge */

static void note_exit(LoopExits *exits, uint32_t place)
{
    exits->first = ptx_u32_min(exits->first, place);
    exits->last = ptx_u32_max(exits->last, place);
}

/* One edge leaves a loop and those around it, up to one that holds its target too. */
static void note_edge(const FuncFlow *flow, LoopExits *exits, BlockId from, BlockId to)
{
    LoopId loop = flow->loops->loop_of[from];
    for (unsigned left = 0; loop != NO_LOOP && left < MAX_LEFT_LOOPS; left++) {
        if (ptx_loop_holds(flow->loops, loop, to))
            return;
        note_exit(&exits[loop], flow->dom->pre[from]);
        loop = flow->loops->loops[loop].parent;
    }
}

const LoopExits *ptx_loop_exits_compute(Arena *arena, const FuncFlow *flow)
{
    const uint32_t count = flow->loops->loop_count;
    LoopExits *exits = ptx_arena_array(arena, LoopExits, count + (size_t)1);
    for (LoopId loop = 0; loop < count; loop++)
        exits[loop].first = UINT32_MAX;
    for (BlockId b = 0; b < flow->cfg->block_count; b++) {
        const Block *block = &flow->cfg->blocks[b];
        if (flow->loops->loop_of[b] == NO_LOOP)
            continue;
        for (uint32_t s = 0; s < block->succ_count; s++)
            note_edge(flow, exits, b, flow->cfg->succs[block->succ_first + s]);
    }
    return exits;
}

bool ptx_loop_exits_are_behind(const FuncFlow *flow, const LoopExits *exits, LoopId loop,
                               BlockId block)
{
    const LoopExits *of = &exits[loop];
    return flow->dom->pre[block] <= of->first
           && (of->first > of->last || of->last <= flow->dom->post[block]);
}
