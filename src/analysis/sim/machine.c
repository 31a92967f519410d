#include "analysis/trips/trip.h"
#include "analysis/sim/forward.h"
#include "analysis/sim/guess.h"
#include "analysis/sim/loop_exit.h"
#include "analysis/sim/steered_loop.h"
#include "analysis/sim/branch_probability.h"
#include "support/minmax.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/sim/observer.h"
#include "analysis/value/launch.h"
#include "analysis/value/rare_branch.h"

#include <math.h>

enum {
    MAX_LOGGED = 1 << 16,      /* writes in doubtful control that are remembered */
    /* iterations of a loop that lanes stay in when it is unknown whether they do */
    DOUBTFUL_STAYS = 4,
    HURRIED_STAYS = 8,          /* and where SimConfig.is_hurried */
    /* and when that rests on an assumption: SimConfig.most_stays, if it is not changed */
    ASSUMED_STAYS = 64,
    MAX_FRAMES = 64,           /* calls inside each other */
    MAX_ENTRIES = 4096,
};

/* ---- frames ---------------------------------------------------------------------------------- */

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
static FuncState *routine_of(Machine *m, FuncId called)
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
    func_state->finder = ptx_region_finder(m->arena, func, plan->cfg);
    func_state->regions = ptx_arena_array(m->arena, SliceRegion *, func->insn_count);
    func_state->insns = ptx_arena_array(m->arena, SimInsn *, func->insn_count);
    func_state->counts = func_state->sums = ptx_arena_array(m->arena, Count, func->insn_count);
    return func_state;
}

static void push_entry(Machine *m, Warp *w, Entry entry)
{
    if (w->entry_count == w->entry_capacity)
        w->entries = ptx_arena_grow(m->arena, w->entries, w->entry_count, &w->entry_capacity,
                                    sizeof *w->entries);
    w->entries[w->entry_count++] = entry;
}

static Frame *enter(Machine *m, Warp *w, FuncState *func_state, const Insn *call, Entry from)
{
    Frame *frame = func_state->spare;
    if (frame) {
        func_state->spare = frame->next;
        for (uint32_t r = 0; r < func_state->slice.place_count; r++) {
            frame->regs[r].is_written = false;
            frame->regs[r].region = 0;
        }
        memset(frame->stays, 0, func_state->func->insn_count * sizeof *frame->stays);
        frame->params.count = 0;
    } else {
        frame = ptx_arena_new(m->arena, Frame);
        frame->regs = ptx_arena_array(m->arena, Register, func_state->slice.place_count);
        frame->stays = ptx_arena_array(m->arena, uint32_t, func_state->func->insn_count);
    }
    frame->func_state = func_state;
    frame->caller = w->frame;
    frame->call = call;
    frame->entry_floor = w->entry_count;
    frame->last = NO_ID;
    w->frame = frame;
    push_entry(m, w,
               (Entry){ .frame = frame,
                        .pc = 0,
                        .join = NO_ID,
                        .lanes = from.lanes,
                        .region = from.region,
                        .doubt = from.doubt });
    return frame;
}

static void leave(Warp *w)
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
                w->frame->params.items[s].held.value.unknown = UINT32_MAX;
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
        ptx_machine_set(m, ptx_frame_register(own, r), &value,
                        ptx_type_info[func->regs[r].type].bits, lanes, lanes);
    }
}

static bool run_call(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *callee = call_operand(w->frame->func_state->func, insn, 1, 0);
    const bool is_followed = callee && callee->kind == OPERAND_FUNCTION
                             && !m->program->code.skips_calls[m->kernel];
    FuncState *func_state = is_followed ? routine_of(m, callee->id) : NULL;
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
    enter(m, w, func_state, insn, entry);
    pass_registers(m, w, from, insn, lanes);
    return true;
}

/* .reg results go back when the last lane has returned. */
static void return_registers(Machine *m, Warp *w, const Frame *frame, uint32_t lanes)
{
    const Func *func = frame->func_state->func;
    unsigned index = 0;
    for (RegId r = 0; r < func->reg_count && frame->call; r++) {
        if (!func->regs[r].is_result)
            continue;
        const Operand *operand = call_operand(w->frame->func_state->func, frame->call, 0, index++);
        const Register *result = ptx_frame_register(frame, r);
        if (operand && result->is_written)
            ptx_machine_write(m, w, operand, &result->value, lanes, UNCERTAIN_NONE);
    }
}

