/* Shapes of tcgen05.mma: they are in a descriptor, which is mostly a constant in a register. */
#include "resolve/lower.h"

enum { DESCRIPTOR = 3, MOVES_FOLLOWED = 8 };

/* Per register: the instruction that alone writes it, + 1; 0: none does, or several. */
typedef struct OnlyWriters {
    uint32_t *only;
    bool *is_written;
} OnlyWriters;

static OnlyWriters find_only_writers(const Lower *l)
{
    OnlyWriters w = { ptx_arena_array(l->scratch, uint32_t, l->regs.count + 1),
                      ptx_arena_array(l->scratch, bool, l->regs.count + 1) };
    for (InsnId i = 0; i < l->insns.count; i++) {
        const Insn *insn = &l->insns.items[i];
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            const Operand *operand = &l->operands.items[insn->operand_first + o];
            if (!ptx_operand_is_def(operand))
                continue;
            w.only[operand->id] = w.is_written[operand->id] ? 0 : i + 1;
            w.is_written[operand->id] = true;
        }
    }
    return w;
}

/* What a mov that always runs copies; NULL: the register is written otherwise. */
static const Operand *find_copied(const Lower *l, const OnlyWriters *w, RegId reg)
{
    const Insn *insn = w->only[reg] ? &l->insns.items[w->only[reg] - 1] : NULL;
    const bool is_copy = insn && insn->op->operation == OP_MOV && insn->guard == NO_ID
                         && insn->operand_count == 2;
    return is_copy ? &l->operands.items[insn->operand_first + 1] : NULL;
}

static bool find_descriptor(const Lower *l, const OnlyWriters *w, const Operand *operand,
                            uint32_t *value)
{
    for (unsigned i = 0; operand && operand->kind == OPERAND_REG && !operand->flags; i++)
        operand = i < MOVES_FOLLOWED ? find_copied(l, w, operand->id) : NULL;
    if (!operand || operand->kind != OPERAND_INT || operand->flags)
        return false;
    *value = (uint32_t)ptx_operand_value(operand);
    return true;
}

static const Operand *descriptor_of(const Lower *l, const Insn *insn)
{
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (l->operands.items[insn->operand_first + o].position == DESCRIPTOR)
            return &l->operands.items[insn->operand_first + o];
    return NULL;
}

void ptx_lower_descriptors(Lower *l)
{
    const OnlyWriters w = find_only_writers(l);
    for (InsnId i = 0; i < l->insns.count; i++) {
        Insn *insn = &l->insns.items[i];
        uint32_t descriptor;
        if (insn->op->operation == OP_TCGEN05_MMA && insn->form
            && find_descriptor(l, &w, descriptor_of(l, insn), &descriptor))
            insn->op = ptx_lower_op_of(l, insn->op, descriptor);
    }
}
