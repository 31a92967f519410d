#include "analysis/registers/block_work.h"

#include "analysis/registers/block_liveness.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/minmax.h"

enum {
    /* candidates that are looked at where registers decide: bounds the time of a choice */
    WINDOW = 48,
    TAKEN = UINT32_MAX >> 1,
    MAX_PARTS = 16,
    /* the order that goes value by value counts where it saves one in so many registers */
    DEEP_SAVES = 3,
};

/* ---- registers while an order grows ---------------------------------------------------------- */

static void count_in(BlockWork *w, Local *local)
{
    local->is_live = true;
    w->now += local->units;
    w->now_wide += local->units > 1 ? local->units : 0;
}

static void count_out(BlockWork *w, Local *local)
{
    local->is_live = false;
    w->now -= local->units;
    w->now_wide -= local->units > 1 ? local->units : 0;
}

static void note_most(BlockWork *w)
{
    if (w->now > w->most)
        w->most_wide = w->now_wide;
    w->most = w->now > w->most ? w->now : w->most;
}

static void begin_order(BlockWork *w, bool from_end)
{
    w->most = w->most_wide = w->sequence_count = 0;
    w->now_wide = 2 * w->passing[2];
    w->now = w->now_wide + w->passing[1];
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->locals[v].left = w->locals[v].uses;
        w->locals[v].is_live = false;
        if (from_end ? w->locals[v].is_out
                     : !w->maker[v] && (w->locals[v].uses || w->locals[v].is_out))
            count_in(w, &w->locals[v]);
    }
    note_most(w);
    for (uint32_t s = 0; s < w->step_count; s++) {
        w->steps[s].left = from_end ? w->steps[s].succ_count : w->steps[s].pred_count;
        w->steps[s].ready_at = 0;
    }
}

static void change_readers(BlockWork *w, uint32_t local)
{
    const uint32_t end = w->readers_end[local];
    for (uint32_t r = end - w->locals[local].uses; r < end; r++)
        w->change[w->readers[r]] -= w->locals[local].units;
}

/* A step frees what no step but it still reads. */
static void begin_changes_forward(BlockWork *w)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        const ListScheduleStep *step = &w->steps[s];
        const uint32_t *locals = w->locals_of + step->use_first;
        int32_t change = 0;
        for (uint32_t u = 0; u < step->use_count; u++)
            change -= w->locals[locals[u]].left == 1 && !w->locals[locals[u]].is_out
                          ? w->locals[locals[u]].units
                          : 0;
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            change += w->locals[locals[d]].units;
        w->change[s] = change;
    }
}

/* Forward: what dies at s, then what it makes. */
static void take_forward(BlockWork *w, uint32_t s)
{
    const ListScheduleStep *step = &w->steps[s];
    w->sequence[w->sequence_count++] = s;
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t u = 0; u < step->use_count; u++) {
        Local *local = &w->locals[locals[u]];
        local->left--;
        if (!local->left && !local->is_out && local->is_live)
            count_out(w, local);
        if (local->left == 1 && !local->is_out)
            change_readers(w, locals[u]);
    }
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_in(w, &w->locals[locals[d]]);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].uses && !w->locals[locals[d]].is_out)
            count_out(w, &w->locals[locals[d]]);
}

/* Backward a step needs what it reads from there on, and its maker frees it. */
static void begin_changes_backward(BlockWork *w)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        const ListScheduleStep *step = &w->steps[s];
        const uint32_t *locals = w->locals_of + step->use_first;
        int32_t change = 0;
        for (uint32_t u = 0; u < step->use_count; u++)
            change += w->locals[locals[u]].is_live ? 0 : w->locals[locals[u]].units;
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            change -= w->locals[locals[d]].is_live ? w->locals[locals[d]].units : 0;
        w->change[s] = change;
    }
}

static void take_backward(BlockWork *w, uint32_t s)
{
    const ListScheduleStep *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].is_live)
            count_in(w, &w->locals[locals[d]]);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_out(w, &w->locals[locals[d]]);
    for (uint32_t u = 0; u < step->use_count; u++) {
        Local *local = &w->locals[locals[u]];
        if (local->is_live)
            continue;
        count_in(w, local);
        change_readers(w, locals[u]);
        if (w->maker[locals[u]])
            w->change[w->maker[locals[u]] - 1] -= local->units;
    }
    note_most(w);
}