/* ---- control --------------------------------------------------------------------------------- */

/* is_doubtful: it is unknown which lanes leave, so all of them go on. */
static InsnId meeting_point(const FuncState *func_state, InsnId branch, bool is_doubtful)
{
    const Dom *dom = is_doubtful ? func_state->dom : func_state->reconvergence;
    BlockId block = dom->ipdom[func_state->cfg->block_of[branch]];
    return block == EXIT_BLOCK ? NO_ID : func_state->cfg->blocks[block].first;
}

/* What was written in a region is not known in the lanes that may not have been there. */
static void cloud(Machine *m, Warp *w, const Entry *entry, uint32_t lanes)
{
    for (uint32_t i = entry->log_first; i < w->log_count; i++) {
        Register *r = ptx_frame_register(w->log[i].frame, w->log[i].reg);
        r->value.unknown |= lanes;
        (void)m;
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
} Branching;

/* Entry waits at the meeting point, and two more run up to it. */
static void diverge(Machine *m, Warp *w, const Branching *b)
{
    const InsnId target = b->target, next = b->next;
    const uint32_t taken = b->taken, falling = b->falling,
                   maybe = b->maybe;
    const uint8_t doubt = b->doubt;
    int rare = maybe ? ptx_branch_rare_side(w->frame->func_state->func,
                                            w->entries[w->entry_count - 1].pc)
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
            base.region = ++m->next_region;
        }
    }
    if (maybe && !is_new_region)
        for (uint32_t e = w->entry_count; e-- > 0;)
            if (w->entries[e].maybe) {
                w->entries[e].maybe |= maybe;
                break;
            }
    if (falling) {
        base.pc = next;
        base.lanes = falling;
        base.is_second = maybe && taken;
        base.maybe = base.is_second ? maybe : 0;
        base.log_first = w->log_count;
        base.is_rare = was_rare || rare < 0;
        push_entry(m, w, base);
    }
    if (taken) {
        base.pc = target;
        base.lanes = taken;
        base.is_second = false;
        base.maybe = 0;
        base.is_rare = was_rare || rare > 0;
        push_entry(m, w, base);
    }
}

/* Iterations by data that say nothing: no more than of a counter that goes on by one. */
static uint32_t guessed_trips(const FuncState *func_state, InsnId branch)
{
    const LoopId loop = func_state->loops->loop_of[func_state->cfg->block_of[branch]];
    const uint64_t step = loop == NO_LOOP ? 1 : func_state->index_steps[loop];
    const uint64_t trips = step < GUESSED_ELEMENTS ? (GUESSED_ELEMENTS + step - 1) / step : 1;
    return trips > DOUBTFUL_STAYS + 1 ? DOUBTFUL_STAYS + 1 : (uint32_t)trips;
}

/* Where data steer the loop, but do not count its iterations. */
static unsigned steered_stays(Machine *m, Warp *w, InsnId branch)
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
    if (!known->stays) {
        const SteeredLoop found = ptx_steered_loop_find(m, w, branch);
        *known = (SteeredBranch){ (uint32_t)(found.stays + 2), guessed_trips(func_state, branch),
                                  found.is_ordered, found.is_sampled };
    }
    return known->stays == 1 ? known->guess - 1 : known->stays - 2;
}

/* How often lanes stay in a loop at its branch, where it is unknown whether they do, or rests on an
 * assumption. */
