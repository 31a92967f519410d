#include "analysis/time/waiting_chain.h"

#include "analysis/sass/sass.h"
#include "support/arena.h"

#include <math.h>

#define SAME_CLOCK .5

WaitingChain *ptx_waiting_chain_new(Arena *scratch, const Lowered *lowered, uint32_t block_count)
{
    WaitingChain *chain = ptx_arena_new(scratch, WaitingChain);
    const uint32_t count = lowered->insn_count;
    *chain = (WaitingChain){
        .lowered = lowered,
        .at = ptx_arena_array(scratch, double, count + 1),
        .cause = ptx_arena_array(scratch, uint32_t, count + 1),
        .maker = ptx_arena_array(scratch, uint32_t, lowered->value_count + 1),
        .links = ptx_arena_array(scratch, ChainLink, count + 2 * block_count + 1),
        .link_count = ptx_arena_array(scratch, uint32_t, block_count + 1),
    };
    return chain;
}

/* A block has a link for each instruction at most, and two. */
static uint32_t first_link(const WaitingChain *chain, BlockId block)
{
    return chain->lowered->first[block] + 2 * block;
}

void ptx_waiting_chain_begin(WaitingChain *chain)
{
    chain->last = chain->waited = 0;
    chain->pipe = PIPE_ISSUE;
}

/* Of the values that it reads, who made the last to come; 0: none that it waited for. */
static uint32_t latest_maker(const WaitingChain *chain, const LoweredInsn *insn,
                             const double *ready, double at)
{
    const LoweredValueId *uses = &chain->lowered->operands[insn->operand_first + insn->def_count];
    uint32_t maker = 0;
    double latest = at - SAME_CLOCK;
    for (unsigned u = 0; u < insn->use_count; u++)
        if (ready[uses[u]] >= latest && chain->maker[uses[u]]) {
            latest = ready[uses[u]];
            maker = chain->maker[uses[u]];
        }
    return maker;
}

void ptx_waiting_chain_note(WaitingChain *chain, uint32_t insn, const double *ready,
                            const WaitTimes *times)
{
    uint32_t cause = latest_maker(chain, &chain->lowered->insns[insn], ready, times->at);
    const double least = times->at - SAME_CLOCK;
    if (!cause && times->is_continued && times->made >= least)
        cause = insn;           /* the one before it */
    if (!cause && times->start > times->begin && times->start >= least)
        cause = chain->waited;
    if (!cause && times->is_behind_all && times->last >= least)
        cause = chain->last;
    chain->at[insn] = times->at;
    chain->cause[insn] = cause;
}

void ptx_waiting_chain_define(WaitingChain *chain, uint32_t insn)
{
    const LoweredInsn *of = &chain->lowered->insns[insn];
    const LoweredValueId *defs = &chain->lowered->operands[of->operand_first];
    for (unsigned d = 0; d < of->def_count; d++)
        chain->maker[defs[d]] = insn + 1;
}

static void add_chain_link(WaitingChain *chain, BlockId block, uint32_t who, double clocks)
{
    if (clocks > 0)
        chain->links[first_link(chain, block) + chain->link_count[block]++] =
            (ChainLink){ who, clocks };
}

/* Back from an instruction that started at to: causes of this walk stand before it. */
static void trace_back(WaitingChain *chain, const WalkedBlock *walked, uint32_t from)
{
    const uint32_t first = chain->lowered->first[walked->block];
    uint32_t i = from;
    for (;;) {
        const uint32_t cause = chain->cause[i];
        const double since = chain->at[i] - walked->begin;
        if (!cause) {
            add_chain_link(chain, walked->block, chain->lowered->insn_count + PIPE_ISSUE, since);
            return;
        }
        const uint32_t c = cause - 1;
        if (c < first || c >= i) {      /* of an earlier block, or iteration */
            add_chain_link(chain, walked->block, c, since);
            return;
        }
        add_chain_link(chain, walked->block, c, fmin(since, chain->at[i] - chain->at[c]));
        i = c;
    }
}

void ptx_waiting_chain_close(WaitingChain *chain, const WalkedBlock *walked)
{
    const double issued_end = fmax(walked->last, walked->start);
    uint32_t end = walked->last >= walked->start ? chain->last : chain->waited;
    chain->link_count[walked->block] = 0;
    if (!end || issued_end < walked->begin) {
        add_chain_link(chain, walked->block, chain->lowered->insn_count + chain->pipe,
                 walked->end - walked->begin);
        return;
    }
    add_chain_link(chain, walked->block, chain->lowered->insn_count + chain->pipe,
             walked->end - issued_end);
    end--;
    const double since = fmax(chain->at[end], walked->begin);
    add_chain_link(chain, walked->block, end, issued_end - since);
    trace_back(chain, walked, end);
}

const ChainLink *ptx_waiting_chain_links(const WaitingChain *chain, BlockId block, uint32_t *count)
{
    *count = chain->link_count[block];
    return &chain->links[first_link(chain, block)];
}
