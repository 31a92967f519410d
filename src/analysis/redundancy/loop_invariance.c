#include "analysis/redundancy/loop_invariance.h"

#include "analysis/flow/defs.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"

enum {
    MAX_DEPTH = 8,              /* of instructions back to what a loop does not change */
    MAX_VISITS = 64             /* of registers, for one question */
};

typedef struct LoopInvariance {
    const Module *module;
    const Func *func;
    const Defs *defs;
    uint32_t visits;            /* left */
} LoopInvariance;

static bool is_invariant_reg(LoopInvariance *in, RegId reg, LoopId loop, uint32_t depth);

static bool is_invariant_insn(LoopInvariance *in, const Insn *insn, LoopId loop, uint32_t depth)
{
    const Operand *operands = ptx_insn_operands(in->func, insn);
    if (insn->guard != NO_ID || !ptx_effect_is_pure(in->module, in->func, insn))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
            && !is_invariant_reg(in, operands[o].id, loop, depth))
            return false;
    return true;
}

/* A register with one definition, in the loop, that depends on itself runs out of depth. */
static bool is_invariant_reg(LoopInvariance *in, RegId reg, LoopId loop, uint32_t depth)
{
    InsnId def = NO_ID;
    if (!in->visits)
        return false;
    in->visits--;
    uint32_t inside = ptx_defs_in_loop(in->defs, loop, reg, &def);
    if (!inside)
        return true;
    bool is_single = inside == 1 && ptx_defs_count(in->defs, reg) == 1
                     && !in->func->regs[reg].is_param;
    return is_single && depth < MAX_DEPTH
           && is_invariant_insn(in, &in->func->insns[def], loop, depth + 1);
}

bool ptx_loop_keeps_reg(const FuncFlow *flow, const Defs *defs, RegId reg, LoopId loop)
{
    LoopInvariance in = { flow->module, flow->func, defs, MAX_VISITS };
    return is_invariant_reg(&in, reg, loop, 0);
}
