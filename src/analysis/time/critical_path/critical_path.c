#include "analysis/time/critical_path/walker.h"

#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"

/* How often the warp of any block runs it that runs it most. */
static double longest(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    return insn->total->warps > 0
               ? ptx_probable_warps(insn) / insn->total->warps * insn->total->longest
               : 0;
}

double ptx_walk_executions(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    double usual = ptx_probable_warps(insn),
           share = insn->total->warps > 0 ? usual / insn->total->warps : 0;
    double all = usual / in->blocks,
           each = fmax(all / in->warps_per_block, share * insn->total->most / in->blocks);
    return each >= 1 ? each : fmin(1, all);
}

/* What a block of the launch loads in a basic block, each time. */
static double loaded_sectors(const CriticalPathWalker *w, BlockId block, bool *stores)
{
    const Block *of = &w->in->cfg->blocks[block];
    double sectors = 0;
    for (InsnId i = of->first; i < of->end; i++) {
        const Op *op = w->in->func->insns[i].op;
        if (op->insn_class != CLASS_GLOBAL)
            continue;
        sectors += op->kind == OPK_LD ? ptx_walk_block_sectors(w, i) : 0;
        *stores |= op->kind == OPK_ST;
    }
    return sectors;
}

static double find_turn_bytes(const CriticalPathWalker *w)
{
    enum { SECTOR_BYTES = 32 };
    const Cfg *cfg = w->in->cfg;
    bool stores = false;
    double sectors = 0, turns = 0;
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        const BlockId block = cfg->rpo[r];
        const double times = ptx_walk_executions(w->in, block);
        if (!ptx_walk_is_in_steps(w, block) || !(times > 0))
            continue;
        const double each = loaded_sectors(w, block, &stores);
        sectors += times * each;
        turns = each > 0 ? fmax(turns, times) : turns;
    }
    return stores && turns > 0 ? SECTOR_BYTES * sectors / turns : 0;
}

CriticalPath ptx_critical_path_compute(Arena *scratch, const CriticalPathInput *in)
{
    CriticalPath out = { 0 };
    ArenaMark mark = ptx_arena_mark(scratch);
    CriticalPathWalker w = { .in = in,
                             .of = { in->latencies, in->sequences, in->load_clocks, in->func } };
    w.ready = ptx_arena_array(scratch, double, in->lowered->value_count + 1);
    w.is_late = ptx_arena_array(scratch, bool, in->lowered->value_count + 1);
    w.batch = ptx_arena_array(scratch, uint32_t, in->lowered->value_count + 1);
    w.own = ptx_arena_array(scratch, double, in->cfg->block_count);
    w.sum = ptx_arena_array(scratch, double, in->cfg->block_count);
    if (in->waits)
        w.chain = ptx_waiting_chain_new(scratch, in->lowered, in->cfg->block_count);
    ptx_walk_find_steps(&w, scratch);
    ptx_walk_find_facts(&w, scratch);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++)
        if (ptx_walk_executions(in, in->cfg->rpo[r]) > 0)
            ptx_walk_block(&w, in->cfg->rpo[r]);
    ptx_walk_outer(&w);
    ptx_walk_loops(&w);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++) {
        double clocks = w.own[in->cfg->rpo[r]] * ptx_walk_executions(in, in->cfg->rpo[r]);
        out.clocks += clocks;
        if (w.chain)
            ptx_walk_sum_waits(&w, in->cfg->rpo[r], clocks);
        out.step_share += ptx_walk_is_in_steps(&w, in->cfg->rpo[r]) ? clocks : 0;
        out.longest_clocks += w.own[in->cfg->rpo[r]] * longest(in, in->cfg->rpo[r]);
    }
    out.step_share = out.clocks > 0 ? out.step_share / out.clocks : 0;
    out.turn_bytes = find_turn_bytes(&w);
    ptx_arena_release(scratch, mark);
    return out;
}
