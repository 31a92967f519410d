#include "analysis/value/lane_branches.h"

#include "analysis/flow/cfg.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"

enum { PASSES_MAX = 16 };       /* over the instructions, until no more registers are tainted */

typedef struct LaneTaint {
    const Func *func;
    bool *regs;                 /* computed from what differs across lanes */
    const uint8_t *writes;      /* per register: 0, 1, or 2 for more */
    bool has_choice;            /* some guard is: registers that are written twice depend on it */
    uint8_t *read_in;           /* per register: the pass that read it last, + 1 */
    uint8_t pass;
    bool has_changed;           /* what this pass had read before */
} LaneTaint;

static const uint8_t *count_register_defs(Arena *scratch, const Func *func)
{
    uint8_t *writes = ptx_arena_array(scratch, uint8_t, func->reg_count + 1);
    for (uint32_t o = 0; o < func->operand_count; o++) {
        const Operand *operand = &func->operands[o];
        if (operand->kind == OPERAND_REG && operand->role & ROLE_DEF && writes[operand->id] < 2)
            writes[operand->id]++;
    }
    return writes;
}

static bool is_tainted(const LaneTaint *t, RegId reg)
{
    t->read_in[reg] = (uint8_t)(t->pass + 1);
    return t->regs[reg];
}

static bool reads_lane(const LaneTaint *t, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(t->func, insn);
    bool reads = insn->guard != NO_ID && is_tainted(t, insn->guard);
    for (uint32_t o = 0; o < insn->operand_count && !reads; o++) {
        bool is_lane = operands[o].kind == OPERAND_SREG
                       && (operands[o].id == SREG_TID || operands[o].id == SREG_LANEID);
        reads = is_lane
                || (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
                    && is_tainted(t, operands[o].id));
    }
    return reads;
}

static void taint(LaneTaint *t, RegId reg)
{
    t->has_changed |= !t->regs[reg] && t->read_in[reg] == t->pass + 1;
    t->regs[reg] = true;
}

static void follow_insn(LaneTaint *t, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(t->func, insn);
    bool reads = reads_lane(t, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
            && (reads || (t->has_choice && t->writes[operands[o].id] > 1)))
            taint(t, operands[o].id);
    bool is_choice = insn->guard != NO_ID && t->regs[insn->guard] && !t->has_choice;
    t->has_changed |= is_choice;
    t->has_choice |= is_choice;
}

/* False: it takes too many passes. */
static bool follow_lanes(LaneTaint *t)
{
    for (t->pass = 0; t->pass < PASSES_MAX; t->pass++) {
        t->has_changed = false;
        for (InsnId i = 0; i < t->func->insn_count; i++)
            follow_insn(t, &t->func->insns[i]);
        if (!t->has_changed)
            return true;
    }
    return false;
}

const bool *ptx_lane_branches_compute(Arena *arena, Arena *scratch, const Func *func,
                                      const Cfg *cfg)
{
    bool *out = ptx_arena_array(arena, bool, cfg->block_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    LaneTaint t = { .func = func,
                    .regs = ptx_arena_array(scratch, bool, func->reg_count + 1),
                    .read_in = ptx_arena_array(scratch, uint8_t, func->reg_count + 1),
                    .writes = count_register_defs(scratch, func) };
    bool is_known = follow_lanes(&t);
    for (BlockId b = 0; b < cfg->block_count; b++)
        out[b] = !is_known
                 || (cfg->blocks[b].end > cfg->blocks[b].first
                     && reads_lane(&t, &func->insns[cfg->blocks[b].end - 1]));
    ptx_arena_release(scratch, mark);
    return out;
}
