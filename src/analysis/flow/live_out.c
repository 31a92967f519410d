#include "analysis/flow/live_out.h"
#include "support/arena.h"
#include "analysis/flow/cfg.h"

#include <stdbool.h>

enum { WORD_BITS = 64 };

/* How many are set. */
static uint32_t count_bits(uint64_t word)
{
    if (!(word & (word - 1)))           /* as most are; without an instruction it is a call */
        return word != 0;
    return (uint32_t)__builtin_popcountll(word);
}

Explorer ptx_explorer_make(Arena *arena, const Cfg *cfg, uint32_t pair_limit, uint64_t steps)
{
    const size_t blocks = (size_t)cfg->block_count + 1;
    return (Explorer){ .arena = arena,
                       .cfg = cfg,
                       .bits = ptx_arena_array(arena, LiveBits, blocks),
                       .touched = ptx_arena_array(arena, BlockId, blocks),
                       .queue = ptx_arena_array(arena, uint64_t, blocks / WORD_BITS + 1),
                       .pair_limit = pair_limit,
                       .steps_left = steps };
}

static LiveBits *live_bits_of(Explorer *e, BlockId block)
{
    LiveBits *bits = &e->bits[block];
    if (!(bits->in | bits->out | bits->killed))
        e->touched[e->touched_count++] = block;
    return bits;
}

/* Things that are live where a block begins, which was not known. */
static void add_live_in(Explorer *e, BlockId block, uint64_t things)
{
    const uint32_t word = block / WORD_BITS;
    e->bits[block].in |= things;
    e->bits[block].pending |= things;
    e->queue[word] |= UINT64_C(1) << block % WORD_BITS;
    if (word >= e->queue_end)
        e->queue_end = word + 1;
}

/* The last block that is queued: ranges lead backwards. NO_ID: none. */
static BlockId next_block(Explorer *e)
{
    while (e->queue_end && !e->queue[e->queue_end - 1])
        e->queue_end--;
    if (!e->queue_end)
        return NO_ID;
    uint64_t *word = &e->queue[e->queue_end - 1];
    const uint32_t bit = WORD_BITS - 1 - (uint32_t)__builtin_clzll(*word);
    *word &= ~(UINT64_C(1) << bit);
    return (e->queue_end - 1) * WORD_BITS + bit;
}

static bool visit(Explorer *e, BlockId block)
{
    const Block *b = &e->cfg->blocks[block];
    const uint64_t things = e->bits[block].pending;
    e->bits[block].pending = 0;
    if (e->steps_left < b->pred_count)
        return false;
    e->steps_left -= b->pred_count;
    for (uint32_t p = 0; p < b->pred_count; p++) {
        const BlockId pred = e->cfg->preds[b->pred_first + p];
        const uint64_t known = e->bits[pred].out;
        if (!(things & ~known))
            continue;
        LiveBits *bits = live_bits_of(e, pred);
        bits->out |= things;
        const uint64_t through = things & ~known & ~bits->killed & ~bits->in;
        if (through)
            add_live_in(e, pred, through);
    }
    return true;
}

bool ptx_explorer_walk(Explorer *e, const LiveSite *uses, const LiveSite *kills)
{
    for (uint32_t t = 0; t < e->thing_count; t++) {
        const uint64_t thing = UINT64_C(1) << t;
        for (uint32_t kill = e->things[t].kill; kill; kill = kills[kill - 1].next)
            live_bits_of(e, kills[kill - 1].block)->killed |= thing;
        for (uint32_t use = e->things[t].use; use; use = uses[use - 1].next)
            if (!(live_bits_of(e, uses[use - 1].block)->in & thing))
                add_live_in(e, uses[use - 1].block, thing);
    }
    for (BlockId block = next_block(e); block != NO_ID; block = next_block(e))
        if (!visit(e, block))
            return false;
    return true;
}

static void add_set(Explorer *e, LiveSet set)
{
    if (e->set_count == e->set_capacity)
        e->sets = ptx_arena_grow(e->arena, e->sets, e->set_count, &e->set_capacity,
                                 sizeof *e->sets);
    e->sets[e->set_count++] = set;
}

bool ptx_explorer_emit(Explorer *e, uint64_t things)
{
    for (uint32_t i = 0; i < e->touched_count; i++) {
        const uint64_t live = e->bits[e->touched[i]].out & things;
        const uint32_t count = count_bits(live);
        if (count > e->pair_limit - e->pair_count)
            return false;
        e->pair_count += count;
        if (live)
            add_set(e, (LiveSet){ live, e->touched[i], e->id_count });
    }
    return true;
}

void ptx_explorer_clear(Explorer *e)
{
    for (uint32_t i = 0; i < e->touched_count; i++)
        e->bits[e->touched[i]] = (LiveBits){ 0 };
    while (e->id_capacity - e->id_count < e->thing_count)
        e->ids = ptx_arena_grow(e->arena, e->ids, e->id_count, &e->id_capacity, sizeof *e->ids);
    for (uint32_t t = 0; t < e->thing_count; t++)
        e->ids[e->id_count++] = e->things[t].id;
    e->touched_count = e->thing_count = 0;
}

const uint32_t *ptx_explorer_sort(const Explorer *e, Arena *arena, const uint32_t **ids)
{
    const uint32_t blocks = e->cfg->block_count;
    uint32_t *first = ptx_arena_array(arena, uint32_t, (size_t)blocks + 2),
             *out = ptx_arena_array(arena, uint32_t, (size_t)e->pair_count + 1);
    for (uint32_t i = 0; i < e->set_count; i++)
        first[e->sets[i].block + 2] += count_bits(e->sets[i].bits);
    for (uint32_t b = 2; b <= blocks; b++)
        first[b] += first[b - 1];
    for (uint32_t i = 0; i < e->set_count; i++) {
        const LiveSet *set = &e->sets[i];
        uint32_t at = first[set->block + 1];
        for (uint64_t bits = set->bits; bits; bits &= bits - 1)
            out[at++] = e->ids[set->first + (uint32_t)__builtin_ctzll(bits)];
        first[set->block + 1] = at;
    }
    *ids = out;
    return first;
}
