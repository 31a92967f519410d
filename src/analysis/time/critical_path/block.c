#include "analysis/time/critical_path/walker.h"

#include "ir/insn.h"
#include "isa/isa.h"

enum {
    /* machine instructions that ptxas looks ahead of what waits for a function unit: of the bodies
     * of n-body kernels (18 instructions each) two are on their way at once, 2 to 8 side by side */
    WINDOW = 36,
};

/* Clocks after its start in which an instruction's own ones issue. */
static double issue_of(const CriticalPathWalker *w, const WalkedInsn *facts, double latency)
{
    return facts->is_in_order
               ? ptx_later(0, latency - (double)w->in->latencies->machine[MACHINE_ALU])
               : 0;
}

static double operands_ready(const CriticalPathWalker *w, const LoweredInsn *insn, double start)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    double at = start;
    for (unsigned u = 0; u < insn->use_count; u++)
        at = ptx_later(at, w->ready[uses[u]]);
    return at;
}

static double gathered_ready(const CriticalPathWalker *w, const WalkedInsn *facts, double at)
{
    return facts->gathers ? operands_ready(w, &w->in->lowered->insns[facts->gathers - 1], at) : at;
}

static bool is_late(const CriticalPathWalker *w, const LoweredInsn *insn, const WalkedInsn *facts,
                    BlockId block)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    bool late = facts->is_late;
    for (unsigned u = 0; u < insn->use_count; u++)
        late |= w->is_late[uses[u]];
    return late && w->in->loops->loop_of[block] != NO_LOOP;
}

/* Nothing that the launch writes is in it, nor in what addresses come from: no barrier keeps it
 * behind. Of what ptxas made of kernels with four steps of a loop side by side, the loads of all
 * four stood first. */
static bool passes_barriers(const CriticalPathWalker *w, const WalkedInsn *facts)
{
    return facts->is_light
           || (facts->words && !facts->orders && w->ahead.words + facts->words <= w->words_ahead);
}

/* Registers that a load takes: loads side by side from one address share that of it. */
static uint32_t registers_of_load(const CriticalPathWalker *w, const LoweredInsn *insn,
                                  uint32_t words)
{
    const LoweredValueId address = w->in->lowered->operands[insn->operand_first + insn->def_count];
    const LoweredValue *value = &w->in->lowered->values[address];
    const bool is_shared = !insn->use_count || value->is_variable || address == w->ahead.address;
    return words + (is_shared ? 0 : value->units);
}

/* Whether registers reach for one more: what the loop carries around holds its own. ptxas puts what
 * they do not reach for behind uses of others, wherever it stands, but has two under way. */
static bool has_registers_for(const CriticalPathWalker *w, const LoweredInsn *insn,
                              uint32_t words)
{
    const LoadsAhead *ahead = &w->ahead;
    const uint32_t taken = ahead->taken + registers_of_load(w, insn, words);
    const bool fits = ahead->count < 2 || taken <= w->room;
    return fits && !(ahead->is_used && ahead->words + words > w->words_ahead);
}

/* A load behind the uses of others starts with them where registers reach for all, else when the
 * first of them is there. */
static double behind_loads(CriticalPathWalker *w, const LoweredInsn *insn,
                           const WalkedInsn *facts, double at)
{
    LoadsAhead *ahead = &w->ahead;
    const uint32_t words = facts->words;
    if (words && !has_registers_for(w, insn, words)) {
        at = ptx_later(at, ahead->first);
        *ahead = (LoadsAhead){ .number = ahead->number + 1 };
    }
    return at;
}

static void note_loads(CriticalPathWalker *w, const LoweredInsn *insn, uint32_t words,
                       double ready)
{
    LoadsAhead *ahead = &w->ahead;
    const LoweredValueId *operands = &w->in->lowered->operands[insn->operand_first];
    if (words && !ahead->words)
        ahead->first = ready;
    if (words) {
        ahead->count++;
        ahead->taken += registers_of_load(w, insn, words);
        ahead->address = insn->use_count ? operands[insn->def_count] : 0;
    }
    ahead->words += words;
    for (unsigned u = 0; !words && u < insn->use_count; u++)
        ahead->is_used |= w->batch[operands[insn->def_count + u]] == ahead->number;
    for (unsigned d = 0; d < insn->def_count; d++)
        w->batch[operands[d]] = words ? ahead->number : 0;
}

/* What stands so far behind waits for what waits for a function unit. */
static double behind_window(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    LateWindow *window = &w->window;
    window->count += (double)insn->count;
    while (window->tail != window->head
           && window->issued[window->tail % WINDOW_PLACES] + WINDOW <= window->count) {
        window->held = ptx_later(window->held, window->start[window->tail % WINDOW_PLACES]);
        window->tail++;
    }
    return ptx_later(at, window->held);
}

