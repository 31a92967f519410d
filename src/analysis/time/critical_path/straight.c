#include "analysis/time/critical_path/walker.h"

#include "support/arena.h"

/* Whether ptxas predicates a side of the branch that ends the block, so that there is no branch. */
static bool has_predicated_side(const CriticalPathWalker *w, BlockId block)
{
    const Block *of = &w->in->cfg->blocks[block];
    for (uint32_t n = 0; n < of->succ_count; n++) {
        const BlockId side = w->in->cfg->succs[of->succ_first + n];
        if (side != EXIT_BLOCK && side != block && w->in->lowered->runs_with[side] == block)
            return true;
    }
    return false;
}

/* The block that straight code begins with in which all ways to the block end; itself: none. */
static BlockId straight_before(const CriticalPathWalker *w, BlockId block, const BlockId *straight)
{
    const Cfg *cfg = w->in->cfg;
    const Block *of = &cfg->blocks[block];
    const BlockId with = w->in->lowered->runs_with[block];
    if (with != block)
        return straight[with];
    BlockId found = block;
    for (uint32_t p = 0; p < of->pred_count; p++) {
        const BlockId pred = cfg->preds[of->pred_first + p];
        const bool ends = w->in->lowered->runs_with[pred] == pred && !has_predicated_side(w, pred);
        if (ends || w->in->loops->loop_of[pred] != w->in->loops->loop_of[block]
            || (p > 0 && straight[pred] != found))
            return block;
        found = straight[pred];
    }
    return found;
}

/* Blocks that ptxas makes one of, by the first of them: a branch, its predicated sides and what
 * comes behind them. Loads of sides stand beside each other there (of a stencil, those of all its
 * margins), and what they bring is stored behind them all. */
void ptx_walk_find_straight(CriticalPathWalker *w, Arena *scratch)
{
    const Cfg *cfg = w->in->cfg;
    BlockId *straight = ptx_arena_array(scratch, BlockId, cfg->block_count + 1);
    bool *goes_on_behind = ptx_arena_array(scratch, bool, cfg->block_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++)
        straight[b] = b;
    for (uint32_t r = 1; r < cfg->rpo_count; r++) {
        const BlockId block = cfg->rpo[r], before = cfg->rpo[r - 1],
                      first = straight_before(w, block, straight);
        const bool goes_on = first != block && first == straight[before];
        straight[block] = goes_on ? first : block;
        goes_on_behind[before] = goes_on;
    }
    w->straight = straight;
    w->goes_on_behind = goes_on_behind;
}
