#include "analysis/sim/control/branch.h"

#include "analysis/sim/control/branch_probability.h"
#include "analysis/sim/control/frame.h"
#include "analysis/sim/control/loop_exit.h"
#include "analysis/sim/control/steered_loop.h"
#include "analysis/sim/guess.h"
#include "analysis/sim/stride/drawn.h"
#include "analysis/sim/stride/lane_groups.h"
#include "analysis/sim/machine.h"
#include "support/minmax.h"

#include <math.h>

enum {
    /* iterations of a loop that lanes stay in when it is unknown whether they do */
    DOUBTFUL_STAYS = 4,
    MAX_UNROLLED_LIST = 8,      /* elements a turn: more are a step from list to list */
    HURRIED_STAYS = 8,          /* and where SimConfig.is_hurried */
    /* FuncState.steer_work: then what was found holds on; then no more is looked for */
    MAX_STEER_AGAIN = 1 << 22,
    MAX_STEER_WORK = 1 << 24,
    BRIEF_SHARE = 8,            /* of the steps, before SimConfig.is_brief has a say */
};

/* Of Frame.stays, beside the count; where SimConfig.is_brief. */
static const uint32_t WAS_LEFT = UINT32_C(1) << 31;

/* is_doubtful: it is unknown which lanes leave, so all of them go on. */
static InsnId meeting_point(const FuncState *func_state, InsnId branch, bool is_doubtful)
{
    const BlockId *ipdom = is_doubtful ? func_state->dom->ipdom : func_state->reconvergence;
    BlockId block = ipdom[func_state->cfg->block_of[branch]];
    return block == EXIT_BLOCK ? NO_ID : func_state->cfg->blocks[block].first;
}

/* What one side wrote, or the other. */
static bool is_drawn_behind(Machine *m, Register *r, ModRef *ref, const Entry *entry,
                            uint32_t lanes)
{
    if (!entry->is_forward || (!ref->is_kept && !entry->is_second))
        return false;
    return entry->is_second ? ptx_drawn_exchange(m, r, ref, lanes)
                            : ptx_drawn_join(m, r, ref, lanes, m->steps - m->begun);
}

/* What was written in a region is not known in the lanes that may not have been there, but where
 * lanes that step over each other's places may be. */
void ptx_region_end(Machine *m, Warp *w, const Entry *entry, uint32_t lanes)
{
    for (uint32_t i = entry->log_first; i < w->log_count; i++) {
        Register *r = ptx_frame_register(w->log[i].frame, w->log[i].reg);
        if (lanes && is_drawn_behind(m, r, &w->log[i], entry, lanes))
            continue;
        const uint8_t group = lanes ? ptx_groups_leave(&r->value, r->step, lanes) : r->value.group;
        ptx_value_forget(&r->value, lanes);
        r->value.group = group;
    }
}

/* Both sides stay in a loop, and lanes that leave it keep them from meeting there. A GPU lets them
 * meet in the loop all the same, and has those that leave wait behind it; a stack of entries
 * cannot, so what follows is an estimate. */
static bool meets_behind_loop(const FuncState *func_state, InsnId branch, InsnId target,
                              InsnId next, InsnId join)
{
    LoopId loop = func_state->loops->loop_of[func_state->cfg->block_of[branch]];
    return loop != NO_LOOP && ptx_loop_has(func_state, loop, target)
           && ptx_loop_has(func_state, loop, next) && !ptx_loop_has(func_state, loop, join);
}

/* A branch whose lanes go both ways; those of `maybe` are on both sides. */
typedef struct Branching {
    InsnId target, next;
    uint32_t taken, falling, maybe;
    uint8_t doubt;
    bool is_forward;            /* it leads to no other iteration of a loop */
} Branching;

