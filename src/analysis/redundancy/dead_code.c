#include "analysis/redundancy/dead_code.h"

#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"

#include <stdbool.h>

static bool is_whole_register(const Operand *operand)
{
    return operand->kind == OPERAND_REG;
}

static bool is_dead_use(const Operand *operand)
{
    return is_whole_register(operand) && (operand->role & ROLE_USE);
}

/* ---- loop bookkeeping ------------------------------------------------------------------------ */

enum { MAX_STEPS = 8 };        /* loops that step one register */

/* add r, r, c in a loop, the register's only definition there. Or add d, r, c and mov r, d: then d
 * and r have a step each. */
typedef struct DeadCodeStep {
    LoopId loop;
    InsnId insn, copy;          /* the add; the mov, NO_ID */
    uint32_t next;              /* of the same register, + 1; 0: the last */
    uint32_t partner;           /* of the other of the two; itself where there is one */
    bool is_constant;           /* by a number; else by a register that the loop does not change */
    bool is_needed;             /* something else reads the register in the loop */
} DeadCodeStep;

typedef struct Bookkeeper {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Defs *defs;
    const uint32_t *use_counts; /* per register, guards included */
    Arena *scratch;
    DeadCodeStep *steps;
    uint32_t *step_of;          /* per register: its first, + 1 */
    uint32_t step_count, step_capacity;
    /* per instruction: a comparison that closes its loop on a counter, or the branch */
    bool *is_closing;
} Bookkeeper;

static bool is_unchanged(const Bookkeeper *k, RegId reg, LoopId loop)
{
    InsnId def;
    return ptx_defs_in_loop(k->defs, loop, reg, &def) == 0;
}

/* add d, r, c; sub d, r, c; add d, c, r. The operand that is added to r, NULL. */
static const Operand *step_amount(const Func *func, const Insn *insn, RegId from)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    bool is_sum = (insn->op->kind == OPK_ADD || insn->op->kind == OPK_SUB)
                  && insn->op->insn_class == CLASS_INT && !(insn->op->flags & OPF_SIDE_EFFECT)
                  && insn->guard == NO_ID && insn->operand_count == 3;
    if (!is_sum || !ptx_operand_is_def(&operands[0]))
        return NULL;
    if (is_whole_register(&operands[1]) && operands[1].id == from)
        return &operands[2];
    bool turned =
        insn->op->kind == OPK_ADD && is_whole_register(&operands[2]) && operands[2].id == from;
    return turned ? &operands[1] : NULL;
}

static uint32_t count_steps(const Bookkeeper *k, RegId reg)
{
    uint32_t count = 0;
    for (uint32_t s = k->step_of[reg]; s; s = k->steps[s - 1].next)
        count++;
    return count;
}

static void add_step(Bookkeeper *k, RegId reg, DeadCodeStep step)
{
    if (k->step_count == k->step_capacity)
        k->steps = ptx_arena_grow(k->scratch, k->steps, k->step_count, &k->step_capacity,
                                  sizeof *k->steps);
    step.next = k->step_of[reg];
    k->steps[k->step_count] = step;
    k->step_of[reg] = ++k->step_count;
}

static bool is_amount(const Bookkeeper *k, const Operand *by, LoopId loop)
{
    return by
           && (by->kind == OPERAND_INT || (is_whole_register(by) && is_unchanged(k, by->id, loop)));
}

static bool may_step(const Bookkeeper *k, RegId reg, LoopId loop)
{
    InsnId def;
    return ptx_defs_in_loop(k->defs, loop, reg, &def) == 1 && count_steps(k, reg) < MAX_STEPS;
}

/* mov r, d, where add d, r, c is d's only definition. */
static void find_copied_step(Bookkeeper *k, InsnId id, LoopId loop)
{
    const Insn *mov = &k->func->insns[id];
    const Operand *operands = ptx_insn_operands(k->func, mov);
    bool is_copy = mov->operand_count == 2 && mov->guard == NO_ID
                   && ptx_operand_is_def(&operands[0]) && is_whole_register(&operands[1]);
    if (!is_copy || operands[0].flags || operands[1].flags)
        return;
    RegId reg = operands[0].id, next = operands[1].id;
    InsnId add = NO_ID;
    if (ptx_defs_count(k->defs, next) != 1 || ptx_defs_in_loop(k->defs, loop, next, &add) != 1
        || k->loops->loop_of[k->cfg->block_of[add]] != loop)
        return;
    const Operand *by = step_amount(k->func, &k->func->insns[add], reg);
    if (!is_amount(k, by, loop) || !may_step(k, reg, loop) || !may_step(k, next, loop))
        return;
    uint32_t first = k->step_count;
    DeadCodeStep step = { .loop = loop,
                          .insn = add,
                          .copy = id,
                          .partner = first + 1,
                          .is_constant = by->kind == OPERAND_INT };
    add_step(k, reg, step);
    step.partner = first;
    add_step(k, next, step);
}