static void note_late(CriticalPathWalker *w, double at)
{
    LateWindow *window = &w->window;
    if (window->head - window->tail >= WINDOW_PLACES)
        window->held = fmax(window->held, window->start[window->tail++ % WINDOW_PLACES]);
    window->issued[window->head % WINDOW_PLACES] = window->count;
    window->start[window->head++ % WINDOW_PLACES] = at;
}

static void define(CriticalPathWalker *w, const LoweredInsn *insn, double ready, bool late)
{
    const LoweredValueId *defs = &w->in->lowered->operands[insn->operand_first];
    for (unsigned d = 0; d < insn->def_count; d++) {
        w->ready[defs[d]] = ready;
        w->is_late[defs[d]] = late;
    }
}

/* The warp waits until its accesses have come as far as the scope goes. */
static double fence_clocks(CriticalPathWalker *w, const Op *fence)
{
    const Latencies *l = w->in->latencies;
    double stores = w->is_stored ? (double)l->fence_store : 0;
    w->is_stored = false;
    return ptx_op_has(fence, MOD_SYS) ? (double)l->fence_sys : (double)l->fence + stores;
}

static double behind_stores(const CriticalPathWalker *w, unsigned orders)
{
    double at = 0;
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        at = orders >> o & 1 ? ptx_later(at, w->stored[o]) : at;
    return at;
}

/* A scheduler's own function unit takes its warp's instructions one after the other: measured on
 * an H200 (matrix.py), 32 and 64 ex2 behind 32 and 64 maxima take what both do. */
static double through_function_unit(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    const Gpu *gpu = w->in->gpu;
    const Pipe *xu = &gpu->pipes[PIPE_XU];
    if (insn->origin != NO_ID && w->of.sequences[insn->origin].each > 0)
        return at;              /* that is in its latency */
    if (!(xu->lanes > 0) || !(xu->takes[insn->machine] > 0) || !ptx_gpu_has(gpu, FIGURE_PARTITIONS))
        return at;
    at = ptx_later(at, w->xu_free);
    w->xu_free = at + (double)insn->count * 32 * gpu->figures[FIGURE_PARTITIONS] / xu->lanes
                          * (double)xu->takes[insn->machine];
    return at;
}

static void note_store(CriticalPathWalker *w, const LoweredInsn *insn, unsigned orders, double at)
{
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        w->stored[o] = orders >> o & 1 ? at : w->stored[o];
    w->is_stored |= insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_ATOMIC;
}

/* Whether it leads to the uncommon path of a sequence: a division that may be of denormals. ptxas
 * has a basic block end there, and moves nothing ahead of it. */
bool ptx_walk_leaves_block(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_BRANCH && insn->origin != NO_ID
           && w->of.sequences[insn->origin].has_branch;
}

/* Whether ptxas asks at the shuffle which lanes are there, which ends a basic block too. Behind the
 * first one of a block it does not ask again. */
bool ptx_walk_asks_for_lanes(const CriticalPathWalker *w, BlockId block, const LoweredInsn *insn)
{
    enum { ASKING_SM = 70 };    /* before, all lanes of a warp are at one instruction */
    const LoopId loop = w->in->loops->loop_of[block];
    return insn->machine == MACHINE_SHUFFLE && w->in->gpu->target.sm >= ASKING_SM
           && loop != NO_LOOP && w->in->are_left_apart[loop];
}

/* One that misses keeps the others waiting. */
static double joined_latency(const CriticalPathWalker *w, const LoweredInsn *insn, double latency)
{
    if (w->side_by_side < 2 || !ptx_is_load_of_global(w->in->func, insn))
        return latency;
    const double near = ptx_gpu_figure(w->in->gpu, FIGURE_L1_LATENCY);
    if (latency < near)
        return latency;
    return fmin(fmax(latency, w->in->missed_clocks), near + w->side_by_side * (latency - near));
}

static void note_in_chain(CriticalPathWalker *w, uint32_t insn, bool holds_others, bool is_last)
{
    ptx_waiting_chain_define(w->chain, insn);
    if (holds_others)
        w->chain->waited = insn + 1;
    if (is_last)
        w->chain->last = insn + 1;
}

/* Whether the block is predicated, or what comes behind such blocks: no branch stands before it. */
static bool is_straight_on(const CriticalPathWalker *w, BlockId block)
{
    return w->straight[block] != block && w->straight[block] == w->straight[w->walked];
}

