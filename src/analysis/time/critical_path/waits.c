#include "analysis/time/critical_path/walker.h"

#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"

/* What an instruction takes of a pipeline, each time. */
static double pipeline_clocks(const CriticalPathWalker *w, const LoweredInsn *insn, PipeId pipe)
{
    if (insn->origin == NO_ID)
        return 0;
    const Count *total = w->in->evaluation->insns[insn->origin].total;
    if (pipe == PIPE_SHARED)
        return total->warps > 0 ? total->wavefronts / total->warps : 0;
    if (pipe == PIPE_TENSOR)
        return insn->machine == MACHINE_TENSOR ? ptx_walk_matrix_clocks(w, insn->origin) : 0;
    return (double)insn->count * (double)w->in->gpu->pipes[pipe].takes[insn->machine];
}

static void add_waits(CriticalPathWalker *w, const LoweredInsn *insn, double clocks)
{
    if (insn->origin != NO_ID)
        w->in->waits[insn->origin] += clocks;
}

/* Among those of the block that take the pipeline. */
static void share_waits(CriticalPathWalker *w, BlockId block, PipeId pipe, double clocks)
{
    const Lowered *lowered = w->in->lowered;
    double all = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++)
        all += pipeline_clocks(w, &lowered->insns[i], pipe);
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1] && all > 0; i++)
        add_waits(w, &lowered->insns[i],
                  clocks * pipeline_clocks(w, &lowered->insns[i], pipe) / all);
}

void ptx_walk_sum_waits(CriticalPathWalker *w, BlockId block, double clocks)
{
    const Lowered *lowered = w->in->lowered;
    uint32_t count;
    const ChainLink *links = ptx_waiting_chain_links(w->chain, block, &count);
    double all = 0, held[PIPE__COUNT] = { 0 };
    for (uint32_t i = 0; i < count; i++)
        all += links[i].clocks;
    for (uint32_t i = 0; i < count; i++) {
        const double part = clocks * links[i].clocks / all;
        if (links[i].who < lowered->insn_count)
            add_waits(w, &lowered->insns[links[i].who], part);
        else
            held[links[i].who - lowered->insn_count] += part;
    }
    for (unsigned p = 0; p < PIPE__COUNT; p++)
        if (held[p] > 0)
            share_waits(w, block, (PipeId)p, held[p]);
}
