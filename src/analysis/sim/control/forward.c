#include "analysis/sim/control/forward.h"
#include "analysis/sim/stride/lane_groups.h"
#include "support/minmax.h"
#include "ir/reg.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"

enum {
    LONGEST_PERIOD = 1 << 12,   /* iterations that are one */
    /* instructions of iterations that are one, where not all that they carry is followed */
    LOOSE_STEPS = 1 << 10,
    LOOSE_STEPS_BEFORE = 1 << 13,       /* instructions in the loop before that is done */
    /* such ones stand for a quarter of as many as were before, and half of those to come */
    LOOSE_SHARE = 4,
    MAX_TRIES = 8,             /* that came to nothing, of a loop */
    MIN_TRIPS = 4,              /* that are not worth it */
    MAX_SKIPS = 1 << 8,         /* of a loop in which something comes around again and again */
    /* what looking at loops may cost: this, and so much for each instruction that warps execute */
    MAX_FREE_COST = 1 << 22,
    STEP_COST = 8,
};

/* Of a loop of a function, whichever warp runs it. */
typedef struct Pace {
    /* written in it by what is evaluated, and read before that or behind the loop */
    const RegId *carried;
    /* per register: whether the loop is left may rest on it; once is_loose */
    const bool *decides;
    uint32_t carried_count;
    InsnId first, end;          /* its instructions, and some between */
    /* arrivals at the header before it was looked at: all warps of a block do it in the same
     * iteration; 0: not yet */
    uint64_t begin;
    uint32_t period;            /* iterations that are one */
    uint32_t most;              /* trips that are asked for */
    uint8_t tries;              /* that came to nothing, one after the other */
    uint8_t few;                /* tries that led no further than some trips, one after the other */
    bool is_known, is_loose;
} Pace;

/* A register, or a place in local memory, as it was. */
typedef struct ForwardHeld {
    Value value;
    uint64_t lanes[WARP_LANES];
    int64_t by;                 /* since then */
    bool is_written;
    bool is_followed;
} ForwardHeld;

typedef enum ForwardState { STATE_WAITING, STATE_MEASURING, STATE_RECORDING } ForwardState;

/* A loop that a frame is in. */
typedef struct Visit {
    const Frame *frame;
    LoopId loop;
    uint64_t arrivals, at;      /* at the header; as it was when the state began */
    uint64_t next;              /* when to look */
    /* of those that were left out last, as many as those behind them are to stand for: half */
    double owed;
    uint64_t skipped;           /* of arrivals, those of iterations that were not run */
    uint32_t skips;             /* since it was entered */
    uint32_t trips, step;       /* is_loose: as far as what says when the loop ends narrows them */
    bool is_watched, was_deciding;      /* trips is set; by the instruction that is being run */
    uint64_t steps;             /* Machine.steps on arrival from outside */
    uint32_t entries, lanes, logged;
    /* hash of the frame's: lanes that stay as data say are not counted by a number */
    uint32_t stays;
    InsnId join;
    uint8_t state;              /* State */
    uint8_t dimension;          /* of STATE_RECORDING */
    ForwardHeld *held;
    uint32_t held_count, held_capacity;
    Count *counts;              /* per Machine.run and instruction */
    uint32_t count_held, count_capacity;
    void *marks[MAX_OBSERVERS]; /* by Observer.slot: what they had seen */
} Visit;

/* ---- what a loop carries --------------------------------------------------------------------- */

/* Of a register in a block: read first, or written first. */
typedef enum ForwardTouch { TOUCH_NONE, TOUCH_READ, TOUCH_WRITTEN } ForwardTouch;

/* Of each register: 1 + where it stands in the list of those that the loop writes. */
static uint32_t *number_written(Arena *arena, const FuncState *func_state, LoopId loop,
                                uint32_t *count)
{
    const Func *func = func_state->func;
    uint32_t *numbers = ptx_arena_array(arena, uint32_t, func->reg_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        if (!func_state->slice.is_needed[i]
            || !ptx_loop_holds(func_state->loops, loop, func_state->cfg->block_of[i]))
            continue;
        for (unsigned o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                && !numbers[operands[o].id])
                numbers[operands[o].id] = ++*count;
    }
    return numbers;
}

