#include "analysis/sim/control/warp.h"

#include "analysis/sim/control/barrier.h"
#include "analysis/sim/control/branch.h"
#include "analysis/sim/control/forward.h"
#include "analysis/sim/control/frame.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"

#include <math.h>

enum {
    MAX_LOGGED = 1 << 16,      /* writes in doubtful control that are remembered */
    MAX_ENTRIES = 4096,
};

static bool is_ignored(const Observer *orderer, const Op *op)
{
    return orderer->orders && orderer->orders[op->id] == ORDER_IGNORED;
}

/* The lanes that may have written or not. */
static void forget_results_in(const Warp *w, const SimInsn *insn, uint32_t lanes)
{
    for (unsigned o = 0; o < insn->operand_count; o++) {
        const Operand *operand = &insn->operands[o];
        Register *r = operand->role & ROLE_DEF && operand->kind == OPERAND_REG
                          ? ptx_frame_register(w->frame, operand->id)
                          : NULL;
        if (r)
            ptx_value_forget(&r->value, lanes);
    }
}

/* Where lanes go, and what they wait for. */
static void run_control_flow(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                             uint8_t doubt)
{
    Entry *top = &w->entries[w->entry_count - 1];
    switch ((Action)insn->code->action) {
    case ACTION_INDEXED:
        ptx_branch_run_indexed(m, w, insn->insn, lanes);
        return;
    case ACTION_RETURN: case ACTION_EXIT:
        top->pc++;
        ptx_lanes_retire(w, lanes, insn->code->action == ACTION_EXIT || !w->frame->caller);
        return;
    case ACTION_CALL:
        top->pc++;
        ptx_frame_call(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_BARRIER:
        top->pc++;
        w->is_waiting = true;
        ptx_machine_forget(m, w, insn, lanes, doubt);
        ptx_barrier_wait(m, w, insn->insn, lanes, doubt);
        ptx_barrier_emit(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_ARRIVE:
        top->pc++;
        ptx_barrier_note(m, NULL, true);
        ptx_barrier_emit(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_WARP_BARRIER:
        top->pc++;
        w->synced = ptx_memory_tick(m);
        return;
    default:
        return;
    }
}

/* What its places hold was another register's, or an earlier turn's. */
static void clear_fresh(const Warp *w, const SimInsn *insn)
{
    for (unsigned o = 0; o < insn->result_count; o++) {
        Register *r = insn->results[o].is_fresh ? w->frame->regs[insn->results[o].place] : NULL;
        if (r)
            r->is_written = false;
    }
}

/* In lanes that the guard lets through, or may: `maybe`. */
static void run_active(Machine *m, Warp *w, const SimInsn *insn, uint32_t active, uint32_t maybe,
                        uint8_t doubt)
{
    const Observer *orderer = m->orderer;
    if (orderer && !is_ignored(orderer, insn->op)
        && !orderer->order(orderer->self, w, insn->insn, active, doubt))
        return;
    if (insn->is_control) {
        run_control_flow(m, w, insn, active, doubt);
        return;
    }
    Entry *top = &w->entries[w->entry_count - 1];
    if (insn->is_access && orderer)
        orderer->access(orderer->self, w, insn->insn, active, doubt);
    else if (insn->is_access)
        ptx_memory_count(m, w, insn, w->frame->func_state->counts[top->pc], active,
                         top->is_loose && doubt < UNCERTAIN_ORDER ? UNCERTAIN_ORDER : doubt);
    if (insn->has_fresh)
        clear_fresh(w, insn);
    if (insn->is_needed || (insn->has_effect && !(m->are_apart && insn->is_access)))
        insn->run(m, w, insn, active, doubt);
    if (maybe)
        forget_results_in(w, insn, maybe);
    top->pc++;                  /* none but run_control_flow adds entries */
}

/* The guard rests on an assumption: what it keeps from happening is not sure. */
static void note_assumed_guard(Machine *m, Warp *w, const SimInsn *insn)
{
    Count *count = w->frame->func_state->counts[w->entries[w->entry_count - 1].pc];
    ptx_memory_assume_written(m, w, insn);
    ptx_count_add_uncertainty(count, UNCERTAIN_PARAMETER);      /* more lanes may be here, or any */
}

/* How sure it is that lanes execute it, and are those that do. */
static uint8_t step_doubt(Machine *m, Warp *w, const SimInsn *insn, uint32_t maybe, bool is_assumed)
{
    uint8_t doubt = w->entries[w->entry_count - 1].doubt;
    if (maybe)
        doubt = UNCERTAIN_DATA;
    else if (is_assumed && doubt < UNCERTAIN_PARAMETER)
        doubt = UNCERTAIN_PARAMETER;
    /* lanes that leave here might have stayed */
    if (doubt && (insn->code->action == ACTION_EXIT || insn->code->action == ACTION_RETURN)) {
        ptx_memory_assume(m, w, w->entries[w->entry_count - 1].pc, EXIT_BLOCK, doubt);
        ptx_memory_add_uncertainty(w, doubt);
    }
    return doubt;
}

/* Of the frame that runs. False: other lanes may come next, or none. */
static bool step(Machine *m, Warp *w, FuncState *func_state, Entry *top)
{
    Count *count = ptx_count_at(m, func_state->counts, top->pc);
    const uint16_t plain = func_state->slice.plain[top->pc];
    if (m->orderer && m->orderer->step && m->orderer->step(m->orderer->self, w, top->pc))
        return true;
    count->warps++;
    if (plain) {
        count->lanes += ptx_lanes_count(top->lanes);
        top->pc += plain;
        return true;
    }
    const SimInsn *insn = ptx_insn_decoded(m, func_state, top->pc);
    uint32_t lanes = top->lanes, maybe = 0;
    bool is_assumed = false;
    if (insn->is_guarded)
        lanes = ptx_insn_where(m, w, insn, top->lanes, &maybe, &is_assumed);
    const uint32_t active = lanes | maybe;
    if (insn->is_branch) {
        count->lanes += ptx_lanes_count(top->lanes);
        ptx_branch_run(m, w, insn->insn, lanes, maybe, is_assumed);
        return false;
    }
    count->lanes += ptx_lanes_count(active);
    const uint8_t doubt = step_doubt(m, w, insn, maybe, is_assumed);
    if (is_assumed && active != top->lanes)
        note_assumed_guard(m, w, insn);
    if (active)
        run_active(m, w, insn, active, maybe, doubt);
    else
        top->pc++;
    return !insn->is_control;
}

/* Entries that are at their end or empty go; false: the warp is done. */
static bool settle(Machine *m, Warp *w)
{
    while (w->entry_count) {
        Entry *top = &w->entries[w->entry_count - 1];
        if (top->frame != w->frame) {
            Frame *done = w->frame;
            ptx_frame_leave(w);
            ptx_frame_return(m, w, done, top->lanes);
            continue;
        }
        if (top->maybe) {       /* the region ends, or its other side begins */
            ptx_region_end(m, w, top, top->maybe);
            if (!top->is_second)
                w->log_count = top->region ? w->log_count : top->log_first;
            top->maybe = 0;
            top->is_second = false;
        }
        if (top->lanes && top->pc != top->join && top->pc < w->frame->func_state->func->insn_count)
            return true;
        if (top->lanes && top->pc >= w->frame->func_state->func->insn_count)
            ptx_lanes_retire(w, top->lanes, !w->frame->caller);
        w->entry_count--;
    }
    return false;
}

/* At headers of loops. */
static void look_around(Machine *m, Warp *w)
{
    InsnId pc = w->entries[w->entry_count - 1].pc;
    if (w->frame->func_state->headed[pc])
        ptx_forward_arrive(m, w, w->frame->func_state->headed[pc] - 1);
    if (m->is_loose_tried)
        ptx_forward_watch(m, w);
    w->frame->last = pc;
}

/* Up to where other lanes may come next. False: the run is cut. */
static bool run_straight(Machine *m, Warp *w, bool is_forwarded)
{
    FuncState *func_state = w->frame->func_state;
    Entry *top = &w->entries[w->entry_count - 1];
    const InsnId end = func_state->func->insn_count;
    do {
        if (m->steps >= m->most_steps || w->log_count > MAX_LOGGED)
            return false;
        m->steps++;
        if (is_forwarded)
            look_around(m, w);
        if (!step(m, w, func_state, top))
            return true;
    } while (!w->is_waiting && top->pc != top->join && top->pc < end);
    return true;
}

void ptx_warp_run(Machine *m, Warp *w)
{
    const bool is_forwarded = m->config.forward_steps && (m->are_apart || m->is_blind)
                              && !m->config.is_hurried;
    w->is_waiting = false;
    while (!w->is_waiting) {
        if (!settle(m, w)) {
            w->is_done = true;
            return;
        }
        if (w->entry_count > MAX_ENTRIES || !run_straight(m, w, is_forwarded)) {
            m->is_cut = true;
            w->is_done = true;
            return;
        }
    }
}
