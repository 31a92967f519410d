/* An instruction, decoded once for a function that is run: where its operands lie, what it does. */
#include "analysis/sim/machine.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/reg.h"

enum { MAX_ARGS = 5 };

static const Value *decode_constant(Arena *arena, const Operand *operand, Type type)
{
    Scratch made;
    if (operand->kind != OPERAND_INT && operand->kind != OPERAND_F32
        && operand->kind != OPERAND_F64)
        return NULL;
    made.value = ptx_value_const((uint64_t)ptx_operand_value(operand));
    ptx_machine_narrow(operand, type, &made);
    Value *constant = ptx_arena_new(arena, Value);
    *constant = made.value;
    return constant;
}

static SimArg decode_arg(Arena *arena, const FuncState *func_state, const Operand *operand,
                         Type type)
{
    const uint8_t changed = OPERAND_COMPONENT | OPERAND_NEGATED | OPERAND_MINUS;
    bool is_plain = operand->kind == OPERAND_REG && !(operand->flags & changed);
    return (SimArg){ .operand = operand,
                     .constant = decode_constant(arena, operand, type),
                     .place = is_plain ? func_state->slice.places[operand->id] : 0 };
}

static void decode_args(Arena *arena, const FuncState *func_state, SimInsn *out)
{
    SimArg *args = ptx_arena_array(arena, SimArg, out->operand_count);
    for (unsigned o = 1; o < out->operand_count && out->arg_count < MAX_ARGS; o++) {
        const Operand *operand = &out->operands[o];
        if (operand->flags & OPERAND_RIGHT && operand->position == 0)
            out->pair = operand;
        else
            args[out->arg_count++] = decode_arg(arena, func_state, operand, (Type)out->op->type);
    }
    out->args = args;
}

static void decode_results(Arena *arena, const FuncState *func_state, SimInsn *out)
{
    while (out->result_count < out->operand_count
           && out->operands[out->result_count].position == 0)
        out->result_count++;
    SimResult *results =
        ptx_arena_array(arena, SimResult, out->result_count ? out->result_count : 1u);
    for (unsigned o = 0; o < out->operand_count && (!o || o < out->result_count); o++)
        out->has_fresh |= (results[o] = ptx_machine_result(func_state, &out->operands[o])).is_fresh;
    out->results = results;
}

const SimInsn *ptx_insn_decode(const Machine *m, FuncState *func_state, InsnId id)
{
    const Func *func = func_state->func;
    const Insn *insn = &func->insns[id];
    const Decoded *code = ptx_machine_code(m, insn->op);
    const Action action = (Action)code->action;
    Arena *arena = func_state->memo->arena;
    SimInsn *out = ptx_arena_new(arena, SimInsn);
    *out = (SimInsn){ .insn = insn,
                      .op = insn->op,
                      .operands = ptx_insn_operands(func, insn),
                      .addresses = { ptx_address_nth(func, insn, 0),
                                     ptx_address_nth(func, insn, 1) },
                      .code = code,
                      .operand_count = insn->operand_count,
                      .is_guarded = insn->guard != NO_ID,
                      .is_access = ptx_insn_is_access(insn),
                      .is_branch = action == ACTION_BRANCH,
                      .is_control = action >= ACTION_INDEXED && action <= ACTION_WARP_BARRIER,
                      .is_needed = func_state->slice.is_needed[id],
                      .has_effect = insn->op->flags & OPF_SIDE_EFFECT };
    out->run = ptx_machine_run_of(action);
    decode_results(arena, func_state, out);
    if (out->is_guarded)
        out->guard_place = func_state->slice.places[insn->guard];
    decode_args(arena, func_state, out);
    return func_state->memo->insns[id] = out;
}

uint32_t ptx_insn_where(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint32_t *maybe,
                        bool *is_assumed)
{
    const Register *r = w->frame->regs[insn->guard_place];
    if (!ptx_register_is_written(r)) {
        *maybe = lanes;
        return 0;
    }
    const uint32_t where = ptx_lanes_where(m, &r->value, lanes, maybe);
    *is_assumed = r->value.is_assumed;
    return insn->insn->guard_negated ? lanes & ~where & ~*maybe : where;
}
