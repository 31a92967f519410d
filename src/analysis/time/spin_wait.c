#include "analysis/time/spin_wait.h"

#include "isa/isa.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "gpu/gpu.h"

#include <math.h>
#include <string.h>



enum { MAX_INSNS = 24, MAX_STEPS = 64 };

typedef struct SpinWaitFinder {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    InsnId *definition;         /* per register: the last one in the text, + 1 */
    unsigned steps;             /* that may still be taken */
} SpinWaitFinder;

/* ---- what a register rests on ---------------------------------------------------------------- */

static bool rests_on_block(SpinWaitFinder *f, RegId reg)
{
    InsnId def = f->definition[reg];
    if (!def || !f->steps)
        return false;
    f->steps--;
    const Operand *operands = ptx_insn_operands(f->func, &f->func->insns[def - 1]);
    f->definition[reg] = 0;                     /* once is enough */
    bool found = false;
    for (uint32_t o = 0; !found && o < f->func->insns[def - 1].operand_count; o++) {
        if (operands[o].kind == OPERAND_SREG && operands[o].id == SREG_CTAID)
            found = true;
        else if (operands[o].kind == OPERAND_REG && operands[o].role & (ROLE_USE | ROLE_ADDRESS))
            found = rests_on_block(f, operands[o].id);
    }
    f->definition[reg] = def;
    return found;
}

static bool rests_on(const SpinWaitFinder *f, RegId reg, InsnId wanted, unsigned depth)
{
    InsnId def = f->definition[reg];
    if (!def || !depth)
        return false;
    if (def - 1 == wanted)
        return true;
    const Operand *operands = ptx_insn_operands(f->func, &f->func->insns[def - 1]);
    for (uint32_t o = 0; o < f->func->insns[def - 1].operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
            && rests_on(f, operands[o].id, wanted, depth - 1))
            return true;
    return false;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool has_zero(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_INT && ptx_operand_value(&operands[o]) == 0)
            return true;
    return false;
}

/* That others may have written by now: volatile, of some order; an atomic that adds nothing. One
 * that swaps gets on by itself. */
static bool asks_anew(const Func *func, const Insn *insn)
{
    bool is_global = insn->op->space == SPACE_GLOBAL || insn->op->space == SPACE_GENERIC,
         is_load = insn->op->kind == OPK_LD && insn->op->flags & OPF_SIDE_EFFECT;
    return is_global
           && (is_load
               || (insn->op->kind == OPK_ATOM && !ptx_op_has(insn->op, MOD_CAS)
                   && has_zero(func, insn)));
}

/* What the loop asks for; NO_ID: it does not wait. */
static InsnId polled_in(SpinWaitFinder *f, LoopId loop)
{
    const Cfg *cfg = f->cfg;
    InsnId polled = NO_ID, branch = NO_ID;
    uint32_t count = 0;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        if (f->loops->loop_of[b] != loop)
            continue;
        count += cfg->blocks[b].end - cfg->blocks[b].first;
        if (count > MAX_INSNS)
            return NO_ID;
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++) {
            const Insn *insn = &f->func->insns[i];
            if (insn->op->flags & OPF_STORE && insn->op->kind != OPK_ATOM)
                return NO_ID;
            polled = asks_anew(f->func, insn) ? i : polled;
            branch = insn->op->kind == OPK_BRA && insn->guard != NO_ID ? i : branch;
        }
    }
    return polled != NO_ID && branch != NO_ID
                   && rests_on(f, f->func->insns[branch].guard, polled, 4)
               ? polled
               : NO_ID;
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* The operand is a number, by itself or in a register. */
static bool is_constant(const SpinWaitFinder *f, const Operand *operand)
{
    if (operand->kind != OPERAND_REG)
        return operand->kind == OPERAND_INT;
    InsnId def = f->definition[operand->id];
    const Insn *insn = def ? &f->func->insns[def - 1] : NULL;
    return insn && insn->op->kind == OPK_MOV && insn->operand_count == 2
           && ptx_insn_operands(f->func, insn)[1].kind == OPERAND_INT;
}

