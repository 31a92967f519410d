#include "warp/slice.h"

typedef struct Slicer {
    const Func *func;
    bool *is_needed;            /* per instruction */
    bool *is_read;              /* per register, by what is needed */
    bool reads_shared, reads_private;   /* something needed is loaded from shared memory; from local memory or parameters of calls */
    bool has_changed;
} Slicer;

static void read_register(Slicer *s, RegId reg)
{
    s->has_changed |= !s->is_read[reg];
    s->is_read[reg] = true;
}

static bool is_shared(const Op *op)
{
    return op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA || op->space == SPACE_SHARED_CLUSTER || op->space == SPACE_GENERIC;
}

static bool is_private(const Op *op)
{
    return op->space == SPACE_LOCAL || op->space == SPACE_PARAM || op->space == SPACE_PARAM_FUNC || op->space == SPACE_GENERIC;
}

static bool is_control(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OPK_BRA: case OPK_BRX: case OPK_CALL: case OPK_RET: case OPK_EXIT: case OPK_TRAP: case OPK_BAR:
        return true;
    default:
        return false;
    }
}

/* What every instruction needs whatever it does: its guard, its addresses, what steers control. */
static void read_always(Slicer *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool reads_all = is_control(insn->op) || (insn->op->kind == OPK_CP_ASYNC);
    if (insn->guard != NO_ID)
        read_register(s, insn->guard);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && (operands[o].role & ROLE_ADDRESS || (reads_all && operands[o].role & ROLE_USE)))
            read_register(s, operands[o].id);
}

static bool defines_read(const Slicer *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF && s->is_read[operands[o].id])
            return true;
    return false;
}

static bool stores_read(const Slicer *s, const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_ST && ((s->reads_shared && is_shared(op)) || (s->reads_private && is_private(op)));
}

static void take(Slicer *s, InsnId id)
{
    const Insn *insn = &s->func->insns[id];
    const Operand *operands = ptx_insn_operands(s->func, insn);
    s->is_needed[id] = s->has_changed = true;
    if (insn->op->kind == OPK_LD) {
        s->reads_shared |= is_shared(insn->op);
        s->reads_private |= is_private(insn->op);
    }
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
            read_register(s, operands[o].id);
}

static uint16_t *count_plain(Arena *arena, const Func *func, const Cfg *cfg, const bool *is_needed)
{
    uint16_t *plain = ptx_arena_array(arena, uint16_t, func->insn_count);
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (InsnId i = cfg->blocks[b].end; i-- > cfg->blocks[b].first;) {
            const Insn *insn = &func->insns[i];
            bool must_run = is_needed[i] || insn->guard != NO_ID || is_control(insn->op) || ptx_insn_is_access(insn) || insn->op->flags & OPF_SIDE_EFFECT;
            uint16_t behind = i + 1 < cfg->blocks[b].end ? plain[i + 1] : 0;
            plain[i] = must_run ? 0 : (uint16_t)(behind + (behind < UINT16_MAX));
        }
    return plain;
}

Slice ptx_slice_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg)
{
    bool *is_needed = ptx_arena_array(arena, bool, func->insn_count);
    ArenaMark mark = ptx_arena_mark(scratch);
    Slicer s = { .func = func, .is_needed = is_needed, .is_read = ptx_arena_array(scratch, bool, func->reg_count + 1) };
    for (InsnId i = 0; i < func->insn_count; i++)
        read_always(&s, &func->insns[i]);
    for (RegId r = 0; r < func->reg_count; r++)
        s.is_read[r] |= func->regs[r].is_result;
    for (s.has_changed = true; s.has_changed;) {
        s.has_changed = false;
        for (InsnId i = func->insn_count; i-- > 0;)
            if (!is_needed[i] && (defines_read(&s, &func->insns[i]) || stores_read(&s, &func->insns[i])))
                take(&s, i);
    }
    ptx_arena_release(scratch, mark);
    return (Slice){ is_needed, count_plain(arena, func, cfg, is_needed) };
}
