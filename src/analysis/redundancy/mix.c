#include "analysis/redundancy/mix.h"

#include "analysis/redundancy/fuse.h"
#include "analysis/redundancy/region.h"
#include "gpu/costs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/types.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/trips/trip.h"

#include <math.h>

bool ptx_op_is_fused(const Op *op)
{
    return op->kind == OPK_FMA && ptx_type_info[op->type].kind == KIND_FLOAT;
}

static Flops flops_of(const Op *op)
{
    if (op->type == TYPE_F64)
        return FLOPS_FP64;
    return op->type == TYPE_F32 || op->type == TYPE_F32X2 ? FLOPS_FP32 : FLOPS_FP16;
}

/* Flops of one thread: what the profiler's counters call add, multiply and fused multiply-add. */
static void add_flops(Mix *mix, const Op *op, bool may_fuse, double weight)
{
    /* two operations of the pipeline; two halves are one */
    bool is_pair = op->type == TYPE_F32X2;
    unsigned lanes = op->type == TYPE_F16X2 || op->type == TYPE_BF16X2 || is_pair ? 2 : 1;
    double flops = weight * lanes * (ptx_op_is_fused(op) ? 2.0 : 1.0);
    if (op->insn_class == CLASS_TENSOR && weight > 0) {
        double fmas = ptx_cost_tensor_fmas(op);
        mix->weighted_flops[FLOPS_TENSOR] += weight * 2 * fmas / 32;
        mix->has_unknown_shapes |= isnan(fmas);
        mix->tensor_rates |= fmas > 0 ? 1u << (ptx_cost_tensor_rate(op) - FIGURE_TENSOR_F16) : 0;
    }
    if (!ptx_op_is_fused(op) && !ptx_op_is_float(op, OPK_ADD) && !ptx_op_is_float(op, OPK_SUB)
        && !ptx_op_is_float(op, OPK_MUL))
        return;
    Flops kind = flops_of(op);
    mix->weighted_flops[kind] += flops;
    if (!may_fuse)
        mix->weighted_float_ops[kind] += is_pair ? 2 * weight : weight;
}

static void add_mix_bytes(Mix *mix, const Insn *insn, double weight)
{
    const Op *op = insn->op;
    if ((op->flags & (OPF_LOAD | OPF_STORE))
        && (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC))
        mix->weighted_global_bytes += weight * insn->access_bytes;
}

/* What is known of the instructions and blocks of a function before they are counted. */
typedef struct MixFacts {
    const Func *func;
    const Cfg *cfg;
    const InsnId *fused_with;
    const uint32_t *stops;              /* per block */
} MixFacts;

static void add_block(Mix *mix, const MixFacts *facts, BlockId id, double weight)
{
    const Func *func = facts->func;
    const Block *block = &facts->cfg->blocks[id];
    mix->weighted_stops += weight * facts->stops[id];
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        bool fused = ptx_op_is_fused(insn->op), may_fuse = facts->fused_with[i] != NO_ID;
        mix->counts[insn->op->insn_class]++;
        mix->weighted[insn->op->insn_class] += weight;
        mix->insn_count++;
        mix->weighted_insn_count += weight;
        mix->weighted_fused_count += fused ? weight : 0;
        add_flops(mix, insn->op, may_fuse, weight);
        add_mix_bytes(mix, insn, weight);
        mix->fused_count += fused;
        mix->fusable_count += may_fuse;
    }
}

/* Adds an inner mix to the one around it; each weighted count of the inner one counts weight
 * times. */
static void add_mix(Mix *outer, const Mix *inner, double weight)
{
    for (int c = 0; c < CLASS__COUNT; c++) {
        outer->counts[c] += inner->counts[c];
        outer->weighted[c] += weight * inner->weighted[c];
    }
    outer->insn_count += inner->insn_count;
    outer->fused_count += inner->fused_count;
    outer->fusable_count += inner->fusable_count;
    outer->weighted_insn_count += weight * inner->weighted_insn_count;
    outer->weighted_fused_count += weight * inner->weighted_fused_count;
    outer->weighted_stops += weight * inner->weighted_stops;
    outer->weighted_global_bytes += weight * inner->weighted_global_bytes;
    for (int f = 0; f < FLOPS__COUNT && weight > 0; f++) {
        outer->weighted_flops[f] += weight * inner->weighted_flops[f];
        outer->weighted_float_ops[f] += weight * inner->weighted_float_ops[f];
    }
    outer->has_assumed_trips |= inner->has_assumed_trips;
    outer->has_assumed_branches |= inner->has_assumed_branches;
    outer->has_unknown_shapes |= inner->has_unknown_shapes;
    outer->tensor_rates |= inner->tensor_rates;
}