static void find_step(Bookkeeper *k, InsnId id, LoopId loop)
{
    const Insn *insn = &k->func->insns[id];
    if (insn->op->kind == OPK_MOV) {
        find_copied_step(k, id, loop);
        return;
    }
    if (!insn->operand_count || !ptx_operand_is_def(ptx_insn_operands(k->func, insn)))
        return;
    RegId reg = ptx_insn_operands(k->func, insn)[0].id;
    const Operand *by = step_amount(k->func, insn, reg);
    if (is_amount(k, by, loop) && may_step(k, reg, loop))
        add_step(k, reg,
                 (DeadCodeStep){ .loop = loop,
                                 .insn = id,
                                 .copy = NO_ID,
                                 .partner = k->step_count,
                                 .is_constant = by->kind == OPERAND_INT });
}

static DeadCodeStep *step_in(const Bookkeeper *k, RegId reg, LoopId loop)
{
    for (uint32_t s = k->step_of[reg]; s; s = k->steps[s - 1].next)
        if (k->steps[s - 1].loop == loop)
            return &k->steps[s - 1];
    return NULL;
}

/* A counter against what the loop does not change, either way round. */
static bool compares_counter(const Bookkeeper *k, const Insn *setp, LoopId loop)
{
    const Operand *operands = ptx_insn_operands(k->func, setp);
    if (setp->op->kind != OPK_SETP || setp->guard != NO_ID || setp->operand_count != 3
        || ptx_type_info[setp->op->type].kind == KIND_FLOAT)
        return false;
    for (uint32_t o = 1; o <= 2; o++) {
        const Operand *counter = &operands[o], *bound = &operands[3 - o];
        bool is_bound = bound->kind == OPERAND_INT
                        || (is_whole_register(bound) && is_unchanged(k, bound->id, loop));
        if (is_whole_register(counter) && is_bound && step_in(k, counter->id, loop))
            return true;
    }
    return false;
}

static bool has_successor(const Cfg *cfg, const Block *block, BlockId wanted)
{
    for (uint32_t s = 0; s < block->succ_count; s++)
        if (cfg->succs[block->succ_first + s] == wanted)
            return true;
    return false;
}

static bool leaves_loop(const Bookkeeper *k, const Block *block, LoopId loop)
{
    for (uint32_t s = 0; s < block->succ_count; s++) {
        BlockId to = k->cfg->succs[block->succ_first + s];
        if (!ptx_loop_holds(k->defs->loops, loop, to))
            return true;
    }
    return false;
}

/* A branch that closes the loop, from its end or, where it is tested first, out of its header. */
static bool may_close(const Bookkeeper *k, BlockId b, LoopId loop)
{
    const Block *block = &k->cfg->blocks[b];
    BlockId header = k->loops->loops[loop].header;
    return has_successor(k->cfg, block, header) || (b == header && leaves_loop(k, block, loop));
}

static void find_closing(Bookkeeper *k, BlockId b)
{
    LoopId loop = k->loops->loop_of[b];
    InsnId bra = k->cfg->blocks[b].end - 1, setp = NO_ID;
    const Insn *branch = &k->func->insns[bra];
    if (branch->op->kind != OPK_BRA || !may_close(k, b, loop))
        return;
    if (branch->guard == NO_ID) {
        k->is_closing[bra] = true;
        return;
    }
    bool feeds_only = k->use_counts[branch->guard] == 1
                      && ptx_defs_count(k->defs, branch->guard) == 1
                      && ptx_defs_in_loop(k->defs, loop, branch->guard, &setp) == 1;
    if (!feeds_only || k->loops->loop_of[k->cfg->block_of[setp]] != loop
        || !compares_counter(k, &k->func->insns[setp], loop))
        return;
    k->is_closing[bra] = k->is_closing[setp] = true;
}

/* What reads a stepped register in its loop: an address, the step itself, the comparison that
 * closes the loop, or something that needs its value. */
static void note_uses(Bookkeeper *k, InsnId id)
{
    const Insn *insn = &k->func->insns[id];
    const Operand *operands = ptx_insn_operands(k->func, insn);
    BlockId block = k->cfg->block_of[id];
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!is_dead_use(&operands[o]) || operands[o].role & ROLE_ADDRESS)
            continue;
        for (uint32_t s = k->step_of[operands[o].id]; s; s = k->steps[s - 1].next) {
            DeadCodeStep *step = &k->steps[s - 1];
            bool closes = k->is_closing[id] && k->loops->loop_of[block] == step->loop;
            step->is_needed |= step->insn != id && step->copy != id && !closes
                               && ptx_loop_holds(k->defs->loops, step->loop, block);
        }
    }
}

