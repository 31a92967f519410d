#include "analysis/sim/control/frame.h"

#include "analysis/sim/machine.h"
#include "analysis/trips/trip.h"
#include "analysis/value/launch.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <math.h>

enum { MAX_FRAMES = 64 };       /* calls inside each other */

/* NULL: it has no instructions. */
static const Plan *plan_of(Machine *m, FuncId id)
{
    const Func *func = &m->module->funcs[id];
    const Plan *plan = m->program->plans[id];
    if (!plan)
        plan = ptx_plan_make(m->arena, m->scratch, m->module, func, (SimFlow){ 0 });
    return plan && m->contents ? ptx_plan_with_contents(m->arena, m->scratch, func, plan) : plan;
}

static FuncState *add_state(Machine *m, FuncId id)
{
    if (m->run_count == m->run_capacity)
        m->run = ptx_arena_grow(m->arena, m->run, m->run_count, &m->run_capacity, sizeof *m->run);
    if (m->run_count == m->state_capacity)
        m->states = ptx_arena_grow(m->arena, m->states, m->run_count, &m->state_capacity,
                                   sizeof *m->states);
    m->run[m->run_count] = id;
    m->states[m->run_count] = ptx_arena_new(m->arena, FuncState);
    *ptx_hash_map_at(&m->state_of, m->arena, id) = m->run_count + 1;
    return m->states[m->run_count++];
}

static const uint32_t *find_given(const Machine *m, const FuncState *func_state)
{
    uint32_t *given = ptx_arena_array(m->arena, uint32_t, func_state->loops->loop_count);
    ArenaMark mark = ptx_arena_mark(m->scratch);
    const int64_t *counts = ptx_trips_given(m->scratch, m->module, func_state->func,
                                            func_state->cfg, func_state->loops, m->launch);
    for (LoopId loop = 0; loop < func_state->loops->loop_count; loop++)
        if (counts[loop] >= 0 && counts[loop] < UINT32_MAX)
            given[loop] = (uint32_t)counts[loop] + 1;
    ptx_arena_release(m->scratch, mark);
    return given;
}

/* called: a declaration of it, maybe. */
FuncState *ptx_frame_state(Machine *m, FuncId called)
{
    FuncId id = m->program->code.definition_of[called];
    FuncState *func_state = ptx_machine_state(m, id);
    if (func_state)
        return func_state;
    const Func *func = &m->module->funcs[id];
    const Plan *plan = plan_of(m, id);
    if (!plan)
        return NULL;
    func_state = add_state(m, id);
    func_state->func = func;
    func_state->cfg = plan->cfg;
    func_state->dom = plan->dom;
    func_state->reconvergence = plan->reconvergence;
    func_state->loops = plan->loops;
    func_state->slice = plan->slice;
    func_state->kinds = ptx_arena_array(m->arena, uint8_t, func->insn_count);
    func_state->counter_exits = ptx_arena_array(m->arena, uint32_t, plan->loops->loop_count + 1);
    func_state->headed = plan->headed;
    if (m->launch->trip_count)
        func_state->given = find_given(m, func_state);
    func_state->memo = plan->memo ? plan->memo : ptx_plan_memo_new(m->arena, func, plan->cfg);
    func_state->assumed = ptx_arena_array(m->arena, uint8_t, func->insn_count);
    func_state->counts = func_state->sums = ptx_arena_array(m->arena, Count *, func->insn_count);
    return func_state;
}

void ptx_entry_push(Machine *m, Warp *w, Entry entry)
{
    if (w->entry_count == w->entry_capacity)
        w->entries = ptx_arena_grow(m->arena, w->entries, w->entry_count, &w->entry_capacity,
                                    sizeof *w->entries);
    w->entries[w->entry_count++] = entry;
}

