/* mbarriers: who has arrived in which phase, and the bytes that copies bring (PTX ISA, "Parallel
 * Synchronization and Communication Instructions: mbarrier"). */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"
#include "analysis/flow/defs.h"
#include "analysis/redundancy/needed.h"

/* the fewest bytes that a tensor copy writes: its inner dimension is a multiple */
enum { LEAST_TENSOR = 16 };

/* Where it lies, and what stands behind it in the text: a count, a parity. False: not known. */
static bool read_mbarrier(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *address,
                          uint64_t *number)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    const Operand *place = NULL, *behind = NULL;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (!place && operands[o].role & ROLE_ADDRESS)
            place = &operands[o];
        else if (place && !behind && operands[o].position == place->position + 1)
            behind = &operands[o];
    }
    return place && ptx_race_number(r, w, place, lanes, address)
           && (!number || !behind || ptx_race_number(r, w, behind, lanes, number));
}

Mbarrier *ptx_mbarrier_at(Race *r, uint64_t address)
{
    for (uint32_t i = 0; i < r->mbarrier_count; i++)
        if (r->mbarriers[i].address == (uint32_t)address)
            return &r->mbarriers[i];
    return NULL;
}

/* None was made there, and all that are made are followed. */
static void note_unmade(Race *r, const Warp *w, const Insn *insn, uint64_t address)
{
    const bool may_be_elsewhere = insn->op->spaces[0] == SPACE_SHARED_CLUSTER
                                  && insn->op->operation != OP_TCGEN05_COMMIT;
    if (r->unmade.insn != NO_ID || w->frame->caller || r->mbarrier_count == r->most_mbarriers
        || may_be_elsewhere)
        return;
    r->unmade = (Unmade){ (InsnId)(insn - w->frame->func_state->func->insns), w->index,
                          (uint32_t)address };
}

void ptx_mbarrier_note_made(Race *r, Warp *w, const Insn *insn, uint32_t lanes)
{
    uint64_t address;
    if (r->unmade.insn != NO_ID
        && (!read_mbarrier(r, w, insn, lanes, &address, NULL)
            || (uint32_t)address == r->unmade.address))
        r->unmade.insn = NO_ID;
}

/* The one that an instruction names, and the number behind it; NULL: it is not known which. */
static Mbarrier *find_mbarrier(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *number)
{
    uint64_t address;
    if (!read_mbarrier(r, w, insn, lanes, &address, number))
        return NULL;
    Mbarrier *b = ptx_mbarrier_at(r, address);
    if (!b)
        note_unmade(r, w, insn, address);
    return b;
}

