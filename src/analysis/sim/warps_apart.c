#include "analysis/sim/warps_apart.h"

#include "analysis/sim/control/frame.h"
#include "analysis/sim/machine.h"

/* Warps so far apart have the same threads but for one index: the outermost that the block has. */
static void space_warps(Machine *m)
{
    const uint32_t *block = m->block;
    uint32_t outermost = 2, row = 1;
    while (outermost && block[outermost] <= 1)
        outermost--;
    for (uint32_t d = 0; d < outermost; d++)
        row *= block[d];
    m->spacing = 1;
    while (m->spacing * WARP_LANES % row)
        m->spacing++;
    memset(m->tid_by, 0, sizeof m->tid_by);
    m->tid_by[outermost] = m->spacing * WARP_LANES / row;
}

/* What was counted of a run, for each of the warps that it stands for. */
void ptx_machine_sum_counts(Machine *m, const FuncState *func_state, uint32_t warps)
{
    for (InsnId i = 0; i < func_state->func->insn_count; i++) {
        Count *count = func_state->counts[i];
        if (!count || !(count->warps > 0))
            continue;
        Count *sum = ptx_count_at(m, func_state->sums, i);
        ptx_count_add(sum, count, warps);
        sum->most = count->warps > sum->most ? count->warps : sum->most;
        ptx_count_empty(count);
    }
}

/* Runs the first of these warps, which are left, for as many of them as it stands for. Those;
 * *is_alone: it could have been more. */
static uint32_t run_standing(Machine *m, FuncState *func_state, uint32_t first, uint32_t step,
                             uint32_t are_left, bool *is_alone)
{
    uint32_t count = 1, are_done = 0;
    while (first + count * step < WARP_LANES && are_left >> (first + count * step) & 1)
        count++;
    bool are_several = count > 1;
    m->blocks = ptx_blocks_new(m->blocks.first, m->blocks.step, m->blocks.count);
    m->blocks.step[GROWTH_WARP] = m->blocks.steps[0][GROWTH_WARP] = step;
    m->blocks.count[GROWTH_WARP] = count;
    ptx_machine_run_together(m, func_state, first, 1);
    ptx_request_log_close(m, &m->warps[first]);
    count = m->blocks.count[GROWTH_WARP];
    *is_alone |= are_several && count == 1;
    for (uint32_t i = 0; i < count; i++)
        are_done |= UINT32_C(1) << (first + i * m->blocks.step[GROWTH_WARP]);
    ptx_machine_sum_counts(m, func_state, count);
    while (m->warps[first].frame)       /* for the next one */
        ptx_frame_leave(&m->warps[first]);
    m->blocks.count[GROWTH_WARP] = 1;
    return are_done;
}

/* As far apart as those before, if there is one; else the nearest. */
static uint32_t distance_from(const Machine *m, uint32_t warp, uint32_t are_left, uint32_t last)
{
    uint32_t step = m->spacing;
    if (warp + last < WARP_LANES && are_left >> (warp + last) & 1)
        return last;
    while (warp + step < WARP_LANES && !(are_left >> (warp + step) & 1))
        step += m->spacing;
    return step;
}

/* As long as one stands for others: once it does not, they are taken one by one. */
void ptx_machine_run_apart(Machine *m, FuncState *func_state)
{
    const uint32_t full = m->block[0] * m->block[1] * m->block[2] / WARP_LANES;
    uint32_t are_left = full ? UINT32_MAX >> (WARP_LANES - full) : 0;
    space_warps(m);
    if (func_state->sums == func_state->counts)
        func_state->counts = ptx_arena_array(m->arena, Count *, func_state->func->insn_count);
    uint32_t step = m->spacing;
    bool is_alone = false;
    for (uint32_t w = 0; w < m->warp_count; w++) {
        if (w < full && !(are_left >> w & 1))
            continue;
        step = is_alone ? WARP_LANES : distance_from(m, w, are_left, step);
        are_left &= ~run_standing(m, func_state, w, step, are_left, &is_alone);
        step = m->blocks.step[GROWTH_WARP];
    }
}