Frame *ptx_frame_enter(Machine *m, Warp *w, FuncState *func_state, const Insn *call, Entry from)
{
    Frame *frame = func_state->spare;
    if (frame) {
        func_state->spare = frame->next;
        for (uint32_t r = 0; r < func_state->slice.place_count; r++)
            if (frame->regs[r]) {
                frame->regs[r]->is_written = false;
                frame->regs[r]->region = 0;
            }
        if (frame->stays)
            memset(frame->stays, 0, func_state->cfg->block_count * sizeof *frame->stays);
        frame->params.count = 0;
    } else {
        frame = ptx_arena_new(m->arena, Frame);
        frame->regs = ptx_arena_array(m->arena, Register *, func_state->slice.place_count);
    }
    frame->func_state = func_state;
    frame->caller = w->frame;
    frame->call = call;
    frame->entry_floor = w->entry_count;
    frame->last = NO_ID;
    w->frame = frame;
    ptx_entry_push(m, w,
                   (Entry){ .frame = frame,
                            .pc = 0,
                            .join = NO_ID,
                            .lanes = from.lanes,
                            .region = from.region,
                            .doubt = from.doubt });
    return frame;
}

void ptx_frame_leave(Warp *w)
{
    Frame *frame = w->frame;
    FuncState *func_state = frame->func_state;
    while (w->log_count && w->log[w->log_count - 1].frame == frame)
        w->log_count--;         /* what it wrote is gone with it */
    w->frame = frame->caller;
    frame->next = func_state->spare;
    func_state->spare = frame;
}

static const Operand *call_operand(const Func *func, const Insn *insn, unsigned position,
                                   unsigned index)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position && !index--)
            return &operands[o];
    return NULL;
}

/* What a function that is not there gives back. */
static void forget_results(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operand;
    for (unsigned i = 0; (operand = call_operand(w->frame->func_state->func, insn, 0, i)); i++) {
        Value value = ptx_machine_unknown(m, false);
        ptx_machine_write(m, w, operand, &value, lanes, doubt);
        for (uint32_t s = 0; operand->kind == OPERAND_VAR && s < w->frame->params.count; s++)
            if (w->frame->params.items[s].address >> 32 == operand->id)
                ptx_value_forget(&w->frame->params.items[s].held.value, UINT32_MAX);
    }
}

/* .reg parameters; those in .param are read from the caller's frame by memory.c. */
static void pass_registers(Machine *m, Warp *w, Frame *from, const Insn *insn, uint32_t lanes)
{
    const Func *func = w->frame->func_state->func;
    unsigned index = 0;
    for (RegId r = 0; r < func->reg_count && func->params; r++) {
        if (!func->regs[r].is_param)
            continue;
        const Operand *operand = call_operand(from->func_state->func, insn, 2, index++);
        if (!operand)
            return;
        Scratch room;
        Frame *own = w->frame;
        w->frame = from;
        Value value = *ptx_machine_read(m, w, operand, &room);
        w->frame = own;
        ptx_machine_set(m, ptx_frame_place(m, own, own->func_state->slice.places[r]), &value,
                        ptx_type_info[func->regs[r].type].bits, lanes, lanes);
    }
}

bool ptx_frame_call(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *callee = call_operand(w->frame->func_state->func, insn, 1, 0);
    const bool is_followed = callee && callee->kind == OPERAND_FUNCTION
                             && !m->program->code.skips_calls[m->kernel];
    FuncState *func_state = is_followed ? ptx_frame_state(m, callee->id) : NULL;
    unsigned depth = 0;
    for (const Frame *frame = w->frame; frame; frame = frame->caller)
        depth++;
    if (!func_state || depth >= MAX_FRAMES) {
        if (m->orderer && m->orderer->call)
            m->orderer->call(m->orderer->self, callee);
        forget_results(m, w, insn, lanes, doubt);
        return false;
    }
    Frame *from = w->frame;
    Entry entry = w->entries[w->entry_count - 1];
    entry.lanes = lanes;
    entry.doubt = doubt;
    ptx_frame_enter(m, w, func_state, insn, entry);
    pass_registers(m, w, from, insn, lanes);
    return true;
}

/* .reg results go back when the last lane has returned. */
void ptx_frame_return(Machine *m, Warp *w, const Frame *frame, uint32_t lanes)
{
    const Func *func = frame->func_state->func;
    unsigned index = 0;
    for (RegId r = 0; r < func->reg_count && frame->call; r++) {
        if (!func->regs[r].is_result)
            continue;
        const Operand *operand = call_operand(w->frame->func_state->func, frame->call, 0, index++);
        const Register *result = ptx_frame_register(frame, r);
        if (operand && ptx_register_is_written(result))
            ptx_machine_write(m, w, operand, &result->value, lanes, UNCERTAIN_NONE);
    }
}