static void touch_insn(const FuncState *func_state, InsnId i, const uint32_t *numbers,
                       uint8_t *touches)
{
    const Insn *insn = &func_state->func->insns[i];
    const Operand *operands = ptx_insn_operands(func_state->func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF && insn->guard == NO_ID
            && numbers[operands[o].id])
            touches[numbers[operands[o].id] - 1] = TOUCH_WRITTEN;
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG
            && (operands[o].role & (ROLE_USE | ROLE_ADDRESS) || insn->guard != NO_ID)
            && numbers[operands[o].id])
            touches[numbers[operands[o].id] - 1] = TOUCH_READ;
    if (insn->guard != NO_ID && numbers[insn->guard])
        touches[numbers[insn->guard] - 1] = TOUCH_READ;
}

/* Whether a register may be read on some way from the header before it is written; behind the loop
 * all are taken to be read that are read there at all. */
typedef struct ForwardSearch {
    const FuncState *func_state;
    LoopId loop;
    const uint8_t *touches;     /* per block and register of the list */
    const bool *read_behind;    /* per register of the list */
    uint32_t count;
    BlockId *open;
    uint32_t *seen;             /* per block: the last register + 1 */
} ForwardSearch;

static bool is_live(const ForwardSearch *s, uint32_t reg)
{
    const Cfg *cfg = s->func_state->cfg;
    uint32_t open = 0;
    s->open[open++] = s->func_state->loops->loops[s->loop].header;
    s->seen[s->open[0]] = reg + 1;
    while (open) {
        const BlockId block = s->open[--open];
        uint8_t touch = s->touches[(size_t)block * s->count + reg];
        if (touch == TOUCH_READ)
            return true;
        for (uint32_t e = 0; touch == TOUCH_NONE && e < cfg->blocks[block].succ_count; e++) {
            BlockId to = cfg->succs[cfg->blocks[block].succ_first + e];
            if (!ptx_loop_holds(s->func_state->loops, s->loop, to)) {
                if (s->read_behind[reg])
                    return true;
            } else if (s->seen[to] != reg + 1) {
                s->seen[to] = reg + 1;
                s->open[open++] = to;
            }
        }
    }
    return false;
}

enum { MAX_TOUCHES = 1 << 22 };

/* pace->carried stays NULL: the loop is too large. */
static void find_carried(Arena *arena, Arena *scratch, const FuncState *func_state, LoopId loop,
                         Pace *pace)
{
    const Func *func = func_state->func;
    const Cfg *cfg = func_state->cfg;
    uint32_t count = 0;
    ArenaMark mark = ptx_arena_mark(scratch);
    const uint32_t *numbers = number_written(scratch, func_state, loop, &count);
    if ((uint64_t)count * cfg->block_count > MAX_TOUCHES) {
        ptx_arena_release(scratch, mark);
        return;
    }
    uint8_t *touches = ptx_arena_array(scratch, uint8_t, (size_t)count * cfg->block_count + 1);
    bool *read_behind = ptx_arena_array(scratch, bool, count + 1);
    uint8_t *here = ptx_arena_array(scratch, uint8_t, count + 1);
    pace->first = func->insn_count;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        bool is_inside = ptx_loop_holds(func_state->loops, loop, b);
        uint8_t *of_block = is_inside ? &touches[(size_t)b * count] : here;
        for (InsnId i = cfg->blocks[b].end; i-- > cfg->blocks[b].first;)
            touch_insn(func_state, i, numbers, of_block);
        if (is_inside) {
            pace->first = cfg->blocks[b].first < pace->first ? cfg->blocks[b].first : pace->first;
            pace->end = cfg->blocks[b].end > pace->end ? cfg->blocks[b].end : pace->end;
        }
        for (uint32_t r = 0; !is_inside && r < count; r++) {
            read_behind[r] |= here[r] == TOUCH_READ;
            here[r] = TOUCH_NONE;
        }
    }
    ForwardSearch s = { func_state,
                        loop,
                        touches,
                        read_behind,
                        count,
                        ptx_arena_array(scratch, BlockId, cfg->block_count + 1),
                        ptx_arena_array(scratch, uint32_t, cfg->block_count + 1) };
    RegId *carried = ptx_arena_array(arena, RegId, count + 1);
    for (RegId r = 0; r <= func->reg_count; r++)
        if (numbers[r] && is_live(&s, numbers[r] - 1))
            carried[pace->carried_count++] = r;
    pace->carried = carried;
    ptx_arena_release(scratch, mark);
}