/* ---- the orders ------------------------------------------------------------------------------ */

/* What the slow path of an operation takes beyond what is live when it is called: ptxas 13.0, with
 * 2 to 16 values live. 0: it has none. */
static uint32_t registers_of_call(const BlockWork *w, const Op *op)
{
    /* of two operands, of one; before sm_90, since */
    static const uint8_t registers[2][2][EXPANSION__COUNT] = {
        { { 0, 12, 7, 17, 13, 0, 12 }, { 0, 12, 6, 15, 12, 0, 12 } },
        { { 0, 10, 7, 9, 10, 0, 12 }, { 0, 9, 6, 8, 9, 0, 12 } },
    };
    return registers[op->operation == OP_RCP || op->operation == OP_RSQRT]
                    [w->sm >= LOADS_PARAMETERS_SM][ptx_op_expansion(op)];
}

/* Notes the registers where expansions stand. */
static void note_expansion(BlockWork *w, uint32_t s, BlockPressure *out)
{
    const LoweredInsn *insn = insn_at(w, s);
    if (insn->origin == NO_ID || (s && insn_at(w, s - 1)->origin == insn->origin))
        return;
    const Op *op = w->func->insns[insn->origin].op;
    Expansion kind = ptx_op_expansion(op);
    uint32_t call = registers_of_call(w, op);
    out->at[kind] = w->now > out->at[kind] ? w->now : out->at[kind];
    out->called = call && w->now + call > out->called ? w->now + call : out->called;
    if (insn->count >= EXPANSION_LEAST && w->now > out->at_expansion)
        out->at_expansion = w->now;
}

static void order_as_written(BlockWork *w, BlockPressure *out)
{
    out->at_expansion = out->called = 0;
    memset(out->at, 0, sizeof out->at);
    for (uint32_t s = 0; s < w->step_count; s++) {
        note_expansion(w, s, out);
        take_forward(w, s);
    }
}

/* Of the latest WINDOW that are ready, the one that needs the fewest registers; of equals the last
 * in the program. */
static uint32_t find_fewest(const BlockWork *w, uint32_t count)
{
    uint32_t best = count - 1;
    int32_t least = INT32_MAX;
    for (uint32_t c = count > WINDOW ? count - WINDOW : 0; c < count; c++) {
        int32_t change = w->change[w->heap[c]];
        if (change < least || (change == least && w->heap[c] > w->heap[best])) {
            least = change;
            best = c;
        }
    }
    return best;
}

/* What frees registers or takes none, of equals the latest that became ready; else that one: a
 * value's operands before other values. */
static uint32_t find_deepest(const BlockWork *w, uint32_t count)
{
    uint32_t best = count - 1;
    int32_t least = 1;
    for (uint32_t c = count; c-- > (count > WINDOW ? count - WINDOW : 0);)
        if (w->change[w->heap[c]] < least) {
            least = w->change[w->heap[c]];
            best = c;
        }
    return best;
}

/* Backward; find says which of the ready instructions comes next. */
static void order_frugally(BlockWork *w, uint32_t (*find)(const BlockWork *, uint32_t))
{
    uint32_t count = 0;
    begin_changes_backward(w);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].left)
            w->heap[count++] = s;
    while (count) {
        const uint32_t best = find(w, count), s = w->heap[best];
        w->heap[best] = w->heap[--count];
        take_backward(w, s);
        for (uint32_t e = w->pred_edge[s]; e; e = w->edges[e - 1].next_pred)
            if (!--w->steps[w->edges[e - 1].from].left)
                w->heap[count++] = w->edges[e - 1].from;
    }
}

/* heap: ready, the highest first; waiting: operands under way, the earliest first. */
static bool comes_first(const BlockWork *w, const uint32_t *heap, uint32_t a, uint32_t b)
{
    const ListScheduleStep *x = &w->steps[a], *y = &w->steps[b];
    if (heap == w->waiting && x->ready_at != y->ready_at)
        return x->ready_at < y->ready_at;
    return x->height != y->height ? x->height > y->height : a < b;
}

static void sift_down(const BlockWork *w, uint32_t *heap, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        if (child + 1 < count && comes_first(w, heap, heap[child + 1], heap[child]))
            child++;
        if (!comes_first(w, heap, heap[child], heap[i]))
            return;
        uint32_t s = heap[i];
        heap[i] = heap[child];
        heap[child] = s;
        i = child;
    }
}