bool ptx_mbarrier_init(Race *r, Warp *w, const Insn *insn, uint32_t lanes)
{
    uint64_t address, count = 0;
    if (!read_mbarrier(r, w, insn, lanes, &address, &count) || !count || count > UINT32_MAX)
        return false;
    Mbarrier *b = ptx_mbarrier_at(r, address);
    if (!b && r->mbarrier_count == r->most_mbarriers)
        return false;
    if (!b) {
        b = &r->mbarriers[r->mbarrier_count++];
        if (!b->known) {
            b->known = ptx_arena_array(r->arena, uint32_t, r->width);
            b->done = ptx_arena_array(r->arena, uint32_t, r->width);
            b->kept = ptx_arena_array(r->arena, uint32_t, (size_t)KEPT_PHASES * r->width);
            b->tokens = ptx_arena_array(r->arena, uint32_t, r->warp_count);
            b->arrivals = ptx_arena_array(r->arena, InsnId, r->warp_count);
            b->arrived = ptx_arena_array(r->arena, uint32_t, r->warp_count);
        }
        b->completed = 0;
    }
    memset(b->known, 0, r->width * sizeof *b->known);
    b->is_joined = false;
    memset(b->done, 0, r->width * sizeof *b->done);
    memset(b->tokens, 0, r->warp_count * sizeof *b->tokens);
    for (uint32_t i = 0; i < r->warp_count; i++) {
        b->arrivals[i] = NO_ID;
        b->arrived[i] = 0;
    }
    b->address = (uint32_t)address;
    b->made = w->frame->caller ? NO_ID : (InsnId)(insn - w->frame->func_state->func->insns);
    b->wanted = b->pending = (uint32_t)count;
    b->phase = 0;
    b->owed = b->brought = 0;
    b->expected = 0;
    b->is_open = false;
    b->tensor_count = 0;
    return true;
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* Of one tensor copy in a phase all bytes that are expected; of several as many each where they
 * fill a run of memory that way; else the fewest that there can be. */
static uint32_t tensor_bytes(const Mbarrier *b)
{
    uint32_t count = b->tensor_count, each = count ? b->expected / count : 0;
    if (each < LEAST_TENSOR || b->expected % count || b->has_other_copies)
        return LEAST_TENSOR;
    for (uint32_t i = 1; i < count; i++)
        if (b->tensors[i].address != b->tensors[i - 1].address + each)
            return LEAST_TENSOR;
    return each;
}

static void finish(Race *r, Mbarrier *b)
{
    uint32_t bytes = tensor_bytes(b);
    r->is_blind |= b->tensor_count && bytes == LEAST_TENSOR;
    r->is_late = true;
    for (uint32_t i = 0; i < b->tensor_count; i++) /* the first of them were noted when it began */
        ptx_race_range(r, b->tensors[i].touch, b->tensors[i].address + LEAST_TENSOR,
                       bytes - LEAST_TENSOR);
    r->is_late = false;
    if (!b->is_joined)
        ptx_race_join(b->done, b->known, r->width);
    b->is_joined = true;
    b->phase++;
    b->completed++;
    b->done[r->warp_count + (b - r->mbarriers)] = b->completed;
    memcpy(b->kept + b->completed % KEPT_PHASES * r->width, b->done, r->width * sizeof *b->done);
    b->pending = b->wanted;
    b->owed = b->brought = 0;
    b->expected = 0;
    b->tensor_count = 0;
    b->is_open = b->has_other_copies = false;
}

static void advance(Race *r, Mbarrier *b)
{
    if (!b->pending && !b->owed && !b->brought && !b->is_open && b->wanted)
        finish(r, b);
}

/* What copies bring comes now. */
static void settle(Race *r, Mbarrier *b)
{
    b->owed = b->is_open ? 0 : b->owed - b->brought;
    b->brought = 0;
    b->is_open = false;
    advance(r, b);
}

bool ptx_mbarrier_complete_pending(Race *r)
{
    bool is_any = false;
    for (uint32_t i = 0; i < r->mbarrier_count; i++) {
        Mbarrier *b = &r->mbarriers[i];
        const uint32_t phase = b->phase;
        if (!b->pending)
            settle(r, b);
        is_any |= b->phase != phase;
    }
    return is_any;
}

void ptx_mbarrier_complete_tx(Mbarrier *b, int64_t bytes)
{
    b->brought += bytes;
    b->has_other_copies = true;
}

bool ptx_mbarrier_complete_tensor(Mbarrier *b, uint64_t address, TouchId touch)
{
    b->is_open = true;
    if (b->tensor_count == MAX_TENSORS)
        return false;
    b->tensors[b->tensor_count++] = (TensorCopy){ address, touch };
    return true;
}

/* ---- arriving -------------------------------------------------------------------------------- */

/* A phase that lacks nothing but what copies bring is over when the next one is begun. */
static void begin(Race *r, Mbarrier *b)
{
    if (!b->pending)
        settle(r, b);
}

/* Bytes that each lane says will come. False: the number is not known. */
static bool expect(Race *r, Warp *w, const Insn *insn, uint32_t lanes, Mbarrier *b)
{
    uint64_t address, bytes = 0;
    begin(r, b);
    if (!read_mbarrier(r, w, insn, lanes, &address, &bytes) || bytes > UINT32_MAX) {
        b->is_open = true;
        return false;
    }
    b->owed += (int64_t)bytes * ptx_lanes_count(lanes);
    b->expected += (uint32_t)bytes * ptx_lanes_count(lanes);
    return true;
}

bool ptx_mbarrier_expect(Race *r, Warp *w, const Insn *insn, uint32_t lanes)
{
    uint64_t address, bytes = 0;
    Mbarrier *b = find_mbarrier(r, w, insn, lanes, NULL);
    if (!b)
        return false;
    if (!ptx_op_has(insn->op, MOD_COMPLETE_TX))
        return expect(r, w, insn, lanes, b);
    if (!read_mbarrier(r, w, insn, lanes, &address, &bytes) || bytes > UINT32_MAX)
        return false;
    ptx_mbarrier_complete_tx(b, (int64_t)bytes * ptx_lanes_count(lanes));
    return true;
}

/* What the warp has begun up to here is done with this phase. */
static void deliver(Race *r, Queue queue, uint32_t warp, const Mbarrier *b)
{
    Copies *c = ptx_race_copies(r, queue, warp);
    if (c->delivery_count == c->delivery_capacity)
        c->deliveries = ptx_arena_grow(r->arena, c->deliveries, c->delivery_count,
                                       &c->delivery_capacity, sizeof *c->deliveries);
    c->deliveries[c->delivery_count++] = (Delivery){ ++c->committed, b->completed + 1,
                                                     (uint8_t)(b - r->mbarriers) };
}

/* Lanes of one instruction arrive that the phase does not take, while the bytes that it expects are
 * still to come. */
static void note_crowd(Race *r, const Mbarrier *b, const Warp *w, const Insn *insn, uint32_t lanes)
{
    if (r->crowd.wait != NO_ID || w->frame->caller || b->made == NO_ID)
        return;
    r->crowd = (Stuck){ .wait = (InsnId)(insn - w->frame->func_state->func->insns),
                        .made = b->made,
                        .warp = w->index,
                        .wanted = b->wanted,
                        .pending = ptx_lanes_count(lanes),
                        .address = b->address };
}

static void note_arrival(Race *r, Mbarrier *b, const Warp *w, const Insn *insn, uint32_t lanes)
{
    uint32_t *arrived = &b->arrived[w->index];
    *arrived = b->tokens[w->index] == b->phase ? *arrived : 0;
    /* twice: in another order it might be in two phases */
    r->has_others |= (*arrived & lanes) != 0;
    *arrived |= lanes;
    b->tokens[w->index] = b->phase;
    b->arrivals[w->index] = w->frame->caller ? NO_ID
                                             : (InsnId)(insn - w->frame->func_state->func->insns);
}

/* What the warp knows goes with its arrivals. */
static void release_to_phase(Race *r, Mbarrier *b, uint32_t warp)
{
    ptx_race_join(b->known, ptx_race_known(r, warp), r->width);
    b->is_joined = false;
    ptx_race_meet_warp(r, warp);
}

bool ptx_mbarrier_arrive(Race *r, Warp *w, const Insn *insn, uint32_t lanes, bool is_by_copies,
                         uint8_t doubt)
{
    uint64_t count = 1;
    bool expects = ptx_op_has(insn->op, MOD_EXPECT_TX), has_count = !is_by_copies && !expects;
    Mbarrier *b = find_mbarrier(r, w, insn, lanes, has_count ? &count : NULL);
    if (!b || insn->op->spaces[0] == SPACE_SHARED_CLUSTER || count > UINT32_MAX)
        return false;
    r->is_partial = true;
    uint64_t arrivals = count * ptx_lanes_count(lanes);
    if (is_by_copies && !ptx_op_has(insn->op, MOD_NOINC))
        arrivals = 0;           /* one more is waited for, and one more comes */
    begin(r, b);
    if (is_by_copies)
        deliver(r, QUEUE_COPY, w->index, b);
    if (expects)
        expect(r, w, insn, lanes, b);
    note_arrival(r, b, w, insn, lanes);
    release_to_phase(r, b, w->index);
    for (unsigned phases = 0; arrivals; phases++) {
        /* more than the phase takes, while its bytes are still to come, or than each lane may */
        if (!b->pending && phases && expects && doubt < UNCERTAIN_PARAMETER)
            note_crowd(r, b, w, insn, lanes);
        if (!b->pending || phases > WARP_LANES)
            return false;
        uint32_t now = arrivals < b->pending ? (uint32_t)arrivals : b->pending;
        arrivals -= now;
        b->pending -= now;
        if (ptx_op_has(insn->op, MOD_ARRIVE_DROP))
            b->wanted -= now < b->wanted ? now : b->wanted;
        advance(r, b);
    }
    return true;
}

/* One arrival for each lane, once what the lane has begun is done: PTX ISA, "tcgen05.commit". The
 * thread itself arrives nowhere, so no phase of its own follows from it. */
bool ptx_mbarrier_commit(Race *r, Warp *w, const Insn *insn, uint32_t lanes)
{
    Mbarrier *b = find_mbarrier(r, w, insn, lanes, NULL);
    if (!b)
        return false;
    r->is_partial = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        begin(r, b);
        if (!b->pending)
            return false;
        deliver(r, QUEUE_TENSOR, w->index, b);
        release_to_phase(r, b, w->index);
        b->pending--;
        advance(r, b);
    }
    return true;
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool ptx_mbarrier_is_past(const Mbarrier *b, uint32_t phase)
{
    return b->phase >= phase;
}

/* They have arrived in a phase, and wait for the one before: that was complete already. */
static void note_stale(Race *r, const Mbarrier *b, const Warp *w, const Insn *insn, uint32_t lanes,
                       uint32_t phase)
{
    bool is_stale = b->arrivals[w->index] != NO_ID && !(lanes & ~b->arrived[w->index])
                    && phase <= b->tokens[w->index] && b->tokens[w->index] && !w->frame->caller;
    if (!is_stale || r->stale.wait != NO_ID)
        return;
    r->stale = (StaleWait){ .arrival = b->arrivals[w->index],
                            .wait = (InsnId)(insn - w->frame->func_state->func->insns),
                            .warp = w->index,
                            .phase = b->tokens[w->index],
                            .address = b->address };
}

/* What those of the first phases knew; NULL: that is not kept any more. */
static const uint32_t *done_of(const Race *r, const Mbarrier *b, uint32_t completed)
{
    return b->completed - completed < KEPT_PHASES
               ? b->kept + completed % KEPT_PHASES * r->width
               : NULL;
}

static bool knows_all(const Race *r, const uint32_t *row, const uint32_t *done)
{
    for (uint32_t w = 0; w < r->warp_count; w++)
        if (row[w] < done[w])
            return false;
    return true;
}

/* So many phases are complete whenever the warp comes here: by what it waited for, by others that
 * did, by arrivals that it knows of and its own. */
static uint32_t certain_phases(const Race *r, const Mbarrier *b, const Warp *w)
{
    const uint32_t *row = ptx_race_known(r, w->index);
    const uint32_t before = b->completed - b->phase;   /* it was made anew */
    uint32_t count = row[r->warp_count + (b - r->mbarriers)];
    if (b->arrivals[w->index] != NO_ID && count < before + b->tokens[w->index])
        count = before + b->tokens[w->index];
    count = count < before ? before : count;
    while (count < b->completed) {
        const uint32_t *done = done_of(r, b, count + 1);
        if (!done)
            return b->completed;
        if (!knows_all(r, row, done))
            break;
        count++;
    }
    return count;
}

/* So many are complete once a wait by parity is over, and no more: others may be ahead in this run,
 * and not in another. */
static uint32_t phases_waited_for(const Race *r, const Mbarrier *b, const Warp *w, uint64_t parity)
{
    const uint32_t certain = certain_phases(r, b, w), before = b->completed - b->phase;
    return certain + (((certain - before) & 1) == (parity & 1));
}

/* The warp knows what those knew who arrived in the first phases. */
static void join_phases(Race *r, const Mbarrier *b, const Warp *w, uint32_t completed)
{
    const uint32_t *done = completed <= b->completed ? done_of(r, b, completed) : NULL;
    if (completed > b->completed - b->phase)
        ptx_race_join(ptx_race_known(r, w->index), done ? done : b->done, r->width);
}

/* Nothing that matters reads whether the phase is complete: the thread goes on in any case. */
static bool is_wait_ignored(Race *r, const Warp *w, const Insn *insn)
{
    const FuncState *at = w->frame->func_state;
    const Operand *operands = ptx_insn_operands(at->func, insn);
    if (w->frame->caller || at->func->has_unknown)
        return false;
    Machine *m = r->machine;
    if (!r->needed)
        r->needed = ptx_needed_registers_compute(
            m->arena, m->scratch, at->func,
            ptx_defs_compute(m->arena, at->func, at->cfg, at->loops));
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && r->needed[operands[o].id])
            return false;
    return true;
}