/* A swap of one number for another; what a loop swaps for what it has loaded is no lock. */
static bool takes_lock(const SpinWaitFinder *f, const Insn *insn)
{
    static const uint8_t swaps[] = { MOD_CAS, MOD_EXCH, MOD_NONE };
    const bool is_global = insn->op->space == SPACE_GLOBAL || insn->op->space == SPACE_GENERIC;
    return is_global && insn->op->kind == OPK_ATOM && ptx_op_has_any(insn->op, swaps)
           && insn->operand_count > 2 && is_constant(f, &ptx_insn_operands(f->func, insn)[2]);
}

/* The swap that the loop tries until it gets the lock; NO_ID: it is none. */
static InsnId lock_of(const SpinWaitFinder *f, LoopId loop)
{
    InsnId swap = NO_ID, branch = NO_ID;
    uint32_t count = 0;
    for (BlockId b = 0; b < f->cfg->block_count; b++) {
        const Block *block = &f->cfg->blocks[b];
        if (f->loops->loop_of[b] != loop)
            continue;
        count += block->end - block->first;
        for (InsnId i = block->first; i < block->end && count <= MAX_INSNS; i++) {
            const Insn *insn = &f->func->insns[i];
            swap = takes_lock(f, insn) ? i : swap;
            branch = insn->op->kind == OPK_BRA && insn->guard != NO_ID ? i : branch;
        }
    }
    const bool is_lock = count <= MAX_INSNS && swap != NO_ID && branch != NO_ID
                         && rests_on(f, f->func->insns[branch].guard, swap, 4);
    return is_lock ? swap : NO_ID;
}

/* Whether all threads of the launch have the same number in the register: a parameter or a
 * variable, and what is added to it. */
static bool is_same_for_all(const SpinWaitFinder *f, RegId reg, unsigned depth)
{
    InsnId def = f->definition[reg];
    if (!def || !depth)
        return false;
    const Insn *insn = &f->func->insns[def - 1];
    const Operand *operands = ptx_insn_operands(f->func, insn);
    if (insn->op->kind == OPK_LD)
        return insn->op->space == SPACE_PARAM || insn->op->space == SPACE_PARAM_ENTRY;
    bool is_copy = insn->op->kind == OPK_MOV || insn->op->kind == OPK_ADD
                   || insn->op->operation == OP_CVTA;
    for (uint32_t o = 1; is_copy && o < insn->operand_count; o++)
        is_copy = operands[o].kind == OPERAND_INT || operands[o].kind == OPERAND_VAR
                  || (operands[o].kind == OPERAND_REG
                      && is_same_for_all(f, operands[o].id, depth - 1));
    return is_copy;
}

static bool is_fence(const Op *op)
{
    return op->family == OP_MEMBAR || op->family == OP_FENCE;
}

/* Clocks from where the lock is taken to where it is given back, beside one fence: what others
 * wrote comes out of L2. 0: it is not seen where that is. */
static double held_clocks(const Gpu *gpu, const Func *func, InsnId from)
{
    const double fence = ptx_gpu_figure(gpu, FIGURE_FENCE_LATENCY);
    double clocks = -fence;
    bool is_stored = false;
    for (InsnId i = from + 1; i < func->insn_count && i - from <= MAX_STEPS; i++) {
        const Op *op = func->insns[i].op;
        if (op->kind == OPK_ATOM && ptx_op_has(op, MOD_EXCH))
            return fmax(0, clocks);
        if (op->kind == OPK_LD && op->space == SPACE_GLOBAL)
            clocks += ptx_gpu_figure(gpu, FIGURE_L2_LATENCY);
        if (is_fence(op))
            clocks += fence + (is_stored ? ptx_gpu_figure(gpu, FIGURE_FENCE_STORE_LATENCY) : 0);
        is_stored |= op->kind == OPK_ST;
    }
    return 0;
}

static const Operand *address_of(const Func *func, InsnId id)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[id]);
    for (uint32_t o = 0; o < func->insns[id].operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_ADDRESS)
            return &operands[o];
    return NULL;
}

static bool has_fence(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        if (is_fence(op))
            return true;
    }
    return false;
}

static bool tells_before(const Func *func, InsnId at)
{
    for (InsnId i = 0; i < at; i++)
        if (func->insns[i].op->space == SPACE_GLOBAL && func->insns[i].op->flags & OPF_STORE)
            return true;
    return false;
}

/* Of a warp: as often as it goes around the loop outside. */
static double rounds_of(const SpinWaitFinder *f, const Evaluation *evaluation, LoopId loop,
                        double warps)
{
    LoopId parent = f->loops->loops[loop].parent;
    double all =
        parent == NO_LOOP
            ? 0
            : evaluation->insns[f->cfg->blocks[f->loops->loops[parent].header].first].total->warps;
    return fmax(1, all / evaluation->blocks / warps);
}