/* A branch by which lanes leave the loop, or that has no target that is known. */
static bool is_exit(const FuncState *func_state, LoopId loop, InsnId insn)
{
    const Block *b = &func_state->cfg->blocks[func_state->cfg->block_of[insn]];
    bool leaves = insn + 1 == b->end && !b->succ_count;
    for (uint32_t e = 0; insn + 1 == b->end && e < b->succ_count; e++)
        leaves |= !ptx_loop_holds(func_state->loops, loop,
                                  func_state->cfg->succs[b->succ_first + e]);
    return leaves;
}

/* What is read by an instruction that writes what decides, decides too. False: it was known to. */
static bool spread_back(const Func *func, InsnId i, bool *decides, bool is_end)
{
    const Insn *insn = &func->insns[i];
    const Operand *operands = ptx_insn_operands(func, insn);
    bool wanted = is_end, is_new = false;
    for (unsigned o = 0; o < insn->operand_count; o++)
        wanted |= operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                  && decides[operands[o].id];
    for (unsigned o = 0; o < insn->operand_count && wanted; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & (ROLE_USE | ROLE_ADDRESS)
            && !decides[operands[o].id])
            is_new = decides[operands[o].id] = true;
    if (wanted && insn->guard != NO_ID && !decides[insn->guard])
        is_new = decides[insn->guard] = true;
    return is_new;
}

enum { MAX_ROUNDS = 16 };

/* Without regard to control inside the loop; all of them where that has no end. */
static const bool *find_deciding(Arena *arena, const FuncState *func_state, LoopId loop,
                                 const Pace *pace)
{
    bool *decides = ptx_arena_array(arena, bool, func_state->func->reg_count + 1), is_new = true;
    unsigned round = 0;
    for (; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = pace->end; i-- > pace->first;)
            if (ptx_loop_holds(func_state->loops, loop, func_state->cfg->block_of[i]))
                is_new |= spread_back(func_state->func, i, decides, is_exit(func_state, loop, i));
    }
    if (is_new)
        memset(decides, true, func_state->func->reg_count + 1);
    return decides;
}

/* As if no try had been made. */
static void begin_pace(Pace *pace)
{
    pace->tries = pace->carried ? 0 : MAX_TRIES;
    pace->few = 0;
    pace->is_loose = false;
    pace->begin = 0;
    pace->period = 1;
    pace->most = UINT32_MAX;
}

static bool is_paced(const FuncState *func_state, LoopId loop)
{
    return func_state->paces && func_state->paces[loop].is_known;
}

static Pace *pace_of(Machine *m, FuncState *func_state, LoopId loop)
{
    if (!func_state->paces)
        func_state->paces = ptx_arena_array(m->arena, Pace, func_state->loops->loop_count);
    Pace *pace = &func_state->paces[loop];
    if (!pace->is_known) {
        pace->is_known = true;
        find_carried(m->arena, m->scratch, func_state, loop, pace);
        begin_pace(pace);
    }
    return pace;
}

/* ---- numbers from trip to trip --------------------------------------------------------------- */

/* What a warp holds of the so-many-th thing that the loop carries: a register, else a place in
 * local memory. NULL: a register that was not written. */
static Register *carried_at(const Warp *w, const Pace *pace, uint32_t index)
{
    return index < pace->carried_count ? ptx_frame_register(w->frame, pace->carried[index])
                                       : &w->local.items[index - pace->carried_count].held;
}

static unsigned bits_of(const Warp *w, const Pace *pace, uint32_t index)
{
    const Func *func = w->frame->func_state->func;
    if (index >= pace->carried_count)
        return 8 * w->local.items[index - pace->carried_count].bytes;
    RegId reg = pace->carried[index];
    return reg < func->reg_count ? ptx_type_info[func->regs[reg].type].bits : 1;
}