bool ptx_mbarrier_wait(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    uint64_t parity = 0;
    bool is_parity = ptx_op_has(insn->op, MOD_PARITY);
    Mbarrier *b = find_mbarrier(r, w, insn, lanes, is_parity ? &parity : NULL);
    if (!b)
        return false;
    if (is_wait_ignored(r, w, insn)) {
        r->ignored_wait = (InsnId)(insn - w->frame->func_state->func->insns);
        return true;
    }
    uint32_t phase = is_parity ? b->phase + ((b->phase & 1) == (parity & 1))
                               : b->tokens[w->index] + 1;
    if (is_parity && !doubt)
        note_stale(r, b, w, insn, lanes, phase);
    const uint32_t least = is_parity ? phases_waited_for(r, b, w, parity) : b->completed;
    /* who is ahead of the phase that it stands for waits in another order, where nothing holds him
     * back either */
    if (ptx_mbarrier_is_past(b, phase) || (is_parity && least <= b->completed)) {
        join_phases(r, b, w, least);
        return true;
    }
    w->is_waiting = true;
    w->barrier = AT_MBARRIER;
    w->mbarrier = (uint32_t)(b - r->mbarriers);
    w->phase = phase;
    return true;
}

/* Some of what the phase takes came, and not all of it: its count is wrong, whoever else waits.
 * Where nothing came, it may be that who would arrive waits elsewhere. */
