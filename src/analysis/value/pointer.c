#include "analysis/value/pointer.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"

#include <stdbool.h>

enum { MAX_PASSES = 16 };      /* through registers that loops write; beyond, all are pointers */

static uint64_t bit_of(const Func *func, const Operand *operand)
{
    for (uint32_t p = 0; operand->kind == OPERAND_VAR && p < func->param_count && p < MAX_POINTERS;
         p++)
        if (func->params[p] == operand->id)
            return UINT64_C(1) << p;
    return 0;
}

typedef struct PointerFlow {
    const Func *func;
    uint64_t *from;             /* per register: parameters that it may hold */
    uint8_t *read_in;           /* per register: the pass that read it last, + 1 */
    uint8_t pass;
    bool has_changed;           /* what this pass had read before */
} PointerFlow;

static uint64_t held_by(PointerFlow *f, RegId reg)
{
    f->read_in[reg] = (uint8_t)(f->pass + 1);
    return f->from[reg];
}

/* What its results may point into: what is moved, chosen or added to; a factor or a shifted value
 * is no pointer. */
static uint64_t flow_of(PointerFlow *f, const Insn *insn, const Operand *operands)
{
    uint64_t found = 0;
    const bool is_load = insn->op->kind == OPK_LD;
    for (uint32_t o = insn->op->operation == OP_MAD ? 3 : 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & (ROLE_USE | ROLE_ADDRESS)))
            continue;
        if (operands[o].kind == OPERAND_VAR)
            found |= bit_of(f->func, &operands[o]);
        else if (operands[o].kind == OPERAND_REG && !is_load)
            found |= held_by(f, operands[o].id);
    }
    return found;
}

static bool hands_on(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_LD:
    case OP_LDU:
    case OP_MOV:
    case OP_ADD:
    case OP_SUB:
    case OP_CVT:
    case OP_MAD:
    case OP_CVTA:
    case OP_SELP:
    case OP_AND:
    case OP_OR:
    case OP_SHFL: case OP_MIN: case OP_MAX:
        return true;
    default:
        return false;
    }
}

/* Addresses, and what functions get, which may take it for one. */
static uint64_t uses_of(PointerFlow *f, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    bool is_given = insn->op->kind == OPK_CALL
                    || (insn->op->kind == OPK_ST && insn->op->space == SPACE_PARAM);
    uint64_t found = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG
            && (operands[o].role & ROLE_ADDRESS || (is_given && operands[o].role & ROLE_USE)))
            found |= held_by(f, operands[o].id);
    return found;
}

static void flow_through(PointerFlow *f, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    const uint64_t flow = hands_on(insn->op) ? flow_of(f, insn, operands) : 0;
    for (uint32_t o = 0; flow && o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]) || !(flow & ~f->from[operands[o].id]))
            continue;
        f->from[operands[o].id] |= flow;
        f->has_changed |= f->read_in[operands[o].id] == f->pass + 1;
    }
}

uint64_t ptx_pointers_compute(Arena *arena, const Module *module, const Func *func)
{
    ArenaMark mark = ptx_arena_mark(arena);
    PointerFlow f = { .func = func,
                      .from = ptx_arena_array(arena, uint64_t, func->reg_count + 1),
                      .read_in = ptx_arena_array(arena, uint8_t, func->reg_count + 1),
                      .has_changed = true };
    uint64_t found = 0;
    for (f.pass = 0; f.has_changed && f.pass < MAX_PASSES; f.pass++) {
        f.has_changed = false;
        for (InsnId i = 0; i < func->insn_count; i++) {
            flow_through(&f, &func->insns[i]);
            found |= uses_of(&f, &func->insns[i]);
        }
    }
    for (uint32_t p = 0; p < func->param_count && p < MAX_POINTERS; p++)
        if (func->params[p] != NO_ID && module->vars[func->params[p]].pointer_align)
            found |= UINT64_C(1) << p;
    ptx_arena_release(arena, mark);
    return f.has_changed ? UINT64_MAX : found;
}