static void hold(Machine *m, const Warp *w, const Pace *pace, Visit *v)
{
    v->held_count = pace->carried_count + w->local.count;
    if (v->held_count > v->held_capacity) {
        v->held_capacity = 2 * v->held_count;
        v->held = ptx_arena_array(m->arena, ForwardHeld, v->held_capacity);
    }
    for (uint32_t i = 0; i < v->held_count; i++) {
        const Register *r = carried_at(w, pace, i);
        ForwardHeld *to = &v->held[i];
        to->is_written = ptx_register_is_written(r);
        if (!to->is_written)
            continue;
        to->value = r->value;
        to->value.lanes = r->value.lanes ? to->lanes : NULL;
        for (unsigned l = 0; r->value.lanes && l < WARP_LANES; l++)
            to->lanes[l] = r->value.lanes[l];
    }
}

static int64_t extended(uint64_t number, unsigned bits)
{
    return bits && bits < 64 ? (int64_t)(number << (64 - bits)) >> (64 - bits) : (int64_t)number;
}

/* By how much a number has grown since, the same in each of the lanes. False: it has not, or this
 * is not known. */
static bool difference(const Register *now, const ForwardHeld *then, uint32_t lanes, unsigned bits,
                       int64_t *by)
{
    const bool is_written = ptx_register_is_written(now);
    *by = 0;
    if (!is_written || !then->is_written)
        return is_written == then->is_written;
    const Value *a = &then->value, *b = &now->value;
    if ((a->unknown & lanes) != (b->unknown & lanes))
        return false;
    lanes &= ~a->unknown;
    if (!lanes)
        return true;
    bool is_same_addend = a->addend == b->addend
                          || (a->is_data && b->is_data && a->addend != ADDEND_OTHER);
    if (!is_same_addend || a->align != b->align || a->is_common != b->is_common
        || a->is_assumed != b->is_assumed || a->free_by != b->free_by)
        return false;
    bool is_first = true;
    for (unsigned l = 0; l < WARP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        int64_t here = extended(ptx_value_lane(b, l) - ptx_value_lane(a, l), bits);
        if (!is_first && here != *by)
            return false;
        *by = here;
        is_first = false;
    }
    return true;
}

static uint32_t hash_stays(const Frame *frame, const Pace *pace)
{
    const BlockId *block_of = frame->func_state->cfg->block_of;
    uint32_t hash = 0;
    for (BlockId b = block_of[pace->first]; b <= block_of[pace->end - 1]; b++)
        hash = 31 * hash + (frame->stays ? frame->stays[b] : 0);
    return hash;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void count_range(const FuncState *func_state, const Pace *pace, InsnId *first, InsnId *end)
{
    bool is_own = func_state->paces && pace >= func_state->paces
                  && pace < func_state->paces + func_state->loops->loop_count;
    *first = is_own && !func_state->func->has_calls ? pace->first : 0;
    *end = is_own && !func_state->func->has_calls ? pace->end : func_state->func->insn_count;
}

/* Called functions too, where there are calls. */
static bool has_part(const FuncState *func_state, const FuncState *own)
{
    return func_state == own || own->func->has_calls;
}

static void hold_counts(Machine *m, const Warp *w, const Pace *pace, Visit *v)
{
    const FuncState *own = w->frame->func_state;
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t at = 0;
        for (uint32_t r = 0; r < m->run_count; r++) {
            const FuncState *func_state = m->states[r];
            InsnId first, end;
            count_range(func_state, pace, &first, &end);
            if (!has_part(func_state, own))
                continue;
            for (InsnId i = first; pass && i < end; i++)
                v->counts[at + i - first] = *ptx_count_of(func_state->counts, i);
            at += end - first;
        }
        v->count_held = at;
        if (at > v->count_capacity) {
            v->counts = ptx_arena_array(m->arena, Count, at);
            v->count_capacity = at;
        }
    }
}

static void add_repeat_doubt(Count *count)
{
    ptx_count_add_uncertainty(count, UNCERTAIN_REPEAT);
    if (count->row_doubt < UNCERTAIN_REPEAT)
        count->row_doubt = UNCERTAIN_REPEAT;
}

/* What was counted since, so many times more. Functions that were first called since then have been
 * counted from nothing on. */
