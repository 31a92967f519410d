#include "analysis/redundancy/mix.h"

#include "analysis/redundancy/fuse.h"
#include "gpu/costs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/types.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/trips/trip.h"

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
static void add_flops(Mix *mix, const Op *op, bool may_fuse)
{
    /* two operations of the pipeline; two halves are one */
    bool is_pair = op->type == TYPE_F32X2;
    unsigned lanes = op->type == TYPE_F16X2 || op->type == TYPE_BF16X2 || is_pair ? 2 : 1;
    double flops = lanes * (ptx_op_is_fused(op) ? 2.0 : 1.0);
    if (op->insn_class == CLASS_TENSOR) {
        double fmas = ptx_cost_tensor_fmas(op);
        mix->weighted_flops[FLOPS_TENSOR] += 2 * fmas / 32;
        mix->tensor_rates |= fmas > 0 ? 1u << (ptx_cost_tensor_rate(op) - FIGURE_TENSOR_F16) : 0;
    }
    if (!ptx_op_is_fused(op) && !ptx_op_is_float(op, OPK_ADD) && !ptx_op_is_float(op, OPK_SUB)
        && !ptx_op_is_float(op, OPK_MUL))
        return;
    Flops kind = flops_of(op);
    mix->weighted_flops[kind] += flops;
    if (!may_fuse)
        mix->weighted_float_ops[kind] += is_pair ? 2 : 1;
}

static void add_bytes(Mix *mix, const Insn *insn)
{
    const Op *op = insn->op;
    if ((op->flags & (OPF_LOAD | OPF_STORE))
        && (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC))
        mix->weighted_global_bytes += insn->access_bytes;
}

static void add_block(Mix *mix, const Func *func, const InsnId *fused_with, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        bool fused = ptx_op_is_fused(insn->op);
        mix->counts[insn->op->insn_class]++;
        mix->insn_count++;
        add_flops(mix, insn->op, fused_with[i] != NO_ID);
        add_bytes(mix, insn);
        mix->fused_count += fused;
        mix->fusable_count += fused_with[i] != NO_ID;
    }
}

/* Before inner mixes are added, every instruction weighs one. */
static void weigh_own(Mix *mix)
{
    for (int c = 0; c < CLASS__COUNT; c++)
        mix->weighted[c] = mix->counts[c];
    mix->weighted_insn_count = mix->insn_count;
    mix->weighted_fused_count = mix->fused_count;
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
    outer->weighted_global_bytes += weight * inner->weighted_global_bytes;
    for (int f = 0; f < FLOPS__COUNT; f++) {
        outer->weighted_flops[f] += weight * inner->weighted_flops[f];
        outer->weighted_float_ops[f] += weight * inner->weighted_float_ops[f];
    }
    outer->has_assumed_trips |= inner->has_assumed_trips;
    outer->tensor_rates |= inner->tensor_rates;
}

/* A loop that tests before its body runs its header once more. */
static void add_last_test(Mix *outer, const Func *func, const InsnId *fused_with,
                          const Block *header)
{
    Mix test = { 0 };
    add_block(&test, func, fused_with, header);
    weigh_own(&test);
    memset(test.counts, 0, sizeof test.counts);
    test.insn_count = test.fused_count = test.fusable_count = 0;
    add_mix(outer, &test, 1);
}

const Mixes *ptx_mix_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg,
                             const Loops *loops, const Trips *trips)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    const InsnId *fused_with = ptx_fuse_compute(scratch, scratch, func, cfg);
    Mixes *mixes = ptx_arena_new(arena, Mixes);
    Mix *per_loop = ptx_arena_array(arena, Mix, loops->loop_count ? loops->loop_count : 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        LoopId loop = loops->loop_of[b];
        if (ptx_block_is_reachable(cfg, b))
            add_block(loop == NO_LOOP ? &mixes->func : &per_loop[loop], func, fused_with,
                      &cfg->blocks[b]);
    }
    weigh_own(&mixes->func);
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        weigh_own(&per_loop[loop]);
    /* an inner loop comes after its outer one */
    for (LoopId loop = loops->loop_count; loop-- > 0;) {
        LoopId parent = loops->loops[loop].parent;
        Mix *outer = parent == NO_LOOP ? &mixes->func : &per_loop[parent];
        double count = trips ? trips->trips[loop].count : (double)NAN;
        outer->has_assumed_trips |= isnan(count);
        add_mix(outer, &per_loop[loop], isnan(count) ? MIX_LOOP_WEIGHT : count);
        if (!isnan(count) && trips->trips[loop].tests_first)
            add_last_test(outer, func, fused_with, &cfg->blocks[loops->loops[loop].header]);
    }
    mixes->loops = per_loop;
    ptx_arena_release(scratch, mark);
    return mixes;
}