static bool is_miscounted(const Mbarrier *b)
{
    return b->pending < b->wanted || b->owed || b->brought || b->tensor_count;
}

/* How likely it is what the others wait for: its count is wrong; nothing has ever arrived there. */
static uint8_t blame_of(const Mbarrier *b)
{
    if (is_miscounted(b))
        return BLAME_COUNT;
    return b->completed ? BLAME_NONE : BLAME_NO_ARRIVAL;
}

/* A warp that no other can help: what its phase lacks. Of several, the one to blame. */
void ptx_mbarrier_note_stuck(Race *r, const Warp *w)
{
    if (w->is_done || w->barrier != AT_MBARRIER || w->frame->caller || r->is_lost)
        return;
    const Mbarrier *b = &r->mbarriers[w->mbarrier];
    const uint32_t seen = ptx_race_known(r, w->index)[r->warp_count + w->mbarrier];
    if (r->stuck.wait != NO_ID && blame_of(b) <= r->stuck.blame)
        return;
    if (b->made == NO_ID || (!b->pending && !b->owed)
        || w->phase + b->completed
               != b->phase + seen + 1) /* others ran ahead of it: in another order they might not */
        return;
    r->stuck = (Stuck){ .wait = w->entries[w->entry_count - 1].pc,
                        .made = b->made,
                        .warp = w->index,
                        .wanted = b->wanted,
                        .pending = b->pending,
                        .blame = blame_of(b),
                        .owed = b->owed,
                        .address = b->address };
}