/* Entry waits at the meeting point, and two more run up to it. */
static void diverge(Machine *m, Warp *w, const Branching *b)
{
    const InsnId target = b->target, next = b->next;
    const uint32_t taken = b->taken, falling = b->falling,
                   maybe = b->maybe;
    const uint8_t doubt = b->doubt;
    int rare = maybe ? ptx_branch_side(w->frame->func_state, w->entries[w->entry_count - 1].pc)
                     : 0;
    Entry *top = &w->entries[w->entry_count - 1];
    InsnId branch = top->pc, join = meeting_point(w->frame->func_state, branch, maybe != 0);
    bool is_open = join == NO_ID;               /* they meet where what is around them does */
    if (is_open)
        join = top->join;
    Entry base = *top;
    const bool was_rare = base.is_rare;
    base.join = join;
    base.maybe = 0;
    base.is_second = false;
    base.doubt = doubt > base.doubt ? doubt : base.doubt;
    base.is_loose |= meets_behind_loop(w->frame->func_state, branch, target, next, join);
    bool is_new_region = maybe && !(top->region && top->join == join);
    if (join == top->join && !is_new_region && !top->maybe) {
        w->entry_count--;                       /* nothing is left to do for it there */
    } else {
        top->pc = join;
        if (join == NO_ID)
            top->lanes = 0;
        if (is_new_region) {
            top->maybe = maybe;
            top->log_first = w->log_count;
            top->is_forward = base.is_forward = b->is_forward;
            base.region = ++m->next_region;
        }
    }
    base.is_forward &= !maybe || b->is_forward;
    if (maybe && !is_new_region)
        for (uint32_t e = w->entry_count; e-- > 0;)
            if (w->entries[e].maybe) {
                w->entries[e].maybe |= maybe;
                w->entries[e].is_forward &= b->is_forward;
                break;
            }
    if (falling) {
        base.pc = next;
        base.lanes = falling;
        base.is_second = maybe && taken;
        base.maybe = base.is_second ? maybe : 0;
        base.log_first = w->log_count;
        base.is_rare = was_rare || rare < 0;
        ptx_entry_push(m, w, base);
    }
    if (taken) {
        base.pc = target;
        base.lanes = taken;
        base.is_second = false;
        base.maybe = 0;
        base.is_rare = was_rare || rare > 0;
        ptx_entry_push(m, w, base);
    }
}

/* Iterations by data that say nothing: no more than of a counter that goes on by one. A thread goes
 * through a list of its own as threads do that share one; unrolled, by several elements a turn. */
static uint32_t guessed_trips(const FuncState *func_state, InsnId branch)
{
    const LoopId loop = func_state->loops->loop_of[func_state->cfg->block_of[branch]];
    const uint64_t shared = loop == NO_LOOP ? 0 : func_state->index_steps[loop];
    const uint64_t own = shared ? ptx_loop_exit_list_step(func_state->func, branch) : 0;
    const bool is_list = own && (own <= MAX_UNROLLED_LIST || own == shared);
    const uint64_t step = ptx_u64_max(1, is_list ? ptx_u64_max(own, shared) : shared);
    const uint64_t trips = step < GUESSED_ELEMENTS ? (GUESSED_ELEMENTS + step - 1) / step : 1;
    return is_list || trips <= DOUBTFUL_STAYS + 1 ? (uint32_t)trips : DOUBTFUL_STAYS + 1;
}

/* Where data steer the loop, but do not count its iterations: those are counted each time that a
 * warp enters it, since its bounds may be others. */
static unsigned steered_stays(Machine *m, Warp *w, InsnId branch, bool is_entered)
{
    FuncState *func_state = w->frame->func_state;
    if (m->config.is_hurried || m->config.most_stays < ASSUMED_STAYS)
        return DOUBTFUL_STAYS;
    if (!func_state->steered) {
        func_state->steered = ptx_arena_array(m->arena, SteeredBranch,
                                              func_state->func->insn_count);
        func_state->index_steps = ptx_loop_exit_steps(m->arena, func_state);
    }
    SteeredBranch *known = &func_state->steered[branch];
    const bool is_again = is_entered && known->stays > 1 && !known->is_sampled
                          && func_state->steer_work < MAX_STEER_AGAIN;
    if (!known->stays || is_again) {
        const SteeredLoop found = func_state->steer_work < MAX_STEER_WORK
                                      ? ptx_steered_loop_find(m, w, branch)
                                      : (SteeredLoop){ .stays = -1 };
        func_state->steer_work += func_state->func->insn_count;
        if (!is_again || found.stays >= 0)
            *known = (SteeredBranch){ (uint32_t)(found.stays + 2),
                                      guessed_trips(func_state, branch), found.is_ordered,
                                      found.is_sampled };
    }
    return known->stays == 1 ? known->guess - 1 : known->stays - 2;
}

/* How often lanes stay in a loop at its branch, where it is unknown whether they do, or rests on an
 * assumption. */
static unsigned most_stays(Machine *m, Warp *w, InsnId branch, InsnId target, bool is_maybe,
                           bool is_entered)
{
    if (!is_maybe)
        return m->config.is_hurried ? HURRIED_STAYS : m->config.most_stays;
    switch (ptx_loop_exit_find(w->frame->func_state, branch, target)) {
    case LOOP_EXIT_NONE: return 0;
    case LOOP_EXIT_DATA: return steered_stays(m, w, branch, is_entered);
    case LOOP_EXIT_LONG:
        return m->config.is_hurried || m->config.most_stays < DOUBTFUL_STAYS
                   ? DOUBTFUL_STAYS
                   : m->config.most_stays;
    default:        return DOUBTFUL_STAYS;
    }
}

