#include "analysis/sim/machine.h"

#include "analysis/sim/control/barrier.h"
#include "analysis/sim/control/branch.h"
#include "analysis/sim/control/forward.h"
#include "analysis/sim/control/frame.h"
#include "analysis/sim/control/warp.h"
#include "analysis/sim/warps_apart.h"
#include "analysis/value/launch.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <math.h>

/* ---- a block --------------------------------------------------------------------------------- */

static void set_tid(Machine *m, Warp *w)
{
    uint64_t threads = (uint64_t)m->block[0] * m->block[1] * m->block[2];
    uint64_t *lanes[3];
    for (unsigned d = 0; d < 3; d++)
        lanes[d] = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    w->live = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t thread = (uint64_t)w->index * WARP_LANES + i;
        lanes[0][i] = thread % m->block[0];
        lanes[1][i] = thread / m->block[0] % m->block[1];
        lanes[2][i] = thread / m->block[0] / m->block[1];
        w->live |= (uint32_t)(thread < threads) << i;
    }
    for (unsigned d = 0; d < 3; d++) {
        bool is_same = true;
        for (unsigned i = 1; i < WARP_LANES; i++)
            is_same &= lanes[d][i] == lanes[d][0] || !(w->live >> i & 1);
        w->tid[d] = (Value){ .lanes = is_same ? NULL : lanes[d],
                             .all = lanes[d][0],
                             .align = ALIGN_EXACT,
                             .is_common = true,
                             .is_assumed = m->block_is_assumed && d > 0 };
    }
}

static void begin_warp(Machine *m, FuncState *func_state, uint32_t index)
{
    Warp *w = &m->warps[index];
    w->index = index;
    if (!w->tid[0].align)
        set_tid(m, w);
    uint64_t threads = (uint64_t)m->block[0] * m->block[1] * m->block[2],
             from = (uint64_t)w->index * WARP_LANES;
    w->live = threads - from >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << (threads - from)) - 1;
    w->entry_count = w->log_count = w->local.count = 0;
    ptx_forward_reset(m);
    m->begun = m->steps;
    while (w->frame)
        ptx_frame_leave(w);
    w->is_done = w->is_waiting = w->is_at_put = false;
    w->barrier = 0;
    ptx_frame_enter(m, w, func_state, NULL, (Entry){ .lanes = w->live });
}

/* In turns, from barrier to barrier. */
void ptx_machine_run_together(Machine *m, FuncState *func_state, uint32_t first_warp,
                              uint32_t warp_count)
{
    for (uint32_t i = 0; i < warp_count; i++)
        begin_warp(m, func_state, first_warp + i);
    for (bool is_running = true; is_running;) {
        is_running = false;
        m->round = ptx_memory_tick(m);
        for (uint32_t i = 0; i < warp_count; i++) {
            Warp *w = &m->warps[first_warp + i];
            if (w->is_done || w->barrier)
                continue;
            w->reduction = NULL;
            ptx_warp_run(m, w);
            is_running = true;
        }
        m->barrier = -1;
        if (first_warp == 0 && warp_count == m->warp_count)
            ptx_barrier_reduce(m);
        if (m->orderer && m->orderer->turn)
            is_running = m->orderer->turn(m->orderer->self, first_warp, warp_count);
    }
}

/* One after the other, each to its end. */
static void run_one_by_one(Machine *m, FuncState *func_state, uint32_t first_warp,
                           uint32_t warp_count)
{
    for (uint32_t w = 0; w < warp_count; w++)
        ptx_machine_run_together(m, func_state, first_warp + w, 1);
}

static void run_first_block(Machine *m, uint32_t first_warp, uint32_t warp_count)
{
    m->is_cut = false;
    m->shared_is_lost = false;
    m->barrier = -1;
    ptx_observers_begin(m);
    ptx_forward_begin(m);
    ptx_memory_forget_shared(m);
    if (!first_warp)
        ptx_bulk_forget(m);
    FuncState *func_state = ptx_frame_state(m, m->kernel);
    if (!func_state)
        return;
    m->are_apart = func_state->slice.is_apart && !m->orderer && !m->contents
                   && m->warp_count <= WARP_LANES;
    m->is_blind = m->config.is_blind && !m->orderer && !m->contents;
    if (m->are_apart && warp_count > 1 && warp_count == m->warp_count) {
        ptx_machine_run_apart(m, func_state);
        return;
    }
    if (m->is_blind)
        run_one_by_one(m, func_state, first_warp, warp_count);
    else
        ptx_machine_run_together(m, func_state, first_warp, warp_count);
    if (func_state->sums != func_state->counts)
        ptx_machine_sum_counts(m, func_state, 1);
}