static void repeat_counts(Machine *m, const Warp *w, const Pace *pace, const Visit *v, double times)
{
    const FuncState *own = w->frame->func_state;
    uint32_t at = 0;
    for (uint32_t r = 0; r < m->run_count; r++) {
        FuncState *func_state = m->states[r];
        InsnId first, end;
        count_range(func_state, pace, &first, &end);
        if (!has_part(func_state, own))
            continue;
        for (InsnId i = first; i < end; i++, at++) {
            const Count *before = at < v->count_held ? &v->counts[at] : &ptx_count_none;
            Count *count = func_state->counts[i];
            if (!count || !(count->warps > before->warps))
                continue;
            ptx_count_repeat(count, before, times);
            if (pace->is_loose)
                add_repeat_doubt(count);
        }
    }
}

/* ---- a try ----------------------------------------------------------------------------------- */

static void stop(Machine *m, Visit *v)
{
    if (v->state == STATE_RECORDING) {
        ptx_blocks_close_trips(&m->blocks, v->dimension);
        m->forwarded[v->dimension - GROWTH_TRIPS] = NULL;
    }
    v->state = STATE_WAITING;
}

void ptx_forward_reset(Machine *m)
{
    for (unsigned i = 0; i < GROWTH_DIMS - GROWTH_TRIPS; i++)
        if (m->forwarded[i])
            stop(m, m->forwarded[i]);
}

void ptx_forward_begin(Machine *m)
{
    for (uint32_t r = 0; r < m->run_count; r++) {
        const FuncState *func_state = m->states[r];
        for (LoopId loop = 0; func_state->paces && loop < func_state->loops->loop_count; loop++)
            begin_pace(&func_state->paces[loop]);
    }
}

/* Loops that were left stop being looked at. */
static void stop_left(Machine *m, const Warp *w, LoopId loop)
{
    for (unsigned i = 0; i < GROWTH_DIMS - GROWTH_TRIPS; i++) {
        Visit *v = m->forwarded[i];
        const Frame *frame = w->frame;
        while (v && frame && frame != v->frame)
            frame = frame->caller;
        if (v
            && (!frame
                || (frame == w->frame
                    && !ptx_loop_holds_loop(frame->func_state->loops, v->loop, loop))))
            stop(m, v);
    }
}

/* As many iterations as are a fair sample of what varies in them. */
static uint32_t loose_period(const Machine *m, const Visit *v)
{
    const uint64_t run = v->arrivals - v->skipped;
    uint64_t each = (m->steps - v->steps) / (run ? run : 1);
    uint64_t period = LOOSE_STEPS / (each ? each : 1);
    return (uint32_t)ptx_u64_max(ptx_u64_min(period, LONGEST_PERIOD), 1);
}

/* Longer periods; then those numbers that are not followed are left as they are. */
static void fail(Machine *m, const FuncState *func_state, Pace *pace, Visit *v)
{
    stop(m, v);
    pace->tries++;
    v->next = v->arrivals + 1;
    if (pace->tries == MAX_TRIES && !pace->is_loose) {
        pace->is_loose = m->is_loose_tried = true;
        pace->tries = MAX_TRIES / 2;
        pace->period = loose_period(m, v);
        pace->most = UINT32_MAX;
        if (!pace->decides)
            pace->decides = find_deciding(m->arena, func_state, v->loop, pace);
    } else if (!pace->is_loose && pace->tries % 2 == 0 && pace->period <= LONGEST_PERIOD / 2) {
        pace->period *= 2;
    }
}

/* Nothing grows along a dimension any more: what an earlier try left. */
static void clear_slots(const Machine *m, Slots *slots, unsigned d)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->items[i].held.value.grows >> d & 1)
            ptx_block_stride_set(&m->blocks, &slots->items[i].held.value, d, 0);
}

static void clear_growth(const Machine *m, Warp *w, unsigned d)
{
    clear_slots(m, &w->local, d);
    for (Frame *frame = w->frame; frame; frame = frame->caller) {
        clear_slots(m, &frame->params, d);
        for (uint32_t r = 0; r < frame->func_state->slice.place_count; r++)
            if (frame->regs[r] && frame->regs[r]->value.grows >> d & 1)
                ptx_block_stride_set(&m->blocks, &frame->regs[r]->value, d, 0);
    }
}

/* By how much each number grew in the iterations before. False: by nothing that could be
 * followed. */