static unsigned most_stays(Machine *m, Warp *w, InsnId branch, InsnId target, bool is_maybe)
{
    if (!is_maybe)
        return m->config.is_hurried ? HURRIED_STAYS : m->config.most_stays;
    switch (ptx_loop_exit_find(w->frame->func_state, branch, target)) {
    case LOOP_EXIT_NONE: return 0;
    case LOOP_EXIT_DATA: return steered_stays(m, w, branch);
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

static void run_branch(Machine *m, Warp *w, const Insn *insn, uint32_t taken, uint32_t maybe,
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
                          func_state->reconvergence->ipdom[func_state->cfg->block_of[top->pc]],
                          UNCERTAIN_PARAMETER);
    const int traps = maybe ? trap_side(func_state, top->pc, target) : 0;
    if (traps) {
        taken |= traps < 0 ? maybe : 0;
        maybe = 0;
    }
    uint32_t lanes = top->lanes, falling = lanes & ~(taken | maybe), goes = taken | maybe,
             stays_on = falling | maybe;
    uint8_t doubt = uncertainty_of(maybe == 0, is_assumed);
    Count *count = &func_state->counts[top->pc];
    uint8_t worst = doubt > top->doubt ? doubt : top->doubt;
    count->doubt = worst > count->doubt ? worst : count->doubt;
    int side = maybe || is_assumed || m->config.is_hurried
                   ? ptx_loop_exit_side(func_state, top->pc, target)
                   : 0;
    if (side) {
        uint32_t *stays = &w->frame->stays[top->pc];
        unsigned most = most_stays(m, w, top->pc, target, maybe != 0);
        bool is_given = given_stays(m, func_state, top->pc, side > 0 ? target : next, &most);
        bool leaves = ++*stays > most;
        if (leaves)
            *stays = 0;
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
    /* already in a doubtful region: no more to be said */
    if (maybe && top->region && (!goes || !stays_on)) {
        top->pc = goes ? target : next;
        return;
    }
    diverge(m, w, &(Branching){ target, next, goes, stays_on, maybe, doubt });
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
static void run_indexed(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
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
                          func_state->reconvergence->ipdom[func_state->cfg->block_of[top->pc]],
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
    func_state->counts[top->pc].divergent++;
    base.lanes = top->lanes & ~lanes;
    if (base.join == top->join && !top->maybe)
        w->entry_count--;
    else
        top->pc = base.join;
    if (base.lanes) {
        base.pc = next;
        push_entry(m, w, base);
    }
    while (lanes) {
        first = ptx_value_lane(index, (unsigned)__builtin_ctz(lanes));
        base.lanes = lanes_with(index, lanes, is_known, first);
        lanes &= ~base.lanes;
        if (first >= table->count)
            continue;
        base.pc = func_state->func->labels[func_state->func->table_ids[table->first + first]].insn;
        push_entry(m, w, base);
    }
}

/* Lanes that are done with the function, or with the kernel. */
static void retire(Warp *w, uint32_t lanes, bool exits)
{
    uint32_t floor = exits ? 0 : w->frame->entry_floor;
    for (uint32_t e = floor; e < w->entry_count; e++)
        w->entries[e].lanes &= ~lanes;
    if (exits)
        w->live &= ~lanes;
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* Numbered barriers, and those of some threads only, order what is written otherwise than the turns
 * in which warps run here. */
static void note_barrier(Machine *m, const Operand *number, bool is_of_some)
{
    bool is_plain = number && number->kind == OPERAND_INT && !is_of_some
                    && (m->barrier < 0 || m->barrier == number->value);
    if (is_plain)
        m->barrier = number->value;
    if (is_plain || (m->orderer && m->orderer->turn))
        return;
    m->shared_is_lost = true;
    ptx_memory_forget_shared(m);
}

static void wait_at_barrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn);
    bool is_reduction = insn->operand_count && operands[0].position == 0
                        && operands[0].role & ROLE_DEF;
    unsigned first = is_reduction ? 1 : 0, last = insn->operand_count - is_reduction;
    note_barrier(m, insn->operand_count > first ? &operands[first] : NULL, last > first + 1);
    w->reduction = NULL;
    if (!is_reduction || insn->operand_count < 3)
        return;
    Scratch room;
    const Value *predicate = ptx_machine_read(m, w, &operands[insn->operand_count - 1], &room);
    w->reduction = insn;
    w->reduced = lanes;
    w->holding = ptx_lanes_where(m, predicate, lanes, &w->unsure);
    w->is_assumed = predicate->is_assumed || doubt == UNCERTAIN_PARAMETER;
    if (doubt >= UNCERTAIN_DATA || lanes != w->live)
        w->unsure = lanes;
}

/* All warps of the block have come to the same reduction: they get its result. */
static void reduce(Machine *m)
{
    unsigned count = 0, holding = 0, unsure = 0;
    bool is_assumed = false;
    const Insn *insn = NULL;
    for (uint32_t i = 0; i < m->warp_count; i++) {
        const Warp *w = &m->warps[i];
        if (w->is_done)
            continue;
        if (!w->reduction || (insn && insn != w->reduction))
            return;
        insn = w->reduction;
        count += ptx_lanes_count(w->reduced);
        holding += (unsigned)__builtin_popcount(w->holding);
        unsure += (unsigned)__builtin_popcount(w->unsure);
        is_assumed |= w->is_assumed;
    }
    if (!insn || unsure)
        return;
    unsigned result = holding;
    if (ptx_op_has(insn->op, MOD_OR))
        result = holding != 0;
    else if (ptx_op_has(insn->op, MOD_AND))
        result = holding == count;
    Value value = ptx_value_const(result);
    value.is_assumed = is_assumed;
    for (uint32_t i = 0; i < m->warp_count; i++) {
        Warp *w = &m->warps[i];
        if (!w->is_done)
            ptx_machine_write(m, w, ptx_insn_operands(w->frame->func_state->func, insn), &value,
                              w->reduced, UNCERTAIN_NONE);
    }
}

static void tell_barrier(const Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    if (m->orderer && m->orderer->barrier)
        m->orderer->barrier(m->orderer->self, w, insn, lanes, doubt);
}

/* ---- one instruction ------------------------------------------------------------------------- */

static bool is_ignored(const Observer *orderer, const Op *op)
{
    return orderer->orders && orderer->orders[op->id] == ORDER_IGNORED;
}

/* The lanes that may have written or not. */
static void forget_results_in(const Warp *w, const SimInsn *insn, uint32_t lanes)
{
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (insn->operands[o].role & ROLE_DEF && insn->operands[o].kind == OPERAND_REG)
            ptx_frame_register(w->frame, insn->operands[o].id)->value.unknown |= lanes;
}

/* Where lanes go, and what they wait for. */
static void run_control_flow(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                             uint8_t doubt)
{
    Entry *top = &w->entries[w->entry_count - 1];
    switch ((Action)insn->code->action) {
    case ACTION_INDEXED:
        run_indexed(m, w, insn->insn, lanes);
        return;
    case ACTION_RETURN: case ACTION_EXIT:
        top->pc++;
        retire(w, lanes, insn->code->action == ACTION_EXIT || !w->frame->caller);
        return;
    case ACTION_CALL:
        top->pc++;
        run_call(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_BARRIER:
        top->pc++;
        w->is_waiting = true;
        ptx_machine_forget(m, w, insn, lanes, doubt);
        wait_at_barrier(m, w, insn->insn, lanes, doubt);
        tell_barrier(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_ARRIVE:
        top->pc++;
        note_barrier(m, NULL, true);
        tell_barrier(m, w, insn->insn, lanes, doubt);
        return;
    case ACTION_WARP_BARRIER:
        top->pc++;
        w->synced = ptx_memory_tick(m);
        return;
    default:
        return;
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
        ptx_memory_count(m, w, insn, &w->frame->func_state->counts[top->pc], active,
                         top->is_loose && doubt < UNCERTAIN_ORDER ? UNCERTAIN_ORDER : doubt);
    if (insn->is_needed || (insn->has_effect && !(m->are_apart && insn->is_access)))
        insn->run(m, w, insn, active, doubt);
    if (maybe)
        forget_results_in(w, insn, maybe);
    top->pc++;                  /* none but run_control_flow adds entries */
}

/* The guard rests on an assumption: what it keeps from happening is not sure. */
static void note_assumed_guard(Machine *m, Warp *w, const SimInsn *insn)
{
    Count *count = &w->frame->func_state->counts[w->entries[w->entry_count - 1].pc];
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
    Count *count = &func_state->counts[top->pc];
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
        run_branch(m, w, insn->insn, lanes, maybe, is_assumed);
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
            leave(w);
            return_registers(m, w, done, top->lanes);
            continue;
        }
        if (top->maybe) {       /* the region ends, or its other side begins */
            cloud(m, w, top, top->maybe);
            if (!top->is_second)
                w->log_count = top->region ? w->log_count : top->log_first;
            top->maybe = 0;
            top->is_second = false;
        }
        if (top->lanes && top->pc != top->join && top->pc < w->frame->func_state->func->insn_count)
            return true;
        if (top->lanes && top->pc >= w->frame->func_state->func->insn_count)
            retire(w, top->lanes, !w->frame->caller);
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

static void run_warp(Machine *m, Warp *w)
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
        leave(w);
    w->is_done = w->is_waiting = w->is_at_put = false;
    w->barrier = 0;
    enter(m, w, func_state, NULL, (Entry){ .lanes = w->live });
}

/* In turns, from barrier to barrier. */
static void run_together(Machine *m, FuncState *func_state, uint32_t first_warp,
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
            run_warp(m, w);
            is_running = true;
        }
        m->barrier = -1;
        if (first_warp == 0 && warp_count == m->warp_count)
            reduce(m);
        if (m->orderer && m->orderer->turn)
            is_running = m->orderer->turn(m->orderer->self, first_warp, warp_count);
    }
}

/* ---- warps that stand for others ------------------------------------------------------------- */

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
static void sum_counts(const FuncState *func_state, uint32_t warps)
{
    for (InsnId i = 0; i < func_state->func->insn_count; i++)
        if (func_state->counts[i].warps > 0) {
            Count *sum = &func_state->sums[i];
            ptx_count_add(sum, &func_state->counts[i], warps);
            sum->most = func_state->counts[i].warps > sum->most ? func_state->counts[i].warps
                                                                : sum->most;
            func_state->counts[i] = (Count){ 0 };
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
    run_together(m, func_state, first, 1);
    ptx_request_log_close(m, &m->warps[first]);
    count = m->blocks.count[GROWTH_WARP];
    *is_alone |= are_several && count == 1;
    for (uint32_t i = 0; i < count; i++)
        are_done |= UINT32_C(1) << (first + i * m->blocks.step[GROWTH_WARP]);
    sum_counts(func_state, count);
    while (m->warps[first].frame)       /* for the next one */
        leave(&m->warps[first]);
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
static void run_apart(Machine *m, FuncState *func_state)
{
    const uint32_t full = m->block[0] * m->block[1] * m->block[2] / WARP_LANES;
    uint32_t are_left = full ? UINT32_MAX >> (WARP_LANES - full) : 0;
    space_warps(m);
    if (func_state->sums == func_state->counts)
        func_state->counts = ptx_arena_array(m->arena, Count, func_state->func->insn_count);
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

/* One after the other, each to its end. */
static void run_one_by_one(Machine *m, FuncState *func_state, uint32_t first_warp,
                           uint32_t warp_count)
{
    for (uint32_t w = 0; w < warp_count; w++)
        run_together(m, func_state, first_warp + w, 1);
}

static void run_first_block(Machine *m, uint32_t first_warp, uint32_t warp_count)
{
    m->is_cut = false;
    m->shared_is_lost = false;
    m->barrier = -1;
    ptx_observers_begin(m);
    ptx_forward_begin(m);
    ptx_memory_forget_shared(m);
    FuncState *func_state = routine_of(m, m->kernel);
    if (!func_state)
        return;
    m->are_apart = func_state->slice.is_apart && !m->orderer && !m->contents
                   && m->warp_count <= WARP_LANES;
    m->is_blind = m->config.is_blind && !m->orderer && !m->contents;
    if (m->are_apart && warp_count > 1 && warp_count == m->warp_count) {
        run_apart(m, func_state);
        return;
    }
    if (m->is_blind)
        run_one_by_one(m, func_state, first_warp, warp_count);
    else
        run_together(m, func_state, first_warp, warp_count);
    if (func_state->sums != func_state->counts)
        sum_counts(func_state, 1);
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
    begin_warp(m, routine_of(m, m->kernel), 0);
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
