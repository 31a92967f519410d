/* Facts of conversions between floats, and floats and integers. */
#include "rules/facts/facts.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "analysis/flow/defs.h"
#include "session/session.h"

#include <stdint.h>

bool ptx_measure_is_conversion(const Op *op)
{
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT
                    || ptx_type_info[op->dst_type].kind == KIND_FLOAT;
    return op->kind == OPK_CVT && is_float && op->type != op->dst_type;
}

static bool is_constant_move(const Func *func, InsnId insn)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[insn]);
    OperandKind kind = func->insns[insn].operand_count == 2 ? (OperandKind)operands[1].kind
                                                            : OPERAND_REG;
    return func->insns[insn].op->kind == OPK_MOV
           && (kind == OPERAND_INT || kind == OPERAND_F32 || kind == OPERAND_F64);
}

/* ptxas computes the others once, in front of the loop. */
bool ptx_measure_is_loop_conversion(FactCache *q, const Subjects *s)
{
    const Insn *insn = &q->func->insns[s->insn];
    const Operand *operands = ptx_insn_operands(q->func, insn);
    bool changes = false;
    if (!ptx_measure_is_conversion(insn->op))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        bool is_source = operands[o].role & ROLE_USE;
        InsnId def = NO_ID;
        if (is_source && operands[o].kind == OPERAND_SREG)
            changes = true;
        if (!is_source || operands[o].kind != OPERAND_REG)
            continue;
        uint32_t inside = s->loop == NO_LOOP ? 0
                                             : ptx_defs_in_loop(ptx_session_defs(q->session),
                                                                s->loop, operands[o].id, &def);
        changes |= inside > 1 || (inside == 1 && !is_constant_move(q->func, def));
    }
    return changes;
}

double ptx_measure_fp64_round_trip(FactCache *q, InsnId insn)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    return ptx_session_fp64_trips(q->session)[insn];
}