static bool measure(Machine *m, const Warp *w, const Pace *pace, Visit *v, uint32_t lanes)
{
    if (v->held_count != pace->carried_count + w->local.count)
        return false;
    for (uint32_t i = 0; i < v->held_count; i++) {
        ForwardHeld *held = &v->held[i];
        const Register *now = carried_at(w, pace, i);
        held->is_followed = difference(now, held, lanes, bits_of(w, pace, i), &held->by);
        if (!held->is_followed
            && !(pace->is_loose && i < pace->carried_count && !pace->decides[pace->carried[i]]))
            return false;
        held->by = held->is_followed ? held->by : 0;
        if (held->is_written && ptx_register_is_written(now))
            ptx_blocks_keep_common(&m->blocks, &now->value, &held->value, GROWTH_DIMS);
    }
    return true;
}

/* What is known of groups of lanes holds in all iterations alike. */
static void widen_groups(const Warp *w, const Pace *pace, const Visit *v, uint32_t lanes)
{
    for (uint32_t i = 0; i < v->held_count; i++) {
        Register *now = carried_at(w, pace, i);
        if (ptx_register_is_written(now) && now->value.group)
            now->value.group = v->held[i].is_written
                                   ? ptx_groups_widen(&now->value, &v->held[i].value, lanes)
                                   : 0;
    }
}

/* From here on the numbers grow. */
static void begin_recording(Machine *m, Warp *w, Pace *pace, Visit *v, uint32_t lanes)
{
    unsigned d = ptx_blocks_open_trips(&m->blocks, pace->most);
    if (!d) {                   /* the inner loop comes first */
        stop(m, m->forwarded[0]);
        d = ptx_blocks_open_trips(&m->blocks, pace->most);
    }
    m->blocks.count[GROWTH_WARP] = 1;
    ptx_request_log_close(m, w);
    clear_growth(m, w, d);
    for (uint32_t i = 0; i < v->held_count; i++)
        if (v->held[i].by)
            ptx_block_stride_set(&m->blocks, &carried_at(w, pace, i)->value, d, v->held[i].by);
    widen_groups(w, pace, v, lanes);
    hold(m, w, pace, v);
    hold_counts(m, w, pace, v);
    ptx_observers_mark(m, w->index, v->marks);
    v->dimension = (uint8_t)d;
    v->is_watched = false;
    v->state = STATE_RECORDING;
    v->at = v->arrivals;
    m->forwarded[d - GROWTH_TRIPS] = v;
}

/* Whether the iterations that were looked at lead to where they began, moved on. */
static bool is_repeated(Machine *m, const Warp *w, const Pace *pace, const Visit *v, uint32_t lanes)
{
    if (v->held_count != pace->carried_count + w->local.count || v->logged != w->log_count
        || v->stays != hash_stays(w->frame, pace))
        return false;
    for (uint32_t i = 0; i < v->held_count; i++) {
        const ForwardHeld *held = &v->held[i];
        const Register *now = carried_at(w, pace, i);
        unsigned bits = bits_of(w, pace, i);
        int64_t by;
        if (!held->is_followed
            || (pace->is_loose && (i >= pace->carried_count || !pace->decides[pace->carried[i]])))
            continue;
        if (!difference(now, held, lanes, bits, &by) || by != held->by)
            return false;
        const bool is_written = ptx_register_is_written(now);
        if (is_written && lanes & ~now->value.unknown
            && extended((uint64_t)ptx_block_stride_along(&m->blocks, &now->value, v->dimension),
                        bits)
                   != by)
            return false;
        if (is_written)
            ptx_blocks_keep_common(&m->blocks, &now->value, &held->value, v->dimension);
    }
    return true;
}

static void move_on(Machine *m, const Warp *w, const Pace *pace, const Visit *v, uint32_t lanes,
                    uint64_t times)
{
    for (uint32_t i = 0; i < v->held_count; i++) {
        const uint64_t by = times * (uint64_t)v->held[i].by;
        Register *r = carried_at(w, pace, i);
        Scratch moved;
        if (!by || !ptx_register_is_written(r))
            continue;
        moved.value = r->value;
        moved.value.all += by;
        for (unsigned l = 0; r->value.lanes && l < WARP_LANES; l++)
            moved.lanes[l] = r->value.lanes[l] + by;
        moved.value.lanes = r->value.lanes ? moved.lanes : NULL;
        ptx_machine_set(m, r, &moved.value, bits_of(w, pace, i), lanes, w->live);
    }
}