static const uint32_t *count_uses(Arena *arena, const Func *func)
{
    uint32_t *counts = ptx_arena_array(arena, uint32_t, func->reg_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (is_dead_use(&operands[o]))
                counts[operands[o].id]++;
        if (insn->guard != NO_ID)
            counts[insn->guard]++;
    }
    return counts;
}

static LoopId own_loop(const Bookkeeper *k, BlockId b)
{
    LoopId loop = k->loops->loop_of[b];
    return loop == NO_LOOP || k->loops->loops[loop].is_irreducible ? NO_LOOP : loop;
}

static void find_overhead(Bookkeeper *k)
{
    for (InsnId i = 0; i < k->func->insn_count; i++)
        if (own_loop(k, k->cfg->block_of[i]) != NO_LOOP)
            find_step(k, i, k->loops->loop_of[k->cfg->block_of[i]]);
    for (BlockId b = 0; b < k->cfg->block_count; b++)
        if (own_loop(k, b) != NO_LOOP)
            find_closing(k, b);
    for (InsnId i = 0; i < k->func->insn_count; i++)
        if (k->loops->loop_of[k->cfg->block_of[i]] != NO_LOOP)
            note_uses(k, i);
}

const uint32_t *ptx_loop_overhead_compute(Arena *arena, Arena *scratch, const Func *func,
                                          const Cfg *cfg, const Loops *loops, const Defs *defs)
{
    uint32_t *out = ptx_arena_array(arena, uint32_t, loops->loop_count + 1);
    if (!loops->loop_count)
        return out;
    ArenaMark mark = ptx_arena_mark(scratch);
    Bookkeeper k = { .func = func,
                     .cfg = cfg,
                     .loops = loops,
                     .defs = defs,
                     .use_counts = count_uses(scratch, func),
                     .scratch = scratch,
                     .step_of = ptx_arena_array(scratch, uint32_t, func->reg_count + 1),
                     .is_closing = ptx_arena_array(scratch, bool, func->insn_count + 1) };
    find_overhead(&k);
    for (InsnId i = 0; i < func->insn_count; i++)
        if (k.is_closing[i])
            out[loops->loop_of[cfg->block_of[i]]]++;
    for (uint32_t s = 0; s < k.step_count; s++)
        out[k.steps[s].loop] += k.steps[s].is_constant && !k.steps[s].is_needed
                                && !k.steps[k.steps[s].partner].is_needed;
    ptx_arena_release(scratch, mark);
    return out;
}

/* ---- dead results ---------------------------------------------------------------------------- */

/* Backwards through a block; is_live is of the registers behind it and stays exact before it. A
 * definition under a guard, or of a part, leaves the register live. */
static void walk_back(const Func *func, const Block *block, bool *is_live, bool *out)
{
    for (InsnId i = block->end; i-- > block->first;) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        bool writes = false, is_read = false;
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]))
                continue;
            writes = true;
            is_read |= is_live[operands[o].id];
        }
        out[i] |= writes && !is_read;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (ptx_operand_is_def(&operands[o]) && insn->guard == NO_ID
                && !(operands[o].flags & OPERAND_COMPONENT))
                is_live[operands[o].id] = false;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (is_dead_use(&operands[o]))
                is_live[operands[o].id] = true;
        if (insn->guard != NO_ID)
            is_live[insn->guard] = true;
    }
}

/* Only what the block names can have become live: clearing all registers for each block would be
 * quadratic. */
static void clear_block(const Func *func, const Block *block, bool *is_live)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (is_whole_register(&operands[o]))
                is_live[operands[o].id] = false;
        if (insn->guard != NO_ID)
            is_live[insn->guard] = false;
    }
}

const bool *ptx_dead_code_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg,
                                  const Live *live)
{
    bool *out = ptx_arena_array(arena, bool, func->insn_count + 1);
    if (!live)
        return out;
    ArenaMark mark = ptx_arena_mark(scratch);
    bool *is_live = ptx_arena_array(scratch, bool, func->reg_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        if (!ptx_block_is_reachable(cfg, b))
            continue;
        for (uint32_t r = live->out_first[b]; r < live->out_first[b + 1]; r++)
            is_live[live->out[r]] = true;
        walk_back(func, &cfg->blocks[b], is_live, out);
        for (uint32_t r = live->out_first[b]; r < live->out_first[b + 1]; r++)
            is_live[live->out[r]] = false;
        clear_block(func, &cfg->blocks[b], is_live);
    }
    for (uint32_t d = 0; d < live->dead_count; d++)
        out[live->dead[d]] = true;      /* guards that exclude each other are its finding */
    ptx_arena_release(scratch, mark);
    return out;
}
