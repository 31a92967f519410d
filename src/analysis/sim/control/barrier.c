#include "analysis/sim/control/barrier.h"

#include "analysis/sim/machine.h"

/* Numbered barriers, and those of some threads only, order what is written otherwise than the turns
 * in which warps run here. */
void ptx_barrier_note(Machine *m, const Operand *number, bool is_of_some)
{
    bool is_plain = number && number->kind == OPERAND_INT && !is_of_some
                    && (m->barrier < 0 || m->barrier == ptx_operand_value(number));
    if (is_plain)
        m->barrier = ptx_operand_value(number);
    if (is_plain || (m->orderer && m->orderer->turn))
        return;
    m->shared_is_lost = true;
    ptx_memory_forget_shared(m);
}

void ptx_barrier_wait(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn);
    bool is_reduction = insn->operand_count && operands[0].position == 0
                        && operands[0].role & ROLE_DEF;
    unsigned first = is_reduction ? 1 : 0, last = insn->operand_count - is_reduction;
    ptx_barrier_note(m, insn->operand_count > first ? &operands[first] : NULL, last > first + 1);
    w->reduction = NULL;
    if (!is_reduction || insn->operand_count < 3)
        return;
    Scratch room;
    const Value *predicate = ptx_machine_read(m, w, &operands[insn->operand_count - 1], &room);
    w->reduction = insn;
    w->reduced = lanes;
    w->holding = ptx_lanes_where(m, predicate, lanes, &w->unsure);
    w->is_assumed = predicate->is_assumed || doubt == UNCERTAIN_PARAMETER;
    if (doubt >= UNCERTAIN_DATA || lanes != w->live)
        w->unsure = lanes;
}

/* All warps of the block have come to the same reduction: they get its result. */
void ptx_barrier_reduce(Machine *m)
{
    unsigned count = 0, holding = 0, unsure = 0;
    bool is_assumed = false;
    const Insn *insn = NULL;
    for (uint32_t i = 0; i < m->warp_count; i++) {
        const Warp *w = &m->warps[i];
        if (w->is_done)
            continue;
        if (!w->reduction || (insn && insn != w->reduction))
            return;
        insn = w->reduction;
        count += ptx_lanes_count(w->reduced);
        holding += (unsigned)__builtin_popcount(w->holding);
        unsure += (unsigned)__builtin_popcount(w->unsure);
        is_assumed |= w->is_assumed;
    }
    if (!insn || unsure)
        return;
    unsigned result = holding;
    if (ptx_op_has(insn->op, MOD_OR))
        result = holding != 0;
    else if (ptx_op_has(insn->op, MOD_AND))
        result = holding == count;
    Value value = ptx_value_const(result);
    value.is_assumed = is_assumed;
    for (uint32_t i = 0; i < m->warp_count; i++) {
        Warp *w = &m->warps[i];
        if (!w->is_done)
            ptx_machine_write(m, w, ptx_insn_operands(w->frame->func_state->func, insn), &value,
                              w->reduced, UNCERTAIN_NONE);
    }
}

void ptx_barrier_emit(const Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    if (m->orderer && m->orderer->barrier)
        m->orderer->barrier(m->orderer->self, w, insn, lanes, doubt);
}
