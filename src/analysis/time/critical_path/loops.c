#include "analysis/time/critical_path/walker.h"

#include "analysis/sass/unroll.h"
#include "support/minmax.h"

enum {
    LOOP_WALKS = 3,
    STAGE_WALKS = 24,           /* of a loop with stages; the later half of them counts */
};

/* Whether what the block loads in the next iterations may go ahead of what it does in this one:
 * no barrier, fence, store or other path keeps it behind. */
static bool may_load_ahead(const CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    unsigned stored = 0, loaded = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const unsigned orders = ptx_store_orders(w->in->func, insn);
        if (insn->machine == MACHINE_BARRIER || ptx_walk_fence_of(w, insn)
            || ptx_walk_leaves_block(w, insn) || ptx_walk_asks_for_lanes(w, block, insn))
            return false;
        *(ptx_is_ordering_store(insn) ? &stored : &loaded) |= orders;
    }
    return !(stored & loaded);
}

/* Registers that an iteration loads into, out of shared memory and the like. */
static uint32_t loaded_words(const CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    uint32_t words = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const bool is_load = insn->def_count && ptx_store_orders(w->in->func, insn)
                             && !ptx_is_load_of_global(w->in->func, insn);
        if (is_load && insn->origin != NO_ID)
            words += ptx_walk_words(w, insn);
    }
    return words;
}

/* Iterations of a loop of one block that stand side by side: their loads go out together. */
static uint32_t joined_iterations(const CriticalPathWalker *w, LoopId loop, BlockId block)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    if (unrolled->is_whole || unrolled->times < 2
        || !ptx_loop_is_one_block(w->in->func, w->in->cfg, w->in->loops, loop)
        || ptx_walk_is_in_steps(w, block) || !may_load_ahead(w, block))
        return 1;
    const uint32_t words = loaded_words(w, block);
    return words ? ptx_u32_max(1, ptx_u32_min(unrolled->times, WORDS_AHEAD / words))
                 : unrolled->times;
}

/* No iteration is shorter than the way back takes; joined ones share it. */
static void hold_iteration(CriticalPathWalker *w, uint32_t first, uint32_t end, LoopId loop)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    const BlockId *rpo = w->in->cfg->rpo;
    double clocks = 0;
    for (uint32_t k = first; k < end; k++)
        clocks += w->own[rpo[k]];
    if (unrolled->is_whole || !(clocks > 0))
        return;
    double least = (double)w->in->latencies->iteration / fmax(1, unrolled->times);
    for (uint32_t k = first; k < end && clocks < least; k++)
        w->own[rpo[k]] *= least / clocks;
}

/* The branch back, behind all that the iteration issues. */
static void branch_back(CriticalPathWalker *w, LoopId loop, BlockId last)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    double clocks = unrolled->is_whole
                        ? 0
                        : (double)w->in->latencies->branch_back / fmax(1, unrolled->times);
    w->now += clocks;
    w->own[last] += clocks;
}

/* The loop that a block counts to: one that does nothing but wait is part of the one around it. */
static LoopId walked_loop(const CriticalPathWalker *w, uint32_t r)
{
    const Loops *loops = w->in->loops;
    LoopId loop = ptx_walk_loop_at(w, r);
    bool is_spin = loop != NO_LOOP && w->steps && w->is_spin[loop]
                   && loops->loops[loop].parent != NO_LOOP;
    return is_spin ? loops->loops[loop].parent : loop;
}

/* Blocks of loops that hold others once more: what the first walk brought from outside does not
 * come again. */
void ptx_walk_outer(CriticalPathWalker *w)
{
    const Loops *loops = w->in->loops;
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        BlockId block = w->in->cfg->rpo[r];
        LoopId loop = ptx_walk_loop_at(w, r);
        bool is_nested = loop != NO_LOOP
                         && (!loops->loops[loop].is_innermost
                             || loops->loops[loop].parent != NO_LOOP);
        if (is_nested && ptx_walk_executions(w->in, block) > 0)
            ptx_walk_block(w, block);
    }
}

/* The first and the last block's place, and how often the loop is walked again. */
typedef struct WalkedLoop { uint32_t first, end; unsigned walks; LoopId loop; } WalkedLoop;

static void walk_again(CriticalPathWalker *w, const WalkedLoop *of)
{
    const BlockId *rpo = w->in->cfg->rpo;
    const unsigned counted = of->walks / 2;
    for (unsigned again = 0; again < of->walks; again++) {
        for (uint32_t k = of->first; k < of->end; k++)
            ptx_walk_block(w, rpo[k]);
        branch_back(w, of->loop, rpo[of->end - 1]);
        for (uint32_t k = of->first; k < of->end && again >= counted; k++)
            w->sum[rpo[k]] += w->own[rpo[k]];
    }
    for (uint32_t k = of->first; k < of->end; k++)
        w->own[rpo[k]] = w->sum[rpo[k]] / (of->walks - counted);
}

/* The block as often as ptxas has it side by side, each behind what those before it issue. */
static void walk_joined(CriticalPathWalker *w, BlockId block, LoopId loop)
{
    const uint32_t times = joined_iterations(w, loop, block);
    const Lowered *lowered = w->in->lowered;
    const double begin = w->now;
    double issued = 0, end = begin;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++)
        issued += (double)lowered->insns[i].count;
    w->side_by_side = times;
    for (uint32_t copy = 0; copy < times; copy++) {
        w->now = begin + copy * issued;
        w->is_next = copy > 0;
        ptx_walk_block(w, block);
        end = fmax(end, w->now);
    }
    w->is_next = false;
    w->side_by_side = 1;
    w->now = end;
    w->own[block] = (end - begin) / times;
}

static bool is_walked_again(const CriticalPathWalker *w, LoopId loop)
{
    return w->steps ? w->is_inner[loop] : w->in->loops->loops[loop].is_innermost;
}

/* The blocks of innermost loops again, until an iteration takes what the one before took. */
void ptx_walk_loops(CriticalPathWalker *w)
{
    const Cfg *cfg = w->in->cfg;
    for (uint32_t r = 0; r < cfg->rpo_count;) {
        LoopId loop = walked_loop(w, r);
        bool is_stepped = loop != NO_LOOP && w->steps && w->in_steps[loop];
        if (loop == NO_LOOP || !is_walked_again(w, loop)) {
            r++;
            continue;
        }
        WalkedLoop walked = { r, r, LOOP_WALKS - 1, loop };
        while (walked.end < cfg->rpo_count && walked_loop(w, walked.end) == loop)
            walked.end++;
        if (is_stepped) {
            walked.walks = STAGE_WALKS;
            walk_again(w, &walked);
        } else {
            for (unsigned again = 1; again < LOOP_WALKS; again++) {
                for (uint32_t k = r; k < walked.end; k++)
                    walk_joined(w, cfg->rpo[k], loop);
                branch_back(w, loop, cfg->rpo[walked.end - 1]);
            }
        }
        hold_iteration(w, r, walked.end, loop);
        r = walked.end;
    }
}