void ptx_walk_block(CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    const bool steps = ptx_walk_is_in_steps(w, block), continues = is_straight_on(w, block);
    const double entered = w->now;
    if (!continues) {
        w->code = (StraightCode){ entered, entered, entered, entered, 0, entered, entered };
        w->phase = entered;
    }
    const double begin = w->code.begin;
    w->room = w->held[block] ? fmax(w->in->registers, LITTLE_REGISTERS) - w->held[block]
                             : (double)INFINITY;
    if (w->chain)
        ptx_waiting_chain_begin(w->chain);
    if (!w->is_next && !continues) {
        w->ahead = (LoadsAhead){ .number = w->ahead.number + 1 };
        w->window.count = w->window.held = 0;
        w->window.head = w->window.tail = 0;
    }
    double start = w->code.start, last = w->code.last, issued = w->code.issued,
           next = w->code.next, made = w->code.made,
           open = w->code.open; /* what no barrier keeps behind may start */
    bool has_asked = false;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const WalkedInsn *facts = &w->facts[i];
        const bool passes = passes_barriers(w, facts);
        double at = operands_ready(w, insn, passes ? open : start),
               latency = joined_latency(w, insn, facts->latency),
               issue = issue_of(w, facts, latency);
        bool late = is_late(w, insn, facts, block), is_ordered = facts->is_float;
        unsigned orders = facts->orders;
        bool is_continued = i > lowered->first[block] && insn->origin != NO_ID
                            && insn->origin == insn[-1].origin;
        at = is_continued ? ptx_later(at, made) : gathered_ready(w, facts, at);
        const Op *fence = facts->fence;
        if (insn->machine == MACHINE_BARRIER || fence)
            at = ptx_later(at, last);
        at = ptx_later(at, behind_stores(w, orders));
        at = ptx_later(at, begin + issued);
        at = behind_loads(w, insn, facts, at);
        at = behind_window(w, insn, at);
        at = (steps ? ptx_walk_through_pipes : through_function_unit)(w, insn, at);
        issued += (double)insn->count;
        bool is_first = insn->origin != NO_ID && !is_continued;
        if (w->chain)
            ptx_waiting_chain_note(
                w->chain, i, w->ready,
                &(WaitTimes){ .at = at, .begin = begin, .made = made, .start = start,
                              .last = last, .is_continued = is_continued,
                              .is_behind_all = insn->machine == MACHINE_BARRIER || fence });
        const double held = start;
        if (steps && is_first && ptx_walk_is_product(w, insn))
            at = ptx_walk_wait_for_products(w, insn, at);
        if (steps)
            latency = ptx_walk_in_step(w, insn, is_first, (StepTimes){ at, latency, passes });
        if (w->steps && is_first)
            start = ptx_later(start, ptx_walk_wait_until(w, insn->origin, at, steps));
        const bool asks = !has_asked && ptx_walk_asks_for_lanes(w, block, insn);
        if (asks || ptx_walk_leaves_block(w, insn))
            start = ptx_later(start, at);
        has_asked |= asks;
        if (insn->machine != MACHINE_BARRIER)
            open = ptx_later(open, start > held ? start : open);
        if (is_ordered && !late) {
            at = ptx_later(at, next);
            next = at + (double)insn->count;
        }
        if (ptx_is_ordering_store(insn))
            note_store(w, insn, orders, at);
        if (fence)
            start = open = at + fence_clocks(w, fence);
        if (late)
            note_late(w, at);
        note_loads(w, insn, facts->words, at + latency);
        if (steps && insn->machine == MACHINE_BARRIER)
            at = ptx_walk_end_phase(w, at);
        if (insn->machine == MACHINE_BARRIER)
            start = at + latency
                    + (double)w->in->latencies->barrier_per_warp * w->in->warps_per_block;
        define(w, insn, at + latency, late);
        if (w->chain)
            note_in_chain(w, i, start > held, !ptx_lowered_is_copy(insn) && at + issue >= last);
        bool is_made = insn->def_count || issue > 0 || is_ordered
                       || facts->hands_on;
        made = is_made ? at + latency : at;
        last = ptx_lowered_is_copy(insn) ? last : ptx_later(last, at + issue);
    }
    w->now = ptx_later(ptx_later(last, start), begin + issued);
    w->code = (StraightCode){ begin, start, open, last, issued, next, made };
    w->walked = block;
    if (steps && !w->goes_on_behind[block])
        w->now = ptx_walk_end_phase(w, w->now);
    if (w->chain)
        ptx_waiting_chain_close(w->chain, &(WalkedBlock){ block, entered, last, start, w->now });
    w->own[block] = w->now - entered;
}