/* The iterations that were run are counted so many times more. */
static void count_again(Machine *m, const Warp *w, const Pace *pace, Visit *v, double times)
{
    repeat_counts(m, w, pace, v, times);
    ptx_observers_repeat(m, v->marks, times);
}

/* So many times as many iterations are left out. */
static void skip(Machine *m, const Warp *w, Pace *pace, Visit *v, uint32_t lanes, uint32_t times)
{
    pace->tries = 0;
    move_on(m, w, pace, v, lanes, times);
    v->arrivals += (uint64_t)times * pace->period;
    v->skipped += (uint64_t)times * pace->period;
    v->next = v->arrivals;
}

/* Iterations that may vary: those that were run stand for half of what was left out before them,
 * and half of what is behind them. Near the end, for all of it. */
static void skip_some(Machine *m, const Warp *w, Pace *pace, Visit *v, uint32_t lanes,
                      uint32_t trips)
{
    uint64_t before = v->arrivals / pace->period / LOOSE_SHARE, half = (trips - 1) / 2;
    uint32_t times = before ? (uint32_t)ptx_u64_min(half, before) : 1;
    bool is_last = trips - 1 - times <= MIN_TRIPS;      /* what is left then is run */
    count_again(m, w, pace, v, v->owed + (is_last ? times : times / 2.0));
    skip(m, w, pace, v, lanes, times);
    v->owed = is_last ? 0 : times / 2.0;
    if (is_last)
        v->next = UINT64_MAX;
}

/* The iterations were run with numbers that grow: for how many times they stand. */
static void end_recording(Machine *m, Warp *w, Pace *pace, Visit *v, uint32_t lanes)
{
    const unsigned d = v->dimension;
    bool are_repeated = is_repeated(m, w, pace, v, lanes);
    uint32_t step, trips = ptx_blocks_trips(&m->blocks, d, &step);
    stop(m, v);
    v->next = v->arrivals;
    if (step > 1 && (uint64_t)step * pace->period <= LONGEST_PERIOD) {
        pace->period *= step;
        return;
    }
    if (step > 1 && pace->most > LONGEST_PERIOD) {      /* as far as one of them goes */
        pace->most = LONGEST_PERIOD;
        return;
    }
    widen_groups(w, pace, v, lanes);
    bool is_endless = trips == UINT32_MAX && pace->is_loose;
    if (!are_repeated || step > 1 || is_endless) {
        fail(m, w->frame->func_state, pace, v);
        return;
    }
    clear_growth(m, w, d);
    pace->few = trips < MIN_TRIPS ? pace->few + 1 : 0;
    bool are_many = ++v->skips > MAX_SKIPS && m->config.may_be_loose;
    if ((pace->few > MAX_TRIES || are_many) && !pace->is_loose) {
        pace->tries = MAX_TRIES - 1;
        fail(m, w->frame->func_state, pace, v);
        return;
    }
    if (pace->is_loose) {
        skip_some(m, w, pace, v, lanes, trips);
    } else if (trips > 1) {
        count_again(m, w, pace, v, trips - 1.0);
        skip(m, w, pace, v, lanes, trips - 1);
    }
}

/* ---- what narrows ---------------------------------------------------------------------------- */

/* Whether the instruction says when the loop ends: it writes what decides, or it is the branch. */
static bool is_deciding(const FuncState *func_state, const Pace *pace, LoopId loop, InsnId i)
{
    const Insn *insn = &func_state->func->insns[i];
    const Operand *operands = ptx_insn_operands(func_state->func, insn);
    bool found = insn->op->kind == OPK_BRA && is_exit(func_state, loop, i);
    for (unsigned o = 0; o < insn->operand_count; o++)
        found |= operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                 && pace->decides[operands[o].id];
    return found;
}

void ptx_forward_watch(Machine *m, const Warp *w)
{
    for (unsigned i = 0; i < GROWTH_DIMS - GROWTH_TRIPS; i++) {
        Visit *v = m->forwarded[i];
        const Pace *pace = v ? &v->frame->func_state->paces[v->loop] : NULL;
        if (!v || !pace->is_loose)
            continue;
        if (v->is_watched && !(v->was_deciding && v->frame == w->frame))
            ptx_blocks_widen_trips(&m->blocks, v->dimension, v->trips, v->step);
        v->trips = ptx_blocks_trips(&m->blocks, v->dimension, &v->step);
        v->is_watched = true;
        v->was_deciding = v->frame == w->frame
                          && is_deciding(w->frame->func_state, pace, v->loop,
                                         w->entries[w->entry_count - 1].pc);
    }
}