static void sift_up(const BlockWork *w, uint32_t *heap, uint32_t i)
{
    while (i && comes_first(w, heap, heap[i], heap[(i - 1) / 2])) {
        uint32_t s = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = s;
        i = (i - 1) / 2;
    }
}

static void heap_push(const BlockWork *w, uint32_t *heap, uint32_t *count, uint32_t s)
{
    heap[*count] = s;
    sift_up(w, heap, (*count)++);
}

static uint32_t heap_take(const BlockWork *w, uint32_t *heap, uint32_t *count, uint32_t i)
{
    uint32_t s = heap[i];
    heap[i] = heap[--*count];
    if (i < *count) {
        sift_up(w, heap, i);
        sift_down(w, heap, *count, i);
    }
    return s;
}

/* Of the first WINDOW of a heap, the one that adds the fewest registers. */
static uint32_t find_thrifty(const BlockWork *w, const uint32_t *heap, uint32_t count,
                             int32_t *least)
{
    uint32_t best = 0;
    *least = INT32_MAX;
    for (uint32_t i = 0; i < count && i < WINDOW; i++) {
        if (w->change[heap[i]] < *least) {
            *least = w->change[heap[i]];
            best = i;
        }
    }
    return best;
}

static bool fits(const BlockWork *w, int32_t change, uint32_t target)
{
    return w->now + (uint32_t)(change > 0 ? change : 0) <= target;
}

/* Of what is under way, once its operands are there. */
static uint32_t take_waiting(BlockWork *w, uint32_t i)
{
    uint32_t s = heap_take(w, w->waiting, &w->waiting_count, i);
    w->clock = w->steps[s].ready_at > w->clock ? w->steps[s].ready_at : w->clock;
    return s;
}

static uint32_t choose(BlockWork *w, uint32_t target)
{
    int32_t ready, later;
    while (w->waiting_count && w->steps[w->waiting[0]].ready_at <= w->clock)
        heap_push(w, w->heap, &w->heap_count, heap_take(w, w->waiting, &w->waiting_count, 0));
    if (w->heap_count && fits(w, w->change[w->heap[0]], target))
        return heap_take(w, w->heap, &w->heap_count, 0);
    if (!w->heap_count && w->now < target)
        return take_waiting(w, 0);
    uint32_t r = find_thrifty(w, w->heap, w->heap_count, &ready);
    if (w->heap_count && (!w->waiting_count || fits(w, ready, target)))
        return heap_take(w, w->heap, &w->heap_count, r);
    uint32_t l = find_thrifty(w, w->waiting, w->waiting_count, &later);
    if (w->heap_count && ready <= later)
        return heap_take(w, w->heap, &w->heap_count, r);
    return take_waiting(w, w->now < target ? 0 : l);
}

static void release_readers(BlockWork *w, uint32_t s)
{
    for (uint32_t e = w->steps[s].edge; e; e = w->edges[e - 1].next)
        if (!--w->steps[w->edges[e - 1].to].left)
            heap_push(w, w->heap, &w->heap_count, w->edges[e - 1].to);
}

/* Takes the constants that a step reads, then the step. */
static void take_with_constants(BlockWork *w, uint32_t s)
{
    for (uint32_t e = w->pred_edge[s]; e; e = w->edges[e - 1].next_pred) {
        uint32_t from = w->edges[e - 1].from;
        if (w->steps[from].left != TAKEN && w->steps[from].is_lazy) {
            take_forward(w, from);
            w->steps[from].left = TAKEN;
        }
    }
    take_forward(w, s);
}

/* What waited for a step alone may come; what is a part of it comes with it. */
static void release(BlockWork *w, uint32_t s, bool waits)
{
    uint32_t parts[MAX_PARTS + 1], count = 0;
    parts[count++] = s;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t e = w->steps[parts[p]].edge; e; e = w->edges[e - 1].next) {
            uint32_t to = w->edges[e - 1].to;
            ListScheduleStep *next = &w->steps[to];
            uint32_t done = w->clock + (w->edges[e - 1].is_order ? 1 : w->steps[parts[p]].latency);
            next->ready_at = waits && next->ready_at < done ? done : next->ready_at;
            if (--next->left)
                continue;
            if (next->is_part && count <= MAX_PARTS) {
                take_with_constants(w, to);
                parts[count++] = to;
            } else if (waits) {
                heap_push(w, w->waiting, &w->waiting_count, to);
            } else {
                heap_push(w, w->heap, &w->heap_count, to);
            }
        }
}

