#include "analysis/time/critical_path/walker.h"

#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"

/* Floating point stays in program order: ptxas moves what addresses come from ahead, but little
 * else. */
static bool is_float(MachineOp machine)
{
    return machine == MACHINE_FP32 || machine == MACHINE_FP16 || machine == MACHINE_FP64
           || machine == MACHINE_XU || machine == MACHINE_TENSOR;
}

static bool is_in_order(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_REDUX
           || (insn->origin != NO_ID && w->of.sequences[insn->origin].is_in_order);
}

/* What lanes do first for an atomic that one of them does for all reads its operands, which the
 * last instruction of the expansion has. end: of the block's. That, and one; 0: it does not. */
static uint32_t gathers(const CriticalPathWalker *w, uint32_t first, uint32_t end)
{
    const LoweredInsn *insns = w->in->lowered->insns;
    const InsnId origin = insns[first].origin;
    uint32_t last = first;
    if (!ptx_is_gathering(w->in->func, &insns[first]))
        return 0;
    while (last + 1 < end && !insns[last].def_count && insns[last + 1].origin == origin)
        last++;
    return last + 1;
}

/* In a loop, where a body is often several iterations side by side, floats that rest on a sequence
 * without a branch let those behind them go first. */
static bool begins_late(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    const Sequence *sequence = insn->origin == NO_ID ? NULL : &w->of.sequences[insn->origin];
    return sequence && sequence->each > 0 && !sequence->has_branch;
}

/* Registers that a load of global memory brings; 0: it is none. */
static uint32_t words_of_load(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    const bool is_load = insn->def_count && ptx_is_load_of_global(w->in->func, insn);
    return is_load ? ptx_walk_words(w, insn) : 0;
}

static bool is_light(const LoweredInsn *insn)
{
    return insn->machine == MACHINE_ALU || insn->machine == MACHINE_IADD
           || insn->machine == MACHINE_IMAD || insn->machine == MACHINE_IMAD_WIDE;
}

const Op *ptx_walk_fence_of(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    static const uint8_t others[] = { MOD_CTA, MOD_PROXY, MOD_MBARRIER_INIT, MOD_NONE };
    const Op *op = insn->origin == NO_ID ? NULL : w->in->func->insns[insn->origin].op;
    bool is_fence = op && (op->operation == OP_MEMBAR || op->operation == OP_FENCE);
    return is_fence && !ptx_op_has_any(op, others) ? op : NULL;
}

/* Those that the instructions of each class take anything of. */
static void find_pipes_used(CriticalPathWalker *w)
{
    const Gpu *gpu = w->in->gpu;
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        for (unsigned p = 0; p < PIPE__COUNT; p++)
            if (gpu->pipes[p].lanes > 0 && gpu->pipes[p].takes[m] > 0 && p != PIPE_SHARED
                && p != PIPE_TENSOR)
                w->pipes[m] |= UINT32_C(1) << p;
}

static WalkedInsn walked_insn(const CriticalPathWalker *w, uint32_t i, uint32_t end)
{
    const LoweredInsn *insn = &w->in->lowered->insns[i];
    return (WalkedInsn){ .latency = ptx_result_clocks(&w->of, insn),
                         .fence = ptx_walk_fence_of(w, insn),
                         .words = words_of_load(w, insn),
                         .gathers = gathers(w, i, end),
                         .orders = (uint8_t)ptx_store_orders(w->in->func, insn),
                         .is_light = is_light(insn),
                         .is_float = is_float((MachineOp)insn->machine),
                         .is_in_order = is_in_order(w, insn),
                         .is_late = begins_late(w, insn),
                         .hands_on = ptx_hands_on(w->in->func, insn) };
}

/* Registers of sums, counters and the like that the code of a loop's block reads: they hold theirs
 * from one iteration to the next. Loads of columns that ptxas 13.0 made wait for the additions of
 * others (16 to 32 sums, 40 to 64 registers) had what these left for words and addresses. */
static void find_held(CriticalPathWalker *w, Arena *scratch)
{
    const Lowered *lowered = w->in->lowered;
    uint32_t *seen = ptx_arena_array(scratch, uint32_t, lowered->value_count + 1);
    w->held = ptx_arena_array(scratch, uint32_t, w->in->cfg->block_count + 1);
    for (BlockId b = 0; b < w->in->cfg->block_count; b++)
        for (uint32_t i = lowered->first[b];
             w->in->loops->loop_of[b] != NO_LOOP && i < lowered->first[b + 1]; i++) {
            const LoweredInsn *insn = &lowered->insns[i];
            const LoweredValueId *operands = &lowered->operands[insn->operand_first];
            for (unsigned o = insn->def_count; o < insn->def_count + insn->use_count; o++) {
                const LoweredValue *value = &lowered->values[operands[o]];
                w->held[b] += value->is_variable && seen[operands[o]] != b + 1 ? value->units : 0;
                seen[operands[o]] = b + 1;
            }
            for (unsigned d = 0; d < insn->def_count; d++)
                seen[operands[d]] = b + 1;      /* what comes behind reads this one */
        }
}

void ptx_walk_find_facts(CriticalPathWalker *w, Arena *scratch)
{
    const Lowered *lowered = w->in->lowered;
    WalkedInsn *facts = ptx_arena_array(scratch, WalkedInsn, lowered->insn_count + 1);
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        const uint32_t first = lowered->first[w->in->cfg->rpo[r]],
                       end = lowered->first[w->in->cfg->rpo[r] + 1];
        for (uint32_t i = first; i < end; i++)
            facts[i] = walked_insn(w, i, end);
    }
    w->facts = facts;
    find_held(w, scratch);
    ptx_walk_find_straight(w, scratch);
    w->words_ahead = WORDS_AHEAD + fmax(0, w->in->registers - LITTLE_REGISTERS);
    find_pipes_used(w);
}