static double us(const Gpu *gpu, FigureId ns)
{
    return ptx_gpu_figure(gpu, ns) / 1e3;
}

/* Of a barrier that so many blocks come to. */
static double round_us(const Gpu *gpu, const Func *func, double blocks)
{
    double round = us(gpu, FIGURE_ROUND_NS) + us(gpu, FIGURE_ROUND_BLOCK_NS) * blocks;
    return fmax(us(gpu, FIGURE_ROUND_LEAST_NS), round)
           + (has_fence(func) ? us(gpu, FIGURE_ROUND_FENCE_NS) : 0);
}

/* One lock for the whole launch: whoever wants it waits for all before. */
static double lock_us(const SpinWaitFinder *f, const SpinWaitInput *in, LoopId loop)
{
    const InsnId swap = in->loops->loops[loop].is_innermost ? lock_of(f, loop) : NO_ID;
    const Operand *address = swap == NO_ID ? NULL : address_of(in->func, swap);
    if (!address || !is_same_for_all(f, address->id, MAX_INSNS))
        return 0;
    const Count *count = in->evaluation->insns[swap].total;
    const double sms = in->gpu->figures[FIGURE_SMS],
                 asking = fmin(in->evaluation->blocks, sms * in->blocks_per_sm),
                 own = rounds_of(f, in->evaluation, loop, in->warps_per_block),
                 held = held_clocks(in->gpu, in->func, swap) / in->gpu->figures[FIGURE_CLOCK_MHZ];
    return fmax(0, count->lanes - own)
           * (us(in->gpu, FIGURE_LOCK_NS) + held
              + us(in->gpu, FIGURE_LOCK_CROWD_NS) * fmax(0, asking - 2 * sms));
}

/* Instructions that loops may wait by. */
static bool may_wait(const Func *func, const Insn *insn)
{
    static const uint8_t swaps[] = { MOD_CAS, MOD_EXCH, MOD_NONE };
    return asks_anew(func, insn)
           || (insn->op->kind == OPK_ATOM && ptx_op_has_any(insn->op, swaps));
}

SpinWait ptx_spin_wait_find(Arena *arena, const SpinWaitInput *in)
{
    const Func *func = in->func;
    const Cfg *cfg = in->cfg;
    const Loops *loops = in->loops;
    const Evaluation *evaluation = in->evaluation;
    SpinWait out = { NULL, 0 };
    bool *are_waiting = NULL;
    SpinWaitFinder f = { .func = func, .cfg = cfg, .loops = loops };
    for (InsnId i = 0; i < func->insn_count && !f.definition; i++)
        if (may_wait(func, &func->insns[i]) && loops->loop_of[cfg->block_of[i]] != NO_LOOP)
            f.definition = ptx_arena_array(arena, InsnId, func->reg_count + 1);
    if (!f.definition)
        return out;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
                f.definition[operands[o].id] = i + 1;
    }
    for (LoopId l = 0; l < loops->loop_count; l++) {
        InsnId polled = loops->loops[l].is_innermost ? polled_in(&f, l) : NO_ID;
        const Operand *address = polled == NO_ID ? NULL : address_of(func, polled);
        out.us += lock_us(&f, in, l);
        if (!address || !(evaluation->insns[polled].total->warps > 0)
            || (f.definition[address->id]
                && loops->loop_of[cfg->block_of[f.definition[address->id] - 1]] == l))
            continue;
        f.steps = MAX_STEPS;
        bool is_own = rests_on_block(&f, address->id),
             is_chain = is_own && !tells_before(func, polled);
        double blocks = is_own ? 1 : evaluation->blocks,
               rounds = rounds_of(&f, evaluation, l, in->warps_per_block);
        /* the next round of a chain begins behind the first block's last one */
        out.us += is_chain ? us(in->gpu, FIGURE_LINK_NS) * (evaluation->blocks + rounds - 1)
                           : rounds * round_us(in->gpu, func, blocks);
        are_waiting = are_waiting ? are_waiting : ptx_arena_array(arena, bool, loops->loop_count);
        are_waiting[l] = true;
    }
    out.loops = are_waiting;
    return out;
}