/* Forward, by the longest way to the end, as results arrive, or as soon as they are under way;
 * beyond target registers, what needs the fewest. */
static void order_eagerly(BlockWork *w, uint32_t target, bool waits)
{
    w->clock = w->heap_count = w->waiting_count = 0;
    begin_changes_forward(w);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].pred_count && !w->steps[s].is_lazy)
            heap_push(w, w->heap, &w->heap_count, s);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (w->steps[s].is_lazy)
            release_readers(w, s);
    while (w->heap_count || w->waiting_count) {
        uint32_t s = choose(w, target);
        take_with_constants(w, s);
        release(w, s, waits);
        w->clock += !ptx_lowered_is_copy(insn_at(w, s));
    }
}

/* ---- regions --------------------------------------------------------------------------------- */

static void note_order(BlockWork *w, IssueOrder order, BlockPressure *out)
{
    out->most[order] = w->most;
    out->wide[order] = w->most_wide;
    out->top[order] = order == ORDER_TARGET || order == ORDER_STRAIGHT
                          ? ptx_block_places(w, &w->highest[order])
                          : 0;
}

static void order_within(BlockWork *w, IssueOrder order, uint32_t target, BlockPressure *out)
{
    begin_order(w, false);
    order_eagerly(w, target, order != ORDER_STRAIGHT);
    note_order(w, order, out);
}

/* No target is missed by more than what the frugal order takes. */
static void bound_target(uint32_t target, BlockPressure *out)
{
    if (out->most[ORDER_TARGET] <= target || out->most[ORDER_TARGET] <= out->most[ORDER_FRUGAL])
        return;
    out->most[ORDER_TARGET] = out->most[ORDER_FRUGAL] > target ? out->most[ORDER_FRUGAL] : target;
    out->wide[ORDER_TARGET] = out->wide[ORDER_FRUGAL];
}

static bool saves_much(uint32_t deep, uint32_t fewest)
{
    return DEEP_SAVES * deep < (DEEP_SAVES - 1) * fewest;
}

/* Registers that what is loaded from global memory fills, and what is live before: loads are under
 * way together, whatever takes fewest registers. */
static uint32_t least_with_loads(const BlockWork *w)
{
    uint32_t units = w->now;
    for (uint32_t s = 0; s < w->step_count; s++) {
        const LoweredInsn *insn = insn_at(w, s);
        const ListScheduleStep *step = &w->steps[s];
        const bool is_load = insn->machine == MACHINE_GLOBAL && insn->origin != NO_ID
                             && w->func->insns[insn->origin].op->flags & OPF_LOAD;
        for (uint32_t d = step->use_count; is_load && d < step->use_count + step->def_count; d++)
            units += w->locals[w->locals_of[step->use_first + d]].units;
    }
    return units;
}

/* Value by value, from the end: the most registers. */
static uint32_t order_deeply(BlockWork *w)
{
    begin_order(w, true);
    order_frugally(w, find_deepest);
    return ptx_u32_max(w->most, least_with_loads(w));
}

/* Many values that each take long are all begun at once by the first order, not by the second,
 * which is asked where the first takes more than the target. */
static void order_to_save(BlockWork *w, uint32_t target, BlockPressure *out)
{
    begin_order(w, true);
    order_frugally(w, find_fewest);
    note_order(w, ORDER_FRUGAL, out);
    if (w->most <= target)
        return;
    const uint32_t deep = order_deeply(w);
    if (saves_much(deep, out->most[ORDER_FRUGAL])) {
        note_order(w, ORDER_FRUGAL, out);
        out->most[ORDER_FRUGAL] = deep;
    }
}

/* Of the graph that saves registers: the fewest. */
static uint32_t order_saving(BlockWork *w, BlockId first, uint32_t repeat)
{
    w->is_saving = true;
    ptx_block_graph_build(w, first, repeat);
    w->is_saving = false;
    begin_order(w, true);
    order_frugally(w, find_fewest);
    const uint32_t fewest = w->most;
    return ptx_u32_min(fewest, order_deeply(w));
}