bool ptx_machine_run_for(Machine *m, Blocks *blocks, uint32_t first_warp, uint32_t warp_count)
{
    m->blocks = *blocks;
    run_first_block(m, first_warp, warp_count);
    *blocks = m->blocks;
    return !m->is_cut;
}

bool ptx_machine_run(Machine *m, const uint32_t ctaid[3], uint32_t first_warp, uint32_t warp_count)
{
    static const uint32_t one[3] = { 1, 1, 1 };
    m->blocks = ptx_blocks_new(ctaid, one, one);
    run_first_block(m, first_warp, warp_count);
    return !m->is_cut;
}

Warp *ptx_machine_begin(Machine *m)
{
    static const uint32_t nowhere[3] = { 0, 0, 0 }, one[3] = { 1, 1, 1 };
    m->blocks = ptx_blocks_new(nowhere, one, one);
    begin_warp(m, ptx_frame_state(m, m->kernel), 0);
    m->warps[0].live = UINT32_MAX;
    return &m->warps[0];
}

InsnId ptx_machine_place(const Machine *m, const Warp *w, InsnId insn)
{
    const Func *kernel = &m->module->funcs[m->kernel];
    for (const Frame *frame = w->frame; frame->caller; frame = frame->caller)
        if (!frame->caller->caller)
            return (InsnId)(frame->call - kernel->insns);
    return insn;
}

void ptx_machine_reshape(Machine *m, const uint32_t block[3])
{
    memcpy(m->block, block, sizeof m->block);
    for (uint32_t i = 0; i < m->warp_count; i++)
        m->warps[i].tid[0].align = 0;           /* to be set again */
}

/* ---- a kernel -------------------------------------------------------------------------------- */

/* no GPU takes larger blocks */
enum { ASSUMED_BLOCK = 256, ASSUMED_GRID = 4096, MAX_THREADS = 1024 };

static void take_shape(Machine *m)
{
    static const uint32_t assumed_block[3] = { ASSUMED_BLOCK, 1, 1 };
    const Bounds *bounds = &m->module->funcs[m->kernel].bounds;
    const uint32_t *block = bounds->reqntid[0] ? bounds->reqntid : bounds->maxntid;
    if (m->launch->block[0])
        block = m->launch->block;
    double threads = fmax(block[0], 1) * fmax(block[1], 1) * fmax(block[2], 1);
    bool is_taken = block[0] && threads <= MAX_THREADS;
    m->block_is_assumed = !is_taken || (!m->launch->block[0] && !bounds->reqntid[0]);
    m->grid_is_assumed = !m->launch->grid[0];
    for (unsigned d = 0; d < 3; d++) {
        m->block[d] = is_taken ? ptx_u32_max(block[d], 1) : assumed_block[d];
        m->grid[d] = m->grid_is_assumed ? ASSUMED_GRID : ptx_u32_max(m->launch->grid[d], 1);
    }
}

Machine *ptx_machine_new(Arena *arena, Arena *scratch, const SimProgram *program, FuncId kernel,
                         const Launch *launch)
{
    const Module *module = program->code.module;
    Machine *m = ptx_arena_new(arena, Machine);
    m->arena = arena;
    m->scratch = scratch;
    m->program = program;
    m->module = module;
    m->kernel = kernel;
    m->launch = launch;
    m->config.most_stays = ASSUMED_STAYS;
    m->next_addend = module->var_count + 1;
    take_shape(m);
    m->warp_count = (m->block[0] * m->block[1] * m->block[2] + WARP_LANES - 1) / WARP_LANES;
    m->warps = ptx_arena_array(arena, Warp, m->warp_count);
    ptx_memory_lay_out(m);
    return m;
}