/* The lanes of one side lie before those of the other, as they do where a bound is tested. */
static bool is_edge(uint32_t a, uint32_t b)
{
    int first_a = __builtin_ctz(a), first_b = __builtin_ctz(b), last_a = 31 - __builtin_clz(a),
        last_b = 31 - __builtin_clz(b);
    return last_a < first_b || last_b < first_a;
}

/* The launch may say how often the loop runs. */
static bool given_stays(const Machine *m, const FuncState *func_state, InsnId branch,
                        InsnId stays_at, unsigned *stays)
{
    LoopId loop = func_state->loops->loop_of[func_state->cfg->block_of[branch]];
    if (!func_state->given || m->config.is_hurried || loop == NO_LOOP || !func_state->given[loop]
        || !ptx_loop_has(func_state, loop, stays_at))
        return false;
    /* one iteration comes before the first stay */
    bool is_behind = func_state->cfg->block_of[stays_at] == func_state->loops->loops[loop].header;
    uint32_t trips = func_state->given[loop] - 1;
    *stays = trips > is_behind ? trips - is_behind : 0;
    return true;
}

/* What a way rests on, where the condition is known, or not. */
static uint8_t uncertainty_of(bool is_known, bool is_assumed)
{
    if (!is_known)
        return UNCERTAIN_DATA;
    return is_assumed ? UNCERTAIN_PARAMETER : UNCERTAIN_NONE;
}

/* 1: whoever takes the branch traps, -1: whoever does not, 0: neither, or both. A launch that gives
 * a result has no lane there, whatever the data. */
static int trap_side(const FuncState *func_state, InsnId branch, InsnId target)
{
    const Func *func = func_state->func;
    const Cfg *cfg = func_state->cfg;
    if (target >= func->insn_count || branch + 1 >= func->insn_count)
        return 0;
    return ptx_block_ends_in_trap(cfg, func, cfg->block_of[target])
           - ptx_block_ends_in_trap(cfg, func, cfg->block_of[branch + 1]);
}

static bool is_brief_now(const Machine *m)
{
    return m->config.is_brief && !m->config.is_hurried
           && m->steps - m->begun >= (m->most_steps - m->begun) / BRIEF_SHARE;
}

static uint32_t *stays_at(const Machine *m, Frame *frame, InsnId branch)
{
    const Cfg *cfg = frame->func_state->cfg;
    if (!frame->stays)
        frame->stays = ptx_arena_array(m->arena, uint32_t, cfg->block_count);
    return &frame->stays[cfg->block_of[branch]];
}

/* One more stay is counted. True: it was one too many. */
static bool is_left(Machine *m, uint32_t *stays, unsigned most, bool is_given)
{
    const uint32_t was_left = *stays & WAS_LEFT, count = (*stays & ~WAS_LEFT) + 1;
    const bool is_early = count <= most && was_left && !is_given && is_brief_now(m);
    const bool leaves = count > most || is_early;
    m->has_left_early |= is_early;
    if (leaves)
        *stays = m->config.is_brief ? WAS_LEFT : 0;
    else
        *stays = was_left | count;
    return leaves;
}

/* Lanes go around a loop, or leave it, as data say. */
static void note_loop_in_region(Warp *w)
{
    uint32_t e = w->entry_count;
    do
        w->entries[--e].is_forward = false;
    while (e && !w->entries[e].maybe);
}

void ptx_branch_run(Machine *m, Warp *w, const Insn *insn, uint32_t taken, uint32_t maybe,
                    bool is_assumed)
{
    Entry *top = &w->entries[w->entry_count - 1];
    const FuncState *func_state = w->frame->func_state;
    const Operand *operand = ptx_insn_operands(func_state->func, insn);
    InsnId next = top->pc + 1;
    InsnId target = insn->operand_count && operand->kind == OPERAND_TARGET
                        ? func_state->func->labels[operand->id].insn
                        : NO_ID;
    if (target == NO_ID) {
        top->lanes = 0;
        return;
    }
    if (is_assumed)
        ptx_memory_assume(m, w, top->pc,
                          func_state->reconvergence[func_state->cfg->block_of[top->pc]],
                          UNCERTAIN_PARAMETER);
    const int traps = maybe ? trap_side(func_state, top->pc, target) : 0;
    if (traps) {
        taken |= traps < 0 ? maybe : 0;
        maybe = 0;
    }
    uint32_t lanes = top->lanes, falling = lanes & ~(taken | maybe), goes = taken | maybe,
             stays_on = falling | maybe;
    uint8_t doubt = uncertainty_of(maybe == 0, is_assumed);
    Count *count = func_state->counts[top->pc];
    uint8_t worst = doubt > top->doubt ? doubt : top->doubt;
    count->doubt = worst > count->doubt ? worst : count->doubt;
    int side = maybe || is_assumed || m->config.is_hurried
                   ? ptx_loop_exit_side(func_state, top->pc, target)
                   : 0;
    if (side) {
        uint32_t *stays = stays_at(m, w->frame, top->pc);
        const bool is_entered = !(*stays & ~WAS_LEFT);
        unsigned most = most_stays(m, w, top->pc, target, maybe != 0, is_entered);
        bool is_given = given_stays(m, func_state, top->pc, side > 0 ? target : next, &most);
        const bool leaves = is_left(m, stays, most, is_given);
        if (leaves && !m->config.is_hurried && !is_given)
            ptx_machine_note_left(m, func_state, top->pc, side > 0 ? target : next, most);
        if (maybe || leaves) {
            uint32_t undecided = maybe ? maybe : lanes;
            bool take = (side > 0) != leaves;
            goes = take ? taken | undecided : taken & ~undecided;
            stays_on = take ? falling & ~undecided : falling | undecided;
        }
    }
    if (goes && stays_on) {
        count->divergent++;
        count->edged += is_edge(goes, stays_on);
    }
    if (doubt <= top->doubt && !maybe && (!goes || !stays_on)) {
        top->pc = goes ? target : next;
        return;
    }
    if (maybe && side)
        note_loop_in_region(w);
    /* already in a doubtful region: no more to be said */
    if (maybe && top->region && (!goes || !stays_on)) {
        top->pc = goes ? target : next;
        return;
    }
    diverge(m, w, &(Branching){ target, next, goes, stays_on, maybe, doubt, !side });
}