/* ---- a header -------------------------------------------------------------------------------- */

static Visit *visit_of(Machine *m, Frame *frame, LoopId loop)
{
    if (!frame->visits)
        frame->visits = ptx_arena_array(m->arena, Visit *, frame->func_state->loops->loop_count);
    if (!frame->visits[loop]) {
        frame->visits[loop] = ptx_arena_new(m->arena, Visit);
        frame->visits[loop]->frame = frame;
        frame->visits[loop]->loop = loop;
    }
    return frame->visits[loop];
}

/* The same lanes came around, to the same place of the stack. */
static bool is_same_way(const Warp *w, const Entry *top, Visit *v)
{
    bool is_same = v->entries == w->entry_count && v->lanes == top->lanes && v->join == top->join;
    v->entries = w->entry_count;
    v->lanes = top->lanes;
    v->join = top->join;
    return is_same;
}

/* Where a warp has run for long already, in many loops that are not so long, these are looked at
 * too. */
static uint64_t steps_before(const Machine *m)
{
    enum { LONG = 4, SHORTER = 32 };
    return m->steps - m->begun < LONG * m->config.forward_steps ? m->config.forward_steps
                                                         : m->config.forward_steps / SHORTER;
}

/* A try goes through the loop whole, of which a warp may run little. */
static bool can_afford(Machine *m, uint64_t cost)
{
    if (m->forward_cost + cost > MAX_FREE_COST + STEP_COST * m->steps)
        return false;
    m->forward_cost += cost;
    return true;
}

static uint64_t cost_of_try(const Warp *w, const Pace *pace)
{
    enum { HELD_COST = 4 };
    return pace->end - pace->first + HELD_COST * (pace->carried_count + (uint64_t)w->local.count);
}

void ptx_forward_arrive(Machine *m, Warp *w, LoopId loop)
{
    Frame *frame = w->frame;
    const FuncState *func_state = frame->func_state;
    const Entry *top = &w->entries[w->entry_count - 1];
    Visit *v = visit_of(m, frame, loop);
    bool is_around = frame->last != NO_ID
                     && ptx_loop_holds(func_state->loops, loop,
                                       func_state->cfg->block_of[frame->last]);
    stop_left(m, w, loop);
    if (!is_same_way(w, top, v) || !is_around) {
        stop(m, v);
        if (!is_around) {
            v->arrivals = v->next = 0;
            v->skipped = v->skips = 0;
            v->owed = 0;
            v->steps = m->steps;
        }
        return;
    }
    v->arrivals++;
    if (v->state == STATE_WAITING && m->steps - v->steps < steps_before(m))
        return;
    if (!is_paced(func_state, loop) && !can_afford(m, func_state->func->insn_count))
        return;
    Pace *pace = pace_of(m, frame->func_state, loop);
    if (v->state == STATE_WAITING && (!pace->begin || v->arrivals < pace->begin))
        pace->begin = v->arrivals;
    if (pace->is_loose && (!m->config.may_be_loose || m->steps - v->steps < LOOSE_STEPS_BEFORE))
        return;
    if (pace->tries >= MAX_TRIES || v->arrivals < pace->begin
        || (v->state != STATE_WAITING && v->arrivals - v->at < pace->period))
        return;
    if (v->state == STATE_RECORDING)
        end_recording(m, w, pace, v, top->lanes);
    else if (v->state == STATE_MEASURING && measure(m, w, pace, v, top->lanes))
        begin_recording(m, w, pace, v, top->lanes);
    else if (v->state == STATE_MEASURING)
        fail(m, w->frame->func_state, pace, v);
    if (v->state != STATE_WAITING || v->arrivals < v->next || !can_afford(m, cost_of_try(w, pace)))
        return;
    hold(m, w, pace, v);
    v->logged = w->log_count;
    v->stays = hash_stays(frame, pace);
    v->at = v->arrivals;
    v->state = STATE_MEASURING;
}
