#include "analysis/flow/live_out.h"
#include "support/arena.h"
#include "analysis/flow/cfg.h"

#include <stdbool.h>

enum { PAIRS_FIRST = 256 };

Explorer ptx_explorer_make(Arena *arena, const Cfg *cfg, uint32_t pair_limit, uint64_t steps)
{
    const size_t blocks = (size_t)cfg->block_count + 1;
    uint32_t *per_block = ptx_arena_array(arena, uint32_t, 4 * blocks);
    return (Explorer){ .arena = arena,
                       .cfg = cfg,
                       .in_stamp = per_block,
                       .out_stamp = per_block + blocks,
                       .killed_stamp = per_block + 2 * blocks,
                       .stack = per_block + 3 * blocks,
                       .pair_limit = pair_limit,
                       .steps_left = steps };
}

static bool push_pair(Explorer *e, BlockId block, uint32_t id)
{
    if (e->pair_count >= e->pair_limit)
        return false;
    if (e->pair_count == e->pair_capacity)
        e->pairs = ptx_arena_grow(e->arena, e->pairs, e->pair_count, &e->pair_capacity,
                                  sizeof *e->pairs);
    e->pairs[e->pair_count++] = (LivePair){ block, id };
    return true;
}

/* The blocks before the last one on the stack. */
static bool visit(Explorer *e, uint32_t id, uint32_t *depth)
{
    const Block *b = &e->cfg->blocks[e->stack[--*depth]];
    if (e->steps_left < b->pred_count)
        return false;
    e->steps_left -= b->pred_count;
    for (uint32_t p = 0; p < b->pred_count; p++) {
        BlockId pred = e->cfg->preds[b->pred_first + p];
        if (e->out_stamp[pred] == id + 1)
            continue;
        e->out_stamp[pred] = id + 1;
        if (!push_pair(e, pred, id))
            return false;
        if (e->killed_stamp[pred] == id + 1 || e->in_stamp[pred] == id + 1)
            continue;
        e->in_stamp[pred] = id + 1;
        e->stack[(*depth)++] = pred;
    }
    return true;
}

bool ptx_explorer_walk(Explorer *e, uint32_t id, const LiveSite *uses, uint32_t use,
                       const LiveSite *kills, uint32_t kill)
{
    for (; kill; kill = kills[kill - 1].next)
        e->killed_stamp[kills[kill - 1].block] = id + 1;
    for (; use; use = uses[use - 1].next) {
        BlockId block = uses[use - 1].block;
        if (e->in_stamp[block] == id + 1)
            continue;
        e->in_stamp[block] = id + 1;
        e->stack[0] = block;
        for (uint32_t depth = 1; depth;)
            if (!visit(e, id, &depth))
                return false;
    }
    return true;
}

const uint32_t *ptx_explorer_sort(const Explorer *e, Arena *arena, const uint32_t **ids)
{
    const uint32_t blocks = e->cfg->block_count;
    uint32_t *first = ptx_arena_array(arena, uint32_t, (size_t)blocks + 2),
             *out = ptx_arena_array(arena, uint32_t, (size_t)e->pair_count + 1);
    for (uint32_t i = 0; i < e->pair_count; i++)
        first[e->pairs[i].block + 2]++;
    for (uint32_t b = 2; b <= blocks; b++)
        first[b] += first[b - 1];
    for (uint32_t i = 0; i < e->pair_count; i++)
        out[first[e->pairs[i].block + 1]++] = e->pairs[i].id;
    *ids = out;
    return first;
}