static const Table *table_of(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const Table *table = NULL;
    for (unsigned o = 1; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_TARGET && func->labels[operands[o].id].table != NO_ID)
            table = &func->tables[func->labels[operands[o].id].table];
    return table && table->count ? table : NULL;
}

/* Lanes of `lanes` whose index has this number; of an unknown one all go the way of the first. */
static uint32_t lanes_with(const Value *index, uint32_t lanes, bool is_known, uint64_t wanted)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        found |= (uint32_t)(!is_known || ptx_value_lane(index, i) == wanted) << i;
    return found & lanes;
}

/* brx.idx: an entry for each number that lanes have. */
void ptx_branch_run_indexed(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
{
    Entry *top = &w->entries[w->entry_count - 1];
    const FuncState *func_state = w->frame->func_state;
    const Table *table = table_of(func_state->func, insn);
    Scratch room;
    const Value *index = insn->operand_count ? ptx_machine_read(
                             m, w, ptx_insn_operands(func_state->func, insn), &room)
                                             : NULL;
    if (!table || !index) {
        top->lanes &= ~lanes, top->pc++;
        return;
    }
    ptx_blocks_pin(&m->blocks, index);
    bool is_known = !(index->unknown & lanes) && index->align == ALIGN_EXACT;
    uint8_t doubt = uncertainty_of(is_known, index->is_assumed);
    if (doubt)                  /* the other ways are not gone */
        ptx_memory_assume(m, w, top->pc,
                          func_state->reconvergence[func_state->cfg->block_of[top->pc]],
                          doubt);
    Entry base = *top;
    InsnId join = meeting_point(func_state, top->pc, !is_known), next = top->pc + 1;
    top->doubt = doubt > top->doubt ? doubt : top->doubt;
    base.doubt = top->doubt;
    base.join = join == NO_ID ? top->join : join;
    base.maybe = 0;
    base.is_second = false;
    uint64_t first = ptx_value_lane(index, (unsigned)__builtin_ctz(lanes));
    if (lanes == top->lanes && lanes_with(index, lanes, is_known, first) == lanes
        && first < table->count) {
        top->pc = func_state->func->labels[func_state->func->table_ids[table->first + first]].insn;
        return;
    }
    func_state->counts[top->pc]->divergent++;
    base.lanes = top->lanes & ~lanes;
    if (base.join == top->join && !top->maybe)
        w->entry_count--;
    else
        top->pc = base.join;
    if (base.lanes) {
        base.pc = next;
        ptx_entry_push(m, w, base);
    }
    while (lanes) {
        first = ptx_value_lane(index, (unsigned)__builtin_ctz(lanes));
        base.lanes = lanes_with(index, lanes, is_known, first);
        lanes &= ~base.lanes;
        if (first >= table->count)
            continue;
        base.pc = func_state->func->labels[func_state->func->table_ids[table->first + first]].insn;
        ptx_entry_push(m, w, base);
    }
}

/* Lanes that are done with the function, or with the kernel. */
void ptx_lanes_retire(Warp *w, uint32_t lanes, bool exits)
{
    uint32_t floor = exits ? 0 : w->frame->entry_floor;
    for (uint32_t e = floor; e < w->entry_count; e++)
        w->entries[e].lanes &= ~lanes;
    if (exits)
        w->live &= ~lanes;
}