/* Registers of results of wgmma that are live at once in program order, at most: until the last
 * reader each. */
static uint32_t most_held(BlockWork *w)
{
    int32_t now = 0, most = 0;
    memset(w->change, 0, (w->step_count + 1) * sizeof *w->change);
    for (uint32_t v = 0; v < w->local_count; v++) {
        const Local *local = &w->locals[v];
        if (!local->is_held)
            continue;
        w->change[w->maker[v]] += local->units;
        w->change[local->is_out ? w->step_count : w->last_reader[v]] -= local->units;
    }
    for (uint32_t s = 0; s < w->step_count; s++) {
        now += w->change[s];
        most = now > most ? now : most;
    }
    return (uint32_t)most;
}

void ptx_region_pressure(BlockWork *w, BlockId first, uint32_t repeat, uint32_t target,
                         BlockPressure *out)
{
    ptx_block_graph_build(w, first, repeat);
    begin_order(w, false);
    order_as_written(w, out);
    note_order(w, ORDER_PROGRAM, out);
    order_to_save(w, target, out);
    if (w->may_save && ptx_u32_min(out->most[ORDER_FRUGAL], out->most[ORDER_PROGRAM]) > target) {
        const uint32_t saved = order_saving(w, first, repeat);
        if (saved < out->most[ORDER_FRUGAL]) {
            note_order(w, ORDER_FRUGAL, out);
            out->most[ORDER_FRUGAL] = saved;
        }
        ptx_block_graph_build(w, first, repeat);
    }
    ptx_block_graph_time(w);
    order_within(w, ORDER_EAGER, INT32_MAX, out);
    if (out->most[ORDER_EAGER] < target)
        note_order(w, ORDER_TARGET, out);       /* the same order */
    else
        order_within(w, ORDER_TARGET, target, out);
    order_within(w, ORDER_STRAIGHT, target, out);
    if (out->most[ORDER_FRUGAL] > out->most[ORDER_PROGRAM]) {
        out->most[ORDER_FRUGAL] = out->most[ORDER_PROGRAM];
        out->wide[ORDER_FRUGAL] = out->wide[ORDER_PROGRAM];
    }
    bound_target(target, out);
    out->held = w->held ? most_held(w) : 0;
}

/* No order has more at once than all values that a region makes, reads and leaves behind. */
static bool may_exceed(const BlockWork *w, BlockId first, uint32_t registers)
{
    const Lowered *l = w->lowered;
    const BlockId last = w->last[first];
    uint32_t units = 0;
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++)
        units += w->units[w->live->out[o]];
    for (uint32_t i = l->first[first]; i < l->first[last + 1] && units <= registers; i++) {
        const LoweredInsn *insn = &l->insns[i];
        units += insn->use_count ? 1u : 1u + MAX_TEMPORARIES;       /* 1: a factor */
        for (uint32_t o = 0; o < (uint32_t)insn->def_count + insn->use_count; o++)
            units += w->units[l->operands[insn->operand_first + o]];
    }
    return units > registers;
}

bool ptx_region_exceeds(BlockWork *w, BlockId first, uint32_t registers)
{
    if (!may_exceed(w, first, registers))
        return false;
    ptx_block_graph_build(w, first, 1);
    begin_order(w, false);
    for (uint32_t s = 0; s < w->step_count; s++)
        take_forward(w, s);
    if (w->most <= registers)
        return false;
    begin_order(w, true);
    order_frugally(w, find_fewest);
    const uint32_t fewest = w->most;
    if (fewest <= registers)
        return false;
    const uint32_t deep = order_deeply(w);
    if (deep <= registers && saves_much(deep, fewest))
        return false;
    if (!w->may_save)
        return true;
    return order_saving(w, first, 1) > registers;
}

void ptx_region_retarget(BlockWork *w, uint32_t target, BlockPressure *out)
{
    if (out->most[ORDER_EAGER] < target) {      /* the same order */
        out->most[ORDER_TARGET] = out->most[ORDER_EAGER];
        out->wide[ORDER_TARGET] = out->wide[ORDER_EAGER];
        return;
    }
    begin_order(w, false);
    order_eagerly(w, target, true);
    out->most[ORDER_TARGET] = w->most;
    out->wide[ORDER_TARGET] = w->most_wide;
    bound_target(target, out);
}