/* A loop that tests before its body runs its header once more. */
static void add_last_test(Mix *outer, const MixFacts *facts, BlockId header, double share)
{
    Mix test = { 0 };
    add_block(&test, facts, header, share);
    memset(test.counts, 0, sizeof test.counts);
    test.insn_count = test.fused_count = test.fusable_count = 0;
    add_mix(outer, &test, 1);
}

/* ---- shares of a branch ---------------------------------------------------------------------- */

/* One instruction, the way to where the sides meet. */
static bool is_way(const Cfg *cfg, const Block *block, BlockId meeting)
{
    bool is_single = block->end <= block->first + 1;
    return is_single && (!block->succ_count || cfg->succs[block->succ_first] == meeting);
}

/* It does something before the sides meet, and the branch alone leads to it. */
static bool is_side(const Cfg *cfg, const Loops *loops, const Dom *dom, BlockId branch, BlockId to)
{
    if (to == EXIT_BLOCK || loops->loop_of[to] != loops->loop_of[branch])
        return false;
    const Block *block = &cfg->blocks[to];
    return to != dom->ipdom[branch] && dom->idom[to] == branch
           && block->pred_count == 1 && !is_way(cfg, block, dom->ipdom[branch]);
}

/* Per block: of a branch, its sides. */
static const uint32_t *count_sides(Arena *scratch, const Cfg *cfg, const Loops *loops,
                                   const Dom *dom)
{
    uint32_t *sides = ptx_arena_array(scratch, uint32_t, cfg->block_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Block *block = &cfg->blocks[b];
        for (uint32_t s = 0; s < block->succ_count && ptx_block_is_reachable(cfg, b); s++)
            sides[b] += is_side(cfg, loops, dom, b, cfg->succs[block->succ_first + s]);
    }
    return sides;
}

/* Per block: how often it runs where the loops around it run once. */
static const double *shares_of(Arena *scratch, const Cfg *cfg, const Loops *loops, const Dom *dom,
                               const uint32_t *sides)
{
    double *shares = ptx_arena_array(scratch, double, cfg->block_count + 1);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId b = cfg->rpo[r], above = dom->idom[b];
        bool has_sides = above != EXIT_BLOCK && is_side(cfg, loops, dom, above, b);
        shares[b] = above == EXIT_BLOCK ? 1 : shares[above];
        if (has_sides)
            shares[b] /= sides[above];
    }
    return shares;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* What a block weighs for one round of the loop that it is in, NO_LOOP: of the function. */
static double share_in(const double *shares, const Loops *loops, LoopId loop, BlockId block)
{
    return loop == NO_LOOP ? shares[block] : shares[block] / shares[loops->loops[loop].header];
}

const Mixes *ptx_mix_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                             const Trips *trips)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    const Dom *dom = flow->dom;
    ArenaMark mark = ptx_arena_mark(scratch);
    const MixFacts facts = { func, cfg, ptx_fuse_compute(scratch, scratch, func, cfg),
                             ptx_region_count(scratch, func, cfg) };
    const uint32_t *sides = count_sides(scratch, cfg, loops, dom);
    const double *shares = shares_of(scratch, cfg, loops, dom, sides);
    Mixes *mixes = ptx_arena_new(arena, Mixes);
    Mix *per_loop = ptx_arena_array(arena, Mix, loops->loop_count);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        LoopId loop = loops->loop_of[b];
        Mix *own = loop == NO_LOOP ? &mixes->func : &per_loop[loop];
        if (!ptx_block_is_reachable(cfg, b))
            continue;
        add_block(own, &facts, b, share_in(shares, loops, loop, b));
        own->has_assumed_branches |= sides[b] > 1;
    }
    /* an inner loop comes after its outer one */
    for (LoopId loop = loops->loop_count; loop-- > 0;) {
        LoopId parent = loops->loops[loop].parent;
        Mix *outer = parent == NO_LOOP ? &mixes->func : &per_loop[parent];
        double count = trips ? trips->trips[loop].count : (double)NAN;
        outer->has_assumed_trips |= isnan(count);
        BlockId header = loops->loops[loop].header;
        double share = share_in(shares, loops, parent, header);
        add_mix(outer, &per_loop[loop], share * (isnan(count) ? MIX_LOOP_WEIGHT : count));
        if (!isnan(count) && trips->trips[loop].tests_first)
            add_last_test(outer, &facts, header, share);
    }
    mixes->loops = per_loop;
    ptx_arena_release(scratch, mark);
    return mixes;
}
